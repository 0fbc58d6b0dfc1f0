//! What kernels ask of the device: ids and sizes, barriers, memory of a group or work-item, atomics.

use situ_ir::promotion;
use situ_ir::{AddressSpace, AtomicOperation, DType, MemorySpaces, Span, WorkItemQuery};

use crate::environment::KnownModule;
use crate::infer::calls::Written;
use crate::infer::library::{LibraryFunction, Query};
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::syntax;
use crate::typed::{
    Array, ArrayId, ArrayOrigin, Atomic, Expression, ExpressionKind, StatementKind,
};

/// More elements than any device has memory for; keeps sizes in bytes countable.
const MAX_ELEMENTS: u64 = 1 << 40;

impl Inference<'_, '_, '_> {
    /// `situ.get_global_id(dimension)` and its relatives.
    pub(super) fn work_item(&mut self, query: Query, call: Written<'_>) -> Value {
        if !self.check_count(call, 1, 1) {
            return Value::Unknown;
        }
        let argument = &call.arguments[0];
        let Some(number) = self.number(argument) else {
            return Value::Unknown;
        };
        let dimension = match number.constant().and_then(constants::as_int) {
            Some(dimension @ 0..=2) => dimension as u8,
            Some(dimension) => {
                self.report(problems::dimension_range(dimension, argument.span));
                return Value::Unknown;
            }
            None => {
                self.report(problems::dimension_constant(call.name, argument.span));
                return Value::Unknown;
            }
        };
        self.use_dimension(dimension);
        let query = match query {
            Query::GlobalId => WorkItemQuery::GlobalId(dimension),
            Query::LocalId => WorkItemQuery::LocalId(dimension),
            Query::GroupId => WorkItemQuery::GroupId(dimension),
            Query::GlobalSize => WorkItemQuery::GlobalSize(dimension),
            Query::LocalSize => WorkItemQuery::LocalSize(dimension),
            Query::GroupCount => WorkItemQuery::GroupCount(dimension),
        };
        let kind = ExpressionKind::WorkItem(query);
        Value::Scalar(Expression::new(kind, DType::I64, call.span))
    }

    pub(super) fn barrier(&mut self, call: Written<'_>) -> Option<StatementKind> {
        if !self.check_count(call, 0, 0) {
            return None;
        }
        if !self.is_kernel() {
            self.report(problems::barrier_in_device_function(call.span));
            return None;
        }
        Some(StatementKind::Barrier(MemorySpaces::LocalAndGlobal))
    }

    // ----- local and private arrays -----

    /// `situ.local.array(shape, dtype)` or `situ.private.array(shape, dtype)`.
    pub(super) fn new_array(&mut self, module: KnownModule, call: Written<'_>) -> Value {
        let Some((shape, dtype)) = self.array_arguments(call) else {
            return Value::Unknown;
        };
        let (shape, dtype) = (self.constant_shape(shape), self.array_dtype(dtype));
        let (Some(shape), Some(dtype)) = (shape, dtype) else {
            return Value::Unknown;
        };
        let space = if module == KnownModule::SituLocal {
            AddressSpace::Local
        } else {
            AddressSpace::Private
        };
        if space == AddressSpace::Local && !self.is_kernel() {
            self.report(problems::local_array_in_device_function(call.span));
            return Value::Unknown;
        }
        let array = Array {
            name: String::new(),
            dtype,
            ndim: shape.len(),
            space,
            origin: ArrayOrigin::Declared {
                shape,
                span: call.span,
            },
        };
        Value::Static(Static::Array(self.declare_array(call.span, array)))
    }

    /// The expressions given for `shape` and `dtype`, by position or by name.
    fn array_arguments<'s>(
        &mut self,
        call: Written<'s>,
    ) -> Option<(&'s syntax::Expression, &'s syntax::Expression)> {
        let mut given = [call.arguments.first(), call.arguments.get(1)];
        for (keyword, value) in call.keywords {
            match keyword.name.as_str() {
                "shape" if given[0].is_none() => given[0] = Some(value),
                "dtype" if given[1].is_none() => given[1] = Some(value),
                _ => {
                    self.report(problems::keyword_argument(call.name, keyword));
                    return None;
                }
            }
        }
        match given {
            [Some(shape), Some(dtype)] if call.arguments.len() <= 2 => Some((shape, dtype)),
            _ => {
                let found = call.arguments.len() + call.keywords.len();
                self.report(problems::argument_count(call.name, "2", found, call.span));
                None
            }
        }
    }

    fn constant_shape(&mut self, expression: &syntax::Expression) -> Option<Vec<u64>> {
        let span = expression.span;
        let sizes = match self.value(expression) {
            Value::Tuple(items) => items,
            Value::Unknown => return None,
            single => vec![single],
        };
        let mut shape = Vec::with_capacity(sizes.len());
        for size in sizes {
            let size = match size {
                Value::Constant(constant) => constants::as_int(constant),
                Value::Unknown => return None,
                _ => None,
            };
            match size.map(u64::try_from) {
                Some(Ok(size)) if size > 0 => shape.push(size),
                _ => {
                    self.report(problems::array_shape(span));
                    return None;
                }
            }
        }
        let count = shape
            .iter()
            .try_fold(1_u64, |product, size| product.checked_mul(*size));
        match count {
            Some(count) if count <= MAX_ELEMENTS && !shape.is_empty() => Some(shape),
            _ => {
                self.report(problems::array_shape(span));
                None
            }
        }
    }

    fn array_dtype(&mut self, expression: &syntax::Expression) -> Option<DType> {
        match self.value(expression) {
            Value::Static(Static::DType(dtype)) => Some(dtype),
            Value::Static(Static::Library(LibraryFunction::Float)) => Some(self.default_float()),
            Value::Static(Static::Library(LibraryFunction::Int)) => Some(DType::I64),
            Value::Static(Static::Library(LibraryFunction::Bool)) => Some(DType::Bool),
            Value::Static(Static::Library(LibraryFunction::Complex)) => {
                Some(promotion::complex_of(self.default_float()))
            }
            Value::Unknown => None,
            other => {
                self.report(problems::not_a_dtype(&other.describe(), expression.span));
                None
            }
        }
    }

    // ----- atomics -----

    /// An atomic whose old content is used.
    pub(super) fn atomic_value(&mut self, operation: AtomicOperation, call: Written<'_>) -> Value {
        let Some(atomic) = self.atomic(operation, call) else {
            return Value::Unknown;
        };
        if operation == AtomicOperation::Store {
            return Value::Nothing;
        }
        let dtype = self.array(atomic.array).dtype;
        let kind = ExpressionKind::Atomic(Box::new(atomic));
        Value::Scalar(Expression::new(kind, dtype, call.span))
    }

    /// `situ.atomic.add(array, index, value)` and its relatives.
    pub(super) fn atomic(
        &mut self,
        operation: AtomicOperation,
        call: Written<'_>,
    ) -> Option<Atomic> {
        let count = match operation {
            AtomicOperation::Load => 2,
            AtomicOperation::CompareExchange => 4,
            _ => 3,
        };
        if !self.check_count(call, count, count) {
            return None;
        }
        let array = self.atomic_array(operation, &call.arguments[0])?;
        let indices = self.place(array, &[&call.arguments[1]], call.arguments[1].span);
        let dtype = self.array(array).dtype;
        let mut operands = Vec::new();
        for argument in &call.arguments[2..] {
            let number = self.number(argument);
            operands.push(number.and_then(|number| self.stored(number, dtype, argument.span)));
        }
        let mut operands = operands
            .into_iter()
            .collect::<Option<Vec<_>>>()?
            .into_iter();
        let expected = match operation {
            AtomicOperation::CompareExchange => operands.next(),
            _ => None,
        };
        Some(Atomic {
            operation,
            array,
            indices: indices?,
            operand: operands.next(),
            expected,
        })
    }

    fn atomic_array(
        &mut self,
        operation: AtomicOperation,
        expression: &syntax::Expression,
    ) -> Option<ArrayId> {
        let span: Span = expression.span;
        let id = match self.value(expression) {
            Value::Static(Static::Array(id)) => id,
            Value::Unknown => return None,
            other => {
                let found = match other {
                    Value::Scalar(number) => Number::Typed(number).describe(),
                    other => other.describe(),
                };
                self.report(problems::atomic_without_array(&found, span));
                return None;
            }
        };
        let (dtype, space) = (self.array(id).dtype, self.array(id).space);
        if space == AddressSpace::Private {
            self.report(problems::atomic_on_private(span));
            return None;
        }
        let is_bitwise = matches!(
            operation,
            AtomicOperation::BitAnd | AtomicOperation::BitOr | AtomicOperation::BitXor
        );
        let has_width = matches!(dtype.size_bytes(), 4 | 8) && !dtype.is_complex();
        if !has_width || (is_bitwise && !dtype.is_integer()) {
            self.report(problems::atomic_dtype(
                operation.name(),
                dtype,
                is_bitwise,
                span,
            ));
            return None;
        }
        Some(id)
    }
}
