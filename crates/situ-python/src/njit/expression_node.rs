//! Array expressions that wait until somebody looks at them.
//!
//! `a * b + c` makes two nodes and no kernel. When the array is needed, the nodes become one kernel
//! ([`situ_array::functions::fusion`]); what nobody needs is never computed, and what only one expression needs is
//! never in memory. A node that something else holds on to, a name that is read later or another expression, is
//! computed by itself first, so that nothing is computed twice.
//!
//! Types, shapes and places are checked when a node is made, where the user's line is known.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pyo3::prelude::*;
use situ_array::functions::apply::Operand;
use situ_array::functions::elementwise::Elementwise;
use situ_array::functions::foresight;
use situ_array::functions::fusion::{self, Fusion, OperandType, Reducer};
use situ_array::functions::statistical::Over;
use situ_array::layout::Shape;
use situ_array::{Array, broadcast};
use situ_ir::DType;
use situ_ir::promotion::PythonScalar;
use situ_runtime::Device;
use smallvec::SmallVec;

use super::value::Number;
use crate::detach::detach;
use crate::error::{IntoPyErr, check_stack};

/// How many operations may become one kernel. Longer kernels take long to compile and gain nothing.
const MAX_OPERATIONS: usize = 64;

/// An array, or an expression that will be one.
pub(super) struct Node {
    state: RefCell<State>,
    shape: Shape,
    dtype: DType,
    /// An array that is where this one is or will be.
    home: Array,
    /// How many operations wait in it, at most.
    size: usize,
}

enum State {
    Ready(Array),
    Waiting(Waiting),
}

/// An operation that is not done yet.
struct Waiting {
    operation: Operation,
    operands: Vec<NodeOperand>,
}

#[derive(Clone, Copy)]
enum Operation {
    Apply(&'static Elementwise),
    Cast(DType),
}

/// What an operation is done with.
#[derive(Clone)]
pub(super) enum NodeOperand {
    Array(Rc<Node>),
    Number(Number),
}

impl Node {
    pub(super) fn ready(array: Array) -> Rc<Self> {
        Rc::new(Self {
            shape: array.shape().into(),
            dtype: array.dtype(),
            home: array.clone(),
            state: RefCell::new(State::Ready(array)),
            size: 0,
        })
    }

    /// An elementwise function of operands, at least one of them an array.
    ///
    /// # Errors
    /// If they do not fit together in place, shape or dtype.
    pub(super) fn apply(
        function: &'static Elementwise,
        operands: Vec<NodeOperand>,
    ) -> Result<Rc<Self>, situ_array::Error> {
        let arrays = operands.iter().filter_map(|operand| match operand {
            NodeOperand::Array(node) => Some(node),
            NodeOperand::Number(_) => None,
        });
        let arrays: SmallVec<[&Rc<Self>; 3]> = arrays.collect();
        let first = arrays.first().ok_or(situ_array::Error::NoArray {
            operation: function.name,
        })?;
        let homes: SmallVec<[&Array; 3]> = arrays.iter().map(|node| &node.home).collect();
        foresight::check_places(function, &homes)?;
        let shapes: SmallVec<[&[usize]; 3]> = arrays.iter().map(|node| &*node.shape).collect();
        let shape = broadcast::broadcast_shapes(function.name, &shapes)?;
        let types: SmallVec<[OperandType; 3]> = operands.iter().map(NodeOperand::ty).collect();
        let device = first.home.queue().device();
        let dtype = result_dtype(function, &types, device)?;
        let home = first.home.clone();
        let size = 1 + arrays.iter().map(|node| node.size()).sum::<usize>();
        drop((arrays, homes, shapes));
        let waiting = Waiting {
            operation: Operation::Apply(function),
            operands,
        };
        Ok(Self::waiting(waiting, shape, dtype, home, size))
    }

    /// The elements converted to a dtype.
    pub(super) fn cast(self: &Rc<Self>, dtype: DType) -> Rc<Self> {
        let waiting = Waiting {
            operation: Operation::Cast(dtype),
            operands: vec![NodeOperand::Array(Rc::clone(self))],
        };
        let (shape, home) = (self.shape.clone(), self.home.clone());
        Self::waiting(waiting, shape, dtype, home, self.size() + 1)
    }

