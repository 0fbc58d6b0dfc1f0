//! Calls: which function is meant, whether the arguments are as many as it takes, and calls of device
//! functions. What library functions compute is in `functions.rs` and `work_items.rs`.

use situ_ir::{AtomicOperation, DType, Literal, Span};

use crate::host::DEPTH;
use crate::infer::atomics::{AtomicCall, atomic_operation};
use crate::infer::attributes::conjugate;
use crate::infer::elements::{ArrayFunction, array_method, has_arrays};
use crate::infer::library::LibraryFunction;
use crate::infer::program::{DefaultArgument, Specialised};
use crate::infer::value::{LocalType, Number, Object, ObjectKind, Static, Value};
use crate::infer::{Inference, ParameterType, problems};
use crate::plan::Layout;
use crate::syntax::{self, Identifier};
use crate::typed::{
    Argument, ArrayOrigin, Call, Expression, ExpressionKind, FunctionId, StatementKind,
};

/// How many bodies of functions in which work-items meet a function may have: far more than people write, and few
/// enough to compile in seconds. Functions that call each other twice double them at each level.
const MAX_INLINED_BODIES: usize = 1000;

/// The arguments of a call as written.
#[derive(Clone, Copy)]
pub(super) struct Written<'s> {
    /// The function's name as written, for messages.
    pub(super) name: &'s str,
    pub(super) arguments: &'s [syntax::Expression],
    pub(super) keywords: &'s [(Identifier, syntax::Expression)],
    pub(super) span: Span,
}

