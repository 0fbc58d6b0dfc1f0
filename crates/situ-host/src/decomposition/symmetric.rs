//! Eigenvalues and eigenvectors of real symmetric matrices.
//!
//! A matrix becomes a [tridiagonal] one here; `faer` divides and conquers that, and its eigenvectors become those of
//! the matrix again.

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_reflections,
    upgrade_householder_factor,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, MatRef, Par};

use super::Problem;
use super::field::Float;
use super::tridiagonal::{Reflections, Tridiagonal, tridiagonal};
use super::tridiagonal_values::tridiagonal_values;
use crate::threads::Threads;
use crate::vectorised;

/// Below this size `faer` is as fast for values alone.
const SMALL: usize = 24;

/// Below this size `faer` does not divide and conquer.
const UNDIVIDED: usize = 128;

/// Whether eigenvalues of matrices of this size, with or without their vectors, are found quicker here than all by `faer`.
pub(super) fn is_quickest(size: usize, has_vectors: bool) -> bool {
    let least = if has_vectors { UNDIVIDED } else { SMALL };
    size >= least && vectorised::is_supported()
}

/// Writes the eigenvalues of a matrix, of which the lower triangle is read, in ascending order.
///
/// # Errors
/// [`Problem::NoConvergence`].
pub(super) fn symmetric_values<T: Float>(
    matrix: MatRef<'_, T>,
    values: &mut [T],
    threads: Threads<'_>,
) -> Result<(), Problem> {
    tridiagonal_values(&tridiagonal(matrix, None, threads), values)
}

/// Writes the eigenvalues of a matrix, of which the lower triangle is read, in ascending order, and its eigenvectors, as columns.
///
/// # Errors
/// [`Problem::NoConvergence`].
pub(super) fn symmetric<T: Float>(
    matrix: MatRef<'_, T>,
    values: &mut [T],
    mut vectors: MatMut<'_, T>,
    threads: Threads<'_>,
    par: Par,
) -> Result<(), Problem> {
    let size = matrix.nrows();
    let mut reflected = Mat::zeros(size, size);
    let mut factors = vec![T::ZERO; size.saturating_sub(1)];
    let reflections = Reflections {
        vectors: reflected.as_mut(),
        factors: &mut factors,
    };
    let found = tridiagonal(matrix, Some(reflections), threads);
    solve(&found, values, vectors.as_mut(), par)?;
    if size > 1 {
        let reflected = reflected.submatrix(1, 0, size - 1, size - 1);
        apply(reflected, &factors, vectors.subrows_mut(1, size - 1), par);
    }
    Ok(())
}

/// The eigenvalues and eigenvectors of a tridiagonal matrix. They are found in double precision always: in single precision `faer`'s iterations
/// do not end for some matrices of low rank.
fn solve<T: Float>(
    matrix: &Tridiagonal<T>,
    values: &mut [T],
    mut vectors: MatMut<'_, T>,
    par: Par,
) -> Result<(), Problem> {
    let size = values.len();
    let doubles = |numbers: &[T]| numbers.iter().map(|number| number.to_double()).collect();
    let matrix = Tridiagonal::<f64> {
        diagonal: doubles(&matrix.diagonal),
        beside: doubles(&matrix.beside),
    };
    let mut found = vec![0.0; size];
    if let Some(vectors) = T::doubles_mut(vectors.as_mut()) {
        divide_and_conquer(&matrix, &mut found, vectors, par)?;
    } else {
        let mut doubles = Mat::zeros(size, size);
        divide_and_conquer(&matrix, &mut found, doubles.as_mut(), par)?;
        for column in 0..size {
            for row in 0..size {
                vectors[(row, column)] = T::from_double(doubles[(row, column)]);
            }
        }
    }
    for (value, found) in values.iter_mut().zip(found) {
        *value = T::from_double(found);
    }
    Ok(())
}

fn divide_and_conquer(
    matrix: &Tridiagonal<f64>,
    values: &mut [f64],
    vectors: MatMut<'_, f64>,
    par: Par,
) -> Result<(), Problem> {
    let params = faer::Spec::default();
    let wanted = ComputeEigenvectors::Yes;
    let scratch = self_adjoint_evd_scratch::<f64>(values.len(), wanted, par, params);
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(&matrix.diagonal),
        DiagRef::from_slice(&matrix.beside),
        DiagMut::from_slice_mut(values),
        Some(vectors),
        par,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .map_err(|_| Problem::NoConvergence)
}

