//! Which statements work with numbers and elements of arrays only, so that they can be compiled.

use std::collections::HashMap;

use pyo3::prelude::*;
use situ_frontend::host::{Looped, is_made_name};
use situ_frontend::syntax::{
    Expression, ExpressionKind, Function, IS_NONE, MessagePart, Statement, StatementKind,
};

use super::calls::{Callee, is_named};
use super::function::HostFunction;
use super::machine::Machine;
use super::rounds::is_of_numbers;
use super::value::Value;
use crate::array::PyArray;
use crate::error::check_stack;
use crate::operand;

/// What is known of names while statements are looked at.
struct Look<'m, 'a, 'py> {
    machine: &'m Machine<'a, 'py>,
    /// Names that the statements have given numbers, or parts of arrays.
    assigned: HashMap<String, Kind>,
    /// Whether names may stand for parts of arrays, and functions call themselves. Compiled code allows less of both
    /// than Python does, so that it may yet be refused.
    is_bold: bool,
    /// Whether a function calls itself.
    is_recursive: bool,
    /// Names that are arrays of so many dimensions; for functions that are called.
    parameters: Option<Vec<(String, Option<usize>)>>,
    /// Functions that are being looked at.
    open: Vec<String>,
    /// Whether loops over `prange` are inside of a kernel already.
    is_kernel: bool,
}

/// What a name stands for, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// An array of so many dimensions, or a part of one.
    Array(usize),
    /// Something that compiled code cannot have.
    Other,
}

/// What a loop over arrays gives to its target.
struct LoopedArrays {
    /// Whether the number of the round comes first.
    is_counted: bool,
    /// Whether it loops over several arrays at a time.
    is_several: bool,
    /// How many dimensions the items of each array have.
    ndims: Vec<usize>,
}

/// What can be compiled.
#[derive(Clone, Copy)]
pub(super) struct Compilable {
    /// How many statements.
    pub(super) count: usize,
    /// Whether the machine can do it, too, if it is refused after all.
    pub(super) is_bold: bool,
}

impl Machine<'_, '_> {
    /// How many of the statements can be compiled together.
    pub(super) fn compilable(
        &self,
        body: &[Statement],
        is_body: bool,
        is_bold: bool,
    ) -> PyResult<Compilable> {
        let mut look = Look {
            open: vec![self.function.name().to_owned()],
            ..Look::new(self, is_bold)
        };
        let mut count = 0;
        for statement in body {
            if look.statement(statement)? {
                break;
            }
            count += 1;
        }
        // Nothing to compile is nothing to launch.
        let is_idle = |statement: &Statement| {
            matches!(
                statement.kind,
                StatementKind::Pass | StatementKind::Function(_)
            )
        };
        // What leaves the function or a loop around must be the end of it.
        let is_end = is_body && count == body.len();
        if !is_end {
            let leaves = body[..count].iter().position(|each| escapes(each, false));
            count = leaves.unwrap_or(count);
        }
        if body[..count].iter().all(is_idle) {
            count = 0;
        }
        // Compiled code gives back numbers only.
        let is_bold = look.is_recursive || look.parts_of_arrays().next().is_some();
        if let (Some(last), false) = (body[..count].last(), is_end)
            && look
                .parts_of_arrays()
                .any(|name| self.function.liveness.is_read_after(last, name))
        {
            return self.compilable(body, is_body, false);
        }
        Ok(Compilable { count, is_bold })
    }

    /// Whether the rounds of a loop work with numbers and elements only.
    pub(super) fn is_kernel_body(
        &self,
        counter: &Expression,
        body: &[Statement],
        is_bold: bool,
    ) -> PyResult<bool> {
        let mut look = Look {
            is_kernel: true,
            ..Look::new(self, is_bold)
        };
        Ok(!look.target(counter)? && !look.block(body)?)
    }
}

