//! The exponential function and the logarithms.

use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

use super::real::{Pair, Real};
use crate::expression::MathFunction;

/// `exp(x)` as a product of two numbers, so that `exp(x) * factor` overflows only if it must.
#[derive(Clone, Copy)]
pub(super) struct Growth<R: Real> {
    pub(super) is_large: R::Condition,
    rest: R,
    scale: R,
}

impl<R: Real> Growth<R> {
    pub(super) fn new(x: R) -> Self {
        // Whole numbers just below the logarithm of the largest float: subtracting them is exact.
        let large = x.choose(88.0, 709.0);
        let is_large = x.greater(large);
        let (zero, one) = (x.constant(0.0), x.constant(1.0));
        let exp_large = x.choose(88_f64.exp(), 709_f64.exp());
        let shifted = x - R::select(is_large, large, zero);
        Self {
            is_large,
            rest: shifted.apply(MathFunction::Exp),
            scale: R::select(is_large, exp_large, one),
        }
    }

    /// `exp(x) * factor`.
    pub(super) fn times(self, factor: R) -> R {
        self.rest * factor * self.scale
    }

    /// `exp(x) * factor * half`, for a half of either sign. The factor may be the smallest number there
    /// is, so that it cannot be halved first.
    pub(super) fn times_half(self, factor: R, half: R) -> R {
        self.rest * factor * (self.scale * half)
    }
}

pub(super) fn exp<R: Real>(z: Pair<R>) -> Pair<R> {
    let Pair { re: x, im: y } = z;
    let growth = Growth::new(x);
    let re = growth.times(y.apply(MathFunction::Cos));
    let im = growth.times(y.apply(MathFunction::Sin));

    let zero = x.constant(0.0);
    // The direction of infinity is lost, but not that it is infinite or has vanished.
    let lost = !y.is_finite() & x.is_infinite();
    let vanished = lost & x.less(zero);
    Pair::new(
        R::select(lost, R::select(vanished, zero, x), re),
        R::select(vanished, zero, R::select(y.is_zero(), y, im)),
    )
}

/// `exp(z) - 1` without cancellation near zero.
///
/// Where `exp(x) cos(y)` is near 1 the real part is small beside the imaginary one, and its error is
/// that of the whole.
pub(super) fn expm1<R: Real>(z: Pair<R>) -> Pair<R> {
    let Pair { re: x, im: y } = z;
    let whole = exp(z);
    let one = x.constant(1.0);
    // exp(x) cos(y) - 1 = (exp(x) - 1) cos(y) - (1 - cos(y))
    let half_sine = (y * x.constant(0.5)).apply(MathFunction::Sin);
    let near = x.apply(MathFunction::Expm1) * y.apply(MathFunction::Cos)
        - x.constant(2.0) * half_sine * half_sine;
    // The standard has no minus zero here.
    let near = near + x.constant(0.0);
    // Far from zero nothing cancels, and `exp` knows what is infinite.
    let is_near = x.abs().less(x.constant(40.0)) & y.is_finite();
    Pair::new(R::select(is_near, near, whole.re - one), whole.im)
}

pub(super) fn log<R: Real>(z: Pair<R>) -> Pair<R> {
    Pair::new(log_magnitude(z), z.im.atan2(z.re))
}

pub(super) fn log2<R: Real>(z: Pair<R>) -> Pair<R> {
    scaled_log(z, LOG2_E)
}

pub(super) fn log10<R: Real>(z: Pair<R>) -> Pair<R> {
    scaled_log(z, LOG10_E)
}

/// `log(z) * factor`.
fn scaled_log<R: Real>(z: Pair<R>, factor: f64) -> Pair<R> {
    let Pair { re, im } = log(z);
    let factor = re.constant(factor);
    Pair::new(re * factor, im * factor)
}

/// `log(1 + z)` without cancellation near zero.
pub(super) fn log1p<R: Real>(z: Pair<R>) -> Pair<R> {
    let Pair { re: x, im: y } = z;
    let moved = Pair::new(x + x.constant(1.0), y);
    let is_near = is_near_one(moved.re.abs().larger(y.abs()));
    // |1 + z|² - 1 = x² + y² + 2x
    let near = half_log1p(squares_plus(x, y, x + x));
    let re = R::select(is_near, near, log_magnitude(moved));
    Pair::new(re, moved.im.atan2(moved.re))
}

/// `log(|z|)`.
pub(super) fn log_magnitude<R: Real>(z: Pair<R>) -> R {
    let (x, y) = (z.re.abs(), z.im.abs());
    let swap = x.less(y);
    let larger = R::select(swap, y, x);
    let smaller = R::select(swap, x, y);

    let near = half_log1p(squares_plus(larger, smaller, x.constant(-1.0)));
    let scaling = Scaling::new(larger);
    let magnitude = (larger * scaling.factor).hypot(smaller * scaling.factor);
    let far = magnitude.apply(MathFunction::Log) - scaling.log_factor;
    R::select(is_near_one(larger), near, far)
}

/// Whether the larger part of a number is so near 1 that the logarithm of the magnitude is small and
/// feels every rounding of it.
fn is_near_one<R: Real>(larger: R) -> R::Condition {
    larger.greater(larger.constant(0.5)) & larger.less(larger.constant(1.5))
}

/// `log(sqrt(1 + square))`.
fn half_log1p<R: Real>(square: R) -> R {
    square.constant(0.5) * square.apply(MathFunction::Log1p)
}

/// `a² + b² + c` where `c` cancels most of the squares: these and the sums are kept with their
/// rounding errors.
fn squares_plus<R: Real>(a: R, b: R, c: R) -> R {
    let (a_squared, b_squared) = (a * a, b * b);
    let (a_error, b_error) = (a.fma(a, -a_squared), b.fma(b, -b_squared));
    let (difference, difference_error) = add_exactly(a_squared, c);
    let (sum, sum_error) = add_exactly(difference, b_squared);
    let (errors, errors_error) = add_exactly(a_error, b_error);
    let (total, total_error) = add_exactly(sum, errors);
    total + (total_error + (difference_error + (sum_error + errors_error)))
}

/// A sum and its rounding error.
fn add_exactly<R: Real>(a: R, b: R) -> (R, R) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// A power of two that brings a magnitude away from the ends of the range.
pub(super) struct Scaling<R> {
    pub(super) factor: R,
    log_factor: R,
    /// One over the square root of the factor.
    pub(super) inverse_root: R,
}

impl<R: Real> Scaling<R> {
    /// For numbers whose largest part is `magnitude`.
    pub(super) fn new(magnitude: R) -> Self {
        let power =
            |single: i32, double: i32| magnitude.choose(2_f64.powi(single), 2_f64.powi(double));
        let is_large = magnitude.greater(power(120, 1000));
        let is_small = magnitude.less(power(-100, -900));
        let select =
            |large, small, medium| R::select(is_large, large, R::select(is_small, small, medium));
        let one = magnitude.constant(1.0);
        Self {
            factor: select(power(-8, -8), power(48, 108), one),
            log_factor: select(
                magnitude.constant(-8.0 * LN_2),
                magnitude.choose(48.0 * LN_2, 108.0 * LN_2),
                magnitude.constant(0.0),
            ),
            inverse_root: select(power(4, 4), power(-24, -54), one),
        }
    }
}
