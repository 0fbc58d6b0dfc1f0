//! `for i in prange(...)`: a loop whose rounds are independent, as a kernel.
//!
//! A loop without reductions is one work-item for each round. With reductions and
//! [accumulators](mod@super::accumulators) a work-item runs a block of rounds one
//! after the other, starting from what changes nothing, and stores what it came to; whoever launches it combines
//! those in the order of the blocks, so that the result does not depend on the number of threads.
//!
//! A variable is a reduction if it has a value before the loop and every statement that assigns it combines it with
//! something else by the same operation: `s += x`, `s = s + x`, `m = max(m, x)`, `found = found or x`.

use std::collections::BTreeSet;

use situ_ir::{DType, Diagnostic, Diagnostics, Source, Span};

use super::accumulators::Accumulator;
use super::element_loops::{MAXIMUM, RANGE};
use super::liveness::Liveness;
use super::made_trees::{assignment, binary, call, integer, subscript};
use super::piece::{
    CompiledKernel, Piece, SameSizes, ValueType, Wrapped, compile_wrapped, expression, identifier,
    named,
};
use super::{assigned_names, read_names};
use crate::environment::{Binding, Environment, KnownModule};
use crate::error::{Error, Refusal};
use crate::infer::assigned;
use crate::message::Messages;
use crate::plan::{Layout, ParameterPlan};
use crate::specialize::Options;
use crate::stack::with_stack;
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, Function, LogicalOperator, Statement, StatementKind,
};

/// A loop to be compiled.
#[derive(Clone, Debug)]
pub struct ParallelLoop<'a> {
    /// Where it is written.
    pub source: &'a Source,
    /// The function it is in.
    pub function: &'a Function,
    /// The statement that it is.
    pub statement: &'a Statement,
    /// What counts the rounds.
    pub counter: &'a Expression,
    /// What a round does.
    pub body: &'a [Statement],
    /// The names it reads, and what they are. Reductions are among them.
    pub parameters: Vec<(String, ValueType)>,
    /// Arrays that rounds combine something with; they are parameters, too.
    pub accumulators: &'a [Accumulator],
    /// Whether it counts up by one and from no negative number, as most loops do: then neighbouring rounds are known
    /// to use neighbouring elements.
    pub counts_up: bool,
}

/// How the values of a variable from different rounds become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// `+` and `-`.
    Add,
    /// `*`.
    Multiply,
    /// `min`.
    Minimum,
    /// `max`.
    Maximum,
    /// `|`, `or`.
    Or,
    /// `&`, `and`.
    And,
    /// `^`.
    Xor,
}

/// A variable that rounds combine something with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopReduction {
    /// Its name.
    pub name: String,
    /// How values of it are combined.
    pub combination: Combination,
    /// Its dtype after the loop.
    pub dtype: DType,
}

/// A compiled loop.
#[derive(Clone, Debug)]
pub struct CompiledLoop {
    /// The IR.
    pub module: situ_ir::ValidModule,
    /// The kernel's name in the module.
    pub kernel: String,
    /// How arguments become its IR parameters: an array for each reduction, with an element for each
    /// work-item; then, if there are reductions, the number of rounds and the length of a block;
    /// then the first value of the counter and, unless it counts up, its step; then the parameters. A
    /// parameter that is a reduction is passed what changes nothing, and an accumulator an array with an
    /// axis more in front, for the blocks.
    pub plan: ParameterPlan,
    /// What it may say.
    pub messages: Messages,
    /// Its reductions.
    pub reductions: Vec<LoopReduction>,
}

/// Compiles a loop.
///
/// # Errors
/// Everything in it that compiled code cannot do, and variables that one round hands to the next.
pub fn compile_parallel_loop(
    loop_: ParallelLoop<'_>,
    environment: &Environment,
    options: Options,
) -> Result<CompiledLoop, Error> {
    with_stack(|| compile_here(loop_, environment, options))
}

