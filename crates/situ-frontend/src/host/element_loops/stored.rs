//! What rounds store to, and how often they give a name something.

use std::collections::HashMap;

use crate::host::{assigned_names, for_each_name};
use crate::syntax::{Expression, ExpressionKind, Statement, StatementKind};

/// The arrays that statements store elements of, and names that stand for parts of them.
pub(super) fn stored_arrays(body: &[Statement]) -> Vec<String> {
    let mut stored = Vec::new();
    for_each_statement(body, &mut |statement| match &statement.kind {
        StatementKind::Assign { targets, .. } => {
            let is_element =
                |each: &&Expression| matches!(each.kind, ExpressionKind::Subscript { .. });
            for target in targets.iter().filter(is_element) {
                // Of `out[i]` that is `out`; the names of indices do no harm.
                for_each_name(target, &mut |name| stored.push(name.to_owned()));
            }
        }
        StatementKind::AugmentedAssign { target, .. } => {
            for_each_name(target, &mut |name| stored.push(name.to_owned()));
        }
        _ => {}
    });
    // A part may be of a part.
    loop {
        let count = stored.len();
        for_each_statement(body, &mut |statement| {
            let StatementKind::Assign { targets, value } = &statement.kind else {
                return;
            };
            let is_stored = |each: &Expression| match &each.kind {
                ExpressionKind::Name(name) => stored.contains(name),
                _ => false,
            };
            if targets.iter().any(is_stored) {
                for_each_name(value, &mut |name| {
                    if !stored.iter().any(|known| known == name) {
                        stored.push(name.to_owned());
                    }
                });
            }
        });
        if stored.len() == count {
            return stored;
        }
    }
}

/// Counts how often each name is assigned.
pub(super) fn count_assignments(body: &[Statement], counts: &mut HashMap<String, usize>) {
    for_each_statement(body, &mut |statement| {
        let own = match &statement.kind {
            StatementKind::Assign { .. } | StatementKind::AugmentedAssign { .. } => {
                assigned_names(std::slice::from_ref(statement))
            }
            StatementKind::For { target, .. } => {
                for_each_name(target, &mut |name| {
                    *counts.entry(name.to_owned()).or_default() += 1;
                });
                return;
            }
            _ => return,
        };
        for name in own {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    });
}

/// Calls `visit` with every statement, those inside of others included.
fn for_each_statement<'s>(body: &'s [Statement], visit: &mut impl FnMut(&'s Statement)) {
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
