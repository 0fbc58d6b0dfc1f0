//! What a work-item asks about itself and its launch.
//!
//! Kernels compute the answers from the loops around the work-item. Device functions get the
//! answers they need as hidden arguments, so that nothing about ids is lost when they are inlined.

use situ_ir::{Expression, Function, Handle, StatementKind, ValidModule, WorkItemQuery};

/// Every query, in the order in which hidden arguments are passed.
const ALL: [WorkItemQuery; 26] = [
    WorkItemQuery::GlobalId(0),
    WorkItemQuery::GlobalId(1),
    WorkItemQuery::GlobalId(2),
    WorkItemQuery::LocalId(0),
    WorkItemQuery::LocalId(1),
    WorkItemQuery::LocalId(2),
    WorkItemQuery::GroupId(0),
    WorkItemQuery::GroupId(1),
    WorkItemQuery::GroupId(2),
    WorkItemQuery::GlobalSize(0),
    WorkItemQuery::GlobalSize(1),
    WorkItemQuery::GlobalSize(2),
    WorkItemQuery::LocalSize(0),
    WorkItemQuery::LocalSize(1),
    WorkItemQuery::LocalSize(2),
    WorkItemQuery::GroupCount(0),
    WorkItemQuery::GroupCount(1),
    WorkItemQuery::GroupCount(2),
    WorkItemQuery::GlobalLinearId,
    WorkItemQuery::LocalLinearId,
    WorkItemQuery::GroupLinearId,
    WorkItemQuery::SubGroupId,
    WorkItemQuery::SubGroupLocalId,
    WorkItemQuery::SubGroupSize,
    WorkItemQuery::SubGroupCount,
    WorkItemQuery::StackLeft,
];

/// A set of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct QuerySet(u32);

impl QuerySet {
    fn insert(&mut self, query: WorkItemQuery) {
        let position = ALL.iter().position(|&other| other == query);
        self.0 |= position.map_or(0, |position| 1 << position);
    }

    /// The queries in the set, in a fixed order.
    pub(super) fn iter(self) -> impl Iterator<Item = WorkItemQuery> {
        ALL.into_iter()
            .enumerate()
            .filter(move |(position, _)| self.0 & (1 << position) != 0)
            .map(|(_, query)| query)
    }
}

/// What each function asks, itself or in the functions it calls.
pub(super) fn asked_by_functions(module: &ValidModule) -> Vec<QuerySet> {
    let mut sets: Vec<QuerySet> = Vec::with_capacity(module.functions.len());
    for (handle, function) in module.functions.iter() {
        let set = asked_by_function(module, handle, function, &sets);
        sets.push(set);
    }
    sets
}

fn asked_by_function(
    module: &ValidModule,
    handle: Handle<Function>,
    function: &Function,
    earlier: &[QuerySet],
) -> QuerySet {
    let mut set = QuerySet::default();
    let info = module.info(handle);
    for (expression, node) in function.expressions.iter() {
        if let Expression::WorkItem(query) = node
            && info.is_used(expression)
        {
            set.insert(*query);
        }
    }
    function.body.for_each_statement(&mut |statement| {
        if let StatementKind::Call { function, .. } = &statement.kind {
            // What it asks itself is in the set anyway.
            set.0 |= earlier.get(function.index()).map_or(0, |set| set.0);
        }
    });
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_a_fixed_order() {
        let mut set = QuerySet::default();
        for query in ALL.into_iter().rev() {
            set.insert(query);
        }
        assert!(set.iter().eq(ALL));
        assert_eq!(QuerySet::default().iter().count(), 0);
    }
}
