//! Looking for the first of many elements that is wanted.

use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, StatementKind, UnaryOperator,
    Variable,
};

use super::side_by_side::{advance_while_fits, tree};

/// How many elements are looked at before any of them decides whether the search goes on: a branch for each takes longer than all
/// comparisons, which become vectors where elements are next to each other.
const LOOKED_AT: i64 = 16;

/// Counts up from zero to the first number for which `matches` holds; to the last if none does.
pub(super) fn first_match(
    f: &mut FunctionBuilder,
    name: &str,
    count: Handle<Expression>,
    matches: impl Fn(&mut FunctionBuilder, Handle<Expression>) -> Handle<Expression>,
) -> Handle<Variable> {
    let (zero, one) = (f.index(0), f.index(1));
    let counter = f.variable(name, DType::I64);
    f.assign(counter, zero);
    let last = f.binary(BinaryOperator::Subtract, count, one);
    let last = f.bind("last", last);
    for width in [LOOKED_AT, 1] {
        advance_while_fits(f, counter, last, width, |f, now| {
            let found = (0..width)
                .map(|offset| {
                    let offset = f.index(offset);
                    let at = f.add(now, offset);
                    matches(f, at)
                })
                .collect();
            let found = tree(f, BinaryOperator::BitOr, found);
            f.if_(found, |f| f.statement(StatementKind::Break));
        });
    }
    counter
}

/// Whether two numbers are equal, or both NaN.
pub(super) fn is_same(
    f: &mut FunctionBuilder,
    left: Handle<Expression>,
    right: Handle<Expression>,
) -> Handle<Expression> {
    let left = f.bind("candidate", left);
    let equal = f.binary(BinaryOperator::Equal, left, right);
    if !f.dtype_of(left).is_float() {
        return equal;
    }
    let left = f.unary(UnaryOperator::IsNan, left);
    let right = f.unary(UnaryOperator::IsNan, right);
    let both = f.binary(BinaryOperator::BitAnd, left, right);
    f.binary(BinaryOperator::BitOr, equal, both)
}
