//! How the arguments of a call become the parameters of a compiled kernel.
//!
//! A kernel's IR takes scalars and pointers only. An array argument `x` of `n` dimensions becomes, in
//! this order:
//!
//! | IR parameter            | type                | present                                         |
//! |-------------------------|---------------------|-------------------------------------------------|
//! | `x`                     | global pointer      | always; points at element `[0, ..., 0]`         |
//! | `x_shape_0 … x_shape_n` | `int64`             | those that the kernel uses                      |
//! | `x_stride_0 …`          | `int64`, in elements| those it uses; only for [`Layout::Strided`]     |
//!
//! Local memory sized at launch is passed the same way, as a local pointer and the parts of its shape.
//! A scalar argument is one IR parameter of its dtype, and an index object ([`ItemType`]) is none: what
//! it tells is known to the device. Arguments keep the order of the Python function. A launcher walks [`ParameterPlan::parameters`] and passes what each entry asks for; it
//! need not know anything else about the kernel.

use std::fmt;

use situ_ir::DType;

/// How an array's elements lie in memory, as far as compiled code depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// Without gaps, last dimension fastest: strides follow from the shape.
    Contiguous,
    /// Any strides, negative and zero included.
    Strided,
}

/// What a kernel is called with, as far as compiled code depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArgumentType {
    /// An array.
    Array {
        /// What its elements are.
        dtype: DType,
        /// How many dimensions it has, 0 included.
        ndim: usize,
        /// How they lie in memory.
        layout: Layout,
    },
    /// Memory of a work-group, sized at launch.
    Local {
        /// What its elements are.
        dtype: DType,
        /// How many dimensions it has.
        ndim: usize,
    },
    /// A number.
    Scalar(DType),
    /// The index object that a launch gives to the first parameter.
    Item(ItemType),
}

/// An index object: the place of a work-item in the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemType {
    /// Dimensions of the range, 1 to 3.
    pub dims: u8,
    /// Whether it knows work-groups (`NdItem`) or only the range (`Item`).
    pub has_groups: bool,
}

impl ItemType {
    /// The name of its class.
    pub fn class_name(self) -> &'static str {
        if self.has_groups { "NdItem" } else { "Item" }
    }
}

impl fmt::Display for ArgumentType {
    /// As Numba writes types: `float64[:, :]`, `float32[:] strided`, `int64`, `NdItem[2]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array {
                dtype,
                ndim,
                layout,
            } => {
                let axes = axes_text(*ndim);
                let layout = match layout {
                    Layout::Contiguous => "",
                    Layout::Strided => " strided",
                };
                write!(f, "{dtype}[{axes}]{layout}")
            }
            Self::Local { dtype, ndim } => write!(f, "local {dtype}[{}]", axes_text(*ndim)),
            Self::Scalar(dtype) => write!(f, "{dtype}"),
            Self::Item(item) => write!(f, "{}[{}]", item.class_name(), item.dims),
        }
    }
}

/// One colon for each axis.
fn axes_text(ndim: usize) -> String {
    match ndim {
        0 => "()".to_owned(),
        ndim => vec![":"; ndim].join(", "),
    }
}

/// What one IR parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlannedParameter {
    /// Which argument of the Python function it comes from.
    pub argument: usize,
    /// Which part of that argument.
    pub part: ArgumentPart,
}

/// A part of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentPart {
    /// The number itself, in the dtype of the argument type.
    Scalar,
    /// The address of the array's element `[0, ..., 0]`.
    Pointer,
    /// The array's size along an axis (`int64`).
    Shape(usize),
    /// The array's stride along an axis, in elements (`int64`).
    Stride(usize),
}

/// The IR parameters of a kernel in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterPlan {
    /// One entry for each IR parameter.
    pub parameters: Vec<PlannedParameter>,
}
