//! Random statements: bindings, assignments, stores, atomics, calls and control flow.

use super::generator::{Context, Generator, LoopKind, Node, Owned, Slot};
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::expression::{BinaryOperator as Binary, Expression, WorkItemQuery as Query};
use crate::literal::Literal;
use crate::statement::{Atomic, AtomicOperation, Block, MemoryOrder, MemoryScope, StatementKind};
use crate::types::Type;

/// How deep expressions are.
const DEPTH: u32 = 3;

impl Generator<'_> {
    /// Some statements.
    pub(super) fn statements(&mut self, context: Context) {
        let count = self.random.between(1, 5);
        for _ in 0..count {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(context);
        }
    }

    fn statement(&mut self, context: Context) {
        let nests = u32::from(context.depth > 0);
        let meets = u32::from(context.is_uniform && self.plan.uses_groups && self.is_kernel);
        let weights = [
            20,
            20,
            if self.outputs.is_empty() { 0 } else { 25 },
            if self.private.is_empty() { 0 } else { 10 },
            if self.counters.is_empty() { 0 } else { 6 },
            if self.outputs.is_empty() { 0 } else { 5 },
            if self.functions.is_empty() { 0 } else { 12 },
            14 * nests,
            12 * nests,
            if self.approximations.is_empty() {
                0
            } else {
                25
            },
            2,
            if context.in_loop.is_some() { 6 } else { 0 },
            if context.may_return { 3 } else { 0 },
            12 * meets,
            16 * meets * nests,
            3 * meets,
        ];
        match self.random.weighted(&weights) {
            0 => self.bind(context),
            1 => self.assign(context),
            2 => self.store_output(),
            3 => self.store_private(),
            4 => self.count(),
            5 => self.own_atomic(),
            6 => self.call(),
            7 => self.branch(context),
            8 => self.repeat(context),
            9 => self.store_approximation(),
            10 => self.fence(),
            11 => self.leave_loop(context),
            12 => self.leave_function(),
            13 => self.collective(),
            14 => self.stage(context),
            _ => self.barrier(),
        }
    }

    /// Binds a value, or only remembers an expression that later statements evaluate anew.
    fn bind(&mut self, context: Context) {
        let dtype = self.dtype();
        let uniform = context.is_uniform && self.random.chance(40);
        let expression = self.scalar(dtype, uniform, DEPTH);
        let name = self.name("v");
        let value = self.f.bind(name, expression);
        self.remember(value, uniform);
    }

    /// Declares a variable and assigns it where every path comes by.
    pub(super) fn declare(&mut self, uniform: bool) {
        let dtype = self.dtype();
        let name = self.name("x");
        let variable = self.f.variable(name, dtype);
        let start = self.scalar(dtype, uniform, 1);
        self.f.assign(variable, start);
        self.variables.push(Slot {
            variable,
            dtype,
            is_uniform: uniform,
            is_assignable: true,
        });
    }

    fn assign(&mut self, context: Context) {
        let slots: Vec<_> = self
            .variables
            .iter()
            .filter(|slot| slot.is_assignable && (context.is_uniform || !slot.is_uniform))
            .copied()
            .collect();
        if slots.is_empty() {
            return self.bind(context);
        }
        let slot = self.random.pick(&slots);
        let expression = self.scalar(slot.dtype, slot.is_uniform, DEPTH);
        self.f.assign(slot.variable, expression);
    }

    fn store_output(&mut self) {
        let output = self.random.pick(&self.outputs);
        let index = self.own_slot(Query::GlobalLinearId, output.slots);
        let mut value = self.scalar(output.dtype, false, DEPTH);
        if self.random.chance(20) {
            let index = self.own_slot(Query::GlobalLinearId, output.slots);
            let old = self.f.load(output.pointer, index);
            let condition = self.condition(false);
            value = self.f.select(condition, value, old);
        }
        self.f.store(output.pointer, index, value);
    }

    fn store_private(&mut self) {
        let array = self.random.pick(&self.private);
        let (pointer, index) = self.element(array, false, 1);
        let value = self.scalar(array.dtype, false, DEPTH);
        self.f.store(pointer, index, value);
    }

    fn store_approximation(&mut self) {
        let Owned {
            pointer,
            dtype,
            slots,
        } = self.random.pick(&self.approximations);
        let index = self.own_slot(Query::GlobalLinearId, slots);
        let value = self.inexact(dtype);
        self.f.store(pointer, index, value);
    }

    /// Changes a counter; what it held before depends on the order of work-items and is not looked at.
    fn count(&mut self) {
        let counters = self.random.pick(&self.counters);
        let any = self.scalar(DType::I64, false, 1);
        let length = self.f.index(counters.length);
        let index = self.f.binary(Binary::Modulo, any, length);
        let operand = self.scalar(counters.dtype, false, 2);
        let operation = self.random.pick(counters.operations);
        let order = self.update_order();
        self.f.atomic(Atomic {
            operation,
            pointer: counters.pointer,
            index,
            operand: Some(operand),
            expected: None,
            result: None,
            order,
            scope: MemoryScope::Device,
        });
    }

    fn update_order(&mut self) -> MemoryOrder {
        self.random.pick(&[
            MemoryOrder::Relaxed,
            MemoryOrder::Relaxed,
            MemoryOrder::Acquire,
            MemoryOrder::Release,
            MemoryOrder::AcquireRelease,
            MemoryOrder::SequentiallyConsistent,
        ])
    }

    /// An atomic on a slot that nobody else touches, whose result is known.
    fn own_atomic(&mut self) {
        let has_atomics = |output: &&Owned| {
            matches!(
                output.dtype,
                DType::I32 | DType::I64 | DType::U32 | DType::U64 | DType::F32 | DType::F64
            )
        };
        let outputs: Vec<_> = self.outputs.iter().filter(has_atomics).copied().collect();
        if outputs.is_empty() {
            return self.store_output();
        }
        let output = self.random.pick(&outputs);
        // Comparing the bits of floats would look at those of NaN.
        let operations: Vec<_> = AtomicOperation::ALL
            .into_iter()
            .filter(|operation| {
                let for_integers = matches!(
                    operation,
                    AtomicOperation::CompareExchange
                        | AtomicOperation::BitAnd
                        | AtomicOperation::BitOr
                        | AtomicOperation::BitXor
                );
                !for_integers || output.dtype.is_integer()
            })
            .collect();
        let operation = self.random.pick(&operations);
        let index = self.own_slot(Query::GlobalLinearId, output.slots);
        let operand =
            (operation != AtomicOperation::Load).then(|| self.scalar(output.dtype, false, 2));
        let expected = (operation == AtomicOperation::CompareExchange)
            .then(|| self.scalar(output.dtype, false, 1));
        let result = if operation == AtomicOperation::Store || self.random.chance(20) {
            None
        } else {
            let name = self.name("old");
            Some(self.f.value(name, output.dtype.into()))
        };
        let order = match operation {
            AtomicOperation::Load => self.random.pick(&[
                MemoryOrder::Relaxed,
                MemoryOrder::Acquire,
                MemoryOrder::SequentiallyConsistent,
            ]),
            AtomicOperation::Store => self.random.pick(&[
                MemoryOrder::Relaxed,
                MemoryOrder::Release,
                MemoryOrder::SequentiallyConsistent,
            ]),
            _ => self.update_order(),
        };
        let scope = self
            .random
            .pick(&[MemoryScope::WorkGroup, MemoryScope::Device]);
        self.f.atomic(Atomic {
            operation,
            pointer: output.pointer,
            index,
            operand,
            expected,
            result,
            order,
            scope,
        });
        if let Some(result) = result {
            let old = self.f.expression(Expression::Value(result));
            self.remember(old, false);
        }
    }

    fn fence(&mut self) {
        let order = self.random.pick(&[
            MemoryOrder::Acquire,
            MemoryOrder::Release,
            MemoryOrder::AcquireRelease,
            MemoryOrder::SequentiallyConsistent,
        ]);
        let scope = self
            .random
            .pick(&[MemoryScope::WorkGroup, MemoryScope::Device]);
        self.f.fence(order, scope);
    }

    // ----- control flow -----

    /// The statements that `fill` makes, as a block with a scope of its own.
    pub(super) fn scoped(&mut self, fill: impl FnOnce(&mut Self)) -> Block {
        self.f.open_block();
        self.scopes.push(Vec::new());
        fill(self);
        self.scopes.pop();
        self.f.close_block()
    }

    fn branch(&mut self, context: Context) {
        let together = context.is_uniform && self.random.chance(60);
        let condition = self.condition(together);
        let inside = if together { context } else { context.apart() }.nested();
        let accept = self.scoped(|generator| generator.statements(inside));
        let reject = if self.random.chance(50) {
            self.scoped(|generator| generator.statements(inside))
        } else {
            Block::default()
        };
        self.f.statement(StatementKind::If {
            condition,
            accept,
            reject,
        });
    }

    /// A loop of a few rounds: counted up, or without condition and left by a break.
    fn repeat(&mut self, context: Context) {
        let together = context.is_uniform && self.random.chance(60);
        let kind = if together {
            LoopKind::Together
        } else {
            LoopKind::Apart
        };
        let inside = Context {
            in_loop: Some(kind),
            is_uniform: together,
            ..context.nested()
        };
        let end = self.rounds(together);
        let name = self.name("i");
        let counter = self.f.variable(name, DType::I64);
        let zero = self.f.index(0);
        self.f.assign(counter, zero);
        let now = self.f.get(counter);
        let (condition, leave) = if self.random.chance(70) {
            (Some(self.f.binary(Binary::Less, now, end)), None)
        } else {
            (None, Some(self.f.binary(Binary::GreaterEqual, now, end)))
        };
        self.variables.push(Slot {
            variable: counter,
            dtype: DType::I64,
            is_uniform: together,
            is_assignable: false,
        });
        let body = self.scoped(|generator| {
            if let Some(leave) = leave {
                generator
                    .f
                    .if_(leave, |f| f.statement(StatementKind::Break));
            }
            generator.statements(inside);
        });
        // Whoever comes after the loop may not have come through it.
        self.variables.pop();
        let step = self.f.block(|f| count_up(f, now, counter));
        self.f.statement(StatementKind::Loop {
            condition,
            body,
            step,
        });
    }

    /// How often a loop runs, at most 4 times; evaluated before each round, and always below 5.
    fn rounds(&mut self, uniform: bool) -> Node {
        if self.random.chance(50) {
            let rounds = self.random.between(0, 4) as i64;
            return self.f.index(rounds);
        }
        let any = self.scalar(DType::I64, uniform, 1);
        let five = self.f.index(5);
        self.f.binary(Binary::Modulo, any, five)
    }

    fn leave_loop(&mut self, context: Context) {
        let together = context.in_loop == Some(LoopKind::Together);
        let condition = self.condition(together);
        let jump = if self.random.chance(50) {
            StatementKind::Break
        } else {
            StatementKind::Continue
        };
        self.f.if_(condition, |f| f.statement(jump));
    }

    fn leave_function(&mut self) {
        let condition = self.condition(false);
        let result = self.result;
        let block = self.scoped(|generator| {
            let result = result.map(|dtype| generator.scalar(dtype, false, 2));
            generator.f.return_(result);
        });
        self.f.statement(StatementKind::If {
            condition,
            accept: block,
            reject: Block::default(),
        });
    }

    /// Calls a device function; its result is taken to vary.
    fn call(&mut self) {
        let function = &self.functions[self.random.below(self.functions.len())];
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            match self.argument(parameter) {
                Some(argument) => arguments.push(argument),
                None => return,
            }
        }
        let result = self.f.call(self.module, function.handle, &arguments);
        if let Some(result) = result {
            self.remember(result, false);
        }
    }

    /// Stores what variables and values hold at the end, so that nothing was computed in vain.
    pub(super) fn store_results(&mut self) {
        for output in self.outputs.clone() {
            let linear = self.f.work_item(Query::GlobalLinearId);
            for slot in 0..output.slots {
                if self.random.chance(50) {
                    let index = self.slot_of(linear, output.slots, slot);
                    let value = self.scalar(output.dtype, false, 2);
                    self.f.store(output.pointer, index, value);
                }
            }
        }
    }

    /// Declares a private array and writes all of it.
    pub(super) fn private_array(&mut self) {
        let dtype = self.dtype();
        let length = self.random.between(1, 6);
        let name = self.name("scratch");
        let space = crate::types::AddressSpace::Private;
        let pointer = self.f.array(name, dtype, length, space);
        for index in 0..length {
            let index = self.f.index(index as i64);
            let value = self.scalar(dtype, false, 1);
            self.f.store(pointer, index, value);
        }
        self.private.push(super::generator::Readable {
            pointer,
            dtype,
            first: 0,
            length: length as i64,
            is_shared: false,
            is_constant: false,
        });
    }
}

/// Adds 1 to a counter.
fn count_up(
    f: &mut FunctionBuilder,
    now: Node,
    counter: crate::arena::Handle<crate::module::Variable>,
) {
    debug_assert_eq!(f.type_of(now), Type::INDEX);
    let one = f.literal(Literal::I64(1));
    let next = f.add(now, one);
    f.assign(counter, next);
}
