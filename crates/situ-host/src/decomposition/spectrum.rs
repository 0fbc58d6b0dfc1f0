//! Eigenvalues and singular values.
//!
//! They are found by iterations, which numbers that are not finite would keep from ending; so these are
//! found first. Matrices of very large or very small numbers are decomposed as multiples of moderate ones.
//!
//! A large matrix is shared among threads. Where `faer` does that, for complex matrices and those that are far from square, the last bits
//! of an answer depend on how many there are; not so for other real matrices.

use std::borrow::Cow;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{ColRef, Mat, MatMut, MatRef, Par};
use num_complex::Complex;

use super::factor::Triangle;
use super::field::{Field, Float, Scaled};
use super::inverse_iteration::{InverseIteration, normalise};
use super::singular_values::{self, real_singular_values};
use super::singular_vectors::{self, real_singular_vectors};
use super::symmetric::{self, symmetric, symmetric_values};
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
    let effort = effort(matrices.len() / area, size, size);
    let par = effort.parallelism(threads);
    let members = effort.members(threads);
    effort.share(
        threads,
        inputs.zip(parts(vectors, area)),
        |((input, values), vectors)| {
            check_finite(triangle.of(size, input))?;
            let (input, power) = moderate(input, triangle.of(size, input));
            // The lower triangle counts: of the matrix, or of its conjugate, which has conjugated vectors.
            let input = match triangle {
                Triangle::Lower => MatRef::from_row_major_slice(&input, size, size),
                Triangle::Upper => MatRef::from_column_major_slice(&input, size, size),
            };
            let vectors =
                vectors.map(|vectors| MatMut::from_row_major_slice_mut(vectors, size, size));
            match T::reals(input) {
                Some(input) if symmetric::is_quickest(size, vectors.is_some()) => {
                    match vectors.and_then(T::reals_mut) {
                        None => symmetric_values(input, values, members)?,
                        Some(vectors) => symmetric(input, values, vectors, members),
                    }
                }
                _ => {
                    let mut found = vectors.as_ref().map(|_| Mat::<T>::zeros(size, size));
                    lower_hermitian(input, values, found.as_mut().map(Mat::as_mut), par)?;
                    if let (Some(mut vectors), Some(found)) = (vectors, found) {
                        match triangle {
                            Triangle::Lower => vectors.copy_from(&found),
                            Triangle::Upper => vectors.copy_from(found.conjugate()),
                        }
                    }
                }
            }
            scale_back(values, power);
            Ok(())
        },
    )
}

/// The eigenvalues and eigenvectors of a Hermitian matrix, of which the lower triangle is read, by `faer`.
fn lower_hermitian<T: Field>(
    matrix: MatRef<'_, T>,
    values: &mut [T::Part],
    vectors: Option<MatMut<'_, T>>,
    par: Par,
) -> Result<(), Problem> {
    let wanted = if vectors.is_some() {
        ComputeEigenvectors::Yes
    } else {
        ComputeEigenvectors::No
    };
    let size = matrix.nrows();
    let params = faer::Spec::default();
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<T>(size, wanted, par, params));
    let mut diagonal = vec![T::from_real(T::Part::ZERO); size];
    self_adjoint_evd(
        matrix,
        DiagMut::from_slice_mut(&mut diagonal),
        vectors,
        par,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| Problem::NoConvergence)?;
    copy_real(&diagonal, values);
    Ok(())
}

