//! The dot template: sums of products along one loop of two operands.
//!
//! It is a reduction of two arrays, and no array of products is made on the way: dot products and
//! products of a matrix and a vector are bound by memory, which is read once here. As in
//! [`super::reduce`], the loop is cut into blocks of a length that depends on the shape alone, so that
//! the answer is the same for any number of threads. Where there are several blocks the results are
//! partial sums, by element and block ([`Walk::Along`]) or by block and element ([`Walk::Across`]).
//!
//! Parameters, in this order: `out`, `left`, `right`, `length` (of the loop), `block_length`,
//! `left_step` and `right_step` (strides of the loop, only for [`Walk::Across`]), the sizes of the kept loops but
//! the outermost, and the strides of the kept loops, first the left operand's and then the right one's.

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, Module,
    Type, UnaryOperator, Variable, WorkItemQuery,
};

use super::rows;
use super::side_by_side::SideBySide;

/// How many accumulators a work-item has when it runs along memory.
const LANES: i64 = 32;

/// Which elements are neighbours in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Those that are multiplied and added, in both operands.
    Along,
    /// Those of neighbouring sums, or nobody.
    Across,
}

/// What a dot kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DotShape {
    /// The dtype of the left operand's elements.
    pub left: DType,
    /// The dtype of the right operand's elements.
    pub right: DType,
    /// The dtype elements are converted to, multiplied and added in.
    pub accumulate: DType,
    /// The dtype of what is written.
    pub output: DType,
    /// Whether the left elements are conjugated.
    pub conjugate: bool,
    /// [`Walk::Along`] if both operands have stride one in the loop.
    pub walk: Walk,
    /// How many kept loops there are.
    pub kept_rank: u8,
}

/// How products of elements are added: as numbers, or as truths.
pub fn sum_operator(dtype: DType) -> BinaryOperator {
    if dtype.is_bool() {
        BinaryOperator::BitOr
    } else {
        BinaryOperator::Add
    }
}

/// How elements are multiplied.
pub fn product_operator(dtype: DType) -> BinaryOperator {
    if dtype.is_bool() {
        BinaryOperator::BitAnd
    } else {
        BinaryOperator::Multiply
    }
}

/// How many dimensions the launch has.
pub fn dims(walk: Walk, kept_rank: usize) -> u8 {
    match walk {
        Walk::Along => 2,
        Walk::Across => 2 + u8::from(kept_rank > 1),
    }
}

/// Writes the kernel `name`.
pub fn module(name: &str, shape: &DotShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, dims(shape.walk, usize::from(shape.kept_rank)));
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(shape.output));
    let left = f.parameter("left", global(shape.left));
    let right = f.parameter("right", global(shape.right));
    let length = f.parameter("length", Type::INDEX);
    let block_length = f.parameter("block_length", Type::INDEX);
    let steps = (shape.walk == Walk::Across)
        .then(|| ["left_step", "right_step"].map(|name| f.parameter(name, Type::INDEX)));
    let place = match shape.walk {
        Walk::Along => place_along(&mut f, shape.kept_rank),
        Walk::Across => place_across(&mut f, shape.kept_rank),
    };
    let start = f.multiply(place.block, block_length);
    let start = f.bind("start", start);
    let end = f.add(start, block_length);
    let end = f.binary(BinaryOperator::Minimum, end, length);
    let end = f.bind("end", end);
    let terms = Terms {
        shape,
        operands: [left, right],
        bases: place.bases,
        steps,
    };
    let result = match shape.walk {
        Walk::Along => terms.sum_along(&mut f, start, end),
        Walk::Across => terms.sum_across(&mut f, start, end),
    };
    let result = f.cast(result, shape.output);
    f.store(out, place.result, result);
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// Where a work-item reads and writes.
struct Place {
    /// Which block of the loop.
    block: Handle<Expression>,
    /// The operands' elements at the start of the loop.
    bases: [Handle<Expression>; 2],
    /// The output's element.
    result: Handle<Expression>,
}

/// Range (kept, block): partial sums of one kept element are neighbours.
fn place_along(f: &mut FunctionBuilder, kept_rank: u8) -> Place {
    let kept = f.global_id(0);
    let indices = rows::indices(f, usize::from(kept_rank), kept);
    let bases = ["left", "right"].map(|operand| rows::position(f, operand, &indices));
    let block = f.global_id(1);
    let blocks = f.work_item(WorkItemQuery::GlobalSize(1));
    let row = f.multiply(kept, blocks);
    Place {
        block,
        bases,
        result: f.add(row, block),
    }
}

