//! Waiting for memory to come back.
//!
//! Memory that only unfinished work uses comes back by itself. Whoever wants it can wait here; when
//! nobody does, a return costs two counters. A wait in which nothing came back was in vain: perhaps
//! the work waits for the very thread that waited. Until something does come back, nobody waits again.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often [`Returns::watch`] looks. Sleeping and looking costs those who return memory nothing.
const GLANCE: Duration = Duration::from_micros(50);

/// Where threads wait for memory of one context.
#[derive(Default)]
pub(super) struct Returns {
    /// How many returns there were.
    count: AtomicU64,
    /// One more than the count at the end of the last wait in vain.
    stalled_at: AtomicU64,
    waiting: AtomicUsize,
    lock: Mutex<()>,
    came_back: Condvar,
}

impl Returns {
    /// Whether nothing came back since a wait in vain.
    pub(super) fn is_stalled(&self) -> bool {
        self.stalled_at.load(Ordering::Relaxed) == self.count.load(Ordering::Relaxed) + 1
    }

    /// Notes a wait that ended too late, if nothing came back since it began.
    fn note_stall(&self, count_at_begin: u64) {
        if self.count.load(Ordering::Relaxed) == count_at_begin {
            self.stalled_at.store(count_at_begin + 1, Ordering::Relaxed);
        }
    }

    /// Looks now and then until `is_enough` or it is too late.
    pub(super) fn watch(&self, deadline: Instant, is_enough: impl Fn() -> bool) {
        let begin = self.count.load(Ordering::Relaxed);
        while !is_enough() {
            if Instant::now() >= deadline {
                self.note_stall(begin);
                return;
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Calls `attempt` now and whenever memory came back, until it breaks or it is too late.
    ///
    /// `attempt` must look under the same lock that the returning thread puts memory down with: then
    /// either it finds the memory, or the returning thread finds us waiting.
    pub(super) fn wait<T>(
        &self,
        deadline: Instant,
        mut attempt: impl FnMut() -> ControlFlow<Option<T>>,
    ) -> Option<T> {
        let begin = self.count.load(Ordering::Relaxed);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let result = loop {
            if let ControlFlow::Break(result) = attempt() {
                break result;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.note_stall(begin);
                break None;
            }
            let waited = self.came_back.wait_timeout(guard, left);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        result
    }

    /// Tells those who wait that something came back.
    pub(super) fn notify(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            // With the lock, nobody is between a look that found nothing and falling asleep.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.came_back.notify_all();
        }
    }
}
