//! Where kernels and copies are submitted.
//!
//! A queue belongs to one device and one context. Submitting returns an [`Event`] and does not wait.
//!
//! - **In order** (the default): commands run one after the other, in the order of submission.
//! - **Out of order**: a command runs as soon as what it depends on has ended: the events it names,
//!   or the commands that use the same data (see [`crate::order`]), and the latest barrier.
//!
//! A command that is expected to be brief, and has nothing to wait for, runs on the caller
//! at once: no thread is woken and no event is made. What fails then is returned by the call itself.
//! What fails later is told by the next wait for the event or the queue, and the queue stays usable.

pub(crate) mod companion;
pub(crate) mod line;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use situ_ir::NdRange;

use crate::command::{Command, Edge, Label, Work};
use crate::config;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::executor;
use crate::fork::ForkLocal;
use crate::interrupt;
use crate::launch::{self, Argument, Options};
use crate::memory::deferred::Promises;
use crate::memory::report::Report;
use crate::memory::usm::Allocation;
use crate::program::Kernel;
use crate::submission;
use crate::warnings::{self, Warning};
use companion::{Accompanied, Companion};
use line::Line;

/// How a queue behaves; part of what makes queues equivalent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueueProperties {
    /// Commands run in the order of submission, one at a time.
    pub in_order: bool,
    /// Events record times.
    pub enable_profiling: bool,
}

impl Default for QueueProperties {
    fn default() -> Self {
        Self {
            in_order: true,
            enable_profiling: false,
        }
    }
}

/// Where work is submitted. Cloning gives another handle of the same queue; equality is identity.
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

struct Inner {
    id: u64,
    device: Device,
    context: Context,
    properties: QueueProperties,
    companion: OnceLock<Arc<dyn Companion>>,
    /// Work that belongs here and is put off.
    promises: Promises,
    line: ForkLocal<Arc<Line>>,
}

/// Work that can be submitted.
pub(crate) trait Task {
    /// What it is, for messages.
    fn label(&self) -> Label;

    /// Whether it is expected to end within a millisecond, so that handing it over costs a
    /// good part of it.
    fn is_brief(&self) -> bool;

    /// Does it now.
    fn run(self) -> Result<()>;

    /// Something that does it later and owns everything it needs.
    fn into_work(self) -> Work;
}

impl Queue {
    /// A queue in the device's default context.
    pub fn new(device: &Device) -> Self {
        Self::over(
            device.default_context().clone(),
            device.clone(),
            QueueProperties::default(),
        )
    }

    /// A queue in a context of the caller's choice.
    ///
    /// # Errors
    /// [`Error::DeviceNotInContext`].
    pub fn with_context(
        context: &Context,
        device: &Device,
        properties: QueueProperties,
    ) -> Result<Self> {
        if !context.covers(device) {
            return Err(Error::DeviceNotInContext {
                device: device.filter_string(),
                devices: context
                    .devices()
                    .iter()
                    .map(Device::filter_string)
                    .collect(),
            });
        }
        Ok(Self::over(context.clone(), device.clone(), properties))
    }

