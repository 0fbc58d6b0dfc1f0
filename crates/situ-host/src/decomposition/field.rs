//! The numbers that matrices consist of.

use std::ops::{AddAssign, Div, MulAssign, Neg, RangeInclusive};

use bytemuck::Pod;
use faer::traits::{ComplexField, RealField};
use faer::{MatMut, MatRef};
use num_complex::Complex;

use crate::matrix_product::Multiplied;
use crate::vectorised::Vectorised;

/// A number that can be multiplied by powers of two, which is exact while it stays in range.
pub(crate) trait Scaled: Copy {
    /// Multiplied by a power of two.
    #[must_use]
    fn times_power_of_two(self, power: i32) -> Self;
}

/// A real or complex number that matrices can consist of.
pub(super) trait Field:
    ComplexField<Real = Self::Part>
    + Multiplied
    + Scaled
    + Pod
    + Send
    + Sync
    + MulAssign
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The dtype of its real part.
    type Part: Float;

    /// The number with a real part.
    fn from_real(real: Self::Part) -> Self;
    /// Its real part.
    fn real_part(self) -> Self::Part;
    /// Its distance from zero.
    fn magnitude(self) -> Self::Part;
    /// The number as a complex one.
    fn to_complex(self) -> Complex<Self::Part>;
    /// The larger of the distances of its parts from zero.
    fn largest_part(self) -> Self::Part;
    /// Whether a part of it is NaN.
    fn has_nan(self) -> bool;
    /// Whether no part of it is NaN or infinite.
    fn is_number(self) -> bool;
    /// A matrix of real numbers as such, and none if it has complex ones.
    fn reals(matrix: MatRef<'_, Self>) -> Option<MatRef<'_, Self::Part>>;
    /// A matrix of real numbers as such, and none if it has complex ones.
    fn reals_mut(matrix: MatMut<'_, Self>) -> Option<MatMut<'_, Self::Part>>;
    /// Not a number.
    fn nan() -> Self {
        Self::from_real(Self::Part::NAN)
    }
    /// The number divided by another, whose square may be too large or too small to be a number.
    fn quotient(self, divisor: Self) -> Self {
        let power = -divisor.largest_part().exponent();
        self.times_power_of_two(power) / divisor.times_power_of_two(power)
    }
}

/// A real number, with what decompositions need of it.
pub(crate) trait Float:
    RealField + Scaled + Vectorised + Send + Sync + AddAssign + PartialEq
{
    /// Nothing.
    const ZERO: Self;
    /// The unit.
    const ONE: Self;
    /// Not a number.
    const NAN: Self;
    /// What the logarithm of zero is.
    const MINUS_INFINITY: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Numbers whose reciprocals have all digits.
    const RECIPROCALS: RangeInclusive<Self>;
    /// The exponent of the largest number of a matrix whose eigenvectors are found: squares of what is small beside it are
    /// numbers as well.
    const EIGEN_EXPONENT: i32;
    /// How many binary digits there are after the first one.
    const MANTISSA_BITS: i32;
    /// The exponent beyond which squares of squares may not be finite, or lose digits.
    const MODERATE_EXPONENT: i32;
    /// Sums of squares below this may have lost digits.
    const SMALL_SQUARE: Self;
    /// The exponent of two, rounded down, of a number above zero.
    fn exponent(self) -> i32;
    /// The larger of two numbers.
    #[must_use]
    fn larger(self, other: Self) -> Self;
    /// The square root.
    #[must_use]
    fn root(self) -> Self;
    /// `self * factor + sum`, rounded once.
    #[must_use]
    fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// The number in double precision, which is exact.
    fn to_double(self) -> f64;
    /// The closest number to one in double precision.
    fn from_double(double: f64) -> Self;
}

macro_rules! real_field {
    ($real:ty, $moderate_exponent:literal, $eigen_exponent:literal) => {
        impl Scaled for $real {
            fn times_power_of_two(self, power: i32) -> Self {
                // In steps, because the whole power may not be a number. More of them change nothing any more.
                const STEP: i32 = <$real>::MAX_EXP - 2;
                let (mut scaled, mut left) = (self, power.clamp(-4 * STEP, 4 * STEP));
                while left != 0 {
                    let step = left.clamp(-STEP, STEP);
                    let two: $real = 2.0;
                    scaled *= two.powi(step);
                    left -= step;
                }
                scaled
            }
        }

        impl Scaled for Complex<$real> {
            fn times_power_of_two(self, power: i32) -> Self {
                Self::new(
                    self.re.times_power_of_two(power),
                    self.im.times_power_of_two(power),
                )
            }
        }

        impl Float for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = <$real>::NAN;
            const MINUS_INFINITY: Self = <$real>::NEG_INFINITY;
            const INFINITY: Self = <$real>::INFINITY;
            const RECIPROCALS: RangeInclusive<Self> =
                8.0 * <$real>::MIN_POSITIVE..=0.125 / <$real>::MIN_POSITIVE;
            const EIGEN_EXPONENT: i32 = $eigen_exponent;
            const MANTISSA_BITS: i32 = <$real>::MANTISSA_DIGITS as i32 - 1;
            const MODERATE_EXPONENT: i32 = $moderate_exponent;
            const SMALL_SQUARE: Self = <$real>::MIN_POSITIVE / <$real>::EPSILON / <$real>::EPSILON;

            fn exponent(self) -> i32 {
                self.log2().floor() as i32
            }

            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            fn root(self) -> Self {
                self.sqrt()
            }

            fn times_plus(self, factor: Self, sum: Self) -> Self {
                self.mul_add(factor, sum)
            }

            fn to_double(self) -> f64 {
                f64::from(self)
            }

            fn from_double(double: f64) -> Self {
                double as $real
            }
        }

        impl Field for $real {
            type Part = Self;

            fn from_real(real: Self) -> Self {
                real
            }

            fn real_part(self) -> Self {
                self
            }

            fn magnitude(self) -> Self {
                self.abs()
            }

            fn to_complex(self) -> Complex<Self> {
                Complex::new(self, 0.0)
            }

            fn largest_part(self) -> Self {
                self.abs()
            }

            fn has_nan(self) -> bool {
                self.is_nan()
            }

            fn is_number(self) -> bool {
                self.is_finite()
            }

            fn reals(matrix: MatRef<'_, Self>) -> Option<MatRef<'_, Self>> {
                Some(matrix)
            }

            fn reals_mut(matrix: MatMut<'_, Self>) -> Option<MatMut<'_, Self>> {
                Some(matrix)
            }
        }

        impl Field for Complex<$real> {
            type Part = $real;

            fn from_real(real: $real) -> Self {
                Self::new(real, 0.0)
            }

            fn real_part(self) -> $real {
                self.re
            }

            fn magnitude(self) -> $real {
                self.norm()
            }

            fn to_complex(self) -> Self {
                self
            }

            fn largest_part(self) -> $real {
                self.re.abs().max(self.im.abs())
            }

            fn has_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }

            fn is_number(self) -> bool {
                self.re.is_finite() && self.im.is_finite()
            }

            fn reals(_: MatRef<'_, Self>) -> Option<MatRef<'_, $real>> {
                None
            }

            fn reals_mut(_: MatMut<'_, Self>) -> Option<MatMut<'_, $real>> {
                None
            }
        }
    };
}

real_field!(f32, 24, 40);
real_field!(f64, 200, 300);
