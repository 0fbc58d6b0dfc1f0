//! Cholesky's decomposition of a large matrix by several threads.
//!
//! As in [`super::lower_upper`]: [`PANEL`] columns are found by one thread, what follows for the columns to their right
//! is shared, [`CHUNK`] columns at a time, and the next panel is found meanwhile. The answer does not depend
//! on how many threads there are.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place_with_conj;
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};

use super::Problem;
use super::field::{Field, Float};
use super::lower_upper::copy_across;
use crate::matrix_product::Product;
use crate::parallel;
use crate::threads::Threads;

/// How many columns are found before the others learn of it.
const PANEL: usize = 96;

/// How many columns a thread brings up to date at a time.
const CHUNK: usize = 144;

/// Replaces the lower triangle of a matrix by that of its factor. What is above the diagonal is not read,
/// and left with whatever numbers.
pub(super) fn factor_lower<T: Field>(
    matrix: MatMut<'_, T>,
    threads: Threads<'_>,
) -> Result<(), Problem> {
    if matrix.nrows() <= 2 * PANEL {
        factor_diagonal(matrix)
    } else {
        threads.install(|| factor_panels(matrix))
    }
}

fn factor_panels<T: Field>(mut matrix: MatMut<'_, T>) -> Result<(), Problem> {
    let size = matrix.nrows();
    let mut turned = factor_panel(matrix.as_mut().subcols_mut(0, PANEL.min(size)))?;
    for start in (0..size).step_by(PANEL) {
        let end = size.min(start + PANEL);
        let below = matrix.as_mut().subrows_mut(end, size - end);
        let (left, rest) = below.split_at_col_mut(end);
        let step = Step {
            panel: left.as_ref().subcols(start, end - start),
            turned: turned.as_ref().transpose(),
        };
        let width = PANEL.min(size - end);
        let (mut next, rest) = rest.split_at_col_mut(width);
        let (found, ()) = parallel::join(
            || {
                step.update(0, next.as_mut());
                factor_panel(next)
            },
            || step.update_chunks(width, rest),
        );
        turned = found?;
    }
    Ok(())
}

/// Finds the columns of the factor that start with a square on the diagonal. What is below the square is returned, too: its
/// transpose lies row by row, as products want it.
fn factor_panel<T: Field>(panel: MatMut<'_, T>) -> Result<Mat<T>, Problem> {
    let width = panel.ncols();
    let (mut square, mut below) = panel.split_at_row_mut(width);
    factor_diagonal(square.as_mut())?;
    let mut turned = Mat::<T>::zeros(below.nrows(), width);
    copy_across(below.as_ref(), turned.as_mut());
    // X Lᴴ = B is conj(L) Xᵀ = Bᵀ.
    let right = turned.as_mut().transpose_mut();
    solve_lower_triangular_in_place_with_conj(square.as_ref(), Conj::Yes, right, Par::Seq);
    copy_across(turned.as_ref(), below.as_mut());
    Ok(turned)
}

/// Finds the factor of a small matrix.
fn factor_diagonal<T: Field>(mut square: MatMut<'_, T>) -> Result<(), Problem> {
    let size = square.nrows();
    // `faer` wants columns whose elements are neighbours.
    let mut copy = Mat::<T>::zeros(size, size);
    copy.copy_from_triangular_lower(square.as_ref());
    let scratch = cholesky_in_place_scratch::<T>(size, Par::Seq, faer::Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let found = cholesky_in_place(
        copy.as_mut(),
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut memory),
        faer::Spec::default(),
    );
    found.map_err(|_| Problem::NotPositiveDefinite)?;
    square.copy_from_triangular_lower(copy.as_ref());
    Ok(())
}

/// A panel whose columns were found.
struct Step<'a, T> {
    /// What is below its square.
    panel: MatRef<'a, T>,
    /// The transpose of that.
    turned: MatRef<'a, T>,
}

impl<T: Field> Step<'_, T> {
    /// Brings columns up to date: those from the `first` one below the panel's square on.
    fn update(&self, first: usize, columns: MatMut<'_, T>) {
        let (rows, width) = columns.shape();
        let product = Product {
            left: self.panel.subrows(first, rows - first),
            right: self.turned.subcols(first, width),
            conjugate_right: Conj::Yes,
            out: columns.subrows_mut(first, rows - first),
            accumulate: Accum::Add,
            factor: -T::from_real(T::Part::ONE),
        };
        product.run();
    }

    fn update_chunks(&self, first: usize, columns: MatMut<'_, T>) {
        let chunks = columns.ncols().div_ceil(CHUNK);
        match chunks {
            0 => {}
            1 => self.update(first, columns),
            _ => {
                let cut = chunks / 2 * CHUNK;
                let (head, tail) = columns.split_at_col_mut(cut);
                parallel::join(
                    || self.update_chunks(first, head),
                    || self.update_chunks(first + cut, tail),
                );
            }
        }
    }
}
