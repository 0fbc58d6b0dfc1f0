//! Where values are visible.
//!
//! Invariants:
//! * a value is bound by at most one statement (`V020`);
//! * an expression uses a value only after the statement that binds it, in the same block or in
//!   blocks nested in it (`V021`).
//!
//! The condition of a loop sees what is visible where the loop stands. So does its step, which does
//! not see what the body binds, because `Continue` may have skipped it.

use super::Checker;
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::module::Value;
use crate::span::Span;
use crate::statement::{Block, Statement};

/// What is known of each value while the function is walked in program order.
struct Scopes {
    /// Where the value was bound, if a statement did so already.
    bound_at: Vec<Option<Span>>,
    visible: Vec<bool>,
    /// Values that are visible, in the order they were bound; blocks cut it back when they end.
    open: Vec<Handle<Value>>,
    /// The statement that looked at each expression last, so that shared parts are looked at once.
    looked_at: Vec<u32>,
    statement: u32,
}

impl Checker<'_> {
    pub(super) fn check_scopes(&mut self) {
        let values = self.function.values.len();
        let mut scopes = Scopes {
            bound_at: vec![None; values],
            visible: vec![false; values],
            open: Vec::new(),
            looked_at: vec![0; self.function.expressions.len()],
            statement: 0,
        };
        self.check_scopes_of(&self.function.body, &mut scopes);
    }

    fn check_scopes_of(&mut self, block: &Block, scopes: &mut Scopes) {
        let outer = scopes.open.len();
        for statement in &block.statements {
            scopes.statement += 1;
            let mut used = Vec::new();
            statement.kind.for_each_expression(|root| used.push(root));
            self.check_uses(used, scopes);
            for block in statement.kind.blocks() {
                self.check_scopes_of(block, scopes);
            }
            if let Some(value) = statement.kind.bound_value() {
                self.bind(statement, value, scopes);
            }
        }
        for value in scopes.open.split_off(outer) {
            scopes.visible[value.index()] = false;
        }
    }

    fn check_uses(&mut self, mut pending: Vec<Handle<Expression>>, scopes: &mut Scopes) {
        while let Some(handle) = pending.pop() {
            if std::mem::replace(&mut scopes.looked_at[handle.index()], scopes.statement)
                == scopes.statement
            {
                continue;
            }
            let expression = &self.function.expressions[handle];
            if let Expression::Value(value) = expression
                && !scopes.visible[value.index()]
            {
                self.push_invisible(*value, handle, scopes.bound_at[value.index()]);
            }
            expression.for_each_operand(|operand| pending.push(operand));
        }
    }

    fn push_invisible(
        &mut self,
        value: Handle<Value>,
        user: Handle<Expression>,
        bound_at: Option<Span>,
    ) {
        let name = &self.function.values[value].name;
        let mut diagnostic = Diagnostic::error(
            "V021",
            format!(
                "value `{name}` is used in `{}` where it is not bound",
                self.name()
            ),
        )
        .label(self.function.expressions.span(user), "used here");
        diagnostic = match bound_at {
            Some(span) => diagnostic
                .label(span, "bound here")
                .why("a value is visible to later statements of the block that binds it"),
            None => diagnostic.why("no statement before this one binds it"),
        };
        self.push(diagnostic.help("bind it earlier or further out, or use a variable"));
    }

    fn bind(&mut self, statement: &Statement, value: Handle<Value>, scopes: &mut Scopes) {
        let first = scopes.bound_at[value.index()].replace(statement.span);
        if let Some(first) = first {
            let name = &self.function.values[value].name;
            let diagnostic =
                Diagnostic::error("V020", format!("value `{name}` is bound by two statements"))
                    .label(statement.span, "bound again here")
                    .label(first, "first bound here")
                    .why("a value is bound once, so that its uses always mean the same thing")
                    .help("bind another value, or use a variable");
            self.push(diagnostic);
        }
        if !std::mem::replace(&mut scopes.visible[value.index()], true) {
            scopes.open.push(value);
        }
    }
}
