//! What a function did, for `inspect`.

use std::fmt::Write as _;

use situ_ir::{Source, Span};

/// Something that was done for a place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) span: Span,
    /// The device it runs on; `host` for compiled code of the host.
    pub(super) device: String,
    /// What it is.
    pub(super) what: String,
}

/// The records of a function in the order of its lines.
pub(super) fn text(name: &str, source: &Source, records: &[Record]) -> String {
    if records.is_empty() {
        return format!(
            "`{name}` has not run yet: what is compiled depends on the types that it is called with"
        );
    }
    let mut text = format!("plan of `{name}` ({})\n", source.name);
    let mut sorted: Vec<_> = records.iter().collect();
    sorted.sort_by_key(|record| record.span.start);
    let mut last = None;
    for record in sorted {
        let line = source.location(record.span.start).line;
        if last != Some(line) {
            let words = source.line_at(record.span.start).trim();
            let _ = writeln!(text, "\n{line:>5} | {words}");
            last = Some(line);
        }
        let _ = writeln!(text, "      -> {}: {}", record.device, record.what);
    }
    text
}
