//! A matrix as a product of a lower and an upper triangle, its rows exchanged: Gaussian elimination.
//!
//! Columns are eliminated [`PANEL`] at a time. A panel is `faer`'s and one thread's; what follows from it for
//! the columns to its right is shared among the [`Threads`], [`CHUNK`] columns at a time. The
//! next panel is eliminated meanwhile, so that nobody waits for it. Nothing of this depends on how many
//! threads there are, and neither does the answer.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};

use super::SHARED_FROM;
use super::field::{Field, Float};
use crate::matrix_product::Product;
use crate::threads::Threads;

/// How many columns are eliminated before the others learn of it.
const PANEL: usize = 64;

/// How many columns a thread brings up to date at a time.
const CHUNK: usize = 144;

/// The two triangles of a square matrix.
pub(super) struct LowerUpper<'a, T> {
    size: usize,
    /// The upper triangle, and below it the lower one without the ones on its diagonal; row by row.
    factors: Vec<T>,
    /// Which row of the matrix each row is.
    order: Vec<usize>,
    /// Who shares the work.
    threads: Threads<'a>,
}

impl<'a, T: Field> LowerUpper<'a, T> {
    /// Of a matrix that lies in memory row after row.
    pub(super) fn of(size: usize, matrix: &[T], threads: Threads<'a>) -> Self {
        let mut found = Self {
            size,
            factors: matrix.to_vec(),
            order: (0..size).collect(),
            threads,
        };
        let factors = MatMut::from_row_major_slice_mut(&mut found.factors, size, size);
        let order = &mut found.order;
        if size <= 2 * PANEL {
            eliminate(factors, order);
        } else {
            threads.install(|| eliminate(factors, order));
        }
        found
    }

    fn factors(&self) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(&self.factors, self.size, self.size)
    }

    /// The diagonal of the upper triangle.
    pub(super) fn pivots(&self) -> impl Iterator<Item = T> {
        self.factors.iter().step_by(self.size + 1).copied()
    }

    /// Whether a pivot is zero.
    pub(super) fn is_singular(&self) -> bool {
        self.pivots()
            .any(|pivot| pivot.magnitude() == T::Part::ZERO)
    }

    /// One if the rows were exchanged an even number of times, and minus one otherwise.
    pub(super) fn sign(&self) -> T {
        let mut seen = vec![false; self.size];
        let mut is_odd = false;
        for start in 0..self.size {
            let mut at = start;
            while !seen[at] {
                seen[at] = true;
                at = self.order[at];
                // A cycle of n rows is n - 1 exchanges.
                is_odd ^= at != start;
            }
        }
        let one = T::from_real(T::Part::ONE);
        if is_odd { -one } else { one }
    }

    /// Solves a system of equations for the columns of `right`.
    pub(super) fn solve(&self, right: MatRef<'_, T>, mut solution: MatMut<'_, T>) {
        for (row, &from) in self.order.iter().enumerate() {
            solution.as_mut().row_mut(row).copy_from(right.row(from));
        }
        self.solve_in_order(solution);
    }

    /// The inverse, row after row.
    pub(super) fn invert(&self, inverse: &mut [T]) {
        inverse.fill(T::from_real(T::Part::ZERO));
        for (row, &from) in self.order.iter().enumerate() {
            inverse[row * self.size + from] = T::from_real(T::Part::ONE);
        }
        let inverse = MatMut::from_row_major_slice_mut(inverse, self.size, self.size);
        self.solve_in_order(inverse);
    }

    /// Solves for right sides whose rows were exchanged, each thread for some of them.
    fn solve_in_order(&self, right: MatMut<'_, T>) {
        let factors = self.factors();
        let solve = |mut right: MatMut<'_, T>| {
            solve_unit_lower_triangular_in_place(factors, right.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(factors, right, Par::Seq);
        };
        if self.size * self.size * right.ncols() < SHARED_FROM {
            solve(right);
        } else {
            self.threads.install(|| in_chunks(right, &solve));
        }
    }
}

/// A row, and which row is to be there.
type Move = (usize, usize);

/// Eliminates all columns.
fn eliminate<T: Field>(mut matrix: MatMut<'_, T>, order: &mut [usize]) {
    let size = matrix.nrows();
    let first = matrix.as_mut().subcols_mut(0, PANEL.min(size));
    let mut moves = eliminate_panel(first);
    for start in (0..size).step_by(PANEL) {
        let end = size.min(start + PANEL);
        let before = order[start..].to_vec();
        for &(to, from) in &moves {
            order[start + to] = before[from];
        }
        let below = matrix.as_mut().subrows_mut(start, size - start);
        let (left, others) = below.split_at_col_mut(start);
        let (panel, rest) = others.split_at_col_mut(end - start);
        let step = Step {
            moves: &moves,
            panel: panel.as_ref(),
        };
        let width = PANEL.min(rest.ncols());
        let (mut next, rest) = rest.split_at_col_mut(width);
        if width == 0 {
            step.exchange(left);
            return;
        }
        let (next_moves, ()) = rayon::join(
            || {
                step.update(next.as_mut());
                let height = next.nrows() - step.panel.ncols();
                eliminate_panel(next.subrows_mut(step.panel.ncols(), height))
            },
            || {
                rayon::join(
                    || step.exchange(left),
                    || in_chunks(rest, &|columns| step.update(columns)),
                );
            },
        );
        moves = next_moves;
    }
}

