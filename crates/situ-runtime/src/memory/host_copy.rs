//! Copies between memory of the host and allocations, as commands.
//!
//! [`copy::copy_from_host`] and its counterpart wait, because a slice of the host's can be gone when they return. Code
//! of other languages, which keeps its memory by itself, need not wait: it gets an event and promises to leave the
//! memory alone until that has ended.

use std::panic::Location;
use std::sync::Arc;

use crate::command::{Label, Work};
use crate::device::Device;
use crate::error::Result;
use crate::event::Event;
use crate::memory::copy::{self, BRIEF_BYTES};
use crate::memory::place::Place;
use crate::memory::usm::{Allocation, Memory};
use crate::order::{self, Access};
use crate::queue::{Queue, Task};

/// Memory of the host at one end of a copy.
#[derive(Debug, Clone, Copy)]
pub enum HostEnd {
    /// Bytes come from there.
    Source(*const u8),
    /// Bytes go there.
    Destination(*mut u8),
}

/// Copies bytes between memory of the host and an allocation, after the commands that use it; with `events`, after
/// exactly those instead.
///
/// # Safety
/// The host's memory has as many bytes, and stays, until the event has ended. Until then nobody writes it, and nobody reads
/// it either if it is the destination.
///
/// # Errors
/// [`Error::CopyOutOfRange`](crate::Error::CopyOutOfRange),
/// [`Error::ForeignAllocation`](crate::Error::ForeignAllocation).
#[track_caller]
pub unsafe fn enqueue_host_copy(
    queue: &Queue,
    host: HostEnd,
    (allocation, byte_offset): (&Allocation, usize),
    size_bytes: usize,
    events: Option<&[Event]>,
) -> Result<Event> {
    copy::check(queue, allocation, byte_offset, size_bytes)?;
    let access = match host {
        HostEnd::Source(_) => Access::Write,
        HostEnd::Destination(_) => Access::Read,
    };
    let task = HostCopy {
        host,
        device: queue.device().clone(),
        memory: Arc::clone(allocation.memory()),
        byte_offset,
        size_bytes,
    };
    let uses = std::iter::once((allocation, access));
    order::submit(queue, task, uses, events, Location::caller())
}

struct HostCopy {
    host: HostEnd,
    device: Device,
    memory: Arc<Memory>,
    byte_offset: usize,
    size_bytes: usize,
}

// SAFETY: whoever submits it leaves the host's memory to whichever thread makes the copy.
unsafe impl Send for HostCopy {}

impl Task for HostCopy {
    fn label(&self) -> Label {
        Label::Copy {
            size_bytes: self.size_bytes,
        }
    }

    fn is_brief(&self) -> bool {
        self.size_bytes <= BRIEF_BYTES
    }

    fn run(self) -> Result<()> {
        let place = Place::in_memory(&self.device, &self.memory, self.byte_offset)?;
        // SAFETY: the range was checked to be inside of the memory, which this task keeps alive and which is of the
        // context of the device's queue; other commands keep away. The caller answers for the host's bytes.
        unsafe {
            match self.host {
                HostEnd::Source(source) => {
                    Place::on_host(source.cast_mut()).copy_to(place, self.size_bytes)
                }
                HostEnd::Destination(destination) => {
                    place.copy_to(Place::on_host(destination), self.size_bytes)
                }
            }
        }
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::virtual_::{self, VirtualRequest};
    use crate::error::Error;
    use crate::memory::usm::UsmKind;

    #[test]
    fn bytes_go_to_memory_of_a_device_alone_and_come_back_in_order() {
        let request = VirtualRequest::parse_list("gpu").unwrap();
        let queue = Queue::new(&virtual_::add(&request, None)[0]);
        let size_bytes = 4 << 20;
        let bytes: Vec<u8> = (0..size_bytes).map(|at| (at % 251) as u8).collect();
        let memory = Allocation::new(&queue, size_bytes + 3, UsmKind::Device).unwrap();
        let mut found = vec![0; size_bytes];
        let (source, destination) = (
            HostEnd::Source(bytes.as_ptr()),
            HostEnd::Destination(found.as_mut_ptr()),
        );
        for host in [source, destination] {
            // SAFETY: both vectors live until the queue was waited for, and nobody else uses them.
            let event = unsafe { enqueue_host_copy(&queue, host, (&memory, 3), size_bytes, None) };
            event.unwrap();
        }
        queue.wait().unwrap();
        assert!(found == bytes);
        // SAFETY: it is refused before a byte moves.
        let refused = unsafe { enqueue_host_copy(&queue, source, (&memory, 4), size_bytes, None) };
        assert!(matches!(refused, Err(Error::CopyOutOfRange { .. })));
    }
}
