//! Memory of the host that devices use in place.
//!
//! Other libraries have memory of their own, and hand out its address. Devices whose kernels can use any
//! memory of the process need no copy of it. Others do, and making one is the caller's business.

use std::ptr::NonNull;
use std::sync::Arc;

use crate::aspect::Aspect;
use crate::memory::usm::{Allocation, Memory, Owner, UsmKind};
use crate::queue::Queue;

/// An allocation over bytes of the host, of the kind `host`; `None` if not every device of the queue's
/// context can use them. It is shared with others from the beginning: commands that use it end
/// before their submission returns.
///
/// # Safety
/// As many bytes from `start` on can be read and written until `owner` is dropped.
pub unsafe fn adopt(
    queue: &Queue,
    start: NonNull<u8>,
    size_bytes: usize,
    owner: Owner,
) -> Option<Arc<Allocation>> {
    if !can_adopt(queue) {
        return None;
    }
    // SAFETY: the caller answers for the bytes, and the devices of the context can use any memory.
    let memory =
        unsafe { Memory::foreign(queue.context(), start, size_bytes, UsmKind::Host, owner) };
    Some(Allocation::foreign(memory))
}

/// Whether all devices of a queue's context can use any memory of the process.
pub fn can_adopt(queue: &Queue) -> bool {
    let mut devices = queue.context().devices().iter();
    devices.all(|device| device.has_aspect(Aspect::UsmSystemAllocations))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::device::Device;
    use crate::memory::copy;

    /// Tells when it is dropped.
    struct Telltale(Arc<AtomicBool>);

    impl Drop for Telltale {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }

    #[test]
    fn commands_work_in_place_and_the_owner_lives_as_long() {
        let queue = Queue::new(&Device::default_device());
        let mut bytes = vec![0_u8; 100];
        let is_gone = Arc::new(AtomicBool::new(false));
        let owner = Box::new(Telltale(Arc::clone(&is_gone)));
        let start = NonNull::new(bytes.as_mut_ptr()).unwrap();
        // SAFETY: the bytes live until the end of this test.
        let allocation = unsafe { adopt(&queue, start, bytes.len(), owner) }.unwrap();
        assert!(allocation.is_host_accessible());
        assert_eq!(allocation.kind(), UsmKind::Host);
        let event = copy::fill(&queue, &allocation, 10, 20, 7).unwrap();
        assert!(event.is_complete(), "others may look at any time");
        assert!(!is_gone.load(Ordering::Acquire));
        drop(event);
        drop(allocation);
        assert!(is_gone.load(Ordering::Acquire));
        let expected = |position| if (10..30).contains(&position) { 7 } else { 0 };
        assert!((0..100).all(|position| bytes[position] == expected(position)));
    }
}