/// Range (block, kept) or (block, outer kept, inner kept): neighbouring work-items have neighbouring
/// kept elements.
fn place_across(f: &mut FunctionBuilder, kept_rank: u8) -> Place {
    let block = f.global_id(0);
    let rank = usize::from(kept_rank);
    let (indices, kept, count) = if rank > 1 {
        let (outer, inner) = (f.global_id(1), f.global_id(2));
        let mut indices = rows::indices(f, rank - 1, outer);
        indices.push(inner);
        let [outer_size, inner_size] =
            [1, 2].map(|dimension| f.work_item(WorkItemQuery::GlobalSize(dimension)));
        let row = f.multiply(outer, inner_size);
        let count = f.multiply(outer_size, inner_size);
        (indices, f.add(row, inner), count)
    } else {
        let kept = f.global_id(1);
        let indices = rows::indices(f, rank, kept);
        (indices, kept, f.work_item(WorkItemQuery::GlobalSize(1)))
    };
    let bases = ["left", "right"].map(|operand| rows::position(f, operand, &indices));
    let row = f.multiply(block, count);
    Place {
        block,
        bases,
        result: f.add(row, kept),
    }
}

/// The products that a work-item adds.
struct Terms<'a> {
    shape: &'a DotShape,
    operands: [Handle<Expression>; 2],
    bases: [Handle<Expression>; 2],
    /// The strides of the loop; one if there are none.
    steps: Option<[Handle<Expression>; 2]>,
}

impl Terms<'_> {
    /// One accumulator, one product after the other.
    fn sum_across(
        &self,
        f: &mut FunctionBuilder,
        start: Handle<Expression>,
        end: Handle<Expression>,
    ) -> Handle<Expression> {
        let accumulator = self.accumulator(f, 0);
        f.for_range("i", start, end, |f, i| self.add(f, accumulator, i));
        f.get(accumulator)
    }

    /// [`LANES`] accumulators over whole groups of elements, one more over the rest; then all of them are added.
    fn sum_along(
        &self,
        f: &mut FunctionBuilder,
        start: Handle<Expression>,
        end: Handle<Expression>,
    ) -> Handle<Expression> {
        let groups = SideBySide::new(f, (start, end), LANES);
        let accumulators: Vec<_> = (0..LANES).map(|lane| self.accumulator(f, lane)).collect();
        groups.visit(f, |f, lane, index| {
            self.add(f, accumulators[lane as usize], index);
        });
        let (operator, dtype) = (sum_operator(self.shape.accumulate), self.shape.accumulate);
        let sum = groups.combine(f, operator, &accumulators, Literal::zero(dtype));
        let rest = self.accumulator(f, LANES);
        groups.visit_rest(f, |f, index| self.add(f, rest, index));
        let rest = f.get(rest);
        f.binary(operator, sum, rest)
    }

    fn accumulator(&self, f: &mut FunctionBuilder, lane: i64) -> Handle<Variable> {
        let accumulator = f.variable(format!("acc{lane}"), self.shape.accumulate);
        let zero = f.literal(Literal::zero(self.shape.accumulate));
        f.assign(accumulator, zero);
        accumulator
    }

    /// Adds the product at an index of the loop to an accumulator.
    fn add(
        &self,
        f: &mut FunctionBuilder,
        accumulator: Handle<Variable>,
        index: Handle<Expression>,
    ) {
        let element = |f: &mut FunctionBuilder, which: usize| {
            let moved = match self.steps {
                Some(steps) => f.multiply(index, steps[which]),
                None => index,
            };
            let at = f.add(self.bases[which], moved);
            let element = f.load(self.operands[which], at);
            f.cast(element, self.shape.accumulate)
        };
        let left = element(f, 0);
        let left = if self.shape.conjugate && self.shape.accumulate.is_complex() {
            f.unary(UnaryOperator::Conjugate, left)
        } else {
            left
        };
        let right = element(f, 1);
        let product = f.binary(product_operator(self.shape.accumulate), left, right);
        let so_far = f.get(accumulator);
        let sum = f.binary(sum_operator(self.shape.accumulate), so_far, product);
        f.assign(accumulator, sum);
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_form_validates() {
        for walk in [Walk::Along, Walk::Across] {
            for kept_rank in 0..5 {
                for (left, accumulate) in [
                    (DType::F16, DType::F32),
                    (DType::C64, DType::C128),
                    (DType::Bool, DType::Bool),
                    (DType::U8, DType::I16),
                ] {
                    let shape = DotShape {
                        left,
                        right: accumulate,
                        accumulate,
                        output: accumulate,
                        conjugate: true,
                        walk,
                        kept_rank,
                    };
                    validate(module("dot", &shape)).unwrap();
                }
            }
        }
    }
}
