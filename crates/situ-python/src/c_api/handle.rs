//! Handles: what native code holds of situ's objects.
//!
//! A handle is the address of an object that counts its holders. Whoever gets one from a function releases it once; who
//! wants to keep one that belongs to another object retains it first. Any thread may do either, with the GIL or
//! without.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A new handle, with one holder.
pub(super) fn hand_out<T: Send + Sync>(value: T) -> *const T {
    Arc::into_raw(Arc::new(value))
}

/// Counts one holder more; null stays null.
///
/// # Safety
/// The handle came from [`hand_out`] and has a holder.
pub(super) unsafe extern "C" fn retain<T>(handle: *const T) -> *const T {
    if !handle.is_null() {
        // SAFETY: as the caller promises.
        unsafe { Arc::increment_strong_count(handle) };
    }
    handle
}

/// Counts one holder less. The last one frees the object. Null is nothing to free.
///
/// # Safety
/// As [`retain`]; the caller is one of the holders and does not use the handle again.
pub(super) unsafe extern "C" fn release<T>(handle: *const T) {
    if handle.is_null() {
        return;
    }
    // SAFETY: as the caller promises.
    let object = unsafe { Arc::from_raw(handle) };
    // There is nobody to tell about a panic, and it must not go on into foreign code.
    drop(catch_unwind(AssertUnwindSafe(|| drop(object))));
}
