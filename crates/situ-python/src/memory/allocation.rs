//! `situ.memory.Allocation`: USM bytes as Python sees them.
//!
//! The docstrings here are what users read: this class has no Python half.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "brackets in Python examples are indices, not links"
)]

use std::ffi::c_int;
use std::sync::Arc;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};
use situ_runtime::memory::copy;
use situ_runtime::memory::host_view::HostView;
use situ_runtime::memory::transfer::{End, transfer};
use situ_runtime::{Allocation, Error, Queue};

use super::as_allocation;
use super::interface::exported;
use crate::context::PyContext;
use crate::detach::detach;
use crate::device::PyDevice;
use crate::error::{IntoPyErr, exceptions, guard};
use crate::host_memory::usm_kind;
use crate::placement;
use crate::queue::{self, PyQueue};

/// Bytes on a device, with an address.
///
/// Arrays are views of such memory; whoever needs only bytes, to exchange them with other libraries
/// or to keep a workspace, can have them directly. The memory comes from the pool of a context and
/// goes back there when neither this object nor unfinished work uses it. Contents are undefined at
/// first.
///
/// Where the host can reach the memory, the object exports the buffer protocol, so that
/// ``memoryview(allocation)`` and ``numpy.frombuffer(allocation)`` work without a copy. They wait for
/// work submitted before; as long as such a view exists, submitting work that uses the memory waits
/// for its end, so that the view is always up to date.
///
/// Parameters
/// ----------
/// size_bytes : int
///     How many bytes. Zero is allowed.
/// usm_type : str, optional
///     ``"device"``, ``"shared"`` or ``"host"``.
/// device : str, Device, Queue or ndarray, optional
///     Where the memory is; the current default if this and `queue` are left out.
/// queue : Queue, optional
///     The queue that copies are submitted to; says where the memory is, too.
///
/// Examples
/// --------
/// >>> import situ
/// >>> memory = situ.memory.Allocation(4, "shared")
/// >>> memory.copy_from_host(b"situ")
/// >>> bytes(memory)
/// b'situ'
/// >>> view = memoryview(memory)
/// >>> view[0] = ord("S")
/// >>> memory.to_bytes()
/// b'Situ'
#[pyclass(frozen, name = "Allocation", module = "situ.memory")]
pub(crate) struct PyAllocation {
    allocation: Arc<Allocation>,
    queue: Queue,
}

/// Content, USM kind and filter string: what a pickle keeps.
type State<'py> = (Bound<'py, PyBytes>, &'static str, String);

impl PyAllocation {
    pub(crate) fn new(allocation: Arc<Allocation>, queue: Queue) -> Self {
        Self { allocation, queue }
    }

    pub(crate) fn allocation(&self) -> &Arc<Allocation> {
        &self.allocation
    }

    /// The queue that copies are submitted to, as the runtime knows it.
    pub(crate) fn runtime_queue(&self) -> &Queue {
        &self.queue
    }

    /// Bytes from an offset to the end, on the host.
    fn tail<'py>(&self, py: Python<'py>, byte_offset: usize) -> PyResult<Bound<'py, PyBytes>> {
        let len = self.rest(py, byte_offset)?;
        PyBytes::new_with(py, len, |bytes| {
            detach(py, || {
                copy::copy_to_host(&self.queue, &self.allocation, byte_offset, bytes)
            })
        })
    }

    /// How many bytes there are from an offset on.
    fn rest(&self, py: Python<'_>, byte_offset: usize) -> PyResult<usize> {
        let size_bytes = self.allocation.size_bytes();
        size_bytes.checked_sub(byte_offset).ok_or_else(|| {
            let error = Error::CopyOutOfRange {
                byte_offset,
                len: 0,
                size_bytes,
            };
            error.into_py_err(py)
        })
    }
}

#[pymethods]
impl PyAllocation {
    #[new]
    #[pyo3(signature = (size_bytes, usm_type = "device", *, device = None, queue = None))]
    fn py_new(
        py: Python<'_>,
        size_bytes: &Bound<'_, PyAny>,
        usm_type: &str,
        device: Option<&Bound<'_, PyAny>>,
        queue: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guard(|| {
            let size_bytes = count(size_bytes, "the size of an allocation")?;
            let kind = usm_kind(Some(usm_type))?;
            if device.is_some() && queue.is_some() {
                return Err(PyTypeError::new_err(
                    "an allocation takes `device` or `queue`, not both\n  why:  a queue has a device \
                     already\n  help: leave one of them out",
                ));
            }
            let queue = match device.or(queue) {
                Some(place) => queue::select(py, Some(place))?,
                None => placement::current(py)?,
            };
            let allocation = detach(py, || Allocation::new(&queue, size_bytes, kind))?;
            Ok(Self { allocation, queue })
        })
    }

