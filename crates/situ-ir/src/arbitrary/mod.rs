//! Random valid programs, to compare every device with the interpreter.
//!
//! ```
//! use situ_ir::arbitrary::{Flavour, generate};
//! use situ_ir::interpret::Options;
//!
//! let case = generate(42, Flavour::Exact);
//! let expected = case.interpret(&Options::default())?;
//! let found = expected.clone(); // what a device left in `case.contents()`
//! case.compare(&expected, &found)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! By construction a program has one meaning: it ends, every index is reduced to the length of what it
//! indexes, everything is written before it is read, and no two work-items touch the same element
//! without a barrier or atomics between them. Each work-item writes its own slots of the output buffers;
//! *stages* let work-items see each other's numbers, through local or global memory between barriers;
//! counters are changed by all with atomics that commute. Nothing depends on the sign or payload of a
//! NaN, which the IR leaves open.
//!
//! Programs come in two [flavours](Flavour). A seed reproduces a program as long as this folder does not
//! change; the text of the [`Case`] reproduces it for ever. [`Case::shrink`] makes a failing one small.

mod case;
mod compare;
mod expressions;
mod functions;
mod generator;
mod kernel;
mod nasty;
mod random;
mod shrink;
mod stages;
mod statements;

pub use case::{Buffer, Case, Exactness};
pub use compare::Mismatch;
pub use kernel::generate;

/// Which operations a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Only operations whose results are the same bits on every device.
    Exact,
    /// Also functions that devices compute to a few units in the last place. Their results are
    /// stored and never used again, so that errors do not grow.
    Approximate,
}

impl Flavour {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Exact, Self::Approximate];
}