    fn waiting(waiting: Waiting, shape: Shape, dtype: DType, home: Array, size: usize) -> Rc<Self> {
        Rc::new(Self {
            state: RefCell::new(State::Waiting(waiting)),
            shape,
            dtype,
            home,
            size,
        })
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    /// An array that is where this one is or will be.
    pub(super) fn home(&self) -> &Array {
        &self.home
    }

    /// Whether its elements lie without gaps, the last axis fastest; those of an expression will.
    pub(super) fn is_contiguous(&self) -> bool {
        match &*self.state.borrow() {
            State::Ready(array) => array.layout().is_contiguous(),
            State::Waiting(_) => true,
        }
    }

    /// How many operations wait in it, at most.
    fn size(&self) -> usize {
        match &*self.state.borrow() {
            State::Ready(_) => 0,
            State::Waiting(_) => self.size,
        }
    }

    /// Whether it should not grow any more.
    pub(super) fn is_large(&self) -> bool {
        self.size() >= MAX_OPERATIONS
    }

    /// The array, if it is one already.
    pub(super) fn as_ready(&self) -> Option<Array> {
        match &*self.state.borrow() {
            State::Ready(array) => Some(array.clone()),
            State::Waiting(_) => None,
        }
    }

    /// The array; computed now if it is not there yet.
    ///
    /// # Errors
    /// If there is no memory, or a launch fails.
    pub(super) fn array(self: &Rc<Self>, py: Python<'_>) -> PyResult<Array> {
        if let Some(array) = self.as_ready() {
            return Ok(array);
        }
        // It may have to compute others first, and those others.
        check_stack()?;
        let gathered = Gathered::of(self, py)?;
        let Gathered { fusion, operands } = &gathered;
        let array = match fusion::evaluate_at_once(fusion, operands) {
            Some(array) => array,
            None => detach(py, || fusion::evaluate(fusion, operands, None, None))?,
        };
        *self.state.borrow_mut() = State::Ready(array.clone());
        Ok(array)
    }

    /// Computes the elements into an array, converted to its dtype.
    ///
    /// # Errors
    /// If they do not fit into it, or a launch fails.
    pub(super) fn store(self: &Rc<Self>, py: Python<'_>, out: &Array) -> PyResult<()> {
        let gathered = Gathered::of(self, py)?;
        detach(py, || {
            fusion::evaluate(&gathered.fusion, &gathered.operands, Some(out), None)
        })?;
        Ok(())
    }

    /// Reduces the elements. Those of an expression that nobody else needs are never in memory.
    ///
    /// # Errors
    /// If an axis does not exist, there is nothing to reduce, or a launch fails.
    pub(super) fn reduce(
        self: &Rc<Self>,
        py: Python<'_>,
        reducer: Reducer,
        (axes, keepdims): (Option<&[i64]>, bool),
        dtype: Option<DType>,
    ) -> PyResult<Array> {
        // The caller holds one reference.
        if Rc::strong_count(self) > 1 {
            self.array(py)?;
        }
        let gathered = Gathered::of(self, py)?;
        detach(py, || {
            let over = Over {
                axes,
                keepdims,
                queue: None,
            };
            fusion::reduce(&gathered.fusion, &gathered.operands, reducer, over, dtype)
        })
    }

    /// Whether computing it would read memory that an array shares.
    pub(super) fn reads(&self, array: &Array) -> bool {
        match &*self.state.borrow() {
            State::Ready(own) => Arc::ptr_eq(own.allocation(), array.allocation()),
            State::Waiting(waiting) => waiting.operands.iter().any(|operand| match operand {
                NodeOperand::Array(node) => node.reads(array),
                NodeOperand::Number(_) => false,
            }),
        }
    }

    /// Whether computing an element of a view would read other elements of it.
    pub(super) fn reads_elsewhere(&self, view: &Array) -> bool {
        match &*self.state.borrow() {
            State::Ready(own) => own.may_overlap(view) && !own.is_same_view(view),
            State::Waiting(waiting) => waiting.operands.iter().any(|operand| match operand {
                NodeOperand::Array(node) => node.reads_elsewhere(view),
                NodeOperand::Number(_) => false,
            }),
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(&*self.state.borrow(), State::Waiting(_))
    }

    /// How many operations would become one kernel now, for the record.
    pub(super) fn waiting_operations(&self) -> usize {
        self.size()
    }
}

impl NodeOperand {
    fn ty(&self) -> OperandType {
        match self {
            Self::Array(node) => OperandType::Array(node.dtype),
            Self::Number(number) if number.is_weak => OperandType::Weak(number.python_scalar()),
            Self::Number(number) => OperandType::Literal(number.literal.dtype()),
        }
    }
}

impl IntoPyErr for fusion::FusionError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        self.error.into_py_err(py)
    }
}

/// An expression as the array library takes it.
struct Gathered {
    fusion: Arc<Fusion>,
    operands: Vec<Operand>,
}

impl Gathered {
    /// Gathers what waits in a node. What others hold on to is computed first.
    fn of(root: &Rc<Node>, py: Python<'_>) -> PyResult<Self> {
        let mut uses = PerNode::new();
        count_uses(root, &mut uses);
        let mut walk = Walk {
            py,
            root: Rc::as_ptr(root),
            uses,
            places: PerNode::new(),
            nodes: SmallVec::new(),
            operands: Vec::new(),
        };
        walk.node(root)?;
        Ok(Self {
            fusion: kept(walk.nodes),
            operands: walk.operands,
        })
    }
}

/// What a function of operands of these types gives on a device.
///
/// Most calls are those of the last time, so that each thread remembers a few; what depends on the value of a Python
/// number is found out anew.
fn result_dtype(
    function: &'static Elementwise,
    types: &[OperandType],
    device: &Device,
) -> Result<DType, situ_array::Error> {
    type Known = (
        &'static Elementwise,
        SmallVec<[OperandType; 3]>,
        Device,
        DType,
    );
    thread_local! {
        static KNOWN: RefCell<[Option<Known>; 16]> = const { RefCell::new([const { None }; 16]) };
    }
    let is_weak = |ty: &OperandType| matches!(ty, OperandType::Weak(_));
    if types.iter().any(is_weak) {
        return foresight::result_dtype(function, types, device);
    }
    let slot = std::ptr::from_ref(function).addr() / align_of::<Elementwise>() % 16;
    KNOWN.with_borrow_mut(|known| {
        if let Some((of, operands, on, dtype)) = &known[slot]
            && std::ptr::eq(*of, function)
            && operands.as_slice() == types
            && on == device
        {
            return Ok(*dtype);
        }
        let dtype = foresight::result_dtype(function, types, device)?;
        known[slot] = Some((function, types.into(), device.clone(), dtype));
        Ok(dtype)
    })
}

/// Expressions that were evaluated last by this thread. What a fusion knows of its dtypes is worth keeping.
const KEPT: usize = 64;

thread_local! {
    static FUSIONS: RefCell<[Option<Arc<Fusion>>; KEPT]> =
        const { RefCell::new([const { None }; KEPT]) };
}

/// The fusion of some nodes: the one of an earlier call, if there was one.
fn kept(nodes: SmallVec<[fusion::Node; 8]>) -> Arc<Fusion> {
    FUSIONS.with_borrow_mut(|fusions| {
        let slot = &mut fusions[slot(&nodes)];
        if let Some(fusion) = slot
            && fusion.nodes().len() == nodes.len()
            && fusion
                .nodes()
                .iter()
                .zip(&nodes)
                .all(|(a, b)| is_same(a, b))
        {
            return Arc::clone(fusion);
        }
        let fusion = Arc::new(Fusion::new(nodes.into_vec()));
        *slot = Some(Arc::clone(&fusion));
        fusion
    })
}

/// Where the fusion of some nodes is kept. Another one may be there in its place.
fn slot(nodes: &[fusion::Node]) -> usize {
    let mixed = nodes.iter().fold(0_usize, |mixed, node| {
        let own = match node {
            fusion::Node::Input(operand) => *operand,
            fusion::Node::Constant(_) => 7,
            fusion::Node::Apply { function, .. } => {
                std::ptr::from_ref(*function).addr() / align_of::<Elementwise>()
            }
            fusion::Node::Cast { dtype, .. } => 11 + *dtype as usize,
        };
        mixed.wrapping_mul(31).wrapping_add(own)
    });
    (mixed ^ (mixed >> 7)) % KEPT
}

fn is_same(left: &fusion::Node, right: &fusion::Node) -> bool {
    match (left, right) {
        (fusion::Node::Input(left), fusion::Node::Input(right)) => left == right,
        (fusion::Node::Constant(left), fusion::Node::Constant(right)) => match (left, right) {
            (PythonScalar::Bool(left), PythonScalar::Bool(right)) => left == right,
            (PythonScalar::Int(left), PythonScalar::Int(right)) => left == right,
            // 0.0 and -0.0 are two numbers, and NaN is one.
            (PythonScalar::Float(left), PythonScalar::Float(right)) => {
                left.to_bits() == right.to_bits()
            }
            // Rare enough to be made anew.
            _ => false,
        },
        (
            fusion::Node::Apply {
                function: left,
                operands: of_left,
            },
            fusion::Node::Apply {
                function: right,
                operands: of_right,
            },
        ) => std::ptr::eq(*left, *right) && of_left == of_right,
        (
            fusion::Node::Cast {
                operand: left,
                dtype: to_left,
            },
            fusion::Node::Cast {
                operand: right,
                dtype: to_right,
            },
        ) => left == right && to_left == to_right,
        _ => false,
    }
}

/// A number for each of a few nodes.
struct PerNode(SmallVec<[(*const Node, usize); 8]>);

impl PerNode {
    fn new() -> Self {
        Self(SmallVec::new())
    }

