//! Whether the host's own code reaches what a driver gives as `device` memory.
//!
//! Users are told that it does not, because on another machine it will not. But a driver of this
//! machine's processor runs kernels on threads of this process, so its `device` memory is memory of the
//! process. Then a copy is a copy by the processor: it takes nanoseconds where a command takes microseconds,
//! and bytes of another driver need no place in between.
//!
//! It is tried, not assumed: the system copies bytes from and to an address without harm when there is
//! nothing, and the driver must agree about what it finds there.

use std::ffi::c_void;
use std::sync::OnceLock;

use super::Driver;
use crate::aspect::Aspect;
use crate::error::Result;
use crate::memory::usm::UsmKind;

/// How many bytes are tried.
const PROBE_BYTES: usize = 4096;

/// Whether the host reaches the `device` memory of a driver, once that was tried.
#[derive(Debug, Default)]
pub(super) struct HostReach(OnceLock<bool>);

impl HostReach {
    /// Whether bytes that the driver writes to its `device` memory are the host's to read, and the other
    /// way round. Never on devices that are not processors: they may have to be told of the host's writes.
    pub(super) fn includes_device_memory(&self, driver: &dyn Driver, aspects: &[Aspect]) -> bool {
        *self
            .0
            .get_or_init(|| aspects.contains(&Aspect::Cpu) && host_reaches(driver))
    }
}

fn host_reaches(driver: &dyn Driver) -> bool {
    let kind = UsmKind::Device;
    let Some(memory) = driver.allocate(PROBE_BYTES, kind) else {
        return false;
    };
    let agrees = probe(driver, memory.backing.as_ptr()).unwrap_or(false);
    // SAFETY: it was allocated above, and every command that used it has ended.
    unsafe { driver.free(memory, PROBE_BYTES, kind) };
    agrees
}

/// Tries memory that is nobody's.
fn probe(driver: &dyn Driver, start: *mut u8) -> Result<bool> {
    let from_device = [0xA5; PROBE_BYTES];
    // SAFETY: the memory has as many bytes and is of the driver's context.
    unsafe { driver.fill(start, PROBE_BYTES, from_device[0])? };
    let mut found = [0; PROBE_BYTES];
    if !read(start, &mut found) || found != from_device {
        return Ok(false);
    }
    let from_host: [u8; PROBE_BYTES] = std::array::from_fn(|at| (at % 251) as u8);
    if !write(&from_host, start) {
        return Ok(false);
    }
    // SAFETY: both places have as many bytes; the one is of the driver's context, the other the host's.
    unsafe { driver.copy(start, found.as_mut_ptr(), PROBE_BYTES)? };
    Ok(found == from_host)
}

/// Reads what is at an address; false if nothing is.
fn read(start: *const u8, bytes: &mut [u8]) -> bool {
    let (here, there) = (
        vector(bytes.as_ptr(), bytes.len()),
        vector(start, bytes.len()),
    );
    // SAFETY: `here` may be written; `there` need not exist.
    let count = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const here, 1, &raw const there, 1, 0)
    };
    count == bytes.len() as isize
}

/// Writes to an address; false if nothing is there.
fn write(bytes: &[u8], start: *mut u8) -> bool {
    let (here, there) = (
        vector(bytes.as_ptr(), bytes.len()),
        vector(start, bytes.len()),
    );
    // SAFETY: `here` is only read. What is at `there`, if anything, is the caller's to write.
    let count = unsafe {
        libc::process_vm_writev(libc::getpid(), &raw const here, 1, &raw const there, 1, 0)
    };
    count == bytes.len() as isize
}

fn vector(start: *const u8, len: usize) -> libc::iovec {
    libc::iovec {
        iov_base: start.cast_mut().cast::<c_void>(),
        iov_len: len,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lead_nowhere_do_no_harm() {
        let nowhere = std::ptr::without_provenance_mut(4096);
        assert!(!read(nowhere, &mut [0; 8]));
        assert!(!write(&[0; 8], nowhere));
        let (mut bytes, mut found) = ([1, 2, 3], [0; 3]);
        assert!(write(&[4, 5, 6], bytes.as_mut_ptr()));
        assert!(read(bytes.as_ptr(), &mut found));
        assert_eq!(found, [4, 5, 6]);
    }
}
