//! Breaking off a wait.
//!
//! Somebody who waits for work that takes too long presses Ctrl-C. Only the layer above knows what that
//! means, so it installs a question that waits ask now and then. The work itself goes on.

use std::sync::OnceLock;
use std::time::Duration;

/// How long a wait sleeps before it asks.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

static QUESTION: OnceLock<fn() -> bool> = OnceLock::new();

/// Has waits of this process ask `should_stop`, on the thread that waits and without any lock held.
/// Only the first call counts.
pub fn install(should_stop: fn() -> bool) {
    // A second installation would come from the same layer.
    let _ = QUESTION.set(should_stop);
}

/// Whether the wait on this thread is to be broken off.
pub(crate) fn is_requested() -> bool {
    QUESTION.get().is_some_and(|should_stop| should_stop())
}
