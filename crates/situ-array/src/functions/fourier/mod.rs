//! Discrete Fourier transforms of arrays.
//!
//! | module | about |
//! |---|---|
//! | [`request`] | which axes, how long, in which precision: everything that can be refused |
//! | here | arrays cut and filled up to these lengths, and the commands that transform them |
//!
//! The transforms themselves are library code of the host ([`situ_host::fourier`]), whatever the device.

pub mod request;

use situ_host::Precision;
use situ_host::fourier::{Elements, Pass, is_brief, is_long};
use situ_ir::{DType, Literal};
use smallvec::SmallVec;

use crate::array::Array;
use crate::casting::Casting;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::creation::{as_contiguous, astype, full};
use crate::host::{HostCall, HostMemory, pool};
use crate::index::IndexItem;
use crate::placement::{Operation, Participant, Placement, Placer};
pub use request::{Call, Norm, Transform};
use request::{Line, complex, first_half, real};

/// Transforms an array; the result goes to `out`, or to new memory if there is none.
///
/// # Errors
/// If axes, lengths or dtypes do not fit, or there is no memory, or submitting fails.
pub fn transform(array: &Array, call: Call<'_>, out: Option<&Array>) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function(call.function),
        explicit: call.queue,
    };
    let inputs = std::iter::once(("x", Participant::Array(array)));
    let output = out.map(|out| ("out", Participant::Output(out)));
    let placement = placer.place(inputs.chain(output))?;
    let placement = placement.ok_or(Error::NoArray {
        operation: call.function,
    })?;
    let lines = call.lines(array.shape())?;
    let job = Job {
        precision: call.precision(array.dtype(), placement.queue.device())?,
        is_inverse: call.transform.is_inverse(),
        function: call.function,
        placement: &placement,
    };
    // As in NumPy: one step from half precision to real numbers ends in half precision again.
    let is_halved = array.dtype() == DType::F16 && lines.len() == 1;
    let array = array.with_queue(&placement.queue);
    let result = match job.transformed(&array, call, lines)? {
        real if is_halved && real.dtype() == DType::F32 => astype(&real, DType::F16)?,
        result => result,
    };
    let Some(out) = out else {
        return Ok(result);
    };
    check_out(call.function, out, &result)?;
    copy_into(out, &Input::Array(result))?;
    Ok(out.clone())
}

/// Whether a result fits `out`.
fn check_out(operation: &'static str, out: &Array, result: &Array) -> Result<(), Error> {
    if out.shape() != result.shape() {
        return Err(Error::OutputShape {
            operation,
            result: result.shape().to_vec(),
            out: out.shape().to_vec(),
        });
    }
    let casting = Casting::default();
    if !casting.allows(result.dtype(), out.dtype()) {
        return Err(Error::OutputDType {
            operation,
            result: result.dtype(),
            out: out.dtype(),
            casting,
        });
    }
    Ok(())
}

/// What holds for all steps of a call.
struct Job<'a> {
    function: &'static str,
    precision: Precision,
    is_inverse: bool,
    placement: &'a Placement,
}

