//! Panels: a copy of a block of a matrix, in the order in which tiles read it.
//!
//! A panel has as many lines as a tile is high or wide, and what is read in one round lies together. Where a block has
//! fewer lines than whole panels, or is not as deep as whole rounds, there are zeros.

use std::array;

use bytemuck::Pod;
use faer::MatRef;

use super::tile::{Left, ROUND, ROWS, Right};

/// How many rounds there are in such a depth.
pub(super) fn rounds(depth: usize) -> usize {
    depth.div_ceil(ROUND)
}

/// Copies a block of a left matrix to panels, one after the other.
///
/// # Panics
/// If there is not enough room, or the block is not contiguous either way.
pub(super) fn pack_left<T: Pod>(block: MatRef<'_, T>, panels: &mut [Left<T>]) {
    let rounds = rounds(block.ncols());
    if block.col_stride() == 1 {
        for (row, numbers) in block.row_iter().enumerate() {
            let numbers = numbers.try_as_row_major().expect("rows are contiguous");
            let panel = &mut panels[row / ROWS * rounds..][..rounds];
            let (whole, rest) = numbers.as_slice().as_chunks::<ROUND>();
            for (round, numbers) in panel.iter_mut().zip(whole) {
                round[row % ROWS] = *numbers;
            }
            if !rest.is_empty() {
                panel[rounds - 1][row % ROWS] = padded(rest);
            }
        }
    } else {
        for (round, first) in (0..block.ncols()).step_by(ROUND).enumerate() {
            let lines: [&[T]; ROUND] = array::from_fn(|turn| column(block, first + turn));
            let panels = panels.chunks_exact_mut(rounds);
            for (panel, row) in panels.zip((0..block.nrows()).step_by(ROWS)) {
                panel[round] = transposed(lines.map(|line| chunk(line, row)));
            }
        }
        for missing in block.ncols()..rounds * ROUND {
            for panel in panels
                .chunks_exact_mut(rounds)
                .take(block.nrows().div_ceil(ROWS))
            {
                panel[rounds - 1]
                    .iter_mut()
                    .for_each(|row| row[missing % ROUND] = T::zeroed());
            }
        }
    }
}

/// Copies a block of a right matrix to panels, one after the other.
///
/// # Panics
/// If there is not enough room, or the block is not contiguous either way.
pub(super) fn pack_right<T: Pod, const COLUMNS: usize>(
    block: MatRef<'_, T>,
    panels: &mut [Right<T, COLUMNS>],
) {
    let rounds = rounds(block.nrows());
    let used = block.ncols().div_ceil(COLUMNS);
    if block.col_stride() == 1 {
        for (row, numbers) in block.row_iter().enumerate() {
            let numbers = numbers.try_as_row_major().expect("rows are contiguous");
            let (round, turn) = (row / ROUND, row % ROUND);
            let (whole, rest) = numbers.as_slice().as_chunks::<COLUMNS>();
            for (panel, numbers) in panels.chunks_exact_mut(rounds).zip(whole) {
                panel[round][turn] = *numbers;
            }
            if !rest.is_empty() {
                panels[whole.len() * rounds + round][turn] = padded(rest);
            }
        }
    } else {
        for (index, panel) in panels.chunks_exact_mut(rounds).take(used).enumerate() {
            for first in (0..COLUMNS).step_by(ROUND) {
                let lines: [&[T]; ROUND] =
                    array::from_fn(|line| column(block, index * COLUMNS + first + line));
                for (at, round) in panel.iter_mut().enumerate() {
                    let numbers: [[T; ROUND]; ROUND] = lines.map(|line| chunk(line, at * ROUND));
                    for (row, numbers) in round.iter_mut().zip(transposed(numbers)) {
                        row[first..first + ROUND].copy_from_slice(&numbers);
                    }
                }
            }
        }
    }
    for missing in block.nrows()..rounds * ROUND {
        for panel in panels.chunks_exact_mut(rounds).take(used) {
            panel[rounds - 1][missing % ROUND] = [T::zeroed(); COLUMNS];
        }
    }
}

/// A column, or the last one instead of one that is missing: what becomes of it is nobody's.
fn column<T>(block: MatRef<'_, T>, index: usize) -> &[T] {
    let column = block.col(index.min(block.ncols() - 1)).try_as_col_major();
    column.expect("columns are contiguous").as_slice()
}

/// The numbers of a line from an index on, and zeros.
fn chunk<T: Pod, const WIDTH: usize>(line: &[T], index: usize) -> [T; WIDTH] {
    let rest = &line[index..];
    rest.first_chunk().copied().unwrap_or_else(|| padded(rest))
}

/// Columns instead of rows.
fn transposed<T: Pod, const WIDTH: usize, const HEIGHT: usize>(
    rows: [[T; WIDTH]; HEIGHT],
) -> [[T; HEIGHT]; WIDTH] {
    array::from_fn(|column| array::from_fn(|row| rows[row][column]))
}

/// Some numbers, and zeros.
fn padded<T: Pod, const WIDTH: usize>(numbers: &[T]) -> [T; WIDTH] {
    let mut padded = [T::zeroed(); WIDTH];
    padded[..numbers.len()].copy_from_slice(numbers);
    padded
}
