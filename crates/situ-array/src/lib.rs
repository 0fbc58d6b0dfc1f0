//! Arrays: n-dimensional views of USM memory and the functions on them.
//!
//! An [`Array`] is a dtype and a [`Layout`] over an allocation, plus the queue it belongs to. A
//! function on arrays is *data*: a name, type rules and an IR expression (`functions`). Templates
//! (`kernels`) turn the expression into a kernel for the layouts at hand, the runtime compiles it for
//! the device and launches it where the data lives.
//!
//! The way of a call such as `add(a, b)`: `placement` finds the queue, `situ_ir::promotion` the dtypes,
//! `broadcast` the shape, `loop_nest` the simplest loops over the operands' memory, `kernels` the
//! kernel, and `situ-runtime` runs it.
//!
//! This crate knows nothing of Python.

pub mod array;
pub mod broadcast;
pub mod casting;
pub mod device_dtypes;
pub mod error;
pub mod functions;
pub mod host;
pub mod index;
pub mod kernel_cache;
pub mod kernels;
mod key_hash;
pub mod layout;
pub mod loop_nest;
pub mod placement;
mod reduction;

pub use array::Array;
pub use casting::Casting;
pub use error::Error;
pub use index::IndexItem;
pub use layout::Layout;
