//! Something kernels run on.
//!
//! A [`Device`] is a cheap handle of a root device, which [`Device::all`] lists, or of a part of one.
//! What a device *does* is behind its [`Driver`]; what it *is* (name, limits, aspects) is plain data.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use situ_codegen::llvm;
use situ_codegen::opencl_c::TargetOptions;
use situ_ir::ValidModule;

use crate::backend::Driver;
use crate::backend::native::pool::Pool;
use crate::config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::usm::UsmKind;
use crate::partition::{AffinityDomain, Partition};
use crate::platform::Platform;
use crate::registry;

pub use crate::aspect::Aspect;
pub use crate::device_info::DeviceInfo;
use crate::executor::Executor;

/// Which driver a device belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BackendKind {
    /// LLVM-compiled code on the host's processor.
    Native,
    /// Devices of OpenCL drivers.
    OpenCl,
    /// Devices of the SYCL runtime.
    Sycl,
    /// The interpreter, with checks.
    Reference,
    /// Devices that are not there, for testing.
    Virtual,
}

impl BackendKind {
    /// Every backend, the preferred one first.
    pub const ALL: [Self; 5] = [
        Self::Native,
        Self::OpenCl,
        Self::Sycl,
        Self::Reference,
        Self::Virtual,
    ];

    /// The word used in selectors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::OpenCl => "opencl",
            Self::Sycl => "sycl",
            Self::Reference => "reference",
            Self::Virtual => "virtual",
        }
    }

    /// The backend with a name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |kind: &Self| kind.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(named)
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

    /// The type with a name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |kind: &Self| kind.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(named)
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Something kernels run on. Equal to another handle of the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    backend: BackendKind,
    device_type: DeviceType,
    origin: Origin,
    info: DeviceInfo,
    driver: Arc<dyn Driver>,
    executor: Executor,
    default_context: OnceLock<Context>,
    /// Every partition made so far, so that the same partition gives the same devices.
    partitions: Mutex<Vec<(Partition, Vec<Device>)>>,
}

/// Where a device comes from.
enum Origin {
    /// It was found.
    Root { relative_id: usize },
    /// It stands for a root device or a part of one in a context that is not situ's.
    InContext { root: Device, number: usize },
    /// It is a part of another.
    Part {
        parent: Device,
        partition: Partition,
        index: usize,
    },
}

impl Device {
    pub(crate) fn root(
        backend: BackendKind,
        device_type: DeviceType,
        relative_id: usize,
        driver: Arc<dyn Driver>,
    ) -> Self {
        Self::new(backend, device_type, Origin::Root { relative_id }, driver)
    }

    fn new(
        backend: BackendKind,
        device_type: DeviceType,
        origin: Origin,
        driver: Arc<dyn Driver>,
    ) -> Self {
        let info = driver.info();
        let threads = info.compute_units.min(config::process_config().num_threads);
        let executor = Executor::new(threads, driver.cores().cloned());
        Self(Arc::new(Inner {
            backend,
            device_type,
            origin,
            info,
            driver,
            executor,
            default_context: OnceLock::new(),
            partitions: Mutex::default(),
        }))
    }

    /// What stands for a device in a context of another package.
    pub(crate) fn in_context(root: &Self, number: usize, driver: Arc<dyn Driver>) -> Self {
        let origin = Origin::InContext {
            root: root.clone(),
            number,
        };
        Self::new(root.backend(), root.device_type(), origin, driver)
    }

    /// Says which context is the default one, before anybody asks.
    pub(crate) fn set_default_context(&self, context: &Context) {
        let _ = self.0.default_context.set(context.clone());
    }

    /// The root devices of this process at this moment, the default first.
    pub fn all() -> Arc<[Self]> {
        registry::devices()
    }

    /// The device that is used when nothing else is said.
    pub fn default_device() -> Self {
        registry::default_device().clone()
    }

    /// Which driver it belongs to.
    pub fn backend(&self) -> BackendKind {
        self.0.backend
    }

