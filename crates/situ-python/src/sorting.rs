//! Sorting, searching in sorted elements, and sets, for Python.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_array::functions::apply::Operand;
use situ_array::functions::differences::{self, DifferenceAlong};
use situ_array::functions::sets::{self, AboutDistinct, NanSet};
use situ_array::functions::sorted_search::{self, Side};
use situ_array::functions::sorting::{self, Direction, SortAlong};

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::operand::ArrayArgument;
use crate::{operand, placement};

fn direction(descending: bool) -> Direction {
    if descending {
        Direction::Descending
    } else {
        Direction::Ascending
    }
}

/// The elements along an axis in order.
#[pyfunction]
#[pyo3(signature = (x, *, axis = None, descending = false, queue = None))]
pub(crate) fn sort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<i64>,
    descending: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let along = SortAlong {
            axis,
            direction: direction(descending),
            queue: queue.as_ref(),
        };
        let array = x.get().array();
        detach(py, || sorting::sort(array, along)).map(PyArray::new)
    })
}

/// The positions that put the elements along an axis in order.
#[pyfunction]
#[pyo3(signature = (x, *, axis = None, descending = false, queue = None))]
pub(crate) fn argsort(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<i64>,
    descending: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let along = SortAlong {
            axis,
            direction: direction(descending),
            queue: queue.as_ref(),
        };
        let array = x.get().array();
        detach(py, || sorting::argsort(array, along)).map(PyArray::new)
    })
}

/// Where numbers must go for a sorted row to stay sorted.
#[pyfunction]
#[pyo3(signature = (x1, x2, *, side, sorter = None, queue = None))]
pub(crate) fn searchsorted(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: &Bound<'_, PyAny>,
    side: &str,
    sorter: Option<ArrayArgument<'_>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let side = match side {
            "left" => Side::Left,
            "right" => Side::Right,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "`searchsorted` has no side `{side}`\n  help: use \"left\" or \"right\""
                )));
            }
        };
        let queue = placement::named(py, queue)?;
        let values = number_or_array("searchsorted", x2)?;
        let sorted = x1.get().array();
        let sorter = sorter.as_ref().map(|sorter| sorter.get().array());
        let work = || sorted_search::searchsorted(sorted, &values, side, sorter, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Whether numbers are among others.
#[pyfunction]
#[pyo3(signature = (x1, x2, *, invert = false, queue = None))]
pub(crate) fn isin(
    py: Python<'_>,
    x1: &Bound<'_, PyAny>,
    x2: &Bound<'_, PyAny>,
    invert: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let (numbers, others) = (number_or_array("isin", x1)?, number_or_array("isin", x2)?);
        let work = || sorted_search::isin(&numbers, &others, invert, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// What was asked about distinct elements: values, then indices, inverse and counts.
type Distinct = (PyArray, Option<PyArray>, Option<PyArray>, Option<PyArray>);

/// Distinct elements.
#[expect(
    clippy::fn_params_excessive_bools,
    reason = "keywords of Python, which are named where they are given"
)]
#[pyfunction]
#[pyo3(signature = (
    x, *, indices = false, inverse = false, counts = false, equal_nan = false, queue = None
))]
pub(crate) fn unique(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: bool,
    inverse: bool,
    counts: bool,
    equal_nan: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<Distinct> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let about = AboutDistinct {
            nan: if equal_nan {
                NanSet::Equal
            } else {
                NanSet::Distinct
            },
            indices,
            inverse,
            counts,
        };
        let array = x.get().array();
        let found = detach(py, || sets::unique(array, about, queue.as_ref()))?;
        Ok((
            PyArray::new(found.values),
            found.indices.map(PyArray::new),
            found.inverse.map(PyArray::new),
            found.counts.map(PyArray::new),
        ))
    })
}

/// Differences between neighbours along an axis.
#[pyfunction]
#[pyo3(signature = (x, *, axis, n, prepend = None, append = None, queue = None))]
pub(crate) fn diff(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: i64,
    n: usize,
    prepend: Option<ArrayArgument<'_>>,
    append: Option<ArrayArgument<'_>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let along = DifferenceAlong {
            axis,
            times: n,
            prepend: prepend.as_ref().map(|array| array.get().array()),
            append: append.as_ref().map(|array| array.get().array()),
            queue: queue.as_ref(),
        };
        let array = x.get().array();
        detach(py, || differences::diff(array, along)).map(PyArray::new)
    })
}

fn number_or_array(function: &str, object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    operand::from_python(object)?.ok_or_else(|| {
        let kind = object.get_type().name().map(|name| name.to_string());
        PyTypeError::new_err(format!(
            "`{function}` takes situ arrays and numbers, not `{}`\n  help: make an array first, e.g. \
             `x = situ.asarray(x)`",
            kind.unwrap_or_default()
        ))
    })
}
