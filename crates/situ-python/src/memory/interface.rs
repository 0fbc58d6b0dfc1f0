//! Memory that other objects describe by `__sycl_usm_array_interface__`.
//!
//! Memory of situ itself is known by its address. Other memory is used in place if `syclobj` says which
//! context of the SYCL runtime it belongs to; the object that describes it is kept as long as situ
//! uses it.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use situ_array::placement::default_queue;
use situ_runtime::backend::sycl::sharing;
use situ_runtime::memory::exports;
use situ_runtime::{Allocation, BackendKind, Context, Error, Queue, QueueProperties};

use super::PyAllocation;
use crate::array::PyArray;
use crate::detach::detach;
use crate::dtype;
use crate::error::{IntoPyErr, guard};
use crate::queue::{self, PyQueue};
use crate::sycl;

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
            detach(py, || allocation.settle())?;
            return Py::new(py, PyAllocation::new(allocation, array.queue().clone()));
        }
        let kind = obj.get_type().name()?;
        let Some(interface) = obj.getattr_opt("__sycl_usm_array_interface__")? else {
            return Err(PyTypeError::new_err(format!(
                "`{kind}` is not USM memory\n  why:  it has no `__sycl_usm_array_interface__`\n  help: \
                 copy host data with `situ.asarray` or `Allocation.copy_from_host`"
            )));
        };
        let described = Description::read(&interface, &kind.to_string())?;
        let (allocation, queue) = match known(&described) {
            Some(allocation) => {
                let queue = described
                    .queue()?
                    .filter(|queue| queue.context() == allocation.context())
                    .unwrap_or_else(|| default_queue(&allocation.context().devices()[0]));
                (allocation, queue)
            }
            None => import(py, &described, obj)?,
        };
        Py::new(py, PyAllocation::new(allocation, queue))
    })
}

/// The address of an allocation for an object that describes it to other packages. Those that can use it
/// in place are taken into account from now on.
pub(crate) fn exported(py: Python<'_>, allocation: &Arc<Allocation>) -> PyResult<usize> {
    detach(py, || allocation.settle())?;
    let is_of_sycl = allocation.context().devices()[0].backend() == BackendKind::Sycl;
    if is_of_sycl && !allocation.is_shared() {
        allocation.share();
        detach(py, || allocation.wait_for_all())?;
    }
    Ok(exports::export(allocation))
}

/// Memory that situ knows already. Of another package's memory it may know a part only; then the whole is
/// used as if it was seen for the first time.
fn known(described: &Description<'_>) -> Option<Arc<Allocation>> {
    let allocation = exports::find(described.address).ok()?;
    let start = allocation.as_ptr().addr();
    let end = start + allocation.size_bytes();
    let is_inside = start <= described.bytes.start && described.bytes.end <= end;
    (is_inside || !allocation.is_foreign()).then_some(allocation)
}

/// Memory of another package, in place.
fn import(
    py: Python<'_>,
    described: &Description<'_>,
    owner: &Bound<'_, PyAny>,
) -> PyResult<(Arc<Allocation>, Queue)> {
    let address = described.address;
    let queue = described
        .queue()?
        .filter(|queue| queue.device().backend() == BackendKind::Sycl);
    let queue = match queue {
        Some(queue) => Some(queue),
        None => described.queue_by_name()?,
    };
    let queue = queue.ok_or_else(|| Error::UnknownAddress { address }.into_py_err(py))?;
    let owner = Box::new(owner.clone().unbind());
    let Range { start, end } = described.bytes;
    let allocation = detach(py, || {
        // SAFETY: the object describes that many bytes and keeps them. That they are USM memory of this
        // context is checked.
        unsafe { sharing::import_memory(&queue, start, end - start, owner) }
    })?;
    Ok((allocation, queue))
}

/// What the dict says about memory.
struct Description<'py> {
    address: usize,
    /// From the first to the last byte.
    bytes: Range<usize>,
    sycl_object: Option<Bound<'py, PyAny>>,
}

impl<'py> Description<'py> {
    fn read(interface: &Bound<'py, PyAny>, kind: &str) -> PyResult<Self> {
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
        let bytes = extent(interface, address)
            .ok_or_else(|| malformed("its shape, strides and offset lead nowhere"))?;
        Ok(Self {
            address,
            bytes,
            sycl_object: interface.get_item("syclobj")?,
        })
    }

