//! Why there is no kernel.

use std::fmt;

use situ_ir::{Diagnostics, Source};
use thiserror::Error;

use crate::infer::Failure;

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

impl Refusal {
    /// What was found in the function called `name`, and in the functions it calls.
    pub(crate) fn new(name: &str, source: &Source, failure: Failure) -> Self {
        let Failure { own, callees } = failure;
        let mut reports = callees;
        if !own.is_empty() {
            reports.push(Diagnostics {
                list: own,
                source: Some(source.clone()),
            });
        }
        Self {
            kernel: name.to_owned(),
            reports,
        }
    }
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
