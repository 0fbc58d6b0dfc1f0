//! The one way to let go of the GIL.
//!
//! Anything that may take longer than a few microseconds (compiling, launching, copying, waiting)
//! runs inside [`detach`], so that other Python threads go on. The closure cannot touch Python.

use pyo3::prelude::*;
use situ_runtime::backend::stack;
use situ_runtime::interrupt::listen;
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
    interrupt::check()?;
    // The thread is the user's, and may have a small stack.
    let (result, submissions) = py
        .detach(|| stack::with_ordinary_bytes(|| submission::collect(|| listen(work))))
        .map_err(|error| error.into_py_err(py))?;
    // Finding the caller's line takes a microsecond, so only work that outlives this call gets one.
    if !submissions.is_empty()
        && let Some(site) = site::caller(py)
    {
        submissions.locate(&site);
    }
    let raised = interrupt::take(py);
    // What a kernel printed before it failed helps to find out why.
    messages::deliver(py)?;
    let result = result.map_err(|error| error.into_py_err(py));
    if let Some(raised) = raised {
        // A signal handler's exception is what the user expects, not the error of what it ended; but
        // that tells what became of the work.
        if let Err(own) = result {
            raised.add_note(py, own.value(py).to_string())?;
        }
        return Err(raised);
    }
    let result = result?;
    warnings::deliver(py)?;
    Ok(result)
}
