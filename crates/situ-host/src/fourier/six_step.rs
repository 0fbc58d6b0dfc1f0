//! One long line as many short ones.
//!
//! With `n = a * b`, element `j` of the line is seen at row `j / b` and column `j % b` of a matrix.
//! Its columns are transformed, each result is multiplied with a root of unity that depends on its
//! place, and the rows are transformed; the transform is then found along the columns. All steps are
//! transforms of short lines that lie in parallel, so all threads take part, and each number is
//! loaded from memory twice instead of once for each factor of `n`.

use std::sync::Arc;

use rustfft::Fft;
use rustfft::num_complex::Complex;

use super::Real;
use super::line::ComplexLines;
use super::plan::short;
use super::roots::Roots;
use super::sweep::{self, gather, tile_width};
use crate::parallel::for_each_part_with;

/// A transform of `a * b` elements.
pub(super) struct SixStep<T> {
    columns: Arc<dyn Fft<T>>,
    rows: ComplexLines<T>,
    roots: Roots<T>,
    factors: (usize, usize),
}

impl<T: Real> SixStep<T> {
    pub(super) fn new(factors: (usize, usize), is_inverse: bool) -> Self {
        let (a, b) = factors;
        Self {
            columns: short(a, is_inverse),
            rows: ComplexLines::of_short(short(b, is_inverse)),
            roots: Roots::new(a * b, is_inverse),
            factors,
        }
    }

    pub(super) fn scratch_len(&self) -> usize {
        self.factors.0 * self.factors.1
    }

    pub(super) fn run(
        &self,
        source: &[Complex<T>],
        target: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        let between = &mut scratch[..self.scratch_len()];
        self.transform_columns(source, between);
        self.transform_rows(between, target);
    }

    pub(super) fn run_in_place(&self, line: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let between = &mut scratch[..self.scratch_len()];
        self.transform_columns(line, between);
        self.transform_rows(between, line);
    }

    /// Transforms the columns, and leaves each as a row.
    fn transform_columns(&self, source: &[Complex<T>], between: &mut [Complex<T>]) {
        let (a, b) = self.factors;
        let width = tile_width::<Complex<T>>();
        let scratch_len = self.columns.get_inplace_scratch_len();
        let transform_tile = |scratch: &mut Vec<_>, (tile, lines): (usize, &mut [Complex<T>])| {
            let start = tile * width;
            gather(source, b, start, lines, a);
            self.columns.process_with_scratch(lines, scratch);
            for (column, line) in (start..).zip(lines.chunks_exact_mut(a)) {
                for (row, number) in line.iter_mut().enumerate() {
                    *number = *number * self.roots.get(row * column);
                }
            }
        };
        let tiles = between.chunks_mut(width * a).enumerate();
        for_each_part_with(
            tiles,
            || vec![T::zero().into(); scratch_len],
            transform_tile,
        );
    }

    /// Transforms the rows, which [`Self::transform_columns`] left as columns.
    fn transform_rows(&self, between: &[Complex<T>], target: &mut [Complex<T>]) {
        sweep::one_block(&self.rows, between, target, self.factors.0);
    }
}
