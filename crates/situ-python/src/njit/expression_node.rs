//! Array expressions that wait until somebody looks at them.
//!
//! `a * b + c` makes two nodes and no kernel. When the array is needed, the nodes become one kernel
//! ([`situ_array::functions::fusion`]); what nobody needs is never computed, and what only one expression needs is
//! never in memory. A node that something else holds on to, a name that is read later or another expression, is
//! computed by itself first, so that nothing is computed twice.
//!
//! Types, shapes and places are checked when a node is made, where the user's line is known.

use std::cell::RefCell;
use std::collections::HashMap;
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

use super::value::Number;
use crate::detach::detach;
use crate::error::IntoPyErr;

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
#[derive(Clone)]
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
        let arrays: Vec<&Rc<Self>> = arrays.collect();
        let first = arrays.first().ok_or(situ_array::Error::NoArray {
            operation: function.name,
        })?;
        let homes: Vec<&Array> = arrays.iter().map(|node| &node.home).collect();
        foresight::check_places(function, &homes)?;
        let shapes: Vec<&[usize]> = arrays.iter().map(|node| &*node.shape).collect();
        let shape = broadcast::broadcast_shapes(function.name, &shapes)?;
        let types: Vec<OperandType> = operands.iter().map(NodeOperand::ty).collect();
        let device = first.home.queue().device();
        let dtype = foresight::result_dtype(function, &types, device)?;
        let home = first.home.clone();
        let size = 1 + arrays.iter().map(|node| node.size()).sum::<usize>();
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
        let gathered = Gathered::of(self, py)?;
        let array = detach(py, || {
            fusion::evaluate(&gathered.fusion, &gathered.operands, None, None)
        })?;
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
        let mut uses = HashMap::new();
        count_uses(root, &mut uses);
        let mut walk = Walk {
            py,
            root: Rc::as_ptr(root),
            uses,
            places: HashMap::new(),
            nodes: Vec::new(),
            operands: Vec::new(),
        };
        walk.node(root)?;
        Ok(Self {
            fusion: Arc::new(Fusion::new(walk.nodes)),
            operands: walk.operands,
        })
    }
}

/// Counts how often waiting nodes are used inside of an expression.
fn count_uses(node: &Rc<Node>, uses: &mut HashMap<*const Node, usize>) {
    if let State::Waiting(waiting) = &*node.state.borrow() {
        for operand in &waiting.operands {
            if let NodeOperand::Array(inner) = operand {
                let count = uses.entry(Rc::as_ptr(inner)).or_default();
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
    uses: HashMap<*const Node, usize>,
    /// Where nodes are in the list.
    places: HashMap<*const Node, usize>,
    nodes: Vec<fusion::Node>,
    operands: Vec<Operand>,
}

impl Walk<'_> {
    /// The place of a node in the list.
    fn node(&mut self, node: &Rc<Node>) -> PyResult<usize> {
        let key = Rc::as_ptr(node);
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        let inside = self.uses.get(&key).copied().unwrap_or(0);
        let is_held = key != self.root && Rc::strong_count(node) > inside;
        if is_held {
            node.array(self.py)?;
        }
        let waiting = match &*node.state.borrow() {
            State::Ready(array) => Err(array.clone()),
            State::Waiting(waiting) => Ok(waiting.clone()),
        };
        let made = match waiting {
            Err(array) => self.input(Operand::Array(array)),
            Ok(Waiting {
                operation,
                operands,
            }) => {
                // The clone of the operands adds one use of each.
                for operand in &operands {
                    if let NodeOperand::Array(inner) = operand {
                        *self.uses.entry(Rc::as_ptr(inner)).or_default() += 1;
                    }
                }
                let mut places = Vec::with_capacity(operands.len());
                for operand in &operands {
                    places.push(self.operand(operand)?);
                }
                for operand in &operands {
                    if let NodeOperand::Array(inner) = operand {
                        *self.uses.entry(Rc::as_ptr(inner)).or_default() -= 1;
                    }
                }
                match operation {
                    Operation::Apply(function) => fusion::Node::Apply {
                        function,
                        operands: places.into_iter().collect(),
                    },
                    Operation::Cast(dtype) => fusion::Node::Cast {
                        operand: places[0],
                        dtype,
                    },
                }
            }
        };
        let place = self.push(made);
        self.places.insert(key, place);
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
