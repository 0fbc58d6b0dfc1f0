//! Names in emitted text.
//!
//! The user's names are kept where that is possible, so that emitted code can be read. What the
//! target language cannot spell is replaced by `_`; words it reserves and names that are taken get a
//! number.

use std::collections::HashSet;

/// Hands out names that are unique in one scope of emitted text.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A scope in which the reserved words are taken.
    pub fn new(reserved: &[&str]) -> Self {
        Self {
            taken: reserved.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    /// A name that is not taken, as near to `wanted` as possible: an ASCII identifier.
    pub fn unique(&mut self, wanted: &str) -> String {
        let stem = identifier(wanted);
        let mut name = stem.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{stem}_{number}");
        }
        name
    }
}

/// `name` with everything that is not an ASCII letter, digit or `_` replaced by `_`.
fn identifier(name: &str) -> String {
    let mut identifier: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if identifier.is_empty() || identifier.starts_with(|c: char| c.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    identifier
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_when_free_and_numbered_when_taken() {
        let mut names = Names::new(&["float"]);
        assert_eq!(names.unique("x"), "x");
        assert_eq!(names.unique("x"), "x_2");
        assert_eq!(names.unique("x"), "x_3");
        assert_eq!(names.unique("x_2"), "x_2_2");
        assert_eq!(names.unique("float"), "float_2");
    }

    #[test]
    fn names_become_identifiers() {
        let mut names = Names::default();
        assert_eq!(names.unique("größe"), "gr__e");
        assert_eq!(names.unique("2x"), "_2x");
        assert_eq!(names.unique(""), "_");
    }
}
