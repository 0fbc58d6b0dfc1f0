//! Where in the user's Python program a call comes from.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_runtime::submission::Site;

/// The innermost line of Python that is not situ's own; `None` if there is none.
pub(crate) fn caller(py: Python<'_>) -> Option<Site> {
    find(py).ok().flatten()
}

fn find(py: Python<'_>) -> PyResult<Option<Site>> {
    static GET_FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get_frame = GET_FRAME.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("sys")?.getattr("_getframe")?.unbind())
    })?;
    let mut frame = get_frame.bind(py).call0()?;
    while !frame.is_none() {
        let module = frame.getattr("f_globals")?.get_item("__name__");
        let is_ours = module.is_ok_and(|name| {
            let name = name.extract::<Cow<'_, str>>().unwrap_or_default();
            name == "situ" || name.starts_with("situ.")
        });
        if !is_ours {
            let file: String = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
            return Ok(Some(Site {
                file: file.into(),
                line: frame.getattr("f_lineno")?.extract()?,
            }));
        }
        frame = frame.getattr("f_back")?;
    }
    Ok(None)
}
