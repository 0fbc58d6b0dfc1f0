//! Reducing what an expression gives, without writing it to memory first.

use std::sync::Arc;

use situ_ir::{BinaryOperator, DType};
use situ_runtime::device::DeviceType;
use situ_runtime::{Device, Queue, UsmKind};
use smallvec::SmallVec;

use super::evaluate::{check_powers, evaluate, inputs, place, shape};
use super::plan::Plan;
use super::{Fusion, FusionError, OperandType, TypedFusion};
use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, Operand};
use crate::functions::statistical::{
    self, Extreme, Nan, Over, Truth, averaged, check_ordered, combination, has_nan, mean_of,
    result_dtype,
};
use crate::reduction::{MappedElements, ReducedAxes, Reduction, accumulator};

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

impl Reducer {
    /// The reduction of elements of a dtype with a shape; `None` if their conversion is a step of its own.
    fn reduction(
        self,
        elements: DType,
        asked: Option<DType>,
        (shape, axes): (&[usize], &ReducedAxes),
        device: &Device,
    ) -> Result<Option<Reduction<'static>>, Error> {
        let reduction = match self {
            Self::Sum => combination(BinaryOperator::Add, elements, asked, device)?,
            Self::Prod => combination(BinaryOperator::Multiply, elements, asked, device)?,
            Self::Min => extreme(Extreme::Min, elements, shape, axes)?,
            Self::Max => extreme(Extreme::Max, elements, shape, axes)?,
            Self::Any => Truth::Any.reduction().of_made_elements(),
            Self::All => Truth::All.reduction().of_made_elements(),
            Self::Mean => {
                let dtype = result_dtype(asked, averaged(elements), device)?;
                if !has_nan(dtype) {
                    return Ok(None);
                }
                mean_of(accumulator(dtype, device), dtype, axes.count)
            }
        };
        Ok(Some(reduction))
    }
}

fn extreme(
    extreme: Extreme,
    elements: DType,
    shape: &[usize],
    axes: &ReducedAxes,
) -> Result<Reduction<'static>, Error> {
    check_ordered(extreme.name(), elements)?;
    axes.check_not_empty(extreme.name(), shape)?;
    Ok(extreme.reduction(elements))
}

/// How many places the operands of one pass may be at. More need more registers than there are.
const MAX_PLACES: usize = 4;

/// Reduces what an expression gives, in one pass over its operands. `dtype` is for sums, products and means, as
/// theirs; other reducers do not look at it.
///
/// Operands may lie in any way, but where they lie in more than four different ways, or there is no array among
/// them at all, the expression is evaluated first.
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
    let placement = place(fusion, operands, None, over.queue)?;
    let shape = shape(fusion, operands)?;
    let types: SmallVec<[OperandType; 4]> = operands.iter().map(Operand::ty).collect();
    let device = placement.queue.device();
    let plan = Plan::on_device(fusion, &types, device)?;
    check_powers(fusion, &plan, operands, &placement.queue)?;
    let axes = ReducedAxes::new(&shape, over.axes, over.keepdims)?;
    let reduction = reducer.reduction(plan.dtype(), dtype, (&shape, &axes), device)?;
    let inputs = inputs(fusion, &plan, operands, |array| Ok(array.clone()))?;
    let places = count_places(&inputs, &shape);
    match reduction {
        Some(reduction) if (1..=MAX_PLACES).contains(&places) => {
            let elements = MappedElements {
                fusion: &TypedFusion::new(fusion, &types),
                body: &|f, x| plan.write(fusion, f, x),
                dtype: plan.dtype(),
                inputs: &inputs,
                shape: &shape,
                // Private memory is cheap on processors alone.
                is_buffered: fusion.is_long && device.device_type() == DeviceType::Cpu,
                queue: &placement.queue,
                usm_kind: placement.usm_kind,
            };
            Ok(axes.shaped(&reduction.run_mapped(&elements, &axes)?)?)
        }
        _ => {
            let elements = evaluate(fusion, operands, None, over.queue)?;
            Ok(reduce_array(&elements, reducer, over, dtype)?)
        }
    }
}

/// Reduces what an expression gives, in one pass over its operands, which lie as the result would.
pub(crate) fn reduce_elements(
    fusion: &Arc<Fusion>,
    operands: &[Operand],
    reduction: Reduction<'_>,
    axes: &ReducedAxes,
    (queue, usm_kind): (&Queue, UsmKind),
) -> Result<Array, FusionError> {
    let shape = shape(fusion, operands)?;
    let types: SmallVec<[OperandType; 4]> = operands.iter().map(Operand::ty).collect();
    let plan = Plan::on_device(fusion, &types, queue.device())?;
    let elements = MappedElements {
        fusion: &TypedFusion::new(fusion, &types),
        body: &|f, x| plan.write(fusion, f, x),
        dtype: plan.dtype(),
        inputs: &inputs(fusion, &plan, operands, |array| Ok(array.clone()))?,
        shape: &shape,
        is_buffered: false,
        queue,
        usm_kind,
    };
    Ok(reduction.run_mapped(&elements, axes)?)
}

/// In how many ways the inputs lie in memory.
fn count_places(inputs: &[Input], shape: &[usize]) -> usize {
    let mut places: SmallVec<[_; 4]> = SmallVec::new();
    for input in inputs {
        if let Input::Array(array) = input {
            let layout = array.layout().broadcast_to(shape);
            let strides = SmallVec::<[isize; 4]>::from(layout.strides());
            if !places.contains(&strides) {
                places.push(strides);
            }
        }
    }
    places.len()
}

/// Reduces elements that are in memory.
pub(super) fn reduce_array(
    array: &Array,
    reducer: Reducer,
    over: Over<'_>,
    dtype: Option<DType>,
) -> Result<Array, Error> {
    let nan = Nan::Counts;
    match reducer {
        Reducer::Sum => statistical::sum(array, dtype, nan, over),
        Reducer::Prod => statistical::prod(array, dtype, nan, over),
        Reducer::Min => statistical::extreme(array, Extreme::Min, nan, over),
        Reducer::Max => statistical::extreme(array, Extreme::Max, nan, over),
        Reducer::Any => statistical::truth(array, Truth::Any, over),
        Reducer::All => statistical::truth(array, Truth::All, over),
        Reducer::Mean => statistical::mean(array, dtype, nan, over),
    }
}
