//! Launching the kernels of products.

use situ_ir::{DType, Literal, NdRange};
use situ_runtime::Argument;
use smallvec::SmallVec;

use super::product::{Factors, Placed};
use crate::array::Array;
use crate::error::Error;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::dot::{self, DotShape, Walk, sum_operator};
use crate::kernels::matmul::{self, MatmulShape};
use crate::kernels::reduce::Prepare;
use crate::loop_nest::LoopNest;
use crate::reduction::{ReducedAxes, Reduction, accumulator};

/// Sums of products: one for each element of a shape, along a loop.
pub(super) struct DotLoops<'a> {
    /// The shape of the sums.
    pub(super) shape: &'a [usize],
    /// The operands' strides in it.
    pub(super) strides: [&'a [isize]; 2],
    /// How many products are added.
    pub(super) length: usize,
    /// The operands' strides from one of them to the next.
    pub(super) steps: [isize; 2],
    /// Whether the left elements are conjugated.
    pub(super) conjugate: bool,
}

/// The sums, contiguous.
pub(super) fn launch_dot(placed: &Placed, loops: &DotLoops<'_>) -> Result<Array, Error> {
    let nest = LoopNest::in_order(loops.shape, &loops.strides);
    let kept = nest.loops.as_slice();
    let count: usize = kept.iter().map(|each| each.size).product();
    let walk = if loops.steps == [1, 1] || loops.length == 1 {
        Walk::Along
    } else {
        Walk::Across
    };
    let block_length = block_length(walk, count);
    let blocks = loops.length.div_ceil(block_length);
    let accumulate = match placed.dtype {
        DType::F16 => DType::F32,
        dtype => dtype,
    };
    let is_whole = blocks == 1;
    let shape = DotShape {
        left: placed.left.dtype(),
        right: placed.right.dtype(),
        accumulate,
        output: if is_whole { placed.dtype } else { accumulate },
        conjugate: loops.conjugate && placed.dtype.is_complex(),
        walk,
        kept_rank: kept.len() as u8,
    };
    let sums = placed.empty(&[count * blocks], shape.output)?;
    let mut arguments: SmallVec<[Argument; 16]> = SmallVec::new();
    arguments.extend([&sums, &placed.left, &placed.right].map(Array::argument));
    arguments.extend([loops.length as isize, block_length as isize].map(index));
    let own_dimension = walk == Walk::Across && kept.len() > 1;
    if walk == Walk::Across {
        arguments.extend(loops.steps.map(index));
    }
    let flat = kept.len() - usize::from(own_dimension);
    arguments.extend(
        kept[..flat]
            .iter()
            .skip(1)
            .map(|each| index(each.size as isize)),
    );
    for operand in 0..2 {
        arguments.extend(kept.iter().map(|each| index(each.strides[operand])));
    }
    let sizes: SmallVec<[u64; 3]> = match walk {
        Walk::Along => SmallVec::from_slice(&[count as u64, blocks as u64]),
        Walk::Across if own_dimension => {
            let inner = kept[flat].size as u64;
            SmallVec::from_slice(&[blocks as u64, count as u64 / inner, inner])
        }
        Walk::Across => SmallVec::from_slice(&[blocks as u64, count as u64]),
    };
    let device = placed.queue.device();
    let key = KernelKey::Dot(shape);
    let kernel = kernel_cache::kernel(device, key, |_| dot::module("dot", &shape))?;
    let range = NdRange::new(&sizes).map_err(situ_runtime::Error::from)?;
    placed.queue.launch(&kernel, &range, &arguments)?;
    if is_whole {
        return shaped(&sums, loops.shape);
    }
    // Add up the blocks.
    let (partial, axis) = match walk {
        Walk::Along => (shaped(&sums, &[count, blocks])?, 1),
        Walk::Across => (shaped(&sums, &[blocks, count])?, 0),
    };
    let reduction = Reduction {
        prepare: Prepare::Convert,
        combine: sum_operator(accumulate),
        finish: None,
        center: None,
        accumulate: accumulator(accumulate, device),
        dtype: placed.dtype,
    };
    let axes = ReducedAxes::new(partial.shape(), Some(&[axis]), false)?;
    shaped(&reduction.run(&partial, &axes)?, loops.shape)
}

/// How many products a work-item adds: all of them where there are enough sums to keep everybody busy,
/// but not so many that rounding errors grow.
fn block_length(walk: Walk, count: usize) -> usize {
    match walk {
        Walk::Along if count < 64 => 8192,
        Walk::Along => 65536,
        Walk::Across => 256,
    }
}

/// The products of matrices, contiguous.
pub(super) fn launch_tiles(placed: &Placed, factors: &Factors) -> Result<Array, Error> {
    let ndim = factors.batch.len();
    let (left, right) = (factors.left.strides(), factors.right.strides());
    let nest = LoopNest::in_order(&factors.batch, &[&left[..ndim], &right[..ndim]]);
    let device = placed.queue.device();
    let tile = tile(device.info().max_work_group_size);
    let shape = MatmulShape {
        left: placed.left.dtype(),
        right: placed.right.dtype(),
        accumulate: match placed.dtype {
            DType::F16 => DType::F32,
            dtype => dtype,
        },
        output: placed.dtype,
        tile,
        batch_rank: nest.loops.len() as u8,
    };
    let product = placed.empty(&factors.product_shape(), placed.dtype)?;
    let mut arguments: SmallVec<[Argument; 16]> = SmallVec::new();
    arguments.extend([&product, &placed.left, &placed.right].map(Array::argument));
    let sizes = [factors.rows, factors.columns, factors.inner];
    arguments.extend(sizes.map(|size| index(size as isize)));
    let strides = [left[ndim], left[ndim + 1], right[ndim], right[ndim + 1]];
    arguments.extend(strides.map(index));
    let inner_sizes = nest.loops.iter().skip(1);
    arguments.extend(inner_sizes.map(|each| index(each.size as isize)));
    for operand in 0..2 {
        arguments.extend(nest.loops.iter().map(|each| index(each.strides[operand])));
    }
    let key = KernelKey::Matmul(shape);
    let kernel = kernel_cache::kernel(device, key, |_| matmul::module("matmul", &shape))?;
    let batch: usize = factors.batch.iter().product();
    let side = u64::from(tile);
    let padded = |size: usize| (size as u64).next_multiple_of(side);
    let global = [batch as u64, padded(factors.rows), padded(factors.columns)];
    let range =
        NdRange::with_local(&global, &[1, side, side]).map_err(situ_runtime::Error::from)?;
    placed.queue.launch(&kernel, &range, &arguments)?;
    Ok(product)
}

/// The side of the largest tile whose work-items fit into a work-group.
fn tile(max_work_group_size: u64) -> u8 {
    [16_u8, 8, 4, 2]
        .into_iter()
        .find(|&side| u64::from(side) * u64::from(side) <= max_work_group_size)
        .unwrap_or(1)
}

fn index(value: isize) -> Argument {
    Argument::Scalar(Literal::I64(value as i64))
}

/// A new, contiguous array under another shape.
fn shaped(array: &Array, shape: &[usize]) -> Result<Array, Error> {
    let layout = array.layout().reshaped(shape);
    let layout = layout.ok_or_else(|| Error::Internal {
        invariant: "a new array can be reshaped".to_owned(),
    })?;
    Ok(array.with_layout(layout))
}
