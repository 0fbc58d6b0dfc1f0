//! Sorting networks: up to [`ROWS`] vectors of keys in registers, whose comparisons are no branches.
//!
//! The keys are a table with a vector for each row. First each column is sorted, by exchanges between rows. Then sorted columns
//! are merged, two by two, until all are one; the order goes down one column after the other. So at the end
//! the table is turned: what was a column lies in a row.

#![expect(
    clippy::inline_always,
    reason = "rows stay in registers, and instructions are at hand, only where everything is one function"
)]

use crate::vector::Vectors;

/// How many vectors a network sorts at most.
pub(crate) const ROWS: usize = 16;

/// How many keys a network sorts at most.
#[inline]
pub(crate) const fn most<K, V: Vectors<K>>() -> usize {
    ROWS * V::LANES
}

/// Sorts up to [`ROWS`] vectors of keys.
///
/// # Panics
/// If there are more.
pub(crate) fn sort<K, V: Vectors<K>>(vectors: V, keys: &mut [K]) {
    match keys.len().div_ceil(V::LANES) {
        0 => {}
        1 => sort_rows::<K, V, 1>(vectors, keys, |_, _| {}),
        2 => sort_rows::<K, V, 2>(vectors, keys, sort_columns_2),
        3 | 4 => sort_rows::<K, V, 4>(vectors, keys, sort_columns_4),
        5..=8 => sort_rows::<K, V, 8>(vectors, keys, sort_columns_8),
        9..=ROWS => sort_rows::<K, V, ROWS>(vectors, keys, sort_columns_16),
        _ => panic!("a network has no place for so many keys"),
    }
}

/// Sorts keys of at most so many rows, in a function that is compiled for the vectors.
#[inline]
fn sort_rows<K, V: Vectors<K>, const R: usize>(
    vectors: V,
    keys: &mut [K],
    sort_columns: impl Fn(V, &mut [V::Vector; R]),
) {
    vectors.run(
        #[inline(always)]
        || {
            let mut rows = load(vectors, keys);
            sort_columns(vectors, &mut rows);
            merge_all(vectors, &mut rows);
            turn(vectors, &mut rows);
            store(vectors, keys, &rows);
        },
    );
}

/// Keys as a table, filled up with the largest key.
///
/// Rows without keys are told by a branch: a load that has nothing to read is slow on some processors.
#[inline(always)]
fn load<K, V: Vectors<K>, const R: usize>(vectors: V, keys: &[K]) -> [V::Vector; R] {
    let mut rows = [vectors.largest(); R];
    for (number, row) in rows.iter_mut().enumerate() {
        if let Some(keys @ [_, ..]) = keys.get(number * V::LANES..) {
            *row = vectors.load(keys);
        }
    }
    rows
}

#[inline(always)]
fn store<K, V: Vectors<K>, const R: usize>(vectors: V, keys: &mut [K], rows: &[V::Vector; R]) {
    for (number, row) in rows.iter().enumerate() {
        if let Some(keys @ [_, ..]) = keys.get_mut(number * V::LANES..) {
            vectors.store(keys, *row);
        }
    }
}

/// Brings the smaller keys of two rows to the first of them.
#[inline(always)]
fn exchange<K, V: Vectors<K>, const R: usize>(
    vectors: V,
    rows: &mut [V::Vector; R],
    [first, second]: [usize; 2],
) {
    [rows[first], rows[second]] = vectors.exchange(rows[first], rows[second]);
}

/// Merges all columns, which are sorted.
///
/// Steps are written one by one, here and below: in a loop which the compiler leaves one, lanes are not known when instructions
/// are chosen.
#[inline(always)]
fn merge_all<K, V: Vectors<K>, const R: usize>(vectors: V, rows: &mut [V::Vector; R]) {
    merge_columns(vectors, rows, 2);
    if V::LANES >= 4 {
        merge_columns(vectors, rows, 4);
    }
    if V::LANES >= 8 {
        merge_columns(vectors, rows, 8);
    }
    if V::LANES >= 16 {
        merge_columns(vectors, rows, 16);
    }
}