fn compile_here(
    loop_: ParallelLoop<'_>,
    environment: &Environment,
    options: Options,
) -> Result<CompiledLoop, Error> {
    let span = loop_.counter.span;
    let found = reductions(&loop_)?;
    let mut environment = environment.clone();
    for (name, module, function) in [
        (MIN, KnownModule::Builtins, "min"),
        (ITEM_ID, KnownModule::Situ, "get_global_id"),
    ] {
        let binding = Binding::Function(module, function.to_owned());
        environment.bindings.insert(name.to_owned(), binding);
    }
    let number = |name: &str| (name.to_owned(), ValueType::Number(DType::I64));
    let item = call(ITEM_ID, vec![integer(0, span)], span);
    let (start, round) = (named(START, span), named(ROUND, span));
    let (start, distance) = if loop_.counts_up {
        // It is not less than zero, and now whoever reads the code knows, too.
        (call(MAXIMUM, vec![start, integer(0, span)], span), round)
    } else {
        let distance = binary(BinaryOperator::Multiply, round, named(STEP, span));
        (start, distance)
    };
    let round = binary(BinaryOperator::Add, start, distance);
    let count = StatementKind::Assign {
        targets: vec![loop_.counter.clone()],
        value: round,
    };
    let count = Statement { kind: count, span };
    let mut parameters;
    let body;
    if found.is_empty() && loop_.accumulators.is_empty() {
        parameters = vec![number(ROUND), number(START)];
        let rounds = loop_.body.iter().map(without_continue);
        body = std::iter::once(count).chain(rounds).collect();
    } else {
        parameters = [ITEM, COUNT, BLOCK, START].map(number).to_vec();
        let mut code = blocks_of_accumulators(loop_.accumulators, span);
        code.extend(blocked(count, loop_.body, &found, span));
        body = code;
    }
    if !loop_.counts_up {
        parameters.push(number(STEP));
    }
    for (name, ty) in loop_.parameters {
        let is_accumulator = loop_.accumulators.iter().any(|each| each.name == name);
        parameters.push(match ty {
            ValueType::Array { dtype, ndim, .. } if is_accumulator => {
                let layout = Layout::Contiguous;
                let ndim = ndim + 1;
                let blocks = ValueType::Array {
                    dtype,
                    ndim,
                    layout,
                };
                (format!("{BLOCKS}{name}"), blocks)
            }
            ty => (name, ty),
        });
    }
    let piece = Piece {
        source: loop_.source,
        function: loop_.function,
        parameters,
        body,
        same_sizes: SameSizes::new(),
    };
    let Wrapped {
        compiled, outputs, ..
    } = compile_wrapped(piece, Some(item), &environment, options)?;
    let CompiledKernel {
        module,
        kernel,
        plan,
        messages,
    } = compiled;
    let reductions = found
        .into_iter()
        .zip(outputs)
        .map(|((name, combination), dtype)| LoopReduction {
            name,
            combination,
            dtype,
        })
        .collect();
    Ok(CompiledLoop {
        module,
        kernel,
        plan,
        messages,
        reductions,
    })
}

// Names in the compiled function. No user's name looks like these.
const MIN: &str = "situ__min";
const ITEM_ID: &str = "situ__global_id";
const ITEM: &str = "situ__item";
const ROUND: &str = "situ__round";
const COUNT: &str = "situ__count";
const BLOCK: &str = "situ__block";
const START: &str = "situ__start";
const STEP: &str = "situ__step";
const BLOCKS: &str = "situ__blocks_of_";

/// Gives the names of accumulators to the arrays of the block that is run.
fn blocks_of_accumulators(accumulators: &[Accumulator], span: Span) -> Vec<Statement> {
    let own = |accumulator: &Accumulator| {
        let blocks = named(&format!("{BLOCKS}{}", accumulator.name), span);
        let block = subscript(blocks, vec![named(ITEM, span)], span);
        assignment(named(&accumulator.name, span), block, span)
    };
    accumulators.iter().map(own).collect()
}

/// A block of rounds, one after the other; returns what the reductions came to.
fn blocked(
    count: Statement,
    body: &[Statement],
    reductions: &[(String, Combination)],
    span: Span,
) -> Vec<Statement> {
    let first = binary(
        BinaryOperator::Multiply,
        named(ITEM, span),
        named(BLOCK, span),
    );
    let end = binary(BinaryOperator::Add, first.clone(), named(BLOCK, span));
    let end = call(MIN, vec![end, named(COUNT, span)], span);
    let rounds = StatementKind::For {
        target: named(ROUND, span),
        iterable: call(RANGE, vec![first, end], span),
        body: std::iter::once(count).chain(body.iter().cloned()).collect(),
    };
    let values = reductions.iter().map(|(name, _)| named(name, span));
    let mut values: Vec<_> = values.collect();
    let value = match values.len() {
        0 => None,
        1 => Some(values.remove(0)),
        _ => Some(expression(ExpressionKind::Tuple(values), span)),
    };
    [rounds, StatementKind::Return(value)]
        .map(|kind| Statement { kind, span })
        .into()
}

