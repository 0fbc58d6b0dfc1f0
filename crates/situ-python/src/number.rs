//! Numbers of dtypes as numbers of Python's.

use pyo3::prelude::*;
use pyo3::types::PyComplex;
use situ_ir::Literal;

/// A number as Python's own `bool`, `int`, `float` or `complex`.
pub(crate) fn to_python(py: Python<'_>, literal: Literal) -> PyResult<Bound<'_, PyAny>> {
    let complex = |real, imaginary| PyComplex::from_doubles(py, real, imaginary).into_any();
    Ok(match literal {
        Literal::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Literal::C64(value) => complex(value.re.into(), value.im.into()),
        Literal::C128(value) => complex(value.re, value.im),
        other => match as_integer(other) {
            Some(value) => value.into_pyobject(py)?.into_any(),
            None => as_float(other).into_pyobject(py)?.into_any(),
        },
    })
}

/// The integer that a number is; `None` if it is of another kind.
pub(crate) fn as_integer(literal: Literal) -> Option<i128> {
    Some(match literal {
        Literal::I8(value) => value.into(),
        Literal::I16(value) => value.into(),
        Literal::I32(value) => value.into(),
        Literal::I64(value) => value.into(),
        Literal::U8(value) => value.into(),
        Literal::U16(value) => value.into(),
        Literal::U32(value) => value.into(),
        Literal::U64(value) => value.into(),
        _ => return None,
    })
}

/// The float that a number is; NaN if it is of another kind.
pub(crate) fn as_float(literal: Literal) -> f64 {
    match literal {
        Literal::F16(value) => value.to_f64(),
        Literal::F32(value) => value.into(),
        Literal::F64(value) => value,
        _ => f64::NAN,
    }
}
