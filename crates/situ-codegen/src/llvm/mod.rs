//! LLVM 19 IR text for the native device.
//!
//! [`emit`] writes one exported function for each kernel; [`abi`] says how it is called. Quirks of
//! the target:
//!
//! * LLVM leaves many corner cases without meaning (division by zero, large shifts, conversions out
//!   of range). Our IR does not, so the operations are guarded (`operators`, `casts`).
//! * No fast-math flags and no contraction: a result depends on the inputs alone.
//! * `bool` is `i1` in registers and `i8` in memory.
//! * Pointers are not marked `noalias`: arguments may overlap. What lets loops vectorise is that
//!   accesses of different work-items are independent, which is told to LLVM for the loop over
//!   work-items.
//!
//! | file | about |
//! |---|---|
//! | `kernels`, `items`, `functions` | functions, and the loops over work-items without groups |
//! | `vector` | vectors of work-items: kernels that LLVM does not vectorise |
//! | `groups` | work-groups: how kernels are cut at barriers, and what waits where |
//! | `body`, `places` | what is known while a function is written |
//! | `statements`, `expressions`, `queries`, `atomics` | the nodes of the IR |
//! | `rounds` | parallel loops as functions of their own |
//! | `operators`, `casts`, `builtins`, `types` | scalars |
//! | `math` | elementary functions that no library is called for |
//! | `library` | declarations and small functions of our own |
//! | `code`, `writer` | text |

pub mod abi;
mod atomics;
mod body;
mod builtins;
mod casts;
mod code;
mod expressions;
mod functions;
mod groups;
mod items;
mod kernels;
mod library;
mod math;
mod operators;
mod places;
mod queries;
mod rounds;
mod stack;
mod statements;
pub mod target;
mod types;
mod vector;
mod writer;

use situ_ir::ValidModule;
use situ_ir::transform::lower;

pub use abi::{KernelAbi, KernelShape, LaunchFrame, RUN_ROUNDS};
pub use library::STREAMED;
pub use target::{TargetOptions, VectorIsa, Vectorise};

use crate::error::Error;
use body::ModuleFacts;
use library::Library;

/// A module as LLVM IR text, and what the runtime must know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LlvmModule {
    /// The text. It has no target triple and no data layout; whoever compiles it sets them.
    pub text: String,
    /// How to call each kernel, in the order of the module.
    pub kernels: Vec<KernelAbi>,
    /// Functions of the C library and its vector library that the text calls, in order. The
    /// compiler may add calls of `memcpy`, `memmove`, `memset`, and of `floor` and its like on
    /// processors without instructions for them.
    pub imports: Vec<String>,
}

/// Lowers a module and writes it as LLVM IR.
///
/// # Errors
/// Only for bugs of situ: validation and lowering guarantee everything that is needed.
pub fn emit(module: &ValidModule, options: &TargetOptions) -> Result<LlvmModule, Error> {
    let module = &*lower(module)?;
    let inlined_sizes = functions::inlined_sizes(module);
    let facts = ModuleFacts {
        module,
        queries: queries::asked_by_functions(module),
        calls: functions::calls(module),
        has_rounds: rounds::are_in(module),
        stacks: stack::needed(module, &inlined_sizes),
        inlined_sizes,
    };
    let mut library = Library::new(options);
    let mut text = String::new();
    let mut kernels = Vec::new();
    for (handle, function) in module.functions.iter() {
        if function.is_kernel() {
            let kernel = kernels::emit(&facts, handle, &mut library)?;
            text.push_str(&kernel.text);
            kernels.push(kernel.abi);
        } else {
            text.push_str(&functions::emit(&facts, handle, &mut library)?);
        }
        text.push('\n');
    }
    text.push_str(&library.text());
    Ok(LlvmModule {
        text,
        kernels,
        imports: library.imports().iter().cloned().collect(),
    })
}
