//! Calls of kernels that can be stopped, and the thread that sees to it.
//!
//! A kernel that runs looks at nothing but its data, so that its loops are as fast as they can be. A
//! thread of ours, the *monitor*, sends a signal to each thread that has been inside of one call for 50 ms or
//! more. The signal's handler, on that thread, looks whether the work must stop, and then
//! leaves the kernel (`stoppable.c`). Short calls are never disturbed.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use situ_codegen::llvm::LaunchFrame;

use super::rounds::RoundsFunction;
use crate::error::{Error, Result};
use crate::fork::{self, ForkLocal};
use crate::interrupt;

/// How a compiled kernel is called; see `situ_codegen::llvm::abi`.
pub(super) type KernelFunction = unsafe extern "C" fn(args: *const u64, launch: *const LaunchFrame);

// SAFETY: the declarations are those of `stoppable.c`.
unsafe extern "C" {
    fn situ_call_stoppable(
        function: KernelFunction,
        args: *const u64,
        launch: *const LaunchFrame,
    ) -> bool;
    fn situ_call_rounds(
        function: RoundsFunction,
        context: *const c_void,
        first: i64,
        last: i64,
        worker: i64,
    ) -> bool;
    fn situ_handle_stops(question: extern "C" fn() -> bool) -> bool;
    fn situ_ask_thread(thread: libc::pthread_t);
}

/// Rounds without any call after which the monitor rests.
const QUIET_ROUNDS: u32 = 20;

/// How long the monitor rests if nobody wakes it.
const REST: Duration = Duration::from_millis(500);

/// Calls a kernel. When it returns, the kernel has run to its end, or the work of this thread
/// [is stopped](interrupt::is_stopped).
///
/// # Safety
/// As the kernel's: arguments and launch frame fit it and lead to live memory.
pub(super) unsafe fn call(function: KernelFunction, args: *const u64, launch: *const LaunchFrame) {
    // SAFETY: as the caller promises.
    watched(|| unsafe { situ_call_stoppable(function, args, launch) });
}

/// Calls some rounds of a kernel in the same way, as a worker; false if they were left before their end.
///
/// # Safety
/// As the rounds': the context is theirs.
pub(super) unsafe fn call_rounds(
    function: RoundsFunction,
    context: *const c_void,
    rounds: Range<i64>,
    worker: i64,
) -> bool {
    // SAFETY: as the caller promises.
    watched(|| unsafe { situ_call_rounds(function, context, rounds.start, rounds.end, worker) })
}

/// Makes a call that the monitor looks after.
fn watched(call: impl FnOnce() -> bool) -> bool {
    // Only at the very end of a thread there is no registration, and then the kernel runs to its end.
    let _ = REGISTRATION.try_with(|registration| {
        let mut registration = registration.borrow_mut();
        let generation = fork::generation();
        let mine = registration.take_if(|mine| mine.generation != generation);
        // A forked child has a list of its own, and leaves its parent's alone.
        std::mem::forget(mine);
        let mine = registration.get_or_insert_with(|| Registration::new(generation));
        mine.calls.begin(mine.depth);
        mine.depth += 1;
        mine.monitor.wake();
    });
    let is_done = call();
    let _ = REGISTRATION.try_with(|registration| {
        if let Some(mine) = &mut *registration.borrow_mut() {
            mine.depth -= 1;
            mine.calls.end(mine.depth);
        }
    });
    is_done
}

thread_local! {
    /// Why rounds of the kernel that this thread runs could not go on.
    static FAILURE: Cell<Option<Error>> = const { Cell::new(None) };
}

/// Notes why the kernel that this thread runs is left.
pub(super) fn fail_with(error: Error) {
    FAILURE.set(Some(error));
}

/// What was noted since the last time.
pub(super) fn failure() -> Result<()> {
    FAILURE.take().map_or(Ok(()), Err)
}

/// The calls of one thread.
struct Calls {
    thread: libc::pthread_t,
    /// Odd during a call, also while that has another inside. Only its thread writes it.
    count: AtomicU64,
    /// What the monitor saw when it last looked.
    seen: AtomicU64,
}

impl Calls {
    /// Begins a call inside of so many others.
    fn begin(&self, depth: u32) {
        self.add(if depth == 0 { 1 } else { 2 });
    }

