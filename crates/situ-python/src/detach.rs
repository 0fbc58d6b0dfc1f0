//! The one way to let go of the GIL.
//!
//! Anything that may take longer than a few microseconds (compiling, launching, copying, waiting)
//! runs inside [`detach`], so that other Python threads go on. The closure cannot touch Python.

use pyo3::prelude::*;
use situ_runtime::backend::stack;
use situ_runtime::submission;

use crate::error::IntoPyErr;
use crate::kernel::messages;
use crate::{interrupt, site, warnings};

/// Runs `work` without the GIL, turns its error into a Python exception and passes warnings on.
///
/// Commands it leaves pending learn which line of the user's program they come from.
///
/// # Errors
/// What `work` returns, or a warning that Python was told to treat as an error.
pub(crate) fn detach<T, E>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: IntoPyErr + Send,
{
    // The thread is the user's, and may have a small stack.
    let (result, submissions) = py
        .detach(|| stack::with_ordinary_bytes(|| submission::collect(work)))
        .map_err(|error| error.into_py_err(py))?;
    // Finding the caller's line takes a microsecond, so only work that outlives this call gets one.
    if !submissions.is_empty()
        && let Some(site) = site::caller(py)
    {
        submissions.locate(&site);
    }
    // What a kernel printed before it failed helps to find out why.
    messages::deliver(py)?;
    // A signal handler's exception is what the user expects, not the wait it ended.
    let result = result.map_err(|error| {
        let own = error.into_py_err(py);
        interrupt::take().unwrap_or(own)
    })?;
    warnings::deliver(py)?;
    Ok(result)
}
