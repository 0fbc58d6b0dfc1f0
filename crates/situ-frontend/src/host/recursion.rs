//! Functions of the host that call themselves.
//!
//! Compiled code has a stack of a fixed size, and running over its end would end the process. So such a function counts
//! its own depth in a parameter that the user does not see, looks at how much stack is left, and raises
//! `RecursionError` as Python does.

use crate::host::piece::{expression, identifier, named};
use crate::syntax::{
    BinaryOperator, ComparisonOperator, Constant, ExpressionKind, Function, LogicalOperator,
    MessagePart, Statement, StatementKind,
};

/// The parameter that counts. No user's name looks like this.
pub(crate) const DEPTH: &str = "situ__depth";

/// A name that stands for the bytes of stack that are left, in functions that call themselves.
pub(crate) const STACK_LEFT: &str = "situ__stack_left";

/// How deep a function may call itself, if its numbers leave room for that on the stack.
pub const MAX_RECURSION: i64 = 8000;

/// A function that calls itself, with a count of how deep it is.
pub(crate) fn with_depth(mut function: Function) -> Function {
    let span = function.name.span;
    let number = |value: i64| {
        let constant = Constant::Int(value.into());
        expression(ExpressionKind::Constant(constant), span)
    };
    let count = StatementKind::AugmentedAssign {
        target: named(DEPTH, span),
        operator: BinaryOperator::Add,
        value: number(1),
    };
    let compared = |name: &str, operator: ComparisonOperator, bound: i64| {
        let test = ExpressionKind::Compare {
            first: Box::new(named(name, span)),
            rest: vec![(operator, number(bound))],
        };
        expression(test, span)
    };
    let is_too_deep = ExpressionKind::Logical {
        operator: LogicalOperator::Or,
        operands: vec![
            compared(DEPTH, ComparisonOperator::GreaterEqual, MAX_RECURSION),
            compared(STACK_LEFT, ComparisonOperator::Less, 0),
        ],
    };
    let before = format!(
        "njit function `{}` calls itself more than ",
        function.name.name
    );
    let raise = StatementKind::Raise {
        class: identifier("RecursionError", span),
        parts: vec![
            MessagePart::Text(before),
            MessagePart::Value {
                expression: named(DEPTH, span),
                format: String::new(),
            },
            MessagePart::Text(" times deep".to_owned()),
        ],
    };
    let guard = StatementKind::If {
        test: expression(is_too_deep, span),
        accept: vec![Statement { kind: raise, span }],
        reject: Vec::new(),
    };
    let start = [guard, count].map(|kind| Statement { kind, span });
    function.body.splice(0..0, start);
    function.parameters.push(identifier(DEPTH, span));
    function
}

/// How many parameters of a function the user has written.
pub(crate) fn written_parameters(function: &Function) -> usize {
    let all = &function.parameters;
    all.len() - usize::from(all.last().is_some_and(|last| last.name == DEPTH))
}
