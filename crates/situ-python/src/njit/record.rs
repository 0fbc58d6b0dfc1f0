//! What a function did, for `inspect`.

use std::fmt::Write as _;

use situ_ir::{Source, Span};
use situ_runtime::Device;

/// Something that was done for a place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) span: Span,
    /// The device it runs on; `host` for compiled code of the host.
    pub(super) device: String,
    /// What it is.
    pub(super) what: String,
}

/// A kernel that an expression becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotedKernel {
    pub(super) span: Span,
    pub(super) device: Device,
    pub(super) operations: usize,
    /// What becomes of its result.
    pub(super) how: &'static str,
}

impl NotedKernel {
    /// The kernel in words.
    pub(super) fn record(&self) -> Record {
        let (count, how) = (self.operations, self.how);
        let operations = if count == 1 {
            "operation"
        } else {
            "operations"
        };
        Record {
            span: self.span,
            device: self.device.filter_string(),
            what: format!("kernel of {count} {operations}, {how}"),
        }
    }
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
