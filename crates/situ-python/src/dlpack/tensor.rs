//! The structures of DLPack 1, and of what came before it, as C has them.

use std::ffi::{CStr, c_void};

use situ_ir::DType;

/// The host's memory.
pub(super) const CPU: i32 = 1;

/// Memory of a SYCL device, in the context that its platform has by default.
pub(super) const ONE_API: i32 = 14;

/// The newest version of DLPack that is spoken here.
pub(super) const VERSION: Version = Version { major: 1, minor: 1 };

/// The consumer must not write.
pub(super) const READ_ONLY: u64 = 1;
/// The producer made a copy for the consumer.
pub(super) const IS_COPIED: u64 = 1 << 1;

/// Where memory is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    pub(super) kind: i32,
    pub(super) id: i32,
}

/// What elements are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DataType {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

/// An array.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Tensor {
    pub(super) data: *mut c_void,
    pub(super) device: Device,
    pub(super) ndim: i32,
    pub(super) dtype: DataType,
    pub(super) shape: *mut i64,
    /// In elements; null if they are contiguous.
    pub(super) strides: *mut i64,
    pub(super) byte_offset: u64,
}

/// A version of DLPack.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
}

/// An array with what keeps it alive, from before there were versions.
#[repr(C)]
pub(super) struct Legacy {
    pub(super) tensor: Tensor,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// An array with what keeps it alive.
#[repr(C)]
pub(super) struct Versioned {
    pub(super) version: Version,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Self)>,
    pub(super) flags: u64,
    pub(super) tensor: Tensor,
}

/// An array with its deleter, in either form.
pub(super) trait Managed: Sized + 'static {
    /// The name of a capsule with one.
    const NAME: &'static CStr;
    /// The name of such a capsule whose content was taken out.
    const USED_NAME: &'static CStr;

    /// Makes one of an array and of what frees it.
    fn new(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self;

    /// The array.
    fn tensor(&self) -> &Tensor;

    /// The array, to be changed.
    fn tensor_mut(&mut self) -> &mut Tensor;

    /// What its producer says about it.
    fn flags(&self) -> u64;

    /// The version of DLPack whose structure it is. Of another major version than [`VERSION`]'s, only this and the
    /// deleter are where they are here.
    fn version(&self) -> Version;

    /// What frees it.
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl Managed for Legacy {
    const NAME: &'static CStr = c"dltensor";
    const USED_NAME: &'static CStr = c"used_dltensor";

    fn new(tensor: Tensor, _flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Self {
            tensor,
            context: std::ptr::null_mut(),
            deleter: Some(deleter),
        }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    fn tensor_mut(&mut self) -> &mut Tensor {
        &mut self.tensor
    }

    fn flags(&self) -> u64 {
        0
    }

    fn version(&self) -> Version {
        VERSION
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED_NAME: &'static CStr = c"used_dltensor_versioned";

    fn new(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Self {
            version: VERSION,
            context: std::ptr::null_mut(),
            deleter: Some(deleter),
            flags,
            tensor,
        }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    fn tensor_mut(&mut self) -> &mut Tensor {
        &mut self.tensor
    }

    fn flags(&self) -> u64 {
        self.flags
    }

    fn version(&self) -> Version {
        self.version
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

/// What DLPack calls a dtype.
pub(super) fn data_type(dtype: DType) -> DataType {
    let code = match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 1,
        DType::F16 | DType::F32 | DType::F64 => 2,
        DType::C64 | DType::C128 => 5,
        DType::Bool => 6,
    };
    DataType {
        code,
        bits: (dtype.size_bytes() * 8) as u8,
        lanes: 1,
    }
}

/// The dtype that DLPack calls so; `None` if situ has no such elements.
pub(super) fn dtype(data_type: DataType) -> Option<DType> {
    DType::ALL
        .iter()
        .copied()
        .find(|&dtype| self::data_type(dtype) == data_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_a_name_of_its_own() {
        for &each in &DType::ALL {
            assert_eq!(dtype(data_type(each)), Some(each));
        }
        let vector = DataType {
            lanes: 4,
            ..data_type(DType::F32)
        };
        assert_eq!(dtype(vector), None);
    }
}