    /// How many bytes there are.
    #[getter]
    fn size_bytes(&self) -> usize {
        self.allocation.size_bytes()
    }

    /// How many bytes there are; the name NumPy has for it.
    #[getter]
    fn nbytes(&self) -> usize {
        self.allocation.size_bytes()
    }

    fn __len__(&self) -> usize {
        self.allocation.size_bytes()
    }

    /// Where the memory lives: ``"device"``, ``"shared"`` or ``"host"``.
    #[getter]
    fn usm_type(&self) -> &'static str {
        self.allocation.kind().name()
    }

    /// The queue that copies are submitted to.
    #[getter]
    fn queue(&self) -> PyQueue {
        PyQueue {
            queue: self.queue.clone(),
        }
    }

    /// The device of the queue.
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice::from(self.queue.device().clone())
    }

    /// The context whose devices can reach the memory.
    #[getter]
    fn context(&self) -> PyContext {
        PyContext {
            context: self.allocation.context().clone(),
        }
    }

    /// The address of the first byte.
    ///
    /// Kernels and other libraries may use it as long as this object lives; the host only if
    /// `is_host_accessible`.
    #[getter]
    fn pointer(&self, py: Python<'_>) -> PyResult<usize> {
        guard(|| exported(py, &self.allocation, &self.queue))
    }

    /// Whether the host may read and write the bytes by their address.
    #[getter]
    fn is_host_accessible(&self) -> bool {
        self.allocation.is_host_accessible()
    }

    /// What libraries that share USM memory need to know; version 1 of the protocol.
    #[getter]
    fn __sycl_usm_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guard(|| {
            let interface = PyDict::new(py);
            let address = exported(py, &self.allocation, &self.queue)?;
            interface.set_item("data", (address, false))?;
            interface.set_item("shape", (self.allocation.size_bytes(),))?;
            interface.set_item("strides", py.None())?;
            interface.set_item("typestr", "|u1")?;
            interface.set_item("offset", 0)?;
            interface.set_item("syclobj", self.queue())?;
            interface.set_item("version", 1)?;
            Ok(interface)
        })
    }

    /// Copy bytes of a host object here.
    ///
    /// Parameters
    /// ----------
    /// obj : bytes-like
    ///     Any object with the buffer protocol, C-contiguous: ``bytes``, a NumPy array, ...
    /// byte_offset : int, optional
    ///     Where the bytes go.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> import situ
    /// >>> memory = situ.memory.Allocation(16)
    /// >>> memory.copy_from_host(np.array([1.5, 2.5]))
    /// >>> memory.copy_to_host().view(np.float64)
    /// array([1.5, 2.5])
    #[pyo3(signature = (obj, byte_offset = None))]
    fn copy_from_host(
        &self,
        py: Python<'_>,
        obj: &Bound<'_, PyAny>,
        byte_offset: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        guard(|| {
            let byte_offset = offset(byte_offset)?;
            let source = contiguous_buffer(obj)?;
            let (address, len) = (source.buf_ptr() as usize, source.len_bytes());
            detach(py, || {
                let bytes = if len == 0 {
                    &[]
                } else {
                    // SAFETY: the buffer is held by `source` until after this call and has `len`
                    // bytes. Another Python thread could write it meanwhile, as with any copy made
                    // without the GIL; bytes have no invalid values.
                    unsafe { std::slice::from_raw_parts(address as *const u8, len) }
                };
                copy::copy_from_host(&self.queue, bytes, &self.allocation, byte_offset)
            })
        })
    }

    /// Copy bytes to the host.
    ///
    /// Parameters
    /// ----------
    /// obj : writable bytes-like, optional
    ///     Where to; as many bytes are copied as it has. A new NumPy array if left out.
    /// byte_offset : int, optional
    ///     Where the bytes come from.
    ///
    /// Returns
    /// -------
    /// bytes-like
    ///     `obj`, or a NumPy array of ``uint8`` with everything from `byte_offset` on.
    ///
    /// Examples
    /// --------
    /// >>> import situ
    /// >>> memory = situ.memory.Allocation(4)
    /// >>> memory.fill(7)
    /// >>> memory.copy_to_host(byte_offset=2)
    /// array([7, 7], dtype=uint8)
    /// >>> memory.copy_to_host(bytearray(3))
    /// bytearray(b'\x07\x07\x07')
    #[pyo3(signature = (obj = None, byte_offset = None))]
    fn copy_to_host<'py>(
        &self,
        py: Python<'py>,
        obj: Option<Bound<'py, PyAny>>,
        byte_offset: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guard(|| {
            let byte_offset = offset(byte_offset)?;
            let Some(obj) = obj else {
                let len = self.rest(py, byte_offset)?;
                let host = PyByteArray::new_with(py, len, |bytes| {
                    detach(py, || {
                        copy::copy_to_host(&self.queue, &self.allocation, byte_offset, bytes)
                    })
                })?;
                let numpy = py.import("numpy")?;
                return numpy.call_method1("frombuffer", (host, "uint8"));
            };
            let target = contiguous_buffer(&obj)?;
            if target.readonly() {
                return Err(PyBufferError::new_err(format!(
                    "cannot copy to `{}`\n  why:  it cannot be written\n  help: pass a bytearray or \
                     a NumPy array, or leave it out to get a new one",
                    obj.get_type().name()?
                )));
            }
            let (address, len) = (target.buf_ptr() as usize, target.len_bytes());
            detach(py, || {
                let bytes = if len == 0 {
                    &mut []
                } else {
                    // SAFETY: the buffer is writable, held by `target` until after this call and
                    // has `len` bytes; other threads: as in `copy_from_host`.
                    unsafe { std::slice::from_raw_parts_mut(address as *mut u8, len) }
                };
                copy::copy_to_host(&self.queue, &self.allocation, byte_offset, bytes)
            })?;
            Ok(obj)
        })
    }

    /// Copy bytes of another allocation here.
    ///
    /// This is a command on the allocation's queue, after all that use the same memory; it may still be
    /// running on return. The source may be of any device, and ranges may overlap.
    ///
    /// Parameters
    /// ----------
    /// source : Allocation or ndarray
    ///     Where from; see `situ.memory.as_allocation` for what else is accepted.
    /// byte_offset : int, optional
    ///     Where the bytes go.
    /// source_offset : int, optional
    ///     Where they come from.
    /// size_bytes : int, optional
    ///     How many; all of the source from `source_offset` on if left out.
    ///
    /// Examples
    /// --------
    /// >>> import situ
    /// >>> first, second = situ.memory.Allocation(3), situ.memory.Allocation(5)
    /// >>> first.copy_from_host(b"abc")
    /// >>> second.fill(ord("-"))
    /// >>> second.copy_from(first, byte_offset=1)
    /// >>> bytes(second)
    /// b'-abc-'
    #[pyo3(signature = (source, *, byte_offset = None, source_offset = None, size_bytes = None))]
    fn copy_from(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        byte_offset: Option<&Bound<'_, PyAny>>,
        source_offset: Option<&Bound<'_, PyAny>>,
        size_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        guard(|| {
            let source = as_allocation(py, source)?;
            let source = source.get();
            let (byte_offset, source_offset) = (offset(byte_offset)?, offset(source_offset)?);
            let size_bytes = match size_bytes {
                Some(size_bytes) => count(size_bytes, "the size of a copy")?,
                None => source.rest(py, source_offset)?,
            };
            let from = End {
                queue: &source.queue,
                allocation: &source.allocation,
                byte_offset: source_offset,
            };
            let to = End {
                queue: &self.queue,
                allocation: &self.allocation,
                byte_offset,
            };
            detach(py, || transfer(from, to, size_bytes).map(drop))
        })
    }

    /// Set all bytes to one value.
    ///
    /// Parameters
    /// ----------
    /// value : int
    ///     From 0 to 255.
    ///
    /// Examples
    /// --------
    /// >>> import situ
    /// >>> memory = situ.memory.Allocation(3)
    /// >>> memory.fill(255)
    /// >>> bytes(memory)
    /// b'\xff\xff\xff'
    fn fill(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        guard(|| {
            let value = u8::try_from(count(value, "the value of a byte")?).map_err(|_| {
                PyValueError::new_err(format!(
                    "cannot fill bytes with {value}\n  why:  a byte holds numbers from 0 to 255\n  \
                     help: choose one of those; `situ.full` fills arrays with larger numbers"
                ))
            })?;
            detach(py, || {
                let len = self.allocation.size_bytes();
                copy::fill(&self.queue, &self.allocation, 0, len, value).map(drop)
            })
        })
    }

    /// A copy of all bytes on the host.
    ///
    /// Examples
    /// --------
    /// >>> import situ
    /// >>> memory = situ.memory.Allocation(2)
    /// >>> memory.fill(1)
    /// >>> memory.to_bytes()
    /// b'\x01\x01'
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guard(|| self.tail(py, 0))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guard(|| self.tail(py, 0))
    }

    /// Content, kind and device: a new allocation with the same bytes is made when it is loaded.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State<'py>)> {
        guard(|| {
            let restore = py.import("situ._restore")?.getattr("allocation")?;
            let device = self.queue.device().filter_string();
            Ok((restore, (self.tail(py, 0)?, self.usm_type(), device)))
        })
    }

    /// Lets the host read and write the bytes in place.
    ///
    /// # Safety
    /// `view` points to a `Py_buffer` to be filled in, as the buffer protocol has it.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let py = slf.py();
        guard(|| {
            let Self { allocation, queue } = slf.get();
            if !allocation.is_host_accessible() {
                return Err(exceptions::HostAccessError::new_err(format!(
                    "the host cannot read this {} memory of {} in place\n  why:  only the device can \
                     reach it\n  help: copy it with `.to_bytes()` or `.copy_to_host()`, or allocate \
                     with usm_type=\"shared\"",
                    allocation.kind(),
                    queue.device().filter_string(),
                )));
            }
            let host_view = detach(py, || {
                let host_view = HostView::new(allocation)?;
                queue.check()?;
                Ok::<_, Error>(host_view)
            })?;
            let (start, len) = (allocation.as_ptr(), allocation.size_bytes());
            // SAFETY: the caller passes a buffer to be filled in. The memory is accessible to the
            // host and stays as long as this object, which the buffer keeps alive.
            let status = unsafe {
                ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), len as isize, 0, flags)
            };
            if status != 0 {
                return Err(PyErr::fetch(py));
            }
            // SAFETY: the buffer was filled in, and `internal` is for its exporter to use.
            unsafe { (*view).internal = Box::into_raw(Box::new(host_view)).cast() };
            Ok(())
        })
    }

    /// Ends what [`Self::__getbuffer__`] began.
    ///
    /// # Safety
    /// `view` was filled in by it and is not used again.
    unsafe fn __releasebuffer__(_slf: &Bound<'_, Self>, view: *mut ffi::Py_buffer) {
        // SAFETY: `internal` came from `Box::into_raw` and is released once.
        drop(unsafe { Box::from_raw((*view).internal.cast::<HostView>()) });
    }

    fn __repr__(&self) -> String {
        format!(
            "<situ.memory.Allocation of {} bytes, {}, on {}>",
            self.allocation.size_bytes(),
            self.usm_type(),
            self.queue.device().filter_string()
        )
    }
}

