//! Runs a program on real queues and on the model, and compares everything that can be seen.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use situ_runtime::memory::copy;
use situ_runtime::warnings::process_sink;
use situ_runtime::{Allocation, Argument, Error, Event, Queue, QueueProperties, UsmKind};

use super::oracle::{Array, Id, MOST_COMMANDS, Oracle, Set, bit, members};
use super::places::{Kernels, Place, kernels, places};
use super::program::{Operation, Part, Pick, Script};
use super::watchdog::Watchdog;

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Nothing, or what is wrong.
pub(crate) type Check = Result<(), String>;

/// A gate that host tasks wait at.
#[derive(Default)]
pub(crate) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(crate) fn pass(&self) {
        let is_open = self.is_open.lock().expect("nobody panics with it");
        let result = self
            .opened
            .wait_timeout_while(is_open, PATIENCE, |is_open| !*is_open);
        assert!(
            *result.expect("nobody panics with it").0,
            "nobody opened the gate"
        );
    }

    pub(crate) fn open(&self) {
        *self.is_open.lock().expect("nobody panics with it") = true;
        self.opened.notify_all();
    }
}

/// A queue, and what runs on it.
pub(crate) struct RealQueue {
    pub(crate) queue: Option<Queue>,
    pub(crate) place: usize,
    pub(crate) kernels: Kernels,
}

/// An array's memory.
pub(crate) struct RealArray {
    pub(crate) allocation: Option<Arc<Allocation>>,
    pub(crate) place: usize,
}

/// A program on its way.
pub(crate) struct Run {
    pub(crate) places: Vec<Place>,
    pub(crate) oracle: Oracle,
    pub(crate) queues: Vec<RealQueue>,
    pub(crate) arrays: Vec<RealArray>,
    pub(crate) events: Vec<Event>,
    pub(crate) labels: Vec<String>,
    pub(crate) gates: Vec<(Id, Arc<Gate>)>,
    /// Host tasks, as they run.
    pub(crate) log: Arc<Mutex<Vec<Id>>>,
    pub(crate) tasks: Vec<Id>,
    pub(crate) callbacks: Vec<(Id, Receiver<Result<(), Error>>)>,
    pub(crate) watchdog: Watchdog,
}

/// Runs a program to its end.
///
/// # Errors
/// What was not as it should be.
pub(crate) fn run(script: &Script, watchdog: &Watchdog) -> Check {
    process_sink().drain();
    let mut run = Run {
        places: places(),
        oracle: Oracle::default(),
        queues: Vec::new(),
        arrays: Vec::new(),
        events: Vec::new(),
        labels: Vec::new(),
        gates: Vec::new(),
        log: Arc::default(),
        tasks: Vec::new(),
        callbacks: Vec::new(),
        watchdog: watchdog.clone(),
    };
    for operation in &script.operations {
        if run.oracle.commands.len() == MOST_COMMANDS {
            break;
        }
        run.watchdog.tell(format!("{operation:?}"));
        run.perform(operation)?;
    }
    run.finish()
}

impl Drop for Run {
    fn drop(&mut self) {
        for (_, gate) in &self.gates {
            gate.open();
        }
    }
}

impl Run {
    fn perform(&mut self, operation: &Operation) -> Check {
        match *operation {
            Operation::OpenQueue {
                place,
                device,
                in_order,
                enable_profiling,
            } => {
                let properties = QueueProperties {
                    in_order,
                    enable_profiling,
                };
                self.open_queue(place, device, properties);
            }
            Operation::DropQueue(queue) => {
                // The last one stays, so that there is something to do.
                let live = self.queues.iter().filter(|queue| queue.queue.is_some());
                if live.count() > 1
                    && let Some(queue) = self.pick_queue(queue)
                {
                    self.queues[queue].queue = None;
                }
            }
            Operation::Allocate { place, len, kind } => self.allocate(place, len, kind),
            Operation::DropArray(x) => {
                let live = self.live_arrays(None);
                if let Some(x) = pick(&live, x) {
                    self.arrays[x].allocation = None;
                }
            }
            Operation::Step { .. }
            | Operation::Combine { .. }
            | Operation::Reverse { .. }
            | Operation::Fault { .. } => return self.launch(operation),
            Operation::Copy {
                queue,
                to,
                from,
                waits,
            } => return self.copy(queue, to, from, waits),
            Operation::Fill {
                queue,
                x,
                part,
                value,
                waits,
            } => return self.fill(queue, (x, part), value, waits),
            Operation::HostTask {
                queue,
                ref events,
                fails,
            } => return self.host_task(queue, events, fails),
            Operation::Gate { queue, ref events } => return self.gate(queue, events),
            Operation::OpenGate(gate) => {
                let closed: Vec<Id> = members(self.oracle.closed).collect();
                if let Some(gate) = pick(&closed, gate) {
                    self.open(bit(gate), false);
                }
            }
            Operation::Barrier { queue, ref events } => return self.barrier(queue, events),
            Operation::WaitForEvent { event, meanwhile } => {
                if !self.events.is_empty() {
                    return self.wait_for_event(usize::from(event) % self.events.len(), meanwhile);
                }
            }
            Operation::WaitForQueue { queue, meanwhile } => {
                if let Some(queue) = self.pick_queue(queue) {
                    return self.wait_for_queue(queue, meanwhile);
                }
            }
            Operation::Read {
                queue,
                x,
                meanwhile,
            } => {
                if let Some((queue, [x])) = self.pick_both(queue, [x]) {
                    return self.read(queue, x, meanwhile);
                }
            }
            Operation::Write {
                queue,
                x,
                value,
                meanwhile,
            } => {
                if let Some((queue, [x])) = self.pick_both(queue, [x]) {
                    return self.write(queue, x, value, meanwhile);
                }
            }
            Operation::AddCallback(event) => {
                if !self.events.is_empty() {
                    self.add_callback(usize::from(event) % self.events.len());
                }
            }
            Operation::Look => return self.look(),
        }
        Ok(())
    }

