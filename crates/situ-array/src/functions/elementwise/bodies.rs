//! What functions compute where one operator or one function of the IR does not say it.
//!
//! Each looks at the dtype it computes in, as the function's type rule chose it.

use std::f64::consts::{LN_2, PI};

use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, MathFunction,
    UnaryOperator,
};

use BinaryOperator as B;
use MathFunction as M;
use UnaryOperator as U;

type Value = Handle<Expression>;

/// A number in the dtype of another.
fn constant(f: &mut FunctionBuilder, like: Value, number: f64) -> Value {
    let dtype = f.dtype_of(like);
    f.literal(Literal::from_f64(dtype, number))
}

/// Computes in `float32` instead of `float16`, so that there is one rounding at the end.
fn widened(
    f: &mut FunctionBuilder,
    x: &[Value],
    body: impl FnOnce(&mut FunctionBuilder, &[Value]) -> Value,
) -> Value {
    if f.dtype_of(x[0]) != DType::F16 {
        return body(f, x);
    }
    let wide: Vec<_> = x.iter().map(|&x| f.cast(x, DType::F32)).collect();
    let result = body(f, &wide);
    f.cast(result, DType::F16)
}

/// The operand itself.
pub(super) fn same(_: &mut FunctionBuilder, x: &[Value]) -> Value {
    x[0]
}

pub(super) fn negative(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    f.unary(U::Negate, x[0])
}

pub(super) fn square(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    f.multiply(x[0], x[0])
}

pub(super) fn abs(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let dtype = f.dtype_of(x[0]);
    if dtype.is_bool() || dtype.is_unsigned() {
        return x[0];
    }
    f.unary(U::Abs, x[0])
}

pub(super) fn real(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    if f.dtype_of(x[0]).is_complex() {
        return f.unary(U::Real, x[0]);
    }
    x[0]
}

pub(super) fn imag(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let dtype = f.dtype_of(x[0]);
    if dtype.is_complex() {
        return f.unary(U::Imaginary, x[0]);
    }
    f.literal(Literal::zero(dtype))
}

pub(super) fn conj(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    if f.dtype_of(x[0]).is_complex() {
        return f.unary(U::Conjugate, x[0]);
    }
    x[0]
}

/// -1, 0 or 1; for a complex number the number of magnitude one that points in its direction.
pub(super) fn sign(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let (x, dtype) = (x[0], f.dtype_of(x[0]));
    let (zero, one) = (
        f.literal(Literal::zero(dtype)),
        f.literal(Literal::one(dtype)),
    );
    if dtype.is_complex() {
        let direction = direction(f, x);
        let is_zero = f.binary(B::Equal, x, zero);
        return f.select(is_zero, zero, direction);
    }
    let is_positive = f.binary(B::Greater, x, zero);
    if dtype.is_unsigned() {
        return f.select(is_positive, one, zero);
    }
    let minus_one = f.unary(U::Negate, one);
    let is_negative = f.binary(B::Less, x, zero);
    // Zeros stay what they are, and so do NaNs; NumPy makes plus zero of minus zero.
    let rest = if dtype.is_float() { f.add(x, zero) } else { x };
    let rest = f.select(is_negative, minus_one, rest);
    f.select(is_positive, one, rest)
}

