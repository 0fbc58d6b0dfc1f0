//! From structured IR to [`Program`].
//!
//! Nesting of blocks is followed by recursion here; validation bounds it. Running the result needs none.

use std::collections::HashMap;

use super::assignment::uncertain_variables;
use super::memory::Space;
use super::number::{self, Cell, MathCall};
use super::operands::Operands;
use super::program::{
    ArrayShape, AtomicCall, CallSite, CollectiveCall, Combine, Computation, Instruction, Position,
    Program, Register, Routine,
};
use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression};
use crate::literal::Literal;
use crate::module::{ArrayVariable, Function};
use crate::span::Span;
use crate::statement::{
    Atomic, AtomicOperation, Block, Collective, CollectiveOperation, MemoryOrder, Parallel,
    Statement, StatementKind,
};
use crate::types::{AddressSpace, Type};
use crate::validate::{FunctionInfo, ValidModule};

/// Makes the program of a kernel.
pub(super) fn flatten(module: &ValidModule, kernel: Handle<Function>) -> Program {
    let mut positions = HashMap::new();
    let mut routines = Vec::new();
    let mut synchronises = false;
    let mut orders = false;
    for (handle, function) in module.functions.iter() {
        let needed = handle == kernel || (handle < kernel && !function.is_kernel());
        if !needed {
            continue;
        }
        // It may call itself.
        positions.insert(handle, routines.len());
        let mut flattener = Flattener::new(function, module.info(handle), &positions);
        flattener.block(&function.body);
        flattener.emit(Instruction::Return, Span::NONE);
        synchronises |= flattener.synchronises;
        orders |= flattener.orders;
        let routine = flattener.finish();
        routines.push(routine);
    }
    Program {
        routines,
        local_arrays: shapes(&module.functions[kernel], AddressSpace::Local),
        synchronises,
        orders,
    }
}

/// The arrays of a function in one space, in order.
fn shapes(function: &Function, space: AddressSpace) -> Vec<ArrayShape> {
    let arrays = function.arrays.iter().map(|(_, array)| array);
    arrays
        .filter(|array| array.space == space)
        .map(|array| ArrayShape {
            name: array.name.clone(),
            element: array.element,
            length: array.length,
        })
        .collect()
}

/// Jumps of one loop that wait for their targets.
#[derive(Default)]
struct OpenLoop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

struct Flattener<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    /// Where the functions that can be called are.
    positions: &'a HashMap<Handle<Function>, usize>,
    operands: Operands<'a>,
    uncertain: Vec<bool>,
    routine: Routine,
    /// Where each expression's result is: for leaves always, for others while a statement lasts.
    registers: Vec<Register>,
    first_temporary: usize,
    frame_len: usize,
    loops: Vec<OpenLoop>,
    /// Jumps that end a round of each `Parallel` around the statement.
    rounds: Vec<Vec<usize>>,
    /// Constants that count rounds.
    zero: Register,
    one: Register,
    synchronises: bool,
    orders: bool,
}

impl<'a> Flattener<'a> {
    fn new(
        function: &'a Function,
        info: &'a FunctionInfo,
        positions: &'a HashMap<Handle<Function>, usize>,
    ) -> Self {
        let variables = function.parameters.len() + function.values.len();
        let constants = variables + 2 * function.variables.len();
        let mut flattener = Self {
            function,
            info,
            positions,
            operands: Operands::new(&function.expressions),
            uncertain: uncertain_variables(function),
            routine: Routine {
                name: function.name.clone(),
                code: Vec::new(),
                spans: Vec::new(),
                frame: vec![Cell::default(); constants],
                cleared: variables..constants,
                variables: function
                    .variables
                    .iter()
                    .map(|(_, variable)| variable.name.clone())
                    .collect(),
                private_arrays: shapes(function, AddressSpace::Private),
                atomics: Vec::new(),
                calls: Vec::new(),
                collectives: Vec::new(),
            },
            registers: vec![0; function.expressions.len()],
            first_temporary: 0,
            frame_len: 0,
            loops: Vec::new(),
            rounds: Vec::new(),
            zero: 0,
            one: 0,
            synchronises: false,
            orders: false,
        };
        flattener.zero = flattener.constant(Literal::I64(0).into());
        flattener.one = flattener.constant(Literal::I64(1).into());
        flattener.place_leaves();
        flattener.first_temporary = flattener.routine.frame.len();
        flattener.frame_len = flattener.first_temporary;
        flattener
    }

