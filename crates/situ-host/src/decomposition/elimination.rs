//! What is found by Gaussian elimination with row exchanges.
//!
//! As in LAPACK, a matrix is singular if a pivot is exactly zero. NaNs make every number that is found NaN,
//! and the elimination is not even tried. Who calls may lend room for the factors of the first matrix.

use std::iter;

use faer::{MatMut, MatRef};

use super::field::{Field, Float};
use super::lower_upper::LowerUpper;
use super::{Effort, Failure};
use crate::threads::Threads;

/// The determinants of matrices of `size` rows: their sign (a number of magnitude one, or zero), and the
/// logarithm of their magnitude.
///
/// # Errors
/// Never; the type is that of its kin.
pub(super) fn log_determinants<T: Field>(
    size: usize,
    matrices: &[T],
    signs: &mut [T],
    logarithms: &mut [T::Part],
    room: Option<&mut [T]>,
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let inputs = matrices.chunks_exact(size * size).zip(for_the_first(room));
    let items = inputs.zip(signs.iter_mut().zip(logarithms));
    effort(size, matrices).share(threads, items, |((input, room), (sign, logarithm))| {
        let Some(found) = LowerUpper::of(size, input, room, threads) else {
            (*sign, *logarithm) = (T::nan(), T::Part::NAN);
            return Ok(());
        };
        (*sign, *logarithm) = found.determinant().sign_and_logarithm();
        Ok(())
    })
}

/// The determinants of matrices of `size` rows.
///
/// # Errors
/// Never; the type is that of its kin.
pub(super) fn determinants<T: Field>(
    size: usize,
    matrices: &[T],
    determinants: &mut [T],
    room: Option<&mut [T]>,
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let inputs = matrices.chunks_exact(size * size).zip(for_the_first(room));
    let items = inputs.zip(determinants);
    effort(size, matrices).share(threads, items, |((input, room), determinant)| {
        let Some(found) = LowerUpper::of(size, input, room, threads) else {
            *determinant = T::nan();
            return Ok(());
        };
        *determinant = found.determinant().value();
        Ok(())
    })
}

/// The inverses of matrices of `size` rows.
///
/// # Errors
/// [`Problem::Singular`](super::Problem::Singular).
pub(super) fn inverses<T: Field>(
    size: usize,
    matrices: &[T],
    inverses: &mut [T],
    room: Option<&mut [T]>,
    threads: Threads<'_>,
) -> Result<(), Failure> {
    let inputs = matrices.chunks_exact(size * size).zip(for_the_first(room));
    let items = inputs.zip(inverses.chunks_exact_mut(size * size));
    effort(size, matrices).share(threads, items, |((input, room), inverse)| {
        match LowerUpper::of(size, input, room, threads) {
            Some(found) => found.regular()?.invert(inverse),
            None => inverse.fill(T::nan()),
        }
        Ok(())
    })
}

/// The solutions of systems of equations: for each, the numbers of its matrix and of the matrix of its `columns` right
/// sides, which lie one after the other.
#[derive(Clone, Debug)]
pub struct Systems {
    /// Rows of the matrices.
    pub size: usize,
    /// How many right sides a system has.
    pub columns: usize,
    /// For each system, the numbers of its two matrices in their batches.
    pub pairs: Vec<[usize; 2]>,
}

impl Systems {
    /// How much work they are.
    pub fn effort(&self) -> Effort {
        Effort {
            matrices: self.pairs.len(),
            each: self.size * self.size * (self.size + self.columns),
        }
    }

    /// Solves all of them.
    ///
    /// # Errors
    /// [`Problem::Singular`](super::Problem::Singular).
    pub(super) fn solve<T: Field>(
        &self,
        matrices: &[T],
        right_sides: &[T],
        solutions: &mut [T],
        room: Option<&mut [T]>,
        threads: Threads<'_>,
    ) -> Result<(), Failure> {
        let (area, sides) = (self.size * self.size, self.size * self.columns);
        let pairs = self.pairs.iter().zip(for_the_first(room));
        let items = in_chunks(solutions, sides).zip(pairs);
        self.effort()
            .share(threads, items, |(solution, (&[matrix, right], room))| {
                let input = &matrices[matrix * area..][..area];
                let right = &right_sides[right * sides..][..sides];
                match LowerUpper::of(self.size, input, room, threads) {
                    Some(found) => found.regular()?.solve(
                        MatRef::from_row_major_slice(right, self.size, self.columns),
                        MatMut::from_row_major_slice_mut(solution, self.size, self.columns),
                    ),
                    None => solution.fill(T::nan()),
                }
                Ok(())
            })
    }
}

