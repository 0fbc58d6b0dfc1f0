//! A device of SYCL's as the rest of the runtime sees it.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use situ_codegen::opencl_c::TargetOptions;
use situ_ir::ValidModule;

use super::api::{FailedCall, ignore_failure};
use super::capabilities::{self, Asker};
use super::code::Code;
use super::device::{SyclDevice, make_queue};
use super::fission;
use super::handle::{ContextRef, DeviceRef, Owned};
use super::program::SyclProgram;
use crate::aspect::Aspect;
use crate::backend::grouping::GroupLimits;
use crate::backend::{DeviceMemory, DeviceProgram, Driver, host_memory, opencl, opencl_c, overlap};
use crate::device_info::DeviceInfo;
use crate::error::{Error, Result};
use crate::memory::usm::UsmKind;
use crate::partition::{Partition, PartitionProblem};

/// What every address is a multiple of.
const ALIGNMENT: usize = 64;

/// What addresses of large blocks are a multiple of, where the driver can.
const PAGE: usize = 4096;

/// From here on blocks are large.
const LARGE_BYTES: usize = 1 << 20;

/// A device, or a part of one.
pub(crate) struct SyclDriver {
    device: Arc<SyclDevice>,
    code: Arc<Code>,
    info: DeviceInfo,
    platform_number: usize,
}

impl SyclDriver {
    /// The driver of a whole device in a context that contains it.
    pub(super) fn new(
        context: Arc<Owned<ContextRef>>,
        id: Arc<Owned<DeviceRef>>,
        platform_number: usize,
        label: String,
    ) -> Result<Self, FailedCall> {
        let asker = Asker { device: &id };
        let info = capabilities::info(&asker)?;
        let target = capabilities::target(&asker);
        let code = Code::new(Arc::clone(&context), Arc::clone(&id), target);
        let device = SyclDevice::new(context, Arc::clone(&id), id, label)?;
        Ok(Self {
            device: Arc::new(device),
            code: Arc::new(code),
            info,
            platform_number,
        })
    }

    /// The drivers of parts, in this context.
    fn parts_in(
        &self,
        context: &Arc<Owned<ContextRef>>,
        code: &Arc<Code>,
        parts: Vec<Owned<DeviceRef>>,
    ) -> Result<Vec<Arc<dyn Driver>>, FailedCall> {
        let whole = &self.device;
        let parts = parts.into_iter().enumerate().map(|(number, part)| {
            let info = capabilities::info(&Asker { device: &part })?;
            let device = SyclDevice::new(
                Arc::clone(context),
                Arc::new(part),
                Arc::clone(&whole.root),
                format!("part {number} of {}", whole.label),
            )?;
            Ok(Arc::new(Self {
                device: Arc::new(device),
                code: Arc::clone(code),
                info,
                platform_number: self.platform_number,
            }) as Arc<dyn Driver>)
        });
        parts.collect()
    }

    /// A context over the whole device and parts of it.
    fn context_with(
        &self,
        parts: &[Owned<DeviceRef>],
    ) -> Result<Arc<Owned<ContextRef>>, FailedCall> {
        let library = self.device.library();
        let root = std::iter::once(self.device.root.raw());
        let devices: Vec<DeviceRef> = root.chain(parts.iter().map(Owned::raw)).collect();
        // SAFETY: the devices are alive and as many as are said; the vector is a copy. The handler may
        // be called from any thread.
        let context = unsafe {
            let vector = library
                .api
                .device_vector_of(devices.len(), devices.as_ptr());
            let vector = library.own("DPCTLDeviceVector_CreateFromArray", vector)?;
            let made = library
                .api
                .context_of_devices(vector.raw(), ignore_failure, 0);
            library.own("DPCTLContext_CreateFromDevices", made)?
        };
        Ok(Arc::new(context))
    }

    /// The device in its context.
    pub(super) fn device(&self) -> &Arc<SyclDevice> {
        &self.device
    }

    fn compile_for(
        &self,
        module: &ValidModule,
        target: &TargetOptions,
    ) -> Result<Arc<dyn DeviceProgram>> {
        self.device.check_process()?;
        let emitted = opencl_c::emit(module, target, "this SYCL device")?;
        let log = || build_log(module, &self.info);
        let label = &self.device.label;
        let bundle = self.code.program(module, &emitted, label, log)?;
        let device = Arc::clone(&self.device);
        let limits = GroupLimits::of(&self.info);
        let program = SyclProgram::new(device, bundle, emitted.kernels, limits)?;
        Ok(Arc::new(program))
    }

    fn allocate_aligned(
        &self,
        alignment: usize,
        size_bytes: usize,
        kind: UsmKind,
    ) -> Option<NonNull<u8>> {
        let api = &self.device.library().api;
        let queue = self.device.memory_queue();
        // SAFETY: the queue is alive, and its device has memory of this kind.
        let start = unsafe {
            match kind {
                UsmKind::Device => api.allocate_device(alignment, size_bytes, queue),
                UsmKind::Shared => api.allocate_shared(alignment, size_bytes, queue),
                UsmKind::Host => api.allocate_host(alignment, size_bytes, queue),
            }
        };
        NonNull::new(start.ok()?.cast())
    }

