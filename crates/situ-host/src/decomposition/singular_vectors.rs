//! Singular values and singular vectors of real matrices.
//!
//! A matrix becomes a [bidiagonal] one; [its vectors](super::bidiagonal_vectors) become those of the matrix again.

use faer::{Mat, MatMut, MatRef};

use super::bidiagonal::bidiagonal;
use super::bidiagonal_vectors::bidiagonal_vectors;
use super::deflation::numbers;
use super::field::Float;
use super::reflections::Reflections;
use super::sharing::Sharing;
use crate::threads::Threads;
use crate::vectorised;

/// Below this size `faer` is as fast.
const SMALL: usize = 48;

/// Whether the singular vectors of a matrix are found quicker here than by `faer`, which begins with a QR decomposition if a
/// matrix is far from square.
pub(super) fn is_quickest(rows: usize, columns: usize) -> bool {
    let (longer, shorter) = (rows.max(columns), rows.min(columns));
    shorter >= SMALL && 6 * longer <= 11 * shorter && vectorised::is_supported()
}

/// Writes the singular values of a matrix in descending order, and its singular vectors as columns: as many as there are singular
/// values, or as rows or columns.
///
/// Is shared inside of [`Threads::install`] only.
pub(super) fn real_singular_vectors<T: Float>(
    matrix: MatRef<'_, T>,
    values: &mut [T],
    left: MatMut<'_, T>,
    right: MatMut<'_, T>,
    threads: Threads<'_>,
) {
    let (rows, columns) = matrix.shape();
    if rows < columns {
        return real_singular_vectors(matrix.transpose(), values, right, left, threads);
    }
    let sharing = Sharing::among(threads);
    let mut of_columns = Reflections::new(rows, columns);
    let mut of_rows = Reflections::new(columns - 1, columns - 1);
    let form = bidiagonal(matrix, Some([&mut of_columns, &mut of_rows]), threads);
    // In double precision always: that is not what takes the time, and errors do not add up.
    let doubles =
        |numbers: &[T]| -> Vec<f64> { numbers.iter().map(|number| number.to_double()).collect() };
    let (mut left_small, mut right_small) = sharing.both(
        || Mat::zeros(columns, columns),
        || Mat::zeros(columns, columns),
    );
    let found = bidiagonal_vectors(
        &doubles(&form.diagonal),
        &doubles(&form.beside),
        left_small.as_mut(),
        right_small.as_mut(),
        sharing,
    );
    let mut order: Vec<_> = (0..columns).collect();
    order.sort_by(|&one, &other| found[other].total_cmp(&found[one]));
    for (value, &source) in values.iter_mut().zip(&order) {
        *value = T::from_double(found[source]);
    }
    let (of_columns, of_rows) = (of_columns.in_blocks(sharing), of_rows.in_blocks(sharing));
    let fill = |small: MatRef<'_, f64>, column: usize, target: &mut [T]| match order.get(column) {
        Some(&source) => {
            for (target, &number) in target.iter_mut().zip(numbers(small, source)) {
                *target = T::from_double(number);
            }
        }
        None => target[column] = T::ONE,
    };
    of_columns.write(
        0,
        left,
        |column, target| fill(left_small.as_ref(), column, target),
        sharing,
    );
    of_rows.write(
        1,
        right,
        |column, target| fill(right_small.as_ref(), column, target),
        sharing,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::singular_values::real_singular_values;

    /// Numbers without any pattern, the same every time.
    fn random(row: usize, column: usize) -> f64 {
        let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 7);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    type Matrix = fn(usize, usize) -> f64;
    /// Matrices that decompositions may stumble over.
    const MATRICES: [(&str, Matrix); 11] = [
        ("random", random),
        ("zero", |_, _| 0.0),
        ("identity", |row, column| f64::from(u8::from(row == column))),
        ("ones", |_, _| 1.0),
        ("rank three", |row, column| {
            let of = |index| random(row, index) * random(index, column);
            of(0) + of(1) - of(2)
        }),
        ("graded", |row, column| {
            random(row, column) * 0.9_f64.powi((row + column) as i32)
        }),
        ("clustered", |row, column| {
            random(row, column) * 1e-9 + f64::from(u8::from(row == column))
        }),
        ("Kahan's", |row, column| match column.cmp(&row) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 0.9_f64.powi(row as i32),
            std::cmp::Ordering::Greater => -0.4 * 0.9_f64.powi(row as i32),
        }),
        ("bidiagonal", |row, column| match column.wrapping_sub(row) {
            0 => random(row, 0),
            1 if row % 5 > 0 => random(row, 1),
            _ => 0.0,
        }),
        ("tiny columns", |row, column| {
            random(row, column) * if column % 3 == 1 { 1e-170 } else { 1.0 }
        }),
        ("large", |row, column| {
            random(row, column) * 2.0_f64.powi(190)
        }),
    ];

    struct Found<T> {
        values: Vec<T>,
        left: Mat<T>,
        right: Mat<T>,
    }

    fn decomposed<T: Float>(matrix: &Mat<T>, is_full: bool, threads: Threads<'_>) -> Found<T> {
        let (rows, columns) = matrix.shape();
        let rank = rows.min(columns);
        let [left, right] = if is_full { [rows, columns] } else { [rank; 2] };
        let mut found = Found {
            values: vec![T::NAN; rank],
            left: Mat::zeros(rows, left),
            right: Mat::zeros(columns, right),
        };
        threads.install(|| {
            let (left, right) = (found.left.as_mut(), found.right.as_mut());
            real_singular_vectors(matrix.as_ref(), &mut found.values, left, right, threads);
        });
        found
    }

    fn check<T: Float>([rows, columns]: [usize; 2], name: &str, at: Matrix, threads: Threads<'_>) {
        let matrix = Mat::from_fn(rows, columns, |row, column| T::from_double(at(row, column)));
        let epsilon = if size_of::<T>() == 4 {
            f64::from(f32::EPSILON)
        } else {
            f64::EPSILON
        };
        let tolerance = 4.0 * (rows.max(columns) as f64 + 4.0) * epsilon;
        let norm = matrix.norm_l2().to_double();
        let mut alone = vec![T::NAN; rows.min(columns)];
        real_singular_values(matrix.as_ref(), &mut alone, Threads::default()).unwrap();
        for is_full in [false, true] {
            let found = decomposed(&matrix, is_full, threads);
            for vectors in [&found.left, &found.right] {
                let unit = Mat::<T>::identity(vectors.ncols(), vectors.ncols());
                let residual = (vectors.transpose() * vectors - unit)
                    .norm_max()
                    .to_double();
                assert!(residual <= tolerance, "{name} {rows} {columns}: {residual}");
            }
            let scaled = Mat::from_fn(rows, alone.len(), |row, column| {
                found.left[(row, column)] * found.values[column]
            });
            let right = found.right.as_ref().subcols(0, alone.len());
            let residual = (scaled * right.transpose() - &matrix)
                .norm_max()
                .to_double();
            assert!(
                residual <= tolerance * norm,
                "{name} {rows} {columns}: {residual} of {norm}"
            );
            for (value, alone) in found.values.iter().zip(&alone) {
                let distance = (value.to_double() - alone.to_double()).abs();
                assert!(
                    distance <= tolerance * norm,
                    "{name}: {value:?} or {alone:?}"
                );
            }
            let values = &found.values;
            assert!(
                values.is_sorted_by(|a, b| a >= b) && values.iter().all(|&value| value >= T::ZERO)
            );
        }
    }

    #[test]
    fn matrices_are_made_of_their_singular_vectors() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.unwrap();
        let threads = Threads::new(Some(&pool));
        for sizes in [
            [1, 1],
            [1, 5],
            [5, 1],
            [2, 2],
            [3, 2],
            [2, 3],
            [16, 15],
            [17, 17],
            [33, 20],
            [20, 33],
            [64, 64],
            [130, 129],
            [120, 170],
        ] {
            for (name, at) in MATRICES {
                check::<f64>(sizes, name, at, threads);
            }
            // The others have numbers that are too large or too small.
            for (name, at) in &MATRICES[..9] {
                check::<f32>(sizes, name, *at, Threads::default());
            }
        }
    }

    #[test]
    fn singular_values_are_those_that_faer_finds() {
        let matrix = Mat::from_fn(90, 70, random);
        let found = decomposed(&matrix, false, Threads::default());
        let expected = matrix.singular_values().unwrap();
        for (value, expected) in found.values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-13, "{value} {expected}");
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let matrix = Mat::from_fn(300, 280, random);
        let found = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.unwrap();
            let found = decomposed(&matrix, true, Threads::new(Some(&pool)));
            (found.values, found.left, found.right)
        };
        let one = found(1);
        for count in [2, 3] {
            assert!(one == found(count), "{count} threads");
        }
    }
}
