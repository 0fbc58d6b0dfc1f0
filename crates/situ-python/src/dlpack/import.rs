//! Arrays over memory that other libraries describe by DLPack.

use std::ptr::NonNull;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_array::Array;
use situ_array::functions::creation;
use situ_array::layout::{Layout, MAX_DIMS};
use situ_ir::{DType, Literal};
use situ_runtime::backend::sycl::sharing;
use situ_runtime::memory::adopt;
use situ_runtime::{Queue, UsmKind};

use super::tensor::{self, CPU, Legacy, Managed, ONE_API, READ_ONLY, Tensor, Versioned};
use crate::array::PyArray;
use crate::detach::detach;
use crate::error::{IntoPyErr, guard};
use crate::{call, queue, sycl};

/// What came of an attempt to use memory in place.
#[derive(IntoPyObject)]
pub(crate) enum Shared {
    /// An array over it.
    Array(PyArray),
    /// Why it must be copied.
    CopyNeeded(String),
}

/// An array over the memory of a DLPack producer, for a device; or the reason why there is none.
#[pyfunction]
#[pyo3(signature = (producer, *, device = None))]
pub(crate) fn share_dlpack(
    producer: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Shared> {
    let py = producer.py();
    guard(|| {
        let queue = queue::select(py, device)?;
        if !adopt::can_adopt(&queue) {
            return Ok(Shared::CopyNeeded(format!(
                "{} cannot use memory of the host in place",
                queue.device().filter_string()
            )));
        }
        let capsule = capsule_of(producer)?;
        if let Some(taken) = Taken::<Versioned>::from_capsule(&capsule) {
            return taken.into_array(py, &queue);
        }
        if let Some(taken) = Taken::<Legacy>::from_capsule(&capsule) {
            return taken.into_array(py, &queue);
        }
        Err(no_capsule(producer)?)
    })
}

/// The refusal of what a producer gave.
fn no_capsule(producer: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let kind = producer.get_type().name()?;
    Ok(PyTypeError::new_err(format!(
        "`{kind}.__dlpack__()` did not return a DLPack capsule that can be used\n  why:  it is no capsule of \
         DLPack, or its content was taken out before: a capsule is good for one use\n  help: make a new one for \
         each use; `situ.from_dlpack(x)` calls `x.__dlpack__()` itself"
    )))
}

/// An array over the memory of a DLPack producer on a SYCL device, and whether it is only to be read.
#[pyfunction]
pub(crate) fn share_dlpack_sycl(producer: &Bound<'_, PyAny>) -> PyResult<(PyArray, bool)> {
    let py = producer.py();
    guard(|| {
        let capsule = capsule_of(producer)?;
        if let Some(taken) = Taken::<Versioned>::from_capsule(&capsule) {
            return taken.into_sycl_array(py);
        }
        if let Some(taken) = Taken::<Legacy>::from_capsule(&capsule) {
            return taken.into_sycl_array(py);
        }
        Err(no_capsule(producer)?)
    })
}

/// The producer's capsule, of the newest version it has.
fn capsule_of<'py>(producer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = producer.py();
    let options = PyDict::new(py);
    let newest = (tensor::VERSION.major, tensor::VERSION.minor);
    options.set_item("max_version", newest)?;
    match producer.call_method("__dlpack__", (), Some(&options)) {
        // A producer from before there were versions.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            producer.call_method0("__dlpack__")
        }
        answer => answer,
    }
}

/// The content of a capsule, which is ours to free.
struct Taken<M: Managed>(NonNull<M>);

