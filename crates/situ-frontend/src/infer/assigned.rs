//! Is every variable assigned before it is used?
//!
//! Python finds out when it runs and raises `UnboundLocalError`. A kernel cannot raise, so every path
//! to a use must contain an assignment. The check walks the statements once with the set of names
//! that are certainly assigned; where paths meet, only what all of them assigned stays.

use std::collections::BTreeSet;

use situ_ir::Span;

use crate::looped::Looped;
use crate::syntax::{
    Constant, Expression, ExpressionKind, Function, Identifier, MessagePart, Statement,
    StatementKind, UnaryOperator,
};

/// The names a function assigns, parameters not included.
pub(crate) fn assigned_names(function: &Function) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    collect(&function.body, &mut names);
    names
}

pub(crate) fn collect<'a>(body: &'a [Statement], names: &mut BTreeSet<&'a str>) {
    for statement in body {
        match &statement.kind {
            StatementKind::Assign { targets, .. } => {
                for target in targets {
                    collect_target(target, names);
                }
            }
            StatementKind::AugmentedAssign { target, .. } => collect_target(target, names),
            StatementKind::If { accept, reject, .. } => {
                collect(accept, names);
                collect(reject, names);
            }
            StatementKind::While { body, .. } => collect(body, names),
            StatementKind::For { target, body, .. } => {
                collect_target(target, names);
                collect(body, names);
            }
            StatementKind::Function(function) => {
                names.insert(&function.name.name);
            }
            StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(_)
            | StatementKind::Expression(_)
            | StatementKind::Assert { .. }
            | StatementKind::Print(_)
            | StatementKind::Raise { .. }
            | StatementKind::Pass => {}
        }
    }
}

pub(crate) fn collect_target<'a>(target: &'a Expression, names: &mut BTreeSet<&'a str>) {
    match &target.kind {
        ExpressionKind::Name(name) => {
            names.insert(name);
        }
        ExpressionKind::Tuple(targets) => {
            for target in targets {
                collect_target(target, names);
            }
        }
        _ => {}
    }
}

/// The value of a name that is assigned once, by a plain assignment; `None` for parameters and for
/// names that are assigned more often or in another way.
pub(crate) fn only_value<'a>(function: &'a Function, name: &str) -> Option<&'a Expression> {
    let is_name =
        |target: &Expression| matches!(&target.kind, ExpressionKind::Name(other) if other == name);
    if function.parameters.iter().any(|known| known.name == name) {
        return None;
    }
    let mut values = Vec::new();
    let mut is_plain = true;
    for_each_statement(&function.body, &mut |statement| {
        let mut names = BTreeSet::new();
        match &statement.kind {
            StatementKind::Assign { targets, value } if targets.iter().any(is_name) => {
                values.push(value);
            }
            StatementKind::Assign { targets, .. } => {
                for target in targets {
                    collect_target(target, &mut names);
                }
            }
            StatementKind::AugmentedAssign { target, .. } | StatementKind::For { target, .. } => {
                collect_target(target, &mut names);
            }
            StatementKind::Function(inner) => {
                names.insert(inner.name.name.as_str());
            }
            _ => {}
        }
        is_plain &= !names.contains(name);
    });
    match values.as_slice() {
        [only] if is_plain => Some(only),
        _ => None,
    }
}

/// Whether one statement of a function gives something to a name, and it is no parameter.
pub(crate) fn is_assigned_once(function: &Function, name: &str) -> bool {
    let mut count = 0;
    for_each_statement(&function.body, &mut |statement| {
        let mut names = BTreeSet::new();
        match &statement.kind {
            StatementKind::Assign { targets, .. } => {
                for target in targets {
                    collect_target(target, &mut names);
                }
            }
            StatementKind::AugmentedAssign { target, .. } | StatementKind::For { target, .. } => {
                collect_target(target, &mut names);
            }
            StatementKind::Function(inner) => {
                names.insert(inner.name.name.as_str());
            }
            _ => {}
        }
        count += usize::from(names.contains(name));
    });
    count == 1 && function.parameters.iter().all(|known| known.name != name)
}

