//! Indivisible accesses: `situ.atomic.add(array, index, value)` and `AtomicRef(array, index).fetch_add(value)`.

use situ_ir::{AddressSpace, AtomicOperation, DType, MemoryOrder, MemoryScope, Span};

use crate::infer::calls::Written;
use crate::infer::value::{Number, Object, ObjectKind, Static, Value};
use crate::infer::views::{Region, way_part};
use crate::infer::{Inference, constants, problems};
use crate::syntax::{self, Constant, Identifier};
use crate::typed::{ArrayId, ArrayOrigin, Atomic, CompareExchange, Expression, ExpressionKind};

/// Attributes of an `AtomicRef` that are not methods.
const ATOMIC_REF_ATTRIBUTES: [&str; 4] = ["ref", "memory_order", "memory_scope", "address_space"];

/// The methods of an `AtomicRef`.
const ATOMIC_REF_METHODS: [(&str, AtomicOperation); 11] = [
    ("fetch_add", AtomicOperation::Add),
    ("fetch_sub", AtomicOperation::Subtract),
    ("fetch_min", AtomicOperation::Minimum),
    ("fetch_max", AtomicOperation::Maximum),
    ("fetch_and", AtomicOperation::BitAnd),
    ("fetch_or", AtomicOperation::BitOr),
    ("fetch_xor", AtomicOperation::BitXor),
    ("load", AtomicOperation::Load),
    ("store", AtomicOperation::Store),
    ("exchange", AtomicOperation::Exchange),
    ("compare_exchange", AtomicOperation::CompareExchange),
];

/// What a method of an `AtomicRef` does.
pub(super) fn atomic_operation(method: &str) -> Option<AtomicOperation> {
    let mut methods = ATOMIC_REF_METHODS.into_iter();
    methods.find_map(|(name, operation)| (name == method).then_some(operation))
}

/// An array that work-items share, or a part of one.
enum Shared {
    Whole(ArrayId),
    Part(Region),
}

impl Shared {
    fn array(&self) -> ArrayId {
        match self {
            Self::Whole(array) => *array,
            Self::Part(part) => part.array,
        }
    }
}

/// A call of a method of an `AtomicRef`.
pub(super) enum AtomicCall {
    Access(Atomic),
    Compare(CompareExchange),
}

