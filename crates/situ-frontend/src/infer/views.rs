//! Parts of arrays: rows `tile[i]`, slices `tile[2:6]`, and arrays with their axes reversed, `tile.T`.
//!
//! A view is an offset into its array and a size and a stride for each axis that is left. It can be
//! indexed, cut again, asked for its shape and passed to device functions, where it is an array.
//! Slices follow Python: bounds beyond the end are the end, and a negative step counts down. A bound that
//! is only known at run time must not be negative, as an index must not, unless the kernel asks for Python's rules.

use situ_ir::{BinaryOperator, DType, Literal, Span};

use crate::infer::elements::contiguous_strides;
use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Object, ObjectKind, Value};
use crate::infer::{Inference, constants, problems};
use crate::plan::Layout;
use crate::syntax::{self, Constant};
use crate::typed::{Array, ArrayId, ArrayOrigin, Expression, ExpressionKind, View};

/// Elements along axes: what an array or a view is, before it is indexed.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) array: ArrayId,
    pub(super) offset: Expression,
    pub(super) shape: Vec<Expression>,
    pub(super) strides: Vec<Expression>,
    pub(super) is_contiguous: bool,
    /// The block of the heap that it is in, or 0; where names may hold such blocks.
    pub(super) owner: Option<Expression>,
}

impl Region {
    /// How many elements there are.
    pub(super) fn size(&self, span: Span) -> Expression {
        let sizes = self.shape.iter().cloned();
        sizes.fold(index_literal(1, span), |product, size| {
            folded(BinaryOperator::Multiply, product, size, span)
        })
    }

    /// The same elements with the axes in reverse order.
    pub(super) fn transposed(mut self) -> Self {
        self.is_contiguous &= self.shape.len() < 2;
        self.shape.reverse();
        self.strides.reverse();
        self
    }

