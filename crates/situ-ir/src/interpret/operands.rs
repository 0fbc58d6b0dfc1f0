//! Which expressions a statement needs, in an order in which each comes after its operands.

use crate::arena::{Arena, Handle};
use crate::expression::Expression;

/// Finds what expressions are made of, without recursion and without repeating shared parts.
pub(super) struct Operands<'a> {
    expressions: &'a Arena<Expression>,
    /// The last search that met each expression.
    seen: Vec<u32>,
    search: u32,
    found: Vec<Handle<Expression>>,
}

impl<'a> Operands<'a> {
    pub(super) fn new(expressions: &'a Arena<Expression>) -> Self {
        Self {
            expressions,
            seen: vec![0; expressions.len()],
            search: 0,
            found: Vec::new(),
        }
    }

    /// The roots and everything they are made of. Operands have smaller handles than the
    /// expressions that use them, so ascending order is evaluation order.
    pub(super) fn of(
        &mut self,
        roots: impl IntoIterator<Item = Handle<Expression>>,
    ) -> &[Handle<Expression>] {
        self.search += 1;
        self.found.clear();
        for root in roots {
            self.meet(root);
        }
        let expressions = self.expressions;
        let mut next = 0;
        while let Some(&expression) = self.found.get(next) {
            expressions[expression].for_each_operand(|operand| self.meet(operand));
            next += 1;
        }
        self.found.sort_unstable();
        &self.found
    }

    fn meet(&mut self, expression: Handle<Expression>) {
        let seen = &mut self.seen[expression.index()];
        if *seen != self.search {
            *seen = self.search;
            self.found.push(expression);
        }
    }
}
