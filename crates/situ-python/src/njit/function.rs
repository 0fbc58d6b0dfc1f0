//! A function as its tree, and everything that was compiled of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use situ_frontend::host::{Liveness, assigned_names, is_made_name, read_host_function, read_names};
use situ_frontend::syntax::Function;
use situ_frontend::{Environment, Options, Purpose};
use situ_ir::{Source, Span, ValidModule};
use situ_runtime::config::process_config;
use situ_runtime::{Device, Program};

use super::foresight::Place;
use super::loop_plans::LoopPlan;
use super::parallel_loops::CachedLoop;
use super::pieces::{CompiledExpression, Decision};
use super::record::{NotedKernel, Record};
use super::value::{Origin, Value};
use crate::array::PyArray;
use crate::error::exceptions::KernelTypeError;
use crate::kernel::{Definition, FrozenNames, compile_error, environment, quoted};
use crate::operand;

/// A function that a [`Machine`](super::machine::Machine) can run.
pub(crate) struct HostFunction {
    pub(super) syntax: Function,
    pub(super) source: Source,
    pub(super) liveness: Liveness,
    /// Whether compiled code may compute with floats in another order than it says.
    reorders_floats: bool,
    /// Whether `boundscheck=True` was asked for.
    check_bounds: bool,
    python: Py<PyAny>,
    /// What the names around it stood for at the first call.
    names: Arc<FrozenNames>,
    /// Names that the function gives a value: parameters, and what it assigns.
    own_names: BTreeSet<String>,
    /// Names of arrays around the function, found at the first call.
    array_names: PyOnceLock<Vec<String>>,
    /// Parameters that stand for functions and other objects in every call: compiled code knows them by name.
    pub(super) fixed: Vec<(String, Py<PyAny>)>,
    environment: PyOnceLock<Environment>,
    /// What is known about runs of statements, by the first of them.
    pub(super) decisions: Mutex<BTreeMap<Span, Vec<Arc<Decision>>>>,
    /// Expressions of numbers between array operations.
    pub(super) expressions: Mutex<BTreeMap<Span, Vec<Arc<CompiledExpression>>>>,
    /// Loops over `prange`, by their statement.
    pub(super) loops: Mutex<BTreeMap<Span, Vec<Arc<CachedLoop>>>>,
    /// What becomes of them.
    pub(super) loop_plans: Mutex<BTreeMap<Span, Vec<Arc<LoopPlan>>>>,
    /// Where the arguments of calls were that have been looked through.
    pub(super) foreseen: Mutex<Vec<Vec<Place>>>,
    record: Mutex<Vec<Record>>,
    /// Kernels in the record. They are looked for in each call, and words take time.
    noted_kernels: Mutex<Vec<NotedKernel>>,
}

impl HostFunction {
    /// Reads a function from its source.
    ///
    /// # Errors
    /// `KernelError` for Python that cannot be compiled.
    pub(super) fn read(
        py: Python<'_>,
        definition: &Definition,
        reorders_floats: bool,
        fixed: Vec<(String, Py<PyAny>)>,
        names: Arc<FrozenNames>,
    ) -> PyResult<Self> {
        let source = definition.source.clone();
        let syntax = read_host_function(&source, &definition.name)
            .map_err(|error| compile_error(py, &definition.name, error))?;
        let own = assigned_names(&syntax.body).into_iter();
        let parameters = syntax.parameters.iter().map(|each| each.name.as_str());
        let own_names = own.chain(parameters).map(str::to_owned).collect();
        Ok(Self {
            own_names,
            array_names: PyOnceLock::new(),
            liveness: Liveness::of(&syntax),
            syntax,
            reorders_floats,
            check_bounds: definition.check_bounds,
            source,
            fixed,
            names,
            python: definition.function.clone_ref(py),
            environment: PyOnceLock::new(),
            decisions: Mutex::default(),
            expressions: Mutex::default(),
            loops: Mutex::default(),
            loop_plans: Mutex::default(),
            foreseen: Mutex::default(),
            record: Mutex::default(),
            noted_kernels: Mutex::default(),
        })
    }

