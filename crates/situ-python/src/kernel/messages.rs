//! What kernels say: failed assertions and accesses outside of arrays as errors, printed lines by Python's `print`.
//!
//! A command ends on a thread that must not touch Python, so lines wait here until a call into situ has the GIL
//! anyway. Then Python formats the numbers, and prints to wherever `sys.stdout` goes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_frontend::{Heard, Message, MessageKind, MessagePart, Messages, Said};
use situ_ir::{Literal, NdRange};
use situ_runtime::{Error, FailedAssertion, Kernel, OutsideAccess, Queue, Report, Result};

/// What was printed and not shown yet.
static LINES: Mutex<Vec<Line>> = Mutex::new(Vec::new());
/// Whether there is something in it.
static HAS_LINES: AtomicBool = AtomicBool::new(false);

/// Something that a kernel printed.
enum Line {
    Said(Arc<Messages>, Said),
    /// More was printed than there was room for, by the kernel with this message.
    Cut(String),
}

/// An exception that compiled code has raised.
pub(crate) struct Raised {
    /// The name of its class.
    pub(crate) class: String,
    pub(crate) message: String,
}

/// Where the exception of a launch is put.
#[derive(Clone, Default)]
pub(crate) struct RaisedSlot(Arc<Mutex<Option<Raised>>>);

impl RaisedSlot {
    /// The exception, if there is one.
    pub(crate) fn take(&self) -> Option<Raised> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, raised: Raised) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
    }
}

/// The report of one launch; `None` for kernels that have nothing to say.
///
/// # Errors
/// If there is no memory.
pub(crate) fn report(
    queue: &Queue,
    kernel: &Kernel,
    messages: &Arc<Messages>,
    range: NdRange,
) -> Result<Option<Report>> {
    let Some(size_bytes) = messages.report_bytes() else {
        return Ok(None);
    };
    let (kernel, messages) = (kernel.name().to_owned(), Arc::clone(messages));
    let read = move |bytes: &[u8]| {
        let slot = RaisedSlot::default();
        hear(
            &kernel,
            &messages,
            messages.read(bytes),
            Some(&range),
            &slot,
        )
    };
    Report::new(queue, size_bytes, read).map(Some)
}

/// The same for code that may raise exceptions, which are put into a slot. Code of the host has no range.
///
/// # Errors
/// If there is no memory.
pub(crate) fn raising_report(
    queue: &Queue,
    kernel: &Kernel,
    messages: &Arc<Messages>,
    range: Option<NdRange>,
    slot: &RaisedSlot,
) -> Result<Option<Report>> {
    let Some(size_bytes) = messages.report_bytes() else {
        return Ok(None);
    };
    let (kernel, messages) = (kernel.name().to_owned(), Arc::clone(messages));
    let slot = slot.clone();
    let read = move |bytes: &[u8]| {
        let heard = messages.read(bytes);
        hear(&kernel, &messages, heard, range.as_ref(), &slot)
    };
    Report::new(queue, size_bytes, read).map(Some)
}

fn hear(
    kernel: &str,
    messages: &Arc<Messages>,
    heard: Heard,
    range: Option<&NdRange>,
    slot: &RaisedSlot,
) -> Result<()> {
    let Heard {
        failure,
        work_item,
        lines,
        is_cut,
    } = heard;
    if !lines.is_empty() || is_cut {
        let mut waiting = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        let said = lines.into_iter();
        waiting.extend(said.map(|said| Line::Said(Arc::clone(messages), said)));
        if is_cut {
            let prints = messages
                .list
                .iter()
                .find(|each| each.kind == MessageKind::Line);
            let place = prints.map_or_else(String::new, |each| each.place.clone());
            waiting.push(Line::Cut(place));
        }
        HAS_LINES.store(true, Ordering::Release);
    }
    let Some(failure) = failure else {
        return Ok(());
    };
    let Some(message) = messages.list.get(failure.message) else {
        return Ok(());
    };
    let kernel = kernel.to_owned();
    let text = plain_text(message, &failure.values);
    let place = message.place.clone();
    let work_item = range.map(|range| position(work_item, range));
    match &message.kind {
        MessageKind::Assertion { condition } => {
            Err(Error::AssertionFailed(Box::new(FailedAssertion {
                kernel,
                message: text,
                condition: condition.clone(),
                place,
                work_item,
            })))
        }
        MessageKind::OutOfBounds { array } => Err(Error::OutsideAccess(Box::new(OutsideAccess {
            kernel,
            array: array.clone(),
            access: text,
            place,
            work_item,
        }))),
        MessageKind::Exception { class } => {
            slot.put(Raised {
                class: class.clone(),
                message: text.clone(),
            });
            Err(Error::AssertionFailed(Box::new(FailedAssertion {
                kernel,
                message: text,
                condition: String::new(),
                place,
                work_item,
            })))
        }
        MessageKind::Line => Ok(()),
    }
}

