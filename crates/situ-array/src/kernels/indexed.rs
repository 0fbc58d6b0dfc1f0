//! The indexed template: elements whose positions along some axes are read from memory.
//!
//! It is a map over the result of an index expression. Each operand moves with the loops: the elements that
//! are read or written move along slices and stay where they are along the dimensions of the index arrays, which
//! move along these. What the indices add comes on top. An index that does not exist is written down for
//! [`situ_runtime::index_report`], and its element is left alone.
//!
//! Parameters, in this order: those of the map template for the values, the data and the index arrays (as
//! if the values were an output), then for each index array the size of its axis and the stride of the
//! data along it, then the place for what is wrong.
//!
//! Where whole rows are chosen, and the processor moves them, a work-item moves a run of neighbours: an index is then looked at once for
//! all of them. The last dimension of such a launch counts runs, and its kernel has the length of a row as its last parameter.
//!
//! Where an element may be written several times, one work-item goes through everything in order, so that the last value
//! stays, as it does in NumPy. Such a kernel has after the operands the number of elements and the sizes of all
//! loops but the outermost.

use situ_ir::{
    AddressSpace, Atomic, AtomicOperation, BinaryOperator, DType, Expression, FunctionBuilder,
    Handle, MemoryOrder, MemoryScope, Module, Type, WorkItemQuery,
};

use smallvec::SmallVec;

use super::map::{self, MapOperand, MapShape};
use super::rows;

/// Which way elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the data to the values.
    Gather,
    /// From the values to the data.
    Scatter,
}

/// Who moves the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sequence {
    /// A work-item for each, in any order.
    Any,
    /// A work-item for up to [`RUN_LENGTH`] neighbours, in any order. In the innermost loop values and data are contiguous, and
    /// indices stay the same.
    Runs,
    /// One work-item all of them, in row-major order.
    InOrder,
}

/// How many neighbours a work-item moves.
pub const RUN_LENGTH: usize = 256;

/// What an indexed kernel is specialised for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexedShape {
    /// Which way elements go.
    pub direction: Direction,
    /// Who moves them.
    pub sequence: Sequence,
    /// Whether elements are asked for some time before they are read. There are at most two loops then: index arrays are
    /// contiguous along the outer one, and stay where they are along the inner one.
    pub prefetches: bool,
    /// The values, the data and the index arrays, and the loops over them. Nothing is converted before it
    /// is looked at, so there are no compute dtypes.
    pub map: MapShape,
}

impl IndexedShape {
    fn data_bytes(&self) -> usize {
        match self.map.operands[1] {
            MapOperand::Memory { dtype, .. } | MapOperand::Scalar { dtype } => dtype.size_bytes(),
        }
    }
}

