//! The merge-sort templates: rows in order, for memory that only the device reaches.
//!
//! First each work-item puts a short run in order by insertion. Then pairs of runs are merged, and runs get twice as
//! long with each launch. A work-item makes [`RUN_LENGTH`] elements of a merged run: a binary search finds where
//! they come from in the two (the diagonal of the merge path). Equal elements stay in their order.
//!
//! Parameters of both, in this order: `out`, `in`, `out_positions` and `in_positions` (if positions go along; a
//! first run has no `in_positions`), `length` (of a row), and for a merge `width` (of the runs to merge).

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Module,
    StatementKind, Type, UnaryOperator, Variable,
};

use super::order::{Direction, is_before};

/// How many elements a work-item has.
pub const RUN_LENGTH: usize = 16;

/// Which step of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Short runs from any order.
    Runs,
    /// Longer runs from pairs of runs.
    Merge,
}

/// What a sort kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortShape {
    /// Which step.
    pub step: Step,
    /// The elements' dtype.
    pub dtype: DType,
    /// Which way they go.
    pub direction: Direction,
    /// Whether the elements' positions go along.
    pub has_positions: bool,
}

/// Writes the kernel `name`, for a range of rows and pieces of [`RUN_LENGTH`] elements.
pub fn module(name: &str, shape: SortShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 2);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(shape.dtype));
    let input = f.parameter("in", global(shape.dtype));
    let mut positions = |name: &str, is_there| {
        (shape.has_positions && is_there).then(|| f.parameter(name, global(DType::I64)))
    };
    let out_positions = positions("out_positions", true);
    let in_positions = positions("in_positions", shape.step == Step::Merge);
    let length = f.parameter("length", Type::INDEX);
    let row = f.global_id(0);
    let first = f.multiply(row, length);
    let first = f.bind("first", first);
    let mut of_row = |pointer| f.offset(pointer, first);
    let [out, input] = [of_row(out), of_row(input)];
    let [out_positions, in_positions] =
        [out_positions, in_positions].map(|pointer| pointer.map(&mut of_row));

    let piece = f.global_id(1);
    let run_length = f.index(RUN_LENGTH as i64);
    let start = f.multiply(piece, run_length);
    let start = f.bind("start", start);
    let end = f.add(start, run_length);
    let end = f.binary(BinaryOperator::Minimum, end, length);
    let end = f.bind("end", end);
    match shape.step {
        Step::Runs => insert(&mut f, shape, [start, end], out, input, out_positions),
        Step::Merge => {
            let width = f.parameter("width", Type::INDEX);
            let pair = Pair::new(&mut f, start, width, length);
            pair.merge(
                &mut f,
                shape,
                [start, end],
                [out, input],
                [out_positions, in_positions],
            );
        }
    }
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// Inserts each element of a run among those before it.
fn insert(
    f: &mut FunctionBuilder,
    shape: SortShape,
    [start, end]: [Handle<Expression>; 2],
    out: Handle<Expression>,
    input: Handle<Expression>,
    positions: Option<Handle<Expression>>,
) {
    f.for_range("i", start, end, |f, i| {
        let element = f.load(input, i);
        let element = f.bind("element", element);
        let to = f.variable("to", DType::I64);
        f.assign(to, i);
        let now = f.get(to);
        let condition = Some(f.binary(BinaryOperator::Less, start, now));
        let one = f.index(1);
        let body = f.block(|f| {
            let now = f.get(to);
            let before = f.binary(BinaryOperator::Subtract, now, one);
            let before = f.bind("before", before);
            let neighbour = f.load(out, before);
            let neighbour = f.bind("neighbour", neighbour);
            let moves = is_before(f, shape.direction, element, neighbour);
            f.if_else(
                moves,
                |f| {
                    let now = f.get(to);
                    f.store(out, now, neighbour);
                    if let Some(positions) = positions {
                        let moved = f.load(positions, before);
                        f.store(positions, now, moved);
                    }
                },
                |f| f.statement(StatementKind::Break),
            );
        });
        let step = f.block(|f| {
            let now = f.get(to);
            let next = f.binary(BinaryOperator::Subtract, now, one);
            f.assign(to, next);
        });
        f.statement(StatementKind::Loop {
            condition,
            body,
            step,
        });
        let now = f.get(to);
        f.store(out, now, element);
        if let Some(positions) = positions {
            f.store(positions, now, i);
        }
    });
}

/// Two runs that become one.
struct Pair {
    start: Handle<Expression>,
    middle: Handle<Expression>,
    end: Handle<Expression>,
}

impl Pair {
    /// The pair that an element belongs to.
    fn new(
        f: &mut FunctionBuilder,
        element: Handle<Expression>,
        width: Handle<Expression>,
        length: Handle<Expression>,
    ) -> Self {
        let both = f.add(width, width);
        let before = f.binary(BinaryOperator::TruncatingDivide, element, both);
        let start = f.multiply(before, both);
        let start = f.bind("pair_start", start);
        let middle = f.add(start, width);
        let middle = f.binary(BinaryOperator::Minimum, middle, length);
        let end = f.add(start, both);
        let end = f.binary(BinaryOperator::Minimum, end, length);
        Self {
            start,
            middle: f.bind("middle", middle),
            end: f.bind("pair_end", end),
        }
    }

