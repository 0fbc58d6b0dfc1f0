//! Which drivers and devices there are, which of them can be used, and why the others cannot.
//!
//! This happens once in a process, when a device is first asked for that could be OpenCL's: drivers
//! take tens of milliseconds to start. Nothing that goes wrong here is an error; it is a line in the
//! report that `situ doctor` shows.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::api::{Api, DEVICE_TYPE_CUSTOM, device};
use super::capabilities::Asker;
use super::driver::OpenClDriver;
use super::handle::{DeviceId, PlatformId};
use super::loader::{self, LoaderProblem};
use super::memory::{FailedCall, MemoryModel};
use super::platform::{ClContext, ClPlatform, PlatformFacts};
use super::status::Status;
use crate::backend::Driver;
use crate::config;
use crate::device::{BackendKind, Device, DeviceType};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverReport {
    /// The loader, or why there is none.
    pub loader: Result<String, LoaderProblem>,
    /// Every driver, in the order of the loader.
    pub platforms: Vec<PlatformReport>,
}

/// A driver and its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformReport {
    /// What it says about itself.
    pub facts: PlatformFacts,
    /// Its devices, or why it does not tell.
    pub devices: Result<Vec<DeviceReport>, Refusal>,
}

/// A device that a driver offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// What the manufacturer calls it.
    pub name: String,
    /// The version of OpenCL it has.
    pub version: String,
    /// Its filter string, or why it cannot be used.
    pub outcome: Result<String, Refusal>,
}

/// Why a driver or a device cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The driver says that the device is not available.
    NotAvailable,
    /// It runs a fixed set of functions.
    NoKernels,
    /// The driver has no compiler.
    NoCompiler,
    /// It has neither the USM extension nor shared virtual memory.
    NoUnifiedMemory,
    /// Its numbers have another order of bytes, or its addresses another size.
    OtherAddresses {
        /// The size of an address.
        bits: u32,
    },
    /// A call failed.
    CallFailed {
        /// The function.
        call: &'static str,
        /// What it said.
        status: Status,
    },
}

impl Refusal {
    /// What the user can do about it.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::NotAvailable => {
                "end other programs that use the device, or restart the machine; the other devices \
                 can be used"
            }
            Self::NoKernels | Self::OtherAddresses { .. } => "use another device",
            Self::NoCompiler => "install the complete driver, or use another device",
            Self::NoUnifiedMemory => {
                "a newer driver, or another one for the same hardware, may have it; the other \
                 devices can be used"
            }
            Self::CallFailed { .. } => {
                "try the device with another program, such as `clinfo`; if that works, please report \
                 it with the output of `situ doctor`"
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAvailable => {
                formatter.write_str("the driver says that it is not available at present")
            }
            Self::NoKernels => {
                formatter.write_str("it runs a fixed set of functions, and no kernels")
            }
            Self::NoCompiler => formatter.write_str("its driver has no compiler"),
            Self::NoUnifiedMemory => formatter.write_str(
                "it has neither the extension `cl_intel_unified_shared_memory` nor shared virtual \
                 memory, so kernels cannot be given addresses",
            ),
            Self::OtherAddresses { bits } => write!(
                formatter,
                "its addresses have {bits} bits or another order of bytes than the host's"
            ),
            Self::CallFailed { call, status } => write!(formatter, "{call} failed: {status}"),
        }
    }
}

impl From<FailedCall> for Refusal {
    fn from(FailedCall { call, status }: FailedCall) -> Self {
        Self::CallFailed { call, status }
    }
}

/// Everything that was found.
pub(super) struct Discovery {
    pub(super) report: DriverReport,
    pub(super) devices: Vec<Device>,
}

/// The drivers of this process.
pub(super) fn process() -> &'static Discovery {
    static FOUND: OnceLock<Discovery> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut search = Search::default();
        let loaded = loader::load(&config::process_config().opencl_library);
        let loader = loaded.and_then(|(api, name)| {
            search.run(Box::leak(Box::new(api)))?;
            Ok(name)
        });
        Discovery {
            report: DriverReport {
                loader,
                platforms: search.platforms,
            },
            devices: search.devices,
        }
    })
}

