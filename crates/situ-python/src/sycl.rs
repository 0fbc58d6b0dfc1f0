//! Objects of dpctl, and of other packages that hand SYCL's objects around, as situ sees them.
//!
//! They travel in capsules: `SyclQueueRef` and `SyclContextRef`, which carry the address of a `sycl::queue`
//! or `sycl::context`. Objects of dpctl make one with `_get_capsule()`, and dpctl takes any object that
//! does. A capsule is good for one use and renamed then; it deletes what it carries at its end.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::ptr::NonNull;

use pyo3::exceptions::{PyModuleNotFoundError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyString, PyType};
use situ_runtime::backend::sycl::{self, sharing};
use situ_runtime::{BackendKind, Context, Queue, Result as RuntimeResult};

use crate::context::PyContext;
use crate::detach::detach;
use crate::device::PyDevice;
use crate::error::exceptions::InternalError;
use crate::queue::PyQueue;

/// What a sort of capsule carries, and what it is called before and after its use.
struct Sort {
    name: &'static CStr,
    used_name: &'static CStr,
}

static QUEUE: Sort = Sort {
    name: c"SyclQueueRef",
    used_name: c"used_SyclQueueRef",
};

static CONTEXT: Sort = Sort {
    name: c"SyclContextRef",
    used_name: c"used_SyclContextRef",
};

/// The queue that an object of another package stands for; `None` if it is not that sort of object.
///
/// # Errors
/// If the capsule was used before, or situ cannot use the queue.
pub(crate) fn queue_from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Queue>> {
    let Some(found) = QUEUE.find(object)? else {
        return Ok(None);
    };
    // SAFETY: the capsule's name says what it carries.
    found.take(|address| unsafe { sharing::adopt_queue(address) })
}

/// The queue that an object of another package belongs to: an array, its device, or a device of dpctl's;
/// `None` if it is no such object.
///
/// # Errors
/// If situ cannot use the queue.
pub(crate) fn queue_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Queue>> {
    // situ's own devices are devices of dpctl to programs that `situ.compat` runs.
    let is_own = object.is_instance_of::<PyDevice>();
    if is_own || object.is_instance_of::<PyString>() || object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    if let Some(queue) = object.getattr_opt("sycl_queue")? {
        return queue_from_python(&queue);
    }
    // Devices of dpctl have no capsules, but its queues take them. Before dpctl is imported there are none.
    let modules = object.py().import("sys")?.getattr("modules")?;
    let Ok(dpctl) = modules.get_item("dpctl") else {
        return Ok(None);
    };
    let class = dpctl.getattr_opt("SyclDevice")?;
    if !class.is_some_and(|class| object.is_instance(&class).unwrap_or(false)) {
        return Ok(None);
    }
    queue_from_python(&dpctl.getattr("SyclQueue")?.call1((object,))?)
}

/// The context that an object of another package stands for; `None` if it is not that sort of object.
///
/// # Errors
/// As [`queue_from_python`].
pub(crate) fn context_from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Context>> {
    let Some(found) = CONTEXT.find(object)? else {
        return Ok(None);
    };
    // SAFETY: the capsule's name says what it carries.
    found.take(|address| unsafe { sharing::adopt_context(address) })
}

/// A capsule with a queue.
///
/// # Errors
/// If it is not a queue of SYCL's.
pub(crate) fn queue_capsule<'py>(
    py: Python<'py>,
    queue: &Queue,
) -> PyResult<Bound<'py, PyCapsule>> {
    let address = detach(py, || sharing::export_queue(queue).map(Address))?;
    QUEUE.capsule(py, address, delete_queue)
}

/// A capsule with a context.
///
/// # Errors
/// If it is not a context of SYCL's.
pub(crate) fn context_capsule<'py>(
    py: Python<'py>,
    context: &Context,
) -> PyResult<Bound<'py, PyCapsule>> {
    let address = detach(py, || sharing::export_context(context).map(Address))?;
    CONTEXT.capsule(py, address, delete_context)
}

/// A queue as dpctl's own; `None` if it is not SYCL's, or there is no dpctl.
///
/// # Errors
/// What the SYCL runtime fails at.
pub(crate) fn known_to_dpctl<'py>(
    py: Python<'py>,
    queue: &Queue,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if queue.device().backend() != BackendKind::Sycl {
        return Ok(None);
    }
    match to_dpctl("SyclQueue", &queue_capsule(py, queue)?) {
        Ok(queue) => Ok(Some(queue)),
        Err(error) if error.is_instance_of::<PyModuleNotFoundError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The number that DLPack has for a queue's device. `None` if it is not SYCL's, there is no dpctl, or its context is not
/// the one that DLPack means, which is its platform's own.
///
/// # Errors
/// What the SYCL runtime fails at.
pub(crate) fn dlpack_device_of_queue(py: Python<'_>, queue: &Queue) -> PyResult<Option<i32>> {
    let Some(queue) = known_to_dpctl(py, queue)? else {
        return Ok(None);
    };
    let device = queue.getattr("sycl_device")?;
    let platform = device.getattr("sycl_platform")?;
    if !queue
        .getattr("sycl_context")?
        .eq(platform.getattr("default_context")?)?
    {
        return Ok(None);
    }
    // Parts of a device have the number of the whole.
    let whole = device.call_method0("get_unpartitioned_parent_device")?;
    whole.call_method0("get_device_id")?.extract().map(Some)
}

/// A queue of the device that has a number for DLPack.
///
/// # Errors
/// If there is no such device, or none that situ can use.
pub(crate) fn queue_of_dlpack_device(py: Python<'_>, number: i32) -> PyResult<Queue> {
    let dpctl = py.import("dpctl")?;
    let queue = dpctl.getattr("SyclQueue")?.call1((number.to_string(),))?;
    queue_from_python(&queue)?.ok_or_else(|| {
        InternalError::new_err("situ broke one of its own rules: a queue of dpctl is no queue")
    })
}

/// An object of a class of dpctl, made from a capsule.
///
/// # Errors
/// `ModuleNotFoundError` without dpctl; what dpctl raises.
pub(crate) fn to_dpctl<'py>(
    class: &str,
    capsule: &Bound<'py, PyCapsule>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = capsule.py();
    let dpctl = py.import("dpctl").map_err(|error| {
        if !error.is_instance_of::<PyModuleNotFoundError>(py) {
            return error;
        }
        PyModuleNotFoundError::new_err(format!(
            "cannot make a `dpctl.{class}`\n  why:  the package `dpctl` is not installed where this \
             Python looks for packages\n  help: pip install dpctl"
        ))
    })?;
    dpctl.getattr(class)?.call1((capsule,))
}