/// The statement in a function that is called for a round: to go on with the next is to return.
pub(super) fn without_continue(statement: &Statement) -> Statement {
    let kind = match &statement.kind {
        StatementKind::Continue => StatementKind::Return(None),
        StatementKind::If {
            test,
            accept,
            reject,
        } => StatementKind::If {
            test: test.clone(),
            accept: accept.iter().map(without_continue).collect(),
            reject: reject.iter().map(without_continue).collect(),
        },
        other => other.clone(),
    };
    Statement {
        kind,
        span: statement.span,
    }
}

/// The reductions of a loop.
fn reductions(loop_: &ParallelLoop<'_>) -> Result<Vec<(String, Combination)>, Error> {
    let assigned = assigned_names(loop_.body);
    let read_first = read_before_assigned(loop_.counter, loop_.body);
    let liveness = Liveness::of(loop_.function);
    let mut problems = Vec::new();
    let mut found: Vec<(String, Combination)> = Vec::new();
    for (name, ty) in &loop_.parameters {
        let is_accumulator = loop_.accumulators.iter().any(|each| each.name == *name);
        if is_accumulator || !assigned.contains(name.as_str()) {
            continue;
        }
        // A name that each round assigns before it reads it is the round's own.
        let is_number = matches!(ty, ValueType::Number(_));
        if is_number && !read_first.contains(name) && !liveness.is_read_after(loop_.statement, name)
        {
            continue;
        }
        match (ty, update_of(name, loop_.body)) {
            (ValueType::Number(_), Ok(combination)) => found.push((name.clone(), combination)),
            (_, other) => {
                let at = other.err().flatten().unwrap_or(loop_.counter.span);
                problems.push(carried(name, at));
            }
        }
    }
    jumps(loop_.body, &mut problems);
    if problems.is_empty() {
        return Ok(found);
    }
    let report = Diagnostics {
        list: problems,
        source: Some(loop_.source.clone()),
    };
    Err(Error::Refused(Refusal {
        kernel: loop_.function.name.name.clone(),
        reports: vec![report],
    }))
}

pub(super) fn carried(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "J001",
        format!("`{name}` is handed from one round of a `prange` loop to the next"),
    )
    .label(
        span,
        "this needs what another round has made of it, or overwrites that",
    )
    .why("the rounds run at the same time, in any order")
    .help(
        "use `range`; or, for a sum and the like, only combine: `s += x`, `s *= x`, `s = min(s, x)`, \
         `s = max(s, x)`, and do not read `s` in the loop otherwise",
    )
}

/// Reports `break` and `return` out of a loop.
pub(super) fn jumps(body: &[Statement], problems: &mut Vec<Diagnostic>) {
    let leave = |span| {
        Diagnostic::error("J002", "a `prange` loop cannot be left early")
            .label(span, "other rounds run at the same time")
            .why("the rounds run at the same time, in any order")
            .help("use `range`, or let rounds that have nothing to do `continue`")
    };
    for statement in body {
        match &statement.kind {
            StatementKind::Break | StatementKind::Return(_) => {
                problems.push(leave(statement.span));
            }
            StatementKind::If { accept, reject, .. } => {
                jumps(accept, problems);
                jumps(reject, problems);
            }
            StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
                returns(body, &leave, problems);
            }
            _ => {}
        }
    }
}

fn returns(
    body: &[Statement],
    leave: &impl Fn(Span) -> Diagnostic,
    problems: &mut Vec<Diagnostic>,
) {
    for statement in body {
        match &statement.kind {
            StatementKind::Return(_) => problems.push(leave(statement.span)),
            StatementKind::If { accept, reject, .. } => {
                returns(accept, leave, problems);
                returns(reject, leave, problems);
            }
            StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
                returns(body, leave, problems);
            }
            _ => {}
        }
    }
}

/// The names that rounds read before they assign them, of those that they assign.
pub(super) fn read_before_assigned(counter: &Expression, body: &[Statement]) -> BTreeSet<String> {
    let span = counter.span;
    let parameters = match &counter.kind {
        ExpressionKind::Name(name) => vec![identifier(name, span)],
        _ => Vec::new(),
    };
    let round = Function {
        name: identifier("round", span),
        positional: parameters.len(),
        is_variadic: false,
        parameters,
        defaults: Vec::new(),
        first_annotation: None,
        body: body.to_vec(),
        span,
    };
    let found = assigned::check(&round).into_iter();
    found.map(|(name, _)| name.to_owned()).collect()
}

