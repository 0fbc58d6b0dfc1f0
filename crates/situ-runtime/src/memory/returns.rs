//! Waiting for memory to come back.
//!
//! Memory that only unfinished work uses comes back by itself. Whoever wants it can wait here; when
//! nobody does, a return costs one look at a counter.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Where threads wait for memory of one context.
#[derive(Default)]
pub(super) struct Returns {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    came_back: Condvar,
}

impl Returns {
    /// Calls `attempt` now and whenever memory came back, until it breaks or it is too late.
    ///
    /// `attempt` must look under the same lock that the returning thread puts memory down with: then
    /// either it finds the memory, or the returning thread finds us waiting.
    pub(super) fn wait<T>(
        &self,
        deadline: Instant,
        mut attempt: impl FnMut() -> ControlFlow<Option<T>>,
    ) -> Option<T> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let result = loop {
            if let ControlFlow::Break(result) = attempt() {
                break result;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
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
        if self.waiting.load(Ordering::SeqCst) > 0 {
            // With the lock, nobody is between a look that found nothing and falling asleep.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.came_back.notify_all();
        }
    }
}
