//! What a function looks like from outside, and the memory it declares.
//!
//! Invariants:
//! * function names are C identifiers and unique in the module (`V010`, `V011`);
//! * parameter names are unique in the function (`V012`);
//! * kernels have 1 to 3 dimensions (`V013`) and no result (`V014`);
//! * a kernel's pointer parameters are into global or local memory (`V015`);
//! * device functions have no local arrays (`V016`); no array is in global memory (`V017`);
//! * arrays have at least one element (`V018`), and a function's arrays take at most
//!   [`MAX_LOCAL_BYTES`] and, with those of the functions it calls, [`MAX_PRIVATE_BYTES`] (`V019`).

use std::collections::HashMap;

use super::{Checker, FunctionInfo, a, count};
use crate::diagnostic::Diagnostic;
use crate::module::FunctionKind;
use crate::types::{AddressSpace, Type};

/// The most bytes of local arrays a kernel may have. Devices have less; that is checked at launch.
pub const MAX_LOCAL_BYTES: u64 = 16 << 20;

/// The most bytes of private arrays a function may have, with those of the functions it calls.
/// Private arrays live on the stack of a worker thread, which must not overflow.
pub const MAX_PRIVATE_BYTES: u64 = 256 << 10;

/// Whether C would take this as an identifier.
fn is_c_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

impl Checker<'_> {
    pub(super) fn check_signature(&mut self) {
        self.check_name();
        self.check_parameters();
        if let FunctionKind::Kernel { dims } = self.function.kind {
            self.check_kernel(dims);
        }
        self.check_arrays();
    }

    fn check_name(&mut self) {
        let (name, span) = (&self.function.name, self.function.span);
        if !is_c_identifier(name) {
            self.push(
                Diagnostic::error("V010", format!("`{name}` cannot be the name of a function"))
                    .label(span, "")
                    .why("names of functions become symbols of compiled code")
                    .help("use letters, digits and `_`, and do not start with a digit"),
            );
        }
        let first = self.module.function(name).map(|(first, _)| first);
        if let Some(first) = first.filter(|first| *first != self.handle) {
            let earlier = self.module.functions[first].span;
            self.push(
                Diagnostic::error("V011", format!("two functions are called `{name}`"))
                    .label(span, "the second one")
                    .label(earlier, "the first one")
                    .why("launches and compiled code find functions by name")
                    .help("give one of them another name"),
            );
        }
    }

    fn check_parameters(&mut self) {
        let mut seen = HashMap::new();
        for parameter in &self.function.parameters {
            if let Some(first) = seen.insert(&parameter.name, parameter.span) {
                let function = self.name();
                let diagnostic = Diagnostic::error(
                    "V012",
                    format!(
                        "`{function}` has two parameters called `{}`",
                        parameter.name
                    ),
                )
                .label(parameter.span, "the second one")
                .label(first, "the first one")
                .why("messages and launches name parameters")
                .help("give one of them another name");
                self.push(diagnostic);
            }
        }
    }

    fn check_kernel(&mut self, dims: u8) {
        let span = self.function.span;
        if !(1..=3).contains(&dims) {
            let diagnostic = Diagnostic::error(
                "V013",
                format!(
                    "kernel `{}` has {}",
                    self.name(),
                    count(dims.into(), "dimension")
                ),
            )
            .label(span, "")
            .why("kernels are launched over ranges of 1 to 3 dimensions")
            .help("fold further dimensions into one of them and compute the ids by division");
            self.push(diagnostic);
        }
        if let Some(result) = self.function.result {
            let diagnostic = Diagnostic::error(
                "V014",
                format!("kernel `{}` returns {}", self.name(), a(result)),
            )
            .label(span, "")
            .why("every work-item runs the kernel, so there is no single caller to return to")
            .help("pass a pointer and store the result there");
            self.push(diagnostic);
        }
        for parameter in &self.function.parameters {
            let Type::Pointer {
                space: AddressSpace::Private,
                ..
            } = parameter.ty
            else {
                continue;
            };
            let diagnostic = Diagnostic::error(
                "V015",
                format!(
                    "parameter `{}` of kernel `{}` points into private memory",
                    parameter.name,
                    self.name()
                ),
            )
            .label(parameter.span, "")
            .why("private memory belongs to one work-item and exists only while that one runs")
            .help("take a `global` or `local` pointer, or declare a private array in the kernel");
            self.push(diagnostic);
        }
    }

    fn check_arrays(&mut self) {
        let mut local_bytes = 0_u64;
        for (handle, array) in self.function.arrays.iter() {
            let span = self.function.arrays.span(handle);
            let name = &array.name;
            match array.space {
                AddressSpace::Global => self.push(
                    Diagnostic::error("V017", format!("array `{name}` is in global memory"))
                        .label(span, "")
                        .why("global memory is allocated by the host and outlives the launch")
                        .help("pass it as a parameter, or make the array local or private"),
                ),
                AddressSpace::Local if !self.function.is_kernel() => self.push(
                    Diagnostic::error(
                        "V016",
                        format!(
                            "device function `{}` has the local array `{name}`",
                            self.name()
                        ),
                    )
                    .label(span, "")
                    .why("local memory belongs to a work-group and is laid out once for a kernel")
                    .help("declare the array in the kernel and pass a `local` pointer to it"),
                ),
                AddressSpace::Local => {
                    local_bytes = local_bytes.saturating_add(array.size_bytes());
                }
                AddressSpace::Private => {}
            }
            if array.length == 0 {
                self.push(
                    Diagnostic::error("V018", format!("array `{name}` has no elements"))
                        .label(span, "")
                        .help("give it a length of at least 1, or leave it out"),
                );
            }
        }
        if local_bytes > MAX_LOCAL_BYTES {
            self.push_too_large(AddressSpace::Local, local_bytes, MAX_LOCAL_BYTES);
        }
    }

    /// Private arrays of called functions count too, so this comes after the calls were looked at.
    pub(super) fn check_private_bytes(&mut self, info: &FunctionInfo) {
        if info.private_bytes > MAX_PRIVATE_BYTES {
            self.push_too_large(AddressSpace::Private, info.private_bytes, MAX_PRIVATE_BYTES);
        }
    }

    fn push_too_large(&mut self, space: AddressSpace, bytes: u64, limit: u64) {
        let largest = self
            .function
            .arrays
            .iter()
            .filter(|(_, array)| array.space == space)
            .max_by_key(|(_, array)| array.size_bytes());
        let mut diagnostic = Diagnostic::error(
            "V019",
            format!(
                "the {space} arrays of `{}` take {bytes} bytes; the limit is {limit}",
                self.name()
            ),
        );
        if let Some((handle, array)) = largest {
            diagnostic = diagnostic
                .label(self.function.arrays.span(handle), "the largest one")
                .why(format!(
                    "`{}` alone takes {} bytes",
                    array.name,
                    array.size_bytes()
                ));
        } else {
            diagnostic = diagnostic.why("the arrays are in the functions it calls");
        }
        self.push(
            diagnostic.help("use a smaller array, or an array argument, which is global memory"),
        );
    }
}
