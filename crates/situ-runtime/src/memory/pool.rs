//! The pool allocations come from: blocks by size class, kept for the next user.
//!
//! Array programs make and drop temporaries of the same few sizes. Getting them from the system
//! each time costs a page fault per 4 KiB; a block that comes back from here has been touched
//! before. Each power of two is cut into four classes, so at most a fifth of a block is unused.
//! Each class has its own lock, held for a push or a pop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::backend::DeviceMemory;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::fork::ForkLocal;
use crate::memory::usm::UsmKind;

/// The smallest block: one cache line.
const MIN_BLOCK_BYTES: usize = 64;

/// Classes per power of two.
const STEPS: usize = 4;

/// Classes up to 2^48 bytes, more than any machine has.
const CLASSES: usize = (48 - MIN_BLOCK_BYTES.ilog2() as usize) * STEPS + 1;

/// Memory of some size class, in use.
#[derive(Debug)]
pub(crate) struct Block {
    memory: DeviceMemory,
    class: usize,
}

impl Block {
    /// Where it is.
    pub(crate) fn memory(&self) -> DeviceMemory {
        self.memory
    }
}

/// What a pool holds and has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolStatistics {
    /// Blocks in use.
    pub used_blocks: u64,
    /// Their total size, rounded up to size classes.
    pub used_bytes: u64,
    /// Blocks that no user holds, but work that is not done yet.
    pub pending_blocks: u64,
    /// Their total size.
    pub pending_bytes: u64,
    /// Memory kept for reuse.
    pub idle_bytes: u64,
    /// Requests since the start.
    pub requests: u64,
    /// Requests that had to ask the system.
    pub system_requests: u64,
}

/// The memory of one USM kind in one context.
pub(crate) struct MemoryPool {
    device: Device,
    kind: UsmKind,
    /// Idle memory beyond this is returned to the system.
    idle_limit_bytes: u64,
    shelves: ForkLocal<Shelves>,
    used_blocks: AtomicU64,
    used_bytes: AtomicU64,
    pending_blocks: AtomicU64,
    pending_bytes: AtomicU64,
    requests: AtomicU64,
    system_requests: AtomicU64,
}

/// Idle blocks. A forked child starts with none: another thread may have held a lock.
struct Shelves {
    classes: Box<[Mutex<Vec<DeviceMemory>>]>,
    idle_bytes: AtomicU64,
}

impl MemoryPool {
    pub(crate) fn new(device: Device, kind: UsmKind) -> Self {
        let idle_limit_bytes = device.info().memory_bytes / 4;
        Self {
            device,
            kind,
            idle_limit_bytes,
            shelves: ForkLocal::new(),
            used_blocks: AtomicU64::new(0),
            used_bytes: AtomicU64::new(0),
            pending_blocks: AtomicU64::new(0),
            pending_bytes: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            system_requests: AtomicU64::new(0),
        }
    }

