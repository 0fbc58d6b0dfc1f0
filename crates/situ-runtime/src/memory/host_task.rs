//! The caller's own code over USM memory, as a command.
//!
//! [`Queue::host_task`] knows nothing of data: whoever submits it names the events it waits for. A task that says which
//! memory it uses takes its place among the kernels and copies that use the same, and what comes later waits for it. That
//! is what native packages need, who get arrays from somebody else and have no events to name.
//!
//! Unlike [`host_work`](super::host_work), the code may block, so it runs on a host thread of its own, and it is handed no
//! slices: it knows the addresses already.

use std::panic::Location;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::copy;
use crate::memory::usm::{Allocation, Memory};
use crate::order::{self, Access};
use crate::queue::{HostError, HostTask, Queue};

/// Memory that a host task uses, and how.
#[derive(Debug, Clone, Copy)]
pub enum MemoryUse<'a> {
    /// It is only read.
    Read(&'a Allocation),
    /// It may be written, and read as well.
    Write(&'a Allocation),
}

impl<'a> MemoryUse<'a> {
    fn allocation(self) -> &'a Allocation {
        match self {
            Self::Read(allocation) | Self::Write(allocation) => allocation,
        }
    }

    fn access(self) -> Access {
        match self {
            Self::Read(_) => Access::Read,
            Self::Write(_) => Access::Write,
        }
    }
}

impl Queue {
    /// Runs the caller's own code on a host thread, in its turn on this queue and after all commands that use the
    /// same memory; with `events`, after exactly those instead. The memory lives until the code has ended.
    ///
    /// The code may block and may use situ; what it must not do is wait for this queue.
    ///
    /// # Errors
    /// Before it runs: memory of another context, or memory that the host does not reach; an event it depends on has
    /// failed. What the code itself returns is told by the event.
    #[track_caller]
    pub fn host_task_over(
        &self,
        name: &str,
        uses: &[MemoryUse<'_>],
        events: Option<&[Event]>,
        work: impl FnOnce() -> Result<(), HostError> + Send + 'static,
    ) -> Result<Event> {
        for allocation in uses.iter().map(|each| each.allocation()) {
            copy::check(self, allocation, 0, 0)?;
            if !allocation.is_host_accessible() {
                return Err(Error::NotHostAccessible {
                    device: self.device().filter_string(),
                    kind: allocation.kind(),
                });
            }
        }
        let kept: SmallVec<[Arc<Memory>; 4]> = uses
            .iter()
            .map(|each| Arc::clone(each.allocation().memory()))
            .collect();
        let task = HostTask::new(name, move || {
            let result = work();
            drop(kept);
            result
        });
        let uses = uses.iter().map(|each| (each.allocation(), each.access()));
        order::submit(self, task, uses, events, Location::caller())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::backend::virtual_::{self, VirtualRequest};
    use crate::device::Device;
    use crate::memory::usm::UsmKind;

    const SIZE_BYTES: usize = 4 << 20;

    /// Memory as code of another language sees it.
    #[derive(Clone, Copy)]
    struct Address(usize);

    impl Address {
        fn of(allocation: &Allocation) -> Self {
            Self(allocation.as_ptr().expose_provenance())
        }

        fn bytes(self) -> &'static mut [u8] {
            let start = std::ptr::with_exposed_provenance_mut(self.0);
            // SAFETY: tasks of these tests use memory that they named, for as long as they run.
            unsafe { std::slice::from_raw_parts_mut(start, SIZE_BYTES) }
        }
    }

    #[test]
    fn it_runs_between_what_writes_and_what_reads_its_memory() {
        let queue = Queue::new(&Device::default_device());
        let source = Allocation::new(&queue, SIZE_BYTES, UsmKind::Device).unwrap();
        let target = Allocation::new(&queue, SIZE_BYTES, UsmKind::Shared).unwrap();
        let (open, opened) = channel::<()>();
        let gate = queue.host_task("gate", &[], move || {
            opened.recv().unwrap();
            Ok(())
        });
        gate.unwrap();
        copy::fill(&queue, &source, 0, SIZE_BYTES, 3).unwrap();
        let (from, to) = (Address::of(&source), Address::of(&target));
        let uses = [MemoryUse::Read(&source), MemoryUse::Write(&target)];
        // Another queue: only the memory says what comes first.
        let other = Queue::new(&Device::default_device());
        let task = other.host_task_over("double", &uses, None, move || {
            for (to, from) in to.bytes().iter_mut().zip(from.bytes()) {
                *to = *from * 2;
            }
            Ok(())
        });
        assert!(!task.unwrap().is_complete());
        copy::fill(&queue, &source, 0, SIZE_BYTES, 9).unwrap();
        open.send(()).unwrap();
        let mut found = vec![0; SIZE_BYTES];
        copy::copy_to_host(&queue, &target, 0, &mut found).unwrap();
        assert!(found.iter().all(|&byte| byte == 6));
    }

    #[test]
    fn memory_that_the_host_does_not_reach_is_refused() {
        let request = VirtualRequest::parse_list("gpu").unwrap();
        let queue = Queue::new(&virtual_::add(&request, None)[0]);
        let memory = Allocation::new(&queue, 8, UsmKind::Device).unwrap();
        let uses = [MemoryUse::Read(&memory)];
        let refused = queue.host_task_over("peek", &uses, None, || Ok(()));
        assert!(matches!(refused, Err(Error::NotHostAccessible { .. })));
    }

    #[test]
    fn its_memory_outlives_the_last_handle() {
        let queue = Queue::new(&Device::default_device());
        let memory = Allocation::new(&queue, SIZE_BYTES, UsmKind::Shared).unwrap();
        let (open, opened) = channel::<()>();
        let address = Address::of(&memory);
        let task = queue.host_task_over("fill", &[MemoryUse::Write(&memory)], None, move || {
            opened.recv().unwrap();
            address.bytes().fill(1);
            Ok(())
        });
        let task = task.unwrap();
        drop(memory);
        open.send(()).unwrap();
        task.wait().unwrap();
    }
}
