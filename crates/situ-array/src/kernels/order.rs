//! The order of elements, as sorting and searching have it.
//!
//! Numbers ascend or descend, and NaN comes last in both. Zeros of either sign are equal. Complex numbers are
//! ordered by their real parts and, where these are equal, by their imaginary parts; those with a NaN come
//! last, first the ones whose real part is a number, as NumPy has it.

use situ_ir::{BinaryOperator, DType, Expression, FunctionBuilder, Handle, UnaryOperator};

/// Which way numbers go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Small ones first.
    #[default]
    Ascending,
    /// Large ones first.
    Descending,
}

/// Whether `left` comes before `right`; both have one dtype, and neither comes before its equal.
pub(super) fn is_before(
    f: &mut FunctionBuilder,
    direction: Direction,
    left: Handle<Expression>,
    right: Handle<Expression>,
) -> Handle<Expression> {
    let (left, right) = (f.bind("left", left), f.bind("right", right));
    let dtype = f.dtype_of(left);
    if dtype.is_complex() {
        return is_complex_before(f, direction, left, right);
    }
    let less = is_less(f, direction, left, right);
    if !dtype.is_float() {
        return less;
    }
    let other = is_last(f, left, right);
    f.binary(BinaryOperator::BitOr, less, other)
}

/// Whether a number is less than another, or more if they descend; never for NaN.
fn is_less(
    f: &mut FunctionBuilder,
    direction: Direction,
    left: Handle<Expression>,
    right: Handle<Expression>,
) -> Handle<Expression> {
    let (small, large) = match direction {
        Direction::Ascending => (left, right),
        Direction::Descending => (right, left),
    };
    // The IR does not order bools; as bytes they order the same.
    let ordered = |f: &mut FunctionBuilder, operand| match f.dtype_of(operand) {
        DType::Bool => f.cast(operand, DType::U8),
        _ => operand,
    };
    let (small, large) = (ordered(f, small), ordered(f, large));
    f.binary(BinaryOperator::Less, small, large)
}

/// Whether only the right one of two floats is NaN.
fn is_last(
    f: &mut FunctionBuilder,
    left: Handle<Expression>,
    right: Handle<Expression>,
) -> Handle<Expression> {
    let left = f.unary(UnaryOperator::IsNan, left);
    let left = f.unary(UnaryOperator::Not, left);
    let right = f.unary(UnaryOperator::IsNan, right);
    f.binary(BinaryOperator::BitAnd, left, right)
}

fn is_complex_before(
    f: &mut FunctionBuilder,
    direction: Direction,
    left: Handle<Expression>,
    right: Handle<Expression>,
) -> Handle<Expression> {
    let mut part = |operator, name: &str| {
        let [left, right] = [left, right].map(|operand| f.unary(operator, operand));
        [
            f.bind(format!("{name}_left"), left),
            f.bind(format!("{name}_right"), right),
        ]
    };
    let real = part(UnaryOperator::Real, "real");
    let imaginary = part(UnaryOperator::Imaginary, "imaginary");
    // How far at the end: NaN in the imaginary part counts one, in the real part two.
    let mut rank = |side: usize| {
        let [real, imaginary] = [real[side], imaginary[side]].map(|part| {
            let is_nan = f.unary(UnaryOperator::IsNan, part);
            f.cast(is_nan, DType::I32)
        });
        let twice = f.add(real, real);
        let rank = f.add(twice, imaginary);
        f.bind("rank", rank)
    };
    let (left_rank, right_rank) = (rank(0), rank(1));
    let is_nearer = f.binary(BinaryOperator::Less, left_rank, right_rank);
    let is_level = f.binary(BinaryOperator::Equal, left_rank, right_rank);
    let real_less = is_less(f, direction, real[0], real[1]);
    let real_more = is_less(f, direction, real[1], real[0]);
    let real_same = f.unary(UnaryOperator::Not, real_more);
    let imaginary_less = is_less(f, direction, imaginary[0], imaginary[1]);
    let second = f.binary(BinaryOperator::BitAnd, real_same, imaginary_less);
    let by_parts = f.binary(BinaryOperator::BitOr, real_less, second);
    let among_equals = f.binary(BinaryOperator::BitAnd, is_level, by_parts);
    f.binary(BinaryOperator::BitOr, is_nearer, among_equals)
}
