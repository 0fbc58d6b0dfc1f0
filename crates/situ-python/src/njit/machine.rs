//! Runs a function: one statement after the other, or as many at once as can be compiled.

use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use pyo3::prelude::*;
use pyo3::types::PyTupleMethods;
use situ_array::Array;
use situ_array::Casting;
use situ_frontend::syntax::{
    BinaryOperator, Expression, ExpressionKind, MessagePart, Statement, StatementKind,
};
use situ_ir::Span;
use smallvec::SmallVec;

use super::expression_node::Node;
use super::function::HostFunction;
use super::pieces::out_of_reach;
use super::record::NotedKernel;
use super::value::{ArrayValue, Number, Origin, Value};
use crate::array::PyArray;
use crate::error::check_stack;
use crate::error::exceptions::{KernelError, KernelTypeError};
use crate::kernel::messages::RaisedSlot;
use crate::operand;

/// How deep functions may call each other.
pub(super) const MAX_CALLS: usize = 400;

/// A call of a function on its way.
pub(super) struct Machine<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) function: &'a HostFunction,
    // They are few and short, so that comparing is quicker than hashing.
    pub(super) names: BTreeMap<String, Value>,
    /// How often names are still read by the statement that is run.
    pub(super) unread: SmallVec<[(&'a str, usize); 8]>,
    /// The statement that is run.
    statement: Option<&'a Statement>,
    /// Expressions that may still be waiting.
    waiting: Vec<Weak<Node>>,
    /// The first array among the arguments: new arrays are made where it is.
    pub(super) home: Option<ArrayValue>,
    /// How many loops are around the statement that is run.
    pub(super) loops: usize,
    /// How many calls are around this one.
    pub(super) depth: usize,
    /// Whether what is being compiled may contain array expressions.
    pub(super) writes_out_arrays: bool,
}

/// What comes after a statement.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

impl<'a, 'py> Machine<'a, 'py> {
    pub(super) fn new(py: Python<'py>, function: &'a HostFunction) -> Self {
        Self {
            py,
            function,
            names: BTreeMap::new(),
            unread: SmallVec::new(),
            statement: None,
            waiting: Vec::new(),
            home: None,
            loops: 0,
            depth: 0,
            writes_out_arrays: false,
        }
    }

    /// Calls the function.
    ///
    /// # Errors
    /// What goes wrong in it, with the line.
    pub(super) fn call(mut self, arguments: Vec<Value>) -> PyResult<Value> {
        if self.depth > MAX_CALLS {
            return Err(too_deep());
        }
        check_stack()?;
        let parameters = &self.function.syntax.parameters;
        if parameters.len() != arguments.len() {
            return Err(KernelTypeError::new_err(format!(
                "njit function `{}` takes {} arguments, but {} were given",
                self.function.name(),
                parameters.len(),
                arguments.len()
            )));
        }
        for (parameter, value) in parameters.iter().zip(arguments) {
            value.for_each_array(&mut |array| {
                self.home.get_or_insert_with(|| array.clone());
            });
            let is_fixed = |(name, _): &(String, Py<PyAny>)| *name == parameter.name;
            if !self.function.fixed.iter().any(is_fixed) {
                self.names.insert(parameter.name.clone(), value);
            }
        }
        self.take_array_globals()?;
        self.foresee()?;
        let body = &self.function.syntax.body;
        match self.block(body, true)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(self.none()),
        }
    }

    /// Arrays around the function are values of it, as if they were passed.
    fn take_array_globals(&mut self) -> PyResult<()> {
        let (py, function) = (self.py, self.function);
        for name in function.array_names(py)? {
            let object = function.global(py, name)?;
            let value = if operand::is_numpy_array(&object) {
                let visit = py
                    .import("situ._njit")?
                    .call_method1("visit", (function.name(), vec![(name, object)]))?;
                let visitor = visit.getattr("arguments")?.get_item(0)?;
                Value::from_python(&visitor, Origin::NumPy)?
            } else {
                Value::from_python(&object, Origin::Situ)?
            };
            value.for_each_array(&mut |array| {
                self.home.get_or_insert_with(|| array.clone());
            });
            self.names.insert(name.clone(), value);
        }
        Ok(())
    }

    pub(super) fn none(&self) -> Value {
        Value::Object(Rc::new(self.py.None()))
    }

    /// Runs statements; `is_body` if the function ends with them.
    pub(super) fn block(&mut self, body: &'a [Statement], is_body: bool) -> PyResult<Flow> {
        check_stack()?;
        let mut next = 0;
        while next < body.len() {
            let rest = &body[next..];
            let flow = if let Some((count, flow)) = self.compiled_run(rest, is_body)? {
                next += count;
                flow
            } else {
                next += 1;
                let statement = &rest[0];
                self.statement(statement)
                    .map_err(|error| self.located(statement.span, error))?
            };
            if !matches!(flow, Flow::Next) {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Runs one statement that uses arrays.
    fn statement(&mut self, statement: &'a Statement) -> PyResult<Flow> {
        match &statement.kind {
            StatementKind::Assign { targets, value } => {
                let mut read = vec![value];
                read.extend(targets);
                self.begin(statement, &read);
                let value = self.value(value)?;
                for target in targets {
                    self.assign(target, value.clone())?;
                }
                Ok(Flow::Next)
            }
            StatementKind::AugmentedAssign {
                target,
                operator,
                value,
            } => {
                let mut read = vec![target, value];
                // An element is read and then stored, by the same indices.
                if !matches!(target.kind, ExpressionKind::Name(_)) {
                    read.push(target);
                }
                self.begin(statement, &read);
                self.augmented_assign(target, *operator, value)?;
                Ok(Flow::Next)
            }
            StatementKind::If {
                test,
                accept,
                reject,
            } => {
                // What the test reads, the branches may read, too.
                self.begin_test();
                let chosen = if self.truth(test)? { accept } else { reject };
                self.block(chosen, false)
            }
            StatementKind::While { test, body } => {
                self.loops += 1;
                let flow = self.while_loop(test, body);
                self.loops -= 1;
                flow
            }
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                self.loops += 1;
                let flow = self.for_loop(statement, target, iterable, body);
                self.loops -= 1;
                flow
            }
            StatementKind::Break => Ok(Flow::Break),
            StatementKind::Continue => Ok(Flow::Continue),
            StatementKind::Return(None) => Ok(Flow::Return(self.none())),
            StatementKind::Return(Some(value)) => {
                self.begin(statement, &[value]);
                let value = self.value(value)?;
                value.for_each_array(&mut |array| {
                    self.note_kernel(statement.span, &array.node, "returned");
                });
                Ok(Flow::Return(value))
            }
            // Functions inside of the function are part of the pieces that call them.
            StatementKind::Function(_) | StatementKind::Pass => Ok(Flow::Next),
            StatementKind::Expression(value) => {
                self.begin(statement, &[value]);
                self.value(value)?;
                Ok(Flow::Next)
            }
            StatementKind::Assert { test, parts } => {
                self.begin(statement, &[test]);
                if self.truth(test)? {
                    return Ok(Flow::Next);
                }
                let message = self.message(parts)?;
                Err(pyo3::exceptions::PyAssertionError::new_err(message))
            }
            StatementKind::Print(parts) => {
                let message = self.message(parts)?;
                let print = self.py.import("builtins")?.getattr("print")?;
                let options = pyo3::types::PyDict::new(self.py);
                options.set_item("end", "")?;
                print.call((message,), Some(&options))?;
                Ok(Flow::Next)
            }
            StatementKind::Raise { class, parts } => {
                let message = self.message(parts)?;
                let class = self.function.global(self.py, &class.name)?;
                let error = class.call1((message,))?;
                Err(PyErr::from_value(error))
            }
        }
    }

    /// Runs something in the middle of a statement, which goes on after it.
    pub(super) fn aside<T>(&mut self, run: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        let statement = self.statement.take();
        let unread = std::mem::take(&mut self.unread);
        let result = run(self);
        self.statement = statement;
        self.unread = unread;
        result
    }

    /// Notes which names a statement reads, so that the last reading of a name takes its value.
    fn begin(&mut self, statement: &'a Statement, read: &[&'a Expression]) {
        self.statement = Some(statement);
        self.unread.clear();
        for expression in read {
            situ_frontend::host::for_each_name(expression, &mut |name| match self
                .unread
                .iter_mut()
                .find(|(known, _)| *known == name)
            {
                Some((_, count)) => *count += 1,
                None => self.unread.push((name, 1)),
            });
        }
    }

    /// The value of a name of the function; taken from it if this was the last time it is read.
    pub(super) fn local(&mut self, name: &str) -> Option<Value> {
        let is_last = match self.unread.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => {
                *count = count.saturating_sub(1);
                *count == 0
            }
            None => false,
        };
        let is_dead = is_last
            && self
                .statement
                .is_some_and(|statement| !self.function.liveness.is_read_after(statement, name));
        if is_dead {
            self.names.remove(name)
        } else {
            self.names.get(name).cloned()
        }
    }

    /// Keeps track of an expression that waits, so that it is computed before its inputs change.
    fn remember(&mut self, value: &Value) {
        value.for_each_array(&mut |array| {
            if array.node.is_waiting() {
                self.waiting.push(Rc::downgrade(&array.node));
            }
        });
    }

    /// Computes all expressions that wait for elements of an array which is about to be written.
    pub(super) fn before_write(&mut self, array: &Array) -> PyResult<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            let Some(node) = waiting.upgrade() else {
                continue;
            };
            if !node.is_waiting() {
                continue;
            }
            if node.reads(array) {
                self.note_waiting(&node, "before its inputs change");
                node.array(self.py)?;
            } else {
                self.waiting.push(waiting);
            }
        }
        Ok(())
    }

    /// Computes all expressions that names stand for: a loop that goes on must not make them longer and longer.
    fn settle(&mut self) -> PyResult<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            if let Some(node) = waiting.upgrade() {
                self.note_waiting(&node, "at the end of a round");
                node.array(self.py)?;
            }
        }
        Ok(())
    }

    fn while_loop(&mut self, test: &'a Expression, body: &'a [Statement]) -> PyResult<Flow> {
        loop {
            self.begin_test();
            if !self.truth(test)? {
                return Ok(Flow::Next);
            }
            match self.block(body, false)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow @ Flow::Return(_) => return Ok(flow),
            }
            self.settle()?;
            self.py.check_signals()?;
        }
    }

    /// What a test reads is read again, so that no value is taken from its name.
    fn begin_test(&mut self) {
        self.statement = None;
        self.unread.clear();
    }

    fn for_loop(
        &mut self,
        statement: &'a Statement,
        target: &'a Expression,
        iterable: &'a Expression,
        body: &'a [Statement],
    ) -> PyResult<Flow> {
        self.begin_test();
        let Some((is_parallel, bounds)) = self.range(iterable)? else {
            return self.for_each(target, iterable, body);
        };
        if is_parallel && self.run_parallel(statement, target, body, bounds)? {
            return Ok(Flow::Next);
        }
        let (start, stop, step) = bounds;
        let mut counter = start;
        while (step > 0 && counter < stop) || (step < 0 && counter > stop) {
            self.assign(target, Value::Number(Number::integer(counter)))?;
            match self.block(body, false)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow @ Flow::Return(_) => return Ok(flow),
            }
            self.settle()?;
            self.py.check_signals()?;
            counter += step;
        }
        Ok(Flow::Next)
    }

    /// A loop over the items of a tuple or the rows of an array, of several at a time or with their numbers.
    fn for_each(
        &mut self,
        target: &'a Expression,
        iterable: &'a Expression,
        body: &'a [Statement],
    ) -> PyResult<Flow> {
        let items = self.items(iterable)?;
        for round in 0..items.count() {
            let item = self.item_of(&items, round)?;
            self.assign(target, item)?;
            match self.block(body, false)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                flow @ Flow::Return(_) => return Ok(flow),
            }
            self.settle()?;
            self.py.check_signals()?;
        }
        Ok(Flow::Next)
    }

    /// Whether Python would take an expression for true.
    pub(super) fn truth(&mut self, test: &Expression) -> PyResult<bool> {
        let value = self.value(test)?;
        self.is_true(&value)
    }

    pub(super) fn is_true(&self, value: &Value) -> PyResult<bool> {
        match value {
            Value::Number(number) => Ok(number.is_true()),
            Value::Tuple(items) => Ok(!items.is_empty()),
            Value::Object(object) => object.bind(self.py).is_truthy(),
            Value::Array(array) if array.node.shape().iter().product::<usize>() == 1 => {
                Ok(self.number_of(array)?.is_true())
            }
            Value::Array(_) => Err(pyo3::exceptions::PyValueError::new_err(
                "the truth value of an array with more than one element is ambiguous\n  help: use \
                 `np.any(x)` or `np.all(x)`",
            )),
        }
    }

    /// The only element of an array, once it is computed.
    pub(super) fn number_of(&self, array: &ArrayValue) -> PyResult<Number> {
        let array = array.node.array(self.py)?;
        self.read_number(&array)
    }

    /// The only element of an array.
    pub(super) fn read_number(&self, array: &Array) -> PyResult<Number> {
        let dtype = array.dtype();
        let mut bytes = [0_u8; 16];
        let bytes = &mut bytes[..dtype.size_bytes()];
        crate::detach::detach(self.py, || array.read_bytes(bytes))?;
        let literal = situ_ir::Literal::from_bytes(dtype, bytes)
            .ok_or_else(|| KernelError::new_err("a number without content"))?;
        Ok(Number::computed(literal))
    }

    /// Gives a value to a target.
    pub(super) fn assign(&mut self, target: &Expression, value: Value) -> PyResult<()> {
        match &target.kind {
            ExpressionKind::Name(name) => {
                self.remember(&value);
                self.names.insert(name.clone(), value);
                Ok(())
            }
            ExpressionKind::Tuple(targets) => {
                let items = self.unpacked(value)?;
                if items.len() != targets.len() {
                    return Err(pyo3::exceptions::PyValueError::new_err(format!(
                        "{} values cannot be given to {} names",
                        items.len(),
                        targets.len()
                    )));
                }
                for (target, item) in targets.iter().zip(items) {
                    self.assign(target, item)?;
                }
                Ok(())
            }
            ExpressionKind::Subscript {
                value: array,
                indices,
            } => self
                .store(array, indices, value)
                .map_err(|error| self.with_statement(error)),
            _ => Err(KernelError::new_err(
                "njit functions assign to names and to elements of arrays only\n  why:  numbers and arrays have no attributes \
                 that could change\n  help: use a name of its own, or assign elements, e.g. `x[i] = value`",
            )),
        }
    }

    fn unpacked(&mut self, value: Value) -> PyResult<Vec<Value>> {
        match value {
            Value::Tuple(items) => Ok(items),
            Value::Array(array) => {
                let count = array.node.shape().first().copied().unwrap_or(0);
                let rows = 0..count;
                rows.map(|row| {
                    let index = row.into_pyobject(self.py)?.into_any();
                    self.item(&array, &index)
                })
                .collect()
            }
            other => Err(KernelTypeError::new_err(format!(
                "{} cannot be unpacked",
                other.describe(self.py)
            ))),
        }
    }

    /// `array[indices] = value`.
    fn store(&mut self, array: &Expression, indices: &[Expression], value: Value) -> PyResult<()> {
        let span = array.span;
        let Value::Array(target) = self.value(array)? else {
            return Err(KernelTypeError::new_err(
                "only elements of arrays can be assigned in njit functions",
            ));
        };
        let index = self.index(indices)?;
        let memory = target.node.array(self.py)?;
        self.check_reach(&memory, &index)?;
        if let Value::Array(source) = &value {
            self.check_origins(&target, source, span)?;
        }
        self.before_write(&memory)?;
        let memory = Bound::new(self.py, PyArray::new(memory))?;
        // An expression is computed right into the elements, if they are a view.
        if let Value::Array(source) = &value
            && is_basic(&index)
            && let Ok(view) = memory.as_any().get_item(&index)
            && let Ok(view) = view.cast_into::<PyArray>()
            && fits(source.node.shape(), view.get().array().shape())
            && Casting::SameKind.allows(source.node.dtype(), view.get().array().dtype())
        {
            let view = view.get().array().clone();
            if source.node.reads_elsewhere(&view) {
                // Each element must be read before it is written.
                self.note_kernel(
                    span,
                    &source.node,
                    "stored by a copy: it reads what it writes",
                );
                source.node.array(self.py)?;
            } else {
                self.note_kernel(span, &source.node, "stored in place");
            }
            return source.node.store(self.py, &view);
        }
        memory.as_any().set_item(index, value.to_argument(self.py)?)
    }

    /// Refuses a loop of the host over elements that the host cannot reach: each would be a command of its own.
    pub(super) fn check_reach(&self, array: &Array, index: &Bound<'_, PyAny>) -> PyResult<()> {
        let count = index
            .cast::<pyo3::types::PyTuple>()
            .map_or(1, PyTupleMethods::len);
        let is_element = count == array.shape().len() && is_integers(index);
        if self.loops > 0 && is_element && !array.allocation().is_host_accessible() {
            return Err(out_of_reach(array));
        }
        Ok(())
    }

    fn augmented_assign(
        &mut self,
        target: &Expression,
        operator: BinaryOperator,
        value: &Expression,
    ) -> PyResult<()> {
        let span = target.span.join(value.span);
        let old = self.value(target)?;
        let value = self.value(value)?;
        let new = self.binary(operator, old.clone(), value, span)?;
        // Another name for the array must see the change, so that there has to be one.
        if let (Value::Array(array), ExpressionKind::Name(name)) = (&old, &target.kind) {
            let is_kept = self.names.contains_key(name);
            let own_references = 2 + usize::from(is_kept);
            if Rc::strong_count(&array.node) > own_references {
                array.node.array(self.py)?;
            }
        }
        // Arrays that are in memory are changed in place, as everybody who sees them expects.
        if let (Value::Array(old), Value::Array(new), ExpressionKind::Name(name)) =
            (&old, &new, &target.kind)
            && let Some(memory) = old.node.as_ready()
        {
            self.before_write(&memory)?;
            self.note_kernel(span, &new.node, "in place");
            new.node.store(self.py, &memory)?;
            self.names.insert(name.clone(), Value::Array(old.clone()));
            return Ok(());
        }
        // An update keeps to the dtype of the array; what does not fit is refused.
        if let (Value::Array(old), Value::Array(new)) = (&old, &new)
            && !Casting::SameKind.allows(new.node.dtype(), old.node.dtype())
        {
            let memory = old.node.array(self.py)?;
            return new.node.store(self.py, &memory);
        }
        self.assign(target, new)
    }

    /// Refuses to let arrays of situ's and of NumPy's meet.
    pub(super) fn check_origins(
        &self,
        left: &ArrayValue,
        right: &ArrayValue,
        span: Span,
    ) -> PyResult<()> {
        if left.origin == right.origin {
            return Ok(());
        }
        Err(self.mixed_origins(span))
    }

    /// The refusal to compute with arrays of situ's and of NumPy's at once.
    pub(super) fn mixed_origins(&self, span: Span) -> PyErr {
        let text = self.function.source.slice(span);
        KernelTypeError::new_err(format!(
            "line {} of `{}` mixes NumPy and situ arrays: `{text}`\n  why:  a NumPy array is nowhere that \
             the expression could follow, and situ never copies silently\n  help: bring it to where the other is, \
             e.g. `situ.asarray(x, device=y.queue)`, and pass that",
            self.function.line(span),
            self.function.name(),
        ))
    }

    /// Notes a kernel for the statement that is run.
    fn note_waiting(&self, node: &Rc<Node>, how: &'static str) {
        let span = self
            .statement
            .map_or(self.function.syntax.span, |statement| statement.span);
        self.note_kernel(span, node, how);
    }

    /// Notes a kernel that an expression becomes.
    pub(super) fn note_kernel(&self, span: Span, node: &Rc<Node>, how: &'static str) {
        let operations = node.waiting_operations();
        if operations == 0 {
            return;
        }
        self.function.note_kernel(NotedKernel {
            span,
            device: node.home().queue().device().clone(),
            operations,
            how,
        });
    }

    /// The exception for a failure of compiled code: the one that it raised, if it raised one.
    pub(super) fn raised(&self, failure: &RaisedSlot, error: PyErr) -> PyErr {
        let Some(raised) = failure.take() else {
            return error;
        };
        let class = match raised.class.strip_prefix("situ.") {
            Some(name) => self
                .py
                .import("situ.exceptions")
                .and_then(|module| module.getattr(name)),
            // Functions of situ's that were compiled with the user's raise what the user need not know by name.
            None => self
                .function
                .global(self.py, &raised.class)
                .or_else(|error| {
                    let module = self.py.import("situ.exceptions")?;
                    module.getattr(raised.class.as_str()).map_err(|_| error)
                }),
        };
        match class.and_then(|class| class.call1((raised.message,))) {
            Ok(value) => PyErr::from_value(value),
            Err(error) => error,
        }
    }

    /// The words of `assert`, `print` and `raise`.
    fn message(&mut self, parts: &[MessagePart]) -> PyResult<String> {
        let format = self.py.import("builtins")?.getattr("format")?;
        let mut text = String::new();
        for part in parts {
            match part {
                MessagePart::Text(words) => text.push_str(words),
                MessagePart::Value {
                    expression,
                    format: how,
                } => {
                    let value = self.value(expression)?.to_python(self.py)?;
                    let words: String = match how.as_str() {
                        "" => value.bind(self.py).str()?.extract()?,
                        how => format.call1((value, how))?.extract()?,
                    };
                    text.push_str(&words);
                }
            }
        }
        Ok(text)
    }

    /// An error with the text of the statement that is run, if it is one of situ's.
    fn with_statement(&self, error: PyErr) -> PyErr {
        let message = error.value(self.py).to_string();
        match self.statement {
            Some(statement) if message.contains("\n  ") && !message.contains("\n  at:   ") => {
                self.with_expression(statement.span, error)
            }
            _ => error,
        }
    }

    /// An error with the place in the function where it was raised.
    pub(super) fn located(&self, span: Span, error: PyErr) -> PyErr {
        let py = self.py;
        let Ok(message) = error
            .value(py)
            .str()
            .and_then(|text| text.extract::<String>())
        else {
            return error;
        };
        // What the user's own code raises stays as it is.
        let is_ours = error.is_instance_of::<KernelError>(py) || message.contains("\n  ");
        if message.contains("\n  at:   ") || message.contains("\n --> ") || !is_ours {
            return error;
        }
        let source = &self.function.source;
        let located = format!(
            "{message}\n  at:   {}:{}, in njit function `{}`",
            source.name,
            self.function.line(span),
            self.function.name(),
        );
        match error.get_type(py).call1((located,)) {
            Ok(value) => PyErr::from_value(value),
            Err(_) => error,
        }
    }
}

