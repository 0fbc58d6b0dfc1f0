//! Loops over `prange` inside of compiled code: their rounds as functions that several threads may call.
//!
//! `for i in prange(n)` becomes a function of the number of a round, and a call that runs it for all numbers. What the
//! rounds assign is then a name of that function, so that each round has its own; what they only read is captured, as by
//! every function inside of another. A loop that combines numbers (`total += x[i]`) becomes a function of a *block* of
//! rounds, one after the other, which stores what they came to; the blocks are combined afterwards, from the first to the
//! last. How many there are depends on the number of rounds only, so that the result does not depend on the threads.

use std::sync::Arc;

use situ_ir::{Diagnostic, Diagnostics, Span};

use super::accumulators::accumulators;
use super::element_loops::{MAXIMUM, MINIMUM, RANGE};
use super::liveness::{Liveness, assigned_names};
use super::made_trees::{assignment, binary, call, integer, subscript};
use super::parallel_loop::{
    Combination, carried, jumps, read_before_assigned, update_of, without_continue,
};
use super::piece::{identifier, named};
use crate::environment::{Binding, Environment};
use crate::error::{Error, Refusal};
use crate::infer::problems;
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, Function, Statement, StatementKind,
};

// Functions of made code; the table of library functions has them.
pub(crate) const PARALLEL: &str = "situ__parallel";
pub(crate) const NEW_PARTIALS: &str = "situ__partials";
pub(crate) const ZERO_OF: &str = "situ__zero_of";
pub(crate) const ONE_OF: &str = "situ__one_of";
pub(crate) const ALL_OF: &str = "situ__all_of";

/// What the names of functions of rounds begin with.
pub(crate) const ROUNDS: &str = "situ__rounds_";

/// Those that are bound as functions of situ's.
pub(super) const MADE_FUNCTIONS: [&str; 5] = [PARALLEL, NEW_PARTIALS, ZERO_OF, ONE_OF, ALL_OF];

/// How many blocks there are at most: enough to share among threads, few enough to combine by one.
const MAX_BLOCKS: i128 = 64;

/// Rounds without loops in them are so short that a block has at least so many.
const SHORT_ROUNDS: i128 = 1024;

/// Statements whose loops over `prange`, the outermost ones, are calls of functions.
///
/// # Errors
/// Variables that one round hands to the next, and loops that are left early.
pub(super) fn with_parallel_rounds(
    body: Vec<Statement>,
    function: &Function,
    environment: &Environment,
    source: &situ_ir::Source,
) -> Result<Vec<Statement>, Error> {
    let mut writer = Writer {
        liveness: Liveness::of(function),
        environment,
        made: 0,
        problems: Vec::new(),
    };
    let body = writer.block(body);
    if writer.problems.is_empty() {
        return Ok(body);
    }
    let report = Diagnostics {
        list: writer.problems,
        source: Some(source.clone()),
    };
    Err(Error::Refused(Refusal {
        kernel: function.name.name.clone(),
        reports: vec![report],
    }))
}

struct Writer<'a> {
    liveness: Liveness,
    environment: &'a Environment,
    /// How many loops were written.
    made: usize,
    problems: Vec<Diagnostic>,
}

/// The bounds of a `prange`.
struct Bounds {
    start: Expression,
    stop: Expression,
    step: Option<Expression>,
}