impl Inference<'_, '_, '_> {
    /// An atomic whose old content is used.
    pub(super) fn atomic_value(&mut self, operation: AtomicOperation, call: Written<'_>) -> Value {
        let Some(atomic) = self.atomic(operation, call) else {
            return Value::Unknown;
        };
        self.old_content(atomic, call.span)
    }

    fn old_content(&self, atomic: Atomic, span: Span) -> Value {
        if atomic.operation == AtomicOperation::Store {
            return Value::Nothing;
        }
        let dtype = self.array(atomic.array).dtype;
        let kind = ExpressionKind::Atomic(Box::new(atomic));
        Value::Scalar(Expression::new(kind, dtype, span))
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
        let shared = self.shared_array(&call.arguments[0])?;
        self.check_atomic(operation, shared.array(), call.arguments[0].span)?;
        let (array, indices) = self.shared_element(shared, &call.arguments[1]);
        let operands = self.atomic_operands(array, &call.arguments[2..])?;
        let mut operands = operands.into_iter();
        let expected = match operation {
            AtomicOperation::CompareExchange => operands.next(),
            _ => None,
        };
        let scope = match self.array(array).space {
            AddressSpace::Local => MemoryScope::WorkGroup,
            AddressSpace::Global | AddressSpace::Private => MemoryScope::Device,
        };
        Some(Atomic {
            operation,
            array,
            indices: indices?,
            operand: operands.next(),
            expected,
            order: MemoryOrder::Relaxed,
            scope,
        })
    }

    /// Operands in the dtype of an array's elements.
    fn atomic_operands(
        &mut self,
        array: ArrayId,
        arguments: &[syntax::Expression],
    ) -> Option<Vec<Expression>> {
        let dtype = self.array(array).dtype;
        let operands: Vec<_> = arguments
            .iter()
            .map(|argument| {
                let number = self.number(argument)?;
                self.stored(number, dtype, argument.span)
            })
            .collect();
        operands.into_iter().collect()
    }

    // ----- references -----

    /// `AtomicRef(ref, index, memory_order, memory_scope, address_space)`.
    pub(super) fn atomic_ref(&mut self, call: Written<'_>) -> Value {
        let object = self.atomic_ref_object(call);
        object.map_or(Value::Unknown, Value::Object)
    }

    fn atomic_ref_object(&mut self, call: Written<'_>) -> Option<Object> {
        let names = [
            "ref",
            "index",
            "memory_order",
            "memory_scope",
            "address_space",
        ];
        let [array, index, order, scope, space] = self.bound_arguments(call, names, 2)?;
        let (array_syntax, index) = (array?, index?);
        let shared = self.shared_array(array_syntax)?;
        let (array, parts) = self.referenced(shared, index);
        let order = match order {
            Some(order) => self.memory_order(order)?,
            None => MemoryOrder::Relaxed,
        };
        let scope = match scope {
            Some(scope) => self.memory_scope(scope)?,
            None => MemoryScope::Device,
        };
        if let Some(space) = space {
            self.check_address_space(array, space)?;
        }
        let kind = ObjectKind::AtomicRef {
            array,
            order,
            scope,
        };
        let parts = parts?;
        Some(Object { kind, parts })
    }

    /// A method of an `AtomicRef` whose result is used.
    pub(super) fn atomic_method_value(
        &mut self,
        object: &Object,
        operation: AtomicOperation,
        call: Written<'_>,
    ) -> Value {
        match self.atomic_method(object, operation, call) {
            None => Value::Unknown,
            Some(AtomicCall::Access(atomic)) => self.old_content(atomic, call.span),
            Some(AtomicCall::Compare(exchange)) => {
                let kind = ExpressionKind::CompareExchange(Box::new(exchange));
                Value::Scalar(Expression::new(kind, DType::Bool, call.span))
            }
        }
    }

    /// A method of an `AtomicRef`.
    pub(super) fn atomic_method(
        &mut self,
        object: &Object,
        operation: AtomicOperation,
        call: Written<'_>,
    ) -> Option<AtomicCall> {
        let ObjectKind::AtomicRef {
            array,
            order,
            scope,
        } = object.kind
        else {
            return None;
        };
        self.check_atomic(operation, array, call.span)?;
        let indices = self.referenced_indices(array, &object.parts, call.span);
        let atomic = |operand| Atomic {
            operation,
            array,
            indices,
            operand,
            expected: None,
            order: order_of(operation, order),
            scope,
        };
        if operation == AtomicOperation::CompareExchange {
            let names = ["expected", "desired", "expected_idx"];
            let [expected, desired, index] = self.bound_arguments(call, names, 2)?;
            let (expected_syntax, desired) = (expected?, desired?);
            let expected = self.expected_array(expected_syntax, array);
            let operand = self.atomic_operands(array, std::slice::from_ref(desired));
            let expected_index = match index {
                Some(index) => self.place(expected?, &[index], index.span)?.pop()?,
                None => Expression::literal(situ_ir::Literal::I64(0), call.span),
            };
            return Some(AtomicCall::Compare(CompareExchange {
                atomic: atomic(operand?.pop()),
                expected: expected?,
                expected_index,
            }));
        }
        let count = usize::from(operation != AtomicOperation::Load);
        if !self.check_count(call, count, count) {
            return None;
        }
        let operand = self.atomic_operands(array, call.arguments)?.pop();
        Some(AtomicCall::Access(atomic(operand)))
    }

    /// The array that holds the expected content of a compare-exchange: of one dimension and of the
    /// dtype of the element it is compared with.
    fn expected_array(&mut self, syntax: &syntax::Expression, array: ArrayId) -> Option<ArrayId> {
        let dtype = self.array(array).dtype;
        match self.value(syntax) {
            Value::Static(Static::Array(id))
                if self.array(id).dtype == dtype && self.array(id).ndim == 1 =>
            {
                Some(id)
            }
            Value::Unknown => None,
            other => {
                let problem = problems::expected_content(&other.describe(), dtype, syntax.span);
                self.report(problem);
                None
            }
        }
    }

    /// An attribute of an `AtomicRef`.
    pub(super) fn object_attribute(&mut self, object: &Object, attribute: &Identifier) -> Value {
        let ObjectKind::AtomicRef {
            array,
            order,
            scope,
        } = object.kind
        else {
            return Value::Unknown;
        };
        let constant = |value| Value::Constant(Constant::Int(value));
        match attribute.name.as_str() {
            "ref" => match self.array(array).origin {
                ArrayOrigin::Flat { of } => way_part(of, &object.parts).into_view(),
                _ => Value::Static(Static::Array(array)),
            },
            "memory_order" => constant(order_number(order)),
            "memory_scope" => constant(scope_number(scope)),
            "address_space" => constant(space_number(self.array(array).space)),
            _ => {
                let methods = ATOMIC_REF_METHODS.iter().map(|(name, _)| *name);
                let known: Vec<_> = methods.chain(ATOMIC_REF_ATTRIBUTES).collect();
                let problem = problems::unknown_attribute("an `AtomicRef`", attribute, &known);
                self.report(problem);
                Value::Unknown
            }
        }
    }

    // ----- orders, scopes and spaces -----

    /// A member of `MemoryOrder`, which must be known when compiling.
    pub(super) fn memory_order(&mut self, syntax: &syntax::Expression) -> Option<MemoryOrder> {
        let order = self.enum_member(syntax, "MemoryOrder")?;
        let order = match order {
            0 => Some(MemoryOrder::Relaxed),
            1 => Some(MemoryOrder::Acquire),
            3 => Some(MemoryOrder::Release),
            4 => Some(MemoryOrder::AcquireRelease),
            5 => Some(MemoryOrder::SequentiallyConsistent),
            _ => None,
        };
        if order.is_none() {
            self.report(problems::enum_member("MemoryOrder", syntax.span));
        }
        order
    }

    /// A member of `MemoryScope`, which must be known when compiling.
    pub(super) fn memory_scope(&mut self, syntax: &syntax::Expression) -> Option<MemoryScope> {
        let scope = self.enum_member(syntax, "MemoryScope")?;
        let scope = match scope {
            // A work-item sees its own accesses in order anyway; no target has less than this.
            0 | 1 => Some(MemoryScope::SubGroup),
            2 => Some(MemoryScope::WorkGroup),
            3 => Some(MemoryScope::Device),
            4 => Some(MemoryScope::System),
            _ => None,
        };
        if scope.is_none() {
            self.report(problems::enum_member("MemoryScope", syntax.span));
        }
        scope
    }

    /// Whether the address space that is named is the array's; `GENERIC` stands for any.
    fn check_address_space(&mut self, array: ArrayId, syntax: &syntax::Expression) -> Option<()> {
        const GENERIC: i128 = 4;
        let named = self.enum_member(syntax, "AddressSpace")?;
        let own = space_number(self.array(array).space);
        if named == own || named == GENERIC {
            return Some(());
        }
        let space = self.array(array).space;
        self.report(problems::address_space(&space.to_string(), syntax.span));
        None
    }

    fn enum_member(&mut self, syntax: &syntax::Expression, class: &str) -> Option<i128> {
        let number = self.number(syntax)?;
        let value = number.constant().and_then(constants::as_int);
        if value.is_none() {
            self.report(problems::enum_member(class, syntax.span));
        }
        value
    }

    // ----- arrays -----

    /// The array that is shared between work-items and that an expression stands for.
    fn shared_array(&mut self, expression: &syntax::Expression) -> Option<Shared> {
        let span: Span = expression.span;
        let value = self.value(expression);
        let part = match &value {
            Value::Object(object) => Self::region(object),
            _ => None,
        };
        let shared = match (value, part) {
            (_, Some(part)) => Shared::Part(part),
            (Value::Static(Static::Array(id)), _) => Shared::Whole(id),
            (Value::Unknown, _) => return None,
            (other, _) => {
                let found = match other {
                    Value::Scalar(number) => Number::Typed(number).describe(),
                    other => other.describe(),
                };
                self.report(problems::atomic_without_array(&found, span));
                return None;
            }
        };
        if self.array(shared.array()).space == AddressSpace::Private {
            self.report(problems::atomic_on_private(span));
            return None;
        }
        Some(shared)
    }

    /// The array that an element is accessed in, and its indices there.
    fn shared_element(
        &mut self,
        shared: Shared,
        index: &syntax::Expression,
    ) -> (ArrayId, Option<Vec<Expression>>) {
        let (array, parts) = self.referenced(shared, index);
        let indices = parts.map(|parts| self.referenced_indices(array, &parts, index.span));
        (array, indices)
    }

    /// The array that an element is accessed in, and what a reference to the element holds: its indices in
    /// the whole array, or the way to it in a part.
    fn referenced(
        &mut self,
        shared: Shared,
        index: &syntax::Expression,
    ) -> (ArrayId, Option<Vec<Expression>>) {
        let array = shared.array();
        let part = match shared {
            Shared::Whole(array) => return (array, self.place(array, &[index], index.span)),
            Shared::Part(part) => part,
        };
        let ndim = part.shape.len();
        let indices: Vec<_> = match &index.kind {
            syntax::ExpressionKind::Tuple(indices) => indices.iter().collect(),
            _ => vec![index],
        };
        if indices.len() != ndim {
            let found = indices.len();
            self.report(problems::part_index_count(ndim, found, index.span));
            return (array, None);
        }
        let flat = self.flat(array);
        (flat, self.way_to_element(part, &indices))
    }

    /// The indices of the element that a reference holds.
    fn referenced_indices(
        &self,
        array: ArrayId,
        parts: &[Expression],
        span: Span,
    ) -> Vec<Expression> {
        match self.array(array).origin {
            ArrayOrigin::Flat { .. } => vec![self.end_of_way(parts, span)],
            _ => parts.to_vec(),
        }
    }

    /// Reports an operation that devices do not have for the elements of an array.
    fn check_atomic(
        &mut self,
        operation: AtomicOperation,
        array: ArrayId,
        span: Span,
    ) -> Option<()> {
        let dtype = self.array(array).dtype;
        let is_bitwise = matches!(
            operation,
            AtomicOperation::BitAnd | AtomicOperation::BitOr | AtomicOperation::BitXor
        );
        let has_width = matches!(dtype.size_bytes(), 4 | 8) && !dtype.is_complex();
        if has_width && (!is_bitwise || dtype.is_integer()) {
            return Some(());
        }
        let name = operation.name();
        self.report(problems::atomic_dtype(name, dtype, is_bitwise, span));
        None
    }
}

