//! What is sorted, and how few of it are.

use situ_sort::{Key, WideVectors};

use super::span::Span;

/// A key, and perhaps something that goes along.
///
/// The order (`Ord`) must be by key first, and then by where items were.
pub(in crate::host) trait Item: Copy + Ord + Default + Send + Sync {
    /// What it is sorted by.
    fn key(self) -> u64;

    /// The item with this key, if items are keys and nothing else.
    fn of_key(key: u64) -> Option<Self>;

    /// Up to how many items [`Item::sort_few`] is quicker than dealing them out.
    #[inline]
    fn few() -> usize {
        COMPARED
    }

    /// Sorts up to [`Item::few`] items, whose keys are in a span if one is named.
    #[inline]
    fn sort_few(items: &mut [Self], _span: Option<Span>) {
        items.sort_unstable();
    }
}

/// Up to this many items are compared with each other.
const COMPARED: usize = 32;

/// How many items with something that goes along are sorted by a network at most.
const PACKED: usize = 128;

/// How many bits the number of such an item has.
const PACKED_BITS: u32 = PACKED.ilog2();

macro_rules! narrow_keys {
    ($($key:ty)*) => {$(
        impl Item for $key {
            #[inline]
            fn key(self) -> u64 {
                self.into()
            }

            #[inline]
            fn of_key(key: u64) -> Option<Self> {
                Some(key as Self)
            }
        }
    )*};
}

narrow_keys! { u8 u16 }

macro_rules! keys {
    ($($key:ty)*) => {$(
        impl Item for $key {
            #[inline]
            fn key(self) -> u64 {
                self as u64
            }

            #[inline]
            fn of_key(key: u64) -> Option<Self> {
                Some(key as Self)
            }

            #[inline]
            fn few() -> usize {
                WideVectors::detect().map_or(COMPARED, Self::most)
            }

            #[inline]
            fn sort_few(items: &mut [Self], _span: Option<Span>) {
                match WideVectors::detect() {
                    Some(vectors) => Self::sort(items, vectors),
                    None => items.sort_unstable(),
                }
            }
        }
    )*};
}

keys! { u32 u64 }

macro_rules! keys_with_positions {
    ($($part:ty)*) => {$(
        /// A key and a position.
        impl Item for [$part; 2] {
            #[inline]
            fn key(self) -> u64 {
                self[0] as u64
            }

            #[inline]
            fn of_key(_key: u64) -> Option<Self> {
                None
            }

            #[inline]
            fn few() -> usize {
                WideVectors::detect().map_or(COMPARED, |vectors| u64::most(vectors).min(PACKED))
            }

            #[inline]
            fn sort_few(items: &mut [Self], span: Option<Span>) {
                let span = span.unwrap_or_else(|| Span::of(items));
                match WideVectors::detect() {
                    Some(vectors) if span.bits() + PACKED_BITS <= u64::BITS => {
                        sort_packed(items, span, vectors);
                    }
                    _ => items.sort_unstable(),
                }
            }
        }
    )*};
}

keys_with_positions! { u32 u64 }

/// Sorts up to [`PACKED`] items by a network of 64-bit keys, in memory for about as many.
fn sort_packed<T: Item>(items: &mut [T], span: Span, vectors: WideVectors) {
    match items.len() {
        0..=16 => sort_packed_in::<T, 16>(items, span, vectors),
        17..=32 => sort_packed_in::<T, 32>(items, span, vectors),
        33..=64 => sort_packed_in::<T, 64>(items, span, vectors),
        _ => sort_packed_in::<T, PACKED>(items, span, vectors),
    }
}

/// Sorts up to `ROOM` items, a power of two. A 64-bit key has the bits in which keys differ, and behind them the number of the item,
/// so that equal keys stay in order.
fn sort_packed_in<T: Item, const ROOM: usize>(items: &mut [T], span: Span, vectors: WideVectors) {
    let mut unsorted = [T::default(); ROOM];
    let mut packed = [0_u64; ROOM];
    let unsorted = &mut unsorted[..items.len()];
    let packed = &mut packed[..items.len()];
    unsorted.copy_from_slice(items);
    vectors.run(
        #[inline(always)]
        || {
            for (number, (packed, item)) in packed.iter_mut().zip(&*unsorted).enumerate() {
                *packed = span.above_smallest(item.key()) << PACKED_BITS | number as u64;
            }
        },
    );
    u64::sort(packed, vectors);
    for (item, packed) in items.iter_mut().zip(packed) {
        *item = unsorted[*packed as usize % ROOM];
    }
}