impl Writer<'_> {
    fn block(&mut self, body: Vec<Statement>) -> Vec<Statement> {
        let mut code = Vec::with_capacity(body.len());
        for statement in body {
            self.statement(statement, &mut code);
        }
        code
    }

    fn statement(&mut self, statement: Statement, code: &mut Vec<Statement>) {
        let span = statement.span;
        let kind = match statement.kind {
            StatementKind::If {
                test,
                accept,
                reject,
            } => StatementKind::If {
                test,
                accept: self.block(accept),
                reject: self.block(reject),
            },
            StatementKind::While { test, body } => StatementKind::While {
                test,
                body: self.block(body),
            },
            StatementKind::For {
                ref target,
                ref iterable,
                ref body,
            } if self.is_parallel(iterable) => {
                if let (ExpressionKind::Name(counter), Some(bounds)) =
                    (&target.kind, bounds(iterable))
                {
                    self.parallel(&statement, (counter, bounds), body, code);
                    return;
                }
                statement.kind
            }
            StatementKind::For {
                target,
                iterable,
                body,
            } => StatementKind::For {
                target,
                iterable,
                body: self.block(body),
            },
            other => other,
        };
        code.push(Statement { kind, span });
    }

    /// Whether an expression is a call of `prange`.
    fn is_parallel(&self, iterable: &Expression) -> bool {
        let ExpressionKind::Call { function, .. } = &iterable.kind else {
            return false;
        };
        match &function.kind {
            ExpressionKind::Name(name) => matches!(
                self.environment.bindings.get(name),
                Some(Binding::Function(_, function)) if function == "prange"
            ),
            ExpressionKind::Attribute { attribute, .. } => attribute.name == "prange",
            _ => false,
        }
    }

    fn parallel(
        &mut self,
        statement: &Statement,
        (counter, bounds): (&str, Bounds),
        body: &[Statement],
        code: &mut Vec<Statement>,
    ) {
        let span = statement.span;
        let number = self.made;
        self.made += 1;
        let made = |what: &str| format!("situ__{what}_{number}");
        let reductions = self.reductions(statement, &named(counter, span), body);
        self.refuse_accumulators(&named(counter, span), body, span);
        let count = made("count");
        let step = bounds.step.is_some().then(|| made("step"));
        let start = if is_kept(&bounds.start, body) {
            bounds.start
        } else {
            let start = named(&made("start"), span);
            code.push(assignment(start.clone(), bounds.start, span));
            start
        };
        let stop = made("stop");
        code.push(assignment(named(&stop, span), bounds.stop, span));
        if let (Some(name), Some(step)) = (&step, bounds.step) {
            code.push(assignment(named(name, span), step, span));
            code.push(refuse_zero(&start, name, &made("none"), span));
        }
        let rounds = count_of(&start, &stop, step.as_deref(), span);
        code.push(assignment(named(&count, span), rounds, span));
        let names = Names {
            start,
            count,
            step,
            index: made("index"),
            function: format!("{ROUNDS}{number}"),
            size: made("size"),
            blocks: made("blocks"),
            number,
        };
        let counted = names.counted(counter, span);
        if reductions.is_empty() {
            let rounds = body.iter().map(without_continue);
            let body = std::iter::once(counted(&names.index))
                .chain(rounds)
                .collect();
            code.push(names.definition(&[], body, span));
            code.push(names.run(&names.count, Vec::new(), span));
            return;
        }
        let is_short = !has_loop(body);
        code.extend(names.sizes_of_blocks(is_short, span));
        let mut own: Vec<Statement> = Vec::new();
        let mut passed = Vec::new();
        for (name, combination) in &reductions {
            let partial = names.partials_of(name);
            let new = call(
                NEW_PARTIALS,
                vec![named(&names.blocks, span), named(name, span)],
                span,
            );
            code.push(assignment(named(&partial, span), new, span));
            let before = format!("situ__before_{name}");
            own.push(assignment(
                named(name, span),
                identity(*combination, named(&before, span)),
                span,
            ));
            passed.push(before);
        }
        own.push(names.loop_over_block(&counted, body, span));
        for (name, _) in &reductions {
            let place = subscript(
                named(&names.partials_of(name), span),
                vec![named(&names.index, span)],
                span,
            );
            own.push(assignment(place, named(name, span), span));
        }
        let arguments = reductions.iter().map(|(name, _)| named(name, span));
        let arguments = arguments.collect();
        code.push(names.definition(&passed, own, span));
        code.push(names.run(&names.blocks, arguments, span));
        code.push(names.combined(&reductions, span));
    }

    /// Numbers that the rounds combine something with. A name that each round assigns before it reads it is the round's
    /// own.
    fn reductions(
        &mut self,
        statement: &Statement,
        counter: &Expression,
        body: &[Statement],
    ) -> Vec<(String, Combination)> {
        let unassigned = read_before_assigned(counter, body);
        let mut found = Vec::new();
        for name in assigned_names(body) {
            if unassigned.contains(name) {
                match update_of(name, body) {
                    Ok(combination) => found.push((name.to_owned(), combination)),
                    Err(at) => {
                        let at = at.unwrap_or(statement.span);
                        self.problems.push(carried(name, at));
                    }
                }
            } else if self.liveness.is_read_after(statement, name) {
                self.problems.push(carried(name, statement.span));
            }
        }
        jumps(body, &mut self.problems);
        found
    }
}

