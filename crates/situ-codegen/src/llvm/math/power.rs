//! A number to the power of another.
//!
//! `x^y = e^(y log(x))`. Exponents of results go up to 1024, and an error of the logarithm is multiplied as much;
//! so it is computed as the sum of two numbers, with 12 bits more than one has.
//!
//! With `u = 2 f / (2 + f)`, the logarithm of `1 + f` is `u + u^3 (1/12 + u^2 / 80 + ...)`. Of this, `u`, the
//! first coefficient and each product up to it are sums of two numbers; the rest is small enough for one.

use super::arithmetic::Arithmetic;
use super::exponential::{self, RANGE};
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, Scale, split};
use crate::llvm::writer::Operand;

const TWELFTH_HIGH: f64 = 1.0 / 12.0;
/// What [`TWELFTH_HIGH`] lacks.
const TWELFTH_LOW: f64 = f64::from_bits(0x3c55_5555_5555_5555);

/// The coefficients from 1/80 on, in powers of `u^2`; with an error below 2^-73 of the logarithm.
const TAIL: [f64; 8] = [
    0.012_499_999_999_999_994,
    0.002_232_142_857_144_149_4,
    0.000_434_027_777_686_260_9,
    8.877_841_245_265_475e-5,
    1.877_997_665_002_495_3e-5,
    4.069_921_079_699_204e-6,
    8.907_180_004_649_807e-7,
    2.286_722_104_369_488e-7,
];

/// A sum of two numbers, the second of which is what the first lacks.
pub(super) struct Pair {
    pub(super) high: Operand,
    pub(super) low: Operand,
}

impl Pair {
    /// The same, but at least and at most as large as two limits. What an infinite number lacks is NaN, and beyond the limits
    /// it does not count.
    pub(super) fn within_limits(
        &self,
        numbers: &mut Arithmetic<'_, '_, '_>,
        (least, most): (f64, f64),
    ) -> Self {
        let magnitude = numbers.absolute(&self.high);
        let [far, zero] = [1000.0, 0.0].map(|value| numbers.constant(value));
        let counts = numbers.is_less(&magnitude, &far);
        Self {
            high: numbers.clamp(&self.high, least, most),
            low: numbers.select(&counts, &self.low, &zero),
        }
    }
}

/// Writes x^y.
pub(super) fn write(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand, y: &Operand) -> Operand {
    write_by(numbers, (x, y), logarithm, exponential)
}

