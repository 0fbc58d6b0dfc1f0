//! Changing shapes: views where the memory allows it, copies otherwise.

use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::contiguous_copy;

/// The same elements under another shape; a view if no element has to move.
///
/// # Errors
/// If the number of elements differs, or copying fails.
pub fn reshape(array: &Array, shape: &[usize]) -> Result<Array, Error> {
    let counted = shape
        .iter()
        .try_fold(1_usize, |product, &size| product.checked_mul(size));
    if counted != Some(array.size()) {
        return Err(Error::ReshapeSize {
            size: array.size(),
            target: shape.to_vec(),
        });
    }
    if let Some(layout) = array.layout().reshaped(shape) {
        return Ok(array.with_layout(layout));
    }
    let copy = contiguous_copy(array)?;
    let layout = copy
        .layout()
        .reshaped(shape)
        .ok_or_else(|| Error::Internal {
            invariant: "a contiguous array can be reshaped".to_owned(),
        })?;
    Ok(copy.with_layout(layout))
}

/// The same elements with dimensions in another order.
///
/// # Errors
/// If `axes` does not name every dimension once.
pub fn permute(array: &Array, axes: &[i64]) -> Result<Array, Error> {
    let axes = normalized_axes(axes, array.shape().len())?;
    if axes.len() != array.shape().len() {
        return Err(Error::AxesCount {
            given: axes.len(),
            ndim: array.shape().len(),
        });
    }
    Ok(array.with_layout(array.layout().permuted(&axes)))
}

/// Axes counted from the start, each at most once.
///
/// # Errors
/// If an axis does not exist or is named twice.
pub fn normalized_axes(axes: &[i64], ndim: usize) -> Result<SmallVec<[usize; 4]>, Error> {
    let mut result: SmallVec<[usize; 4]> = SmallVec::new();
    for &axis in axes {
        let position = if axis < 0 { axis + ndim as i64 } else { axis };
        if position < 0 || position >= ndim as i64 {
            return Err(Error::AxisOutOfBounds { axis, ndim });
        }
        let position = position as usize;
        if result.contains(&position) {
            return Err(Error::RepeatedAxis { axis: position });
        }
        result.push(position);
    }
    Ok(result)
}
