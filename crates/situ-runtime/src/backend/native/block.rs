//! Copying and filling memory of the host with all threads of a pool.
//!
//! One thread moves what it can, which is a part of what the machine's memory can do: two threads are
//! twice as fast as one here. Small blocks stay on the caller, because the pool measures before it shares
//! work out.

use std::ops::Range;

use super::pool::{CostEstimate, Pool, Work};
use super::scratch::Scratch;
use crate::error::Result;

/// Threads take so many bytes at a time, at least.
const GRANULE_BYTES: usize = 256 << 10;

/// Below this the clock is not even looked at.
const SMALL_BYTES: usize = 512 << 10;

/// Moves large blocks of bytes.
#[derive(Default)]
pub(super) struct BlockMover {
    copy_cost: CostEstimate,
    fill_cost: CostEstimate,
}

/// Addresses that threads may share: each works on bytes of its own.
#[derive(Clone, Copy)]
struct Ends {
    from: *const u8,
    to: *mut u8,
}

// SAFETY: these are addresses; whoever uses what is there answers for it.
unsafe impl Sync for Ends {}

impl Ends {
    /// Both ends, that many bytes further on.
    fn at(&self, offset: u64) -> (*const u8, *mut u8) {
        let offset = offset as usize;
        (self.from.wrapping_add(offset), self.to.wrapping_add(offset))
    }
}

impl BlockMover {
    /// Copies bytes; the places may overlap.
    ///
    /// # Safety
    /// The host can reach that many bytes at both places, and nobody else uses them meanwhile.
    pub(super) unsafe fn copy(
        &self,
        pool: &Pool,
        from: *const u8,
        to: *mut u8,
        size_bytes: usize,
    ) -> Result<()> {
        let is_apart = from.addr().abs_diff(to.addr()) >= size_bytes;
        if size_bytes < SMALL_BYTES || !is_apart {
            // SAFETY: as the caller promises.
            unsafe { std::ptr::copy(from, to, size_bytes) };
            return Ok(());
        }
        let ends = Ends { from, to };
        in_chunks(pool, size_bytes, &self.copy_cost, |chunk| {
            let (from, to) = ends.at(chunk.start);
            let len = (chunk.end - chunk.start) as usize;
            // SAFETY: chunks are inside both places and disjoint, and the places do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
        })
    }

    /// Sets bytes.
    ///
    /// # Safety
    /// As [`Self::copy`], for the one place.
    pub(super) unsafe fn fill(
        &self,
        pool: &Pool,
        to: *mut u8,
        size_bytes: usize,
        value: u8,
    ) -> Result<()> {
        if size_bytes < SMALL_BYTES {
            // SAFETY: as the caller promises.
            unsafe { to.write_bytes(value, size_bytes) };
            return Ok(());
        }
        let ends = Ends { from: to, to };
        in_chunks(pool, size_bytes, &self.fill_cost, |chunk| {
            let (_, to) = ends.at(chunk.start);
            // SAFETY: chunks are inside the place and disjoint.
            unsafe { to.write_bytes(value, (chunk.end - chunk.start) as usize) };
        })
    }
}

fn in_chunks(
    pool: &Pool,
    size_bytes: usize,
    cost: &CostEstimate,
    body: impl Fn(Range<u64>) + Sync,
) -> Result<()> {
    let work = Work {
        len: size_bytes as u64,
        granule: GRANULE_BYTES as u64,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost,
    };
    pool.run(&work, &|chunk: Range<u64>, _: &mut Scratch| body(chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_whatever_the_size_and_overlap() {
        let (mover, pool) = (BlockMover::default(), Pool::new(3));
        let most = 5 * GRANULE_BYTES + 77;
        for size_bytes in [0, 1, SMALL_BYTES - 1, SMALL_BYTES, GRANULE_BYTES * 4, most] {
            for (from, to) in [(0, most), (most + 3, 1), (0, 100), (100, 0), (5, 5)] {
                let before: Vec<u8> = (0..2 * most + 7).map(|at| (at % 251) as u8).collect();
                let mut expected = before.clone();
                expected.copy_within(from..from + size_bytes, to);
                let mut found = before;
                let start = found.as_mut_ptr();
                // SAFETY: both ranges are inside the vector, which nobody else uses.
                let copied =
                    unsafe { mover.copy(&pool, start.add(from), start.add(to), size_bytes) };
                copied.unwrap();
                assert!(found == expected, "{size_bytes} bytes from {from} to {to}");
            }
        }
    }

    #[test]
    fn fills_reach_exactly_their_range() {
        let (mover, pool) = (BlockMover::default(), Pool::new(3));
        for size_bytes in [0, 1, SMALL_BYTES, 3 * GRANULE_BYTES + 5] {
            let mut bytes = vec![1; size_bytes + 2];
            // SAFETY: the range is inside the vector, which nobody else uses.
            unsafe { mover.fill(&pool, bytes.as_mut_ptr().add(1), size_bytes, 7) }.unwrap();
            assert_eq!((bytes[0], bytes[size_bytes + 1]), (1, 1));
            assert!(bytes[1..=size_bytes].iter().all(|byte| *byte == 7));
        }
    }
}
