//! Where variables are declared.
//!
//! A variable of the IR is visible in the whole function and zero at first. Most are assigned before
//! they are read, often as the counter of one loop, and C reads better when such a variable is
//! declared where it gets its first value. That is possible in a block if everything that touches the
//! variable is in that block, and the first statement of the block that touches it is an assignment
//! that does not read it: then no value can reach it from before, also when the block is repeated.

use std::collections::HashSet;
use std::ptr;

use situ_ir::{Block, Expression, Function, Handle, Statement, StatementKind, Variable};

/// The places of declarations in one function.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// Variables to declare, with zero in them, at the start of the function.
    pub(super) at_start: Vec<Handle<Variable>>,
    /// Assignments that declare their variable.
    first: HashSet<*const Statement>,
    /// Those whose variable nothing but the loop after them touches.
    of_loop: HashSet<*const Statement>,
}

impl Declarations {
    pub(super) fn new(function: &Function) -> Self {
        let mut walk = Walk {
            function,
            uses: vec![None; function.variables.len()],
            path: Vec::new(),
            blocks: 0,
        };
        walk.block(&function.body);

        let mut declarations = Self::default();
        for (variable, uses) in function.variables.handles().zip(walk.uses) {
            match uses {
                None => {}
                Some(uses) if uses.starts_with_assignment() => {
                    declarations.first.insert(uses.statement);
                    if uses.is_of_loop() {
                        declarations.of_loop.insert(uses.statement);
                    }
                }
                Some(_) => declarations.at_start.push(variable),
            }
        }
        declarations
    }

    /// Whether an assignment declares its variable.
    pub(super) fn is_first(&self, statement: &Statement) -> bool {
        self.first.contains(&ptr::from_ref(statement))
    }

    /// Whether the loop after an assignment can declare the variable in its head.
    pub(super) fn is_of_loop(&self, statement: &Statement) -> bool {
        self.of_loop.contains(&ptr::from_ref(statement))
    }
}

/// A step on the way from the function's body to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    block: usize,
    position: usize,
}

/// What touches a variable.
#[derive(Clone, Debug)]
struct Uses {
    /// The way to the statement that touches it first.
    path: Vec<Step>,
    statement: *const Statement,
    assigns_without_reading: bool,
    before_loop: bool,
    /// How many blocks of `path`, from the outermost, contain everything that touches it.
    shared: usize,
    /// The last position in the innermost of these.
    last: usize,
}

impl Uses {
    fn starts_with_assignment(&self) -> bool {
        self.assigns_without_reading && self.path.len() == self.shared
    }

    fn is_of_loop(&self) -> bool {
        self.before_loop && self.last == self.path[self.shared - 1].position + 1
    }
}

/// A walk through a function in the order of its text.
struct Walk<'a> {
    function: &'a Function,
    uses: Vec<Option<Uses>>,
    path: Vec<Step>,
    blocks: usize,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        let number = self.blocks;
        self.blocks += 1;
        for (position, statement) in block.statements.iter().enumerate() {
            self.path.push(Step {
                block: number,
                position,
            });
            let before_loop = block
                .statements
                .get(position + 1)
                .is_some_and(|next| matches!(next.kind, StatementKind::Loop { .. }));
            for variable in self.read_by(statement) {
                self.touch(variable, statement, false, before_loop);
            }
            if let StatementKind::Assign { variable, .. } = statement.kind {
                self.touch(variable, statement, true, before_loop);
            }
            if let StatementKind::Parallel(parallel) = &statement.kind {
                // Its head counts with them.
                for variable in [parallel.index, parallel.worker] {
                    self.touch(variable, statement, false, false);
                }
            }
            for nested in statement.kind.blocks() {
                self.block(nested);
            }
            self.path.pop();
        }
    }

    /// The variables that a statement itself reads.
    fn read_by(&self, statement: &Statement) -> Vec<Handle<Variable>> {
        let mut pending = Vec::new();
        statement
            .kind
            .for_each_expression(|expression| pending.push(expression));
        let mut seen = HashSet::new();
        let mut variables = Vec::new();
        while let Some(handle) = pending.pop() {
            if !seen.insert(handle) {
                continue;
            }
            let expression = &self.function.expressions[handle];
            if let Expression::Variable(variable) = expression {
                variables.push(*variable);
            }
            expression.for_each_operand(|operand| pending.push(operand));
        }
        variables
    }

    fn touch(
        &mut self,
        variable: Handle<Variable>,
        statement: &Statement,
        assigns: bool,
        before_loop: bool,
    ) {
        let here = &self.path;
        match &mut self.uses[variable.index()] {
            None => {
                self.uses[variable.index()] = Some(Uses {
                    path: here.clone(),
                    statement,
                    assigns_without_reading: assigns,
                    before_loop,
                    shared: here.len(),
                    last: here[here.len() - 1].position,
                });
            }
            Some(uses) => {
                let same_block = |(one, other): &(&Step, &Step)| one.block == other.block;
                let shared = uses.path.iter().zip(here).take_while(same_block).count();
                uses.shared = uses.shared.min(shared);
                uses.last = here[uses.shared - 1].position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::{DType, FunctionBuilder, Module};

    use super::*;

    fn finish(f: FunctionBuilder) -> Function {
        let mut module = Module::new("test");
        let handle = f.finish(&mut module);
        module.functions[handle].clone()
    }

    #[test]
    fn a_counter_belongs_to_its_loop() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let (zero, ten) = (f.index(0), f.index(10));
        f.for_range("i", zero, ten, |_, _| {});
        let function = finish(f);
        let declarations = Declarations::new(&function);
        assert!(declarations.is_of_loop(&function.body.statements[0]));
        assert!(declarations.at_start.is_empty());
    }

    #[test]
    fn a_counter_that_is_read_later_is_declared_before_the_loop() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let (zero, ten) = (f.index(0), f.index(10));
        f.for_range("i", zero, ten, |_, _| {});
        let counter = f.get(Handle::new(0));
        f.bind("last", counter);
        let function = finish(f);
        let declarations = Declarations::new(&function);
        assert!(declarations.is_first(&function.body.statements[0]));
        assert!(!declarations.is_of_loop(&function.body.statements[0]));
    }

    #[test]
    fn a_variable_that_is_read_first_starts_as_zero() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let total = f.variable("total", DType::I64);
        let (zero, ten) = (f.index(0), f.index(10));
        f.for_range("i", zero, ten, |f, i| {
            let now = f.get(total);
            let next = f.add(now, i);
            f.assign(total, next);
        });
        let declarations = Declarations::new(&finish(f));
        assert_eq!(declarations.at_start, [total]);
    }

    #[test]
    fn a_variable_assigned_in_both_branches_is_declared_before_them() {
        let mut f = FunctionBuilder::kernel("k", 1);
        let x = f.variable("x", DType::I64);
        let yes = f.literal(situ_ir::Literal::Bool(true));
        let one = f.index(1);
        f.if_else(yes, |f| f.assign(x, one), |f| f.assign(x, one));
        let declarations = Declarations::new(&finish(f));
        assert_eq!(declarations.at_start, [x]);
    }
}
