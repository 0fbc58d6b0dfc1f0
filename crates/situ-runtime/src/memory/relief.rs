//! What is tried before something fails for lack of memory.

use super::context_memory::trim_all;

/// Tries something; if that fails, returns all idle memory of this process to the system and tries once more.
///
/// This is for everything that takes memory and is not an allocation of the user's: threads and their stacks, working
/// memory of kernels. The pools may hold what is missing.
///
/// # Errors
/// The second failure; or the first one, if nothing was idle.
pub fn retry_after_trim<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    attempt().or_else(|error| match trim_all() {
        0 => Err(error),
        _ => attempt(),
    })
}
