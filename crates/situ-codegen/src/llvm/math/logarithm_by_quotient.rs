//! The natural logarithm, by a quotient.
//!
//! `x = 2^n (1 + f)` and so `log(x) = n log(2) + log(1 + f)`. With `s = f / (2 + f)` the last is `2 s + s^3 P(s^2)`, where
//! the polynomial has a third of the terms that one of `f` itself would need. As `2 s = f - s f`, and `f` is exact, only what is
//! small is rounded before the last sum.
//!
//! Processors with AVX2 divide four numbers in the time of nine multiplications, and have so few registers that
//! constants are loaded again and again: there, fewer terms are worth a division.

use super::arithmetic::Arithmetic;
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, split};
use crate::llvm::writer::Operand;

/// `(log(1 + f) - 2 s) / s^3` in powers of `s^2`, with an error below 2^-59 of the logarithm.
const TAIL: [f64; 7] = [
    0.666_666_666_666_673_4,
    0.399_999_999_994_146_76,
    0.285_714_287_423_875_83,
    0.222_221_985_732_012_1,
    0.181_835_643_248_492_77,
    0.153_140_505_877_595_87,
    0.147_959_493_723_090_1,
];

/// Writes the logarithm of `x`.
pub(super) fn write(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    let parts = split(numbers, x);
    let one = numbers.constant(1.0);
    let f = numbers.subtract(&parts.fraction, &one);
    let above = numbers.add(&parts.fraction, &one);
    let s = numbers.divide(&f, &above);

    // What does not wait for the quotient.
    let [log_2_high, log_2_low] = [LOG_2_HIGH, LOG_2_LOW].map(|part| numbers.constant(part));
    let high = numbers.multiply(&parts.exponent, &log_2_high);
    let (high, lost) = numbers.sum(&high, &f);
    let low = numbers.multiply_add(&parts.exponent, &log_2_low, &lost);

    let low = numbers.subtract_product(&s, &f, &low);
    let square = numbers.multiply(&s, &s);
    let fourth = numbers.multiply(&square, &square);
    let cube = numbers.multiply(&s, &square);
    let tail = numbers.polynomial_by_pairs(&square, &fourth, &TAIL);
    let low = numbers.multiply_add(&cube, &tail, &low);
    let result = numbers.add(&high, &low);
    with_ends(numbers, x, &result)
}

/// Corrects the result where `x` is not positive and finite, with operations that any part of the processor does.
fn with_ends(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand, result: &Operand) -> Operand {
    // Below every logarithm, but for infinity and NaN.
    let largest = numbers.constant(f64::MAX);
    let beyond = numbers.subtract(x, &largest);
    let result = numbers.larger(result, &beyond);

    // All bits of a NaN for what is negative.
    let bits = numbers.bits_of(x);
    let sign = numbers.with_bits("ashr", &bits, 63);
    let result = numbers.bits_of(&result);
    let result = numbers.on_bits("or", &result, &sign);
    let result = numbers.number_of(&result);

    let [zero, of_zero] = [0.0, f64::NEG_INFINITY].map(|value| numbers.constant(value));
    let is_zero = numbers.is_equal(x, &zero);
    numbers.select(&is_zero, &of_zero, &result)
}