/// A complex number over its magnitude. At infinity along one axis it is that axis, as in NumPy, and not a quotient of
/// infinities; with a NaN in either part it is NaN, as the array API standard has it.
fn direction(f: &mut FunctionBuilder, x: Value) -> Value {
    let parts = [f.unary(U::Real, x), f.unary(U::Imaginary, x)];
    // Magnitudes of the largest numbers would overflow, and those of the smallest have few digits.
    let (huge, many_times) = match f.dtype_of(parts[0]) {
        DType::F64 => (f64::MAX / 4.0, 2_f64.powi(108)),
        _ => (f64::from(f32::MAX) / 4.0, 2_f64.powi(48)),
    };
    let (huge, many_times) = (
        constant(f, parts[0], huge),
        constant(f, parts[0], many_times),
    );
    let (one, quarter) = (constant(f, parts[0], 1.0), constant(f, parts[0], 0.25));
    let small = f.binary(B::Divide, one, many_times);
    let sizes = parts.map(|part| f.unary(U::Abs, part));
    let size = f.binary(B::Maximum, sizes[0], sizes[1]);
    let (is_huge, is_small) = (
        f.binary(B::Greater, size, huge),
        f.binary(B::Less, size, small),
    );
    let factor = f.select(is_small, many_times, one);
    let factor = f.select(is_huge, quarter, factor);
    let scaled = parts.map(|part| f.multiply(part, factor));
    let magnitude = f.math(M::Hypot, &scaled);

    let zero = constant(f, parts[0], 0.0);
    let is_infinite = parts.map(|part| f.unary(U::IsInf, part));
    let is_finite = parts.map(|part| f.unary(U::IsFinite, part));
    let along = [0, 1].map(|axis| f.binary(B::BitAnd, is_infinite[axis], is_finite[1 - axis]));
    let [real, imaginary] = [0, 1].map(|axis| {
        let quotient = f.binary(B::Divide, scaled[axis], magnitude);
        let across = f.select(along[1 - axis], zero, quotient);
        let unit = f.math(M::Copysign, &[one, parts[axis]]);
        f.select(along[axis], unit, across)
    });
    f.expression(Expression::Complex { real, imaginary })
}

pub(super) fn sign_bit(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let (x, dtype) = (x[0], f.dtype_of(x[0]));
    if dtype.is_float() {
        return f.unary(U::SignBit, x);
    }
    if dtype.is_bool() || dtype.is_unsigned() {
        return f.literal(Literal::Bool(false));
    }
    let zero = f.literal(Literal::zero(dtype));
    f.binary(B::Less, x, zero)
}

pub(super) fn reciprocal(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let dtype = f.dtype_of(x[0]);
    let one = f.literal(Literal::one(dtype));
    if dtype.is_complex() {
        return complex_reciprocal(f, x[0]);
    }
    let operator = if dtype.is_integer() {
        B::TruncatingDivide
    } else {
        B::Divide
    };
    f.binary(operator, one, x[0])
}

/// `minimum(maximum(x, low), high)`.
pub(super) fn clip(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    if f.dtype_of(x[0]).is_bool() {
        let raised = f.binary(B::BitOr, x[0], x[1]);
        return f.binary(B::BitAnd, raised, x[2]);
    }
    let raised = f.binary(B::Maximum, x[0], x[1]);
    f.binary(B::Minimum, raised, x[2])
}

/// The second operand where the first holds, and the third elsewhere.
pub(super) fn choose(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    f.select(x[0], x[1], x[2])
}

/// `log(exp(x) + exp(y))` without overflow.
pub(super) fn logaddexp(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    widened(f, x, |f, x| log_add(f, x, M::Exp, None))
}

/// `log2(2**x + 2**y)` without overflow.
pub(super) fn logaddexp2(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    widened(f, x, |f, x| log_add(f, x, M::Exp2, Some(1.0 / LN_2)))
}

/// The larger plus `log(1 + power(-|difference|))`, the logarithm times a factor.
fn log_add(f: &mut FunctionBuilder, x: &[Value], power: M, factor: Option<f64>) -> Value {
    let larger = f.binary(B::Maximum, x[0], x[1]);
    let difference = f.binary(B::Subtract, x[0], x[1]);
    let distance = f.unary(U::Abs, difference);
    let fall = f.unary(U::Negate, distance);
    // Two equal infinities have no difference that is a number, but they are equally far.
    let is_same = f.binary(B::Equal, x[0], x[1]);
    let zero = constant(f, x[0], 0.0);
    let fall = f.select(is_same, zero, fall);
    let share = f.math(power, &[fall]);
    let mut logarithm = f.math(M::Log1p, &[share]);
    if let Some(factor) = factor {
        let factor = constant(f, x[0], factor);
        logarithm = f.multiply(logarithm, factor);
    }
    f.add(larger, logarithm)
}

