//! Accumulators, and how elements are combined with them.

use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, StatementKind, Variable,
};

use super::ReduceShape;
use super::reduced::Elements;

/// How many accumulators a work-item has when it runs along memory.
pub(super) const LANES: i64 = 16;

/// The content of an accumulator before its first element.
///
/// # Panics
/// If the operator is not one that arrays are reduced with.
pub(crate) fn identity(combine: BinaryOperator, dtype: DType) -> Literal {
    match combine {
        // Minus zero, because 0.0 + -0.0 would lose the sign of a sum of minus zeros.
        BinaryOperator::Add if dtype.is_float() => Literal::from_f64(dtype, -0.0),
        BinaryOperator::Add => Literal::zero(dtype),
        BinaryOperator::Multiply => Literal::one(dtype),
        BinaryOperator::Minimum => Literal::from_f64(dtype, f64::INFINITY),
        BinaryOperator::Maximum => Literal::from_f64(dtype, f64::NEG_INFINITY),
        BinaryOperator::BitOr => Literal::zero(dtype),
        BinaryOperator::BitAnd if dtype.is_bool() => Literal::Bool(true),
        other => panic!("arrays are not reduced with {}", other.name()),
    }
}

/// A new accumulator.
pub(super) fn accumulator(
    f: &mut FunctionBuilder,
    shape: ReduceShape,
    lane: i64,
) -> Handle<Variable> {
    let accumulator = f.variable(format!("acc{lane}"), shape.accumulate);
    let identity = f.literal(identity(shape.combine, shape.accumulate));
    f.assign(accumulator, identity);
    accumulator
}

/// Combines an accumulator with an element.
pub(super) fn combine(
    f: &mut FunctionBuilder,
    shape: ReduceShape,
    accumulator: Handle<Variable>,
    element: Handle<Expression>,
) {
    let so_far = f.get(accumulator);
    let combined = f.binary(shape.combine, so_far, element);
    f.assign(accumulator, combined);
}

/// One accumulator, one element after the other.
pub(super) fn combine_in_turn(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    start: Handle<Expression>,
    end: Handle<Expression>,
) -> Handle<Expression> {
    let accumulator = accumulator(f, *elements.shape, 0);
    f.for_range("i", start, end, |f, i| elements.combine(f, accumulator, i));
    f.get(accumulator)
}

/// [`LANES`] accumulators over whole groups of elements, one more over the rest, then a tree.
///
/// The rest has its own accumulator because lanes that are all alike become vector registers.
pub(super) fn combine_in_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    start: Handle<Expression>,
    end: Handle<Expression>,
) -> Handle<Expression> {
    let lanes: Vec<_> = (0..LANES)
        .map(|lane| accumulator(f, *elements.shape, lane))
        .collect();
    let counter = f.variable("i", DType::I64);
    f.assign(counter, start);
    advance_while_fits(f, counter, end, LANES, |f, i| {
        for (lane, &accumulator) in lanes.iter().enumerate() {
            let offset = f.index(lane as i64);
            let index = f.add(i, offset);
            elements.combine(f, accumulator, index);
        }
    });
    let rest = accumulator(f, *elements.shape, LANES);
    advance_while_fits(f, counter, end, 1, |f, i| elements.combine(f, rest, i));
    let mut results: Vec<_> = lanes.iter().map(|&lane| f.get(lane)).collect();
    while results.len() > 1 {
        let half = results.len() / 2;
        results = (0..half)
            .map(|lane| f.binary(elements.shape.combine, results[lane], results[lane + half]))
            .collect();
    }
    let rest = f.get(rest);
    f.binary(elements.shape.combine, results[0], rest)
}

/// Repeats `body` while another `width` elements fit before `end`, moving the counter by `width`.
pub(crate) fn advance_while_fits(
    f: &mut FunctionBuilder,
    counter: Handle<Variable>,
    end: Handle<Expression>,
    width: i64,
    body: impl FnOnce(&mut FunctionBuilder, Handle<Expression>),
) {
    let now = f.get(counter);
    let width = f.index(width);
    let next = f.add(now, width);
    let condition = Some(f.binary(BinaryOperator::LessEqual, next, end));
    let body = f.block(|f| {
        let now = f.get(counter);
        body(f, now);
    });
    let step = f.block(|f| f.assign(counter, next));
    f.statement(StatementKind::Loop {
        condition,
        body,
        step,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_neutral() {
        assert_eq!(
            identity(BinaryOperator::Minimum, DType::I8),
            Literal::I8(i8::MAX)
        );
        assert_eq!(
            identity(BinaryOperator::Maximum, DType::U16),
            Literal::U16(0)
        );
        assert_eq!(
            identity(BinaryOperator::Add, DType::F32),
            Literal::F32(-0.0)
        );
    }
}
