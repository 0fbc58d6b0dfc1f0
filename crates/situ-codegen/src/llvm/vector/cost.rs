//! Whether a kernel is worth vectorising here, and with how many lanes.
//!
//! A kernel without loops is left to LLVM, which vectorises the loop over work-items itself, unless it calls
//! mathematical functions on elements that are not next to each other: LLVM takes gathers to cost more than that
//! many calls. Of the others both forms are estimated, in instructions for one vector of work-items: loops count for several rounds, each
//! further in for more. A gather costs about twice what the loads of its lanes cost alone.

use situ_ir::{
    BinaryOperator, Block, DType, Expression, Function, Handle, MathFunction, Statement,
    StatementKind,
};

use super::flow::{Entry, Flow, analyse};
use super::shape::Shape;
use crate::llvm::body::ModuleFacts;
use crate::llvm::builtins::has_vector_function;
use crate::llvm::target::{TargetOptions, VectorIsa, Vectorise};

/// The most lanes: masks of so many bits are numbers that every instruction set has.
const MAX_LANES: usize = 16;

/// The largest kernel whose remainders get a copy of the code.
const DOUBLED: usize = 400;

/// The most bytes of private arrays of all lanes: more is neither in a cache nor on every stack, and one work-item
/// after the other needs no more than its own.
const MAX_PRIVATE_BYTES: u64 = 512 << 10;

/// How often a loop is taken to go round.
const ROUNDS: f64 = 8.0;

/// How much cheaper vectors must be to be chosen.
const GAIN: f64 = 1.2;

/// Instructions that a call of a mathematical function or an integer division takes.
const CALL: f64 = 20.0;

/// How a kernel runs for vectors of work-items.
pub(in crate::llvm) struct VectorPlan {
    pub(super) flow: Flow,
    /// Work-items in a vector.
    pub(in crate::llvm) lanes: u32,
    /// Dimensions of the kernel.
    pub(super) dims: u8,
    /// Whether whole vectors have code of their own.
    pub(super) is_doubled: bool,
}

/// The vector form of a kernel without groups, if it should have one.
pub(in crate::llvm) fn plan(
    facts: &ModuleFacts<'_>,
    kernel: Handle<Function>,
    options: &TargetOptions,
    dims: u8,
) -> Option<VectorPlan> {
    let function = &facts.module.functions[kernel];
    // Rounds that run at the same time are as many as there are, whatever the lanes.
    if facts.has_rounds {
        return None;
    }
    let entry = Entry {
        parameters: vec![Shape::Uniform; function.parameters.len()],
        dims,
    };
    let (flow, lanes) = match only_call(function) {
        // The kernel only passes arguments on, so the called function decides.
        Some((callee, arguments)) => {
            let flow = analyse(facts, kernel, &entry);
            let shapes = arguments.iter();
            let shapes = shapes.map(|argument| flow.expressions[argument.index()]);
            let entry = Entry {
                parameters: shapes.collect(),
                dims,
            };
            let (_, lanes) = chosen(facts, callee, &entry, options)?;
            (flow, lanes)
        }
        None => chosen(facts, kernel, &entry, options)?,
    };
    Some(VectorPlan {
        flow,
        lanes,
        dims,
        is_doubled: is_doubled(facts, kernel),
    })
}

/// The call that is all that a function does: a loop over `prange` is a kernel around a function.
fn only_call(function: &Function) -> Option<(Handle<Function>, &[Handle<Expression>])> {
    match function.body.statements.as_slice() {
        [
            Statement {
                kind:
                    StatementKind::Call {
                        function,
                        arguments,
                        result: None,
                    },
                ..
            },
        ] => Some((*function, arguments)),
        _ => None,
    }
}

/// Whether whole vectors should have a copy of a function for themselves.
pub(super) fn is_doubled(facts: &ModuleFacts<'_>, function: Handle<Function>) -> bool {
    facts.inlined_sizes[function.index()] <= DOUBLED
}

/// How the lanes of a function run, and how many there are, if vectors pay.
pub(super) fn chosen(
    facts: &ModuleFacts<'_>,
    handle: Handle<Function>,
    entry: &Entry,
    options: &TargetOptions,
) -> Option<(Flow, u32)> {
    let function = &facts.module.functions[handle];
    let may_pay = match options.vectorise {
        Vectorise::Never => false,
        Vectorise::Always => true,
        Vectorise::Auto => {
            options.vector_isa >= VectorIsa::Avx2
                && (has_loop(&function.body) || has_call(function))
        }
    };
    if !may_pay {
        return None;
    }
    let lanes = lanes(facts, handle, options);
    let private_bytes = facts.module.info(handle).private_bytes;
    let all_private_bytes = private_bytes.saturating_mul(u64::from(lanes));
    if facts.stacks[handle.index()].recurs || all_private_bytes > MAX_PRIVATE_BYTES {
        return None;
    }
    let flow = analyse(facts, handle, entry);
    if options.vectorise == Vectorise::Auto {
        let estimate = Estimate::new(facts, handle, &flow, options, lanes);
        let cost = estimate.block(&function.body);
        let is_left_to_llvm = !has_loop(&function.body) && !estimate.has_spread_access();
        if is_left_to_llvm || cost.vector * GAIN > cost.scalar {
            return None;
        }
    }
    Some((flow, lanes))
}

