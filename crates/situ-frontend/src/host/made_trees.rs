//! Trees that no user has written: what is made of a function when its work is written out.

use situ_ir::Span;

use super::piece::{expression, identifier, named};
use crate::syntax::{
    BinaryOperator, ComparisonOperator, Constant, Expression, ExpressionKind, MessagePart,
    Statement, StatementKind,
};

/// Whether two parts of arrays are written in the same words.
pub(super) fn is_same(left: &Expression, right: &Expression) -> bool {
    let both = |left: &Option<Box<Expression>>, right: &Option<Box<Expression>>| match (left, right)
    {
        (None, None) => true,
        (Some(left), Some(right)) => is_same(left, right),
        _ => false,
    };
    match (&left.kind, &right.kind) {
        (ExpressionKind::Name(left), ExpressionKind::Name(right)) => left == right,
        (ExpressionKind::Constant(left), ExpressionKind::Constant(right)) => left == right,
        (
            ExpressionKind::Subscript { value, indices },
            ExpressionKind::Subscript {
                value: other,
                indices: others,
            },
        ) => {
            is_same(value, other)
                && indices.len() == others.len()
                && indices
                    .iter()
                    .zip(others)
                    .all(|(left, right)| is_same(left, right))
        }
        (
            ExpressionKind::Slice { lower, upper, step },
            ExpressionKind::Slice {
                lower: other_lower,
                upper: other_upper,
                step: other_step,
            },
        ) => both(lower, other_lower) && both(upper, other_upper) && both(step, other_step),
        _ => false,
    }
}

/// Whether an expression of integers is one: no division, and no function that makes floats of them.
pub(super) fn is_of_integers(of: &Expression) -> bool {
    match &of.kind {
        ExpressionKind::Constant(constant) => {
            matches!(constant, Constant::Int(_) | Constant::Bool(_))
        }
        ExpressionKind::Name(_) | ExpressionKind::Compare { .. } => true,
        ExpressionKind::Unary { operand, .. } => is_of_integers(operand),
        ExpressionKind::Binary {
            operator,
            left,
            right,
        } => *operator != BinaryOperator::Divide && is_of_integers(left) && is_of_integers(right),
        _ => false,
    }
}

/// An expression with other expressions for some of its names.
pub(super) fn substituted(
    of: &Expression,
    replace: &dyn Fn(&str) -> Option<Expression>,
) -> Expression {
    let boxed = |inner: &Expression| Box::new(substituted(inner, replace));
    let all = |list: &[Expression]| -> Vec<Expression> {
        list.iter().map(|each| substituted(each, replace)).collect()
    };
    let kind = match &of.kind {
        ExpressionKind::Name(name) => match replace(name) {
            Some(replaced) => return replaced,
            None => of.kind.clone(),
        },
        ExpressionKind::Unary { operator, operand } => ExpressionKind::Unary {
            operator: *operator,
            operand: boxed(operand),
        },
        ExpressionKind::Binary {
            operator,
            left,
            right,
        } => ExpressionKind::Binary {
            operator: *operator,
            left: boxed(left),
            right: boxed(right),
        },
        ExpressionKind::Compare { first, rest } => ExpressionKind::Compare {
            first: boxed(first),
            rest: rest
                .iter()
                .map(|(operator, operand)| (*operator, substituted(operand, replace)))
                .collect(),
        },
        ExpressionKind::Subscript { value, indices } => ExpressionKind::Subscript {
            value: boxed(value),
            indices: all(indices),
        },
        ExpressionKind::Call {
            function,
            arguments,
            keywords,
        } => ExpressionKind::Call {
            function: function.clone(),
            arguments: all(arguments),
            keywords: keywords.clone(),
        },
        other => other.clone(),
    };
    expression(kind, of.span)
}

pub(super) fn shown(value: Expression) -> MessagePart {
    MessagePart::Value {
        expression: value,
        format: String::new(),
    }
}

pub(super) fn assignment(target: Expression, value: Expression, span: Span) -> Statement {
    let kind = StatementKind::Assign {
        targets: vec![target],
        value,
    };
    Statement { kind, span }
}

/// `name.shape[axis]`.
pub(super) fn extent(name: &str, axis: usize, span: Span) -> Expression {
    let kind = ExpressionKind::Attribute {
        value: Box::new(named(name, span)),
        attribute: identifier("shape", span),
    };
    let shape = expression(kind, span);
    subscript(shape, vec![integer(axis as i128, span)], span)
}

pub(super) fn subscript(value: Expression, indices: Vec<Expression>, span: Span) -> Expression {
    let value = Box::new(value);
    expression(ExpressionKind::Subscript { value, indices }, span)
}

pub(super) fn compare(
    left: Expression,
    operator: ComparisonOperator,
    right: Expression,
) -> Expression {
    let span = left.span;
    let kind = ExpressionKind::Compare {
        first: Box::new(left),
        rest: vec![(operator, right)],
    };
    expression(kind, span)
}

pub(super) fn integer(value: i128, span: Span) -> Expression {
    expression(ExpressionKind::Constant(Constant::Int(value)), span)
}

pub(super) fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    let span = left.span;
    let (left, right) = (Box::new(left), Box::new(right));
    let kind = ExpressionKind::Binary {
        operator,
        left,
        right,
    };
    expression(kind, span)
}

pub(super) fn call(name: &str, arguments: Vec<Expression>, span: Span) -> Expression {
    let kind = ExpressionKind::Call {
        function: Box::new(named(name, span)),
        arguments,
        keywords: Vec::new(),
    };
    expression(kind, span)
}
