//! Radix sort of keys in host memory, by all threads of the pool.
//!
//! Items are sorted by unsigned keys, and equal ones stay in their order. They are dealt out by the highest bits in
//! which their keys differ, then each hand by its highest bits, until a hand has so few items that a sorting network
//! (or comparing them, where the processor has none) is quicker. Bits that all keys have in common cost nothing, what is in order
//! already is left alone, and where items are keys with few values they are only counted.
//!
//! Long rows are dealt by all threads together: where the items of each go is counted first, so that each has
//! its own places to write. Hands are dealt by one thread each, in its cache.
//!
//! It knows nothing of arrays or dtypes; [`super::sort_keys`] makes keys of elements.

mod deal;
mod item;
mod span;

use std::ops::Range;

use situ_host::parallel::{for_each_large_part, for_each_part};
use situ_sort::WideVectors;

use self::deal::{count, count_together, deal, deal_together, total};
pub(super) use self::item::Item;
use self::span::{Digit, Order, Span};

/// From this many items on, threads work together.
pub(super) const MANY: usize = 1 << 15;

/// From this many items on, threads work together at a hand.
const HUGE: usize = 1 << 18;

/// How many items go to a thread at a time.
const SHARE: usize = 1 << 13;

/// Keys of so many bits are counted by all threads if they are all there is.
const COUNTED_BITS: u32 = 16;

/// Runs something that is compiled for wide vectors, where the processor has them.
#[inline]
pub(super) fn for_wide_vectors<T>(work: impl FnOnce() -> T) -> T {
    match WideVectors::detect() {
        Some(vectors) => vectors.run(work),
        None => work(),
    }
}

/// A row to sort: elements that are not items yet, and memory for the items.
pub(super) struct Row<'a, S, T, R> {
    /// The elements.
    pub(super) elements: &'a [S],
    /// Memory for as many items, where they are sorted.
    pub(super) items: &'a mut [T],
    /// Memory for as many items on their way.
    pub(super) scratch: &'a mut [T],
    /// As many results, which are made of the sorted items.
    pub(super) results: &'a mut [R],
}

impl<S, T, R> Row<'_, S, T, R>
where
    S: Copy + Sync,
    T: Item,
    R: Send,
{
    /// Makes an item of each element and its position, sorts them, and makes results while they are still in the cache.
    #[inline]
    pub(super) fn sort(
        self,
        encode: impl Fn(usize, S) -> T + Sync,
        finish: impl Fn(&mut [T], &mut [R]) + Sync,
    ) {
        if self.elements.len() < MANY {
            self.sort_alone(encode, finish);
        } else {
            self.sort_together(encode, finish);
        }
    }

    #[inline]
    fn sort_alone(self, encode: impl Fn(usize, S) -> T, finish: impl Fn(&mut [T], &mut [R])) {
        let Self {
            elements,
            items,
            scratch,
            results,
        } = self;
        if elements.len() <= T::few() {
            fill(items, elements, 0, encode);
            T::sort_few(items, None);
        } else {
            fill(scratch, elements, 0, encode);
            let order = Order::of(scratch, &|_, item| item);
            if order.is_sorted {
                items.copy_from_slice(scratch);
            } else {
                sort_hand(scratch, items, Target::Other, order.span);
            }
        }
        for_wide_vectors(
            #[inline(always)]
            || finish(items, results),
        );
    }

    fn sort_together(
        self,
        encode: impl Fn(usize, S) -> T + Sync,
        finish: impl Fn(&mut [T], &mut [R]) + Sync,
    ) {
        let Self {
            elements,
            items,
            results,
            ..
        } = self;
        let order = Order::of(elements, &encode);
        if order.is_sorted {
            let pieces = items.chunks_mut(MANY).zip(results.chunks_mut(MANY));
            let pieces = pieces.zip(elements.chunks(MANY).enumerate());
            for_each_part(pieces, |((items, results), (piece, elements))| {
                fill(items, elements, piece * MANY, &encode);
                finish(items, results);
            });
            return;
        }
        let is_counted = order.span.bits() <= COUNTED_BITS && T::of_key(0).is_some();
        let digit = if is_counted {
            order.span.digit_of(COUNTED_BITS)
        } else {
            order.span.digit(elements.len(), T::few())
        };
        let counts = count_together(elements, digit, &encode);
        if !is_counted {
            deal_together(elements, items, digit, &counts, &encode);
        }
        let hands = Hands { items, results };
        hands.sort(digit, &total(&counts), is_counted, &finish);
    }
}

