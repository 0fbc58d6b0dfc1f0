//! What a `for` statement goes through, as far as its text tells.

use crate::syntax::{Expression, ExpressionKind};

/// What a loop gives to its target.
#[derive(Clone, Debug)]
pub enum Looped<'a> {
    /// The items of something.
    Each(&'a Expression),
    /// The items from the last one to the first; or the numbers of a `range` in this order.
    Backwards(&'a Expression),
    /// The items with their numbers, the first of which may be given.
    Counted(&'a Expression, Option<&'a Expression>),
    /// The items of several at a time.
    Together(&'a [Expression]),
}

impl<'a> Looped<'a> {
    /// What a `for` statement loops over; `None` for a call of another function, as `range` is one.
    pub fn of(iterable: &'a Expression) -> Option<Self> {
        let ExpressionKind::Call {
            function,
            arguments,
            keywords,
        } = &iterable.kind
        else {
            return Some(Self::Each(iterable));
        };
        let ExpressionKind::Name(name) = &function.kind else {
            return None;
        };
        match (name.as_str(), arguments.as_slice(), keywords.as_slice()) {
            ("enumerate", [items], []) => Some(Self::Counted(items, None)),
            ("enumerate", [items, start], []) => Some(Self::Counted(items, Some(start))),
            ("enumerate", [items], [(name, start)]) if name.name == "start" => {
                Some(Self::Counted(items, Some(start)))
            }
            ("zip", [_, ..], []) => Some(Self::Together(arguments)),
            ("reversed", [items], []) => Some(Self::Backwards(items)),
            _ => None,
        }
    }

    /// The call in `reversed(range(...))`: a loop that counts.
    pub fn reversed_call(iterable: &'a Expression) -> Option<&'a Expression> {
        match Self::of(iterable) {
            Some(Self::Backwards(items)) if matches!(items.kind, ExpressionKind::Call { .. }) => {
                Some(items)
            }
            _ => None,
        }
    }

    /// What is gone through, each on its own.
    pub fn parts(&self) -> &'a [Expression] {
        match self {
            Self::Each(items) | Self::Backwards(items) | Self::Counted(items, _) => {
                std::slice::from_ref(*items)
            }
            Self::Together(lists) => lists,
        }
    }
}
