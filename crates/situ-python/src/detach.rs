//! The one way to let go of the GIL.
//!
//! Anything that may take longer than a few microseconds (compiling, launching, copying, waiting)
//! runs inside [`detach`], so that other Python threads go on. The closure cannot touch Python.

use pyo3::prelude::*;

use crate::error::IntoPyErr;
use crate::warnings;

/// Runs `work` without the GIL, turns its error into a Python exception and passes warnings on.
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
    let result = py.detach(work).map_err(|error| error.into_py_err(py))?;
    warnings::deliver(py)?;
    Ok(result)
}
