//! Branches, loops and jumps of all lanes.

use situ_ir::{BinaryOperator, Block, DType, Expression, Handle, Statement, StatementKind};

use super::body::{LoopTarget, VectorBody};
use super::lanes::Lanes;
use crate::error::Error;
use crate::llvm::writer::{Label, Operand};

/// The most expressions in a side of a branch that runs without asking whether any lane needs it.
const ALWAYS_RUN: usize = 12;

impl VectorBody<'_, '_, '_, '_> {
    /// Runs each of two blocks for the lanes that want it.
    pub(super) fn choose(
        &mut self,
        statement: &Statement,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
    ) -> Result<(), Error> {
        match self.evaluate_number(condition)? {
            Lanes::Uniform(condition) => self.choose_together(&condition, accept, reject)?,
            condition => {
                let accepting = condition.vector(&mut self.body.code, DType::Bool, self.lanes);
                self.choose_apart(statement, &accepting, accept, reject)?;
            }
        }
        Ok(())
    }

    /// All lanes take the same side.
    fn choose_together(
        &mut self,
        condition: &Operand,
        accept: &Block,
        reject: &Block,
    ) -> Result<(), Error> {
        let then = self.body.code.label("then");
        let otherwise = self.body.code.label("else");
        let end = self.body.code.label("if.end");
        let was_partial = self.mask.is_partial;
        self.body.code.branch_if(condition, &then, &otherwise);
        self.body.code.begin(&then);
        self.block(accept)?;
        if self.body.code.is_open() {
            self.body.code.branch(&end);
        }
        self.mask.is_partial = was_partial;
        self.body.code.begin(&otherwise);
        self.block(reject)?;
        self.mask.is_partial = was_partial;
        self.body.code.begin(&end);
        Ok(())
    }

    /// Each side runs for its lanes, if there are any.
    fn choose_apart(
        &mut self,
        statement: &Statement,
        accepting: &Operand,
        accept: &Block,
        reject: &Block,
    ) -> Result<(), Error> {
        let was_partial = self.mask.is_partial;
        let before = self.active();
        let rejecting = self.other_lanes(accepting);
        let mut after = Vec::new();
        for (wanted, side) in [(accepting, accept), (&rejecting, reject)] {
            let lanes = self.mask_binary("and", &before, wanted);
            if side.statements.is_empty() {
                after.push(lanes);
                continue;
            }
            self.set_active(&lanes);
            self.mask.is_partial = true;
            if self.is_harmless(side) {
                self.block(side)?;
            } else {
                let some = self.body.code.label("some");
                let end = self.body.code.label("side.end");
                self.branch_if_any(&lanes, &some, &end);
                self.body.code.begin(&some);
                self.block(side)?;
                self.body.code.begin(&end);
            }
            let lanes = self.active();
            after.push(lanes);
        }
        if self.flow.leaves(statement) {
            let left = self.mask_binary("or", &after[0], &after[1]);
            self.set_active(&left);
        } else {
            self.set_active(&before);
        }
        self.mask.is_partial = was_partial;
        Ok(())
    }

