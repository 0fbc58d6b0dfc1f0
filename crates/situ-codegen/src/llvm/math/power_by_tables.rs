//! A number to the power of another, in registers of AVX-512.
//!
//! `x^y = e^(y log(x))` with a logarithm that, as in `power`, is the sum of two numbers. Tables of 16 entries, which are looked
//! up by permuting registers, bring what polynomials are left to do so close to 1 that no division is needed:
//!
//! - `x = 2^n m`, and `m c = 1 + r` with a number `c` of a table and `r` at most 1/32 in magnitude; then `log(x)` is
//!   `n log(2) - log(c) + log(1 + r)`. Around 1 itself `c` is 1, so that nothing cancels;
//! - `e^z = 2^(k/16) e^s` with a whole number `k`, the first factor from a table, and `s` at most log(2) / 32 in magnitude.

use super::arithmetic::Arithmetic;
use super::exponential::RANGE;
use super::power::{Pair, write_by};
use super::reduction::{LOG_2_HIGH, LOG_2_LOW, SIGNED_INTEGERS};
use super::registers::{exponent, fraction, look_up, scale};
use crate::llvm::writer::Operand;

/// `16 / (16 + i)`, by its bits.
const INVERSE: [u64; 16] = [
    0x3ff0_0000_0000_0000,
    0x3fee_1e1e_1e1e_1e1e,
    0x3fec_71c7_1c71_c71c,
    0x3fea_f286_bca1_af28,
    0x3fe9_9999_9999_999a,
    0x3fe8_6186_1861_8618,
    0x3fe7_45d1_745d_1746,
    0x3fe6_42c8_590b_2164,
    0x3fe5_5555_5555_5555,
    0x3fe4_7ae1_47ae_147b,
    0x3fe3_b13b_13b1_3b14,
    0x3fe2_f684_bda1_2f68,
    0x3fe2_4924_9249_2492,
    0x3fe1_a7b9_611a_7b96,
    0x3fe1_1111_1111_1111,
    0x3fe0_8421_0842_1084,
];
/// What log([`INVERSE`]) is with the opposite sign, as a multiple of 2^-42: its sum with a multiple of [`LOG_2_HIGH`] is exact.
const LOG_HIGH: [u64; 16] = [
    0x0000_0000_0000_0000,
    0x3faf_0a30_c011_8000,
    0x3fbe_2707_6e2b_0000,
    0x3fc5_ff30_70a7_a000,
    0x3fcc_8ff7_c79a_a000,
    0x3fd1_675c_abab_a000,
    0x3fd4_618b_c21c_6000,
    0x3fd7_39d7_f6bb_d000,
    0x3fd9_f323_ecbf_a000,
    0x3fdc_8ff7_c79a_a000,
    0x3fdf_128f_5faf_0000,
    0x3fe0_be72_e425_2800,
    0x3fe1_e85f_5e70_4000,
    0x3fe3_07d7_334f_1000,
    0x3fe4_1d8f_e846_7000,
    0x3fe5_2a2d_265b_c800,
];
/// What [`LOG_HIGH`] lacks.
const LOG_LOW: [u64; 16] = [
    0x0000_0000_0000_0000,
    0xbd2d_579e_8336_8e91,
    0xbd2a_2c2c_2af0_003c,
    0xbd38_546f_183b_ebf2,
    0xbd27_814f_689f_8434,
    0x3d38_3c0e_731f_55c4,
    0xbd13_e02f_484c_84cc,
    0x3cbc_7389_314f_eb50,
    0xbd3e_cc35_25ca_2643,
    0xbd37_7acf_689f_8434,
    0x3d3b_aecd_720e_c44c,
    0x3d34_19b4_c4bd_d99f,
    0x3d1a_17bd_8b34_be7c,
    0x3d17_c7f6_b214_3ead,
    0x3d35_7423_25e6_17a3,
    0xbd32_a68c_41ba_8752,
];
/// `2^(i/16)`.
const ROOT: [u64; 16] = [
    0x3ff0_0000_0000_0000,
    0x3ff0_b558_6cf9_890f,
    0x3ff1_72b8_3c7d_517b,
    0x3ff2_387a_6e75_6238,
    0x3ff3_06fe_0a31_b715,
    0x3ff3_dea6_4c12_3422,
    0x3ff4_bfda_d536_2a27,
    0x3ff5_ab07_dd48_5429,
    0x3ff6_a09e_667f_3bcd,
    0x3ff7_a114_73eb_0187,
    0x3ff8_ace5_422a_a0db,
    0x3ff9_c491_82a3_f090,
    0x3ffa_e89f_995a_d3ad,
    0x3ffc_199b_dd85_529c,
    0x3ffd_5818_dcfb_a487,
    0x3ffe_a4af_a2a4_90da,
];
/// What [`ROOT`] lacks, as a share of it.
const ROOT_LOW: [u64; 16] = [
    0x0000_0000_0000_0000,
    0x3c97_9aa6_5d83_7b6d,
    0xbc80_1b15_eaa5_9348,
    0x3c96_8efd_e3a8_a894,
    0x3c83_4d75_4db0_abb6,
    0x3c85_9f48_a72a_4c6d,
    0x3c76_90ce_bb7a_afb0,
    0x3c90_63e1_e21c_5409,
    0xbc93_b3ef_bf5e_2228,
    0xbc7b_32dc_b94d_a51d,
    0x3c8d_b72f_c1f0_eab4,
    0x3c71_affc_2b91_ce27,
    0x3c8c_1a77_92cb_3387,
    0x3c73_6eae_30af_0cb3,
    0x3c74_a385_a63d_07a7,
    0xbc8f_f712_8fd3_91f0,
];

