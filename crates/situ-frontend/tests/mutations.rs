//! Damaged kernels: whatever is left of a source, the front end compiles or refuses it in words.
//!
//! Each case is cut off, loses a line, or has a word exchanged for another. None may panic, and none may
//! become IR that breaks the IR's rules.

mod harness;

use harness::Case;
use situ_frontend::Error;

/// Words that exchanging makes for interesting nonsense.
const WORDS: [&str; 14] = [
    "a",
    "i",
    "0",
    "-1",
    "0.5",
    "1j",
    "True",
    "situ",
    "range",
    "a.shape",
    "(1, 2)",
    "len",
    "not",
    "situ.barrier()",
];

fn check(name: &str, text: &str) {
    let case = Case::new(name, text);
    if let Err(error @ Error::Internal { .. }) = case.compile() {
        panic!("{name} made invalid IR from\n{text}\n{error}");
    }
}

fn all_texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for folder in ["accept", "reject"] {
        for (name, case) in harness::cases(folder) {
            // What is nested beyond all measure is as slow to copy as it is uninteresting.
            if name != "too_deep" {
                texts.push((name, case.source.text));
            }
        }
    }
    texts
}

/// Where the comments that describe the case end.
fn start_of_code(text: &str) -> usize {
    text.find("def ").unwrap_or(text.len())
}

#[test]
fn sources_that_end_early_are_compiled_or_refused() {
    for (name, text) in all_texts() {
        for (end, _) in text[start_of_code(&text)..].char_indices().step_by(7) {
            check(&name, &text[..start_of_code(&text) + end]);
        }
    }
}

#[test]
fn sources_without_a_line_are_compiled_or_refused() {
    for (name, text) in all_texts() {
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        for missing in 0..lines.len() {
            let rest = lines
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != missing);
            let rest: String = rest.map(|(_, line)| *line).collect();
            check(&name, &rest);
        }
    }
}

#[test]
fn sources_with_a_word_exchanged_are_compiled_or_refused() {
    for (name, text) in all_texts() {
        let is_word = |character: char| character.is_alphanumeric() || "_.".contains(character);
        let mut position = start_of_code(&text);
        while let Some(start) = text[position..].find(is_word).map(|start| position + start) {
            let end = text[start..]
                .find(|character| !is_word(character))
                .map_or(text.len(), |end| start + end);
            for word in WORDS {
                check(&name, &format!("{}{word}{}", &text[..start], &text[end..]));
            }
            position = end;
        }
    }
}
