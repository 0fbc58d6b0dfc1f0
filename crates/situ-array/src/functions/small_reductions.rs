//! Reductions of a few elements to one number, or its position, done on the spot.
//!
//! They are to [`super::statistical`] what [`super::immediate`] is to elementwise functions: the same kernels, for
//! contiguous arrays of one block at most, without anything being submitted. For everything else the answer is `None`.

use situ_ir::BinaryOperator;

use crate::array::Array;
use crate::functions::statistical::{Extreme, Truth, combination, has_nan, mean_of};
use crate::reduction::accumulator;

/// What elements are reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// As [`super::statistical::sum`].
    Sum,
    /// As [`super::statistical::prod`].
    Product,
    /// As [`super::statistical::extreme`].
    Extreme(Extreme),
    /// As [`super::statistical::mean`].
    Mean,
    /// As [`super::statistical::truth`].
    Truth(Truth),
    /// As [`super::searching::arg_extreme`].
    Position(Extreme),
}

/// Reduces all elements of an array at once, if that can be.
pub fn reduce(what: Total, array: &Array) -> Option<Array> {
    let (dtype, device) = (array.dtype(), array.queue().device());
    let reduction = match what {
        Total::Sum => combination(BinaryOperator::Add, dtype, None, device).ok()?,
        Total::Product => combination(BinaryOperator::Multiply, dtype, None, device).ok()?,
        Total::Extreme(_) | Total::Position(_) if dtype.is_complex() => return None,
        Total::Position(extreme) => return extreme.reduction(dtype).locate_at_once(array),
        Total::Extreme(extreme) => extreme.reduction(dtype),
        Total::Mean if has_nan(dtype) => mean_of(accumulator(dtype, device), dtype, array.size()),
        Total::Mean => return None,
        Total::Truth(truth) => truth.reduction(),
    };
    reduction.run_at_once(array)
}

#[cfg(test)]
mod tests {
    use situ_ir::DType;
    use situ_runtime::{Device, UsmKind};

    use super::*;
    use crate::functions::searching;
    use crate::functions::statistical::{self, Nan, Over};
    use crate::layout::Layout;
    use crate::placement::default_queue;

    fn array(values: &[f64]) -> Array {
        let queue = default_queue(&Device::default_device());
        let array = Array::empty(&[values.len()], DType::F64, &queue, UsmKind::Device).unwrap();
        let bytes: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        array.write_bytes(&bytes).unwrap();
        array
    }

    fn number(array: &Array) -> f64 {
        assert!(array.shape().is_empty());
        let mut bytes = [0; 8];
        array.read_bytes(&mut bytes).unwrap();
        f64::from_le_bytes(bytes)
    }

    /// Reduces on the spot, after as many usual calls as that takes.
    fn reduced(what: Total, array: &Array, usual: impl Fn() -> Array) -> f64 {
        for _ in 0..1000 {
            let result = usual();
            result.queue().wait().unwrap();
            let expected = number(&result);
            drop(result);
            if let Some(result) = reduce(what, array) {
                assert_eq!(number(&result), expected);
                return expected;
            }
        }
        panic!("{what:?} of a few numbers is over at once");
    }

    #[test]
    fn totals_are_those_of_the_usual_way() {
        let x = array(&[4.0, 1.0, 8.0, 2.0]);
        let over = Over::default();
        let sum = || statistical::sum(&x, None, Nan::Counts, over).unwrap();
        assert_eq!(reduced(Total::Sum, &x, sum), 15.0);
        let product = || statistical::prod(&x, None, Nan::Counts, over).unwrap();
        assert_eq!(reduced(Total::Product, &x, product), 64.0);
        let mean = || statistical::mean(&x, None, Nan::Counts, over).unwrap();
        assert_eq!(reduced(Total::Mean, &x, mean), 3.75);
        for (which, expected) in [(Extreme::Min, 1.0), (Extreme::Max, 8.0)] {
            let usual = || statistical::extreme(&x, which, Nan::Counts, over).unwrap();
            assert_eq!(reduced(Total::Extreme(which), &x, usual), expected);
        }
    }

    #[test]
    fn positions_are_those_of_the_first() {
        let x = array(&[4.0, 1.0, 8.0, 1.0, 8.0]);
        for (which, expected) in [(Extreme::Min, 1_i64), (Extreme::Max, 2)] {
            let found = (0..1000).find_map(|_| {
                let usual = searching::arg_extreme(&x, which, Over::default()).unwrap();
                usual.queue().wait().unwrap();
                drop(usual);
                reduce(Total::Position(which), &x)
            });
            let mut bytes = [0; 8];
            found.unwrap().read_bytes(&mut bytes).unwrap();
            assert_eq!(i64::from_le_bytes(bytes), expected);
        }
    }

    #[test]
    fn what_is_not_plain_takes_the_usual_way() {
        let x = array(&[4.0, 1.0, 8.0, 2.0]);
        let sum = || statistical::sum(&x, None, Nan::Counts, Over::default()).unwrap();
        reduced(Total::Sum, &x, sum);
        let apart = x.with_layout(Layout::from_parts(&[2], &[2], 0));
        assert!(reduce(Total::Sum, &apart).is_none());
        let none = x.with_layout(Layout::from_parts(&[0], &[1], 0));
        assert!(reduce(Total::Sum, &none).is_none());
        let long = array(&vec![1.0; 5000]);
        assert!(reduce(Total::Sum, &long).is_none());
    }
}
