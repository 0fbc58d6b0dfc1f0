//! Why there is no kernel.

use std::fmt;

use situ_ir::Diagnostics;
use thiserror::Error;

/// Why a Python function could not be compiled to a kernel.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel, or a device function it calls, breaks rules of the language.
    #[error("{0}")]
    Refused(Refusal),
    /// A bug in situ: the front end made IR that does not keep the IR's rules.
    #[error(
        "situ made a wrong program from `{kernel}`; this is a bug in situ, please report it\n{found}"
    )]
    Internal {
        /// The kernel.
        kernel: String,
        /// What the validator found.
        found: Diagnostics,
    },
}

/// Everything that is wrong with a kernel, for each source it comes from.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The name of the kernel.
    pub kernel: String,
    /// The findings: those in the kernel itself come last.
    pub reports: Vec<Diagnostics>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, report) in self.reports.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{report}")?;
        }
        Ok(())
    }
}
