//! `situ.Platform` and `situ.platforms`.

use pyo3::prelude::*;
use situ_runtime::{Platform, device::BackendKind};

use crate::context::PyContext;
use crate::device::PyDevice;
use crate::error::{IntoPyErr, guard};
use crate::warnings;

/// One driver's view of the machine: all devices of the driver.
///
/// Parameters
/// ----------
/// backend
///     The word of the backend, such as ``"native"``; that of the default device if left out.
/// name
///     The `name` of the platform, where the backend has several; its first if left out.
///
/// Raises
/// ------
/// situ.DeviceError
///     If the backend has no devices, or no platform of that name.
#[pyclass(frozen, eq, hash, name = "Platform", module = "situ")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyPlatform {
    pub(crate) platform: Platform,
}

#[pymethods]
impl PyPlatform {
    #[new]
    #[pyo3(signature = (backend = None, name = None))]
    fn new(py: Python<'_>, backend: Option<&str>, name: Option<&str>) -> PyResult<Self> {
        guard(|| {
            let default = || situ_runtime::Device::default_device().platform();
            let platform = match (backend, name) {
                (None, None) => Ok(default()),
                (Some(backend), None) => Platform::named(backend),
                (None, Some(name)) => Platform::of_driver(default().backend().name(), name),
                (Some(backend), Some(name)) => Platform::of_driver(backend, name),
            };
            let platform = platform.map_err(|error| error.into_py_err(py))?;
            Ok(Self { platform })
        })
    }

    /// What it is, for people to read.
    #[getter]
    fn name(&self) -> &'static str {
        self.platform.name()
    }

    /// Who made the driver.
    #[getter]
    fn vendor(&self) -> &'static str {
        self.platform.vendor()
    }

    /// The driver's version, and that of the compiler in it.
    #[getter]
    fn version(&self) -> String {
        self.platform.version()
    }

    /// The backend that drives its devices.
    #[getter]
    fn backend(&self) -> &'static str {
        BackendKind::name(self.platform.backend())
    }

    /// Its root devices at this moment.
    #[getter]
    fn devices(&self) -> Vec<PyDevice> {
        let devices = self.platform.devices().into_iter();
        devices.map(PyDevice::from).collect()
    }

    /// The context over all its root devices.
    #[getter]
    fn default_context(&self, py: Python<'_>) -> PyResult<PyContext> {
        guard(|| {
            let context = self.platform.default_context();
            let context = context.map_err(|error| error.into_py_err(py))?;
            Ok(PyContext { context })
        })
    }

    fn __repr__(&self) -> String {
        format!("<situ.Platform {} ({})>", self.backend(), self.name())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyAny>, (&'static str, &'static str)) {
        let arguments = (self.backend(), self.name());
        (py.get_type::<Self>().into_any(), arguments)
    }
}

/// Every platform that has devices, that of the default device first.
#[pyfunction]
pub(crate) fn platforms(py: Python<'_>) -> PyResult<Vec<PyPlatform>> {
    guard(|| {
        let platforms = Platform::all().into_iter();
        let platforms = platforms.map(|platform| PyPlatform { platform }).collect();
        warnings::deliver(py)?;
        Ok(platforms)
    })
}
