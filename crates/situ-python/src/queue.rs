//! `situ.Queue`.

use pyo3::prelude::*;
use situ_array::placement::default_queue;
use situ_runtime::selector::select as select_device;
use situ_runtime::{Device, Queue};

use crate::array::PyArray;
use crate::detach::detach;
use crate::device::PyDevice;
use crate::error::{IntoPyErr, guard};

/// Where kernels and copies are submitted.
#[pyclass(frozen, name = "Queue", module = "situ")]
#[derive(Clone)]
pub(crate) struct PyQueue {
    pub(crate) queue: Queue,
}

#[pymethods]
impl PyQueue {
    #[new]
    #[pyo3(signature = (selector = None))]
    fn new(py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        guard(|| {
            Ok(Self {
                queue: select(py, selector)?,
            })
        })
    }

    /// The device that runs what is submitted here.
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice {
            device: self.queue.device().clone(),
        }
    }

    /// Waits until everything submitted so far is done, and raises what went wrong.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        guard(|| detach(py, || self.queue.wait()))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.queue == other.queue
    }

    fn __hash__(&self) -> u64 {
        crate::device::hash_of(&self.queue)
    }

    fn __repr__(&self) -> String {
        format!("<situ.Queue on {}>", self.queue.device().filter_string())
    }
}

/// The queue a selector means: a queue, an array's queue, a device's default queue, a filter string,
/// or the default device's queue for `None`.
///
/// # Errors
/// `TypeError` if the object is none of these; `DeviceError` if no device fits.
pub(crate) fn select(py: Python<'_>, selector: Option<&Bound<'_, PyAny>>) -> PyResult<Queue> {
    let device = match selector {
        None => Ok(Device::default_device()),
        Some(object) => {
            if let Ok(queue) = object.cast::<PyQueue>() {
                return Ok(queue.get().queue.clone());
            }
            if let Ok(array) = object.cast::<PyArray>() {
                return Ok(array.get().array().queue().clone());
            }
            if let Ok(device) = object.cast::<PyDevice>() {
                Ok(device.get().device.clone())
            } else if let Ok(text) = object.extract::<String>() {
                select_device(&text)
            } else {
                let kind = object.get_type().name()?;
                return Err(pyo3::exceptions::PyTypeError::new_err(format!(
                    "a device is chosen by a filter string, a situ.Device or a situ.Queue, not by \
                     `{kind}`\n  help: `situ.devices()` lists what there is"
                )));
            }
        }
    };
    let device = device.map_err(|error| error.into_py_err(py))?;
    Ok(default_queue(&device))
}
