//! The table of functions that native packages call, and the capsule it comes in.
//!
//! Names and their order are those of `situ_api` in `situ.h`. New functions go to the end and count [`MINOR`] up, there
//! and here; nothing else may change.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::array::{self, CArray};
use super::codes;
use super::copies::{self, Place};
use super::device::CDevice;
use super::event::{self, CEvent, Events};
use super::handle::{release, retain};
use super::host_call::{self, HostCall};
use super::kernel;
use super::memory::{self, CMemory, Deleter};
use super::placement;
use super::queue::{self, CQueue};

/// Changes when programs that were compiled before would not run any more. It is part of both names below.
const MAJOR: u32 = 1;

/// Changes when a function is added.
const MINOR: u32 = 0;

/// Where the capsule is found in `situ._native`.
pub(crate) const ATTRIBUTE: &str = "_C_API_V1";

/// The capsule's name.
const NAME: &CStr = c"situ.c_api.v1";

/// The functions. The layout is the header's.
#[repr(C)]
struct Api {
    size_bytes: usize,
    major: u32,
    minor: u32,

    queue_from_object: unsafe extern "C" fn(*mut PyObject) -> *const CQueue,
    queue_to_object: unsafe extern "C" fn(*const CQueue) -> *mut PyObject,
    queue_retain: unsafe extern "C" fn(*const CQueue) -> *const CQueue,
    queue_release: unsafe extern "C" fn(*const CQueue),
    queues_equivalent: unsafe extern "C" fn(*const CQueue, *const CQueue) -> c_int,
    queue_device: unsafe extern "C" fn(*const CQueue) -> *const CDevice,
    queue_wait: unsafe extern "C" fn(*const CQueue) -> c_int,

    event_from_object: unsafe extern "C" fn(*mut PyObject) -> *const CEvent,
    event_to_object: unsafe extern "C" fn(*const CEvent) -> *mut PyObject,
    event_retain: unsafe extern "C" fn(*const CEvent) -> *const CEvent,
    event_release: unsafe extern "C" fn(*const CEvent),
    event_is_complete: unsafe extern "C" fn(*const CEvent) -> c_int,
    event_wait: unsafe extern "C" fn(*const CEvent) -> c_int,

    memory_allocate: unsafe extern "C" fn(*const CQueue, usize, i32) -> *const CMemory,
    memory_from_object: unsafe extern "C" fn(*mut PyObject) -> *const CMemory,
    memory_adopt: Adopt,
    memory_to_object: unsafe extern "C" fn(*const CMemory) -> *mut PyObject,
    memory_retain: unsafe extern "C" fn(*const CMemory) -> *const CMemory,
    memory_release: unsafe extern "C" fn(*const CMemory),
    memory_wait: unsafe extern "C" fn(*const CMemory, i32) -> c_int,
    memory_share: unsafe extern "C" fn(*const CMemory) -> c_int,

    array_from_object: unsafe extern "C" fn(*mut PyObject) -> *const CArray,
    array_empty: unsafe extern "C" fn(*const CQueue, i32, i32, *const i64, i32) -> *const CArray,
    array_over: Over,
    array_to_object: unsafe extern "C" fn(*const CArray) -> *mut PyObject,
    array_retain: unsafe extern "C" fn(*const CArray) -> *const CArray,
    array_release: unsafe extern "C" fn(*const CArray),
    placement: FindPlacement,

    enqueue_copy: Copy,
    enqueue_fill: Fill,
    enqueue_copy_from_host: CopyFromHost,
    enqueue_copy_to_host: CopyToHost,
    enqueue_barrier:
        unsafe extern "C" fn(*const CQueue, *const Events, *mut *const CEvent) -> c_int,
    enqueue_host_call: CallHost,
    enqueue_kernel: LaunchKernel,

    dtype_from_object: unsafe extern "C" fn(*mut PyObject) -> i32,
    dtype_to_object: unsafe extern "C" fn(i32) -> *mut PyObject,
    dtype_name: extern "C" fn(i32) -> *const c_char,
    dtype_size: extern "C" fn(i32) -> usize,
}

