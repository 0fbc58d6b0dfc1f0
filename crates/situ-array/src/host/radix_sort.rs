//! Radix sort of keys in host memory, by all threads of the pool.
//!
//! Items are sorted by unsigned keys, and equal ones stay in their order. They are dealt out by the highest bits in
//! which their keys differ, then each hand by its highest bits, until a hand has so few items that comparing them
//! is quicker. Bits that all keys have in common cost nothing, and what is in order already is left alone.
//!
//! Large hands are dealt by all threads together: where the items of each go is counted first, so that each has
//! its own places to write. Small ones are dealt by one thread each, in its cache.
//!
//! It knows nothing of arrays or dtypes; [`super::sort_keys`] makes keys of elements.

use std::slice::IterMut;

use rayon::prelude::*;

/// What is sorted: a key, and perhaps something that goes along.
///
/// The order (`Ord`) must be by key first, and then by where items were.
pub(super) trait Item: Copy + Ord + Default + Send + Sync {
    /// What it is sorted by.
    fn key(self) -> u64;
}

impl Item for u8 {
    fn key(self) -> u64 {
        self.into()
    }
}

impl Item for u16 {
    fn key(self) -> u64 {
        self.into()
    }
}

impl Item for u32 {
    fn key(self) -> u64 {
        self.into()
    }
}

impl Item for u64 {
    fn key(self) -> u64 {
        self
    }
}

/// A key and a position.
impl Item for [u32; 2] {
    fn key(self) -> u64 {
        self[0].into()
    }
}

/// A key and a position.
impl Item for [u64; 2] {
    fn key(self) -> u64 {
        self[0]
    }
}

/// Up to this many items are compared with each other.
const FEW: usize = 64;

/// From this many items on, threads deal together.
pub(super) const MANY: usize = 1 << 17;

/// How many bits a digit has at most.
const DIGIT_BITS: u32 = 11;

/// How many bits a hand's size has that is left to comparing.
const COMPARED_BITS: u32 = 4;

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
    pub(super) fn sort(
        self,
        encode: impl Fn(usize, S) -> T + Sync,
        finish: impl Fn(&mut [T], &mut [R]) + Sync,
    ) {
        if self.elements.len() < MANY {
            for (position, (item, element)) in self.items.iter_mut().zip(self.elements).enumerate()
            {
                *item = encode(position, *element);
            }
            sort_hand(self.items, self.scratch, Target::InPlace);
            finish(self.items, self.results);
            return;
        }
        let range = KeyRange::of(self.elements, &encode);
        if range.is_sorted {
            let pieces = self
                .items
                .par_chunks_mut(MANY)
                .zip(self.results.par_chunks_mut(MANY));
            let elements = self.elements.par_chunks(MANY).enumerate();
            pieces
                .zip(elements)
                .for_each(|((items, results), (piece, elements))| {
                    for (position, (item, element)) in items.iter_mut().zip(elements).enumerate() {
                        *item = encode(piece * MANY + position, *element);
                    }
                    finish(items, results);
                });
            return;
        }
        let digit = range.digit(self.elements.len());
        let counts = deal_together(self.elements, self.scratch, digit, &encode);
        let mut results = self.results;
        let hands: Vec<_> = Hands::new(self.scratch, self.items, counts.into_iter())
            .map(|(dealt, sorted)| {
                let count = sorted.len();
                let (own, rest) = std::mem::take(&mut results).split_at_mut(count);
                results = rest;
                (dealt, sorted, own)
            })
            .collect();
        hands
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(dealt, sorted, results)| {
                sort_hand(dealt, sorted, Target::Other);
                finish(sorted, results);
            });
    }
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

