//! An `assert` of a kernel that did not hold.

use std::fmt;

/// Which assertion it was, and where it failed first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAssertion {
    /// The kernel.
    pub kernel: String,
    /// What the assertion says; empty if it says nothing.
    pub message: String,
    /// The condition as it is written.
    pub condition: String,
    /// Where it is written, as `file:line`.
    pub place: String,
    /// The global id of the first work-item that found out.
    pub work_item: String,
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
        write!(
            f,
            "an assertion of kernel `{kernel}` failed: {said}\n  \
             why:  `{condition}` does not hold in work-item {work_item}, at {place}\n  \
             help: other work-items went on, so do not rely on what the kernel wrote; to look around, \
             run it with `simulate`"
        )
    }
}
