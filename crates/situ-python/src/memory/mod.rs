//! `situ.memory`: allocations, what other libraries say about theirs, and statistics.

mod allocation;
mod description;
mod interface;
mod statistics;

pub(crate) use allocation::{PyAllocation, count};
pub(crate) use description::{ATTRIBUTE, Description, Elements};
pub(crate) use interface::{as_allocation, exported, memory_of};
pub(crate) use statistics::{memory_statistics, trim_memory};
