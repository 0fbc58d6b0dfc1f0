//! A test that hangs says what it was doing and ends, instead of keeping everybody waiting.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use situ_runtime::Event;

/// How long nothing may happen.
const PATIENCE: Duration = Duration::from_mins(2);

/// Watches a test until it is dropped.
#[derive(Clone, Default)]
pub(crate) struct Watchdog(Arc<Shared>);

#[derive(Default)]
struct Shared {
    progress: AtomicU64,
    is_off: AtomicBool,
    story: Mutex<Vec<String>>,
    events: Mutex<Vec<Event>>,
}

impl Watchdog {
    /// Begins to watch.
    pub(crate) fn start() -> Self {
        let watchdog = Self::default();
        let shared = Arc::clone(&watchdog.0);
        thread::spawn(move || shared.watch());
        watchdog
    }

    /// Tells what is about to happen; the last few dozen are remembered.
    pub(crate) fn tell(&self, what: impl Into<String>) {
        self.0.progress.fetch_add(1, Ordering::Relaxed);
        lock(&self.0.story).push(what.into());
    }

    /// Remembers an event, to say where it stands.
    pub(crate) fn watch(&self, event: &Event) {
        lock(&self.0.events).push(event.clone());
    }

    /// Everything that was told since the last time, and no event is remembered.
    pub(crate) fn reset(&self) -> Vec<String> {
        lock(&self.0.events).clear();
        std::mem::take(&mut *lock(&self.0.story))
    }

    /// Watches no more.
    pub(crate) fn stop(&self) {
        self.0.is_off.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    fn watch(&self) {
        let mut seen = 0;
        let mut idle = Duration::ZERO;
        let step = Duration::from_millis(500);
        while !self.is_off.load(Ordering::Relaxed) {
            thread::sleep(step);
            let progress = self.progress.load(Ordering::Relaxed);
            idle = if progress == seen {
                idle + step
            } else {
                Duration::ZERO
            };
            seen = progress;
            if idle >= PATIENCE {
                self.dump();
                // A thread that hangs cannot be made to fail in any other way.
                std::process::abort();
            }
        }
    }

    fn dump(&self) {
        eprintln!("the test hangs; this is what it did:");
        for line in &*lock(&self.story) {
            eprintln!("  {line}");
        }
        eprintln!("these commands have not ended:");
        for event in lock(&self.events)
            .iter()
            .filter(|event| !event.is_complete())
        {
            let dependencies = event.dependencies();
            eprintln!("  {event:?}, which waits for {dependencies:?}");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
