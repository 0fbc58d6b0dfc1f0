//! Why an object cannot be an argument of a kernel, and what to pass instead.
//!
//! A kernel takes arrays and numbers. What else is passed is mostly one of a few things, and each has its own way out:
//! a list becomes an array, a function is named in the kernel and not passed to it, text becomes a number.

use pyo3::prelude::*;
use pyo3::types::{
    PyDict, PyFrozenSet, PyInt, PyList, PyNone, PyRange, PySet, PyString, PyTuple, PyType,
};
use situ_array::device_dtypes;
use situ_array::placement::Participant;
use situ_ir::DType;
use situ_runtime::Device;

use super::arguments::placer;
use super::definition::Definition;
use super::{PyDeviceFunction, PyKernel, environment};
use crate::array::PyArray;
use crate::error::IntoPyErr;
use crate::error::exceptions::{InternalError, KernelTypeError};
use crate::njit::PyNjit;
use crate::operand;

/// What somebody tried to pass.
#[derive(Clone, Copy)]
enum Kind {
    Nothing,
    Text,
    /// Something that `situ.asarray` takes.
    Sequence,
    /// A set or dictionary.
    Collection,
    Function,
    Kernel,
    ElementType,
    HugeInteger,
    /// A NumPy scalar or array without dimensions, of a dtype that situ has not.
    ForeignScalar,
    Other,
}

impl Kind {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let is_text = object.is_instance_of::<PyString>();
        let is_sequence = object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
            || object.is_instance_of::<PyRange>();
        let is_collection = object.is_instance_of::<PySet>()
            || object.is_instance_of::<PyFrozenSet>()
            || object.is_instance_of::<PyDict>();
        Ok(if object.is_instance_of::<PyNone>() {
            Self::Nothing
        } else if object.is_instance_of::<PyInt>() {
            Self::HugeInteger
        } else if is_text {
            Self::Text
        } else if is_sequence {
            Self::Sequence
        } else if is_collection {
            Self::Collection
        } else if object.is_instance_of::<PyKernel>() {
            Self::Kernel
        } else if is_element_type(object)? {
            Self::ElementType
        } else if object.hasattr("__array_interface__")? {
            Self::ForeignScalar
        } else if is_function(object) {
            Self::Function
        } else {
            Self::Other
        })
    }
}

/// Whether an object says what elements are: a dtype, a scalar type, or one of Python's number types.
fn is_element_type(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = object.cast::<PyType>().ok().map(PyTypeMethods::name);
    let name = name.transpose()?.map(|name| name.to_string());
    let is_number_type = matches!(name.as_deref(), Some("bool" | "int" | "float" | "complex"));
    Ok(is_number_type || environment::element_type(object)?.is_some())
}

fn is_function(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyDeviceFunction>()
        || object.is_instance_of::<PyNjit>()
        || (object.is_callable() && object.hasattr("__name__").unwrap_or(false))
}

