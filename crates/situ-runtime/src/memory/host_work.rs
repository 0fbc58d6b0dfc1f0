//! Library code of the host over USM memory, as a command.
//!
//! Decompositions, transforms and sorts have better implementations than a kernel would be, wherever the
//! host reaches the memory. They run like kernels do: after the commands that use the same data, on a
//! thread of the device, and what comes later waits for them. Unlike the user's host tasks they never wait
//! for anything, so they need no threads of their own.

use std::ops::Range;
use std::panic::Location;
use std::slice;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::command::{Label, Work};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::copy;
use crate::memory::usm::{Allocation, Memory};
use crate::order::{self, Access};
use crate::queue::{HostError, Queue, Task};

/// Some bytes of an allocation.
#[derive(Debug, Clone)]
pub struct ByteRange {
    /// The allocation.
    pub allocation: Arc<Allocation>,
    /// Where the bytes begin in it.
    pub byte_offset: usize,
    /// How many there are.
    pub size_bytes: usize,
}

impl ByteRange {
    fn addresses(&self) -> Range<usize> {
        let start = self.allocation.as_ptr() as usize + self.byte_offset;
        start..start + self.size_bytes
    }
}

/// The memory that host work is given, in the order in which it was named.
#[derive(Debug)]
pub struct HostMemory<'a> {
    /// What is only read.
    pub reads: SmallVec<[&'a [u8]; 4]>,
    /// What is written.
    pub writes: SmallVec<[&'a mut [u8]; 4]>,
}

/// What host work is and which memory it needs.
#[derive(Debug, Clone, Copy)]
pub struct HostWork<'a> {
    /// Its name, for messages.
    pub name: &'static str,
    /// What it reads.
    pub reads: &'a [ByteRange],
    /// What it writes.
    pub writes: &'a [ByteRange],
    /// Whether it takes less than some 100 microseconds, so that the caller may just do it.
    pub is_brief: bool,
}

impl Queue {
    /// Runs library code of the host, in its turn on this queue and after all commands that use the same
    /// memory. It must not wait for other commands.
    ///
    /// # Errors
    /// Before it runs: a range is not inside of its allocation or of another context, or the host does not
    /// reach it. What the work returns is returned if it ran at once, and told by the event otherwise.
    ///
    /// # Panics
    /// If what is written overlaps with anything else.
    #[track_caller]
    pub fn host_work(
        &self,
        what: HostWork<'_>,
        work: impl FnOnce(HostMemory<'_>) -> Result<(), HostError> + Send + 'static,
    ) -> Result<Event> {
        self.submit_host_work(what, Box::new(work), Location::caller())
    }

    /// As above. It is compiled once, not for every function of the library: the copies were a fiftieth of the
    /// extension module.
    fn submit_host_work(
        &self,
        what: HostWork<'_>,
        work: BoxedWork,
        location: &'static Location<'static>,
    ) -> Result<Event> {
        let all = || what.reads.iter().chain(what.writes);
        for range in all() {
            let ByteRange {
                allocation,
                byte_offset,
                size_bytes,
            } = range;
            copy::check(self, allocation, *byte_offset, *size_bytes)?;
            if !allocation.is_host_accessible() {
                return Err(Error::NotHostAccessible {
                    device: self.device().filter_string(),
                    kind: allocation.kind(),
                });
            }
        }
        for (position, written) in what.writes.iter().enumerate() {
            let later = what.writes[position + 1..].iter();
            let is_alone = what.reads.iter().chain(later).all(|other| {
                let (one, two) = (written.addresses(), other.addresses());
                one.is_empty() || two.is_empty() || one.end <= two.start || two.end <= one.start
            });
            assert!(is_alone, "`{}` writes memory that it reads", what.name);
        }
        let task = HostLibrary {
            name: what.name,
            reads: what.reads.iter().map(Kept::of).collect(),
            writes: what.writes.iter().map(Kept::of).collect(),
            is_brief: what.is_brief,
            work,
        };
        let reads = what.reads.iter().map(|each| (each, Access::Read));
        let writes = what.writes.iter().map(|each| (each, Access::Write));
        let uses = reads
            .chain(writes)
            .map(|(range, access)| (&*range.allocation, access));
        order::submit(self, task, uses, None, location)
    }
}

/// Bytes that are kept alive, without counting as a user of the allocation.
struct Kept {
    memory: Arc<Memory>,
    byte_offset: usize,
    size_bytes: usize,
}

impl Kept {
    fn of(range: &ByteRange) -> Self {
        Self {
            memory: Arc::clone(range.allocation.memory()),
            byte_offset: range.byte_offset,
            size_bytes: range.size_bytes,
        }
    }

