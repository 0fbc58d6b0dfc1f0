//! A piece of submitted work, from submission to its end.
//!
//! Commands form a graph. Each counts the commands it still waits for; the one that brings the
//! count to zero hands it to whoever runs it (see [`crate::executor`]). A command runs exactly once,
//! on an executor's thread, on a host thread, or on a thread that waits for it anyway.
//!
//! Three sorts of edges lead to a command. Edges of *order* (the queue is in order, or there was a
//! barrier) and of *anti-dependence* (the other reads what this one overwrites) only say "not
//! before". An edge of *dependence* (an event was named, or the other writes what this one uses) also
//! carries failure: what depends on a failed command does not run, because it would compute with
//! whatever happens to be in memory.
//!
//! When a command has ended it keeps nothing alive: not its arguments, not its neighbours.

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use crate::error::{Error, Result, panic_message};
use crate::executor;
use crate::fork;
use crate::interrupt::{self, StopFlag};
use crate::program::Kernel;
use crate::queue::line::Line;
use crate::submission::{self, Site};
use crate::warnings::{self, Warning};

/// What a command does when its turn comes.
pub(crate) type Work = Box<dyn FnOnce() -> Result<()> + Send>;

/// Called once with a command's outcome; see [`Command::on_finish`].
pub(crate) type Callback = Box<dyn FnOnce(Result<()>) + Send>;

/// How long an interrupted wait waits for kernels to stop: they do within a few looks of the monitor
/// of calls, if the machine is not busy.
pub(crate) const STOP_LIMIT: Duration = Duration::from_millis(800);

/// What a command is, for messages.
#[derive(Debug, Clone)]
pub(crate) enum Label {
    Kernel(Kernel),
    Copy { size_bytes: usize },
    Fill { size_bytes: usize },
    Barrier,
    HostTask { name: Arc<str> },
    HostWork { name: &'static str },
}

impl Label {
    /// Whether it stops soon when it is told to.
    fn is_stoppable(&self) -> bool {
        matches!(self, Self::Kernel(kernel) if kernel.code().0.is_stoppable())
    }

    /// Whether the calling thread would not notice an interrupt for as long as it runs this itself.
    fn may_block_interrupts(&self) -> bool {
        matches!(self, Self::Kernel(kernel) if kernel.may_block_interrupts())
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(kernel) => write!(formatter, "kernel `{}`", kernel.name()),
            Self::Copy { size_bytes } => write!(formatter, "a copy of {size_bytes} bytes"),
            Self::Fill { size_bytes } => write!(formatter, "a fill of {size_bytes} bytes"),
            Self::Barrier => formatter.write_str("a barrier"),
            Self::HostTask { name } => write!(formatter, "host task `{name}`"),
            Self::HostWork { name } => write!(formatter, "`{name}`"),
        }
    }
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Status {
    Submitted,
    Running,
    Complete,
    Failed,
}

impl Status {
    fn from_bits(bits: u8) -> Self {
        match bits {
            0 => Self::Submitted,
            1 => Self::Running,
            2 => Self::Complete,
            _ => Self::Failed,
        }
    }

    pub(crate) fn is_end(self) -> bool {
        self >= Self::Complete
    }
}

/// How a command waits for another, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edge {
    /// Not before it, because of the queue.
    Order,
    /// Not before it, because it reads what this one will overwrite.
    AntiDependence,
    /// Not before it, and not at all if it fails.
    Dependence,
}

/// The moments of a command's life, in nanoseconds of [`now_ns`]; zero means "not yet".
#[derive(Debug, Default)]
pub(crate) struct Times {
    pub(crate) submit: AtomicU64,
    pub(crate) start: AtomicU64,
    pub(crate) end: AtomicU64,
}

