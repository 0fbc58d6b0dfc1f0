//! Making arrays: from host bytes, from constants, from other arrays.

use situ_ir::{DType, Literal};
use situ_runtime::{Queue, UsmKind};

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, contiguous_copy, copy_into};

/// An array filled with one constant, which decides the dtype.
///
/// # Errors
/// If there is no memory or the launch fails.
pub fn full(
    shape: &[usize],
    value: Literal,
    queue: &Queue,
    usm_kind: UsmKind,
) -> Result<Array, Error> {
    let array = Array::empty(shape, value.dtype(), queue, usm_kind)?;
    copy_into(&array, &Input::Scalar(value))?;
    Ok(array)
}

/// A new array with the elements converted to another dtype.
///
/// # Errors
/// If there is no memory or the launch fails.
pub fn astype(array: &Array, dtype: DType) -> Result<Array, Error> {
    let converted = Array::empty(array.shape(), dtype, array.queue(), array.usm_kind())?;
    copy_into(&converted, &Input::Array(array.clone()))?;
    Ok(converted)
}

/// The array if its elements are consecutive, else a copy that is.
///
/// # Errors
/// If there is no memory or the launch fails.
pub fn as_contiguous(array: &Array) -> Result<Array, Error> {
    if array.layout().is_contiguous() {
        Ok(array.clone())
    } else {
        contiguous_copy(array)
    }
}
