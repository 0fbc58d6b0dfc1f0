//! Choosing among a few elements by a mask, on the host.
//!
//! How many elements a mask chooses has to be known before there is memory for them, so the mask is waited for in any
//! case. Where the host reaches everything, and that is little, it may as well copy what is chosen: one pass in the
//! place of a count, a scan and a gather.

use situ_ir::DType;
use situ_runtime::UsmKind;
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::creation::astype;
use crate::host::HostCall;
use crate::layout::Shape;

/// The longest mask that is worth it.
const MAX_HOLDS: usize = 4096;

/// The most bytes that may be copied.
const MAX_BYTES: usize = 1 << 16;

/// What a mask over the first dimensions of an array chooses, in a new array; `None` if that is better done elsewhere.
///
/// # Errors
/// If something the arrays wait for failed, or there is no memory.
pub(super) fn choose(
    array: &Array,
    mask: &Array,
    usm_kind: UsmKind,
) -> Result<Option<Array>, Error> {
    let Some((over, rest)) = array.shape().split_at_checked(mask.shape().len()) else {
        return Ok(None);
    };
    let size_bytes = array.size() * array.dtype().size_bytes();
    let is_suited = !over.is_empty()
        && over == mask.shape()
        && mask.dtype().is_bool()
        && (1..=MAX_HOLDS).contains(&mask.size())
        && size_bytes <= MAX_BYTES
        && [array, mask]
            .iter()
            .all(|each| each.layout().is_contiguous() && each.allocation().is_host_accessible());
    if !is_suited {
        return Ok(None);
    }
    let mut holds: SmallVec<[u8; 64]> = SmallVec::from_elem(0, mask.size());
    mask.read_bytes(&mut holds)?;
    let count = holds.iter().filter(|holds| **holds != 0).count();
    let shape: Shape = std::iter::once(count).chain(rest.iter().copied()).collect();
    let chosen = Array::empty(&shape, array.dtype(), array.queue(), usm_kind)?;
    if chosen.layout().is_empty() {
        return Ok(Some(chosen));
    }
    let row_bytes = size_bytes / mask.size();
    let call = HostCall {
        name: "indexing",
        queue: array.queue(),
        reads: &[array],
        writes: &[&chosen],
        is_brief: true,
    };
    call.submit(move |mut memory| {
        if let [target] = memory.writes.as_mut_slice() {
            let rows = memory.reads[0];
            match row_bytes {
                1 => copy_elements::<1>(target, rows, &holds),
                2 => copy_elements::<2>(target, rows, &holds),
                4 => copy_elements::<4>(target, rows, &holds),
                8 => copy_elements::<8>(target, rows, &holds),
                16 => copy_elements::<16>(target, rows, &holds),
                _ => copy_rows(target, rows, &holds, row_bytes),
            }
        }
        Ok(())
    })?;
    Ok(Some(chosen))
}

/// Copies rows of so many bytes where a mask holds.
fn copy_rows(target: &mut [u8], rows: &[u8], holds: &[u8], row_bytes: usize) {
    let rows = rows.chunks_exact(row_bytes).zip(holds);
    let rows = rows.filter(|(_, holds)| **holds != 0).map(|(row, _)| row);
    for (to, from) in target.chunks_exact_mut(row_bytes).zip(rows) {
        to.copy_from_slice(from);
    }
}

/// The same of rows that fit a register. Each is copied, and stays if the mask holds: masks have no pattern that
/// branches could follow.
fn copy_elements<const BYTES: usize>(target: &mut [u8], elements: &[u8], holds: &[u8]) {
    let (target, _) = target.as_chunks_mut::<BYTES>();
    let (elements, _) = elements.as_chunks::<BYTES>();
    let mut place = 0;
    for (element, holds) in elements.iter().zip(holds) {
        let Some(to) = target.get_mut(place) else {
            return;
        };
        *to = *element;
        place += usize::from(*holds != 0);
    }
}

