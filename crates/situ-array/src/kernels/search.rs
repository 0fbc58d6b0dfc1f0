//! The search template: where numbers belong among sorted ones, or whether they are there.
//!
//! A work-item has one number and halves the sorted row until it knows. Where a sorter says in which order the row
//! is sorted, its entries are checked like other indices.
//!
//! Parameters, in this order: `out`, `sorted`, `values`, `sorter` (if there is one), `length` (of the sorted
//! row), `step` (of its elements), `sorter_step` and the place for what is wrong (if there is a sorter).

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, Module,
    StatementKind, Type, UnaryOperator,
};

use super::indexed::write_down;
use super::order::{Direction, is_before};

/// What is asked about a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// How many sorted elements come before it.
    Left,
    /// How many sorted elements come before it or equal it.
    Right,
    /// Whether it is one of them.
    IsThere,
    /// Whether it is none of them.
    IsMissing,
}

impl Question {
    /// The dtype of the answers.
    pub fn dtype(self) -> DType {
        match self {
            Self::Left | Self::Right => DType::I64,
            Self::IsThere | Self::IsMissing => DType::Bool,
        }
    }
}

/// What a search kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SearchShape {
    /// What is asked.
    pub question: Question,
    /// The sorted elements' dtype.
    pub sorted: DType,
    /// The numbers' dtype.
    pub values: DType,
    /// The dtype both are compared in.
    pub compare: DType,
    /// The dtype of the order in which the row is sorted, if it is not as it lies.
    pub sorter: Option<DType>,
}

/// Writes the kernel `name`, for a range of numbers.
pub fn module(name: &str, shape: &SearchShape) -> Module {
    let mut f = FunctionBuilder::kernel(name, 1);
    let global = |dtype| Type::pointer(dtype, AddressSpace::Global);
    let out = f.parameter("out", global(shape.question.dtype()));
    let sorted = f.parameter("sorted", global(shape.sorted));
    let values = f.parameter("values", global(shape.values));
    let sorter = shape
        .sorter
        .map(|dtype| f.parameter("sorter", global(dtype)));
    let length = f.parameter("length", Type::INDEX);
    let step = f.parameter("step", Type::INDEX);
    let sorter = sorter.map(|order| Sorter {
        order,
        step: f.parameter("sorter_step", Type::INDEX),
        found: f.parameter("found", global(DType::I64)),
        length,
    });
    let number = f.global_id(0);
    let value = f.load(values, number);
    let value = f.cast(value, shape.compare);
    let value = f.bind("value", value);
    let element = |f: &mut FunctionBuilder, position| {
        let position = match &sorter {
            Some(sorter) => sorter.look_up(f, position),
            None => position,
        };
        let at = f.multiply(position, step);
        let element = f.load(sorted, at);
        let element = f.cast(element, shape.compare);
        f.bind("sorted_element", element)
    };

    let (zero, one) = (f.index(0), f.index(1));
    let low = f.variable("low", DType::I64);
    let high = f.variable("high", DType::I64);
    f.assign(low, zero);
    f.assign(high, length);
    let (low_now, high_now) = (f.get(low), f.get(high));
    let condition = Some(f.binary(BinaryOperator::Less, low_now, high_now));
    let body = f.block(|f| {
        let (low_now, high_now) = (f.get(low), f.get(high));
        let sum = f.add(low_now, high_now);
        let half = f.binary(BinaryOperator::ShiftRight, sum, one);
        let half = f.bind("half", half);
        let found = element(f, half);
        let is_above = match shape.question {
            Question::Right => {
                let value_is_before = is_before(f, Direction::Ascending, value, found);
                f.unary(UnaryOperator::Not, value_is_before)
            }
            Question::Left | Question::IsThere | Question::IsMissing => {
                is_before(f, Direction::Ascending, found, value)
            }
        };
        f.if_else(
            is_above,
            |f| {
                let above = f.add(half, one);
                f.assign(low, above);
            },
            |f| f.assign(high, half),
        );
    });
    let step = f.block(|_| {});
    f.statement(StatementKind::Loop {
        condition,
        body,
        step,
    });
    let position = f.get(low);
    match shape.question {
        Question::Left | Question::Right => f.store(out, number, position),
        Question::IsThere | Question::IsMissing => {
            let missing = f.literal(Literal::Bool(shape.question == Question::IsMissing));
            let there = f.unary(UnaryOperator::Not, missing);
            f.store(out, number, missing);
            let exists = f.binary(BinaryOperator::Less, position, length);
            f.if_(exists, |f| {
                let found = element(f, position);
                let is_same = f.binary(BinaryOperator::Equal, found, value);
                f.if_(is_same, |f| f.store(out, number, there));
            });
        }
    }
    let mut module = Module::new(name);
    f.finish(&mut module);
    module
}

/// The order in which a row is sorted.
struct Sorter {
    order: Handle<Expression>,
    step: Handle<Expression>,
    found: Handle<Expression>,
    length: Handle<Expression>,
}

impl Sorter {
    /// Where the element is that is at a position in sorted order.
    fn look_up(&self, f: &mut FunctionBuilder, position: Handle<Expression>) -> Handle<Expression> {
        let zero = f.index(0);
        let at = f.multiply(position, self.step);
        let index = f.load(self.order, at);
        let index = f.cast(index, DType::I64);
        let index = f.bind("index", index);
        let above = f.binary(BinaryOperator::GreaterEqual, index, zero);
        let below = f.binary(BinaryOperator::Less, index, self.length);
        let exists = f.binary(BinaryOperator::BitAnd, above, below);
        let exists = f.bind("exists", exists);
        f.if_else(exists, |_| {}, |f| write_down(f, self.found, 0, index));
        let index = f.select(exists, index, zero);
        f.bind("looked_up", index)
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::validate;

    use super::*;

    #[test]
    fn every_question_and_dtype_validates() {
        let questions = [
            Question::Left,
            Question::Right,
            Question::IsThere,
            Question::IsMissing,
        ];
        for question in questions {
            for compare in DType::ALL {
                for sorter in [None, Some(DType::U8)] {
                    let shape = SearchShape {
                        question,
                        sorted: DType::Bool,
                        values: compare,
                        compare,
                        sorter,
                    };
                    validate(module("search", &shape)).unwrap();
                }
            }
        }
    }
}
