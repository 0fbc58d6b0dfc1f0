//! A few elements at the positions in an array, gathered on the spot.
//!
//! This is to [`super::indexing`] what [`super::immediate`] is to elementwise functions: the same kernel, for one axis,
//! indices that lie in a row and everything on one queue. For everything else the answer is `None`.

use situ_ir::{Literal, NdRange};
use situ_runtime::{BorrowedArgument, IndexedAxis, index_report};
use smallvec::{SmallVec, smallvec};

use crate::array::Array;
use crate::error::Error;
use crate::functions::deferred;
use crate::functions::indexing::is_far_away;
use crate::kernel_cache::{self, KernelKey};
use crate::kernels::indexed::{Direction, IndexedShape, Sequence};
use crate::kernels::map::{MapOperand, MapShape};
use crate::loop_nest::StrideClass;

/// The elements of an array of one dimension at the positions in another one, if that can be done at once.
///
/// # Errors
/// If there is no such position.
pub fn gather(array: &Array, indices: &Array) -> Result<Option<Array>, Error> {
    let &[size] = array.shape() else {
        return Ok(None);
    };
    let is_plain = size > 0
        && (1..deferred::smallest()).contains(&indices.size())
        && !indices.shape().is_empty()
        && indices.layout().is_contiguous()
        && indices.dtype().is_integer()
        && indices.queue() == array.queue();
    if !is_plain {
        return Ok(None);
    }
    let memory = |array: &Array, stride| MapOperand::Memory {
        dtype: array.dtype(),
        stride,
    };
    let operands: SmallVec<[MapOperand; 4]> = smallvec![
        memory(array, StrideClass::Contiguous),
        // Where the data moves is up to the indices.
        memory(array, StrideClass::Broadcast),
        memory(indices, StrideClass::Contiguous),
    ];
    if is_far_away(array) {
        return Ok(None);
    }
    let queue = array.queue();
    let key = KernelKey::Indexed(IndexedShape {
        direction: Direction::Gather,
        sequence: Sequence::Any,
        prefetches: false,
        map: MapShape {
            operands,
            compute: SmallVec::new(),
            rank: 1,
            is_masked: false,
            streams: false,
        },
    });
    let (Some(kernel), Ok(range)) = (
        kernel_cache::known(queue.device(), key),
        NdRange::new(&[indices.size() as u64]),
    ) else {
        return Ok(None);
    };
    if !kernel.is_immediate(&range) {
        return Ok(None);
    }
    let usm_kind = array.usm_kind().min(indices.usm_kind());
    let shape = indices.shape();
    let Some(result) = Array::of_idle_memory(shape, array.dtype(), queue, usm_kind) else {
        return Ok(None);
    };
    let report = index_report(queue, &[IndexedAxis { axis: 0, size }])?;
    let index = |value: i64| BorrowedArgument::Scalar(Literal::I64(value));
    let arguments = [
        result.borrowed_argument(),
        array.borrowed_argument(),
        indices.borrowed_argument(),
        index(size as i64),
        index(array.layout().strides()[0] as i64),
        report.borrowed_argument(),
    ];
    let is_done = queue.run_reporting_at_once(&kernel, &range, &arguments, &report)?;
    Ok(is_done.then_some(result))
}

#[cfg(test)]
mod tests {
    use situ_ir::DType;
    use situ_runtime::{Device, UsmKind};

    use super::*;
    use crate::functions::indexing::take;
    use crate::layout::Layout;
    use crate::placement::default_queue;

    fn array(shape: &[usize], values: &[i64]) -> Array {
        let queue = default_queue(&Device::default_device());
        let array = Array::empty(shape, DType::I64, &queue, UsmKind::Device).unwrap();
        array.write_bytes(bytemuck::cast_slice(values)).unwrap();
        array
    }

    fn values(array: &Array) -> Vec<i64> {
        let mut values = vec![0_i64; array.size()];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        array.read_bytes(bytes).unwrap();
        values
    }

    /// Gathers on the spot, after as many usual calls as that takes.
    fn gathered(data: &Array, indices: &Array) -> Array {
        let found = (0..1000).find_map(|_| {
            let usual = take(data, indices, Some(0), None).unwrap();
            usual.queue().wait().unwrap();
            gather(data, indices).unwrap()
        });
        found.expect("moving a few elements is over at once")
    }

    #[test]
    fn elements_are_those_at_the_indices() {
        let data = array(&[5], &[10, 20, 30, 40, 50]);
        let square = array(&[2, 2], &[4, 0, -1, 2]);
        let found = gathered(&data, &square);
        assert_eq!(found.shape(), [2, 2]);
        assert_eq!(values(&found), [50, 10, 50, 30]);
        let backwards = data.with_layout(Layout::from_parts(&[3], &[-2], 4));
        let found = gathered(&backwards, &array(&[3], &[0, 1, -1]));
        assert_eq!(values(&found), [50, 30, 10]);
    }

    #[test]
    fn wrong_indices_are_told_at_once() {
        let data = array(&[3], &[1, 2, 3]);
        gathered(&data, &array(&[2], &[0, 1]));
        let wrong = gather(&data, &array(&[2], &[0, 3]));
        assert!(wrong.unwrap_err().to_string().contains("index 3"));
    }

    #[test]
    fn what_is_not_plain_takes_the_usual_way() {
        let data = array(&[4], &[1, 2, 3, 4]);
        let indices = array(&[4], &[0, 1, 2, 3]);
        gathered(&data, &indices);
        let is_left = |data: &Array, indices: &Array| gather(data, indices).unwrap().is_none();
        assert!(is_left(&array(&[2, 2], &[1, 2, 3, 4]), &indices));
        let apart = indices.with_layout(Layout::from_parts(&[2], &[2], 0));
        assert!(is_left(&data, &apart));
        let none = data.with_layout(Layout::from_parts(&[0], &[1], 0));
        assert!(is_left(&none, &indices));
        assert!(is_left(&data, &none));
    }
}
