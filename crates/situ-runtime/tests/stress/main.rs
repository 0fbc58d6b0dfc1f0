//! Many threads, queues, events and callbacks at once: every command runs once, every wait ends,
//! every callback is called, and all memory comes back.
//!
//! Each test takes about two seconds in `make test` and a minute in `make stress`. A test that hangs
//! ends with what it was doing and the commands that have not ended.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests: a failure may stop them right there"
)]

#[path = "../model/places.rs"]
mod places;
mod refused;
mod waits;
#[path = "../model/watchdog.rs"]
mod watchdog;
mod web;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a test goes on in every run.
const SHORT: Duration = Duration::from_secs(2);

/// How long it goes on in `make stress`.
const LONG: Duration = Duration::from_mins(1);

/// Tests that wait until nothing is pending in the process must not meet.
fn take_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn is_one_of(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}
