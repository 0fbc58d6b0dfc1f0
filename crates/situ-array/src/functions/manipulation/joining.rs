//! Several arrays, or several copies of one, in one new array.

use situ_ir::DType;
use situ_ir::promotion::promote_all;
use situ_runtime::Queue;
use smallvec::SmallVec;

use super::views::{broadcast_to, expand_dims, normalized_axes};
use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, contiguous_copy, copy_into};
use crate::functions::creation::astype;
use crate::functions::indexing::take;
use crate::functions::manipulation::reshape;
use crate::functions::scanning::{self, Along, Cumulative};
use crate::functions::sorted_search::segments;
use crate::functions::statistical::{self, Extreme, Nan, Over};
use crate::index::IndexItem;
use crate::layout::Shape;
use crate::placement::{Operation, Participant, Placement, Placer};

/// The arrays one after the other along an axis they have, or flat if no axis is named.
///
/// # Errors
/// If there is no array, or they live in different places, or their shapes differ elsewhere than along
/// the axis, or the axis does not exist, or there is no memory, or a launch fails.
pub fn concat(arrays: &[Array], axis: Option<i64>, queue: Option<&Queue>) -> Result<Array, Error> {
    let placement = placed("concat", arrays, queue)?;
    let flat: Vec<Array>;
    let (arrays, axis) = if let Some(axis) = axis {
        (arrays, axis)
    } else {
        let rows = arrays.iter().map(|array| reshape(array, &[array.size()]));
        flat = rows.collect::<Result<_, _>>()?;
        (flat.as_slice(), 0)
    };
    let first = &arrays[0];
    let axis = normalized_axes(&[axis], first.shape().len())?[0];
    let fits = |array: &Array| {
        let same = array.shape().len() == first.shape().len();
        same && (array.shape().iter().zip(first.shape()).enumerate())
            .all(|(position, (one, other))| position == axis || one == other)
    };
    if !arrays.iter().all(fits) {
        return Err(Error::ConcatShapes {
            axis,
            shapes: arrays.iter().map(|one| one.shape().to_vec()).collect(),
        });
    }
    let mut shape = Shape::from(first.shape());
    shape[axis] = arrays.iter().map(|array| array.shape()[axis]).sum();
    let dtype = promote_all(arrays.iter().map(Array::dtype));
    let dtype = dtype.unwrap_or(first.dtype());
    let result = Array::empty(&shape, dtype, &placement.queue, placement.usm_kind)?;
    let mut start = 0;
    for array in arrays {
        let end = start + array.shape()[axis] as i64;
        let mut index: SmallVec<[IndexItem; 4]> = SmallVec::from_elem(IndexItem::ALL, axis);
        index.push(IndexItem::Slice {
            start: Some(start),
            stop: Some(end),
            step: None,
        });
        copy_into(&result.view(&index)?, &Input::Array(array.clone()))?;
        start = end;
    }
    Ok(result)
}

/// The arrays one after the other along a new axis.
///
/// # Errors
/// As [`concat()`].
pub fn stack(arrays: &[Array], axis: i64, queue: Option<&Queue>) -> Result<Array, Error> {
    placed("stack", arrays, queue)?;
    let first = &arrays[0];
    if arrays.iter().any(|array| array.shape() != first.shape()) {
        return Err(Error::StackShapes {
            shapes: arrays.iter().map(|one| one.shape().to_vec()).collect(),
        });
    }
    let thick = arrays.iter().map(|array| expand_dims(array, &[axis]));
    let thick = thick.collect::<Result<Vec<_>, _>>()?;
    concat(&thick, Some(axis), queue)
}

/// Each element several times, along an axis or in a flat array.
///
/// # Errors
/// If the axis does not exist, or there is no memory, or a launch fails.
pub fn repeat(
    array: &Array,
    count: usize,
    axis: Option<i64>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("repeat"),
        explicit: queue,
    };
    let mut array = placer.place_one("x", array)?;
    let axis = if let Some(axis) = axis {
        normalized_axes(&[axis], array.shape().len())?[0]
    } else {
        array = reshape(&array, &[array.size()])?;
        0
    };
    let mut between = Shape::from(array.shape());
    between.insert(axis + 1, count);
    let mut shape = Shape::from(array.shape());
    shape[axis] = multiplied(shape[axis], count, &between)?;
    let source = expand_dims(&array, &[axis as i64 + 1])?;
    copied_into_shape(&source, &between, &shape)
}

