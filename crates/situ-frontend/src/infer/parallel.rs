//! Rounds of loops over `prange` in functions of the host: calls that run at the same time.
//!
//! `host::parallel_rounds` has made a function of the rounds; `situ__parallel(count, rounds, ...)` calls it with each
//! number below the count. New arrays that rounds make are in memory of the worker that runs them, see `head`.

use situ_ir::{BinaryOperator as Ir, DType, Span};

use crate::host::ROUNDS;
use crate::infer::Inference;
use crate::infer::calls::Written;
use crate::infer::elements::{ARENA_WORDS, FIRST_ARENA, HEAD};
use crate::infer::library::Identity;
use crate::infer::operators::ir_binary;
use crate::infer::value::{LocalType, Number, Value};
use crate::infer::views::{folded, index_literal};
use crate::syntax::{self, Constant};
use crate::typed::{Expression, ExpressionKind, Parallel, StatementKind};

impl Inference<'_, '_, '_> {
    /// `situ__parallel(count, function, ...)`.
    pub(super) fn parallel(&mut self, call: Written<'_>) -> Option<StatementKind> {
        let span = call.span;
        let [count, function, others @ ..] = call.arguments else {
            return None;
        };
        let count = self.number(count)?;
        let count = self.convert(count, DType::I64, span)?;
        self.hidden += 1;
        let name = format!("situ__index{}", self.hidden);
        self.join(&name, LocalType::Scalar(DType::I64), span)?;
        let index = self.variable_id(&name, 0, DType::I64);
        let worker = self.variable_id(&format!("situ__worker{}", self.hidden), 0, DType::I64);
        let mut arguments = vec![syntax::Expression {
            kind: syntax::ExpressionKind::Name(name),
            span,
        }];
        arguments.extend(others.iter().cloned());
        let call = syntax::Statement {
            kind: syntax::StatementKind::Expression(syntax::Expression {
                kind: syntax::ExpressionKind::Call {
                    function: Box::new(function.clone()),
                    arguments,
                    keywords: Vec::new(),
                },
                span,
            }),
            span,
        };
        let around = self.worker.replace(worker);
        let body = self.block(std::slice::from_ref(&call));
        self.worker = around;
        Some(StatementKind::Parallel(Parallel {
            count,
            index,
            worker,
            body,
        }))
    }

    /// Whether the function that is read is the rounds of a loop, which share no work again.
    pub(super) fn is_in_rounds(&self) -> bool {
        self.worker.is_some() || self.subject.syntax.name.name.starts_with(ROUNDS)
    }

    /// Where the heap's own words are, for new arrays of the code that is read.
    pub(super) fn head(&mut self, span: Span) -> Expression {
        let own = if self.locals.contains_key(HEAD) {
            match self.name(HEAD, span) {
                Value::Scalar(head) => head,
                _ => index_literal(0, span),
            }
        } else {
            index_literal(0, span)
        };
        let Some(worker) = self.worker else {
            return own;
        };
        // The thread that runs the piece goes on in its own memory.
        let worker = Expression::new(ExpressionKind::Variable(worker), DType::I64, span);
        let zero = index_literal(0, span);
        let is_other = ir_binary(Ir::Greater, worker.clone(), zero, span);
        let arena = folded(Ir::Multiply, worker, index_literal(ARENA_WORDS, span), span);
        let first = index_literal(FIRST_ARENA - ARENA_WORDS, span);
        let arena = folded(Ir::Add, arena, first, span);
        let kind = ExpressionKind::Conditional {
            condition: Box::new(is_other),
            accept: Box::new(arena),
            reject: Box::new(own),
        };
        Expression::new(kind, DType::I64, span)
    }

    /// `situ__partials(count, number)`: a new array of numbers like that one.
    pub(super) fn new_partials(&mut self, call: Written<'_>) -> Option<Value> {
        let [count, like] = call.arguments else {
            return None;
        };
        let like = self.number(like)?;
        let dtype = self.own_dtype(&like);
        let count = self.number(count)?;
        let count = self.convert(count, DType::I64, call.span)?;
        let mut code = std::mem::take(&mut self.before);
        let count = self.bind(count, call.span, &mut code);
        let part = self.new_part(dtype, &[count], call.span, &mut code);
        self.before = code;
        let part = part?;
        self.temporaries.extend(part.owner.clone());
        Some(part.into_view())
    }

    /// The number that changes nothing, of the dtype of another.
    pub(super) fn identity(&mut self, identity: Identity, call: Written<'_>) -> Option<Value> {
        let [like] = call.arguments else {
            return None;
        };
        let like = self.number(like)?;
        let dtype = self.own_dtype(&like);
        let constant = match identity {
            Identity::Zero if dtype.is_bool() => Constant::Bool(false),
            Identity::Zero => Constant::Int(0),
            Identity::One if dtype.is_bool() => Constant::Bool(true),
            Identity::One => Constant::Int(1),
            Identity::All if dtype.is_bool() => Constant::Bool(true),
            Identity::All if dtype.is_signed() => Constant::Int(-1),
            Identity::All => Constant::Int((1_i128 << (8 * dtype.size_bytes())) - 1),
        };
        let number = self.convert(Number::Constant(constant), dtype, call.span)?;
        Some(Value::Scalar(number))
    }
}
