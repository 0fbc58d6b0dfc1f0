//! `situ_event`: handles of submitted work in the C interface.

use std::ffi::c_int;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use situ_runtime::Event;

use super::call::Call;
use crate::detach::detach;
use crate::event::PyEvent;

/// An event; native code knows nothing of what is inside.
pub(super) struct CEvent(Event);

impl From<Event> for CEvent {
    fn from(event: Event) -> Self {
        Self(event)
    }
}

/// Events that new work waits for. The layout is the header's.
#[repr(C)]
pub(super) struct Events {
    events: *const *const CEvent,
    count: usize,
}

impl Call<'_> {
    /// The events that new work waits for; `None` if its data decides.
    ///
    /// # Safety
    /// It is null, or leads to as many handles as it says.
    pub(super) unsafe fn events(&self, after: *const Events) -> PyResult<Option<Vec<Event>>> {
        // SAFETY: as the caller promises.
        unsafe {
            let Some(after) = after.as_ref() else {
                return Ok(None);
            };
            let events = self.list(after.events, after.count, "after")?;
            let events = events.iter().map(|event| {
                let event = self.borrow(*event, "after")?;
                Ok(event.0.clone())
            });
            events.collect::<PyResult<_>>().map(Some)
        }
    }
}

/// `event_from_object`: the event of a `situ.Event`.
pub(super) unsafe extern "C" fn event_from_object(object: *mut ffi::PyObject) -> *const CEvent {
    Call::handle("event_from_object", |call| {
        // SAFETY: the header asks for an object.
        let object = unsafe { call.object_at(object, "object") }?;
        match object.cast::<PyEvent>() {
            Ok(event) => Ok(CEvent(event.get().event.clone())),
            Err(_) => Err(PyTypeError::new_err(format!(
                "expected a situ.Event, not `{}`\n  help: `submit`, `host_task` and the like return events",
                object.get_type().name()?
            ))),
        }
    })
}

/// `event_to_object`: a `situ.Event`.
pub(super) unsafe extern "C" fn event_to_object(event: *const CEvent) -> *mut ffi::PyObject {
    Call::object("event_to_object", |call| {
        // SAFETY: the header asks for a handle.
        let event = unsafe { call.borrow(event, "event") }?.0.clone();
        Py::new(call.py, PyEvent { event })
    })
}

/// `event_is_complete`: whether the work has ended, well or not.
pub(super) unsafe extern "C" fn event_is_complete(event: *const CEvent) -> c_int {
    // SAFETY: the header asks for a handle, or null.
    let event = unsafe { event.as_ref() };
    c_int::from(event.is_none_or(|event| event.0.is_complete()))
}

/// `event_wait`: returns when the work has ended.
pub(super) unsafe extern "C" fn event_wait(event: *const CEvent) -> c_int {
    Call::status("event_wait", |call| {
        // SAFETY: the header asks for a handle.
        let event = unsafe { call.borrow(event, "event") }?;
        detach(call.py, || event.0.wait())
    })
}
