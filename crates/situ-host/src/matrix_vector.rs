//! Products of a matrix and a vector in host memory.
//!
//! They are as fast as the matrix is read, so everything here is about reading: every thread reads several rows side by
//! side, which keeps more of them on their way from memory than one would, and in whole vectors. What the compiler makes of plain
//! loops is twice as slow: of rows and lanes it chose to put the wrong ones side by side.
//! An element of the result is the same for any number of threads; its sum is cut into parts, so that
//! rounding errors grow much slower than its length.
#![expect(
    clippy::inline_always,
    reason = "what is inlined is compiled for the instructions of its caller"
)]

use std::array;
use std::ops::AddAssign;

use crate::element::Precision;
use crate::threads::Threads;
use crate::vectorised::{Lanes, Loops, Simd, Vectorised, WIDTH, is_supported};

/// How many rows are added up at a time in a combination: the more there are, the less often sums are read and written. From
/// caches they are read fastest at places that are far from each other, of which processors follow so many.
const ADDED: usize = 6;

/// The same for matrices that come from memory, which is read a tenth faster where it is close: rows that follow each other.
const ADDED_FROM_MEMORY: usize = 8;

/// Matrices of so many bytes come from memory.
const FAR_BYTES: usize = 16 << 20;

/// How many elements of a row are added up before the sums are put together, in each lane of a vector.
const ALONG: usize = 256;

/// How many columns are added up at a time in a combination of rows: their sums stay in the nearest cache, and pieces of
/// rows are long enough to be read ahead.
const COLUMNS: usize = 2048;

/// How many rows are added up before the sums are put together.
const DOWN: usize = 256;

/// A matrix of so many bytes is shared, for dot products. It takes some eight microseconds to read, less than waking a thread
/// does; but while one product follows the other threads are awake, and what is too large for the second cache of one core fits
/// into those of two.
const DOTS_SHARED_FROM: usize = 640 << 10;

/// The same for combinations, some 20 microseconds: pieces of rows take longer to read than whole rows, and as there is one part for each
/// thread, a thread that comes late is waited for.
const COMBINATION_SHARED_FROM: usize = 1600 << 10;

/// Elements that two threads take some 150 microseconds to read: handing less to another thread takes a good part of the time
/// that it would leave to the caller.
const HANDED_OVER_FROM: usize = 2_000_000;

/// A real number, with how it is multiplied and added in one step.
trait Real: Vectorised + AddAssign + Send + Sync {
    /// All bits of it are set.
    const MASK: Self;

    /// `self * factor + sum`.
    #[must_use]
    fn times_plus(self, factor: Self, sum: Self) -> Self;
}

