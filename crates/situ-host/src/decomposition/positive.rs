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
use crate::matrix_product::Product;
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
    factor_panel(matrix.as_mut().subcols_mut(0, PANEL.min(size)))?;
    for start in (0..size).step_by(PANEL) {
        let end = size.min(start + PANEL);
        let below = matrix.as_mut().subrows_mut(end, size - end);
        let (left, rest) = below.split_at_col_mut(end);
        let panel = left.as_ref().subcols(start, end - start);
        let width = PANEL.min(size - end);
        let (mut next, rest) = rest.split_at_col_mut(width);
        let (found, ()) = rayon::join(
            || {
                update(panel, 0, next.as_mut());
                factor_panel(next)
            },
            || update_chunks(panel, width, rest),
        );
        found?;
    }
    Ok(())
}

/// Finds the columns of the factor that start with a square on the diagonal.
fn factor_panel<T: Field>(panel: MatMut<'_, T>) -> Result<(), Problem> {
    let width = panel.ncols();
    let (mut square, below) = panel.split_at_row_mut(width);
    factor_diagonal(square.as_mut())?;
    // X Lᴴ = B is conj(L) Xᵀ = Bᵀ.
    let below = below.transpose_mut();
    solve_lower_triangular_in_place_with_conj(square.as_ref(), Conj::Yes, below, Par::Seq);
    Ok(())
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

/// Brings columns up to date: those from the `first` one below the panel's square on.
fn update<T: Field>(panel: MatRef<'_, T>, first: usize, columns: MatMut<'_, T>) {
    let (rows, width) = columns.shape();
    let product = Product {
        left: panel.subrows(first, rows - first),
        right: panel.subrows(first, width).transpose(),
        conjugate_right: Conj::Yes,
        out: columns.subrows_mut(first, rows - first),
        accumulate: Accum::Add,
        factor: -T::from_real(T::Part::ONE),
    };
    product.run();
}

fn update_chunks<T: Field>(panel: MatRef<'_, T>, first: usize, columns: MatMut<'_, T>) {
    let chunks = columns.ncols().div_ceil(CHUNK);
    match chunks {
        0 => {}
        1 => update(panel, first, columns),
        _ => {
            let cut = chunks / 2 * CHUNK;
            let (head, tail) = columns.split_at_col_mut(cut);
            rayon::join(
                || update_chunks(panel, first, head),
                || update_chunks(panel, first + cut, tail),
            );
        }
    }
}
