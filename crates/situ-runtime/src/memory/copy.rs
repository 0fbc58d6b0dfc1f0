//! Copies between host memory and allocations, and between allocations.
//!
//! Ranges are checked before a byte moves. Copies that involve the host's own memory wait: for the
//! commands that use the allocation, and for the copy itself. Copies between allocations, and fills,
//! are commands like any other. How bytes move is the driver's business.

use std::panic::Location;
use std::sync::Arc;

use crate::command::{Label, Work};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::usm::{Allocation, Memory};
use crate::order::{self, Access};
use crate::queue::{Queue, Task};

/// Copies and fills up to this size run on the caller when nothing is pending: like brief launches,
/// they take some 100 microseconds at most.
const BRIEF_BYTES: usize = 1 << 20;

/// Copies host bytes into an allocation, once no command uses it.
///
/// # Errors
/// [`Error::CopyOutOfRange`], [`Error::ForeignAllocation`]; what went wrong on the queue so far.
pub fn copy_from_host(
    queue: &Queue,
    source: &[u8],
    destination: &Allocation,
    byte_offset: usize,
) -> Result<()> {
    check(queue, destination, byte_offset, source.len())?;
    destination.wait_for_all()?;
    // SAFETY: the range is inside the allocation, which is of the queue's context.
    unsafe {
        let start = destination.backing_ptr().add(byte_offset);
        let driver = queue.device().driver();
        driver.copy(source.as_ptr(), start, source.len())
    }
}

/// Copies bytes of an allocation to the host, once no command writes them.
///
/// # Errors
/// As [`copy_from_host`].
pub fn copy_to_host(
    queue: &Queue,
    source: &Allocation,
    byte_offset: usize,
    destination: &mut [u8],
) -> Result<()> {
    check(queue, source, byte_offset, destination.len())?;
    source.wait_for_writes()?;
    // Reading results is a wait, too: it is where a user learns that they are not what they seem.
    queue.check()?;
    // SAFETY: as in `copy_from_host`.
    unsafe {
        let start = source.backing_ptr().add(byte_offset);
        let driver = queue.device().driver();
        driver.copy(start, destination.as_mut_ptr(), destination.len())
    }
}

/// Copies bytes from one allocation to another, or within one; ranges may overlap.
///
/// # Errors
/// As [`copy_from_host`].
#[track_caller]
pub fn copy(
    queue: &Queue,
    source: (&Allocation, usize),
    destination: (&Allocation, usize),
    size_bytes: usize,
) -> Result<Event> {
    enqueue_copy(queue, source, destination, size_bytes, None)
}

/// As [`copy`], after exactly these events instead of what uses the same data.
///
/// # Errors
/// As [`copy_from_host`].
#[track_caller]
pub fn copy_after(
    queue: &Queue,
    source: (&Allocation, usize),
    destination: (&Allocation, usize),
    size_bytes: usize,
    events: &[Event],
) -> Result<Event> {
    enqueue_copy(queue, source, destination, size_bytes, Some(events))
}

#[track_caller]
fn enqueue_copy(
    queue: &Queue,
    source: (&Allocation, usize),
    destination: (&Allocation, usize),
    size_bytes: usize,
    events: Option<&[Event]>,
) -> Result<Event> {
    check(queue, source.0, source.1, size_bytes)?;
    check(queue, destination.0, destination.1, size_bytes)?;
    let bytes = |(allocation, byte_offset): (&Allocation, usize)| Bytes {
        memory: Arc::clone(allocation.memory()),
        byte_offset,
    };
    let task = Copy {
        device: queue.device().clone(),
        source: bytes(source),
        destination: bytes(destination),
        size_bytes,
    };
    let uses = [(source.0, Access::Read), (destination.0, Access::Write)];
    order::submit(queue, task, uses.into_iter(), events, Location::caller())
}

/// Sets every byte of a range.
///
/// # Errors
/// As [`copy_from_host`].
#[track_caller]
pub fn fill(
    queue: &Queue,
    destination: &Allocation,
    byte_offset: usize,
    size_bytes: usize,
    value: u8,
) -> Result<Event> {
    enqueue_fill(queue, (destination, byte_offset), size_bytes, value, None)
}

/// As [`fill`], after exactly these events instead of what uses the same data.
///
/// # Errors
/// As [`copy_from_host`].
#[track_caller]
pub fn fill_after(
    queue: &Queue,
    destination: (&Allocation, usize),
    size_bytes: usize,
    value: u8,
    events: &[Event],
) -> Result<Event> {
    enqueue_fill(queue, destination, size_bytes, value, Some(events))
}

