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
//! A scalar argument is one IR parameter of its dtype. Arguments keep the order of the Python
//! function. A launcher walks [`ParameterPlan::parameters`] and passes what each entry asks for; it
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
    /// A number.
    Scalar(DType),
}

impl fmt::Display for ArgumentType {
    /// As Numba writes types: `float64[:, :]`, `float32[:] strided`, `int64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array {
                dtype,
                ndim,
                layout,
            } => {
                let axes = vec![":"; *ndim].join(", ");
                let axes = if *ndim == 0 { "()" } else { &axes };
                let layout = match layout {
                    Layout::Contiguous => "",
                    Layout::Strided => " strided",
                };
                write!(f, "{dtype}[{axes}]{layout}")
            }
            Self::Scalar(dtype) => write!(f, "{dtype}"),
        }
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
