//! Rolling: elements that leave at one end come in at the other.

use situ_runtime::Queue;
use smallvec::SmallVec;

use super::views::{normalized_axes, reshape};
use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::index::IndexItem;
use crate::placement::{Operation, Placer};

/// Moves elements along axes, by as many places as are named for each; without axes along the flat
/// array.
///
/// # Errors
/// If there are not as many shifts as axes, or an axis does not exist, or there is no memory, or a
/// launch fails.
pub fn roll(
    array: &Array,
    shifts: &[i64],
    axes: Option<&[i64]>,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("roll"),
        explicit: queue,
    };
    let array = placer.place_one("x", array)?;
    let Some(axes) = axes else {
        let flat = reshape(&array, &[array.size()])?;
        let total = shifts
            .iter()
            .fold(0_i64, |sum, shift| sum.wrapping_add(*shift));
        return reshape(&rolled(&flat, &[(0, total)])?, array.shape());
    };
    // One shift serves several axes, and one axis may take several shifts.
    let (shifts, axes) = match (shifts, axes) {
        ([shift], axes) => (vec![*shift; axes.len()], axes.to_vec()),
        (shifts, [axis]) => (shifts.to_vec(), vec![*axis; shifts.len()]),
        (shifts, axes) if shifts.len() == axes.len() => (shifts.to_vec(), axes.to_vec()),
        _ => {
            return Err(Error::RollCount {
                shifts: shifts.len(),
                axes: axes.len(),
            });
        }
    };
    let ndim = array.shape().len();
    let mut moves: SmallVec<[(usize, i64); 4]> = SmallVec::new();
    for (axis, shift) in axes.iter().zip(shifts) {
        let axis = normalized_axes(&[*axis], ndim)?[0];
        match moves.iter_mut().find(|(known, _)| *known == axis) {
            Some((_, total)) => *total = total.wrapping_add(shift),
            None => moves.push((axis, shift)),
        }
    }
    rolled(&array, &moves)
}

/// A new array with each axis moved: along each, two pieces change places.
fn rolled(array: &Array, moves: &[(usize, i64)]) -> Result<Array, Error> {
    let result = Array::empty(
        array.shape(),
        array.dtype(),
        array.queue(),
        array.usm_kind(),
    )?;
    if array.layout().is_empty() {
        return Ok(result);
    }
    let whole: SmallVec<[IndexItem; 4]> = SmallVec::from_elem(IndexItem::ALL, array.shape().len());
    let mut pieces = vec![(whole.clone(), whole)];
    for &(axis, shift) in moves {
        let size = array.shape()[axis] as i64;
        let shift = shift.rem_euclid(size);
        let slice = |start, stop| IndexItem::Slice {
            start: Some(start),
            stop: Some(stop),
            step: None,
        };
        let halves = [
            (slice(0, size - shift), slice(shift, size)),
            (slice(size - shift, size), slice(0, shift)),
        ];
        let cut = |(from, to): &(SmallVec<[IndexItem; 4]>, SmallVec<[IndexItem; 4]>)| {
            halves.map(|(source, target)| {
                let (mut from, mut to) = (from.clone(), to.clone());
                (from[axis], to[axis]) = (source, target);
                (from, to)
            })
        };
        pieces = pieces.iter().flat_map(cut).collect();
    }
    for (from, to) in pieces {
        let source = Input::Array(array.view(&from)?);
        copy_into(&result.view(&to)?, &source)?;
    }
    Ok(result)
}
