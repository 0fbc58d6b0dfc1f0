//! Products of a matrix and a vector in host memory.
//!
//! They are as fast as the matrix is read, so everything here is about reading: every thread reads several rows side by
//! side, which keeps more of them on their way from memory than one would, and in whole vectors.
//! An element of the result is the same for any number of threads; its sum is cut into parts, so that
//! rounding errors grow much slower than its length.
#![expect(
    clippy::inline_always,
    reason = "what is inlined is compiled for the instructions of its caller"
)]

use std::ops::AddAssign;

use bytemuck::Pod;

use crate::element::Precision;
use crate::threads::Threads;
use crate::vectorised::is_supported;

/// How many rows are read side by side in dot products, by processors with 32 vector registers. Of a matrix of 80 MB, one row
/// at a time comes at 18 GB/s, four come at 24, eight at 26.
const ROWS: usize = 8;

/// The same by processors with 16 vector registers, half as wide: a row has two of them.
const FEWER_ROWS: usize = 6;

/// How many bytes ahead rows are asked for. Of a matrix of 80 MB, four rows come at 51 GB/s to two threads of a Zen 3 if nobody
/// asks, and six at 71 if somebody does.
const AHEAD_BYTES: usize = 2048;

/// How many rows are added up at a time in a combination: the more there are, the less often sums are read and written.
const ADDED: usize = 8;

/// How many elements of a row are added up before the sums are put together.
const ALONG: usize = 4096;

/// How many columns are added up at a time in a combination of rows: their sums stay in the nearest cache, and pieces of
/// rows are long enough to be read ahead.
const COLUMNS: usize = 2048;

/// How many rows are added up before the sums are put together.
const DOWN: usize = 256;

/// Elements of a matrix that take some 100 microseconds to read: less is not worth a second thread.
const SHARED_FROM: usize = 200_000;

/// A real number, with how it is multiplied and added in one step.
trait Real: Pod + AddAssign + Send + Sync {
    /// `self * factor + sum`.
    #[must_use]
    fn times_plus(self, factor: Self, sum: Self) -> Self;
}

macro_rules! real {
    ($real:ty) => {
        impl Real for $real {
            #[inline(always)]
            fn times_plus(self, factor: Self, sum: Self) -> Self {
                self.mul_add(factor, sum)
            }
        }
    };
}

real!(f32);
real!(f64);

/// What the vector is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The rows: an element of the result for each.
    Dots,
    /// The columns: the result is a sum of multiples of the rows.
    Combination,
}

/// The product of a vector and a matrix that lies in memory row after row.
#[derive(Clone, Copy, Debug)]
pub struct MatrixVector {
    /// Rows of the matrix in memory.
    pub rows: usize,
    /// Columns of the matrix in memory.
    pub columns: usize,
    /// What the vector is multiplied with.
    pub way: Way,
}

impl MatrixVector {
    /// Whether it takes less than some 100 microseconds.
    pub fn is_brief(self) -> bool {
        self.rows.saturating_mul(self.columns) < SHARED_FROM
    }

    /// Whether this is the quickest way: the processor is up to it, and there are enough elements of the result for
    /// every thread.
    pub fn is_quickest(self) -> bool {
        let is_wide = match self.way {
            // What comes out of caches the kernel reads as fast, and it adds up a row with less ado.
            Way::Dots => self.rows >= 16 && self.columns >= 8 && !self.is_brief(),
            Way::Combination => self.columns >= 64,
        };
        is_wide && is_supported()
    }

    /// Writes the product to `out`.
    ///
    /// # Panics
    /// If the bytes are not those of as many elements.
    pub fn run(
        self,
        precision: Precision,
        [matrix, vector]: [&[u8]; 2],
        out: &mut [u8],
        threads: Threads<'_>,
    ) {
        match precision {
            Precision::Single => self.multiply::<f32, 16>(
                bytemuck::cast_slice(matrix),
                bytemuck::cast_slice(vector),
                bytemuck::cast_slice_mut(out),
                threads,
            ),
            Precision::Double => self.multiply::<f64, 8>(
                bytemuck::cast_slice(matrix),
                bytemuck::cast_slice(vector),
                bytemuck::cast_slice_mut(out),
                threads,
            ),
        }
    }

    /// The product, whose sums are so many at a time: as many as a vector of 512 bits has numbers.
    fn multiply<T: Real, const LANES: usize>(
        self,
        matrix: &[T],
        vector: &[T],
        out: &mut [T],
        threads: Threads<'_>,
    ) {
        assert_eq!(
            matrix.len(),
            self.rows * self.columns,
            "the matrix is whole"
        );
        let part = Part::<T, LANES> {
            matrix,
            stride: self.columns,
            vector,
        };
        let count = if self.is_brief() { 1 } else { threads.count() };
        self.share(part, out, threads, count);
    }

