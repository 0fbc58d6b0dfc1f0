//! Floating-point arithmetic.
//!
//! `float16` is computed in `float32` and rounded once per operator. For `+ - * /` and `sqrt` that is
//! the correctly rounded `float16` result, because `float32` has more than twice as many digits.

use half::f16;

use super::cell::Scalar;

/// What the operators do with floats of one width.
pub(super) trait Float: Scalar + PartialOrd {
    const INFINITY: Self;
    const NEGATIVE_INFINITY: Self;
    fn to_f64(self) -> f64;
    /// Rounds to nearest even.
    fn from_f64(value: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, other: Self) -> Self;
    fn negate(self) -> Self;
    fn absolute(self) -> Self;
    fn floor_divide(self, other: Self) -> Self;
    fn modulo(self, other: Self) -> Self;
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;
    fn is_finite(self) -> bool;
    fn sign_bit(self) -> bool;
    fn copy_sign(self, sign: Self) -> Self;
    fn next_after(self, towards: Self) -> Self;
    /// `1 / sqrt(x)` as two operations.
    fn reciprocal_square_root(self) -> Self;
    /// `x * y + z` rounded once (twice for `float16`: to `float32`, then to `float16`).
    fn fused_multiply_add(self, factor: Self, term: Self) -> Self;
}

macro_rules! floats {
    ($($float:ty, $bits:ty, $wide:ty, $to_wide:expr, $from_wide:expr, $from_f64:expr;)*) => {$(
        impl Float for $float {
            const INFINITY: Self = <$float>::INFINITY;
            const NEGATIVE_INFINITY: Self = <$float>::NEG_INFINITY;

            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn from_f64(value: f64) -> Self {
                $from_f64(value)
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                $from_wide($to_wide(self) + $to_wide(other))
            }
            #[inline]
            fn subtract(self, other: Self) -> Self {
                $from_wide($to_wide(self) - $to_wide(other))
            }
            #[inline]
            fn multiply(self, other: Self) -> Self {
                $from_wide($to_wide(self) * $to_wide(other))
            }
            #[inline]
            fn divide(self, other: Self) -> Self {
                $from_wide($to_wide(self) / $to_wide(other))
            }
            #[inline]
            fn negate(self) -> Self {
                -self
            }
            #[inline]
            fn absolute(self) -> Self {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                <$float>::from_bits(self.to_bits() & !SIGN)
            }
            #[inline]
            fn floor_divide(self, other: Self) -> Self {
                let (x, y): ($wide, $wide) = ($to_wide(self), $to_wide(other));
                if y == 0.0 {
                    return $from_wide(x / y);
                }
                let remainder = x % y;
                let mut quotient = (x - remainder) / y;
                if remainder != 0.0 && (y < 0.0) != (remainder < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return $from_wide(<$wide>::copysign(0.0, x / y));
                }
                // The division rounded; it may have ended just below the integer it should be.
                let floor = quotient.floor();
                let snapped = if quotient - floor > 0.5 { floor + 1.0 } else { floor };
                $from_wide(snapped)
            }
            #[inline]
            fn modulo(self, other: Self) -> Self {
                let (x, y): ($wide, $wide) = ($to_wide(self), $to_wide(other));
                let remainder = x % y;
                let moved = if y == 0.0 {
                    remainder
                } else if remainder == 0.0 {
                    <$wide>::copysign(0.0, y)
                } else if (y < 0.0) != (remainder < 0.0) {
                    remainder + y
                } else {
                    remainder
                };
                $from_wide(moved)
            }
            #[inline]
            fn is_nan(self) -> bool {
                <$float>::is_nan(self)
            }
            #[inline]
            fn is_infinite(self) -> bool {
                <$float>::is_infinite(self)
            }
            #[inline]
            fn is_finite(self) -> bool {
                <$float>::is_finite(self)
            }
            #[inline]
            fn sign_bit(self) -> bool {
                self.to_bits() >> (<$bits>::BITS - 1) == 1
            }
            #[inline]
            fn copy_sign(self, sign: Self) -> Self {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                <$float>::from_bits((self.to_bits() & !SIGN) | (sign.to_bits() & SIGN))
            }
            #[inline]
            fn next_after(self, towards: Self) -> Self {
                if self.is_nan() || towards.is_nan() {
                    return <$float>::NAN;
                }
                if self == towards {
                    return towards;
                }
                if $to_wide(self) == 0.0 {
                    return <$float>::from_bits(1).copy_sign(towards);
                }
                // Bits of floats of one sign are ordered as their magnitudes.
                let away_from_zero = (self < towards) != self.sign_bit();
                let bits = self.to_bits();
                <$float>::from_bits(if away_from_zero { bits + 1 } else { bits - 1 })
            }
            #[inline]
            fn reciprocal_square_root(self) -> Self {
                let root: $wide = $to_wide(self).sqrt();
                $from_wide(1.0 / root)
            }
            #[inline]
            fn fused_multiply_add(self, factor: Self, term: Self) -> Self {
                let x: $wide = $to_wide(self);
                $from_wide(x.mul_add($to_wide(factor), $to_wide(term)))
            }
        }
    )*};
}

floats! {
    f16, u16, f32, f16::to_f32, f16::from_f32, f16_from_f64;
    f32, u32, f32, same, same, f32_from_f64;
    f64, u64, f64, same, same, same;
}

#[inline]
fn same<T>(value: T) -> T {
    value
}

#[inline]
fn f32_from_f64(value: f64) -> f32 {
    value as f32
}

/// Rounds to the nearest `float16` in one step.
///
/// Going through a correctly rounded `float32` would round twice. Instead the `float32` in between is
/// rounded *to odd*: if inexact, its last bit is set, so that it is never a tie for the second step.
pub(super) fn f16_from_f64(value: f64) -> f16 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    if back == value || value.is_nan() || nearest.is_infinite() {
        return f16::from_f32(nearest);
    }
    let bits = nearest.to_bits();
    let truncated = if back.abs() > value.abs() {
        bits - 1
    } else {
        bits
    };
    f16::from_f32(f32::from_bits(truncated | 1))
}

/// The smaller, by the law of the IR: the first if it is not larger, or NaN.
#[inline]
pub(super) fn minimum<T: Float>(x: T, y: T) -> T {
    if x <= y || x.is_nan() { x } else { y }
}

/// The larger, by the law of the IR: the first if it is not smaller, or NaN.
#[inline]
pub(super) fn maximum<T: Float>(x: T, y: T) -> T {
    if x >= y || x.is_nan() { x } else { y }
}
