//! A kernel compiled for one list of argument types and one device.

use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use situ_array::device_dtypes;
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
    key: Key,
    types: Vec<ArgumentType>,
    device: Device,
    compiled: Compiled,
    kernel: Kernel,
    messages: Arc<Messages>,
}

impl Specialisation {
    /// Compiles a function.
    ///
    /// # Errors
    /// If the function cannot be a kernel for these types, or the device cannot run it.
    pub(super) fn compile(
        definition: &Definition,
        environment: &Environment,
        key: Key,
        types: Vec<ArgumentType>,
        dims: Option<u8>,
        device: &Device,
    ) -> Result<Self, CompileError> {
        let options = Options {
            default_float: device_dtypes::default_float(device),
            dims,
            wrap_indices: definition.wrap_indices,
        };
        let (source, name) = (&definition.source, &definition.name);
        let compiled = specialize(source, name, &types, environment, options).map_err(|error| {
            CompileError::Frontend {
                signature: signature(name, &types),
                error: Box::new(error),
            }
        })?;
        let program = Program::compile(device, &compiled.module);
        let kernel = program.and_then(|program| program.kernel(&compiled.kernel));
        Ok(Self {
            key,
            types,
            device: device.clone(),
            kernel: kernel.map_err(|error| CompileError::Runtime(Box::new(error)))?,
            messages: Arc::new(compiled.messages.clone()),
            compiled,
        })
    }

    pub(super) fn is_for(&self, device: &Device, key: &Key) -> bool {
        self.key == *key && self.device == *device
    }

    pub(super) fn dims(&self) -> usize {
        usize::from(self.compiled.dims)
    }

    pub(super) fn plan(&self) -> &ParameterPlan {
        &self.compiled.plan
    }

    pub(super) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// What it may say to the host.
    pub(super) fn messages(&self) -> &Arc<Messages> {
        &self.messages
    }

    /// Which of the function's parameters it writes elements of.
    pub(super) fn written_arguments(&self) -> impl Iterator<Item = usize> {
        let planned = self.compiled.plan.parameters.iter();
        let accesses = planned.zip(self.kernel.parameter_access());
        accesses.filter_map(|(planned, access)| access.writes.then_some(planned.argument))
    }

    /// The code in one of its forms, under a line that says what it is for.
    pub(super) fn text(&self, py: Python<'_>, name: &str, form: &str) -> PyResult<String> {
        let module = &self.compiled.module;
        let emitted = match form {
            "ir" => Ok(("//", text::print(module))),
            "llvm" => {
                let options = self.device.llvm_target().cloned().unwrap_or_default();
                llvm::emit(module, &options).map(|emitted| (";", emitted.text))
            }
            "opencl" => {
                let options = self.device.opencl_target().cloned().unwrap_or_default();
                opencl_c::emit(module, &options).map(|emitted| ("//", emitted.text))
            }
            _ => {
                return Err(pyo3::exceptions::PyValueError::new_err(format!(
                    "a kernel has no form `{form}`\n  help: choose `ir`, `llvm` or `opencl`"
                )));
            }
        };
        let (comment, text) = emitted.map_err(|error| error.into_py_err(py))?;
        let title = signature(name, &self.types);
        let device = self.device.filter_string();
        Ok(format!("{comment} {title} on {device}\n{text}"))
    }
}

impl fmt::Display for Specialisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device.filter_string();
        write!(f, "{} on {device}", signature("", &self.types))
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
        let message = format!("cannot compile kernel {signature}\n\n{error}");
        match *error {
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
