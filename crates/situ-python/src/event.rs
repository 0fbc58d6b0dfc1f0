//! `situ.Event`: the handle of submitted work.

use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_runtime::{Event, Profile};

use crate::call::{call, visit};
use crate::detach::detach;
use crate::device::hash_of;
use crate::error::{IntoPyErr, guard};
use crate::warnings;

/// The handle of submitted work.
///
/// Made by `Queue.submit`, `Queue.host_task` and the like; made by hand, it is complete. An event can
/// be awaited in a coroutine.
///
/// Examples
/// --------
/// >>> import situ
/// >>> queue = situ.Queue()
/// >>> event = queue.barrier()
/// >>> event.wait()
/// >>> event.status
/// 'complete'
#[pyclass(frozen, name = "Event", module = "situ")]
#[derive(Clone)]
pub(crate) struct PyEvent {
    pub(crate) event: Event,
}

#[pymethods]
impl PyEvent {
    /// An event that is complete, for places that ask for one.
    #[new]
    fn new() -> Self {
        Self {
            event: Event::complete(),
        }
    }

    /// `"submitted"`, `"running"` or `"complete"`.
    #[getter]
    fn status(&self) -> &'static str {
        self.event.status().name()
    }

    /// Whether the work has ended; `wait` tells how.
    #[getter]
    fn is_complete(&self) -> bool {
        self.event.is_complete()
    }

    /// The events it still waits for, by name or because they use the same data.
    #[getter]
    fn dependencies(&self) -> Vec<Self> {
        let events = self.event.dependencies();
        events.into_iter().map(|event| Self { event }).collect()
    }

    /// Waits until the work is done, and raises what went wrong.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<()> {
        guard(|| detach(py, || self.event.wait()))
    }

    /// Waits for several events, then raises the first failure among them.
    #[staticmethod]
    fn wait_for(py: Python<'_>, events: &Bound<'_, PyAny>) -> PyResult<()> {
        guard(|| {
            let events = events_from_python(events)?;
            detach(py, || Event::wait_for_all(&events))
        })
    }

    /// When it was submitted, in nanoseconds of a clock that all queues share.
    #[getter]
    fn submit_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.profile(py).map(|profile| profile.submit_ns)
    }

    /// When it began to run.
    #[getter]
    fn start_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.profile(py).map(|profile| profile.start_ns)
    }

    /// When it ended.
    #[getter]
    fn end_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.profile(py).map(|profile| profile.end_ns)
    }

    /// Calls `callback(event)` on another thread as soon as the work has ended.
    fn add_done_callback(slf: &Bound<'_, Self>, callback: Bound<'_, PyAny>) -> PyResult<()> {
        guard(|| {
            if !callback.is_callable() {
                return Err(PyTypeError::new_err(format!(
                    "a callback is a function of one argument, the event, not `{}`",
                    callback.get_type().name()?
                )));
            }
            let arguments = PyTuple::new(slf.py(), [slf])?.unbind();
            let callback = callback.unbind();
            slf.get().event.on_complete(move |_| {
                // At the end of the interpreter there is nobody left to call.
                visit(|py| {
                    let callback = callback.into_bound(py);
                    if let Err(error) = call(&callback, &arguments.into_bound(py)) {
                        error.write_unraisable(py, Some(&callback));
                    }
                });
            });
            Ok(())
        })
    }

    /// `await event` in a coroutine waits without blocking the loop.
    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("situ._asyncio")?;
        module
            .call_method1("future_of", (slf,))?
            .call_method0("__await__")
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.event == other.event
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.event)
    }

    fn __repr__(&self) -> String {
        let status = self.event.status().name();
        match self.event.label() {
            Some(label) => format!("<situ.Event of {label}, {status}>"),
            None => format!("<situ.Event {status}>"),
        }
    }
}

impl PyEvent {
    fn profile(&self, py: Python<'_>) -> PyResult<Profile> {
        self.event.profile().map_err(|error| error.into_py_err(py))
    }
}

/// The events of any sequence of them; one event stands for itself.
pub(crate) fn events_from_python(events: &Bound<'_, PyAny>) -> PyResult<Vec<Event>> {
    if let Ok(event) = events.cast::<PyEvent>() {
        return Ok(vec![event.get().event.clone()]);
    }
    let wrong = |object: &Bound<'_, PyAny>| -> PyErr {
        let kind = object.get_type().name();
        let kind = kind.map_or_else(|_| "object".to_owned(), |kind| kind.to_string());
        PyTypeError::new_err(format!(
            "expected events, not `{kind}`\n  why:  `depends` names what a command waits for\n  help: pass a list of the \
             events that `submit`, `host_task` and the like return; if the kernel has a parameter `depends`, pass it by \
             position"
        ))
    };
    let mut found = Vec::new();
    for object in events.try_iter().map_err(|_| wrong(events))? {
        let object = object?;
        let event = object.cast::<PyEvent>().map_err(|_| wrong(&object))?;
        found.push(event.get().event.clone());
    }
    Ok(found)
}

/// How long a wait may go on before it looks whether the user pressed Ctrl-C.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

/// Waits for pending work at the end of the interpreter, but not for ever, and tells what failed
/// unseen. True if nothing is pending any more.
#[pyfunction]
pub(crate) fn wait_at_exit(py: Python<'_>, seconds: f64) -> PyResult<bool> {
    guard(|| {
        let mut left = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let is_done = loop {
            let slice = left.min(BETWEEN_SIGNALS);
            if py.detach(|| situ_runtime::queue::wait_for_all(slice)) {
                break true;
            }
            py.check_signals()?;
            left -= slice;
            if left.is_zero() {
                break false;
            }
        };
        situ_runtime::memory::idle_trim::stop();
        situ_runtime::queue::warn_of_unseen_failures();
        warnings::deliver(py)?;
        Ok(is_done)
    })
}
