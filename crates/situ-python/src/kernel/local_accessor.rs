//! `situ.kernel_api.LocalAccessor`: memory of a work-group whose size is chosen at launch.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_ir::DType;

use crate::dtype;
use crate::error::exceptions::{KernelError, ShapeError};
use crate::error::guard;

/// An array that the work-items of a group share, sized at launch and passed as an argument.
///
/// The kernel sees an array of this shape and dtype; each work-group has its own, whose elements are
/// undefined at first.
///
/// Parameters
/// ----------
/// shape : int or tuple of int
///     How many elements each work-group gets.
/// dtype : dtype
///     What the elements are.
#[pyclass(frozen, name = "LocalAccessor", module = "situ.kernel_api")]
pub(crate) struct PyLocalAccessor {
    pub(super) shape: Vec<usize>,
    pub(super) dtype: DType,
}

#[pymethods]
impl PyLocalAccessor {
    #[new]
    fn new(shape: &Bound<'_, PyAny>, dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        guard(|| {
            let shape = match shape.extract::<usize>() {
                Ok(length) => vec![length],
                Err(_) => shape.extract().map_err(|_| bad_shape(shape))?,
            };
            let dtype = dtype::from_python(dtype)?;
            let bytes = shape
                .iter()
                .try_fold(dtype.size_bytes(), |bytes, size| bytes.checked_mul(*size));
            match bytes {
                Some(1..=0x7fff_ffff) if shape.len() <= 32 && !shape.is_empty() => {
                    Ok(Self { shape, dtype })
                }
                _ => Err(ShapeError::new_err(format!(
                    "a local accessor cannot have the shape {shape:?}\n  why:  it is memory of a \
                     work-group, of which there are some kilobytes\n  help: give it one element \
                     or more in 1 to 32 dimensions"
                ))),
            }
        })
    }

    /// How many elements each work-group gets, along each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// What the elements are.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        dtype::to_python(py, self.dtype)
    }

    fn __getitem__(&self, _index: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(self.outside_of_a_kernel())
    }

    fn __setitem__(&self, _index: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(self.outside_of_a_kernel())
    }

    fn __repr__(&self) -> String {
        let sizes: Vec<_> = self.shape.iter().map(ToString::to_string).collect();
        let comma = if sizes.len() == 1 { "," } else { "" };
        format!(
            "LocalAccessor(({}{comma}), dtype={})",
            sizes.join(", "),
            self.dtype.name()
        )
    }
}

impl PyLocalAccessor {
    fn outside_of_a_kernel(&self) -> PyErr {
        KernelError::new_err(format!(
            "`{}` has no elements outside of a kernel\n  why:  its memory exists while a \
             work-group runs\n  help: pass it to a kernel and index the parameter there",
            self.__repr__()
        ))
    }
}

fn bad_shape(shape: &Bound<'_, PyAny>) -> PyErr {
    let found = shape.repr().map_or_else(
        |_| "this".to_owned(),
        |text| format!("`{}`", text.to_string_lossy()),
    );
    crate::error::exceptions::KernelTypeError::new_err(format!(
        "the shape of a local accessor cannot be {found}\n  why:  it is a positive integer, or a \
         tuple of them: how many elements each work-group gets\n  help: write e.g. \
         `LocalAccessor(256, situ.float32)`"
    ))
}
