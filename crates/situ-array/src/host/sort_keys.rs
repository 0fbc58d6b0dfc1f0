//! Sorting rows of elements in host memory: keys whose unsigned order is the order of elements.
//!
//! The order is that of [`kernels::order`](crate::kernels::order). Integers become keys by their sign bit, floats by
//! inverting what is negative; NaN gets the largest key. Zeros of either sign share a key, and so do all NaNs: where a
//! row has such elements, their bits are copied again from where they were, in their order. Complex numbers are sorted
//! by their positions only.

use std::ops::{BitAnd, BitXor, Not};
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;
use rayon::slice::ParallelSliceMut;
use situ_host::parallel::{for_each_large_part, for_each_part};
use situ_ir::DType;

use super::pool;
use super::radix_sort::{Item, MANY, Row, for_wide_vectors};
use crate::kernels::order::Direction;

/// How many elements go to a thread at a time where rows are short.
const SHARE: usize = 1 << 14;

/// The rows of one sort.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortedRows {
    /// The elements' dtype.
    pub(crate) dtype: DType,
    /// Which way they go.
    pub(crate) direction: Direction,
    /// How long a row is.
    pub(crate) length: usize,
}

/// Bits of an element, as an unsigned number.
trait Bits: Pod + Item + BitXor<Output = Self> + BitAnd<Output = Self> + Not<Output = Self> {
    /// No bit.
    const ZERO: Self;
    /// The sign bit.
    const SIGN: Self;
    /// The bits of an infinity, without its sign.
    const INFINITY: Self;
    /// All bits.
    const ALL: Self;
    /// Two keys below the largest one that no float has.
    const AFTER_NUMBERS: [Self; 2];

    /// All bits if the sign bit is set, else none.
    fn spread_sign(self) -> Self;
    /// The bits of a float without its sign, one place higher.
    fn without_sign(self) -> Self;
}

macro_rules! bits {
    ($($unsigned:ty, $infinity:expr;)*) => {$(
        impl Bits for $unsigned {
            const ZERO: Self = 0;
            const SIGN: Self = 1 << (Self::BITS - 1);
            const INFINITY: Self = $infinity;
            const ALL: Self = Self::MAX;
            const AFTER_NUMBERS: [Self; 2] = [Self::MAX - 2, Self::MAX - 1];

            #[inline]
            fn spread_sign(self) -> Self {
                (self >> (Self::BITS - 1)).wrapping_neg()
            }

            #[inline]
            fn without_sign(self) -> Self {
                self << 1
            }
        }
    )*};
}

bits! {
    // There are no floats of one byte.
    u8, u8::MAX;
    u16, 0x7c00;
    u32, 0x7f80_0000;
    u64, 0x7ff0_0000_0000_0000;
}

/// Keys of elements, and elements of keys; the same few instructions for every dtype and direction.
#[derive(Clone, Copy)]
struct Codec<U> {
    /// What is inverted where the sign bit is set.
    fold: U,
    /// What is inverted in all elements.
    flip: U,
    /// NaNs are above this, without their sign.
    above: U,
    /// The key of what only has its sign bit: the smallest integer, or negative zero, which shares it with zero.
    sign_key: U,
}

impl<U: Bits> Codec<U> {
    fn new(dtype: DType, direction: Direction) -> Self {
        let is_float = dtype.is_float() || dtype.is_complex();
        let reversed = match direction {
            Direction::Ascending => U::ZERO,
            Direction::Descending => U::ALL,
        };
        if is_float {
            return Self {
                fold: !U::SIGN,
                flip: U::SIGN ^ reversed,
                above: U::INFINITY.without_sign(),
                sign_key: U::SIGN ^ reversed,
            };
        }
        let flip = if dtype.is_signed() { U::SIGN } else { U::ZERO } ^ reversed;
        Self {
            fold: U::ZERO,
            flip,
            above: U::ALL,
            sign_key: U::SIGN ^ flip,
        }
    }

    #[inline]
    fn key(self, element: U) -> U {
        let key = element ^ (element.spread_sign() & self.fold) ^ self.flip;
        let key = if element == U::SIGN {
            self.sign_key
        } else {
            key
        };
        if self.is_nan(element) { U::ALL } else { key }
    }

    #[inline]
    fn is_nan(self, element: U) -> bool {
        element.without_sign() > self.above
    }

    #[inline]
    fn element(self, key: U) -> U {
        let folded = key ^ self.flip;
        folded ^ (folded.spread_sign() & self.fold)
    }

