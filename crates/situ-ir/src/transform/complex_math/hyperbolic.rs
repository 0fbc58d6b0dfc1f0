//! Hyperbolic functions, and the circular ones by turning the plane.

use super::exponential::Growth;
use super::real::{Pair, Real};
use crate::expression::MathFunction;

/// `cosh(x)` and `sinh(x)`, to be multiplied by a sine or cosine before they overflow.
struct Parts<R: Real> {
    growth: Growth<R>,
    cosh: R,
    sinh: R,
    /// Plus or minus one half, where both are half an exponential.
    half: R,
}

impl<R: Real> Parts<R> {
    fn new(x: R) -> Self {
        Self {
            growth: Growth::new(x.abs()),
            cosh: x.apply(MathFunction::Cosh),
            sinh: x.apply(MathFunction::Sinh),
            half: x.constant(0.5).with_sign_of(x),
        }
    }

    fn cosh_times(&self, factor: R) -> R {
        let large = self.growth.times_half(factor, self.half.abs());
        R::select(self.growth.is_large, large, self.cosh * factor)
    }

    fn sinh_times(&self, factor: R) -> R {
        let large = self.growth.times_half(factor, self.half);
        R::select(self.growth.is_large, large, self.sinh * factor)
    }
}

pub(super) fn cosh<R: Real>(z: Pair<R>) -> Pair<R> {
    let Pair { re: x, im: y } = z;
    let parts = Parts::new(x);
    let re = parts.cosh_times(y.apply(MathFunction::Cos));
    let im = parts.sinh_times(y.apply(MathFunction::Sin));

    let lost = !y.is_finite();
    let signed_zero = y * x.constant(1.0).with_sign_of(x);
    let im = R::select(y.is_zero(), signed_zero, im);
    Pair::new(
        R::select(lost & x.is_infinite(), x.abs(), re),
        R::select(lost & x.is_zero(), x, im),
    )
}

pub(super) fn sinh<R: Real>(z: Pair<R>) -> Pair<R> {
    let Pair { re: x, im: y } = z;
    let parts = Parts::new(x);
    let re = parts.sinh_times(y.apply(MathFunction::Cos));
    let im = parts.cosh_times(y.apply(MathFunction::Sin));

    let keeps = !y.is_finite() & (x.is_infinite() | x.is_zero());
    Pair::new(R::select(keeps, x, re), R::select(y.is_zero(), y, im))
}

/// Kahan's formula: with `t = tan(y)`, `s = sinh(x)`, `b = 1 + t²` the result is
/// `(b s sqrt(1 + s²) + i t) / (1 + b s²)`. Far out it is 1 up to an exponentially small part. At
/// infinity that part is a zero with the sign of `y`, as the array API wants it; in C its sign goes
/// round with `sin(2y)`.
pub(super) fn tanh<R: Real>(z: Pair<R>) -> Pair<R> {
    let Pair { re: x, im: y } = z;
    let one = x.constant(1.0);
    let is_far = x.abs().greater(x.choose(11.0, 22.0));
    let tan = y.apply(MathFunction::Tan);
    let sinh = x.apply(MathFunction::Sinh);
    let beta = one + tan * tan;
    let square = beta * sinh * sinh;
    let denominator = one + square;
    let root = (one + sinh * sinh).sqrt();
    let re = beta * root * sinh / denominator;
    let im = tan / denominator;

    let decay = (x.constant(-2.0) * x.abs()).apply(MathFunction::Exp);
    let far_im = x.constant(4.0) * (tan / beta) * decay;
    let lost = !y.is_finite();
    let at_infinity = x.is_infinite();
    let is_one = is_far & (!lost | at_infinity);
    let im = R::select(is_far, far_im, im);
    let zero = x.constant(0.0);
    let im = R::select(at_infinity, R::select(lost, zero, zero.with_sign_of(y)), im);
    let re = R::select(x.is_zero(), x, re);
    Pair::new(
        R::select(is_one, one.with_sign_of(x), re),
        R::select(y.is_zero(), y, im),
    )
}

pub(super) fn sin<R: Real>(z: Pair<R>) -> Pair<R> {
    sinh(z.swapped()).swapped()
}

pub(super) fn cos<R: Real>(z: Pair<R>) -> Pair<R> {
    cosh(Pair::new(-z.im, z.re))
}

pub(super) fn tan<R: Real>(z: Pair<R>) -> Pair<R> {
    tanh(z.swapped()).swapped()
}
