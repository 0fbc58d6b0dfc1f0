//! Ctrl-C during a wait.
//!
//! A wait in the runtime does not hold the GIL, so Python cannot act on signals until it returns. The
//! runtime asks this module now and then; the exception that a signal handler raises (as a rule
//! `KeyboardInterrupt`) ends the wait, and reaches the user from the call that waited.

use std::cell::RefCell;

use pyo3::prelude::*;

thread_local! {
    /// What a signal handler raised during the present wait.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Has the runtime ask about signals while it waits.
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

/// The exception that ended a wait on this thread, if one did.
pub(crate) fn take() -> Option<PyErr> {
    RAISED.take()
}