fn sort_hand<T: Item>(items: &mut [T], other: &mut [T], target: Target) {
    if items.len() <= FEW {
        items.sort_unstable();
        settle(items, other, target);
        return;
    }
    let range = KeyRange::of(items, &|_, item| item);
    if range.is_sorted {
        settle(items, other, target);
        return;
    }
    let digit = range.digit(items.len());
    if items.len() >= MANY {
        let counts = deal_together(items, other, digit, &|_, item| item);
        let hands: Vec<_> = Hands::new(items, other, counts.into_iter()).collect();
        hands
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(rest, hand)| sort_hand(hand, rest, target.opposite()));
    } else {
        let counts = deal(items, other, digit);
        let counts = counts.iter().map(|&count| count as usize);
        for (rest, hand) in Hands::new(items, other, counts.take(digit.values())) {
            sort_hand(hand, rest, target.opposite());
        }
    }
}

/// Brings what is in order to where it belongs.
fn settle<T: Item>(items: &[T], other: &mut [T], target: Target) {
    if target == Target::Other {
        other.copy_from_slice(items);
    }
}

/// The hands that were dealt, in both memories; those without items are left out.
struct Hands<'a, T, C> {
    items: &'a mut [T],
    other: &'a mut [T],
    counts: C,
}

impl<'a, T, C: Iterator<Item = usize>> Hands<'a, T, C> {
    fn new(items: &'a mut [T], other: &'a mut [T], counts: C) -> Self {
        Self {
            items,
            other,
            counts,
        }
    }
}

impl<'a, T, C: Iterator<Item = usize>> Iterator for Hands<'a, T, C> {
    type Item = (&'a mut [T], &'a mut [T]);

    fn next(&mut self) -> Option<Self::Item> {
        let count = self.counts.find(|&count| count > 0)?;
        let (item, items) = std::mem::take(&mut self.items).split_at_mut(count);
        let (other, others) = std::mem::take(&mut self.other).split_at_mut(count);
        (self.items, self.other) = (items, others);
        Some((item, other))
    }
}

/// The keys of a hand.
#[derive(Clone, Copy)]
struct KeyRange {
    smallest: u64,
    largest: u64,
    is_sorted: bool,
}

impl KeyRange {
    const NONE: Self = Self {
        smallest: u64::MAX,
        largest: 0,
        is_sorted: true,
    };

    fn of<S, T>(elements: &[S], encode: &(impl Fn(usize, S) -> T + Sync)) -> Self
    where
        S: Copy + Sync,
        T: Item,
    {
        if elements.len() < MANY {
            return Self::of_piece(elements, 0, encode);
        }
        let piece_length = elements.len().div_ceil(rayon::current_num_threads());
        let starts = (0..elements.len()).into_par_iter().step_by(piece_length);
        starts
            .map(|start| {
                // With the first element of the next piece, so that no pair of neighbours is missed.
                let end = (start + piece_length + 1).min(elements.len());
                Self::of_piece(&elements[start..end], start, encode)
            })
            .reduce(|| Self::NONE, Self::with)
    }

    fn of_piece<S, T>(elements: &[S], start: usize, encode: &impl Fn(usize, S) -> T) -> Self
    where
        S: Copy,
        T: Item,
    {
        let mut range = Self::NONE;
        let mut last = 0;
        for (position, element) in elements.iter().enumerate() {
            let key = encode(start + position, *element).key();
            range.smallest = range.smallest.min(key);
            range.largest = range.largest.max(key);
            range.is_sorted &= last <= key;
            last = key;
        }
        range
    }

    fn with(self, other: Self) -> Self {
        Self {
            smallest: self.smallest.min(other.smallest),
            largest: self.largest.max(other.largest),
            is_sorted: self.is_sorted & other.is_sorted,
        }
    }

    /// What to deal so many items by: enough bits for hands of a few.
    fn digit(&self, count: usize) -> Digit {
        let bits = u64::BITS - (self.largest - self.smallest).leading_zeros();
        let wanted = count.ilog2().saturating_sub(COMPARED_BITS);
        Digit {
            smallest: self.smallest,
            largest: self.largest,
            shift: bits.saturating_sub(wanted.clamp(2, DIGIT_BITS)),
        }
    }
}

