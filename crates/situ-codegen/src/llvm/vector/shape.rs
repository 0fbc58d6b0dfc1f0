//! How a number depends on the lane.
//!
//! The rules here are asked twice: by the analysis (`flow`), which must know what variables are before any
//! code is written, and while code is written. Both must agree, so there is one place for them.

use situ_ir::{
    AddressSpace, BinaryOperator, DType, Expression, Function, FunctionInfo, Handle, Literal, Type,
    UnaryOperator, WorkItemQuery,
};

/// How the numbers of the lanes relate to each other. Of a pointer, how the elements it points at do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// All are the same.
    Uniform,
    /// Each is so much larger than the one before, by 64-bit integers that wrap.
    Linear(i64),
    /// Nothing is known.
    Varying,
}

impl Shape {
    /// What is known if either may be the case.
    pub(super) fn join(self, other: Self) -> Self {
        if self == other { self } else { Self::Varying }
    }

    /// What is known after a closer look that found `other`: less and less, so that looking comes to an end.
    pub(super) fn corrected(self, other: Self) -> Self {
        match self {
            Self::Uniform => other,
            known => known.join(other),
        }
    }

    /// The shape of a sum of 64-bit integers, and of a pointer that is moved.
    pub(super) fn plus(self, other: Self) -> Self {
        match (self.stride(), other.stride()) {
            (Some(x), Some(y)) => Self::of_stride(x.wrapping_add(y)),
            _ => Self::Varying,
        }
    }

    fn times(self, factor: i64) -> Self {
        self.stride().map_or(Self::Varying, |stride| {
            Self::of_stride(stride.wrapping_mul(factor))
        })
    }

    fn stride(self) -> Option<i64> {
        match self {
            Self::Uniform => Some(0),
            Self::Linear(stride) => Some(stride),
            Self::Varying => None,
        }
    }

    fn of_stride(stride: i64) -> Self {
        match stride {
            0 => Self::Uniform,
            stride => Self::Linear(stride),
        }
    }

    /// A letter for names of functions.
    pub(super) fn tag(self) -> String {
        match self {
            Self::Uniform => "u".to_owned(),
            Self::Linear(stride) => format!("l{stride}").replace('-', "m"),
            Self::Varying => "v".to_owned(),
        }
    }
}

/// The shape of what a work-item asks, where lanes are neighbours along the fastest dimension.
pub(super) fn query_shape(query: WorkItemQuery, dims: u8) -> Shape {
    match query {
        WorkItemQuery::GlobalId(dimension) | WorkItemQuery::LocalId(dimension) => {
            if dimension + 1 == dims {
                Shape::Linear(1)
            } else {
                Shape::Uniform
            }
        }
        WorkItemQuery::GlobalLinearId | WorkItemQuery::LocalLinearId => Shape::Linear(1),
        WorkItemQuery::GroupId(_)
        | WorkItemQuery::GlobalSize(_)
        | WorkItemQuery::LocalSize(_)
        | WorkItemQuery::GroupCount(_)
        | WorkItemQuery::GroupLinearId
        | WorkItemQuery::SubGroupCount
        | WorkItemQuery::StackLeft => Shape::Uniform,
        WorkItemQuery::SubGroupId
        | WorkItemQuery::SubGroupLocalId
        | WorkItemQuery::SubGroupSize => Shape::Varying,
    }
}

/// The shape of an expression with operands, given theirs.
pub(super) fn operation_shape(
    function: &Function,
    info: &FunctionInfo,
    expression: Handle<Expression>,
    shape: impl Fn(Handle<Expression>) -> Shape,
) -> Shape {
    let is_index = matches!(
        info.type_of(expression),
        Type::Scalar(DType::I64 | DType::U64)
    );
    let plain = || {
        let mut is_uniform = true;
        function.expressions[expression]
            .for_each_operand(|operand| is_uniform &= shape(operand) == Shape::Uniform);
        if is_uniform {
            Shape::Uniform
        } else {
            Shape::Varying
        }
    };
    match &function.expressions[expression] {
        Expression::Offset { pointer, index } => shape(*pointer).plus(shape(*index)),
        Expression::Load { pointer, index } => {
            let is_private = matches!(
                info.type_of(*pointer),
                Type::Pointer {
                    space: AddressSpace::Private,
                    ..
                }
            );
            match shape(*pointer).plus(shape(*index)) {
                Shape::Uniform if !is_private => Shape::Uniform,
                _ => Shape::Varying,
            }
        }
        Expression::Unary {
            operator: UnaryOperator::Negate,
            operand,
        } if is_index => shape(*operand).times(-1),
        Expression::Binary {
            operator,
            left,
            right,
        } if is_index => {
            let constant = |operand| constant(function, operand);
            match operator {
                BinaryOperator::Add => shape(*left).plus(shape(*right)),
                BinaryOperator::Subtract => shape(*left).plus(shape(*right).times(-1)),
                BinaryOperator::Multiply => match (constant(*left), constant(*right)) {
                    (Some(factor), _) => shape(*right).times(factor),
                    (_, Some(factor)) => shape(*left).times(factor),
                    _ => plain(),
                },
                BinaryOperator::ShiftLeft => match constant(*right) {
                    Some(count @ 0..=62) => shape(*left).times(1 << count),
                    _ => plain(),
                },
                _ => plain(),
            }
        }
        Expression::Cast { operand, .. } | Expression::Bitcast { operand, .. } if is_index => {
            match info.type_of(*operand) {
                Type::Scalar(DType::I64 | DType::U64) => shape(*operand),
                _ => plain(),
            }
        }
        Expression::Select {
            condition,
            accept,
            reject,
        } if is_index && shape(*condition) == Shape::Uniform => shape(*accept).join(shape(*reject)),
        _ => plain(),
    }
}

/// A 64-bit integer constant.
fn constant(function: &Function, expression: Handle<Expression>) -> Option<i64> {
    match &function.expressions[expression] {
        Expression::Literal(Literal::I64(value)) => Some(*value),
        Expression::Literal(Literal::U64(value)) => Some(value.cast_signed()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_add_up_and_wrap() {
        let next = Shape::Linear(1);
        assert_eq!(next.plus(Shape::Uniform), next);
        assert_eq!(next.plus(Shape::Linear(-1)), Shape::Uniform);
        assert_eq!(next.plus(Shape::Varying), Shape::Varying);
        assert_eq!(Shape::Linear(i64::MAX).plus(next), Shape::Linear(i64::MIN));
        assert_eq!(Shape::Linear(1 << 62).times(4), Shape::Uniform);
        assert_eq!(Shape::Uniform.join(next), Shape::Varying);
    }

    #[test]
    fn only_the_fastest_dimension_changes_from_lane_to_lane() {
        assert_eq!(query_shape(WorkItemQuery::GlobalId(0), 2), Shape::Uniform);
        assert_eq!(query_shape(WorkItemQuery::GlobalId(1), 2), Shape::Linear(1));
        assert_eq!(
            query_shape(WorkItemQuery::GlobalLinearId, 3),
            Shape::Linear(1)
        );
    }
}