/// Says how to find dpctl's library: asked for when a device could be SYCL's, not before.
pub(crate) fn install() {
    sycl::set_library_finder(find_library);
}

/// The library in the installed package, which is not imported for that.
fn find_library() -> Option<PathBuf> {
    let places: Option<Vec<PathBuf>> = Python::try_attach(|py| {
        let spec = py
            .import("importlib.util")?
            .call_method1("find_spec", ("dpctl",))?;
        if spec.is_none() {
            return Ok(Vec::new());
        }
        spec.getattr("submodule_search_locations")?.extract()
    })
    .and_then(|places: PyResult<_>| places.ok());
    let files = places?.into_iter().map(|place| place.join(sycl::FILE_NAME));
    files.into_iter().find(|file| file.exists())
}

/// An address that may go to another thread and come back.
struct Address(NonNull<c_void>);

// SAFETY: it is an address; whoever uses what is there answers for it.
unsafe impl Send for Address {}

/// A capsule that can be used.
struct Found<'py> {
    capsule: Bound<'py, PyCapsule>,
    sort: &'static Sort,
}

impl Sort {
    /// The capsule that an object is, or makes; `None` if it is no such object, or one of situ's own.
    fn find<'py>(&'static self, object: &Bound<'py, PyAny>) -> PyResult<Option<Found<'py>>> {
        if object.is_instance_of::<PyQueue>() || object.is_instance_of::<PyContext>() {
            return Ok(None);
        }
        let made = match object.cast::<PyCapsule>() {
            Ok(_) => object.clone(),
            Err(_) => match object.getattr_opt("_get_capsule")? {
                Some(make) => make.call0()?,
                None => return Ok(None),
            },
        };
        let Ok(capsule) = made.cast_into::<PyCapsule>() else {
            return Ok(None);
        };
        if capsule.is_valid_checked(Some(self.name)) {
            let sort = self;
            return Ok(Some(Found { capsule, sort }));
        }
        if capsule.is_valid_checked(Some(self.used_name)) {
            let name = self.name.to_string_lossy();
            return Err(PyValueError::new_err(format!(
                "this capsule `{name}` cannot be used\n  why:  it was used before, and a capsule is \
                 good for one use\n  help: make a new one with `_get_capsule()`"
            )));
        }
        Ok(None)
    }

    /// A new capsule.
    fn capsule<'py>(
        &'static self,
        py: Python<'py>,
        address: Address,
        delete: unsafe extern "C" fn(*mut ffi::PyObject),
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // SAFETY: the destructor takes what is in there, from whichever thread.
        unsafe {
            PyCapsule::new_with_pointer_and_destructor(py, address.0, self.name, Some(delete))
        }
    }

    /// What a capsule at the end of its life carries.
    ///
    /// # Safety
    /// This is called by a capsule's destructor.
    unsafe fn content(&self, capsule: *mut ffi::PyObject) -> Option<NonNull<c_void>> {
        // SAFETY: the names are asked for before the content is.
        unsafe {
            let names = [self.name, self.used_name];
            let name = names
                .into_iter()
                .find(|name| ffi::PyCapsule_IsValid(capsule, name.as_ptr()) == 1)?;
            NonNull::new(ffi::PyCapsule_GetPointer(capsule, name.as_ptr()))
        }
    }
}

impl Found<'_> {
    /// Uses the capsule up, if what it carries is accepted.
    fn take<T: Send>(
        &self,
        accept: impl FnOnce(NonNull<c_void>) -> RuntimeResult<T> + Send,
    ) -> PyResult<Option<T>> {
        let py = self.capsule.py();
        let address = Address(self.capsule.pointer_checked(Some(self.sort.name))?);
        let accepted = detach(py, move || {
            // All of it moves, not only the field.
            let address = address;
            accept(address.0)
        })?;
        // SAFETY: the name lives for ever.
        unsafe { ffi::PyCapsule_SetName(self.capsule.as_ptr(), self.sort.used_name.as_ptr()) };
        Ok(Some(accepted))
    }
}

unsafe extern "C" fn delete_queue(capsule: *mut ffi::PyObject) {
    // SAFETY: only capsules of `queue_capsule` have this destructor.
    unsafe {
        if let Some(address) = QUEUE.content(capsule) {
            sharing::delete_queue(address);
        }
    }
}

unsafe extern "C" fn delete_context(capsule: *mut ffi::PyObject) {
    // SAFETY: only capsules of `context_capsule` have this destructor.
    unsafe {
        if let Some(address) = CONTEXT.content(capsule) {
            sharing::delete_context(address);
        }
    }
}
