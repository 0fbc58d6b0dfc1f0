//! Fourier transforms, by name.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_array::functions::fourier::{self, Call, Norm, Transform};

use crate::array::PyArray;
use crate::detach::detach;
use crate::error::guard;
use crate::operand::{ArrayArgument, OutputArgument};
use crate::placement;

/// Along one axis: the name of a function, and what it does.
const ALONG_ONE: [(&str, Transform); 6] = [
    ("fft", Transform::Forward),
    ("ifft", Transform::Inverse),
    ("rfft", Transform::RealForward),
    ("irfft", Transform::RealInverse),
    ("hfft", Transform::HermitianForward),
    ("ihfft", Transform::HermitianInverse),
];

/// Along several axes.
const ALONG_SEVERAL: [(&str, Transform); 8] = [
    ("fftn", Transform::Forward),
    ("ifftn", Transform::Inverse),
    ("rfftn", Transform::RealForward),
    ("irfftn", Transform::RealInverse),
    ("fft2", Transform::Forward),
    ("ifft2", Transform::Inverse),
    ("rfft2", Transform::RealForward),
    ("irfft2", Transform::RealInverse),
];

fn find(table: &[(&'static str, Transform)], name: &str) -> PyResult<(&'static str, Transform)> {
    let found = table.iter().find(|(known, _)| *known == name);
    found
        .copied()
        .ok_or_else(|| PyTypeError::new_err(format!("there is no Fourier transform `{name}`")))
}

fn norm_from_python(name: Option<&str>) -> PyResult<Norm> {
    match name {
        None | Some("backward") => Ok(Norm::Backward),
        Some("ortho") => Ok(Norm::Ortho),
        Some("forward") => Ok(Norm::Forward),
        Some(other) => Err(PyValueError::new_err(format!(
            "there is no norm {other:?}\n  why:  a norm says which of a transform and its inverse is divided by the number \
             of elements\n  help: use \"backward\" (the inverse, the default), \"ortho\" (both, by its root) or \
             \"forward\" (the forward transform)"
        ))),
    }
}

/// Transforms lines along one axis.
#[pyfunction]
#[pyo3(signature = (name, x, n, axis, norm, *, out = None, queue = None))]
#[expect(
    clippy::too_many_arguments,
    reason = "these are keywords, and Python names them"
)]
pub(crate) fn fourier_transform(
    py: Python<'_>,
    name: &str,
    x: ArrayArgument<'_>,
    n: Option<i64>,
    axis: i64,
    norm: Option<&str>,
    out: Option<OutputArgument<'_>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    guard(|| {
        let (function, transform) = find(&ALONG_ONE, name)?;
        let queue = placement::named(py, queue)?;
        let lengths = n.map(|n| [Some(n)]);
        let call = Call {
            function,
            transform,
            axes: Some(&[axis]),
            lengths: lengths.as_ref().map(<[_; 1]>::as_slice),
            norm: norm_from_python(norm)?,
            queue: queue.as_ref(),
        };
        run(py, &x, call, out)
    })
}

/// Transforms lines along several axes, one after the other. A length of -1 is that of the array.
#[pyfunction]
#[pyo3(signature = (name, x, s, axes, norm, *, out = None, queue = None))]
#[expect(
    clippy::too_many_arguments,
    reason = "these are keywords, and Python names them"
)]
pub(crate) fn fourier_transform_axes(
    py: Python<'_>,
    name: &str,
    x: ArrayArgument<'_>,
    s: Option<Vec<i64>>,
    axes: Option<Vec<i64>>,
    norm: Option<&str>,
    out: Option<OutputArgument<'_>>,
    queue: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    guard(|| {
        let (function, transform) = find(&ALONG_SEVERAL, name)?;
        let queue = placement::named(py, queue)?;
        let lengths: Option<Vec<_>> = s.map(|s| {
            let asked = |length| (length != -1).then_some(length);
            s.into_iter().map(asked).collect()
        });
        let call = Call {
            function,
            transform,
            axes: axes.as_deref(),
            lengths: lengths.as_deref(),
            norm: norm_from_python(norm)?,
            queue: queue.as_ref(),
        };
        run(py, &x, call, out)
    })
}

fn run(
    py: Python<'_>,
    x: &Bound<'_, PyArray>,
    call: Call<'_>,
    out: Option<OutputArgument<'_>>,
) -> PyResult<Py<PyAny>> {
    let array = x.get().array();
    let target = out.as_ref().map(OutputArgument::array);
    let result = detach(py, || fourier::transform(array, call, target))?;
    match out {
        Some(out) => Ok(out.given()),
        None => Ok(Py::new(py, PyArray::new(result))?.into_any()),
    }
}
