//! Index expressions as Python writes them.

use pyo3::exceptions::PyIndexError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PyList, PySlice, PyTuple};
use situ_array::functions::indexing::ArrayIndexItem;
use situ_array::{Array, IndexItem};
use smallvec::SmallVec;

use crate::array::PyArray;
use crate::{dtype, host_memory, operand, usm_interface};

/// What is in the brackets.
pub(crate) enum Index {
    /// What makes a view.
    View(Basic),
    /// What selects elements by arrays.
    Arrays(Vec<ArrayIndexItem>),
}

/// As many entries as most arrays have dimensions.
type Basic = SmallVec<[IndexItem; 4]>;

/// The index of an array. Lists become arrays where it lives.
///
/// # Errors
/// `IndexError` for objects that are no index.
pub(crate) fn from_python(array: &Array, index: &Bound<'_, PyAny>) -> PyResult<Index> {
    let Ok(entries) = index.cast::<PyTuple>() else {
        return Ok(match item(array, index)? {
            ArrayIndexItem::Basic(item) => Index::View(Basic::from_iter([item])),
            selecting => Index::Arrays(vec![selecting]),
        });
    };
    let mut basic = Basic::new();
    let mut entries = entries.iter();
    for entry in entries.by_ref() {
        match item(array, &entry)? {
            ArrayIndexItem::Basic(item) => basic.push(item),
            selecting => {
                let before = basic.into_iter().map(ArrayIndexItem::Basic);
                let mut items: Vec<_> = before.chain([selecting]).collect();
                for entry in entries {
                    items.push(item(array, &entry)?);
                }
                return Ok(Index::Arrays(items));
            }
        }
    }
    Ok(Index::View(basic))
}

fn item(array: &Array, item: &Bound<'_, PyAny>) -> PyResult<ArrayIndexItem> {
    let basic = |item| Ok(ArrayIndexItem::Basic(item));
    if item.is_none() {
        return basic(IndexItem::NewAxis);
    }
    if item.cast::<PyEllipsis>().is_ok() {
        return basic(IndexItem::Ellipsis);
    }
    if let Ok(slice) = item.cast::<PySlice>() {
        return basic(slice_item(slice)?);
    }
    if item.is_exact_instance_of::<PyInt>() {
        return basic(IndexItem::Integer(saturated(item)?));
    }
    if let Ok(indices) = item.cast::<PyArray>() {
        return Ok(ArrayIndexItem::Array(indices.get().array().clone()));
    }
    if let Ok(holds) = item.cast::<PyBool>() {
        return Ok(ArrayIndexItem::Bool(holds.is_true()));
    }
    if item.cast::<PyList>().is_ok() {
        return from_list(array, item);
    }
    if let Some(indices) = usm_interface::array_of(item)? {
        return Ok(ArrayIndexItem::Array(indices.get().array().clone()));
    }
    if let Ok(position) = item.call_method0("__index__") {
        return basic(IndexItem::Integer(saturated(&position)?));
    }
    let kind = item.get_type().name()?;
    let message = if operand::is_host_array(item) {
        format!(
            "an array on a device cannot be indexed by a `{kind}` in host memory\n  why:  data moves \
             only where that is asked for\n  help: bring the indices there first, e.g. `x[situ.asarray(i, \
             device=x.device)]`"
        )
    } else {
        format!(
            "an array cannot be indexed by `{kind}`\n  help: use integers, slices, `...`, `None`, or arrays \
             of integers or bools"
        )
    };
    Err(PyIndexError::new_err(message))
}

/// A list of integers or bools as an array where the indexed one lives.
fn from_list(array: &Array, list: &Bound<'_, PyAny>) -> PyResult<ArrayIndexItem> {
    let py = list.py();
    let numpy = py.import("numpy")?;
    let host = numpy.call_method1("asarray", (list,))?;
    // An empty list selects nothing; NumPy takes it for floats.
    let host = if host.getattr("size")?.extract::<usize>()? == 0 {
        host.call_method1("astype", ("int64",))?
    } else {
        host
    };
    let dtype = dtype::from_python(&host.getattr("dtype")?)?;
    let shape: Vec<usize> = host.getattr("shape")?.extract()?;
    let (queue, usm_kind) = (array.queue(), array.usm_kind());
    let indices = host_memory::from_host(py, &host, &shape, dtype, queue, usm_kind)?;
    Ok(ArrayIndexItem::Array(indices))
}

/// A slice; parts that are missing are filled in, and those beyond what can be counted mean the end.
fn slice_item(slice: &Bound<'_, PySlice>) -> PyResult<IndexItem> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: it is a slice, and the three places live until the call returns.
    let status = unsafe {
        ffi::PySlice_Unpack(slice.as_ptr(), &raw mut start, &raw mut stop, &raw mut step)
    };
    if status != 0 {
        return Err(PyErr::fetch(slice.py()));
    }
    Ok(IndexItem::Slice {
        start: Some(start as i64),
        stop: Some(stop as i64),
        step: Some(step as i64),
    })
}

/// A Python integer as `i64`; larger ones mean "beyond the end" just as well.
fn saturated(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    if let Ok(value) = value.extract() {
        return Ok(value);
    }
    Ok(if value.lt(0)? { i64::MIN } else { i64::MAX })
}
