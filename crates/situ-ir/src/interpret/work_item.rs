//! Running one work-item until it ends or must wait.

use super::fault::{Error, Fault, FaultKind, WorkItem};
use super::geometry::Geometry;
use super::memory::{Memory, Refusal, Space};
use super::number::{Cell, Scalar};
use super::program::{ArrayShape, CallSite, Instruction, Program};
use crate::module::Parameter;
use crate::span::Source;

/// What all work-items of a launch share and do not change.
#[derive(Clone, Copy)]
pub(super) struct Launch<'a> {
    pub(super) kernel: &'a str,
    pub(super) parameters: &'a [Parameter],
    pub(super) program: &'a Program,
    pub(super) source: Option<&'a Source>,
    pub(super) geometry: Geometry,
    pub(super) step_limit: u64,
    pub(super) must_stop: Option<fn() -> bool>,
    /// The kernel's local arrays and local parameters.
    pub(super) local: &'a [ArrayShape],
}

/// Rounds of loops between two looks whether to stop: less than a millisecond.
const ROUNDS_BETWEEN_LOOKS: u64 = 4096;

impl Launch<'_> {
    /// Whether somebody wants the launch to stop.
    pub(super) fn must_stop(&self) -> bool {
        self.must_stop.is_some_and(|must_stop| must_stop())
    }
}

/// Where a work-item is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// The next instruction of the kernel.
    pub(super) position: usize,
    /// Rounds of loops so far.
    pub(super) steps: u64,
    /// Whether it is at the end.
    pub(super) is_finished: bool,
}

/// Where a function returns to.
struct Caller {
    routine: usize,
    position: usize,
    base: usize,
    private_base: usize,
}

/// Registers, memory and the call stack: everything that changes while work-items run.
pub(super) struct Machine<'a, 'm, 'b> {
    pub(super) launch: Launch<'a>,
    pub(super) memory: Memory<'m, 'b>,
    /// A kernel frame for each slot, then the frames of the functions that are running.
    pub(super) registers: Vec<Cell>,
    callers: Vec<Caller>,
    /// The work-item that runs.
    pub(super) ids: WorkItem,
}

/// Why a work-item cannot go on.
enum Trap {
    /// What it did, and at which instruction of which routine.
    Fault(Box<FaultKind>, usize, usize),
    /// There is no room for the private arrays of a function.
    OutOfMemory,
    /// Somebody wants it to stop.
    Stopped,
}

impl<'a, 'm, 'b> Machine<'a, 'm, 'b> {
    /// A machine with some kernel frames, filled with the arguments.
    pub(super) fn new(
        launch: Launch<'a>,
        memory: Memory<'m, 'b>,
        arguments: &[Cell],
        slots: usize,
    ) -> Self {
        let mut frame = launch.program.kernel().frame.clone();
        frame[..arguments.len()].copy_from_slice(arguments);
        Self {
            launch,
            memory,
            registers: frame.repeat(slots),
            callers: Vec::new(),
            ids: WorkItem::default(),
        }
    }

    /// The kernel frame of a slot.
    pub(super) fn frame(&mut self, slot: usize) -> &mut [Cell] {
        let len = self.launch.program.kernel().frame.len();
        &mut self.registers[slot * len..(slot + 1) * len]
    }

    /// Runs the selected work-item until it is finished or at a barrier or collective.
    ///
    /// # Errors
    /// With the fault it commits.
    pub(super) fn run(&mut self, slot: usize, progress: &mut Progress) -> Result<(), Error> {
        let program = self.launch.program;
        let frame_len = program.kernel().frame.len();
        self.execute(slot * frame_len, progress)
            .map_err(|trap| match trap {
                Trap::Fault(kind, routine, position) => self.fault(*kind, routine, position).into(),
                Trap::Stopped => Error::Stopped,
                Trap::OutOfMemory => Error::OutOfMemory {
                    kernel: self.launch.kernel.to_owned(),
                },
            })
    }

