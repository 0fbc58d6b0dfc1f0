//! Which way a work-item goes through elements.

use situ_ir::DType;

/// What a block takes of elements that are close to each other: four pages, which are read side by side.
const BLOCK_BYTES: usize = 16 << 10;

/// How many elements it has at most: the more blocks there are, the more threads can share them.
const LONGEST_BLOCK: usize = 4096;

/// How many columns a work-item goes down at once, if there are so many.
const COLUMNS: usize = 32;

/// How many columns it goes down if accumulators are in memory: as many as the nearest cache has room for.
pub(super) const BUFFERED_COLUMNS: usize = 512;

/// Which elements are close to each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// The reduced ones.
    Along,
    /// The kept ones. A work-item goes down so many columns at once, a power of two.
    Beside(u8),
}

impl Walk {
    /// The walk along a loop with this step, where the innermost of the kept loops has this size and
    /// stride.
    ///
    /// Two columns are enough: each column alone would bring all of its cache lines from memory, and so would the
    /// next one.
    pub fn of(step: isize, (columns, stride): (usize, isize)) -> Self {
        let is_closer = stride == 1 || stride.unsigned_abs() < step.unsigned_abs();
        if step != 1 && columns >= 2 && stride != 0 && is_closer {
            Self::Beside(1 << columns.min(COLUMNS).ilog2())
        } else {
            Self::Along
        }
    }

    /// The same where making elements takes longer than reading them: a loop along them makes more at once than a
    /// loop over a few columns.
    pub fn of_costly(step: isize, columns: (usize, isize)) -> Self {
        match Self::of(step, columns) {
            walk @ Self::Beside(_) if walk.is_wide() => walk,
            _ => Self::Along,
        }
    }

    /// Whether there are as many columns as a work-item can go down at once.
    pub fn is_wide(self) -> bool {
        self == Self::Beside(COLUMNS as u8)
    }

    /// Whether elements that are close have gaps between them.
    pub fn is_spread(self, step: isize, stride: isize) -> bool {
        match self {
            Self::Along => step != 1,
            Self::Beside(_) => stride != 1,
        }
    }

    /// The strides of kept elements and of blocks in what a launch writes: it lies (kept, block), or
    /// (block, kept).
    pub fn partial_strides(self, kept: usize, blocks: usize) -> (isize, isize) {
        match self {
            Self::Along => (blocks as isize, 1),
            Self::Beside(_) => (1, kept as isize),
        }
    }

    /// How many results a work-item makes.
    pub fn columns(self, is_buffered: bool) -> usize {
        match self {
            Self::Along => 1,
            Self::Beside(_) if is_buffered => BUFFERED_COLUMNS,
            Self::Beside(columns) => usize::from(columns),
        }
    }

    /// How many elements of a dtype a work-item combines.
    pub fn block_length(self, dtype: DType) -> usize {
        match self {
            Self::Along => (BLOCK_BYTES / dtype.size_bytes()).min(LONGEST_BLOCK),
            Self::Beside(_) => 256,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_go_where_elements_are_close() {
        assert_eq!(Walk::of(1, (1000, 1000)), Walk::Along);
        assert_eq!(Walk::of(2, (1000, 2000)), Walk::Along);
        assert_eq!(Walk::of(1000, (1000, 1)), Walk::Beside(32));
        assert_eq!(Walk::of(1000, (500, -2)), Walk::Beside(32));
        assert_eq!(Walk::of(31, (31, 1)), Walk::Beside(16));
        assert_eq!(Walk::of(3, (3, 1)), Walk::Beside(2));
        assert_eq!(
            Walk::of_costly(31, (31, 1)),
            Walk::Along,
            "31 columns are few"
        );
        assert_eq!(Walk::of(3, (1, 1)), Walk::Along, "nothing is beside");
        assert_eq!(
            Walk::of(8, (100, 0)),
            Walk::Along,
            "one column again and again"
        );
        assert_eq!(Walk::of(0, (100, 1)), Walk::Beside(32));
    }
}
