//! The one table that turns a Rust error into a Python exception.
//!
//! The classes live in `python/situ/exceptions.py`; this file only chooses among them. Every
//! function that Python can call runs its body inside [`guard`], so that a bug in situ reaches the
//! user as `situ.InternalError` and never as an aborted process or a bare Rust panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_runtime::backend::stack;

/// The exception classes, imported from Python with the module.
pub(crate) mod exceptions {
    macro_rules! imported {
        ($($name:ident),+ $(,)?) => {
            $(pyo3::import_exception!(situ.exceptions, $name);)+

            /// Imports all of them. Later, that may fail: Python imports nothing on behalf of code whose globals lack
            /// `__builtins__`.
            pub(crate) fn import(py: pyo3::Python<'_>) {
                $(<$name as pyo3::PyTypeInfo>::type_object(py);)+
            }
        };
    }

    imported!(
        AddressError,
        DTypeError,
        DeviceError,
        HostAccessError,
        HostTaskError,
        InternalError,
        KernelAssertionError,
        KernelError,
        KernelIndexError,
        KernelTypeError,
        LinAlgError,
        OutOfMemoryError,
        PlacementError,
        PlacementWarning,
        ShapeError,
    );
}

/// An error of a Rust layer that has a Python exception.
pub(crate) trait IntoPyErr {
    /// The exception, with the error's own words.
    fn into_py_err(self, py: Python<'_>) -> PyErr;
}

impl IntoPyErr for situ_array::Error {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        use situ_array::Error as E;
        let message = self.to_string();
        match self {
            E::AxisOutOfBounds { .. } => axis_error(py, message),
            E::Runtime(error) => error.into_py_err(py),
            _ => array_class(&self)(message),
        }
    }
}

impl IntoPyErr for situ_runtime::Error {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        let error = class_of(&self)(self.to_string());
        if let Some(cause) = python_cause(&self) {
            error.set_cause(py, Some(cause.clone_ref(py)));
        }
        error
    }
}

/// The exception of the user's own Python code that an error of the runtime goes back to.
fn python_cause(error: &situ_runtime::Error) -> Option<&PyErr> {
    use situ_runtime::Error as E;
    match error {
        E::HostTaskFailed { source } => source.downcast_ref::<PyErr>(),
        E::CommandFailed { source, .. }
        | E::DependencyFailed { source, .. }
        | E::SeveralFailed { first: source, .. } => python_cause(source),
        _ => None,
    }
}

/// The exception class for an error of the array layer.
fn array_class(error: &situ_array::Error) -> fn(String) -> PyErr {
    use situ_array::Error as E;
    match error {
        E::ShapeMismatch { .. }
        | E::AssignmentShape { .. }
        | E::TooManyDimensions { .. }
        | E::TooManyElements { .. }
        | E::AxesCount { .. }
        | E::RepeatedAxis { .. }
        | E::OutputShape { .. }
        | E::AxisNeeded { .. }
        | E::NothingToReduce { .. }
        | E::BroadcastTo { .. }
        | E::SqueezeSize { .. }
        | E::MoveCount { .. }
        | E::RollCount { .. }
        | E::ConcatShapes { .. }
        | E::StackShapes { .. }
        | E::SearchedDimensions { .. }
        | E::SorterShape { .. }
        | E::RepeatCounts { .. }
        | E::TooFewDimensions { .. }
        | E::TransformLength { .. }
        | E::TransformCounts { .. }
        | E::ProductShapes { .. }
        | E::ReshapeSize { .. } => exceptions::ShapeError::new_err,
        E::EquationShapes { .. }
        | E::MatrixNeeded { .. }
        | E::NoDecomposition { .. }
        | E::NotSquare { .. } => exceptions::LinAlgError::new_err,
        E::IndexOutOfBounds { .. }
        | E::IndexDType { .. }
        | E::IndexDimensions { .. }
        | E::IndexShapes { .. }
        | E::MaskShape { .. }
        | E::TooManyIndices { .. }
        | E::TwoEllipses => PyIndexError::new_err,
        E::NegativeCount { .. } | E::NegativeExponent { .. } | E::ZeroStep => PyValueError::new_err,
        E::AssignmentComplex { .. }
        | E::DTypeNotSupported { .. }
        | E::DTypeMissing { .. }
        | E::MaskDType { .. }
        | E::OperandConversion { .. }
        | E::OutputDType { .. }
        | E::PositionDType { .. }
        | E::ResultDType { .. } => exceptions::DTypeError::new_err,
        E::AssignmentNotFinite { value, .. } if value.is_nan() => PyValueError::new_err,
        E::AssignmentNotFinite { .. } => PyOverflowError::new_err,
        E::ScalarOverflow { .. } | E::AssignmentOverflow { .. } => PyOverflowError::new_err,
        E::Placement(_) => exceptions::PlacementError::new_err,
        E::NoArray { .. } => PyTypeError::new_err,
        E::ViewOutside { .. } => exceptions::AddressError::new_err,
        E::CopyNeeded { .. } => PyValueError::new_err,
        E::NotHostAccessible { .. } => exceptions::HostAccessError::new_err,
        E::Runtime(error) => class_of(error),
        _ => exceptions::InternalError::new_err,
    }
}

