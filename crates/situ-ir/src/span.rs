//! Places in source text.
//!
//! A [`Span`] is a half-open byte range of one [`Source`]. A module has at most one source, so spans
//! need no file id. Nodes made by programs rather than read from text have [`Span::NONE`].

/// A half-open byte range of the module's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of nodes that have no source.
    pub const NONE: Self = Self {
        start: u32::MAX,
        end: u32::MAX,
    };

    /// The span from `start` up to, not including, `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Whether this points at source text at all.
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }

    /// The smallest span that covers both; a span without source does not count.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self.is_some(), other.is_some()) {
            (true, true) => Self {
                start: self.start.min(other.start),
                end: self.end.max(other.end),
            },
            (true, false) => self,
            (false, _) => other,
        }
    }
}

/// A line and column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line as the user's editor numbers it.
    pub line: u32,
    /// The column in characters.
    pub column: u32,
}

/// A piece of source text with the name the user knows it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name, or a description such as `<stdin>`.
    pub name: String,
    /// The text that spans index into.
    pub text: String,
    /// The number of the text's first line in the user's file, counted from 1.
    pub first_line: u32,
}

impl Source {
    /// A source that starts at line 1.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            first_line: 1,
        }
    }

    /// The same source, whose text starts at `first_line` of the user's file.
    #[must_use]
    pub fn starting_at_line(mut self, first_line: u32) -> Self {
        self.first_line = first_line;
        self
    }

    /// The line and column of a byte offset; offsets past the end give the end.
    pub fn location(&self, offset: u32) -> Location {
        let offset = self.clamp(offset);
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() as u32 + self.first_line;
        let column = self.text[line_start..offset].chars().count() as u32 + 1;
        Location { line, column }
    }

    /// The text of the line that contains a byte offset, without its line break.
    pub fn line_at(&self, offset: u32) -> &str {
        let offset = self.clamp(offset);
        let start = self.text[..offset]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let end = self.text[offset..]
            .find('\n')
            .map_or(self.text.len(), |n| offset + n);
        self.text[start..end].trim_end_matches('\r')
    }

    /// The text of a span; empty if the span lies outside.
    pub fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The nearest character boundary at or before the offset, inside the text.
    fn clamp(&self, offset: u32) -> usize {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_counts_characters_from_the_first_line() {
        let source = Source::new("a.py", "x = 1\nπ = x\n").starting_at_line(10);
        assert_eq!(
            source.location(0),
            Location {
                line: 10,
                column: 1
            }
        );
        assert_eq!(
            source.location(8),
            Location {
                line: 11,
                column: 2
            }
        );
        assert_eq!(source.line_at(7), "π = x");
        assert_eq!(
            source.location(999),
            Location {
                line: 12,
                column: 1
            }
        );
    }

    #[test]
    fn join_ignores_missing_spans() {
        let span = Span::new(3, 5);
        assert_eq!(span.join(Span::NONE), span);
        assert_eq!(Span::NONE.join(span), span);
        assert_eq!(span.join(Span::new(1, 4)), Span::new(1, 5));
    }
}
