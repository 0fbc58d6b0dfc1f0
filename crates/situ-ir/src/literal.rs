//! Typed constants.
//!
//! Two literals are equal when their bits are: `-0.0` and `0.0` differ, a NaN equals itself. That is
//! what caches, snapshots and round trips need; numeric comparison is the interpreter's business.

use half::f16;
use num_complex::{Complex32, Complex64};

use crate::dtype::DType;

/// A constant of some dtype. Also the unit in which scalars are passed to kernels.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "one variant per dtype; the names say it")]
pub enum Literal {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
    C64(Complex32),
    C128(Complex64),
}

impl Literal {
    /// The dtype of this constant.
    pub fn dtype(self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::I8(_) => DType::I8,
            Self::I16(_) => DType::I16,
            Self::I32(_) => DType::I32,
            Self::I64(_) => DType::I64,
            Self::U8(_) => DType::U8,
            Self::U16(_) => DType::U16,
            Self::U32(_) => DType::U32,
            Self::U64(_) => DType::U64,
            Self::F16(_) => DType::F16,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
            Self::C64(_) => DType::C64,
            Self::C128(_) => DType::C128,
        }
    }

    /// The bits: the whole number, or real part in the low and imaginary part in the high half.
    pub fn to_bits(self) -> u128 {
        match self {
            Self::Bool(value) => u128::from(value),
            Self::I8(value) => u128::from(value as u8),
            Self::I16(value) => u128::from(value as u16),
            Self::I32(value) => u128::from(value as u32),
            Self::I64(value) => u128::from(value as u64),
            Self::U8(value) => u128::from(value),
            Self::U16(value) => u128::from(value),
            Self::U32(value) => u128::from(value),
            Self::U64(value) => u128::from(value),
            Self::F16(value) => u128::from(value.to_bits()),
            Self::F32(value) => u128::from(value.to_bits()),
            Self::F64(value) => u128::from(value.to_bits()),
            Self::C64(value) => {
                u128::from(value.re.to_bits()) | (u128::from(value.im.to_bits()) << 32)
            }
            Self::C128(value) => {
                u128::from(value.re.to_bits()) | (u128::from(value.im.to_bits()) << 64)
            }
        }
    }

    /// The constant with these bits; bits above the dtype's width are ignored.
    pub fn from_bits(dtype: DType, bits: u128) -> Self {
        match dtype {
            DType::Bool => Self::Bool(bits & 1 == 1),
            DType::I8 => Self::I8(bits as i8),
            DType::I16 => Self::I16(bits as i16),
            DType::I32 => Self::I32(bits as i32),
            DType::I64 => Self::I64(bits as i64),
            DType::U8 => Self::U8(bits as u8),
            DType::U16 => Self::U16(bits as u16),
            DType::U32 => Self::U32(bits as u32),
            DType::U64 => Self::U64(bits as u64),
            DType::F16 => Self::F16(f16::from_bits(bits as u16)),
            DType::F32 => Self::F32(f32::from_bits(bits as u32)),
            DType::F64 => Self::F64(f64::from_bits(bits as u64)),
            DType::C64 => Self::C64(Complex32::new(
                f32::from_bits(bits as u32),
                f32::from_bits((bits >> 32) as u32),
            )),
            DType::C128 => Self::C128(Complex64::new(
                f64::from_bits(bits as u64),
                f64::from_bits((bits >> 64) as u64),
            )),
        }
    }

    /// The constant stored in little-endian bytes, or `None` if there are too few of them.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..dtype.size_bytes())?;
        let mut wide = [0; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u128::from_le_bytes(wide);
        // A bool byte other than 0 and 1 counts as true, as in NumPy.
        Some(if dtype == DType::Bool {
            Self::Bool(bits != 0)
        } else {
            Self::from_bits(dtype, bits)
        })
    }

    /// Writes the little-endian bytes to the start of `bytes`.
    ///
    /// # Panics
    /// If `bytes` is shorter than the dtype.
    pub fn write_bytes(self, bytes: &mut [u8]) {
        let size = self.dtype().size_bytes();
        bytes[..size].copy_from_slice(&self.to_bits().to_le_bytes()[..size]);
    }

    /// Zero (or `false`) of a dtype.
    pub fn zero(dtype: DType) -> Self {
        Self::from_bits(dtype, 0)
    }

    /// One (or `true`) of a dtype.
    pub fn one(dtype: DType) -> Self {
        Self::from_f64(dtype, 1.0)
    }

    /// The constant nearest to `value`: integers saturate, `bool` is `value != 0`.
    pub fn from_f64(dtype: DType, value: f64) -> Self {
        match dtype {
            DType::Bool => Self::Bool(value != 0.0),
            DType::I8 => Self::I8(value as i8),
            DType::I16 => Self::I16(value as i16),
            DType::I32 => Self::I32(value as i32),
            DType::I64 => Self::I64(value as i64),
            DType::U8 => Self::U8(value as u8),
            DType::U16 => Self::U16(value as u16),
            DType::U32 => Self::U32(value as u32),
            DType::U64 => Self::U64(value as u64),
            DType::F16 => Self::F16(f16::from_f64(value)),
            DType::F32 => Self::F32(value as f32),
            DType::F64 => Self::F64(value),
            DType::C64 => Self::C64(Complex32::new(value as f32, 0.0)),
            DType::C128 => Self::C128(Complex64::new(value, 0.0)),
        }
    }

    /// The index (`int64`) constant.
    pub fn index(value: i64) -> Self {
        Self::I64(value)
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.dtype() == other.dtype() && self.to_bits() == other.to_bits()
    }
}

impl Eq for Literal {}

impl std::hash::Hash for Literal {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.dtype().hash(state);
        self.to_bits().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_bytes_round_trip_for_every_dtype() {
        for dtype in DType::ALL {
            let literal = Literal::one(dtype);
            assert_eq!(literal.dtype(), dtype);
            assert_eq!(Literal::from_bits(dtype, literal.to_bits()), literal);
            let mut bytes = [0xff; 16];
            literal.write_bytes(&mut bytes);
            assert_eq!(Literal::from_bytes(dtype, &bytes), Some(literal));
        }
    }

    #[test]
    fn equality_is_of_bits() {
        assert_ne!(Literal::F64(0.0), Literal::F64(-0.0));
        assert_eq!(Literal::F64(f64::NAN), Literal::F64(f64::NAN));
        assert_ne!(Literal::I8(1), Literal::U8(1));
    }
}
