//! Which function computes an operator for a dtype.

use half::f16;
use num_complex::{Complex32, Complex64};

use super::cell::{Cell, Scalar};
use super::complex::{self, ComplexNumber};
use super::float::{self, Float};
use super::integer::Integer;
use super::{BinaryFunction, UnaryFunction};
use crate::dtype::DType;
use crate::expression::{BinaryOperator, UnaryOperator};
use crate::literal::Literal;
use crate::statement::CombineOperator;

/// What computes an operator with one operand; `None` if it does not take the dtype.
pub(in crate::interpret) fn unary(operator: UnaryOperator, dtype: DType) -> Option<UnaryFunction> {
    match dtype {
        DType::Bool => match operator {
            UnaryOperator::Not => Some(|x| (!bool::from_cell(x)).to_cell()),
            _ => None,
        },
        DType::I8 => integer_unary::<i8>(operator),
        DType::I16 => integer_unary::<i16>(operator),
        DType::I32 => integer_unary::<i32>(operator),
        DType::I64 => integer_unary::<i64>(operator),
        DType::U8 => integer_unary::<u8>(operator),
        DType::U16 => integer_unary::<u16>(operator),
        DType::U32 => integer_unary::<u32>(operator),
        DType::U64 => integer_unary::<u64>(operator),
        DType::F16 => float_unary::<f16>(operator),
        DType::F32 => float_unary::<f32>(operator),
        DType::F64 => float_unary::<f64>(operator),
        DType::C64 => complex_unary::<Complex32>(operator),
        DType::C128 => complex_unary::<Complex64>(operator),
    }
}

/// What computes an operator with two operands; `None` if it does not take the dtype.
pub(in crate::interpret) fn binary(
    operator: BinaryOperator,
    dtype: DType,
) -> Option<BinaryFunction> {
    match dtype {
        DType::Bool => bool_binary(operator),
        DType::I8 => integer_binary::<i8>(operator),
        DType::I16 => integer_binary::<i16>(operator),
        DType::I32 => integer_binary::<i32>(operator),
        DType::I64 => integer_binary::<i64>(operator),
        DType::U8 => integer_binary::<u8>(operator),
        DType::U16 => integer_binary::<u16>(operator),
        DType::U32 => integer_binary::<u32>(operator),
        DType::U64 => integer_binary::<u64>(operator),
        DType::F16 => float_binary::<f16>(operator),
        DType::F32 => float_binary::<f32>(operator),
        DType::F64 => float_binary::<f64>(operator),
        DType::C64 => complex_binary::<Complex32>(operator),
        DType::C128 => complex_binary::<Complex64>(operator),
    }
}

/// A complex number from two parts of the given dtype.
pub(in crate::interpret) fn complex_from_parts(part: DType) -> Option<BinaryFunction> {
    fn join<T: ComplexNumber>(real: Cell, imaginary: Cell) -> Cell {
        T::from_parts(Scalar::from_cell(real), Scalar::from_cell(imaginary)).to_cell()
    }
    match part {
        DType::F32 => Some(join::<Complex32>),
        DType::F64 => Some(join::<Complex64>),
        _ => None,
    }
}

/// What a combination starts from; `None` if the operator does not take the dtype.
pub(in crate::interpret) fn identity(operator: CombineOperator, dtype: DType) -> Option<Cell> {
    fn limits<T: Integer>() -> (Cell, Cell) {
        (T::LARGEST.to_cell(), T::SMALLEST.to_cell())
    }
    fn infinities<T: Float>() -> (Cell, Cell) {
        (T::INFINITY.to_cell(), T::NEGATIVE_INFINITY.to_cell())
    }
    operator.binary().result(dtype)?;
    let extremes = || match dtype {
        DType::I8 => Some(limits::<i8>()),
        DType::I16 => Some(limits::<i16>()),
        DType::I32 => Some(limits::<i32>()),
        DType::I64 => Some(limits::<i64>()),
        DType::U8 => Some(limits::<u8>()),
        DType::U16 => Some(limits::<u16>()),
        DType::U32 => Some(limits::<u32>()),
        DType::U64 => Some(limits::<u64>()),
        DType::F16 => Some(infinities::<f16>()),
        DType::F32 => Some(infinities::<f32>()),
        DType::F64 => Some(infinities::<f64>()),
        DType::Bool | DType::C64 | DType::C128 => None,
    };
    match operator {
        CombineOperator::Add | CombineOperator::BitOr | CombineOperator::BitXor => {
            Some(Literal::zero(dtype).into())
        }
        CombineOperator::Multiply => Some(Literal::one(dtype).into()),
        CombineOperator::Minimum => extremes().map(|(largest, _)| largest),
        CombineOperator::Maximum => extremes().map(|(_, smallest)| smallest),
        CombineOperator::BitAnd if dtype.is_bool() => Some(true.to_cell()),
        CombineOperator::BitAnd => unary(UnaryOperator::Not, dtype).map(|not| not(Cell::default())),
    }
}

