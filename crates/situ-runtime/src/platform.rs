//! One driver's view of the machine.
//!
//! There is a platform for each backend that has devices at the moment, and for each driver of OpenCL's
//! and SYCL's; it is asked anew each time, because virtual devices come and go. Two handles are equal when they are
//! of the same backend and driver.

use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::backend::opencl::{self, PlatformFacts};
use crate::backend::sycl;
use crate::context::Context;
use crate::device::{BackendKind, Device};
use crate::error::{Error, Result};

/// All devices of one driver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Platform {
    backend: BackendKind,
    /// Which of the backend's drivers.
    number: usize,
}

impl Platform {
    /// Every platform that has devices, that of the default device first.
    pub fn all() -> Vec<Self> {
        let mut platforms: Vec<Self> = Vec::new();
        for device in Device::all().iter() {
            let platform = Self::of_device(device);
            if !platforms.contains(&platform) {
                platforms.push(platform);
            }
        }
        platforms
    }

    /// The platform of a backend, the first if there are several.
    ///
    /// # Errors
    /// [`Error::UnknownPlatform`] when the backend has no devices at the moment.
    pub fn of(backend: BackendKind) -> Result<Self> {
        let found = Self::all()
            .into_iter()
            .find(|platform| platform.backend == backend);
        found.ok_or_else(|| unknown(backend.name()))
    }

    /// The platform of a backend, by its word.
    ///
    /// # Errors
    /// [`Error::UnknownPlatform`] when there is no such backend, or it has no devices at the moment.
    pub fn named(backend: &str) -> Result<Self> {
        match BackendKind::from_name(backend) {
            Some(backend) => Self::of(backend),
            None => Err(unknown(backend)),
        }
    }

    /// The platform of a backend and of a driver, by the word of one and the name of the other.
    ///
    /// # Errors
    /// [`Error::UnknownPlatform`] when there is none at the moment.
    pub fn of_driver(backend: &str, name: &str) -> Result<Self> {
        let found = Self::all().into_iter().find(|platform| {
            BackendKind::from_name(backend) == Some(platform.backend) && platform.name() == name
        });
        found.ok_or_else(|| unknown(&format!("{backend} ({name})")))
    }

    /// The platform a device belongs to, whether or not the device is still listed.
    pub fn of_device(device: &Device) -> Self {
        Self {
            backend: device.backend(),
            number: device.driver().platform_number(),
        }
    }

    /// The backend that drives its devices.
    pub fn backend(&self) -> BackendKind {
        self.backend
    }

    /// What it is, for people to read.
    pub fn name(&self) -> &'static str {
        match self.backend {
            BackendKind::OpenCl => &self.opencl_facts().name,
            BackendKind::Sycl => &self.sycl_facts().name,
            BackendKind::Native => "situ native (LLVM)",
            BackendKind::Reference => "situ reference (checking interpreter)",
            BackendKind::Virtual => "situ virtual (for testing)",
        }
    }

    /// Who made the driver.
    pub fn vendor(&self) -> &'static str {
        match self.backend {
            BackendKind::OpenCl => &self.opencl_facts().vendor,
            BackendKind::Sycl => &self.sycl_facts().vendor,
            BackendKind::Native | BackendKind::Reference | BackendKind::Virtual => {
                "The situ developers"
            }
        }
    }

    fn opencl_facts(&self) -> &'static PlatformFacts {
        &opencl::report().platforms[self.number].facts
    }

    fn sycl_facts(&self) -> &'static sycl::PlatformFacts {
        &sycl::report().platforms[self.number].facts
    }

    /// The driver's version, and that of the compiler in it.
    pub fn version(&self) -> String {
        let situ = env!("CARGO_PKG_VERSION");
        match self.backend {
            BackendKind::OpenCl => self.opencl_facts().version.clone(),
            BackendKind::Sycl => self.sycl_facts().version.clone(),
            BackendKind::Native => {
                format!(
                    "{situ}, LLVM {}",
                    crate::backend::native::compiler::LLVM_VERSION
                )
            }
            BackendKind::Reference | BackendKind::Virtual => situ.to_owned(),
        }
    }

    /// Its root devices at this moment.
    pub fn devices(&self) -> Vec<Device> {
        let all = Device::all();
        let own = all.iter().filter(|device| Self::of_device(device) == *self);
        own.cloned().collect()
    }

    /// The context over all its root devices: that of the device when there is one, and otherwise
    /// one that everybody who asks shares as long as the devices stay the same.
    ///
    /// # Errors
    /// [`Error::UnknownPlatform`] when there are no devices any more.
    pub fn default_context(&self) -> Result<Context> {
        static SHARED: LazyLock<Mutex<Vec<Context>>> = LazyLock::new(Mutex::default);
        let devices = self.devices();
        if devices.is_empty() {
            return Err(unknown(self.backend.name()));
        }
        if let [only] = devices.as_slice() {
            return Ok(only.default_context().clone());
        }
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = shared.iter().find(|context| context.devices() == devices) {
            return Ok(context.clone());
        }
        let context = Context::new(&devices)?;
        shared.push(context.clone());
        Ok(context)
    }
}

fn unknown(backend: &str) -> Error {
    let platforms = Platform::all().into_iter();
    let mut available: Vec<String> = platforms.map(|one| one.backend.to_string()).collect();
    // A backend has a platform for each driver, one after the other.
    available.dedup();
    Error::UnknownPlatform {
        backend: backend.to_owned(),
        available,
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Platform({})", self.backend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_backend_with_devices_has_a_platform() {
        let platforms = Platform::all();
        assert_eq!(platforms[0].backend(), BackendKind::Native);
        for platform in &platforms {
            let found = Platform::of(platform.backend()).unwrap();
            assert_eq!(found.backend(), platform.backend());
            assert!(!platform.name().is_empty() && !platform.version().is_empty());
            let devices = platform.devices();
            assert!(!devices.is_empty());
            assert!(
                devices
                    .iter()
                    .all(|device| Platform::of_device(device) == *platform)
            );
        }
    }

    #[test]
    fn platforms_are_found_by_name() {
        assert_eq!(Platform::named("Native").unwrap(), Platform::all()[0]);
        match Platform::named("metal") {
            Err(Error::UnknownPlatform { available, .. }) => assert_eq!(available[0], "native"),
            other => panic!("unexpected {other:?}"),
        }
    }

    #[test]
    fn a_platform_with_one_device_shares_its_default_context() {
        let device = Device::default_device();
        let platform = Platform::of_device(&device);
        assert_eq!(
            &platform.default_context().unwrap(),
            device.default_context()
        );
    }
}
