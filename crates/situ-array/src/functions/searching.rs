//! Where elements are.

use situ_ir::DType;

use crate::array::Array;
use crate::error::Error;
use crate::functions::creation::as_contiguous;
use crate::functions::manipulation::reshape;
use crate::functions::statistical::{Extreme, Over, check_ordered};
use crate::placement::{Operation, Placer};
use crate::reduction::ReducedAxes;

/// The first position of the smallest or largest element along an axis, or among all elements in
/// row-major order. NaN is both.
///
/// # Errors
/// If the queue cannot reach the array, or the axis does not exist or is empty, or elements are complex, or
/// there is no memory, or a launch fails.
pub fn arg_extreme(array: &Array, extreme: Extreme, over: Over<'_>) -> Result<Array, Error> {
    let name = extreme.arg_name();
    let placer = Placer {
        operation: Operation::Function(name),
        explicit: over.queue,
    };
    let array = placer.place_one("x", array)?;
    let dtype = array.dtype();
    check_ordered(name, dtype)?;
    let axes = ReducedAxes::new(array.shape(), over.axes, over.keepdims)?;
    axes.check_not_empty(name, array.shape())?;
    if axes.is_empty() {
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let nothing = Array::empty(&[0], DType::I64, queue, usm_kind)?;
        return axes.shaped(&nothing);
    }
    let reduction = extreme.reduction(dtype);
    if over.axes.is_some() {
        return axes.shaped(&reduction.locate(&array, &axes)?);
    }
    // Positions count in row-major order, which is the order of memory only if it is contiguous.
    let flat = as_contiguous(&array)?;
    let flat = reshape(&flat, &[flat.size()])?;
    let along = ReducedAxes::new(flat.shape(), None, false)?;
    axes.shaped(&reduction.locate(&flat, &along)?)
}
