//! The one table that turns a Rust error into a Python exception.
//!
//! The classes live in `python/situ/exceptions.py`; this file only chooses among them. Every
//! function that Python can call runs its body inside [`guard`], so that a bug in situ reaches the
//! user as `situ.InternalError` and never as an aborted process or a bare Rust panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

/// The exception classes, imported from Python on first use.
mod exceptions {
    pyo3::import_exception!(situ.exceptions, InternalError);
}

/// Runs `body`; a panic inside it becomes `situ.InternalError`.
///
/// `AssertUnwindSafe` is right here because nothing `body` borrowed is looked at again after a
/// panic: the exception goes straight to the caller.
///
/// # Errors
///
/// What `body` returns, or `InternalError` when it panicked.
pub(crate) fn guard<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(internal_error(&*panic)))
}

/// The exception for a panic that was caught.
fn internal_error(panic: &(dyn Any + Send)) -> PyErr {
    let invariant = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message");
    exceptions::InternalError::new_err(format!(
        "situ broke one of its own rules: {invariant}\n  \
         why:  this is a bug in situ, not in your program\n  \
         help: please report it with the program that shows it; your data is unchanged where no \
         call had started writing it"
    ))
}