/// How statements combine a variable with something, if they do nothing else with it; else where they do, if at all.
pub(super) fn update_of(name: &str, body: &[Statement]) -> Result<Combination, Option<Span>> {
    let mut updates = Updates::default();
    updates.block(name, body);
    match (updates.combination, updates.other) {
        (Some(combination), None) => Ok(combination),
        (_, other) => Err(other),
    }
}

/// What statements do to a variable.
#[derive(Default)]
struct Updates {
    combination: Option<Combination>,
    /// Where it is read or assigned in another way.
    other: Option<Span>,
}

impl Updates {
    fn block(&mut self, name: &str, body: &[Statement]) {
        for statement in body {
            self.statement(name, statement);
        }
    }

    fn statement(&mut self, name: &str, statement: &Statement) {
        if let Some((combination, operand)) = update(name, statement) {
            if self.combination.is_some_and(|known| known != combination) {
                self.other.get_or_insert(statement.span);
            }
            self.combination = Some(combination);
            self.reads(name, operand);
            return;
        }
        match &statement.kind {
            StatementKind::If {
                test,
                accept,
                reject,
            } => {
                self.reads(name, test);
                self.block(name, accept);
                self.block(name, reject);
            }
            StatementKind::While { test, body } => {
                self.reads(name, test);
                self.block(name, body);
            }
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                self.reads(name, target);
                self.reads(name, iterable);
                self.block(name, body);
            }
            _ => {
                if read_names(std::slice::from_ref(statement)).contains(&name) {
                    self.other.get_or_insert(statement.span);
                }
            }
        }
    }

    fn reads(&mut self, name: &str, expression: &Expression) {
        let statement = Statement {
            kind: StatementKind::Expression(expression.clone()),
            span: expression.span,
        };
        if read_names(std::slice::from_ref(&statement)).contains(&name) {
            self.other.get_or_insert(expression.span);
        }
    }
}

/// How a statement combines a variable with something, and with what.
pub(super) fn update<'a>(
    name: &str,
    statement: &'a Statement,
) -> Option<(Combination, &'a Expression)> {
    let is_name =
        |each: &Expression| matches!(&each.kind, ExpressionKind::Name(other) if other == name);
    match &statement.kind {
        StatementKind::AugmentedAssign {
            target,
            operator,
            value,
        } if is_name(target) => Some((combination_of(*operator)?, value)),
        StatementKind::Assign { targets, value } => {
            let [target] = targets.as_slice() else {
                return None;
            };
            if !is_name(target) {
                return None;
            }
            match &value.kind {
                ExpressionKind::Binary {
                    operator,
                    left,
                    right,
                } => {
                    let combination = combination_of(*operator)?;
                    let is_subtraction = *operator == BinaryOperator::Subtract;
                    if is_name(left) {
                        Some((combination, right))
                    } else if is_name(right) && !is_subtraction {
                        Some((combination, left))
                    } else {
                        None
                    }
                }
                ExpressionKind::Logical { operator, operands } => {
                    let combination = match operator {
                        LogicalOperator::And => Combination::And,
                        LogicalOperator::Or => Combination::Or,
                    };
                    match operands.as_slice() {
                        [first, second] if is_name(first) => Some((combination, second)),
                        [first, second] if is_name(second) => Some((combination, first)),
                        _ => None,
                    }
                }
                ExpressionKind::Call {
                    function,
                    arguments,
                    keywords,
                } if keywords.is_empty() => {
                    let combination = extreme(function)?;
                    match arguments.as_slice() {
                        [first, second] if is_name(first) => Some((combination, second)),
                        [first, second] if is_name(second) => Some((combination, first)),
                        _ => None,
                    }
                }
                _ => None,
            }
        }
        _ => None,
    }
}

pub(super) fn combination_of(operator: BinaryOperator) -> Option<Combination> {
    Some(match operator {
        BinaryOperator::Add | BinaryOperator::Subtract => Combination::Add,
        BinaryOperator::Multiply => Combination::Multiply,
        BinaryOperator::BitAnd => Combination::And,
        BinaryOperator::BitOr => Combination::Or,
        BinaryOperator::BitXor => Combination::Xor,
        _ => return None,
    })
}

/// `min`, `max` and NumPy's names for them.
fn extreme(function: &Expression) -> Option<Combination> {
    let name = match &function.kind {
        ExpressionKind::Name(name) => name,
        ExpressionKind::Attribute { attribute, .. } => &attribute.name,
        _ => return None,
    };
    match name.as_str() {
        "min" | "minimum" => Some(Combination::Minimum),
        "max" | "maximum" => Some(Combination::Maximum),
        _ => None,
    }
}
