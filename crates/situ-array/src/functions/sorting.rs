//! Elements in order, and the positions that put them in order.
//!
//! Sorting is along one axis and stable. NaN comes last, whichever way numbers go; the order is that of
//! [`kernels::order`](crate::kernels::order).
//!
//! Where the device is the processor, or is played by it, and the host reaches the memory, rows are sorted by radix
//! ([`host`](crate::host)). Elsewhere kernels merge them.

use situ_ir::{DType, Literal, NdRange};
use situ_runtime::{Argument, BackendKind, DeviceType, Queue};
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::creation::as_contiguous;
use crate::functions::indexing::take_along_axis;
use crate::functions::manipulation::{move_axes, normalized_axes, reshape};
use crate::host::HostCall;
use crate::host::sort_keys::{PositionMemory, SortedRows};
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::merge_sort::{self, RUN_LENGTH, SortShape, Step};
pub use crate::kernels::order::Direction;
use crate::placement::{Operation, Placer};

/// Up to this many elements are sorted while the caller waits.
const BRIEF: usize = 1000;

/// What a sort is told.
#[derive(Clone, Copy, Debug)]
pub struct SortAlong<'a> {
    /// The axis; the flat array if none is named.
    pub axis: Option<i64>,
    /// Which way numbers go.
    pub direction: Direction,
    /// What runs it; where the array lives if nothing is named.
    pub queue: Option<&'a Queue>,
}

/// The elements along an axis in order.
///
/// # Errors
/// If the queue cannot reach the array, or the axis does not exist, or there is no memory, or a launch fails.
pub fn sort(array: &Array, along: SortAlong<'_>) -> Result<Array, Error> {
    let rows = Rows::new("sort", array, along)?;
    let sorted = rows.sort(along.direction, Wanted::Elements)?;
    rows.shaped(sorted.elements)
}

/// For each place along an axis, the position of the element that belongs there.
///
/// # Errors
/// As [`sort`].
pub fn argsort(array: &Array, along: SortAlong<'_>) -> Result<Array, Error> {
    let rows = Rows::new("argsort", array, along)?;
    let sorted = rows.sort(along.direction, Wanted::Positions)?;
    rows.shaped(sorted.positions)
}

/// All elements in ascending order, and where they were.
///
/// # Errors
/// As [`sort`].
pub(super) fn sort_with_positions(array: &Array) -> Result<(Array, Array), Error> {
    let along = SortAlong {
        axis: None,
        direction: Direction::Ascending,
        queue: None,
    };
    let rows = Rows::new("sort", array, along)?;
    let sorted = rows.sort(along.direction, Wanted::Both)?;
    let elements = rows.shaped(sorted.elements)?;
    Ok((elements, rows.shaped(sorted.positions)?))
}

/// What a caller takes of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Elements,
    Positions,
    Both,
}

impl Wanted {
    fn has_positions(self) -> bool {
        self != Self::Elements
    }
}

/// What was wanted of a sort; the other is missing.
#[derive(Clone, Debug, Default)]
struct Sorted {
    elements: Option<Array>,
    positions: Option<Array>,
}

/// The array as rows that are to be sorted, in memory one after the other.
struct Rows {
    /// The array with the sorted axis at the end, contiguous.
    array: Array,
    /// Where the axis was.
    axis: usize,
}

impl Rows {
    fn new(operation: &'static str, array: &Array, along: SortAlong<'_>) -> Result<Self, Error> {
        let placer = Placer {
            operation: Operation::Function(operation),
            explicit: along.queue,
        };
        let mut array = placer.place_one("x", array)?;
        let axis = if let Some(axis) = along.axis {
            normalized_axes(&[axis], array.shape().len())?[0]
        } else {
            array = reshape(&array, &[array.size()])?;
            0
        };
        let array = as_contiguous(&move_axes(&array, &[axis as i64], &[-1])?)?;
        Ok(Self { array, axis })
    }

    /// A result of the sort, with its axis where it belongs.
    fn shaped(&self, result: Option<Array>) -> Result<Array, Error> {
        let result = result.ok_or_else(|| Error::Internal {
            invariant: "a sort gives what is wanted of it".to_owned(),
        })?;
        move_axes(&result, &[-1], &[self.axis as i64])
    }

    fn length(&self) -> usize {
        self.array.shape().last().copied().unwrap_or(1)
    }

    fn empty(&self, dtype: DType) -> Result<Array, Error> {
        let (queue, usm_kind) = (self.array.queue(), self.array.usm_kind());
        Array::empty(self.array.shape(), dtype, queue, usm_kind)
    }

