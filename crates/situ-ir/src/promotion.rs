//! Which dtype a mixed operation works in.
//!
//! Between dtypes: the array API's table, completed by NumPy's for the pairs that the standard leaves
//! open (`int64` with `uint64`, integers with floats). A Python number has no dtype of its own: next
//! to one it takes that dtype if its kind is the same or lower (`x * 2.0` keeps `float32`), else the
//! default dtype of its kind joins in (`int64` and `0.5` make `float64`), as in NumPy 2.
//!
//! Array functions and kernels promote by these same rules.

use num_complex::{Complex32, Complex64};

use crate::dtype::{DType, DTypeKind};
use crate::literal::Literal;

/// The smallest dtype that both convert to, as NumPy has it.
pub fn promote(left: DType, right: DType) -> DType {
    if left == right {
        return left;
    }
    // Order the pair by kind, so that each case below is written once.
    let (low, high) = if left.kind() <= right.kind() {
        (left, right)
    } else {
        (right, left)
    };
    match (low.kind(), high.kind()) {
        (DTypeKind::Bool, _) => high,
        (a, b) if a == b => wider(low, high),
        (DTypeKind::Signed, DTypeKind::Unsigned) => promote_signed_unsigned(low, high),
        (_, DTypeKind::Float) => wider(float_for(low), high),
        (_, DTypeKind::Complex) => complex_of(wider(float_for(low), high.real())),
        _ => unreachable!("kinds are ordered"),
    }
}

/// The smallest dtype that all convert to, in whatever order they come; `None` of none. Pairs are not enough where floats
/// are among integers: `uint16` and `int16` meet in `int32`, which would take a `float16` to `float64`, although
/// `float32` holds all three.
pub fn promote_all(dtypes: impl IntoIterator<Item = DType, IntoIter: Clone>) -> Option<DType> {
    let dtypes = dtypes.into_iter();
    let highest = dtypes.clone().max_by_key(|dtype| dtype.kind())?;
    dtypes.map(|dtype| promote(highest, dtype)).reduce(promote)
}

/// As [`promote`], on a device whose default float is given: without `float64`, numbers that would
/// meet in it meet in `float32`. Those that are `float64` themselves stay so, for somebody to refuse.
pub fn promote_for(left: DType, right: DType, default_float: DType) -> DType {
    let is_double = |dtype: DType| dtype.real() == DType::F64;
    if is_double(left) || is_double(right) {
        return promote(left, right);
    }
    narrowed(promote(left, right), default_float)
}

/// What a dtype becomes where the default float is `float32`: half as wide, if it is made of `float64`.
pub fn narrowed(dtype: DType, default_float: DType) -> DType {
    match dtype {
        DType::F64 => default_float,
        DType::C128 => complex_of(default_float),
        other => other,
    }
}

/// The float in which mathematical functions of this dtype are computed, as NumPy chooses it.
pub fn float_for(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::I8 | DType::U8 => DType::F16,
        DType::I16 | DType::U16 => DType::F32,
        DType::I32 | DType::I64 | DType::U32 | DType::U64 => DType::F64,
        DType::F16 | DType::F32 | DType::F64 | DType::C64 | DType::C128 => dtype,
    }
}

/// The complex dtype whose parts can hold a float (`float16` parts become `float32`).
pub fn complex_of(float: DType) -> DType {
    if float == DType::F64 {
        DType::C128
    } else {
        DType::C64
    }
}

/// A Python number, which adapts to the dtypes it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PythonScalar {
    /// `True` or `False`.
    Bool(bool),
    /// An integer; wide enough to fold constants without losing what a dtype can hold.
    Int(i128),
    /// A float.
    Float(f64),
    /// A complex number: real and imaginary part.
    Complex(f64, f64),
}

impl PythonScalar {
    /// The dtype of an operation between this number and a value with a dtype.
    pub fn promote_with(self, other: DType, default_float: DType) -> DType {
        match self {
            Self::Bool(_) => other,
            Self::Int(_) if other.is_bool() => DType::I64,
            Self::Int(_) => other,
            Self::Float(_) if other.is_float() || other.is_complex() => other,
            Self::Float(_) => default_float,
            Self::Complex(..) if other.is_float() || other.is_complex() => complex_of(other.real()),
            Self::Complex(..) => complex_of(default_float),
        }
    }

    /// The dtype this number has on its own.
    pub fn default_dtype(self, default_float: DType) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::Int(value) if value > i128::from(i64::MAX) => DType::U64,
            Self::Int(_) => DType::I64,
            Self::Float(_) => default_float,
            Self::Complex(..) => complex_of(default_float),
        }
    }

    /// This number as a constant of a dtype; `None` if it is an integer that the dtype cannot hold.
    pub fn to_literal(self, dtype: DType) -> Option<Literal> {
        Some(match self {
            Self::Bool(value) => Literal::from_f64(dtype, f64::from(u8::from(value))),
            Self::Int(value) if dtype.is_integer() => integer_literal(value, dtype)?,
            // Rounded once; by way of `float64` it would be twice.
            Self::Int(value) if dtype == DType::F32 => Literal::F32(value as f32),
            Self::Int(value) => Literal::from_f64(dtype, value as f64),
            Self::Float(value) => Literal::from_f64(dtype, value),
            Self::Complex(real, imaginary) => match dtype {
                DType::C64 => Literal::C64(Complex32::new(real as f32, imaginary as f32)),
                DType::C128 => Literal::C128(Complex64::new(real, imaginary)),
                DType::Bool => Literal::Bool(real != 0.0 || imaginary != 0.0),
                other => Literal::from_f64(other, real),
            },
        })
    }
}

