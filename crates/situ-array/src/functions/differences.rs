//! Differences between neighbours.

use situ_runtime::Queue;
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{self, Operand};
use crate::functions::elementwise;
use crate::functions::manipulation::{concat, normalized_axes};
use crate::index::IndexItem;
use crate::placement::{Operation, Participant, Placer};

/// What differences are told.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceAlong<'a> {
    /// The axis.
    pub axis: i64,
    /// How often differences are taken.
    pub times: usize,
    /// What comes before the first element.
    pub prepend: Option<&'a Array>,
    /// What comes after the last element.
    pub append: Option<&'a Array>,
    /// What runs it; where the arrays live if nothing is named.
    pub queue: Option<&'a Queue>,
}

/// Each element of an axis minus the one before it, some times; for bools, whether they differ.
///
/// # Errors
/// If the arrays live in different places or do not fit together, or the axis does not exist, or there is no
/// memory, or a launch fails.
pub fn diff(array: &Array, along: DifferenceAlong<'_>) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("diff"),
        explicit: along.queue,
    };
    let others = [("prepend", along.prepend), ("append", along.append)];
    let others = others
        .iter()
        .filter_map(|&(name, array)| Some((name, Participant::Array(array?))));
    let all = std::iter::once(("x", Participant::Array(array))).chain(others);
    placer.place(all)?;
    let array = along
        .queue
        .map_or_else(|| array.clone(), |queue| array.with_queue(queue));
    let axis = normalized_axes(&[along.axis], array.shape().len())?[0];
    let mut array = if along.prepend.is_some() || along.append.is_some() {
        let parts = [along.prepend, Some(&array), along.append];
        let parts: Vec<Array> = parts.into_iter().flatten().cloned().collect();
        concat(&parts, Some(axis as i64), along.queue)?
    } else {
        array
    };
    let name = if array.dtype().is_bool() {
        "not_equal"
    } else {
        "subtract"
    };
    let function = elementwise::find(name).ok_or_else(|| Error::Internal {
        invariant: format!("there is a function `{name}`"),
    })?;
    for _ in 0..along.times {
        let part = |start, stop| {
            let mut index: SmallVec<[IndexItem; 4]> = SmallVec::from_elem(IndexItem::ALL, axis);
            index.push(IndexItem::Slice {
                start,
                stop,
                step: None,
            });
            array.view(&index).map(Operand::Array)
        };
        let operands = [part(Some(1), None)?, part(None, Some(-1))?];
        array = apply::apply(function, &operands, None, None)?;
    }
    Ok(array)
}
