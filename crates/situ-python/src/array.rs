//! `situ.ndarray`: the array as Python sees it.
//!
//! Its operators are in `operators`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyTuple};
use situ_array::Array;
use situ_array::functions::apply::{self, Operand};
use situ_array::functions::immediate::{self, PlainOperand};
use situ_array::functions::indexing::{self, ArrayIndexItem};
use situ_array::functions::{creation, small_gathers};
use situ_array::layout::Layout;
use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal};

use crate::context::PyContext;
use crate::detach::detach;
use crate::device::PyDevice;
use crate::error::exceptions::{DTypeError, ShapeError};
use crate::error::{IntoPyErr, guard};
use crate::host_memory;
use crate::index::{self, Index};
use crate::queue::PyQueue;
use crate::{discarded_parts, dtype, number, operand, sycl, warnings};

/// An n-dimensional array on a device.
#[pyclass(frozen, name = "ndarray", module = "situ")]
pub(crate) struct PyArray {
    array: Array,
}

impl PyArray {
    /// A view of the real (0) or imaginary (1) parts; `None` if elements are not complex.
    fn part(&self, py: Python<'_>, which: usize) -> PyResult<Option<Array>> {
        let (array, layout) = (&self.array, self.array.layout());
        if !array.dtype().is_complex() {
            return Ok(None);
        }
        let strides: Vec<isize> = layout.strides().iter().map(|stride| stride * 2).collect();
        let layout = Layout::from_parts(layout.shape(), &strides, layout.offset() * 2 + which);
        let memory = array.allocation().clone();
        Array::over(memory, layout, array.dtype().real(), array.queue())
            .map(Some)
            .map_err(|error| error.into_py_err(py))
    }

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
                "only an array of one element can become {what}; this one has shape {}\n  help: choose one \
                 with an index, or take all with `x.tolist()`",
                shape_text(self.array.shape())
            )));
        }
        let dtype = self.array.dtype();
        let mut bytes = [0; 16];
        let target = &mut bytes[..dtype.size_bytes()];
        detach(py, || {
            creation::as_contiguous(&self.array)?.read_bytes(target)
        })?;
        let literal = Literal::from_bytes(dtype, &bytes).ok_or_else(|| {
            DTypeError::new_err(format!("a {dtype} element has more than 16 bytes"))
        })?;
        number::to_python(py, literal)
    }

    /// As [`Self::scalar`], but not a complex number.
    fn number<'py>(&self, py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyAny>> {
        if self.array.dtype().is_complex() {
            return Err(PyTypeError::new_err(format!(
                "a complex array cannot become {what}\n  help: take its `real` or `imag` part, or `abs`"
            )));
        }
        self.scalar(py, what)
    }
}

#[pymethods]
impl PyArray {
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

