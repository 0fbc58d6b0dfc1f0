//! Idle large blocks, shared by all threads, and how many more will come back.
//!
//! A fresh large block costs a page fault for every page it has, so these are kept with care: when
//! too much is idle, blocks of other sizes go before the one that was used last.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::idle_stack::Stack;
use super::size_class::SizeClass;
use crate::backend::DeviceMemory;

/// Idle blocks of all large classes.
pub(super) struct LargeBlocks {
    /// Not in the structure itself: it is made on the stack of any thread.
    shelves: Box<[Shelf]>,
    idle_blocks: AtomicU64,
    idle_bytes: AtomicU64,
}

#[derive(Default)]
struct Shelf {
    idle: Mutex<Stack>,
    /// Blocks of this class that only work uses.
    pending: AtomicUsize,
}

impl Shelf {
    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LargeBlocks {
    pub(super) fn new() -> Self {
        Self {
            shelves: (0..SizeClass::LARGE).map(|_| Shelf::default()).collect(),
            idle_blocks: AtomicU64::new(0),
            idle_bytes: AtomicU64::new(0),
        }
    }

    pub(super) fn pop(&self, position: usize) -> Option<DeviceMemory> {
        let memory = self.shelves[position].lock().pop()?;
        self.count_removed(position, 1);
        Some(memory)
    }

    fn count_removed(&self, position: usize, blocks: u64) {
        let size_bytes = blocks * SizeClass::large(position).size_bytes() as u64;
        self.idle_blocks.fetch_sub(blocks, Ordering::Relaxed);
        self.idle_bytes.fetch_sub(size_bytes, Ordering::Relaxed);
    }

    pub(super) fn push(&self, memory: DeviceMemory, position: usize) {
        let size_bytes = SizeClass::large(position).size_bytes() as u64;
        // Counted first: whoever pops it must not count below zero.
        self.idle_blocks.fetch_add(1, Ordering::Relaxed);
        self.idle_bytes.fetch_add(size_bytes, Ordering::Relaxed);
        self.shelves[position].lock().push(memory);
    }

    /// Hands blocks of other sizes to `release`, the largest first, until less than `limit_bytes`
    /// is idle or none is left.
    pub(super) fn make_room(
        &self,
        position: usize,
        limit_bytes: u64,
        mut release: impl FnMut(DeviceMemory, SizeClass),
    ) {
        for other in (0..SizeClass::LARGE)
            .rev()
            .filter(|&other| other != position)
        {
            while self.idle_bytes.load(Ordering::Relaxed) > limit_bytes {
                match self.pop(other) {
                    Some(memory) => release(memory, SizeClass::large(other)),
                    None => break,
                }
            }
        }
    }

    /// Hands all idle blocks to `release`.
    pub(super) fn drain(&self, mut release: impl FnMut(DeviceMemory, SizeClass)) {
        for position in 0..SizeClass::LARGE {
            while let Some(memory) = self.pop(position) {
                release(memory, SizeClass::large(position));
            }
        }
    }

    /// Hands the blocks to `release` that nobody took since the last call.
    pub(super) fn drain_unused(&self, mut release: impl FnMut(DeviceMemory, SizeClass)) {
        for (position, shelf) in self.shelves.iter().enumerate() {
            let unused = shelf.lock().take_unused();
            self.count_removed(position, unused.len() as u64);
            for memory in unused {
                release(memory, SizeClass::large(position));
            }
        }
    }

    /// Number and total size of idle blocks.
    pub(super) fn idle(&self) -> (u64, u64) {
        (
            self.idle_blocks.load(Ordering::Relaxed),
            self.idle_bytes.load(Ordering::Relaxed),
        )
    }

    /// Total size of idle blocks.
    pub(super) fn idle_bytes(&self) -> u64 {
        self.idle_bytes.load(Ordering::Relaxed)
    }

    /// How many blocks of a class will come back when work is done.
    pub(super) fn pending(&self, position: usize) -> usize {
        self.shelves[position].pending.load(Ordering::Acquire)
    }

    /// Notes that a block will come back when work is done.
    pub(super) fn add_pending(&self, position: usize) {
        self.shelves[position]
            .pending
            .fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that such a block has come back. Call after [`Self::push`]: whoever sees that none is
    /// pending any more looks for it here once more.
    pub(super) fn end_pending(&self, position: usize) {
        // A forked child frees blocks that were pending in its parent, which it never counted.
        let _ = self.shelves[position].pending.fetch_update(
            Ordering::Release,
            Ordering::Relaxed,
            |pending| pending.checked_sub(1),
        );
    }
}
