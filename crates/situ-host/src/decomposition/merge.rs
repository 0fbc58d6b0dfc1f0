//! How vectors of two halves become those of the whole.
//!
//! The vectors of the whole are those of the halves times a matrix of the vectors that belong to the roots of the
//! [secular equation](super::secular). That product takes most of the time, so columns that are zero in the rows of one half
//! are kept together, and these zeros are not multiplied.

use faer::{Accum, Conj, MatMut, MatRef};

use super::deflation::{Column, Deflated, Extent, numbers, numbers_mut};
use super::lanes::{Lanes, WIDTH};
use super::sharing::{Sharing, column_parts};
use crate::matrix_product::Product;

/// How many columns are copied or formed at a time by one thread.
const COPIED: usize = 32;

/// How many columns are multiplied at a time by one thread.
const MULTIPLIED: usize = 144;

/// Fewer columns are not worth a second thread.
const SHARED_FROM: usize = 96;

/// Room for what is needed on the way, for a problem and all of its parts in turn.
pub(super) struct Room<'a> {
    /// The columns that are multiplied.
    pub(super) packed: MatMut<'a, f64>,
    /// What they are multiplied by.
    pub(super) mixing: MatMut<'a, f64>,
    /// Distances of poles and roots.
    pub(super) distances: &'a mut [Lanes<f64>],
}

impl Room<'_> {
    /// Room for two halves, of which the first has so many rows.
    pub(super) fn split(&mut self, rows: usize) -> (Room<'_>, Room<'_>) {
        let (upper, _, _, lower) = self.packed.as_mut().split_at_mut(rows, rows);
        let (first, _, _, second) = self.mixing.as_mut().split_at_mut(rows, rows);
        let (these, those) = self.distances.split_at_mut(rows.div_ceil(WIDTH) * rows);
        (
            Room {
                packed: upper,
                mixing: first,
                distances: these,
            },
            Room {
                packed: lower,
                mixing: second,
                distances: those,
            },
        )
    }
}

/// In which order columns are multiplied.
pub(super) struct Merge<'a> {
    deflated: &'a Deflated,
    /// Where each of the columns that are kept goes.
    places: Vec<usize>,
    /// How many of them are in the upper half only, everywhere, and in the lower half only.
    counts: [usize; 3],
    /// Rows of the upper half.
    top: usize,
}

impl<'a> Merge<'a> {
    /// Of columns whose upper half has so many rows.
    pub(super) fn new(deflated: &'a Deflated, top: usize) -> Self {
        let mut counts = [0; 3];
        for column in &deflated.kept {
            counts[column.extent as usize] += 1;
        }
        let mut next = [0, counts[0], counts[0] + counts[1]];
        let place = |column: &Column| {
            let place = &mut next[column.extent as usize];
            *place += 1;
            *place - 1
        };
        Self {
            places: deflated.kept.iter().map(place).collect(),
            deflated,
            counts,
            top,
        }
    }

    /// Replaces the columns by those of the whole: first those that belong to roots, as `form` gives them, and then those that were set aside.
    pub(super) fn run(
        &self,
        mut columns: MatMut<'_, f64>,
        [packed, mixing]: [MatMut<'_, f64>; 2],
        form: impl Fn(usize, &mut [Lanes<f64>]) + Sync + Send,
        sharing: Sharing,
    ) {
        let (height, count) = (columns.nrows(), self.places.len());
        let sharing = sharing.only_if(count >= SHARED_FROM);
        let all = count + self.deflated.aside.len();
        let mut packed = packed.submatrix_mut(0, 0, height, all);
        let mut mixing = mixing.submatrix_mut(0, 0, count, count);
        self.pack(columns.as_ref(), packed.as_mut(), sharing);
        self.mix(mixing.as_mut(), form, sharing);
        let (mut kept, aside) = columns.as_mut().subcols_mut(0, all).split_at_col_mut(count);
        self.multiply(kept.as_mut(), packed.as_ref(), mixing.as_ref(), sharing);
        sharing.each(column_parts(aside, COPIED), |(first, part)| {
            for (index, column) in part.col_iter_mut().enumerate() {
                numbers_mut(column)
                    .copy_from_slice(numbers(packed.as_ref(), count + first + index));
            }
        });
    }

    /// Copies the columns to where they are multiplied.
    fn pack(&self, columns: MatRef<'_, f64>, packed: MatMut<'_, f64>, sharing: Sharing) {
        let count = self.places.len();
        let mut sources = vec![(0, Extent::Whole); packed.ncols()];
        for (column, &place) in self.deflated.kept.iter().zip(&self.places) {
            sources[place] = (column.at, column.extent);
        }
        for (source, column) in sources[count..].iter_mut().zip(&self.deflated.aside) {
            *source = (column.at, Extent::Whole);
        }
        sharing.each(column_parts(packed, COPIED), |(first, part)| {
            for (column, &(at, extent)) in part.col_iter_mut().zip(&sources[first..]) {
                let (target, source) = (numbers_mut(column), numbers(columns, at));
                let rows = match extent {
                    Extent::Top => 0..self.top,
                    Extent::Whole => 0..source.len(),
                    Extent::Bottom => self.top..source.len(),
                };
                target[rows.clone()].copy_from_slice(&source[rows]);
            }
        });
    }

    /// Forms the matrix that columns are multiplied by.
    fn mix(
        &self,
        mixing: MatMut<'_, f64>,
        form: impl Fn(usize, &mut [Lanes<f64>]) + Sync + Send,
        sharing: Sharing,
    ) {
        sharing.each(column_parts(mixing, COPIED), |(first, part)| {
            let mut vector = Lanes::zeros(self.places.len());
            for (index, column) in part.col_iter_mut().enumerate() {
                form(first + index, &mut vector);
                let column = numbers_mut(column);
                let numbers = vector.iter().flat_map(|lanes| &lanes.0);
                for (&place, &number) in self.places.iter().zip(numbers) {
                    column[place] = number;
                }
            }
        });
    }

    fn multiply(
        &self,
        kept: MatMut<'_, f64>,
        packed: MatRef<'_, f64>,
        mixing: MatRef<'_, f64>,
        sharing: Sharing,
    ) {
        let [only_top, whole, only_bottom] = self.counts;
        let (packed_top, packed_bottom) = packed.split_at_row(self.top);
        let upper = (
            packed_top.subcols(0, only_top + whole),
            mixing.subrows(0, only_top + whole),
        );
        let lower = (
            packed_bottom.subcols(only_top, whole + only_bottom),
            mixing.subrows(only_top, whole + only_bottom),
        );
        let mut products = Vec::new();
        for (first, part) in column_parts(kept, MULTIPLIED) {
            let width = part.ncols();
            let (top, bottom) = part.split_at_row_mut(self.top);
            for (out, (left, right)) in [(top, upper), (bottom, lower)] {
                products.push(Product {
                    left,
                    right: right.subcols(first, width),
                    conjugate_right: Conj::No,
                    out,
                    accumulate: Accum::Replace,
                    factor: 1.0,
                });
            }
        }
        sharing.each(products, |mut product| {
            if product.left.ncols() == 0 {
                product.out.fill(0.0);
            } else {
                product.run();
            }
        });
    }
}
