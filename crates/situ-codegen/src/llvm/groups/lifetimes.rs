//! When variables are assigned and read.
//!
//! Statements are numbered in the order of the text. The statements that come after one in its
//! block, with everything nested in them, are an interval of numbers that ends where the block
//! ends; structured control flow makes such a statement run before all of them. So a variable whose
//! first occurrence is an assignment, and whose other occurrences are all in that interval, is
//! never read before it is assigned.

use std::collections::HashSet;

use situ_ir::{Block, Expression, Function, Handle, StatementKind, Variable};

/// What is known of a variable's occurrences.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetime {
    assignments: u32,
    /// If the first occurrence is an assignment: the number of the first statement after its block.
    first_is_assigned_until: Option<u32>,
    /// The number of the statement with the last occurrence.
    last: Option<u32>,
}

impl Lifetime {
    /// Whether no read can come before the first assignment.
    pub(super) fn is_assigned_before_reads(&self) -> bool {
        match (self.first_is_assigned_until, self.last) {
            (Some(end), Some(last)) => last < end,
            _ => false,
        }
    }

    /// Whether it is only a name for what is assigned to it.
    pub(super) fn is_assigned_once_before_reads(&self) -> bool {
        self.assignments == 1 && self.is_assigned_before_reads()
    }
}

/// The lifetimes of a function's variables.
pub(super) fn lifetimes(function: &Function) -> Vec<Lifetime> {
    let mut walk = Walk {
        function,
        next: 0,
        lifetimes: vec![Lifetime::default(); function.variables.len()],
        pending: Vec::new(),
    };
    walk.block(&function.body);
    walk.lifetimes
}

struct Walk<'a> {
    function: &'a Function,
    next: u32,
    lifetimes: Vec<Lifetime>,
    /// Variables whose first occurrence is an assignment in a block that is not at its end yet.
    pending: Vec<Handle<Variable>>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        let already_pending = self.pending.len();
        for statement in &block.statements {
            let number = self.next;
            self.next += 1;
            statement
                .kind
                .for_each_expression(|root| self.reads(root, number));
            if let StatementKind::Assign { variable, .. } = &statement.kind {
                self.assigns(*variable, number);
            }
            for nested in statement.kind.blocks() {
                self.block(nested);
            }
        }
        for variable in self.pending.split_off(already_pending) {
            self.lifetimes[variable.index()].first_is_assigned_until = Some(self.next);
        }
    }

    fn assigns(&mut self, variable: Handle<Variable>, number: u32) {
        let lifetime = &mut self.lifetimes[variable.index()];
        if lifetime.last.is_none() {
            self.pending.push(variable);
        }
        lifetime.last = Some(number);
        lifetime.assignments += 1;
    }

    fn reads(&mut self, root: Handle<Expression>, number: u32) {
        let mut seen = HashSet::new();
        let mut pending = vec![root];
        while let Some(expression) = pending.pop() {
            if !seen.insert(expression) {
                continue;
            }
            match &self.function.expressions[expression] {
                Expression::Variable(variable) => {
                    self.lifetimes[variable.index()].last = Some(number);
                }
                other => other.for_each_operand(|operand| pending.push(operand)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::{BinaryOperator, DType, FunctionBuilder, Module};

    use super::*;

    #[test]
    fn a_counter_is_assigned_before_it_is_read_but_not_once() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let (start, end) = (f.index(0), f.index(4));
        f.for_range("i", start, end, |_, _| {});
        let lifetime = only_lifetime(f);
        assert!(lifetime.is_assigned_before_reads());
        assert!(!lifetime.is_assigned_once_before_reads());
    }

    #[test]
    fn an_assignment_in_a_branch_does_not_cover_reads_after_it() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let x = f.variable("x", DType::I64);
        let id = f.global_id(0);
        let zero = f.index(0);
        let condition = f.binary(BinaryOperator::Equal, id, zero);
        f.if_(condition, |f| f.assign(x, id));
        let read = f.get(x);
        f.bind("y", read);
        assert!(!only_lifetime(f).is_assigned_before_reads());
    }

    #[test]
    fn a_variable_assigned_from_itself_is_read_first() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let x = f.variable("x", DType::I64);
        let read = f.get(x);
        f.assign(x, read);
        assert!(!only_lifetime(f).is_assigned_before_reads());
    }

    #[test]
    fn a_name_for_an_expression_is_assigned_once() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let x = f.variable("x", DType::I64);
        let id = f.global_id(0);
        f.assign(x, id);
        let read = f.get(x);
        f.bind("y", read);
        assert!(only_lifetime(f).is_assigned_once_before_reads());
    }

    fn only_lifetime(f: FunctionBuilder) -> Lifetime {
        let mut module = Module::new("test");
        let function = f.finish(&mut module);
        let mut all = lifetimes(&module.functions[function]);
        assert_eq!(all.len(), 1);
        all.remove(0)
    }
}