/// `(log(1 + r) - r + r^2 / 2) / r^3`, with an error below 2^-68 of the logarithm.
const LOG_TAIL: [f64; 9] = [
    0.333_333_333_333_333_3,
    -0.249_999_999_999_991_8,
    0.199_999_999_999_982_16,
    -0.166_666_666_734_757_86,
    0.142_857_142_953_648_76,
    -0.124_999_812_350_131_74,
    0.111_110_895_408_552_97,
    -0.100_210_886_921_579_33,
    0.091_122_038_172_883_32,
];
/// `(e^s - 1 - s) / s^2`, with an error below 2^-56 of e^s.
const EXP_TAIL: [f64; 5] = [
    0.499_999_999_999_996,
    0.166_666_666_644_089_8,
    0.041_666_666_693_365_93,
    0.008_333_472_197_669_962,
    0.001_388_859_330_941_870_1,
];

impl Pair {
    /// The product with a number.
    fn times(&self, numbers: &mut Arithmetic<'_, '_, '_>, y: &Operand) -> Self {
        let (high, lost) = numbers.product(y, &self.high);
        let low = numbers.multiply_add(y, &self.low, &lost);
        Self { high, low }
    }

    /// The same, but at least and at most as large as two limits. What an infinite number lacks is NaN, and beyond the limits
    /// it does not count.
    fn within_limits(
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
    write_by(numbers, (x, y), |numbers, magnitude| {
        let exponent = logarithm(numbers, magnitude).times(numbers, y);
        exponential(numbers, &exponent)
    })
}

/// A number as `2^exponent * fraction`, and where to look the fraction up.
struct Parts {
    exponent: Operand,
    fraction: Operand,
    index: Operand,
}

/// Takes a number apart. Fractions end where the last interval around an entry ends, half of an interval below 2; what is above is
/// just below 1 instead, and has the first entry.
fn split(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Parts {
    const HALF_INTERVAL: u64 = 1 << 47;
    let (fraction, exponent) = (fraction(numbers, x), exponent(numbers, x));
    let bits = numbers.bits_of(&fraction);
    let above = numbers.with_bits("add", &bits, HALF_INTERVAL);
    let index = numbers.with_bits("lshr", &above, 48);
    let is_beyond = numbers.with_bits("icmp uge", &above, 2.0_f64.to_bits());
    let [half, one] = [0.5, 1.0].map(|value| numbers.constant(value));
    let halved = numbers.multiply(&fraction, &half);
    let raised = numbers.add(&exponent, &one);
    Parts {
        exponent: numbers.select(&is_beyond, &raised, &exponent),
        fraction: numbers.select(&is_beyond, &halved, &fraction),
        index,
    }
}

/// Writes the logarithm of a number that is not negative.
fn logarithm(numbers: &mut Arithmetic<'_, '_, '_>, x: &Operand) -> Pair {
    let parts = split(numbers, x);
    let [log_2_high, log_2_low] = [LOG_2_HIGH, LOG_2_LOW].map(|part| numbers.constant(part));
    let [inverse, high, low] =
        [&INVERSE, &LOG_HIGH, &LOG_LOW].map(|table| look_up(numbers, table, &parts.index));
    let high = numbers.multiply_add(&parts.exponent, &log_2_high, &high);
    let low = numbers.multiply_add(&parts.exponent, &log_2_low, &low);

    let one = numbers.constant(1.0);
    let (product, rest_low) = numbers.product(&parts.fraction, &inverse);
    let rest = numbers.subtract(&product, &one);
    let fraction = fraction_logarithm(numbers, &rest, &rest_low, &high);

    let low = numbers.add(&low, &fraction.low);
    let (high, low) = numbers.sum(&fraction.high, &low);
    // Of zero and infinity it is the exponent; all else is NaN there.
    let magnitude = numbers.absolute(&parts.exponent);
    let infinity = numbers.constant(f64::INFINITY);
    let is_end = numbers.is_equal(&magnitude, &infinity);
    let high = numbers.select(&is_end, &parts.exponent, &high);
    Pair { high, low }
}

/// `start + log(1 + r)`, for `r` in two parts, of which the second counts in sums alone.
fn fraction_logarithm(
    numbers: &mut Arithmetic<'_, '_, '_>,
    rest: &Operand,
    rest_low: &Operand,
    start: &Operand,
) -> Pair {
    let [half, third] = [-0.5, 1.0 / 3.0].map(|value| numbers.constant(value));
    let (square, square_low) = numbers.product(rest, rest);
    let (cube, cube_low) = numbers.product(rest, &square);
    let tail = numbers.polynomial(rest, &square, &LOG_TAIL);

    // What was rounded off goes into the result by the first terms of its derivative.
    let slope = numbers.subtract(&square, rest);
    let slope = numbers.subtract(&slope, &cube);
    let lost = numbers.multiply_add(&slope, rest_low, rest_low);
    let slope = numbers.multiply_add(rest, &third, &half);
    let lost = numbers.multiply_add(&slope, &square_low, &lost);
    let lost = numbers.multiply_add(&third, &cube_low, &lost);

    let (sum, sum_low) = numbers.sum(start, rest);
    let high = numbers.multiply_add(&half, &square, &sum);
    let taken = numbers.subtract(&sum, &high);
    let high_low = numbers.multiply_add(&half, &square, &taken);
    let low = numbers.add(&sum_low, &high_low);
    let low = numbers.add(&lost, &low);
    let low = numbers.multiply_add(&cube, &tail, &low);
    Pair { high, low }
}

/// e to the power of a sum, which may be infinite or NaN in its first part.
fn exponential(numbers: &mut Arithmetic<'_, '_, '_>, x: &Pair) -> Operand {
    let x = x.within_limits(numbers, RANGE);
    let sixteenths = numbers.constant(16.0 * std::f64::consts::LOG2_E);
    let integers = numbers.constant(SIGNED_INTEGERS);
    let shifted = numbers.multiply_add(&x.high, &sixteenths, &integers);
    let count = numbers.subtract(&shifted, &integers);
    let [log_2_high, log_2_low] =
        [LOG_2_HIGH, LOG_2_LOW].map(|part| numbers.constant(part / -16.0));
    let high = numbers.multiply_add(&count, &log_2_high, &x.high);
    let low = numbers.multiply_add(&count, &log_2_low, &x.low);
    let rest = numbers.add(&high, &low);

    let square = numbers.multiply(&rest, &rest);
    let tail = numbers.polynomial(&rest, &square, &EXP_TAIL);
    let above_one = numbers.multiply_add(&square, &tail, &rest);
    let index = numbers.bits_of(&shifted);
    let [root, root_low] = [&ROOT, &ROOT_LOW].map(|table| look_up(numbers, table, &index));
    let share = numbers.add(&above_one, &root_low);
    let result = numbers.multiply_add(&root, &share, &root);
    let sixteenth = numbers.constant(1.0 / 16.0);
    let exponent = numbers.multiply(&count, &sixteenth);
    scale(numbers, &result, &exponent)
}
