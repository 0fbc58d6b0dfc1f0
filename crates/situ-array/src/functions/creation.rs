//! Making arrays: from host bytes, from constants, from other arrays.

use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{BorrowedArgument, Queue, UsmKind};

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, contiguous_copy, copy_into};
use crate::functions::manipulation::diagonal;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::iota::{self, IotaShape};

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

/// Numbers at even distances: `start + i * step` for each position. They are computed in the dtype of
/// the two constants, which is one, and converted.
///
/// # Errors
/// If there is no memory or the launch fails.
pub fn iota(
    count: usize,
    (start, step): (Literal, Literal),
    dtype: DType,
    queue: &Queue,
    usm_kind: UsmKind,
) -> Result<Array, Error> {
    let array = Array::empty(&[count], dtype, queue, usm_kind)?;
    if count == 0 {
        return Ok(array);
    }
    let shape = IotaShape {
        compute: start.dtype(),
        output: dtype,
    };
    let key = KernelKey::Iota(shape);
    let kernel = kernel_cache::kernel(queue.device(), key, |_| iota::module("iota", shape))?;
    let range = NdRange::new(&[count as u64]).map_err(situ_runtime::Error::from)?;
    let arguments = [
        array.borrowed_argument(),
        BorrowedArgument::Scalar(start),
        BorrowedArgument::Scalar(step),
    ];
    queue.run(&kernel, &range, &arguments)?;
    Ok(array)
}

/// Matrices of zeros with ones on the diagonal, `offset` places right of the main one.
///
/// # Errors
/// If there is no memory or a launch fails.
pub fn eye(
    shape: [usize; 2],
    offset: i64,
    dtype: DType,
    queue: &Queue,
    usm_kind: UsmKind,
) -> Result<Array, Error> {
    let matrix = full(&shape, Literal::zero(dtype), queue, usm_kind)?;
    let ones = Input::Scalar(Literal::one(dtype));
    copy_into(&diagonal(&matrix, offset)?, &ones)?;
    Ok(matrix)
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