    /// Gives a register to every expression that is there before any instruction runs.
    fn place_leaves(&mut self) {
        let function = self.function;
        for (handle, expression) in function.expressions.iter() {
            let register = match expression {
                Expression::Literal(literal) => self.constant((*literal).into()),
                Expression::Parameter(position) => *position,
                Expression::Value(value) => self.value(*value),
                Expression::Variable(variable) => self.variable(variable.index()),
                Expression::Array(array) => match self.array_position(*array) {
                    (AddressSpace::Local, position) => {
                        self.constant(Space::Local.pointer(position))
                    }
                    _ => continue,
                },
                _ => continue,
            };
            self.registers[handle.index()] = register;
        }
    }

    fn constant(&mut self, cell: Cell) -> Register {
        self.routine.frame.push(cell);
        self.routine.frame.len() as Register - 1
    }

    fn value(&self, value: Handle<crate::module::Value>) -> Register {
        (self.function.parameters.len() + value.index()) as Register
    }

    fn variable(&self, position: usize) -> Register {
        (self.routine.cleared.start + position) as Register
    }

    fn mark(&self, position: usize) -> Register {
        self.variable(position + self.function.variables.len())
    }

    /// The space of an array and its position among the arrays of that space.
    fn array_position(&self, array: Handle<ArrayVariable>) -> (AddressSpace, usize) {
        let space = self.function.arrays[array].space;
        let earlier = self.function.arrays.iter();
        let position = earlier
            .take(array.index())
            .filter(|(_, other)| other.space == space)
            .count();
        (space, position)
    }

    fn finish(mut self) -> Routine {
        self.routine.frame.resize(self.frame_len, Cell::default());
        self.routine
    }

    // ----- instructions -----

    fn emit(&mut self, instruction: Instruction, span: Span) -> usize {
        self.routine.code.push(instruction);
        self.routine.spans.push(span);
        self.routine.code.len() - 1
    }

    fn here(&self) -> Position {
        self.routine.code.len() as Position
    }

    /// Makes jumps go to the next instruction.
    fn land(&mut self, jumps: impl IntoIterator<Item = usize>) {
        let here = self.here();
        for jump in jumps {
            match &mut self.routine.code[jump] {
                Instruction::Jump { target } | Instruction::JumpUnless { target, .. } => {
                    *target = here;
                }
                _ => unreachable!("only jumps wait for a target"),
            }
        }
    }

    // ----- expressions -----

    fn dtype(&self, expression: Handle<Expression>) -> DType {
        match self.info.type_of(expression) {
            Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => dtype,
        }
    }

    fn register(&self, expression: Handle<Expression>) -> Register {
        self.registers[expression.index()]
    }

    /// Computes what a statement uses; its expressions are then in their registers.
    fn evaluate(&mut self, statement: &Statement) {
        let mut roots = Vec::new();
        statement
            .kind
            .for_each_expression(|expression| roots.push(expression));
        self.compute(roots, statement.span, None);
    }

    /// Computes one expression into a given register.
    fn evaluate_into(&mut self, root: Handle<Expression>, out: Register, span: Span) {
        self.compute(vec![root], span, Some(out));
        if self.register(root) != out {
            let from = self.register(root);
            self.emit(Instruction::Copy { out, from }, span);
        }
    }

    fn compute(&mut self, roots: Vec<Handle<Expression>>, span: Span, last: Option<Register>) {
        let needed = self.operands.of(roots).to_vec();
        let mut next = self.first_temporary as Register;
        for (position, &handle) in needed.iter().enumerate() {
            let place = self.function.expressions.span(handle);
            let span = if place.is_some() { place } else { span };
            let out = match last {
                // The root comes last, so nothing reads the register after it is overwritten.
                Some(out) if position + 1 == needed.len() => out,
                _ => next,
            };
            if let Expression::Variable(variable) = self.function.expressions[handle] {
                self.check_assigned(variable.index(), span);
            }
            if let Some(instruction) = self.instruction(handle, out) {
                self.emit(instruction, span);
                self.registers[handle.index()] = out;
                if out == next {
                    next += 1;
                }
            }
        }
        self.frame_len = self.frame_len.max(next as usize);
    }