    /// Whether kernels are interpreted here, and races in them reported.
    pub fn finds_races(&self) -> bool {
        match self.backend() {
            BackendKind::Reference => true,
            BackendKind::Native | BackendKind::Virtual => config::process_config().sanitize,
            BackendKind::OpenCl | BackendKind::Sycl => false,
        }
    }

    /// What sort of hardware it is.
    pub fn device_type(&self) -> DeviceType {
        self.0.device_type
    }

    /// The platform it belongs to.
    pub fn platform(&self) -> Platform {
        Platform::of_device(self)
    }

    /// Its number among the root devices of the same backend and type; for a part, that of the whole.
    pub fn relative_id(&self) -> usize {
        match &self.0.origin {
            Origin::Root { relative_id } => *relative_id,
            Origin::InContext { root, .. } => root.relative_id(),
            Origin::Part { parent, .. } => parent.relative_id(),
        }
    }

    /// The selector that names exactly this device, such as `native:cpu:0`.
    ///
    /// No selector names a sub-device. Its string says how it was made, such as
    /// `native:cpu:0/equally(1)[0]`, and is for people to read; so is that of a device in a context of
    /// another package, such as `sycl:cpu:0/context(1)`.
    pub fn filter_string(&self) -> String {
        match &self.0.origin {
            Origin::Root { relative_id } => {
                format!("{}:{}:{relative_id}", self.backend(), self.device_type())
            }
            Origin::InContext { root, number } => {
                format!("{}/context({number})", root.filter_string())
            }
            Origin::Part {
                parent,
                partition,
                index,
            } => format!("{}/{partition}[{index}]", parent.filter_string()),
        }
    }

    /// Facts and limits.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// What the manufacturer calls it.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// Memory that is free at this moment, where that is known.
    pub fn free_memory_bytes(&self) -> Option<u64> {
        self.driver().free_memory_bytes()
    }

    /// What the emitter of LLVM IR is told about the device; `None` if it runs something else.
    pub fn llvm_target(&self) -> Option<&llvm::TargetOptions> {
        self.driver().llvm_target()
    }

    /// What the emitter of OpenCL C is told about the device; `None` if it runs something else.
    pub fn opencl_target(&self) -> Option<&TargetOptions> {
        self.driver().opencl_target()
    }

    /// The threads that share its kernels, for library code that takes a kernel's place; `None` if they are not the
    /// host's.
    pub fn pool(&self) -> Option<&Arc<Pool>> {
        self.driver().pool()
    }

    /// The size from which on results of kernels that only write them are better written past the cache
    /// ([`Program::compile_streaming`](crate::Program::compile_streaming)); `None` if none is.
    pub fn streams_from_bytes(&self) -> Option<u64> {
        self.driver().streams_from_bytes()
    }

    /// The machine code that a module becomes on the device, as text; `None` if its driver does not show it.
    pub fn assembly(&self, module: &ValidModule) -> Option<Result<String>> {
        self.driver().assembly(module)
    }

    /// Whether it can do something not every device can.
    pub fn has_aspect(&self, aspect: Aspect) -> bool {
        self.0.info.aspects.contains(&aspect)
    }

    /// Whether it has memory of a USM kind.
    pub fn has_usm_kind(&self, kind: UsmKind) -> bool {
        self.has_aspect(match kind {
            UsmKind::Device => Aspect::UsmDeviceAllocations,
            UsmKind::Shared => Aspect::UsmSharedAllocations,
            UsmKind::Host => Aspect::UsmHostAllocations,
        })
    }

    /// The context that all queues of this device share unless they name another. A sub-device
    /// shares that of its root device.
    pub fn default_context(&self) -> &Context {
        match &self.0.origin {
            Origin::Root { .. } | Origin::InContext { .. } => self
                .0
                .default_context
                .get_or_init(|| Context::over(vec![self.clone()])),
            Origin::Part { parent, .. } => parent.default_context(),
        }
    }

