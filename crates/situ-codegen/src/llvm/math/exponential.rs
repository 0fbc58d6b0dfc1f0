//! e to the power of a number.
//!
//! `x = n log(2) + r` with a whole number `n`, and then `e^x = 2^n e^r`. The rest `r` is at most log(2) / 2 in
//! magnitude, where a polynomial is close enough to e^r.

use super::arithmetic::Arithmetic;
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, Scale};
use crate::llvm::writer::Operand;

/// Below, e^x is zero; above, infinite.
pub(super) const RANGE: (f64, f64) = (-746.0, 710.0);

/// `(e^r - 1 - r) / r^2`, with an error below 2^-57 of e^r.
const TAIL: [f64; 10] = [
    0.500_000_000_000_001_1,
    0.166_666_666_666_664_13,
    0.041_666_666_666_530_155,
    0.008_333_333_333_494_468,
    0.001_388_888_894_363_006,
    0.000_198_412_695_065_605_36,
    2.480_149_309_898_565_6e-5,
    2.755_758_639_144_247e-6,
    2.763_024_834_680_685_7e-7,
    2.500_005_575_220_233_5e-8,
];

/// Writes e^x.
pub(super) fn write(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
    let x = numbers.clamp(x, RANGE.0, RANGE.1);
    let scale = Scale::of_exponential(numbers, &x);
    let [high, low] = [-LOG_2_HIGH, -LOG_2_LOW].map(|part| numbers.constant(part));
    let rest = numbers.multiply_add(&scale.exponent, &high, &x);
    let rest = numbers.multiply_add(&scale.exponent, &low, &rest);
    let square = numbers.multiply(&rest, &rest);
    let tail = numbers.polynomial(&rest, &square, &TAIL);
    let one = numbers.constant(1.0);
    let (sum, lost) = numbers.sum(&one, &rest);
    let low = numbers.multiply_add(&square, &tail, &lost);
    let result = numbers.add(&sum, &low);
    scale.apply(numbers, &result)
}
