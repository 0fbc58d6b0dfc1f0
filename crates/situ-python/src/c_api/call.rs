//! How a call from native code comes in, and how it ends.
//!
//! As in Python's own C interface, a function that fails leaves an exception behind and returns -1 or a null pointer. No
//! panic leaves situ, and no null pointer comes in unseen. That what is not null is what it should be, nobody can check: the
//! header tells.

use std::ffi::{CStr, c_char, c_int};
use std::slice;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::handle;
use crate::error::guard;

/// A call of one function of the table, while it goes on.
pub(super) struct Call<'py> {
    /// The function's name in the header, for messages.
    function: &'static str,
    pub(super) py: Python<'py>,
}

impl Call<'_> {
    /// A function that returns 0, or -1 and an exception.
    pub(super) fn status(
        function: &'static str,
        body: impl FnOnce(&Call<'_>) -> PyResult<()>,
    ) -> c_int {
        Self::run(function, -1, |call| body(call).map(|()| 0))
    }

    /// A function that returns a number of at least 0, or -1 and an exception.
    pub(super) fn number(
        function: &'static str,
        body: impl FnOnce(&Call<'_>) -> PyResult<i32>,
    ) -> i32 {
        Self::run(function, -1, body)
    }

    /// A function that returns a new handle, or null and an exception.
    pub(super) fn handle<T: Send + Sync>(
        function: &'static str,
        body: impl FnOnce(&Call<'_>) -> PyResult<T>,
    ) -> *const T {
        Self::run(function, std::ptr::null(), |call| {
            body(call).map(handle::hand_out)
        })
    }

    /// A function that returns a new reference to a Python object, or null and an exception.
    pub(super) fn object<T>(
        function: &'static str,
        body: impl FnOnce(&Call<'_>) -> PyResult<Py<T>>,
    ) -> *mut ffi::PyObject {
        Self::run(function, std::ptr::null_mut(), |call| {
            body(call).map(Py::into_ptr)
        })
    }

    fn run<T>(function: &'static str, failed: T, body: impl FnOnce(&Call<'_>) -> PyResult<T>) -> T {
        // The caller has the GIL. At the end of the interpreter there is nobody to tell anything.
        let result = Python::try_attach(|py| {
            let call = Call { function, py };
            guard(|| body(&call)).map_err(|error| error.restore(py))
        });
        match result {
            Some(Ok(value)) => value,
            Some(Err(())) | None => failed,
        }
    }
}

impl<'py> Call<'py> {
    /// What a pointer points to.
    ///
    /// # Safety
    /// It is null, or points to a `T` that lives until the call ends.
    pub(super) unsafe fn borrow<'a, T>(&self, pointer: *const T, name: &str) -> PyResult<&'a T> {
        // SAFETY: as the caller promises.
        unsafe { pointer.as_ref() }.ok_or_else(|| self.null(name))
    }

    /// Several things in a row. With none, the pointer does not matter.
    ///
    /// # Safety
    /// As [`Self::borrow`], for as many.
    pub(super) unsafe fn list<'a, T>(
        &self,
        first: *const T,
        count: usize,
        name: &str,
    ) -> PyResult<&'a [T]> {
        if count == 0 {
            return Ok(&[]);
        }
        if first.is_null() {
            return Err(self.null(name));
        }
        if count > isize::MAX as usize / size_of::<T>().max(1) {
            return Err(self.wrong(name, "there cannot be as many"));
        }
        // SAFETY: as the caller promises.
        Ok(unsafe { slice::from_raw_parts(first, count) })
    }

    /// A text.
    ///
    /// # Safety
    /// It is null, or ends with a zero byte and lives until the call ends.
    pub(super) unsafe fn text<'a>(&self, text: *const c_char, name: &str) -> PyResult<&'a str> {
        if text.is_null() {
            return Err(self.null(name));
        }
        // SAFETY: as the caller promises.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_str()
            .map_err(|_| self.wrong(name, "it is not UTF-8"))
    }

    /// A Python object.
    ///
    /// # Safety
    /// It is null, or an object that lives until the call ends.
    pub(super) unsafe fn object_at(
        &self,
        object: *mut ffi::PyObject,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: as the caller promises; the GIL is held.
        unsafe { Bound::from_borrowed_ptr_or_opt(self.py, object) }.ok_or_else(|| self.null(name))
    }

    /// A tuple of Python objects; an empty one stands for null.
    ///
    /// # Safety
    /// As [`Self::object_at`].
    pub(super) unsafe fn tuple_at(
        &self,
        object: *mut ffi::PyObject,
        name: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if object.is_null() {
            return Ok(PyTuple::empty(self.py));
        }
        // SAFETY: as the caller promises.
        let object = unsafe { self.object_at(object, name) }?;
        object
            .cast_into()
            .map_err(|_| self.wrong(name, "it is not a tuple"))
    }

    /// Gives a new handle to the caller, if there is a place for it.
    ///
    /// # Safety
    /// The place is null, or a pointer can be written there.
    pub(super) unsafe fn give<T: Send + Sync>(place: *mut *const T, value: impl Into<T>) {
        if !place.is_null() {
            // SAFETY: as the caller promises.
            unsafe { place.write(handle::hand_out(value.into())) };
        }
    }

    /// The exception for an argument that cannot be.
    pub(super) fn wrong(&self, name: &str, why: &str) -> PyErr {
        PyValueError::new_err(format!(
            "`{}` of situ's C interface cannot use its argument `{name}`\n  why:  {why}\n  help: `situ.h` says what it \
             takes; this is a mistake of the package that made the call",
            self.function
        ))
    }

    fn null(&self, name: &str) -> PyErr {
        self.wrong(name, "it is NULL")
    }
}
