//! Products in tiles, on every processor that has AVX2, also if `faer` would be quicker.

use faer::{Accum, Mat, MatRef};

use super::{Avx2, Tiled, TiledProduct, multiply};

/// A matrix that lies by rows or by columns inside of a larger one.
fn placed<T: Tiled<COLUMNS>, const COLUMNS: usize>(
    [rows, columns]: [usize; 2],
    is_by_rows: bool,
    number: impl Fn(usize, usize) -> T,
) -> Mat<T> {
    if is_by_rows {
        Mat::from_fn(columns + 3, rows + 2, |column, row| number(row, column))
    } else {
        Mat::from_fn(rows + 3, columns + 2, number)
    }
}

fn inside<T>(matrix: &Mat<T>, [rows, columns]: [usize; 2], is_by_rows: bool) -> MatRef<'_, T> {
    let matrix = matrix.as_ref();
    let matrix = if is_by_rows {
        matrix.transpose()
    } else {
        matrix
    };
    matrix.submatrix(0, 0, rows, columns)
}

/// A product of small integers, which are exact, by its definition.
fn check<T: Tiled<COLUMNS> + From<i8> + Into<f64>, const COLUMNS: usize>(
    avx2: Avx2,
    [rows, inner, columns]: [usize; 3],
    [left_by_rows, right_by_rows, out_by_rows]: [bool; 3],
    (accumulate, factor): (Accum, i8),
) {
    let number = |row: usize, column: usize| T::from(((row * 7 + column * 3) % 11) as i8 - 5);
    let left = placed([rows, inner], left_by_rows, number);
    let right = placed([inner, columns], right_by_rows, |i, j| number(j, i));
    let before = |row, column| number(row + 1, column + 5);
    let mut out = placed([rows, columns], out_by_rows, before);
    let (left, right) = (
        inside(&left, [rows, inner], left_by_rows),
        inside(&right, [inner, columns], right_by_rows),
    );
    let target = out.as_mut();
    let target = if out_by_rows {
        target.transpose_mut()
    } else {
        target
    };
    let product = TiledProduct {
        left,
        right,
        out: target.submatrix_mut(0, 0, rows, columns),
        accumulate,
        factor: T::from(factor),
    };
    multiply(product, avx2);
    let whole = inside(&out, [rows + 2, columns + 2], out_by_rows);
    for row in 0..rows + 2 {
        for column in 0..columns + 2 {
            let mut wanted: f64 = before(row, column).into();
            if row < rows && column < columns {
                let term = |k| left[(row, k)].into() * right[(k, column)].into();
                let product = (0..inner).map(term).sum::<f64>() * f64::from(factor);
                wanted = match accumulate {
                    Accum::Add => wanted + product,
                    Accum::Replace => product,
                };
            }
            let found: f64 = whole[(row, column)].into();
            assert_eq!(found, wanted, "{rows}x{inner}x{columns} at {row}, {column}");
        }
    }
}

const ORDERS: [[bool; 3]; 8] = [
    [true, true, true],
    [true, true, false],
    [true, false, true],
    [true, false, false],
    [false, true, true],
    [false, true, false],
    [false, false, true],
    [false, false, false],
];

#[test]
fn products_are_those_of_the_definition_around_the_sizes_of_tiles() {
    let Some(avx2) = Avx2::new() else { return };
    for rows in [1, 2, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 33] {
        for inner in [1, 2, 3, 4, 5, 7, 8, 9, 30] {
            for columns in [1, 2, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 31, 32, 33] {
                for orders in ORDERS {
                    for (accumulate, factor) in [(Accum::Replace, 1), (Accum::Add, -1)] {
                        let shape = [rows, inner, columns];
                        check::<f32, 16>(avx2, shape, orders, (accumulate, factor));
                        check::<f64, 8>(avx2, shape, orders, (accumulate, factor));
                    }
                }
            }
        }
    }
}

#[test]
fn products_are_those_of_the_definition_if_there_are_many_blocks() {
    let Some(avx2) = Avx2::new() else { return };
    for shape in [
        [200, 801, 45],
        [7, 390, 3000],
        [150, 385, 17],
        [40, 2000, 40],
    ] {
        for orders in ORDERS {
            check::<f32, 16>(avx2, shape, orders, (Accum::Replace, 2));
            check::<f64, 8>(avx2, shape, orders, (Accum::Add, 3));
        }
    }
}

fn product(avx2: Avx2, left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(left.nrows(), right.ncols());
    let product = TiledProduct {
        left,
        right,
        out: out.as_mut(),
        accumulate: Accum::Add,
        factor: 0.3,
    };
    multiply::<_, 8>(product, avx2);
    out
}

#[test]
fn an_element_is_the_same_wherever_a_product_is_cut() {
    let Some(avx2) = Avx2::new() else { return };
    let number = |row: usize, column: usize| ((row * 31 + column * 17) as f64).sin();
    let (left, right) = (Mat::from_fn(50, 500, number), Mat::from_fn(500, 45, number));
    let whole = product(avx2, left.as_ref(), right.as_ref());
    for cut in [1, 5, 8, 23] {
        let below = product(avx2, left.as_ref().subrows(cut, 50 - cut), right.as_ref());
        assert_eq!(below, whole.subrows(cut, 50 - cut));
        let behind = product(avx2, left.as_ref(), right.as_ref().subcols(cut, 45 - cut));
        assert_eq!(behind, whole.subcols(cut, 45 - cut));
    }
}

#[test]
fn what_is_not_a_number_stays_in_its_row_or_column() {
    let Some(avx2) = Avx2::new() else { return };
    let mut left = Mat::from_fn(13, 10, |row, column| (row + column) as f64 + 1.0);
    let mut right = Mat::from_fn(10, 11, |row, column| (row * column) as f64 + 1.0);
    left[(12, 9)] = f64::INFINITY;
    right[(3, 10)] = f64::NAN;
    let out = product(avx2, left.as_ref(), right.as_ref());
    for row in 0..13 {
        for column in 0..11 {
            let number = out[(row, column)];
            assert_eq!(number.is_nan(), column == 10, "{row}, {column}");
            assert_eq!(number == f64::INFINITY, row == 12 && column != 10);
        }
    }
}
