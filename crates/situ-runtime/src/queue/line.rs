//! What a queue remembers about its commands, in one process.
//!
//! The line outlives the queue's handles: commands that are still under way keep it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use crate::command::{Command, STOP_LIMIT};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::fork;
use crate::interrupt::{self, StopFlag};
use crate::queue::QueueProperties;
use crate::turn_lock::{TurnGuard, TurnLock};

/// The commands of one queue.
pub(crate) struct Line {
    device: Device,
    properties: QueueProperties,
    state: TurnLock<State>,
    /// Stops what the thread that has the state runs meanwhile.
    stop: Arc<StopFlag>,
    /// Commands that were submitted and have not ended.
    pending: AtomicUsize,
    /// How many commands the parent process had pending when it forked; told once.
    lost: AtomicUsize,
    failures: Mutex<Vec<Arc<Command>>>,
    has_failures: AtomicBool,
    is_abandoned: AtomicBool,
}

/// What a new command may have to wait for.
#[derive(Default)]
pub(crate) struct State {
    /// In order: the latest command. Out of order: the latest barrier.
    pub(crate) last: Option<Arc<Command>>,
    /// Out of order: commands that may not have ended yet.
    pub(crate) outstanding: Vec<Arc<Command>>,
    /// The length at which `outstanding` is looked through for commands that have ended.
    prune_at: usize,
}

impl State {
    /// The latest command or barrier, if it has not ended.
    pub(crate) fn unfinished_last(&mut self) -> Option<&Arc<Command>> {
        if self.last.as_ref().is_some_and(|last| last.is_finished()) {
            self.last = None;
        }
        self.last.as_ref()
    }

    /// Remembers a command of an out-of-order queue.
    pub(crate) fn add_outstanding(&mut self, command: Arc<Command>) {
        if self.outstanding.len() >= self.prune_at {
            self.prune();
            self.prune_at = (2 * self.outstanding.len()).max(64);
        }
        self.outstanding.push(command);
    }

    pub(crate) fn prune(&mut self) {
        self.outstanding.retain(|command| !command.is_finished());
    }
}

impl Line {
    /// A line of a new queue, or of a forked child's copy of one.
    pub(crate) fn new(device: Device, properties: QueueProperties, lost: usize) -> Arc<Self> {
        let line = Arc::new(Self {
            device,
            properties,
            state: TurnLock::default(),
            stop: Arc::default(),
            pending: AtomicUsize::new(0),
            lost: AtomicUsize::new(lost),
            failures: Mutex::default(),
            has_failures: AtomicBool::new(false),
            is_abandoned: AtomicBool::new(false),
        });
        register(&line);
        line
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.properties.in_order
    }

    pub(crate) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    pub(crate) fn begin_command(&self) {
        self.pending.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end_command(&self) {
        self.pending.fetch_sub(1, Ordering::Release);
    }

    /// Waits until no other thread submits or runs a command on the spot.
    ///
    /// # Errors
    /// [`Error::Interrupted`]. What the other thread runs is stopped then.
    pub(crate) fn lock(&self) -> Result<TurnGuard<'_, State>> {
        if !interrupt::is_listening() {
            return Ok(self.state.lock());
        }
        let found = self.state.lock_until(interrupt::is_requested);
        found.ok_or_else(|| self.interrupt())
    }

