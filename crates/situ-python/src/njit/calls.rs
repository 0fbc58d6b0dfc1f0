//! Calls: what is called, and what becomes of it.

use std::rc::Rc;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyModule;
use situ_array::functions::elementwise::{self, Elementwise};
use situ_array::functions::fusion::Reducer;
use situ_frontend::KnownModule;
use situ_frontend::syntax::{
    Expression, ExpressionKind, Function, IS_NONE, Identifier, StatementKind,
};
use situ_ir::{DType, Span};

use super::PyNjit;
use super::expressions::temporaries;
use super::function::bound;
use super::machine::{Flow, MAX_CALLS, Machine, too_deep};
use super::record::Record;
use super::value::{ArrayValue, Number, Origin, Value};
use crate::array::PyArray;
use crate::error::check_stack;
use crate::error::exceptions::{KernelError, KernelTypeError};
use crate::kernel::{PyDeviceFunction, PyKernel, PyRangedKernel, environment};

/// What a call calls.
pub(super) enum Callee {
    /// A function that only numbers have: of `math`, say, or a conversion.
    OfNumbers,
    /// Python's own function.
    Builtin(String),
    /// A function of each element.
    Elementwise {
        function: &'static Elementwise,
        /// Whether compiled code has it for numbers, too.
        has_numbers: bool,
        python: Py<PyAny>,
    },
    /// A reduction that an expression can end in.
    Reduce(Reducer, Py<PyAny>),
    /// A function of the array library.
    Library(Py<PyAny>),
    /// A function that makes an array from nothing, and whether it is NumPy's.
    Creation(Py<PyAny>, bool),
    /// Another function like this one.
    Njit(Py<PyNjit>),
    /// A function that kernels call.
    Device,
    /// A kernel, or one with its range.
    Kernel(Py<PyAny>),
    /// `range`.
    Range,
    /// `prange`.
    Parallel,
    /// `situ.private.array` and `situ.local.array`, by their names: memory of kernels.
    KernelMemory(String),
    /// Something that cannot be called here.
    Unknown(String),
}