    fn share<T: Real, const LANES: usize>(
        self,
        part: Part<'_, T, LANES>,
        out: &mut [T],
        threads: Threads<'_>,
        count: usize,
    ) {
        let unit = match self.way {
            Way::Dots => ROWS,
            Way::Combination => 64,
        };
        if count <= 1 || out.len() < 2 * unit {
            return vectorised(self.way, part, out);
        }
        let each = out.len().div_ceil(count).next_multiple_of(unit);
        let shares = out.chunks_mut(each).enumerate().map(|(index, out)| {
            let skipped = match self.way {
                Way::Dots => index * each * part.stride,
                Way::Combination => index * each,
            };
            let matrix = &part.matrix[skipped..];
            (Part { matrix, ..part }, out)
        });
        threads.share(shares.collect(), |(part, out)| {
            vectorised(self.way, part, out);
        });
    }
}

/// Some rows or columns of a matrix, and the vector. There are `LANES` sums at a time.
#[derive(Clone, Copy)]
struct Part<'a, T, const LANES: usize> {
    /// From the first element on.
    matrix: &'a [T],
    /// From row to row.
    stride: usize,
    vector: &'a [T],
}

/// The product in the widest vectors that there are.
#[cfg(target_arch = "x86_64")]
fn vectorised<T: Real, const LANES: usize>(way: Way, part: Part<'_, T, LANES>, out: &mut [T]) {
    #[target_feature(enable = "avx512f")]
    fn avx512<T: Real, const N: usize>(way: Way, part: Part<'_, T, N>, out: &mut [T]) {
        part.run::<ROWS>(way, out);
    }
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T: Real, const N: usize>(way: Way, part: Part<'_, T, N>, out: &mut [T]) {
        part.run::<FEWER_ROWS>(way, out);
    }
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the instructions.
        unsafe { avx512(way, part, out) }
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the instructions.
        unsafe { avx2(way, part, out) }
    } else {
        part.run::<FEWER_ROWS>(way, out);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vectorised<T: Real, const LANES: usize>(way: Way, part: Part<'_, T, LANES>, out: &mut [T]) {
    part.run::<FEWER_ROWS>(way, out);
}

impl<T: Real, const LANES: usize> Part<'_, T, LANES> {
    #[inline(always)]
    fn run<const ROWS: usize>(self, way: Way, out: &mut [T]) {
        match way {
            Way::Dots => self.dots::<ROWS>(out),
            Way::Combination => self.combination(out),
        }
    }

    /// The dot products of the vector and rows, of which so many are read side by side.
    #[inline(always)]
    fn dots<const ROWS: usize>(self, out: &mut [T]) {
        for (first, out) in out
            .chunks_mut(ROWS)
            .enumerate()
            .map(|(i, out)| (i * ROWS, out))
        {
            // At the end some row is read several times.
            let rows: [&[T]; ROWS] = std::array::from_fn(|row| {
                let row = first + row.min(out.len() - 1);
                &self.matrix[row * self.stride..][..self.vector.len()]
            });
            let sums = dots_of_rows::<T, ROWS, LANES>(rows, self.vector);
            out.copy_from_slice(&sums[..out.len()]);
        }
    }

    /// The sum of the rows, each multiplied by an element of the vector.
    #[inline(always)]
    fn combination(self, out: &mut [T]) {
        let mut sums = [T::zeroed(); COLUMNS];
        for (index, out) in out.chunks_mut(COLUMNS).enumerate() {
            out.fill(T::zeroed());
            let sums = &mut sums[..out.len()];
            for (block, factors) in self.vector.chunks(DOWN).enumerate() {
                sums.fill(T::zeroed());
                for (group, factors) in factors.chunks(ADDED).enumerate() {
                    let first = block * DOWN + group * ADDED;
                    let rows = &self.matrix[first * self.stride + index * COLUMNS..];
                    if let Ok(factors) = factors.try_into() {
                        add_rows::<T, ADDED>(rows, self.stride, factors, sums);
                    } else {
                        for (row, &factor) in factors.iter().enumerate() {
                            let rows = &rows[row * self.stride..];
                            add_rows(rows, self.stride, [factor], sums);
                        }
                    }
                }
                for (out, &sum) in out.iter_mut().zip(&*sums) {
                    *out += sum;
                }
            }
        }
    }
}

#[inline(always)]
fn dots_of_rows<T: Real, const ROWS: usize, const LANES: usize>(
    rows: [&[T]; ROWS],
    vector: &[T],
) -> [T; ROWS] {
    let mut totals = [T::zeroed(); ROWS];
    for start in (0..vector.len()).step_by(ALONG) {
        let end = vector.len().min(start + ALONG);
        let rows = rows.map(|row| &row[start..end]);
        let sums = dots_of_parts::<T, ROWS, LANES>(rows, &vector[start..end]);
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total += sum;
        }
    }
    totals
}

