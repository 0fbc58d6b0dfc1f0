//! Objects that serve one user at a time and wait for the next.

use std::sync::{Mutex, PoisonError};

/// What is idle at the moment.
pub(super) struct Idle<T>(Mutex<Vec<T>>);

impl<T> Idle<T> {
    /// One of them, for the caller alone.
    pub(super) fn take(&self) -> Option<T> {
        self.lock().pop()
    }

    /// Back for the next user.
    pub(super) fn give_back(&self, object: T) {
        self.lock().push(object);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Idle<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
