//! `situ.ndarray`: the array as Python sees it.
//!
//! Its operators are in `operators`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_array::Array;
use situ_array::functions::apply;
use situ_array::functions::{creation, indexing, manipulation};

use crate::context::PyContext;
use crate::detach::detach;
use crate::device::PyDevice;
use crate::error::{IntoPyErr, guard};
use crate::host_memory;
use crate::index::{self, Index};
use crate::queue::PyQueue;
use crate::reductions::{self, Options};
use crate::{dtype, operand};

/// An n-dimensional array on a device.
#[pyclass(frozen, name = "ndarray", module = "situ")]
pub(crate) struct PyArray {
    array: Array,
}

impl PyArray {
    pub(crate) fn new(array: Array) -> Self {
        Self { array }
    }

    pub(crate) fn array(&self) -> &Array {
        &self.array
    }

    /// The only element, read back from the device.
    fn scalar<'py>(&self, py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyAny>> {
        if self.array.size() != 1 {
            return Err(PyTypeError::new_err(format!(
                "only an array of one element can become {what}; this one has shape {:?}",
                self.array.shape()
            )));
        }
        host_memory::to_numpy(py, &self.array)?.call_method0("item")
    }
}

#[pymethods]
impl PyArray {
    /// NumPy must leave operators with situ arrays to situ.
    #[classattr]
    #[pyo3(name = "__array_ufunc__")]
    const ARRAY_UFUNC: Option<()> = None;

