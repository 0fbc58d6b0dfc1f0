//! Bringing arrays to other queues.
//!
//! Memory that is accessible from the destination, because its context is the same, stays where it is:
//! the result is another array over the same allocation, however large. Everything else is a copy that
//! somebody asked for. Between contexts, elements in any layout are put in order by the device that has
//! them, and the narrower of two dtypes travels.

use std::fmt;

use situ_ir::DType;
use situ_runtime::memory::transfer::{End, transfer};
use situ_runtime::{Queue, UsmKind};

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::creation::{as_contiguous, astype};

/// Where an array is to be, and as what.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    /// The queue it will belong to.
    pub queue: &'a Queue,
    /// Its kind of memory; what it is now, if `None`.
    pub usm_kind: Option<UsmKind>,
    /// Its dtype; what it is now, if `None`.
    pub dtype: Option<DType>,
}

/// Whether to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyPolicy {
    /// If there is no other way.
    IfNeeded,
    /// In any case.
    Always,
    /// Never; if there is no other way, that is an error.
    Never,
}

/// Why memory cannot stay what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyReason {
    /// The destination cannot use memory of the array's context.
    Context {
        /// The array's context, by its number.
        from: u64,
        /// The destination's.
        to: u64,
    },
    /// Another kind of memory was asked for.
    UsmKind {
        /// The array's.
        from: UsmKind,
        /// What was asked for.
        to: UsmKind,
    },
    /// Another dtype was asked for.
    DType {
        /// The array's.
        from: DType,
        /// What was asked for.
        to: DType,
    },
}

impl fmt::Display for CopyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context { from, to } => write!(
                f,
                "its memory belongs to context {from}, which cannot be used in context {to}"
            ),
            Self::UsmKind { from, to } => write!(f, "it is {from} memory, not {to} memory"),
            Self::DType { from, to } => write!(f, "its elements are {from}, not {to}"),
        }
    }
}

/// Brings an array to its destination.
///
/// # Errors
/// [`Error::CopyNeeded`] if a copy is not allowed but needed; or there is no memory; or copying fails.
pub fn bring(
    array: &Array,
    destination: Destination<'_>,
    policy: CopyPolicy,
) -> Result<Array, Error> {
    let reasons = copy_reasons(array, destination);
    match policy {
        CopyPolicy::IfNeeded | CopyPolicy::Never if reasons.is_empty() => {
            Ok(array.with_queue(destination.queue))
        }
        CopyPolicy::IfNeeded | CopyPolicy::Always => copied(array, destination),
        CopyPolicy::Never => Err(Error::CopyNeeded {
            dtype: array.dtype(),
            destination: destination.queue.device().filter_string(),
            reasons,
        }),
    }
}

fn copy_reasons(array: &Array, destination: Destination<'_>) -> Vec<CopyReason> {
    let mut reasons = Vec::new();
    let (from, to) = (array.queue().context(), destination.queue.context());
    if from != to {
        let (from, to) = (from.id(), to.id());
        reasons.push(CopyReason::Context { from, to });
    }
    let from = array.usm_kind();
    if let Some(to) = destination.usm_kind.filter(|&to| to != from) {
        reasons.push(CopyReason::UsmKind { from, to });
    }
    let from = array.dtype();
    if let Some(to) = destination.dtype.filter(|&to| to != from) {
        reasons.push(CopyReason::DType { from, to });
    }
    reasons
}

/// A new, contiguous array at the destination.
fn copied(array: &Array, destination: Destination<'_>) -> Result<Array, Error> {
    let queue = destination.queue;
    let usm_kind = destination.usm_kind.unwrap_or(array.usm_kind());
    let dtype = destination.dtype.unwrap_or(array.dtype());
    if queue.context() == array.queue().context() {
        let copy = Array::empty(array.shape(), dtype, queue, usm_kind)?;
        copy_into(&copy, &Input::Array(array.clone()))?;
        return Ok(copy);
    }
    let source = if dtype.size_bytes() < array.dtype().size_bytes() {
        astype(array, dtype)?
    } else {
        as_contiguous(array)?
    };
    let copy = Array::empty(source.shape(), source.dtype(), queue, usm_kind)?;
    let size_bytes = source.size() * source.dtype().size_bytes();
    transfer(end(&source), end(&copy), size_bytes)?;
    if copy.dtype() == dtype {
        Ok(copy)
    } else {
        astype(&copy, dtype)
    }
}

