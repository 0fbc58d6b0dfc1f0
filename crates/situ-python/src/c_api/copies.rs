//! Copies and fills in the C interface: commands, each with an event for whoever wants one.

use std::ffi::{c_int, c_void};

use pyo3::prelude::*;
use situ_runtime::memory::copy;
use situ_runtime::memory::host_copy::{HostEnd, enqueue_host_copy};
use situ_runtime::memory::transfer::{End, transfer, transfer_after};

use super::call::Call;
use super::event::{CEvent, Events};
use super::memory::CMemory;
use super::queue::CQueue;
use crate::detach::detach;

/// A place in memory. The layout is the header's.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Place {
    memory: *const CMemory,
    byte_offset: usize,
}

/// `enqueue_copy`: copies bytes from one place to another, of any device.
pub(super) unsafe extern "C" fn enqueue_copy(
    queue: *const CQueue,
    to: Place,
    from: Place,
    size_bytes: usize,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    Call::status("enqueue_copy", |call| {
        // SAFETY: the header asks for handles, and for a place for one.
        let (queue, target, source, after) = unsafe {
            (
                call.borrow(queue, "queue")?.queue(),
                call.borrow(to.memory, "to")?,
                call.borrow(from.memory, "from")?,
                call.events(after)?,
            )
        };
        target.check_writable()?;
        let destination = End {
            queue,
            allocation: target.allocation(),
            byte_offset: to.byte_offset,
        };
        let origin = End {
            queue: if source.queue().context() == queue.context() {
                queue
            } else {
                source.queue()
            },
            allocation: source.allocation(),
            byte_offset: from.byte_offset,
        };
        let submitted = detach(call.py, || match &after {
            Some(events) => transfer_after(origin, destination, size_bytes, events),
            None => transfer(origin, destination, size_bytes),
        })?;
        // SAFETY: as above.
        unsafe { Call::give(event, submitted) };
        Ok(())
    })
}

/// `enqueue_fill`: sets bytes to one value.
pub(super) unsafe extern "C" fn enqueue_fill(
    queue: *const CQueue,
    to: Place,
    size_bytes: usize,
    value: u8,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    Call::status("enqueue_fill", |call| {
        // SAFETY: the header asks for handles, and for a place for one.
        let (queue, target, after) = unsafe {
            (
                call.borrow(queue, "queue")?.queue(),
                call.borrow(to.memory, "to")?,
                call.events(after)?,
            )
        };
        target.check_writable()?;
        let (allocation, at) = (target.allocation(), to.byte_offset);
        let submitted = detach(call.py, || match &after {
            Some(events) => copy::fill_after(queue, (allocation, at), size_bytes, value, events),
            None => copy::fill(queue, allocation, at, size_bytes, value),
        })?;
        // SAFETY: as above.
        unsafe { Call::give(event, submitted) };
        Ok(())
    })
}

/// `enqueue_copy_from_host`: copies bytes of the host to a place.
pub(super) unsafe extern "C" fn enqueue_copy_from_host(
    queue: *const CQueue,
    to: Place,
    source: *const c_void,
    size_bytes: usize,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    Call::status("enqueue_copy_from_host", |call| {
        if source.is_null() && size_bytes > 0 {
            return Err(call.wrong("source", "it is NULL"));
        }
        let host = HostBytes {
            end: HostEnd::Source(source.cast()),
            size_bytes,
        };
        // SAFETY: the header asks for handles, a place for one, and bytes of the host that stay.
        unsafe { copy_with_host(call, queue, to, host, after, event) }
    })
}

/// `enqueue_copy_to_host`: copies bytes from a place to the host.
pub(super) unsafe extern "C" fn enqueue_copy_to_host(
    queue: *const CQueue,
    destination: *mut c_void,
    from: Place,
    size_bytes: usize,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    Call::status("enqueue_copy_to_host", |call| {
        if destination.is_null() && size_bytes > 0 {
            return Err(call.wrong("destination", "it is NULL"));
        }
        let host = HostBytes {
            end: HostEnd::Destination(destination.cast()),
            size_bytes,
        };
        // SAFETY: as in `enqueue_copy_from_host`.
        unsafe { copy_with_host(call, queue, from, host, after, event) }
    })
}

/// Bytes of the host at one end of a copy.
#[derive(Clone, Copy)]
struct HostBytes {
    end: HostEnd,
    size_bytes: usize,
}

// SAFETY: the header asks for bytes that nobody else uses, whichever thread copies them.
unsafe impl Send for HostBytes {}

/// Submits a copy between the host and a place.
///
/// # Safety
/// Handles are alive, `event` is null or a place for one, and the host's bytes stay until the copy has ended.
unsafe fn copy_with_host(
    call: &Call<'_>,
    queue: *const CQueue,
    place: Place,
    host: HostBytes,
    after: *const Events,
    event: *mut *const CEvent,
) -> PyResult<()> {
    let is_written = matches!(host.end, HostEnd::Source(_));
    let name = if is_written { "to" } else { "from" };
    // SAFETY: as the caller promises.
    let (queue, memory, after) = unsafe {
        (
            call.borrow(queue, "queue")?.queue(),
            call.borrow(place.memory, name)?,
            call.events(after)?,
        )
    };
    if is_written {
        memory.check_writable()?;
    }
    let (allocation, at) = (memory.allocation(), place.byte_offset);
    let submitted = detach(call.py, move || {
        // The whole, and not only the pointer in it, goes to where the GIL is not held.
        let HostBytes { end, size_bytes } = { host };
        // SAFETY: as the caller promises.
        unsafe { enqueue_host_copy(queue, end, (allocation, at), size_bytes, after.as_deref()) }
    })?;
    // SAFETY: as the caller promises.
    unsafe { Call::give(event, submitted) };
    Ok(())
}
