//! Calls: which function is meant, whether the arguments are as many as it takes, and calls of device
//! functions. What library functions compute is in `functions.rs` and `work_items.rs`.

use situ_ir::{DType, Span};

use crate::infer::attributes::conjugate;
use crate::infer::library::LibraryFunction;
use crate::infer::program::Specialised;
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, ParameterType, problems};
use crate::plan::Layout;
use crate::syntax::{self, Identifier};
use crate::typed::{Argument, ArrayOrigin, Call, Expression, ExpressionKind, StatementKind};

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
            Callee::Method(number) => {
                if !self.check_count(written, 0, 0) {
                    return Value::Unknown;
                }
                conjugate(number, span).into()
            }
            Callee::Value(Value::Static(Static::Library(function))) => {
                self.library_call(function, written)
            }
            Callee::Value(Value::Static(Static::DType(dtype))) => self.conversion(dtype, written),
            Callee::Value(Value::Static(Static::Device(function))) => {
                match self.device_call(function, written) {
                    Some((call, Some(dtype))) => {
                        let kind = ExpressionKind::Call(call);
                        Value::Scalar(Expression::new(kind, dtype, span))
                    }
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
            Callee::Value(Value::Static(Static::Library(LibraryFunction::Barrier))) => {
                self.barrier(written)
            }
            Callee::Value(Value::Static(Static::Library(LibraryFunction::Atomic(operation)))) => {
                let atomic = self.atomic(operation, written)?;
                Some(StatementKind::Atomic(Box::new(atomic)))
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
            Value::Scalar(number) if is_conjugate => Callee::Method(Number::Typed(number)),
            Value::Constant(number) if is_conjugate => Callee::Method(Number::Constant(number)),
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

    /// A call of a device function and the dtype of its result.
    fn device_call(&mut self, function: usize, call: Written<'_>) -> Option<(Call, Option<DType>)> {
        let arguments: Vec<_> = call
            .arguments
            .iter()
            .map(|argument| self.device_argument(argument))
            .collect();
        let arguments: Option<Vec<_>> = arguments.into_iter().collect();
        let syntax = match self.program.syntax(function) {
            Ok(syntax) => syntax,
            Err(diagnostics) => {
                self.callee_failed(vec![diagnostics]);
                return None;
            }
        };
        if let Some((keyword, _)) = call.keywords.first() {
            self.report(problems::keyword_argument(call.name, keyword));
            return None;
        }
        if call.arguments.len() != syntax.parameters.len() {
            let names: Vec<_> = syntax
                .parameters
                .iter()
                .map(|each| each.name.as_str())
                .collect();
            let found = call.arguments.len();
            let problem = problems::device_argument_count(call.name, &names, found, call.span);
            self.report(problem);
            return None;
        }
        let (types, arguments): (Vec<_>, Vec<_>) = arguments?.into_iter().unzip();
        match self.program.specialise(function, &syntax, &types) {
            Specialised::Function(id) => {
                let specialised = &self.program.functions[id.0];
                let (dims, result) = (specialised.dims, specialised.result);
                self.dims = self.dims.max(dims);
                let call = Call {
                    function: id,
                    arguments,
                };
                Some((call, result))
            }
            Specialised::Refused(reports) => {
                self.callee_failed(reports);
                None
            }
            Specialised::Recursive => {
                self.report(problems::recursion(call.name, call.span));
                None
            }
        }
    }

    fn callee_failed(&mut self, reports: Vec<situ_ir::Diagnostics>) {
        for report in reports {
            if !self.failure.callees.contains(&report) {
                self.failure.callees.push(report);
            }
        }
    }

    fn device_argument(
        &mut self,
        argument: &syntax::Expression,
    ) -> Option<(ParameterType, Argument)> {
        match self.value(argument) {
            Value::Static(Static::Array(id)) => {
                let array = self.array(id);
                let layout = match array.origin {
                    ArrayOrigin::Parameter { layout } => layout,
                    ArrayOrigin::Declared { .. } => Layout::Contiguous,
                };
                let ty = ParameterType::Array {
                    dtype: array.dtype,
                    ndim: array.ndim,
                    layout,
                    space: array.space,
                };
                Some((ty, Argument::Array(id)))
            }
            value => {
                let number = self.as_number(value, argument.span)?;
                let scalar = self.with_dtype(number, argument.span)?;
                Some((
                    ParameterType::Scalar(scalar.dtype),
                    Argument::Scalar(scalar),
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