macro_rules! real {
    ($real:ty) => {
        impl Real for $real {
            const MASK: Self = Self::from_bits(!0);

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
    /// Whether it takes less than some 150 microseconds.
    pub fn is_brief(self) -> bool {
        self.elements() < HANDED_OVER_FROM
    }

    /// How many bytes a matrix has that is shared.
    fn shared_from(self) -> usize {
        match self.way {
            Way::Dots => DOTS_SHARED_FROM,
            Way::Combination => COMBINATION_SHARED_FROM,
        }
    }

    fn elements(self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// Whether this is the quickest way: the processor is up to it, rows fill vectors, and there are enough elements of the
    /// result for every thread.
    pub fn is_quickest(self) -> bool {
        let is_for_all = match self.way {
            Way::Dots => self.rows >= 16,
            Way::Combination => self.columns >= 64,
        };
        let is_shared = self.elements() >= self.shared_from() / size_of::<f64>();
        self.columns >= WIDTH && (is_for_all || !is_shared) && is_supported()
    }

    /// Writes the product to `out`.
    ///
    /// # Panics
    /// If the bytes are not those of as many elements, or rows are too short for [this way](Self::is_quickest).
    pub fn run(
        self,
        precision: Precision,
        [matrix, vector]: [&[u8]; 2],
        out: &mut [u8],
        threads: Threads<'_>,
    ) {
        match precision {
            Precision::Single => self.multiply::<f32>(
                bytemuck::cast_slice(matrix),
                bytemuck::cast_slice(vector),
                bytemuck::cast_slice_mut(out),
                threads,
            ),
            Precision::Double => self.multiply::<f64>(
                bytemuck::cast_slice(matrix),
                bytemuck::cast_slice(vector),
                bytemuck::cast_slice_mut(out),
                threads,
            ),
        }
    }

    fn multiply<T: Real>(self, matrix: &[T], vector: &[T], out: &mut [T], threads: Threads<'_>) {
        assert_eq!(matrix.len(), self.elements(), "the matrix is whole");
        assert!(self.columns >= WIDTH, "rows fill vectors");
        let part = Part {
            matrix,
            stride: self.columns,
            vector,
            is_far: size_of_val(matrix) >= FAR_BYTES,
        };
        if size_of_val(matrix) < self.shared_from() || threads.count() == 1 {
            self.run_part(part, out);
        } else {
            self.share(part, out, threads);
        }
    }

    /// Has every thread compute some elements of the result.
    fn share<T: Real>(self, part: Part<'_, T>, out: &mut [T], threads: Threads<'_>) {
        let (parts, unit) = match self.way {
            // As many rows as are read side by side, unless that made parts uneven.
            Way::Dots if self.rows < 24 * threads.parts() => (threads.parts(), 1),
            Way::Dots => (threads.parts(), 6),
            // Pieces of rows are the longer, the fewer parts there are.
            Way::Combination => (threads.count(), WIDTH),
        };
        let each = out.len().div_ceil(parts).next_multiple_of(unit);
        let shares = out.chunks_mut(each).enumerate().map(|(index, out)| {
            let skipped = match self.way {
                Way::Dots => index * each * part.stride,
                Way::Combination => index * each,
            };
            let matrix = &part.matrix[skipped..];
            (Part { matrix, ..part }, out)
        });
        threads.share(shares.collect(), |(part, out)| self.run_part(part, out));
    }

    fn run_part<T: Real>(self, part: Part<'_, T>, out: &mut [T]) {
        match self.way {
            Way::Dots => T::vectorised(Dots { part, out }),
            Way::Combination => T::vectorised(Combination { part, out }),
        }
    }
}

/// Some rows or columns of a matrix, and the vector.
#[derive(Clone, Copy)]
struct Part<'a, T> {
    /// From the first element on.
    matrix: &'a [T],
    /// From row to row.
    stride: usize,
    vector: &'a [T],
    /// Whether it comes from memory.
    is_far: bool,
}

/// The dot products of the vector and rows.
struct Dots<'a, T> {
    part: Part<'a, T>,
    out: &'a mut [T],
}

impl<T: Real> Loops<T> for Dots<'_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        match S::SUMS {
            8.. => self.side_by_side::<S, 8>(simd),
            6.. => self.side_by_side::<S, 6>(simd),
            _ => self.side_by_side::<S, 3>(simd),
        }
    }
}

impl<T: Real> Dots<'_, T> {
    /// Reads so many rows side by side, which are far from each other: every one is continued by the row after it, so that the
    /// processor, which reads ahead what lies in one line, has nothing to guess anew at the end of a row.
    #[inline(always)]
    fn side_by_side<S: Simd<T>, const ROWS: usize>(self, simd: S) {
        let vector = Factors::new(self.part.vector);
        let row = |index: usize| &self.part.matrix[index * self.part.stride..];
        let apart = self.out.len() / ROWS;
        for first in 0..apart {
            let rows: [&[T]; ROWS] = array::from_fn(|index| row(first + index * apart));
            let sums = vector.dots(simd, rows);
            for (index, sum) in sums.into_iter().enumerate() {
                self.out[first + index * apart] = sum;
            }
        }
        for last in apart * ROWS..self.out.len() {
            [self.out[last]] = vector.dots(simd, [row(last)]);
        }
    }
}

/// What rows are multiplied with: a vector in packs.
struct Factors<'a, T> {
    whole: &'a [[T; WIDTH]],
    /// How many there are behind.
    rest: usize,
    /// Those behind, at the end of a pack: rows are read up to their end, and what was read before is masked.
    last: Lanes<T>,
    mask: Lanes<T>,
}

impl<'a, T: Real> Factors<'a, T> {
    #[inline(always)]
    fn new(vector: &'a [T]) -> Self {
        let (whole, rest) = vector.as_chunks();
        let [mut last, mut mask] = [Lanes([T::zeroed(); WIDTH]); 2];
        let skipped = WIDTH - rest.len();
        last.0[skipped..].copy_from_slice(rest);
        mask.0[skipped..].fill(T::MASK);
        Self {
            whole,
            rest: rest.len(),
            last,
            mask,
        }
    }

