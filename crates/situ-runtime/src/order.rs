//! Which commands use an allocation, so that later ones can wait for exactly those.
//!
//! Each allocation remembers the commands that write it and, since then, those that read it. A
//! reader depends on the writers. A writer depends on the writers, and comes after the readers:
//! whether those succeed is nothing to it. On one in-order queue that order holds anyway, but two
//! equivalent queues, an out-of-order queue, and a host that reads, all need it.
//!
//! There is one writer, as a rule, because it waits for those before it. There are several when the
//! user named the events to wait for, or when two threads submit at the same moment; then all of
//! them are remembered.
//!
//! Commands that end before their submission returns leave no trace, so in programs of many small
//! launches the whole record is one flag that is never set.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use smallvec::SmallVec;

use crate::command::{Command, Edge};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::{Event, first_failure};
use crate::fork;
use crate::memory::usm::Allocation;
use crate::queue::companion::Accompanied;
use crate::queue::{Queue, Task, named};

/// How a command uses an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Submits a task that uses allocations: after `events` or, without them, after exactly the commands
/// that use the same data. Later commands will know of it.
pub(crate) fn submit<'a>(
    queue: &Queue,
    task: impl Task,
    uses: impl Iterator<Item = (&'a Allocation, Access)> + Clone,
    events: Option<&[Event]>,
    location: &'static Location<'static>,
) -> Result<Event> {
    for (allocation, access) in uses.clone() {
        if access == Access::Write {
            allocation.settle_readers()?;
        }
    }
    if uses.clone().any(|(allocation, _)| allocation.is_shared()) {
        let task = Accompanied {
            task,
            companion: None,
            context: Some(queue.context().clone()),
        };
        return submit_alone(queue, task, uses, events, location);
    }
    submit_alone(queue, task, uses, events, location)
}

fn submit_alone<'a>(
    queue: &Queue,
    task: impl Task,
    uses: impl Iterator<Item = (&'a Allocation, Access)> + Clone,
    events: Option<&[Event]>,
    location: &'static Location<'static>,
) -> Result<Event> {
    let mut found = Dependencies::new();
    let event = if let Some(events) = events {
        queue.submit(task, named(events), location)?
    } else {
        for (allocation, access) in uses.clone() {
            let accesses = allocation.accesses();
            if !accesses.dependencies(access, &mut found) {
                return Err(lost(allocation));
            }
        }
        let awaited = found.iter().map(|(event, edge)| (event, *edge));
        queue.submit(task, awaited, location)?
    };
    if let Some(command) = event.command() {
        let awaited = found.iter().map(|(event, _)| event);
        let awaited = Awaited::new(awaited.chain(events.unwrap_or_default()));
        for (allocation, access) in uses.clone() {
            allocation.accesses().add(command, access, &awaited);
        }
        if uses
            .into_iter()
            .any(|(allocation, _)| allocation.is_seen_by_others())
        {
            command.wait()?;
        }
    }
    Ok(event)
}

/// Waits until the host may use an allocation in this way.
///
/// # Errors
/// The failure of a command that was to write it.
pub(crate) fn wait(allocation: &Allocation, access: Access) -> Result<()> {
    allocation.settle()?;
    if access == Access::Write {
        allocation.settle_readers()?;
    }
    let mut found = Dependencies::new();
    if !allocation.accesses().dependencies(access, &mut found) {
        return Err(lost(allocation));
    }
    if allocation.is_shared() {
        allocation.context().companions().wait()?;
    }
    first_failure(
        found
            .iter()
            .map(|(event, edge)| match (event.command(), edge) {
                (Some(reader), Edge::AntiDependence) => reader.wait_for_end(),
                _ => event.wait(),
            }),
    )
}

fn lost(allocation: &Allocation) -> Error {
    let devices = allocation.context().devices();
    Error::LostInFork {
        device: devices
            .first()
            .map_or_else(String::new, Device::filter_string),
    }
}

/// Events that a command has to wait for, and how.
pub(crate) type Dependencies = SmallVec<[(Event, Edge); 4]>;

/// The commands that a new one waits for, sorted, to look them up.
struct Awaited(SmallVec<[*const Command; 8]>);

impl Awaited {
    fn new<'a>(events: impl Iterator<Item = &'a Event>) -> Self {
        let mut commands: SmallVec<_> =
            events.filter_map(Event::command).map(Arc::as_ptr).collect();
        commands.sort_unstable();
        Self(commands)
    }

    /// Whether a command that waits for these runs after `earlier`.
    fn covers(&self, earlier: &Arc<Command>) -> bool {
        self.0.binary_search(&Arc::as_ptr(earlier)).is_ok()
    }
}

/// The unfinished commands that use an allocation.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// Whether the record may hold commands that have not ended.
    is_pending: AtomicBool,
    /// The process that used the lock last; in another one, nobody may be left to unlock it.
    generation: AtomicU64,
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    writers: SmallVec<[Arc<Command>; 1]>,
    readers: SmallVec<[Arc<Command>; 2]>,
    /// The number of commands at which they are looked through for some that have ended.
    prune_at: usize,
}

