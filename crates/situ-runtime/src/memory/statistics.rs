//! What memory pools hold and have done, in numbers.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::Device;
use crate::memory::usm::UsmKind;

/// What a pool, or several together, hold and have done. Sizes are those of blocks, which are
/// requests rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolStatistics {
    /// Blocks that users hold.
    pub used_blocks: u64,
    /// Their total size.
    pub used_bytes: u64,
    /// Blocks that no user holds, but work that is not done yet.
    pub pending_blocks: u64,
    /// Their total size.
    pub pending_bytes: u64,
    /// Blocks kept for reuse.
    pub idle_blocks: u64,
    /// Their total size.
    pub idle_bytes: u64,
    /// The most the pool had from the device at any moment: used, pending and idle together. For
    /// several pools, the sum.
    pub peak_bytes: u64,
    /// Requests since the start.
    pub requests: u64,
    /// Requests for which the device was asked, with or without success.
    pub system_requests: u64,
}

impl PoolStatistics {
    /// Requests that were served with memory used before.
    pub fn reused(&self) -> u64 {
        self.requests.saturating_sub(self.system_requests)
    }
}

impl AddAssign for PoolStatistics {
    fn add_assign(&mut self, other: Self) {
        self.used_blocks += other.used_blocks;
        self.used_bytes += other.used_bytes;
        self.pending_blocks += other.pending_blocks;
        self.pending_bytes += other.pending_bytes;
        self.idle_blocks += other.idle_blocks;
        self.idle_bytes += other.idle_bytes;
        self.peak_bytes += other.peak_bytes;
        self.requests += other.requests;
        self.system_requests += other.system_requests;
    }
}

impl std::iter::Sum for PoolStatistics {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

/// What the pools of one context hold and have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextStatistics {
    /// The number by which messages name the context.
    pub context_id: u64,
    /// The devices that see the memory.
    pub devices: Vec<Device>,
    /// The numbers for each kind of memory.
    pub kinds: [(UsmKind, PoolStatistics); UsmKind::ALL.len()],
}

/// Counts of one shard, on cache lines of their own. They survive `fork`: a child owns copies of
/// its parent's allocations and gives them back like its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Counters {
    taken_blocks: AtomicU64,
    taken_bytes: AtomicU64,
    returned_blocks: AtomicU64,
    returned_bytes: AtomicU64,
    pending_blocks: AtomicU64,
    pending_bytes: AtomicU64,
}

impl Counters {
    /// Counts a block that was taken.
    pub(super) fn take(&self, size_bytes: u64) {
        self.taken_blocks.fetch_add(1, Ordering::Relaxed);
        self.taken_bytes.fetch_add(size_bytes, Ordering::Relaxed);
    }

    /// As [`Self::take`], where a lock keeps other threads from counting here: additions that need
    /// not be indivisible cost next to nothing.
    pub(super) fn take_locked(&self, size_bytes: u64) {
        add(&self.taken_blocks, 1);
        add(&self.taken_bytes, size_bytes);
    }

    /// Counts a block that came back.
    pub(super) fn give_back(&self, size_bytes: u64) {
        self.returned_blocks.fetch_add(1, Ordering::Relaxed);
        self.returned_bytes.fetch_add(size_bytes, Ordering::Relaxed);
    }

    /// As [`Self::give_back`], with a lock as for [`Self::take_locked`].
    pub(super) fn give_back_locked(&self, size_bytes: u64) {
        add(&self.returned_blocks, 1);
        add(&self.returned_bytes, size_bytes);
    }

    /// Counts a block that from now on only work uses.
    pub(super) fn mark_pending(&self, size_bytes: u64) {
        self.pending_blocks.fetch_add(1, Ordering::Relaxed);
        self.pending_bytes.fetch_add(size_bytes, Ordering::Relaxed);
    }

    /// Counts such a block out.
    pub(super) fn end_pending(&self, size_bytes: u64) {
        self.pending_blocks.fetch_sub(1, Ordering::Relaxed);
        self.pending_bytes.fetch_sub(size_bytes, Ordering::Relaxed);
    }

    /// Number and total size of blocks that were ever taken.
    pub(super) fn taken(&self) -> (u64, u64) {
        pair(&self.taken_blocks, &self.taken_bytes)
    }

    /// Number and total size of blocks that came back.
    pub(super) fn returned(&self) -> (u64, u64) {
        pair(&self.returned_blocks, &self.returned_bytes)
    }

    /// Number and total size of blocks that only work uses.
    pub(super) fn pending(&self) -> (u64, u64) {
        pair(&self.pending_blocks, &self.pending_bytes)
    }
}

/// Adds to a counter that only the calling thread writes at present.
fn add(counter: &AtomicU64, amount: u64) {
    let count = counter.load(Ordering::Relaxed);
    counter.store(count + amount, Ordering::Relaxed);
}

fn pair(blocks: &AtomicU64, bytes: &AtomicU64) -> (u64, u64) {
    (
        blocks.load(Ordering::Relaxed),
        bytes.load(Ordering::Relaxed),
    )
}
