//! Reductions over axes, by name.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_array::Array;
use situ_array::functions::scanning::{self, Along, Cumulative};
use situ_array::functions::searching;
use situ_array::functions::small_reductions::{self, Total};
use situ_array::functions::statistical::{self, Extreme, Nan, Over, Spread, Truth};

use crate::array::{PyArray, axes_from_python};
use crate::detach::detach;
use crate::error::guard;
use crate::operand::ArrayArgument;
use crate::{discarded_parts, dtype, placement, warnings};

/// What a reduction is told beside the array, as Python has it.
#[derive(Default)]
pub(crate) struct Options<'a, 'py> {
    pub(crate) axis: Option<&'a Bound<'py, PyAny>>,
    pub(crate) dtype: Option<&'a Bound<'py, PyAny>>,
    pub(crate) keepdims: bool,
    pub(crate) correction: f64,
    pub(crate) queue: Option<&'a Bound<'py, PyAny>>,
}

impl Options<'_, '_> {
    /// Whether there is nothing to know but the array.
    fn is_plain(&self) -> bool {
        let is_asked_for = self.axis.is_some() || self.dtype.is_some() || self.queue.is_some();
        !is_asked_for && !self.keepdims
    }
}

/// The reduction with a name, if it is one that may be done on the spot.
fn total(name: &str) -> Option<Total> {
    match name {
        "sum" => Some(Total::Sum),
        "prod" => Some(Total::Product),
        "min" => Some(Total::Extreme(Extreme::Min)),
        "max" => Some(Total::Extreme(Extreme::Max)),
        "mean" => Some(Total::Mean),
        "all" => Some(Total::Truth(Truth::All)),
        "any" => Some(Total::Truth(Truth::Any)),
        "count_nonzero" => Some(Total::Truth(Truth::Count)),
        "argmin" => Some(Total::Position(Extreme::Min)),
        "argmax" => Some(Total::Position(Extreme::Max)),
        _ => None,
    }
}

/// Reduces an array by the function with a name.
pub(crate) fn run(
    py: Python<'_>,
    name: &str,
    array: &Array,
    options: &Options<'_, '_>,
) -> PyResult<PyArray> {
    if options.is_plain()
        && let Some(what) = total(name)
        && let Some(result) = small_reductions::reduce(what, array)
    {
        warnings::deliver(py)?;
        return Ok(PyArray::new(result));
    }
    let queue = placement::named(py, options.queue)?;
    let axes = options.axis.map(axes_from_python).transpose()?;
    let dtype = options.dtype.map(dtype::from_python).transpose()?;
    if let Some(dtype) = dtype {
        discarded_parts::warn(py, array.dtype(), dtype)?;
    }
    let over = Over {
        axes: axes.as_deref(),
        keepdims: options.keepdims,
        queue: queue.as_ref(),
    };
    let correction = options.correction;
    let call: &(dyn Fn() -> _ + Sync) = match name {
        "sum" => &|| statistical::sum(array, dtype, Nan::Counts, over),
        "nansum" => &|| statistical::sum(array, dtype, Nan::Skipped, over),
        "prod" => &|| statistical::prod(array, dtype, Nan::Counts, over),
        "nanprod" => &|| statistical::prod(array, dtype, Nan::Skipped, over),
        "min" => &|| statistical::extreme(array, Extreme::Min, Nan::Counts, over),
        "max" => &|| statistical::extreme(array, Extreme::Max, Nan::Counts, over),
        "nanmin" => &|| statistical::extreme(array, Extreme::Min, Nan::Skipped, over),
        "nanmax" => &|| statistical::extreme(array, Extreme::Max, Nan::Skipped, over),
        "argmin" => &|| searching::arg_extreme(array, Extreme::Min, over),
        "argmax" => &|| searching::arg_extreme(array, Extreme::Max, over),
        "mean" => &|| statistical::mean(array, dtype, Nan::Counts, over),
        "nanmean" => &|| statistical::mean(array, dtype, Nan::Skipped, over),
        "var" => &|| statistical::spread(array, Spread::Variance, (correction, Nan::Counts), over),
        "nanvar" => {
            &|| statistical::spread(array, Spread::Variance, (correction, Nan::Skipped), over)
        }
        "std" => &|| statistical::spread(array, Spread::Deviation, (correction, Nan::Counts), over),
        "nanstd" => {
            &|| statistical::spread(array, Spread::Deviation, (correction, Nan::Skipped), over)
        }
        "all" => &|| statistical::truth(array, Truth::All, over),
        "any" => &|| statistical::truth(array, Truth::Any, over),
        "count_nonzero" => &|| statistical::truth(array, Truth::Count, over),
        _ => {
            let message = format!("there is no reduction `{name}`");
            return Err(PyTypeError::new_err(message));
        }
    };
    detach(py, call).map(PyArray::new)
}

/// Reduces an array by the function with a name.
#[pyfunction]
#[pyo3(signature = (
    name, x, *, axis = None, dtype = None, keepdims = false, correction = 0.0, queue = None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "these are keywords, and Python names them"
)]
pub(crate) fn reduce(
    py: Python<'_>,
    name: &str,
    x: ArrayArgument<'_>,
    axis: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    keepdims: bool,
    correction: f64,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let options = Options {
            axis,
            dtype,
            keepdims,
            correction,
            queue,
        };
        run(py, name, x.get().array(), &options)
    })
}

/// Accumulates sums or products along an axis.
#[pyfunction]
#[pyo3(signature = (
    name, x, *, axis = None, dtype = None, include_initial = false, queue = None
))]
pub(crate) fn accumulate(
    py: Python<'_>,
    name: &str,
    x: ArrayArgument<'_>,
    axis: Option<i64>,
    dtype: Option<&Bound<'_, PyAny>>,
    include_initial: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let what = match name {
            "cumulative_sum" => Cumulative::Sum,
            "cumulative_prod" => Cumulative::Product,
            _ => {
                let message = format!("there is no accumulation `{name}`");
                return Err(PyTypeError::new_err(message));
            }
        };
        let queue = placement::named(py, queue)?;
        let along = Along {
            axis,
            dtype: dtype.map(dtype::from_python).transpose()?,
            include_initial,
            queue: queue.as_ref(),
        };
        let array = x.get().array();
        if let Some(dtype) = along.dtype {
            discarded_parts::warn(py, array.dtype(), dtype)?;
        }
        detach(py, || scanning::accumulate(array, what, along)).map(PyArray::new)
    })
}
