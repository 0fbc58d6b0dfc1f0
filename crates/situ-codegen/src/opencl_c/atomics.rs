//! Atomic accesses and fences.
//!
//! Every access is one of OpenCL C 1.2's atomic functions, which every later version still has.
//! They are relaxed and indivisible for the whole device. Stronger orders come from fences around
//! them: a release fence before, an acquire fence after. That is how C11 defines such orders in terms
//! of relaxed accesses, so nothing is lost, and drivers with OpenCL C 1.2 (PoCL 3.1, which has
//! C11's atomics in part only) and 3.x (Intel) get the same text but for the spelling of the fence.
//!
//! OpenCL C 1.2 has one fence, of unspecified scope. The CPU drivers that have only that implement
//! the atomic functions themselves as sequentially consistent.
//!
//! Floats: load, store and exchanges work on the bits; the rest repeats a compare-exchange until no
//! other work-item was faster.

use situ_ir::{
    AddressSpace, Atomic, AtomicOperation, BinaryOperator, DType, Literal, MemoryOrder,
    MemoryScope, Type,
};

use super::library::Library;
use super::operators;
use super::statements::{FunctionWriter, element};
use super::types::{self, bits, qualifier, scalar};
use super::written::Written;
use super::{LanguageVersion, TargetOptions};

impl FunctionWriter<'_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic) {
        let roots: Vec<_> = [Some(atomic.pointer), Some(atomic.index)]
            .into_iter()
            .chain([atomic.operand, atomic.expected])
            .flatten()
            .collect();
        let operands = self.bound_operands(&roots);
        let Type::Pointer {
            element: dtype,
            space,
        } = self.info.type_of(atomic.pointer)
        else {
            unreachable!("validation checked that atomics have pointers")
        };
        let place = element(operands.get(atomic.pointer), operands.get(atomic.index));
        // An atomic load is done by a function that could write, also where memory is only read.
        let address = match atomic.operation {
            AtomicOperation::Load => {
                let (space, ty) = (qualifier(space), types::element(dtype));
                format!("(volatile {space} {ty} *)&{place}")
            }
            _ => format!("&{place}"),
        };
        let text = |operand| operands.get(operand).exact().to_owned();
        let arguments: Vec<_> = [atomic.expected, atomic.operand]
            .into_iter()
            .flatten()
            .map(text)
            .collect();
        let call = access(
            self.library,
            self.options,
            atomic.operation,
            (dtype, space),
            &address,
            &arguments,
        );

        let (before, after) = (release_part(atomic.order), acquire_part(atomic.order));
        if let Some(fence) = before.and_then(|order| self.fence(order, atomic.scope)) {
            self.line(&fence);
        }
        self.bind_result(atomic.result, &call);
        if let Some(fence) = after.and_then(|order| self.fence(order, atomic.scope)) {
            self.line(&fence);
        }
    }

    /// The statement that orders memory accesses; `None` if there is nothing to order.
    pub(super) fn fence(&self, order: MemoryOrder, scope: MemoryScope) -> Option<String> {
        const SPACES: &str = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE";
        let order = match order {
            MemoryOrder::Relaxed => return None,
            MemoryOrder::Acquire => "memory_order_acquire",
            MemoryOrder::Release => "memory_order_release",
            MemoryOrder::AcquireRelease => "memory_order_acq_rel",
            MemoryOrder::SequentiallyConsistent => "memory_order_seq_cst",
        };
        if self.options.version == LanguageVersion::V1_2 {
            return Some(format!("mem_fence({SPACES});"));
        }
        let scope = match scope {
            // The device's sub-groups need not be ours.
            MemoryScope::SubGroup | MemoryScope::WorkGroup => "memory_scope_work_group",
            MemoryScope::System if self.options.all_devices_scope => "memory_scope_all_svm_devices",
            MemoryScope::Device | MemoryScope::System => "memory_scope_device",
        };
        Some(format!(
            "atomic_work_item_fence({SPACES}, {order}, {scope});"
        ))
    }
}

/// The fence that goes before an access.
fn release_part(order: MemoryOrder) -> Option<MemoryOrder> {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Acquire => None,
        MemoryOrder::Release | MemoryOrder::AcquireRelease => Some(MemoryOrder::Release),
        MemoryOrder::SequentiallyConsistent => Some(order),
    }
}

/// The fence that goes after an access.
fn acquire_part(order: MemoryOrder) -> Option<MemoryOrder> {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Release => None,
        MemoryOrder::Acquire | MemoryOrder::AcquireRelease => Some(MemoryOrder::Acquire),
        MemoryOrder::SequentiallyConsistent => Some(order),
    }
}

