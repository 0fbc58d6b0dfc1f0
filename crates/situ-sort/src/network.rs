//! Sorting networks: up to [`ROWS`] vectors of keys in registers, without a branch.
//!
//! The keys are a table with a vector for each row. First each column is sorted, by exchanges between rows. Then sorted columns
//! are merged, two by two, until all are one; the order goes down one column after the other. So at the end
//! the table is turned: what was a column lies in a row.

#![expect(
    clippy::inline_always,
    reason = "rows stay in registers only where everything is one function"
)]

use crate::vector::Vectors;

/// How many vectors a network sorts at most.
pub(crate) const ROWS: usize = 16;

/// Sorts up to [`ROWS`] vectors of keys.
///
/// # Panics
/// If there are more.
#[target_feature(enable = "avx512f")]
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

#[target_feature(enable = "avx512f")]
fn sort_rows<K, V: Vectors<K>, const R: usize>(
    vectors: V,
    keys: &mut [K],
    sort_columns: impl Fn(V, &mut [V::Vector; R]),
) {
    let mut rows = load(vectors, keys);
    sort_columns(vectors, &mut rows);
    let mut columns = 2;
    while columns <= V::LANES {
        merge_columns(vectors, &mut rows, columns);
        columns *= 2;
    }
    turn(vectors, &mut rows);
    store(vectors, keys, &rows);
}

/// Keys as a table, filled up with the largest key.
#[inline(always)]
fn load<K, V: Vectors<K>, const R: usize>(vectors: V, keys: &[K]) -> [V::Vector; R] {
    let mut rows = [vectors.largest(); R];
    for (row, keys) in rows.iter_mut().zip(keys.chunks(V::LANES)) {
        *row = vectors.load(keys);
    }
    rows
}

#[inline(always)]
fn store<K, V: Vectors<K>, const R: usize>(vectors: V, keys: &mut [K], rows: &[V::Vector; R]) {
    for (row, keys) in rows.iter().zip(keys.chunks_mut(V::LANES)) {
        vectors.store(keys, *row);
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
    let mut distance = columns / 4;
    while distance > 0 {
        let in_second = lanes_with(distance);
        for row in rows.iter_mut() {
            let other = vectors.swap_lanes(distance, *row);
            let [low, high] = vectors.exchange(*row, other);
            *row = vectors.select(in_second, low, high);
        }
        distance /= 2;
    }
    let mut distance = R / 2;
    while distance > 0 {
        for row in 0..R {
            if row & distance == 0 {
                exchange(vectors, rows, [row, row + distance]);
            }
        }
        distance /= 2;
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

/// Turns columns into rows: each step moves a bit of the row's number to the end of the lane's number.
#[inline(always)]
fn turn<K, V: Vectors<K>, const R: usize>(vectors: V, rows: &mut [V::Vector; R]) {
    let mut step = 1;
    while step < R {
        let before = *rows;
        for row in 0..R / 2 {
            [rows[2 * row], rows[2 * row + 1]] =
                vectors.interleave(before[row], before[row + R / 2]);
        }
        step *= 2;
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
