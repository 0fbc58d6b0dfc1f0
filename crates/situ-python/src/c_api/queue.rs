//! `situ_queue`: queues in the C interface.

use std::ffi::c_int;
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use situ_runtime::{Event, Queue};

use super::call::Call;
use super::device::CDevice;
use super::event::{CEvent, Events};
use crate::array::PyArray;
use crate::detach::detach;
use crate::memory::as_allocation;
use crate::queue::{self, PyQueue};
use crate::{operand, placement};

/// A queue; native code knows nothing of what is inside.
pub(super) struct CQueue {
    queue: Queue,
    /// What is known about the device, once somebody has asked.
    device: OnceLock<CDevice>,
}

impl From<Queue> for CQueue {
    fn from(queue: Queue) -> Self {
        Self {
            queue,
            device: OnceLock::new(),
        }
    }
}

impl CQueue {
    pub(super) fn queue(&self) -> &Queue {
        &self.queue
    }
}

/// `queue_from_object`: the queue that an object stands for.
pub(super) unsafe extern "C" fn queue_from_object(selector: *mut ffi::PyObject) -> *const CQueue {
    Call::handle("queue_from_object", |call| {
        let py = call.py;
        // SAFETY: the header asks for an object, or null.
        let selector = unsafe { Bound::from_borrowed_ptr_or_opt(py, selector) };
        let Some(selector) = selector.filter(|selector| !selector.is_none()) else {
            return placement::current(py).map(CQueue::from);
        };
        let is_of_another_package =
            !selector.is_instance_of::<PyArray>() && operand::is_usm_memory(&selector);
        if is_of_another_package {
            let allocation = as_allocation(py, &selector)?;
            return Ok(allocation.get().runtime_queue().clone().into());
        }
        queue::select(py, Some(&selector)).map(CQueue::from)
    })
}

/// `queue_to_object`: a `situ.Queue`.
pub(super) unsafe extern "C" fn queue_to_object(queue: *const CQueue) -> *mut ffi::PyObject {
    Call::object("queue_to_object", |call| {
        // SAFETY: the header asks for a handle.
        let queue = unsafe { call.borrow(queue, "queue") }?.queue.clone();
        Py::new(call.py, PyQueue { queue })
    })
}

/// `queues_equivalent`: whether work may go to either.
pub(super) unsafe extern "C" fn queues_equivalent(
    one: *const CQueue,
    other: *const CQueue,
) -> c_int {
    // SAFETY: the header asks for handles, or null.
    let (one, other) = unsafe { (one.as_ref(), other.as_ref()) };
    let are_equivalent = one
        .zip(other)
        .is_some_and(|(one, other)| one.queue.is_equivalent(&other.queue));
    c_int::from(are_equivalent)
}

/// `queue_device`: what is known about the queue's device, for as long as the handle lives.
pub(super) unsafe extern "C" fn queue_device(queue: *const CQueue) -> *const CDevice {
    // SAFETY: the header asks for a handle, or null.
    let queue = unsafe { queue.as_ref() };
    queue.map_or(std::ptr::null(), |queue| {
        queue
            .device
            .get_or_init(|| CDevice::of(queue.queue.device()))
    })
}

/// `queue_wait`: returns when everything submitted so far has ended.
pub(super) unsafe extern "C" fn queue_wait(queue: *const CQueue) -> c_int {
    Call::status("queue_wait", |call| {
        // SAFETY: the header asks for a handle.
        let queue = unsafe { call.borrow(queue, "queue") }?;
        detach(call.py, || queue.queue.wait())
    })
}

/// `enqueue_barrier`: what is submitted later waits for these events, or for everything so far.
pub(super) unsafe extern "C" fn enqueue_barrier(
    queue: *const CQueue,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    Call::status("enqueue_barrier", |call| {
        // SAFETY: the header asks for handles, and for a place for one.
        unsafe {
            let queue = call.borrow(queue, "queue")?;
            let after: Option<Vec<Event>> = call.events(after)?;
            let submit = || queue.queue.barrier(&after.unwrap_or_default());
            Call::give(event, detach(call.py, submit)?);
        }
        Ok(())
    })
}
