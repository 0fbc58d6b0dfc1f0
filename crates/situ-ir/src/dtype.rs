//! Element types.
//!
//! One enum for the whole product: array elements, kernel scalars and Python dtypes are all
//! [`DType`]. Names are NumPy's.

use std::fmt;

/// The type of one element or scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    /// `bool`, one byte, 0 or 1.
    Bool,
    /// `int8`.
    I8,
    /// `int16`.
    I16,
    /// `int32`.
    I32,
    /// `int64`.
    I64,
    /// `uint8`.
    U8,
    /// `uint16`.
    U16,
    /// `uint32`.
    U32,
    /// `uint64`.
    U64,
    /// `float16`, IEEE binary16.
    F16,
    /// `float32`, IEEE binary32.
    F32,
    /// `float64`, IEEE binary64.
    F64,
    /// `complex64`, two `float32`.
    C64,
    /// `complex128`, two `float64`.
    C128,
}

/// The families that type rules speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DTypeKind {
    /// `bool`.
    Bool,
    /// `int8` … `int64`.
    Signed,
    /// `uint8` … `uint64`.
    Unsigned,
    /// `float16` … `float64`.
    Float,
    /// `complex64`, `complex128`.
    Complex,
}

impl DType {
    /// Every dtype, in declaration order.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::C64,
        Self::C128,
    ];

    /// NumPy's name, for example `"float64"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::C64 => "complex64",
            Self::C128 => "complex128",
        }
    }

    /// The dtype with NumPy's name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// The short name used in the IR's text format, for example `"f64"`.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
            Self::C128 => "c128",
        }
    }

    /// The dtype with the text format's name.
    pub fn from_short_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|dtype| dtype.short_name() == name)
    }

    /// Bytes of one element.
    pub fn size_bytes(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
        }
    }

    /// Bytes an element's address is a multiple of: the size of its real part for complex numbers.
    pub fn align_bytes(self) -> usize {
        self.real().size_bytes()
    }

    /// Bits of one element.
    pub fn bits(self) -> u32 {
        self.size_bytes() as u32 * 8
    }

    /// The family.
    pub fn kind(self) -> DTypeKind {
        match self {
            Self::Bool => DTypeKind::Bool,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => DTypeKind::Signed,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => DTypeKind::Unsigned,
            Self::F16 | Self::F32 | Self::F64 => DTypeKind::Float,
            Self::C64 | Self::C128 => DTypeKind::Complex,
        }
    }

    /// Whether this is `bool`.
    pub fn is_bool(self) -> bool {
        self == Self::Bool
    }

    /// Whether this is a signed integer.
    pub fn is_signed(self) -> bool {
        self.kind() == DTypeKind::Signed
    }

    /// Whether this is an unsigned integer.
    pub fn is_unsigned(self) -> bool {
        self.kind() == DTypeKind::Unsigned
    }

    /// Whether this is an integer; `bool` is not.
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether this is a real floating-point type.
    pub fn is_float(self) -> bool {
        self.kind() == DTypeKind::Float
    }

    /// Whether this is a complex type.
    pub fn is_complex(self) -> bool {
        self.kind() == DTypeKind::Complex
    }

    /// The type of a complex number's parts; every other type is its own.
    #[must_use]
    pub fn real(self) -> Self {
        match self {
            Self::C64 => Self::F32,
            Self::C128 => Self::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
