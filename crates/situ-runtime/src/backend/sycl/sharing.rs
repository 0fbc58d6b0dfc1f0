//! Queues, contexts and memory that situ and other users of the SYCL runtime have in common.
//!
//! Objects go in and out as addresses of `sycl::queue` and `sycl::context`, which is what the capsules
//! `SyclQueueRef` and `SyclContextRef` of Python packages carry. An address that comes in is only looked
//! at; situ keeps a copy. One that goes out is a copy for whoever asked.
//!
//! What order holds between work of situ's and of others is told in [`crate::queue`]'s `companion`.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use super::api::{FailedCall, IN_ORDER, PROFILING, ignore_failure};
use super::device::{self, SyclDevice};
use super::discovery;
use super::driver::SyclDriver;
use super::handle::{ContextRef, Handle, Owned, QueueRef};
use super::library::SyclLibrary;
use super::places;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::usm::{Allocation, Memory, Owner, UsmKind};
use crate::queue::companion::Companion;
use crate::queue::{Queue, QueueProperties, WeakQueue};

/// Queues that came in or went out, so that each stays one queue.
static KNOWN: Mutex<Vec<WeakQueue>> = Mutex::new(Vec::new());

/// A queue of the SYCL runtime's that others know, too.
struct SharedQueue {
    queue: Owned<QueueRef>,
    device: Arc<SyclDevice>,
}

impl Companion for SharedQueue {
    fn wait(&self) -> Result<()> {
        self.device.check_process()?;
        // SAFETY: the queue is alive.
        let waited = unsafe { self.queue.library().api.queue_wait(self.queue.raw()) };
        waited.map_err(|failed| self.device.failed(failed))
    }

    fn run(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        device::submit_to(&self.device, self.queue.raw(), work)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The queue that works in a `sycl::queue`: on its device, in its context. The same one every time.
///
/// # Safety
/// The address is that of a `sycl::queue` of the SYCL runtime that situ uses.
///
/// # Errors
/// [`Error::SyclMissing`]; [`Error::SyclDeviceRefused`]; what the runtime fails at.
pub unsafe fn adopt_queue(address: NonNull<c_void>) -> Result<Queue> {
    let library = library()?;
    let given = QueueRef::at(address);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|queue| queue.upgrade().is_some());
    let same = |queue: &Queue| {
        shared(queue).is_some_and(|own| {
            // SAFETY: both are alive.
            let equal = unsafe { library.api.queue_are_equal(own.queue.raw(), given) };
            equal.unwrap_or(false)
        })
    };
    if let Some(queue) = known.iter().filter_map(WeakQueue::upgrade).find(same) {
        return Ok(queue);
    }
    // SAFETY: the caller answers for the address. What is made is this call's.
    let (copy, context, id, properties) = unsafe {
        let api = &library.api;
        let copy = own(library, "DPCTLQueue_Copy", api.queue_copy(given))?;
        let context = own(library, "DPCTLQueue_GetContext", api.queue_context(given))?;
        let id = own(library, "DPCTLQueue_GetDevice", api.queue_device(given))?;
        let properties = QueueProperties {
            in_order: api.queue_is_in_order(given).unwrap_or(false),
            enable_profiling: api.queue_has_profiling(given).unwrap_or(false),
        };
        (copy, context, id, properties)
    };
    let (device, context) = places::find(context, &id)?;
    let companion = SharedQueue {
        queue: copy,
        device: Arc::clone(driver_of(&device)?.device()),
    };
    let queue = Queue::over(context, device, properties);
    queue.share(Arc::new(companion));
    known.push(queue.downgrade());
    Ok(queue)
}

/// The address of a new `sycl::queue` object that stands for a queue; the same `sycl::queue` every time.
/// [`delete_queue`] takes it back.
///
/// # Errors
/// [`Error::NotSycl`] for queues of other devices; what the runtime fails at.
pub fn export_queue(queue: &Queue) -> Result<NonNull<c_void>> {
    let driver = driver_of(queue.device())?;
    let device = driver.device();
    device.check_process()?;
    let own = match shared(queue) {
        Some(own) => own,
        None => share(queue, device)?,
    };
    let library = own.queue.library();
    // SAFETY: the queue is alive, and the copy is for the caller.
    let copy = unsafe { library.api.queue_copy(own.queue.raw()) };
    address_of(device, "DPCTLQueue_Copy", copy)
}

/// Gives a queue of situ's one of the SYCL runtime's.
fn share<'a>(queue: &'a Queue, device: &Arc<SyclDevice>) -> Result<&'a SharedQueue> {
    let mut properties: c_int = 0;
    if queue.properties().in_order {
        properties |= IN_ORDER;
    }
    if queue.properties().enable_profiling {
        properties |= PROFILING;
    }
    let library = device.library();
    // SAFETY: context and device are alive; the handler may be called from any thread.
    let made = unsafe {
        let (context, id) = (device.context.raw(), device.id.raw());
        let made = library
            .api
            .queue_create(context, id, ignore_failure, properties);
        library.own("DPCTLQueue_Create", made)
    };
    let companion = SharedQueue {
        queue: made.map_err(|failed| device.failed(failed))?,
        device: Arc::clone(device),
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    queue.share(Arc::new(companion));
    known.push(queue.downgrade());
    shared(queue).ok_or(Error::Internal {
        invariant: "a queue that was shared has a companion of its backend",
    })
}

