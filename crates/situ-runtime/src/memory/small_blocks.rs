//! Idle small blocks, in shards so that threads do not meet.
//!
//! Each thread takes small blocks from one shard, and a block goes back to the shard it came from,
//! whoever drops it: a thread that makes arrays and one that runs their kernels do not drain each
//! other. A shard's lock is contended only when two threads share a shard or one frees what the
//! other took. A thread whose shard is empty looks at the others before the system is asked, so
//! what a finished thread left behind is used, too.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::idle_stack::Stack;
use super::size_class::SizeClass;
use super::statistics::Counters;
use crate::backend::DeviceMemory;

/// The number of shards; a power of two.
pub(super) const SHARDS: usize = 16;

/// The shard this thread takes blocks from.
pub(super) fn shard_of_this_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    // A thread that is ending frees its last arrays when this may be gone already.
    SHARD.try_with(|shard| *shard).unwrap_or(0)
}

/// Idle blocks of all small classes.
pub(super) struct SmallBlocks {
    /// Not in the structure itself: it is made on the stack of any thread.
    shards: Box<[Shard]>,
}

/// On cache lines of its own, so that threads with different shards share nothing.
#[derive(Default)]
#[repr(align(128))]
struct Shard {
    shelves: Mutex<Shelves>,
    /// Written under the lock, read without: whether looking in is worth while.
    idle_blocks: AtomicUsize,
}

struct Shelves {
    classes: [Stack; SizeClass::SMALL],
    idle_bytes: u64,
}

impl Default for Shelves {
    fn default() -> Self {
        Self {
            classes: std::array::from_fn(|_| Stack::default()),
            idle_bytes: 0,
        }
    }
}

impl Shard {
    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a block off its shelf and calls `count` with the lock still held.
    fn pop(&self, position: usize, count: impl FnOnce()) -> Option<DeviceMemory> {
        let mut shelves = self.lock();
        let memory = shelves.classes[position].pop()?;
        shelves.idle_bytes -= SizeClass::small(position).size_bytes() as u64;
        let blocks = self.idle_blocks.load(Ordering::Relaxed);
        self.idle_blocks.store(blocks - 1, Ordering::Relaxed);
        count();
        Some(memory)
    }

    /// Takes the blocks off a shelf that nobody took since the last call.
    fn take_unused(&self, position: usize) -> Vec<DeviceMemory> {
        let mut shelves = self.lock();
        let unused = shelves.classes[position].take_unused();
        let size_bytes = SizeClass::small(position).size_bytes();
        shelves.idle_bytes -= (unused.len() * size_bytes) as u64;
        let blocks = self.idle_blocks.load(Ordering::Relaxed);
        self.idle_blocks
            .store(blocks - unused.len(), Ordering::Relaxed);
        unused
    }
}

impl SmallBlocks {
    pub(super) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
        }
    }

    /// An idle block, if there is one, counted by this shard's `counters`: of this shard, or else of
    /// any other.
    pub(super) fn pop(
        &self,
        position: usize,
        shard: usize,
        counters: &Counters,
    ) -> Option<DeviceMemory> {
        let count = || counters.take_locked(SizeClass::small(position).size_bytes() as u64);
        self.shards[shard]
            .pop(position, count)
            .or_else(|| self.pop_elsewhere(position, shard, counters))
    }

    #[cold]
    fn pop_elsewhere(
        &self,
        position: usize,
        shard: usize,
        counters: &Counters,
    ) -> Option<DeviceMemory> {
        let memory = self
            .shards
            .iter()
            .filter(|other| other.idle_blocks.load(Ordering::Relaxed) > 0)
            .find_map(|other| other.pop(position, || ()))?;
        self.count_fresh(position, shard, counters);
        Some(memory)
    }

    /// Counts a block that was on no shelf of this shard.
    pub(super) fn count_fresh(&self, position: usize, shard: usize, counters: &Counters) {
        let _shelves = self.shards[shard].lock();
        counters.take_locked(SizeClass::small(position).size_bytes() as u64);
    }

    /// Counts a block that came back and keeps it, unless its shard would then keep more than
    /// `limit_bytes`.
    pub(super) fn push(
        &self,
        memory: DeviceMemory,
        position: usize,
        shard: usize,
        counters: &Counters,
        limit_bytes: u64,
    ) -> bool {
        let shard = &self.shards[shard];
        let mut shelves = shard.lock();
        counters.give_back_locked(SizeClass::small(position).size_bytes() as u64);
        let idle_bytes = shelves.idle_bytes + SizeClass::small(position).size_bytes() as u64;
        if idle_bytes > limit_bytes {
            return false;
        }
        shelves.classes[position].push(memory);
        shelves.idle_bytes = idle_bytes;
        let blocks = shard.idle_blocks.load(Ordering::Relaxed);
        shard.idle_blocks.store(blocks + 1, Ordering::Relaxed);
        true
    }

    /// Hands all idle blocks to `release`.
    pub(super) fn drain(&self, mut release: impl FnMut(DeviceMemory, SizeClass)) {
        for shard in &self.shards {
            for position in 0..SizeClass::SMALL {
                while let Some(memory) = shard.pop(position, || ()) {
                    release(memory, SizeClass::small(position));
                }
            }
        }
    }

    /// Hands the blocks to `release` that nobody took since the last call.
    pub(super) fn drain_unused(&self, mut release: impl FnMut(DeviceMemory, SizeClass)) {
        for shard in &self.shards {
            for position in 0..SizeClass::SMALL {
                for memory in shard.take_unused(position) {
                    release(memory, SizeClass::small(position));
                }
            }
        }
    }

    /// Number and total size of idle blocks.
    pub(super) fn idle(&self) -> (u64, u64) {
        self.shards.iter().fold((0, 0), |(blocks, bytes), shard| {
            let shelves = shard.lock();
            (
                blocks + shard.idle_blocks.load(Ordering::Relaxed) as u64,
                bytes + shelves.idle_bytes,
            )
        })
    }
}