type Adopt =
    unsafe extern "C" fn(*const CQueue, *mut c_void, usize, Deleter, *mut c_void) -> *const CMemory;
type Over = unsafe extern "C" fn(
    *const CMemory,
    *const CQueue,
    i32,
    i32,
    *const i64,
    *const i64,
    usize,
) -> *const CArray;
type FindPlacement = unsafe extern "C" fn(
    *const c_char,
    *const *const c_char,
    *const *const CArray,
    usize,
    *const CQueue,
    *mut *const CQueue,
    *mut i32,
) -> c_int;
type Copy = unsafe extern "C" fn(
    *const CQueue,
    Place,
    Place,
    usize,
    *const Events,
    *mut *const CEvent,
) -> c_int;
type Fill = unsafe extern "C" fn(
    *const CQueue,
    Place,
    usize,
    u8,
    *const Events,
    *mut *const CEvent,
) -> c_int;
type CopyFromHost = unsafe extern "C" fn(
    *const CQueue,
    Place,
    *const c_void,
    usize,
    *const Events,
    *mut *const CEvent,
) -> c_int;
type CopyToHost = unsafe extern "C" fn(
    *const CQueue,
    *mut c_void,
    Place,
    usize,
    *const Events,
    *mut *const CEvent,
) -> c_int;
type CallHost = unsafe extern "C" fn(
    *const CQueue,
    *const HostCall,
    *const Events,
    *mut *const CEvent,
) -> c_int;
type LaunchKernel = unsafe extern "C" fn(
    *mut PyObject,
    *mut PyObject,
    *mut PyObject,
    *const CQueue,
    *const Events,
    *mut *const CEvent,
) -> c_int;

static API: Api = Api {
    size_bytes: size_of::<Api>(),
    major: MAJOR,
    minor: MINOR,

    queue_from_object: queue::queue_from_object,
    queue_to_object: queue::queue_to_object,
    queue_retain: retain::<CQueue>,
    queue_release: release::<CQueue>,
    queues_equivalent: queue::queues_equivalent,
    queue_device: queue::queue_device,
    queue_wait: queue::queue_wait,

    event_from_object: event::event_from_object,
    event_to_object: event::event_to_object,
    event_retain: retain::<CEvent>,
    event_release: release::<CEvent>,
    event_is_complete: event::event_is_complete,
    event_wait: event::event_wait,

    memory_allocate: memory::memory_allocate,
    memory_from_object: memory::memory_from_object,
    memory_adopt: memory::memory_adopt,
    memory_to_object: memory::memory_to_object,
    memory_retain: retain::<CMemory>,
    memory_release: release::<CMemory>,
    memory_wait: memory::memory_wait,
    memory_share: memory::memory_share,

    array_from_object: array::array_from_object,
    array_empty: array::array_empty,
    array_over: array::array_over,
    array_to_object: array::array_to_object,
    array_retain: retain::<CArray>,
    array_release: release::<CArray>,
    placement: placement::placement,

    enqueue_copy: copies::enqueue_copy,
    enqueue_fill: copies::enqueue_fill,
    enqueue_copy_from_host: copies::enqueue_copy_from_host,
    enqueue_copy_to_host: copies::enqueue_copy_to_host,
    enqueue_barrier: queue::enqueue_barrier,
    enqueue_host_call: host_call::enqueue_host_call,
    enqueue_kernel: kernel::enqueue_kernel,

    dtype_from_object: codes::dtype_from_object,
    dtype_to_object: codes::dtype_to_object,
    dtype_name: codes::dtype_name,
    dtype_size: codes::dtype_size,
};

/// The capsule with the table.
///
/// # Errors
/// None but for lack of memory.
pub(crate) fn capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let table = NonNull::from(&API).cast::<c_void>();
    // SAFETY: the table is static, so there is nothing to free.
    unsafe { PyCapsule::new_with_pointer(py, table, NAME) }
}
