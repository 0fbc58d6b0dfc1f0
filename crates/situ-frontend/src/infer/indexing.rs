//! Elements of arrays and tuples.
//!
//! An index counts from 0. A constant index may be negative and then counts from the end, as in
//! Python; an index that is only known at run time must not be negative, because a test on every
//! access would keep the compiler from reading neighbouring elements together.

use situ_ir::{BinaryOperator, DType, Literal, Span};

use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::syntax::{self, Constant};
use crate::typed::{ArrayId, ArrayOrigin, Expression, ExpressionKind};

impl Inference<'_, '_, '_> {
    /// `value[indices]` where it is read.
    pub(super) fn subscript(
        &mut self,
        value: &syntax::Expression,
        indices: &[syntax::Expression],
        span: Span,
    ) -> Value {
        let (root, indices) = flatten(value, indices);
        match self.value(root) {
            Value::Static(Static::Array(array)) => match self.place(array, &indices, span) {
                Some(indices) => {
                    let dtype = self.array(array).dtype;
                    let kind = ExpressionKind::Element { array, indices };
                    Value::Scalar(Expression::new(kind, dtype, span))
                }
                None => Value::Unknown,
            },
            Value::Tuple(items) => self.tuple_item(items, &indices, span),
            Value::Unknown => Value::Unknown,
            other => {
                self.report(problems::not_indexable(&other.describe(), root.span));
                Value::Unknown
            }
        }
    }

    /// The array and indices of `value[indices]` where it is written.
    pub(super) fn element_target(
        &mut self,
        value: &syntax::Expression,
        indices: &[syntax::Expression],
        span: Span,
    ) -> Option<(ArrayId, Vec<Expression>)> {
        let (root, indices) = flatten(value, indices);
        match self.value(root) {
            Value::Static(Static::Array(array)) => {
                Some((array, self.place(array, &indices, span)?))
            }
            Value::Unknown => None,
            Value::Tuple(_) => {
                self.report(problems::tuple_is_constant(span));
                None
            }
            other => {
                self.report(problems::not_indexable(&other.describe(), root.span));
                None
            }
        }
    }

    /// The position of one element: an `int64` for each dimension.
    pub(super) fn place(
        &mut self,
        array: ArrayId,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Option<Vec<Expression>> {
        // A tuple stands for several indices: `a[position]` with `position = (i, j)`.
        let mut numbers = Vec::new();
        for index in indices {
            match self.value(index) {
                Value::Tuple(items) => {
                    numbers.extend(items.into_iter().map(|item| (item, *index)));
                }
                value => numbers.push((value, *index)),
            }
        }
        let ndim = self.array(array).ndim;
        if numbers.len() != ndim {
            let problem = problems::index_count(self.array(array), numbers.len(), span);
            self.report(problem);
            return None;
        }
        let placed: Vec<_> = numbers
            .into_iter()
            .enumerate()
            .map(|(axis, (value, index))| self.index(array, axis, value, index))
            .collect();
        placed.into_iter().collect()
    }

    fn index(
        &mut self,
        array: ArrayId,
        axis: usize,
        value: Value,
        syntax: &syntax::Expression,
    ) -> Option<Expression> {
        let span = syntax.span;
        match self.as_number(value, span)? {
            Number::Constant(Constant::Int(index)) => self.constant_index(array, axis, index, span),
            Number::Typed(index) if index.dtype.is_integer() => Some(cast(index, DType::I64)),
            other => {
                let culprit = self.culprit(syntax);
                let name = &self.array(array).name;
                let problem = problems::index_type(name, &other.describe(), culprit, span);
                self.report(problem);
                None
            }
        }
    }

    fn constant_index(
        &mut self,
        array: ArrayId,
        axis: usize,
        index: i128,
        span: Span,
    ) -> Option<Expression> {
        let known_size = match &self.array(array).origin {
            ArrayOrigin::Declared { shape, .. } => Some(i128::from(shape[axis])),
            ArrayOrigin::Parameter { .. } => None,
        };
        if let Some(size) = known_size {
            let position = if index < 0 { index + size } else { index };
            if position < 0 || position >= size {
                let name = &self.array(array).name;
                let problem = problems::index_out_of_range(name, index, size, span);
                self.report(problem);
                return None;
            }
            return self.convert(Number::Constant(Constant::Int(position)), DType::I64, span);
        }
        let constant = self.convert(Number::Constant(Constant::Int(index)), DType::I64, span)?;
        if index >= 0 {
            return Some(constant);
        }
        let size = self.shape(array, axis, span);
        Some(ir_binary(BinaryOperator::Add, size, constant, span))
    }

    /// The size of an array along an axis.
    pub(super) fn shape(&mut self, array: ArrayId, axis: usize, span: Span) -> Expression {
        match &self.array(array).origin {
            ArrayOrigin::Declared { shape, .. } => {
                Expression::literal(Literal::I64(shape[axis] as i64), span)
            }
            ArrayOrigin::Parameter { .. } => {
                Expression::new(ExpressionKind::Shape { array, axis }, DType::I64, span)
            }
        }
    }

    fn tuple_item(
        &mut self,
        mut items: Vec<Value>,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Value {
        let [index] = indices else {
            self.report(problems::tuple_index(items.len(), span));
            return Value::Unknown;
        };
        let Some(number) = self.number(index) else {
            return Value::Unknown;
        };
        let size = items.len() as i128;
        let position = number.constant().and_then(constants::as_int);
        let position = position.map(|index| if index < 0 { index + size } else { index });
        match position {
            Some(position) if (0..size).contains(&position) => items.swap_remove(position as usize),
            _ => {
                self.report(problems::tuple_index(items.len(), index.span));
                Value::Unknown
            }
        }
    }
}

/// `a[i][j]` is `a[i, j]`: the innermost value and all indices.
fn flatten<'s>(
    value: &'s syntax::Expression,
    indices: &'s [syntax::Expression],
) -> (&'s syntax::Expression, Vec<&'s syntax::Expression>) {
    let mut all: Vec<&syntax::Expression> = Vec::new();
    let mut root = value;
    let mut levels = vec![indices];
    while let syntax::ExpressionKind::Subscript { value, indices } = &root.kind {
        levels.push(indices);
        root = value;
    }
    for level in levels.into_iter().rev() {
        all.extend(level);
    }
    (root, all)
}
