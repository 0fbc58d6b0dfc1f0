//! The reduce template: many elements combined into one, along one loop.
//!
//! The reduced loop is cut into blocks of a fixed length and each work-item combines one block in a
//! fixed order, so the answer does not depend on the number of threads. A launch over several blocks
//! writes partial results, which the same template reduces again until one block is left. Rounding
//! errors therefore grow with the logarithm of the number of blocks, not with the number of elements.
//!
//! Two walks, by what is close to each other in memory:
//!
//! * [`Walk::Along`]: the reduced elements are. A work-item runs along them with
//!   [`LANES`] accumulators, which become vector registers. Integers need but one: their order does not matter, so
//!   that the compiler makes vectors of it by itself, and better ones.
//! * [`Walk::Beside`]: the results' elements are. A work-item goes down several
//!   columns at once, row by row, which become vector registers too: [`COLUMNS`], or fewer where there are not so many.
//!
//! Elements that are close may be next to each other or have gaps between them (`is_spread`). Then their distance is a
//! parameter, and accumulators only keep additions from waiting for each other.
//!
//! What is combined need not be in memory: elements may be what an expression makes of several operands
//! ([`ElementsBody`]). Where that is long or calls functions, a loop of its own makes the elements of a block first,
//! in private memory, or combines a row of elements with accumulators there: LLVM makes vectors of such loops, but
//! not of calls that are spread over accumulators.
//!
//! What is combined need not be the elements themselves ([`Prepare`]), and what comes out need not be the
//! combination itself ([`Finish`]): a variance is one kernel.
//!
//! Parameters, in this order: `out`, the operands that elements are made of, `center` and `group` (only for
//! [`Prepare::SquaredDistance`]), `divisor` (only for [`Finish::Divide`] and [`Finish::Root`]), `length` (of the reduced loop), `step` (its
//! stride, unless it is known to be one), `columns` (the size of the innermost kept loop, only for
//! [`Walk::Beside`]), `column` (its stride, unless it is known to be one), the sizes of the kept loops but the outermost, the strides of the kept loops for each place that
//! operands are at, and then for each place but the first the strides of the reduced loop and of columns, if they are
//! not known.

use situ_ir::promotion::complex_of;
use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal,
    MathFunction, Module, StatementKind, Type, UnaryOperator, Variable, WorkItemQuery,
};

use smallvec::SmallVec;

use super::elements::{ElementsBody, ElementsShape, Stride};
use super::rows;

/// How many accumulators a work-item has when it runs along memory.
pub const LANES: i64 = 16;

/// How many columns a work-item goes down at once, if there are so many.
const COLUMNS: usize = 32;

/// How many columns it goes down if accumulators are in memory.
const BUFFERED_COLUMNS: usize = 256;

/// Which elements are close to each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// The reduced ones.
    Along,
    /// The kept ones. A work-item goes down so many columns at once, a power of two.
    Beside(u8),
}

impl Walk {
    /// The walk along a loop with this step, where the innermost of the kept loops has this size and
    /// stride.
    ///
    /// Two columns are enough: each column alone would bring all of its cache lines from memory, and so would the
    /// next one.
    pub fn of(step: isize, (columns, stride): (usize, isize)) -> Self {
        let is_closer = stride == 1 || stride.unsigned_abs() < step.unsigned_abs();
        if step != 1 && columns >= 2 && stride != 0 && is_closer {
            Self::Beside(1 << columns.min(COLUMNS).ilog2())
        } else {
            Self::Along
        }
    }

    /// The same where making elements takes longer than reading them: a loop along them makes more at once than a
    /// loop over a few columns.
    pub fn of_costly(step: isize, columns: (usize, isize)) -> Self {
        match Self::of(step, columns) {
            walk @ Self::Beside(_) if walk.is_wide() => walk,
            _ => Self::Along,
        }
    }

    /// Whether there are as many columns as a work-item can go down at once.
    pub fn is_wide(self) -> bool {
        self == Self::Beside(COLUMNS as u8)
    }

    /// Whether elements that are close have gaps between them.
    pub fn is_spread(self, step: isize, stride: isize) -> bool {
        match self {
            Self::Along => step != 1,
            Self::Beside(_) => stride != 1,
        }
    }

