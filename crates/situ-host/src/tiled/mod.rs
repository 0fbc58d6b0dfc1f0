//! Products of real matrices in tiles, for processors with AVX2.
//!
//! Both matrices are copied to panels, block by block, and every tile of the result reads one panel of each. Blocks
//! are as large as caches allow: a panel of the right matrix stays in the first cache while all panels of a block of the
//! left matrix, which stays in the second one, go by. The block of the right matrix is in the third cache.
//!
//! An element of the result is the same wherever it is in a tile: its sum is cut by the depth alone, and added
//! up in one order. So it does not matter how the rows or columns of a product are shared.
//!
//! | module | about |
//! |---|---|
//! | `panels` | copies in the order of tiles |
//! | `room` | memory for panels |
//! | `tile` | what the registers hold |

mod panels;
mod room;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
mod tile;

use faer::{Accum, MatMut, MatRef};

use self::panels::{pack_left, pack_right, rounds};
use self::room::with_room;
pub(crate) use self::tile::{Avx2, Tiled};
use self::tile::{Left, ROUND, ROWS, Right, Target};

/// The greatest depth of a block. A panel of the right matrix takes three quarters of the first cache then; the result
/// is read and written the less often, the deeper blocks are.
const DEPTH: usize = 384;

/// The most bytes of a block of the left matrix: less than half of the second cache of a core.
const LEFT_BYTES: usize = 192 << 10;

/// The most bytes of a block of the right matrix: a small part of the third cache.
const RIGHT_BYTES: usize = 4 << 20;

/// A product that is added to `out`, or replaces it: `factor` times `left` times `right`.
pub(crate) struct TiledProduct<'a, T> {
    pub(crate) left: MatRef<'a, T>,
    pub(crate) right: MatRef<'a, T>,
    pub(crate) out: MatMut<'a, T>,
    pub(crate) accumulate: Accum,
    pub(crate) factor: T,
}

/// Computes a product on this thread, in tiles of `COLUMNS` columns.
///
/// # Panics
/// If a matrix is not contiguous either way.
pub(crate) fn multiply<T: Tiled<COLUMNS>, const COLUMNS: usize>(
    product: TiledProduct<'_, T>,
    avx2: Avx2,
) {
    if product.out.col_stride() == 1 {
        product.by_rows(avx2);
    } else {
        let transposed = TiledProduct {
            left: product.right.transpose(),
            right: product.left.transpose(),
            out: product.out.transpose_mut(),
            ..product
        };
        transposed.by_rows(avx2);
    }
}

impl<T> TiledProduct<'_, T> {
    /// Whether the rows or the columns of a matrix are contiguous, as those of all three have to be.
    pub(crate) fn is_contiguous(matrix: MatRef<'_, T>) -> bool {
        matrix.col_stride() == 1 || matrix.row_stride() == 1
    }

    /// Computes it if the rows of the result are contiguous.
    fn by_rows<const COLUMNS: usize>(mut self, avx2: Avx2)
    where
        T: Tiled<COLUMNS>,
    {
        let (rows, columns) = self.out.shape();
        let inner = self.left.ncols();
        let most_depth = even(inner, DEPTH, ROUND);
        let line_bytes = most_depth * size_of::<T>();
        let most_rows = even(rows, LEFT_BYTES / line_bytes, ROWS);
        let most_columns = even(columns, RIGHT_BYTES / line_bytes, COLUMNS);
        with_room((most_columns + most_rows) * most_depth, |room| {
            let (right_room, left_room) = room.split_at_mut(most_columns * most_depth);
            let (right_rows, _) = right_room.as_chunks_mut();
            let (right_panels, _) = right_rows.as_chunks_mut();
            let (left_rows, _) = left_room.as_chunks_mut();
            let (left_panels, _) = left_rows.as_chunks_mut();
            for column in (0..columns).step_by(most_columns) {
                let width = most_columns.min(columns - column);
                let mut accumulate = self.accumulate;
                for start in (0..inner).step_by(most_depth) {
                    let depth = most_depth.min(inner - start);
                    let right = self.right.submatrix(start, column, depth, width);
                    pack_right(right, right_panels);
                    for row in (0..rows).step_by(most_rows) {
                        let height = most_rows.min(rows - row);
                        let left = self.left.submatrix(row, start, height, depth);
                        pack_left(left, left_panels);
                        let out = self.out.as_mut();
                        let block = Block {
                            left: left_panels,
                            right: right_panels,
                            rounds: rounds(depth),
                            out: out.submatrix_mut(row, column, height, width),
                            accumulate,
                            factor: self.factor,
                        };
                        block.run(avx2);
                    }
                    accumulate = Accum::Add;
                }
            }
        });
    }
}

/// The product of two blocks that are in panels.
struct Block<'a, T, const COLUMNS: usize> {
    left: &'a [Left<T>],
    right: &'a [Right<T, COLUMNS>],
    rounds: usize,
    out: MatMut<'a, T>,
    accumulate: Accum,
    factor: T,
}

impl<T: Tiled<COLUMNS>, const COLUMNS: usize> Block<'_, T, COLUMNS> {
    fn run(mut self, avx2: Avx2) {
        let (rows, columns) = self.out.shape();
        let rights = self.right.chunks_exact(self.rounds);
        for (column, right) in (0..columns).step_by(COLUMNS).zip(rights) {
            let lefts = self.left.chunks_exact(self.rounds);
            for (row, left) in (0..rows).step_by(ROWS).zip(lefts) {
                let (height, width) = (ROWS.min(rows - row), COLUMNS.min(columns - column));
                let out = self.out.as_mut();
                let target = Target {
                    out: out.submatrix_mut(row, column, height, width),
                    accumulate: self.accumulate,
                    factor: self.factor,
                };
                if height == ROWS && width == COLUMNS {
                    T::multiply(avx2, left, right, target);
                } else {
                    multiply_part(avx2, left, right, target);
                }
            }
        }
    }
}

/// The part of a tile that is inside of the result.
#[cold]
fn multiply_part<T: Tiled<COLUMNS>, const COLUMNS: usize>(
    avx2: Avx2,
    left: &[Left<T>],
    right: &[Right<T, COLUMNS>],
    target: Target<'_, T>,
) {
    let mut part = target.out;
    let mut whole = [[T::zeroed(); COLUMNS]; ROWS];
    let mut out = MatMut::from_row_major_slice_mut(whole.as_flattened_mut(), ROWS, COLUMNS);
    let mut inside = out.as_mut().submatrix_mut(0, 0, part.nrows(), part.ncols());
    inside.copy_from(part.as_ref());
    T::multiply(
        avx2,
        left,
        right,
        Target {
            out: out.as_mut(),
            ..target
        },
    );
    part.copy_from(out.as_ref().submatrix(0, 0, part.nrows(), part.ncols()));
}

/// The size of a side's blocks if none has more than `most`, and none is much smaller than the others, in whole units.
fn even(size: usize, most: usize, unit: usize) -> usize {
    let blocks = size.div_ceil(most).max(1);
    size.div_ceil(blocks).next_multiple_of(unit).max(unit)
}