    pub(crate) fn over(context: Context, device: Device, properties: QueueProperties) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self(Arc::new(Inner {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            device,
            context,
            properties,
            companion: OnceLock::new(),
            promises: Promises::default(),
            line: ForkLocal::new(),
        }))
    }

    /// A number that no other queue of this process has, for messages.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The device work runs on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The context whose allocations work can use.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// How the queue behaves.
    pub fn properties(&self) -> QueueProperties {
        self.0.properties
    }

    /// Whether work may go to either queue with the same effect: same context, same device, same
    /// properties.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        self == other
            || (self.context() == other.context()
                && self.device() == other.device()
                && self.properties() == other.properties())
    }

    /// The backend's queue that other packages know as this one.
    pub(crate) fn companion(&self) -> Option<&Arc<dyn Companion>> {
        self.0.companion.get()
    }

    /// Shares this queue from now on; gives the companion it has, which may be another thread's.
    pub(crate) fn share(&self, companion: Arc<dyn Companion>) -> &Arc<dyn Companion> {
        self.0.companion.get_or_init(|| {
            self.context().companions().add(&companion);
            companion
        })
    }

    /// A handle that does not keep the queue.
    pub(crate) fn downgrade(&self) -> WeakQueue {
        WeakQueue(Arc::downgrade(&self.0))
    }

    /// Has work that is put off submitted before anybody waits for this queue. Gives the number of such promises that
    /// may still have to be kept.
    pub fn promise(&self, promised: &Arc<Allocation>) -> usize {
        self.0.promises.add(promised)
    }

    /// What is promised on this queue and not there yet.
    pub fn promised(&self) -> Vec<Arc<Allocation>> {
        self.0.promises.open()
    }

    /// Submits all work of this queue that was put off.
    ///
    /// # Errors
    /// If there is no memory, or something cannot be submitted.
    pub fn settle(&self) -> Result<()> {
        self.0.promises.settle()
    }

    /// Runs a kernel over a range, after all commands that use the same data.
    ///
    /// # Errors
    /// Before anything runs: arguments, range or kernel do not fit each other or the device.
    /// What goes wrong in the kernel is returned if it ran at once, and told by the event otherwise.
    #[track_caller]
    pub fn launch(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[Argument],
    ) -> Result<Event> {
        let options = Options::default();
        launch::launch(self, kernel, range, arguments, options, Location::caller())
    }

    /// Runs a kernel over a range, after exactly these events (and, on an in-order queue, after
    /// what was submitted before). For those who know better than the data which commands may
    /// overlap.
    ///
    /// # Errors
    /// As [`Queue::launch`].
    #[track_caller]
    pub fn launch_after(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[Argument],
        events: &[Event],
    ) -> Result<Event> {
        let options = Options {
            events: Some(events),
            ..Options::default()
        };
        launch::launch(self, kernel, range, arguments, options, Location::caller())
    }

    /// Launches a kernel that writes a report; after `events` or, without them, after what uses the same data. The
    /// command fails if that is what the report comes to.
    ///
    /// # Errors
    /// As [`Self::launch`].
    #[track_caller]
    pub fn launch_reporting(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[Argument],
        report: &Report,
        events: Option<&[Event]>,
    ) -> Result<Event> {
        let options = Options {
            events,
            report: Some(report),
        };
        launch::launch(self, kernel, range, arguments, options, Location::caller())
    }

    /// Runs the caller's own code on a host thread, in its turn on this queue and after `events`.
    ///
    /// The code may block and may use situ; what it must not do is wait for this queue.
    ///
    /// # Errors
    /// If an event it depends on has failed. What the code itself returns is told by the event.
    #[track_caller]
    pub fn host_task(
        &self,
        name: &str,
        events: &[Event],
        work: impl FnOnce() -> Result<(), HostError> + Send + 'static,
    ) -> Result<Event> {
        self.settle()?;
        self.submit(HostTask::new(name, work), named(events), Location::caller())
    }

    /// An event that ends when `events` have, or, without any, everything submitted before. What
    /// is submitted afterwards waits for it.
    ///
    /// # Errors
    /// If one of the events has failed already.
    #[track_caller]
    pub fn barrier(&self, events: &[Event]) -> Result<Event> {
        self.submit_barrier(events, self.0.properties.enable_profiling)
    }

    /// A barrier over everything so far whose event has times, whatever the queue's properties.
    ///
    /// # Errors
    /// [`Error::LostInFork`].
    #[track_caller]
    pub fn marker(&self) -> Result<Event> {
        self.submit_barrier(&[], true)
    }

    #[track_caller]
    fn submit_barrier(&self, events: &[Event], is_timed: bool) -> Result<Event> {
        self.settle()?;
        let line = self.line()?;
        let mut state = line.lock()?;
        state.prune();
        let barrier = Accompanied {
            task: Barrier,
            companion: self.companion().cloned(),
            context: None,
        };
        let command = new_command(line, barrier, is_timed, Location::caller());
        let link = || {
            // What comes later will only wait for this barrier, so it speaks for the one before.
            let outstanding: &[_] = if events.is_empty() {
                &state.outstanding
            } else {
                &[]
            };
            for each in state.last.iter().chain(outstanding) {
                command.wait_for(each, Edge::Order)?;
            }
            wait_for_events(&command, named(events))
        };
        if let Err(error) = link() {
            command.withdraw();
            return Err(error);
        }
        state.last = Some(Arc::clone(&command));
        drop(state);
        command.submit_and_try();
        Ok(Event::of(command))
    }

    /// Submits work, or does it now if it is brief and nothing is in its way.
    pub(crate) fn submit<'a>(
        &self,
        task: impl Task,
        awaited: impl Iterator<Item = (&'a Event, Edge)> + Clone,
        location: &'static Location<'static>,
    ) -> Result<Event> {
        match self.companion() {
            None => self.submit_alone(task, awaited, location),
            Some(companion) => {
                let task = Accompanied {
                    task,
                    companion: Some(Arc::clone(companion)),
                    context: None,
                };
                self.submit_alone(task, awaited, location)
            }
        }
    }

    fn submit_alone<'a>(
        &self,
        task: impl Task,
        awaited: impl Iterator<Item = (&'a Event, Edge)> + Clone,
        location: &'static Location<'static>,
    ) -> Result<Event> {
        let line = self.line()?;
        let QueueProperties {
            in_order,
            enable_profiling,
        } = self.0.properties;
        let mut state = line.lock()?;
        let is_free = state.unfinished_last().is_none()
            && awaited.clone().all(|(event, _)| event.ended_well());
        let is_inline = is_free && task.is_brief();
        if is_inline && !enable_profiling {
            // The lock keeps other commands of an in-order queue from running meanwhile; commands
            // of an out-of-order queue may.
            let ran = if in_order {
                line.run_in_turn(state, || task.run())
            } else {
                drop(state);
                interrupt::while_stoppable_here(|| task.run())
            };
            return ran.map(|()| Event::complete());
        }
        let command = new_command(line, task, enable_profiling, location);
        let last = state.unfinished_last().cloned();
        let linked = last
            .map_or(Ok(()), |last| command.wait_for(&last, Edge::Order))
            .and_then(|()| wait_for_events(&command, awaited));
        if let Err(error) = linked {
            command.withdraw();
            return Err(error);
        }
        if in_order {
            state.last = Some(Arc::clone(&command));
        } else {
            state.add_outstanding(Arc::clone(&command));
        }
        drop(state);
        if is_inline {
            command.submit_and_try();
            return command.outcome().map(|()| Event::of(command));
        }
        command.submit();
        let event = Event::of(command);
        // A host task cannot wait for what is behind it; it has to make do without.
        if config::process_config().blocking && !executor::is_running_command() {
            event.wait()?;
        }
        Ok(event)
    }

    /// Does something brief on the calling thread, if no command is in its way; `None` if one is, or may be.
    pub(crate) fn in_turn<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let line = self.0.line.get().filter(|line| !line.is_lost_in_fork())?;
        let mut state = line.try_lock()?;
        if state.unfinished_last().is_some() {
            return None;
        }
        // As for commands that run on the caller: an in-order queue does one thing at a time.
        let _turn = self.0.properties.in_order.then_some(state);
        Some(work())
    }

    /// Returns when everything submitted so far has ended.
    ///
    /// # Errors
    /// What went wrong since the last wait, if nobody was told yet.
    pub fn wait(&self) -> Result<()> {
        self.settle()?;
        let line = self.line()?;
        line.wait_for_end()?;
        if let Some(companion) = self.companion() {
            companion.wait()?;
        }
        line.report_failures()
    }

    /// Tells what went wrong since the last wait, without waiting.
    ///
    /// # Errors
    /// As [`Queue::wait`].
    pub fn check(&self) -> Result<()> {
        self.line()?.report_failures()
    }

    /// How many commands were submitted and have not ended.
    pub fn pending(&self) -> usize {
        self.0.line.get().map_or(0, |line| line.pending())
    }

    /// The commands of this process.
    fn line(&self) -> Result<&Arc<Line>> {
        let inner = &*self.0;
        let line = inner.line.get_or_init_after(|parent| {
            let lost = parent.map_or(0, |line| line.pending());
            Line::new(inner.device.clone(), inner.properties, lost)
        });
        line.check_fork()?;
        Ok(line)
    }
}