    fn end(&self, depth: u32) {
        self.begin(depth);
    }

    fn add(&self, steps: u64) {
        let count = self.count.load(Ordering::Relaxed);
        self.count
            .store(count.wrapping_add(steps), Ordering::Relaxed);
    }
}

thread_local! {
    static REGISTRATION: RefCell<Option<Registration>> = const { RefCell::new(None) };
}

/// A thread's entry in the monitor's list, for as long as the thread lives.
struct Registration {
    calls: Arc<Calls>,
    monitor: &'static Monitor,
    generation: u64,
    /// How many calls this thread is in.
    depth: u32,
}

impl Registration {
    fn new(generation: u64) -> Self {
        let calls = Arc::new(Calls {
            // SAFETY: always allowed.
            thread: unsafe { libc::pthread_self() },
            count: AtomicU64::new(0),
            seen: AtomicU64::new(0),
        });
        let monitor = Monitor::of_process();
        monitor.threads().push(Arc::clone(&calls));
        Self {
            calls,
            monitor,
            generation,
            depth: 0,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.generation == fork::generation() {
            let mut threads = self.monitor.threads();
            threads.retain(|calls| !Arc::ptr_eq(calls, &self.calls));
        }
    }
}

/// Looks after the threads that run kernels.
struct Monitor {
    threads: Mutex<Vec<Arc<Calls>>>,
    is_resting: AtomicBool,
    /// The monitor's own thread; none if the system has no more, and then kernels run to their end.
    own: Mutex<Option<Thread>>,
}

impl Monitor {
    fn of_process() -> &'static Self {
        static MONITOR: ForkLocal<Monitor> = ForkLocal::new();
        static HANDLED: Once = Once::new();
        let monitor = MONITOR.get_or_init(|| Self {
            threads: Mutex::default(),
            is_resting: AtomicBool::new(false),
            own: Mutex::default(),
        });
        let mut own = monitor.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.is_none() {
            // A child inherits the handler.
            HANDLED.call_once(|| {
                // SAFETY: the question may be asked on any thread that runs a kernel. Without a handler
                // nobody is asked.
                unsafe { situ_handle_stops(question) };
            });
            let started = thread::Builder::new()
                .name("situ-monitor".to_owned())
                .spawn(|| monitor.work());
            *own = started.ok().map(|handle| handle.thread().clone());
        }
        drop(own);
        monitor
    }

    /// Makes the monitor look again, if it rests.
    fn wake(&self) {
        if self.is_resting.load(Ordering::Relaxed) && self.is_resting.swap(false, Ordering::Relaxed)
        {
            let own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(own) = &*own {
                own.unpark();
            }
        }
    }

    fn threads(&self) -> MutexGuard<'_, Vec<Arc<Calls>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the monitor.
    fn work(&self) {
        let mut quiet_rounds = 0;
        loop {
            if quiet_rounds < QUIET_ROUNDS {
                thread::sleep(interrupt::INTERVAL);
            } else {
                // A call that begins at this moment may miss that the monitor rests, so it looks now and then.
                self.is_resting.store(true, Ordering::Relaxed);
                thread::park_timeout(REST);
                self.is_resting.store(false, Ordering::Relaxed);
            }
            let is_active = self.look();
            quiet_rounds = if is_active { 0 } else { quiet_rounds + 1 };
        }
    }

    /// Has threads that are still in the call of the last look ask whether to stop. True if any thread
    /// has called since.
    fn look(&self) -> bool {
        let mut is_active = false;
        // Threads stay on the list, and alive, while it is locked.
        for calls in &*self.threads() {
            let count = calls.count.load(Ordering::Relaxed);
            let seen = calls.seen.swap(count, Ordering::Relaxed);
            let is_running = count % 2 == 1;
            if is_running && count == seen {
                // SAFETY: the thread is alive.
                unsafe { situ_ask_thread(calls.thread) };
            }
            is_active |= is_running || count != seen;
        }
        is_active
    }
}

/// What the signal's handler asks, on a thread that is inside of a kernel. No code of ours runs on it, so this is an
/// ordinary call.
extern "C" fn question() -> bool {
    // A panic must not cross into C.
    std::panic::catch_unwind(interrupt::must_stop).unwrap_or(false)
}
