//! What loops of the machine go through: items of tuples, rows of arrays, and these together.

use pyo3::prelude::*;
use situ_frontend::host::Looped;
use situ_frontend::syntax::{Comprehension, Expression};

use super::machine::Machine;
use super::value::{ArrayValue, Number, Value};
use crate::error::exceptions::KernelTypeError;

/// Something that a loop goes through.
pub(super) enum Items {
    /// The items of a tuple.
    Listed(Vec<Value>),
    /// The rows of an array, and how many there are.
    Rows(ArrayValue, usize),
    /// The numbers of a range: the first one, the step and how many there are.
    Numbers(i64, i64, usize),
    /// Items from the last one to the first.
    Backwards(Box<Items>),
    /// Items with numbers, from the first one on.
    Counted(Box<Items>, i64),
    /// Items of each, until one of them has no more.
    Together(Vec<Items>),
}

impl Items {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Listed(items) => items.len(),
            Self::Rows(_, count) | Self::Numbers(_, _, count) => *count,
            Self::Counted(items, _) | Self::Backwards(items) => items.count(),
            Self::Together(lists) => lists.iter().map(Self::count).min().unwrap_or(0),
        }
    }
}

impl Machine<'_, '_> {
    /// What a `for` statement goes through.
    ///
    /// # Errors
    /// `KernelTypeError` for what has no items.
    pub(super) fn items(&mut self, iterable: &Expression) -> PyResult<Items> {
        if let Some((_, (start, stop, step))) = self.range(iterable)? {
            let distance = if step > 0 { stop - start } else { start - stop };
            let steps = (distance + step.abs() - 1).div_euclid(step.abs());
            return Ok(Items::Numbers(start, step, steps.max(0) as usize));
        }
        match Looped::of(iterable) {
            Some(Looped::Counted(items, start)) => {
                let items = Box::new(self.items(items)?);
                let start = match start {
                    Some(start) => self.integer(start)?,
                    None => 0,
                };
                Ok(Items::Counted(items, start))
            }
            Some(Looped::Together(lists)) => {
                let lists = lists.iter().map(|items| self.items(items));
                Ok(Items::Together(lists.collect::<PyResult<_>>()?))
            }
            Some(Looped::Backwards(items)) => match self.items(items)? {
                Items::Counted(..) | Items::Together(_) => Err(KernelTypeError::new_err(format!(
                    "`reversed` takes a `range`, a tuple or an array\n  why:  `{}` has no last item to start with, as in \
                     Python\n  help: reverse what is inside, e.g. `zip(reversed(a), reversed(b))`",
                    self.function.source.slice(items.span)
                ))),
                found => Ok(Items::Backwards(Box::new(found))),
            },
            Some(Looped::Each(_)) | None => self.items_of_value(iterable),
        }
    }

    fn items_of_value(&mut self, iterable: &Expression) -> PyResult<Items> {
        match self.value(iterable)? {
            Value::Tuple(items) => Ok(Items::Listed(items)),
            Value::Array(array) => {
                let count = *array.node.shape().first().ok_or_else(|| {
                    KernelTypeError::new_err(
                        "an array without dimensions has nothing to loop over\n  why:  it is one number, as for \
                         NumPy\n  help: use the number itself, `x[()]`",
                    )
                })?;
                Ok(Items::Rows(array, count))
            }
            other => Err(KernelTypeError::new_err(format!(
                "njit functions cannot loop over {}\n  why:  how many rounds there are, and what each gets, must be known \
                 without a Python iterator\n  help: loop over `range(n)`, a tuple or an array",
                other.describe(self.py)
            ))),
        }
    }

    fn integer(&mut self, expression: &Expression) -> PyResult<i64> {
        let number = match self.value(expression)? {
            Value::Number(number) => number.as_i64(),
            _ => None,
        };
        number.ok_or_else(|| {
            KernelTypeError::new_err(format!(
                "`{}` is no integer, so nothing can be counted from it\n  why:  `enumerate` gives integers\n  help: convert it, \
                 e.g. `int(start)`",
                self.function.source.slice(expression.span)
            ))
        })
    }

    /// The items of a list that is made one by one: a tuple, as all lists here.
    pub(super) fn comprehension(&mut self, made: &Comprehension) -> PyResult<Value> {
        let items = self.items(&made.iterable)?;
        // What is read in one round is read in the next one, so that no read is the last.
        let unread = std::mem::take(&mut self.unread);
        self.loops += 1;
        let values = self.made_items(made, &items);
        self.loops -= 1;
        self.unread = unread;
        values.map(Value::Tuple)
    }

    fn made_items(&mut self, made: &Comprehension, items: &Items) -> PyResult<Vec<Value>> {
        let mut values = Vec::new();
        for round in 0..items.count() {
            let item = self.item_of(items, round)?;
            self.assign(&made.target, item)?;
            if self.all_true(&made.conditions)? {
                values.push(self.value(&made.element)?);
            }
            self.py.check_signals()?;
        }
        Ok(values)
    }

    fn all_true(&mut self, conditions: &[Expression]) -> PyResult<bool> {
        for condition in conditions {
            if !self.truth(condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a round of a loop gets.
    pub(super) fn item_of(&mut self, items: &Items, round: usize) -> PyResult<Value> {
        let number = |value: i64| Value::Number(Number::integer(value));
        match items {
            Items::Listed(values) => Ok(values[round].clone()),
            Items::Rows(array, _) => {
                let index = round.into_pyobject(self.py)?.into_any();
                self.item(array, &index)
            }
            Items::Numbers(start, step, _) => Ok(number(start + step * round as i64)),
            Items::Backwards(inner) => self.item_of(inner, inner.count() - 1 - round),
            Items::Counted(inner, start) => {
                let item = self.item_of(inner, round)?;
                Ok(Value::Tuple(vec![number(start + round as i64), item]))
            }
            Items::Together(lists) => {
                let values = lists.iter().map(|inner| self.item_of(inner, round));
                Ok(Value::Tuple(values.collect::<PyResult<_>>()?))
            }
        }
    }
}
