//! What a kernel is called with: read once, then asked for types, placement, range and parameters.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use situ_array::placement::{Operation, Participant, Placer};
use situ_array::{Array, device_dtypes};
use situ_frontend::{ArgumentPart, ArgumentType, ItemParameter, ItemType, Layout, ParameterPlan};
use situ_ir::promotion::narrowed;
use situ_ir::{DType, Literal, NdRange, interpret};
use situ_runtime::{Argument, Device, Queue, Report};
use smallvec::SmallVec;

use super::definition::Definition;
use super::local_accessor::PyLocalAccessor;
use super::refused_argument::{missing_dtype, refusal};
use crate::array::PyArray;
use crate::error::IntoPyErr;
use crate::error::exceptions::{DTypeError, ShapeError};
use crate::operand;

/// The types of a list of arguments, packed: one number for each argument.
pub(super) type Key = SmallVec<[u16; 8]>;

/// The arguments of one call.
pub(super) struct Arguments<'a> {
    definition: &'a Definition,
    given: SmallVec<[Given<'a>; 8]>,
    key: Key,
    /// Dimensions of the range, 1 to 3; `None` if they are not known and do not matter.
    dims: Option<u8>,
}

enum Given<'a> {
    /// The index object, which is made by the launch.
    Item(ItemType),
    Array(&'a Array),
    Local(&'a PyLocalAccessor),
    Scalar {
        literal: Literal,
        /// Whether it is a Python number, whose dtype is situ's to choose.
        is_python: bool,
    },
}

impl<'a> Arguments<'a> {
    /// Reads Python objects, for a launch over a range or over the common shape of the arrays.
    ///
    /// # Errors
    /// If an object is neither an array nor a number, naming the parameter it is for, or if the range
    /// does not have the index object that the kernel takes.
    pub(super) fn read(
        definition: &'a Definition,
        objects: &'a [Bound<'_, PyAny>],
        range: Option<NdRange>,
    ) -> PyResult<Self> {
        let mut given: SmallVec<[Given<'a>; 8]> = SmallVec::with_capacity(objects.len() + 1);
        if definition.item != ItemParameter::None {
            given.push(Given::Item(definition.check_range(range)?));
        }
        for (position, object) in objects.iter().enumerate() {
            let one = if let Ok(array) = object.cast::<PyArray>() {
                Given::Array(array.get().array())
            } else if let Some((literal, is_python)) = number(object)? {
                Given::Scalar { literal, is_python }
            } else if let Ok(local) = object.cast::<PyLocalAccessor>() {
                Given::Local(local.get())
            } else {
                return Err(refusal(definition, objects, position));
            };
            given.push(one);
        }
        let mut arguments = Self {
            definition,
            given,
            key: Key::new(),
            dims: None,
        };
        arguments.set_dims(range);
        let codes = arguments.given.iter().map(Given::code);
        arguments.key.extend(codes);
        arguments.key.push(arguments.dims.unwrap_or(0).into());
        Ok(arguments)
    }

    /// Notes the dimensions of the range, and gives them to the index object.
    fn set_dims(&mut self, range: Option<NdRange>) {
        let ndim = match range {
            Some(range) => Some(range.dims()),
            None => self.arrays().next().map(|array| array.shape().len()),
        };
        self.dims = ndim
            .filter(|ndim| (1..=3).contains(ndim))
            .map(|ndim| ndim as u8);
        if let Some(Given::Item(item)) = self.given.first_mut() {
            item.dims = self.dims.unwrap_or(1);
        }
    }

    /// Dimensions of the range, if they are known.
    pub(super) fn dims(&self) -> Option<u8> {
        self.dims
    }

    /// Gives Python numbers the dtypes that they have on a device.
    ///
    /// # Errors
    /// `KernelTypeError` for a NumPy number of a dtype that the device does not have.
    pub(super) fn adapt_to(&mut self, device: &Device) -> PyResult<()> {
        let default_float = device_dtypes::default_float(device);
        for position in 0..self.given.len() {
            let Given::Scalar { literal, is_python } = self.given[position] else {
                continue;
            };
            let dtype = if is_python {
                narrowed(literal.dtype(), default_float)
            } else {
                self.check_number(position, literal.dtype(), device)?;
                continue;
            };
            if dtype != literal.dtype() {
                let literal = interpret::number::cast(literal, dtype);
                self.given[position] = Given::Scalar { literal, is_python };
                self.key[position] = self.given[position].code();
            }
        }
        Ok(())
    }

    /// Refuses a NumPy number of a dtype that a device does not have.
    fn check_number(&self, position: usize, dtype: DType, device: &Device) -> PyResult<()> {
        if device_dtypes::check(dtype, device).is_ok() {
            return Ok(());
        }
        let subject = format!(
            "argument `{}` of kernel `{}`",
            self.name(position),
            self.definition.name
        );
        Err(missing_dtype(&subject, self.name(position), dtype, device))
    }

    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    pub(super) fn types(&self) -> Vec<ArgumentType> {
        self.given.iter().map(Given::ty).collect()
    }

    fn arrays(&self) -> impl Iterator<Item = &'a Array> {
        self.given.iter().filter_map(|given| match given {
            Given::Array(array) => Some(*array),
            Given::Item(_) | Given::Local(_) | Given::Scalar { .. } => None,
        })
    }

    /// The name of the parameter that something is given for.
    fn name(&self, position: usize) -> &str {
        let name = self.definition.parameters.get(position);
        name.map_or("argument", String::as_str)
    }

    /// The queue that runs the kernel: the one that was named, or that of its arrays. `None` if nothing
    /// decides.
    ///
    /// # Errors
    /// `PlacementError` if the arguments do not agree.
    pub(super) fn queue(&self, py: Python<'_>, named: Option<&Queue>) -> PyResult<Option<Queue>> {
        let participants = self.given.iter().map(|given| match given {
            Given::Array(array) => Participant::Array(array),
            Given::Item(_) | Given::Local(_) | Given::Scalar { .. } => Participant::Scalar,
        });
        let names = (0..self.given.len()).map(|position| self.name(position));
        let placement = placer(self.definition, named).place(names.zip(participants));
        let placement = placement.map_err(|error| error.into_py_err(py))?;
        Ok(placement.map(|placement| placement.queue))
    }

    fn named_arrays(&self) -> impl Iterator<Item = (&str, &'a Array)> {
        self.given
            .iter()
            .enumerate()
            .filter_map(|(position, given)| match given {
                Given::Array(array) => Some((self.name(position), *array)),
                Given::Item(_) | Given::Local(_) | Given::Scalar { .. } => None,
            })
    }

    /// A range over the common shape of all arrays, for a kernel of `dims` dimensions.
    ///
    /// # Errors
    /// `ShapeError` if there is none, or if it has other dimensions than the kernel.
    pub(super) fn common_range(&self, dims: usize) -> PyResult<NdRange> {
        let mut arrays = self.arrays();
        let shape = arrays.next().map(Array::shape);
        let is_common = arrays.all(|array| Some(array.shape()) == shape);
        let Some(shape) = shape.filter(|shape| is_common && shape.len() == dims) else {
            return Err(self.no_range(dims, shape, is_common));
        };
        let mut sizes = [0_u64; 3];
        for (size, extent) in sizes.iter_mut().zip(shape) {
            *size = *extent as u64;
        }
        NdRange::new(&sizes[..dims]).map_err(|error| ShapeError::new_err(error.to_string()))
    }

    fn no_range(&self, dims: usize, shape: Option<&[usize]>, is_common: bool) -> PyErr {
        let name = &self.definition.name;
        let dimensions = |count: usize| match count {
            1 => "1 dimension".to_owned(),
            count => format!("{count} dimensions"),
        };
        let why = match shape {
            None => "it is called without arrays, so there is no shape to run over".to_owned(),
            Some(shape) if is_common => format!(
                "it is written for {}, but its arrays have {}",
                dimensions(dims),
                dimensions(shape.len())
            ),
            Some(_) => {
                let shapes: Vec<_> = self
                    .named_arrays()
                    .map(|(name, array)| format!("`{name}` is {}", shape_text(array.shape())))
                    .collect();
                format!("its arrays have no common shape: {}", shapes.join(", "))
            }
        };
        let example = ["n", "m, n", "l, m, n"][dims.clamp(1, 3) - 1];
        ShapeError::new_err(format!(
            "kernel `{name}` needs a range\n  why:  {why}\n  help: say how many work-items there are, \
             e.g. `{name}[{example}](...)`"
        ))
    }

    /// What the kernel's IR parameters get. The report comes after everything that is given.
    pub(super) fn passed(
        &self,
        plan: &ParameterPlan,
        report: Option<&Report>,
    ) -> SmallVec<[Argument; 16]> {
        let planned = plan.parameters.iter();
        planned
            .filter_map(|planned| match self.given.get(planned.argument) {
                Some(given) => Some(given.passed(planned.part)),
                None => report.map(Report::argument),
            })
            .collect()
    }
}

