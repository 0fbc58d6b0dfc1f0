//! Eigenvalues and singular values.
//!
//! They are found by iterations, which numbers that are not finite would keep from ending; so these are
//! found first. Matrices of very large or very small numbers are decomposed as multiples of moderate ones.

use std::borrow::Cow;

use faer::{MatMut, MatRef};
use num_complex::Complex;

use super::factor::Triangle;
use super::field::{Field, Float, Scaled};
use super::{Effort, Failure, Problem};
use crate::threads::Threads;

/// The eigenvalues of Hermitian matrices of `size` rows in ascending order, and their eigenvectors as columns, if
/// they are wanted. Only one triangle of the matrices is read.
///
/// # Errors
/// [`Problem::NotFinite`], [`Problem::NoConvergence`].
pub(super) fn hermitian<T: Field>(
    size: usize,
    triangle: Triangle,
    matrices: &[T],
    values: &mut [T::Part],
    vectors: Option<&mut [T]>,
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let area = size * size;
    let inputs = matrices
        .chunks_exact(area)
        .zip(values.chunks_exact_mut(size));
    effort(matrices.len() / area, size, size).share(
        threads,
        inputs.zip(parts(vectors, area)),
        |((input, values), vectors)| {
            check_finite(triangle.of(size, input))?;
            let (input, power) = moderate(input, triangle.of(size, input));
            let input = MatRef::from_row_major_slice(&input, size, size);
            if let Some(vectors) = vectors {
                let found = input.self_adjoint_eigen(triangle.side());
                let found = found.map_err(|_| Problem::NoConvergence)?;
                let diagonal = found.S().column_vector();
                for (index, value) in values.iter_mut().enumerate() {
                    *value = diagonal[index].real_part();
                }
                MatMut::from_row_major_slice_mut(vectors, size, size).copy_from(found.U());
            } else {
                let found = input.self_adjoint_eigenvalues(triangle.side());
                values.copy_from_slice(&found.map_err(|_| Problem::NoConvergence)?);
            }
            scale_back(values, power);
            Ok(())
        },
    )
}

/// The eigenvalues of matrices of `size` rows, and their eigenvectors of length one as columns, if they are wanted.
///
/// # Errors
/// [`Problem::NotFinite`], [`Problem::NoConvergence`].
pub(super) fn general<T: Field>(
    size: usize,
    matrices: &[T],
    values: &mut [Complex<T::Part>],
    vectors: Option<&mut [Complex<T::Part>]>,
    threads: Threads<'_>,
) -> Result<(), Failure>
where
    Complex<T::Part>: Field<Part = T::Part>,
{
    let area = size * size;
    let inputs = matrices
        .chunks_exact(area)
        .zip(values.chunks_exact_mut(size));
    effort(matrices.len() / area, size, size).share(
        threads,
        inputs.zip(parts(vectors, area)),
        |((input, values), vectors)| {
            check_finite(input.iter())?;
            let (input, power) = moderate(input, input.iter());
            let input = MatRef::from_row_major_slice(&input, size, size);
            let Some(vectors) = vectors else {
                let found = input.eigenvalues().map_err(|_| Problem::NoConvergence)?;
                values.copy_from_slice(&found);
                scale_back(values, power);
                return Ok(());
            };
            let found = input.eigen().map_err(|_| Problem::NoConvergence)?;
            let diagonal = found.S().column_vector();
            for (index, value) in values.iter_mut().enumerate() {
                *value = diagonal[index];
            }
            scale_back(values, power);
            let columns = found.U();
            for column in 0..size {
                let mut square = T::Part::ZERO;
                for row in 0..size {
                    let magnitude = columns[(row, column)].magnitude();
                    square += magnitude * magnitude;
                }
                let length = Complex::<T::Part>::from_real(square.root());
                for row in 0..size {
                    vectors[row * size + column] = columns[(row, column)] / length;
                }
            }
            Ok(())
        },
    )
}

/// Where the singular vectors go.
#[derive(Debug)]
pub struct SingularVectors<'a, T> {
    /// Whether there are as many as the matrix has rows and columns, and not only as many as there are singular values.
    pub full: bool,
    /// The left ones, as columns.
    pub left: &'a mut [T],
    /// The right ones, conjugated, as rows.
    pub right: &'a mut [T],
}

/// The singular values of matrices of `rows` and `columns` in descending order, and their singular vectors if they are
/// wanted.
///
/// # Errors
/// [`Problem::NotFinite`], [`Problem::NoConvergence`].
pub(super) fn singular<T: Field>(
    [rows, columns]: [usize; 2],
    matrices: &[T],
    values: &mut [T::Part],
    vectors: Option<SingularVectors<'_, T>>,
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let (area, rank) = (rows * columns, rows.min(columns));
    let inputs = matrices
        .chunks_exact(area)
        .zip(values.chunks_exact_mut(rank));
    let effort = effort(matrices.len() / area, rows.max(columns), rank);
    let Some(vectors) = vectors else {
        return effort.share(threads, inputs, |(input, values)| {
            check_finite(input.iter())?;
            let (input, power) = moderate(input, input.iter());
            let found = MatRef::from_row_major_slice(&input, rows, columns).singular_values();
            values.copy_from_slice(&found.map_err(|_| Problem::NoConvergence)?);
            scale_back(values, power);
            Ok(())
        });
    };
    let [left, right] = if vectors.full {
        [rows, columns]
    } else {
        [rank, rank]
    };
    let outputs = vectors
        .left
        .chunks_exact_mut(rows * left)
        .zip(vectors.right.chunks_exact_mut(right * columns));
    effort.share(
        threads,
        inputs.zip(outputs),
        |((input, values), (u, vh))| {
            check_finite(input.iter())?;
            let (input, power) = moderate(input, input.iter());
            let input = MatRef::from_row_major_slice(&input, rows, columns);
            let found = if vectors.full {
                input.svd()
            } else {
                input.thin_svd()
            };
            let found = found.map_err(|_| Problem::NoConvergence)?;
            let diagonal = found.S().column_vector();
            for (index, value) in values.iter_mut().enumerate() {
                *value = diagonal[index].real_part();
            }
            scale_back(values, power);
            MatMut::from_row_major_slice_mut(u, rows, left).copy_from(found.U());
            MatMut::from_row_major_slice_mut(vh, right, columns).copy_from(found.V().adjoint());
            Ok(())
        },
    )
}