    /// The dot products with rows, of which more may be given than belongs to them.
    #[inline(always)]
    fn dots<S: Simd<T>, const ROWS: usize>(&self, simd: S, rows: [&[T]; ROWS]) -> [T; ROWS] {
        let mut totals = [T::zeroed(); ROWS];
        let parts = rows.map(|row| &row.as_chunks::<WIDTH>().0[..self.whole.len()]);
        let mut sums = [simd.splat(T::zeroed()); ROWS];
        let mut begin = 0;
        loop {
            let end = self.whole.len().min(begin + ALONG);
            let parts = parts.map(|part| &part[begin..end]);
            for (index, factors) in self.whole[begin..end].iter().enumerate() {
                let factors = simd.load_anywhere(factors);
                for row in 0..ROWS {
                    let elements = simd.load_anywhere(&parts[row][index]);
                    sums[row] = simd.multiply_add(elements, factors, sums[row]);
                }
            }
            begin = end;
            if begin == self.whole.len() {
                break;
            }
            for (total, sum) in totals.iter_mut().zip(&mut sums) {
                *total += tree_sum(simd, *sum);
                *sum = simd.splat(T::zeroed());
            }
        }
        if self.rest > 0 {
            let (factors, mask) = (simd.load(&self.last), simd.load(&self.mask));
            for row in 0..ROWS {
                let elements = simd.load_anywhere(self.last_of(rows[row]));
                sums[row] = simd.multiply_add(simd.keep(elements, mask), factors, sums[row]);
            }
        }
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total += tree_sum(simd, sum);
        }
        totals
    }

    /// The last elements of a row.
    #[inline(always)]
    fn last_of<'b>(&self, row: &'b [T]) -> &'b [T; WIDTH] {
        let begin = (self.whole.len() - 1) * WIDTH + self.rest;
        row[begin..]
            .first_chunk()
            .expect("rows are as long as the vector")
    }
}

#[inline(always)]
fn tree_sum<T: Real, S: Simd<T>>(simd: S, pack: S::Pack) -> T {
    let mut sums = Lanes([T::zeroed(); WIDTH]);
    simd.store(pack, &mut sums);
    let mut width = WIDTH / 2;
    while width > 0 {
        for lane in 0..width {
            let other = sums.0[lane + width];
            sums.0[lane] += other;
        }
        width /= 2;
    }
    sums.0[0]
}

/// The sum of the rows, each multiplied by an element of the vector.
struct Combination<'a, T> {
    part: Part<'a, T>,
    out: &'a mut [T],
}

impl<T: Real> Loops<T> for Combination<'_, T> {
    type Found = ();

    #[inline(always)]
    fn run<S: Simd<T>>(self, simd: S) {
        if self.part.is_far {
            self.combine::<S, ADDED_FROM_MEMORY>(simd, |first, _| {
                array::from_fn(|index| first * ADDED_FROM_MEMORY + index)
            });
        } else {
            self.combine::<S, ADDED>(simd, |first, apart| {
                array::from_fn(|index| first + index * apart)
            });
        }
    }
}

impl<T: Real> Combination<'_, T> {
    /// Adds up so many rows at a time: those that `numbers` gives for one of the times, of all of which there are as many as rows
    /// may be apart.
    #[inline(always)]
    fn combine<S: Simd<T>, const AT_A_TIME: usize>(
        self,
        simd: S,
        numbers: impl Fn(usize, usize) -> [usize; AT_A_TIME],
    ) {
        let Part {
            matrix,
            stride,
            vector,
            ..
        } = self.part;
        let zeros = Lanes([T::zeroed(); WIDTH]);
        let mut sums = vec![zeros; self.out.len().min(COLUMNS).div_ceil(WIDTH)];
        for (index, out) in self.out.chunks_mut(COLUMNS).enumerate() {
            out.fill(T::zeroed());
            for (block, factors) in vector.chunks(DOWN).enumerate() {
                sums.fill(zeros);
                let rows = Rows {
                    elements: &matrix[block * DOWN * stride + index * COLUMNS..],
                    stride,
                    len: out.len(),
                };
                let times = factors.len() / AT_A_TIME;
                for time in 0..times {
                    rows.add_to(simd, numbers(time, times), factors, &mut sums);
                }
                for last in times * AT_A_TIME..factors.len() {
                    rows.add_to(simd, [last], factors, &mut sums);
                }
                for (out, &sum) in out.iter_mut().zip(sums.iter().flat_map(|sums| &sums.0)) {
                    *out += sum;
                }
            }
        }
    }
}

