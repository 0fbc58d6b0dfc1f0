//! Kernels ready to run: arguments become slots, a range becomes chunks on the pool.

use std::ops::Range;
use std::sync::Arc;

use situ_codegen::llvm::abi::{BLOCK_ALIGN_BYTES, STREAMED_ITEMS};
use situ_codegen::llvm::{KernelAbi, KernelShape, LaunchFrame};
use situ_ir::{Literal, NdRange};

use super::jit::LoadedObject;
use super::pool::{CostEstimate, Pool, Work};
use super::rounds;
use super::scratch::Scratch;
use super::stoppable::{self, KernelFunction};
use crate::backend::cost::INLINE_NS;
use crate::backend::{DeviceProgram, stack};
use crate::error::{Error, Result};
use crate::launch::DeviceArgument;

/// Ranges up to this size are cut between any two vectors of work-items: with so few, each may be a lot of
/// work.
const SMALL_RANGE: u64 = 1024;

/// Larger ranges are cut at multiples of this, so that chunks start at a cache line.
const ITEMS_PER_GRANULE: u64 = STREAMED_ITEMS;

/// Argument slots that need no allocation.
const INLINE_SLOTS: usize = 24;

/// The loaded kernels of a module.
pub(super) struct NativeProgram {
    kernels: Vec<NativeKernel>,
    pool: Arc<Pool>,
    /// Keeps the code mapped.
    _object: Arc<LoadedObject>,
}

struct NativeKernel {
    function: KernelFunction,
    abi: KernelAbi,
    cost: CostEstimate,
}

impl NativeKernel {
    /// The stack that a call needs.
    fn stack_bytes(&self) -> usize {
        usize::try_from(self.abi.stack_bytes).unwrap_or(usize::MAX)
    }

    /// How many items or groups a range has, and at which multiples it may be cut.
    fn amount(&self, range: &NdRange) -> (u64, u64) {
        match self.abi.shape {
            KernelShape::Items => match range.work_items() {
                len if len <= SMALL_RANGE && self.abi.streamed.is_empty() => {
                    (len, u64::from(self.abi.lanes))
                }
                len => (len, ITEMS_PER_GRANULE),
            },
            KernelShape::Groups => {
                let local_size = range.local().unwrap_or([1; 3]);
                (group_count(range.global(), local_size), 1)
            }
        }
    }
}

