//! A function as its tree, and everything that was compiled of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use situ_frontend::Environment;
use situ_frontend::host::{Liveness, read_host_function};
use situ_frontend::syntax::Function;
use situ_ir::{Source, Span, ValidModule};
use situ_runtime::{Device, Program};

use super::parallel_loops::CachedLoop;
use super::pieces::{CompiledExpression, Decision};
use super::record::Record;
use crate::kernel::{Definition, compile_error, environment};

/// A function that a [`Machine`](super::machine::Machine) can run.
pub(crate) struct HostFunction {
    pub(super) syntax: Function,
    pub(super) source: Source,
    pub(super) liveness: Liveness,
    /// Whether compiled code may compute with floats in another order than it says.
    reorders_floats: bool,
    python: Py<PyAny>,
    environment: PyOnceLock<Environment>,
    /// What is known about runs of statements, by the first of them.
    pub(super) decisions: Mutex<HashMap<Span, Vec<Arc<Decision>>>>,
    /// Expressions of numbers between array operations.
    pub(super) expressions: Mutex<HashMap<Span, Vec<Arc<CompiledExpression>>>>,
    /// Loops over `prange`, by their statement.
    pub(super) loops: Mutex<HashMap<Span, Vec<Arc<CachedLoop>>>>,
    record: Mutex<Vec<Record>>,
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
    ) -> PyResult<Self> {
        let source = definition.source.clone();
        let syntax = read_host_function(&source, &definition.name)
            .map_err(|error| compile_error(py, &definition.name, error))?;
        Ok(Self {
            liveness: Liveness::of(&syntax),
            syntax,
            reorders_floats,
            source,
            python: definition.function.clone_ref(py),
            environment: PyOnceLock::new(),
            decisions: Mutex::default(),
            expressions: Mutex::default(),
            loops: Mutex::default(),
            record: Mutex::default(),
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

    pub(super) fn name(&self) -> &str {
        &self.syntax.name.name
    }

    /// What the names around the function stand for in compiled code.
    pub(super) fn environment(&self, py: Python<'_>) -> PyResult<&Environment> {
        self.environment
            .get_or_try_init(py, || environment::collect(self.python.bind(py)))
    }

    /// The object that a name around the function stands for: a closure variable, a global or a builtin.
    ///
    /// # Errors
    /// `NameError` if there is none.
    pub(super) fn global<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let function = self.python.bind(py);
        let code = function.getattr("__code__")?;
        let free: Vec<String> = code.getattr("co_freevars")?.extract()?;
        if let Some(position) = free.iter().position(|free| free == name) {
            let cell = function.getattr("__closure__")?.get_item(position)?;
            return cell.getattr("cell_contents");
        }
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>()?;
        if let Some(object) = globals.get_item(name)? {
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

    /// What was done so far, as a text.
    pub(super) fn plan(&self, name: &str) -> String {
        let known = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        super::record::text(name, &self.source, &known)
    }
}
