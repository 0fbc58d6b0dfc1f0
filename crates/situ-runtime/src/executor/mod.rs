//! Who runs commands: a few threads per device, and as many host threads as it takes.
//!
//! A device's [`Executor`] has at most one thread per compute unit. They run kernels and copies,
//! which never wait for anything, so a fixed number is enough. A finished command hands its thread to
//! the next command of the same device that became ready, so a chain of commands runs without
//! touching a lock that queues share.
//!
//! Host tasks and callbacks are the user's code. They may wait for other commands, for locks or for
//! the GIL, so they get threads of their own ([`host_threads`]): one more whenever none is idle.

mod crew;
mod host_threads;

use std::cell::RefCell;
use std::sync::Arc;

use crate::backend::native::topology::CoreSet;
use crate::command::{Command, Ready};
use crate::error::{Error, Result};
use crate::fork::ForkLocal;
use crew::Crew;
pub(crate) use host_threads::{announce_job, has_host_jobs, run_on_host};

/// The threads that run one device's commands. None is started before it is needed, and a forked
/// child starts its own.
pub(crate) struct Executor {
    threads: usize,
    cores: Option<CoreSet>,
    crew: ForkLocal<Arc<Crew>>,
}

impl Executor {
    /// At most `threads` threads, which keep to certain processors if any are named.
    pub(crate) fn new(threads: usize, cores: Option<CoreSet>) -> Self {
        Self {
            threads: threads.max(1),
            cores,
            crew: ForkLocal::new(),
        }
    }

    /// Whether its commands run on certain cores only.
    pub(crate) fn is_pinned(&self) -> bool {
        self.cores.is_some()
    }

    fn crew(&self) -> &Arc<Crew> {
        self.crew
            .get_or_init(|| Arc::new(Crew::new(self.threads, self.cores.clone())))
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        // Not joined: the last handle of a device may be dropped by one of these very threads.
        if let Some(crew) = self.crew.get() {
            crew.close();
        }
    }
}

/// Hands a ready command to whoever runs it.
pub(crate) fn schedule(command: Arc<Command>) {
    if command.is_host_task() {
        run_on_host(Box::new(move || run_chain(command)));
    } else {
        let line = Arc::clone(command.line());
        let device = line.device();
        let crew = device.executor().crew();
        let is_left_to_pool = || {
            let may_waiter_run_it = !device.executor().is_pinned();
            may_waiter_run_it
                && device.driver().pool().is_some_and(|pool| {
                    let crew = Arc::clone(crew);
                    pool.remind(move || run_if_any(crew.see_to_ready()))
                })
        };
        run_if_any(crew.push(command, is_left_to_pool));
    }
}

/// Does the work on this thread that was given back because not a single thread can be had.
fn run_if_any(command: Option<Arc<Command>>) {
    if let Some(command) = command {
        run_chain(command);
    }
}

/// Schedules commands that became ready.
pub(crate) fn schedule_all(ready: Ready) {
    for command in ready {
        schedule(command);
    }
}

/// Runs a command, then those that were only waiting for it and belong to the same sort of thread.
fn run_chain(command: Arc<Command>) {
    let mut next = Some(command);
    while let Some(command) = next {
        let mut ready = command.run();
        let follows = |other: &Arc<Command>| {
            !other.is_host_task()
                && !command.is_host_task()
                && other.line().device() == command.line().device()
        };
        next = ready
            .iter()
            .position(follows)
            .map(|position| ready.swap_remove(position));
        schedule_all(ready);
    }
}

thread_local! {
    /// The command this thread is running, innermost last.
    static RUNNING: RefCell<Vec<Arc<Command>>> = const { RefCell::new(Vec::new()) };
}

/// Runs a command's work, remembered as what this thread is doing.
pub(crate) fn while_running<T>(command: &Arc<Command>, work: impl FnOnce() -> T) -> T {
    RUNNING.with(|running| running.borrow_mut().push(Arc::clone(command)));
    let result = work();
    RUNNING.with(|running| running.borrow_mut().pop());
    result
}

/// Whether this thread is running a command, so that it must not wait for memory or space that
/// other commands will free.
pub(crate) fn is_running_command() -> bool {
    RUNNING.with(|running| !running.borrow().is_empty())
}

/// Refuses a wait that would never end: a host task that waits for itself, or for something that in
/// turn waits for it, such as whatever is behind it on its own in-order queue.
pub(crate) fn check_wait(awaited: &Arc<Command>) -> Result<()> {
    RUNNING.with(|running| {
        let is_circle = running.borrow().iter().any(|mine| {
            // The first question answers the second for most, at less cost.
            (Arc::ptr_eq(mine.line(), awaited.line()) && mine.line().is_in_order())
                || mine.is_awaited_by(awaited)
        });
        if is_circle {
            return Err(Error::WaitInsideQueue {
                command: awaited.label().to_string(),
            });
        }
        Ok(())
    })
}
