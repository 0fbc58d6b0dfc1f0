//! Addresses that were told to the world outside of situ, and whose they are.
//!
//! Other libraries hand memory around as numbers. A number that comes back must not be trusted: it
//! may be a host address, another library's, or one of an allocation that is gone. Only addresses
//! that were given out here are known, so that allocations nobody tells about cost nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::{Error, Result};
use crate::memory::usm::Allocation;

/// Known allocations by their address.
static EXPORTS: Mutex<BTreeMap<usize, Weak<Allocation>>> = Mutex::new(BTreeMap::new());

/// The address of an allocation, which [`find`] will know as long as the allocation lives.
pub fn export(allocation: &Arc<Allocation>) -> usize {
    let address = allocation.as_ptr().expose_provenance();
    let mut exports = lock();
    // A new entry pays for looking at the old ones now and then: the list stays below twice what
    // is alive.
    let is_known = exports
        .get(&address)
        .is_some_and(|known| known.as_ptr() == Arc::as_ptr(allocation));
    if !is_known {
        if exports.len().is_power_of_two() {
            exports.retain(|_, known| known.strong_count() > 0);
        }
        exports.insert(address, Arc::downgrade(allocation));
    }
    address
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
        .map(|(_, known)| known.clone());
    known
        .and_then(|known| known.upgrade())
        .filter(|allocation| address - allocation.as_ptr().addr() <= allocation.size_bytes())
        .ok_or(Error::UnknownAddress { address })
}

fn lock() -> MutexGuard<'static, BTreeMap<usize, Weak<Allocation>>> {
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
        assert_eq!(export(&allocation), address);
        assert_eq!(export(&allocation), address);
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
                export(allocation);
            }
        }
        assert!(lock().len() < 200);
    }
}
