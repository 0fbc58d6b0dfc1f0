//! Fusion: an expression of elementwise functions as one kernel.
//!
//! An elementwise function is data, and so is an expression of several: a [`Fusion`] lists its nodes, each after
//! those it refers to. Typing it applies the type rules of each function in turn ([`plan`]), writing it
//! appends the functions' own expressions one after the other ([`Plan::write`]), and the map template makes the
//! kernel. There is no second implementation of anything, so the results are those of one call after the other,
//! without their temporaries: each node is rounded to the dtype that its call would have given.
//!
//! A reduction that follows joins the kernel ([`reduce()`]): the reduce template makes its elements by the expression
//! instead of loading them.
//!
//! One rewriting is done, as array functions do it: `x**2` of floats is a product.

mod evaluate;
mod immediate;
mod plan;
mod reduce;

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use situ_ir::promotion::PythonScalar;
use situ_ir::{BinaryOperator, DType};
use situ_runtime::Device;
use smallvec::SmallVec;
use thiserror::Error as ThisError;

use crate::error::Error;
use crate::functions::call_dtypes::{Available, OperandKind};
use crate::functions::elementwise::{Body, Elementwise, TypeRule};

pub use super::call_dtypes::OperandType;
pub use evaluate::evaluate;
pub use immediate::evaluate_at_once;
use plan::{KnownPlan, Plan};
pub(crate) use reduce::reduce_elements;
pub use reduce::{Reducer, reduce};

/// How many nodes an expression has that takes more than a few instructions.
const LONG: usize = 16;

/// A part of an expression.
#[derive(Clone, Debug)]
pub enum Node {
    /// The n-th operand.
    Input(usize),
    /// A Python number written in the expression, which adapts to what it meets.
    Constant(PythonScalar),
    /// A function of earlier nodes.
    Apply {
        /// The function.
        function: &'static Elementwise,
        /// Its operands, as positions of nodes.
        operands: SmallVec<[usize; 3]>,
    },
    /// A conversion to a dtype, as of `x.astype("float32")`.
    Cast {
        /// What is converted, as the position of a node.
        operand: usize,
        /// To what.
        dtype: DType,
    },
}

impl Node {
    /// The nodes it refers to.
    pub(super) fn operands(&self) -> &[usize] {
        match self {
            Self::Input(_) | Self::Constant(_) => &[],
            Self::Apply { operands, .. } => operands,
            Self::Cast { operand, .. } => std::slice::from_ref(operand),
        }
    }

    /// Whether it takes more than a few instructions.
    fn is_long(&self, nodes: &[Self]) -> bool {
        let Self::Apply { function, operands } = self else {
            return false;
        };
        match (function.body, function.rule) {
            (Body::Math(function), _) => !function.is_exact(),
            (Body::Binary(BinaryOperator::Power), _) => {
                let exponent = &nodes[operands[1]];
                !matches!(exponent, Self::Constant(PythonScalar::Int(2)))
            }
            // Formulas of mathematical functions.
            (Body::Expression(_), TypeRule::Math { .. } | TypeRule::Divide) => true,
            _ => false,
        }
    }

    /// What messages call it.
    fn name(&self) -> &'static str {
        match self {
            Self::Input(_) | Self::Constant(_) => "copy",
            Self::Apply { function, .. } => function.name,
            Self::Cast { .. } => "astype",
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(operand) => write!(f, "x{operand}"),
            // The debug form of a float reads back as the same number.
            Self::Constant(scalar) => write!(f, "{scalar:?}"),
            Self::Apply { function, operands } => {
                write!(f, "{}(", function.name)?;
                for (position, operand) in operands.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}%{operand}")?;
                }
                f.write_str(")")
            }
            Self::Cast { operand, dtype } => write!(f, "{dtype}(%{operand})"),
        }
    }
}

/// An expression of elementwise functions, without cycles. The last node is its result.
///
/// Two are equal if their nodes are; what operands are called does not count. Comparing is cheap for one that is shared, and
/// hashing always.
#[derive(Debug)]
pub struct Fusion {
    nodes: Vec<Node>,
    /// Whether the result depends on a node.
    is_live: Vec<bool>,
    /// The operands that the result depends on, each once.
    live_operands: SmallVec<[usize; 4]>,
    /// What operands are called in messages; as many as there are operands.
    operand_names: Vec<String>,
    /// The nodes in words, which tells expressions apart.
    text: String,
    hash: u64,
    /// Whether an element takes more than a few instructions.
    is_long: bool,
    known_plan: OnceLock<KnownPlan>,
}

