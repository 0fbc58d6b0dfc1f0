//! The simplest loops that visit the elements of several operands together.
//!
//! Before a kernel is chosen, dimensions of size one are dropped, the others ordered so that the
//! output is walked through memory forwards, and neighbours that every operand sees as one evenly
//! spaced run are merged. Most calls become one flat loop. Then each operand's innermost step falls
//! into a [`StrideClass`], the only thing about strides a kernel is specialised for.

use smallvec::SmallVec;

/// How an operand moves when the innermost loop takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrideClass {
    /// Not at all: the same element again.
    Broadcast,
    /// To the next element in memory.
    Contiguous,
    /// By some other number of elements.
    Strided,
}

impl StrideClass {
    /// The class of a stride.
    pub fn of(stride: isize) -> Self {
        match stride {
            0 => Self::Broadcast,
            1 => Self::Contiguous,
            _ => Self::Strided,
        }
    }
}

/// One loop: how often it runs and how far each operand moves in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// How many steps.
    pub size: usize,
    /// Elements each operand moves in a step.
    pub strides: SmallVec<[isize; 4]>,
}

/// Loops around a set of operands, outermost first; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopNest {
    /// The loops.
    pub loops: SmallVec<[Loop; 4]>,
}

impl LoopNest {
    /// The nest over a shape for operands with the given strides; the first operand is the output.
    ///
    /// # Panics
    /// If there is no operand, or an operand's strides are not as many as the dimensions.
    pub fn new(shape: &[usize], operands: &[&[isize]]) -> Self {
        let output = operands.first().expect("there is an output");
        let flat = |size: usize| Loop {
            size,
            strides: operands
                .iter()
                .map(|strides| strides.last().map_or(1, |&s| s))
                .collect(),
        };
        if let [size] = *shape {
            return Self {
                loops: SmallVec::from_elem(flat(size), 1),
            };
        }
        let mut axes: SmallVec<[usize; 4]> = (0..shape.len()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(output[axis].unsigned_abs()));
        let mut nest = Self {
            loops: merge(shape, operands, &axes),
        };
        if nest.loops.is_empty() {
            let strides = SmallVec::from_elem(1, operands.len());
            nest.loops.push(Loop { size: 1, strides });
        }
        nest
    }

    /// The nest with dimensions in the order they are given; without loops if there is one element.
    pub fn in_order(shape: &[usize], operands: &[&[isize]]) -> Self {
        let axes: SmallVec<[usize; 4]> = (0..shape.len()).collect();
        Self {
            loops: merge(shape, operands, &axes),
        }
    }

    /// How many loops.
    pub fn rank(&self) -> usize {
        self.loops.len()
    }

    /// How each operand moves in the innermost loop.
    pub fn inner_classes(&self) -> impl Iterator<Item = StrideClass> {
        let inner = self.loops.last().expect("there is a loop");
        let single = inner.size == 1;
        // A loop of one step never moves, so it may count as contiguous for everyone.
        inner
            .strides
            .iter()
            .map(move |&stride| match StrideClass::of(stride) {
                StrideClass::Strided if single => StrideClass::Contiguous,
                class => class,
            })
    }
}

/// Drops dimensions of size one and merges neighbours, along the axes in the given order.
fn merge(shape: &[usize], operands: &[&[isize]], axes: &[usize]) -> SmallVec<[Loop; 4]> {
    let mut loops: SmallVec<[Loop; 4]> = SmallVec::new();
    for &axis in axes.iter().filter(|&&axis| shape[axis] != 1) {
        let strides = operands.iter().map(|strides| strides[axis]).collect();
        let inner = Loop {
            size: shape[axis],
            strides,
        };
        match loops.last_mut() {
            Some(outer) if outer.continues_in(&inner) => {
                *outer = Loop {
                    size: outer.size * inner.size,
                    strides: inner.strides,
                };
            }
            _ => loops.push(inner),
        }
    }
    loops
}

impl Loop {
    /// Whether running `inner` to its end lands every operand where this loop's next step starts.
    fn continues_in(&self, inner: &Self) -> bool {
        let size = inner.size as isize;
        self.strides
            .iter()
            .zip(&inner.strides)
            .all(|(&outer, &inner)| outer == inner * size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    fn nest(shape: &[usize], layouts: &[&Layout]) -> LoopNest {
        let strides: Vec<_> = layouts.iter().map(|layout| layout.strides()).collect();
        LoopNest::new(shape, &strides)
    }

    #[test]
    fn contiguous_operands_become_one_loop() {
        let layout = Layout::contiguous(&[3, 4, 5]).unwrap();
        let nest = nest(&[3, 4, 5], &[&layout, &layout]);
        assert_eq!(nest.rank(), 1);
        assert_eq!(nest.loops[0].size, 60);
        assert!(
            nest.inner_classes()
                .all(|class| class == StrideClass::Contiguous)
        );
    }

    #[test]
    fn loops_follow_the_output_through_memory() {
        let output = Layout::contiguous(&[4, 3]).unwrap().permuted(&[1, 0]);
        let input = Layout::contiguous(&[4, 3]).unwrap().permuted(&[1, 0]);
        assert_eq!(nest(&[3, 4], &[&output, &input]).rank(), 1);
        let other = Layout::contiguous(&[3, 4]).unwrap();
        let mixed = nest(&[3, 4], &[&output, &other]);
        assert_eq!(mixed.rank(), 2);
        assert_eq!(mixed.loops[1].strides.as_slice(), [1, 4]);
    }

    #[test]
    fn broadcast_rows_and_scalars_keep_their_class() {
        let output = Layout::contiguous(&[3, 4]).unwrap();
        let row = Layout::contiguous(&[4]).unwrap().broadcast_to(&[3, 4]);
        let one = Layout::contiguous(&[]).unwrap().broadcast_to(&[3, 4]);
        let nest = nest(&[3, 4], &[&output, &row, &one]);
        let classes: Vec<_> = nest.inner_classes().collect();
        let expected = [
            StrideClass::Contiguous,
            StrideClass::Contiguous,
            StrideClass::Broadcast,
        ];
        assert_eq!(classes, expected);
    }

    #[test]
    fn a_single_element_is_one_step() {
        let layout = Layout::contiguous(&[1, 1]).unwrap();
        let nest = nest(&[1, 1], &[&layout]);
        assert_eq!((nest.rank(), nest.loops[0].size), (1, 1));
        assert_eq!(super::LoopNest::new(&[], &[&[]]).loops[0].size, 1);
    }
}
