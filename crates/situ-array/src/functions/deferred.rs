//! Elementwise calls that wait for what follows, so that `a*b + c - d` is one kernel.
//!
//! A call on large arrays is checked at once (places, shapes, dtypes, numbers), but not launched: its result is an array
//! whose contents are promised ([`situ_runtime::memory::deferred`]). When they are needed, everything that waits in the
//! expression becomes one kernel ([`super::fusion`]). Three rules keep that from being noticed:
//!
//! - An array that anybody but the expression holds on to is computed by itself, once.
//! - Memory that somebody else may write at any moment is never waited for: such calls are launched at once. All other
//!   writes have what reads the memory computed first.
//! - The results are those of one call after the other, to the last bit.
//!
//! A reduction joins what it reduces, which is then not written at all: `((x - y)**2).sum()` reads two arrays. The result that
//! waits goes on waiting, in case it has a name and is needed once more.
//!
//! Compiling costs as much as many launches of what is there already. So an expression is run call by call until joining
//! its calls would have saved as much as compiling costs; large arrays reach that with the first call.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use situ_ir::{BinaryOperator, DType};
use situ_runtime::config::process_config;
use situ_runtime::fork::ForkLocal;
use situ_runtime::memory::deferred::Producer;
use situ_runtime::{Allocation, BackendKind, Queue, UsmKind};
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Operand, Options, apply_with};
use crate::functions::elementwise::Elementwise;
use crate::functions::fusion::{self, Fusion, Node};
use crate::kernels::reduce::Prepare;
use crate::layout::{Layout, Shape};
use crate::placement::Placement;
use crate::reduction::{ReducedAxes, Reduction};
use crate::result_layout::result_layout;

/// How many calls may become one kernel. Longer kernels take long to compile and gain nothing.
const MAX_CALLS: usize = 48;

/// How many arrays one kernel may read. More need more registers than there are.
const MAX_LEAVES: usize = 12;

/// How many arrays a reduction may read instead of one that waits. If that is needed after all, they are read twice.
const MAX_REDUCED_LEAVES: usize = 3;

/// How many promises one queue may have at a time.
const MAX_PROMISES: usize = 256;

/// After how many promises it is looked at how much memory they keep.
const LOOK_EVERY: usize = 8;

/// Which part of a device's memory promises may keep: one over this.
const SHARE_KEPT: u64 = 4;

/// The least elements of a result that waits. A launch on fewer takes less time than thinking about it.
static SMALLEST: AtomicUsize = AtomicUsize::new(1 << 15);

/// How many elements have to be spared a way through memory before a kernel is compiled for that, on a processor whose
/// compiler is our own. A kernel takes about 10 ms, such a way about a nanosecond.
static PRICE: AtomicU64 = AtomicU64::new(8 << 20);

/// How many times longer drivers take to compile.
const DRIVER_FACTOR: u64 = 12;

/// When calls wait, and when they are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The least elements of a result that waits; `usize::MAX` if none does.
    pub smallest: usize,
    /// How many elements have to be spared a way through memory before a kernel is compiled for that.
    pub price: u64,
}

impl Policy {
    /// The one in force.
    pub fn current() -> Self {
        Self {
            smallest: SMALLEST.load(Ordering::Relaxed),
            price: PRICE.load(Ordering::Relaxed),
        }
    }

    /// Puts it in force for the whole process, for tests and measurements.
    pub fn install(self) {
        SMALLEST.store(self.smallest, Ordering::Relaxed);
        PRICE.store(self.price, Ordering::Relaxed);
    }
}

/// The least elements of a result that waits.
pub(super) fn smallest() -> usize {
    SMALLEST.load(Ordering::Relaxed).max(1)
}

/// A call that was checked.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) function: &'static Elementwise,
    pub(super) operands: &'a [Operand],
    pub(super) shape: &'a Shape,
    pub(super) dtype: DType,
    pub(super) placement: &'a Placement,
}

