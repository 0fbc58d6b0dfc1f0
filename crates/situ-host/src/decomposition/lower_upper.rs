//! A matrix as a product of a lower and an upper triangle, its rows exchanged: Gaussian elimination.
//!
//! Columns are eliminated panel by panel, and a wide panel is eliminated like a matrix, down to those that
//! are left to `faer`. What follows from a panel for the columns to its right is shared among the [`Threads`], some columns
//! at a time. The next panel is eliminated meanwhile, so that nobody waits for it. Nothing of this depends on how
//! many threads there are, and neither does the answer.

use std::sync::atomic::{AtomicBool, Ordering};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};

use super::determinant::Determinant;
use super::field::{Field, Float, Scaled};
use super::room::Room;
use super::scales::{Scales, are_moderate};
use super::{Problem, SHARED_FROM};
use crate::matrix_product::Product;
use crate::parallel;
use crate::threads::Threads;

/// How many columns are left to `faer`.
const NARROW: usize = 64;

/// How many columns are eliminated before the others learn of it, of so many that are left.
///
/// What is to the right of them is read and written once for each panel, so that few wide ones are better while that comes
/// from memory. Towards the end there are too few columns beside a wide panel to keep the other threads busy.
fn panel_width(columns: usize) -> usize {
    match columns {
        0..768 => NARROW.min(columns),
        768..1536 => 2 * NARROW,
        _ => 4 * NARROW,
    }
}

/// How many columns a thread brings up to date at a time, after so many were eliminated. It copies these in the order in
/// which a product reads them, which takes the longer, the more there are.
fn chunk_width(eliminated: usize) -> usize {
    if eliminated > NARROW { 288 } else { 144 }
}

/// How many numbers a thread copies at a time.
const COPIED: usize = 1 << 15;

/// The two triangles of a square matrix.
pub(super) struct LowerUpper<'a, T> {
    size: usize,
    /// The upper triangle, and below it the lower one without the ones on its diagonal; row by row.
    factors: Room<'a, T>,
    /// Which row of the matrix each row is.
    order: Vec<usize>,
    /// What the matrix was multiplied by, if its numbers are too large or too small.
    scales: Option<Scales>,
    /// Who shares the work.
    threads: Threads<'a>,
}

impl<'a, T: Field> LowerUpper<'a, T> {
    /// Of a matrix that lies in memory row after row, and none if it has a NaN. The factors are in `room` if
    /// there is any.
    pub(super) fn of(
        size: usize,
        matrix: &[T],
        room: Option<&'a mut [T]>,
        threads: Threads<'a>,
    ) -> Option<Self> {
        let mut factors = Room::new(room, matrix.len());
        let mut order = copy_and_eliminate(size, matrix, &mut factors, threads)?;
        let mut scales = None;
        let is_singular = pivots(&factors, size).any(is_zero);
        if !are_moderate(&factors, pivots(&factors, size)) || is_singular && may_underflow(&factors)
        {
            let found = Scales::of(size, matrix);
            let scaled = found.apply(matrix);
            order = copy_and_eliminate(size, &scaled, &mut factors, threads)?;
            scales = Some(found);
            // A pivot that was zero is so for good if it is no more than a rounding error of numbers near one.
            let least = T::Part::ONE.times_power_of_two(-T::Part::MANTISSA_BITS)
                * T::Part::from_double(size as f64);
            if is_singular && pivots(&factors, size).any(|pivot| pivot.largest_part() <= least) {
                factors[0] = T::from_real(T::Part::ZERO);
            }
        }
        Some(Self {
            size,
            factors,
            order,
            scales,
            threads,
        })
    }

    fn factors(&self) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(&self.factors, self.size, self.size)
    }

    /// The determinant: the product of the pivots, with the sign of the row exchanges.
    pub(super) fn determinant(&self) -> Determinant<T> {
        let mut determinant = Determinant::new(self.sign());
        for pivot in pivots(&self.factors, self.size) {
            determinant.multiply(pivot);
        }
        if let Some(scales) = &self.scales {
            determinant.power -= scales.sum();
        }
        determinant
    }

    /// The same if no pivot is zero.
    pub(super) fn regular(self) -> Result<Self, Problem> {
        if pivots(&self.factors, self.size).any(is_zero) {
            Err(Problem::Singular)
        } else {
            Ok(self)
        }
    }

    /// One if the rows were exchanged an even number of times, and minus one otherwise.
    fn sign(&self) -> T {
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
        match &self.scales {
            None => self.solve_in_order(solution),
            Some(scales) => {
                let powers = scales.scale_right_sides(&self.order, solution.as_mut());
                self.solve_in_order(solution.as_mut());
                scales.scale_solutions(&powers, solution);
            }
        }
    }

    /// The inverse, row after row.
    pub(super) fn invert(&self, inverse: &mut [T]) {
        if self.scales.is_some() {
            let identity = Mat::<T>::identity(self.size, self.size);
            let inverse = MatMut::from_row_major_slice_mut(inverse, self.size, self.size);
            return self.solve(identity.as_ref(), inverse);
        }
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
            self.threads
                .install(|| in_chunks(right, chunk_width(NARROW), &solve));
        }
    }
}