// SAFETY: DLPack lets any thread use what it describes, and any thread free it.
unsafe impl<M: Managed> Send for Taken<M> {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl<M: Managed> Sync for Taken<M> {}

impl<M: Managed> Taken<M> {
    /// Takes the content out of a capsule; `None` if there is no such content in it.
    fn from_capsule(capsule: &Bound<'_, PyAny>) -> Option<Self> {
        let capsule = capsule.as_ptr();
        // SAFETY: any object may be asked, and only a capsule of this name is looked into and renamed, which
        // says that its content is ours now.
        unsafe {
            if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) == 0 {
                return None;
            }
            let content = ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr());
            if ffi::PyCapsule_SetName(capsule, M::USED_NAME.as_ptr()) != 0 {
                return None;
            }
            NonNull::new(content.cast::<M>()).map(Self)
        }
    }

    fn managed(&self) -> &M {
        // SAFETY: the producer keeps it until its deleter is called, which only `drop` does.
        unsafe { self.0.as_ref() }
    }

    /// What is described.
    ///
    /// # Errors
    /// If it is of a version that is not known here.
    fn tensor(&self) -> PyResult<&Tensor> {
        let version = self.managed().version();
        if version.major != tensor::VERSION.major {
            return Err(refused(&format!(
                "it is of DLPack's version {}.{}, and situ knows version {}",
                version.major,
                version.minor,
                tensor::VERSION.major
            )));
        }
        Ok(self.managed().tensor())
    }

    /// An array over the elements on a SYCL device, which keeps `self`, and whether it is only to be read.
    fn into_sycl_array(self, py: Python<'_>) -> PyResult<(PyArray, bool)> {
        let described = Description::read(self.tensor()?, ONE_API)?;
        let is_read_only = self.managed().flags() & READ_ONLY != 0;
        let number = self.tensor()?.device.id;
        let queue = sycl::queue_of_dlpack_device(py, number).map_err(|error| {
            let reason = error.value(py).to_string();
            let reason = reason.lines().next().unwrap_or_default();
            refused(&format!(
                "it is on the SYCL device {number} of dpctl, which situ cannot use: {reason}"
            ))
        })?;
        let Description { dtype, layout, .. } = described;
        if layout.is_empty() {
            let work = || {
                creation::full(
                    layout.shape(),
                    Literal::zero(dtype),
                    &queue,
                    UsmKind::Device,
                )
            };
            return detach(py, work).map(|array| (PyArray::new(array), false));
        }
        let (start, size_bytes) = (described.start, described.size_bytes);
        let allocation = detach(py, || {
            // SAFETY: the producer vouches for the bytes until its deleter is called. That they are USM memory of
            // this context is checked.
            unsafe { sharing::import_memory(&queue, start, size_bytes, Box::new(self)) }
        })?;
        let array = Array::over(allocation, layout, dtype, &queue);
        let array = array.map_err(|error| error.into_py_err(py))?;
        Ok((PyArray::new(array), is_read_only))
    }

    /// An array over the elements, which keeps `self`.
    fn into_array(self, py: Python<'_>, queue: &Queue) -> PyResult<Shared> {
        let needs_copy = |why: &str| Ok(Shared::CopyNeeded(why.to_owned()));
        let described = Description::read(self.tensor()?, CPU)?;
        if self.managed().flags() & READ_ONLY != 0 {
            return needs_copy("it is read-only");
        }
        let Description {
            dtype,
            layout,
            start,
            size_bytes,
        } = described;
        if layout.is_empty() {
            return needs_copy("it has no elements");
        }
        if !start.is_multiple_of(dtype.real().size_bytes()) {
            return needs_copy("its elements are not aligned");
        }
        let start: *mut u8 = std::ptr::with_exposed_provenance_mut(start);
        let Some(start) = NonNull::new(start) else {
            return Err(refused("it has elements, but no address"));
        };
        // SAFETY: the producer vouches that its elements are there, writable, until its deleter is called.
        let adopted = unsafe { adopt::adopt(queue, start, size_bytes, Box::new(self)) };
        let Some(allocation) = adopted else {
            return needs_copy("the device cannot use memory of the host in place");
        };
        Array::over(allocation, layout, dtype, queue)
            .map(|array| Shared::Array(PyArray::new(array)))
            .map_err(|error| error.into_py_err(py))
    }
}

