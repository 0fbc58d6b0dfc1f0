//! What NumPy's functions do with numbers that are not floats.
//!
//! `np.floor` of an integer is that integer, `np.fmod` of integers is their remainder, `np.rint` of a complex number
//! rounds both parts. Python's functions of the same names know none of this: `math.fmod` is of floats.

use situ_ir::{BinaryOperator as Ir, DType, Literal, MathFunction, Span, UnaryOperator as IrUnary};

use crate::infer::Inference;
use crate::infer::expressions::cast;
use crate::infer::operators::{ir_binary, ir_unary};
use crate::infer::rounding::choice;
use crate::infer::value::Number;
use crate::syntax::{BinaryOperator, Constant};
use crate::typed::{Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    /// A function of floats as NumPy has it.
    pub(super) fn numpy_math(
        &mut self,
        function: MathFunction,
        numbers: Vec<Number>,
        span: Span,
    ) -> Option<Number> {
        match numbers.as_slice() {
            [number] => {
                let (dtype, number) = (self.own_dtype(number), number.clone());
                let is_whole = dtype.is_bool() || dtype.is_integer();
                match function {
                    MathFunction::Floor | MathFunction::Ceil | MathFunction::Trunc if is_whole => {
                        return Some(number);
                    }
                    MathFunction::Rint if dtype.is_complex() => {
                        let number = self.with_dtype(number, span)?;
                        return Some(Number::Typed(self.rounded_parts(number, span)));
                    }
                    MathFunction::Exp2 if dtype.is_complex() => {
                        let factor = Number::Constant(Constant::Float(std::f64::consts::LN_2));
                        let power = self.binary(BinaryOperator::Multiply, number, factor, span)?;
                        return self.math(MathFunction::Exp, vec![power], span);
                    }
                    _ => {}
                }
            }
            [left, right] => {
                let dtype = self.common_dtype(left, right);
                let (left, right) = (left.clone(), right.clone());
                match function {
                    MathFunction::Fmin if !dtype.is_float() => {
                        return self.numpy_extremum(Ir::Minimum, left, right, span);
                    }
                    MathFunction::Fmax if !dtype.is_float() => {
                        return self.numpy_extremum(Ir::Maximum, left, right, span);
                    }
                    MathFunction::Fmod if dtype.is_bool() || dtype.is_integer() => {
                        let dtype = whole(dtype);
                        return self.ir_binary(Ir::TruncatingRemainder, left, right, dtype, span);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.math(function, numbers, span)
    }

    /// `np.reciprocal`: of integers rounded towards zero.
    pub(super) fn reciprocal(&mut self, number: Number, span: Span) -> Option<Number> {
        let dtype = self.own_dtype(&number);
        let one = Number::Constant(Constant::Int(1));
        if dtype.is_bool() || dtype.is_integer() {
            return self.ir_binary(Ir::TruncatingDivide, one, number, whole(dtype), span);
        }
        self.binary(BinaryOperator::Divide, one, number, span)
    }

    /// `np.sign`: -1, 0 or 1 in the number's dtype, NaN for NaN; of a complex number the one of magnitude one in its
    /// direction.
    pub(super) fn sign(&mut self, number: Number, span: Span) -> Option<Number> {
        let value = self.with_dtype(number, span)?;
        if value.dtype.is_complex() {
            return Some(Number::Typed(self.direction(value, span)));
        }
        let value = if value.dtype.is_bool() {
            cast(value, DType::I64)
        } else {
            value
        };
        let dtype = value.dtype;
        let sign = self.with_shared(value, |_, value| {
            let constant = |number| Expression::literal(Literal::from_f64(dtype, number), span);
            let zero = constant(0.0);
            let mut result = zero.clone();
            if dtype.is_float() {
                let is_zero = ir_binary(Ir::Equal, value.clone(), zero.clone(), span);
                result = choice(is_zero, result, value.clone());
            }
            if !dtype.is_unsigned() {
                let is_negative = ir_binary(Ir::Less, value.clone(), zero.clone(), span);
                result = choice(is_negative, constant(-1.0), result);
            }
            let is_positive = ir_binary(Ir::Greater, value, zero, span);
            choice(is_positive, constant(1.0), result)
        });
        Some(Number::Typed(sign))
    }

    /// The complex number of magnitude one that points in the same direction; 0 for 0.
    fn direction(&mut self, value: Expression, span: Span) -> Expression {
        let real = value.dtype.real();
        let constant = move |number| Expression::literal(Literal::from_f64(real, number), span);
        self.with_shared(value, |this, value| {
            let magnitude = ir_unary(IrUnary::Abs, value.clone(), span);
            this.with_shared(magnitude, |_, magnitude| {
                let share = |part: Expression| {
                    // Of infinite parts only the sign counts; two of them have no direction.
                    let sign = ExpressionKind::Math {
                        function: MathFunction::Copysign,
                        arguments: vec![constant(1.0), part.clone()],
                    };
                    let sign = Expression::new(sign, real, span);
                    let is_infinite = ir_unary(IrUnary::IsInf, part.clone(), span);
                    let of_infinite = choice(is_infinite, sign, constant(0.0));
                    let of_finite = ir_binary(Ir::Divide, part.clone(), magnitude.clone(), span);
                    let is_infinite = ir_unary(IrUnary::IsInf, magnitude.clone(), span);
                    let share = choice(is_infinite, of_infinite, of_finite);
                    let is_zero = ir_binary(Ir::Equal, magnitude.clone(), constant(0.0), span);
                    choice(is_zero, constant(0.0), share)
                };
                let parts = [IrUnary::Real, IrUnary::Imaginary]
                    .map(|part| ir_unary(part, value.clone(), span));
                let [both_are_infinite, other_is_infinite] = parts
                    .clone()
                    .map(|part| ir_unary(IrUnary::IsInf, part, span));
                let both_are_infinite =
                    ir_binary(Ir::BitAnd, both_are_infinite, other_is_infinite, span);
                let [real, imaginary] = parts.map(|part| {
                    let nan = constant(f64::NAN);
                    choice(both_are_infinite.clone(), nan, share(part))
                });
                complex(real, imaginary, value.dtype, span)
            })
        })
    }

    /// Both parts of a complex number rounded to even.
    fn rounded_parts(&mut self, value: Expression, span: Span) -> Expression {
        self.with_shared(value, |_, value| {
            let [real, imaginary] = [IrUnary::Real, IrUnary::Imaginary].map(|part| {
                let part = ir_unary(part, value.clone(), span);
                let dtype = part.dtype;
                let rounded = ExpressionKind::Math {
                    function: MathFunction::Rint,
                    arguments: vec![part],
                };
                Expression::new(rounded, dtype, span)
            });
            complex(real, imaginary, value.dtype, span)
        })
    }
}

/// The dtype in which integers are computed: booleans count.
fn whole(dtype: DType) -> DType {
    if dtype.is_bool() { DType::I64 } else { dtype }
}

fn complex(real: Expression, imaginary: Expression, dtype: DType, span: Span) -> Expression {
    let kind = ExpressionKind::Complex {
        real: Box::new(real),
        imaginary: Box::new(imaginary),
    };
    Expression::new(kind, dtype, span)
}