impl Call<'_> {
    /// Whether it should wait.
    pub(super) fn pays(&self) -> bool {
        let size: usize = self.shape.iter().product();
        size >= smallest() && self.is_allowed()
    }

    fn is_allowed(&self) -> bool {
        let config = process_config();
        // Times are told of commands, and a call that blocks has to be done.
        let is_observed = self.placement.queue.properties().enable_profiling || config.blocking;
        !config.eager && !is_observed && self.arrays().all(|array| array.allocation().is_private())
    }

    fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.operands.iter().filter_map(Operand::array)
    }

    /// Promises the result.
    ///
    /// # Errors
    /// If it is too large, or there are so many promises that some have to be kept now and cannot be.
    pub(super) fn put_off(&self) -> Result<Array, Error> {
        let layout = result_layout(self.shape, self.operands.iter().filter_map(Operand::layout))?;
        let size_bytes = Array::checked_size(&layout, self.dtype)?;
        let Placement { queue, usm_kind } = self.placement;
        let mut expression = self.expression(&layout);
        if expression.calls > MAX_CALLS || expression.leaves.len() > MAX_LEAVES {
            for array in self.arrays() {
                array.allocation().settle()?;
            }
            expression = self.expression(&layout);
        }
        let leaves = expression.leaves.clone();
        let allocation = Allocation::deferred(queue, size_bytes, *usm_kind, Arc::new(expression));
        for leaf in leaves.iter().filter_map(Weak::upgrade) {
            leaf.promise_reads(&allocation);
        }
        for array in self.arrays() {
            if !array.allocation().is_settled() {
                array.allocation().promise_reads(&allocation);
            }
        }
        let count = queue.promise(&allocation);
        let is_looked_at = count.is_multiple_of(LOOK_EVERY);
        if count > MAX_PROMISES || (is_looked_at && keeps_too_much(queue)) {
            queue.settle()?;
        }
        Array::over(allocation, layout, self.dtype, queue)
    }

    /// The call with what waits in its operands.
    fn expression(&self, layout: &Layout) -> Expression {
        let mut calls = 1;
        let mut leaves: SmallVec<[Weak<Allocation>; 4]> = SmallVec::new();
        let mut add = |leaf: &Weak<Allocation>| {
            if !leaves.iter().any(|other| other.ptr_eq(leaf)) {
                leaves.push(leaf.clone());
            }
        };
        for array in self.arrays() {
            let producer = array.allocation().producer();
            match producer
                .as_ref()
                .and_then(|it| Expression::behind(&**it, array))
            {
                Some(inner) => {
                    calls += inner.calls;
                    inner.leaves.iter().for_each(&mut add);
                }
                None => add(&Arc::downgrade(array.allocation())),
            }
        }
        Expression {
            function: self.function,
            operands: self.operands.into(),
            layout: layout.clone(),
            dtype: self.dtype,
            queue: self.placement.queue.clone(),
            usm_kind: self.placement.usm_kind,
            calls,
            leaves,
            was_reduced: AtomicBool::new(false),
        }
    }
}

/// A call that waits.
struct Expression {
    function: &'static Elementwise,
    operands: SmallVec<[Operand; 3]>,
    /// How the result lies in its memory.
    layout: Layout,
    dtype: DType,
    queue: Queue,
    usm_kind: UsmKind,
    /// How many calls wait in it, at most.
    calls: usize,
    /// The memory that it reads, in the end.
    leaves: SmallVec<[Weak<Allocation>; 4]>,
    /// Whether a reduction joined it. A second one shows that the result is worth being written.
    was_reduced: AtomicBool,
}