/// Writes x^y by a logarithm and an exponential of sums of two numbers.
pub(super) fn write_by<'a, 'b, 'c>(
    numbers: &mut Arithmetic<'a, 'b, 'c>,
    (x, y): (&Operand, &Operand),
    logarithm: impl FnOnce(&mut Arithmetic<'a, 'b, 'c>, &Operand) -> Pair,
    exponential: impl FnOnce(&mut Arithmetic<'a, 'b, 'c>, &Pair) -> Operand,
) -> Operand {
    let magnitude = numbers.absolute(x);
    let logarithm = logarithm(numbers, &magnitude);
    let (high, lost) = numbers.product(y, &logarithm.high);
    let low = numbers.multiply_add(y, &logarithm.low, &lost);
    let result = exponential(numbers, &Pair { high, low });
    with_signs(numbers, x, y, &magnitude, &result)
}

/// Writes the logarithm of a number that is not negative.
fn logarithm(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Pair {
    let parts = split(numbers, x);
    let ratio = ratio(numbers, &parts.fraction);
    let fraction = fraction_logarithm(numbers, &ratio);

    let [log_2_high, log_2_low] = [LOG_2_HIGH, LOG_2_LOW].map(|part| numbers.constant(part));
    let high = numbers.multiply(&parts.exponent, &log_2_high);
    let (high, lost) = numbers.sum(&high, &fraction.high);
    let low = numbers.add(&lost, &fraction.low);
    let low = numbers.multiply_add(&parts.exponent, &log_2_low, &low);

    let [zero, infinity, of_zero] =
        [0.0, f64::INFINITY, f64::NEG_INFINITY].map(|value| numbers.constant(value));
    let is_zero = numbers.is_equal(x, &zero);
    let high = numbers.select(&is_zero, &of_zero, &high);
    let is_finite = numbers.is_less(x, &infinity);
    let high = numbers.select(&is_finite, &high, x);
    Pair { high, low }
}

/// `2 (m - 1) / (m + 1)`.
fn ratio(numbers: &mut Arithmetic<'_, '_, '_>, m: &Operand) -> Pair {
    let one = numbers.constant(1.0);
    let above_one = numbers.subtract(m, &one);
    let numerator = numbers.add(&above_one, &above_one);
    let denominator = numbers.add(m, &one);
    let kept = numbers.subtract(&denominator, &one);
    let denominator_low = numbers.subtract(m, &kept);
    let inverse = numbers.reciprocal(&denominator);
    let high = numbers.multiply(&numerator, &inverse);
    let negative = numbers.negate(&high);
    let left = numbers.multiply_add(&negative, &denominator, &numerator);
    let left = numbers.multiply_add(&negative, &denominator_low, &left);
    let low = numbers.multiply(&left, &inverse);
    Pair { high, low }
}

/// `u + u^3 (1/12 + ...)`.
fn fraction_logarithm(numbers: &mut Arithmetic<'_, '_, '_>, u: &Pair) -> Pair {
    let (square, lost) = numbers.product(&u.high, &u.high);
    let double = numbers.add(&u.high, &u.high);
    let square_low = numbers.multiply_add(&double, &u.low, &lost);

    let fourth = numbers.multiply(&square, &square);
    let tail = numbers.polynomial(&square, &fourth, &TAIL);
    let tail = numbers.multiply(&square, &tail);
    let [twelfth, twelfth_low] = [TWELFTH_HIGH, TWELFTH_LOW].map(|part| numbers.constant(part));
    let (cubic, lost) = numbers.sum(&twelfth, &tail);
    let cubic_low = numbers.add(&lost, &twelfth_low);

    // Times the square, then times the ratio itself.
    let (share, lost) = numbers.product(&square, &cubic);
    let low = numbers.multiply_add(&square_low, &cubic, &lost);
    let share_low = numbers.multiply_add(&square, &cubic_low, &low);
    let (added, lost) = numbers.product(&u.high, &share);
    let low = numbers.multiply_add(&u.low, &share, &lost);
    let added_low = numbers.multiply_add(&u.high, &share_low, &low);

    let (high, lost) = numbers.sum(&u.high, &added);
    let low = numbers.add(&u.low, &added_low);
    let low = numbers.add(&lost, &low);
    Pair { high, low }
}

/// e to the power of a sum, which may be infinite or NaN in its first part.
fn exponential(numbers: &mut Arithmetic<'_, '_, '_>, x: &Pair) -> Operand {
    let Pair { high, low } = x.within_limits(numbers, RANGE);
    let one = numbers.constant(1.0);
    let scale = Scale::of_exponential(numbers, &high);
    let [log_2_high, log_2_low] = [-LOG_2_HIGH, -LOG_2_LOW].map(|part| numbers.constant(part));
    let high = numbers.multiply_add(&scale.exponent, &log_2_high, &high);
    let low = numbers.multiply_add(&scale.exponent, &log_2_low, &low);
    let (rest, rest_low) = numbers.sum(&high, &low);

    let square = numbers.multiply(&rest, &rest);
    let tail = exponential::tail(numbers, &rest, &square);
    let tail = numbers.multiply_add(&square, &tail, &rest_low);
    let (sum, lost) = numbers.sum(&one, &rest);
    let tail = numbers.add(&lost, &tail);
    let result = numbers.add(&sum, &tail);
    scale.apply(numbers, &result)
}

/// The result for a number of any sign, from that for its magnitude; and the cases that have a
/// meaning of their own.
fn with_signs(
    numbers: &mut Arithmetic<'_, '_, '_>,
    x: &Operand,
    y: &Operand,
    magnitude: &Operand,
    result: &Operand,
) -> Operand {
    let [zero, half, one, nan, lowest] =
        [0.0, 0.5, 1.0, f64::NAN, f64::NEG_INFINITY].map(|value| numbers.constant(value));
    // (-1)^inf is 1.
    let is_unit = numbers.is_equal(magnitude, &one);
    let result = numbers.select(&is_unit, &one, result);

    let whole = numbers.round(y);
    let is_whole = numbers.is_equal(&whole, y);
    let half_of_y = numbers.multiply(y, &half);
    let whole = numbers.round(&half_of_y);
    let is_even = numbers.is_equal(&whole, &half_of_y);
    let is_not_even = numbers.not(&is_even);
    let is_odd = numbers.both(&is_whole, &is_not_even);
    let sign = numbers.bits_of(x);
    let sign = numbers.with_bits("and", &sign, 1 << 63);
    let none = numbers.constant_bits(0);
    let sign = numbers.select_bits(&is_odd, &sign, &none);
    let result = numbers.bits_of(&result);
    let result = numbers.on_bits("or", &result, &sign);
    let result = numbers.number_of(&result);

    let is_negative = numbers.is_less(x, &zero);
    let is_finite = numbers.is_less(&lowest, x);
    let is_between = numbers.not(&is_whole);
    let is_undefined = numbers.both(&is_negative, &is_finite);
    let is_undefined = numbers.both(&is_undefined, &is_between);
    let result = numbers.select(&is_undefined, &nan, &result);

    // Also of NaN.
    let power_of_one = numbers.is_equal(x, &one);
    let zeroth_power = numbers.is_equal(y, &zero);
    let is_one = numbers.either(&power_of_one, &zeroth_power);
    numbers.select(&is_one, &one, &result)
}
