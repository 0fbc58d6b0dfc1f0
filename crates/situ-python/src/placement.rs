//! Placement as Python sees it: `queue=` arguments, `situ.placement_of`, `situ.queues_equivalent`.
//!
//! The decision itself is made in `situ_array::placement`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_array::functions::apply::Operand;
use situ_array::placement::explanation::{Decision, Explanation};
use situ_array::placement::{Operation, Participant, Placement, Placer};
use situ_runtime::{Queue, UsmKind};

use crate::array::PyArray;
use crate::context::PyContext;
use crate::device::PyDevice;
use crate::error::{IntoPyErr, guard};
use crate::queue::{self, PyQueue};
use crate::{operand, usm_interface};

/// The queue that `queue=` names, if anything was given.
///
/// # Errors
/// As [`queue::select`].
pub(crate) fn named(py: Python<'_>, queue: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Queue>> {
    queue
        .map(|queue| queue::select(py, Some(queue)))
        .transpose()
}

/// The queue to use when nothing else decides: the current default.
///
/// # Errors
/// If the default cannot be asked for.
pub(crate) fn current(py: Python<'_>) -> PyResult<Queue> {
    let current = py.import("situ._queue_manager")?.call_method0("current")?;
    queue::select(py, Some(&current))
}

/// The queue that a selector means.
#[pyfunction]
#[pyo3(signature = (selector = None))]
pub(crate) fn find_queue(py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<PyQueue> {
    guard(|| queue::select(py, selector).map(|queue| PyQueue { queue }))
}

/// Whether work may go to any of these queues with the same effect.
#[pyfunction]
#[pyo3(signature = (*queues))]
pub(crate) fn queues_equivalent(queues: &Bound<'_, PyTuple>) -> PyResult<bool> {
    guard(|| {
        let mut first: Option<Queue> = None;
        let mut all_equivalent = true;
        for object in queues {
            let Ok(queue) = object.cast::<PyQueue>() else {
                return Err(PyTypeError::new_err(format!(
                    "`queues_equivalent` compares situ.Queue objects, not `{}`\n  help: an array's \
                     queue is `x.queue`",
                    object.get_type().name()?
                )));
            };
            let queue = &queue.get().queue;
            let first = first.get_or_insert_with(|| queue.clone());
            all_equivalent &= first.is_equivalent(queue);
        }
        Ok(all_equivalent)
    })
}

/// Where a call would run, what memory its result would get, and why.
#[pyclass(frozen, name = "Placement", module = "situ")]
pub(crate) struct PyPlacement {
    queue: Queue,
    usm_kind: UsmKind,
    explanation: Explanation,
}

#[pymethods]
impl PyPlacement {
    #[getter]
    fn queue(&self) -> PyQueue {
        PyQueue {
            queue: self.queue.clone(),
        }
    }

    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice::from(self.queue.device().clone())
    }

    #[getter]
    fn context(&self) -> PyContext {
        PyContext {
            context: self.queue.context().clone(),
        }
    }

    #[getter]
    fn usm_type(&self) -> String {
        self.usm_kind.to_string()
    }

    /// The decision, argument by argument.
    fn explain(&self) -> String {
        self.explanation.to_string()
    }

    fn __str__(&self) -> String {
        self.explanation.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "<situ.Placement on {}, result in {} memory>",
            self.explanation.home, self.usm_kind
        )
    }
}

/// Where a function of these arguments would run.
#[pyfunction]
#[pyo3(signature = (*arguments, queue = None))]
pub(crate) fn placement_of(
    py: Python<'_>,
    arguments: &Bound<'_, PyTuple>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyPlacement> {
    guard(|| {
        let mut objects: Vec<_> = arguments.iter().collect();
        usm_interface::adopt(&mut objects)?;
        let participants = objects
            .iter()
            .map(participant)
            .collect::<PyResult<Vec<_>>>()?;
        let names: Vec<String> = (1..=objects.len())
            .map(|position| format!("x{position}"))
            .collect();
        let named_queue = named(py, queue)?;
        let placer = Placer {
            operation: Operation::Question,
            explicit: named_queue.as_ref(),
        };
        let arguments = || {
            names
                .iter()
                .map(String::as_str)
                .zip(participants.iter().copied())
        };
        let placed = placer.place(arguments());
        let placed = placed.map_err(|error| error.into_py_err(py))?;
        let (placement, decision) = match placed {
            Some(placement) if named_queue.is_some() => (placement, Decision::Explicit),
            Some(placement) => (placement, Decision::Arrays),
            None => {
                let default = Placement {
                    queue: current(py)?,
                    usm_kind: UsmKind::Device,
                };
                (default, Decision::Default)
            }
        };
        Ok(PyPlacement {
            explanation: Explanation::new(&placement, decision, arguments()),
            queue: placement.queue,
            usm_kind: placement.usm_kind,
        })
    })
}

/// What an object would mean for the placement of a call it is an argument of.
fn participant<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Participant<'a>> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Participant::Array(array.get().array()));
    }
    match operand::from_python(object)? {
        Some(Operand::HostArray) => Ok(Participant::HostArray),
        Some(_) => Ok(Participant::Scalar),
        None => Err(PyTypeError::new_err(format!(
            "`placement_of` takes arrays and numbers, not `{}`\n  help: make an array first, e.g. \
             `x = situ.asarray(x)`",
            object.get_type().name()?
        ))),
    }
}
