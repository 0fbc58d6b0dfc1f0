//! Methods of `situ.ndarray` that bring data to another queue.
//!
//! What they have in common is in `situ_array::functions::moving`: memory that is accessible from the
//! destination is not copied.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use situ_array::functions::immediate;
use situ_array::functions::moving::{self, CopyPolicy, Destination};
use situ_array::placement::{Operation, Participant, Placer};
use situ_runtime::{Queue, UsmKind};

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::{IntoPyErr, guard};
use crate::operand::ArrayArgument;
use crate::{discarded_parts, dtype, host_memory, placement, queue, usm_interface, warnings};

#[pymethods]
impl PyArray {
    /// This array on a device; the memory stays if it is accessible from there.
    #[pyo3(signature = (device, /, *, stream = None))]
    fn to_device(
        &self,
        py: Python<'_>,
        device: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guard(|| {
            if stream.is_some() {
                return Err(PyValueError::new_err(
                    "`to_device` takes no `stream`\n  why:  the queue that `device` names does the \
                     work\n  help: pass a queue, e.g. `x.to_device(queue)`",
                ));
            }
            let queue = queue::select(py, Some(device))?;
            self.brought(py, &queue, CopyPolicy::IfNeeded)
        })
    }

    /// A copy of this array on a queue; on the current default queue if none is named.
    #[pyo3(signature = (selector = None, /))]
    fn copy_to(&self, py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        guard(|| {
            let queue = match placement::named(py, selector)? {
                Some(queue) => queue,
                None => placement::current(py)?,
            };
            self.brought(py, &queue, CopyPolicy::Always)
        })
    }

    /// This array where another one is; the memory stays if it is accessible from there.
    #[pyo3(signature = (other, /))]
    fn collocate(&self, py: Python<'_>, other: ArrayArgument<'_>) -> PyResult<Self> {
        let queue = other.get().array().queue();
        guard(|| self.brought(py, queue, CopyPolicy::IfNeeded))
    }

    /// This array as an array of a queue; the memory stays if it is accessible from there.
    #[pyo3(signature = (queue, /))]
    fn make_available(&self, py: Python<'_>, queue: &Bound<'_, PyAny>) -> PyResult<Self> {
        guard(|| {
            let queue = queue::select(py, Some(queue))?;
            self.brought(py, &queue, CopyPolicy::IfNeeded)
        })
    }
}

impl PyArray {
    fn brought(&self, py: Python<'_>, queue: &Queue, policy: CopyPolicy) -> PyResult<Self> {
        let destination = Destination {
            queue,
            usm_kind: None,
            dtype: None,
        };
        detach(py, || moving::bring(self.array(), destination, policy)).map(Self::new)
    }
}

/// Brings an array to a queue, as a kind of memory and a dtype; by default what it is now.
#[pyfunction]
#[pyo3(signature = (x, *, dtype = None, device = None, usm_type = None, copy = None))]
pub(crate) fn bring(
    x: &Bound<'_, PyArray>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
    copy: Option<bool>,
) -> PyResult<Py<PyArray>> {
    let py = x.py();
    guard(|| {
        let array = x.get().array();
        let queue = placement::named(py, device)?;
        let destination = Destination {
            queue: queue.as_ref().unwrap_or(array.queue()),
            usm_kind: usm_type
                .map(|name| host_memory::usm_kind(Some(name)))
                .transpose()?,
            dtype: dtype.map(dtype::from_python).transpose()?,
        };
        if let Some(dtype) = destination.dtype {
            discarded_parts::warn(py, array.dtype(), dtype)?;
        }
        let policy = match copy {
            None => CopyPolicy::IfNeeded,
            Some(true) => CopyPolicy::Always,
            Some(false) => CopyPolicy::Never,
        };
        if let (None, None, CopyPolicy::Always) = (device, usm_type, policy)
            && let Some(copy) =
                immediate::converted(array, destination.dtype.unwrap_or(array.dtype()))
        {
            warnings::deliver(py)?;
            return Py::new(py, PyArray::new(copy));
        }
        let brought = detach(py, || moving::bring(array, destination, policy))?;
        if brought.is_same_view(array) && brought.queue() == array.queue() {
            return Ok(x.clone().unbind());
        }
        Py::new(py, PyArray::new(brought))
    })
}

/// The queue and USM kind that the arrays on devices among nested lists and tuples agree on, or `None` if
/// there are none. A queue that is named decides instead.
#[pyfunction]
#[pyo3(signature = (nested, *, device = None))]
pub(crate) fn placement_of_nested(
    nested: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(queue::PyQueue, String)>> {
    let py = nested.py();
    guard(|| {
        let mut arrays = Vec::new();
        collect_arrays(nested, 0, &mut arrays)?;
        if arrays.is_empty() {
            return Ok(None);
        }
        if let Some(queue) = placement::named(py, device)? {
            let kinds = arrays.iter().map(|array| array.get().array().usm_kind());
            let usm_kind = kinds.min().unwrap_or(UsmKind::Device);
            return Ok(Some((queue::PyQueue { queue }, usm_kind.to_string())));
        }
        let names: Vec<_> = (1..=arrays.len())
            .map(|count| format!("x{count}"))
            .collect();
        let participants = arrays
            .iter()
            .map(|array| Participant::Array(array.get().array()));
        let placer = Placer {
            operation: Operation::Function("asarray"),
            explicit: None,
        };
        let placed = placer.place(names.iter().map(String::as_str).zip(participants));
        let placed = placed.map_err(|error| error.into_py_err(py))?;
        Ok(placed.map(|placed| {
            let queue = queue::PyQueue {
                queue: placed.queue,
            };
            (queue, placed.usm_kind.to_string())
        }))
    })
}

/// Nothing that can become an array is nested deeper than this; lists that contain themselves are.
const DEEPEST: usize = 64;

fn collect_arrays<'py>(
    nested: &Bound<'py, PyAny>,
    depth: usize,
    found: &mut Vec<Bound<'py, PyArray>>,
) -> PyResult<()> {
    if depth > DEEPEST {
        return Ok(());
    }
    let visit = |item: Bound<'py, PyAny>| collect_arrays(&item, depth + 1, found);
    if let Ok(list) = nested.cast::<PyList>() {
        list.iter().try_for_each(visit)?;
    } else if let Ok(tuple) = nested.cast::<PyTuple>() {
        tuple.iter().try_for_each(visit)?;
    } else if let Some(array) = usm_interface::array_of(nested)? {
        found.push(array);
    }
    Ok(())
}
