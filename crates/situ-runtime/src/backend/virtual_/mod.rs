//! Devices that are not there: for testing programs that use several.
//!
//! A virtual device runs kernels on this machine's processor, with the native device's compiled code
//! and threads, but it looks and behaves like a device of its own: it has its own default context,
//! its own limited memory, compute units that can be partitioned, and `device` memory that the host
//! cannot touch. A program that mixes up devices, or reads device memory on the host, fails here as it
//! would on real hardware. `docs/design/0014-virtual-devices.md` has the reasons.
//!
//! | file | about |
//! |---|---|
//! | `request` | `gpu:2,cpu:1`, and what they lack |
//! | `reservation` | addresses that belong to nobody |
//!
//! `SITU_VIRTUAL_DEVICES` adds devices for the whole process, [`add`] and [`remove`] for a while.

pub mod request;
mod reservation;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use situ_codegen::llvm;
use situ_ir::ValidModule;

use crate::aspect::Aspect;
use crate::backend::native::topology::CoreSet;
use crate::backend::{DeviceMemory, DeviceProgram, Driver, host_memory};
use crate::device::{BackendKind, Device, DeviceType};
use crate::device_info::DeviceInfo;
use crate::error::Result;
use crate::memory::usm::UsmKind;
use crate::partition::{
    AffinityDomain, Partition, PartitionInfo, PartitionProblem, affinity_domains,
};
use crate::registry;
pub use request::{Lacks, RequestProblem, VirtualRequest};

/// Compute units of a virtual graphics processor.
const GPU_UNITS: usize = 8;

/// Of these, as many share a tile: a second-level cache and a memory node.
const UNITS_PER_TILE: usize = 4;

/// Compute units of any other virtual device, all in one tile.
const OTHER_UNITS: usize = 4;

/// The part of the machine's memory that a virtual device has unless more or less is asked for.
const MEMORY_SHARE: u64 = 4;

/// Adds devices at the end of the list and returns them, in the order of the request.
///
/// Numbers that are free are given again, and a device with the same number, type and memory is the
/// same device again.
pub fn add(requests: &[VirtualRequest], memory_bytes: Option<u64>) -> Vec<Device> {
    registry::change_virtual(|listed| append(listed, requests, memory_bytes))
}

/// As [`add`], to a list of virtual devices that is being made.
pub(crate) fn append(
    listed: &mut Vec<Device>,
    requests: &[VirtualRequest],
    memory_bytes: Option<u64>,
) -> Vec<Device> {
    let memory_bytes = memory_bytes.unwrap_or_else(|| host_memory::total_bytes() / MEMORY_SHARE);
    let wanted = requests
        .iter()
        .flat_map(|request| std::iter::repeat_n(request, request.count));
    let mut added = Vec::new();
    for request in wanted {
        let number = free_number(listed, request.device_type);
        let device = find_or_make(request, number, memory_bytes);
        listed.push(device.clone());
        added.push(device);
    }
    added
}

/// Takes virtual devices off the list. Whoever holds one can go on using it.
pub fn remove(devices: &[Device]) {
    registry::change_virtual(|listed| listed.retain(|device| !devices.contains(device)));
}

/// The smallest number that no listed device of the type has.
fn free_number(listed: &[Device], device_type: DeviceType) -> usize {
    let taken = |number: usize| {
        listed
            .iter()
            .any(|device| device.device_type() == device_type && device.relative_id() == number)
    };
    (0..listed.len())
        .find(|number| !taken(*number))
        .unwrap_or(listed.len())
}

/// Devices are kept for ever, because what others keep for a device (queues, kernels) is kept for
/// ever, too; a test that adds devices a thousand times must not make it a thousand times more.
fn find_or_make(request: &VirtualRequest, number: usize, memory_bytes: u64) -> Device {
    static MADE: Mutex<Vec<Device>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let device_type = request.device_type;
    let lacks_the_same = |device: &Device| {
        let mut aspects = Lacks::ASPECTS.into_iter();
        aspects.all(|aspect| device.has_aspect(aspect) != request.lacks.has(aspect))
    };
    let same = |device: &&Device| {
        device.device_type() == device_type
            && device.relative_id() == number
            && device.info().memory_bytes == memory_bytes
            && lacks_the_same(device)
    };
    if let Some(device) = made.iter().find(same) {
        return device.clone();
    }
    let driver = VirtualDriver::new(request, memory_bytes, Arc::clone(registry::processor()));
    let device = Device::root(BackendKind::Virtual, device_type, number, Arc::new(driver));
    made.push(device.clone());
    device
}

/// A virtual device, or a part of one.
pub(crate) struct VirtualDriver {
    device_type: DeviceType,
    lacks: Lacks,
    /// What really runs the kernels.
    processor: Arc<dyn Driver>,
    units: Vec<usize>,
    /// A part shares the memory of the whole.
    memory: Arc<Budget>,
}

