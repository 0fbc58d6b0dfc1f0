//! What the rounds of a `prange` loop may use, and the arrays that they combine something with.

use pyo3::prelude::*;
use situ_array::Array;
use situ_array::functions::creation;
use situ_array::functions::elementwise;
use situ_array::functions::fusion::Reducer;
use situ_array::functions::manipulation::broadcast_to;
use situ_frontend::KnownModule;
use situ_frontend::host::{Accumulator, Called, Combination, Fold, Meanings};
use situ_frontend::syntax::{Expression, ExpressionKind};
use situ_ir::{DType, Literal, Span};
use situ_runtime::{Queue, UsmKind};

use super::calls::Callee;
use super::expression_node::Node;
use super::machine::Machine;
use super::value::{ArrayValue, Value};
use crate::error::IntoPyErr;
use crate::error::exceptions::KernelError;

impl Meanings for Machine<'_, '_> {
    fn array(&self, name: &str) -> Option<(DType, usize)> {
        match self.names.get(name)? {
            Value::Array(array) => Some((array.node.dtype(), array.node.shape().len())),
            _ => None,
        }
    }

    fn called(&self, function: &Expression) -> Called {
        let callee = self.callee(function).ok().flatten();
        match callee.as_deref() {
            Some(Callee::Elementwise {
                has_numbers: true, ..
            }) => Called::Elementwise,
            Some(Callee::Builtin(name)) if name == "abs" => Called::Elementwise,
            Some(Callee::Builtin(name)) => Fold::of(name).map_or(Called::Other, Called::Fold),
            Some(Callee::Reduce(reducer, _)) => Called::Fold(fold_of(*reducer)),
            Some(Callee::Library(_)) => match &function.kind {
                ExpressionKind::Attribute { attribute, .. } if is_of_numbers(&attribute.name) => {
                    Called::Elementwise
                }
                ExpressionKind::Attribute { attribute, .. } => {
                    Fold::of(&attribute.name).map_or(Called::Other, Called::Fold)
                }
                _ => Called::Other,
            },
            _ => Called::Other,
        }
    }

    fn may_overlap(&self, left: &str, right: &str) -> bool {
        let memory = |name: &str| match self.names.get(name) {
            // What waits is nobody's memory yet.
            Some(Value::Array(array)) => array.node.as_ready(),
            _ => None,
        };
        match (memory(left), memory(right)) {
            (Some(left), Some(right)) => left.may_overlap(&right),
            _ => false,
        }
    }
}

/// Whether compiled code has a function of NumPy's for numbers.
pub(super) fn is_of_numbers(name: &str) -> bool {
    KnownModule::NumPy.has_member(name)
}

fn fold_of(reducer: Reducer) -> Fold {
    match reducer {
        Reducer::Sum => Fold::Sum,
        Reducer::Prod => Fold::Product,
        Reducer::Min => Fold::Minimum,
        Reducer::Max => Fold::Maximum,
        Reducer::Any => Fold::Any,
        Reducer::All => Fold::All,
        Reducer::Mean => Fold::Mean,
    }
}

impl Machine<'_, '_> {
    /// The array that a name stands for.
    fn accumulated(&self, name: &str) -> PyResult<ArrayValue> {
        match self.names.get(name) {
            Some(Value::Array(array)) => Ok(array.clone()),
            _ => Err(KernelError::new_err(format!("`{name}` is lost"))),
        }
    }

    /// Arrays for so many blocks of rounds, filled with what changes nothing.
    pub(super) fn blocks_of(
        &self,
        accumulator: &Accumulator,
        count: usize,
        queue: &Queue,
    ) -> PyResult<Array> {
        let py = self.py;
        let whole = self.accumulated(&accumulator.name)?.node;
        let dtype = whole.dtype();
        let mut shape = vec![count];
        shape.extend_from_slice(whole.shape());
        let of_constant = |value: Literal| creation::full(&shape, value, queue, UsmKind::Device);
        match accumulator.combination {
            Combination::Multiply => {
                of_constant(Literal::one(dtype)).map_err(|error| error.into_py_err(py))
            }
            // To meet a number twice changes neither the least nor the greatest.
            Combination::Minimum | Combination::Maximum => {
                let once = whole.array(py)?;
                let repeated =
                    broadcast_to(&once, &shape).map_err(|error| error.into_py_err(py))?;
                let blocks = Array::empty(&shape, dtype, queue, UsmKind::Device)
                    .map_err(|error| error.into_py_err(py))?;
                Node::ready(repeated).store(py, &blocks)?;
                Ok(blocks)
            }
            _ => of_constant(Literal::zero(dtype)).map_err(|error| error.into_py_err(py)),
        }
    }

    /// Combines what blocks of rounds have made of an array with what it was.
    pub(super) fn combine_blocks(
        &mut self,
        accumulator: &Accumulator,
        blocks: Array,
        span: Span,
    ) -> PyResult<()> {
        let py = self.py;
        let (reducer, function) = match accumulator.combination {
            Combination::Multiply => (Reducer::Prod, "multiply"),
            Combination::Minimum => (Reducer::Min, "minimum"),
            Combination::Maximum => (Reducer::Max, "maximum"),
            _ => (Reducer::Sum, "add"),
        };
        let before = self.accumulated(&accumulator.name)?;
        let dtype = before.node.dtype();
        let asked = matches!(reducer, Reducer::Sum | Reducer::Prod).then_some(dtype);
        let node = Node::ready(blocks);
        let one = node.reduce(py, reducer, (Some(&[0]), false), asked)?;
        let one = ArrayValue::ready(one, before.origin);
        let function = elementwise::find(function)
            .ok_or_else(|| KernelError::new_err(format!("there is no `{function}`")))?;
        let operands = vec![Value::Array(before.clone()), Value::Array(one)];
        let combined = self.apply(function, operands, span)?;
        let Value::Array(after) = &combined else {
            return Err(KernelError::new_err("arrays make an array"));
        };
        if accumulator.is_rebound {
            self.names.insert(accumulator.name.clone(), combined);
            return Ok(());
        }
        // Everybody who has the array sees the change.
        let memory = before.node.array(py)?;
        self.before_write(&memory)?;
        after.node.store(py, &memory)
    }
}
