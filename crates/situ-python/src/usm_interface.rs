//! Arrays over memory that other objects describe by `__sycl_usm_array_interface__`.
//!
//! Only memory of situ itself is known so far, by its address; see `memory::interface`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_array::Array;
use situ_array::layout::Layout;

use crate::array::PyArray;
use crate::dtype;
use crate::error::{IntoPyErr, guard};
use crate::memory::as_allocation;

/// The array that an object describes, over the same memory.
#[pyfunction]
pub(crate) fn from_usm_interface(py: Python<'_>, obj: &Bound<'_, PyAny>) -> PyResult<PyArray> {
    guard(|| {
        let allocation = as_allocation(py, obj)?;
        let allocation = allocation.get();
        let interface = obj.getattr("__sycl_usm_array_interface__")?;
        let interface = interface.cast::<PyDict>()?;
        let entry = |name: &str| -> PyResult<Bound<'_, PyAny>> {
            let entry = interface.get_item(name)?;
            entry.ok_or_else(|| malformed(&format!("it has no entry `{name}`")))
        };
        let dtype = dtype::from_python(&entry("typestr")?)?;
        let shape: Vec<usize> = entry("shape")?.extract()?;
        let (address, _read_only): (usize, bool) = entry("data")?.extract()?;
        let offset: isize = match interface.get_item("offset")? {
            Some(offset) => offset.extract()?,
            None => 0,
        };
        let start = allocation.allocation().as_ptr().addr();
        let byte_offset = address
            .checked_sub(start)
            .filter(|offset| offset.is_multiple_of(dtype.size_bytes()))
            .ok_or_else(|| malformed("its address is not aligned for its elements"))?;
        let offset = offset
            .checked_add((byte_offset / dtype.size_bytes()).cast_signed())
            .and_then(|offset| usize::try_from(offset).ok())
            .ok_or_else(|| malformed("its offset lies before the start of the memory"))?;
        let strides: Option<Vec<isize>> = match interface.get_item("strides")? {
            Some(strides) => strides.extract()?,
            None => None,
        };
        let contiguous = Layout::contiguous(&shape).map_err(|error| error.into_py_err(py))?;
        let strides = strides.unwrap_or_else(|| contiguous.strides().to_vec());
        if strides.len() != shape.len() {
            return Err(malformed("its shape and strides differ in length"));
        }
        let layout = Layout::from_parts(&shape, &strides, offset);
        let memory = allocation.allocation().clone();
        let array = Array::over(memory, layout, dtype, allocation.runtime_queue());
        array
            .map(PyArray::new)
            .map_err(|error| error.into_py_err(py))
    })
}

fn malformed(why: &str) -> PyErr {
    PyValueError::new_err(format!(
        "this `__sycl_usm_array_interface__` cannot be used\n  why:  {why}"
    ))
}
