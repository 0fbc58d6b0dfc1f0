//! Singular values and singular vectors of bidiagonal matrices, by dividing and conquering.
//!
//! Without the row in the middle a matrix falls into two, of which the upper one has a column more than rows. Given the singular vectors of both, the matrix is
//! one that has numbers on the diagonal, those singular values, and in one row, which comes from the row in the middle. The squares of
//! its singular values are roots of a [secular equation](super::secular). The halves are found in the same way, down to
//! single rows; so there are no iterations that may not end. (Gu and Eisenstat's algorithm, which is LAPACK's `bdsdc` as well.)
//!
//! Errors are some rounding errors of the largest singular value.

use faer::{Mat, MatMut};

use super::deflation::{Column, Deflated, Extent, Rotation, Tolerance, power_of_two};
use super::lanes::{Lanes, WIDTH};
use super::merge::{Merge, Room};
use super::secular::{Secular, Squares};
use super::sharing::Sharing;

/// Parts of fewer rows are found by one thread.
const SHARED_FROM: usize = 48;

/// Writes the singular vectors of a bidiagonal matrix as columns, and returns the singular values that belong to them, in no
/// order. Both matrices must be zero, and lie column by column.
pub(super) fn bidiagonal_vectors(
    diagonal: &[f64],
    beside: &[f64],
    left: MatMut<'_, f64>,
    right: MatMut<'_, f64>,
    sharing: Sharing,
) -> Vec<f64> {
    let size = diagonal.len();
    let (mut packed, mut mixing) =
        sharing.both(|| Mat::zeros(size, size), || Mat::zeros(size, size));
    let mut distances = vec![Lanes::ZERO; Secular::<Squares>::room(size)];
    let room = Room {
        packed: packed.as_mut(),
        mixing: mixing.as_mut(),
        distances: &mut distances,
    };
    Part { diagonal, beside }.solve(left, right, room, sharing)
}

/// Some rows of a bidiagonal matrix.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    diagonal: &'a [f64],
    /// As many numbers, if there is a column more than rows, or one less.
    beside: &'a [f64],
}

impl Part<'_> {
    /// Writes the singular vectors. If there is a column more than rows, then the last right vector is one that has no singular value.
    fn solve(
        self,
        mut left: MatMut<'_, f64>,
        mut right: MatMut<'_, f64>,
        mut room: Room<'_>,
        sharing: Sharing,
    ) -> Vec<f64> {
        let size = self.diagonal.len();
        if size <= 1 {
            return self.solve_row(left, right);
        }
        let middle = size / 2;
        let top = middle + 1;
        let upper = Part {
            diagonal: &self.diagonal[..middle],
            beside: &self.beside[..middle],
        };
        let lower = Part {
            diagonal: &self.diagonal[top..],
            beside: self.beside.get(top..).unwrap_or_default(),
        };
        let (mut values, others) = {
            let (upper_left, _, _, lower_left) = left.as_mut().split_at_mut(top, top);
            let upper_left = upper_left.submatrix_mut(0, 0, middle, middle);
            let (upper_right, _, _, lower_right) = right.as_mut().split_at_mut(top, top);
            let (upper_room, lower_room) = room.split(top);
            sharing.only_if(size >= SHARED_FROM).both(
                || upper.solve(upper_left, upper_right, upper_room, sharing),
                || lower.solve(lower_left, lower_right, lower_room, sharing),
            )
        };
        left[(middle, middle)] = 1.0;
        values.push(0.0);
        values.extend(others);
        let bridge = [
            self.diagonal[middle],
            self.beside.get(middle).copied().unwrap_or(0.0),
        ];
        Union {
            middle,
            bridge,
            values,
        }
        .solve(left, right, room, sharing)
    }

    /// The singular vectors of a matrix of one row or none.
    fn solve_row(self, mut left: MatMut<'_, f64>, mut right: MatMut<'_, f64>) -> Vec<f64> {
        let Some(&on) = self.diagonal.first() else {
            right.fill(1.0);
            return Vec::new();
        };
        let Some(&beside) = self.beside.first() else {
            left[(0, 0)] = 1.0_f64.copysign(on);
            right[(0, 0)] = 1.0;
            return vec![on.abs()];
        };
        let value = on.hypot(beside);
        // The smallest numbers have too few digits for a rotation.
        let (cosine, sine) = if value < f64::MIN_POSITIVE {
            (1.0, 0.0)
        } else {
            (on / value, beside / value)
        };
        left[(0, 0)] = 1.0;
        (right[(0, 0)], right[(1, 0)]) = (cosine, sine);
        (right[(0, 1)], right[(1, 1)]) = (-sine, cosine);
        vec![value]
    }
}

