//! Names that the IR and every target language accept.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A name in ASCII: other characters, which Python allows, are written as their code points.
pub(crate) fn ascii_name(name: &str) -> String {
    let mut ascii = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || character == '_' {
            ascii.push(character);
        } else {
            let _ = write!(ascii, "u{:x}", u32::from(character));
        }
    }
    if ascii.is_empty() || ascii.starts_with(|first: char| first.is_ascii_digit()) {
        ascii.insert(0, '_');
    }
    ascii
}

/// The name itself if it is not taken, else with a number; taken from now on.
pub(crate) fn unique_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut number = 0;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{name}_{number}");
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_ascii() {
        assert_eq!(ascii_name("total"), "total");
        assert_eq!(ascii_name("π2"), "u3c02");
        assert_eq!(ascii_name(""), "_");
    }

    #[test]
    fn taken_names_get_a_number() {
        let mut taken = BTreeSet::from(["x_shape_0".to_owned()]);
        assert_eq!(unique_name("x_shape_0", &mut taken), "x_shape_0_1");
        assert_eq!(unique_name("x_shape_0", &mut taken), "x_shape_0_2");
        assert_eq!(unique_name("y", &mut taken), "y");
    }
}
