//! A tile of a product: as many elements of the result as the registers of a processor with AVX2 hold.
//!
//! There are sixteen registers. Twelve have sums, two have a row of the right matrix, and one has an element of the left
//! matrix, as often as it fits. So there are twelve multiplications and additions for eight reads, and as many
//! independent sums as two units need that each take four cycles for one.

use bytemuck::Pod;
use faer::traits::RealField;
use faer::{Accum, MatMut};

/// How many rows a tile has.
pub(crate) const ROWS: usize = 6;

/// How many columns of the left matrix, and rows of the right one, are multiplied in one round.
pub(crate) const ROUND: usize = 4;

/// Elements of the left matrix for one round. They are read one by one, so it does not matter that rows, as most
/// matrices have them, stay rows.
pub(crate) type Left<T> = [[T; ROUND]; ROWS];

/// Elements of the right matrix for one round.
pub(crate) type Right<T, const COLUMNS: usize> = [[T; COLUMNS]; ROUND];

/// Exists only where the processor has AVX2 and multiplies and adds in one step.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// If this processor has it.
    pub(super) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }

    /// If this processor has it, and nothing wider.
    pub(crate) fn if_widest() -> Option<Self> {
        Self::new().filter(|_| !is_x86_feature_detected!("avx512f"))
    }
}

/// Does not exist on other processors.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(std::convert::Infallible);

#[cfg(not(target_arch = "x86_64"))]
impl Avx2 {
    /// None.
    pub(crate) fn if_widest() -> Option<Self> {
        None
    }
}

/// A tile of the result, and what is done with what was there.
pub(crate) struct Target<'a, T> {
    pub(crate) out: MatMut<'a, T>,
    pub(crate) accumulate: Accum,
    pub(crate) factor: T,
}

/// A number that there are tiles of, with `COLUMNS` columns: those of two registers.
pub(crate) trait Tiled<const COLUMNS: usize>: RealField + Pod {
    /// Multiplies a panel of the left matrix by one of the right matrix.
    ///
    /// # Panics
    /// If the tile of the result is not whole, or its rows are not contiguous.
    fn multiply(
        avx2: Avx2,
        left: &[Left<Self>],
        right: &[Right<Self, COLUMNS>],
        target: Target<'_, Self>,
    );
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m256d, _MM_HINT_T0, _mm_prefetch, _mm256_fmadd_pd, _mm256_fmadd_ps,
        _mm256_loadu_pd, _mm256_loadu_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_set1_pd,
        _mm256_set1_ps, _mm256_setzero_pd, _mm256_setzero_ps, _mm256_storeu_pd, _mm256_storeu_ps,
    };

    use faer::Accum;

    use super::{Avx2, Left, ROUND, ROWS, Right, Target, Tiled};

    macro_rules! tiled {
        ($real:ty, $columns:literal, $register:ty, $zero:ident, $splat:ident, $load:ident, $store:ident, $multiply:ident, $multiply_add:ident) => {
            impl Tiled<$columns> for $real {
                fn multiply(
                    _: Avx2,
                    left: &[Left<Self>],
                    right: &[Right<Self, $columns>],
                    target: Target<'_, Self>,
                ) {
                    const LANES: usize = $columns / 2;

                    #[target_feature(enable = "avx2,fma")]
                    fn multiply(
                        left: &[Left<$real>],
                        right: &[Right<$real, $columns>],
                        target: Target<'_, $real>,
                    ) {
                        let out = target.out;
                        assert!(out.shape() == (ROWS, $columns) && out.col_stride() == 1);
                        let stride = out.row_stride();
                        let out = out.as_ptr_mut();
                        // It comes while the sums are formed.
                        for row in 0..ROWS {
                            let row = out.wrapping_offset(row as isize * stride);
                            _mm_prefetch::<_MM_HINT_T0>(row.cast());
                            _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add($columns - 1).cast());
                        }
                        let mut sums: [[$register; 2]; ROWS] = [[$zero(); 2]; ROWS];
                        for (left, right) in left.iter().zip(right) {
                            for turn in 0..ROUND {
                                let right = right[turn].as_ptr();
                                // SAFETY: a row has the numbers of two registers.
                                let right = unsafe { [$load(right), $load(right.add(LANES))] };
                                for row in 0..ROWS {
                                    let left = $splat(left[row][turn]);
                                    let [first, second] = &mut sums[row];
                                    *first = $multiply_add(left, right[0], *first);
                                    *second = $multiply_add(left, right[1], *second);
                                }
                            }
                        }
                        let factor = $splat(target.factor);
                        let is_added = matches!(target.accumulate, Accum::Add);
                        for row in 0..ROWS {
                            for half in 0..2 {
                                let at = row as isize * stride + (half * LANES) as isize;
                                let sum = sums[row][half];
                                // SAFETY: the tile is whole, and its rows are contiguous.
                                unsafe {
                                    let at = out.offset(at);
                                    let product = if is_added {
                                        $multiply_add(factor, sum, $load(at))
                                    } else {
                                        $multiply(factor, sum)
                                    };
                                    $store(at, product);
                                }
                            }
                        }
                    }

                    // SAFETY: the processor has the instructions.
                    unsafe { multiply(left, right, target) }
                }
            }
        };
    }

    tiled!(
        f32,
        16,
        __m256,
        _mm256_setzero_ps,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps
    );
    tiled!(
        f64,
        8,
        __m256d,
        _mm256_setzero_pd,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_mul_pd,
        _mm256_fmadd_pd
    );
}

#[cfg(not(target_arch = "x86_64"))]
impl<T: RealField + Pod, const COLUMNS: usize> Tiled<COLUMNS> for T {
    fn multiply(avx2: Avx2, _: &[Left<T>], _: &[Right<T, COLUMNS>], _: Target<'_, T>) {
        match avx2.0 {}
    }
}