/// Pieces of rows.
struct Rows<'a, T> {
    elements: &'a [T],
    /// From row to row.
    stride: usize,
    /// How long a piece is.
    len: usize,
}

impl<T: Real> Rows<'_, T> {
    /// Adds those with some numbers to sums, each multiplied by its factor.
    #[inline(always)]
    fn add_to<S: Simd<T>, const N: usize>(
        &self,
        simd: S,
        numbers: [usize; N],
        factors: &[T],
        sums: &mut [Lanes<T>],
    ) {
        let rows = numbers.map(|row| &self.elements[row * self.stride..][..self.len]);
        let factors = numbers.map(|row| factors[row]);
        let whole = self.len / WIDTH;
        let parts = rows.map(|row| &row.as_chunks::<WIDTH>().0[..whole]);
        for column in 0..whole {
            let mut sum = simd.load(&sums[column]);
            for row in 0..N {
                let elements = simd.load_anywhere(&parts[row][column]);
                // Packs that were made before the loop take as many registers as they have.
                sum = simd.multiply_add(elements, simd.splat(factors[row]), sum);
            }
            simd.store(sum, &mut sums[column]);
        }
        let rests = rows.map(|row| &row[whole * WIDTH..]);
        let Some(last) = sums.get_mut(whole) else {
            return;
        };
        for (column, sum) in last.0[..self.len % WIDTH].iter_mut().enumerate() {
            for row in 0..N {
                *sum = rests[row][column].times_plus(factors[row], *sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Team;

    /// Small integers, so that products are exact.
    fn numbers(count: usize, modulus: usize) -> Vec<f64> {
        (0..count).map(|i| (i * 7 % modulus) as f64 - 3.0).collect()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, columns) in [
            (1, 16),
            (5, 70),
            (9, 31),
            (48, 64),
            (19, 33),
            (300, 1100),
            (37, 9000),
            (1030, 513),
            (1030, 2100),
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
                plan.multiply::<f64>(&matrix, &vector, &mut out, Threads::default());
                assert_eq!(out, expected, "{plan:?}");
            }
        }
    }

    #[test]
    fn the_answer_is_the_same_for_any_number_of_threads() {
        #[derive(Debug)]
        struct OneByOne(usize);
        impl Team for OneByOne {
            fn count(&self) -> usize {
                self.0
            }

            fn share(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
                (0..parts).for_each(part);
            }
        }
        for (rows, columns) in [
            (203, 1301),
            (1301, 203),
            (17, 20_000),
            (4000, 70),
            (1030, 2100),
        ] {
            let matrix: Vec<f64> = (0..rows * columns).map(|i| 1.0 / (i + 3) as f64).collect();
            for way in [Way::Dots, Way::Combination] {
                let (inner, len) = match way {
                    Way::Dots => (columns, rows),
                    Way::Combination => (rows, columns),
                };
                let product = |count| {
                    let mut out = vec![0.0; len];
                    let (plan, team) = (MatrixVector { rows, columns, way }, OneByOne(count));
                    let threads = Threads::default().with_team(Some(&team));
                    plan.multiply(&matrix, &matrix[..inner], &mut out, threads);
                    out
                };
                assert!([2, 5].iter().all(|&count| product(count) == product(1)));
            }
        }
    }

    #[test]
    fn what_is_not_finite_stays_in_its_row_or_column() {
        let (rows, columns) = (40, 37);
        let mut matrix = vec![1.0_f32; rows * columns];
        // Among those that are read again with the last ones of a row.
        matrix[5 * columns + 30] = f32::INFINITY;
        matrix[7 * columns + 22] = f32::NAN;
        let vector = vec![1.0; rows];
        let multiply = |way, len, inner| {
            let mut out = vec![0.0; len];
            let plan = MatrixVector { rows, columns, way };
            plan.multiply(&matrix, &vector[..inner], &mut out, Threads::default());
            out
        };
        for (row, sum) in multiply(Way::Dots, rows, columns).into_iter().enumerate() {
            assert_eq!(sum.is_nan(), row == 7);
            assert_eq!(sum == f32::INFINITY, row == 5);
        }
        for (column, sum) in multiply(Way::Combination, columns, rows)
            .into_iter()
            .enumerate()
        {
            assert_eq!(sum.is_nan(), column == 22);
            assert_eq!(sum == f32::INFINITY, column == 30);
        }
    }
}
