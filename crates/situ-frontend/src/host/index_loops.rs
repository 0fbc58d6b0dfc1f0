//! Loops over the elements or rows of arrays, or over the items of tuples, as loops over their indices.
//!
//! `for v in x`, `for v in reversed(x)`, `for i, v in enumerate(x)` and `for a, b in zip(x, y)` are compiled as `for k in range(...)` with an
//! assignment in front of the body. Whoever asks has made sure that what is looped over is an array, a part of one, or a tuple
//! of numbers.

use situ_ir::Span;

use super::element_loops::{LEN, MINIMUM, RANGE};
use super::made_trees::{assignment, binary, call, subscript};
use super::piece::{expression, named};
use crate::looped::Looped;
use crate::syntax::{
    BinaryOperator, Constant, Expression, ExpressionKind, Statement, StatementKind,
};

/// Whether rounds are written one after the other: over tuples that are made for the loop, whose items may be arrays.
fn is_written_out(looped: &Looped<'_>) -> bool {
    looped.parts().iter().all(|items| {
        matches!(
            items.kind,
            ExpressionKind::Tuple(_) | ExpressionKind::List(_)
        )
    })
}

/// Statements whose loops are all loops over indices.
pub(super) fn with_index_loops(body: Vec<Statement>) -> Vec<Statement> {
    IndexLoops::default().block(body)
}

/// Writes loops over indices, with names that are new for each.
#[derive(Default)]
pub(super) struct IndexLoops {
    /// How many names were made.
    made: usize,
}

impl IndexLoops {
    fn block(&mut self, body: Vec<Statement>) -> Vec<Statement> {
        let mut code = Vec::with_capacity(body.len());
        for statement in body {
            self.statement(statement, &mut code);
        }
        code
    }

    fn statement(&mut self, statement: Statement, code: &mut Vec<Statement>) {
        let span = statement.span;
        let kind = match statement.kind {
            StatementKind::If {
                test,
                accept,
                reject,
            } => StatementKind::If {
                test,
                accept: self.block(accept),
                reject: self.block(reject),
            },
            StatementKind::While { test, body } => StatementKind::While {
                test,
                body: self.block(body),
            },
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                let body = self.block(body);
                match Looped::of(&iterable) {
                    // Ranges count in both directions.
                    Some(looped)
                        if Looped::reversed_call(&iterable).is_none()
                            && !is_written_out(&looped) =>
                    {
                        self.index_loop(target, &looped, body, span, code)
                    }
                    _ => StatementKind::For {
                        target,
                        iterable,
                        body,
                    },
                }
            }
            other => other,
        };
        code.push(Statement { kind, span });
    }

    /// A loop over the indices of arrays; what comes before it is added to `code`.
    pub(super) fn index_loop(
        &mut self,
        target: Expression,
        looped: &Looped<'_>,
        mut body: Vec<Statement>,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> StatementKind {
        let turn = self.made_name();
        let extent = |name: &str| call(LEN, vec![named(name, span)], span);
        let at = |name: &str| subscript(named(name, span), vec![named(&turn, span)], span);
        let (item, count) = match looped {
            Looped::Each(items) => {
                let name = self.array_name(items, code);
                (at(&name), extent(&name))
            }
            Looped::Backwards(items) => {
                let name = self.array_name(items, code);
                let one = expression(ExpressionKind::Constant(Constant::Int(1)), span);
                let last = binary(BinaryOperator::Subtract, extent(&name), one);
                let place = binary(BinaryOperator::Subtract, last, named(&turn, span));
                let item = subscript(named(&name, span), vec![place], span);
                (item, extent(&name))
            }
            Looped::Counted(items, start) => {
                let name = self.array_name(items, code);
                let number = match start {
                    Some(start) => {
                        let start = self.kept(start, code);
                        binary(BinaryOperator::Add, named(&turn, span), start)
                    }
                    None => named(&turn, span),
                };
                let pair = ExpressionKind::Tuple(vec![number, at(&name)]);
                (expression(pair, span), extent(&name))
            }
            Looped::Together(lists) => {
                let names: Vec<_> = lists
                    .iter()
                    .map(|items| self.array_name(items, code))
                    .collect();
                let items = names.iter().map(|name| at(name)).collect();
                let counts = names.iter().map(|name| extent(name));
                let least = counts.reduce(|least, count| call(MINIMUM, vec![least, count], span));
                let item = expression(ExpressionKind::Tuple(items), span);
                // There is at least one.
                (item, least.unwrap_or_else(|| named(&turn, span)))
            }
        };
        body.insert(0, assignment(target, item, span));
        StatementKind::For {
            target: named(&turn, span),
            iterable: call(RANGE, vec![count], span),
            body,
        }
    }

    /// The name of an array; a new one for a part of it.
    fn array_name(&mut self, items: &Expression, code: &mut Vec<Statement>) -> String {
        if let ExpressionKind::Name(name) = &items.kind {
            return name.clone();
        }
        let name = self.made_name();
        let span = items.span;
        code.push(assignment(named(&name, span), items.clone(), span));
        name
    }

    /// A number that is computed once.
    fn kept(&mut self, number: &Expression, code: &mut Vec<Statement>) -> Expression {
        let (name, span) = (self.made_name(), number.span);
        code.push(assignment(named(&name, span), number.clone(), span));
        named(&name, span)
    }

    fn made_name(&mut self) -> String {
        self.made += 1;
        format!("situ__turn{}", self.made)
    }
}
