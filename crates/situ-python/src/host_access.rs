//! Reading and writing arrays from the host without a copy: the buffer protocol, `__array__`, and
//! what describes an array's memory to other libraries.
//!
//! Memory that only a device can reach is refused, with the line that copies it instead. Whoever holds
//! a buffer keeps the memory alive, and as long as somebody does, submitting work that uses the memory
//! waits for its end.

use std::ffi::{CStr, c_int, c_long, c_void};

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMemoryView, PyTuple};
use situ_array::Array;
use situ_ir::DType;
use situ_runtime::memory::host_view::HostView;

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::memory::exported;
use crate::queue::PyQueue;
use crate::{dtype, host_memory, interrupt};

#[pymethods]
impl PyArray {
    /// Fills in what the consumer of a buffer asked for.
    ///
    /// # Safety
    /// `view` points to a `Py_buffer` to be filled in, as the buffer protocol has it.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        guard(|| {
            // A consumer that looks at `obj` after an error must find nothing.
            // SAFETY: the caller passes a buffer to be filled in.
            unsafe { (*view).obj = std::ptr::null_mut() };
            let array = slf.get().array();
            let py = slf.py();
            interrupt::check()?;
            check_order(array, flags)?;
            // A raw address cannot leave the closure; a number can.
            let work = || {
                array
                    .host_view()
                    .map(|(address, view)| (address as usize, view))
            };
            let (address, host_view) = detach(py, work)?;
            let exported = Box::new(Exported::new(array, host_view));
            // SAFETY: as above. `shape`, `strides` and `format` live in `exported`, which
            // `__releasebuffer__` frees; `obj` is a new reference, which keeps the memory alive.
            unsafe {
                (*view).buf = address as *mut c_void;
                (*view).len = (array.size() * array.dtype().size_bytes()) as isize;
                (*view).readonly = 0;
                (*view).itemsize = array.dtype().size_bytes() as isize;
                (*view).ndim = exported.shape.len() as c_int;
                (*view).format = if_asked(flags, ffi::PyBUF_FORMAT, exported.format.as_ptr());
                (*view).shape = if_asked(flags, ffi::PyBUF_ND, exported.shape.as_ptr());
                (*view).strides =
                    if_asked(flags, ffi::PyBUF_STRIDES, exported.byte_strides.as_ptr());
                (*view).suboffsets = std::ptr::null_mut();
                (*view).internal = Box::into_raw(exported).cast();
                (*view).obj = slf.into_any().into_ptr();
            }
            Ok(())
        })
    }

    /// Frees what [`Self::__getbuffer__`] made.
    ///
    /// # Safety
    /// `view` was filled in by it and is not used again.
    unsafe fn __releasebuffer__(_slf: &Bound<'_, Self>, view: *mut ffi::Py_buffer) {
        // SAFETY: `internal` came from `Box::into_raw` and is released once.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Exported>()) });
    }

    /// A NumPy array over the same memory, or a copy where one was asked for or is needed.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        guard(|| {
            // NumPy drops what the buffer protocol raises, Ctrl-C included, and comes here next.
            interrupt::check_repeated()?;
            let array = slf.get().array();
            if copy == Some(true) {
                array_is_host_accessible(py, array)?;
                let host = host_memory::to_numpy(py, array)?;
                return match dtype {
                    Some(dtype) => host.call_method1("astype", (dtype,)),
                    None => Ok(host),
                };
            }
            let view = PyMemoryView::from(slf.as_any())?;
            let host = py.import("numpy")?.call_method1("asarray", (view,))?;
            let Some(dtype) = dtype else { return Ok(host) };
            if host.getattr("dtype")?.eq(dtype)? {
                return Ok(host);
            }
            if copy == Some(false) {
                return Err(PyValueError::new_err(format!(
                    "a NumPy array of another dtype than {} cannot be made without a copy\n  help: \
                     leave `copy` out, or use `copy=None`",
                    array.dtype()
                )));
            }
            host.call_method1("astype", (dtype,))
        })
    }

    /// What libraries that share USM memory need to know about this array.
    #[getter]
    fn __sycl_usm_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guard(|| {
            let array = self.array();
            let layout = array.layout();
            let interface = PyDict::new(py);
            // The address is that of the first element, because dpnp looks at `data` and not at `offset`.
            let start = exported(py, array.allocation(), array.queue())?;
            let before = layout.offset() * array.dtype().size_bytes();
            let address = start + if layout.is_empty() { 0 } else { before };
            interface.set_item("data", (address, false))?;
            interface.set_item("shape", PyTuple::new(py, layout.shape())?)?;
            let strides = (!layout.is_contiguous())
                .then(|| PyTuple::new(py, layout.strides()))
                .transpose()?;
            interface.set_item("strides", strides)?;
            let typestr = dtype::to_python(py, array.dtype())?.getattr(py, "str")?;
            interface.set_item("typestr", typestr)?;
            interface.set_item("offset", 0)?;
            let queue = PyQueue {
                queue: array.queue().clone(),
            };
            interface.set_item("syclobj", queue)?;
            interface.set_item("version", 1)?;
            Ok(interface)
        })
    }

    /// Elements, kind of memory and device; restored where such a device is.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        guard(|| {
            let array = slf.get().array();
            let restore = py.import("situ._restore")?.getattr("array")?;
            let elements = host_memory::to_numpy(py, array)?;
            // No selector names a part of a device.
            let device = array.queue().device().root_device().filter_string();
            let usm_type = array.usm_kind().name();
            let state = PyTuple::new(
                py,
                [
                    elements,
                    usm_type.into_pyobject(py)?.into_any(),
                    device.into_pyobject(py)?.into_any(),
                ],
            )?;
            Ok((restore, state.into_any()))
        })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }
}

