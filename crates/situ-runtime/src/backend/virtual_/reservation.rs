//! Addresses that belong to nobody: reading or writing there faults.
//!
//! They stand for `device` memory of virtual devices where the host can see it. Ranges are cut from
//! large reservations and never returned to the system: an address costs no memory, and one that has
//! been freed must go on faulting until it is given out again. Freed ranges are reused by size; the
//! memory pool above asks for few different sizes.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fork::ForkLocal;

/// How much is reserved at a time; larger ranges are reserved alone.
const CHUNK_BYTES: usize = 1 << 30;

/// What every range starts at a multiple of.
const ALIGNMENT: usize = 64;

/// Ranges of this size start at a page, as memory of that size does.
const PAGES_FROM_BYTES: usize = 1 << 20;

const PAGE_BYTES: usize = 4096;

#[derive(Default)]
struct Reservations {
    /// Freed ranges, by size.
    free: HashMap<usize, Vec<usize>>,
    /// What is left of the newest chunk.
    next: usize,
    end: usize,
}

/// A forked child starts afresh: another thread may have held the lock.
static RESERVATIONS: ForkLocal<Mutex<Reservations>> = ForkLocal::new();

fn lock() -> MutexGuard<'static, Reservations> {
    let reservations = RESERVATIONS.get_or_init(Mutex::default);
    reservations.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A range of addresses that fault; `None` when the system has none left.
pub(super) fn reserve(size_bytes: usize) -> Option<NonNull<u8>> {
    let mut reservations = lock();
    let freed = reservations.free.get_mut(&size_bytes).and_then(Vec::pop);
    let start = match freed {
        Some(start) => start,
        None => reservations.cut(size_bytes)?,
    };
    NonNull::new(std::ptr::with_exposed_provenance_mut(start))
}

/// Takes a range back. It goes on faulting.
pub(super) fn release(start: NonNull<u8>, size_bytes: usize) {
    let start = start.as_ptr().expose_provenance();
    lock().free.entry(size_bytes).or_default().push(start);
}

impl Reservations {
    fn cut(&mut self, size_bytes: usize) -> Option<usize> {
        let alignment = if size_bytes >= PAGES_FROM_BYTES {
            PAGE_BYTES
        } else {
            ALIGNMENT
        };
        let size_bytes = size_bytes.checked_next_multiple_of(alignment)?;
        if size_bytes > CHUNK_BYTES / 4 {
            return map(size_bytes);
        }
        let mut start = self.next.next_multiple_of(alignment);
        if self.end.saturating_sub(start) < size_bytes {
            start = map(CHUNK_BYTES)?;
            self.end = start + CHUNK_BYTES;
        }
        self.next = start + size_bytes;
        Some(start)
    }
}

/// Reserves addresses without memory behind them.
fn map(size_bytes: usize) -> Option<usize> {
    // SAFETY: a fresh private mapping touches nothing that exists.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size_bytes,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_aligned_apart_and_used_again() {
        // A size of this test's own, so that others do not take what it frees.
        let size = 64 * 1237;
        let (first, second) = (reserve(size).unwrap(), reserve(size).unwrap());
        assert_eq!(first.as_ptr() as usize % ALIGNMENT, 0);
        let distance = (first.as_ptr() as usize).abs_diff(second.as_ptr() as usize);
        assert!(distance >= size);
        release(first, size);
        assert_eq!(reserve(size), Some(first));
        let large = reserve(3 << 20).unwrap();
        assert_eq!(large.as_ptr() as usize % PAGE_BYTES, 0);
        release(large, 3 << 20);
    }

    #[test]
    fn large_ranges_are_reserved_alone_and_impossible_ones_refused() {
        assert!(reserve(2 << 30).is_some());
        assert_eq!(reserve(usize::MAX), None);
        assert_eq!(reserve(1 << 60), None);
    }
}