/// Merges sorted columns, each two halves of so many columns.
#[inline(always)]
fn merge_columns<K, V: Vectors<K>, const R: usize>(
    vectors: V,
    rows: &mut [V::Vector; R],
    columns: usize,
) {
    // The first half with the second one backwards: then all in the first are smaller than all in the second.
    let in_second = lanes_with(columns / 2);
    if R == 1 {
        let other = vectors.swap_lanes(columns - 1, rows[0]);
        let [low, high] = vectors.exchange(rows[0], other);
        rows[0] = vectors.select(in_second, low, high);
    }
    for first in 0..R / 2 {
        let second = R - 1 - first;
        let (row, other) = (rows[first], vectors.swap_lanes(columns - 1, rows[second]));
        let [low, high] = vectors.exchange(row, other);
        rows[first] = vectors.select(in_second, low, high);
        rows[second] = vectors.swap_lanes(columns - 1, vectors.select(in_second, high, low));
    }
    // Each half rises and falls; comparing what is half of it apart leaves halves that do, down to single keys.
    if columns >= 16 {
        exchange_lanes(vectors, rows, 4);
    }
    if columns >= 8 {
        exchange_lanes(vectors, rows, 2);
    }
    if columns >= 4 {
        exchange_lanes(vectors, rows, 1);
    }
    exchange_rows(vectors, rows, 8);
    exchange_rows(vectors, rows, 4);
    exchange_rows(vectors, rows, 2);
    exchange_rows(vectors, rows, 1);
}

/// Brings the smaller key of two lanes so far apart to the first of them.
#[inline(always)]
fn exchange_lanes<K, V: Vectors<K>, const R: usize>(
    vectors: V,
    rows: &mut [V::Vector; R],
    distance: usize,
) {
    for row in rows.iter_mut() {
        let other = vectors.swap_lanes(distance, *row);
        let [low, high] = vectors.exchange(*row, other);
        *row = vectors.select(lanes_with(distance), low, high);
    }
}

/// Brings the smaller keys of two rows so far apart to the first of them.
#[inline(always)]
fn exchange_rows<K, V: Vectors<K>, const R: usize>(
    vectors: V,
    rows: &mut [V::Vector; R],
    distance: usize,
) {
    for row in 0..R.saturating_sub(distance) {
        if row & distance == 0 {
            exchange(vectors, rows, [row, row + distance]);
        }
    }
}

/// The lanes whose number has a bit set.
#[inline(always)]
fn lanes_with(bit: usize) -> u16 {
    match bit {
        1 => 0xaaaa,
        2 => 0xcccc,
        4 => 0xf0f0,
        _ => 0xff00,
    }
}

/// Turns columns into rows.
///
/// A key's number is to be that of its column, with the bits of its row behind. Each step moves the highest bit of a row's number in its
/// block to the end of the lane's number, whose highest bit goes to the end of the row's. A block has as many rows as
/// a vector has lanes, so that after as many steps as there are bits it is turned; rows of all blocks follow by turns.
#[inline(always)]
fn turn<K, V: Vectors<K>, const R: usize>(vectors: V, rows: &mut [V::Vector; R]) {
    let block = R.min(V::LANES);
    let blocks = R / block;
    let mut step = 1;
    while step < block {
        let before = *rows;
        for row in 0..R / 2 {
            let (start, row) = (row / (block / 2) * block, row % (block / 2));
            [rows[start + 2 * row], rows[start + 2 * row + 1]] =
                vectors.interleave(before[start + row], before[start + row + block / 2]);
        }
        step *= 2;
    }
    let before = *rows;
    for row in 0..R {
        rows[row] = before[row % blocks * block + row / blocks];
    }
}

/// Exchanges that sort so many rows.
macro_rules! columns {
    ($($name:ident $rows:literal: $([$first:literal $second:literal])*;)*) => {$(
        #[inline(always)]
        fn $name<K, V: Vectors<K>>(vectors: V, rows: &mut [V::Vector; $rows]) {
            $(exchange(vectors, rows, [$first, $second]);)*
        }
    )*};
}

