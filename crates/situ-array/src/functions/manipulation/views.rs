//! The same elements in another shape; only `reshape` may have to copy.

use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::contiguous_copy;
use crate::index::IndexItem;
use crate::layout::{Layout, Shape, Strides, check_ndim};

/// The same elements under another shape; a view if no element has to move.
///
/// # Errors
/// If the number of elements differs, or copying fails.
pub fn reshape(array: &Array, shape: &[usize]) -> Result<Array, Error> {
    check_ndim(shape.len())?;
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

/// The elements seen through a larger shape, repeated along new and stretched dimensions.
///
/// # Errors
/// If the shape does not broadcast to it.
pub fn broadcast_to(array: &Array, shape: &[usize]) -> Result<Array, Error> {
    check_ndim(shape.len())?;
    let own = array.shape();
    let fits = own.len() <= shape.len()
        && own
            .iter()
            .rev()
            .zip(shape.iter().rev())
            .all(|(&size, &target)| size == target || size == 1);
    if !fits {
        return Err(Error::BroadcastTo {
            shape: own.to_vec(),
            target: shape.to_vec(),
        });
    }
    Ok(array.with_layout(array.layout().broadcast_to(shape)))
}

/// New dimensions of size one, at these positions of the result.
///
/// # Errors
/// If a position does not exist or is named twice.
pub fn expand_dims(array: &Array, axes: &[i64]) -> Result<Array, Error> {
    let layout = array.layout();
    check_ndim(layout.ndim() + axes.len())?;
    let axes = normalized_axes(axes, layout.ndim() + axes.len())?;
    let mut own = layout.shape().iter().zip(layout.strides());
    let (mut shape, mut strides) = (Shape::new(), Strides::new());
    for axis in 0..layout.ndim() + axes.len() {
        let (size, stride) = if axes.contains(&axis) {
            (1, 0)
        } else {
            own.next().map_or((1, 0), |(&size, &stride)| (size, stride))
        };
        shape.push(size);
        strides.push(stride);
    }
    Ok(array.with_layout(Layout::from_parts(&shape, &strides, layout.offset())))
}

/// Without these dimensions, which must be of size one.
///
/// # Errors
/// If an axis does not exist, is named twice or has another size.
pub fn squeeze(array: &Array, axes: &[i64]) -> Result<Array, Error> {
    let layout = array.layout();
    let axes = normalized_axes(axes, layout.ndim())?;
    if let Some(&axis) = axes.iter().find(|&&axis| layout.shape()[axis] != 1) {
        return Err(Error::SqueezeSize {
            axis,
            size: layout.shape()[axis],
        });
    }
    let kept = (0..layout.ndim()).filter(|axis| !axes.contains(axis));
    let kept: SmallVec<[usize; 4]> = kept.collect();
    let shape: Shape = kept.iter().map(|&axis| layout.shape()[axis]).collect();
    let strides: Strides = kept.iter().map(|&axis| layout.strides()[axis]).collect();
    Ok(array.with_layout(Layout::from_parts(&shape, &strides, layout.offset())))
}

/// With these dimensions backwards, or all of them.
///
/// # Errors
/// If an axis does not exist or is named twice.
pub fn flip(array: &Array, axes: Option<&[i64]>) -> Result<Array, Error> {
    let ndim = array.shape().len();
    let axes = match axes {
        Some(axes) => normalized_axes(axes, ndim)?,
        None => (0..ndim).collect(),
    };
    let backwards = IndexItem::Slice {
        start: None,
        stop: None,
        step: Some(-1),
    };
    let item = |axis| {
        if axes.contains(&axis) {
            backwards
        } else {
            IndexItem::ALL
        }
    };
    let index: SmallVec<[IndexItem; 4]> = (0..ndim).map(item).collect();
    array.view(&index)
}

/// With some dimensions moved to other positions; the rest keep their order.
///
/// # Errors
/// If there are not as many destinations as sources, or an axis does not exist or is named twice.
pub fn move_axes(array: &Array, from: &[i64], to: &[i64]) -> Result<Array, Error> {
    let ndim = array.shape().len();
    if from.len() != to.len() {
        return Err(Error::MoveCount {
            from: from.len(),
            to: to.len(),
        });
    }
    let (from, to) = (normalized_axes(from, ndim)?, normalized_axes(to, ndim)?);
    let mut rest = (0..ndim).filter(|axis| !from.contains(axis));
    let order: SmallVec<[usize; 4]> = (0..ndim)
        .filter_map(
            |position| match to.iter().position(|&one| one == position) {
                Some(moved) => Some(from[moved]),
                None => rest.next(),
            },
        )
        .collect();
    Ok(array.with_layout(array.layout().permuted(&order)))
}

/// The arrays along an axis, without it.
///
/// # Errors
/// If the axis does not exist.
pub fn unstack(array: &Array, axis: i64) -> Result<Vec<Array>, Error> {
    let axis = normalized_axes(&[axis], array.shape().len())?[0];
    let mut index: SmallVec<[IndexItem; 4]> = SmallVec::from_elem(IndexItem::ALL, axis + 1);
    (0..array.shape()[axis])
        .map(|position| {
            index[axis] = IndexItem::Integer(position as i64);
            array.view(&index)
        })
        .collect()
}

/// The diagonals of the matrices in the last two dimensions, `offset` places right of the main one.
///
/// # Errors
/// If there are less than two dimensions.
pub fn diagonal(array: &Array, offset: i64) -> Result<Array, Error> {
    let layout = array.layout();
    let Some(batch) = layout.ndim().checked_sub(2) else {
        return Err(Error::TooFewDimensions {
            operation: "diagonal",
            ndim: layout.ndim(),
            needed: 2,
        });
    };
    let (rows, columns) = (layout.shape()[batch], layout.shape()[batch + 1]);
    let (down, right) = (layout.strides()[batch], layout.strides()[batch + 1]);
    let skip = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let (length, start) = if offset >= 0 {
        let length = rows.min(columns.saturating_sub(skip));
        (length, right * skip.min(columns) as isize)
    } else {
        let length = columns.min(rows.saturating_sub(skip));
        (length, down * skip.min(rows) as isize)
    };
    let mut shape = Shape::from(&layout.shape()[..batch]);
    let mut strides = Strides::from(&layout.strides()[..batch]);
    shape.push(length);
    strides.push(down + right);
    // An empty diagonal starts nowhere.
    let start = if length == 0 { 0 } else { start };
    let offset = layout.offset() as isize + start;
    Ok(array.with_layout(Layout::from_parts(&shape, &strides, offset as usize)))
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
