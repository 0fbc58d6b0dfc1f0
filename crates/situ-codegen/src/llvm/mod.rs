//! LLVM 19 IR text for the native device.

pub mod abi;
pub mod target;

pub use abi::{KernelAbi, KernelShape, LaunchFrame};
pub use target::{TargetOptions, VectorIsa};
