//! What the rules of compiled code are called in functions of the host.
//!
//! Such a function is compiled by the same rules as a kernel, and the findings are written for kernels. A user who has
//! never heard of kernels should not read of them, so the noun is exchanged.

use situ_ir::Diagnostic;

use crate::error::{Error, Refusal};

/// What is said of kernels, and what is said of functions of the host instead.
const WORDS: [(&str, &str); 3] = [
    ("a kernel", "an njit function"),
    ("the kernel", "the njit function"),
    ("kernels", "njit functions"),
];

/// A refusal of a function of the host.
pub(super) fn in_host_words(mut refusal: Refusal) -> Error {
    for report in &mut refusal.reports {
        report.list.iter_mut().for_each(reword);
    }
    Error::Refused(refusal)
}

fn reword(diagnostic: &mut Diagnostic) {
    // Unlike kernels, these functions raise exceptions.
    if diagnostic.message == "a kernel cannot catch exceptions" {
        for label in &mut diagnostic.labels {
            label.text = String::from("an exception ends the function");
        }
        diagnostic.why = vec!["an exception is made after the compiled code has ended".to_owned()];
        diagnostic.help = vec![
            "test for the condition before, e.g. `if n != 0:`, or catch around the call".to_owned(),
        ];
    }
    match diagnostic.code {
        "K023" => {
            for label in &mut diagnostic.labels {
                label.text = String::from("a compiled function runs from start to end");
            }
            diagnostic.why = vec!["it cannot stop in the middle and go on later".to_owned()];
            diagnostic.help = vec![
                "store the values in an array and return that, e.g. `out = np.empty(n)`".to_owned(),
            ];
        }
        "K044" => {
            for label in &mut diagnostic.labels {
                label.text = String::from("a number is assigned to it here");
            }
            diagnostic.why = vec!["a variable is an array or a number, and stays that".to_owned()];
            diagnostic.help = vec!["use another name for the number".to_owned()];
        }
        "K061" => {
            diagnostic.why = vec!["this statement is compiled for numbers and elements".to_owned()];
        }
        _ => {}
    }
    let labels = diagnostic.labels.iter_mut().map(|label| &mut label.text);
    let texts = std::iter::once(&mut diagnostic.message)
        .chain(labels)
        .chain(&mut diagnostic.why)
        .chain(&mut diagnostic.help);
    for text in texts {
        *text = reworded(text);
    }
}

/// Text with other words; what stands between backquotes is the user's or an API's, and stays.
fn reworded(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| {
        let is_quoted = index % 2 == 1;
        if is_quoted {
            return part.to_owned();
        }
        let exchange = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
        WORDS.iter().fold(part.to_owned(), exchange)
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_become_njit_functions_but_not_in_code() {
        assert_eq!(
            reworded("a kernel cannot use `a kernel`; kernels are compiled"),
            "an njit function cannot use `a kernel`; njit functions are compiled"
        );
        assert_eq!(
            reworded("around the call of the kernel"),
            "around the call of the njit function"
        );
    }
}
