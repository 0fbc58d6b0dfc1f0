//! Statements to IR statements.

use situ_ir::{
    BinaryOperator, Block, DType, Expression as IrExpression, Handle, Literal,
    StatementKind as IrStatement, Variable,
};

use crate::lower::Lowering;
use crate::lower::expressions::Called;
use crate::typed::{
    ArrayId, Expression, ExpressionKind, ForRange, Parallel, Statement, StatementKind, Step,
};

impl Lowering<'_> {
    /// Appends statements to the open block, up to the first that never lets the next one run.
    pub(super) fn block(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
            let is_last = match statement.kind {
                StatementKind::Break
                | StatementKind::Continue
                | StatementKind::Return(_)
                | StatementKind::ReturnTuple(_) => true,
                StatementKind::GiveUp => self.may_give_up,
                _ => false,
            };
            if is_last {
                return;
            }
        }
    }

    fn nested(&mut self, body: &[Statement]) -> Block {
        self.builder.open_block();
        self.block(body);
        self.builder.close_block()
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        self.at(span);
        match &statement.kind {
            StatementKind::Assign { variable, value } => {
                let value = self.expression(value);
                self.at(span);
                self.builder.assign(self.variables[variable.0], value);
            }
            StatementKind::Bind { slot, value } => {
                let value = self.expression(value);
                self.at(span);
                let bound = self.builder.bind("value", value);
                self.slots.insert(*slot, bound);
            }
            StatementKind::Store {
                array,
                indices,
                value,
            } => self.store(*array, indices, value, span),
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                let condition = self.expression(condition);
                let accept = self.nested(accept);
                let reject = self.nested(reject);
                self.at(span);
                self.builder.statement(IrStatement::If {
                    condition,
                    accept,
                    reject,
                });
            }
            StatementKind::While { condition, body } => self.while_loop(condition, body, span),
            StatementKind::For(loop_) => self.for_loop(loop_, span),
            StatementKind::Parallel(parallel) => self.parallel(parallel, span),
            StatementKind::Break => self.builder.statement(IrStatement::Break),
            StatementKind::Continue => self.builder.statement(IrStatement::Continue),
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expression(value));
                self.at(span);
                match self.returned.clone() {
                    Some(results) => self.assign_all(&results, value),
                    None => self.builder.return_(value),
                }
            }
            StatementKind::ReturnTuple(values) => {
                let values: Vec<_> = values.iter().collect();
                let values = self.operands(&values);
                self.at(span);
                if let Some(results) = self.returned.clone() {
                    self.assign_all(&results, values);
                    return;
                }
                let first = self.builder.index(0);
                for (position, value) in values.into_iter().enumerate() {
                    self.builder.store(self.results[position], first, value);
                }
                self.builder.return_(None);
            }
            StatementKind::CallTuple { call, slots } => {
                let Called::Tuple(numbers) = self.call(call, span) else {
                    unreachable!("the function returns a tuple")
                };
                for (slot, number) in slots.iter().zip(numbers) {
                    let number = self.builder.bind("item", number);
                    self.slots.insert(*slot, number);
                }
            }
            StatementKind::GiveUp => {
                if self.may_give_up {
                    self.give_up();
                }
            }
            StatementKind::Evaluate(value) => {
                // Only its effects matter; an expression without any leaves no trace.
                if value.has_effects() {
                    self.expression(value);
                }
            }
            StatementKind::Call(call) => {
                self.call(call, span);
            }
            StatementKind::Atomic(atomic) => {
                let place = self.place(atomic.array, &atomic.indices);
                self.access(&[&place], span, |lowering| {
                    lowering.atomic(atomic, &place, None, None, span);
                });
            }
            StatementKind::Barrier(spaces) => self.builder.barrier(*spaces),
            StatementKind::Fence { order, scope } => self.builder.statement(IrStatement::Fence {
                order: *order,
                scope: *scope,
            }),
            StatementKind::FillZeros { array, length } => self.fill_zeros(*array, *length),
        }
    }

    fn assign_all(
        &mut self,
        variables: &[Handle<Variable>],
        values: impl IntoIterator<Item = Handle<IrExpression>>,
    ) {
        for (variable, value) in variables.iter().zip(values) {
            self.builder.assign(*variable, value);
        }
    }

    fn fill_zeros(&mut self, array: ArrayId, length: u64) {
        let pointer = self.pointer(array);
        let dtype = self.function.arrays[array.0].dtype;
        let start = self.builder.index(0);
        let end = self.builder.index(length as i64);
        self.builder
            .for_range("position", start, end, |builder, position| {
                let zero = builder.literal(Literal::zero(dtype));
                builder.store(pointer, position, zero);
            });
    }

    /// Python evaluates the value before the indices of the target.
    fn store(
        &mut self,
        array: ArrayId,
        indices: &[Expression],
        value: &Expression,
        span: situ_ir::Span,
    ) {
        let mut stored = self.expression(value);
        let is_reordered = indices.iter().any(Expression::has_effects);
        if is_reordered && value.needs_guard() {
            stored = self.builder.bind("stored", stored);
        }
        self.at(span);
        let place = self.place(array, indices);
        self.at(span);
        let pointer = self.pointer(array);
        self.access(&[&place], span, |lowering| {
            lowering.builder.store(pointer, place.offset, stored);
        });
    }

    fn while_loop(&mut self, condition: &Expression, body: &[Statement], span: situ_ir::Span) {
        let is_endless = matches!(condition.kind, ExpressionKind::Literal(Literal::Bool(true)));
        let is_checked = self.checks_bounds && condition.needs_guard();
        let in_header = !is_endless && !is_checked && !condition.appends_statements();
        let header = in_header.then(|| self.expression(condition));
        self.builder.open_block();
        if !is_endless && !in_header {
            let condition = self.expression(condition);
            self.at(span);
            let stop = self.not(condition);
            self.builder
                .if_(stop, |builder| builder.statement(IrStatement::Break));
        }
        self.block(body);
        let body = self.builder.close_block();
        self.at(span);
        self.builder.statement(IrStatement::Loop {
            condition: header,
            body,
            step: Block::default(),
        });
    }

    fn parallel(&mut self, parallel: &Parallel, span: situ_ir::Span) {
        let count = self.expression(&parallel.count);
        let around = std::mem::replace(&mut self.is_in_round, true);
        let body = self.nested(&parallel.body);
        self.is_in_round = around;
        self.at(span);
        self.builder
            .statement(IrStatement::Parallel(situ_ir::Parallel {
                count,
                index: self.variables[parallel.index.0],
                worker: self.variables[parallel.worker.0],
                body,
            }));
        self.give_up_if_any_failed();
    }

    /// A hidden counter runs over the range and is copied to the user's variable in each round, so
    /// that the body may assign the variable as Python allows.
    fn for_loop(&mut self, loop_: &ForRange, span: situ_ir::Span) {
        let start = self.expression(&loop_.start);
        self.at(span);
        let counter = self.builder.variable("counter", DType::I64);
        self.builder.assign(counter, start);
        let stop = self.fixed(&loop_.stop, "stop");
        let step = match &loop_.step {
            Step::Constant(step) => (self.builder.index(*step), Some(*step > 0)),
            Step::Dynamic(step) => (self.fixed(step, "step"), None),
        };
        self.at(span);
        let now = self.builder.get(counter);
        let condition = self.goes_on(now, stop, step);
        self.builder.open_block();
        let now = self.builder.get(counter);
        let dtype = self.function.variables[loop_.variable.0].dtype;
        let now = self.builder.cast(now, dtype);
        self.builder.assign(self.variables[loop_.variable.0], now);
        self.block(&loop_.body);
        let body = self.builder.close_block();
        self.at(span);
        self.builder.open_block();
        let now = self.builder.get(counter);
        let next = self.builder.add(now, step.0);
        self.builder.assign(counter, next);
        let step = self.builder.close_block();
        self.builder.statement(IrStatement::Loop {
            condition: Some(condition),
            body,
            step,
        });
    }

    /// Whether the counter has not reached the end; `step` comes with its direction, if known.
    fn goes_on(
        &mut self,
        now: Handle<IrExpression>,
        stop: Handle<IrExpression>,
        (step, is_up): (Handle<IrExpression>, Option<bool>),
    ) -> Handle<IrExpression> {
        match is_up {
            Some(true) => self.builder.binary(BinaryOperator::Less, now, stop),
            Some(false) => self.builder.binary(BinaryOperator::Greater, now, stop),
            None => {
                let zero = self.builder.index(0);
                let is_up = self.builder.binary(BinaryOperator::Greater, step, zero);
                let is_down = self.builder.binary(BinaryOperator::Less, step, zero);
                let below = self.builder.binary(BinaryOperator::Less, now, stop);
                let above = self.builder.binary(BinaryOperator::Greater, now, stop);
                let up = self.builder.binary(BinaryOperator::BitAnd, is_up, below);
                let down = self.builder.binary(BinaryOperator::BitAnd, is_down, above);
                self.builder.binary(BinaryOperator::BitOr, up, down)
            }
        }
    }

    /// A bound of a loop, evaluated once: later changes of variables or memory do not count.
    fn fixed(&mut self, expression: &Expression, name: &str) -> Handle<IrExpression> {
        let value = self.expression(expression);
        let is_fixed = matches!(
            expression.kind,
            ExpressionKind::Literal(_)
                | ExpressionKind::Parameter(_)
                | ExpressionKind::Shape { .. }
                | ExpressionKind::WorkItem(_)
        );
        if is_fixed {
            value
        } else {
            self.builder.bind(name, value)
        }
    }
}