#[track_caller]
fn enqueue_fill(
    queue: &Queue,
    (destination, byte_offset): (&Allocation, usize),
    size_bytes: usize,
    value: u8,
    events: Option<&[Event]>,
) -> Result<Event> {
    check(queue, destination, byte_offset, size_bytes)?;
    let task = Fill {
        device: queue.device().clone(),
        destination: Bytes {
            memory: Arc::clone(destination.memory()),
            byte_offset,
        },
        size_bytes,
        value,
    };
    let uses = [(destination, Access::Write)];
    order::submit(queue, task, uses.into_iter(), events, Location::caller())
}

/// A place in memory that is kept alive.
struct Bytes {
    memory: Arc<Memory>,
    byte_offset: usize,
}

impl Bytes {
    fn start(&self) -> *mut u8 {
        // The offset was checked to be inside of the memory.
        self.memory.backing_ptr().wrapping_add(self.byte_offset)
    }
}

struct Copy {
    device: Device,
    source: Bytes,
    destination: Bytes,
    size_bytes: usize,
}

impl Task for Copy {
    fn label(&self) -> Label {
        Label::Copy {
            size_bytes: self.size_bytes,
        }
    }

    fn is_brief(&self) -> bool {
        self.size_bytes <= BRIEF_BYTES
    }

    fn run(self) -> Result<()> {
        let (from, to) = (self.source.start(), self.destination.start());
        // SAFETY: both ranges were checked to be inside their memories, which this task keeps
        // alive, and which are of the context of the device's queue.
        unsafe { self.device.driver().copy(from, to, self.size_bytes) }
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

struct Fill {
    device: Device,
    destination: Bytes,
    size_bytes: usize,
    value: u8,
}

impl Task for Fill {
    fn label(&self) -> Label {
        Label::Fill {
            size_bytes: self.size_bytes,
        }
    }

    fn is_brief(&self) -> bool {
        self.size_bytes <= BRIEF_BYTES
    }

    fn run(self) -> Result<()> {
        let start = self.destination.start();
        let driver = self.device.driver();
        // SAFETY: the range was checked to be inside the memory, which this task keeps alive, and
        // which is of the context of the device's queue.
        unsafe { driver.fill(start, self.size_bytes, self.value) }
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

/// Whether a range of an allocation can be reached from a queue.
pub(super) fn check(
    queue: &Queue,
    allocation: &Allocation,
    byte_offset: usize,
    len: usize,
) -> Result<()> {
    if allocation.context() != queue.context() {
        return Err(Error::ForeignAllocation {
            parameter: None,
            device: queue.device().filter_string(),
        });
    }
    let size_bytes = allocation.size_bytes();
    if byte_offset
        .checked_add(len)
        .is_none_or(|end| end > size_bytes)
    {
        return Err(Error::CopyOutOfRange {
            byte_offset,
            len,
            size_bytes,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::usm::UsmKind;
    use crate::selector::select;

    #[test]
    fn bytes_arrive_where_they_should() {
        let queue = Queue::new(&Device::default_device());
        let first = Allocation::new(&queue, 10, UsmKind::Shared).unwrap();
        let second = Allocation::new(&queue, 10, UsmKind::Device).unwrap();
        fill(&queue, &first, 0, 10, 9).unwrap();
        copy_from_host(&queue, &[1, 2, 3, 4], &first, 2).unwrap();
        copy(&queue, (&first, 2), (&first, 4), 4).unwrap();
        copy(&queue, (&first, 0), (&second, 0), 10).unwrap();
        let mut bytes = [0; 10];
        copy_to_host(&queue, &second, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [9, 9, 1, 2, 1, 2, 3, 4, 9, 9]);
        copy_to_host(&queue, &second, 10, &mut []).unwrap();
    }

    #[test]
    fn ranges_outside_an_allocation_are_refused() {
        let queue = Queue::new(&Device::default_device());
        let allocation = Allocation::new(&queue, 10, UsmKind::Device).unwrap();
        for (byte_offset, len) in [(0, 11), (10, 1), (11, 0), (usize::MAX, 1), (1, usize::MAX)] {
            let result = fill(&queue, &allocation, byte_offset, len, 0);
            assert!(
                matches!(result, Err(Error::CopyOutOfRange { .. })),
                "{byte_offset} {len}"
            );
        }
    }

    #[test]
    fn memory_of_another_context_is_refused() {
        let [native, reference] = ["native", "reference"].map(|name| select(name).unwrap());
        let allocation = Allocation::new(&Queue::new(&reference), 10, UsmKind::Device).unwrap();
        let result = fill(&Queue::new(&native), &allocation, 0, 1, 0);
        assert!(
            matches!(result, Err(Error::ForeignAllocation { .. })),
            "{result:?}"
        );
    }
}