impl<M: Managed> Drop for Taken<M> {
    fn drop(&mut self) {
        let Some(deleter) = self.managed().deleter() else {
            return;
        };
        let content = self.0.as_ptr().expose_provenance();
        // Most deleters need the interpreter. When it is at its end, the memory goes with the process.
        call::visit(|_| {
            // SAFETY: the content is ours, and this is the last that anybody does with it.
            unsafe { deleter(std::ptr::with_exposed_provenance_mut(content)) };
        });
    }
}

/// Where elements are, and what.
struct Description {
    dtype: DType,
    /// Positions from the first byte that any element has.
    layout: Layout,
    /// The address of that byte.
    start: usize,
    size_bytes: usize,
}

impl Description {
    fn read(tensor: &Tensor, expected: i32) -> PyResult<Self> {
        if tensor.device.kind != expected {
            return Err(refused(&format!(
                "its memory is on the DLPack device ({}, {}), and its `__dlpack_device__` said that it is on \
                 a device of kind {expected}",
                tensor.device.kind, tensor.device.id
            )));
        }
        let dtype = tensor::dtype(tensor.dtype).ok_or_else(|| {
            refused(&format!(
                "its elements are of DLPack's type code {} with {} bits in {} lanes, which is no dtype of situ",
                tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
            ))
        })?;
        if tensor.ndim > MAX_DIMS as i32 {
            return Err(refused(&format!(
                "it has {} dimensions, and arrays have at most {MAX_DIMS}",
                tensor.ndim
            )));
        }
        let sizes = numbers(tensor.shape, tensor.ndim)
            .ok_or_else(|| refused("it does not say which shape it has"))?;
        let shape: Vec<usize> = sizes
            .iter()
            .map(|&size| usize::try_from(size))
            .collect::<Result<_, _>>()
            .map_err(|_| refused("its shape has a negative size"))?;
        let strides: Vec<isize> = match numbers(tensor.strides, tensor.ndim) {
            Some(strides) => strides.iter().map(|&step| step as isize).collect(),
            None => Layout::contiguous(&shape)
                .map_err(|_| refused("its shape has more elements than can be counted"))?
                .strides()
                .to_vec(),
        };
        let overflow = || refused("its strides lead out of the address space");
        let size_of = dtype.size_bytes() as i128;
        let (mut low, mut high) = (0_i128, 0_i128);
        if !shape.contains(&0) {
            for (&size, &stride) in shape.iter().zip(&strides) {
                let reach = (size as i128 - 1)
                    .checked_mul(stride as i128)
                    .ok_or_else(overflow)?;
                low += reach.min(0);
                high += reach.max(0);
            }
        }
        let first = tensor.data.expose_provenance() as i128 + i128::from(tensor.byte_offset);
        let start = usize::try_from(first + low * size_of).map_err(|_| overflow())?;
        let offset = usize::try_from(-low).map_err(|_| overflow())?;
        let size_bytes = usize::try_from((high - low + 1) * size_of).map_err(|_| overflow())?;
        Ok(Self {
            dtype,
            layout: Layout::from_parts(&shape, &strides, offset),
            start,
            size_bytes,
        })
    }
}

/// As many numbers as there are dimensions; `None` if there are none to be read.
fn numbers(first: *const i64, ndim: i32) -> Option<Vec<i64>> {
    let count = usize::try_from(ndim).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    if first.is_null() {
        return None;
    }
    // SAFETY: DLPack has shape and strides in arrays of as many numbers as there are dimensions, which live
    // as long as the tensor.
    Some(unsafe { std::slice::from_raw_parts(first, count) }.to_vec())
}

fn refused(why: &str) -> PyErr {
    PyBufferError::new_err(format!(
        "this DLPack array cannot be used in place\n  why:  {why}\n  help: copy it to the host with its own \
         library first"
    ))
}
