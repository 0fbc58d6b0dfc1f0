//! Kernels without groups.
//!
//! A call runs a chunk of the flattened range. The first work-item's ids are found by division;
//! from there on the loops count like an odometer, and the innermost loop runs along the fastest
//! dimension with nothing but the kernel's own code in it, so that it vectorises. Where LLVM would not
//! vectorise it, it is a loop over vectors of work-items instead (see `vector`).

use super::abi::{STREAMED_ITEMS, offset};
use super::body::{Body, Exits, LaunchPosition, WorkItem};
use super::vector::{VectorPlan, rows as vectors};
use super::writer::Operand;
use crate::error::Error;

/// Waits until what was written past the cache is visible.
const FENCE: &str = "llvm.x86.sse.sfence";

/// Writes the body of a kernel that is called with chunks of work-items, one work-item or one vector of them
/// at a time. One that `streams` writes past the cache.
pub(super) fn emit(
    body: &mut Body<'_, '_, '_>,
    dims: u8,
    plan: Option<&VectorPlan>,
    streams: bool,
) -> Result<(), Error> {
    if plan.is_none() {
        body.place_everything_on_the_stack();
    }
    let global_size = body.launch_sizes("global_size", dims, offset::GLOBAL_SIZE);
    let mut begin = body.launch_field("begin", "i64", offset::BEGIN);
    let end = body.launch_field("end", "i64", offset::END);
    body.launch = Some(LaunchPosition::without_groups(global_size.clone()));
    if streams {
        // Changes nothing, and tells LLVM what it needs to know to see that its vectors are aligned.
        begin = body
            .code
            .instruction(format_args!("and i64 {begin}, -{STREAMED_ITEMS}"));
    }

    let work = body.code.label("work");
    let done = body.code.label("done");
    let has_items = body
        .code
        .instruction(format_args!("icmp ult i64 {begin}, {end}"));
    body.code.branch_if(&has_items, &work, &done);
    body.code.begin(&work);
    if dims == 1 {
        let row = Row {
            slow_ids: Vec::new(),
            before: None,
        };
        items_of_row(body, plan, &row, (&begin, &end))?;
    } else {
        rows(
            body,
            plan,
            (&begin, &end),
            &global_size[..usize::from(dims)],
        )?;
    }
    body.code.begin(&done);
    if streams {
        // Such stores are not ordered with others by themselves.
        body.code.library.intrinsic(FENCE, "void", "");
        body.code.effect(format_args!("call void @{FENCE}()"));
    }
    body.code.terminate("ret void");
    Ok(())
}

/// Work-items that differ in the fastest id only.
struct Row {
    /// The other ids, slowest first.
    slow_ids: Vec<Operand>,
    /// What to add to the fastest id to get the linear id, if it is not 0.
    before: Option<Operand>,
}

/// Runs the rows of a chunk, of which the first and the last may be incomplete.
fn rows(
    body: &mut Body<'_, '_, '_>,
    plan: Option<&VectorPlan>,
    (begin, end): (&Operand, &Operand),
    size: &[Operand],
) -> Result<(), Error> {
    let width = &size[size.len() - 1];
    let first = body.code.binary("udiv i64", begin, width);
    let last_item = body.code.instruction(format_args!("sub i64 {end}, 1"));
    let last = body.code.binary("udiv i64", &last_item, width);
    let after_last = body.code.instruction(format_args!("add i64 {last}, 1"));
    // Of three dimensions the two slow ones are counted beside the rows.
    let odometer = (size.len() == 3).then(|| {
        let plane = body.code.entry_instruction("alloca i64");
        let row = body.code.entry_instruction("alloca i64");
        let first_plane = body.code.binary("udiv i64", &first, &size[1]);
        let first_row = body.code.binary("urem i64", &first, &size[1]);
        body.code
            .effect(format_args!("store i64 {first_plane}, ptr {plane}"));
        body.code
            .effect(format_args!("store i64 {first_row}, ptr {row}"));
        (plane, row)
    });
    body.counted_loop("rows", (&first, &after_last), false, |body, number, _| {
        let before = body.code.binary("mul i64", number, width);
        let zero = Operand::integer(0);
        let start = body.code.binary("sub i64", begin, &before);
        let start = body
            .code
            .intrinsic("llvm.smax.i64", "i64", &[&start, &zero]);
        let stop = body.code.binary("sub i64", end, &before);
        let stop = body.code.intrinsic("llvm.smin.i64", "i64", &[&stop, width]);
        let slow_ids = match &odometer {
            None => vec![number.clone()],
            Some((plane, row)) => [plane, row]
                .map(|place| body.code.instruction(format_args!("load i64, ptr {place}")))
                .to_vec(),
        };
        let row = Row {
            slow_ids,
            before: Some(before),
        };
        items_of_row(body, plan, &row, (&start, &stop))?;
        if let Some(odometer) = &odometer {
            advance(body, odometer, &row.slow_ids, &size[1]);
        }
        Ok(())
    })
}

/// Counts to the next row, and to the next plane after the last row.
fn advance(
    body: &mut Body<'_, '_, '_>,
    (plane, row): &(Operand, Operand),
    now: &[Operand],
    rows_per_plane: &Operand,
) {
    let next = body.code.instruction(format_args!("add i64 {}, 1", now[1]));
    let wraps = body.code.binary("icmp eq i64", &next, rows_per_plane);
    let zero = Operand::integer(0);
    let next = body.code.select("i64", &wraps, &zero, &next);
    let carry = body
        .code
        .instruction(format_args!("zext i1 {wraps} to i64"));
    let next_plane = body.code.binary("add i64", &now[0], &carry);
    body.code
        .effect(format_args!("store i64 {next}, ptr {row}"));
    body.code
        .effect(format_args!("store i64 {next_plane}, ptr {plane}"));
}

fn items_of_row(
    body: &mut Body<'_, '_, '_>,
    plan: Option<&VectorPlan>,
    row: &Row,
    range: (&Operand, &Operand),
) -> Result<(), Error> {
    if let Some(plan) = plan {
        return vectors::emit(body, plan, range, |body, index| row.begin(body, index));
    }
    let is_parallel = body.is_parallel();
    body.counted_loop("items", range, is_parallel, |body, index, next| {
        row.begin(body, index);
        body.exits = Exits::Item {
            end: next.clone(),
            status: None,
        };
        body.zero_stack_variables();
        let function = body.function;
        body.block(&function.body)
    })
}

impl Row {
    /// Makes the ids those of the work-item with an index in the row.
    fn begin(&self, body: &mut Body<'_, '_, '_>, index: &Operand) {
        let mut global_id = [0; 3].map(Operand::integer);
        let ids = self.slow_ids.iter().chain([index]);
        for (place, id) in global_id.iter_mut().zip(ids) {
            *place = id.clone();
        }
        let global_linear_id = match &self.before {
            None => index.clone(),
            Some(before) => body.code.binary("add i64", before, index),
        };
        body.item = WorkItem::Range {
            global_id,
            global_linear_id,
        };
    }
}

impl LaunchPosition {
    /// The launch of a kernel that does not know of groups.
    fn without_groups(global_size: [Operand; 3]) -> Self {
        Self {
            group_count: global_size.clone(),
            global_size,
            local_size: [1; 3].map(Operand::integer),
            group_items: Operand::integer(1),
            group_id: [0; 3].map(Operand::integer),
            group_linear_id: Operand::integer(0),
        }
    }
}
