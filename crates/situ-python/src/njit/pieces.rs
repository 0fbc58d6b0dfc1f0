//! Runs of statements that work with numbers and elements: compiled, and run on the host.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use situ_array::Array;
use situ_frontend::host::{
    CompiledPiece, Piece, PieceMemory, SameSizes, ValueType, assigned_names, compile_piece, copies,
    read_names,
};
use situ_frontend::syntax::{Expression, ExpressionKind, Statement, StatementKind};
use situ_frontend::{ArgumentPart, Messages, ParameterPlan, Purpose};
use situ_ir::{DType, Literal, NdRange, ParameterAccess, Span};
use situ_runtime::{Argument, Device, Kernel, Queue, Report, UsmKind};

use super::array_loops::{Heap, returned_array, share_memory};
use super::array_work::escapes;
use super::function::HostFunction;
use super::machine::{Flow, Machine};
use super::record::Record;
use super::value::{ArrayValue, Number, Origin, Value};
use crate::detach::detach;
use crate::error::IntoPyErr;
use crate::error::exceptions::{KernelError, KernelTypeError};
use crate::kernel::compile_error;
use crate::kernel::messages::{self, RaisedSlot};
use crate::queue;

/// What is known about the statements from a place on, for some types of names.
pub(super) struct Decision {
    /// The names that it depends on: what they are, and whether the host can reach their elements.
    types: Vec<(String, Option<ValueType>, bool)>,
    /// Sizes that were taken to be the same as another, and which.
    same_sizes: SameSizes,
    /// The statements that are compiled, and what of; `None` if the first one uses arrays.
    run: Option<Run>,
}

struct Run {
    count: usize,
    /// Whether it ends the function.
    is_end: bool,
    parameters: Vec<String>,
    outputs: Vec<String>,
    /// Whether it has loops.
    repeats: bool,
    same_sizes: SameSizes,
    compiled: CompiledPiece,
    span: Span,
    what: String,
    /// Its machine code for each device, once it is needed: arrays may be too large for it for a while, or for good.
    pieces: Mutex<Vec<(Device, Arc<HostPiece>)>>,
}

/// Compiled code of the host.
struct HostPiece {
    /// What it is passed after its parameters.
    memory: PieceMemory,
    kernel: Kernel,
    plan: ParameterPlan,
    messages: Arc<Messages>,
    result: ValueType,
    dtypes: Vec<DType>,
    /// Which of the numbers and arrays that it gets it writes elements of.
    written: Vec<bool>,
    /// Which of them it reads or writes elements of.
    accessed: Vec<bool>,
}

/// An expression of numbers that stand between array operations, for the types of its operands.
pub(super) struct CompiledExpression {
    types: Vec<(String, ValueType)>,
    piece: HostPiece,
}

/// Bytes between the numbers that a piece stores.
const OUTPUT_STRIDE: usize = 16;

