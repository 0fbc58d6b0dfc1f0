//! How one line of complex numbers is transformed: chosen once for each length, and kept.
//!
//! Short lines are left to `rustfft`; they are transformed in parallel to each other. A long line is
//! cut into short ones ([`SixStep`]), or, if its length has no such factors, becomes a convolution of
//! a length that has them ([`Chirp`]). Both use all threads for the one line. Neither needs tables as
//! long as the line, beside the chirp's own, so the first transform of a length is quick as well.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, TryLockError};

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftPlanner};

use super::Real;
use super::chirp::Chirp;
use super::six_step::SixStep;

/// Lines of this length are transformed by all threads, one after the other.
pub(super) const LONG: usize = 1 << 16;

/// How many plans are kept. The largest are those of chirps, which hold two lines.
const KEPT: usize = 64;

/// A way to transform lines of one length in one direction, without any scaling.
pub(super) enum Plan<T> {
    /// By one thread.
    Short(Arc<dyn Fft<T>>),
    /// By all threads, as many short lines.
    SixStep(SixStep<T>),
    /// By all threads, as a convolution.
    Chirp(Chirp<T>),
}

impl<T: Real> Plan<T> {
    /// The plan for a length, made or remembered.
    pub(super) fn of(length: usize, is_inverse: bool) -> Arc<Self> {
        remembered(length, is_inverse, || Self::new(length, is_inverse))
    }

    fn new(length: usize, is_inverse: bool) -> Self {
        if length < LONG {
            return Self::Short(short(length, is_inverse));
        }
        match balanced_factors(length) {
            Some(factors) => Self::SixStep(SixStep::new(factors, is_inverse)),
            None => Self::Chirp(Chirp::new(length, is_inverse)),
        }
    }

    /// Whether all threads work on one line.
    pub(super) fn is_parallel(&self) -> bool {
        !matches!(self, Self::Short(_))
    }

    /// How much memory a transform needs beside source and target.
    pub(super) fn scratch_len(&self) -> usize {
        match self {
            Self::Short(fft) => fft.get_inplace_scratch_len(),
            Self::SixStep(plan) => plan.scratch_len(),
            Self::Chirp(plan) => plan.scratch_len(),
        }
    }

    /// Transforms a line.
    pub(super) fn run(
        &self,
        source: &[Complex<T>],
        target: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        match self {
            Self::Short(fft) => {
                target.copy_from_slice(source);
                fft.process_with_scratch(target, scratch);
            }
            Self::SixStep(plan) => plan.run(source, target, scratch),
            Self::Chirp(plan) => plan.run(source, target, scratch),
        }
    }

    /// Transforms a line where it is.
    pub(super) fn run_in_place(&self, line: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        match self {
            Self::Short(fft) => fft.process_with_scratch(line, scratch),
            Self::SixStep(plan) => plan.run_in_place(line, scratch),
            Self::Chirp(plan) => plan.run_in_place(line, scratch),
        }
    }
}

/// What was made for a length and direction before, or else is made now.
pub(super) fn remembered<V: Any + Send + Sync>(
    length: usize,
    is_inverse: bool,
    make: impl FnOnce() -> V,
) -> Arc<V> {
    type Key = (TypeId, usize, bool);
    type Known = BTreeMap<Key, Arc<dyn Any + Send + Sync>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    // Nobody waits for the lock: a forked child may have been born while another thread held it, and would wait for
    // ever. Who finds it taken makes a plan for the moment.
    let lock = || match KNOWN.try_lock() {
        Ok(known) => Some(known),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    };
    let key = (TypeId::of::<V>(), length, is_inverse);
    let found = lock().and_then(|known| known.get(&key).cloned());
    if let Some(Ok(value)) = found.map(Arc::downcast) {
        return value;
    }
    // Made without the lock: it may take all threads, and need other plans.
    let value = Arc::new(make());
    if let Some(mut known) = lock() {
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, Arc::clone(&value) as Arc<dyn Any + Send + Sync>);
    }
    value
}

/// A transform by one thread.
pub(super) fn short<T: Real>(length: usize, is_inverse: bool) -> Arc<dyn Fft<T>> {
    let direction = if is_inverse {
        FftDirection::Inverse
    } else {
        FftDirection::Forward
    };
    FftPlanner::new().plan_fft(length, direction)
}

/// Two factors of a length, the first not the larger one, that are near enough to each other for
/// lines of both lengths to be short.
pub(super) fn balanced_factors(length: usize) -> Option<(usize, usize)> {
    let first = (1..=length.isqrt())
        .rev()
        .find(|factor| length.is_multiple_of(*factor))?;
    let second = length / first;
    let is_balanced = first >= 8 && (second < LONG || second / first < 64);
    is_balanced.then_some((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_near_the_root() {
        assert_eq!(balanced_factors(1 << 23), Some((1 << 11, 1 << 12)));
        assert_eq!(balanced_factors(10_000_000), Some((3125, 3200)));
        assert_eq!(balanced_factors(99_991), None, "a prime");
        assert_eq!(balanced_factors(2 * 99_991), None, "twice a prime");
    }

    #[test]
    fn plans_are_remembered() {
        // Not if another test has the lock just then, so it has several chances.
        let is_remembered = (0..100).any(|_| {
            let first = Plan::<f32>::of(77, false);
            Arc::ptr_eq(&first, &Plan::<f32>::of(77, false))
        });
        assert!(is_remembered);
        let other = Plan::<f32>::of(77, true);
        assert!(!Arc::ptr_eq(&other, &Plan::<f32>::of(77, false)));
    }
}
