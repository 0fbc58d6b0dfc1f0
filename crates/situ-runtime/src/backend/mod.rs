//! The devices situ can run on, one folder each, and what they have in common.
//!
//! A backend implements [`Driver`] for its devices and [`DeviceProgram`] for code it has compiled.
//! Everything device-neutral (checks of arguments and ranges, memory pools, queues) is done above
//! these traits, so a driver may rely on it: see the methods' documentation.

mod cost;
mod grouping;
mod host_memory;
mod host_reach;
mod idle;
mod loading;
pub mod native;
pub mod opencl;
mod opencl_c;
mod overlap;
pub mod reference;
pub mod stack;
pub mod sycl;
pub mod virtual_;

use std::ptr::NonNull;
use std::sync::Arc;

use situ_codegen::llvm;
use situ_codegen::opencl_c::TargetOptions;
use situ_ir::{NdRange, ValidModule};

use crate::device_info::DeviceInfo;
use crate::error::Result;
use crate::launch::DeviceArgument;
use crate::memory::usm::UsmKind;
use crate::partition::{Partition, PartitionProblem};
use native::pool::Pool;
use native::topology::CoreSet;

/// Memory from a driver, by its two addresses.
///
/// They are the same where the host can reach what the device can. Where it cannot, `address`
/// belongs to nobody in the host's address space, and `backing` is where the bytes are for code
/// that runs on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceMemory {
    /// What users see and pass around.
    pub(crate) address: NonNull<u8>,
    /// What kernels and copies read and write.
    pub(crate) backing: NonNull<u8>,
}

impl DeviceMemory {
    /// Memory that the host reaches where the device does.
    pub(crate) fn on_host(start: NonNull<u8>) -> Self {
        Self {
            address: start,
            backing: start,
        }
    }
}

// SAFETY: these are addresses; using what is there has rules of its own.
unsafe impl Send for DeviceMemory {}
// SAFETY: as above.
unsafe impl Sync for DeviceMemory {}

/// One device's driver.
pub(crate) trait Driver: Send + Sync {
    /// Facts and limits; asked once.
    fn info(&self) -> DeviceInfo;

    /// Compiles and loads all kernels of a module.
    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>>;

    /// The same with leave to compute with floats in another order. This is for devices that keep the order.
    fn compile_reordered(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.compile(module)
    }

    /// The same with stores that go past the cache, if the device has such stores.
    fn compile_streaming(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.compile(module)
    }

    /// The same without a form for vectors of work-items. This is for devices that have no such form.
    fn compile_as_written(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.compile(module)
    }

    /// The same with sub-groups of one of the sizes in [`DeviceInfo::sub_group_sizes`]. This is for
    /// devices that have one.
    fn compile_for_sub_groups(
        &self,
        module: &ValidModule,
        _size: u32,
    ) -> Result<Arc<dyn DeviceProgram>> {
        self.compile(module)
    }

    /// The size from which on results are better written past the cache.
    fn streams_from_bytes(&self) -> Option<u64> {
        None
    }

    /// What the emitter of LLVM IR is told about the device, if that is what it runs.
    fn llvm_target(&self) -> Option<&llvm::TargetOptions> {
        None
    }

    /// What the emitter of OpenCL C is told about the device, if that is what it runs.
    fn opencl_target(&self) -> Option<&TargetOptions> {
        None
    }

    /// The machine code of a module as text; `None` if the driver does not show it.
    fn assembly(&self, _module: &ValidModule) -> Option<Result<String>> {
        None
    }

    /// Memory of a multiple of 64 bytes, aligned to 64, and to pages when it is large and the
    /// driver can; `None` when there is none.
    fn allocate(&self, size_bytes: usize, kind: UsmKind) -> Option<DeviceMemory>;

    /// Takes memory back.
    ///
    /// # Safety
    /// `memory` came from [`Driver::allocate`] with the same size and kind, and is not used again.
    unsafe fn free(&self, memory: DeviceMemory, size_bytes: usize, kind: UsmKind);

