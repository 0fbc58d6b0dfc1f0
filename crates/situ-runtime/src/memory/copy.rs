//! Copies between host memory and allocations, and between allocations.
//!
//! Ranges are checked before a byte moves. All present devices share the host's memory, so a copy
//! is a move of bytes by the calling thread.

use crate::error::{Error, Result};
use crate::memory::usm::Allocation;
use crate::queue::Queue;

/// Copies host bytes into an allocation.
///
/// # Errors
/// [`Error::CopyOutOfRange`], [`Error::ForeignAllocation`].
pub fn copy_from_host(
    queue: &Queue,
    source: &[u8],
    destination: &Allocation,
    byte_offset: usize,
) -> Result<()> {
    check(queue, destination, byte_offset, source.len())?;
    // SAFETY: the range is inside the allocation; a slice of Rust's does not overlap one.
    unsafe {
        let start = destination.backing_ptr().add(byte_offset);
        std::ptr::copy_nonoverlapping(source.as_ptr(), start, source.len());
    }
    Ok(())
}

/// Copies bytes of an allocation to the host.
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
    // SAFETY: as in `copy_from_host`.
    unsafe {
        let start = source.backing_ptr().add(byte_offset);
        std::ptr::copy_nonoverlapping(start, destination.as_mut_ptr(), destination.len());
    }
    Ok(())
}

/// Copies bytes from one allocation to another, or within one; ranges may overlap.
///
/// # Errors
/// As [`copy_from_host`].
pub fn copy(
    queue: &Queue,
    source: (&Allocation, usize),
    destination: (&Allocation, usize),
    size_bytes: usize,
) -> Result<()> {
    check(queue, source.0, source.1, size_bytes)?;
    check(queue, destination.0, destination.1, size_bytes)?;
    // SAFETY: both ranges are inside their allocations; `copy` allows overlap.
    unsafe {
        let from = source.0.backing_ptr().add(source.1);
        let to = destination.0.backing_ptr().add(destination.1);
        std::ptr::copy(from, to, size_bytes);
    }
    Ok(())
}

/// Sets every byte of a range.
///
/// # Errors
/// As [`copy_from_host`].
pub fn fill(
    queue: &Queue,
    destination: &Allocation,
    byte_offset: usize,
    size_bytes: usize,
    value: u8,
) -> Result<()> {
    check(queue, destination, byte_offset, size_bytes)?;
    // SAFETY: the range is inside the allocation.
    unsafe {
        destination
            .backing_ptr()
            .add(byte_offset)
            .write_bytes(value, size_bytes);
    };
    Ok(())
}

fn check(queue: &Queue, allocation: &Allocation, byte_offset: usize, len: usize) -> Result<()> {
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
    use crate::device::Device;
    use crate::memory::usm::UsmKind;

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
        let devices = Device::all();
        let (native, reference) = (&devices[0], &devices[1]);
        let allocation = Allocation::new(&Queue::new(reference), 10, UsmKind::Device).unwrap();
        let result = fill(&Queue::new(native), &allocation, 0, 1, 0);
        assert!(
            matches!(result, Err(Error::ForeignAllocation { .. })),
            "{result:?}"
        );
    }
}