    fn open_queue(&mut self, place: Pick, device: Pick, properties: QueueProperties) {
        let place = usize::from(place) % self.places.len();
        let Place {
            context, devices, ..
        } = &self.places[place];
        let device = &devices[usize::from(device) % devices.len()];
        let queue = Queue::with_context(context, device, properties).expect("it is covered");
        self.queues.push(RealQueue {
            queue: Some(queue),
            place,
            kernels: kernels(device),
        });
        self.oracle.add_queue(properties.in_order);
    }

    /// An array next to some queue, with known contents.
    fn allocate(&mut self, place: Pick, len: Pick, kind: Pick) {
        let place = usize::from(place) % self.places.len();
        let mut near = self.queues.iter().filter(|each| each.place == place);
        let Some(queue) = near.find_map(|each| each.queue.as_ref()) else {
            return;
        };
        // The last is too large to be copied on the caller's thread.
        let lens: &[usize] = if self.places[place].is_checked {
            &[1, 4, 33]
        } else {
            &[1, 4, 4, 33, 33, 1000, 1000, 140_000]
        };
        let len = lens[usize::from(len) % lens.len()];
        let kind = UsmKind::ALL[usize::from(kind) % UsmKind::ALL.len()];
        let allocation = Allocation::new(queue, 8 * len, kind).expect("there is memory");
        let elements: Vec<i64> = (0..len as i64).map(|i| i * 7 + len as i64).collect();
        copy::copy_from_host(queue, &to_bytes(&elements), &allocation, 0).expect("it is new");
        self.arrays.push(RealArray {
            allocation: Some(allocation),
            place,
        });
        let elements = elements.into_iter().map(Some).collect();
        self.oracle.arrays.push(Array::new(elements));
    }

    pub(crate) fn live_arrays(&self, place: Option<usize>) -> Vec<usize> {
        let all = self.arrays.iter().enumerate();
        all.filter(|(_, array)| array.allocation.is_some())
            .filter(|(_, array)| place.is_none_or(|place| array.place == place))
            .map(|(index, _)| index)
            .collect()
    }

    pub(crate) fn pick_queue(&self, queue: Pick) -> Option<usize> {
        let all = self.queues.iter().enumerate();
        let live: Vec<usize> = all
            .filter(|(_, queue)| queue.queue.is_some())
            .map(|(index, _)| index)
            .collect();
        pick(&live, queue)
    }

    /// A queue and arrays that it can use.
    pub(crate) fn pick_both<const N: usize>(
        &self,
        queue: Pick,
        arrays: [Pick; N],
    ) -> Option<(usize, [usize; N])> {
        let queue = self.pick_queue(queue)?;
        let live = self.live_arrays(Some(self.queues[queue].place));
        if live.is_empty() {
            return None;
        }
        Some((
            queue,
            arrays.map(|array| live[usize::from(array) % live.len()]),
        ))
    }

    pub(crate) fn queue(&self, queue: usize) -> &Queue {
        let queue = self.queues[queue].queue.as_ref();
        queue.expect("only live queues are picked")
    }

    pub(crate) fn allocation(&self, array: usize) -> &Arc<Allocation> {
        let allocation = self.arrays[array].allocation.as_ref();
        allocation.expect("only live arrays are picked")
    }

    /// A pointer to the beginning of a part.
    pub(crate) fn pointer(&self, array: usize, part: Part) -> Argument {
        Argument::Pointer {
            allocation: Arc::clone(self.allocation(array)),
            byte_offset: 8 * self.oracle.arrays[array].range(part).start,
        }
    }

    pub(crate) fn events_of(&self, set: Set) -> Vec<Event> {
        members(set).map(|id| self.events[id].clone()).collect()
    }

    /// The commands that picks name, whatever they are.
    pub(crate) fn pick_commands(&self, picks: &[Pick]) -> Set {
        let count = self.events.len();
        picks
            .iter()
            .filter(|_| count > 0)
            .map(|pick| bit(usize::from(*pick) % count))
            .fold(0, |all, each| all | each)
    }
}

fn pick<T: Copy>(among: &[T], pick: Pick) -> Option<T> {
    among.get(usize::from(pick) % among.len().max(1)).copied()
}

/// Elements as they lie in memory.
pub(crate) fn to_bytes(elements: &[i64]) -> Vec<u8> {
    elements
        .iter()
        .flat_map(|each| each.to_le_bytes())
        .collect()
}