    /// As [`Self::lock`]; `None` if somebody has it.
    pub(crate) fn try_lock(&self) -> Option<TurnGuard<'_, State>> {
        self.state.try_lock()
    }

    /// Stops what the thread that has the state runs.
    fn interrupt(&self) -> Error {
        self.stop.set();
        let begin = Instant::now();
        let ended = self.state.lock_until(|| begin.elapsed() >= STOP_LIMIT);
        let device = self.device.filter_string();
        Error::Interrupted {
            command: format!("the turn of this thread on the queue of `{device}`"),
            running: ended
                .is_none()
                .then(|| format!("what another thread launched on `{device}`")),
        }
    }

    /// Runs work of a thread that has the state of an in-order queue, so that others cannot run theirs meanwhile.
    pub(crate) fn run_in_turn<T>(&self, turn: TurnGuard<'_, State>, work: impl FnOnce() -> T) -> T {
        // Somebody may have stopped what ran before.
        self.stop.clear();
        let flag = interrupt::is_listening().then(|| Arc::clone(&self.stop));
        let result = interrupt::while_stoppable(flag, work);
        drop(turn);
        result
    }

    /// Remembers a failure until somebody is told of it, who waits for it or for the queue. Nobody can once its handles are gone.
    pub(crate) fn add_failure(&self, command: Arc<Command>) {
        let mut failures = self.failures();
        if !self.is_abandoned.load(Ordering::Relaxed) {
            failures.push(command);
            self.has_failures.store(true, Ordering::Release);
        }
    }

    /// Lets go of a failure that somebody was told of: its error may hold a lot of memory.
    pub(crate) fn forget_failure(&self, command: &Command) {
        let mut failures = self.failures();
        let is_it = |failed: &Arc<Command>| std::ptr::eq(&raw const **failed, command);
        // Mostly, it is the last one.
        let forgotten = failures.iter().rposition(is_it);
        let forgotten = forgotten.map(|position| failures.remove(position));
        drop(failures);
        drop(forgotten);
    }

    /// The first failure nobody was told of, and how many more there were. All count as told then.
    pub(crate) fn report_failures(&self) -> Result<()> {
        if !self.has_failures.load(Ordering::Acquire) {
            return Ok(());
        }
        let failed = {
            let mut failures = self.failures();
            self.has_failures.store(false, Ordering::Relaxed);
            std::mem::take(&mut *failures)
        };
        let unreported: Vec<_> = failed.iter().filter(|each| each.is_unreported()).collect();
        let results: Vec<Result<()>> = unreported.iter().map(|each| each.outcome()).collect();
        let mut errors = results.into_iter().filter_map(Result::err);
        let Some(first) = errors.next() else {
            return Ok(());
        };
        match errors.count() {
            0 => Err(first),
            others => Err(Error::SeveralFailed {
                first: Box::new(first),
                others,
            }),
        }
    }

    /// Returns when everything submitted so far has ended, however it ended.
    ///
    /// # Errors
    /// Waits that could never end, and those that were broken off.
    pub(crate) fn wait_for_end(&self) -> Result<()> {
        let awaited: Vec<Arc<Command>> = {
            let mut state = self.lock()?;
            state.prune();
            state
                .last
                .iter()
                .chain(&state.outstanding)
                .cloned()
                .collect()
        };
        for command in awaited {
            // How it ended is told by `report_failures`, each failure once.
            command.wait_for_end()?;
        }
        Ok(())
    }

    /// The queue's handles are gone: nobody will submit or ask for failures any more.
    pub(crate) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        let state = std::mem::take(&mut *self.state.lock());
        let failures = std::mem::take(&mut *self.failures());
        // Outside of the locks: a failed command that was the last handle leaves a warning.
        drop((state, failures));
    }

    /// Whether [`Self::check_fork`] has something to tell.
    pub(crate) fn is_lost_in_fork(&self) -> bool {
        self.lost.load(Ordering::Relaxed) != 0
    }

    /// Refuses to go on once if the parent's pending commands were left behind by a fork.
    pub(crate) fn check_fork(&self) -> Result<()> {
        if self.is_lost_in_fork() && self.lost.swap(0, Ordering::Relaxed) != 0 {
            return Err(self.lost_in_fork());
        }
        Ok(())
    }

    pub(crate) fn lost_in_fork(&self) -> Error {
        Error::LostInFork {
            device: self.device.filter_string(),
        }
    }

    fn failures(&self) -> MutexGuard<'_, Vec<Arc<Command>>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every line of this process, for those who must wait for all of them.
static LINES: fork::ForkLocal<Mutex<Vec<Weak<Line>>>> = fork::ForkLocal::new();

fn lines() -> MutexGuard<'static, Vec<Weak<Line>>> {
    LINES
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

fn register(line: &Arc<Line>) {
    let mut lines = lines();
    lines.retain(|line| line.strong_count() > 0);
    lines.push(Arc::downgrade(line));
}

/// Every line there is.
pub(crate) fn all_lines() -> Vec<Arc<Line>> {
    lines().iter().filter_map(Weak::upgrade).collect()
}

/// Whether any line has pending commands.
pub(crate) fn is_any_busy() -> bool {
    all_lines().iter().any(|line| line.pending() > 0)
}
