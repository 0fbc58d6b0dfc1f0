//! Products of matrices in host memory, by `faer`, or in tiles where that is quicker.
//!
//! The work is shared among the [`Threads`] here, and each share is a product that
//! one thread computes. So nothing waits inside of `faer`, and the answer is the same for any number
//! of threads: a share has whole rows or whole columns of the result. A thread computes its share block by
//! block, of a shape that `faer` is good at: it packs what it needs of the right matrix for a block, and how it goes
//! about larger products depends on cache sizes that virtual machines do not tell truthfully.

use bytemuck::Pod;
use faer::linalg::matmul::matmul_with_conj;
use faer::traits::ComplexField;
use faer::{Accum, Conj, MatMut, MatRef, Par, c32, c64};

use crate::element::{Element, over_elements};
use crate::parallel;
use crate::threads::Threads;
use crate::tiled::{self, Avx2, TiledProduct};

/// How the matrices of an operand lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    ByRows,
    /// Column after column.
    ByColumns,
}

/// Products of matrices from two batches.
#[derive(Clone, Debug)]
pub struct BatchProduct {
    /// Rows of the left matrices.
    pub rows: usize,
    /// Columns of the left matrices, and rows of the right ones.
    pub inner: usize,
    /// Columns of the right matrices.
    pub columns: usize,
    /// How the left matrices lie in memory.
    pub left_order: Order,
    /// How the right matrices lie in memory.
    pub right_order: Order,
    /// For each product, the numbers of the two matrices in their batches.
    pub matrices: Vec<[usize; 2]>,
}

/// Multiplications that take some 40 microseconds: less is not worth a second thread.
const SHARED_FROM: usize = 1_000_000;

/// Multiplications of a batch that take some 100 microseconds: less is not worth waking `rayon`.
const BATCH_SHARED_FROM: usize = 3_000_000;

/// How many parts of a batch there are for each thread, so that none waits long for another.
const BATCHES_PER_THREAD: usize = 8;

/// Multiplications that take some 200 microseconds of two threads: handing less to another thread takes a good part of
/// the time that it would leave to the caller.
const HANDED_OVER_FROM: usize = 12_000_000;

/// Multiplications from which tiles are quicker than `faer`: what they read is copied first.
const TILED_FROM: usize = 24_000_000;

/// The shortest side of a result that is computed in tiles: every element of a matrix is copied for so many
/// multiplications at least.
const TILED_SIDE: usize = 64;

/// The least depth of a product in tiles: with less, reading and writing the result takes longer than the rest.
const TILED_DEPTH: usize = 32;

/// The largest block that `faer` multiplies at once, of elements with so many bytes: rows, columns, and depth.
///
/// The columns of the right matrix in it stay in a core's second cache, in full depth. There is room for twice as many of
/// elements that are half as large, and `faer` goes through the left matrix half as often.
const fn largest_block(element_bytes: usize) -> [usize; 3] {
    let columns = if element_bytes <= 4 { 288 } else { 144 };
    [1024, columns, 512]
}

impl BatchProduct {
    /// Whether it takes less than some 200 microseconds.
    pub fn is_brief(&self) -> bool {
        self.all_multiplications() < HANDED_OVER_FROM
    }

    fn all_multiplications(&self) -> usize {
        self.multiplications().saturating_mul(self.matrices.len())
    }

    fn multiplications(&self) -> usize {
        self.rows
            .saturating_mul(self.inner)
            .saturating_mul(self.columns)
    }

    /// Writes the products, row after row, to `out`.
    ///
    /// # Panics
    /// If the bytes are not those of as many elements.
    pub fn run(
        &self,
        element: Element,
        [left, right]: [&[u8]; 2],
        out: &mut [u8],
        threads: Threads<'_>,
    ) {
        over_elements!(element, T => self.multiply::<T>(
            bytemuck::cast_slice(left),
            bytemuck::cast_slice(right),
            bytemuck::cast_slice_mut(out),
            threads,
        ));
    }