/// The exception class for an error: that of what first went wrong.
fn class_of(error: &situ_runtime::Error) -> fn(String) -> PyErr {
    use situ_runtime::Error as E;
    match error {
        E::CommandFailed { source, .. }
        | E::DependencyFailed { source, .. }
        | E::SeveralFailed { first: source, .. } => class_of(source),
        E::HostTaskFailed { .. } => exceptions::HostTaskError::new_err,
        E::HostWorkFailed { source, .. } => source
            .downcast_ref::<situ_array::Error>()
            .map_or(exceptions::DeviceError::new_err, array_class),
        E::NotHostAccessible { .. } => exceptions::HostAccessError::new_err,
        E::IndexOutOfRange { .. } => PyIndexError::new_err,
        E::AssertionFailed(_) => exceptions::KernelAssertionError::new_err,
        E::OutsideAccess(_) => exceptions::KernelIndexError::new_err,
        E::KernelFault { source } if is_out_of_bounds(source) => {
            exceptions::KernelIndexError::new_err
        }
        E::Internal { .. } | E::WorkPanicked { .. } => exceptions::InternalError::new_err,
        E::ScratchUnavailable { .. } | E::StackUnavailable { .. } | E::OutOfMemory { .. } => {
            exceptions::OutOfMemoryError::new_err
        }
        E::DriverFailed { status, .. } if status.is_out_of_memory() => {
            exceptions::OutOfMemoryError::new_err
        }
        E::CopyOutOfRange { .. } | E::UnknownAddress { .. } | E::NotUsmHere { .. } => {
            exceptions::AddressError::new_err
        }
        E::BadRange { .. } | E::RangeDimensions { .. } => exceptions::ShapeError::new_err,
        E::WorkGroupTooLarge { .. }
        | E::WorkGroupTooLong { .. }
        | E::FeatureMissing { .. }
        | E::SubGroupSizeMissing { .. }
        | E::LocalMemoryTooLarge { .. }
        | E::EmitFailed { .. }
        | E::KernelFault { .. } => exceptions::KernelError::new_err,
        // What is left is a device, a driver or a compiler that refuses, or no device that fits.
        _ => exceptions::DeviceError::new_err,
    }
}

/// Whether the reference device stopped a kernel at an access outside of an array.
fn is_out_of_bounds(error: &situ_ir::interpret::Error) -> bool {
    use situ_ir::interpret::{Error, FaultKind};
    matches!(error, Error::Fault(fault) if matches!(fault.kind, FaultKind::OutOfBounds { .. }))
}

/// NumPy's `AxisError`, which is both a `ValueError` and an `IndexError`.
fn axis_error(py: Python<'_>, message: String) -> PyErr {
    py.import("numpy.exceptions")
        .and_then(|module| module.getattr("AxisError"))
        .and_then(|class| class.call1((message,)))
        .map_or_else(|error| error, PyErr::from_value)
}

/// Runs `body`; a panic inside it becomes `situ.InternalError`.
///
/// `AssertUnwindSafe` is right here because nothing `body` borrowed is looked at again after a
/// panic: the exception goes straight to the caller.
///
/// # Errors
///
/// What `body` returns, `InternalError` when it panicked, or `RecursionError` when there is no stack for it.
pub(crate) fn guard<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    check_stack()?;
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(internal_error(&*panic)))
}

/// Stack that every call needs, before it lets go of the GIL and can be given more.
const NEEDED_STACK_BYTES: usize = 64 << 10;

/// Refuses to go on where the stack of the user's thread may not be enough.
///
/// # Errors
/// `RecursionError`.
pub(crate) fn check_stack() -> PyResult<()> {
    let left = stack::left_bytes();
    if left >= NEEDED_STACK_BYTES {
        return Ok(());
    }
    Err(pyo3::exceptions::PyRecursionError::new_err(format!(
        "this thread has {left} bytes of stack left\n  \
         why:  calls are nested too deeply, or the thread was given a small stack; situ needs {NEEDED_STACK_BYTES} bytes\n  \
         help: call it from a place that is nested less deeply, or call `threading.stack_size(1 << 20)` before the thread \
         is made"
    )))
}

/// The exception for a panic that was caught.
fn internal_error(panic: &(dyn Any + Send)) -> PyErr {
    let invariant = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message");
    exceptions::InternalError::new_err(format!(
        "situ broke one of its own rules: {invariant}\n  \
         why:  this is a bug in situ, not in your program\n  \
         help: please report it with the program that shows it; your data is unchanged where no \
         call had started writing it"
    ))
}