    /// Sorts rows of few elements. Keys are made of all of them at once, by vector instructions.
    fn sort_short_rows(self, elements: &[U], sorted: &mut [U], length: usize) {
        let is_any_shared = for_wide_vectors(
            #[inline(always)]
            || {
                let mut is_any_shared = false;
                for (item, &element) in sorted.iter_mut().zip(elements) {
                    *item = self.key(element);
                    is_any_shared |= self.is_nan(element);
                    is_any_shared |= element == U::SIGN;
                }
                is_any_shared
            },
        );
        for row in sorted.chunks_exact_mut(length) {
            U::sort_few(row, None);
        }
        for_wide_vectors(
            #[inline(always)]
            || {
                for item in sorted.iter_mut() {
                    *item = self.element(*item);
                }
            },
        );
        if is_any_shared {
            let rows = elements.chunks_exact(length);
            for (elements, sorted) in rows.zip(sorted.chunks_exact_mut(length)) {
                self.restore(elements, sorted);
            }
        }
    }

    /// Gives elements whose keys are shared their own bits again.
    ///
    /// All NaNs are at the end, whatever their bits, and zeros are where a search finds them.
    fn restore(self, elements: &[U], sorted: &mut [U]) {
        let is_float = self.fold != U::ZERO;
        if !is_float {
            return;
        }
        let has_nans = sorted.last().is_some_and(|&last| self.is_nan(last));
        if has_nans {
            self.restore_key(U::ALL, elements, sorted);
        }
        let at = sorted.partition_point(|&element| self.key(element) < self.sign_key);
        let has_zeros = sorted
            .get(at)
            .is_some_and(|&element| self.key(element) == self.sign_key);
        if has_zeros && is_any(elements, |element| element == U::SIGN) {
            self.restore_key(self.sign_key, elements, sorted);
        }
    }

    fn restore_key(self, shared: U, elements: &[U], sorted: &mut [U]) {
        let start = sorted.partition_point(|&element| self.key(element) < shared);
        let originals = elements
            .iter()
            .filter(|&&element| self.key(element) == shared);
        for (place, original) in sorted[start..].iter_mut().zip(originals) {
            *place = *original;
        }
    }
}

fn is_any<U: Bits>(elements: &[U], holds: impl Fn(U) -> bool + Sync) -> bool {
    if elements.len() < MANY {
        // Without an early exit, so that it is made of vector instructions.
        return elements
            .iter()
            .fold(false, |any, &element| any | holds(element));
    }
    let is_found = AtomicBool::new(false);
    for_each_part(elements.chunks(SHARE), |piece| {
        if !is_found.load(Ordering::Relaxed) && piece.iter().any(|&element| holds(element)) {
            is_found.store(true, Ordering::Relaxed);
        }
    });
    is_found.into_inner()
}

impl SortedRows {
    fn codec<U: Bits>(self) -> Codec<U> {
        Codec::new(self.dtype, self.direction)
    }

    /// The key of an element of one byte. Bools that are true are equal, whatever their byte.
    #[inline]
    fn byte_key(self, element: u8) -> u8 {
        let is_true = self.dtype.is_bool() && element != 0;
        self.codec().key(if is_true { 1 } else { element })
    }

    /// Sorts rows of real elements; `sorted` and `scratch` have room for as many.
    ///
    /// # Panics
    /// If they have not, or elements are complex.
    pub(crate) fn sort(self, elements: &[u8], sorted: &mut [u8], scratch: &mut [u8]) {
        match self.dtype.size_bytes() {
            1 => self.sort_bits::<u8>(elements, sorted, scratch),
            2 => self.sort_bits::<u16>(elements, sorted, scratch),
            4 => self.sort_bits::<u32>(elements, sorted, scratch),
            8 if !self.dtype.is_complex() => self.sort_bits::<u64>(elements, sorted, scratch),
            _ => panic!("complex numbers are sorted by their positions"),
        }
    }