    /// The queue that `syclobj` stands for, if it is something that situ knows.
    fn queue(&self) -> PyResult<Option<Queue>> {
        let Some(object) = &self.sycl_object else {
            return Ok(None);
        };
        let py = object.py();
        if let Ok(queue) = object.cast::<PyQueue>() {
            return Ok(Some(queue.get().queue.clone()));
        }
        if let Some(queue) = sycl::queue_from_python(object)? {
            return Ok(Some(queue));
        }
        if let Some(context) = sycl::context_from_python(object)? {
            return queue_in(&context)
                .map(Some)
                .map_err(|error| error.into_py_err(py));
        }
        match self.name()? {
            Some(name) => Ok(queue::select(py, Some(name.as_any())).ok()),
            None => Ok(queue::select(py, Some(object)).ok()),
        }
    }

    /// The same where `syclobj` is the name of a device in the words of dpctl, which are not situ's: what
    /// dpctl calls `opencl:cpu:0` is a device of the backend `sycl` here.
    fn queue_by_name(&self) -> PyResult<Option<Queue>> {
        let Some(name) = self.name()? else {
            return Ok(None);
        };
        let dpctl = name.py().import("dpctl");
        let made = dpctl.and_then(|dpctl| dpctl.getattr("SyclQueue")?.call1((name,)));
        made.map_or(Ok(None), |made| sycl::queue_from_python(&made))
    }

    /// The filter string in `syclobj`, also where it is in three parts.
    fn name(&self) -> PyResult<Option<Bound<'py, PyString>>> {
        let Some(object) = &self.sycl_object else {
            return Ok(None);
        };
        if let Ok(name) = object.cast::<PyString>() {
            return Ok(Some(name.clone()));
        }
        let Ok(parts) = object.cast::<PyTuple>() else {
            return Ok(None);
        };
        if parts.len() != 3 {
            return Ok(None);
        }
        let parts: PyResult<Vec<String>> = parts
            .iter()
            .map(|part| Ok(part.str()?.to_string()))
            .collect();
        Ok(Some(PyString::new(object.py(), &parts?.join(":"))))
    }
}

/// A queue for memory of which only the context is known.
fn queue_in(context: &Context) -> situ_runtime::Result<Queue> {
    let device = &context.devices()[0];
    if device.default_context() == context {
        return Ok(default_queue(device));
    }
    Queue::with_context(context, device, QueueProperties::default())
}

/// The bytes that shape, strides, offset and element type lead to; `None` if they make no sense.
fn extent(interface: &Bound<'_, PyDict>, address: usize) -> Option<Range<usize>> {
    let entry = |name: &str| interface.get_item(name).ok().flatten();
    let dtype = entry("typestr").and_then(|typestr| dtype::from_python(&typestr).ok());
    // What describes no elements is known by its address alone.
    let (Some(dtype), Some(shape)) = (dtype, entry("shape")) else {
        return Some(address..address);
    };
    let shape: Vec<usize> = shape.extract().ok()?;
    if shape.contains(&0) {
        return Some(address..address);
    }
    let offset: isize = entry("offset").map_or(Some(0), |offset| offset.extract().ok())?;
    let strides: Option<Vec<isize>> =
        entry("strides").map_or(Some(None), |strides| strides.extract().ok())?;
    let (mut first, mut last) = (offset, offset);
    match strides {
        None => {
            let count = shape
                .iter()
                .try_fold(1usize, |count, size| count.checked_mul(*size))?;
            last = last.checked_add_unsigned(count - 1)?;
        }
        Some(strides) => {
            for (size, stride) in shape.iter().zip(strides) {
                let reach = stride.checked_mul(isize::try_from(size - 1).ok()?)?;
                let end = if reach < 0 { &mut first } else { &mut last };
                *end = end.checked_add(reach)?;
            }
        }
    }
    let element_bytes = isize::try_from(dtype.size_bytes()).ok()?;
    let start = address.checked_add_signed(first.checked_mul(element_bytes)?)?;
    let end = address.checked_add_signed(last.checked_add(1)?.checked_mul(element_bytes)?)?;
    Some(start..end)
}