    /// Copies bytes and returns when that is done; the places may overlap.
    ///
    /// This is for devices whose memory is the host's, too; others override it.
    ///
    /// # Safety
    /// Both places have as many bytes. Each is memory of this device's context or of its memory domain,
    /// by its backing, or memory of the host.
    unsafe fn copy(&self, from: *const u8, to: *mut u8, size_bytes: usize) -> Result<()> {
        // SAFETY: as the caller promises; `copy` allows overlap.
        unsafe { std::ptr::copy(from, to, size_bytes) };
        Ok(())
    }

    /// Sets bytes and returns when that is done. For whom this is, see [`Driver::copy`].
    ///
    /// # Safety
    /// The place has as many bytes and is memory of this device's context, by its backing.
    unsafe fn fill(&self, to: *mut u8, size_bytes: usize, value: u8) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { to.write_bytes(value, size_bytes) };
        Ok(())
    }

    /// Whether this process may use the device; a forked child may not use one whose driver does not
    /// survive that.
    fn check_process(&self) -> Result<()> {
        Ok(())
    }

    /// The driver as the SYCL backend knows it, if it is one of SYCL's.
    fn as_sycl(&self) -> Option<&sycl::SyclDriver> {
        None
    }

    /// Which of its backend's platforms the device belongs to.
    fn platform_number(&self) -> usize {
        0
    }

    /// Whether the host may read and write memory of a kind by its address.
    fn is_host_accessible(&self, kind: UsmKind) -> bool;

    /// Whether code of this process that runs on the host may read and write memory of a kind by its
    /// backing. Then bytes need no [`Driver::copy`] to get there.
    fn has_host_backing(&self, _kind: UsmKind) -> bool {
        true
    }

    /// A number that drivers have in common if each of them can copy from and to memory of the other.
    /// It is asked for only where memory has no host backing.
    fn memory_domain(&self) -> usize {
        0
    }

    /// Memory that is free at this moment, where that is known.
    fn free_memory_bytes(&self) -> Option<u64>;

    /// The drivers of the device's parts, in order. `ByAffinity` names a real domain if there is
    /// one that makes parts.
    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem>;

    /// The processors that threads of this device must keep to; `None` when any will do.
    fn cores(&self) -> Option<&CoreSet> {
        None
    }

    /// The threads that share its kernels, if those are the host's.
    fn pool(&self) -> Option<&Arc<Pool>> {
        None
    }
}

/// Compiled and loaded code of one module.
pub(crate) trait DeviceProgram: Send + Sync {
    /// Runs a kernel and returns when it is done.
    ///
    /// The caller has checked that the range is not empty and has the kernel's dimensions, that it
    /// has local sizes if the kernel needs groups, and that arguments fit the parameters and stay
    /// alive.
    fn run(&self, kernel: usize, range: &NdRange, arguments: &[DeviceArgument<'_>]) -> Result<()>;

    /// Whether a kernel that runs looks at the [`StopFlag`](crate::interrupt::StopFlag) of its thread, and stops soon.
    fn is_stoppable(&self) -> bool {
        false
    }

    /// Whether a launch is expected to end within a millisecond, so that it is best run by the
    /// thread that asks for it. Only a guess is needed.
    fn is_brief(&self, kernel: usize, range: &NdRange) -> bool;

    /// Whether a launch is known to be over in microseconds.
    fn is_immediate(&self, _kernel: usize, _range: &NdRange) -> bool {
        false
    }

    /// Runs such a launch, which has no groups, on the calling thread; false if that cannot be, and then nothing has
    /// happened. The caller has checked the same as for [`Self::run`].
    fn run_at_once(
        &self,
        _kernel: usize,
        _range: &NdRange,
        _arguments: &[DeviceArgument<'_>],
    ) -> bool {
        false
    }

    /// Local memory of a group of so many work-items, without what is passed as an argument. This is for
    /// backends that need more than the kernel's own arrays.
    fn local_bytes(&self, _kernel: usize, _group_items: u64) -> u64 {
        0
    }

    /// The largest work-group that the kernel can run in, where that is less than the device's.
    fn max_work_group_size(&self, _kernel: usize) -> Option<u64> {
        None
    }
}
