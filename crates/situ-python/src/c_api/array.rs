//! `situ_array`: arrays in the C interface.

use std::ffi::c_void;

use pyo3::ffi;
use pyo3::prelude::*;
use situ_array::{Array, Layout};
use situ_runtime::Error;

use super::call::Call;
use super::codes::{self, CONTIGUOUS};
use super::handle;
use super::memory::{self, CMemory};
use super::queue::CQueue;
use crate::array::PyArray;
use crate::detach::detach;
use crate::error::IntoPyErr;
use crate::operand;
use crate::usm_interface::from_usm_interface;

/// A dtype and a layout over memory. The layout of this struct is the header's.
#[repr(C)]
pub(super) struct CArray {
    pointer: *mut c_void,
    dtype: i32,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
    size: i64,
    usm_kind: i32,
    flags: u32,
    byte_offset: usize,
    /// A handle that belongs to this object.
    memory: *const CMemory,
    /// A handle that belongs to this object.
    queue: *const CQueue,
    // What follows is not in the header.
    array: Array,
    _lists: [Box<[i64]>; 2],
}

// SAFETY: the pointers lead to lists that never change, to handles, and to memory as in `CMemory`.
unsafe impl Send for CArray {}
// SAFETY: as above.
unsafe impl Sync for CArray {}

impl CArray {
    fn new(array: Array, is_read_only: bool) -> Result<Self, Error> {
        let layout = array.layout();
        let memory = CMemory::new(array.allocation(), array.queue().clone(), is_read_only)?;
        let lists: [Box<[i64]>; 2] = [
            layout.shape().iter().map(|&size| size as i64).collect(),
            layout.strides().iter().map(|&step| step as i64).collect(),
        ];
        let contiguous = if layout.is_contiguous() {
            CONTIGUOUS
        } else {
            0
        };
        let start = array.allocation().as_ptr();
        Ok(Self {
            pointer: start.wrapping_add(array.byte_offset()).cast(),
            dtype: codes::dtype_code(array.dtype()),
            ndim: layout.shape().len() as i32,
            shape: lists[0].as_ptr(),
            strides: lists[1].as_ptr(),
            size: array.size() as i64,
            usm_kind: codes::usm_kind_code(array.usm_kind()),
            flags: memory.flags() | contiguous,
            byte_offset: array.byte_offset(),
            memory: handle::hand_out(memory),
            queue: handle::hand_out(array.queue().clone().into()),
            array,
            _lists: lists,
        })
    }

    pub(super) fn array(&self) -> &Array {
        &self.array
    }
}

impl Drop for CArray {
    fn drop(&mut self) {
        // SAFETY: the handles belong to this object, which is gone.
        unsafe {
            handle::release(self.memory);
            handle::release(self.queue);
        }
    }
}

/// `array_from_object`: the array that an object is, or describes.
pub(super) unsafe extern "C" fn array_from_object(object: *mut ffi::PyObject) -> *const CArray {
    Call::handle("array_from_object", |call| {
        // SAFETY: the header asks for an object.
        let object = unsafe { call.object_at(object, "object") }?;
        if let Ok(array) = object.cast::<PyArray>() {
            let array = array.get().array().clone();
            return detach(call.py, || CArray::new(array, false));
        }
        if !operand::is_usm_memory(&object) {
            return Err(operand::not_an_array(&object));
        }
        let array = from_usm_interface(&object)?;
        let (array, is_read_only) = (array.array().clone(), memory::is_read_only(&object)?);
        detach(call.py, || CArray::new(array, is_read_only))
    })
}

/// `array_empty`: a new array, its elements undefined.
pub(super) unsafe extern "C" fn array_empty(
    queue: *const CQueue,
    dtype: i32,
    ndim: i32,
    shape: *const i64,
    usm_kind: i32,
) -> *const CArray {
    Call::handle("array_empty", |call| {
        // SAFETY: the header asks for a handle, and for as many sizes as there are dimensions.
        let (queue, shape) = unsafe {
            (
                call.borrow(queue, "queue")?.queue(),
                call.shape(ndim, shape)?,
            )
        };
        let (dtype, kind) = (call.dtype(dtype)?, call.usm_kind(usm_kind)?);
        let array = detach(call.py, || Array::empty(&shape, dtype, queue, kind))?;
        detach(call.py, || CArray::new(array, false))
    })
}

/// `array_over`: an array over memory that is there.
pub(super) unsafe extern "C" fn array_over(
    memory: *const CMemory,
    queue: *const CQueue,
    dtype: i32,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
    byte_offset: usize,
) -> *const CArray {
    Call::handle("array_over", |call| {
        // SAFETY: the header asks for handles, and for as many numbers as there are dimensions.
        let (memory, queue, shape, strides) = unsafe {
            (
                call.borrow(memory, "memory")?,
                queue.as_ref(),
                call.shape(ndim, shape)?,
                (!strides.is_null())
                    .then(|| call.list(strides, ndim.unsigned_abs() as usize, "strides"))
                    .transpose()?,
            )
        };
        let queue = queue.map_or(memory.queue(), CQueue::queue);
        let allocation = memory.allocation().clone();
        if queue.context() != allocation.context() {
            return Err(call.wrong("queue", "the memory belongs to another context"));
        }
        let dtype = call.dtype(dtype)?;
        if !byte_offset.is_multiple_of(dtype.size_bytes()) {
            return Err(call.wrong(
                "byte_offset",
                &format!(
                    "it is no multiple of the {} bytes of {dtype}",
                    dtype.size_bytes()
                ),
            ));
        }
        let contiguous = Layout::contiguous(&shape).map_err(|error| error.into_py_err(call.py))?;
        let strides: Vec<isize> = match strides {
            Some(strides) => strides.iter().map(|&step| step as isize).collect(),
            None => contiguous.strides().to_vec(),
        };
        let layout = Layout::from_parts(&shape, &strides, byte_offset / dtype.size_bytes());
        let array = Array::over(allocation, layout, dtype, queue);
        let array = array.map_err(|error| error.into_py_err(call.py))?;
        let is_read_only = memory.flags() & codes::READ_ONLY != 0;
        detach(call.py, || CArray::new(array, is_read_only))
    })
}

/// `array_to_object`: a `situ.ndarray` over the same memory.
pub(super) unsafe extern "C" fn array_to_object(array: *const CArray) -> *mut ffi::PyObject {
    Call::object("array_to_object", |call| {
        // SAFETY: the header asks for a handle.
        let array = unsafe { call.borrow(array, "array") }?.array.clone();
        Py::new(call.py, PyArray::new(array))
    })
}

impl Call<'_> {
    /// Sizes of dimensions.
    ///
    /// # Safety
    /// It is null, or leads to as many numbers as there are dimensions.
    unsafe fn shape(&self, ndim: i32, shape: *const i64) -> PyResult<Vec<usize>> {
        let ndim = usize::try_from(ndim).map_err(|_| self.wrong("ndim", "it is negative"))?;
        // SAFETY: as the caller promises.
        let shape = unsafe { self.list(shape, ndim, "shape") }?;
        let sizes = shape.iter().map(|&size| usize::try_from(size));
        sizes
            .collect::<Result<_, _>>()
            .map_err(|_| self.wrong("shape", "it has a negative size"))
    }
}
