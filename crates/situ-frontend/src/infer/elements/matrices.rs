//! Products of vectors and matrices: `a @ b`, `np.dot(a, b)`, `np.outer(a, b)`.

use situ_ir::{BinaryOperator as Ir, Span};

use super::folds::Fold;
use super::loops::{branch, is_literal};
use super::{Elements, Operand, Operation, Tree};
use crate::infer::Inference;
use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::Value;
use crate::infer::views::{Region, index_literal};
use crate::syntax::BinaryOperator;
use crate::typed::{Expression, Statement};

impl Elements {
    /// The sizes of a product or a fold: those before the fold, without the axis that it is along.
    pub(super) fn result_sizes(&self, axis: usize) -> Vec<Expression> {
        let ndim = self.ndim + 1;
        let size = |position: usize| {
            let mut of_axis = self.parts.iter().filter_map(|part| {
                let own = (position + part.shape.len()).checked_sub(ndim)?;
                part.shape.get(own)
            });
            of_axis.find(|size| !is_literal(size, 1)).cloned()
        };
        (0..ndim)
            .filter(|position| *position != axis)
            .map(|position| size(position).unwrap_or_else(|| index_literal(1, Span::NONE)))
            .collect()
    }
}

impl Inference<'_, '_, '_> {
    /// `left @ right` of vectors and matrices.
    pub(in crate::infer) fn matrix_product(
        &mut self,
        left: Value,
        right: Value,
        span: Span,
    ) -> Option<Value> {
        let operands = [self.operand(left, span)?, self.operand(right, span)?];
        let common = self.common_operand_dtype(&operands, span)?;
        let [Operand::Elements(left), Operand::Elements(right)] = operands else {
            self.not_written_out("a product with a number", span);
            return None;
        };
        if common.is_bool() {
            self.not_written_out("a product of bools", span);
            return None;
        }
        let left = self.as_operand_part(left, span)?;
        let right = self.as_operand_part(right, span)?;
        let (own, other) = (left.shape.len(), right.shape.len());
        let inner = left.shape.last()?.clone();
        let rows = right.shape[other.saturating_sub(2)].clone();
        let misfit = ir_binary(Ir::NotEqual, inner, rows, span);
        let shapes = vec![left.shape.clone(), right.shape.clone()];
        let reject = self.product_mismatch(shapes, span);
        self.before.push(branch(misfit, reject, Vec::new(), span));
        let columns = if other == 2 { right.shape.last() } else { None };
        if let (2, Some(columns)) = (own, columns) {
            self.note_product(left.shape.iter().chain([columns]));
        } else {
            self.note_sizes(&left.shape);
        }
        // The axis that is summed over comes before the columns of the right side.
        let (left, axis) = match (own, other) {
            (1, 1) => (left, 0),
            (1, 2) => (with_axis(left, 1, span), 0),
            (2, 1) => (left, 1),
            (2, 2) => (with_axis(left, 2, span), 1),
            _ => {
                self.not_written_out("a product of more than two dimensions", span);
                return None;
            }
        };
        let side = |part| Box::new(Tree::Cast(common, Box::new(Tree::Part(part))));
        let product = Tree::Binary(BinaryOperator::Multiply, side(0), side(1));
        let size_axis = own - 1;
        let ndim = own + other - 2;
        if ndim == 0 {
            let elements = Elements {
                ndim: 1,
                dtype: common,
                tree: product,
                parts: vec![left, right],
                joins: Vec::new(),
            };
            return match self.fold_all(Fold::Sum, elements, span)? {
                Value::Scalar(total) => Some(Value::Scalar(cast(total, common))),
                _ => None,
            };
        }
        // Sums of narrow integers are wider than products of them.
        if common.is_integer() && common.size_bytes() < 8 {
            self.not_written_out("a product of matrices of small integers", span);
            return None;
        }
        let tree = Tree::Fold {
            fold: Fold::Sum,
            axis,
            size: (0, size_axis),
            of: Box::new(product),
        };
        Some(self.finished(tree, vec![left, right], ndim, span))
    }

    /// `np.outer(left, right)` of vectors.
    pub(super) fn outer_product(&mut self, left: Value, right: Value, span: Span) -> Option<Value> {
        let (Ok(left), Ok(right)) = (self.elements(left, span), self.elements(right, span)) else {
            return None;
        };
        if left.ndim != 1 || right.ndim != 1 {
            self.not_written_out("`outer` of something else than vectors", span);
            return None;
        }
        let dtype = left.dtype;
        let left = self.as_operand_part(left, span)?;
        let left = Elements::of(with_axis(left, 1, span), dtype);
        let values = [left, right].map(|side| Value::Elements(Box::new(side)));
        let operation = Operation::Binary(BinaryOperator::Multiply);
        Some(self.elementwise(operation, values.into(), span))
    }

    /// The part of an array that elements are; computed, if they are none.
    fn as_operand_part(&mut self, elements: Elements, span: Span) -> Option<Region> {
        let kept = self.in_memory(elements, span)?;
        let part = self.elements(kept, span).ok()?.as_part()?.clone();
        let mut code = std::mem::take(&mut self.before);
        let part = self.bound_part(part, span, &mut code);
        self.before = code;
        Some(part)
    }

    fn product_mismatch(&mut self, shapes: Vec<Vec<Expression>>, span: Span) -> Vec<Statement> {
        let text = "`matmul` cannot combine arrays of shapes {} and {}\n  why:  the last dimension of the left side and the \
                    first one of the right side are summed over together\n  help: transpose one of them, or check their \
                    shapes";
        self.shape_error(text, shapes, span)
    }
}

/// A part with one more axis, of one element that stands for all.
pub(super) fn with_axis(mut part: Region, position: usize, span: Span) -> Region {
    part.shape.insert(position, index_literal(1, span));
    part.strides.insert(position, index_literal(0, span));
    part.is_contiguous = false;
    part
}
