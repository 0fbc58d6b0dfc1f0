//! Functions of the array namespace that are not methods.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_array::device_dtypes;
use situ_array::functions::elementwise::{FUNCTIONS, find};
use situ_array::functions::{apply, creation, indexing};

use situ_ir::{DType, Literal};

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::{dtype, host_memory, operand, placement, queue};

/// Applies the elementwise function with a name to its operands.
#[pyfunction]
#[pyo3(signature = (name, *operands, out = None, queue = None))]
pub(crate) fn elementwise(
    py: Python<'_>,
    name: &str,
    operands: &Bound<'_, PyTuple>,
    out: Option<&Bound<'_, PyArray>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyArray>> {
    guard(|| {
        let function = find(name)
            .ok_or_else(|| PyTypeError::new_err(format!("there is no function `{name}`")))?;
        let operands = operands
            .iter()
            .map(|object| {
                operand::from_python(&object)?.ok_or_else(|| {
                    let kind = object.get_type().name().map(|name| name.to_string());
                    PyTypeError::new_err(format!(
                        "`{name}` takes situ arrays and numbers, not `{}`\n  help: make an array \
                         first, e.g. `x = situ.asarray(x)`",
                        kind.unwrap_or_default()
                    ))
                })
            })
            .collect::<PyResult<Vec<_>>>()?;
        let target = out.map(|out| out.get().array());
        let queue = placement::named(py, queue)?;
        let work = || apply::apply(function, &operands, target, queue.as_ref());
        let result = detach(py, work)?;
        match out {
            Some(out) => Ok(out.clone().unbind()),
            None => Py::new(py, PyArray::new(result)),
        }
    })
}

/// The names of all elementwise functions with their number of operands.
#[pyfunction]
pub(crate) fn elementwise_functions() -> Vec<(&'static str, usize)> {
    FUNCTIONS
        .iter()
        .map(|function| (function.name, function.arity))
        .collect()
}

/// A new array filled with one number; without a dtype it has the number's on its device.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype = None, device = None, usm_type = None))]
pub(crate) fn full(
    py: Python<'_>,
    shape: Vec<usize>,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let scalar = operand::python_scalar(fill_value)?
            .ok_or_else(|| PyTypeError::new_err(format!("{fill_value} is not a number")))?;
        let dtype = match dtype {
            Some(dtype) => dtype::from_python(dtype)?,
            None => scalar.default_dtype(device_dtypes::default_float(queue.device())),
        };
        let scalar = scalar.to_literal(dtype).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "{fill_value} is not a number that fits into {dtype}"
            ))
        })?;
        detach(py, || creation::full(&shape, scalar, &queue, usm_kind)).map(PyArray::new)
    })
}

/// A new array whose elements are undefined; floats as wide as the device has, without a dtype.
#[pyfunction]
#[pyo3(signature = (shape, *, dtype = None, device = None, usm_type = None))]
pub(crate) fn empty(
    py: Python<'_>,
    shape: Vec<usize>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let dtype = match dtype {
            Some(dtype) => dtype::from_python(dtype)?,
            None => device_dtypes::default_float(queue.device()),
        };
        let work = || situ_array::Array::empty(&shape, dtype, &queue, usm_kind);
        detach(py, work).map(PyArray::new)
    })
}

/// Numbers at even distances, computed in one dtype and converted to another.
#[pyfunction]
#[pyo3(signature = (count, start, step, *, compute, dtype, device = None, usm_type = None))]
#[expect(
    clippy::too_many_arguments,
    reason = "these are keywords, and Python names them"
)]
pub(crate) fn iota(
    py: Python<'_>,
    count: usize,
    start: &Bound<'_, PyAny>,
    step: &Bound<'_, PyAny>,
    compute: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let (compute, dtype) = (dtype::from_python(compute)?, dtype::from_python(dtype)?);
        let start = literal(start, compute)?;
        let step = literal(step, compute)?;
        let work = || creation::iota(count, (start, step), dtype, &queue, usm_kind);
        detach(py, work).map(PyArray::new)
    })
}

/// A matrix with ones on a diagonal.
#[pyfunction]
#[pyo3(signature = (rows, columns, offset, *, dtype, device = None, usm_type = None))]
pub(crate) fn eye(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    offset: i64,
    dtype: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let dtype = dtype::from_python(dtype)?;
        let work = || creation::eye([rows, columns], offset, dtype, &queue, usm_kind);
        detach(py, work).map(PyArray::new)
    })
}

/// A Python number in a dtype.
fn literal(number: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Literal> {
    operand::python_scalar(number)?
        .and_then(|scalar| scalar.to_literal(dtype))
        .ok_or_else(|| {
            PyTypeError::new_err(format!("{number} is not a number that fits into {dtype}"))
        })
}

/// The positions of elements that are not zero.
#[pyfunction]
pub(crate) fn nonzero(py: Python<'_>, x: &Bound<'_, PyArray>) -> PyResult<Vec<PyArray>> {
    guard(|| {
        let array = x.get().array();
        let found = detach(py, || indexing::nonzero(array))?;
        Ok(found.into_iter().map(PyArray::new).collect())
    })
}

/// Elements along an axis at the positions in an array.
#[pyfunction]
#[pyo3(signature = (x, indices, axis, *, queue = None))]
pub(crate) fn take(
    py: Python<'_>,
    x: &Bound<'_, PyArray>,
    indices: &Bound<'_, PyArray>,
    axis: Option<i64>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let (array, indices) = (x.get().array(), indices.get().array());
        let work = || indexing::take(array, indices, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Elements along an axis, at positions that are chosen anew for each place along the others.
#[pyfunction]
#[pyo3(signature = (x, indices, axis, *, queue = None))]
pub(crate) fn take_along_axis(
    py: Python<'_>,
    x: &Bound<'_, PyArray>,
    indices: &Bound<'_, PyArray>,
    axis: i64,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let (array, indices) = (x.get().array(), indices.get().array());
        let work = || indexing::take_along_axis(array, indices, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}