/// A number of bytes from Python.
pub(crate) fn count(number: &Bound<'_, PyAny>, what: &str) -> PyResult<usize> {
    let integer = number.call_method0("__index__").map_err(|_| {
        let kind = number.get_type().name();
        let kind = kind.map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "{what} is an integer, not `{kind}`\n  help: convert it with `int(...)`"
        ))
    })?;
    if let Ok(count) = integer.extract() {
        return Ok(count);
    }
    if integer.lt(0)? {
        return Err(PyValueError::new_err(format!(
            "{what} cannot be negative, but is {integer}"
        )));
    }
    Err(exceptions::OutOfMemoryError::new_err(format!(
        "out of memory: {what} is {integer}\n  why:  no device has more than 2**64 bytes\n  help: check \
         how the number was computed; it counts bytes"
    )))
}

/// A place in an allocation from Python; the start if it is left out.
fn offset(number: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    number.map_or(Ok(0), |number| count(number, "a byte offset"))
}

/// The bytes of a host object, as they are in memory.
fn contiguous_buffer(object: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    let kind = object.get_type().name()?;
    let buffer = PyUntypedBuffer::get(object).map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(object.py()) {
            return error;
        }
        PyTypeError::new_err(format!(
            "`{kind}` is not host memory\n  why:  it has no buffer protocol\n  help: pass `bytes`, a \
             `bytearray` or a NumPy array"
        ))
    })?;
    if buffer.is_c_contiguous() {
        return Ok(buffer);
    }
    Err(PyBufferError::new_err(format!(
        "the bytes of this `{kind}` are not one after the other\n  why:  it is a view with other \
         strides\n  help: copy it first with `numpy.ascontiguousarray`"
    )))
}
