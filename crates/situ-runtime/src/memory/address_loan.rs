//! Memory whose address native code holds.
//!
//! Native code names the memory that its commands use, and waits before it looks, so kernels need not be waited for. But
//! nobody is told of what it writes by the address. So as long as it holds the address, nothing that reads the memory is
//! put off.

use std::sync::Arc;

use crate::error::Result;
use crate::memory::usm::Allocation;

/// The address of an allocation in the hands of native code, until it is dropped.
#[derive(Debug)]
pub struct AddressLoan {
    allocation: Arc<Allocation>,
}

impl AddressLoan {
    /// Submits what was put off and makes or reads the contents, and puts off nothing that reads them from now on.
    ///
    /// # Errors
    /// If there is no memory, or the work cannot be submitted.
    pub fn new(allocation: &Arc<Allocation>) -> Result<Self> {
        allocation.begin_loan();
        let loan = Self {
            allocation: Arc::clone(allocation),
        };
        allocation.settle()?;
        allocation.settle_readers()?;
        Ok(loan)
    }

    /// The memory.
    pub fn allocation(&self) -> &Arc<Allocation> {
        &self.allocation
    }
}

impl Drop for AddressLoan {
    fn drop(&mut self) {
        self.allocation.end_loan();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::memory::usm::UsmKind;
    use crate::queue::Queue;

    #[test]
    fn nothing_is_put_off_while_somebody_holds_the_address() {
        let queue = Queue::new(&Device::default_device());
        let allocation = Allocation::new(&queue, 64, UsmKind::Shared).unwrap();
        assert!(allocation.is_private());
        let loans = [(); 2].map(|()| AddressLoan::new(&allocation).unwrap());
        assert!(!allocation.is_private());
        let [first, second] = loans;
        drop(first);
        assert!(!allocation.is_private());
        drop(second);
        assert!(allocation.is_private());
    }
}
