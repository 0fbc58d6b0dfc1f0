//! Cumulative sums and products: each element combined with all those before it.
//!
//! A long row is cut into blocks. They are reduced, the results are scanned (a row again, but a short one),
//! and then each block is scanned from what comes before it. Where there are rows enough for everybody, each
//! is scanned in one go.

use situ_ir::{BinaryOperator, DType, Literal, NdRange};
use situ_runtime::{Argument, Queue};
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::manipulation::{normalized_axes, reshape};
use crate::functions::statistical::{combination_in, result_dtype, widened};
use crate::index::IndexItem;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::reduce::{Prepare, identity};
use crate::kernels::scan::{self, ScanShape};
use crate::layout::{Layout, Shape};
use crate::loop_nest::{Loop, LoopNest};
use crate::placement::{Operation, Placer};
use crate::reduction::{ReducedAxes, Reduction, accumulator};

/// How many elements a block has.
const BLOCK_LENGTH: usize = 4096;

/// The same where rows are columns in memory, which are scanned side by side: so many elements of some ten columns are in the
/// second cache.
const BLOCK_LENGTH_ACROSS: usize = 1024;

/// From this many rows on, rows are not cut.
const ENOUGH_ROWS: usize = 64;

/// What is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cumulative {
    /// Sums.
    Sum,
    /// Products.
    Product,
}

impl Cumulative {
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "cumulative_sum",
            Self::Product => "cumulative_prod",
        }
    }

    fn combine(self) -> BinaryOperator {
        match self {
            Self::Sum => BinaryOperator::Add,
            Self::Product => BinaryOperator::Multiply,
        }
    }

    /// What comes before the first element.
    fn initial(self, dtype: DType) -> Literal {
        match self {
            Self::Sum => Literal::zero(dtype),
            Self::Product => Literal::one(dtype),
        }
    }
}

/// What a cumulative function is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Along<'a> {
    /// The axis; it may be missing where there is only one.
    pub axis: Option<i64>,
    /// The dtype of the result; 64 bits for integers and bools by default.
    pub dtype: Option<DType>,
    /// Whether the result starts with what comes before the first element.
    pub include_initial: bool,
    /// What runs it; where the array lives if nothing is named.
    pub queue: Option<&'a Queue>,
}

/// Combines each element with all those before it along an axis.
///
/// # Errors
/// If the queue cannot reach the array, or the axis does not exist or is missing although there are
/// several, or there is no memory, or a launch fails.
pub fn accumulate(array: &Array, what: Cumulative, along: Along<'_>) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function(what.name()),
        explicit: along.queue,
    };
    let mut array = placer.place_one("x", array)?;
    if array.shape().is_empty() {
        // One element is a row, as it is for NumPy.
        array = reshape(&array, &[1])?;
    }
    let ndim = array.shape().len();
    let axis = match along.axis {
        Some(axis) => normalized_axes(&[axis], ndim)?[0],
        None if ndim == 1 => 0,
        None => {
            return Err(Error::AxisNeeded {
                operation: what.name(),
                ndim,
            });
        }
    };
    let dtype = result_dtype(along.dtype, widened(array.dtype()), array.queue().device())?;
    let mut shape = Shape::from(array.shape());
    shape[axis] += usize::from(along.include_initial);
    let out = Array::empty(&shape, dtype, array.queue(), array.usm_kind())?;
    let target = if along.include_initial {
        let part = |start, stop| {
            let mut index: SmallVec<[IndexItem; 4]> = SmallVec::from_elem(IndexItem::ALL, axis);
            index.push(IndexItem::Slice {
                start,
                stop,
                step: None,
            });
            out.view(&index)
        };
        copy_into(&part(None, Some(1))?, &Input::Scalar(what.initial(dtype)))?;
        part(Some(1), None)?
    } else {
        out.clone()
    };
    if !array.layout().is_empty() {
        let accumulate = accumulator(dtype, array.queue().device());
        let scan = Scan {
            combine: combination_in(what.combine(), dtype),
            accumulate,
            exclusive: false,
        };
        scan.run(&array, &target, axis)?;
    }
    Ok(out)
}

/// How the rows of a scan are cut into blocks.
#[derive(Clone, Copy, Default)]
struct Cut<'a> {
    /// Whether the rows are columns in memory.
    is_across: bool,
    block_length: usize,
    /// What comes before each block, by row and block; nothing if a row is one block.
    before: Option<&'a Array>,
}

/// One scan.
#[derive(Clone, Copy)]
struct Scan {
    combine: BinaryOperator,
    accumulate: DType,
    exclusive: bool,
}

