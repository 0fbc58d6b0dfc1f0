//! Eigenvalues and eigenvectors of symmetric tridiagonal matrices, by dividing and conquering.
//!
//! But for one number beside the diagonal a matrix falls into two. With that number it is the two, changed at one place each, and a
//! product `w wᵀ`; given the eigenvectors of both, its eigenvalues are roots of a [secular equation](super::secular). The
//! halves are found in the same way, down to single numbers; so there are no iterations that may not end. (Cuppen's algorithm, which is
//! LAPACK's `stedc` as well.)

use faer::{Mat, MatMut};

use super::deflation::{Column, Deflated, Extent, Tolerance, power_of_two};
use super::lanes::{Lanes, WIDTH};
use super::merge::{Merge, Room};
use super::secular::{Plain, Secular};
use super::sharing::Sharing;
use super::tridiagonal::Tridiagonal;

/// Parts of fewer rows are found by one thread.
const SHARED_FROM: usize = 48;

/// Writes the eigenvectors of a tridiagonal matrix as columns, and returns the eigenvalues that belong to them, in no order. The
/// vectors must be zero before, and lie column by column.
pub(super) fn tridiagonal_vectors(
    mut matrix: Tridiagonal<f64>,
    vectors: MatMut<'_, f64>,
    sharing: Sharing,
) -> Vec<f64> {
    let size = matrix.diagonal.len();
    let (mut packed, mut mixing) =
        sharing.both(|| Mat::zeros(size, size), || Mat::zeros(size, size));
    let mut distances = vec![Lanes::ZERO; Secular::<Plain>::room(size)];
    let room = Room {
        packed: packed.as_mut(),
        mixing: mixing.as_mut(),
        distances: &mut distances,
    };
    let part = Part {
        diagonal: &mut matrix.diagonal,
        beside: &matrix.beside,
    };
    part.solve(vectors, room, sharing)
}

/// Some rows and columns of a tridiagonal matrix.
#[derive(Debug)]
struct Part<'a> {
    diagonal: &'a mut [f64],
    /// One number less.
    beside: &'a [f64],
}

impl Part<'_> {
    fn solve(self, mut vectors: MatMut<'_, f64>, mut room: Room<'_>, sharing: Sharing) -> Vec<f64> {
        let size = self.diagonal.len();
        if size <= 1 {
            vectors.fill(1.0);
            return self.diagonal.to_vec();
        }
        let top = size / 2;
        let bridge = self.beside[top - 1];
        let (above, below) = self.diagonal.split_at_mut(top);
        above[top - 1] -= bridge.abs();
        below[0] -= bridge.abs();
        let upper = Part {
            diagonal: above,
            beside: &self.beside[..top - 1],
        };
        let lower = Part {
            diagonal: below,
            beside: &self.beside[top..],
        };
        let (mut values, others) = {
            let (first, _, _, second) = vectors.as_mut().split_at_mut(top, top);
            let (upper_room, lower_room) = room.split(top);
            sharing.only_if(size >= SHARED_FROM).both(
                || upper.solve(first, upper_room, sharing),
                || lower.solve(second, lower_room, sharing),
            )
        };
        values.extend(others);
        let union = Union {
            top,
            bridge,
            values,
        };
        union.solve(vectors, room, sharing)
    }
}

/// Two parts, and what is added to them.
struct Union {
    /// How many rows are in the upper part.
    top: usize,
    /// The number between them.
    bridge: f64,
    /// The eigenvalues of the parts.
    values: Vec<f64>,
}