/// Why the object at a position cannot be an argument.
pub(super) fn refusal(
    definition: &Definition,
    objects: &[Bound<'_, PyAny>],
    position: usize,
) -> PyErr {
    let object = &objects[position];
    let kind = match Kind::of(object) {
        Ok(Kind::ForeignScalar | Kind::Other) if is_array(object) => {
            return host_array_refusal(definition, objects);
        }
        Ok(kind) => kind,
        Err(error) => return error,
    };
    let name = definition.parameter_name(position);
    let kernel = &definition.name;
    let what = description(object, kind);
    let (why, help) = advice(kind, name, object, queue_of(definition, objects));
    KernelTypeError::new_err(format!(
        "argument `{name}` of kernel `{kernel}` is {what}\n  why:  a kernel takes situ arrays and \
         numbers{why}\n  help: {help}"
    ))
}

/// Whether it is an array of the host with dimensions, which placement has words for.
fn is_array(object: &Bound<'_, PyAny>) -> bool {
    let dims = object.getattr("ndim").and_then(|ndim| ndim.extract());
    operand::is_host_array(object) && dims.unwrap_or(1_usize) > 0
}

/// `, queue=x.queue` if the kernel is called with an array `x`, whose queue others have to join.
fn queue_of(definition: &Definition, objects: &[Bound<'_, PyAny>]) -> String {
    let is_array = |object: &Bound<'_, PyAny>| object.is_instance_of::<PyArray>();
    let first = objects.iter().position(is_array);
    first.map_or_else(String::new, |first| {
        format!(", queue={}.queue", definition.parameter_name(first))
    })
}

fn description(object: &Bound<'_, PyAny>, kind: Kind) -> String {
    let class = object.get_type().name();
    let class = class.map_or_else(|_| "object".to_owned(), |name| name.to_string());
    let own_name = object.getattr("__name__").and_then(|name| name.extract());
    let own_name: String = own_name.unwrap_or_default();
    match kind {
        Kind::Nothing => "`None`".to_owned(),
        Kind::Text => "text, a `str`".to_owned(),
        Kind::Function if own_name == "<lambda>" => "a lambda".to_owned(),
        Kind::Function => format!("a function, `{own_name}`"),
        Kind::Kernel => format!("a kernel, `{own_name}`"),
        Kind::ElementType if own_name.is_empty() => format!("a dtype, `{object}`"),
        Kind::ElementType => format!("a dtype, `{own_name}`"),
        Kind::HugeInteger => format!("too large an integer, {}", shortened(object)),
        Kind::ForeignScalar => {
            let dtype = object.getattr("dtype").map(|dtype| dtype.to_string());
            format!("a NumPy scalar of dtype {}", dtype.unwrap_or_default())
        }
        Kind::Sequence | Kind::Collection | Kind::Other => match class.chars().next() {
            Some('a' | 'e' | 'i' | 'o' | 'A' | 'E' | 'I' | 'O') => format!("an `{class}`"),
            _ => format!("a `{class}`"),
        },
    }
}

/// An integer in a few digits.
fn shortened(object: &Bound<'_, PyAny>) -> String {
    const SHOWN: usize = 24;
    // Python refuses to write very long ones.
    let digits = object.str().map(|text| text.to_string());
    match digits {
        Ok(digits) if digits.len() <= SHOWN => format!("`{digits}`"),
        Ok(digits) => format!("`{}...` of {} characters", &digits[..SHOWN], digits.len()),
        Err(_) => "of thousands of digits".to_owned(),
    }
}

/// What is to be said after "a kernel takes situ arrays and numbers", and what to do.
fn advice(
    kind: Kind,
    name: &str,
    object: &Bound<'_, PyAny>,
    queue: String,
) -> (&'static str, String) {
    match kind {
        Kind::Nothing => (
            "; `None` is neither",
            format!(
                "pass a number or an array for `{name}`; if it came from a function, that one may \
                 have forgotten its `return`"
            ),
        ),
        Kind::Text => (
            "; text has no place on a device",
            "pass a number that stands for it, e.g. a member of an `enum.IntEnum`, or choose between \
             two kernels before the launch"
                .to_owned(),
        ),
        Kind::Sequence => {
            let is_empty = object.len().is_ok_and(|len| len == 0);
            let dtype = if is_empty { ", dtype=\"float64\"" } else { "" };
            (
                "; this is a Python object with other objects in it",
                format!("make an array of it, e.g. `{name} = situ.asarray({name}{dtype}{queue})`"),
            )
        }
        Kind::Collection => (
            "; this is a Python object with other objects in it",
            format!(
                "pass the numbers in it one by one, or an array of them, e.g. \
                 `situ.asarray(sorted({name}){queue})`"
            ),
        ),
        Kind::Function => (
            "; a function is compiled into the kernel, so it cannot be chosen at a launch",
            format!(
                "write it as a `def` decorated with `@situ.device_func`, and call it in the kernel by its own \
                 name instead of `{name}`; a function that makes the kernel can choose which"
            ),
        ),
        Kind::Kernel => (
            "; a launch belongs to the host, and a kernel cannot launch another one",
            "launch both, one after the other; what they share goes into a function decorated with \
             `@situ.device_func`"
                .to_owned(),
        ),
        Kind::ElementType => (
            "; kernels are compiled for the dtypes of their arrays",
            "use `x.dtype` of an array `x` in the kernel, or a global name that stands for the dtype"
                .to_owned(),
        ),
        Kind::HugeInteger => (
            ", and the widest integers are `int64` and `uint64`",
            format!("pass a float, `float({name})`, or cut it into pieces"),
        ),
        Kind::ForeignScalar => (
            " of situ's dtypes",
            format!("pass a number, e.g. `{name}.astype(\"int64\")` or `float({name})`"),
        ),
        Kind::Other => (
            "; a Python object has no place on a device",
            "pass the arrays and numbers that it holds, each for a parameter of its own".to_owned(),
        ),
    }
}

/// What placement says about host arrays among the arguments.
fn host_array_refusal(definition: &Definition, objects: &[Bound<'_, PyAny>]) -> PyErr {
    let participants = objects.iter().map(|object| match object.cast::<PyArray>() {
        Ok(array) => Participant::Array(array.get().array()),
        Err(_) if operand::is_host_array(object) => Participant::HostArray,
        Err(_) => Participant::Scalar,
    });
    let names = (0..objects.len()).map(|position| definition.parameter_name(position));
    let placement = placer(definition, None).place(names.zip(participants));
    match (placement, objects.first()) {
        (Err(error), Some(object)) => error.into_py_err(object.py()),
        _ => InternalError::new_err("situ broke one of its own rules: a host array was placed"),
    }
}

/// Why a NumPy number cannot be passed to a device that does not have its dtype.
pub(crate) fn missing_dtype(subject: &str, name: &str, dtype: DType, device: &Device) -> PyErr {
    let instead = device_dtypes::nearest(dtype, device);
    let python = if dtype.is_complex() {
        "complex"
    } else {
        "float"
    };
    KernelTypeError::new_err(format!(
        "{subject} is a {dtype}, which {} does not have\n  why:  a NumPy number keeps its dtype; a Python number takes one \
         that the device has\n  help: pass `{python}({name})` or `np.{instead}({name})`, or use another device: `situ devices` \
         lists what each can do",
        device.filter_string(),
    ))
}