    /// A block of at least `size_bytes`.
    pub(crate) fn take(&self, size_bytes: usize) -> Result<Block> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let class = class_of(size_bytes).ok_or_else(|| self.out_of_memory(size_bytes))?;
        let memory = match self.shelves().pop(class) {
            Some(memory) => memory,
            None => self.ask_system(size_bytes, class)?,
        };
        self.used_blocks.fetch_add(1, Ordering::Relaxed);
        self.used_bytes
            .fetch_add(bytes_of(class) as u64, Ordering::Relaxed);
        Ok(Block { memory, class })
    }

    /// Notes that a block has no user left, but still work that is not done.
    pub(crate) fn mark_pending(&self, block: &Block) {
        let size_bytes = bytes_of(block.class) as u64;
        self.used_blocks.fetch_sub(1, Ordering::Relaxed);
        self.used_bytes.fetch_sub(size_bytes, Ordering::Relaxed);
        self.pending_blocks.fetch_add(1, Ordering::Relaxed);
        self.pending_bytes.fetch_add(size_bytes, Ordering::Relaxed);
    }

    /// Keeps a block for the next user, or returns it to the system when enough is kept. The
    /// caller does not use it any more.
    pub(crate) fn give_back(&self, block: &Block, was_pending: bool) {
        let Block { memory, class } = *block;
        let size_bytes = bytes_of(class) as u64;
        let (blocks, bytes) = if was_pending {
            (&self.pending_blocks, &self.pending_bytes)
        } else {
            (&self.used_blocks, &self.used_bytes)
        };
        blocks.fetch_sub(1, Ordering::Relaxed);
        bytes.fetch_sub(size_bytes, Ordering::Relaxed);
        let shelves = self.shelves();
        if shelves.idle_bytes.load(Ordering::Relaxed) + size_bytes > self.idle_limit_bytes {
            self.release(memory, class);
        } else {
            shelves.push(memory, class);
        }
    }

    /// Whether the host may use this pool's memory by its address.
    pub(crate) fn is_host_accessible(&self) -> bool {
        self.device.driver().is_host_accessible(self.kind)
    }

    /// Returns all idle memory to the system, and how many bytes that was.
    pub(crate) fn trim(&self) -> u64 {
        let mut released = 0;
        for class in 0..CLASSES {
            while let Some(memory) = self.shelves().pop(class) {
                self.release(memory, class);
                released += bytes_of(class) as u64;
            }
        }
        released
    }

    pub(crate) fn statistics(&self) -> PoolStatistics {
        PoolStatistics {
            used_blocks: self.used_blocks.load(Ordering::Relaxed),
            used_bytes: self.used_bytes.load(Ordering::Relaxed),
            pending_blocks: self.pending_blocks.load(Ordering::Relaxed),
            pending_bytes: self.pending_bytes.load(Ordering::Relaxed),
            idle_bytes: self.shelves().idle_bytes.load(Ordering::Relaxed),
            requests: self.requests.load(Ordering::Relaxed),
            system_requests: self.system_requests.load(Ordering::Relaxed),
        }
    }

    fn shelves(&self) -> &Shelves {
        self.shelves.get_or_init(Shelves::default)
    }

    /// Asks the device for a new block; when it has none, gives idle memory back and asks again.
    #[cold]
    fn ask_system(&self, size_bytes: usize, class: usize) -> Result<DeviceMemory> {
        self.system_requests.fetch_add(1, Ordering::Relaxed);
        let rounded = bytes_of(class);
        if size_bytes as u64 > self.device.info().memory_bytes {
            return Err(self.out_of_memory(size_bytes));
        }
        let driver = self.device.driver();
        driver
            .allocate(rounded, self.kind)
            .or_else(|| {
                self.trim();
                driver.allocate(rounded, self.kind)
            })
            .ok_or_else(|| self.out_of_memory(size_bytes))
    }

    fn release(&self, memory: DeviceMemory, class: usize) {
        // SAFETY: the block came from this driver with this size, and nobody uses it any more.
        unsafe {
            let driver = self.device.driver();
            driver.free(memory, bytes_of(class), self.kind);
        }
    }

    fn out_of_memory(&self, size_bytes: usize) -> Error {
        let statistics = self.statistics();
        Error::OutOfMemory {
            size_bytes,
            kind: self.kind,
            device: self.device.filter_string(),
            device_bytes: self.device.info().memory_bytes,
            used_bytes: statistics.used_bytes,
            idle_bytes: statistics.idle_bytes,
        }
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        self.trim();
    }
}

impl Default for Shelves {
    fn default() -> Self {
        let classes = (0..CLASSES).map(|_| Mutex::new(Vec::new())).collect();
        Self {
            classes,
            idle_bytes: AtomicU64::new(0),
        }
    }
}

impl Shelves {
    fn pop(&self, class: usize) -> Option<DeviceMemory> {
        let mut shelf = self.classes[class]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let memory = shelf.pop()?;
        self.idle_bytes
            .fetch_sub(bytes_of(class) as u64, Ordering::Relaxed);
        Some(memory)
    }

    fn push(&self, memory: DeviceMemory, class: usize) {
        let mut shelf = self.classes[class]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        shelf.push(memory);
        self.idle_bytes
            .fetch_add(bytes_of(class) as u64, Ordering::Relaxed);
    }
}

