//! Functions of complex numbers, as formulas of reals.
//!
//! The functions are generic over [`Real`]. Over an expression under construction ([`super::draft`])
//! they write themselves down as IR; over plain `f32` and `f64` they compute, which is how the tests
//! measure their error.
//!
//! There are no branches, only [`Real::select`]: all paths are evaluated and one is chosen. That
//! vectorises, and it means that a path may be meaningless for arguments that are not its own.
//!
//! Special values are those of C's Annex G as the array API standard lists them. Where the standard
//! leaves a sign open, it is not specified here either. Intermediate results neither overflow nor cancel,
//! so what is lost is a few ulp of each part; the tests record how many for each function.

mod arithmetic;
mod real;

pub(super) use arithmetic::divide;
pub(super) use real::{Pair, Real};
