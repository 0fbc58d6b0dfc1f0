//! What two halves of a problem have in common with the whole.
//!
//! When halves are put together, every column of vectors has a number, an eigenvalue or singular value of its half, and a weight that tells how much the
//! other half changes it. Columns with no weight worth the name are final. So is one of two columns
//! with almost the same number, after a rotation that gives all of their weight to the other one. What is left is a
//! [secular equation](super::secular) with poles that are apart.

use faer::{MatMut, MatRef};

/// Where a column has numbers that are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extent {
    /// In the rows of the upper half.
    Top,
    /// Everywhere.
    Whole,
    /// In the rows of the lower half.
    Bottom,
}

/// A column of the vectors of two halves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// Which one.
    pub(super) at: usize,
    /// The eigenvalue or singular value.
    pub(super) number: f64,
    /// How much the other half changes it.
    pub(super) weight: f64,
    /// Where its numbers are.
    pub(super) extent: Extent,
}

/// Takes two columns `x` and `y` to `cosine x + sine y` and `cosine y - sine x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    columns: [usize; 2],
    cosine: f64,
    sine: f64,
}

impl Rotation {
    /// One of two different columns.
    pub(super) fn new(columns: [usize; 2], cosine: f64, sine: f64) -> Self {
        Self {
            columns,
            cosine,
            sine,
        }
    }

    /// Rotates the columns.
    pub(super) fn apply(&self, matrix: MatMut<'_, f64>) {
        let [one, other] = self.columns;
        let (one, other) = matrix.two_cols_mut(one, other);
        let pairs = numbers_mut(one).iter_mut().zip(numbers_mut(other));
        for (one, other) in pairs {
            let (x, y) = (*one, *other);
            *one = self.cosine * x + self.sine * y;
            *other = self.cosine * y - self.sine * x;
        }
    }
}

/// The numbers of a column of a matrix that lies column by column.
pub(super) fn numbers_mut(column: faer::ColMut<'_, f64>) -> &mut [f64] {
    column
        .try_as_col_major_mut()
        .expect("matrices lie column by column here")
        .as_slice_mut()
}

/// The numbers of a column of a matrix that lies column by column.
pub(super) fn numbers(matrix: MatRef<'_, f64>, column: usize) -> &[f64] {
    matrix
        .col(column)
        .try_as_col_major()
        .expect("matrices lie column by column here")
        .as_slice()
}

/// What does not count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// Differences of numbers up to this.
    pub(super) number: f64,
    /// Weights up to this.
    pub(super) weight: f64,
}

/// Columns that were told apart.
#[derive(Debug, Default)]
pub(super) struct Deflated {
    /// Those that depend on the other half, by ascending numbers.
    pub(super) kept: Vec<Column>,
    /// Those that are final.
    pub(super) aside: Vec<Column>,
    /// What must be done to the columns before.
    pub(super) rotations: Vec<Rotation>,
}

impl Deflated {
    /// Tells columns apart.
    pub(super) fn new(mut columns: Vec<Column>, tolerance: Tolerance) -> Self {
        columns.sort_by(|one, other| one.number.total_cmp(&other.number));
        let mut found = Self::default();
        let mut last: Option<Column> = None;
        for mut column in columns {
            if column.weight.abs() <= tolerance.weight {
                found.aside.push(column);
                continue;
            }
            if let Some(mut previous) = last.take() {
                let weight = column.weight.hypot(previous.weight);
                let (cosine, sine) = (column.weight / weight, -previous.weight / weight);
                let apart = column.number - previous.number;
                if (apart * cosine * sine).abs() <= tolerance.number {
                    let columns = [previous.at, column.at];
                    found.rotations.push(Rotation::new(columns, cosine, sine));
                    if column.extent != previous.extent {
                        (column.extent, previous.extent) = (Extent::Whole, Extent::Whole);
                    }
                    column.weight = weight;
                    (column.number, previous.number) = (
                        cosine.mul_add(cosine * apart, previous.number),
                        sine.mul_add(sine * apart, previous.number),
                    );
                    found.aside.push(previous);
                } else {
                    found.kept.push(previous);
                }
            }
            last = Some(column);
        }
        found.kept.extend(last);
        found
    }
}

/// The largest power of two up to a positive number, that numbers are multiples of without rounding.
pub(super) fn power_of_two(number: f64) -> f64 {
    let exponent = number.to_bits() & 0x7ff0_0000_0000_0000;
    if exponent == 0 {
        f64::MIN_POSITIVE
    } else {
        f64::from_bits(exponent)
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    fn column(at: usize, number: f64, weight: f64, extent: Extent) -> Column {
        Column {
            at,
            number,
            weight,
            extent,
        }
    }

    const TOLERANCE: Tolerance = Tolerance {
        number: 1e-10,
        weight: 1e-10,
    };

    #[test]
    fn columns_without_weight_are_final() {
        let columns = vec![
            column(0, 3.0, 1.0, Extent::Top),
            column(1, 2.0, 1e-11, Extent::Top),
            column(2, 1.0, -1.0, Extent::Bottom),
        ];
        let found = Deflated::new(columns, TOLERANCE);
        let at = |columns: &[Column]| columns.iter().map(|column| column.at).collect::<Vec<_>>();
        assert_eq!(at(&found.kept), [2, 0]);
        assert_eq!(at(&found.aside), [1]);
        assert!(found.rotations.is_empty());
    }

    #[test]
    fn the_weight_of_columns_with_the_same_number_goes_to_one_of_them() {
        let columns = vec![
            column(0, 1.0, 3.0, Extent::Top),
            column(1, 1.0 + 1e-12, -4.0, Extent::Bottom),
        ];
        let found = Deflated::new(columns, TOLERANCE);
        let ([kept], [aside]) = (&found.kept[..], &found.aside[..]) else {
            panic!("{found:?}");
        };
        assert_eq!((kept.at, aside.at), (1, 0));
        assert_eq!((kept.extent, aside.extent), (Extent::Whole, Extent::Whole));
        assert!((kept.weight - 5.0).abs() < 1e-15);
        // Rotated like the columns, the weights are where they are said to be.
        let mut weights = Mat::from_fn(1, 2, |_, column| [3.0, -4.0][column]);
        found.rotations[0].apply(weights.as_mut());
        assert!(weights[(0, 0)].abs() < 1e-15);
        assert!((weights[(0, 1)] - 5.0).abs() < 1e-15);
    }

    #[test]
    fn powers_of_two_are_found_from_below() {
        for (number, power) in [(1.0, 1.0), (7.9, 4.0), (0.3, 0.25)] {
            assert_eq!(power_of_two(number), power);
        }
        assert_eq!(power_of_two(1e-320), f64::MIN_POSITIVE);
    }
}
