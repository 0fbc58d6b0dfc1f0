//! Index expressions as Python writes them.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyList, PySlice, PyTuple};
use situ_array::functions::indexing::ArrayIndexItem;
use situ_array::{Array, IndexItem};

use crate::array::PyArray;
use crate::{dtype, host_memory, operand, usm_interface};

/// What is in the brackets.
pub(crate) enum Index {
    /// What makes a view.
    View(Vec<IndexItem>),
    /// What selects elements by arrays.
    Arrays(Vec<ArrayIndexItem>),
}

/// The index of an array. Lists become arrays where it lives.
///
/// # Errors
/// `IndexError` for objects that are no index.
pub(crate) fn from_python(array: &Array, index: &Bound<'_, PyAny>) -> PyResult<Index> {
    let items: Vec<ArrayIndexItem> = match index.cast::<PyTuple>() {
        Ok(items) => items
            .iter()
            .map(|entry| item(array, &entry))
            .collect::<PyResult<_>>()?,
        Err(_) => vec![item(array, index)?],
    };
    let views: Option<Vec<IndexItem>> = items
        .iter()
        .map(|item| match item {
            ArrayIndexItem::Basic(item) => Some(*item),
            ArrayIndexItem::Array(_) | ArrayIndexItem::Bool(_) => None,
        })
        .collect();
    Ok(views.map_or(Index::Arrays(items), Index::View))
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
        let part = |name| slice_part(&slice.getattr(name)?);
        let (start, stop, step) = (part("start")?, part("stop")?, part("step")?);
        return basic(IndexItem::Slice { start, stop, step });
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

fn slice_part(part: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if part.is_none() {
        return Ok(None);
    }
    saturated(&part.call_method0("__index__")?).map(Some)
}

/// A Python integer as `i64`; larger ones mean "beyond the end" just as well.
fn saturated(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    if let Ok(value) = value.extract() {
        return Ok(value);
    }
    Ok(if value.lt(0)? { i64::MIN } else { i64::MAX })
}
