//! The compact template: the positions of elements that are not zero, one after the other.
//!
//! A row is cut into blocks, of which each work-item has one. How many positions come before those of a block is
//! known: the blocks were counted and the counts scanned; the last number is that of all.
//!
//! Parameters, in this order: `out`, `in`, `before` (for each block, and for the end), `length`.

use situ_ir::{AddressSpace, BinaryOperator, DType, FunctionBuilder, Module, Type};

/// What a compact kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompactShape {
    /// The elements' dtype.
    pub input: DType,
    /// How many elements a block has.
    pub block_length: usize,
}

/// Writes the kernel `name`, for a range of blocks.
pub fn module(name: &str, shape: CompactShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 1);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(DType::I64));
    let input = f.parameter("in", global(shape.input));
    let before = f.parameter("before", global(DType::I64));
    let length = f.parameter("length", Type::INDEX);
    let block = f.global_id(0);
    let block_length = f.index(shape.block_length as i64);
    let start = f.multiply(block, block_length);
    let start = f.bind("start", start);
    let end = f.add(start, block_length);
    let end = f.binary(BinaryOperator::Minimum, end, length);
    let end = f.bind("end", end);
    let next = f.variable("next", DType::I64);
    let first = f.load(before, block);
    f.assign(next, first);
    let one = f.index(1);
    let following_block = f.add(block, one);
    let limit = f.load(before, following_block);
    let limit = f.bind("limit", limit);
    // Each position is written where the next one belongs, and stays if it is one. That has no branch that
    // depends on an element; the one there is only changes once, when the block's last position is found.
    f.for_range("i", start, end, |f, i| {
        let to = f.get(next);
        let to = f.bind("to", to);
        let is_open = f.binary(BinaryOperator::Less, to, limit);
        f.if_(is_open, |f| {
            f.store(out, to, i);
            let element = f.load(input, i);
            let is_nonzero = f.cast(element, DType::Bool);
            let moved = f.cast(is_nonzero, DType::I64);
            let following = f.add(to, moved);
            f.assign(next, following);
        });
    });
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_dtype_validates() {
        for input in DType::ALL {
            let shape = CompactShape {
                input,
                block_length: 4096,
            };
            validate(module("compact", shape)).unwrap();
        }
    }
}
