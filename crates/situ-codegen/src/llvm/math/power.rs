//! A number to the power of another, in registers of AVX2.
//!
//! `x^y = e^(y log(x))`. Exponents of results go up to 1024, and an error of the logarithm is multiplied as much;
//! so it is computed as the sum of two numbers, with 12 bits more than one has.
//!
//! With `s = f / (2 + f)`, the logarithm of `1 + f` is `2 s + s^3 (2/3 + 2/5 s^2 + ...)`. Of this, `s`, its cube and the
//! product of the cube and a number in the middle of what the bracket may be are sums of two numbers; the rest is small enough
//! for one.
//!
//! Half of the work would be for arguments that are seldom there, and results that are nearly too large or too small. [`write()`] computes
//! the powers of what is ordinary, [`write_any`] all others, by the same steps.

use super::arithmetic::Arithmetic;
use super::exponential::{self, RANGE};
use super::ordinary::is_ordinary;
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, Parts, Scale, split, split_normal};
use crate::llvm::writer::Operand;

/// In the middle of what the cube is multiplied with, which is from 2/3 to 0.68.
const MIDDLE: f64 = 345.0 / 512.0;
/// `(log(1 + f) - 2 s) / s^3` less [`MIDDLE`], in powers of `s^2`; with an error below 2^-73 of the logarithm.
const TAIL: [f64; 9] = [
    -11.0 / 1536.0,
    0.399_999_999_999_999_8,
    0.285_714_285_714_451_1,
    0.222_222_222_175_365_58,
    0.181_818_188_703_036_93,
    0.153_845_568_717_004_42,
    0.133_363_173_939_583_52,
    0.116_748_189_756_945_95,
    0.119_890_095_865_567_01,
];
/// Powers of ordinary numbers are e to the power of something smaller than this.
const ORDINARY: f64 = 700.0;

/// A sum of two numbers, the second of which is much smaller than the first.
pub(super) struct Pair {
    pub(super) high: Operand,
    pub(super) low: Operand,
}

