//! Eigenvectors by inverse iteration, one at a time.
//!
//! `faer` finds eigenvectors by back substitution, which overflows where many eigenvalues are as close together as
//! rounding errors: Jordan blocks, matrices of rank one. For these the vector of an eigenvalue is found here, from the
//! Hessenberg form of the matrix and with numbers that are scaled down as they grow. Eigenvalues that
//! are equal may get the same vector, as they do for a Jordan block in exact arithmetic.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_reflections,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, Par};

use super::field::{Field, Float, Scaled};

/// How many start vectors are tried.
const STARTS: usize = 4;

/// How often equations are solved for each of them. The vectors of defective eigenvalues get worse with more.
const STEPS: usize = 2;

/// A complex matrix whose eigenvalues are known.
pub(super) struct InverseIteration<C> {
    /// The Hessenberg form, and below it the reflections that lead to it.
    form: Mat<C>,
    /// What else belongs to the reflections.
    coefficients: Mat<C>,
}

impl<C: Field> InverseIteration<C> {
    /// Of a matrix with at least two rows, whose numbers are neither very large nor very small as a whole.
    pub(super) fn new(mut matrix: Mat<C>) -> Self {
        let size = matrix.nrows();
        let block = recommended_block_size::<C>(size - 1, size - 1);
        let params = faer::Spec::default();
        let mut coefficients = Mat::zeros(block, size - 1);
        let scratch = hessenberg_in_place_scratch::<C>(size, block, Par::Seq, params);
        hessenberg_in_place(
            matrix.as_mut(),
            coefficients.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        );
        Self {
            form: matrix,
            coefficients,
        }
    }

    /// The eigenvector of an eigenvalue. Its largest number is near one.
    pub(super) fn vector(&self, value: C) -> Vec<C> {
        let size = self.form.nrows();
        let eliminated = Eliminated::of(&self.form, value);
        let mut best = (None, Vec::new());
        for start in 0..STARTS.min(size) {
            let mut vector = vec![C::from_real(C::Part::ONE); size];
            if start > 0 {
                vector[size - start] = C::from_real(C::Part::from_double(-(size as f64).sqrt()));
            }
            for step in 0..STEPS {
                if step > 0 {
                    eliminated.apply_exchanges(&mut vector);
                }
                eliminated.substitute_back(&mut vector);
                let residual = self.residual(&vector, value);
                if best.0.is_none_or(|least| residual < least) {
                    best = (Some(residual), vector.clone());
                }
            }
            if best.0.is_some_and(|least| least <= eliminated.smallest) {
                break;
            }
        }
        self.transform_back(best.1)
    }

    /// The largest number of the residual `A v - value v`.
    fn residual(&self, vector: &[C], value: C) -> C::Part {
        let mut image: Vec<C> = vector.iter().map(|&number| -(value * number)).collect();
        for (column, &number) in vector.iter().enumerate() {
            for (row, element) in image.iter_mut().enumerate().take(column + 2) {
                *element += self.form[(row, column)] * number;
            }
        }
        largest(&image)
    }

    /// A vector of the Hessenberg form as one of the matrix.
    fn transform_back(&self, mut vector: Vec<C>) -> Vec<C> {
        let size = vector.len();
        let scratch = apply_scratch::<C>(size - 1, self.coefficients.nrows(), 1);
        apply_reflections(
            self.form.submatrix(1, 0, size - 1, size - 1),
            self.coefficients.as_ref(),
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut vector[1..], size - 1, 1),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        vector
    }
}

/// A shifted Hessenberg matrix after Gaussian elimination.
struct Eliminated<C: Field> {
    upper: Mat<C>,
    /// For each column whether two rows were exchanged, and which multiple of one was subtracted from the other.
    steps: Vec<(bool, C)>,
    /// The size of rounding errors: pivots are not smaller.
    smallest: C::Part,
}

impl<C: Field> Eliminated<C> {
    fn of(form: &Mat<C>, value: C) -> Self {
        let size = form.nrows();
        let zero = C::from_real(C::Part::ZERO);
        let mut upper = Mat::from_fn(size, size, |row, column| match row {
            _ if row == column => form[(row, column)] - value,
            _ if row <= column + 1 => form[(row, column)],
            _ => zero,
        });
        let norm = (0..size).fold(C::Part::ZERO, |norm, column| {
            norm.larger(largest(upper.col_as_slice(column)))
        });
        let smallest = norm.times_power_of_two(-C::Part::MANTISSA_BITS);
        let mut steps = Vec::with_capacity(size - 1);
        for column in 0..size - 1 {
            let below = upper[(column + 1, column)];
            let is_exchanged = below.largest_part() > upper[(column, column)].largest_part();
            if is_exchanged {
                for at in column..size {
                    let kept = upper[(column, at)];
                    upper[(column, at)] = upper[(column + 1, at)];
                    upper[(column + 1, at)] = kept;
                }
            }
            let pivot = upper[(column, column)];
            let multiple = if pivot == zero {
                zero
            } else {
                upper[(column + 1, column)].quotient(pivot)
            };
            for at in column..size {
                let above = upper[(column, at)];
                upper[(column + 1, at)] -= multiple * above;
            }
            steps.push((is_exchanged, multiple));
        }
        for at in 0..size {
            if upper[(at, at)].largest_part() < smallest {
                upper[(at, at)] = C::from_real(smallest);
            }
        }
        Self {
            upper,
            steps,
            smallest,
        }
    }

    /// Does to a right side what was done to the rows.
    fn apply_exchanges(&self, right: &mut [C]) {
        for (row, &(is_exchanged, multiple)) in self.steps.iter().enumerate() {
            if is_exchanged {
                right.swap(row, row + 1);
            }
            let above = right[row];
            right[row + 1] -= multiple * above;
        }
    }

    /// Solves for a right side, whose length is of no interest. That of the solution is near one.
    fn substitute_back(&self, right: &mut [C]) {
        if self.smallest == C::Part::ZERO {
            return;
        }
        for row in (0..right.len()).rev() {
            right[row] = right[row].quotient(self.upper[(row, row)]);
            let found = right[row];
            for (above, &factor) in right[..row].iter_mut().zip(self.upper.col_as_slice(row)) {
                *above -= factor * found;
            }
            normalise(right);
        }
    }
}

/// Multiplies numbers by a power of two so that the largest is near one.
pub(super) fn normalise<C: Field>(numbers: &mut [C]) {
    let largest = largest(numbers);
    if largest > C::Part::ZERO {
        let power = largest.exponent();
        for number in numbers {
            *number = number.times_power_of_two(-power);
        }
    }
}

/// The largest distance of a part of a number from zero.
fn largest<C: Field>(numbers: &[C]) -> C::Part {
    numbers.iter().fold(C::Part::ZERO, |largest, number| {
        largest.larger(number.largest_part())
    })
}