/// The names that a function uses and does not define: parameters and variables of the function
/// around it, and what is global.
pub(crate) fn free_names(function: &Function) -> Vec<Identifier> {
    let own = assigned_names(function);
    let mut names: Vec<Identifier> = Vec::new();
    for_each_expression(&function.body, &mut |each| {
        let ExpressionKind::Name(name) = &each.kind else {
            return;
        };
        let known = function.parameters.iter().chain(&names);
        let is_known =
            own.contains(name.as_str()) || known.into_iter().any(|known| known.name == *name);
        if !is_known {
            names.push(Identifier {
                name: name.clone(),
                span: each.span,
            });
        }
    });
    names
}

/// The `def` of a name inside of a function.
pub(crate) fn inner_definition<'a>(function: &'a Function, name: &str) -> Option<&'a Function> {
    let mut found = None;
    for_each_statement(&function.body, &mut |statement| {
        if let StatementKind::Function(inner) = &statement.kind
            && inner.name.name == name
        {
            found = Some(&**inner);
        }
    });
    found
}

/// Calls `visit` with each statement, those inside of others included.
fn for_each_statement<'a>(body: &'a [Statement], visit: &mut impl FnMut(&'a Statement)) {
    for statement in body {
        visit(statement);
        match &statement.kind {
            StatementKind::If { accept, reject, .. } => {
                for_each_statement(accept, visit);
                for_each_statement(reject, visit);
            }
            StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
                for_each_statement(body, visit);
            }
            _ => {}
        }
    }
}

/// Finds variables that some path does not assign before they are used, and the first use of each.
pub(crate) fn check(function: &Function) -> Vec<(&str, Span)> {
    let mut checker = Checker {
        locals: assigned_names(function),
        reported: BTreeSet::new(),
        breaks: Vec::new(),
        found: Vec::new(),
    };
    let start: BTreeSet<_> = function
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    checker.block(&function.body, Some(start));
    checker.found
}

/// What is certainly assigned; `None` where the code cannot be reached.
type State<'a> = Option<BTreeSet<&'a str>>;

struct Checker<'a> {
    locals: BTreeSet<&'a str>,
    reported: BTreeSet<&'a str>,
    /// For each loop around, what is assigned where it is left by `break`.
    breaks: Vec<State<'a>>,
    /// Names, and where they are used.
    found: Vec<(&'a str, Span)>,
}