    fn sort(&self, direction: Direction, wanted: Wanted) -> Result<Sorted, Error> {
        let has_positions = wanted.has_positions();
        if self.array.size() == 0 {
            return Ok(Sorted {
                elements: Some(self.empty(self.array.dtype())?),
                positions: has_positions.then(|| self.empty(DType::I64)).transpose()?,
            });
        }
        if !self.is_on_host() {
            return self.merge_sort(direction, has_positions);
        }
        let rows = SortedRows {
            dtype: self.array.dtype(),
            direction,
            length: self.length(),
        };
        if wanted == Wanted::Elements && !rows.dtype.is_complex() {
            return self.radix_sort(rows);
        }
        let positions = self.find_positions(rows)?;
        let elements = (wanted != Wanted::Positions)
            .then(|| take_along_axis(&self.array, &positions, -1, None))
            .transpose()?;
        Ok(Sorted {
            elements,
            positions: Some(positions),
        })
    }

    /// Whether the processor does the device's work anyway, in memory that it reaches.
    fn is_on_host(&self) -> bool {
        let device = self.array.queue().device();
        let is_processor =
            device.device_type() == DeviceType::Cpu || device.backend() == BackendKind::Virtual;
        is_processor && self.array.allocation().is_host_accessible()
    }

    /// Sorts elements that are not complex, on the host.
    fn radix_sort(&self, rows: SortedRows) -> Result<Sorted, Error> {
        let elements = self.empty(rows.dtype)?;
        let scratch = self.empty(rows.dtype)?;
        let call = HostCall {
            name: "sort",
            queue: self.array.queue(),
            reads: &[&self.array],
            writes: &[&elements, &scratch],
            is_brief: self.array.size() <= BRIEF,
        };
        call.submit(move |mut memory| {
            if let [sorted, scratch] = memory.writes.as_mut_slice() {
                rows.sort(memory.reads[0], sorted, scratch);
            }
            Ok(())
        })?;
        Ok(Sorted {
            elements: Some(elements),
            positions: None,
        })
    }

    /// Finds positions on the host.
    fn find_positions(&self, rows: SortedRows) -> Result<Array, Error> {
        let positions = self.empty(DType::I64)?;
        let (queue, usm_kind) = (self.array.queue(), self.array.usm_kind());
        let words = self.array.size() * rows.entry_bytes() / size_of::<u64>();
        let memory = || Array::empty(&[words], DType::U64, queue, usm_kind);
        let (entries, scratch) = (memory()?, memory()?);
        let call = HostCall {
            name: "argsort",
            queue,
            reads: &[&self.array],
            writes: &[&positions, &entries, &scratch],
            is_brief: self.array.size() <= BRIEF,
        };
        call.submit(move |mut memory| {
            if let [positions, entries, scratch] = memory.writes.as_mut_slice() {
                rows.find_positions(&mut PositionMemory {
                    elements: memory.reads[0],
                    positions,
                    entries,
                    scratch,
                });
            }
            Ok(())
        })?;
        Ok(positions)
    }

    /// Sorts by kernels.
    fn merge_sort(&self, direction: Direction, has_positions: bool) -> Result<Sorted, Error> {
        let mut shape = SortShape {
            step: Step::Runs,
            dtype: self.array.dtype(),
            direction,
            has_positions,
        };
        let new = || -> Result<Sorted, Error> {
            Ok(Sorted {
                elements: Some(self.empty(self.array.dtype())?),
                positions: has_positions.then(|| self.empty(DType::I64)).transpose()?,
            })
        };
        let given = Sorted {
            elements: Some(self.array.clone()),
            positions: None,
        };
        let mut sorted = new()?;
        self.launch(shape, &sorted, &given, None)?;
        let mut width = RUN_LENGTH;
        if width >= self.length() {
            return Ok(sorted);
        }
        shape.step = Step::Merge;
        let mut other = new()?;
        while width < self.length() {
            self.launch(shape, &other, &sorted, Some(width))?;
            std::mem::swap(&mut sorted, &mut other);
            width *= 2;
        }
        Ok(sorted)
    }

    fn launch(
        &self,
        shape: SortShape,
        to: &Sorted,
        from: &Sorted,
        width: Option<usize>,
    ) -> Result<(), Error> {
        let queue = self.array.queue();
        let length = self.length();
        let index = |value: usize| Argument::Scalar(Literal::I64(value as i64));
        let both = [&to.elements, &from.elements, &to.positions, &from.positions];
        let mut arguments: SmallVec<[Argument; 6]> =
            both.into_iter().flatten().map(Array::argument).collect();
        arguments.push(index(length));
        arguments.extend(width.map(index));
        let (name, key) = match shape.step {
            Step::Runs => ("sort_runs", KernelKey::Sort(shape)),
            Step::Merge => ("merge_runs", KernelKey::Sort(shape)),
        };
        let kernel =
            kernel_cache::kernel(queue.device(), key, |_| merge_sort::module(name, shape))?;
        let rows = self.array.size() / length;
        let pieces = length.div_ceil(RUN_LENGTH);
        let range = NdRange::new(&[rows as u64, pieces as u64]);
        let range = range.map_err(situ_runtime::Error::from)?;
        queue.launch(&kernel, &range, &arguments)?;
        Ok(())
    }
}
