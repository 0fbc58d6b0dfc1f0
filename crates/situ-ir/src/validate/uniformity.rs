//! What is the same for all work-items of a group.
//!
//! Two questions are answered together, because each depends on the other:
//!
//! * Which expressions, values and variables are *uniform*: every work-item of the group that gets to
//!   the same point has the same there? Everything else *varies*.
//! * Where is control flow *divergent*: some work-items of the group may be there while others are not?
//!
//! Things vary that come from ids of the work-item or sub-group, private arrays, old contents given by
//! atomics, scans and sub-group collectives, calls of functions that use such things, and variables that
//! are assigned in divergent control flow. A private array that is only written by calls, to return
//! more than one number, is uniform if their results are. Loads from global and local memory at a uniform address are
//! uniform: if another work-item wrote there in between, that would be a race. In a device function,
//! parameters vary.
//!
//! Control flow is divergent inside an `If` or `Loop` whose condition varies; after a divergent `Break`
//! or `Continue`, for the rest of the round; in the whole of a loop that has a divergent `Break` or
//! `Return`, because it was perhaps taken in an earlier round; and after a divergent `Return`, for the
//! rest of the function.
//!
//! The analysis walks the function until nothing changes. What was found to vary stays so, so that it
//! ends; each walk is linear in the size of the function. Variables are not followed from assignment to
//! assignment: one that varies somewhere varies everywhere.

use super::FunctionInfo;
use crate::arena::Handle;
use crate::expression::{Expression, WorkItemQuery};
use crate::module::{ArrayVariable, Function, Value, Variable};
use crate::span::Span;
use crate::statement::{Block, CollectiveOperation, CollectiveScope, Statement, StatementKind};
use crate::types::AddressSpace;

/// Why something varies. Values and variables have reasons of their own; following them ends, because
/// a reason only ever names what was known to vary before.
#[derive(Clone, Copy)]
pub(super) enum Reason {
    Query(WorkItemQuery),
    PrivateArray(Handle<ArrayVariable>),
    Parameter(u32),
    Value(Handle<Value>),
    Variable(Handle<Variable>),
    Atomic,
    Collective,
    Call(Handle<Function>),
    /// It is assigned where only some work-items get to, because of this condition.
    Divergent(Handle<Expression>),
}

/// What makes control flow divergent.
#[derive(Clone, Copy)]
pub(super) struct Cause {
    /// The condition that varies.
    pub(super) condition: Handle<Expression>,
    pub(super) reason: Reason,
    /// The jump by which some work-items went elsewhere, if it was not the condition itself.
    pub(super) jump: Option<(&'static str, Span)>,
}

/// A barrier or collective in divergent control flow.
pub(super) struct DivergentMeeting {
    pub(super) what: &'static str,
    pub(super) span: Span,
    pub(super) cause: Cause,
}

/// The answers, for one function.
pub(super) struct Uniformity {
    expressions: Vec<Option<Reason>>,
    values: Vec<Option<Reason>>,
    variables: Vec<Option<Reason>>,
    /// Contents of private arrays.
    arrays: Vec<Option<Reason>>,
    /// Barriers and collectives that not every work-item may reach.
    pub(super) divergent_meetings: Vec<DivergentMeeting>,
}

impl Uniformity {
    /// Why an expression varies, or `None` if it is uniform.
    pub(super) fn reason(&self, expression: Handle<Expression>) -> Option<Reason> {
        self.expressions[expression.index()]
    }

    /// The reason that is not itself a value or variable, and the last name on the way to it.
    pub(super) fn root(&self, function: &Function, mut reason: Reason) -> (Reason, Option<String>) {
        let mut name = None;
        loop {
            let next = match reason {
                Reason::Value(value) => {
                    name = Some(function.values[value].name.clone());
                    self.values[value.index()]
                }
                Reason::Variable(variable) => {
                    name = Some(function.variables[variable].name.clone());
                    self.variables[variable.index()]
                }
                _ => None,
            };
            match next {
                Some(next) => reason = next,
                None => return (reason, name),
            }
        }
    }

    pub(super) fn uniform_expressions(&self) -> Vec<bool> {
        self.expressions.iter().map(Option::is_none).collect()
    }

    pub(super) fn uniform_values(&self) -> Vec<bool> {
        self.values.iter().map(Option::is_none).collect()
    }