/// A piece of submitted work.
pub(crate) struct Command {
    label: Label,
    line: Arc<Line>,
    /// Which process it was submitted in; see [`crate::fork`].
    generation: u64,
    status: AtomicU8,
    /// Commands it waits for, and one for the submission itself until that is over.
    waits_for: AtomicUsize,
    work: Mutex<Option<Work>>,
    /// Stops the work while it runs, if its device can.
    stop: Arc<StopFlag>,
    links: Mutex<Links>,
    finished: Condvar,
    /// Whether somebody was told of its failure.
    is_reported: AtomicBool,
    site: OnceLock<Site>,
    times: Option<Box<Times>>,
}

#[derive(Default)]
struct Links {
    dependents: SmallVec<[(Arc<Command>, Edge); 2]>,
    /// Named events and data it depends on; emptied at the end.
    dependencies: SmallVec<[Arc<Command>; 2]>,
    /// What it only comes after; emptied at the end.
    predecessors: SmallVec<[Arc<Command>; 1]>,
    callbacks: Vec<Callback>,
    /// Threads that sleep on `finished`.
    sleepers: usize,
    /// The failed command because of which this one must not run.
    broken_by: Option<Arc<Command>>,
    failure: Option<Error>,
}

impl Command {
    /// A command that is not linked to any other yet; see [`Command::wait_for`] and
    /// [`Command::submit`].
    pub(crate) fn new(label: Label, line: Arc<Line>, work: Work, is_timed: bool) -> Arc<Self> {
        line.begin_command();
        let command = Arc::new(Self {
            label,
            line,
            generation: fork::generation(),
            status: AtomicU8::new(Status::Submitted as u8),
            waits_for: AtomicUsize::new(1),
            work: Mutex::new(Some(work)),
            stop: Arc::default(),
            links: Mutex::default(),
            finished: Condvar::new(),
            is_reported: AtomicBool::new(false),
            site: OnceLock::new(),
            times: is_timed.then(Box::default),
        });
        if let Some(times) = &command.times {
            times.submit.store(now_ns(), Ordering::Relaxed);
        }
        submission::note(&command);
        command
    }

    pub(crate) fn label(&self) -> &Label {
        &self.label
    }

    pub(crate) fn line(&self) -> &Arc<Line> {
        &self.line
    }

    pub(crate) fn status(&self) -> Status {
        Status::from_bits(self.status.load(Ordering::Acquire))
    }

    /// Whether some thread runs it or has run it.
    pub(crate) fn is_begun(&self) -> bool {
        self.status() != Status::Submitted
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.status().is_end()
    }

    /// Whether it belongs to the parent of this process, so that nobody here will ever run it.
    pub(crate) fn is_lost(&self) -> bool {
        self.generation != fork::generation() && !self.is_finished()
    }

    /// Whether its work runs Python or other code of the user's, which may block.
    pub(crate) fn is_host_task(&self) -> bool {
        matches!(self.label, Label::HostTask { .. })
    }

    pub(crate) fn times(&self) -> Option<&Times> {
        self.times.as_deref()
    }

    /// Where it was submitted, if that is known.
    pub(crate) fn site(&self) -> Option<&Site> {
        self.site.get()
    }

    /// Says where it was submitted; the first to say so is believed.
    pub(crate) fn set_site(&self, site: Site) {
        // A site that is known already is as good.
        let _ = self.site.set(site);
    }

    /// The unfinished commands it depends on by name or by data.
    pub(crate) fn dependencies(&self) -> SmallVec<[Arc<Self>; 2]> {
        let links = self.lock();
        links
            .dependencies
            .iter()
            .filter(|command| !command.is_finished())
            .cloned()
            .collect()
    }

    /// Whether `other` is this command or waits for it, directly or by way of others.
    pub(crate) fn is_awaited_by(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        let mut seen = HashSet::from([Arc::as_ptr(self)]);
        let mut next = vec![Arc::clone(self)];
        while let Some(command) = next.pop() {
            if Arc::ptr_eq(&command, other) {
                return true;
            }
            let links = command.lock();
            let dependents = links.dependents.iter().map(|(dependent, _)| dependent);
            let unseen = dependents.filter(|dependent| seen.insert(Arc::as_ptr(dependent)));
            next.extend(unseen.cloned());
        }
        false
    }