pub(super) fn radians(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    scaled(f, x, PI / 180.0)
}

pub(super) fn degrees(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    scaled(f, x, 180.0 / PI)
}

fn scaled(f: &mut FunctionBuilder, x: &[Value], factor: f64) -> Value {
    widened(f, x, |f, x| {
        let factor = constant(f, x[0], factor);
        f.multiply(x[0], factor)
    })
}

/// `sin(pi x) / (pi x)`, which is 1 at zero.
pub(super) fn sinc(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    widened(f, x, |f, x| {
        let (zero, one) = (constant(f, x[0], 0.0), constant(f, x[0], 1.0));
        let pi = constant(f, x[0], PI);
        let angle = f.multiply(x[0], pi);
        let sine = f.math(M::Sin, &[angle]);
        let ratio = f.binary(B::Divide, sine, angle);
        let is_zero = f.binary(B::Equal, x[0], zero);
        f.select(is_zero, one, ratio)
    })
}

/// The nearest whole number; of two, the even one. Complex numbers by their parts.
pub(super) fn rint(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    by_parts(f, x[0], |f, part| f.math(M::Rint, &[part]))
}

/// Rounded to a number of decimals, of which the second operand is the power of ten.
pub(super) fn round_decimals(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    scaled_rint(f, x, [B::Multiply, B::Divide])
}

/// Rounded to multiples of a power of ten, the second operand.
pub(super) fn round_tens(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    scaled_rint(f, x, [B::Divide, B::Multiply])
}

/// The nearest whole number after scaling and before scaling back. Integers are left alone: their call is
/// one of floats.
fn scaled_rint(f: &mut FunctionBuilder, x: &[Value], [there, back]: [B; 2]) -> Value {
    let dtype = f.dtype_of(x[0]);
    if dtype.is_bool() || dtype.is_integer() {
        return x[0];
    }
    let scale = real(f, &[x[1]]);
    by_parts(f, x[0], |f, part| {
        let scaled = f.binary(there, part, scale);
        let rounded = f.math(M::Rint, &[scaled]);
        f.binary(back, rounded, scale)
    })
}

/// One over a complex number by Smith's method, as NumPy has it: with a numerator that is known to be one, no zero of its
/// is multiplied with what overflows. `1 / x` does that, and so is NaN where this is infinite.
fn complex_reciprocal(f: &mut FunctionBuilder, x: Value) -> Value {
    let (re, im) = (f.unary(U::Real, x), f.unary(U::Imaginary, x));
    let (size_re, size_im) = (f.unary(U::Abs, re), f.unary(U::Abs, im));
    let is_steep = f.binary(B::LessEqual, size_re, size_im);
    let (larger, smaller) = (f.select(is_steep, im, re), f.select(is_steep, re, im));
    let ratio = f.binary(B::Divide, smaller, larger);
    let rest = f.multiply(smaller, ratio);
    let scale = f.add(larger, rest);
    let one = constant(f, re, 1.0);
    let (short, long) = (
        f.binary(B::Divide, ratio, scale),
        f.binary(B::Divide, one, scale),
    );
    let (real, imaginary) = (
        f.select(is_steep, short, long),
        f.select(is_steep, long, short),
    );
    let imaginary = f.unary(U::Negate, imaginary);
    f.expression(Expression::Complex { real, imaginary })
}

