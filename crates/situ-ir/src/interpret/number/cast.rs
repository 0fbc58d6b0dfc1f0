//! Conversions between dtypes.
//!
//! Every number widens exactly to an integer, a `float64` or a `complex128`, and narrows from there
//! in one rounding.

use half::f16;
use num_complex::{Complex32, Complex64};

use super::cell::{Cell, Scalar};
use super::float::f16_from_f64;
use crate::dtype::DType;

/// Any number, exactly.
#[derive(Clone, Copy)]
enum Wide {
    Integer(i128),
    Float(f64),
    Complex(Complex64),
}

impl Wide {
    /// The real part as a float, if this is not an integer.
    #[inline]
    fn real(self) -> Result<i128, f64> {
        match self {
            Self::Integer(value) => Ok(value),
            Self::Float(value) => Err(value),
            Self::Complex(value) => Err(value.re),
        }
    }
}

trait Cast: Scalar {
    fn widen(self) -> Wide;
    fn narrow(wide: Wide) -> Self;
}

macro_rules! integer_casts {
    ($($integer:ty)*) => {$(
        impl Cast for $integer {
            #[inline]
            fn widen(self) -> Wide {
                Wide::Integer(i128::from(self))
            }
            #[inline]
            fn narrow(wide: Wide) -> Self {
                // `as` keeps the low bits of integers, and saturates floats with NaN to 0.
                match wide.real() {
                    Ok(integer) => integer as $integer,
                    Err(float) => float as $integer,
                }
            }
        }
    )*};
}

integer_casts!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Cast for bool {
    #[inline]
    fn widen(self) -> Wide {
        Wide::Integer(i128::from(self))
    }
    #[inline]
    fn narrow(wide: Wide) -> Self {
        match wide {
            Wide::Integer(value) => value != 0,
            Wide::Float(value) => value != 0.0,
            Wide::Complex(value) => value.re != 0.0 || value.im != 0.0,
        }
    }
}

impl Cast for f16 {
    #[inline]
    fn widen(self) -> Wide {
        Wide::Float(f64::from(self))
    }
    #[inline]
    fn narrow(wide: Wide) -> Self {
        // Integers that do not fit a `float64` exactly are far beyond the largest `float16`.
        f16_from_f64(
            wide.real()
                .map_or_else(|float| float, |integer| integer as f64),
        )
    }
}

impl Cast for f32 {
    #[inline]
    fn widen(self) -> Wide {
        Wide::Float(f64::from(self))
    }
    #[inline]
    fn narrow(wide: Wide) -> Self {
        wide.real()
            .map_or_else(|float| float as f32, |integer| integer as f32)
    }
}

impl Cast for f64 {
    #[inline]
    fn widen(self) -> Wide {
        Wide::Float(self)
    }
    #[inline]
    fn narrow(wide: Wide) -> Self {
        wide.real()
            .map_or_else(|float| float, |integer| integer as f64)
    }
}

impl Cast for Complex32 {
    #[inline]
    fn widen(self) -> Wide {
        Wide::Complex(Complex64::new(f64::from(self.re), f64::from(self.im)))
    }
    #[inline]
    fn narrow(wide: Wide) -> Self {
        match wide {
            Wide::Complex(value) => Self::new(value.re as f32, value.im as f32),
            real => Self::new(f32::narrow(real), 0.0),
        }
    }
}

impl Cast for Complex64 {
    #[inline]
    fn widen(self) -> Wide {
        Wide::Complex(self)
    }
    #[inline]
    fn narrow(wide: Wide) -> Self {
        match wide {
            Wide::Complex(value) => value,
            real => Self::new(f64::narrow(real), 0.0),
        }
    }
}

#[inline]
fn convert<From: Cast, To: Cast>(cell: Cell) -> Cell {
    To::narrow(From::from_cell(cell).widen()).to_cell()
}

/// The function that casts between two dtypes.
pub(in crate::interpret) fn cast(from: DType, to: DType) -> super::UnaryFunction {
    match from {
        DType::Bool => cast_from::<bool>(to),
        DType::I8 => cast_from::<i8>(to),
        DType::I16 => cast_from::<i16>(to),
        DType::I32 => cast_from::<i32>(to),
        DType::I64 => cast_from::<i64>(to),
        DType::U8 => cast_from::<u8>(to),
        DType::U16 => cast_from::<u16>(to),
        DType::U32 => cast_from::<u32>(to),
        DType::U64 => cast_from::<u64>(to),
        DType::F16 => cast_from::<f16>(to),
        DType::F32 => cast_from::<f32>(to),
        DType::F64 => cast_from::<f64>(to),
        DType::C64 => cast_from::<Complex32>(to),
        DType::C128 => cast_from::<Complex64>(to),
    }
}

fn cast_from<From: Cast>(to: DType) -> super::UnaryFunction {
    match to {
        DType::Bool => convert::<From, bool>,
        DType::I8 => convert::<From, i8>,
        DType::I16 => convert::<From, i16>,
        DType::I32 => convert::<From, i32>,
        DType::I64 => convert::<From, i64>,
        DType::U8 => convert::<From, u8>,
        DType::U16 => convert::<From, u16>,
        DType::U32 => convert::<From, u32>,
        DType::U64 => convert::<From, u64>,
        DType::F16 => convert::<From, f16>,
        DType::F32 => convert::<From, f32>,
        DType::F64 => convert::<From, f64>,
        DType::C64 => convert::<From, Complex32>,
        DType::C128 => convert::<From, Complex64>,
    }
}
