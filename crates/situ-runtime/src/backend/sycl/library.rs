//! Finding dpctl's C library, through which situ reaches the SYCL runtime.
//!
//! It is part of the Python package `dpctl`. Rust does not know where Python's packages are, so the
//! bindings for Python say how to find out; it is asked for when a device is first wanted that could be
//! SYCL's. The library is never unloaded, because drivers start threads.

use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

use super::api::Api;
use crate::backend::loading;
use crate::config::SyclLibraryChoice;
use crate::fork;

/// The file's name, in whatever place it is.
pub const FILE_NAME: &str = "libDPCTLSyclInterface.so";

/// Why there is no library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryProblem {
    /// The user does not want one.
    #[error("SITU_SYCL_LIBRARY is set to `off`")]
    TurnedOff,
    /// Nobody has it.
    #[error(
        "the Python package `dpctl` is not installed (pip install dpctl), and SITU_SYCL_LIBRARY names \
         no file"
    )]
    NotInstalled,
    /// The file cannot be loaded.
    #[error("`{file}` cannot be loaded: {message}")]
    NotLoaded {
        /// What was tried.
        file: String,
        /// What the system says.
        message: String,
    },
    /// It lacks functions that situ needs.
    #[error("`{file}` is not dpctl's C library, or an old one: {message}")]
    NotDpctl {
        /// What was loaded.
        file: String,
        /// What the system says.
        message: String,
    },
    /// It does not say which devices there are.
    #[error("the SYCL runtime does not list its devices: {message}")]
    NoAnswer {
        /// What it says instead.
        message: String,
    },
}

impl LibraryProblem {
    /// What the user can do about it.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::TurnedOff => "unset SITU_SYCL_LIBRARY, or set it to `auto`, to use SYCL devices",
            Self::NotInstalled => "`pip install dpctl` to use SYCL devices",
            Self::NotLoaded { .. } | Self::NotDpctl { .. } => {
                "install or update dpctl (`pip install --upgrade dpctl`), and let SITU_SYCL_LIBRARY \
                 name its file or nothing"
            }
            Self::NoAnswer { .. } => {
                "try `python -m dpctl --full`; if that works, please report it with the output of \
                 `situ doctor`"
            }
        }
    }
}

/// The library of this process.
pub(super) struct SyclLibrary {
    pub(super) api: Api,
    /// The process whose threads the drivers have.
    generation: u64,
}

impl SyclLibrary {
    /// Whether the drivers' threads are in this process.
    pub(super) fn is_of_this_process(&self) -> bool {
        self.generation == fork::generation()
    }
}

/// Looks for the file in places that only the embedding language knows.
pub type LibraryFinder = fn() -> Option<PathBuf>;

static FINDER: OnceLock<LibraryFinder> = OnceLock::new();

/// Says how to find the library, if the user names no file. The first call counts.
///
/// The function is called from any thread, at most a few times, and with none of situ's locks held.
pub fn set_library_finder(finder: LibraryFinder) {
    let _ = FINDER.set(finder);
}

/// The file to load.
pub(super) fn find(choice: &SyclLibraryChoice) -> Result<PathBuf, LibraryProblem> {
    match choice {
        SyclLibraryChoice::Off => Err(LibraryProblem::TurnedOff),
        SyclLibraryChoice::File(file) => Ok(file.clone()),
        SyclLibraryChoice::Auto => FINDER
            .get()
            .and_then(|find| find())
            .ok_or(LibraryProblem::NotInstalled),
    }
}

/// Loads a file. What is loaded stays.
pub(super) fn load(file: &std::path::Path) -> Result<&'static SyclLibrary, LibraryProblem> {
    let shown = || file.display().to_string();
    // SAFETY: the initialisers of the SYCL runtime only set up its own state. A file that the user
    // names is the user's to trust.
    let library = unsafe { Library::new(file) }.map_err(|error| LibraryProblem::NotLoaded {
        file: shown(),
        message: loading::reason(&error),
    })?;
    let api = Api::of(library).map_err(|error| LibraryProblem::NotDpctl {
        file: shown(),
        message: loading::reason(&error),
    })?;
    Ok(Box::leak(Box::new(SyclLibrary {
        api,
        generation: fork::generation(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_or_not_dpctls_is_a_reason() {
        assert_eq!(
            find(&SyclLibraryChoice::Off),
            Err(LibraryProblem::TurnedOff)
        );
        let Err(problem) = load("/nowhere/libDPCTL.so".as_ref()) else {
            panic!("there is no such library");
        };
        assert!(matches!(problem, LibraryProblem::NotLoaded { .. }));
        assert!(problem.to_string().contains("/nowhere/libDPCTL.so"));
        let Err(problem) = load("libm.so.6".as_ref()) else {
            panic!("this is another library");
        };
        assert!(matches!(problem, LibraryProblem::NotDpctl { .. }));
        assert!(problem.to_string().contains("DPCTL"), "{problem}");
    }
}