    pub(super) fn uniform_variables(&self) -> Vec<bool> {
        self.variables.iter().map(Option::is_none).collect()
    }
}

/// Analyses a function whose handles are known to exist.
pub(super) fn analyse(function: &Function, earlier: &[FunctionInfo]) -> Uniformity {
    let mut walk = Walk {
        function,
        earlier,
        found: Uniformity {
            expressions: vec![None; function.expressions.len()],
            values: vec![None; function.values.len()],
            variables: vec![None; function.variables.len()],
            arrays: vec![None; function.arrays.len()],
            divergent_meetings: Vec::new(),
        },
        pointed_at: vec![None; function.values.len()],
        loops: Vec::new(),
        loops_seen: 0,
        around: Vec::new(),
        returned: None,
        is_in_round: false,
        changed: true,
    };
    while walk.changed {
        walk.changed = false;
        walk.expressions();
        walk.start();
        walk.block(&function.body, None);
    }
    walk.found
}

struct Walk<'a> {
    function: &'a Function,
    earlier: &'a [FunctionInfo],
    found: Uniformity,
    /// The private array that each value points into, if it does.
    pointed_at: Vec<Option<Handle<ArrayVariable>>>,
    /// What makes each loop divergent by leaving it, in the order the loops are met; kept from walk
    /// to walk, because it counts for the rounds before it was found.
    loops: Vec<Option<Cause>>,
    loops_seen: usize,
    /// The loops around the current statement.
    around: Vec<Frame>,
    /// A divergent `Return` that came earlier.
    returned: Option<Cause>,
    /// Whether the current statement is part of a round of a `Parallel`.
    is_in_round: bool,
    changed: bool,
}

/// A loop while its body is walked.
struct Frame {
    position: usize,
    /// A divergent `Break` or `Continue` earlier in the round.
    left_round: Option<Cause>,
}

