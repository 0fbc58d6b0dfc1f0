//! Reducing an array along some of its axes: the passes that the reduce template is launched for.
//!
//! Loops are reduced one after the other, the one with the smallest step first, each in as many passes
//! as it takes until one block is left. Only the first pass sees the elements, only the last one
//! makes the result; what lies between are accumulators in memory.

use situ_ir::{BinaryOperator, DType, Literal, NdRange};
use situ_runtime::device::Aspect;
use situ_runtime::{Argument, Device};
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::manipulation::normalized_axes;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::locate::{self, LocateShape};
use crate::kernels::reduce::{self, Finish, Prepare, ReduceShape, Walk};
use crate::layout::{Layout, Shape};
use crate::loop_nest::{Loop, LoopNest};

/// What a reduction computes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction<'a> {
    /// What becomes of an element first.
    pub(crate) prepare: Prepare,
    /// What two of them become.
    pub(crate) combine: BinaryOperator,
    /// What becomes of the combination, with the number it is divided by.
    pub(crate) finish: Option<(Finish, f64)>,
    /// What elements are compared with, if they are: a number for each result, contiguous.
    pub(crate) center: Option<&'a Array>,
    /// The dtype of the accumulators and of partial results.
    pub(crate) accumulate: DType,
    /// The dtype of the result.
    pub(crate) dtype: DType,
}

/// The axes of an array that a reduction keeps, and those it does not.
#[derive(Clone, Debug)]
pub(crate) struct ReducedAxes {
    kept: SmallVec<[usize; 4]>,
    reduced: SmallVec<[usize; 4]>,
    /// The sizes of the kept axes.
    kept_shape: Shape,
    /// The shape of the result.
    result_shape: Shape,
    /// How many elements become one.
    pub(crate) count: usize,
}

impl ReducedAxes {
    /// For axes that the user names, or all of them.
    pub(crate) fn new(array: &Array, axes: Option<&[i64]>, keepdims: bool) -> Result<Self, Error> {
        let ndim = array.shape().len();
        let reduced = match axes {
            Some(axes) => normalized_axes(axes, ndim)?,
            None => (0..ndim).collect(),
        };
        let kept: SmallVec<[usize; 4]> = (0..ndim).filter(|axis| !reduced.contains(axis)).collect();
        let size = |axis: usize| array.shape()[axis];
        let result_shape = (0..ndim)
            .filter(|axis| keepdims || kept.contains(axis))
            .map(|axis| if kept.contains(&axis) { size(axis) } else { 1 })
            .collect();
        Ok(Self {
            kept_shape: kept.iter().map(|&axis| size(axis)).collect(),
            count: reduced.iter().map(|&axis| size(axis)).product(),
            kept,
            reduced,
            result_shape,
        })
    }

    /// Whether there is no result at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept_shape.contains(&0)
    }

    /// Refuses to reduce no elements.
    pub(crate) fn check_not_empty(
        &self,
        operation: &'static str,
        array: &Array,
    ) -> Result<(), Error> {
        if self.count == 0 {
            return Err(Error::NothingToReduce {
                operation,
                shape: array.shape().to_vec(),
            });
        }
        Ok(())
    }

    /// A new, contiguous array of results as it is handed out.
    pub(crate) fn shaped(&self, results: &Array) -> Result<Array, Error> {
        reshaped(results, &self.result_shape)
    }
}

/// The dtype to combine in: the next wider one, if the device has it, so that the result is as good as
/// rounded once.
pub(crate) fn accumulator(dtype: DType, device: &Device) -> DType {
    match dtype {
        DType::F16 => DType::F32,
        DType::F32 if device.has_aspect(Aspect::Fp64) => DType::F64,
        DType::C64 if device.has_aspect(Aspect::Fp64) => DType::C128,
        other => other,
    }
}

