//! Which commands use an allocation, so that later ones can wait for exactly those.
//!
//! Each allocation remembers the last command that writes it and the commands that read it since.
//! A reader waits for the writer; a writer waits for the writer and all readers. On one in-order
//! queue that order holds anyway, but two equivalent queues, an out-of-order queue, and a host that
//! reads, all need it. Commands that end before their submission returns leave no trace, so in
//! programs of many small launches the whole record is one flag that is never set.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use crate::command::Command;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fork;
use crate::memory::usm::Allocation;
use crate::queue::{Queue, Task};

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
    let mut found = Dependencies::new();
    if events.is_none() {
        for (allocation, access) in uses.clone() {
            allocation.accesses().dependencies(access, &mut found)?;
        }
    }
    let event = queue.submit(task, events.unwrap_or(&found), location)?;
    if let Some(command) = event.command() {
        for (allocation, access) in uses {
            allocation.accesses().add(command, access);
        }
    }
    Ok(event)
}

/// Events that a command has to wait for.
pub(crate) type Dependencies = SmallVec<[Event; 4]>;

/// The unfinished commands that use an allocation.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// Whether the record may hold commands that have not ended.
    is_pending: AtomicBool,
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    /// The process that wrote the record.
    generation: u64,
    writer: Option<Arc<Command>>,
    readers: SmallVec<[Arc<Command>; 2]>,
}

impl Record {
    /// Forgets commands that have ended.
    fn prune(&mut self) {
        let is_over = |command: &Arc<Command>| command.is_finished();
        if self.writer.as_ref().is_some_and(is_over) {
            self.writer = None;
        }
        self.readers.retain(|reader| !is_over(reader));
    }

    fn is_empty(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }
}

impl Accesses {
    /// Adds what a new command with this access has to wait for.
    ///
    /// # Errors
    /// [`Error::LostInFork`] when the parent process was still working on it at the fork.
    pub(crate) fn dependencies(&self, access: Access, found: &mut Dependencies) -> Result<()> {
        if !self.is_pending.load(Ordering::Acquire) {
            return Ok(());
        }
        let record = self.pruned()?;
        let readers = match access {
            Access::Read => &[],
            Access::Write => record.readers.as_slice(),
        };
        found.extend(record.writer.iter().chain(readers).cloned().map(Event::of));
        Ok(())
    }

    /// Remembers a command that has not ended.
    pub(crate) fn add(&self, command: &Arc<Command>, access: Access) {
        let mut record = self.lock();
        record.prune();
        record.generation = fork::generation();
        match access {
            Access::Read => {
                // On an in-order queue the later reader speaks for the earlier one.
                let line = command.line();
                if line.is_in_order() {
                    record
                        .readers
                        .retain(|reader| !Arc::ptr_eq(reader.line(), line));
                }
                record.readers.push(Arc::clone(command));
            }
            Access::Write => {
                record.readers.clear();
                record.writer = Some(Arc::clone(command));
            }
        }
        self.is_pending.store(true, Ordering::Release);
    }

    /// Waits until the host may use the allocation in this way.
    ///
    /// # Errors
    /// The failure of a command that was to write it.
    pub(crate) fn wait(&self, access: Access) -> Result<()> {
        let mut found = Dependencies::new();
        self.dependencies(access, &mut found)?;
        Event::wait_for_all(&found)
    }

    /// The record without what is over.
    fn pruned(&self) -> Result<MutexGuard<'_, Record>> {
        let mut record = self.lock();
        record.prune();
        if record.is_empty() {
            self.is_pending.store(false, Ordering::Release);
        } else if record.generation != fork::generation() {
            return Err(Error::LostInFork {
                device: record
                    .writer
                    .iter()
                    .chain(&record.readers)
                    .map(|command| command.line().device().filter_string())
                    .next()
                    .unwrap_or_default(),
            });
        }
        Ok(record)
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
