//! How a compiled kernel is launched: what the emitter tells the runtime.

use situ_ir::{Parameter, Span};

/// Bytes of local memory that collectives need for each work-item.
pub const SCRATCH_BYTES: u64 = 8;

/// One or more modules as OpenCL C text, and what is needed to compile and launch it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenClModule {
    /// The text.
    pub text: String,
    /// Options that the text must be compiled with.
    pub build_options: String,
    /// The kernels, in the order of the modules and their functions.
    pub kernels: Vec<KernelAbi>,
    /// Where each line of the text comes from; `None` for lines that are the emitter's own. This is not in
    /// the text, so that the same kernel in another file is the same program.
    pub origins: Vec<Option<LineOrigin>>,
}

/// The place in the user's source that a line of text was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    /// Which of the modules.
    pub module: usize,
    /// Where in its source.
    pub span: Span,
}

/// What the runtime must know to launch a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelAbi {
    /// The kernel's name in its module.
    pub name: String,
    /// The kernel's name in the program.
    pub symbol: String,
    /// Dimensions of the ranges the kernel can be launched over. OpenCL numbers them backwards.
    pub dims: u8,
    /// The parameters after lowering. A `bool` is passed as one byte; a pointer into local memory as
    /// the size of its area.
    pub parameters: Vec<Parameter>,
    /// Bytes of the local arrays that the kernel declares itself.
    pub local_bytes: u64,
    /// Bytes of the private arrays of a work-item, in the kernel and the functions it calls.
    pub private_bytes: u64,
    /// If not 0, the kernel has one more parameter after the others: local memory of this many bytes
    /// for each work-item of a work-group.
    pub scratch_bytes_per_item: u64,
    /// If set, the kernel has one more parameter of 8 bytes for each dimension after the others: the true
    /// size of the range, slowest dimension first. It can be launched over a larger one.
    pub has_extents: bool,
}