    fn start(&self) -> *mut u8 {
        self.memory.as_ptr().wrapping_add(self.byte_offset)
    }
}

type BoxedWork = Box<dyn FnOnce(HostMemory<'_>) -> Result<(), HostError> + Send>;

struct HostLibrary {
    name: &'static str,
    reads: SmallVec<[Kept; 4]>,
    writes: SmallVec<[Kept; 4]>,
    is_brief: bool,
    work: BoxedWork,
}

impl Task for HostLibrary {
    fn label(&self) -> Label {
        Label::HostWork { name: self.name }
    }

    fn is_brief(&self) -> bool {
        self.is_brief
    }

    fn run(self) -> Result<()> {
        let memory = HostMemory {
            reads: self
                .reads
                .iter()
                // SAFETY: the range was checked to be inside of memory that the host reaches and that this
                // task keeps alive; other commands do not write it meanwhile.
                .map(|kept| unsafe { slice::from_raw_parts(kept.start(), kept.size_bytes) })
                .collect(),
            writes: self
                .writes
                .iter()
                // SAFETY: as above, and no other range of this task overlaps with it; other commands do not
                // use it meanwhile.
                .map(|kept| unsafe { slice::from_raw_parts_mut(kept.start(), kept.size_bytes) })
                .collect(),
        };
        (self.work)(memory).map_err(|source| Error::HostWorkFailed {
            name: self.name,
            source,
        })
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::device::Device;
    use crate::memory::usm::UsmKind;

    fn whole(allocation: &Arc<Allocation>) -> ByteRange {
        ByteRange {
            allocation: Arc::clone(allocation),
            byte_offset: 0,
            size_bytes: allocation.size_bytes(),
        }
    }

    #[test]
    fn it_runs_between_what_writes_and_what_reads_its_memory() {
        let queue = Queue::new(&Device::default_device());
        let source = Allocation::new(&queue, 4 << 20, UsmKind::Device).unwrap();
        let target = Allocation::new(&queue, 4 << 20, UsmKind::Shared).unwrap();
        let (open, opened) = channel::<()>();
        let gate = queue.host_task("gate", &[], move || {
            opened.recv().unwrap();
            Ok(())
        });
        gate.unwrap();
        copy::fill(&queue, &source, 0, 4 << 20, 3).unwrap();
        let what = HostWork {
            name: "double",
            reads: &[whole(&source)],
            writes: &[whole(&target)],
            is_brief: true,
        };
        let event = queue.host_work(what, |mut memory| {
            for (to, from) in memory.writes[0].iter_mut().zip(memory.reads[0]) {
                *to = from * 2;
            }
            Ok(())
        });
        let event = event.unwrap();
        assert!(!event.is_complete());
        copy::fill(&queue, &source, 0, 4 << 20, 9).unwrap();
        open.send(()).unwrap();
        let mut found = vec![0; 4 << 20];
        copy::copy_to_host(&queue, &target, 0, &mut found).unwrap();
        assert!(found.iter().all(|&byte| byte == 6));
    }

    #[test]
    fn its_failure_is_told_in_its_own_words() {
        let queue = Queue::new(&Device::default_device());
        let what = HostWork {
            name: "invert",
            reads: &[],
            writes: &[],
            is_brief: true,
        };
        let singular = || Arc::new(std::io::Error::other("singular"));
        let failed = queue.host_work(what, move |_| Err(singular()));
        assert_eq!(failed.unwrap_err().to_string(), "singular");
        let later = HostWork {
            is_brief: false,
            ..what
        };
        let event = queue.host_work(later, move |_| Err(singular())).unwrap();
        let text = event.wait().unwrap_err().to_string();
        assert!(
            text.contains("`invert`") && text.contains("singular"),
            "{text}"
        );
    }

    #[test]
    #[should_panic(expected = "writes memory that it reads")]
    fn writing_what_is_read_is_a_mistake() {
        let queue = Queue::new(&Device::default_device());
        let memory = Allocation::new(&queue, 64, UsmKind::Shared).unwrap();
        let what = HostWork {
            name: "mistake",
            reads: &[whole(&memory)],
            writes: &[whole(&memory)],
            is_brief: true,
        };
        drop(queue.host_work(what, |_| Ok(())));
    }
}
