//! Atomic accesses and fences.
//!
//! All work-items of a launch share the process's memory, so every scope is the same here; but one thread runs
//! all work-items that share local memory, so accesses to it are plain ones. What the
//! processor has no instruction for becomes a loop that compares and exchanges bits.

use situ_ir::{
    AddressSpace, Atomic, AtomicOperation, BinaryOperator, DType, Expression, Handle, MemoryOrder,
    Type,
};

use super::body::Body;
use super::operators;
use super::types::{bits_type, scalar_type};
use super::writer::Operand;
use crate::error::Error;

impl Body<'_, '_, '_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic) -> Result<(), Error> {
        let element = self.info.type_of(atomic.pointer).element();
        let dtype = element.ok_or_else(|| self.broken("atomics work on elements"))?;
        self.evaluate(atomic.pointer)?;
        self.evaluate(atomic.index)?;
        let operand = match atomic.operand {
            Some(operand) => Some(self.evaluate(operand)?),
            None => None,
        };
        let expected = match atomic.expected {
            Some(expected) => Some(self.evaluate(expected)?),
            None => None,
        };
        let address = self.element_address(atomic.pointer, atomic.index);
        let old = self.perform_atomic(atomic, dtype, &address, operand, expected)?;
        if let (Some(result), Some(old)) = (atomic.result, old) {
            self.bind(result, old);
        }
        Ok(())
    }

    /// Writes the access to an element and gives its old content, if it has any.
    pub(super) fn perform_atomic(
        &mut self,
        atomic: &Atomic,
        dtype: DType,
        address: &Operand,
        operand: Option<Operand>,
        expected: Option<Operand>,
    ) -> Result<Option<Operand>, Error> {
        if self.is_alone(atomic.pointer) {
            return self.plain_access(atomic.operation, dtype, address, operand, expected);
        }
        Ok(match (atomic.operation, operand, expected) {
            (AtomicOperation::Load, ..) => Some(self.atomic_load(dtype, address, atomic.order)),
            (AtomicOperation::Store, Some(operand), _) => {
                self.atomic_store(dtype, address, &operand, atomic.order);
                None
            }
            (AtomicOperation::CompareExchange, Some(operand), Some(expected)) => {
                let (from, to) = (
                    self.bits_of(dtype, &expected),
                    self.bits_of(dtype, &operand),
                );
                let old = self.compare_exchange(dtype, address, (&from, &to), atomic.order);
                let old = self.code.instruction(format_args!(
                    "extractvalue {{ {}, i1 }} {old}, 0",
                    bits_type(dtype)
                ));
                Some(self.of_pattern(dtype, &old))
            }
            (operation, Some(operand), _) => {
                Some(self.atomic_update(operation, dtype, address, &operand, atomic.order)?)
            }
            _ => return Err(self.broken("atomics have the operands they need")),
        })
    }

    /// Whether nobody can come between: one thread runs all work-items that share local memory.
    fn is_alone(&self, pointer: Handle<Expression>) -> bool {
        matches!(
            self.info.type_of(pointer),
            Type::Pointer {
                space: AddressSpace::Local,
                ..
            }
        )
    }

    /// What an atomic access does, in steps that others could come between.
    fn plain_access(
        &mut self,
        operation: AtomicOperation,
        dtype: DType,
        address: &Operand,
        operand: Option<Operand>,
        expected: Option<Operand>,
    ) -> Result<Option<Operand>, Error> {
        if let (AtomicOperation::Store, Some(operand)) = (operation, &operand) {
            self.store_scalar(dtype, operand, address, "");
            return Ok(None);
        }
        let old = self.load_scalar(dtype, address, "");
        let new = match (operation, operand, expected) {
            (AtomicOperation::Load, ..) => return Ok(Some(old)),
            (AtomicOperation::Exchange, Some(operand), _) => operand,
            (AtomicOperation::CompareExchange, Some(operand), Some(expected)) => {
                let (ty, bits) = (scalar_type(dtype), bits_type(dtype));
                let (now, wanted) = (self.bits_of(dtype, &old), self.bits_of(dtype, &expected));
                let is_same = self.code.binary(&format!("icmp eq {bits}"), &now, &wanted);
                self.code.select(ty, &is_same, &operand, &old)
            }
            (operation, Some(operand), _) => {
                let operator = match operation {
                    AtomicOperation::Subtract => BinaryOperator::Subtract,
                    AtomicOperation::Minimum => BinaryOperator::Minimum,
                    AtomicOperation::Maximum => BinaryOperator::Maximum,
                    AtomicOperation::BitAnd => BinaryOperator::BitAnd,
                    AtomicOperation::BitOr => BinaryOperator::BitOr,
                    AtomicOperation::BitXor => BinaryOperator::BitXor,
                    _ => BinaryOperator::Add,
                };
                operators::binary(&mut self.code, operator, dtype, &old, &operand)
                    .ok_or_else(|| self.broken("atomics compute with core operators"))?
            }
            _ => return Err(self.broken("atomics have the operands they need")),
        };
        self.store_scalar(dtype, &new, address, "");
        Ok(Some(old))
    }

    pub(super) fn fence(&mut self, order: MemoryOrder) {
        if order != MemoryOrder::Relaxed {
            self.code.effect(format_args!("fence {}", ordering(order)));
        }
    }

    fn atomic_load(&mut self, dtype: DType, address: &Operand, order: MemoryOrder) -> Operand {
        self.code.instruction(format_args!(
            "load atomic {}, ptr {address} {}, align {}",
            scalar_type(dtype),
            ordering(order),
            dtype.align_bytes()
        ))
    }

    fn atomic_store(
        &mut self,
        dtype: DType,
        address: &Operand,
        value: &Operand,
        order: MemoryOrder,
    ) {
        self.code.effect(format_args!(
            "store atomic {} {value}, ptr {address} {}, align {}",
            scalar_type(dtype),
            ordering(order),
            dtype.align_bytes()
        ));
    }

    fn atomic_update(
        &mut self,
        operation: AtomicOperation,
        dtype: DType,
        address: &Operand,
        operand: &Operand,
        order: MemoryOrder,
    ) -> Result<Operand, Error> {
        let pick = |float, signed, unsigned| {
            if dtype.is_float() {
                float
            } else if dtype.is_signed() {
                signed
            } else {
                unsigned
            }
        };
        let instruction = match operation {
            AtomicOperation::Exchange => "xchg",
            AtomicOperation::Add => pick("fadd", "add", "add"),
            AtomicOperation::Subtract => pick("fsub", "sub", "sub"),
            AtomicOperation::BitAnd => "and",
            AtomicOperation::BitOr => "or",
            AtomicOperation::BitXor => "xor",
            // LLVM's own minimum of floats ignores NaN.
            AtomicOperation::Minimum if dtype.is_float() => {
                return self.update_loop(BinaryOperator::Minimum, dtype, address, operand, order);
            }
            AtomicOperation::Maximum if dtype.is_float() => {
                return self.update_loop(BinaryOperator::Maximum, dtype, address, operand, order);
            }
            AtomicOperation::Minimum => pick("", "min", "umin"),
            AtomicOperation::Maximum => pick("", "max", "umax"),
            AtomicOperation::Load | AtomicOperation::Store | AtomicOperation::CompareExchange => {
                return Err(self.broken("loads, stores and exchanges are no updates"));
            }
        };
        let ty = scalar_type(dtype);
        let order = ordering(order);
        Ok(self.code.instruction(format_args!(
            "atomicrmw {instruction} ptr {address}, {ty} {operand} {order}"
        )))
    }

    /// Computes the new content from the old one until nobody came between.
    fn update_loop(
        &mut self,
        operator: BinaryOperator,
        dtype: DType,
        address: &Operand,
        operand: &Operand,
        order: MemoryOrder,
    ) -> Result<Operand, Error> {
        let bits = bits_type(dtype);
        let before = self.code.label("atomic.before");
        let retry = self.code.label("atomic");
        let done = self.code.label("atomic.done");
        let seen = self.code.register();
        self.code.begin(&before);
        let first = self.code.instruction(format_args!(
            "load atomic {bits}, ptr {address} monotonic, align {}",
            dtype.align_bytes()
        ));
        self.code.begin(&retry);
        let found = self.code.register();
        self.code.define(
            &seen,
            format_args!("phi {bits} [ {first}, %{before} ], [ {found}, %{retry} ]"),
        );
        let old = self.of_pattern(dtype, &seen);
        let new = operators::binary(&mut self.code, operator, dtype, &old, operand)
            .ok_or_else(|| self.broken("atomics compute with core operators"))?;
        let new = self.bits_of(dtype, &new);
        let pair = self.compare_exchange(dtype, address, (&seen, &new), order);
        self.code.define(
            &found,
            format_args!("extractvalue {{ {bits}, i1 }} {pair}, 0"),
        );
        let stored = self
            .code
            .instruction(format_args!("extractvalue {{ {bits}, i1 }} {pair}, 1"));
        self.code.branch_if(&stored, &done, &retry);
        self.code.begin(&done);
        Ok(old)
    }

    /// The old bits and whether they were replaced.
    fn compare_exchange(
        &mut self,
        dtype: DType,
        address: &Operand,
        (from, to): (&Operand, &Operand),
        order: MemoryOrder,
    ) -> Operand {
        let bits = bits_type(dtype);
        // A failed exchange only loads, so it has nothing to release.
        let failure = match order {
            MemoryOrder::Relaxed | MemoryOrder::Release => MemoryOrder::Relaxed,
            MemoryOrder::Acquire | MemoryOrder::AcquireRelease => MemoryOrder::Acquire,
            MemoryOrder::SequentiallyConsistent => MemoryOrder::SequentiallyConsistent,
        };
        self.code.instruction(format_args!(
            "cmpxchg ptr {address}, {bits} {from}, {bits} {to} {} {}",
            ordering(order),
            ordering(failure)
        ))
    }

    fn bits_of(&mut self, dtype: DType, value: &Operand) -> Operand {
        let (ty, bits) = (scalar_type(dtype), bits_type(dtype));
        if ty == bits {
            return value.clone();
        }
        self.code
            .instruction(format_args!("bitcast {ty} {value} to {bits}"))
    }

    fn of_pattern(&mut self, dtype: DType, value: &Operand) -> Operand {
        let (ty, bits) = (scalar_type(dtype), bits_type(dtype));
        if ty == bits {
            return value.clone();
        }
        self.code
            .instruction(format_args!("bitcast {bits} {value} to {ty}"))
    }
}

fn ordering(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => "monotonic",
        MemoryOrder::Acquire => "acquire",
        MemoryOrder::Release => "release",
        MemoryOrder::AcquireRelease => "acq_rel",
        MemoryOrder::SequentiallyConsistent => "seq_cst",
    }
}