    /// A view of these elements.
    pub(super) fn into_view(self) -> Value {
        let kind = ObjectKind::View {
            array: self.array,
            ndim: self.shape.len(),
            is_contiguous: self.is_contiguous,
            is_owned: self.owner.is_some(),
        };
        let mut parts = vec![self.offset];
        parts.extend(self.shape);
        parts.extend(self.strides);
        parts.extend(self.owner);
        Value::Object(Object { kind, parts })
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
            owner: None,
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
            owner,
        } = region;
        let made = |index: &&&syntax::Expression| {
            matches!(index.kind, syntax::ExpressionKind::None) && self.writes_out_arrays()
        };
        let is_rest = |index: &syntax::Expression| {
            matches!(index.kind, syntax::ExpressionKind::Ellipsis) && self.writes_out_arrays()
        };
        // Axes that were made, and `...`, take none of those that are there.
        let rest = indices.iter().position(|index| is_rest(index));
        let taken =
            indices.len() - indices.iter().filter(made).count() - usize::from(rest.is_some());
        if taken > sizes.len() {
            let problem = problems::index_count(self.array(array), indices.len(), span);
            self.report(problem);
            return None;
        }
        let (mut shape, mut strides) = (Vec::new(), Vec::new());
        let mut bounds = Vec::new();
        let mut written = Vec::new();
        for (position, index) in indices.iter().enumerate() {
            if Some(position) == rest {
                written.extend((taken..sizes.len()).map(|_| None));
            } else {
                written.push(Some(*index));
            }
        }
        let mut axes = sizes.into_iter().zip(steps);
        let missing = axes.len().saturating_sub(
            written
                .iter()
                .filter(|index| {
                    !matches!(
                        index.map(|index| &index.kind),
                        Some(syntax::ExpressionKind::None)
                    )
                })
                .count(),
        );
        written.extend((0..missing).map(|_| None));
        for index in written {
            if matches!(
                index.map(|index| &index.kind),
                Some(syntax::ExpressionKind::None)
            ) {
                shape.push(index_literal(1, span));
                strides.push(index_literal(0, span));
                is_contiguous = false;
                continue;
            }
            let Some((size, stride)) = axes.next() else {
                break;
            };
            let move_by = |offset, start, stride| {
                let distance = folded(BinaryOperator::Multiply, start, stride, span);
                folded(BinaryOperator::Add, offset, distance, span)
            };
            match index.map(|index| &index.kind) {
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
                    let written = index?;
                    is_contiguous &= shape.is_empty();
                    let value = self.value(written);
                    let index = self.index_within(array, &size, value, written)?;
                    let index = self.bounded(index, size, &mut bounds);
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
        if !bounds.is_empty() {
            let offset_kind = ExpressionKind::ViewStart {
                array,
                offset: Box::new(offset),
            };
            offset = Expression::new(offset_kind, DType::I64, span);
        }
        let sizes = shape.into_iter();
        let shape = sizes.map(|size| size_within(size, &bounds, span)).collect();
        let part = Region {
            array,
            offset,
            shape,
            strides,
            is_contiguous,
            owner,
        };
        Some(part.into_view())
    }

    /// The way to one element of a part: where the part begins, then the indices, the sizes and the strides. It can be
    /// kept in variables; whether the element exists is asked where the way is gone.
    pub(super) fn way_to_element(
        &mut self,
        part: Region,
        indices: &[&syntax::Expression],
    ) -> Option<Vec<Expression>> {
        let mut way = vec![part.offset];
        for (index, size) in indices.iter().zip(&part.shape) {
            let value = self.value(index);
            way.push(self.index_within(part.array, size, value, index)?);
        }
        way.extend(part.shape);
        way.extend(part.strides);
        Some(way)
    }

    /// Where a way leads, counted from the first element of the array.
    pub(super) fn end_of_way(&self, way: &[Expression], span: Span) -> Expression {
        let (offset, indices, sizes, strides) = steps_of(way);
        let mut end = offset.clone();
        for ((index, size), stride) in indices.iter().zip(sizes).zip(strides) {
            let index = self.bounded(index.clone(), size.clone(), &mut Vec::new());
            let distance = folded(BinaryOperator::Multiply, index, stride.clone(), span);
            end = folded(BinaryOperator::Add, end, distance, span);
        }
        end
    }

    /// An index that is checked, if bounds are, and noted in `bounds` with the size it must be less than.
    fn bounded(
        &self,
        index: Expression,
        size: Expression,
        bounds: &mut Vec<(Expression, Expression)>,
    ) -> Expression {
        if !self.program.options.check_bounds {
            return index;
        }
        bounds.push((index.clone(), size.clone()));
        let span = index.span;
        let (index, size) = (Box::new(index), Box::new(size));
        let kind = ExpressionKind::Bounded { index, size };
        Expression::new(kind, DType::I64, span)
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
                    // The smallest has no opposite.
                    Some(Ok(number)) if number != 0 && number != i64::MIN => number,
                    _ => {
                        self.report(problems::slice_step(step.span));
                        return None;
                    }
                }
            }
        };
        let is_up = step > 0;
        let whole = size.clone();
        // Where counting may stop: before the first element, or after the last one.
        let (first, last) = if is_up {
            (index_literal(0, span), size.clone())
        } else {
            let last = folded(
                BinaryOperator::Subtract,
                size.clone(),
                index_literal(1, span),
                span,
            );
            (index_literal(-1, span), last)
        };
        let limits = [first.clone(), last.clone()];
        let start = match lower {
            None if is_up => first.clone(),
            None => last.clone(),
            Some(lower) => self.slice_bound(lower, size.clone(), &limits)?,
        };
        let end = match upper {
            None if is_up => last,
            None => first,
            Some(upper) => self.slice_bound(upper, size, &limits)?,
        };
        let (low, high) = if is_up {
            (start.clone(), end)
        } else {
            (end, start.clone())
        };
        // Slices that leave out as many elements have the same length in the same words, so that they are known to fit.
        let length = match self.left_out(lower, upper) {
            Some(left_out) if is_up => {
                let left_out = index_literal(left_out, span);
                folded(BinaryOperator::Subtract, whole, left_out, span)
            }
            _ => folded(BinaryOperator::Subtract, high, low, span),
        };
        let length = folded(
            BinaryOperator::Maximum,
            length,
            index_literal(0, span),
            span,
        );
        if step == 1 {
            return Some((start, length, step));
        }
        let distance = step.abs();
        let rest = index_literal(distance - 1, span);
        let length = folded(BinaryOperator::Add, length, rest, span);
        let count = folded(
            BinaryOperator::FloorDivide,
            length,
            index_literal(distance, span),
            span,
        );
        Some((start, count, step))
    }

    /// How many elements a slice leaves out at both ends, if it has only such bounds.
    fn left_out(
        &mut self,
        lower: Option<&syntax::Expression>,
        upper: Option<&syntax::Expression>,
    ) -> Option<i64> {
        let mut constant = |bound: &syntax::Expression| match self.silently(bound) {
            Value::Constant(constant) => i64::try_from(constants::as_int(constant)?).ok(),
            _ => None,
        };
        let first = lower.map_or(Some(0), &mut constant)?;
        let last = upper.map_or(Some(0), |upper| constant(upper).filter(|last| *last < 0))?;
        (first >= 0).then(|| first.checked_sub(last)).flatten()
    }

    /// A bound of a slice, within limits; a negative constant counts from the end, and a negative number if indices do.
    fn slice_bound(
        &mut self,
        bound: &syntax::Expression,
        size: Expression,
        [first, last]: &[Expression; 2],
    ) -> Option<Expression> {
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
                    let from_end = folded(BinaryOperator::Add, size, literal, span);
                    folded(BinaryOperator::Maximum, from_end, first.clone(), span)
                }
            }
            Number::Typed(typed) if typed.dtype.is_integer() => {
                let options = self.program.options;
                let may_wrap = options.wrap_indices && typed.dtype.is_signed();
                let mut position = cast(typed, DType::I64);
                if may_wrap {
                    position = self.wrapped(position, size);
                }
                if may_wrap || options.check_bounds {
                    folded(BinaryOperator::Maximum, position, first.clone(), span)
                } else {
                    position
                }
            }
            Number::Typed(_) => {
                self.report(problems::slice_bound(span));
                return None;
            }
        };
        Some(folded(
            BinaryOperator::Minimum,
            position,
            last.clone(),
            span,
        ))
    }

    /// The array as one dimension.
    pub(super) fn flat(&mut self, array: ArrayId) -> ArrayId {
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
            is_owned,
        } = object.kind
        else {
            return None;
        };
        let (offset, sizes) = object.parts.split_first()?;
        let (shape, others) = sizes.split_at(ndim);
        let (strides, owner) = others.split_at(ndim);
        // What is known when compiling makes better code than what a variable holds.
        let strides = if is_contiguous && is_owned {
            contiguous_strides(shape, offset.span)
        } else {
            strides.to_vec()
        };
        Some(Region {
            array,
            offset: offset.clone(),
            shape: shape.to_vec(),
            strides,
            is_contiguous,
            owner: owner.first().cloned(),
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

/// The part of an array that a way goes through.
pub(super) fn way_part(array: ArrayId, way: &[Expression]) -> Region {
    let (offset, _, sizes, strides) = steps_of(way);
    Region {
        array,
        offset: offset.clone(),
        shape: sizes.to_vec(),
        strides: strides.to_vec(),
        // It may be; a way does not remember.
        is_contiguous: false,
        owner: None,
    }
}

/// The offset, indices, sizes and strides of a way.
fn steps_of(way: &[Expression]) -> (&Expression, &[Expression], &[Expression], &[Expression]) {
    let (offset, steps) = way.split_first().expect("a way begins with an offset");
    let ndim = steps.len() / 3;
    let (indices, axes) = steps.split_at(ndim);
    let (sizes, strides) = axes.split_at(ndim);
    (offset, indices, sizes, strides)
}

pub(super) fn index_literal(value: i64, span: Span) -> Expression {
    Expression::literal(Literal::I64(value), span)
}

/// The size of a view that has no elements if one of its indices does not exist. So nothing outside of
/// the array is accessed by way of it, even where work-items have to go on.
fn size_within(size: Expression, bounds: &[(Expression, Expression)], span: Span) -> Expression {
    let conditions = bounds.iter().filter(|(index, _)| !index.has_effects());
    conditions.fold(size, |size, (index, limit)| {
        let zero = index_literal(0, span);
        let at_least = ir_binary(
            BinaryOperator::GreaterEqual,
            index.clone(),
            zero.clone(),
            span,
        );
        let below = ir_binary(BinaryOperator::Less, index.clone(), limit.clone(), span);
        let inside = ir_binary(BinaryOperator::BitAnd, at_least, below, span);
        let kind = ExpressionKind::Conditional {
            condition: Box::new(inside),
            accept: Box::new(size),
            reject: Box::new(zero),
        };
        Expression::new(kind, DType::I64, span)
    })
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