impl<'a> Checker<'a> {
    fn block(&mut self, body: &'a [Statement], mut state: State<'a>) -> State<'a> {
        for statement in body {
            state = self.statement(statement, state);
        }
        state
    }

    fn statement(&mut self, statement: &'a Statement, mut state: State<'a>) -> State<'a> {
        match &statement.kind {
            StatementKind::Assign { targets, value } => {
                self.uses(value, &state);
                for target in targets {
                    self.assign(target, &mut state);
                }
                state
            }
            StatementKind::AugmentedAssign { target, value, .. } => {
                self.uses(target, &state);
                self.uses(value, &state);
                self.assign(target, &mut state);
                state
            }
            StatementKind::If {
                test,
                accept,
                reject,
            } => {
                self.uses(test, &state);
                let accepted = self.block(accept, state.clone());
                let rejected = self.block(reject, state);
                meet(accepted, rejected)
            }
            StatementKind::While { test, body } => {
                self.uses(test, &state);
                let runs_forever = is_always_true(test);
                self.loop_body(body, state.clone());
                let left = self.breaks.pop().flatten();
                if runs_forever {
                    left
                } else {
                    meet(state, left)
                }
            }
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                self.uses(iterable, &state);
                let mut inside = state.clone();
                self.assign(target, &mut inside);
                let after_body = self.loop_body(body, inside);
                let left = self.breaks.pop().flatten();
                let ended = if runs_at_least_once(iterable) {
                    after_body
                } else {
                    state
                };
                meet(ended, left)
            }
            StatementKind::Break => {
                if let Some(breaks) = self.breaks.last_mut() {
                    *breaks = meet(breaks.take(), state);
                }
                None
            }
            // The next round starts with what the first one started with, at least.
            StatementKind::Continue => None,
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.uses(value, &state);
                }
                None
            }
            StatementKind::Expression(value) => {
                self.uses(value, &state);
                state
            }
            StatementKind::Assert { test, parts } => {
                self.uses(test, &state);
                for value in parts.iter().filter_map(MessagePart::value) {
                    self.uses(value, &state);
                }
                state
            }
            StatementKind::Print(parts) => {
                for value in parts.iter().filter_map(MessagePart::value) {
                    self.uses(value, &state);
                }
                state
            }
            StatementKind::Raise { parts, .. } => {
                for value in parts.iter().filter_map(MessagePart::value) {
                    self.uses(value, &state);
                }
                None
            }
            StatementKind::Function(function) => {
                if let Some(assigned) = &mut state {
                    assigned.insert(&function.name.name);
                }
                state
            }
            StatementKind::Pass => state,
        }
    }

    /// Walks a loop's body and tells what is certain after one round; what its `break`s assign stays
    /// on [`Checker::breaks`].
    fn loop_body(&mut self, body: &'a [Statement], state: State<'a>) -> State<'a> {
        self.breaks.push(None);
        let end = self.block(body, state.clone());
        // A round that ends early by `continue` is certain only of what it started with.
        if contains_continue(body) { state } else { end }
    }

    fn assign(&mut self, target: &'a Expression, state: &mut State<'a>) {
        match &target.kind {
            ExpressionKind::Name(name) => {
                if let Some(assigned) = state {
                    assigned.insert(name);
                }
            }
            ExpressionKind::Tuple(targets) => {
                for target in targets {
                    self.assign(target, state);
                }
            }
            _ => self.uses(target, state),
        }
    }

    fn uses(&mut self, expression: &'a Expression, state: &State<'a>) {
        let Some(assigned) = state else { return };
        for_each_name(expression, &mut |name, span| {
            let is_missing = self.locals.contains(name) && !assigned.contains(name);
            if is_missing && self.reported.insert(name) {
                self.found.push((name, span));
            }
        });
    }
}

/// What is assigned on both of two paths.
fn meet<'a>(left: State<'a>, right: State<'a>) -> State<'a> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.intersection(&right).copied().collect()),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => None,
    }
}

fn is_always_true(test: &Expression) -> bool {
    matches!(
        test.kind,
        ExpressionKind::Constant(Constant::Bool(true) | Constant::Int(1))
    )
}

/// Whether a tuple that is written out, or a `range` of constants, is not empty.
fn runs_at_least_once(iterable: &Expression) -> bool {
    match Looped::of(iterable) {
        Some(Looped::Each(items)) => {
            return matches!(&items.kind, ExpressionKind::Tuple(items) if !items.is_empty());
        }
        Some(looped) => return looped.parts().iter().all(runs_at_least_once),
        None => {}
    }
    let ExpressionKind::Call { arguments, .. } = &iterable.kind else {
        return false;
    };
    let constants: Option<Vec<_>> = arguments.iter().map(integer).collect();
    match constants.as_deref() {
        Some([stop]) => *stop > 0,
        Some([start, stop]) => start < stop,
        Some([start, stop, step]) => (*step > 0 && start < stop) || (*step < 0 && start > stop),
        _ => false,
    }
}

fn integer(expression: &Expression) -> Option<i128> {
    match &expression.kind {
        ExpressionKind::Constant(Constant::Int(value)) => Some(*value),
        ExpressionKind::Unary {
            operator: UnaryOperator::Negate,
            operand,
        } => integer(operand).map(|value| -value),
        _ => None,
    }
}

/// Whether a `continue` ends a round of the loop with this body.
fn contains_continue(body: &[Statement]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Continue => true,
        StatementKind::If { accept, reject, .. } => {
            contains_continue(accept) || contains_continue(reject)
        }
        _ => false,
    })
}