/// The memory of a contiguous array as one end of a transfer.
fn end(array: &Array) -> End<'_> {
    End {
        queue: array.queue(),
        allocation: array.allocation(),
        byte_offset: array.byte_offset(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexItem;
    use situ_runtime::{Context, Device, QueueProperties};

    fn counted(count: usize, queue: &Queue) -> Array {
        let array = Array::empty(&[count], DType::I32, queue, UsmKind::Device).unwrap();
        let bytes: Vec<u8> = (0..count as i32).flat_map(i32::to_ne_bytes).collect();
        array.write_bytes(&bytes).unwrap();
        array
    }

    fn numbers(array: &Array) -> Vec<i32> {
        let mut bytes = vec![0; array.size() * 4];
        as_contiguous(array)
            .unwrap()
            .read_bytes(&mut bytes)
            .unwrap();
        let chunks = bytes.chunks_exact(4);
        chunks
            .map(|chunk| i32::from_ne_bytes(chunk.try_into().unwrap()))
            .collect()
    }

    fn to(queue: &Queue) -> Destination<'_> {
        Destination {
            queue,
            usm_kind: None,
            dtype: None,
        }
    }

    #[test]
    fn memory_of_the_same_context_stays_where_it_is() {
        let device = Device::default_device();
        let properties = QueueProperties {
            enable_profiling: true,
            ..QueueProperties::default()
        };
        let profiling = Queue::with_context(device.default_context(), &device, properties).unwrap();
        let array = counted(5, &Queue::new(&device));
        for policy in [CopyPolicy::IfNeeded, CopyPolicy::Never] {
            let moved = bring(&array, to(&profiling), policy).unwrap();
            assert_eq!(moved.allocation().as_ptr(), array.allocation().as_ptr());
            assert_eq!(*moved.queue(), profiling);
        }
        let copy = bring(&array, to(&profiling), CopyPolicy::Always).unwrap();
        assert_ne!(copy.allocation().as_ptr(), array.allocation().as_ptr());
        assert_eq!(numbers(&copy), numbers(&array));
    }

    #[test]
    fn copies_cross_contexts_from_any_layout() {
        let device = Device::default_device();
        let context = Context::new(std::slice::from_ref(&device)).unwrap();
        let apart = Queue::with_context(&context, &device, QueueProperties::default()).unwrap();
        let count = 3_000_003;
        let array = counted(count, &Queue::new(&device));
        let backwards = IndexItem::Slice {
            start: None,
            stop: None,
            step: Some(-1),
        };
        let view = array.view(&[backwards]).unwrap();
        let copy = bring(&view, to(&apart), CopyPolicy::IfNeeded).unwrap();
        assert_eq!(*copy.queue(), apart);
        assert_eq!(numbers(&copy), numbers(&view));
        let refused = bring(&view, to(&apart), CopyPolicy::Never);
        assert!(
            matches!(refused, Err(Error::CopyNeeded { .. })),
            "{refused:?}"
        );
    }

    #[test]
    fn dtype_and_kind_change_on_either_side() {
        let device = Device::default_device();
        let context = Context::new(std::slice::from_ref(&device)).unwrap();
        let apart = Queue::with_context(&context, &device, QueueProperties::default()).unwrap();
        let array = counted(4, &Queue::new(&device));
        for queue in [array.queue(), &apart] {
            for dtype in [DType::I8, DType::I64] {
                let destination = Destination {
                    queue,
                    usm_kind: Some(UsmKind::Host),
                    dtype: Some(dtype),
                };
                let moved = bring(&array, destination, CopyPolicy::IfNeeded).unwrap();
                assert_eq!(moved.usm_kind(), UsmKind::Host);
                assert_eq!(moved.dtype(), dtype);
                assert_eq!(numbers(&astype(&moved, DType::I32).unwrap()), [0, 1, 2, 3]);
                let refused = bring(&array, destination, CopyPolicy::Never);
                let Err(Error::CopyNeeded { reasons, .. }) = refused else {
                    panic!("{refused:?}")
                };
                assert!(reasons.len() >= 2, "{reasons:?}");
            }
        }
    }
}
