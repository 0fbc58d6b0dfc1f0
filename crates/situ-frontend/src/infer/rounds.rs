//! What a loop that is written out goes through: items of tuples, in one order or the other, several at a time or with
//! their numbers.

use situ_ir::Span;

use crate::infer::value::{Number, Value};
use crate::infer::{Inference, constants, problems};
use crate::looped::Looped;
use crate::syntax::{self, BinaryOperator, Constant};
use crate::typed::Statement;

/// Something whose items are known when compiling.
pub(super) enum Items {
    /// The items of a tuple.
    Listed(Vec<Value>),
    /// The numbers of a range: the first one, the step and how many there are.
    Numbers(i128, i128, usize),
    /// Items with numbers, from the first one on.
    Counted(Box<Items>, Number),
    /// Items of each, until one of them has no more.
    Together(Vec<Items>),
}

impl Items {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Listed(items) => items.len(),
            Self::Numbers(_, _, count) => *count,
            Self::Counted(items, _) => items.count(),
            Self::Together(lists) => lists.iter().map(Self::count).min().unwrap_or(0),
        }
    }

    /// What a round gets.
    pub(super) fn item(
        &self,
        inference: &mut Inference<'_, '_, '_>,
        round: usize,
        span: Span,
    ) -> Value {
        let number = |value: i128| Number::Constant(Constant::Int(value));
        match self {
            Self::Listed(items) => items[round].clone(),
            Self::Numbers(start, step, _) => number(start + step * round as i128).into(),
            Self::Counted(items, start) => {
                let item = items.item(inference, round, span);
                let place = number(round as i128);
                let place = inference.binary(BinaryOperator::Add, start.clone(), place, span);
                Value::Tuple(vec![place.map_or(Value::Unknown, Value::from), item])
            }
            Self::Together(lists) => {
                let items = lists.iter().map(|list| list.item(inference, round, span));
                Value::Tuple(items.collect())
            }
        }
    }

    fn backwards(self) -> Option<Self> {
        match self {
            Self::Listed(mut items) => {
                items.reverse();
                Some(Self::Listed(items))
            }
            Self::Numbers(start, step, count) => {
                let last = start + step * (count as i128 - 1);
                Some(Self::Numbers(last, -step, count))
            }
            // Python refuses these, too.
            Self::Counted(..) | Self::Together(_) => None,
        }
    }
}

impl Inference<'_, '_, '_> {
    /// What a loop goes through; everything whose items are not known now is reported. The items are computed by
    /// statements that are added to `out`, before the first round.
    pub(super) fn items(
        &mut self,
        iterable: &syntax::Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<Items> {
        match self.looped(iterable) {
            Some(Looped::Counted(items, start)) => {
                let items = self.items(items, span, out);
                let start = match start {
                    None => Number::Constant(Constant::Int(0)),
                    Some(start) => self.first_number(start, span, out)?,
                };
                Some(Items::Counted(Box::new(items?), start))
            }
            Some(Looped::Together(lists)) => {
                let lists: Vec<_> = lists
                    .iter()
                    .map(|items| self.items(items, span, out))
                    .collect();
                let lists: Option<Vec<_>> = lists.into_iter().collect();
                lists.map(Items::Together)
            }
            Some(Looped::Backwards(items)) => {
                let found = self.items(items, span, out)?;
                let backwards = found.backwards();
                if backwards.is_none() {
                    self.report(problems::not_reversible(items.span));
                }
                backwards
            }
            Some(Looped::Each(_)) | None => self.items_of_value(iterable, span, out),
        }
    }

    fn items_of_value(
        &mut self,
        iterable: &syntax::Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<Items> {
        if let Some(range) = self.range_call(iterable) {
            let numbers = self.range_numbers(range)?;
            let numbers = self.checked_range(numbers, range, out);
            let constants: Option<Vec<i128>> = numbers
                .iter()
                .map(|number| number.constant().and_then(constants::as_int))
                .collect();
            let Some([start, stop, step]) = constants.as_deref() else {
                self.report(problems::range_of_variables(iterable.span));
                return None;
            };
            let distance = if *step > 0 {
                stop - start
            } else {
                start - stop
            };
            let count = (distance + step.abs() - 1).div_euclid(step.abs()).max(0);
            return Some(Items::Numbers(*start, *step, count as usize));
        }
        let value = self.value(iterable);
        match self.evaluate_now(value, span, out) {
            Value::Tuple(items) => Some(Items::Listed(items)),
            Value::Unknown => None,
            other => {
                self.report(problems::not_a_range(&other.describe(), iterable.span));
                None
            }
        }
    }

    /// The number that the first item of `enumerate` gets.
    fn first_number(
        &mut self,
        start: &syntax::Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<Number> {
        let number = self.number(start)?;
        if !self.own_dtype(&number).is_integer() {
            self.report(problems::count_from(&number.describe(), start.span));
            return None;
        }
        Some(match number {
            Number::Constant(_) => number,
            Number::Typed(number) => Number::Typed(self.bind(number, span, out)),
        })
    }
}
