//! `round(x, n)`: to so many digits after the point, or before it.
//!
//! As NumPy does it: scaled by a power of ten, rounded to even, and scaled back. Python itself rounds the decimal
//! number that is written, which can differ in the last digit.

use situ_ir::{BinaryOperator as Ir, DType, Literal, MathFunction, Span, UnaryOperator};

use crate::infer::calls::Written;
use crate::infer::operators::{ir_binary, ir_unary};
use crate::infer::value::Number;
use crate::infer::{Inference, constants, problems};
use crate::syntax::Constant;
use crate::typed::{Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    /// `round(number, digits)`.
    pub(super) fn rounded_to_digits(
        &mut self,
        number: Number,
        digits: &Number,
        call: Written<'_>,
    ) -> Option<Number> {
        self.require_real(&number, call)?;
        let span = call.span;
        let Some(digits) = digits.constant().and_then(constants::as_int) else {
            self.report(problems::round_digits(span));
            return None;
        };
        let number = self.with_dtype(number, span)?;
        let rounded = match number.dtype {
            dtype if dtype.is_float() => self.float_to_digits(number, digits, span)?,
            DType::Bool => return self.rounded_integer(Number::Typed(number), digits, span),
            _ if digits >= 0 => number,
            _ => return self.rounded_integer(Number::Typed(number), digits, span),
        };
        Some(Number::Typed(rounded))
    }

    fn float_to_digits(
        &mut self,
        number: Expression,
        digits: i128,
        span: Span,
    ) -> Option<Expression> {
        let dtype = number.dtype;
        // The largest power of ten that the dtype has.
        let most = match dtype {
            DType::F16 => 4,
            DType::F32 => 38,
            _ => 308,
        };
        let exponent = digits.clamp(-most, most) as i32;
        let scale = Constant::Float(10_f64.powi(exponent.abs()));
        let scale = self.convert(Number::Constant(scale), dtype, span)?;
        let (up, down) = if digits >= 0 {
            (Ir::Multiply, Ir::Divide)
        } else {
            (Ir::Divide, Ir::Multiply)
        };
        Some(self.with_shared(number, |inference, number| {
            let scaled = ir_binary(up, number.clone(), scale.clone(), span);
            inference.with_shared(scaled, |_, scaled| {
                let rounded = ExpressionKind::Math {
                    function: MathFunction::Rint,
                    arguments: vec![scaled.clone()],
                };
                let rounded = Expression::new(rounded, dtype, span);
                let rounded = ir_binary(down, rounded, scale, span);
                // A number that is too large to be scaled has no such digits. NaN stays as it is, too.
                let is_finite = ir_unary(UnaryOperator::IsFinite, scaled, span);
                choice(is_finite, rounded, number)
            })
        }))
    }

    fn rounded_integer(&mut self, number: Number, digits: i128, span: Span) -> Option<Number> {
        let number = match number {
            Number::Typed(number) if number.dtype == DType::Bool => {
                self.convert(Number::Typed(number), DType::I64, span)?
            }
            other => self.with_dtype(other, span)?,
        };
        if digits >= 0 {
            return Some(Number::Typed(number));
        }
        let dtype = number.dtype;
        let scale = u32::try_from(-digits)
            .ok()
            .and_then(|digits| 10_i128.checked_pow(digits));
        let literal = |value: i128| Constant::Int(value).to_literal(dtype);
        let known = scale.and_then(|scale| Some((literal(scale)?, literal(scale / 2)?)));
        let (Some((scale, half)), Some(zero), Some(one)) = (known, literal(0), literal(1)) else {
            // So many digits are more than the dtype has.
            let zero = Expression::literal(Literal::zero(dtype), span);
            return Some(Number::Typed(zero));
        };
        let [scale, half, zero, one] =
            [scale, half, zero, one].map(|literal| Expression::literal(literal, span));
        let rounded = self.with_shared(number, |inference, number| {
            let quotient = ir_binary(Ir::FloorDivide, number.clone(), scale.clone(), span);
            inference.with_shared(quotient, |_, quotient| {
                let below = ir_binary(Ir::Multiply, quotient.clone(), scale.clone(), span);
                let rest = ir_binary(Ir::Subtract, number, below.clone(), span);
                let is_more = ir_binary(Ir::Greater, rest.clone(), half.clone(), span);
                let is_half = ir_binary(Ir::Equal, rest, half, span);
                let last_bit = ir_binary(Ir::BitAnd, quotient, one, span);
                let is_odd = ir_binary(Ir::NotEqual, last_bit, zero, span);
                let is_tie = ir_binary(Ir::BitAnd, is_half, is_odd, span);
                let is_up = ir_binary(Ir::BitOr, is_more, is_tie, span);
                let above = ir_binary(Ir::Add, below.clone(), scale, span);
                choice(is_up, above, below)
            })
        });
        Some(Number::Typed(rounded))
    }
}

/// One of two numbers of a dtype; both are computed where neither has effects.
pub(super) fn choice(condition: Expression, accept: Expression, reject: Expression) -> Expression {
    let (dtype, span) = (accept.dtype, accept.span);
    let kind = ExpressionKind::Conditional {
        condition: Box::new(condition),
        accept: Box::new(accept),
        reject: Box::new(reject),
    };
    Expression::new(kind, dtype, span)
}
