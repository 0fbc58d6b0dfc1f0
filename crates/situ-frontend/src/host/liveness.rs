//! Which names are needed after a statement.
//!
//! A value that nobody reads again can be taken from its name: an array expression that is read once is then known to
//! be nobody else's, so that it joins its reader's kernel, and memory is free for the next result. A name that is
//! assigned again before it is read is not needed.

use std::collections::{BTreeSet, HashMap};

use situ_ir::Span;

use crate::infer::assigned;
use crate::syntax::{Expression, ExpressionKind, Function, MessagePart, Statement, StatementKind};

type Names = BTreeSet<String>;

/// The names that are read after each statement of a function.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    after: HashMap<Span, Names>,
    /// Names that functions inside of the function read, whenever they are called.
    captured: Names,
}

impl Liveness {
    /// Looks through a function.
    pub fn of(function: &Function) -> Self {
        let mut walk = Walk::default();
        walk.block(&function.body, Names::new());
        let inner = function
            .body
            .iter()
            .filter_map(|statement| match &statement.kind {
                StatementKind::Function(inner) => Some(inner),
                _ => None,
            });
        let captured = inner.flat_map(|inner| assigned::free_names(inner));
        Self {
            after: walk.after,
            captured: captured.map(|free| free.name).collect(),
        }
    }

    /// Whether a name may be read after a statement, by whatever is run next.
    pub fn is_read_after(&self, statement: &Statement, name: &str) -> bool {
        let after = self.after.get(&statement.span);
        self.captured.contains(name) || after.is_none_or(|names| names.contains(name))
    }
}

/// The names that statements assign, those of comprehensions included.
pub fn assigned_names(body: &[Statement]) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    assigned::collect(body, &mut names);
    assigned::for_each_expression(body, &mut |each| {
        if let ExpressionKind::Comprehension(made) = &each.kind {
            for_each_name(&made.target, &mut |name| {
                names.insert(name);
            });
        }
    });
    names
}

/// Calls `visit` with each name that an expression reads, in the order of evaluation.
pub fn for_each_name<'a>(expression: &'a Expression, visit: &mut impl FnMut(&'a str)) {
    assigned::for_each_name(expression, &mut |name, _| visit(name));
}

/// The names that statements mention, in the order they are written.
pub fn read_names(body: &[Statement]) -> Vec<&str> {
    let mut names = Vec::new();
    for_each_mention(body, &mut |name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    names
}

/// Calls `visit` with each name that statements mention, as often as they do. What functions inside of them call their own is
/// not among them.
pub(super) fn for_each_mention<'a>(body: &'a [Statement], visit: &mut dyn FnMut(&'a str)) {
    for statement in body {
        if let StatementKind::Function(inner) = &statement.kind {
            for_each_captured(inner, visit);
            continue;
        }
        assigned::for_each_expression(
            std::slice::from_ref(statement),
            &mut |each| match &each.kind {
                ExpressionKind::Name(name) => visit(name),
                ExpressionKind::Lambda(inner) => for_each_captured(inner, visit),
                _ => {}
            },
        );
    }
}

fn for_each_captured<'a>(inner: &'a Function, visit: &mut dyn FnMut(&'a str)) {
    let mut own = assigned::assigned_names(inner);
    own.extend(inner.parameters.iter().map(|each| each.name.as_str()));
    for_each_mention(&inner.body, &mut |name| {
        if !own.contains(name) {
            visit(name);
        }
    });
}

#[derive(Default)]
struct Walk {
    after: HashMap<Span, Names>,
    /// For each loop around: what is read after it, and what is read when its next round begins.
    loops: Vec<(Names, Names)>,
}

impl Walk {
    /// What is read before statements, given what is read after them.
    fn block(&mut self, body: &[Statement], mut live: Names) -> Names {
        for statement in body.iter().rev() {
            self.after.insert(statement.span, live.clone());
            live = self.statement(statement, live);
        }
        live
    }

    fn statement(&mut self, statement: &Statement, mut live: Names) -> Names {
        match &statement.kind {
            StatementKind::Assign { targets, value } => {
                for target in targets {
                    assign(target, &mut live);
                }
                read(value, &mut live);
                live
            }
            StatementKind::AugmentedAssign { target, value, .. } => {
                read(target, &mut live);
                read(value, &mut live);
                live
            }
            StatementKind::If {
                test,
                accept,
                reject,
            } => {
                let rejected = self.block(reject, live.clone());
                let mut live = self.block(accept, live);
                live.extend(rejected);
                read(test, &mut live);
                live
            }
            StatementKind::While { test, body } => {
                read(test, &mut live);
                self.rounds(body, &live, |live| read(test, live))
            }
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                let mut live = self.rounds(body, &live, |live| assign(target, live));
                read(iterable, &mut live);
                live
            }
            StatementKind::Break => match self.loops.last() {
                Some((after, _)) => after.clone(),
                None => live,
            },
            StatementKind::Continue => match self.loops.last() {
                Some((_, again)) => again.clone(),
                None => live,
            },
            StatementKind::Return(value) => {
                let mut live = Names::new();
                if let Some(value) = value {
                    read(value, &mut live);
                }
                live
            }
            StatementKind::Raise { parts, .. } => {
                let mut live = Names::new();
                read_parts(parts, &mut live);
                live
            }
            StatementKind::Expression(value) => {
                read(value, &mut live);
                live
            }
            StatementKind::Assert { test, parts } => {
                read(test, &mut live);
                read_parts(parts, &mut live);
                live
            }
            StatementKind::Print(parts) => {
                read_parts(parts, &mut live);
                live
            }
            StatementKind::Function(function) => {
                live.remove(&function.name.name);
                live.extend(
                    assigned::free_names(function)
                        .into_iter()
                        .map(|free| free.name),
                );
                live
            }
            StatementKind::Pass => live,
        }
    }

    /// What is read before a loop, given what is read after it; `begin` is what a round begins with.
    fn rounds(&mut self, body: &[Statement], after: &Names, begin: impl Fn(&mut Names)) -> Names {
        let mut again = after.clone();
        loop {
            self.loops.push((after.clone(), again.clone()));
            let mut live = self.block(body, again.clone());
            self.loops.pop();
            begin(&mut live);
            live.extend(again.iter().cloned());
            if live == again {
                return again;
            }
            again = live;
        }
    }
}

fn assign(target: &Expression, live: &mut Names) {
    match &target.kind {
        ExpressionKind::Name(name) => {
            live.remove(name);
        }
        ExpressionKind::Tuple(targets) => {
            for target in targets {
                assign(target, live);
            }
        }
        _ => read(target, live),
    }
}

fn read(expression: &Expression, live: &mut Names) {
    assigned::for_each_name(expression, &mut |name, _| {
        live.insert(name.to_owned());
    });
}

fn read_parts(parts: &[MessagePart], live: &mut Names) {
    for value in parts.iter().filter_map(MessagePart::value) {
        read(value, live);
    }
}
