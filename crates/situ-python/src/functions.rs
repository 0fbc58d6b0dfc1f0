//! Functions of the array namespace that are not methods.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use situ_array::functions::apply::Operand;
use situ_array::functions::elementwise::{Elementwise, FUNCTIONS, find};
use situ_array::functions::immediate::{self, PlainOperand};
use situ_array::functions::triangles::{self, Triangle};
use situ_array::functions::{apply, creation, indexing};
use situ_array::{Casting, device_dtypes};
use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal};
use smallvec::SmallVec;

use crate::array::{self, PyArray};
use crate::detach::detach;
use crate::error::{IntoPyErr, guard};
use crate::operand::{ArrayArgument, OutputArgument};
use crate::{discarded_parts, dtype, host_memory, operand, placement, queue, warnings};

/// Applies the elementwise function with a name to its operands.
#[pyfunction]
#[pyo3(signature = (
    name, *operands, out = None, r#where = None, dtype = None, casting = None, queue = None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "these are keywords, and Python names them"
)]
pub(crate) fn elementwise(
    py: Python<'_>,
    name: &str,
    operands: &Bound<'_, PyTuple>,
    out: Option<&Bound<'_, PyAny>>,
    r#where: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    casting: Option<&str>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    guard(|| {
        let function = find(name)
            .ok_or_else(|| PyTypeError::new_err(format!("there is no function `{name}`")))?;
        let is_plain = dtype.is_none()
            && queue.is_none()
            && casting.is_none_or(|name| Casting::from_name(name) == Some(Casting::default()))
            && r#where.is_none_or(|mask| mask.is(PyBool::new(py, true)));
        if is_plain && let Some(result) = done_at_once(py, function, operands, out)? {
            warnings::deliver(py)?;
            return Ok(result);
        }
        let operands = operands
            .iter()
            .map(|object| operand_of(name, &object))
            .collect::<PyResult<Vec<_>>>()?;
        let mask = r#where.map(|mask| operand_of(name, mask)).transpose()?;
        let out = out.map(|out| output(name, out)).transpose()?.flatten();
        let queue = placement::named(py, queue)?;
        let options = apply::Options {
            out: out.as_ref().map(OutputArgument::array),
            // NumPy's default, which is no mask.
            mask: mask.as_ref().filter(|mask| !is_true(mask)),
            dtype: dtype.map(dtype::from_python).transpose()?,
            casting: casting.map_or(Ok(Casting::default()), casting_rule)?,
            queue: queue.as_ref(),
            is_eager: false,
        };
        if options.casting == Casting::Unsafe
            && let Some((from, to)) = apply::discarding(function, &operands, options)
        {
            discarded_parts::warn(py, from, to)?;
        }
        let work = || apply::apply_with(function, &operands, options);
        let result = detach(py, work)?;
        match out {
            Some(out) => Ok(out.given()),
            None => Ok(Py::new(py, PyArray::new(result))?.into_any()),
        }
    })
}

/// Applies the elementwise function with a number, its place in [`elementwise_functions`], to one operand and
/// with nothing else to say.
#[pyfunction]
#[pyo3(signature = (number, x, /))]
pub(crate) fn unary(py: Python<'_>, number: usize, x: &Bound<'_, PyAny>) -> PyResult<PyArray> {
    plain(py, number, &[x])
}

/// As [`unary`], to two operands.
#[pyfunction]
#[pyo3(signature = (number, x1, x2, /))]
pub(crate) fn binary(
    py: Python<'_>,
    number: usize,
    x1: &Bound<'_, PyAny>,
    x2: &Bound<'_, PyAny>,
) -> PyResult<PyArray> {
    plain(py, number, &[x1, x2])
}

