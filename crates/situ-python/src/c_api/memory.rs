//! `situ_memory`: allocations in the C interface.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_runtime::backend::sycl::sharing;
use situ_runtime::memory::address_loan::AddressLoan;
use situ_runtime::memory::adopt;
use situ_runtime::{Allocation, BackendKind, Error, Queue};

use super::call::Call;
use super::codes::{self, Access, HOST_ACCESSIBLE, READ_ONLY};
use super::handle;
use super::queue::CQueue;
use crate::detach::detach;
use crate::memory::{PyAllocation, as_allocation, exported};

/// USM bytes. The layout is the header's.
#[repr(C)]
pub(super) struct CMemory {
    pointer: *mut c_void,
    size_bytes: usize,
    usm_kind: i32,
    flags: u32,
    /// A handle that belongs to this object.
    queue: *const CQueue,
    // What follows is not in the header.
    loan: AddressLoan,
}

// SAFETY: what is behind the pointers is shared memory and a queue, which any thread may use; see `Allocation`.
unsafe impl Send for CMemory {}
// SAFETY: as above.
unsafe impl Sync for CMemory {}

impl CMemory {
    /// For native code, which may write by the address while it holds this.
    ///
    /// # Errors
    /// If work that makes or reads the contents was put off and cannot be submitted.
    pub(super) fn new(
        allocation: &Arc<Allocation>,
        queue: Queue,
        is_read_only: bool,
    ) -> Result<Self, Error> {
        let loan = AddressLoan::new(allocation)?;
        let read_only = if is_read_only { READ_ONLY } else { 0 };
        let host = if allocation.is_host_accessible() {
            HOST_ACCESSIBLE
        } else {
            0
        };
        Ok(Self {
            pointer: allocation.as_ptr().cast(),
            size_bytes: allocation.size_bytes(),
            usm_kind: codes::usm_kind_code(allocation.kind()),
            flags: read_only | host,
            queue: handle::hand_out(queue.into()),
            loan,
        })
    }

    pub(super) fn allocation(&self) -> &Arc<Allocation> {
        self.loan.allocation()
    }

    pub(super) fn queue(&self) -> &Queue {
        // SAFETY: the handle belongs to this object.
        unsafe { &*self.queue }.queue()
    }

    pub(super) fn flags(&self) -> u32 {
        self.flags
    }

    /// Refuses memory that is not to be written.
    pub(super) fn check_writable(&self) -> PyResult<()> {
        if self.flags & READ_ONLY == 0 {
            return Ok(());
        }
        Err(PyValueError::new_err(
            "cannot write this memory\n  why:  the object it came from says that it is read-only\n  help: write to a \
             copy, e.g. one that `situ.asarray(x, copy=True)` makes",
        ))
    }
}

impl Drop for CMemory {
    fn drop(&mut self) {
        // SAFETY: the handle belongs to this object, which is gone.
        unsafe { handle::release(self.queue) };
    }
}

/// Whether an object that describes USM memory says that it must not be written.
///
/// Objects of `dpctl.memory` say `True` where the protocol has its read-only flag, and mean that they can be written.
pub(super) fn is_read_only(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = object.get_type().getattr("__module__")?.str()?;
    if module.to_string_lossy().starts_with("dpctl.memory") {
        return Ok(false);
    }
    let Some(interface) = object.getattr_opt("__sycl_usm_array_interface__")? else {
        return Ok(false);
    };
    let Ok(interface) = interface.cast_into::<PyDict>() else {
        return Ok(false);
    };
    let (_, is_read_only): (usize, bool) = match interface.get_item("data")? {
        Some(data) => data.extract()?,
        None => (0, false),
    };
    Ok(is_read_only)
}

/// `memory_allocate`: new USM bytes, their contents undefined.
pub(super) unsafe extern "C" fn memory_allocate(
    queue: *const CQueue,
    size_bytes: usize,
    usm_kind: i32,
) -> *const CMemory {
    Call::handle("memory_allocate", |call| {
        // SAFETY: the header asks for a handle.
        let queue = unsafe { call.borrow(queue, "queue") }?.queue();
        let kind = call.usm_kind(usm_kind)?;
        let allocation = detach(call.py, || Allocation::new(queue, size_bytes, kind))?;
        let queue = queue.clone();
        detach(call.py, || CMemory::new(&allocation, queue, false))
    })
}

