//! The OpenCL backend: every device of every driver that the loader knows.
//!
//! The loader and the drivers are found at run time; a machine without them has no such devices, and
//! [`report`] says why. `docs/design/0015-opencl-backend.md` has the reasons for what is decided here.
//!
//! | file | about |
//! |---|---|
//! | `loader`, `discovery` | which drivers there are, which devices are accepted, why others are not |
//! | `api`, `handle`, `status`, `query` | OpenCL's functions, objects and answers, in Rust |
//! | `platform`, `device` | a driver, its contexts, its devices and their command queues |
//! | `capabilities`, `fission` | what a device can do, and how it is cut |
//! | `memory` | USM by the extension, or by shared virtual memory |
//! | `code`, `build_log`, `binary`, `program` | text to programs, what is wrong with it, programs on disk, launches |
//! | `driver` | all of it as the rest of the runtime sees it |
//!
//! What is not here: order and asynchrony. A launch puts one command into a queue of its own and waits for
//! it; which launch comes when, and on which thread, is decided above, for every backend alike.

mod api;
pub(in crate::backend) mod binary;
pub(in crate::backend) mod build_log;
mod capabilities;
mod code;
mod device;
mod discovery;
mod driver;
mod fission;
mod handle;
mod loader;
mod memory;
mod platform;
mod program;
mod query;
mod status;

pub use discovery::{DeviceReport, DriverReport, PlatformReport, Refusal};
pub use loader::LoaderProblem;
pub use platform::PlatformFacts;
pub use status::Status;

use crate::device::Device;

/// Which drivers and devices were found, and what became of them.
pub fn report() -> &'static DriverReport {
    &discovery::process().report
}

/// The devices that can be used, in the order of the loader.
pub(crate) fn devices() -> &'static [Device] {
    &discovery::process().devices
}
