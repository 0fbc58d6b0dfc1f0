//! Which dtype a mixed operation works in.
//!
//! Between arrays: the array API's table, completed by NumPy's for the pairs that the standard leaves
//! open (`int64` with `uint64`, integers with floats, small floats). Python scalars are *weak*: they
//! adapt to the arrays' dtype within their kind and raise the kind otherwise (NumPy 2's rule).

use num_complex::{Complex32, Complex64};
use situ_ir::{DType, DTypeKind, Literal};

/// The smallest dtype both convert to without losing range.
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

/// The dtype of several operands.
pub fn result_type(dtypes: &[DType]) -> Option<DType> {
    dtypes.iter().copied().reduce(promote)
}

/// The kind of a Python scalar, which takes its width from the arrays it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeakScalar {
    /// A Python `bool`.
    Bool,
    /// A Python `int`.
    Int,
    /// A Python `float`.
    Float,
    /// A Python `complex`.
    Complex,
}

impl WeakScalar {
    /// The dtype this scalar has next to an array of the given dtype.
    pub fn promote_with(self, array: DType) -> DType {
        match self {
            Self::Bool => array,
            Self::Int if array.is_bool() => DType::I64,
            Self::Int => array,
            Self::Float if array.is_float() || array.is_complex() => array,
            Self::Float => DType::F64,
            Self::Complex if array.is_complex() => array,
            Self::Complex => complex_of(if array.is_float() { array } else { DType::F64 }),
        }
    }

    /// The dtype this scalar has on its own.
    pub fn default_dtype(self) -> DType {
        match self {
            Self::Bool => DType::Bool,
            Self::Int => DType::I64,
            Self::Float => DType::F64,
            Self::Complex => DType::C128,
        }
    }
}

/// A Python scalar as an operand: a weak kind with a content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PythonScalar {
    /// A Python `bool`.
    Bool(bool),
    /// A Python `int` as far as any dtype can hold it.
    Int(i128),
    /// A Python `float`.
    Float(f64),
    /// A Python `complex`.
    Complex(f64, f64),
}

impl PythonScalar {
    /// Its kind.
    pub fn weak(self) -> WeakScalar {
        match self {
            Self::Bool(_) => WeakScalar::Bool,
            Self::Int(_) => WeakScalar::Int,
            Self::Float(_) => WeakScalar::Float,
            Self::Complex(..) => WeakScalar::Complex,
        }
    }

    /// The scalar as a constant of a dtype, or `None` if it is an integer that does not fit.
    pub fn to_literal(self, dtype: DType) -> Option<Literal> {
        match self {
            Self::Bool(value) => Some(Literal::from_f64(dtype, f64::from(u8::from(value)))),
            Self::Int(value) if dtype.is_integer() => {
                let bits = dtype.bits();
                let (low, high) = if dtype.is_signed() {
                    (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
                } else {
                    (0, (1_i128 << bits) - 1)
                };
                (low <= value && value <= high).then(|| Literal::from_bits(dtype, value as u128))
            }
            Self::Int(value) => Some(Literal::from_f64(dtype, value as f64)),
            Self::Float(value) => Some(Literal::from_f64(dtype, value)),
            Self::Complex(re, im) => Some(match dtype {
                DType::C64 => Literal::C64(Complex32::new(re as f32, im as f32)),
                DType::C128 => Literal::C128(Complex64::new(re, im)),
                other => Literal::from_f64(other, re),
            }),
        }
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

/// The complex dtype whose parts can hold a float.
pub fn complex_of(float: DType) -> DType {
    if float == DType::F64 {
        DType::C128
    } else {
        DType::C64
    }
}

fn wider(left: DType, right: DType) -> DType {
    if left.size_bytes() >= right.size_bytes() {
        left
    } else {
        right
    }
}

fn promote_signed_unsigned(signed: DType, unsigned: DType) -> DType {
    if signed.size_bytes() > unsigned.size_bytes() {
        return signed;
    }
    match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => DType::F64,
    }
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
                assert!(both.kind() >= left.kind() || left.is_unsigned());
                assert_eq!(promote(both, left), both, "{left} with {right}");
            }
        }
    }

    #[test]
    fn mixed_kinds_follow_numpy() {
        assert_eq!(promote(DType::I8, DType::U8), DType::I16);
        assert_eq!(promote(DType::I64, DType::U64), DType::F64);
        assert_eq!(promote(DType::I64, DType::U32), DType::I64);
        assert_eq!(promote(DType::I8, DType::F16), DType::F16);
        assert_eq!(promote(DType::I16, DType::F16), DType::F32);
        assert_eq!(promote(DType::U16, DType::F16), DType::F32);
        assert_eq!(promote(DType::I32, DType::F32), DType::F64);
        assert_eq!(promote(DType::F64, DType::C64), DType::C128);
        assert_eq!(promote(DType::I64, DType::C64), DType::C128);
        assert_eq!(promote(DType::I8, DType::C64), DType::C64);
        assert_eq!(promote(DType::Bool, DType::U8), DType::U8);
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
    }

    #[test]
    fn python_scalars_are_weak() {
        assert_eq!(WeakScalar::Int.promote_with(DType::U8), DType::U8);
        assert_eq!(WeakScalar::Float.promote_with(DType::F32), DType::F32);
        assert_eq!(WeakScalar::Float.promote_with(DType::I8), DType::F64);
        assert_eq!(WeakScalar::Int.promote_with(DType::Bool), DType::I64);
        assert_eq!(WeakScalar::Complex.promote_with(DType::F32), DType::C64);
    }
}
