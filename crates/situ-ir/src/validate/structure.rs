//! What must hold before anything else can be looked at.
//!
//! Invariants:
//! * operands come before the expressions that use them, so expressions have no cycles (`V001`);
//! * every handle and parameter position exists (`V002`);
//! * expressions are at most [`MAX_EXPRESSION_DEPTH`] deep (`V006`) and, written out as a tree, at most
//!   [`MAX_EXPRESSION_NODES`] large (`V007`);
//! * blocks are nested at most [`MAX_BLOCK_DEPTH`] deep (`V008`).
//!
//! The bounds let every later stage recurse over expressions and blocks, and write an expression out
//! without looking for shared parts.

use super::Checker;
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::statement::{Block, StatementKind};

/// How deep an expression may be nested.
pub const MAX_EXPRESSION_DEPTH: usize = 256;

/// How many nodes an expression may have when shared parts are counted as often as they occur.
pub const MAX_EXPRESSION_NODES: usize = 1 << 16;

/// How deep blocks may be nested; the body of a function is at depth 1.
pub const MAX_BLOCK_DEPTH: usize = 256;

impl Checker<'_> {
    /// Whether the rest of the checks can be made.
    pub(super) fn check_structure(&mut self) -> bool {
        let before = self.diagnostics.len();
        self.check_operands();
        if self.check_block_depth() {
            self.check_statement_handles(&self.function.body);
        }
        if self.diagnostics.len() == before {
            self.check_expression_sizes();
        }
        self.diagnostics.len() == before
    }

    fn check_operands(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            let mut in_order = true;
            expression.for_each_operand(|operand| in_order &= operand < handle);
            let span = self.function.expressions.span(handle);
            if !in_order {
                let diagnostic = Diagnostic::error(
                    "V001",
                    format!(
                        "an expression of `{}` uses an expression that comes after it",
                        self.name()
                    ),
                )
                .label(span, "")
                .why("operands come first in the arena, so that no expression contains itself")
                .help("append the operand before the expression that uses it");
                self.push(diagnostic);
            }
            if !self.names_something(expression) {
                self.push_missing("an expression", span);
            }
        }
    }

    fn names_something(&self, expression: &Expression) -> bool {
        let function = self.function;
        match expression {
            Expression::Parameter(position) => (*position as usize) < function.parameters.len(),
            Expression::Value(value) => function.values.get(*value).is_some(),
            Expression::Variable(variable) => function.variables.get(*variable).is_some(),
            Expression::Array(array) => function.arrays.get(*array).is_some(),
            _ => true,
        }
    }

    fn push_missing(&mut self, what: &str, span: crate::span::Span) {
        let diagnostic = Diagnostic::error(
            "V002",
            format!(
                "{what} of `{}` refers to something that does not exist",
                self.name()
            ),
        )
        .label(span, "")
        .why("it holds a handle that this function or module did not give out")
        .help("this is a mistake in the program that made the module; please report it");
        self.push(diagnostic);
    }

    /// Walks with a list of its own rather than the stack, which is what is being protected.
    fn check_block_depth(&mut self) -> bool {
        let mut pending = vec![(&self.function.body, 1)];
        while let Some((block, depth)) = pending.pop() {
            for statement in &block.statements {
                if depth == MAX_BLOCK_DEPTH && statement.kind.blocks().next().is_some() {
                    let diagnostic = Diagnostic::error(
                        "V008",
                        format!(
                            "blocks of `{}` are nested more than {MAX_BLOCK_DEPTH} deep",
                            self.name()
                        ),
                    )
                    .label(statement.span, "")
                    .why("each level costs stack in every stage of compilation")
                    .help("move inner blocks to a device function");
                    self.push(diagnostic);
                    return false;
                }
                pending.extend(statement.kind.blocks().map(|block| (block, depth + 1)));
            }
        }
        true
    }

    fn check_statement_handles(&mut self, block: &Block) {
        let function = self.function;
        for statement in &block.statements {
            let kind = &statement.kind;
            let mut exist = true;
            kind.for_each_expression(|handle| exist &= function.expressions.get(handle).is_some());
            exist &= kind
                .bound_value()
                .is_none_or(|value| function.values.get(value).is_some());
            exist &= match kind {
                StatementKind::Assign { variable, .. } => {
                    function.variables.get(*variable).is_some()
                }
                StatementKind::Call { function, .. } => {
                    self.module.functions.get(*function).is_some()
                }
                _ => true,
            };
            if !exist {
                self.push_missing("a statement", statement.span);
            }
            for block in kind.blocks() {
                self.check_statement_handles(block);
            }
        }
    }

    fn check_expression_sizes(&mut self) {
        let expressions = &self.function.expressions;
        // Depth and number of nodes of each expression. Only the first that is over a limit is
        // reported; the ones that contain it are smaller again from there.
        let mut sizes: Vec<(usize, usize)> = Vec::with_capacity(expressions.len());
        let mut over = Vec::new();
        for (handle, expression) in expressions.iter() {
            let (mut depth, mut nodes) = (1, 1_usize);
            expression.for_each_operand(|operand: Handle<Expression>| {
                let (operand_depth, operand_nodes) = sizes[operand.index()];
                depth = depth.max(operand_depth + 1);
                nodes = nodes.saturating_add(operand_nodes);
            });
            if depth > MAX_EXPRESSION_DEPTH {
                over.push((
                    "V006",
                    handle,
                    format!("more than {MAX_EXPRESSION_DEPTH} deep"),
                ));
                (depth, nodes) = (1, 1);
            } else if nodes > MAX_EXPRESSION_NODES {
                over.push((
                    "V007",
                    handle,
                    format!("larger than {MAX_EXPRESSION_NODES} nodes"),
                ));
                (depth, nodes) = (1, 1);
            }
            sizes.push((depth, nodes));
        }
        for (code, handle, how) in over {
            let diagnostic = Diagnostic::error(
                code,
                format!("an expression of `{}` is {how}", self.name()),
            )
            .label(self.function.expressions.span(handle), "")
            .why("shared parts count as often as they occur, because they are evaluated so often")
            .help("bind parts of it to values and use those");
            self.push(diagnostic);
        }
    }
}
