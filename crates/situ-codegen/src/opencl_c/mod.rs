//! OpenCL C text for the devices of an OpenCL driver.
//!
//! [`emit`] lowers a module and writes it down; [`emit_all`] does so for several modules at
//! once, since a driver takes a fifth of a second for a program whatever is in it. The text is meant
//! to be read: users see it with `inspect(opencl=True)`.
//!
//! # What is peculiar to OpenCL C, and what we do about it
//!
//! * **Dimensions** run the other way: our dimension 0 is the slowest, OpenCL's the fastest. The
//!   launch must have as many dimensions as the kernel, their sizes reversed, and no offset.
//! * **`bool`** has no size, so it is `uchar` in memory and in kernel parameters. Any byte but 0 is
//!   true.
//! * **`float16`** is an extension, but its conversion from and to `float` is not. Lowered modules do
//!   nothing else with it, so it is `ushort`, its bits, and works on every device.
//! * **Arithmetic** of C is partial: signed overflow, division by zero, shifts by too much, float to
//!   integer out of range have no meaning. [`expressions`] and [`builtins`] give them the IR's.
//! * **Rounding**: products and sums are contracted unless `FP_CONTRACT` is off, and `float`
//!   division and `sqrt` need not be rounded correctly without [`OpenClModule::build_options`].
//! * **Mathematical functions** are as exact as the driver's; OpenCL asks for 4 ulp or less of most,
//!   but allows 5 for `tan` and `tanh`, 6 for `atan2`, and 16 for `pow`, `erf`, `erfc` and `tgamma`.
//! * **Atomics** are those of OpenCL C 1.2 with fences around them, see [`atomics`].
//! * **Collectives** of work-groups are optional in every version, so they are written out, with
//!   local memory that the launch provides, see [`KernelAbi::scratch_bytes_per_item`].
//! * **Sub-groups** are optional. Without them each work-item is its own sub-group. With them the
//!   driver decides which work-items make a sub-group; in one dimension they are consecutive on every
//!   driver we know, in more the IR's promise holds if the fastest local size is a multiple of the
//!   sub-group's.
//! * **Barriers in loops** are hard on CPU drivers. PoCL 3.1 is wrong if some work-items `continue` after a
//!   barrier inside a conditional; `situ-runtime/tests/opencl_c` records it.
//! * **Names**: built-in functions may be macros, so user names avoid them, see [`reserved_words`].
//!
//! What this module does not do: talk to drivers.

pub mod abi;
mod atomics;
mod builtins;
mod collectives;
mod declarations;
mod expressions;
mod features;
mod library;
mod operators;
mod precedence;
mod queries;
mod reserved_words;
mod statements;
pub mod target;
mod types;
mod written;

use situ_ir::transform::{LoweredModule, lower};
use situ_ir::{
    Expression, Function, FunctionKind, Handle, Span, StatementKind, ValidModule, WorkItemQuery,
};

pub use abi::{KernelAbi, LineOrigin, OpenClModule};
pub use target::{LanguageVersion, TargetOptions};

use crate::error::Error;
use crate::names::Names;
use collectives::Way;
use library::Library;
use statements::{FunctionWriter, ModuleContext};

/// Writes a module as a program.
///
/// # Errors
/// If the target lacks something that the module uses.
pub fn emit(module: &ValidModule, options: &TargetOptions) -> Result<OpenClModule, Error> {
    emit_all(&[module], options)
}

/// Writes several modules as one program.
///
/// Kernels of different modules may have the same name: [`KernelAbi::symbol`] is unique. The kernels
/// are in the order of the modules, and in each module in the order of its functions.
///
/// # Errors
/// If the target lacks something that one of the modules uses.
pub fn emit_all(modules: &[&ValidModule], options: &TargetOptions) -> Result<OpenClModule, Error> {
    let mut names = Names::default();
    let mut library = Library::default();
    let mut functions = Functions::default();
    let mut kernels = Vec::new();
    let mut features = features::Features::default();
    for (number, module) in modules.iter().enumerate() {
        let module = lower(module)?;
        features.add(&module, options)?;
        functions.module = number;
        kernels.extend(emit_module(
            &module,
            options,
            &mut names,
            &mut library,
            &mut functions,
        ));
    }
    let start = format!("{}\n{}", features.pragmas(), library.into_text());
    let mut origins = vec![None; start.lines().count()];
    origins.extend(functions.origins);
    let text = format!("{start}{}", functions.text);
    let text = format!("{}\n", text.trim_end());
    origins.truncate(text.lines().count());
    Ok(OpenClModule {
        text,
        build_options: options.build_options(),
        kernels,
        origins,
    })
}

