//! Finding the OpenCL loader: the library that knows which drivers are installed.
//!
//! It is loaded when a device is first asked for that could be OpenCL's, and never unloaded, because
//! drivers start threads. A machine without it has no OpenCL devices, which is no error: the reason is
//! kept for whoever asks.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::ptr;

use libloading::Library;

use super::api::Api;
use crate::backend::loading;
use crate::config::OpenClLibrary;

/// The names of the loader, the most precise first.
const NAMES: [&str; 2] = ["libOpenCL.so.1", "libOpenCL.so"];

/// Why there is no loader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoaderProblem {
    /// The user does not want one.
    #[error("SITU_OPENCL is set to `off`")]
    TurnedOff,
    /// No library of that name can be loaded.
    #[error("the OpenCL loader `{library}` cannot be loaded: {message}")]
    NotLoaded {
        /// What was looked for.
        library: String,
        /// What the system says.
        message: String,
    },
    /// It lacks functions that situ needs.
    #[error("`{library}` is no OpenCL loader of version 2.0 or later: {message}")]
    TooOld {
        /// What was loaded.
        library: String,
        /// What the system says.
        message: String,
    },
    /// It does not say which drivers there are.
    #[error("the OpenCL loader does not list its drivers: {status}")]
    NoAnswer {
        /// What it says instead.
        status: super::Status,
    },
}

impl LoaderProblem {
    /// What the user can do about it.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::TurnedOff => "unset SITU_OPENCL, or set it to `auto`, to use OpenCL devices",
            Self::NotLoaded { .. } => {
                "install the loader: `apt install ocl-icd-libopencl1` on Debian and Ubuntu, \
                 `dnf install ocl-icd` on Fedora, or `conda install ocl-icd` without root"
            }
            Self::TooOld { .. } => "update the loader, or name another one with SITU_OPENCL",
            Self::NoAnswer { .. } => {
                "try `clinfo`; if that works, please report it with the output of `situ doctor`"
            }
        }
    }
}

/// Loads the loader; also says what was loaded.
pub(super) fn load(library: &OpenClLibrary) -> Result<(Api, String), LoaderProblem> {
    let names = match library {
        OpenClLibrary::Off => return Err(LoaderProblem::TurnedOff),
        OpenClLibrary::Auto => NAMES.map(PathBuf::from).to_vec(),
        OpenClLibrary::File(file) => vec![file.clone()],
    };
    let mut problem = None;
    for name in names {
        let shown = name.display().to_string();
        // SAFETY: the initialisers of an OpenCL loader only set up its own state. A file that the
        // user names is the user's to trust.
        let loaded = unsafe { Library::new(&name) };
        let outcome = loaded
            .map_err(|error| LoaderProblem::NotLoaded {
                library: shown.clone(),
                message: loading::reason(&error),
            })
            .and_then(|library| {
                Api::of(library).map_err(|error| LoaderProblem::TooOld {
                    library: shown.clone(),
                    message: loading::reason(&error),
                })
            });
        match outcome {
            Ok(api) => {
                let file = library_of(api.get_platform_ids as *const c_void);
                return Ok((api, file.map_or(shown, |file| file.display().to_string())));
            }
            // The first name is the one that should have worked.
            Err(why) => problem = problem.or(Some(why)),
        }
    }
    Err(problem.expect("at least one name was tried"))
}

/// The file of the library that a function is in.
pub(super) fn library_of(function: *const c_void) -> Option<PathBuf> {
    let mut found = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `dladdr` only looks the address up, whatever it is, and gives a string that lives as long
    // as the library.
    unsafe {
        if libc::dladdr(function, &raw mut found) == 0 || found.dli_fname.is_null() {
            return None;
        }
        let name = CStr::from_ptr(found.dli_fname).to_str().ok()?;
        Some(PathBuf::from(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_or_not_opencl_is_a_reason() {
        assert_eq!(
            load(&OpenClLibrary::Off).err(),
            Some(LoaderProblem::TurnedOff)
        );
        let missing = OpenClLibrary::File("libNoSuchThing.so.77".into());
        let Err(problem) = load(&missing) else {
            panic!("there is no such library");
        };
        assert!(matches!(problem, LoaderProblem::NotLoaded { .. }));
        assert!(problem.to_string().contains("libNoSuchThing.so.77"));
        assert!(problem.to_string().contains("No such file"), "{problem}");
        let other = OpenClLibrary::File("libm.so.6".into());
        assert!(matches!(load(&other), Err(LoaderProblem::TooOld { .. })));
    }
}
