//! The scan template: every element combined with all those before it in its row.
//!
//! A row is cut into blocks, and a work-item goes through one block of one row. Where a row has several
//! blocks, what comes before each of them is known already: the blocks were reduced and their results
//! scanned, by [`super::reduce`] and by this template. A launch goes through the blocks of a row and then to the next row; or, where rows are
//! columns in memory, through all rows of a block and then to the next block.
//!
//! Parameters, in this order: `out`, `in`, `before` (only if there are several blocks: what comes before
//! each, by row and block), `length`, `in_step`, `out_step`, the sizes of the kept loops but the
//! outermost, and the strides of the kept loops, first the input's and then the output's.

use situ_ir::{AddressSpace, BinaryOperator, DType, FunctionBuilder, Module, Type, WorkItemQuery};

use super::reduce::identity;
use super::rows;

/// What a scan kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScanShape {
    /// What two elements become.
    pub combine: BinaryOperator,
    /// The elements' dtype.
    pub input: DType,
    /// The dtype elements are converted to and combined in.
    pub accumulate: DType,
    /// The dtype of the results.
    pub output: DType,
    /// Whether the result at an element leaves that element out.
    pub exclusive: bool,
    /// Whether a row has several blocks.
    pub is_cut: bool,
    /// How many elements a block has, if it is cut.
    pub block_length: usize,
    /// Whether the neighbours of an element belong to other rows.
    pub is_across: bool,
    /// How many kept loops there are.
    pub kept_rank: u8,
}

/// Writes the kernel `name`, for a range of rows and blocks, or of blocks and rows if neighbours belong to other rows.
pub fn module(name: &str, shape: &ScanShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 2);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(shape.output));
    let input = f.parameter("in", global(shape.input));
    let before = shape
        .is_cut
        .then(|| f.parameter("before", global(shape.accumulate)));
    let [length, in_step, out_step] =
        ["length", "in_step", "out_step"].map(|name| f.parameter(name, Type::INDEX));
    let (rows_dim, blocks_dim) = if shape.is_across { (1, 0) } else { (0, 1) };
    let (row, block) = (f.global_id(rows_dim), f.global_id(blocks_dim));
    let indices = rows::indices(&mut f, usize::from(shape.kept_rank), row);
    let in_base = rows::position(&mut f, "in", &indices);
    let out_base = rows::position(&mut f, "out", &indices);
    let so_far = f.variable("so_far", shape.accumulate);
    let initial = match before {
        Some(before) => {
            let blocks = f.work_item(WorkItemQuery::GlobalSize(blocks_dim));
            let first = f.multiply(row, blocks);
            let at = f.add(first, block);
            f.load(before, at)
        }
        None => f.literal(identity(shape.combine, shape.accumulate)),
    };
    f.assign(so_far, initial);
    let (start, end) = if shape.is_cut {
        let block_length = f.index(shape.block_length as i64);
        let start = f.multiply(block, block_length);
        let start = f.bind("start", start);
        let end = f.add(start, block_length);
        let end = f.binary(BinaryOperator::Minimum, end, length);
        (start, f.bind("end", end))
    } else {
        (f.index(0), length)
    };
    f.for_range("i", start, end, |f, i| {
        let moved = f.multiply(i, in_step);
        let from = f.add(in_base, moved);
        let moved = f.multiply(i, out_step);
        let to = f.add(out_base, moved);
        let element = f.load(input, from);
        let element = f.cast(element, shape.accumulate);
        let element = f.bind("element", element);
        let now = f.get(so_far);
        let now = f.bind("now", now);
        let next = f.binary(shape.combine, now, element);
        let next = f.bind("next", next);
        f.assign(so_far, next);
        let result = if shape.exclusive { now } else { next };
        let result = f.cast(result, shape.output);
        f.store(out, to, result);
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
    fn every_form_validates() {
        for kept_rank in 0..5 {
            for (exclusive, is_cut, is_across) in [
                (false, false, false),
                (true, false, true),
                (false, true, false),
                (false, true, true),
            ] {
                for combine in [BinaryOperator::Add, BinaryOperator::Multiply] {
                    let shape = ScanShape {
                        combine,
                        input: DType::F16,
                        accumulate: DType::F32,
                        output: DType::F64,
                        exclusive,
                        is_cut,
                        block_length: 1024,
                        is_across,
                        kept_rank,
                    };
                    validate(module("scan", &shape)).unwrap();
                }
            }
        }
    }
}
