//! Mathematical functions.
//!
//! Functions that are not exact are computed in `float64` by `libm` and rounded once, so that
//! `float32` and `float16` results are nearly always the correctly rounded ones.

use half::f16;
use num_complex::{Complex32, Complex64};

use super::cell::Cell;
use super::complex::ComplexNumber;
use super::float::Float;
use super::{BinaryFunction, TernaryFunction, UnaryFunction, complex_math};
use crate::dtype::DType;
use crate::expression::MathFunction;

/// A function of cells, by the number of its arguments.
#[derive(Clone, Copy, Debug)]
pub(in crate::interpret) enum MathCall {
    Unary(UnaryFunction),
    Binary(BinaryFunction),
    Ternary(TernaryFunction),
}

/// What computes a mathematical function of a dtype; `None` if it does not take the dtype.
pub(in crate::interpret) fn math(function: MathFunction, dtype: DType) -> Option<MathCall> {
    match dtype {
        DType::F16 => Some(real::<f16>(function)),
        DType::F32 => Some(real::<f32>(function)),
        DType::F64 => Some(real::<f64>(function)),
        DType::C64 => complex::<Complex32>(function).map(MathCall::Unary),
        DType::C128 => complex::<Complex64>(function).map(MathCall::Unary),
        _ => None,
    }
}

#[inline]
fn of_real<T: Float>(cell: Cell, function: fn(f64) -> f64) -> Cell {
    T::from_f64(function(T::from_cell(cell).to_f64())).to_cell()
}

#[inline]
fn of_reals<T: Float>(x: Cell, y: Cell, function: fn(f64, f64) -> f64) -> Cell {
    T::from_f64(function(T::from_cell(x).to_f64(), T::from_cell(y).to_f64())).to_cell()
}

#[inline]
fn of_complex<T: ComplexNumber>(cell: Cell, function: fn(Complex64) -> Complex64) -> Cell {
    T::narrow(function(T::from_cell(cell).widen())).to_cell()
}

fn real<T: Float>(function: MathFunction) -> MathCall {
    use MathCall::{Binary, Ternary, Unary};
    use MathFunction as F;
    match function {
        F::Sin => Unary(|x| of_real::<T>(x, libm::sin)),
        F::Cos => Unary(|x| of_real::<T>(x, libm::cos)),
        F::Tan => Unary(|x| of_real::<T>(x, libm::tan)),
        F::Asin => Unary(|x| of_real::<T>(x, libm::asin)),
        F::Acos => Unary(|x| of_real::<T>(x, libm::acos)),
        F::Atan => Unary(|x| of_real::<T>(x, libm::atan)),
        F::Sinh => Unary(|x| of_real::<T>(x, libm::sinh)),
        F::Cosh => Unary(|x| of_real::<T>(x, libm::cosh)),
        F::Tanh => Unary(|x| of_real::<T>(x, libm::tanh)),
        F::Asinh => Unary(|x| of_real::<T>(x, libm::asinh)),
        F::Acosh => Unary(|x| of_real::<T>(x, acosh)),
        F::Atanh => Unary(|x| of_real::<T>(x, libm::atanh)),
        F::Exp => Unary(|x| of_real::<T>(x, libm::exp)),
        F::Exp2 => Unary(|x| of_real::<T>(x, libm::exp2)),
        F::Expm1 => Unary(|x| of_real::<T>(x, libm::expm1)),
        F::Log => Unary(|x| of_real::<T>(x, libm::log)),
        F::Log2 => Unary(|x| of_real::<T>(x, libm::log2)),
        F::Log10 => Unary(|x| of_real::<T>(x, libm::log10)),
        F::Log1p => Unary(|x| of_real::<T>(x, libm::log1p)),
        F::Sqrt => Unary(|x| of_real::<T>(x, f64::sqrt)),
        F::Rsqrt => Unary(|x| T::from_cell(x).reciprocal_square_root().to_cell()),
        F::Cbrt => Unary(|x| of_real::<T>(x, libm::cbrt)),
        F::Erf => Unary(|x| of_real::<T>(x, libm::erf)),
        F::Erfc => Unary(|x| of_real::<T>(x, libm::erfc)),
        F::Tgamma => Unary(|x| of_real::<T>(x, libm::tgamma)),
        F::Lgamma => Unary(|x| of_real::<T>(x, libm::lgamma)),
        F::Floor => Unary(|x| of_real::<T>(x, f64::floor)),
        F::Ceil => Unary(|x| of_real::<T>(x, f64::ceil)),
        F::Trunc => Unary(|x| of_real::<T>(x, f64::trunc)),
        F::Rint => Unary(|x| of_real::<T>(x, f64::round_ties_even)),
        F::Atan2 => Binary(|y, x| of_reals::<T>(y, x, libm::atan2)),
        F::Hypot => Binary(|x, y| of_reals::<T>(x, y, libm::hypot)),
        F::Copysign => Binary(|x, y| T::from_cell(x).copy_sign(T::from_cell(y)).to_cell()),
        F::Fmod => Binary(|x, y| of_reals::<T>(x, y, |x, y| x % y)),
        F::Nextafter => Binary(|x, y| T::from_cell(x).next_after(T::from_cell(y)).to_cell()),
        F::Fmin => Binary(|x, y| {
            let (x, y) = (T::from_cell(x), T::from_cell(y));
            if x <= y || y.is_nan() {
                x.to_cell()
            } else {
                y.to_cell()
            }
        }),
        F::Fmax => Binary(|x, y| {
            let (x, y) = (T::from_cell(x), T::from_cell(y));
            if x >= y || y.is_nan() {
                x.to_cell()
            } else {
                y.to_cell()
            }
        }),
        F::Fma => Ternary(|x, y, z| {
            let (x, y, z) = (T::from_cell(x), T::from_cell(y), T::from_cell(z));
            x.fused_multiply_add(y, z).to_cell()
        }),
    }
}

fn complex<T: ComplexNumber>(function: MathFunction) -> Option<UnaryFunction> {
    use MathFunction as F;
    Some(match function {
        F::Sin => |z| of_complex::<T>(z, complex_math::sin),
        F::Cos => |z| of_complex::<T>(z, complex_math::cos),
        F::Tan => |z| of_complex::<T>(z, complex_math::tan),
        F::Asin => |z| of_complex::<T>(z, complex_math::asin),
        F::Acos => |z| of_complex::<T>(z, complex_math::acos),
        F::Atan => |z| of_complex::<T>(z, complex_math::atan),
        F::Sinh => |z| of_complex::<T>(z, complex_math::sinh),
        F::Cosh => |z| of_complex::<T>(z, complex_math::cosh),
        F::Tanh => |z| of_complex::<T>(z, complex_math::tanh),
        F::Asinh => |z| of_complex::<T>(z, complex_math::asinh),
        F::Acosh => |z| of_complex::<T>(z, complex_math::acosh),
        F::Atanh => |z| of_complex::<T>(z, complex_math::atanh),
        F::Exp => |z| of_complex::<T>(z, complex_math::exp),
        F::Expm1 => |z| of_complex::<T>(z, complex_math::expm1),
        F::Log => |z| of_complex::<T>(z, complex_math::log),
        F::Log1p => |z| of_complex::<T>(z, complex_math::log1p),
        F::Log2 => |z| of_complex::<T>(z, complex_math::log2),
        F::Log10 => |z| of_complex::<T>(z, complex_math::log10),
        F::Sqrt => |z| of_complex::<T>(z, complex_math::sqrt),
        _ => return None,
    })
}

/// `libm`'s takes negative infinity for a large number.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}
