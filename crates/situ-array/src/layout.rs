//! Layout: where the elements of an array are in its allocation.
//!
//! Shape, strides and offset count **elements**. Strides may be negative (reversed views), zero
//! (broadcast views) and may overlap. Making a view is arithmetic on a layout; no data moves.

use smallvec::SmallVec;

use crate::error::Error;

/// Sizes of the dimensions.
pub type Shape = SmallVec<[usize; 4]>;
/// Steps between neighbours along the dimensions.
pub type Strides = SmallVec<[isize; 4]>;

/// The largest number of dimensions, as in NumPy.
pub const MAX_DIMS: usize = 64;

/// Refuses more dimensions than arrays have.
///
/// # Errors
/// [`Error::TooManyDimensions`].
pub fn check_ndim(ndim: usize) -> Result<(), Error> {
    if ndim > MAX_DIMS {
        return Err(Error::TooManyDimensions { ndim });
    }
    Ok(())
}

/// Shape, strides and offset, all in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    strides: Strides,
    /// Where the element with all indices zero is, counted from the start of the allocation.
    offset: usize,
}

impl Layout {
    /// Consecutive elements in row-major (C) order from the start of an allocation.
    ///
    /// # Errors
    /// If there are too many dimensions, or the number of elements does not fit in `isize`.
    pub fn contiguous(shape: &[usize]) -> Result<Self, Error> {
        check_ndim(shape.len())?;
        let mut strides = Strides::from_elem(0, shape.len());
        let mut step = 1_usize;
        for (stride, &size) in strides.iter_mut().zip(shape).rev() {
            *stride = step as isize;
            // An empty dimension must not stop the others from having strides.
            step = step
                .checked_mul(size.max(1))
                .filter(|&step| isize::try_from(step).is_ok())
                .ok_or_else(|| Error::TooManyElements {
                    shape: shape.to_vec(),
                })?;
        }
        Ok(Self {
            shape: shape.into(),
            strides,
            offset: 0,
        })
    }

    /// A layout from its parts; the caller vouches that every element lies in the allocation.
    ///
    /// # Panics
    /// If shape and strides differ in length.
    pub fn from_parts(shape: &[usize], strides: &[isize], offset: usize) -> Self {
        Self::new(shape.into(), strides.into(), offset)
    }

    /// As [`Self::from_parts`], for parts that are there already.
    pub(crate) fn new(shape: Shape, strides: Strides, offset: usize) -> Self {
        assert_eq!(shape.len(), strides.len(), "every dimension has a stride");
        Self {
            shape,
            strides,
            offset,
        }
    }

