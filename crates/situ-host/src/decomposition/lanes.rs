//! Vectors of real numbers, as vector instructions take them.
#![expect(
    clippy::inline_always,
    reason = "what is inlined is compiled for the instructions of its caller"
)]

use super::field::Float;
use crate::vectorised::Simd;
pub(super) use crate::vectorised::{Lanes, WIDTH};

impl<T: Float> Lanes<T> {
    pub(super) const ZERO: Self = Self([T::ZERO; WIDTH]);

    /// So many of them that there is room for `len` numbers, all zero.
    pub(super) fn zeros(len: usize) -> Vec<Self> {
        vec![Self::ZERO; len.div_ceil(WIDTH)]
    }

    /// With zeros in the first `count` lanes.
    #[inline(always)]
    #[must_use]
    pub(super) fn without_first(mut self, count: usize) -> Self {
        self.0[..count].fill(T::ZERO);
        self
    }
}

/// The number at an index of a vector.
#[inline(always)]
pub(super) fn at<T: Copy>(vector: &[Lanes<T>], index: usize) -> T {
    vector[index / WIDTH].0[index % WIDTH]
}

/// The sum of all numbers, halves first.
#[inline(always)]
pub(super) fn sum<T: Float, S: Simd<T>>(simd: S, pack: S::Pack) -> T {
    let mut lanes = Lanes::ZERO;
    simd.store(pack, &mut lanes);
    let mut width = WIDTH / 2;
    while width > 0 {
        for lane in 0..width {
            let other = lanes.0[lane + width];
            lanes.0[lane] += other;
        }
        width /= 2;
    }
    lanes.0[0]
}
