//! Copies between two drivers neither of which reaches the other's memory: through the host, in pieces.
//!
//! While one driver writes a piece, the other reads the next, so that two devices with copy engines of their own
//! are both busy. The memory in between is `host` memory of one of the contexts, which its driver reads and
//! writes without a copy of its own, and comes from the context's pool, so that its pages are there.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::place::Keeper;
use crate::error::Result;
use crate::memory::usm::{Memory, UsmKind};

/// How much is on the way at once: long against a command's own cost, short enough for caches.
const PIECE_BYTES: usize = 1 << 20;

/// While one piece is written, another is read.
const SLOTS: usize = 2;

/// A place that only its keeper reaches.
#[derive(Clone, Copy)]
pub(super) struct Remote<'a> {
    pub(super) keeper: Keeper<'a>,
    pub(super) start: *mut u8,
}

/// Copies bytes from one remote place to another.
///
/// # Safety
/// Both places have as many bytes and are their keepers'; nobody writes the one or uses the other
/// meanwhile.
pub(super) unsafe fn copy(from: Remote<'_>, to: Remote<'_>, size_bytes: usize) -> Result<()> {
    let mut stage = Stage::new(
        [from.keeper, to.keeper],
        size_bytes.min(SLOTS * PIECE_BYTES),
    );
    let transit = Transit {
        from,
        to,
        size_bytes,
        stage: stage.start(),
    };
    if size_bytes > PIECE_BYTES {
        return transit.run_on_two_threads();
    }
    transit.read(0, 0).and_then(|()| transit.write(0, 0))
}

/// A copy that is under way. Whoever made it answers for the places.
struct Transit<'a> {
    from: Remote<'a>,
    to: Remote<'a>,
    size_bytes: usize,
    /// Room for as many pieces as there are slots, or for all bytes if they are fewer.
    stage: *mut u8,
}

// SAFETY: drivers and contexts may be used by any thread; the rest are addresses, and the two threads use
// different slots at any moment.
unsafe impl Sync for Transit<'_> {}

impl Transit<'_> {
    fn pieces(&self) -> usize {
        self.size_bytes.div_ceil(PIECE_BYTES)
    }

    /// Where a piece starts, and how long it is.
    fn piece(&self, number: usize) -> (usize, usize) {
        let start = number * PIECE_BYTES;
        (start, (self.size_bytes - start).min(PIECE_BYTES))
    }

    fn slot(&self, number: usize) -> *mut u8 {
        self.stage.wrapping_add(number * PIECE_BYTES)
    }

    /// Gets a piece into a slot.
    fn read(&self, piece: usize, slot: usize) -> Result<()> {
        let (start, len) = self.piece(piece);
        let from = self.from.start.wrapping_add(start);
        // SAFETY: the piece is inside the source, which is its driver's, and fits into the slot, which is
        // memory of the host.
        unsafe { self.from.keeper.driver.copy(from, self.slot(slot), len) }
    }

    /// Gets a piece from a slot to where it belongs.
    fn write(&self, piece: usize, slot: usize) -> Result<()> {
        let (start, len) = self.piece(piece);
        let to = self.to.start.wrapping_add(start);
        // SAFETY: as in `read`.
        unsafe { self.to.keeper.driver.copy(self.slot(slot), to, len) }
    }

    /// Reads on another thread and writes on this one.
    fn run_on_two_threads(&self) -> Result<()> {
        let (filled, to_write) = sync_channel(SLOTS);
        let (emptied, to_fill) = sync_channel(SLOTS);
        for slot in 0..SLOTS {
            emptied.send(slot).expect("there is room for every slot");
        }
        thread::scope(|scope| {
            let name = "situ-staging".to_owned();
            let reader = thread::Builder::new()
                .name(name)
                .spawn_scoped(scope, move || self.read_all(&to_fill, &filled));
            let Ok(reader) = reader else {
                return self.run_on_this_thread();
            };
            let written = self.write_all(&to_write, &emptied);
            // Without these, a reader that still has something to read stops.
            drop((to_write, emptied));
            let read = reader.join().unwrap_or_else(|panic| resume_unwind(panic));
            written.and(read)
        })
    }

    /// Reads and writes in turns, for when the system refuses a thread.
    fn run_on_this_thread(&self) -> Result<()> {
        (0..self.pieces()).try_for_each(|piece| {
            self.read(piece, 0)?;
            self.write(piece, 0)
        })
    }

    /// Reads every piece; stops early when nobody writes any more.
    fn read_all(&self, to_fill: &Receiver<usize>, filled: &SyncSender<usize>) -> Result<()> {
        for piece in 0..self.pieces() {
            let Ok(slot) = to_fill.recv() else {
                return Ok(());
            };
            self.read(piece, slot)?;
            if filled.send(slot).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes every piece; stops early when nobody reads any more.
    fn write_all(&self, to_write: &Receiver<usize>, emptied: &SyncSender<usize>) -> Result<()> {
        for piece in 0..self.pieces() {
            let Ok(slot) = to_write.recv() else {
                return Ok(());
            };
            self.write(piece, slot)?;
            // After the last pieces, the reader is gone.
            let _ = emptied.send(slot);
        }
        Ok(())
    }
}

/// Memory of the host that bytes pass through.
enum Stage {
    /// From a context's pool, where its driver wants it.
    Pinned(Memory),
    /// From anywhere, if neither context has any.
    Plain(Vec<u8>),
}

impl Stage {
    fn new(keepers: [Keeper<'_>; 2], size_bytes: usize) -> Self {
        let pinned = |keeper: Keeper<'_>| Memory::new(keeper.context, size_bytes, UsmKind::Host);
        let mut found = keepers.into_iter().filter_map(|keeper| pinned(keeper).ok());
        found
            .next()
            .map_or_else(|| Self::Plain(vec![0; size_bytes]), Self::Pinned)
    }

    fn start(&mut self) -> *mut u8 {
        match self {
            Self::Pinned(memory) => memory.backing_ptr(),
            Self::Plain(bytes) => bytes.as_mut_ptr(),
        }
    }
}

#[cfg(test)]
#[path = "staging_tests.rs"]
mod tests;
