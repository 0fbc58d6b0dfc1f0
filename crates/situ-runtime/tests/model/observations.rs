//! What a program can see: waits, the contents of arrays, status and dependencies, callbacks.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use situ_runtime::memory::copy;
use situ_runtime::{Error, Event};

use super::oracle::{Fate, Id, Set, bit, members};
use super::run::{Check, Gate, PATIENCE, Run, to_bytes};

impl Run {
    /// Makes sure that these have ended, without being told how.
    pub(crate) fn settle(&mut self, set: Set) -> Check {
        let deadline = Instant::now() + PATIENCE;
        for id in members(set) {
            while !self.events[id].is_complete() {
                if Instant::now() > deadline {
                    return Err(format!("{} does not end", self.describe(id)));
                }
                thread::yield_now();
            }
        }
        self.oracle.end(set);
        Ok(())
    }

    /// Opens gates, now or while the caller waits.
    pub(crate) fn open(&mut self, gates: Set, meanwhile: bool) -> Option<JoinHandle<()>> {
        self.oracle.closed &= !gates;
        let opened: Vec<Arc<Gate>> = self
            .gates
            .iter()
            .filter(|(id, _)| gates & bit(*id) != 0)
            .map(|(_, gate)| Arc::clone(gate))
            .collect();
        let open = move || opened.iter().for_each(|gate| gate.open());
        if meanwhile && gates != 0 {
            return Some(thread::spawn(move || {
                thread::sleep(Duration::from_micros(200));
                open();
            }));
        }
        open();
        None
    }

    pub(crate) fn wait_for_event(&mut self, id: Id, meanwhile: bool) -> Check {
        let opener = self.open(self.oracle.gates_of(bit(id)), meanwhile);
        let result = self.events[id].wait();
        join(opener);
        self.oracle.end(bit(id));
        self.check_outcome(id, &result)?;
        self.oracle.commands[id].is_told = true;
        Ok(())
    }

    pub(crate) fn wait_for_queue(&mut self, queue: usize, meanwhile: bool) -> Check {
        let all = self.oracle.of_queue(queue);
        let opener = self.open(self.oracle.gates_of(all), meanwhile);
        let result = self.queue(queue).wait();
        join(opener);
        self.oracle.end(all);
        let pending = self.queue(queue).pending();
        if pending != 0 {
            return Err(format!("{pending} commands are pending after a wait"));
        }
        self.check_report(queue, &result)
    }

    /// Compares what a queue tells with the failures nobody was told of.
    pub(crate) fn check_report(&mut self, queue: usize, result: &Result<(), Error>) -> Check {
        let ended = self.oracle.of_queue(queue);
        let ended = ended & !self.oracle.unfinished(ended);
        let expected = self.oracle.untold(self.oracle.failing(ended));
        for id in members(expected) {
            self.oracle.commands[id].is_told = true;
        }
        let is_first = |error: &Error| members(expected).any(|id| self.is_failure(error, id));
        let is_right = match (result, expected.count_ones()) {
            (Ok(()), 0) => true,
            (Err(Error::SeveralFailed { first, others }), count) => {
                count as usize == others + 1 && is_first(first)
            }
            (Err(error), 1) => is_first(error),
            _ => false,
        };
        if is_right {
            return Ok(());
        }
        let expected: Vec<String> = members(expected).map(|id| self.describe(id)).collect();
        Err(format!(
            "queue {queue} tells {result:?} instead of {expected:?}"
        ))
    }

    /// Prepares for the host to use an array: afterwards nothing that fails is under way among its
    /// users and on the queue.
    pub(crate) fn make_usable(
        &mut self,
        queue: usize,
        users: Set,
        meanwhile: bool,
    ) -> Result<Option<JoinHandle<()>>, String> {
        let gates = self.oracle.gates_of(users);
        let concerned = users | self.oracle.of_queue(queue);
        let released = self
            .oracle
            .failing(self.oracle.released_by(gates) & concerned);
        let opener = self.open(gates, meanwhile && released == 0);
        let failing = self.oracle.unfinished(self.oracle.failing(concerned));
        let doubtful = members(failing).filter(|id| !self.oracle.is_held(*id));
        let doubtful = doubtful.map(bit).sum();
        self.settle(doubtful)?;
        Ok(opener)
    }

