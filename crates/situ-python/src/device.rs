//! `situ.Device`.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use situ_runtime::Device;
use situ_runtime::selector::select;

use crate::error::{IntoPyErr, guard};

/// Something kernels run on.
#[pyclass(frozen, eq, hash, name = "Device", module = "situ")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyDevice {
    pub(crate) device: Device,
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (selector = None))]
    fn new(py: Python<'_>, selector: Option<&str>) -> PyResult<Self> {
        guard(|| {
            let device = match selector {
                Some(selector) => select(selector).map_err(|error| error.into_py_err(py))?,
                None => Device::default_device(),
            };
            Ok(Self { device })
        })
    }

    /// The shortest selector that always means this device, for example `native:cpu:0`.
    #[getter]
    fn filter_string(&self) -> String {
        self.device.filter_string()
    }

    /// What the maker calls it.
    #[getter]
    fn name(&self) -> String {
        self.device.name().to_owned()
    }

    /// The backend that drives it.
    #[getter]
    fn backend(&self) -> String {
        self.device.backend().to_string()
    }

    /// `cpu`, `gpu` or `accelerator`.
    #[getter]
    fn device_type(&self) -> String {
        self.device.device_type().to_string()
    }

    /// How many cores or compute units it has.
    #[getter]
    fn compute_units(&self) -> usize {
        self.device.info().compute_units
    }

    fn __repr__(&self) -> String {
        format!(
            "<situ.Device {} ({})>",
            self.device.filter_string(),
            self.device.name()
        )
    }
}

/// Every device of this machine, the default one first.
#[pyfunction]
pub(crate) fn devices() -> PyResult<Vec<PyDevice>> {
    guard(|| {
        Ok(Device::all()
            .iter()
            .cloned()
            .map(|device| PyDevice { device })
            .collect())
    })
}

/// A number that is equal for equal devices.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