/// A NumPy array over the same memory.
///
/// # Errors
/// If the host cannot reach it.
pub(crate) fn as_numpy<'py>(array: &Bound<'py, PyArray>) -> PyResult<Bound<'py, PyAny>> {
    PyArray::__array__(array, None, None)
}

/// Refuses arrays that the host cannot reach.
fn array_is_host_accessible(py: Python<'_>, array: &Array) -> PyResult<()> {
    detach(py, || array.host_view().map(drop))
}

/// A part of a buffer, if the consumer wants it.
fn if_asked<T>(flags: c_int, flag: c_int, part: *const T) -> *mut T {
    if flags & flag == flag {
        part.cast_mut()
    } else {
        std::ptr::null_mut()
    }
}

/// What a buffer points to besides the elements.
struct Exported {
    shape: Vec<isize>,
    byte_strides: Vec<isize>,
    format: &'static CStr,
    /// Has commands that use the memory waited for, as long as the buffer is out.
    _host_view: HostView,
}

impl Exported {
    fn new(array: &Array, host_view: HostView) -> Self {
        let size = array.dtype().size_bytes() as isize;
        let layout = array.layout();
        Self {
            shape: layout.shape().iter().map(|&size| size as isize).collect(),
            byte_strides: layout
                .strides()
                .iter()
                .map(|stride| stride * size)
                .collect(),
            format: format(array.dtype()),
            _host_view: host_view,
        }
    }
}

/// Refuses a consumer that needs an order of elements which the array does not have.
fn check_order(array: &Array, flags: c_int) -> PyResult<()> {
    let asked = |flag: c_int| flags & flag == flag;
    let layout = array.layout();
    let in_c_order = layout.is_contiguous();
    let reversed: Vec<usize> = (0..layout.ndim()).rev().collect();
    let in_f_order = layout.permuted(&reversed).is_contiguous();
    let (fits, order) = if asked(ffi::PyBUF_C_CONTIGUOUS) || !asked(ffi::PyBUF_STRIDES) {
        (in_c_order, "in C order")
    } else if asked(ffi::PyBUF_F_CONTIGUOUS) {
        (in_f_order, "in Fortran order")
    } else if asked(ffi::PyBUF_ANY_CONTIGUOUS) {
        (in_c_order || in_f_order, "contiguous")
    } else {
        (true, "")
    };
    if fits {
        return Ok(());
    }
    Err(PyBufferError::new_err(format!(
        "the elements of this array are not {order}\n  why:  it is a view with other strides\n  help: \
         copy it first with `x.copy()`"
    )))
}

/// The format that the `struct` module, and NumPy, have for a dtype.
fn format(dtype: DType) -> &'static CStr {
    // `l` is what NumPy calls a 64-bit integer wherever C's `long` has 64 bits.
    const LONG_HAS_64_BITS: bool = size_of::<c_long>() == 8;
    match dtype {
        DType::Bool => c"?",
        DType::I8 => c"b",
        DType::I16 => c"h",
        DType::I32 => c"i",
        DType::I64 if LONG_HAS_64_BITS => c"l",
        DType::I64 => c"q",
        DType::U8 => c"B",
        DType::U16 => c"H",
        DType::U32 => c"I",
        DType::U64 if LONG_HAS_64_BITS => c"L",
        DType::U64 => c"Q",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
    }
}
