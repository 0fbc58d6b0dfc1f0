//! The C interface of situ: what C, C++, Cython and Rust packages get when they import the capsule.
//!
//! `python/situ/include/situ.h` is the other half, and the documentation that authors of such packages read. Both describe
//! one table of functions ([`table`]); a test compares them. The table only grows at its end. What cannot be had
//! that way is another table with another name.
//!
//! | module | about |
//! |---|---|
//! | [`table`] | the table, its version, its capsule |
//! | `call` | how a call from outside comes in: exceptions, panics, null pointers |
//! | `handle` | counted handles |
//! | `codes` | the numbers that stand for dtypes, USM kinds, accesses |
//! | `queue`, `device`, `event`, `memory`, `array` | the objects |
//! | `copies`, `host_call`, `kernel` | what can be submitted |
//! | `placement` | the queue that arrays agree on |
//!
//! Nothing is computed here, and nothing decided: each function converts and calls what the Python classes call, too.

mod array;
mod call;
mod codes;
mod copies;
mod device;
mod event;
mod handle;
mod host_call;
mod kernel;
mod memory;
mod placement;
mod queue;
mod table;

pub(crate) use table::{ATTRIBUTE, capsule};
