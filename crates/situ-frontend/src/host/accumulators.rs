//! Arrays that the rounds of a `prange` loop combine something with.
//!
//! `row_sums += a[i]` and `counts[kind[i]] += 1` update elements that other rounds update, too. If the rounds do nothing
//! else with an array than that, by one operation, it is an *accumulator*: each block of rounds gets an array of its
//! own, and whoever launches the loop combines those in the order of the blocks. So the result does not depend on
//! the number of threads, and nothing is lost.
//!
//! An element that only one round can mean (`out[i] += x`) is no matter of this module.

use std::collections::BTreeSet;

use super::assigned_names;
use super::liveness::for_each_mention;
use super::parallel_loop::{Combination, combination_of, update};
use crate::syntax::{BinaryOperator, Expression, ExpressionKind, Statement, StatementKind};

/// An array that rounds combine something with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulator {
    /// Its name.
    pub name: String,
    /// How it is combined.
    pub combination: Combination,
    /// Whether its name stands for another array after the loop: `acc = acc + x`, which leaves the old one as it was.
    pub is_rebound: bool,
}

/// The accumulators of a loop; `is_array` tells which names are arrays before it.
pub fn accumulators(
    counter: &Expression,
    body: &[Statement],
    is_array: &dyn Fn(&str) -> bool,
) -> Vec<Accumulator> {
    let mut updates = Vec::new();
    let assigned = assigned_names(body);
    collect(counter, &assigned, body, &mut updates);
    let names: BTreeSet<&str> = updates.iter().map(|update| update.name).collect();
    let mut found = Vec::new();
    for name in names.into_iter().filter(|name| is_array(name)) {
        let own: Vec<_> = updates.iter().filter(|each| each.name == name).collect();
        let combination = own[0].combination;
        let is_shared = own.iter().any(|update| update.is_shared);
        let is_one_way = own.iter().all(|update| {
            update.combination == combination && update.is_rebinding == own[0].is_rebinding
        });
        let is_known = matches!(
            combination,
            Combination::Add | Combination::Multiply | Combination::Minimum | Combination::Maximum
        );
        // Whatever else mentions it would see what another round has made of it.
        let mentions: usize = own.iter().map(|update| update.mentions).sum();
        if is_shared && is_one_way && is_known && mentions == count_mentions(body, name) {
            found.push(Accumulator {
                name: name.to_owned(),
                combination,
                is_rebound: own[0].is_rebinding,
            });
        }
    }
    found
}

/// A statement that updates an array or an element.
struct Update<'a> {
    name: &'a str,
    combination: Combination,
    /// Whether other rounds may update the same elements.
    is_shared: bool,
    is_rebinding: bool,
    /// How often the statement says the name.
    mentions: usize,
}

fn collect<'a>(
    counter: &Expression,
    assigned: &BTreeSet<&str>,
    body: &'a [Statement],
    updates: &mut Vec<Update<'a>>,
) {
    for statement in body {
        match &statement.kind {
            StatementKind::AugmentedAssign {
                target, operator, ..
            } => {
                let (name, indices) = match &target.kind {
                    ExpressionKind::Name(name) => (name, &[][..]),
                    ExpressionKind::Subscript { value, indices } => match &value.kind {
                        ExpressionKind::Name(name) => (name, &indices[..]),
                        _ => continue,
                    },
                    _ => continue,
                };
                if let Some(combination) = combination_of(*operator) {
                    updates.push(Update {
                        name,
                        combination,
                        is_shared: !indices.iter().any(|index| is_own(index, counter, assigned)),
                        is_rebinding: false,
                        mentions: 1,
                    });
                }
            }
            StatementKind::Assign { targets, .. } => {
                if let [target] = targets.as_slice()
                    && let ExpressionKind::Name(name) = &target.kind
                    && let Some((combination, _)) = update(name, statement)
                {
                    updates.push(Update {
                        name,
                        combination,
                        is_shared: true,
                        is_rebinding: true,
                        mentions: 2,
                    });
                }
            }
            StatementKind::If { accept, reject, .. } => {
                collect(counter, assigned, accept, updates);
                collect(counter, assigned, reject, updates);
            }
            StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
                collect(counter, assigned, body, updates);
            }
            _ => {}
        }
    }
}

/// Whether an index is another one in every round: the counter, or that and something that rounds do not change.
fn is_own(index: &Expression, counter: &Expression, assigned: &BTreeSet<&str>) -> bool {
    let ExpressionKind::Name(counter_name) = &counter.kind else {
        return false;
    };
    match &index.kind {
        ExpressionKind::Name(name) => name == counter_name,
        ExpressionKind::Binary {
            operator: BinaryOperator::Add | BinaryOperator::Subtract,
            left,
            right,
        } => {
            let is_fixed = |side: &Expression| match &side.kind {
                ExpressionKind::Constant(_) => true,
                ExpressionKind::Name(name) => {
                    name != counter_name && !assigned.contains(name.as_str())
                }
                _ => false,
            };
            is_own(left, counter, assigned) && is_fixed(right)
                || is_own(right, counter, assigned) && is_fixed(left)
        }
        _ => false,
    }
}

fn count_mentions(body: &[Statement], name: &str) -> usize {
    let mut count = 0;
    for_each_mention(body, &mut |each| count += usize::from(each == name));
    count
}
