//! The submissions of a program: kernels, copies, fills, host tasks, gates and barriers, each given to
//! a real queue and to the model.

use std::sync::Arc;

use situ_ir::{Literal, NdRange};
use situ_runtime::memory::copy;
use situ_runtime::{Argument, Error, Event, HostError, Kernel};

use super::oracle::{Awaited, Fate, Id, Request, Use, bit};
use super::program::{Operation, Part, Pick, Waits};
use super::run::{Check, Gate, Run};

/// What a host task with bad news returns.
#[derive(Debug, thiserror::Error)]
#[error("no, thank you")]
struct Refusal;

impl Run {
    pub(crate) fn request(&self, queue: usize, waits: Waits, uses: Vec<Use>) -> Request {
        let awaited = match waits {
            Waits::Data => Awaited::Data,
            Waits::Named(extra) => {
                let needed = self.oracle.needed_events(queue, &uses);
                Awaited::Named(needed | self.pick_commands(&[extra]))
            }
        };
        Request {
            queue,
            awaited,
            uses,
            is_barrier: false,
        }
    }

    /// Submits to both sides. `Ok(None)` means refused by both.
    pub(crate) fn submit(
        &mut self,
        request: &Request,
        label: String,
        fails: bool,
        submit: impl FnOnce(&Self, Option<&[Event]>) -> Result<Event, Error>,
    ) -> Result<Option<(Id, Fate)>, String> {
        self.settle(self.oracle.doubtful(request))?;
        let fate = self.oracle.fate(request, fails);
        let events = match request.awaited {
            Awaited::Named(events) => Some(self.events_of(events)),
            Awaited::Everything => Some(Vec::new()),
            Awaited::Data => None,
        };
        let id = self.oracle.commands.len();
        self.watchdog.tell(format!(
            "  #{id}: {label} on {request:?}, expected {fate:?}"
        ));
        let (event, fate) = match (submit(self, events.as_deref()), fate) {
            (Ok(event), Some(fate)) => (event, fate),
            (Err(Error::DependencyFailed { .. }), None) => return Ok(None),
            (result, fate) => return Err(format!("#{id}: {result:?} instead of {fate:?}")),
        };
        let added = self.oracle.submit(request, fate);
        assert_eq!(added, id, "numbers are given in order");
        if self.oracle.is_held(id) && event.is_complete() {
            return Err(format!("#{id} ({label}) has ended behind a closed gate"));
        }
        self.watchdog.watch(&event);
        self.events.push(event);
        self.labels.push(label);
        Ok(Some((id, fate)))
    }

    pub(crate) fn launch(&mut self, operation: &Operation) -> Check {
        let (queue, arrays, part, waits) = match *operation {
            Operation::Step {
                queue,
                x,
                part,
                waits,
            } => (queue, [x; 3], part, waits),
            Operation::Combine {
                queue,
                to,
                a,
                b,
                part,
                waits,
            } => (queue, [to, a, b], part, waits),
            Operation::Reverse {
                queue,
                to,
                from,
                waits,
            } => (queue, [to, from, from], Part::Whole, waits),
            Operation::Fault { queue, x, waits } => (queue, [x; 3], Part::Whole, waits),
            _ => return Ok(()),
        };
        let Some((queue, [to, a, b])) = self.pick_both(queue, arrays) else {
            return Ok(());
        };
        let ranges = [to, a, b].map(|array| self.oracle.arrays[array].range(part));
        let len = ranges.iter().map(ExactSizeIterator::len).min().unwrap_or(0);
        let last = Argument::Scalar(Literal::I64(len as i64 - 1));
        let uses = |arrays: &[usize]| -> Vec<Use> {
            let all = arrays.iter().enumerate();
            all.map(|(position, &array)| Use {
                array,
                part,
                writes: position == 0,
            })
            .collect()
        };
        let kernels = self.queues[queue].kernels.clone();
        match operation {
            Operation::Step { .. } => {
                let request = self.request(queue, waits, uses(&[to]));
                let arguments = [self.pointer(to, part)];
                let is_done = self.launch_one(&request, &kernels.step, len, &arguments)?;
                if is_done {
                    for element in &mut self.oracle.arrays[to].elements[ranges[0].clone()] {
                        *element = element.map(|old| old.wrapping_mul(3).wrapping_add(1));
                    }
                }
            }
            Operation::Combine { .. } => {
                let request = self.request(queue, waits, uses(&[to, a, b]));
                let arguments = [to, a, b].map(|array| self.pointer(array, part));
                if self.launch_one(&request, &kernels.combine, len, &arguments)? {
                    let [to_range, a_range, b_range] = ranges;
                    for i in 0..len {
                        let first = self.oracle.arrays[a].elements[a_range.start + i];
                        let second = self.oracle.arrays[b].elements[b_range.start + i];
                        let sum = first.zip(second);
                        self.oracle.arrays[to].elements[to_range.start + i] =
                            sum.map(|(a, b)| a.wrapping_add(b.wrapping_mul(2)));
                    }
                }
            }
            // Reversing in place would be a race between work-items.
            Operation::Reverse { .. } if to != a => {
                let request = self.request(queue, waits, uses(&[to, a]));
                let arguments = [self.pointer(to, part), self.pointer(a, part), last];
                if self.launch_one(&request, &kernels.reverse, len, &arguments)? {
                    for i in 0..len {
                        let element = self.oracle.arrays[a].elements[len - 1 - i];
                        self.oracle.arrays[to].elements[i] = element;
                    }
                }
            }
            Operation::Fault { .. } if self.places[self.queues[queue].place].is_checked => {
                let request = self.request(queue, waits, uses(&[to]));
                return self.fault(&request, &kernels.step, to);
            }
            _ => {}
        }
        Ok(())
    }

