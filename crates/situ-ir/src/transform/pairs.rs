//! Complex numbers as pairs of reals.
//!
//! The formulas are the ones the IR's law gives: products and quotients as written there,
//! comparisons of both parts. The formulas of functions are in [`super::complex_math`].

use std::cell::RefCell;

use super::complex_math::{self, Pair};
use super::draft::Draft;
use super::statements::FunctionLowering;
use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathFunction, UnaryOperator};
use crate::literal::Literal;
use crate::module::Function;
use crate::statement::StatementKind;
use crate::types::{AddressSpace, Type};

/// What an expression of the source became.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
    /// A real number or a pointer.
    One(Handle<Expression>),
    /// The parts of a complex number.
    Pair(Handle<Expression>, Handle<Expression>),
}

impl Term {
    /// The expression of a term that is not complex.
    pub(super) fn one(self) -> Handle<Expression> {
        debug_assert!(matches!(self, Self::One(_)), "a real number was expected");
        self.parts().next().expect("a term has one or two parts")
    }

    /// The real and imaginary part of a complex number.
    pub(super) fn pair(self) -> (Handle<Expression>, Handle<Expression>) {
        debug_assert!(
            matches!(self, Self::Pair(..)),
            "a complex number was expected"
        );
        match self {
            Self::One(expression) => (expression, expression),
            Self::Pair(real, imaginary) => (real, imaginary),
        }
    }

    /// One or two expressions.
    pub(super) fn parts(self) -> impl Iterator<Item = Handle<Expression>> {
        let (first, second) = match self {
            Self::One(expression) => (expression, None),
            Self::Pair(real, imaginary) => (real, Some(imaginary)),
        };
        std::iter::once(first).chain(second)
    }
}

impl FunctionLowering<'_> {
    /// The positions of both parts of a complex element, counted in reals.
    pub(super) fn part_indices(
        &mut self,
        index: Handle<Expression>,
    ) -> (Handle<Expression>, Handle<Expression>) {
        let real = self.doubled(index);
        let real = self.share(real);
        let one = self.f.index(1);
        let imaginary = self.f.add(real, one);
        (real, imaginary)
    }

    pub(super) fn doubled(&mut self, index: Handle<Expression>) -> Handle<Expression> {
        let two = self.f.index(2);
        self.f.multiply(index, two)
    }

    pub(super) fn complex_literal(&mut self, literal: Literal) -> Term {
        let (real, imaginary) = match literal {
            Literal::C64(value) => (Literal::F32(value.re), Literal::F32(value.im)),
            Literal::C128(value) => (Literal::F64(value.re), Literal::F64(value.im)),
            real => return Term::One(self.f.literal(real)),
        };
        Term::Pair(self.f.literal(real), self.f.literal(imaginary))
    }

    pub(super) fn complex_unary(&mut self, operator: UnaryOperator, operand: Term) -> Term {
        let (real, imaginary) = operand.pair();
        match operator {
            UnaryOperator::Real => Term::One(real),
            UnaryOperator::Imaginary => Term::One(imaginary),
            UnaryOperator::Abs => Term::One(self.f.math(MathFunction::Hypot, &[real, imaginary])),
            UnaryOperator::Conjugate => {
                Term::Pair(real, self.f.unary(UnaryOperator::Negate, imaginary))
            }
            // `Negate`; the others do not take complex operands.
            _ => Term::Pair(
                self.f.unary(operator, real),
                self.f.unary(operator, imaginary),
            ),
        }
    }

    pub(super) fn complex_binary(
        &mut self,
        operator: BinaryOperator,
        left: Term,
        right: Term,
    ) -> Term {
        let ((a, b), (c, d)) = (left.pair(), right.pair());
        match operator {
            BinaryOperator::Multiply => self.complex_product(left, right),
            BinaryOperator::Divide => self.complex_quotient(left, right),
            BinaryOperator::Power => self.complex_power(left, right),
            BinaryOperator::Equal | BinaryOperator::NotEqual => {
                let real = self.f.binary(operator, a, c);
                let imaginary = self.f.binary(operator, b, d);
                let join = if operator == BinaryOperator::Equal {
                    BinaryOperator::BitAnd
                } else {
                    BinaryOperator::BitOr
                };
                Term::One(self.f.binary(join, real, imaginary))
            }
            // `Add` and `Subtract`; the others do not take complex operands.
            _ => Term::Pair(self.f.binary(operator, a, c), self.f.binary(operator, b, d)),
        }
    }

    /// `(ac - bd) + (ad + bc)i`.
    pub(super) fn complex_product(&mut self, left: Term, right: Term) -> Term {
        let (a, b) = self.share_term(left).pair();
        let (c, d) = self.share_term(right).pair();
        let (ac, bd) = (self.f.multiply(a, c), self.f.multiply(b, d));
        let (ad, bc) = (self.f.multiply(a, d), self.f.multiply(b, c));
        Term::Pair(
            self.f.binary(BinaryOperator::Subtract, ac, bd),
            self.f.add(ad, bc),
        )
    }

    fn complex_quotient(&mut self, left: Term, right: Term) -> Term {
        self.formula([left, right], |[x, y]| complex_math::divide(x, y))
    }

    fn complex_power(&mut self, left: Term, right: Term) -> Term {
        self.formula([left, right], |[base, exponent]| {
            complex_math::power(base, exponent)
        })
    }

    /// A mathematical function of complex numbers.
    pub(super) fn complex_math(&mut self, function: MathFunction, argument: Term) -> Term {
        self.formula([argument], |[z]| {
            complex_math::apply(function, z).expect("validated functions take complex numbers")
        })
    }

    /// Writes a formula down before the present statement.
    fn formula<const N: usize>(
        &mut self,
        arguments: [Term; N],
        write: impl for<'a> FnOnce([Pair<Draft<'a>>; N]) -> Pair<Draft<'a>>,
    ) -> Term {
        let page = RefCell::new(&mut self.f);
        let arguments = arguments.map(|term| {
            let (real, imaginary) = term.pair();
            Pair::new(Draft::new(&page, real), Draft::new(&page, imaginary))
        });
        let result = write(arguments);
        Term::Pair(result.re.expression(), result.im.expression())
    }

    /// A complex number as another dtype.
    pub(super) fn complex_cast(&mut self, operand: Term, to: DType) -> Term {
        let (real, imaginary) = operand.pair();
        if to.is_complex() {
            return Term::Pair(
                self.f.cast(real, to.real()),
                self.f.cast(imaginary, to.real()),
            );
        }
        if to.is_bool() {
            let parts = [real, imaginary].map(|part| self.f.cast(part, DType::Bool));
            return Term::One(self.f.binary(BinaryOperator::BitOr, parts[0], parts[1]));
        }
        let from = self.f.dtype_of(real);
        Term::One(self.real_cast(real, from, to))
    }

    /// Calls a lowered function that stores a complex result; `part` is the type of its parts.
    pub(super) fn call_complex(
        &mut self,
        function: Handle<Function>,
        mut arguments: Vec<Handle<Expression>>,
        part: Type,
    ) -> Term {
        let (Type::Scalar(dtype) | Type::Pointer { element: dtype, .. }) = part;
        let result = self.f.array("result", dtype, 2, AddressSpace::Private);
        arguments.push(result);
        self.f.statement(StatementKind::Call {
            function,
            arguments,
            result: None,
        });
        let (zero, one) = (self.f.index(0), self.f.index(1));
        Term::Pair(self.f.load(result, zero), self.f.load(result, one))
    }
}