fn integer_literal(value: i128, dtype: DType) -> Option<Literal> {
    let bits = dtype.bits();
    let (low, high) = if dtype.is_signed() {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    (low <= value && value <= high).then(|| Literal::from_bits(dtype, value as u128))
}

fn wider(left: DType, right: DType) -> DType {
    if left.size_bytes() >= right.size_bytes() {
        left
    } else {
        right
    }
}

/// A signed dtype that holds both; there is none for `uint64`, so NumPy takes `float64`.
fn promote_signed_unsigned(signed: DType, unsigned: DType) -> DType {
    let needed = match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => return DType::F64,
    };
    wider(signed, needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_commutative_idempotent_and_never_narrows() {
        for left in DType::ALL {
            assert_eq!(promote(left, left), left);
            for right in DType::ALL {
                let both = promote(left, right);
                assert_eq!(both, promote(right, left));
                assert_eq!(promote(both, left), both, "{left} with {right}");
            }
        }
    }

    #[test]
    fn many_dtypes_meet_in_any_order() {
        use DType::{F16, F32, I8, I16, I64, U8, U16, U64};
        assert_eq!(promote_all([]), None);
        assert_eq!(promote_all([U16, I16, F16]), Some(F32));
        assert_eq!(promote_all([U8, I8, F16]), Some(F16));
        assert_eq!(promote_all([U64, I64, I8]), Some(DType::F64));
        for first in DType::ALL {
            for second in DType::ALL {
                assert_eq!(promote_all([first, second]), Some(promote(first, second)));
                for third in DType::ALL {
                    let all = promote_all([first, second, third]);
                    assert_eq!(all, promote_all([third, first, second]));
                    assert_eq!(all, promote_all([second, first, third]));
                }
            }
        }
    }

    #[test]
    fn mixed_kinds_follow_numpy() {
        use DType::{Bool, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
        for (left, right, expected) in [
            (Bool, I8, I8),
            (Bool, U8, U8),
            (I8, U8, I16),
            (I16, U8, I16),
            (I32, U32, I64),
            (I64, U32, I64),
            (I64, U64, F64),
            (I8, F16, F16),
            (I16, F16, F32),
            (U16, F16, F32),
            (I32, F32, F64),
            (U8, F16, F16),
            (U64, F32, F64),
            (F32, C64, C64),
            (F64, C64, C128),
            (I32, C64, C128),
            (I8, C64, C64),
            (F16, C64, C64),
            (F32, F64, F64),
        ] {
            assert_eq!(promote(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn python_numbers_do_not_widen() {
        let with = |number: PythonScalar, dtype| number.promote_with(dtype, DType::F64);
        assert_eq!(with(PythonScalar::Float(0.1), DType::F32), DType::F32);
        assert_eq!(with(PythonScalar::Float(0.1), DType::I8), DType::F64);
        assert_eq!(with(PythonScalar::Int(1), DType::U8), DType::U8);
        assert_eq!(with(PythonScalar::Int(1), DType::Bool), DType::I64);
        assert_eq!(
            with(PythonScalar::Complex(0.0, 1.0), DType::F32),
            DType::C64
        );
        assert_eq!(
            with(PythonScalar::Complex(0.0, 1.0), DType::I32),
            DType::C128
        );
    }

    #[test]
    fn integers_that_do_not_fit_are_refused() {
        assert_eq!(
            PythonScalar::Int(255).to_literal(DType::U8),
            Some(Literal::U8(255))
        );
        assert_eq!(PythonScalar::Int(256).to_literal(DType::U8), None);
        assert_eq!(PythonScalar::Int(-1).to_literal(DType::U64), None);
        assert_eq!(
            PythonScalar::Int(-128).to_literal(DType::I8),
            Some(Literal::I8(-128))
        );
        let large = i128::from(u64::MAX);
        assert_eq!(
            PythonScalar::Int(large).to_literal(DType::U64),
            Some(Literal::U64(u64::MAX))
        );
        assert_eq!(
            PythonScalar::Int(3).to_literal(DType::F32),
            Some(Literal::F32(3.0))
        );
    }

    #[test]
    fn without_double_precision_numbers_meet_in_single() {
        let meet = |left, right| promote_for(left, right, DType::F32);
        assert_eq!(meet(DType::I32, DType::F32), DType::F32);
        assert_eq!(meet(DType::I64, DType::C64), DType::C64);
        assert_eq!(meet(DType::U64, DType::I8), DType::F32);
        assert_eq!(meet(DType::I32, DType::I64), DType::I64);
        // What is wide already is not the promotion's to change.
        assert_eq!(meet(DType::F64, DType::F32), DType::F64);
        assert_eq!(meet(DType::C128, DType::I8), DType::C128);
        for left in DType::ALL {
            for right in DType::ALL {
                let usual = promote(left, right);
                assert_eq!(promote_for(left, right, DType::F64), usual);
            }
        }
    }
}
