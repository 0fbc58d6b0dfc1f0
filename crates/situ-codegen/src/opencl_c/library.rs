//! The functions that emitted code calls and the language does not have.
//!
//! Operations that the IR defines for every input and C does not (division, shifts, conversions,
//! minimum and maximum), and operations that OpenCL C lacks (float atomics, ordered collectives)
//! become calls of small functions. Each is written once, at the top of the program, and only if
//! something calls it. What the functions are is in [`super::builtins`], [`super::atomics`] and
//! [`super::collectives`]; this file keeps the list.

use std::collections::HashSet;

use situ_ir::DType;

use super::types;

/// The functions that a program needs so far, in the order they were asked for.
#[derive(Debug, Default)]
pub(super) struct Library {
    names: HashSet<String>,
    text: String,
}

impl Library {
    /// Adds a function, unless it is there. Returns its name.
    ///
    /// `define` gets the library for the functions that this one calls, and the name.
    pub(super) fn require(
        &mut self,
        name: String,
        define: impl FnOnce(&mut Self, &str) -> String,
    ) -> String {
        debug_assert!(
            super::reserved_words::avoid(&name) != name,
            "`{name}` is a name that users can have"
        );
        if self.names.insert(name.clone()) {
            let definition = define(self, &name);
            self.text.push_str(&definition);
            self.text.push_str("\n\n");
        }
        name
    }

    /// The definitions, each with an empty line after it.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// Whether a function of the library can have this name.
pub(super) fn may_define(name: &str) -> bool {
    if WORK_ITEM_FUNCTIONS.contains(&name) {
        return true;
    }
    let is_scalar_type = |suffix: &str| {
        DType::ALL
            .iter()
            .any(|dtype| !dtype.is_complex() && types::word(*dtype) == suffix)
    };
    name.rsplit_once('_').is_some_and(|(stem, suffix)| {
        let is_stem =
            STEMS.contains(&stem) || stem.ends_with("_from") || stem.starts_with("group_");
        is_stem && is_scalar_type(suffix)
    })
}

/// Beginnings of names that end with a type. `atomic_` and `sub_group_` belong to OpenCL anyway.
const STEMS: [&str; 21] = [
    "absolute",
    "divide",
    "remainder",
    "shift_left",
    "shift_right",
    "minimum",
    "maximum",
    "minimum_number",
    "maximum_number",
    "rint",
    "floor",
    "ceil",
    "trunc",
    "exp",
    "exp2",
    "expm1",
    "sinh",
    "cosh",
    "tanh",
    "tgamma",
    "pow",
];

/// Names of functions about the running work-item.
const WORK_ITEM_FUNCTIONS: [&str; 10] = [
    "global_id_along",
    "local_id_along",
    "group_id_along",
    "global_size_along",
    "local_size_along",
    "group_count_along",
    "linear_global_id",
    "linear_local_id",
    "linear_group_id",
    "local_item_count",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognised() {
        for name in ["divide_long", "uchar_from_double", "group_reduce_add_float"] {
            assert!(may_define(name), "{name}");
        }
        for name in ["divide", "divide_by", "group_total", "from_x", "long"] {
            assert!(!may_define(name), "{name}");
        }
    }

    #[test]
    fn a_function_is_defined_once_and_after_what_it_calls() {
        let mut library = Library::default();
        for _ in 0..2 {
            library.require("divide_int".to_owned(), |library, name| {
                let inner =
                    library.require("remainder_int".to_owned(), |_, name| format!("{name};"));
                format!("{name} uses {inner};")
            });
        }
        assert_eq!(
            library.into_text(),
            "remainder_int;\n\ndivide_int uses remainder_int;\n\n"
        );
    }
}
