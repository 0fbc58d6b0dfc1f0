//! What Python hands to array functions: arrays, Python scalars, NumPy scalars.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use situ_array::functions::apply::Operand;
use situ_ir::Literal;
use situ_ir::promotion::PythonScalar;

use crate::array::PyArray;
use crate::dtype;
use crate::error::exceptions::{DTypeError, PlacementError};

/// The operand a Python object stands for; `None` if array functions do not take such objects.
///
/// # Errors
/// `PlacementError` for host arrays, which belong to no queue.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Some(Operand::Array(array.get().array().clone())));
    }
    // NumPy's float64 is a Python float too, so NumPy scalars come first: they keep their dtype.
    if let Some(literal) = numpy_scalar(object)? {
        return Ok(Some(Operand::Literal(literal)));
    }
    if let Some(scalar) = python_scalar(object)? {
        return Ok(Some(Operand::Scalar(scalar)));
    }
    if object.hasattr("__array_interface__")? {
        return Err(PlacementError::new_err(
            "cannot combine a situ array with a host array\n  why:  a NumPy array belongs to no \
             queue, and situ never copies silently\n  help: bring it over first, e.g. \
             `y = situ.asarray(y, device=x.device)`",
        ));
    }
    Ok(None)
}

/// A Python number as a weak scalar.
///
/// # Errors
/// `OverflowError` if an integer is larger than any dtype.
pub(crate) fn python_scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<PythonScalar>> {
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Some(PythonScalar::Bool(value.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(PythonScalar::Int(object.extract()?)));
    }
    if let Ok(value) = object.cast::<PyFloat>() {
        return Ok(Some(PythonScalar::Float(value.extract()?)));
    }
    if let Ok(value) = object.cast::<PyComplex>() {
        let parts: (f64, f64) = (
            value.getattr("real")?.extract()?,
            value.getattr("imag")?.extract()?,
        );
        return Ok(Some(PythonScalar::Complex(parts.0, parts.1)));
    }
    Ok(None)
}

/// A NumPy scalar as a constant of its dtype.
pub(crate) fn numpy_scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    static GENERIC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let generic = GENERIC.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("numpy")?.getattr("generic")?.unbind())
    })?;
    if !object.is_instance(generic.bind(py))? {
        return Ok(None);
    }
    let dtype = dtype::from_python(&object.getattr("dtype")?)?;
    let bytes: Vec<u8> = object.call_method0("tobytes")?.extract()?;
    Literal::from_bytes(dtype, &bytes)
        .map(Some)
        .ok_or_else(|| DTypeError::new_err(format!("a {dtype} scalar without content")))
}