fn is_zero<T: Field>(number: T) -> bool {
    number.largest_part() == T::Part::ZERO
}

/// Whether products of such numbers may be too small to be numbers.
fn may_underflow<T: Field>(numbers: &[T]) -> bool {
    let least = T::Part::SMALL_SQUARE.root();
    let mut sizes = numbers.iter().map(|number| number.largest_part());
    sizes.any(|size| size > T::Part::ZERO && size < least)
}

/// The numbers on the diagonal of a matrix.
fn pivots<T: Field>(factors: &[T], size: usize) -> impl Iterator<Item = T> {
    factors.iter().step_by(size + 1).copied()
}

/// Copies a matrix and eliminates the columns of the copy; none if it has a NaN.
fn copy_and_eliminate<T: Field>(
    size: usize,
    matrix: &[T],
    factors: &mut [T],
    threads: Threads<'_>,
) -> Option<Vec<usize>> {
    if size <= 2 * NARROW {
        let is_number = copy_numbers(matrix, factors);
        is_number.then(|| eliminate_narrow(rows_of(factors, size)))
    } else {
        threads.install(|| {
            let is_number = share_copy_of_numbers(matrix, factors);
            is_number.then(|| eliminate(rows_of(factors, size)))
        })
    }
}

/// A square matrix of so many rows, one after the other.
fn rows_of<T>(numbers: &mut [T], size: usize) -> MatMut<'_, T> {
    MatMut::from_row_major_slice_mut(numbers, size, size)
}

/// Copies numbers, some on each of the threads of the pool, and tells whether none is a NaN.
fn share_copy_of_numbers<T: Field>(from: &[T], to: &mut [T]) -> bool {
    let has_nan = AtomicBool::new(false);
    let parts = to.chunks_mut(COPIED).zip(from.chunks(COPIED));
    parallel::for_each_part(parts, |(to, from)| {
        if !copy_numbers(from, to) {
            has_nan.store(true, Ordering::Relaxed);
        }
    });
    !has_nan.into_inner()
}

/// Copies numbers, and tells whether none is a NaN.
fn copy_numbers<T: Field>(from: &[T], to: &mut [T]) -> bool {
    to.copy_from_slice(from);
    // To the end in any case, so that it is a loop of vectors.
    !from
        .iter()
        .fold(false, |found, number| found | number.has_nan())
}

/// Eliminates all columns of a matrix, which has at least as many rows, and tells which row each row was.
fn eliminate<T: Field>(mut matrix: MatMut<'_, T>) -> Vec<usize> {
    let (rows, columns) = matrix.shape();
    if columns <= NARROW {
        return eliminate_narrow(matrix);
    }
    let mut order: Vec<usize> = (0..rows).collect();
    let (mut start, mut end) = (0, panel_width(columns));
    let mut exchanged = eliminate(matrix.as_mut().subcols_mut(0, end));
    loop {
        let before = order[start..].to_vec();
        for (row, &from) in order[start..].iter_mut().zip(&exchanged) {
            *row = before[from];
        }
        let below = matrix.as_mut().subrows_mut(start, rows - start);
        let (left, others) = below.split_at_col_mut(start);
        let (panel, rest) = others.split_at_col_mut(end - start);
        let step = Step {
            moves: moves(&exchanged),
            panel: panel.as_ref(),
        };
        if rest.ncols() == 0 {
            step.exchange(left);
            return order;
        }
        let width = panel_width(rest.ncols());
        let (mut next, rest) = rest.split_at_col_mut(width);
        let (found, ()) = parallel::join(
            || {
                step.update_shared(next.as_mut());
                let (_, below) = next.split_at_row_mut(step.panel.ncols());
                eliminate(below)
            },
            || {
                parallel::join(|| step.exchange(left), || step.update_shared(rest));
            },
        );
        exchanged = found;
        (start, end) = (end, end + width);
    }
}

