//! The SYCL backend: devices of the SYCL runtime, through the C library of the Python package `dpctl`.
//!
//! What it adds to the OpenCL backend is company: queues, contexts and memory of other packages that use
//! the same runtime are used in place. The library is found at run time; a machine without it has no
//! such devices, and [`report`] says why. `docs/design/0017-sycl-backend.md` has the reasons for what is
//! decided here.
//!
//! | file | about |
//! |---|---|
//! | `library`, `discovery` | where the library is, which devices are accepted, why others are not |
//! | `guard`, `api`, `handle` | its functions and objects in Rust, and what becomes of C++ exceptions |
//! | `device` | a device in a context, and its queues |
//! | `capabilities`, `fission` | what a device can do, and how it is cut |
//! | `code`, `program` | text to programs, launches |
//! | `driver` | all of it as the rest of the runtime sees it |
//! | [`sharing`], `places` | queues, contexts and memory in common with other packages |
//!
//! What is not here: order and asynchrony, as in the OpenCL backend.

mod api;
mod capabilities;
mod code;
mod device;
mod discovery;
mod driver;
mod fission;
mod guard;
mod handle;
mod library;
mod places;
mod program;
pub mod sharing;
#[cfg(test)]
mod tests;

pub use api::FailedCall;
pub use discovery::{
    DeviceReport, DriverReport, LibraryFacts, PlatformFacts, PlatformReport, Refusal,
};
pub use library::{FILE_NAME, LibraryFinder, LibraryProblem, set_library_finder};

pub(crate) use driver::SyclDriver;

use crate::device::Device;

/// Which devices were found, and what became of them.
pub fn report() -> &'static DriverReport {
    &discovery::process().report
}

/// The devices that can be used, in the order of the SYCL runtime.
pub(crate) fn devices() -> &'static [Device] {
    &discovery::process().devices
}
