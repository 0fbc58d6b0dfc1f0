//! What is wrong with a program, as data.
//!
//! A [`Diagnostic`] has a stable code, one terse message, labelled places in the source, the reason
//! (`why`) and the way out (`help`). Stages *collect* diagnostics instead of stopping at the first.
//! Rendering is separate from finding: [`Diagnostic::render`] draws the source line with carets.

use std::fmt::{self, Write as _};

use crate::span::{Source, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program runs, but probably not as its author hopes.
    Warning,
}

/// A place in the source with a word about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// One finding about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code such as `K021` (front end) or `V003` (validator); each has a page in the docs.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The headline: lower-case, no full stop.
    pub message: String,
    /// Places, the first being the main one.
    pub labels: Vec<Label>,
    /// Reasons, in the user's words.
    pub why: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error with a headline and nothing else yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            why: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning with a headline and nothing else yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// Adds a labelled place; a span without source is left out.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        if span.is_some() {
            self.labels.push(Label {
                span,
                text: text.into(),
            });
        }
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn why(mut self, reason: impl Into<String>) -> Self {
        self.why.push(reason.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, advice: impl Into<String>) -> Self {
        self.help.push(advice.into());
        self
    }

    /// Draws the diagnostic with the source lines it points at.
    pub fn render(&self, source: Option<&Source>) -> String {
        let mut text = String::new();
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let _ = writeln!(text, "{severity}[{}]: {}", self.code, self.message);
        let places = source.map_or(0, |source| self.render_labels(source, &mut text));
        let indent = " ".repeat(places);
        for why in &self.why {
            let _ = writeln!(text, "{indent} = why:  {why}");
        }
        for help in &self.help {
            let _ = writeln!(text, "{indent} = help: {help}");
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Draws every label and returns the width of the line-number gutter.
    fn render_labels(&self, source: &Source, text: &mut String) -> usize {
        let Some(main) = self.labels.first() else {
            return 0;
        };
        let location = source.location(main.span.start);
        let last = self
            .labels
            .iter()
            .map(|label| source.location(label.span.start).line)
            .max();
        let gutter = last.unwrap_or(location.line).to_string().len();
        let pad = " ".repeat(gutter);
        let _ = writeln!(
            text,
            "{pad}--> {}:{}:{}",
            source.name, location.line, location.column
        );
        let _ = writeln!(text, "{pad} |");
        for label in &self.labels {
            let at = source.location(label.span.start);
            let line = source.line_at(label.span.start);
            let _ = writeln!(text, "{:>gutter$} | {line}", at.line);
            let before: String = line
                .chars()
                .take(at.column as usize - 1)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let rest = line.chars().count().saturating_sub(at.column as usize - 1);
            let covered = source.slice(label.span);
            let width = covered
                .lines()
                .next()
                .unwrap_or("")
                .chars()
                .count()
                .min(rest)
                .max(1);
            let carets = "^".repeat(width);
            let _ = writeln!(text, "{pad} | {before}{carets} {}", label.text);
            // A label without words must not leave a trailing blank.
            let trimmed = text.trim_end().len();
            text.truncate(trimmed);
            text.push('\n');
        }
        gutter
    }
}

/// One or more diagnostics that together refuse a program, with the source they point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The findings, in source order as far as it is known.
    pub list: Vec<Diagnostic>,
    /// The text the spans index into, if there is one.
    pub source: Option<Source>,
}

impl Diagnostics {
    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.list
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            f.write_str(&diagnostic.render(self.source.as_ref()))?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn render_draws_source_line_carets_why_and_help() {
        let source =
            Source::new("blur.py", "def f():\n    return total / n\n").starting_at_line(13);
        let rendered = Diagnostic::error("K021", "a kernel cannot return a value")
            .label(Span::new(13, 29), "this value has nowhere to go")
            .why("every work-item runs the function, so there is no single caller to return to")
            .help("pass an output array and write `out[i] = total / n`")
            .render(Some(&source));
        let expected = "\
error[K021]: a kernel cannot return a value
  --> blur.py:14:5
   |
14 |     return total / n
   |     ^^^^^^^^^^^^^^^^ this value has nowhere to go
   = why:  every work-item runs the function, so there is no single caller to return to
   = help: pass an output array and write `out[i] = total / n`";
        assert_eq!(rendered, expected);
    }

    #[test]
    fn render_without_source_keeps_the_words() {
        let rendered = Diagnostic::warning("K100", "slow")
            .why("strided")
            .render(None);
        assert_eq!(rendered, "warning[K100]: slow\n = why:  strided");
    }
}