impl VirtualDriver {
    fn new(request: &VirtualRequest, memory_bytes: u64, processor: Arc<dyn Driver>) -> Self {
        let device_type = request.device_type;
        let units = match device_type {
            DeviceType::Gpu => GPU_UNITS,
            DeviceType::Cpu | DeviceType::Accelerator => OTHER_UNITS,
        };
        Self {
            device_type,
            lacks: request.lacks,
            processor,
            units: (0..units).collect(),
            memory: Arc::new(Budget {
                limit_bytes: memory_bytes,
                used_bytes: AtomicU64::new(0),
            }),
        }
    }
}

/// Which tile a unit is in. There are caches of the second level only.
fn tile_of(unit: usize, domain: AffinityDomain) -> Option<usize> {
    match domain {
        AffinityDomain::Numa | AffinityDomain::L2Cache => Some(unit / UNITS_PER_TILE),
        _ => None,
    }
}

impl Driver for VirtualDriver {
    fn info(&self) -> DeviceInfo {
        let own_type = match self.device_type {
            DeviceType::Cpu => Aspect::Cpu,
            DeviceType::Gpu => Aspect::Gpu,
            DeviceType::Accelerator => Aspect::Accelerator,
        };
        let info = self.processor.info();
        let mut aspects = info.aspects;
        // It stands for a device that is somewhere else than the host.
        let of_the_host = [Aspect::Cpu, Aspect::UsmSystemAllocations];
        aspects.retain(|aspect| !of_the_host.contains(aspect) && !self.lacks.has(*aspect));
        aspects.extend([own_type, Aspect::Emulated]);
        aspects.sort_unstable();
        aspects.dedup();
        let domains = affinity_domains(&self.units, tile_of);
        DeviceInfo {
            name: format!("situ virtual {}", self.device_type),
            vendor: None,
            driver_version: env!("CARGO_PKG_VERSION").to_owned(),
            compute_units: self.units.len(),
            clock_mhz: None,
            memory_bytes: self.memory.limit_bytes,
            max_allocation_bytes: self.memory.limit_bytes,
            cache: None,
            partition: PartitionInfo::new(self.units.len(), domains),
            aspects,
            ..info
        }
    }

    fn llvm_target(&self) -> Option<&llvm::TargetOptions> {
        self.processor.llvm_target()
    }

    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.processor.compile(module)
    }

    fn compile_reordered(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.processor.compile_reordered(module)
    }

    fn streams_from_bytes(&self) -> Option<u64> {
        self.processor.streams_from_bytes()
    }

    fn compile_streaming(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.processor.compile_streaming(module)
    }

    fn compile_as_written(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.processor.compile_as_written(module)
    }

    fn allocate(&self, size_bytes: usize, kind: UsmKind) -> Option<DeviceMemory> {
        if kind == UsmKind::Host {
            return host_memory::allocate(size_bytes).map(DeviceMemory::on_host);
        }
        self.memory.take(size_bytes)?;
        let backing = host_memory::allocate(size_bytes);
        let address = match kind {
            UsmKind::Device => backing.and_then(|_| reservation::reserve(size_bytes)),
            UsmKind::Shared | UsmKind::Host => backing,
        };
        if let (Some(address), Some(backing)) = (address, backing) {
            return Some(DeviceMemory { address, backing });
        }
        if let Some(backing) = backing {
            // SAFETY: allocated above with this size, and nobody has seen it.
            unsafe { host_memory::free(backing, size_bytes) };
        }
        self.memory.give_back(size_bytes);
        None
    }

    unsafe fn free(&self, memory: DeviceMemory, size_bytes: usize, kind: UsmKind) {
        // SAFETY: the caller keeps the contract of `Driver::free`, which is the same.
        unsafe { host_memory::free(memory.backing, size_bytes) };
        if kind == UsmKind::Device {
            reservation::release(memory.address, size_bytes);
        }
        if kind != UsmKind::Host {
            self.memory.give_back(size_bytes);
        }
    }

    fn is_host_accessible(&self, kind: UsmKind) -> bool {
        kind != UsmKind::Device
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        Some(self.memory.free_bytes())
    }

    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem> {
        let parts = partition.cut(&self.units, tile_of)?;
        let driver = |units| {
            Arc::new(Self {
                device_type: self.device_type,
                lacks: self.lacks,
                processor: Arc::clone(&self.processor),
                units,
                memory: Arc::clone(&self.memory),
            }) as Arc<dyn Driver>
        };
        Ok(parts.into_iter().map(driver).collect())
    }

    fn cores(&self) -> Option<&CoreSet> {
        self.processor.cores()
    }
}

/// How much memory a device has and how much of it is out.
struct Budget {
    limit_bytes: u64,
    used_bytes: AtomicU64,
}

impl Budget {
    /// Sets memory aside; `None` when there is not enough.
    fn take(&self, size_bytes: usize) -> Option<()> {
        let fits = |used: u64| {
            let total = used.checked_add(size_bytes as u64)?;
            (total <= self.limit_bytes).then_some(total)
        };
        self.used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .ok()
            .map(drop)
    }

    fn give_back(&self, size_bytes: usize) {
        self.used_bytes
            .fetch_sub(size_bytes as u64, Ordering::Relaxed);
    }

    fn free_bytes(&self) -> u64 {
        self.limit_bytes - self.used_bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