    fn check_assigned(&mut self, position: usize, span: Span) {
        if self.uncertain[position] {
            let (mark, variable) = (self.mark(position), position as u32);
            self.emit(Instruction::CheckMark { mark, variable }, span);
        }
    }

    /// What computes an expression from the registers of its operands; leaves need nothing.
    fn instruction(&self, handle: Handle<Expression>, out: Register) -> Option<Instruction> {
        const TYPED: &str = "validation checked the operand types";
        let at = |expression: &Handle<Expression>| self.register(*expression);
        Some(match &self.function.expressions[handle] {
            Expression::Literal(_)
            | Expression::Parameter(_)
            | Expression::Value(_)
            | Expression::Variable(_) => return None,
            Expression::Array(array) => match self.array_position(*array) {
                (AddressSpace::Private, position) => Instruction::PrivateArray {
                    out,
                    array: position as u32,
                },
                _ => return None,
            },
            Expression::WorkItem(query) => Instruction::Query { out, query: *query },
            Expression::Unary { operator, operand } => Instruction::Unary {
                out,
                operand: at(operand),
                function: number::unary_function(*operator, self.dtype(*operand)).expect(TYPED),
            },
            Expression::Binary {
                operator,
                left,
                right,
            } => Instruction::Binary {
                out,
                left: at(left),
                right: at(right),
                function: number::binary_function(*operator, self.dtype(*left)).expect(TYPED),
            },
            Expression::Select {
                condition,
                accept,
                reject,
            } => Instruction::Select {
                out,
                condition: at(condition),
                accept: at(accept),
                reject: at(reject),
            },
            Expression::Cast { operand, to } => Instruction::Unary {
                out,
                operand: at(operand),
                function: number::cast_function(self.dtype(*operand), *to),
            },
            // Cells hold bits, and the bits stay the same.
            Expression::Bitcast { operand, .. } => Instruction::Copy {
                out,
                from: at(operand),
            },
            Expression::Math {
                function,
                arguments,
            } => {
                let dtype = self.dtype(arguments[0]);
                match number::math_function(*function, dtype).expect(TYPED) {
                    MathCall::Unary(function) => Instruction::Unary {
                        out,
                        operand: at(&arguments[0]),
                        function,
                    },
                    MathCall::Binary(function) => Instruction::Binary {
                        out,
                        left: at(&arguments[0]),
                        right: at(&arguments[1]),
                        function,
                    },
                    MathCall::Ternary(function) => Instruction::Ternary {
                        out,
                        arguments: [at(&arguments[0]), at(&arguments[1]), at(&arguments[2])],
                        function,
                    },
                }
            }
            Expression::Complex { real, imaginary } => Instruction::Binary {
                out,
                left: at(real),
                right: at(imaginary),
                function: number::complex_from_parts(self.dtype(*real)).expect(TYPED),
            },
            Expression::Load { pointer, index } => Instruction::Load {
                out,
                pointer: at(pointer),
                index: at(index),
                element: self.dtype(*pointer),
            },
            Expression::Offset { pointer, index } => Instruction::Offset {
                out,
                pointer: at(pointer),
                index: at(index),
            },
        })
    }

