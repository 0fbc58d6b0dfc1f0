//! The natural logarithm.
//!
//! `x = 2^n (1 + f)` and so `log(x) = n log(2) + log(1 + f)`, where the last is a polynomial. A quotient
//! `f / (2 + f)` would do with half of its terms, but division is the slowest thing a vector unit does, and
//! people divide beside their logarithms.

use super::arithmetic::Arithmetic;
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, split};
use crate::llvm::writer::Operand;

/// `(log(1 + f) - f + f^2 / 2) / f^3`, with an error below 2^-59 of the logarithm.
const TAIL: [f64; 20] = [
    0.333_333_333_333_334_54,
    -0.249_999_999_999_989_2,
    0.199_999_999_999_461_33,
    -0.166_666_666_669_144_2,
    0.142_857_142_938_416_53,
    -0.124_999_999_820_168_32,
    0.111_111_105_160_219_45,
    -0.100_000_003_833_329_19,
    0.090_909_335_068_027_65,
    -0.083_333_457_602_679_67,
    0.076_917_144_477_673_67,
    -0.071_420_000_309_576_15,
    0.066_751_485_769_310_39,
    -0.062_698_019_815_260_81,
    0.058_177_781_792_285_68,
    -0.053_267_711_979_664_366,
    0.054_159_746_571_685_05,
    -0.062_750_684_025_102_99,
    0.056_968_694_998_016_364,
    -0.024_275_984_138_500_916,
];

/// Writes the logarithm of `x`.
pub(super) fn write(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    let parts = split(numbers, x);
    let one = numbers.constant(1.0);
    let f = numbers.subtract(&parts.fraction, &one);
    let square = numbers.multiply(&f, &f);
    let tail = numbers.polynomial(&f, &square, &TAIL);
    let half = numbers.constant(-0.5);
    let tail = numbers.multiply_add(&f, &tail, &half);

    let [log_2_high, log_2_low] = [LOG_2_HIGH, LOG_2_LOW].map(|part| numbers.constant(part));
    let low = numbers.multiply(&parts.exponent, &log_2_low);
    let low = numbers.multiply_add(&square, &tail, &low);
    let high = numbers.multiply(&parts.exponent, &log_2_high);
    let (high, lost) = numbers.sum(&high, &f);
    let low = numbers.add(&lost, &low);
    let result = numbers.add(&high, &low);
    with_ends(numbers, x, &result)
}

/// Corrects the result where `x` is not positive and finite.
pub(super) fn with_ends(
    numbers: &mut Arithmetic<'_, '_, '_>,
    x: &Operand,
    result: &Operand,
) -> Operand {
    let [zero, infinity, nan, of_zero] =
        [0.0, f64::INFINITY, f64::NAN, f64::NEG_INFINITY].map(|value| numbers.constant(value));
    let is_finite = numbers.is_less(x, &infinity);
    let result = numbers.select(&is_finite, result, x);
    let is_zero = numbers.is_equal(x, &zero);
    let otherwise = numbers.select(&is_zero, &of_zero, &nan);
    let is_positive = numbers.is_less(&zero, x);
    numbers.select(&is_positive, &result, &otherwise)
}
