//! What expressions stand for when they use arrays.

use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use situ_array::functions::elementwise::{self, Elementwise};
use situ_frontend::syntax::{
    BinaryOperator, ComparisonOperator, Expression, ExpressionKind, LogicalOperator, UnaryOperator,
};
use situ_ir::Span;

use std::rc::Rc;

use super::arithmetic;
use super::expression_node::{Node, NodeOperand};
use super::machine::{Machine, common_origin};
use super::value::{ArrayValue, Number, Origin, Value, weak};
use crate::array::PyArray;
use crate::error::exceptions::{KernelError, KernelTypeError};
use crate::error::{IntoPyErr, check_stack};

impl<'py> Machine<'_, 'py> {
    /// What an expression stands for.
    pub(super) fn value(&mut self, expression: &Expression) -> PyResult<Value> {
        check_stack()?;
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Constant(constant) => {
                let number = weak(*constant).ok_or_else(|| {
                    pyo3::exceptions::PyOverflowError::new_err("an integer of more than 64 bits")
                })?;
                Ok(Value::Number(Number {
                    is_written: true,
                    ..number
                }))
            }
            ExpressionKind::Name(name) => self.name(name),
            ExpressionKind::Text(text) => {
                let text = text.into_pyobject(self.py)?.into_any().unbind();
                Ok(Value::Object(Rc::new(text)))
            }
            ExpressionKind::None => Ok(self.none()),
            ExpressionKind::Ellipsis => Ok(Value::Object(Rc::new(self.py.Ellipsis()))),
            ExpressionKind::Tuple(items) | ExpressionKind::List(items) => {
                let items = items.iter().map(|item| self.value(item));
                Ok(Value::Tuple(items.collect::<PyResult<_>>()?))
            }
            ExpressionKind::Comprehension(made) => self.comprehension(made),
            ExpressionKind::Attribute { value, attribute } => {
                self.attribute(value, &attribute.name, span)
            }
            ExpressionKind::Subscript { value, indices } => self.subscript(value, indices, span),
            ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } => self.call_expression(function, arguments, keywords, span),
            ExpressionKind::Unary { operator, operand } => {
                let operand = self.value(operand)?;
                self.unary(*operator, operand, span)
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                self.binary(*operator, left, right, span)
            }
            ExpressionKind::Compare { first, rest } => self.compare(first, rest, span),
            ExpressionKind::Logical { operator, operands } => self.logical(*operator, operands),
            ExpressionKind::Conditional {
                test,
                accept,
                reject,
            } => {
                let test = self.value(test)?;
                let chosen = if self.is_true(&test)? { accept } else { reject };
                self.value(chosen)
            }
            ExpressionKind::Slice { lower, upper, step } => {
                let mut bound = |bound: &Option<Box<Expression>>| match bound {
                    Some(bound) => self.value(bound)?.to_python(self.py),
                    None => Ok(self.py.None()),
                };
                let bounds = (bound(lower)?, bound(upper)?, bound(step)?);
                let slice = self.py.get_type::<PySlice>().call1(bounds)?;
                Ok(Value::Object(Rc::new(slice.unbind())))
            }
            ExpressionKind::Membership {
                item,
                container,
                is_negated,
            } => self.membership(item, container, *is_negated),
            ExpressionKind::Lambda(_) | ExpressionKind::Refused => Err(KernelError::new_err(
                "a lambda can only be called by statements that work with numbers",
            )),
        }
    }

    /// `item in container`, of numbers and other objects.
    fn membership(
        &mut self,
        item: &Expression,
        container: &Expression,
        is_negated: bool,
    ) -> PyResult<Value> {
        let (item, container) = (self.value(item)?, self.value(container)?);
        let mut has_array = false;
        item.for_each_array(&mut |_| has_array = true);
        container.for_each_array(&mut |_| has_array = true);
        if has_array {
            return Err(KernelTypeError::new_err(
                "`in` asks about numbers\n  why:  of the elements of an array, each would have an answer\n  help: use \
                 `np.isin(x, values)`, or `np.any(x == value)` to ask about all of them",
            ));
        }
        let item = item.to_argument(self.py)?;
        let is_in = container.to_argument(self.py)?.contains(item)?;
        let literal = situ_ir::Literal::Bool(is_in != is_negated);
        Ok(Value::Number(Number::computed(literal)))
    }

    fn name(&mut self, name: &str) -> PyResult<Value> {
        if let Some(value) = self.local(name) {
            return Ok(value);
        }
        if self.function.is_own(name) {
            return Err(pyo3::exceptions::PyUnboundLocalError::new_err(format!(
                "`{name}` has no value here\n  why:  the statements that give it one were not run\n  help: \
                 give it a value before the `if` or the loop that it gets one in"
            )));
        }
        let object = self.function.global(self.py, name)?;
        Value::from_python(&object, Origin::Situ)
    }

    /// `left operator right`.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> PyResult<Value> {
        if operator == BinaryOperator::MatrixMultiply {
            return self.library_call("matmul", vec![left, right], span);
        }
        if let (Value::Number(left), Value::Number(right)) = (&left, &right)
            && let Some(number) = arithmetic::binary(operator, *left, *right)
        {
            return Ok(Value::Number(number));
        }
        if let (Value::Number(_), Value::Number(_)) = (&left, &right) {
            let kind = ExpressionKind::Binary {
                operator,
                left: Box::new(temporary(0, span)),
                right: Box::new(temporary(1, span)),
            };
            return self.compute(kind, span, temporaries(vec![left, right]));
        }
        if let (BinaryOperator::Add, Value::Tuple(left), Value::Tuple(right)) =
            (operator, &left, &right)
        {
            return Ok(Value::Tuple(left.iter().chain(right).cloned().collect()));
        }
        let is_square = is_square_of_bools(operator, &left, &right);
        let (name, operands) = if is_square {
            ("square", vec![left])
        } else {
            (function_name(operator), vec![left, right])
        };
        let function = elementwise::find(name)
            .ok_or_else(|| KernelError::new_err(format!("there is no function `{name}`")))?;
        self.apply(function, operands, span)
    }

    fn unary(&mut self, operator: UnaryOperator, operand: Value, span: Span) -> PyResult<Value> {
        if let (Value::Number(number), UnaryOperator::Negate) = (&operand, operator)
            && let Some(negated) = arithmetic::negated(*number)
        {
            return Ok(Value::Number(negated));
        }
        match (&operand, operator) {
            (Value::Array(_), UnaryOperator::Not) => {
                let truth = self.is_true(&operand)?;
                Ok(Value::Number(Number::computed(situ_ir::Literal::Bool(
                    !truth,
                ))))
            }
            (Value::Array(_), _) => {
                let name = match operator {
                    UnaryOperator::Negate => "negative",
                    UnaryOperator::Plus => "positive",
                    _ => "bitwise_invert",
                };
                let function = elementwise::find(name)
                    .ok_or_else(|| KernelError::new_err(format!("there is no `{name}`")))?;
                self.apply(function, vec![operand], span)
            }
            _ => {
                let kind = ExpressionKind::Unary {
                    operator,
                    operand: Box::new(temporary(0, span)),
                };
                self.compute(kind, span, temporaries(vec![operand]))
            }
        }
    }

    fn compare(
        &mut self,
        first: &Expression,
        rest: &[(ComparisonOperator, Expression)],
        span: Span,
    ) -> PyResult<Value> {
        let mut values = vec![self.value(first)?];
        for (_, operand) in rest {
            values.push(self.value(operand)?);
        }
        if let ([(operator, _)], [Value::Number(left), Value::Number(right)]) =
            (rest, values.as_slice())
            && let Some(number) = arithmetic::compare(*operator, *left, *right)
        {
            return Ok(Value::Number(number));
        }
        let mut has_array = false;
        for value in &values {
            value.for_each_array(&mut |_| has_array = true);
        }
        let is_number = |value: &Value| matches!(value, Value::Number(_));
        if !has_array && !values.iter().all(is_number) {
            return self.compare_objects(rest, &values, span);
        }
        if !has_array {
            let operands = rest.iter().enumerate();
            let rest = operands
                .map(|(position, (operator, _))| (*operator, temporary(position + 1, span)));
            let kind = ExpressionKind::Compare {
                first: Box::new(temporary(0, span)),
                rest: rest.collect(),
            };
            return self.compute(kind, span, temporaries(values));
        }
        let [(operator, _)] = rest else {
            return Err(KernelTypeError::new_err(
                "arrays cannot be compared in a chain\n  why:  Python would ask for the truth of an array\n  \
                 help: write `(a < b) & (b < c)`",
            ));
        };
        let name = match operator {
            ComparisonOperator::Equal => "equal",
            ComparisonOperator::NotEqual => "not_equal",
            ComparisonOperator::Less => "less",
            ComparisonOperator::LessEqual => "less_equal",
            ComparisonOperator::Greater => "greater",
            ComparisonOperator::GreaterEqual => "greater_equal",
        };
        let function = elementwise::find(name)
            .ok_or_else(|| KernelError::new_err(format!("there is no `{name}`")))?;
        self.apply(function, values, span)
    }

    /// `==` and `!=` of shapes, dtypes and texts, which Python itself compares.
    fn compare_objects(
        &self,
        rest: &[(ComparisonOperator, Expression)],
        values: &[Value],
        span: Span,
    ) -> PyResult<Value> {
        let ([(operator, _)], [left, right]) = (rest, values) else {
            return Err(self.no_comparison(span));
        };
        let wants_same = match operator {
            ComparisonOperator::Equal => true,
            ComparisonOperator::NotEqual => false,
            _ => return Err(self.no_comparison(span)),
        };
        let is_same = left.to_argument(self.py)?.eq(right.to_argument(self.py)?)?;
        let literal = situ_ir::Literal::Bool(is_same == wants_same);
        Ok(Value::Number(Number::computed(literal)))
    }

    fn no_comparison(&self, span: Span) -> PyErr {
        KernelTypeError::new_err(format!(
            "these cannot be compared in njit functions: `{}`\n  why:  only numbers and arrays have an order\n  help: \
             compare with `==` or `!=`, or compare the items of tuples",
            self.function.source.slice(span)
        ))
    }

    fn logical(&mut self, operator: LogicalOperator, operands: &[Expression]) -> PyResult<Value> {
        let mut value = self.none();
        for operand in operands {
            value = self.value(operand)?;
            let is_decided = self.is_true(&value)? == (operator == LogicalOperator::Or);
            if is_decided {
                break;
            }
        }
        Ok(value)
    }

    /// An elementwise function of values, at least one of them an array; as an expression that waits.
    pub(super) fn apply(
        &mut self,
        function: &'static Elementwise,
        values: Vec<Value>,
        span: Span,
    ) -> PyResult<Value> {
        let mut first: Option<ArrayValue> = None;
        let mut operands = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::Array(array) => {
                    match &first {
                        Some(first) => self.check_origins(first, &array, span)?,
                        None => first = Some(array.clone()),
                    }
                    if array.node.is_large() {
                        array.node.array(self.py)?;
                    }
                    operands.push(NodeOperand::Array(array.node));
                }
                Value::Number(number) => operands.push(NodeOperand::Number(number)),
                other => {
                    return Err(KernelTypeError::new_err(format!(
                        "`{}` does not take {}: `{}`\n  why:  it computes with arrays and numbers\n  help: pass one of these; text \
                         is only compared, e.g. `mode == \"fast\"`",
                        function.name,
                        other.describe(self.py),
                        self.function.source.slice(span)
                    )));
                }
            }
        }
        let origin = first.map_or(Origin::Situ, |first| first.origin);
        let node = Node::apply(function, operands)
            .map_err(|error| self.with_expression(span, error.into_py_err(self.py)))?;
        Ok(Value::Array(ArrayValue { node, origin }))
    }

    /// An error with the text of the expression that it is about.
    pub(super) fn with_expression(&self, span: Span, error: PyErr) -> PyErr {
        let py = self.py;
        let message = error
            .value(py)
            .str()
            .and_then(|text| text.extract::<String>());
        let Ok(message) = message else { return error };
        let source = &self.function.source;
        let text = format!(
            "{message}\n  at:   {}:{}, in njit function `{}`: `{}`",
            source.name,
            self.function.line(span),
            self.function.name(),
            source.slice(span)
        );
        match error.get_type(py).call1((text,)) {
            Ok(value) => PyErr::from_value(value),
            Err(_) => error,
        }
    }

    fn attribute(&mut self, value: &Expression, name: &str, span: Span) -> PyResult<Value> {
        if let Some(object) = self.static_object(value)? {
            let member = match self.function.member(&object, name)? {
                Some(member) => member,
                None => object.getattr(name)?,
            };
            return Value::from_python(&member, Origin::Situ);
        }
        let value = self.value(value)?;
        match &value {
            Value::Array(array) => self
                .array_attribute(array, name)
                .map_err(|error| self.with_expression(span, error)),
            Value::Number(_) => {
                let kind = ExpressionKind::Attribute {
                    value: Box::new(temporary(0, span)),
                    attribute: situ_frontend::syntax::Identifier {
                        name: name.to_owned(),
                        span,
                    },
                };
                self.compute(kind, span, temporaries(vec![value]))
            }
            other => {
                let object = other.to_argument(self.py)?;
                Value::from_python(&object.getattr(name)?, Origin::Situ)
            }
        }
    }

    fn array_attribute(&mut self, array: &ArrayValue, name: &str) -> PyResult<Value> {
        let integer = |value: usize| Value::Number(Number::integer(value as i64));
        let shape = array.node.shape();
        match name {
            "shape" => Ok(Value::Tuple(shape.iter().copied().map(integer).collect())),
            "ndim" => Ok(integer(shape.len())),
            "size" => Ok(integer(shape.iter().product())),
            "dtype" => {
                let dtype = crate::dtype::to_python(self.py, array.node.dtype())?;
                Ok(Value::Object(Rc::new(dtype)))
            }
            _ => {
                let memory = array.node.array(self.py)?;
                let memory = Bound::new(self.py, PyArray::new(memory))?;
                let member = memory.as_any().getattr(name)?;
                Value::from_python(&member, array.origin)
            }
        }
    }

    fn subscript(
        &mut self,
        value: &Expression,
        indices: &[Expression],
        span: Span,
    ) -> PyResult<Value> {
        let value = self.value(value)?;
        match value {
            Value::Array(array) => {
                let index = self.index(indices)?;
                self.item(&array, &index)
                    .map_err(|error| self.with_expression(span, error))
            }
            Value::Tuple(items) => {
                let index = self.index(indices)?;
                if index.is_instance_of::<PySlice>() {
                    let all: Vec<_> = items
                        .iter()
                        .map(|item| item.to_python(self.py))
                        .collect::<PyResult<_>>()?;
                    let part = PyTuple::new(self.py, all)?.as_any().get_item(&index)?;
                    return Value::from_python(&part, Origin::Situ);
                }
                let position: isize = index.extract()?;
                let count = items.len();
                let wrapped = if position < 0 {
                    position + count as isize
                } else {
                    position
                };
                let item = usize::try_from(wrapped).ok().and_then(|at| items.get(at));
                item.cloned().ok_or_else(|| {
                    pyo3::exceptions::PyIndexError::new_err(format!(
                        "item {position} of a tuple of {count} does not exist"
                    ))
                })
            }
            other => Err(KernelTypeError::new_err(format!(
                "{} has no items",
                other.describe(self.py)
            ))),
        }
    }

    /// Indices as Python's own.
    pub(super) fn index(&mut self, indices: &[Expression]) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let mut objects = Vec::with_capacity(indices.len());
        for index in indices {
            objects.push(self.value(index)?.to_argument(py)?);
        }
        match objects.len() {
            1 => Ok(objects.remove(0)),
            _ => Ok(PyTuple::new(py, objects)?.into_any()),
        }
    }

    /// `array[index]`: a view, a new array, or the number at an element.
    pub(super) fn item(&mut self, array: &ArrayValue, index: &Bound<'_, PyAny>) -> PyResult<Value> {
        let memory = array.node.array(self.py)?;
        self.check_reach(&memory, index)?;
        let memory = Bound::new(self.py, PyArray::new(memory))?;
        let item = memory.as_any().get_item(index)?;
        self.settled(&item, array.origin)
    }

    /// A result of an array function; what has no dimensions is a number here.
    pub(super) fn settled(&mut self, object: &Bound<'_, PyAny>, origin: Origin) -> PyResult<Value> {
        if let Ok(array) = object.cast::<PyArray>()
            && array.get().array().shape().is_empty()
        {
            let array = situ_array::functions::creation::as_contiguous(array.get().array())
                .map_err(|error| error.into_py_err(self.py))?;
            return self.read_number(&array).map(Value::Number);
        }
        if let Ok(items) = object.cast::<PyTuple>() {
            let items = items.iter().map(|item| self.settled(&item, origin));
            return Ok(Value::Tuple(items.collect::<PyResult<_>>()?));
        }
        Value::from_python(object, origin)
    }

    /// A function of the array library by name.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        arguments: Vec<Value>,
        span: Span,
    ) -> PyResult<Value> {
        let function = self.py.import("situ")?.getattr(name)?;
        self.call_library(&function, arguments, Vec::new(), span)
    }

    /// Calls a function of the array library.
    pub(super) fn call_library(
        &mut self,
        function: &Bound<'_, PyAny>,
        arguments: Vec<Value>,
        keywords: Vec<(String, Value)>,
        span: Span,
    ) -> PyResult<Value> {
        let py = self.py;
        let mut first: Option<ArrayValue> = None;
        let mut problem = None;
        let given = arguments
            .iter()
            .chain(keywords.iter().map(|(_, value)| value));
        for value in given {
            value.for_each_array(&mut |array| match &first {
                None => first = Some(array.clone()),
                Some(first) => {
                    if let Err(error) = self.check_origins(first, array, span) {
                        problem = Some(error);
                    }
                }
            });
        }
        if let Some(problem) = problem {
            return Err(problem);
        }
        let origin = common_origin(&arguments);
        let name: String = function
            .getattr("__name__")
            .and_then(|name| name.extract())
            .unwrap_or_default();
        if WRITERS.contains(&name.as_str()) {
            self.before_writes(&arguments)?;
        }
        let positional: Vec<_> = arguments
            .iter()
            .map(|value| value.to_argument(py))
            .collect::<PyResult<_>>()?;
        let options = pyo3::types::PyDict::new(py);
        for (name, value) in &keywords {
            options.set_item(name, value.to_argument(py)?)?;
            if name == "out"
                && let Value::Array(array) = value
            {
                self.before_write(&array.node.array(py)?)?;
            }
        }
        let result = function
            .call(PyTuple::new(py, positional)?, Some(&options))
            .map_err(|error| self.with_expression(span, error))?;
        let device = first.as_ref().map_or_else(
            || "native".to_owned(),
            |array| array.node.home().queue().device().filter_string(),
        );
        self.function.note(super::record::Record {
            span,
            device,
            what: format!("array function `{name}`"),
        });
        self.settled(&result, origin)
    }
}

