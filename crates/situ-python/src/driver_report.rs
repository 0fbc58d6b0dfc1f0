//! What became of every driver on this machine, as plain data for `situ doctor` and `situ drivers`.
//!
//! Nothing is decided here: each backend has a report of its own, and this gives them one shape.

use std::path::Path;

use pyo3::prelude::*;
use situ_runtime::backend::{opencl, sycl};

use crate::error::guard;

/// A backend whose devices come from drivers.
#[derive(IntoPyObject)]
pub(crate) struct BackendReport {
    backend: &'static str,
    /// The library that finds the drivers.
    loader: Option<String>,
    /// Its version, where it tells.
    version: Option<String>,
    /// Why there is no loader.
    problem: Option<String>,
    help: Option<&'static str>,
    drivers: Vec<DriverReport>,
}

/// A driver that was started.
#[derive(IntoPyObject)]
struct DriverReport {
    name: String,
    vendor: String,
    version: String,
    /// The library it is in.
    file: Option<String>,
    /// Why it does not tell its devices.
    problem: Option<String>,
    help: Option<&'static str>,
    devices: Vec<DeviceReport>,
}

/// A device that a driver offers: with a filter string if it can be used, and a reason if not.
#[derive(IntoPyObject)]
struct DeviceReport {
    name: String,
    version: String,
    filter_string: Option<String>,
    problem: Option<String>,
    help: Option<&'static str>,
}

/// Every backend whose devices come from drivers; starts the drivers.
#[pyfunction]
pub(crate) fn driver_reports(py: Python<'_>) -> PyResult<Vec<BackendReport>> {
    guard(|| {
        let (opencl, sycl) = py.detach(|| (opencl::report(), sycl::report()));
        Ok(vec![of_opencl(opencl), of_sycl(sycl)])
    })
}

fn of_opencl(report: &opencl::DriverReport) -> BackendReport {
    let problem = report.loader.as_ref().err();
    BackendReport {
        backend: "opencl",
        loader: report.loader.as_ref().ok().cloned(),
        version: None,
        problem: problem.map(ToString::to_string),
        help: problem.map(opencl::LoaderProblem::advice),
        drivers: report.platforms.iter().map(of_platform).collect(),
    }
}

fn of_platform(platform: &opencl::PlatformReport) -> DriverReport {
    let facts = &platform.facts;
    let devices = platform.devices.as_deref().unwrap_or_default();
    let problem = platform.devices.as_ref().err();
    DriverReport {
        name: facts.name.clone(),
        vendor: facts.vendor.clone(),
        version: facts.version.clone(),
        file: facts.file.as_deref().map(shown),
        problem: problem.map(ToString::to_string),
        help: problem.map(opencl::Refusal::advice),
        devices: devices.iter().map(of_device).collect(),
    }
}

fn of_device(device: &opencl::DeviceReport) -> DeviceReport {
    let problem = device.outcome.as_ref().err();
    DeviceReport {
        name: device.name.clone(),
        version: device.version.clone(),
        filter_string: device.outcome.as_ref().ok().cloned(),
        problem: problem.map(ToString::to_string),
        help: problem.map(opencl::Refusal::advice),
    }
}

fn of_sycl(report: &sycl::DriverReport) -> BackendReport {
    let (found, problem) = (report.library.as_ref().ok(), report.library.as_ref().err());
    BackendReport {
        backend: "sycl",
        loader: found.map(|library| shown(&library.file)),
        version: found.map(|library| library.version.clone()),
        problem: problem.map(ToString::to_string),
        help: problem.map(sycl::LibraryProblem::advice),
        drivers: report.platforms.iter().map(of_sycl_platform).collect(),
    }
}

fn of_sycl_platform(platform: &sycl::PlatformReport) -> DriverReport {
    let facts = &platform.facts;
    DriverReport {
        name: facts.name.clone(),
        vendor: facts.vendor.clone(),
        version: facts.version.clone(),
        file: None,
        problem: None,
        help: None,
        devices: platform.devices.iter().map(of_sycl_device).collect(),
    }
}

fn of_sycl_device(device: &sycl::DeviceReport) -> DeviceReport {
    let problem = device.outcome.as_ref().err();
    DeviceReport {
        name: device.name.clone(),
        version: device.version.clone(),
        filter_string: device.outcome.as_ref().ok().cloned(),
        problem: problem.map(ToString::to_string),
        help: problem.map(sycl::Refusal::advice),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
