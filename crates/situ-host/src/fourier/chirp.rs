//! Lines whose length has no factors that help, such as primes: Bluestein's way.
//!
//! With `jk = (j² + k² - (k - j)²) / 2` a transform is a multiplication with a *chirp*
//! (`e^(-πi j²/n)`), a convolution with its conjugate, and the same multiplication again. The
//! convolution is done by transforms of any sufficient length, so one with many factors is taken.

use rustfft::num_complex::Complex;

use super::Real;
use super::plan::{LONG, balanced_factors};
use super::roots::{from_parts, unit_root};
use super::six_step::SixStep;
use crate::parallel::for_each_part;

/// Elements that one task multiplies.
const SHARE: usize = 1 << 14;

/// A transform of any length.
pub(super) struct Chirp<T> {
    /// `e^(-πi j²/n)`.
    turns: Vec<Complex<T>>,
    /// The transform of their conjugates, scaled for the way there and back.
    filter: Vec<Complex<T>>,
    convolution: SixStep<T>,
}

impl<T: Real> Chirp<T> {
    pub(super) fn new(length: usize, is_inverse: bool) -> Self {
        let padded = smooth_length(2 * length - 1);
        let factors = balanced_factors(padded).expect("a power of two is among the factors");
        let convolution = SixStep::new(factors, false);
        let period = 2 * length as u64;
        let parts = |index: usize| {
            let index = index as u64 % period;
            let square = u128::from(index) * u128::from(index) % u128::from(period);
            let (re, im) = unit_root(square as u64, period);
            (re, if is_inverse { -im } else { im })
        };
        let turns = table(length, |index| {
            let (re, im) = parts(index);
            from_parts(re, im)
        });
        let scale = 1.0 / padded as f64;
        let mut filter = table(padded, |index| match index.min(padded - index) {
            distance if distance < length => {
                let (re, im) = parts(distance);
                from_parts(re * scale, -im * scale)
            }
            _ => T::zero().into(),
        });
        convolution.run_in_place(&mut filter, &mut vec![T::zero().into(); padded]);
        Self {
            turns,
            filter,
            convolution,
        }
    }

    pub(super) fn scratch_len(&self) -> usize {
        2 * self.filter.len()
    }

    pub(super) fn run(
        &self,
        source: &[Complex<T>],
        target: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        let (padded, scratch) = scratch.split_at_mut(self.filter.len());
        self.spread(source, padded);
        self.convolve(padded, scratch);
        self.collect(padded, target);
    }

    pub(super) fn run_in_place(&self, line: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (padded, scratch) = scratch.split_at_mut(self.filter.len());
        self.spread(line, padded);
        self.convolve(padded, scratch);
        self.collect(padded, line);
    }

    /// Multiplies a line with the chirp, and fills up with zeros.
    fn spread(&self, source: &[Complex<T>], padded: &mut [Complex<T>]) {
        let (line, rest) = padded.split_at_mut(source.len());
        let factors = source.chunks(SHARE).zip(self.turns.chunks(SHARE));
        for_each_part(
            line.chunks_mut(SHARE).zip(factors),
            |(to, (from, turns))| {
                for (to, (from, factor)) in to.iter_mut().zip(from.iter().zip(turns)) {
                    *to = *from * *factor;
                }
            },
        );
        for_each_part(rest.chunks_mut(SHARE), |part| part.fill(T::zero().into()));
    }

    /// Convolves with the filter. What comes out is conjugated, since an inverse transform is a
    /// forward one between conjugations.
    fn convolve(&self, padded: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.convolution.run_in_place(padded, scratch);
        let parts = padded.chunks_mut(SHARE).zip(self.filter.chunks(SHARE));
        for_each_part(parts, |(numbers, factors)| {
            for (number, factor) in numbers.iter_mut().zip(factors) {
                *number = (*number * *factor).conj();
            }
        });
        self.convolution.run_in_place(padded, scratch);
    }

    /// Multiplies what was convolved with the chirp.
    fn collect(&self, padded: &[Complex<T>], target: &mut [Complex<T>]) {
        let factors = padded.chunks(SHARE).zip(self.turns.chunks(SHARE));
        for_each_part(
            target.chunks_mut(SHARE).zip(factors),
            |(to, (from, turns))| {
                for (to, (from, factor)) in to.iter_mut().zip(from.iter().zip(turns)) {
                    *to = from.conj() * *factor;
                }
            },
        );
    }
}

/// The numbers that `number` gives for the indices up to `length`.
fn table<T: Real>(length: usize, number: impl Fn(usize) -> Complex<T> + Sync) -> Vec<Complex<T>> {
    let mut numbers = vec![T::zero().into(); length];
    for_each_part(numbers.chunks_mut(SHARE).enumerate(), |(part, numbers)| {
        for (index, place) in (part * SHARE..).zip(numbers) {
            *place = number(index);
        }
    });
    numbers
}

/// The smallest length of at least `least` that is a power of two, or that times a small odd number.
fn smooth_length(least: usize) -> usize {
    let least = least.max(LONG);
    [1, 3, 5, 9, 15, 25, 27]
        .into_iter()
        .map(|odd: usize| odd * least.div_ceil(odd).next_power_of_two())
        .min()
        .expect("the list is not empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_lengths_are_near() {
        assert_eq!(smooth_length(131_072), 131_072);
        assert_eq!(smooth_length(131_073), 147_456);
        assert_eq!(smooth_length(199_981), 204_800);
    }
}
