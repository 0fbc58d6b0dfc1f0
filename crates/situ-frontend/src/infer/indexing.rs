//! Elements of arrays and tuples.
//!
//! An index counts from 0. A constant index may be negative and then counts from the end, as in
//! Python; an index that is only known at run time must not be negative, because a test on every
//! access would keep the compiler from reading neighbouring elements together. A kernel can ask for
//! that test with `wrap_indices`.

use situ_ir::{BinaryOperator, DType, Literal, Span, promotion};

use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::{LocalType, Number, Object, ObjectKind, Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::syntax::{self, Constant};
use crate::typed::{Array, ArrayId, ArrayOrigin, Call, Expression, ExpressionKind, Statement};

/// The greatest number of items of a tuple that an index chooses from at run time.
const MAX_CHOICES: usize = 32;

impl Inference<'_, '_, '_> {
    /// `value[indices]` where it is read.
    pub(super) fn subscript(
        &mut self,
        value: &syntax::Expression,
        indices: &[syntax::Expression],
        span: Span,
    ) -> Value {
        let is_one_each = indices.len() == 1;
        let (root, indices) = flatten(value, indices);
        let of = self.value(root);
        self.item(of, root, (&indices, is_one_each), span)
    }

    /// What indices select of a value. `is_one_each` tells whether the last pair of brackets has one index.
    fn item(
        &mut self,
        of: Value,
        root: &syntax::Expression,
        (indices, is_one_each): (&[&syntax::Expression], bool),
        span: Span,
    ) -> Value {
        if let Some(gathered) = self.gather(&of, indices, span) {
            return gathered;
        }
        match of {
            Value::Elements(elements) => match self.in_memory(*elements, span) {
                Some(kept) => self.item(kept, root, (indices, is_one_each), span),
                None => Value::Unknown,
            },
            Value::Static(Static::Array(array)) => self.array_item(array, indices, span),
            Value::Object(
                object @ Object {
                    kind: ObjectKind::View { .. },
                    ..
                },
            ) => {
                let region = Self::region(&object);
                region
                    .and_then(|region| self.cut(region, indices, span))
                    .unwrap_or(Value::Unknown)
            }
            // Each pair of brackets is about what the one before gives.
            Value::Tuple(items) if is_one_each && indices.len() > 1 => {
                let item = self.tuple_item(items, &indices[..1], span);
                self.item(item, root, (&indices[1..], true), span)
            }
            Value::Tuple(items) => self.tuple_item(items, indices, span),
            Value::Call { call, result } => self.call_item(call, &result, indices, span),
            Value::Unknown => Value::Unknown,
            other => {
                self.report(problems::not_indexable(&other.describe(), root.span));
                Value::Unknown
            }
        }
    }

    /// An element of an array, or a part of it.
    fn array_item(&mut self, array: ArrayId, indices: &[&syntax::Expression], span: Span) -> Value {
        if self.selects_part(array, indices) {
            let whole = self.whole(array, span);
            return self.cut(whole, indices, span).unwrap_or(Value::Unknown);
        }
        let Some(indices) = self.place(array, indices, span) else {
            return Value::Unknown;
        };
        let dtype = self.array(array).dtype;
        let kind = ExpressionKind::Element { array, indices };
        Value::Scalar(Expression::new(kind, dtype, span))
    }

    /// Whether indices select several elements: one of them is a slice, or there are too few.
    fn selects_part(&mut self, array: ArrayId, indices: &[&syntax::Expression]) -> bool {
        let has_arrays = self.writes_out_arrays();
        let is_slice = |index: &&syntax::Expression| match index.kind {
            syntax::ExpressionKind::Slice { .. } => true,
            syntax::ExpressionKind::None | syntax::ExpressionKind::Ellipsis => has_arrays,
            _ => false,
        };
        if indices.iter().any(is_slice) {
            return true;
        }
        if indices.len() >= self.array(array).ndim {
            return false;
        }
        // A tuple may stand for several indices; then they are counted where they are used. Only what
        // is quickly looked up is asked, since it is looked up again.
        !indices.iter().any(|index| {
            matches!(
                index.kind,
                syntax::ExpressionKind::Name(_)
                    | syntax::ExpressionKind::Attribute { .. }
                    | syntax::ExpressionKind::Tuple(_)
            ) && matches!(self.silently(index), Value::Tuple(_))
        })
    }

    /// What an expression stands for, without reporting anything: it is read again later.
    pub(super) fn silently(&mut self, expression: &syntax::Expression) -> Value {
        let (own, callees) = (self.failure.own.len(), self.failure.callees.len());
        let (slots, before) = (self.slots, self.before.len());
        let (temporaries, kept) = (self.temporaries.len(), self.kept.len());
        let value = self.value(expression);
        self.failure.own.truncate(own);
        self.failure.callees.truncate(callees);
        self.before.truncate(before);
        self.temporaries.truncate(temporaries);
        self.kept.truncate(kept);
        self.slots = slots;
        value
    }

    /// The array and indices of `value[indices]` where it is written.
    pub(super) fn element_target(
        &mut self,
        value: &syntax::Expression,
        indices: &[syntax::Expression],
        span: Span,
    ) -> Option<(ArrayId, Vec<Expression>)> {
        match self.subscript_target(value, indices, span)? {
            Value::Scalar(Expression {
                kind: ExpressionKind::Element { array, indices },
                ..
            }) => Some((array, indices)),
            Value::Object(_) => {
                self.report(problems::part_assigned(span));
                None
            }
            _ => None,
        }
    }

    /// The part of an array that `value[indices]` is, if it is one of several elements.
    pub(super) fn part_target(
        &mut self,
        value: &syntax::Expression,
        indices: &[syntax::Expression],
        span: Span,
    ) -> Option<Value> {
        let (root, flat) = flatten(value, indices);
        let of = self.silently(root);
        let ndim = match &of {
            Value::Static(Static::Array(array)) => self.array(*array).ndim,
            Value::Object(Object {
                kind: ObjectKind::View { ndim, .. },
                ..
            }) => *ndim,
            _ => return None,
        };
        let is_whole = |index: &&syntax::Expression| {
            matches!(
                index.kind,
                syntax::ExpressionKind::Slice { .. }
                    | syntax::ExpressionKind::Ellipsis
                    | syntax::ExpressionKind::None
            )
        };
        if flat.len() >= ndim && !flat.iter().any(is_whole) {
            return None;
        }
        match self.subscript_target(value, indices, span)? {
            part @ Value::Object(_) => Some(part),
            _ => None,
        }
    }

    /// Whether the last index is an array.
    pub(super) fn has_array_index(&mut self, indices: &[syntax::Expression]) -> bool {
        let is_slice =
            |index: &syntax::Expression| matches!(index.kind, syntax::ExpressionKind::Slice { .. });
        indices.last().is_some_and(|last| {
            let index = (!is_slice(last)).then(|| self.silently(last));
            index.is_some_and(|index| self.is_array(&index))
        })
    }

    /// `value[indices] = stored`, or `value[indices] operator= stored`, where the last index is an array; `false` if it is
    /// none.
    pub(super) fn scatter_target(
        &mut self,
        (value, indices): (&syntax::Expression, &[syntax::Expression]),
        operator: Option<syntax::BinaryOperator>,
        stored: Value,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> bool {
        if !self.has_array_index(indices) {
            return false;
        }
        let (root, flat) = flatten(value, indices);
        let of = self.value(root);
        if self
            .scatter((&of, &flat), operator, stored, span, out)
            .is_none()
        {
            self.not_written_out("a store to these indices", span);
        }
        true
    }

    fn subscript_target(
        &mut self,
        value: &syntax::Expression,
        indices: &[syntax::Expression],
        span: Span,
    ) -> Option<Value> {
        let (root, flat) = flatten(value, indices);
        match self.value(root) {
            Value::Static(Static::Array(array)) => Some(self.array_item(array, &flat, span)),
            Value::Object(
                object @ Object {
                    kind: ObjectKind::View { .. },
                    ..
                },
            ) => {
                let region = Self::region(&object)?;
                self.cut(region, &flat, span)
            }
            Value::Unknown => None,
            Value::Tuple(_) | Value::Call { .. } => {
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
        let size = self.shape(array, axis, syntax.span);
        self.index_within(array, &size, value, syntax)
    }

    /// An index along an axis of this size, of an array or a part of it.
    pub(super) fn index_within(
        &mut self,
        array: ArrayId,
        size: &Expression,
        value: Value,
        syntax: &syntax::Expression,
    ) -> Option<Expression> {
        let span = syntax.span;
        match self.as_number(value, span)? {
            Number::Constant(Constant::Int(index)) => self.constant_index(array, size, index, span),
            Number::Typed(index) if index.dtype.is_integer() => {
                let may_wrap = self.program.options.wrap_indices && index.dtype.is_signed();
                let index = cast(index, DType::I64);
                Some(if may_wrap {
                    self.wrapped(index, size.clone())
                } else {
                    index
                })
            }
            other => {
                let culprit = self.culprit(syntax);
                let name = &self.array(array).name;
                let problem = problems::index_type(name, &other.describe(), culprit, span);
                self.report(problem);
                None
            }
        }
    }

    /// An index that counts from the end if it is negative.
    pub(super) fn wrapped(&mut self, index: Expression, size: Expression) -> Expression {
        // What is never negative needs no test.
        if let ExpressionKind::WorkItem(_) = index.kind {
            return index;
        }
        let span = index.span;
        self.with_shared(index, |_, index| {
            let zero = Expression::literal(Literal::I64(0), span);
            let is_negative = ir_binary(BinaryOperator::Less, index.clone(), zero, span);
            let from_end = ir_binary(BinaryOperator::Add, index.clone(), size, span);
            let kind = ExpressionKind::Conditional {
                condition: Box::new(is_negative),
                accept: Box::new(from_end),
                reject: Box::new(index),
            };
            Expression::new(kind, DType::I64, span)
        })
    }

    fn constant_index(
        &mut self,
        array: ArrayId,
        size: &Expression,
        index: i128,
        span: Span,
    ) -> Option<Expression> {
        if let ExpressionKind::Literal(Literal::I64(size)) = size.kind {
            let size = i128::from(size);
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
        Some(ir_binary(BinaryOperator::Add, size.clone(), constant, span))
    }

    /// The size of an array along an axis.
    pub(super) fn shape(&mut self, array: ArrayId, axis: usize, span: Span) -> Expression {
        match &self.array(array).origin {
            ArrayOrigin::Declared { shape, .. } => {
                Expression::literal(Literal::I64(shape[axis] as i64), span)
            }
            ArrayOrigin::Parameter { .. } | ArrayOrigin::Flat { .. } => {
                let (array, axis) = self.of_same_size(array, axis);
                Expression::new(ExpressionKind::Shape { array, axis }, DType::I64, span)
            }
        }
    }

    /// The array and axis that are asked for a size: of those that are known to be the same, one is asked.
    fn of_same_size(&self, array: ArrayId, axis: usize) -> (ArrayId, usize) {
        let own = (array, axis);
        if self.program.same_sizes.is_empty() || self.is_called_with_memory() {
            return own;
        }
        let name = (self.array(array).name.clone(), axis);
        let asked = self.program.same_sizes.get(&name);
        let found = asked.and_then(|(name, axis)| {
            let is_it = |array: &Array| {
                array.name == *name && matches!(array.origin, ArrayOrigin::Parameter { .. })
            };
            let position = self.arrays.iter().position(is_it)?;
            Some((ArrayId(position), *axis))
        });
        found.unwrap_or(own)
    }

    /// An item of the tuple that a call returns: the call is done for this item alone.
    fn call_item(
        &mut self,
        call: Call,
        result: &LocalType,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Value {
        let LocalType::Tuple(types) = result else {
            return Value::Unknown;
        };
        // Each item as its position among the numbers, so that the choice of one is that of a tuple.
        let positions =
            (0..types.len()).map(|position| Value::Constant(Constant::Int(position as i128)));
        let Value::Constant(chosen) = self.tuple_item(positions.collect(), indices, span) else {
            return Value::Unknown;
        };
        let chosen = constants::as_int(chosen).unwrap_or(0) as usize;
        let before: usize = types[..chosen].iter().map(|ty| ty.numbers().len()).sum();
        let LocalType::Scalar(dtype) = types[chosen] else {
            self.report(problems::inner_tuple(span));
            return Value::Unknown;
        };
        let item = before;
        let kind = ExpressionKind::CallItem { call, item };
        Value::Scalar(Expression::new(kind, dtype, span))
    }

    /// An item of a tuple of numbers whose index is known when the code runs; `None` if there are too many, or they
    /// are no numbers. Functions of the host have such tuples where Python has lists.
    fn item_at_run_time(
        &mut self,
        items: &[Value],
        index: Expression,
        span: Span,
    ) -> Option<Value> {
        if items.is_empty() || items.len() > MAX_CHOICES || !index.dtype.is_integer() {
            return None;
        }
        let numbers = items.iter().map(|item| match item {
            Value::Scalar(expression) => Some(Number::Typed(expression.clone())),
            Value::Constant(constant) => Some(Number::Constant(*constant)),
            _ => None,
        });
        let numbers: Vec<Number> = numbers.collect::<Option<_>>()?;
        let mut dtype = self.own_dtype(&numbers[0]);
        for number in &numbers[1..] {
            dtype = promotion::promote_for(dtype, self.own_dtype(number), self.default_float());
        }
        let mut typed = Vec::with_capacity(numbers.len());
        for number in numbers {
            typed.push(self.convert(number, dtype, span)?);
        }
        let last = typed.pop()?;
        let size = Expression::literal(Literal::I64(items.len() as i64), span);
        let index = self.wrapped(cast(index, DType::I64), size);
        let chosen = self.with_shared(index, |_, index| {
            let choices = typed.into_iter().enumerate().rev();
            choices.fold(last, |rest, (position, item)| {
                let position = Expression::literal(Literal::I64(position as i64), span);
                let is_it = ir_binary(BinaryOperator::Equal, index.clone(), position, span);
                let kind = ExpressionKind::Conditional {
                    condition: Box::new(is_it),
                    accept: Box::new(item),
                    reject: Box::new(rest),
                };
                Expression::new(kind, dtype, span)
            })
        });
        Some(Value::Scalar(chosen))
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
        if let syntax::ExpressionKind::Slice { lower, upper, step } = &index.kind {
            let bounds = [lower, upper, step].map(Option::as_deref);
            return self.tuple_slice(&items, bounds, span);
        }
        let Some(number) = self.number(index) else {
            return Value::Unknown;
        };
        let size = items.len() as i128;
        let constant = number.constant().or_else(|| self.named_constant(index));
        let position = constant.and_then(constants::as_int);
        let position = position.map(|index| if index < 0 { index + size } else { index });
        match position {
            Some(position) if (0..size).contains(&position) => items.swap_remove(position as usize),
            None if self.program.options.is_host()
                && let Number::Typed(typed) = number
                && let Some(chosen) = self.item_at_run_time(&items, typed, span) =>
            {
                chosen
            }
            _ => {
                self.report(problems::tuple_index(items.len(), index.span));
                Value::Unknown
            }
        }
    }
}

impl Inference<'_, '_, '_> {
    /// `items[lower:upper:step]` with constants.
    fn tuple_slice(
        &mut self,
        items: &[Value],
        bounds: [Option<&syntax::Expression>; 3],
        span: Span,
    ) -> Value {
        let size = items.len() as i128;
        let mut known = [None; 3];
        for (known, bound) in known.iter_mut().zip(bounds) {
            let Some(bound) = bound else { continue };
            let number = self.number(bound);
            let constant = number.and_then(|number| number.constant());
            *known = constant.and_then(constants::as_int);
            if known.is_none() {
                self.report(problems::tuple_index(items.len(), bound.span));
                return Value::Unknown;
            }
        }
        let [lower, upper, step] = known;
        let step = step.unwrap_or(1);
        if step == 0 {
            self.report(problems::slice_step(span));
            return Value::Unknown;
        }
        let (first, last) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let place = |bound: i128| (if bound < 0 { bound + size } else { bound }).clamp(first, last);
        let (from, to) = if step > 0 {
            (first, last)
        } else {
            (last, first)
        };
        let (mut position, end) = (lower.map_or(from, place), upper.map_or(to, place));
        let mut chosen = Vec::new();
        while (step > 0 && position < end) || (step < 0 && position > end) {
            chosen.extend(items.get(position as usize).cloned());
            position += step;
        }
        Value::Tuple(chosen)
    }
}

/// `a[i][j]` is `a[i, j]`: the innermost value and all indices. Where there are slices, each pair of
/// brackets is about what the one before gives, so only the last one is taken off.
fn flatten<'s>(
    value: &'s syntax::Expression,
    indices: &'s [syntax::Expression],
) -> (&'s syntax::Expression, Vec<&'s syntax::Expression>) {
    let mut all: Vec<&syntax::Expression> = Vec::new();
    let mut root = value;
    let mut levels = vec![indices];
    let is_slice = |index: &syntax::Expression| {
        matches!(
            index.kind,
            syntax::ExpressionKind::Slice { .. }
                | syntax::ExpressionKind::None
                | syntax::ExpressionKind::Ellipsis
        )
    };
    while let syntax::ExpressionKind::Subscript { value, indices } = &root.kind {
        if levels
            .iter()
            .copied()
            .flatten()
            .chain(indices)
            .any(is_slice)
        {
            break;
        }
        levels.push(indices);
        root = value;
    }
    for level in levels.into_iter().rev() {
        all.extend(level);
    }
    (root, all)
}
