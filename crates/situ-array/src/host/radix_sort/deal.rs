//! Dealing items out by a digit, and counting them.

use std::slice::IterMut;

use situ_host::parallel::for_each_part;

use super::item::Item;
use super::span::{DIGIT_BITS, Digit};

/// How many items of each value of a digit there are.
pub(super) type Counts = [u32; 1 << DIGIT_BITS];

/// Counts fewer than 2^32 items of each value.
pub(super) fn count<T: Item>(items: &[T], digit: Digit) -> Counts {
    let mut counts = [0; 1 << DIGIT_BITS];
    for item in items {
        counts[digit.of(item.key())] += 1;
    }
    counts
}

/// Copies items to the other memory in the order of a digit, of which there are so many.
pub(super) fn deal<T: Item>(items: &[T], other: &mut [T], digit: Digit, counts: &Counts) {
    let mut places = [0_u32; 1 << DIGIT_BITS];
    let mut next = 0;
    for (place, count) in places.iter_mut().zip(counts).take(digit.values()) {
        *place = next;
        next += count;
    }
    for item in items {
        let place = &mut places[digit.of(item.key())];
        other[*place as usize] = *item;
        *place += 1;
    }
}

/// The pieces that threads look at, each with the position of its first element.
fn pieces<S>(elements: &[S]) -> impl ExactSizeIterator<Item = (usize, &[S])> {
    let length = elements.len().div_ceil(rayon::current_num_threads());
    let pieces = elements.chunks(length).enumerate();
    pieces.map(move |(piece, elements)| (piece * length, elements))
}

/// Counts the elements of each value by all threads, for each piece.
pub(super) fn count_together<S, T>(
    elements: &[S],
    digit: Digit,
    encode: &(impl Fn(usize, S) -> T + Sync),
) -> Vec<Vec<usize>>
where
    S: Copy + Sync,
    T: Item,
{
    let pieces = pieces(elements);
    let mut counts = vec![Vec::new(); pieces.len()];
    for_each_part(
        counts.iter_mut().zip(pieces),
        |(counts, (start, elements))| {
            // Made by the thread that counts, so that no two threads write to the same line of the cache.
            let mut found = vec![0; digit.values()];
            for (position, element) in elements.iter().enumerate() {
                found[digit.of(encode(start + position, *element).key())] += 1;
            }
            *counts = found;
        },
    );
    counts
}

/// As [`deal`], by all threads, of elements that are not items yet. Each thread has its own places, so none waits for another.
pub(super) fn deal_together<S, T>(
    elements: &[S],
    other: &mut [T],
    digit: Digit,
    counts: &[Vec<usize>],
    encode: &(impl Fn(usize, S) -> T + Sync),
) where
    S: Copy + Sync,
    T: Item,
{
    let values = digit.values();
    let mut places: Vec<Vec<IterMut<'_, T>>> =
        counts.iter().map(|_| Vec::with_capacity(values)).collect();
    let mut rest = other;
    for value in 0..values {
        for (places, counts) in places.iter_mut().zip(counts) {
            let (place, behind) = rest.split_at_mut(counts[value]);
            places.push(place.iter_mut());
            rest = behind;
        }
    }
    for_each_part(
        pieces(elements).zip(places),
        |((start, elements), mut places)| {
            for (position, element) in elements.iter().enumerate() {
                let item = encode(start + position, *element);
                if let Some(place) = places[digit.of(item.key())].next() {
                    *place = item;
                }
            }
        },
    );
}

/// The sum over all pieces.
pub(super) fn total(counts: &[Vec<usize>]) -> Vec<usize> {
    let values = counts.first().map_or(0, Vec::len);
    (0..values)
        .map(|value| counts.iter().map(|counts| counts[value]).sum())
        .collect()
}
