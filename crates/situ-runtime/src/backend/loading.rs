//! Why a library could not be loaded, in the system's words.

use std::error::Error;

/// What the system has against a library or a function of it. The error itself only names the call.
pub(super) fn reason(error: &libloading::Error) -> String {
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
