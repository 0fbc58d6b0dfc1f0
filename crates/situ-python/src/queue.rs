//! `situ.Queue`.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_array::placement::default_queue;
use situ_runtime::{HostError, Queue, QueueProperties};

use crate::array::PyArray;
use crate::context::PyContext;
use crate::detach::detach;
use crate::device::{self, PyDevice, hash_of};
use crate::error::{IntoPyErr, guard};
use crate::event::{PyEvent, events_from_python};
use crate::kernel::PyKernel;

/// Where kernels and copies are submitted.
#[pyclass(frozen, name = "Queue", module = "situ")]
#[derive(Clone)]
pub(crate) struct PyQueue {
    pub(crate) queue: Queue,
}

#[pymethods]
impl PyQueue {
    /// A new queue: for a selector or a device in its default context, or for a context and one of
    /// its devices.
    #[new]
    #[pyo3(signature = (selector = None, device = None, *, in_order = true, enable_profiling = false))]
    fn new(
        py: Python<'_>,
        selector: Option<&Bound<'_, PyAny>>,
        device: Option<&Bound<'_, PyAny>>,
        in_order: bool,
        enable_profiling: bool,
    ) -> PyResult<Self> {
        guard(|| {
            let properties = QueueProperties {
                in_order,
                enable_profiling,
            };
            let context = selector.and_then(|object| object.cast::<PyContext>().ok());
            let (context, device) = match (context, device) {
                (Some(context), None) => {
                    let context = context.get().context.clone();
                    let device = context.devices()[0].clone();
                    (context, device)
                }
                (Some(context), Some(_)) => {
                    (context.get().context.clone(), device::select(py, device)?)
                }
                (None, None) => {
                    let device = device::select(py, selector)?;
                    (device.default_context().clone(), device)
                }
                (None, Some(_)) => {
                    return Err(PyTypeError::new_err(
                        "a queue is made for a selector, or for a situ.Context and one of its devices",
                    ));
                }
            };
            Queue::with_context(&context, &device, properties)
                .map(|queue| Self { queue })
                .map_err(|error| error.into_py_err(py))
        })
    }

    /// The device that runs what is submitted here.
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice::from(self.queue.device().clone())
    }

    /// The context whose allocations work submitted here can use.
    #[getter]
    fn context(&self) -> PyContext {
        PyContext {
            context: self.queue.context().clone(),
        }
    }

    /// Whether commands run one after the other, in the order of submission.
    #[getter]
    fn in_order(&self) -> bool {
        self.queue.properties().in_order
    }

    /// Whether events record times.
    #[getter]
    fn enable_profiling(&self) -> bool {
        self.queue.properties().enable_profiling
    }

    /// How many commands were submitted and have not ended.
    #[getter]
    fn pending(&self) -> usize {
        self.queue.pending()
    }

    /// Submits a kernel over a range. It waits for commands that use the same arrays, or, with
    /// `depends`, for exactly those events.
    #[pyo3(signature = (kernel, range, /, *arguments, depends = None))]
    fn submit(
        &self,
        kernel: &Bound<'_, PyKernel>,
        range: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        depends: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        guard(|| {
            let events = depends.map(events_from_python).transpose()?;
            let kernel = kernel.get();
            let event = kernel.submit(range, arguments, &self.queue, events.as_deref())?;
            Ok(PyEvent { event })
        })
    }

    /// Calls a Python function with arguments on another thread, in its turn on this queue and after
    /// the events in `depends`.
    #[pyo3(signature = (function, /, *arguments, depends = None))]
    fn host_task(
        &self,
        function: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        depends: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        guard(|| {
            let py = function.py();
            if !function.is_callable() {
                return Err(PyTypeError::new_err(format!(
                    "a host task is a function and its arguments, not `{}`",
                    function.get_type().name()?
                )));
            }
            let name = function
                .getattr("__name__")
                .and_then(|name| name.extract::<String>())
                .unwrap_or_else(|_| "function".to_owned());
            let events = depends.map(events_from_python).transpose()?;
            let (function, arguments) = (function.clone().unbind(), arguments.clone().unbind());
            let work = move || -> Result<(), HostError> {
                // At the end of the interpreter there is nobody left to call.
                let called = Python::try_attach(|py| function.call1(py, arguments).map(drop));
                match called {
                    Some(Err(error)) => Err(Arc::new(error)),
                    Some(Ok(())) | None => Ok(()),
                }
            };
            let queue = &self.queue;
            let event = detach(py, || {
                queue.host_task(&name, &events.unwrap_or_default(), work)
            })?;
            Ok(PyEvent { event })
        })
    }

    /// An event that ends when those in `depends` have, or everything submitted so far. What is
    /// submitted later waits for it.
    #[pyo3(signature = (*, depends = None))]
    fn barrier(&self, py: Python<'_>, depends: Option<&Bound<'_, PyAny>>) -> PyResult<PyEvent> {
        guard(|| {
            let events = depends.map(events_from_python).transpose()?;
            let event = detach(py, || self.queue.barrier(&events.unwrap_or_default()))?;
            Ok(PyEvent { event })
        })
    }

    /// A barrier whose event has times, also on a queue that does not profile.
    fn marker(&self, py: Python<'_>) -> PyResult<PyEvent> {
        guard(|| {
            let event = detach(py, || self.queue.marker())?;
            Ok(PyEvent { event })
        })
    }

    /// Waits until everything submitted so far is done, and raises what went wrong.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        guard(|| detach(py, || self.queue.wait()))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.queue == other.queue
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.queue)
    }

    fn __repr__(&self) -> String {
        let QueueProperties {
            in_order,
            enable_profiling,
        } = self.queue.properties();
        let order = if in_order { "in order" } else { "out of order" };
        let profiling = if enable_profiling { ", profiling" } else { "" };
        format!(
            "<situ.Queue {} on {}, {order}{profiling}>",
            self.queue.id(),
            self.queue.device().filter_string()
        )
    }
}

/// The queue a selector means: a queue, an array's queue, also by the array's device, another device's
/// default queue, a new queue for a context and a device of it, a filter string, or the default
/// device's queue for `None`.
///
/// # Errors
/// `TypeError` if the object is none of these; `DeviceError` if no device fits.
pub(crate) fn select(py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<Queue> {
    if let Some(object) = selector {
        if let Ok(queue) = object.cast::<PyQueue>() {
            return Ok(queue.get().queue.clone());
        }
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(array.get().array().queue().clone());
        }
        if let Ok(device) = object.cast::<PyDevice>()
            && let Some(queue) = &device.get().queue
        {
            return Ok(queue.clone());
        }
        if let Ok(pair) = object.cast::<PyTuple>()
            && pair.len() == 2
            && let Ok(context) = pair.get_item(0)?.cast::<PyContext>()
        {
            let context = &context.get().context;
            let device = device::select(py, Some(&pair.get_item(1)?))?;
            let queue = Queue::with_context(context, &device, QueueProperties::default());
            return queue.map_err(|error| error.into_py_err(py));
        }
    }
    Ok(default_queue(&device::select(py, selector)?))
}
