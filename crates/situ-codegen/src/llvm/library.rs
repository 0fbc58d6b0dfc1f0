//! What a module needs beside its own functions.
//!
//! Emitted code refers to LLVM's intrinsics, to functions of the C library and to small functions
//! of our own. [`Library`] writes each of them once, in the order of their names, so that the text
//! does not depend on the order of first use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::abi::BLOCK_ALIGN_BYTES;
use super::target::TargetOptions;

/// The attributes of functions whose result depends on their arguments alone.
pub(super) const PURE: &str = "nofree nosync nounwind willreturn memory(none)";

/// Marks an access that is independent of those of other work-items.
pub(super) const INDEPENDENT: &str = ", !llvm.access.group !0";

/// The kind of metadata that marks the load of a pointer to memory that is written past the cache. LLVM does not
/// vectorise stores that say so themselves; who runs its passes marks them afterwards.
pub const STREAMED: &str = "situ.streamed";

/// How much each round of a loop over work-items does when LLVM has vectorised it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// As much as LLVM likes.
    Any,
    /// So many vectors.
    Vectors(u8),
    /// So many work-items, in vectors that may be wider than those of the processor.
    Items(u8),
}

/// Declarations and small functions that emitted code refers to.
#[derive(Debug)]
pub(super) struct Library<'a> {
    /// The processor's facts.
    pub(super) options: &'a TargetOptions,
    declarations: BTreeMap<String, String>,
    definitions: BTreeMap<String, String>,
    imports: BTreeSet<String>,
    kept: BTreeSet<String>,
    /// How many functions run rounds.
    rounds: usize,
    /// Nodes of metadata beside the first two, in the order of their numbers.
    nodes: Vec<String>,
}

impl<'a> Library<'a> {
    pub(super) fn new(options: &'a TargetOptions) -> Self {
        Self {
            options,
            declarations: BTreeMap::new(),
            definitions: BTreeMap::new(),
            imports: BTreeSet::new(),
            kept: BTreeSet::new(),
            rounds: 0,
            nodes: Vec::new(),
        }
    }

    /// Declares an intrinsic of LLVM; `signature` is its result type and its argument types.
    pub(super) fn intrinsic(&mut self, name: &str, result: &str, arguments: &str) {
        if !self.declarations.contains_key(name) {
            let line = format!("declare {result} @{name}({arguments})");
            self.declarations.insert(name.to_owned(), line);
        }
    }

    /// Declares a pure function that the process must supply.
    ///
    /// LLVM must not know it by its name: it would turn calls into calls of other functions, which
    /// need not be there and need not round alike.
    pub(super) fn import(&mut self, symbol: &str, result: &str, arguments: &str) {
        if self.imports.insert(symbol.to_owned()) {
            let line = format!("declare {result} @{symbol}({arguments}) nobuiltin {PURE}");
            self.declarations.insert(symbol.to_owned(), line);
        }
    }

    /// Declares a function of the runtime, which may do anything.
    pub(super) fn runtime(&mut self, symbol: &str, result: &str, arguments: &str) {
        if self.imports.insert(symbol.to_owned()) {
            let line = format!("declare {result} @{symbol}({arguments}) nounwind");
            self.declarations.insert(symbol.to_owned(), line);
        }
    }

    /// A number for a function that runs rounds.
    pub(super) fn next_rounds(&mut self) -> usize {
        self.rounds += 1;
        self.rounds - 1
    }

    /// Whether a function of our own was written already.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    /// Writes a function of our own.
    pub(super) fn define(&mut self, name: &str, text: impl Into<String>) {
        self.definitions.insert(name.to_owned(), text.into());
    }

    /// Keeps a function that only an attribute refers to.
    pub(super) fn keep(&mut self, symbol: &str) {
        self.kept.insert(symbol.to_owned());
    }

    /// The metadata of a loop over work-items, whose marked accesses are independent of each other.
    ///
    /// This is the promise of the language: two work-items that touch the same element without
    /// synchronisation have no meaning. It lets the vectoriser do without run-time checks.
    pub(super) fn parallel_loop(&mut self, round: Round) -> String {
        let hint = match round {
            Round::Any => None,
            Round::Vectors(count) => Some(("interleave.count", count)),
            Round::Items(count) => Some(("vectorize.width", count)),
        };
        let hint = hint.map(|(name, count)| {
            let node = self.node(|_| format!("!{{!\"llvm.loop.{name}\", i32 {count}}}"));
            format!(", {node}")
        });
        let hint = hint.unwrap_or_default();
        let node = self.node(|number| format!("distinct !{{!{number}, !1{hint}}}"));
        format!("!llvm.loop {node}")
    }

    /// The metadata of a loop, so many rounds of which become one.
    pub(super) fn unrolled_loop(&mut self, rounds: u8) -> String {
        let count = self.node(|_| format!("!{{!\"llvm.loop.unroll.count\", i32 {rounds}}}"));
        let node = self.node(|number| format!("distinct !{{!{number}, {count}}}"));
        format!("!llvm.loop {node}")
    }

    /// The metadata of a pointer to memory that is written past the cache.
    pub(super) fn streamed_pointer(&mut self) -> String {
        let alignment = self.node(|_| format!("!{{i64 {BLOCK_ALIGN_BYTES}}}"));
        let mark = self.node(|_| "!{}".to_owned());
        format!("!align {alignment}, !{STREAMED} {mark}")
    }

    /// Writes a node of metadata, given its number, and returns its name.
    fn node(&mut self, text: impl FnOnce(usize) -> String) -> String {
        let number = self.nodes.len() + 2;
        self.nodes.push(format!("!{number} = {}", text(number)));
        format!("!{number}")
    }

    /// The functions that the process must supply.
    pub(super) fn imports(&self) -> &BTreeSet<String> {
        &self.imports
    }

    /// The text of everything that was asked for.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for definition in self.definitions.values() {
            text.push_str(definition);
            text.push('\n');
        }
        for declaration in self.declarations.values() {
            text.push_str(declaration);
            text.push('\n');
        }
        if !self.kept.is_empty() {
            let kept: Vec<_> = self
                .kept
                .iter()
                .map(|name| format!("ptr @{name}"))
                .collect();
            writeln!(
                text,
                "@llvm.compiler.used = appending global [{} x ptr] [{}], section \"llvm.metadata\"",
                kept.len(),
                kept.join(", ")
            )
            .expect("writing to a string cannot fail");
        }
        text.push_str("!0 = distinct !{}\n!1 = !{!\"llvm.loop.parallel_accesses\", !0}\n");
        for line in &self.nodes {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}
