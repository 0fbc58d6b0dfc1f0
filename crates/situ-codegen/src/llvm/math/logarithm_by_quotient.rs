//! The natural logarithm, by a quotient.
//!
//! `x = 2^n (1 + f)` and so `log(x) = n log(2) + log(1 + f)`. With `s = f / (2 + f)` the last is `2 s + s^3 P(s^2)`, where
//! the polynomial has a third of the terms that one of `f` itself would need. As `2 s = f - s f`, and `f` is exact, only what is
//! small is rounded before the last sum.
//!
//! Processors with AVX2 divide four numbers in the time of nine multiplications, and have so few registers that
//! constants are loaded again and again: there, fewer terms are worth a division.
//!
//! A fourth of the work would be for arguments that are seldom there. So, as powers are, logarithms are those of registers:
//! [`write()`] computes them where everything is ordinary, and [`write_any`] for all numbers, by the same steps.

use super::arithmetic::Arithmetic;
use super::logarithm::with_ends;
use super::ordinary::is_ordinary;
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, Parts, split, split_normal};
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

/// Writes the logarithm of `x` where it is ordinary, and whether it is.
pub(super) fn write(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> (Operand, Operand) {
    let parts = split_normal(numbers, x);
    let is_ordinary = is_ordinary(numbers, x);
    (logarithm(numbers, &parts), is_ordinary)
}

/// Writes the logarithm of any number.
pub(super) fn write_any(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    let parts = split(numbers, x);
    let result = logarithm(numbers, &parts);
    with_ends(numbers, x, &result)
}

/// Writes the logarithm of a positive, finite number.
fn logarithm(numbers: &mut Arithmetic<'_, '_, '_>, parts: &Parts) -> Operand {
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
    numbers.add(&high, &low)
}
