//! Loops over `prange`: kernels that run where their arrays are.

use std::sync::{Arc, PoisonError};

use pyo3::prelude::*;
use situ_array::Array;
use situ_array::device_dtypes;
use situ_array::placement::{Operation, Participant, Placer};
use situ_frontend::host::{
    Accumulator, Combination, CompiledLoop, LoopReduction, Looped, ParallelLoop, ValueType,
    compile_parallel_loop,
};
use situ_frontend::syntax::{Expression, ExpressionKind, Statement};
use situ_frontend::{Messages, Options, ParameterPlan};
use situ_ir::{Literal, NdRange, Span, interpret};
use situ_runtime::{Device, Kernel, Queue, UsmKind};

use super::calls::Callee;
use super::loop_plans::{KernelRounds, Rounds};
use super::machine::Machine;
use super::pieces::{Leaf, accesses, host_queue, passed_leaves};
use super::record::Record;
use super::value::{Number, Value};
use crate::detach::detach;
use crate::error::IntoPyErr;
use crate::error::exceptions::{KernelError, KernelTypeError};
use crate::kernel::messages::RaisedSlot;
use crate::kernel::{compile_error, messages, missing_dtype};

/// A loop compiled for some types and a device.
pub(super) struct CachedLoop {
    types: Vec<(String, Option<ValueType>)>,
    device: Device,
    /// Whether it counts up by one and from no negative number.
    counts_up: bool,
    parameters: Vec<String>,
    kernel: Kernel,
    plan: ParameterPlan,
    messages: Arc<Messages>,
    reductions: Vec<LoopReduction>,
    accumulators: Vec<Accumulator>,
    /// Which of the numbers and arrays that it gets it writes elements of.
    written: Vec<bool>,
}

/// The least number of rounds that a work-item runs for a reduction.
const MIN_BLOCK: i64 = 1024;
/// The largest number of blocks.
const MAX_BLOCKS: i64 = 4096;
/// The largest number of elements of all blocks of an array that rounds combine something with.
const MAX_BLOCK_ELEMENTS: usize = 1 << 22;

type Bounds = (i64, i64, i64);

impl CachedLoop {
    /// What it is, for `inspect`.
    fn description(&self) -> String {
        let reductions = self.reductions.iter().map(|each| each.name.as_str());
        let accumulators = self.accumulators.iter().map(|each| each.name.as_str());
        let names: Vec<_> = reductions.chain(accumulators).collect();
        if names.is_empty() {
            return "`prange` as a kernel".to_owned();
        }
        format!("`prange` as a kernel that reduces {}", names.join(", "))
    }
}

