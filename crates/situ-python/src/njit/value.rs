//! What names of a running njit function stand for.

use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use situ_array::functions::apply::Operand;
use situ_frontend::Layout;
use situ_frontend::host::ValueType;
use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Literal};

use super::expression_node::Node;
use crate::array::PyArray;
use crate::kernel::messages;
use crate::{host_access, number, operand, usm_interface};

/// A value.
#[derive(Clone)]
pub(super) enum Value {
    Number(Number),
    Array(ArrayValue),
    Tuple(Vec<Value>),
    /// Anything that array functions take beside arrays and numbers: dtypes, text, `None`, slices.
    Object(Rc<Py<PyAny>>),
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) literal: Literal,
    /// Whether it takes the dtype of the arrays it meets, as Python numbers do.
    pub(super) is_weak: bool,
    /// Whether it is written in the function, so that it has the same value whenever it is met.
    pub(super) is_written: bool,
}

/// An array, or an expression that will be one when somebody looks at it.
#[derive(Clone)]
pub(super) struct ArrayValue {
    pub(super) node: Rc<Node>,
    pub(super) origin: Origin,
}

/// What the user sees an array as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// An array of situ's.
    Situ,
    /// An array of NumPy's, in the memory of the host.
    NumPy,
}

impl Origin {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Situ => "a situ array",
            Self::NumPy => "a NumPy array",
        }
    }
}

impl Number {
    /// A number that compiled code has computed: as Python's own if it has the dtype of one.
    pub(super) fn computed(literal: Literal) -> Self {
        let is_weak = matches!(
            literal.dtype(),
            DType::Bool | DType::I64 | DType::F64 | DType::C128
        );
        Self {
            literal,
            is_weak,
            is_written: false,
        }
    }

    /// An integer.
    pub(super) fn integer(value: i64) -> Self {
        Self::computed(Literal::I64(value))
    }

    pub(super) fn python_scalar(self) -> PythonScalar {
        match self.literal {
            Literal::Bool(value) => PythonScalar::Bool(value),
            Literal::F64(value) => PythonScalar::Float(value),
            Literal::C128(value) => PythonScalar::Complex(value.re, value.im),
            other => match number::as_integer(other) {
                Some(value) => PythonScalar::Int(value),
                None => PythonScalar::Float(number::as_float(other)),
            },
        }
    }

    /// As an operand of an array function.
    pub(super) fn operand(self) -> Operand {
        if self.is_weak {
            Operand::Scalar(self.python_scalar())
        } else {
            Operand::Literal(self.literal)
        }
    }

    /// Whether Python would take it for true.
    pub(super) fn is_true(self) -> bool {
        match self.literal {
            Literal::Bool(value) => value,
            Literal::C64(value) => value.re != 0.0 || value.im != 0.0,
            Literal::C128(value) => value.re != 0.0 || value.im != 0.0,
            other => number::as_integer(other)
                .map_or_else(|| number::as_float(other) != 0.0, |value| value != 0),
        }
    }

    /// The integer it is, if it is one.
    pub(super) fn as_i64(self) -> Option<i64> {
        match self.literal {
            Literal::Bool(value) => Some(i64::from(value)),
            other => number::as_integer(other).and_then(|value| i64::try_from(value).ok()),
        }
    }

    /// As Python's own, as Numba returns numbers.
    pub(super) fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        number::to_python(py, self.literal).map(Bound::unbind)
    }
}

impl ArrayValue {
    pub(super) fn ready(array: situ_array::Array, origin: Origin) -> Self {
        Self {
            node: Node::ready(array),
            origin,
        }
    }
}

