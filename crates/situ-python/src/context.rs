//! `situ.Context`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use situ_runtime::{Context, Device};

use crate::device::{self, PyDevice};
use crate::error::{IntoPyErr, guard};
use crate::sycl;

/// The set of devices that can see an allocation.
///
/// A context covers its devices and all their sub-devices (``device in context``). Each root device has
/// a default context, `Device.default_context`, which is used wherever no other is named; contexts are
/// equal only to themselves.
///
/// Parameters
/// ----------
/// devices
///     A list of devices of one backend, or anything that chooses one device; the default device if left
///     out. A context stands for itself. A `dpctl.SyclContext`, or a capsule ``SyclContextRef``, gives the
///     context that stands for it.
///
/// Raises
/// ------
/// situ.DeviceError
///     If there is no device, no such device, or devices of several backends.
#[pyclass(frozen, eq, hash, name = "Context", module = "situ")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyContext {
    pub(crate) context: Context,
}

#[pymethods]
impl PyContext {
    #[new]
    #[pyo3(signature = (devices = None))]
    fn new(py: Python<'_>, devices: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        guard(|| {
            if let Some(object) = devices
                && let Ok(context) = object.cast::<Self>()
            {
                return Ok(context.get().clone());
            }
            if let Some(object) = devices
                && let Some(context) = sycl::context_from_python(object)?
            {
                return Ok(Self { context });
            }
            let devices = read_devices(py, devices)?;
            let context = Context::new(&devices).map_err(|error| error.into_py_err(py))?;
            Ok(Self { context })
        })
    }

    /// The devices that see its allocations; their sub-devices do, too.
    #[getter]
    fn devices(&self) -> Vec<PyDevice> {
        let devices = self.context.devices().iter().cloned();
        devices.map(PyDevice::from).collect()
    }

    /// How many devices it was made over.
    #[getter]
    fn device_count(&self) -> usize {
        self.context.devices().len()
    }

    /// Whether it is the default context of its device.
    #[getter]
    fn is_default(&self) -> bool {
        self.context.is_default()
    }

    /// The backend of its devices.
    #[getter]
    fn backend(&self) -> &'static str {
        self.context.devices()[0].backend().name()
    }

    /// The same context as a `dpctl.SyclContext`.
    ///
    /// Returns
    /// -------
    /// dpctl.SyclContext
    ///     The context.
    ///
    /// Raises
    /// ------
    /// situ.DeviceError
    ///     If its devices are not of the backend ``sycl``.
    /// ModuleNotFoundError
    ///     If `dpctl` is not installed.
    fn to_dpctl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| sycl::to_dpctl("SyclContext", &sycl::context_capsule(py, &self.context)?))
    }

    /// The same context in a capsule ``SyclContextRef``, as dpctl asks for it.
    fn _get_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guard(|| sycl::context_capsule(py, &self.context))
    }

    fn __contains__(&self, device: &Bound<'_, PyAny>) -> bool {
        let device = device.cast::<PyDevice>();
        device.is_ok_and(|device| self.context.covers(&device.get().device))
    }

    fn __repr__(&self) -> String {
        let devices = self.context.devices().iter();
        let names: Vec<String> = devices.map(Device::filter_string).collect();
        let kind = if self.is_default() { "default " } else { "" };
        format!("<situ.Context {kind}over {}>", names.join(", "))
    }

    /// Only the default context of a device is the same thing in another process.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        guard(|| {
            if !self.is_default() {
                return Err(PyTypeError::new_err(format!(
                    "cannot pickle {}\n  \
                     why:  it was made in this process, and memory in it means nothing elsewhere\n  \
                     help: pickle its devices and make a context over them, or use a device's default \
                     context",
                    self.__repr__()
                )));
            }
            let restore = py.import("situ._native")?.getattr("restore_context")?;
            let device = PyDevice::from(self.context.devices()[0].clone());
            Ok((restore, (device,).into_pyobject(py)?))
        })
    }
}

/// The default context of a device; what a pickled context calls.
#[pyfunction]
pub(crate) fn restore_context(device: &PyDevice) -> PyContext {
    PyContext {
        context: device.device.default_context().clone(),
    }
}

/// One device by any selector, or several in a list or tuple.
fn read_devices(py: Python<'_>, object: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Device>> {
    let Some(object) = object else {
        return Ok(vec![Device::default_device()]);
    };
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?;
        return items.map(|item| device::select(py, Some(&item?))).collect();
    }
    Ok(vec![device::select(py, Some(object))?])
}
