//! Rows: where the loops that a kernel does not run along begin.
//!
//! Kernels that go along one loop of an array have a flat number for all the others. It is taken apart
//! once for each row, by division, and not for each element.

use situ_ir::{BinaryOperator, Expression, FunctionBuilder, Handle, Type};
use smallvec::SmallVec;

/// The index of each loop; their sizes, but for the outermost, become parameters.
pub(super) fn indices(
    f: &mut FunctionBuilder,
    rank: usize,
    flat: Handle<Expression>,
) -> SmallVec<[Handle<Expression>; 4]> {
    let sizes: SmallVec<[Handle<Expression>; 4]> = (1..rank)
        .map(|axis| f.parameter(format!("size{axis}"), Type::INDEX))
        .collect();
    let mut indices: SmallVec<[Handle<Expression>; 4]> = SmallVec::new();
    let mut rest = flat;
    for &size in sizes.iter().rev() {
        let index = f.binary(BinaryOperator::TruncatingRemainder, rest, size);
        indices.push(f.bind("index", index));
        let quotient = f.binary(BinaryOperator::TruncatingDivide, rest, size);
        rest = f.bind("rest", quotient);
    }
    if rank > 0 {
        indices.push(rest);
    }
    indices.reverse();
    indices
}

/// Where an operand is at these indices; its strides become parameters.
pub(super) fn position(
    f: &mut FunctionBuilder,
    operand: &str,
    indices: &[Handle<Expression>],
) -> Handle<Expression> {
    let mut position = None;
    for (axis, &index) in indices.iter().enumerate() {
        let stride = f.parameter(format!("{operand}_stride{axis}"), Type::INDEX);
        let moved = f.multiply(index, stride);
        position = Some(position.map_or(moved, |so_far| f.add(so_far, moved)));
    }
    let position = position.unwrap_or_else(|| f.index(0));
    f.bind(format!("{operand}_base"), position)
}