    /// The strides of kept elements and of blocks in what a launch writes: it lies (kept, block), or
    /// (block, kept).
    pub fn partial_strides(self, kept: usize, blocks: usize) -> (isize, isize) {
        match self {
            Self::Along => (blocks as isize, 1),
            Self::Beside(_) => (1, kept as isize),
        }
    }

    /// How many results a work-item makes.
    pub fn columns(self, is_buffered: bool) -> usize {
        match self {
            Self::Along => 1,
            Self::Beside(_) if is_buffered => BUFFERED_COLUMNS,
            Self::Beside(columns) => usize::from(columns),
        }
    }

    /// How many elements a work-item combines.
    pub fn block_length(self) -> usize {
        match self {
            Self::Along => 1024,
            Self::Beside(_) => 256,
        }
    }
}

/// What becomes of an element before it is combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prepare {
    /// It is converted.
    Convert,
    /// Whether it is not zero.
    IsNonZero,
    /// A NaN becomes what changes nothing.
    SkipNan,
    /// Whether it is a number, and not NaN.
    IsNumber,
    /// The square of its distance from a number that belongs to the result.
    SquaredDistance,
    /// The same, and nothing for a NaN.
    SquaredDistanceSkipNan,
}

impl Prepare {
    /// Whether there is a number for each result that elements are compared with.
    pub fn has_center(self) -> bool {
        matches!(self, Self::SquaredDistance | Self::SquaredDistanceSkipNan)
    }
}

/// What becomes of the combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// It is converted.
    Convert,
    /// It is divided by one number.
    Divide,
    /// It is divided by one number, and the square root is taken.
    Root,
}

/// What a reduce kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReduceShape {
    /// What becomes of an element first.
    pub prepare: Prepare,
    /// What becomes of the combination.
    pub finish: Finish,
    /// What two elements become.
    pub combine: BinaryOperator,
    /// The elements' dtype.
    pub input: DType,
    /// The dtype elements are converted to and combined in.
    pub accumulate: DType,
    /// The dtype of the results.
    pub output: DType,
    /// The walk.
    pub walk: Walk,
    /// Whether elements that are close have gaps between them.
    pub is_spread: bool,
    /// How many kept loops there are (their number after merging).
    pub kept_rank: u8,
}

/// The content of an accumulator before its first element.
///
/// # Panics
/// If the operator is not one that arrays are reduced with.
pub fn identity(combine: BinaryOperator, dtype: DType) -> Literal {
    match combine {
        // Minus zero, because 0.0 + -0.0 would lose the sign of a sum of minus zeros.
        BinaryOperator::Add if dtype.is_float() => Literal::from_f64(dtype, -0.0),
        BinaryOperator::Add => Literal::zero(dtype),
        BinaryOperator::Multiply => Literal::one(dtype),
        BinaryOperator::Minimum => Literal::from_f64(dtype, f64::INFINITY),
        BinaryOperator::Maximum => Literal::from_f64(dtype, f64::NEG_INFINITY),
        BinaryOperator::BitOr => Literal::zero(dtype),
        BinaryOperator::BitAnd if dtype.is_bool() => Literal::Bool(true),
        other => panic!("arrays are not reduced with {}", other.name()),
    }
}