/// Takes the object back that [`export_queue`] made.
///
/// # Safety
/// It did, and nobody uses it after.
pub unsafe fn delete_queue(address: NonNull<c_void>) {
    // SAFETY: as the caller promises.
    unsafe { delete(QueueRef::at(address)) };
}

/// The context that stands for a `sycl::context`. The same one every time.
///
/// # Safety
/// The address is that of a `sycl::context` of the SYCL runtime that situ uses.
///
/// # Errors
/// As [`adopt_queue`].
pub unsafe fn adopt_context(address: NonNull<c_void>) -> Result<Context> {
    let library = library()?;
    // SAFETY: the caller answers for the address, and the copy is this call's.
    let copy = unsafe { library.api.context_copy(ContextRef::at(address)) };
    places::context(own(library, "DPCTLContext_Copy", copy)?)
}

/// The address of a new `sycl::context` object that stands for a context. [`delete_context`] takes it
/// back.
///
/// # Errors
/// As [`export_queue`].
pub fn export_context(context: &Context) -> Result<NonNull<c_void>> {
    let device = driver_of(&context.devices()[0])?.device();
    device.check_process()?;
    // SAFETY: the context is alive, and the copy is for the caller.
    let copy = unsafe { device.library().api.context_copy(device.context.raw()) };
    address_of(device, "DPCTLContext_Copy", copy)
}

/// Takes the object back that [`export_context`] made.
///
/// # Safety
/// It did, and nobody uses it after.
pub unsafe fn delete_context(address: NonNull<c_void>) {
    // SAFETY: as the caller promises.
    unsafe { delete(ContextRef::at(address)) };
}

/// USM memory that somebody else allocated in the context of a queue, used in place. `owner` is dropped
/// when situ does not need it any more.
///
/// # Safety
/// There are as many bytes at the address, and they stay as long as `owner` does.
///
/// # Errors
/// [`Error::NotSycl`]; [`Error::NotUsmHere`] if it is not memory of that context.
pub unsafe fn import_memory(
    queue: &Queue,
    address: usize,
    size_bytes: usize,
    owner: Owner,
) -> Result<Arc<Allocation>> {
    let device = driver_of(queue.device())?.device();
    device.check_process()?;
    let nowhere = Error::NotUsmHere {
        address,
        device: queue.device().filter_string(),
    };
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address);
    let Some(start) = NonNull::new(start) else {
        return Err(nowhere);
    };
    let last = start.as_ptr().wrapping_add(size_bytes.saturating_sub(1));
    let kind = usm_kind(device, start.as_ptr())?;
    let (Some(kind), true) = (kind, usm_kind(device, last)? == kind) else {
        return Err(nowhere);
    };
    // SAFETY: the caller answers for the bytes; the runtime says that they are of this kind and context.
    let memory = unsafe { Memory::foreign(queue.context(), start, size_bytes, kind, owner) };
    Ok(Allocation::foreign(memory))
}

/// What sort of memory an address belongs to; `None` for memory of others.
fn usm_kind(device: &SyclDevice, address: *mut u8) -> Result<Option<UsmKind>> {
    // SAFETY: any address may be asked about, and the context is alive.
    let answer = unsafe {
        let api = &device.library().api;
        api.pointer_type(address.cast(), device.context.raw())
    };
    match answer.map_err(|failed| device.failed(failed))? {
        1 => Ok(Some(UsmKind::Device)),
        2 => Ok(Some(UsmKind::Shared)),
        3 => Ok(Some(UsmKind::Host)),
        _ => Ok(None),
    }
}

/// The queue of the SYCL runtime's that stands for one of situ's.
fn shared(queue: &Queue) -> Option<&SharedQueue> {
    queue.companion()?.as_any().downcast_ref()
}

fn driver_of(device: &Device) -> Result<&SyclDriver> {
    device.driver().as_sycl().ok_or_else(|| Error::NotSycl {
        device: device.filter_string(),
    })
}

/// The library that this process uses.
pub(super) fn library() -> Result<&'static SyclLibrary> {
    let found = discovery::process();
    if let Err(problem) = &found.report.library {
        let problem = problem.clone();
        return Err(Error::SyclMissing { problem });
    }
    let library = found.library.ok_or(Error::Internal {
        invariant: "a library that was found is kept",
    })?;
    if !library.is_of_this_process() {
        return Err(Error::DriverLostInFork {
            device: "the SYCL runtime".to_owned(),
        });
    }
    Ok(library)
}

/// Takes over what a call made, for whichever device.
pub(super) fn own<H: Handle>(
    library: &'static SyclLibrary,
    call: &'static str,
    made: Result<H, FailedCall>,
) -> Result<Owned<H>> {
    // SAFETY: callers pass what was made for them.
    unsafe { library.own(call, made) }.map_err(|FailedCall { call, message }| Error::SyclFailed {
        device: "a device of another package".to_owned(),
        subject: None,
        call,
        message,
    })
}

fn address_of<H: Handle>(
    device: &SyclDevice,
    call: &'static str,
    made: Result<H, FailedCall>,
) -> Result<NonNull<c_void>> {
    let address = made.map(|made| NonNull::new(made.address()));
    address
        .and_then(|address| {
            address.ok_or(FailedCall {
                call,
                message: None,
            })
        })
        .map_err(|failed| device.failed(failed))
}

/// # Safety
/// The object is alive, and nobody uses it after.
unsafe fn delete<H: Handle>(object: H) {
    if let Some(library) = discovery::process().library
        && library.is_of_this_process()
    {
        // SAFETY: as the caller promises.
        unsafe { object.delete(&library.api) };
    }
}
