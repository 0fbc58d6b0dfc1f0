//! Reductions over axes.

use situ_ir::{BinaryOperator, DType, Literal, NdRange};
use situ_runtime::device::Aspect;
use situ_runtime::{Argument, Device, Queue};
use smallvec::SmallVec;

use crate::array::Array;
use crate::device_dtypes;
use crate::error::Error;
use crate::functions::apply::{Input, copy_into};
use crate::functions::manipulation::normalized_axes;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::reduce::{self, ReduceShape, Walk};
use crate::layout::Layout;
use crate::loop_nest::{Loop, LoopNest};
use crate::placement::{Operation, Placer};

/// The sum over some axes, or over all of them if none are named.
///
/// Without a dtype, integers and `bool` are summed in 64 bits and floats in their own dtype. The work
/// runs on `queue`, or where the array lives if none is named.
///
/// # Errors
/// If the queue cannot reach the array, or an axis does not exist, or there is no memory, or a
/// launch fails.
pub fn sum(
    array: &Array,
    axes: Option<&[i64]>,
    dtype: Option<DType>,
    keepdims: bool,
    queue: Option<&Queue>,
) -> Result<Array, Error> {
    let placer = Placer {
        operation: Operation::Function("sum"),
        explicit: queue,
    };
    let array = &placer.place_one("x", array)?;
    if let Some(dtype) = dtype {
        device_dtypes::check(dtype, array.queue().device())?;
    }
    let dtype = dtype.unwrap_or(match array.dtype() {
        DType::Bool => DType::I64,
        dtype if dtype.is_signed() => DType::I64,
        dtype if dtype.is_unsigned() => DType::U64,
        dtype => dtype,
    });
    reduce_axes(
        array,
        axes,
        BinaryOperator::Add,
        dtype,
        Literal::zero(dtype),
        keepdims,
    )
}

/// Combines elements along axes; `of_nothing` is the result for zero elements.
fn reduce_axes(
    array: &Array,
    axes: Option<&[i64]>,
    combine: BinaryOperator,
    dtype: DType,
    of_nothing: Literal,
    keepdims: bool,
) -> Result<Array, Error> {
    let ndim = array.shape().len();
    let axes = match axes {
        Some(axes) => normalized_axes(axes, ndim)?,
        None => (0..ndim).collect(),
    };
    let mut kept_shape: SmallVec<[usize; 4]> = SmallVec::new();
    let mut final_shape: SmallVec<[usize; 4]> = SmallVec::new();
    for (axis, &size) in array.shape().iter().enumerate() {
        if !axes.contains(&axis) {
            kept_shape.push(size);
            final_shape.push(size);
        } else if keepdims {
            final_shape.push(1);
        }
    }
    let kept: SmallVec<[usize; 4]> = (0..ndim).filter(|axis| !axes.contains(axis)).collect();
    let result = if array.layout().is_empty() {
        let empty = Array::empty(&kept_shape, dtype, array.queue(), array.usm_kind())?;
        copy_into(&empty, &Input::Scalar(of_nothing))?;
        empty
    } else {
        let accumulate = accumulator(combine, dtype, array.queue().device());
        let reduction = Reduction {
            combine,
            accumulate,
            dtype,
        };
        reduction.run(array, &kept, &axes, &kept_shape)?
    };
    let layout = result
        .layout()
        .reshaped(&final_shape)
        .ok_or_else(|| Error::Internal {
            invariant: "a new array can be reshaped".to_owned(),
        })?;
    Ok(result.with_layout(layout))
}

/// What is combined, and in which dtypes.
#[derive(Clone, Copy)]
struct Reduction {
    combine: BinaryOperator,
    /// The dtype of the accumulators and of partial results.
    accumulate: DType,
    /// The dtype of the result.
    dtype: DType,
}

/// The dtype to add up in: the next wider one, if the device has it, so that the result is as good as
/// rounded once.
fn accumulator(combine: BinaryOperator, dtype: DType, device: &Device) -> DType {
    if combine != BinaryOperator::Add {
        return dtype;
    }
    match dtype {
        DType::F16 => DType::F32,
        DType::F32 if device.has_aspect(Aspect::Fp64) => DType::F64,
        DType::C64 if device.has_aspect(Aspect::Fp64) => DType::C128,
        other => other,
    }
}

impl Reduction {
    /// Reduces one merged loop after the other, innermost first, until only kept ones are left.
    fn run(
        self,
        array: &Array,
        kept: &[usize],
        reduced: &[usize],
        kept_shape: &[usize],
    ) -> Result<Array, Error> {
        let layout = array.layout();
        let loops = |axes: &[usize]| merged_loops(layout, axes);
        let mut reduced = loops(reduced);
        let mut kept = loops(kept);
        let mut source = Source {
            array: array.clone(),
            offset: layout.offset(),
        };
        // The loop with the smallest step goes first: it is the one caches like.
        reduced.sort_by_key(|each| std::cmp::Reverse(each.strides[0].unsigned_abs()));
        loop {
            let innermost = reduced.pop();
            let (length, step) =
                innermost.map_or((1, 1), |innermost| (innermost.size, innermost.strides[0]));
            // Loops that are still to be reduced are kept in this pass.
            let passed: SmallVec<[Loop; 4]> = kept.iter().chain(&reduced).cloned().collect();
            let is_last = reduced.is_empty();
            let result = self.reduce_loop(&source, &passed, length, step, is_last)?;
            if is_last {
                let layout =
                    result
                        .layout()
                        .reshaped(kept_shape)
                        .ok_or_else(|| Error::Internal {
                            invariant: "partial results are contiguous".to_owned(),
                        })?;
                return Ok(result.with_layout(layout));
            }
            // What was passed is now contiguous, in the order it was passed in.
            let mut step = 1;
            for each in reduced.iter_mut().rev().chain(kept.iter_mut().rev()) {
                each.strides[0] = step;
                step *= each.size as isize;
            }
            source = Source {
                array: result,
                offset: 0,
            };
        }
    }

