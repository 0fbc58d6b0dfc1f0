//! AVX2, behind a token.
//!
//! Every instruction needs the processor to have AVX2, which the existence of [`Avx2`] proves. A vector that is not full is
//! loaded and stored with a mask, so that it stays within a slice.
//!
//! There is no comparison of unsigned keys of 64 bits, but one of signed numbers. So such keys are in registers with their
//! highest bit inverted, which has the same order.
//!
//! Methods are inlined into functions that are compiled for AVX2; else each would be a call.

#![expect(
    clippy::inline_always,
    reason = "an instruction must not become a call, also where optimisation is off"
)]

use std::arch::x86_64::{
    __m256i, _mm256_blendv_epi8, _mm256_cmpgt_epi32, _mm256_cmpgt_epi64, _mm256_loadu_si256,
    _mm256_maskload_epi32, _mm256_maskload_epi64, _mm256_maskstore_epi32, _mm256_maskstore_epi64,
    _mm256_max_epu32, _mm256_min_epu32, _mm256_permute2x128_si256, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_storeu_si256, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use crate::vector::{Instructions, Vectors};

/// Proof that the processor has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The proof, if it is true.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

impl Instructions for Avx2 {
    #[inline]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[target_feature(enable = "avx2")]
        #[inline]
        fn run<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        // SAFETY: `self` proves that the processor has what `run` is compiled for.
        unsafe { run(work) }
    }
}

/// The numbers of 64-bit lanes.
const LANES_64: [i64; 4] = [0, 1, 2, 3];
/// The numbers of 32-bit lanes.
const LANES_32: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[inline(always)]
fn numbers_64(_proof: Avx2, lanes: &[i64; 4]) -> __m256i {
    // SAFETY: the token proves the feature, and the array has as many bytes as are read.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[inline(always)]
fn numbers_32(_proof: Avx2, lanes: &[i32; 8]) -> __m256i {
    // SAFETY: the token proves the feature, and the array has as many bytes as are read.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

/// All bits of the first so many 64-bit lanes.
#[inline(always)]
fn first_lanes_64(proof: Avx2, count: usize) -> __m256i {
    let lanes = numbers_64(proof, &LANES_64);
    // SAFETY: the token proves the feature.
    unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), lanes) }
}

/// All bits of the first so many 32-bit lanes.
#[inline(always)]
fn first_lanes_32(proof: Avx2, count: usize) -> __m256i {
    let lanes = numbers_32(proof, &LANES_32);
    // SAFETY: the token proves the feature.
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), lanes) }
}

/// Inverts the highest bit of 64-bit lanes, or inverts it back.
#[inline(always)]
fn flip(_proof: Avx2, vector: __m256i) -> __m256i {
    // SAFETY: the token proves the feature.
    unsafe { _mm256_xor_si256(vector, _mm256_set1_epi64x(i64::MIN)) }
}

/// The lanes of `second` where all bits of `mask` are set, else those of `first`.
#[inline(always)]
fn select(_proof: Avx2, mask: __m256i, first: __m256i, second: __m256i) -> __m256i {
    // SAFETY: the token proves the feature.
    unsafe { _mm256_blendv_epi8(first, second, mask) }
}

/// The lower halves of two vectors, and the upper ones.
#[inline(always)]
fn halves(_proof: Avx2, first: __m256i, second: __m256i) -> [__m256i; 2] {
    // SAFETY: the token proves the feature.
    unsafe {
        [
            _mm256_permute2x128_si256::<0x20>(first, second),
            _mm256_permute2x128_si256::<0x31>(first, second),
        ]
    }
}

impl Vectors<u64> for Avx2 {
    type Vector = __m256i;

    const LANES: usize = 4;

    #[inline(always)]
    fn largest(self) -> __m256i {
        // SAFETY: the token proves the feature.
        unsafe { _mm256_set1_epi64x(i64::MAX) }
    }

    #[inline(always)]
    fn load(self, keys: &[u64]) -> __m256i {
        if let Some(keys) = keys.first_chunk::<4>() {
            // SAFETY: the token proves the feature, and there are as many keys as are read.
            return flip(self, unsafe { _mm256_loadu_si256(keys.as_ptr().cast()) });
        }
        let mask = first_lanes_64(self, keys.len());
        // SAFETY: the token proves the feature, and lanes without a key are not read.
        let keys = unsafe { _mm256_maskload_epi64(keys.as_ptr().cast(), mask) };
        select(self, mask, Vectors::<u64>::largest(self), flip(self, keys))
    }