impl Writer<'_> {
    /// Refuses rounds that update elements which other rounds update, too: a kernel gives an array of its own to each
    /// block of rounds.
    fn refuse_accumulators(&mut self, counter: &Expression, body: &[Statement], span: Span) {
        let own = assigned_names(body);
        let is_shared = |name: &str| !own.contains(name);
        for accumulator in accumulators(counter, body, &is_shared) {
            let what = format!("`{}`, which several rounds update,", accumulator.name);
            self.problems.push(problems::not_written_out(&what, span));
        }
    }
}

/// What things are called in the code for one loop.
struct Names {
    start: Expression,
    count: String,
    step: Option<String>,
    index: String,
    function: String,
    size: String,
    blocks: String,
    number: usize,
}

impl Names {
    fn partials_of(&self, name: &str) -> String {
        format!("situ__partials_{}_{name}", self.number)
    }

    /// Makes the statement that gives the user's counter its number, given the number of the round.
    fn counted(&self, counter: &str, span: Span) -> impl Fn(&str) -> Statement {
        let (counter, start) = (named(counter, span), self.start.clone());
        let step = self.step.as_ref().map(|step| named(step, span));
        move |round: &str| {
            let round = named(round, span);
            let distance = match &step {
                Some(step) => binary(BinaryOperator::Multiply, round, step.clone()),
                None => round,
            };
            let value = binary(BinaryOperator::Add, start.clone(), distance);
            assignment(counter.clone(), value, span)
        }
    }

    /// The function of a round or block.
    fn definition(&self, passed: &[String], body: Vec<Statement>, span: Span) -> Statement {
        let parameters = std::iter::once(&self.index).chain(passed);
        let parameters: Vec<_> = parameters.map(|name| identifier(name, span)).collect();
        let function = Function {
            name: identifier(&self.function, span),
            positional: parameters.len(),
            is_variadic: false,
            parameters,
            defaults: Vec::new(),
            first_annotation: None,
            body,
            span,
        };
        let kind = StatementKind::Function(Arc::new(function));
        Statement { kind, span }
    }

    /// Runs the function for so many numbers.
    fn run(&self, count: &str, arguments: Vec<Expression>, span: Span) -> Statement {
        let mut all = vec![named(count, span), named(&self.function, span)];
        all.extend(arguments);
        let kind = StatementKind::Expression(call(PARALLEL, all, span));
        Statement { kind, span }
    }

    /// Chooses how many rounds a block has, and how many blocks there are.
    fn sizes_of_blocks(&self, is_short: bool, span: Span) -> [Statement; 2] {
        let [count, size] = [&self.count, &self.size].map(|name| named(name, span));
        let share = divided_up(count.clone(), integer(MAX_BLOCKS, span));
        let least = integer(if is_short { SHORT_ROUNDS } else { 1 }, span);
        let share = call(MAXIMUM, vec![share, least], span);
        [
            assignment(size.clone(), share, span),
            assignment(named(&self.blocks, span), divided_up(count, size), span),
        ]
    }

    /// The rounds of a block, one after the other.
    fn loop_over_block(
        &self,
        counted: &impl Fn(&str) -> Statement,
        body: &[Statement],
        span: Span,
    ) -> Statement {
        let round = format!("situ__round_{}", self.number);
        let first = binary(
            BinaryOperator::Multiply,
            named(&self.index, span),
            named(&self.size, span),
        );
        let end = binary(BinaryOperator::Add, first.clone(), named(&self.size, span));
        let end = call(MINIMUM, vec![end, named(&self.count, span)], span);
        let rounds = std::iter::once(counted(&round)).chain(body.iter().cloned());
        let kind = StatementKind::For {
            target: named(&round, span),
            iterable: call(RANGE, vec![first, end], span),
            body: rounds.collect(),
        };
        Statement { kind, span }
    }