/// Applies reflections to the columns of `target`, the last one first. Their vectors are the columns of `reflected`, one on the diagonal and
/// what is below it.
fn apply<T: Float>(reflected: MatRef<'_, T>, factors: &[T], target: MatMut<'_, T>, par: Par) {
    let size = factors.len();
    let block = recommended_block_size::<T>(size, size);
    // `faer` has half of the squares of the vectors' lengths on the diagonals of blocks, and dot products above.
    let mut coefficients = Mat::zeros(block, size);
    for start in (0..size).step_by(block) {
        let width = block.min(size - start);
        let mut square = coefficients.as_mut().submatrix_mut(0, start, width, width);
        for (at, &factor) in factors[start..][..width].iter().enumerate() {
            square[(at, at)] = T::ONE / factor;
        }
        let reflected = reflected.submatrix(start, start, size - start, width);
        upgrade_householder_factor(square, reflected, width, 1, par);
    }
    let scratch = apply_scratch::<T>(size, block, target.ncols());
    apply_reflections(
        reflected,
        coefficients.as_ref(),
        Conj::No,
        target,
        par,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without any pattern, the same every time.
    fn random(row: usize, column: usize) -> f64 {
        let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 7);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// Matrices that decompositions may stumble over, by their lower triangle.
    type Matrix = fn(usize, usize) -> f64;
    const MATRICES: [(&str, Matrix); 11] = [
        ("random", random),
        ("zero", |_, _| 0.0),
        ("identity", |row, column| f64::from(u8::from(row == column))),
        ("ones", |_, _| 1.0),
        ("rank one", |row, column| random(row, 0) * random(column, 0)),
        ("rank three", |row, column| {
            let of = |index| random(row, index) * random(column, index);
            of(0) + of(1) - of(2)
        }),
        ("graded", |row, column| {
            random(row, column) * 0.9_f64.powi((row + column) as i32)
        }),
        ("graded upwards", |row, column| {
            random(row, column) * 0.8_f64.powi(90 - (row + column) as i32 % 90)
        }),
        ("clustered", |row, column| {
            random(row, column) * 1e-9 + f64::from(u8::from(row == column))
        }),
        ("Wilkinson's", |row, column| match row - column {
            0 => (row as f64 - 20.0).abs(),
            1 => 1.0,
            _ => 0.0,
        }),
        ("two blocks", |row, column| {
            let is_within = (row < 17) == (column < 17);
            if is_within { random(row, column) } else { 0.0 }
        }),
    ];

    fn check<T: Float>(
        size: usize,
        name: &str,
        at: impl Fn(usize, usize) -> f64,
        threads: Threads<'_>,
    ) {
        let matrix = Mat::from_fn(size, size, |row, column| {
            T::from_double(at(row.max(column), row.min(column)))
        });
        // What is above the diagonal must not matter.
        let lower = Mat::from_fn(size, size, |row, column| {
            if row < column {
                T::NAN
            } else {
                matrix[(row, column)]
            }
        });
        let par = Par::Seq;
        let mut values = vec![T::NAN; size];
        let mut alone = vec![T::NAN; size];
        let mut vectors = Mat::zeros(size, size);
        threads.install(|| {
            symmetric(lower.as_ref(), &mut values, vectors.as_mut(), threads, par).expect(name);
            symmetric_values(lower.as_ref(), &mut alone, threads).unwrap();
        });
        let epsilon = if size_of::<T>() == 4 {
            f64::from(f32::EPSILON)
        } else {
            f64::EPSILON
        };
        let tolerance = 4.0 * (size as f64 + 4.0) * epsilon;
        let unit = vectors.transpose() * &vectors - Mat::<T>::identity(size, size);
        assert!(
            unit.norm_max().to_double() < tolerance,
            "{name} {size}: not orthogonal"
        );
        let scaled = Mat::from_fn(size, size, |row, column| {
            vectors[(row, column)] * values[column]
        });
        let residual = (&matrix * &vectors - scaled).norm_max().to_double();
        let norm = matrix.norm_l2().to_double();
        assert!(
            residual <= tolerance * norm,
            "{name} {size}: {residual} of {norm}"
        );
        for (&value, &alone) in values.iter().zip(&alone) {
            let distance = (value.to_double() - alone.to_double()).abs();
            assert!(
                distance <= tolerance * norm,
                "{name} {size}: {value:?} or {alone:?}"
            );
        }
        assert!(alone.is_sorted() && values.is_sorted());
    }

    #[test]
    fn matrices_are_made_of_their_eigenvectors() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        for size in [1, 2, 3, 15, 16, 17, 24, 32, 33, 129, 200] {
            for (name, at) in MATRICES {
                check::<f64>(size, name, at, threads);
                check::<f32>(size, name, at, Threads::default());
            }
        }
        check::<f64>(300, "random", random, threads);
        check::<f32>(300, "random", random, threads);
    }

    #[test]
    fn columns_of_tiny_numbers_are_reflected_as_well() {
        for power in [-160, 180] {
            let scale = 2.0_f64.powi(power);
            let at = |row, column| random(row, column) * scale;
            check::<f64>(40, "scaled", at, Threads::default());
        }
        let at = |row, column| match column {
            0 => random(row, column) * 1e-170,
            _ => random(row, column),
        };
        check::<f64>(40, "a tiny column", at, Threads::default());
        let at = |row, column| if row < 20 { random(row, column) } else { 1e-30 };
        check::<f32>(40, "tiny rows", at, Threads::default());
    }

    #[test]
    fn eigenvalues_alone_do_not_depend_on_the_number_of_threads() {
        let size = 230;
        let matrix = Mat::from_fn(size, size, |row, column| {
            random(row.max(column), row.min(column))
        });
        let values = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.unwrap();
            let threads = Threads::new(Some(&pool));
            let mut values = vec![0.0; size];
            threads.install(|| symmetric_values(matrix.as_ref(), &mut values, threads).unwrap());
            values
        };
        let one = values(1);
        for count in [2, 3, 9] {
            assert_eq!(one, values(count), "{count} threads");
        }
    }
}
