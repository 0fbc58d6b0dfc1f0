//! Cholesky's decomposition, and the QR decomposition.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_reflections,
};
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};
use faer::{Conj, Mat, MatMut, MatRef, Par};

use super::field::{Field, Float};
use super::scales::largest_power;
use super::{Effort, Failure, Problem, positive};
use crate::threads::Threads;

/// Which triangle of a matrix counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// What is below the diagonal.
    Lower,
    /// What is above it.
    Upper,
}

impl Triangle {
    /// The elements of a matrix of `size` rows that count.
    pub(super) fn of<T>(self, size: usize, matrix: &[T]) -> impl Iterator<Item = &T> {
        let rows = matrix.chunks_exact(size).enumerate();
        rows.flat_map(move |(row, elements)| match self {
            Self::Lower => &elements[..=row],
            Self::Upper => &elements[row..],
        })
    }
}

/// The triangular factors of Hermitian matrices of `size` rows: lower `L` with `L Lᴴ`, or upper `U` with `Uᴴ U`.
/// Only that triangle of the matrices is read.
///
/// # Errors
/// [`Problem::NotPositiveDefinite`].
pub(super) fn cholesky<T: Field>(
    size: usize,
    triangle: Triangle,
    matrices: &[T],
    factors: &mut [T],
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let area = size * size;
    let effort = Effort {
        matrices: matrices.len() / area,
        each: area * size / 2,
    };
    let items = matrices
        .chunks_exact(area)
        .zip(factors.chunks_exact_mut(area));
    effort.share(threads, items, |(input, factor)| {
        // LAPACK finds a NaN when it becomes a pivot, which it does sooner or later.
        if triangle.of(size, input).any(|&element| element.has_nan()) {
            return Err(Problem::NotPositiveDefinite);
        }
        factor.copy_from_slice(input);
        let view = match triangle {
            Triangle::Lower => MatMut::from_row_major_slice_mut(factor, size, size),
            // Uᴴ U is the matrix if Uᵀ, which is these elements column by column, is the lower factor of its conjugate,
            // which is these elements column by column.
            Triangle::Upper => MatMut::from_column_major_slice_mut(factor, size, size),
        };
        positive::factor_lower(view, threads)?;
        for (row, elements) in factor.chunks_exact_mut(size).enumerate() {
            let others = match triangle {
                Triangle::Lower => &mut elements[row + 1..],
                Triangle::Upper => &mut elements[..row],
            };
            others.fill(T::from_real(T::Part::ZERO));
        }
        Ok(())
    })
}

/// Which columns of `Q` and rows of `R` are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QrColumns {
    /// As many as the smaller side of the matrix has.
    Reduced,
    /// As many as the matrix has rows.
    Complete,
}

/// Matrices of `rows` and `columns` as products of unitary `Q` and upper triangular `R`.
///
/// # Errors
/// Never; the type is that of its kin.
pub(super) fn qr<T: Field>(
    [rows, columns]: [usize; 2],
    wanted: QrColumns,
    matrices: &[T],
    orthogonal: &mut [T],
    triangular: &mut [T],
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let middle = match wanted {
        QrColumns::Reduced => rows.min(columns),
        QrColumns::Complete => rows,
    };
    let effort = Effort {
        matrices: matrices.len() / (rows * columns),
        each: rows * columns * middle,
    };
    let inputs = matrices.chunks_exact(rows * columns);
    let outputs = orthogonal
        .chunks_exact_mut(rows * middle)
        .zip(triangular.chunks_exact_mut(middle * columns));
    let par = effort.parallelism(threads);
    effort.share(threads, inputs.zip(outputs), |(input, (q, r))| {
        if input.iter().any(|&element| element.has_nan()) {
            q.fill(T::nan());
            r.fill(T::nan());
            return Ok(());
        }
        let input = MatRef::from_row_major_slice(input, rows, columns);
        // A column that is small beside the others counts as zero for `faer`. Multiples of columns have the same `Q`.
        let powers: Vec<i32> = (0..columns)
            .map(|column| largest_power(input.col(column).iter().copied()))
            .collect();
        let scaled = Mat::from_fn(rows, columns, |row, column| {
            input[(row, column)].times_power_of_two(powers[column])
        });
        let found = Reflections::of(scaled, par);
        found.apply_to_identity(MatMut::from_row_major_slice_mut(q, rows, middle), par);
        r.fill(T::from_real(T::Part::ZERO));
        for row in 0..rows.min(columns) {
            for column in row..columns {
                let element = found.factors[(row, column)];
                r[row * columns + column] = element.times_power_of_two(-powers[column]);
            }
        }
        Ok(())
    })
}

/// A unitary matrix as a sequence of reflections, and the upper triangle that they make of a matrix.
struct Reflections<T> {
    /// The triangle, and the reflections' vectors below it.
    factors: Mat<T>,
    /// What else belongs to the reflections, some columns at a time.
    coefficients: Mat<T>,
}

impl<T: Field> Reflections<T> {
    fn of(matrix: Mat<T>, par: Par) -> Self {
        let (rows, columns) = matrix.shape();
        let block = recommended_block_size::<T>(rows, columns);
        let params = faer::Spec::default();
        let mut found = Self {
            factors: matrix,
            coefficients: Mat::zeros(block, rows.min(columns)),
        };
        let scratch = qr_in_place_scratch::<T>(rows, columns, block, par, params);
        let mut memory = MemBuffer::new(scratch);
        qr_in_place(
            found.factors.as_mut(),
            found.coefficients.as_mut(),
            par,
            MemStack::new(&mut memory),
            params,
        );
        found
    }