    /// Launches a kernel; true if it does what it should.
    pub(crate) fn launch_one(
        &mut self,
        request: &Request,
        kernel: &Kernel,
        len: usize,
        arguments: &[Argument],
    ) -> Result<bool, String> {
        let range = NdRange::new(&[len as u64]).expect("it can be counted");
        let label = format!("kernel `{}`", kernel.name());
        let queue = request.queue;
        let submitted = self.submit(request, label, false, |run, events| match events {
            Some(events) => run
                .queue(queue)
                .launch_after(kernel, &range, arguments, events),
            None => run.queue(queue).launch(kernel, &range, arguments),
        })?;
        Ok(matches!(submitted, Some((_, Fate::Done))))
    }

    /// A kernel that reads and writes one element too many. It fails at once if nothing is in its
    /// way.
    pub(crate) fn fault(&mut self, request: &Request, kernel: &Kernel, x: usize) -> Check {
        let len = self.oracle.arrays[x].elements.len() as u64 + 1;
        let range = NdRange::new(&[len]).expect("it can be counted");
        let arguments = [self.pointer(x, Part::Whole)];
        let queue = request.queue;
        let awaited = self.oracle.awaited(request);
        let is_held = self.oracle.gates_of(awaited) != 0;
        if !is_held {
            self.settle(awaited)?;
        }
        if !is_held && self.oracle.fate(request, true) == Some(Fate::Fails) {
            let result = match &request.awaited {
                Awaited::Named(events) => {
                    let events = self.events_of(*events);
                    self.queue(queue)
                        .launch_after(kernel, &range, &arguments, &events)
                }
                _ => self.queue(queue).launch(kernel, &range, &arguments),
            };
            if result.is_ok() {
                return Err(format!("a fault at once gave {result:?}"));
            }
            self.oracle.arrays[x].elements.fill(None);
            return Ok(());
        }
        let label = format!("kernel `{}`", kernel.name());
        let submitted = self.submit(request, label, true, |run, events| match events {
            Some(events) => run
                .queue(queue)
                .launch_after(kernel, &range, &arguments, events),
            None => run.queue(queue).launch(kernel, &range, &arguments),
        })?;
        if matches!(submitted, Some((_, Fate::Fails))) {
            self.oracle.arrays[x].elements.fill(None);
        }
        Ok(())
    }

