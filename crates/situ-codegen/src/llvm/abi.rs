//! How the runtime calls a compiled kernel: the one definition both sides use.
//!
//! A kernel is one exported function `void symbol(ptr args, ptr launch)`.
//!
//! * `args` points at 8-byte slots, one for each *lowered* parameter: a scalar's bits in the low
//!   bytes (little-endian; `bool` is one byte, 0 or 1); the address of a pointer into global
//!   memory; for a pointer into local memory the byte offset of its area from `scratch`, a multiple
//!   of [`BLOCK_ALIGN_BYTES`] that is at least [`KernelAbi::local_bytes`].
//! * `launch` points at a [`LaunchFrame`].
//!
//! Chunks of one launch may run on several threads at once and in any order. `scratch` and `frame`
//! belong to one call at a time, start on a multiple of [`BLOCK_ALIGN_BYTES`], and their contents
//! are undefined before and after the call.
//!
//! A kernel with [`KernelAbi::streamed`] parameters writes their memory past the cache. It needs chunks that start at
//! multiples of [`STREAMED_ITEMS`] and addresses that are multiples of [`BLOCK_ALIGN_BYTES`] in these slots.

use std::mem::offset_of;

use situ_ir::Parameter;

/// What `scratch`, `frame` and each launch-sized local area are aligned to.
pub const BLOCK_ALIGN_BYTES: usize = 64;

/// What the first work-item of a chunk is a multiple of, in kernels with [`KernelAbi::streamed`] parameters.
pub const STREAMED_ITEMS: u64 = 64;

/// Bytes of one argument slot.
pub const ARGUMENT_SLOT_BYTES: usize = 8;

/// The function of the runtime that runs the rounds of a [`situ_ir::Parallel`]:
/// `void situ_run_rounds(ptr rounds, ptr context, i64 count, ptr cost)`.
///
/// It calls `void rounds(ptr context, i64 first, i64 last, i64 worker)` with ranges that cover `0..count`, on threads
/// of its choice, and returns when all have returned. `cost` is two `i32`s that start as zero and are the
/// runtime's.
pub const RUN_ROUNDS: &str = "situ_run_rounds";

/// The part of a launch that one call of a kernel runs.
///
/// Dimension 0 is the slowest. Dimensions that do not exist have size 1.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LaunchFrame {
    /// Work-items of the whole launch in each dimension.
    pub global_size: [u64; 3],
    /// Work-items of a work-group in each dimension; 1 for [`KernelShape::Items`].
    pub local_size: [u64; 3],
    /// The first work-item or work-group (see [`KernelShape`]) of this chunk, row-major.
    pub begin: u64,
    /// One past the last.
    pub end: u64,
    /// Local memory: [`KernelAbi::local_bytes`], then the launch-sized areas. May be null if there
    /// is none of either.
    pub scratch: *mut u8,
    /// [`KernelAbi::frame_bytes_per_item`] for each work-item of a group. May be null if that is 0.
    pub frame: *mut u8,
    /// The lowest address of the stack that the kernel may use. Functions that call themselves stop before it.
    pub stack_limit: usize,
}

/// Where the fields of [`LaunchFrame`] are, in bytes.
pub(crate) mod offset {
    use super::{LaunchFrame, offset_of};

    pub(crate) const GLOBAL_SIZE: usize = offset_of!(LaunchFrame, global_size);
    pub(crate) const LOCAL_SIZE: usize = offset_of!(LaunchFrame, local_size);
    pub(crate) const BEGIN: usize = offset_of!(LaunchFrame, begin);
    pub(crate) const END: usize = offset_of!(LaunchFrame, end);
    pub(crate) const SCRATCH: usize = offset_of!(LaunchFrame, scratch);
    pub(crate) const FRAME: usize = offset_of!(LaunchFrame, frame);
    pub(crate) const STACK_LIMIT: usize = offset_of!(LaunchFrame, stack_limit);
}

const _: () = assert!(
    size_of::<LaunchFrame>() == 88,
    "emitted code knows the layout"
);

/// What `begin` and `end` of a [`LaunchFrame`] count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelShape {
    /// Work-items of the flattened range. The kernel knows nothing of work-groups.
    Items,
    /// Work-groups.
    Groups,
}

/// What the runtime must know to call a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelAbi {
    /// Whether it calls [`RUN_ROUNDS`].
    pub has_rounds: bool,
    /// The kernel's name in the module.
    pub name: String,
    /// The exported symbol.
    pub symbol: String,
    /// What a chunk consists of.
    pub shape: KernelShape,
    /// Dimensions of the ranges the kernel can be launched over.
    pub dims: u8,
    /// Work-items that run at once, where code is written for vectors of them; 1 where it is written for one.
    pub lanes: u32,
    /// Bytes at the start of `scratch` that the kernel's own local arrays take; a multiple of
    /// [`BLOCK_ALIGN_BYTES`].
    pub local_bytes: u64,
    /// Bytes of `frame` for each work-item of a work-group; a multiple of 8.
    pub frame_bytes_per_item: u64,
    /// Bytes of stack that a call needs, see `stack.rs`.
    pub stack_bytes: u64,
    /// The parameters after lowering, one for each argument slot.
    pub parameters: Vec<Parameter>,
    /// The positions of those whose memory is written past the cache.
    pub streamed: Vec<usize>,
}
