//! The register of the interpreter: 128 bits that hold one scalar or one pointer.
//!
//! A scalar's bits are those of [`Literal::to_bits`], with zeros above its width, so that two cells
//! of one dtype are equal exactly when their bits are. What a cell means is decided by the
//! instruction that reads it; validation made sure that they agree.

use half::f16;
use num_complex::{Complex32, Complex64};

use crate::literal::Literal;

/// One register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::interpret) struct Cell {
    /// The low 64 bits: every scalar but `complex128` fits here.
    pub(in crate::interpret) low: u64,
    /// The high 64 bits: the imaginary part of a `complex128`, the memory a pointer points into.
    pub(in crate::interpret) high: u64,
}

impl Cell {
    /// A cell whose high half is empty.
    pub(in crate::interpret) const fn new(low: u64) -> Self {
        Self { low, high: 0 }
    }
}

impl From<Literal> for Cell {
    fn from(literal: Literal) -> Self {
        let bits = literal.to_bits();
        Self {
            low: bits as u64,
            high: (bits >> 64) as u64,
        }
    }
}

/// A Rust type that represents a dtype.
pub(in crate::interpret) trait Scalar: Copy {
    /// The number in a cell.
    fn from_cell(cell: Cell) -> Self;
    /// The cell of a number.
    fn to_cell(self) -> Cell;
}

macro_rules! integer_cells {
    ($($integer:ty, $unsigned:ty;)*) => {$(
        impl Scalar for $integer {
            #[inline]
            fn from_cell(cell: Cell) -> Self {
                cell.low as $integer
            }
            #[inline]
            fn to_cell(self) -> Cell {
                Cell::new(self as $unsigned as u64)
            }
        }
    )*};
}

integer_cells! {
    i8, u8;
    i16, u16;
    i32, u32;
    i64, u64;
    u8, u8;
    u16, u16;
    u32, u32;
    u64, u64;
}

macro_rules! float_cells {
    ($($float:ty, $bits:ty;)*) => {$(
        impl Scalar for $float {
            #[inline]
            fn from_cell(cell: Cell) -> Self {
                <$float>::from_bits(cell.low as $bits)
            }
            #[inline]
            fn to_cell(self) -> Cell {
                Cell::new(u64::from(self.to_bits()))
            }
        }
    )*};
}

float_cells! {
    f16, u16;
    f32, u32;
    f64, u64;
}

impl Scalar for bool {
    #[inline]
    fn from_cell(cell: Cell) -> Self {
        cell.low != 0
    }
    #[inline]
    fn to_cell(self) -> Cell {
        Cell::new(u64::from(self))
    }
}

impl Scalar for Complex32 {
    #[inline]
    fn from_cell(cell: Cell) -> Self {
        let (real, imaginary) = (cell.low as u32, (cell.low >> 32) as u32);
        Self::new(f32::from_bits(real), f32::from_bits(imaginary))
    }
    #[inline]
    fn to_cell(self) -> Cell {
        Cell::new(u64::from(self.re.to_bits()) | (u64::from(self.im.to_bits()) << 32))
    }
}

impl Scalar for Complex64 {
    #[inline]
    fn from_cell(cell: Cell) -> Self {
        Self::new(f64::from_bits(cell.low), f64::from_bits(cell.high))
    }
    #[inline]
    fn to_cell(self) -> Cell {
        Cell {
            low: self.re.to_bits(),
            high: self.im.to_bits(),
        }
    }
}
