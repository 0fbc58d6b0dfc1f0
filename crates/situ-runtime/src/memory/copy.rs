//! Copies between host memory and allocations, and between allocations.
//!
//! Ranges are checked before a byte moves. Copies that involve the host's own memory wait: for the
//! commands that use the allocation, and for the copy itself. Copies between allocations, and fills,
//! are commands like any other. Which way bytes take is told in `place.rs`.

use std::panic::Location;
use std::sync::Arc;

use crate::command::{Label, Work};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::place::Place;
use crate::memory::transfer::End;
use crate::memory::usm::{Allocation, Memory};
use crate::order::{self, Access};
use crate::queue::{Queue, Task};

/// Copies and fills up to this size run on the caller when nothing is pending: like brief launches,
/// they take some 100 microseconds at most.
pub(super) const BRIEF_BYTES: usize = 1 << 20;

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
    let to = Place::in_memory(queue.device(), destination.memory(), byte_offset)?;
    // SAFETY: the range is inside the allocation, which is of the queue's context and which no
    // command uses; a source is only read.
    unsafe { Place::on_host(source.as_ptr().cast_mut()).copy_to(to, source.len()) }
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
    let from = Place::in_memory(queue.device(), source.memory(), byte_offset)?;
    // SAFETY: the range is inside the allocation, which is of the queue's context and which no
    // command writes.
    unsafe { from.copy_to(Place::on_host(destination.as_mut_ptr()), destination.len()) }
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
    copy_within_context(queue, source, destination, size_bytes, None)
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
    copy_within_context(queue, source, destination, size_bytes, Some(events))
}

#[track_caller]
fn copy_within_context(
    queue: &Queue,
    source: (&Allocation, usize),
    destination: (&Allocation, usize),
    size_bytes: usize,
    events: Option<&[Event]>,
) -> Result<Event> {
    let end = |(allocation, byte_offset)| End {
        queue,
        allocation,
        byte_offset,
    };
    enqueue(end(source), end(destination), size_bytes, events)
}

/// Submits a copy to the destination's queue.
#[track_caller]
pub(super) fn enqueue(
    source: End<'_>,
    destination: End<'_>,
    size_bytes: usize,
    events: Option<&[Event]>,
) -> Result<Event> {
    for end in [source, destination] {
        check(end.queue, end.allocation, end.byte_offset, size_bytes)?;
    }
    let task = Copy {
        source: Bytes::new(source),
        destination: Bytes::new(destination),
        size_bytes,
    };
    let uses = [
        (source.allocation, Access::Read),
        (destination.allocation, Access::Write),
    ];
    let queue = destination.queue;
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
        destination: Bytes::new(End {
            queue,
            allocation: destination,
            byte_offset,
        }),
        size_bytes,
        value,
    };
    let uses = [(destination, Access::Write)];
    order::submit(queue, task, uses.into_iter(), events, Location::caller())
}

/// A place in memory that is kept alive, and a device that can use it.
struct Bytes {
    device: Device,
    memory: Arc<Memory>,
    byte_offset: usize,
}

impl Bytes {
    fn new(end: End<'_>) -> Self {
        Self {
            device: end.queue.device().clone(),
            memory: Arc::clone(end.allocation.memory()),
            byte_offset: end.byte_offset,
        }
    }

    fn place(&self) -> Result<Place<'_>> {
        Place::in_memory(&self.device, &self.memory, self.byte_offset)
    }
}

struct Copy {
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
        let (from, to) = (self.source.place()?, self.destination.place()?);
        // SAFETY: both ranges were checked to be inside their memories, which this task keeps
        // alive, and which are of the contexts of their devices. Other commands keep away.
        unsafe { from.copy_to(to, self.size_bytes) }
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

struct Fill {
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
        let to = self.destination.place()?;
        // SAFETY: the range was checked to be inside the memory, which this task keeps alive, and
        // which is of the context of the device's queue. Other commands keep away.
        unsafe { to.fill(self.size_bytes, self.value) }
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

/// Whether a range of an allocation can be reached from a queue. Its contents are settled then.
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
    allocation.settle()
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
