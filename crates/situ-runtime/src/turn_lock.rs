//! A lock that may be held for as long as a kernel runs, so that waits for it can be broken off.
//!
//! A mutex cannot be waited for with a limit. Here whoever finds it taken sleeps on a condition variable, looks every
//! [`INTERVAL`] whether to go on, and is woken when the lock is free. Threads that find it free pay for one more load.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use crate::interrupt::INTERVAL;

/// A value that one thread at a time has.
#[derive(Debug, Default)]
pub(crate) struct TurnLock<T> {
    value: Mutex<T>,
    /// Threads that sleep until it is free.
    waiting: AtomicUsize,
    /// Held while a thread looks for the last time before it sleeps, and while sleepers are woken.
    bell: Mutex<()>,
    is_free: Condvar,
}

impl<T> TurnLock<T> {
    /// Waits for however long it takes.
    pub(crate) fn lock(&self) -> TurnGuard<'_, T> {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.guard(value)
    }

    /// `None` if somebody has it.
    pub(crate) fn try_lock(&self) -> Option<TurnGuard<'_, T>> {
        match self.value.try_lock() {
            Ok(value) => Some(self.guard(value)),
            Err(TryLockError::Poisoned(poisoned)) => Some(self.guard(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits until `is_over`, which is asked every [`INTERVAL`]; then, `None`.
    pub(crate) fn lock_until(&self, mut is_over: impl FnMut() -> bool) -> Option<TurnGuard<'_, T>> {
        if let Some(guard) = self.try_lock() {
            return Some(guard);
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // With the fence of `TurnGuard::drop`: either this thread finds the lock free, or that one finds this thread waiting.
        fence(Ordering::SeqCst);
        let found = loop {
            let bell = self.bell.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(guard) = self.try_lock() {
                break Some(guard);
            }
            // Nothing is held while the question is asked: the answer may take long.
            drop(self.is_free.wait_timeout(bell, INTERVAL));
            if let Some(guard) = self.try_lock() {
                break Some(guard);
            }
            if is_over() {
                break None;
            }
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        found
    }

    fn guard<'a>(&'a self, value: MutexGuard<'a, T>) -> TurnGuard<'a, T> {
        TurnGuard {
            value: Some(value),
            lock: self,
        }
    }
}

/// What a thread has while it is its turn.
pub(crate) struct TurnGuard<'a, T> {
    /// Something until the guard is dropped.
    value: Option<MutexGuard<'a, T>>,
    lock: &'a TurnLock<T>,
}

impl<T> Drop for TurnGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.value.take());
        fence(Ordering::SeqCst);
        if self.lock.waiting.load(Ordering::Relaxed) > 0 {
            let _bell = self
                .lock
                .bell
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            self.lock.is_free.notify_one();
        }
    }
}

impl<T> Deref for TurnGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect(HELD)
    }
}

impl<T> DerefMut for TurnGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect(HELD)
    }
}

const HELD: &str = "the value is taken by `drop` only";

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn a_wait_ends_when_the_lock_is_free() {
        let lock = TurnLock::<u64>::default();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        *lock.lock_until(|| false).unwrap() += 1;
                    }
                });
            }
        });
        assert_eq!(*lock.lock(), 8000);
        assert_eq!(lock.waiting.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_wait_is_broken_off_when_asked_to() {
        let lock = TurnLock::<()>::default();
        let (taken, done) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _turn = lock.lock();
                taken.wait();
                done.wait();
            });
            taken.wait();
            let mut asked = 0;
            let found = lock.lock_until(|| {
                asked += 1;
                asked == 2
            });
            assert!(found.is_none());
            assert!(lock.try_lock().is_none());
            done.wait();
        });
        assert!(lock.try_lock().is_some());
        assert_eq!(lock.waiting.load(Ordering::Relaxed), 0);
    }
}
