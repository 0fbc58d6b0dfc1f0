//! From a Python function and the types of its arguments to a kernel.
//!
//! A kernel is compiled anew for each list of argument types (its *specialisation*); what the names
//! around it stand for is fixed at that moment. The result does not depend on shapes, addresses,
//! queues or devices, so one specialisation serves them all.

use situ_ir::transform::drop_index_wraps;
use situ_ir::{DType, Diagnostic, Diagnostics, Module, Source, ValidModule, validate};

use crate::environment::Environment;
use crate::error::{Error, Refusal};
use crate::infer::{Failure, Inferred, ParameterType, Program, Subject, infer, problems};
use crate::lower::lower;
use crate::message::Messages;
use crate::parse::parse_function;
use crate::plan::{ArgumentPart, ArgumentType, ParameterPlan};
use crate::stack::with_stack;

/// Choices that change the meaning of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The dtype of Python floats that meet nothing else, and of `/` between integers. `float64`,
    /// or `float32` for devices without `float64`.
    pub default_float: DType,
    /// Dimensions of the range it is launched over, 1 to 3, for kernels that ask for all of them
    /// together (`get_global_linear_id`); 1 if `None`.
    pub dims: Option<u8>,
    /// Whether an index that is negative at run time counts from the end, as in Python.
    pub wrap_indices: bool,
    /// Whether accesses outside of arrays are skipped and reported.
    pub check_bounds: bool,
    /// What it is compiled for.
    pub purpose: Purpose,
}

/// What code is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Work-items of a device.
    #[default]
    Kernel,
    /// The host. There an exception ends callers, too, and a variable that some path does not assign is zero, as for
    /// Numba; kernels refuse those.
    Host,
    /// The host, with array expressions written out as loops as far as that is possible.
    HostArrays,
}

impl Options {
    /// Whether it is code of the host.
    pub fn is_host(self) -> bool {
        self.purpose != Purpose::Kernel
    }

    /// Whether array expressions are written out.
    pub fn writes_out_arrays(self) -> bool {
        self.purpose == Purpose::HostArrays
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            default_float: DType::F64,
            dims: None,
            wrap_indices: false,
            check_bounds: false,
            purpose: Purpose::Kernel,
        }
    }
}

/// A kernel for one list of argument types.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The IR: the kernel and the device functions it calls.
    pub module: ValidModule,
    /// The kernel's name in the module.
    pub kernel: String,
    /// Dimensions of the ranges it is launched over, 1 to 3.
    pub dims: u8,
    /// The Python function's parameters, by name.
    pub parameters: Vec<String>,
    /// How arguments become the kernel's IR parameters.
    pub plan: ParameterPlan,
    /// What it may say. If that is anything, the report comes after the user's arguments.
    pub messages: Messages,
}

/// Compiles the function called `name` in `source` for these arguments.
///
/// ```
/// use situ_frontend::{ArgumentType, Environment, Layout, Options, specialize};
/// use situ_frontend::{Binding, KnownModule};
/// use situ_ir::{DType, Source};
///
/// let source = Source::new(
///     "double.py",
///     "def double(x):\n    i = situ.get_global_id(0)\n    x[i] = 2 * x[i]\n",
/// );
/// let mut environment = Environment::default();
/// let situ = Binding::Module(KnownModule::Situ);
/// environment.bindings.insert("situ".to_owned(), situ);
/// let array = ArgumentType::Array { dtype: DType::F32, ndim: 1, layout: Layout::Contiguous };
/// let compiled = specialize(&source, "double", &[array], &environment, Options::default())?;
/// assert_eq!(compiled.kernel, "double");
/// # Ok::<(), situ_frontend::Error>(())
/// ```
///
/// # Errors
/// Everything in the function, and in the functions it calls, that a kernel cannot do.
pub fn specialize(
    source: &Source,
    name: &str,
    arguments: &[ArgumentType],
    environment: &Environment,
    options: Options,
) -> Result<Compiled, Error> {
    with_stack(|| specialize_here(source, name, arguments, environment, options))
}

fn specialize_here(
    source: &Source,
    name: &str,
    arguments: &[ArgumentType],
    environment: &Environment,
    options: Options,
) -> Result<Compiled, Error> {
    let refused = |failure: Failure| Error::Refused(Refusal::new(name, source, failure));
    let syntax = parse_function(source, name).map_err(|own| refused(own.into()))?;
    let parameters: Vec<&str> = syntax
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    if parameters.len() != arguments.len() {
        let problem = problems::kernel_argument_count(&syntax.name, &parameters, arguments.len());
        return Err(refused(vec![problem].into()));
    }
    let types: Vec<_> = arguments.iter().copied().map(ParameterType::from).collect();
    let mut program = Program::new(environment, source, options);
    let subject = Subject {
        syntax: &syntax,
        bindings: &environment.bindings,
        source,
        parameters: &types,
        is_kernel: true,
        has_kernel_source: true,
    };
    let Inferred {
        function: kernel, ..
    } = infer(&mut program, subject).map_err(refused)?;
    let lowered = lower(&program, &kernel, source);
    let module = validated(lowered.module, &lowered.plan, name, options)?;
    Ok(Compiled {
        module,
        kernel: lowered.kernel,
        dims: kernel.dims,
        parameters: parameters.into_iter().map(str::to_owned).collect(),
        plan: lowered.plan,
        messages: Messages {
            list: lowered.messages,
            has_report: kernel.report.is_some(),
        },
    })
}

/// The module of a kernel, once all that the front end adds to it is there.
///
/// # Errors
/// Rules of the IR that it breaks.
pub(crate) fn validated(
    mut module: Module,
    plan: &ParameterPlan,
    name: &str,
    options: Options,
) -> Result<ValidModule, Error> {
    if options.wrap_indices {
        drop_index_wraps(&mut module, |position| {
            let planned = plan.parameters.get(position);
            planned.is_some_and(|planned| matches!(planned.part, ArgumentPart::Shape(_)))
        });
    }
    validate(module).map_err(|found| refusal_of(name, found))
}

/// Rules of the IR that a user can break: sizes of code and memory, and where work-items meet. All
/// others are kept by the front end.
const RULES_FOR_USERS: [&str; 7] = ["V006", "V007", "V008", "V019", "V063", "V065", "V070"];

fn refusal_of(name: &str, found: Diagnostics) -> Error {
    let kernel = name.to_owned();
    let is_users = |diagnostic: &Diagnostic| RULES_FOR_USERS.contains(&diagnostic.code);
    if found.list.iter().all(is_users) {
        let reports = vec![found];
        Error::Refused(Refusal { kernel, reports })
    } else {
        Error::Internal { kernel, found }
    }
}