impl Expression {
    /// The call whose whole result an array is; `None` if it is a part of one or lies in another way.
    fn behind<'a>(producer: &'a dyn Producer, array: &Array) -> Option<&'a Self> {
        let expression = (producer as &dyn Any).downcast_ref::<Self>()?;
        let is_whole = *array.layout() == expression.layout && array.dtype() == expression.dtype;
        is_whole.then_some(expression)
    }

    /// The calls that can be joined, and what they read. What is computed by itself is, on the way.
    fn gathered(&self) -> Result<(Vec<Node>, Vec<Operand>), Error> {
        let mut gathering = Gathering {
            held: held_elsewhere(self),
            ..Gathering::default()
        };
        gathering.add_call(self)?;
        Ok((gathering.nodes, gathering.operands))
    }

    /// Reduces the result without writing it; `None` if it is better written.
    fn reduce(&self, reduction: Reduction<'_>, axes: &ReducedAxes) -> Result<Option<Array>, Error> {
        if self.leaves.len() > MAX_REDUCED_LEAVES || self.was_reduced.swap(true, Ordering::Relaxed)
        {
            return Ok(None);
        }
        let (nodes, operands) = self.gathered()?;
        let spared = call_count(&nodes) * self.layout.size() as u64;
        let fusion = Fusion::new(nodes);
        if fusion.is_long() || !self.reads_as_it_is_written(&operands) {
            return Ok(None);
        }
        let way = Way::Reduced(reduction.combine, reduction.prepare);
        let Ok(fusion) = worthwhile(fusion, way, &operands, spared, &self.queue) else {
            return Ok(None);
        };
        let place = (&self.queue, self.usm_kind);
        fusion::reduce_elements(&fusion, &operands, reduction, axes, place)
            .map(Some)
            .map_err(|failure| *failure.error)
    }

    /// Whether arrays lie as the result does. Then elements are combined in the same order as if it were written.
    fn reads_as_it_is_written(&self, operands: &[Operand]) -> bool {
        let is_alike = |array: &Array| {
            array.shape() == self.layout.shape()
                && array.layout().strides() == self.layout.strides()
        };
        operands.iter().filter_map(Operand::array).all(is_alike)
    }

    /// Computes the result in new memory.
    fn compute(&self) -> Result<Array, Error> {
        let (nodes, operands) = self.gathered()?;
        let joined = call_count(&nodes) - 1;
        if joined == 0 {
            return self.apply(self.function, &self.operands);
        }
        let spared = joined * self.layout.size() as u64;
        match worthwhile(
            Fusion::new(nodes),
            Way::Written,
            &operands,
            spared,
            &self.queue,
        ) {
            Ok(fusion) => {
                let out = Array::empty_with_layout(
                    self.layout.clone(),
                    self.dtype,
                    &self.queue,
                    self.usm_kind,
                )?;
                fusion::evaluate(&fusion, &operands, Some(&out), Some(&self.queue))
                    .map_err(|failure| *failure.error)
            }
            Err(fusion) => self.one_by_one(&fusion, operands),
        }
    }

    /// Applies one call after the other. Each intermediate result is let go when it was used for the last time.
    fn one_by_one(&self, fusion: &Fusion, operands: Vec<Operand>) -> Result<Array, Error> {
        let nodes = fusion.nodes();
        let mut last_uses = vec![0; nodes.len()];
        for (position, node) in nodes.iter().enumerate() {
            for &operand in node.operands() {
                last_uses[operand] = position;
            }
        }
        let mut given: Vec<Option<Operand>> = operands.into_iter().map(Some).collect();
        let mut values: Vec<Option<Operand>> = Vec::with_capacity(nodes.len());
        for (position, node) in nodes.iter().enumerate() {
            let value = match node {
                // Each operand has one node.
                Node::Input(operand) => given[*operand].take(),
                Node::Constant(scalar) => Some(Operand::Scalar(*scalar)),
                Node::Apply { function, operands } => {
                    let used: SmallVec<[Operand; 3]> = operands
                        .iter()
                        .filter_map(|&node| values[node].clone())
                        .collect();
                    let result = self.apply(function, &used)?;
                    for &operand in operands {
                        if last_uses[operand] == position {
                            values[operand] = None;
                        }
                    }
                    Some(Operand::Array(result))
                }
                Node::Cast { .. } => None,
            };
            values.push(value);
        }
        match values.pop() {
            Some(Some(Operand::Array(array))) => Ok(array),
            _ => Err(Error::Internal {
                invariant: "the last of calls that waited gives an array".to_owned(),
            }),
        }
    }

    fn apply(&self, function: &'static Elementwise, operands: &[Operand]) -> Result<Array, Error> {
        let options = Options {
            queue: Some(&self.queue),
            is_eager: true,
            ..Options::default()
        };
        apply_with(function, operands, options)
    }
}

