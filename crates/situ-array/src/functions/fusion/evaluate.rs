//! Evaluating expressions: from operands to a launched kernel.

use std::sync::Arc;

use situ_ir::DType;
use situ_runtime::Queue;
use smallvec::SmallVec;

use super::plan::Plan;
use super::{Fusion, FusionError, Node, OperandType, TypedFusion};
use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::casting::Casting;
use crate::error::Error;
use crate::functions::apply::{
    Input, Mapped, Operand, check_exponents, check_output_shape, host_array_placed, launch,
    separated,
};
use crate::layout::Shape;
use crate::placement::{Operation, Participant, Placement, Placer};

/// Evaluates an expression into `out`, or into new memory if there is none: one kernel, no temporaries. It runs on
/// `queue`, or where the arrays live if none is named.
///
/// # Errors
/// Those that one call after the other would give, with the node that gives it; without a node if the operands
/// do not agree on a place or a launch fails.
///
/// # Panics
/// If there are fewer operands than the nodes refer to.
pub fn evaluate(
    fusion: &Arc<Fusion>,
    operands: &[Operand],
    out: Option<&Array>,
    queue: Option<&Queue>,
) -> Result<Array, FusionError> {
    let placement = place(fusion, operands, out, queue)?;
    let shape = shape(fusion, operands)?;
    let types: SmallVec<[OperandType; 4]> = operands.iter().map(Operand::ty).collect();
    let plan = Plan::on_device(fusion, &types, placement.queue.device())?;
    check_powers(fusion, &plan, operands, &placement.queue)?;
    let out = match out {
        Some(out) => {
            check_output(fusion, &shape, plan.dtype(), out)
                .map_err(FusionError::at(fusion.last()))?;
            out.clone()
        }
        None => Array::empty(&shape, plan.dtype(), &placement.queue, placement.usm_kind)?,
    };
    let inputs = inputs(fusion, &plan, operands, |array| separated(array, &out))?;
    // Each node converts what it uses, so operands come as they are.
    let compute = inputs.iter().map(Input::dtype).collect();
    launch(
        Mapped::Fusion(&TypedFusion::new(fusion, &types)),
        &placement.queue,
        &out,
        &inputs,
        (compute, false),
        &|f, x| plan.write(fusion, f, x),
    )?;
    Ok(out)
}

/// Refuses negative exponents of integers, as a call of `pow` does. Exponents that are expressions are evaluated for it.
pub(super) fn check_powers(
    fusion: &Fusion,
    plan: &Plan,
    operands: &[Operand],
    queue: &Queue,
) -> Result<(), FusionError> {
    for &(power, exponent, dtype) in plan.integer_powers() {
        if shape(&fusion.until(power), operands)?.contains(&0) {
            continue;
        }
        let exponents = match fusion.nodes[exponent] {
            Node::Input(operand) => operands[operand].clone(),
            _ => Operand::Array(evaluate(
                &Arc::new(fusion.until(exponent)),
                operands,
                None,
                Some(queue),
            )?),
        };
        check_exponents(&exponents, None, dtype, queue).map_err(FusionError::at(power))?;
    }
    Ok(())
}

/// The inputs of the kernel, as the plan writes it.
pub(super) fn inputs(
    fusion: &Fusion,
    plan: &Plan,
    operands: &[Operand],
    array: impl Fn(&Array) -> Result<Array, Error>,
) -> Result<SmallVec<[Input; 4]>, Error> {
    let mut inputs = SmallVec::new();
    for &operand in &fusion.live_operands {
        match &operands[operand] {
            Operand::Array(operand) => inputs.push(Input::Array(array(operand)?)),
            Operand::Literal(literal) => inputs.push(Input::Scalar(*literal)),
            // Those that are used are among the plan's scalars.
            Operand::Scalar(_) => {}
            Operand::HostArray => return Err(host_array_placed()),
        }
    }
    for scalar in plan.scalars(operands) {
        inputs.push(Input::Scalar(scalar?));
    }
    Ok(inputs)
}

/// Where the expression is evaluated, and what kind of memory a new result has.
pub(super) fn place(
    fusion: &Fusion,
    operands: &[Operand],
    out: Option<&Array>,
    queue: Option<&Queue>,
) -> Result<Placement, Error> {
    let placer = Placer {
        operation: Operation::Expression,
        explicit: queue,
    };
    let names = fusion.operand_names.iter().map(String::as_str);
    let inputs = names.zip(operands.iter().map(Operand::participant));
    let output = out.map(|out| ("out", Participant::Output(out)));
    let placement = placer.place(inputs.chain(output))?;
    placement.ok_or(Error::NoArray {
        operation: "expression",
    })
}

/// The shape of the result. Nodes are broadcast one by one, so that the innermost one that does not fit is told.
pub(super) fn shape(fusion: &Fusion, operands: &[Operand]) -> Result<Shape, FusionError> {
    let used = &operands[..fusion.operand_count()];
    let mut arrays = used.iter().filter_map(|operand| match operand {
        Operand::Array(array) => Some(array.shape()),
        Operand::Scalar(_) | Operand::Literal(_) | Operand::HostArray => None,
    });
    let first = arrays.next();
    let is_array = |&operand: &usize| matches!(operands[operand], Operand::Array(_));
    if arrays.all(|shape| Some(shape) == first) {
        // Nothing is stretched but scalars.
        let reached = fusion.live_operands.iter().any(is_array);
        return Ok(first.filter(|_| reached).unwrap_or_default().into());
    }
    let mut shapes: Vec<Shape> = Vec::with_capacity(fusion.nodes.len());
    for (position, node) in fusion.nodes.iter().enumerate() {
        let shape = match node {
            Node::Input(operand) => operands[*operand].shape().into(),
            other => {
                let of_operands: SmallVec<[&[usize]; 3]> = other
                    .operands()
                    .iter()
                    .map(|&operand| shapes[operand].as_slice())
                    .collect();
                broadcast_shapes(other.name(), &of_operands).map_err(FusionError::at(position))?
            }
        };
        shapes.push(shape);
    }
    Ok(shapes.pop().expect("an expression has a node"))
}

/// Refuses an output that the result does not fit.
fn check_output(fusion: &Fusion, shape: &[usize], result: DType, out: &Array) -> Result<(), Error> {
    let operation = fusion.nodes[fusion.last()].name();
    check_output_shape(operation, shape, out)?;
    let casting = Casting::default();
    if casting.allows(result, out.dtype()) {
        return Ok(());
    }
    Err(Error::OutputDType {
        operation,
        result,
        out: out.dtype(),
        casting,
    })
}
