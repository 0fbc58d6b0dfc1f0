//! Loops over small array statements: compiled as a whole, with the statements written out.
//!
//! A loop that works on whole arrays is compiled if all of it can be, and runs compiled as long as none of its statements
//! is about many elements: those are better done by the array library, which uses all cores. So what is compiled is kept
//! together with bounds of its sizes, and the machine walks the loop whenever they say so.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use pyo3::prelude::*;
use situ_array::{Array, Layout};
use situ_frontend::host::{ARENA_WORDS, FIRST_ARENA, PieceMemory, SizeBound};
use situ_frontend::syntax::{Expression, ExpressionKind, Statement, StatementKind};
use situ_ir::{DType, Literal};
use situ_runtime::{Queue, UsmKind};

use super::array_work::escapes;
use super::calls::Callee;
use super::expression_node::Node;
use super::machine::Machine;
use super::pieces::Leaf;
use super::record::Record;
use super::value::{ArrayValue, Number, Origin, Value};
use crate::error::IntoPyErr;
use crate::error::exceptions::KernelError;

/// The greatest number of elements that a statement of compiled code works on: about where the array library, which
/// uses all cores, should win. The crossing has not been measured yet.
const MAX_ELEMENTS: u64 = 1 << 16;

/// The greatest number of products of numbers in a product of matrices, likewise.
const MAX_PRODUCTS: u64 = 1 << 18;

/// What sizes of matrices are taken to be that are not known before code runs.
const USUAL_SIZE: u64 = 16;

/// Bytes of memory for temporary arrays of a thread that runs pieces, without that of workers who share its rounds. Only
/// what is used is ever backed by memory.
const HEAP_BYTES: usize = FIRST_ARENA as usize * 8;

/// Where the heap says how much of it was ever used, in words, and how large it is.
const USED: usize = 62;
const CAPACITY: usize = 63;

/// The most workers that share rounds: as many as `rounds.rs` of the runtime has numbers for.
const MAX_WORKERS: usize = 64;

/// The words that the heap begins with.
const HEAD: usize = 64;

thread_local! {
    /// The memory for temporary arrays of this thread.
    static HEAP: RefCell<Option<Array>> = const { RefCell::new(None) };
}

/// Memory for temporary arrays while a piece runs.
pub(super) struct Heap {
    words: Array,
    address: usize,
}

impl Heap {
    /// The heap of this thread, emptied.
    pub(super) fn take(py: Python<'_>, queue: &Queue) -> PyResult<Self> {
        let kept = HEAP.with(|heap| heap.borrow_mut().take());
        let workers = queue.device().info().compute_units.min(MAX_WORKERS);
        let length = HEAP_BYTES / 8 + workers * ARENA_WORDS as usize;
        // Another device may have fewer workers.
        let kept = kept.filter(|words| {
            words.queue().context() == queue.context() && words.shape()[0] >= length
        });
        let words = match kept {
            Some(words) => words.with_queue(queue),
            None => Array::empty(&[length], DType::I64, queue, UsmKind::Host)
                .map_err(|error| error.into_py_err(py))?,
        };
        for worker in 0..=workers {
            // Worker 0 is the thread that runs the piece.
            let (start, size) = match worker {
                0 => (0, FIRST_ARENA),
                _ => (FIRST_ARENA + (worker as i64 - 1) * ARENA_WORDS, ARENA_WORDS),
            };
            let mut head = [0_i64; HEAD];
            head[USED] = start + HEAD as i64;
            head[CAPACITY] = start + size;
            let bytes: Vec<u8> = head.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let own = words.with_layout(Layout::from_parts(&[HEAD], &[1], start as usize));
            own.write_bytes(&bytes)
                .map_err(|error| error.into_py_err(py))?;
        }
        let address = words.allocation().as_ptr().addr();
        Ok(Self { words, address })
    }

    /// Keeps the memory for the next piece.
    pub(super) fn give_back(self) {
        HEAP.with(|heap| *heap.borrow_mut() = Some(self.words));
    }

    /// What a piece is passed after its parameters; `None` if an array is not where elements of its dtype would be.
    pub(super) fn leaves(
        &self,
        memory: &PieceMemory,
        named: &[Array],
    ) -> PyResult<Option<Vec<Leaf>>> {
        let mut leaves = Vec::new();
        for array in named {
            let first = array.allocation().as_ptr().addr() + array.byte_offset();
            let distance = first.wrapping_sub(self.address) as i64;
            let itemsize = array.dtype().size_bytes() as i64;
            if distance % itemsize != 0 {
                return Ok(None);
            }
            leaves.push(Leaf::Number(Literal::I64(distance / itemsize)));
        }
        for dtype in &memory.heaps {
            let length = self.words.allocation().size_bytes() / dtype.size_bytes();
            let layout = Layout::from_parts(&[length], &[1], 0);
            let allocation = Arc::clone(self.words.allocation());
            let array = Array::over(allocation, layout, *dtype, self.words.queue());
            leaves.push(Leaf::Array(
                array.map_err(|error| KernelError::new_err(error.to_string()))?,
            ));
        }
        Ok(Some(leaves))
    }