    /// Writes the first columns of the unitary matrix, as many as `target` has.
    fn apply_to_identity(&self, mut target: MatMut<'_, T>, par: Par) {
        let (rows, columns) = target.shape();
        // `faer` wants columns whose elements are neighbours.
        let mut identity = Mat::<T>::identity(rows, columns);
        let scratch = apply_scratch::<T>(rows, self.coefficients.nrows(), columns);
        let mut memory = MemBuffer::new(scratch);
        apply_reflections(
            self.factors.subcols(0, self.coefficients.ncols()),
            self.coefficients.as_ref(),
            Conj::No,
            identity.as_mut(),
            par,
            MemStack::new(&mut memory),
        );
        target.copy_from(&identity);
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    #[test]
    fn only_the_triangle_that_counts_is_read() {
        let matrices = [4.0, f64::NAN, 2.0, 5.0];
        let mut factor = [0.0; 4];
        cholesky(
            2,
            Triangle::Lower,
            &matrices,
            &mut factor,
            Threads::default(),
        )
        .unwrap();
        assert_eq!(factor, [2.0, 0.0, 1.0, 2.0]);
        let failure = cholesky(
            2,
            Triangle::Upper,
            &matrices,
            &mut factor,
            Threads::default(),
        )
        .unwrap_err();
        assert_eq!(failure.problem, Problem::NotPositiveDefinite);
    }

    #[test]
    fn large_factors_give_back_the_matrix() {
        let size = 410;
        let i = Complex::new(0.0, 1.0);
        let at = |row: usize, column: usize| {
            let diagonal = if row == column { size as f64 } else { 0.0 };
            let sign = if row < column { 1.0 } else { -1.0 };
            let odd = if row == column { 0.0 } else { sign };
            i * odd * ((row * column) % 7) as f64 / 7.0
                + ((row + column) % 5) as f64 / 5.0
                + diagonal
        };
        let matrix: Vec<_> = (0..size * size).map(|n| at(n / size, n % size)).collect();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let mut factor = matrix.clone();
            cholesky(size, triangle, &matrix, &mut factor, Threads::default()).unwrap();
            let factor = MatRef::from_row_major_slice(&factor, size, size);
            let product = match triangle {
                Triangle::Lower => factor * factor.adjoint(),
                Triangle::Upper => factor.adjoint() * factor,
            };
            let expected = MatRef::from_row_major_slice(&matrix, size, size);
            assert!((product - expected).norm_max() < 1e-11);
            let (above, below) = (factor[(0, 1)].norm(), factor[(1, 0)].norm());
            let zero = if triangle == Triangle::Lower {
                above
            } else {
                below
            };
            assert_eq!(zero, 0.0);
        }
        let mut negative = matrix.clone();
        negative[300 * size + 300] = Complex::new(-1.0, 0.0);
        let mut factor = matrix;
        let failure = cholesky(
            size,
            Triangle::Lower,
            &negative,
            &mut factor,
            Threads::default(),
        )
        .unwrap_err();
        assert_eq!(failure.problem, Problem::NotPositiveDefinite);
    }

    #[test]
    fn qr_gives_back_the_matrix() {
        for [rows, columns] in [[3, 2], [2, 3], [3, 3]] {
            for wanted in [QrColumns::Reduced, QrColumns::Complete] {
                let matrix: Vec<f64> = (0..rows * columns).map(|i| (i * i % 7) as f64).collect();
                let middle = if wanted == QrColumns::Complete {
                    rows
                } else {
                    rows.min(columns)
                };
                let mut q = vec![0.0; rows * middle];
                let mut r = vec![0.0; middle * columns];
                qr(
                    [rows, columns],
                    wanted,
                    &matrix,
                    &mut q,
                    &mut r,
                    Threads::default(),
                )
                .unwrap();
                let q = MatRef::from_row_major_slice(&q, rows, middle);
                let r = MatRef::from_row_major_slice(&r, middle, columns);
                let product = q * r;
                let unit = q.transpose() * q;
                for i in 0..rows {
                    for j in 0..columns {
                        assert!((product[(i, j)] - matrix[i * columns + j]).abs() < 1e-13);
                    }
                }
                for i in 0..middle {
                    assert!((unit[(i, i)] - 1.0).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn large_matrices_are_given_back_by_their_qr_factors() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        for [rows, columns] in [[400, 370], [370, 400]] {
            let at = |i: usize| {
                (
                    (i * i % 1009) as f64 / 1009.0,
                    (i * 31 % 113) as f64 / 113.0,
                )
            };
            let matrix: Vec<Complex<f64>> = (0..rows * columns)
                .map(at)
                .map(|(re, im)| Complex::new(re, im))
                .collect();
            let expected = MatRef::from_row_major_slice(&matrix, rows, columns);
            let tolerance = rows.max(columns) as f64 * f64::EPSILON;
            for wanted in [QrColumns::Reduced, QrColumns::Complete] {
                let middle = match wanted {
                    QrColumns::Reduced => rows.min(columns),
                    QrColumns::Complete => rows,
                };
                let mut q = vec![Complex::<f64>::nan(); rows * middle];
                let mut r = vec![Complex::<f64>::nan(); middle * columns];
                qr([rows, columns], wanted, &matrix, &mut q, &mut r, threads).unwrap();
                let q = MatRef::from_row_major_slice(&q, rows, middle);
                let r = MatRef::from_row_major_slice(&r, middle, columns);
                let residual = (q * r - expected).norm_max();
                assert!(residual < tolerance * expected.norm_l2(), "{residual}");
                let unit = q.adjoint() * q;
                let identity = Mat::<Complex<f64>>::identity(middle, middle);
                assert!((unit - identity).norm_max() < tolerance);
            }
        }
    }
}