impl Job<'_> {
    fn transformed(
        &self,
        array: &Array,
        call: Call<'_>,
        mut lines: SmallVec<[Line; 4]>,
    ) -> Result<Array, Error> {
        let total: f64 = lines.iter().map(|line| line.length as f64).product();
        let scale = call.norm.scale(self.is_inverse, total);
        let last = lines.len().saturating_sub(1);
        // Axes that are transformed after others go from the innermost out.
        let inner_first = |line: &Line| std::cmp::Reverse(line.axis);
        match call.transform {
            Transform::Forward | Transform::Inverse => {
                lines.sort_by_key(inner_first);
                let elements = if array.dtype().is_complex() || lines.is_empty() {
                    Elements::Complex
                } else {
                    Elements::Real
                };
                self.steps(array, elements, &lines, scale)
            }
            Transform::RealForward | Transform::HermitianInverse => {
                lines.rotate_right(1);
                lines[1..].sort_by_key(inner_first);
                self.steps(array, Elements::RealToHalf, &lines, scale)
            }
            Transform::RealInverse | Transform::HermitianForward => {
                let (rest, half) = lines.split_at_mut(last);
                rest.sort_by_key(inner_first);
                let elements = Elements::HalfToReal;
                if rest.is_empty() {
                    return self.steps(array, elements, half, scale);
                }
                let complex = self.steps(array, Elements::Complex, rest, 1.0)?;
                self.steps(&complex, elements, half, scale)
            }
        }
    }

    /// Transforms lines along one axis after the other, in one command. The first axis has the
    /// elements that are named, the others have complex numbers.
    fn steps(
        &self,
        array: &Array,
        first: Elements,
        lines: &[Line],
        scale: f64,
    ) -> Result<Array, Error> {
        let (source, shape) = self.prepared(array, first, lines)?;
        let passes = self.passes(&shape, first, lines, scale);
        let dtype = match first {
            Elements::HalfToReal => real(self.precision),
            _ => complex(self.precision),
        };
        if passes.is_empty() {
            // Nothing to transform, but the caller may write to what it gets.
            return astype(&source, dtype);
        }
        let new = |shape: &[usize], dtype| {
            Array::empty(shape, dtype, &self.placement.queue, self.placement.usm_kind)
        };
        let target = new(&shape, dtype)?;
        if target.size() == 0 {
            return Ok(target);
        }
        // Steps go back and forth between the target and a spare; the last goes to the target.
        let spare = if passes.len() > 1 { &shape[..] } else { &[0] };
        let spare = new(spare, dtype)?;
        let scratch = new(&[self.scratch_len(&passes)], complex(self.precision))?;
        let call = HostCall {
            name: self.function,
            queue: &self.placement.queue,
            reads: &[&source],
            writes: &[&target, &spare, &scratch],
            is_brief: is_brief(source.size() + target.size()),
        };
        let (precision, is_alone) = (self.precision, call.is_brief);
        call.submit(move |memory| {
            let work = || run(&passes, precision, memory);
            if is_alone {
                work();
            } else {
                pool::threads().install(work);
            }
            Ok(())
        })?;
        Ok(target)
    }

    /// The array cut or filled with zeros to the lengths it is transformed with, contiguous, and the
    /// shape of its transform.
    fn prepared(
        &self,
        array: &Array,
        first: Elements,
        lines: &[Line],
    ) -> Result<(Array, SmallVec<[usize; 4]>), Error> {
        let dtype = match first {
            Elements::Real | Elements::RealToHalf => real(self.precision),
            Elements::Complex | Elements::HalfToReal => complex(self.precision),
        };
        let mut shape: SmallVec<[usize; 4]> = SmallVec::from_slice(array.shape());
        for line in lines {
            shape[line.axis] = line.length;
        }
        let mut result_shape = shape.clone();
        if let Some(line) = lines.first() {
            match first {
                Elements::RealToHalf => result_shape[line.axis] = first_half(line.length),
                Elements::HalfToReal => shape[line.axis] = first_half(line.length),
                Elements::Complex | Elements::Real => {}
            }
        }
        if shape[..] == *array.shape() {
            let source = if array.dtype() == dtype {
                as_contiguous(array)?
            } else {
                astype(array, dtype)?
            };
            return Ok((source, result_shape));
        }
        let common: SmallVec<[IndexItem; 4]> = shape
            .iter()
            .zip(array.shape())
            .map(|(new, old)| IndexItem::Slice {
                start: None,
                stop: Some(*new.min(old) as i64),
                step: None,
            })
            .collect();
        let cut = array.view(&common)?;
        if cut.shape() == &shape[..] {
            return Ok((astype(&cut, dtype)?, result_shape));
        }
        let zero = Literal::zero(dtype);
        let filled = full(&shape, zero, &self.placement.queue, array.usm_kind())?;
        copy_into(&filled.view(&common)?, &Input::Array(cut))?;
        Ok((filled, result_shape))
    }

    /// The passes over memory, where results have a shape.
    fn passes(&self, shape: &[usize], first: Elements, lines: &[Line], scale: f64) -> Vec<Pass> {
        let last = lines.len().saturating_sub(1);
        let pass = |(index, line): (usize, &Line)| Pass {
            elements: if index == 0 { first } else { Elements::Complex },
            is_inverse: self.is_inverse,
            length: line.length,
            inner: shape[line.axis + 1..].iter().product(),
            scale: if index == last { scale } else { 1.0 },
        };
        lines.iter().enumerate().map(pass).collect()
    }

    /// Complex numbers that long lines need besides. Making a plan for them is work for all threads.
    fn scratch_len(&self, passes: &[Pass]) -> usize {
        let long = passes.iter().filter(|pass| is_long(pass.length));
        let len = |pass: &Pass| pool::threads().install(|| pass.scratch_len(self.precision));
        long.map(len).max().unwrap_or(0)
    }
}

/// Does the passes: from what is read to the first of what is written, with the others for what is
/// between.
fn run(passes: &[Pass], precision: Precision, mut memory: HostMemory<'_>) {
    let [target, spare, scratch] = &mut memory.writes[..] else {
        unreachable!("a target, a spare and scratch were named");
    };
    for (index, pass) in passes.iter().enumerate() {
        let (from, to) = if (passes.len() - index) % 2 == 1 {
            (&mut **spare, &mut **target)
        } else {
            (&mut **target, &mut **spare)
        };
        let from = if index == 0 { memory.reads[0] } else { from };
        pass.run(precision, from, to, scratch);
    }
}