impl Value {
    /// What a Python object is, where arrays of situ's are seen as `origin` says.
    pub(super) fn from_python(object: &Bound<'_, PyAny>, origin: Origin) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArray>() {
            let array = array.get().array().clone();
            return Ok(Self::Array(ArrayValue::ready(array, origin)));
        }
        if let Some(number) = number(object)? {
            return Ok(Self::Number(number));
        }
        if let Ok(items) = object.cast::<PyTuple>() {
            let items = items.iter().map(|item| Self::from_python(&item, origin));
            return Ok(Self::Tuple(items.collect::<PyResult<_>>()?));
        }
        if let Ok(items) = object.cast::<PyList>() {
            let items = items.iter().map(|item| Self::from_python(&item, origin));
            return Ok(Self::Tuple(items.collect::<PyResult<_>>()?));
        }
        if let Some(array) = usm_interface::array_of(object)? {
            let array = array.get().array().clone();
            return Ok(Self::Array(ArrayValue::ready(array, origin)));
        }
        Ok(Self::Object(Rc::new(object.clone().unbind())))
    }

    /// The type that compiled code sees; `None` for what has no place there.
    pub(super) fn ty(&self) -> Option<ValueType> {
        match self {
            Self::Number(number) => Some(ValueType::Number(number.literal.dtype())),
            Self::Array(value) => Some(ValueType::Array {
                dtype: value.node.dtype(),
                ndim: value.node.shape().len(),
                layout: if value.node.is_contiguous() {
                    Layout::Contiguous
                } else {
                    Layout::Strided
                },
            }),
            Self::Tuple(items) => {
                let items: Option<Vec<_>> = items.iter().map(Self::ty).collect();
                items.map(ValueType::Tuple)
            }
            Self::Object(_) => None,
        }
    }

    /// Whether the host can reach the elements of every array in it.
    pub(super) fn is_near(&self) -> bool {
        let mut is_near = true;
        self.for_each_array(&mut |array| {
            is_near &= array.node.home().allocation().is_host_accessible();
        });
        is_near
    }

    /// What it is, for messages.
    pub(super) fn describe(&self, py: Python<'_>) -> String {
        match self {
            Self::Number(number) => format!("a number of dtype {}", number.literal.dtype()),
            Self::Array(value) => value.origin.describe().to_owned(),
            Self::Tuple(items) => format!("a tuple of {}", items.len()),
            Self::Object(object) => {
                let name = object.bind(py).get_type().name();
                name.map_or_else(|_| "an object".to_owned(), |name| format!("a `{name}`"))
            }
        }
    }

    /// As Python sees it when the function returns it.
    pub(super) fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Self::Number(number) => number.to_python(py),
            Self::Array(value) => {
                let array = value.node.array(py)?;
                let array = Bound::new(py, PyArray::new(array))?;
                match value.origin {
                    Origin::Situ => Ok(array.into_any().unbind()),
                    Origin::NumPy => host_access::as_numpy(&array).map(Bound::unbind),
                }
            }
            Self::Tuple(items) => {
                let items = items.iter().map(|item| item.to_python(py));
                let items: Vec<_> = items.collect::<PyResult<_>>()?;
                Ok(PyTuple::new(py, items)?.into_any().unbind())
            }
            Self::Object(object) => Ok(object.clone_ref(py)),
        }
    }

    /// As array functions take it: every array is one of situ's, numbers keep their dtype.
    pub(super) fn to_argument<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Number(number) if number.is_weak => Ok(number.to_python(py)?.into_bound(py)),
            Self::Number(number) => messages::scalar(py, number.literal),
            Self::Array(value) => {
                let array = value.node.array(py)?;
                Ok(Bound::new(py, PyArray::new(array))?.into_any())
            }
            Self::Tuple(items) => {
                let items = items.iter().map(|item| item.to_argument(py));
                let items: Vec<_> = items.collect::<PyResult<_>>()?;
                Ok(PyTuple::new(py, items)?.into_any())
            }
            Self::Object(object) => Ok(object.bind(py).clone()),
        }
    }

    /// Calls `visit` with every array in it.
    pub(super) fn for_each_array(&self, visit: &mut impl FnMut(&ArrayValue)) {
        match self {
            Self::Array(value) => visit(value),
            Self::Tuple(items) => items.iter().for_each(|item| item.for_each_array(visit)),
            Self::Number(_) | Self::Object(_) => {}
        }
    }
}

/// A Python or NumPy number.
fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
    if let Some(literal) = operand::numpy_scalar(object)? {
        return Ok(Some(Number {
            literal,
            is_weak: false,
            is_written: false,
        }));
    }
    let Some(scalar) = operand::python_scalar(object)? else {
        return Ok(None);
    };
    Ok(weak(scalar))
}

/// A Python number; `None` if 64 bits do not hold it.
pub(super) fn weak(scalar: PythonScalar) -> Option<Number> {
    let literal = match scalar {
        PythonScalar::Int(value) => match i64::try_from(value) {
            Ok(value) => Literal::I64(value),
            Err(_) => Literal::U64(u64::try_from(value).ok()?),
        },
        PythonScalar::Bool(value) => Literal::Bool(value),
        PythonScalar::Float(value) => Literal::F64(value),
        complex @ PythonScalar::Complex(..) => complex.to_literal(DType::C128)?,
    };
    Some(Number {
        literal,
        is_weak: true,
        is_written: false,
    })
}
