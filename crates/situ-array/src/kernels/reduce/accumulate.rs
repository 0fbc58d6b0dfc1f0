//! Accumulators, and how elements are combined with them.

use situ_ir::{BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, Variable};

use super::ReduceShape;
use super::reduced::Elements;
use crate::kernels::side_by_side::{side_by_side, tree};

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

/// `lanes` accumulators over whole groups of elements, one more over the rest, then a tree.
pub(super) fn combine_in_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    (start, end): (Handle<Expression>, Handle<Expression>),
    lanes: i64,
) -> Handle<Expression> {
    let accumulators: Vec<_> = (0..=lanes)
        .map(|lane| accumulator(f, *elements.shape, lane))
        .collect();
    side_by_side(f, (start, end), lanes, |f, lane, index| {
        elements.combine(f, accumulators[lane as usize], index);
    });
    let mut results: Vec<_> = accumulators.iter().map(|&lane| f.get(lane)).collect();
    let rest = results.pop().expect("there is one more than lanes");
    let combine = elements.shape.combine;
    let combined = tree(f, combine, results);
    f.binary(combine, combined, rest)
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