/// Writes the kernel `name`.
pub fn module(name: &str, shape: &ReduceShape, body: ElementsBody<'_>) -> Module {
    let dims = match shape.walk {
        Walk::Along => 2,
        Walk::Beside(_) => 3,
    };
    let mut f = FunctionBuilder::kernel(name, dims);
    let out = f.parameter("out", Type::pointer(shape.output, AddressSpace::Global));
    let operands = body.shape.declare(&mut f);
    let center = shape.prepare.has_center().then(|| {
        let center = Type::pointer(shape.center(), AddressSpace::Global);
        (
            f.parameter("center", center),
            f.parameter("group", Type::INDEX),
        )
    });
    let divisor = (shape.finish != Finish::Convert)
        .then(|| f.parameter("divisor", shape.accumulate.real().into()));
    let length = f.parameter("length", Type::INDEX);
    let mut columns = None;
    let places = body.shape.places();
    let mut position = match shape.walk {
        Walk::Along => position_along(&mut f, shape, places),
        Walk::Beside(_) => {
            let (position, count) = position_beside(&mut f, shape, body.shape);
            columns = Some(count);
            position
        }
    };
    for (index, moves) in body.shape.moves.iter().enumerate() {
        let place = index + 1;
        let step = Stride::declare(&mut f, moves.step, format!("step{place}"));
        position.steps.push(step);
        let column = Stride::declare(&mut f, moves.column, format!("column{place}"));
        position.columns.push(column);
    }
    let start = {
        let block = f.index(shape.walk.block_length() as i64);
        f.multiply(position.block, block)
    };
    let start = f.bind("start", start);
    let end = {
        let block = f.index(shape.walk.block_length() as i64);
        let end = f.add(start, block);
        f.binary(BinaryOperator::Minimum, end, length)
    };
    let end = f.bind("end", end);
    let buffer = body.shape.is_buffered.then(|| {
        let length = match shape.walk {
            Walk::Along => shape.walk.block_length(),
            Walk::Beside(_) => BUFFERED_COLUMNS,
        } as u64;
        f.array("buffer", shape.accumulate, length, AddressSpace::Private)
    });
    let kernel = Kernel {
        shape,
        body,
        buffer,
        out,
        operands,
        center,
        divisor,
        position,
        start,
        end,
    };
    match columns {
        None => {
            let mut elements = kernel.elements(&mut f, None);
            elements.fill_buffer(&mut f, start, end);
            let result = if shape.is_exact() {
                combine_in_turn(&mut f, &elements, start, end)
            } else {
                combine_in_lanes(&mut f, &elements, start, end)
            };
            kernel.store(&mut f, None, result);
        }
        Some(columns) => match kernel.buffer {
            None => kernel.columns(&mut f, columns),
            Some(buffer) => kernel.buffered_columns(&mut f, buffer, columns),
        },
    }
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

impl ReduceShape {
    /// Whether elements may be combined in any order.
    fn is_exact(self) -> bool {
        !self.accumulate.is_float() && !self.accumulate.is_complex()
    }

    /// The dtype of the numbers that elements are compared with: that of the elements, as wide as the
    /// accumulators.
    pub fn center(&self) -> DType {
        if self.input.is_complex() {
            complex_of(self.accumulate.real())
        } else {
            self.accumulate
        }
    }
}

fn finished(
    f: &mut FunctionBuilder,
    shape: ReduceShape,
    combination: Handle<Expression>,
    divisor: Handle<Expression>,
) -> Handle<Expression> {
    let divisor = f.cast(divisor, shape.accumulate);
    let quotient = f.binary(BinaryOperator::Divide, combination, divisor);
    match shape.finish {
        Finish::Root => f.math(MathFunction::Sqrt, &[quotient]),
        Finish::Convert | Finish::Divide => quotient,
    }
}

/// What all work-items of a kernel have.
struct Kernel<'a> {
    shape: &'a ReduceShape,
    body: ElementsBody<'a>,
    /// Where the elements of a block are written before they are combined, or the accumulators of columns are.
    buffer: Option<Handle<Expression>>,
    out: Handle<Expression>,
    operands: SmallVec<[Handle<Expression>; 4]>,
    /// What elements are compared with, and how many of the kept ones share a number.
    center: Option<(Handle<Expression>, Handle<Expression>)>,
    divisor: Option<Handle<Expression>>,
    position: Position,
    start: Handle<Expression>,
    end: Handle<Expression>,
}