    fn multiply<T: Multiplied + Pod>(
        &self,
        left: &[T],
        right: &[T],
        out: &mut [T],
        threads: Threads<'_>,
    ) {
        let each = self.rows * self.columns;
        let pair = |[at_left, at_right]: [usize; 2]| {
            let (left_size, right_size) = (self.rows * self.inner, self.inner * self.columns);
            let left = &left[at_left * left_size..][..left_size];
            let right = &right[at_right * right_size..][..right_size];
            (
                matrix(left, self.left_order, self.rows, self.inner),
                matrix(right, self.right_order, self.inner, self.columns),
            )
        };
        let count = threads.count();
        let (all, one) = (self.all_multiplications(), self.multiplications());
        let product = |(out, &numbers): (_, &[usize; 2])| {
            let (left, right) = pair(numbers);
            let out = MatMut::from_row_major_slice_mut(out, self.rows, self.columns);
            Product::new(left, right, out)
        };
        if count > 1 && one >= SHARED_FROM && self.matrices.len() < 2 * count {
            // Nobody is woken for less than half of what is worth a second thread.
            let count = count.min(one / (SHARED_FROM / 2));
            for each in out.chunks_exact_mut(each).zip(&self.matrices) {
                product(each).share(threads, count);
            }
        } else if count > 1 && all >= BATCH_SHARED_FROM {
            threads.install(|| {
                let batch = self.matrices.len().div_ceil(BATCHES_PER_THREAD * count);
                let outs = out.chunks_mut(each * batch);
                let batches = outs.zip(self.matrices.chunks(batch));
                parallel::for_each_large_part(batches, |(out, matrices)| {
                    for each in out.chunks_exact_mut(each).zip(matrices) {
                        product(each).run();
                    }
                });
            });
        } else {
            for each in out.chunks_exact_mut(each).zip(&self.matrices) {
                product(each).run();
            }
        }
    }
}

fn matrix<T>(elements: &[T], order: Order, rows: usize, columns: usize) -> MatRef<'_, T> {
    match order {
        Order::ByRows => MatRef::from_row_major_slice(elements, rows, columns),
        Order::ByColumns => MatRef::from_column_major_slice(elements, rows, columns),
    }
}

/// A product that is added to `out`, or replaces it: `factor` times `left` times `right`.
pub(crate) struct Product<'a, T> {
    pub(crate) left: MatRef<'a, T>,
    pub(crate) right: MatRef<'a, T>,
    /// Whether the right matrix is conjugated.
    pub(crate) conjugate_right: Conj,
    pub(crate) out: MatMut<'a, T>,
    pub(crate) accumulate: Accum,
    pub(crate) factor: T,
}

/// How a thread computes a product.
#[derive(Clone, Copy)]
enum Way {
    /// In blocks, by `faer`.
    Blocks,
    /// In tiles.
    Tiles(Avx2),
}

