//! Integer arithmetic: total, wrapping, with Python's and C's divisions.

use super::cell::Scalar;

/// What the operators do with integers of one width and signedness.
pub(super) trait Integer: Scalar + Ord {
    const LARGEST: Self;
    const SMALLEST: Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn negate(self) -> Self;
    fn absolute(self) -> Self;
    fn floor_divide(self, other: Self) -> Self;
    fn modulo(self, other: Self) -> Self;
    fn truncating_divide(self, other: Self) -> Self;
    fn truncating_remainder(self, other: Self) -> Self;
    fn power(self, exponent: Self) -> Self;
    fn not(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn shift_left(self, count: Self) -> Self;
    fn shift_right(self, count: Self) -> Self;
    fn pop_count(self) -> Self;
    fn leading_zeros(self) -> Self;
}

/// The operations that read the same for signed and unsigned integers.
macro_rules! shared_operations {
    ($integer:ty) => {
        const LARGEST: Self = <$integer>::MAX;
        const SMALLEST: Self = <$integer>::MIN;

        #[inline]
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        #[inline]
        fn subtract(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        #[inline]
        fn multiply(self, other: Self) -> Self {
            self.wrapping_mul(other)
        }
        #[inline]
        fn negate(self) -> Self {
            self.wrapping_neg()
        }
        #[inline]
        fn truncating_divide(self, other: Self) -> Self {
            if other == 0 {
                0
            } else {
                self.wrapping_div(other)
            }
        }
        #[inline]
        fn truncating_remainder(self, other: Self) -> Self {
            if other == 0 {
                0
            } else {
                self.wrapping_rem(other)
            }
        }
        #[inline]
        fn not(self) -> Self {
            !self
        }
        #[inline]
        fn and(self, other: Self) -> Self {
            self & other
        }
        #[inline]
        fn or(self, other: Self) -> Self {
            self | other
        }
        #[inline]
        fn xor(self, other: Self) -> Self {
            self ^ other
        }
        #[inline]
        fn shift_left(self, count: Self) -> Self {
            u32::try_from(count)
                .ok()
                .and_then(|count| self.checked_shl(count))
                .unwrap_or(0)
        }
        #[inline]
        fn pop_count(self) -> Self {
            self.count_ones() as $integer
        }
        #[inline]
        fn leading_zeros(self) -> Self {
            <$integer>::leading_zeros(self) as $integer
        }
    };
}

/// `base` to a power that is not negative, by squaring.
macro_rules! wrapping_power {
    ($base:expr, $exponent:expr) => {{
        let (mut base, mut exponent, mut power) = ($base, $exponent as u64, 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = base.wrapping_mul(power);
            }
            base = base.wrapping_mul(base);
            exponent >>= 1;
        }
        power
    }};
}

macro_rules! signed_integers {
    ($($integer:ty)*) => {$(
        impl Integer for $integer {
            shared_operations!($integer);

            #[inline]
            fn absolute(self) -> Self {
                self.wrapping_abs()
            }
            #[inline]
            fn floor_divide(self, other: Self) -> Self {
                let remainder = self.truncating_remainder(other);
                let quotient = self.truncating_divide(other);
                if remainder != 0 && (remainder < 0) != (other < 0) {
                    quotient - 1
                } else {
                    quotient
                }
            }
            #[inline]
            fn modulo(self, other: Self) -> Self {
                let remainder = self.truncating_remainder(other);
                if remainder != 0 && (remainder < 0) != (other < 0) {
                    remainder + other
                } else {
                    remainder
                }
            }
            #[inline]
            fn power(self, exponent: Self) -> Self {
                match self {
                    _ if exponent >= 0 => wrapping_power!(self, exponent),
                    1 => 1,
                    -1 if exponent % 2 == 0 => 1,
                    -1 => -1,
                    _ => 0,
                }
            }
            #[inline]
            fn shift_right(self, count: Self) -> Self {
                let sign = self >> (<$integer>::BITS - 1);
                u32::try_from(count)
                    .ok()
                    .and_then(|count| self.checked_shr(count))
                    .unwrap_or(sign)
            }
        }
    )*};
}

macro_rules! unsigned_integers {
    ($($integer:ty)*) => {$(
        impl Integer for $integer {
            shared_operations!($integer);

            #[inline]
            fn absolute(self) -> Self {
                self
            }
            #[inline]
            fn floor_divide(self, other: Self) -> Self {
                self.truncating_divide(other)
            }
            #[inline]
            fn modulo(self, other: Self) -> Self {
                self.truncating_remainder(other)
            }
            #[inline]
            fn power(self, exponent: Self) -> Self {
                wrapping_power!(self, exponent)
            }
            #[inline]
            fn shift_right(self, count: Self) -> Self {
                u32::try_from(count)
                    .ok()
                    .and_then(|count| self.checked_shr(count))
                    .unwrap_or(0)
            }
        }
    )*};
}

signed_integers!(i8 i16 i32 i64);
unsigned_integers!(u8 u16 u32 u64);
