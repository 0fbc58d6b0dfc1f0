//! Which devices the SYCL runtime has, which of them can be used, and why the others cannot.
//!
//! This happens once in a process, when a device is first asked for that could be SYCL's: the runtime
//! takes a tenth of a second to start. Nothing that goes wrong here is an error; it is a line in the
//! report that `situ doctor` shows.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::api::{ALL_DEVICES, FailedCall, OPENCL, TYPE_CUSTOM};
use super::capabilities::Asker;
use super::driver::SyclDriver;
use super::fission;
use super::handle::{ContextRef, DeviceRef, Owned};
use super::library::{self, LibraryProblem, SyclLibrary};
use crate::aspect::Aspect;
use crate::backend::Driver;
use crate::config;
use crate::device::{BackendKind, Device, DeviceType};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverReport {
    /// dpctl's library, or why there is none.
    pub library: Result<LibraryFacts, LibraryProblem>,
    /// Every platform, in the order of the SYCL runtime.
    pub platforms: Vec<PlatformReport>,
}

/// What is known about the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryFacts {
    /// Where it is.
    pub file: PathBuf,
    /// The version of the compiler that it was made with, which is that of the SYCL runtime.
    pub version: String,
}

/// A platform and its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformReport {
    /// What it says about itself.
    pub facts: PlatformFacts,
    /// Its devices.
    pub devices: Vec<DeviceReport>,
}

/// What a platform of SYCL's says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformFacts {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// Its version.
    pub version: String,
}

/// A device that the SYCL runtime offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// What the manufacturer calls it.
    pub name: String,
    /// The version of its driver.
    pub version: String,
    /// Which of SYCL's backends drives it, in the word of SYCL's filter strings.
    pub backend: &'static str,
    /// Its filter string, or why it cannot be used.
    pub outcome: Result<String, Refusal>,
}

/// Why a device cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It runs a fixed set of functions.
    NoKernels,
    /// Its driver does not compile while the program runs.
    NoCompiler,
    /// dpctl compiles OpenCL C for devices of OpenCL drivers only.
    NotOpenCl {
        /// Which of SYCL's backends drives it.
        backend: &'static str,
    },
    /// It has no USM memory.
    NoUnifiedMemory,
    /// The whole that it is a part of is not among the devices that situ uses.
    NotListed,
    /// A call failed.
    CallFailed {
        /// The call.
        failed: FailedCall,
    },
}

impl Refusal {
    /// What the user can do about it.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::NoKernels | Self::NotListed => "use another device",
            Self::NoCompiler => "install the complete driver, or use another device",
            Self::NotOpenCl { .. } => {
                "use the same hardware through its OpenCL driver, if it has one"
            }
            Self::NoUnifiedMemory => {
                "the same hardware may work as a device of the backend `opencl`, which needs less"
            }
            Self::CallFailed { .. } => {
                "try the device with `python -m dpctl --full`; if that works, please report it with \
                 the output of `situ doctor`"
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKernels => {
                formatter.write_str("it runs a fixed set of functions, and no kernels")
            }
            Self::NoCompiler => formatter.write_str("its driver has no compiler"),
            Self::NotOpenCl { backend } => write!(
                formatter,
                "it is driven by SYCL's backend `{backend}`, for which dpctl compiles no OpenCL C"
            ),
            Self::NoUnifiedMemory => formatter.write_str(
                "it has no aspect `usm_device_allocations`, so kernels cannot be given addresses",
            ),
            Self::NotListed => {
                formatter.write_str("it is a part of a device that situ does not use")
            }
            Self::CallFailed { failed } => write!(formatter, "{failed}"),
        }
    }
}

impl From<FailedCall> for Refusal {
    fn from(failed: FailedCall) -> Self {
        Self::CallFailed { failed }
    }
}

/// Everything that was found.
pub(super) struct Discovery {
    pub(super) report: DriverReport,
    pub(super) devices: Vec<Device>,
    /// The library, if it was loaded.
    pub(super) library: Option<&'static SyclLibrary>,
}

/// The devices of this process.
pub(super) fn process() -> &'static Discovery {
    static FOUND: OnceLock<Discovery> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return found;
    }
    // Outside of the initialisation: Python's lock may be needed to find the file, and whoever holds it
    // may be waiting for the end of the initialisation.
    let file = library::find(&config::process_config().sycl_library);
    FOUND.get_or_init(|| {
        let mut search = Search::default();
        let library = file.and_then(|file| search.run(file));
        Discovery {
            report: DriverReport {
                library,
                platforms: search.platforms,
            },
            devices: search.devices,
            library: search.library,
        }
    })
}

#[derive(Default)]
struct Search {
    platforms: Vec<PlatformReport>,
    /// The context of each platform's devices.
    contexts: Vec<Option<Arc<Owned<ContextRef>>>>,
    devices: Vec<Device>,
    library: Option<&'static SyclLibrary>,
}

