//! The root devices of this process, and how devices come and go.
//!
//! The native device is always first, so it is the default. Devices of drivers follow, then the
//! reference device; virtual devices come last and may be added and removed while the process runs. A
//! list that was handed out never changes, and a device that has been removed from the list goes on
//! working for whoever holds it: it can no longer be found.
//!
//! Drivers take tens of milliseconds to start, so nobody looks for them until somebody asks for a
//! device that could be theirs. [`built_in`] has all others.

use std::sync::{Arc, LazyLock, OnceLock, PoisonError, RwLock};

use crate::backend::{Driver, native, opencl, reference, sycl, virtual_};
use crate::config;
use crate::device::{BackendKind, Device, DeviceType};

/// What runs kernels on this machine's processor: LLVM-compiled code, or the interpreter with
/// `SITU_SANITIZE=1`. The native device and every virtual one share it.
pub(crate) fn processor() -> &'static Arc<dyn Driver> {
    static PROCESSOR: LazyLock<Arc<dyn Driver>> = LazyLock::new(|| {
        let config = config::process_config();
        if config.sanitize {
            Arc::new(reference::ReferenceDriver::new())
        } else {
            Arc::new(native::NativeDriver::new(config))
        }
    });
    &PROCESSOR
}

/// The native device.
pub(crate) fn default_device() -> &'static Device {
    static NATIVE: LazyLock<Device> = LazyLock::new(|| {
        let processor = Arc::clone(processor());
        Device::root(BackendKind::Native, DeviceType::Cpu, 0, processor)
    });
    &NATIVE
}

fn reference_device() -> &'static Device {
    static REFERENCE: LazyLock<Device> = LazyLock::new(|| {
        let driver = Arc::new(reference::ReferenceDriver::new());
        Device::root(BackendKind::Reference, DeviceType::Cpu, 0, driver)
    });
    &REFERENCE
}

/// The virtual devices at this moment, and the lists they are part of.
struct Listed {
    virtual_devices: Vec<Device>,
    built_in: Arc<[Device]>,
    /// With the drivers' devices; made when it is first asked for.
    all: OnceLock<Arc<[Device]>>,
}

impl Listed {
    fn new(virtual_devices: Vec<Device>) -> Self {
        Self {
            built_in: list([&[], &[]], &virtual_devices),
            all: OnceLock::new(),
            virtual_devices,
        }
    }
}

fn list(of_drivers: [&[Device]; 2], virtual_devices: &[Device]) -> Arc<[Device]> {
    let native = std::iter::once(default_device());
    let reference = std::iter::once(reference_device());
    let devices = native
        .chain(of_drivers.into_iter().flatten())
        .chain(reference)
        .chain(virtual_devices);
    devices.cloned().collect()
}

static LISTED: LazyLock<RwLock<Listed>> = LazyLock::new(|| {
    let mut devices = Vec::new();
    let requested = &config::process_config().virtual_devices;
    virtual_::append(&mut devices, requested, None);
    RwLock::new(Listed::new(devices))
});

/// The root devices at this moment, the default first.
pub(crate) fn devices() -> Arc<[Device]> {
    let of_drivers = [opencl::devices(), sycl::devices()];
    let listed = LISTED.read().unwrap_or_else(PoisonError::into_inner);
    let all = listed
        .all
        .get_or_init(|| list(of_drivers, &listed.virtual_devices));
    Arc::clone(all)
}

/// The root devices that are there without any driver, the default first.
pub(crate) fn built_in() -> Arc<[Device]> {
    let listed = LISTED.read().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(&listed.built_in)
}

/// Changes the list of virtual devices for everybody who asks from now on.
pub(crate) fn change_virtual<T>(edit: impl FnOnce(&mut Vec<Device>) -> T) -> T {
    let mut listed = LISTED.write().unwrap_or_else(PoisonError::into_inner);
    let mut devices = listed.virtual_devices.clone();
    let result = edit(&mut devices);
    *listed = Listed::new(devices);
    result
}
