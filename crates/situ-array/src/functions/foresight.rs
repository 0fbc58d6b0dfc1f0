//! What a call of an elementwise function will give, before it is done.
//!
//! Expressions that wait to be evaluated are checked when they are written down, so that mistakes are reported where
//! they are made.

use situ_ir::DType;
use situ_runtime::Device;

use crate::array::Array;
use crate::error::Error;
use crate::functions::call_dtypes::{Available, CallDTypes, OperandType};
use crate::functions::elementwise::Elementwise;
use crate::placement::{Operation, Participant, Placer};

/// The dtype of the result on a device.
///
/// # Errors
/// If the function is not defined for operands of these types.
pub fn result_dtype(
    function: &'static Elementwise,
    operands: &[OperandType],
    device: &Device,
) -> Result<DType, Error> {
    let dtypes = CallDTypes::resolve(function, operands, None, Available::On(device))?;
    Ok(dtypes.signature.result)
}

/// Refuses arrays that do not agree on a place.
///
/// # Errors
/// That they do not.
pub fn check_places(function: &'static Elementwise, arrays: &[&Array]) -> Result<(), Error> {
    // Most arrays belong to the very same queue.
    let first = arrays.first().map(|array| array.queue().id());
    if arrays.iter().all(|array| Some(array.queue().id()) == first) {
        return Ok(());
    }
    let placer = Placer {
        operation: Operation::Function(function.name),
        explicit: None,
    };
    let names = ["x1", "x2", "x3", "x4"];
    let named = names.into_iter().zip(arrays);
    placer.place(named.map(|(name, array)| (name, Participant::Array(array))))?;
    Ok(())
}
