//! Changing shapes and joining arrays, for Python.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_array::functions::manipulation;
use situ_array::{Array, Error};

use crate::array::{PyArray, axes_from_python};
use crate::detach::detach;
use crate::error::{IntoPyErr, guard};
use crate::operand::ArrayArgument;
use crate::{placement, usm_interface};

/// A view, which is made at once.
fn view(py: Python<'_>, made: Result<Array, Error>) -> PyResult<PyArray> {
    made.map(PyArray::new)
        .map_err(|error| error.into_py_err(py))
}

/// The same elements with dimensions in another order.
#[pyfunction]
pub(crate) fn permute_dims(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axes: Vec<i64>,
) -> PyResult<PyArray> {
    guard(|| view(py, manipulation::permute(x.get().array(), &axes)))
}

/// The same elements in another shape; a view if none of them has to move.
#[pyfunction]
pub(crate) fn reshape(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    shape: &Bound<'_, PyAny>,
) -> PyResult<PyArray> {
    guard(|| {
        let array = x.get().array();
        let shape = complete_shape(array.size(), &axes_from_python(shape)?)?;
        detach(py, || manipulation::reshape(array, &shape)).map(PyArray::new)
    })
}

/// Replaces one -1 by the size that is left.
fn complete_shape(size: usize, shape: &[i64]) -> PyResult<Vec<usize>> {
    let unknown = shape.iter().filter(|&&size| size == -1).count();
    if unknown > 1 || shape.iter().any(|&size| size < -1) {
        return Err(PyValueError::new_err(format!(
            "{shape:?} is no shape\n  why:  sizes are at least 0, and at most one of them is -1, which stands \
             for what is left\n  help: write the other sizes out"
        )));
    }
    let known = shape
        .iter()
        .filter(|&&size| size != -1)
        .try_fold(1_usize, |known, &size| known.checked_mul(size as usize))
        .unwrap_or(usize::MAX);
    let missing = size.checked_div(known).unwrap_or(0);
    Ok(shape
        .iter()
        .map(|&size| if size == -1 { missing } else { size as usize })
        .collect())
}

/// The elements seen through a larger shape.
#[pyfunction]
pub(crate) fn broadcast_to(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    shape: Vec<usize>,
) -> PyResult<PyArray> {
    guard(|| view(py, manipulation::broadcast_to(x.get().array(), &shape)))
}

/// New dimensions of size one.
#[pyfunction]
pub(crate) fn expand_dims(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<PyArray> {
    guard(|| {
        let axes = axes_from_python(axis)?;
        view(py, manipulation::expand_dims(x.get().array(), &axes))
    })
}

/// Without dimensions of size one.
#[pyfunction]
pub(crate) fn squeeze(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<PyArray> {
    guard(|| {
        let axes = axes_from_python(axis)?;
        view(py, manipulation::squeeze(x.get().array(), &axes))
    })
}

/// With dimensions backwards.
#[pyfunction]
#[pyo3(signature = (x, axis = None))]
pub(crate) fn flip(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    axis: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let axes = axis.map(axes_from_python).transpose()?;
        view(py, manipulation::flip(x.get().array(), axes.as_deref()))
    })
}

/// With dimensions at other positions.
#[pyfunction]
pub(crate) fn moveaxis(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    source: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
) -> PyResult<PyArray> {
    guard(|| {
        let (from, to) = (axes_from_python(source)?, axes_from_python(destination)?);
        view(py, manipulation::move_axes(x.get().array(), &from, &to))
    })
}

/// The diagonals of matrices.
#[pyfunction]
#[pyo3(signature = (x, offset = 0))]
pub(crate) fn diagonal(py: Python<'_>, x: ArrayArgument<'_>, offset: i64) -> PyResult<PyArray> {
    guard(|| view(py, manipulation::diagonal(x.get().array(), offset)))
}

/// The arrays along an axis, without it.
#[pyfunction]
#[pyo3(signature = (x, axis = 0))]
pub(crate) fn unstack(py: Python<'_>, x: ArrayArgument<'_>, axis: i64) -> PyResult<Vec<PyArray>> {
    guard(|| {
        let parts = manipulation::unstack(x.get().array(), axis);
        let parts = parts.map_err(|error| error.into_py_err(py))?;
        Ok(parts.into_iter().map(PyArray::new).collect())
    })
}

fn arrays_of(arrays: &[ArrayArgument<'_>]) -> Vec<Array> {
    arrays.iter().map(|one| one.get().array().clone()).collect()
}

/// Arrays one after the other along an axis.
#[pyfunction]
#[pyo3(signature = (arrays, axis, *, queue = None))]
pub(crate) fn concat(
    py: Python<'_>,
    arrays: Vec<ArrayArgument<'_>>,
    axis: Option<i64>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let arrays = arrays_of(&arrays);
        let work = || manipulation::concat(&arrays, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Arrays one after the other along a new axis.
#[pyfunction]
#[pyo3(signature = (arrays, axis = 0, *, queue = None))]
pub(crate) fn stack(
    py: Python<'_>,
    arrays: Vec<ArrayArgument<'_>>,
    axis: i64,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let arrays = arrays_of(&arrays);
        let work = || manipulation::stack(&arrays, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Elements moved along axes, those that leave coming in at the other end.
#[pyfunction]
#[pyo3(signature = (x, shift, axis = None, *, queue = None))]
pub(crate) fn roll(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    shift: &Bound<'_, PyAny>,
    axis: Option<&Bound<'_, PyAny>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let shifts = axes_from_python(shift)?;
        let axes = axis.map(axes_from_python).transpose()?;
        let array = x.get().array();
        let work = || manipulation::roll(array, &shifts, axes.as_deref(), queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Each element several times.
#[pyfunction]
#[pyo3(signature = (x, repeats, axis = None, *, queue = None))]
pub(crate) fn repeat(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    repeats: &Bound<'_, PyAny>,
    axis: Option<i64>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        if let Some(counts) = usm_interface::array_of(repeats)? {
            let counts = counts.get().array();
            let work = || manipulation::repeat_each(array, counts, axis, queue.as_ref());
            return detach(py, work).map(PyArray::new);
        }
        let count: i64 = repeats.extract()?;
        let repeats =
            usize::try_from(count).map_err(|_| Error::NegativeCount { count }.into_py_err(py))?;
        let work = || manipulation::repeat(array, repeats, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// The whole array several times.
#[pyfunction]
#[pyo3(signature = (x, repetitions, *, queue = None))]
pub(crate) fn tile(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    repetitions: Vec<usize>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let work = || manipulation::tile(array, &repetitions, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Whether two arrays are views of the same allocation.
#[pyfunction]
pub(crate) fn shares_memory(a: ArrayArgument<'_>, b: ArrayArgument<'_>) -> PyResult<bool> {
    guard(|| {
        let (a, b) = (a.get().array(), b.get().array());
        Ok(Arc::ptr_eq(a.allocation(), b.allocation()))
    })
}
