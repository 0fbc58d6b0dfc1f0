//! Statements that compute, store and steer.
//!
//! Invariants:
//! * `Let` binds a value of its expression's type (`V030`); `Assign` gives a variable its own dtype
//!   (`V031`); `Store` writes an element's dtype through a pointer at an `int64` index (`V032`);
//! * conditions are `bool` (`V033`);
//! * `Break` and `Continue` stand in loops (`V034`); step blocks contain no `Break`, `Continue` or
//!   `Return`, not even inside blocks nested in them (`V035`);
//! * `Return` has a result exactly if the function has one, of its dtype (`V036`); a function with a
//!   result returns on every path (`V037`);
//! * the rounds of a `Parallel` are counted by `int64`s (`V058`), keep the variables that they assign to themselves
//!   (`V059`), and neither meet nor ask about the work-item (`V065`); see `parallel`;
//! * a `Fence` orders something (`V056`);
//! * `Prefetch` names an element by a pointer and an `int64` index (`V057`).

use super::{Checker, Types, a};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::span::Span;
use crate::statement::{Block, MemoryOrder, Statement, StatementKind};
use crate::types::Type;

/// What surrounds a statement.
#[derive(Clone, Copy)]
struct Surroundings {
    in_loop: bool,
    in_step: bool,
    in_round: bool,
}