impl Given<'_> {
    /// What an IR parameter gets for a part of it.
    fn passed(&self, part: ArgumentPart) -> Argument {
        let index = |value: i64| Argument::Scalar(Literal::I64(value));
        match (self, part) {
            (Self::Scalar { literal, .. }, _) => Argument::Scalar(*literal),
            (Self::Local(local), ArgumentPart::Shape(axis)) => index(local.shape[axis] as i64),
            (Self::Local(local), _) => Argument::Local {
                size_bytes: local.shape.iter().product::<usize>() * local.dtype.size_bytes(),
            },
            // An index object has no parameters; the plan never asks for one.
            (Self::Item(_), _) => index(0),
            (Self::Array(array), ArgumentPart::Shape(axis)) => index(array.shape()[axis] as i64),
            (Self::Array(array), ArgumentPart::Stride(axis)) => {
                index(array.layout().strides()[axis] as i64)
            }
            (Self::Array(array), ArgumentPart::Pointer | ArgumentPart::Scalar) => array.argument(),
        }
    }

    fn ty(&self) -> ArgumentType {
        match self {
            Self::Scalar { literal, .. } => ArgumentType::Scalar(literal.dtype()),
            Self::Item(item) => ArgumentType::Item(*item),
            Self::Local(local) => ArgumentType::Local {
                dtype: local.dtype,
                ndim: local.shape.len(),
            },
            Self::Array(array) => ArgumentType::Array {
                dtype: array.dtype(),
                ndim: array.shape().len(),
                layout: if array.layout().is_contiguous() {
                    Layout::Contiguous
                } else {
                    Layout::Strided
                },
            },
        }
    }

    /// The type as a number: the dtype, and for arrays the dimensions and the layout above it, below
    /// a bit that tells what it is.
    fn code(&self) -> u16 {
        const ARRAY: u16 = 1 << 15;
        const LOCAL: u16 = 1 << 14;
        const ITEM: u16 = 1 << 13;
        match self.ty() {
            ArgumentType::Scalar(dtype) => dtype as u16,
            ArgumentType::Local { dtype, ndim } => LOCAL | dtype as u16 | (ndim as u16) << 5,
            ArgumentType::Item(item) => {
                ITEM | u16::from(item.dims) | u16::from(item.has_groups) << 4
            }
            ArgumentType::Array {
                dtype,
                ndim,
                layout,
            } => ARRAY | dtype as u16 | (ndim as u16) << 5 | (layout as u16) << 4,
        }
    }
}

