//! The one way to let go of the GIL.
//!
//! Anything that may take longer than a few microseconds (compiling, launching, copying, waiting)
//! runs inside [`detach`], so that other Python threads go on. The closure cannot touch Python.

use pyo3::prelude::*;

use crate::error::IntoPyErr;

/// Runs `work` without the GIL and turns its error into a Python exception.
///
/// # Errors
/// What `work` returns.
pub(crate) fn detach<T, E>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: IntoPyErr + Send,
{
    py.detach(work).map_err(|error| error.into_py_err(py))
}