    /// Combines what the blocks came to with what was there before.
    fn combined(&self, reductions: &[(String, Combination)], span: Span) -> Statement {
        let block = format!("situ__block_{}", self.number);
        let body = reductions.iter().map(|(name, combination)| {
            let partial = subscript(
                named(&self.partials_of(name), span),
                vec![named(&block, span)],
                span,
            );
            let value = combine(*combination, named(name, span), partial);
            assignment(named(name, span), value, span)
        });
        let kind = StatementKind::For {
            target: named(&block, span),
            iterable: call(RANGE, vec![named(&self.blocks, span)], span),
            body: body.collect(),
        };
        Statement { kind, span }
    }
}

/// Whether an expression is the same in all rounds: then they show what they start with, and `x[i - w]` of
/// `for i in prange(w, n)` is known to be no element from the end.
fn is_kept(start: &Expression, body: &[Statement]) -> bool {
    match &start.kind {
        ExpressionKind::Constant(_) => true,
        ExpressionKind::Name(name) => !assigned_names(body).contains(name.as_str()),
        _ => false,
    }
}

fn bounds(iterable: &Expression) -> Option<Bounds> {
    let ExpressionKind::Call {
        arguments,
        keywords,
        ..
    } = &iterable.kind
    else {
        return None;
    };
    let (start, stop, step) = match (arguments.as_slice(), keywords.as_slice()) {
        ([stop], []) => (integer(0, iterable.span), stop.clone(), None),
        ([start, stop], []) => (start.clone(), stop.clone(), None),
        ([start, stop, step], []) => (start.clone(), stop.clone(), Some(step.clone())),
        _ => return None,
    };
    Some(Bounds { start, stop, step })
}

/// A loop of no rounds, which raises an exception if the step is zero, as all loops over ranges do.
fn refuse_zero(start: &Expression, step: &str, counter: &str, span: Span) -> Statement {
    let range = vec![start.clone(), start.clone(), named(step, span)];
    let kind = StatementKind::For {
        target: named(counter, span),
        iterable: call(RANGE, range, span),
        body: vec![Statement {
            kind: StatementKind::Pass,
            span,
        }],
    };
    Statement { kind, span }
}

/// How many rounds there are.
fn count_of(start: &Expression, stop: &str, step: Option<&str>, span: Span) -> Expression {
    let distance = binary(BinaryOperator::Subtract, named(stop, span), start.clone());
    let count = match step {
        // The next whole number, whatever the sign: minus the floor of minus the quotient.
        Some(step) => divided_up(distance, named(step, span)),
        None => distance,
    };
    call(MAXIMUM, vec![count, integer(0, span)], span)
}

/// The quotient of integers, rounded up.
fn divided_up(number: Expression, by: Expression) -> Expression {
    let span = number.span;
    let negated = binary(BinaryOperator::Subtract, integer(0, span), number);
    let quotient = binary(BinaryOperator::FloorDivide, negated, by);
    binary(BinaryOperator::Subtract, integer(0, span), quotient)
}

/// What changes nothing when it is combined with numbers like `like`.
fn identity(combination: Combination, like: Expression) -> Expression {
    let span = like.span;
    let function = match combination {
        Combination::Add | Combination::Or | Combination::Xor => ZERO_OF,
        Combination::Multiply => ONE_OF,
        Combination::And => ALL_OF,
        Combination::Minimum | Combination::Maximum => return like,
    };
    call(function, vec![like], span)
}

fn combine(combination: Combination, left: Expression, right: Expression) -> Expression {
    let span = left.span;
    let operator = match combination {
        Combination::Add => BinaryOperator::Add,
        Combination::Multiply => BinaryOperator::Multiply,
        Combination::Minimum => return call(MINIMUM, vec![left, right], span),
        Combination::Maximum => return call(MAXIMUM, vec![left, right], span),
        Combination::And => BinaryOperator::BitAnd,
        Combination::Or => BinaryOperator::BitOr,
        Combination::Xor => BinaryOperator::BitXor,
    };
    binary(operator, left, right)
}

fn has_loop(body: &[Statement]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::For { .. } | StatementKind::While { .. } => true,
        StatementKind::If { accept, reject, .. } => has_loop(accept) || has_loop(reject),
        _ => false,
    })
}