impl Producer for Expression {
    fn produce(&self) -> situ_runtime::Result<Arc<Allocation>> {
        let array = self.compute().map_err(|error| match error {
            Error::Runtime(error) => error,
            // Everything else was checked when the call was made.
            _ => situ_runtime::Error::Internal {
                invariant: "a call that was checked can be done",
            },
        })?;
        debug_assert_eq!(array.usm_kind(), self.usm_kind, "as it was placed");
        debug_assert_eq!(*array.layout(), self.layout, "as it was promised");
        Ok(array.into_allocation())
    }
}

/// Reduces what an array is going to be, if it waits and need not be written for that; otherwise `None`.
///
/// # Errors
/// If there is no memory, or a launch fails.
pub(crate) fn reduce_waiting(
    reduction: Reduction<'_>,
    array: &Array,
    axes: &ReducedAxes,
) -> Result<Option<Array>, Error> {
    let allocation = array.allocation();
    if allocation.is_settled() {
        return Ok(None);
    }
    let Some(producer) = allocation.producer() else {
        return Ok(None);
    };
    match Expression::behind(&*producer, array) {
        Some(expression) if expression.queue.id() == array.queue().id() => {
            expression.reduce(reduction, axes)
        }
        _ => Ok(None),
    }
}

/// How many nodes are calls.
fn call_count(nodes: &[Node]) -> u64 {
    let is_call = |node: &&Node| matches!(node, Node::Apply { .. });
    nodes.iter().filter(is_call).count() as u64
}

/// Whether what is promised on a queue reads so much memory that it should not be kept from being free.
fn keeps_too_much(queue: &Queue) -> bool {
    let mut leaves: HashMap<*const Allocation, u64> = HashMap::new();
    for promised in queue.promised() {
        if let Some(producer) = promised.producer()
            && let Some(expression) = (&*producer as &dyn Any).downcast_ref::<Expression>()
        {
            for leaf in expression.leaves.iter().filter_map(Weak::upgrade) {
                leaves.insert(Arc::as_ptr(&leaf), leaf.size_bytes() as u64);
            }
        }
    }
    leaves.values().sum::<u64>() > queue.device().info().memory_bytes / SHARE_KEPT
}

/// Results inside of an expression that something else holds on to.
fn held_elsewhere(expression: &Expression) -> HashSet<*const Allocation> {
    let mut held = HashSet::new();
    loop {
        let mut handles = HashMap::new();
        count_handles(expression, &held, &mut handles);
        let is_held = |(key, counts): (&*const Allocation, &Handles)| {
            (counts.all > counts.inside).then_some(*key)
        };
        let known = held.len();
        held.extend(handles.iter().filter_map(is_held));
        // What is held is computed by itself, so what it uses is used elsewhere.
        if held.len() == known {
            return held;
        }
    }
}

/// How many handles of an allocation there are.
#[derive(Default)]
struct Handles {
    inside: usize,
    all: usize,
}

/// Counts handles of results that are not there yet, in calls that would be joined.
fn count_handles(
    expression: &Expression,
    held: &HashSet<*const Allocation>,
    handles: &mut HashMap<*const Allocation, Handles>,
) {
    for array in expression.operands.iter().filter_map(Operand::array) {
        let allocation = array.allocation();
        let key = Arc::as_ptr(allocation);
        if allocation.is_settled() || held.contains(&key) {
            continue;
        }
        let counts = handles.entry(key).or_default();
        counts.inside += 1;
        counts.all = Arc::strong_count(allocation);
        if counts.inside == 1
            && let Some(producer) = allocation.producer()
            && let Some(inner) = Expression::behind(&*producer, array)
        {
            count_handles(inner, held, handles);
        }
    }
}

