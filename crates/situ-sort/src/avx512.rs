//! AVX-512, behind a token.
//!
//! Every instruction needs the processor to have AVX-512F, which the
//! existence of [`Avx512`] proves. Loads and stores are masked, so that they stay within a slice.
//!
//! Methods are inlined into functions that are compiled for AVX-512; else each would be a call.

#![expect(
    clippy::inline_always,
    reason = "an instruction must not become a call, also where optimisation is off"
)]

use std::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_blend_epi32, _mm512_mask_blend_epi64,
    _mm512_mask_loadu_epi32, _mm512_mask_loadu_epi64, _mm512_mask_storeu_epi32,
    _mm512_mask_storeu_epi64, _mm512_max_epu32, _mm512_max_epu64, _mm512_min_epu32,
    _mm512_min_epu64, _mm512_permutex2var_epi32, _mm512_permutex2var_epi64,
    _mm512_permutexvar_epi32, _mm512_permutexvar_epi64, _mm512_set1_epi64,
};

use crate::vector::{Instructions, Vectors};

/// Proof that the processor has AVX-512.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// The proof, if it is true.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

impl Instructions for Avx512 {
    #[inline]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[target_feature(enable = "avx512f")]
        #[inline]
        fn run<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        // SAFETY: `self` proves that the processor has what `run` is compiled for.
        unsafe { run(work) }
    }
}

/// The numbers of 64-bit lanes.
const LANES_64: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
/// The numbers of 32-bit lanes.
const LANES_32: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// A bit for each of so many lanes, at most 16.
#[inline(always)]
fn first_lanes(count: usize) -> u16 {
    ((1_u32 << count.min(16)) - 1) as u16
}

#[inline(always)]
fn numbers_64(_proof: Avx512, lanes: &[u64; 8]) -> __m512i {
    // SAFETY: the token proves the feature, and the array has as many bytes as are read.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

#[inline(always)]
fn numbers_32(_proof: Avx512, lanes: &[u32; 16]) -> __m512i {
    // SAFETY: the token proves the feature, and the array has as many bytes as are read.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

impl Vectors<u64> for Avx512 {
    type Vector = __m512i;

    const LANES: usize = 8;

    #[inline(always)]
    fn largest(self) -> __m512i {
        // SAFETY: the token proves the feature.
        unsafe { _mm512_set1_epi64(-1) }
    }

    #[inline(always)]
    fn load(self, keys: &[u64]) -> __m512i {
        let bits = first_lanes(keys.len()) as u8;
        let largest = Vectors::<u64>::largest(self);
        // SAFETY: the token proves the feature, and lanes without a key are not read.
        unsafe { _mm512_mask_loadu_epi64(largest, bits, keys.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, keys: &mut [u64], vector: __m512i) {
        let bits = first_lanes(keys.len()) as u8;
        // SAFETY: the token proves the feature, and lanes without a key are not written.
        unsafe { _mm512_mask_storeu_epi64(keys.as_mut_ptr().cast(), bits, vector) }
    }

    #[inline(always)]
    fn exchange(self, left: __m512i, right: __m512i) -> [__m512i; 2] {
        // SAFETY: the token proves the feature.
        unsafe { [_mm512_min_epu64(left, right), _mm512_max_epu64(left, right)] }
    }

    #[inline(always)]
    fn select(self, bits: u16, first: __m512i, second: __m512i) -> __m512i {
        // SAFETY: the token proves the feature.
        unsafe { _mm512_mask_blend_epi64(bits as u8, first, second) }
    }

    #[inline(always)]
    fn swap_lanes(self, distance: usize, vector: __m512i) -> __m512i {
        let from = numbers_64(self, &LANES_64.map(|lane| lane ^ distance as u64));
        // SAFETY: the token proves the feature.
        unsafe { _mm512_permutexvar_epi64(from, vector) }
    }

    #[inline(always)]
    fn interleave(self, first: __m512i, second: __m512i) -> [__m512i; 2] {
        // The lanes of the second vector are numbered on.
        let low = LANES_64.map(|lane| lane / 2 + lane % 2 * 8);
        let [low, high] = [low, low.map(|lane| lane + 4)].map(|lanes| numbers_64(self, &lanes));
        // SAFETY: the token proves the feature.
        unsafe {
            [
                _mm512_permutex2var_epi64(first, low, second),
                _mm512_permutex2var_epi64(first, high, second),
            ]
        }
    }
}

impl Vectors<u32> for Avx512 {
    type Vector = __m512i;

    const LANES: usize = 16;

    #[inline(always)]
    fn largest(self) -> __m512i {
        Vectors::<u64>::largest(self)
    }

    #[inline(always)]
    fn load(self, keys: &[u32]) -> __m512i {
        let bits = first_lanes(keys.len());
        let largest = Vectors::<u64>::largest(self);
        // SAFETY: the token proves the feature, and lanes without a key are not read.
        unsafe { _mm512_mask_loadu_epi32(largest, bits, keys.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, keys: &mut [u32], vector: __m512i) {
        let bits = first_lanes(keys.len());
        // SAFETY: the token proves the feature, and lanes without a key are not written.
        unsafe { _mm512_mask_storeu_epi32(keys.as_mut_ptr().cast(), bits, vector) }
    }

    #[inline(always)]
    fn exchange(self, left: __m512i, right: __m512i) -> [__m512i; 2] {
        // SAFETY: the token proves the feature.
        unsafe { [_mm512_min_epu32(left, right), _mm512_max_epu32(left, right)] }
    }

    #[inline(always)]
    fn select(self, bits: u16, first: __m512i, second: __m512i) -> __m512i {
        // SAFETY: the token proves the feature.
        unsafe { _mm512_mask_blend_epi32(bits, first, second) }
    }

    #[inline(always)]
    fn swap_lanes(self, distance: usize, vector: __m512i) -> __m512i {
        let from = numbers_32(self, &LANES_32.map(|lane| lane ^ distance as u32));
        // SAFETY: the token proves the feature.
        unsafe { _mm512_permutexvar_epi32(from, vector) }
    }

    #[inline(always)]
    fn interleave(self, first: __m512i, second: __m512i) -> [__m512i; 2] {
        // The lanes of the second vector are numbered on.
        let low = LANES_32.map(|lane| lane / 2 + lane % 2 * 16);
        let [low, high] = [low, low.map(|lane| lane + 8)].map(|lanes| numbers_32(self, &lanes));
        // SAFETY: the token proves the feature.
        unsafe {
            [
                _mm512_permutex2var_epi32(first, low, second),
                _mm512_permutex2var_epi32(first, high, second),
            ]
        }
    }
}