/// Eliminates the columns of a panel, which has at least as many rows, and tells which rows were exchanged.
fn eliminate_panel<T: Field>(mut panel: MatMut<'_, T>) -> Vec<Move> {
    let (rows, columns) = panel.shape();
    // `faer` wants columns whose elements are neighbours.
    let mut copy = Mat::<T>::zeros(rows, columns);
    copy.copy_from(panel.as_ref());
    let scratch = lu_in_place_scratch::<usize, T>(rows, columns, Par::Seq, faer::Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let mut from = vec![0_usize; rows];
    let mut to = vec![0_usize; rows];
    lu_in_place(
        copy.as_mut(),
        &mut from,
        &mut to,
        Par::Seq,
        MemStack::new(&mut memory),
        faer::Spec::default(),
    );
    panel.copy_from(&copy);
    let moves = from.into_iter().enumerate();
    moves.filter(|(to, from)| to != from).collect()
}

/// A panel that was eliminated, and its rows that were exchanged.
struct Step<'a, T> {
    moves: &'a [Move],
    panel: MatRef<'a, T>,
}

impl<T: Field> Step<'_, T> {
    /// Brings columns up to date.
    fn update(&self, mut columns: MatMut<'_, T>) {
        self.exchange(columns.as_mut());
        let (top, bottom) = columns.split_at_row_mut(self.panel.ncols());
        let (triangle, below) = self.panel.split_at_row(self.panel.ncols());
        let mut top = top;
        solve_unit_lower_triangular_in_place(triangle, top.as_mut(), Par::Seq);
        let product = Product {
            left: below,
            right: top.as_ref(),
            conjugate_right: Conj::No,
            out: bottom,
            accumulate: Accum::Add,
            factor: -T::from_real(T::Part::ONE),
        };
        product.run();
    }

    /// Exchanges rows of columns.
    fn exchange(&self, mut columns: MatMut<'_, T>) {
        let width = columns.ncols();
        let mut kept = Vec::with_capacity(self.moves.len() * width);
        for &(_, from) in self.moves {
            kept.extend(columns.as_ref().row(from).iter().copied());
        }
        for (&(to, _), kept) in self.moves.iter().zip(kept.chunks_exact(width.max(1))) {
            let kept = faer::RowRef::from_slice(kept);
            columns.as_mut().row_mut(to).copy_from(kept);
        }
    }
}

/// Does something to the columns of a matrix, some at a time, on the threads of the pool.
fn in_chunks<T: Field>(columns: MatMut<'_, T>, work: &(impl Fn(MatMut<'_, T>) + Sync)) {
    let chunks = columns.ncols().div_ceil(CHUNK);
    if chunks <= 1 {
        return work(columns);
    }
    let (head, tail) = columns.split_at_col_mut(chunks / 2 * CHUNK);
    rayon::join(|| in_chunks(head, work), || in_chunks(tail, work));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize) -> Vec<f64> {
        let mut state = 1_u64;
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn the_triangles_multiply_to_the_matrix_with_its_rows_exchanged() {
        for size in [1, 5, 64, 65, 130, 300, 450] {
            let matrix = random(size * size);
            let found = LowerUpper::of(size, &matrix, Threads::default());
            let factors = found.factors();
            for row in 0..size {
                for column in 0..size {
                    let upto = row.min(column + 1);
                    let below: f64 = (0..upto)
                        .map(|k| factors[(row, k)] * factors[(k, column)])
                        .sum();
                    let above = if row <= column {
                        factors[(row, column)]
                    } else {
                        0.0
                    };
                    let expected = matrix[found.order[row] * size + column];
                    let error = (below + above - expected).abs();
                    assert!(error < 1e-12, "{size}: {row}, {column}");
                    assert!(column >= row || factors[(row, column)].abs() <= 1.0);
                }
            }
        }
    }

    #[test]
    fn the_inverse_times_the_matrix_is_the_identity() {
        let size = 170;
        let matrix = random(size * size);
        let mut inverse = vec![0.0; size * size];
        LowerUpper::of(size, &matrix, Threads::default()).invert(&mut inverse);
        let matrix = MatRef::from_row_major_slice(&matrix, size, size);
        let product = matrix * MatRef::from_row_major_slice(&inverse, size, size);
        let error = (product - Mat::<f64>::identity(size, size)).norm_max();
        assert!(error < 1e-10, "{error}");
    }
}
