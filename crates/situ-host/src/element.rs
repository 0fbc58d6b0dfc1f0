//! What the bytes of a matrix or of a line are.
//!
//! Half precision and integers are not among them: they are converted before, or are a kernel's.

/// How wide a real number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Four bytes.
    Single,
    /// Eight bytes.
    Double,
}

/// A number that matrices consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A real number.
    Real(Precision),
    /// A complex number: its real part, and then its imaginary part.
    Complex(Precision),
}

/// Evaluates `$body` with `$T` as the Rust type of an [`Element`].
macro_rules! over_elements {
    ($element:expr, $T:ident => $body:expr) => {
        match $element {
            $crate::Element::Real($crate::Precision::Single) => {
                type $T = f32;
                $body
            }
            $crate::Element::Real($crate::Precision::Double) => {
                type $T = f64;
                $body
            }
            $crate::Element::Complex($crate::Precision::Single) => {
                type $T = ::faer::c32;
                $body
            }
            $crate::Element::Complex($crate::Precision::Double) => {
                type $T = ::faer::c64;
                $body
            }
        }
    };
}

pub(crate) use over_elements;
