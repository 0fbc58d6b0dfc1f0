//! Where a work-item reads and writes.

use smallvec::SmallVec;

use situ_ir::{BinaryOperator, Expression, FunctionBuilder, Handle, Type, WorkItemQuery};

use super::ReduceShape;
use crate::kernels::elements::{ElementsShape, Stride};
use crate::kernels::rows;

/// Where a work-item reads and writes.
pub(super) struct Position {
    /// Which of the kept elements, counted flat.
    pub(super) kept: Handle<Expression>,
    /// Which block of the reduced loop.
    pub(super) block: Handle<Expression>,
    /// Where each place is at the start of the reduced loop.
    pub(super) bases: SmallVec<[Handle<Expression>; 2]>,
    /// The stride of each place in the reduced loop.
    pub(super) steps: SmallVec<[Stride; 2]>,
    /// The stride of each place from a column to the next.
    pub(super) columns: SmallVec<[Stride; 2]>,
    /// The output's element.
    pub(super) result: Handle<Expression>,
}

/// Where each place is at these indices.
fn bases(
    f: &mut FunctionBuilder,
    places: usize,
    indices: &[Handle<Expression>],
) -> SmallVec<[Handle<Expression>; 2]> {
    (0..places)
        .map(|place| rows::position(f, &format!("in{place}"), indices))
        .collect()
}

/// Range (kept, block): partial results of one kept element are neighbours.
pub(super) fn position_along(
    f: &mut FunctionBuilder,
    shape: &ReduceShape,
    places: usize,
) -> Position {
    let step = Stride::known_or_parameter(f, !shape.is_spread, "step");
    let kept = f.global_id(0);
    let indices = rows::indices(f, usize::from(shape.kept_rank), kept);
    let bases = bases(f, places, &indices);
    let block = f.global_id(1);
    let blocks = f.work_item(WorkItemQuery::GlobalSize(1));
    let row = f.multiply(kept, blocks);
    let result = f.add(row, block);
    Position {
        kept,
        block,
        bases,
        steps: SmallVec::from_elem(step, 1),
        columns: SmallVec::from_elem(Stride::One, 1),
        result,
    }
}

/// Range (block, outer kept, group of columns): the first of the columns, and how many are left.
pub(super) fn position_beside(
    f: &mut FunctionBuilder,
    shape: &ReduceShape,
    elements: &ElementsShape,
) -> (Position, Handle<Expression>) {
    let step = f.parameter("step", Type::INDEX);
    let columns = f.parameter("columns", Type::INDEX);
    let column = Stride::known_or_parameter(f, !shape.is_spread, "column");
    let (block, outer, group) = (f.global_id(0), f.global_id(1), f.global_id(2));
    let mut indices = rows::indices(f, usize::from(shape.kept_rank) - 1, outer);
    let width = f.index(shape.walk.columns(elements.is_buffered) as i64);
    let first = f.multiply(group, width);
    let first = f.bind("first", first);
    indices.push(first);
    let bases = bases(f, elements.places(), &indices);
    let rows = f.work_item(WorkItemQuery::GlobalSize(1));
    let row = f.multiply(outer, columns);
    let kept = f.add(row, first);
    let kept = f.bind("kept", kept);
    let count = f.multiply(rows, columns);
    let before = f.multiply(block, count);
    let result = f.add(before, kept);
    let result = f.bind("result", result);
    let left = f.binary(BinaryOperator::Subtract, columns, first);
    let left = f.bind("left", left);
    let position = Position {
        kept,
        block,
        bases,
        steps: SmallVec::from_elem(Stride::By(step), 1),
        columns: SmallVec::from_elem(column, 1),
        result,
    };
    (position, left)
}