#[derive(Default)]
struct Search {
    platforms: Vec<PlatformReport>,
    devices: Vec<Device>,
}

impl Search {
    fn run(&mut self, api: &'static Api) -> Result<(), LoaderProblem> {
        let platforms = api
            .platforms()
            .map_err(|status| LoaderProblem::NoAnswer { status })?;
        for id in platforms {
            self.add_platform(api, id);
        }
        Ok(())
    }

    fn add_platform(&mut self, api: &'static Api, id: PlatformId) {
        let platform = Arc::new(ClPlatform::new(api, id));
        let devices = api.devices(id).map_err(|status| Refusal::CallFailed {
            call: "clGetDeviceIDs",
            status,
        });
        let devices = devices.map(|ids| self.add_devices(&platform, &ids));
        self.platforms.push(PlatformReport {
            facts: platform.facts.clone(),
            devices,
        });
    }

    /// All devices of a platform that can be used share one context.
    fn add_devices(&mut self, platform: &Arc<ClPlatform>, ids: &[DeviceId]) -> Vec<DeviceReport> {
        let checked: Vec<_> = ids.iter().map(|id| check(platform, *id)).collect();
        let usable: Vec<DeviceId> = ids
            .iter()
            .zip(&checked)
            .filter(|(_, memory)| memory.is_ok())
            .map(|(id, _)| *id)
            .collect();
        let context = if usable.is_empty() {
            Err(Status::DEVICE_NOT_FOUND)
        } else {
            ClContext::new(platform.api, &usable).map(Arc::new)
        };
        let context = context.map_err(|status| Refusal::CallFailed {
            call: "clCreateContext",
            status,
        });
        ids.iter()
            .zip(checked)
            .map(|(id, memory)| {
                let asker = Asker {
                    platform,
                    device: *id,
                };
                DeviceReport {
                    name: asker.text(device::NAME),
                    version: asker.text(device::VERSION),
                    outcome: memory.and_then(|memory| {
                        let context = Arc::clone(context.as_ref().map_err(Clone::clone)?);
                        self.add_device(platform, context, &asker, memory)
                    }),
                }
            })
            .collect()
    }

    fn add_device(
        &mut self,
        platform: &Arc<ClPlatform>,
        context: Arc<ClContext>,
        asker: &Asker<'_>,
        memory: MemoryModel,
    ) -> Result<String, Refusal> {
        let device_type = asker.device_type();
        let number = self.count(device_type);
        let label = format!("{}:{device_type}:{number}", BackendKind::OpenCl);
        let platform_number = self.platforms.len();
        let driver = OpenClDriver::new(
            platform,
            platform_number,
            context,
            asker.device,
            memory,
            label.clone(),
        )?;
        let driver: Arc<dyn Driver> = Arc::new(driver);
        let device = Device::root(BackendKind::OpenCl, device_type, number, driver);
        self.devices.push(device);
        Ok(label)
    }

    fn count(&self, device_type: DeviceType) -> usize {
        let same = |device: &&Device| device.device_type() == device_type;
        self.devices.iter().filter(same).count()
    }
}

/// How a device gives memory, if it can be used at all.
fn check(platform: &ClPlatform, id: DeviceId) -> Result<MemoryModel, Refusal> {
    let asker = Asker {
        platform,
        device: id,
    };
    if !asker.flag(device::AVAILABLE) {
        return Err(Refusal::NotAvailable);
    }
    if asker.required::<u64>(device::TYPE)? & DEVICE_TYPE_CUSTOM != 0 {
        return Err(Refusal::NoKernels);
    }
    if !asker.flag(device::COMPILER_AVAILABLE) {
        return Err(Refusal::NoCompiler);
    }
    let bits = asker.required::<u32>(device::ADDRESS_BITS)?;
    if bits != usize::BITS || !asker.flag(device::ENDIAN_LITTLE) {
        return Err(Refusal::OtherAddresses { bits });
    }
    MemoryModel::of(platform, id, &asker.text(device::EXTENSIONS)).ok_or(Refusal::NoUnifiedMemory)
}
