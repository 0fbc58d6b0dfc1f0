//! Copies between places that overlap, for drivers that cannot do that.

use super::Driver;
use crate::error::{Error, Result};
use crate::memory::usm::UsmKind;

/// Copies bytes; where the places overlap, by way of a third.
///
/// # Safety
/// As [`Driver::copy`]. `copy_apart` copies as many bytes between places that do not overlap.
pub(super) unsafe fn copy(
    driver: &dyn Driver,
    from: *const u8,
    to: *mut u8,
    size_bytes: usize,
    copy_apart: impl Fn(*const u8, *mut u8) -> Result<()>,
) -> Result<()> {
    if size_bytes == 0 || std::ptr::eq(from, to) {
        return Ok(());
    }
    if from.addr().abs_diff(to.addr()) >= size_bytes {
        return copy_apart(from, to);
    }
    let kind = UsmKind::Device;
    let between = driver
        .allocate(size_bytes, kind)
        .ok_or(Error::NoRoomForCopy { size_bytes })?;
    let middle = between.backing.as_ptr();
    let result = copy_apart(from, middle).and_then(|()| copy_apart(middle, to));
    // SAFETY: it was allocated above with the same size and kind, and the copies have ended.
    unsafe { driver.free(between, size_bytes, kind) };
    result
}
