//! Collectives of complex numbers: one collective for each part.
//!
//! That is right for sums, scans of sums and broadcasts; validation admits no others.

use super::statements::{FunctionLowering, Parts};
use crate::arena::Handle;
use crate::expression::Expression;
use crate::module::Value;
use crate::span::Span;
use crate::statement::{Collective, CollectiveOperation, StatementKind};

impl FunctionLowering<'_> {
    pub(super) fn collective(&mut self, collective: &Collective, span: Span) {
        let (operation, operand) = match collective.operation {
            CollectiveOperation::Broadcast(position) => {
                let [operand, position] = self.evaluate_all(&[collective.operand, position]);
                (CollectiveOperation::Broadcast(position.one()), operand)
            }
            operation => {
                let [operand] = self.evaluate_all(&[collective.operand]);
                (operation, operand)
            }
        };
        let part = |operation, operand: Handle<Expression>, result: Handle<Value>| {
            StatementKind::Collective(Collective {
                operation,
                operand,
                result,
                scope: collective.scope,
            })
        };
        self.f.at(span);
        match self.values[collective.result.index()] {
            Parts::One(result) => self.f.statement(part(operation, operand.one(), result)),
            Parts::Pair(to_real, to_imaginary) => {
                // Everything is read before either part is combined.
                let operation = match operation {
                    CollectiveOperation::Broadcast(position) => {
                        CollectiveOperation::Broadcast(self.share(position))
                    }
                    other => other,
                };
                let (real, imaginary) = self.share_term(operand).pair();
                self.f.statement(part(operation, real, to_real));
                self.f.statement(part(operation, imaginary, to_imaginary));
            }
        }
    }
}
