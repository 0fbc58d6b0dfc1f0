//! Every code of a diagnostic is shown by a case or test and has a place in the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All codes of a kind (`V`, `T` or `F` and three digits in quotes or brackets) that a text mentions.
fn codes(text: &str, kind: char) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for (at, _) in text.match_indices(kind) {
        let Some(code) = text.get(at..at + 4) else {
            continue;
        };
        let enclosed = |c: char| matches!(c, '"' | '[' | ']' | '`');
        let before = text[..at].chars().next_back().is_some_and(enclosed);
        let after = text[at + 4..].chars().next().is_some_and(enclosed);
        if before && after && code[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            codes.insert(code.to_owned());
        }
    }
    codes
}

fn read_folder(folder: &Path, extension: &str) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            text += &read_folder(&path, extension);
        } else if path.extension().is_some_and(|found| found == extension) {
            text += &fs::read_to_string(path).expect("sources are text");
        }
    }
    text
}

fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_code_is_shown_and_documented() {
    let sources = crate_folder().join("src");
    let tests = crate_folder().join("tests");
    let shown = read_folder(&tests, "sir") + &read_folder(&tests, "rs");
    let shown_in_units = read_folder(&sources.join("text"), "rs");
    let mut unit_tests: String = shown_in_units.split("#[cfg(test)]").skip(1).collect();
    unit_tests += &read_folder(&sources.join("interpret/tests"), "rs");
    let manual = crate_folder().join("../../docs/errors");
    for (kind, folder, page) in [
        ('V', "validate", "validator.md"),
        ('T', "text", "text-format.md"),
        ('F', "interpret", "faults.md"),
    ] {
        let given = codes(&read_folder(&sources.join(folder), "rs"), kind);
        assert!(given.len() >= 6, "found only {given:?}");
        let tested: BTreeSet<_> = codes(&(shown.clone() + &unit_tests), kind);
        let missing: Vec<_> = given.difference(&tested).collect();
        assert!(missing.is_empty(), "no test shows {missing:?}");
        let page = fs::read_to_string(manual.join(page)).expect("the manual has the page");
        assert_eq!(codes(&page, kind), given, "the page and the source differ");
    }
}
