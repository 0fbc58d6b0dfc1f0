//! Comparing what a device computed with what the interpreter computed.

use thiserror::Error;

use super::case::{Case, Exactness};
use crate::dtype::DType;
use crate::interpret::number::cast;
use crate::literal::Literal;

/// The first element of a buffer that is not as it should be.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "seed {seed}: element {index} of buffer {buffer} is {found:?} instead of {expected:?} \
     ({exactness:?})"
)]
pub struct Mismatch {
    /// The case.
    pub seed: u64,
    /// The buffer's position.
    pub buffer: usize,
    /// The element's position.
    pub index: usize,
    /// What the interpreter computed.
    pub expected: Literal,
    /// What the device computed.
    pub found: Literal,
    /// How different they may be.
    pub exactness: Exactness,
}

pub(super) fn compare(
    case: &Case,
    expected: &[Vec<u8>],
    found: &[Vec<u8>],
) -> Result<(), Mismatch> {
    for (position, buffer) in case.buffers.iter().enumerate() {
        let dtype = match buffer.dtype {
            // Any byte reads as a bool, but stores write 0 or 1, and what is not stored to stays.
            DType::Bool => DType::U8,
            dtype => dtype,
        };
        let elements = |bytes: &[u8]| -> Vec<Literal> {
            let chunks = bytes.chunks_exact(dtype.size_bytes());
            chunks
                .filter_map(|chunk| Literal::from_bytes(dtype, chunk))
                .collect()
        };
        let pairs = elements(&expected[position])
            .into_iter()
            .zip(elements(&found[position]));
        for (index, (expected, found)) in pairs.enumerate() {
            if !agree(expected, found, buffer.exactness) {
                return Err(Mismatch {
                    seed: case.seed,
                    buffer: position,
                    index,
                    expected,
                    found,
                    exactness: buffer.exactness,
                });
            }
        }
    }
    Ok(())
}

/// Whether two numbers of one dtype are close enough.
fn agree(expected: Literal, found: Literal, exactness: Exactness) -> bool {
    let dtype = expected.dtype();
    if expected == found || !(dtype.is_float() || dtype.is_complex()) {
        return expected == found;
    }
    let (expected, found) = (parts(expected), parts(found));
    match exactness {
        Exactness::Exact => expected.iter().zip(&found).all(|(x, y)| same(*x, *y)),
        Exactness::Ulps(ulps) => {
            let tolerance = f64::from(ulps);
            // Annex G leaves some signs of complex zeros and infinities open.
            let ignore_signs = dtype.is_complex();
            let scale = expected
                .iter()
                .filter(|part| part.is_finite())
                .fold(0.0_f64, |scale, part| scale.max(part.abs()));
            let unit = unit_in_last_place(scale, dtype.real());
            expected.iter().zip(&found).all(|(&x, &y)| {
                let unsigned = ignore_signs && x.abs() == y.abs() && (x == 0.0 || x.is_infinite());
                same(x, y) || unsigned || within(x, y, unit * tolerance, dtype.real())
            })
        }
    }
}

/// The parts of a number as floats, exactly.
fn parts(number: Literal) -> Vec<f64> {
    match cast(number, DType::C128) {
        Literal::C128(wide) if number.dtype().is_complex() => vec![wide.re, wide.im],
        Literal::C128(wide) => vec![wide.re],
        _ => Vec::new(),
    }
}

/// Equal bits, or both NaN. Widening keeps the bits apart that were apart.
fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}

/// Whether a number is within a distance; infinity counts as the number after the largest.
fn within(expected: f64, found: f64, distance: f64, dtype: DType) -> bool {
    let bound = |x: f64| {
        if x.is_infinite() {
            after_largest(dtype).copysign(x)
        } else {
            x
        }
    };
    let (expected, found) = (bound(expected), bound(found));
    (expected - found).abs() <= distance
}

fn after_largest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65_536.0,
        DType::F32 => 2.0_f64.powi(128),
        // There is no such `float64`; the largest one is at most its own unit away.
        _ => f64::MAX,
    }
}

/// The distance between neighbouring floats of a dtype at a magnitude.
fn unit_in_last_place(magnitude: f64, dtype: DType) -> f64 {
    let (digits, lowest) = match dtype {
        DType::F16 => (11, -24),
        DType::F32 => (24, -149),
        _ => (53, -1074),
    };
    let exponent = if magnitude > 0.0 {
        libm::ilogb(magnitude)
    } else {
        i32::MIN / 2
    };
    libm::ldexp(1.0, (exponent - digits + 1).max(lowest))
}

#[cfg(test)]
mod tests {
    use num_complex::Complex64;

    use super::*;

    #[test]
    fn exact_comparison_tells_zeros_apart_but_not_nans() {
        let exact = |x, y| agree(Literal::F32(x), Literal::F32(y), Exactness::Exact);
        assert!(!exact(0.0, -0.0));
        assert!(exact(f32::NAN, -f32::NAN));
        assert!(!exact(1.0, 1.0 + f32::EPSILON));
        assert!(!exact(1.0, f32::NAN));
    }

    #[test]
    fn ulps_are_those_of_the_expected_number() {
        let within =
            |x: f32, y: f32, ulps| agree(Literal::F32(x), Literal::F32(y), Exactness::Ulps(ulps));
        assert!(within(1.0, 1.0 + 4.0 * f32::EPSILON, 4));
        assert!(!within(1.0, 1.0 + 5.0 * f32::EPSILON, 4));
        assert!(within(f32::MAX, f32::INFINITY, 1));
        assert!(!within(f32::MAX / 2.0, f32::INFINITY, 4));
        assert!(within(f32::from_bits(3), f32::from_bits(1), 2));
        assert!(!within(1.0, f32::NAN, 4));
    }

    #[test]
    fn complex_numbers_are_compared_by_their_larger_part() {
        let within = |x: (f64, f64), y: (f64, f64)| {
            let complex = |(re, im)| Literal::C128(Complex64::new(re, im));
            agree(complex(x), complex(y), Exactness::Ulps(2))
        };
        assert!(within((1.0, 1e-20), (1.0, -1e-20)));
        assert!(!within((1.0, 1e-10), (1.0, -1e-10)));
        assert!(within(
            (f64::INFINITY, f64::NAN),
            (f64::NEG_INFINITY, f64::NAN)
        ));
        assert!(!within((f64::INFINITY, f64::NAN), (1.0, f64::NAN)));
    }
}