/// How many readers are searched for one that a new reader speaks for.
const LOOK_BACK: usize = 8;

/// With more commands than this, they are not looked through each time.
const FEW: usize = 64;

impl Record {
    /// Forgets commands that have ended, and readers that a forked child has no part in.
    fn prune(&mut self) {
        self.writers.retain(|writer| !writer.is_finished());
        self.readers
            .retain(|reader| !reader.is_finished() && !reader.is_lost());
        self.set_prune_at();
    }

    /// Looking through the record is paid for by as many additions to it.
    fn set_prune_at(&mut self) {
        self.prune_at = (2 * self.len()).max(FEW);
    }

    fn len(&self) -> usize {
        self.writers.len() + self.readers.len()
    }

    fn add_reader(&mut self, command: &Arc<Command>) {
        if self.len() >= self.prune_at {
            self.prune();
        }
        // On an in-order queue the later reader speaks for the earlier one, which is among the last
        // unless many queues read.
        let mut latest = self.readers.iter_mut().rev().take(LOOK_BACK);
        match latest.find(|reader| follows(command, reader)) {
            Some(reader) => reader.clone_from(command),
            None => self.readers.push(Arc::clone(command)),
        }
    }

    fn add_writer(&mut self, command: &Arc<Command>, awaited: &Awaited) {
        let is_concurrent = |earlier: &mut Arc<Command>| {
            !(earlier.is_finished() || awaited.covers(earlier) || follows(command, earlier))
        };
        // Whoever waits for many can afford to look at as many.
        let few = FEW.max(2 * awaited.0.len());
        if self.len() <= few || self.len() >= self.prune_at {
            self.writers.retain(is_concurrent);
            self.readers.retain(is_concurrent);
            self.set_prune_at();
        }
        self.writers.push(Arc::clone(command));
    }
}

/// Whether a new command runs after an earlier one, or is the same, because of their queue alone.
fn follows(command: &Arc<Command>, earlier: &Arc<Command>) -> bool {
    let is_after = Arc::ptr_eq(command.line(), earlier.line()) && command.line().is_in_order();
    is_after || Arc::ptr_eq(command, earlier)
}

impl Accesses {
    /// Whether it is known, without looking, that there is nothing to wait for.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_pending.load(Ordering::Acquire)
    }

    /// Adds what a new command with this access has to wait for. False if that was lost in a fork.
    #[must_use]
    fn dependencies(&self, access: Access, found: &mut Dependencies) -> bool {
        if self.is_idle() {
            return true;
        }
        let Some(mut record) = self.lock() else {
            return false;
        };
        let is_over = |commands: &[Arc<Command>]| commands.last().is_none_or(|it| it.is_finished());
        if is_over(&record.writers) && is_over(&record.readers) {
            record.prune();
            if record.writers.is_empty() && record.readers.is_empty() {
                self.is_pending.store(false, Ordering::Release);
                return true;
            }
        }
        let mut add = |commands: &[Arc<Command>], edge| {
            // A reader that a fork has taken away disturbs nobody; a writer is missed.
            let is_awaited = |command: &&Arc<Command>| {
                !command.is_finished() && (edge == Edge::Dependence || !command.is_lost())
            };
            let unfinished = commands.iter().filter(is_awaited);
            found.extend(unfinished.map(|command| (Event::of(Arc::clone(command)), edge)));
        };
        add(&record.writers, Edge::Dependence);
        if access == Access::Write {
            add(&record.readers, Edge::AntiDependence);
        }
        true
    }

    /// Remembers a command that has not ended.
    fn add(&self, command: &Arc<Command>, access: Access, awaited: &Awaited) {
        let Some(mut record) = self.lock() else {
            return;
        };
        match access {
            Access::Read => record.add_reader(command),
            Access::Write => record.add_writer(command, awaited),
        }
        self.is_pending.store(true, Ordering::Release);
    }

    /// Takes over what another allocation knew, which nobody else can ask.
    pub(crate) fn take_over(&self, other: &mut Self) {
        if let Some(mut record) = self.lock() {
            let known = other.record.get_mut();
            *record = std::mem::take(known.unwrap_or_else(PoisonError::into_inner));
            let is_pending = other.is_pending.load(Ordering::Acquire);
            self.is_pending.store(is_pending, Ordering::Release);
        }
    }

    /// The record; `None` if a thread of the parent process had it locked at the fork.
    fn lock(&self) -> Option<MutexGuard<'_, Record>> {
        let process = fork::generation();
        if self.generation.load(Ordering::Relaxed) != process {
            return self.inherit(process);
        }
        Some(self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The record as the parent process left it, unless it is locked and stays so.
    #[cold]
    fn inherit(&self, process: u64) -> Option<MutexGuard<'_, Record>> {
        for _ in 0..1000 {
            let record = match self.record.try_lock() {
                Ok(record) => record,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                // It may also be another thread of this process.
                Err(TryLockError::WouldBlock) => {
                    std::thread::yield_now();
                    continue;
                }
            };
            self.generation.store(process, Ordering::Relaxed);
            return Some(record);
        }
        None
    }
}