/// Row-major positions of elements that are not zero, in a new array; `None` if they are better found elsewhere.
///
/// # Errors
/// As [`choose`].
pub(super) fn positions(array: &Array) -> Result<Option<Array>, Error> {
    let is_suited =
        (1..=MAX_HOLDS).contains(&array.size()) && array.allocation().is_host_accessible();
    if !is_suited {
        return Ok(None);
    }
    let is_mask = array.dtype().is_bool() && array.layout().is_contiguous();
    let converted = (!is_mask).then(|| astype(array, DType::Bool)).transpose()?;
    let mut holds: SmallVec<[u8; 64]> = SmallVec::from_elem(0, array.size());
    converted.as_ref().unwrap_or(array).read_bytes(&mut holds)?;
    // Every position is written, and stays if its element holds: masks have no pattern that branches could follow.
    let mut places = vec![0_i64; array.size()];
    let mut count = 0;
    for (place, holds) in (0_i64..).zip(&holds) {
        places[count] = place;
        count += usize::from(*holds != 0);
    }
    let found = Array::empty(&[count], DType::I64, array.queue(), array.usm_kind())?;
    found.write_bytes(bytemuck::cast_slice(&places[..count]))?;
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use situ_runtime::Device;

    use super::*;
    use crate::layout::Layout;
    use crate::placement::default_queue;

    fn array(shape: &[usize], dtype: DType, bytes: &[u8]) -> Array {
        let queue = default_queue(&Device::default_device());
        let array = Array::empty(shape, dtype, &queue, UsmKind::Device).unwrap();
        array.write_bytes(bytes).unwrap();
        array
    }

    fn chosen(of: &Array, mask: &Array) -> Option<(Vec<usize>, Vec<u8>)> {
        let chosen = choose(of, mask, UsmKind::Device).unwrap()?;
        let mut bytes = vec![0; chosen.size() * chosen.dtype().size_bytes()];
        chosen.read_bytes(&mut bytes).unwrap();
        Some((chosen.shape().to_vec(), bytes))
    }

    #[test]
    fn rows_that_hold_are_copied_in_order() {
        let x = array(&[3, 2], DType::U8, &[1, 2, 3, 4, 5, 6]);
        let rows = array(&[3], DType::Bool, &[1, 0, 1]);
        assert_eq!(chosen(&x, &rows), Some((vec![2, 2], vec![1, 2, 5, 6])));
        let all = array(&[3, 2], DType::Bool, &[0, 1, 1, 0, 0, 1]);
        assert_eq!(chosen(&x, &all), Some((vec![3], vec![2, 3, 6])));
        let none = array(&[3], DType::Bool, &[0, 0, 0]);
        assert_eq!(chosen(&x, &none), Some((vec![0, 2], vec![])));
    }

    #[test]
    fn elements_of_every_width_are_copied_in_order() {
        let holds = [1, 0, 0, 1, 1, 0];
        let rows = array(&[6], DType::Bool, &holds);
        for dtype in [DType::U8, DType::F16, DType::I32, DType::F64, DType::C128] {
            let width = dtype.size_bytes();
            let bytes: Vec<u8> = (0..6).flat_map(|each| vec![each; width]).collect();
            let expected = [0, 3, 4].into_iter().flat_map(|each| vec![each; width]);
            let found = chosen(&array(&[6], dtype, &bytes), &rows);
            assert_eq!(found, Some((vec![3], expected.collect())));
        }
    }

    #[test]
    fn positions_are_those_of_what_is_not_zero() {
        let found = |of: &Array| {
            let found = positions(of).unwrap()?;
            let mut places = vec![0_i64; found.size()];
            let bytes = bytemuck::cast_slice_mut(&mut places);
            found.read_bytes(bytes).unwrap();
            Some(places)
        };
        let mask = array(&[6], DType::Bool, &[0, 1, 1, 0, 0, 1]);
        assert_eq!(found(&mask), Some(vec![1, 2, 5]));
        assert_eq!(found(&array(&[2], DType::Bool, &[0, 0])), Some(vec![]));
        let numbers = array(&[2, 3], DType::U8, &[7, 0, 0, 255, 0, 1]);
        assert_eq!(found(&numbers), Some(vec![0, 3, 5]));
        let backwards = numbers.with_layout(Layout::from_parts(&[6], &[-1], 5));
        assert_eq!(found(&backwards), Some(vec![0, 2, 5]));
        let long = array(&[5000], DType::Bool, &[1; 5000]);
        assert_eq!(found(&long), None);
    }

    #[test]
    fn what_is_not_such_a_mask_is_left_to_others() {
        let x = array(&[3, 2], DType::U8, &[1, 2, 3, 4, 5, 6]);
        let short = array(&[2], DType::Bool, &[1, 0]);
        assert_eq!(chosen(&x, &short), None);
        let indices = array(&[3], DType::U8, &[1, 0, 1]);
        assert_eq!(chosen(&x, &indices), None);
        let deep = array(&[3, 2, 1], DType::Bool, &[1, 0, 1, 1, 0, 1]);
        assert_eq!(chosen(&x, &deep), None);
    }
}
