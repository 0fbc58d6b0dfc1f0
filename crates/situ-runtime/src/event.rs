//! The handle of submitted work.
//!
//! Launches run to their end before the call returns, so every event is complete. Asynchronous
//! queues will give this type a state; its interface is made for that already.

use crate::error::Result;

/// Where a piece of submitted work stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventStatus {
    /// It is done.
    Complete,
}

/// Submitted work.
#[derive(Debug, Clone)]
pub struct Event {
    status: EventStatus,
}

impl Event {
    /// The event of work that is done.
    pub(crate) fn complete() -> Self {
        Self {
            status: EventStatus::Complete,
        }
    }

    /// Where the work stands.
    pub fn status(&self) -> EventStatus {
        self.status
    }

    /// Returns when the work is done.
    ///
    /// # Errors
    /// What went wrong while it ran.
    pub fn wait(&self) -> Result<()> {
        match self.status {
            EventStatus::Complete => Ok(()),
        }
    }
}
