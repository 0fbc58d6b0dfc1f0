//! Making a failing case small.

use super::case::Case;
use crate::arena::Handle;
use crate::interpret::Options;
use crate::module::Function;
use crate::statement::{Block, StatementKind};
use crate::validate::validate;

impl Case {
    /// The smallest case found by leaving statements out for which `fails` still holds.
    ///
    /// Every candidate is valid and runs in the interpreter without a fault, so that what `fails` sees
    /// is a program with a meaning.
    #[must_use]
    pub fn shrink(self, options: &Options, mut fails: impl FnMut(&Self) -> bool) -> Self {
        let mut smallest = self;
        loop {
            let Some(smaller) = smallest.first_smaller(options, &mut fails) else {
                return smallest;
            };
            smallest = smaller;
        }
    }

    /// The first candidate that still fails.
    fn first_smaller(
        &self,
        options: &Options,
        fails: &mut impl FnMut(&Self) -> bool,
    ) -> Option<Self> {
        let handles: Vec<_> = self.module.functions.handles().collect();
        for handle in handles {
            let statements = count(&self.module.functions[handle].body);
            for position in 0..statements {
                for cut in [Cut::Remove, Cut::Unwrap] {
                    let candidate = self.without(handle, position, cut);
                    let candidate = candidate.filter(|case| case.interpret(options).is_ok());
                    if let Some(candidate) = candidate.filter(&mut *fails) {
                        return Some(candidate);
                    }
                }
            }
        }
        None
    }

    /// The case without one statement, counted in program order; `None` if it is not valid.
    fn without(&self, handle: Handle<Function>, position: usize, cut: Cut) -> Option<Self> {
        let mut module = self.module.clone().into_module();
        let mut rest = position;
        if !cut_out(&mut module.functions[handle].body, &mut rest, cut) {
            return None;
        }
        let module = validate(module).ok()?;
        Some(Self {
            module,
            ..self.clone()
        })
    }
}

/// What to do with a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Leave it out with everything in it.
    Remove,
    /// Put the statements of its blocks in its place.
    Unwrap,
}

/// How many statements there are, nested ones included.
fn count(block: &Block) -> usize {
    let mut count = 0;
    block.for_each_statement(&mut |_| count += 1);
    count
}

/// Cuts the statement at a position in program order; `rest` counts down to it.
fn cut_out(block: &mut Block, rest: &mut usize, cut: Cut) -> bool {
    for position in 0..block.statements.len() {
        if *rest == 0 {
            return cut_here(block, position, cut);
        }
        *rest -= 1;
        let (first, second) = match &mut block.statements[position].kind {
            StatementKind::If { accept, reject, .. } => (accept, reject),
            StatementKind::Loop { body, step, .. } => (body, step),
            StatementKind::Parallel(parallel) => {
                if cut_out(&mut parallel.body, rest, cut) {
                    return true;
                }
                continue;
            }
            _ => continue,
        };
        if cut_out(first, rest, cut) || cut_out(second, rest, cut) {
            return true;
        }
    }
    false
}

fn cut_here(block: &mut Block, position: usize, cut: Cut) -> bool {
    let removed = block.statements.remove(position);
    if cut == Cut::Remove {
        return true;
    }
    let inner = match removed.kind {
        StatementKind::If { accept, reject, .. } => [accept, reject],
        StatementKind::Loop { body, step, .. } => [body, step],
        _ => return false,
    };
    let inner = inner.into_iter().flat_map(|block| block.statements);
    block.statements.splice(position..position, inner);
    true
}