impl<'a> Machine<'a, '_> {
    /// Runs as many statements as can be compiled together; tells how many, or `None` if the first one uses
    /// arrays.
    pub(super) fn compiled_run(
        &mut self,
        body: &'a [Statement],
        is_body: bool,
    ) -> PyResult<Option<(usize, Flow)>> {
        let decision = self.decision(body, is_body)?;
        let Some(run) = &decision.run else {
            return Ok(None);
        };
        let may_run = if run.repeats {
            self.may_repeat(&run.compiled.memory)
        } else {
            self.may_run(&run.compiled.memory)
        };
        if !may_run {
            return Ok(None);
        }
        let piece = self.loaded(run)?;
        let span = body[0].span;
        let mut values = Vec::with_capacity(run.parameters.len());
        for name in &run.parameters {
            let value = self.names.get(name).cloned();
            values.push(value.ok_or_else(|| KernelError::new_err(format!("`{name}` is lost")))?);
        }
        let result = self
            .run_piece(&piece, &values)
            .map_err(|error| self.located(span, error))?;
        let Some(result) = result else {
            return Ok(None);
        };
        if run.is_end {
            let result = if matches!(piece.result, ValueType::Nothing) {
                self.none()
            } else {
                result
            };
            return Ok(Some((run.count, Flow::Return(result))));
        }
        match (run.outputs.as_slice(), result) {
            ([], _) => {}
            ([only], value) => {
                self.names.insert(only.clone(), value);
            }
            (names, Value::Tuple(values)) => {
                for (name, value) in names.iter().zip(values) {
                    self.names.insert(name.clone(), value);
                }
            }
            _ => return Err(KernelError::new_err("compiled code has lost its results")),
        }
        Ok(Some((run.count, Flow::Next)))
    }

    fn decision(&mut self, body: &'a [Statement], is_body: bool) -> PyResult<Arc<Decision>> {
        let span = body[0].span;
        let known = self.function.decisions.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let decisions = known.get(&span).map(Vec::as_slice).unwrap_or_default();
        let found = decisions.iter().find(|decision| self.has_types(decision));
        if let Some(decision) = found.cloned() {
            return Ok(decision);
        }
        drop(known);
        let decision = Arc::new(self.decide(body, is_body)?);
        let known = self.function.decisions.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        known.entry(span).or_default().push(Arc::clone(&decision));
        Ok(decision)
    }

    fn has_types(&self, decision: &Decision) -> bool {
        decision.types.iter().all(|(name, ty, is_near)| {
            let now = self.names.get(name);
            match (now, ty) {
                (None, None) => true,
                (Some(value), ty) => has_type(value, ty.as_ref()) && value.is_near() == *is_near,
                (None, Some(_)) => false,
            }
        }) && decision
            .same_sizes
            .iter()
            .all(|((name, axis), (other, other_axis))| {
                let size = |name: &str, axis: usize| self.array_shape(name)?.get(axis).copied();
                size(name, *axis) == size(other, *other_axis)
            })
    }

    fn array_shape(&self, name: &str) -> Option<&[usize]> {
        match self.names.get(name)? {
            Value::Array(array) => Some(array.node.shape()),
            _ => None,
        }
    }

    /// Which sizes of these arrays are the same as another one before them.
    fn same_sizes<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> SameSizes {
        let mut known: Vec<(usize, (&str, usize))> = Vec::new();
        let mut same = SameSizes::new();
        for name in names {
            for (axis, size) in self
                .array_shape(name)
                .unwrap_or_default()
                .iter()
                .enumerate()
            {
                match known.iter().find(|(other, _)| other == size) {
                    Some((_, (other, other_axis))) => {
                        same.insert((name.to_owned(), axis), ((*other).to_owned(), *other_axis));
                    }
                    None => known.push((*size, (name, axis))),
                }
            }
        }
        same
    }

    /// Finds out how many statements can be compiled together, and compiles them.
    fn decide(&mut self, body: &'a [Statement], is_body: bool) -> PyResult<Decision> {
        let found = self.compilable(body, is_body, true)?;
        // All of the function, if it can be; else a loop.
        let mut counts = Vec::new();
        let is_whole = is_body && body.len() == self.function.syntax.body.len();
        if is_whole && found.count < body.len() && self.is_array_program(body)? {
            counts.push(body.len());
        }
        if found.count == 0 && self.is_array_loop(&body[0])? && !escapes(&body[0], false) {
            counts.push(1);
        }
        counts.dedup();
        for count in counts {
            self.writes_out_arrays = true;
            let decided = self.decide_on(body, is_body, count);
            self.writes_out_arrays = false;
            match decided {
                Err(error) if error.is_instance_of::<KernelError>(self.py) => {
                    self.note_walked(&body[0], &error);
                }
                decided => return decided,
            }
        }
        match self.decide_on(body, is_body, found.count) {
            // Where compiled code cannot do all that Python can, the machine can. Ctrl-C is no such refusal.
            Err(error) if found.is_bold && error.is_instance_of::<KernelError>(self.py) => {
                let found = self.compilable(body, is_body, false)?;
                self.decide_on(body, is_body, found.count)
            }
            decided => decided,
        }
    }

    fn decide_on(
        &mut self,
        body: &'a [Statement],
        is_body: bool,
        count: usize,
    ) -> PyResult<Decision> {
        // The first statement that is left out is part of what was decided, and functions inside are part of every piece.
        let looked_at = &body[..body.len().min(count + 1)];
        let inner = self.inner_functions();
        let types = read_names(looked_at)
            .into_iter()
            .chain(assigned_names(looked_at))
            .chain(read_names(&inner))
            .map(|name| {
                let value = self.names.get(name);
                let is_near = value.is_none_or(Value::is_near);
                (name.to_owned(), value.and_then(Value::ty), is_near)
            })
            .collect();
        if count == 0 {
            return Ok(Decision {
                types,
                same_sizes: SameSizes::new(),
                run: None,
            });
        }
        let statements = &body[..count];
        let is_end = is_body && count == body.len();
        let run = self.compile_run(statements, is_end)?;
        Ok(Decision {
            types,
            same_sizes: run.same_sizes.clone(),
            run: Some(run),
        })
    }

    fn compile_run(&mut self, statements: &'a [Statement], is_end: bool) -> PyResult<Run> {
        let last = &statements[statements.len() - 1];
        let assigned = assigned_names(statements);
        let outputs: Vec<String> = if is_end {
            Vec::new()
        } else {
            // Functions are part of every piece, and no numbers.
            let inner = self.inner_functions();
            let is_function = |name: &str| {
                inner.iter().any(|statement| match &statement.kind {
                    StatementKind::Function(function) => function.name.name == name,
                    _ => false,
                })
            };
            let is_read = |name: &&str| {
                self.function.liveness.is_read_after(last, name) && !is_function(name)
            };
            assigned
                .iter()
                .copied()
                .filter(is_read)
                .map(str::to_owned)
                .collect()
        };
        let mut code: Vec<Statement> = self.inner_functions();
        code.extend(copies(statements));
        let parameters: Vec<String> = read_names(&code)
            .into_iter()
            .chain(outputs.iter().map(String::as_str))
            .filter(|name| self.names.contains_key(*name))
            .map(str::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        if !is_end {
            code.push(returned(&outputs, last.span));
        }
        let lines = (
            self.function.line(statements[0].span),
            self.function.source.location(last.span.end).line,
        );
        let what = if lines.0 == lines.1 {
            format!("compiled, line {}", lines.0)
        } else {
            format!("compiled together, lines {} to {}", lines.0, lines.1)
        };
        let typed = parameters.iter().map(|name| {
            let ty = self.names.get(name).and_then(Value::ty);
            (name.clone(), ty.unwrap_or(ValueType::Nothing))
        });
        let same_sizes = if self.writes_out_arrays {
            self.same_sizes(parameters.iter().map(String::as_str))
        } else {
            SameSizes::new()
        };
        let compiled = self.typed(typed.collect(), same_sizes.clone(), code)?;
        Ok(Run {
            same_sizes,
            count: statements.len(),
            is_end,
            parameters,
            outputs,
            repeats: statements.iter().any(is_loop),
            compiled,
            span: statements[0].span,
            what,
            pieces: Mutex::default(),
        })
    }

    /// Functions that are defined inside of this one: every piece may call them.
    pub(super) fn inner_functions(&self) -> Vec<Statement> {
        let body = self.function.syntax.body.iter();
        copies(body.filter(|statement| matches!(statement.kind, StatementKind::Function(_))))
    }

    /// Those of them that statements call, directly or by way of others.
    pub(super) fn called_functions(&self, body: &[Statement]) -> Vec<Statement> {
        let mut rest = self.inner_functions();
        let mut called: Vec<Statement> = Vec::new();
        loop {
            let is_called = |statement: &Statement| match &statement.kind {
                StatementKind::Function(function) => {
                    let name = function.name.name.as_str();
                    read_names(body).contains(&name) || read_names(&called).contains(&name)
                }
                _ => false,
            };
            let Some(position) = rest.iter().position(is_called) else {
                return called;
            };
            called.push(rest.remove(position));
        }
    }

    fn compile(
        &mut self,
        parameters: Vec<(String, ValueType)>,
        code: Vec<Statement>,
        span: Span,
        what: String,
    ) -> PyResult<HostPiece> {
        let compiled = self.typed(parameters, SameSizes::new(), code)?;
        let device = host_queue(self.py)?.device().clone();
        self.load(&compiled, &device, span, what)
    }

    /// The machine code of a run.
    fn loaded(&self, run: &Run) -> PyResult<Arc<HostPiece>> {
        let device = self.device_of(run)?;
        let pieces = run.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, piece)) = pieces.iter().find(|(other, _)| *other == device) {
            return Ok(Arc::clone(piece));
        }
        drop(pieces);
        let piece = Arc::new(self.load(&run.compiled, &device, run.span, run.what.clone())?);
        let mut pieces = run.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.push((device, Arc::clone(&piece)));
        Ok(piece)
    }

    /// The device whose threads run a piece: that of the first array, if it is one of the host's.
    fn device_of(&self, run: &Run) -> PyResult<Device> {
        let mut found = None;
        for name in &run.parameters {
            if let Some(value) = self.names.get(name) {
                value.for_each_array(&mut |array| {
                    let device = array.node.home().queue().device();
                    found.get_or_insert_with(|| device.clone());
                });
            }
        }
        match found.filter(|device| device.llvm_target().is_some()) {
            Some(device) => Ok(device),
            None => Ok(host_queue(self.py)?.device().clone()),
        }
    }

    /// Finds the types of a piece.
    fn typed(
        &self,
        parameters: Vec<(String, ValueType)>,
        same_sizes: SameSizes,
        code: Vec<Statement>,
    ) -> PyResult<CompiledPiece> {
        let py = self.py;
        let function: &HostFunction = self.function;
        let environment = function.environment(py)?;
        let piece = Piece {
            source: &function.source,
            function: &function.syntax,
            parameters,
            body: code,
            same_sizes,
        };
        let mut options = function.options();
        if self.writes_out_arrays {
            options.purpose = Purpose::HostArrays;
        }
        compile_piece(piece, environment, options)
            .map_err(|error| compile_error(py, function.name(), error))
    }

    /// Makes machine code of a piece.
    fn load(
        &self,
        compiled: &CompiledPiece,
        device: &Device,
        span: Span,
        what: String,
    ) -> PyResult<HostPiece> {
        let py = self.py;
        let function: &HostFunction = self.function;
        let kernel = detach(py, || {
            function
                .program(device, &compiled.module)
                .and_then(|program| program.kernel(&compiled.kernel))
        })?;
        function.note(Record {
            span,
            device: "host".to_owned(),
            what,
        });
        let count = compiled.outputs.len();
        let written = accesses(&kernel, &compiled.plan, count, |access| access.writes);
        let accessed = accesses(&kernel, &compiled.plan, count, |access| {
            access.reads || access.writes
        });
        Ok(HostPiece {
            memory: compiled.memory.clone(),
            kernel,
            written,
            accessed,
            plan: compiled.plan.clone(),
            messages: Arc::new(compiled.messages.clone()),
            result: compiled.result.clone(),
            dtypes: compiled.outputs.clone(),
        })
    }

    /// Runs a piece and waits for it. `None` if the arrays it gets share memory, which it cannot be trusted with.
    fn run_piece(&mut self, piece: &HostPiece, values: &[Value]) -> PyResult<Option<Value>> {
        let py = self.py;
        let mut leaves = Vec::new();
        let mut named = Vec::new();
        for value in values {
            self.leaves(value, piece, &mut leaves)?;
            if let (Value::Array(_), Some(Leaf::Array(array))) = (value, leaves.last()) {
                named.push(array.clone());
            }
        }
        let queue = match leaves.iter().find_map(Leaf::array) {
            Some(array) => array.queue().clone(),
            None => host_queue(py)?,
        };
        let arrays: Vec<Array> = leaves.iter().filter_map(Leaf::array).cloned().collect();
        let mut heap = None;
        if !piece.memory.heaps.is_empty() || !piece.memory.places.is_empty() {
            if share_memory(&arrays) || named.len() != piece.memory.places.len() {
                return Ok(None);
            }
            // Code that reaches an array by the heap does not wait for it by itself.
            for array in &named {
                self.before_write(array)?;
                array.host_view().map_err(|error| error.into_py_err(py))?;
            }
            let taken = Heap::take(py, &queue)?;
            let Some(memory) = taken.leaves(&piece.memory, &named)? else {
                return Ok(None);
            };
            leaves.extend(memory);
            heap = Some(taken);
        }
        let count = piece.dtypes.len();
        let outputs = outputs(py, &queue, count)?;
        let range = NdRange::new(&[1]).map_err(|error| KernelError::new_err(error.to_string()))?;
        let raised = RaisedSlot::default();
        let report =
            messages::raising_report(&queue, &piece.kernel, &piece.messages, None, &raised)
                .map_err(|error| error.into_py_err(py))?;
        let passed = passed(
            &piece.plan,
            count,
            outputs.as_ref(),
            &leaves,
            report.as_ref(),
        );
        let mut bytes = vec![0_u8; count * OUTPUT_STRIDE];
        let target = &mut bytes[..];
        let kernel = &piece.kernel;
        let ended = detach(py, || -> Result<(), situ_array::Error> {
            let event = match &report {
                Some(report) => queue.launch_reporting(kernel, &range, &passed, report, None)?,
                None => queue.launch(kernel, &range, &passed)?,
            };
            event.wait()?;
            if let Some(outputs) = &outputs {
                outputs.read_bytes(target)?;
            }
            Ok(())
        });
        ended.map_err(|error| self.raised(&raised, error))?;
        let mut numbers = piece.dtypes.iter().enumerate().map(|(position, dtype)| {
            let start = position * OUTPUT_STRIDE;
            let literal = Literal::from_bytes(*dtype, &bytes[start..start + dtype.size_bytes()]);
            Number::computed(literal.unwrap_or(Literal::I64(0)))
        });
        let made = Made {
            py,
            heap: heap.as_ref(),
            passed: &arrays,
            origin: self.home.as_ref().map_or(Origin::Situ, |home| home.origin),
        };
        let result = made.rebuilt(&piece.result, &mut numbers)?;
        if let Some(heap) = heap {
            heap.give_back();
        }
        Ok(Some(result.unwrap_or_else(|| self.none())))
    }

    /// The numbers and arrays of a value from left to right; arrays as the host can reach them.
    fn leaves(&mut self, value: &Value, piece: &HostPiece, leaves: &mut Vec<Leaf>) -> PyResult<()> {
        let place = leaves.len();
        match value {
            Value::Number(number) => leaves.push(Leaf::Number(number.literal)),
            Value::Array(array) => {
                let memory = array.node.array(self.py)?;
                if piece.written.get(place).copied().unwrap_or(true) {
                    self.before_write(&memory)?;
                }
                if memory.allocation().is_host_accessible() {
                    leaves.push(Leaf::Array(self.on_host(array)?));
                } else if piece.accessed.get(place).copied().unwrap_or(true) {
                    return Err(out_of_reach(&memory));
                } else {
                    // It is asked for its shape only.
                    let queue = host_queue(self.py)?;
                    let stand_in = Array::empty(&[1], memory.dtype(), &queue, UsmKind::Shared);
                    let stand_in = stand_in.map_err(|error| error.into_py_err(self.py))?;
                    leaves.push(Leaf::Shape(memory, stand_in));
                }
            }
            Value::Tuple(items) => {
                for item in items {
                    self.leaves(item, piece, leaves)?;
                }
            }
            Value::Object(_) => {}
        }
        Ok(())
    }

    /// An array as code of the host can use it.
    fn on_host(&self, array: &ArrayValue) -> PyResult<Array> {
        let memory = array.node.array(self.py)?;
        if memory.queue().device().llvm_target().is_some() {
            return Ok(memory);
        }
        if array.origin == Origin::NumPy {
            return Ok(memory);
        }
        let module = self.py.import("situ._njit")?;
        let array = Bound::new(self.py, crate::array::PyArray::new(memory))?;
        let shared = module.call_method1("on_host", (array,))?;
        let shared = shared.cast_into::<crate::array::PyArray>()?;
        Ok(shared.get().array().clone())
    }

    /// An expression of numbers, some of which are known already, computed by compiled code.
    pub(super) fn compute(
        &mut self,
        kind: ExpressionKind,
        span: Span,
        operands: Vec<(String, Value)>,
    ) -> PyResult<Value> {
        let code = vec![Statement {
            kind: StatementKind::Return(Some(Expression { kind, span })),
            span,
        }];
        let types: Vec<_> = operands
            .iter()
            .map(|(name, value)| (name.clone(), value.ty().unwrap_or(ValueType::Nothing)))
            .collect();
        let known = self.function.expressions.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let compiled = known.get(&span).map(Vec::as_slice).unwrap_or_default();
        let found = compiled.iter().find(|each| each.types == types).cloned();
        drop(known);
        let expression = if let Some(expression) = found {
            expression
        } else {
            let what = format!("compiled expression, line {}", self.function.line(span));
            let piece = self.compile(types.clone(), code, span, what)?;
            let expression = Arc::new(CompiledExpression { types, piece });
            let known = self.function.expressions.lock();
            let mut known = known.unwrap_or_else(PoisonError::into_inner);
            known.entry(span).or_default().push(Arc::clone(&expression));
            expression
        };
        let values: Vec<_> = operands.into_iter().map(|(_, value)| value).collect();
        let result = self.run_piece(&expression.piece, &values)?;
        result.ok_or_else(|| KernelError::new_err("an expression of numbers has no arrays"))
    }
}

