//! A number to the power of another, in registers of AVX2.
//!
//! `x^y = 2^(y log2(x))`. Exponents of results go up to 1074, and an error of the logarithm is multiplied as much;
//! so it is computed as the sum of two numbers, with 11 bits more than one has. With base 2, the exponent of `x` is part of its
//! logarithm as it is, and a whole number is taken out of `y log2(x)` without a constant.
//!
//! With `s = f / (2 + f)`, the logarithm of `1 + f` is `s (c + s^2 (c/3 + c/5 s^2 + ...))`, where `c` is `2 / log(2)`. Of this, `s`, its
//! square and what `s` is multiplied with are sums of two numbers. Where a product is added to something larger, a second multiplication
//! with one rounding finds what the first has lost.
//!
//! Errors are below 1 ulp: 0.5 of the last rounding, up to 0.12 of the rest of the exponent, less than 0.1 of the coefficients,
//! and up to 0.2 of the logarithm where results are close to the ends.
//!
//! Half of the work would be for arguments that are seldom there, and results that are nearly too large or too small. [`write()`] computes
//! the powers of what is ordinary, [`write_any`] all others, by the same steps.

use std::f64::consts::LOG2_E;

use super::arithmetic::Arithmetic;
use super::reduction::{Parts, Scale, split, split_normal};
use crate::llvm::writer::Operand;

/// `2 / log(2)`.
const FACTOR: f64 = 2.0 * LOG2_E;
/// What [`FACTOR`] lacks.
const FACTOR_LOW: f64 = f64::from_bits(0x3c87_77d0_ffda_0d24);
/// Near what the square is multiplied with, which is from 0.962 to 0.980. It is chosen for the difference to make at most 1/32000 of
/// the logarithm: the exponent of a power is rounded without it.
const MIDDLE: f64 = 1999.0 / 2048.0;
/// `(log2(1 + f) / s - FACTOR) / s^2` less [`MIDDLE`], in powers of `s^2`; with an error below 2^-66 of the logarithm.
const LOGARITHM: [f64; 8] = [
    -0.014_277_524_824_024_477,
    0.577_078_016_355_675_2,
    0.412_198_583_077_403_37,
    0.320_598_904_091_516_76,
    0.262_307_576_521_516_87,
    0.221_988_769_825_686_2,
    0.191_159_315_210_727_18,
    0.191_172_000_169_854_78,
];
/// `1 / (1 - s^2) / log(2)` in powers of `s^2`, with an error below 2^-12.
const GROWTH: [f64; 2] = [1.442_534_020_746_391_3, 1.486_289_945_504_413_6];
/// `(2^r - 1) / r`, for `r` at most 0.534 in magnitude; with an error of 2^r below 2^-56.
const EXPONENTIAL: [f64; 11] = [
    0.693_147_180_559_945_4,
    0.240_226_506_959_101_53,
    0.055_504_108_664_816_86,
    0.009_618_129_107_579_747,
    0.001_333_355_814_725_759_6,
    0.000_154_035_304_792_798_76,
    1.525_273_318_995_020_9e-5,
    1.321_542_305_927_377e-6,
    1.017_827_937_057_848_7e-7,
    7.075_998_891_224_531_5e-9,
    4.428_044_848_814_575e-10,
];
/// Where the squares of the exponents of a number and of its power have a sum below this, both are ordinary: zeros and subnormal numbers have
/// exponents below -1021, infinities, NaN and negative numbers above 1023.
const ORDINARY: f64 = 1021.0 * 1021.0;
/// 2 to the power of this and of all above is infinite, and to that of its opposite zero.
const FAR: f64 = 1100.0;

/// A sum of two numbers, the second of which is much smaller than the first.
pub(super) struct Pair {
    pub(super) high: Operand,
    pub(super) low: Operand,
}

/// Writes x^y where everything is ordinary, and whether it is.
pub(super) fn write(
    numbers: &mut Arithmetic<'_, '_, '_>,
    x: &Operand,
    y: &Operand,
) -> (Operand, Operand) {
    let parts = split_normal(numbers, x);
    let logarithm = logarithm(numbers, &parts);
    let scale = Scale::of_product(numbers, y, &logarithm.high);

    let squares = numbers.multiply(&scale.exponent, &scale.exponent);
    let squares = numbers.multiply_add(&parts.exponent, &parts.exponent, &squares);
    let limit = numbers.constant(ORDINARY);
    let is_ordinary = numbers.is_less(&squares, &limit);

    let result = exponential(numbers, y, &logarithm, &scale);
    (scale.apply_to_ordinary(numbers, &result), is_ordinary)
}

/// Writes x^y for all numbers.
pub(super) fn write_any(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand, y: &Operand) -> Operand {
    write_by(numbers, (x, y), |numbers, magnitude| {
        let parts = split(numbers, magnitude);
        let logarithm = logarithm(numbers, &parts);
        let logarithm = with_ends(numbers, magnitude, logarithm);
        let (y, logarithm) = within_limits(numbers, y, &logarithm);
        let scale = Scale::of_product(numbers, &y, &logarithm.high);
        let result = exponential(numbers, &y, &logarithm, &scale);
        scale.apply(numbers, &result)
    })
}

