//! Numbers as powers of two times something close to 1.
//!
//! A logarithm begins by taking a number apart, an exponential ends by putting one together.

use super::arithmetic::Arithmetic;
use crate::llvm::writer::Operand;

/// The smallest number that is not subnormal.
pub(super) const SMALLEST_NORMAL: f64 = f64::MIN_POSITIVE;
/// The bits of 1.0: its exponent, with nothing after it.
const ONE: u64 = 0x3ff0_0000_0000_0000;
/// The bits of the square root of one half.
const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const FRACTION: u64 = (1 << 52) - 1;
/// 2^52: a number between this and its double is an integer, which stands in its lowest bits.
const INTEGERS: f64 = 4_503_599_627_370_496.0;
/// The same with room for negative integers.
pub(super) const SIGNED_INTEGERS: f64 = 1.5 * INTEGERS;
const EXPONENT_BIAS: f64 = 1023.0;

/// log(2), to so many bits that products with exponents are exact, and the rest.
pub(super) const LOG_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
/// What [`LOG_2_HIGH`] lacks.
pub(super) const LOG_2_LOW: f64 = f64::from_bits(0x3d2e_f357_93c7_6730);

/// A positive number as `2^exponent * fraction`.
pub(super) struct Parts {
    /// A whole number.
    pub(super) exponent: Operand,
    /// From the square root of one half to that of two.
    pub(super) fraction: Operand,
}

/// Takes a positive, finite number apart.
pub(super) fn split(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Parts {
    // Subnormal numbers are brought into the range of the others first.
    let smallest = numbers.constant(SMALLEST_NORMAL);
    let is_subnormal = numbers.is_less(x, &smallest);
    let raise = numbers.constant(INTEGERS);
    let raised = numbers.multiply(x, &raise);
    let x = numbers.select(&is_subnormal, &raised, x);
    let bias = numbers.constant(INTEGERS + EXPONENT_BIAS);
    let raised_bias = numbers.constant(INTEGERS + EXPONENT_BIAS + 52.0);
    let bias = numbers.select(&is_subnormal, &raised_bias, &bias);
    split_biased(numbers, &x, &bias)
}

/// The same, for a number that is not subnormal.
pub(super) fn split_normal(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Parts {
    let bias = numbers.constant(INTEGERS + EXPONENT_BIAS);
    split_biased(numbers, x, &bias)
}

/// Takes apart a number whose exponent has a bias.
fn split_biased(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand, bias: &Operand) -> Parts {
    let bits = numbers.bits_of(x);
    let bits = numbers.with_bits("add", &bits, ONE - ROOT_OF_HALF);
    let exponent = numbers.with_bits("lshr", &bits, 52);
    let exponent = numbers.with_bits("or", &exponent, INTEGERS.to_bits());
    let exponent = numbers.number_of(&exponent);
    let exponent = numbers.subtract(&exponent, bias);
    let fraction = numbers.with_bits("and", &bits, FRACTION);
    let fraction = numbers.with_bits("add", &fraction, ROOT_OF_HALF);
    let fraction = numbers.number_of(&fraction);
    Parts { exponent, fraction }
}

/// The power of two that is closest to an exponential.
pub(super) struct Scale {
    /// The exponent, a whole number.
    pub(super) exponent: Operand,
    /// The same in the lowest bits of a pattern.
    exponent_bits: Operand,
    /// 2 to the powers of two exponents, whose sum is `exponent`.
    factors: [Operand; 2],
}

impl Scale {
    /// The scale of e^x, for `x` from -746 to 710.
    pub(super) fn of_exponential(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Self {
        let integers = numbers.constant(SIGNED_INTEGERS);
        let [whole, half] = [1.0, 0.5].map(|share| {
            let factor = numbers.constant(share * std::f64::consts::LOG2_E);
            numbers.multiply_add(x, &factor, &integers)
        });
        let exponent = numbers.subtract(&whole, &integers);
        Self::of_integers(numbers, exponent, [&whole, &half])
    }

    /// The scale of 2^(x y), for a product from -1100 to 1100.
    pub(super) fn of_product(
        numbers: &mut Arithmetic<'_, '_, '_>,
        x: &Operand,
        y: &Operand,
    ) -> Self {
        let [integers, half] = [SIGNED_INTEGERS, 0.5].map(|value| numbers.constant(value));
        let whole = numbers.multiply_add(x, y, &integers);
        let exponent = numbers.subtract(&whole, &integers);
        let half = numbers.multiply_add(&exponent, &half, &integers);
        Self::of_integers(numbers, exponent, [&whole, &half])
    }

    /// The scale with an exponent, which stands with its half in the lowest bits of two numbers.
    fn of_integers(
        numbers: &mut Arithmetic<'_, '_, '_>,
        exponent: Operand,
        integers: [&Operand; 2],
    ) -> Self {
        // 2^1024 is no number and 2^-1075 is none, but both can be factors of results. So there are
        // two factors, the exponents of which are in the lowest bits.
        let [whole, half] = integers.map(|integer| numbers.bits_of(integer));
        let rest = numbers.on_bits("sub", &whole, &half);
        let factors = [half, rest].map(|exponent| {
            let exponent = numbers.with_bits("shl", &exponent, 52);
            let bits = numbers.with_bits("add", &exponent, ONE);
            numbers.number_of(&bits)
        });
        Self {
            exponent,
            exponent_bits: whole,
            factors,
        }
    }

    /// The product of a number and this power of two.
    pub(super) fn apply(&self, numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Operand {
        let x = numbers.multiply(x, &self.factors[0]);
        numbers.multiply(&x, &self.factors[1])
    }

    /// The same, where neither the number nor the product is subnormal, infinite or NaN.
    pub(super) fn apply_to_ordinary(
        &self,
        numbers: &mut Arithmetic<'_, '_, '_>,
        x: &Operand,
    ) -> Operand {
        let exponent = numbers.with_bits("shl", &self.exponent_bits, 52);
        let bits = numbers.bits_of(x);
        let bits = numbers.on_bits("add", &bits, &exponent);
        numbers.number_of(&bits)
    }
}
