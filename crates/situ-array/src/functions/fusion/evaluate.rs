//! Evaluating expressions: from operands to a launched kernel.

use std::sync::Arc;

use situ_ir::DType;
use situ_runtime::Queue;
use smallvec::SmallVec;

use super::plan::Plan;
use super::{Fusion, FusionError, OperandType};
use crate::array::Array;
use crate::broadcast::broadcast_shapes;
use crate::casting::Casting;
use crate::error::Error;
use crate::functions::apply::{
    Input, Mapped, Operand, check_output_shape, host_array_placed, launch, separated,
};
use crate::functions::call_dtypes::Available;
use crate::functions::statistical::{self, Extreme, Nan, Over, Truth};
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
    let plan = Plan::new(fusion, &types, Available::On(placement.queue.device()))?;
    let out = match out {
        Some(out) => {
            check_output(fusion, &shape, plan.dtype(), out)
                .map_err(FusionError::at(fusion.last()))?;
            out.clone()
        }
        None => Array::empty(&shape, plan.dtype(), &placement.queue, placement.usm_kind)?,
    };
    let mut inputs: SmallVec<[Input; 4]> = SmallVec::new();
    for &operand in &fusion.live_operands {
        match &operands[operand] {
            Operand::Array(array) => inputs.push(Input::Array(separated(array, &out)?)),
            Operand::Literal(literal) => inputs.push(Input::Scalar(*literal)),
            Operand::Scalar(_) => {}
            Operand::HostArray => return Err(host_array_placed().into()),
        }
    }
    inputs.extend(plan.scalars.iter().map(|&literal| Input::Scalar(literal)));
    // Each node converts what it uses, so operands come as they are.
    let compute = inputs.iter().map(Input::dtype).collect();
    launch(
        Mapped::Fusion(fusion),
        &placement.queue,
        &out,
        &inputs,
        (compute, false),
        &|f, x| plan.write(f, x),
    )?;
    Ok(out)
}

/// What an expression is reduced with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reducer {
    /// The sum.
    Sum,
    /// The product.
    Prod,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Whether one is not zero.
    Any,
    /// Whether all are not zero.
    All,
    /// The arithmetic mean.
    Mean,
}

/// Reduces what an expression gives. `dtype` is for sums, products and means, as theirs; other
/// reducers do not look at it.
///
/// # Errors
/// Those of [`evaluate`], and those of the reduction, which have no node.
///
/// # Panics
/// If there are fewer operands than the nodes refer to.
pub fn reduce(
    fusion: &Arc<Fusion>,
    operands: &[Operand],
    reducer: Reducer,
    over: Over<'_>,
    dtype: Option<DType>,
) -> Result<Array, FusionError> {
    let elements = evaluate(fusion, operands, None, over.queue)?;
    let reduced = match reducer {
        Reducer::Sum => statistical::sum(&elements, dtype, Nan::Counts, over),
        Reducer::Prod => statistical::prod(&elements, dtype, Nan::Counts, over),
        Reducer::Min => statistical::extreme(&elements, Extreme::Min, Nan::Counts, over),
        Reducer::Max => statistical::extreme(&elements, Extreme::Max, Nan::Counts, over),
        Reducer::Any => statistical::truth(&elements, Truth::Any, over),
        Reducer::All => statistical::truth(&elements, Truth::All, over),
        Reducer::Mean => statistical::mean(&elements, dtype, Nan::Counts, over),
    };
    Ok(reduced?)
}

/// Where the expression is evaluated, and what kind of memory a new result has.
fn place(
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
fn shape(fusion: &Fusion, operands: &[Operand]) -> Result<Shape, FusionError> {
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
            super::Node::Input(operand) => operands[*operand].shape().into(),
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
