//! Compute follows data: which queue runs a function, and what memory its result gets.
//!
//! A function runs on the one queue that all its array operands agree on, up to equivalence; with
//! several equivalent queues, on the first operand's. The result's USM kind is the lowest of the
//! operands' in the order device, shared, host. Scalars never decide.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use situ_runtime::{Device, Queue, UsmKind};

use crate::array::Array;
use crate::error::Error;

/// The queue that arrays of a device belong to if nobody names another; one for each device.
pub fn default_queue(device: &Device) -> Queue {
    static QUEUES: LazyLock<Mutex<HashMap<Device, Queue>>> = LazyLock::new(Mutex::default);
    let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
    queues
        .entry(device.clone())
        .or_insert_with(|| Queue::new(device))
        .clone()
}

/// Where a function runs and where its result lives.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The queue.
    pub queue: Queue,
    /// The result's kind of memory.
    pub usm_kind: UsmKind,
}

/// Finds the placement of a function over named array operands; `None` if there is no array.
///
/// # Errors
/// If the operands' queues are not equivalent.
pub fn placement<'a>(
    operation: &'static str,
    operands: impl Iterator<Item = &'a Array> + Clone,
) -> Result<Option<Placement>, Error> {
    let mut arrays = operands.clone();
    let Some(first) = arrays.next() else {
        return Ok(None);
    };
    let mut usm_kind = first.usm_kind();
    for array in arrays {
        if !first.queue().is_equivalent(array.queue()) {
            return Err(disagreement(operation, operands));
        }
        usm_kind = usm_kind.min(array.usm_kind());
    }
    Ok(Some(Placement {
        queue: first.queue().clone(),
        usm_kind,
    }))
}

/// Explains who lives where.
fn disagreement<'a>(operation: &'static str, operands: impl Iterator<Item = &'a Array>) -> Error {
    let mut why: Vec<_> = operands
        .enumerate()
        .map(|(position, array)| {
            let device = array.queue().device().filter_string();
            let kind = array.usm_kind();
            format!(
                "  why:  operand {} is {kind} memory on {device}",
                position + 1
            )
        })
        .collect();
    why.push("  why:  situ computes where the data lives and never copies silently".to_owned());
    why.push(
        "  help: move one of them first, e.g. `y = situ.asarray(y, device=x.device)`".to_owned(),
    );
    Error::Placement { operation, why }
}
