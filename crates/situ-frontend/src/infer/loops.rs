//! `for` loops: over `range`, which count when the kernel runs, and over tuples, which are written out round by round.

use std::collections::BTreeSet;

use situ_ir::{BinaryOperator as Ir, DType, Literal, Span};

use crate::infer::calls::Written;
use crate::infer::library::LibraryFunction;
use crate::infer::operators::ir_binary;
use crate::infer::rounds::Items;
use crate::infer::statements::Assigned;
use crate::infer::value::{LocalType, Number, Static, Value};
use crate::infer::{Inference, assigned, constants, problems};
use crate::looped::Looped;
use crate::syntax::{self, BinaryOperator, ComparisonOperator, Constant, UnaryOperator};
use crate::typed::{Expression, ExpressionKind, ForRange, Statement, StatementKind, Step};

/// How many rounds of loops over tuples a function may be written out as: far more than people write, and few enough
/// to compile in seconds. Loops inside of others multiply.
const MAX_ROUNDS: usize = 1000;

/// The loops over tuples around the statement that is read.
#[derive(Default)]
pub(super) struct Unrolling {
    /// The round of each of them, outermost first.
    pub(super) rounds: Vec<usize>,
    /// Names that may stand for something else in each round.
    given_anew: BTreeSet<String>,
    /// Those of them that do.
    several: BTreeSet<String>,
    /// Such names after their loop.
    pub(super) ended: BTreeSet<String>,
    /// How often the statement is written, less one.
    repeated: usize,
}

