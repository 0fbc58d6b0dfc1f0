//! Where in the user's Python program a call comes from.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_runtime::submission::Site;

/// The innermost line of Python that is not situ's own; `None` if there is none.
pub(crate) fn caller(py: Python<'_>) -> Option<Site> {
    let site = |(frame, _): (Bound<'_, PyAny>, i32)| {
        let file: String = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
        Ok::<_, PyErr>(Site {
            file: file.into(),
            line: frame.getattr("f_lineno")?.extract()?,
        })
    };
    find(py).ok().flatten().and_then(|found| site(found).ok())
}

/// How far out that line is, as Python's `warnings` count: 1 for the innermost one.
pub(crate) fn level(py: Python<'_>) -> i32 {
    let found = find(py).ok().flatten();
    found.map_or(1, |(_, level)| level)
}

/// The innermost frame that is not situ's own, and how far out it is.
fn find(py: Python<'_>) -> PyResult<Option<(Bound<'_, PyAny>, i32)>> {
    static GET_FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get_frame = GET_FRAME.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("sys")?.getattr("_getframe")?.unbind())
    })?;
    let mut frame = get_frame.bind(py).call0()?;
    let mut level = 1;
    while !frame.is_none() {
        let module = frame.getattr("f_globals")?.get_item("__name__");
        let is_ours = module.is_ok_and(|name| {
            let name = name.extract::<Cow<'_, str>>().unwrap_or_default();
            name == "situ" || name.starts_with("situ.")
        });
        if !is_ours {
            return Ok(Some((frame, level)));
        }
        frame = frame.getattr("f_back")?;
        level += 1;
    }
    Ok(None)
}
