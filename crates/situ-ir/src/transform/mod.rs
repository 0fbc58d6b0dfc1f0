//! Lowering: from the IR that front ends like to write to the IR that emitters like to read.
//!
//! [`lower`] rewrites a module into *core IR*: fewer kinds of nodes, the same meaning. Whatever can
//! be said with simpler nodes is said here once, so that every device gets the same formula and
//! every emitter stays small. It does not optimise; compilers behind the emitters do.
//!
//! # Core IR
//!
//! A core module is a valid module ([`crate`] is its law) in which, in addition:
//!
//! * **Complex numbers are gone.** No parameter, value, variable, array, literal or expression has
//!   a complex dtype, and [`Conjugate`], [`Real`], [`Imaginary`] and [`Expression::Complex`] do not
//!   occur. A complex scalar `z` became two reals `z_re` and `z_im`; a pointer to complex elements
//!   became a pointer to their parts, real part first, and an array one of twice the length. A
//!   device function with a complex result has none in core IR: it takes a last parameter, a
//!   private pointer, and stores the two parts there. [`LoweredFunction::parameters`] says where
//!   each parameter went.
//! * **These operators are gone:** [`FloorDivide`] and [`Modulo`]; [`Power`] of integers;
//!   [`Rsqrt`]. What needs a loop became a call of a device function that lowering added to the
//!   module, named `situ_…`; formulas, also those of complex functions, are written out as `Let`s
//!   in place.
//! * **`float16` is only stored and converted.** It occurs in literals, parameters, values,
//!   variables, arrays, loads, stores, selects, bitcasts and collectives. Casts from and to
//!   `float16` are from and to `float32` only. There is no arithmetic, comparison or mathematical
//!   function of it: operands were cast to `float32` and the result was rounded back.
//! * **Expressions are trees.** Within one statement no expression is used twice, except leaves
//!   ([`is_leaf`]). What was used twice is bound by a `Let` before the statement. An emitter may
//!   write an expression where it is used without looking for shared parts.
//!
//! What remains for emitters are the guarded operations of core IR, whose corner cases the machine
//! does not define as the IR does: integer [`TruncatingDivide`] and [`TruncatingRemainder`] (by
//! zero, smallest by -1), shifts (counts out of range), casts from float to integer (out of range,
//! NaN), `Minimum` and `Maximum` of floats (NaN), and `float16` sums and products of collectives,
//! which are combined in `float32` and rounded after each step.
//!
//! # How statements are rewritten
//!
//! An expression has no effects, so what it needs computed first (a call, a shared part) can be
//! computed directly before the statement that uses it, in the same state. Only the condition of a
//! loop is evaluated at other places than its statement; if it needs something computed first, it
//! becomes a variable, which is assigned before the loop and again at the end of each step.
//!
//! [`Conjugate`]: crate::UnaryOperator::Conjugate
//! [`Real`]: crate::UnaryOperator::Real
//! [`Imaginary`]: crate::UnaryOperator::Imaginary
//! [`Expression::Complex`]: crate::Expression::Complex
//! [`FloorDivide`]: crate::BinaryOperator::FloorDivide
//! [`Modulo`]: crate::BinaryOperator::Modulo
//! [`Power`]: crate::BinaryOperator::Power
//! [`TruncatingDivide`]: crate::BinaryOperator::TruncatingDivide
//! [`TruncatingRemainder`]: crate::BinaryOperator::TruncatingRemainder
//! [`Rsqrt`]: crate::MathFunction::Rsqrt

mod collectives;
mod complex_math;
mod core_form;
mod declarations;
mod draft;
mod expressions;
mod floats;
mod half_floats;
mod index_wraps;
mod integers;
mod library;
mod pairs;
mod statements;
#[cfg(test)]
mod tests;

use std::ops::Deref;

use thiserror::Error;

pub use core_form::{is_core, is_leaf};
pub use index_wraps::drop_index_wraps;

use crate::arena::Handle;
use crate::diagnostic::Diagnostics;
use crate::module::Function;
use crate::validate::{ValidModule, validate_lowered};
use library::Library;
use statements::FunctionLowering;

/// A module of core IR, and where the functions of the original module are in it.
///
/// Dereferences to the [`ValidModule`].
#[derive(Clone, Debug)]
pub struct LoweredModule {
    module: ValidModule,
    /// For each function of the original module.
    originals: Vec<LoweredFunction>,
}

impl LoweredModule {
    /// What became of a function of the original module.
    pub fn lowered(&self, original: Handle<Function>) -> &LoweredFunction {
        &self.originals[original.index()]
    }

    /// Gives the core module away.
    pub fn into_module(self) -> ValidModule {
        self.module
    }
}

impl Deref for LoweredModule {
    type Target = ValidModule;

    fn deref(&self) -> &ValidModule {
        &self.module
    }
}

/// What became of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct LoweredFunction {
    /// The function in the core module; it has the same name.
    pub function: Handle<Function>,
    /// For each parameter of the original, where it is now.
    pub parameters: Vec<LoweredParameter>,
}

/// Where a parameter of the original function is among those of the lowered one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoweredParameter {
    /// It is one parameter: a real scalar as it was, or a pointer. A pointer to complex elements is
    /// now one to their parts: the same address and the same bytes, twice as many elements.
    One(u32),
    /// It was a complex scalar and is now two.
    Pair {
        /// The position of the real part.
        real: u32,
        /// The position of the imaginary part.
        imaginary: u32,
    },
}

/// Why a valid module could not be lowered. Each of these is a defect of situ, not of the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The rewritten module breaks a rule.
    #[error(
        "lowering module `{module}` broke it; this is a defect of situ, please report it\n{diagnostics}"
    )]
    Broken {
        /// The name of the module.
        module: String,
        /// The rules that are broken.
        diagnostics: Diagnostics,
    },
}

/// Rewrites a module into core IR. A module that is core already is given back as it is.
///
/// # Errors
/// Only for a defect of the lowering itself, which the validation of its output found.
pub fn lower(module: &ValidModule) -> Result<LoweredModule, LowerError> {
    if is_core(module) {
        return Ok(LoweredModule {
            module: module.clone(),
            originals: module.functions.iter().map(unchanged).collect(),
        });
    }
    let mut library = Library::new(module);
    let mut originals = Vec::with_capacity(module.functions.len());
    for (handle, _) in module.functions.iter() {
        let lowered = FunctionLowering::new(module, handle, &originals, &mut library).lower();
        originals.push(lowered);
    }
    let module = library.into_module();
    let name = module.name.clone();
    match validate_lowered(module) {
        Ok(module) => Ok(LoweredModule { module, originals }),
        Err(diagnostics) => Err(LowerError::Broken {
            module: name,
            diagnostics,
        }),
    }
}

fn unchanged((function, original): (Handle<Function>, &Function)) -> LoweredFunction {
    let positions = 0..original.parameters.len() as u32;
    LoweredFunction {
        function,
        parameters: positions.map(LoweredParameter::One).collect(),
    }
}
