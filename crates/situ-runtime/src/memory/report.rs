//! What a kernel writes down for the host to read when it has ended.
//!
//! A device has no exceptions and no console. A kernel that finds something wrong, or has something to say, writes it
//! to memory of its own, which is empty when the kernel starts and read as soon as it ends. Whoever launched the kernel
//! says what to make of it; if that is an error, the command ends with it, and the next wait reports it with the
//! kernel and the line that launched it.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::device::Device;
use crate::error::Result;
use crate::immediate::BorrowedArgument;
use crate::launch::Argument;
use crate::memory::place::Place;
use crate::memory::usm::{Allocation, Memory, UsmKind};
use crate::queue::Queue;

/// What to make of the bytes that a kernel leaves.
type Read = dyn Fn(&[u8]) -> Result<()> + Send + Sync;

/// Memory for what one launch of a kernel has to report.
#[derive(Clone)]
pub struct Report {
    allocation: Arc<Allocation>,
    device: Device,
    size_bytes: usize,
    read: Arc<Read>,
}

impl Report {
    /// A report of so many bytes, all zero when the kernel starts.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(
        queue: &Queue,
        size_bytes: usize,
        read: impl Fn(&[u8]) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Self> {
        Ok(Self {
            allocation: Allocation::new(queue, size_bytes, UsmKind::Device)?,
            device: queue.device().clone(),
            size_bytes,
            read: Arc::new(read),
        })
    }

    /// What the kernel gets.
    pub fn argument(&self) -> Argument {
        Argument::Pointer {
            allocation: Arc::clone(&self.allocation),
            byte_offset: 0,
        }
    }

    /// What the kernel gets, borrowed.
    pub fn borrowed_argument(&self) -> BorrowedArgument<'_> {
        BorrowedArgument::Pointer {
            allocation: &self.allocation,
            byte_offset: 0,
        }
    }

    /// Runs a kernel with nothing reported before, and reads what it reports.
    pub(crate) fn around<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let place = (&self.device, &**self.allocation.memory());
        around(place, self.size_bytes, &*self.read, run)
    }

    /// The report as a command keeps it.
    pub(crate) fn kept(&self) -> KeptReport {
        KeptReport {
            memory: Arc::clone(self.allocation.memory()),
            device: self.device.clone(),
            size_bytes: self.size_bytes,
            read: Arc::clone(&self.read),
        }
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Report");
        text.field("size_bytes", &self.size_bytes)
            .finish_non_exhaustive()
    }
}

/// A report that keeps its memory alive, without counting as one of its users.
pub(crate) struct KeptReport {
    memory: Arc<Memory>,
    device: Device,
    size_bytes: usize,
    read: Arc<Read>,
}

impl KeptReport {
    /// As [`Report::around`].
    pub(crate) fn around(&self, run: impl FnOnce() -> Result<()>) -> Result<()> {
        let place = (&self.device, &*self.memory);
        around(place, self.size_bytes, &*self.read, run)
    }
}

fn around<T>(
    (device, memory): (&Device, &Memory),
    size_bytes: usize,
    read: &Read,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut bytes: SmallVec<[u8; 16]> = SmallVec::from_elem(0, size_bytes);
    let start = bytes.as_mut_ptr();
    let place = || Place::in_memory(device, memory, 0);
    // SAFETY: both places have the bytes of the report, and only this command uses the memory.
    unsafe { Place::on_host(start).copy_to(place()?, size_bytes)? };
    let result = run()?;
    // SAFETY: as above.
    unsafe { place()?.copy_to(Place::on_host(start), size_bytes)? };
    read(&bytes)?;
    Ok(result)
}
