//! Library code on host memory (`situ-host`, `situ-sort`) as commands of a queue.
//!
//! [`HostCall::submit`] makes a command of it, in its place among the kernels that use the same arrays. Memory that the
//! host does not reach goes through host USM: a copy there before, a copy back after, both commands too.
//!
//! | module | about |
//! |---|---|
//! | [`pool`] | the threads such code shares its work among |
//! | `radix_sort`, `sort_keys` | sorting, by keys that are made of elements |

pub mod pool;
mod radix_sort;
pub(crate) mod sort_keys;

use std::sync::Arc;

use situ_runtime::memory::copy;
use situ_runtime::memory::host_work::{ByteRange, HostWork};
use situ_runtime::{Event, HostError, Queue, UsmKind};
use smallvec::SmallVec;

pub use situ_runtime::memory::host_work::HostMemory;

use crate::array::Array;
use crate::error::Error;

/// A call of library code: what it is called, and which arrays it reads and writes.
///
/// All of them are contiguous. What is written is new, so that it overlaps with nothing.
#[derive(Debug, Clone, Copy)]
pub struct HostCall<'a> {
    /// The name of the function, for messages.
    pub name: &'static str,
    /// Where it runs.
    pub queue: &'a Queue,
    /// What it reads.
    pub reads: &'a [&'a Array],
    /// What it writes.
    pub writes: &'a [&'a Array],
    /// Whether it takes less than some 100 microseconds, so that the caller may just do it.
    pub is_brief: bool,
}

impl HostCall<'_> {
    /// Submits the call. `work` gets the bytes of the arrays in the order in which they were named.
    ///
    /// # Errors
    /// If there is no memory for copies, or a command before it failed. What `work` returns is returned if it
    /// ran at once, and told by the event otherwise.
    ///
    /// # Panics
    /// If an array is not contiguous, or one that is written overlaps with another.
    pub fn submit(
        self,
        work: impl FnOnce(HostMemory<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Event, Error> {
        let reads: Ranges = self
            .reads
            .iter()
            .map(|array| self.brought(array))
            .collect::<Result<_, _>>()?;
        let staged: SmallVec<[Staged<'_>; 4]> = self
            .writes
            .iter()
            .map(|array| self.staged(array))
            .collect::<Result<_, _>>()?;
        let writes: Ranges = staged.iter().map(|each| each.range.clone()).collect();
        let what = HostWork {
            name: self.name,
            reads: &reads,
            writes: &writes,
            is_brief: self.is_brief,
        };
        let mut event = self.queue.host_work(what, |memory| {
            work(memory).map_err(|error| Arc::new(error) as HostError)
        })?;
        for each in staged.iter().filter(|each| each.is_elsewhere) {
            let (source, target) = (&each.range, bytes(each.array));
            event = copy::copy(
                self.queue,
                (&source.allocation, source.byte_offset),
                (&target.allocation, target.byte_offset),
                source.size_bytes,
            )?;
        }
        Ok(event)
    }

    /// The bytes of an array where the host reaches them.
    fn brought(&self, array: &Array) -> Result<ByteRange, Error> {
        let source = bytes(array);
        if source.allocation.is_host_accessible() {
            return Ok(source);
        }
        let there = self.host_bytes(array)?;
        copy::copy(
            self.queue,
            (&source.allocation, source.byte_offset),
            (&there.allocation, there.byte_offset),
            source.size_bytes,
        )?;
        Ok(there)
    }

    fn staged<'b>(&self, array: &'b Array) -> Result<Staged<'b>, Error> {
        let target = bytes(array);
        let is_elsewhere = !target.allocation.is_host_accessible();
        let range = if is_elsewhere {
            self.host_bytes(array)?
        } else {
            target
        };
        Ok(Staged {
            array,
            range,
            is_elsewhere,
        })
    }

    /// New host memory for the elements of an array.
    fn host_bytes(&self, array: &Array) -> Result<ByteRange, Error> {
        let copy = Array::empty(array.shape(), array.dtype(), self.queue, UsmKind::Host)?;
        Ok(bytes(&copy))
    }
}

type Ranges = SmallVec<[ByteRange; 4]>;

/// Where the host writes what an array gets.
struct Staged<'a> {
    array: &'a Array,
    range: ByteRange,
    is_elsewhere: bool,
}

/// The bytes of a contiguous array.
fn bytes(array: &Array) -> ByteRange {
    assert!(
        array.layout().is_contiguous(),
        "library code takes contiguous arrays"
    );
    ByteRange {
        allocation: Arc::clone(array.allocation()),
        byte_offset: array.byte_offset(),
        size_bytes: array.size() * array.dtype().size_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::DType;
    use situ_runtime::Device;
    use situ_runtime::backend::virtual_::{self, VirtualRequest};

    use super::*;

    fn doubled(queue: &Queue, usm_kind: UsmKind) -> Vec<i32> {
        let source = Array::empty(&[4], DType::I32, queue, usm_kind).unwrap();
        source
            .write_bytes(bytemuck::cast_slice(&[1_i32, 2, 3, 4]))
            .unwrap();
        let target = Array::empty(&[4], DType::I32, queue, usm_kind).unwrap();
        let call = HostCall {
            name: "double",
            queue,
            reads: &[&source],
            writes: &[&target],
            is_brief: true,
        };
        let submitted = call.submit(|mut memory| {
            let from: &[i32] = bytemuck::cast_slice(memory.reads[0]);
            let to: &mut [i32] = bytemuck::cast_slice_mut(memory.writes[0]);
            for (to, from) in to.iter_mut().zip(from) {
                *to = from * 2;
            }
            Ok(())
        });
        submitted.unwrap().wait().unwrap();
        let mut found = vec![0_i32; 4];
        target
            .read_bytes(bytemuck::cast_slice_mut(&mut found))
            .unwrap();
        found
    }

    #[test]
    fn memory_that_the_host_reaches_is_used_where_it_is() {
        let queue = Queue::new(&Device::default_device());
        for usm_kind in [UsmKind::Device, UsmKind::Shared, UsmKind::Host] {
            assert_eq!(doubled(&queue, usm_kind), [2, 4, 6, 8]);
        }
    }

    #[test]
    fn memory_of_the_device_alone_is_copied_there_and_back() {
        let request = VirtualRequest::parse_list("gpu").unwrap();
        let devices = virtual_::add(&request, None);
        let queue = Queue::new(&devices[0]);
        for usm_kind in [UsmKind::Device, UsmKind::Shared, UsmKind::Host] {
            assert_eq!(doubled(&queue, usm_kind), [2, 4, 6, 8]);
        }
    }
}
