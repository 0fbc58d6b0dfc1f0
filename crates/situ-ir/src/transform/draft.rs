//! Real numbers under construction: formulas over [`Draft`] become statements of a function.
//!
//! Each operation is bound to a value at once, so a draft may be used any number of times.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::complex_math::Real;
use crate::arena::Handle;
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathFunction, UnaryOperator};
use crate::literal::Literal;

/// The function that drafts are written to.
pub(super) type Page<'a> = RefCell<&'a mut FunctionBuilder>;

/// A `float32`, `float64` or `bool` that the function under construction will have computed.
#[derive(Clone, Copy)]
pub(super) struct Draft<'a> {
    page: &'a Page<'a>,
    /// A leaf, so that it can be used again.
    expression: Handle<Expression>,
}

impl<'a> Draft<'a> {
    /// Binds an expression of the function.
    pub(super) fn new(page: &'a Page<'a>, expression: Handle<Expression>) -> Self {
        let expression = {
            let mut f = page.borrow_mut();
            if super::is_leaf(&f.function().expressions[expression]) {
                expression
            } else {
                f.bind("t", expression)
            }
        };
        Self { page, expression }
    }

    /// What the draft stands for.
    pub(super) fn expression(self) -> Handle<Expression> {
        self.expression
    }

    fn write(self, write: impl FnOnce(&mut FunctionBuilder) -> Handle<Expression>) -> Self {
        let expression = write(&mut self.page.borrow_mut());
        Self::new(self.page, expression)
    }

    fn unary(self, operator: UnaryOperator) -> Self {
        self.write(|f| f.unary(operator, self.expression))
    }

    fn binary(self, operator: BinaryOperator, other: Self) -> Self {
        self.write(|f| f.binary(operator, self.expression, other.expression))
    }
}

impl Add for Draft<'_> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.binary(BinaryOperator::Add, other)
    }
}

impl Sub for Draft<'_> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.binary(BinaryOperator::Subtract, other)
    }
}

impl Mul for Draft<'_> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.binary(BinaryOperator::Multiply, other)
    }
}

impl Div for Draft<'_> {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self.binary(BinaryOperator::Divide, other)
    }
}

impl BitAnd for Draft<'_> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.binary(BinaryOperator::BitAnd, other)
    }
}

impl BitOr for Draft<'_> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.binary(BinaryOperator::BitOr, other)
    }
}

impl Neg for Draft<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.unary(UnaryOperator::Negate)
    }
}

impl Not for Draft<'_> {
    type Output = Self;

    fn not(self) -> Self {
        self.unary(UnaryOperator::Not)
    }
}

impl Real for Draft<'_> {
    type Condition = Self;

    fn choose(self, single: f64, double: f64) -> Self {
        self.write(|f| {
            let literal = match f.dtype_of(self.expression) {
                DType::F32 => Literal::F32(single as f32),
                _ => Literal::F64(double),
            };
            f.literal(literal)
        })
    }

    fn apply(self, function: MathFunction) -> Self {
        self.write(|f| f.math(function, &[self.expression]))
    }

    fn apply_with(self, function: MathFunction, second: Self) -> Self {
        self.write(|f| f.math(function, &[self.expression, second.expression]))
    }

    fn fma(self, factor: Self, summand: Self) -> Self {
        let arguments = [self, factor, summand].map(Self::expression);
        self.write(|f| f.math(MathFunction::Fma, &arguments))
    }

    fn abs(self) -> Self {
        self.unary(UnaryOperator::Abs)
    }

    fn select(condition: Self, accept: Self, reject: Self) -> Self {
        let [condition, accept_, reject] = [condition, accept, reject].map(Self::expression);
        accept.write(|f| f.select(condition, accept_, reject))
    }

    fn equals(self, other: Self) -> Self {
        self.binary(BinaryOperator::Equal, other)
    }

    fn less(self, other: Self) -> Self {
        self.binary(BinaryOperator::Less, other)
    }

    fn is_infinite(self) -> Self {
        self.unary(UnaryOperator::IsInf)
    }

    fn is_finite(self) -> Self {
        self.unary(UnaryOperator::IsFinite)
    }
}
