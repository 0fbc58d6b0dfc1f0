//! What the work-items of a group or sub-group compute together: reductions, scans, broadcasts, votes.

use situ_ir::{CollectiveScope, CombineOperator, DType, Span};

use crate::infer::calls::Written;
use crate::infer::expressions::{cast, truth};
use crate::infer::library::{CollectiveFunction, LibraryFunction};
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, problems};
use crate::syntax::{self, BinaryOperator};
use crate::typed::{Collective, CollectiveKind, Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    /// A call of a collective function.
    pub(super) fn collective(&mut self, function: CollectiveFunction, call: Written<'_>) -> Value {
        let result = self.collective_number(function, call);
        result.map_or(Value::Unknown, Value::from)
    }

    fn collective_number(
        &mut self,
        function: CollectiveFunction,
        call: Written<'_>,
    ) -> Option<Number> {
        let [group, operand, last] = match function {
            CollectiveFunction::Reduce
            | CollectiveFunction::InclusiveScan
            | CollectiveFunction::ExclusiveScan => {
                self.bound_arguments(call, ["group", "x", "op"], 2)?
            }
            CollectiveFunction::Broadcast => {
                self.bound_arguments(call, ["group", "x", "local_id"], 2)?
            }
            CollectiveFunction::Any | CollectiveFunction::All | CollectiveFunction::NoneOf => {
                let [group, predicate] = self.bound_arguments(call, ["group", "predicate"], 2)?;
                [group, predicate, None]
            }
        };
        let (group, operand) = (group?, operand?);
        self.meeting.get_or_insert(call.span);
        let scope = self.collective_scope(group, call);
        let number = self.number(operand);
        let (scope, number) = (scope?, number?);
        let (kind, operand) = match function {
            CollectiveFunction::Any => (CollectiveKind::Any, self.vote(number, operand.span)?),
            CollectiveFunction::All => (CollectiveKind::All, self.vote(number, operand.span)?),
            // Nobody agrees where not somebody does.
            CollectiveFunction::NoneOf => (CollectiveKind::Any, self.vote(number, operand.span)?),
            CollectiveFunction::Broadcast => {
                let position = match last {
                    Some(position) => self.position(position)?,
                    None => Expression::literal(situ_ir::Literal::I64(0), call.span),
                };
                let operand = self.with_dtype(number, operand.span)?;
                (CollectiveKind::Broadcast(position), operand)
            }
            _ => {
                let operator = match last {
                    Some(operator) => self.combine_operator(operator)?,
                    None => CombineOperator::Add,
                };
                let operand = self.combined(number, operator, operand.span)?;
                let kind = match function {
                    CollectiveFunction::InclusiveScan => CollectiveKind::InclusiveScan(operator),
                    CollectiveFunction::ExclusiveScan => CollectiveKind::ExclusiveScan(operator),
                    _ => CollectiveKind::Reduce(operator),
                };
                (kind, operand)
            }
        };
        let dtype = operand.dtype;
        let collective = Collective {
            kind,
            scope,
            operand,
        };
        let kind = ExpressionKind::Collective(Box::new(collective));
        let result = Number::Typed(Expression::new(kind, dtype, call.span));
        Some(match function {
            CollectiveFunction::NoneOf => super::expressions::negated(result, call.span),
            _ => result,
        })
    }

    /// Who takes part.
    fn collective_scope(
        &mut self,
        group: &syntax::Expression,
        call: Written<'_>,
    ) -> Option<CollectiveScope> {
        match self.value(group) {
            Value::Static(Static::Group(_)) => Some(CollectiveScope::WorkGroup),
            Value::Static(Static::SubGroup) => Some(CollectiveScope::SubGroup),
            Value::Unknown => None,
            other => {
                self.report(problems::not_a_group(
                    call.name,
                    &other.describe(),
                    group.span,
                ));
                None
            }
        }
    }

    fn vote(&mut self, number: Number, span: Span) -> Option<Expression> {
        self.convert(truth(number), DType::Bool, span)
    }

    fn position(&mut self, position: &syntax::Expression) -> Option<Expression> {
        let number = self.number(position)?;
        let dtype = self.own_dtype(&number);
        if dtype.is_integer() {
            return self.convert(number, DType::I64, position.span);
        }
        self.report(problems::broadcast_position(
            &number.describe(),
            position.span,
        ));
        None
    }

    /// How contributions are combined: by a function that is named, such as `np.add` or `min`.
    fn combine_operator(&mut self, operator: &syntax::Expression) -> Option<CombineOperator> {
        let value = self.value(operator);
        let Value::Static(Static::Library(function)) = value else {
            if !matches!(value, Value::Unknown) {
                self.report(problems::combine_operator(operator.span));
            }
            return None;
        };
        let found = match function {
            LibraryFunction::Binary(BinaryOperator::Add) => Some(CombineOperator::Add),
            LibraryFunction::Binary(BinaryOperator::Multiply) => Some(CombineOperator::Multiply),
            LibraryFunction::Binary(BinaryOperator::BitAnd) => Some(CombineOperator::BitAnd),
            LibraryFunction::Binary(BinaryOperator::BitOr) => Some(CombineOperator::BitOr),
            LibraryFunction::Binary(BinaryOperator::BitXor) => Some(CombineOperator::BitXor),
            LibraryFunction::Min | LibraryFunction::Minimum => Some(CombineOperator::Minimum),
            LibraryFunction::Max | LibraryFunction::Maximum => Some(CombineOperator::Maximum),
            _ => None,
        };
        if found.is_none() {
            self.report(problems::combine_operator(operator.span));
        }
        found
    }

    /// A contribution in a dtype that the operator has.
    fn combined(
        &mut self,
        number: Number,
        operator: CombineOperator,
        span: Span,
    ) -> Option<Expression> {
        let operand = self.with_dtype(number, span)?;
        let is_bitwise = matches!(
            operator,
            CombineOperator::BitAnd | CombineOperator::BitOr | CombineOperator::BitXor
        );
        // As in Python, arithmetic on a bool is arithmetic on 0 and 1.
        let operand = if operand.dtype.is_bool() {
            cast(operand, DType::I64)
        } else {
            operand
        };
        let dtype = operand.dtype;
        let has_it = match operator {
            CombineOperator::Add => true,
            _ if is_bitwise => dtype.is_integer(),
            _ => !dtype.is_complex(),
        };
        if has_it {
            return Some(operand);
        }
        self.report(problems::combined_dtype(operator.name(), dtype, span));
        None
    }
}
