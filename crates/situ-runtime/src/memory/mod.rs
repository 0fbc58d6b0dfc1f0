//! USM memory: allocations, the pools they come from, and copies.
//!
//! | module | about |
//! |---|---|
//! | [`usm`] | kinds of memory, and allocations |
//! | [`copy`], [`transfer`] | moving bytes, within a context and between two |
//! | `place`, `staging` | which way they take, and the longest one |
//! | [`deferred`] | memory whose contents are put off until they are needed |
//! | [`address_loan`] | memory whose address native code holds |
//! | [`host_view`] | memory that the host looks at whenever it likes |
//! | [`host_work`], [`host_task`] | library code of the host over memory, and the caller's own, as commands |
//! | [`host_copy`] | copies from and to the host's memory, as commands |
//! | [`report`], [`index_check`] | what kernels find wrong, and indices above all |
//! | [`adopt`] | memory of the host that devices use in place |
//! | [`exports`] | addresses that other libraries were told |
//! | `context_memory` | the pools of a context, and what to do when memory is short |
//! | `pool`, `small_blocks`, `large_blocks`, `idle_stack`, `size_class` | blocks that wait for their next user |
//! | [`idle_trim`], [`relief`] | when those go back to the system |
//! | `returns` | waiting for memory that work still uses |
//! | [`statistics`], [`byte_count`] | numbers, and how they are written |

pub mod address_loan;
pub mod adopt;
pub mod byte_count;
pub(crate) mod context_memory;
pub mod copy;
pub mod deferred;
pub mod exports;
pub mod host_copy;
pub mod host_task;
pub mod host_view;
pub mod host_work;
mod idle_stack;
pub mod idle_trim;
pub mod index_check;
mod large_blocks;
pub(crate) mod place;
mod pool;
pub mod relief;
pub mod report;
mod returns;
mod size_class;
mod small_blocks;
mod staging;
pub mod statistics;
pub mod transfer;
pub mod usm;

pub use context_memory::{process_statistics, trim_all};