/// Eliminates the columns of a matrix that has few of them, by `faer`.
fn eliminate_narrow<T: Field>(mut matrix: MatMut<'_, T>) -> Vec<usize> {
    let (rows, columns) = matrix.shape();
    // `faer` wants columns whose elements are neighbours.
    let mut copy = Mat::<T>::zeros(rows, columns);
    copy_across(matrix.as_ref(), copy.as_mut());
    let scratch = lu_in_place_scratch::<usize, T>(rows, columns, Par::Seq, faer::Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let mut order = vec![0_usize; rows];
    let mut inverse = vec![0_usize; rows];
    lu_in_place(
        copy.as_mut(),
        &mut order,
        &mut inverse,
        Par::Seq,
        MemStack::new(&mut memory),
        faer::Spec::default(),
    );
    copy_across(copy.as_ref(), matrix.as_mut());
    order
}

/// Copies a matrix to one that lies the other way, by rows or by columns. A few rows at a time stay in the
/// nearest cache however far they are apart.
pub(super) fn copy_across<T: Field>(from: MatRef<'_, T>, mut to: MatMut<'_, T>) {
    const ROWS: usize = 16;
    for start in (0..from.nrows()).step_by(ROWS) {
        for column in 0..from.ncols() {
            for row in start..from.nrows().min(start + ROWS) {
                to[(row, column)] = from[(row, column)];
            }
        }
    }
}

/// A row, and which row is to be there.
type Move = (usize, usize);

/// The rows that are not where they were.
fn moves(order: &[usize]) -> Vec<Move> {
    let moves = order.iter().copied().enumerate();
    moves.filter(|(to, from)| to != from).collect()
}

/// A panel that was eliminated, and its rows that were exchanged.
struct Step<'a, T> {
    moves: Vec<Move>,
    panel: MatRef<'a, T>,
}

impl<T: Field> Step<'_, T> {
    /// Brings columns up to date, some on each of the threads of the pool.
    fn update_shared(&self, columns: MatMut<'_, T>) {
        let width = chunk_width(self.panel.ncols());
        in_chunks(columns, width, &|columns| self.update(columns));
    }

    /// Brings columns up to date.
    fn update(&self, mut columns: MatMut<'_, T>) {
        self.exchange(columns.as_mut());
        let (mut top, bottom) = columns.split_at_row_mut(self.panel.ncols());
        let (triangle, below) = self.panel.split_at_row(self.panel.ncols());
        // Rows that follow each other in memory: those of the matrix may be where the cache has room for a few only.
        let mut solved = Mat::<T>::zeros(top.ncols(), top.nrows());
        let mut solved = solved.as_mut().transpose_mut();
        solved.copy_from(top.as_ref());
        solve_unit_lower_triangular_in_place(triangle, solved.as_mut(), Par::Seq);
        top.copy_from(solved.as_ref());
        let product = Product {
            left: below,
            right: solved.as_ref(),
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
        for &(_, from) in &self.moves {
            let row = columns.as_ref().row(from).try_as_row_major();
            let row = row.expect("matrices lie row by row here");
            kept.extend_from_slice(row.as_slice());
        }
        for (&(to, _), kept) in self.moves.iter().zip(kept.chunks_exact(width.max(1))) {
            let row = columns.as_mut().row_mut(to).try_as_row_major_mut();
            let row = row.expect("matrices lie row by row here");
            row.as_slice_mut().copy_from_slice(kept);
        }
    }
}

/// Does something to the columns of a matrix, at most `width` at a time, on the threads of the pool.
fn in_chunks<T: Field>(
    columns: MatMut<'_, T>,
    width: usize,
    work: &(impl Fn(MatMut<'_, T>) + Sync),
) {
    let chunks = columns.ncols().div_ceil(width);
    if chunks <= 1 {
        return work(columns);
    }
    let (head, tail) = columns.split_at_col_mut(chunks / 2 * width);
    parallel::join(
        || in_chunks(head, width, work),
        || in_chunks(tail, width, work),
    );
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
        for size in [1, 5, 64, 65, 130, 300, 450, 900, 1600] {
            let matrix = random(size * size);
            let found = LowerUpper::of(size, &matrix, None, Threads::default()).unwrap();
            let factors = found.factors();
            // All rows of small matrices.
            for row in (0..size).step_by(size / 300 + 1) {
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
    fn factors_have_the_same_bits_for_any_number_of_threads() {
        for size in [300, 900] {
            let matrix = random(size * size);
            let by = |count| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
                let pool = pool.unwrap();
                let mut room = vec![f64::NAN; size * size];
                let threads = Threads::new(Some(&pool));
                let found = LowerUpper::of(size, &matrix, Some(&mut room), threads);
                let order = found.unwrap().order;
                (room, order)
            };
            let alone = by(1);
            assert!((2..=3).all(|count| by(count) == alone), "{size}");
        }
    }

    #[test]
    fn the_inverse_times_the_matrix_is_the_identity() {
        let size = 170;
        let matrix = random(size * size);
        let mut inverse = vec![0.0; size * size];
        let found = LowerUpper::of(size, &matrix, None, Threads::default());
        found.unwrap().invert(&mut inverse);
        let matrix = MatRef::from_row_major_slice(&matrix, size, size);
        let product = matrix * MatRef::from_row_major_slice(&inverse, size, size);
        let error = (product - Mat::<f64>::identity(size, size)).norm_max();
        assert!(error < 1e-10, "{error}");
    }
}
