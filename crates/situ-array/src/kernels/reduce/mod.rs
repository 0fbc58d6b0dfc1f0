//! The reduce template: many elements combined into one, along one loop.
//!
//! The reduced loop is cut into blocks of a fixed length and each work-item combines one block in a
//! fixed order, so the answer does not depend on the number of threads. A launch over several blocks
//! writes partial results, which the same template reduces again until one block is left. Rounding
//! errors therefore grow with the logarithm of the number of blocks, not with the number of elements.
//!
//! Two walks, by what is close to each other in memory:
//!
//! * [`Walk::Along`]: the reduced elements are. A work-item runs along them, at four places side by side, with
//!   so many accumulators that they become four of the widest vector registers. Integers need but one for each place: their order
//!   does not matter, so that the compiler makes vectors of it by itself, and better ones.
//! * [`Walk::Beside`]: the results' elements are. A work-item goes down several
//!   columns at once, row by row, which become vector registers too: 32, or fewer where there are not so many.
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
//! Parameters, in this order: `out`, `positions` (only where [`ReduceShape::locates`] says so), the operands that elements are made of, `center` and `group` (only for
//! [`Prepare::SquaredDistance`]), `divisor` (only for [`Finish::Divide`] and [`Finish::Root`]), `length` (of the reduced loop), `step` (its
//! stride, unless it is known to be one), `columns` (the size of the innermost kept loop, only for
//! [`Walk::Beside`]), `column` (its stride, unless it is known to be one), the sizes of the kept loops but the outermost, the strides of the kept loops for each place that
//! operands are at, and then for each place but the first the strides of the reduced loop and of columns, if they are
//! not known.

mod accumulate;
mod position;
mod reduced;
mod walk;

use situ_ir::promotion::complex_of;
use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, MathFunction, Module,
    Type,
};
use smallvec::SmallVec;

pub(crate) use accumulate::identity;
use accumulate::{accumulator, combine_in_lanes, combine_in_turn, locate_in_lanes};
use position::{Position, position_along, position_beside};
use reduced::Elements;
use walk::BUFFERED_COLUMNS;
pub use walk::Walk;

use super::elements::{ElementsBody, Stride};
use super::side_by_side::{PLACES, advance_while_fits};

/// What the accumulators of a work-item take when it runs along memory.
const ACCUMULATOR_BYTES: usize = 256;

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
    /// Whether the first position of what a block is reduced to is written, too; only for extremes and [`Walk::Along`].
    pub locates: bool,
    /// How many kept loops there are (their number after merging).
    pub kept_rank: u8,
}

/// Writes the kernel `name`.
pub fn module(name: &str, shape: &ReduceShape, body: ElementsBody<'_>) -> Module {
    let dims = match shape.walk {
        Walk::Along => 2,
        Walk::Beside(_) => 3,
    };
    let mut f = FunctionBuilder::kernel(name, dims);
    let out = f.parameter("out", Type::pointer(shape.output, AddressSpace::Global));
    let positions = shape
        .locates
        .then(|| f.parameter("positions", Type::pointer(DType::I64, AddressSpace::Global)));
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
        let block = f.index(shape.block_length() as i64);
        f.multiply(position.block, block)
    };
    let start = f.bind("start", start);
    let end = {
        let block = f.index(shape.block_length() as i64);
        let end = f.add(start, block);
        f.binary(BinaryOperator::Minimum, end, length)
    };
    let end = f.bind("end", end);
    let buffer = body.shape.is_buffered.then(|| {
        let length = match shape.walk {
            Walk::Along => shape.block_length(),
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
            let (range, lanes) = ((start, end), shape.lanes());
            let result = match positions {
                None => combine_in_lanes(&mut f, &elements, range, lanes),
                Some(positions) => {
                    let (result, position) = locate_in_lanes(&mut f, &elements, range, lanes);
                    f.store(positions, kernel.position.result, position);
                    result
                }
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
    /// How many elements a work-item combines.
    pub fn block_length(self) -> usize {
        self.walk.block_length(self.input)
    }

    /// How many accumulators a work-item has when it runs along memory.
    fn lanes(self) -> i64 {
        if self.is_exact() {
            // The compiler makes several of each.
            PLACES
        } else {
            (ACCUMULATOR_BYTES / self.accumulate.size_bytes()) as i64
        }
    }

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
                let accumulator = accumulator(f, *self.shape, format!("acc{lane}"));
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
        // Several rows are read side by side, and accumulators once for all of them. What takes long to make is written once.
        let rows_at_once: &[i64] = match self.body.body {
            Some(_) => &[1],
            None => &[PLACES, 1],
        };
        let counter = f.variable("i", DType::I64);
        f.assign(counter, self.start);
        for &rows in rows_at_once {
            advance_while_fits(f, counter, self.end, rows, |f, i| {
                f.for_range("column", first, width, |f, column| {
                    let elements = self.elements(f, Some(column));
                    let so_far = f.load(accumulators, column);
                    let combined = (0..rows).fold(so_far, |so_far, row| {
                        let row = f.index(row);
                        let row = f.add(i, row);
                        let element = elements.element(f, row);
                        f.binary(self.shape.combine, so_far, element)
                    });
                    f.store(accumulators, column, combined);
                });
            });
        }
        f.for_range("column", first, width, |f, column| {
            let result = f.load(accumulators, column);
            self.store(f, Some(column), result);
        });
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;
    use crate::kernels::elements::{ElementOperand, ElementsShape, Moves};
    use crate::loop_nest::StrideClass;

    fn every_walk() -> impl Iterator<Item = (Walk, bool)> {
        let walks = [Walk::Along, Walk::Beside(2), Walk::Beside(32)];
        walks
            .into_iter()
            .flat_map(|walk| [(walk, false), (walk, true)])
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
            locates: false,
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
}
