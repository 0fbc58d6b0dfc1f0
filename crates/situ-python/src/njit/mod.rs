//! `situ.njit`: Python functions that use arrays, run without the Python interpreter.
//!
//! A function is read from its source once. A call walks its statements: work on whole arrays goes to the array
//! library, where expressions wait until somebody looks at them and then become one kernel (`expression_node`); runs of
//! statements that work with numbers and elements become compiled code (`pieces`), and so do loops over `prange`
//! (`parallel_loops`). What is compiled depends on the types that are met, so it is compiled when it is reached for the
//! first time with them. `docs/design/0023-njit.md` says why it is done this way.

mod arithmetic;
mod array_loops;
mod array_work;
mod calls;
mod expression_node;
mod expressions;
mod foresight;
mod function;
mod loop_items;
mod loop_plans;
mod machine;
mod parallel_loops;
mod pieces;
mod record;
mod rounds;
mod value;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::error::exceptions::KernelError;
use crate::error::guard;
use crate::kernel::{Definition, FrozenNames};
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
    known: Mutex<Known>,
    /// Whether a call has returned, so that what is known stays.
    is_settled: AtomicBool,
}

/// What is known of a function since its first call.
#[derive(Default)]
struct Known {
    /// What the names around it stood for.
    names: Option<Arc<FrozenNames>>,
    /// The function as its tree.
    function: Option<Arc<HostFunction>>,
    /// The same for calls with functions among the arguments, which are part of what is compiled.
    fixed: Vec<Arc<HostFunction>>,
}

/// How many calls with different functions among the arguments are remembered.
const MAX_FIXED: usize = 64;

#[pymethods]
impl PyNjit {
    /// Made by `situ.njit`, which reads the source.
    #[new]
    #[pyo3(signature = (function, text, file, line, *, fastmath = false, boundscheck = false))]
    fn new(
        function: &Bound<'_, PyAny>,
        text: String,
        file: String,
        line: u32,
        fastmath: bool,
        boundscheck: bool,
    ) -> PyResult<Self> {
        guard(|| {
            let mut definition = Definition::new(function, text, file, line)?;
            definition.check_bounds = boundscheck;
            Ok(Self {
                reorders_floats: fastmath,
                definition,
                known: Mutex::default(),
                is_settled: AtomicBool::new(false),
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
            let result = self.run(py, values, 0);
            let result = result.map_err(|error| as_numbas(py, error))?;
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
            let fixed = self.known().fixed.clone();
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
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the names around the function stand for: looked up once, since compiled code contains it.
    pub(crate) fn names(&self, py: Python<'_>) -> PyResult<Arc<FrozenNames>> {
        if let Some(names) = &self.known().names {
            return Ok(Arc::clone(names));
        }
        let names = Arc::new(FrozenNames::of(self.definition.function.bind(py))?);
        // Another thread may have been quicker; then its names serve both.
        Ok(Arc::clone(self.known().names.get_or_insert(names)))
    }

    /// The function as its tree, read when it is first needed.
    pub(crate) fn function(&self, py: Python<'_>) -> PyResult<Arc<HostFunction>> {
        if let Some(function) = &self.known().function {
            return Ok(Arc::clone(function));
        }
        let made = Arc::new(self.read(py, Vec::new())?);
        Ok(Arc::clone(self.known().function.get_or_insert(made)))
    }

    fn read(&self, py: Python<'_>, fixed: Vec<(String, Py<PyAny>)>) -> PyResult<HostFunction> {
        let names = self.names(py)?;
        HostFunction::read(py, &self.definition, self.reorders_floats, fixed, names)
    }

    /// Calls the function with values for all of its parameters, inside of so many other calls.
    fn run(&self, py: Python<'_>, values: Vec<Value>, depth: usize) -> PyResult<Value> {
        let function = self.function_for(py, &values)?;
        let mut machine = Machine::new(py, &function);
        machine.depth = depth;
        let result = machine.call(values);
        match &result {
            Ok(_) => self.settle(py),
            Err(_) => self.forget(py),
        }
        result
    }

    /// Keeps what is known for good: a call has returned.
    fn settle(&self, py: Python<'_>) {
        if self.is_settled.swap(true, Ordering::Relaxed) {
            return;
        }
        let names = self.known().names.clone();
        if let Some(names) = names {
            names.for_each_njit(py, &mut |function| function.settle(py));
        }
    }

    /// Forgets what is known, unless a call has returned: whoever corrects a global that a call has failed for expects
    /// the next call to see it.
    fn forget(&self, py: Python<'_>) {
        if self.is_settled.load(Ordering::Relaxed) {
            return;
        }
        let known = std::mem::take(&mut *self.known());
        if let Some(names) = known.names {
            names.for_each_njit(py, &mut |function| function.forget(py));
        }
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
            return self.function(py);
        }
        let is_same = |function: &&Arc<HostFunction>| {
            function.fixed.len() == fixed.len()
                && function
                    .fixed
                    .iter()
                    .zip(&fixed)
                    .all(|(known, given)| known.0 == given.0 && known.1.is(&given.1))
        };
        if let Some(found) = self.known().fixed.iter().find(is_same) {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(self.read(py, fixed)?);
        let mut known = self.known();
        if known.fixed.len() == MAX_FIXED {
            known.fixed.remove(0);
        }
        known.fixed.push(Arc::clone(&made));
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
