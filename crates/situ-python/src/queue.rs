//! `situ.Queue`.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use situ_array::placement::default_queue;
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, HostError, Queue, QueueProperties};

use crate::array::PyArray;
use crate::call::{call, visit};
use crate::context::PyContext;
use crate::detach::detach;
use crate::device::{self, PyDevice, hash_of};
use crate::error::{IntoPyErr, guard};
use crate::event::{PyEvent, events_from_python};
use crate::kernel::PyKernel;
use crate::memory::{PyAllocation, count};
use crate::sycl;

/// Where kernels and copies are submitted.
///
/// Submitting returns an event and does not wait; only very short work is done at once. Reading
/// results waits for exactly the work they depend on.
///
/// Parameters
/// ----------
/// selector : str, Device, Context, ndarray or dpctl.SyclQueue, optional
///     What the queue is for. A device's queues share its default context, so that their arrays can be
///     combined. A queue of dpctl, or a capsule ``SyclQueueRef``, gives the queue that works in it, with
///     its device, context and properties.
/// device : Device or str, optional
///     One of the context's devices, if `selector` is a context.
/// in_order : bool, optional
///     Whether commands run one after the other. If not, each runs as soon as the commands that use
///     the same data, and the events it names, have ended.
/// enable_profiling : bool, optional
///     Whether events record times.
///
/// Examples
/// --------
/// >>> import situ
/// >>> queue = situ.Queue("cpu", in_order=False)
/// >>> x = situ.ones(3, queue=queue)
/// >>> queue.host_task(print, "hello from the host", depends=queue.barrier()).wait()
/// hello from the host
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
            if let (Some(object), None) = (selector, device)
                && let Some(queue) = sycl::queue_from_python(object)?
            {
                return Ok(Self { queue });
            }
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
                        "a queue is made for a selector, or for a situ.Context and one of its \
                         devices\n  help: leave `device` out, or pass a context first",
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
    #[pyo3(signature = (kernel, range, /, *arguments, depends = None, **keywords))]
    fn submit(
        &self,
        kernel: &Bound<'_, PyAny>,
        range: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        depends: Option<&Bound<'_, PyAny>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyEvent> {
        guard(|| {
            let kernel = kernel
                .cast::<PyKernel>()
                .map_err(|_| not_a_kernel(kernel))?;
            let events = depends.map(events_from_python).transpose()?;
            let kernel = kernel.get();
            let (queue, events) = (Some(&self.queue), events.as_deref());
            let event = kernel.submit(range, (arguments, keywords), queue, events)?;
            Ok(PyEvent { event })
        })
    }

    /// Copies bytes between allocations of this queue's context, and waits for the end.
    ///
    /// Parameters
    /// ----------
    /// destination, source : situ.memory.Allocation
    ///     Where to and where from; they may be the same, and ranges may overlap.
    /// size_bytes : int, optional
    ///     How many; by default as many as both have after the offsets.
    /// destination_offset, source_offset : int, optional
    ///     Where to begin, in bytes.
    #[pyo3(signature = (destination, source, size_bytes = None, *, destination_offset = None, source_offset = None))]
    fn copy(
        &self,
        py: Python<'_>,
        destination: &Bound<'_, PyAllocation>,
        source: &Bound<'_, PyAllocation>,
        size_bytes: Option<ByteCount>,
        destination_offset: Option<ByteCount>,
        source_offset: Option<ByteCount>,
    ) -> PyResult<()> {
        let (offsets, depends) = ((destination_offset, source_offset), None);
        let event = self.enqueue_copy(destination, source, size_bytes, offsets, depends)?;
        event.wait(py)
    }

    /// Submits a copy of bytes between allocations and returns its event; see `copy`.
    ///
    /// It waits for commands that use the same allocations, or, with `depends`, for exactly those
    /// events.
    #[pyo3(signature = (destination, source, size_bytes = None, *, destination_offset = None, source_offset = None, depends = None))]
    fn copy_async(
        &self,
        destination: &Bound<'_, PyAllocation>,
        source: &Bound<'_, PyAllocation>,
        size_bytes: Option<ByteCount>,
        destination_offset: Option<ByteCount>,
        source_offset: Option<ByteCount>,
        depends: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        let offsets = (destination_offset, source_offset);
        self.enqueue_copy(destination, source, size_bytes, offsets, depends)
    }

    /// Sets bytes of an allocation to one value, and waits for the end.
    #[pyo3(signature = (destination, value = 0, size_bytes = None, *, byte_offset = None))]
    fn fill(
        &self,
        py: Python<'_>,
        destination: &Bound<'_, PyAllocation>,
        value: u8,
        size_bytes: Option<ByteCount>,
        byte_offset: Option<ByteCount>,
    ) -> PyResult<()> {
        self.fill_async(destination, value, size_bytes, byte_offset, None)?
            .wait(py)
    }

    /// Submits a fill of an allocation's bytes and returns its event; see `fill`.
    #[pyo3(signature = (destination, value = 0, size_bytes = None, *, byte_offset = None, depends = None))]
    fn fill_async(
        &self,
        destination: &Bound<'_, PyAllocation>,
        value: u8,
        size_bytes: Option<ByteCount>,
        byte_offset: Option<ByteCount>,
        depends: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        guard(|| {
            let py = destination.py();
            let events = depends.map(events_from_python).transpose()?;
            let allocation = destination.get().allocation();
            let byte_offset = start(byte_offset);
            let rest = allocation.size_bytes().saturating_sub(byte_offset);
            let (place, len) = (
                (&**allocation, byte_offset),
                size_bytes.map_or(rest, |size| size.0),
            );
            let event = detach(py, || match &events {
                Some(events) => copy::fill_after(&self.queue, place, len, value, events),
                None => copy::fill(&self.queue, allocation, byte_offset, len, value),
            })?;
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
                let called =
                    visit(|py| call(&function.into_bound(py), &arguments.into_bound(py)).map(drop));
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

    /// The same queue as a `dpctl.SyclQueue`.
    ///
    /// It is the one that this queue was made from, or else one that both use from now on. Work that
    /// dpctl submits there, and work of situ, run one after the other where they use the same memory.
    ///
    /// Returns
    /// -------
    /// dpctl.SyclQueue
    ///     The queue.
    ///
    /// Raises
    /// ------
    /// situ.DeviceError
    ///     If the queue's device is not one of the backend ``sycl``.
    /// ModuleNotFoundError
    ///     If `dpctl` is not installed.
    fn to_dpctl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| sycl::to_dpctl("SyclQueue", &sycl::queue_capsule(py, &self.queue)?))
    }

    /// The same queue in a capsule ``SyclQueueRef``, as dpctl and packages that know it ask for it.
    fn _get_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guard(|| sycl::queue_capsule(py, &self.queue))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.queue == other.queue
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.queue)
    }

    /// A queue of a default context is equivalent to one made the same way in another process.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        guard(|| {
            let restore = py.import("situ._native")?.getattr("restore_queue")?;
            let properties = self.queue.properties();
            let state = (
                self.context(),
                self.device(),
                properties.in_order,
                properties.enable_profiling,
            );
            Ok((restore, state.into_pyobject(py)?))
        })
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

