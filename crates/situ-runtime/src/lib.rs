//! Where a kernel runs: devices, contexts, queues, memory, programs, and the backends behind them.
//!
//! The way of a kernel through this crate:
//!
//! ```
//! use situ_ir::{AddressSpace, DType, FunctionBuilder, Module, NdRange, Type, validate};
//! use situ_runtime::memory::copy;
//! use situ_runtime::{Allocation, Argument, Program, Queue, UsmKind, select};
//!
//! let mut f = FunctionBuilder::kernel("double", 1);
//! let x = f.parameter("x", Type::pointer(DType::F32, AddressSpace::Global));
//! let i = f.global_id(0);
//! let element = f.load(x, i);
//! let sum = f.add(element, element);
//! f.store(x, i, sum);
//! let mut module = Module::new("example");
//! f.finish(&mut module);
//! let module = validate(module)?;
//!
//! let queue = Queue::new(&select("cpu")?);
//! let kernel = Program::compile(queue.device(), &module)?.kernel("double")?;
//! let allocation = Allocation::new(&queue, 8, UsmKind::Device)?;
//! copy::copy_from_host(&queue, &[1.5_f32, -2.0].map(f32::to_le_bytes).concat(), &allocation, 0)?;
//! let arguments = [Argument::Pointer { allocation: allocation.clone(), byte_offset: 0 }];
//! queue.launch(&kernel, &NdRange::new(&[2])?, &arguments)?.wait()?;
//! let mut bytes = [0; 8];
//! copy::copy_to_host(&queue, &allocation, 0, &mut bytes)?;
//! assert_eq!(bytes[..4], 3.0_f32.to_le_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | about |
//! |---|---|
//! | [`platform`], [`device`], [`selector`], [`context`], [`queue`], [`event`] | the objects users name |
//! | [`aspect`], [`device_info`], [`partition`] | what a device is, and how it is cut |
//! | `command`, `executor`, `order` | submitted work: the graph of it, who runs it, what waits for what |
//! | [`submission`], [`interrupt`], `fork` | where work came from; breaking off waits; child processes |
//! | [`memory`] | USM allocations, their pool, copies |
//! | [`program`], [`launch`], [`immediate`] | compiled code, and running it |
//! | [`compile_cache`] | compiled code, found again |
//! | [`backend`] | the devices themselves |
//! | [`config`], [`warnings`], [`error`] | settings in, problems out |
//!
//! It knows nothing of arrays and nothing of Python.

pub mod aspect;
pub mod backend;
mod command;
pub mod compile_cache;
pub mod config;
pub mod context;
pub mod device;
pub mod device_info;
pub mod error;
pub mod event;
mod executor;
mod failed_assertion;
pub mod fork;
pub mod immediate;
pub mod interrupt;
pub mod launch;
pub mod memory;
mod order;
mod outside_access;
pub mod partition;
pub mod platform;
pub mod program;
pub mod queue;
mod registry;
mod requirements;
pub mod selector;
pub mod submission;
mod trace;
mod turn_lock;
pub mod warnings;

pub use aspect::Aspect;
pub use context::Context;
pub use device::{BackendKind, Device, DeviceType};
pub use device_info::DeviceInfo;
pub use error::{Error, Result};
pub use event::{Event, EventStatus, Profile};
pub use failed_assertion::FailedAssertion;
pub use immediate::BorrowedArgument;
pub use launch::Argument;
pub use memory::index_check::{IndexedAxis, index_report};
pub use memory::report::Report;
pub use memory::usm::{Allocation, UsmKind};
pub use outside_access::OutsideAccess;
pub use partition::{AffinityDomain, Partition};
pub use platform::Platform;
pub use program::{Kernel, Program};
pub use queue::{HostError, Queue, QueueProperties};
pub use selector::select;
