//! The CPU backend: LLVM compiles, ORC loads, a thread pool runs.

pub mod compiler;
pub mod host_cpu;
pub mod jit;
mod object_file;
pub mod pool;
pub mod scratch;
pub mod vector_math;