fn integer_unary<T: Integer>(operator: UnaryOperator) -> Option<UnaryFunction> {
    Some(match operator {
        UnaryOperator::Negate => |x| T::from_cell(x).negate().to_cell(),
        UnaryOperator::Not => |x| T::from_cell(x).not().to_cell(),
        UnaryOperator::Abs => |x| T::from_cell(x).absolute().to_cell(),
        UnaryOperator::PopCount => |x| T::from_cell(x).pop_count().to_cell(),
        UnaryOperator::LeadingZeros => |x| Integer::leading_zeros(T::from_cell(x)).to_cell(),
        _ => return None,
    })
}

fn float_unary<T: Float>(operator: UnaryOperator) -> Option<UnaryFunction> {
    Some(match operator {
        UnaryOperator::Negate => |x| T::from_cell(x).negate().to_cell(),
        UnaryOperator::Abs => |x| T::from_cell(x).absolute().to_cell(),
        UnaryOperator::IsNan => |x| T::from_cell(x).is_nan().to_cell(),
        UnaryOperator::IsInf => |x| T::from_cell(x).is_infinite().to_cell(),
        UnaryOperator::IsFinite => |x| T::from_cell(x).is_finite().to_cell(),
        UnaryOperator::SignBit => |x| T::from_cell(x).sign_bit().to_cell(),
        _ => return None,
    })
}

fn complex_unary<T: ComplexNumber>(operator: UnaryOperator) -> Option<UnaryFunction> {
    Some(match operator {
        UnaryOperator::Negate => |x| {
            let (real, imaginary) = T::from_cell(x).parts();
            T::from_parts(real.negate(), imaginary.negate()).to_cell()
        },
        UnaryOperator::Conjugate => |x| {
            let (real, imaginary) = T::from_cell(x).parts();
            T::from_parts(real, imaginary.negate()).to_cell()
        },
        UnaryOperator::Abs => |x| complex::absolute(T::from_cell(x)).to_cell(),
        UnaryOperator::Real => |x| T::from_cell(x).parts().0.to_cell(),
        UnaryOperator::Imaginary => |x| T::from_cell(x).parts().1.to_cell(),
        _ => return None,
    })
}

fn bool_binary(operator: BinaryOperator) -> Option<BinaryFunction> {
    Some(match operator {
        BinaryOperator::BitAnd => |x, y| (bool::from_cell(x) & bool::from_cell(y)).to_cell(),
        BinaryOperator::BitOr => |x, y| (bool::from_cell(x) | bool::from_cell(y)).to_cell(),
        BinaryOperator::BitXor | BinaryOperator::NotEqual => {
            |x, y| (bool::from_cell(x) ^ bool::from_cell(y)).to_cell()
        }
        BinaryOperator::Equal => |x, y| (bool::from_cell(x) == bool::from_cell(y)).to_cell(),
        _ => return None,
    })
}

/// The bodies of two-operand functions: how `x` and `y` of type `$scalar` are combined.
macro_rules! combine {
    ($scalar:ty, |$x:ident, $y:ident| $body:expr) => {
        |left: Cell, right: Cell| {
            let ($x, $y) = (<$scalar>::from_cell(left), <$scalar>::from_cell(right));
            Scalar::to_cell($body)
        }
    };
}

