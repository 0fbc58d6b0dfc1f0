//! Numbers that are made of all elements: `np.sum(row)`, `row.max()`, `a @ b`.

use std::collections::HashMap;

use situ_ir::Span;

use super::loops::{Turn, element, nested};
use super::{Called, Code, Elements, Fold, MAXIMUM, MINIMUM, Writer};
use crate::host::made_trees::{
    assignment, binary, call, compare, extent, integer, is_of_integers, substituted,
};
use crate::host::piece::{expression, identifier, named};
use crate::syntax::{
    BinaryOperator, ComparisonOperator, Constant, Expression, ExpressionKind, LogicalOperator,
    MessagePart, Statement, StatementKind,
};

impl Writer<'_> {
    /// What is folded and how, if an expression is a fold.
    pub(super) fn folded(&self, given: &Expression) -> Option<(Fold, Expression)> {
        let span = given.span;
        let dot = |left: &Expression, right: &Expression| {
            let product = binary(BinaryOperator::Multiply, left.clone(), right.clone());
            (Fold::Dot, expression(product.kind, span))
        };
        match &given.kind {
            ExpressionKind::Binary {
                operator: BinaryOperator::MatrixMultiply,
                left,
                right,
            } => Some(dot(left, right)),
            ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } if keywords.is_empty() => {
                if let ExpressionKind::Attribute { value, attribute } = &function.kind
                    && self.ndim(value).is_some_and(|ndim| ndim > 0)
                {
                    let fold = Fold::of(&attribute.name)?;
                    return match (fold, arguments.as_slice()) {
                        (Fold::Dot, [other]) => Some(dot(value, other)),
                        (Fold::Dot, _) => None,
                        (fold, []) => Some((fold, (**value).clone())),
                        _ => None,
                    };
                }
                let Called::Fold(fold) = self.meanings.called(function) else {
                    return None;
                };
                match (fold, arguments.as_slice()) {
                    (Fold::Dot, [left, right]) => Some(dot(left, right)),
                    (fold, [of]) if self.ndim(of)? > 0 && fold != Fold::Dot => {
                        Some((fold, of.clone()))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number that a fold makes of elements, by a loop before the statement that needs it.
    pub(super) fn fold(
        &mut self,
        fold: Fold,
        elements: &Elements,
        span: Span,
        code: &mut Code,
    ) -> Option<Expression> {
        let ndim = elements.ndim();
        let mut extents = Vec::with_capacity(ndim);
        for axis in 0..ndim {
            extents.push(broadcast_extent(elements, axis, ndim, span)?);
        }
        let turns = self.turns(&extents, span, code);
        let is_alone = elements.parts.len() == 1;
        let steps = self.checked_steps(elements.parts.iter(), &turns, is_alone, span, code);
        let value = element(&elements.of, &turns, &steps, span);
        let total = self.made_name();
        let old = named(&total, span);
        let (start, next) = match fold {
            Fold::Sum | Fold::Mean | Fold::Dot => (
                self.zero(elements, span),
                binary(BinaryOperator::Add, old.clone(), value),
            ),
            Fold::Product => (
                binary(
                    BinaryOperator::Add,
                    self.zero(elements, span),
                    integer(1, span),
                ),
                binary(BinaryOperator::Multiply, old.clone(), value),
            ),
            Fold::Any | Fold::All => {
                let is_all = fold == Fold::All;
                let start = expression(ExpressionKind::Constant(Constant::Bool(is_all)), span);
                let truth = compare(value, ComparisonOperator::NotEqual, integer(0, span));
                let operator = if is_all {
                    LogicalOperator::And
                } else {
                    LogicalOperator::Or
                };
                let kind = ExpressionKind::Logical {
                    operator,
                    operands: vec![old.clone(), truth],
                };
                (start, expression(kind, span))
            }
            Fold::Minimum | Fold::Maximum => {
                code.push(refuse_empty(&turns, span));
                let zeros: HashMap<_, _> = turns
                    .iter()
                    .map(|turn| (turn.index.as_str(), integer(0, span)))
                    .collect();
                let first = substituted(&value, &|name| zeros.get(name).cloned());
                let function = if fold == Fold::Minimum {
                    MINIMUM
                } else {
                    MAXIMUM
                };
                (first, call(function, vec![old.clone(), value], span))
            }
        };
        code.push(assignment(old.clone(), start, span));
        code.push(nested(
            &turns,
            vec![assignment(old.clone(), next, span)],
            span,
        ));
        if fold != Fold::Mean {
            return Some(old);
        }
        let counts = turns.iter().map(|turn| named(&turn.count, span));
        let size = counts.reduce(|size, count| binary(BinaryOperator::Multiply, size, count))?;
        Some(binary(BinaryOperator::Divide, old, size))
    }

    /// What a sum starts with: a zero of the kind of number that it will be.
    pub(super) fn zero(&self, elements: &Elements, span: Span) -> Expression {
        let dtypes = elements
            .parts
            .iter()
            .filter_map(|part| self.meanings.array(&part.root))
            .map(|(dtype, _)| dtype);
        let dtypes: Vec<_> = dtypes.collect();
        let constant = if dtypes.iter().any(|dtype| dtype.is_complex()) {
            Constant::Complex(0.0, 0.0)
        } else if dtypes.iter().any(|dtype| dtype.is_float()) || !is_of_integers(&elements.of) {
            Constant::Float(0.0)
        } else {
            Constant::Int(0)
        };
        expression(ExpressionKind::Constant(constant), span)
    }
}

/// The extent of an expression along an axis of the `ndim` that it has.
fn broadcast_extent(
    elements: &Elements,
    axis: usize,
    ndim: usize,
    span: Span,
) -> Option<Expression> {
    let with_axis = elements.parts.iter().filter_map(|part| {
        let own = axis.checked_sub(ndim - part.ndim)?;
        Some(extent(&part.name, own, span))
    });
    with_axis.reduce(|known, other| {
        // Who has one element follows the other.
        let is_one = compare(known.clone(), ComparisonOperator::Equal, integer(1, span));
        let kind = ExpressionKind::Conditional {
            test: Box::new(is_one),
            accept: Box::new(other),
            reject: Box::new(known),
        };
        expression(kind, span)
    })
}

/// The refusal to find the least of no elements.
fn refuse_empty(turns: &[Turn], span: Span) -> Statement {
    let is_empty = turns.iter().map(|turn| {
        let count = named(&turn.count, span);
        compare(count, ComparisonOperator::Equal, integer(0, span))
    });
    let mut operands: Vec<_> = is_empty.collect();
    let test = if operands.len() == 1 {
        operands.remove(0)
    } else {
        let operator = LogicalOperator::Or;
        expression(ExpressionKind::Logical { operator, operands }, span)
    };
    let words = "a part of an array without elements has neither a least nor a greatest one";
    let raise = StatementKind::Raise {
        class: identifier("ValueError", span),
        parts: vec![MessagePart::Text(words.to_owned())],
    };
    let kind = StatementKind::If {
        test,
        accept: vec![Statement { kind: raise, span }],
        reject: Vec::new(),
    };
    Statement { kind, span }
}
