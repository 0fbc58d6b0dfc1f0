//! Conditions worth telling the user about that do not stop anything.
//!
//! The runtime never prints. It puts a [`Warning`] here, and the layer above drains the list at a
//! convenient moment and shows it in its own way (Python's `warnings` module). The same warning
//! is kept once until it is drained, so that a condition met in a loop does not flood the user.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;

/// How many undrained warnings are kept; later ones are dropped.
const CAPACITY: usize = 256;

/// A condition that costs speed or convenience, but no correctness.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// An environment variable was ignored.
    IgnoredSetting {
        /// The rendered [`Error::BadEnvironmentValue`].
        message: String,
    },
    /// The on-disk compile cache is off for this process.
    CacheUnavailable {
        /// The directory that was to hold it.
        directory: PathBuf,
        /// Why it cannot be used.
        reason: CacheProblem,
    },
    /// Work failed, and nobody waited for it.
    UnseenFailure {
        /// What went wrong.
        message: String,
    },
}

/// Why the on-disk compile cache is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheProblem {
    /// Group or others may write to the directory, so they could plant machine code in it.
    WritableByOthers {
        /// The permission bits of the directory.
        mode: u32,
    },
    /// The directory belongs to somebody else.
    OwnedByAnotherUser {
        /// The owner's user id.
        owner: u32,
    },
    /// Something that is not a directory is in the way.
    NotADirectory,
    /// The operating system refused to create, read or write.
    Io {
        /// What was tried.
        action: &'static str,
        /// The operating system's words.
        message: String,
    },
}

impl fmt::Display for CacheProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WritableByOthers { mode } => write!(
                formatter,
                "its permissions {mode:o} let other users write machine code that situ would run"
            ),
            Self::OwnedByAnotherUser { owner } => {
                write!(
                    formatter,
                    "it belongs to user {owner}, who could plant machine code in it"
                )
            }
            Self::NotADirectory => write!(formatter, "it is not a directory"),
            Self::Io { action, message } => write!(formatter, "could not {action}: {message}"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IgnoredSetting { message } => formatter.write_str(message),
            Self::UnseenFailure { message } => write!(
                formatter,
                "work failed after the last wait for its queue\n{message}"
            ),
            Self::CacheUnavailable { directory, reason } => {
                let directory = directory.display();
                write!(
                    formatter,
                    "the compile cache `{directory}` is not used\n  why:  {reason}\n"
                )?;
                match reason {
                    CacheProblem::WritableByOthers { .. } => {
                        write!(formatter, "  help: run `chmod 700 {directory}`; ")?;
                    }
                    _ => write!(
                        formatter,
                        "  help: set SITU_CACHE_DIR to a directory of your own; "
                    )?,
                }
                write!(
                    formatter,
                    "until then kernels are compiled again in every process"
                )
            }
        }
    }
}

impl From<Error> for Warning {
    fn from(error: Error) -> Self {
        Self::IgnoredSetting {
            message: error.to_string(),
        }
    }
}

/// A list of warnings that several parts of the runtime write to.
#[derive(Debug, Clone, Default)]
pub struct WarningSink {
    pending: Arc<Mutex<Vec<Warning>>>,
    /// Whether `pending` may have entries, so that looking costs next to nothing.
    has_pending: Arc<AtomicBool>,
}

impl WarningSink {
    /// Adds a warning, unless an equal one is waiting or the list is full.
    pub fn push(&self, warning: Warning) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.len() < CAPACITY && !pending.contains(&warning) {
            pending.push(warning);
            self.has_pending.store(true, Ordering::Release);
        }
    }

    /// Whether there is nothing to drain.
    pub fn is_empty(&self) -> bool {
        !self.has_pending.load(Ordering::Acquire)
    }

    /// Takes all waiting warnings, oldest first.
    pub fn drain(&self) -> Vec<Warning> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_pending.store(false, Ordering::Release);
        std::mem::take(&mut *pending)
    }
}

/// The sink of this process, drained by the Python layer.
pub fn process_sink() -> &'static WarningSink {
    static SINK: std::sync::LazyLock<WarningSink> = std::sync::LazyLock::new(WarningSink::default);
    &SINK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(owner: u32) -> Warning {
        Warning::CacheUnavailable {
            directory: PathBuf::from("there"),
            reason: CacheProblem::OwnedByAnotherUser { owner },
        }
    }

    #[test]
    fn equal_warnings_are_kept_once_until_drained() {
        let sink = WarningSink::default();
        sink.push(sample(1));
        sink.push(sample(1));
        sink.push(sample(2));
        assert_eq!(sink.drain(), vec![sample(1), sample(2)]);
        assert!(sink.drain().is_empty());
        sink.push(sample(1));
        assert_eq!(sink.drain().len(), 1);
    }

    #[test]
    fn a_full_sink_drops_what_comes_later() {
        let sink = WarningSink::default();
        for owner in 0..1000 {
            sink.push(sample(owner));
        }
        assert_eq!(sink.drain().len(), CAPACITY);
    }

    #[test]
    fn permission_warnings_say_how_to_fix_them() {
        let warning = Warning::CacheUnavailable {
            directory: PathBuf::from("cache"),
            reason: CacheProblem::WritableByOthers { mode: 0o777 },
        };
        let text = warning.to_string();
        assert!(
            text.contains("777") && text.contains("chmod 700 cache"),
            "{text}"
        );
    }
}