    fn execute(&mut self, kernel_base: usize, progress: &mut Progress) -> Result<(), Trap> {
        let program = self.launch.program;
        let mut routine_position = program.kernel_position();
        let mut base = kernel_base;
        let mut private_base = 0;
        let mut position = progress.position;
        loop {
            let routine = &program.routines[routine_position];
            let frame = &mut self.registers[base..base + routine.frame.len()];
            // Runs until the frame changes.
            loop {
                let instruction = routine.code[position];
                let here = position;
                position += 1;
                macro_rules! at {
                    ($register:expr) => {
                        frame[$register as usize]
                    };
                }
                macro_rules! trap {
                    ($kind:expr) => {
                        return Err(Trap::Fault(Box::new($kind), routine_position, here))
                    };
                }
                match instruction {
                    Instruction::Copy { out, from } => at!(out) = at!(from),
                    Instruction::Unary {
                        out,
                        operand,
                        function,
                    } => at!(out) = function(at!(operand)),
                    Instruction::Binary {
                        out,
                        left,
                        right,
                        function,
                    } => at!(out) = function(at!(left), at!(right)),
                    Instruction::Ternary {
                        out,
                        arguments: [x, y, z],
                        function,
                    } => at!(out) = function(at!(x), at!(y), at!(z)),
                    Instruction::Select {
                        out,
                        condition,
                        accept,
                        reject,
                    } => {
                        let chosen = if at!(condition).low != 0 {
                            accept
                        } else {
                            reject
                        };
                        at!(out) = at!(chosen);
                    }
                    Instruction::Query { out, query } => {
                        let answer = self.launch.geometry.answer(&self.ids, query);
                        at!(out) = Cell::new(answer);
                    }
                    Instruction::PrivateArray { out, array } => {
                        at!(out) = Space::Private.pointer(private_base + array as usize);
                    }
                    Instruction::Offset {
                        out,
                        pointer,
                        index,
                    } => {
                        let Cell { low, high } = at!(pointer);
                        let low = low.wrapping_add(at!(index).low);
                        at!(out) = Cell { low, high };
                    }
                    Instruction::Load {
                        out,
                        pointer,
                        index,
                        element,
                    } => {
                        let index = i64::from_cell(at!(index));
                        match self.memory.load(at!(pointer), index, element) {
                            Ok(cell) => at!(out) = cell,
                            Err(refusal) => {
                                let pointer = at!(pointer);
                                trap!(self.refused(pointer, refusal, false))
                            }
                        }
                    }
                    Instruction::Store {
                        pointer,
                        index,
                        value,
                        element,
                    } => {
                        let (pointer, value) = (at!(pointer), at!(value));
                        let index = i64::from_cell(at!(index));
                        if let Err(refusal) = self.memory.store(pointer, index, element, value) {
                            trap!(self.refused(pointer, refusal, true))
                        }
                    }
                    Instruction::Mark { mark } => at!(mark) = Cell::new(1),
                    Instruction::CheckMark { mark, variable } => {
                        if self.memory.checks && at!(mark).low == 0 {
                            let variable = routine.variables[variable as usize].clone();
                            trap!(FaultKind::UninitialisedVariable { variable })
                        }
                    }
                    Instruction::Jump { target } => position = target as usize,
                    Instruction::JumpUnless { condition, target } => {
                        if at!(condition).low == 0 {
                            position = target as usize;
                        }
                    }
                    Instruction::Repeat { target } => {
                        progress.steps += 1;
                        if progress.steps > self.launch.step_limit {
                            let limit = self.launch.step_limit;
                            trap!(FaultKind::StepLimit { limit })
                        }
                        if progress.steps.is_multiple_of(ROUNDS_BETWEEN_LOOKS)
                            && self.launch.must_stop()
                        {
                            return Err(Trap::Stopped);
                        }
                        position = target as usize;
                    }
                    Instruction::Atomic(atomic) => {
                        let call = &routine.atomics[atomic as usize];
                        match self.memory.atomic(call, frame) {
                            Ok(old) => {
                                if let Some(result) = call.result {
                                    at!(result) = old;
                                }
                            }
                            Err(refusal) => {
                                let pointer = at!(call.pointer);
                                let writes =
                                    call.operation != crate::statement::AtomicOperation::Load;
                                trap!(self.refused(pointer, refusal, writes))
                            }
                        }
                        self.memory.order.fence(call.order);
                    }
                    Instruction::Fence(order) => self.memory.order.fence(order),
                    Instruction::Call(call) => {
                        let call = &routine.calls[call as usize];
                        self.callers.push(Caller {
                            routine: routine_position,
                            position,
                            base,
                            private_base,
                        });
                        private_base = self.memory.private.area_count();
                        base = self.enter(base, call).ok_or(Trap::OutOfMemory)?;
                        routine_position = call.routine;
                        position = 0;
                        break;
                    }
                    Instruction::Return | Instruction::ReturnValue { .. } => {
                        let result = match instruction {
                            Instruction::ReturnValue { result } => at!(result),
                            _ => Cell::default(),
                        };
                        let Some(caller) = self.callers.pop() else {
                            progress.is_finished = true;
                            progress.position = here;
                            return Ok(());
                        };
                        self.memory.private.leave(routine.private_arrays.len());
                        self.registers.truncate(base);
                        routine_position = caller.routine;
                        base = caller.base;
                        private_base = caller.private_base;
                        position = caller.position;
                        self.accept_result(routine_position, position - 1, base, result);
                        break;
                    }
                    Instruction::Barrier(_) | Instruction::Collective(_) => {
                        progress.position = here;
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Makes the frame of a called function; gives its base, or `None` if memory ran out.
    fn enter(&mut self, caller_base: usize, call: &CallSite) -> Option<usize> {
        let routine = &self.launch.program.routines[call.routine];
        if !self.memory.private.enter(&routine.private_arrays) {
            return None;
        }
        let base = self.registers.len();
        self.registers.extend_from_slice(&routine.frame);
        for (position, argument) in call.arguments.iter().enumerate() {
            self.registers[base + position] = self.registers[caller_base + *argument as usize];
        }
        Some(base)
    }

    /// Gives a function's result to the call it came from.
    fn accept_result(&mut self, routine: usize, position: usize, base: usize, result: Cell) {
        let routine = &self.launch.program.routines[routine];
        let Instruction::Call(call) = routine.code[position] else {
            unreachable!("a function returns to where it was called");
        };
        if let Some(register) = routine.calls[call as usize].result {
            self.registers[base + register as usize] = result;
        }
    }

    // ----- faults -----

    /// What happened, in the user's names.
    fn refused(&self, pointer: Cell, refusal: Refusal, writes: bool) -> FaultKind {
        let array = self.array_name(pointer);
        match refusal {
            Refusal::OutOfBounds { index, elements } => FaultKind::OutOfBounds {
                array,
                index,
                elements,
            },
            Refusal::Uninitialised { index } => FaultKind::UninitialisedElement { array, index },
            Refusal::Race { index, conflict } => {
                let group = self.memory.order.group_at(conflict.earlier.clock());
                let item = u64::from(conflict.earlier.item());
                let other = self.launch.geometry.work_item(group, item);
                FaultKind::Race {
                    array,
                    index,
                    writes,
                    other_wrote: conflict.earlier_wrote,
                    other: (other != self.ids).then_some(other),
                }
            }
        }
    }

    fn array_name(&self, pointer: Cell) -> String {
        match Space::of(pointer) {
            (Space::Global, position) => self.launch.parameters[position].name.clone(),
            (Space::Local, position) => self.launch.local[position].name.clone(),
            (Space::Private, position) => self.private_array_name(position),
        }
    }

    /// The name of a private array by its position among those of all running functions.
    fn private_array_name(&self, position: usize) -> String {
        let program = self.launch.program;
        let arrays = &program.kernel().private_arrays;
        if let Some(array) = arrays.get(position) {
            return array.name.clone();
        }
        // Functions that run, outermost first: each caller's call names the next one.
        let mut rest = position - arrays.len();
        for caller in &self.callers {
            let routine = &program.routines[caller.routine];
            let Instruction::Call(call) = routine.code[caller.position - 1] else {
                unreachable!("a caller is at a call");
            };
            let arrays = &program.routines[routine.calls[call as usize].routine].private_arrays;
            match arrays.get(rest) {
                Some(array) => return array.name.clone(),
                None => rest -= arrays.len(),
            }
        }
        unreachable!("a private pointer is into an array of a running function")
    }

    /// A fault of the running work-item at an instruction.
    pub(super) fn fault(&self, kind: FaultKind, routine: usize, position: usize) -> Box<Fault> {
        let routine = &self.launch.program.routines[routine];
        Box::new(Fault {
            kind,
            kernel: self.launch.kernel.to_owned(),
            function: routine.name.clone(),
            work_item: self.ids,
            span: routine.spans[position],
            source: self.launch.source.cloned(),
        })
    }
}