/// Makes items of elements, the first of which has a position.
#[inline]
fn fill<S: Copy, T>(items: &mut [T], elements: &[S], start: usize, encode: impl Fn(usize, S) -> T) {
    for_wide_vectors(
        #[inline(always)]
        || {
            for (position, (item, element)) in items.iter_mut().zip(elements).enumerate() {
                *item = encode(start + position, *element);
            }
        },
    );
}

/// Hands that were dealt out, one after the other.
struct Hands<'a, T, R> {
    items: &'a mut [T],
    results: &'a mut [R],
}

impl<T: Item, R: Send> Hands<'_, T, R> {
    /// Sorts the hands by all threads, some [`SHARE`] items at a time. Each share has its own scratch memory, which
    /// stays in the cache.
    fn sort(
        self,
        digit: Digit,
        counts: &[usize],
        is_counted: bool,
        finish: &(impl Fn(&mut [T], &mut [R]) + Sync),
    ) {
        let total = self.items.len();
        for_each_large_part(self.shares(counts), |(values, share)| {
            let mut scratch = Vec::new();
            let mut rest = &mut *share.items;
            for value in values {
                let hand = split_off(&mut rest, counts[value]);
                if is_counted {
                    repeat(hand, digit.span_of(value));
                    continue;
                }
                if hand.len() > scratch.len() {
                    scratch.resize(hand.len(), T::default());
                }
                let span = span_of_hand(hand, digit.span_of(value), total);
                sort_hand(hand, &mut scratch[..hand.len()], Target::InPlace, span);
            }
            for_wide_vectors(
                #[inline(always)]
                || finish(share.items, share.results),
            );
        });
    }

    /// Parts with neighbouring hands, and the values of the digit that they have.
    fn shares(mut self, counts: &[usize]) -> Vec<(Range<usize>, Self)> {
        let mut shares = Vec::new();
        let mut first = 0;
        let mut items = 0;
        for (value, count) in counts.iter().enumerate() {
            items += count;
            if items >= SHARE || value + 1 == counts.len() {
                let share = Hands {
                    items: split_off(&mut self.items, items),
                    results: split_off(&mut self.results, items),
                };
                shares.push((first..value + 1, share));
                first = value + 1;
                items = 0;
            }
        }
        shares
    }
}

/// Takes the first items of a slice away, which were counted.
#[expect(
    clippy::mut_mut,
    reason = "the slice itself gets shorter, as with `split_off_mut`"
)]
fn split_off<'a, T>(items: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    items.split_off_mut(..count).expect("it was counted")
}

/// Where a sorted hand is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Where it was.
    InPlace,
    /// In the other memory.
    Other,
}

impl Target {
    fn opposite(self) -> Self {
        match self {
            Self::InPlace => Self::Other,
            Self::Other => Self::InPlace,
        }
    }
}

/// Sorts a hand whose keys are in a span.
fn sort_hand<T: Item>(items: &mut [T], other: &mut [T], target: Target, span: Span) {
    if items.len() <= T::few() {
        T::sort_few(items, Some(span));
        settle(items, other, target);
        return;
    }
    if span.bits() == 0 {
        settle(items, other, target);
        return;
    }
    let digit = span.digit(items.len(), T::few());
    if items.len() >= HUGE {
        let encode = |_, item| item;
        let counts = count_together(items, digit, &encode);
        deal_together(items, other, digit, &counts, &encode);
        let hands = Hands {
            items: &mut *other,
            results: &mut vec![(); items.len()],
        };
        hands.sort(digit, &total(&counts), false, &|_, _| {});
        settle(other, items, target.opposite());
        return;
    }
    let counts = count(items, digit);
    let counted = || {
        counts[..digit.values()]
            .iter()
            .map(|&count| count as usize)
            .enumerate()
    };
    if digit.is_whole() && T::of_key(0).is_some() {
        let mut sorted = match target {
            Target::InPlace => items,
            Target::Other => other,
        };
        for (value, count) in counted() {
            repeat(split_off(&mut sorted, count), digit.span_of(value));
        }
        return;
    }
    let total = items.len();
    deal(items, other, digit, &counts);
    let (mut items, mut other) = (items, other);
    for (value, count) in counted() {
        let rest = split_off(&mut items, count);
        let hand = split_off(&mut other, count);
        if count > 0 {
            let span = span_of_hand(hand, digit.span_of(value), total);
            sort_hand(hand, rest, target.opposite(), span);
        }
    }
}

