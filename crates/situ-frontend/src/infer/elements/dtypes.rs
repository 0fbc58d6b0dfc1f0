//! The dtypes in which array operations are computed: those of the array library.

use situ_ir::{DType, Span, promotion};

use super::{Operand, Operation};
use crate::infer::Inference;
use crate::infer::library::LibraryFunction;
use crate::infer::value::Number;
use crate::syntax::{BinaryOperator, Constant, UnaryOperator};

impl Inference<'_, '_, '_> {
    /// The dtype that each operand is converted to; `None`, and reported, if the operation is not written out.
    pub(super) fn operand_dtypes(
        &mut self,
        operation: Operation,
        operands: &[Operand],
        span: Span,
    ) -> Option<Vec<DType>> {
        // A condition is asked for its truth only.
        if let (Operation::Call(LibraryFunction::Where), [condition, values @ ..]) =
            (operation, operands)
        {
            let condition = self.operand_dtype(condition);
            let common = self.common_operand_dtype(values, span)?;
            return Some(vec![condition, common, common]);
        }
        let common = self.common_operand_dtype(operands, span)?;
        let dtype = match operation {
            Operation::Binary(operator) => self.binary_dtype(operator, common, operands),
            Operation::Unary(UnaryOperator::Not) => None,
            Operation::Unary(operator) => unary_dtype(operator, common),
            Operation::Compare(_) => Some(common),
            Operation::Call(function) => self.function_dtype(function, common, operands),
        };
        if dtype.is_none() {
            let what = format!("this operation on elements of dtype {common}");
            self.not_written_out(&what, span);
        }
        dtype.map(|dtype| vec![dtype; operands.len()])
    }

    fn operand_dtype(&self, operand: &Operand) -> DType {
        match operand {
            Operand::Elements(elements) => elements.dtype,
            Operand::Number(number) => self.own_dtype(number),
        }
    }

    /// The dtype that arrays and numbers meet in.
    pub(super) fn common_operand_dtype(
        &mut self,
        operands: &[Operand],
        span: Span,
    ) -> Option<DType> {
        let default_float = self.default_float();
        let strong = operands.iter().filter_map(|operand| match operand {
            Operand::Elements(elements) => Some(elements.dtype),
            Operand::Number(Number::Typed(typed)) if !is_weak(typed.dtype) => Some(typed.dtype),
            Operand::Number(_) => None,
        });
        let strong = strong.reduce(|one, other| promotion::promote_for(one, other, default_float));
        let mut common = strong;
        for operand in operands {
            let Operand::Number(number) = operand else {
                continue;
            };
            let kind = match number {
                Number::Constant(constant) => *constant,
                Number::Typed(typed) if is_weak(typed.dtype) => kind_of(typed.dtype),
                Number::Typed(_) => continue,
            };
            let before = common;
            common = Some(match before {
                Some(dtype) => kind.promote_with(dtype, default_float),
                None => kind.default_dtype(default_float),
            });
            // An integer that the dtype cannot hold is an error of the array library's, which is not asked here.
            let is_narrowed = matches!(number, Number::Typed(typed) if typed.dtype == DType::I64)
                && common.is_some_and(|dtype| dtype.is_integer() && dtype != DType::I64);
            if is_narrowed {
                self.not_written_out("an integer that meets an array of smaller integers", span);
                return None;
            }
        }
        common
    }

    fn binary_dtype(
        &self,
        operator: BinaryOperator,
        common: DType,
        operands: &[Operand],
    ) -> Option<DType> {
        match operator {
            BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply => {
                (!common.is_bool()).then_some(common)
            }
            BinaryOperator::Divide if common.is_integer() => Some(self.default_float()),
            BinaryOperator::Divide => (!common.is_bool()).then_some(common),
            BinaryOperator::FloorDivide | BinaryOperator::Modulo => {
                (!common.is_bool() && !common.is_complex()).then_some(common)
            }
            BinaryOperator::BitAnd | BinaryOperator::BitOr | BinaryOperator::BitXor => {
                (common.is_bool() || common.is_integer()).then_some(common)
            }
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                common.is_integer().then_some(common)
            }
            BinaryOperator::Power if common.is_integer() => {
                // The array library refuses negative exponents.
                let is_counted = matches!(
                    operands.last(),
                    Some(Operand::Number(Number::Constant(Constant::Int(0..))))
                );
                is_counted.then_some(common)
            }
            BinaryOperator::Power => (common.is_float() || common.is_complex()).then_some(common),
            BinaryOperator::MatrixMultiply => None,
        }
    }

    fn function_dtype(
        &self,
        function: LibraryFunction,
        common: DType,
        operands: &[Operand],
    ) -> Option<DType> {
        let of_floats = || {
            // Of narrow integers the array library makes narrow floats.
            let is_wide = common.is_integer() && common.size_bytes() >= 4;
            match common {
                dtype if dtype.is_float() || dtype.is_complex() => Some(dtype),
                _ if is_wide => Some(self.default_float()),
                _ => None,
            }
        };
        let number = (!common.is_bool()).then_some(common);
        match function {
            LibraryFunction::Binary(operator) => self.binary_dtype(operator, common, operands),
            LibraryFunction::Math(_) | LibraryFunction::FloatAbs | LibraryFunction::Scale(_) => {
                of_floats()
            }
            LibraryFunction::NumPyMath(_)
            | LibraryFunction::Reciprocal
            | LibraryFunction::RoundToDigits => {
                (common.is_float() || common.is_complex()).then_some(common)
            }
            LibraryFunction::FloatTest(_) => common.is_float().then_some(common),
            LibraryFunction::Abs
            | LibraryFunction::Square
            | LibraryFunction::Negative
            | LibraryFunction::Positive
            | LibraryFunction::Clip => number,
            LibraryFunction::Sign => (common.is_float() || common.is_signed()).then_some(common),
            LibraryFunction::Minimum | LibraryFunction::Maximum => {
                (!common.is_complex()).then_some(common)
            }
            LibraryFunction::Invert => (common.is_bool() || common.is_integer()).then_some(common),
            LibraryFunction::LogicalNot
            | LibraryFunction::LogicalAnd
            | LibraryFunction::LogicalOr
            | LibraryFunction::LogicalXor
            | LibraryFunction::Real
            | LibraryFunction::Imaginary
            | LibraryFunction::Conjugate
            | LibraryFunction::Compare(_) => Some(common),
            _ => None,
        }
    }
}

/// Whether a number of this dtype takes that of the arrays it meets: whether Python has such numbers.
fn is_weak(dtype: DType) -> bool {
    matches!(dtype, DType::Bool | DType::I64 | DType::F64 | DType::C128)
}

/// A Python number of the kind that a dtype has.
fn kind_of(dtype: DType) -> Constant {
    match dtype {
        DType::Bool => Constant::Bool(false),
        DType::F64 => Constant::Float(0.0),
        DType::C128 => Constant::Complex(0.0, 0.0),
        _ => Constant::Int(0),
    }
}

fn unary_dtype(operator: UnaryOperator, common: DType) -> Option<DType> {
    match operator {
        UnaryOperator::Negate | UnaryOperator::Plus => (!common.is_bool()).then_some(common),
        UnaryOperator::Invert => (common.is_bool() || common.is_integer()).then_some(common),
        UnaryOperator::Not => None,
    }
}