impl Inference<'_, '_, '_> {
    pub(super) fn for_loop(
        &mut self,
        target: &syntax::Expression,
        iterable: &syntax::Expression,
        body: &[syntax::Statement],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let looped = self.looped(iterable);
        let (range, is_backwards) = match looped {
            Some(Looped::Backwards(items)) => (self.range_call(items), true),
            _ => (self.range_call(iterable), false),
        };
        if let Some(range) = range {
            let bounds = self.range_bounds(range, is_backwards, out);
            if let Some(loop_) = self.for_range(target, bounds, body) {
                let kind = StatementKind::For(loop_);
                out.push(Statement { kind, span });
            }
            return;
        }
        match self.items(iterable, span, out) {
            Some(items) => self.unrolled((target, iterable.span), &items, body, span, out),
            None => {
                // The body may have mistakes of its own to show.
                self.block(body);
            }
        }
    }

    /// What is looped over, unless the user has given one of the functions another meaning.
    pub(super) fn looped<'s>(&self, iterable: &'s syntax::Expression) -> Option<Looped<'s>> {
        let is_builtin = match &iterable.kind {
            syntax::ExpressionKind::Call { function, .. } => match &function.kind {
                syntax::ExpressionKind::Name(name) => {
                    let bindings = self.subject.bindings;
                    let is_own = self.locals.contains_key(name)
                        || self.assigned.contains(name.as_str())
                        || bindings.contains_key(name);
                    !is_own
                }
                _ => false,
            },
            _ => true,
        };
        is_builtin.then(|| Looped::of(iterable)).flatten()
    }

    // ----- over ranges -----

    /// The arguments of a call of `range`; `None` for everything else.
    pub(super) fn range_call<'s>(
        &mut self,
        iterable: &'s syntax::Expression,
    ) -> Option<Written<'s>> {
        let syntax::ExpressionKind::Call {
            function,
            arguments,
            keywords,
        } = &iterable.kind
        else {
            return None;
        };
        // Whoever evaluates the call reports what is wrong with its function.
        let reported = self.failure.own.len();
        let callee = self.value(function);
        self.failure.own.truncate(reported);
        let is_range = matches!(
            callee,
            Value::Static(Static::Library(LibraryFunction::Range))
        );
        is_range.then_some(Written {
            name: "range",
            arguments,
            keywords,
            span: iterable.span,
        })
    }

    fn for_range(
        &mut self,
        target: &syntax::Expression,
        bounds: Option<(Expression, Expression, Step)>,
        body: &[syntax::Statement],
    ) -> Option<ForRange> {
        let variable = if let syntax::ExpressionKind::Name(name) = &target.kind {
            let ty = self.join(name, LocalType::Scalar(DType::I64), target.span);
            match ty {
                Some(LocalType::Scalar(dtype)) => {
                    let variable = self.variable_id(name, 0, dtype);
                    self.note_unknown(variable);
                    Some(variable)
                }
                _ => None,
            }
        } else {
            // What is looped over is the more important mistake.
            if bounds.is_some() {
                self.report(problems::loop_target(target.span));
            }
            None
        };
        let body = self.block(body);
        let (start, stop, step) = bounds?;
        Some(ForRange {
            variable: variable?,
            start,
            stop,
            step,
            body,
        })
    }

    /// Where a loop over a `range` starts, where it stops and how it counts.
    fn range_bounds(
        &mut self,
        range: Written<'_>,
        is_backwards: bool,
        out: &mut Vec<Statement>,
    ) -> Option<(Expression, Expression, Step)> {
        let span = range.span;
        let numbers = self.range_numbers(range)?;
        let [start, stop, step] = self.checked_range(numbers, range, out);
        let [start, stop, step] = if is_backwards {
            self.reversed([start, stop, step], span, out)?
        } else {
            [start, stop, step]
        };
        let step = match step {
            Number::Constant(step) => Step::Constant(constants::as_int(step)? as i64),
            Number::Typed(step) => Step::Dynamic(step),
        };
        let start = self.convert(start, DType::I64, span)?;
        let stop = self.convert(stop, DType::I64, span)?;
        Some((start, stop, step))
    }

    /// The start, the stop and the step of a `range`: `int64`, or known now.
    pub(super) fn range_numbers(&mut self, range: Written<'_>) -> Option<[Number; 3]> {
        if !self.check_count(range, 1, 3) {
            return None;
        }
        let numbers: Vec<_> = range
            .arguments
            .iter()
            .map(|argument| self.range_argument(argument))
            .collect();
        let mut numbers = numbers.into_iter().collect::<Option<Vec<_>>>()?.into_iter();
        let zero = Number::Constant(Constant::Int(0));
        let one = Number::Constant(Constant::Int(1));
        let first = numbers.next()?;
        let (start, stop) = match numbers.next() {
            Some(stop) => (first, stop),
            None => (zero, first),
        };
        let step = numbers.next().unwrap_or(one);
        if matches!(step, Number::Constant(Constant::Int(0))) && !self.program.options.is_host() {
            let span = range.arguments.last().map_or(range.span, |step| step.span);
            self.report(problems::zero_step(span));
            return None;
        }
        Some([start, stop, step])
    }

    fn range_argument(&mut self, argument: &syntax::Expression) -> Option<Number> {
        let number = self.number(argument)?;
        let dtype = self.own_dtype(&number);
        if !dtype.is_integer() && !dtype.is_bool() {
            let culprit = self.culprit(argument);
            let problem = problems::range_type(&number.describe(), culprit, argument.span);
            self.report(problem);
            return None;
        }
        let converted = self.convert(number, DType::I64, argument.span)?;
        Some(match converted.kind {
            ExpressionKind::Literal(Literal::I64(value)) => {
                Number::Constant(Constant::Int(i128::from(value)))
            }
            _ => Number::Typed(converted),
        })
    }

    /// The bounds of a loop through the numbers of a range from the last one to the first.
    ///
    /// The last number is `start + (stop - start - sign) // step * step`, where `sign` is that of the step. For a range
    /// without numbers this is before the start, so that the loop ends at once.
    fn reversed(
        &mut self,
        [start, stop, step]: [Number; 3],
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<[Number; 3]> {
        let mut once = |this: &mut Self, number: Number| match number {
            Number::Constant(_) => number,
            Number::Typed(number) => Number::Typed(this.bind(number, span, out)),
        };
        let start = once(self, start);
        let stop = once(self, stop);
        let step = once(self, step);
        let sign = self.sign_of(&step, span)?;
        let last = if matches!(step, Number::Constant(Constant::Int(1 | -1))) {
            self.binary(BinaryOperator::Subtract, stop, sign.clone(), span)?
        } else {
            let distance = self.binary(BinaryOperator::Subtract, stop, start.clone(), span)?;
            let distance = self.binary(BinaryOperator::Subtract, distance, sign.clone(), span)?;
            let steps = self.binary(BinaryOperator::FloorDivide, distance, step.clone(), span)?;
            let length = self.binary(BinaryOperator::Multiply, steps, step.clone(), span)?;
            self.binary(BinaryOperator::Add, start.clone(), length, span)?
        };
        let before_first = self.binary(BinaryOperator::Subtract, start, sign, span)?;
        let back = self.unary(UnaryOperator::Negate, step, span)?;
        Some([last, before_first, back])
    }

    /// 1 for a positive number, else -1.
    fn sign_of(&mut self, number: &Number, span: Span) -> Option<Number> {
        let [zero, up, down] = [0, 1, -1].map(|value| Number::Constant(Constant::Int(value)));
        match self.compare(ComparisonOperator::Greater, number.clone(), zero, span)? {
            Number::Constant(is_up) if constants::truth(is_up) => Some(up),
            Number::Constant(_) => Some(down),
            Number::Typed(is_up) => self.choose(is_up, up, down, span),
        }
    }

    // ----- over tuples -----

    /// Writes the rounds of a loop one after the other.
    fn unrolled(
        &mut self,
        (target, iterable_span): (&syntax::Expression, Span),
        items: &Items,
        body: &[syntax::Statement],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let count = items.count();
        let around = self.unrolling.repeated;
        let written = (around + 1).saturating_mul(count.max(1));
        if written > MAX_ROUNDS {
            self.report(problems::too_many_rounds(
                written,
                MAX_ROUNDS,
                iterable_span,
            ));
            return;
        }
        self.unrolling.repeated = written - 1;
        let names = self.names_of_loop(target, body);
        let outer = self.unrolling.given_anew.clone();
        let given = names.iter().map(|name| (*name).to_owned());
        self.unrolling.given_anew.extend(given);
        let mut rounds = Vec::with_capacity(count);
        for round in 0..count {
            self.unrolling.rounds.push(round);
            let value = items.item(self, round, iterable_span);
            rounds.push(self.round(target, value, iterable_span, body, span));
            self.unrolling.rounds.pop();
        }
        self.unrolling.given_anew = outer;
        for name in names {
            if self.unrolling.several.remove(name) {
                self.locals.remove(name);
                self.unrolling.ended.insert(name.to_owned());
            }
        }
        self.unrolling.repeated = around;
        if rounds.iter().flatten().any(jumps) {
            out.push(self.counted(rounds, span));
        } else {
            out.extend(rounds.into_iter().flatten());
        }
    }

    /// One round: the target gets its item, then the body.
    fn round(
        &mut self,
        target: &syntax::Expression,
        value: Value,
        value_span: Span,
        body: &[syntax::Statement],
        span: Span,
    ) -> Vec<Statement> {
        let outer = std::mem::take(&mut self.before);
        let mut assignment = Vec::new();
        let assigned = Assigned {
            value,
            value_span,
            span,
        };
        self.assign(target, assigned, &mut assignment);
        let mut code = std::mem::replace(&mut self.before, outer);
        code.append(&mut assignment);
        code.append(&mut self.block(body));
        code
    }

    /// Rounds as a loop that counts and chooses the round, so that `break` and `continue` mean what they say.
    fn counted(&mut self, rounds: Vec<Vec<Statement>>, span: Span) -> Statement {
        let name = format!("situ__round{}", self.unrolling.rounds.len());
        let variable = self.variable_id(&name, 0, DType::I64);
        let literal = |number: usize| Expression::literal(Literal::I64(number as i64), span);
        let count = rounds.len();
        let chosen = rounds.into_iter().enumerate().rev();
        let body = chosen.fold(Vec::new(), |reject, (number, accept)| {
            let now = Expression::new(ExpressionKind::Variable(variable), DType::I64, span);
            let kind = StatementKind::If {
                condition: ir_binary(Ir::Equal, now, literal(number), span),
                accept,
                reject,
            };
            vec![Statement { kind, span }]
        });
        let kind = StatementKind::For(ForRange {
            variable,
            start: literal(0),
            stop: literal(count),
            step: Step::Constant(1),
            body,
        });
        Statement { kind, span }
    }

    // ----- names that stand for something else in each round -----

    /// The names that one place in this loop assigns: they may stand for another array or function in each round.
    fn names_of_loop<'t>(
        &self,
        target: &'t syntax::Expression,
        body: &'t [syntax::Statement],
    ) -> BTreeSet<&'t str> {
        let mut names = BTreeSet::new();
        assigned::collect_target(target, &mut names);
        assigned::collect(body, &mut names);
        let function = self.subject.syntax;
        names.retain(|name| assigned::is_assigned_once(function, name));
        names
    }

    /// Whether a name gets something for the round that is written.
    pub(super) fn is_given_anew(&self, name: &str, ty: &LocalType) -> bool {
        let has_no_dtype =
            |ty: &LocalType| matches!(ty, LocalType::Static(_) | LocalType::Object { .. });
        let known = self.locals.get(name);
        self.unrolling.given_anew.contains(name)
            && has_no_dtype(ty)
            && known.is_none_or(|local| has_no_dtype(&local.ty))
    }

    /// Lets a name stand for something in the round that is written.
    pub(super) fn give_anew(&mut self, name: &str, ty: LocalType, span: Span) -> LocalType {
        let local = super::Local {
            ty: ty.clone(),
            since: span,
            parameter: None,
        };
        self.unrolling.ended.remove(name);
        let before = self.locals.insert(name.to_owned(), local);
        if before.is_some_and(|before| before.ty != ty) {
            self.unrolling.several.insert(name.to_owned());
        }
        ty
    }
}

/// Whether a statement leaves a round of the loop around it.
fn jumps(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Break | StatementKind::Continue => true,
        StatementKind::If { accept, reject, .. } => accept.iter().chain(reject).any(jumps),
        _ => false,
    }
}