/// The call that makes an access.
fn access(
    library: &mut Library,
    options: &TargetOptions,
    operation: AtomicOperation,
    (dtype, space): (DType, AddressSpace),
    address: &str,
    arguments: &[String],
) -> String {
    let function = if dtype.is_float() {
        float_access(library, options, operation, dtype, space)
    } else {
        built_in(operation, dtype)
    };
    let mut all = vec![address.to_owned()];
    all.extend_from_slice(arguments);
    if operation == AtomicOperation::Load && !dtype.is_float() {
        // There is no atomic load; adding no bits gives the content.
        all.push(types::literal(Literal::zero(dtype)));
    }
    format!("{function}({})", all.join(", "))
}

/// The function of OpenCL C for integers.
fn built_in(operation: AtomicOperation, dtype: DType) -> String {
    let word = match operation {
        AtomicOperation::Load | AtomicOperation::BitOr => "or",
        AtomicOperation::Store | AtomicOperation::Exchange => "xchg",
        AtomicOperation::CompareExchange => "cmpxchg",
        AtomicOperation::Add => "add",
        AtomicOperation::Subtract => "sub",
        AtomicOperation::Minimum => "min",
        AtomicOperation::Maximum => "max",
        AtomicOperation::BitAnd => "and",
        AtomicOperation::BitXor => "xor",
    };
    // The 64-bit functions are those of the extensions cl_khr_int64_{base,extended}_atomics.
    let family = if dtype.size_bytes() == 8 {
        "atom"
    } else {
        "atomic"
    };
    format!("{family}_{word}")
}

/// The function of the library for floats.
fn float_access(
    library: &mut Library,
    options: &TargetOptions,
    operation: AtomicOperation,
    dtype: DType,
    space: AddressSpace,
) -> String {
    let (ty, word) = (scalar(dtype), bits(dtype));
    let name = format!("atomic_{}_{space}_{ty}", operation.name());
    let space = qualifier(space);
    let unsigned = if dtype == DType::F64 {
        DType::U64
    } else {
        DType::U32
    };
    let function = |operation| built_in(operation, unsigned);
    let head = format!("(volatile {space} {ty} *place");
    let on_bits = format!("(volatile {space} {word} *)place");
    library.require(name, |library, name| match operation {
        AtomicOperation::Load => {
            let zero = types::literal(Literal::zero(unsigned));
            format!(
                "static {ty} {name}{head}) {{\n    \
                     return as_{ty}({}({on_bits}, {zero}));\n\
                 }}",
                function(operation)
            )
        }
        AtomicOperation::Store | AtomicOperation::Exchange => format!(
            "static {ty} {name}{head}, {ty} x) {{\n    \
                 return as_{ty}({}({on_bits}, as_{word}(x)));\n\
             }}",
            function(operation)
        ),
        AtomicOperation::CompareExchange => format!(
            "static {ty} {name}{head}, {ty} expected, {ty} x) {{\n    \
                 return as_{ty}({}({on_bits}, as_{word}(expected), as_{word}(x)));\n\
             }}",
            function(operation)
        ),
        _ => {
            let old = Written::name("old");
            let x = Written::name("x");
            let operator = binary(operation);
            let next = operators::binary(library, options, operator, dtype, [&old, &x], None);
            let exchange = function(AtomicOperation::CompareExchange);
            format!(
                "// Repeats until no other work-item changed the content in between.\n\
                 static {ty} {name}{head}, {ty} x) {{\n    \
                     volatile {space} {word} *bits = {on_bits};\n    \
                     {word} seen = *bits;\n    \
                     {ty} old;\n    \
                     {word} expected;\n    \
                     do {{\n        \
                         expected = seen;\n        \
                         old = as_{ty}(expected);\n        \
                         seen = {exchange}(bits, expected, as_{word}({}));\n    \
                     }} while (seen != expected);\n    \
                     return old;\n\
                 }}",
                next.exact()
            )
        }
    })
}

/// The operator that an atomic applies.
fn binary(operation: AtomicOperation) -> BinaryOperator {
    match operation {
        AtomicOperation::Add => BinaryOperator::Add,
        AtomicOperation::Subtract => BinaryOperator::Subtract,
        AtomicOperation::Minimum => BinaryOperator::Minimum,
        AtomicOperation::Maximum => BinaryOperator::Maximum,
        AtomicOperation::BitAnd
        | AtomicOperation::BitOr
        | AtomicOperation::BitXor
        | AtomicOperation::Load
        | AtomicOperation::Store
        | AtomicOperation::Exchange
        | AtomicOperation::CompareExchange => unreachable!("not an operation that combines floats"),
    }
}
