//! Capsules with arrays of situ: `__dlpack__` and `__dlpack_device__`.

use std::ffi::c_void;

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use situ_array::Array;
use situ_array::functions::moving::{self, CopyPolicy, Destination};
use situ_runtime::UsmKind;
use situ_runtime::memory::host_view::HostView;

use super::tensor::{self, CPU, Device, IS_COPIED, Legacy, Managed, ONE_API, Tensor, Versioned};
use crate::array::PyArray;
use crate::detach::detach;
use crate::error::{IntoPyErr, guard};
use crate::{memory, sycl};

#[pymethods]
impl PyArray {
    /// Where DLPack finds the memory: the host's, for memory that it can reach.
    fn __dlpack_device__(&self, py: Python<'_>) -> PyResult<(i32, i32)> {
        guard(|| {
            let device = own_device(py, self.array())?;
            Ok((device.kind, device.id))
        })
    }

    /// A capsule with this array, over the same memory or over a copy.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            if stream.is_some() {
                return Err(PyValueError::new_err(
                    "`__dlpack__` takes no `stream`\n  why:  all work on the memory has ended when the capsule \
                     is made\n  help: leave `stream` out",
                ));
            }
            let array = self.array();
            let device = match dl_device {
                None => own_device(py, array)?,
                Some(asked) => asked_device(py, array, asked)?,
            };
            // Only a consumer that names the host's memory asks for what is elsewhere to come there.
            let is_elsewhere = device.kind == CPU && !array.allocation().is_host_accessible();
            if is_elsewhere && copy == Some(false) {
                return Err(not_for_others(array).into_py_err(py));
            }
            let is_copied = is_elsewhere || copy == Some(true);
            let array = if is_copied {
                detach(py, || copied(array, is_elsewhere))?
            } else {
                array.clone()
            };
            let exported = Exported::new(py, array, device)?;
            let flags = if is_copied { IS_COPIED } else { 0 };
            match max_version {
                Some((major, _)) if major >= tensor::VERSION.major => {
                    exported.into_capsule::<Versioned>(py, flags)
                }
                _ => exported.into_capsule::<Legacy>(py, flags),
            }
        })
    }
}

/// Where an array is for those who do not say what they can use.
fn own_device(py: Python<'_>, array: &Array) -> PyResult<Device> {
    if array.allocation().is_host_accessible() {
        return Ok(Device { kind: CPU, id: 0 });
    }
    let number = sycl::dlpack_device_of_queue(py, array.queue())?;
    let device = number.map(|id| Device { kind: ONE_API, id });
    device.ok_or_else(|| not_for_others(array).into_py_err(py))
}

/// The device that a consumer asks for, if the array can be given there.
fn asked_device(py: Python<'_>, array: &Array, (kind, id): (i32, i32)) -> PyResult<Device> {
    let number = match kind {
        CPU => Some(0),
        ONE_API => sycl::dlpack_device_of_queue(py, array.queue())?,
        _ => None,
    };
    if number == Some(id) {
        return Ok(Device { kind, id });
    }
    Err(PyBufferError::new_err(format!(
        "an array cannot go to the DLPack device ({kind}, {id})\n  why:  situ gives memory where it is, and to \
         the host, which is ({CPU}, 0)\n  help: leave `dl_device` out, and let the other library move the data"
    )))
}

fn not_for_others(array: &Array) -> situ_array::Error {
    situ_array::Error::NotHostAccessible {
        device: array.queue().device().filter_string(),
        usm_kind: array.usm_kind(),
    }
}

/// A copy, in memory that the host can reach or of the same kind.
fn copied(array: &Array, is_for_host: bool) -> Result<Array, situ_array::Error> {
    let usm_kind = if is_for_host {
        UsmKind::Host
    } else {
        array.usm_kind()
    };
    let destination = Destination {
        queue: array.queue(),
        usm_kind: Some(usm_kind),
        dtype: None,
    };
    moving::bring(array, destination, CopyPolicy::Always)
}

/// What a capsule points to, beside the elements.
struct Exported {
    array: Array,
    device: Device,
    address: usize,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// Has commands that use the memory waited for, as long as the host may look at it.
    _host_view: Option<HostView>,
}

impl Exported {
    fn new(py: Python<'_>, array: Array, device: Device) -> PyResult<Self> {
        let (address, host_view) = if device.kind == CPU {
            let (address, view) = detach(py, || {
                array
                    .host_view()
                    .map(|(address, view)| (address.expose_provenance(), view))
            })?;
            (address, Some(view))
        } else {
            // From here on the other package's commands count as well.
            let start = memory::exported(py, array.allocation(), array.queue())?;
            (start + array.byte_offset(), None)
        };
        let layout = array.layout();
        Ok(Self {
            device,
            address,
            shape: layout.shape().iter().map(|&size| size as i64).collect(),
            strides: layout.strides().iter().map(|&step| step as i64).collect(),
            _host_view: host_view,
            array,
        })
    }

    /// The capsule, which owns `self` until a consumer takes it out.
    fn into_capsule<M: Managed>(self, py: Python<'_>, flags: u64) -> PyResult<Bound<'_, PyAny>> {
        let address: *mut c_void = std::ptr::with_exposed_provenance_mut(self.address);
        let mut content = Box::new(Content {
            managed: M::new(
                Tensor {
                    data: address,
                    device: self.device,
                    ndim: self.shape.len() as i32,
                    dtype: tensor::data_type(self.array.dtype()),
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    byte_offset: 0,
                },
                flags,
                delete::<M>,
            ),
            exported: self,
        });
        let (shape, strides) = (
            content.exported.shape.as_mut_ptr(),
            content.exported.strides.as_mut_ptr(),
        );
        let tensor = content.managed.tensor_mut();
        (tensor.shape, tensor.strides) = (shape, strides);
        let content = Box::into_raw(content);
        // SAFETY: the name is static, and the content lives until its deleter is called.
        let capsule = unsafe {
            ffi::PyCapsule_New(content.cast(), M::NAME.as_ptr(), Some(delete_unused::<M>))
        };
        // SAFETY: a new reference, or null and an exception.
        let capsule = unsafe { Bound::from_owned_ptr_or_err(py, capsule) };
        if capsule.is_err() {
            // SAFETY: no capsule has it.
            drop(unsafe { Box::from_raw(content) });
        }
        capsule
    }
}

/// What a capsule points to. The consumer sees the first field.
#[repr(C)]
struct Content<M> {
    managed: M,
    exported: Exported,
}

/// Frees what a capsule points to. It may be called by any thread, with the GIL or without: nothing in it
/// is Python's.
///
/// # Safety
/// `managed` came from a capsule made here, and is not used again.
unsafe extern "C" fn delete<M>(managed: *mut M) {
    // SAFETY: `managed` is the first field of the content, which came from `Box::into_raw`.
    drop(unsafe { Box::from_raw(managed.cast::<Content<M>>()) });
}

/// Frees what is in a capsule that nobody used.
///
/// # Safety
/// Python calls it once, when the capsule ends.
unsafe extern "C" fn delete_unused<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule is alive, and a consumer that took the content out has changed its name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) == 1 {
            let content = ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr());
            delete::<M>(content.cast());
        }
    }
}
