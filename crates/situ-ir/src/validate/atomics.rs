//! Atomic accesses.
//!
//! Invariants:
//! * elements are 32- or 64-bit integers or floats (`V050`) in global or local memory, at an `int64`
//!   index (`V051`);
//! * an operand is there except for `Load`, an expected content exactly for `CompareExchange`, both of
//!   the element's dtype (`V052`);
//! * bitwise operations are on integers (`V053`);
//! * a load does not release and a store does not acquire (`V054`);
//! * the old content is bound to a value of the element's dtype, and not for `Store` (`V055`).

use super::{Checker, Types, a};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::expression::Expression;
use crate::span::Span;
use crate::statement::{Atomic, AtomicOperation, MemoryOrder};
use crate::types::{AddressSpace, Type};

impl Checker<'_> {
    pub(super) fn check_atomic(&mut self, span: Span, atomic: &Atomic, types: &Types) {
        self.check_atomic_order(span, atomic);
        let (Some(pointer), Some(index)) = (types.of(atomic.pointer), types.of(atomic.index))
        else {
            return;
        };
        let element = match pointer {
            Type::Pointer { element, space } if space != AddressSpace::Private => element,
            _ => return self.push_atomic_place(span, atomic, pointer, index),
        };
        if index != Type::INDEX {
            return self.push_atomic_place(span, atomic, pointer, index);
        }
        self.check_atomic_element(span, atomic, element);
        self.check_atomic_operands(span, atomic, element, types);
        self.check_atomic_result(span, atomic, element);
    }

    fn push_atomic_place(&mut self, span: Span, atomic: &Atomic, pointer: Type, index: Type) {
        let diagnostic = Diagnostic::error(
            "V051",
            format!(
                "atomic `{}` in `{}` does not work on {} at {}",
                atomic.operation.name(),
                self.name(),
                a(pointer),
                a(index)
            ),
        )
        .label(span, "")
        .why("atomics need a pointer into global or local memory and an `i64` index")
        .help(match pointer {
            Type::Pointer {
                space: AddressSpace::Private,
                ..
            } => "private memory needs no atomics: load and store there",
            Type::Pointer { .. } => "cast the index to `i64`",
            Type::Scalar(_) => "pointers come from parameters and arrays",
        });
        self.push(diagnostic);
    }

    fn check_atomic_element(&mut self, span: Span, atomic: &Atomic, element: DType) {
        let operation = atomic.operation.name();
        let has_atomics = matches!(
            element,
            DType::I32 | DType::I64 | DType::U32 | DType::U64 | DType::F32 | DType::F64
        );
        if !has_atomics {
            let diagnostic = Diagnostic::error(
                "V050",
                format!(
                    "atomic `{operation}` in `{}` is on `{}`",
                    self.name(),
                    element.short_name()
                ),
            )
            .label(span, "")
            .why("devices have atomics on 32- and 64-bit integers and floats")
            .help("keep the elements in one of those types");
            self.push(diagnostic);
            return;
        }
        let bitwise = matches!(
            atomic.operation,
            AtomicOperation::BitAnd | AtomicOperation::BitOr | AtomicOperation::BitXor
        );
        if bitwise && !element.is_integer() {
            let diagnostic = Diagnostic::error(
                "V053",
                format!(
                    "atomic `{operation}` in `{}` is on `{}`",
                    self.name(),
                    element.short_name()
                ),
            )
            .label(span, "")
            .why("bitwise operations are for integers")
            .help("keep the elements as integers");
            self.push(diagnostic);
        }
    }

    fn check_atomic_operands(
        &mut self,
        span: Span,
        atomic: &Atomic,
        element: DType,
        types: &Types,
    ) {
        let operation = atomic.operation;
        let parts = [
            (
                "operand",
                atomic.operand,
                operation != AtomicOperation::Load,
            ),
            (
                "expected content",
                atomic.expected,
                operation == AtomicOperation::CompareExchange,
            ),
        ];
        for (what, given, needed) in parts {
            let problem = match (given, needed) {
                (Some(given), true) => match types.of(given) {
                    Some(ty) if ty != element.into() => {
                        format!(
                            "has {} as {what} for elements of `{}`",
                            a(ty),
                            element.short_name()
                        )
                    }
                    _ => continue,
                },
                (Some(_), false) => format!("has an {what}"),
                (None, true) => format!("has no {what}"),
                (None, false) => continue,
            };
            let place = given.map_or(span, |given: Handle<Expression>| {
                self.function.expressions.span(given)
            });
            let diagnostic = Diagnostic::error(
                "V052",
                format!(
                    "atomic `{}` in `{}` {problem}",
                    operation.name(),
                    self.name()
                ),
            )
            .label(place, "")
            .why(match operation {
                AtomicOperation::Load => "`load` takes no operand",
                AtomicOperation::CompareExchange => {
                    "`compare_exchange` takes an operand and an expected content"
                }
                _ => "it takes an operand and no expected content",
            })
            .help(format!(
                "give what the operation takes, as `{}`",
                element.short_name()
            ));
            self.push(diagnostic);
        }
    }

    fn check_atomic_result(&mut self, span: Span, atomic: &Atomic, element: DType) {
        let Some(result) = atomic.result.map(|value| &self.function.values[value]) else {
            return;
        };
        let message = if atomic.operation == AtomicOperation::Store {
            format!(
                "atomic `store` in `{}` binds `{}`",
                self.name(),
                result.name
            )
        } else if result.ty != element.into() {
            format!(
                "atomic `{}` in `{}` binds `{}` of type `{}` to an element of `{}`",
                atomic.operation.name(),
                self.name(),
                result.name,
                result.ty,
                element.short_name()
            )
        } else {
            return;
        };
        self.push(
            Diagnostic::error("V055", message)
                .label(span, "")
                .why("what is bound is the old content, which `store` does not read")
                .help("use `exchange` to get the old content, and bind it with the element's type"),
        );
    }

    fn check_atomic_order(&mut self, span: Span, atomic: &Atomic) {
        let (wrong, help) = match atomic.operation {
            AtomicOperation::Load => (
                matches!(
                    atomic.order,
                    MemoryOrder::Release | MemoryOrder::AcquireRelease
                ),
                "use `relaxed`, `acquire` or `seq_cst`",
            ),
            AtomicOperation::Store => (
                matches!(
                    atomic.order,
                    MemoryOrder::Acquire | MemoryOrder::AcquireRelease
                ),
                "use `relaxed`, `release` or `seq_cst`",
            ),
            _ => return,
        };
        if wrong {
            let diagnostic = Diagnostic::error(
                "V054",
                format!(
                    "atomic `{}` in `{}` has the order `{}`",
                    atomic.operation.name(),
                    self.name(),
                    atomic.order.name()
                ),
            )
            .label(span, "")
            .why("a load has nothing to release and a store nothing to acquire")
            .help(help);
            self.push(diagnostic);
        }
    }
}
