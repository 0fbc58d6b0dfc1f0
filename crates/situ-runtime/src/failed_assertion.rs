//! An `assert` of a kernel, or of compiled code of the host, that did not hold.

use std::fmt;

/// Which assertion it was, and where it failed first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAssertion {
    /// The kernel or function.
    pub kernel: String,
    /// What the assertion says; empty if it says nothing.
    pub message: String,
    /// The condition as it is written.
    pub condition: String,
    /// Where it is written, as `file:line`.
    pub place: String,
    /// The global id of the first work-item that found out; code of the host has none.
    pub work_item: Option<String>,
}

impl fmt::Display for FailedAssertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            message,
            condition,
            place,
            work_item,
        } = self;
        let said = if message.is_empty() {
            condition
        } else {
            message
        };
        let Some(work_item) = work_item else {
            return write!(
                f,
                "an assertion of njit function `{kernel}` failed: {said}\n  \
                 why:  `{condition}` does not hold, at {place}\n  \
                 help: check what the function was called with; statements before the assertion have run"
            );
        };
        write!(
            f,
            "an assertion of kernel `{kernel}` failed: {said}\n  \
             why:  `{condition}` does not hold in work-item {work_item}, at {place}\n  \
             help: other work-items went on, so do not rely on what the kernel wrote; to look around, \
             run it with `simulate`"
        )
    }
}