    fn sort_bits<U: Bits>(self, elements: &[u8], sorted: &mut [u8], scratch: &mut [u8]) {
        let elements: &[U] = bytemuck::cast_slice(elements);
        let sorted: &mut [U] = bytemuck::cast_slice_mut(sorted);
        let scratch: &mut [U] = bytemuck::cast_slice_mut(scratch);
        let codec = self.codec();
        let sort_row = |elements: &[U], sorted: &mut [U], scratch: &mut [U]| {
            let row = Row {
                elements,
                items: &mut *sorted,
                scratch,
                results: &mut vec![(); elements.len()],
            };
            row.sort(
                #[inline(always)]
                |_, element| codec.key(element),
                #[inline(always)]
                |items, _| {
                    for item in items {
                        *item = codec.element(*item);
                    }
                },
            );
            codec.restore(elements, sorted);
        };
        let length = self.length;
        let sort_rows = |elements: &[U], sorted: &mut [U], scratch: &mut [U]| {
            if length <= U::few() {
                codec.sort_short_rows(elements, sorted, length);
                return;
            }
            let rows = elements
                .chunks_exact(length)
                .zip(sorted.chunks_exact_mut(length));
            for ((elements, sorted), scratch) in rows.zip(scratch.chunks_exact_mut(length)) {
                sort_row(elements, sorted, scratch);
            }
        };
        if elements.len() <= SHARE {
            sort_rows(elements, sorted, scratch);
            return;
        }
        let share = self.share();
        pool::threads().install(|| {
            let memory = sorted.chunks_mut(share).zip(scratch.chunks_mut(share));
            for_each_large_part(
                elements.chunks(share).zip(memory),
                |(elements, (sorted, scratch))| sort_rows(elements, sorted, scratch),
            );
        });
    }

    /// How many elements go to a thread at a time: whole rows.
    fn share(self) -> usize {
        SHARE.div_ceil(self.length) * self.length
    }

    /// How many bytes finding positions takes for an element, twice.
    pub(crate) fn entry_bytes(self) -> usize {
        match self.dtype {
            DType::C128 => size_of::<[u64; 3]>(),
            _ if self.has_short_entries() => size_of::<[u32; 2]>(),
            _ => size_of::<[u64; 2]>(),
        }
    }

    /// Whether key and position fit into 32 bits each.
    fn has_short_entries(self) -> bool {
        self.dtype.size_bytes() <= 4 && u32::try_from(self.length).is_ok()
    }

    /// Finds for each place in sorted rows the position of the element that belongs there.
    ///
    /// # Panics
    /// If there is not room for as many positions and entries.
    pub(crate) fn find_positions(self, memory: &mut PositionMemory<'_>) {
        let is_short = self.has_short_entries();
        let short = |position: usize, key: u32| [key, position as u32];
        let long = |position: usize, key: u64| [key, position as u64];
        match self.dtype.size_bytes() {
            _ if self.dtype == DType::C64 => self.positions_of(memory, |position, element| {
                let parts = self.codec();
                let [real, imaginary] = complex_key::<u32>(element, parts);
                long(
                    position,
                    u64::from(real) << u32::BITS | u64::from(imaginary),
                )
            }),
            _ if self.dtype == DType::C128 => self.wide_positions(memory),
            1 if is_short => self.positions_of(memory, |position, element: u8| {
                short(position, self.byte_key(element).into())
            }),
            2 if is_short => self.positions_of(memory, |position, element: u16| {
                short(position, self.codec().key(element).into())
            }),
            4 if is_short => self.positions_of(memory, |position, element: u32| {
                short(position, self.codec().key(element))
            }),
            1 => self.positions_of(memory, |position, element: u8| {
                long(position, self.byte_key(element).into())
            }),
            2 => self.positions_of(memory, |position, element: u16| {
                long(position, self.codec().key(element).into())
            }),
            4 => self.positions_of(memory, |position, element: u32| {
                long(position, self.codec().key(element).into())
            }),
            _ => self.positions_of(memory, |position, element: u64| {
                long(position, self.codec().key(element))
            }),
        }
    }

    fn positions_of<S: Pod + Sync, T: Entry>(
        self,
        memory: &mut PositionMemory<'_>,
        encode: impl Fn(usize, S) -> T + Sync,
    ) {
        let elements: &[S] = bytemuck::cast_slice(memory.elements);
        let positions: &mut [i64] = bytemuck::cast_slice_mut(memory.positions);
        let entries: &mut [T] = bytemuck::cast_slice_mut(memory.entries);
        let scratch: &mut [T] = bytemuck::cast_slice_mut(memory.scratch);
        let length = self.length;
        let sort_row = |elements: &[S], results: &mut [i64], items: &mut [T], scratch: &mut [T]| {
            let row = Row {
                elements,
                items,
                scratch,
                results,
            };
            row.sort(&encode, |items, results| {
                for (item, result) in items.iter().zip(results) {
                    *result = item.position();
                }
            });
        };
        let sort_rows =
            |elements: &[S], positions: &mut [i64], entries: &mut [T], scratch: &mut [T]| {
                let rows = elements
                    .chunks_exact(length)
                    .zip(positions.chunks_exact_mut(length));
                let memory = entries
                    .chunks_exact_mut(length)
                    .zip(scratch.chunks_exact_mut(length));
                for ((elements, positions), (entries, scratch)) in rows.zip(memory) {
                    sort_row(elements, positions, entries, scratch);
                }
            };
        if elements.len() <= SHARE {
            sort_rows(elements, positions, entries, scratch);
            return;
        }
        let share = self.share();
        pool::threads().install(|| {
            let rows = elements.chunks(share).zip(positions.chunks_mut(share));
            let memory = entries.chunks_mut(share).zip(scratch.chunks_mut(share));
            for_each_large_part(
                rows.zip(memory),
                |((elements, positions), (entries, scratch))| {
                    sort_rows(elements, positions, entries, scratch);
                },
            );
        });
    }

