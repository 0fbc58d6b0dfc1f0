//! What complex functions need of real numbers.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::expression::MathFunction;

/// A complex number as its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::transform) struct Pair<R> {
    /// The real part.
    pub(in crate::transform) re: R,
    /// The imaginary part.
    pub(in crate::transform) im: R,
}

impl<R: Real> Pair<R> {
    /// A complex number from its parts.
    pub(in crate::transform) fn new(re: R, im: R) -> Self {
        Self { re, im }
    }

    /// The point mirrored at the diagonal: the parts exchanged.
    #[must_use]
    pub(super) fn swapped(self) -> Self {
        Self::new(self.im, self.re)
    }

    /// One of two complex numbers; both are evaluated.
    pub(super) fn select(condition: R::Condition, accept: Self, reject: Self) -> Self {
        Self::new(
            R::select(condition, accept.re, reject.re),
            R::select(condition, accept.im, reject.im),
        )
    }
}

/// A real number, or an expression that will compute one. Operators round to nearest.
pub(in crate::transform) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The result of a comparison.
    type Condition: Copy
        + BitAnd<Output = Self::Condition>
        + BitOr<Output = Self::Condition>
        + Not<Output = Self::Condition>;

    /// A constant of the same format as this number, which decides between two: `single` for
    /// `float32` and `double` for `float64`.
    #[must_use]
    fn choose(self, single: f64, double: f64) -> Self;

    /// A mathematical function of one argument.
    #[must_use]
    fn apply(self, function: MathFunction) -> Self;

    /// A mathematical function of two arguments.
    #[must_use]
    fn apply_with(self, function: MathFunction, second: Self) -> Self;

    /// `self * factor + summand`, rounded once.
    #[must_use]
    fn fma(self, factor: Self, summand: Self) -> Self;

    /// The magnitude.
    #[must_use]
    fn abs(self) -> Self;

    /// One of two numbers; both are evaluated.
    fn select(condition: Self::Condition, accept: Self, reject: Self) -> Self;

    /// `self == other`.
    fn equals(self, other: Self) -> Self::Condition;

    /// `self < other`.
    fn less(self, other: Self) -> Self::Condition;

    /// Whether this is infinite.
    fn is_infinite(self) -> Self::Condition;

    /// Whether this is neither infinite nor NaN.
    fn is_finite(self) -> Self::Condition;

    /// A constant of the same format as this number.
    #[must_use]
    fn constant(self, value: f64) -> Self {
        self.choose(value, value)
    }

    /// `self > other`.
    fn greater(self, other: Self) -> Self::Condition {
        other.less(self)
    }

    /// Whether this is zero of either sign.
    fn is_zero(self) -> Self::Condition {
        self.equals(self.constant(0.0))
    }

    /// This magnitude with the sign of another number.
    #[must_use]
    fn with_sign_of(self, sign: Self) -> Self {
        self.apply_with(MathFunction::Copysign, sign)
    }

    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self {
        self.apply(MathFunction::Sqrt)
    }

    /// `sqrt(self² + other²)`.
    #[must_use]
    fn hypot(self, other: Self) -> Self {
        self.apply_with(MathFunction::Hypot, other)
    }

    /// The angle of the point (`x`, `self`).
    #[must_use]
    fn atan2(self, x: Self) -> Self {
        self.apply_with(MathFunction::Atan2, x)
    }

    /// The larger of two numbers that are not NaN.
    #[must_use]
    fn larger(self, other: Self) -> Self {
        Self::select(self.less(other), other, self)
    }
}
