//! Operators of `situ.ndarray`.
//!
//! They are type slots, so `a + b` goes from Python's evaluation loop straight into Rust. What an
//! operator computes is said in the table of elementwise functions; here are only the names.

use std::sync::LazyLock;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::PyInt;
use situ_array::functions::apply::{self, Operand};
use situ_array::functions::elementwise::{Elementwise, find};
use situ_array::functions::immediate::{self, PlainOperand};
use situ_array::functions::linalg::product;

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::{operand, warnings};

/// A function of the table, found when it is first used.
type Function = LazyLock<&'static Elementwise>;

static ADD: Function = LazyLock::new(|| find("add").expect("the table has it"));
static SUBTRACT: Function = LazyLock::new(|| find("subtract").expect("the table has it"));
static MULTIPLY: Function = LazyLock::new(|| find("multiply").expect("the table has it"));
static DIVIDE: Function = LazyLock::new(|| find("divide").expect("the table has it"));
static FLOOR_DIVIDE: Function = LazyLock::new(|| find("floor_divide").expect("the table has it"));
static REMAINDER: Function = LazyLock::new(|| find("remainder").expect("the table has it"));
static POW: Function = LazyLock::new(|| find("pow").expect("the table has it"));
static BITWISE_AND: Function = LazyLock::new(|| find("bitwise_and").expect("the table has it"));
static BITWISE_OR: Function = LazyLock::new(|| find("bitwise_or").expect("the table has it"));
static BITWISE_XOR: Function = LazyLock::new(|| find("bitwise_xor").expect("the table has it"));
static LEFT_SHIFT: Function =
    LazyLock::new(|| find("bitwise_left_shift").expect("the table has it"));
static RIGHT_SHIFT: Function =
    LazyLock::new(|| find("bitwise_right_shift").expect("the table has it"));
static EQUAL: Function = LazyLock::new(|| find("equal").expect("the table has it"));
static NOT_EQUAL: Function = LazyLock::new(|| find("not_equal").expect("the table has it"));
static LESS: Function = LazyLock::new(|| find("less").expect("the table has it"));
static LESS_EQUAL: Function = LazyLock::new(|| find("less_equal").expect("the table has it"));
static GREATER: Function = LazyLock::new(|| find("greater").expect("the table has it"));
static GREATER_EQUAL: Function = LazyLock::new(|| find("greater_equal").expect("the table has it"));
static NEGATIVE: Function = LazyLock::new(|| find("negative").expect("the table has it"));
static POSITIVE: Function = LazyLock::new(|| find("positive").expect("the table has it"));
static INVERT: Function = LazyLock::new(|| find("bitwise_invert").expect("the table has it"));
static SQUARE: Function = LazyLock::new(|| find("square").expect("the table has it"));
static ABS: Function = LazyLock::new(|| find("abs").expect("the table has it"));

/// Which operand of a binary operator the array is.
#[derive(Clone, Copy)]
enum Order {
    ThisFirst,
    OtherFirst,
}

impl Order {
    /// The operands as the operator has them.
    fn of<T>(self, this: T, other: T) -> [T; 2] {
        match self {
            Self::ThisFirst => [this, other],
            Self::OtherFirst => [other, this],
        }
    }
}

impl PyArray {
    /// Applies a binary function to this array and another operand, in the order given.
    fn binary<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        function: &'static Elementwise,
        order: Order,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        guard(|| {
            if let Some(other) = operand::at_a_glance(other) {
                let operands = order.of(PlainOperand::Array(self.array()), other);
                if let Some(result) = immediate::apply(function, &operands) {
                    warnings::deliver(py)?;
                    return Ok(Bound::new(py, Self::new(result))?.into_any());
                }
            }
            let Some(other) = operand::from_python(other)? else {
                return Ok(py.NotImplemented().into_bound(py));
            };
            let operands = order.of(Operand::Array(self.array().clone()), other);
            let result = detach(py, || apply::apply(function, &operands, None, None))?;
            Ok(Bound::new(py, Self::new(result))?.into_any())
        })
    }

    /// Divides and gives both what comes out and what is left.
    fn quotient_and_remainder<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        order: Order,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let quotient = self.binary(other, *FLOOR_DIVIDE, order)?;
        if quotient.is(py.NotImplemented()) {
            return Ok(quotient);
        }
        let remainder = self.binary(other, *REMAINDER, order)?;
        Ok((quotient, remainder).into_pyobject(py)?.into_any())
    }

    /// Applies a binary function and stores the result in this array.
    fn in_place(&self, other: &Bound<'_, PyAny>, function: &'static Elementwise) -> PyResult<()> {
        let py = other.py();
        guard(|| {
            if let Some(other) = operand::at_a_glance(other) {
                let operands = [PlainOperand::Array(self.array()), other];
                if immediate::apply_into(function, &operands, self.array()) {
                    return warnings::deliver(py);
                }
            }
            let Some(other) = operand::from_python(other)? else {
                return Err(PyTypeError::new_err(format!(
                    "`{}` does not take `{}`",
                    function.name,
                    other.get_type().name()?
                )));
            };
            let operands = [Operand::Array(self.array().clone()), other];
            detach(py, || {
                apply::apply(function, &operands, Some(self.array()), None)
            })?;
            Ok(())
        })
    }

    /// The product with another matrix, in the order given.
    fn matmul<'py>(&self, other: &Bound<'py, PyAny>, order: Order) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        guard(|| {
            let Some(other) = operand::from_python(other)? else {
                return Ok(py.NotImplemented().into_bound(py));
            };
            let this = Operand::Array(self.array().clone());
            let operands = order.of(&this, &other);
            let result = detach(py, || product::matmul(operands, None, None))?;
            Ok(Bound::new(py, Self::new(result))?.into_any())
        })
    }

    fn unary(&self, py: Python<'_>, function: &'static Elementwise) -> PyResult<Self> {
        guard(|| {
            let this = [PlainOperand::Array(self.array())];
            if let Some(result) = immediate::apply(function, &this) {
                warnings::deliver(py)?;
                return Ok(Self::new(result));
            }
            let operands = [Operand::Array(self.array().clone())];
            detach(py, || apply::apply(function, &operands, None, None)).map(Self::new)
        })
    }
}

