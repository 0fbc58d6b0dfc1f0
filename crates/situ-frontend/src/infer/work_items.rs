//! What kernels ask of the device: ids and sizes, barriers and fences, memory of a group or work-item.
//! Atomics are in `atomics.rs`, members of index objects in `items.rs`.

use situ_ir::promotion;
use situ_ir::{AddressSpace, DType, MemoryOrder, MemoryScope, MemorySpaces, Span, WorkItemQuery};

use crate::environment::KnownModule;
use crate::infer::calls::Written;
use crate::infer::library::{GLOBAL_MEM_FENCE, LOCAL_MEM_FENCE, LibraryFunction, Query};
use crate::infer::operators::ir_binary;
use crate::infer::value::{Static, Value};
use crate::infer::{Inference, constants, problems};
use crate::syntax::{self, Constant};
use crate::typed::{Array, ArrayOrigin, Expression, ExpressionKind, Statement, StatementKind};

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
        let constant = number.constant().or_else(|| self.named_constant(argument));
        let dimension = match constant.and_then(constants::as_int) {
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
        if let Some(dims) = self.item_dims
            && dimension >= dims
        {
            self.report(problems::dimension_of_item(dimension, dims, argument.span));
            return Value::Unknown;
        }
        let query = self.query_along(query, dimension);
        let kind = ExpressionKind::WorkItem(query);
        Value::Scalar(Expression::new(kind, DType::I64, call.span))
    }

    fn query_along(&mut self, query: Query, dimension: u8) -> WorkItemQuery {
        self.use_dimension(dimension);
        match query {
            Query::GlobalId => WorkItemQuery::GlobalId(dimension),
            Query::LocalId => WorkItemQuery::LocalId(dimension),
            Query::GroupId => WorkItemQuery::GroupId(dimension),
            Query::GlobalSize => WorkItemQuery::GlobalSize(dimension),
            Query::LocalSize => WorkItemQuery::LocalSize(dimension),
            Query::GroupCount => WorkItemQuery::GroupCount(dimension),
        }
    }

    /// `situ.get_global_linear_id()` and its relatives, which ask about every dimension.
    pub(super) fn linear_id(&mut self, query: WorkItemQuery, call: Written<'_>) -> Value {
        if !self.check_count(call, 0, 0) {
            return Value::Unknown;
        }
        self.use_all_dimensions();
        let kind = ExpressionKind::WorkItem(query);
        Value::Scalar(Expression::new(kind, DType::I64, call.span))
    }

    /// How many work-items or groups there are along all dimensions together.
    pub(super) fn linear_size(&mut self, query: Query, call: Written<'_>) -> Value {
        if !self.check_count(call, 0, 0) {
            return Value::Unknown;
        }
        let dims = self.use_all_dimensions();
        let sizes: Vec<_> = (0..dims)
            .map(|dimension| {
                let kind = ExpressionKind::WorkItem(self.query_along(query, dimension));
                Expression::new(kind, DType::I64, call.span)
            })
            .collect();
        let product = sizes.into_iter().reduce(|left, right| {
            ir_binary(situ_ir::BinaryOperator::Multiply, left, right, call.span)
        });
        product.map_or(Value::Unknown, Value::Scalar)
    }

    /// `situ.get_work_dim()`.
    pub(super) fn work_dimensions(&mut self, call: Written<'_>) -> Value {
        if !self.check_count(call, 0, 0) {
            return Value::Unknown;
        }
        let dims = self.use_all_dimensions();
        Value::Constant(Constant::Int(i128::from(dims)))
    }

    /// Remembers that every dimension of the range matters; tells how many there are.
    fn use_all_dimensions(&mut self) -> u8 {
        let dims = self.program.options.dims.unwrap_or(1);
        self.use_dimension(dims - 1);
        dims
    }

    // ----- barriers and fences -----

    /// A barrier or a fence.
    pub(super) fn synchronise(
        &mut self,
        function: LibraryFunction,
        call: Written<'_>,
    ) -> Option<StatementKind> {
        match function {
            LibraryFunction::AtomicFence => self.atomic_fence(call),
            LibraryFunction::MemoryFence => {
                let spaces = self.fence_spaces(call)?;
                let scope = match spaces {
                    MemorySpaces::Local => MemoryScope::WorkGroup,
                    MemorySpaces::Global | MemorySpaces::LocalAndGlobal => MemoryScope::Device,
                };
                let order = MemoryOrder::AcquireRelease;
                Some(StatementKind::Fence { order, scope })
            }
            LibraryFunction::GroupBarrier => self.group_barrier(call),
            _ => {
                let spaces = self.fence_spaces(call)?;
                Some(self.barrier(spaces, call.span))
            }
        }
    }

    fn barrier(&mut self, spaces: MemorySpaces, span: Span) -> StatementKind {
        self.meeting.get_or_insert(span);
        StatementKind::Barrier(spaces)
    }

    /// `LOCAL_MEM_FENCE`, `GLOBAL_MEM_FENCE` or both; both if nothing is said.
    fn fence_spaces(&mut self, call: Written<'_>) -> Option<MemorySpaces> {
        if !self.check_count(call, 0, 1) {
            return None;
        }
        let Some(argument) = call.arguments.first() else {
            return Some(MemorySpaces::LocalAndGlobal);
        };
        let bits = self
            .number(argument)?
            .constant()
            .and_then(constants::as_int);
        match bits {
            Some(LOCAL_MEM_FENCE) => Some(MemorySpaces::Local),
            Some(GLOBAL_MEM_FENCE) => Some(MemorySpaces::Global),
            Some(bits) if bits == LOCAL_MEM_FENCE | GLOBAL_MEM_FENCE => {
                Some(MemorySpaces::LocalAndGlobal)
            }
            _ => {
                self.report(problems::fence_spaces(call.name, argument.span));
                None
            }
        }
    }

    /// `group_barrier(group, fence_scope=MemoryScope.WORK_GROUP)`. The barrier itself makes memory
    /// consistent within the group; a wider scope needs a fence, which then comes with it.
    fn group_barrier(&mut self, call: Written<'_>) -> Option<StatementKind> {
        let [group, scope] = self.bound_arguments(call, ["group", "fence_scope"], 1)?;
        match self.value(group?) {
            Value::Static(Static::Group(_)) => {}
            Value::Unknown => return None,
            other => {
                let span = group.map_or(call.span, |group| group.span);
                self.report(problems::not_a_group(call.name, &other.describe(), span));
                return None;
            }
        }
        let scope = match scope {
            Some(scope) => self.memory_scope(scope)?,
            None => MemoryScope::WorkGroup,
        };
        if matches!(scope, MemoryScope::Device | MemoryScope::System) {
            self.before.push(Statement {
                kind: StatementKind::Fence {
                    order: MemoryOrder::AcquireRelease,
                    scope,
                },
                span: call.span,
            });
        }
        Some(self.barrier(MemorySpaces::LocalAndGlobal, call.span))
    }

    fn atomic_fence(&mut self, call: Written<'_>) -> Option<StatementKind> {
        let [order, scope] = self.bound_arguments(call, ["memory_order", "memory_scope"], 2)?;
        let (order, scope) = (self.memory_order(order?), self.memory_scope(scope?));
        let (order, scope) = (order?, scope?);
        if order == MemoryOrder::Relaxed {
            // A relaxed fence orders nothing.
            return None;
        }
        Some(StatementKind::Fence { order, scope })
    }

    // ----- local and private arrays -----

    /// `situ.local.array(shape, dtype)` or `situ.private.array(shape, dtype, fill_zeros=False)`.
    pub(super) fn new_array(&mut self, module: KnownModule, call: Written<'_>) -> Value {
        if self.writes_out_arrays() && !self.is_in_rounds() {
            self.not_written_out("memory of a work-item", call.span);
            return Value::Unknown;
        }
        let space = if module == KnownModule::SituLocal {
            AddressSpace::Local
        } else {
            AddressSpace::Private
        };
        let names: &[&str] = match space {
            AddressSpace::Local => &["shape", "dtype"],
            _ => &["shape", "dtype", "fill_zeros"],
        };
        let Some(given) = self.bound_list(call, names, 2) else {
            return Value::Unknown;
        };
        let [Some(shape), Some(dtype)] = given[..2] else {
            return Value::Unknown;
        };
        let (shape, dtype) = (self.constant_shape(shape), self.array_dtype(dtype));
        let (Some(shape), Some(dtype)) = (shape, dtype) else {
            return Value::Unknown;
        };
        if space == AddressSpace::Local {
            self.meeting.get_or_insert(call.span);
        }
        let length: u64 = shape.iter().product();
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
        let array = self.declare_array(call.span, array);
        if let Some(Some(fill)) = given.get(2) {
            match self.number(fill).map(|number| number.constant()) {
                Some(Some(fill)) if constants::truth(fill) => {
                    let kind = StatementKind::FillZeros { array, length };
                    let span = call.span;
                    self.before.push(Statement { kind, span });
                }
                Some(None) => self.report(problems::constant_option("fill_zeros", fill.span)),
                _ => {}
            }
        }
        Value::Static(Static::Array(array))
    }

    fn constant_shape(&mut self, expression: &syntax::Expression) -> Option<Vec<u64>> {
        let span = expression.span;
        let written: Vec<_> = match &expression.kind {
            syntax::ExpressionKind::Tuple(items) => items.iter().collect(),
            _ => vec![expression],
        };
        let sizes = match self.value(expression) {
            Value::Tuple(items) => items,
            Value::Unknown => return None,
            single => vec![single],
        };
        let mut shape = Vec::with_capacity(sizes.len());
        for (position, size) in sizes.into_iter().enumerate() {
            let size = match size {
                Value::Constant(constant) => Some(constant),
                Value::Unknown => return None,
                // A local name for a constant.
                _ => written
                    .get(position)
                    .and_then(|size| self.named_constant(size)),
            };
            let size = size.and_then(constants::as_int);
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

    pub(super) fn array_dtype(&mut self, expression: &syntax::Expression) -> Option<DType> {
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
}