/// The message of an assertion, whose numbers are formatted without Python.
fn plain_text(message: &Message, values: &[Literal]) -> String {
    let mut values = values.iter();
    let mut text = String::new();
    for part in &message.parts {
        match part {
            MessagePart::Text(words) => text.push_str(words),
            MessagePart::Value { .. } => {
                let value = values.next();
                text.push_str(&value.map_or_else(String::new, |value| number(*value)));
            }
        }
    }
    text
}

/// A number as Python writes it.
fn number(value: Literal) -> String {
    match value {
        Literal::Bool(value) => if value { "True" } else { "False" }.to_owned(),
        Literal::I8(value) => value.to_string(),
        Literal::I16(value) => value.to_string(),
        Literal::I32(value) => value.to_string(),
        Literal::I64(value) => value.to_string(),
        Literal::U8(value) => value.to_string(),
        Literal::U16(value) => value.to_string(),
        Literal::U32(value) => value.to_string(),
        Literal::U64(value) => value.to_string(),
        Literal::F16(value) => format!("{:?}", value.to_f32()),
        Literal::F32(value) => format!("{value:?}"),
        Literal::F64(value) => format!("{value:?}"),
        Literal::C64(value) => format!("({:?}{:+?}j)", value.re, value.im),
        Literal::C128(value) => format!("({:?}{:+?}j)", value.re, value.im),
    }
}

/// The global id of a work-item as Python writes it.
fn position(linear: u64, range: &NdRange) -> String {
    let dims = range.dims();
    let mut rest = linear;
    let mut ids = vec![0; dims];
    for (id, size) in ids.iter_mut().zip(&range.global()[..dims]).rev() {
        *id = rest % (*size).max(1);
        rest /= (*size).max(1);
    }
    match ids.as_slice() {
        [only] => format!("({only},)"),
        ids => {
            let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
            format!("({})", ids.join(", "))
        }
    }
}

/// Prints what kernels have printed. Costs one load if that is nothing.
///
/// # Errors
/// If Python cannot print, or cannot format a number as asked.
pub(crate) fn deliver(py: Python<'_>) -> PyResult<()> {
    if !HAS_LINES.load(Ordering::Acquire) {
        return Ok(());
    }
    let lines = {
        let mut waiting = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        HAS_LINES.store(false, Ordering::Release);
        std::mem::take(&mut *waiting)
    };
    let print = py.import("builtins")?.getattr("print")?;
    let options = PyDict::new(py);
    options.set_item("end", "")?;
    for line in lines {
        let text = match line {
            Line::Said(messages, said) => formatted(py, &messages, &said)?,
            Line::Cut(place) => {
                format!("situ: the kernel at {place} printed more than there is room for\n")
            }
        };
        print.call((text,), Some(&options))?;
    }
    Ok(())
}

fn formatted(py: Python<'_>, messages: &Messages, said: &Said) -> PyResult<String> {
    let format = py.import("builtins")?.getattr("format")?;
    let mut text = String::new();
    let mut values = said.values.iter();
    let parts = messages.list.get(said.message).map(|each| &each.parts);
    for part in parts.into_iter().flatten() {
        match part {
            MessagePart::Text(words) => text.push_str(words),
            MessagePart::Value { format: how, .. } => {
                let Some(value) = values.next() else { continue };
                let value = scalar(py, *value)?;
                // Formatting without a format would forget how few digits a `float32` has.
                let words = match how.as_str() {
                    "" => value.str()?.into_any(),
                    how => format.call1((value, how))?,
                };
                text.push_str(&words.extract::<String>()?);
            }
        }
    }
    Ok(text)
}

/// A number as NumPy's scalar of its dtype, which knows how many digits it has.
pub(crate) fn scalar(py: Python<'_>, value: Literal) -> PyResult<Bound<'_, PyAny>> {
    let class = py.import("numpy")?.getattr(value.dtype().name())?;
    match value {
        Literal::Bool(value) => Ok(value.into_pyobject(py)?.to_owned().into_any()),
        Literal::I8(value) => class.call1((value,)),
        Literal::I16(value) => class.call1((value,)),
        Literal::I32(value) => class.call1((value,)),
        Literal::I64(value) => class.call1((value,)),
        Literal::U8(value) => class.call1((value,)),
        Literal::U16(value) => class.call1((value,)),
        Literal::U32(value) => class.call1((value,)),
        Literal::U64(value) => class.call1((value,)),
        Literal::F16(value) => class.call1((value.to_f32(),)),
        Literal::F32(value) => class.call1((value,)),
        Literal::F64(value) => class.call1((value,)),
        Literal::C64(value) => class.call1((complex(py, value.re.into(), value.im.into()),)),
        Literal::C128(value) => class.call1((complex(py, value.re, value.im),)),
    }
}

fn complex(py: Python<'_>, real: f64, imaginary: f64) -> Bound<'_, pyo3::types::PyComplex> {
    pyo3::types::PyComplex::from_doubles(py, real, imaginary)
}
