//! Products of matrices in host memory, by `faer`.
//!
//! The work is shared among the threads of the [`super::pool`] here, and each share is a product that
//! one thread computes. So nothing waits inside of `faer`, and the answer is the same for any number
//! of threads: a share has whole rows or whole columns of the result.

use bytemuck::Pod;
use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::pool;

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

/// Multiplications that take some 50 microseconds: less is not worth a second thread.
const SHARED_FROM: usize = 500_000;

impl BatchProduct {
    /// Whether it takes less than some 100 microseconds.
    pub fn is_brief(&self) -> bool {
        self.multiplications() * self.matrices.len() < 2 * SHARED_FROM
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
    pub fn run<T: ComplexField + Pod>(&self, left: &[u8], right: &[u8], out: &mut [u8]) {
        let (left, right): (&[T], &[T]) = (bytemuck::cast_slice(left), bytemuck::cast_slice(right));
        let out: &mut [T] = bytemuck::cast_slice_mut(out);
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
        let threads = pool::threads();
        if threads == 1 || self.is_brief() {
            for (out, &numbers) in out.chunks_exact_mut(each).zip(&self.matrices) {
                let (left, right) = pair(numbers);
                multiply(
                    left,
                    right,
                    MatMut::from_row_major_slice_mut(out, self.rows, self.columns),
                );
            }
        } else if self.matrices.len() >= 2 * threads || self.multiplications() < SHARED_FROM {
            pool::install(|| {
                out.par_chunks_exact_mut(each)
                    .zip(&self.matrices)
                    .for_each(|(out, &numbers)| {
                        let (left, right) = pair(numbers);
                        let out = MatMut::from_row_major_slice_mut(out, self.rows, self.columns);
                        multiply(left, right, out);
                    });
            });
        } else {
            pool::install(|| {
                for (out, &numbers) in out.chunks_exact_mut(each).zip(&self.matrices) {
                    let (left, right) = pair(numbers);
                    let out = MatMut::from_row_major_slice_mut(out, self.rows, self.columns);
                    share(left, right, out, threads);
                }
            });
        }
    }
}

fn matrix<T>(elements: &[T], order: Order, rows: usize, columns: usize) -> MatRef<'_, T> {
    match order {
        Order::ByRows => MatRef::from_row_major_slice(elements, rows, columns),
        Order::ByColumns => MatRef::from_column_major_slice(elements, rows, columns),
    }
}

fn multiply<T: ComplexField>(left: MatRef<'_, T>, right: MatRef<'_, T>, out: MatMut<'_, T>) {
    matmul(out, Accum::Replace, left, right, T::one_impl(), Par::Seq);
}

/// One product, the longer side of the result cut into a share for each thread.
fn share<T: ComplexField>(
    left: MatRef<'_, T>,
    right: MatRef<'_, T>,
    out: MatMut<'_, T>,
    threads: usize,
) {
    if threads <= 1 {
        return multiply(left, right, out);
    }
    let first = threads / 2;
    if out.nrows() >= out.ncols() {
        let cut = cut(out.nrows(), first, threads);
        let (top, bottom) = out.split_at_row_mut(cut);
        let (left_top, left_bottom) = left.split_at_row(cut);
        rayon::join(
            || share(left_top, right, top, first),
            || share(left_bottom, right, bottom, threads - first),
        );
    } else {
        let cut = cut(out.ncols(), first, threads);
        let (head, tail) = out.split_at_col_mut(cut);
        let (right_head, right_tail) = right.split_at_col(cut);
        rayon::join(
            || share(left, right_head, head, first),
            || share(left, right_tail, tail, threads - first),
        );
    }
}

/// Where to cut a side so that the first of the threads have their part of it, in whole registers.
fn cut(size: usize, first: usize, threads: usize) -> usize {
    const REGISTERS: usize = 48;
    let even = size * first / threads;
    if size >= 4 * REGISTERS {
        even.next_multiple_of(REGISTERS).min(size)
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
    fn products_are_those_of_the_definition_however_they_are_shared() {
        for (rows, inner, columns, batch) in [
            (3, 5, 4, 2),
            (1, 7, 9, 3),
            (230, 40, 110, 1),
            (17, 60, 300, 1),
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
                    plan.run::<f64>(
                        bytemuck::cast_slice(&left),
                        bytemuck::cast_slice(&right),
                        bytemuck::cast_slice_mut(&mut out),
                    );
                    assert_eq!(out, naive(&plan, &left, &right));
                }
            }
        }
    }
}
