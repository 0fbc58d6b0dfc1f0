//! Statements of all lanes.

use situ_ir::{Block, Expression, Handle, Statement, StatementKind, Value, Variable};

use super::body::VectorBody;
use super::lanes::{Lanes, Term};
use super::shape::Shape;
use crate::error::Error;

impl VectorBody<'_, '_, '_, '_> {
    /// Writes the statements of a block. Lanes that leave it early skip the rest; when none is left, so does
    /// the code.
    pub(super) fn block(&mut self, block: &Block) -> Result<(), Error> {
        self.statements(&block.statements)
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<(), Error> {
        let end = self.body.code.label("block.end");
        let mut is_guarded = false;
        for (position, statement) in statements.iter().enumerate() {
            self.statement(statement)?;
            if is_jump(statement) {
                // What follows is never reached, by any lane.
                break;
            }
            if self.flow.leaves(statement) {
                self.mask.is_partial = true;
                if position + 1 < statements.len() {
                    let rest = self.body.code.label("rest");
                    let active = self.active();
                    self.branch_if_any(&active, &rest, &end);
                    self.body.code.begin(&rest);
                    is_guarded = true;
                }
            }
        }
        if is_guarded {
            if self.body.code.is_open() {
                self.body.code.branch(&end);
            }
            self.body.code.begin(&end);
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Error> {
        self.computed.clear();
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                let term = self.evaluate(*expression)?;
                self.values[value.index()] = Some(term);
                Ok(())
            }
            StatementKind::Assign {
                variable,
                expression,
            } => {
                let numbers = self.evaluate_number(*expression)?;
                let blends = self.flow.blends(statement);
                self.assign(*variable, &numbers, blends);
                Ok(())
            }
            StatementKind::Store {
                pointer,
                index,
                value,
            } => self.store_statement(*pointer, *index, *value),
            // Gathers have their own way of waiting.
            StatementKind::Prefetch { .. } => Ok(()),
            StatementKind::Atomic(atomic) => self.atomic(atomic),
            StatementKind::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result),
            StatementKind::If {
                condition,
                accept,
                reject,
            } => self.choose(statement, *condition, accept, reject),
            StatementKind::Loop {
                condition,
                body,
                step,
            } => self.repeat(statement, *condition, body, step),
            StatementKind::Break | StatementKind::Continue => self.leave_round(statement),
            StatementKind::Return(result) => self.return_(statement, *result),
            StatementKind::Fence { order, .. } => {
                self.body.fence(*order);
                Ok(())
            }
            StatementKind::Parallel(_) => {
                Err(self.broken("modules with rounds have no vectors of work-items"))
            }
            StatementKind::Barrier(_) | StatementKind::Collective(_) => {
                Err(self.broken("barriers and collectives are between regions"))
            }
        }
    }

    fn assign(&mut self, variable: Handle<Variable>, numbers: &Lanes, blends: bool) {
        let dtype = self.body.function.variables[variable].dtype;
        let place = self.variables[variable.index()].clone();
        if self.flow.variables[variable.index()] != Shape::Varying {
            self.body.store_scalar(dtype, numbers.operand(), &place, "");
            return;
        }
        let mut vector = numbers.vector(&mut self.body.code, dtype, self.lanes);
        let ty = self.ty(dtype);
        if blends {
            let active = self.active();
            let code = &mut self.body.code;
            let before = code.instruction(format_args!("load {ty}, ptr {place}"));
            vector = code.in_lanes(self.lanes, |code| {
                code.select(ty, &active, &vector, &before)
            });
        }
        self.body
            .code
            .effect(format_args!("store {ty} {vector}, ptr {place}"));
    }

    fn store_statement(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Result<(), Error> {
        let numbers = self.evaluate_number(value)?;
        let address = self.evaluate_pointer(pointer)?;
        let index = self.evaluate_number(index)?;
        let address = self.moved(&address, &index);
        self.store(pointer, &address, &numbers)
    }

    /// What a value is bound to.
    pub(super) fn bind(&mut self, value: Handle<Value>, numbers: Lanes) {
        self.values[value.index()] = Some(Term::Number(numbers));
    }
}

/// Whether a statement hands control elsewhere.
fn is_jump(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Break | StatementKind::Continue | StatementKind::Return(_)
    )
}