impl Kernel<'_> {
    /// The elements of the reduced loop, some columns further if that is said.
    fn elements(
        &self,
        f: &mut FunctionBuilder,
        column: Option<Handle<Expression>>,
    ) -> Elements<'_> {
        let position = &self.position;
        // Loops that are reduced later share the number of the result they will become part of.
        let center = self.center.map(|(center, group)| {
            let kept = position.kept;
            let kept = column.map_or(kept, |column| f.add(kept, column));
            let at = f.binary(BinaryOperator::TruncatingDivide, kept, group);
            let center = f.load(center, at);
            f.bind("center", center)
        });
        let bases = position.bases.iter().zip(&position.columns);
        Elements {
            shape: self.shape,
            body: self.body,
            operands: &self.operands,
            center,
            bases: bases
                .map(|(&base, stride)| column.map_or(base, |column| stride.moved(f, base, column)))
                .collect(),
            steps: &position.steps,
            buffer: self.buffer,
            first: None,
        }
    }

    /// Writes what the elements were combined to.
    fn store(
        &self,
        f: &mut FunctionBuilder,
        column: Option<Handle<Expression>>,
        result: Handle<Expression>,
    ) {
        let result = self
            .divisor
            .map_or(result, |divisor| finished(f, *self.shape, result, divisor));
        let result = f.cast(result, self.shape.output);
        let at = self.position.result;
        let at = column.map_or(at, |column| f.add(at, column));
        f.store(self.out, at, result);
    }

    /// Goes down as many columns at once as the walk says, or down those that are left one after the other.
    fn columns(&self, f: &mut FunctionBuilder, left: Handle<Expression>) {
        let all = f.index(self.shape.walk.columns(false) as i64);
        let are_all = f.binary(BinaryOperator::GreaterEqual, left, all);
        f.if_else(
            are_all,
            |f| self.all_columns(f),
            |f| {
                let first = f.index(0);
                f.for_range("column", first, left, |f, column| {
                    let elements = self.elements(f, Some(column));
                    let result = combine_in_turn(f, &elements, self.start, self.end);
                    self.store(f, Some(column), result);
                });
            },
        );
    }

    fn all_columns(&self, f: &mut FunctionBuilder) {
        let columns: Vec<_> = (0..self.shape.walk.columns(false) as i64)
            .map(|lane| {
                let column = f.index(lane);
                let elements = self.elements(f, Some(column));
                let accumulator = accumulator(f, *self.shape, lane);
                (column, elements, accumulator)
            })
            .collect();
        f.for_range("i", self.start, self.end, |f, i| {
            for (_, elements, accumulator) in &columns {
                elements.combine(f, *accumulator, i);
            }
        });
        for (column, _, accumulator) in columns {
            let result = f.get(accumulator);
            self.store(f, Some(column), result);
        }
    }

    /// Goes down up to [`BUFFERED_COLUMNS`] columns at once, with accumulators in memory.
    fn buffered_columns(
        &self,
        f: &mut FunctionBuilder,
        accumulators: Handle<Expression>,
        left: Handle<Expression>,
    ) {
        let (first, all) = (f.index(0), f.index(BUFFERED_COLUMNS as i64));
        let width = f.binary(BinaryOperator::Minimum, left, all);
        let width = f.bind("width", width);
        let identity = f.literal(identity(self.shape.combine, self.shape.accumulate));
        f.for_range("column", first, width, |f, column| {
            f.store(accumulators, column, identity);
        });
        f.for_range("i", self.start, self.end, |f, i| {
            f.for_range("column", first, width, |f, column| {
                let element = self.elements(f, Some(column)).element(f, i);
                let so_far = f.load(accumulators, column);
                let combined = f.binary(self.shape.combine, so_far, element);
                f.store(accumulators, column, combined);
            });
        });
        f.for_range("column", first, width, |f, column| {
            let result = f.load(accumulators, column);
            self.store(f, Some(column), result);
        });
    }
}