/// A matrix whose largest number is moderate, and the power of two that it is to be multiplied by.
fn moderate<'a, T: Field>(
    matrix: &'a [T],
    counting: impl Iterator<Item = &'a T>,
) -> (Cow<'a, [T]>, i32) {
    let zero = T::Part::ZERO;
    let largest = counting.fold(zero, |largest, element| {
        largest.larger(element.largest_part())
    });
    if largest == zero {
        return (Cow::Borrowed(matrix), 0);
    }
    let power = largest.exponent();
    if power.abs() <= T::Part::MODERATE_EXPONENT {
        return (Cow::Borrowed(matrix), 0);
    }
    let scaled = matrix
        .iter()
        .map(|element| element.times_power_of_two(-power));
    (Cow::Owned(scaled.collect()), power)
}

fn scale_back<T: Scaled>(values: &mut [T], power: i32) {
    if power != 0 {
        for value in values {
            *value = value.times_power_of_two(power);
        }
    }
}

/// Iterations take a multiple of what a product takes.
fn effort(matrices: usize, longer: usize, shorter: usize) -> Effort {
    Effort {
        matrices,
        each: 8 * longer * shorter * shorter,
    }
}

/// The part of an optional output for each matrix.
fn parts<T>(all: Option<&mut [T]>, size: usize) -> impl Iterator<Item = Option<&mut [T]>> {
    let is_wanted = all.is_some();
    let parts = all.unwrap_or_default().chunks_exact_mut(size).map(Some);
    parts.chain(std::iter::repeat_with(move || {
        assert!(!is_wanted, "there are as many parts as matrices");
        None
    }))
}

fn check_finite<'a, T: Field>(mut elements: impl Iterator<Item = &'a T>) -> Result<(), Problem> {
    if elements.all(|&element| element.is_number()) {
        Ok(())
    } else {
        Err(Problem::NotFinite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_hermitian_matrices_ascend() {
        let i = Complex::new(0.0, 1.0);
        let one = Complex::new(1.0, 0.0);
        // Eigenvalues 0 and 2, from the lower triangle.
        let matrix = [one, one * 9.0, i, one];
        let mut values = [0.0_f64; 2];
        let mut vectors = [one; 4];
        hermitian(
            2,
            Triangle::Lower,
            &matrix,
            &mut values,
            Some(&mut vectors),
            Threads::default(),
        )
        .unwrap();
        assert!((values[0]).abs() < 1e-15 && (values[1] - 2.0).abs() < 1e-15);
        let mut alone = [0.0_f64; 2];
        hermitian(
            2,
            Triangle::Lower,
            &matrix,
            &mut alone,
            None,
            Threads::default(),
        )
        .unwrap();
        assert!((alone[0]).abs() < 1e-15 && (alone[1] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn rotations_have_complex_eigenvalues() {
        let matrix = [0.0_f64, -1.0, 1.0, 0.0];
        let mut values = [Complex::new(0.0, 0.0); 2];
        general(2, &matrix, &mut values, None, Threads::default()).unwrap();
        values.sort_by(|a, b| a.im.total_cmp(&b.im));
        assert!((values[0] + Complex::i()).norm() < 1e-15);
        assert!((values[1] - Complex::i()).norm() < 1e-15);
    }

    #[test]
    fn very_large_and_very_small_numbers_are_no_obstacle() {
        let small = f64::from_bits(1);
        for scale in [small, 1e-300, 1e-160, 1.0, 1e160, 1e300, f64::MAX / 8.0] {
            let matrix = [3.0 * scale, 0.0, 0.0, 5.0 * scale];
            let mut values = [0.0; 2];
            singular([2, 2], &matrix, &mut values, None, Threads::default()).unwrap();
            assert!((values[0] / scale - 5.0).abs() < 1e-14, "{scale}");
            assert!((values[1] / scale - 3.0).abs() < 1e-14, "{scale}");
            hermitian(
                2,
                Triangle::Lower,
                &matrix,
                &mut values,
                None,
                Threads::default(),
            )
            .unwrap();
            assert!((values[0] / scale - 3.0).abs() < 1e-14, "{scale}");
            let mut both = [Complex::new(0.0, 0.0); 2];
            general(2, &matrix, &mut both, None, Threads::default()).unwrap();
            let sum = both[0].re / scale + both[1].re / scale;
            assert!((sum - 8.0).abs() < 1e-14, "{scale}");
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        for bad in [f32::NAN, f32::INFINITY] {
            let matrix = [1.0, bad, bad, 1.0];
            let mut values = [0.0; 2];
            let failure = Failure {
                matrix: 0,
                problem: Problem::NotFinite,
            };
            assert_eq!(
                singular([2, 2], &matrix, &mut values, None, Threads::default()),
                Err(failure)
            );
            assert_eq!(
                hermitian(
                    2,
                    Triangle::Lower,
                    &matrix,
                    &mut values,
                    None,
                    Threads::default()
                ),
                Err(failure)
            );
        }
    }
}
