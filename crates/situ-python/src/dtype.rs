//! Element types as Python sees them: NumPy's dtype objects.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_ir::DType;

use crate::error::exceptions::DTypeError;

/// NumPy's dtype objects, in the order of [`DType::ALL`].
static OBJECTS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();

/// The NumPy dtype object of a dtype.
pub(crate) fn to_python(py: Python<'_>, dtype: DType) -> PyResult<Py<PyAny>> {
    Ok(objects(py)?[dtype as usize].clone_ref(py))
}

fn objects(py: Python<'_>) -> PyResult<&Vec<Py<PyAny>>> {
    OBJECTS.get_or_try_init(py, || {
        let numpy_dtype = py.import("numpy")?.getattr("dtype")?;
        DType::ALL
            .iter()
            .map(|dtype| Ok(numpy_dtype.call1((dtype.name(),))?.unbind()))
            .collect::<PyResult<_>>()
    })
}

/// The dtype that a NumPy dtype object, scalar type or name stands for.
///
/// # Errors
/// `DTypeError` if there is no such dtype, `TypeError` if NumPy does not know it either.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = object.py();
    // NumPy has one object for each dtype, as a rule, and its name takes long to be made.
    if let Some(place) = objects(py)?.iter().position(|known| known.is(object)) {
        return Ok(DType::ALL[place]);
    }
    let numpy_dtype = py.import("numpy")?.getattr("dtype")?;
    let dtype = if object.is_instance(&numpy_dtype)? {
        object.clone()
    } else {
        numpy_dtype.call1((object,))?
    };
    let name: String = dtype.getattr("name")?.extract()?;
    DType::from_name(&name).ok_or_else(|| {
        let known: Vec<_> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
        DTypeError::new_err(format!(
            "situ has no dtype {name}\n  help: convert to one of {} first, e.g. with \
             numpy's `x.astype(\"float64\")`",
            known.join(", ")
        ))
    })
}