    /// Positions of elements whose keys have 128 bits, which are compared.
    fn wide_positions(self, memory: &mut PositionMemory<'_>) {
        let elements: &[[u64; 2]] = bytemuck::cast_slice(memory.elements);
        let positions: &mut [i64] = bytemuck::cast_slice_mut(memory.positions);
        let entries: &mut [[u64; 3]] = bytemuck::cast_slice_mut(memory.entries);
        let length = self.length;
        let sort_row = |elements: &[[u64; 2]], positions: &mut [i64], entries: &mut [[u64; 3]]| {
            for (position, (entry, element)) in entries.iter_mut().zip(elements).enumerate() {
                let [real, imaginary] = complex_key(*element, self.codec());
                *entry = [real, imaginary, position as u64];
            }
            // Positions are part of what is compared, so that equal elements keep their order.
            entries.par_sort_unstable();
            for (position, entry) in positions.iter_mut().zip(entries) {
                *position = entry[2] as i64;
            }
        };
        let share = self.share();
        let rows = elements.chunks(share).zip(positions.chunks_mut(share));
        let parts = rows.zip(entries.chunks_mut(share));
        pool::threads().install(|| {
            for_each_part(parts, |((elements, positions), entries)| {
                let rows = elements
                    .chunks_exact(length)
                    .zip(positions.chunks_exact_mut(length));
                for ((elements, positions), entries) in rows.zip(entries.chunks_exact_mut(length)) {
                    sort_row(elements, positions, entries);
                }
            });
        });
    }
}

/// What finding positions reads, and writes.
#[derive(Debug)]
pub(crate) struct PositionMemory<'a> {
    /// The elements.
    pub(crate) elements: &'a [u8],
    /// A position for each.
    pub(crate) positions: &'a mut [u8],
    /// [`SortedRows::entry_bytes`] for each.
    pub(crate) entries: &'a mut [u8],
    /// As many.
    pub(crate) scratch: &'a mut [u8],
}

/// An item that knows where it was.
trait Entry: Item + Pod {
    /// Where it was.
    fn position(self) -> i64;
}

impl Entry for [u32; 2] {
    fn position(self) -> i64 {
        self[1].into()
    }
}

impl Entry for [u64; 2] {
    fn position(self) -> i64 {
        self[1] as i64
    }
}

