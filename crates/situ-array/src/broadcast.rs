//! The common shape of several operands.

use crate::error::Error;
use crate::layout::Shape;

/// The shape that all operands stretch to: trailing dimensions are matched, size one stretches.
///
/// # Errors
/// If two operands have different sizes, neither of them one, in the same dimension.
pub fn broadcast_shapes(operation: &'static str, shapes: &[&[usize]]) -> Result<Shape, Error> {
    let ndim = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut result = Shape::from_elem(1, ndim);
    for shape in shapes {
        let new = ndim - shape.len();
        for (axis, &size) in shape.iter().enumerate() {
            let common = &mut result[new + axis];
            if *common == 1 {
                *common = size;
            } else if size != 1 && size != *common {
                let shapes = shapes.iter().map(|shape| shape.to_vec()).collect();
                return Err(Error::ShapeMismatch { operation, shapes });
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_ones_and_missing_dimensions() {
        let shape = broadcast_shapes("add", &[&[3, 1], &[4], &[]]).unwrap();
        assert_eq!(shape.as_slice(), [3, 4]);
        assert_eq!(
            broadcast_shapes("add", &[&[1], &[0]]).unwrap().as_slice(),
            [0]
        );
    }

    #[test]
    fn rejects_unequal_sizes() {
        assert!(broadcast_shapes("add", &[&[2, 3], &[2]]).is_err());
        assert!(broadcast_shapes("add", &[&[0], &[2]]).is_err());
    }
}
