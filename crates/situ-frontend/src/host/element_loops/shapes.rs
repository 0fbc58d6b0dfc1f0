//! How many dimensions expressions have, and which of them are parts of arrays.

use super::{Called, Local, Writer};
use crate::syntax::{BinaryOperator, Expression, ExpressionKind};

impl Writer<'_> {
    /// The array that an expression is a part of, and how many dimensions the part has.
    pub(super) fn part(&self, given: &Expression) -> Option<(String, usize)> {
        match &given.kind {
            ExpressionKind::Name(name) => match self.locals.get(name) {
                Some(Local::Part(root, ndim)) => Some((root.clone(), *ndim)),
                Some(_) => None,
                None => {
                    let (_, ndim) = self.meanings.array(name)?;
                    (ndim > 0).then(|| (name.clone(), ndim))
                }
            },
            ExpressionKind::Attribute { value, attribute } if attribute.name == "T" => {
                self.part(value)
            }
            ExpressionKind::Subscript { value, indices } => {
                let (root, ndim) = self.part(value)?;
                let mut left = ndim;
                for index in indices {
                    match &index.kind {
                        ExpressionKind::Slice { .. } => {}
                        ExpressionKind::Tuple(_)
                        | ExpressionKind::None
                        | ExpressionKind::Ellipsis => return None,
                        _ if self.ndim(index)? > 0 => return None,
                        _ => left = left.checked_sub(1)?,
                    }
                }
                (indices.len() <= ndim && left > 0).then_some((root, left))
            }
            _ => None,
        }
    }

    /// How many dimensions an expression has; `None` if it is more than can be written out.
    pub(super) fn ndim(&self, given: &Expression) -> Option<usize> {
        let greatest = |list: &[&Expression]| -> Option<usize> {
            let mut greatest = 0;
            for each in list {
                greatest = greatest.max(self.ndim(each)?);
            }
            Some(greatest)
        };
        let numbers = |list: &[&Expression]| (greatest(list)? == 0).then_some(0);
        match &given.kind {
            ExpressionKind::Constant(_) => Some(0),
            ExpressionKind::Name(name) => Some(match self.locals.get(name) {
                Some(Local::Number) => 0,
                Some(Local::Part(_, ndim)) => *ndim,
                Some(Local::Delayed(elements)) => elements.ndim(),
                None => self.meanings.array(name).map_or(0, |(_, ndim)| ndim),
            }),
            ExpressionKind::Attribute { value, attribute } => match self.ndim(value)? {
                0 => Some(0),
                ndim => match attribute.name.as_str() {
                    "T" if self.part(value).is_some() => Some(ndim),
                    "shape" | "ndim" | "size" | "dtype" if self.part(value).is_some() => Some(0),
                    _ => None,
                },
            },
            ExpressionKind::Subscript { value, indices } => {
                if self.ndim(value)? == 0 {
                    return numbers(&indices.iter().collect::<Vec<_>>());
                }
                if let Some((_, ndim)) = self.part(given) {
                    return Some(ndim);
                }
                // One element.
                let (_, ndim) = self.part(value)?;
                (indices.len() == ndim).then_some(())?;
                numbers(&indices.iter().collect::<Vec<_>>())
            }
            ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } => {
                if self.folded(given).is_some() {
                    return Some(0);
                }
                let arguments: Vec<_> = arguments.iter().collect();
                let is_member = match &function.kind {
                    ExpressionKind::Attribute { value, .. } => self.ndim(value)? > 0,
                    _ => false,
                };
                let are_parts = || {
                    let is_passed = |each: &&&Expression| {
                        self.part(each).is_some() || self.ndim(each) == Some(0)
                    };
                    arguments.iter().filter(is_passed).count() == arguments.len()
                };
                match self.meanings.called(function) {
                    _ if is_member => None,
                    Called::Elementwise => {
                        let ndim = greatest(&arguments)?;
                        (ndim == 0 || keywords.is_empty()).then_some(ndim)
                    }
                    Called::Fold(_) => numbers(&arguments),
                    Called::Other => are_parts().then_some(0),
                }
            }
            ExpressionKind::Unary { operand, .. } => self.ndim(operand),
            ExpressionKind::Binary {
                operator: BinaryOperator::MatrixMultiply,
                left,
                right,
            } => (self.ndim(left)? == 1 && self.ndim(right)? == 1).then_some(0),
            ExpressionKind::Binary { left, right, .. } => greatest(&[left, right]),
            ExpressionKind::Compare { first, rest } => {
                let mut list = vec![&**first];
                list.extend(rest.iter().map(|(_, operand)| operand));
                greatest(&list)
            }
            ExpressionKind::Logical { operands, .. } | ExpressionKind::Tuple(operands) => {
                numbers(&operands.iter().collect::<Vec<_>>())
            }
            ExpressionKind::Membership {
                item, container, ..
            } => numbers(&[item, container]),
            ExpressionKind::Conditional {
                test,
                accept,
                reject,
            } => numbers(&[test, accept, reject]),
            ExpressionKind::Slice { .. }
            | ExpressionKind::Lambda(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::None
            | ExpressionKind::Ellipsis
            | ExpressionKind::List(_)
            | ExpressionKind::Comprehension(_)
            | ExpressionKind::Refused => None,
        }
    }
}
