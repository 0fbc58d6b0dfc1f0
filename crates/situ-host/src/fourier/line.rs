//! Transforms of one line, by what its elements are: complex numbers; real numbers; or the half of a
//! line that says everything because the other half is its mirror image.
//!
//! A real line of even length is transformed as a complex one of half the length, with pairs of
//! neighbours as parts, and taken apart afterwards. All transforms scale their result on the way out.

use std::sync::Arc;

use rustfft::Fft;
use rustfft::num_complex::Complex;

use super::Real;
use super::plan::{LONG, Plan, remembered};
use super::roots::Roots;
use super::sweep::Lines;
use crate::parallel::for_each_part;

/// Elements that one task looks through.
const SHARE: usize = 1 << 14;

/// Complex lines.
pub(super) struct ComplexLines<T> {
    plan: Arc<Plan<T>>,
    length: usize,
    scale: T,
}

impl<T: Real> ComplexLines<T> {
    pub(super) fn new(length: usize, is_inverse: bool, scale: T) -> Self {
        Self {
            plan: Plan::of(length, is_inverse),
            length,
            scale,
        }
    }

    /// Lines that one thread transforms, unscaled.
    pub(super) fn of_short(fft: Arc<dyn Fft<T>>) -> Self {
        Self {
            length: fft.len(),
            plan: Arc::new(Plan::Short(fft)),
            scale: T::one(),
        }
    }
}

impl<T: Real> Lines for ComplexLines<T> {
    type Real = T;
    type Input = Complex<T>;
    type Output = Complex<T>;

    fn input_len(&self) -> usize {
        self.length
    }

    fn output_len(&self) -> usize {
        self.length
    }

    fn scratch_len(&self) -> usize {
        self.plan.scratch_len()
    }

    fn is_parallel(&self) -> bool {
        self.plan.is_parallel()
    }

    fn run(&self, input: &[Complex<T>], output: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.plan.run(input, output, scratch);
        if self.scale != T::one() {
            change(output, |number| number.scale(self.scale));
        }
    }
}

/// What a transform of real lines gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Every element.
    Whole,
    /// Those up to the middle; the others are their conjugates.
    Half,
}

/// Real lines, and their complex transforms.
pub(super) struct RealLines<T> {
    line: Arc<RealLine<T>>,
    extent: Extent,
    is_conjugated: bool,
    scale: T,
}

impl<T: Real> RealLines<T> {
    /// Lines of a length. The inverse transform is the conjugate of the other one.
    pub(super) fn new(length: usize, extent: Extent, is_inverse: bool, scale: T) -> Self {
        Self {
            line: RealLine::of(length, false),
            extent,
            is_conjugated: is_inverse,
            scale,
        }
    }
}

impl<T: Real> Lines for RealLines<T> {
    type Real = T;
    type Input = T;
    type Output = Complex<T>;

    fn input_len(&self) -> usize {
        self.line.length
    }

    fn output_len(&self) -> usize {
        match self.extent {
            Extent::Whole => self.line.length,
            Extent::Half => half_len(self.line.length),
        }
    }

    fn scratch_len(&self) -> usize {
        self.line.scratch_len()
    }

    fn is_parallel(&self) -> bool {
        self.line.plan.is_parallel()
    }

    fn run(&self, input: &[T], output: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (half, mirrored) = output.split_at_mut(half_len(self.line.length));
        self.line.forward(input, half, scratch);
        if self.is_conjugated {
            change(half, |number| number.scale(self.scale).conj());
        } else if self.scale != T::one() {
            change(half, |number| number.scale(self.scale));
        }
        mirror(&half[1..], mirrored);
    }
}

/// Halves of lines, and their real transforms.
pub(super) struct HalfLines<T> {
    line: Arc<RealLine<T>>,
    is_conjugated: bool,
    scale: T,
}

impl<T: Real> HalfLines<T> {
    /// Halves of lines whose transforms have a length. The forward transform is the inverse one of
    /// the conjugate.
    pub(super) fn new(length: usize, is_inverse: bool, scale: T) -> Self {
        Self {
            line: RealLine::of(length, true),
            is_conjugated: !is_inverse,
            scale,
        }
    }
}

impl<T: Real> Lines for HalfLines<T> {
    type Real = T;
    type Input = Complex<T>;
    type Output = T;

    fn input_len(&self) -> usize {
        half_len(self.line.length)
    }

    fn output_len(&self) -> usize {
        self.line.length
    }

    fn scratch_len(&self) -> usize {
        self.line.scratch_len()
    }

    fn is_parallel(&self) -> bool {
        self.line.plan.is_parallel()
    }

    fn run(&self, input: &[Complex<T>], output: &mut [T], scratch: &mut [Complex<T>]) {
        if self.is_conjugated {
            self.line
                .inverse(|index| input[index].conj(), output, scratch);
        } else {
            self.line.inverse(|index| input[index], output, scratch);
        }
        if self.scale != T::one() {
            change(output, |number| number * self.scale);
        }
    }
}

/// Elements of a transformed real line that say everything.
pub(super) fn half_len(length: usize) -> usize {
    length / 2 + 1
}

/// One real line.
struct RealLine<T> {
    length: usize,
    /// For half the length if that is even, else for all of it.
    plan: Arc<Plan<T>>,
    roots: Roots<T>,
}

impl<T: Real> RealLine<T> {
    /// A line of a length, made or remembered.
    fn of(length: usize, is_inverse: bool) -> Arc<Self> {
        remembered(length, is_inverse, || Self::new(length, is_inverse))
    }