impl Union {
    fn solve(self, mut vectors: MatMut<'_, f64>, room: Room<'_>, sharing: Sharing) -> Vec<f64> {
        let (top, size) = (self.top, self.values.len());
        // The length of all weights is the root of twice the number.
        let (root, length) = (self.bridge.abs().sqrt(), (2.0 * self.bridge.abs()).sqrt());
        let column = |at: usize| {
            let (factor, row, extent) = if at < top {
                (root, top - 1, Extent::Top)
            } else {
                (root.copysign(self.bridge), top, Extent::Bottom)
            };
            Column {
                at,
                number: self.values[at],
                weight: factor * vectors[(row, at)],
                extent,
            }
        };
        let columns = (0..size).map(column).collect();
        let largest = self.values.iter().copied().map(f64::abs);
        let largest = largest.fold(2.0 * self.bridge.abs(), f64::max);
        let least = (4.0 * f64::EPSILON * largest).max(f64::MIN_POSITIVE);
        let deflated = Deflated::new(
            columns,
            Tolerance {
                number: least,
                weight: if length > 0.0 { least / length } else { 0.0 },
            },
        );
        for rotation in &deflated.rotations {
            rotation.apply(vectors.as_mut());
        }
        let mut values = self.values;
        let count = deflated.kept.len();
        if count == 0 {
            // All columns stay where they are.
            for column in &deflated.aside {
                values[column.at] = column.number;
            }
            return values;
        }
        let half_scale = power_of_two(largest.sqrt());
        let scale = half_scale * half_scale;
        let kept = deflated.kept.iter();
        let numbers: Vec<_> = kept.clone().map(|column| column.number / scale).collect();
        let weights: Vec<_> = kept.map(|column| column.weight / half_scale).collect();
        let mut equation = Secular::<Plain>::new(&numbers, &weights);
        let distances = &mut room.distances[..Secular::<Plain>::room(count)];
        equation.solve(&mut values[..count], distances, sharing);
        equation.refine(distances, sharing);
        for value in &mut values[..count] {
            *value *= scale;
        }
        for (value, column) in values[count..].iter_mut().zip(&deflated.aside) {
            *value = column.number;
        }
        let (height, distances) = (count.div_ceil(WIDTH), &*distances);
        let form = |root: usize, vector: &mut [Lanes<f64>]| {
            equation.eigenvector(&distances[root * height..][..height], vector);
        };
        let merge = Merge::new(&deflated, top);
        merge.run(vectors, [room.packed, room.mixing], form, sharing);
        values
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::threads::Threads;

    /// Finds eigenvectors and checks that they are.
    fn check(diagonal: &[f64], beside: &[f64]) {
        let size = diagonal.len();
        let mut vectors = Mat::zeros(size, size);
        let matrix = Tridiagonal {
            diagonal: diagonal.to_vec(),
            beside: beside.to_vec(),
        };
        let sharing = Sharing::among(Threads::default());
        let values = tridiagonal_vectors(matrix, vectors.as_mut(), sharing);
        let tolerance = 4.0 * (size as f64 + 4.0) * f64::EPSILON;
        let unit = vectors.transpose() * &vectors - Mat::<f64>::identity(size, size);
        assert!(unit.norm_max() <= tolerance, "not orthogonal");
        let matrix = Mat::from_fn(size, size, |row, column| match row.abs_diff(column) {
            0 => diagonal[row],
            1 => beside[row.min(column)],
            _ => 0.0,
        });
        let scaled = Mat::from_fn(size, size, |row, column| {
            vectors[(row, column)] * values[column]
        });
        let residual = (scaled - &matrix * &vectors).norm_max();
        assert!(
            residual <= tolerance * matrix.norm_l2(),
            "{residual} of {}",
            matrix.norm_l2()
        );
    }

    #[test]
    fn wilkinsons_matrices_have_pairs_of_eigenvalues() {
        for (size, glue) in [(21, 1.0), (105, 1e-8), (210, 1e-14)] {
            let diagonal: Vec<_> = (0..size)
                .map(|row| (10.0 - (row % 21) as f64).abs())
                .collect();
            let beside = (1..size).map(|row| if row % 21 == 0 { glue } else { 1.0 });
            check(&diagonal, &beside.collect::<Vec<_>>());
        }
    }

    #[test]
    fn diagonal_matrices_stay_as_they_are() {
        let diagonal: Vec<_> = (0..40).map(|row| -10.0_f64.powi(-row)).collect();
        let mut vectors = Mat::zeros(40, 40);
        let matrix = Tridiagonal {
            diagonal: diagonal.clone(),
            beside: vec![0.0; 39],
        };
        let sharing = Sharing::among(Threads::default());
        let values = tridiagonal_vectors(matrix, vectors.as_mut(), sharing);
        assert_eq!(values, diagonal);
        assert_eq!(vectors, Mat::<f64>::identity(40, 40));
    }

    /// Numbers of which many are zero, one, or very small.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            3 => -1.0..1.0,
            1 => Just(0.0),
            1 => Just(1.0),
            1 => (-60..0, -1.0..1.0).prop_map(|(power, by)| by * 2.0_f64.powi(power)),
        ]
    }

    proptest! {
        #[test]
        fn any_matrix_is_made_of_its_eigenvectors(
            rows in prop::collection::vec((number(), number()), 1..90)
        ) {
            let (diagonal, beside): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            check(&diagonal, &beside[1..]);
        }
    }
}
