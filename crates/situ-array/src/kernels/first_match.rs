//! Looking for the first of many elements that is wanted.

use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, StatementKind, UnaryOperator,
};

use super::side_by_side::{advance_while_fits, tree};

/// How many elements are looked at before any of them decides whether the search goes on: a branch for each takes longer than all
/// comparisons, which become vectors where elements are next to each other.
const LOOKED_AT: i64 = 16;

/// The first number from zero on for which `matches` holds; the last one below `count` if it holds for none.
pub(super) fn first_match(
    f: &mut FunctionBuilder,
    name: &str,
    count: Handle<Expression>,
    matches: impl Fn(&mut FunctionBuilder, Handle<Expression>) -> Handle<Expression>,
) -> Handle<Expression> {
    let (zero, one, width) = (f.index(0), f.index(1), f.index(LOOKED_AT));
    let last = f.binary(BinaryOperator::Subtract, count, one);
    let last = f.bind("last", last);
    let start = f.variable("start", DType::I64);
    f.assign(start, zero);
    advance_while_fits(f, start, last, LOOKED_AT, |f, now| {
        let found = (0..LOOKED_AT)
            .map(|offset| {
                let offset = f.index(offset);
                let at = f.add(now, offset);
                matches(f, at)
            })
            .collect();
        let found = tree(f, BinaryOperator::BitOr, found);
        f.if_(found, |f| f.statement(StatementKind::Break));
    });

    // Backwards, so that the first one stays; nobody can foresee which it is, so there is no branch.
    let start = f.get(start);
    let start = f.bind("start", start);
    let end = f.add(start, width);
    let end = f.binary(BinaryOperator::Minimum, end, last);
    let rest = f.binary(BinaryOperator::Subtract, end, start);
    let rest = f.bind("rest", rest);
    let first = f.variable(name, DType::I64);
    f.assign(first, last);
    f.for_range("passed", zero, rest, |f, passed| {
        let before = f.binary(BinaryOperator::Subtract, rest, passed);
        let before = f.binary(BinaryOperator::Subtract, before, one);
        let at = f.add(start, before);
        let at = f.bind("at", at);
        let is_match = matches(f, at);
        let so_far = f.get(first);
        let nearer = f.select(is_match, at, so_far);
        f.assign(first, nearer);
    });
    f.get(first)
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