fn plain(py: Python<'_>, number: usize, objects: &[&Bound<'_, PyAny>]) -> PyResult<PyArray> {
    guard(|| {
        let function = FUNCTIONS
            .get(number)
            .ok_or_else(|| PyTypeError::new_err(format!("there is no function {number}")))?;
        let seen = objects.iter().copied().map(operand::at_a_glance);
        if let Some(operands) = seen.collect::<Option<SmallVec<[PlainOperand<'_>; 2]>>>()
            && let Some(result) = immediate::apply(function, &operands)
        {
            warnings::deliver(py)?;
            return Ok(PyArray::new(result));
        }
        let operands = objects
            .iter()
            .map(|object| operand_of(function.name, object))
            .collect::<PyResult<SmallVec<[Operand; 2]>>>()?;
        detach(py, || apply::apply(function, &operands, None, None)).map(PyArray::new)
    })
}

/// Applies a function to operands, with the result in a new array or in one of situ's, if that can be done on the spot.
fn done_at_once(
    py: Python<'_>,
    function: &'static Elementwise,
    operands: &Bound<'_, PyTuple>,
    out: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Py<PyAny>>> {
    let objects: SmallVec<[Bound<'_, PyAny>; 3]> = operands.iter().collect();
    let seen = objects.iter().map(operand::at_a_glance);
    let Some(seen) = seen.collect::<Option<SmallVec<[PlainOperand<'_>; 3]>>>() else {
        return Ok(None);
    };
    let Some(out) = out else {
        let result = immediate::apply(function, &seen);
        let result = result.map(|array| Py::new(py, PyArray::new(array)));
        return Ok(result.transpose()?.map(Py::into_any));
    };
    let is_done = out
        .cast_exact::<PyArray>()
        .is_ok_and(|target| immediate::apply_into(function, &seen, target.get().array()));
    Ok(is_done.then(|| out.clone().unbind()))
}

/// What a Python object is to an elementwise function.
fn operand_of(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    operand::from_python(object)?.ok_or_else(|| {
        let kind = object.get_type().name().map(|name| name.to_string());
        PyTypeError::new_err(format!(
            "`{name}` takes situ arrays and numbers, not `{}`\n  help: make an array \
             first, e.g. `x = situ.asarray(x)`",
            kind.unwrap_or_default()
        ))
    })
}

/// The array that `out=` names, itself or as the one item of a tuple, as NumPy has it.
fn output<'py>(name: &str, out: &Bound<'py, PyAny>) -> PyResult<Option<OutputArgument<'py>>> {
    let item = match out.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 1 => tuple.get_item(0)?,
        _ => out.clone(),
    };
    if item.is_none() {
        return Ok(None);
    }
    match OutputArgument::of(item)? {
        Some(out) => Ok(Some(out)),
        None => Err(PyTypeError::new_err(format!(
            "`out` of `{name}` is not a situ array\n  why:  the result stays on the device where it is \
             computed\n  help: pass a situ array, or a tuple of one"
        ))),
    }
}

fn is_true(mask: &Operand) -> bool {
    matches!(mask, Operand::Scalar(PythonScalar::Bool(true)))
}

/// The rule with a name.
fn casting_rule(name: &str) -> PyResult<Casting> {
    Casting::from_name(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "there is no rule of conversion \"{name}\"\n  why:  the rules are \"no\", \"equiv\", \"safe\", \
             \"same_kind\" and \"unsafe\"\n  help: leave `casting` out for \"same_kind\""
        ))
    })
}

/// The names of all elementwise functions with the number of their operands. They are known by their place here, too.
#[pyfunction]
pub(crate) fn elementwise_functions() -> Vec<(&'static str, usize)> {
    FUNCTIONS
        .iter()
        .map(|function| (function.name, function.arity))
        .collect()
}

/// A new array filled with one number; without a dtype it has the number's on its device.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype = None, device = None, usm_type = None))]
pub(crate) fn full(
    py: Python<'_>,
    shape: Vec<usize>,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let scalar = operand::python_scalar(fill_value)?
            .ok_or_else(|| PyTypeError::new_err(format!("{fill_value} is not a number")))?;
        let own = scalar.default_dtype(device_dtypes::default_float(queue.device()));
        let dtype = dtype.map_or(Ok(own), dtype::from_python)?;
        discarded_parts::warn(py, own, dtype)?;
        apply::check_finite(scalar, dtype).map_err(|error| error.into_py_err(py))?;
        let scalar = scalar
            .to_literal(dtype)
            .ok_or_else(|| too_large(fill_value, dtype))?;
        if let Some(array) = immediate::filled(&shape, scalar, &queue, usm_kind) {
            warnings::deliver(py)?;
            return Ok(PyArray::new(array));
        }
        detach(py, || creation::full(&shape, scalar, &queue, usm_kind)).map(PyArray::new)
    })
}