    #[inline(always)]
    fn store(self, keys: &mut [u64], vector: __m256i) {
        let vector = flip(self, vector);
        if let Some(keys) = keys.first_chunk_mut::<4>() {
            // SAFETY: the token proves the feature, and there are as many keys as are written.
            return unsafe { _mm256_storeu_si256(keys.as_mut_ptr().cast(), vector) };
        }
        let mask = first_lanes_64(self, keys.len());
        // SAFETY: the token proves the feature, and lanes without a key are not written.
        unsafe { _mm256_maskstore_epi64(keys.as_mut_ptr().cast(), mask, vector) }
    }

    #[inline(always)]
    fn exchange(self, left: __m256i, right: __m256i) -> [__m256i; 2] {
        // SAFETY: the token proves the feature.
        let is_greater = unsafe { _mm256_cmpgt_epi64(left, right) };
        [
            select(self, is_greater, left, right),
            select(self, is_greater, right, left),
        ]
    }

    #[inline(always)]
    fn select(self, bits: u16, first: __m256i, second: __m256i) -> __m256i {
        let mask = LANES_64.map(|lane| -i64::from(bits >> lane & 1));
        select(self, numbers_64(self, &mask), first, second)
    }

    #[inline(always)]
    fn swap_lanes(self, distance: usize, vector: __m256i) -> __m256i {
        // A lane is two of 32 bits, for which there is an instruction.
        Vectors::<u32>::swap_lanes(self, 2 * distance, vector)
    }

    #[inline(always)]
    fn interleave(self, first: __m256i, second: __m256i) -> [__m256i; 2] {
        // The instructions do it in each half.
        // SAFETY: the token proves the feature.
        let [even, odd] = unsafe {
            [
                _mm256_unpacklo_epi64(first, second),
                _mm256_unpackhi_epi64(first, second),
            ]
        };
        halves(self, even, odd)
    }
}

impl Vectors<u32> for Avx2 {
    type Vector = __m256i;

    const LANES: usize = 8;

    #[inline(always)]
    fn largest(self) -> __m256i {
        // SAFETY: the token proves the feature.
        unsafe { _mm256_set1_epi32(-1) }
    }

    #[inline(always)]
    fn load(self, keys: &[u32]) -> __m256i {
        if let Some(keys) = keys.first_chunk::<8>() {
            // SAFETY: the token proves the feature, and there are as many keys as are read.
            return unsafe { _mm256_loadu_si256(keys.as_ptr().cast()) };
        }
        let mask = first_lanes_32(self, keys.len());
        // SAFETY: the token proves the feature, and lanes without a key are not read.
        let keys = unsafe { _mm256_maskload_epi32(keys.as_ptr().cast(), mask) };
        select(self, mask, Vectors::<u32>::largest(self), keys)
    }

    #[inline(always)]
    fn store(self, keys: &mut [u32], vector: __m256i) {
        if let Some(keys) = keys.first_chunk_mut::<8>() {
            // SAFETY: the token proves the feature, and there are as many keys as are written.
            return unsafe { _mm256_storeu_si256(keys.as_mut_ptr().cast(), vector) };
        }
        let mask = first_lanes_32(self, keys.len());
        // SAFETY: the token proves the feature, and lanes without a key are not written.
        unsafe { _mm256_maskstore_epi32(keys.as_mut_ptr().cast(), mask, vector) }
    }

    #[inline(always)]
    fn exchange(self, left: __m256i, right: __m256i) -> [__m256i; 2] {
        // SAFETY: the token proves the feature.
        unsafe { [_mm256_min_epu32(left, right), _mm256_max_epu32(left, right)] }
    }

    #[inline(always)]
    fn select(self, bits: u16, first: __m256i, second: __m256i) -> __m256i {
        let mask = LANES_32.map(|lane| -i32::from(bits >> lane & 1));
        select(self, numbers_32(self, &mask), first, second)
    }

    #[inline(always)]
    fn swap_lanes(self, distance: usize, vector: __m256i) -> __m256i {
        let from = numbers_32(self, &LANES_32.map(|lane| lane ^ distance as i32));
        // SAFETY: the token proves the feature.
        unsafe { _mm256_permutevar8x32_epi32(vector, from) }
    }

    #[inline(always)]
    fn interleave(self, first: __m256i, second: __m256i) -> [__m256i; 2] {
        // The instructions do it in each half.
        // SAFETY: the token proves the feature.
        let [low, high] = unsafe {
            [
                _mm256_unpacklo_epi32(first, second),
                _mm256_unpackhi_epi32(first, second),
            ]
        };
        halves(self, low, high)
    }
}