/// What a function of real numbers makes of a number, or of both parts of a complex one.
fn by_parts(
    f: &mut FunctionBuilder,
    x: Value,
    function: impl Fn(&mut FunctionBuilder, Value) -> Value,
) -> Value {
    if !f.dtype_of(x).is_complex() {
        return function(f, x);
    }
    let (real, imaginary) = (f.unary(U::Real, x), f.unary(U::Imaginary, x));
    let (real, imaginary) = (function(f, real), function(f, imaginary));
    f.expression(Expression::Complex { real, imaginary })
}

/// The first operand, but the others instead of NaN, infinity and minus infinity.
pub(super) fn nan_to_num(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let dtype = f.dtype_of(x[0]);
    if dtype.is_bool() || dtype.is_integer() {
        return x[0];
    }
    let [nan, plus, minus] = [x[1], x[2], x[3]].map(|x| real(f, &[x]));
    by_parts(f, x[0], |f, part| {
        let (is_nan, is_inf) = (f.unary(U::IsNan, part), f.unary(U::IsInf, part));
        let zero = constant(f, part, 0.0);
        let is_positive = f.binary(B::Greater, part, zero);
        let infinity = f.select(is_positive, plus, minus);
        let number = f.select(is_inf, infinity, part);
        f.select(is_nan, nan, number)
    })
}

/// Whether numbers differ by no more than a share of the second and a distance: the other operands.
pub(super) fn is_close(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let [share, distance] = [x[2], x[3]].map(|x| real(f, &[x]));
    let difference = f.binary(B::Subtract, x[0], x[1]);
    let difference = f.unary(U::Abs, difference);
    let size = f.unary(U::Abs, x[1]);
    let allowed = f.multiply(share, size);
    let allowed = f.add(distance, allowed);
    let is_near = f.binary(B::LessEqual, difference, allowed);
    // Nothing but itself is near infinity.
    let is_bounded = is_finite(f, &[x[1]]);
    let is_near = f.binary(B::BitAnd, is_near, is_bounded);
    let is_same = f.binary(B::Equal, x[0], x[1]);
    f.binary(B::BitOr, is_near, is_same)
}

/// As [`is_close`], and NaN is close to NaN.
pub(super) fn is_close_or_nan(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let is_close = is_close(f, x);
    let (first, second) = (is_nan(f, &[x[0]]), is_nan(f, &[x[1]]));
    let both = f.binary(B::BitAnd, first, second);
    f.binary(B::BitOr, is_close, both)
}

/// 0 below zero, 1 above, the second operand at zero.
pub(super) fn heaviside(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let (zero, one) = (constant(f, x[0], 0.0), constant(f, x[0], 1.0));
    let is_zero = f.binary(B::Equal, x[0], zero);
    let is_less = f.binary(B::Less, x[0], zero);
    let is_nan = f.unary(U::IsNan, x[0]);
    let rest = f.select(is_nan, x[0], one);
    let rest = f.select(is_less, zero, rest);
    f.select(is_zero, x[1], rest)
}

/// The quotient rounded down. With an infinite operand it is the quotient itself, as the array API has it:
/// infinite, a zero with its sign, or NaN for two infinities.
pub(super) fn floor_divide(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let quotient = f.binary(B::FloorDivide, x[0], x[1]);
    if !f.dtype_of(x[0]).is_float() {
        return quotient;
    }
    let (first, second) = (f.unary(U::IsInf, x[0]), f.unary(U::IsInf, x[1]));
    let is_infinite = f.binary(B::BitOr, first, second);
    let exact = f.binary(B::Divide, x[0], x[1]);
    f.select(is_infinite, exact, quotient)
}

/// C's remainder, also of integers.
pub(super) fn fmod(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    if f.dtype_of(x[0]).is_float() {
        return f.math(M::Fmod, x);
    }
    f.binary(B::TruncatingRemainder, x[0], x[1])
}

/// The smaller; the other one if one is NaN.
pub(super) fn fmin(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    if f.dtype_of(x[0]).is_float() {
        return f.math(M::Fmin, x);
    }
    f.binary(B::Minimum, x[0], x[1])
}