/// Calls `visit` with each name that is read, in the order of evaluation.
pub(crate) fn for_each_name<'a>(expression: &'a Expression, visit: &mut impl FnMut(&'a str, Span)) {
    visit_expression(expression, &mut |each| {
        if let ExpressionKind::Name(name) = &each.kind {
            visit(name, each.span);
        }
    });
}

/// Calls `visit` with each expression of the statements, those inside of others included.
pub(crate) fn for_each_expression<'a>(
    body: &'a [Statement],
    visit: &mut impl FnMut(&'a Expression),
) {
    for statement in body {
        match &statement.kind {
            StatementKind::Assign { targets, value } => {
                visit_expression(value, visit);
                for target in targets {
                    visit_expression(target, visit);
                }
            }
            StatementKind::AugmentedAssign { target, value, .. } => {
                visit_expression(target, visit);
                visit_expression(value, visit);
            }
            StatementKind::If {
                test,
                accept,
                reject,
            } => {
                visit_expression(test, visit);
                for_each_expression(accept, visit);
                for_each_expression(reject, visit);
            }
            StatementKind::While { test, body } => {
                visit_expression(test, visit);
                for_each_expression(body, visit);
            }
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                visit_expression(iterable, visit);
                visit_expression(target, visit);
                for_each_expression(body, visit);
            }
            StatementKind::Return(Some(value)) | StatementKind::Expression(value) => {
                visit_expression(value, visit);
            }
            StatementKind::Function(function) => for_each_expression(&function.body, visit),
            StatementKind::Assert { test, parts } => {
                visit_expression(test, visit);
                for value in parts.iter().filter_map(MessagePart::value) {
                    visit_expression(value, visit);
                }
            }
            StatementKind::Print(parts) | StatementKind::Raise { parts, .. } => {
                for value in parts.iter().filter_map(MessagePart::value) {
                    visit_expression(value, visit);
                }
            }
            StatementKind::Return(None)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Pass => {}
        }
    }
}

/// Calls `visit` with an expression and those inside of it, in the order they are written.
fn visit_expression<'a>(expression: &'a Expression, visit: &mut impl FnMut(&'a Expression)) {
    visit(expression);
    let mut each = |inner: &'a Expression| visit_expression(inner, visit);
    match &expression.kind {
        // What a lambda uses matters when it is called.
        ExpressionKind::Name(_)
        | ExpressionKind::Constant(_)
        | ExpressionKind::Lambda(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::None
        | ExpressionKind::Ellipsis
        | ExpressionKind::Refused => {}
        ExpressionKind::Slice { lower, upper, step } => {
            for bound in [lower, upper, step].into_iter().flatten() {
                each(bound);
            }
        }
        ExpressionKind::Attribute { value, .. } => each(value),
        ExpressionKind::Subscript { value, indices } => {
            each(value);
            indices.iter().for_each(each);
        }
        ExpressionKind::Call {
            function,
            arguments,
            keywords,
        } => {
            each(function);
            arguments.iter().for_each(&mut each);
            keywords.iter().map(|(_, argument)| argument).for_each(each);
        }
        ExpressionKind::Unary { operand, .. } => each(operand),
        ExpressionKind::Binary { left, right, .. } => {
            each(left);
            each(right);
        }
        ExpressionKind::Logical { operands, .. }
        | ExpressionKind::Tuple(operands)
        | ExpressionKind::List(operands) => {
            operands.iter().for_each(each);
        }
        ExpressionKind::Comprehension(made) => {
            each(&made.iterable);
            each(&made.target);
            made.conditions.iter().for_each(&mut each);
            each(&made.element);
        }
        ExpressionKind::Membership {
            item, container, ..
        } => {
            each(item);
            each(container);
        }
        ExpressionKind::Compare { first, rest } => {
            each(first);
            rest.iter().map(|(_, operand)| operand).for_each(each);
        }
        ExpressionKind::Conditional {
            test,
            accept,
            reject,
        } => {
            each(test);
            each(accept);
            each(reject);
        }
    }
}
