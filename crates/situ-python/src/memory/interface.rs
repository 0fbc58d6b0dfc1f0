//! Memory that other objects describe by `__sycl_usm_array_interface__`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_array::placement::default_queue;
use situ_runtime::memory::exports;

use super::PyAllocation;
use crate::array::PyArray;
use crate::error::{IntoPyErr, guard};
use crate::queue::PyQueue;

/// The allocation that an object's memory is part of.
#[pyfunction]
pub(crate) fn as_allocation(py: Python<'_>, obj: &Bound<'_, PyAny>) -> PyResult<Py<PyAllocation>> {
    guard(|| {
        if let Ok(allocation) = obj.cast::<PyAllocation>() {
            return Ok(allocation.clone().unbind());
        }
        if let Ok(array) = obj.cast::<PyArray>() {
            let array = array.get().array();
            let allocation = array.allocation().clone();
            return Py::new(py, PyAllocation::new(allocation, array.queue().clone()));
        }
        let kind = obj.get_type().name()?;
        let Some(interface) = obj.getattr_opt("__sycl_usm_array_interface__")? else {
            return Err(PyTypeError::new_err(format!(
                "`{kind}` is not USM memory\n  why:  it has no `__sycl_usm_array_interface__`\n  help: \
                 copy host data with `situ.asarray` or `Allocation.copy_from_host`"
            )));
        };
        let address = address_in(&interface, &kind.to_string())?;
        let allocation = exports::find(address).map_err(|error| error.into_py_err(py))?;
        let queue = match interface.get_item("syclobj") {
            Ok(object) => object.cast::<PyQueue>().ok().map(|q| q.get().queue.clone()),
            Err(_) => None,
        };
        let queue = queue
            .filter(|queue| queue.context() == allocation.context())
            .unwrap_or_else(|| default_queue(&allocation.context().devices()[0]));
        Py::new(py, PyAllocation::new(allocation, queue))
    })
}

/// The address in a description of memory.
fn address_in(interface: &Bound<'_, PyAny>, kind: &str) -> PyResult<usize> {
    let malformed = |why: &str| {
        PyValueError::new_err(format!(
            "the `__sycl_usm_array_interface__` of `{kind}` cannot be used\n  why:  {why}\n  help: it \
             must be a dict of version 1 with the entry data=(address, read_only)"
        ))
    };
    let interface = interface
        .cast::<PyDict>()
        .map_err(|_| malformed("it is not a dict"))?;
    let version = interface.get_item("version")?;
    if !version.is_some_and(|version| version.eq(1).unwrap_or(false)) {
        return Err(malformed("its version is not 1"));
    }
    let data = interface
        .get_item("data")?
        .ok_or_else(|| malformed("it has no entry `data`"))?;
    let (address, _read_only): (usize, bool) = data
        .extract()
        .map_err(|_| malformed("its entry `data` is not a pair of an address and a flag"))?;
    Ok(address)
}
