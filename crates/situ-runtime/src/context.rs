//! The set of devices that can see an allocation.
//!
//! Every device has one default context, shared by everybody in the process who does not ask for
//! another: that is why two packages that know nothing of each other can exchange arrays. A
//! context owns the memory pools its allocations come from.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::context_memory::ContextMemory;
use crate::memory::statistics::PoolStatistics;
use crate::memory::usm::UsmKind;
use crate::queue::companion::Companions;

/// A set of devices with common memory. Equality is identity.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    id: u64,
    devices: Vec<Device>,
    memory: Arc<ContextMemory>,
    companions: Companions,
}

impl Context {
    /// A new context, different from the devices' default contexts.
    ///
    /// # Errors
    /// [`Error::BadContext`] without devices, or with devices of several platforms.
    pub fn new(devices: &[Device]) -> Result<Self> {
        let platform = devices.first().map(Device::platform);
        let agree = devices
            .iter()
            .all(|device| Some(device.platform()) == platform);
        if devices.is_empty() || !agree {
            let devices = devices.iter().map(Device::filter_string).collect();
            return Err(Error::BadContext { devices });
        }
        let mut distinct: Vec<Device> = Vec::with_capacity(devices.len());
        for device in devices {
            if !distinct.contains(device) {
                distinct.push(device.clone());
            }
        }
        Ok(Self::over(distinct))
    }

    /// A context over devices that are known to fit together.
    pub(crate) fn over(devices: Vec<Device>) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let memory = ContextMemory::new(id, &devices);
        Self(Arc::new(Inner {
            id,
            devices,
            memory,
            companions: Companions::default(),
        }))
    }

    /// A context that is the default one of its devices, which are made for it.
    pub(crate) fn of_its_own(devices: Vec<Device>) -> Self {
        let context = Self::over(devices);
        for device in context.devices() {
            device.set_default_context(&context);
        }
        context
    }

    /// A small number by which messages name this context; no other of the process has it.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The devices that see this context's allocations.
    pub fn devices(&self) -> &[Device] {
        &self.0.devices
    }

    /// Whether a device can use this context's allocations: it is one of the context's devices or a
    /// part of one.
    pub fn covers(&self, device: &Device) -> bool {
        self.0.devices.iter().any(|own| device.is_within(own))
    }

    /// Whether this is the default context of its device.
    pub fn is_default(&self) -> bool {
        self.0.devices[0].default_context() == self
    }

    /// What the memory pools hold, for each USM kind.
    pub fn memory_statistics(&self) -> [(UsmKind, PoolStatistics); UsmKind::ALL.len()] {
        self.0.memory.statistics()
    }

    /// Returns memory that is not in use to the system, and how many bytes that was.
    pub fn trim_memory(&self) -> u64 {
        self.0.memory.trim()
    }

    /// The queues of other packages that may use its memory.
    pub(crate) fn companions(&self) -> &Companions {
        &self.0.companions
    }

    pub(crate) fn memory(&self) -> &Arc<ContextMemory> {
        &self.0.memory
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Context {}

impl Hash for Context {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Context")
            .field(&self.0.devices)
            .finish()
    }
}
