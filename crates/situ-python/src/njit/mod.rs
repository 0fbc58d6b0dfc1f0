//! `situ.njit`: Python functions that use arrays, run without the Python interpreter.
//!
//! A function is read from its source once. A call walks its statements: work on whole arrays goes to the array
//! library, where expressions wait until somebody looks at them and then become one kernel (`expression_node`); runs of
//! statements that work with numbers and elements become compiled code (`pieces`), and so do loops over `prange`
//! (`parallel_loops`). What is compiled depends on the types that are met, so it is compiled when it is reached for the
//! first time with them. `docs/design/0023-njit.md` says why it is done this way.

mod arithmetic;
mod array_work;
mod calls;
mod expression_node;
mod expressions;
mod foresight;
mod function;
mod loop_items;
mod machine;
mod parallel_loops;
mod pieces;
mod record;
mod rounds;
mod value;

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::error::exceptions::KernelError;
use crate::error::guard;
use crate::kernel::Definition;
use crate::operand;
use function::HostFunction;
use machine::Machine;
use value::{Origin, Value};

/// A Python function that runs without the Python interpreter.
// The dictionary holds the function's docstring and module; getters would hide the class's.
#[pyclass(frozen, dict, name = "NjitFunction", module = "situ")]
pub(crate) struct PyNjit {
    pub(crate) definition: Definition,
    /// Whether compiled code may compute with floats in another order than it says.
    reorders_floats: bool,
    /// Read at the first call.
    function: PyOnceLock<Arc<HostFunction>>,
    /// The same for calls with functions among the arguments, which are part of what is compiled.
    fixed: Mutex<Vec<Arc<HostFunction>>>,
}

/// How many calls with different functions among the arguments are remembered.
const MAX_FIXED: usize = 64;

#[pymethods]
impl PyNjit {
    /// Made by `situ.njit`, which reads the source.
    #[new]
    #[pyo3(signature = (function, text, file, line, *, fastmath = false))]
    fn new(
        function: &Bound<'_, PyAny>,
        text: String,
        file: String,
        line: u32,
        fastmath: bool,
    ) -> PyResult<Self> {
        guard(|| {
            Ok(Self {
                reorders_floats: fastmath,
                definition: Definition::new(function, text, file, line)?,
                function: PyOnceLock::new(),
                fixed: Mutex::default(),
            })
        })
    }

    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        guard(|| {
            let arguments = self.bound_arguments(py, arguments, keywords)?;
            let visit = Visit::of(py, &self.definition, &arguments)?;
            let mut values = Vec::with_capacity(arguments.len());
            for (position, object) in arguments.iter().enumerate() {
                values.push(match &visit {
                    Some(visit) => visited(object, &visit.arguments[position])?,
                    None => Value::from_python(object, Origin::Situ)?,
                });
            }
            let function = self.function_for(py, &values);
            let function = function.map_err(|error| as_numbas(py, error))?;
            let result = Machine::new(py, &function)
                .call(values)
                .map_err(|error| as_numbas(py, error))?;
            let result = result.to_python(py)?;
            if let Some(visit) = &visit {
                visit.end()?;
            }
            Ok(result)
        })
    }

    /// What was compiled and where it runs, line by line.
    fn inspect(&self, py: Python<'_>) -> PyResult<String> {
        guard(|| {
            let name = &self.definition.name;
            let plain = self.function(py)?;
            let fixed = self.fixed.lock().unwrap_or_else(PoisonError::into_inner);
            let others = fixed.iter().map(|function| function.plan(name));
            if plain.has_run() || fixed.is_empty() {
                return Ok(std::iter::once(plain.plan(name)).chain(others).collect());
            }
            Ok(others.collect())
        })
    }

    /// The Python function.
    #[getter]
    fn py_func(&self, py: Python<'_>) -> Py<PyAny> {
        self.definition.function.clone_ref(py)
    }

    #[getter]
    fn __wrapped__(&self, py: Python<'_>) -> Py<PyAny> {
        self.definition.function.clone_ref(py)
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.definition.name
    }

    #[getter]
    fn __qualname__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.definition.attribute(py, "__qualname__")
    }

    fn __repr__(&self) -> String {
        let parameters = self.definition.parameters.join(", ");
        format!("<situ.njit {}({parameters})>", self.definition.name)
    }
}

impl PyNjit {
    /// The function as its tree, read when it is first needed.
    pub(crate) fn function(&self, py: Python<'_>) -> PyResult<&Arc<HostFunction>> {
        self.function.get_or_try_init(py, || {
            let read = HostFunction::read(py, &self.definition, self.reorders_floats, Vec::new());
            read.map(Arc::new)
        })
    }

