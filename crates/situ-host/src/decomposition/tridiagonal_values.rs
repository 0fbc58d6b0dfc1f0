//! Eigenvalues of real symmetric tridiagonal matrices, without their eigenvectors.
//!
//! By the QL iteration in the form of Pal, Walker and Kahan: it works on squares of the numbers beside the diagonal, so
//! that a step takes no square root. In double precision always, where squares of single precision are exact.

use super::Problem;
use super::field::Float;
use super::tridiagonal::Tridiagonal;

/// How many iterations an eigenvalue takes at the very most.
const PATIENCE: usize = 30;

/// Writes the eigenvalues in ascending order.
///
/// # Errors
/// [`Problem::NoConvergence`].
pub(super) fn tridiagonal_values<T: Float>(
    matrix: &Tridiagonal<T>,
    values: &mut [T],
) -> Result<(), Problem> {
    let mut diagonal: Vec<_> = matrix.diagonal.iter().map(|&d| d.to_double()).collect();
    let beside = matrix.beside.iter().map(|&beside| beside.to_double());
    let mut squares: Vec<_> = beside.map(|beside| beside * beside).collect();
    let mut patience = PATIENCE * diagonal.len();
    // What is between two zeros beside the diagonal is a matrix of its own.
    let mut start = 0;
    while start < diagonal.len() {
        let end = (start..squares.len())
            .find(|&row| is_negligible(squares[row], [diagonal[row], diagonal[row + 1]]))
            .unwrap_or(squares.len());
        let part = Part {
            diagonal: &mut diagonal[start..=end],
            squares: &mut squares[start..end],
        };
        part.solve(&mut patience)?;
        start = end + 1;
    }
    diagonal.sort_unstable_by(f64::total_cmp);
    for (value, found) in values.iter_mut().zip(diagonal) {
        *value = T::from_double(found);
    }
    Ok(())
}

/// Whether a number beside the diagonal, of which this is the square, is as good as zero.
fn is_negligible(square: f64, diagonal: [f64; 2]) -> bool {
    const UNIT: f64 = f64::EPSILON / 2.0;
    square <= UNIT * UNIT * (diagonal[0] * diagonal[1]).abs()
}

/// A tridiagonal matrix.
struct Part<'a> {
    diagonal: &'a mut [f64],
    squares: &'a mut [f64],
}

impl Part<'_> {
    /// Replaces the diagonal by the eigenvalues.
    fn solve(self, patience: &mut usize) -> Result<(), Problem> {
        let Self {
            mut diagonal,
            mut squares,
        } = self;
        let is_upside_down = diagonal[diagonal.len() - 1].abs() < diagonal[0].abs();
        if is_upside_down {
            // Iterations find the first ones first, and should find the small ones first.
            diagonal.reverse();
            squares.reverse();
        }
        loop {
            match diagonal.len() {
                0 | 1 => return Ok(()),
                2 => {
                    let [one, other] = solve_two(diagonal[0], squares[0], diagonal[1]);
                    (diagonal[0], diagonal[1]) = (one, other);
                    return Ok(());
                }
                _ => {}
            }
            let end = (0..squares.len())
                .find(|&row| is_negligible(squares[row], [diagonal[row], diagonal[row + 1]]));
            match end {
                Some(0) => {
                    diagonal = &mut diagonal[1..];
                    squares = &mut squares[1..];
                }
                Some(1) => {
                    let [one, other] = solve_two(diagonal[0], squares[0], diagonal[1]);
                    (diagonal[0], diagonal[1]) = (one, other);
                    diagonal = &mut diagonal[2..];
                    squares = &mut squares[2..];
                }
                end => {
                    *patience = patience.checked_sub(1).ok_or(Problem::NoConvergence)?;
                    let end = end.unwrap_or(squares.len());
                    iterate(&mut diagonal[..=end], &mut squares[..end]);
                }
            }
        }
    }
}

/// One iteration of QL, with a shift close to the eigenvalue that is found first.
fn iterate(diagonal: &mut [f64], squares: &mut [f64]) {
    let last = squares.len();
    let beside = squares[0].sqrt();
    let slope = (diagonal[1] - diagonal[0]) / (2.0 * beside);
    let length = slope.hypot(1.0).copysign(slope);
    let shift = diagonal[0] - beside / (slope + length);
    let (mut cosine, mut sine) = (1.0, 0.0);
    let mut gamma = diagonal[last] - shift;
    let mut square = gamma * gamma;
    for row in (0..last).rev() {
        let beside = squares[row];
        let sum = square + beside;
        if row + 1 < last {
            squares[row + 1] = sine * sum;
        }
        let previous = (cosine, gamma);
        // Divided here and not by the cosine below, which would have to wait for the other quotients.
        let inverse = sum / square;
        cosine = square / sum;
        sine = beside / sum;
        gamma = cosine * (diagonal[row] - shift) - sine * previous.1;
        diagonal[row + 1] = previous.1 + (diagonal[row] - gamma);
        square = if cosine < f64::MIN_POSITIVE {
            previous.0 * beside
        } else {
            gamma * gamma * inverse
        };
    }
    squares[0] = sine * square;
    diagonal[0] = shift + gamma;
}

/// The eigenvalues of two rows.
fn solve_two(one: f64, square: f64, other: f64) -> [f64; 2] {
    let (sum, difference) = (one + other, one - other);
    let root = difference.hypot(2.0 * square.sqrt());
    let (large, small) = if one.abs() > other.abs() {
        (one, other)
    } else {
        (other, one)
    };
    if sum == 0.0 {
        return [root / 2.0, -root / 2.0];
    }
    let first = f64::midpoint(sum, root.copysign(sum));
    [first, large / first * small - square / first]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(diagonal: &[f64], beside: &[f64]) -> Vec<f64> {
        let matrix = Tridiagonal {
            diagonal: diagonal.to_vec(),
            beside: beside.to_vec(),
        };
        let mut values = vec![f64::NAN; diagonal.len()];
        tridiagonal_values(&matrix, &mut values).unwrap();
        values
    }

    #[test]
    fn few_rows() {
        assert_eq!(values(&[], &[]), []);
        assert_eq!(values(&[3.0], &[]), [3.0]);
        assert_eq!(values(&[1.0, 1.0], &[2.0]), [-1.0, 3.0]);
        assert_eq!(values(&[0.0, 0.0], &[2.0]), [-2.0, 2.0]);
        assert_eq!(values(&[5.0, -1.0, 2.0], &[0.0, 0.0]), [-1.0, 2.0, 5.0]);
    }

    #[test]
    fn second_differences_have_eigenvalues_that_are_known() {
        for size in [3, 10, 101, 500] {
            let found = values(&vec![2.0; size], &vec![-1.0; size - 1]);
            for (index, value) in found.into_iter().enumerate() {
                let angle = (index + 1) as f64 * std::f64::consts::PI / (size + 1) as f64;
                let expected = 2.0 - 2.0 * angle.cos();
                assert!((value - expected).abs() < size as f64 * f64::EPSILON);
            }
        }
    }

    #[test]
    fn matrices_with_nothing_on_the_diagonal_have_eigenvalues_in_pairs() {
        for size in [4, 5, 64] {
            let beside: Vec<_> = (1..size).map(|row| 1.0 / row as f64).collect();
            let found = values(&vec![0.0; size], &beside);
            for (low, high) in found.iter().zip(found.iter().rev()) {
                assert!((low + high).abs() < 1e-15, "{found:?}");
            }
        }
    }
}
