//! Per-thread working memory for kernels: local memory and values that live across barriers.
//!
//! A thread keeps its block between launches, so a launch costs no allocation. A block is taken
//! out of the thread for the time of its use; work that starts more work on the same thread finds
//! none and gets its own.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ptr::NonNull;

use crate::error::{Error, Result};
use crate::memory::relief::retry_after_trim;

/// Blocks start at a cache line, which is also the widest vector.
pub const SCRATCH_ALIGNMENT: usize = 64;

/// Larger blocks are returned to the system after use.
const KEEP_BYTES: usize = 4 << 20;

thread_local! {
    static KEPT: Cell<Option<Scratch>> = const { Cell::new(None) };
}

/// An aligned block of undefined contents.
#[derive(Debug, Default)]
pub struct Scratch {
    block: Option<(NonNull<u8>, Layout)>,
}

impl Scratch {
    /// This thread's block, grown to at least `size_bytes`.
    pub(super) fn take(size_bytes: usize) -> Result<Self> {
        if size_bytes == 0 {
            return Ok(Self::default());
        }
        let kept = KEPT.take().unwrap_or_default();
        if kept.size_bytes() >= size_bytes {
            return Ok(kept);
        }
        drop(kept);
        Self::allocate(size_bytes)
    }

    /// Keeps the block for the thread's next launch.
    pub(super) fn give_back(self) {
        if (1..=KEEP_BYTES).contains(&self.size_bytes()) {
            KEPT.set(Some(self));
        }
    }

    /// The start of the block; dangling but aligned when nothing was asked for.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        match self.block {
            Some((start, _)) => start.as_ptr(),
            None => std::ptr::without_provenance_mut(SCRATCH_ALIGNMENT),
        }
    }

    fn size_bytes(&self) -> usize {
        self.block.map_or(0, |(_, layout)| layout.size())
    }

    fn allocate(size_bytes: usize) -> Result<Self> {
        let refused = Error::ScratchUnavailable { size_bytes };
        let rounded = size_bytes
            .checked_next_power_of_two()
            .unwrap_or(size_bytes)
            .max(4096);
        let layout =
            Layout::from_size_align(rounded, SCRATCH_ALIGNMENT).map_err(|_| refused.clone())?;
        // SAFETY: the size is not zero.
        let start = || NonNull::new(unsafe { alloc(layout) }).ok_or(());
        let start = retry_after_trim(start).map_err(|()| refused)?;
        Ok(Self {
            block: Some((start, layout)),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some((start, layout)) = self.block {
            // SAFETY: allocated with exactly this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_reused() {
        let mut first = Scratch::take(1000).unwrap();
        let address = first.as_mut_ptr();
        assert_eq!(address as usize % SCRATCH_ALIGNMENT, 0);
        first.give_back();
        let mut again = Scratch::take(900).unwrap();
        assert_eq!(again.as_mut_ptr(), address);
        let mut nested = Scratch::take(900).unwrap();
        assert_ne!(nested.as_mut_ptr(), address);
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        let result = Scratch::take(usize::MAX / 2 + 1);
        assert!(
            matches!(result, Err(Error::ScratchUnavailable { .. })),
            "{result:?}"
        );
    }

    #[test]
    fn no_request_costs_no_memory() {
        let mut empty = Scratch::take(0).unwrap();
        assert_eq!(empty.size_bytes(), 0);
        assert_eq!(empty.as_mut_ptr() as usize % SCRATCH_ALIGNMENT, 0);
    }
}
