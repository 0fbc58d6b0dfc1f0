//! Kernels without groups, in vectors along the fastest dimension.
//!
//! Whole vectors run without a mask. What remains of a row is one more vector, of which some lanes are
//! missing; its code is a second copy. Where the kernel is large there is one copy only, with a mask.

use super::body::VectorBody;
use super::cost::VectorPlan;
use super::lanes::{Address, Lanes, Term, lane_numbers};
use crate::error::Error;
use crate::llvm::body::Body;
use crate::llvm::types::LaneType;
use crate::llvm::writer::Operand;
use situ_ir::Type;

/// Writes the work-items of a row; `begin` makes the body's ids those of the first lane.
pub(in crate::llvm) fn emit(
    body: &mut Body<'_, '_, '_>,
    plan: &VectorPlan,
    range: (&Operand, &Operand),
    mut begin: impl FnMut(&mut Body<'_, '_, '_>, &Operand),
) -> Result<(), Error> {
    in_vectors(
        body,
        (plan.lanes, plan.is_doubled),
        range,
        |body, index, mask| {
            begin(body, index);
            items(body, plan, mask)
        },
    )
}

/// Repeats what `fill` writes for vectors of as many lanes as there are between two indices. It gets the first index of a
/// vector, and a mask unless all lanes are there; code that `is_doubled` is written once for these and once for the
/// remainder.
pub(super) fn in_vectors(
    body: &mut Body<'_, '_, '_>,
    (lanes, is_doubled): (u32, bool),
    (start, end): (&Operand, &Operand),
    mut fill: impl FnMut(&mut Body<'_, '_, '_>, &Operand, Option<Operand>) -> Result<(), Error>,
) -> Result<(), Error> {
    if !is_doubled {
        return vectors(body, lanes, (start, end), |body, index| {
            let rest = body.code.binary("sub i64", end, index);
            let mask = first_lanes(body, lanes, &rest);
            fill(body, index, Some(mask))
        });
    }
    let count = body.code.binary("sub i64", end, start);
    let whole = body
        .code
        .instruction(format_args!("and i64 {count}, -{lanes}"));
    let middle = body.code.binary("add i64", start, &whole);
    let work = body.code.label("vectors.some");
    let remainder = body.code.label("remainder");
    let part = body.code.label("remainder.some");
    let done = body.code.label("row.done");
    let has_whole = body.code.binary("icmp ult i64", start, &middle);
    body.code.branch_if(&has_whole, &work, &remainder);
    body.code.begin(&work);
    vectors(body, lanes, (start, &middle), |body, index| {
        fill(body, index, None)
    })?;
    body.code.begin(&remainder);
    let has_rest = body.code.binary("icmp ult i64", &middle, end);
    body.code.branch_if(&has_rest, &part, &done);
    body.code.begin(&part);
    let rest = body.code.binary("sub i64", end, &middle);
    let mask = first_lanes(body, lanes, &rest);
    fill(body, &middle, Some(mask))?;
    body.code.begin(&done);
    Ok(())
}

/// Repeats what `fill` writes for the first index of each vector, at least once.
fn vectors(
    body: &mut Body<'_, '_, '_>,
    lanes: u32,
    (start, end): (&Operand, &Operand),
    fill: impl FnOnce(&mut Body<'_, '_, '_>, &Operand) -> Result<(), Error>,
) -> Result<(), Error> {
    let before = body.code.label("vectors.before");
    let head = body.code.label("vectors");
    let next = body.code.label("vectors.next");
    let done = body.code.label("vectors.done");
    let index = body.code.register();
    let advanced = body.code.register();
    body.code.begin(&before);
    body.code.begin(&head);
    body.code.define(
        &index,
        format_args!("phi i64 [ {start}, %{before} ], [ {advanced}, %{next} ]"),
    );
    fill(body, &index)?;
    body.code.begin(&next);
    body.code
        .define(&advanced, format_args!("add nuw nsw i64 {index}, {lanes}"));
    let again = body.code.binary("icmp ult i64", &advanced, end);
    body.code.branch_if(&again, &head, &done);
    body.code.begin(&done);
    Ok(())
}

/// The mask of the first lanes, as many as are left.
fn first_lanes(body: &mut Body<'_, '_, '_>, lanes: u32, rest: &Operand) -> Operand {
    let ty = LaneType {
        scalar: "i32",
        lanes,
    };
    let code = &mut body.code;
    let rest = code.intrinsic("llvm.umin.i64", "i64", &[rest, &Operand::integer(lanes)]);
    let rest = code.instruction(format_args!("trunc i64 {rest} to i32"));
    let first = code.instruction(format_args!("insertelement {ty} poison, i32 {rest}, i64 0"));
    let rests = code.instruction(format_args!(
        "shufflevector {ty} {first}, {ty} poison, <{lanes} x i32> zeroinitializer"
    ));
    let numbers = lane_numbers(ty, 1);
    code.binary(&format!("icmp ult {ty}"), &numbers, &rests)
}

/// Writes the kernel for one vector of work-items.
fn items(
    body: &mut Body<'_, '_, '_>,
    plan: &VectorPlan,
    mask: Option<Operand>,
) -> Result<(), Error> {
    let function = body.function;
    let end = body.code.label("vector.end");
    let parameters = parameters(body);
    let mut vector = VectorBody::new(body, &plan.flow, plan.lanes, plan.dims, mask, end.clone());
    vector.parameters = parameters;
    vector.begin_lanes();
    vector.zero_variables();
    vector.block(&function.body)?;
    body.code.begin(&end);
    Ok(())
}

/// The parameters of a kernel, the same in all lanes.
pub(super) fn parameters(body: &Body<'_, '_, '_>) -> Vec<Term> {
    let parameters = body.function.parameters.iter().zip(&body.parameters);
    parameters
        .map(|(parameter, operand)| match parameter.ty {
            Type::Scalar(_) => Term::Number(Lanes::Uniform(operand.clone())),
            Type::Pointer { .. } => Term::Pointer(Address {
                base: operand.clone(),
                index: Lanes::Uniform(Operand::integer(0)),
            }),
        })
        .collect()
}
