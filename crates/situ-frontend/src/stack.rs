//! Stack for stages that follow trees by recursion.
//!
//! `subset` bounds how deep trees are. The thread is the user's, though, and may have been given any stack.

/// What reading, inferring and lowering the deepest tree takes, and more.
const NEEDED_BYTES: usize = 1 << 20;

/// The size of a stack that is made where less is left.
const NEW_STACK_BYTES: usize = 8 << 20;

/// Runs `work` with stack enough for trees of any depth that is allowed.
pub(crate) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(NEEDED_BYTES, NEW_STACK_BYTES, work)
}
