//! Elements to and from NumPy arrays.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_array::functions::creation;
use situ_array::{Array, device_dtypes};
use situ_ir::DType;
use situ_runtime::{Queue, UsmKind};

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::{dtype, queue};

/// A new NumPy array with the elements of an array.
pub(crate) fn to_numpy<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let shape = PyTuple::new(py, array.shape())?;
    let host = numpy.call_method1("empty", (shape, dtype::to_python(py, array.dtype())?))?;
    if array.size() == 0 {
        return Ok(host);
    }
    let bytes = bytes_of(py, &host)?;
    let (address, len) = (bytes.buf_ptr() as usize, bytes.len_bytes());
    detach(py, || -> Result<(), situ_array::Error> {
        let source = creation::as_contiguous(array)?;
        // SAFETY: `host` was made above and is known to nobody else, its buffer is held by `bytes`
        // until after this call, and it has exactly as many bytes as the array.
        let target = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, len) };
        source.read_bytes(target)
    })?;
    Ok(host)
}

/// The float dtype of numbers that bring none, where `device` leads.
#[pyfunction]
#[pyo3(signature = (*, device = None))]
pub(crate) fn default_float(
    py: Python<'_>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    guard(|| {
        let queue = queue::select(py, device)?;
        dtype::to_python(py, device_dtypes::default_float(queue.device()))
    })
}

/// Copies a contiguous NumPy array of native byte order to a device.
#[pyfunction]
#[pyo3(signature = (host, *, device = None, usm_type = None))]
pub(crate) fn from_numpy(
    py: Python<'_>,
    host: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = usm_kind(usm_type)?;
        let dtype = dtype::from_python(&host.getattr("dtype")?)?;
        let shape: Vec<usize> = host.getattr("shape")?.extract()?;
        from_host(py, host, &shape, dtype, &queue, usm_kind).map(PyArray::new)
    })
}

/// Copies a NumPy array, which must be contiguous, to where a queue can reach it.
pub(crate) fn from_host(
    py: Python<'_>,
    host: &Bound<'_, PyAny>,
    shape: &[usize],
    dtype: DType,
    queue: &Queue,
    usm_kind: UsmKind,
) -> PyResult<Array> {
    if shape.contains(&0) {
        return detach(py, || Array::empty(shape, dtype, queue, usm_kind));
    }
    let bytes = bytes_of(py, host)?;
    if !bytes.is_c_contiguous() {
        return Err(PyValueError::new_err("the host array is not contiguous"));
    }
    let (address, len) = (bytes.buf_ptr() as usize, bytes.len_bytes());
    detach(py, || -> Result<Array, situ_array::Error> {
        let array = Array::empty(shape, dtype, queue, usm_kind)?;
        // SAFETY: the buffer is held by `bytes` until after this call and has `len` bytes. Another
        // Python thread could write it meanwhile, as with any copy made without the GIL in NumPy;
        // bytes have no invalid values, so the worst outcome is a mixture of old and new elements.
        let source = unsafe { std::slice::from_raw_parts(address as *const u8, len) };
        array.write_bytes(source)?;
        Ok(array)
    })
}

/// The elements of a NumPy array as a flat buffer of bytes.
fn bytes_of(py: Python<'_>, host: &Bound<'_, PyAny>) -> PyResult<PyBuffer<u8>> {
    let uint8 = dtype::to_python(py, DType::U8)?;
    PyBuffer::get(
        &host
            .call_method1("reshape", (-1,))?
            .call_method1("view", (uint8,))?,
    )
}

/// The USM kind with a name; device memory if there is none.
pub(crate) fn usm_kind(name: Option<&str>) -> PyResult<UsmKind> {
    match name {
        None => Ok(UsmKind::Device),
        Some(name) => UsmKind::from_name(name).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no USM kind `{name}`\n  help: choose `device`, `shared` or `host`"
            ))
        }),
    }
}
