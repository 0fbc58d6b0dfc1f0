//! The locate template: the first element of each row that equals what the row was reduced to.
//!
//! It follows a reduction to an extreme. The blocks of that reduction (see [`super::reduce`]) say which
//! block to look in, so that a long row is not read again. NaN equals NaN here: where a row has one, it is
//! what the row was reduced to.
//!
//! A work-item has one row. Parameters, in this order: `out`, `in`, `partial` (what each block was reduced
//! to), `extreme`, `length`, `step` (of a row's elements), `blocks`, `row_stride` and `block_stride` (of
//! `partial`), the sizes of the kept loops but the outermost, the strides of the kept loops.

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Module,
    StatementKind, Type, UnaryOperator, Variable,
};

use super::rows;
use super::side_by_side::{advance_while_fits, tree};

/// What a locate kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocateShape {
    /// The elements' dtype.
    pub input: DType,
    /// What partial results have.
    pub accumulate: DType,
    /// How many elements a block has.
    pub block_length: usize,
    /// Whether the elements of a row are next to each other, so that `step` is one.
    pub is_contiguous: bool,
    /// How many kept loops there are.
    pub kept_rank: u8,
}

/// Writes the kernel `name`.
pub fn module(name: &str, shape: &LocateShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 1);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(DType::I64));
    let input = f.parameter("in", global(shape.input));
    let partial = f.parameter("partial", global(shape.accumulate));
    let extreme = f.parameter("extreme", global(shape.input));
    let [length, step, blocks, row_stride, block_stride] =
        ["length", "step", "blocks", "row_stride", "block_stride"]
            .map(|name| f.parameter(name, Type::INDEX));
    let row = f.global_id(0);
    let indices = rows::indices(&mut f, usize::from(shape.kept_rank), row);
    let base = rows::position(&mut f, "in", &indices);
    let wanted = f.load(extreme, row);
    let wanted = f.cast(wanted, shape.accumulate);
    let wanted = f.bind("wanted", wanted);

    let first_block = f.multiply(row, row_stride);
    let block = first_match(&mut f, "block", blocks, |f, block| {
        let moved = f.multiply(block, block_stride);
        let at = f.add(first_block, moved);
        let reduced = f.load(partial, at);
        is_same(f, reduced, wanted)
    });
    let block = f.get(block);
    let block_length = f.index(shape.block_length as i64);
    let start = f.multiply(block, block_length);
    let start = f.bind("start", start);
    let rest = f.binary(BinaryOperator::Subtract, length, start);
    let position = first_match(&mut f, "position", rest, |f, position| {
        let index = f.add(start, position);
        let moved = if shape.is_contiguous {
            index
        } else {
            f.multiply(index, step)
        };
        let at = f.add(base, moved);
        let element = f.load(input, at);
        let element = f.cast(element, shape.accumulate);
        is_same(f, element, wanted)
    });
    let position = f.get(position);
    let result = f.add(start, position);
    f.store(out, row, result);
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// How many elements are looked at before any of them decides whether the search goes on: a branch for each takes longer than all
/// comparisons, which become vectors where elements are next to each other.
const LOOKED_AT: i64 = 16;

/// Counts up from zero to the first number for which `matches` holds; to the last if none does.
fn first_match(
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
fn is_same(
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

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_rank_and_dtype_validates() {
        for kept_rank in 0..5 {
            for (input, accumulate) in [
                (DType::F32, DType::F32),
                (DType::Bool, DType::U8),
                (DType::I64, DType::I64),
            ] {
                let shape = LocateShape {
                    input,
                    accumulate,
                    block_length: 1024,
                    is_contiguous: kept_rank % 2 == 0,
                    kept_rank,
                };
                validate(module("locate", &shape)).unwrap();
            }
        }
    }
}
