//! A kernel compiled for one list of argument types and one device.
//!
//! The way from Python to IR depends on the types only, so its result serves all devices that have the same options
//! ([`Meaning`]). Machine code is shared below, by the compile cache: a device and its parts have one target.

use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use situ_codegen::{llvm, opencl_c};
use situ_frontend::{
    ArgumentType, Compiled, Environment, Messages, Options, ParameterPlan, specialize,
};
use situ_ir::text;
use situ_runtime::{Device, Kernel, Program};

use super::arguments::Key;
use super::definition::Definition;
use crate::error::IntoPyErr;
use crate::error::exceptions::{InternalError, KernelError, KernelTypeError};

/// Everything a launch needs to know.
pub(super) struct Specialisation {
    meaning: Arc<Meaning>,
    device: Device,
    kernel: Kernel,
}

/// A function as IR, for one list of argument types.
pub(super) struct Meaning {
    key: Key,
    types: Vec<ArgumentType>,
    options: Options,
    compiled: Compiled,
    messages: Arc<Messages>,
}

impl Meaning {
    /// Compiles a function to IR.
    ///
    /// # Errors
    /// If the function cannot be a kernel for these types.
    pub(super) fn find(
        definition: &Definition,
        environment: &Environment,
        key: Key,
        types: Vec<ArgumentType>,
        options: Options,
    ) -> Result<Self, CompileError> {
        let (source, name) = (&definition.source, &definition.name);
        let compiled = specialize(source, name, &types, environment, options).map_err(|error| {
            CompileError::Frontend {
                signature: signature(name, &types),
                error: Box::new(error),
            }
        })?;
        Ok(Self {
            key,
            types,
            options,
            messages: Arc::new(compiled.messages.clone()),
            compiled,
        })
    }
}

impl Specialisation {
    /// Makes code of a kernel for a device.
    ///
    /// # Errors
    /// If the device cannot run it.
    pub(super) fn compile(meaning: Arc<Meaning>, device: &Device) -> Result<Self, CompileError> {
        let program = Program::compile(device, &meaning.compiled.module);
        let kernel = program.and_then(|program| program.kernel(&meaning.compiled.kernel));
        Ok(Self {
            kernel: kernel.map_err(|error| CompileError::Runtime(Box::new(error)))?,
            device: device.clone(),
            meaning,
        })
    }

    pub(super) fn is_for(&self, device: &Device, key: &Key) -> bool {
        self.meaning.key == *key && self.device == *device
    }

    /// What it was made of, if that is for these types and options.
    pub(super) fn meaning(&self, options: Options, key: &Key) -> Option<&Arc<Meaning>> {
        let meaning = &self.meaning;
        (meaning.options == options && meaning.key == *key).then_some(meaning)
    }

    pub(super) fn dims(&self) -> usize {
        usize::from(self.meaning.compiled.dims)
    }

    pub(super) fn plan(&self) -> &ParameterPlan {
        &self.meaning.compiled.plan
    }

    pub(super) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// What it may say to the host.
    pub(super) fn messages(&self) -> &Arc<Messages> {
        &self.meaning.messages
    }

    /// Which of the function's parameters it writes elements of.
    pub(super) fn written_arguments(&self) -> impl Iterator<Item = usize> {
        let planned = self.plan().parameters.iter();
        let accesses = planned.zip(self.kernel.parameter_access());
        accesses.filter_map(|(planned, access)| access.writes.then_some(planned.argument))
    }

    /// The code in one of its forms, under a line that says what it is for; `None` if the device has no
    /// such form.
    pub(super) fn text(&self, py: Python<'_>, name: &str, form: Form) -> PyResult<Option<String>> {
        let module = &self.meaning.compiled.module;
        let (comment, text) = match form {
            Form::Ir => ("//", text::print(module)),
            Form::Llvm => {
                let options = self.device.llvm_target().cloned().unwrap_or_default();
                let emitted = llvm::emit(module, &options);
                (";", emitted.map_err(|error| error.into_py_err(py))?.text)
            }
            Form::OpenCl => {
                let options = self.device.opencl_target().cloned().unwrap_or_default();
                let emitted = opencl_c::emit(module, &options);
                ("//", emitted.map_err(|error| error.into_py_err(py))?.text)
            }
            Form::Assembly => {
                let Some(assembly) = self.device.assembly(module) else {
                    return Ok(None);
                };
                ("#", assembly.map_err(|error| error.into_py_err(py))?)
            }
        };
        Ok(Some(format!("{comment} {name}{self}\n{text}")))
    }
}

impl fmt::Display for Specialisation {
    /// The types and the target, which a device has in common with its parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.device.root_device().filter_string();
        write!(f, "{} on {target}", signature("", &self.meaning.types))
    }
}

/// What a kernel is on its way to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Ir,
    Llvm,
    OpenCl,
    Assembly,
}

impl Form {
    /// The form that users call so.
    ///
    /// # Errors
    /// `ValueError` for any other name.
    pub(super) fn from_name(name: &str) -> PyResult<Self> {
        match name {
            "ir" => Ok(Self::Ir),
            "llvm" => Ok(Self::Llvm),
            "opencl" => Ok(Self::OpenCl),
            "asm" => Ok(Self::Assembly),
            _ => Err(pyo3::exceptions::PyValueError::new_err(format!(
                "a kernel has no form `{name}`\n  help: choose `ir`, `llvm`, `opencl` or `asm`"
            ))),
        }
    }
}

/// `name(float64[:], int64)`.
fn signature(name: &str, types: &[ArgumentType]) -> String {
    let types: Vec<_> = types.iter().map(ToString::to_string).collect();
    format!("{name}({})", types.join(", "))
}

/// Why there is no specialisation.
pub(super) enum CompileError {
    Frontend {
        /// What was asked for.
        signature: String,
        error: Box<situ_frontend::Error>,
    },
    Runtime(Box<situ_runtime::Error>),
}

impl IntoPyErr for CompileError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        let (signature, error) = match self {
            Self::Runtime(error) => return error.into_py_err(py),
            Self::Frontend { signature, error } => (signature, error),
        };
        exception(format!("kernel {signature}"), *error)
    }
}

/// The exception for a function of the host that cannot be compiled.
pub(crate) fn compile_error(_: Python<'_>, name: &str, error: situ_frontend::Error) -> PyErr {
    exception(format!("njit function `{name}`"), error)
}

fn exception(what: String, error: situ_frontend::Error) -> PyErr {
    let message = format!("cannot compile {what}\n\n{error}");
    match error {
        situ_frontend::Error::Refused(refusal) => {
            let mut diagnostics = refusal.reports.iter().flat_map(|report| &report.list);
            if diagnostics.all(|diagnostic| is_about_types(diagnostic.code)) {
                KernelTypeError::new_err(message)
            } else {
                KernelError::new_err(message)
            }
        }
        _ => InternalError::new_err(message),
    }
}

/// Whether a code is one of those that Python would raise `TypeError` for.
fn is_about_types(code: &str) -> bool {
    code.starts_with("K05") || code.starts_with("K06") || code == "K090"
}

impl IntoPyErr for situ_codegen::Error {
    fn into_py_err(self, _: Python<'_>) -> PyErr {
        KernelError::new_err(self.to_string())
    }
}
