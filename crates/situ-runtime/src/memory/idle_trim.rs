//! The thread that returns memory to the system which nobody has used for a while.
//!
//! It is there only while pools keep memory: the first block that is kept starts it, and it ends when nothing is kept
//! any more. Twice in the time that memory may lie idle, it asks every pool for blocks that lay idle ever since it was
//! there before; so a loop that takes its temporaries again and again keeps them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::context_memory::ContextMemory;
use crate::config::{IdleMemory, process_config};
use crate::fork::ForkLocal;

/// Whether the thread of this process runs. It counts as running if there is to be none.
static IS_RUNNING: ForkLocal<AtomicBool> = ForkLocal::new();

/// Set when the process ends and drivers may be gone.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Notes that a pool keeps memory.
pub(super) fn note_idle() {
    let is_running = IS_RUNNING.get_or_init(AtomicBool::default);
    if !is_running.load(Ordering::Relaxed) {
        start(is_running);
    }
}

/// Keeps memory where it is from now on, because the process ends.
pub fn stop() {
    IS_STOPPED.store(true, Ordering::Relaxed);
}

#[cold]
fn start(is_running: &'static AtomicBool) {
    if is_running.swap(true, Ordering::Relaxed) {
        return;
    }
    if let IdleMemory::ReturnedAfter(idle_time) = process_config().idle_memory {
        // Without a thread, memory stays until it is asked for.
        let _ = thread::Builder::new()
            .name("situ-memory".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || run(idle_time / 2, is_running));
    }
}

/// Frees memory and does nothing else.
const STACK_BYTES: usize = 256 << 10;

fn run(interval: Duration, is_running: &AtomicBool) {
    loop {
        thread::sleep(interval);
        if IS_STOPPED.load(Ordering::Relaxed) {
            return;
        }
        if release_unused() > 0 {
            continue;
        }
        is_running.store(false, Ordering::Relaxed);
        // Whoever kept a block just before did not start another thread.
        if release_unused() == 0 || is_running.swap(true, Ordering::Relaxed) {
            return;
        }
    }
}

/// Returns what lay idle since the last call; tells how many bytes still are.
fn release_unused() -> u64 {
    let all = ContextMemory::all();
    all.iter().map(|memory| memory.release_unused()).sum()
}
