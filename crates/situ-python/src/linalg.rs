//! Products and decompositions of matrices, for Python.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_array::functions::apply::Operand;
use situ_array::functions::linalg::decomposition::{self, QrColumns, Triangle};
use situ_array::functions::linalg::product;

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::operand::{ArrayArgument, OutputArgument};
use crate::{operand, placement};

/// A product of matrices.
#[pyfunction]
#[pyo3(signature = (x1, x2, *, out = None, queue = None))]
pub(crate) fn matmul(
    py: Python<'_>,
    x1: &Bound<'_, PyAny>,
    x2: &Bound<'_, PyAny>,
    out: Option<OutputArgument<'_>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    guard(|| {
        let (left, right) = (factor("matmul", x1)?, factor("matmul", x2)?);
        let target = out.as_ref().map(OutputArgument::array);
        let queue = placement::named(py, queue)?;
        let work = || product::matmul([&left, &right], target, queue.as_ref());
        let result = detach(py, work)?;
        match out {
            Some(out) => Ok(out.given()),
            None => Ok(Py::new(py, PyArray::new(result))?.into_any()),
        }
    })
}

/// A sum of products along an axis.
#[pyfunction]
#[pyo3(signature = (x1, x2, axis, *, queue = None))]
pub(crate) fn vecdot(
    py: Python<'_>,
    x1: &Bound<'_, PyAny>,
    x2: &Bound<'_, PyAny>,
    axis: i64,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let (left, right) = (factor("vecdot", x1)?, factor("vecdot", x2)?);
        let queue = placement::named(py, queue)?;
        let work = || product::vecdot([&left, &right], axis, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

fn factor(function: &str, object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    operand::from_python(object)?.ok_or_else(|| {
        let kind = object.get_type().name().map(|name| name.to_string());
        PyTypeError::new_err(format!(
            "`{function}` takes situ arrays, not `{}`\n  help: make an array first, e.g. `x = situ.asarray(x)`",
            kind.unwrap_or_default()
        ))
    })
}

fn triangle(upper: bool) -> Triangle {
    if upper {
        Triangle::Upper
    } else {
        Triangle::Lower
    }
}

/// Triangular factors.
#[pyfunction]
#[pyo3(signature = (x, *, upper, queue = None))]
pub(crate) fn cholesky(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    upper: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let work = || decomposition::cholesky(array, triangle(upper), queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Orthogonal and triangular factors.
#[pyfunction]
#[pyo3(signature = (x, *, mode, queue = None))]
pub(crate) fn qr(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    mode: &str,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyArray, PyArray)> {
    guard(|| {
        let columns = match mode {
            "reduced" => QrColumns::Reduced,
            "complete" => QrColumns::Complete,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "there is no mode `{mode}` of `qr`\n  help: use \"reduced\" or \"complete\""
                )));
            }
        };
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let [q, r] = detach(py, || decomposition::qr(array, columns, queue.as_ref()))?;
        Ok((PyArray::new(q), PyArray::new(r)))
    })
}

/// Determinants.
#[pyfunction]
#[pyo3(signature = (x, *, queue = None))]
pub(crate) fn det(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        detach(py, || decomposition::det(array, queue.as_ref())).map(PyArray::new)
    })
}

/// Signs of determinants and logarithms of their magnitudes.
#[pyfunction]
#[pyo3(signature = (x, *, queue = None))]
pub(crate) fn slogdet(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyArray, PyArray)> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let [sign, logarithm] = detach(py, || decomposition::slogdet(array, queue.as_ref()))?;
        Ok((PyArray::new(sign), PyArray::new(logarithm)))
    })
}

/// Inverses.
#[pyfunction]
#[pyo3(signature = (x, *, queue = None))]
pub(crate) fn inv(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        detach(py, || decomposition::inv(array, queue.as_ref())).map(PyArray::new)
    })
}

/// Solutions of systems of equations.
#[pyfunction]
#[pyo3(signature = (x1, x2, *, queue = None))]
pub(crate) fn solve(
    py: Python<'_>,
    x1: ArrayArgument<'_>,
    x2: ArrayArgument<'_>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let (matrices, right) = (x1.get().array(), x2.get().array());
        let work = || decomposition::solve(matrices, right, queue.as_ref());
        detach(py, work).map(PyArray::new)
    })
}

/// Eigenvalues of Hermitian matrices, and eigenvectors.
#[pyfunction]
#[pyo3(signature = (x, *, upper, vectors, queue = None))]
pub(crate) fn eigh(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    upper: bool,
    vectors: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyArray, Option<PyArray>)> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let name = if vectors { "eigh" } else { "eigvalsh" };
        let work = || decomposition::eigh(name, array, triangle(upper), vectors, queue.as_ref());
        let (values, vectors) = detach(py, work)?;
        Ok((PyArray::new(values), vectors.map(PyArray::new)))
    })
}

/// Eigenvalues and eigenvectors, as complex numbers.
#[pyfunction]
#[pyo3(signature = (x, *, vectors, queue = None))]
pub(crate) fn eig(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    vectors: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyArray, Option<PyArray>)> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let name = if vectors { "eig" } else { "eigvals" };
        let work = || decomposition::eig(name, array, vectors, queue.as_ref());
        let (values, vectors) = detach(py, work)?;
        Ok((PyArray::new(values), vectors.map(PyArray::new)))
    })
}

/// Singular values and vectors.
#[pyfunction]
#[pyo3(signature = (x, *, full_matrices, queue = None))]
pub(crate) fn svd(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    full_matrices: bool,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyArray, PyArray, PyArray)> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        let work = || decomposition::svd(array, full_matrices, queue.as_ref());
        let [left, values, right] = detach(py, work)?.map(PyArray::new);
        Ok((left, values, right))
    })
}

/// Singular values.
#[pyfunction]
#[pyo3(signature = (x, *, queue = None))]
pub(crate) fn svdvals(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyArray> {
    guard(|| {
        let queue = placement::named(py, queue)?;
        let array = x.get().array();
        detach(py, || decomposition::svdvals(array, queue.as_ref())).map(PyArray::new)
    })
}
