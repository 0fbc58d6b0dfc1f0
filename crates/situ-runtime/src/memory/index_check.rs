//! Indices that are known on the device only.
//!
//! A kernel that reads indices from memory cannot be refused before it runs. It checks them, leaves
//! elements alone that do not exist, and writes down the first wrong index that it finds. The command
//! then ends with an error that the next wait reports, with the kernel and the line that launched it.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::Argument;
use crate::memory::place::Place;
use crate::memory::usm::{Allocation, Memory, UsmKind};
use crate::queue::Queue;

/// What the kernel writes: which of the axes (counted from one; zero while all is well), and the index.
type Finding = [i64; 2];

/// An axis that is indexed from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedAxis {
    /// Which axis of the array.
    pub axis: usize,
    /// How many elements it has.
    pub size: usize,
}

/// A place for what a kernel finds wrong, and what to make of it.
#[derive(Debug, Clone)]
pub struct IndexCheck {
    allocation: Arc<Allocation>,
    device: Device,
    axes: SmallVec<[IndexedAxis; 2]>,
}

impl IndexCheck {
    /// A check for one launch on a queue.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(queue: &Queue, axes: &[IndexedAxis]) -> Result<Self> {
        Ok(Self {
            allocation: Allocation::new(queue, size_of::<Finding>(), UsmKind::Device)?,
            device: queue.device().clone(),
            axes: axes.into(),
        })
    }

    /// What the kernel gets: a pointer to two `int64`.
    pub fn argument(&self) -> Argument {
        Argument::Pointer {
            allocation: Arc::clone(&self.allocation),
            byte_offset: 0,
        }
    }

    /// The check as a command keeps it.
    pub(crate) fn kept(&self) -> KeptCheck {
        KeptCheck {
            memory: Arc::clone(self.allocation.memory()),
            device: self.device.clone(),
            axes: self.axes.clone(),
        }
    }
}

/// A check that keeps its memory alive, without counting as one of its users.
pub(crate) struct KeptCheck {
    memory: Arc<Memory>,
    device: Device,
    axes: SmallVec<[IndexedAxis; 2]>,
}

impl KeptCheck {
    /// Runs a kernel with nothing found before, and fails if it found something.
    pub(crate) fn around(&self, run: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut finding: Finding = [0; 2];
        let host = Place::on_host(finding.as_mut_ptr().cast());
        let cell = || Place::in_memory(&self.device, &self.memory, 0);
        // SAFETY: both places have the bytes of a finding, and only this command uses the memory.
        unsafe { host.copy_to(cell()?, size_of::<Finding>())? };
        run()?;
        // SAFETY: as above.
        unsafe { cell()?.copy_to(host, size_of::<Finding>())? };
        let [which, index] = finding;
        let found = usize::try_from(which)
            .ok()
            .and_then(|which| which.checked_sub(1));
        match found.and_then(|which| self.axes.get(which)) {
            Some(&IndexedAxis { axis, size }) => Err(Error::IndexOutOfRange { index, axis, size }),
            None => Ok(()),
        }
    }
}