/// The larger; the other one if one is NaN.
pub(super) fn fmax(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    if f.dtype_of(x[0]).is_float() {
        return f.math(M::Fmax, x);
    }
    f.binary(B::Maximum, x[0], x[1])
}

pub(super) fn is_nan(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    either_part(f, x[0], U::IsNan)
}

pub(super) fn is_inf(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    either_part(f, x[0], U::IsInf)
}

pub(super) fn is_plus_inf(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    is_signed_inf(f, x[0], B::Greater)
}

pub(super) fn is_minus_inf(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    is_signed_inf(f, x[0], B::Less)
}

/// Whether a number is infinite and compares with zero in a way.
fn is_signed_inf(f: &mut FunctionBuilder, x: Value, compared: B) -> Value {
    if !f.dtype_of(x).is_float() {
        return f.literal(Literal::Bool(false));
    }
    let zero = constant(f, x, 0.0);
    let (is_inf, is_beyond) = (f.unary(U::IsInf, x), f.binary(compared, x, zero));
    f.binary(B::BitAnd, is_inf, is_beyond)
}

pub(super) fn is_real(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    is_imaginary_zero(f, x[0], B::Equal)
}

pub(super) fn is_complex(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    is_imaginary_zero(f, x[0], B::NotEqual)
}

/// How the imaginary part compares with zero; that of other numbers is zero.
fn is_imaginary_zero(f: &mut FunctionBuilder, x: Value, compared: B) -> Value {
    if !f.dtype_of(x).is_complex() {
        return f.literal(Literal::Bool(compared == B::Equal));
    }
    let imaginary = f.unary(U::Imaginary, x);
    let zero = constant(f, imaginary, 0.0);
    f.binary(compared, imaginary, zero)
}

/// Whether a test holds for a number or one of its parts; no integer is special.
fn either_part(f: &mut FunctionBuilder, x: Value, test: U) -> Value {
    let dtype = f.dtype_of(x);
    if dtype.is_float() {
        return f.unary(test, x);
    }
    if !dtype.is_complex() {
        return f.literal(Literal::Bool(false));
    }
    let (real, imaginary) = (f.unary(U::Real, x), f.unary(U::Imaginary, x));
    let (real, imaginary) = (f.unary(test, real), f.unary(test, imaginary));
    f.binary(B::BitOr, real, imaginary)
}

pub(super) fn is_finite(f: &mut FunctionBuilder, x: &[Value]) -> Value {
    let dtype = f.dtype_of(x[0]);
    if dtype.is_float() {
        return f.unary(U::IsFinite, x[0]);
    }
    if !dtype.is_complex() {
        return f.literal(Literal::Bool(true));
    }
    let (real, imaginary) = (f.unary(U::Real, x[0]), f.unary(U::Imaginary, x[0]));
    let (real, imaginary) = (f.unary(U::IsFinite, real), f.unary(U::IsFinite, imaginary));
    f.binary(B::BitAnd, real, imaginary)
}

/// Compares an `int64` with a `uint64`, in either order: a negative number is less than all others,
/// and what is not negative fits into `uint64`.
pub(super) fn compare_mixed_signs(
    f: &mut FunctionBuilder,
    operator: BinaryOperator,
    left: Value,
    right: Value,
) -> Value {
    let signed_first = f.dtype_of(left).is_signed();
    let signed = if signed_first { left } else { right };
    let zero = f.index(0);
    let is_negative = f.binary(B::Less, signed, zero);
    let of_negative = match operator {
        B::NotEqual => true,
        B::Less | B::LessEqual => signed_first,
        B::Greater | B::GreaterEqual => !signed_first,
        _ => false,
    };
    let of_negative = f.literal(Literal::Bool(of_negative));
    let (left, right) = (f.cast(left, DType::U64), f.cast(right, DType::U64));
    let of_others = f.binary(operator, left, right);
    f.select(is_negative, of_negative, of_others)
}
