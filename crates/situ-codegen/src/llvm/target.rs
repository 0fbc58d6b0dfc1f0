//! What the LLVM emitter must know about the processor.

use std::collections::BTreeSet;

use crate::target::MathMode;

/// The widest vectors that mathematical functions are called with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorIsa {
    /// 128-bit vectors, what every x86-64 processor has.
    #[default]
    Sse2,
    /// 256-bit vectors; such processors also convert `float16` in hardware.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl VectorIsa {
    /// Bytes in one vector register.
    pub const fn vector_bytes(self) -> usize {
        match self {
            Self::Sse2 => 16,
            Self::Avx2 => 32,
            Self::Avx512 => 64,
        }
    }
}

/// Which kernels are written for vectors of work-items, rather than for one at a time and LLVM to vectorise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Vectorise {
    /// Those that gain by it.
    #[default]
    Auto,
    /// All.
    Always,
    /// None.
    Never,
}

/// What the processor and its libraries offer, and how the user wants numbers to be computed.
///
/// The options are part of the emitted text's meaning: the same module with other options is
/// another program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetOptions {
    /// Which vector mathematical functions to call.
    pub vector_isa: VectorIsa,
    /// The vector mathematical functions there are, by their symbols in the vector function ABI,
    /// for example `_ZGVdN4v_sin`.
    pub vector_functions: BTreeSet<String>,
    /// Whether to use them.
    pub math: MathMode,
    /// Work-items in a sub-group; at least 1.
    pub sub_group_size: u32,
    /// Which kernels are written for vectors of work-items.
    pub vectorise: Vectorise,
    /// Whether the processor is slower at one gather than at loading its elements one by one.
    pub gathers_slowly: bool,
    /// Whether sums and products of floats may be computed in another order than they are written, and a quotient as a
    /// product. NaN and infinity keep their meaning.
    pub reorders_floats: bool,
    /// Whether memory that a kernel over one dimension only writes is written past the cache: for results that are too large for it.
    /// Such memory must start at a multiple of [`BLOCK_ALIGN_BYTES`](super::abi::BLOCK_ALIGN_BYTES).
    pub streams: bool,
}

impl TargetOptions {
    /// Work-items in a sub-group unless something else is asked for: one vector of `float32`.
    pub const DEFAULT_SUB_GROUP_SIZE: u32 = 16;
}

impl Default for TargetOptions {
    /// Any x86-64 processor with nothing but the C library.
    fn default() -> Self {
        Self {
            vector_isa: VectorIsa::default(),
            vector_functions: BTreeSet::new(),
            math: MathMode::default(),
            sub_group_size: Self::DEFAULT_SUB_GROUP_SIZE,
            vectorise: Vectorise::default(),
            gathers_slowly: false,
            reorders_floats: false,
            streams: false,
        }
    }
}
