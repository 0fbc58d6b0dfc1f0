//! The pool allocations come from: blocks by size class, kept for the next user.
//!
//! Array programs make and drop temporaries of the same few sizes. Getting them from the system
//! each time costs a page fault per 4 KiB; a block that comes back from here has been touched
//! before. A pool belongs to one context and one USM kind. What happens when it is empty is decided
//! for the context as a whole, see [`ContextMemory`](super::context_memory::ContextMemory).

use std::sync::atomic::{AtomicU64, Ordering};

use super::idle_trim;
use super::large_blocks::LargeBlocks;
use super::size_class::{Position, SizeClass};
use super::small_blocks::{self, SHARDS, SmallBlocks};
use super::statistics::{Counters, PoolStatistics};
use crate::backend::DeviceMemory;
use crate::device::Device;
use crate::fork::ForkLocal;
use crate::memory::usm::UsmKind;

/// What drivers promise sizes to be multiples of; see [`crate::backend::Driver::allocate`].
const BLOCK_MULTIPLE: usize = 64;

/// The counters of large blocks come after those of the shards.
const LARGE: usize = SHARDS;

/// Memory of some size class, in use.
#[derive(Debug)]
pub(crate) struct Block {
    memory: DeviceMemory,
    class: SizeClass,
    /// Where it goes back to, and is counted.
    shard: u16,
}

impl Block {
    fn new(memory: DeviceMemory, class: SizeClass, shard: usize) -> Self {
        Self {
            memory,
            class,
            shard: shard as u16,
        }
    }

    /// Where it is.
    pub(crate) fn memory(&self) -> DeviceMemory {
        self.memory
    }

    fn size_bytes(&self) -> u64 {
        self.class.size_bytes() as u64
    }
}

/// The memory of one USM kind in one context.
pub(super) struct MemoryPool {
    device: Device,
    kind: UsmKind,
    /// The most that the device gives at once. Blocks of a larger class have this size.
    max_block_bytes: usize,
    limits: IdleLimits,
    counters: [Counters; SHARDS + 1],
    system_requests: AtomicU64,
    failed_requests: AtomicU64,
    peak_bytes: AtomicU64,
    shelves: ForkLocal<Shelves>,
}

/// How much a pool keeps. What is beyond goes back to the system.
struct IdleLimits {
    /// Small blocks, in each shard.
    small_bytes: u64,
    /// Large blocks.
    large_bytes: u64,
}

/// Idle blocks. A forked child starts with none: another thread may have held a lock.
struct Shelves {
    small: SmallBlocks,
    large: LargeBlocks,
    /// What the system has given and not got back.
    held_bytes: AtomicU64,
}

impl MemoryPool {
    pub(super) fn new(device: Device, kind: UsmKind) -> Self {
        let idle_bytes = device.info().memory_bytes / 4;
        // Memory of the host is limited by the host.
        let max_block_bytes = match kind {
            UsmKind::Host => usize::MAX,
            UsmKind::Device | UsmKind::Shared => {
                let most = device.info().max_allocation_bytes;
                usize::try_from(most).map_or(usize::MAX, |most| most - most % BLOCK_MULTIPLE)
            }
        };
        Self {
            device,
            kind,
            max_block_bytes,
            limits: IdleLimits {
                small_bytes: idle_bytes / 8 / SHARDS as u64,
                large_bytes: idle_bytes,
            },
            counters: Default::default(),
            system_requests: AtomicU64::new(0),
            failed_requests: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
            shelves: ForkLocal::new(),
        }
    }

    /// Whether the host may use this pool's memory by its address.
    pub(super) fn is_host_accessible(&self) -> bool {
        self.device.driver().is_host_accessible(self.kind)
    }

    /// A block that was used before.
    pub(super) fn take_idle(&self, class: SizeClass) -> Option<Block> {
        let shelves = self.shelves();
        match class.position() {
            Position::Small(position) => {
                let shard = small_blocks::shard_of_this_thread();
                let memory = shelves.small.pop(position, shard, &self.counters[shard])?;
                Some(Block::new(memory, class, shard))
            }
            Position::Large(position) => {
                let memory = shelves.large.pop(position)?;
                self.counters[LARGE].take(class.size_bytes() as u64);
                Some(Block::new(memory, class, LARGE))
            }
        }
    }