impl<'a> Machine<'a, '_> {
    /// The bounds of a `range` or `prange`, and whether it is the latter; `None` if it is something else.
    pub(super) fn range(&mut self, iterable: &Expression) -> PyResult<Option<(bool, Bounds)>> {
        if let Some(Looped::Backwards(range)) = Looped::of(iterable) {
            let range = self.range(range)?;
            return Ok(range.map(|(_, bounds)| (false, backwards(bounds))));
        }
        let ExpressionKind::Call {
            function,
            arguments,
            ..
        } = &iterable.kind
        else {
            return Ok(None);
        };
        let is_parallel = match self.callee(function)?.as_deref() {
            Some(Callee::Range) => false,
            Some(Callee::Parallel) => true,
            _ => return Ok(None),
        };
        let mut bounds = Vec::with_capacity(3);
        for argument in arguments {
            let Value::Number(number) = self.value(argument)? else {
                return Err(not_an_integer(argument, self));
            };
            bounds.push(
                number
                    .as_i64()
                    .ok_or_else(|| not_an_integer(argument, self))?,
            );
        }
        let bounds = match bounds.as_slice() {
            [stop] => (0, *stop, 1),
            [start, stop] => (*start, *stop, 1),
            [_, _, 0] => {
                return Err(pyo3::exceptions::PyValueError::new_err(
                    "range() arg 3 must not be zero\n  why:  the step is 0, so the loop would never end\n  help: use a positive \
                     step to count up or a negative one to count down",
                ));
            }
            [start, stop, step] => (*start, *stop, *step),
            _ => {
                return Err(KernelTypeError::new_err(
                    "`range` takes one to three integers\n  why:  these are the start, the stop and the step\n  help: write \
                     `range(stop)`, `range(start, stop)` or `range(start, stop, step)`",
                ));
            }
        };
        Ok(Some((is_parallel, bounds)))
    }

    /// Runs a loop over `prange` as a kernel. Tells whether it did: rounds that need the array library are run one
    /// after the other, each array operation with all threads.
    pub(super) fn run_parallel(
        &mut self,
        statement: &'a Statement,
        counter: &'a Expression,
        body: &'a [Statement],
        (start, stop, step): Bounds,
    ) -> PyResult<bool> {
        let plan = self.loop_plan(statement, counter, body)?;
        let rounds = match &plan.rounds {
            Rounds::Kernel(rounds) => rounds,
            Rounds::InTurn(refused) => return Ok(self.note_rounds_in_turn(statement, *refused)),
        };
        let count = if step > 0 {
            (stop - start + step - 1).div_euclid(step)
        } else {
            (start - stop - step - 1).div_euclid(-step)
        };
        if count <= 0 {
            return Ok(true);
        }
        let py = self.py;
        let queue = self.loop_queue(&rounds.names, counter.span)?;
        let counts_up = start >= 0 && step == 1;
        let cached = match self.cached_loop(statement, counter, rounds, counts_up, &queue) {
            // What compiled code cannot do with parts of arrays, the machine can.
            Err(_) if !self.is_kernel_body(counter, &rounds.body, false)? => {
                return Ok(self.note_rounds_in_turn(statement, statement.span));
            }
            cached => cached?,
        };

        let has_reductions = !cached.reductions.is_empty() || !cached.accumulators.is_empty();
        let block = self.block_length(&cached.accumulators, rounds.has_loops, count);
        let items = if has_reductions {
            (count + block - 1) / block
        } else {
            count
        };
        let mut leaves = Vec::new();
        let mut partial = Vec::new();
        for reduction in &cached.reductions {
            let memory = Array::empty(&[items as usize], reduction.dtype, &queue, UsmKind::Shared)
                .map_err(|error| error.into_py_err(py))?;
            leaves.push(Leaf::Array(memory.clone()));
            partial.push(memory);
        }
        let integer = |value: i64| Leaf::Number(Literal::I64(value));
        if has_reductions {
            leaves.extend([integer(count), integer(block)]);
        }
        leaves.push(integer(start));
        if !counts_up {
            leaves.push(integer(step));
        }
        let mut blocks = Vec::new();
        for name in &cached.parameters {
            if let Some(accumulator) = cached.accumulators.iter().find(|each| each.name == *name) {
                let memory = self.blocks_of(accumulator, items as usize, &queue)?;
                leaves.push(Leaf::Array(memory.clone()));
                blocks.push((accumulator, memory));
                continue;
            }
            let value = self.passed_to(name, queue.device())?;
            let value = value.ok_or_else(|| KernelError::new_err(format!("`{name}` is lost")))?;
            let reduction = cached.reductions.iter().find(|each| each.name == *name);
            match (reduction, &value) {
                (Some(reduction), Value::Number(number)) => {
                    let neutral = neutral(reduction.combination, number.literal);
                    leaves.push(Leaf::Number(neutral));
                }
                _ => self.device_leaves(&value, &cached.written, &mut leaves)?,
            }
        }
        let range = NdRange::new(&[items as u64])
            .map_err(|error| KernelError::new_err(error.to_string()))?;
        let (kernel, words) = (&cached.kernel, &cached.messages);
        let raised = RaisedSlot::default();
        let report = if words.has_exceptions() {
            messages::raising_report(&queue, kernel, words, Some(range), &raised)
        } else {
            messages::report(&queue, kernel, words, range)
        };
        let report = report.map_err(|error| error.into_py_err(py))?;
        let passed = passed_leaves(&cached.plan, &leaves, report.as_ref());
        let ended = detach(py, || {
            let event = match &report {
                Some(report) => queue.launch_reporting(kernel, &range, &passed, report, None)?,
                None => queue.launch(kernel, &range, &passed)?,
            };
            // An exception belongs to this line, and no statement after it runs.
            if words.has_exceptions() {
                event.wait()?;
            }
            Ok::<(), situ_runtime::Error>(())
        });
        ended.map_err(|error| self.raised(&raised, error))?;
        for (reduction, memory) in cached.reductions.iter().zip(&partial) {
            self.combine(reduction, memory)?;
        }
        for (accumulator, memory) in blocks {
            self.combine_blocks(accumulator, memory, statement.span)?;
        }
        Ok(true)
    }

    /// Notes that rounds are run one after the other: `false`, they are no kernel.
    fn note_rounds_in_turn(&self, statement: &Statement, refused: Span) -> bool {
        let text = self.function.source.slice(refused);
        let reason = if refused == statement.span || text.is_empty() {
            "its rounds use whole arrays".to_owned()
        } else {
            let line = self.function.line(refused);
            let first = text.lines().next().unwrap_or_default().trim();
            format!("line {line} uses whole arrays: `{first}`")
        };
        self.function.note(Record {
            span: statement.span,
            device: "host".to_owned(),
            what: format!("`prange` one round after the other: {reason}"),
        });
        false
    }

    /// How many rounds a work-item runs, if there is something to combine. Rounds that have loops may be a lot of work.
    fn block_length(&self, accumulators: &[Accumulator], has_loops: bool, count: i64) -> i64 {
        let sizes = accumulators
            .iter()
            .filter_map(|each| self.names.get(&each.name));
        let sizes = sizes.map(|value| match value {
            Value::Array(array) => array.node.shape().iter().product::<usize>(),
            _ => 0,
        });
        let Some(largest) = sizes.max() else {
            return MIN_BLOCK.max(count.div_euclid(MAX_BLOCKS) + 1);
        };
        // Each block has an array of its own, so there are fewer of them if it is large.
        let most = (MAX_BLOCK_ELEMENTS / largest.max(1)).clamp(1, MAX_BLOCKS as usize) as i64;
        let least = MIN_BLOCK / largest.clamp(1, MIN_BLOCK as usize) as i64;
        let least = if has_loops { least } else { least.max(16) };
        least.max((count + most - 1).div_euclid(most))
    }

    /// The queue that a loop runs on: that of its arrays, or the host's.
    fn loop_queue(&mut self, names: &[String], span: Span) -> PyResult<Queue> {
        let py = self.py;
        let mut arrays = Vec::new();
        let mut origins = Vec::new();
        for name in names {
            if let Some(value) = self.names.get(name) {
                value.for_each_array(&mut |array| {
                    arrays.push((name.clone(), array.node.home().clone()));
                    origins.push(array.clone());
                });
            }
        }
        if let Some((first, rest)) = origins.split_first() {
            for other in rest {
                self.check_origins(first, other, span)?;
            }
        }
        let placer = Placer {
            operation: Operation::Kernel(self.function.name()),
            explicit: None,
        };
        let participants = arrays
            .iter()
            .map(|(name, array)| (name.as_str(), Participant::Array(array)));
        let placement = placer.place(participants);
        match placement.map_err(|error| error.into_py_err(py))? {
            Some(placement) => Ok(placement.queue),
            None => host_queue(py),
        }
    }

    fn cached_loop(
        &mut self,
        statement: &Statement,
        counter: &Expression,
        rounds: &KernelRounds,
        counts_up: bool,
        queue: &Queue,
    ) -> PyResult<Arc<CachedLoop>> {
        let device = queue.device();
        let mut types = Vec::with_capacity(rounds.names.len());
        for name in &rounds.names {
            let value = self.passed_to(name, device)?;
            types.push((name.clone(), value.as_ref().and_then(Value::ty)));
        }
        let known = self.function.loops.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let list = known.get(&statement.span).map(Vec::as_slice);
        let mut list = list.unwrap_or_default().iter();
        let is_it = |each: &&Arc<CachedLoop>| {
            each.types == types && each.device == *device && each.counts_up == counts_up
        };
        if let Some(found) = list.find(is_it) {
            return Ok(Arc::clone(found));
        }
        drop(known);
        let made = self.compile_loop((statement, counter, counts_up), rounds, types, device)?;
        let made = Arc::new(made);
        self.function.note(Record {
            span: statement.span,
            device: device.filter_string(),
            what: made.description(),
        });
        let known = self.function.loops.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        known
            .entry(statement.span)
            .or_default()
            .push(Arc::clone(&made));
        Ok(made)
    }

    fn compile_loop(
        &mut self,
        (statement, counter, counts_up): (&Statement, &Expression, bool),
        rounds: &KernelRounds,
        types: Vec<(String, Option<ValueType>)>,
        device: &Device,
    ) -> PyResult<CachedLoop> {
        let py = self.py;
        let function = self.function;
        let parameters: Vec<_> = types
            .iter()
            .filter_map(|(name, ty)| Some((name.clone(), ty.clone()?)))
            .collect();
        let names = parameters.iter().map(|(name, _)| name.clone()).collect();
        let loop_ = ParallelLoop {
            source: &function.source,
            function: &function.syntax,
            statement,
            counter,
            body: &rounds.body,
            parameters,
            accumulators: &rounds.accumulators,
            counts_up,
        };
        let options = Options {
            default_float: device_dtypes::default_float(device),
            ..function.options()
        };
        let compiled = compile_parallel_loop(loop_, function.environment(py)?, options)
            .map_err(|error| compile_error(py, function.name(), error))?;
        let CompiledLoop {
            module,
            kernel,
            plan,
            messages,
            reductions,
        } = compiled;
        let kernel = detach(py, || {
            function
                .program(device, &module)
                .and_then(|program| program.kernel(&kernel))
        })?;
        let written = accesses(&kernel, &plan, 0, |access| access.writes);
        Ok(CachedLoop {
            written,
            types,
            device: device.clone(),
            counts_up,
            parameters: names,
            kernel,
            plan,
            messages: Arc::new(messages),
            reductions,
            accumulators: rounds.accumulators.clone(),
        })
    }

    /// What a name stands for on a device: Python numbers have dtypes there that the device has.
    ///
    /// # Errors
    /// `KernelTypeError` for a NumPy number of a dtype that the device does not have.
    fn passed_to(&self, name: &str, device: &Device) -> PyResult<Option<Value>> {
        let value = self.names.get(name);
        value.map(|value| adapted(value, name, device)).transpose()
    }

    /// The numbers and arrays of a value, arrays where they are.
    fn device_leaves(
        &mut self,
        value: &Value,
        written: &[bool],
        leaves: &mut Vec<Leaf>,
    ) -> PyResult<()> {
        match value {
            Value::Number(number) => leaves.push(Leaf::Number(number.literal)),
            Value::Array(array) => {
                let memory = array.node.array(self.py)?;
                if written.get(leaves.len()).copied().unwrap_or(true) {
                    self.before_write(&memory)?;
                }
                leaves.push(Leaf::Array(memory));
            }
            Value::Tuple(items) => {
                for item in items {
                    self.device_leaves(item, written, leaves)?;
                }
            }
            Value::Object(_) => {}
        }
        Ok(())
    }

    /// Combines what blocks of rounds have made of a variable with what it was.
    fn combine(&mut self, reduction: &LoopReduction, partial: &Array) -> PyResult<()> {
        let size = reduction.dtype.size_bytes();
        let mut bytes = vec![0_u8; partial.size() * size];
        let target = &mut bytes[..];
        detach(self.py, || partial.read_bytes(target))?;
        let Some(Value::Number(before)) = self.names.get(&reduction.name) else {
            return Err(KernelError::new_err("a reduction has lost its variable"));
        };
        let mut value = interpret::number::cast(before.literal, reduction.dtype);
        for chunk in bytes.chunks_exact(size) {
            let next = Literal::from_bytes(reduction.dtype, chunk)
                .ok_or_else(|| KernelError::new_err("a number without content"))?;
            value = combined(reduction.combination, value, next)
                .ok_or_else(|| KernelError::new_err("numbers that cannot be combined"))?;
        }
        let value = Value::Number(Number::computed(value));
        self.names.insert(reduction.name.clone(), value);
        Ok(())
    }
}