    // ----- statements -----

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                self.evaluate_into(*expression, self.value(*value), span);
            }
            StatementKind::Assign {
                variable,
                expression,
            } => self.assign(variable.index(), *expression, span),
            StatementKind::Store {
                pointer,
                index,
                value,
            } => {
                self.evaluate(statement);
                let store = Instruction::Store {
                    pointer: self.register(*pointer),
                    index: self.register(*index),
                    value: self.register(*value),
                    element: self.dtype(*pointer),
                };
                self.emit(store, span);
            }
            StatementKind::Atomic(atomic) => {
                self.evaluate(statement);
                self.atomic(atomic, span);
            }
            StatementKind::Call {
                function,
                arguments,
                result,
            } => {
                self.evaluate(statement);
                let call = CallSite {
                    routine: self.positions[function],
                    arguments: arguments.iter().map(|&x| self.register(x)).collect(),
                    result: result.map(|value| self.value(value)),
                };
                self.routine.calls.push(call);
                self.emit(Instruction::Call(self.routine.calls.len() as u32 - 1), span);
            }
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                self.evaluate(statement);
                self.if_else(*condition, accept, reject, span);
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => self.repeat(*condition, body, step, span),
            StatementKind::Parallel(parallel) => self.parallel(parallel, span),
            StatementKind::Break => {
                let jump = self.emit(Instruction::Jump { target: 0 }, span);
                self.loops
                    .last_mut()
                    .expect("break is in a loop")
                    .breaks
                    .push(jump);
            }
            StatementKind::Continue => {
                let jump = self.emit(Instruction::Jump { target: 0 }, span);
                self.loops
                    .last_mut()
                    .expect("continue is in a loop")
                    .continues
                    .push(jump);
            }
            StatementKind::Return(None) if !self.rounds.is_empty() => {
                let jump = self.emit(Instruction::Jump { target: 0 }, span);
                self.rounds.last_mut().expect("there is a round").push(jump);
            }
            StatementKind::Return(None) => {
                self.emit(Instruction::Return, span);
            }
            StatementKind::Return(Some(result)) => {
                self.evaluate(statement);
                let result = self.register(*result);
                self.emit(Instruction::ReturnValue { result }, span);
            }
            StatementKind::Barrier(spaces) => {
                self.synchronises = true;
                self.emit(Instruction::Barrier(*spaces), span);
            }
            // Its expressions are evaluated, as everywhere, and may fail.
            StatementKind::Prefetch { .. } => self.evaluate(statement),
            StatementKind::Fence { order, .. } => {
                self.orders = true;
                self.emit(Instruction::Fence(*order), span);
            }
            StatementKind::Collective(collective) => {
                self.evaluate(statement);
                self.collective(collective, span);
            }
        }
    }

    fn assign(&mut self, position: usize, expression: Handle<Expression>, span: Span) {
        self.evaluate_into(expression, self.variable(position), span);
        if self.uncertain[position] {
            let mark = self.mark(position);
            self.emit(Instruction::Mark { mark }, span);
        }
    }

    fn if_else(
        &mut self,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
        span: Span,
    ) {
        let condition = self.register(condition);
        let otherwise = self.emit(
            Instruction::JumpUnless {
                condition,
                target: 0,
            },
            span,
        );
        self.block(accept);
        if reject.statements.is_empty() {
            self.land([otherwise]);
            return;
        }
        let end = self.emit(Instruction::Jump { target: 0 }, span);
        self.land([otherwise]);
        self.block(reject);
        self.land([end]);
    }

    fn repeat(
        &mut self,
        condition: Option<Handle<Expression>>,
        body: &Block,
        step: &Block,
        span: Span,
    ) {
        let start = self.here();
        let mut exits = Vec::new();
        if let Some(condition) = condition {
            self.compute(vec![condition], span, None);
            let condition = self.register(condition);
            exits.push(self.emit(
                Instruction::JumpUnless {
                    condition,
                    target: 0,
                },
                span,
            ));
        }
        self.loops.push(OpenLoop::default());
        self.block(body);
        let finished = self.loops.pop().expect("the loop was opened");
        self.land(finished.continues);
        self.block(step);
        self.emit(Instruction::Repeat { target: start }, span);
        exits.extend(finished.breaks);
        self.land(exits);
    }

    /// Runs rounds one after the other, the last one first: nothing may depend on their order.
    fn parallel(&mut self, parallel: &Parallel, span: Span) {
        const INTEGERS: &str = "integers are compared and subtracted";
        let index = self.variable(parallel.index.index());
        let worker = self.variable(parallel.worker.index());
        self.evaluate_into(parallel.count, index, span);
        let is_left = self.frame_len as Register;
        self.frame_len += 1;
        let start = self.here();
        let function = number::binary_function(BinaryOperator::Greater, DType::I64);
        self.emit(
            Instruction::Binary {
                out: is_left,
                left: index,
                right: self.zero,
                function: function.expect(INTEGERS),
            },
            span,
        );
        let exit = self.emit(
            Instruction::JumpUnless {
                condition: is_left,
                target: 0,
            },
            span,
        );
        let function = number::binary_function(BinaryOperator::Subtract, DType::I64);
        self.emit(
            Instruction::Binary {
                out: index,
                left: index,
                right: self.one,
                function: function.expect(INTEGERS),
            },
            span,
        );
        let mut cleared = vec![worker];
        parallel.body.for_each_statement(&mut |statement| {
            if let StatementKind::Assign { variable, .. } = &statement.kind {
                cleared.push(self.variable(variable.index()));
                cleared.push(self.mark(variable.index()));
            }
        });
        for out in cleared {
            let from = self.zero;
            self.emit(Instruction::Copy { out, from }, span);
        }
        self.rounds.push(Vec::new());
        let loops = std::mem::take(&mut self.loops);
        self.block(&parallel.body);
        self.loops = loops;
        let ends = self.rounds.pop().expect("the rounds were opened");
        self.land(ends);
        self.emit(Instruction::Repeat { target: start }, span);
        self.land([exit]);
    }

    fn atomic(&mut self, atomic: &Atomic, span: Span) {
        let element = self.dtype(atomic.pointer);
        self.orders |= atomic.order != MemoryOrder::Relaxed;
        let operator = match atomic.operation {
            AtomicOperation::Load
            | AtomicOperation::Store
            | AtomicOperation::Exchange
            | AtomicOperation::CompareExchange => None,
            AtomicOperation::Add => Some(BinaryOperator::Add),
            AtomicOperation::Subtract => Some(BinaryOperator::Subtract),
            AtomicOperation::Minimum => Some(BinaryOperator::Minimum),
            AtomicOperation::Maximum => Some(BinaryOperator::Maximum),
            AtomicOperation::BitAnd => Some(BinaryOperator::BitAnd),
            AtomicOperation::BitOr => Some(BinaryOperator::BitOr),
            AtomicOperation::BitXor => Some(BinaryOperator::BitXor),
        };
        let call = AtomicCall {
            operation: atomic.operation,
            element,
            pointer: self.register(atomic.pointer),
            index: self.register(atomic.index),
            operand: atomic.operand.map(|x| self.register(x)),
            expected: atomic.expected.map(|x| self.register(x)),
            result: atomic.result.map(|value| self.value(value)),
            function: operator.map(|operator| {
                number::binary_function(operator, element).expect("validation checked the element")
            }),
            order: atomic.order,
        };
        self.routine.atomics.push(call);
        self.emit(
            Instruction::Atomic(self.routine.atomics.len() as u32 - 1),
            span,
        );
    }

    fn collective(&mut self, collective: &Collective, span: Span) {
        self.synchronises = true;
        let dtype = self.dtype(collective.operand);
        let combine =
            |operator| Combine::new(operator, dtype).expect("validation checked the operand");
        let computation = match collective.operation {
            CollectiveOperation::Reduce(operator) => Computation::Reduce(combine(operator)),
            CollectiveOperation::InclusiveScan(operator) => {
                Computation::InclusiveScan(combine(operator))
            }
            CollectiveOperation::ExclusiveScan(operator) => {
                Computation::ExclusiveScan(combine(operator))
            }
            CollectiveOperation::Broadcast(position) => {
                Computation::Broadcast(self.register(position))
            }
            CollectiveOperation::Any => Computation::Any,
            CollectiveOperation::All => Computation::All,
        };
        let call = CollectiveCall {
            computation,
            scope: collective.scope,
            operand: self.register(collective.operand),
            result: self.value(collective.result),
        };
        self.routine.collectives.push(call);
        self.emit(
            Instruction::Collective(self.routine.collectives.len() as u32 - 1),
            span,
        );
    }
}
