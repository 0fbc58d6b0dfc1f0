//! Addresses that were told to the world outside of situ, and whose they are.
//!
//! Other libraries hand memory around as numbers. A number that comes back must not be trusted: it
//! may be a host address, another library's, or one of an allocation that is gone. Only addresses
//! that were given out here are known, so that allocations nobody tells about cost nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::{Error, Result};
use crate::memory::usm::Allocation;
use crate::queue::{Queue, WeakQueue};

/// Known allocations by their address.
static EXPORTS: Mutex<BTreeMap<usize, Export>> = Mutex::new(BTreeMap::new());

/// An allocation that others were told of.
#[derive(Clone)]
struct Export {
    allocation: Weak<Allocation>,
    /// The queue of whoever told of it last.
    queue: WeakQueue,
}

/// The address of an allocation, which [`find`] will know as long as the allocation lives. `queue` is that of
/// the array, or whatever else, that tells of it.
pub fn export(allocation: &Arc<Allocation>, queue: &Queue) -> usize {
    let address = allocation.as_ptr().expose_provenance();
    let mut exports = lock();
    let queue = queue.downgrade();
    match exports.get_mut(&address) {
        Some(known) if known.allocation.as_ptr() == Arc::as_ptr(allocation) => known.queue = queue,
        _ => {
            // A new entry pays for looking at the old ones now and then: the list stays below twice what
            // is alive.
            if exports.len().is_power_of_two() {
                exports.retain(|_, known| known.allocation.strong_count() > 0);
            }
            let allocation = Arc::downgrade(allocation);
            exports.insert(address, Export { allocation, queue });
        }
    }
    address
}

/// The queue of whoever told of an allocation last, if it is still there.
pub fn queue_of(allocation: &Arc<Allocation>) -> Option<Queue> {
    let address = allocation.as_ptr().addr();
    let known = lock().get(&address).cloned()?;
    let is_same = known.allocation.as_ptr() == Arc::as_ptr(allocation);
    is_same.then(|| known.queue.upgrade()).flatten()
}

/// The allocation that an address lies in; the address behind its last byte belongs to it, too.
///
/// # Errors
/// [`Error::UnknownAddress`] if the address was not given out by [`export`], or its allocation is
/// gone.
pub fn find(address: usize) -> Result<Arc<Allocation>> {
    let known = lock()
        .range(..=address)
        .next_back()
        .map(|(_, known)| known.allocation.clone());
    known
        .and_then(|known| known.upgrade())
        .filter(|allocation| address - allocation.as_ptr().addr() <= allocation.size_bytes())
        .ok_or(Error::UnknownAddress { address })
}

fn lock() -> MutexGuard<'static, BTreeMap<usize, Export>> {
    EXPORTS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::memory::usm::UsmKind;
    use crate::queue::Queue;

    #[test]
    fn only_addresses_of_live_exported_allocations_are_known() {
        let queue = Queue::new(&Device::default_device());
        let allocation = Allocation::new(&queue, 1000, UsmKind::Shared).unwrap();
        let address = allocation.as_ptr() as usize;
        let is_known = |address| find(address).is_ok_and(|found| Arc::ptr_eq(&found, &allocation));
        assert!(!is_known(address), "nobody was told");
        assert_eq!(export(&allocation, &queue), address);
        assert_eq!(queue_of(&allocation), Some(queue.clone()));
        let other = Queue::new(queue.device());
        assert_eq!(export(&allocation, &other), address);
        assert_eq!(queue_of(&allocation), Some(other.clone()));
        drop(other);
        assert_eq!(queue_of(&allocation), None, "queues are not kept");
        for inside in [address, address + 1, address + 1000] {
            assert!(is_known(inside), "{inside}");
        }
        for outside in [0, 1, address - 1, address + 1001, usize::MAX] {
            assert!(!is_known(outside), "{outside}");
        }
        let on_stack = 5;
        let host = &raw const on_stack as usize;
        assert!(matches!(find(host), Err(Error::UnknownAddress { address }) if address == host));
        drop(allocation);
        assert!(find(address).is_err(), "freed memory is not known");
        let reused = Allocation::new(&queue, 1000, UsmKind::Shared).unwrap();
        assert!(find(reused.as_ptr() as usize).is_err());
    }

    #[test]
    fn forgotten_allocations_do_not_pile_up() {
        let queue = Queue::new(&Device::default_device());
        for _ in 0..50 {
            let kept: Vec<_> = (0..20)
                .map(|_| Allocation::new(&queue, 10, UsmKind::Host).unwrap())
                .collect();
            for allocation in &kept {
                export(allocation, &queue);
            }
        }
        assert!(lock().len() < 200);
    }
}
