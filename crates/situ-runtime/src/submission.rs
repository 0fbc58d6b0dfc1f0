//! Where in the user's program a command was submitted.
//!
//! An error that is found when a queue is waited for must name the line that caused it, which may be
//! long gone. For Rust callers that line is known by `#[track_caller]`. A layer above that speaks
//! for another language wraps its calls in [`collect`] and tells the place afterwards, when it can
//! find it out; commands that ended within the call need none, because their errors were returned.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use crate::command::Command;

/// A line of the user's program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Site {
    /// The file.
    pub file: Cow<'static, str>,
    /// The line in it, from one.
    pub line: u32,
}

impl fmt::Display for Site {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

impl From<&Location<'static>> for Site {
    fn from(location: &Location<'static>) -> Self {
        Self {
            file: location.file().into(),
            line: location.line(),
        }
    }
}

thread_local! {
    /// The commands submitted by this thread inside of `collect`; `None` outside of it.
    static COLLECTED: RefCell<Option<Vec<Arc<Command>>>> = const { RefCell::new(None) };
}

/// Commands that wait to be told where they were submitted.
#[derive(Debug, Default)]
pub struct Submissions(Vec<Arc<Command>>);

impl Submissions {
    /// Whether there is no command, so that nobody needs to find out the place.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells the place.
    pub fn locate(&self, site: &Site) {
        for command in &self.0 {
            command.set_site(site.clone());
        }
    }
}

/// Runs `work` and returns the commands it submitted that did not end at once.
pub fn collect<T>(work: impl FnOnce() -> T) -> (T, Submissions) {
    let outer = Outer(COLLECTED.with(|collected| collected.replace(Some(Vec::new()))));
    let result = work();
    let mine = COLLECTED.with(|collected| collected.borrow_mut().take());
    drop(outer);
    (result, Submissions(mine.unwrap_or_default()))
}

/// The collection around an inner one, put back at its end, also when `work` panics.
struct Outer(Option<Vec<Arc<Command>>>);

impl Drop for Outer {
    fn drop(&mut self) {
        COLLECTED.with(|collected| *collected.borrow_mut() = self.0.take());
    }
}

/// Adds a new command to the collection, if there is one.
pub(crate) fn note(command: &Arc<Command>) {
    COLLECTED.with(|collected| {
        if let Some(list) = collected.borrow_mut().as_mut() {
            list.push(Arc::clone(command));
        }
    });
}

/// Whether the layer above will tell where commands were submitted.
pub(crate) fn is_collecting() -> bool {
    COLLECTED.with(|collected| collected.borrow().is_some())
}
