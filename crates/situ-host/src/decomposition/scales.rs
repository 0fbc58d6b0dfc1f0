//! Powers of two for the rows and the columns of a matrix, so that its numbers become moderate.
//!
//! Elimination divides by pivots as multiplications by their reciprocals, which are infinite for the smallest numbers and lose
//! digits for the largest ones. A matrix with such pivots is eliminated as a multiple of a moderate one. Powers of
//! two change no digits, and the error of a solution stays relative to the matrix.

use std::ops::RangeInclusive;

use faer::MatMut;

use super::field::{Field, Float};

/// Powers of two for the rows and columns of a square matrix.
#[derive(Clone, Debug)]
pub(super) struct Scales {
    rows: Vec<i32>,
    columns: Vec<i32>,
}

/// Whether pivots have reciprocals with all digits, and any number of the factors has a product with them: rows are
/// multiplied by reciprocals when equations are solved. After a pivot that is zero there is nothing to divide.
pub(super) fn are_moderate<T: Field>(factors: &[T], pivots: impl Iterator<Item = T>) -> bool {
    let range: RangeInclusive<T::Part> = T::Part::RECIPROCALS;
    let largest = factors.iter().fold(T::Part::ZERO, |largest, number| {
        largest.larger(number.largest_part())
    });
    pivots
        .map(T::largest_part)
        .take_while(|&pivot| pivot != T::Part::ZERO)
        .all(|pivot| range.contains(&pivot) && largest / pivot <= *range.end())
}

impl Scales {
    /// For a matrix that lies row after row: the largest number of every row and column becomes one, roughly.
    pub(super) fn of<T: Field>(size: usize, matrix: &[T]) -> Self {
        let rows: Vec<i32> = matrix
            .chunks_exact(size)
            .map(|row| largest_power(row.iter().copied()))
            .collect();
        let columns = (0..size)
            .map(|column| {
                let elements = matrix[column..].iter().step_by(size);
                let scaled = elements
                    .zip(&rows)
                    .map(|(element, &power)| element.times_power_of_two(power));
                largest_power(scaled)
            })
            .collect();
        Self { rows, columns }
    }

    /// The matrix with its rows and columns multiplied.
    pub(super) fn apply<T: Field>(&self, matrix: &[T]) -> Vec<T> {
        let size = self.columns.len();
        let powers = self
            .rows
            .iter()
            .flat_map(|row| self.columns.iter().map(move |column| row + column));
        debug_assert_eq!(matrix.len(), size * size);
        matrix
            .iter()
            .zip(powers)
            .map(|(element, power)| element.times_power_of_two(power))
            .collect()
    }

    /// The power of two that the determinant is multiplied by.
    pub(super) fn sum(&self) -> i64 {
        let powers = self.rows.iter().chain(&self.columns);
        powers.map(|&power| i64::from(power)).sum()
    }

    /// Multiplies right sides, whose rows were exchanged, as the rows of the matrix were; and each by a power of two,
    /// which makes its numbers moderate.
    pub(super) fn scale_right_sides<T: Field>(
        &self,
        order: &[usize],
        mut right: MatMut<'_, T>,
    ) -> Vec<i32> {
        let (rows, columns) = right.shape();
        let scale = |column: usize| {
            let exponents = (0..rows).filter_map(|row| {
                let largest = right[(row, column)].largest_part();
                (largest > T::Part::ZERO).then(|| largest.exponent() + self.rows[order[row]])
            });
            let power = -exponents.max().unwrap_or(0);
            for row in 0..rows {
                let all = self.rows[order[row]] + power;
                right[(row, column)] = right[(row, column)].times_power_of_two(all);
            }
            power
        };
        (0..columns).map(scale).collect()
    }

    /// Makes solutions of the multiplied matrix those of the matrix itself.
    pub(super) fn scale_solutions<T: Field>(&self, powers: &[i32], mut solutions: MatMut<'_, T>) {
        for (column, power) in powers.iter().enumerate() {
            for (row, own) in self.columns.iter().enumerate() {
                let solution = &mut solutions[(row, column)];
                *solution = solution.times_power_of_two(own - power);
            }
        }
    }
}

/// The power of two that makes the largest of some numbers one, roughly.
pub(super) fn largest_power<T: Field>(numbers: impl Iterator<Item = T>) -> i32 {
    let largest = numbers.fold(T::Part::ZERO, |largest, number| {
        largest.larger(number.largest_part())
    });
    if largest > T::Part::ZERO && largest < T::Part::INFINITY {
        -largest.exponent()
    } else {
        0
    }
}
