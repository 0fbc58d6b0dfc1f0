//! What a transform is asked for: which one, along which axes, how long, how scaled.

use situ_host::Precision;
use situ_ir::DType;
use situ_ir::promotion::complex_of;
use situ_runtime::{Device, Queue};
use smallvec::SmallVec;

use crate::device_dtypes;
use crate::error::Error;
use crate::functions::manipulation::normalized_axes;

/// The transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// From any numbers to complex ones.
    Forward,
    /// Back.
    Inverse,
    /// From real numbers to the half of the complex ones that says everything.
    RealForward,
    /// Back.
    RealInverse,
    /// From the half of complex numbers that says everything to real ones.
    HermitianForward,
    /// Back.
    HermitianInverse,
}

impl Transform {
    /// Whether the exponent has a plus.
    pub fn is_inverse(self) -> bool {
        matches!(
            self,
            Self::Inverse | Self::RealInverse | Self::HermitianInverse
        )
    }

    fn takes_real_only(self) -> bool {
        matches!(self, Self::RealForward | Self::HermitianInverse)
    }

    fn gives_real(self) -> bool {
        matches!(self, Self::RealInverse | Self::HermitianForward)
    }

    /// Whether one axis is not like the others.
    fn needs_an_axis(self) -> bool {
        !matches!(self, Self::Forward | Self::Inverse)
    }
}

/// Which of a transform and its inverse divides by the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The inverse.
    Backward,
    /// Both, by the root of it.
    Ortho,
    /// The forward transform.
    Forward,
}

impl Norm {
    /// What a transform of so many elements is multiplied with.
    pub fn scale(self, is_inverse: bool, count: f64) -> f64 {
        match (self, is_inverse) {
            (Self::Backward, false) | (Self::Forward, true) => 1.0,
            (Self::Backward, true) | (Self::Forward, false) => 1.0 / count,
            (Self::Ortho, _) => 1.0 / count.sqrt(),
        }
    }
}

/// A call of a transform.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name of the function, for messages.
    pub function: &'static str,
    /// What it does.
    pub transform: Transform,
    /// Along which axes; all of them, or as many of the last as there are lengths, if `None`. With half
    /// lines it is the last of these that is halved.
    pub axes: Option<&'a [i64]>,
    /// How long lines are made before they are transformed, or, if they are half lines, how long whole
    /// ones are. As many as they have, where there is none.
    pub lengths: Option<&'a [Option<i64>]>,
    /// How results are scaled.
    pub norm: Norm,
    /// The queue that runs it; that of the arrays if `None`.
    pub queue: Option<&'a Queue>,
}

/// An axis, and how long its lines are when they are transformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) axis: usize,
    pub(super) length: usize,
}

/// The dtype of real numbers.
pub(super) fn real(precision: Precision) -> DType {
    match precision {
        Precision::Single => DType::F32,
        Precision::Double => DType::F64,
    }
}

/// The dtype of complex numbers.
pub(super) fn complex(precision: Precision) -> DType {
    complex_of(real(precision))
}

/// Elements of the half of a line that says everything.
pub(super) fn first_half(length: usize) -> usize {
    length / 2 + 1
}

