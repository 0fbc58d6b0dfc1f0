//! Roots of unity: the numbers `e^(-2πi m / n)` that every step of a transform multiplies with.
//!
//! For long transforms a table of all of them would be as large as the data. They are kept as two
//! short tables instead, whose products are the roots: one in small steps, one in large ones.

use std::f64::consts::PI;

use rustfft::FftNum;
use rustfft::num_complex::Complex;

/// Up to this many roots are all kept.
const WHOLE: usize = 1 << 16;

/// The `n`-th roots of unity.
#[derive(Debug)]
pub(super) struct Roots<T> {
    small_steps: Vec<Complex<T>>,
    large_steps: Vec<Complex<T>>,
    shift: u32,
}

impl<T: FftNum> Roots<T> {
    /// The roots for transforms of a length, or their conjugates for the inverse.
    pub(super) fn new(length: usize, is_inverse: bool) -> Self {
        let bits = usize::BITS - length.leading_zeros();
        let shift = if length <= WHOLE {
            bits
        } else {
            bits.div_ceil(2)
        };
        let root = |index: usize| {
            let (re, im) = unit_root(index as u64, length as u64);
            from_parts(re, if is_inverse { -im } else { im })
        };
        Self {
            small_steps: (0..length.min(1 << shift)).map(root).collect(),
            large_steps: (0..=(length - 1) >> shift)
                .map(|step| root(step << shift))
                .collect(),
            shift,
        }
    }

    /// The root with an index below `n`.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Complex<T> {
        let small = self.small_steps[index & ((1 << self.shift) - 1)];
        match index >> self.shift {
            0 => small,
            large => small * self.large_steps[large],
        }
    }
}

/// A complex number of the precision at hand.
pub(super) fn from_parts<T: FftNum>(re: f64, im: f64) -> Complex<T> {
    let number = |part| T::from_f64(part).expect("floats convert to floats");
    Complex::new(number(re), number(im))
}

/// The parts of `e^(-2πi index / length)`, as good as rounded: the angle is taken from the nearest
/// multiple of a quarter turn, so that it is small, and no digits of it are lost to the turns.
pub(super) fn unit_root(index: u64, length: u64) -> (f64, f64) {
    // In units of a quarter turn: `4 index / length = quarters + rest / length`.
    let scaled = u128::from(index % length) * 4;
    let length = u128::from(length);
    let quarters = (2 * scaled + length) / (2 * length);
    let rest = scaled as i128 - (quarters * length) as i128;
    let angle = rest as f64 / length as f64 * (PI / 2.0);
    let (sine, cosine) = angle.sin_cos();
    match quarters % 4 {
        0 => (cosine, -sine),
        1 => (-sine, -cosine),
        2 => (-cosine, sine),
        _ => (sine, cosine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact() {
        assert_eq!(unit_root(0, 8), (1.0, 0.0));
        assert_eq!(unit_root(2, 8), (0.0, -1.0));
        assert_eq!(unit_root(4, 8), (-1.0, 0.0));
        assert_eq!(unit_root(6, 8), (0.0, 1.0));
    }

    #[test]
    fn tables_hold_the_roots() {
        for (length, is_inverse) in [(1, false), (7, true), (100_000, false), (99_991, true)] {
            let roots = Roots::<f64>::new(length, is_inverse);
            for index in (0..length).step_by(1 + length / 1000) {
                let angle = -2.0 * PI * index as f64 / length as f64;
                let sign = if is_inverse { -1.0 } else { 1.0 };
                let found = roots.get(index);
                assert!(
                    (found.re - angle.cos()).abs() < 2e-15,
                    "{index} of {length}"
                );
                assert!((found.im - sign * angle.sin()).abs() < 2e-15);
            }
        }
    }
}
