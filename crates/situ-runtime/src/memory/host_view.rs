//! Memory that the host looks at whenever it likes.
//!
//! A view that was handed out by address (to NumPy, say) cannot wait for commands: whoever reads it
//! just reads. So as long as one exists, commands that use the allocation are waited for where they
//! are submitted, and both sides always agree on what is in it.

use std::sync::Arc;

use crate::error::Result;
use crate::memory::usm::Allocation;

/// The host's right to read and write an allocation at any moment, until it is dropped.
#[derive(Debug)]
pub struct HostView {
    allocation: Arc<Allocation>,
}

impl HostView {
    /// Begins a view, after all commands that use the allocation.
    ///
    /// Whether the host can reach the memory at all is the caller's to check:
    /// [`Allocation::is_host_accessible`].
    ///
    /// # Errors
    /// The failure of a command that was to use it.
    pub fn new(allocation: &Arc<Allocation>) -> Result<Self> {
        allocation.begin_host_view();
        let view = Self {
            allocation: Arc::clone(allocation),
        };
        view.allocation.wait_for_all()?;
        Ok(view)
    }
}

impl Drop for HostView {
    fn drop(&mut self) {
        self.allocation.end_host_view();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::device::Device;
    use crate::memory::copy;
    use crate::memory::usm::UsmKind;
    use crate::queue::Queue;

    #[test]
    fn commands_are_waited_for_while_the_host_looks() {
        let queue = Queue::new(&Device::default_device());
        let size_bytes = 4 << 20;
        let allocation = Allocation::new(&queue, size_bytes, UsmKind::Shared).unwrap();
        let view = HostView::new(&allocation).unwrap();
        for value in 1..20 {
            assert!(
                copy::fill(&queue, &allocation, 0, size_bytes, value)
                    .unwrap()
                    .is_complete()
            );
            // SAFETY: the memory is the host's, too, and no command is pending.
            let last = unsafe { allocation.as_ptr().add(size_bytes - 1).read() };
            assert_eq!(last, value);
        }
        drop(view);
        let (open, opened) = channel::<()>();
        queue
            .host_task("gate", &[], move || {
                opened.recv().unwrap();
                Ok(())
            })
            .unwrap();
        let event = copy::fill(&queue, &allocation, 0, size_bytes, 0).unwrap();
        assert!(!event.is_complete());
        open.send(()).unwrap();
        event.wait().unwrap();
    }
}
