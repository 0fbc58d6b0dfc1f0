//! Complex arithmetic, in the formulas the IR prescribes so that every device gives the same bits.

use num_complex::{Complex, Complex32, Complex64};

use super::cell::Scalar;
use super::complex_math;
use super::float::Float;

/// A complex type and the type of its parts.
pub(super) trait ComplexNumber: Scalar {
    type Part: Float;
    fn parts(self) -> (Self::Part, Self::Part);
    fn from_parts(real: Self::Part, imaginary: Self::Part) -> Self;

    /// The number as `complex128`, exactly.
    fn widen(self) -> Complex64 {
        let (real, imaginary) = self.parts();
        Complex::new(real.to_f64(), imaginary.to_f64())
    }

    /// Rounds each part.
    fn narrow(wide: Complex64) -> Self {
        Self::from_parts(Float::from_f64(wide.re), Float::from_f64(wide.im))
    }
}

impl ComplexNumber for Complex32 {
    type Part = f32;
    fn parts(self) -> (f32, f32) {
        (self.re, self.im)
    }
    fn from_parts(real: f32, imaginary: f32) -> Self {
        Self::new(real, imaginary)
    }
}

impl ComplexNumber for Complex64 {
    type Part = f64;
    fn parts(self) -> (f64, f64) {
        (self.re, self.im)
    }
    fn from_parts(real: f64, imaginary: f64) -> Self {
        Self::new(real, imaginary)
    }
}

pub(super) fn add<T: ComplexNumber>(x: T, y: T) -> T {
    let ((a, b), (c, d)) = (x.parts(), y.parts());
    T::from_parts(a.add(c), b.add(d))
}

pub(super) fn subtract<T: ComplexNumber>(x: T, y: T) -> T {
    let ((a, b), (c, d)) = (x.parts(), y.parts());
    T::from_parts(a.subtract(c), b.subtract(d))
}

pub(super) fn multiply<T: ComplexNumber>(x: T, y: T) -> T {
    let ((a, b), (c, d)) = (x.parts(), y.parts());
    T::from_parts(
        a.multiply(c).subtract(b.multiply(d)),
        a.multiply(d).add(b.multiply(c)),
    )
}

/// Smith's method in NumPy's form: the ratio of the divisor's parts keeps the scale in range.
pub(super) fn divide<T: ComplexNumber>(x: T, y: T) -> T {
    let ((a, b), (c, d)) = (x.parts(), y.parts());
    let one = T::Part::from_f64(1.0);
    let zero = T::Part::from_f64(0.0);
    if c.absolute() >= d.absolute() {
        if c == zero && d == zero {
            return T::from_parts(a.divide(c.absolute()), b.divide(c.absolute()));
        }
        let ratio = d.divide(c);
        let scale = one.divide(c.add(d.multiply(ratio)));
        T::from_parts(
            a.add(b.multiply(ratio)).multiply(scale),
            b.subtract(a.multiply(ratio)).multiply(scale),
        )
    } else {
        let ratio = c.divide(d);
        let scale = one.divide(d.add(c.multiply(ratio)));
        T::from_parts(
            a.multiply(ratio).add(b).multiply(scale),
            b.multiply(ratio).subtract(a).multiply(scale),
        )
    }
}

pub(super) fn power<T: ComplexNumber>(x: T, y: T) -> T {
    T::narrow(complex_math::power(x.widen(), y.widen()))
}

pub(super) fn absolute<T: ComplexNumber>(x: T) -> T::Part {
    let wide = x.widen();
    Float::from_f64(libm::hypot(wide.re, wide.im))
}
