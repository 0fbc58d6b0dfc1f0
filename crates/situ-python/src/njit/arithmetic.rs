//! Arithmetic of single numbers between array operations, where compiling would take longer than it ever saves.
//!
//! The operations are those of the IR's interpreter, so they mean what compiled code means. Only the everyday dtypes are
//! here; everything else is compiled.

use situ_frontend::syntax::{BinaryOperator, ComparisonOperator};
use situ_ir::interpret::number;
use situ_ir::{BinaryOperator as Ir, DType, UnaryOperator};

use super::value::Number;

/// `left operator right`; `None` if it is not done here.
pub(super) fn binary(operator: BinaryOperator, left: Number, right: Number) -> Option<Number> {
    let common = common(left, right)?;
    let is_float = common == DType::F64;
    let (operator, dtype) = match operator {
        BinaryOperator::Add => (Ir::Add, common),
        BinaryOperator::Subtract => (Ir::Subtract, common),
        BinaryOperator::Multiply => (Ir::Multiply, common),
        BinaryOperator::Divide => (Ir::Divide, DType::F64),
        BinaryOperator::FloorDivide => (Ir::FloorDivide, common),
        BinaryOperator::Modulo => (Ir::Modulo, common),
        BinaryOperator::Power if is_float => (Ir::Power, common),
        _ => return None,
    };
    combined(operator, dtype, left, right)
}

/// `left operator right`, a bool; `None` if it is not done here.
pub(super) fn compare(operator: ComparisonOperator, left: Number, right: Number) -> Option<Number> {
    let operator = match operator {
        ComparisonOperator::Equal => Ir::Equal,
        ComparisonOperator::NotEqual => Ir::NotEqual,
        ComparisonOperator::Less => Ir::Less,
        ComparisonOperator::LessEqual => Ir::LessEqual,
        ComparisonOperator::Greater => Ir::Greater,
        ComparisonOperator::GreaterEqual => Ir::GreaterEqual,
    };
    combined(operator, common(left, right)?, left, right)
}

/// `-operand`; `None` if it is not done here.
pub(super) fn negated(operand: Number) -> Option<Number> {
    let dtype = operand.literal.dtype();
    if !matches!(dtype, DType::I64 | DType::F64) {
        return None;
    }
    let literal = number::unary(UnaryOperator::Negate, operand.literal)?;
    Some(Number { literal, ..operand })
}

fn combined(operator: Ir, dtype: DType, left: Number, right: Number) -> Option<Number> {
    let is_written = left.is_written && right.is_written;
    let (left, right) = (
        number::cast(left.literal, dtype),
        number::cast(right.literal, dtype),
    );
    let literal = number::binary(operator, left, right)?;
    Some(Number {
        is_written,
        ..Number::computed(literal)
    })
}

/// The dtype that two everyday numbers meet in.
fn common(left: Number, right: Number) -> Option<DType> {
    match (left.literal.dtype(), right.literal.dtype()) {
        (DType::I64, DType::I64) => Some(DType::I64),
        (DType::F64 | DType::I64, DType::F64) | (DType::F64, DType::I64) => Some(DType::F64),
        _ => None,
    }
}
