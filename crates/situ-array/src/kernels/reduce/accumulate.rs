//! Accumulators, and how elements are combined with them.

use situ_ir::{BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, Variable};

use super::ReduceShape;
use super::reduced::Elements;
use crate::kernels::first_match::{first_match, is_same};
use crate::kernels::side_by_side::{SideBySide, in_a_row, tree};

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
    name: impl Into<String>,
) -> Handle<Variable> {
    let accumulator = f.variable(name, shape.accumulate);
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
    let accumulator = accumulator(f, *elements.shape, "acc");
    f.for_range("i", start, end, |f, i| elements.combine(f, accumulator, i));
    f.get(accumulator)
}

/// `lanes` accumulators over whole groups of elements, one more over the rest; then all of them are combined.
pub(super) fn combine_in_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    range: (Handle<Expression>, Handle<Expression>),
    lanes: i64,
) -> Handle<Expression> {
    let groups = SideBySide::new(f, range, lanes);
    let combined = if elements.shape.is_exact() {
        tree_of_lanes(f, elements, &groups, lanes)
    } else {
        let accumulators = filled_lanes(f, elements, &groups, lanes);
        combined_lanes(f, *elements.shape, &groups, &accumulators)
    };
    let rest = combined_rest(f, elements, &groups);
    f.binary(elements.shape.combine, combined, rest)
}

/// As [`combine_in_lanes`], with the index of the first element that all of them are combined to.
pub(super) fn locate_in_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    (start, end): (Handle<Expression>, Handle<Expression>),
    lanes: i64,
) -> (Handle<Expression>, Handle<Expression>) {
    let groups = SideBySide::new(f, (start, end), lanes);
    let accumulators = filled_lanes(f, elements, &groups, lanes);
    let combined = combined_lanes(f, *elements.shape, &groups, &accumulators);
    let rest = combined_rest(f, elements, &groups);
    let rest = f.bind("rest", rest);
    let result = f.binary(elements.shape.combine, combined, rest);
    let result = f.bind("result", result);

    // Elements are looked at from the first place on of which an accumulator has the result.
    let from = f.variable("from", DType::I64);
    f.assign(from, start);
    let is_any = groups.is_any(f);
    f.if_(is_any, |f| {
        let mut results: Vec<_> = accumulators.iter().map(|&lane| f.get(lane)).collect();
        results.push(rest);
        let row = in_a_row(f, elements.shape.accumulate, &results, results.len());
        let one = f.index(1);
        let in_use = groups.lanes_in_use(f);
        let count = f.add(in_use, one);
        let lane = first_match(f, "lane", count, |f, lane| {
            let accumulator = f.load(row, lane);
            is_same(f, accumulator, result)
        });
        let place = groups.place_of(f, lane);
        f.assign(from, place);
    });
    let from = f.get(from);
    let from = f.bind("from", from);
    let count = f.binary(BinaryOperator::Subtract, end, from);
    let position = first_match(f, "position", count, |f, position| {
        let index = f.add(from, position);
        let element = elements.element(f, index);
        is_same(f, element, result)
    });
    (result, f.add(from, position))
}

/// What the accumulators of all lanes are combined to.
fn combined_lanes(
    f: &mut FunctionBuilder,
    shape: ReduceShape,
    groups: &SideBySide,
    accumulators: &[Handle<Variable>],
) -> Handle<Expression> {
    let identity = identity(shape.combine, shape.accumulate);
    groups.combine(f, shape.combine, accumulators, identity)
}

/// What the elements that are not read side by side are combined to.
fn combined_rest(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    groups: &SideBySide,
) -> Handle<Expression> {
    let rest = accumulator(f, *elements.shape, "rest");
    groups.visit_rest(f, |f, index| elements.combine(f, rest, index));
    f.get(rest)
}

/// Accumulators that are combined as a tree. Where elements are few, making and combining them would take longer than the
/// elements, so there are none.
fn tree_of_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    groups: &SideBySide,
    lanes: i64,
) -> Handle<Expression> {
    let shape = *elements.shape;
    let combined = accumulator(f, shape, "combined");
    let is_any = groups.is_any(f);
    f.if_(is_any, |f| {
        let accumulators = filled_lanes(f, elements, groups, lanes);
        let results = accumulators.iter().map(|&lane| f.get(lane)).collect();
        let result = tree(f, shape.combine, results);
        f.assign(combined, result);
    });
    f.get(combined)
}

/// An accumulator for each lane, with the elements that are read side by side.
fn filled_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    groups: &SideBySide,
    lanes: i64,
) -> Vec<Handle<Variable>> {
    let accumulators: Vec<_> = (0..lanes)
        .map(|lane| accumulator(f, *elements.shape, format!("acc{lane}")))
        .collect();
    groups.visit(f, |f, lane, index| {
        elements.combine(f, accumulators[lane as usize], index);
    });
    accumulators
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