    /// Adds an edge; only before [`Command::submit`].
    ///
    /// # Errors
    /// When `earlier` has failed already, or was lost in a fork: then this command could never run.
    pub(crate) fn wait_for(self: &Arc<Self>, earlier: &Arc<Self>, edge: Edge) -> Result<()> {
        if earlier.is_lost() {
            return Err(self.line.lost_in_fork());
        }
        let mut links = earlier.lock();
        match earlier.status() {
            Status::Complete => return Ok(()),
            Status::Failed if edge == Edge::Dependence => {
                drop(links);
                return Err(self.not_run_because_of(earlier));
            }
            Status::Failed => return Ok(()),
            Status::Submitted | Status::Running => {}
        }
        let is_listed = match links.dependents.last_mut() {
            // The same data is used twice, or an event named twice: the stronger edge counts.
            Some((last, known)) if Arc::ptr_eq(last, self) => {
                let is_listed = *known != Edge::Order;
                *known = (*known).max(edge);
                is_listed
            }
            _ => {
                self.waits_for.fetch_add(1, Ordering::Relaxed);
                links.dependents.push((Arc::clone(self), edge));
                false
            }
        };
        drop(links);
        if edge == Edge::Order {
            self.lock().predecessors.push(Arc::clone(earlier));
        } else if !is_listed {
            self.lock().dependencies.push(Arc::clone(earlier));
        }
        Ok(())
    }

    /// Ends the submission: from now on the command runs as soon as nothing is in its way.
    pub(crate) fn submit(self: &Arc<Self>) {
        if self.arrive() {
            executor::schedule(Arc::clone(self));
        }
    }

    /// As [`Command::submit`], but runs the command on this thread if it is ready.
    pub(crate) fn submit_and_try(self: &Arc<Self>) {
        if self.arrive() {
            executor::schedule_all(self.run());
        }
    }

    /// Takes back a command whose edges could not be made. What was linked to it already sees it
    /// end without having run.
    pub(crate) fn withdraw(self: &Arc<Self>) {
        drop(self.take_work());
        self.is_reported.store(true, Ordering::Relaxed);
        self.status.store(Status::Complete as u8, Ordering::Release);
        self.line.end_command();
    }

    /// Counts one arrival; true when it was the last that was missing.
    fn arrive(&self) -> bool {
        self.waits_for.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Runs the command unless somebody else does; returns the commands that became ready.
    pub(crate) fn run(self: &Arc<Self>) -> Ready {
        let claimed = self.status.compare_exchange(
            Status::Submitted as u8,
            Status::Running as u8,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        if claimed.is_err() {
            return Ready::new();
        }
        if let Some(times) = &self.times {
            times.start.store(now_ns(), Ordering::Relaxed);
        }
        let work = self.take_work();
        let broken_by = self.lock().broken_by.take();
        let result = match (broken_by, work) {
            (Some(culprit), work) => {
                drop(work);
                if culprit.stop.is_set() {
                    self.stop.set();
                }
                Err(self.not_run_because_of(&culprit))
            }
            (None, Some(work)) => executor::while_running(self, || {
                let work = || interrupt::while_stoppable(Some(Arc::clone(&self.stop)), work);
                catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
                    Err(Error::WorkPanicked {
                        message: panic_message(&*panic),
                    })
                })
            }),
            (None, None) => Err(Error::Internal {
                invariant: "a command has work until it runs",
            }),
        };
        self.finish(result)
    }

