//! Rounds that do not depend on each other.
//!
//! Invariants:
//! * the count of a `Parallel` and the variables that tell a round its numbers are `int64`s, and the body does not
//!   assign the latter (`V058`);
//! * a variable that the body assigns is not used outside of it (`V059`);
//! * the body has no barriers and no collectives, asks nothing about the work-item, and calls no function that does
//!   (`V065`);
//! * `Return` in the body has no result (`V036`).

use std::collections::BTreeSet;

use super::{Checker, Types, a};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::module::Variable;
use crate::span::Span;
use crate::statement::{Block, Parallel, Statement, StatementKind};
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_parallel(&mut self, span: Span, parallel: &Parallel, types: &Types) {
        let assigned = assigned(&parallel.body);
        let own = [parallel.index, parallel.worker];
        let count = types.of(parallel.count);
        let is_counted = count.is_none_or(|ty| ty == Type::INDEX)
            && own.iter().all(|variable| {
                let dtype = self.function.variables[*variable].dtype;
                Type::Scalar(dtype) == Type::INDEX && !assigned.contains(variable)
            });
        if !is_counted {
            let count = count.map_or_else(String::new, |ty| format!(", up to {}", a(ty)));
            let diagnostic = Diagnostic::error(
                "V058",
                format!("rounds in `{}` are not counted{count}", self.name()),
            )
            .label(span, "")
            .why("the count is an `i64`, and the body reads the number of its round without changing it")
            .help("cast the count, and copy the number of the round to a variable");
            self.push(diagnostic);
        }
        self.check_own_variables(span, parallel, assigned);
        parallel.body.for_each_statement(&mut |statement| {
            if statement.kind.is_meeting() || self.asks(statement) {
                let diagnostic = Diagnostic::error(
                    "V065",
                    format!("a round in `{}` takes part in a work-group", self.name()),
                )
                .label(statement.span, "")
                .why("rounds may run on any thread, which is no work-item")
                .help("ask before the rounds, and use a value that holds the answer");
                self.push(diagnostic);
            }
        });
    }

    /// Checks that nothing outside of a `Parallel` uses what its rounds assign.
    fn check_own_variables(
        &mut self,
        span: Span,
        parallel: &Parallel,
        mut assigned: BTreeSet<Handle<Variable>>,
    ) {
        assigned.extend([parallel.index, parallel.worker]);
        let mut outside = BTreeSet::new();
        self.uses_outside(&self.function.body, parallel, &mut outside);
        for variable in assigned.intersection(&outside) {
            let name = &self.function.variables[*variable].name;
            let diagnostic = Diagnostic::error(
                "V059",
                format!(
                    "rounds in `{}` assign `{name}`, which others use",
                    self.name()
                ),
            )
            .label(span, "")
            .why("each round has a variable of its own, so nobody could tell which one is meant")
            .help("store what others need to memory, at an index that depends on the round");
            self.push(diagnostic);
        }
    }

    /// Adds the variables that statements use which are not part of a `Parallel`.
    fn uses_outside(
        &self,
        block: &Block,
        parallel: &Parallel,
        used: &mut BTreeSet<Handle<Variable>>,
    ) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign { variable, .. } => {
                    used.insert(*variable);
                }
                StatementKind::Parallel(other) if !std::ptr::eq(other, parallel) => {
                    used.extend([other.index, other.worker]);
                }
                _ => {}
            }
            used.extend(self.read_variables(statement));
            if matches!(&statement.kind, StatementKind::Parallel(other) if std::ptr::eq(other, parallel))
            {
                continue;
            }
            for block in statement.kind.blocks() {
                self.uses_outside(block, parallel, used);
            }
        }
    }

    /// The variables that a statement itself reads.
    fn read_variables(&self, statement: &Statement) -> Vec<Handle<Variable>> {
        let mut found = Vec::new();
        self.for_each_used(statement, |expression| {
            if let Expression::Variable(variable) = expression {
                found.push(*variable);
            }
        });
        found
    }

    /// Whether a statement asks about the work-item, itself or by a function that it calls.
    fn asks(&self, statement: &Statement) -> bool {
        let mut asks = false;
        self.for_each_used(statement, |expression| {
            asks |= matches!(expression, Expression::WorkItem(_));
        });
        if let StatementKind::Call { function, .. } = &statement.kind {
            let callee = self.earlier.get(function.index());
            asks |= callee.is_none_or(|callee| callee.asks);
        }
        asks
    }

    /// Calls `visit` with all expressions of a statement and those that they are made of.
    fn for_each_used(&self, statement: &Statement, mut visit: impl FnMut(&Expression)) {
        let mut seen = BTreeSet::new();
        let mut pending = Vec::new();
        statement
            .kind
            .for_each_expression(|root| pending.push(root));
        while let Some(handle) = pending.pop() {
            if seen.insert(handle) {
                let expression = &self.function.expressions[handle];
                visit(expression);
                expression.for_each_operand(|operand| pending.push(operand));
            }
        }
    }

    /// Checks a `Return` that ends a round.
    pub(super) fn check_end_of_round(&mut self, span: Span, result: Option<Handle<Expression>>) {
        if result.is_some() {
            let diagnostic = Diagnostic::error(
                "V036",
                format!("a round in `{}` returns something", self.name()),
            )
            .label(span, "")
            .help("return nothing, which ends the round, and store the result to memory");
            self.push(diagnostic);
        }
    }
}

/// The variables that a block assigns.
fn assigned(block: &Block) -> BTreeSet<Handle<Variable>> {
    let mut found = BTreeSet::new();
    block.for_each_statement(&mut |statement| match &statement.kind {
        StatementKind::Assign { variable, .. } => {
            found.insert(*variable);
        }
        StatementKind::Parallel(parallel) => found.extend([parallel.index, parallel.worker]),
        _ => {}
    });
    found
}