/// The span of a hand, of so many items in all.
///
/// The digit tells; but where it did not tell most items apart, it is worth to look at what does.
fn span_of_hand<T: Item>(hand: &[T], told: Span, total: usize) -> Span {
    if hand.len() > total / 2 && hand.len() > T::few() {
        Order::of(hand, &|_, item| item).span
    } else {
        told
    }
}

/// Writes the smallest key of a span everywhere.
fn repeat<T: Item>(items: &mut [T], span: Span) {
    items.fill(T::of_key(span.smallest()).expect("items are keys"));
}

/// Brings what is in order to where it belongs.
fn settle<T: Item>(items: &[T], other: &mut [T], target: Target) {
    if target == Target::Other {
        other.copy_from_slice(items);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sorts and finds the order.
    fn order(keys: &[u64]) -> Vec<usize> {
        let mut items = vec![[0_u64; 2]; keys.len()];
        let mut scratch = items.clone();
        let mut results = vec![0; keys.len()];
        let row = Row {
            elements: keys,
            items: &mut items,
            scratch: &mut scratch,
            results: &mut results,
        };
        row.sort(
            |position, key| [key, position as u64],
            |items, results| {
                for (item, result) in items.iter().zip(results) {
                    *result = item[1] as usize;
                }
            },
        );
        results
    }

    /// Sorts keys alone.
    fn sorted<K: Item>(keys: &[K]) -> Vec<K> {
        let mut items = keys.to_vec();
        let mut scratch = items.clone();
        let row = Row {
            elements: keys,
            items: &mut items,
            scratch: &mut scratch,
            results: &mut vec![(); keys.len()],
        };
        row.sort(|_, key| key, |_, _| {});
        items
    }

    /// Asserts that keys are sorted, alone and with positions.
    fn check(keys: &[u64], about: &str) {
        assert!(order(keys) == expected(keys), "positions: {about}");
        let mut by_standard = keys.to_vec();
        by_standard.sort_unstable();
        assert!(sorted(keys) == by_standard, "64 bits: {about}");
        let narrow: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
        let mut by_standard = narrow.clone();
        by_standard.sort_unstable();
        assert!(sorted(&narrow) == by_standard, "32 bits: {about}");
        let narrow: Vec<u16> = keys.iter().map(|&key| key as u16).collect();
        let mut by_standard = narrow.clone();
        by_standard.sort_unstable();
        assert!(sorted(&narrow) == by_standard, "16 bits: {about}");
    }

    fn expected(keys: &[u64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|&position| keys[position]);
        order
    }

    /// Numbers that look random, of so many bits.
    fn noise(count: usize, bits: u32) -> Vec<u64> {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> (u64::BITS - bits)
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn long_rows_are_sorted_by_all_threads() {
        for count in [MANY - 1, MANY, 3 * MANY + 17, HUGE + 5] {
            for bits in [1, 5, 12, 17, 40, 64] {
                check(&noise(count, bits), &format!("{count} of {bits} bits"));
            }
        }
        let count = 3 * MANY + 17;
        let ascending: Vec<u64> = (0..count as u64).collect();
        check(&ascending, "sorted");
        let descending: Vec<u64> = (0..count as u64).rev().collect();
        check(&descending, "reversed");
        let exponential: Vec<u64> = noise(count, 6).iter().map(|&shift| 1 << shift).collect();
        check(&exponential, "powers of two");
    }

    /// All but a few are in one hand, which is then looked at again.
    #[test]
    fn far_outliers_do_not_matter() {
        for count in [1000, 3 * MANY + 17, HUGE + 5] {
            for bits in [1, 20, 40] {
                let mut keys = noise(count, bits);
                keys[5] = u64::MAX;
                keys[7] = 1 << 63;
                check(&keys, &format!("{count} of {bits} bits with outliers"));
            }
        }
    }

    proptest! {
        #[test]
        fn rows_are_sorted(keys in prop::collection::vec(any::<u64>(), 0..2000), bits in 0..64_u32) {
            let keys: Vec<u64> = keys.iter().map(|key| key >> bits).collect();
            check(&keys, "some");
        }
    }
}