/// The keys of both parts of a complex number. Those with a NaN come last: first the ones whose real part is a number.
#[inline]
fn complex_key<U: Bits>([real, imaginary]: [U; 2], codec: Codec<U>) -> [U; 2] {
    let [first, second] = [codec.key(real), codec.key(imaginary)];
    match (codec.is_nan(real), codec.is_nan(imaginary)) {
        (false, false) => [first, second],
        (false, true) => [U::AFTER_NUMBERS[0], first],
        (true, false) => [U::AFTER_NUMBERS[1], second],
        (true, true) => [U::ALL, U::ALL],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOTH: [Direction; 2] = [Direction::Ascending, Direction::Descending];

    fn rows(dtype: DType, direction: Direction, length: usize) -> SortedRows {
        SortedRows {
            dtype,
            direction,
            length,
        }
    }

    fn sorted<T: Pod>(elements: &[T], rows: SortedRows) -> Vec<T> {
        let mut sorted = elements.to_vec();
        let mut scratch = elements.to_vec();
        rows.sort(
            bytemuck::cast_slice(elements),
            bytemuck::cast_slice_mut(&mut sorted),
            bytemuck::cast_slice_mut(&mut scratch),
        );
        sorted
    }

    fn positions<T: Pod>(elements: &[T], rows: SortedRows) -> Vec<i64> {
        let mut positions = vec![0_i64; elements.len()];
        let words = (elements.len() * rows.entry_bytes()).div_ceil(8);
        let (mut entries, mut scratch) = (vec![0_u64; words], vec![0_u64; words]);
        rows.find_positions(&mut PositionMemory {
            elements: bytemuck::cast_slice(elements),
            positions: bytemuck::cast_slice_mut(&mut positions),
            entries: bytemuck::cast_slice_mut(&mut entries),
            scratch: bytemuck::cast_slice_mut(&mut scratch),
        });
        positions
    }

    /// Whether an element comes before another.
    fn is_before(direction: Direction, left: f64, right: f64) -> bool {
        match direction {
            _ if left.is_nan() => false,
            _ if right.is_nan() => true,
            Direction::Ascending => left < right,
            Direction::Descending => left > right,
        }
    }

    /// The order by the definition: insertion, which moves nothing past its equal.
    fn order(elements: &[f64], direction: Direction) -> Vec<i64> {
        let mut order: Vec<i64> = Vec::new();
        for (position, &element) in elements.iter().enumerate() {
            let at = order
                .iter()
                .position(|&other| is_before(direction, element, elements[other as usize]));
            order.insert(at.unwrap_or(order.len()), position as i64);
        }
        order
    }

    fn floats() -> impl Strategy<Value = Vec<f64>> {
        let special = prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ]);
        prop::collection::vec(prop_oneof![any::<f64>(), special], 1..200)
    }

    proptest! {
        #[test]
        fn floats_are_sorted_bit_by_bit(elements in floats()) {
            for direction in BOTH {
                let rows = rows(DType::F64, direction, elements.len());
                let order = order(&elements, direction);
                prop_assert_eq!(&positions(&elements, rows), &order);
                let expected: Vec<u64> = order.iter().map(|&at| elements[at as usize].to_bits()).collect();
                let found: Vec<u64> = sorted(&elements, rows).iter().map(|x| x.to_bits()).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn integers_are_sorted(elements in prop::collection::vec(any::<i16>(), 1..200)) {
            let mut expected = elements.clone();
            expected.sort_unstable();
            prop_assert_eq!(&sorted(&elements, rows(DType::I16, Direction::Ascending, elements.len())), &expected);
            expected.reverse();
            prop_assert_eq!(&sorted(&elements, rows(DType::I16, Direction::Descending, elements.len())), &expected);
        }

        #[test]
        fn complex_numbers_are_sorted_by_parts(reals in floats(), imaginary in floats()) {
            let elements: Vec<[f64; 2]> = reals.iter().zip(&imaginary).map(|(&x, &y)| [x, y]).collect();
            let narrow: Vec<[f32; 2]> = elements.iter().map(|x| x.map(|part| part as f32)).collect();
            for direction in BOTH {
                // By the second part first, then by the first one and by where NaNs are, all of them stable.
                let expected = |elements: &[[f64; 2]]| {
                    let rank = |x: [f64; 2]| f64::from(2 * u8::from(x[0].is_nan()) + u8::from(x[1].is_nan()));
                    let by = |column: Vec<f64>, direction, so_far: Vec<i64>| -> Vec<i64> {
                        let column: Vec<f64> = so_far.iter().map(|&at| column[at as usize]).collect();
                        order(&column, direction).iter().map(|&at| so_far[at as usize]).collect()
                    };
                    let start = (0..elements.len() as i64).collect();
                    let by_second = by(elements.iter().map(|x| x[1]).collect(), direction, start);
                    let by_first = by(elements.iter().map(|x| x[0]).collect(), direction, by_second);
                    by(elements.iter().map(|&x| rank(x)).collect(), Direction::Ascending, by_first)
                };
                let found = positions(&elements, rows(DType::C128, direction, elements.len()));
                prop_assert_eq!(found, expected(&elements));
                let widened: Vec<[f64; 2]> = narrow.iter().map(|x| x.map(f64::from)).collect();
                let found = positions(&narrow, rows(DType::C64, direction, narrow.len()));
                prop_assert_eq!(found, expected(&widened));
            }
        }
    }

    #[test]
    fn rows_are_sorted_on_their_own() {
        let elements: Vec<u8> = (0..60_000_u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        for length in [1, 3, 100, 60_000] {
            let rows = rows(DType::U8, Direction::Ascending, length);
            let found = sorted(&elements, rows);
            let order = positions(&elements, rows);
            for ((row, found), order) in elements
                .chunks(length)
                .zip(found.chunks(length))
                .zip(order.chunks(length))
            {
                let mut expected: Vec<i64> = (0..row.len() as i64).collect();
                expected.sort_by_key(|&at| row[at as usize]);
                assert_eq!(order, expected);
                assert!(
                    found
                        .iter()
                        .eq(expected.iter().map(|&at| &row[at as usize]))
                );
            }
        }
    }
}
