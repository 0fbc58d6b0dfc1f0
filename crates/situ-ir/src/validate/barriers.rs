//! Where work-items meet.
//!
//! Invariants:
//! * device functions contain neither barriers nor collectives (`V064`);
//! * the position of a `Broadcast` is the same for all work-items of the group (`V063`);
//! * a barrier or collective is reached by every work-item of the group or by none, in every round of
//!   the loops around it (`V070`).
//!
//! The last is proven by the uniformity analysis, which is conservative: it may refuse a program in
//! which all work-items happen to take the same way.

use super::Checker;
use super::uniformity::{Cause, DivergentMeeting, Reason, Uniformity};
use crate::diagnostic::Diagnostic;
use crate::statement::{CollectiveOperation, StatementKind};

impl Checker<'_> {
    pub(super) fn check_barriers(&mut self, uniformity: &Uniformity) {
        let mut found = Vec::new();
        self.function.body.for_each_statement(&mut |statement| {
            let is_kernel = self.function.is_kernel();
            if statement.kind.is_meeting() && !is_kernel {
                found.push(self.in_device_function(statement.span));
            }
            if let StatementKind::Collective(collective) = &statement.kind
                && let CollectiveOperation::Broadcast(position) = collective.operation
                && let Some(reason) = uniformity.reason(position)
                && is_kernel
            {
                found.push(
                    Diagnostic::error(
                        "V063",
                        format!(
                            "the position of a broadcast in `{}` varies within the group",
                            self.name()
                        ),
                    )
                    .label(
                        self.function.expressions.span(position),
                        "this can differ between the work-items of a group",
                    )
                    .why(self.explain(uniformity, reason))
                    .help("broadcast from a position that is the same for all"),
                );
            }
        });
        if self.function.is_kernel() {
            for meeting in &uniformity.divergent_meetings {
                found.push(self.divergent(uniformity, meeting));
            }
        }
        self.diagnostics.extend(found);
    }

    fn in_device_function(&self, span: crate::span::Span) -> Diagnostic {
        Diagnostic::error(
            "V064",
            format!(
                "device function `{}` contains a barrier or collective",
                self.name()
            ),
        )
        .label(span, "")
        .why("whether the whole group gets here depends on every caller")
        .help("put the barrier or collective in the kernel, between calls")
    }

    fn divergent(&self, uniformity: &Uniformity, meeting: &DivergentMeeting) -> Diagnostic {
        let DivergentMeeting { what, span, cause } = meeting;
        let Cause {
            condition,
            reason,
            jump,
        } = *cause;
        let mut diagnostic = Diagnostic::error(
            "V070",
            format!(
                "{what} in `{}` may not be reached by every work-item of the group",
                self.name()
            ),
        )
        .label(*span, "all work-items of the group must get here, or none")
        .label(
            self.function.expressions.span(condition),
            "this condition can differ between the work-items of a group",
        );
        if let Some((jump, span)) = jump {
            diagnostic = diagnostic.label(span, format!("some leave by this `{jump}`"));
        }
        // A variable that varies because of where it is assigned: say which condition decides that.
        if let (Reason::Divergent(decides), Some(name)) = uniformity.root(self.function, reason) {
            diagnostic = diagnostic.label(
                self.function.expressions.span(decides),
                format!("this decides which work-items assign `{name}`"),
            );
        }
        diagnostic.why(self.explain(uniformity, reason)).help(
            "move it out of the branch or loop, or make the condition the same for the whole \
             group, for example with a group reduction",
        )
    }

    /// Why something varies, as a sentence.
    fn explain(&self, uniformity: &Uniformity, reason: Reason) -> String {
        let (root, name) = uniformity.root(self.function, reason);
        let source = match root {
            Reason::Query(query) => match query.dimension() {
                Some(dimension) => format!("`{}({dimension})`", query.name()),
                None => format!("`{}()`", query.name()),
            },
            Reason::PrivateArray(array) => {
                format!("the private array `{}`", self.function.arrays[array].name)
            }
            Reason::Parameter(position) => format!(
                "the parameter `{}` of a device function",
                self.function.parameters[position as usize].name
            ),
            Reason::Atomic => "the old content that an atomic gives".to_owned(),
            Reason::Collective => "a scan or sub-group collective".to_owned(),
            Reason::Call(callee) => {
                format!("the call of `{}`", self.module.functions[callee].name)
            }
            Reason::Divergent(_) | Reason::Value(_) | Reason::Variable(_) => {
                let name = name.unwrap_or_default();
                return format!("`{name}` is assigned where only some work-items get to");
            }
        };
        match name {
            Some(name) => {
                format!("`{name}` comes from {source}, which can differ between work-items")
            }
            None => format!("{source} can differ between work-items"),
        }
    }
}