/// For which of the values that compiled code gets after its outputs something holds of how it uses their elements.
pub(super) fn accesses(
    kernel: &Kernel,
    plan: &ParameterPlan,
    outputs: usize,
    holds: impl Fn(&ParameterAccess) -> bool,
) -> Vec<bool> {
    let mut found = Vec::new();
    for (planned, access) in plan.parameters.iter().zip(kernel.parameter_access()) {
        let Some(leaf) = planned.argument.checked_sub(outputs) else {
            continue;
        };
        if found.len() <= leaf {
            found.resize(leaf + 1, false);
        }
        found[leaf] |= holds(access);
    }
    found
}

/// The refusal to use elements of a device's own memory in a loop of the host.
pub(super) fn out_of_reach(array: &Array) -> PyErr {
    let device = array.queue().device().filter_string();
    KernelTypeError::new_err(format!(
        "elements of an array on {device} are used by a loop that runs on the host\n  why:  its memory is \
         the device's own, which the host cannot reach\n  help: loop with `prange`, or write the loop as an \
         array expression or a kernel: those run where the array is; or pass `x.to_device(\"native\")`"
    ))
}

/// A number or an array that is passed to compiled code.
pub(super) enum Leaf {
    Number(Literal),
    Array(Array),
    /// An array of which only the shape is asked for, and memory that stands for its elements.
    Shape(Array, Array),
}

