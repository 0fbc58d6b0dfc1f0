//! How a compiled kernel is launched: what the emitter tells the runtime.

use situ_ir::Parameter;

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
    /// If not 0, the kernel has one more parameter after the others: local memory of this many bytes
    /// for each work-item of a work-group.
    pub scratch_bytes_per_item: u64,
}