impl PyQueue {
    fn enqueue_copy(
        &self,
        destination: &Bound<'_, PyAllocation>,
        source: &Bound<'_, PyAllocation>,
        size_bytes: Option<ByteCount>,
        (destination_offset, source_offset): (Option<ByteCount>, Option<ByteCount>),
        depends: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        guard(|| {
            let py = destination.py();
            let events = depends.map(events_from_python).transpose()?;
            let to = (&**destination.get().allocation(), start(destination_offset));
            let from = (&**source.get().allocation(), start(source_offset));
            let rest = |(allocation, offset): (&Allocation, usize)| {
                allocation.size_bytes().saturating_sub(offset)
            };
            let len = size_bytes.map_or_else(|| rest(to).min(rest(from)), |size| size.0);
            let event = detach(py, || match &events {
                Some(events) => copy::copy_after(&self.queue, from, to, len, events),
                None => copy::copy(&self.queue, from, to, len),
            })?;
            Ok(PyEvent { event })
        })
    }
}

/// A number of bytes: a size or an offset.
struct ByteCount(usize);

impl<'py> FromPyObject<'_, 'py> for ByteCount {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        count(&object, "a number of bytes").map(Self)
    }
}

/// An offset; the start if it is left out.
fn start(offset: Option<ByteCount>) -> usize {
    offset.map_or(0, |offset| offset.0)
}

fn not_a_kernel(object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object.get_type().name();
    let kind = kind.map_or_else(|_| "object".to_owned(), |kind| kind.to_string());
    PyTypeError::new_err(format!(
        "`submit` takes a kernel, its range and its arguments, not `{kind}`\n  why:  only functions \
         decorated with `@situ.kernel` run on a device\n  help: decorate it, or use `host_task` to \
         call a Python function"
    ))
}

/// A function and its arguments, as pickle wants them.
type Pickled<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// A queue like the one that was pickled.
#[pyfunction]
pub(crate) fn restore_queue(
    py: Python<'_>,
    context: &PyContext,
    device: &PyDevice,
    in_order: bool,
    enable_profiling: bool,
) -> PyResult<PyQueue> {
    let properties = QueueProperties {
        in_order,
        enable_profiling,
    };
    Queue::with_context(&context.context, &device.device, properties)
        .map(|queue| PyQueue { queue })
        .map_err(|error| error.into_py_err(py))
}

/// The queue of the device that is always there.
///
/// # Errors
/// None that anybody has seen.
pub(crate) fn native(py: Python<'_>) -> PyResult<Queue> {
    let device = situ_runtime::selector::select("native");
    let device = device.map_err(|error| error.into_py_err(py))?;
    Ok(default_queue(&device))
}

/// The queue a selector means: a queue, also one of dpctl, an array's queue, also by the array's device and
/// of dpnp's arrays, another device's default queue, a new queue for a context and a device of it, a filter string, or the
/// default device's queue for `None`.
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
        if let Some(queue) = sycl::queue_from_python(object)? {
            return Ok(queue);
        }
        if let Some(queue) = sycl::queue_of(object)? {
            return Ok(queue);
        }
    }
    Ok(default_queue(&device::select(py, selector)?))
}
