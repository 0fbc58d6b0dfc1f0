//! Rewriting one expression whose operands were rewritten already.
//!
//! Each kind of node is sent to the file that knows its dtype: [`super::integers`],
//! [`super::floats`],
//! [`super::half_floats`] or [`super::pairs`]. What is core already is copied.

use super::LoweredParameter;
use super::pairs::Term;
use super::statements::{FunctionLowering, Parts};
use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathFunction, UnaryOperator};
use crate::literal::Literal;
use crate::types::Type;

impl FunctionLowering<'_> {
    /// Lowers an expression of the source.
    pub(super) fn expression(&mut self, handle: Handle<Expression>) -> Term {
        match &self.source.expressions[handle] {
            Expression::Literal(literal) => self.complex_literal(*literal),
            Expression::Parameter(position) => self.parameter(*position),
            Expression::Value(value) => self.parts(self.values[value.index()], Expression::Value),
            Expression::Variable(variable) => {
                self.parts(self.variables[variable.index()], Expression::Variable)
            }
            Expression::Array(array) => {
                let array = self.arrays[array.index()];
                Term::One(self.f.expression(Expression::Array(array)))
            }
            query @ Expression::WorkItem(_) => Term::One(self.f.expression(query.clone())),
            Expression::Unary { operator, operand } => {
                let dtype = self.source_dtype(*operand);
                self.unary(*operator, dtype, self.term(*operand))
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                let dtype = self.source_dtype(*left);
                self.binary(*operator, dtype, self.term(*left), self.term(*right))
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let condition = self.term(*condition).one();
                self.select(condition, self.term(*accept), self.term(*reject))
            }
            Expression::Cast { operand, to } => {
                let from = self.source_dtype(*operand);
                self.cast(self.term(*operand), from, *to)
            }
            Expression::Bitcast { operand, to } => {
                let (operand, to) = (self.term(*operand).one(), *to);
                Term::One(self.f.expression(Expression::Bitcast { operand, to }))
            }
            Expression::Math {
                function,
                arguments,
            } => {
                let dtype = self.source_dtype(handle);
                let arguments: Vec<_> = arguments.iter().map(|&item| self.term(item)).collect();
                self.math(*function, dtype, &arguments)
            }
            Expression::Complex { real, imaginary } => {
                Term::Pair(self.term(*real).one(), self.term(*imaginary).one())
            }
            Expression::Load { pointer, index } => {
                let element = self.source_dtype(*pointer);
                let (pointer, index) = (self.term(*pointer).one(), self.term(*index).one());
                self.load(element, pointer, index)
            }
            Expression::Offset { pointer, index } => {
                let element = self.source_dtype(*pointer);
                let (pointer, mut index) = (self.term(*pointer).one(), self.term(*index).one());
                if element.is_complex() {
                    index = self.doubled(index);
                }
                Term::One(self.f.offset(pointer, index))
            }
        }
    }

    fn parameter(&mut self, position: u32) -> Term {
        match self.parameters[position as usize] {
            LoweredParameter::One(position) => {
                Term::One(self.f.expression(Expression::Parameter(position)))
            }
            LoweredParameter::Pair { real, imaginary } => Term::Pair(
                self.f.expression(Expression::Parameter(real)),
                self.f.expression(Expression::Parameter(imaginary)),
            ),
        }
    }

    fn parts<T>(&mut self, parts: Parts<T>, node: impl Fn(T) -> Expression) -> Term {
        match parts {
            Parts::One(only) => Term::One(self.f.expression(node(only))),
            Parts::Pair(real, imaginary) => Term::Pair(
                self.f.expression(node(real)),
                self.f.expression(node(imaginary)),
            ),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, dtype: DType, operand: Term) -> Term {
        if dtype.is_complex() {
            return self.complex_unary(operator, operand);
        }
        let operand = operand.one();
        Term::One(if dtype == DType::F16 {
            self.half_unary(operator, operand)
        } else {
            self.f.unary(operator, operand)
        })
    }

    fn binary(&mut self, operator: BinaryOperator, dtype: DType, left: Term, right: Term) -> Term {
        if dtype.is_complex() {
            return self.complex_binary(operator, left, right);
        }
        let (left, right) = (left.one(), right.one());
        Term::One(if dtype == DType::F16 {
            self.half_binary(operator, left, right)
        } else if dtype.is_float() {
            self.float_binary(operator, left, right)
        } else {
            self.integer_binary(operator, left, right)
        })
    }

    fn select(&mut self, condition: Handle<Expression>, accept: Term, reject: Term) -> Term {
        match (accept, reject) {
            (Term::Pair(..), _) => {
                let condition = self.share(condition);
                let ((a, b), (c, d)) = (accept.pair(), reject.pair());
                Term::Pair(
                    self.f.select(condition, a, c),
                    self.f.select(condition, b, d),
                )
            }
            (Term::One(_), _) => Term::One(self.f.select(condition, accept.one(), reject.one())),
        }
    }

    fn cast(&mut self, operand: Term, from: DType, to: DType) -> Term {
        if from.is_complex() {
            self.complex_cast(operand, to)
        } else if to.is_complex() {
            let real = self.real_cast(operand.one(), from, to.real());
            let zero = self.f.literal(Literal::zero(to.real()));
            Term::Pair(real, zero)
        } else {
            Term::One(self.real_cast(operand.one(), from, to))
        }
    }

    /// A cast between dtypes that are not complex.
    pub(super) fn real_cast(
        &mut self,
        operand: Handle<Expression>,
        from: DType,
        to: DType,
    ) -> Handle<Expression> {
        match (from, to) {
            (from, to) if from == to => operand,
            (DType::F16, to) => {
                let single = self.f.cast(operand, DType::F32);
                self.f.cast(single, to)
            }
            (from, DType::F16) => self.cast_to_half(operand, from),
            _ => self.f.cast(operand, to),
        }
    }

    fn math(&mut self, function: MathFunction, dtype: DType, arguments: &[Term]) -> Term {
        if dtype.is_complex() {
            return self.complex_math(function, arguments[0]);
        }
        let arguments: Vec<_> = arguments.iter().map(|term| term.one()).collect();
        Term::One(if dtype == DType::F16 {
            self.half_math(function, &arguments)
        } else {
            self.float_math(function, &arguments)
        })
    }

    fn load(
        &mut self,
        element: DType,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Term {
        if !element.is_complex() {
            return Term::One(self.f.load(pointer, index));
        }
        let pointer = self.share(pointer);
        let (real, imaginary) = self.part_indices(index);
        Term::Pair(self.f.load(pointer, real), self.f.load(pointer, imaginary))
    }

    /// A constant of the dtype of an expression.
    pub(super) fn constant_like(
        &mut self,
        expression: Handle<Expression>,
        value: f64,
    ) -> Handle<Expression> {
        let dtype = match self.f.type_of(expression) {
            Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => dtype,
        };
        self.f.literal(Literal::from_f64(dtype, value))
    }
}