/// Writes the kernel `name`.
pub fn module(name: &str, shape: &IndexedShape) -> Module {
    let rank = usize::from(shape.map.rank);
    let dims = match shape.sequence {
        Sequence::Any | Sequence::Runs => rank.min(situ_ir::range::MAX_DIMS),
        Sequence::InOrder => 1,
    };
    let mut f = FunctionBuilder::kernel(name, dims as u8);
    let operands = map::declare_operands(&mut f, &shape.map);
    match shape.sequence {
        Sequence::Any => {
            let loops = map::loop_indices(&mut f, rank);
            transfer(&mut f, shape, &operands, &loops);
        }
        Sequence::Runs => {
            let loops = map::loop_indices(&mut f, rank);
            transfer_run(&mut f, shape, &operands, loops);
        }
        Sequence::InOrder => {
            let count = f.parameter("count", Type::INDEX);
            let start = f.index(0);
            f.for_range("element", start, count, |f, element| {
                let loops = rows::indices(f, rank, element);
                transfer(f, shape, &operands, &loops);
            });
        }
    }
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// Moves one element.
fn transfer(
    f: &mut FunctionBuilder,
    shape: &IndexedShape,
    operands: &[Handle<Expression>],
    loops: &[Handle<Expression>],
) {
    let found = find(f, shape, operands, loops);
    if shape.prefetches {
        let place = found.place_ahead(f, operands, loops[0]);
        f.prefetch(operands[1], place);
    }
    found.if_exists(f, |f| {
        transfer_one(f, shape, operands, found.values, found.data);
    });
}

/// How many steps of the outer loop ahead elements are asked for: what memory sends while one element is on its way.
const PREFETCH_DISTANCE: i64 = 64;

/// How many bytes come from memory at a time.
const LINE_BYTES: usize = 64;

/// How many lines of a row are asked for. Those after them come as quickly if nobody asks: processors see what is read one after the other.
const PREFETCHED_LINES: usize = 3;

/// Moves neighbours; the innermost loop counts runs of them.
fn transfer_run(
    f: &mut FunctionBuilder,
    shape: &IndexedShape,
    operands: &[Handle<Expression>],
    mut loops: SmallVec<[Handle<Expression>; 4]>,
) {
    let run = loops.pop().expect("there is a loop");
    let run_length = f.index(RUN_LENGTH as i64);
    let start = f.multiply(run, run_length);
    let start = f.bind("start", start);
    loops.push(start);
    let found = find(f, shape, operands, &loops);
    let row_length = f.parameter("row_length", Type::INDEX);
    let rest = f.binary(BinaryOperator::Subtract, row_length, start);
    let is_last = f.binary(BinaryOperator::Less, rest, run_length);
    let count = f.select(is_last, rest, run_length);
    let count = f.bind("count", count);
    if shape.prefetches {
        let place = found.place_ahead(f, operands, loops[0]);
        let one = f.index(1);
        let last = f.binary(BinaryOperator::Subtract, count, one);
        for line in 0..PREFETCHED_LINES {
            let offset = f.index((line * LINE_BYTES / shape.data_bytes()) as i64);
            let offset = f.binary(BinaryOperator::Minimum, offset, last);
            let at = f.add(place, offset);
            f.prefetch(operands[1], at);
        }
    }
    let values = found.values.expect("values are in memory");
    found.if_exists(f, |f| {
        let first = f.index(0);
        f.for_range("neighbour", first, count, |f, neighbour| {
            let value = f.add(values, neighbour);
            let data = f.add(found.data, neighbour);
            transfer_one(f, shape, operands, Some(value), data);
        });
    });
}

/// Where something is to be moved.
struct Found {
    /// Where it is in the values; nowhere if they are one number.
    values: Option<Handle<Expression>>,
    /// Where it is in the data.
    data: Handle<Expression>,
    /// Whether all indices exist; if there are none, they do.
    exists: Option<Handle<Expression>>,
    /// Where it would be if all indices were zero.
    base: Handle<Expression>,
    /// Where each index is, and the stride of the data along its axis.
    indices: SmallVec<[(Handle<Expression>, Handle<Expression>); 2]>,
}

impl Found {
    /// Where the data of a later step of the outer loop is, of which this is the step `now`. Its indices are looked at as they
    /// are: what does not exist is not fetched.
    fn place_ahead(
        &self,
        f: &mut FunctionBuilder,
        operands: &[Handle<Expression>],
        now: Handle<Expression>,
    ) -> Handle<Expression> {
        let (one, distance) = (f.index(1), f.index(PREFETCH_DISTANCE));
        let count = f.work_item(WorkItemQuery::GlobalSize(0));
        let rest = f.binary(BinaryOperator::Subtract, count, now);
        let rest = f.binary(BinaryOperator::Subtract, rest, one);
        let ahead = f.binary(BinaryOperator::Minimum, distance, rest);
        let ahead = f.bind("ahead", ahead);
        let mut place = self.base;
        for (&(at, stride), &operand) in self.indices.iter().zip(&operands[2..]) {
            let later = f.add(at, ahead);
            let index = f.load(operand, later);
            let index = f.cast(index, DType::I64);
            let moved = f.multiply(index, stride);
            place = f.add(place, moved);
        }
        f.bind("place_ahead", place)
    }

    fn if_exists(&self, f: &mut FunctionBuilder, transfer: impl FnOnce(&mut FunctionBuilder)) {
        match self.exists {
            Some(exists) => f.if_(exists, transfer),
            None => transfer(f),
        }
    }
}

/// Reads the indices.
fn find(
    f: &mut FunctionBuilder,
    shape: &IndexedShape,
    operands: &[Handle<Expression>],
    loops: &[Handle<Expression>],
) -> Found {
    let map = &shape.map;
    let positions = map::declare_positions(f, map, loops);
    let count = operands.len() - 2;
    let axes: Vec<_> = (0..count)
        .map(|number| {
            let size = f.parameter(format!("axis_size{number}"), Type::INDEX);
            let stride = f.parameter(format!("axis_stride{number}"), Type::INDEX);
            (size, stride)
        })
        .collect();
    let found = f.parameter("found", Type::pointer(DType::I64, AddressSpace::Global));

    let base = positions[1].expect("the data is in memory");
    let mut at = base;
    let mut indices = SmallVec::new();
    let mut all_exist = None;
    for (number, (size, stride)) in axes.into_iter().enumerate() {
        let operand = number + 2;
        let index = match positions[operand] {
            Some(position) => {
                indices.push((position, stride));
                f.load(operands[operand], position)
            }
            None => operands[operand],
        };
        let index = f.cast(index, DType::I64);
        let index = f.bind("index", index);
        let zero = f.index(0);
        let is_negative = f.binary(BinaryOperator::Less, index, zero);
        let from_end = f.add(index, size);
        let wrapped = f.select(is_negative, from_end, index);
        let wrapped = f.bind("wrapped", wrapped);
        let above = f.binary(BinaryOperator::GreaterEqual, wrapped, zero);
        let below = f.binary(BinaryOperator::Less, wrapped, size);
        let exists = f.binary(BinaryOperator::BitAnd, above, below);
        let exists = f.bind("exists", exists);
        f.if_else(exists, |_| {}, |f| write_down(f, found, number, index));
        let moved = f.multiply(wrapped, stride);
        at = f.add(at, moved);
        all_exist = Some(match all_exist {
            Some(others) => f.binary(BinaryOperator::BitAnd, others, exists),
            None => exists,
        });
    }
    Found {
        values: positions[0],
        data: f.bind("at", at),
        exists: all_exist,
        base,
        indices,
    }
}

/// Moves an element between two places.
fn transfer_one(
    f: &mut FunctionBuilder,
    shape: &IndexedShape,
    operands: &[Handle<Expression>],
    values: Option<Handle<Expression>>,
    data: Handle<Expression>,
) {
    let dtype = |operand: usize| match shape.map.operands[operand] {
        MapOperand::Memory { dtype, .. } => dtype,
        MapOperand::Scalar { .. } => panic!("what is written is in memory"),
    };
    match shape.direction {
        Direction::Gather => {
            let element = f.load(operands[1], data);
            let to = values.expect("the result is in memory");
            let element = f.cast(element, dtype(0));
            f.store(operands[0], to, element);
        }
        Direction::Scatter => {
            let value = match values {
                Some(at) => f.load(operands[0], at),
                None => operands[0],
            };
            let value = f.cast(value, dtype(1));
            f.store(operands[1], data, value);
        }
    }
}

/// The first work-item that finds something wrong says what.
pub(super) fn write_down(
    f: &mut FunctionBuilder,
    found: Handle<Expression>,
    number: usize,
    index: Handle<Expression>,
) {
    let (zero, one) = (f.index(0), f.index(1));
    let which = f.index(number as i64 + 1);
    let before = f.value("before", DType::I64.into());
    f.atomic(Atomic {
        operation: AtomicOperation::CompareExchange,
        pointer: found,
        index: zero,
        operand: Some(which),
        expected: Some(zero),
        result: Some(before),
        order: MemoryOrder::Relaxed,
        scope: MemoryScope::Device,
    });
    let before = f.expression(Expression::Value(before));
    let is_first = f.binary(BinaryOperator::Equal, before, zero);
    f.if_(is_first, |f| f.store(found, one, index));
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;
    use crate::loop_nest::StrideClass;

    #[test]
    fn what_is_far_away_is_asked_for_ahead() {
        let memory = |dtype, stride| MapOperand::Memory { dtype, stride };
        let prefetches = |sequence, rank, indices, prefetches| {
            let (inner, of_index) = match rank {
                1 => (StrideClass::Broadcast, StrideClass::Contiguous),
                _ => (StrideClass::Contiguous, StrideClass::Broadcast),
            };
            let mut operands = SmallVec::from_slice(&[
                memory(DType::F64, StrideClass::Contiguous),
                memory(DType::F64, inner),
            ]);
            operands.extend((0..indices).map(|_| memory(DType::I32, of_index)));
            let shape = IndexedShape {
                direction: Direction::Gather,
                sequence,
                prefetches,
                map: MapShape {
                    operands,
                    compute: SmallVec::new(),
                    rank,
                    is_masked: false,
                    streams: false,
                },
            };
            let module = validate(module("gather", &shape)).unwrap();
            situ_ir::text::print(&module).matches("prefetch(").count()
        };
        for indices in 1..3 {
            assert_eq!(prefetches(Sequence::Any, 1, indices, true), 1);
            assert_eq!(prefetches(Sequence::Any, 2, indices, true), 1);
            assert_eq!(prefetches(Sequence::Runs, 2, indices, true), 3);
            assert_eq!(prefetches(Sequence::Runs, 2, indices, false), 0);
        }
    }

    #[test]
    fn every_rank_and_direction_validates() {
        let memory = |dtype, stride| MapOperand::Memory { dtype, stride };
        for rank in 1..=5 {
            for direction in [Direction::Gather, Direction::Scatter] {
                for indices in 0..3 {
                    let mut operands: SmallVec<[MapOperand; 4]> = SmallVec::from_slice(&[
                        memory(DType::F32, StrideClass::Contiguous),
                        memory(DType::F64, StrideClass::Broadcast),
                    ]);
                    operands.extend((0..indices).map(|_| memory(DType::U8, StrideClass::Strided)));
                    let map = MapShape {
                        operands,
                        compute: SmallVec::new(),
                        rank,
                        is_masked: false,
                        streams: false,
                    };
                    for sequence in [Sequence::Any, Sequence::Runs, Sequence::InOrder] {
                        let shape = IndexedShape {
                            direction,
                            sequence,
                            prefetches: false,
                            map: map.clone(),
                        };
                        validate(module("indexed", &shape)).unwrap();
                    }
                }
            }
        }
    }
}