impl Pair {
    /// The product with a number.
    fn times(&self, numbers: &mut Arithmetic<'_, '_, '_>, y: &Operand) -> Self {
        let (high, lost) = numbers.product(y, &self.high);
        let low = numbers.multiply_add(y, &self.low, &lost);
        Self { high, low }
    }

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

/// Writes x^y where everything is ordinary, and whether it is.
pub(super) fn write(
    numbers: &mut Arithmetic<'_, '_, '_>,
    x: &Operand,
    y: &Operand,
) -> (Operand, Operand) {
    let parts = split_normal(numbers, x);
    let exponent = logarithm(numbers, &parts).times(numbers, y);

    let is_ordinary = is_ordinary(numbers, x);
    let magnitude = numbers.absolute(&exponent.high);
    let limit = numbers.constant(ORDINARY);
    let is_within = numbers.is_less(&magnitude, &limit);
    let is_ordinary = numbers.both(&is_ordinary, &is_within);

    let (result, scale) = exponential(numbers, &exponent);
    (scale.apply_to_ordinary(numbers, &result), is_ordinary)
}

/// Writes x^y for all numbers.
pub(super) fn write_any(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand, y: &Operand) -> Operand {
    write_by(
        numbers,
        (x, y),
        |numbers, x| {
            let parts = split(numbers, x);
            let logarithm = logarithm(numbers, &parts);
            with_ends(numbers, x, logarithm)
        },
        |numbers, exponent| {
            let exponent = exponent.within_limits(numbers, RANGE);
            let (result, scale) = exponential(numbers, &exponent);
            scale.apply(numbers, &result)
        },
    )
}

/// Writes x^y by a logarithm and an exponential of sums of two numbers.
pub(super) fn write_by<'a, 'b, 'c>(
    numbers: &mut Arithmetic<'a, 'b, 'c>,
    (x, y): (&Operand, &Operand),
    logarithm: impl FnOnce(&mut Arithmetic<'a, 'b, 'c>, &Operand) -> Pair,
    exponential: impl FnOnce(&mut Arithmetic<'a, 'b, 'c>, &Pair) -> Operand,
) -> Operand {
    let magnitude = numbers.absolute(x);
    let exponent = logarithm(numbers, &magnitude).times(numbers, y);
    let result = exponential(numbers, &exponent);
    with_signs(numbers, x, y, &magnitude, &result)
}

/// Writes the logarithm of a positive, finite number. What does not wait for the quotient comes first where it can.
fn logarithm(numbers: &mut Arithmetic<'_, '_, '_>, parts: &Parts) -> Pair {
    let [one, middle, log_2_high, log_2_low] =
        [1.0, MIDDLE, LOG_2_HIGH, LOG_2_LOW].map(|value| numbers.constant(value));
    let m = &parts.fraction;
    let f = numbers.subtract(m, &one);
    let above = numbers.add(m, &one);
    let kept = numbers.subtract(&above, &one);
    let above_low = numbers.subtract(m, &kept);
    let s = numbers.divide(&f, &above);

    // What is lost of `2 s` is `left / (1 + m)` twice, and twice the inverse is `1 - s`. The logarithm grows
    // faster than `2 s`, by `1 + s^2 + s^4`.
    let left = numbers.subtract_product(&s, &above, &f);
    let left = numbers.subtract_product(&s, &above_low, &left);
    let inverse = numbers.subtract(&one, &s);
    let lost = numbers.multiply(&left, &inverse);
    let (square, square_low) = numbers.product(&s, &s);
    let growth = numbers.multiply_add(&square, &square, &square);
    let low = numbers.multiply_add(&lost, &growth, &lost);

    let (cube, cube_low) = numbers.product(&s, &square);
    let cube_low = numbers.multiply_add(&s, &square_low, &cube_low);
    let fourth = numbers.multiply(&square, &square);
    let tail = numbers.polynomial_by_pairs(&square, &fourth, &TAIL[1..]);
    let first = numbers.constant(TAIL[0]);
    let tail = numbers.multiply_add(&square, &tail, &first);
    let (added, added_low) = numbers.product(&cube, &middle);
    let added_low = numbers.multiply_add(&cube_low, &middle, &added_low);
    let added_low = numbers.multiply_add(&cube, &tail, &added_low);

    let high = numbers.multiply(&parts.exponent, &log_2_high);
    let double = numbers.add(&s, &s);
    let (high, lost) = numbers.sum(&high, &double);
    let lost = numbers.multiply_add(&parts.exponent, &log_2_low, &lost);
    let low = numbers.add(&lost, &low);
    let (high, lost) = numbers.sum(&high, &added);
    let low = numbers.add(&lost, &low);
    let low = numbers.add(&low, &added_low);
    Pair { high, low }
}

/// Corrects the logarithm of zero and of what is infinite or NaN.
fn with_ends(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand, logarithm: Pair) -> Pair {
    let [zero, infinity, of_zero] =
        [0.0, f64::INFINITY, f64::NEG_INFINITY].map(|value| numbers.constant(value));
    let is_zero = numbers.is_equal(x, &zero);
    let high = numbers.select(&is_zero, &of_zero, &logarithm.high);
    let is_finite = numbers.is_less(x, &infinity);
    let high = numbers.select(&is_finite, &high, x);
    Pair { high, ..logarithm }
}

/// e to the power of a sum, but for a power of two.
fn exponential(numbers: &mut Arithmetic<'_, '_, '_>, x: &Pair) -> (Operand, Scale) {
    let one = numbers.constant(1.0);
    let whole = numbers.add(&x.high, &x.low);
    let scale = Scale::of_exponential(numbers, &whole);
    let [log_2_high, log_2_low] = [LOG_2_HIGH, LOG_2_LOW].map(|part| numbers.constant(-part));
    let high = numbers.multiply_add(&scale.exponent, &log_2_high, &x.high);
    let low = numbers.multiply_add(&scale.exponent, &log_2_low, &x.low);
    let (rest, rest_low) = numbers.sum(&high, &low);

    let square = numbers.multiply(&rest, &rest);
    let tail = numbers.polynomial_by_pairs(&rest, &square, &exponential::TAIL);
    let tail = numbers.multiply_add(&square, &tail, &rest_low);
    let (sum, lost) = numbers.sum(&one, &rest);
    let tail = numbers.add(&lost, &tail);
    (numbers.add(&sum, &tail), scale)
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
