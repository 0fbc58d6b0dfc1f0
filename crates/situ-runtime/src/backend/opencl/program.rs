//! Kernels ready to run: arguments are set, the range is put into a queue, and its end is waited for.
//!
//! Setting arguments changes the kernel's object, which therefore serves one launch at a time; there are
//! as many objects of a kernel as there were launches at the same moment.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;
use std::time::Instant;

use situ_codegen::opencl_c::KernelAbi;
use situ_ir::{Literal, NdRange};

use super::api::{KERNEL_LOCAL_MEM_SIZE, KERNEL_WORK_GROUP_SIZE};
use super::code::BuiltProgram;
use super::device::ClDevice;
use super::handle::KernelId;
use super::memory::{FailedCall, named};
use crate::backend::cost::{BRIEF_NS, CostEstimate};
use crate::backend::grouping::GroupLimits;
use crate::backend::idle::Idle;
use crate::backend::{DeviceProgram, opencl_c};
use crate::error::{Error, Result};
use crate::launch::DeviceArgument;

/// The loaded kernels of a module.
pub(super) struct OpenClProgram {
    kernels: Vec<OpenClKernel>,
    limits: GroupLimits,
    device: Arc<ClDevice>,
    program: Arc<BuiltProgram>,
}

struct OpenClKernel {
    abi: KernelAbi,
    symbol: CString,
    idle: Idle<KernelId>,
    max_work_group_size: Option<u64>,
    /// Local memory of the kernel itself, as its driver counts it.
    local_bytes: u64,
    /// What a work-item costs, without the driver's own time for a launch.
    cost: CostEstimate,
}

impl OpenClProgram {
    pub(super) fn new(
        device: Arc<ClDevice>,
        program: Arc<BuiltProgram>,
        kernels: Vec<KernelAbi>,
        limits: GroupLimits,
    ) -> Result<Self> {
        let kernels = kernels
            .into_iter()
            .map(|abi| OpenClKernel::new(&device, &program, abi))
            .collect::<Result<_>>()?;
        Ok(Self {
            kernels,
            limits,
            device,
            program,
        })
    }

