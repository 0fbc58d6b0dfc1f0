//! `float32` and `float64` operators that machines do not have: floor division and modulo as NumPy
//! defines them, and the reciprocal square root as two rounded operations.

use super::statements::FunctionLowering;
use crate::arena::Handle;
use crate::expression::{BinaryOperator, Expression, MathFunction};

/// What floor division and modulo have in common.
struct Division {
    /// The dividend and the divisor.
    x: Handle<Expression>,
    y: Handle<Expression>,
    /// C's remainder, with the sign of the dividend.
    remainder: Handle<Expression>,
    /// Whether the remainder must move by the divisor to get the divisor's sign.
    moves: Handle<Expression>,
}

impl FunctionLowering<'_> {
    /// Lowers an operator of two `float32` or two `float64`.
    pub(super) fn float_binary(
        &mut self,
        operator: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        match operator {
            BinaryOperator::FloorDivide => self.float_floor_divide(left, right),
            BinaryOperator::Modulo => self.float_modulo(left, right),
            _ => self.f.binary(operator, left, right),
        }
    }

    /// Lowers a mathematical function of `float32` or `float64`.
    pub(super) fn float_math(
        &mut self,
        function: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Handle<Expression> {
        match function {
            MathFunction::Rsqrt => {
                let one = self.constant_like(arguments[0], 1.0);
                let root = self.f.math(MathFunction::Sqrt, arguments);
                self.f.binary(BinaryOperator::Divide, one, root)
            }
            _ => self.f.math(function, arguments),
        }
    }

    fn divide_with_remainder(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Division {
        let (x, y) = (self.share(left), self.share(right));
        let remainder = self.f.math(MathFunction::Fmod, &[x, y]);
        let remainder = self.share(remainder);
        let zero = self.constant_like(x, 0.0);
        let inexact = self.f.binary(BinaryOperator::NotEqual, remainder, zero);
        let divisor_sign = self.f.binary(BinaryOperator::Less, y, zero);
        let remainder_sign = self.f.binary(BinaryOperator::Less, remainder, zero);
        let differ = self
            .f
            .binary(BinaryOperator::BitXor, divisor_sign, remainder_sign);
        let moves = self.f.binary(BinaryOperator::BitAnd, inexact, differ);
        Division {
            x,
            y,
            remainder,
            moves,
        }
    }

    fn float_modulo(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        let Division {
            y,
            remainder,
            moves,
            ..
        } = self.divide_with_remainder(left, right);
        let moved = self.f.add(remainder, y);
        let modulo = self.f.select(moves, moved, remainder);
        // A divisor of zero needs no care: `fmod` gave NaN and NaN it stays.
        let zero = self.constant_like(y, 0.0);
        let is_zero = self.f.binary(BinaryOperator::Equal, remainder, zero);
        let signed_zero = self.f.math(MathFunction::Copysign, &[zero, y]);
        self.f.select(is_zero, signed_zero, modulo)
    }

    fn float_floor_divide(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        let Division {
            x,
            y,
            remainder,
            moves,
        } = self.divide_with_remainder(left, right);
        let zero = self.constant_like(x, 0.0);
        let one = self.constant_like(x, 1.0);
        let half = self.constant_like(x, 0.5);

        let multiple = self.f.binary(BinaryOperator::Subtract, x, remainder);
        let quotient = self.f.binary(BinaryOperator::Divide, multiple, y);
        let quotient = self.share(quotient);
        let lowered = self.f.binary(BinaryOperator::Subtract, quotient, one);
        let quotient = self.f.select(moves, lowered, quotient);
        let quotient = self.share(quotient);

        // The division may have been inexact; the true quotient is the nearest integer.
        let floor = self.f.math(MathFunction::Floor, &[quotient]);
        let floor = self.share(floor);
        let fraction = self.f.binary(BinaryOperator::Subtract, quotient, floor);
        let nearer_above = self.f.binary(BinaryOperator::Greater, fraction, half);
        let above = self.f.add(floor, one);
        let snapped = self.f.select(nearer_above, above, floor);

        let ratio = self.f.binary(BinaryOperator::Divide, x, y);
        let ratio = self.share(ratio);
        let is_zero = self.f.binary(BinaryOperator::Equal, quotient, zero);
        let signed_zero = self.f.math(MathFunction::Copysign, &[zero, ratio]);
        let result = self.f.select(is_zero, signed_zero, snapped);
        let divisor_is_zero = self.f.binary(BinaryOperator::Equal, y, zero);
        self.f.select(divisor_is_zero, ratio, result)
    }
}