/// The singular values and singular vectors, as columns, of a matrix, by `faer`.
fn decompose<T: Field>(
    matrix: MatRef<'_, T>,
    values: &mut [T::Part],
    vectors: Option<[MatMut<'_, T>; 2]>,
    par: Par,
) -> Result<(), Problem> {
    let (rows, columns) = matrix.shape();
    let wanted = match &vectors {
        None => ComputeSvdVectors::No,
        Some([left, right]) if left.ncols() == rows && right.ncols() == columns => {
            ComputeSvdVectors::Full
        }
        Some(_) => ComputeSvdVectors::Thin,
    };
    let params = faer::Spec::default();
    let scratch = svd_scratch::<T>(rows, columns, wanted, wanted, par, params);
    let mut memory = MemBuffer::new(scratch);
    let mut diagonal = vec![T::from_real(T::Part::ZERO); values.len()];
    let [left, right] = vectors.map_or([None, None], |both| both.map(Some));
    svd(
        matrix,
        DiagMut::from_slice_mut(&mut diagonal),
        left,
        right,
        par,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| Problem::NoConvergence)?;
    copy_real(&diagonal, values);
    Ok(())
}

/// Copies the real parts.
fn copy_real<T: Field>(numbers: &[T], reals: &mut [T::Part]) {
    for (real, number) in reals.iter_mut().zip(numbers) {
        *real = number.real_part();
    }
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
    // `faer` compares determinants of two by two matrices with the rounding errors of the matrix, and not with their
    // square. A large matrix makes the difference small.
    let exponent = T::Part::EIGEN_EXPONENT;
    let area = size * size;
    let inputs = matrices
        .chunks_exact(area)
        .zip(values.chunks_exact_mut(size));
    effort(matrices.len() / area, size, size).share(
        threads,
        inputs.zip(parts(vectors, area)),
        |((input, values), vectors)| {
            check_finite(input.iter())?;
            let (input, power) = scaled_to(exponent, input, input.iter());
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
            if !values.iter().all(|value| value.is_number()) {
                return Err(Problem::NoConvergence);
            }
            let complex = Mat::from_fn(size, size, |i, j| input[(i, j)].to_complex());
            let found = checked_vectors(&complex, values, found.U())?;
            MatMut::from_row_major_slice_mut(vectors, size, size).copy_from(found);
            scale_back(values, power);
            Ok(())
        },
    )
}

/// Eigenvectors of length one. Those that `faer` did not find, because numbers overflowed or were taken for zero, are found by
/// inverse iteration.
fn checked_vectors<C: Field>(
    matrix: &Mat<C>,
    values: &[C],
    found: MatRef<'_, C>,
) -> Result<Mat<C>, Problem> {
    let size = values.len();
    let mut vectors = found.to_owned();
    for column in 0..size {
        set_length_one(vectors.col_as_slice_mut(column));
    }
    let length = matrix.norm_l2();
    // The residual `A v - value v`.
    let residual = |image: &[C], vector: &[C], value: C| {
        let rest = image.iter().zip(vector);
        rest.fold(C::Part::ZERO, |largest, (&image, &vector)| {
            let rest = image - value * vector;
            if rest.is_number() {
                largest.larger(rest.largest_part())
            } else {
                C::Part::INFINITY
            }
        })
    };
    let images = matrix * &vectors;
    let bound =
        length.times_power_of_two(-C::Part::MANTISSA_BITS) * C::Part::from_double(size as f64);
    let mut iteration = None;
    for (column, &value) in values.iter().enumerate() {
        let vector = vectors.col_as_slice_mut(column);
        let error = residual(images.col_as_slice(column), vector, value);
        if error <= bound || size == 1 {
            continue;
        }
        let other = iteration.get_or_insert_with(|| InverseIteration::new(matrix.clone()));
        let mut other = other.vector(value);
        set_length_one(&mut other);
        let image = matrix * ColRef::from_slice(&other);
        let other_error = residual(
            image
                .try_as_col_major()
                .expect("a column is contiguous")
                .as_slice(),
            &other,
            value,
        );
        if other_error < error {
            vector.copy_from_slice(&other);
        }
        // The iterations for the eigenvalues came to no end: `faer` does not tell.
        let hopeless = length.times_power_of_two(-C::Part::MANTISSA_BITS / 2);
        if other_error > hopeless && error > hopeless {
            return Err(Problem::NoConvergence);
        }
    }
    Ok(vectors)
}

/// Divides a vector by its length.
fn set_length_one<T: Field>(vector: &mut [T]) {
    normalise(vector);
    let squares = vector.iter().map(|element| {
        let magnitude = element.magnitude();
        magnitude * magnitude
    });
    let length = squares.fold(T::Part::ZERO, |sum, square| sum + square);
    let length = T::from_real(length.root());
    for element in vector {
        *element /= length;
    }
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
    let par = effort.parallelism(threads);
    let members = effort.members(threads);
    let Some(vectors) = vectors else {
        return effort.share(threads, inputs, |(input, values)| {
            check_finite(input.iter())?;
            let (input, power) = moderate(input, input.iter());
            let input = MatRef::from_row_major_slice(&input, rows, columns);
            match T::reals(input) {
                Some(input) if singular_values::is_quickest(rows, columns) => {
                    real_singular_values(input, values, members)?;
                }
                _ => decompose(input, values, None, par)?,
            }
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
            let mut u = MatMut::from_row_major_slice_mut(u, rows, left);
            let mut v = MatMut::from_row_major_slice_mut(vh, right, columns).transpose_mut();
            if singular_vectors::is_quickest(rows, columns)
                && let Some(input) = T::reals(input)
                && let Some(u) = T::reals_mut(u.as_mut())
                && let Some(v) = T::reals_mut(v.as_mut())
            {
                real_singular_vectors(input, values, u, v, members);
            } else {
                let mut found = [Mat::zeros(rows, left), Mat::zeros(columns, right)];
                let both = found.each_mut().map(Mat::as_mut);
                decompose(input, values, Some(both), par)?;
                let [found_left, found_right] = &found;
                u.copy_from(found_left);
                v.copy_from(found_right.conjugate());
            }
            scale_back(values, power);
            Ok(())
        },
    )
}

/// A matrix whose largest number is moderate, and the power of two that it is to be multiplied by.
fn moderate<'a, T: Field>(
    matrix: &'a [T],
    counting: impl Iterator<Item = &'a T>,
) -> (Cow<'a, [T]>, i32) {
    match largest_exponent(counting) {
        Some(power) if power.abs() > T::Part::MODERATE_EXPONENT => {
            (multiple(matrix, -power), power)
        }
        _ => (Cow::Borrowed(matrix), 0),
    }
}

/// A matrix whose largest number has an exponent, and the power of two that it is to be multiplied by.
fn scaled_to<'a, T: Field>(
    exponent: i32,
    matrix: &'a [T],
    counting: impl Iterator<Item = &'a T>,
) -> (Cow<'a, [T]>, i32) {
    let power = largest_exponent(counting).map_or(0, |largest| largest - exponent);
    (multiple(matrix, -power), power)
}