    /// The name of `queue` in libraries that share USM memory. They look for dpctl's own class, so that is what
    /// they find where there is such a queue.
    #[getter]
    fn sycl_queue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| match sycl::known_to_dpctl(py, self.array.queue())? {
            Some(queue) => Ok(queue),
            None => Ok(Bound::new(py, self.queue())?.into_any()),
        })
    }

    /// The name of `device` in libraries that share USM memory.
    #[getter]
    fn sycl_device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| match sycl::known_to_dpctl(py, self.array.queue())? {
            Some(queue) => queue.getattr("sycl_device"),
            None => Ok(Bound::new(py, self.device())?.into_any()),
        })
    }

    /// The name of `context` in libraries that share USM memory.
    #[getter]
    fn sycl_context<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| match sycl::known_to_dpctl(py, self.array.queue())? {
            Some(queue) => queue.getattr("sycl_context"),
            None => Ok(Bound::new(py, self.context())?.into_any()),
        })
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

    #[getter(mT)]
    fn matrix_transpose(&self) -> PyResult<Self> {
        guard(|| {
            let ndim = self.array.shape().len();
            if ndim < 2 {
                return Err(ShapeError::new_err(format!(
                    "`mT` needs a matrix, and this array has {}\n  help: `x.T` works for any \
                     number of dimensions",
                    if ndim == 1 {
                        "1 dimension"
                    } else {
                        "no dimensions"
                    }
                )));
            }
            let mut axes: Vec<usize> = (0..ndim).collect();
            axes.swap(ndim - 2, ndim - 1);
            Ok(Self::new(
                self.array.with_layout(self.array.layout().permuted(&axes)),
            ))
        })
    }

    /// The real parts: a view of complex elements, and real arrays themselves.
    #[getter]
    fn real(&self, py: Python<'_>) -> PyResult<Self> {
        guard(|| {
            Ok(Self::new(
                self.part(py, 0)?.unwrap_or_else(|| self.array.clone()),
            ))
        })
    }

    #[setter(real)]
    fn set_real(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        guard(|| {
            let target = self.part(py, 0)?.unwrap_or_else(|| self.array.clone());
            assign_parts(py, &target, value)
        })
    }

    /// The imaginary parts: a view of complex elements, and zeros for real ones.
    #[getter]
    fn imag(&self, py: Python<'_>) -> PyResult<Self> {
        guard(|| {
            if let Some(view) = self.part(py, 1)? {
                return Ok(Self::new(view));
            }
            let (shape, zero) = (self.array.shape(), Literal::zero(self.array.dtype()));
            let (queue, usm_kind) = (self.array.queue(), self.array.usm_kind());
            detach(py, || creation::full(shape, zero, queue, usm_kind)).map(Self::new)
        })
    }

    #[setter(imag)]
    fn set_imag(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        guard(|| {
            let target = self.part(py, 1)?.ok_or_else(|| {
                DTypeError::new_err(format!(
                    "{} numbers have no imaginary part to assign to\n  help: convert first, e.g. \
                     `x.astype(\"complex128\")`",
                    self.array.dtype()
                ))
            })?;
            assign_parts(py, &target, value)
        })
    }

    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| host_memory::to_numpy(py, &self.array))
    }

    pub(crate) fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        guard(|| {
            if let Some(copy) = immediate::converted(&self.array, self.array.dtype()) {
                warnings::deliver(py)?;
                return Ok(Self::new(copy));
            }
            detach(py, || apply::contiguous_copy(&self.array)).map(Self::new)
        })
    }

    /// The only element, as a number of Python's.
    fn _item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| self.scalar(py, "a Python scalar"))
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        guard(|| self.number(py, "a float")?.extract())
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            let value = self.number(py, "an int")?;
            py.get_type::<PyInt>().call1((value,))
        })
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            let value = self.scalar(py, "a complex")?;
            py.get_type::<PyComplex>().call1((value,))
        })
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            if !self.array.dtype().is_integer() || !self.array.shape().is_empty() {
                return Err(PyTypeError::new_err(format!(
                    "only a 0-d integer array can be used as an index; this one is {} of shape {}",
                    self.array.dtype(),
                    shape_text(self.array.shape())
                )));
            }
            self.scalar(py, "an index")
        })
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        guard(|| {
            if self.array.size() != 1 {
                return Err(PyValueError::new_err(format!(
                    "the truth value of an array of shape {} is ambiguous\n  help: reduce it first, with \
                     `x.any()` or `x.all()`",
                    shape_text(self.array.shape())
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
                if let [ArrayIndexItem::Array(indices)] = index.as_slice()
                    && let Some(found) = gathered_at_once(py, &self.array, indices)?
                {
                    return Ok(found);
                }
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
            let index = match index::from_python(&self.array, index)? {
                Index::View(index) => {
                    let view = self.array.view(&index);
                    let target = view.map_err(|error| error.into_py_err(py))?;
                    return assign_all(py, &target, value);
                }
                Index::Arrays(index) => index,
            };
            let value = assigned(value)?;
            discarded_parts::warn_of_assignment(py, &value, self.array.dtype())?;
            detach(py, || indexing::set(&self.array, &index, &value))
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

/// Elements at positions along the only axis, if that can be done on the spot.
pub(crate) fn gathered_at_once(
    py: Python<'_>,
    array: &Array,
    indices: &Array,
) -> PyResult<Option<PyArray>> {
    let found = small_gathers::gather(array, indices);
    let found = found.map_err(|error| error.into_py_err(py))?;
    if found.is_some() {
        warnings::deliver(py)?;
    }
    Ok(found.map(PyArray::new))
}

/// What is assigned to elements.
fn assigned(value: &Bound<'_, PyAny>) -> PyResult<Operand> {
    match operand::from_python(value)? {
        Some(operand) => Ok(operand),
        None => Err(PyTypeError::new_err(format!(
            "cannot assign `{}` to elements of an array\n  help: assign a number or a situ \
             array; `situ.asarray` makes one",
            value.get_type().name()?
        ))),
    }
}

/// Assigns to all elements of a view.
fn assign_all(py: Python<'_>, target: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_kept_whole = |value: &PlainOperand<'_>| match value {
        PlainOperand::Array(array) => !discarded_parts::are_there(array.dtype(), target.dtype()),
        PlainOperand::Number(_) => true,
    };
    if let Some(value) = operand::at_a_glance(value).filter(is_kept_whole)
        && immediate::assign(target, &value)
    {
        return warnings::deliver(py);
    }
    let value = assigned(value)?;
    discarded_parts::warn_of_assignment(py, &value, target.dtype())?;
    detach(py, || apply::assign(target, &value))
}

/// Assigns to real or imaginary parts. NumPy takes what is assigned for an array, so Python's complex numbers are not
/// refused here; they lose their imaginary part with a warning, as arrays do.
fn assign_parts(py: Python<'_>, target: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match operand::python_scalar(value)? {
        Some(PythonScalar::Complex(real, _)) => {
            discarded_parts::warn(py, DType::C128, target.dtype())?;
            assign_all(py, target, PyFloat::new(py, real).as_any())
        }
        _ => assign_all(py, target, value),
    }
}

/// A shape as Python writes it.
fn shape_text(shape: &[usize]) -> String {
    if let [size] = shape {
        return format!("({size},)");
    }
    let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
    format!("({})", sizes.join(", "))
}

/// One axis or several.
pub(crate) fn axes_from_python(axis: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    axis.extract::<i64>()
        .map(|axis| vec![axis])
        .or_else(|_| axis.extract())
        .map_err(|_| {
            PyTypeError::new_err(format!(
                "expected an integer or a tuple of integers, not {axis}\n  why:  axes and shifts are \
                 counted\n  help: convert it, e.g. with `int(...)`"
            ))
        })
}
