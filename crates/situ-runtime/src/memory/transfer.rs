//! Copies between contexts. No device sees the memory of both, so the bytes go through the host.

use crate::error::Result;
use crate::memory::copy;
use crate::memory::usm::Allocation;
use crate::queue::Queue;

/// How much is on the way at once.
const PIECE_BYTES: usize = 4 << 20;

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

/// Copies bytes between any two allocations: by the device if it sees both, in which case ranges may
/// overlap and the copy may still be running on return; through the host if not.
///
/// # Errors
/// [`Error::CopyOutOfRange`](crate::Error::CopyOutOfRange) before a byte has moved; what went wrong
/// on the source's queue so far.
pub fn transfer(source: End<'_>, destination: End<'_>, size_bytes: usize) -> Result<()> {
    if source.allocation.context() == destination.allocation.context() {
        copy::copy(
            destination.queue,
            (source.allocation, source.byte_offset),
            (destination.allocation, destination.byte_offset),
            size_bytes,
        )?;
        return Ok(());
    }
    // Nothing of the destination may change if the source does not have as much, and vice versa.
    for end in [source, destination] {
        copy::check(end.queue, end.allocation, end.byte_offset, size_bytes)?;
    }
    let mut piece = vec![0; size_bytes.min(PIECE_BYTES)];
    let mut done = 0;
    while done < size_bytes {
        let piece = &mut piece[..(size_bytes - done).min(PIECE_BYTES)];
        let from = source.byte_offset + done;
        copy::copy_to_host(source.queue, source.allocation, from, piece)?;
        let to = destination.byte_offset + done;
        copy::copy_from_host(destination.queue, piece, destination.allocation, to)?;
        done += piece.len();
    }
    Ok(())
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
        let len = 2 * PIECE_BYTES + 777;
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