    /// The device this one is a part of; `None` for a root device.
    pub fn parent(&self) -> Option<&Self> {
        self.part_of().map(|(parent, ..)| parent)
    }

    /// The whole that this device is a part of, or the device itself.
    pub fn root_device(&self) -> &Self {
        self.parent().map_or(self, Self::root_device)
    }

    /// For a sub-device: its parent, how that was cut, and which of the parts this is.
    pub fn part_of(&self) -> Option<(&Self, &Partition, usize)> {
        match &self.0.origin {
            Origin::Root { .. } | Origin::InContext { .. } => None,
            Origin::Part {
                parent,
                partition,
                index,
            } => Some((parent, partition, *index)),
        }
    }

    /// Whether this is another device or, at some remove, a part of it.
    pub fn is_within(&self, whole: &Self) -> bool {
        self == whole || self.parent().is_some_and(|parent| parent.is_within(whole))
    }

    /// Cuts the device into sub-devices, which may be cut again. The same partition gives the same
    /// devices every time.
    ///
    /// # Errors
    /// [`Error::PartitionImpossible`], which says what is possible.
    pub fn create_sub_devices(&self, partition: &Partition) -> Result<Vec<Self>> {
        let resolved = match (partition, self.info().partition.affinity_domains.first()) {
            (Partition::ByAffinity(AffinityDomain::NextPartitionable), Some(outermost)) => {
                Partition::ByAffinity(*outermost)
            }
            _ => partition.clone(),
        };
        if let Some(devices) = self.known_parts(&resolved) {
            return Ok(devices);
        }
        let drivers =
            self.driver()
                .partition(&resolved)
                .map_err(|problem| Error::PartitionImpossible {
                    device: self.filter_string(),
                    partition: partition.clone(),
                    problem,
                    possible: self.info().partition.clone(),
                })?;
        let parts = drivers.into_iter().enumerate().map(|(index, driver)| {
            let origin = Origin::Part {
                parent: self.clone(),
                partition: resolved.clone(),
                index,
            };
            Self::new(self.backend(), self.device_type(), origin, driver)
        });
        let parts: Vec<Self> = parts.collect();
        let mut known = self.lock_partitions();
        // Another thread may have been quicker; then its devices serve both.
        if let Some((_, devices)) = known.iter().find(|(made, _)| *made == resolved) {
            return Ok(devices.clone());
        }
        known.push((resolved, parts.clone()));
        Ok(parts)
    }

    fn known_parts(&self, partition: &Partition) -> Option<Vec<Self>> {
        let known = self.lock_partitions();
        let found = known.iter().find(|(made, _)| made == partition);
        found.map(|(_, devices)| devices.clone())
    }

    fn lock_partitions(&self) -> std::sync::MutexGuard<'_, Vec<(Partition, Vec<Self>)>> {
        let partitions = self.0.partitions.lock();
        partitions.unwrap_or_else(PoisonError::into_inner)
    }

    /// Who runs its commands.
    pub(crate) fn executor(&self) -> &Executor {
        &self.0.executor
    }

    pub(crate) fn driver(&self) -> &dyn Driver {
        &*self.0.driver
    }
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
    use crate::selector::select;

    #[test]
    fn the_native_processor_is_the_default_and_always_there() {
        let device = Device::default_device();
        assert_eq!(device.filter_string(), "native:cpu:0");
        assert_eq!(device, Device::all()[0]);
        assert_ne!(device, select("reference").unwrap());
        assert!(!device.name().is_empty());
        assert!(device.info().compute_units >= 1);
        assert!(device.info().memory_bytes > 1 << 20);
        assert!(device.has_aspect(Aspect::Fp64));
    }

    #[test]
    fn a_device_has_one_default_context() {
        let device = Device::default_device();
        assert_eq!(device.default_context(), device.clone().default_context());
        let other = select("reference").unwrap();
        assert_ne!(device.default_context(), other.default_context());
    }
}
