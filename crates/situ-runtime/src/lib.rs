//! Where a kernel runs: devices, queues, memory, programs and the backends behind them.

pub mod backend;
pub mod compile_cache;
pub mod config;
pub mod error;
mod fork;
pub mod warnings;

pub use error::{Error, Result};
