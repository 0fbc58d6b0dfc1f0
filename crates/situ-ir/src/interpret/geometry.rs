//! How a range is cut into work-groups, and the ids that follow from it.

use super::fault::WorkItem;
use crate::expression::WorkItemQuery;
use crate::range::{MAX_DIMS, NdRange};

/// The sizes of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    dims: u8,
    global: [u64; MAX_DIMS],
    local: [u64; MAX_DIMS],
    groups: [u64; MAX_DIMS],
    sub_group_size: u64,
}

impl Geometry {
    /// The geometry of a range; one without work-groups gets groups of at most `default_local`
    /// work-items along the fastest dimension.
    pub(super) fn new(range: &NdRange, default_local: u64, sub_group_size: u64) -> Self {
        let global = range.global();
        let local = range.local().unwrap_or_else(|| {
            let fastest = range.dims() - 1;
            let mut local = [1; MAX_DIMS];
            local[fastest] = largest_divisor(global[fastest], default_local.max(1));
            local
        });
        let mut groups = [0; MAX_DIMS];
        for (groups, (global, local)) in groups.iter_mut().zip(global.iter().zip(local)) {
            *groups = global / local;
        }
        Self {
            dims: range.dims() as u8,
            global,
            local,
            groups,
            sub_group_size: sub_group_size.max(1),
        }
    }

    /// Work-items of a work-group.
    pub(super) fn group_size(&self) -> u64 {
        self.local.iter().product()
    }

    /// Work-groups of the launch.
    pub(super) fn group_count(&self) -> u64 {
        if self.groups.contains(&0) {
            0
        } else {
            self.groups.iter().product()
        }
    }

    /// Work-items of a sub-group; the last one of a group may be smaller.
    pub(super) fn sub_group_size(&self) -> u64 {
        self.sub_group_size
    }

    /// The ids of a work-item.
    #[inline]
    pub(super) fn work_item(&self, group: u64, item: u64) -> WorkItem {
        let group_id = unravel(group, &self.groups);
        let local_id = unravel(item, &self.local);
        let mut global_id = [0; MAX_DIMS];
        for dimension in 0..MAX_DIMS {
            global_id[dimension] =
                group_id[dimension] * self.local[dimension] + local_id[dimension];
        }
        WorkItem {
            dims: self.dims,
            global_id,
            local_id,
            group_id,
        }
    }

    /// The answer of a work-item to a question about itself.
    #[inline]
    pub(super) fn answer(&self, ids: &WorkItem, query: WorkItemQuery) -> u64 {
        let local_linear = || ravel(&ids.local_id, &self.local);
        let of = |ids: &[u64; MAX_DIMS], dimension: u8| ids[usize::from(dimension)];
        match query {
            WorkItemQuery::GlobalId(dimension) => of(&ids.global_id, dimension),
            WorkItemQuery::LocalId(dimension) => of(&ids.local_id, dimension),
            WorkItemQuery::GroupId(dimension) => of(&ids.group_id, dimension),
            WorkItemQuery::GlobalSize(dimension) => of(&self.global, dimension),
            WorkItemQuery::LocalSize(dimension) => of(&self.local, dimension),
            WorkItemQuery::GroupCount(dimension) => of(&self.groups, dimension),
            WorkItemQuery::GlobalLinearId => ravel(&ids.global_id, &self.global),
            WorkItemQuery::LocalLinearId => local_linear(),
            WorkItemQuery::GroupLinearId => ravel(&ids.group_id, &self.groups),
            WorkItemQuery::SubGroupId => local_linear() / self.sub_group_size,
            WorkItemQuery::SubGroupLocalId => local_linear() % self.sub_group_size,
            WorkItemQuery::SubGroupSize => {
                let before = local_linear() / self.sub_group_size * self.sub_group_size;
                (self.group_size() - before).min(self.sub_group_size)
            }
            WorkItemQuery::SubGroupCount => self.group_size().div_ceil(self.sub_group_size),
            // Calls are kept in a list that grows.
            WorkItemQuery::StackLeft => i64::MAX as u64,
        }
    }
}

/// The largest divisor of `size` that is at most `limit`; 1 for an empty size.
fn largest_divisor(size: u64, limit: u64) -> u64 {
    (1..=limit.min(size).max(1))
        .rev()
        .find(|candidate| size.is_multiple_of(*candidate))
        .unwrap_or(1)
}

/// The row-major position of ids.
#[inline]
fn ravel(ids: &[u64; MAX_DIMS], sizes: &[u64; MAX_DIMS]) -> u64 {
    (ids[0] * sizes[1] + ids[1]) * sizes[2] + ids[2]
}

/// The ids at a row-major position.
#[inline]
fn unravel(position: u64, sizes: &[u64; MAX_DIMS]) -> [u64; MAX_DIMS] {
    let rest = position / sizes[2];
    [rest / sizes[1], rest % sizes[1], position % sizes[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_the_last_dimension_run_fastest() {
        let range = NdRange::with_local(&[4, 6], &[2, 3]).unwrap();
        let geometry = Geometry::new(&range, 1, 4);
        assert_eq!((geometry.group_count(), geometry.group_size()), (4, 6));
        let item = geometry.work_item(1, 4);
        assert_eq!(item.group_id, [0, 1, 0]);
        assert_eq!(item.local_id, [1, 1, 0]);
        assert_eq!(item.global_id, [1, 4, 0]);
        assert_eq!(geometry.answer(&item, WorkItemQuery::GlobalLinearId), 10);
        assert_eq!(geometry.answer(&item, WorkItemQuery::LocalLinearId), 4);
        assert_eq!(geometry.answer(&item, WorkItemQuery::SubGroupId), 1);
        assert_eq!(geometry.answer(&item, WorkItemQuery::SubGroupSize), 2);
        assert_eq!(geometry.answer(&item, WorkItemQuery::SubGroupCount), 2);
    }

    #[test]
    fn a_range_without_groups_is_cut_along_the_fastest_dimension() {
        let geometry = Geometry::new(&NdRange::new(&[5, 30]).unwrap(), 16, 1);
        assert_eq!((geometry.group_count(), geometry.group_size()), (10, 15));
        let prime = Geometry::new(&NdRange::new(&[31]).unwrap(), 16, 1);
        assert_eq!((prime.group_count(), prime.group_size()), (31, 1));
    }
}