    /// Reduces one loop, block by block, to a contiguous array over the kept loops.
    fn reduce_loop(
        self,
        source: &Source,
        kept: &[Loop],
        length: usize,
        step: isize,
        is_last: bool,
    ) -> Result<Array, Error> {
        let (mut source, mut kept, mut length, mut step) = (
            source.clone(),
            SmallVec::<[Loop; 4]>::from(kept),
            length,
            step,
        );
        let count: usize = kept.iter().map(|each| each.size).product();
        loop {
            let walk = if step == 1 { Walk::Along } else { Walk::Across };
            let blocks = length.div_ceil(walk.block_length());
            let output = if is_last && blocks == 1 {
                self.dtype
            } else {
                self.accumulate
            };
            let pass = Pass {
                length,
                step,
                walk,
                blocks,
                output,
            };
            let partial = self.launch(&source, &kept, pass)?;
            if blocks == 1 {
                return Ok(partial);
            }
            // Partial results lie (kept, block) or (block, kept); reduce the blocks next.
            let (kept_stride, block_stride) = match walk {
                Walk::Along => (blocks as isize, 1),
                Walk::Across => (1, count as isize),
            };
            let strides = SmallVec::from_elem(kept_stride, 1);
            kept = SmallVec::from_elem(
                Loop {
                    size: count,
                    strides,
                },
                1,
            );
            (length, step) = (blocks, block_stride);
            source = Source {
                array: partial,
                offset: 0,
            };
        }
    }

    fn launch(self, source: &Source, kept: &[Loop], pass: Pass) -> Result<Array, Error> {
        let Pass {
            length,
            step,
            walk,
            blocks,
            output,
        } = pass;
        let array = &source.array;
        let count: usize = kept.iter().map(|each| each.size).product();
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let partial = Array::empty(&[count * blocks], output, queue, usm_kind)?;
        let shape = ReduceShape {
            combine: self.combine,
            input: array.dtype(),
            accumulate: self.accumulate,
            output,
            walk,
            kept_rank: kept.len() as u8,
        };
        let index = |value: i64| Argument::Scalar(Literal::I64(value));
        let mut arguments: SmallVec<[Argument; 12]> = SmallVec::new();
        arguments.push(partial.argument());
        arguments.push(source.argument());
        arguments.push(index(length as i64));
        let own_dimension = walk == Walk::Across && kept.len() > 1;
        if walk == Walk::Across {
            arguments.push(index(step as i64));
        }
        let flat = kept.len() - usize::from(own_dimension);
        arguments.extend(
            kept[..flat]
                .iter()
                .skip(1)
                .map(|each| index(each.size as i64)),
        );
        arguments.extend(kept.iter().map(|each| index(each.strides[0] as i64)));
        let sizes: SmallVec<[u64; 3]> = match walk {
            Walk::Along => SmallVec::from_slice(&[count as u64, blocks as u64]),
            Walk::Across if own_dimension => {
                let inner = kept[flat].size;
                SmallVec::from_slice(&[blocks as u64, (count / inner) as u64, inner as u64])
            }
            Walk::Across => SmallVec::from_slice(&[blocks as u64, count as u64]),
        };
        let key = KernelKey::Reduce(shape);
        let name = format!("reduce_{}", self.combine.name());
        let kernel = kernel_cache::kernel(queue.device(), key, |_| reduce::module(&name, &shape))?;
        let range = NdRange::new(&sizes).map_err(situ_runtime::Error::from)?;
        queue.launch(&kernel, &range, &arguments)?;
        Ok(partial)
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
    /// The dtype of what is written.
    output: DType,
}

/// What a pass reads: an array's memory from a position on.
#[derive(Clone)]
struct Source {
    array: Array,
    offset: usize,
}

impl Source {
    fn argument(&self) -> Argument {
        Argument::Pointer {
            allocation: std::sync::Arc::clone(self.array.allocation()),
            byte_offset: self.offset * self.array.dtype().size_bytes(),
        }
    }
}

/// The loops over some axes in their order, neighbours merged where memory allows it.
fn merged_loops(layout: &Layout, axes: &[usize]) -> SmallVec<[Loop; 4]> {
    let mut sorted: SmallVec<[usize; 4]> = axes.into();
    sorted.sort_unstable();
    let shape: SmallVec<[usize; 4]> = sorted.iter().map(|&axis| layout.shape()[axis]).collect();
    let strides: SmallVec<[isize; 4]> = sorted.iter().map(|&axis| layout.strides()[axis]).collect();
    LoopNest::in_order(&shape, &[&strides]).loops
}
