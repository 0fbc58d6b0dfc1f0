//! Something kernels run on.
//!
//! Devices are found once per process and live until it ends; a [`Device`] is a cheap handle. What
//! a device *does* is behind its [`Driver`]; what it *is* (name, limits, aspects) is plain data.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::backend::{Driver, native, reference};
use crate::config;
use crate::context::Context;

/// Which driver a device belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BackendKind {
    /// LLVM-compiled code on the host's processor.
    Native,
    /// The interpreter, with checks.
    Reference,
}

impl BackendKind {
    /// Every backend, the preferred one first.
    pub const ALL: [Self; 2] = [Self::Native, Self::Reference];

    /// The word used in selectors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Reference => "reference",
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What sort of hardware a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DeviceType {
    /// A processor.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Anything else.
    Accelerator,
}

impl DeviceType {
    /// Every type, in the order selectors list them.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Gpu, Self::Accelerator];

    /// The word used in selectors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Accelerator => "accelerator",
        }
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Something a device can do that not every device can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Aspect {
    /// Half-precision arithmetic.
    Fp16,
    /// Double-precision arithmetic.
    Fp64,
    /// Atomics on 64-bit numbers.
    Atomic64,
    /// USM device allocations.
    UsmDeviceAllocations,
    /// USM shared allocations.
    UsmSharedAllocations,
    /// USM host allocations.
    UsmHostAllocations,
}

/// Facts and limits of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// What the manufacturer calls it.
    pub name: String,
    /// How many work-groups can run at the same moment.
    pub compute_units: usize,
    /// Memory the device can allocate from.
    pub memory_bytes: u64,
    /// The largest work-group.
    pub max_work_group_size: u64,
    /// The most local memory a work-group can have.
    pub max_local_bytes: u64,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// What it can do.
    pub aspects: Vec<Aspect>,
}

/// Something kernels run on. Equal to another handle of the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    backend: BackendKind,
    device_type: DeviceType,
    relative_id: usize,
    info: DeviceInfo,
    driver: Box<dyn Driver>,
    default_context: OnceLock<Context>,
}

impl Device {
    fn new(
        backend: BackendKind,
        device_type: DeviceType,
        relative_id: usize,
        driver: Box<dyn Driver>,
    ) -> Self {
        Self(Arc::new(Inner {
            backend,
            device_type,
            relative_id,
            info: driver.info(),
            driver,
            default_context: OnceLock::new(),
        }))
    }

    /// All devices of this process, the default first.
    pub fn all() -> &'static [Self] {
        static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(find_devices);
        &DEVICES
    }

    /// The device that is used when nothing else is said.
    pub fn default_device() -> Self {
        Self::all()[0].clone()
    }

    /// Which driver it belongs to.
    pub fn backend(&self) -> BackendKind {
        self.0.backend
    }

    /// What sort of hardware it is.
    pub fn device_type(&self) -> DeviceType {
        self.0.device_type
    }

    /// Its number among the devices of the same backend and type.
    pub fn relative_id(&self) -> usize {
        self.0.relative_id
    }

    /// The selector that names exactly this device, such as `native:cpu:0`.
    pub fn filter_string(&self) -> String {
        format!(
            "{}:{}:{}",
            self.backend(),
            self.device_type(),
            self.relative_id()
        )
    }

    /// Facts and limits.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// What the manufacturer calls it.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// Whether it can do something not every device can.
    pub fn has_aspect(&self, aspect: Aspect) -> bool {
        self.0.info.aspects.contains(&aspect)
    }

    /// The context that all queues of this device share unless they name another.
    pub fn default_context(&self) -> &Context {
        self.0
            .default_context
            .get_or_init(|| Context::over(vec![self.clone()]))
    }

    pub(crate) fn driver(&self) -> &dyn Driver {
        &*self.0.driver
    }
}

/// Finds what there is. The native device is always first, so it is the default; with
/// `SITU_SANITIZE=1` its kernels run in the interpreter.
fn find_devices() -> Vec<Device> {
    let config = config::process_config();
    let cpu: Box<dyn Driver> = if config.sanitize {
        Box::new(reference::ReferenceDriver::new())
    } else {
        Box::new(native::NativeDriver::new(config))
    };
    vec![
        Device::new(BackendKind::Native, DeviceType::Cpu, 0, cpu),
        Device::new(
            BackendKind::Reference,
            DeviceType::Cpu,
            0,
            Box::new(reference::ReferenceDriver::new()),
        ),
    ]
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Device({})", self.filter_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_processor_is_the_default_and_always_there() {
        let device = Device::default_device();
        assert_eq!(device.filter_string(), "native:cpu:0");
        assert_eq!(device, Device::all()[0]);
        assert_ne!(device, Device::all()[1]);
        assert!(!device.name().is_empty());
        assert!(device.info().compute_units >= 1);
        assert!(device.info().memory_bytes > 1 << 20);
        assert!(device.has_aspect(Aspect::Fp64));
    }

    #[test]
    fn a_device_has_one_default_context() {
        let device = Device::default_device();
        assert_eq!(device.default_context(), device.clone().default_context());
        assert_ne!(device.default_context(), Device::all()[1].default_context());
    }
}