    fn get(&self, node: *const Node) -> Option<usize> {
        let mut known = self.0.iter();
        known
            .find(|(each, _)| *each == node)
            .map(|(_, number)| *number)
    }

    /// The number of a node, which starts with zero.
    fn entry(&mut self, node: *const Node) -> &mut usize {
        let known = self.0.iter().position(|(each, _)| *each == node);
        let place = known.unwrap_or_else(|| {
            self.0.push((node, 0));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}

/// Counts how often waiting nodes are used inside of an expression.
fn count_uses(node: &Rc<Node>, uses: &mut PerNode) {
    if let State::Waiting(waiting) = &*node.state.borrow() {
        for operand in &waiting.operands {
            if let NodeOperand::Array(inner) = operand {
                let count = uses.entry(Rc::as_ptr(inner));
                *count += 1;
                if *count == 1 {
                    count_uses(inner, uses);
                }
            }
        }
    }
}

struct Walk<'py> {
    py: Python<'py>,
    root: *const Node,
    /// How often each node is used inside of the expression.
    uses: PerNode,
    /// Where nodes are in the list.
    places: PerNode,
    nodes: SmallVec<[fusion::Node; 8]>,
    operands: Vec<Operand>,
}

impl Walk<'_> {
    /// The place of a node in the list.
    fn node(&mut self, node: &Rc<Node>) -> PyResult<usize> {
        let key = Rc::as_ptr(node);
        if let Some(place) = self.places.get(key) {
            return Ok(place);
        }
        let inside = self.uses.get(key).unwrap_or(0);
        let is_held = key != self.root && Rc::strong_count(node) > inside;
        if is_held {
            node.array(self.py)?;
        }
        // Nodes that are computed on the way are others: no expression contains itself.
        let made = match &*node.state.borrow() {
            State::Ready(array) => self.input(Operand::Array(array.clone())),
            State::Waiting(waiting) => {
                let mut places = SmallVec::new();
                for operand in &waiting.operands {
                    places.push(self.operand(operand)?);
                }
                match waiting.operation {
                    Operation::Apply(function) => fusion::Node::Apply {
                        function,
                        operands: places,
                    },
                    Operation::Cast(dtype) => fusion::Node::Cast {
                        operand: places[0],
                        dtype,
                    },
                }
            }
        };
        let place = self.push(made);
        *self.places.entry(key) = place;
        Ok(place)
    }

    fn operand(&mut self, operand: &NodeOperand) -> PyResult<usize> {
        match operand {
            NodeOperand::Array(node) => self.node(node),
            NodeOperand::Number(number) => {
                let made = if number.is_written {
                    fusion::Node::Constant(number.python_scalar())
                } else {
                    self.input(number.operand())
                };
                Ok(self.push(made))
            }
        }
    }

    fn input(&mut self, operand: Operand) -> fusion::Node {
        self.operands.push(operand);
        fusion::Node::Input(self.operands.len() - 1)
    }

    fn push(&mut self, node: fusion::Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}
