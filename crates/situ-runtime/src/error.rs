//! Everything that can go wrong in the runtime, as data.
//!
//! Each variant keeps the facts (names, sizes, choices) in fields; `Display` arranges them in the
//! three parts every situ message has: what happened, `why:`, and `help:`. Problems that only cost
//! speed or convenience are not errors: see [`crate::warnings`].

use std::fmt;

/// The result of a runtime call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure in the runtime.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// LLVM refused a module that situ wrote. The user cannot cause this with valid input.
    #[error(
        "cannot compile `{module}` for the native device: LLVM failed to {stage} it\n  \
         why:  {message}\n  \
         help: this is a bug in situ; please report it with the output of SITU_TRACE=code"
    )]
    CompileFailed {
        /// Name of the module that was being compiled.
        module: String,
        /// How far LLVM came.
        stage: CompileStage,
        /// LLVM's own words.
        message: String,
    },

    /// LLVM cannot generate code for the requested CPU.
    #[error(
        "cannot generate code for CPU `{cpu}`\n  \
         why:  {message}\n  \
         help: situ's native device supports x86-64 processors"
    )]
    UnsupportedCpu {
        /// The CPU name that was asked for.
        cpu: String,
        /// LLVM's own words.
        message: String,
    },

    /// An object file calls functions this machine does not have.
    #[error(
        "cannot load compiled code: {} it calls {} not available on this machine\n  \
         why:  missing {}\n  \
         help: the code was probably compiled elsewhere; clear the compile cache and try again",
        if symbols.len() == 1 { "a function" } else { "functions" },
        if symbols.len() == 1 { "is" } else { "are" },
        quoted_list(symbols)
    )]
    MissingSymbols {
        /// The unresolved names.
        symbols: Vec<String>,
    },

    /// The JIT linker could not load an object file.
    #[error(
        "cannot load compiled code: the JIT linker failed to {action}\n  \
         why:  {message}\n  \
         help: clear the compile cache and try again; if it happens again, please report it"
    )]
    LoadFailed {
        /// What the linker was doing.
        action: &'static str,
        /// The linker's own words.
        message: String,
    },

    /// Bytes that should be an object file are not one.
    #[error(
        "cannot load compiled code: the object file is malformed\n  \
         why:  {detail}\n  \
         help: clear the compile cache and try again"
    )]
    MalformedObject {
        /// Which part of the file is wrong.
        detail: &'static str,
    },

    /// A loaded program has no such entry point.
    #[error(
        "there is no kernel `{name}` in this program\n  \
         why:  it contains {}\n  \
         help: ask for one of those",
        quoted_list(available)
    )]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The kernels the program has.
        available: Vec<String>,
    },

    /// Work running on the pool panicked.
    #[error(
        "a worker thread stopped unexpectedly while running a kernel\n  \
         why:  {message}\n  \
         help: this is a bug in situ; results of this launch are incomplete; please report it"
    )]
    WorkPanicked {
        /// The panic message.
        message: String,
    },

    /// There is no memory for a kernel's local arrays.
    #[error(
        "out of memory: a work-group needs {size_bytes} bytes of working memory\n  \
         why:  its local arrays, or the values its work-items keep across barriers, do not fit\n  \
         help: use a smaller work-group or smaller local arrays"
    )]
    ScratchUnavailable {
        /// What one work-group needs.
        size_bytes: usize,
    },

    /// The operating system refused a thread.
    #[error(
        "cannot start a {purpose} thread\n  \
         why:  {message}\n  \
         help: raise the limit on threads, or set SITU_NUM_THREADS to a smaller number"
    )]
    ThreadUnavailable {
        /// What the thread was for.
        purpose: &'static str,
        /// The operating system's words.
        message: String,
    },

    /// An environment variable has a value situ does not understand.
    #[error(
        "{variable} has a value situ does not understand: `{value}`\n  \
         why:  it must be {choices}\n  \
         help: correct or unset {variable}; the default `{default}` is used meanwhile"
    )]
    BadEnvironmentValue {
        /// The variable's name.
        variable: &'static str,
        /// What it was set to.
        value: String,
        /// What it may be set to.
        choices: &'static str,
        /// What situ uses instead.
        default: String,
    },

    /// An assumption inside situ turned out to be wrong.
    #[error(
        "internal error in situ\n  \
         why:  this should always hold, but did not: {invariant}\n  \
         help: please report it with the code that led here"
    )]
    Internal {
        /// The statement that was expected to be true.
        invariant: &'static str,
    },
}

/// The steps LLVM takes from text to machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompileStage {
    /// Reading the text form of LLVM IR.
    Parse,
    /// Checking the module's invariants.
    Verify,
    /// Running the optimisation passes.
    Optimise,
    /// Writing the object file.
    Emit,
}

impl fmt::Display for CompileStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Parse => "parse",
            Self::Verify => "verify",
            Self::Optimise => "optimise",
            Self::Emit => "emit code for",
        })
    }
}

/// Writes `` `a`, `b` and `c` ``, or `nothing` for an empty list.
pub(crate) fn quoted_list<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_three_parts() {
        let error = Error::MissingSymbols {
            symbols: vec!["sin".into(), "cos".into()],
        };
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("cannot load compiled code"));
        assert_eq!(lines[1], "  why:  missing `sin` and `cos`");
        assert!(lines[2].starts_with("  help: "));
    }

    #[test]
    fn lists_read_as_prose() {
        assert_eq!(quoted_list::<&str>(&[]), "nothing");
        assert_eq!(quoted_list(&["a"]), "`a`");
        assert_eq!(quoted_list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
