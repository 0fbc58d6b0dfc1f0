//! Why a module cannot be written for a target.
//!
//! A valid module can fail to be emitted for two reasons only: the target cannot do what the module
//! asks for, or situ itself is at fault.

use situ_ir::transform::LowerError;
use thiserror::Error;

/// Why emission failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The target lacks a feature the module uses.
    #[error("`{function}` uses {feature}, which this target does not have")]
    MissingFeature {
        /// The function that uses it.
        function: String,
        /// What is missing, for example `float64`.
        feature: &'static str,
    },
    /// The module could not be lowered: a bug of situ.
    #[error(transparent)]
    Lowering(#[from] LowerError),
    /// A rule that situ keeps was broken: a bug of situ.
    #[error("internal error while emitting `{function}`: {invariant}; please report this")]
    Internal {
        /// The function being emitted.
        function: String,
        /// The rule.
        invariant: &'static str,
    },
}