impl Reduction<'_> {
    /// A new, contiguous array with the sizes of the kept axes. Of no elements the result is what
    /// changes nothing, finished as any other.
    pub(crate) fn run(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        if array.layout().is_empty() {
            return self.of_nothing(array, axes);
        }
        let (reduction, array) = self.of_small_integers(array)?;
        reduction.run_loops(&array, axes)
    }

    /// The same reduction of bools and small integers seen as unsigned ones. What is asked about them is
    /// then answered by the least or the greatest, and bools are counted as they are, which are
    /// instructions for many elements at once.
    fn of_small_integers(mut self, array: &Array) -> Result<(Self, Array), Error> {
        let unsigned = match array.dtype() {
            DType::Bool | DType::I8 | DType::U8 => DType::U8,
            DType::I16 | DType::U16 => DType::U16,
            _ => return Ok((self, array.clone())),
        };
        let is_bool = array.dtype().is_bool();
        match (self.prepare, self.combine) {
            (Prepare::IsNonZero, BinaryOperator::BitOr) => {
                self.combine = BinaryOperator::Maximum;
                self.accumulate = unsigned;
            }
            (Prepare::IsNonZero, BinaryOperator::BitAnd) => {
                self.combine = BinaryOperator::Minimum;
                self.accumulate = unsigned;
            }
            (Prepare::IsNonZero | Prepare::Convert, BinaryOperator::Add) if is_bool => {}
            _ => return Ok((self, array.clone())),
        }
        self.prepare = Prepare::Convert;
        let allocation = std::sync::Arc::clone(array.allocation());
        let layout = array.layout().clone();
        let seen = Array::over(allocation, layout, unsigned, array.queue())?;
        Ok((self, seen))
    }

    fn run_loops(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        let layout = array.layout();
        let mut reduced = merged_loops(layout, &axes.reduced);
        let mut kept = merged_loops(layout, &axes.kept);
        let mut source = Source {
            array: array.clone(),
            offset: layout.offset(),
            is_prepared: false,
        };
        // The loop with the smallest step goes first: it is the one caches like.
        reduced.sort_by_key(|each| std::cmp::Reverse(each.strides[0].unsigned_abs()));
        loop {
            let innermost = reduced.pop();
            let (length, step) =
                innermost.map_or((1, 1), |innermost| (innermost.size, innermost.strides[0]));
            // Loops that are still to be reduced are kept in this pass.
            let group: usize = reduced.iter().map(|each| each.size).product();
            let passed: SmallVec<[Loop; 4]> = kept.iter().chain(&reduced).cloned().collect();
            let is_last = reduced.is_empty();
            let result = self.reduce_loop(source, &passed, (length, step), (group, is_last))?;
            if is_last {
                return reshaped(&result, &axes.kept_shape);
            }
            // What was passed is now contiguous, in the order it was passed in.
            let mut step = 1;
            for each in reduced.iter_mut().rev().chain(kept.iter_mut().rev()) {
                each.strides[0] = step;
                step *= each.size as isize;
            }
            source = Source::partial(result);
        }
    }

    fn of_nothing(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let results = Array::empty(&axes.kept_shape, self.dtype, queue, usm_kind)?;
        let nothing = match self.finish {
            // Nothing divided by nothing.
            Some(_) => Literal::from_f64(self.dtype, f64::NAN),
            None if self.combine == BinaryOperator::Add => Literal::zero(self.dtype),
            None => reduce::identity(self.combine, self.dtype),
        };
        copy_into(&results, &Input::Scalar(nothing))?;
        Ok(results)
    }

    /// Where each result is: its first position along the one reduced axis.
    pub(crate) fn locate(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        let layout = array.layout();
        let kept = merged_loops(layout, &axes.kept);
        let (length, step) = match merged_loops(layout, &axes.reduced).as_slice() {
            [] => (1, 1),
            [row] => (row.size, row.strides[0]),
            _ => {
                return Err(Error::Internal {
                    invariant: "elements are looked for along one loop".to_owned(),
                });
            }
        };
        let source = Source {
            array: array.clone(),
            offset: layout.offset(),
            is_prepared: false,
        };
        // The blocks of the first pass say where to look.
        let walk = Walk::of(step, innermost(&kept));
        let blocks = length.div_ceil(walk.block_length());
        let pass = Pass {
            length,
            step,
            walk,
            blocks,
            group: 1,
            is_final: false,
        };
        let partial = self.launch(&source, &kept, pass)?;
        let count: usize = kept.iter().map(|each| each.size).product();
        let (row_stride, block_stride) = walk.partial_strides(count, blocks);
        let strides = SmallVec::from_elem(row_stride, 1);
        let rows = Loop {
            size: count,
            strides,
        };
        let between = Source::partial(partial.clone());
        let extremes = self.reduce_loop(between, &[rows], (blocks, block_stride), (1, true))?;

        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let positions = Array::empty(&[count], DType::I64, queue, usm_kind)?;
        let shape = LocateShape {
            input: array.dtype(),
            accumulate: self.accumulate,
            block_length: walk.block_length(),
            kept_rank: kept.len() as u8,
        };
        let index = |value: isize| Argument::Scalar(Literal::I64(value as i64));
        let arrays = [&positions, array, &partial, &extremes];
        let mut arguments: SmallVec<[Argument; 12]> =
            arrays.into_iter().map(Array::argument).collect();
        let numbers = [
            length as isize,
            step,
            blocks as isize,
            row_stride,
            block_stride,
        ];
        arguments.extend(numbers.into_iter().map(index));
        let inner_sizes = kept.iter().skip(1);
        arguments.extend(inner_sizes.map(|each| index(each.size as isize)));
        arguments.extend(kept.iter().map(|each| index(each.strides[0])));
        let key = KernelKey::Locate(shape);
        let kernel =
            kernel_cache::kernel(queue.device(), key, |_| locate::module("locate", &shape))?;
        let range = NdRange::new(&[count as u64]).map_err(situ_runtime::Error::from)?;
        queue.launch(&kernel, &range, &arguments)?;
        reshaped(&positions, &axes.kept_shape)
    }

    /// Reduces one loop, block by block, to a contiguous array over the kept loops.
    fn reduce_loop(
        self,
        mut source: Source,
        kept: &[Loop],
        (mut length, mut step): (usize, isize),
        (group, is_last): (usize, bool),
    ) -> Result<Array, Error> {
        let mut kept = SmallVec::<[Loop; 4]>::from(kept);
        let count: usize = kept.iter().map(|each| each.size).product();
        loop {
            let walk = Walk::of(step, innermost(&kept));
            let blocks = length.div_ceil(walk.block_length());
            let pass = Pass {
                length,
                step,
                walk,
                blocks,
                group,
                is_final: is_last && blocks == 1,
            };
            let partial = self.launch(&source, &kept, pass)?;
            if blocks == 1 {
                return Ok(partial);
            }
            // Reduce the blocks next.
            let (kept_stride, block_stride) = walk.partial_strides(count, blocks);
            let strides = SmallVec::from_elem(kept_stride, 1);
            let size = count;
            kept = SmallVec::from_elem(Loop { size, strides }, 1);
            (length, step) = (blocks, block_stride);
            source = Source::partial(partial);
        }
    }

    fn launch(self, source: &Source, kept: &[Loop], pass: Pass) -> Result<Array, Error> {
        let array = &source.array;
        let count: usize = kept.iter().map(|each| each.size).product();
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let shape = self.shape(source, kept, pass);
        let partial = Array::empty(&[count * pass.blocks], shape.output, queue, usm_kind)?;
        let index = |value: i64| Argument::Scalar(Literal::I64(value));
        let mut arguments: SmallVec<[Argument; 12]> = SmallVec::new();
        arguments.push(partial.argument());
        arguments.push(source.argument());
        if let (true, Some(center)) = (shape.prepare.has_center(), self.center) {
            arguments.push(center.argument());
            arguments.push(index(pass.group as i64));
        }
        if let (true, Some((_, divisor))) = (pass.is_final, self.finish) {
            let divisor = Literal::from_f64(self.accumulate.real(), divisor);
            arguments.push(Argument::Scalar(divisor));
        }
        arguments.push(index(pass.length as i64));
        let own_dimension = match pass.walk {
            Walk::Along => false,
            Walk::Beside => true,
            Walk::Across => kept.len() > 1,
        };
        if pass.walk != Walk::Along {
            arguments.push(index(pass.step as i64));
        }
        if pass.walk == Walk::Beside {
            arguments.push(index(innermost(kept).0 as i64));
        }
        let flat = kept.len() - usize::from(own_dimension);
        let inner_sizes = kept[..flat].iter().skip(1);
        arguments.extend(inner_sizes.map(|each| index(each.size as i64)));
        arguments.extend(kept.iter().map(|each| index(each.strides[0] as i64)));
        let (blocks, count) = (pass.blocks as u64, count as u64);
        let sizes: SmallVec<[u64; 3]> = match pass.walk {
            Walk::Along => SmallVec::from_slice(&[count, blocks]),
            Walk::Beside => {
                let columns = innermost(kept).0 as u64;
                let groups = columns.div_ceil(reduce::COLUMNS as u64);
                SmallVec::from_slice(&[blocks, count / columns, groups])
            }
            Walk::Across if own_dimension => {
                let inner = kept[flat].size as u64;
                SmallVec::from_slice(&[blocks, count / inner, inner])
            }
            Walk::Across => SmallVec::from_slice(&[blocks, count]),
        };
        let key = KernelKey::Reduce(shape);
        let name = format!("reduce_{}", self.combine.name());
        let kernel = kernel_cache::kernel(queue.device(), key, |_| reduce::module(&name, &shape))?;
        let range = NdRange::new(&sizes).map_err(situ_runtime::Error::from)?;
        queue.launch(&kernel, &range, &arguments)?;
        Ok(partial)
    }

    /// The dtype that a work-item combines elements in. What is counted, or small integers that are
    /// added, need fewer bits within a block than in all, and a register holds more of those.
    fn within_block(self, input: DType) -> DType {
        let is_small = input.is_integer() && input.size_bytes() <= 2;
        match (self.prepare, self.combine, self.accumulate) {
            (Prepare::IsNonZero | Prepare::IsNumber, BinaryOperator::Add, DType::I64) => DType::I32,
            (Prepare::Convert, BinaryOperator::Add, DType::I64) if is_small => DType::I32,
            (Prepare::Convert, BinaryOperator::Add, DType::U64) if is_small => DType::U32,
            (_, _, accumulate) => accumulate,
        }
    }

    /// What the kernel of a pass is specialised for.
    fn shape(self, source: &Source, kept: &[Loop], pass: Pass) -> ReduceShape {
        let prepare = if source.is_prepared {
            Prepare::Convert
        } else {
            self.prepare
        };
        let accumulate = if source.is_prepared {
            self.accumulate
        } else {
            self.within_block(source.array.dtype())
        };
        let (finish, output) = if pass.is_final {
            let finish = self.finish.map_or(Finish::Convert, |finish| finish.0);
            (finish, self.dtype)
        } else {
            (Finish::Convert, self.accumulate)
        };
        ReduceShape {
            prepare,
            finish,
            combine: self.combine,
            input: source.array.dtype(),
            accumulate,
            output,
            walk: pass.walk,
            kept_rank: kept.len() as u8,
        }
    }
}