    pub(crate) fn read(&mut self, queue: usize, x: usize, meanwhile: bool) -> Check {
        let users = self.oracle.users_of(x, false);
        let opener = self.make_usable(queue, users, meanwhile)?;
        let mut bytes = vec![0; 8 * self.oracle.arrays[x].elements.len()];
        let mut result = copy::copy_to_host(self.queue(queue), self.allocation(x), 0, &mut bytes);
        join(opener);
        self.oracle.end(users);
        if result.is_err() {
            // It told of other failures; the next one can read.
            self.check_report(queue, &result)?;
            result = copy::copy_to_host(self.queue(queue), self.allocation(x), 0, &mut bytes);
        }
        self.check_report(queue, &result)?;
        let found = from_bytes(&bytes);
        let expected = &self.oracle.arrays[x].elements;
        let differs = |(found, expected): (&i64, &Option<i64>)| {
            expected.is_some_and(|expected| expected != *found)
        };
        match found.iter().zip(expected).position(differs) {
            None => Ok(()),
            Some(i) => Err(format!(
                "array {x} has {} at {i} instead of {:?}",
                found[i], expected[i]
            )),
        }
    }

    pub(crate) fn write(&mut self, queue: usize, x: usize, value: i64, meanwhile: bool) -> Check {
        let users = self.oracle.users_of(x, true);
        let opener = self.make_usable(queue, users, meanwhile)?;
        let len = self.oracle.arrays[x].elements.len();
        let bytes = to_bytes(&vec![value; len]);
        let result = copy::copy_from_host(self.queue(queue), &bytes, self.allocation(x), 0);
        join(opener);
        self.oracle.end(users);
        self.oracle.arrays[x].elements.fill(Some(value));
        result.map_err(|error| format!("writing array {x}: {error}"))
    }

    pub(crate) fn add_callback(&mut self, id: Id) {
        let (tell, told) = channel();
        self.events[id].on_complete(move |result| {
            // At the end of a failed run nobody listens.
            let _ = tell.send(result);
        });
        self.callbacks.push((id, told));
    }

    pub(crate) fn look(&self) -> Check {
        for (id, event) in self.events.iter().enumerate() {
            let is_unfinished = self.oracle.unfinished(bit(id)) != 0;
            if self.oracle.is_held(id) && event.is_complete() {
                return Err(format!("{} has ended too early", self.describe(id)));
            }
            if !is_unfinished && !event.is_complete() {
                return Err(format!("{} has not ended", self.describe(id)));
            }
            if self.oracle.is_held(id) {
                self.look_at_dependencies(id)?;
            }
        }
        for (index, queue) in self.queues.iter().enumerate() {
            let Some(queue) = &queue.queue else { continue };
            let all = self.oracle.unfinished(self.oracle.of_queue(index));
            let held = members(all).filter(|id| self.oracle.is_held(*id)).count();
            let pending = queue.pending();
            if pending < held || pending > all.count_ones() as usize {
                return Err(format!(
                    "queue {index} has {pending} pending, with {held} of {all:b} held"
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn look_at_dependencies(&self, id: Id) -> Check {
        let command = &self.oracle.commands[id];
        let found = self.events[id].dependencies();
        let known = self.events_of(command.before);
        let held: Vec<Id> = members(command.dependences)
            .filter(|id| self.oracle.is_held(*id))
            .collect();
        let is_once = |event: &Event| found.iter().filter(|each| *each == event).count() == 1;
        let is_right = found
            .iter()
            .all(|event| is_once(event) && known.contains(event))
            && held.iter().all(|id| found.contains(&self.events[*id]));
        if is_right {
            return Ok(());
        }
        Err(format!(
            "{} depends on {found:?} instead of at least {held:?}",
            self.describe(id)
        ))
    }

    /// Whether an error is the failure of this command.
    pub(crate) fn is_failure(&self, error: &Error, id: Id) -> bool {
        let label = &self.labels[id];
        let is_right = match (self.oracle.commands[id].fate, error) {
            (Fate::Fails, Error::CommandFailed { command, .. })
            | (Fate::NotRun, Error::DependencyFailed { command, .. }) => command == label,
            _ => false,
        };
        is_right && error.to_string().contains("submissions.rs:")
    }

    pub(crate) fn check_outcome(&self, id: Id, result: &Result<(), Error>) -> Check {
        let is_right = match result {
            Ok(()) => self.oracle.commands[id].fate == Fate::Done,
            Err(error) => self.is_failure(error, id),
        };
        if is_right {
            return Ok(());
        }
        Err(format!("{} ended with {result:?}", self.describe(id)))
    }

    pub(crate) fn describe(&self, id: Id) -> String {
        format!(
            "#{id} ({}): {:?}",
            self.labels[id], self.oracle.commands[id]
        )
    }
}

fn join(opener: Option<JoinHandle<()>>) {
    if let Some(opener) = opener {
        opener.join().expect("opening cannot fail");
    }
}

fn from_bytes(bytes: &[u8]) -> Vec<i64> {
    let chunks = bytes.chunks_exact(8);
    chunks
        .map(|chunk| i64::from_le_bytes(chunk.try_into().expect("it has eight bytes")))
        .collect()
}