/// A number that matrices are multiplied of.
pub(crate) trait Multiplied: ComplexField + Copy {
    /// Computes a product in tiles. There are none of complex numbers.
    const TILES: Option<fn(TiledProduct<'_, Self>, Avx2)>;
}

macro_rules! multiplied {
    ($number:ty, $tiles:expr) => {
        impl Multiplied for $number {
            const TILES: Option<fn(TiledProduct<'_, Self>, Avx2)> = $tiles;
        }
    };
}

multiplied!(f32, Some(tiled::multiply::<f32, 16>));
multiplied!(f64, Some(tiled::multiply::<f64, 8>));
multiplied!(c32, None);
multiplied!(c64, None);

impl<'a, T: Multiplied> Product<'a, T> {
    fn new(left: MatRef<'a, T>, right: MatRef<'a, T>, out: MatMut<'a, T>) -> Self {
        Self {
            left,
            right,
            conjugate_right: Conj::No,
            out,
            accumulate: Accum::Replace,
            factor: T::one_impl(),
        }
    }

    /// Computes it, a share by each of `count` threads.
    fn share(self, threads: Threads<'_>, count: usize) {
        let way = self.way();
        let [rows, columns] = [self.out.nrows(), self.out.ncols()];
        // The columns of the right matrix that a thread needs stay in its second cache, if they are no more than a block has.
        let is_few_columns =
            matches!(way, Way::Blocks) && columns <= largest_block(size_of::<T>())[1] * count;
        let by_rows = if is_few_columns && columns >= FEW_COLUMNS * count {
            false
        } else {
            rows >= FEW_ROWS * count || rows >= columns
        };
        let (size, unit) = if by_rows {
            (rows, REGISTER)
        } else {
            (columns, tile_columns(size_of::<T>()))
        };
        let (mut shares, mut rest, mut begin) = (Vec::with_capacity(count), self, 0);
        for index in 1..count {
            let end = cut(size, unit, index, count);
            let (share, others) = if by_rows {
                rest.split_rows(end - begin)
            } else {
                rest.split_columns(end - begin)
            };
            shares.push(share);
            (rest, begin) = (others, end);
        }
        shares.push(rest);
        threads.share(shares, |share| share.run_by(way));
    }

    fn split_rows(self, cut: usize) -> (Self, Self) {
        let (left_top, left_bottom) = self.left.split_at_row(cut);
        let (top, bottom) = self.out.split_at_row_mut(cut);
        let part = |left, out| Self { left, out, ..self };
        (part(left_top, top), part(left_bottom, bottom))
    }

    fn split_columns(self, cut: usize) -> (Self, Self) {
        let (right_head, right_tail) = self.right.split_at_col(cut);
        let (head, tail) = self.out.split_at_col_mut(cut);
        let part = |right, out| Self { right, out, ..self };
        (part(right_head, head), part(right_tail, tail))
    }

    /// Computes it on this thread.
    pub(crate) fn run(self) {
        let way = self.way();
        self.run_by(way);
    }

    /// The quickest way. All shares of a product take the same: sums are formed in another order in each.
    fn way(&self) -> Way {
        let (rows, columns) = self.out.shape();
        let inner = self.left.ncols();
        let multiplications = rows.saturating_mul(inner).saturating_mul(columns);
        let is_worth_copies = multiplications >= TILED_FROM
            && rows.min(columns) >= TILED_SIDE
            && inner >= TILED_DEPTH;
        let are_contiguous = [self.left, self.right, self.out.as_ref()]
            .into_iter()
            .all(TiledProduct::is_contiguous);
        match Avx2::if_widest() {
            Some(avx2) if T::TILES.is_some() && is_worth_copies && are_contiguous => {
                Way::Tiles(avx2)
            }
            _ => Way::Blocks,
        }
    }

    fn run_by(self, way: Way) {
        match (way, T::TILES) {
            (Way::Tiles(avx2), Some(run)) => run(
                TiledProduct {
                    left: self.left,
                    right: self.right,
                    out: self.out,
                    accumulate: self.accumulate,
                    factor: self.factor,
                },
                avx2,
            ),
            _ => self.by_blocks(),
        }
    }

    /// Computes it by `faer`, on this thread.
    fn by_blocks(mut self) {
        let [rows, columns] = [self.out.nrows(), self.out.ncols()];
        let inner = self.left.ncols();
        let largest = largest_block(size_of::<T>());
        let block = [
            even(rows, largest[0], 8),
            even(columns, largest[1], 2 * tile_columns(size_of::<T>())),
            even(inner, largest[2], 8),
        ];
        for row in (0..rows).step_by(block[0]) {
            let height = block[0].min(rows - row);
            for column in (0..columns).step_by(block[1]) {
                let width = block[1].min(columns - column);
                let mut out = self.out.as_mut().submatrix_mut(row, column, height, width);
                let mut accumulate = self.accumulate;
                for start in (0..inner).step_by(block[2]) {
                    let depth = block[2].min(inner - start);
                    let left = self.left.submatrix(row, start, height, depth);
                    let right = self.right.submatrix(start, column, depth, width);
                    matmul_with_conj(
                        out.as_mut(),
                        accumulate,
                        left,
                        Conj::No,
                        right,
                        self.conjugate_right,
                        self.factor,
                        Par::Seq,
                    );
                    accumulate = Accum::Add;
                }
            }
        }
    }
}

/// The size of a side's blocks if none has more than `most`, and none is much smaller than the others, in whole units: `faer`
/// adds in another order where a side is very short.
fn even(size: usize, most: usize, unit: usize) -> usize {
    size.div_ceil(size.div_ceil(most).max(1))
        .next_multiple_of(unit)
        .max(unit)
}

/// How many columns `faer` computes at once, with elements of so many bytes: those of three registers with 32 bytes, or of
/// half as many with 64. A part of them takes as long as all.
const fn tile_columns(element_bytes: usize) -> usize {
    96 / element_bytes
}

/// With fewer rows for each thread, columns are shared.
const FEW_ROWS: usize = 96;

/// With fewer columns for each thread, rows are shared.
const FEW_COLUMNS: usize = 64;

/// How many rows belong together: those of a register, where the result lies by columns.
const REGISTER: usize = 8;

/// Where to cut a side so that the first of the threads have their part of it, in whole units if there are many.
fn cut(size: usize, unit: usize, first: usize, threads: usize) -> usize {
    let even = size * first / threads;
    if size >= 8 * unit * threads {
        even.next_multiple_of(unit)
    } else {
        even
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small integers, so that products are exact.
    fn numbers(count: usize, modulus: usize) -> Vec<f64> {
        (0..count).map(|i| (i * 7 % modulus) as f64 - 3.0).collect()
    }

    fn naive(plan: &BatchProduct, left: &[f64], right: &[f64]) -> Vec<f64> {
        let at = |order, rows: usize, columns: usize, row: usize, column: usize| match order {
            Order::ByRows => row * columns + column,
            Order::ByColumns => column * rows + row,
        };
        let mut out = Vec::new();
        for &[a, b] in &plan.matrices {
            let left = &left[a * plan.rows * plan.inner..];
            let right = &right[b * plan.inner * plan.columns..];
            for i in 0..plan.rows {
                for j in 0..plan.columns {
                    let product = |k: usize| {
                        left[at(plan.left_order, plan.rows, plan.inner, i, k)]
                            * right[at(plan.right_order, plan.inner, plan.columns, k, j)]
                    };
                    out.push((0..plan.inner).map(product).sum());
                }
            }
        }
        out
    }

    #[test]
    fn products_have_the_same_bits_for_any_number_of_threads() {
        for shape in [
            [100, 103, 101],
            [215, 215, 215],
            [120, 90, 260],
            [331, 403, 307],
        ] {
            check_bits(shape);
        }
    }

    fn check_bits([rows, inner, columns]: [usize; 3]) {
        let number = |i: usize| (i as f64 * 0.7).sin();
        let left: Vec<f64> = (0..rows * inner).map(number).collect();
        let right: Vec<f64> = (0..inner * columns).map(number).collect();
        let plan = BatchProduct {
            rows,
            inner,
            columns,
            left_order: Order::ByRows,
            right_order: Order::ByRows,
            matrices: vec![[0, 0]],
        };
        let by = |count| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let mut out = vec![0.0; rows * columns];
            plan.multiply(&left, &right, &mut out, Threads::new(Some(&pool.unwrap())));
            out
        };
        let alone = by(1);
        assert!((2..=4).all(|count| by(count) == alone));
        let error = alone.iter().zip(naive(&plan, &left, &right));
        assert!(error.map(|(a, b)| (a - b).abs()).all(|error| error < 1e-10));
    }

    #[test]
    fn products_are_those_of_the_definition_however_they_are_shared() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap();
        for (rows, inner, columns, batch) in [
            (3, 5, 4, 2),
            (1, 7, 9, 3),
            (230, 40, 110, 1),
            (17, 60, 300, 1),
            (200, 120, 350, 1),
            (1100, 520, 150, 1),
            (40, 40, 40, 9),
        ] {
            for left_order in [Order::ByRows, Order::ByColumns] {
                for right_order in [Order::ByRows, Order::ByColumns] {
                    let plan = BatchProduct {
                        rows,
                        inner,
                        columns,
                        left_order,
                        right_order,
                        matrices: (0..batch).map(|each| [0, each]).collect(),
                    };
                    let left = numbers(rows * inner, 11);
                    let right = numbers(batch * inner * columns, 13);
                    let mut out = vec![f64::NAN; batch * rows * columns];
                    plan.multiply(&left, &right, &mut out, Threads::new(Some(&pool)));
                    assert_eq!(out, naive(&plan, &left, &right));
                }
            }
        }
    }
}
