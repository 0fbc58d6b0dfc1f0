//! The stack of the thread that runs something: how much of it is left, and a larger one where that is too little.
//!
//! Kernels, and the stages that compile them, run on any thread of the user's, whose stack may be as small as the user
//! has asked for (`threading.stack_size`). Running over its end would end the process. So whoever needs a lot says how
//! much, and is moved to another stack for that time if need be.

use super::host_memory;
use crate::error::{Error, Result};
use crate::memory::relief::retry_after_trim;

/// What the front end, the emitters and the array library need, at most: validation bounds the depth of their trees.
const ORDINARY_BYTES: usize = 1 << 20;

/// The size of a stack that is made because less is left: it is not worth making a small one.
const NEW_STACK_BYTES: usize = 4 << 20;

/// Bytes of this thread's stack that are left; none if the system does not tell.
pub fn left_bytes() -> usize {
    stacker::remaining_stack().unwrap_or(0)
}

/// The lowest address of the stack that this thread is using.
pub(crate) fn limit() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here)
        .addr()
        .saturating_sub(left_bytes())
}

/// Runs `work` with at least `size_bytes` of stack.
///
/// # Errors
/// [`Error::StackUnavailable`] when there is no memory for a larger one; nothing has run then.
pub(crate) fn with_bytes<T>(size_bytes: usize, work: impl FnOnce() -> T) -> Result<T> {
    if left_bytes() >= size_bytes {
        return Ok(work());
    }
    let new_bytes = size_bytes.max(NEW_STACK_BYTES);
    // `stacker` panics where the system refuses.
    let probe = || host_memory::allocate(new_bytes).ok_or(Error::StackUnavailable { size_bytes });
    let probe = retry_after_trim(probe)?;
    // SAFETY: allocated above with this size, and not used.
    unsafe { host_memory::free(probe, new_bytes) };
    Ok(stacker::grow(new_bytes, work))
}

/// Runs `work` with as much stack as anything needs that is not a kernel. It must not call Python, which knows the
/// stack of its thread only.
///
/// # Errors
/// [`Error::StackUnavailable`] when there is no memory for a larger one; nothing has run then.
pub fn with_ordinary_bytes<T>(work: impl FnOnce() -> T) -> Result<T> {
    with_bytes(ORDINARY_BYTES, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        thread.spawn(work).unwrap().join().unwrap()
    }

    #[test]
    fn a_small_stack_is_replaced_by_one_that_is_large_enough() {
        on_small_stack(|| {
            assert!(left_bytes() < 64 << 10);
            let outer = limit();
            let left = with_bytes(16 << 20, || {
                assert_ne!(limit(), outer);
                left_bytes()
            });
            assert!(left.unwrap() >= (16 << 20) - 4096);
            assert!(limit().abs_diff(outer) < 4096, "the old one is back");
        });
    }

    #[test]
    fn a_large_stack_is_kept() {
        let outer = limit();
        let inner = with_bytes(1024, limit).unwrap();
        assert!(inner.abs_diff(outer) < 4096);
    }

    #[test]
    fn a_stack_that_cannot_be_had_is_an_error() {
        let result = with_bytes(1 << 60, || ());
        assert!(
            matches!(result, Err(Error::StackUnavailable { .. })),
            "{result:?}"
        );
    }
}
