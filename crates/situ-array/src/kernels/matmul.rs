//! The matmul template: products of matrices, tile by tile.
//!
//! A work-group computes a square tile of the result. It goes along the inner dimension in steps of a
//! tile: all work-items together bring one tile of each operand to local memory, and each then adds
//! its row times its column. So an element is read from global memory once for each tile and not for
//! each element of the result. Operands may have any strides; the result is contiguous.
//!
//! Parameters, in this order: `out`, `left`, `right`, `rows`, `columns`, `inner`, the strides of the left
//! operand's rows and columns, those of the right one's, the sizes of the batch's loops but the outermost, and the
//! strides of these loops, first the left operand's and then the right one's. The range is (batch, rows,
//! columns), the last two rounded up to whole tiles.

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal,
    MemorySpaces, Module, Type, WorkItemQuery,
};

use super::dot::{product_operator, sum_operator};
use super::rows;

/// What a matmul kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatmulShape {
    /// The dtype of the left operand's elements.
    pub left: DType,
    /// The dtype of the right operand's elements.
    pub right: DType,
    /// The dtype elements are converted to, multiplied and added in.
    pub accumulate: DType,
    /// The dtype of the result.
    pub output: DType,
    /// How many rows and columns a tile has.
    pub tile: u8,
    /// How many loops there are over matrices.
    pub batch_rank: u8,
}

/// Writes the kernel `name`.
pub fn module(name: &str, shape: &MatmulShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 3);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(shape.output));
    let operands = [
        f.parameter("left", global(shape.left)),
        f.parameter("right", global(shape.right)),
    ];
    let [rows, columns, inner] =
        ["rows", "columns", "inner"].map(|name| f.parameter(name, Type::INDEX));
    let strides = ["left_row", "left_column", "right_row", "right_column"]
        .map(|name| f.parameter(name, Type::INDEX));
    let batch = f.global_id(0);
    let indices = rows::indices(&mut f, usize::from(shape.batch_rank), batch);
    let bases = ["left", "right"].map(|operand| rows::position(&mut f, operand, &indices));

    let area = u64::from(shape.tile) * u64::from(shape.tile);
    let tiles = ["left_tile", "right_tile"]
        .map(|name| f.array(name, shape.accumulate, area, AddressSpace::Local));
    let side = f.index(i64::from(shape.tile));
    let (row, column) = (f.global_id(1), f.global_id(2));
    let local_row = f.work_item(WorkItemQuery::LocalId(1));
    let local_column = f.work_item(WorkItemQuery::LocalId(2));
    let row_in_tile = f.multiply(local_row, side);
    let row_in_tile = f.bind("row_in_tile", row_in_tile);
    let own = f.add(row_in_tile, local_column);
    let own = f.bind("own", own);

    let accumulator = f.variable("accumulator", shape.accumulate);
    let zero = f.literal(Literal::zero(shape.accumulate));
    f.assign(accumulator, zero);
    let first = f.index(0);
    let count = {
        let most = f.index(i64::from(shape.tile) - 1);
        let padded = f.add(inner, most);
        f.binary(BinaryOperator::TruncatingDivide, padded, side)
    };
    let count = f.bind("count", count);
    f.for_range("step", first, count, |f, step| {
        let start = f.multiply(step, side);
        let start = f.bind("start", start);
        let left_column = f.add(start, local_column);
        let right_row = f.add(start, local_row);
        let left = Matrix {
            elements: operands[0],
            base: bases[0],
            strides: [strides[0], strides[1]],
            sizes: [rows, inner],
        };
        let right = Matrix {
            elements: operands[1],
            base: bases[1],
            strides: [strides[2], strides[3]],
            sizes: [inner, columns],
        };
        left.bring(f, [row, left_column], tiles[0], own);
        right.bring(f, [right_row, column], tiles[1], own);
        f.barrier(MemorySpaces::Local);
        let first = f.index(0);
        f.for_range("k", first, side, |f, k| {
            let left_at = f.add(row_in_tile, k);
            let right_row = f.multiply(k, side);
            let right_at = f.add(right_row, local_column);
            let (left, right) = (f.load(tiles[0], left_at), f.load(tiles[1], right_at));
            let product = f.binary(product_operator(shape.accumulate), left, right);
            let so_far = f.get(accumulator);
            let sum = f.binary(sum_operator(shape.accumulate), so_far, product);
            f.assign(accumulator, sum);
        });
        f.barrier(MemorySpaces::Local);
    });
    let is_inside = is_inside(&mut f, [row, column], [rows, columns]);
    f.if_(is_inside, |f| {
        let matrix = f.multiply(batch, rows);
        let at = f.add(matrix, row);
        let at = f.multiply(at, columns);
        let at = f.add(at, column);
        let result = f.get(accumulator);
        let result = f.cast(result, shape.output);
        f.store(out, at, result);
    });
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// An operand, for the work-items of one matrix.
struct Matrix {
    elements: Handle<Expression>,
    base: Handle<Expression>,
    strides: [Handle<Expression>; 2],
    sizes: [Handle<Expression>; 2],
}

impl Matrix {
    /// Stores the element at a place in a tile, and zero where the matrix has none.
    fn bring(
        &self,
        f: &mut FunctionBuilder,
        at: [Handle<Expression>; 2],
        tile: Handle<Expression>,
        position: Handle<Expression>,
    ) {
        let dtype = f.dtype_of(tile);
        let is_inside = is_inside(f, at, self.sizes);
        f.if_else(
            is_inside,
            |f| {
                let moved = [0, 1].map(|axis| f.multiply(at[axis], self.strides[axis]));
                let moved = f.add(moved[0], moved[1]);
                let at = f.add(self.base, moved);
                let element = f.load(self.elements, at);
                let element = f.cast(element, dtype);
                f.store(tile, position, element);
            },
            |f| {
                let zero = f.literal(Literal::zero(dtype));
                f.store(tile, position, zero);
            },
        );
    }
}

fn is_inside(
    f: &mut FunctionBuilder,
    at: [Handle<Expression>; 2],
    sizes: [Handle<Expression>; 2],
) -> Handle<Expression> {
    let [row, column] = [0, 1].map(|axis| f.binary(BinaryOperator::Less, at[axis], sizes[axis]));
    f.binary(BinaryOperator::BitAnd, row, column)
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_form_validates() {
        for batch_rank in 0..5 {
            for (left, accumulate) in [
                (DType::F16, DType::F32),
                (DType::C64, DType::C128),
                (DType::Bool, DType::Bool),
                (DType::U8, DType::I16),
            ] {
                let shape = MatmulShape {
                    left,
                    right: accumulate,
                    accumulate,
                    output: accumulate,
                    tile: 16,
                    batch_rank,
                };
                validate(module("matmul", &shape)).unwrap();
            }
        }
    }
}
