//! Numbers that break things: extremes, zeros of both signs, subnormals, infinities, NaNs.

use half::f16;

use super::random::Random;
use crate::dtype::{DType, DTypeKind};
use crate::literal::Literal;

/// A number of a dtype, often a nasty one.
pub(super) fn literal(random: &mut Random, dtype: DType) -> Literal {
    match dtype.kind() {
        DTypeKind::Bool => Literal::Bool(random.chance(50)),
        DTypeKind::Signed | DTypeKind::Unsigned => integer(random, dtype),
        DTypeKind::Float => Literal::from_bits(dtype, u128::from(float(random, dtype))),
        DTypeKind::Complex => {
            let part = dtype.real();
            let real = u128::from(float(random, part));
            let imaginary = u128::from(float(random, part));
            Literal::from_bits(dtype, real | (imaginary << part.bits()))
        }
    }
}

/// Writes a number of a dtype, often a nasty one, to the memory of an element.
///
/// Bools are often true by another byte than 1, as in memory that other libraries filled.
pub(super) fn element(random: &mut Random, dtype: DType, bytes: &mut [u8]) {
    let number = literal(random, dtype);
    number.write_bytes(bytes);
    if number == Literal::Bool(true) {
        let any = random.between(1, 255) as u8;
        bytes[0] = random.pick(&[1, 1, 2, 128, 255, any]);
    }
}

fn integer(random: &mut Random, dtype: DType) -> Literal {
    let bits = dtype.bits();
    let value = match random.below(10) {
        // 0, 1, 2, …, the largest signed, the smallest signed, -1 and neighbours.
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => 1 << (bits - 1),
        4 => (1 << (bits - 1)) - 1,
        5 => u64::from(bits),
        6 => random.bits(),
        _ => random.between(0, 20).wrapping_sub(8),
    };
    Literal::from_bits(dtype, u128::from(value))
}

/// The bits of a float.
fn float(random: &mut Random, dtype: DType) -> u64 {
    let small = |random: &mut Random| (random.between(0, 400) as f64 - 200.0) / 16.0;
    let value = match random.below(16) {
        0 => 0.0,
        1 => -0.0,
        2 => 1.0,
        3 => f64::INFINITY,
        4 => f64::NEG_INFINITY,
        5 => f64::NAN,
        6 => return largest(dtype),
        // The smallest subnormal, and the largest.
        7 => return 1,
        8 => return smallest_normal(dtype) - 1,
        9 => return random.bits() & (u64::MAX >> (64 - dtype.bits())),
        10 => 0.1,
        _ => small(random),
    };
    match dtype {
        DType::F16 => u64::from(f16::from_f64(value).to_bits()),
        DType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

fn largest(dtype: DType) -> u64 {
    match dtype {
        DType::F16 => u64::from(f16::MAX.to_bits()),
        DType::F32 => u64::from(f32::MAX.to_bits()),
        _ => f64::MAX.to_bits(),
    }
}

fn smallest_normal(dtype: DType) -> u64 {
    match dtype {
        DType::F16 => u64::from(f16::MIN_POSITIVE.to_bits()),
        DType::F32 => u64::from(f32::MIN_POSITIVE.to_bits()),
        _ => f64::MIN_POSITIVE.to_bits(),
    }
}
