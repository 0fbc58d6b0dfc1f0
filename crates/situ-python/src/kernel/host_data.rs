//! Kernels called with arrays of the host, inside of `with situ.host_data_on(...)`.
//!
//! The block itself and the visit of arrays to its queue are `situ._host_data`'s. What is here asks whether there is a
//! block, and costs one load where there is none in the whole process.

use std::sync::atomic::{AtomicIsize, Ordering};

use pyo3::prelude::*;
use situ_runtime::Queue;

use super::definition::Definition;
use crate::array::PyArray;
use crate::error::exceptions::PlacementWarning;
use crate::operand;
use crate::queue::PyQueue;

/// How many blocks are open, in all threads.
static BLOCKS: AtomicIsize = AtomicIsize::new(0);

/// Counts a block that begins (1) or ends (-1).
#[pyfunction]
pub(crate) fn count_host_data_blocks(change: isize) {
    BLOCKS.fetch_add(change, Ordering::Relaxed);
}

/// The queue of the block around the caller, if it is to run a kernel with these arguments.
///
/// # Errors
/// The warning that the block has no effect on arrays which say where they are, if Python was told to treat it as an
/// error.
pub(super) fn target(
    py: Python<'_>,
    definition: &Definition,
    objects: &[Bound<'_, PyAny>],
) -> PyResult<Option<Queue>> {
    if BLOCKS.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    let target = py.import("situ._host_data")?.call_method0("target")?;
    let Ok(queue) = target.cast::<PyQueue>() else {
        return Ok(None);
    };
    let queue = &queue.get().queue;
    if objects.iter().any(PyAnyMethods::is_instance_of::<PyArray>) {
        // Arrays of both kinds are refused by whoever places the call.
        if !objects.iter().any(operand::is_host_array) {
            warn(py, definition, queue)?;
        }
        return Ok(None);
    }
    let has_host_array = objects.iter().any(operand::is_host_array);
    Ok(has_host_array.then(|| queue.clone()))
}

fn warn(py: Python<'_>, definition: &Definition, queue: &Queue) -> PyResult<()> {
    let message = format!(
        "`situ.host_data_on` has no effect on this call of kernel `{}`: its arrays are situ's, so it runs where they \
         are, and not on {}",
        definition.name,
        queue.device().filter_string()
    );
    let message =
        std::ffi::CString::new(message.replace('\0', "\\0")).expect("zero bytes were replaced");
    PyErr::warn(py, &py.get_type::<PlacementWarning>(), &message, 1)
}

/// Arrays of the host while a kernel uses them on a queue.
pub(super) struct Visit<'py> {
    /// What the kernel is called with there.
    pub(super) arguments: Vec<Bound<'py, PyAny>>,
    visit: Bound<'py, PyAny>,
}

impl<'py> Visit<'py> {
    /// Brings the arrays among the arguments to a queue.
    ///
    /// # Errors
    /// If one of them cannot be there.
    pub(super) fn new(
        py: Python<'py>,
        definition: &Definition,
        objects: &[Bound<'py, PyAny>],
        queue: &Queue,
    ) -> PyResult<Self> {
        let named: Vec<_> = objects
            .iter()
            .enumerate()
            .map(|(position, object)| (definition.parameter_name(position), object))
            .collect();
        let queue = PyQueue {
            queue: queue.clone(),
        };
        let visit = py.import("situ._host_data")?.getattr("Visit")?.call1((
            &definition.name,
            named,
            queue,
        ))?;
        Ok(Self {
            arguments: visit.getattr("arguments")?.extract()?,
            visit,
        })
    }

    /// Refuses a kernel that writes what cannot be given back.
    pub(super) fn check(&self, written: &[&str]) -> PyResult<()> {
        self.visit.call_method1("check", (written,)).map(drop)
    }

    /// Copies what the kernel wrote to where it came from.
    pub(super) fn give_back(&self, written: &[&str]) -> PyResult<()> {
        self.visit.call_method1("give_back", (written,)).map(drop)
    }
}
