//! What every target can be told.
//!
//! Options of one target live with its emitter, for example [`crate::llvm::TargetOptions`].

/// How mathematical functions that IEEE 754 does not define exactly are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MathMode {
    /// The device's fastest functions within 4 ulp.
    #[default]
    Fast,
    /// The most exact functions there are, one element at a time.
    Exact,
}