/// Where a work-item reads and writes.
struct Position {
    /// Which of the kept elements, counted flat.
    kept: Handle<Expression>,
    /// Which block of the reduced loop.
    block: Handle<Expression>,
    /// Where each place is at the start of the reduced loop.
    bases: SmallVec<[Handle<Expression>; 2]>,
    /// The stride of each place in the reduced loop.
    steps: SmallVec<[Stride; 2]>,
    /// The stride of each place from a column to the next.
    columns: SmallVec<[Stride; 2]>,
    /// The output's element.
    result: Handle<Expression>,
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
fn position_along(f: &mut FunctionBuilder, shape: &ReduceShape, places: usize) -> Position {
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
fn position_beside(
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

/// The elements of one reduced loop.
struct Elements<'a> {
    shape: &'a ReduceShape,
    body: ElementsBody<'a>,
    operands: &'a [Handle<Expression>],
    /// What elements are compared with, if they are.
    center: Option<Handle<Expression>>,
    bases: SmallVec<[Handle<Expression>; 2]>,
    steps: &'a [Stride],
    buffer: Option<Handle<Expression>>,
    /// The index of the first element in the buffer, when it is filled.
    first: Option<Handle<Expression>>,
}

impl Elements<'_> {
    /// Combines an accumulator with the element at an index of the reduced loop.
    fn combine(
        &self,
        f: &mut FunctionBuilder,
        accumulator: Handle<Variable>,
        index: Handle<Expression>,
    ) {
        let element = match (self.buffer, self.first) {
            (Some(buffer), Some(first)) => {
                let at = f.binary(BinaryOperator::Subtract, index, first);
                f.load(buffer, at)
            }
            _ => self.element(f, index),
        };
        combine(f, *self.shape, accumulator, element);
    }

    /// The element at an index of the reduced loop, ready to be combined.
    fn element(&self, f: &mut FunctionBuilder, index: Handle<Expression>) -> Handle<Expression> {
        let places = self.bases.iter().zip(self.steps);
        let positions: SmallVec<[Handle<Expression>; 2]> = places
            .map(|(&base, step)| step.moved(f, base, index))
            .collect();
        let element = self.body.element(f, self.operands, &positions);
        self.prepared(f, element)
    }

    /// Makes all elements of a block, if there is a buffer for them.
    fn fill_buffer(
        &mut self,
        f: &mut FunctionBuilder,
        start: Handle<Expression>,
        end: Handle<Expression>,
    ) {
        let Some(buffer) = self.buffer else {
            return;
        };
        f.for_range("made", start, end, |f, index| {
            let element = self.element(f, index);
            let at = f.binary(BinaryOperator::Subtract, index, start);
            f.store(buffer, at, element);
        });
        self.first = Some(start);
    }

    fn prepared(&self, f: &mut FunctionBuilder, element: Handle<Expression>) -> Handle<Expression> {
        let accumulate = self.shape.accumulate;
        let element = f.bind("element", element);
        match (self.shape.prepare, self.center) {
            (Prepare::IsNonZero, _) => {
                let is_nonzero = f.cast(element, DType::Bool);
                f.cast(is_nonzero, accumulate)
            }
            (Prepare::IsNumber, _) => {
                let is_nan = is_nan(f, element);
                let is_number = f.unary(UnaryOperator::Not, is_nan);
                f.cast(is_number, accumulate)
            }
            (Prepare::SkipNan, _) => {
                let is_nan = is_nan(f, element);
                let element = f.cast(element, accumulate);
                let nothing = self.nothing(f);
                f.select(is_nan, nothing, element)
            }
            (prepare, Some(center)) => {
                let square = self.squared_distance(f, element, center);
                if prepare == Prepare::SquaredDistance {
                    return square;
                }
                let is_nan = is_nan(f, element);
                let nothing = self.nothing(f);
                f.select(is_nan, nothing, square)
            }
            (_, None) => f.cast(element, accumulate),
        }
    }

    /// What stands in for a NaN. A sum of nothing but NaNs is plus zero.
    fn nothing(&self, f: &mut FunctionBuilder) -> Handle<Expression> {
        f.literal(match self.shape.combine {
            BinaryOperator::Add => Literal::zero(self.shape.accumulate),
            combine => identity(combine, self.shape.accumulate),
        })
    }

    fn squared_distance(
        &self,
        f: &mut FunctionBuilder,
        element: Handle<Expression>,
        center: Handle<Expression>,
    ) -> Handle<Expression> {
        let element = f.cast(element, self.shape.center());
        let distance = f.binary(BinaryOperator::Subtract, element, center);
        let distance = f.bind("distance", distance);
        if !self.shape.input.is_complex() {
            return f.multiply(distance, distance);
        }
        let real = f.unary(UnaryOperator::Real, distance);
        let imaginary = f.unary(UnaryOperator::Imaginary, distance);
        let (real, imaginary) = (f.multiply(real, real), f.multiply(imaginary, imaginary));
        f.add(real, imaginary)
    }
}

/// A new accumulator.
fn accumulator(f: &mut FunctionBuilder, shape: ReduceShape, lane: i64) -> Handle<Variable> {
    let accumulator = f.variable(format!("acc{lane}"), shape.accumulate);
    let identity = f.literal(identity(shape.combine, shape.accumulate));
    f.assign(accumulator, identity);
    accumulator
}

/// Combines an accumulator with an element.
fn combine(
    f: &mut FunctionBuilder,
    shape: ReduceShape,
    accumulator: Handle<Variable>,
    element: Handle<Expression>,
) {
    let so_far = f.get(accumulator);
    let combined = f.binary(shape.combine, so_far, element);
    f.assign(accumulator, combined);
}

/// Whether an element or a part of it is NaN.
fn is_nan(f: &mut FunctionBuilder, element: Handle<Expression>) -> Handle<Expression> {
    let dtype = f.dtype_of(element);
    if dtype.is_float() {
        return f.unary(UnaryOperator::IsNan, element);
    }
    if !dtype.is_complex() {
        return f.literal(Literal::Bool(false));
    }
    let (real, imaginary) = (
        f.unary(UnaryOperator::Real, element),
        f.unary(UnaryOperator::Imaginary, element),
    );
    let (real, imaginary) = (
        f.unary(UnaryOperator::IsNan, real),
        f.unary(UnaryOperator::IsNan, imaginary),
    );
    f.binary(BinaryOperator::BitOr, real, imaginary)
}

/// One accumulator, one element after the other.
fn combine_in_turn(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    start: Handle<Expression>,
    end: Handle<Expression>,
) -> Handle<Expression> {
    let accumulator = accumulator(f, *elements.shape, 0);
    f.for_range("i", start, end, |f, i| elements.combine(f, accumulator, i));
    f.get(accumulator)
}

/// [`LANES`] accumulators over whole groups of elements, one more over the rest, then a tree.
///
/// The rest has its own accumulator because lanes that are all alike become vector registers.
fn combine_in_lanes(
    f: &mut FunctionBuilder,
    elements: &Elements<'_>,
    start: Handle<Expression>,
    end: Handle<Expression>,
) -> Handle<Expression> {
    let lanes: Vec<_> = (0..LANES)
        .map(|lane| accumulator(f, *elements.shape, lane))
        .collect();
    let counter = f.variable("i", DType::I64);
    f.assign(counter, start);
    advance_while_fits(f, counter, end, LANES, |f, i| {
        for (lane, &accumulator) in lanes.iter().enumerate() {
            let offset = f.index(lane as i64);
            let index = f.add(i, offset);
            elements.combine(f, accumulator, index);
        }
    });
    let rest = accumulator(f, *elements.shape, LANES);
    advance_while_fits(f, counter, end, 1, |f, i| elements.combine(f, rest, i));
    let mut results: Vec<_> = lanes.iter().map(|&lane| f.get(lane)).collect();
    while results.len() > 1 {
        let half = results.len() / 2;
        results = (0..half)
            .map(|lane| f.binary(elements.shape.combine, results[lane], results[lane + half]))
            .collect();
    }
    let rest = f.get(rest);
    f.binary(elements.shape.combine, results[0], rest)
}

/// Repeats `body` while another `width` elements fit before `end`, moving the counter by `width`.
pub(super) fn advance_while_fits(
    f: &mut FunctionBuilder,
    counter: Handle<Variable>,
    end: Handle<Expression>,
    width: i64,
    body: impl FnOnce(&mut FunctionBuilder, Handle<Expression>),
) {
    let now = f.get(counter);
    let width = f.index(width);
    let next = f.add(now, width);
    let condition = Some(f.binary(BinaryOperator::LessEqual, next, end));
    let body = f.block(|f| {
        let now = f.get(counter);
        body(f, now);
    });
    let step = f.block(|f| f.assign(counter, next));
    f.statement(StatementKind::Loop {
        condition,
        body,
        step,
    });
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::super::elements::{ElementOperand, Moves};
    use super::*;
    use crate::loop_nest::StrideClass;

    fn every_walk() -> impl Iterator<Item = (Walk, bool)> {
        let walks = [Walk::Along, Walk::Beside(2), Walk::Beside(32)];
        walks
            .into_iter()
            .flat_map(|walk| [(walk, false), (walk, true)])
    }

    #[test]
    fn walks_go_where_elements_are_close() {
        assert_eq!(Walk::of(1, (1000, 1000)), Walk::Along);
        assert_eq!(Walk::of(2, (1000, 2000)), Walk::Along);
        assert_eq!(Walk::of(1000, (1000, 1)), Walk::Beside(32));
        assert_eq!(Walk::of(1000, (500, -2)), Walk::Beside(32));
        assert_eq!(Walk::of(31, (31, 1)), Walk::Beside(16));
        assert_eq!(Walk::of(3, (3, 1)), Walk::Beside(2));
        assert_eq!(
            Walk::of_costly(31, (31, 1)),
            Walk::Along,
            "31 columns are few"
        );
        assert_eq!(Walk::of(3, (1, 1)), Walk::Along, "nothing is beside");
        assert_eq!(
            Walk::of(8, (100, 0)),
            Walk::Along,
            "one column again and again"
        );
        assert_eq!(Walk::of(0, (100, 1)), Walk::Beside(32));
    }

    #[test]
    fn every_walk_and_rank_validates() {
        for (walk, is_spread) in every_walk() {
            // There is nothing beside a result that is alone.
            for kept_rank in u8::from(walk != Walk::Along)..5 {
                for combine in [BinaryOperator::Add, BinaryOperator::Maximum] {
                    let shape = ReduceShape {
                        combine,
                        walk,
                        is_spread,
                        kept_rank,
                        ..of_floats()
                    };
                    validate(of_memory(shape)).unwrap();
                }
            }
        }
    }

    /// The kernel for elements in memory.
    fn of_memory(shape: ReduceShape) -> Module {
        let elements = ElementsShape::in_memory(shape.input);
        let body = ElementsBody {
            shape: &elements,
            body: None,
        };
        module("reduce", &shape, body)
    }

    #[test]
    fn expressions_of_operands_at_several_places_validate() {
        let memory = |dtype, place| ElementOperand::Memory { dtype, place };
        let classes = [
            StrideClass::Broadcast,
            StrideClass::Contiguous,
            StrideClass::Strided,
        ];
        for (walk, is_spread) in every_walk() {
            for (step, column) in classes.into_iter().zip(classes.into_iter().rev()) {
                let elements = ElementsShape {
                    operands: SmallVec::from_slice(&[
                        memory(DType::F16, 0),
                        memory(DType::F32, 1),
                        memory(DType::F32, 0),
                        ElementOperand::Scalar { dtype: DType::F32 },
                    ]),
                    moves: SmallVec::from_slice(&[Moves { step, column }]),
                    is_buffered: step == column,
                };
                let body = ElementsBody {
                    shape: &elements,
                    body: Some(&|f, x| {
                        let first = f.cast(x[0], DType::F32);
                        let sum = f.add(first, x[1]);
                        let product = f.multiply(x[2], x[3]);
                        let result = f.add(sum, product);
                        f.cast(result, DType::F16)
                    }),
                };
                let shape = ReduceShape {
                    walk,
                    is_spread,
                    ..of_floats()
                };
                validate(module("reduce", &shape, body)).unwrap();
            }
        }
    }

    fn of_floats() -> ReduceShape {
        ReduceShape {
            prepare: Prepare::Convert,
            finish: Finish::Convert,
            combine: BinaryOperator::Add,
            input: DType::F16,
            accumulate: DType::F64,
            output: DType::F32,
            walk: Walk::Along,
            is_spread: false,
            kept_rank: 2,
        }
    }

    #[test]
    fn every_preparation_and_finish_validates() {
        for (input, accumulate) in [
            (DType::F32, DType::F64),
            (DType::C64, DType::F64),
            (DType::C128, DType::C128),
            (DType::U8, DType::F64),
        ] {
            for prepare in [
                Prepare::Convert,
                Prepare::IsNonZero,
                Prepare::SkipNan,
                Prepare::IsNumber,
                Prepare::SquaredDistance,
                Prepare::SquaredDistanceSkipNan,
            ] {
                let is_real = !accumulate.is_complex();
                if input.is_complex() && is_real != prepare.has_center() {
                    continue;
                }
                for finish in [Finish::Convert, Finish::Divide, Finish::Root] {
                    let shape = ReduceShape {
                        prepare,
                        finish,
                        input,
                        accumulate,
                        output: accumulate,
                        ..of_floats()
                    };
                    validate(of_memory(shape)).unwrap();
                }
            }
        }
    }

    #[test]
    fn identities_are_neutral() {
        assert_eq!(
            identity(BinaryOperator::Minimum, DType::I8),
            Literal::I8(i8::MAX)
        );
        assert_eq!(
            identity(BinaryOperator::Maximum, DType::U16),
            Literal::U16(0)
        );
        assert_eq!(
            identity(BinaryOperator::Add, DType::F32),
            Literal::F32(-0.0)
        );
    }
}
