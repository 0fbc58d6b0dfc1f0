//! Types of IR expressions: scalars, and pointers to scalars in an address space.

use std::fmt;

use crate::dtype::DType;

/// Which memory a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddressSpace {
    /// USM memory that every work-item of every launch can see.
    Global,
    /// Memory of one work-group, alive while the group runs.
    Local,
    /// Memory of one work-item.
    Private,
}

impl AddressSpace {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
            Self::Private => "private",
        }
    }
}

impl fmt::Display for AddressSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One number.
    Scalar(DType),
    /// The address of consecutive elements.
    Pointer {
        /// What the elements are.
        element: DType,
        /// Which memory they are in.
        space: AddressSpace,
    },
}

impl Type {
    /// The type `bool`.
    pub const BOOL: Self = Self::Scalar(DType::Bool);
    /// The type of ids, sizes and element indices.
    pub const INDEX: Self = Self::Scalar(DType::I64);

    /// A pointer type.
    pub fn pointer(element: DType, space: AddressSpace) -> Self {
        Self::Pointer { element, space }
    }

    /// The dtype if this is a scalar.
    pub fn scalar(self) -> Option<DType> {
        match self {
            Self::Scalar(dtype) => Some(dtype),
            Self::Pointer { .. } => None,
        }
    }

    /// What is pointed at, if this is a pointer.
    pub fn element(self) -> Option<DType> {
        match self {
            Self::Scalar(_) => None,
            Self::Pointer { element, .. } => Some(element),
        }
    }
}

impl From<DType> for Type {
    fn from(dtype: DType) -> Self {
        Self::Scalar(dtype)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(dtype) => f.write_str(dtype.short_name()),
            Self::Pointer { element, space } => write!(f, "{space} {}*", element.short_name()),
        }
    }
}