fn effort<T>(size: usize, matrices: &[T]) -> Effort {
    Effort {
        matrices: matrices.len() / (size * size),
        each: size * size * size,
    }
}

/// Parts of one length from the start on; of the length 0, any number.
fn in_chunks<T>(mut rest: &mut [T], length: usize) -> impl Iterator<Item = &mut [T]> {
    iter::from_fn(move || {
        let (chunk, after) = std::mem::take(&mut rest).split_at_mut_checked(length)?;
        rest = after;
        Some(chunk)
    })
}

/// Room for the first of any number of matrices.
fn for_the_first<T>(room: Option<&mut [T]>) -> impl Iterator<Item = Option<&mut [T]>> {
    iter::once(room).chain(iter::repeat_with(|| None))
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::super::Problem;
    use super::*;

    #[test]
    fn determinants_know_the_sign_of_row_exchanges() {
        // The identity, one exchange, a cycle of three rows, and a singular matrix.
        let matrices = [
            1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, //
            0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, //
            0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, //
            1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 1.0,
        ];
        let mut found = [0.0_f64; 4];
        determinants(3, &matrices, &mut found, None, Threads::default()).unwrap();
        assert_eq!(found, [1.0, -2.0, 3.0, 0.0]);
        let (mut signs, mut logarithms) = ([0.0; 4], [0.0; 4]);
        log_determinants(
            3,
            &matrices,
            &mut signs,
            &mut logarithms,
            None,
            Threads::default(),
        )
        .unwrap();
        assert_eq!(signs, [1.0, -1.0, 1.0, 0.0]);
        assert_eq!(logarithms[3], f64::NEG_INFINITY);
    }

    #[test]
    fn determinants_are_found_where_squares_and_products_are_no_numbers() {
        let i = Complex::new(0.0_f64, 1.0);
        for scale in [1e-300, 1e-160, 1e160, 1e300] {
            // Of the determinant -2 i scale², as pivots that are not real.
            let one = Complex::new(1.0, 1.0) * scale;
            let matrix = [one, i * 0.0, i * 0.0, -one];
            let (mut sign, mut logarithm) = ([i], [0.0]);
            let threads = Threads::default();
            log_determinants(2, &matrix, &mut sign, &mut logarithm, None, threads).unwrap();
            assert!((sign[0] + i).norm() < 1e-15, "{scale}: {}", sign[0]);
            let expected = 2.0_f64.ln() + 2.0 * scale.ln();
            assert!((logarithm[0] - expected).abs() < 1e-12, "{scale}");
        }
        // What comes before the last two pivots overflows, and they make up for it.
        let mut matrix = [0.0_f64; 16];
        for (at, pivot) in [1e200, 1e200, 1e-200, 1e-199].into_iter().enumerate() {
            matrix[5 * at] = pivot;
        }
        let mut found = [0.0];
        determinants(4, &matrix, &mut found, None, Threads::default()).unwrap();
        assert!((found[0] - 10.0).abs() < 1e-13, "{}", found[0]);
    }

    #[test]
    fn pivots_without_a_reciprocal_are_divided_by() {
        let small = f32::from_bits(3);
        let matrix = [2.0 * small, small, small, small];
        let systems = Systems {
            size: 2,
            columns: 1,
            pairs: vec![[0, 0]],
        };
        let right = [4.0 * small, 3.0 * small];
        let mut solution = [0.0; 2];
        systems
            .solve(&matrix, &right, &mut solution, None, Threads::default())
            .unwrap();
        assert_eq!(solution, [1.0, 2.0]);
    }

    #[test]
    fn the_first_singular_matrix_is_named() {
        let mut matrices = vec![0.0_f64; 4 * 100];
        for (number, matrix) in matrices.chunks_exact_mut(4).enumerate() {
            matrix.copy_from_slice(&[2.0, 0.0, 0.0, f64::from(u8::from(number < 60))]);
        }
        let mut found = vec![0.0; 400];
        let failure = inverses(2, &matrices, &mut found, None, Threads::default()).unwrap_err();
        assert_eq!(
            failure,
            Failure {
                matrix: 60,
                problem: Problem::Singular
            }
        );
        assert_eq!(found[..4], [0.5, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn nan_makes_nan() {
        let matrices = [f32::NAN, 1.0, 0.0, 1.0];
        let mut found = [0.0; 4];
        inverses(2, &matrices, &mut found, None, Threads::default()).unwrap();
        assert!(found.iter().all(|element| element.is_nan()));
    }
}