/// A new array whose elements are undefined; floats as wide as the device has, without a dtype.
#[pyfunction]
#[pyo3(signature = (shape, *, dtype = None, device = None, usm_type = None))]
pub(crate) fn empty(
    py: Python<'_>,
    shape: Vec<usize>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let dtype = match dtype {
            Some(dtype) => dtype::from_python(dtype)?,
            None => device_dtypes::default_float(queue.device()),
        };
        let work = || situ_array::Array::empty(&shape, dtype, &queue, usm_kind);
        detach(py, work).map(PyArray::new)
    })
}

/// Numbers at even distances, computed in one dtype and converted to another.
#[pyfunction]
#[pyo3(signature = (count, start, step, *, compute, dtype, device = None, usm_type = None))]
#[expect(
    clippy::too_many_arguments,
    reason = "these are keywords, and Python names them"
)]
pub(crate) fn iota(
    py: Python<'_>,
    count: usize,
    start: &Bound<'_, PyAny>,
    step: &Bound<'_, PyAny>,
    compute: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let (compute, dtype) = (dtype::from_python(compute)?, dtype::from_python(dtype)?);
        let start = literal(start, compute)?;
        let step = literal(step, compute)?;
        let work = || creation::iota(count, (start, step), dtype, &queue, usm_kind);
        detach(py, work).map(PyArray::new)
    })
}

/// A matrix with ones on a diagonal.
#[pyfunction]
#[pyo3(signature = (rows, columns, offset, *, dtype, device = None, usm_type = None))]
pub(crate) fn eye(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    offset: i64,
    dtype: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    usm_type: Option<&str>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = queue::select(py, device)?;
        let usm_kind = host_memory::usm_kind(usm_type)?;
        let dtype = dtype::from_python(dtype)?;
        let work = || creation::eye([rows, columns], offset, dtype, &queue, usm_kind);
        detach(py, work).map(PyArray::new)
    })
}

/// Matrices with zeros outside of the lower or upper triangle that ends at a diagonal.
#[pyfunction]
pub(crate) fn triangle(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    diagonal: i64,
    is_lower: bool,
) -> PyResult<PyArray> {
    guard(|| {
        let array = x.get().array();
        let which = if is_lower {
            Triangle::Lower
        } else {
            Triangle::Upper
        };
        detach(py, || triangles::triangle(array, which, diagonal)).map(PyArray::new)
    })
}

/// A Python number in a dtype.
fn literal(number: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Literal> {
    operand::python_scalar(number)?
        .ok_or_else(|| PyTypeError::new_err(format!("{number} is not a number")))?
        .to_literal(dtype)
        .ok_or_else(|| too_large(number, dtype))
}

/// The refusal of an integer that a dtype does not hold.
fn too_large(number: &Bound<'_, PyAny>, dtype: DType) -> PyErr {
    PyOverflowError::new_err(format!(
        "the integer {number} does not fit into {dtype}\n  why:  new arrays hold their numbers exactly\n  \
         help: choose a wider dtype, e.g. `dtype=\"float64\"`"
    ))
}

/// The positions of elements that are not zero.
#[pyfunction]
pub(crate) fn nonzero(py: Python<'_>, x: ArrayArgument<'_>) -> PyResult<Vec<PyArray>> {
    guard(|| {
        let array = x.get().array();
        let found = detach(py, || indexing::nonzero(array))?;
        Ok(found.into_iter().map(PyArray::new).collect())
    })
}

/// Elements along an axis at the positions in an array.
#[pyfunction]
#[pyo3(signature = (x, indices, axis, *, queue = None))]
pub(crate) fn take(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    axis: Option<i64>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let (array, indices) = (x.get().array(), indices.get().array());
        if queue.is_none()
            && matches!(axis, None | Some(0))
            && let Some(found) = array::gathered_at_once(py, array, indices)?
        {
            return Ok(found);
        }
        let work = || indexing::take(array, indices, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Elements along an axis, at positions that are chosen anew for each place along the others.
#[pyfunction]
#[pyo3(signature = (x, indices, axis, *, queue = None))]
pub(crate) fn take_along_axis(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    indices: ArrayArgument<'_>,
    axis: i64,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let (array, indices) = (x.get().array(), indices.get().array());
        let work = || indexing::take_along_axis(array, indices, axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}
