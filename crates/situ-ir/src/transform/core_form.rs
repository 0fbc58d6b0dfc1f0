//! Whether a module is core IR already.
//!
//! The definition is in the documentation of [`crate::transform`]; this is the same in code.
//! Expressions that no statement uses do not count.

use std::collections::HashMap;

use crate::arena::Handle;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathFunction};
use crate::module::Function;
use crate::statement::StatementKind;
use crate::types::Type;
use crate::validate::{FunctionInfo, ValidModule};

/// Whether every function of a module is core IR.
pub fn is_core(module: &ValidModule) -> bool {
    module
        .functions
        .iter()
        .all(|(handle, function)| is_core_function(function, module.info(handle)))
}

/// Whether an expression has no operands, so that using it twice costs nothing.
pub fn is_leaf(expression: &Expression) -> bool {
    let mut leaf = true;
    expression.for_each_operand(|_| leaf = false);
    leaf
}

fn is_core_function(function: &Function, info: &FunctionInfo) -> bool {
    declares_no_complex(function) && {
        let mut core = true;
        function.body.for_each_statement(&mut |statement| {
            core = core && is_core_statement(&statement.kind, function, info);
        });
        core
    }
}

fn declares_no_complex(function: &Function) -> bool {
    let is_real = |ty: Type| match ty {
        Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => !dtype.is_complex(),
    };
    function.parameters.iter().all(|item| is_real(item.ty))
        && function.result.is_none_or(|dtype| !dtype.is_complex())
        && function.values.iter().all(|(_, item)| is_real(item.ty))
        && function
            .variables
            .iter()
            .all(|(_, item)| !item.dtype.is_complex())
        && function
            .arrays
            .iter()
            .all(|(_, item)| !item.element.is_complex())
}

fn is_core_statement(kind: &StatementKind, function: &Function, info: &FunctionInfo) -> bool {
    let mut roots = Vec::new();
    kind.for_each_expression(|root| roots.push(root));
    uses(function, &roots).into_iter().all(|(handle, count)| {
        let expression = &function.expressions[handle];
        (count == 1 || is_leaf(expression)) && is_core_expression(expression, handle, info)
    })
}

/// Every expression that some roots are made of, in order, with the number of its uses.
pub(super) fn uses(
    function: &Function,
    roots: &[Handle<Expression>],
) -> Vec<(Handle<Expression>, u32)> {
    let mut counts: HashMap<Handle<Expression>, u32> = HashMap::new();
    let mut pending = roots.to_vec();
    while let Some(handle) = pending.pop() {
        let count = counts.entry(handle).or_insert(0);
        *count += 1;
        if *count == 1 {
            function.expressions[handle].for_each_operand(|operand| pending.push(operand));
        }
    }
    // Operands come before the expressions that use them, so this is an order of evaluation.
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_unstable();
    sorted
}

fn is_core_expression(
    expression: &Expression,
    handle: Handle<Expression>,
    info: &FunctionInfo,
) -> bool {
    let dtype = |operand: Handle<Expression>| info.type_of(operand).scalar();
    // This also refuses every operator with a complex operand: the operand is looked at as well.
    if dtype(handle).is_some_and(DType::is_complex) {
        return false;
    }
    match expression {
        Expression::Literal(_)
        | Expression::Parameter(_)
        | Expression::Value(_)
        | Expression::Variable(_)
        | Expression::Array(_)
        | Expression::WorkItem(_)
        | Expression::Select { .. }
        | Expression::Bitcast { .. }
        | Expression::Load { .. }
        | Expression::Offset { .. } => true,
        Expression::Complex { .. } => false,
        Expression::Unary { operand, .. } => dtype(*operand) != Some(DType::F16),
        Expression::Binary { operator, left, .. } => {
            dtype(*left).is_some_and(|dtype| is_core_binary(*operator, dtype))
        }
        Expression::Cast { operand, to } => {
            dtype(*operand).is_some_and(|from| is_core_cast(from, *to))
        }
        Expression::Math { function, .. } => {
            *function != MathFunction::Rsqrt && dtype(handle) != Some(DType::F16)
        }
    }
}

fn is_core_binary(operator: BinaryOperator, operand: DType) -> bool {
    match operator {
        BinaryOperator::FloorDivide | BinaryOperator::Modulo => false,
        BinaryOperator::Power => operand.is_float() && operand != DType::F16,
        _ => operand != DType::F16,
    }
}

fn is_core_cast(from: DType, to: DType) -> bool {
    if from == DType::F16 {
        to == DType::F32
    } else if to == DType::F16 {
        from == DType::F32
    } else {
        true
    }
}
