//! USM memory: allocations, the pool they come from, and copies.

pub mod copy;
pub mod pool;
pub mod usm;