/// The order of one access of a reference: as in SYCL, a load has nothing to release and a store
/// nothing to acquire, so each takes the half that it has.
fn order_of(operation: AtomicOperation, order: MemoryOrder) -> MemoryOrder {
    match (operation, order) {
        (AtomicOperation::Load, MemoryOrder::Release | MemoryOrder::AcquireRelease) => {
            MemoryOrder::Acquire
        }
        (AtomicOperation::Store, MemoryOrder::Acquire | MemoryOrder::AcquireRelease) => {
            MemoryOrder::Release
        }
        (_, order) => order,
    }
}

fn order_number(order: MemoryOrder) -> i128 {
    match order {
        MemoryOrder::Relaxed => 0,
        MemoryOrder::Acquire => 1,
        MemoryOrder::Release => 3,
        MemoryOrder::AcquireRelease => 4,
        MemoryOrder::SequentiallyConsistent => 5,
    }
}

fn scope_number(scope: MemoryScope) -> i128 {
    match scope {
        MemoryScope::SubGroup => 1,
        MemoryScope::WorkGroup => 2,
        MemoryScope::Device => 3,
        MemoryScope::System => 4,
    }
}

fn space_number(space: AddressSpace) -> i128 {
    match space {
        AddressSpace::Private => 0,
        AddressSpace::Global => 1,
        AddressSpace::Local => 3,
    }
}