    /// The array that a piece returns as numbers: one of those that it was passed, or part of one, or a copy of what is
    /// on the heap.
    pub(super) fn array(
        &self,
        py: Python<'_>,
        (dtype, ndim): (DType, usize),
        numbers: &mut impl Iterator<Item = Number>,
        (passed, kind): (&[Array], UsmKind),
    ) -> PyResult<Array> {
        let mut next = || numbers.next().and_then(Number::as_i64).unwrap_or(0);
        let place = next();
        let shape: Vec<usize> = (0..ndim).map(|_| next().max(0) as usize).collect();
        let strides: Vec<isize> = (0..ndim).map(|_| next() as isize).collect();
        next();
        let itemsize = dtype.size_bytes();
        let address = (self.address as i64).wrapping_add(place * itemsize as i64) as usize;
        for array in passed.iter().filter(|array| array.dtype() == dtype) {
            let start = array.allocation().as_ptr().addr();
            let end = start + array.allocation().size_bytes();
            if (start..end).contains(&address) {
                let offset = (address - start) / itemsize;
                return Ok(array.with_layout(Layout::from_parts(&shape, &strides, offset)));
            }
        }
        let layout = Layout::from_parts(&shape, &strides, place.max(0) as usize);
        let allocation = Arc::clone(self.words.allocation());
        let queue = self.words.queue();
        let kept = Array::over(allocation, layout, dtype, queue)
            .and_then(|part| {
                let copy = Array::empty(&shape, dtype, queue, kind)?;
                Ok((part, copy))
            })
            .map_err(|error| error.into_py_err(py));
        let (part, copy) = kept?;
        Node::ready(part).store(py, &copy)?;
        // The heap is used again at once.
        copy.host_view().map_err(|error| error.into_py_err(py))?;
        Ok(copy)
    }
}

impl Machine<'_, '_> {
    /// Whether a statement is a loop that may be compiled with its array statements.
    pub(super) fn is_array_loop(&self, statement: &Statement) -> PyResult<bool> {
        if self.function.checks_bounds() || !self.is_native() {
            return Ok(false);
        }
        let body = match &statement.kind {
            StatementKind::For { iterable, body, .. } => {
                if self.is_parallel(iterable)? {
                    return Ok(false);
                }
                body
            }
            StatementKind::While { body, .. } => body,
            _ => return Ok(false),
        };
        // What leaves the function, or a loop around, must be the end of it.
        Ok(!body.iter().any(|inner| escapes(inner, true)))
    }