/// The highest bits in which keys differ.
#[derive(Clone, Copy)]
struct Digit {
    smallest: u64,
    largest: u64,
    shift: u32,
}

impl Digit {
    #[inline]
    fn of<T: Item>(self, item: T) -> usize {
        ((item.key() - self.smallest) >> self.shift) as usize
    }

    /// How many values it has.
    fn values(self) -> usize {
        ((self.largest - self.smallest) >> self.shift) as usize + 1
    }
}

/// Copies fewer than [`MANY`] items to the other memory in the order of a digit, and counts those of each value.
fn deal<T: Item>(items: &[T], other: &mut [T], digit: Digit) -> [u32; 1 << DIGIT_BITS] {
    let mut counts = [0_u32; 1 << DIGIT_BITS];
    for item in items {
        counts[digit.of(*item)] += 1;
    }
    let mut places = [0_u32; 1 << DIGIT_BITS];
    let mut next = 0;
    for (place, count) in places.iter_mut().zip(&counts).take(digit.values()) {
        *place = next;
        next += count;
    }
    for item in items {
        let place = &mut places[digit.of(*item)];
        other[*place as usize] = *item;
        *place += 1;
    }
    counts
}

/// As [`deal`], by all threads, of elements that are not items yet.
fn deal_together<S, T>(
    elements: &[S],
    other: &mut [T],
    digit: Digit,
    encode: &(impl Fn(usize, S) -> T + Sync),
) -> Vec<usize>
where
    S: Copy + Sync,
    T: Item,
{
    let values = digit.values();
    let piece_length = elements.len().div_ceil(rayon::current_num_threads());
    let pieces = || elements.par_chunks(piece_length).enumerate();
    let counts: Vec<Vec<usize>> = pieces()
        .map(|(piece, elements)| {
            let mut counts = vec![0; values];
            for (position, element) in elements.iter().enumerate() {
                let item = encode(piece * piece_length + position, *element);
                counts[digit.of(item)] += 1;
            }
            counts
        })
        .collect();
    let mut places: Vec<Vec<IterMut<'_, T>>> =
        counts.iter().map(|_| Vec::with_capacity(values)).collect();
    let mut rest = other;
    for value in 0..values {
        for (places, counts) in places.iter_mut().zip(&counts) {
            let (place, behind) = rest.split_at_mut(counts[value]);
            places.push(place.iter_mut());
            rest = behind;
        }
    }
    pieces()
        .zip(places)
        .for_each(|((piece, elements), mut places)| {
            for (position, element) in elements.iter().enumerate() {
                let item = encode(piece * piece_length + position, *element);
                if let Some(place) = places[digit.of(item)].next() {
                    *place = item;
                }
            }
        });
    (0..values)
        .map(|value| counts.iter().map(|counts| counts[value]).sum())
        .collect()
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
        let count = 3 * MANY + 17;
        for bits in [1, 5, 17, 40, 64] {
            let keys = noise(count, bits);
            assert!(order(&keys) == expected(&keys), "{bits} bits");
        }
        let sorted: Vec<u64> = (0..count as u64).collect();
        assert!(order(&sorted) == expected(&sorted), "sorted");
        let reversed: Vec<u64> = (0..count as u64).rev().collect();
        assert!(order(&reversed) == expected(&reversed), "reversed");
        let mut outlier = noise(count, 20);
        outlier[5] = u64::MAX;
        assert!(order(&outlier) == expected(&outlier), "one outlier");
        let exponential: Vec<u64> = noise(count, 6).iter().map(|&shift| 1 << shift).collect();
        assert!(
            order(&exponential) == expected(&exponential),
            "powers of two"
        );
    }

    proptest! {
        #[test]
        fn rows_are_sorted(keys in prop::collection::vec(any::<u64>(), 0..2000), bits in 0..64_u32) {
            let keys: Vec<u64> = keys.iter().map(|key| key >> bits).collect();
            prop_assert_eq!(order(&keys), expected(&keys));
        }
    }
}