/// What waits in an expression, as fusion takes it.
#[derive(Default)]
struct Gathering {
    /// Results that are computed by themselves.
    held: HashSet<*const Allocation>,
    /// Where the calls behind results are in the list.
    places: HashMap<*const Allocation, usize>,
    nodes: Vec<Node>,
    operands: Vec<Operand>,
}

impl Gathering {
    /// Adds a call and what waits in its operands; gives its place.
    fn add_call(&mut self, expression: &Expression) -> Result<usize, Error> {
        let mut operands = SmallVec::new();
        for (position, operand) in expression.operands.iter().enumerate() {
            operands.push(match operand {
                Operand::Array(array) => self.add_array(array)?,
                // Squares are told by their exponent, so it has to be part of the kernel.
                Operand::Scalar(scalar) if expression.function.name == "pow" && position == 1 => {
                    self.push(Node::Constant(*scalar))
                }
                other => self.add_input(other.clone()),
            });
        }
        let function = expression.function;
        Ok(self.push(Node::Apply { function, operands }))
    }

    /// Adds an array: the call behind it, if nobody else holds on to the result, or the array itself.
    fn add_array(&mut self, array: &Array) -> Result<usize, Error> {
        let allocation = array.allocation();
        let key = Arc::as_ptr(allocation);
        if !allocation.is_settled()
            && !self.held.contains(&key)
            && let Some(producer) = allocation.producer()
            && let Some(inner) = Expression::behind(&*producer, array)
        {
            if let Some(place) = self.places.get(&key) {
                return Ok(*place);
            }
            let place = self.add_call(inner)?;
            self.places.insert(key, place);
            return Ok(place);
        }
        allocation.settle()?;
        let is_known = |other: &Operand| other.array().is_some_and(|it| it.is_same_view(array));
        if let Some(known) = self.operands.iter().position(is_known) {
            let is_it = |node: &Node| matches!(node, Node::Input(operand) if *operand == known);
            let place = self.nodes.iter().position(is_it);
            return place.ok_or_else(|| Error::Internal {
                invariant: "each operand has a node".to_owned(),
            });
        }
        Ok(self.add_input(Operand::Array(array.clone())))
    }

    fn add_input(&mut self, operand: Operand) -> usize {
        self.operands.push(operand);
        self.push(Node::Input(self.operands.len() - 1))
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// What becomes of an expression's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// It is written to memory.
    Written,
    /// It is reduced.
    Reduced(BinaryOperator, Prepare),
}

/// An expression that came before, for operands of these dtypes, and how many elements would have been spared a way
/// through memory so far.
type Known = HashMap<(Arc<Fusion>, Way, SmallVec<[Option<DType>; 8]>), u64>;

/// How many expressions are remembered.
const MAX_KNOWN: usize = 4096;

/// The expression, as it is known from before, if it is worth a kernel by now; otherwise the expression as it was.
fn worthwhile(
    fusion: Fusion,
    way: Way,
    operands: &[Operand],
    spared: u64,
    queue: &Queue,
) -> Result<Arc<Fusion>, Arc<Fusion>> {
    static KNOWN: ForkLocal<Mutex<Known>> = ForkLocal::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let dtypes = operands
        .iter()
        .map(|operand| operand.ty().dtype())
        .collect();
    let key = (Arc::new(fusion), way, dtypes);
    if known.len() >= MAX_KNOWN {
        known.clear();
    }
    let fusion = known
        .get_key_value(&key)
        .map_or_else(|| Arc::clone(&key.0), |(key, _)| Arc::clone(&key.0));
    let total = known.entry(key).or_default();
    *total = total.saturating_add(spared);
    let factor = match queue.device().backend() {
        BackendKind::OpenCl | BackendKind::Sycl => DRIVER_FACTOR,
        _ => 1,
    };
    if *total >= PRICE.load(Ordering::Relaxed).saturating_mul(factor) {
        Ok(fusion)
    } else {
        Err(fusion)
    }
}
