//! The tokens that are still to be read, and the small things every rule needs from them.

use super::{Key, Parse};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::span::Span;
use crate::text::lexer::{Token, TokenKind};
use crate::text::words::{RESERVED, Vocabulary, nearest};
use crate::types::Type;

/// A position in the tokens. The last token is the end and is never passed.
pub(super) struct Cursor<'a> {
    tokens: &'a [Token<'a>],
    position: usize,
}

/// The beginning of a function, up to its name.
pub(super) struct FunctionStart<'a> {
    pub(super) name: &'a str,
    /// The dimensions of a kernel.
    pub(super) dims: Option<u8>,
    pub(super) span: Span,
}

/// An unknown word, with the known ones most like it.
pub(super) fn unknown<'a>(
    what: &str,
    word: &str,
    known: impl Iterator<Item = &'a str>,
    span: Span,
) -> Diagnostic {
    let near: Vec<_> = nearest(word, known)
        .into_iter()
        .map(|word| format!("`{word}`"))
        .collect();
    let help = match near.as_slice() {
        [] => "check the spelling".to_owned(),
        [only] => format!("did you mean {only}?"),
        several => format!("did you mean one of {}?", several.join(", ")),
    };
    Diagnostic::error("T003", format!("unknown {what} `{word}`"))
        .label(span, "")
        .help(help)
}

impl<'a> Cursor<'a> {
    /// At the first of some tokens, which end in [`TokenKind::End`].
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Self {
        Self {
            tokens,
            position: 0,
        }
    }

    pub(super) fn kind(&self) -> &'a TokenKind<'a> {
        &self.tokens[self.position].kind
    }

    /// The token after the next.
    pub(super) fn second_kind(&self) -> &'a TokenKind<'a> {
        let position = (self.position + 1).min(self.tokens.len() - 1);
        &self.tokens[position].kind
    }

    /// The place of the next token.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.position].span
    }

    /// The place of the token that was read last.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.position.saturating_sub(1)].span
    }

    pub(super) fn at_end(&self) -> bool {
        *self.kind() == TokenKind::End
    }

    pub(super) fn advance(&mut self) {
        if !self.at_end() {
            self.position += 1;
        }
    }

    /// Whether the next token is a mark.
    pub(super) fn is(&self, mark: &str) -> bool {
        matches!(self.kind(), TokenKind::Mark(found) if *found == mark)
    }

    /// Reads a mark if it is next.
    pub(super) fn accept(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Reads a word if it is next.
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.kind(), TokenKind::Word(found) if *found == word);
        if found {
            self.advance();
        }
        found
    }

    /// Reads a mark that must be next.
    pub(super) fn expect(&mut self, mark: &'static str) -> Parse<()> {
        if self.accept(mark) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{mark}`")).into())
        }
    }

    /// The next token is not what was expected.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = self.kind().describe();
        Diagnostic::error("T002", format!("expected {expected}, found {found}"))
            .label(self.span(), "")
            .help("the grammar is in the documentation of `situ_ir::text`")
    }

    /// Reads the name of something in a function.
    pub(super) fn name(&mut self, what: &str) -> Parse<Key<'a>> {
        let name: &'a str = match self.kind() {
            TokenKind::Word(word) if !RESERVED.contains(word) => word,
            TokenKind::Quoted(name) => name,
            _ => return Err(self.unexpected(what).into()),
        };
        self.advance();
        let TokenKind::Suffix(digits) = self.kind() else {
            return Ok((name, None));
        };
        let number = digits.parse().map_err(|_| {
            Diagnostic::error(
                "T004",
                format!("the number `{digits}` of a name is too large"),
            )
            .label(self.span(), "")
            .help("use a smaller one")
        })?;
        self.advance();
        Ok((name, Some(number)))
    }

    /// Reads a name in quotes.
    pub(super) fn quoted(&mut self, what: &str) -> Parse<&'a str> {
        match self.kind() {
            TokenKind::Quoted(name) => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected(&format!("{what} in quotes")).into()),
        }
    }

    /// Reads an integer without sign and dtype.
    pub(super) fn integer<T: TryFrom<u64>>(&mut self, what: &str) -> Parse<T> {
        let TokenKind::Number(text) = self.kind() else {
            return Err(self.unexpected(what).into());
        };
        let number = text
            .parse()
            .ok()
            .and_then(|number: u64| number.try_into().ok());
        let number = number.ok_or_else(|| {
            Diagnostic::error("T004", format!("`{text}` cannot be {what}"))
                .label(self.span(), "")
                .help("write a smaller integer without sign and dtype")
        })?;
        self.advance();
        Ok(number)
    }

    /// Reads one of the words that stand for a `T`.
    pub(super) fn vocabulary<T: Vocabulary>(&mut self) -> Parse<T> {
        let TokenKind::Word(word) = self.kind() else {
            return Err(self.unexpected(&format!("a {}", T::WHAT)).into());
        };
        let known = T::WORDS.iter().find(|known| known.word() == *word);
        let known = known.ok_or_else(|| {
            let words = T::WORDS.iter().map(|known| known.word());
            unknown(T::WHAT, word, words, self.span())
        })?;
        self.advance();
        Ok(*known)
    }

    /// Reads a type.
    pub(super) fn ty(&mut self) -> Parse<Type> {
        if let TokenKind::Word("global" | "local" | "private") = self.kind() {
            let space = self.vocabulary()?;
            let element = self.vocabulary()?;
            self.expect("*")?;
            Ok(Type::Pointer { element, space })
        } else {
            self.vocabulary::<DType>().map(Type::Scalar)
        }
    }

    /// Reads the beginning of a function.
    pub(super) fn function_start(&mut self) -> Parse<FunctionStart<'a>> {
        let start = self.span();
        let dims = if self.accept_word("kernel") {
            self.expect("[")?;
            let dims = self.integer("the number of dimensions")?;
            self.expect("]")?;
            Some(dims)
        } else if self.accept_word("device") {
            None
        } else {
            return Err(self.unexpected("`kernel` or `device`").into());
        };
        let name = match self.kind() {
            TokenKind::Word(word) if !RESERVED.contains(word) => word,
            TokenKind::Quoted(name) => &**name,
            _ => return Err(self.unexpected("the name of a function").into()),
        };
        self.advance();
        Ok(FunctionStart {
            name,
            dims,
            span: start.join(self.last_span()),
        })
    }

    /// Skips parameters and reads the result type after them, if there is one.
    pub(super) fn declared_result(&mut self) -> Option<DType> {
        while !self.at_end() && !self.is("{") && !self.is("->") {
            self.advance();
        }
        if self.accept("->") {
            self.vocabulary().ok()
        } else {
            None
        }
    }

    /// Goes on to where the next function seems to start.
    pub(super) fn skip_to_function(&mut self) {
        // The token that was wrong may itself be such a word.
        self.advance();
        while !self.at_end() && !self.at_function() {
            self.advance();
        }
    }

    /// Whether a function starts here; `device` alone is also a memory scope.
    fn at_function(&self) -> bool {
        matches!(
            (self.kind(), self.second_kind()),
            (TokenKind::Word("kernel"), TokenKind::Mark("["))
                | (
                    TokenKind::Word("device"),
                    TokenKind::Word(_) | TokenKind::Quoted(_)
                )
        )
    }
}
