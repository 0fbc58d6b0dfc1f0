//! How a kernel is written down.
//!
//! Two emitters turn a [`ValidModule`](situ_ir::ValidModule) into text: [`llvm`] for the native
//! device, and [`opencl_c`] for the devices of an OpenCL driver. Both are pure functions: no device, no
//! driver and no LLVM is needed to build or test this crate, and the same module and options give the same
//! text, byte for byte, so that text can be a cache key.
//!
//! An emitter takes any valid module and lowers it itself (complex numbers, Python's division, …
//! become simpler operations) before it writes; what was lowered away changes a kernel's parameter
//! list, and the facts that are returned beside the text describe the list after lowering.
//!
//! What this crate does not do: choose devices, compile text, launch kernels (`situ-runtime`).

#![forbid(unsafe_code)]

pub mod error;
pub mod llvm;
pub mod names;
pub mod opencl_c;
pub mod target;

pub use error::Error;
pub use target::MathMode;
