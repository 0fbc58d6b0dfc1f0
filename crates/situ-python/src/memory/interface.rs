//! Memory that other objects describe by `__sycl_usm_array_interface__`.
//!
//! Memory of situ itself is known by its address. Other memory is used in place if `syclobj` says which
//! context of the SYCL runtime it belongs to; the object that describes it is kept as long as situ
//! uses it.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use situ_array::placement::default_queue;
use situ_runtime::backend::sycl::sharing;
use situ_runtime::memory::exports;
use situ_runtime::{Allocation, BackendKind, Context, Error, Queue, QueueProperties};

use super::PyAllocation;
use super::description::{ATTRIBUTE, Description, shown};
use crate::array::PyArray;
use crate::context::PyContext;
use crate::detach::detach;
use crate::error::exceptions::AddressError;
use crate::error::{IntoPyErr, guard};
use crate::queue::{self, PyQueue};
use crate::sycl;

/// The allocation that an object's memory is part of.
#[pyfunction]
pub(crate) fn as_allocation(py: Python<'_>, obj: &Bound<'_, PyAny>) -> PyResult<Py<PyAllocation>> {
    guard(|| {
        if let Ok(allocation) = obj.cast::<PyAllocation>() {
            return Ok(allocation.clone().unbind());
        }
        if let Ok(array) = obj.cast::<PyArray>() {
            let array = array.get().array();
            let allocation = array.allocation().clone();
            detach(py, || allocation.settle())?;
            return Py::new(py, PyAllocation::new(allocation, array.queue().clone()));
        }
        let Some(interface) = obj.getattr_opt(ATTRIBUTE)? else {
            let kind = obj.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "`{kind}` is not USM memory\n  why:  it has no `{ATTRIBUTE}`\n  help: copy host data with \
                 `situ.asarray` or `Allocation.copy_from_host`"
            )));
        };
        let described = Description::read(obj, &interface)?;
        let (allocation, queue) = memory_of(&described, obj)?;
        Py::new(py, PyAllocation::new(allocation, queue))
    })
}

/// The address of an allocation for an object on a queue that describes it to other packages. Whoever knows it may read
/// and write the memory without telling: from now on nothing reads it late, and commands end where they are submitted.
pub(crate) fn exported(
    py: Python<'_>,
    allocation: &Arc<Allocation>,
    queue: &Queue,
) -> PyResult<usize> {
    if !allocation.is_shared() {
        allocation.share();
        detach(py, || allocation.wait_for_all())?;
    }
    Ok(exports::export(allocation, queue))
}

/// The memory that an object describes, and the queue that `syclobj` stands for.
///
/// # Errors
/// `AddressError` if there is no such memory, or not where `syclobj` says.
pub(crate) fn memory_of(
    described: &Description<'_>,
    owner: &Bound<'_, PyAny>,
) -> PyResult<(Arc<Allocation>, Queue)> {
    match known(described) {
        Some(allocation) => {
            let queue = queue_of_known(owner.py(), &allocation, described)?;
            Ok((allocation, queue))
        }
        None => import(described, owner),
    }
}

/// Memory that situ knows already. Of another package's memory it may know a part only; then the whole is
/// used as if it was seen for the first time.
fn known(described: &Description<'_>) -> Option<Arc<Allocation>> {
    let allocation = exports::find(described.address).ok()?;
    let start = allocation.as_ptr().addr();
    let end = start + allocation.size_bytes();
    let is_inside = start <= described.bytes.start && described.bytes.end <= end;
    (is_inside || !allocation.is_foreign()).then_some(allocation)
}

/// The queue for memory that situ knows: that of `syclobj`, or of whoever told of the memory where `syclobj`
/// names no queue.
fn queue_of_known(
    py: Python<'_>,
    allocation: &Arc<Allocation>,
    described: &Description<'_>,
) -> PyResult<Queue> {
    let context = allocation.context();
    let of_source = || {
        let queue = exports::queue_of(allocation);
        let queue = queue.filter(|queue| queue.context() == context);
        queue.map_or_else(|| queue_in(context, &context.devices()[0]), Ok)
    };
    let queue = match Place::of(described)? {
        None => of_source(),
        Some(Place::Queue(queue)) if queue.context() == context => Ok(queue),
        Some(Place::Context(place)) if place == *context => of_source(),
        Some(place @ (Place::Queue(_) | Place::Context(_))) => {
            return Err(elsewhere(described, context, &place));
        }
        Some(Place::Names(names)) => {
            let source = of_source().map_err(|error| error.into_py_err(py))?;
            let means = |queue: &Queue| queue.device() == source.device();
            if names.queues().iter().any(means) {
                return Ok(source);
            }
            return Err(elsewhere(described, context, &Place::Names(names)));
        }
    };
    queue.map_err(|error| error.into_py_err(py))
}

/// The refusal of memory that is not where `syclobj` says.
fn elsewhere(described: &Description<'_>, context: &Context, place: &Place<'_>) -> PyErr {
    let place = match place {
        Place::Queue(queue) => format!(
            "a queue of {} in context {}",
            queue.device().filter_string(),
            queue.context().id()
        ),
        Place::Context(context) => format!("context {}", context.id()),
        Place::Names(names) => names.text.clone(),
    };
    AddressError::new_err(format!(
        "the memory of `{}` at address {:#x} is not where it says\n  why:  its `syclobj` is {place}, and the \
         memory belongs to context {} of {}\n  help: pass a queue of the context that it was allocated in, \
         or copy the data",
        described.owner(),
        described.address,
        context.id(),
        context.devices()[0].filter_string()
    ))
}

