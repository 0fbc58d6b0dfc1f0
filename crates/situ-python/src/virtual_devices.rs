//! What `situ.testing.virtual_devices` is made of.

use pyo3::prelude::*;
use situ_runtime::backend::virtual_::{self, RequestProblem, VirtualRequest};
use situ_runtime::{Error, selector};

use crate::device::PyDevice;
use crate::error::{IntoPyErr, guard};

/// Adds virtual devices, such as `gpu:2,cpu:1`, to the list of devices and returns them.
#[pyfunction]
#[pyo3(signature = (request, *, memory_bytes = None, without = Vec::new()))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments from Python are the function's own"
)]
pub(crate) fn add_virtual_devices(
    py: Python<'_>,
    request: &str,
    memory_bytes: Option<u64>,
    without: Vec<String>,
) -> PyResult<Vec<PyDevice>> {
    guard(|| {
        let refused = |problem| {
            let error = Error::BadVirtualDevices {
                request: request.to_owned(),
                problem,
            };
            error.into_py_err(py)
        };
        let mut requests = VirtualRequest::parse_list(request).map_err(refused)?;
        for name in &without {
            let aspect = selector::aspect(name).map_err(|error| error.into_py_err(py))?;
            for request in &mut requests {
                if !request.lacks.add(aspect) {
                    return Err(refused(RequestProblem::NotMissable { text: name.clone() }));
                }
            }
        }
        let devices = virtual_::add(&requests, memory_bytes).into_iter();
        Ok(devices.map(PyDevice::from).collect())
    })
}

/// Takes virtual devices off the list of devices.
#[pyfunction]
pub(crate) fn remove_virtual_devices(devices: Vec<PyRef<'_, PyDevice>>) -> PyResult<()> {
    guard(|| {
        let devices: Vec<_> = devices.iter().map(|device| device.device.clone()).collect();
        virtual_::remove(&devices);
        Ok(())
    })
}