impl Leaf {
    pub(super) fn array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            Self::Number(_) | Self::Shape(..) => None,
        }
    }

    fn passed(&self, part: ArgumentPart) -> Argument {
        let index = |value: i64| Argument::Scalar(Literal::I64(value));
        match (self, part) {
            (Self::Number(literal), _) => Argument::Scalar(*literal),
            (Self::Array(array) | Self::Shape(array, _), ArgumentPart::Shape(axis)) => {
                index(array.shape()[axis] as i64)
            }
            (Self::Array(array) | Self::Shape(array, _), ArgumentPart::Stride(axis)) => {
                index(array.layout().strides()[axis] as i64)
            }
            (Self::Array(array) | Self::Shape(_, array), _) => array.argument(),
        }
    }
}

/// What the parameters of compiled code get: `count` outputs come before the leaves, the report after.
fn passed(
    plan: &ParameterPlan,
    count: usize,
    outputs: Option<&Array>,
    leaves: &[Leaf],
    report: Option<&Report>,
) -> Vec<Argument> {
    let argument = |position: usize, part| match outputs {
        // An output is one element.
        Some(_) if position < count && matches!(part, ArgumentPart::Shape(_)) => {
            Some(Argument::Scalar(Literal::I64(1)))
        }
        Some(outputs) if position < count => Some(Argument::Pointer {
            allocation: Arc::clone(outputs.allocation()),
            byte_offset: outputs.byte_offset() + position * OUTPUT_STRIDE,
        }),
        _ => match leaves.get(position - count) {
            Some(leaf) => Some(leaf.passed(part)),
            None => report.map(Report::argument),
        },
    };
    plan.parameters
        .iter()
        .filter_map(|planned| argument(planned.argument, planned.part))
        .collect()
}