impl<'a, 'py> Machine<'a, 'py> {
    /// A function that is defined inside of this one.
    pub(super) fn inner_function(&self, function: &Expression) -> Option<&'a Function> {
        let ExpressionKind::Name(name) = &function.kind else {
            return None;
        };
        let body = self.function.syntax.body.iter();
        body.filter_map(|statement| match &statement.kind {
            StatementKind::Function(inner) => Some(&**inner),
            _ => None,
        })
        .find(|inner| inner.name.name == *name)
    }

    /// Calls a function that is defined inside of this one. It sees the names of this one, and changes none.
    fn call_inner(
        &mut self,
        inner: &'a Function,
        arguments: &[Expression],
        keywords: &[(Identifier, Expression)],
    ) -> PyResult<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let mut named = Vec::with_capacity(keywords.len());
        for (name, argument) in keywords {
            named.push((name.name.clone(), self.value(argument)?));
        }
        let values = bound(inner, values, named, |position| {
            let place = (position + inner.defaults.len()).checked_sub(inner.parameters.len());
            let default = place.map(|place| self.default(&inner.defaults[place]));
            default.transpose()
        })?;
        if self.depth >= MAX_CALLS {
            return Err(too_deep());
        }
        check_stack()?;
        let outside = self.names.clone();
        for (parameter, value) in inner.parameters.iter().zip(values) {
            self.names.insert(parameter.name.clone(), value);
        }
        self.depth += 1;
        let flow = self.aside(|machine| machine.block(&inner.body, true));
        self.depth -= 1;
        self.names = outside;
        match flow? {
            Flow::Return(value) => Ok(value),
            _ => Ok(self.none()),
        }
    }

    /// What a parameter of an inner function is by default. Python evaluates that when it comes to the `def`, so that it
    /// must not depend on what happens before a call.
    fn default(&mut self, default: &Expression) -> PyResult<Value> {
        let mut own = None;
        situ_frontend::host::for_each_name(default, &mut |name| {
            if self.names.contains_key(name) || self.function.is_own(name) {
                own.get_or_insert_with(|| name.to_owned());
            }
        });
        match own {
            None => self.value(default),
            Some(name) => Err(KernelTypeError::new_err(format!(
                "the default `{}` of a function inside of an njit function depends on `{name}`\n  why:  defaults of \
                 such functions are constants, and `{name}` is a variable\n  help: remove the default and pass the value \
                 at each call",
                self.function.source.slice(default.span)
            ))),
        }
    }

    /// The object that a name of a module, class or function outside of the function stands for.
    pub(super) fn static_object(
        &self,
        expression: &Expression,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.py;
        match &expression.kind {
            ExpressionKind::Name(name)
                if !self.names.contains_key(name) && !self.function.is_own(name) =>
            {
                let object = self.function.global(py, name)?;
                let is_static = object.is_instance_of::<PyModule>() || object.is_callable();
                Ok(is_static.then_some(object))
            }
            ExpressionKind::Attribute { value, attribute } => match self.static_object(value)? {
                Some(object) if object.is_instance_of::<PyModule>() => {
                    let member = self.function.member(&object, &attribute.name)?;
                    Ok(member.filter(|member| {
                        member.is_instance_of::<PyModule>() || member.is_callable()
                    }))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// What a call calls; `None` if it is something inside of the function.
    pub(super) fn callee(&self, function: &Expression) -> PyResult<Option<Arc<Callee>>> {
        let Some(object) = self.static_object(function)? else {
            return Ok(None);
        };
        classified(&object).map(|callee| Some(Arc::new(callee)))
    }

    pub(super) fn call_expression(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        keywords: &[(Identifier, Expression)],
        span: Span,
    ) -> PyResult<Value> {
        if is_named(function, IS_NONE) {
            return self.is_none(arguments);
        }
        if let Some(inner) = self.inner_function(function) {
            return self.call_inner(inner, arguments, keywords);
        }
        let Some(callee) = self.callee(function)? else {
            if let Some(kernel) = self.ranged_kernel(function)? {
                return self.call_kernel(&kernel, arguments, keywords);
            }
            return self.call_member(function, arguments, keywords, span);
        };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let mut named = Vec::with_capacity(keywords.len());
        for (name, argument) in keywords {
            named.push((name.name.clone(), self.value(argument)?));
        }
        let has_array =
            |values: &[Value]| values.iter().any(|value| matches!(value, Value::Array(_)));
        let takes_keywords = !matches!(
            &*callee,
            Callee::Builtin(_) | Callee::OfNumbers | Callee::Device
        );
        if let (Some((name, _)), false) = (named.first(), takes_keywords) {
            return Err(KernelTypeError::new_err(format!(
                "`{name}` is given by name in `{}`\n  why:  between array operations, this function takes \
                 its arguments by position\n  help: leave `{name}=` out",
                self.function.source.slice(span)
            )));
        }
        match &*callee {
            Callee::Elementwise {
                function: elementwise,
                python,
                ..
            } => {
                if has_array(&values) && named.is_empty() && values.len() == elementwise.arity {
                    return self.apply(elementwise, values, span);
                }
                if has_array(&values) || !named.is_empty() {
                    let python = python.bind(self.py).clone();
                    return self.call_library(&python, values, named, span);
                }
                self.call_on_numbers((function, arguments), values, span)
            }
            Callee::Reduce(reducer, python) => {
                let python = python.bind(self.py).clone();
                self.reduce(*reducer, &python, values, named, span)
            }
            Callee::Library(python) => {
                let python = python.bind(self.py).clone();
                self.call_library(&python, values, named, span)
            }
            Callee::Creation(python, is_numpy) => {
                let python = python.bind(self.py).clone();
                self.create(&python, *is_numpy, values, named, span)
            }
            Callee::Njit(njit) => {
                let njit = njit.get();
                let values = njit.function(self.py)?.bound(self.py, values, named)?;
                njit.run(self.py, values, self.depth + 1)
            }
            Callee::Kernel(kernel) => {
                let kernel = kernel.bind(self.py).clone();
                self.launch(&kernel, &values, &named)
            }
            Callee::Builtin(name) => self.call_builtin(name, (function, arguments), values, span),
            Callee::OfNumbers | Callee::Device => {
                self.call_on_numbers((function, arguments), values, span)
            }
            Callee::KernelMemory(name) => Err(KernelTypeError::new_err(format!(
                "`{name}` is called outside of a kernel: `{}`\n  why:  it makes memory that belongs to one round of a \
                 `prange` loop or to work-items of a kernel\n  help: give a name to a `situ.private.array` in the body of a `prange` \
                 loop that works on numbers and elements, or use `np.zeros`",
                self.function.source.slice(span)
            ))),
            Callee::Range | Callee::Parallel => Err(KernelTypeError::new_err(
                "`range` and `prange` have a meaning only after `in` in a `for` statement",
            )),
            Callee::Unknown(what) => Err(self.unknown_function(what, span)),
        }
    }

    /// The refusal to call something that needs the interpreter.
    pub(super) fn unknown_function(&self, what: &str, span: Span) -> PyErr {
        KernelTypeError::new_err(format!(
            "njit function `{}` calls {what}: `{}`\n  why:  it would need the Python interpreter\n  help: call \
             functions of NumPy, situ, `math`, kernels, and functions decorated with `@situ.njit` or \
             `@situ.device_func`",
            self.function.name(),
            self.function.source.slice(span)
        ))
    }

    /// `x is None`.
    fn is_none(&mut self, arguments: &[Expression]) -> PyResult<Value> {
        let [value] = arguments else {
            return Err(KernelError::new_err("`is None` asks about one value"));
        };
        let is_none = match self.value(value)? {
            Value::Object(object) => object.is_none(self.py),
            _ => false,
        };
        let literal = situ_ir::Literal::Bool(is_none);
        Ok(Value::Number(Number::computed(literal)))
    }

    /// The kernel with its range that `kernel[range]` stands for; `None` if the expression is something else.
    fn ranged_kernel(&mut self, function: &Expression) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ExpressionKind::Subscript { value, indices } = &function.kind else {
            return Ok(None);
        };
        let Some(kernel) = self.static_object(value)? else {
            return Ok(None);
        };
        if !kernel.is_instance_of::<PyKernel>() {
            return Ok(None);
        }
        let range = self.index(indices)?;
        kernel.get_item(range).map(Some)
    }

    fn call_kernel(
        &mut self,
        kernel: &Bound<'py, PyAny>,
        arguments: &[Expression],
        keywords: &[(Identifier, Expression)],
    ) -> PyResult<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let mut named = Vec::with_capacity(keywords.len());
        for (name, argument) in keywords {
            named.push((name.name.clone(), self.value(argument)?));
        }
        self.launch(kernel, &values, &named)
    }

    /// Launches a kernel.
    fn launch(
        &mut self,
        kernel: &Bound<'py, PyAny>,
        values: &[Value],
        named: &[(String, Value)],
    ) -> PyResult<Value> {
        let all = values.iter().chain(named.iter().map(|(_, value)| value));
        let all: Vec<_> = all.cloned().collect();
        self.before_writes(&all)?;
        let arguments: Vec<_> = values
            .iter()
            .map(|value| value.to_argument(self.py))
            .collect::<PyResult<_>>()?;
        let keywords = pyo3::types::PyDict::new(self.py);
        for (name, value) in named {
            keywords.set_item(name, value.to_argument(self.py)?)?;
        }
        let arguments = pyo3::types::PyTuple::new(self.py, arguments)?;
        kernel.call(arguments, Some(&keywords))?;
        Ok(self.none())
    }

    /// Computes what waits for elements of arrays that a call may write.
    pub(super) fn before_writes(&mut self, values: &[Value]) -> PyResult<()> {
        let mut arrays = Vec::new();
        for value in values {
            value.for_each_array(&mut |array| arrays.push(array.clone()));
        }
        for array in arrays {
            let memory = array.node.array(self.py)?;
            self.before_write(&memory)?;
        }
        Ok(())
    }

    /// A function of numbers, by compiled code.
    fn call_on_numbers(
        &mut self,
        (function, written): (&Expression, &[Expression]),
        values: Vec<Value>,
        span: Span,
    ) -> PyResult<Value> {
        let count = values.len();
        let named = temporaries(values);
        let arguments = (0..count).map(|position| Expression {
            kind: match written.get(position).map(|argument| &argument.kind) {
                // What is written there is known to compiled code: `round(x, 2)`.
                Some(constant @ ExpressionKind::Constant(_)) => constant.clone(),
                _ => ExpressionKind::Name(named[position].0.clone()),
            },
            span,
        });
        let kind = ExpressionKind::Call {
            function: Box::new(function.clone()),
            arguments: arguments.collect(),
            keywords: Vec::new(),
        };
        self.compute(kind, span, named)
    }

    fn call_builtin(
        &mut self,
        name: &str,
        (function, arguments): (&Expression, &[Expression]),
        values: Vec<Value>,
        span: Span,
    ) -> PyResult<Value> {
        if let [Value::Array(array)] = values.as_slice() {
            let reducer = match name {
                "sum" => Some(Reducer::Sum),
                "min" => Some(Reducer::Min),
                "max" => Some(Reducer::Max),
                "any" => Some(Reducer::Any),
                "all" => Some(Reducer::All),
                _ => None,
            };
            match (reducer, name) {
                (Some(reducer), _) if array.node.shape().len() == 1 => {
                    let python = self.py.import("situ")?.getattr(name)?;
                    return self.reduce(reducer, &python, values, Vec::new(), span);
                }
                (_, "abs") => {
                    let abs = elementwise::find("abs")
                        .ok_or_else(|| KernelError::new_err("there is no `abs`"))?;
                    return self.apply(abs, values, span);
                }
                (_, "len") => {
                    let size = array.node.shape().first().copied().unwrap_or(0);
                    return Ok(Value::Number(Number::integer(size as i64)));
                }
                (_, "float" | "int" | "bool" | "complex") => {
                    let number = self.number_of(array)?;
                    let values = vec![Value::Number(number)];
                    return self.call_on_numbers((function, arguments), values, span);
                }
                _ => {}
            }
        }
        match (name, values.as_slice()) {
            ("len", [Value::Tuple(items)]) => {
                Ok(Value::Number(Number::integer(items.len() as i64)))
            }
            ("tuple" | "list", [Value::Tuple(_)]) => {
                Ok(values.into_iter().next().unwrap_or_else(|| self.none()))
            }
            _ if values.iter().all(|value| matches!(value, Value::Number(_))) => {
                self.call_on_numbers((function, arguments), values, span)
            }
            _ => Err(KernelTypeError::new_err(format!(
                "`{name}` cannot be used like this in an njit function: `{}`\n  why:  it would need the Python \
                 interpreter\n  help: use the function of NumPy or situ that does it for arrays",
                self.function.source.slice(span)
            ))),
        }
    }

    /// A new array, where the function's arguments are unless the call says where.
    fn create(
        &mut self,
        python: &Bound<'_, PyAny>,
        is_numpy: bool,
        values: Vec<Value>,
        mut named: Vec<(String, Value)>,
        span: Span,
    ) -> PyResult<Value> {
        let is_placed = |name: &str| name == "device" || name == "queue";
        let origin = match &self.home {
            Some(home) => home.origin,
            None if is_numpy => Origin::NumPy,
            None => Origin::Situ,
        };
        if !named.iter().any(|(name, _)| is_placed(name)) {
            let queue = match &self.home {
                Some(home) => Some(home.node.home().queue().clone()),
                None if is_numpy => Some(crate::queue::native(self.py)?),
                None => None,
            };
            if let Some(queue) = queue {
                let queue = Bound::new(self.py, crate::queue::PyQueue { queue })?;
                let queue = Value::Object(Rc::new(queue.into_any().unbind()));
                named.push(("queue".to_owned(), queue));
                if let Some(home) = &self.home {
                    let kind = home.node.home().usm_kind().name();
                    let kind = kind.into_pyobject(self.py)?.into_any().unbind();
                    named.push(("usm_type".to_owned(), Value::Object(Rc::new(kind))));
                }
            }
        }
        Ok(match self.call_library(python, values, named, span)? {
            Value::Array(array) => Value::Array(ArrayValue { origin, ..array }),
            other => other,
        })
    }

    /// A reduction, of what waits if nobody else looks at it.
    fn reduce(
        &mut self,
        reducer: Reducer,
        python: &Bound<'_, PyAny>,
        mut values: Vec<Value>,
        mut named: Vec<(String, Value)>,
        span: Span,
    ) -> PyResult<Value> {
        let Some(over) = plain_options(self.py, &values, &named)? else {
            return self.call_library(python, values, named, span);
        };
        named.clear();
        values.truncate(1);
        let Some(Value::Array(array)) = values.pop() else {
            return self.call_library(python, values, named, span);
        };
        let ArrayValue { node, origin } = array;
        let is_everything = over.axes.is_none() && !over.keepdims;
        self.note_kernel(span, &node, "reduced in the same pass where layouts agree");
        self.function.note(Record {
            span,
            device: node.home().queue().device().filter_string(),
            what: "reduction".to_owned(),
        });
        let result = node
            .reduce(
                self.py,
                reducer,
                (over.axes.as_deref(), over.keepdims),
                over.dtype,
            )
            .map_err(|error| self.with_expression(span, error))?;
        if is_everything {
            return self.read_number(&result).map(Value::Number);
        }
        Ok(Value::Array(ArrayValue::ready(result, origin)))
    }

    /// A call of a member of a value: `x.sum()`, `x.astype(...)`.
    fn call_member(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        keywords: &[(Identifier, Expression)],
        span: Span,
    ) -> PyResult<Value> {
        let ExpressionKind::Attribute { value, attribute } = &function.kind else {
            return Err(KernelTypeError::new_err(format!(
                "njit function `{}` calls something that is no function: `{}`",
                self.function.name(),
                self.function.source.slice(span)
            )));
        };
        let of = self.value(value)?;
        if let Value::Tuple(_) = of {
            return Err(KernelTypeError::new_err(format!(
                "tuples and lists have no methods in njit functions: `{}`\n  why:  their length is part of \
                 what is compiled, so that none can grow\n  help: make an array that is large enough, e.g. \
                 `out = np.empty(n)`, count what is stored, and return `out[:count]`",
                self.function.source.slice(span)
            )));
        }
        let Value::Array(array) = of else {
            return Err(KernelTypeError::new_err(format!(
                "only arrays have methods in njit functions: `{}`\n  why:  other values are numbers and tuples, and text is only \
                 compared\n  help: use operators and functions, or do this before the call and pass the result",
                self.function.source.slice(span)
            )));
        };
        let name = attribute.name.as_str();
        let mut values = Vec::with_capacity(arguments.len() + 1);
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let mut named = Vec::with_capacity(keywords.len());
        for (name, argument) in keywords {
            named.push((name.name.clone(), self.value(argument)?));
        }
        let reducer = match name {
            "sum" => Some(Reducer::Sum),
            "prod" => Some(Reducer::Prod),
            "min" => Some(Reducer::Min),
            "max" => Some(Reducer::Max),
            "any" => Some(Reducer::Any),
            "all" => Some(Reducer::All),
            "mean" => Some(Reducer::Mean),
            _ => None,
        };
        if let Some(reducer) = reducer {
            let python = self.py.import("situ")?.getattr(name)?;
            values.insert(0, Value::Array(array));
            return self.reduce(reducer, &python, values, named, span);
        }
        if let ("astype", [Value::Object(dtype)], true) =
            (name, values.as_slice(), named.is_empty())
            && let Ok(dtype) = crate::dtype::from_python(dtype.bind(self.py))
        {
            let node = array.node.cast(dtype);
            let origin = array.origin;
            return Ok(Value::Array(ArrayValue { node, origin }));
        }
        let memory = array.node.array(self.py)?;
        if matches!(name, "fill" | "sort" | "itemset" | "put" | "resize") {
            self.before_write(&memory)?;
        }
        let memory = Bound::new(self.py, PyArray::new(memory))?;
        let method = memory.as_any().getattr(name);
        let method = method.map_err(|error| self.with_expression(span, error))?;
        self.call_library(&method, values, named, span)
            .map(|value| match value {
                // What a method of a NumPy array gives is NumPy's, too.
                Value::Array(result) => Value::Array(ArrayValue {
                    origin: array.origin,
                    ..result
                }),
                other => other,
            })
    }
}

pub(super) fn is_named(function: &Expression, name: &str) -> bool {
    matches!(&function.kind, ExpressionKind::Name(own) if own == name)
}

/// How a reduction is asked for, if it is in a way that an expression can end in.
struct PlainOptions {
    axes: Option<Vec<i64>>,
    keepdims: bool,
    dtype: Option<DType>,
}

fn plain_options(
    py: Python<'_>,
    values: &[Value],
    named: &[(String, Value)],
) -> PyResult<Option<PlainOptions>> {
    let mut options = PlainOptions {
        axes: None,
        keepdims: false,
        dtype: None,
    };
    let mut axis = None;
    match values {
        [Value::Array(_)] => {}
        [Value::Array(_), given] => axis = Some(given),
        _ => return Ok(None),
    }
    for (name, value) in named {
        match (name.as_str(), value) {
            ("axis", value) => axis = Some(value),
            ("keepdims", Value::Number(number)) => options.keepdims = number.is_true(),
            ("dtype", Value::Object(dtype)) => {
                options.dtype = Some(crate::dtype::from_python(dtype.bind(py))?);
            }
            _ => return Ok(None),
        }
    }
    options.axes = match axis {
        None => None,
        Some(Value::Number(number)) => match number.as_i64() {
            Some(axis) => Some(vec![axis]),
            None => return Ok(None),
        },
        Some(Value::Object(object)) if object.is_none(py) => None,
        Some(Value::Tuple(items)) => {
            let axes = items.iter().map(|item| match item {
                Value::Number(number) => number.as_i64(),
                _ => None,
            });
            match axes.collect() {
                Some(axes) => Some(axes),
                None => return Ok(None),
            }
        }
        Some(_) => return Ok(None),
    };
    Ok(Some(options))
}

/// What an object is when it is called.
fn classified(object: &Bound<'_, PyAny>) -> PyResult<Callee> {
    let py = object.py();
    if let Ok(njit) = object.cast::<PyNjit>() {
        return Ok(Callee::Njit(njit.clone().unbind()));
    }
    if object.is_instance_of::<PyDeviceFunction>() {
        return Ok(Callee::Device);
    }
    if object.is_instance_of::<PyKernel>() || object.is_instance_of::<PyRangedKernel>() {
        return Ok(Callee::Kernel(object.clone().unbind()));
    }
    if environment::element_type(object)?.is_some() {
        return Ok(Callee::OfNumbers);
    }
    let helper = py.import("situ._njit")?;
    let (kind, name, found): (String, String, Py<PyAny>) =
        helper.call_method1("classified", (object,))?.extract()?;
    Ok(match kind.as_str() {
        "builtin" if name == "range" => Callee::Range,
        "builtin" => Callee::Builtin(name),
        "prange" => Callee::Parallel,
        "kernel memory" => Callee::KernelMemory(name),
        "numbers" => Callee::OfNumbers,
        "njit" => Callee::Njit(found.bind(py).cast::<PyNjit>()?.clone().unbind()),
        "elementwise" => match elementwise::find(&name) {
            Some(function) => Callee::Elementwise {
                function,
                has_numbers: KnownModule::NumPy.has_member(&name)
                    || KnownModule::Situ.has_member(&name),
                python: found,
            },
            None => Callee::Library(found),
        },
        "reduction" => match name.as_str() {
            "sum" => Callee::Reduce(Reducer::Sum, found),
            "prod" => Callee::Reduce(Reducer::Prod, found),
            "min" => Callee::Reduce(Reducer::Min, found),
            "max" => Callee::Reduce(Reducer::Max, found),
            "any" => Callee::Reduce(Reducer::Any, found),
            "all" => Callee::Reduce(Reducer::All, found),
            "mean" => Callee::Reduce(Reducer::Mean, found),
            _ => Callee::Library(found),
        },
        "library" => Callee::Library(found),
        "creation" => {
            let module: String = object.getattr("__module__")?.extract()?;
            Callee::Creation(found, module.starts_with("numpy"))
        }
        _ => Callee::Unknown(name),
    })
}
