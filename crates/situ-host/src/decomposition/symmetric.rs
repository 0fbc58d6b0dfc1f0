//! Eigenvalues and eigenvectors of real symmetric matrices.
//!
//! A matrix becomes a [tridiagonal] one; [its vectors](super::tridiagonal_vectors) become those of the matrix again.

use faer::{Mat, MatMut, MatRef};

use super::Problem;
use super::deflation::numbers;
use super::field::Float;
use super::reflections::Reflections;
use super::sharing::Sharing;
use super::tridiagonal::{Tridiagonal, tridiagonal};
use super::tridiagonal_values::tridiagonal_values;
use super::tridiagonal_vectors::tridiagonal_vectors;
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
/// Is shared inside of [`Threads::install`] only.
pub(super) fn symmetric<T: Float>(
    matrix: MatRef<'_, T>,
    values: &mut [T],
    vectors: MatMut<'_, T>,
    threads: Threads<'_>,
) {
    let size = matrix.nrows();
    let sharing = Sharing::among(threads);
    let mut reflections = Reflections::new(size - 1, size - 1);
    let form = tridiagonal(matrix, Some(&mut reflections), threads);
    // In double precision always: that is not what takes the time, and errors do not add up.
    let doubles = |numbers: &[T]| numbers.iter().map(|number| number.to_double()).collect();
    let form = Tridiagonal::<f64> {
        diagonal: doubles(&form.diagonal),
        beside: doubles(&form.beside),
    };
    let mut small = Mat::zeros(size, size);
    let found = tridiagonal_vectors(form, small.as_mut(), sharing);
    let mut order: Vec<_> = (0..size).collect();
    order.sort_by(|&one, &other| found[one].total_cmp(&found[other]));
    for (value, &source) in values.iter_mut().zip(&order) {
        *value = T::from_double(found[source]);
    }
    let fill = |column: usize, target: &mut [T]| {
        let source = numbers(small.as_ref(), order[column]);
        for (target, &number) in target.iter_mut().zip(source) {
            *target = T::from_double(number);
        }
    };
    let reflections = reflections.in_blocks(sharing);
    reflections.write(1, vectors, fill, sharing);
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
        let mut values = vec![T::NAN; size];
        let mut alone = vec![T::NAN; size];
        let mut vectors = Mat::zeros(size, size);
        threads.install(|| {
            symmetric(lower.as_ref(), &mut values, vectors.as_mut(), threads);
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
    fn the_number_of_threads_does_not_matter() {
        let size = 230;
        let matrix = Mat::from_fn(size, size, |row, column| {
            random(row.max(column), row.min(column))
        });
        let found = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.unwrap();
            let threads = Threads::new(Some(&pool));
            let (mut alone, mut values) = (vec![0.0; size], vec![0.0; size]);
            let mut vectors = Mat::zeros(size, size);
            threads.install(|| {
                symmetric_values(matrix.as_ref(), &mut alone, threads).unwrap();
                symmetric(matrix.as_ref(), &mut values, vectors.as_mut(), threads);
            });
            (alone, values, vectors)
        };
        let one = found(1);
        for count in [2, 3, 9] {
            assert!(one == found(count), "{count} threads");
        }
    }
}
