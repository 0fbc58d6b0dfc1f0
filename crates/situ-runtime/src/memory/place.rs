//! Where bytes are, and which way they take from there to another place.
//!
//! | from \ to | the host can reach it | only a driver can |
//! |---|---|---|
//! | the host can reach it | the processor copies | the driver copies |
//! | only a driver can | the driver copies | a driver that reaches both; else [`staging`] |
//!
//! The host reaches its own memory, all memory of devices that compute where it does, and what
//! drivers give as `shared` or `host`. Then all threads of the processor take part in a large copy.

use super::staging::{self, Remote};
use crate::backend::Driver;
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::memory::usm::Memory;
use crate::registry;

/// Where some bytes start.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    start: *mut u8,
    /// Who moves bytes from and to this place; nobody where the host can do that itself.
    keeper: Option<Keeper<'a>>,
    /// Whose threads should do it in that case, if not all will do.
    threads: Option<&'a dyn Driver>,
}

/// Somebody who can move bytes that the host cannot reach.
#[derive(Clone, Copy)]
pub(crate) struct Keeper<'a> {
    pub(crate) driver: &'a dyn Driver,
    pub(crate) context: &'a Context,
}

impl<'a> Place<'a> {
    /// A place in memory of the host.
    pub(crate) fn on_host(start: *mut u8) -> Self {
        Self {
            start,
            keeper: None,
            threads: None,
        }
    }

    /// A place in memory that a device can use.
    ///
    /// # Errors
    /// [`Error::DriverLostInFork`](crate::Error::DriverLostInFork).
    pub(crate) fn in_memory(
        device: &'a Device,
        memory: &'a Memory,
        byte_offset: usize,
    ) -> Result<Self> {
        let driver = device.driver();
        driver.check_process()?;
        let keeper = Keeper {
            driver,
            context: memory.context(),
        };
        let is_on_host = driver.has_host_backing(memory.kind());
        Ok(Self {
            // Whoever asks has checked that the offset is inside of the memory.
            start: memory.backing_ptr().wrapping_add(byte_offset),
            keeper: (!is_on_host).then_some(keeper),
            threads: driver.cores().map(|_| driver),
        })
    }

    /// Copies bytes from here to another place and returns when that is done. They may overlap.
    ///
    /// # Safety
    /// Both places have as many bytes, and nobody writes the one or uses the other meanwhile.
    pub(crate) unsafe fn copy_to(self, to: Self, size_bytes: usize) -> Result<()> {
        // SAFETY: the caller answers for the bytes; each is where its driver, or the host, can
        // reach it.
        unsafe {
            match (self.keeper, to.keeper) {
                (None, None) => {
                    let processor = processor(to.threads.or(self.threads));
                    processor.copy(self.start, to.start, size_bytes)
                }
                (Some(keeper), None) | (None, Some(keeper)) => {
                    keeper.driver.copy(self.start, to.start, size_bytes)
                }
                (Some(source), Some(target)) if source.shares_with(target) => {
                    target.driver.copy(self.start, to.start, size_bytes)
                }
                (Some(source), Some(target)) => {
                    let remote = |keeper, start| Remote { keeper, start };
                    let (from, to) = (remote(source, self.start), remote(target, to.start));
                    staging::copy(from, to, size_bytes)
                }
            }
        }
    }

    /// Sets bytes from here on and returns when that is done.
    ///
    /// # Safety
    /// The place has as many bytes, and nobody uses them meanwhile.
    pub(crate) unsafe fn fill(self, size_bytes: usize, value: u8) -> Result<()> {
        let keeper = self.keeper.map(|keeper| keeper.driver);
        let driver = keeper.unwrap_or_else(|| processor(self.threads));
        // SAFETY: as in `copy_to`.
        unsafe { driver.fill(self.start, size_bytes, value) }
    }
}

/// Who moves bytes that the host reaches.
fn processor(threads: Option<&dyn Driver>) -> &dyn Driver {
    threads.unwrap_or_else(|| &**registry::processor())
}

impl Keeper<'_> {
    /// Whether each reaches the memory of the other.
    fn shares_with(self, other: Self) -> bool {
        self.driver.memory_domain() == other.driver.memory_domain()
    }
}