/// As many lanes as a vector has elements of the widest floating-point type, or of the widest type if there
/// is none.
fn lanes(facts: &ModuleFacts<'_>, kernel: Handle<Function>, options: &TargetOptions) -> u32 {
    let info = facts.module.info(kernel);
    let vector_bytes = options.vector_isa.vector_bytes();
    let is_narrow = !info.uses_dtype(DType::F64)
        && (info.uses_dtype(DType::F32) || info.uses_dtype(DType::F16));
    let widest = if is_narrow { 4 } else { 8 };
    u32::try_from((vector_bytes / widest).min(MAX_LANES)).unwrap_or(1)
}

fn has_loop(block: &Block) -> bool {
    block.statements.iter().any(|statement| {
        matches!(statement.kind, StatementKind::Loop { .. })
            || statement.kind.blocks().any(has_loop)
    })
}

/// Whether a kernel calls mathematical functions.
fn has_call(function: &Function) -> bool {
    let is_call = |node: &Expression| match node {
        Expression::Math { function, .. } => !function.is_exact(),
        Expression::Binary { operator, .. } => *operator == BinaryOperator::Power,
        _ => false,
    };
    function.expressions.iter().any(|(_, node)| is_call(node))
}

/// Instructions for a vector of work-items.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// One work-item after the other.
    scalar: f64,
    /// All at once.
    vector: f64,
}

impl Cost {
    fn add(&mut self, other: Self, times: f64) {
        self.scalar += times * other.scalar;
        self.vector += times * other.vector;
    }
}

struct Estimate<'a> {
    facts: &'a ModuleFacts<'a>,
    function: &'a Function,
    info: &'a situ_ir::FunctionInfo,
    flow: &'a Flow,
    options: &'a TargetOptions,
    lanes: f64,
}

impl<'a> Estimate<'a> {
    fn new(
        facts: &'a ModuleFacts<'a>,
        kernel: Handle<Function>,
        flow: &'a Flow,
        options: &'a TargetOptions,
        lanes: u32,
    ) -> Self {
        Self {
            facts,
            function: &facts.module.functions[kernel],
            info: facts.module.info(kernel),
            flow,
            options,
            lanes: f64::from(lanes),
        }
    }

    /// Whether some elements that lanes access are not next to each other.
    fn has_spread_access(&self) -> bool {
        let mut is_spread = false;
        self.function.body.for_each_statement(&mut |statement| {
            is_spread |= self.spreads(statement);
        });
        is_spread
    }

    /// The same of one statement.
    fn spreads(&self, statement: &Statement) -> bool {
        let is_spread = |pointer: &Handle<Expression>, index: &Handle<Expression>| {
            !is_cheap(self.shape(*pointer).plus(self.shape(*index)))
        };
        let mut found = match &statement.kind {
            StatementKind::Store { pointer, index, .. } => is_spread(pointer, index),
            _ => false,
        };
        statement.kind.for_each_expression(|root| {
            found |= self.any(root, &|node| match node {
                Expression::Load { pointer, index } => is_spread(pointer, index),
                _ => false,
            });
        });
        found
    }

    fn block(&self, block: &Block) -> Cost {
        let mut cost = Cost::default();
        for statement in &block.statements {
            cost.add(self.statement(statement), 1.0);
        }
        cost
    }