/// Functions of the array library that write to arrays they are given.
const WRITERS: [&str; 8] = [
    "call_kernel",
    "call_kernel_async",
    "copyto",
    "fill_diagonal",
    "place",
    "put",
    "put_along_axis",
    "putmask",
];

/// The name of an operand that is known already.
fn temporary(position: usize, span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Name(format!("situ__value{position}")),
        span,
    }
}

pub(super) fn temporaries(values: Vec<Value>) -> Vec<(String, Value)> {
    let named = |(position, value)| (format!("situ__value{position}"), value);
    values.into_iter().enumerate().map(named).collect()
}

/// Whether an operator is `bools ** 2`, for which NumPy's operator means `square`: that is `int8`, and what `power` makes of
/// bools is `int64`. `ndarray.__pow__` in `operators.rs` knows the same rule.
fn is_square_of_bools(operator: BinaryOperator, left: &Value, right: &Value) -> bool {
    operator == BinaryOperator::Power
        && matches!(left, Value::Array(array) if array.node.dtype().is_bool())
        && matches!(right, Value::Number(number) if number.is_weak && number.literal == situ_ir::Literal::I64(2))
}

/// The array function that an operator is.
fn function_name(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "add",
        BinaryOperator::Subtract => "subtract",
        BinaryOperator::Multiply => "multiply",
        BinaryOperator::Divide => "divide",
        BinaryOperator::FloorDivide => "floor_divide",
        BinaryOperator::Modulo => "remainder",
        BinaryOperator::Power => "pow",
        BinaryOperator::ShiftLeft => "bitwise_left_shift",
        BinaryOperator::ShiftRight => "bitwise_right_shift",
        BinaryOperator::BitAnd => "bitwise_and",
        BinaryOperator::BitOr => "bitwise_or",
        BinaryOperator::BitXor => "bitwise_xor",
        BinaryOperator::MatrixMultiply => "matmul",
    }
}
