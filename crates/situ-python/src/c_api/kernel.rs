//! Launches of `situ.Kernel` objects in the C interface.

use std::ffi::c_int;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::call::Call;
use super::event::{CEvent, Events};
use super::queue::CQueue;
use crate::kernel::PyKernel;

/// `enqueue_kernel`: launches a kernel over a range with a tuple of arguments.
pub(super) unsafe extern "C" fn enqueue_kernel(
    kernel: *mut ffi::PyObject,
    range: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    queue: *const CQueue,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    Call::status("enqueue_kernel", |call| {
        // SAFETY: the header asks for objects and handles.
        let (kernel, range, arguments, queue, after) = unsafe {
            (
                call.object_at(kernel, "kernel")?,
                call.object_at(range, "range")?,
                call.tuple_at(arguments, "arguments")?,
                queue.as_ref(),
                call.events(after)?,
            )
        };
        let Ok(kernel) = kernel.cast::<PyKernel>() else {
            return Err(PyTypeError::new_err(format!(
                "expected a situ.Kernel, not `{}`\n  help: decorate the function with `@situ.kernel`",
                kernel.get_type().name()?
            )));
        };
        let queue = queue.map(CQueue::queue);
        let submitted = kernel
            .get()
            .submit(&range, (&arguments, None), queue, after.as_deref())?;
        // SAFETY: the header asks for a place for a handle, or null.
        unsafe { Call::give(event, submitted) };
        Ok(())
    })
}
