//! How the result of an elementwise function lies in memory: as its operands do.
//!
//! Reading operands in the order in which they lie, and writing the result in that order, makes one run through
//! memory of what would be a jump for each element. So `sin(x.T)` lies as `x.T` does, which is also what NumPy's
//! `order="K"` gives. Where operands disagree, or do not say, results are in row-major order.

use smallvec::SmallVec;

use crate::error::Error;
use crate::layout::Layout;

/// The layout of a new result that operands of these layouts broadcast to; without gaps.
///
/// # Errors
/// If there are too many dimensions or elements.
///
/// # Panics
/// If an operand does not broadcast to the shape.
pub(crate) fn result_layout<'a>(
    shape: &[usize],
    operands: impl Iterator<Item = &'a Layout> + Clone,
) -> Result<Layout, Error> {
    let row_major = Layout::contiguous(shape)?;
    // Stretched or not, what lies in row-major order says nothing else.
    if shape.len() < 2 || operands.clone().all(Layout::is_contiguous) {
        return Ok(row_major);
    }
    let operands: SmallVec<[Layout; 4]> = operands
        .map(|operand| operand.broadcast_to(shape))
        .collect();
    let axes = axes_by_stride(shape, &operands);
    if axes.is_sorted() {
        return Ok(row_major);
    }
    let ordered: SmallVec<[usize; 4]> = axes.iter().map(|&axis| shape[axis]).collect();
    let mut places: SmallVec<[usize; 4]> = SmallVec::from_elem(0, axes.len());
    for (place, &axis) in axes.iter().enumerate() {
        places[axis] = place;
    }
    Ok(Layout::contiguous(&ordered)?.permuted(&places))
}

/// The axes, slowest first. From the last to the first, each goes as far in as all operands that tell it from its
/// neighbours agree; the order of this sort is NumPy's, as it matters where axes cannot be told apart.
fn axes_by_stride(shape: &[usize], operands: &[Layout]) -> SmallVec<[usize; 4]> {
    let mut fastest_first: SmallVec<[usize; 4]> = SmallVec::new();
    for axis in (0..shape.len()).rev() {
        let mut place = fastest_first.len();
        for further_in in (0..fastest_first.len()).rev() {
            match is_faster(axis, fastest_first[further_in], shape, operands) {
                Some(true) => place = further_in,
                Some(false) => break,
                None => {}
            }
        }
        fastest_first.insert(place, axis);
    }
    fastest_first.reverse();
    fastest_first
}

/// Whether an axis belongs inside of another for all operands; `None` if no operand moves along both.
fn is_faster(axis: usize, other: usize, shape: &[usize], operands: &[Layout]) -> Option<bool> {
    if shape[axis] == 1 || shape[other] == 1 {
        return None;
    }
    let mut verdict = None;
    for operand in operands {
        let [one, two] = [axis, other].map(|axis| operand.strides()[axis].unsigned_abs());
        if one == 0 || two == 0 {
            continue;
        }
        if one >= two {
            return Some(false);
        }
        verdict = Some(true);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides(shape: &[usize], operands: &[&Layout]) -> Vec<isize> {
        let layout = result_layout(shape, operands.iter().copied()).unwrap();
        assert_eq!(layout.shape(), shape);
        layout.strides().to_vec()
    }

    #[test]
    fn results_lie_as_their_operands() {
        let transposed = Layout::contiguous(&[4, 3]).unwrap().permuted(&[1, 0]);
        assert_eq!(strides(&[3, 4], &[&transposed]), [1, 3]);
        assert_eq!(strides(&[3, 4], &[&transposed, &transposed]), [1, 3]);
        let rolled = Layout::contiguous(&[2, 3, 4]).unwrap().permuted(&[2, 0, 1]);
        assert_eq!(strides(&[4, 2, 3], &[&rolled]), [1, 12, 4]);
    }

    #[test]
    fn row_major_order_wins_where_operands_disagree() {
        let transposed = Layout::contiguous(&[3, 3]).unwrap().permuted(&[1, 0]);
        let straight = Layout::contiguous(&[3, 3]).unwrap();
        assert_eq!(strides(&[3, 3], &[&transposed, &straight]), [3, 1]);
        assert_eq!(strides(&[3, 3], &[&straight, &transposed]), [3, 1]);
    }

    #[test]
    fn stretched_axes_say_nothing() {
        let row = Layout::contiguous(&[4]).unwrap();
        let column = Layout::contiguous(&[3, 1]).unwrap();
        let transposed = Layout::contiguous(&[4, 3]).unwrap().permuted(&[1, 0]);
        assert_eq!(strides(&[3, 4], &[&row, &column]), [4, 1]);
        assert_eq!(strides(&[3, 4], &[&transposed, &row]), [1, 3]);
        assert_eq!(strides(&[3, 4], &[&column, &transposed]), [1, 3]);
    }

    #[test]
    fn gaps_and_directions_are_not_taken_over() {
        let parts = Layout::from_parts(&[3, 4], &[-2, 20], 4);
        assert_eq!(strides(&[3, 4], &[&parts]), [1, 3]);
        let every_second = Layout::from_parts(&[3, 4], &[16, 2], 0);
        assert_eq!(strides(&[3, 4], &[&every_second]), [4, 1]);
    }

    #[test]
    fn nothing_and_single_steps_are_row_major() {
        let empty = Layout::contiguous(&[0, 3]).unwrap().permuted(&[1, 0]);
        assert_eq!(
            result_layout(&[3, 0], [&empty].into_iter()).unwrap().size(),
            0
        );
        let single = Layout::from_parts(&[1, 4], &[1, 7], 0);
        assert_eq!(strides(&[1, 4], &[&single]), [4, 1]);
        assert_eq!(
            strides(&[], &[&Layout::contiguous(&[]).unwrap()]),
            [] as [isize; 0]
        );
    }
}
