//! Interrupts: Ctrl-C ends waits, and stops kernels that run.
//!
//! Only the layer above knows what an interrupt is, so it [installs](install) a question. Threads that
//! [`listen`] ask it: every 50 ms while they wait, and while they run work themselves. Other threads
//! never ask. They look at the [`StopFlag`] of the work they do, which a thread that listens sets.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How long a wait sleeps, or work goes on, before it asks.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

static QUESTION: OnceLock<fn() -> bool> = OnceLock::new();

thread_local! {
    static IS_LISTENING: Cell<bool> = const { Cell::new(false) };
    /// Whether the question is being asked in the middle of work.
    static IS_INSIDE_WORK: Cell<bool> = const { Cell::new(false) };
    /// The flag of the work this thread does.
    static WORK: RefCell<Option<Arc<StopFlag>>> = const { RefCell::new(None) };
    /// When this thread last asked in the middle of work.
    static LAST_ASKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Has threads that listen ask `is_interrupted`. Only the first call counts.
///
/// It runs on the thread that listens. That thread may be in the middle of work and hold locks of
/// situ: see [`is_inside_work`].
pub fn install(is_interrupted: fn() -> bool) {
    // A second installation would come from the same layer.
    let _ = QUESTION.set(is_interrupted);
}

/// Runs `work`, which may be interrupted: waits return [`Error::Interrupted`], and kernels that this
/// thread runs [`Error::Stopped`].
pub fn listen<T>(work: impl FnOnce() -> T) -> T {
    let _before = Restore(&IS_LISTENING, IS_LISTENING.replace(true));
    work()
}

/// Whether this thread asks about interrupts.
pub(crate) fn is_listening() -> bool {
    IS_LISTENING.get()
}

/// Whether the question is being asked in the middle of work, so that whoever answers it must not
/// wait for situ.
pub fn is_inside_work() -> bool {
    IS_INSIDE_WORK.get()
}

/// Whether the wait on this thread is to be broken off.
pub(crate) fn is_requested() -> bool {
    IS_LISTENING.get()
        && QUESTION
            .get()
            .is_some_and(|is_interrupted| is_interrupted())
}

/// Tells the threads that share some work to stop.
#[derive(Debug, Default)]
pub(crate) struct StopFlag(AtomicBool);

impl StopFlag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// For other work that uses the same flag.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Does work that `flag` stops.
pub(crate) fn while_stoppable<T>(flag: Option<Arc<StopFlag>>, work: impl FnOnce() -> T) -> T {
    /// Brings the flag of the work around it back, also when the work panics.
    struct Around(Option<Arc<StopFlag>>);
    impl Drop for Around {
        fn drop(&mut self) {
            WORK.set(self.0.take());
        }
    }
    let _around = Around(WORK.replace(flag));
    work()
}

/// Does work for the calling thread, which can be stopped if the thread listens.
pub(crate) fn while_stoppable_here<T>(work: impl FnOnce() -> T) -> T {
    if IS_LISTENING.get() {
        while_stoppable(Some(Arc::default()), work)
    } else {
        work()
    }
}

/// The flag of the work this thread does, for threads that take part in it.
pub(crate) fn current_flag() -> Option<Arc<StopFlag>> {
    WORK.with_borrow(Clone::clone)
}

/// Whether the work this thread does must stop. A thread that listens asks.
pub(crate) fn must_stop() -> bool {
    let Some(flag) = current_flag() else {
        return false;
    };
    if IS_LISTENING.get() && !IS_INSIDE_WORK.get() && !flag.is_set() {
        let _before = Restore(&IS_INSIDE_WORK, IS_INSIDE_WORK.replace(true));
        LAST_ASKED.set(Some(Instant::now()));
        if is_requested() {
            flag.set();
        }
    }
    flag.is_set()
}

/// As [`must_stop`], for work that looks often: it asks only now and then.
pub(crate) fn must_stop_soon() -> bool {
    let is_due = || {
        let last = LAST_ASKED.get();
        LAST_ASKED.set(last.or_else(|| Some(Instant::now())));
        last.is_some_and(|asked| asked.elapsed() >= INTERVAL)
    };
    if IS_LISTENING.get() && is_due() {
        return must_stop();
    }
    is_stopped()
}

/// Whether the work this thread does was told to stop.
pub(crate) fn is_stopped() -> bool {
    WORK.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.is_set()))
}

/// Fails if the work this thread does was told to stop.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn check_stopped() -> Result<()> {
    if is_stopped() {
        return Err(Error::Stopped);
    }
    Ok(())
}

/// Brings the value of a thread's cell back, also after a panic.
struct Restore(&'static std::thread::LocalKey<Cell<bool>>, bool);

impl Drop for Restore {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}
