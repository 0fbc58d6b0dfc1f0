//! Functions of complex numbers, as formulas of reals.
//!
//! The functions are generic over [`Real`]. Over an expression under construction
//! ([`super::draft`]) they write themselves down as IR; over plain `f32` and `f64` they compute,
//! which is how the tests measure their error.
//!
//! There are no branches, only [`Real::select`]: all paths are evaluated and one is chosen. That
//! vectorises, and it means that a path may be meaningless for arguments that are not its own.
//!
//! Special values are those of C's Annex G as the array API standard lists them. Where the standard
//! leaves a sign open, it is not specified here either. Intermediate results neither overflow nor
//! cancel, so what is lost is a few ulp of each part; `tests.rs` records how many for each
//! function. Powers are the exception: the error of `z ** w` grows with the size of `w * log(z)`. So is
//! the real part of `expm1(z)`, whose error is a few ulp of the whole number.

mod arithmetic;
mod exponential;
mod hyperbolic;
mod inverse;
mod power;
mod real;
mod root;
#[cfg(test)]
mod tests;

pub(super) use arithmetic::divide;
pub(super) use power::power;
pub(super) use real::{Pair, Real};

use crate::expression::MathFunction;

/// A function of one complex argument; `None` if it is not defined for complex numbers.
pub(super) fn apply<R: Real>(function: MathFunction, z: Pair<R>) -> Option<Pair<R>> {
    Some(match function {
        MathFunction::Sin => hyperbolic::sin(z),
        MathFunction::Cos => hyperbolic::cos(z),
        MathFunction::Tan => hyperbolic::tan(z),
        MathFunction::Asin => inverse::asin(z),
        MathFunction::Acos => inverse::acos(z),
        MathFunction::Atan => inverse::atan(z),
        MathFunction::Sinh => hyperbolic::sinh(z),
        MathFunction::Cosh => hyperbolic::cosh(z),
        MathFunction::Tanh => hyperbolic::tanh(z),
        MathFunction::Asinh => inverse::asinh(z),
        MathFunction::Acosh => inverse::acosh(z),
        MathFunction::Atanh => inverse::atanh(z),
        MathFunction::Exp => exponential::exp(z),
        MathFunction::Expm1 => exponential::expm1(z),
        MathFunction::Log => exponential::log(z),
        MathFunction::Log1p => exponential::log1p(z),
        MathFunction::Log2 => exponential::log2(z),
        MathFunction::Log10 => exponential::log10(z),
        MathFunction::Sqrt => root::sqrt(z),
        _ => return None,
    })
}
