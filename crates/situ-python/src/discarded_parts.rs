//! The warning about imaginary parts that a conversion to real numbers leaves out.
//!
//! It is NumPy's own class, `numpy.exceptions.ComplexWarning`, so that filters which are written for NumPy hold for
//! situ. It is given before anything is written: who makes an error of it finds the elements as they were.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use situ_array::functions::apply::Operand;
use situ_ir::DType;

use crate::site;

/// Whether numbers of one dtype lose their imaginary parts on the way to another. Truth is no loss: `bool` says whether
/// a complex number is zero.
pub(crate) fn are_there(from: DType, to: DType) -> bool {
    from.is_complex() && !to.is_complex() && !to.is_bool()
}

/// Warns if numbers of one dtype lose their imaginary parts on the way to another.
///
/// # Errors
/// The warning itself, if Python was told to treat it as an error.
pub(crate) fn warn(py: Python<'_>, from: DType, to: DType) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if !are_there(from, to) {
        return Ok(());
    }
    let class = CLASS.import(py, "numpy.exceptions", "ComplexWarning")?;
    let message = c"casting complex numbers to real ones discards the imaginary part";
    PyErr::warn(py, class, message, site::level(py))
}

/// Warns of what is assigned to elements of a dtype. Python's complex numbers are not warned of, but refused.
///
/// # Errors
/// As [`warn`].
pub(crate) fn warn_of_assignment(py: Python<'_>, value: &Operand, to: DType) -> PyResult<()> {
    match value {
        Operand::Array(array) => warn(py, array.dtype(), to),
        Operand::Literal(literal) => warn(py, literal.dtype(), to),
        Operand::Scalar(_) | Operand::HostArray => Ok(()),
    }
}
