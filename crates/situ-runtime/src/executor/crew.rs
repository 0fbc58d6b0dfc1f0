//! The threads of one executor in one process, and the list they take commands from.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::run_chain;
use crate::backend::native::topology::CoreSet;
use crate::command::Command;
use crate::memory::relief::retry_after_trim;

/// As much as the main thread of a program usually has: compiled functions may call themselves.
const STACK_BYTES: usize = 8 << 20;

/// How long a thread without work watches for more before it sleeps: about what waking costs.
const SPIN: Duration = Duration::from_micros(20);

/// Threads and the commands they have not begun.
pub(super) struct Crew {
    limit: usize,
    cores: Option<CoreSet>,
    board: Mutex<Board>,
    published: Condvar,
    /// Counts publications, so that a watching thread needs no lock.
    epoch: AtomicU64,
}

#[derive(Default)]
struct Board {
    ready: VecDeque<Arc<Command>>,
    threads: usize,
    /// Threads that watch `epoch` and will look at the list without being woken.
    watching: usize,
    /// Threads that sleep and were not called yet.
    sleeping: usize,
    /// Threads that were called and are not awake yet.
    called: usize,
    is_closed: bool,
}

impl Board {
    /// Whether threads will come for all commands without being called.
    fn is_attended(&self) -> bool {
        self.ready.len() <= self.watching + self.called
    }
}

impl Crew {
    pub(super) fn new(limit: usize, cores: Option<CoreSet>) -> Self {
        Self {
            limit,
            cores,
            board: Mutex::default(),
            published: Condvar::new(),
            epoch: AtomicU64::new(0),
        }
    }

    /// Adds a command for some thread to run; gives it back if there is no thread at all.
    ///
    /// If `is_left_to_others` says that somebody will [see to it](Self::see_to_ready) in a moment, nobody is called yet.
    pub(super) fn push(
        self: &Arc<Self>,
        command: Arc<Command>,
        is_left_to_others: impl FnOnce() -> bool,
    ) -> Option<Arc<Command>> {
        let mut board = self.lock();
        board.ready.push_back(command);
        self.epoch.fetch_add(1, Ordering::Release);
        if board.is_attended() || is_left_to_others() {
            return None;
        }
        self.call_thread(board)
    }

    /// Calls a thread if there are commands that nobody has begun; gives one of them back if there is no thread at all.
    pub(super) fn see_to_ready(self: &Arc<Self>) -> Option<Arc<Command>> {
        let mut board = self.lock();
        board.ready.retain(|command| !command.is_begun());
        if board.is_attended() {
            return None;
        }
        self.call_thread(board)
    }

    /// Wakes or starts a thread. Gives the last command back if none can be had.
    fn call_thread(self: &Arc<Self>, mut board: MutexGuard<'_, Board>) -> Option<Arc<Command>> {
        if board.sleeping > 0 {
            board.sleeping -= 1;
            board.called += 1;
            drop(board);
            self.published.notify_one();
            return None;
        }
        if board.threads == self.limit || self.start_thread() {
            board.threads = (board.threads + 1).min(self.limit);
            return None;
        }
        // The system refuses threads: those there are will do, if there is one.
        if board.threads > 0 {
            return None;
        }
        board.ready.pop_back()
    }

    fn start_thread(self: &Arc<Self>) -> bool {
        let start = || {
            let crew = Arc::clone(self);
            thread::Builder::new()
                .stack_size(STACK_BYTES)
                .name("situ-executor".to_owned())
                .spawn(move || {
                    if let Some(cores) = &crew.cores {
                        // A system that refuses costs speed at most.
                        cores.pin_this_thread();
                    }
                    crew.work();
                })
        };
        retry_after_trim(start).is_ok()
    }

    /// No more commands will come; threads end when the list is empty.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.epoch.fetch_add(1, Ordering::Release);
        self.published.notify_all();
    }

    /// The life of a thread.
    fn work(&self) {
        while let Some(command) = self.next() {
            run_chain(command);
        }
    }

    /// The next command; waits for one, and returns `None` when there will be none.
    fn next(&self) -> Option<Arc<Command>> {
        let mut board = self.lock();
        loop {
            if let Some(command) = board.ready.pop_front() {
                return Some(command);
            }
            if board.is_closed {
                return None;
            }
            board.watching += 1;
            let seen = self.epoch.load(Ordering::Acquire);
            drop(board);
            let has_news = self.watch(seen);
            board = self.lock();
            board.watching -= 1;
            if has_news {
                continue;
            }
            if !board.ready.is_empty() {
                continue;
            }
            board.sleeping += 1;
            while board.called == 0 && !board.is_closed {
                board = self
                    .published
                    .wait(board)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            // Whoever called took this thread off the sleepers.
            board.called = board.called.saturating_sub(1);
        }
    }

    /// Watches for a publication after `seen`, for a short while.
    fn watch(&self, seen: u64) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..16 {
                std::hint::spin_loop();
            }
            if self.epoch.load(Ordering::Acquire) != seen {
                return true;
            }
            if start.elapsed() >= SPIN {
                return false;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
