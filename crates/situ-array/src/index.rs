//! Basic indexing: integers, slices, `...` and `None` make views.

use crate::error::Error;
use crate::layout::{Layout, Shape, Strides, check_ndim};

/// One entry of an index expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexItem {
    /// One position; the dimension disappears. Negative positions count from the end.
    Integer(i64),
    /// `start:stop:step`, with Python's meaning of missing and negative parts.
    Slice {
        /// First position.
        start: Option<i64>,
        /// One past the last position.
        stop: Option<i64>,
        /// Distance between positions; not zero.
        step: Option<i64>,
    },
    /// `...`: as many whole dimensions as are left.
    Ellipsis,
    /// `None`: a new dimension of size one.
    NewAxis,
}

impl IndexItem {
    /// The whole dimension, `:`.
    pub const ALL: Self = Self::Slice {
        start: None,
        stop: None,
        step: None,
    };

    /// Whether this entry stands for a dimension of the array.
    fn consumes_axis(self) -> bool {
        matches!(self, Self::Integer(_) | Self::Slice { .. })
    }
}

/// The view an index selects.
///
/// # Errors
/// If there are too many indices or one lies outside of its dimension.
pub fn view(layout: &Layout, index: &[IndexItem]) -> Result<Layout, Error> {
    let given = index.iter().filter(|item| item.consumes_axis()).count();
    if given > layout.ndim() {
        return Err(Error::TooManyIndices {
            ndim: layout.ndim(),
            given,
        });
    }
    let new = index.iter().filter(|item| **item == IndexItem::NewAxis);
    let ndim = layout.ndim() + new.count();
    check_ndim(ndim).map_err(|_| Error::IndexDimensions { ndim })?;
    let ellipses = index
        .iter()
        .filter(|item| **item == IndexItem::Ellipsis)
        .count();
    if ellipses > 1 {
        return Err(Error::TwoEllipses);
    }
    let whole = layout.ndim() - given;
    let mut selection = Selection::new(layout);
    for &item in index {
        match item {
            IndexItem::Integer(position) => selection.integer(position)?,
            IndexItem::Slice { start, stop, step } => selection.slice(start, stop, step)?,
            IndexItem::Ellipsis => selection.keep(whole),
            IndexItem::NewAxis => selection.push(1, 0),
        }
    }
    if ellipses == 0 {
        selection.keep(whole);
    }
    let Selection {
        shape,
        strides,
        offset,
        ..
    } = selection;
    Ok(Layout::new(shape, strides, offset as usize))
}

/// A view under construction.
struct Selection<'a> {
    layout: &'a Layout,
    /// The next dimension of the array.
    axis: usize,
    shape: Shape,
    strides: Strides,
    offset: isize,
}

impl<'a> Selection<'a> {
    fn new(layout: &'a Layout) -> Self {
        let (shape, strides) = (Shape::new(), Strides::new());
        Self {
            layout,
            axis: 0,
            shape,
            strides,
            offset: layout.offset() as isize,
        }
    }

    fn push(&mut self, size: usize, stride: isize) {
        self.shape.push(size);
        self.strides.push(stride);
    }

    /// Takes the next dimensions as they are.
    fn keep(&mut self, count: usize) {
        for _ in 0..count {
            let (size, stride) = self.next_axis();
            self.push(size, stride);
        }
    }

    fn next_axis(&mut self) -> (usize, isize) {
        let axis = self.axis;
        self.axis += 1;
        (self.layout.shape()[axis], self.layout.strides()[axis])
    }

    fn integer(&mut self, index: i64) -> Result<(), Error> {
        let axis = self.axis;
        let (size, stride) = self.next_axis();
        let position = if index < 0 {
            index + size as i64
        } else {
            index
        };
        if position < 0 || position >= size as i64 {
            return Err(Error::IndexOutOfBounds { index, axis, size });
        }
        self.offset += position as isize * stride;
        Ok(())
    }

    fn slice(
        &mut self,
        start: Option<i64>,
        stop: Option<i64>,
        step: Option<i64>,
    ) -> Result<(), Error> {
        let (size, stride) = self.next_axis();
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(Error::ZeroStep);
        }
        let (first, count) = resolve_slice(size as i64, start, stop, step);
        if count > 0 {
            self.offset += first as isize * stride;
        }
        // A step longer than the dimension is taken at most once; its length does not matter.
        let stride = if count > 1 {
            stride * step as isize
        } else {
            stride
        };
        self.push(count as usize, stride);
        Ok(())
    }
}