    /// Marks the end, wakes who sleeps, and returns the commands that became ready.
    fn finish(self: &Arc<Self>, result: Result<()>) -> Ready {
        if let Some(times) = &self.times {
            times.end.store(now_ns(), Ordering::Relaxed);
        }
        let failure = result.err();
        // The line learns of a failure before anybody can see that the command has ended, so that
        // a wait for the queue that returns has seen it.
        if failure.is_some() {
            if self.stop.is_set() {
                // Whoever interrupted it knows.
                self.is_reported.store(true, Ordering::Relaxed);
            } else {
                self.line.add_failure(Arc::clone(self));
            }
        }
        let (dependents, callbacks, sleepers, _announced) = {
            let mut links = self.lock();
            let announced = (!links.callbacks.is_empty()).then(executor::announce_job);
            // Before the end can be seen, too: after a wait for it, it is not pending.
            self.line.end_command();
            links.failure.clone_from(&failure);
            let end = match failure {
                Some(_) => Status::Failed,
                None => Status::Complete,
            };
            self.status.store(end as u8, Ordering::Release);
            links.dependencies = SmallVec::new();
            links.predecessors = SmallVec::new();
            (
                std::mem::take(&mut links.dependents),
                std::mem::take(&mut links.callbacks),
                links.sleepers,
                announced,
            )
        };
        if sleepers > 0 {
            self.finished.notify_all();
        }
        let mut ready = Ready::new();
        for (dependent, edge) in dependents {
            if failure.is_some() && edge == Edge::Dependence {
                dependent
                    .lock()
                    .broken_by
                    .get_or_insert_with(|| Arc::clone(self));
            }
            if dependent.arrive() {
                ready.push(dependent);
            }
        }
        for callback in callbacks {
            self.call_back(callback);
        }
        ready
    }

    /// Returns when the command has ended.
    ///
    /// # Errors
    /// Its failure, as often as it is asked for; waits that could never end.
    pub(crate) fn wait(self: &Arc<Self>) -> Result<()> {
        self.wait_for_end()?;
        self.outcome()
    }

    /// Returns when the command has ended, however it ended.
    ///
    /// # Errors
    /// Waits that could never end, and those that were broken off.
    pub(crate) fn wait_for_end(self: &Arc<Self>) -> Result<()> {
        if self.is_finished() {
            return Ok(());
        }
        if self.is_lost() {
            return Err(self.line.lost_in_fork());
        }
        executor::check_wait(self)?;
        // A thread that would only sleep may as well do the work, if nobody has begun.
        if self.waits_for.load(Ordering::Acquire) == 0
            && !self.is_host_task()
            && !self.label.may_block_interrupts()
            && !self.line.device().executor().is_pinned()
        {
            executor::schedule_all(self.run());
        }
        while !self.sleep_until_finished() {
            if interrupt::is_requested() {
                return Err(self.interrupt());
            }
        }
        Ok(())
    }

    /// Stops the kernels that run now and keep this command from ending; what has not begun stays.
    fn interrupt(self: &Arc<Self>) -> Error {
        let mut running = self.running_before();
        // The user's own code decides for itself.
        running.retain(|command| !command.is_host_task());
        for command in &running {
            command.stop.set();
        }
        let begin = Instant::now();
        for command in running.iter().filter(|each| each.label.is_stoppable()) {
            while !command.sleep_until_finished() && begin.elapsed() < STOP_LIMIT {}
        }
        running.retain(|command| !command.is_finished());
        Error::Interrupted {
            command: self.label.to_string(),
            running: running.first().map(|command| {
                let device = command.line.device().filter_string();
                format!("{} on `{device}`", command.label)
            }),
        }
    }

    /// The commands that run now among this one and those it waits for, directly or by way of others.
    fn running_before(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let mut running = Vec::new();
        let mut seen = HashSet::from([Arc::as_ptr(self)]);
        let mut next = vec![Arc::clone(self)];
        while let Some(command) = next.pop() {
            match command.status() {
                Status::Running => running.push(command),
                Status::Submitted => {
                    let links = command.lock();
                    let earlier = links.dependencies.iter().chain(&links.predecessors);
                    let unseen = earlier.filter(|earlier| seen.insert(Arc::as_ptr(earlier)));
                    next.extend(unseen.cloned());
                }
                Status::Complete | Status::Failed => {}
            }
        }
        running
    }