/// Memory of another package, in place.
fn import(
    described: &Description<'_>,
    owner: &Bound<'_, PyAny>,
) -> PyResult<(Arc<Allocation>, Queue)> {
    let (py, address) = (owner.py(), described.address);
    let is_sycl = |queue: &Queue| queue.device().backend() == BackendKind::Sycl;
    let queue = match Place::of(described)? {
        None => None,
        Some(Place::Queue(queue)) => Some(queue).filter(is_sycl),
        Some(Place::Context(context)) => {
            let queue = queue_in(&context, &context.devices()[0]);
            Some(queue.map_err(|error| error.into_py_err(py))?).filter(is_sycl)
        }
        Some(Place::Names(names)) => {
            let queues = names.queues();
            if queues.is_empty() {
                return Err(names.refused(described));
            }
            queues.into_iter().find(is_sycl)
        }
    };
    let queue = queue.ok_or_else(|| Error::UnknownAddress { address }.into_py_err(py))?;
    let owner = Box::new(owner.clone().unbind());
    let Range { start, end } = described.bytes;
    let allocation = detach(py, || {
        // SAFETY: the object describes that many bytes and keeps them. That they are USM memory of this
        // context is checked.
        unsafe { sharing::import_memory(&queue, start, end - start, owner) }
    })?;
    Ok((allocation, queue))
}

/// What a `syclobj` says about where memory is.
enum Place<'py> {
    Queue(Queue),
    Context(Context),
    /// A device, by a name that may mean several.
    Names(Names<'py>),
}

/// A device by its name: a filter string, the three parts of one, or a number.
struct Names<'py> {
    /// What was given, for messages.
    text: String,
    /// As filter strings and numbers are selectors.
    selector: Bound<'py, PyAny>,
}

impl<'py> Place<'py> {
    /// What the entry says; `None` if there is none.
    fn of(described: &Description<'py>) -> PyResult<Option<Self>> {
        let Some(object) = &described.sycl_object else {
            return Ok(None);
        };
        if let Ok(queue) = object.cast::<PyQueue>() {
            return Ok(Some(Self::Queue(queue.get().queue.clone())));
        }
        if let Ok(context) = object.cast::<PyContext>() {
            return Ok(Some(Self::Context(context.get().context.clone())));
        }
        if let Some(queue) = sycl::queue_from_python(object)? {
            return Ok(Some(Self::Queue(queue)));
        }
        if let Some(context) = sycl::context_from_python(object)? {
            return Ok(Some(Self::Context(context)));
        }
        if let Some(selector) = selector(object)? {
            let text = shown(object);
            return Ok(Some(Self::Names(Names { text, selector })));
        }
        Err(AddressError::new_err(format!(
            "cannot tell where the memory of `{}` is\n  why:  its `syclobj` is {}\n  help: it must be a queue, \
             a context, a filter string such as \"opencl:gpu:0\", the three parts of one in a tuple, the \
             number of a device, or a capsule `SyclQueueRef` or `SyclContextRef`",
            described.owner(),
            shown(object)
        )))
    }
}

/// A name of a device as a selector; `None` if it is something else.
fn selector<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_number = object.is_instance_of::<pyo3::types::PyInt>()
        && !object.is_instance_of::<pyo3::types::PyBool>();
    if is_number || object.is_instance_of::<PyString>() {
        return Ok(Some(object.clone()));
    }
    let Ok(parts) = object.cast::<PyTuple>() else {
        return Ok(None);
    };
    if parts.len() != 3 {
        return Ok(None);
    }
    let parts: Vec<String> = parts
        .iter()
        .map(|part| part_name(&part))
        .collect::<PyResult<_>>()?;
    let name = PyString::new(object.py(), &parts.join(":"));
    Ok(Some(name.into_any()))
}

/// A part of a device's name. Those of dpctl may be members of an enumeration, which know their names.
fn part_name(part: &Bound<'_, PyAny>) -> PyResult<String> {
    match part.getattr_opt("name")? {
        Some(name) => Ok(name.str()?.to_string()),
        None => Ok(part.str()?.to_string()),
    }
}

impl Names<'_> {
    /// The queues that the name may stand for. Words of dpctl are not situ's: what dpctl calls `opencl:cpu:0`
    /// is a device of the backend `sycl` here.
    fn queues(&self) -> Vec<Queue> {
        let py = self.selector.py();
        let mut queues: Vec<Queue> = queue::select(py, Some(&self.selector))
            .into_iter()
            .collect();
        let dpctl = py.import("dpctl");
        // Without dpctl, or if it knows no such device or situ cannot use it, there is one meaning less.
        let made = dpctl.and_then(|dpctl| {
            let name = self.selector.str()?;
            dpctl.getattr("SyclQueue")?.call1((name,))
        });
        if let Ok(Some(queue)) = made.and_then(|made| sycl::queue_from_python(&made)) {
            queues.push(queue);
        }
        queues
    }

    fn refused(&self, described: &Description<'_>) -> PyErr {
        AddressError::new_err(format!(
            "cannot tell where the memory of `{}` is\n  why:  its `syclobj` is {}, which is no device \
             here\n  help: `situ.devices()` and `dpctl.get_devices()` list what there is",
            described.owner(),
            self.text
        ))
    }
}

/// A queue for memory of which only the context is known.
fn queue_in(context: &Context, device: &situ_runtime::Device) -> situ_runtime::Result<Queue> {
    if device.default_context() == context {
        return Ok(default_queue(device));
    }
    Queue::with_context(context, device, QueueProperties::default())
}
