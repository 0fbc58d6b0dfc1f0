//! Compute follows data in the C interface: the queue that arrays agree on.

use std::ffi::{c_char, c_int};

use pyo3::prelude::*;
use situ_array::placement::{Operation, Participant, Placer};

use super::array::CArray;
use super::call::Call;
use super::codes;
use super::queue::CQueue;
use crate::error::IntoPyErr;

/// `placement`: the queue that runs a call with these arrays, and the USM kind of its result.
pub(super) unsafe extern "C" fn placement(
    operation: *const c_char,
    names: *const *const c_char,
    arrays: *const *const CArray,
    count: usize,
    named_queue: *const CQueue,
    queue: *mut *const CQueue,
    usm_kind: *mut i32,
) -> c_int {
    Call::status("placement", |call| {
        // SAFETY: the header asks for texts and handles, as many of each as it says.
        let (operation, names, arrays, named) = unsafe {
            let names = call.list(names, count, "names")?.iter();
            let names = names.map(|name| call.text(*name, "names"));
            let arrays = call.list(arrays, count, "arrays")?.iter();
            let arrays = arrays.map(|array| call.borrow(*array, "arrays"));
            (
                call.text(operation, "operation")?,
                names.collect::<PyResult<Vec<_>>>()?,
                arrays.collect::<PyResult<Vec<_>>>()?,
                named_queue.as_ref(),
            )
        };
        let placer = Placer {
            operation: Operation::Function(operation),
            explicit: named.map(CQueue::queue),
        };
        let participants = arrays.iter().map(|array| Participant::Array(array.array()));
        let placed = placer.place(names.iter().copied().zip(participants));
        let placed = placed.map_err(|error| error.into_py_err(call.py))?;
        let placed = placed.ok_or_else(|| {
            call.wrong(
                "arrays",
                "there is none, and no queue is named either, so nothing decides",
            )
        })?;
        // SAFETY: the header asks for places, or null.
        unsafe {
            Call::give(queue, placed.queue);
            if !usm_kind.is_null() {
                usm_kind.write(codes::usm_kind_code(placed.usm_kind));
            }
        }
        Ok(())
    })
}
