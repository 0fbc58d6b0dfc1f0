//! From [`Module`] to [`ValidModule`].
//!
//! Emitters, the interpreter and the runtime accept only a [`ValidModule`], so they need not check
//! again what is checked here. Every violation becomes a [`Diagnostic`] with a `V` code; all of them
//! are collected. Each file of this folder opens with the invariants it enforces:
//!
//! | file | about |
//! |---|---|
//! | `signature` | names, parameters, results and arrays of functions |
//! | `structure` | handles exist, no cycles, bounded nesting |
//! | `expressions` | types of expressions |
//! | `scope` | values are bound once and used where they are visible |
//! | `statements` | types of statements, where jumps may stand, returns on every path |
//! | `parallel` | rounds that do not depend on each other |
//! | `calls`, `atomics`, `collectives` | the statements of those names |
//! | `uniformity` | analysis: what is the same for all work-items of a group |
//! | `barriers` | barriers and collectives are reached by the whole group |
//! | `access` | analysis: what a function does with its parameters and with groups |
//!
//! Statements that cannot be reached (after a `Break`, `Continue`, `Return` or an endless loop) are
//! allowed, so that generators need not look for them; they must keep every rule all the same.

mod access;
mod atomics;
mod barriers;
mod calls;
mod collectives;
mod expressions;
mod info;
mod parallel;
mod scope;
mod signature;
mod statements;
mod structure;
mod uniformity;

use std::ops::Deref;

use crate::arena::Handle;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expression::Expression;
use crate::module::{Function, Module};
use crate::types::Type;

pub use info::{FunctionInfo, ParameterAccess, PointerRoot};
pub use signature::{MAX_LOCAL_BYTES, MAX_PRIVATE_BYTES};
pub use structure::{MAX_BLOCK_DEPTH, MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_NODES};

/// A module that keeps every rule, with what was learnt while checking it.
///
/// Dereferences to the [`Module`].
#[derive(Clone, Debug)]
pub struct ValidModule {
    module: Module,
    functions: Vec<FunctionInfo>,
}

impl ValidModule {
    /// What is known of a function of this module.
    pub fn info(&self, function: Handle<Function>) -> &FunctionInfo {
        &self.functions[function.index()]
    }

    /// Gives the module back for changing; it must then be validated again.
    pub fn into_module(self) -> Module {
        self.module
    }
}

impl Deref for ValidModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}

/// Checks a module.
///
/// # Errors
/// All violations found.
pub fn validate(module: Module) -> Result<ValidModule, Diagnostics> {
    check(module, true)
}

/// Checks what lowering made of a valid module. The limit on private memory is for programs, not for
/// the few bytes by which complex results are returned.
pub(crate) fn validate_lowered(module: Module) -> Result<ValidModule, Diagnostics> {
    check(module, false)
}

fn check(module: Module, limits_private_memory: bool) -> Result<ValidModule, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mut functions = Vec::with_capacity(module.functions.len());
    for handle in module.functions.handles() {
        let mut checker = Checker {
            module: &module,
            handle,
            function: &module.functions[handle],
            earlier: &functions,
            limits_private_memory,
            diagnostics: &mut diagnostics,
        };
        let info = checker.check();
        functions.push(info);
    }
    if diagnostics.is_empty() {
        Ok(ValidModule { module, functions })
    } else {
        Err(Diagnostics {
            list: diagnostics,
            source: module.source,
        })
    }
}

/// The check of one function. The files of this folder add methods to it.
struct Checker<'a> {
    module: &'a Module,
    handle: Handle<Function>,
    function: &'a Function,
    /// What is known of the functions before this one, which are all it may call.
    earlier: &'a [FunctionInfo],
    limits_private_memory: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// The type of each expression; `None` for an expression that was found wrong or is made of such, so
/// that one mistake is reported once.
struct Types(Vec<Option<Type>>);

/// A type with its article, for sentences: `an f64`, `a global f64*`.
fn a(ty: impl Into<Type>) -> String {
    let ty = ty.into().to_string();
    let article = if ty.starts_with(['i', 'f']) {
        "an"
    } else {
        "a"
    };
    format!("{article} `{ty}`")
}

/// A number of things, for sentences.
fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

impl Types {
    fn of(&self, expression: Handle<Expression>) -> Option<Type> {
        self.0[expression.index()]
    }
}

impl<'a> Checker<'a> {
    fn check(&mut self) -> FunctionInfo {
        self.check_signature();
        if !self.check_structure() {
            // Nothing else can be said of a function whose handles do not hold.
            return FunctionInfo::unknown(self.function);
        }
        let types = self.check_expressions();
        self.check_scopes();
        self.check_statements(&types);
        let uniformity = uniformity::analyse(self.function, self.earlier);
        self.check_barriers(&uniformity);
        let info = access::analyse(self.function, self.earlier);
        if self.limits_private_memory {
            self.check_private_bytes(&info);
        }
        FunctionInfo {
            // A type is missing only where a diagnostic was pushed, and then nobody gets to ask.
            types: types
                .0
                .into_iter()
                .map(|ty| ty.unwrap_or(Type::INDEX))
                .collect(),
            uniform: uniformity.uniform_expressions(),
            uniform_values: uniformity.uniform_values(),
            uniform_variables: uniformity.uniform_variables(),
            ..info
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The name of the function being checked, for messages.
    fn name(&self) -> &'a str {
        &self.function.name
    }
}
