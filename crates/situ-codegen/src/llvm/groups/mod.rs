//! Kernels with groups.
//!
//! A call runs a chunk of work-groups, one after the other. `regions` says how the kernel is cut,
//! `storage` which names live across regions and `memory` where; this file writes the loops.

mod collectives;
mod frame;
mod leavers;
mod lifetimes;
mod memory;
mod region_items;
mod regions;
mod storage;

use situ_ir::{DType, Literal};

use crate::error::Error;
use crate::llvm::abi::offset;
use crate::llvm::body::{Body, Exits, LaunchPosition, WorkItem};
use crate::llvm::kernels::KernelMemory;
use crate::llvm::places::{Places, Slot, VariablePlace};
use crate::llvm::statements::Exit;
use crate::llvm::types::literal;
use crate::llvm::writer::{Label, Operand};
use memory::{GroupMemory, place};
use region_items::does_nothing;
use regions::{Node, Region};
use storage::{Plan, VariableStorage, plan};

/// Writes the body of a kernel that is called with chunks of work-groups.
pub(super) fn emit(body: &mut Body<'_, '_, '_>, dims: u8) -> Result<KernelMemory, Error> {
    let function = body.function;
    let plan = plan(function, body.info);
    let global_size = body.launch_sizes("global_size", dims, offset::GLOBAL_SIZE);
    let local_size = body.launch_sizes("local_size", dims, offset::LOCAL_SIZE);
    let begin = body.launch_field("begin", "i64", offset::BEGIN);
    let end = body.launch_field("end", "i64", offset::END);
    let mut group_count = [1; 3].map(Operand::integer);
    let mut group_items = local_size[0].clone();
    for dimension in 0..usize::from(dims) {
        let (global, local) = (&global_size[dimension], &local_size[dimension]);
        group_count[dimension] = body
            .code
            .entry_instruction(format_args!("udiv i64 {global}, {local}"));
        if dimension > 0 {
            group_items = body
                .code
                .entry_instruction(format_args!("mul i64 {group_items}, {local}"));
        }
    }
    body.launch = Some(LaunchPosition {
        global_size,
        local_size,
        group_count,
        group_items,
        group_id: [0; 3].map(Operand::integer),
        group_linear_id: Operand::integer(0),
    });
    let (memory, kernel_memory) = place(body, &plan)?;
    let group = Group {
        dims: usize::from(dims),
        plan: &plan,
        home: body.places.clone(),
        memory,
    };

    let work = body.code.label("work");
    let done = body.code.label("done");
    let has_groups = body
        .code
        .instruction(format_args!("icmp ult i64 {begin}, {end}"));
    body.code.branch_if(&has_groups, &work, &done);
    body.code.begin(&work);
    body.counted_loop("groups", (&begin, &end), false, |body, number, next| {
        group.run(body, number, next)
    })?;
    body.code.begin(&done);
    body.code.terminate("ret void");
    Ok(kernel_memory)
}

/// A work-group while its code is written.
struct Group<'p, 'a> {
    dims: usize,
    plan: &'p Plan<'a>,
    /// Where names are between regions.
    home: Places,
    memory: GroupMemory,
}

impl Group<'_, '_> {
    /// Writes the code of the group with a linear id.
    fn run(
        &self,
        body: &mut Body<'_, '_, '_>,
        number: &Operand,
        next: &Label,
    ) -> Result<(), Error> {
        let group_id = self.group_id(body, number)?;
        if let Some(launch) = &mut body.launch {
            launch.group_id = group_id;
            launch.group_linear_id = number.clone();
        }
        self.zero(body)?;
        // What is evaluated for the group is what the first work-item sees.
        body.item = WorkItem::Group {
            local_id: [0; 3].map(Operand::integer),
            local_linear_id: Operand::integer(0),
        };
        body.exits = Exits::Item {
            end: next.clone(),
            status: None,
        };
        self.nodes(body, &self.plan.structure.nodes)
    }

    fn group_id(
        &self,
        body: &mut Body<'_, '_, '_>,
        number: &Operand,
    ) -> Result<[Operand; 3], Error> {
        let count = body.launch()?.group_count.clone();
        let mut ids = [0; 3].map(Operand::integer);
        let mut rest = number.clone();
        for dimension in (1..self.dims).rev() {
            ids[dimension] = body.code.binary("urem i64", &rest, &count[dimension]);
            rest = body.code.binary("udiv i64", &rest, &count[dimension]);
        }
        ids[0] = rest;
        Ok(ids)
    }

