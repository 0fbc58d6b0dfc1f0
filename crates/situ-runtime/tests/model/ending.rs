//! The end of a program: everything is waited for, looked at once more, and let go.

use std::thread;
use std::time::Instant;

use situ_runtime::Context;
use situ_runtime::warnings::{Warning, process_sink};

use super::oracle::{Fate, Id, Set, bit, members};
use super::run::{Check, PATIENCE, Run};

impl Run {
    /// Waits for everything and looks at what is left.
    pub(crate) fn finish(mut self) -> Check {
        self.watchdog.tell("the end");
        self.open(self.oracle.closed, false);
        for queue in 0..self.queues.len() {
            if self.queues[queue].queue.is_some() {
                self.wait_for_queue(queue, false)?;
            }
        }
        let all: Set = (0..self.events.len()).map(bit).sum();
        self.settle(all)?;
        for x in self.live_arrays(None) {
            let place = self.arrays[x].place;
            let mut queues = self.queues.iter();
            let queue = queues.position(|each| each.place == place && each.queue.is_some());
            if let Some(queue) = queue {
                self.read(queue, x, false)?;
            }
        }
        for (id, told) in std::mem::take(&mut self.callbacks) {
            let result = told.recv_timeout(PATIENCE);
            let result = result.map_err(|_| format!("the callback of #{id} was not called"))?;
            self.check_outcome(id, &result)?;
            if told.recv().is_ok() {
                return Err(format!("a callback of #{id} was called twice"));
            }
        }
        self.check_log()?;
        self.check_times()?;
        // A failure that nobody was told of becomes a warning, so one of them is not asked.
        let untold = self.oracle.untold(self.oracle.failing(all));
        let witness = members(untold).next();
        for id in members(all & !witness.map_or(0, bit)) {
            self.check_outcome(id, &self.events[id].wait())?;
            self.check_outcome(id, &self.events[id].wait())?;
        }
        self.watchdog
            .tell(format!("everything is let go, and {witness:?} untold"));
        self.check_remains(usize::from(witness.is_some()))
    }

    /// Host tasks ran once, or not at all, and in order.
    pub(crate) fn check_log(&self) -> Check {
        let log = self.log.lock().expect("nobody panics with it").clone();
        let position = |id: Id| log.iter().position(|each| *each == id);
        for id in self.tasks.iter().copied() {
            let command = &self.oracle.commands[id];
            let runs = log.iter().filter(|each| **each == id).count();
            if runs != usize::from(command.fate != Fate::NotRun) {
                return Err(format!("{} ran {runs} times", self.describe(id)));
            }
            let too_late = members(command.before)
                .find(|earlier| position(*earlier).is_some() && position(*earlier) > position(id));
            if let (Some(earlier), Some(_)) = (too_late, position(id)) {
                return Err(format!("#{earlier} ran after {}", self.describe(id)));
            }
        }
        Ok(())
    }

    /// Where times are recorded, nothing begins before what it waits for has ended.
    pub(crate) fn check_times(&self) -> Check {
        for (id, event) in self.events.iter().enumerate() {
            let Ok(mine) = event.profile() else { continue };
            if mine.submit_ns > mine.start_ns || mine.start_ns > mine.end_ns {
                return Err(format!("{} has {mine:?}", self.describe(id)));
            }
            for earlier in members(self.oracle.commands[id].before) {
                if let Ok(theirs) = self.events[earlier].profile()
                    && theirs.end_ns > mine.start_ns
                {
                    return Err(format!(
                        "#{earlier} ended after {} began",
                        self.describe(id)
                    ));
                }
            }
        }
        Ok(())
    }

    /// When everything is let go, all memory comes back, and there is a warning for each failure that
    /// nobody was told of.
    pub(crate) fn check_remains(mut self, expected: usize) -> Check {
        let contexts: Vec<Context> = self.places.drain(..).map(|place| place.context).collect();
        self.watchdog.reset();
        drop(self);
        let mut warnings = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let held: Vec<_> = contexts
                .iter()
                .flat_map(Context::memory_statistics)
                .filter(|(_, each)| each.used_blocks + each.pending_blocks > 0)
                .collect();
            warnings.extend(process_sink().drain());
            let unseen = |warning: &&Warning| matches!(warning, Warning::UnseenFailure { .. });
            if warnings.iter().filter(unseen).count() == expected && held.is_empty() {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("at the end: {warnings:?}, memory {held:?}"));
            }
            thread::yield_now();
        }
    }
}
