//! What Python hands to array functions: arrays, Python scalars, NumPy scalars, and host arrays, which
//! are recognised to be refused by name.

use std::ops::Deref;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use situ_array::Array;
use situ_array::functions::apply::Operand;
use situ_array::functions::immediate::PlainOperand;
use situ_ir::Literal;
use situ_ir::promotion::PythonScalar;

use crate::array::PyArray;
use crate::error::exceptions::DTypeError;
use crate::{dtype, usm_interface};

/// An argument that is an array of situ's, or one that another package describes as USM memory.
pub(crate) struct ArrayArgument<'py>(Bound<'py, PyArray>);

impl<'py> Deref for ArrayArgument<'py> {
    type Target = Bound<'py, PyArray>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ArrayArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match usm_interface::array_of(&object)? {
            Some(array) => Ok(Self(array)),
            None => Err(not_an_array(&object)),
        }
    }
}

/// An argument that a function writes its result to. What it returns then is what it was given.
pub(crate) struct OutputArgument<'py> {
    array: Bound<'py, PyArray>,
    given: Bound<'py, PyAny>,
}

impl<'py> OutputArgument<'py> {
    /// An output, if an object is an array; `None` if it is none.
    ///
    /// # Errors
    /// If it describes memory that cannot be used.
    pub(crate) fn of(given: Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let Some(array) = usm_interface::array_of(&given)? else {
            return Ok(None);
        };
        Ok(Some(Self { array, given }))
    }

    pub(crate) fn array(&self) -> &Array {
        self.array.get().array()
    }

    /// What the function returns.
    pub(crate) fn given(self) -> Py<PyAny> {
        self.given.unbind()
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for OutputArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::of(object.to_owned())?.ok_or_else(|| not_an_array(&object))
    }
}

/// The refusal of what is no array of situ's.
pub(crate) fn not_an_array(object: &Bound<'_, PyAny>) -> PyErr {
    let class = object.get_type();
    let name = class.fully_qualified_name().map(|name| name.to_string());
    let name = name.unwrap_or_default();
    let why = if is_host_array(object) {
        "it is in host memory, and situ computes where the data lives and never copies silently"
    } else {
        "functions of arrays take arrays that are on a device"
    };
    PyTypeError::new_err(format!(
        "expected a situ array, not `{name}`\n  why:  {why}\n  help: bring the data to a device first, \
         e.g. `x = situ.asarray(x)`"
    ))
}

/// The operand a Python object stands for; `None` if array functions do not take such objects.
///
/// # Errors
/// `OverflowError` or `DTypeError` for numbers that no dtype holds.
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
    if let Some(array) = usm_interface::array_of(object)? {
        return Ok(Some(Operand::Array(array.get().array().clone())));
    }
    if !is_host_array(object) {
        return Ok(None);
    }
    Ok(Some(match host_scalar(object)? {
        Some(literal) => Operand::Literal(literal),
        None => Operand::HostArray,
    }))
}

/// The operand a Python object stands for, if that is seen at a glance: an array of situ's, or a number of Python's.
pub(crate) fn at_a_glance<'a>(object: &'a Bound<'_, PyAny>) -> Option<PlainOperand<'a>> {
    if let Ok(array) = object.cast_exact::<PyArray>() {
        return Some(PlainOperand::Array(array.get().array()));
    }
    // Subclasses, such as NumPy's `float64`, may bring a dtype of their own.
    let number = if object.is_exact_instance_of::<PyFloat>() {
        PythonScalar::Float(object.extract().ok()?)
    } else if object.is_exact_instance_of::<PyInt>() {
        PythonScalar::Int(i128::from(object.extract::<i64>().ok()?))
    } else {
        return None;
    };
    Some(PlainOperand::Number(number))
}

/// Whether an object is an array in host memory, as far as anybody can tell: it has an array interface,
/// exports DLPack or is a buffer, and does not describe itself as USM memory.
pub(crate) fn is_host_array(object: &Bound<'_, PyAny>) -> bool {
    let has = |name| object.hasattr(name).unwrap_or(false);
    // SAFETY: it takes any object and only looks at its type.
    let is_buffer = unsafe { pyo3::ffi::PyObject_CheckBuffer(object.as_ptr()) } != 0;
    (is_buffer || has("__array_interface__") || has("__dlpack__")) && !is_usm_memory(object)
}

/// Whether an object describes itself as USM memory.
pub(crate) fn is_usm_memory(object: &Bound<'_, PyAny>) -> bool {
    let described = object.hasattr("__sycl_usm_array_interface__");
    described.unwrap_or(false)
}

/// Whether an object is a NumPy array with dimensions.
pub(crate) fn is_numpy_array(object: &Bound<'_, PyAny>) -> bool {
    static NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let class = NDARRAY.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("numpy")?.getattr("ndarray")?.unbind())
    });
    class.is_ok_and(|class| object.is_instance(class.bind(py)).unwrap_or(false))
}

/// A host array without dimensions as a constant: it is a number, so it takes no part in placement.
pub(crate) fn host_scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if !object.hasattr("__array_interface__")? || object.getattr("ndim")?.extract::<usize>()? != 0 {
        return Ok(None);
    }
    numpy_scalar(&object.get_item(pyo3::types::PyTuple::empty(object.py()))?)
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