fn adapted(value: &Value, name: &str, device: &Device) -> PyResult<Value> {
    match value {
        Value::Number(number) => {
            let dtype = number.literal.dtype();
            let nearest = device_dtypes::nearest(dtype, device);
            if nearest == dtype {
                return Ok(value.clone());
            }
            if !number.is_weak {
                return Err(missing_dtype(&format!("`{name}`"), name, dtype, device));
            }
            Ok(Value::Number(Number {
                literal: interpret::number::cast(number.literal, nearest),
                ..*number
            }))
        }
        Value::Tuple(items) => {
            let items = items.iter().map(|item| adapted(item, name, device));
            Ok(Value::Tuple(items.collect::<PyResult<_>>()?))
        }
        Value::Array(_) | Value::Object(_) => Ok(value.clone()),
    }
}

fn not_an_integer(argument: &Expression, machine: &Machine<'_, '_>) -> PyErr {
    KernelTypeError::new_err(format!(
        "`{}` is no integer, so there is no range\n  why:  `range` counts in integers\n  help: convert it, e.g. `int(n)` or \
         `n // 2`",
        machine.function.source.slice(argument.span)
    ))
}

/// The bounds of a range whose numbers are gone through from the last one to the first.
fn backwards((start, stop, step): Bounds) -> Bounds {
    // One that has no numbers gets a last one before its start, so that it has none in this order either.
    if step > 0 {
        let last = start + (stop - start - 1).div_euclid(step) * step;
        (last, start - 1, -step)
    } else {
        let last = start + (start - stop - 1).div_euclid(-step) * step;
        (last, start + 1, -step)
    }
}

/// What changes nothing when it is combined; for the least and the greatest, the variable's own value.
fn neutral(combination: Combination, value: Literal) -> Literal {
    let dtype = value.dtype();
    match combination {
        Combination::Add | Combination::Xor => Literal::zero(dtype),
        Combination::Or if dtype.is_bool() || dtype.is_integer() => Literal::zero(dtype),
        Combination::Multiply => Literal::one(dtype),
        Combination::And if dtype.is_bool() => Literal::Bool(true),
        Combination::And => interpret::number::cast(Literal::I64(-1), dtype),
        Combination::Or | Combination::Minimum | Combination::Maximum => value,
    }
}

fn combined(combination: Combination, left: Literal, right: Literal) -> Option<Literal> {
    use situ_ir::BinaryOperator as Ir;
    let operator = match combination {
        Combination::Add => Ir::Add,
        Combination::Multiply => Ir::Multiply,
        Combination::Minimum => Ir::Minimum,
        Combination::Maximum => Ir::Maximum,
        Combination::Or => Ir::BitOr,
        Combination::And => Ir::BitAnd,
        Combination::Xor => Ir::BitXor,
    };
    interpret::number::binary(operator, left, right)
}