    /// Sizes of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Steps between neighbours along the dimensions.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The position of the element with all indices zero.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of dimensions.
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether the elements are consecutive in row-major order. Dimensions of size one do not count,
    /// and an empty layout is contiguous.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for (&size, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if size == 0 {
                return true;
            }
            if size != 1 && stride != expected {
                return self.is_empty();
            }
            expected *= size as isize;
        }
        true
    }

    /// The lowest and highest position of an element, or `None` if there is none.
    pub fn extent(&self) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (size as isize - 1) * stride;
            low += reach.min(0);
            high += reach.max(0);
        }
        Some((low as usize, high as usize))
    }

    /// The highest position of an element of a layout that nobody has checked; `None` if there is no
    /// element, or one lies before the start, or positions cannot be counted.
    pub fn checked_extent(&self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let (mut low, mut high) = (i128::try_from(self.offset).ok()?, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (size as i128 - 1).checked_mul(stride as i128)?;
            low = low.checked_add(reach.min(0))?;
            high = high.checked_add(reach.max(0))?;
        }
        (low >= 0).then(|| usize::try_from(high).ok()).flatten()
    }

    /// Whether two layouts over the same allocation may share an element (judged by their extents).
    pub fn may_overlap(&self, other: &Self) -> bool {
        match (self.extent(), other.extent()) {
            (Some((a, b)), Some((c, d))) => a <= d && c <= b,
            _ => false,
        }
    }

    /// The same elements with dimensions in another order.
    ///
    /// # Panics
    /// If `axes` is not a permutation of the dimensions.
    #[must_use]
    pub fn permuted(&self, axes: &[usize]) -> Self {
        let mut seen: SmallVec<[bool; 4]> = SmallVec::from_elem(false, self.ndim());
        for &axis in axes {
            seen[axis] = true;
        }
        assert!(
            axes.len() == self.ndim() && !seen.contains(&false),
            "axes are a permutation"
        );
        Self {
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
            offset: self.offset,
        }
    }

    /// The elements seen through a broadcast shape: new and stretched dimensions have stride zero.
    ///
    /// # Panics
    /// If the shape does not broadcast to `shape`.
    #[must_use]
    pub fn broadcast_to(&self, shape: &[usize]) -> Self {
        let new = shape
            .len()
            .checked_sub(self.ndim())
            .expect("broadcasting adds dimensions");
        let mut strides = Strides::from_elem(0, shape.len());
        for (axis, (&size, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            let target = shape[new + axis];
            assert!(size == target || size == 1, "the shape broadcasts");
            strides[new + axis] = if size == target { stride } else { 0 };
        }
        Self {
            shape: shape.into(),
            strides,
            offset: self.offset,
        }
    }

    /// The layout of the same elements under another shape, if no element has to move.
    pub fn reshaped(&self, shape: &[usize]) -> Option<Self> {
        if shape.iter().product::<usize>() != self.size() {
            return None;
        }
        if self.is_contiguous() {
            let mut layout = Self::contiguous(shape).ok()?;
            layout.offset = self.offset;
            return Some(layout);
        }
        let strides = self.strides_for(shape)?;
        Some(Self {
            shape: shape.into(),
            strides,
            offset: self.offset,
        })
    }

    /// Strides that walk the same elements in the same order under another shape.
    ///
    /// Old and new dimensions are matched in runs of equal product; a run works if its old
    /// dimensions are evenly spaced as if they were one.
    fn strides_for(&self, shape: &[usize]) -> Option<Strides> {
        let old: SmallVec<[(usize, isize); 4]> = self
            .shape
            .iter()
            .copied()
            .zip(self.strides.iter().copied())
            .filter(|&(size, _)| size != 1)
            .collect();
        let mut strides = Strides::from_elem(0, shape.len());
        let (mut next_old, mut next_new) = (0, 0);
        while next_old < old.len() {
            let (first_old, first_new) = (next_old, next_new);
            let (mut old_product, mut new_product) = (old[next_old].0, shape[next_new]);
            (next_old, next_new) = (next_old + 1, next_new + 1);
            while old_product != new_product {
                if old_product < new_product {
                    old_product *= old[next_old].0;
                    next_old += 1;
                } else {
                    new_product *= shape[next_new];
                    next_new += 1;
                }
            }
            let run = &old[first_old..next_old];
            let even = run
                .windows(2)
                .all(|pair| pair[0].1 == pair[1].1 * pair[1].0 as isize);
            if !even {
                return None;
            }
            let mut step = run[run.len() - 1].1;
            for axis in (first_new..next_new).rev() {
                strides[axis] = step;
                step *= shape[axis] as isize;
            }
        }
        Some(strides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every position the layout visits, in row-major order.
    fn positions(layout: &Layout) -> Vec<isize> {
        let mut all = vec![layout.offset() as isize];
        for (&size, &stride) in layout.shape().iter().zip(layout.strides()) {
            all = all
                .iter()
                .flat_map(|&at| (0..size).map(move |i| at + i as isize * stride))
                .collect();
        }
        all
    }

    #[test]
    fn contiguous_layout_visits_positions_in_order() {
        let layout = Layout::contiguous(&[2, 3, 4]).unwrap();
        assert_eq!(layout.strides(), [12, 4, 1]);
        assert_eq!(positions(&layout), (0..24).collect::<Vec<_>>());
        assert!(layout.is_contiguous());
    }

    #[test]
    fn uncountable_shapes_are_refused_and_empty_ones_are_not() {
        assert!(Layout::contiguous(&[usize::MAX, 2]).is_err());
        let empty = Layout::contiguous(&[3, 0, 2]).unwrap();
        assert!(empty.is_empty() && empty.is_contiguous());
        assert_eq!(empty.extent(), None);
    }

    #[test]
    fn extent_covers_negative_strides() {
        let layout = Layout::from_parts(&[3, 2], &[-4, 1], 8);
        assert_eq!(layout.extent(), Some((0, 9)));
    }

    #[test]
    fn reshape_keeps_elements_where_they_are_or_refuses() {
        let transposed = Layout::contiguous(&[4, 6]).unwrap().permuted(&[1, 0]);
        assert_eq!(transposed.reshaped(&[24]), None);
        let split = transposed.reshaped(&[2, 3, 2, 2]).unwrap();
        assert_eq!(positions(&split), positions(&transposed));
        let every_second = Layout::from_parts(&[2, 6], &[12, 2], 1);
        assert_eq!(every_second.reshaped(&[12]).unwrap().strides(), [2]);
        assert_eq!(
            positions(&every_second.reshaped(&[3, 1, 4]).unwrap()),
            positions(&every_second)
        );
    }

    #[test]
    fn broadcast_repeats_with_stride_zero() {
        let column = Layout::contiguous(&[3, 1]).unwrap();
        let wide = column.broadcast_to(&[2, 3, 4]);
        assert_eq!(wide.strides(), [0, 1, 0]);
    }
}