    /// Whether a block may as well run for no lane at all: it is short and does not touch memory.
    fn is_harmless(&self, block: &Block) -> bool {
        let function = self.body.function;
        let mut pending = Vec::new();
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Let { expression, .. }
                | StatementKind::Assign { expression, .. } => pending.push(*expression),
                _ => return false,
            }
        }
        let mut seen = 0;
        while let Some(expression) = pending.pop() {
            seen += 1;
            match &function.expressions[expression] {
                Expression::Load { .. }
                | Expression::Math { .. }
                | Expression::Binary {
                    operator:
                        BinaryOperator::Power
                        | BinaryOperator::TruncatingDivide
                        | BinaryOperator::TruncatingRemainder,
                    ..
                } => return false,
                other => other.for_each_operand(|operand| pending.push(operand)),
            }
        }
        seen <= ALWAYS_RUN
    }

    /// Repeats code while a condition holds for any lane.
    pub(super) fn repeat(
        &mut self,
        statement: &Statement,
        condition: Option<Handle<Expression>>,
        body: &Block,
        step: &Block,
    ) -> Result<(), Error> {
        let target = LoopTarget {
            step: self.body.code.label("loop.step"),
            exit: self.body.code.label("loop.end"),
            left: None,
            rejoin: None,
        };
        if self.flow.is_masked(statement) {
            return self.repeat_apart(statement, target, condition, body, step);
        }
        let head = self.body.code.label("loop");
        let round = self.body.code.label("loop.body");
        self.body.code.begin(&head);
        if let Some(condition) = condition {
            self.computed.clear();
            let condition = self.evaluate_number(condition)?;
            let Lanes::Uniform(condition) = condition else {
                return Err(self.broken("loops with conditions that vary are masked"));
            };
            self.body.code.branch_if(&condition, &round, &target.exit);
        }
        self.body.code.begin(&round);
        self.loops.push(target.clone());
        self.block(body)?;
        self.loops.pop();
        self.body.code.begin(&target.step);
        self.block(step)?;
        self.body.code.branch(&head);
        self.body.code.begin(&target.exit);
        Ok(())
    }

    /// A loop that lanes leave one by one.
    fn repeat_apart(
        &mut self,
        statement: &Statement,
        mut target: LoopTarget,
        condition: Option<Handle<Expression>>,
        body: &Block,
        step: &Block,
    ) -> Result<(), Error> {
        let was_partial = self.mask.is_partial;
        let left = self.empty_mask();
        let rejoin = self.empty_mask();
        target.left = Some(left.clone());
        target.rejoin = Some(rejoin.clone());
        self.mask.is_partial = true;
        let head = self.body.code.label("loop");
        let round = self.body.code.label("loop.body");
        self.body.code.begin(&head);
        if let Some(condition) = condition {
            self.computed.clear();
            let condition = self.evaluate_number(condition)?;
            self.continue_while(&condition, &left, &round, &target.exit);
        }
        self.body.code.begin(&round);
        self.loops.push(target.clone());
        self.block(body)?;
        self.loops.pop();
        self.body.code.begin(&target.step);
        if body.statements.iter().any(has_jump) {
            let next = self.body.code.label("loop.next");
            let active = self.active();
            let back = self.load_mask(&rejoin);
            let lanes = self.mask_binary("or", &active, &back);
            self.set_active(&lanes);
            let none = self.no_lanes();
            self.store_mask(&rejoin, &none);
            self.branch_if_any(&lanes, &next, &target.exit);
            self.body.code.begin(&next);
        }
        self.mask.is_partial = true;
        self.block(step)?;
        self.body.code.branch(&head);
        self.body.code.begin(&target.exit);
        let after = self.load_mask(&left);
        self.set_active(&after);
        self.mask.is_partial = was_partial || self.flow.leaves(statement);
        Ok(())
    }

    /// Begins a round with the lanes for which the condition holds; the others have left.
    fn continue_while(&mut self, condition: &Lanes, left: &Operand, round: &Label, exit: &Label) {
        if let Lanes::Uniform(condition) = condition {
            let over = self.body.code.label("loop.over");
            self.body.code.branch_if(condition, round, &over);
            self.body.code.begin(&over);
            self.note_lanes(left);
            self.body.code.branch(exit);
            return;
        }
        let staying = condition.vector(&mut self.body.code, DType::Bool, self.lanes);
        let active = self.active();
        let leaving = self.other_lanes(&staying);
        let leaving = self.mask_binary("and", &active, &leaving);
        let before = self.load_mask(left);
        let lanes = self.mask_binary("or", &before, &leaving);
        self.store_mask(left, &lanes);
        let staying = self.mask_binary("and", &active, &staying);
        self.set_active(&staying);
        self.branch_if_any(&staying, round, exit);
    }

    /// `break` and `continue`.
    pub(super) fn leave_round(&mut self, statement: &Statement) -> Result<(), Error> {
        let Some(target) = self.loops.last().cloned() else {
            return Err(self.broken("`Break` and `Continue` are in a loop"));
        };
        let (label, place) = match statement.kind {
            StatementKind::Break => (target.exit, target.left),
            _ => (target.step, target.rejoin),
        };
        let is_together = self.flow.is_together(statement);
        if let Some(place) = place
            && (!is_together || matches!(statement.kind, StatementKind::Break))
        {
            self.note_lanes(&place);
        }
        if is_together {
            self.body.code.branch(&label);
        } else {
            self.deactivate();
        }
        Ok(())
    }

    /// `return`, with the result of the active lanes.
    pub(super) fn return_(
        &mut self,
        statement: &Statement,
        result: Option<Handle<Expression>>,
    ) -> Result<(), Error> {
        if let Some(result) = result {
            let numbers = self.evaluate_number(result)?;
            let dtype = self.dtype(result)?;
            let place = self
                .result
                .clone()
                .ok_or_else(|| self.broken("functions with a result have a place for it"))?;
            let ty = self.ty(dtype);
            let mut vector = numbers.vector(&mut self.body.code, dtype, self.lanes);
            if self.flow.returns_part {
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
        if self.flow.is_together(statement) {
            let end = self.end.clone();
            self.body.code.branch(&end);
        } else {
            self.deactivate();
        }
        Ok(())
    }

    /// No lane goes on here.
    fn deactivate(&mut self) {
        let none = self.no_lanes();
        self.set_active(&none);
        self.mask.is_partial = true;
    }
}

/// Whether there is a jump in a statement, after which lanes may be missing.
fn has_jump(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Break | StatementKind::Continue | StatementKind::Return(_) => true,
        other => other
            .blocks()
            .any(|block| block.statements.iter().any(has_jump)),
    }
}
