//! Threads for the user's own code: host tasks and callbacks.
//!
//! Such code may block for as long as it likes, so the number of threads is not fixed: a job that
//! finds no idle thread gets a new one. Threads that were idle for a while end.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::fork::ForkLocal;
use crate::memory::relief::retry_after_trim;

/// How long an idle thread stays.
const LINGER: Duration = Duration::from_secs(5);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct HostThreads {
    board: Mutex<Board>,
    published: Condvar,
}

#[derive(Default)]
struct Board {
    jobs: VecDeque<Job>,
    /// Jobs that are being run, or were announced.
    busy: usize,
    idle: usize,
}

static THREADS: ForkLocal<HostThreads> = ForkLocal::new();

/// Runs a job on some host thread. It must not unwind; if it does, the panic ends with the job.
pub(crate) fn run_on_host(job: Job) {
    let threads = threads();
    let mut board = threads.lock();
    board.jobs.push_back(job);
    if board.jobs.len() <= board.idle {
        drop(board);
        threads.published.notify_one();
        return;
    }
    drop(board);
    let start = || {
        thread::Builder::new()
            .name("situ-host".to_owned())
            .spawn(move || threads.work())
    };
    let started = retry_after_trim(start);
    // Without a thread the job still has to run, and this is the only place left.
    if started.is_err() {
        let mut board = threads.lock();
        if let Some(job) = board.jobs.pop_back() {
            drop(threads.run(job, board));
        }
    }
}

/// Says that a job is about to come, for as long as the answer lives: so nobody who asks in
/// between believes that all is done.
pub(crate) fn announce_job() -> Announcement {
    threads().lock().busy += 1;
    Announcement
}

/// See [`announce_job`].
pub(crate) struct Announcement;

impl Drop for Announcement {
    fn drop(&mut self) {
        threads().lock().busy -= 1;
    }
}

/// Whether any job is waiting or running.
pub(crate) fn has_host_jobs() -> bool {
    THREADS.get().is_some_and(|threads| {
        let board = threads.lock();
        board.busy > 0 || !board.jobs.is_empty()
    })
}

fn threads() -> &'static HostThreads {
    THREADS.get_or_init(HostThreads::default)
}

impl HostThreads {
    /// The life of a thread.
    fn work(&self) {
        let mut board = self.lock();
        loop {
            if let Some(job) = board.jobs.pop_front() {
                board = self.run(job, board);
                continue;
            }
            board.idle += 1;
            let (woken, timeout) = self
                .published
                .wait_timeout(board, LINGER)
                .unwrap_or_else(PoisonError::into_inner);
            board = woken;
            board.idle -= 1;
            if timeout.timed_out() && board.jobs.is_empty() {
                return;
            }
        }
    }

    /// Runs a job, without the lock.
    fn run<'a>(&'a self, job: Job, mut board: MutexGuard<'a, Board>) -> MutexGuard<'a, Board> {
        board.busy += 1;
        drop(board);
        // The jobs report their own panics; this keeps the thread alive whatever happens.
        let _ = catch_unwind(AssertUnwindSafe(job));
        let mut board = self.lock();
        board.busy -= 1;
        board
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
