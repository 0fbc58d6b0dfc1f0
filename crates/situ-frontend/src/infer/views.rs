//! Parts of arrays: rows `tile[i]` and slices `tile[2:6]`.
//!
//! A view is an offset into its array and a size and a stride for each axis that is left. It can be
//! indexed, cut again, asked for its shape and passed to device functions, where it is an array.
//! Slices follow Python: bounds beyond the end are the end. A bound or step that is only known at run
//! time must not be negative, as an index must not.

use situ_ir::{BinaryOperator, DType, Literal, Span};

use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Object, ObjectKind, Value};
use crate::infer::{Inference, constants, problems};
use crate::plan::Layout;
use crate::syntax::{self, Constant};
use crate::typed::{Array, ArrayId, ArrayOrigin, Expression, ExpressionKind, View};

/// Elements along axes: what an array or a view is, before it is indexed.
pub(super) struct Region {
    pub(super) array: ArrayId,
    offset: Expression,
    pub(super) shape: Vec<Expression>,
    pub(super) strides: Vec<Expression>,
    is_contiguous: bool,
}

impl Region {
    /// How many elements there are.
    pub(super) fn size(&self, span: Span) -> Expression {
        let sizes = self.shape.iter().cloned();
        sizes.fold(index_literal(1, span), |product, size| {
            folded(BinaryOperator::Multiply, product, size, span)
        })
    }
}

impl Inference<'_, '_, '_> {
    /// All elements of an array.
    pub(super) fn whole(&mut self, array: ArrayId, span: Span) -> Region {
        let ndim = self.array(array).ndim;
        let is_contiguous = !matches!(
            self.array(array).origin,
            ArrayOrigin::Parameter {
                layout: Layout::Strided
            }
        );
        Region {
            array,
            offset: index_literal(0, span),
            shape: (0..ndim)
                .map(|axis| self.shape(array, axis, span))
                .collect(),
            strides: (0..ndim)
                .map(|axis| self.stride(array, axis, span))
                .collect(),
            is_contiguous,
        }
    }

    /// The stride of an array along an axis, in elements.
    pub(super) fn stride(&mut self, array: ArrayId, axis: usize, span: Span) -> Expression {
        if let ArrayOrigin::Parameter {
            layout: Layout::Strided,
        } = self.array(array).origin
        {
            return Expression::new(ExpressionKind::Stride { array, axis }, DType::I64, span);
        }
        let inner = axis + 1..self.array(array).ndim;
        let sizes = inner.map(|axis| self.shape(array, axis, span));
        sizes.fold(index_literal(1, span), |stride, size| {
            folded(BinaryOperator::Multiply, stride, size, span)
        })
    }

    /// The part of a region that indices and slices select; axes without an index stay whole.
    pub(super) fn cut(
        &mut self,
        region: Region,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Option<Value> {
        let Region {
            array,
            mut offset,
            shape: sizes,
            strides: steps,
            mut is_contiguous,
        } = region;
        if indices.len() > sizes.len() {
            let problem = problems::index_count(self.array(array), indices.len(), span);
            self.report(problem);
            return None;
        }
        let (mut shape, mut strides) = (Vec::new(), Vec::new());
        for (axis, (size, stride)) in sizes.into_iter().zip(steps).enumerate() {
            let move_by = |offset, start, stride| {
                let distance = folded(BinaryOperator::Multiply, start, stride, span);
                folded(BinaryOperator::Add, offset, distance, span)
            };
            match indices.get(axis).map(|index| &index.kind) {
                None => {
                    shape.push(size);
                    strides.push(stride);
                }
                Some(syntax::ExpressionKind::Slice { lower, upper, step }) => {
                    let bounds = [lower, upper, step].map(Option::as_deref);
                    let (start, count, step) = self.slice(bounds, size, span)?;
                    // Only the first axis that is left may have gaps in front and behind.
                    is_contiguous &= shape.is_empty() && step == 1;
                    offset = move_by(offset, start, stride.clone());
                    shape.push(count);
                    let step = index_literal(step, span);
                    strides.push(folded(BinaryOperator::Multiply, stride, step, span));
                }
                Some(_) => {
                    is_contiguous &= shape.is_empty();
                    let value = self.value(indices[axis]);
                    let index = self.index_within(array, &size, value, indices[axis])?;
                    offset = move_by(offset, index, stride);
                }
            }
        }
        let flat = self.flat(array);
        if shape.is_empty() {
            let dtype = self.array(array).dtype;
            let kind = ExpressionKind::Element {
                array: flat,
                indices: vec![offset],
            };
            return Some(Value::Scalar(Expression::new(kind, dtype, span)));
        }
        let kind = ObjectKind::View {
            array,
            ndim: shape.len(),
            is_contiguous,
        };
        let mut parts = vec![offset];
        parts.append(&mut shape);
        parts.append(&mut strides);
        Some(Value::Object(Object { kind, parts }))
    }

    /// Where a slice starts, how many elements it has and how far apart they are.
    fn slice(
        &mut self,
        [lower, upper, step]: [Option<&syntax::Expression>; 3],
        size: Expression,
        span: Span,
    ) -> Option<(Expression, Expression, i64)> {
        let step = match step {
            None => 1,
            Some(step) => {
                let number = self.number(step)?.constant().and_then(constants::as_int);
                match number.map(i64::try_from) {
                    Some(Ok(number)) if number > 0 => number,
                    _ => {
                        self.report(problems::slice_step(step.span));
                        return None;
                    }
                }
            }
        };
        let start = match lower {
            None => index_literal(0, span),
            Some(lower) => self.slice_bound(lower, size.clone())?,
        };
        let end = match upper {
            None => size,
            Some(upper) => self.slice_bound(upper, size)?,
        };
        let length = folded(BinaryOperator::Subtract, end, start.clone(), span);
        let length = folded(
            BinaryOperator::Maximum,
            length,
            index_literal(0, span),
            span,
        );
        if step == 1 {
            return Some((start, length, step));
        }
        let rest = index_literal(step - 1, span);
        let length = folded(BinaryOperator::Add, length, rest, span);
        let count = folded(
            BinaryOperator::FloorDivide,
            length,
            index_literal(step, span),
            span,
        );
        Some((start, count, step))
    }

    /// A bound of a slice, at most the size; a negative constant counts from the end.
    fn slice_bound(&mut self, bound: &syntax::Expression, size: Expression) -> Option<Expression> {
        let span = bound.span;
        let position = match self.number(bound)? {
            Number::Constant(constant) => {
                let Some(index) = constants::as_int(constant) else {
                    self.report(problems::slice_bound(span));
                    return None;
                };
                let constant = Number::Constant(Constant::Int(index));
                let literal = self.convert(constant, DType::I64, span)?;
                if index >= 0 {
                    literal
                } else {
                    let from_end = folded(BinaryOperator::Add, size.clone(), literal, span);
                    let zero = index_literal(0, span);
                    folded(BinaryOperator::Maximum, from_end, zero, span)
                }
            }
            Number::Typed(typed) if typed.dtype.is_integer() => cast(typed, DType::I64),
            Number::Typed(_) => {
                self.report(problems::slice_bound(span));
                return None;
            }
        };
        Some(folded(BinaryOperator::Minimum, position, size, span))
    }

    /// The array as one dimension.
    fn flat(&mut self, array: ArrayId) -> ArrayId {
        let next = ArrayId(self.arrays.len());
        let id = *self.flat.entry(array).or_insert(next);
        if id == next {
            let whole = self.array(array);
            let flat = Array {
                name: whole.name.clone(),
                dtype: whole.dtype,
                ndim: 1,
                space: whole.space,
                origin: ArrayOrigin::Flat { of: array },
            };
            self.arrays.push(flat);
        }
        id
    }

    /// The elements of a view.
    pub(super) fn region(object: &Object) -> Option<Region> {
        let ObjectKind::View {
            array,
            ndim,
            is_contiguous,
        } = object.kind
        else {
            return None;
        };
        let (offset, sizes) = object.parts.split_first()?;
        let (shape, strides) = sizes.split_at(ndim);
        Some(Region {
            array,
            offset: offset.clone(),
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            is_contiguous,
        })
    }

    /// A view as an argument of a device function.
    pub(super) fn passed_view(&mut self, object: &Object) -> Option<View> {
        let region = Self::region(object)?;
        Some(View {
            flat: self.flat(region.array),
            offset: region.offset,
            shape: region.shape,
            strides: region.strides,
        })
    }
}