#[pymethods]
impl PyArray {
    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *ADD, Order::ThisFirst)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *ADD, Order::OtherFirst)
    }

    fn __iadd__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *ADD)
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *SUBTRACT, Order::ThisFirst)
    }

    fn __rsub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *SUBTRACT, Order::OtherFirst)
    }

    fn __isub__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *SUBTRACT)
    }

    fn __mul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *MULTIPLY, Order::ThisFirst)
    }

    fn __rmul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *MULTIPLY, Order::OtherFirst)
    }

    fn __imul__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *MULTIPLY)
    }

    fn __truediv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *DIVIDE, Order::ThisFirst)
    }

    fn __rtruediv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *DIVIDE, Order::OtherFirst)
    }

    fn __itruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *DIVIDE)
    }

    fn __floordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *FLOOR_DIVIDE, Order::ThisFirst)
    }

    fn __rfloordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *FLOOR_DIVIDE, Order::OtherFirst)
    }

    fn __ifloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *FLOOR_DIVIDE)
    }

    fn __mod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *REMAINDER, Order::ThisFirst)
    }

    fn __rmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *REMAINDER, Order::OtherFirst)
    }

    fn __imod__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *REMAINDER)
    }

    fn __divmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.quotient_and_remainder(other, Order::ThisFirst)
    }

    fn __rdivmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.quotient_and_remainder(other, Order::OtherFirst)
    }

    fn __matmul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.matmul(other, Order::ThisFirst)
    }

    fn __rmatmul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.matmul(other, Order::OtherFirst)
    }

    fn __imatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = other.py();
        guard(|| {
            let Some(other) = operand::from_python(other)? else {
                return Err(PyTypeError::new_err(format!(
                    "`matmul` does not take `{}`",
                    other.get_type().name()?
                )));
            };
            let this = Operand::Array(self.array().clone());
            let work = || product::matmul([&this, &other], Some(self.array()), None);
            detach(py, work).map(|_| ())
        })
    }

    fn __and__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *BITWISE_AND, Order::ThisFirst)
    }

    fn __rand__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *BITWISE_AND, Order::OtherFirst)
    }

    fn __iand__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *BITWISE_AND)
    }

    fn __or__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *BITWISE_OR, Order::ThisFirst)
    }

    fn __ror__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *BITWISE_OR, Order::OtherFirst)
    }

    fn __ior__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *BITWISE_OR)
    }

    fn __xor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *BITWISE_XOR, Order::ThisFirst)
    }

    fn __rxor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *BITWISE_XOR, Order::OtherFirst)
    }

    fn __ixor__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *BITWISE_XOR)
    }

    fn __lshift__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *LEFT_SHIFT, Order::ThisFirst)
    }

    fn __rlshift__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *LEFT_SHIFT, Order::OtherFirst)
    }

    fn __ilshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *LEFT_SHIFT)
    }

    fn __rshift__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *RIGHT_SHIFT, Order::ThisFirst)
    }

    fn __rrshift__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, *RIGHT_SHIFT, Order::OtherFirst)
    }

    fn __irshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.in_place(other, *RIGHT_SHIFT)
    }

    fn __pow__<'py>(
        &self,
        exponent: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        refuse_modulo(modulo)?;
        if self.array().dtype().is_bool() && is_the_integer_two(exponent) {
            let square = self.unary(exponent.py(), *SQUARE)?;
            return Ok(Bound::new(exponent.py(), square)?.into_any());
        }
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
}

/// Whether an exponent is Python's 2, for which NumPy's operator means `square`: of `bool` that is `int8`, and what
/// `power` makes of them is `int64`.
fn is_the_integer_two(exponent: &Bound<'_, PyAny>) -> bool {
    exponent.is_exact_instance_of::<PyInt>()
        && exponent.extract().is_ok_and(|value: i64| value == 2)
}

fn refuse_modulo(modulo: &Bound<'_, PyAny>) -> PyResult<()> {
    if modulo.is_none() {
        return Ok(());
    }
    Err(PyTypeError::new_err(
        "arrays do not take the third argument of `pow`",
    ))
}