impl Inference<'_, '_, '_> {
    /// A call whose result is used.
    pub(super) fn call(
        &mut self,
        function: &syntax::Expression,
        arguments: &[syntax::Expression],
        keywords: &[(Identifier, syntax::Expression)],
        span: Span,
    ) -> Value {
        let name = dotted_name(function);
        let written = Written {
            name: &name,
            arguments,
            keywords,
            span,
        };
        match self.callee(function) {
            Callee::View(number) => self.bits_as(number, written),
            Callee::Method(number) => {
                if !self.check_count(written, 0, 0) {
                    return Value::Unknown;
                }
                conjugate(number, span).into()
            }
            Callee::Array(owner, function) => self.array_call(function, Some(owner), written),
            Callee::Atomic(object, operation) => {
                self.atomic_method_value(&object, operation, written)
            }
            Callee::Value(Value::Static(Static::Library(function))) => {
                self.library_call(function, written)
            }
            Callee::Value(Value::Static(Static::DType(dtype))) => self.conversion(dtype, written),
            Callee::Value(Value::Static(Static::Device(function))) => {
                match self.device_call(function, written) {
                    Some((call, Some(LocalType::Scalar(dtype)))) => {
                        let kind = ExpressionKind::Call(call);
                        Value::Scalar(Expression::new(kind, dtype, span))
                    }
                    Some((call, Some(result))) if has_arrays(&result) && !self.is_kernel() => {
                        self.returned_arrays(call, &result, span)
                    }
                    Some((call, Some(result))) => Value::Call { call, result },
                    Some((_, None)) => Value::Nothing,
                    None => Value::Unknown,
                }
            }
            Callee::Value(Value::Unknown) => {
                // Arguments may have mistakes of their own to show.
                for argument in arguments {
                    self.value(argument);
                }
                Value::Unknown
            }
            Callee::Value(other) => {
                self.report(problems::not_callable(
                    &name,
                    &other.describe(),
                    function.span,
                ));
                Value::Unknown
            }
        }
    }

    /// A call for its effect.
    pub(super) fn call_statement(
        &mut self,
        function: &syntax::Expression,
        arguments: &[syntax::Expression],
        keywords: &[(Identifier, syntax::Expression)],
        span: Span,
    ) -> Option<StatementKind> {
        let name = dotted_name(function);
        let written = Written {
            name: &name,
            arguments,
            keywords,
            span,
        };
        // Looking the callee up twice would report a mistake in it twice.
        let reported = self.failure.own.len();
        let callee = self.callee(function);
        match callee {
            Callee::Value(Value::Static(Static::Library(
                function @ (LibraryFunction::Barrier
                | LibraryFunction::GroupBarrier
                | LibraryFunction::AtomicFence
                | LibraryFunction::MemoryFence),
            ))) => self.synchronise(function, written),
            Callee::Atomic(object, operation) => {
                let atomic = self.atomic_method(&object, operation, written)?;
                match atomic {
                    AtomicCall::Access(atomic) => Some(StatementKind::Atomic(Box::new(atomic))),
                    AtomicCall::Compare(exchange) => {
                        let kind = ExpressionKind::CompareExchange(Box::new(exchange));
                        let value = Expression::new(kind, DType::Bool, span);
                        Some(StatementKind::Evaluate(value))
                    }
                }
            }
            Callee::Value(Value::Static(Static::Library(LibraryFunction::Atomic(operation)))) => {
                let atomic = self.atomic(operation, written)?;
                Some(StatementKind::Atomic(Box::new(atomic)))
            }
            Callee::Value(Value::Static(Static::Library(LibraryFunction::Parallel))) => {
                self.parallel(written)
            }
            Callee::Value(Value::Static(Static::Device(function))) => {
                let (call, _) = self.device_call(function, written)?;
                Some(StatementKind::Call(call))
            }
            _ => {
                self.failure.own.truncate(reported);
                match self.call(function, arguments, keywords, span) {
                    Value::Scalar(value) => Some(StatementKind::Evaluate(value)),
                    _ => None,
                }
            }
        }
    }

    fn callee(&mut self, function: &syntax::Expression) -> Callee {
        let syntax::ExpressionKind::Attribute { value, attribute } = &function.kind else {
            return Callee::Value(self.value(function));
        };
        let owner = self.value(value);
        let is_conjugate = matches!(attribute.name.as_str(), "conjugate" | "conj");
        match owner {
            owner
                if self.writes_out_arrays()
                    && self.is_array(&owner)
                    && let Some(method) = array_method(&attribute.name) =>
            {
                Callee::Array(owner, method)
            }
            Value::Scalar(number) if attribute.name == "view" => Callee::View(number),
            Value::Scalar(number) if is_conjugate => Callee::Method(Number::Typed(number)),
            Value::Constant(number) if is_conjugate => Callee::Method(Number::Constant(number)),
            Value::Object(
                object @ Object {
                    kind: ObjectKind::AtomicRef { .. },
                    ..
                },
            ) => {
                if let Some(operation) = atomic_operation(&attribute.name) {
                    return Callee::Atomic(object, operation);
                }
                let owner = Value::Object(object);
                Callee::Value(self.attribute(owner, attribute, function.span))
            }
            owner => Callee::Value(self.attribute(owner, attribute, function.span)),
        }
    }

    /// Whether a call has a number of positional arguments that is allowed, and no others.
    pub(super) fn check_count(&mut self, call: Written<'_>, least: usize, most: usize) -> bool {
        if let Some((keyword, _)) = call.keywords.first() {
            self.report(problems::keyword_argument(call.name, keyword));
            return false;
        }
        let found = call.arguments.len();
        if (least..=most).contains(&found) {
            return true;
        }
        let expected = match (least, most) {
            (least, usize::MAX) => format!("{least} or more"),
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        self.report(problems::argument_count(
            call.name, &expected, found, call.span,
        ));
        false
    }

    /// The expressions given for parameters, by position or by name; the first `required` are there.
    pub(super) fn bound_list<'s>(
        &mut self,
        call: Written<'s>,
        names: &[&str],
        required: usize,
    ) -> Option<Vec<Option<&'s syntax::Expression>>> {
        let mut given: Vec<_> = (0..names.len())
            .map(|position| call.arguments.get(position))
            .collect();
        for (keyword, value) in call.keywords {
            let position = names.iter().position(|name| *name == keyword.name);
            if let Some(place @ None) = position.map(|position| &mut given[position]) {
                *place = Some(value);
            } else {
                self.report(problems::unknown_keyword(call.name, keyword, names));
                return None;
            }
        }
        let is_complete = given[..required].iter().all(Option::is_some);
        if is_complete && call.arguments.len() <= names.len() {
            return Some(given);
        }
        let expected = if required == names.len() {
            required.to_string()
        } else {
            format!("{required} to {}", names.len())
        };
        let found = call.arguments.len() + call.keywords.len();
        let problem = problems::argument_count(call.name, &expected, found, call.span);
        self.report(problem);
        None
    }

    /// [`Self::bound_list`] for a number of parameters that is known.
    pub(super) fn bound_arguments<'s, const N: usize>(
        &mut self,
        call: Written<'s>,
        names: [&str; N],
        required: usize,
    ) -> Option<[Option<&'s syntax::Expression>; N]> {
        let given = self.bound_list(call, &names, required)?;
        given.try_into().ok()
    }

    /// The arguments as numbers; `None` if their count is wrong or one of them is not a number.
    pub(super) fn numbers(
        &mut self,
        call: Written<'_>,
        least: usize,
        most: usize,
    ) -> Option<Vec<Number>> {
        let count_is_right = self.check_count(call, least, most);
        let numbers: Vec<_> = call
            .arguments
            .iter()
            .map(|argument| self.number(argument))
            .collect();
        let numbers: Option<Vec<_>> = numbers.into_iter().collect();
        numbers.filter(|_| count_is_right)
    }

    /// The same of arguments that are evaluated already.
    pub(super) fn numbers_of_values(
        &mut self,
        values: Vec<Value>,
        call: Written<'_>,
        least: usize,
        most: usize,
    ) -> Option<Vec<Number>> {
        let count_is_right = self.check_count(call, least, most);
        let spans = call.arguments.iter().map(|argument| argument.span);
        let numbers: Vec<_> = values
            .into_iter()
            .zip(spans)
            .map(|(value, span)| self.as_number(value, span))
            .collect();
        let numbers: Option<Vec<_>> = numbers.into_iter().collect();
        numbers.filter(|_| count_is_right)
    }

    /// `number.view(dtype)`: its bits as a number of another dtype of the same width.
    fn bits_as(&mut self, number: Expression, call: Written<'_>) -> Value {
        if !self.check_count(call, 1, 1) {
            return Value::Unknown;
        }
        let Some(dtype) = self.array_dtype(&call.arguments[0]) else {
            return Value::Unknown;
        };
        let is_plain = |dtype: DType| dtype.is_integer() || dtype.is_float();
        let fits = number.dtype.size_bytes() == dtype.size_bytes();
        if !fits || !is_plain(number.dtype) || !is_plain(dtype) {
            self.report(problems::view_dtype(number.dtype, dtype, call.span));
            return Value::Unknown;
        }
        if number.dtype == dtype {
            return Value::Scalar(number);
        }
        let kind = ExpressionKind::Bitcast(Box::new(number));
        Value::Scalar(Expression::new(kind, dtype, call.span))
    }

    /// `dtype(number)`.
    fn conversion(&mut self, dtype: DType, call: Written<'_>) -> Value {
        let Some(numbers) = self.numbers(call, 1, 1) else {
            return Value::Unknown;
        };
        let converted = numbers
            .into_iter()
            .next()
            .and_then(|number| self.stored(number, dtype, call.span));
        converted.map_or(Value::Unknown, Value::Scalar)
    }

    /// A call of a device function and the type of its result.
    fn device_call(
        &mut self,
        function: usize,
        call: Written<'_>,
    ) -> Option<(Call, Option<LocalType>)> {
        let syntax = match self.program.syntax(function) {
            Ok(syntax) => syntax,
            Err(diagnostics) => {
                self.callee_failed(vec![diagnostics]);
                for argument in call.arguments {
                    self.value(argument);
                }
                return None;
            }
        };
        let written = self.program.written_parameters(function, &syntax);
        let (own, captured) = syntax.parameters.split_at(written);
        let defaults = self.program.default_count(function);
        let given = self.device_arguments(call, own, defaults)?;
        let required = own.len() - defaults;
        let mut arguments = Vec::new();
        for (position, argument) in given.into_iter().enumerate() {
            let (value, span) = if let Some(argument) = argument {
                (self.value(argument), argument.span)
            } else {
                let name = &own[position].name;
                let value = self.default_argument(function, position - required, name, call.span);
                (value, call.span)
            };
            arguments.push(self.passed(value, span));
        }
        for name in captured {
            if name.name == DEPTH && !self.locals.contains_key(DEPTH) {
                let start = Expression::literal(Literal::I64(0), call.span);
                arguments.push(self.passed(Value::Scalar(start), call.span));
                continue;
            }
            let is_here =
                self.locals.contains_key(&name.name) || self.assigned.contains(name.name.as_str());
            if !is_here {
                self.report(problems::captured_elsewhere(
                    call.name, &name.name, call.span,
                ));
                return None;
            }
            let value = self.name(&name.name, call.span);
            arguments.push(self.passed(value, call.span));
        }
        let mut arguments: Option<Vec<_>> = arguments.into_iter().collect();
        let mut syntax = syntax;
        if let Some(arguments) = &mut arguments
            && self.passes_memory(function)
        {
            arguments.extend(self.memory_arguments(arguments, call.span)?);
            syntax = self.program.with_memory(function, &syntax);
        }
        let (types, arguments): (Vec<_>, Vec<Vec<_>>) = arguments?.into_iter().unzip();
        let mut arguments: Vec<_> = arguments.into_iter().flatten().collect();
        match self.program.specialise(function, &syntax, &types) {
            Specialised::Function(id) => {
                let specialised = &self.program.functions[id.0];
                let dims = specialised.dims;
                if specialised.is_inlined {
                    let bodies = 1 + specialised.inlined_bodies;
                    self.meeting.get_or_insert(call.span);
                    self.count_bodies(bodies, call)?;
                }
                let specialised = &self.program.functions[id.0];
                if specialised.report.is_some() {
                    arguments.push(Argument::Array(self.message_array()));
                }
                self.dims = self.dims.max(dims);
                let call = Call {
                    function: id,
                    arguments,
                };
                let result = self.program.results[id.0].clone();
                let result = result.map(|result| self.mapped_result(result, id));
                Some((call, result))
            }
            Specialised::Refused(reports) => {
                self.callee_failed(reports);
                None
            }
            Specialised::Itself => {
                arguments.push(Argument::Array(self.message_array()));
                let call = Call {
                    function: FunctionId::ITSELF,
                    arguments,
                };
                // What it returns is known after the first `return` without a call of itself.
                Some((call, self.result.clone()))
            }
            Specialised::Recursive => {
                self.report(problems::recursion(call.name, call.span));
                None
            }
        }
    }

    /// What is passed for a parameter, one of those that have defaults, if no argument is given.
    fn default_argument(&mut self, function: usize, place: usize, name: &str, span: Span) -> Value {
        match self.program.default(function, place) {
            DefaultArgument::Evaluated(value) => value,
            DefaultArgument::Outside(binding) => self.binding(binding, name, span),
        }
    }

    /// Counts bodies that take the place of a call, and reports the call that makes them too many.
    fn count_bodies(&mut self, bodies: usize, call: Written<'_>) -> Option<()> {
        let before = self.inlined_bodies;
        self.inlined_bodies = before.saturating_add(bodies);
        if self.inlined_bodies <= MAX_INLINED_BODIES {
            return Some(());
        }
        // Calls after the first one too many have the same reason.
        if before <= MAX_INLINED_BODIES {
            let (name, most) = (call.name, MAX_INLINED_BODIES);
            self.report(problems::too_many_bodies(name, most, call.span));
        }
        None
    }

    /// The expressions given for the parameters of a device function, by position or by name; the
    /// last parameters have defaults.
    fn device_arguments<'s>(
        &mut self,
        call: Written<'s>,
        parameters: &[Identifier],
        defaults: usize,
    ) -> Option<Vec<Option<&'s syntax::Expression>>> {
        let names: Vec<_> = parameters.iter().map(|each| each.name.as_str()).collect();
        let required = names.len() - defaults;
        let found = call.arguments.len() + call.keywords.len();
        if !(required..=names.len()).contains(&found) {
            let problem = problems::device_argument_count(call.name, &names, found, call.span);
            self.report(problem);
            return None;
        }
        self.bound_list(call, &names, required)
    }

    fn callee_failed(&mut self, reports: Vec<situ_ir::Diagnostics>) {
        for report in reports {
            if !self.failure.callees.contains(&report) {
                self.failure.callees.push(report);
            }
        }
    }

    /// The type of an argument, and what is passed for each part of it.
    fn passed(&mut self, value: Value, span: Span) -> Option<(ParameterType, Vec<Argument>)> {
        match value {
            Value::Static(Static::Array(id)) => {
                let array = self.array(id);
                let layout = match array.origin {
                    ArrayOrigin::Parameter { layout } => layout,
                    ArrayOrigin::Declared { .. } | ArrayOrigin::Flat { .. } => Layout::Contiguous,
                };
                let ty = ParameterType::Array {
                    dtype: array.dtype,
                    ndim: array.ndim,
                    layout,
                    space: array.space,
                };
                Some((ty, vec![Argument::Array(id)]))
            }
            Value::Object(Object {
                kind:
                    ObjectKind::View {
                        array,
                        ndim,
                        is_contiguous,
                        is_owned,
                    },
                parts,
            }) => {
                let whole = self.array(array);
                let ty = ParameterType::Array {
                    dtype: whole.dtype,
                    ndim,
                    layout: if is_contiguous {
                        Layout::Contiguous
                    } else {
                        Layout::Strided
                    },
                    space: whole.space,
                };
                let kind = ObjectKind::View {
                    array,
                    ndim,
                    is_contiguous,
                    is_owned,
                };
                let view = self.passed_view(&Object { kind, parts })?;
                Some((ty, vec![Argument::View(view)]))
            }
            Value::Elements(elements) => {
                let kept = self.in_memory(*elements, span)?;
                self.passed(kept, span)
            }
            Value::Call { .. } => {
                self.report(problems::tuple_passed(span));
                None
            }
            Value::Static(known) => Some((ParameterType::Static(known), vec![Argument::Nothing])),
            Value::Constant(constant) => {
                Some((ParameterType::Constant(constant), vec![Argument::Nothing]))
            }
            Value::Tuple(items) => {
                let items: Vec<_> = items
                    .into_iter()
                    .map(|item| self.passed(item, span))
                    .collect();
                let items: Option<Vec<_>> = items.into_iter().collect();
                let (types, parts): (Vec<_>, Vec<Vec<_>>) = items?.into_iter().unzip();
                Some((
                    ParameterType::Tuple(types),
                    parts.into_iter().flatten().collect(),
                ))
            }
            value => {
                let number = self.as_number(value, span)?;
                let scalar = self.with_dtype(number, span)?;
                Some((
                    ParameterType::Scalar(scalar.dtype),
                    vec![Argument::Scalar(scalar)],
                ))
            }
        }
    }
}

/// What is called.
enum Callee {
    Value(Value),
    /// `number.conjugate`.
    Method(Number),
    /// `number.view`.
    View(Expression),
    /// A method of an array.
    Array(Value, ArrayFunction),
    /// A method of an `AtomicRef`.
    Atomic(Object, AtomicOperation),
}

/// The function as it is written, for messages: `math.sin`.
fn dotted_name(function: &syntax::Expression) -> String {
    match &function.kind {
        syntax::ExpressionKind::Name(name) => name.clone(),
        syntax::ExpressionKind::Attribute { value, attribute } => {
            format!("{}.{}", dotted_name(value), attribute.name)
        }
        _ => "this".to_owned(),
    }
}
