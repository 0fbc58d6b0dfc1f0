//! Inverse hyperbolic and circular functions.
//!
//! `asin` and `acos` follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and
//! arccosine functions using exception handling" (ACM TOMS 23, 1997): with the distances of the
//! point to 1 and -1, every difference that could cancel is rewritten as a quotient. Their
//! crossover regions are not needed: the rewritten forms hold everywhere. `atanh` is Kahan's. The
//! others are these, seen from other sides.

use std::f64::consts::{FRAC_PI_2, LN_2};

use super::real::{Pair, Real};
use crate::expression::MathFunction;

/// The arcsine and arccosine of a point of the first quadrant.
struct Arc<R> {
    /// `tan(asin) = x / adjacent`, for the real parts.
    adjacent: R,
    /// The imaginary part of both, but for the sign.
    height: R,
}

impl<R: Real> Arc<R> {
    fn new(x: R, y: R) -> Self {
        let (half, one) = (x.constant(0.5), x.constant(1.0));
        let is_inside = x.less(one);
        let to_minus_one = (x + one).hypot(y);
        let to_one = (x - one).hypot(y);
        let a = half * (to_minus_one + to_one);
        let beyond = to_minus_one + (x + one);
        let before = to_one + (one - x);
        let behind = to_one + (x - one);

        // 2 (a - 1) and sqrt((a - 1) (a + 1)); inside, y is a factor of both.
        let slope = one / beyond + one / before;
        let excess_inside = y * (y * slope);
        let root_inside = y * (half * slope * (a + one)).sqrt();
        let excess_outside = y * (y / beyond) + behind;
        let root_outside = excess_outside.sqrt() * (half * (a + one)).sqrt();
        let excess = R::select(is_inside, excess_inside, excess_outside);
        let root = R::select(is_inside, root_inside, root_outside);
        let height = (half * excess + root).apply(MathFunction::Log1p);

        // sqrt((a + x) (a - x)).
        let sum = half * (a + x);
        let adjacent_inside = sum.sqrt() * (y * (y / beyond) + before).sqrt();
        let adjacent_outside = y * (sum / beyond + sum / behind).sqrt();
        // At 1 itself the distance behind is zero on the real axis.
        let adjacent = R::select(x.greater(one), adjacent_outside, adjacent_inside);

        // Far out both are those of log(2z), and 1 is nothing compared to the point.
        let limit = x.choose(2_f64.powi(14), 2_f64.powi(30));
        let is_far = x.greater(limit) | y.greater(limit);
        let magnitude = (half * x).hypot(half * y);
        let far_height = magnitude.apply(MathFunction::Log) + x.constant(2.0 * LN_2);
        Self {
            adjacent: R::select(is_far, y, adjacent),
            height: R::select(is_far, far_height, height),
        }
    }
}

pub(super) fn asin<R: Real>(z: Pair<R>) -> Pair<R> {
    let x = z.re.abs();
    let arc = Arc::new(x, z.im.abs());
    let re = x.atan2(arc.adjacent).with_sign_of(z.re);
    Pair::new(
        R::select(x.is_zero(), z.re, re),
        arc.height.with_sign_of(z.im),
    )
}

pub(super) fn acos<R: Real>(z: Pair<R>) -> Pair<R> {
    let x = z.re.abs();
    let arc = Arc::new(x, z.im.abs());
    let re = arc.adjacent.atan2(z.re);
    Pair::new(
        R::select(x.is_zero(), x.constant(FRAC_PI_2), re),
        -arc.height.with_sign_of(z.im),
    )
}

pub(super) fn asinh<R: Real>(z: Pair<R>) -> Pair<R> {
    asin(z.swapped()).swapped()
}

pub(super) fn acosh<R: Real>(z: Pair<R>) -> Pair<R> {
    let acos = acos(z);
    Pair::new(acos.im.abs(), acos.re.with_sign_of(z.im))
}

/// `log1p(4x / ((1 - x)² + y²)) / 4` and half the angle of `(1 - x) (1 + x) - y² + 2yi`.
pub(super) fn atanh<R: Real>(z: Pair<R>) -> Pair<R> {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (half, one, two) = (x.constant(0.5), x.constant(1.0), x.constant(2.0));
    let gap = one - x;
    let quotient = x.constant(4.0) * x / (gap * gap + y * y);
    let re = x.constant(0.25) * quotient.apply(MathFunction::Log1p);
    let im = half * (two * y).atan2(gap * (one + x) - y * y);

    // Above 1 the square of y would underflow.
    let is_above_one = x.equals(one) & y.less(x.choose(2_f64.powi(-24), 2_f64.powi(-53)));
    let above_one = half * (x.constant(LN_2) - y.apply(MathFunction::Log));
    let re = R::select(is_above_one, above_one, re);

    // Far out it is 1/z, and a quarter turn.
    let limit = x.choose(2_f64.powi(26), 2_f64.powi(55));
    let is_far = x.greater(limit) | y.greater(limit);
    let (half_x, half_y) = (half * x, half * y);
    let magnitude = half_x.hypot(half_y);
    let far = half * (half_x / magnitude / magnitude);
    let re = R::select(is_far, far, re);

    let quarter = x.constant(FRAC_PI_2);
    let at_infinity = x.is_infinite() | y.is_infinite();
    let re = R::select(at_infinity, x.constant(0.0), re);
    let im = R::select(is_far, quarter, im);
    // The quarter turn is not taken if the height is unknown.
    let im = R::select(y.equals(y), im, y);
    // Nor if the width is unknown, unless the height is infinite.
    let im = R::select(x.equals(x) | y.is_infinite(), im, x);
    Pair::new(
        R::select(x.is_zero(), z.re, re.with_sign_of(z.re)),
        im.with_sign_of(z.im),
    )
}

pub(super) fn atan<R: Real>(z: Pair<R>) -> Pair<R> {
    atanh(z.swapped()).swapped()
}
