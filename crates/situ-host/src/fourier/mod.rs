//! Discrete Fourier transforms on memory of the host.
//!
//! `rustfft` transforms one short line by one thread. What is here is everything around it: lines
//! along any axis of an array (`sweep`), real lines and half lines (`line`), long lines by all
//! threads (`six_step`, `chirp`), and a memory of how each length is done (`plan`).
//!
//! Lengths, axes and dtypes are the business of the caller; arrays come here cropped, padded and contiguous. It
//! must be called inside of [`Threads::install`](crate::Threads::install), unless [`is_brief`] says that threads are
//! not asked for.

mod chirp;
mod line;
mod plan;
mod roots;
mod six_step;
mod sweep;

use bytemuck::Pod;
use rustfft::FftNum;
use rustfft::num_complex::Complex;

use line::{ComplexLines, Extent, HalfLines, RealLines};
use sweep::Lines;

use crate::element::Precision;

/// The precisions that transforms are done in.
pub(crate) trait Real: FftNum + Pod {}

impl Real for f32 {}
impl Real for f64 {}

/// What lines are before and after a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Complex numbers.
    Complex,
    /// Real numbers become complex numbers, all of them.
    Real,
    /// Real numbers become the first half of the complex ones.
    RealToHalf,
    /// The first half of complex numbers becomes real numbers.
    HalfToReal,
}

/// The transform of all lines along one axis of a contiguous array.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What the lines are.
    pub elements: Elements,
    /// The sign of the exponent: minus in the forward transform, plus in the inverse.
    pub is_inverse: bool,
    /// Elements of a whole line.
    pub length: usize,
    /// How many lines lie side by side: the elements between neighbours of a line.
    pub inner: usize,
    /// What results are multiplied with.
    pub scale: f64,
}

impl Pass {
    /// Complex numbers that are needed besides source and target, if the lines are long.
    pub fn scratch_len(&self, precision: Precision) -> usize {
        match precision {
            Precision::Single => self.scratch_len_in::<f32>(),
            Precision::Double => self.scratch_len_in::<f64>(),
        }
    }

    fn scratch_len_in<T: Real>(&self) -> usize {
        match self.elements {
            Elements::Complex => needed(&self.complex_lines::<T>()),
            Elements::Real => needed(&self.real_lines::<T>(Extent::Whole)),
            Elements::RealToHalf => needed(&self.real_lines::<T>(Extent::Half)),
            Elements::HalfToReal => needed(&self.half_lines::<T>()),
        }
    }

    /// Transforms all lines of a source.
    ///
    /// # Panics
    /// If the memory is not aligned or not as large as the lines are.
    pub fn run(&self, precision: Precision, source: &[u8], target: &mut [u8], scratch: &mut [u8]) {
        match precision {
            Precision::Single => self.run_in::<f32>(source, target, cast_scratch(scratch)),
            Precision::Double => self.run_in::<f64>(source, target, cast_scratch(scratch)),
        }
    }

    fn run_in<T: Real>(&self, source: &[u8], target: &mut [u8], scratch: &mut [Complex<T>]) {
        match self.elements {
            Elements::Complex => {
                sweep_bytes(self, &self.complex_lines::<T>(), source, target, scratch);
            }
            Elements::Real => {
                let lines = self.real_lines(Extent::Whole);
                sweep_bytes(self, &lines, source, target, scratch);
            }
            Elements::RealToHalf => {
                let lines = self.real_lines(Extent::Half);
                sweep_bytes(self, &lines, source, target, scratch);
            }
            Elements::HalfToReal => sweep_bytes(self, &self.half_lines(), source, target, scratch),
        }
    }

    fn scale<T: Real>(&self) -> T {
        T::from_f64(self.scale).expect("floats convert to floats")
    }

    fn complex_lines<T: Real>(&self) -> ComplexLines<T> {
        ComplexLines::new(self.length, self.is_inverse, self.scale())
    }

    fn real_lines<T: Real>(&self, extent: Extent) -> RealLines<T> {
        RealLines::new(self.length, extent, self.is_inverse, self.scale())
    }

    fn half_lines<T: Real>(&self) -> HalfLines<T> {
        HalfLines::new(self.length, self.is_inverse, self.scale())
    }
}

/// Scratch as complex numbers; there may be none, which is not aligned then.
fn cast_scratch<T: Real>(scratch: &mut [u8]) -> &mut [Complex<T>] {
    if scratch.is_empty() {
        &mut []
    } else {
        bytemuck::cast_slice_mut(scratch)
    }
}

fn needed<L: Lines>(lines: &L) -> usize {
    if lines.is_parallel() {
        lines.scratch_len()
    } else {
        0
    }
}

fn sweep_bytes<L: Lines>(
    pass: &Pass,
    lines: &L,
    source: &[u8],
    target: &mut [u8],
    scratch: &mut [Complex<L::Real>],
) {
    let (source, target) = (
        bytemuck::cast_slice(source),
        bytemuck::cast_slice_mut(target),
    );
    sweep::all(lines, source, target, pass.inner, scratch);
}

/// Whether lines of a length use all threads.
pub fn is_long(length: usize) -> bool {
    length >= plan::LONG
}

/// Whether so many elements are not worth waking another thread: then none is asked for.
pub fn is_brief(count: usize) -> bool {
    count < sweep::WORTH_SHARING
}

#[cfg(test)]
mod tests;