impl Checker<'_> {
    pub(super) fn check_statements(&mut self, types: &Types) {
        let outermost = Surroundings {
            in_loop: false,
            in_step: false,
            in_round: false,
        };
        self.check_block(&self.function.body, types, outermost);
        if let Some(result) = self.function.result
            && !self.function.is_kernel()
            && falls_through(&self.function.body)
        {
            let diagnostic = Diagnostic::error(
                "V037",
                format!("`{}` can end without returning its result", self.name()),
            )
            .label(self.function.span, "")
            .why(format!("its result is {}, on every path", a(result)))
            .help("end every branch with a `return`");
            self.push(diagnostic);
        }
    }

    fn check_block(&mut self, block: &Block, types: &Types, around: Surroundings) {
        for statement in &block.statements {
            self.check_statement(statement, types, around);
        }
    }

    fn check_statement(&mut self, statement: &Statement, types: &Types, around: Surroundings) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                let value = &self.function.values[*value];
                self.check_given(types, "V030", "value", &value.name, value.ty, *expression);
            }
            StatementKind::Assign {
                variable,
                expression,
            } => {
                let variable = &self.function.variables[*variable];
                let (name, ty) = (&variable.name, variable.dtype.into());
                self.check_given(types, "V031", "variable", name, ty, *expression);
            }
            StatementKind::Store {
                pointer,
                index,
                value,
            } => self.check_store(span, types.of(*pointer), types.of(*index), types.of(*value)),
            StatementKind::Prefetch { pointer, index } => {
                self.check_prefetch(span, types.of(*pointer), types.of(*index));
            }
            StatementKind::Atomic(atomic) => self.check_atomic(span, atomic, types),
            StatementKind::Call {
                function,
                arguments,
                result,
            } => self.check_call(span, *function, arguments, *result, types),
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                self.check_condition("if", *condition, types);
                self.check_block(accept, types, around);
                self.check_block(reject, types, around);
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => {
                if let Some(condition) = condition {
                    self.check_condition("loop", *condition, types);
                }
                let in_loop = Surroundings {
                    in_loop: true,
                    ..around
                };
                self.check_block(body, types, in_loop);
                let in_step = Surroundings {
                    in_step: true,
                    ..around
                };
                self.check_block(step, types, in_step);
            }
            StatementKind::Parallel(parallel) => {
                self.check_parallel(span, parallel, types);
                let in_round = Surroundings {
                    in_loop: false,
                    in_step: false,
                    in_round: true,
                };
                self.check_block(&parallel.body, types, in_round);
            }
            StatementKind::Return(result) if around.in_round => {
                self.check_end_of_round(span, *result);
            }
            StatementKind::Break => self.check_jump("break", span, around),
            StatementKind::Continue => self.check_jump("continue", span, around),
            StatementKind::Return(result) => {
                if around.in_step {
                    self.push_jump_in_step("return", span);
                }
                self.check_return(span, *result, types);
            }
            StatementKind::Barrier(_) => {}
            StatementKind::Fence { order, .. } => self.check_fence(span, *order),
            StatementKind::Collective(collective) => self.check_collective(span, collective, types),
        }
    }

    /// Checks that what is bound or assigned has the type of what takes it.
    fn check_given(
        &mut self,
        types: &Types,
        code: &'static str,
        kind: &str,
        name: &str,
        ty: Type,
        expression: Handle<Expression>,
    ) {
        let Some(found) = types.of(expression).filter(|found| *found != ty) else {
            return;
        };
        self.push(
            Diagnostic::error(
                code,
                format!("{kind} `{name}` is {} but is given {}", a(ty), a(found)),
            )
            .label(self.function.expressions.span(expression), "")
            .why("nothing is converted silently")
            .help(match (ty, found) {
                (Type::Scalar(_), Type::Scalar(_)) => "cast the expression",
                (Type::Scalar(_), Type::Pointer { .. }) => "load an element through the pointer",
                (Type::Pointer { .. }, _) => "give the value the type of the expression",
            }),
        );
    }

    fn check_store(
        &mut self,
        span: Span,
        pointer: Option<Type>,
        index: Option<Type>,
        value: Option<Type>,
    ) {
        let (Some(pointer), Some(index), Some(value)) = (pointer, index, value) else {
            return;
        };
        let element = pointer.element();
        if element.map(Type::Scalar) == Some(value) && index == Type::INDEX {
            return;
        }
        let diagnostic = Diagnostic::error(
            "V032",
            format!(
                "`{}` cannot store {} through {} at {}",
                self.name(),
                a(value),
                a(pointer),
                a(index)
            ),
        )
        .label(span, "")
        .why("a store needs a pointer, an `i64` index and a value of the element type")
        .help("cast the value or the index first");
        self.push(diagnostic);
    }

    fn check_prefetch(&mut self, span: Span, pointer: Option<Type>, index: Option<Type>) {
        let (Some(pointer), Some(index)) = (pointer, index) else {
            return;
        };
        if pointer.element().is_some() && index == Type::INDEX {
            return;
        }
        let diagnostic = Diagnostic::error(
            "V057",
            format!(
                "`{}` cannot prefetch through {} at {}",
                self.name(),
                a(pointer),
                a(index)
            ),
        )
        .label(span, "")
        .why("what is prefetched is named by a pointer and an `i64` index")
        .help("cast the index first");
        self.push(diagnostic);
    }

    fn check_condition(&mut self, what: &str, condition: Handle<Expression>, types: &Types) {
        let Some(found) = types.of(condition).filter(|ty| *ty != Type::BOOL) else {
            return;
        };
        let diagnostic = Diagnostic::error(
            "V033",
            format!(
                "the condition of `{what}` in `{}` is {}",
                self.name(),
                a(found)
            ),
        )
        .label(self.function.expressions.span(condition), "")
        .why("conditions are of type `bool`")
        .help("compare it with zero, or cast it to `bool`");
        self.push(diagnostic);
    }

    fn check_jump(&mut self, what: &str, span: Span, around: Surroundings) {
        if around.in_step {
            self.push_jump_in_step(what, span);
        } else if !around.in_loop {
            let diagnostic = Diagnostic::error(
                "V034",
                format!("`{what}` in `{}` is not inside a loop", self.name()),
            )
            .label(span, "")
            .why("it would have no loop to leave or to go on with")
            .help("use `return` to end the function");
            self.push(diagnostic);
        }
    }

    fn push_jump_in_step(&mut self, what: &str, span: Span) {
        let diagnostic = Diagnostic::error(
            "V035",
            format!(
                "`{what}` in `{}` is in the step block of a loop",
                self.name()
            ),
        )
        .label(span, "")
        .why("the step runs between two rounds and always to its end")
        .help("move it to the body of the loop");
        self.push(diagnostic);
    }

    fn check_return(&mut self, span: Span, result: Option<Handle<Expression>>, types: &Types) {
        if self.function.is_kernel() && self.function.result.is_some() {
            return; // V014 has said it.
        }
        let found = match result.map(|result| types.of(result)) {
            Some(None) => return,
            Some(found) => found,
            None => None,
        };
        let expected = self.function.result.map(Type::Scalar);
        if found == expected {
            return;
        }
        let name = self.name();
        let message = match (expected, found) {
            (Some(expected), Some(found)) => {
                format!(
                    "`{name}` returns {} where its result is {}",
                    a(found),
                    a(expected)
                )
            }
            (Some(expected), None) => {
                format!(
                    "`{name}` returns nothing where its result is {}",
                    a(expected)
                )
            }
            (None, _) => format!("`{name}` has no result but returns something"),
        };
        let help = match (expected, self.function.is_kernel()) {
            (Some(_), _) => "return an expression of the result's type",
            (None, true) => "pass a pointer and store the result there",
            (None, false) => "give the function a result, or return nothing",
        };
        self.push(
            Diagnostic::error("V036", message)
                .label(span, "")
                .help(help),
        );
    }

    fn check_fence(&mut self, span: Span, order: MemoryOrder) {
        if order == MemoryOrder::Relaxed {
            let diagnostic = Diagnostic::error(
                "V056",
                format!("a fence in `{}` has the order `relaxed`", self.name()),
            )
            .label(span, "")
            .why("a relaxed fence orders nothing")
            .help("leave it out, or use `acquire`, `release`, `acq_rel` or `seq_cst`");
            self.push(diagnostic);
        }
    }
}

/// Whether the statement after a block can be reached from its end.
///
/// Conditions are not looked at: a loop with a condition can always end.
fn falls_through(block: &Block) -> bool {
    block
        .statements
        .iter()
        .all(|statement| match &statement.kind {
            StatementKind::If { accept, reject, .. } => {
                falls_through(accept) || falls_through(reject)
            }
            StatementKind::Loop {
                condition, body, ..
            } => condition.is_some() || breaks_loop(body),
            StatementKind::Break | StatementKind::Continue | StatementKind::Return(_) => false,
            _ => true,
        })
}

/// Whether a block contains a `Break` of the loop whose body it belongs to.
fn breaks_loop(block: &Block) -> bool {
    block
        .statements
        .iter()
        .any(|statement| match &statement.kind {
            StatementKind::Break => true,
            StatementKind::If { accept, reject, .. } => breaks_loop(accept) || breaks_loop(reject),
            _ => false,
        })
}
