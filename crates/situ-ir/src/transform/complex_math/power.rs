//! Powers.

use super::arithmetic::{divide, multiply};
use super::exponential::{exp, log};
use super::real::{Pair, Real};
use crate::expression::MathFunction;

/// Integer exponents below this are multiplied out, as NumPy does.
const MULTIPLIED_OUT: u32 = 100;

/// `z ** w`.
///
/// Anything to the power 0 is 1. Zero to a power with positive real part is 0, otherwise NaN.
pub(in crate::transform) fn power<R: Real>(z: Pair<R>, w: Pair<R>) -> Pair<R> {
    let (zero, one) = (z.re.constant(0.0), z.re.constant(1.0));
    let nan = z.re.constant(f64::NAN);
    let is_real = w.im.is_zero();

    let log = log(z);
    let exponent = Pair::new(
        R::select(is_real, w.re * log.re, w.re * log.re - w.im * log.im),
        R::select(is_real, w.re * log.im, w.im * log.re + w.re * log.im),
    );
    let general = exp(exponent);

    let count = w.re.abs();
    let is_whole = count.apply(MathFunction::Floor).equals(count);
    let is_short = is_real & is_whole & count.less(one.constant(f64::from(MULTIPLIED_OUT)));
    let product = multiplied_out(z, count);
    let inverse = divide(Pair::new(one, zero), product);
    let short = Pair::select(w.re.less(zero), inverse, product);
    // An infinite or NaN product says less than the logarithm does.
    let is_short = is_short & short.re.is_finite() & short.im.is_finite();
    let result = Pair::select(is_short, short, general);

    let at_zero = R::select(w.re.greater(zero), zero, nan);
    let base_is_zero = z.re.is_zero() & z.im.is_zero();
    let result = Pair::select(base_is_zero, Pair::new(at_zero, at_zero), result);
    let is_one = w.re.is_zero() & is_real;
    Pair::select(is_one, Pair::new(one, zero), result)
}

/// Squares and multiplies from the highest bit of a whole number below 128 on.
fn multiplied_out<R: Real>(z: Pair<R>, count: R) -> Pair<R> {
    let mut product = Pair::new(z.re.constant(1.0), z.re.constant(0.0));
    let mut rest = count;
    for bit in (0..=MULTIPLIED_OUT.ilog2()).rev() {
        let weight = rest.constant(2_f64.powi(bit as i32));
        let has_started = !count.less(weight + weight);
        let takes = !rest.less(weight);
        rest = R::select(takes, rest - weight, rest);
        let squared = multiply(product, product);
        let multiplied = Pair::select(has_started, multiply(squared, z), z);
        let kept = Pair::select(has_started, squared, product);
        product = Pair::select(takes, multiplied, kept);
    }
    product
}