/// Each element as often as an array says, along an axis or in a flat array.
///
/// How many there are must be known before the result can be made, so this waits for the counts.
///
/// # Errors
/// If the arrays live in different places, or counts are not integers, or are negative, or are neither one nor as many
/// as elements, or the axis does not exist, or there is no memory, or a launch fails.
pub fn repeat_each(
    array: &Array,
    counts: &Array,
    axis: Option<i64>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("repeat"),
        explicit: queue,
    };
    let arguments = [
        ("x", Participant::Array(array)),
        ("repeats", Participant::Array(counts)),
    ];
    placer.place(arguments.into_iter())?;
    let on_queue = |array: &Array| match queue {
        Some(queue) => array.with_queue(queue),
        None => array.clone(),
    };
    let (mut array, counts) = (on_queue(array), on_queue(counts));
    let axis = if let Some(axis) = axis {
        normalized_axes(&[axis], array.shape().len())?[0]
    } else {
        array = reshape(&array, &[array.size()])?;
        0
    };
    let is_count = counts.dtype().is_integer() || counts.dtype().is_bool();
    if !is_count || counts.dtype() == DType::U64 {
        return Err(Error::DTypeNotSupported {
            operation: "repeat",
            dtypes: vec![counts.dtype()],
            help: "counts are integers; convert them, e.g. `repeats.astype(\"int64\")`",
        });
    }
    let size = array.shape()[axis];
    let counts = astype(&counts, DType::I64)?;
    let counts = match *counts.shape() {
        [] | [1] => broadcast_to(&counts, &[size])?,
        [count] if count == size => counts,
        _ => {
            return Err(Error::RepeatCounts {
                counts: counts.shape().to_vec(),
                axis,
                size,
            });
        }
    };
    if size == 0 {
        return contiguous_copy(&array);
    }
    let smallest = statistical::extreme(&counts, Extreme::Min, Nan::Counts, Over::default())?;
    let smallest = read_integer(&smallest)?;
    if smallest < 0 {
        return Err(Error::NegativeCount { count: smallest });
    }
    let ends = scanning::accumulate(&counts, Cumulative::Sum, Along::default())?;
    let last = ends.view(&[IndexItem::Integer(-1)])?;
    let total = read_integer(&last)? as usize;
    take(&array, &segments(&ends, total)?, Some(axis as i64), None)
}

/// The only element of an array of `int64`.
fn read_integer(array: &Array) -> Result<i64, Error> {
    let mut bytes = [0; size_of::<i64>()];
    array.read_bytes(&mut bytes)?;
    Ok(i64::from_le_bytes(bytes))
}

/// The whole array several times along each axis.
///
/// # Errors
/// If the result has too many elements, or there is no memory, or a launch fails.
pub fn tile(array: &Array, counts: &[usize], queue: Option<&Queue>) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("tile"),
        explicit: queue,
    };
    let array = placer.place_one("x", array)?;
    let ndim = array.shape().len().max(counts.len());
    let padded = |given: &[usize]| -> Shape {
        let missing = ndim - given.len();
        std::iter::repeat_n(1, missing)
            .chain(given.iter().copied())
            .collect()
    };
    let (own, counts) = (padded(array.shape()), padded(counts));
    // Each axis becomes two: how often, and what.
    let between: Shape = counts
        .iter()
        .zip(&own)
        .flat_map(|(&count, &size)| [count, size])
        .collect();
    let shape = counts
        .iter()
        .zip(&own)
        .map(|(&count, &size)| multiplied(count, size, &between))
        .collect::<Result<Shape, Error>>()?;
    let source = reshape(&array, &own)?;
    let new_axes: Vec<i64> = (0..ndim as i64).map(|axis| 2 * axis).collect();
    let source = expand_dims(&source, &new_axes)?;
    copied_into_shape(&source, &between, &shape)
}

/// A new array of a shape, whose elements are those of another one broadcast to a shape of as many
/// elements.
fn copied_into_shape(source: &Array, between: &[usize], shape: &[usize]) -> Result<Array, Error> {
    let result = Array::empty(shape, source.dtype(), source.queue(), source.usm_kind())?;
    let layout = result.layout().reshaped(between);
    let layout = layout.ok_or_else(|| Error::Internal {
        invariant: "a new array can be reshaped".to_owned(),
    })?;
    copy_into(&result.with_layout(layout), &Input::Array(source.clone()))?;
    Ok(result)
}

fn multiplied(size: usize, count: usize, shape: &[usize]) -> Result<usize, Error> {
    size.checked_mul(count)
        .ok_or_else(|| Error::TooManyElements {
            shape: shape.to_vec(),
        })
}

/// Where the result of joining arrays goes.
fn placed(
    operation: &'static str,
    arrays: &[Array],
    queue: Option<&Queue>,
) -> Result<Placement, Error> {
    let placer = Placer {
        operation: Operation::Function(operation),
        explicit: queue,
    };
    let names: Vec<String> = (0..arrays.len())
        .map(|position| format!("arrays[{position}]"))
        .collect();
    let arrays = arrays.iter().map(Participant::Array);
    let placement = placer.place(names.iter().map(String::as_str).zip(arrays))?;
    placement.ok_or(Error::NoArray { operation })
}
