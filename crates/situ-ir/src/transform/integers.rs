//! Integer operators that machines do not have: floor division, Python's modulo, powers.

use super::library::LibraryFunction;
use super::statements::FunctionLowering;
use crate::arena::Handle;
use crate::expression::{BinaryOperator, Expression};
use crate::literal::Literal;
use crate::statement::StatementKind;

/// Exponents up to here become multiplications in place; larger ones are rare and call a loop.
const LARGEST_UNROLLED_EXPONENT: u128 = 16;

impl FunctionLowering<'_> {
    /// Lowers an operator of two integers or two `bool`s.
    pub(super) fn integer_binary(
        &mut self,
        operator: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        match operator {
            BinaryOperator::FloorDivide => self.integer_floor_divide(left, right),
            BinaryOperator::Modulo => self.integer_modulo(left, right),
            BinaryOperator::Power => self.integer_power(left, right),
            _ => self.f.binary(operator, left, right),
        }
    }

    fn integer_floor_divide(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        if self.f.dtype_of(left).is_unsigned() {
            return self.f.binary(BinaryOperator::TruncatingDivide, left, right);
        }
        let (left, right) = (self.share(left), self.share(right));
        let quotient = self.f.binary(BinaryOperator::TruncatingDivide, left, right);
        let quotient = self.share(quotient);
        let remainder = self
            .f
            .binary(BinaryOperator::TruncatingRemainder, left, right);
        let remainder = self.share(remainder);
        let rounded_up = self.signs_differ(remainder, right);
        let one = self.constant_like(left, 1.0);
        let lowered = self.f.binary(BinaryOperator::Subtract, quotient, one);
        self.f.select(rounded_up, lowered, quotient)
    }

    fn integer_modulo(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        if self.f.dtype_of(left).is_unsigned() {
            return self
                .f
                .binary(BinaryOperator::TruncatingRemainder, left, right);
        }
        let right = self.share(right);
        let remainder = self
            .f
            .binary(BinaryOperator::TruncatingRemainder, left, right);
        let remainder = self.share(remainder);
        let rounded_up = self.signs_differ(remainder, right);
        let moved = self.f.add(remainder, right);
        self.f.select(rounded_up, moved, remainder)
    }

    /// Whether a remainder is not zero and has another sign than the divisor: then the quotient was
    /// negative and rounding towards zero rounded it up.
    fn signs_differ(
        &mut self,
        remainder: Handle<Expression>,
        divisor: Handle<Expression>,
    ) -> Handle<Expression> {
        let zero = self.constant_like(divisor, 0.0);
        let inexact = self.f.binary(BinaryOperator::NotEqual, remainder, zero);
        let signs = self.f.binary(BinaryOperator::BitXor, remainder, divisor);
        let differ = self.f.binary(BinaryOperator::Less, signs, zero);
        self.f.binary(BinaryOperator::BitAnd, inexact, differ)
    }

    fn integer_power(
        &mut self,
        base: Handle<Expression>,
        exponent: Handle<Expression>,
    ) -> Handle<Expression> {
        if let Expression::Literal(literal) = self.f.function().expressions[exponent]
            && literal.to_bits() <= LARGEST_UNROLLED_EXPONENT
        {
            return self.unrolled_power(base, literal.to_bits());
        }
        let dtype = self.f.dtype_of(base);
        let function = self.library.function(LibraryFunction::IntegerPower(dtype));
        let value = self.f.value("power", dtype.into());
        self.f.statement(StatementKind::Call {
            function,
            arguments: vec![base, exponent],
            result: Some(value),
        });
        self.f.expression(Expression::Value(value))
    }

    /// A power with a small constant exponent, by squaring and multiplying from the highest bit on.
    fn unrolled_power(&mut self, base: Handle<Expression>, exponent: u128) -> Handle<Expression> {
        let dtype = self.f.dtype_of(base);
        if exponent == 0 {
            return self.f.literal(Literal::one(dtype));
        }
        let base = self.share(base);
        let mut power = base;
        for bit in (0..exponent.ilog2()).rev() {
            power = self.share(power);
            power = self.f.multiply(power, power);
            if exponent >> bit & 1 == 1 {
                power = self.f.multiply(power, base);
            }
        }
        power
    }
}
