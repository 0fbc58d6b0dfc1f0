//! The parser, printer and validator take anything.
//!
//! Whatever text is parsed, nothing panics and the stack does not overflow. Whatever is accepted prints
//! as text that prints the same again, and can be validated.

use crate::case_file;
use proptest::prelude::*;
use situ_ir::validate::{MAX_BLOCK_DEPTH, MAX_EXPRESSION_DEPTH};
use situ_ir::{Source, text, validate};

/// Takes a text through everything that takes texts; says whether it was accepted.
fn survive(input: &str) -> bool {
    let module = match text::parse(Source::new("input", input)) {
        Ok(module) => module,
        Err(diagnostics) => {
            assert!(diagnostics.has_errors());
            assert!(!diagnostics.to_string().is_empty());
            return false;
        }
    };
    let printed = text::print(&module);
    let again = text::parse(Source::new("printed", &printed)).expect("printed text is read");
    assert_eq!(text::print(&again), printed);
    if let Err(diagnostics) = validate(module) {
        assert!(!diagnostics.to_string().is_empty());
    }
    true
}

/// The texts of all cases.
fn case_texts() -> Vec<String> {
    let files = case_file::files();
    files
        .iter()
        .flat_map(|file| case_file::read(file).1)
        .map(|case| case.text)
        .collect()
}

/// The pieces that texts of cases are made of.
fn case_words() -> Vec<String> {
    let mut words = Vec::new();
    for text in case_texts() {
        let code = text.lines().filter(|line| !line.starts_with("//"));
        for line in code {
            let mut word = String::new();
            for c in line.chars() {
                if c.is_alphanumeric() || c == '_' {
                    word.push(c);
                } else {
                    words.extend([std::mem::take(&mut word), c.to_string()]);
                }
            }
            words.push(word);
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_characters_survive(input in ".{0,200}") {
        survive(&input);
    }

    #[test]
    fn random_words_survive(words in prop::collection::vec(prop::sample::select(case_words()), 0..120)) {
        survive(&format!("kernel[1] f(x: global f64*, n: i64) {{ {}", words.join(" ")));
        survive(&words.join(" "));
    }

    #[test]
    fn changed_cases_survive(
        text in prop::sample::select(case_texts()),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..6, prop::sample::select(case_words())),
            1..4,
        ),
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        for (place, removed, inserted) in changes {
            let start = place.index(characters.len() + 1);
            let end = (start + removed).min(characters.len());
            characters.splice(start..end, inserted.chars());
        }
        survive(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn exchanged_words_survive(
        text in prop::sample::select(case_texts()),
        first in any::<prop::sample::Index>(),
        second in any::<prop::sample::Index>(),
    ) {
        // Keeps the grammar more often than changes of characters, so that more gets to validation.
        let mut words: Vec<&str> = text.split_inclusive([' ', '(', ')', '[', ']', ',']).collect();
        let (first, second) = (first.index(words.len()), second.index(words.len()));
        words.swap(first, second);
        survive(&words.concat());
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let nest = |open: &str, close: &str, depth: usize, inner: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let kernel = |body: &str| format!("kernel[1] f(x: global i64*) {{ {body} }}");
    let accepted = |text: &str| survive(&kernel(text));
    let refused = |text: &str| {
        let diagnostics = text::parse(Source::new("input", kernel(text))).unwrap_err();
        assert_eq!(diagnostics.list[0].code, "T005");
    };

    let negated = |depth| format!("x[0] = {};", nest("neg(", ")", depth, "1"));
    assert!(accepted(&negated(MAX_EXPRESSION_DEPTH - 1)));
    refused(&negated(100_000));
    refused(&format!("x[0] = {};", nest("(", ")", 100_000, "1")));
    refused(&format!("x[0] = {};", nest("x[", "]", 100_000, "1")));
    refused(&format!("x[0] = {};", nest("(1 + ", ")", 100_000, "1")));

    assert!(accepted(&nest(
        "loop { ",
        "}",
        MAX_BLOCK_DEPTH - 1,
        "break;"
    )));
    refused(&nest("loop { ", "}", 100_000, ""));
    refused(&nest("if true {} else ", "", 100_000, "{}"));
    assert!(accepted(&nest(
        "if true {} else ",
        "",
        MAX_BLOCK_DEPTH - 2,
        "{}"
    )));
}

#[test]
fn long_chains_that_do_not_nest_survive() {
    // Loads of loads nest in the module, not in the text. They are not printed in full.
    let loads = format!(
        "kernel[1] f(x: global i64*) {{ let y = x{}; }}",
        "[0]".repeat(50_000)
    );
    let module = text::parse(Source::new("input", loads)).unwrap();
    assert!(text::print(&module).contains("..."));
    let diagnostics = validate(module).unwrap_err();
    assert_eq!(diagnostics.list[0].code, "V006");
    survive(&format!(
        "kernel[1] f() {{ {} }}",
        "loop { break; }".repeat(50_000)
    ));
}