    fn statement(&self, statement: &Statement) -> Cost {
        let mut cost = Cost::default();
        statement.kind.for_each_expression(|root| {
            cost.add(self.expression(root), 1.0);
        });
        match &statement.kind {
            StatementKind::Store { pointer, index, .. } => {
                let shape = self.shape(*pointer).plus(self.shape(*index));
                cost.add(self.access(shape, 2.0), 1.0);
            }
            StatementKind::Assign { .. } if self.flow.blends(statement) => cost.vector += 1.0,
            StatementKind::Atomic(_) => {
                cost.scalar += self.lanes * CALL;
                cost.vector += self.lanes * CALL * 1.2;
            }
            StatementKind::Call { function, .. } => {
                let size = self.facts.inlined_sizes[function.index()] as f64;
                cost.scalar += self.lanes * size;
                cost.vector += 2.0 * size;
            }
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                let parts = self.shape(*condition) != Shape::Uniform;
                let sides = [accept, reject].map(|side| self.block(side));
                for side in sides {
                    // A work-item runs one side; of a vector, some lane wants either.
                    cost.scalar += side.scalar / 2.0;
                    cost.vector += if parts {
                        side.vector
                    } else {
                        side.vector / 2.0
                    };
                }
                cost.vector += if parts { 4.0 } else { 1.0 };
                cost.scalar += self.lanes;
            }
            StatementKind::Loop { body, step, .. } => {
                let mut round = self.block(body);
                round.add(self.block(step), 1.0);
                if self.is_vectorised_alone(body) {
                    round.scalar /= self.lanes / 2.0;
                }
                round.scalar += self.lanes;
                round.vector += if self.flow.is_masked(statement) {
                    // The slowest lane decides how long it takes: of eight that count to random numbers, nearly twice as
                    // long as the lanes do on average.
                    round.vector + 5.0
                } else {
                    1.0
                };
                cost.add(round, ROUNDS);
            }
            _ => {}
        }
        cost
    }

    /// Whether LLVM would vectorise a loop of one work-item: it is an innermost loop with accesses that
    /// are far apart from lane to lane, so perhaps not from round to round, and carries no floating-point
    /// number from round to round, whose order of operations must stay.
    fn is_vectorised_alone(&self, body: &Block) -> bool {
        let mut gathers = false;
        let mut is_simple = !has_loop(body);
        body.for_each_statement(&mut |statement| {
            if let StatementKind::Assign {
                variable,
                expression,
            } = &statement.kind
                && self.function.variables[*variable].dtype.is_float()
            {
                is_simple &= !self.any(
                    *expression,
                    &|node| matches!(node, Expression::Variable(read) if read == variable),
                );
            }
            is_simple &= !matches!(
                statement.kind,
                StatementKind::Break | StatementKind::Return(_) | StatementKind::Atomic(_)
            );
            gathers |= self.spreads(statement);
        });
        gathers && is_simple
    }

    fn any(&self, root: Handle<Expression>, test: &impl Fn(&Expression) -> bool) -> bool {
        let mut pending = vec![root];
        while let Some(expression) = pending.pop() {
            let node = &self.function.expressions[expression];
            if test(node) {
                return true;
            }
            node.for_each_operand(|operand| pending.push(operand));
        }
        false
    }

    /// The cost of an expression with everything in it.
    fn expression(&self, root: Handle<Expression>) -> Cost {
        let mut cost = Cost::default();
        let mut pending = vec![root];
        while let Some(expression) = pending.pop() {
            let node = &self.function.expressions[expression];
            cost.add(self.operation(expression, node), 1.0);
            node.for_each_operand(|operand| pending.push(operand));
        }
        cost
    }

    fn operation(&self, expression: Handle<Expression>, node: &Expression) -> Cost {
        let shape = self.shape(expression);
        let dtype = self.info.type_of(expression).scalar();
        let each = |instructions: f64| Cost {
            scalar: self.lanes * instructions,
            vector: instructions,
        };
        let serial = |instructions: f64| Cost {
            scalar: self.lanes * instructions,
            vector: self.lanes * (instructions + 2.0),
        };
        match node {
            Expression::Literal(_)
            | Expression::Parameter(_)
            | Expression::Value(_)
            | Expression::Variable(_)
            | Expression::Array(_)
            | Expression::WorkItem(_)
            | Expression::Offset { .. } => Cost::default(),
            Expression::Load { pointer, index } => {
                let shape = self.shape(*pointer).plus(self.shape(*index));
                self.access(shape, 1.0)
            }
            _ if shape != Shape::Varying => each(1.0),
            Expression::Math {
                function,
                arguments,
            } => match (function, dtype) {
                (MathFunction::Sqrt, _) => Cost {
                    scalar: self.lanes * 4.0,
                    vector: self.lanes * 2.0,
                },
                (function, Some(dtype)) if !function.is_exact() => {
                    let name = function.name();
                    if has_vector_function(self.options, name, dtype, arguments.len()) {
                        each(CALL)
                    } else {
                        serial(CALL)
                    }
                }
                _ => each(2.0),
            },
            Expression::Binary { operator, left, .. } => {
                let operand = self.info.type_of(*left).scalar();
                let is_float = operand.is_some_and(DType::is_float);
                match operator {
                    BinaryOperator::Divide => Cost {
                        scalar: self.lanes * 4.0,
                        vector: self.lanes * 2.0,
                    },
                    BinaryOperator::TruncatingDivide | BinaryOperator::TruncatingRemainder => {
                        serial(CALL)
                    }
                    BinaryOperator::Power if is_float => each(2.0 * CALL),
                    _ => each(1.0),
                }
            }
            _ => each(1.0),
        }
    }

    /// The cost of an access; of one that is spread out, `spread` times that of its lanes alone.
    fn access(&self, shape: Shape, spread: f64) -> Cost {
        let vector = if is_cheap(shape) {
            1.0
        } else {
            self.lanes * (spread + 1.0)
        };
        Cost {
            scalar: self.lanes,
            vector,
        }
    }

    fn shape(&self, expression: Handle<Expression>) -> Shape {
        self.flow.expressions[expression.index()]
    }
}

/// Whether lanes at addresses of a shape access one element, or elements that are next to each other.
fn is_cheap(shape: Shape) -> bool {
    matches!(shape, Shape::Uniform | Shape::Linear(1))
}
