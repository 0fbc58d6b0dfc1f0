//! What expressions stand for.

use std::sync::Arc;

use situ_ir::promotion;
use situ_ir::{DType, Span, UnaryOperator, WorkItemQuery};

use crate::environment::{Binding, KnownModule};
use crate::host::STACK_LEFT;
use crate::infer::elements::Operation;
use crate::infer::library::{self, Member};
use crate::infer::value::{LocalType, Number, Object, ObjectKind, Static, Value};
use crate::infer::{Inference, assigned, constants, problems};
use crate::subset::Refused;
use crate::syntax::{self, BinaryOperator, Constant, LogicalOperator};
use crate::typed::{Expression, ExpressionKind, VariableId};

impl Inference<'_, '_, '_> {
    /// What an expression stands for.
    pub(super) fn value(&mut self, expression: &syntax::Expression) -> Value {
        let span = expression.span;
        match &expression.kind {
            syntax::ExpressionKind::Constant(constant) => Value::Constant(*constant),
            syntax::ExpressionKind::Name(name) => self.name(name, span),
            syntax::ExpressionKind::Attribute { value, attribute } => {
                let value = self.value(value);
                self.attribute(value, attribute, span)
            }
            syntax::ExpressionKind::Subscript { value, indices } => {
                self.subscript(value, indices, span)
            }
            syntax::ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } => self.call(function, arguments, keywords, span),
            syntax::ExpressionKind::Unary { operator, operand } => {
                self.unary_expression(*operator, operand, span)
            }
            syntax::ExpressionKind::Binary {
                operator,
                left,
                right,
            } => {
                let values = (self.value(left), self.value(right));
                let (first, second) = match values {
                    (Value::Tuple(mut items), Value::Tuple(more))
                        if *operator == BinaryOperator::Add =>
                    {
                        items.extend(more);
                        return Value::Tuple(items);
                    }
                    values => values,
                };
                if self.writes_out_arrays() && (self.is_array(&first) || self.is_array(&second)) {
                    if *operator == BinaryOperator::MatrixMultiply {
                        let product = self.matrix_product(first, second, span);
                        return product.unwrap_or(Value::Unknown);
                    }
                    let operation = Operation::Binary(*operator);
                    return self.elementwise(operation, vec![first, second], span);
                }
                let first = self.as_number(first, left.span);
                let second = self.as_number(second, right.span);
                let (Some(first), Some(second)) = (first, second) else {
                    return Value::Unknown;
                };
                or_unknown(self.binary(*operator, first, second, span))
            }
            syntax::ExpressionKind::Logical { operator, operands } => {
                self.logical(*operator, operands, span)
            }
            syntax::ExpressionKind::Compare { first, rest } => {
                if let Some(is_same) = self.dtype_comparison(first, rest) {
                    return Value::Constant(Constant::Bool(is_same));
                }
                if self.writes_out_arrays()
                    && let [(operator, second)] = &rest[..]
                {
                    let compared = self.compared(*operator, [first, second], span);
                    return compared.unwrap_or(Value::Unknown);
                }
                if self.compares_tuples(first, rest) {
                    return or_unknown(self.tuple_comparison(first, rest, span));
                }
                or_unknown(self.comparison_chain(first, rest, span))
            }
            syntax::ExpressionKind::Membership {
                item,
                container,
                is_negated,
            } => or_unknown(self.membership(item, container, *is_negated, span)),
            syntax::ExpressionKind::Conditional {
                test,
                accept,
                reject,
            } => self.conditional(test, accept, reject, span),
            syntax::ExpressionKind::Tuple(items) => {
                Value::Tuple(items.iter().map(|item| self.value(item)).collect())
            }
            syntax::ExpressionKind::Slice { .. } => {
                self.report(problems::slice_alone(span));
                Value::Unknown
            }
            syntax::ExpressionKind::Lambda(function) => {
                Value::Static(Static::Device(self.inner_function(function)))
            }
            // Functions of the host have these where arrays are; numbers have no use for them.
            syntax::ExpressionKind::Text(_) => self.refused(Refused::String, span),
            syntax::ExpressionKind::None => self.refused(Refused::NoneValue, span),
            syntax::ExpressionKind::Ellipsis => self.refused(Refused::Ellipsis, span),
            // A list is a tuple here.
            syntax::ExpressionKind::List(items) if self.writes_out_arrays() => {
                Value::Tuple(items.iter().map(|item| self.value(item)).collect())
            }
            syntax::ExpressionKind::List(_) => self.refused(Refused::List, span),
            syntax::ExpressionKind::Comprehension(_) => self.refused(Refused::Comprehension, span),
            syntax::ExpressionKind::Refused => Value::Unknown,
        }
    }

    fn refused(&mut self, what: Refused, span: Span) -> Value {
        self.report(what.at(span));
        Value::Unknown
    }

    /// The number that a local name always stands for: one that is assigned once, a constant.
    ///
    /// In expressions such a name is a variable like all others, so that its dtype does not depend on
    /// how often it is assigned; but where only a constant will do, it is one.
    pub(super) fn named_constant(
        &mut self,
        expression: &syntax::Expression,
    ) -> Option<syntax::Constant> {
        /// How many names may stand between a constant and its use.
        const LONGEST_CHAIN: usize = 8;
        let mut expression = expression;
        for _ in 0..LONGEST_CHAIN {
            let syntax::ExpressionKind::Name(name) = &expression.kind else {
                break;
            };
            let Some(value) = assigned::only_value(self.subject.syntax, name) else {
                break;
            };
            expression = value;
        }
        match self.silently(expression) {
            Value::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// The number of a function that is defined inside of this one. It gets the variables of this
    /// function that it uses, itself or in other inner functions that it calls, with each call.
    pub(super) fn inner_function(&mut self, function: &Arc<syntax::Function>) -> usize {
        let subject = self.subject;
        let ours = |name: &str| self.locals.contains_key(name) || self.assigned.contains(name);
        let mut captured = assigned::free_names(function);
        captured.retain(|name| ours(&name.name));
        let mut position = 0;
        while let Some(name) = captured.get(position) {
            position += 1;
            let Some(other) = assigned::inner_definition(subject.syntax, &name.name) else {
                continue;
            };
            for name in assigned::free_names(other) {
                let is_known = captured.iter().any(|known| known.name == name.name);
                if !is_known && ours(&name.name) {
                    captured.push(name);
                }
            }
        }
        let defaults = function.defaults.iter().map(|each| self.default(each));
        let defaults = defaults.collect();
        self.program
            .inner_function(function, (captured, defaults), subject)
    }

    /// What a parameter of an inner function is by default; what is computed when the kernel runs is reported.
    fn default(&mut self, written: &syntax::Expression) -> Value {
        let value = self.value(written);
        if is_known(&value) {
            return value;
        }
        if !matches!(value, Value::Unknown) {
            self.report(Refused::DefaultValue.at(written.span));
        }
        Value::Unknown
    }

    /// The number an expression stands for; anything else is reported.
    pub(super) fn number(&mut self, expression: &syntax::Expression) -> Option<Number> {
        let value = self.value(expression);
        self.as_number(value, expression.span)
    }

    /// The number a value is; anything else is reported.
    pub(super) fn as_number(&mut self, value: Value, span: Span) -> Option<Number> {
        match value {
            Value::Constant(constant) => Some(Number::Constant(constant)),
            Value::Scalar(expression) => Some(Number::Typed(expression)),
            Value::Unknown => None,
            Value::Static(Static::Array(array))
            | Value::Object(Object {
                kind: ObjectKind::View { array, .. },
                ..
            }) => {
                let problem = problems::array_as_number(self.array(array), span);
                self.report(problem);
                None
            }
            other => {
                self.report(problems::not_a_number(&other.describe(), span));
                None
            }
        }
    }

    /// A number with the dtype it has on its own.
    pub(super) fn with_dtype(&mut self, number: Number, span: Span) -> Option<Expression> {
        let dtype = self.own_dtype(&number);
        self.convert(number, dtype, span)
    }

    /// The dtype a number has on its own.
    pub(super) fn own_dtype(&self, number: &Number) -> DType {
        match number {
            Number::Constant(constant) => constant.default_dtype(self.default_float()),
            Number::Typed(expression) => expression.dtype,
        }
    }

    /// The dtype two numbers meet in.
    pub(super) fn common_dtype(&self, left: &Number, right: &Number) -> DType {
        let default_float = self.default_float();
        match (left, right) {
            (Number::Typed(left), Number::Typed(right)) => {
                promotion::promote_for(left.dtype, right.dtype, default_float)
            }
            (Number::Constant(constant), Number::Typed(typed))
            | (Number::Typed(typed), Number::Constant(constant)) => {
                constant.promote_with(typed.dtype, default_float)
            }
            (Number::Constant(_), Number::Constant(_)) => {
                promotion::promote(self.own_dtype(left), self.own_dtype(right))
            }
        }
    }

    pub(super) fn default_float(&self) -> DType {
        self.program.options.default_float
    }

    /// A number in a dtype. An integer constant that the dtype cannot hold is reported.
    pub(super) fn convert(
        &mut self,
        number: Number,
        dtype: DType,
        span: Span,
    ) -> Option<Expression> {
        match number {
            Number::Constant(constant) => {
                if let Some(literal) = constant.to_literal(dtype) {
                    Some(Expression::literal(literal, span))
                } else {
                    self.report(problems::constant_does_not_fit(constant, dtype, span));
                    None
                }
            }
            Number::Typed(expression) => Some(cast(expression, dtype)),
        }
    }

    /// Whether an expression is true, as `if` and `while` ask.
    pub(super) fn condition(&mut self, expression: &syntax::Expression) -> Option<Number> {
        match &expression.kind {
            syntax::ExpressionKind::Logical { operator, operands } => {
                self.logical_condition(*operator, operands, expression.span)
            }
            syntax::ExpressionKind::Unary {
                operator: syntax::UnaryOperator::Not,
                operand,
            } => {
                let operand = self.condition(operand)?;
                Some(negated(operand, expression.span))
            }
            _ => {
                let number = self.number(expression)?;
                Some(truth(number))
            }
        }
    }

    /// `and` / `or` where only the truth of the result matters.
    fn logical_condition(
        &mut self,
        operator: LogicalOperator,
        operands: &[syntax::Expression],
        span: Span,
    ) -> Option<Number> {
        let is_and = operator == LogicalOperator::And;
        let conditions: Vec<_> = operands
            .iter()
            .map(|operand| self.condition(operand))
            .collect();
        let conditions: Option<Vec<_>> = conditions.into_iter().collect();

        conditions?.into_iter().rev().reduce(|right, left| {
            match left {
                // A constant decides now, or leaves the decision to the right side.
                Number::Constant(constant) if constants::truth(constant) == is_and => right,
                Number::Constant(_) => left,
                Number::Typed(left) => Number::Typed(logical_expression(is_and, left, right, span)),
            }
        })
    }

    /// `and` / `or` as Python defines them: the result is one of the operands.
    fn logical(
        &mut self,
        operator: LogicalOperator,
        operands: &[syntax::Expression],
        span: Span,
    ) -> Value {
        let is_and = operator == LogicalOperator::And;
        let numbers: Vec<_> = operands
            .iter()
            .map(|operand| self.number(operand))
            .collect();
        let numbers: Option<Vec<_>> = numbers.into_iter().collect();
        let Some(numbers) = numbers else {
            return Value::Unknown;
        };
        let mut remaining = numbers.into_iter().rev();
        let Some(mut result) = remaining.next() else {
            return Value::Unknown;
        };
        for left in remaining {
            result = match left {
                Number::Constant(constant) if constants::truth(constant) == is_and => result,
                Number::Constant(_) => left,
                Number::Typed(_) => {
                    let dtype = self.common_dtype(&left, &result);
                    let left = self.convert(left, dtype, span);
                    let right = self.convert(result, dtype, span);
                    let (Some(left), Some(right)) = (left, right) else {
                        return Value::Unknown;
                    };
                    Number::Typed(logical_expression(is_and, left, Number::Typed(right), span))
                }
            };
        }
        result.into()
    }

    fn conditional(
        &mut self,
        test: &syntax::Expression,
        accept: &syntax::Expression,
        reject: &syntax::Expression,
        span: Span,
    ) -> Value {
        let condition = match self.condition(test) {
            Some(Number::Constant(constant)) => {
                let chosen = if constants::truth(constant) {
                    accept
                } else {
                    reject
                };
                return self.value(chosen);
            }
            Some(Number::Typed(condition)) => Some(condition),
            None => None,
        };
        let (accept, reject) = (self.number(accept), self.number(reject));
        let (Some(condition), Some(accept), Some(reject)) = (condition, accept, reject) else {
            return Value::Unknown;
        };
        or_unknown(self.choose(condition, accept, reject, span))
    }

    /// One of two numbers, in the dtype they meet in.
    pub(super) fn choose(
        &mut self,
        condition: Expression,
        accept: Number,
        reject: Number,
        span: Span,
    ) -> Option<Number> {
        let dtype = self.common_dtype(&accept, &reject);
        let accept = self.convert(accept, dtype, span)?;
        let reject = self.convert(reject, dtype, span)?;
        let kind = ExpressionKind::Conditional {
            condition: Box::new(condition),
            accept: Box::new(accept),
            reject: Box::new(reject),
        };
        Some(Number::Typed(Expression::new(kind, dtype, span)))
    }

    // ----- names -----

    pub(super) fn name(&mut self, name: &str, span: Span) -> Value {
        let is_local = self.locals.contains_key(name) || self.assigned.contains(name);
        if is_local {
            return self.local(name, span);
        }
        if name == STACK_LEFT {
            let kind = ExpressionKind::WorkItem(WorkItemQuery::StackLeft);
            return Value::Scalar(Expression::new(kind, DType::I64, span));
        }
        let bindings = self.subject.bindings;
        if let Some(binding) = bindings.get(name) {
            return self.binding(binding, name, span);
        }
        if let Some(member) = library::member(KnownModule::Builtins, name) {
            return member_value(member);
        }
        let problem = if problems::is_python_builtin(name) {
            problems::python_builtin(name, span)
        } else {
            let mut names: Vec<&str> = self.locals.keys().map(String::as_str).collect();
            names.extend(self.assigned.iter().copied());
            names.extend(bindings.keys().map(String::as_str));
            for builtin in library::member_names(KnownModule::Builtins) {
                names.push(builtin);
            }
            problems::unknown_name(name, &names, span)
        };
        self.report(problem);
        Value::Unknown
    }

    /// What a name of the function holds.
    fn local(&mut self, name: &str, span: Span) -> Value {
        let Some(local) = self.locals.get(name) else {
            if self.unrolling.ended.contains(name) {
                self.report(problems::after_its_loop(name, span));
            }
            // Assigned somewhere, but no walk has found its type yet.
            return Value::Unknown;
        };
        let is_assigned = self.assigned.contains(name);
        match (local.ty.clone(), local.parameter) {
            (LocalType::Scalar(dtype), Some(parameter)) if !is_assigned => {
                let kind = ExpressionKind::Parameter(parameter);
                Value::Scalar(Expression::new(kind, dtype, span))
            }
            (ty, _) => self.held(name, &mut 0, &ty, span),
        }
    }

    /// What the variables of a name hold, from a position on.
    fn held(&mut self, name: &str, position: &mut usize, ty: &LocalType, span: Span) -> Value {
        match ty {
            LocalType::Scalar(dtype) => {
                Value::Scalar(self.held_number(name, position, *dtype, span))
            }
            LocalType::Constant(constant) => Value::Constant(*constant),
            LocalType::Tuple(items) => {
                let items = items
                    .iter()
                    .map(|item| self.held(name, position, item, span));
                Value::Tuple(items.collect())
            }
            LocalType::Static(value) => Value::Static(value.clone()),
            LocalType::Object { kind, parts } => {
                let parts = (0..*parts).map(|_| self.held_number(name, position, DType::I64, span));
                Value::Object(Object {
                    kind: kind.clone(),
                    parts: parts.collect(),
                })
            }
        }
    }

    fn held_number(
        &mut self,
        name: &str,
        position: &mut usize,
        dtype: DType,
        span: Span,
    ) -> Expression {
        let id = self.variable_id(name, *position, dtype);
        *position += 1;
        variable(id, dtype, span)
    }

    /// What a name from outside stands for.
    pub(super) fn binding(&mut self, binding: &Binding, name: &str, span: Span) -> Value {
        match binding {
            Binding::Constant(constant) => Value::Constant(*constant),
            Binding::Scalar(literal) => Value::Scalar(Expression::literal(*literal, span)),
            Binding::Tuple(items) => {
                let items = items.iter().map(|item| self.binding(item, name, span));
                Value::Tuple(items.collect())
            }
            Binding::DType(dtype) => Value::Static(Static::DType(*dtype)),
            Binding::Module(module) => Value::Static(Static::Module(*module)),
            Binding::Function(module, function) => {
                if let Some(member) = library::member(*module, function) {
                    member_value(member)
                } else if let Some(binding) = self.program.member(*module, function) {
                    self.binding(binding, name, span)
                } else {
                    self.report(problems::unknown_member(*module, function, span));
                    Value::Unknown
                }
            }
            Binding::Namespace(members) => Value::Namespace(members.clone()),
            Binding::DeviceFunction(function) => Value::Static(Static::Device(*function)),
            Binding::Unsupported { description } => {
                self.report(problems::unsupported_global(name, description, span));
                Value::Unknown
            }
        }
    }

    /// The first variable in an expression that is not an integer, and where it became so.
    pub(super) fn culprit(&self, expression: &syntax::Expression) -> Option<problems::Culprit> {
        let mut found = None;
        assigned::for_each_name(expression, &mut |name, _| {
            let Some(local) = self.locals.get(name) else {
                return;
            };
            if let LocalType::Scalar(dtype) = local.ty
                && !dtype.is_integer()
                && found.is_none()
            {
                found = Some(problems::Culprit {
                    name: name.to_owned(),
                    dtype,
                    since: local.since,
                    is_parameter: local.parameter.is_some(),
                });
            }
        });
        found
    }
}

fn or_unknown(number: Option<Number>) -> Value {
    number.map_or(Value::Unknown, Value::from)
}

/// What a member of a known module is.
pub(super) fn member_value(member: Member) -> Value {
    match member {
        Member::Constant(constant) => Value::Constant(constant),
        Member::DType(dtype) => Value::Static(Static::DType(dtype)),
        Member::Function(function) => Value::Static(Static::Library(function)),
        Member::Module(module) => Value::Static(Static::Module(module)),
    }
}

fn variable(id: VariableId, dtype: DType, span: Span) -> Expression {
    Expression::new(ExpressionKind::Variable(id), dtype, span)
}

/// An expression converted to a dtype.
pub(super) fn cast(expression: Expression, dtype: DType) -> Expression {
    if expression.dtype == dtype {
        return expression;
    }
    let span = expression.span;
    Expression::new(ExpressionKind::Cast(Box::new(expression)), dtype, span)
}

/// Whether a number is true: anything but zero.
pub(super) fn truth(number: Number) -> Number {
    match number {
        Number::Constant(constant) => {
            Number::Constant(syntax::Constant::Bool(constants::truth(constant)))
        }
        Number::Typed(expression) => Number::Typed(cast(expression, DType::Bool)),
    }
}

/// The opposite of a condition.
pub(super) fn negated(condition: Number, span: Span) -> Number {
    match condition {
        Number::Constant(constant) => {
            Number::Constant(syntax::Constant::Bool(!constants::truth(constant)))
        }
        Number::Typed(operand) => {
            let kind = ExpressionKind::Unary {
                operator: UnaryOperator::Not,
                operand: Box::new(operand),
            };
            Number::Typed(Expression::new(kind, DType::Bool, span))
        }
    }
}

fn logical_expression(is_and: bool, left: Expression, right: Number, span: Span) -> Expression {
    let dtype = left.dtype;
    let right = match right {
        Number::Typed(right) => right,
        // Only conditions reach here with a constant, and those are `bool`.
        Number::Constant(constant) => {
            Expression::literal(situ_ir::Literal::Bool(constants::truth(constant)), span)
        }
    };
    let kind = ExpressionKind::Logical {
        is_and,
        left: Box::new(left),
        right: Box::new(right),
    };
    Expression::new(kind, dtype, span)
}

/// Whether a value is the same whenever it is looked at.
fn is_known(value: &Value) -> bool {
    match value {
        Value::Constant(_) | Value::Static(_) => true,
        Value::Scalar(number) => matches!(number.kind, ExpressionKind::Literal(_)),
        Value::Tuple(items) => items.iter().all(is_known),
        _ => false,
    }
}