    /// Gives everything that outlives a region its first content.
    fn zero(&self, body: &mut Body<'_, '_, '_>) -> Result<(), Error> {
        let items = body.launch()?.group_items.clone();
        let function = body.function;
        for ((handle, variable), storage) in function.variables.iter().zip(&self.plan.variables) {
            match (body.places.variables[handle.index()].clone(), storage) {
                (VariablePlace::Slot(slot), VariableStorage::Slot { needs_zero: true }) => {
                    zero_slot(body, &slot, variable.dtype, &items);
                }
                (VariablePlace::Stack(place), VariableStorage::Group) => {
                    let zero = literal(Literal::zero(variable.dtype));
                    body.store_scalar(variable.dtype, &zero, &place, "");
                }
                _ => {}
            }
        }
        if let Some(status) = &self.memory.status {
            zero_slot(body, status, DType::U8, &items);
        }
        Ok(())
    }

    fn nodes(&self, body: &mut Body<'_, '_, '_>, nodes: &[Node<'_>]) -> Result<(), Error> {
        for node in nodes {
            body.computed.clear();
            match node {
                Node::Region(region) => self.region(body, region)?,
                Node::Once(statement) => body.statement(statement)?,
                Node::Combine(collective) => {
                    let contributions =
                        self.memory.contributions.clone().ok_or_else(|| {
                            body.broken("kernels with collectives have their slots")
                        })?;
                    body.combine(collective, contributions)?;
                }
                Node::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let condition = body.evaluate(*condition)?;
                    body.choose(
                        &condition,
                        |body| self.nodes(body, accept),
                        |body| self.nodes(body, reject),
                    )?;
                }
                Node::Loop {
                    condition,
                    body: round,
                    step,
                } => {
                    body.repeat(
                        (*condition, 1),
                        |body| self.nodes(body, round),
                        |body| {
                            self.resume(body, Exit::Continue)?;
                            self.nodes(body, step)
                        },
                    )?;
                    self.resume(body, Exit::Break)?;
                }
                Node::Jump(exit) => body.jump(*exit)?,
            }
        }
        Ok(())
    }

    /// Runs a region for each work-item.
    fn region(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) -> Result<(), Error> {
        if does_nothing(body, region) {
            return Ok(());
        }
        // Jumps to loops of the group are not jumps of a single work-item.
        let group_loops = std::mem::take(&mut body.loops);
        let is_parallel = body.is_parallel();
        let group_exits = body.exits.clone();
        self.for_each_item(body, is_parallel, |body, end| self.item(body, region, end))?;
        self.put_back(body);
        body.loops = group_loops;
        body.exits = group_exits;
        if region.leaves_status {
            self.follow_leavers(body)?;
        }
        Ok(())
    }

    /// Repeats what `fill` writes for each work-item of the group; the innermost loop runs along
    /// the fastest dimension.
    fn for_each_item<'a, 'm, 'o>(
        &self,
        body: &mut Body<'a, 'm, 'o>,
        is_parallel: bool,
        fill: impl FnOnce(&mut Body<'a, 'm, 'o>, &Label) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let outside = body.item.clone();
        let size = body.launch()?.local_size.clone();
        let zero = Operand::integer(0);
        let inner = |body: &mut Body<'a, 'm, 'o>, slow: &[Operand], before: &Operand| {
            let width = &size[self.dims - 1];
            body.counted_loop("items", (&zero, width), is_parallel, |body, index, end| {
                let mut local_id = [0; 3].map(Operand::integer);
                for (place, id) in local_id.iter_mut().zip(slow.iter().chain([index])) {
                    *place = id.clone();
                }
                let local_linear_id = if slow.is_empty() {
                    index.clone()
                } else {
                    body.code.binary("add nuw nsw i64", before, index)
                };
                body.item = WorkItem::Group {
                    local_id,
                    local_linear_id,
                };
                fill(body, end)
            })
        };
        let result = match self.dims {
            1 => inner(body, &[], &zero),
            2 => body.counted_loop("rows", (&zero, &size[0]), false, |body, row, _| {
                let before = body.code.binary("mul nuw nsw i64", row, &size[1]);
                inner(body, std::slice::from_ref(row), &before)
            }),
            _ => body.counted_loop("planes", (&zero, &size[0]), false, |body, plane, _| {
                body.counted_loop("rows", (&zero, &size[1]), false, |body, row, _| {
                    let rows = body.code.binary("mul nuw nsw i64", plane, &size[1]);
                    let rows = body.code.binary("add nuw nsw i64", &rows, row);
                    let before = body.code.binary("mul nuw nsw i64", &rows, &size[2]);
                    inner(body, &[plane.clone(), row.clone()], &before)
                })
            }),
        };
        body.item = outside;
        result
    }
}

fn zero_slot(body: &mut Body<'_, '_, '_>, slot: &Slot, dtype: DType, items: &Operand) {
    let name = "llvm.memset.p0.i64";
    body.code
        .library
        .intrinsic(name, "void", "ptr, i8, i64, i1");
    let bytes = dtype.size_bytes();
    let bytes = body
        .code
        .instruction(format_args!("mul i64 {items}, {bytes}"));
    body.code.effect(format_args!(
        "call void @{name}(ptr {}, i8 0, i64 {bytes}, i1 false)",
        slot.base
    ));
}
