//! From characters to tokens.
//!
//! Spaces and comments end here. A token borrows its text; whether a word is a keyword or a number in
//! range is the parser's question.

use std::borrow::Cow;

use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// A piece of text that the grammar speaks of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) span: Span,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    /// A keyword or the name of something.
    Word(&'a str),
    /// A quoted name.
    Quoted(Cow<'a, str>),
    /// `.1` after a name that is used more than once.
    Suffix(&'a str),
    /// Starts with a digit; may have a fraction, an exponent and a dtype at the end.
    Number(&'a str),
    /// One of [`MARKS`].
    Mark(&'static str),
    /// The end of the text.
    End,
}

impl TokenKind<'_> {
    /// What it is called in messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Word(text) | Self::Number(text) | Self::Suffix(text) => format!("`{text}`"),
            Self::Quoted(text) => format!("`{text:?}`"),
            Self::Mark(text) => format!("`{text}`"),
            Self::End => "the end of the text".to_owned(),
        }
    }
}

/// Marks, longer ones before the ones they start with.
const MARKS: [&str; 26] = [
    "->", "<<", ">>", "==", "!=", "<=", ">=", "(", ")", "{", "}", "[", "]", ",", ":", ";", "=",
    "+", "-", "*", "/", "&", "|", "^", "<", ">",
];

/// Cuts text into tokens, the last of which is [`TokenKind::End`]. Text that is none is reported and
/// left out.
pub(super) fn tokens<'a>(text: &'a str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut lexer = Lexer {
        text,
        position: 0,
        tokens: Vec::new(),
        diagnostics,
    };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a, 'd> {
    text: &'a str,
    position: usize,
    tokens: Vec<Token<'a>>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Lexer<'a, '_> {
    fn run(&mut self) {
        loop {
            self.skip_blank();
            let start = self.position;
            let Some(first) = self.rest().chars().next() else {
                self.push(TokenKind::End, start);
                return;
            };
            if first.is_alphabetic() || first == '_' {
                let word = self.take_while(|c| c.is_alphanumeric() || c == '_');
                self.push(TokenKind::Word(word), start);
                self.suffix();
            } else if first.is_ascii_digit() {
                let number = self.number();
                self.push(TokenKind::Number(number), start);
            } else if first == '"' {
                self.quoted(start);
            } else if let Some(mark) = MARKS.iter().find(|mark| self.rest().starts_with(**mark)) {
                self.position += mark.len();
                self.push(TokenKind::Mark(mark), start);
            } else {
                self.position += first.len_utf8();
                let span = self.span(start);
                self.diagnostics.push(
                    Diagnostic::error("T001", format!("`{first}` has no meaning here"))
                        .label(span, "")
                        .help("remove it; names with such characters are written in quotes"),
                );
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn span(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn push(&mut self, kind: TokenKind<'a>, start: usize) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span });
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    /// The number that tells equal names apart.
    fn suffix(&mut self) {
        let start = self.position;
        let mut characters = self.rest().chars();
        if characters.next() == Some('.') && characters.next().is_some_and(|c| c.is_ascii_digit()) {
            self.position += 1;
            let digits = self.take_while(|c| c.is_ascii_digit());
            self.push(TokenKind::Suffix(digits), start);
        }
    }

    /// Digits, a fraction, an exponent and letters, as far as they are there.
    fn number(&mut self) -> &'a str {
        let start = self.position;
        let digit = |c: char| c.is_ascii_digit();
        if self.rest().starts_with("0x") {
            self.position += 2;
            self.take_while(|c| c.is_ascii_alphanumeric());
            return &self.text[start..self.position];
        }
        self.take_while(digit);
        if self.starts_with_digit_after('.') {
            self.position += 1;
            self.take_while(digit);
        }
        if self.rest().starts_with(['e', 'E']) {
            let exponent = self.rest()[1..].trim_start_matches(['+', '-']);
            if exponent.starts_with(digit) {
                self.position = self.text.len() - exponent.len();
                self.take_while(digit);
            }
        }
        self.take_while(|c| c.is_alphanumeric() || c == '_');
        &self.text[start..self.position]
    }

    fn starts_with_digit_after(&self, first: char) -> bool {
        let mut characters = self.rest().chars();
        characters.next() == Some(first) && characters.next().is_some_and(|c| c.is_ascii_digit())
    }

    fn quoted(&mut self, start: usize) {
        let mut characters = self.rest().char_indices().skip(1);
        let mut escaped = false;
        let end = characters.find(|(_, c)| match (escaped, c) {
            (true, _) => {
                escaped = false;
                false
            }
            (false, '\\') => {
                escaped = true;
                false
            }
            (false, c) => *c == '"' || *c == '\n',
        });
        let Some((length, '"')) = end else {
            self.position = start + end.map_or(self.rest().len(), |(length, _)| length);
            return self.bad_quotes(start, "has no closing quote");
        };
        let inner = &self.rest()[1..length];
        self.position += length + 1;
        match unescape(inner) {
            Some(name) => {
                self.push(TokenKind::Quoted(name), start);
                self.suffix();
            }
            None => self.bad_quotes(start, "has an unknown escape"),
        }
    }

    fn bad_quotes(&mut self, start: usize, problem: &str) {
        let span = self.span(start);
        self.diagnostics.push(
            Diagnostic::error("T001", format!("this quoted name {problem}"))
                .label(span, "")
                .help(r#"write `"..."` on one line; escapes are `\"`, `\\` and `\u{...}`"#),
        );
    }
}

/// A name as it is written between quotes.
pub(super) fn escape(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.extend(c.escape_unicode()),
            c => text.push(c),
        }
    }
    text
}

fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut name = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        rest = match escape.chars().next()? {
            c @ ('"' | '\\') => {
                name.push(c);
                &escape[1..]
            }
            'u' => {
                let (digits, after) = escape.strip_prefix("u{")?.split_once('}')?;
                name.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                after
            }
            _ => return None,
        };
    }
    name.push_str(rest);
    Some(Cow::Owned(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        let mut diagnostics = Vec::new();
        let tokens = tokens(text, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        tokens.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn numbers_keep_fraction_exponent_and_dtype_together() {
        use TokenKind::{End, Mark, Number};
        assert_eq!(
            kinds("1 1i8 1.5e-7f32 1e9 0x7fc0 1-2"),
            [
                Number("1"),
                Number("1i8"),
                Number("1.5e-7f32"),
                Number("1e9"),
                Number("0x7fc0"),
                Number("1"),
                Mark("-"),
                Number("2"),
                End
            ]
        );
    }

    #[test]
    fn names_may_carry_a_suffix_and_quotes() {
        use TokenKind::{End, Quoted, Suffix, Word};
        assert_eq!(
            kinds(r#"x x.12 π "a b".1 "\u{a}\"" // rest"#),
            [
                Word("x"),
                Word("x"),
                Suffix("12"),
                Word("π"),
                Quoted("a b".into()),
                Suffix("1"),
                Quoted("\n\"".into()),
                End
            ]
        );
    }

    #[test]
    fn escape_is_undone_by_unescape() {
        for name in ["", "a\\b\"c", "tab\tline\n", "π", "\u{7f}"] {
            assert_eq!(unescape(&escape(name)).as_deref(), Some(name));
        }
        assert_eq!(unescape(r"\q"), None);
        assert_eq!(unescape(r"\u{110000}"), None);
    }

    #[test]
    fn what_is_no_token_is_reported_and_skipped() {
        let mut diagnostics = Vec::new();
        let tokens = tokens("a § \"open\nb", &mut diagnostics);
        assert_eq!(diagnostics.len(), 2);
        assert_eq!(tokens.len(), 3);
        assert_eq!(tokens[1].kind, TokenKind::Word("b"));
    }
}