/// The exponent of the largest number that is not zero, if there is one.
fn largest_exponent<'a, T: Field>(numbers: impl Iterator<Item = &'a T>) -> Option<i32> {
    let largest = numbers.fold(T::Part::ZERO, |largest, number| {
        largest.larger(number.largest_part())
    });
    (largest > T::Part::ZERO).then(|| largest.exponent())
}

/// A matrix multiplied by a power of two.
fn multiple<T: Field>(matrix: &[T], power: i32) -> Cow<'_, [T]> {
    let scaled = matrix
        .iter()
        .map(|element| element.times_power_of_two(power));
    Cow::Owned(scaled.collect())
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

    /// Checks that eigenvectors of a matrix are of length one and belong to their eigenvalues.
    fn check_general(size: usize, matrix: &[f64]) {
        let zero = Complex::new(0.0, 0.0);
        let (mut values, mut vectors) = (vec![zero; size], vec![zero; size * size]);
        let wanted = Some(&mut vectors[..]);
        general(size, matrix, &mut values, wanted, Threads::default()).unwrap();
        let largest = matrix.iter().fold(0.0_f64, |all, one| all.max(one.abs()));
        let tolerance = 20.0 * (size * size) as f64 * f64::EPSILON;
        for (column, value) in values.iter().enumerate() {
            let vector: Vec<_> = (0..size).map(|row| vectors[row * size + column]).collect();
            let length: f64 = vector.iter().map(Complex::norm_sqr).sum();
            assert!((length - 1.0).abs() < tolerance);
            for row in 0..size {
                let image: Complex<f64> = (0..size)
                    .map(|at| vector[at] * (matrix[row * size + at] / largest))
                    .sum();
                let rest = image - vector[row] * (value / largest);
                assert!(rest.norm() < tolerance, "{largest}: {}", rest.norm());
            }
        }
    }

    #[test]
    fn eigenvectors_belong_to_their_values_at_every_scale() {
        let size = 8;
        for scale in [1e-300, 1e-60, 1e-14, 1.0, 1e14, 1e300] {
            let matrix: Vec<_> = random(size * size).iter().map(|one| one * scale).collect();
            check_general(size, &matrix);
        }
    }

    #[test]
    fn jordan_blocks_have_an_eigenvector() {
        let size = 60;
        let mut matrix = vec![0.0; size * size];
        matrix.iter_mut().step_by(size + 1).for_each(|on| *on = 0.7);
        let above = matrix[1..].iter_mut().step_by(size + 1);
        above.for_each(|above| *above = 1.0);
        check_general(size, &matrix);
    }

    /// Numbers without any pattern, the same every time.
    fn random(count: usize) -> Vec<f64> {
        let mut state = 7_u64;
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn complex_random(count: usize) -> Vec<Complex<f64>> {
        let parts = random(2 * count);
        let (pairs, _) = parts.as_chunks::<2>();
        pairs.iter().map(|&[re, im]| Complex::new(re, im)).collect()
    }

    /// How far the columns of a matrix are from being orthogonal and of length one.
    fn orthogonality<T: Field<Part = f64>>(columns: MatRef<'_, T>) -> f64 {
        let product = columns.adjoint() * columns;
        let identity = Mat::<T>::identity(columns.ncols(), columns.ncols());
        (product - identity).norm_max()
    }

    /// Checks a matrix that threads share against what eigenvalues and eigenvectors are.
    fn check_hermitian<T: Field<Part = f64>>(size: usize, matrix: &[T]) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        let tolerance = size as f64 * f64::EPSILON;
        let half = MatRef::from_row_major_slice(matrix, size, size);
        let whole = half + half.adjoint();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let mut half = vec![T::nan(); size * size];
            for (at, element) in half.iter_mut().enumerate() {
                let (row, column) = (at / size, at % size);
                let counts = match triangle {
                    Triangle::Lower => column <= row,
                    Triangle::Upper => column >= row,
                };
                if counts {
                    *element = whole[(row, column)];
                }
            }
            let mut values = vec![0.0; size];
            let mut vectors = vec![T::nan(); size * size];
            let wanted = Some(&mut vectors[..]);
            hermitian(size, triangle, &half, &mut values, wanted, threads).unwrap();
            let vectors = MatRef::from_row_major_slice(&vectors, size, size);
            assert!(orthogonality(vectors) < tolerance);
            let mut scaled = vectors.to_owned();
            for (column, &value) in values.iter().enumerate() {
                for row in 0..size {
                    scaled[(row, column)] *= T::from_real(value);
                }
            }
            let norm = whole.norm_l2();
            let residual = (&whole * vectors - scaled).norm_max();
            assert!(residual < tolerance * norm, "{residual} of {norm}");
            let mut alone = vec![0.0; size];
            hermitian(size, triangle, &half, &mut alone, None, threads).unwrap();
            for (value, alone) in values.iter().zip(&alone) {
                assert!((value - alone).abs() < tolerance * norm);
            }
            assert!(values.is_sorted());
        }
    }

    #[test]
    fn eigenvectors_of_large_matrices_are_orthogonal_and_belong_to_their_values() {
        let size = 200;
        check_hermitian(size, &random(size * size));
        check_hermitian(size, &complex_random(size * size));
        // Many equal eigenvalues: a projection.
        let mut projection = vec![0.0; size * size];
        for at in (0..size * size / 2).step_by(size + 1) {
            projection[at] = 1.0;
        }
        check_hermitian(size, &projection);
    }

    #[test]
    fn singular_vectors_of_large_matrices_give_back_the_matrix() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        for [rows, columns] in [[220, 200], [200, 220], [700, 100]] {
            let matrix = complex_random(rows * columns);
            let expected = MatRef::from_row_major_slice(&matrix, rows, columns);
            let rank = rows.min(columns);
            let tolerance = rows.max(columns) as f64 * f64::EPSILON;
            for full in [false, true] {
                let sides = if full { [rows, columns] } else { [rank, rank] };
                let mut left = vec![Complex::<f64>::nan(); rows * sides[0]];
                let mut right = vec![Complex::<f64>::nan(); sides[1] * columns];
                let mut values = vec![0.0; rank];
                let vectors = Some(SingularVectors {
                    full,
                    left: &mut left,
                    right: &mut right,
                });
                singular([rows, columns], &matrix, &mut values, vectors, threads).unwrap();
                let left = MatRef::from_row_major_slice(&left, rows, sides[0]);
                let right = MatRef::from_row_major_slice(&right, sides[1], columns);
                assert!(orthogonality(left) < tolerance);
                assert!(orthogonality(right.adjoint().to_owned().as_ref()) < tolerance);
                let mut product = left.subcols(0, rank).to_owned();
                for (column, &value) in values.iter().enumerate() {
                    for row in 0..rows {
                        product[(row, column)] *= value;
                    }
                }
                let product = product * right.subrows(0, rank);
                assert!((product - expected).norm_max() < tolerance * values[0]);
                assert!(values.is_sorted_by(|a, b| a >= b));
                let mut alone = vec![0.0; rank];
                singular([rows, columns], &matrix, &mut alone, None, threads).unwrap();
                for (value, alone) in values.iter().zip(&alone) {
                    assert!((value - alone).abs() < tolerance * values[0]);
                }
            }
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
