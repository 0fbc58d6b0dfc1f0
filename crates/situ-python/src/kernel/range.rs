//! Ranges as Python writes them: `kernel[n]`, `kernel[m, n]`, `kernel[(m, n), (8, 8)]`.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use situ_ir::{NdRange, RangeError};

use crate::error::exceptions::{KernelTypeError, ShapeError};

/// Reads what stands between the brackets of `kernel[...]`.
///
/// Integers are the sizes of the range. Two items of which one is a tuple or list are the sizes of the
/// range and of the work-groups.
///
/// # Errors
/// `KernelTypeError` if it is something else, `ShapeError` if no kernel can run over it.
pub(super) fn from_python(index: &Bound<'_, PyAny>, kernel: &str) -> PyResult<NdRange> {
    let items: Vec<Bound<'_, PyAny>> = match items(index) {
        Some(items) => items,
        None => vec![index.clone()],
    };
    let range = match items.as_slice() {
        [global, local] if is_sequence(global) || is_sequence(local) => {
            let (global, local) = (sizes(global, kernel)?, sizes(local, kernel)?);
            NdRange::with_local(&global, &local)
        }
        [global] if is_sequence(global) => NdRange::new(&sizes(global, kernel)?),
        items => {
            let global: PyResult<Vec<_>> = items.iter().map(|item| size(item, kernel)).collect();
            NdRange::new(&global?)
        }
    };
    range.map_err(|error| refusal(&error, kernel))
}

/// Why no kernel can run over a range.
fn refusal(error: &RangeError, kernel: &str) -> PyErr {
    let help = match error {
        RangeError::DimensionCount { .. } => "fold further dimensions into one of them",
        RangeError::DimensionMismatch { .. } => "give both the same number of sizes",
        RangeError::TooLarge { .. } => "choose smaller sizes, and loop in the kernel",
        _ => "choose other sizes, or leave the local size out",
    };
    ShapeError::new_err(format!(
        "cannot launch `{kernel}` over this range\n  why:  {error}\n  help: {help}"
    ))
}

fn items<'py>(object: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return Some(tuple.iter().collect());
    }
    let list = object.cast::<PyList>().ok()?;
    Some(list.iter().collect())
}

fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>()
}

fn sizes(object: &Bound<'_, PyAny>, kernel: &str) -> PyResult<Vec<u64>> {
    match items(object) {
        Some(items) => items.iter().map(|item| size(item, kernel)).collect(),
        None => Ok(vec![size(object, kernel)?]),
    }
}

fn size(object: &Bound<'_, PyAny>, kernel: &str) -> PyResult<u64> {
    let Ok(integer) = object.call_method0("__index__") else {
        let kind = object.get_type().name()?;
        return Err(KernelTypeError::new_err(format!(
            "a range is made of integers, not of `{kind}`\n  why:  it counts work-items\n  help: write \
             `{kernel}[n](...)`, `{kernel}[m, n](...)`, or `{kernel}[(m, n), (8, 8)](...)` for \
             work-groups of 8 by 8"
        )));
    };
    if let Ok(size) = integer.extract() {
        return Ok(size);
    }
    let why = if integer.lt(0)? {
        "a range cannot have fewer than 0 work-items"
    } else {
        "more than 2^63 - 1 work-items cannot be counted"
    };
    Err(ShapeError::new_err(format!(
        "cannot launch `{kernel}` over a range of {integer}\n  why:  {why}\n  help: choose another size"
    )))
}