/// Whether a statement leaves the function, or a loop that it is not itself.
pub(super) fn escapes(statement: &Statement, is_in_loop: bool) -> bool {
    match &statement.kind {
        StatementKind::Return(_) => true,
        StatementKind::Break | StatementKind::Continue => !is_in_loop,
        StatementKind::If { accept, reject, .. } => accept
            .iter()
            .chain(reject)
            .any(|inner| escapes(inner, is_in_loop)),
        StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
            body.iter().any(|inner| escapes(inner, true))
        }
        _ => false,
    }
}

impl<'m, 'a, 'py> Look<'m, 'a, 'py> {
    fn new(machine: &'m Machine<'a, 'py>, is_bold: bool) -> Self {
        Self {
            machine,
            assigned: HashMap::new(),
            is_bold,
            parameters: None,
            open: Vec::new(),
            is_kernel: false,
            is_recursive: false,
        }
    }

    /// Names that stand for parts of arrays.
    fn parts_of_arrays(&self) -> impl Iterator<Item = &str> {
        let assigned = self.assigned.iter();
        let parts = assigned.filter(|(_, kind)| matches!(kind, Kind::Array(_)));
        parts.map(|(name, _)| name.as_str())
    }

    /// Whether a statement needs more than compiled code.
    fn statement(&mut self, statement: &Statement) -> PyResult<bool> {
        Ok(match &statement.kind {
            StatementKind::Assign { targets, value } => {
                if let [
                    Expression {
                        kind: ExpressionKind::Name(name),
                        ..
                    },
                ] = &targets[..]
                    && let Some(ndim) = self.private_array(value)?
                {
                    return Ok(!self.assign(name, Kind::Array(ndim)));
                }
                if self.is_bold
                    && let [
                        Expression {
                            kind: ExpressionKind::Name(name),
                            ..
                        },
                    ] = &targets[..]
                    && let Some(ndim) = self.part(value)?
                {
                    return Ok(!self.assign(name, Kind::Array(ndim)));
                }
                if self.expression(value)? {
                    return Ok(true);
                }
                for target in targets {
                    if self.target(target)? {
                        return Ok(true);
                    }
                }
                false
            }
            StatementKind::AugmentedAssign { target, value, .. } => {
                self.expression(target)? || self.expression(value)? || self.target(target)?
            }
            StatementKind::If {
                test,
                accept,
                reject,
            } => self.expression(test)? || self.block(accept)? || self.block(reject)?,
            StatementKind::While { test, body } => self.expression(test)? || self.block(body)?,
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                if let Some(looped) = self.looped(iterable)? {
                    return Ok(!self.looped_target(target, &looped)? || self.block(body)?);
                }
                let range = match Looped::of(iterable) {
                    Some(Looped::Backwards(range)) => range,
                    _ => iterable,
                };
                let ExpressionKind::Call {
                    function,
                    arguments,
                    ..
                } = &range.kind
                else {
                    return Ok(true);
                };
                if is_made(function) {
                    return Ok(self.any(arguments)? || self.target(target)? || self.block(body)?);
                }
                let is_range = match self.machine.callee(function)?.as_deref() {
                    Some(Callee::Range) => true,
                    Some(Callee::Parallel) => self.is_kernel,
                    _ => false,
                };
                if !is_range {
                    return Ok(true);
                }
                self.any(arguments)? || self.target(target)? || self.block(body)?
            }
            StatementKind::Return(Some(value)) | StatementKind::Expression(value) => {
                self.expression(value)?
            }
            StatementKind::Assert { test, parts } => self.expression(test)? || self.parts(parts)?,
            StatementKind::Print(parts) | StatementKind::Raise { parts, .. } => {
                self.parts(parts)?
            }
            StatementKind::Function(function) => !self.assign(&function.name.name, Kind::Number),
            StatementKind::Return(None)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Pass => false,
        })
    }

    /// The dimensions of what a loop over arrays gives to its target, and whether numbers come first: `None` if it
    /// loops over something else.
    fn looped(&mut self, iterable: &Expression) -> PyResult<Option<LoopedArrays>> {
        // A function that is called is compiled from its text, with the loops that it has.
        if self.parameters.is_some() {
            return Ok(None);
        }
        let (is_counted, lists) = match Looped::of(iterable) {
            Some(Looped::Each(items) | Looped::Backwards(items)) => {
                (false, std::slice::from_ref(items))
            }
            Some(Looped::Counted(items, start)) => {
                if let Some(start) = start
                    && self.expression(start)?
                {
                    return Ok(None);
                }
                (true, std::slice::from_ref(items))
            }
            Some(Looped::Together(lists)) => (false, lists),
            None => return Ok(None),
        };
        let mut ndims = Vec::with_capacity(lists.len());
        for items in lists {
            let is_name = matches!(items.kind, ExpressionKind::Name(_));
            if self.is_bold && self.is_tuple_of_numbers(items) {
                ndims.push(0);
                continue;
            }
            match self.part(items)? {
                Some(ndim) if self.is_bold || (is_name && ndim == 1) => ndims.push(ndim - 1),
                _ => return Ok(None),
            }
        }
        Ok(Some(LoopedArrays {
            is_counted,
            is_several: matches!(Looped::of(iterable), Some(Looped::Together(_))),
            ndims,
        }))
    }

    /// Gives a target the items of a loop over arrays; `false` if compiled code cannot.
    fn looped_target(&mut self, target: &Expression, looped: &LoopedArrays) -> PyResult<bool> {
        let kind = |ndim: usize| match ndim {
            0 => Kind::Number,
            ndim => Kind::Array(ndim),
        };
        let mut kinds: Vec<_> = looped.ndims.iter().copied().map(kind).collect();
        if looped.is_counted {
            kinds.insert(0, Kind::Number);
        }
        let is_tuple = looped.is_counted || looped.is_several;
        match (&target.kind, kinds.as_slice()) {
            (ExpressionKind::Name(name), [kind]) if !is_tuple => Ok(self.assign(name, *kind)),
            (ExpressionKind::Tuple(targets), kinds) if is_tuple && targets.len() == kinds.len() => {
                for (target, kind) in targets.iter().zip(kinds) {
                    let is_given = match (&target.kind, kind) {
                        (ExpressionKind::Name(name), kind) => self.assign(name, *kind),
                        (_, Kind::Number) => !self.target(target)?,
                        _ => false,
                    };
                    if !is_given {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn block(&mut self, body: &[Statement]) -> PyResult<bool> {
        for statement in body {
            if self.statement(statement)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn parts(&mut self, parts: &[MessagePart]) -> PyResult<bool> {
        for value in parts.iter().filter_map(MessagePart::value) {
            if self.expression(value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn any(&mut self, expressions: &[Expression]) -> PyResult<bool> {
        for expression in expressions {
            if self.expression(expression)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a target needs more than compiled code.
    fn target(&mut self, target: &Expression) -> PyResult<bool> {
        match &target.kind {
            ExpressionKind::Name(name) => Ok(!self.assign(name, Kind::Number)),
            ExpressionKind::Tuple(targets) => {
                for target in targets {
                    if self.target(target)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => self.expression(target),
        }
    }

    /// Gives a name something; `false` if it stands for something else already.
    fn assign(&mut self, name: &str, kind: Kind) -> bool {
        *self.assigned.entry(name.to_owned()).or_insert(kind) == kind
    }

    /// How many dimensions an expression has that is an array or a part of one: rows, slices, `a.T`. `None` if it is
    /// something else, or needs more than compiled code.
    fn part(&mut self, expression: &Expression) -> PyResult<Option<usize>> {
        match &expression.kind {
            ExpressionKind::Name(name) => {
                let is_near = self.is_kernel || !self.is_remote(name);
                Ok(match self.kind(name)? {
                    Kind::Array(ndim) if is_near && ndim > 0 => Some(ndim),
                    _ => None,
                })
            }
            ExpressionKind::Attribute { value, attribute } if attribute.name == "T" => {
                self.part(value)
            }
            ExpressionKind::Subscript { value, indices } => {
                let Some(ndim) = self.part(value)? else {
                    return Ok(None);
                };
                let mut left = ndim;
                for index in indices {
                    if self.expression(index)? || self.is_tuple(index) || left == 0 {
                        return Ok(None);
                    }
                    let is_slice = matches!(index.kind, ExpressionKind::Slice { .. });
                    left -= usize::from(!is_slice);
                }
                Ok((indices.len() <= ndim && left > 0).then_some(left))
            }
            _ => Ok(None),
        }
    }

    /// Whether a name is a tuple of numbers of one dtype, so that each round of a loop over it is like the others.
    fn is_tuple_of_numbers(&self, items: &Expression) -> bool {
        let ExpressionKind::Name(name) = &items.kind else {
            return false;
        };
        let Some(Value::Tuple(values)) = self.machine.names.get(name) else {
            return false;
        };
        let dtypes = values.iter().map(|value| match value {
            Value::Number(number) => Some(number.literal.dtype()),
            _ => None,
        });
        let mut dtypes = dtypes.peekable();
        let first = dtypes.peek().copied().flatten();
        first.is_some() && !self.assigned.contains_key(name) && dtypes.all(|each| each == first)
    }

    /// Whether an index may be several.
    fn is_tuple(&self, index: &Expression) -> bool {
        match &index.kind {
            ExpressionKind::Name(name) => {
                matches!(self.machine.names.get(name), Some(Value::Tuple(_)))
            }
            ExpressionKind::Tuple(_) => true,
            _ => false,
        }
    }

    fn is_parameter(&self, name: &str) -> bool {
        let mut parameters = self.parameters.iter().flatten();
        parameters.any(|(parameter, _)| parameter == name)
    }

    /// Whether a name is an array that code of the host cannot reach.
    fn is_remote(&self, name: &str) -> bool {
        match self.machine.names.get(name) {
            Some(Value::Array(array)) => !array.node.home().allocation().is_host_accessible(),
            _ => false,
        }
    }

    fn kind(&self, name: &str) -> PyResult<Kind> {
        if let Some(kind) = self.assigned.get(name) {
            return Ok(*kind);
        }
        let mut parameters = self.parameters.iter().flatten();
        if let Some((_, ndim)) = parameters.find(|(parameter, _)| parameter == name) {
            return Ok(ndim.map_or(Kind::Number, Kind::Array));
        }
        if let Some(value) = self.machine.names.get(name) {
            return Ok(kind_of(value));
        }
        // What has no value yet is for the machine to report.
        if self.machine.function.is_own(name) {
            return Ok(Kind::Other);
        }
        let object = self.machine.function.global(self.machine.py, name)?;
        let is_array = object.is_instance_of::<PyArray>() || operand::is_numpy_array(&object);
        Ok(if is_array { Kind::Other } else { Kind::Number })
    }

    /// Whether an expression needs more than compiled code.
    fn expression(&mut self, expression: &Expression) -> PyResult<bool> {
        check_stack()?;
        match &expression.kind {
            ExpressionKind::Constant(_) | ExpressionKind::Refused | ExpressionKind::Lambda(_) => {
                Ok(false)
            }
            ExpressionKind::Text(_)
            | ExpressionKind::None
            | ExpressionKind::Ellipsis
            | ExpressionKind::List(_)
            | ExpressionKind::Comprehension(_) => Ok(true),
            ExpressionKind::Membership {
                item, container, ..
            } => Ok(self.expression(item)? || self.expression(container)?),
            ExpressionKind::Name(name) => Ok(!matches!(self.kind(name)?, Kind::Number)),
            ExpressionKind::Attribute { value, attribute } => {
                if let ExpressionKind::Name(name) = &value.kind
                    && let Kind::Array(_) = self.kind(name)?
                {
                    let known = ["shape", "ndim", "size", "dtype"];
                    return Ok(!known.contains(&attribute.name.as_str()));
                }
                self.expression(value)
            }
            ExpressionKind::Subscript { value, indices } => self.subscript(value, indices),
            ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } => {
                for (_, value) in keywords {
                    if self.expression(value)? {
                        return Ok(true);
                    }
                }
                self.call(function, arguments)
            }
            ExpressionKind::Unary { operand, .. } => self.expression(operand),
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => Ok(
                *operator == situ_frontend::syntax::BinaryOperator::MatrixMultiply
                    || self.expression(left)?
                    || self.expression(right)?,
            ),
            ExpressionKind::Logical { operands, .. } | ExpressionKind::Tuple(operands) => {
                self.any(operands)
            }
            ExpressionKind::Compare { first, rest } => {
                if self.expression(first)? {
                    return Ok(true);
                }
                for (_, operand) in rest {
                    if self.expression(operand)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            ExpressionKind::Conditional {
                test,
                accept,
                reject,
            } => Ok(self.expression(test)?
                || self.expression(accept)?
                || self.expression(reject)?),
            ExpressionKind::Slice { lower, upper, step } => {
                for bound in [lower, upper, step].into_iter().flatten() {
                    if self.expression(bound)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn subscript(&mut self, value: &Expression, indices: &[Expression]) -> PyResult<bool> {
        let array = match (&value.kind, self.is_bold) {
            (ExpressionKind::Name(name), _) => match self.kind(name)? {
                Kind::Array(ndim) => Some((ndim, !self.is_kernel && self.is_remote(name))),
                Kind::Number | Kind::Other => None,
            },
            (_, true) => self.part(value)?.map(|ndim| (ndim, false)),
            (_, false) => None,
        };
        if let Some((ndim, is_remote)) = array {
            let is_slice = |index: &Expression| matches!(index.kind, ExpressionKind::Slice { .. });
            let is_element = indices.len() == ndim && !indices.iter().any(is_slice);
            return Ok(!is_element || is_remote || self.any(indices)?);
        }
        Ok(self.expression(value)? || self.any(indices)?)
    }

    fn call(&mut self, function: &Expression, arguments: &[Expression]) -> PyResult<bool> {
        if let Some(inner) = self.machine.inner_function(function) {
            return self.inner_call(inner, arguments);
        }
        if let ExpressionKind::Name(name) = &function.kind
            && (self.assigned.contains_key(name)
                || self.machine.names.contains_key(name)
                || self.is_parameter(name))
        {
            return self.any(arguments);
        }
        if is_named(function, IS_NONE) {
            return Ok(true);
        }
        if is_made(function) {
            return self.any(arguments);
        }
        let Some(callee) = self.machine.callee(function)? else {
            // A method: of an array it is work, of a number (`x.conjugate()`, `a.dtype.type(2)`) it is not.
            return Ok(self.expression(function)? || self.any(arguments)?);
        };
        match &*callee {
            Callee::OfNumbers | Callee::Range => self.any(arguments),
            Callee::Builtin(name) if name == "len" => match arguments {
                [
                    Expression {
                        kind: ExpressionKind::Name(name),
                        ..
                    },
                ] => Ok(matches!(self.kind(name)?, Kind::Other)),
                _ => self.any(arguments),
            },
            Callee::Builtin(_) => self.any(arguments),
            Callee::Elementwise { has_numbers, .. } => Ok(!has_numbers || self.any(arguments)?),
            Callee::Device => self.passed(arguments).map(|passed| passed.is_none()),
            Callee::Njit(njit) => {
                let Some(passed) = self.passed(arguments)? else {
                    return Ok(true);
                };
                let called = njit.get().function(self.machine.py)?;
                // Compiled code passes one argument for each parameter.
                if called.syntax.is_variadic {
                    return Ok(true);
                }
                if self.open.iter().any(|open| open == called.name()) {
                    // Compiled code may call itself, but not by way of others, and not on a device; the machine may.
                    self.is_recursive = true;
                    let is_itself = self.open.last().is_some_and(|open| open == called.name());
                    return Ok(!is_itself || self.is_kernel || !self.is_bold);
                }
                self.function(&called, passed)
            }
            Callee::Library(_) if is_function_of_numbers(function) => self.any(arguments),
            Callee::Reduce(..)
            | Callee::Library(_)
            | Callee::Creation(..)
            | Callee::Kernel(_)
            | Callee::Parallel
            | Callee::KernelMemory(_)
            | Callee::Unknown(_) => Ok(true),
        }
    }

    /// The number of dimensions of a `situ.private.array`, which a round of a `prange` loop can have.
    fn private_array(&self, value: &Expression) -> PyResult<Option<usize>> {
        let ExpressionKind::Call {
            function,
            arguments,
            ..
        } = &value.kind
        else {
            return Ok(None);
        };
        let is_private = self.is_kernel
            && !is_made(function)
            && matches!(
                self.machine.callee(function)?.as_deref(),
                Some(Callee::KernelMemory(name)) if name == "situ.private.array"
            );
        Ok(
            is_private.then(|| match arguments.first().map(|shape| &shape.kind) {
                Some(ExpressionKind::Tuple(sizes)) => sizes.len(),
                _ => 1,
            }),
        )
    }

    /// What is passed to a function: arrays as they are, and numbers; `None` if it is more than that.
    fn passed(&mut self, arguments: &[Expression]) -> PyResult<Option<Vec<Option<usize>>>> {
        let mut passed = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if let ExpressionKind::Name(name) = &argument.kind
                && let Kind::Array(ndim) = self.kind(name)?
            {
                passed.push(Some(ndim));
                continue;
            }
            if self.is_bold
                && let Some(ndim) = self.part(argument)?
            {
                passed.push(Some(ndim));
                continue;
            }
            if self.expression(argument)? {
                return Ok(None);
            }
            passed.push(None);
        }
        Ok(Some(passed))
    }

    /// Whether a call of a function that is defined inside of this one needs more than compiled code. It sees the names of
    /// this one, and its own hide them.
    fn inner_call(&mut self, inner: &Function, arguments: &[Expression]) -> PyResult<bool> {
        let Some(passed) = self.passed(arguments)? else {
            return Ok(true);
        };
        let name = format!("{}.{}", self.machine.function.name(), inner.name.name);
        if self.open.contains(&name) {
            return Ok(false);
        }
        self.open.push(name);
        let around = self.assigned.clone();
        // Defaults are numbers.
        let kinds = passed
            .into_iter()
            .map(|ndim| ndim.map_or(Kind::Number, Kind::Array))
            .chain(std::iter::repeat(Kind::Number));
        for (parameter, kind) in inner.parameters.iter().zip(kinds) {
            self.assigned.insert(parameter.name.clone(), kind);
        }
        let needs_more = self.block(&inner.body);
        self.assigned = around;
        self.open.pop();
        needs_more
    }

    /// Whether a function that is called needs more than compiled code.
    fn function(&mut self, called: &HostFunction, passed: Vec<Option<usize>>) -> PyResult<bool> {
        let names = called
            .syntax
            .parameters
            .iter()
            .map(|each| each.name.clone());
        let mut open = self.open.clone();
        open.push(called.name().to_owned());
        // Names mean what they mean around that function.
        let machine = Machine::new(self.machine.py, called);
        let mut look = Look {
            parameters: Some(names.zip(passed).collect()),
            open,
            is_kernel: self.is_kernel,
            ..Look::new(&machine, self.is_bold)
        };
        let needs_more = look.block(&called.syntax.body)?;
        self.is_recursive |= look.is_recursive;
        Ok(needs_more)
    }
}

/// Whether a function is one that written-out loops call.
fn is_made(function: &Expression) -> bool {
    matches!(&function.kind, ExpressionKind::Name(name) if is_made_name(name))
}

/// Whether compiled code has a function of the array library for numbers, too: `np.where`, `np.clip`.
fn is_function_of_numbers(function: &Expression) -> bool {
    match &function.kind {
        ExpressionKind::Attribute { attribute, .. } => is_of_numbers(&attribute.name),
        _ => false,
    }
}

fn kind_of(value: &Value) -> Kind {
    match value {
        Value::Number(_) => Kind::Number,
        Value::Array(array) => Kind::Array(array.node.shape().len()),
        Value::Tuple(items) => {
            let is_number = |item: &Value| matches!(kind_of(item), Kind::Number);
            if items.iter().all(is_number) {
                Kind::Number
            } else {
                Kind::Other
            }
        }
        Value::Object(_) => Kind::Other,
    }
}