/// The same for loops, whose outputs are arrays of their own.
pub(super) fn passed_leaves(
    plan: &ParameterPlan,
    leaves: &[Leaf],
    report: Option<&Report>,
) -> Vec<Argument> {
    passed(plan, 0, None, leaves, report)
}

/// Memory for the numbers that a piece stores.
fn outputs(py: Python<'_>, queue: &Queue, count: usize) -> PyResult<Option<Array>> {
    if count == 0 {
        return Ok(None);
    }
    let bytes = count * OUTPUT_STRIDE;
    let array = Array::empty(&[bytes], DType::U8, queue, UsmKind::Shared);
    array.map(Some).map_err(|error| error.into_py_err(py))
}

/// The queue that code of the host runs on where no array says.
pub(super) fn host_queue(py: Python<'_>) -> PyResult<Queue> {
    queue::native(py)
}

/// What values are made of after a piece has run.
struct Made<'a, 'py> {
    py: Python<'py>,
    heap: Option<&'a Heap>,
    /// The arrays that the piece was passed.
    passed: &'a [Array],
    origin: Origin,
}

impl Made<'_, '_> {
    /// A value of a type, made of numbers from left to right.
    fn rebuilt(
        &self,
        ty: &ValueType,
        numbers: &mut impl Iterator<Item = Number>,
    ) -> PyResult<Option<Value>> {
        Ok(match ty {
            ValueType::Number(_) => numbers.next().map(Value::Number),
            ValueType::Tuple(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.extend(self.rebuilt(item, numbers)?);
                }
                (values.len() == items.len()).then_some(Value::Tuple(values))
            }
            ValueType::Array { dtype, ndim, .. } => {
                let Some(heap) = self.heap else {
                    return Ok(None);
                };
                let kind = self.passed.first().map_or(UsmKind::Shared, Array::usm_kind);
                let array = heap.array(self.py, (*dtype, *ndim), numbers, (self.passed, kind))?;
                Some(returned_array(array, self.origin))
            }
            ValueType::Nothing => None,
        })
    }
}

/// A `return` of names.
fn returned(names: &[String], span: Span) -> Statement {
    let named = |name: &String| Expression {
        kind: ExpressionKind::Name(name.clone()),
        span,
    };
    let value = match names {
        [] => None,
        [only] => Some(named(only)),
        names => Some(Expression {
            kind: ExpressionKind::Tuple(names.iter().map(named).collect()),
            span,
        }),
    };
    let kind = StatementKind::Return(value);
    Statement { kind, span }
}

/// Whether a statement has a loop in it.
pub(super) fn is_loop(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::For { .. } | StatementKind::While { .. } => true,
        StatementKind::If { accept, reject, .. } => accept.iter().chain(reject).any(is_loop),
        _ => false,
    }
}

/// Whether a value has a type, without making the type of large tuples.
pub(super) fn has_type(value: &Value, ty: Option<&ValueType>) -> bool {
    match (value, ty) {
        (Value::Number(number), Some(ValueType::Number(dtype))) => number.literal.dtype() == *dtype,
        (value, ty) => value.ty().as_ref() == ty,
    }
}
