//! `float16` by way of `float32`.
//!
//! Sums, differences, products, quotients and square roots of `float16` computed in `float32` and
//! rounded are correctly rounded, because `float32` has more than twice the bits. Comparisons and
//! changes of sign are exact. Mathematical functions are defined to be computed this way.

use super::statements::FunctionLowering;
use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathFunction, UnaryOperator};
use crate::literal::Literal;

impl FunctionLowering<'_> {
    fn widen(&mut self, operand: Handle<Expression>) -> Handle<Expression> {
        self.f.cast(operand, DType::F32)
    }

    /// Rounds a `float32` result back; a `bool` stays as it is.
    fn narrow(&mut self, result: Handle<Expression>) -> Handle<Expression> {
        match self.f.dtype_of(result) {
            DType::F32 => self.f.cast(result, DType::F16),
            _ => result,
        }
    }

    pub(super) fn half_unary(
        &mut self,
        operator: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Handle<Expression> {
        let operand = self.widen(operand);
        let result = self.f.unary(operator, operand);
        self.narrow(result)
    }

    pub(super) fn half_binary(
        &mut self,
        operator: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        let (left, right) = (self.widen(left), self.widen(right));
        let result = self.float_binary(operator, left, right);
        self.narrow(result)
    }

    pub(super) fn half_math(
        &mut self,
        function: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Handle<Expression> {
        if function == MathFunction::Nextafter {
            return self.half_nextafter(arguments[0], arguments[1]);
        }
        let arguments: Vec<_> = arguments.iter().map(|&item| self.widen(item)).collect();
        let result = self.float_math(function, &arguments);
        self.narrow(result)
    }

    /// The neighbour is one step in the order of the bits, which `float32` cannot see.
    fn half_nextafter(
        &mut self,
        from: Handle<Expression>,
        towards: Handle<Expression>,
    ) -> Handle<Expression> {
        let (from, towards) = (self.share(from), self.share(towards));
        let x = self.widen(from);
        let x = self.share(x);
        let y = self.widen(towards);
        let y = self.share(y);
        let zero = self.f.literal(Literal::F32(0.0));
        let bits = Expression::Bitcast {
            operand: from,
            to: DType::U16,
        };
        let bits = self.f.expression(bits);
        let bits = self.share(bits);

        // Away from zero the bits grow, towards zero they shrink.
        let one = self.f.literal(Literal::U16(1));
        let rises = self.f.binary(BinaryOperator::Greater, y, x);
        let is_positive = self.f.binary(BinaryOperator::Greater, x, zero);
        let grows = self.f.binary(BinaryOperator::Equal, rises, is_positive);
        let grown = self.f.add(bits, one);
        let shrunk = self.f.binary(BinaryOperator::Subtract, bits, one);
        let stepped = self.f.select(grows, grown, shrunk);

        // From zero the step is to the smallest number with the sign of the direction.
        let (positive, negative) = (Literal::U16(0x0001), Literal::U16(0x8001));
        let (positive, negative) = (self.f.literal(positive), self.f.literal(negative));
        let upwards = self.f.binary(BinaryOperator::Greater, y, zero);
        let smallest = self.f.select(upwards, positive, negative);
        let is_zero = self.f.binary(BinaryOperator::Equal, x, zero);
        let stepped = self.f.select(is_zero, smallest, stepped);
        let stepped = self.f.expression(Expression::Bitcast {
            operand: stepped,
            to: DType::F16,
        });

        // Equal arguments give the second, and a NaN gives NaN, which the sum makes.
        let sum = self.f.add(x, y);
        let sum = self.narrow(sum);
        let is_equal = self.f.binary(BinaryOperator::Equal, x, y);
        let ordered = [x, y].map(|item| self.f.binary(BinaryOperator::Equal, item, item));
        let ordered = self
            .f
            .binary(BinaryOperator::BitAnd, ordered[0], ordered[1]);
        let moved = self.f.select(is_equal, towards, stepped);
        self.f.select(ordered, moved, sum)
    }

    /// A cast to `float16` from something that is not `float16`, rounded once.
    pub(super) fn cast_to_half(
        &mut self,
        operand: Handle<Expression>,
        from: DType,
    ) -> Handle<Expression> {
        let single = if from == DType::F64 {
            self.round_to_odd(operand)
        } else {
            // Integers that `float32` would round are infinite as `float16` either way.
            self.f.cast(operand, DType::F32)
        };
        self.f.cast(single, DType::F16)
    }

    /// A `float64` as `float32`, where an inexact result has an odd last bit.
    ///
    /// Rounding to nearest twice can be wrong: the first rounding may make a tie for the second. An
    /// odd last bit remembers that something was cut off, so no false tie arises.
    fn round_to_odd(&mut self, wide: Handle<Expression>) -> Handle<Expression> {
        let wide = self.share(wide);
        let nearest = self.f.cast(wide, DType::F32);
        let nearest = self.share(nearest);
        let back = self.f.cast(nearest, DType::F64);
        let back = self.share(back);
        let bits = self.f.expression(Expression::Bitcast {
            operand: nearest,
            to: DType::U32,
        });
        let bits = self.share(bits);
        let one = self.f.literal(Literal::U32(1));
        let zero = self.f.literal(Literal::U32(0));

        let inexact = self.f.binary(BinaryOperator::NotEqual, back, wide);
        // NaN differs from itself, but has nothing to round.
        let is_number = self.f.binary(BinaryOperator::Equal, wide, wide);
        let inexact = self.f.binary(BinaryOperator::BitAnd, inexact, is_number);
        let last_bit = self.f.binary(BinaryOperator::BitAnd, bits, one);
        let is_even = self.f.binary(BinaryOperator::Equal, last_bit, zero);
        let adjusts = self.f.binary(BinaryOperator::BitAnd, inexact, is_even);

        let magnitudes = [back, wide].map(|item| self.f.unary(UnaryOperator::Abs, item));
        let too_small = self
            .f
            .binary(BinaryOperator::Less, magnitudes[0], magnitudes[1]);
        let larger = self.f.add(bits, one);
        let smaller = self.f.binary(BinaryOperator::Subtract, bits, one);
        let odd = self.f.select(too_small, larger, smaller);
        let odd = self.f.select(adjusts, odd, bits);
        self.f.expression(Expression::Bitcast {
            operand: odd,
            to: DType::F32,
        })
    }
}