impl Walk<'_> {
    fn start(&mut self) {
        self.found.divergent_meetings.clear();
        self.loops_seen = 0;
        self.returned = None;
    }

    /// Brings the expressions up to date with the values and variables. The first reason found is
    /// kept: later ones may be consequences of it.
    fn expressions(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            if self.found.expressions[handle.index()].is_some() {
                continue;
            }
            let found = &self.found;
            let reason = match expression {
                Expression::Parameter(position) => {
                    (!self.function.is_kernel()).then_some(Reason::Parameter(*position))
                }
                Expression::Value(value) => {
                    found.values[value.index()].map(|_| Reason::Value(*value))
                }
                Expression::Variable(variable) => {
                    found.variables[variable.index()].map(|_| Reason::Variable(*variable))
                }
                Expression::Array(array) => {
                    found.arrays[array.index()].map(|_| Reason::PrivateArray(*array))
                }
                Expression::WorkItem(query) => {
                    (!query.is_group_uniform()).then_some(Reason::Query(*query))
                }
                _ => {
                    let mut reason = None;
                    expression.for_each_operand(|operand| {
                        reason = reason.or(found.expressions[operand.index()]);
                    });
                    reason
                }
            };
            self.found.expressions[handle.index()] = reason;
        }
    }

    /// Walks a block that is entered with some divergence.
    fn block(&mut self, block: &Block, entered: Option<Cause>) {
        for statement in &block.statements {
            let left_round = self.around.last().and_then(|frame| frame.left_round);
            let divergence = entered.or(left_round).or(self.returned);
            self.statement(statement, divergence);
        }
    }

    fn statement(&mut self, statement: &Statement, divergence: Option<Cause>) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                self.pointed_at[value.index()] = self.private_array(*expression);
                self.vary_value(*value, self.found.reason(*expression));
            }
            StatementKind::Assign {
                variable,
                expression,
            } => {
                let reason = self.found.reason(*expression);
                self.vary_variable(
                    *variable,
                    reason.or(divergence.map(|cause| Reason::Divergent(cause.condition))),
                );
            }
            StatementKind::Atomic(atomic) => {
                if let Some(result) = atomic.result {
                    self.vary_value(result, Some(Reason::Atomic));
                }
            }
            StatementKind::Call {
                function,
                arguments,
                result,
            } => {
                let reason = self.call(*function, arguments);
                if let Some(result) = result {
                    self.vary_value(*result, reason);
                }
                let reason = reason.or(divergence.map(|cause| Reason::Divergent(cause.condition)));
                self.vary_written_arrays(*function, arguments, reason);
            }
            StatementKind::Collective(collective) => {
                if let Some(cause) = divergence {
                    self.meeting("a collective", span, cause);
                }
                let shared = collective.scope == CollectiveScope::WorkGroup
                    && !matches!(
                        collective.operation,
                        CollectiveOperation::InclusiveScan(_)
                            | CollectiveOperation::ExclusiveScan(_)
                    );
                let reason = (!shared).then_some(Reason::Collective);
                self.vary_value(collective.result, reason);
            }
            StatementKind::Barrier(_) => {
                if let Some(cause) = divergence {
                    self.meeting("a barrier", span, cause);
                }
            }
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                let inside = divergence.or(self.varying_condition(*condition));
                self.block(accept, inside);
                self.block(reject, inside);
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => self.repeat(*condition, body, step, divergence),
            StatementKind::Parallel(parallel) => {
                // Its rounds meet nobody, and what they assign is theirs. `Return` only ends a round.
                let around = std::mem::replace(&mut self.is_in_round, true);
                self.block(&parallel.body, divergence);
                self.is_in_round = around;
            }
            StatementKind::Return(_) if self.is_in_round => {}
            StatementKind::Break => self.leave_round("break", span, divergence, true),
            StatementKind::Continue => self.leave_round("continue", span, divergence, false),
            StatementKind::Return(_) => self.leave_function(span, divergence),
            StatementKind::Store { pointer, .. } => {
                if let Some(array) = self.private_array(*pointer) {
                    self.vary_array(array, Some(Reason::PrivateArray(array)));
                }
            }
            StatementKind::Prefetch { .. } | StatementKind::Fence { .. } => {}
        }
    }

    fn repeat(
        &mut self,
        condition: Option<Handle<Expression>>,
        body: &Block,
        step: &Block,
        divergence: Option<Cause>,
    ) {
        let position = self.loops_seen;
        self.loops_seen += 1;
        if self.loops.len() == position {
            self.loops.push(None);
        }
        let varying = condition.and_then(|condition| self.varying_condition(condition));
        // A jump comes before the condition: it is often what makes the condition vary.
        let inside = divergence.or(self.loops[position]).or(varying);
        self.around.push(Frame {
            position,
            left_round: None,
        });
        self.block(body, inside);
        self.around.pop();
        // A `Continue` leads to the step, so the whole group is together again there unless some
        // left the loop. Validation keeps jumps out of step blocks, so no frame is needed.
        let inside = divergence.or(self.loops[position]).or(varying);
        self.block(step, inside);
    }

    fn varying_condition(&self, condition: Handle<Expression>) -> Option<Cause> {
        self.found.reason(condition).map(|reason| Cause {
            condition,
            reason,
            jump: None,
        })
    }

    fn leave_round(
        &mut self,
        what: &'static str,
        span: Span,
        divergence: Option<Cause>,
        leaves_loop: bool,
    ) {
        let (Some(cause), Some(frame)) = (divergence, self.around.last_mut()) else {
            return;
        };
        let cause = Cause {
            jump: cause.jump.or(Some((what, span))),
            ..cause
        };
        frame.left_round = frame.left_round.or(Some(cause));
        if leaves_loop {
            let position = frame.position;
            self.diverge_loop(position, cause);
        }
    }

    fn leave_function(&mut self, span: Span, divergence: Option<Cause>) {
        let Some(cause) = divergence else {
            return;
        };
        let cause = Cause {
            jump: cause.jump.or(Some(("return", span))),
            ..cause
        };
        self.returned = self.returned.or(Some(cause));
        for index in 0..self.around.len() {
            self.diverge_loop(self.around[index].position, cause);
        }
    }

    fn diverge_loop(&mut self, position: usize, cause: Cause) {
        if self.loops[position].is_none() {
            self.loops[position] = Some(cause);
            self.changed = true;
        }
    }

    /// Why the result of a call varies.
    fn call(&self, callee: Handle<Function>, arguments: &[Handle<Expression>]) -> Option<Reason> {
        let varies = self
            .earlier
            .get(callee.index())
            .is_none_or(|info| info.result_varies);
        let from_arguments = || {
            arguments
                .iter()
                .find_map(|argument| self.found.reason(*argument))
        };
        varies
            .then_some(Reason::Call(callee))
            .or_else(from_arguments)
    }

    /// Notes what a call does to the private arrays that it is given.
    fn vary_written_arrays(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
        reason: Option<Reason>,
    ) {
        let Some(info) = self.earlier.get(callee.index()) else {
            return;
        };
        for (argument, access) in arguments.iter().zip(&info.parameter_access) {
            if let Some(array) = self.private_array(*argument).filter(|_| access.writes) {
                self.vary_array(array, reason);
            }
        }
    }

    /// The private array that a pointer points into.
    fn private_array(&self, mut pointer: Handle<Expression>) -> Option<Handle<ArrayVariable>> {
        loop {
            match &self.function.expressions[pointer] {
                Expression::Offset { pointer: start, .. } => pointer = *start,
                Expression::Value(value) => return self.pointed_at[value.index()],
                Expression::Array(array) => {
                    let space = self.function.arrays[*array].space;
                    return (space == AddressSpace::Private).then_some(*array);
                }
                _ => return None,
            }
        }
    }

    fn meeting(&mut self, what: &'static str, span: Span, cause: Cause) {
        self.found
            .divergent_meetings
            .push(DivergentMeeting { what, span, cause });
    }

    fn vary_value(&mut self, value: Handle<Value>, reason: Option<Reason>) {
        let known = &mut self.found.values[value.index()];
        if known.is_none() && reason.is_some() {
            *known = reason;
            self.changed = true;
        }
    }

    fn vary_array(&mut self, array: Handle<ArrayVariable>, reason: Option<Reason>) {
        let known = &mut self.found.arrays[array.index()];
        if known.is_none() && reason.is_some() {
            *known = reason;
            self.changed = true;
        }
    }

    fn vary_variable(&mut self, variable: Handle<Variable>, reason: Option<Reason>) {
        let known = &mut self.found.variables[variable.index()];
        if known.is_none() && reason.is_some() {
            *known = reason;
            self.changed = true;
        }
    }
}