    pub(crate) fn copy(
        &mut self,
        queue: Pick,
        to: (Pick, Part),
        from: (Pick, Part),
        waits: Waits,
    ) -> Check {
        let Some((queue, [destination, source])) = self.pick_both(queue, [to.0, from.0]) else {
            return Ok(());
        };
        let to_range = self.oracle.arrays[destination].range(to.1);
        let from_range = self.oracle.arrays[source].range(from.1);
        let len = to_range.len().min(from_range.len());
        let uses = vec![
            Use {
                array: source,
                part: from.1,
                writes: false,
            },
            Use {
                array: destination,
                part: to.1,
                writes: true,
            },
        ];
        let request = self.request(queue, waits, uses);
        let label = format!("a copy of {} bytes", 8 * len);
        let submitted = self.submit(&request, label, false, |run, events| {
            let from = (&**run.allocation(source), 8 * from_range.start);
            let to = (&**run.allocation(destination), 8 * to_range.start);
            match events {
                Some(events) => copy::copy_after(run.queue(queue), from, to, 8 * len, events),
                None => copy::copy(run.queue(queue), from, to, 8 * len),
            }
        })?;
        if matches!(submitted, Some((_, Fate::Done))) {
            let arrays = &mut self.oracle.arrays;
            let elements = arrays[source].elements[from_range][..len].to_vec();
            arrays[destination].elements[to_range][..len].copy_from_slice(&elements);
        }
        Ok(())
    }

    pub(crate) fn fill(
        &mut self,
        queue: Pick,
        (x, part): (Pick, Part),
        value: u8,
        waits: Waits,
    ) -> Check {
        let Some((queue, [x])) = self.pick_both(queue, [x]) else {
            return Ok(());
        };
        let range = self.oracle.arrays[x].range(part);
        let uses = vec![Use {
            array: x,
            part,
            writes: true,
        }];
        let request = self.request(queue, waits, uses);
        let (byte_offset, size_bytes) = (8 * range.start, 8 * range.len());
        let label = format!("a fill of {size_bytes} bytes");
        let submitted = self.submit(&request, label, false, |run, events| {
            let (queue, x) = (run.queue(queue), run.allocation(x));
            match events {
                Some(events) => {
                    copy::fill_after(queue, (x, byte_offset), size_bytes, value, events)
                }
                None => copy::fill(queue, x, byte_offset, size_bytes, value),
            }
        })?;
        if matches!(submitted, Some((_, Fate::Done))) {
            let element = i64::from_le_bytes([value; 8]);
            self.oracle.arrays[x].elements[range].fill(Some(element));
        }
        Ok(())
    }

    pub(crate) fn host_task(&mut self, queue: Pick, events: &[Pick], fails: bool) -> Check {
        let log = Arc::clone(&self.log);
        let id = self.oracle.commands.len();
        let submitted = self.submit_task(queue, events, fails, move || {
            log.lock().expect("nobody panics with it").push(id);
            if fails {
                return Err(Arc::new(Refusal));
            }
            Ok(())
        })?;
        if submitted.is_some() {
            self.tasks.push(id);
        }
        Ok(())
    }

    pub(crate) fn gate(&mut self, queue: Pick, events: &[Pick]) -> Check {
        let gate = Arc::new(Gate::default());
        let passing = Arc::clone(&gate);
        let submitted = self.submit_task(queue, events, false, move || {
            passing.pass();
            Ok(())
        })?;
        if let Some((id, Fate::Done)) = submitted {
            self.oracle.closed |= bit(id);
            self.gates.push((id, gate));
        }
        Ok(())
    }

    pub(crate) fn submit_task(
        &mut self,
        queue: Pick,
        events: &[Pick],
        fails: bool,
        work: impl FnOnce() -> Result<(), HostError> + Send + 'static,
    ) -> Result<Option<(Id, Fate)>, String> {
        let Some(queue) = self.pick_queue(queue) else {
            return Ok(None);
        };
        let request = Request {
            queue,
            awaited: Awaited::Named(self.pick_commands(events)),
            uses: Vec::new(),
            is_barrier: false,
        };
        let name = format!("task {}", self.oracle.commands.len());
        let label = format!("host task `{name}`");
        self.submit(&request, label, fails, |run, events| {
            run.queue(queue)
                .host_task(&name, events.unwrap_or_default(), work)
        })
    }

    pub(crate) fn barrier(&mut self, queue: Pick, events: &[Pick]) -> Check {
        let Some(queue) = self.pick_queue(queue) else {
            return Ok(());
        };
        let request = Request {
            queue,
            awaited: match self.pick_commands(events) {
                0 => Awaited::Everything,
                named => Awaited::Named(named),
            },
            uses: Vec::new(),
            is_barrier: true,
        };
        self.submit(&request, "a barrier".to_owned(), false, |run, events| {
            run.queue(queue).barrier(events.unwrap_or_default())
        })?;
        Ok(())
    }
}