impl Call<'_> {
    /// The axes and lengths for an array of a shape.
    pub(super) fn lines(&self, shape: &[usize]) -> Result<SmallVec<[Line; 4]>, Error> {
        let ndim = shape.len();
        let axes = self.named_axes(ndim)?;
        if axes.is_empty() && self.transform.needs_an_axis() {
            return Err(Error::AxisOutOfBounds { axis: -1, ndim });
        }
        let last = axes.len().saturating_sub(1);
        let length = |(index, &axis): (usize, &usize)| {
            let asked = self.lengths.and_then(|lengths| lengths[index]);
            // As in NumPy, a length that is left open among others is that of the half line.
            let is_half = self.lengths.is_none() && self.transform.gives_real() && index == last;
            let own = match shape[axis] as i64 {
                size if is_half => 2 * (size - 1),
                size => size,
            };
            let length = asked.unwrap_or(own);
            match usize::try_from(length) {
                Ok(length) if length > 0 => Ok(Line { axis, length }),
                _ => Err(Error::TransformLength {
                    operation: self.function,
                    axis,
                    length: length.max(asked.unwrap_or(0)),
                    size: shape[axis],
                }),
            }
        };
        axes.iter().enumerate().map(length).collect()
    }

    fn named_axes(&self, ndim: usize) -> Result<SmallVec<[usize; 4]>, Error> {
        match (self.axes, self.lengths) {
            (Some(axes), Some(lengths)) if axes.len() != lengths.len() => {
                Err(Error::TransformCounts {
                    operation: self.function,
                    lengths: lengths.len(),
                    axes: axes.len(),
                })
            }
            (Some(axes), _) => normalized_axes(axes, ndim),
            (None, None) => Ok((0..ndim).collect()),
            (None, Some(lengths)) => {
                let axes: SmallVec<[i64; 4]> = (-(lengths.len() as i64)..0).collect();
                normalized_axes(&axes, ndim)
            }
        }
    }

    /// The precision for elements of a dtype. Integers and bools take the widest that the device has.
    pub(super) fn precision(&self, dtype: DType, device: &Device) -> Result<Precision, Error> {
        if dtype.is_complex() && self.transform.takes_real_only() {
            return Err(Error::DTypeNotSupported {
                operation: self.function,
                dtypes: vec![dtype],
                help: "use `fft` for complex numbers, or take their real parts with `situ.real(x)`",
            });
        }
        Ok(match dtype {
            DType::F16 | DType::F32 | DType::C64 => Precision::Single,
            DType::F64 | DType::C128 => Precision::Double,
            _ => match device_dtypes::default_float(device) {
                DType::F64 => Precision::Double,
                _ => Precision::Single,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(transform: Transform) -> Call<'static> {
        Call {
            function: "fftn",
            transform,
            axes: None,
            lengths: None,
            norm: Norm::Backward,
            queue: None,
        }
    }

    fn pairs(call: Call<'_>, shape: &[usize]) -> Vec<(usize, usize)> {
        let lines = call.lines(shape).unwrap();
        lines.iter().map(|line| (line.axis, line.length)).collect()
    }

    #[test]
    fn axes_and_lengths_complete_each_other() {
        let forward = call(Transform::Forward);
        assert_eq!(pairs(forward, &[3, 4]), [(0, 3), (1, 4)]);
        let axes = Call {
            axes: Some(&[-1, 0]),
            ..forward
        };
        assert_eq!(pairs(axes, &[3, 4]), [(1, 4), (0, 3)]);
        let lengths = Call {
            lengths: Some(&[Some(9), None]),
            ..forward
        };
        assert_eq!(pairs(lengths, &[2, 3, 4]), [(1, 9), (2, 4)]);
    }

    #[test]
    fn the_last_axis_of_half_lines_is_nearly_twice_as_long() {
        let inverse = call(Transform::RealInverse);
        assert_eq!(pairs(inverse, &[3, 4]), [(0, 3), (1, 6)]);
        assert!(inverse.lines(&[3, 1]).is_err());
        assert!(inverse.lines(&[]).is_err());
    }

    #[test]
    fn no_elements_are_refused() {
        for lengths in [[Some(0)], [Some(-1)]] {
            let call = Call {
                lengths: Some(&lengths),
                ..call(Transform::Forward)
            };
            let refused = call.lines(&[4]);
            assert!(
                matches!(refused, Err(Error::TransformLength { .. })),
                "{refused:?}"
            );
        }
        assert!(call(Transform::Forward).lines(&[0]).is_err());
    }

    #[test]
    fn norms_cancel_between_directions() {
        for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
            let product = norm.scale(false, 8.0) * norm.scale(true, 8.0);
            assert!((product * 8.0 - 1.0).abs() < 1e-15);
        }
    }
}