    /// How many of the first `diagonal` elements come from the first run.
    fn count_of_first(
        &self,
        f: &mut FunctionBuilder,
        direction: Direction,
        input: Handle<Expression>,
        diagonal: Handle<Expression>,
    ) -> Handle<Variable> {
        let zero = f.index(0);
        let one = f.index(1);
        let low = f.variable("low", DType::I64);
        let high = f.variable("high", DType::I64);
        let second_length = f.binary(BinaryOperator::Subtract, self.end, self.middle);
        let at_least = f.binary(BinaryOperator::Subtract, diagonal, second_length);
        let at_least = f.binary(BinaryOperator::Maximum, at_least, zero);
        f.assign(low, at_least);
        let first_length = f.binary(BinaryOperator::Subtract, self.middle, self.start);
        let at_most = f.binary(BinaryOperator::Minimum, diagonal, first_length);
        f.assign(high, at_most);
        let (low_now, high_now) = (f.get(low), f.get(high));
        let condition = Some(f.binary(BinaryOperator::Less, low_now, high_now));
        let body = f.block(|f| {
            let (low_now, high_now) = (f.get(low), f.get(high));
            let sum = f.add(low_now, high_now);
            let half = f.binary(BinaryOperator::ShiftRight, sum, one);
            let half = f.bind("half", half);
            let at = f.add(self.start, half);
            let in_first = f.load(input, at);
            let rest = f.binary(BinaryOperator::Subtract, diagonal, half);
            let rest = f.binary(BinaryOperator::Subtract, rest, one);
            let at = f.add(self.middle, rest);
            let in_second = f.load(input, at);
            let second_is_before = is_before(f, direction, in_second, in_first);
            f.if_else(
                second_is_before,
                |f| f.assign(high, half),
                |f| {
                    let above = f.add(half, one);
                    f.assign(low, above);
                },
            );
        });
        let step = f.block(|_| {});
        f.statement(StatementKind::Loop {
            condition,
            body,
            step,
        });
        low
    }

    /// Writes the elements from `start` to `end` of the merged run.
    fn merge(
        &self,
        f: &mut FunctionBuilder,
        shape: SortShape,
        [start, end]: [Handle<Expression>; 2],
        [out, input]: [Handle<Expression>; 2],
        [out_positions, in_positions]: [Option<Handle<Expression>>; 2],
    ) {
        let diagonal = f.binary(BinaryOperator::Subtract, start, self.start);
        let diagonal = f.bind("diagonal", diagonal);
        let taken = self.count_of_first(f, shape.direction, input, diagonal);
        let taken = f.get(taken);
        let taken = f.bind("taken", taken);
        let first = f.variable("next_first", DType::I64);
        let second = f.variable("next_second", DType::I64);
        let from = f.add(self.start, taken);
        f.assign(first, from);
        let others = f.binary(BinaryOperator::Subtract, diagonal, taken);
        let from = f.add(self.middle, others);
        f.assign(second, from);
        let is_first = f.variable("is_first", DType::Bool);
        let one = f.index(1);
        f.for_range("i", start, end, |f, i| {
            let (first_now, second_now) = (f.get(first), f.get(second));
            let first_now = f.bind("first_now", first_now);
            let second_now = f.bind("second_now", second_now);
            let has_first = f.binary(BinaryOperator::Less, first_now, self.middle);
            let has_second = f.binary(BinaryOperator::Less, second_now, self.end);
            f.assign(is_first, has_first);
            let has_both = f.binary(BinaryOperator::BitAnd, has_first, has_second);
            f.if_(has_both, |f| {
                let left = f.load(input, first_now);
                let right = f.load(input, second_now);
                let second_is_before = is_before(f, shape.direction, right, left);
                let stays = f.unary(UnaryOperator::Not, second_is_before);
                f.assign(is_first, stays);
            });
            let takes_first = f.get(is_first);
            let from = f.select(takes_first, first_now, second_now);
            let from = f.bind("from", from);
            let element = f.load(input, from);
            f.store(out, i, element);
            if let (Some(out), Some(input)) = (out_positions, in_positions) {
                let position = f.load(input, from);
                f.store(out, i, position);
            }
            f.if_else(
                takes_first,
                |f| {
                    let next = f.add(first_now, one);
                    f.assign(first, next);
                },
                |f| {
                    let next = f.add(second_now, one);
                    f.assign(second, next);
                },
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_form_validates() {
        for dtype in DType::ALL {
            for step in [Step::Runs, Step::Merge] {
                for direction in [Direction::Ascending, Direction::Descending] {
                    for has_positions in [false, true] {
                        let shape = SortShape {
                            step,
                            dtype,
                            direction,
                            has_positions,
                        };
                        validate(module("sort", shape)).unwrap();
                    }
                }
            }
        }
    }
}
