//! A number in each lane, and a place in memory for each lane.

use situ_ir::DType;

use super::shape::Shape;
use crate::llvm::code::Code;
use crate::llvm::types::LaneType;
use crate::llvm::types::scalar_type;
use crate::llvm::writer::Operand;

/// The numbers of all lanes, kept as cheaply as their shape allows.
#[derive(Clone, Debug)]
pub(super) enum Lanes {
    /// The number of every lane.
    Uniform(Operand),
    /// The first lane's number, and from one lane to the next.
    Linear(Operand, i64),
    /// A vector.
    Varying(Operand),
    /// A vector, each of its 64-bit integers so much larger than the one before as is known at run time.
    Strided(Operand, Progression),
}

/// The first lane's number, and from one lane to the next: 64-bit integers that wrap.
#[derive(Clone, Debug)]
pub(super) struct Progression {
    pub(super) first: Operand,
    pub(super) step: Operand,
}

impl Progression {
    /// Sums, or differences, of the numbers of each lane.
    pub(super) fn combined(&self, code: &mut Code<'_, '_>, operation: &str, other: &Self) -> Self {
        Self {
            first: code.binary(operation, &self.first, &other.first),
            step: code.binary(operation, &self.step, &other.step),
        }
    }

    /// Products with a number that all lanes share.
    pub(super) fn times(&self, code: &mut Code<'_, '_>, factor: &Operand) -> Self {
        Self {
            first: code.binary("mul i64", &self.first, factor),
            step: code.binary("mul i64", &self.step, factor),
        }
    }

    /// The number of each lane, from first to last.
    pub(super) fn numbers(&self, code: &mut Code<'_, '_>, lanes: u32) -> Vec<Operand> {
        let mut number = self.first.clone();
        let mut numbers = vec![number.clone()];
        for _ in 1..lanes {
            number = code.binary("add i64", &number, &self.step);
            numbers.push(number.clone());
        }
        numbers
    }
}

impl Lanes {
    /// Numbers of a shape, by a scalar or a vector as the shape asks for.
    pub(super) fn new(shape: Shape, operand: Operand) -> Self {
        match shape {
            Shape::Uniform => Self::Uniform(operand),
            Shape::Linear(stride) => Self::Linear(operand, stride),
            Shape::Varying => Self::Varying(operand),
        }
    }

    /// How they relate.
    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::Uniform(_) => Shape::Uniform,
            Self::Linear(_, stride) => Shape::Linear(*stride),
            Self::Varying(_) | Self::Strided(..) => Shape::Varying,
        }
    }

    /// How they follow each other, if it is known; of 64-bit integers only.
    pub(super) fn progression(&self) -> Option<Progression> {
        match self {
            Self::Uniform(number) => Some(Progression {
                first: number.clone(),
                step: Operand::integer(0),
            }),
            Self::Linear(first, stride) => Some(Progression {
                first: first.clone(),
                step: Operand::integer(*stride),
            }),
            Self::Strided(_, progression) => Some(progression.clone()),
            Self::Varying(_) => None,
        }
    }

    /// The scalar or vector that they are kept as.
    pub(super) fn operand(&self) -> &Operand {
        match self {
            Self::Uniform(operand)
            | Self::Linear(operand, _)
            | Self::Varying(operand)
            | Self::Strided(operand, _) => operand,
        }
    }

    /// They as a vector.
    pub(super) fn vector(&self, code: &mut Code<'_, '_>, dtype: DType, lanes: u32) -> Operand {
        match self {
            Self::Varying(vector) | Self::Strided(vector, _) => vector.clone(),
            Self::Uniform(number) => broadcast(code, dtype, number, lanes),
            Self::Linear(first, stride) => {
                let firsts = broadcast(code, dtype, first, lanes);
                let ty = vector_type(dtype, lanes);
                let steps = lane_numbers(ty, *stride);
                code.binary(&format!("add {ty}"), &firsts, &steps)
            }
        }
    }
}

/// A place in memory for each lane: an element counted from an address that all lanes share.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) base: Operand,
    pub(super) index: Lanes,
}

/// What an expression is in all lanes.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Number(Lanes),
    Pointer(Address),
}

impl Term {
    /// How the lanes relate.
    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::Number(lanes) => lanes.shape(),
            Self::Pointer(address) => address.index.shape(),
        }
    }
}

/// The type of a vector of numbers.
pub(super) fn vector_type(dtype: DType, lanes: u32) -> LaneType {
    LaneType {
        scalar: scalar_type(dtype),
        lanes,
    }
}

/// `0`, `stride`, `2 * stride` and so on.
pub(super) fn lane_numbers(ty: LaneType, stride: i64) -> Operand {
    let numbers: Vec<_> = (0..i64::from(ty.lanes))
        .map(|lane| format!("{} {}", ty.scalar, lane.wrapping_mul(stride)))
        .collect();
    Operand::new(format!("<{}>", numbers.join(", ")))
}

/// A vector with one number in all lanes.
fn broadcast(code: &mut Code<'_, '_>, dtype: DType, number: &Operand, lanes: u32) -> Operand {
    let ty = vector_type(dtype, lanes);
    if !number.is_register() {
        return ty.constant(number);
    }
    let first = code.instruction(format_args!(
        "insertelement {ty} poison, {} {number}, i64 0",
        ty.scalar
    ));
    code.instruction(format_args!(
        "shufflevector {ty} {first}, {ty} poison, <{lanes} x i32> zeroinitializer"
    ))
}