/// `memory_from_object`: the USM memory that an object is, or views.
pub(super) unsafe extern "C" fn memory_from_object(object: *mut ffi::PyObject) -> *const CMemory {
    Call::handle("memory_from_object", |call| {
        // SAFETY: the header asks for an object.
        let object = unsafe { call.object_at(object, "object") }?;
        let found = as_allocation(call.py, &object)?;
        let found = found.get();
        let (allocation, queue) = (found.allocation().clone(), found.runtime_queue().clone());
        let is_read_only = is_read_only(&object)?;
        detach(call.py, || CMemory::new(&allocation, queue, is_read_only))
    })
}

/// Frees what `memory_adopt` was given.
pub(super) type Deleter = Option<unsafe extern "C" fn(*mut c_void)>;

/// Memory of the caller's, for as long as situ uses it.
struct Adopted {
    context: *mut c_void,
    deleter: Deleter,
}

// SAFETY: the header asks for a deleter that any thread may call.
unsafe impl Send for Adopted {}
// SAFETY: as above; nothing is done with it before it is dropped.
unsafe impl Sync for Adopted {}

impl Drop for Adopted {
    fn drop(&mut self) {
        if let Some(deleter) = self.deleter {
            // SAFETY: it is called once, with what it was registered with.
            unsafe { deleter(self.context) };
        }
    }
}

/// `memory_adopt`: the caller's memory as an allocation.
pub(super) unsafe extern "C" fn memory_adopt(
    queue: *const CQueue,
    pointer: *mut c_void,
    size_bytes: usize,
    deleter: Deleter,
    context: *mut c_void,
) -> *const CMemory {
    // From here on the memory is situ's to free, whatever happens.
    let owner = Adopted { context, deleter };
    Call::handle("memory_adopt", move |call| {
        // SAFETY: the header asks for a handle.
        let queue = unsafe { call.borrow(queue, "queue") }?.queue();
        let start = NonNull::new(pointer.cast::<u8>());
        let start = start.ok_or_else(|| call.wrong("pointer", "it is NULL"))?;
        let owner = Box::new(owner);
        let allocation = if queue.device().backend() == BackendKind::Sycl {
            let address = start.as_ptr().expose_provenance();
            // SAFETY: the header asks for as many bytes that stay until the deleter is called.
            detach(call.py, || unsafe {
                sharing::import_memory(queue, address, size_bytes, owner)
            })?
        } else {
            // SAFETY: as above.
            let adopted = unsafe { adopt::adopt(queue, start, size_bytes, owner) };
            adopted.ok_or_else(|| not_adoptable(queue))?
        };
        let queue = queue.clone();
        detach(call.py, || CMemory::new(&allocation, queue, false))
    })
}

fn not_adoptable(queue: &Queue) -> PyErr {
    PyValueError::new_err(format!(
        "{} cannot use this memory in place\n  why:  its kernels see memory of their own context only\n  help: allocate with \
         `memory_allocate`, and copy with `enqueue_copy_from_host`",
        queue.device().filter_string()
    ))
}

/// `memory_to_object`: a `situ.memory.Allocation`.
pub(super) unsafe extern "C" fn memory_to_object(memory: *const CMemory) -> *mut ffi::PyObject {
    Call::object("memory_to_object", |call| {
        // SAFETY: the header asks for a handle.
        let memory = unsafe { call.borrow(memory, "memory") }?;
        let allocation = PyAllocation::new(memory.allocation().clone(), memory.queue().clone());
        Py::new(call.py, allocation)
    })
}

/// `memory_wait`: returns when the host may read, or write, the memory.
pub(super) unsafe extern "C" fn memory_wait(memory: *const CMemory, access: i32) -> c_int {
    Call::status("memory_wait", |call| {
        // SAFETY: the header asks for a handle.
        let memory = unsafe { call.borrow(memory, "memory") }?;
        let access = call.access(access)?;
        detach(call.py, || match access {
            Access::Read => memory.allocation().wait_for_writes(),
            Access::Write => memory.allocation().wait_for_all(),
        })
    })
}

/// `memory_share`: tells situ that others will use the memory by its address.
pub(super) unsafe extern "C" fn memory_share(memory: *const CMemory) -> c_int {
    Call::status("memory_share", |call| {
        // SAFETY: the header asks for a handle.
        let memory = unsafe { call.borrow(memory, "memory") }?;
        let allocation = memory.allocation();
        allocation.share();
        detach(call.py, || allocation.wait_for_all())?;
        exported(call.py, allocation, memory.queue()).map(drop)
    })
}