impl NativeProgram {
    pub(super) fn new(
        object: Arc<LoadedObject>,
        kernels: Vec<KernelAbi>,
        pool: Arc<Pool>,
    ) -> Result<Self> {
        let kernels = kernels
            .into_iter()
            .map(|abi| {
                let address = object.function(&abi.symbol).ok_or(Error::Internal {
                    invariant: "compiled code exports the symbols its emitter promised",
                })?;
                // SAFETY: the emitter gives every kernel this type, and the object it was compiled
                // to stays loaded as long as this program.
                let function = unsafe {
                    std::mem::transmute::<*const std::ffi::c_void, KernelFunction>(address)
                };
                Ok(NativeKernel {
                    function,
                    abi,
                    cost: CostEstimate::new(),
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            kernels,
            pool,
            _object: object,
        })
    }
}

impl DeviceProgram for NativeProgram {
    fn is_brief(&self, kernel: usize, range: &NdRange) -> bool {
        let kernel = &self.kernels[kernel];
        let (len, granule) = kernel.amount(range);
        self.pool.is_brief(len, granule, &kernel.cost)
    }

    fn is_immediate(&self, kernel: usize, range: &NdRange) -> bool {
        let kernel = &self.kernels[kernel];
        let abi = &kernel.abi;
        let needs_scratch = abi.frame_bytes_per_item > 0 || abi.local_bytes > 0;
        // The cost may have been learnt on a small range, which is cut finer: then this is what it is, and else too much.
        let granules = range.work_items().div_ceil(u64::from(abi.lanes).max(1));
        abi.shape == KernelShape::Items
            && !abi.has_rounds
            && !needs_scratch
            && kernel
                .cost
                .expected_ns(granules)
                .is_some_and(|ns| ns < INLINE_NS)
    }

    /// Nobody looks at the clock: it would take as long as the kernel, whose cost is known. It is measured again
    /// when the kernel is launched in the usual way.
    fn run_at_once(
        &self,
        kernel: usize,
        range: &NdRange,
        arguments: &[DeviceArgument<'_>],
    ) -> bool {
        if !self.is_immediate(kernel, range) {
            return false;
        }
        let kernel = &self.kernels[kernel];
        if stack::left_bytes() < kernel.stack_bytes() {
            return false;
        }
        let Ok(slots) = Slots::fill(&kernel.abi, arguments) else {
            return false;
        };
        let scratch = Scratch::default().as_mut_ptr();
        let frame = LaunchFrame {
            global_size: range.global(),
            local_size: [1; 3],
            begin: 0,
            end: range.work_items(),
            scratch,
            frame: scratch,
            stack_limit: stack::limit(),
        };
        // SAFETY: the slots fit the kernel's parameters and lead to live memory (checked by the caller), the range is
        // all of the launch's, and the kernel uses no block.
        unsafe { (kernel.function)(slots.as_slice().as_ptr(), &raw const frame) };
        true
    }

    fn is_stoppable(&self) -> bool {
        true
    }

    fn run(&self, kernel: usize, range: &NdRange, arguments: &[DeviceArgument<'_>]) -> Result<()> {
        let kernel = &self.kernels[kernel];
        let slots = Slots::fill(&kernel.abi, arguments)?;
        let layout = ScratchLayout::new(&kernel.abi, slots.local_bytes, range)?;
        let local_size = range.local().unwrap_or([1; 3]);
        let (len, granule) = kernel.amount(range);
        let args = ArgumentSlots(slots.as_slice());
        let work = Work {
            len,
            granule,
            scratch_bytes: layout.total_bytes,
            stack_bytes: kernel.stack_bytes(),
            cost: &kernel.cost,
        };
        self.pool
            .run(&work, &|chunk: Range<u64>, scratch: &mut Scratch| {
                let block = scratch.as_mut_ptr();
                let frame = LaunchFrame {
                    global_size: range.global(),
                    local_size,
                    begin: chunk.start,
                    end: chunk.end,
                    scratch: block,
                    frame: block.wrapping_add(layout.frame_offset),
                    stack_limit: stack::limit(),
                };
                // SAFETY: the slots fit the kernel's parameters and lead to live memory (checked by
                // the launch), the chunk is inside the range, and the block is large enough.
                let call =
                    || unsafe { stoppable::call(kernel.function, args.start(), &raw const frame) };
                if kernel.abi.has_rounds {
                    rounds::shared_by(&self.pool, kernel.stack_bytes(), call);
                } else {
                    call();
                }
            })?;
        if kernel.abi.has_rounds {
            stoppable::failure()?;
        }
        Ok(())
    }
}

/// The slots of one launch, shared by the threads that run it.
#[derive(Clone, Copy)]
struct ArgumentSlots<'a>(&'a [u64]);

impl ArgumentSlots<'_> {
    fn start(&self) -> *const u64 {
        self.0.as_ptr()
    }
}

fn group_count(global: [u64; 3], local: [u64; 3]) -> u64 {
    // Local sizes divide global sizes; the product is at most the number of work-items.
    global
        .iter()
        .zip(local)
        .map(|(global, local)| global / local)
        .product()
}

/// Where local memory and per-item frames are in a thread's scratch block.
struct ScratchLayout {
    frame_offset: usize,
    total_bytes: usize,
}

impl ScratchLayout {
    fn new(abi: &KernelAbi, local_bytes: usize, range: &NdRange) -> Result<Self> {
        let work_items: u64 = range.local().map_or(1, |local| local.iter().product());
        let frame_bytes = abi.frame_bytes_per_item.checked_mul(work_items);
        let total = frame_bytes
            .and_then(|frame_bytes| usize::try_from(frame_bytes).ok())
            .and_then(|frame_bytes| frame_bytes.checked_add(local_bytes))
            .ok_or(Error::ScratchUnavailable {
                size_bytes: usize::MAX,
            })?;
        Ok(Self {
            frame_offset: local_bytes,
            total_bytes: total,
        })
    }
}

/// Arguments in the form compiled code reads: 8 bytes each.
struct Slots {
    inline: [u64; INLINE_SLOTS],
    spilled: Vec<u64>,
    len: usize,
    /// Local memory of a work-group: the kernel's own arrays, then those of its arguments.
    local_bytes: usize,
}

impl Slots {
    fn fill(abi: &KernelAbi, arguments: &[DeviceArgument<'_>]) -> Result<Self> {
        let local_bytes =
            usize::try_from(abi.local_bytes).map_err(|_| Error::ScratchUnavailable {
                size_bytes: usize::MAX,
            })?;
        let mut slots = Self {
            inline: [0; INLINE_SLOTS],
            spilled: Vec::new(),
            len: 0,
            local_bytes,
        };
        for argument in arguments {
            match argument {
                DeviceArgument::Scalar(literal) => slots.push_scalar(*literal),
                DeviceArgument::Pointer {
                    memory,
                    byte_offset,
                } => {
                    let address = memory.backing_ptr().wrapping_add(*byte_offset);
                    slots.push(address.expose_provenance() as u64);
                }
                DeviceArgument::Local { size_bytes } => {
                    slots.push(slots.local_bytes as u64);
                    slots.local_bytes = size_bytes
                        .checked_next_multiple_of(BLOCK_ALIGN_BYTES)
                        .and_then(|area| area.checked_add(slots.local_bytes))
                        .ok_or(Error::ScratchUnavailable {
                            size_bytes: usize::MAX,
                        })?;
                }
            }
        }
        if slots.len != abi.parameters.len() {
            return Err(Error::Internal {
                invariant: "lowering gives complex scalars two slots and all others one",
            });
        }
        let is_aligned = |position: &usize| {
            (slots.as_slice()[*position] as usize).is_multiple_of(BLOCK_ALIGN_BYTES)
        };
        if !abi.streamed.iter().all(is_aligned) {
            return Err(Error::Internal {
                invariant: "memory that is written past the cache starts at a cache line",
            });
        }
        Ok(slots)
    }

    /// Complex numbers were lowered to a pair of reals.
    fn push_scalar(&mut self, literal: Literal) {
        let bits = literal.to_bits();
        match literal {
            Literal::C64(_) => {
                self.push(bits as u64 & u64::from(u32::MAX));
                self.push((bits >> 32) as u64);
            }
            Literal::C128(_) => {
                self.push(bits as u64);
                self.push((bits >> 64) as u64);
            }
            _ => self.push(bits as u64),
        }
    }

    fn push(&mut self, slot: u64) {
        if self.len < INLINE_SLOTS {
            self.inline[self.len] = slot;
        } else {
            if self.spilled.is_empty() {
                self.spilled.extend_from_slice(&self.inline);
            }
            self.spilled.push(slot);
        }
        self.len += 1;
    }

    fn as_slice(&self) -> &[u64] {
        if self.spilled.is_empty() {
            &self.inline[..self.len]
        } else {
            &self.spilled
        }
    }
}