/// One launch of a reduction.
#[derive(Clone, Copy)]
struct Pass {
    /// Elements of the reduced loop.
    length: usize,
    /// Its stride.
    step: isize,
    walk: Walk,
    /// Into how many blocks it is cut.
    blocks: usize,
    /// How many neighbours among the kept elements will become one later.
    group: usize,
    /// Whether it makes the result.
    is_final: bool,
}

/// What a pass reads: an array's memory from a position on.
struct Source {
    array: Array,
    offset: usize,
    /// Whether these are accumulators, and not elements.
    is_prepared: bool,
}

impl Source {
    fn partial(array: Array) -> Self {
        Self {
            array,
            offset: 0,
            is_prepared: true,
        }
    }

    fn argument(&self) -> Argument {
        Argument::Pointer {
            allocation: std::sync::Arc::clone(self.array.allocation()),
            byte_offset: self.offset * self.array.dtype().size_bytes(),
        }
    }
}

/// The size and stride of the innermost loop.
fn innermost(loops: &[Loop]) -> (usize, isize) {
    loops
        .last()
        .map_or((1, 0), |innermost| (innermost.size, innermost.strides[0]))
}

/// A new, contiguous array under another shape.
fn reshaped(array: &Array, shape: &[usize]) -> Result<Array, Error> {
    let layout = array.layout().reshaped(shape);
    let layout = layout.ok_or_else(|| Error::Internal {
        invariant: "a new array can be reshaped".to_owned(),
    })?;
    Ok(array.with_layout(layout))
}

/// The loops over some axes in their order, neighbours merged where memory allows it.
fn merged_loops(layout: &Layout, axes: &[usize]) -> SmallVec<[Loop; 4]> {
    let mut sorted: SmallVec<[usize; 4]> = axes.into();
    sorted.sort_unstable();
    let shape: SmallVec<[usize; 4]> = sorted.iter().map(|&axis| layout.shape()[axis]).collect();
    let strides: SmallVec<[isize; 4]> = sorted.iter().map(|&axis| layout.strides()[axis]).collect();
    LoopNest::in_order(&shape, &[&strides]).loops
}
