//! Expressions to IR expressions, with statements for what has effects.

use situ_ir::{
    AddressSpace, Atomic as IrAtomic, AtomicOperation, BinaryOperator, Block,
    Collective as IrCollective, CollectiveOperation, DType, Expression as IrExpression, Handle,
    Literal, MemoryOrder, MemoryScope, StatementKind as IrStatement, UnaryOperator,
};

use crate::lower::Lowering;
use crate::lower::bounds::Place;
use crate::message::FAILED;
use crate::plan::{ArgumentPart, Layout};
use crate::typed::{
    Argument, ArrayId, ArrayOrigin, Atomic, Call, Collective, CollectiveKind, CompareExchange,
    Expression, ExpressionKind, FunctionId,
};

/// What a call returns.
pub(super) enum Called {
    Nothing,
    Number(Handle<IrExpression>),
    Tuple(Vec<Handle<IrExpression>>),
}

impl Lowering<'_> {
    /// The IR of an expression; statements it needs are appended first.
    pub(super) fn expression(&mut self, expression: &Expression) -> Handle<IrExpression> {
        let lowered = self.expression_kind(expression);
        debug_assert_eq!(self.builder.dtype_of(lowered), expression.dtype);
        lowered
    }

    fn expression_kind(&mut self, expression: &Expression) -> Handle<IrExpression> {
        let dtype = expression.dtype;
        self.at(expression.span);
        match &expression.kind {
            ExpressionKind::Literal(literal) => self.builder.literal(*literal),
            ExpressionKind::Parameter(id) => {
                self.scalars[id.0].expect("scalar parameters are declared first")
            }
            ExpressionKind::Variable(id) => self.builder.get(self.variables[id.0]),
            ExpressionKind::Slot(slot) => self.slots[slot],
            ExpressionKind::Shape { array, axis } => self.arrays[array.0].shape[axis],
            ExpressionKind::Stride { array, axis } => self.arrays[array.0].stride[axis],
            ExpressionKind::WorkItem(query) => self.builder.work_item(*query),
            ExpressionKind::Unary { operator, operand } => {
                let operand = self.expression(operand);
                self.at(expression.span);
                self.builder.unary(*operator, operand)
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => {
                let operands = self.operands(&[left, right]);
                self.at(expression.span);
                self.builder.binary(*operator, operands[0], operands[1])
            }
            ExpressionKind::Math {
                function,
                arguments,
            } => {
                let arguments: Vec<_> = arguments.iter().collect();
                let arguments = self.operands(&arguments);
                self.at(expression.span);
                self.builder.math(*function, &arguments)
            }
            ExpressionKind::Cast(operand) => {
                let operand = self.expression(operand);
                self.at(expression.span);
                self.builder.cast(operand, dtype)
            }
            ExpressionKind::Bitcast(operand) => {
                let operand = self.expression(operand);
                self.at(expression.span);
                self.builder
                    .expression(IrExpression::Bitcast { operand, to: dtype })
            }
            ExpressionKind::Complex { real, imaginary } => {
                let parts = self.operands(&[real, imaginary]);
                let complex = IrExpression::Complex {
                    real: parts[0],
                    imaginary: parts[1],
                };
                self.builder.expression(complex)
            }
            ExpressionKind::Conditional {
                condition,
                accept,
                reject,
            } => self.conditional(expression, condition, accept, reject),
            ExpressionKind::Logical {
                is_and,
                left,
                right,
            } => self.logical(expression, *is_and, left, right),
            ExpressionKind::Element { array, indices } => {
                let place = self.place(*array, indices);
                self.at(expression.span);
                self.load_checked(&place, expression.span)
            }
            ExpressionKind::Bounded { index, size } => self.bounded(index, size),
            ExpressionKind::ViewStart { array, offset } => {
                self.view_start(*array, offset, expression.span)
            }
            ExpressionKind::Let { slot, value, body } => {
                let value = self.expression(value);
                self.at(expression.span);
                let bound = self.builder.bind("shared", value);
                self.slots.insert(*slot, bound);
                self.expression(body)
            }
            ExpressionKind::Call(call) => match self.call(call, expression.span) {
                Called::Number(result) => result,
                _ => unreachable!("a call that is used as a number returns one"),
            },
            ExpressionKind::CallItem { call, item, .. } => {
                let Called::Tuple(numbers) = self.call(call, expression.span) else {
                    unreachable!("a call of which an item is used returns a tuple")
                };
                self.builder.bind("item", numbers[*item])
            }
            ExpressionKind::Collective(collective) => self.collective(collective, expression.span),
            ExpressionKind::Atomic(atomic) => {
                let place = self.place(atomic.array, &atomic.indices);
                self.atomic_value(atomic, &place, dtype, expression.span)
            }
            ExpressionKind::CompareExchange(exchange) => {
                self.compare_exchange(exchange, expression.span)
            }
        }
    }

    /// Operands from left to right. What reads memory is read before a later operand changes it.
    pub(super) fn operands(&mut self, operands: &[&Expression]) -> Vec<Handle<IrExpression>> {
        let mut lowered = Vec::with_capacity(operands.len());
        for (position, operand) in operands.iter().enumerate() {
            let mut handle = self.expression(operand);
            let later = &operands[position + 1..];
            // The results of calls and atomics are bound already.
            let is_bound = operand.is_effect();
            let is_reordered = later.iter().any(|later| later.has_effects());
            if operand.needs_guard() && !is_bound && is_reordered {
                handle = self.builder.bind("operand", handle);
            }
            lowered.push(handle);
        }
        lowered
    }

    fn conditional(
        &mut self,
        expression: &Expression,
        condition: &Expression,
        accept: &Expression,
        reject: &Expression,
    ) -> Handle<IrExpression> {
        let condition = self.expression(condition);
        // Every operation is total, so evaluating both sides is harmless unless memory is touched.
        if !accept.needs_guard() && !reject.needs_guard() {
            let accept = self.expression(accept);
            let reject = self.expression(reject);
            self.at(expression.span);
            return self.builder.select(condition, accept, reject);
        }
        let chosen = self.builder.variable("chosen", expression.dtype);
        let accept = self.assigning(chosen, accept);
        let reject = self.assigning(chosen, reject);
        self.at(expression.span);
        self.builder.statement(IrStatement::If {
            condition,
            accept,
            reject,
        });
        self.builder.get(chosen)
    }

    fn logical(
        &mut self,
        expression: &Expression,
        is_and: bool,
        left: &Expression,
        right: &Expression,
    ) -> Handle<IrExpression> {
        if expression.dtype.is_bool() && !right.needs_guard() {
            let operator = if is_and {
                BinaryOperator::BitAnd
            } else {
                BinaryOperator::BitOr
            };
            let operands = self.operands(&[left, right]);
            self.at(expression.span);
            return self.builder.binary(operator, operands[0], operands[1]);
        }
        let decided = self.builder.variable("decided", expression.dtype);
        let left = self.expression(left);
        self.builder.assign(decided, left);
        let right = self.assigning(decided, right);
        self.at(expression.span);
        let left = self.builder.get(decided);
        let is_true = self.builder.cast(left, DType::Bool);
        let nothing = self.builder.block(|_| {});
        let (accept, reject) = if is_and {
            (right, nothing)
        } else {
            (nothing, right)
        };
        self.builder.statement(IrStatement::If {
            condition: is_true,
            accept,
            reject,
        });
        self.builder.get(decided)
    }

    /// A block that assigns an expression to a variable.
    fn assigning(
        &mut self,
        variable: Handle<situ_ir::Variable>,
        expression: &Expression,
    ) -> situ_ir::Block {
        self.builder.open_block();
        let value = self.expression(expression);
        self.builder.assign(variable, value);
        self.builder.close_block()
    }

    // ----- elements -----

    pub(super) fn pointer(&self, array: ArrayId) -> Handle<IrExpression> {
        self.arrays[array.0]
            .pointer
            .expect("arrays are declared before the body is lowered")
    }

    /// Where an element is, counted from element `[0, ..., 0]`.
    pub(super) fn offset(
        &mut self,
        array: ArrayId,
        indices: &[Expression],
    ) -> Handle<IrExpression> {
        let span = self.builder.span();
        let indices: Vec<_> = indices.iter().collect();
        let indices = self.operands(&indices);
        self.builder.at(span);
        self.offset_of(array, indices)
    }

    pub(super) fn offset_of(
        &mut self,
        array: ArrayId,
        indices: Vec<Handle<IrExpression>>,
    ) -> Handle<IrExpression> {
        let is_strided = matches!(
            self.function.arrays[array.0].origin,
            ArrayOrigin::Parameter {
                layout: Layout::Strided
            }
        );
        let mut offset: Option<Handle<IrExpression>> = None;
        for (axis, index) in indices.into_iter().enumerate() {
            offset = Some(if is_strided {
                let stride = self.arrays[array.0].stride[&axis];
                let step = self.builder.multiply(index, stride);
                match offset {
                    None => step,
                    Some(offset) => self.builder.add(offset, step),
                }
            } else {
                match offset {
                    None => index,
                    Some(offset) => {
                        let size = self.arrays[array.0].shape[&axis];
                        let rows = self.builder.multiply(offset, size);
                        self.builder.add(rows, index)
                    }
                }
            });
        }
        match offset {
            Some(offset) => offset,
            None => self.builder.index(0),
        }
    }

    // ----- calls and atomics -----

    /// Appends a call; gives what it returns.
    pub(super) fn call(&mut self, call: &Call, span: situ_ir::Span) -> Called {
        let mut numbers: Vec<&Expression> = Vec::new();
        for argument in &call.arguments {
            match argument {
                Argument::Scalar(scalar) => numbers.push(scalar),
                Argument::View(view) => numbers.extend(view.parts()),
                Argument::Array(_) | Argument::Nothing => {}
            }
        }
        let mut numbers = self.operands(&numbers).into_iter();
        // The numbers of each argument: one for a scalar; for a view offset, sizes and strides.
        let lowered: Vec<Vec<_>> = call
            .arguments
            .iter()
            .map(|argument| {
                let count = match argument {
                    Argument::Scalar(_) => 1,
                    Argument::View(view) => view.parts().count(),
                    Argument::Array(_) | Argument::Nothing => 0,
                };
                numbers.by_ref().take(count).collect()
            })
            .collect();
        let callee = &self.callees[&call.function];
        let Some(function) = callee.function else {
            self.at(span);
            let functions = self.functions;
            return self.inlined(&functions[call.function.0], call, &lowered);
        };
        let mut arguments = Vec::with_capacity(callee.plan.parameters.len());
        for planned in &callee.plan.parameters {
            let argument = match (&call.arguments[planned.argument], planned.part) {
                (Argument::Array(array), ArgumentPart::Shape(axis)) => {
                    self.arrays[array.0].shape[&axis]
                }
                (Argument::Array(array), ArgumentPart::Stride(axis)) => {
                    self.arrays[array.0].stride[&axis]
                }
                (Argument::Array(array), _) => self.pointer(*array),
                (Argument::View(_), ArgumentPart::Shape(axis)) => {
                    lowered[planned.argument][1 + axis]
                }
                (Argument::View(view), ArgumentPart::Stride(axis)) => {
                    lowered[planned.argument][1 + view.shape.len() + axis]
                }
                (Argument::View(view), _) => {
                    let pointer = self.pointer(view.flat);
                    self.builder.offset(pointer, lowered[planned.argument][0])
                }
                (Argument::Scalar(_) | Argument::Nothing, _) => lowered[planned.argument][0],
            };
            arguments.push(argument);
        }
        self.at(span);
        let stored: Vec<_> = callee
            .stored
            .iter()
            .map(|dtype| {
                self.builder
                    .array("result", *dtype, 1, AddressSpace::Private)
            })
            .collect();
        arguments.extend(&stored);
        let result = self.builder.call(self.module, function, &arguments);
        self.give_up_if_failed(call.function);
        match result {
            Some(number) => Called::Number(number),
            None if stored.is_empty() => Called::Nothing,
            None => {
                let first = self.builder.index(0);
                let numbers = stored.into_iter();
                let numbers = numbers.map(|pointer| self.builder.load(pointer, first));
                Called::Tuple(numbers.collect())
            }
        }
    }

    /// Ends the function, in code of the host, if the one that it has called has failed.
    fn give_up_if_failed(&mut self, called: FunctionId) {
        let may_fail = match self.functions.get(called.0) {
            Some(called) => called.report.is_some(),
            None => self.function.report.is_some(),
        };
        if may_fail {
            self.give_up_if_any_failed();
        }
    }

    /// Ends the function if something has failed.
    pub(super) fn give_up_if_any_failed(&mut self) {
        let Some(report) = self.function.report else {
            return;
        };
        if !(self.is_host && self.may_give_up) {
            return;
        }
        // Rounds of `prange` run at once, and any of them may write that word now.
        let pointer = self.pointer(report);
        let index = self.builder.index(FAILED as i64);
        let failed = self.builder.value("failed", DType::I32.into());
        self.builder.atomic(IrAtomic {
            operation: AtomicOperation::Load,
            pointer,
            index,
            operand: None,
            expected: None,
            result: Some(failed),
            order: MemoryOrder::Relaxed,
            scope: MemoryScope::Device,
        });
        let failed = self.builder.expression(IrExpression::Value(failed));
        let nothing = self.builder.literal(Literal::I32(0));
        let has_failed = self
            .builder
            .binary(BinaryOperator::NotEqual, failed, nothing);
        self.builder.open_block();
        self.give_up();
        let accept = self.builder.close_block();
        self.builder.statement(IrStatement::If {
            condition: has_failed,
            accept,
            reject: Block::default(),
        });
    }

    /// Appends a collective; gives this work-item's result.
    fn collective(&mut self, collective: &Collective, span: situ_ir::Span) -> Handle<IrExpression> {
        let operand = self.expression(&collective.operand);
        let operation = match &collective.kind {
            CollectiveKind::Reduce(operator) => CollectiveOperation::Reduce(*operator),
            CollectiveKind::InclusiveScan(operator) => {
                CollectiveOperation::InclusiveScan(*operator)
            }
            CollectiveKind::ExclusiveScan(operator) => {
                CollectiveOperation::ExclusiveScan(*operator)
            }
            CollectiveKind::Broadcast(position) => {
                CollectiveOperation::Broadcast(self.expression(position))
            }
            CollectiveKind::Any => CollectiveOperation::Any,
            CollectiveKind::All => CollectiveOperation::All,
        };
        self.at(span);
        let dtype = collective.operand.dtype;
        let result = self.builder.value("together", dtype.into());
        self.builder
            .statement(IrStatement::Collective(IrCollective {
                operation,
                scope: collective.scope,
                operand,
                result,
            }));
        self.builder.expression(IrExpression::Value(result))
    }

    /// Appends an atomic access whose old content is used.
    fn atomic_value(
        &mut self,
        atomic: &Atomic,
        place: &Place,
        dtype: DType,
        span: situ_ir::Span,
    ) -> Handle<IrExpression> {
        if !place.is_checked() {
            let value = self.builder.value("old", dtype.into());
            self.atomic(atomic, place, None, Some(value), span);
            return self.builder.expression(IrExpression::Value(value));
        }
        let old = self.builder.variable("old", dtype);
        let zero = self.builder.literal(Literal::zero(dtype));
        self.builder.assign(old, zero);
        self.access(&[place], span, |lowering| {
            let value = lowering.builder.value("old", dtype.into());
            lowering.atomic(atomic, place, None, Some(value), span);
            let value = lowering.builder.expression(IrExpression::Value(value));
            lowering.builder.assign(old, value);
        });
        self.builder.get(old)
    }

    /// Appends an atomic access to an element that exists.
    pub(super) fn atomic(
        &mut self,
        atomic: &Atomic,
        place: &Place,
        expected: Option<Handle<IrExpression>>,
        result: Option<Handle<situ_ir::Value>>,
        span: situ_ir::Span,
    ) {
        let own = atomic.expected.as_ref().map(|value| self.expression(value));
        let expected = expected.or(own);
        let operand = atomic.operand.as_ref().map(|value| self.expression(value));
        self.at(span);
        // A load whose result nobody uses still binds it: the IR has no load without one.
        let result = match (result, atomic.operation) {
            (None, AtomicOperation::Load) => {
                let dtype = self.function.arrays[atomic.array.0].dtype;
                Some(self.builder.value("old", dtype.into()))
            }
            (result, _) => result,
        };
        self.builder.atomic(IrAtomic {
            operation: atomic.operation,
            pointer: self.pointer(atomic.array),
            index: place.offset,
            operand,
            expected,
            result,
            order: atomic.order,
            scope: atomic.scope,
        });
    }

    /// Exchanges if an element of an array is what is expected; if not, stores what was found there.
    fn compare_exchange(
        &mut self,
        exchange: &CompareExchange,
        span: situ_ir::Span,
    ) -> Handle<IrExpression> {
        let index = std::slice::from_ref(&exchange.expected_index);
        let mut expected = self.place(exchange.expected, index);
        expected.offset = self.builder.bind("place", expected.offset);
        let target = self.place(exchange.atomic.array, &exchange.atomic.indices);
        self.at(span);
        if !expected.is_checked() && !target.is_checked() {
            return self.exchange(exchange, &expected, &target, span);
        }
        let exchanged = self.builder.variable("exchanged", DType::Bool);
        let no = self.builder.literal(Literal::Bool(false));
        self.builder.assign(exchanged, no);
        self.access(&[&expected, &target], span, |lowering| {
            let is_same = lowering.exchange(exchange, &expected, &target, span);
            lowering.builder.assign(exchanged, is_same);
        });
        self.builder.get(exchanged)
    }

    fn exchange(
        &mut self,
        exchange: &CompareExchange,
        expected: &Place,
        target: &Place,
        span: situ_ir::Span,
    ) -> Handle<IrExpression> {
        let (pointer, index) = (self.pointer(exchange.expected), expected.offset);
        let wanted = self.builder.load(pointer, index);
        let wanted = self.builder.bind("wanted", wanted);
        let dtype = self.builder.dtype_of(wanted);
        let found = self.builder.value("found", dtype.into());
        self.atomic(&exchange.atomic, target, Some(wanted), Some(found), span);
        self.at(span);
        let found = self.builder.expression(IrExpression::Value(found));
        // As the device compares: by bits, so that NaN equals itself.
        let bits = if dtype.size_bytes() == 4 {
            DType::U32
        } else {
            DType::U64
        };
        let same = [wanted, found].map(|operand| {
            self.builder
                .expression(IrExpression::Bitcast { operand, to: bits })
        });
        let is_same = self.builder.binary(BinaryOperator::Equal, same[0], same[1]);
        let is_same = self.builder.bind("exchanged", is_same);
        let is_different = self.not(is_same);
        self.builder.if_(is_different, |builder| {
            builder.store(pointer, index, found);
        });
        is_same
    }

    /// The opposite of a condition.
    pub(super) fn not(&mut self, condition: Handle<IrExpression>) -> Handle<IrExpression> {
        self.builder.unary(UnaryOperator::Not, condition)
    }
}