/// The functions written so far.
#[derive(Default)]
struct Functions {
    text: String,
    /// Where each line comes from.
    origins: Vec<Option<LineOrigin>>,
    /// The module that functions are of.
    module: usize,
}

impl Functions {
    /// Adds a function, given with the span of each line, and an empty line.
    fn add(&mut self, text: &str, spans: &[Span]) {
        let module = self.module;
        let origin = |span: &Span| {
            span.is_some().then_some(LineOrigin {
                module,
                span: *span,
            })
        };
        self.text.push_str(text);
        self.text.push('\n');
        self.origins.extend(spans.iter().map(origin));
        self.origins.push(None);
    }
}

/// Adds the functions of a module to those written so far.
fn emit_module(
    module: &LoweredModule,
    options: &TargetOptions,
    names: &mut Names,
    library: &mut Library,
    functions: &mut Functions,
) -> Vec<KernelAbi> {
    let function_names = module
        .functions
        .iter()
        .map(|(_, function)| names.unique(&reserved_words::avoid(&function.name)))
        .collect();
    let context = ModuleContext {
        module,
        options,
        function_names,
        function_dims: function_dims(module),
        global_names: names,
    };
    let mut kernels = Vec::new();
    for (handle, function) in module.functions.iter() {
        let symbol = &context.function_names[handle.index()];
        let has_scratch = Way::Memory.is_used(function, options);
        let has_extents = options.pads_ranges && is_padded(module, handle);
        let writer = FunctionWriter::new(&context, handle, has_extents, library);
        let (text, spans) = writer.write(symbol, has_scratch);
        functions.add(&text, &spans);
        if let FunctionKind::Kernel { dims } = function.kind {
            kernels.push(KernelAbi {
                name: function.name.clone(),
                symbol: symbol.clone(),
                dims,
                parameters: function.parameters.clone(),
                local_bytes: module.info(handle).local_bytes,
                private_bytes: module.info(handle).private_bytes,
                scratch_bytes_per_item: if has_scratch { abi::SCRATCH_BYTES } else { 0 },
                has_extents,
            });
        }
    }
    kernels
}

/// For each function the dimensions of the kernels that reach it, if they agree.
fn function_dims(module: &ValidModule) -> Vec<Option<u8>> {
    let mut reached: Vec<Vec<u8>> = vec![Vec::new(); module.functions.len()];
    let handles: Vec<_> = module.functions.handles().collect();
    // Callers come after what they call, so going backwards all callers of a function are known.
    for &handle in handles.iter().rev() {
        let function = &module.functions[handle];
        if let FunctionKind::Kernel { dims } = function.kind {
            reached[handle.index()] = vec![dims];
        }
        for callee in callees(function) {
            let dims = reached[handle.index()].clone();
            reached[callee.index()].extend(dims);
        }
        reached[handle.index()].dedup();
    }
    reached
        .iter()
        .map(|dims| match dims.as_slice() {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => Some(*first),
            _ => None,
        })
        .collect()
}

/// Whether a kernel does not notice that its range is larger than it is told: it does not depend on
/// work-groups, and only itself asks for sizes.
fn is_padded(module: &ValidModule, kernel: Handle<Function>) -> bool {
    let mut pending = callees(&module.functions[kernel]);
    while let Some(handle) = pending.pop() {
        let function = &module.functions[handle];
        let asks = |expression: &Expression| {
            let Expression::WorkItem(query) = expression else {
                return false;
            };
            matches!(
                query,
                WorkItemQuery::GlobalSize(_) | WorkItemQuery::GlobalLinearId
            )
        };
        if function.expressions.iter().any(|(_, one)| asks(one)) {
            return false;
        }
        pending.extend(callees(function));
    }
    module.functions[kernel].is_kernel() && !module.info(kernel).needs_groups
}

/// The functions that a function calls, each as often as it does.
fn callees(function: &Function) -> Vec<Handle<Function>> {
    let mut callees = Vec::new();
    function.body.for_each_statement(&mut |statement| {
        if let StatementKind::Call { function, .. } = &statement.kind {
            callees.push(*function);
        }
    });
    callees
}
