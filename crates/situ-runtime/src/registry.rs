//! The root devices of this process, and how devices come and go.
//!
//! Devices are found when the first one is asked for. The native device is always first, so it is
//! the default, and the reference device is always second; virtual devices follow and may be added
//! and removed while the process runs. A list that was handed out never changes, and a device that
//! has been removed from the list goes on working for whoever holds it: it can no longer be found.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use crate::backend::{Driver, native, reference, virtual_};
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

static LISTED: LazyLock<RwLock<Arc<[Device]>>> = LazyLock::new(|| {
    let reference: Arc<dyn Driver> = Arc::new(reference::ReferenceDriver::new());
    let cpu = |backend, driver| Device::root(backend, DeviceType::Cpu, 0, driver);
    let mut devices = vec![
        cpu(BackendKind::Native, Arc::clone(processor())),
        cpu(BackendKind::Reference, reference),
    ];
    virtual_::append(
        &mut devices,
        &config::process_config().virtual_devices,
        None,
    );
    RwLock::new(devices.into())
});

/// The root devices at this moment, the default first.
pub(crate) fn devices() -> Arc<[Device]> {
    Arc::clone(&LISTED.read().unwrap_or_else(PoisonError::into_inner))
}

/// Changes the list for everybody who asks from now on.
pub(crate) fn change<T>(edit: impl FnOnce(&mut Vec<Device>) -> T) -> T {
    let mut listed = LISTED.write().unwrap_or_else(PoisonError::into_inner);
    let mut devices = listed.to_vec();
    let result = edit(&mut devices);
    *listed = devices.into();
    result
}
