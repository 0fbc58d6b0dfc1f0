//! Running work-groups: rounds between barriers, and the collectives.

use super::fault::{Error, FaultKind};
use super::memory::Memory;
use super::number::{Cell, Scalar};
use super::program::{CollectiveCall, Combine, Computation, Instruction};
use super::work_item::{Launch, Machine, Progress};
use crate::statement::CollectiveScope;

/// Runs every group of a launch. `slots` is the number of kernel frames: one for each work-item of a
/// group if they must wait for each other, else one.
///
/// # Errors
/// With the first fault.
pub(super) fn run(
    launch: Launch<'_>,
    memory: Memory<'_, '_>,
    arguments: &[Cell],
    slots: usize,
) -> Result<(), Error> {
    let mut machine = Machine::new(launch, memory, arguments, slots);
    let ordered_items = if launch.program.orders {
        launch.geometry.group_size() as usize
    } else {
        0
    };
    for group in 0..launch.geometry.group_count() {
        if launch.must_stop() {
            return Err(Error::Stopped);
        }
        machine.memory.order.start_group(ordered_items);
        machine.memory.local.bytes.fill(0);
        machine.memory.private.start_group();
        if launch.program.synchronises {
            Group::new(group, &mut machine).run()?;
        } else {
            run_apart(group, &mut machine)?;
        }
    }
    Ok(())
}

impl Machine<'_, '_, '_> {
    /// Makes a work-item the one that runs.
    fn select(&mut self, group: u64, item: usize) {
        self.ids = self.launch.geometry.work_item(group, item as u64);
        self.memory.order.run_item(item as u32);
        let arrays = &self.launch.program.kernel().private_arrays;
        if !arrays.is_empty() {
            self.memory.private.select_item(arrays, item);
        }
    }

    /// Empties the variables of a kernel frame.
    fn clear(&mut self, slot: usize) {
        let cleared = self.launch.program.kernel().cleared.clone();
        self.frame(slot)[cleared].fill(Cell::default());
    }
}

/// Runs the work-items of a group that never wait, one after the other in one frame.
fn run_apart(group: u64, machine: &mut Machine<'_, '_, '_>) -> Result<(), Error> {
    let has_arrays = !machine.launch.program.kernel().private_arrays.is_empty();
    for item in 0..machine.launch.geometry.group_size() as usize {
        machine.select(group, item);
        machine.clear(0);
        if has_arrays {
            machine.memory.private.clear_item(0);
        }
        machine.run(0, &mut Progress::default())?;
    }
    Ok(())
}

/// A group whose work-items meet.
struct Group<'g, 'a, 'm, 'b> {
    id: u64,
    machine: &'g mut Machine<'a, 'm, 'b>,
    progress: Vec<Progress>,
}

impl<'g, 'a, 'm, 'b> Group<'g, 'a, 'm, 'b> {
    fn new(group: u64, machine: &'g mut Machine<'a, 'm, 'b>) -> Self {
        let size = machine.launch.geometry.group_size() as usize;
        for slot in 0..size {
            machine.clear(slot);
        }
        Self {
            id: group,
            machine,
            progress: vec![Progress::default(); size],
        }
    }

    fn run(mut self) -> Result<(), Error> {
        loop {
            for item in 0..self.progress.len() {
                self.machine.select(self.id, item);
                self.machine.run(item, &mut self.progress[item])?;
            }
            if self.meet()? {
                return Ok(());
            }
        }
    }

    /// Lets all work-items pass the place where they met; `true` if that is the end.
    fn meet(&mut self) -> Result<bool, Error> {
        let first = self.progress[0];
        for (item, progress) in self.progress.iter().enumerate() {
            let together = progress.is_finished == first.is_finished
                && (first.is_finished || progress.position == first.position);
            if !together {
                return Err(self.divergence(item));
            }
        }
        if first.is_finished {
            return Ok(true);
        }
        let kernel = self.machine.launch.program.kernel();
        match kernel.code[first.position] {
            Instruction::Barrier(spaces) => self.machine.memory.order.barrier(spaces),
            Instruction::Collective(collective) => {
                self.collective(&kernel.collectives[collective as usize], first.position)?;
            }
            _ => unreachable!("work-items wait only at barriers and collectives"),
        }
        for progress in &mut self.progress {
            progress.position += 1;
        }
        Ok(false)
    }