pub(super) fn too_deep() -> PyErr {
    pyo3::exceptions::PyRecursionError::new_err(format!(
        "njit functions call each other more than {MAX_CALLS} times deep"
    ))
}

/// Whether an array can be stored in elements of a shape.
fn fits(array: &[usize], elements: &[usize]) -> bool {
    let mut pairs = array.iter().rev().zip(elements.iter().rev());
    array.len() <= elements.len() && pairs.all(|(own, other)| own == other || *own == 1)
}

/// Whether an index makes a view: integers, slices, `None` and `...`.
fn is_basic(index: &Bound<'_, PyAny>) -> bool {
    let is_one = |item: &Bound<'_, PyAny>| {
        item.is_instance_of::<pyo3::types::PyInt>() && !item.is_instance_of::<pyo3::types::PyBool>()
            || item.is_instance_of::<pyo3::types::PySlice>()
            || item.is_none()
            || item.is(item.py().Ellipsis().bind(item.py()))
    };
    match index.cast::<pyo3::types::PyTuple>() {
        Ok(items) => items.iter().all(|item| is_one(&item)),
        Err(_) => is_one(index),
    }
}

/// Whether an index is made of integers.
fn is_integers(index: &Bound<'_, PyAny>) -> bool {
    let is_one = |item: &Bound<'_, PyAny>| item.is_instance_of::<pyo3::types::PyInt>();
    match index.cast::<pyo3::types::PyTuple>() {
        Ok(items) => items.iter().all(|item| is_one(&item)),
        Err(_) => is_one(index),
    }
}

/// What arrays of a list are seen as: NumPy's if one of them is.
pub(super) fn common_origin(values: &[Value]) -> Origin {
    let mut origin = Origin::Situ;
    for value in values {
        value.for_each_array(&mut |array| {
            if array.origin == Origin::NumPy {
                origin = Origin::NumPy;
            }
        });
    }
    origin
}