impl Fusion {
    /// An expression of these nodes.
    ///
    /// # Panics
    /// If there is no node, a node refers to itself or a later one, or a function has another number of operands.
    pub fn new(nodes: Vec<Node>) -> Self {
        assert!(!nodes.is_empty(), "an expression has a result");
        let mut text = String::new();
        for (position, node) in nodes.iter().enumerate() {
            let backwards = node.operands().iter().all(|&operand| operand < position);
            assert!(backwards, "`{node}` refers to nodes before it, {position}");
            if let Node::Apply { function, operands } = node {
                assert_eq!(function.arity, operands.len(), "operands of `{node}`");
            }
            let separator = if position == 0 { "" } else { "; " };
            write!(text, "{separator}{node}").expect("strings take all text");
        }
        let mut is_live = vec![false; nodes.len()];
        is_live[nodes.len() - 1] = true;
        for position in (0..nodes.len()).rev() {
            if is_live[position] {
                for &operand in nodes[position].operands() {
                    is_live[operand] = true;
                }
            }
        }
        let mut live_operands = SmallVec::new();
        let mut operand_count = 0;
        for (node, is_live) in nodes.iter().zip(&is_live) {
            if let Node::Input(operand) = *node {
                operand_count = operand_count.max(operand + 1);
                if *is_live && !live_operands.contains(&operand) {
                    live_operands.push(operand);
                }
            }
        }
        live_operands.sort_unstable();
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let is_long = nodes.len() > LONG || nodes.iter().any(|node| node.is_long(&nodes));
        Self {
            nodes,
            is_live,
            is_long,
            live_operands,
            operand_names: (1..=operand_count).map(|n| format!("x{n}")).collect(),
            text,
            hash: hasher.finish(),
            known_plan: OnceLock::new(),
        }
    }

    /// The same with names of the operands for messages about where they live, in their order.
    #[must_use]
    pub fn with_operand_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        for (name, new) in self.operand_names.iter_mut().zip(names) {
            *name = new;
        }
        self
    }

    /// The part of it whose result is this node.
    fn until(&self, node: usize) -> Self {
        let names = self.operand_names.iter().cloned();
        Self::new(self.nodes[..=node].to_vec()).with_operand_names(names)
    }

    /// The nodes, each after those it refers to.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many operands it has: one more than the last one that a node refers to.
    pub fn operand_count(&self) -> usize {
        self.operand_names.len()
    }

    /// The dtype of the result for operands of these types, on a device whose default float is this one and that
    /// has `float16`.
    ///
    /// # Errors
    /// If a function is not defined for what it is applied to.
    ///
    /// # Panics
    /// If there are fewer operands than the nodes refer to.
    pub fn dtype(
        &self,
        operands: &[OperandType],
        default_float: DType,
    ) -> Result<DType, FusionError> {
        Ok(Plan::new(self, operands, Available::ByDefaultFloat(default_float))?.dtype())
    }

    /// The dtype of the result for operands of these types on a device.
    ///
    /// # Errors
    /// If a function is not defined for what it is applied to, or the device does not have a dtype.
    ///
    /// # Panics
    /// If there are fewer operands than the nodes refer to.
    pub fn dtype_on(
        &self,
        operands: &[OperandType],
        device: &Device,
    ) -> Result<DType, FusionError> {
        Ok(Plan::new(self, operands, Available::On(device))?.dtype())
    }

    /// Whether an element takes more than a few instructions.
    pub(crate) fn is_long(&self) -> bool {
        self.is_long
    }

    /// The name of its kernels.
    fn kernel_name(&self) -> String {
        format!("fused_{:016x}", self.hash)
    }

    /// The position of the result.
    fn last(&self) -> usize {
        self.nodes.len() - 1
    }
}

impl fmt::Display for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Fusion {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || (self.hash == other.hash && self.text == other.text)
    }
}

impl Eq for Fusion {}

impl Hash for Fusion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// An expression with what its operands are, which together with the parameters of a kernel says all about the kernel.
///
/// The parameters alone do not: Python numbers come after all others, so `x0 - x1 + x2` has the same parameters whether
/// `x1` or `x2` is the number among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypedFusion {
    fusion: Arc<Fusion>,
    operands: SmallVec<[OperandKind; 4]>,
}

impl TypedFusion {
    /// An expression for operands of these types.
    pub(crate) fn new(fusion: &Arc<Fusion>, operands: &[OperandType]) -> Self {
        Self {
            fusion: Arc::clone(fusion),
            operands: operands.iter().map(|operand| operand.kind()).collect(),
        }
    }

    /// The name of its kernels.
    pub(crate) fn kernel_name(&self) -> String {
        self.fusion.kernel_name()
    }
}

/// What went wrong in an expression, and where, so that the caller can point at the part of it.
#[derive(Debug, ThisError)]
#[error("{error}")]
pub struct FusionError {
    /// The position of the node, if it is about one.
    pub node: Option<usize>,
    /// What went wrong, with the function's name and the dtypes or shapes it was applied to.
    pub error: Box<Error>,
}

impl FusionError {
    /// For an error of a node.
    fn at(node: usize) -> impl FnOnce(Error) -> Self {
        move |error| Self {
            node: Some(node),
            error: Box::new(error),
        }
    }
}

impl From<Error> for FusionError {
    fn from(error: Error) -> Self {
        Self {
            node: None,
            error: Box::new(error),
        }
    }
}
