//! Whether two expressions are the same number, and whether two parts of arrays share memory.

use situ_ir::{BinaryOperator as Ir, Span};

use crate::infer::operators::ir_binary;
use crate::infer::views::{Region, folded, index_literal};
use crate::typed::{Expression, ExpressionKind};

/// Whether two expressions are written the same and have no effects, so that they are the same number at the same time.
pub(super) fn is_same(left: &Expression, right: &Expression) -> bool {
    let are_same = |left: &[Expression], right: &[Expression]| {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(one, other)| is_same(one, other))
    };
    match (&left.kind, &right.kind) {
        (ExpressionKind::Literal(one), ExpressionKind::Literal(other)) => one == other,
        (ExpressionKind::Parameter(one), ExpressionKind::Parameter(other)) => one == other,
        (ExpressionKind::Variable(one), ExpressionKind::Variable(other)) => one == other,
        (ExpressionKind::Slot(one), ExpressionKind::Slot(other)) => one == other,
        (
            ExpressionKind::Shape { array, axis },
            ExpressionKind::Shape {
                array: other,
                axis: other_axis,
            },
        )
        | (
            ExpressionKind::Stride { array, axis },
            ExpressionKind::Stride {
                array: other,
                axis: other_axis,
            },
        ) => array == other && axis == other_axis,
        (ExpressionKind::Cast(one), ExpressionKind::Cast(other)) => {
            left.dtype == right.dtype && is_same(one, other)
        }
        (
            ExpressionKind::Unary { operator, operand },
            ExpressionKind::Unary {
                operator: other,
                operand: other_operand,
            },
        ) => operator == other && is_same(operand, other_operand),
        (
            ExpressionKind::Binary {
                operator,
                left: one,
                right: two,
            },
            ExpressionKind::Binary {
                operator: other,
                left: other_one,
                right: other_two,
            },
        ) => operator == other && is_same(one, other_one) && is_same(two, other_two),
        (
            ExpressionKind::Conditional {
                condition,
                accept,
                reject,
            },
            ExpressionKind::Conditional {
                condition: other_condition,
                accept: other_accept,
                reject: other_reject,
            },
        ) => {
            is_same(condition, other_condition)
                && is_same(accept, other_accept)
                && is_same(reject, other_reject)
        }
        (
            ExpressionKind::Element { array, indices },
            ExpressionKind::Element {
                array: other,
                indices: other_indices,
            },
        ) => array == other && are_same(indices, other_indices),
        _ => false,
    }
}

/// Whether two parts are the very same elements in the same order.
pub(super) fn is_same_part(left: &Region, right: &Region) -> bool {
    let all = |left: &[Expression], right: &[Expression]| {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(one, other)| is_same(one, other))
    };
    left.array == right.array
        && is_same(&left.offset, &right.offset)
        && all(&left.shape, &right.shape)
        && all(&left.strides, &right.strides)
}

/// Whether two parts of one array may share elements: whether the ranges from their first to their last element meet.
pub(super) fn ranges_meet(left: &Region, right: &Region, span: Span) -> Expression {
    let (left_first, left_last) = range(left, span);
    let (right_first, right_last) = range(right, span);
    let before = ir_binary(Ir::LessEqual, left_first, right_last, span);
    let after = ir_binary(Ir::LessEqual, right_first, left_last, span);
    ir_binary(Ir::BitAnd, before, after, span)
}

/// Where the first and the last element of a part lie. A part without elements may be anywhere.
fn range(part: &Region, span: Span) -> (Expression, Expression) {
    let mut first = part.offset.clone();
    let mut last = part.offset.clone();
    for (size, stride) in part.shape.iter().zip(&part.strides) {
        let steps = folded(Ir::Subtract, size.clone(), index_literal(1, span), span);
        let way = folded(Ir::Multiply, steps, stride.clone(), span);
        let zero = index_literal(0, span);
        let back = folded(Ir::Minimum, way.clone(), zero.clone(), span);
        let ahead = folded(Ir::Maximum, way, zero, span);
        first = folded(Ir::Add, first, back, span);
        last = folded(Ir::Add, last, ahead, span);
    }
    (first, last)
}