fn integer_binary<T: Integer>(operator: BinaryOperator) -> Option<BinaryFunction> {
    Some(match operator {
        BinaryOperator::Add => combine!(T, |x, y| x.add(y)),
        BinaryOperator::Subtract => combine!(T, |x, y| x.subtract(y)),
        BinaryOperator::Multiply => combine!(T, |x, y| x.multiply(y)),
        BinaryOperator::Divide => return None,
        BinaryOperator::FloorDivide => combine!(T, |x, y| x.floor_divide(y)),
        BinaryOperator::Modulo => combine!(T, |x, y| x.modulo(y)),
        BinaryOperator::TruncatingDivide => combine!(T, |x, y| x.truncating_divide(y)),
        BinaryOperator::TruncatingRemainder => combine!(T, |x, y| x.truncating_remainder(y)),
        BinaryOperator::Power => combine!(T, |x, y| x.power(y)),
        BinaryOperator::Minimum => combine!(T, |x, y| x.min(y)),
        BinaryOperator::Maximum => combine!(T, |x, y| x.max(y)),
        BinaryOperator::BitAnd => combine!(T, |x, y| x.and(y)),
        BinaryOperator::BitOr => combine!(T, |x, y| x.or(y)),
        BinaryOperator::BitXor => combine!(T, |x, y| x.xor(y)),
        BinaryOperator::ShiftLeft => combine!(T, |x, y| x.shift_left(y)),
        BinaryOperator::ShiftRight => combine!(T, |x, y| x.shift_right(y)),
        BinaryOperator::Equal => combine!(T, |x, y| x == y),
        BinaryOperator::NotEqual => combine!(T, |x, y| x != y),
        BinaryOperator::Less => combine!(T, |x, y| x < y),
        BinaryOperator::LessEqual => combine!(T, |x, y| x <= y),
        BinaryOperator::Greater => combine!(T, |x, y| x > y),
        BinaryOperator::GreaterEqual => combine!(T, |x, y| x >= y),
    })
}

fn float_binary<T: Float>(operator: BinaryOperator) -> Option<BinaryFunction> {
    Some(match operator {
        BinaryOperator::Add => combine!(T, |x, y| x.add(y)),
        BinaryOperator::Subtract => combine!(T, |x, y| x.subtract(y)),
        BinaryOperator::Multiply => combine!(T, |x, y| x.multiply(y)),
        BinaryOperator::Divide => combine!(T, |x, y| x.divide(y)),
        BinaryOperator::FloorDivide => combine!(T, |x, y| x.floor_divide(y)),
        BinaryOperator::Modulo => combine!(T, |x, y| x.modulo(y)),
        BinaryOperator::Power => {
            combine!(T, |x, y| T::from_f64(libm::pow(x.to_f64(), y.to_f64())))
        }
        BinaryOperator::Minimum => combine!(T, |x, y| float::minimum(x, y)),
        BinaryOperator::Maximum => combine!(T, |x, y| float::maximum(x, y)),
        BinaryOperator::Equal => combine!(T, |x, y| x == y),
        BinaryOperator::NotEqual => combine!(T, |x, y| x != y),
        BinaryOperator::Less => combine!(T, |x, y| x < y),
        BinaryOperator::LessEqual => combine!(T, |x, y| x <= y),
        BinaryOperator::Greater => combine!(T, |x, y| x > y),
        BinaryOperator::GreaterEqual => combine!(T, |x, y| x >= y),
        BinaryOperator::TruncatingDivide
        | BinaryOperator::TruncatingRemainder
        | BinaryOperator::BitAnd
        | BinaryOperator::BitOr
        | BinaryOperator::BitXor
        | BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight => return None,
    })
}

fn complex_binary<T: ComplexNumber>(operator: BinaryOperator) -> Option<BinaryFunction> {
    Some(match operator {
        BinaryOperator::Add => combine!(T, |x, y| complex::add(x, y)),
        BinaryOperator::Subtract => combine!(T, |x, y| complex::subtract(x, y)),
        BinaryOperator::Multiply => combine!(T, |x, y| complex::multiply(x, y)),
        BinaryOperator::Divide => combine!(T, |x, y| complex::divide(x, y)),
        BinaryOperator::Power => combine!(T, |x, y| complex::power(x, y)),
        BinaryOperator::Equal => combine!(T, |x, y| x.parts() == y.parts()),
        BinaryOperator::NotEqual => combine!(T, |x, y| x.parts() != y.parts()),
        _ => return None,
    })
}
