//! Triangles of matrices.

use situ_ir::{BinaryOperator, DType, Literal};
use smallvec::SmallVec;

use crate::array::Array;
use crate::error::Error;
use crate::functions::apply::{Input, Mapped, launch};
use crate::functions::creation::iota;
use crate::layout::Layout;
use crate::result_layout::result_layout;

/// Which elements of a matrix are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// Those on a diagonal and left of it.
    Lower,
    /// Those on a diagonal and right of it.
    Upper,
}

impl Triangle {
    /// What the function that keeps it is called.
    fn name(self) -> &'static str {
        match self {
            Self::Lower => "tril",
            Self::Upper => "triu",
        }
    }
}

/// Matrices with zeros outside of a triangle that ends at a diagonal, counted from the main one to the right.
///
/// # Errors
/// If there are less than two dimensions, there is no memory or a launch fails.
pub fn triangle(array: &Array, which: Triangle, diagonal: i64) -> Result<Array, Error> {
    let &[.., rows, columns] = array.shape() else {
        return Err(Error::TooFewDimensions {
            operation: which.name(),
            ndim: array.shape().len(),
            needed: 2,
        });
    };
    let (dtype, queue, usm_kind) = (array.dtype(), array.queue(), array.usm_kind());
    // The numbers of diagonals have a say in how the result lies, as an operand of `where` would.
    let matrix = Layout::contiguous(&[rows, columns])?;
    let layout = result_layout(array.shape(), [&matrix, array.layout()].into_iter())?;
    let result = Array::empty_with_layout(layout, dtype, queue, usm_kind)?;
    if result.layout().is_empty() {
        return Ok(result);
    }
    // The number grows from column to column and falls from row to row, so all of them are a view of one line.
    let ends = (Literal::I64(1 - rows as i64), Literal::I64(1));
    let line = iota(rows + columns - 1, ends, DType::I64, queue, usm_kind)?;
    let numbers = Layout::from_parts(&[rows, columns], &[-1, 1], rows - 1);
    let inputs = [
        Input::Array(array.clone()),
        Input::Array(line.with_layout(numbers)),
        Input::Scalar(Literal::I64(diagonal)),
    ];
    let compute = SmallVec::from_slice(&[dtype, DType::I64, DType::I64]);
    let operator = match which {
        Triangle::Lower => BinaryOperator::LessEqual,
        Triangle::Upper => BinaryOperator::GreaterEqual,
    };
    launch(
        Mapped::Function(which.name()),
        queue,
        &result,
        &inputs,
        (compute, false),
        &|f, x| {
            let is_kept = f.binary(operator, x[1], x[2]);
            let zero = f.literal(Literal::zero(dtype));
            f.select(is_kept, x[0], zero)
        },
    )?;
    Ok(result)
}