/// A Python or NumPy number with the dtype it has as an argument, and whether it is Python's; `None` if
/// it is none.
fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<(Literal, bool)>> {
    let python = |literal| Some((literal, true));
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(python(Literal::F64(object.extract()?)));
    }
    if let Ok(value) = object.cast_exact::<PyBool>() {
        return Ok(python(Literal::Bool(value.is_true())));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(integer(object).and_then(python));
    }
    match operand::numpy_scalar(object) {
        Ok(Some(literal)) => return Ok(Some((literal, false))),
        Ok(None) => {}
        // A scalar of a dtype that situ has not is no number.
        Err(error) if error.is_instance_of::<DTypeError>(object.py()) => return Ok(None),
        Err(error) => return Err(error),
    }
    // Subclasses, such as members of an `IntEnum`.
    if object.is_instance_of::<PyInt>() {
        return Ok(integer(object).and_then(python));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(python(Literal::F64(object.extract()?)));
    }
    if object.is_instance_of::<PyComplex>() {
        let real: f64 = object.getattr("real")?.extract()?;
        let imaginary: f64 = object.getattr("imag")?.extract()?;
        let bits = u128::from(real.to_bits()) | (u128::from(imaginary.to_bits()) << 64);
        return Ok(python(Literal::from_bits(DType::C128, bits)));
    }
    let literal = operand::host_scalar(object)?;
    Ok(literal.map(|literal| (literal, false)))
}

/// An integer as a constant; `None` if no dtype holds it.
fn integer(object: &Bound<'_, PyAny>) -> Option<Literal> {
    let signed = object.extract::<i64>().map(Literal::I64);
    signed.or_else(|_| object.extract().map(Literal::U64)).ok()
}

/// Places a call of the kernel.
pub(super) fn placer<'a>(definition: &'a Definition, explicit: Option<&'a Queue>) -> Placer<'a> {
    Placer {
        operation: Operation::Kernel(&definition.name),
        explicit,
    }
}

/// A shape as Python writes it.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        shape => {
            let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}

impl IntoPyErr for situ_ir::RangeError {
    fn into_py_err(self, _: Python<'_>) -> PyErr {
        ShapeError::new_err(format!("cannot launch over this range\n  why:  {self}"))
    }
}
