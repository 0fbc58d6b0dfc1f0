//! `situ.ndarray`: the array as Python sees it.
//!
//! Operators are type slots, so `a + b` goes from Python's evaluation loop straight into Rust.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyEllipsis, PySlice, PyTuple};
use situ_array::functions::apply::{self, Input, Operand};
use situ_array::functions::elementwise::{self, Elementwise};
use situ_array::functions::{creation, manipulation, statistical};
use situ_array::promotion::PythonScalar;
use situ_array::{Array, IndexItem};
use situ_ir::DType;

use crate::detach::detach;
use crate::device::PyDevice;
use crate::error::{IntoPyErr, guard};
use crate::host_memory;
use crate::queue::PyQueue;
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

    /// Applies a binary function to this array and another operand, in the order given.
    fn binary<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        function: &'static Elementwise,
        order: Order,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        guard(|| {
            let Some(other) = operand::from_python(other)? else {
                return Ok(py.NotImplemented().into_bound(py));
            };
            let this = Operand::Array(self.array.clone());
            let operands = match order {
                Order::ThisFirst => [this, other],
                Order::OtherFirst => [other, this],
            };
            let result = detach(py, || apply::apply(function, &operands, None))?;
            Ok(Bound::new(py, Self::new(result))?.into_any())
        })
    }

    /// Applies a binary function and stores the result in this array.
    fn in_place(&self, other: &Bound<'_, PyAny>, function: &'static Elementwise) -> PyResult<()> {
        let py = other.py();
        guard(|| {
            let Some(other) = operand::from_python(other)? else {
                return Err(PyTypeError::new_err(format!(
                    "`{}` does not take `{}`",
                    function.name,
                    other.get_type().name()?
                )));
            };
            let operands = [Operand::Array(self.array.clone()), other];
            detach(py, || apply::apply(function, &operands, Some(&self.array)))?;
            Ok(())
        })
    }

    fn unary(&self, py: Python<'_>, function: &'static Elementwise) -> PyResult<Self> {
        guard(|| {
            let operands = [Operand::Array(self.array.clone())];
            detach(py, || apply::apply(function, &operands, None)).map(Self::new)
        })
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

/// Which operand of a binary operator the array is.
#[derive(Clone, Copy)]
enum Order {
    ThisFirst,
    OtherFirst,
}

/// The functions behind operators, found once.
macro_rules! functions {
    ($($constant:ident = $name:literal;)*) => {
        $(static $constant: std::sync::LazyLock<&'static Elementwise> =
            std::sync::LazyLock::new(|| elementwise::find($name).expect("the table has it"));)*
    };
}

functions! {
    ADD = "add";
    SUBTRACT = "subtract";
    MULTIPLY = "multiply";
    DIVIDE = "divide";
    FLOOR_DIVIDE = "floor_divide";
    REMAINDER = "remainder";
    POW = "pow";
    BITWISE_AND = "bitwise_and";
    BITWISE_OR = "bitwise_or";
    BITWISE_XOR = "bitwise_xor";
    LEFT_SHIFT = "bitwise_left_shift";
    RIGHT_SHIFT = "bitwise_right_shift";
    EQUAL = "equal";
    NOT_EQUAL = "not_equal";
    LESS = "less";
    LESS_EQUAL = "less_equal";
    GREATER = "greater";
    GREATER_EQUAL = "greater_equal";
    NEGATIVE = "negative";
    POSITIVE = "positive";
    INVERT = "bitwise_invert";
    ABS = "abs";
}

/// The three methods of a binary operator: `a + b`, `b + a` and `a += b`.
macro_rules! binary_operators {
    ($($method:ident $reflected:ident $in_place:ident = $function:ident;)*) => {
        #[pymethods]
        impl PyArray {
            $(
                fn $method<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    self.binary(other, *$function, Order::ThisFirst)
                }

                fn $reflected<'py>(
                    &self,
                    other: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    self.binary(other, *$function, Order::OtherFirst)
                }

                fn $in_place(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
                    self.in_place(other, *$function)
                }
            )*
        }
    };
}

binary_operators! {
    __add__ __radd__ __iadd__ = ADD;
    __sub__ __rsub__ __isub__ = SUBTRACT;
    __mul__ __rmul__ __imul__ = MULTIPLY;
    __truediv__ __rtruediv__ __itruediv__ = DIVIDE;
    __floordiv__ __rfloordiv__ __ifloordiv__ = FLOOR_DIVIDE;
    __mod__ __rmod__ __imod__ = REMAINDER;
    __and__ __rand__ __iand__ = BITWISE_AND;
    __or__ __ror__ __ior__ = BITWISE_OR;
    __xor__ __rxor__ __ixor__ = BITWISE_XOR;
    __lshift__ __rlshift__ __ilshift__ = LEFT_SHIFT;
    __rshift__ __rrshift__ __irshift__ = RIGHT_SHIFT;
}

#[pymethods]
impl PyArray {
    /// NumPy must leave operators with situ arrays to situ.
    #[classattr]
    const __array_ufunc__: Option<()> = None;

