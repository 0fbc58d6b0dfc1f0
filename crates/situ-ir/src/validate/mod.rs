//! From [`Module`] to [`ValidModule`].
//!
//! Emitters, the interpreter and the runtime accept only a [`ValidModule`], so they need not check
//! again what is checked here. Every violation becomes a [`Diagnostic`]; all of them are collected.
//! The files of this folder list the invariants they enforce.

mod expressions;

use std::ops::Deref;

use crate::arena::Handle;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expression::Expression;
use crate::module::{Function, Module};
use crate::types::Type;

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

/// What validation learnt about a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionInfo {
    /// The type of each expression.
    types: Vec<Type>,
    /// Whether each expression has the same result for all work-items of a group.
    uniform: Vec<bool>,
    /// How each parameter's memory is used; scalars are not.
    pub parameter_access: Vec<ParameterAccess>,
    /// Whether a kernel contains a barrier or collective, so that its work-items must meet.
    pub synchronises: bool,
    /// Whether a kernel's meaning depends on work-groups: it synchronises, has local memory, or asks
    /// for local or group ids or sizes (also in the functions it calls).
    pub needs_groups: bool,
}

impl FunctionInfo {
    /// The type of an expression.
    pub fn type_of(&self, expression: Handle<Expression>) -> Type {
        self.types[expression.index()]
    }

    /// Whether all work-items of a group get the same result from this expression.
    pub fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        self.uniform[expression.index()]
    }
}

/// How a function uses the memory behind a pointer parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterAccess {
    /// Whether anything is read from it.
    pub reads: bool,
    /// Whether anything is written to it.
    pub writes: bool,
}

/// Checks a module.
///
/// # Errors
/// All violations found.
pub fn validate(module: Module) -> Result<ValidModule, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mut functions = Vec::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter() {
        functions.push(validate_function(function, &mut diagnostics));
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

fn validate_function(function: &Function, diagnostics: &mut Vec<Diagnostic>) -> FunctionInfo {
    let types = expressions::check(function, diagnostics);
    FunctionInfo {
        types,
        ..FunctionInfo::default()
    }
}
