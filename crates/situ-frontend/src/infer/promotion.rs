//! Which dtype two values meet in.
//!
//! Between dtypes the rules are NumPy's. A Python number has no dtype: next to one, it takes that
//! dtype if its kind is the same or lower (`a[i] * 2.0` keeps `float32`), else the default dtype of
//! its own kind joins in (`i + 0.5` with an `int64` is `float64`), as in NumPy 2.

use num_complex::{Complex32, Complex64};
use situ_ir::{DType, DTypeKind, Literal};

use crate::syntax::Constant;

/// The smallest dtype that NumPy promotes both to.
pub(crate) fn promote(left: DType, right: DType) -> DType {
    if left == right {
        return left;
    }
    let (low, high) = if rank(left) <= rank(right) {
        (left, right)
    } else {
        (right, left)
    };
    match (low.kind(), high.kind()) {
        (DTypeKind::Bool, _) => high,
        (DTypeKind::Signed, DTypeKind::Signed)
        | (DTypeKind::Unsigned, DTypeKind::Unsigned)
        | (DTypeKind::Float, DTypeKind::Float)
        | (DTypeKind::Complex, DTypeKind::Complex) => wider(low, high),
        (DTypeKind::Unsigned, DTypeKind::Signed) => signed_for(low, high),
        (DTypeKind::Unsigned | DTypeKind::Signed, DTypeKind::Float) => wider(float_for(low), high),
        (DTypeKind::Unsigned | DTypeKind::Signed, DTypeKind::Complex) => {
            complex_of(wider(float_for(low), high.real()))
        }
        (DTypeKind::Float, DTypeKind::Complex) => complex_of(wider(low, high.real())),
        // `low` never has the higher rank.
        _ => high,
    }
}

/// The dtype of an operation between a Python number and a value with a dtype.
pub(crate) fn promote_constant(constant: Constant, other: DType, default_float: DType) -> DType {
    match constant {
        Constant::Bool(_) => other,
        Constant::Int(_) if other.is_bool() => DType::I64,
        Constant::Int(_) => other,
        Constant::Float(_) if other.is_float() || other.is_complex() => other,
        Constant::Float(_) => default_float,
        Constant::Complex(..) if other.is_float() || other.is_complex() => complex_of(other.real()),
        Constant::Complex(..) => complex_of(default_float),
    }
}

/// The dtype a Python number has on its own.
pub(crate) fn default_dtype(constant: Constant, default_float: DType) -> DType {
    match constant {
        Constant::Bool(_) => DType::Bool,
        Constant::Int(value) if value > i128::from(i64::MAX) => DType::U64,
        Constant::Int(_) => DType::I64,
        Constant::Float(_) => default_float,
        Constant::Complex(..) => complex_of(default_float),
    }
}

/// The constant as a literal; `None` if it is an integer that the dtype cannot hold.
pub(crate) fn literal(constant: Constant, dtype: DType) -> Option<Literal> {
    Some(match constant {
        Constant::Bool(value) => Literal::from_f64(dtype, f64::from(u8::from(value))),
        Constant::Int(value) if dtype.is_integer() => integer_literal(value, dtype)?,
        // Rounded once; by way of `float64` it would be twice.
        Constant::Int(value) if dtype == DType::F32 => Literal::F32(value as f32),
        Constant::Int(value) => Literal::from_f64(dtype, value as f64),
        Constant::Float(value) => Literal::from_f64(dtype, value),
        Constant::Complex(real, imaginary) => match dtype {
            DType::C64 => Literal::C64(Complex32::new(real as f32, imaginary as f32)),
            DType::C128 => Literal::C128(Complex64::new(real, imaginary)),
            DType::Bool => Literal::Bool(real != 0.0 || imaginary != 0.0),
            other => Literal::from_f64(other, real),
        },
    })
}

fn integer_literal(value: i128, dtype: DType) -> Option<Literal> {
    Some(match dtype {
        DType::I8 => Literal::I8(value.try_into().ok()?),
        DType::I16 => Literal::I16(value.try_into().ok()?),
        DType::I32 => Literal::I32(value.try_into().ok()?),
        DType::I64 => Literal::I64(value.try_into().ok()?),
        DType::U8 => Literal::U8(value.try_into().ok()?),
        DType::U16 => Literal::U16(value.try_into().ok()?),
        DType::U32 => Literal::U32(value.try_into().ok()?),
        DType::U64 => Literal::U64(value.try_into().ok()?),
        _ => return None,
    })
}

/// The complex dtype with parts of a float dtype (`float16` parts become `float32`).
pub(crate) fn complex_of(real: DType) -> DType {
    if real == DType::F64 {
        DType::C128
    } else {
        DType::C64
    }
}

fn rank(dtype: DType) -> u8 {
    match dtype.kind() {
        DTypeKind::Bool => 0,
        DTypeKind::Unsigned => 1,
        DTypeKind::Signed => 2,
        DTypeKind::Float => 3,
        DTypeKind::Complex => 4,
    }
}

fn wider(left: DType, right: DType) -> DType {
    if left.size_bytes() >= right.size_bytes() {
        left
    } else {
        right
    }
}

/// A signed dtype that holds an unsigned one; there is none for `uint64`, so NumPy takes `float64`.
fn signed_for(unsigned: DType, signed: DType) -> DType {
    let needed = match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => return DType::F64,
    };
    wider(signed, needed)
}

/// The smallest float that NumPy takes for an integer.
fn float_for(integer: DType) -> DType {
    match integer.size_bytes() {
        1 => DType::F16,
        2 => DType::F32,
        _ => DType::F64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_numpys() {
        use DType::*;
        for (left, right, expected) in [
            (Bool, I8, I8),
            (I8, U8, I16),
            (I16, U8, I16),
            (I32, U32, I64),
            (I64, U64, F64),
            (I8, F16, F16),
            (I16, F16, F32),
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
            assert_eq!(promote(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn promotion_is_idempotent_and_never_goes_down() {
        for left in DType::ALL {
            assert_eq!(promote(left, left), left);
            for right in DType::ALL {
                let both = promote(left, right);
                assert_eq!(promote(both, left), both, "{left} {right}");
                assert_eq!(promote(both, right), both, "{left} {right}");
            }
        }
    }

    #[test]
    fn python_numbers_do_not_widen() {
        let float = Constant::Float(0.1);
        assert_eq!(promote_constant(float, DType::F32, DType::F64), DType::F32);
        assert_eq!(promote_constant(float, DType::I8, DType::F64), DType::F64);
        let int = Constant::Int(1);
        assert_eq!(promote_constant(int, DType::U8, DType::F64), DType::U8);
        assert_eq!(promote_constant(int, DType::Bool, DType::F64), DType::I64);
        let complex = Constant::Complex(0.0, 1.0);
        assert_eq!(
            promote_constant(complex, DType::F32, DType::F64),
            DType::C64
        );
        assert_eq!(
            promote_constant(complex, DType::I32, DType::F64),
            DType::C128
        );
    }

    #[test]
    fn literals_that_do_not_fit_are_not_made() {
        assert_eq!(literal(Constant::Int(256), DType::U8), None);
        assert_eq!(literal(Constant::Int(-1), DType::U64), None);
        assert_eq!(
            literal(Constant::Int(255), DType::U8),
            Some(Literal::U8(255))
        );
        assert_eq!(
            literal(Constant::Int(3), DType::F32),
            Some(Literal::F32(3.0))
        );
    }
}
