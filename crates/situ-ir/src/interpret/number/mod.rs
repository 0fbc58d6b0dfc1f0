//! Numbers: what every operator, function and cast computes, for every dtype.
//!
//! The law is the crate's documentation; this is its executable form. The functions here work on
//! [`Literal`]s, for constant folding and tests; the interpreter asks once for the function of an
//! operator and a dtype and then calls it on its registers.

mod cast;
mod cell;
mod complex;
mod complex_math;
mod float;
mod integer;
mod math;
mod operator;
#[cfg(test)]
mod tests;

pub(super) use cast::cast as cast_function;
pub(super) use cell::{Cell, Scalar};
pub(super) use math::{MathCall, math as math_function};
pub(super) use operator::{
    binary as binary_function, complex_from_parts, identity, unary as unary_function,
};

use crate::dtype::DType;
use crate::expression::{BinaryOperator, MathFunction, UnaryOperator};
use crate::literal::Literal;

/// What computes an operator with one operand.
pub(super) type UnaryFunction = fn(Cell) -> Cell;
/// What computes an operator with two operands.
pub(super) type BinaryFunction = fn(Cell, Cell) -> Cell;
/// What computes a function of three arguments.
pub(super) type TernaryFunction = fn(Cell, Cell, Cell) -> Cell;

fn literal(dtype: DType, cell: Cell) -> Literal {
    Literal::from_bits(dtype, u128::from(cell.low) | (u128::from(cell.high) << 64))
}

/// Applies an operator to one operand; `None` if it does not take the dtype.
pub fn unary(operator: UnaryOperator, operand: Literal) -> Option<Literal> {
    let dtype = operand.dtype();
    let result = operator.result(dtype)?;
    let function = operator::unary(operator, dtype)?;
    Some(literal(result, function(operand.into())))
}

/// Applies an operator to two operands; `None` if it does not take their dtypes.
pub fn binary(operator: BinaryOperator, left: Literal, right: Literal) -> Option<Literal> {
    let dtype = left.dtype();
    if right.dtype() != dtype {
        return None;
    }
    let result = operator.result(dtype)?;
    let function = operator::binary(operator, dtype)?;
    Some(literal(result, function(left.into(), right.into())))
}

/// Applies a mathematical function; `None` if it does not take such arguments.
pub fn math(function: MathFunction, arguments: &[Literal]) -> Option<Literal> {
    let dtype = arguments.first()?.dtype();
    if arguments.len() != function.arity() || arguments.iter().any(|x| x.dtype() != dtype) {
        return None;
    }
    let argument = |position: usize| Cell::from(arguments[position]);
    let cell = match math::math(function, dtype)? {
        MathCall::Unary(call) => call(argument(0)),
        MathCall::Binary(call) => call(argument(0), argument(1)),
        MathCall::Ternary(call) => call(argument(0), argument(1), argument(2)),
    };
    Some(literal(dtype, cell))
}

/// Converts a number to a dtype.
pub fn cast(operand: Literal, to: DType) -> Literal {
    literal(to, cast::cast(operand.dtype(), to)(operand.into()))
}
