//! Functions of the host that call themselves.
//!
//! Compiled code has a stack of a fixed size, and running over its end would end the process. So such a function counts
//! its own depth in a parameter that the user does not see, and raises `RecursionError` as Python does.

use crate::host::piece::{expression, identifier, named};
use crate::syntax::{
    BinaryOperator, ComparisonOperator, Constant, Expression, ExpressionKind, Function,
    MessagePart, Statement, StatementKind,
};

/// The parameter that counts. No user's name looks like this.
pub(crate) const DEPTH: &str = "situ__depth";

/// How deep a function may call itself. With the eight megabytes that threads have, that leaves a kilobyte for each
/// call, which few numbers take.
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
    let text = format!(
        "njit function `{}` calls itself more than {MAX_RECURSION} times deep",
        function.name.name
    );
    let raise = StatementKind::Raise {
        class: identifier("RecursionError", span),
        parts: vec![MessagePart::Text(text)],
    };
    let test: Expression = expression(
        ExpressionKind::Compare {
            first: Box::new(named(DEPTH, span)),
            rest: vec![(ComparisonOperator::Greater, number(MAX_RECURSION))],
        },
        span,
    );
    let guard = StatementKind::If {
        test,
        accept: vec![Statement { kind: raise, span }],
        reject: Vec::new(),
    };
    let start = [count, guard].map(|kind| Statement { kind, span });
    function.body.splice(0..0, start);
    function.parameters.push(identifier(DEPTH, span));
    function
}

/// How many parameters of a function the user has written.
pub(crate) fn written_parameters(function: &Function) -> usize {
    let all = &function.parameters;
    all.len() - usize::from(all.last().is_some_and(|last| last.name == DEPTH))
}
