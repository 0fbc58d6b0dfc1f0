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
    /// A file of the on-disk compile cache was not used, because others may have written it.
    CacheEntryRefused {
        /// The file.
        path: PathBuf,
        /// Why it is not trusted.
        reason: AccessProblem,
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
    /// The directory, or one on the way to it, could be changed by others.
    Untrusted {
        /// Which one.
        path: PathBuf,
        /// Why it is not trusted.
        reason: AccessProblem,
    },
    /// The directory was removed while this process used it.
    Removed,
    /// The operating system refused to create, read or write.
    Io {
        /// What was tried.
        action: String,
        /// The operating system's words.
        message: String,
    },
}

/// Why a file or directory of the compile cache is not trusted: somebody else could plant machine
/// code in it, which situ would run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessProblem {
    /// It belongs to somebody who is neither this user nor root.
    OwnedByAnotherUser {
        /// The owner's user id.
        owner: u32,
        /// The (effective) user id of this process.
        user: u32,
    },
    /// Group or others may write to it.
    WritableByOthers {
        /// Its permission bits.
        mode: u32,
    },
    /// Something that is not a directory is in the way.
    NotADirectory,
    /// Something that is not a regular file is in the place of an entry.
    NotAFile {
        /// What it is.
        kind: &'static str,
    },
    /// A file has more names than the one in the cache.
    SeveralLinks {
        /// How many.
        links: u64,
    },
}

impl fmt::Display for AccessProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnedByAnotherUser { owner, user } => write!(
                formatter,
                "belongs to user {owner}, who could make situ run their machine code as user {user}"
            ),
            Self::WritableByOthers { mode } => write!(
                formatter,
                "has permissions {mode:o}, which let other users write machine code that situ \
                 would run"
            ),
            Self::NotADirectory => write!(formatter, "is not a directory"),
            Self::NotAFile { kind } => write!(formatter, "is a {kind}, not a regular file"),
            Self::SeveralLinks { links } => write!(
                formatter,
                "has {links} hard links, so it can be changed from outside of the cache"
            ),
        }
    }
}

impl fmt::Display for CacheProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Untrusted { path, reason } => {
                write!(formatter, "`{}` {reason}", path.display())
            }
            Self::Removed => write!(formatter, "it was removed while this process used it"),
            Self::Io { action, message } => write!(formatter, "could not {action}: {message}"),
        }
    }
}

impl CacheProblem {
    /// What the user can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Untrusted {
                path,
                reason: AccessProblem::WritableByOthers { .. },
            } => format!(
                "run `chmod go-w {}`, or set SITU_CACHE_DIR to a directory of your own",
                path.display()
            ),
            Self::Untrusted {
                reason: AccessProblem::OwnedByAnotherUser { user: 0, .. },
                ..
            } => "root does not use the cache of another user: run `sudo -H`, which sets HOME to \
                  root's, or set SITU_CACHE_DIR to a directory of root's"
                .to_owned(),
            Self::Removed => "start this process again, which creates it anew".to_owned(),
            Self::Untrusted { .. } | Self::Io { .. } => {
                "set SITU_CACHE_DIR to a directory of your own, or to off".to_owned()
            }
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
            Self::CacheUnavailable { directory, reason } => write!(
                formatter,
                "the compile cache `{}` is not used\n  why:  {reason}\n  help: {}; until then \
                 kernels are compiled again in every process",
                directory.display(),
                reason.help()
            ),
            Self::CacheEntryRefused { path, reason } => write!(
                formatter,
                "a file in the compile cache was not used\n  why:  `{}` {reason}\n  help: its \
                 kernels were compiled again; find out who put it there, and run `situ cache \
                 list` to see all files that are not used",
                path.display()
            ),
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
            reason: CacheProblem::Untrusted {
                path: PathBuf::from("there"),
                reason: AccessProblem::OwnedByAnotherUser { owner, user: 7 },
            },
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
    fn cache_warnings_say_what_is_wrong_and_how_to_fix_it() {
        let text = |reason| {
            Warning::CacheUnavailable {
                directory: PathBuf::from("/home/ada/cache"),
                reason: CacheProblem::Untrusted {
                    path: PathBuf::from("/home/ada"),
                    reason,
                },
            }
            .to_string()
        };
        let writable = text(AccessProblem::WritableByOthers { mode: 0o777 });
        for part in ["`/home/ada` has permissions 777", "chmod go-w /home/ada`"] {
            assert!(writable.contains(part), "{writable}");
        }
        let of_root = text(AccessProblem::OwnedByAnotherUser { owner: 7, user: 0 });
        for part in ["`/home/ada` belongs to user 7", "sudo -H"] {
            assert!(of_root.contains(part), "{of_root}");
        }
        let of_user = text(AccessProblem::OwnedByAnotherUser { owner: 7, user: 8 });
        assert!(!of_user.contains("sudo"), "{of_user}");
    }
}
