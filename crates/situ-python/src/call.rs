//! The one way into Python for threads that are not Python's own: host tasks and callbacks.
//!
//! Such a thread may be in the middle of a user's function when the interpreter ends. Python before
//! 3.14 then makes it leave by `pthread_exit`, which unwinds through the Rust frames below; they
//! would give back a GIL they do not have, and abort the process. So the thread stays where it is
//! instead, until the process is gone, which is what Python 3.14 does by itself.
//!
//! Python makes a thread state for such a thread when it comes in, before it has the GIL. Another thread
//! may fork just then, and up to Python 3.11 the child waits for ever for the lock of the list of thread
//! states. So [`visit`] makes the thread state, while nobody forks.

use std::hint::black_box;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_runtime::fork;

/// The interpreter, for threads that do not have the GIL yet.
static INTERPRETER: AtomicPtr<ffi::PyInterpreterState> = AtomicPtr::new(ptr::null_mut());

/// Remembers the interpreter.
pub(crate) fn install(_: Python<'_>) {
    // SAFETY: the GIL is held.
    let interpreter = unsafe { ffi::PyInterpreterState_Get() };
    INTERPRETER.store(interpreter, Ordering::Release);
}

/// Enters Python from any thread; `None` if the interpreter is at its end.
pub(crate) fn visit<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let interpreter = INTERPRETER.load(Ordering::Acquire);
    // SAFETY: both may be asked at any time.
    let is_stranger =
        unsafe { ffi::Py_IsInitialized() != 0 && ffi::PyGILState_GetThisThreadState().is_null() };
    let made = if is_stranger && !interpreter.is_null() {
        // SAFETY: the interpreter is the one this module was loaded into, and it has not ended.
        fork::undivided(|| unsafe { ffi::PyThreadState_New(interpreter) })
    } else {
        ptr::null_mut()
    };
    Python::try_attach(|py| {
        if !made.is_null() {
            // The thread state counts the visit and us, who made it. Without us it ends with the visit,
            // as one that Python makes by itself.
            // SAFETY: the GIL is held, and stays so.
            unsafe { ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED) };
        }
        work(py)
    })
}

/// `PyObject_Call`, with the truth about its unwinding.
type Call = unsafe extern "C-unwind" fn(
    function: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Calls a user's function from a thread of situ's.
///
/// # Errors
/// What the function raises.
pub(crate) fn call<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    // The compiler must not see which function it is: PyO3 declares that it never unwinds.
    let address = black_box(ffi::PyObject_Call as *const ());
    // SAFETY: the same function under the same calling convention.
    let call = unsafe { mem::transmute::<*const (), Call>(address) };
    // Nothing may be declared between this and the call: it would be dropped first.
    let stay = StayForEver;
    // SAFETY: both objects are alive, and the GIL is held.
    let result = unsafe { call(function.as_ptr(), arguments.as_ptr(), ptr::null_mut()) };
    mem::forget(stay);
    // SAFETY: the call returned a new reference, or null and an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, result) }
}

/// Keeps a thread that is told to leave; forgotten when it is not.
struct StayForEver;

impl Drop for StayForEver {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}
