//! Which dtypes a device has, and what takes their place where one is missing.
//!
//! A device without double precision has no `float64` and no `complex128`. Dtypes that nobody asked
//! for are half as wide there: those of Python numbers, of new arrays, and of what integers and floats
//! meet in. Without half precision, what would be `float16` is `float32`. Asking for the missing ones is an
//! error before anything is submitted.

use situ_ir::DType;
use situ_ir::promotion::narrowed;
use situ_runtime::{Aspect, Device};

use crate::error::Error;

/// The dtype of Python floats that meet nothing else, and of new arrays.
pub fn default_float(device: &Device) -> DType {
    if device.has_aspect(Aspect::Fp64) {
        DType::F64
    } else {
        DType::F32
    }
}

/// A dtype that nobody asked for, as a device has it.
pub fn nearest(dtype: DType, device: &Device) -> DType {
    if missing_aspect(dtype, device).is_some() {
        replacement(dtype)
    } else {
        dtype
    }
}

/// Whether arrays of a dtype can be on a device.
///
/// # Errors
/// [`Error::DTypeMissing`].
pub fn check(dtype: DType, device: &Device) -> Result<(), Error> {
    match missing_aspect(dtype, device) {
        None => Ok(()),
        Some(aspect) => Err(Error::DTypeMissing {
            dtype,
            device: device.filter_string(),
            aspect,
            instead: replacement(dtype),
        }),
    }
}

/// The aspect that a device would need for a dtype and does not have.
fn missing_aspect(dtype: DType, device: &Device) -> Option<Aspect> {
    let aspect = match dtype {
        DType::F64 | DType::C128 => Aspect::Fp64,
        DType::F16 => Aspect::Fp16,
        _ => return None,
    };
    (!device.has_aspect(aspect)).then_some(aspect)
}

/// What takes the place of a dtype that not every device has.
fn replacement(dtype: DType) -> DType {
    match dtype {
        DType::F16 => DType::F32,
        wide => narrowed(wide, DType::F32),
    }
}