#[inline(always)]
fn dots_of_parts<T: Real, const ROWS: usize, const LANES: usize>(
    rows: [&[T]; ROWS],
    vector: &[T],
) -> [T; ROWS] {
    let (groups, rest) = vector.as_chunks::<LANES>();
    let parts = rows.map(|row| &row.as_chunks::<LANES>().0[..groups.len()]);
    let mut sums = [[T::zeroed(); LANES]; ROWS];
    for (index, factors) in groups.iter().enumerate() {
        for row in 0..ROWS {
            ask_ahead(&parts[row][index]);
            sums[row] = add_products(sums[row], &parts[row][index], factors);
        }
    }
    let mut totals = sums.map(tree_sum);
    for (at, &factor) in (vector.len() - rest.len()..).zip(rest) {
        for (total, row) in totals.iter_mut().zip(rows) {
            *total = row[at].times_plus(factor, *total);
        }
    }
    totals
}

/// Asks for what is some way behind elements in memory, if it is there: asking is not reading.
#[inline(always)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "others are left to themselves")
)]
fn ask_ahead<T, const LANES: usize>(elements: &[T; LANES]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let ahead = elements.as_ptr().cast::<i8>().wrapping_add(AHEAD_BYTES);
        // SAFETY: every processor of this kind has the instruction, and it may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead) };
    }
}

#[inline(always)]
fn add_products<T: Real, const LANES: usize>(
    mut sums: [T; LANES],
    elements: &[T; LANES],
    factors: &[T; LANES],
) -> [T; LANES] {
    for lane in 0..LANES {
        sums[lane] = elements[lane].times_plus(factors[lane], sums[lane]);
    }
    sums
}

#[inline(always)]
fn tree_sum<T: Real, const LANES: usize>(mut sums: [T; LANES]) -> T {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            let other = sums[lane + width];
            sums[lane] += other;
        }
        width /= 2;
    }
    sums[0]
}

/// Adds multiples of the first rows that are `stride` apart to sums.
///
/// One plain loop over columns, which LLVM makes vectors of; of loops over vectors it makes gathers.
#[inline(always)]
fn add_rows<T: Real, const N: usize>(rows: &[T], stride: usize, factors: [T; N], sums: &mut [T]) {
    let len = sums.len();
    let rows: [&[T]; N] = std::array::from_fn(|row| &rows[row * stride..][..len]);
    for column in 0..len {
        let mut sum = sums[column];
        for row in 0..N {
            sum = rows[row][column].times_plus(factors[row], sum);
        }
        sums[column] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small integers, so that products are exact.
    fn numbers(count: usize, modulus: usize) -> Vec<f64> {
        (0..count).map(|i| (i * 7 % modulus) as f64 - 3.0).collect()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, columns) in [
            (1, 1),
            (5, 70),
            (19, 33),
            (300, 1100),
            (37, 9000),
            (1030, 513),
        ] {
            let matrix = numbers(rows * columns, 11);
            for way in [Way::Dots, Way::Combination] {
                let (inner, len) = match way {
                    Way::Dots => (columns, rows),
                    Way::Combination => (rows, columns),
                };
                let vector = numbers(inner, 13);
                let expected: Vec<f64> = (0..len)
                    .map(|i| {
                        let product = |k: usize| match way {
                            Way::Dots => matrix[i * columns + k] * vector[k],
                            Way::Combination => matrix[k * columns + i] * vector[k],
                        };
                        (0..inner).map(product).sum()
                    })
                    .collect();
                let plan = MatrixVector { rows, columns, way };
                let mut out = vec![f64::NAN; len];
                plan.multiply::<f64, 8>(&matrix, &vector, &mut out, Threads::default());
                assert_eq!(out, expected, "{plan:?}");
            }
        }
    }

    #[test]
    fn the_answer_is_the_same_for_any_number_of_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let (rows, columns) = (203, 301);
        let matrix: Vec<f64> = (0..rows * columns).map(|i| 1.0 / (i + 3) as f64).collect();
        for way in [Way::Dots, Way::Combination] {
            let (inner, len) = match way {
                Way::Dots => (columns, rows),
                Way::Combination => (rows, columns),
            };
            let part = Part::<f64, 8> {
                matrix: &matrix,
                stride: columns,
                vector: &matrix[..inner],
            };
            let product = |count| {
                let mut out = vec![0.0; len];
                let plan = MatrixVector { rows, columns, way };
                plan.share(part, &mut out, Threads::new(Some(&pool)), count);
                out
            };
            assert_eq!(product(1), product(2));
            assert_eq!(product(1), product(5));
        }
    }
}
