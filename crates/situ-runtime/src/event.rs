//! The handle of submitted work.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::command::{Command, Status};
use crate::error::{Error, Result};

/// Where a piece of submitted work stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventStatus {
    /// It has not begun.
    Submitted,
    /// It is under way.
    Running,
    /// It has ended; [`Event::wait`] tells how.
    Complete,
}

impl EventStatus {
    /// The word users see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Running => "running",
            Self::Complete => "complete",
        }
    }
}

/// The moments of a command's life, in nanoseconds of a clock that all queues of a process share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// When it was submitted.
    pub submit_ns: u64,
    /// When it began to run.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
}

/// Submitted work. Cloning gives another handle; equality is identity, and all events of work that
/// was done before its submission returned are equal.
#[derive(Debug, Clone, Default)]
pub struct Event(Option<Arc<Command>>);

impl Event {
    /// An event that has ended, of work that is done already.
    pub const fn complete() -> Self {
        Self(None)
    }

    pub(crate) fn of(command: Arc<Command>) -> Self {
        Self(Some(command))
    }

    pub(crate) fn command(&self) -> Option<&Arc<Command>> {
        self.0.as_ref()
    }

    /// Where the work stands.
    pub fn status(&self) -> EventStatus {
        match self.0.as_ref().map(|command| command.status()) {
            Some(Status::Submitted) => EventStatus::Submitted,
            Some(Status::Running) => EventStatus::Running,
            Some(Status::Complete | Status::Failed) | None => EventStatus::Complete,
        }
    }

    /// Whether the work has ended.
    pub fn is_complete(&self) -> bool {
        self.status() == EventStatus::Complete
    }

    /// Whether the work has ended without a failure.
    pub(crate) fn ended_well(&self) -> bool {
        let status = self.0.as_ref().map(|command| command.status());
        status.is_none_or(|status| status == Status::Complete)
    }

    /// What the work is, such as ``kernel `blur` ``; `None` if it was done at once.
    pub fn label(&self) -> Option<String> {
        self.0.as_ref().map(|command| command.label().to_string())
    }

    /// The events it waits for by name or by data. One that has ended waits for none.
    pub fn dependencies(&self) -> Vec<Self> {
        self.0.as_ref().map_or_else(Vec::new, |command| {
            command.dependencies().into_iter().map(Self::of).collect()
        })
    }

    /// Returns when the work is done.
    ///
    /// # Errors
    /// What went wrong while it ran, as often as it is asked; [`Error::WaitInsideQueue`] for a host
    /// task that would wait for itself.
    pub fn wait(&self) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), Command::wait)
    }

    /// Waits for several events; all of them have ended when it returns, unless it is interrupted.
    ///
    /// # Errors
    /// The first failure among them.
    pub fn wait_for_all(events: &[Self]) -> Result<()> {
        first_failure(events.iter().map(Self::wait))
    }

    /// Calls `callback` with the outcome on a host thread, as soon as the work has ended. A failure
    /// is still told by the next wait for the queue.
    pub fn on_complete(&self, callback: impl FnOnce(Result<()>) + Send + 'static) {
        match &self.0 {
            Some(command) => command.on_finish(Box::new(callback)),
            None => crate::executor::run_on_host(Box::new(move || callback(Ok(())))),
        }
    }

    /// When the work was submitted, begun and ended.
    ///
    /// # Errors
    /// [`Error::NoProfile`] if its queue does not record times, or it has not ended.
    pub fn profile(&self) -> Result<Profile> {
        let command = self.0.as_ref();
        let times = command.and_then(|command| command.times());
        match times {
            Some(times) if self.is_complete() => Ok(Profile {
                submit_ns: times.submit.load(Ordering::Relaxed),
                start_ns: times.start.load(Ordering::Relaxed),
                end_ns: times.end.load(Ordering::Relaxed),
            }),
            times => Err(Error::NoProfile {
                is_recorded: times.is_some(),
            }),
        }
    }
}

/// The first failure of several waits, all of which are made; but an interrupted one is the last.
pub(crate) fn first_failure(waits: impl Iterator<Item = Result<()>>) -> Result<()> {
    let mut outcome = Ok(());
    for result in waits {
        if let Err(Error::Interrupted { .. }) = result {
            return result;
        }
        outcome = outcome.and(result);
    }
    outcome
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for Event {}

impl Hash for Event {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ref().map(Arc::as_ptr).hash(state);
    }
}