    /// Sleeps until the command has ended, but not much longer than a user can be kept waiting for an
    /// answer to Ctrl-C; false if it has not ended.
    fn sleep_until_finished(&self) -> bool {
        let mut links = self.lock();
        links.sleepers += 1;
        let (mut links, _) = self
            .finished
            .wait_timeout_while(links, interrupt::INTERVAL, |_| !self.is_finished())
            .unwrap_or_else(PoisonError::into_inner);
        links.sleepers -= 1;
        self.is_finished()
    }

    /// How a finished command ended. Whoever asks counts as having been told.
    pub(crate) fn outcome(&self) -> Result<()> {
        if self.status() != Status::Failed {
            return Ok(());
        }
        if !self.is_reported.swap(true, Ordering::Relaxed) {
            self.line.forget_failure(self);
        }
        Err(self.failure())
    }

    /// As [`Command::outcome`], for those who only pass it on.
    fn peek_outcome(&self) -> Result<()> {
        match self.status() {
            Status::Failed => Err(self.failure()),
            _ => Ok(()),
        }
    }

    /// Whether it failed and nobody was told yet.
    pub(crate) fn is_unreported(&self) -> bool {
        self.status() == Status::Failed && !self.is_reported.load(Ordering::Relaxed)
    }

    /// What went wrong, with the command's name and the line that submitted it.
    fn failure(&self) -> Error {
        let failure = self.lock().failure.clone();
        match failure {
            Some(Error::DependencyFailed {
                command,
                site,
                source,
            }) => Error::DependencyFailed {
                command,
                // It may have ended before anybody could tell where it was submitted.
                site: site.or_else(|| self.site().cloned()),
                source,
            },
            Some(error @ Error::CommandFailed { .. }) => error,
            Some(source) => Error::CommandFailed {
                command: self.label.to_string(),
                site: self.site().cloned(),
                source: Box::new(source),
            },
            None => Error::Internal {
                invariant: "a failed command knows why",
            },
        }
    }

    fn not_run_because_of(&self, culprit: &Self) -> Error {
        let source = match culprit.failure() {
            // Further down the chain, the first failure is still the one to look at.
            Error::DependencyFailed { source, .. } => source,
            other => Box::new(other),
        };
        Error::DependencyFailed {
            command: self.label.to_string(),
            site: self.site().cloned(),
            source,
        }
    }

    /// Calls `callback` on a host thread when the command has ended; at once if it has, or if it
    /// was lost in a fork. That alone does not count as having been told of a failure: whether the
    /// callback did anything about it, nobody knows.
    pub(crate) fn on_finish(self: &Arc<Self>, callback: Callback) {
        if self.is_lost() {
            let lost = self.line.lost_in_fork();
            executor::run_on_host(Box::new(move || callback(Err(lost))));
            return;
        }
        {
            let mut links = self.lock();
            if !self.is_finished() {
                links.callbacks.push(callback);
                return;
            }
        }
        self.call_back(callback);
    }

    fn call_back(self: &Arc<Self>, callback: Callback) {
        let command = Arc::clone(self);
        executor::run_on_host(Box::new(move || callback(command.peek_outcome())));
    }

    fn take_work(&self) -> Option<Work> {
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn lock(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Command {
    /// A failure that nobody waited for is not lost: it becomes a warning.
    fn drop(&mut self) {
        if self.is_unreported() {
            let message = self.failure().to_string();
            warnings::process_sink().push(Warning::UnseenFailure { message });
        }
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({:?})", self.label, self.status())
    }
}

/// Commands that nothing keeps from running.
pub(crate) type Ready = SmallVec<[Arc<Command>; 4]>;

/// Nanoseconds since the first call in this process.
pub(crate) fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    // Zero means "not yet" in `Times`, so the clock starts at one.
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}
