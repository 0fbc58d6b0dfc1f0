//! The plan of an expression: its dtypes for operands of given types, and how it is written into a kernel.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use situ_ir::promotion::PythonScalar;
use situ_ir::{DType, Expression, FunctionBuilder, Handle, Literal};
use situ_runtime::{Device, Kernel};
use smallvec::SmallVec;

use super::{Fusion, FusionError, Node};
use crate::error::Error;
use crate::functions::apply::Operand;
use crate::functions::call_dtypes::{
    Available, CallDTypes, OperandType, is_square, scalar_literal,
};

/// How a node gets an operand.
#[derive(Clone, Copy, Debug)]
enum Use {
    /// From another node.
    Node(usize),
    /// A number written in the expression.
    Constant(Literal),
    /// The n-th of the plan's scalars.
    Scalar(usize),
}

/// A node for operands of given types.
#[derive(Clone, Debug)]
struct Step {
    /// What it is to nodes that use it.
    ty: OperandType,
    /// Its operands and the dtype each is converted to.
    uses: SmallVec<[(Use, DType); 3]>,
    /// Whether it is a product of its first operand with itself instead.
    is_square: bool,
}

impl Step {
    /// A node that has its number from somewhere else.
    fn given(ty: OperandType) -> Self {
        Self {
            ty,
            uses: SmallVec::new(),
            is_square: false,
        }
    }
}

/// The dtypes of all nodes.
///
/// Python numbers among the operands are parameters of the kernel, one for each use, because each use may ask for
/// another dtype. That is why the dtypes of a kernel's parameters tell everything about the dtypes in it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    steps: Vec<Step>,
    /// Powers of integers, whose exponents must not be negative: the node, its exponents' node and the dtype.
    integer_powers: SmallVec<[(usize, usize, DType); 1]>,
    /// Uses of Python numbers among the operands: which operand, and what it became.
    scalars: SmallVec<[(usize, Literal); 4]>,
    default_float: DType,
}

/// A plan that was made before, and for what.
#[derive(Debug)]
pub(super) struct KnownPlan {
    operands: SmallVec<[OperandType; 4]>,
    device: Device,
    plan: Plan,
    /// The kernel for arrays whose elements lie in a row, once somebody has looked for it.
    pub(super) contiguous_kernel: OnceLock<Arc<Kernel>>,
}

impl KnownPlan {
    /// What is remembered, if it is for such operands.
    pub(super) fn of<'a>(
        fusion: &'a Fusion,
        operands: &[OperandType],
        device: &Device,
    ) -> Option<&'a Self> {
        fusion.known_plan.get().filter(|known| {
            let mut pairs = known.operands.iter().zip(operands);
            known.device == *device
                && known.operands.len() == operands.len()
                && pairs.all(|(known, operand)| is_typed_alike(*known, *operand))
        })
    }
}