    fn new(length: usize, is_inverse: bool) -> Self {
        let complex_len = if length.is_multiple_of(2) {
            length / 2
        } else {
            length
        };
        Self {
            length,
            plan: Plan::of(complex_len, is_inverse),
            roots: Roots::new(length, is_inverse),
        }
    }

    fn is_even(&self) -> bool {
        self.length.is_multiple_of(2)
    }

    fn scratch_len(&self) -> usize {
        let whole = if self.is_even() { 0 } else { self.length };
        whole + self.plan.scratch_len()
    }

    /// The first half of the transform.
    fn forward(&self, input: &[T], output: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        if !self.is_even() {
            let (whole, scratch) = scratch.split_at_mut(self.length);
            for (complex, real) in whole.iter_mut().zip(input) {
                *complex = (*real).into();
            }
            self.plan.run_in_place(whole, scratch);
            output.copy_from_slice(&whole[..output.len()]);
            return;
        }
        let middle = self.length / 2;
        let pairs: &[Complex<T>] = bytemuck::cast_slice(input);
        self.plan.run(pairs, &mut output[..middle], scratch);
        let ends = output[0];
        output[0] = (ends.re + ends.im).into();
        output[middle] = (ends.re - ends.im).into();
        let one_half = T::one() / (T::one() + T::one());
        for_mirrored(&mut output[1..middle], |index, low, high| {
            let even = (*low + high.conj()).scale(one_half);
            let odd = times_minus_i((*low - high.conj()).scale(one_half));
            let turned = odd * self.roots.get(index + 1);
            *low = even + turned;
            *high = (even - turned).conj();
        });
    }

    /// The whole line whose transform's first half is given. The imaginary parts of elements that
    /// mirror themselves have no meaning and are not looked at.
    fn inverse(
        &self,
        half: impl Fn(usize) -> Complex<T> + Sync,
        output: &mut [T],
        scratch: &mut [Complex<T>],
    ) {
        if !self.is_even() {
            let (whole, scratch) = scratch.split_at_mut(self.length);
            whole[0] = half(0).re.into();
            for index in 1..half_len(self.length) {
                whole[index] = half(index);
                whole[self.length - index] = half(index).conj();
            }
            self.plan.run_in_place(whole, scratch);
            for (real, complex) in output.iter_mut().zip(whole) {
                *real = complex.re;
            }
            return;
        }
        let middle = self.length / 2;
        let pairs: &mut [Complex<T>] = bytemuck::cast_slice_mut(output);
        let (first, last) = (half(0).re, half(middle).re);
        pairs[0] = Complex::new(first + last, first - last);
        for_mirrored(&mut pairs[1..middle], |index, low, high| {
            let (near, far) = (half(index + 1), half(middle - index - 1).conj());
            let even = near + far;
            let odd = (near - far) * self.roots.get(index + 1);
            *low = even + times_i(odd);
            *high = even.conj() + times_i(odd.conj());
        });
        self.plan.run_in_place(pairs, scratch);
    }
}

fn times_i<T: Real>(number: Complex<T>) -> Complex<T> {
    Complex::new(-number.im, number.re)
}

fn times_minus_i<T: Real>(number: Complex<T>) -> Complex<T> {
    Complex::new(number.im, -number.re)
}

/// Visits every element together with its mirror image, which is itself in the middle of an odd
/// number: then both results must be the same, and the one for the lower element counts.
fn for_mirrored<T: Real>(
    numbers: &mut [Complex<T>],
    visit: impl Fn(usize, &mut Complex<T>, &mut Complex<T>) + Sync,
) {
    let pairs = numbers.len() / 2;
    let (low, rest) = numbers.split_at_mut(pairs);
    let (middle, high) = rest.split_at_mut(rest.len() - pairs);
    if pairs < SHARE {
        for (index, (low, high)) in low.iter_mut().zip(high.iter_mut().rev()).enumerate() {
            visit(index, low, high);
        }
    } else {
        let parts = low.chunks_mut(SHARE).zip(high.rchunks_mut(SHARE));
        for_each_part(parts.enumerate(), |(part, (low, high))| {
            let pairs = low.iter_mut().zip(high.iter_mut().rev());
            for (index, (low, high)) in (part * SHARE..).zip(pairs) {
                visit(index, low, high);
            }
        });
    }
    if let [middle] = middle {
        let mut mirror = *middle;
        visit(pairs, middle, &mut mirror);
    }
}

/// Writes the conjugates of a line's first half to its other half, from the end.
fn mirror<T: Real>(half: &[Complex<T>], mirrored: &mut [Complex<T>]) {
    if mirrored.len() < SHARE {
        for (element, mirror) in mirrored.iter_mut().rev().zip(half) {
            *element = mirror.conj();
        }
    } else {
        let parts = mirrored.rchunks_mut(SHARE).zip(half.chunks(SHARE));
        for_each_part(parts, |(mirrored, half)| {
            for (element, mirror) in mirrored.iter_mut().rev().zip(half) {
                *element = mirror.conj();
            }
        });
    }
}

/// Replaces each element.
fn change<E: Copy + Send>(elements: &mut [E], replacement: impl Fn(E) -> E + Sync) {
    let change_part = |part: &mut [E]| {
        for element in part {
            *element = replacement(*element);
        }
    };
    if elements.len() < LONG {
        change_part(elements);
    } else {
        for_each_part(elements.chunks_mut(SHARE), change_part);
    }
}