    /// Copies bytes between places that do not overlap.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    unsafe fn copy_apart(&self, from: *const u8, to: *mut u8, size_bytes: usize) -> Result<()> {
        let api = &self.device.library().api;
        let (from, to): (*const c_void, *mut c_void) = (from.cast(), to.cast());
        // SAFETY: as the caller promises.
        unsafe {
            self.device.run("DPCTLQueue_Memcpy", |queue| {
                api.queue_memcpy(queue, to, from, size_bytes)
            })
        }
    }
}

/// What the compiler has against a module, if that can be found out.
///
/// The library keeps the log to itself. The driver behind it is an OpenCL driver, which tells when it is
/// asked directly.
fn build_log(module: &ValidModule, info: &DeviceInfo) -> Option<String> {
    let twin = opencl::devices().iter().find(|device| {
        let own = device.info();
        own.name == info.name && own.driver_version == info.driver_version
    })?;
    match twin.driver().compile(module) {
        Err(Error::BuildFailed { log, .. }) => Some(log),
        _ => None,
    }
}

impl Driver for SyclDriver {
    fn info(&self) -> DeviceInfo {
        self.info.clone()
    }

    fn as_sycl(&self) -> Option<&SyclDriver> {
        Some(self)
    }

    fn platform_number(&self) -> usize {
        self.platform_number
    }

    fn check_process(&self) -> Result<()> {
        self.device.check_process()
    }

    fn opencl_target(&self) -> Option<&TargetOptions> {
        Some(&self.code.target)
    }

    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.compile_for(module, &self.code.target)
    }

    fn compile_for_sub_groups(
        &self,
        module: &ValidModule,
        size: u32,
    ) -> Result<Arc<dyn DeviceProgram>> {
        let target = TargetOptions {
            sub_group_size: size,
            ..self.code.target.clone()
        };
        self.compile_for(module, &target)
    }

    fn allocate(&self, size_bytes: usize, kind: UsmKind) -> Option<DeviceMemory> {
        let is_on_host = kind == UsmKind::Host || self.info.aspects.contains(&Aspect::Cpu);
        let is_usable = self.device.library().is_of_this_process();
        if !is_usable || (is_on_host && !host_memory::has_room(size_bytes)) {
            return None;
        }
        let page =
            (size_bytes >= LARGE_BYTES).then(|| self.allocate_aligned(PAGE, size_bytes, kind));
        page.flatten()
            .or_else(|| self.allocate_aligned(ALIGNMENT, size_bytes, kind))
            .map(DeviceMemory::on_host)
    }

    unsafe fn free(&self, memory: DeviceMemory, _size_bytes: usize, _kind: UsmKind) {
        let library = self.device.library();
        if library.is_of_this_process() {
            let (start, context) = (memory.backing.as_ptr(), self.device.context.raw());
            // A failure leaves the memory where it is, which helps nobody to know.
            // SAFETY: the caller keeps the contract of `Driver::free`, which is the same.
            let _ = unsafe { library.api.free(start.cast(), context) };
        }
    }

    fn is_host_accessible(&self, kind: UsmKind) -> bool {
        kind != UsmKind::Device
    }

    fn has_host_backing(&self, kind: UsmKind) -> bool {
        let (reach, aspects) = (&self.device.host_reach, &self.info.aspects);
        self.is_host_accessible(kind) || reach.includes_device_memory(self, aspects)
    }

    /// Commands take memory of their context, whichever device of it they run on.
    fn memory_domain(&self) -> usize {
        Arc::as_ptr(&self.device.context).addr()
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        let is_processor = self.info.aspects.contains(&Aspect::Cpu);
        let available = host_memory::available_bytes().filter(|_| is_processor);
        available.map(|bytes| bytes.min(self.info.memory_bytes))
    }

    unsafe fn copy(&self, from: *const u8, to: *mut u8, size_bytes: usize) -> Result<()> {
        self.device.check_process()?;
        // SAFETY: as the caller promises; the function copies apart what it is given.
        unsafe {
            overlap::copy(self, from, to, size_bytes, |from, to| {
                self.copy_apart(from, to, size_bytes)
            })
        }
    }

    unsafe fn fill(&self, to: *mut u8, size_bytes: usize, value: u8) -> Result<()> {
        self.device.check_process()?;
        if size_bytes == 0 {
            return Ok(());
        }
        let api = &self.device.library().api;
        let to: *mut c_void = to.cast();
        // SAFETY: as the caller promises.
        unsafe {
            self.device.run("DPCTLQueue_Memset", |queue| {
                api.queue_memset(queue, to, value, size_bytes)
            })
        }
    }

    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem> {
        let whole = &self.device;
        let (possible, units) = (&self.info.partition, self.info.compute_units);
        let parts = fission::parts(&whole.id, possible, units, partition)?;
        let refused = |failed: FailedCall| PartitionProblem::RefusedBySycl {
            message: failed.message,
        };
        // Some drivers take parts in the context of the whole. For others one is made that has
        // them; its kernels then must take memory of the first, which processors' drivers do.
        let takes = |part: &Owned<DeviceRef>| make_queue(&whole.context, part).is_ok();
        if parts.iter().all(takes) {
            let parts = self.parts_in(&whole.context, &self.code, parts);
            return parts.map_err(refused);
        }
        let context = self.context_with(&parts).map_err(refused)?;
        let code = Arc::new(self.code.for_context(Arc::clone(&context)));
        self.parts_in(&context, &code, parts).map_err(refused)
    }
}