impl Plan {
    /// The plan for operands on a device. The first one is remembered: most expressions are evaluated for the same types
    /// again and again.
    pub(super) fn on_device<'a>(
        fusion: &'a Fusion,
        operands: &[OperandType],
        device: &Device,
    ) -> Result<Cow<'a, Self>, FusionError> {
        if let Some(known) = KnownPlan::of(fusion, operands, device) {
            return Ok(Cow::Borrowed(&known.plan));
        }
        let plan = Self::new(fusion, operands, Available::On(device))?;
        if fusion.known_plan.get().is_none() {
            // Another thread may have been quicker, and that is as good.
            let _ = fusion.known_plan.set(KnownPlan {
                operands: operands.into(),
                device: device.clone(),
                plan: plan.clone(),
                contiguous_kernel: OnceLock::new(),
            });
        }
        Ok(Cow::Owned(plan))
    }

    /// Applies the type rules of each node.
    pub(super) fn new(
        fusion: &Fusion,
        operands: &[OperandType],
        available: Available<'_>,
    ) -> Result<Self, FusionError> {
        let mut plan = Self {
            steps: Vec::with_capacity(fusion.nodes.len()),
            integer_powers: SmallVec::new(),
            scalars: SmallVec::new(),
            default_float: available.default_float(),
        };
        for position in 0..fusion.nodes.len() {
            let step = plan.step(fusion, position, operands, available);
            plan.steps.push(step.map_err(FusionError::at(position))?);
        }
        // A number that meets nothing at all has its default dtype.
        if let OperandType::Weak(scalar) = plan.steps[fusion.last()].ty {
            let dtype = scalar.default_dtype(plan.default_float);
            let position = fusion.last();
            let literal = scalar_literal(scalar, dtype).map_err(FusionError::at(position))?;
            let number = plan.number(&fusion.nodes[position], literal);
            plan.steps[position].uses.push((number, dtype));
        }
        Ok(plan)
    }

    fn step(
        &mut self,
        fusion: &Fusion,
        position: usize,
        operands: &[OperandType],
        available: Available<'_>,
    ) -> Result<Step, Error> {
        let is_live = fusion.is_live[position];
        match &fusion.nodes[position] {
            Node::Input(operand) => {
                let ty = operands[*operand];
                ty.dtype().map_or(Ok(()), |dtype| available.check(dtype))?;
                Ok(Step::given(ty))
            }
            Node::Constant(scalar) => Ok(Step::given(OperandType::Weak(*scalar))),
            Node::Cast { operand, dtype } => {
                available.check(*dtype)?;
                let literal = |scalar| scalar_literal(scalar, *dtype);
                let number = self.take((fusion, *operand), is_live, literal)?;
                Ok(Step {
                    ty: OperandType::Array(*dtype),
                    uses: SmallVec::from_elem((number, *dtype), 1),
                    is_square: false,
                })
            }
            Node::Apply { function, operands } => {
                let types: SmallVec<[OperandType; 3]> =
                    operands.iter().map(|&node| self.steps[node].ty).collect();
                let dtypes = CallDTypes::resolve(function, &types, None, available)?;
                let compute = &dtypes.signature.compute;
                // Python's numbers were checked with the dtypes.
                if function.name == "pow" && compute[0].is_signed() && types[1].dtype().is_some() {
                    self.integer_powers
                        .push((position, operands[1], compute[0]));
                }
                // The exponent of a square must be known to the kernel, not only to the call.
                let is_square = is_square(function, &types, compute)
                    && matches!(fusion.nodes[operands[1]], Node::Constant(_));
                let mut uses = SmallVec::new();
                for (place, &operand) in operands.iter().enumerate() {
                    let literal = |scalar| dtypes.literal(place, scalar);
                    let number = self.take((fusion, operand), is_live, literal)?;
                    uses.push((number, compute[place]));
                }
                Ok(Step {
                    ty: OperandType::Array(dtypes.signature.result),
                    uses,
                    is_square,
                })
            }
        }
    }

    /// How a node gets the operand at a position.
    fn take(
        &mut self,
        (fusion, operand): (&Fusion, usize),
        is_live: bool,
        literal: impl FnOnce(PythonScalar) -> Result<Literal, Error>,
    ) -> Result<Use, Error> {
        match self.steps[operand].ty {
            OperandType::Weak(scalar) => {
                let literal = literal(scalar)?;
                // What nobody needs takes no parameter.
                if is_live {
                    Ok(self.number(&fusion.nodes[operand], literal))
                } else {
                    Ok(Use::Constant(literal))
                }
            }
            OperandType::Array(_) | OperandType::Literal(_) => Ok(Use::Node(operand)),
        }
    }

    /// A Python number for one use: part of the kernel if it is part of the expression, else a parameter.
    fn number(&mut self, node: &Node, literal: Literal) -> Use {
        if let Node::Input(operand) = node {
            self.scalars.push((*operand, literal));
            return Use::Scalar(self.scalars.len() - 1);
        }
        Use::Constant(literal)
    }

    /// The dtype of the result.
    pub(super) fn dtype(&self) -> DType {
        match self.steps[self.steps.len() - 1].ty {
            OperandType::Array(dtype) | OperandType::Literal(dtype) => dtype,
            OperandType::Weak(scalar) => scalar.default_dtype(self.default_float),
        }
    }

    /// The powers whose exponents must not be negative: the node, its exponents' node and the dtype.
    pub(super) fn integer_powers(&self) -> &[(usize, usize, DType)] {
        &self.integer_powers
    }

    /// What the Python numbers among the operands are in the kernel, in the order of their uses.
    pub(super) fn scalars(
        &self,
        operands: &[Operand],
    ) -> impl Iterator<Item = Result<Literal, Error>> {
        self.scalars
            .iter()
            .map(|(operand, known)| match operands[*operand] {
                // Integers that do not fit have another literal, but then the plan is made for them.
                Operand::Scalar(scalar) if is_usual(scalar) => {
                    scalar_literal(scalar, known.dtype())
                }
                _ => Ok(*known),
            })
    }

    /// Appends the expression to a kernel. The inputs are the operands that the result depends on and that
    /// have dtypes, in their order, and then the scalars.
    pub(super) fn write(
        &self,
        fusion: &Fusion,
        f: &mut FunctionBuilder,
        inputs: &[Handle<Expression>],
    ) -> Handle<Expression> {
        let (operands, scalars) = inputs.split_at(inputs.len() - self.scalars.len());
        let mut values: Vec<Option<Handle<Expression>>> = Vec::new();
        for (position, (node, step)) in fusion.nodes.iter().zip(&self.steps).enumerate() {
            if !fusion.is_live[position] {
                values.push(None);
                continue;
            }
            let mut uses: SmallVec<[Handle<Expression>; 3]> = SmallVec::new();
            for &(number, dtype) in &step.uses {
                let value = match number {
                    Use::Node(node) => values[node].expect("nodes refer to nodes before them"),
                    Use::Constant(literal) => f.literal(literal),
                    Use::Scalar(index) => scalars[index],
                };
                uses.push(f.cast(value, dtype));
            }
            let value = match node {
                Node::Input(operand) if uses.is_empty() => {
                    self.slot(fusion, *operand).map(|slot| operands[slot])
                }
                Node::Input(_) | Node::Constant(_) | Node::Cast { .. } => uses.first().copied(),
                Node::Apply { .. } if step.is_square => Some(f.multiply(uses[0], uses[0])),
                Node::Apply { function, .. } => Some(function.expression(f, &uses)),
            };
            let value = value.map(|value| match (node, step.ty.dtype()) {
                (Node::Apply { .. } | Node::Cast { .. }, Some(dtype)) => {
                    let value = f.cast(value, dtype);
                    f.bind(format!("n{position}"), value)
                }
                _ => value,
            });
            values.push(value);
        }
        let result = values.last().copied().flatten();
        result.expect("the result has a value")
    }

    /// Which of the inputs an operand is; `None` for a Python number.
    fn slot(&self, fusion: &Fusion, operand: usize) -> Option<usize> {
        let is_strong = |operand: usize| {
            let is_it = |node: &Node| matches!(node, Node::Input(other) if *other == operand);
            let position = fusion.nodes.iter().position(is_it);
            position.is_some_and(|position| self.steps[position].ty.dtype().is_some())
        };
        let strong = fusion.live_operands.iter().copied();
        strong
            .filter(|&operand| is_strong(operand))
            .position(|other| other == operand)
    }
}

/// Whether a Python number is like all others of its kind: it fits everywhere, and no rule looks at its value.
fn is_usual(scalar: PythonScalar) -> bool {
    match scalar {
        PythonScalar::Int(value) => (0..=127).contains(&value),
        PythonScalar::Bool(_) | PythonScalar::Float(_) | PythonScalar::Complex(..) => true,
    }
}

/// Whether a plan for one is a plan for the other.
fn is_typed_alike(one: OperandType, other: OperandType) -> bool {
    match (one, other) {
        (OperandType::Weak(one), OperandType::Weak(other)) => {
            let is_same_kind = std::mem::discriminant(&one) == std::mem::discriminant(&other);
            is_same_kind && is_usual(one) && is_usual(other)
        }
        (one, other) => one == other,
    }
}
