//! Copies between contexts: no device sees the memory of both.
//!
//! They are commands like all others, on the destination's queue. Which way the bytes take is told in
//! `place.rs`.

use crate::error::Result;
use crate::event::Event;
use crate::memory::copy;
use crate::memory::usm::Allocation;
use crate::queue::Queue;

/// One end of a transfer.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// A queue of the memory's context.
    pub queue: &'a Queue,
    /// The memory.
    pub allocation: &'a Allocation,
    /// Where in it.
    pub byte_offset: usize,
}

/// Copies bytes between any two allocations, after all commands that use them. Ranges may overlap.
///
/// # Errors
/// [`Error::CopyOutOfRange`](crate::Error::CopyOutOfRange) before a byte has moved; what went wrong
/// on the source's queue so far, if that is another context's: its results would be carried to where
/// nobody would hear of it.
#[track_caller]
pub fn transfer(source: End<'_>, destination: End<'_>, size_bytes: usize) -> Result<Event> {
    enqueue(source, destination, size_bytes, None)
}

/// As [`transfer`], after exactly these events instead of what uses the same data.
///
/// # Errors
/// As [`transfer`].
#[track_caller]
pub fn transfer_after(
    source: End<'_>,
    destination: End<'_>,
    size_bytes: usize,
    events: &[Event],
) -> Result<Event> {
    enqueue(source, destination, size_bytes, Some(events))
}

#[track_caller]
fn enqueue(
    source: End<'_>,
    destination: End<'_>,
    size_bytes: usize,
    events: Option<&[Event]>,
) -> Result<Event> {
    if source.allocation.context() != destination.allocation.context() {
        source.queue.check()?;
    }
    copy::enqueue(source, destination, size_bytes, events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::memory::usm::UsmKind;
    use crate::selector::select;

    #[test]
    fn bytes_cross_from_one_context_to_another_whole_or_not_at_all() {
        let queue = |name| Queue::new(&select(name).unwrap());
        let [native, reference] = ["native", "reference"].map(queue);
        let len = (8 << 20) + 777;
        let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
        let source = Allocation::new(&native, len, UsmKind::Device).unwrap();
        let target = Allocation::new(&reference, len + 5, UsmKind::Device).unwrap();
        copy::copy_from_host(&native, &bytes, &source, 0).unwrap();
        let end = |queue, allocation, byte_offset| End {
            queue,
            allocation,
            byte_offset,
        };
        transfer(end(&native, &source, 0), end(&reference, &target, 5), len).unwrap();
        let mut found = vec![0; len];
        copy::copy_to_host(&reference, &target, 5, &mut found).unwrap();
        assert!(found == bytes);

        copy::copy_from_host(&reference, &vec![9; len + 5], &target, 0).unwrap();
        for (from, to) in [(1, 0), (0, 6), (usize::MAX, 0)] {
            let result = transfer(
                end(&native, &source, from),
                end(&reference, &target, to),
                len,
            );
            assert!(
                matches!(result, Err(Error::CopyOutOfRange { .. })),
                "{result:?}"
            );
        }
        copy::copy_to_host(&reference, &target, 5, &mut found).unwrap();
        assert!(found.iter().all(|byte| *byte == 9));
    }
}
