//! Loops that store elements, and the steps by which parts are broadcast in them.

use std::collections::HashMap;

use situ_ir::Span;

use super::{Code, Elements, Part, RANGE, Writer};
use crate::host::made_trees::{
    assignment, binary, call, compare, extent, integer, shown, subscript, substituted,
};
use crate::host::piece::{expression, identifier, named};
use crate::syntax::{
    BinaryOperator, ComparisonOperator, Expression, ExpressionKind, LogicalOperator, MessagePart,
    Statement, StatementKind,
};

/// For each part, the names of its steps along its axes; `None` where it goes on by one.
pub(super) type Steps = HashMap<String, Vec<Option<String>>>;

/// A loop over the elements along an axis.
pub(super) struct Turn {
    pub(super) index: String,
    /// The name of the number of elements.
    pub(super) count: String,
}

impl Writer<'_> {
    /// A loop that stores elements.
    pub(super) fn store(
        &mut self,
        target: &Part,
        elements: &Elements,
        operator: Option<BinaryOperator>,
        span: Span,
        code: &mut Code,
    ) -> Option<()> {
        if elements.ndim() > target.ndim {
            return None;
        }
        let extents: Vec<_> = (0..target.ndim)
            .map(|axis| extent(&target.name, axis, span))
            .collect();
        let turns = self.turns(&extents, span, code);
        let others = elements
            .parts
            .iter()
            .filter(|part| part.name != target.name);
        let mut steps = self.checked_steps(others, &turns, false, span, code);
        // It may be read, too: `acc = np.maximum(acc, row)`.
        steps.insert(target.name.clone(), vec![None; target.ndim]);
        let value = element(&elements.of, &turns, &steps, span);
        let indices = turns.iter().map(|turn| named(&turn.index, span)).collect();
        let place = subscript(named(&target.name, span), indices, span);
        let kind = match operator {
            Some(operator) => StatementKind::AugmentedAssign {
                target: place,
                operator,
                value,
            },
            None => StatementKind::Assign {
                targets: vec![place],
                value,
            },
        };
        code.push(nested(&turns, vec![Statement { kind, span }], span));
        Some(())
    }

    /// The loops over so many elements along each axis.
    pub(super) fn turns(
        &mut self,
        extents: &[Expression],
        span: Span,
        code: &mut Code,
    ) -> Vec<Turn> {
        let turn = |extent: &Expression| {
            let (index, count) = (self.made_name(), self.made_name());
            code.push(assignment(named(&count, span), extent.clone(), span));
            Turn { index, count }
        };
        extents.iter().map(turn).collect()
    }

    /// How far each part goes on from one turn to the next: 1, or 0 along an axis that is broadcast. Also the check
    /// that the shapes fit.
    pub(super) fn checked_steps<'p>(
        &mut self,
        parts: impl Iterator<Item = &'p Part>,
        turns: &[Turn],
        is_alone: bool,
        span: Span,
        code: &mut Code,
    ) -> Steps {
        let mut steps = HashMap::new();
        for part in parts {
            let first = turns.len() - part.ndim;
            let mut of_part = Vec::with_capacity(part.ndim);
            for axis in 0..part.ndim {
                if is_alone {
                    of_part.push(None);
                    continue;
                }
                let count = named(&turns[first + axis].count, span);
                let own = extent(&part.name, axis, span);
                let is_same = compare(own.clone(), ComparisonOperator::Equal, count.clone());
                let step = self.made_name();
                let kind = ExpressionKind::Conditional {
                    test: Box::new(is_same),
                    accept: Box::new(integer(1, span)),
                    reject: Box::new(integer(0, span)),
                };
                let value = expression(kind, span);
                code.push(assignment(named(&step, span), value, span));
                let differs = compare(own.clone(), ComparisonOperator::NotEqual, integer(1, span));
                let misfits = compare(
                    named(&step, span),
                    ComparisonOperator::Equal,
                    integer(0, span),
                );
                let kind = ExpressionKind::Logical {
                    operator: LogicalOperator::And,
                    operands: vec![misfits, differs],
                };
                let parts = vec![
                    MessagePart::Text("cannot broadcast ".to_owned()),
                    shown(own),
                    MessagePart::Text(format!(" elements of a part of `{}` to the ", part.root)),
                    shown(count),
                    MessagePart::Text(" that a round of `prange` works on".to_owned()),
                ];
                let raise = StatementKind::Raise {
                    class: identifier("ValueError", span),
                    parts,
                };
                let kind = StatementKind::If {
                    test: expression(kind, span),
                    accept: vec![Statement { kind: raise, span }],
                    reject: Vec::new(),
                };
                code.push(Statement { kind, span });
                of_part.push(Some(step));
            }
            steps.insert(part.name.clone(), of_part);
        }
        steps
    }
}

/// Statements inside of loops.
pub(super) fn nested(turns: &[Turn], body: Code, span: Span) -> Statement {
    let loops = turns.iter().rev().fold(body, |body, turn| {
        let kind = StatementKind::For {
            target: named(&turn.index, span),
            iterable: call(RANGE, vec![named(&turn.count, span)], span),
            body,
        };
        vec![Statement { kind, span }]
    });
    // An expression without dimensions has no loops, and is never nested.
    loops.into_iter().next().unwrap_or(Statement {
        kind: StatementKind::Pass,
        span,
    })
}

/// The element of an expression at a turn of the loops.
pub(super) fn element(of: &Expression, turns: &[Turn], steps: &Steps, span: Span) -> Expression {
    substituted(of, &|name| {
        let steps = steps.get(name)?;
        let first = turns.len() - steps.len();
        let indices = steps.iter().zip(&turns[first..]).map(|(step, turn)| {
            let index = named(&turn.index, span);
            match step {
                Some(step) => binary(BinaryOperator::Multiply, index, named(step, span)),
                None => index,
            }
        });
        Some(subscript(named(name, span), indices.collect(), span))
    })
}
