//! Which variables might be read before they are assigned.
//!
//! Most variables are plainly assigned first. Only for the others does the interpreter keep a mark
//! and look at it on every read.

use super::operands::Operands;
use crate::expression::Expression;
use crate::module::Function;
use crate::statement::{Block, StatementKind};

/// For each variable, whether some read of it is not certain to come after an assignment.
pub(super) fn uncertain_variables(function: &Function) -> Vec<bool> {
    let count = function.variables.len();
    let mut analysis = Analysis {
        function,
        operands: Operands::new(&function.expressions),
        uncertain: vec![false; count],
    };
    analysis.block(&function.body, vec![false; count]);
    analysis.uncertain
}

struct Analysis<'a> {
    function: &'a Function,
    operands: Operands<'a>,
    uncertain: Vec<bool>,
}

/// Which variables are certainly assigned; `None` where control never arrives.
type Assigned = Option<Vec<bool>>;

impl Analysis<'_> {
    /// What is assigned after a block that starts with `assigned`.
    fn block(&mut self, block: &Block, assigned: Vec<bool>) -> Assigned {
        let mut assigned = assigned;
        for statement in &block.statements {
            self.reads(&statement.kind, &assigned);
            match &statement.kind {
                StatementKind::Assign { variable, .. } => assigned[variable.index()] = true,
                StatementKind::If { accept, reject, .. } => {
                    let accept = self.block(accept, assigned.clone());
                    let reject = self.block(reject, assigned);
                    assigned = match (accept, reject) {
                        (Some(first), Some(second)) => both(&first, &second),
                        (only, None) | (None, only) => only?,
                    };
                }
                // A loop may run no round, and a round may end early: nothing is gained from it.
                StatementKind::Loop { body, step, .. } => {
                    self.block(body, assigned.clone());
                    self.block(step, assigned.clone());
                }
                // A round finds its own variables cleared, and the others as they are here.
                StatementKind::Parallel(parallel) => {
                    let mut inside = assigned.clone();
                    inside[parallel.index.index()] = true;
                    inside[parallel.worker.index()] = true;
                    self.block(&parallel.body, inside);
                }
                StatementKind::Break | StatementKind::Continue | StatementKind::Return(_) => {
                    return None;
                }
                _ => {}
            }
        }
        Some(assigned)
    }

    fn reads(&mut self, statement: &StatementKind, assigned: &[bool]) {
        let mut roots = Vec::new();
        statement.for_each_expression(|expression| roots.push(expression));
        for &expression in self.operands.of(roots) {
            if let Expression::Variable(variable) = self.function.expressions[expression] {
                self.uncertain[variable.index()] |= !assigned[variable.index()];
            }
        }
    }
}

fn both(first: &[bool], second: &[bool]) -> Vec<bool> {
    first.iter().zip(second).map(|(a, b)| *a && *b).collect()
}