    /// Comparison is elementwise, so arrays cannot be keys.
    #[classattr]
    #[pyo3(name = "__hash__")]
    const HASH: Option<()> = None;

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array.shape())
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.array.shape().len()
    }

    #[getter]
    fn size(&self) -> usize {
        self.array.size()
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.array.dtype().size_bytes()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.array.size() * self.array.dtype().size_bytes()
    }

    /// Steps between neighbours along each dimension, in bytes as in NumPy.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let size = self.array.dtype().size_bytes() as isize;
        PyTuple::new(
            py,
            self.array
                .layout()
                .strides()
                .iter()
                .map(|stride| stride * size),
        )
    }

    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        dtype::to_python(py, self.array.dtype())
    }

    #[getter]
    fn queue(&self) -> PyQueue {
        PyQueue {
            queue: self.array.queue().clone(),
        }
    }

    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice {
            device: self.array.queue().device().clone(),
            queue: Some(self.array.queue().clone()),
        }
    }

    #[getter]
    fn context(&self) -> PyContext {
        PyContext {
            context: self.array.queue().context().clone(),
        }
    }

    /// The name of `queue` in libraries that share USM memory.
    #[getter]
    fn sycl_queue(&self) -> PyQueue {
        self.queue()
    }

    /// The name of `device` in libraries that share USM memory.
    #[getter]
    fn sycl_device(&self) -> PyDevice {
        self.device()
    }

    /// The name of `context` in libraries that share USM memory.
    #[getter]
    fn sycl_context(&self) -> PyContext {
        self.context()
    }

    #[getter]
    fn usm_type(&self) -> String {
        self.array.usm_kind().to_string()
    }

    #[getter(T)]
    fn transpose(&self) -> PyResult<Self> {
        guard(|| {
            let axes: Vec<usize> = (0..self.array.shape().len()).rev().collect();
            Ok(Self::new(
                self.array.with_layout(self.array.layout().permuted(&axes)),
            ))
        })
    }

    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| host_memory::to_numpy(py, &self.array))
    }

    #[pyo3(signature = (dtype, /, *, copy = true))]
    fn astype(slf: &Bound<'_, Self>, dtype: &Bound<'_, PyAny>, copy: bool) -> PyResult<Py<Self>> {
        let py = slf.py();
        guard(|| {
            let to = dtype::from_python(dtype)?;
            let array = slf.get().array();
            if !copy && to == array.dtype() {
                return Ok(slf.clone().unbind());
            }
            let converted = detach(py, || creation::astype(array, to))?;
            Py::new(py, Self::new(converted))
        })
    }

    pub(crate) fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        guard(|| detach(py, || apply::contiguous_copy(&self.array)).map(Self::new))
    }

    #[pyo3(signature = (*shape))]
    fn reshape(&self, py: Python<'_>, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        guard(|| {
            let shape: Vec<i64> = match shape.len() {
                1 => shape.get_item(0)?.extract().or_else(|_| shape.extract())?,
                _ => shape
                    .iter()
                    .map(|size| size.extract())
                    .collect::<PyResult<_>>()?,
            };
            let shape = complete_shape(self.array.size(), &shape)?;
            detach(py, || manipulation::reshape(&self.array, &shape)).map(Self::new)
        })
    }

    #[pyo3(signature = (axis = None, *, dtype = None, keepdims = false, queue = None))]
    fn sum(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            dtype,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "sum", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, dtype = None, keepdims = false, queue = None))]
    fn prod(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            dtype,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "prod", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, dtype = None, keepdims = false, queue = None))]
    fn mean(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            dtype,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "mean", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, keepdims = false, queue = None))]
    fn min(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "min", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, keepdims = false, queue = None))]
    fn max(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "max", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, keepdims = false, queue = None))]
    fn all(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "all", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, keepdims = false, queue = None))]
    fn any(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            keepdims,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "any", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, correction = 0.0, keepdims = false, queue = None))]
    fn var(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        correction: f64,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            keepdims,
            correction,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "var", &self.array, &options))
    }

    #[pyo3(signature = (axis = None, *, correction = 0.0, keepdims = false, queue = None))]
    fn std(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        correction: f64,
        keepdims: bool,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Options {
            axis,
            keepdims,
            correction,
            queue,
            ..Options::default()
        };
        guard(|| reductions::run(py, "std", &self.array, &options))
    }

    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| self.scalar(py, "a Python scalar"))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| self.scalar(py, "a float")?.call_method0("__float__"))
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| self.scalar(py, "an int")?.call_method0("__int__"))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            let value = self.scalar(py, "a complex")?;
            py.import("builtins")?.getattr("complex")?.call1((value,))
        })
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            if !self.array.dtype().is_integer() || !self.array.shape().is_empty() {
                return Err(PyTypeError::new_err(
                    "only a 0-d integer array can be used as an index",
                ));
            }
            self.scalar(py, "an index")
        })
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        guard(|| {
            if self.array.size() != 1 {
                return Err(PyValueError::new_err(format!(
                    "the truth value of an array of shape {:?} is ambiguous\n  help: reduce it \
                     first, e.g. with `x.sum() > 0`",
                    self.array.shape()
                )));
            }
            self.scalar(py, "a bool")?.is_truthy()
        })
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.array.shape().first();
        first
            .copied()
            .ok_or_else(|| PyTypeError::new_err("a 0-d array has no length"))
    }

    fn __getitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        guard(|| match index::from_python(&self.array, index)? {
            Index::View(index) => self
                .array
                .view(&index)
                .map(Self::new)
                .map_err(|error| error.into_py_err(py)),
            Index::Arrays(index) => {
                detach(py, || indexing::get(&self.array, &index)).map(Self::new)
            }
        })
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guard(|| {
            let index = index::from_python(&self.array, index)?;
            let Some(value) = operand::from_python(value)? else {
                return Err(PyTypeError::new_err(format!(
                    "cannot assign `{}` to elements of an array\n  help: assign a number or a situ \
                     array; `situ.asarray` makes one",
                    value.get_type().name()?
                )));
            };
            match index {
                Index::View(index) => {
                    let target = self.array.view(&index);
                    let target = target.map_err(|error| error.into_py_err(py))?;
                    detach(py, || apply::assign(&target, &value))
                }
                Index::Arrays(index) => detach(py, || indexing::set(&self.array, &index, &value)),
            }
        })
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("situ._display")?
            .call_method1("array_repr", (slf,))
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("situ._display")?
            .call_method1("array_str", (slf,))
    }
}

/// Replaces one -1 by the size that is left.
fn complete_shape(size: usize, shape: &[i64]) -> PyResult<Vec<usize>> {
    let unknown = shape.iter().filter(|&&size| size == -1).count();
    if unknown > 1 || shape.iter().any(|&size| size < -1) {
        return Err(PyValueError::new_err(format!(
            "a shape has sizes of at least 0 and at most one -1, not {shape:?}"
        )));
    }
    let known: usize = shape
        .iter()
        .filter(|&&size| size != -1)
        .map(|&size| size as usize)
        .product();
    let missing = size.checked_div(known).unwrap_or(0);
    Ok(shape
        .iter()
        .map(|&size| if size == -1 { missing } else { size as usize })
        .collect())
}

/// One axis or several.
pub(crate) fn axes_from_python(axis: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    axis.extract::<i64>()
        .map(|axis| vec![axis])
        .or_else(|_| axis.extract())
}
