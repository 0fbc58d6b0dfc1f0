//! Sequences of reflections, as reductions to simpler forms leave them behind.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply_reflections,
    upgrade_householder_factor,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, Par};

use super::field::Float;
use super::lanes::{Lanes, WIDTH};
use super::reflection::Reflection;
use super::sharing::{Sharing, column_parts};

/// Reflections of which each begins a row below the one before.
#[derive(Debug)]
pub(super) struct Reflections<T> {
    /// Column by column the vectors: below the diagonal, where they are one.
    vectors: Mat<T>,
    factors: Vec<T>,
}

impl<T: Float> Reflections<T> {
    /// None yet, of so many rows and at most so many of them.
    pub(super) fn new(rows: usize, most: usize) -> Self {
        Self {
            vectors: Mat::zeros(rows, most),
            factors: Vec::with_capacity(most),
        }
    }

    /// Adds a reflection, whose vector begins at `head`.
    pub(super) fn push(&mut self, vector: &[Lanes<T>], head: usize, reflection: Reflection<T>) {
        let column = self.factors.len();
        self.factors.push(reflection.factor);
        let numbers = vector[head / WIDTH..].iter().flat_map(|lanes| lanes.0);
        let numbers = numbers.skip(head % WIDTH + 1);
        let rows = &mut self.vectors.col_as_slice_mut(column)[column + 1..];
        for (target, number) in rows.iter_mut().zip(numbers) {
            *target = number;
        }
    }

    /// Makes ready for applying them in blocks.
    pub(super) fn in_blocks(self, sharing: Sharing) -> BlockReflections<T> {
        let (rows, count) = (self.vectors.nrows(), self.factors.len());
        let block = recommended_block_size::<T>(rows, count);
        // `faer` has half of the squares of the vectors' lengths on the diagonals of blocks, and dot products above.
        let mut coefficients = Mat::zeros(block, count);
        sharing.each(
            column_parts(coefficients.as_mut(), block),
            |(start, part)| {
                let width = part.ncols();
                let mut square = part.subrows_mut(0, width);
                for (at, &factor) in self.factors[start..][..width].iter().enumerate() {
                    square[(at, at)] = T::ONE / factor;
                }
                let vectors = self.vectors.submatrix(start, start, rows - start, width);
                upgrade_householder_factor(square, vectors, width, 1, Par::Seq);
            },
        );
        BlockReflections {
            vectors: self.vectors,
            coefficients,
        }
    }
}

/// Reflections that are applied many at a time.
#[derive(Debug)]
pub(super) struct BlockReflections<T> {
    vectors: Mat<T>,
    coefficients: Mat<T>,
}

impl<T: Float> BlockReflections<T> {
    /// Applies all of them to columns, the last one first.
    pub(super) fn apply(&self, columns: MatMut<'_, T>) {
        let (rows, count) = (self.vectors.nrows(), self.coefficients.ncols());
        if count == 0 {
            return;
        }
        let scratch = apply_scratch::<T>(rows, self.coefficients.nrows(), columns.ncols());
        apply_reflections(
            self.vectors.as_ref().subcols(0, count),
            self.coefficients.as_ref(),
            Conj::No,
            columns,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }

    /// Writes columns of which only those that `fill` writes are not zero, after applying all reflections to them, from the row `first` on.
    pub(super) fn write(
        &self,
        first: usize,
        target: MatMut<'_, T>,
        fill: impl Fn(usize, &mut [T]) + Sync + Send,
        sharing: Sharing,
    ) {
        let rows = target.nrows();
        sharing.each(column_parts(target, APPLIED), |(start, mut part)| {
            let mut columns = Mat::zeros(rows, part.ncols());
            for index in 0..part.ncols() {
                fill(start + index, columns.col_as_slice_mut(index));
            }
            self.apply(columns.as_mut().subrows_mut(first, rows - first));
            part.copy_from(&columns);
        });
    }
}

/// How many columns reflections are applied to at a time by one thread.
const APPLIED: usize = 128;
