//! Kernels that are refused, with what the user reads.

mod harness;

#[test]
fn refused_kernels_say_this() {
    for (name, case) in harness::cases("reject") {
        let Err(error) = case.compile() else {
            panic!("{name} compiled");
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots/reject");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, error.to_string()));
    }
}

/// All `K` codes in a text.
fn codes(text: &str) -> std::collections::BTreeSet<String> {
    let mut found = std::collections::BTreeSet::new();
    for (start, _) in text.match_indices('K') {
        let code: String = text[start..].chars().take(4).collect();
        let is_code = code.len() == 4 && code[1..].chars().all(|digit| digit.is_ascii_digit());
        if is_code {
            found.insert(code);
        }
    }
    found
}

fn read(path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_code_is_documented_and_shown_by_a_case() {
    let written =
        codes(&(read("src/subset.rs") + &read("src/infer/problems.rs") + &read("src/parse.rs")));
    let documented = codes(&read("../../docs/errors/kernel.md"));
    assert_eq!(written, documented);
    let mut shown = std::collections::BTreeSet::new();
    for (_, case) in harness::cases("reject") {
        if let Err(error) = case.compile() {
            shown.extend(codes(&error.to_string()));
        }
    }
    let not_shown: Vec<_> = written.difference(&shown).collect();
    assert!(not_shown.is_empty(), "no case shows {not_shown:?}");
}
