//! Types of collectives.
//!
//! Invariants:
//! * contributions are scalars that the operation can combine: `bool` for `Any` and `All`, integers for
//!   bitwise reductions, any number but `bool` for sums, integers and floats for products, minima and
//!   maxima, anything for `Broadcast` (`V060`);
//! * the result is a value of the contribution's dtype (`V061`);
//! * the position of a `Broadcast` is an `int64` (`V062`).
//!
//! That they are reached by the whole group, and that a position is the same for all, is checked with
//! the barriers.

use super::{Checker, Types, a};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::span::Span;
use crate::statement::{Collective, CollectiveOperation, CombineOperator};
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_collective(&mut self, span: Span, collective: &Collective, types: &Types) {
        if let CollectiveOperation::Broadcast(position) = collective.operation
            && let Some(found) = types.of(position).filter(|ty| *ty != Type::INDEX)
        {
            let diagnostic = Diagnostic::error(
                "V062",
                format!(
                    "the position of a broadcast in `{}` is {}",
                    self.name(),
                    a(found)
                ),
            )
            .label(self.function.expressions.span(position), "")
            .why("positions in a group are of type `i64`")
            .help("cast it");
            self.push(diagnostic);
        }
        let Some(operand) = types.of(collective.operand) else {
            return;
        };
        let accepted = operand
            .scalar()
            .is_some_and(|dtype| accepts(collective.operation, dtype));
        if !accepted {
            self.push_operand(collective, operand);
        }
        let result = &self.function.values[collective.result];
        if result.ty != operand {
            self.push(
                Diagnostic::error(
                    "V061",
                    format!(
                        "`{}` binds `{}` of type `{}` to a collective of `{operand}`",
                        self.name(),
                        result.name,
                        result.ty
                    ),
                )
                .label(span, "")
                .why("a collective gives what it takes")
                .help("bind a value of the contribution's type and cast afterwards"),
            );
        }
    }

    fn push_operand(&mut self, collective: &Collective, operand: Type) {
        let mut name = collective.operation.name().to_owned();
        if let Some(operator) = collective.operation.combine() {
            name = format!("{name} {}", operator.name());
        }
        let takes = match collective.operation {
            CollectiveOperation::Any | CollectiveOperation::All => "`bool`",
            CollectiveOperation::Broadcast(_) => "any scalar",
            CollectiveOperation::Reduce(operator)
            | CollectiveOperation::InclusiveScan(operator)
            | CollectiveOperation::ExclusiveScan(operator) => match operator {
                CombineOperator::Add => "any number, but not `bool`",
                CombineOperator::Multiply | CombineOperator::Minimum | CombineOperator::Maximum => {
                    "integers and floats"
                }
                CombineOperator::BitAnd | CombineOperator::BitOr | CombineOperator::BitXor => {
                    "integers"
                }
            },
        };
        let diagnostic = Diagnostic::error(
            "V060",
            format!("`{name}` in `{}` does not take `{operand}`", self.name()),
        )
        .label(self.function.expressions.span(collective.operand), "")
        .why(format!("this collective takes {takes}"))
        .help("cast the contribution, or combine through local memory");
        self.push(diagnostic);
    }
}

fn accepts(operation: CollectiveOperation, dtype: DType) -> bool {
    match operation {
        CollectiveOperation::Any | CollectiveOperation::All => dtype.is_bool(),
        CollectiveOperation::Broadcast(_) => true,
        CollectiveOperation::Reduce(operator)
        | CollectiveOperation::InclusiveScan(operator)
        | CollectiveOperation::ExclusiveScan(operator) => match operator {
            CombineOperator::Add => !dtype.is_bool(),
            // A product of complex numbers does not split into collectives of their parts.
            CombineOperator::Multiply | CombineOperator::Minimum | CombineOperator::Maximum => {
                dtype.is_integer() || dtype.is_float()
            }
            CombineOperator::BitAnd | CombineOperator::BitOr | CombineOperator::BitXor => {
                dtype.is_integer()
            }
        },
    }
}
