//! How a range without work-groups is cut.
//!
//! Left alone, drivers look for sizes that divide the range, and find 1 for a prime length: 40 times
//! slower on Intel's runtime and 20 times on PoCL, as measured in `docs/design/0015-opencl-backend.md`. So
//! the size of groups is chosen here, and the range rounded up to a multiple of it; kernels know the true
//! sizes. There are few sizes to choose from, because PoCL compiles a kernel anew for each, and they are
//! multiples of any vector's length.

use situ_ir::NdRange;

use crate::device_info::DeviceInfo;

/// Work-items of a group, where the range is large: enough to vectorise, and to forget what a group costs.
const GROUP_SIZE: u64 = 1024;

/// Rows up to this length are in a group as a whole.
const SHORT_ROW: u64 = 16;

/// A dimension may grow by this part of it when it is rounded up.
const GROWTH: u64 = 8;

/// Groups for each compute unit, at least, if there are as many work-items: some take longer than others.
const GROUPS_PER_UNIT: u64 = 4;

/// What limits groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupLimits {
    /// Work-items in a group.
    pub(super) work_items: u64,
    /// Work-items along each of three dimensions, slowest first.
    pub(super) along: [u64; 3],
    /// How many groups run at once.
    pub(super) compute_units: u64,
}

impl GroupLimits {
    /// The limits of a device.
    pub(super) fn of(info: &DeviceInfo) -> Self {
        Self {
            work_items: info.max_work_group_size,
            along: info.max_work_item_sizes,
            compute_units: info.compute_units as u64,
        }
    }

    /// The limits of a kernel, which may have one of its own.
    pub(super) fn for_kernel(self, max_work_group_size: Option<u64>) -> Self {
        let own = max_work_group_size.unwrap_or(u64::MAX);
        Self {
            work_items: self.work_items.min(own),
            ..self
        }
    }
}

/// A range as a driver gets it: a multiple of its groups in every dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grouping {
    pub(super) global: [u64; 3],
    pub(super) local: [u64; 3],
}

/// Cuts a range that is not empty.
pub(super) fn choose(range: &NdRange, limits: GroupLimits) -> Grouping {
    let dims = range.dims();
    let wanted = range.work_items() / limits.compute_units.max(1) / GROUPS_PER_UNIT;
    let mut budget = wanted.clamp(1, GROUP_SIZE).min(limits.work_items.max(1));
    let mut chosen = Grouping {
        global: range.global(),
        local: [1; 3],
    };
    for d in (0..dims).rev() {
        let limit = budget.min(limits.along[3 - dims + d]).max(1);
        let size = tile(chosen.global[d], limit);
        chosen.local[d] = size;
        let rounded = chosen.global[d].checked_next_multiple_of(size);
        // A range at the end of what can be counted is not rounded but cut into single work-items.
        if rounded.is_none_or(|rounded| rounded > i64::MAX as u64) {
            chosen.local[d] = 1;
        } else if let Some(rounded) = rounded {
            chosen.global[d] = rounded;
        }
        budget /= chosen.local[d];
    }
    chosen
}

/// The size of groups along a dimension: all of it if it is short, or else the largest power of four to whose
/// multiple it can be rounded up without growing much.
fn tile(size: u64, limit: u64) -> u64 {
    if size <= SHORT_ROW.min(limit) {
        return size;
    }
    let fits = |tile: &u64| {
        let rest = size % tile;
        rest == 0 || tile - rest <= size / GROWTH
    };
    let largest = 1 << (limit.ilog2() & !1);
    let mut tiles = std::iter::successors(Some(largest), |tile| Some(tile / 4));
    tiles.find(fits).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: GroupLimits = GroupLimits {
        work_items: 8192,
        along: [8192; 3],
        compute_units: 2,
    };

    fn cut(global: &[u64], limits: GroupLimits) -> (Vec<u64>, Vec<u64>) {
        let range = NdRange::new(global).unwrap_or_else(|error| panic!("{error}"));
        let found = choose(&range, limits);
        let dims = global.len();
        (found.global[..dims].to_vec(), found.local[..dims].to_vec())
    }

    #[test]
    fn large_ranges_are_rounded_up() {
        assert_eq!(cut(&[1 << 20], LIMITS), (vec![1 << 20], vec![1024]));
        assert_eq!(cut(&[1_000_000], LIMITS), (vec![1_000_448], vec![1024]));
        assert_eq!(cut(&[1_000_003], LIMITS), (vec![1_000_448], vec![1024]));
    }

    #[test]
    fn short_rows_share_a_group() {
        assert_eq!(cut(&[333_333, 3], LIMITS), (vec![333_568, 3], vec![256, 3]));
        assert_eq!(cut(&[100_003, 3], LIMITS), (vec![100_096, 3], vec![256, 3]));
        assert_eq!(
            cut(&[3, 100_003], LIMITS),
            (vec![3, 100_352], vec![1, 1024])
        );
        assert_eq!(cut(&[50, 50, 4], LIMITS), (vec![52, 52, 4], vec![4, 4, 4]));
        assert_eq!(cut(&[50, 200], LIMITS), (vec![52, 208], vec![4, 16]));
    }

    #[test]
    fn few_work_items_are_spread_over_the_compute_units() {
        assert_eq!(cut(&[1], LIMITS), (vec![1], vec![1]));
        assert_eq!(cut(&[10], LIMITS), (vec![10], vec![1]));
        assert_eq!(cut(&[64], LIMITS), (vec![64], vec![4]));
        assert_eq!(cut(&[997], LIMITS), (vec![1024], vec![64]));
    }

    #[test]
    fn limits_are_kept() {
        let small = GroupLimits {
            work_items: 100,
            along: [4, 1024, 1024],
            compute_units: 1,
        };
        assert_eq!(cut(&[10_007], small), (vec![10_048], vec![64]));
        assert_eq!(cut(&[1000, 2, 2], small), (vec![1000, 2, 2], vec![4, 2, 2]));
        let none = GroupLimits {
            work_items: 0,
            along: [0; 3],
            compute_units: 0,
        };
        assert_eq!(cut(&[7, 5], none), (vec![7, 5], vec![1, 1]));
    }

    /// Whatever the sizes, groups tile the range, keep the limits, and little is added.
    #[test]
    fn any_range_is_covered() {
        for size in (1..3000).chain([65_537, 1_000_003]) {
            for global in [vec![size], vec![size, 3], vec![7, size], vec![size, 1, 61]] {
                let (rounded, local) = cut(&global, LIMITS);
                let items: u64 = local.iter().product();
                assert!(items <= GROUP_SIZE, "{global:?}");
                for ((true_size, size), local) in global.iter().zip(&rounded).zip(&local) {
                    let most = true_size + true_size / GROWTH;
                    assert!((*true_size..=most).contains(size), "{global:?}");
                    assert!(size.is_multiple_of(*local), "{global:?}");
                }
            }
        }
    }

    #[test]
    fn the_longest_range_does_not_overflow() {
        let longest = i64::MAX as u64;
        let (global, local) = cut(&[longest], LIMITS);
        assert!(global[0] >= longest && global[0] <= longest + 1);
        assert_eq!(global[0] % local[0], 0);
    }
}
