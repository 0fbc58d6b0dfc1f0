//! Memory for array expressions that get a name.
//!
//! A piece is given a block of memory, the *heap*, as one array for each dtype that needs it; they all start at the
//! same address. `situ__allocate` and its companions hand out blocks of it: they are functions of the host like any
//! other, compiled together with the piece. A block counts the names that hold a part of it, and is handed out again
//! once there are none. Whatever is left at the end of the piece, or when an exception ends it, needs no attention: the
//! next piece starts with an empty heap.
//!
//! A name can hold any part of the heap, and any part of the arrays that it was passed as: an offset from the start of
//! the heap reaches all of them.

use situ_ir::{BinaryOperator as Ir, DType, Span};

use super::Elements;
use super::folds::product;
use crate::environment::Binding;
use crate::infer::program::Specialised;
use crate::infer::value::{LocalType, Static, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::infer::{Inference, ParameterType};
use crate::plan::Layout;
use crate::typed::{Argument, ArrayId, Call, Expression, ExpressionKind, Statement, StatementKind};

/// The functions that hand out memory, in the language that they are compiled from. Places count `int64`s. The first 62 after
/// the head hold the first free block of each size; then there is the end of what was ever handed out, and the end of the memory.
/// A block begins with the next free one, the number of its users and the number of its size.
pub(crate) const HEAP_SOURCE: &str = "\
def situ__allocate(heap, head, size):
    block = 128
    kind = 0
    while block < size + 64:
        block = block * 2
        kind = kind + 1
    found = heap[head + kind]
    if found != 0:
        heap[head + kind] = heap[found]
    else:
        found = heap[head + 62]
        if found + block // 8 > heap[head + 63]:
            raise MemoryError('temporary arrays of this function need more memory than it was given')
        heap[head + 62] = found + block // 8
        heap[found + 2] = kind
    heap[found + 1] = 0
    return found

def situ__keep(heap, head, block):
    if block != 0:
        heap[block + 1] += 1

def situ__release(heap, head, block):
    if block != 0:
        heap[block + 1] -= 1
        if heap[block + 1] == 0:
            kind = heap[block + 2]
            heap[block] = heap[head + kind]
            heap[head + kind] = block

def situ__drop(heap, head, block):
    if heap[block + 1] == 0:
        kind = heap[block + 2]
        heap[block] = heap[head + kind]
        heap[head + kind] = block
";

/// What they are called.
pub(crate) const HEAP_FUNCTIONS: [&str; 4] = [
    "situ__allocate",
    "situ__keep",
    "situ__release",
    "situ__drop",
];

/// Where the memory of the first worker begins, in `int64`s. What is before it belongs to the thread that runs the piece.
pub const FIRST_ARENA: i64 = 1 << 25;

/// How much memory each worker has, in `int64`s.
pub const ARENA_WORDS: i64 = 1 << 22;

/// Bytes that a block begins with.
const HEADER: i64 = 64;

/// What the heap is called as an array of a dtype.
pub(crate) fn heap_name(dtype: DType) -> String {
    format!("situ__heap_{dtype}")
}

/// What the place of a parameter is called, counted from the start of the heap.
pub(crate) fn place_name(parameter: &str) -> String {
    format!("situ__place_of_{parameter}")
}

impl Inference<'_, '_, '_> {
    /// The heap as an array of a dtype; `None` where there is none.
    pub(in crate::infer) fn heap(&self, dtype: DType) -> Option<ArrayId> {
        match self.locals.get(&heap_name(dtype))?.ty {
            LocalType::Static(Static::Array(array)) => Some(array),
            _ => None,
        }
    }

    /// An array expression in memory of its own, or where it is already.
    pub(in crate::infer) fn in_memory(&mut self, elements: Elements, span: Span) -> Option<Value> {
        if let Some(part) = elements.as_part() {
            return Some(part.clone().into_view());
        }
        self.computed_part(elements, span)
    }

    /// An array expression in new memory.
    pub(in crate::infer) fn computed_part(
        &mut self,
        elements: Elements,
        span: Span,
    ) -> Option<Value> {
        let mut code = std::mem::take(&mut self.before);
        let elements = self.with_bound_parts(elements, span, &mut code);
        let sizes = self.sizes(&elements, span, &mut code);
        let part = self.new_part(elements.dtype, &sizes, span, &mut code);
        let written = part.and_then(|part| {
            code.extend(self.write_directly(&part, &elements, span)?);
            Some(part)
        });
        code.append(&mut self.before);
        self.before = code;
        let part = written?;
        self.temporaries.extend(part.owner.clone());
        Some(part.into_view())
    }

    /// How many elements there are along each axis.
    pub(super) fn sizes(
        &mut self,
        elements: &Elements,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Vec<Expression> {
        if let super::Tree::Fold { axis, .. } = &elements.tree {
            let mut sizes = elements.result_sizes(*axis);
            sizes.truncate(elements.ndim);
            return sizes;
        }
        self.extents(
            (&elements.parts, &elements.joins),
            elements.ndim,
            None,
            span,
            code,
        )
        .sizes
    }

    /// New memory for elements, without gaps.
    pub(in crate::infer) fn new_part(
        &mut self,
        dtype: DType,
        sizes: &[Expression],
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<Region> {
        let Some(array) = self.heap(dtype) else {
            self.not_written_out("a new array", span);
            return None;
        };
        let itemsize = dtype.size_bytes() as i64;
        let count = product(sizes, span);
        let size = folded(Ir::Multiply, count, index_literal(itemsize, span), span);
        let call = self.heap_call("situ__allocate", size, span)?;
        let owner = Expression::new(ExpressionKind::Call(call), DType::I64, span);
        let owner = self.bind(owner, span, code);
        // Places of the heap count words of eight bytes.
        let bytes = folded(Ir::Multiply, owner.clone(), index_literal(8, span), span);
        let bytes = folded(Ir::Add, bytes, index_literal(HEADER, span), span);
        let offset = folded(Ir::FloorDivide, bytes, index_literal(itemsize, span), span);
        let offset = self.bind(offset, span, code);
        Some(Region {
            array,
            offset,
            shape: sizes.to_vec(),
            strides: contiguous_strides(sizes, span),
            is_contiguous: true,
            owner: Some(owner),
        })
    }

    /// A call of one of the functions that hand out memory.
    fn heap_call(&mut self, name: &str, argument: Expression, span: Span) -> Option<Call> {
        let heap = self.heap(DType::I64);
        let function = self.heap_function(name);
        let (Some(heap), Some(function)) = (heap, function) else {
            self.not_written_out("a new array", span);
            return None;
        };
        let syntax = self.program.syntax(function).ok()?;
        let types = [
            ParameterType::Array {
                dtype: DType::I64,
                ndim: 1,
                layout: Layout::Contiguous,
                space: self.array(heap).space,
            },
            ParameterType::Scalar(DType::I64),
            ParameterType::Scalar(DType::I64),
        ];
        let Specialised::Function(id) = self.program.specialise(function, &syntax, &types) else {
            self.not_written_out("a new array", span);
            return None;
        };
        let head = self.head(span);
        let mut arguments = vec![
            Argument::Array(heap),
            Argument::Scalar(head),
            Argument::Scalar(argument),
        ];
        if self.program.functions[id.0].report.is_some() {
            arguments.push(Argument::Array(self.message_array()));
        }
        Some(Call {
            function: id,
            arguments,
        })
    }

    /// One of the functions that hand out memory. Those that a user's function calls know nothing of them by name.
    fn heap_function(&self, name: &str) -> Option<usize> {
        match self.program.environment.bindings.get(name) {
            Some(Binding::DeviceFunction(function)) => Some(*function),
            _ => None,
        }
    }

    fn heap_statement(&mut self, name: &str, block: Expression, span: Span) -> Vec<Statement> {
        let call = self.heap_call(name, block, span);
        let call = call.map(StatementKind::Call);
        call.map(|kind| Statement { kind, span })
            .into_iter()
            .collect()
    }

    /// Notes that a name holds a part of a block.
    pub(in crate::infer) fn keep_block(&mut self, block: Expression, span: Span) -> Vec<Statement> {
        self.heap_statement("situ__keep", block, span)
    }

    /// Notes that a name holds a part of a block no longer.
    pub(in crate::infer) fn release_block(
        &mut self,
        block: Expression,
        span: Span,
    ) -> Vec<Statement> {
        self.heap_statement("situ__release", block, span)
    }

    /// Gives a block back, unless a name holds a part of it.
    pub(in crate::infer) fn drop_block(&mut self, block: Expression, span: Span) -> Vec<Statement> {
        self.heap_statement("situ__drop", block, span)
    }

    pub(super) fn drop_part(&mut self, part: &Region, span: Span) -> Vec<Statement> {
        match part.owner.clone() {
            Some(owner) => self.drop_block(owner, span),
            None => Vec::new(),
        }
    }

    /// An array that was passed, as a part of the memory that the heap reaches.
    pub(in crate::infer) fn as_heap_part(&mut self, array: ArrayId, span: Span) -> Option<Value> {
        let region = self.whole(array, span);
        self.on_heap(region, span).map(Region::into_view)
    }

    /// A part of an array that was passed, as a part of the memory that the heap reaches.
    pub(in crate::infer) fn on_heap(&mut self, part: Region, span: Span) -> Option<Region> {
        if part.owner.is_some() {
            return Some(part);
        }
        let whole = self.array(part.array);
        let (dtype, name) = (whole.dtype, place_name(&whole.name));
        let heap = self.heap(dtype)?;
        if !self.locals.contains_key(&name) {
            return None;
        }
        let Value::Scalar(place) = self.name(&name, span) else {
            return None;
        };
        Some(Region {
            array: heap,
            offset: folded(Ir::Add, place, part.offset, span),
            owner: Some(index_literal(0, span)),
            ..part
        })
    }

    /// Two parts of arrays counted from the same place, if they may share memory.
    pub(super) fn as_neighbours(
        &mut self,
        one: &Region,
        other: &Region,
        span: Span,
    ) -> Option<(Region, Region)> {
        if one.array == other.array {
            return Some((one.clone(), other.clone()));
        }
        // Arrays that were passed share none, and neither do those of different dtypes.
        let is_passed = one.owner.is_none() && other.owner.is_none();
        if is_passed || self.array(one.array).dtype != self.array(other.array).dtype {
            return None;
        }
        let one = self.on_heap(one.clone(), span)?;
        let other = self.on_heap(other.clone(), span)?;
        Some((one, other))
    }
}

/// The strides of elements without gaps, the last axis fastest.
pub(in crate::infer) fn contiguous_strides(sizes: &[Expression], span: Span) -> Vec<Expression> {
    (0..sizes.len())
        .map(|axis| product(&sizes[axis + 1..], span))
        .collect()
}
