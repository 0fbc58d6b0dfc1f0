//! Where the least or the greatest elements are.
//!
//! Elements in a row are looked through block by block, and each block for its extreme right after it is known, while the elements
//! are still close. A second pass chooses among the blocks of a row. Of columns, which are reduced many at a time, the extremes
//! come first, and are then looked for in the blocks that have them.

use situ_ir::{DType, Literal, NdRange};
use situ_runtime::Argument;
use smallvec::SmallVec;

use super::{
    BlockOutput, Loops, Pass, ReducedAxes, Reduction, Source, innermost, merged_loops, reshaped,
};
use crate::array::Array;
use crate::error::Error;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::first_extreme;
use crate::kernels::locate::{self, LocateShape};
use crate::kernels::reduce::Walk;
use crate::loop_nest::Loop;

impl Reduction<'_> {
    /// The first position of what all elements reduce to, if they are few, lie in a row and it can be found on the spot.
    pub(crate) fn locate_at_once(self, array: &Array) -> Option<Array> {
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let position = Array::of_idle_memory(&[], DType::I64, queue, usm_kind)?;
        self.reduce_block(array, BlockOutput::ResultAndPosition(&position))?;
        Some(position)
    }

    /// Where each result is: its first position along the one reduced axis.
    pub(crate) fn locate(self, array: &Array, axes: &ReducedAxes) -> Result<Array, Error> {
        let strides = array.layout().strides();
        let kept = merged_loops(array.shape(), &[strides], &axes.kept);
        let reduced = merged_loops(array.shape(), &[strides], &axes.reduced);
        let along = match reduced.as_slice() {
            [] => Loop {
                size: 1,
                strides: SmallVec::from_elem(1, 1),
            },
            [row] => row.clone(),
            _ => {
                return Err(Error::Internal {
                    invariant: "elements are looked for along one loop".to_owned(),
                });
            }
        };
        let walk = Walk::of(along.strides[0], innermost(&kept));
        let pass = Pass {
            length: along.size,
            steps: along.strides,
            walk,
            blocks: along.size.div_ceil(walk.block_length(array.dtype())),
            group: 1,
            is_final: false,
            positions: None,
        };
        let positions = match walk {
            Walk::Along => self.locate_along(array, &kept, pass)?,
            Walk::Beside(_) => self.locate_beside(array, &kept, &pass)?,
        };
        reshaped(&positions, &axes.kept_shape)
    }

    /// For elements in rows.
    fn locate_along(self, array: &Array, kept: &Loops, mut pass: Pass) -> Result<Array, Error> {
        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let rows: usize = kept.iter().map(|each| each.size).product();
        let blocks = pass.blocks;
        let of_blocks = Array::empty(&[rows * blocks], DType::I64, queue, usm_kind)?;
        pass.positions = Some(of_blocks.clone());
        let partial = self.launch(&Source::elements(array), kept, &pass)?;
        if blocks == 1 {
            return Ok(of_blocks);
        }
        let positions = Array::empty(&[rows], DType::I64, queue, usm_kind)?;
        let (operator, dtype) = (self.combine, partial.dtype());
        let key = KernelKey::FirstExtreme(operator, dtype);
        let kernel = kernel_cache::kernel(queue.device(), key, |_| {
            first_extreme::module("first_extreme", operator, dtype)
        })?;
        let arguments = [
            positions.argument(),
            partial.argument(),
            of_blocks.argument(),
            Argument::Scalar(Literal::I64(blocks as i64)),
        ];
        let range = NdRange::new(&[rows as u64]).map_err(situ_runtime::Error::from)?;
        queue.launch(&kernel, &range, &arguments)?;
        Ok(positions)
    }

    /// For elements in columns that are next to each other.
    fn locate_beside(self, array: &Array, kept: &Loops, pass: &Pass) -> Result<Array, Error> {
        // The blocks of the first pass say where to look.
        let partial = self.launch(&Source::elements(array), kept, pass)?;
        let (walk, blocks) = (pass.walk, pass.blocks);
        let count: usize = kept.iter().map(|each| each.size).product();
        let (row_stride, block_stride) = walk.partial_strides(count, blocks);
        let columns = Loop {
            size: count,
            strides: SmallVec::from_elem(row_stride, 1),
        };
        let along = Loop {
            size: blocks,
            strides: SmallVec::from_elem(block_stride, 1),
        };
        let columns = SmallVec::from_elem(columns, 1);
        // Of one block, what it reduces to is the result; but bools are compared as bytes.
        let extremes = if blocks == 1 && self.dtype == self.accumulate {
            partial.clone()
        } else {
            self.reduce_loop(Source::partial(&partial), columns, along, (1, true))?
        };

        let (queue, usm_kind) = (array.queue(), array.usm_kind());
        let positions = Array::empty(&[count], DType::I64, queue, usm_kind)?;
        let shape = LocateShape {
            input: array.dtype(),
            accumulate: self.accumulate,
            block_length: walk.block_length(array.dtype()),
            kept_rank: kept.len() as u8,
        };
        let index = |value: isize| Argument::Scalar(Literal::I64(value as i64));
        let arrays = [&positions, array, &partial, &extremes];
        let mut arguments: SmallVec<[Argument; 12]> =
            arrays.into_iter().map(Array::argument).collect();
        let numbers = [
            pass.length as isize,
            pass.steps[0],
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
        Ok(positions)
    }
}
