//! The reference backend: the interpreter over real allocations, with its checks.
//!
//! Slow and strict. It finds accesses outside of an allocation, races between work-items,
//! reads of uninitialised local and private memory, and barriers that not everybody reaches, and
//! reports them as errors that name the kernel's source.

use std::sync::Arc;

use situ_codegen::llvm::TargetOptions;
use situ_ir::interpret::{self, Interpreter, Options};
use situ_ir::{NdRange, ValidModule};

use crate::aspect::Aspect;
use crate::backend::{DeviceMemory, DeviceProgram, Driver, host_memory};
use crate::config::process_config;
use crate::device_info::{DeviceInfo, VectorWidths};
use crate::error::{Error, Result};
use crate::fork::ForkLocal;
use crate::interrupt;
use crate::launch::DeviceArgument;
use crate::memory::usm::{Memory, UsmKind};
use crate::partition::{Partition, PartitionInfo, PartitionProblem};
use crate::turn_lock::{TurnGuard, TurnLock};

/// The largest work-group; the same as the native device's, so that programs can change places.
const MAX_WORK_GROUP_SIZE: u64 = 4096;

/// The most local memory for a work-group, as for the native device.
const MAX_LOCAL_BYTES: u64 = 1 << 20;

/// The device that runs kernels by the book.
pub(crate) struct ReferenceDriver {
    /// One launch at a time: the interpreter looks at whole allocations.
    running: Arc<ForkLocal<TurnLock<()>>>,
}

impl ReferenceDriver {
    pub(crate) fn new() -> Self {
        Self {
            running: Arc::new(ForkLocal::new()),
        }
    }
}

impl Driver for ReferenceDriver {
    fn info(&self) -> DeviceInfo {
        let memory_bytes = host_memory::total_bytes();
        DeviceInfo {
            name: "situ reference device (checks every access)".to_owned(),
            vendor: None,
            driver_version: env!("CARGO_PKG_VERSION").to_owned(),
            compute_units: 1,
            clock_mhz: None,
            memory_bytes,
            max_allocation_bytes: memory_bytes,
            cache: None,
            max_local_bytes: MAX_LOCAL_BYTES,
            max_work_group_size: MAX_WORK_GROUP_SIZE,
            max_work_item_sizes: [MAX_WORK_GROUP_SIZE; 3],
            sub_group_sizes: vec![TargetOptions::DEFAULT_SUB_GROUP_SIZE],
            sub_groups_progress_independently: false,
            native_vector_widths: VectorWidths::SCALAR,
            preferred_vector_widths: VectorWidths::SCALAR,
            timer_resolution_ns: None,
            address_bits: usize::BITS,
            is_little_endian: cfg!(target_endian = "little"),
            partition: PartitionInfo::new(1, Vec::new()),
            aspects: vec![
                Aspect::Atomic64,
                Aspect::Cpu,
                Aspect::Emulated,
                Aspect::Fp16,
                Aspect::Fp64,
                Aspect::OnlineCompiler,
                Aspect::QueueProfiling,
                Aspect::UsmDeviceAllocations,
                Aspect::UsmHostAllocations,
                Aspect::UsmSharedAllocations,
                Aspect::UsmSystemAllocations,
            ],
        }
    }

    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        let kernels = module
            .kernels()
            .map(|(_, function)| Interpreter::new(module, &function.name).map_err(fault))
            .collect::<Result<_>>()?;
        Ok(Arc::new(ReferenceProgram {
            kernels,
            running: Arc::clone(&self.running),
        }))
    }

    fn allocate(&self, size_bytes: usize, _kind: UsmKind) -> Option<DeviceMemory> {
        host_memory::allocate(size_bytes).map(DeviceMemory::on_host)
    }

    unsafe fn free(&self, memory: DeviceMemory, size_bytes: usize, _kind: UsmKind) {
        // SAFETY: the caller keeps the contract of `Driver::free`, which is the same.
        unsafe { host_memory::free(memory.backing, size_bytes) };
    }

    fn is_host_accessible(&self, _kind: UsmKind) -> bool {
        true
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        host_memory::available_bytes().map(|bytes| bytes.min(host_memory::total_bytes()))
    }

    fn partition(&self, _: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem> {
        Err(PartitionProblem::OneUnit)
    }
}

struct ReferenceProgram {
    kernels: Vec<Interpreter>,
    running: Arc<ForkLocal<TurnLock<()>>>,
}

impl DeviceProgram for ReferenceProgram {
    /// Always: this device is for finding mistakes, and they are found soonest if the launch itself
    /// reports them.
    fn is_brief(&self, _kernel: usize, _range: &NdRange) -> bool {
        true
    }

    fn is_stoppable(&self) -> bool {
        true
    }

    fn run(&self, kernel: usize, range: &NdRange, arguments: &[DeviceArgument<'_>]) -> Result<()> {
        let memories = distinct_memories(arguments);
        let arguments: Vec<interpret::Argument> = arguments
            .iter()
            .map(|argument| match argument {
                DeviceArgument::Scalar(literal) => interpret::Argument::Scalar(*literal),
                DeviceArgument::Pointer {
                    memory,
                    byte_offset,
                } => interpret::Argument::Pointer {
                    buffer: position_of(&memories, memory),
                    offset_bytes: *byte_offset,
                },
                DeviceArgument::Local { size_bytes } => interpret::Argument::Local {
                    size_bytes: *size_bytes,
                },
            })
            .collect();
        let _one_at_a_time = self.turn()?;
        let mut buffers: Vec<&mut [u8]> = memories
            .iter()
            .map(|memory| {
                // SAFETY: the memories are alive and do not overlap. No other launch of this
                // device runs; host code that writes at the same time is a race of the user's,
                // on every device.
                unsafe {
                    let (start, len) = (memory.backing_ptr(), memory.size_bytes());
                    std::slice::from_raw_parts_mut(start, len)
                }
            })
            .collect();
        let options = Options {
            sub_group_size: u64::from(TargetOptions::DEFAULT_SUB_GROUP_SIZE),
            step_limit: Some(process_config().step_limit),
            must_stop: Some(interrupt::must_stop_soon),
            ..Options::default()
        };
        let result = self.kernels[kernel].run(range, &arguments, &mut buffers, &options);
        result.map_err(|error| match error {
            interpret::Error::Stopped => Error::Stopped,
            other => fault(other),
        })
    }
}

impl ReferenceProgram {
    /// Waits until no other launch runs.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    fn turn(&self) -> Result<TurnGuard<'_, ()>> {
        let running = self.running.get_or_init(TurnLock::default);
        let wait = || running.lock_until(interrupt::must_stop);
        let turn = if interrupt::current_flag().is_some() {
            wait()
        } else {
            interrupt::while_stoppable_here(wait)
        };
        turn.ok_or(Error::Stopped)
    }
}

/// Each memory once, however many arguments point into it.
fn distinct_memories<'a>(arguments: &[DeviceArgument<'a>]) -> Vec<&'a Memory> {
    let mut distinct: Vec<&Memory> = Vec::new();
    for argument in arguments {
        if let DeviceArgument::Pointer { memory, .. } = argument
            && !distinct.iter().any(|seen| std::ptr::eq(*seen, *memory))
        {
            distinct.push(memory);
        }
    }
    distinct
}

fn position_of(memories: &[&Memory], wanted: &Memory) -> usize {
    memories
        .iter()
        .position(|memory| std::ptr::eq(*memory, wanted))
        .expect("every argument's memory was collected")
}

fn fault(source: interpret::Error) -> Error {
    Error::KernelFault {
        source: Box::new(source),
    }
}