    /// A block from the device; `None` when it has none.
    pub(super) fn take_fresh(&self, class: SizeClass) -> Option<Block> {
        let driver = self.device.driver();
        let memory = driver.allocate(self.block_bytes(class), self.kind)?;
        let shelves = self.shelves();
        let size_bytes = class.size_bytes() as u64;
        let before = shelves.held_bytes.fetch_add(size_bytes, Ordering::Relaxed);
        let held = before + size_bytes;
        self.peak_bytes.fetch_max(held, Ordering::Relaxed);
        match class.position() {
            Position::Small(position) => {
                let shard = small_blocks::shard_of_this_thread();
                let counters = &self.counters[shard];
                shelves.small.count_fresh(position, shard, counters);
                Some(Block::new(memory, class, shard))
            }
            Position::Large(_) => {
                self.counters[LARGE].take(size_bytes);
                Some(Block::new(memory, class, LARGE))
            }
        }
    }

    /// The most that can be asked for at once.
    pub(super) fn max_block_bytes(&self) -> usize {
        self.max_block_bytes
    }

    /// How large blocks of a class are. Nobody asks for more than that, so they are all alike.
    fn block_bytes(&self, class: SizeClass) -> usize {
        class.size_bytes().min(self.max_block_bytes)
    }

    /// Notes that the device is asked for memory.
    pub(super) fn count_system_request(&self) {
        self.system_requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that there was no memory.
    pub(super) fn count_failed_request(&self) {
        self.failed_requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a block has no user left, but still work that is not done.
    pub(super) fn mark_pending(&self, block: &Block) {
        self.counters[usize::from(block.shard)].mark_pending(block.size_bytes());
        if let Position::Large(position) = block.class.position() {
            self.shelves().large.add_pending(position);
        }
    }

    /// How many blocks of a class will come back when work is done, as far as waiting for them is
    /// worth while: small blocks are not waited for.
    pub(super) fn pending_large(&self, class: SizeClass) -> usize {
        match class.position() {
            Position::Small(_) => 0,
            Position::Large(position) => self.shelves().large.pending(position),
        }
    }

    /// Keeps a block for the next user, or returns it to the system when enough is kept. The
    /// caller does not use it any more.
    pub(super) fn give_back(&self, block: &Block, was_pending: bool) {
        let Block {
            memory,
            class,
            shard,
        } = *block;
        let shard = usize::from(shard);
        let (shelves, counters) = (self.shelves(), &self.counters[shard]);
        match class.position() {
            Position::Small(position) => {
                let limit = self.limits.small_bytes;
                if shelves.small.push(memory, position, shard, counters, limit) {
                    idle_trim::note_idle();
                } else {
                    self.release(memory, class);
                }
            }
            Position::Large(position) => {
                counters.give_back(block.size_bytes());
                if block.size_bytes() > self.limits.large_bytes {
                    self.release(memory, class);
                } else {
                    self.keep_large(memory, position);
                    idle_trim::note_idle();
                }
                if was_pending {
                    shelves.large.end_pending(position);
                }
            }
        }
        if was_pending {
            counters.end_pending(block.size_bytes());
        }
    }

    /// Keeps a large block; if that is too much, others go, of other sizes if possible.
    fn keep_large(&self, memory: DeviceMemory, position: usize) {
        let large = &self.shelves().large;
        let limit = self.limits.large_bytes;
        large.push(memory, position);
        if large.idle_bytes() > limit {
            large.make_room(position, limit, |memory, class| self.release(memory, class));
        }
        while large.idle_bytes() > limit {
            match large.pop(position) {
                Some(memory) => self.release(memory, SizeClass::large(position)),
                None => break,
            }
        }
    }

    /// Returns all idle memory to the system, and how many bytes that was.
    pub(super) fn trim(&self) -> u64 {
        let mut released = 0;
        let mut release = |memory, class: SizeClass| {
            self.release(memory, class);
            released += class.size_bytes() as u64;
        };
        self.shelves().small.drain(&mut release);
        self.shelves().large.drain(&mut release);
        released
    }

    /// Returns blocks to the system that nobody took since the last call; tells how many bytes are still idle.
    pub(super) fn release_unused(&self) -> u64 {
        let shelves = self.shelves();
        let mut release = |memory, class: SizeClass| self.release(memory, class);
        shelves.small.drain_unused(&mut release);
        shelves.large.drain_unused(&mut release);
        shelves.small.idle().1 + shelves.large.idle_bytes()
    }

    pub(super) fn statistics(&self) -> PoolStatistics {
        let sum = |count: fn(&Counters) -> (u64, u64)| {
            self.counters
                .iter()
                .map(count)
                .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        // In this order: whatever happens meanwhile, nothing is counted before it was taken.
        let pending = sum(Counters::pending);
        let returned = sum(Counters::returned);
        let taken = sum(Counters::taken);
        let shelves = self.shelves();
        let (small, large) = (shelves.small.idle(), shelves.large.idle());
        PoolStatistics {
            used_blocks: taken.0.saturating_sub(returned.0 + pending.0),
            used_bytes: taken.1.saturating_sub(returned.1 + pending.1),
            pending_blocks: pending.0,
            pending_bytes: pending.1,
            idle_blocks: small.0 + large.0,
            idle_bytes: small.1 + large.1,
            peak_bytes: self.peak_bytes.load(Ordering::Relaxed),
            requests: taken.0 + self.failed_requests.load(Ordering::Relaxed),
            system_requests: self.system_requests.load(Ordering::Relaxed),
        }
    }

    /// Total size of blocks that only work uses.
    pub(super) fn pending_bytes(&self) -> u64 {
        self.counters
            .iter()
            .map(|counters| counters.pending().1)
            .sum()
    }

    fn shelves(&self) -> &Shelves {
        self.shelves.get_or_init(|| {
            // What a forked child finds in use is its own from now on.
            let in_use: u64 = self
                .counters
                .iter()
                .map(|counters| counters.taken().1 - counters.returned().1)
                .sum();
            Shelves {
                small: SmallBlocks::new(),
                large: LargeBlocks::new(),
                held_bytes: AtomicU64::new(in_use),
            }
        })
    }

    fn release(&self, memory: DeviceMemory, class: SizeClass) {
        let size_bytes = class.size_bytes();
        let held_bytes = &self.shelves().held_bytes;
        held_bytes.fetch_sub(size_bytes as u64, Ordering::Relaxed);
        // SAFETY: the block came from this driver with this size, and nobody uses it any more.
        unsafe {
            self.device
                .driver()
                .free(memory, self.block_bytes(class), self.kind);
        }
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        self.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: UsmKind = UsmKind::Shared;

    #[test]
    fn idle_small_memory_is_bounded() {
        let mut pool = MemoryPool::new(Device::default_device(), KIND);
        pool.limits.small_bytes = 1 << 20;
        let class = SizeClass::holding(64 << 10).unwrap();
        let blocks: Vec<Block> = (0..64).map(|_| pool.take_fresh(class).unwrap()).collect();
        for block in &blocks {
            pool.give_back(block, false);
        }
        assert_eq!(pool.statistics().idle_bytes, 1 << 20);
    }

    #[test]
    fn blocks_that_nobody_took_for_a_while_go_back() {
        for size_bytes in [64 << 10, 2 << 20] {
            let pool = MemoryPool::new(Device::default_device(), KIND);
            let class = SizeClass::holding(size_bytes).unwrap();
            let blocks: Vec<Block> = (0..3).map(|_| pool.take_fresh(class).unwrap()).collect();
            for block in &blocks {
                pool.give_back(block, false);
            }
            let idle = || pool.statistics().idle_blocks;
            pool.release_unused();
            assert_eq!(idle(), 3, "they have just come");
            // A loop with two temporaries.
            for _ in 0..5 {
                let used = [(); 2].map(|()| pool.take_idle(class).unwrap());
                for block in &used {
                    pool.give_back(block, false);
                }
                pool.release_unused();
                assert_eq!(idle(), 2);
            }
            assert_eq!(pool.release_unused(), 0);
            assert_eq!(idle(), 0);
        }
    }

    #[test]
    fn beyond_the_limit_large_blocks_of_other_sizes_go_first() {
        let mut pool = MemoryPool::new(Device::default_device(), KIND);
        pool.limits.large_bytes = 8 << 20;
        let take = |size: usize| pool.take_fresh(SizeClass::holding(size).unwrap()).unwrap();
        let (old, new) = (
            [take(4 << 20), take(4 << 20)],
            [take(2 << 20), take(2 << 20)],
        );
        for block in old.iter().chain(&new) {
            pool.give_back(block, false);
        }
        let idle = pool.statistics();
        assert_eq!((idle.idle_blocks, idle.idle_bytes), (3, 8 << 20));
        assert!(pool.take_idle(new[0].class).is_some());
        assert!(pool.take_idle(new[0].class).is_some());

        let too_large = take(16 << 20);
        pool.give_back(&too_large, false);
        assert!(pool.take_idle(too_large.class).is_none());
    }
}