    /// Sets all arguments.
    fn set_arguments(
        &self,
        kernel: &OpenClKernel,
        id: KernelId,
        range: &NdRange,
        arguments: &[DeviceArgument<'_>],
    ) -> Result<(), FailedCall> {
        let mut setter = Setter {
            device: &self.device,
            kernel: id,
            position: 0,
        };
        for argument in arguments {
            match argument {
                DeviceArgument::Scalar(literal) => setter.scalar(*literal)?,
                DeviceArgument::Pointer {
                    memory,
                    byte_offset,
                } => setter.pointer(memory.backing_ptr().wrapping_add(*byte_offset))?,
                DeviceArgument::Local { size_bytes } => setter.local(*size_bytes)?,
            }
        }
        if kernel.abi.scratch_bytes_per_item > 0 {
            setter.local(opencl_c::scratch_bytes(&kernel.abi, range) as usize)?;
        }
        if kernel.abi.has_extents {
            for size in &range.global()[..range.dims()] {
                setter.scalar(Literal::U64(*size))?;
            }
        }
        Ok(())
    }

    fn enqueue_and_wait(&self, kernel: &OpenClKernel, id: KernelId, range: &NdRange) -> Result<()> {
        let dims = range.dims();
        // OpenCL's first dimension is the fastest, situ's the slowest.
        let reversed = |sizes: [u64; 3]| {
            let mut backwards = [1; 3];
            for (to, from) in backwards.iter_mut().zip(sizes[..dims].iter().rev()) {
                *to = *from as usize;
            }
            backwards
        };
        let limits = self.limits.for_kernel(kernel.max_work_group_size);
        let (global, local) = opencl_c::sizes(&kernel.abi, range, limits);
        let (global, local) = (reversed(global), local.map(reversed));
        let local = local.as_ref().map_or(ptr::null(), |sizes| sizes.as_ptr());
        let queue = self.device.take_queue()?;
        let _turn = self.device.platform.take_turn();
        // SAFETY: all arguments are set and lead to live memory (checked by the launch); the sizes have
        // as many entries as dimensions are named.
        let enqueued = named("clEnqueueNDRangeKernel", unsafe {
            (self.device.platform.api.enqueue_nd_range_kernel)(
                queue.id(),
                id,
                dims as u32,
                ptr::null(),
                global.as_ptr(),
                local,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        });
        queue.finish(enqueued)
    }
}

impl DeviceProgram for OpenClProgram {
    fn is_brief(&self, kernel: usize, range: &NdRange) -> bool {
        let kernel = &self.kernels[kernel];
        let expected = kernel.cost.expected_ns(range.work_items());
        expected.is_some_and(|ns| ns < BRIEF_NS)
    }

    fn max_work_group_size(&self, kernel: usize) -> Option<u64> {
        self.kernels[kernel].max_work_group_size
    }

    fn local_bytes(&self, kernel: usize, group_items: u64) -> u64 {
        let kernel = &self.kernels[kernel];
        opencl_c::local_bytes(&kernel.abi, kernel.local_bytes, group_items)
    }

    fn run(&self, kernel: usize, range: &NdRange, arguments: &[DeviceArgument<'_>]) -> Result<()> {
        self.device.check_process()?;
        let kernel = &self.kernels[kernel];
        let result = self.run_kernel(kernel, range, arguments);
        result.map_err(|error| kernel.name_in(error))
    }
}

impl OpenClProgram {
    fn run_kernel(
        &self,
        kernel: &OpenClKernel,
        range: &NdRange,
        arguments: &[DeviceArgument<'_>],
    ) -> Result<()> {
        let id = kernel.take(&self.device, &self.program)?;
        let begin = Instant::now();
        let result = self
            .set_arguments(kernel, id, range, arguments)
            .map_err(|failed| self.device.failed(failed))
            .and_then(|()| self.enqueue_and_wait(kernel, id, range));
        if result.is_ok() {
            kernel.idle.give_back(id);
            let own = self.device.overhead.subtract_from(begin.elapsed());
            kernel.cost.update(own, range.work_items().max(1));
        } else {
            // SAFETY: made by `OpenClKernel::make`, and nobody uses it.
            unsafe { (self.device.platform.api.release_kernel)(id) };
        }
        result
    }
}

impl Drop for OpenClProgram {
    fn drop(&mut self) {
        if !self.device.is_of_this_process() {
            return;
        }
        for kernel in &self.kernels {
            while let Some(id) = kernel.idle.take() {
                // SAFETY: made by `OpenClKernel::make`, and nobody uses it.
                unsafe { (self.device.platform.api.release_kernel)(id) };
            }
        }
    }
}

impl OpenClKernel {
    fn new(device: &ClDevice, program: &BuiltProgram, abi: KernelAbi) -> Result<Self> {
        let mut kernel = Self {
            symbol: CString::new(abi.symbol.as_str()).expect("symbols have no zero bytes"),
            abi,
            idle: Idle::default(),
            max_work_group_size: None,
            local_bytes: 0,
            cost: CostEstimate::new(),
        };
        let id = kernel
            .make(device, program)
            .map_err(|error| kernel.name_in(error))?;
        let api = device.platform.api;
        let limit = api.kernel_value::<usize>(id, device.root, KERNEL_WORK_GROUP_SIZE);
        // Some drivers say 0 for "no other limit than the device's".
        let limit = limit.ok().filter(|limit| *limit > 0);
        let limit = limit.map(|limit| limit as u64);
        kernel.max_work_group_size = opencl_c::max_work_group_size(&kernel.abi, limit);
        let local_bytes = api.kernel_value::<u64>(id, device.root, KERNEL_LOCAL_MEM_SIZE);
        kernel.local_bytes = local_bytes.unwrap_or(0);
        kernel.idle.give_back(id);
        Ok(kernel)
    }

    /// The same error, which says that it happened to this kernel.
    fn name_in(&self, error: Error) -> Error {
        match error {
            Error::DriverFailed {
                device,
                call,
                status,
                ..
            } => Error::DriverFailed {
                device,
                subject: Some(self.abi.name.clone()),
                call,
                status,
            },
            other => other,
        }
    }

    /// An object of the kernel that nobody else uses meanwhile.
    fn take(&self, device: &ClDevice, program: &BuiltProgram) -> Result<KernelId> {
        let idle = self.idle.take();
        idle.map_or_else(|| self.make(device, program), Ok)
    }

    fn make(&self, device: &ClDevice, program: &BuiltProgram) -> Result<KernelId> {
        let mut status = 0;
        // SAFETY: the program is built; the name is a C string.
        let id = unsafe {
            let create = device.platform.api.create_kernel;
            create(program.id, self.symbol.as_ptr(), &raw mut status)
        };
        named("clCreateKernel", status).map_err(|failed| device.failed(failed))?;
        Ok(id)
    }
}

/// Gives a kernel one argument after the other.
struct Setter<'a> {
    device: &'a ClDevice,
    kernel: KernelId,
    position: u32,
}

impl Setter<'_> {
    fn next(&mut self) -> u32 {
        self.position += 1;
        self.position - 1
    }

    fn scalar(&mut self, literal: Literal) -> Result<(), FailedCall> {
        opencl_c::scalar_parts(literal).try_for_each(|(bits, size_bytes)| {
            let bytes = bits.to_le_bytes();
            self.set(size_bytes, bytes.as_ptr())
        })
    }

    fn local(&mut self, size_bytes: usize) -> Result<(), FailedCall> {
        // No memory at all cannot be asked for, but a kernel may have an empty array.
        self.set(size_bytes.max(1), ptr::null())
    }

    fn set(&mut self, size_bytes: usize, bytes: *const u8) -> Result<(), FailedCall> {
        let position = self.next();
        // SAFETY: there are as many bytes, which the driver copies; a null pointer with a size asks for
        // local memory.
        named("clSetKernelArg", unsafe {
            (self.device.platform.api.set_kernel_arg)(
                self.kernel,
                position,
                size_bytes,
                bytes.cast(),
            )
        })
    }

    fn pointer(&mut self, address: *const u8) -> Result<(), FailedCall> {
        let position = self.next();
        let api = self.device.platform.api;
        // SAFETY: the launch keeps the memory alive until the kernel has run.
        unsafe {
            self.device
                .memory
                .set_pointer(api, self.kernel, position, address)
        }
    }
}
