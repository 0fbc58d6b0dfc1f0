//! A device of OpenCL as the rest of the runtime sees it.

use std::sync::Arc;

use situ_codegen::opencl_c::TargetOptions;
use situ_ir::ValidModule;

use super::capabilities::{self, Asker};
use super::code::Code;
use super::device::ClDevice;
use super::fission;
use super::handle::DeviceId;
use super::memory::{FailedCall, MemoryModel};
use super::platform::{ClContext, ClPlatform};
use super::program::OpenClProgram;
use crate::aspect::Aspect;
use crate::backend::grouping::GroupLimits;
use crate::backend::{DeviceMemory, DeviceProgram, Driver, host_memory, opencl_c, overlap};
use crate::device_info::DeviceInfo;
use crate::error::Result;
use crate::memory::usm::UsmKind;
use crate::partition::{Partition, PartitionProblem};

/// A device, or a part of one.
pub(crate) struct OpenClDriver {
    device: Arc<ClDevice>,
    code: Arc<Code>,
    info: DeviceInfo,
    platform_number: usize,
}

impl OpenClDriver {
    /// The driver of a whole device in a context that contains it.
    pub(super) fn new(
        platform: &Arc<ClPlatform>,
        platform_number: usize,
        context: Arc<ClContext>,
        id: DeviceId,
        memory: MemoryModel,
        label: String,
    ) -> Result<Self, FailedCall> {
        let asker = Asker {
            platform,
            device: id,
        };
        let target = capabilities::target(&asker);
        let info = capabilities::info(&asker, &memory, &target)?;
        let code = Code::new(&asker, platform, Arc::clone(&context), target);
        let device = ClDevice::new(Arc::clone(platform), context, (id, id), memory, label);
        device.try_queue()?;
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
        context: &Arc<ClContext>,
        code: &Arc<Code>,
        parts: &[DeviceId],
    ) -> Result<Vec<Arc<dyn Driver>>, FailedCall> {
        let whole = &self.device;
        parts
            .iter()
            .enumerate()
            .map(|(number, id)| {
                let asker = Asker {
                    platform: &whole.platform,
                    device: *id,
                };
                let info = capabilities::info(&asker, &whole.memory, &code.target)?;
                let device = ClDevice::new(
                    Arc::clone(&whole.platform),
                    Arc::clone(context),
                    (*id, whole.root),
                    whole.memory,
                    format!("part {number} of {}", whole.label),
                );
                device.try_queue()?;
                Ok(Arc::new(Self {
                    device: Arc::new(device),
                    code: Arc::clone(code),
                    info,
                    platform_number: self.platform_number,
                }) as Arc<dyn Driver>)
            })
            .collect()
    }

    fn compile_for(
        &self,
        module: &ValidModule,
        target: &TargetOptions,
    ) -> Result<Arc<dyn DeviceProgram>> {
        self.device.check_process()?;
        let emitted = opencl_c::emit(module, target, "this OpenCL device")?;
        let program = self.code.program(module, &emitted, &self.device.label)?;
        let device = Arc::clone(&self.device);
        let limits = GroupLimits::of(&self.info);
        let program = OpenClProgram::new(device, program, emitted.kernels, limits)?;
        Ok(Arc::new(program))
    }

    /// Copies bytes between places that do not overlap.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    unsafe fn copy_apart(&self, from: *const u8, to: *mut u8, size_bytes: usize) -> Result<()> {
        let device = &*self.device;
        let queue = device.take_queue()?;
        // SAFETY: as the caller promises.
        let copied = unsafe {
            device
                .memory
                .copy(device.platform.api, queue.id(), from, to, size_bytes)
        };
        queue.checked(copied)
    }
}

impl Driver for OpenClDriver {
    fn info(&self) -> DeviceInfo {
        self.info.clone()
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
        let device = &*self.device;
        let is_on_host = kind == UsmKind::Host || self.info.aspects.contains(&Aspect::Cpu);
        if !device.is_of_this_process() || (is_on_host && !host_memory::has_room(size_bytes)) {
            return None;
        }
        let (api, context) = (device.platform.api, device.context.id());
        let start = device
            .memory
            .allocate(api, context, device.root, size_bytes, kind)?;
        Some(DeviceMemory::on_host(start))
    }

    unsafe fn free(&self, memory: DeviceMemory, _size_bytes: usize, _kind: UsmKind) {
        let device = &*self.device;
        if device.is_of_this_process() {
            let (api, context) = (device.platform.api, device.context.id());
            // SAFETY: the caller keeps the contract of `Driver::free`, which is the same.
            unsafe { device.memory.free(api, context, memory.backing) };
        }
    }

    fn is_host_accessible(&self, kind: UsmKind) -> bool {
        kind != UsmKind::Device
    }

    fn has_host_backing(&self, kind: UsmKind) -> bool {
        let (reach, aspects) = (&self.device.host_reach, &self.info.aspects);
        self.is_host_accessible(kind) || reach.includes_device_memory(self, aspects)
    }

    /// Commands take memory of their `cl_context`, whichever device of it they run on.
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
        let device = &*self.device;
        device.check_process()?;
        if size_bytes == 0 {
            return Ok(());
        }
        let queue = device.take_queue()?;
        // SAFETY: as the caller promises.
        let filled = unsafe {
            device
                .memory
                .enqueue_fill(device.platform.api, queue.id(), to, size_bytes, value)
        };
        queue.finish(filled)
    }

    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem> {
        let whole = &self.device;
        let (possible, units) = (&self.info.partition, self.info.compute_units);
        let api = whole.platform.api;
        let parts = fission::parts(api, whole.id, possible, units, partition)?;
        let refused = |FailedCall { status, .. }| PartitionProblem::Refused { status };
        // Some drivers take parts in the context of the whole. For others one is made that has
        // them; its kernels then must take memory of the first, which processors' drivers do.
        if parts.iter().all(|part| whole.context.takes(*part)) {
            let parts = self.parts_in(&whole.context, &self.code, &parts);
            return parts.map_err(refused);
        }
        let together: Vec<DeviceId> = std::iter::once(whole.root).chain(parts.clone()).collect();
        let context = ClContext::new(api, &together)
            .map_err(|status| PartitionProblem::Refused { status })?;
        let context = Arc::new(context);
        let code = Arc::new(self.code.for_context(Arc::clone(&context)));
        self.parts_in(&context, &code, &parts).map_err(refused)
    }
}
