//! Expressions of few elements, evaluated on the spot.
//!
//! To [`evaluate`](super::evaluate()) this is what [`crate::functions::immediate`] is to a call of one function: the
//! same kernel, for contiguous arrays of one shape on one queue, without being submitted.

use std::sync::Arc;

use situ_ir::{DType, Literal};
use situ_runtime::{BorrowedArgument, Device, Kernel};
use smallvec::SmallVec;

use super::plan::{KnownPlan, Plan};
use super::{Fusion, OperandType, TypedFusion};
use crate::array::Array;
use crate::functions::apply::Operand;
use crate::functions::immediate::{Call, contiguous};
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::map::{MapOperand, MapShape};

/// Evaluates an expression at once, into new memory, if it was evaluated before for such operands and can be.
///
/// A fusion that is kept from one call to the next remembers its dtypes, so that this takes less than a microsecond.
///
/// # Panics
/// If there are fewer operands than the nodes refer to.
pub fn evaluate_at_once(fusion: &Arc<Fusion>, operands: &[Operand]) -> Option<Array> {
    // What the result does not depend on is nobody's parameter, but has a say in where it is.
    if fusion.live_operands.len() != operands.len() {
        return None;
    }
    let call = Call::of_arrays(operands.iter().filter_map(|operand| match operand {
        Operand::Array(array) => Some(array),
        _ => None,
    }))?;
    let queue = call.first.queue();
    let types: SmallVec<[OperandType; 4]> = operands.iter().map(Operand::ty).collect();
    // What is wrong is told in the usual way.
    let plan = Plan::on_device(fusion, &types, queue.device()).ok()?;
    // Their exponents have to be looked at first.
    if !plan.integer_powers().is_empty() {
        return None;
    }
    let mut inputs: SmallVec<[Plain<'_>; 8]> = SmallVec::new();
    for operand in operands {
        match operand {
            Operand::Array(array) => inputs.push(Plain::Array(array)),
            Operand::Literal(literal) => inputs.push(Plain::Number(*literal)),
            // Those that are used are among the plan's scalars.
            Operand::Scalar(_) => {}
            Operand::HostArray => return None,
        }
    }
    for literal in plan.scalars(operands) {
        inputs.push(Plain::Number(literal.ok()?));
    }
    let find = || {
        kernel(
            TypedFusion::new(fusion, &types),
            &inputs,
            plan.dtype(),
            queue.device(),
        )
    };
    let kernel = match KnownPlan::of(fusion, &types, queue.device()) {
        Some(known) => {
            let remembered = known.contiguous_kernel.get().cloned();
            let kernel = remembered.or_else(find)?;
            Arc::clone(known.contiguous_kernel.get_or_init(|| kernel))
        }
        None => find()?,
    };
    if !kernel.is_immediate(&call.range) {
        return None;
    }
    let out = Array::of_idle_memory(call.first.shape(), plan.dtype(), queue, call.usm_kind)?;
    let is_done = {
        let mut arguments: SmallVec<[BorrowedArgument<'_>; 8]> = SmallVec::new();
        arguments.push(out.borrowed_argument());
        arguments.extend(inputs.iter().map(Plain::argument));
        queue.run_at_once(&kernel, &call.range, &arguments)
    };
    is_done.then_some(out)
}

/// What a parameter of the kernel gets.
#[derive(Clone, Copy)]
enum Plain<'a> {
    Array(&'a Array),
    Number(Literal),
}

impl<'a> Plain<'a> {
    fn argument(&self) -> BorrowedArgument<'a> {
        match *self {
            Self::Array(array) => array.borrowed_argument(),
            Self::Number(literal) => BorrowedArgument::Scalar(literal),
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Self::Array(array) => array.dtype(),
            Self::Number(literal) => literal.dtype(),
        }
    }

    fn operand(&self) -> MapOperand {
        match self {
            Self::Array(array) => contiguous(array.dtype()),
            Self::Number(literal) => MapOperand::Scalar {
                dtype: literal.dtype(),
            },
        }
    }
}

/// The kernel for arrays whose elements lie in a row, if it is compiled.
fn kernel(
    fusion: TypedFusion,
    inputs: &[Plain<'_>],
    result: DType,
    device: &Device,
) -> Option<Arc<Kernel>> {
    let output = std::iter::once(contiguous(result));
    let shape = MapShape {
        operands: output.chain(inputs.iter().map(Plain::operand)).collect(),
        compute: inputs.iter().map(Plain::dtype).collect(),
        rank: 1,
        is_masked: false,
        streams: false,
    };
    kernel_cache::known(device, KernelKey::Fused { fusion, shape })
}
