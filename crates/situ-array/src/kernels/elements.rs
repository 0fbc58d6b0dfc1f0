//! What a reduction combines: elements in memory, or what an expression makes of elements of several operands.
//!
//! Operands that lie alike share a *place*: the position of their elements, counted from their own first ones. The
//! first place is the one that the walk was chosen for, and moves as the walk says; others have strides of their own.

use situ_ir::{AddressSpace, DType, Expression, FunctionBuilder, Handle, Type};
use smallvec::SmallVec;

use super::MapBody;
use crate::loop_nest::StrideClass;

/// How an operand of the expression reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementOperand {
    /// Elements in memory.
    Memory {
        /// What they are.
        dtype: DType,
        /// Which place they are at.
        place: u8,
    },
    /// One number, passed by value.
    Scalar {
        /// What it is.
        dtype: DType,
    },
}

/// How a place moves that is not the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moves {
    /// In a step of the reduced loop.
    pub step: StrideClass,
    /// From a column to the next; only for walks that have columns.
    pub column: StrideClass,
}

/// What the loads of a reduce kernel are specialised for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementsShape {
    /// The operands of the expression.
    pub operands: SmallVec<[ElementOperand; 4]>,
    /// How places move, but the first.
    pub moves: SmallVec<[Moves; 2]>,
    /// Whether the elements of a block are all made before they are combined.
    pub is_buffered: bool,
}

impl ElementsShape {
    /// For elements that are in memory as they are.
    pub fn in_memory(dtype: DType) -> Self {
        let operand = ElementOperand::Memory { dtype, place: 0 };
        Self {
            operands: SmallVec::from_elem(operand, 1),
            moves: SmallVec::new(),
            is_buffered: false,
        }
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        1 + self.moves.len()
    }

    /// Parameters for all operands.
    pub(super) fn declare(&self, f: &mut FunctionBuilder) -> SmallVec<[Handle<Expression>; 4]> {
        let declare = |(index, operand): (usize, &ElementOperand)| {
            let (kind, ty) = match *operand {
                ElementOperand::Memory { dtype, .. } => {
                    ("in", Type::pointer(dtype, AddressSpace::Global))
                }
                ElementOperand::Scalar { dtype } => ("scalar", dtype.into()),
            };
            f.parameter(format!("{kind}{index}"), ty)
        };
        self.operands.iter().enumerate().map(declare).collect()
    }
}

/// The expression that elements are made by.
#[derive(Clone, Copy)]
pub struct ElementsBody<'a> {
    /// How its operands come.
    pub shape: &'a ElementsShape,
    /// The expression; the one operand itself if there is none.
    pub body: Option<&'a MapBody<'a>>,
}

impl ElementsBody<'_> {
    /// Appends the element for operands at these positions.
    pub(super) fn element(
        &self,
        f: &mut FunctionBuilder,
        operands: &[Handle<Expression>],
        positions: &[Handle<Expression>],
    ) -> Handle<Expression> {
        let mut inputs: SmallVec<[Handle<Expression>; 4]> = SmallVec::new();
        for (index, (operand, &handle)) in self.shape.operands.iter().zip(operands).enumerate() {
            inputs.push(match operand {
                ElementOperand::Memory { place, .. } => {
                    let element = f.load(handle, positions[usize::from(*place)]);
                    match self.body {
                        None => element,
                        Some(_) => f.bind(format!("x{index}"), element),
                    }
                }
                ElementOperand::Scalar { .. } => handle,
            });
        }
        match self.body {
            None => inputs[0],
            Some(body) => body(f, &inputs),
        }
    }
}

/// A stride of a place.
#[derive(Clone, Copy)]
pub(super) enum Stride {
    /// The place stays.
    Zero,
    /// To the next element.
    One,
    /// By a number of elements.
    By(Handle<Expression>),
}

impl Stride {
    /// A stride of a class, which is a new parameter if it is not known.
    pub(super) fn declare(f: &mut FunctionBuilder, class: StrideClass, name: String) -> Self {
        match class {
            StrideClass::Broadcast => Self::Zero,
            StrideClass::Contiguous => Self::One,
            StrideClass::Strided => Self::By(f.parameter(name, Type::INDEX)),
        }
    }

    /// A stride that is known to be one, or a new parameter.
    pub(super) fn known_or_parameter(
        f: &mut FunctionBuilder,
        is_one: bool,
        name: &'static str,
    ) -> Self {
        if is_one {
            Self::One
        } else {
            Self::By(f.parameter(name, Type::INDEX))
        }
    }

    /// A position after some steps.
    pub(super) fn moved(
        self,
        f: &mut FunctionBuilder,
        from: Handle<Expression>,
        steps: Handle<Expression>,
    ) -> Handle<Expression> {
        match self {
            Self::Zero => from,
            Self::One => f.add(from, steps),
            Self::By(stride) => {
                let by = f.multiply(steps, stride);
                f.add(from, by)
            }
        }
    }
}
