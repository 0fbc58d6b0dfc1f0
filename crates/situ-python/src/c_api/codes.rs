//! The numbers that stand for dtypes, USM kinds and accesses in the C interface.
//!
//! They are written down once in the header, in programs that were compiled long ago, and here. None may ever change, so
//! they do not follow from the order of Rust's enums.

use std::ffi::{CStr, c_char};

use pyo3::ffi;
use pyo3::prelude::*;
use situ_ir::DType;
use situ_runtime::UsmKind;

use super::call::Call;
use crate::dtype;

/// The memory is not to be written.
pub(super) const READ_ONLY: u32 = 1;
/// The host reads and writes the memory by its address.
pub(super) const HOST_ACCESSIBLE: u32 = 2;
/// The elements are in C order without gaps.
pub(super) const CONTIGUOUS: u32 = 4;

/// Dtypes by their number, with the names that NumPy has for them.
const DTYPES: [(DType, &CStr); 14] = [
    (DType::Bool, c"bool"),
    (DType::I8, c"int8"),
    (DType::I16, c"int16"),
    (DType::I32, c"int32"),
    (DType::I64, c"int64"),
    (DType::U8, c"uint8"),
    (DType::U16, c"uint16"),
    (DType::U32, c"uint32"),
    (DType::U64, c"uint64"),
    (DType::F16, c"float16"),
    (DType::F32, c"float32"),
    (DType::F64, c"float64"),
    (DType::C64, c"complex64"),
    (DType::C128, c"complex128"),
];

/// USM kinds by their number.
const USM_KINDS: [UsmKind; 3] = [UsmKind::Device, UsmKind::Shared, UsmKind::Host];

/// How memory is used.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
}

/// The number of a dtype.
pub(super) fn dtype_code(dtype: DType) -> i32 {
    let at = DTYPES.iter().position(|(each, _)| *each == dtype);
    at.map_or(-1, |at| at as i32)
}

/// The number of a USM kind.
pub(super) fn usm_kind_code(kind: UsmKind) -> i32 {
    let at = USM_KINDS.iter().position(|each| *each == kind);
    at.map_or(-1, |at| at as i32)
}

impl Call<'_> {
    /// The dtype with a number.
    pub(super) fn dtype(&self, code: i32) -> PyResult<DType> {
        find(code).map(|(dtype, _)| *dtype).ok_or_else(|| {
            self.wrong(
                "dtype",
                &format!("{code} is no dtype; they are counted from 0 to 13"),
            )
        })
    }

    /// The USM kind with a number.
    pub(super) fn usm_kind(&self, code: i32) -> PyResult<UsmKind> {
        let kind = usize::try_from(code)
            .ok()
            .and_then(|at| USM_KINDS.get(at).copied());
        kind.ok_or_else(|| {
            self.wrong(
                "usm_kind",
                &format!("{code} is no USM kind; they are device (0), shared (1) and host (2)"),
            )
        })
    }

    /// The access with a number.
    pub(super) fn access(&self, code: i32) -> PyResult<Access> {
        match code {
            0 => Ok(Access::Read),
            1 => Ok(Access::Write),
            _ => Err(self.wrong(
                "access",
                &format!("{code} is no access; they are read (0) and write (1)"),
            )),
        }
    }
}

fn find(code: i32) -> Option<&'static (DType, &'static CStr)> {
    usize::try_from(code).ok().and_then(|at| DTYPES.get(at))
}

/// `dtype_name`: NumPy's name of a dtype; null if there is no such dtype.
pub(super) extern "C" fn dtype_name(dtype: i32) -> *const c_char {
    find(dtype).map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

/// `dtype_size`: how many bytes an element has; 0 if there is no such dtype.
pub(super) extern "C" fn dtype_size(dtype: i32) -> usize {
    find(dtype).map_or(0, |(dtype, _)| dtype.size_bytes())
}

/// `dtype_from_object`: the number of a NumPy dtype, or of what NumPy makes one of.
pub(super) unsafe extern "C" fn dtype_from_object(object: *mut ffi::PyObject) -> i32 {
    Call::number("dtype_from_object", |call| {
        // SAFETY: the header asks for an object.
        let object = unsafe { call.object_at(object, "object") }?;
        dtype::from_python(&object).map(dtype_code)
    })
}

/// `dtype_to_object`: the NumPy dtype with a number.
pub(super) unsafe extern "C" fn dtype_to_object(dtype: i32) -> *mut ffi::PyObject {
    Call::object("dtype_to_object", |call| {
        dtype::to_python(call.py, call.dtype(dtype)?)
    })
}
