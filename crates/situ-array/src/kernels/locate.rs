//! The locate template: the first element of each column that equals what the column was reduced to.
//!
//! It follows a reduction to an extreme, of columns that are next to each other in memory. (Where the elements that are reduced are next to each
//! other, the reduction says itself where the extreme of a block is, while it is close.) The blocks of that reduction (see [`super::reduce`]) say which
//! block to look in, so that a long column is not read again. NaN equals NaN here: where a column has one, it is
//! what the column was reduced to.
//!
//! A work-item has one column. Parameters, in this order: `out`, `in`, `partial` (what each block was reduced
//! to), `extreme`, `length`, `step` (of a column's elements), `blocks`, `row_stride` and `block_stride` (of
//! `partial`), the sizes of the kept loops but the outermost, the strides of the kept loops.

use situ_ir::{AddressSpace, BinaryOperator, DType, FunctionBuilder, Module, Type};

use super::first_match::{first_match, is_same};
use super::rows;

/// What a locate kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocateShape {
    /// The elements' dtype.
    pub input: DType,
    /// What partial results have.
    pub accumulate: DType,
    /// How many elements a block has.
    pub block_length: usize,
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
    let block_length = f.index(shape.block_length as i64);
    let start = f.multiply(block, block_length);
    let start = f.bind("start", start);
    let rest = f.binary(BinaryOperator::Subtract, length, start);
    let position = first_match(&mut f, "position", rest, |f, position| {
        let index = f.add(start, position);
        let moved = f.multiply(index, step);
        let at = f.add(base, moved);
        let element = f.load(input, at);
        let element = f.cast(element, shape.accumulate);
        is_same(f, element, wanted)
    });
    let result = f.add(start, position);
    f.store(out, row, result);
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
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
                    kept_rank,
                };
                validate(module("locate", &shape)).unwrap();
            }
        }
    }
}