/// Writes x^y by a function for the magnitude of x.
pub(super) fn write_by<'a, 'b, 'c>(
    numbers: &mut Arithmetic<'a, 'b, 'c>,
    (x, y): (&Operand, &Operand),
    of_magnitude: impl FnOnce(&mut Arithmetic<'a, 'b, 'c>, &Operand) -> Operand,
) -> Operand {
    let magnitude = numbers.absolute(x);
    let result = of_magnitude(numbers, &magnitude);
    with_signs(numbers, x, y, &magnitude, &result)
}

/// Writes the logarithm of a positive, finite number, to base 2. What waits for the polynomial comes last where it can.
fn logarithm(numbers: &mut Arithmetic<'_, '_, '_>, parts: &Parts) -> Pair {
    let [one, middle, factor, factor_low] =
        [1.0, MIDDLE, FACTOR, FACTOR_LOW].map(|value| numbers.constant(value));
    let m = &parts.fraction;
    let f = numbers.subtract(m, &one);
    let above = numbers.add(m, &one);
    let kept = numbers.subtract(&above, &one);
    let above_low = numbers.subtract(m, &kept);
    let s = numbers.divide(&f, &above);
    let (square, square_low) = numbers.product(&s, &s);

    // `log2(1 + f) / s`.
    let high = numbers.multiply_add(&square, &middle, &factor);
    let taken = numbers.subtract(&factor, &high);
    let low = numbers.multiply_add(&square, &middle, &taken);
    let low = numbers.multiply_add(&square_low, &middle, &low);
    let low = numbers.add(&low, &factor_low);
    let fourth = numbers.multiply(&square, &square);
    let tail = numbers.polynomial_by_pairs(&square, &fourth, &LOGARITHM);
    let low = numbers.multiply_add(&square, &tail, &low);

    let lost = lost_of_quotient(numbers, (&f, &above, &above_low), &s);
    let [growth, faster] = GROWTH.map(|value| numbers.constant(value));
    let growth = numbers.multiply_add(&square, &faster, &growth);

    let exponent = &parts.exponent;
    let sum = numbers.multiply_add(&s, &high, exponent);
    let taken = numbers.subtract(exponent, &sum);
    let sum_low = numbers.multiply_add(&s, &high, &taken);
    let sum_low = numbers.multiply_add(&lost, &growth, &sum_low);
    Pair {
        high: sum,
        low: numbers.multiply_add(&s, &low, &sum_low),
    }
}

/// Twice what the quotient `s` of `f` and a sum of two numbers, `1 + m`, lacks. Twice the inverse of the sum is `1 - s`.
fn lost_of_quotient(
    numbers: &mut Arithmetic<'_, '_, '_>,
    (f, above, above_low): (&Operand, &Operand, &Operand),
    s: &Operand,
) -> Operand {
    let one = numbers.constant(1.0);
    let left = numbers.subtract_product(s, above, f);
    let left = numbers.subtract_product(s, above_low, &left);
    let inverse = numbers.subtract(&one, s);
    numbers.multiply(&left, &inverse)
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

/// A number and a logarithm with the same product, unless that is so large or small that it is replaced by a limit. What an infinite
/// logarithm has as its second part is NaN, and does not count then.
fn within_limits(
    numbers: &mut Arithmetic<'_, '_, '_>,
    y: &Operand,
    logarithm: &Pair,
) -> (Operand, Pair) {
    let [zero, one, far] = [0.0, 1.0, FAR].map(|value| numbers.constant(value));
    let product = numbers.multiply(y, &logarithm.high);
    let magnitude = numbers.absolute(&product);
    let is_far = numbers.is_less(&far, &magnitude);
    let limit = numbers.clamp(&product, -FAR, FAR);
    let within = Pair {
        high: numbers.select(&is_far, &limit, &logarithm.high),
        low: numbers.select(&is_far, &zero, &logarithm.low),
    };
    (numbers.select(&is_far, &one, y), within)
}

/// 2 to the power of a product, but for the scale.
fn exponential(
    numbers: &mut Arithmetic<'_, '_, '_>,
    y: &Operand,
    logarithm: &Pair,
    scale: &Scale,
) -> Operand {
    let [one, slope] = [1.0, EXPONENTIAL[0]].map(|value| numbers.constant(value));
    let larger = numbers.multiply_subtract(y, &logarithm.high, &scale.exponent);
    let rest = numbers.multiply_add(y, &logarithm.low, &larger);
    let taken = numbers.subtract(&larger, &rest);
    let rest_low = numbers.multiply_add(y, &logarithm.low, &taken);

    // What the rest lacks, and what its first term loses, are added to the others, which are small.
    let result = numbers.multiply_add(&rest, &slope, &one);
    let taken = numbers.subtract(&one, &result);
    let low = numbers.multiply_add(&rest, &slope, &taken);
    let low = numbers.multiply_add(&rest_low, &slope, &low);
    let square = numbers.multiply(&rest, &rest);
    let tail = numbers.polynomial_by_pairs(&rest, &square, &EXPONENTIAL[1..]);
    let low = numbers.multiply_add(&square, &tail, &low);
    numbers.add(&result, &low)
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