    /// The fault of work-item 0 and another one that are not at the same place.
    fn divergence(&mut self, item: usize) -> Error {
        // The fault is told from the side of one that waits.
        let (waiting, other) = if self.progress[0].is_finished {
            (item, 0)
        } else {
            (0, item)
        };
        self.machine.select(self.id, other);
        let other_ids = self.machine.ids;
        let spans = &self.machine.launch.program.kernel().spans;
        let other_progress = self.progress[other];
        let kind = FaultKind::DivergentBarrier {
            other: other_ids,
            other_span: (!other_progress.is_finished).then(|| spans[other_progress.position]),
        };
        self.machine.select(self.id, waiting);
        let routine = self.machine.launch.program.kernel_position();
        let position = self.progress[waiting].position;
        self.machine.fault(kind, routine, position).into()
    }

    // ----- collectives -----

    fn collective(&mut self, call: &CollectiveCall, position: usize) -> Result<(), Error> {
        let size = self.progress.len();
        let part = match call.scope {
            CollectiveScope::WorkGroup => size,
            CollectiveScope::SubGroup => {
                usize::try_from(self.machine.launch.geometry.sub_group_size()).unwrap_or(size)
            }
        };
        let mut start = 0;
        while start < size {
            let end = start.saturating_add(part).min(size);
            self.collective_of(call, start..end, position)?;
            start = end;
        }
        Ok(())
    }

    /// Computes a collective of some work-items with consecutive linear ids.
    fn collective_of(
        &mut self,
        call: &CollectiveCall,
        items: std::ops::Range<usize>,
        position: usize,
    ) -> Result<(), Error> {
        let mut values = Vec::with_capacity(items.len());
        for item in items.clone() {
            values.push(self.machine.frame(item)[call.operand as usize]);
        }
        match call.computation {
            Computation::Reduce(combine) => {
                inclusive_scan(&mut values, combine);
                let total = values[values.len() - 1];
                values.fill(total);
            }
            Computation::InclusiveScan(combine) => inclusive_scan(&mut values, combine),
            Computation::ExclusiveScan(combine) => {
                inclusive_scan(&mut values, combine);
                values.rotate_right(1);
                values[0] = combine.identity;
            }
            Computation::Broadcast(register) => {
                let from = self.broadcast_position(register, items.clone(), position)?;
                let value = values[from.rem_euclid(values.len() as i64) as usize];
                values.fill(value);
            }
            Computation::Any => {
                let any = values.iter().any(|cell| bool::from_cell(*cell));
                values.fill(any.to_cell());
            }
            Computation::All => {
                let all = values.iter().all(|cell| bool::from_cell(*cell));
                values.fill(all.to_cell());
            }
        }
        for (item, value) in items.zip(values) {
            self.machine.frame(item)[call.result as usize] = value;
        }
        Ok(())
    }

    /// The position that all of some work-items broadcast from.
    fn broadcast_position(
        &mut self,
        register: u32,
        items: std::ops::Range<usize>,
        position: usize,
    ) -> Result<i64, Error> {
        let first = i64::from_cell(self.machine.frame(items.start)[register as usize]);
        for item in items {
            let mine = i64::from_cell(self.machine.frame(item)[register as usize]);
            if mine != first {
                self.machine.select(self.id, item);
                let kind = FaultKind::DivergentBroadcast {
                    position: mine,
                    other_position: first,
                };
                let routine = self.machine.launch.program.kernel_position();
                return Err(self.machine.fault(kind, routine, position).into());
            }
        }
        Ok(first)
    }
}

fn inclusive_scan(values: &mut [Cell], combine: Combine) {
    for position in 1..values.len() {
        values[position] = (combine.function)(values[position - 1], values[position]);
    }
}