pub(super) fn index_literal(value: i64, span: Span) -> Expression {
    Expression::literal(Literal::I64(value), span)
}

/// An operation on indices, done now if both are known.
pub(super) fn folded(
    operator: BinaryOperator,
    left: Expression,
    right: Expression,
    span: Span,
) -> Expression {
    let known = |expression: &Expression| match expression.kind {
        ExpressionKind::Literal(Literal::I64(value)) => Some(value),
        _ => None,
    };
    match (operator, known(&left), known(&right)) {
        (BinaryOperator::Multiply, Some(0), _) | (BinaryOperator::Multiply, _, Some(0)) => {
            return index_literal(0, span);
        }
        (BinaryOperator::Add, Some(0), _) | (BinaryOperator::Multiply, Some(1), _) => return right,
        (BinaryOperator::Add | BinaryOperator::Subtract, _, Some(0))
        | (BinaryOperator::Multiply, _, Some(1)) => return left,
        (BinaryOperator::Maximum, Some(value), Some(other)) => {
            return index_literal(value.max(other), span);
        }
        (BinaryOperator::Minimum, Some(value), Some(other)) => {
            return index_literal(value.min(other), span);
        }
        (_, Some(value), Some(other)) => {
            let result = match operator {
                BinaryOperator::Add => value.checked_add(other),
                BinaryOperator::Subtract => value.checked_sub(other),
                BinaryOperator::Multiply => value.checked_mul(other),
                BinaryOperator::FloorDivide => value.checked_div_euclid(other),
                _ => None,
            };
            if let Some(result) = result {
                return index_literal(result, span);
            }
        }
        _ => {}
    }
    ir_binary(operator, left, right, span)
}