    /// Whether a function may be compiled as a whole, with its array statements. A loop over `prange` that nothing
    /// repeats is better launched as a kernel.
    pub(super) fn is_array_program(&self, body: &[Statement]) -> PyResult<bool> {
        if self.function.checks_bounds() || !self.is_native() {
            return Ok(false);
        }
        for statement in body {
            if self.has_outer_parallel(statement)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all arrays are on devices that run compiled code of the host, and all are situ's or all NumPy's: what
    /// names stand for later is told by their addresses only.
    fn is_native(&self) -> bool {
        !self.mixes_dtypes() && self.are_arrays_native()
    }

    /// Whether numbers of NumPy's meet arrays of other dtypes. Compiled code takes them for Python's.
    fn mixes_dtypes(&self) -> bool {
        let is_strong = |value: &Value| match value {
            Value::Number(number) => !number.is_weak,
            _ => false,
        };
        let mut is_mixed = false;
        if self.names.values().any(is_strong) {
            for value in self.names.values() {
                value.for_each_array(&mut |array| {
                    let dtype = array.node.dtype();
                    is_mixed |= !matches!(dtype, DType::F64 | DType::C128 | DType::I64);
                });
            }
        }
        is_mixed
    }

    fn are_arrays_native(&self) -> bool {
        let mut origin = None;
        let mut is_native = true;
        let mut first: Option<Array> = None;
        for value in self.names.values() {
            value.for_each_array(&mut |array| {
                let home = array.node.home();
                // Kinds of memory and queues follow rules that are asked statement by statement.
                let first = first.get_or_insert_with(|| home.clone());
                is_native &= first.usm_kind() == home.usm_kind();
                is_native &= first.queue().is_equivalent(home.queue());
                is_native &= home.queue().device().llvm_target().is_some();
                is_native &= home.allocation().is_host_accessible();
                is_native &= *origin.get_or_insert(array.origin) == array.origin;
            });
        }
        is_native
    }

    /// Whether a statement has a loop over `prange` that is in no other loop.
    fn has_outer_parallel(&self, statement: &Statement) -> PyResult<bool> {
        let blocks: Vec<&Vec<Statement>> = match &statement.kind {
            StatementKind::For { iterable, .. } => return self.is_parallel(iterable),
            StatementKind::If { accept, reject, .. } => vec![accept, reject],
            _ => Vec::new(),
        };
        for statement in blocks.into_iter().flatten() {
            if self.has_outer_parallel(statement)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_parallel(&self, iterable: &Expression) -> PyResult<bool> {
        let ExpressionKind::Call { function, .. } = &iterable.kind else {
            return Ok(false);
        };
        Ok(matches!(
            self.callee(function)?.as_deref(),
            Some(Callee::Parallel)
        ))
    }

    /// Notes why a loop is walked: the first thing in it that compiled code does not do.
    pub(super) fn note_walked(&self, statement: &Statement, error: &PyErr) {
        let text = error.value(self.py).to_string();
        let mut lines = text.lines();
        let why = lines.find_map(|line| line.strip_prefix("error[")?.split_once("]: "));
        let place = lines.find_map(|line| line.trim().strip_prefix("--> ")?.rsplit(':').nth(1));
        if let (Some((_, why)), Some(line)) = (why, place) {
            self.function.note(Record {
                span: statement.span,
                device: "host".to_owned(),
                what: format!("walked statement by statement, for line {line}: {why}"),
            });
        }
    }

    /// Whether compiled code may run with the arrays that names stand for now.
    pub(super) fn may_run(&self, memory: &PieceMemory) -> bool {
        memory.is_empty() || (self.is_native() && self.is_small(memory))
    }

    /// The same of code that repeats statements: large ones share their elements among threads, so that only products
    /// of large matrices are better left to the array library.
    pub(super) fn may_repeat(&self, memory: &PieceMemory) -> bool {
        memory.is_empty() || (self.is_native() && self.are_products_small(memory))
    }

    /// Whether the statements of a loop are about so few elements that compiled code does them best.
    fn is_small(&self, memory: &PieceMemory) -> bool {
        let mut longest = 0_u64;
        for name in &memory.places {
            if let Some(Value::Array(array)) = self.names.get(name) {
                let sizes = array.node.shape().iter().map(|size| *size as u64);
                longest = longest.max(sizes.max().unwrap_or(0));
            }
        }
        self.are_below(&memory.sizes, MAX_ELEMENTS, longest) && self.are_products_small(memory)
    }

    /// Whether products of matrices are small, as far as their sizes are known: one that turns out large is slower than
    /// it could be, but shared among threads all the same.
    fn are_products_small(&self, memory: &PieceMemory) -> bool {
        self.are_below(&memory.products, MAX_PRODUCTS, USUAL_SIZE)
    }

    /// A size, if it is known.
    fn size(&self, bound: &SizeBound) -> Option<u64> {
        match bound {
            SizeBound::Constant(size) => Some((*size).max(0) as u64),
            SizeBound::Axis(name, axis) => match self.names.get(name)? {
                Value::Array(array) => array.node.shape().get(*axis).map(|size| *size as u64),
                _ => None,
            },
            SizeBound::Number(name) => match self.names.get(name)? {
                Value::Number(number) => number.as_i64().map(|number| number.max(0) as u64),
                _ => None,
            },
            SizeBound::Sum(terms) => terms.iter().try_fold(0_u64, |sum, (count, term)| {
                let count = (*count).max(0) as u64;
                Some(sum.saturating_add(count.saturating_mul(self.size(term)?)))
            }),
            SizeBound::Product(one, other) => {
                Some(self.size(one)?.saturating_mul(self.size(other)?))
            }
            SizeBound::Unknown => None,
        }
    }

    /// Whether products of sizes are at most so large; sizes that are not known are taken to be `unknown`.
    fn are_below(&self, sizes: &BTreeSet<Vec<SizeBound>>, most: u64, unknown: u64) -> bool {
        sizes.iter().all(|sizes| {
            let sizes = sizes.iter().map(|size| self.size(size).unwrap_or(unknown));
            let count = sizes.fold(1_u64, u64::saturating_mul);
            count <= most
        })
    }
}

/// Whether arrays that a piece gets share memory. It was compiled as if they did not.
pub(super) fn share_memory(arrays: &[Array]) -> bool {
    arrays.iter().enumerate().any(|(position, array)| {
        arrays[position + 1..]
            .iter()
            .any(|other| array.may_overlap(other))
    })
}

/// An array that a piece has returned, as a value.
pub(super) fn returned_array(array: Array, origin: Origin) -> Value {
    Value::Array(ArrayValue::ready(array, origin))
}