impl Scan {
    fn run(self, array: &Array, out: &Array, axis: usize) -> Result<(), Error> {
        let length = array.shape()[axis];
        let rows = array.size() / length.max(1);
        let kept = rows_of(array.layout(), out.layout(), axis);
        let is_across = kept.last().is_some_and(|inner| {
            inner.strides[1].unsigned_abs() < out.layout().strides()[axis].unsigned_abs()
        });
        let cut = Cut {
            is_across,
            block_length: if is_across {
                BLOCK_LENGTH_ACROSS
            } else {
                BLOCK_LENGTH
            },
            before: None,
        };
        if rows >= ENOUGH_ROWS || length <= BLOCK_LENGTH {
            return self.launch(array, out, axis, cut);
        }
        let sums = self.block_sums(array, axis, cut.block_length)?;
        let before = Array::empty(
            sums.shape(),
            self.accumulate,
            array.queue(),
            array.usm_kind(),
        )?;
        let between = Self {
            exclusive: true,
            ..self
        };
        // There are few blocks, so their results are scanned in one go.
        between.launch(&sums, &before, 1, Cut::default())?;
        let before = Some(&before);
        self.launch(array, out, axis, Cut { before, ..cut })
    }

    /// What each block of each row combines to, by row and block.
    fn block_sums(self, array: &Array, axis: usize, block_length: usize) -> Result<Array, Error> {
        let length = array.shape()[axis];
        let blocks = length.div_ceil(block_length);
        let rows = array.size() / length;
        let whole = length / block_length;
        let reduction = Reduction {
            prepare: Prepare::Convert,
            combine: self.combine,
            finish: None,
            center: None,
            accumulate: self.accumulate,
            dtype: self.accumulate,
        };
        // The last block has nothing after it, so nobody asks for its sum.
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let sums = Array::empty(&[rows, blocks], self.accumulate, queue, usm_kind)?;
        let nothing = identity(self.combine, self.accumulate);
        copy_into(&sums, &Input::Scalar(nothing))?;
        let cut = cut_into_blocks(array, axis, [whole, block_length]);
        let axes = ReducedAxes::new(cut.shape(), Some(&[-1]), false)?;
        let reduced = reduction.run(&cut, &axes)?;
        let columns = sums.view(&[
            IndexItem::ALL,
            IndexItem::Slice {
                start: None,
                stop: Some(whole as i64),
                step: None,
            },
        ])?;
        let layout = reduced.layout().reshaped(&[rows, whole]);
        let layout = layout.ok_or_else(|| Error::Internal {
            invariant: "a new array can be reshaped".to_owned(),
        })?;
        copy_into(&columns, &Input::Array(reduced.with_layout(layout)))?;
        Ok(sums)
    }

    fn launch(self, array: &Array, out: &Array, axis: usize, cut: Cut<'_>) -> Result<(), Error> {
        let Cut {
            is_across,
            block_length,
            before,
        } = cut;
        let queue = array.queue();
        let length = array.shape()[axis];
        let kept = rows_of(array.layout(), out.layout(), axis);
        let shape = ScanShape {
            combine: self.combine,
            input: array.dtype(),
            accumulate: self.accumulate,
            output: out.dtype(),
            exclusive: self.exclusive,
            is_cut: before.is_some(),
            block_length,
            is_across,
            kept_rank: kept.len() as u8,
        };
        let index = |value: isize| Argument::Scalar(Literal::I64(value as i64));
        let mut arguments: SmallVec<[Argument; 16]> = SmallVec::new();
        arguments.push(out.argument());
        arguments.push(array.argument());
        arguments.extend(before.map(Array::argument));
        arguments.push(index(length as isize));
        arguments.push(index(array.layout().strides()[axis]));
        arguments.push(index(out.layout().strides()[axis]));
        arguments.extend(kept.iter().skip(1).map(|each| index(each.size as isize)));
        for operand in 0..2 {
            arguments.extend(kept.iter().map(|each| index(each.strides[operand])));
        }
        let rows: usize = kept.iter().map(|each| each.size).product();
        let blocks = before.map_or(1, |_| length.div_ceil(block_length));
        let mut range = [rows as u64, blocks as u64];
        if is_across {
            range.reverse();
        }
        let range = NdRange::new(&range);
        let range = range.map_err(situ_runtime::Error::from)?;
        let name = format!("scan_{}", self.combine.name());
        let key = KernelKey::Scan(shape);
        let kernel = kernel_cache::kernel(queue.device(), key, |_| scan::module(&name, &shape))?;
        queue.launch(&kernel, &range, &arguments)?;
        Ok(())
    }
}

/// The loops over all axes but one, for the input and the output.
fn rows_of(input: &Layout, out: &Layout, axis: usize) -> SmallVec<[Loop; 4]> {
    let others = |all: &[isize]| -> SmallVec<[isize; 4]> {
        let mut others = SmallVec::from_slice(all);
        others.remove(axis);
        others
    };
    let mut shape = Shape::from(input.shape());
    shape.remove(axis);
    let (input, out) = (others(input.strides()), others(out.strides()));
    LoopNest::in_order(&shape, &[&input, &out]).loops
}

/// A view of whole blocks along an axis: the others first, then the blocks, then their elements.
fn cut_into_blocks(array: &Array, axis: usize, [blocks, block_length]: [usize; 2]) -> Array {
    let layout = array.layout();
    let (mut shape, mut strides) = (
        Shape::from(layout.shape()),
        SmallVec::<[isize; 4]>::from(layout.strides()),
    );
    shape.remove(axis);
    let step = strides.remove(axis);
    shape.extend([blocks, block_length]);
    strides.extend([step * block_length as isize, step]);
    array.with_layout(Layout::from_parts(&shape, &strides, layout.offset()))
}