/// A handle of a queue that does not keep it.
#[derive(Clone)]
pub(crate) struct WeakQueue(Weak<Inner>);

impl WeakQueue {
    /// The queue, if somebody keeps it.
    pub(crate) fn upgrade(&self) -> Option<Queue> {
        self.0.upgrade().map(Queue)
    }
}

fn new_command(
    line: &Arc<Line>,
    task: impl Task,
    is_timed: bool,
    location: &'static Location<'static>,
) -> Arc<Command> {
    let command = Command::new(task.label(), Arc::clone(line), task.into_work(), is_timed);
    if !submission::is_collecting() {
        command.set_site(location.into());
    }
    command
}

/// Events that the caller named: whoever names an event depends on its success.
pub(crate) fn named(events: &[Event]) -> impl Iterator<Item = (&Event, Edge)> + Clone {
    events.iter().map(|event| (event, Edge::Dependence))
}

fn wait_for_events<'a>(
    command: &Arc<Command>,
    mut awaited: impl Iterator<Item = (&'a Event, Edge)>,
) -> Result<()> {
    awaited.try_for_each(|(event, edge)| match event.command() {
        Some(earlier) => command.wait_for(earlier, edge),
        None => Ok(()),
    })
}

/// Waits until no queue has anything pending and no callback is left to call, or until time is up;
/// true if nothing is left.
///
/// For the end of a process: failures stay where they are.
pub fn wait_for_all(limit: Duration) -> bool {
    let deadline = Instant::now().checked_add(limit);
    while line::is_any_busy() || executor::has_host_jobs() {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    true
}

/// Turns failures that nobody was told of, on any queue, into warnings.
///
/// For the end of a process, when nobody can ask for them any more.
pub fn warn_of_unseen_failures() {
    for line in line::all_lines() {
        if let Err(error) = line.report_failures() {
            let message = error.to_string();
            warnings::process_sink().push(Warning::UnseenFailure { message });
        }
    }
}

impl Drop for Inner {
    /// Work that is pending goes on; only nobody can wait for the queue any more.
    fn drop(&mut self) {
        if let Some(line) = self.line.get() {
            line.abandon();
        }
    }
}

/// What a host task returns when it fails: any error.
pub type HostError = Arc<dyn std::error::Error + Send + Sync>;

/// The caller's own code, which may block.
pub(crate) struct HostTask {
    name: Arc<str>,
    work: Box<dyn FnOnce() -> Result<(), HostError> + Send>,
}

impl HostTask {
    pub(crate) fn new(
        name: &str,
        work: impl FnOnce() -> Result<(), HostError> + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            work: Box::new(work),
        }
    }
}

impl Task for HostTask {
    fn label(&self) -> Label {
        Label::HostTask {
            name: Arc::clone(&self.name),
        }
    }

    fn is_brief(&self) -> bool {
        false
    }

    fn run(self) -> Result<()> {
        (self.work)().map_err(|source| Error::HostTaskFailed { source })
    }

    fn into_work(self) -> Work {
        Box::new(move || self.run())
    }
}

struct Barrier;

impl Task for Barrier {
    fn label(&self) -> Label {
        Label::Barrier
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn run(self) -> Result<()> {
        Ok(())
    }

    fn into_work(self) -> Work {
        Box::new(|| Ok(()))
    }
}

impl PartialEq for Queue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Queue {}

impl Hash for Queue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Queue")
            .field("id", &self.id())
            .field("device", self.device())
            .field("properties", &self.properties())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