    /// Comparison is elementwise, so arrays cannot be keys.
    #[classattr]
    const __hash__: Option<()> = None;

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
        }
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

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
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

    #[pyo3(signature = (axis = None, *, dtype = None, keepdims = false))]
    fn sum(
        &self,
        py: Python<'_>,
        axis: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Self> {
        guard(|| {
            let axes = axis.map(axes_from_python).transpose()?;
            let dtype = dtype.map(dtype::from_python).transpose()?;
            let work = || statistical::sum(&self.array, axes.as_deref(), dtype, keepdims);
            detach(py, work).map(Self::new)
        })
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

    fn __pow__<'py>(
        &self,
        exponent: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        refuse_modulo(modulo)?;
        self.binary(exponent, *POW, Order::ThisFirst)
    }

    fn __rpow__<'py>(
        &self,
        base: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        refuse_modulo(modulo)?;
        self.binary(base, *POW, Order::OtherFirst)
    }

    fn __ipow__(&self, exponent: &Bound<'_, PyAny>, modulo: &Bound<'_, PyAny>) -> PyResult<()> {
        refuse_modulo(modulo)?;
        self.in_place(exponent, *POW)
    }

    fn __richcmp__<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = match operator {
            CompareOp::Eq => *EQUAL,
            CompareOp::Ne => *NOT_EQUAL,
            CompareOp::Lt => *LESS,
            CompareOp::Le => *LESS_EQUAL,
            CompareOp::Gt => *GREATER,
            CompareOp::Ge => *GREATER_EQUAL,
        };
        self.binary(other, function, Order::ThisFirst)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        self.unary(py, *NEGATIVE)
    }

    fn __pos__(&self, py: Python<'_>) -> PyResult<Self> {
        self.unary(py, *POSITIVE)
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Self> {
        self.unary(py, *INVERT)
    }

    fn __abs__(&self, py: Python<'_>) -> PyResult<Self> {
        self.unary(py, *ABS)
    }

    fn __getitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        guard(|| {
            let index = index_from_python(index)?;
            self.array
                .view(&index)
                .map(Self::new)
                .map_err(|error| error.into_py_err(py))
        })
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guard(|| {
            let index = index_from_python(index)?;
            let target = self
                .array
                .view(&index)
                .map_err(|error| error.into_py_err(py))?;
            let source = match operand::from_python(value)? {
                Some(Operand::Array(array)) => Input::Array(array),
                Some(Operand::Literal(literal)) => Input::Scalar(literal),
                Some(Operand::Scalar(scalar)) => {
                    Input::Scalar(assigned_scalar(scalar, target.dtype())?)
                }
                None => {
                    return Err(PyTypeError::new_err(format!(
                        "cannot assign `{}` to elements of an array\n  help: assign a number or a \
                         situ array; `situ.asarray` makes one",
                        value.get_type().name()?
                    )));
                }
            };
            detach(py, || apply::copy_into(&target, &source))
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

fn refuse_modulo(modulo: &Bound<'_, PyAny>) -> PyResult<()> {
    if modulo.is_none() {
        return Ok(());
    }
    Err(PyTypeError::new_err(
        "arrays do not take the third argument of `pow`",
    ))
}

/// The constant that a scalar becomes when it is assigned to elements of a dtype.
fn assigned_scalar(scalar: PythonScalar, dtype: DType) -> PyResult<situ_ir::Literal> {
    scalar.to_literal(dtype).ok_or_else(|| {
        pyo3::exceptions::PyOverflowError::new_err(format!(
            "the integer {scalar:?} does not fit into {dtype}"
        ))
    })
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
    let missing = if known == 0 { 0 } else { size / known };
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

/// The entries of an index expression.
fn index_from_python(index: &Bound<'_, PyAny>) -> PyResult<Vec<IndexItem>> {
    match index.cast::<PyTuple>() {
        Ok(items) => items.iter().map(|item| index_item(&item)).collect(),
        Err(_) => Ok(vec![index_item(index)?]),
    }
}

fn index_item(item: &Bound<'_, PyAny>) -> PyResult<IndexItem> {
    if item.is_none() {
        return Ok(IndexItem::NewAxis);
    }
    if item.cast::<PyEllipsis>().is_ok() {
        return Ok(IndexItem::Ellipsis);
    }
    if let Ok(slice) = item.cast::<PySlice>() {
        let part = |name| slice_part(&slice.getattr(name)?);
        let (start, stop, step) = (part("start")?, part("stop")?, part("step")?);
        return Ok(IndexItem::Slice { start, stop, step });
    }
    let is_bool = item.is_instance_of::<pyo3::types::PyBool>();
    if !is_bool && let Ok(position) = item.call_method0("__index__") {
        return Ok(IndexItem::Integer(saturated(&position)?));
    }
    Err(pyo3::exceptions::PyIndexError::new_err(format!(
        "an array cannot be indexed by `{}`\n  help: use integers, slices, `...` or `None`",
        item.get_type().name()?
    )))
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
