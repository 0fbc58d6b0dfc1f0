//! Arrays of other packages that describe their memory by `__sycl_usm_array_interface__`, such as those of dpnp.
//!
//! Wherever an array of situ's is taken, one of these is as well: it becomes an array over the same memory, on
//! the same queue, and takes part in placement like any other. See `memory::interface` for the memory.

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString, PyType};
use situ_array::Array;
use situ_array::layout::Layout;

use crate::array::PyArray;
use crate::error::{IntoPyErr, guard};
use crate::memory::{ATTRIBUTE, Description, Elements, memory_of};

/// The array that an object describes, over the same memory.
#[pyfunction]
pub(crate) fn from_usm_interface(obj: &Bound<'_, PyAny>) -> PyResult<PyArray> {
    guard(|| {
        let interface = obj.getattr(ATTRIBUTE)?;
        let described = Description::read(obj, &interface)?;
        array_over(&described, obj).map(PyArray::new)
    })
}

/// The array of situ's that an object is, or that it describes; `None` if it is no array on a device.
///
/// # Errors
/// If the description cannot be used.
pub(crate) fn array_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyArray>>> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Some(array.clone()));
    }
    // A class has the attribute as well, and describes nothing by it.
    if is_plain(object) || object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    let Some(interface) = object.getattr_opt(ATTRIBUTE)? else {
        return Ok(None);
    };
    let described = Description::read(object, &interface)?;
    let array = array_over(&described, object)?;
    Bound::new(object.py(), PyArray::new(array)).map(Some)
}

/// Puts arrays of situ's in the place of those that others describe.
///
/// # Errors
/// As [`array_of`].
pub(crate) fn adopt(objects: &mut [Bound<'_, PyAny>]) -> PyResult<()> {
    for object in objects {
        if object.is_instance_of::<PyArray>() {
            continue;
        }
        if let Some(array) = array_of(object)? {
            *object = array.into_any();
        }
    }
    Ok(())
}

/// Whether it is a plain number or text of Python's, which is quicker to tell than that it describes no memory.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyString>()
        || object.is_none()
}

fn array_over(described: &Description<'_>, object: &Bound<'_, PyAny>) -> PyResult<Array> {
    let elements = described.elements()?;
    let (memory, queue) = memory_of(described, object)?;
    let start = memory.as_ptr().addr();
    let end = start + memory.size_bytes();
    let bytes = &described.bytes;
    if bytes.start < start || end < bytes.end {
        return Err(described.refused(&format!(
            "its elements are at {:#x}..{:#x}, and the memory is at {start:#x}..{end:#x}",
            bytes.start, bytes.end
        )));
    }
    let offset =
        offset_in(start, described.address, elements).map_err(|why| described.refused(why))?;
    let layout = Layout::from_parts(&elements.shape, &elements.strides, offset);
    Array::over(memory, layout, elements.dtype, &queue)
        .map_err(|error| error.into_py_err(object.py()))
}

/// The position of the first element in memory that starts at an address.
fn offset_in(start: usize, address: usize, elements: &Elements) -> Result<usize, &'static str> {
    let size = elements.dtype.size_bytes() as i128;
    let bytes = address as i128 - start as i128 + elements.offset as i128 * size;
    if elements.shape.contains(&0) {
        return Ok(0);
    }
    let first = address as i128 + elements.offset as i128 * size;
    if bytes % size != 0 || first % elements.dtype.real().size_bytes() as i128 != 0 {
        return Err("its address is not aligned for its elements");
    }
    usize::try_from(bytes / size)
        .map_err(|_| "its first element lies before the start of the memory")
}
