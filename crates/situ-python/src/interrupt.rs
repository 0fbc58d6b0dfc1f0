//! Ctrl-C while situ works.
//!
//! Work in the runtime does not hold the GIL, so Python cannot act on signals until it returns. The
//! runtime asks this module now and then; the exception that a signal handler raises (as a rule
//! `KeyboardInterrupt`) ends waits and stops kernels, and reaches the user from the call that did the work.

use std::cell::RefCell;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use situ_runtime::interrupt::is_inside_work;

thread_local! {
    /// What a signal handler raised during the present call.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// The same, for a caller who may have dropped it.
    static REPEATED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Has the runtime ask about signals.
pub(crate) fn install() {
    situ_runtime::interrupt::install(is_requested);
}

fn is_requested() -> bool {
    // At the end of the interpreter there are no signal handlers left.
    let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
    let is_raised = raised.is_some();
    if is_raised {
        RAISED.set(raised);
    }
    is_raised
}

/// The exception that ended the present call on this thread, if one did.
pub(crate) fn take(py: Python<'_>) -> Option<PyErr> {
    let raised = RAISED.take();
    REPEATED.set(raised.as_ref().map(|error| error.clone_ref(py)));
    raised
}

/// Raises again what ended the last call on this thread, if nothing else was done since.
///
/// # Errors
/// That exception.
pub(crate) fn check_repeated() -> PyResult<()> {
    REPEATED.take().map_or(Ok(()), Err)
}

/// Refuses what would wait for a kernel that a signal handler has interrupted on this very thread.
///
/// It begins a call, so that what ended an earlier one is forgotten.
///
/// # Errors
/// `RuntimeError` inside of such a handler.
pub(crate) fn check() -> PyResult<()> {
    REPEATED.set(None);
    if is_inside_work() {
        return Err(PyRuntimeError::new_err(
            "a signal handler cannot use situ while a kernel runs on its thread\n  \
             why:  the kernel goes on when the handler returns, and may hold what the handler needs\n  \
             help: set a variable in the handler and act on it afterwards, or raise an exception, which \
             stops the kernel",
        ));
    }
    Ok(())
}
