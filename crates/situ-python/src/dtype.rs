//! Element types as Python sees them: NumPy's dtype objects.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use situ_ir::DType;

use crate::error::exceptions::DTypeError;

/// What NumPy calls dtypes, in the order of [`DType::ALL`].
struct Known {
    /// `numpy.dtype`.
    class: Py<PyAny>,
    /// The dtype objects.
    objects: Vec<Py<PyAny>>,
    /// The classes of NumPy's numbers.
    scalars: Vec<Py<PyAny>>,
}

static KNOWN: PyOnceLock<Known> = PyOnceLock::new();

fn known(py: Python<'_>) -> PyResult<&'static Known> {
    KNOWN.get_or_try_init(py, || {
        let class = py.import("numpy")?.getattr("dtype")?;
        let objects = DType::ALL
            .iter()
            .map(|dtype| class.call1((dtype.name(),)))
            .collect::<PyResult<Vec<_>>>()?;
        let scalars = objects.iter().map(|object| object.getattr("type"));
        Ok(Known {
            scalars: scalars
                .map(|scalar| scalar.map(Bound::unbind))
                .collect::<PyResult<_>>()?,
            objects: objects.into_iter().map(Bound::unbind).collect(),
            class: class.unbind(),
        })
    })
}

impl Known {
    /// The dtype of one of NumPy's objects. There is one object for each dtype, as a rule, and its name takes long to
    /// be made.
    fn find(&self, object: &Bound<'_, PyAny>) -> Option<DType> {
        let is_it = |known: &Py<PyAny>| known.is(object);
        let place = self.objects.iter().position(is_it);
        let place = place.or_else(|| self.scalars.iter().position(is_it))?;
        Some(DType::ALL[place])
    }
}

/// The NumPy dtype object of a dtype.
pub(crate) fn to_python(py: Python<'_>, dtype: DType) -> PyResult<Py<PyAny>> {
    Ok(known(py)?.objects[dtype as usize].clone_ref(py))
}

/// The dtype that a NumPy dtype object, scalar type or name stands for.
///
/// # Errors
/// `DTypeError`, which is a `TypeError`, if there is no such dtype.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = object.py();
    let known = known(py)?;
    if let Some(dtype) = known.find(object) {
        return Ok(dtype);
    }
    if let Ok(name) = object.cast_exact::<PyString>()
        && let Some(dtype) = DType::from_name(&name.to_cow()?)
    {
        return Ok(dtype);
    }
    let class = known.class.bind(py);
    let dtype = if object.is_instance(class)? {
        object.clone()
    } else {
        class.call1((object,)).map_err(|_| {
            let what = object
                .repr()
                .map_or_else(|_| "this".to_owned(), |text| text.to_string());
            DTypeError::new_err(format!(
                "{what} is no dtype\n  why:  arrays hold bools, integers, floats and complex numbers\n  help: use one of {}",
                all_names()
            ))
        })?
    };
    if let Some(dtype) = known.find(&dtype) {
        return Ok(dtype);
    }
    let name: String = dtype.getattr("name")?.extract()?;
    DType::from_name(&name).ok_or_else(|| {
        DTypeError::new_err(format!(
            "situ has no dtype {name}\n  help: convert to one of {} first, e.g. with \
             numpy's `x.astype(\"float64\")`",
            all_names()
        ))
    })
}

/// The names of all dtypes.
fn all_names() -> String {
    DType::ALL.map(DType::name).join(", ")
}
