//! Singular values of real matrices, without their singular vectors.
//!
//! A matrix becomes a [bidiagonal] one. Its singular values are those eigenvalues of a symmetric tridiagonal matrix of twice the
//! size that are not negative: there is nothing on the diagonal of that, and beside it the numbers of the bidiagonal matrix in turns.

use faer::MatRef;

use super::Problem;
use super::bidiagonal::bidiagonal;
use super::field::Float;
use super::tridiagonal::Tridiagonal;
use super::tridiagonal_values::tridiagonal_values;
use crate::threads::Threads;
use crate::vectorised;

/// Below this size `faer` is as fast.
const SMALL: usize = 128;

/// Whether the singular values of a matrix are found quicker here than by `faer`, which begins with a QR decomposition if a
/// matrix is far from square.
pub(super) fn is_quickest(rows: usize, columns: usize) -> bool {
    let (longer, shorter) = (rows.max(columns), rows.min(columns));
    shorter >= SMALL && 6 * longer <= 11 * shorter && vectorised::is_supported()
}

/// Writes the singular values of a matrix in descending order.
///
/// # Errors
/// [`Problem::NoConvergence`].
pub(super) fn real_singular_values<T: Float>(
    matrix: MatRef<'_, T>,
    values: &mut [T],
    threads: Threads<'_>,
) -> Result<(), Problem> {
    let matrix = if matrix.nrows() < matrix.ncols() {
        matrix.transpose()
    } else {
        matrix
    };
    let found = bidiagonal(matrix, None, threads);
    let mut beside = Vec::with_capacity(2 * values.len());
    for (row, &on) in found.diagonal.iter().enumerate() {
        beside.push(on);
        beside.extend(found.beside.get(row));
    }
    let twice = Tridiagonal {
        diagonal: vec![T::ZERO; 2 * values.len()],
        beside,
    };
    let mut both = vec![T::ZERO; 2 * values.len()];
    tridiagonal_values(&twice, &mut both)?;
    for (value, &found) in values.iter_mut().zip(both.iter().rev()) {
        *value = found.larger(T::ZERO);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::symmetric::symmetric_values;
    use faer::Mat;

    /// Numbers without any pattern, the same every time.
    fn random(row: usize, column: usize) -> f64 {
        let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 7);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// Compares with the eigenvalues of the symmetric matrix of twice the size that has the matrix beside its diagonal.
    fn check<T: Float>(rows: usize, columns: usize, name: &str, at: impl Fn(usize, usize) -> f64) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        let matrix = Mat::from_fn(rows, columns, |row, column| T::from_double(at(row, column)));
        let whole = Mat::from_fn(rows + columns, rows + columns, |row, column| {
            if row >= columns && column < columns {
                matrix[(row - columns, column)]
            } else {
                T::ZERO
            }
        });
        let mut expected = vec![T::NAN; rows + columns];
        symmetric_values(whole.as_ref(), &mut expected, Threads::default()).unwrap();
        let mut values = vec![T::NAN; rows.min(columns)];
        threads.install(|| real_singular_values(matrix.as_ref(), &mut values, threads).unwrap());
        let epsilon = if size_of::<T>() == 4 {
            f64::from(f32::EPSILON)
        } else {
            f64::EPSILON
        };
        let norm = matrix.norm_l2().to_double();
        let tolerance = 4.0 * (rows.max(columns) as f64 + 4.0) * epsilon * norm;
        for (value, expected) in values.iter().zip(expected.iter().rev()) {
            let distance = (value.to_double() - expected.to_double()).abs();
            assert!(
                distance <= tolerance,
                "{name} {rows} {columns}: {value:?} {expected:?}"
            );
        }
        assert!(values.is_sorted_by(|a, b| a >= b) && values.iter().all(|&value| value >= T::ZERO));
    }

    #[test]
    fn singular_values_are_eigenvalues_of_twice_the_size() {
        for [rows, columns] in [
            [1, 1],
            [2, 2],
            [3, 2],
            [2, 3],
            [16, 15],
            [17, 17],
            [33, 20],
            [20, 33],
            [130, 129],
        ] {
            check::<f64>(rows, columns, "random", random);
            check::<f32>(rows, columns, "random", random);
            check::<f64>(rows, columns, "zero", |_, _| 0.0);
            check::<f64>(rows, columns, "ones", |_, _| 1.0);
            check::<f32>(rows, columns, "ones", |_, _| 1.0);
            let identity = |row, column| f64::from(u8::from(row == column));
            check::<f64>(rows, columns, "identity", identity);
            let graded = |row, column| random(row, column) * 0.8_f64.powi((row + column) as i32);
            check::<f64>(rows, columns, "graded", graded);
            check::<f32>(rows, columns, "graded", graded);
            let tiny =
                |row, column| random(row, column) * if column % 3 == 0 { 1e-170 } else { 1.0 };
            check::<f64>(rows, columns, "tiny columns", tiny);
            let large = |row, column| random(row, column) * 2.0_f64.powi(190);
            check::<f64>(rows, columns, "large", large);
        }
    }

    #[test]
    fn diagonal_matrices_have_exact_singular_values() {
        let at = |row: usize, column: usize| {
            if row == column {
                10.0_f64.powi(-(row as i32))
            } else {
                0.0
            }
        };
        let matrix = Mat::from_fn(20, 20, at);
        let mut values = vec![0.0; 20];
        real_singular_values(matrix.as_ref(), &mut values, Threads::default()).unwrap();
        for (index, value) in values.into_iter().enumerate() {
            assert_eq!(value, at(index, index));
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let matrix = Mat::from_fn(210, 190, random);
        let values = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.unwrap();
            let threads = Threads::new(Some(&pool));
            let mut values = vec![0.0; 190];
            threads.install(|| {
                real_singular_values(matrix.as_ref(), &mut values, threads).unwrap();
            });
            values
        };
        let one = values(1);
        for count in [2, 3, 9] {
            assert_eq!(one, values(count), "{count} threads");
        }
    }
}