    /// Arguments of a call in the order of the parameters.
    ///
    /// # Errors
    /// `KernelTypeError` if arguments and parameters do not fit.
    pub(super) fn bound(
        &self,
        py: Python<'_>,
        arguments: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> PyResult<Vec<Value>> {
        bound(&self.syntax, arguments, named, |from_end| {
            let default = self.default(py, from_end)?;
            default
                .map(|object| Value::from_python(&object, Origin::Situ))
                .transpose()
        })
    }

    /// Compiles a piece of it for a device.
    ///
    /// # Errors
    /// If the device cannot run it.
    pub(super) fn program(
        &self,
        device: &Device,
        module: &ValidModule,
    ) -> situ_runtime::Result<Arc<Program>> {
        if self.reorders_floats {
            Program::compile_reordered(device, module)
        } else {
            Program::compile(device, module)
        }
    }

    /// Whether elements outside of arrays raise exceptions.
    pub(super) fn checks_bounds(&self) -> bool {
        self.check_bounds || process_config().check_bounds
    }

    /// How it is compiled.
    pub(super) fn options(&self) -> Options {
        Options {
            wrap_indices: true,
            check_bounds: self.checks_bounds(),
            purpose: Purpose::Host,
            ..Options::default()
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.syntax.name.name
    }

    /// Whether a name is one of the function's own, whatever it stands for around it.
    pub(super) fn is_own(&self, name: &str) -> bool {
        let is_fixed = |(fixed, _): &(String, Py<PyAny>)| fixed == name;
        self.own_names.contains(name) && !self.fixed.iter().any(is_fixed)
    }

    /// Names of arrays around the function that it reads.
    ///
    /// # Errors
    /// What Python raises while its objects are looked at.
    pub(super) fn array_names(&self, py: Python<'_>) -> PyResult<&[String]> {
        let names = self.array_names.get_or_try_init(py, || {
            let mut names = Vec::new();
            for name in read_names(&self.syntax.body) {
                if self.own_names.contains(name) || is_made_name(name) {
                    continue;
                }
                // What is not defined is somebody else's to report.
                let is_array = |object: &Bound<'_, PyAny>| {
                    object.is_instance_of::<PyArray>() || operand::is_numpy_array(object)
                };
                if self.global(py, name).is_ok_and(|object| is_array(&object)) {
                    names.push(name.to_owned());
                }
            }
            PyResult::Ok(names)
        })?;
        Ok(names)
    }

    /// What the names around the function stand for in compiled code.
    pub(super) fn environment(&self, py: Python<'_>) -> PyResult<&Environment> {
        self.environment.get_or_try_init(py, || {
            environment::collect_frozen(py, &self.names, &self.fixed)
        })
    }

    /// The default of a parameter; `None` if it has none.
    ///
    /// # Errors
    /// What Python raises.
    pub(super) fn default<'py>(
        &self,
        py: Python<'py>,
        position: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let python = self.python.bind(py);
        if position >= self.syntax.positional {
            let defaults = python.getattr("__kwdefaults__")?;
            let name = &self.syntax.parameters[position].name;
            return match defaults.cast_into::<PyDict>() {
                Ok(defaults) => defaults.get_item(name),
                Err(_) => Ok(None),
            };
        }
        let Ok(defaults) = python.getattr("__defaults__")?.cast_into::<PyTuple>() else {
            return Ok(None);
        };
        let place = (position + defaults.len()).checked_sub(self.syntax.positional);
        place.map(|place| defaults.get_item(place)).transpose()
    }

    /// An attribute of a module or class around the function.
    ///
    /// # Errors
    /// What Python raises.
    pub(super) fn member<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.names.member(object, name)
    }

    /// The object that a name around the function stands for: a closure variable, a global or a builtin.
    ///
    /// # Errors
    /// `NameError` if there is none.
    pub(super) fn global<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some((_, object)) = self.fixed.iter().find(|(fixed, _)| fixed == name) {
            return Ok(object.bind(py).clone());
        }
        if let Some(object) = self.names.get(py, name) {
            return Ok(object);
        }
        if let Some(object) = py.import("builtins")?.getattr_opt(name)? {
            return Ok(object);
        }
        Err(pyo3::exceptions::PyNameError::new_err(format!(
            "name `{name}` is not defined\n  why:  njit function `{}` uses it, and neither it nor \
             anything around it assigns it\n  help: check the spelling, or define it before the first call",
            self.name()
        )))
    }

    /// The line that a place of the source is in.
    pub(super) fn line(&self, span: Span) -> u32 {
        self.source.location(span.start).line
    }

    /// Remembers what was done, once.
    pub(super) fn note(&self, record: Record) {
        let mut known = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&record) {
            known.push(record);
        }
    }

    /// Remembers a kernel, once.
    pub(super) fn note_kernel(&self, kernel: NotedKernel) {
        let known = self.noted_kernels.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if known.contains(&kernel) {
            return;
        }
        self.note(kernel.record());
        known.push(kernel);
    }

    /// Whether a call has run.
    pub(super) fn has_run(&self) -> bool {
        let known = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        !known.is_empty()
    }

    /// What was done so far, as a text.
    pub(super) fn plan(&self, name: &str) -> String {
        let known = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        super::record::text(name, &self.source, &known)
    }
}

/// Arguments in the order of the parameters: some by name, those that `*args` takes as a tuple, and defaults for those
/// that are not given. `default` gives that of the parameter at a position.
pub(super) fn bound(
    syntax: &Function,
    arguments: Vec<Value>,
    mut named: Vec<(String, Value)>,
    mut default: impl FnMut(usize) -> PyResult<Option<Value>>,
) -> PyResult<Vec<Value>> {
    let name = &syntax.name.name;
    let parameters = || quoted(syntax.parameters.iter().map(|each| &each.name));
    let found = arguments.len() + named.len();
    let mut given = arguments.into_iter().peekable();
    let mut values = Vec::with_capacity(syntax.parameters.len());
    for (position, parameter) in syntax.parameters.iter().enumerate() {
        if syntax.is_variadic && position == syntax.positional {
            values.push(Value::Tuple(given.by_ref().collect()));
            continue;
        }
        let by_position = given.next_if(|_| position < syntax.positional);
        let place = named.iter().position(|(name, _)| *name == parameter.name);
        let value = match (by_position, place) {
            (Some(value), _) => Some(value),
            (None, Some(place)) => Some(named.swap_remove(place).1),
            (None, None) => default(position)?,
        };
        let Some(value) = value else {
            return Err(KernelTypeError::new_err(format!(
                "njit function `{name}` is called without an argument for `{}`\n  why:  its parameters are {}, and \
                 `{}` has no default\n  help: pass one argument for each that has no default",
                parameter.name,
                parameters(),
                parameter.name,
            )));
        };
        values.push(value);
    }
    if let Some((given, _)) = named.first() {
        return Err(KernelTypeError::new_err(format!(
            "njit function `{name}` has no parameter `{given}`, or was given it twice\n  why:  its parameters are \
             {}\n  help: pass one argument for each",
            parameters()
        )));
    }
    if given.next().is_some() {
        return Err(KernelTypeError::new_err(format!(
            "njit function `{name}` takes {} arguments, but {found} were given\n  why:  its parameters are {}\n  \
             help: pass one argument for each",
            syntax.parameters.len(),
            parameters()
        )));
    }
    Ok(values)
}
