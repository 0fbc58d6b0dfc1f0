//! Statements of one work-item.

use situ_ir::{
    AddressSpace, Block, Expression, Function, Handle, Statement, StatementKind, Type, Value,
    Variable,
};

use super::body::{Body, Exits, LoopLabels};
use super::places::{ValuePlace, VariablePlace};
use super::types::register_type;
use super::writer::Operand;
use crate::error::Error;

/// How many rounds of a loop that changes counts become one. LLVM takes the number of its rounds for too hard to compute, but
/// what goes around such a loop costs half as much as the counts do.
const ROUNDS_OF_COUNTS: u8 = 4;

/// How a work-item leaves a region that others go on after, as its status slot has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// It ended this round of the loop around the region.
    Continue = 1,
    /// It left the loop around the region.
    Break = 2,
    /// It is done.
    Return = 3,
}

impl Body<'_, '_, '_> {
    pub(super) fn block(&mut self, block: &Block) -> Result<(), Error> {
        block
            .statements
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), Error> {
        self.computed.clear();
        match &statement.kind {
            StatementKind::Let { value, expression } => self.let_(*value, *expression),
            StatementKind::Assign {
                variable,
                expression,
            } => self.assign(*variable, *expression),
            StatementKind::Store {
                pointer,
                index,
                value,
            } => self.store(*pointer, *index, *value),
            StatementKind::Prefetch { pointer, index } => self.prefetch(*pointer, *index),
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
            } => {
                let condition = self.evaluate(*condition)?;
                self.choose(
                    &condition,
                    |body| body.block(accept),
                    |body| body.block(reject),
                )
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => {
                let is_count = self.counts_in_group(body);
                let rounds = if is_count { ROUNDS_OF_COUNTS } else { 1 };
                self.repeat(
                    (*condition, rounds),
                    |this| this.block(body),
                    |this| this.block(step),
                )
            }
            StatementKind::Parallel(parallel) => self.parallel(parallel),
            StatementKind::Break => self.jump(Exit::Break),
            StatementKind::Continue => self.jump(Exit::Continue),
            StatementKind::Return(result) => self.return_(*result),
            StatementKind::Fence { order, .. } => {
                self.fence(*order);
                Ok(())
            }
            StatementKind::Barrier(_) | StatementKind::Collective(_) => {
                Err(self.broken("barriers and collectives are between regions"))
            }
        }
    }

    fn let_(&mut self, value: Handle<Value>, expression: Handle<Expression>) -> Result<(), Error> {
        if matches!(self.places.values[value.index()], ValuePlace::Expression(_)) {
            return Ok(());
        }
        let result = self.evaluate(expression)?;
        self.bind(value, result);
        Ok(())
    }

    /// Puts a result where its value is kept; the rest of the region finds it in a register.
    pub(super) fn bind(&mut self, value: Handle<Value>, result: Operand) {
        if let ValuePlace::Slot(slot) = self.places.values[value.index()].clone() {
            self.store_slot(&slot, &result);
        }
        self.places.values[value.index()] = ValuePlace::Register(result);
    }

    fn assign(
        &mut self,
        variable: Handle<Variable>,
        expression: Handle<Expression>,
    ) -> Result<(), Error> {
        match self.places.variables[variable.index()].clone() {
            VariablePlace::Expression(_) => {}
            VariablePlace::Stack(place) => {
                let content = self.evaluate(expression)?;
                let dtype = self.function.variables[variable].dtype;
                self.store_scalar(dtype, &content, &place, "");
            }
            VariablePlace::Slot(slot) => {
                let content = self.evaluate(expression)?;
                self.store_slot(&slot, &content);
            }
        }
        Ok(())
    }

    fn store(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Result<(), Error> {
        let content = self.evaluate(value)?;
        self.evaluate(pointer)?;
        self.evaluate(index)?;
        let address = self.element_address(pointer, index);
        let dtype = self
            .info
            .type_of(value)
            .scalar()
            .ok_or_else(|| self.broken("what is stored is a scalar"))?;
        let marks = self.access_marks(pointer);
        self.store_scalar(dtype, &content, &address, marks);
        Ok(())
    }

    /// Brings an element into the second cache. The first has few places for what is under way, and loads need them.
    fn prefetch(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<(), Error> {
        const NAME: &str = "llvm.prefetch.p0";
        const TO_READ_IN_SECOND_CACHE: &str = "i32 0, i32 2, i32 1";
        self.evaluate(pointer)?;
        self.evaluate(index)?;
        let address = self.element_address(pointer, index);
        self.code
            .library
            .intrinsic(NAME, "void", "ptr, i32, i32, i32");
        self.code.effect(format_args!(
            "call void @{NAME}(ptr {address}, {TO_READ_IN_SECOND_CACHE})"
        ));
        Ok(())
    }

    /// Calls a device function with its arguments and what it asks about the work-item.
    fn call(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Value>>,
    ) -> Result<(), Error> {
        let mut list = Vec::new();
        for &argument in arguments {
            let ty = register_type(self.info.type_of(argument));
            let operand = self.evaluate(argument)?;
            list.push(format!("{ty} {operand}"));
        }
        for query in self.facts.queries[callee.index()].iter() {
            let answer = self.answer(query)?;
            list.push(format!("i64 {answer}"));
        }
        let name = super::functions::symbol(&self.facts.module.functions[callee]);
        let list = list.join(", ");
        match result {
            None => self.code.effect(format_args!("call void @{name}({list})")),
            Some(value) => {
                let ty = register_type(self.function.values[value].ty);
                let returned = self
                    .code
                    .instruction(format_args!("call {ty} @{name}({list})"));
                self.bind(value, returned);
            }
        }
        Ok(())
    }

    /// Runs one of two pieces of code.
    pub(super) fn choose(
        &mut self,
        condition: &Operand,
        accept: impl FnOnce(&mut Self) -> Result<(), Error>,
        reject: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let then = self.code.label("then");
        let otherwise = self.code.label("else");
        let end = self.code.label("if.end");
        self.code.branch_if(condition, &then, &otherwise);
        self.code.begin(&then);
        accept(self)?;
        if self.code.is_open() {
            self.code.branch(&end);
        }
        self.code.begin(&otherwise);
        reject(self)?;
        self.code.begin(&end);
        Ok(())
    }

    /// Whether a loop does little but change counts of its group, as histograms are made.
    fn counts_in_group(&self, body: &Block) -> bool {
        let is_count = |kind: &StatementKind| match kind {
            StatementKind::Atomic(atomic) => matches!(
                self.info.type_of(atomic.pointer),
                Type::Pointer {
                    space: AddressSpace::Local,
                    ..
                }
            ),
            _ => false,
        };
        let is_plain = |kind: &StatementKind| {
            is_count(kind)
                || matches!(
                    kind,
                    StatementKind::Let { .. } | StatementKind::Assign { .. }
                )
        };
        let kinds = || body.statements.iter().map(|statement| &statement.kind);
        kinds().all(is_plain) && kinds().any(is_count)
    }

    /// Repeats code while a condition holds. So many rounds become one, if that is more than one.
    pub(super) fn repeat(
        &mut self,
        (condition, rounds): (Option<Handle<Expression>>, u8),
        body: impl FnOnce(&mut Self) -> Result<(), Error>,
        step: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let head = self.code.label("loop");
        let round = self.code.label("loop.body");
        let labels = LoopLabels {
            step: self.code.label("loop.step"),
            exit: self.code.label("loop.end"),
        };
        self.code.begin(&head);
        if let Some(condition) = condition {
            self.computed.clear();
            let condition = self.evaluate(condition)?;
            self.code.branch_if(&condition, &round, &labels.exit);
        }
        self.code.begin(&round);
        self.loops.push(labels.clone());
        body(self)?;
        self.loops.pop();
        self.code.begin(&labels.step);
        step(self)?;
        if rounds > 1 {
            let marks = self.code.library.unrolled_loop(rounds);
            self.code
                .terminate(format_args!("br label %{head}, {marks}"));
        } else {
            self.code.branch(&head);
        }
        self.code.begin(&labels.exit);
        Ok(())
    }

    fn return_(&mut self, result: Option<Handle<Expression>>) -> Result<(), Error> {
        match result {
            None => self.jump(Exit::Return),
            Some(result) => {
                let operand = self.evaluate(result)?;
                let ty = register_type(self.info.type_of(result));
                self.code.terminate(format_args!("ret {ty} {operand}"));
                Ok(())
            }
        }
    }

    /// Leaves a loop, a round of it, or the function.
    pub(super) fn jump(&mut self, exit: Exit) -> Result<(), Error> {
        if let Some(labels) = self.loops.last().cloned() {
            match exit {
                Exit::Break => {
                    self.code.branch(&labels.exit);
                    return Ok(());
                }
                Exit::Continue => {
                    self.code.branch(&labels.step);
                    return Ok(());
                }
                Exit::Return => {}
            }
        }
        match (self.exits.clone(), exit) {
            (Exits::Function, Exit::Return) => {
                self.code.terminate("ret void");
                Ok(())
            }
            (Exits::Function, Exit::Break | Exit::Continue) => {
                Err(self.broken("`Break` and `Continue` are in a loop"))
            }
            (Exits::Item { end, status }, exit) => {
                if let Some(status) = status {
                    self.store_slot(&status, &Operand::integer(exit as u8));
                }
                self.code.branch(&end);
                Ok(())
            }
        }
    }
}
