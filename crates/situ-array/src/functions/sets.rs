//! Distinct elements.
//!
//! Elements are sorted, those that differ from the one before are marked, and the marks are all that the other
//! answers need: where they are is where distinct elements first stand, how far they are apart says how often, and
//! their running sum is the number of the distinct element.

use situ_ir::{DType, Literal};
use situ_runtime::Queue;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{self, Input, Operand, copy_into};
use crate::functions::elementwise;
use crate::functions::indexing::{nonzero, scatter, take};
use crate::functions::manipulation::{concat, reshape};
use crate::functions::scanning::{self, Along, Cumulative};
use crate::functions::sorting::{self, Direction, SortAlong};
use crate::index::IndexItem;
use crate::placement::{Operation, Placer};

/// Whether NaNs are one element or many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanSet {
    /// Every NaN is an element of its own, as the array API standard has it.
    Distinct,
    /// All NaNs are one element, as NumPy has it by default.
    Equal,
}

/// What is asked about distinct elements beside their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AboutDistinct {
    /// Whether NaNs are one element or many.
    pub nan: NanSet,
    /// Where they first stand.
    pub indices: bool,
    /// Which one each element of the array is.
    pub inverse: bool,
    /// How often they are there.
    pub counts: bool,
}

/// Distinct elements.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The elements, in ascending order.
    pub values: Array,
    /// Where each first stands in the flat array.
    pub indices: Option<Array>,
    /// Which one each element of the array is, in the shape of the array.
    pub inverse: Option<Array>,
    /// How often each is there.
    pub counts: Option<Array>,
}

/// The distinct elements of an array.
///
/// How many there are must be known before the result can be made, so this waits for the array.
///
/// # Errors
/// If the queue cannot reach the array, or there is no memory, or a launch fails.
pub fn unique(
    array: &Array,
    about: AboutDistinct,
    queue: Option<&Queue>,
) -> Result<Distinct, Error> {
    let placer = Placer {
        operation: Operation::Function("unique"),
        explicit: queue,
    };
    let array = placer.place_one("x", array)?;
    let flat = reshape(&array, &[array.size()])?;
    if flat.size() == 0 {
        return nothing(&array, about);
    }
    let (sorted, order) = if about.indices || about.inverse {
        let (sorted, order) = sorting::sort_with_positions(&flat)?;
        (sorted, Some(order))
    } else {
        let along = SortAlong {
            axis: None,
            direction: Direction::Ascending,
            queue: None,
        };
        (sorting::sort(&flat, along)?, None)
    };
    let is_first = marks(&sorted, about.nan)?;
    let starts = nonzero(&is_first)?.swap_remove(0);
    let chosen = |from: &Array| take(from, &starts, None, None);
    let indices = match &order {
        Some(order) if about.indices => Some(chosen(order)?),
        _ => None,
    };
    let inverse = match &order {
        Some(order) if about.inverse => Some(inverse(&is_first, order, array.shape())?),
        _ => None,
    };
    let counts = about.counts.then(|| lengths(&starts, flat.size()));
    Ok(Distinct {
        values: chosen(&sorted)?,
        indices,
        inverse,
        counts: counts.transpose()?,
    })
}

/// What there is to say about an array without elements.
fn nothing(array: &Array, about: AboutDistinct) -> Result<Distinct, Error> {
    let empty =
        |shape: &[usize], dtype| Array::empty(shape, dtype, array.queue(), array.usm_kind());
    let positions =
        |is_wanted: bool, shape| is_wanted.then(|| empty(shape, DType::I64)).transpose();
    Ok(Distinct {
        values: empty(&[0], array.dtype())?,
        indices: positions(about.indices, &[0])?,
        inverse: positions(about.inverse, array.shape())?,
        counts: positions(about.counts, &[0])?,
    })
}

/// Which elements differ from the one before them; the first one does.
fn marks(sorted: &Array, nan: NanSet) -> Result<Array, Error> {
    let (queue, usm_kind) = (sorted.queue(), sorted.usm_kind());
    let marks = Array::empty(sorted.shape(), DType::Bool, queue, usm_kind)?;
    copy_into(
        &part(&marks, None, Some(1))?,
        &Input::Scalar(Literal::Bool(true)),
    )?;
    let others = part(&marks, Some(1), None)?;
    let before = part(sorted, None, Some(-1))?;
    let after = part(sorted, Some(1), None)?;
    elementwise_into("not_equal", &[before.clone(), after], &others)?;
    let has_nan = sorted.dtype().is_float() || sorted.dtype().is_complex();
    if nan == NanSet::Equal && has_nan {
        // They come last, so what follows one is another, and was marked.
        let is_nan = Array::empty(before.shape(), DType::Bool, queue, usm_kind)?;
        elementwise_into("isnan", &[before], &is_nan)?;
        elementwise_into("logical_xor", &[others.clone(), is_nan], &others)?;
    }
    Ok(marks)
}

/// Which distinct element each element of the array is.
fn inverse(is_first: &Array, order: &Array, shape: &[usize]) -> Result<Array, Error> {
    let along = Along {
        axis: Some(0),
        dtype: Some(DType::I64),
        ..Along::default()
    };
    let numbers = scanning::accumulate(is_first, Cumulative::Sum, along)?;
    minus(&numbers, Operand::Literal(Literal::I64(1)))?;
    let (queue, usm_kind) = (order.queue(), order.usm_kind());
    let inverse = Array::empty(order.shape(), DType::I64, queue, usm_kind)?;
    scatter(&inverse, order, &numbers)?;
    reshape(&inverse, shape)
}

/// How far positions are from the next one, and the last from the end.
fn lengths(starts: &Array, end: usize) -> Result<Array, Error> {
    let end = Literal::I64(end as i64);
    let end = super::creation::full(&[1], end, starts.queue(), starts.usm_kind())?;
    let ends = concat(&[part(starts, Some(1), None)?, end], Some(0), None)?;
    minus(&ends, Operand::Array(starts.clone()))?;
    Ok(ends)
}

/// Subtracts from all elements of an array that nobody else has.
fn minus(array: &Array, what: Operand) -> Result<(), Error> {
    let operands = [Operand::Array(array.clone()), what];
    apply::apply(function("subtract")?, &operands, Some(array), None).map(|_| ())
}

fn elementwise_into(name: &'static str, operands: &[Array], out: &Array) -> Result<(), Error> {
    let operands: Vec<Operand> = operands.iter().cloned().map(Operand::Array).collect();
    apply::apply(function(name)?, &operands, Some(out), None).map(|_| ())
}

fn function(name: &'static str) -> Result<&'static elementwise::Elementwise, Error> {
    elementwise::find(name).ok_or_else(|| Error::Internal {
        invariant: format!("there is a function `{name}`"),
    })
}

fn part(array: &Array, start: Option<i64>, stop: Option<i64>) -> Result<Array, Error> {
    array.view(&[IndexItem::Slice {
        start,
        stop,
        step: None,
    }])
}