impl Search {
    fn run(&mut self, file: PathBuf) -> Result<LibraryFacts, LibraryProblem> {
        let library = library::load(&file)?;
        self.library = Some(library);
        let devices = list(library).map_err(|failed| LibraryProblem::NoAnswer {
            message: failed.to_string(),
        })?;
        for device in devices {
            self.add_device(Arc::new(device));
        }
        // SAFETY: the text is for this call.
        let version = unsafe { library.text(library.api.dpcpp_version()) };
        Ok(LibraryFacts { file, version })
    }

    fn add_device(&mut self, device: Arc<Owned<DeviceRef>>) {
        let asker = Asker { device: &device };
        let (name, version) = (asker.name(), asker.driver_version());
        let (_, backend) = asker.backend();
        let device_type = asker.device_type();
        let checked = check(&asker);
        let (platform, context) = self.platform_of(&device);
        let outcome = checked.and_then(|()| {
            let context = context?;
            self.accept(device, device_type, platform, context)
        });
        self.platforms[platform].devices.push(DeviceReport {
            name,
            version,
            backend,
            outcome,
        });
    }

    fn accept(
        &mut self,
        id: Arc<Owned<DeviceRef>>,
        device_type: DeviceType,
        platform: usize,
        context: Arc<Owned<ContextRef>>,
    ) -> Result<String, Refusal> {
        let same = |device: &&Device| device.device_type() == device_type;
        let number = self.devices.iter().filter(same).count();
        let label = format!("{}:{device_type}:{number}", BackendKind::Sycl);
        let driver = SyclDriver::new(context, id, platform, label.clone())?;
        let driver: Arc<dyn Driver> = Arc::new(driver);
        let device = Device::root(BackendKind::Sycl, device_type, number, driver);
        self.devices.push(device);
        Ok(label)
    }

    /// The platform that a device belongs to, by the number of its report, and the context that the
    /// library keeps for everybody who names none. Devices with another context are not of the same
    /// platform here, because they could not share memory.
    fn platform_of(
        &mut self,
        device: &Owned<DeviceRef>,
    ) -> (usize, Result<Arc<Owned<ContextRef>>, FailedCall>) {
        let library = device.library();
        // SAFETY: the device is alive, and the context is a copy for this call.
        let context = unsafe {
            let cached = library.api.cached_context(device.raw());
            library.own("DPCTLDeviceMgr_GetCachedContext", cached)
        };
        let is_same = |known: &Option<Arc<Owned<ContextRef>>>| {
            let (Some(known), Ok(context)) = (known, &context) else {
                return false;
            };
            // SAFETY: both are alive.
            let equal = unsafe { library.api.context_are_equal(known.raw(), context.raw()) };
            equal.unwrap_or(false)
        };
        if let Some(number) = self.contexts.iter().position(is_same) {
            let known = self.contexts[number].clone();
            return (number, known.map_or_else(|| context.map(Arc::new), Ok));
        }
        let context = context.map(Arc::new);
        self.contexts.push(context.as_ref().ok().cloned());
        self.platforms.push(PlatformReport {
            facts: facts(device),
            devices: Vec::new(),
        });
        (self.platforms.len() - 1, context)
    }
}

/// Every device that the SYCL runtime has.
pub(super) fn list(library: &'static SyclLibrary) -> Result<Vec<Owned<DeviceRef>>, FailedCall> {
    // SAFETY: the vector is this call's.
    let vector = unsafe {
        let made = library.api.get_devices(ALL_DEVICES);
        library.own("DPCTLDeviceMgr_GetDevices", made)
    };
    fission::elements(&vector?)
}

fn facts(device: &Owned<DeviceRef>) -> PlatformFacts {
    let library = device.library();
    let api = &library.api;
    // SAFETY: the device is alive; the platform and the texts are for this call.
    unsafe {
        let platform = library.own("DPCTLDevice_GetPlatform", api.device_platform(device.raw()));
        let Ok(platform) = platform else {
            return PlatformFacts {
                name: "a platform without a name".to_owned(),
                vendor: String::new(),
                version: String::new(),
            };
        };
        PlatformFacts {
            name: library.text(api.platform_name(platform.raw())),
            vendor: library.text(api.platform_vendor(platform.raw())),
            version: library.text(api.platform_version(platform.raw())),
        }
    }
}

/// Whether a device can be used at all.
pub(super) fn check(asker: &Asker<'_>) -> Result<(), Refusal> {
    if asker.type_number() == TYPE_CUSTOM {
        return Err(Refusal::NoKernels);
    }
    let (number, backend) = asker.backend();
    if number != OPENCL {
        return Err(Refusal::NotOpenCl { backend });
    }
    if !asker.has(Aspect::OnlineCompiler) {
        return Err(Refusal::NoCompiler);
    }
    if !asker.has(Aspect::UsmDeviceAllocations) {
        return Err(Refusal::NoUnifiedMemory);
    }
    Ok(())
}
