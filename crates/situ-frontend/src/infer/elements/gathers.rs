//! Elements at indices that are elements of another array: `x[columns]`.

use situ_ir::{BinaryOperator as Ir, DType, Span};

use super::loops::branch;
use super::{Elements, Tree};
use crate::infer::Inference;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::syntax;
use crate::typed::{Expression, Statement};

impl Inference<'_, '_, '_> {
    /// `of[indices]` where the last index is an array of integers and the others are numbers; `None` for everything
    /// else.
    pub(in crate::infer) fn gather(
        &mut self,
        of: &Value,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Option<Value> {
        if !self.writes_out_arrays() {
            return None;
        }
        let (last, others) = indices.split_last()?;
        if matches!(
            last.kind,
            syntax::ExpressionKind::Slice { .. }
                | syntax::ExpressionKind::None
                | syntax::ExpressionKind::Ellipsis
        ) {
            return None;
        }
        let index = self.silently(last);
        if !self.is_array(&index) {
            return None;
        }
        let whole = self.elements(of.clone(), span).ok()?.as_part()?.clone();
        let row = if others.is_empty() {
            whole
        } else {
            let row = self.cut(whole, others, span)?;
            self.elements(row, span).ok()?.as_part()?.clone()
        };
        let index = self.value(last);
        let index = self.elements(index, span).ok()?;
        if row.shape.len() != 1 || !index.dtype.is_integer() {
            self.not_written_out("these indices", span);
            return Some(Value::Unknown);
        }
        let mut code = std::mem::take(&mut self.before);
        let row = self.bound_part(row, span, &mut code);
        self.before = code;
        let tree = Tree::Gather(Box::new(row), Box::new(index.tree));
        Some(self.finished(tree, index.parts, index.ndim, span))
    }

    /// One element of a vector. An index that does not exist raises an exception.
    pub(super) fn gathered(
        &mut self,
        from: &Region,
        index: Number,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<Expression> {
        let size = from.shape.first()?.clone();
        let index = self.convert(index, DType::I64, span)?;
        let index = self.bind(index, span, code);
        let index = self.wrapped(index, size.clone());
        let index = self.bind(index, span, code);
        let is_low = ir_binary(Ir::Less, index.clone(), index_literal(0, span), span);
        let is_high = ir_binary(Ir::GreaterEqual, index.clone(), size, span);
        let is_outside = ir_binary(Ir::BitOr, is_low, is_high, span);
        let text = "an index is outside of the array\n  why:  an index of `{}` is less than minus the size of the array, or \
                    not less than the size\n  help: check the indices";
        let text = text.replace("{}", self.subject.source.slice(span));
        let reject = self.raised("IndexError", &text, span);
        code.push(branch(is_outside, reject, Vec::new(), span));
        let distance = folded(Ir::Multiply, index, from.strides.first()?.clone(), span);
        let place = folded(Ir::Add, from.offset.clone(), distance, span);
        Some(self.element_at(from.array, place, span))
    }

    /// The vectors that elements are gathered from.
    pub(super) fn gathered_parts(elements: &Elements) -> Vec<Region> {
        let mut found = Vec::new();
        elements
            .tree
            .for_each_gathered(&mut |part| found.push(part.clone()));
        found
    }
}