/// The smallest class that holds `size_bytes`; `None` when no class does.
fn class_of(size_bytes: usize) -> Option<usize> {
    if size_bytes <= MIN_BLOCK_BYTES {
        return Some(0);
    }
    // Within a power of two, the two bits below the leading one of `size - 1` tell the quarter.
    let last = size_bytes - 1;
    let power = last.ilog2() as usize;
    let quarter = (last >> (power - 2)) & (STEPS - 1);
    let class = (power - MIN_BLOCK_BYTES.ilog2() as usize) * STEPS + quarter + 1;
    (class < CLASSES).then_some(class)
}

/// The size of a class's blocks.
fn bytes_of(class: usize) -> usize {
    match class.checked_sub(1) {
        None => MIN_BLOCK_BYTES,
        Some(step) => {
            let power = MIN_BLOCK_BYTES << (step / STEPS);
            power + (power / STEPS) * (step % STEPS + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> MemoryPool {
        MemoryPool::new(Device::default_device(), UsmKind::Device)
    }

    #[test]
    fn classes_hold_their_sizes_with_little_waste() {
        for size in (0..5000).chain((12..47).flat_map(|p| [(1 << p) - 1, 1 << p, (1 << p) + 1])) {
            let class = class_of(size).unwrap();
            assert!(bytes_of(class) >= size, "{size}");
            assert!(class == 0 || bytes_of(class - 1) < size, "{size}");
            assert!(
                size < 256 || bytes_of(class) <= size + size / 4 + 1,
                "{size}"
            );
        }
        assert_eq!(class_of(1 << 60), None);
        assert_eq!(class_of(usize::MAX), None);
    }

    #[test]
    fn blocks_are_aligned_writable_and_reused() {
        let pool = pool();
        for size in [0, 1, 64, 100, 4096, 100_000, 5 << 20] {
            let block = pool.take(size).unwrap();
            let address = block.memory().backing;
            assert_eq!(address.as_ptr() as usize % 64, 0);
            if size >= 1 << 20 {
                assert_eq!(address.as_ptr() as usize % 4096, 0);
            }
            // SAFETY: the block has at least `size` bytes and is ours.
            unsafe { address.as_ptr().write_bytes(7, size) };
            pool.give_back(&block, false);
            let again = pool.take(size).unwrap();
            assert_eq!(again.memory().backing, address);
            pool.give_back(&again, false);
        }
        let statistics = pool.statistics();
        assert_eq!((statistics.used_blocks, statistics.used_bytes), (0, 0));
        assert_eq!((statistics.requests, statistics.system_requests), (14, 5));
        assert_eq!(pool.trim(), statistics.idle_bytes);
        assert_eq!(pool.statistics().idle_bytes, 0);
    }

    #[test]
    fn impossible_requests_are_refused_with_the_facts() {
        let pool = pool();
        let held = pool.take(1000).unwrap();
        for size in [1 << 60, usize::MAX, 1 << 47] {
            match pool.take(size) {
                Err(Error::OutOfMemory {
                    size_bytes,
                    used_bytes,
                    device,
                    ..
                }) => {
                    assert_eq!((size_bytes, used_bytes), (size, 1024));
                    assert_eq!(device, "native:cpu:0");
                }
                other => panic!("unexpected {other:?}"),
            }
        }
        pool.give_back(&held, false);
    }

    #[test]
    fn idle_memory_is_bounded() {
        let mut pool = pool();
        pool.idle_limit_bytes = 1 << 20;
        let blocks: Vec<Block> = (0..64).map(|_| pool.take(64 << 10).unwrap()).collect();
        for block in blocks {
            pool.give_back(&block, false);
        }
        assert_eq!(pool.statistics().idle_bytes, 1 << 20);
    }

    #[test]
    fn threads_never_share_a_block() {
        let pool = pool();
        std::thread::scope(|scope| {
            for mark in 0..8u8 {
                let pool = &pool;
                scope.spawn(move || {
                    for round in 0..500 {
                        let size = 64 + (round * 37) % 3000;
                        let block = pool.take(size).unwrap();
                        let start = block.memory().backing.as_ptr();
                        // SAFETY: the block has at least `size` bytes and is ours.
                        unsafe {
                            start.write_bytes(mark, size);
                            std::thread::yield_now();
                            assert!((0..size).all(|offset| *start.add(offset) == mark));
                        }
                        pool.give_back(&block, false);
                    }
                });
            }
        });
        assert_eq!(pool.statistics().used_bytes, 0);
    }
}
