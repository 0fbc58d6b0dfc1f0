//! Calls of device functions.
//!
//! Invariants:
//! * the callee comes before the caller in the module, or is the caller itself (`V040`);
//! * the callee is a device function (`V041`);
//! * there is one argument for each parameter (`V042`), of the parameter's type (`V043`);
//! * a result is bound exactly if the callee has one, to a value of its dtype (`V044`).

use super::{Checker, Types, a, count};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::module::{Function, Value};
use crate::span::Span;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_call(
        &mut self,
        span: Span,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Value>>,
        types: &Types,
    ) {
        let callee = &self.module.functions[function];
        let (caller, name) = (self.name(), &callee.name);
        if function > self.handle {
            let diagnostic = Diagnostic::error(
                "V040",
                format!("`{caller}` calls `{name}`, which does not come before it"),
            )
            .label(span, "")
            .label(callee.span, "the function is here")
            .why("functions call only themselves and earlier ones")
            .help("move the function up, or turn the recursion into a loop");
            self.push(diagnostic);
        }
        if callee.is_kernel() {
            let diagnostic =
                Diagnostic::error("V041", format!("`{caller}` calls the kernel `{name}`"))
                    .label(span, "")
                    .label(callee.span, "the kernel is here")
                    .why("kernels are launched over a range; only device functions are called")
                    .help("move what both need to a device function");
            self.push(diagnostic);
            return;
        }
        self.check_arguments(span, callee, arguments, types);
        self.check_call_result(span, callee, result);
    }

    fn check_arguments(
        &mut self,
        span: Span,
        callee: &Function,
        arguments: &[Handle<Expression>],
        types: &Types,
    ) {
        let name = &callee.name;
        if arguments.len() != callee.parameters.len() {
            let parameters: Vec<_> = callee
                .parameters
                .iter()
                .map(|parameter| format!("`{}: {}`", parameter.name, parameter.ty))
                .collect();
            let takes = match parameters.len() {
                0 => "nothing".to_owned(),
                _ => parameters.join(", "),
            };
            let diagnostic = Diagnostic::error(
                "V042",
                format!(
                    "`{name}` takes {} but `{}` passes {}",
                    count(callee.parameters.len(), "argument"),
                    self.name(),
                    arguments.len()
                ),
            )
            .label(span, "")
            .why(format!("it takes {takes}"))
            .help("pass one argument for each parameter");
            self.push(diagnostic);
            return;
        }
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            let Some(found) = types.of(*argument).filter(|ty| *ty != parameter.ty) else {
                continue;
            };
            let help = match (found, parameter.ty) {
                (Type::Scalar(_), Type::Scalar(_)) => "cast the argument",
                _ => "pass a pointer to that element type in that address space",
            };
            let diagnostic = Diagnostic::error(
                "V043",
                format!(
                    "parameter `{}` of `{name}` is {} but `{}` passes {}",
                    parameter.name,
                    a(parameter.ty),
                    self.name(),
                    a(found)
                ),
            )
            .label(self.function.expressions.span(*argument), "")
            .help(help);
            self.push(diagnostic);
        }
    }

    fn check_call_result(&mut self, span: Span, callee: &Function, result: Option<Handle<Value>>) {
        let bound = result.map(|value| self.function.values[value].ty);
        let given = callee.result.map(Type::Scalar);
        if bound == given {
            return;
        }
        let (caller, name) = (self.name(), &callee.name);
        let message = match (given, bound) {
            (Some(given), Some(bound)) => {
                format!(
                    "`{caller}` binds the `{given}` that `{name}` returns as {}",
                    a(bound)
                )
            }
            (Some(given), None) => {
                format!("`{caller}` does not bind the `{given}` that `{name}` returns")
            }
            (None, _) => format!("`{caller}` binds a result of `{name}`, which returns nothing"),
        };
        self.push(
            Diagnostic::error("V044", message)
                .label(span, "")
                .help("bind a value of the callee's result type, and none if it has no result"),
        );
    }
}