    /// The function for arguments: functions among them are part of it.
    fn function_for(&self, py: Python<'_>, values: &[Value]) -> PyResult<Arc<HostFunction>> {
        let mut fixed = Vec::new();
        for (position, value) in values.iter().enumerate() {
            if let Value::Object(object) = value
                && object.bind(py).is_callable()
            {
                let name = self.definition.parameter_name(position).to_string();
                fixed.push((name, object.clone_ref(py)));
            }
        }
        if fixed.is_empty() {
            return self.function(py).cloned();
        }
        let mut known = self.fixed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |function: &&Arc<HostFunction>| {
            function.fixed.len() == fixed.len()
                && function
                    .fixed
                    .iter()
                    .zip(&fixed)
                    .all(|(known, given)| known.0 == given.0 && known.1.is(&given.1))
        };
        if let Some(found) = known.iter().find(is_same) {
            return Ok(Arc::clone(found));
        }
        let made = HostFunction::read(py, &self.definition, self.reorders_floats, fixed)?;
        let made = Arc::new(made);
        if known.len() == MAX_FIXED {
            known.remove(0);
        }
        known.push(Arc::clone(&made));
        Ok(made)
    }

    /// The arguments in the order of the parameters, with defaults for those that are not given.
    fn bound_arguments<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let has_keywords = keywords.is_some_and(|keywords| !keywords.is_empty());
        let is_simple = self.definition.is_plain && !has_keywords;
        if is_simple && arguments.len() == self.definition.parameters.len() {
            return Ok(arguments.iter().collect());
        }
        let module = py.import("situ._njit")?;
        let function = self.definition.function.bind(py);
        let bound = module.call_method1("bound_arguments", (function, arguments, keywords))?;
        bound.extract()
    }
}

/// An error of the compiler as one that code written for Numba catches, if the program uses Numba.
fn as_numbas(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<KernelError>(py) {
        return error;
    }
    let numbas = py
        .import("situ._numba")
        .and_then(|module| module.call_method1("numba_error", (error.value(py),)));
    match numbas {
        Ok(value) => PyErr::from_value(value),
        Err(_) => error,
    }
}

/// Whether an argument is an array of NumPy's, or has one among its items.
fn has_numpy_array(object: &Bound<'_, PyAny>) -> bool {
    if let Ok(items) = object.cast::<PyTuple>() {
        return items.iter().any(|item| has_numpy_array(&item));
    }
    if let Ok(items) = object.cast::<PyList>() {
        return items.iter().any(|item| has_numpy_array(&item));
    }
    operand::is_numpy_array(object)
}

/// The value of an argument, given the same with situ arrays for those of NumPy's.
fn visited(object: &Bound<'_, PyAny>, visitor: &Bound<'_, PyAny>) -> PyResult<Value> {
    if operand::is_numpy_array(object) {
        return Value::from_python(visitor, Origin::NumPy);
    }
    if !has_numpy_array(object) {
        return Value::from_python(object, Origin::Situ);
    }
    let items = object.try_iter()?.zip(visitor.try_iter()?);
    let items = items.map(|(item, visitor)| visited(&item?, &visitor?));
    Ok(Value::Tuple(items.collect::<PyResult<_>>()?))
}

/// Arrays of NumPy's among the arguments, where compiled code can reach them.
struct Visit<'py> {
    arguments: Vec<Bound<'py, PyAny>>,
    visit: Bound<'py, PyAny>,
}

impl<'py> Visit<'py> {
    /// Brings the arrays of NumPy's to the native device; `None` if there are none.
    fn of(
        py: Python<'py>,
        definition: &Definition,
        objects: &[Bound<'py, PyAny>],
    ) -> PyResult<Option<Self>> {
        if !objects.iter().any(has_numpy_array) {
            return Ok(None);
        }
        let named: Vec<_> = objects
            .iter()
            .enumerate()
            .map(|(position, object)| (definition.parameter_name(position), object))
            .collect();
        let module = py.import("situ._njit")?;
        let visit = module.call_method1("visit", (&definition.name, named))?;
        Ok(Some(Self {
            arguments: visit.getattr("arguments")?.extract()?,
            visit,
        }))
    }

    /// Gives back what was written to copies.
    fn end(&self) -> PyResult<()> {
        self.visit.call_method0("end").map(drop)
    }
}
