//! Memory from the host's system, for devices that compute where the host does.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// Smaller blocks come from the allocator, larger ones are mapped.
const MAP_FROM_BYTES: usize = 1 << 20;

/// Blocks of this size ask for huge pages: a fault then covers 2 MiB instead of 4 KiB.
const HUGE_FROM_BYTES: usize = 4 << 20;

/// For blocks of this size, it is worth looking whether the machine has that much left. The system
/// itself promises more than it has, and ends the process that takes it at its word.
const CHECK_FROM_BYTES: usize = 64 << 20;

const ALIGNMENT: usize = 64;

/// Memory aligned to a cache line, and to pages from 1 MiB on; `None` when the system refuses or
/// has not as much.
pub(super) fn allocate(size_bytes: usize) -> Option<NonNull<u8>> {
    if !has_room(size_bytes) {
        return None;
    }
    if size_bytes >= MAP_FROM_BYTES {
        return map(size_bytes);
    }
    let layout = Layout::from_size_align(size_bytes.max(ALIGNMENT), ALIGNMENT).ok()?;
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc(layout) })
}

/// Whether the machine seems to have that much memory left. Only large amounts are looked at.
pub(super) fn has_room(size_bytes: usize) -> bool {
    size_bytes < CHECK_FROM_BYTES
        || available_bytes().is_none_or(|available| size_bytes as u64 <= available)
}

/// Whether the process may map that much more: there may be a limit on its address space.
pub(super) fn has_address_space(size_bytes: usize) -> bool {
    // SAFETY: a fresh private mapping touches nothing that exists; it is removed before anybody knows of it.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            size_bytes,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        start != libc::MAP_FAILED && libc::munmap(start, size_bytes) == 0
    }
}

/// Returns memory to the system.
///
/// # Safety
/// `start` came from [`allocate`] with the same size and is not used again.
pub(super) unsafe fn free(start: NonNull<u8>, size_bytes: usize) {
    if size_bytes >= MAP_FROM_BYTES {
        // SAFETY: mapped with this size by `allocate`, as the caller promises.
        unsafe { libc::munmap(start.as_ptr().cast(), size_bytes) };
        return;
    }
    let layout = Layout::from_size_align(size_bytes.max(ALIGNMENT), ALIGNMENT)
        .expect("`allocate` made the same layout");
    // SAFETY: allocated with this layout by `allocate`, as the caller promises.
    unsafe { dealloc(start.as_ptr(), layout) };
}

fn map(size_bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: a fresh private mapping touches nothing that exists; the advice changes no contents.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            size_bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if start == libc::MAP_FAILED {
            return None;
        }
        if size_bytes >= HUGE_FROM_BYTES {
            libc::madvise(start, size_bytes, libc::MADV_HUGEPAGE);
        }
        NonNull::new(start.cast())
    }
}

/// The machine's memory.
pub(super) fn total_bytes() -> u64 {
    // SAFETY: no preconditions.
    let (pages, page_bytes) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    u64::try_from(pages)
        .unwrap_or(0)
        .saturating_mul(u64::try_from(page_bytes).unwrap_or(0))
}

/// What the machine could give at this moment without taking it from running programs; `None` when
/// it does not tell.
pub(super) fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kibibytes * 1024)
    };
    Some(field("MemAvailable:")? + field("SwapFree:").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_refuses_what_it_does_not_have() {
        assert_eq!(allocate(1 << 60), None);
        assert_eq!(allocate(usize::MAX), None);
        assert!(total_bytes() > 1 << 20);
        let available = available_bytes().expect("Linux tells");
        assert!(available > 1 << 20);
        // More than is left, but not more than the system would promise.
        assert_eq!(allocate(available as usize + (1 << 30)), None);
    }
}
