//! Functions of native packages as commands of a queue.

use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use situ_runtime::HostError;
use situ_runtime::memory::host_task::MemoryUse;

use super::call::Call;
use super::codes::{Access, HOST_ACCESSIBLE};
use super::event::{CEvent, Events};
use super::memory::CMemory;
use super::queue::CQueue;
use crate::detach::detach;
use crate::error::IntoPyErr;

/// Memory that a function uses, and how. The layout is the header's.
#[repr(C)]
pub(super) struct Use {
    memory: *const CMemory,
    access: i32,
}

/// The function: 0, or another number and the reason, in as many bytes as there are.
type Run = unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> c_int;

/// A function and what it needs. The layout is the header's.
#[repr(C)]
pub(super) struct HostCall {
    name: *const c_char,
    run: Option<Run>,
    data: *mut c_void,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    uses: *const Use,
    use_count: usize,
}

/// What the function is called with; destroyed when it has run, or will not.
struct Payload {
    data: *mut c_void,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

// SAFETY: the header asks for data that any thread may use and destroy.
unsafe impl Send for Payload {}

impl Drop for Payload {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: it is called once, with what it was registered with.
            unsafe { destroy(self.data) };
        }
    }
}

/// How many bytes a function has for its reason, with the zero at the end.
const REASON_BYTES: usize = 512;

impl Payload {
    fn call(self, run: Run) -> Result<(), HostError> {
        let mut reason = [0_u8; REASON_BYTES];
        // SAFETY: the header asks for a function of this type, which writes no more bytes than there are.
        let code = unsafe { run(self.data, reason.as_mut_ptr().cast(), REASON_BYTES) };
        drop(self);
        if code == 0 {
            return Ok(());
        }
        let reason = CStr::from_bytes_until_nul(&reason).unwrap_or_default();
        Err(Arc::new(Failure {
            code,
            reason: reason.to_string_lossy().into_owned(),
        }))
    }
}

/// A function that returned something else than 0.
#[derive(Debug)]
struct Failure {
    code: c_int,
    reason: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, reason } = self;
        if reason.is_empty() {
            return write!(formatter, "the native function returned {code}");
        }
        write!(formatter, "{reason} (the native function returned {code})")
    }
}

impl Error for Failure {}

/// `enqueue_host_call`: a function runs in its turn on a queue, after the work that uses the same memory.
pub(super) unsafe extern "C" fn enqueue_host_call(
    queue: *const CQueue,
    call: *const HostCall,
    after: *const Events,
    event: *mut *const CEvent,
) -> c_int {
    // SAFETY: the header asks for a description, or null.
    let described = unsafe { call.as_ref() };
    // From here on the data is situ's to destroy, whatever happens.
    let payload = described.map(|call| Payload {
        data: call.data,
        destroy: call.destroy,
    });
    Call::status("enqueue_host_call", move |call| {
        let (Some(described), Some(payload)) = (described, payload) else {
            return Err(call.wrong("call", "it is NULL"));
        };
        let run = described.run;
        let run = run.ok_or_else(|| call.wrong("call", "its function `run` is NULL"))?;
        // SAFETY: the header asks for handles, a text, and as many uses as it says.
        let (queue, name, uses, after) = unsafe {
            (
                call.borrow(queue, "queue")?.queue(),
                call.text(described.name, "name")?,
                call.list(described.uses, described.use_count, "uses")?,
                call.events(after)?,
            )
        };
        let uses = uses.iter().map(|each| call.memory_use(each));
        let uses = uses.collect::<PyResult<Vec<_>>>()?;
        let submitted = detach(call.py, || {
            queue.host_task_over(name, &uses, after.as_deref(), move || payload.call(run))
        })?;
        // SAFETY: the header asks for a place for a handle, or null.
        unsafe { Call::give(event, submitted) };
        Ok(())
    })
}

impl Call<'_> {
    /// A use of memory, if the host can use it that way.
    fn memory_use<'a>(&self, each: &'a Use) -> PyResult<MemoryUse<'a>> {
        // SAFETY: the header asks for a handle.
        let memory: &CMemory = unsafe { self.borrow(each.memory, "uses") }?;
        let allocation = memory.allocation();
        if memory.flags() & HOST_ACCESSIBLE == 0 {
            let refused = situ_array::Error::NotHostAccessible {
                device: memory.queue().device().filter_string(),
                usm_kind: allocation.kind(),
            };
            return Err(refused.into_py_err(self.py));
        }
        match self.access(each.access)? {
            Access::Read => Ok(MemoryUse::Read(allocation)),
            Access::Write => {
                memory.check_writable()?;
                Ok(MemoryUse::Write(allocation))
            }
        }
    }
}
