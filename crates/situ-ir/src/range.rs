//! The set of work-items a kernel is launched over.
//!
//! A range has one to three dimensions. The **last** dimension is the fastest, as in NumPy and SYCL:
//! the linear id of `(i, j)` in a range of `(m, n)` is `i * n + j`. An nd-range also fixes the
//! work-group's size in each dimension.

use thiserror::Error;

/// The largest number of dimensions.
pub const MAX_DIMS: usize = 3;

/// Work-items in up to three dimensions, and how they are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NdRange {
    dims: u8,
    global: [u64; MAX_DIMS],
    local: Option<[u64; MAX_DIMS]>,
}

/// Why a range cannot be launched over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RangeError {
    /// No dimension, or more than three.
    #[error("a range has 1 to 3 dimensions, not {dims}")]
    DimensionCount {
        /// How many were given.
        dims: usize,
    },
    /// Global and local sizes differ in length.
    #[error("the global range has {global} dimensions but the work-group has {local}")]
    DimensionMismatch {
        /// Dimensions of the global range.
        global: usize,
        /// Dimensions of the work-group.
        local: usize,
    },
    /// More work-items than an index can count.
    #[error("a range of {global:?} has more than 2^63 - 1 work-items")]
    TooLarge {
        /// The global sizes.
        global: Vec<u64>,
    },
    /// A work-group without work-items.
    #[error("a work-group of {local:?} is empty; each size must be at least 1")]
    EmptyGroup {
        /// The local sizes.
        local: Vec<u64>,
    },
    /// Groups do not tile the range.
    #[error(
        "the global size {global} of dimension {dimension} is not a multiple of the work-group's \
         size {local}; round it up to {rounded} and skip the extra work-items in the kernel"
    )]
    NotDivisible {
        /// The dimension.
        dimension: usize,
        /// Its global size.
        global: u64,
        /// Its local size.
        local: u64,
        /// The next multiple.
        rounded: u64,
    },
}

impl NdRange {
    /// A range whose work-groups the runtime may choose.
    ///
    /// # Errors
    /// If there is not one to three dimensions or the work-items cannot be counted.
    pub fn new(global: &[u64]) -> Result<Self, RangeError> {
        let dims = global.len();
        if dims == 0 || dims > MAX_DIMS {
            return Err(RangeError::DimensionCount { dims });
        }
        let count = global
            .iter()
            .try_fold(1_u64, |product, &size| product.checked_mul(size));
        // An empty range is legal whatever its other sizes are.
        let fits = global.contains(&0) || count.is_some_and(|count| i64::try_from(count).is_ok());
        if !fits {
            return Err(RangeError::TooLarge {
                global: global.to_vec(),
            });
        }
        Ok(Self {
            dims: dims as u8,
            global: padded(global),
            local: None,
        })
    }

    /// A range with work-groups of a given size.
    ///
    /// # Errors
    /// As [`NdRange::new`]; also if the groups are empty or do not tile the range.
    pub fn with_local(global: &[u64], local: &[u64]) -> Result<Self, RangeError> {
        let mut range = Self::new(global)?;
        if local.len() != global.len() {
            let (global, local) = (global.len(), local.len());
            return Err(RangeError::DimensionMismatch { global, local });
        }
        if local.contains(&0) {
            return Err(RangeError::EmptyGroup {
                local: local.to_vec(),
            });
        }
        for (dimension, (&global, &local)) in global.iter().zip(local).enumerate() {
            if global % local != 0 {
                let rounded = (global / local).saturating_add(1).saturating_mul(local);
                return Err(RangeError::NotDivisible {
                    dimension,
                    global,
                    local,
                    rounded,
                });
            }
        }
        if local
            .iter()
            .try_fold(1_u64, |product, &size| product.checked_mul(size))
            .is_none()
        {
            return Err(RangeError::TooLarge {
                global: local.to_vec(),
            });
        }
        range.local = Some(padded(local));
        Ok(range)
    }

    /// How many dimensions, 1 to 3.
    pub fn dims(&self) -> usize {
        self.dims as usize
    }

    /// Work-items in each dimension; dimensions that do not exist have 1.
    pub fn global(&self) -> [u64; MAX_DIMS] {
        self.global
    }

    /// The work-group's size in each dimension, if it was given; missing dimensions have 1.
    pub fn local(&self) -> Option<[u64; MAX_DIMS]> {
        self.local
    }

    /// The number of work-items.
    pub fn work_items(&self) -> u64 {
        if self.is_empty() {
            0
        } else {
            self.global.iter().product()
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// Sizes of missing dimensions are 1.
fn padded(sizes: &[u64]) -> [u64; MAX_DIMS] {
    let mut all = [1; MAX_DIMS];
    all[..sizes.len()].copy_from_slice(sizes);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_ranges_are_legal_and_have_no_work_items() {
        let range = NdRange::new(&[0, u64::MAX, u64::MAX]).unwrap();
        assert!(range.is_empty());
        assert_eq!(range.work_items(), 0);
    }

    #[test]
    fn uncountable_ranges_are_refused() {
        assert!(matches!(
            NdRange::new(&[1 << 40, 1 << 40]),
            Err(RangeError::TooLarge { .. })
        ));
        assert_eq!(
            NdRange::new(&[]),
            Err(RangeError::DimensionCount { dims: 0 })
        );
        assert_eq!(
            NdRange::new(&[1; 4]),
            Err(RangeError::DimensionCount { dims: 4 })
        );
    }

    #[test]
    fn groups_must_tile_the_range() {
        let error = NdRange::with_local(&[10, 7], &[5, 4]).unwrap_err();
        let expected = RangeError::NotDivisible {
            dimension: 1,
            global: 7,
            local: 4,
            rounded: 8,
        };
        assert_eq!(error, expected);
        assert!(matches!(
            NdRange::with_local(&[4], &[0]),
            Err(RangeError::EmptyGroup { .. })
        ));
        assert_eq!(
            NdRange::with_local(&[8, 6], &[4, 3]).unwrap().local(),
            Some([4, 3, 1])
        );
    }
}