// Batcher's networks for few rows, and Green's for sixteen.
columns! {
    sort_columns_2 2: [0 1];
    sort_columns_4 4: [0 1] [2 3] [0 2] [1 3] [1 2];
    sort_columns_8 8:
        [0 1] [2 3] [4 5] [6 7] [0 2] [1 3] [4 6] [5 7] [1 2] [5 6]
        [0 4] [1 5] [2 6] [3 7] [2 4] [3 5] [1 2] [3 4] [5 6];
    sort_columns_16 16:
        [0 1] [2 3] [4 5] [6 7] [8 9] [10 11] [12 13] [14 15]
        [0 2] [4 6] [8 10] [12 14] [1 3] [5 7] [9 11] [13 15]
        [0 4] [8 12] [1 5] [9 13] [2 6] [10 14] [3 7] [11 15]
        [0 8] [1 9] [2 10] [3 11] [4 12] [5 13] [6 14] [7 15]
        [5 10] [6 9] [3 12] [13 14] [4 8] [7 11] [1 2]
        [1 4] [7 13] [2 8] [11 14]
        [2 4] [5 6] [9 10] [11 13] [3 8] [7 12]
        [6 8] [10 12] [3 5] [7 9]
        [3 4] [5 6] [7 8] [9 10] [11 12]
        [6 7] [8 9];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Instructions;

    /// Vectors of any number of lanes by plain code, for networks of instructions that the processor may not have.
    #[derive(Clone, Copy)]
    struct Plain<const LANES: usize>;

    impl<const LANES: usize> Instructions for Plain<LANES> {
        fn run<T>(self, work: impl FnOnce() -> T) -> T {
            work()
        }
    }

    impl<const LANES: usize> Vectors<u8> for Plain<LANES> {
        type Vector = [u8; LANES];

        const LANES: usize = LANES;

        fn largest(self) -> [u8; LANES] {
            [u8::MAX; LANES]
        }

        fn load(self, keys: &[u8]) -> [u8; LANES] {
            std::array::from_fn(|lane| keys.get(lane).copied().unwrap_or(u8::MAX))
        }

        fn store(self, keys: &mut [u8], vector: [u8; LANES]) {
            for (key, lane) in keys.iter_mut().zip(vector) {
                *key = lane;
            }
        }

        fn exchange(self, left: [u8; LANES], right: [u8; LANES]) -> [[u8; LANES]; 2] {
            [
                std::array::from_fn(|lane| left[lane].min(right[lane])),
                std::array::from_fn(|lane| left[lane].max(right[lane])),
            ]
        }

        fn select(self, bits: u16, first: [u8; LANES], second: [u8; LANES]) -> [u8; LANES] {
            std::array::from_fn(|lane| [first, second][usize::from(bits >> lane & 1)][lane])
        }

        fn swap_lanes(self, distance: usize, vector: [u8; LANES]) -> [u8; LANES] {
            std::array::from_fn(|lane| vector[lane ^ distance])
        }

        fn interleave(self, first: [u8; LANES], second: [u8; LANES]) -> [[u8; LANES]; 2] {
            let both = |lane: usize| [first, second][lane % 2][lane / 2];
            [
                std::array::from_fn(both),
                std::array::from_fn(|lane| both(LANES + lane)),
            ]
        }
    }

    fn check<const LANES: usize>() {
        let vectors = Plain::<LANES>;
        for count in 0..=most::<u8, Plain<LANES>>() {
            for step in [1, 37, 101, 173, 211] {
                let mut keys: Vec<u8> = (0..count).map(|i| (i * step % 251) as u8).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                sort(vectors, &mut keys);
                assert_eq!(keys, expected, "{LANES} lanes");
            }
        }
    }

    #[test]
    fn vectors_of_any_width_are_sorted() {
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
    }
}