/// Two parts with a row between them.
struct Union {
    /// How many rows are above that row.
    middle: usize,
    /// The numbers in it.
    bridge: [f64; 2],
    /// The singular values of the parts, and zero between them.
    values: Vec<f64>,
}

impl Union {
    fn solve(
        self,
        mut left: MatMut<'_, f64>,
        mut right: MatMut<'_, f64>,
        mut room: Room<'_>,
        sharing: Sharing,
    ) -> Vec<f64> {
        let (middle, size) = (self.middle, self.values.len());
        let top = middle + 1;
        let [before, after] = self.bridge;
        let largest = self
            .values
            .iter()
            .copied()
            .fold(before.abs().max(after.abs()), f64::max);
        // Never zero: it divides.
        let tolerance = (4.0 * f64::EPSILON * largest).max(f64::MIN_POSITIVE);
        let mut weight = before * right[(middle, middle)];
        let mut extent = Extent::Top;
        if right.ncols() > size {
            // The vectors of both parts that have no singular value become one that has none either, and one that the row in the middle is made of.
            let other = after * right[(top, size)];
            let both = weight.hypot(other);
            if both > tolerance {
                let rotation = Rotation::new([middle, size], weight / both, other / both);
                rotation.apply(right.as_mut());
            }
            (weight, extent) = (both, Extent::Whole);
        }
        let column = |at: usize| {
            let (factor, row, extent) = if at < middle {
                (before, middle, Extent::Top)
            } else {
                (after, top, Extent::Bottom)
            };
            Column {
                at,
                number: self.values[at],
                weight: factor * right[(row, at)],
                extent,
            }
        };
        let columns = (0..middle).chain(top..size).map(column).collect();
        let mut deflated = Deflated::new(
            columns,
            Tolerance {
                number: tolerance,
                weight: tolerance,
            },
        );
        for rotation in &deflated.rotations {
            rotation.apply(left.as_mut());
            rotation.apply(right.as_mut());
        }
        let own = Column {
            at: middle,
            number: 0.0,
            weight,
            extent,
        };
        if deflated.kept.is_empty() {
            // All columns stay where they are.
            let mut values = self.values;
            for column in &deflated.aside {
                values[column.at] = column.number;
            }
            values[middle] = weight.abs();
            if weight < 0.0 {
                left[(middle, middle)] = -1.0;
            }
            return values;
        }
        // Neither the weight of the pole at zero nor its distance from the next one may vanish.
        deflated.kept[0].number = deflated.kept[0].number.max(0.5 * tolerance);
        deflated.kept.insert(
            0,
            Column {
                weight: if weight.abs() > tolerance {
                    weight
                } else {
                    tolerance
                },
                ..own
            },
        );
        let scale = power_of_two(largest);
        let of = |part: fn(&Column) -> f64| -> Vec<f64> {
            let kept = deflated.kept.iter();
            kept.map(|column| part(column) / scale).collect()
        };
        let mut equation =
            Secular::<Squares>::new(&of(|column| column.number), &of(|column| column.weight));
        let count = equation.count();
        let mut values = vec![0.0; size];
        let distances = &mut room.distances[..Secular::<Squares>::room(count)];
        equation.solve(&mut values[..count], distances, sharing);
        equation.refine(distances, sharing);
        for value in &mut values[..count] {
            *value *= scale;
        }
        for (value, column) in values[count..].iter_mut().zip(&deflated.aside) {
            *value = column.number;
        }
        let merge = Merge::new(&deflated, top);
        let height = count.div_ceil(WIDTH);
        let of_root = |root: usize| &distances[root * height..][..height];
        let form = |root: usize, vector: &mut [Lanes<f64>]| {
            equation.right_vector(of_root(root), vector);
        };
        let [packed, mixing] = [&mut room.packed, &mut room.mixing];
        merge.run(right, [packed.as_mut(), mixing.as_mut()], form, sharing);
        let form = |root: usize, vector: &mut [Lanes<f64>]| {
            equation.left_vector(of_root(root), vector);
        };
        merge.run(left, [packed.as_mut(), mixing.as_mut()], form, sharing);
        values
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::threads::Threads;

    /// Numbers without any pattern, the same every time.
    fn random(index: usize) -> f64 {
        let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    type Numbers = fn(usize) -> f64;
    /// Matrices that decompositions may stumble over, by what is on the diagonal and beside it.
    const MATRICES: [(&str, Numbers, Numbers); 12] = [
        ("random", random, |row| random(row + 1000)),
        ("zero", |_| 0.0, |_| 0.0),
        ("identity", |_| 1.0, |_| 0.0),
        ("ones", |_| 1.0, |_| 1.0),
        ("nothing on the diagonal", |_| 0.0, random),
        ("signs", |row| 1.0 - 2.0 * (row % 2) as f64, |_| 1e-9),
        (
            "graded",
            |row| 0.8_f64.powi(row as i32),
            |row| 0.8_f64.powi(row as i32),
        ),
        (
            "graded upwards",
            |row| 0.7_f64.powi(300 - row as i32),
            |row| 0.7_f64.powi(300 - row as i32),
        ),
        (
            "Wilkinson's, glued",
            |row| (10.0 - (row % 21) as f64).abs(),
            |row| if row % 21 == 20 { 1e-8 } else { 1.0 },
        ),
        (
            "Kahan's",
            |row| 0.9_f64.powi(row as i32),
            |row| -0.4 * 0.9_f64.powi(row as i32),
        ),
        (
            "zeros here and there",
            |row| if row % 3 == 0 { 0.0 } else { random(row) },
            |row| if row % 4 == 1 { 0.0 } else { random(row + 77) },
        ),
        (
            "tiny and large",
            |row| random(row) * [1.0, 1e-170, 1e-300, 1e50][row % 4],
            |row| random(row + 5) * [1e-200, 1.0, 1e-15][row % 3],
        ),
    ];

    /// Finds singular vectors and checks that they are.
    fn check(name: &str, diagonal: &[f64], beside: &[f64]) {
        let size = diagonal.len();
        let (mut left, mut right) = (Mat::zeros(size, size), Mat::zeros(size, size));
        let values = bidiagonal_vectors(
            diagonal,
            beside,
            left.as_mut(),
            right.as_mut(),
            Sharing::among(Threads::default()),
        );
        assert!(values.iter().all(|&value| value >= 0.0));
        let tolerance = 4.0 * (size as f64 + 4.0) * f64::EPSILON;
        for vectors in [&left, &right] {
            let unit = vectors.transpose() * vectors - Mat::<f64>::identity(size, size);
            assert!(
                unit.norm_max() <= tolerance,
                "{name} {size}: not orthogonal, {}",
                unit.norm_max()
            );
        }
        let matrix = Mat::from_fn(size, size, |row, column| match column.wrapping_sub(row) {
            0 => diagonal[row],
            1 => beside[row],
            _ => 0.0,
        });
        let scaled = Mat::from_fn(size, size, |row, column| {
            left[(row, column)] * values[column]
        });
        let residual = (scaled * right.transpose() - &matrix).norm_max();
        assert!(
            residual <= tolerance * matrix.norm_l2(),
            "{name} {size}: {residual} of {}",
            matrix.norm_l2()
        );
    }

    #[test]
    fn matrices_are_made_of_their_singular_vectors() {
        for size in (1..=20).chain([31, 32, 33, 48, 64, 65, 100, 130]) {
            for (name, on, beside) in MATRICES {
                let diagonal: Vec<_> = (0..size).map(on).collect();
                let beside: Vec<_> = (1..size).map(beside).collect();
                check(name, &diagonal, &beside);
            }
        }
    }

    #[test]
    fn diagonal_matrices_have_exact_singular_values() {
        let diagonal: Vec<_> = (0..40).map(|row| 10.0_f64.powi(-row)).collect();
        let (mut left, mut right) = (Mat::zeros(40, 40), Mat::zeros(40, 40));
        let mut values = bidiagonal_vectors(
            &diagonal,
            &[0.0; 39],
            left.as_mut(),
            right.as_mut(),
            Sharing::among(Threads::default()),
        );
        values.sort_by(|one, other| other.total_cmp(one));
        assert_eq!(values, diagonal);
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let size = 330;
        let diagonal: Vec<_> = (0..size).map(random).collect();
        let beside: Vec<_> = (1..size).map(|row| random(row + 9999)).collect();
        let found = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.unwrap();
            let threads = Threads::new(Some(&pool));
            let (mut left, mut right) = (Mat::zeros(size, size), Mat::zeros(size, size));
            let values = threads.install(|| {
                let sharing = Sharing::among(threads);
                bidiagonal_vectors(&diagonal, &beside, left.as_mut(), right.as_mut(), sharing)
            });
            (values, left, right)
        };
        let one = found(1);
        for count in [2, 3] {
            assert!(one == found(count), "{count} threads");
        }
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
        fn any_matrix_is_made_of_its_singular_vectors(
            rows in prop::collection::vec((number(), number()), 1..90)
        ) {
            let (diagonal, beside): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            check("any", &diagonal, &beside[1..]);
        }
    }
}
