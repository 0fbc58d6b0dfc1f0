//! Indices that are known on the device only.
//!
//! A kernel that reads indices from memory cannot be refused before it runs. It checks them, leaves
//! elements alone that do not exist, and writes down the first wrong index that it finds. The command
//! then ends with an error that the next wait reports, with the kernel and the line that launched it.

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::memory::report::Report;
use crate::queue::Queue;

/// What the kernel writes: which of the axes (counted from one; zero while all is well), and the index.
type Finding = [i64; 2];

/// An axis that is indexed from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedAxis {
    /// Which axis of the array.
    pub axis: usize,
    /// How many elements it has.
    pub size: usize,
}

/// A report of two `int64` for one launch on a queue: the first wrong index that a kernel finds.
///
/// # Errors
/// If there is no memory.
pub fn index_report(queue: &Queue, axes: &[IndexedAxis]) -> Result<Report> {
    let axes: SmallVec<[IndexedAxis; 2]> = axes.into();
    Report::new(queue, size_of::<Finding>(), move |bytes| {
        let (which, index) = bytes.split_at(size_of::<i64>());
        let [which, index] =
            [which, index].map(|each| each.try_into().map(i64::from_ne_bytes).unwrap_or_default());
        let found = usize::try_from(which)
            .ok()
            .and_then(|which| which.checked_sub(1));
        match found.and_then(|which| axes.get(which)) {
            Some(&IndexedAxis { axis, size }) => Err(Error::IndexOutOfRange { index, axis, size }),
            None => Ok(()),
        }
    })
}
