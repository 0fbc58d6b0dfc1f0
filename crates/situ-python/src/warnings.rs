//! Warnings of the runtime, through Python's `warnings` module.
//!
//! The runtime collects them and prints nothing. They are delivered after a call into it, when the GIL
//! is held anyway, so that filters and `-W error` work as users expect.

use std::ffi::CString;

use crate::kernel::messages;
use pyo3::prelude::*;
use pyo3::types::PyType;
use situ_runtime::warnings::{Warning, process_sink};

/// Shows everything the runtime and kernels have to say. Costs two loads if that is nothing.
///
/// # Errors
/// The warning itself, if Python was told to treat it as an error; or what is wrong with printing.
pub(crate) fn deliver(py: Python<'_>) -> PyResult<()> {
    messages::deliver(py)?;
    let sink = process_sink();
    if sink.is_empty() {
        return Ok(());
    }
    let classes = py.import("situ.exceptions")?;
    for warning in sink.drain() {
        let name = match warning {
            Warning::CacheUnavailable { .. } | Warning::CacheEntryRefused { .. } => "CacheWarning",
            Warning::UnseenFailure { .. } => "UnseenFailureWarning",
            _ => "SituWarning",
        };
        let class = classes.getattr(name)?.cast_into::<PyType>()?;
        let message = CString::new(warning.to_string().replace('\0', "\\0"))
            .expect("zero bytes were replaced");
        PyErr::warn(py, &class, &message, 2)?;
    }
    Ok(())
}