/// First position and number of positions of a slice, by Python's rules.
fn resolve_slice(size: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> (i64, i64) {
    // Walking backwards, positions run from size - 1 down to 0 and "before the first" is -1.
    let (lowest, highest) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let clamp = |position: i64| {
        let position = if position < 0 {
            position.saturating_add(size)
        } else {
            position
        };
        position.clamp(lowest, highest)
    };
    let first = start.map_or(if step > 0 { lowest } else { highest }, clamp);
    let end = stop.map_or(if step > 0 { highest } else { lowest }, clamp);
    let distance = if step > 0 { end - first } else { first - end };
    if distance <= 0 {
        return (0, 0);
    }
    let step = step.unsigned_abs();
    (first, (distance as u64).div_ceil(step) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start: Option<i64>, stop: Option<i64>, step: Option<i64>) -> IndexItem {
        IndexItem::Slice { start, stop, step }
    }

    /// Python's own answer, computed by walking.
    fn walk(size: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Vec<i64> {
        let fix = |p: i64, low: i64, high: i64| (if p < 0 { p + size } else { p }).clamp(low, high);
        let mut positions = Vec::new();
        if step > 0 {
            let mut at = start.map_or(0, |p| fix(p, 0, size));
            let end = stop.map_or(size, |p| fix(p, 0, size));
            while at < end {
                positions.push(at);
                at += step;
            }
        } else {
            let mut at = start.map_or(size - 1, |p| fix(p, -1, size - 1));
            let end = stop.map_or(-1, |p| fix(p, -1, size - 1));
            while at > end {
                positions.push(at);
                at += step;
            }
        }
        positions
    }

    #[test]
    fn slices_agree_with_a_walk() {
        let parts = [
            None,
            Some(-7),
            Some(-3),
            Some(-1),
            Some(0),
            Some(2),
            Some(5),
            Some(9),
        ];
        for size in 0..6 {
            for start in parts {
                for stop in parts {
                    for step in [-4, -2, -1, 1, 2, 4] {
                        let expected = walk(size, start, stop, step);
                        let (first, count) = resolve_slice(size, start, stop, step);
                        let found: Vec<_> = (0..count).map(|i| first + i * step).collect();
                        assert_eq!(found, expected, "{size} {start:?} {stop:?} {step}");
                    }
                }
            }
        }
    }

    #[test]
    fn views_combine_integers_slices_and_new_axes() {
        let layout = Layout::contiguous(&[4, 5, 6]).unwrap();
        let index = [
            IndexItem::Integer(-1),
            IndexItem::NewAxis,
            IndexItem::Ellipsis,
            slice(None, None, Some(-2)),
        ];
        let view = view(&layout, &index).unwrap();
        assert_eq!(view.shape(), [1, 5, 3]);
        assert_eq!(view.strides(), [0, 6, -2]);
        assert_eq!(view.offset(), 3 * 30 + 5);
    }

    #[test]
    fn bad_indices_are_refused() {
        let layout = Layout::contiguous(&[2, 3]).unwrap();
        let out = view(&layout, &[IndexItem::ALL, IndexItem::Integer(3)]);
        assert!(matches!(
            out,
            Err(Error::IndexOutOfBounds {
                index: 3,
                axis: 1,
                size: 3
            })
        ));
        let many = view(&layout, &[IndexItem::Integer(0); 3]);
        assert!(matches!(
            many,
            Err(Error::TooManyIndices { ndim: 2, given: 3 })
        ));
        assert!(matches!(
            view(&layout, &[IndexItem::Ellipsis; 2]),
            Err(Error::TwoEllipses)
        ));
        assert!(matches!(
            view(&layout, &[slice(None, None, Some(0))]),
            Err(Error::ZeroStep)
        ));
    }

    #[test]
    fn extreme_slice_bounds_do_not_overflow() {
        let layout = Layout::contiguous(&[3]).unwrap();
        let index = [slice(Some(i64::MIN), Some(i64::MAX), Some(i64::MAX))];
        assert_eq!(view(&layout, &index).unwrap().shape(), [1]);
        let index = [slice(Some(i64::MAX), Some(i64::MIN), Some(i64::MIN))];
        assert_eq!(view(&layout, &index).unwrap().shape(), [1]);
    }
}
