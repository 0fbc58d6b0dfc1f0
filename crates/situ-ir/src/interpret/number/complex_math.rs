//! Elementary functions of complex numbers, in `complex128`.
//!
//! Branch cuts, signed zeros, infinities and NaNs are those of C99 Annex G, which NumPy and the array
//! API follow. `complex64` is computed here and rounded once. The inverse functions use Kahan's
//! formulas, in which no two terms of opposite sign cancel, so both parts are accurate.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, LOG10_E, PI};

use num_complex::Complex64;

/// Above this, `exp` overflows although its product with a sine or cosine may not.
const LARGE_EXPONENT: f64 = 700.0;
const NAN: Complex64 = Complex64::new(f64::NAN, f64::NAN);

fn complex(real: f64, imaginary: f64) -> Complex64 {
    Complex64::new(real, imaginary)
}

/// `i * z`, without the zeros of a full product.
fn times_i(z: Complex64) -> Complex64 {
    complex(-z.im, z.re)
}

/// `-i * z`.
fn over_i(z: Complex64) -> Complex64 {
    complex(z.im, -z.re)
}

/// `exp(x) * factor * scale`, also when the exponential alone would overflow. The scale is 1 or a
/// half; it is not multiplied with the factor, which may be the smallest number there is.
fn scaled_exp(x: f64, factor: f64, scale: f64) -> f64 {
    if x > LARGE_EXPONENT {
        let rest = libm::exp(x - LARGE_EXPONENT);
        factor * (libm::exp(LARGE_EXPONENT) * scale) * rest
    } else {
        libm::exp(x) * factor * scale
    }
}

pub(super) fn exp(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return complex(libm::exp(x), y);
    }
    if !y.is_finite() {
        return match x {
            f64::INFINITY => complex(x, f64::NAN),
            f64::NEG_INFINITY => complex(0.0, 0.0),
            _ => NAN,
        };
    }
    complex(
        scaled_exp(x, libm::cos(y), 1.0),
        scaled_exp(x, libm::sin(y), 1.0),
    )
}

pub(super) fn expm1(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    let whole = exp(z);
    if !(x.abs() < 30.0 && y.is_finite()) {
        return complex(whole.re - 1.0, whole.im);
    }
    let half_sine = libm::sin(y / 2.0);
    let real = libm::expm1(x) * libm::cos(y) - 2.0 * half_sine * half_sine;
    // Adding zero makes plus zero of minus zero, as the array API has it.
    complex(real + 0.0, whole.im)
}

pub(super) fn log(z: Complex64) -> Complex64 {
    complex(log_magnitude(z), libm::atan2(z.im, z.re))
}

pub(super) fn log2(z: Complex64) -> Complex64 {
    log(z) * LOG2_E
}

pub(super) fn log10(z: Complex64) -> Complex64 {
    log(z) * LOG10_E
}

pub(super) fn log1p(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    let moved = complex(1.0 + x, y);
    let angle = libm::atan2(moved.im, moved.re);
    if !(0.5..=2.0).contains(&libm::hypot(moved.re, moved.im)) {
        return complex(log_magnitude(moved), angle);
    }
    // |1 + z|^2 - 1, from the largest term to the smallest and with the rounding error of each sum.
    let (x_square, y_square) = (x * x, y * y);
    let mut terms = [
        2.0 * x,
        x_square,
        y_square,
        x.mul_add(x, -x_square),
        y.mul_add(y, -y_square),
    ];
    terms.sort_by(|left, right| right.abs().total_cmp(&left.abs()));
    let (mut sum, mut error) = (0.0_f64, 0.0);
    for term in terms {
        let next = sum + term;
        error += if sum.abs() >= term.abs() {
            (sum - next) + term
        } else {
            (term - next) + sum
        };
        sum = next;
    }
    complex(libm::log1p(sum + error) / 2.0, angle)
}

/// `log |z|`, accurate for magnitudes near 1 and without overflow.
fn log_magnitude(z: Complex64) -> f64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    if x.is_nan() || y.is_nan() {
        return libm::log(libm::hypot(x, y));
    }
    let (large, small) = if x > y { (x, y) } else { (y, x) };
    if !(1e-150..=1e150).contains(&large) {
        let scale = if large > 1.0 { 0.5 } else { 2.0_f64.powi(60) };
        let log = libm::log(libm::hypot(x * scale, y * scale));
        return log - if large > 1.0 { -LN_2 } else { 60.0 * LN_2 };
    }
    let magnitude = libm::hypot(x, y);
    if !(0.5..=2.0).contains(&magnitude) {
        return libm::log(magnitude);
    }
    // large^2 + small^2 - 1 with the rounding errors of the squares and sums added back. From 1 on
    // nothing cancels, so there the error of the first difference does not matter.
    let (large_square, small_square) = (large * large, small * small);
    let large_error = large.mul_add(large, -large_square);
    let small_error = small.mul_add(small, -small_square);
    let most = large_square - 1.0;
    let most_error = if large_square < 1.0 {
        large_square - (most + 1.0)
    } else {
        0.0
    };
    let sum = most + small_square;
    let sum_error = (most - (sum - small_square)) + (small_square - (sum - (sum - small_square)));
    libm::log1p(sum + (sum_error + most_error + large_error + small_error)) / 2.0
}

pub(super) fn sqrt(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x == 0.0 && y == 0.0 {
        return complex(0.0, y);
    }
    if y.is_infinite() {
        return complex(f64::INFINITY, y);
    }
    if x == f64::INFINITY {
        return complex(x, if y.is_nan() { y } else { 0.0_f64.copysign(y) });
    }
    if x == f64::NEG_INFINITY {
        let real = if y.is_nan() { y } else { 0.0 };
        return complex(real, f64::INFINITY.copysign(y));
    }
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    let largest = x.abs().max(y.abs());
    let (scale, unscale) = if largest > 1e300 {
        (2.0_f64.powi(-4), 4.0)
    } else if largest < 1e-280 {
        (2.0_f64.powi(120), 2.0_f64.powi(-60))
    } else {
        (1.0, 1.0)
    };
    let (x, y) = (x * scale, y * scale);
    let root = f64::midpoint(x.abs(), libm::hypot(x, y)).sqrt();
    let other = y.abs() / (2.0 * root);
    let (real, imaginary) = if x >= 0.0 {
        (root, other)
    } else {
        (other, root)
    };
    complex(real * unscale, (imaginary * unscale).copysign(y))
}

pub(super) fn sinh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return complex(libm::sinh(x), y);
    }
    if !y.is_finite() {
        return match x {
            _ if x.is_infinite() => complex(x, f64::NAN),
            0.0 => complex(x, f64::NAN),
            _ => NAN,
        };
    }
    let (sine, cosine) = libm::sincos(y);
    if x.abs() > LARGE_EXPONENT {
        let half = scaled_exp(x.abs(), cosine, 0.5);
        return complex(half.copysign(half * x), scaled_exp(x.abs(), sine, 0.5));
    }
    complex(libm::sinh(x) * cosine, libm::cosh(x) * sine)
}

pub(super) fn cosh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        let zero = if x.is_nan() {
            y
        } else {
            y * 1.0_f64.copysign(x)
        };
        return complex(libm::cosh(x), zero);
    }
    if !y.is_finite() {
        return match x {
            _ if x.is_infinite() => complex(f64::INFINITY, f64::NAN),
            0.0 => complex(f64::NAN, 0.0),
            _ => NAN,
        };
    }
    let (sine, cosine) = libm::sincos(y);
    if x.abs() > LARGE_EXPONENT {
        let half = scaled_exp(x.abs(), sine, 0.5);
        return complex(scaled_exp(x.abs(), cosine, 0.5), half.copysign(half * x));
    }
    complex(libm::cosh(x) * cosine, libm::sinh(x) * sine)
}

pub(super) fn tanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return complex(libm::tanh(x), y);
    }
    if x.is_infinite() {
        let sign = if y.is_finite() { libm::sin(2.0 * y) } else { y };
        return complex(1.0_f64.copysign(x), 0.0_f64.copysign(sign));
    }
    if !y.is_finite() {
        return if x == 0.0 { complex(x, f64::NAN) } else { NAN };
    }
    if x.abs() > 22.0 {
        // 1 - tanh is below half an ulp, and the imaginary part is 2 sin(2y) exp(-2|x|).
        let (sine, cosine) = libm::sincos(y);
        let decay = libm::exp(-x.abs());
        let imaginary = 4.0 * sine * cosine * decay * decay;
        return complex(1.0_f64.copysign(x), imaginary);
    }
    let tangent = libm::tan(y);
    let secant_square = 1.0 + tangent * tangent;
    let sine = libm::sinh(x);
    let cosine = (1.0 + sine * sine).sqrt();
    if tangent.is_infinite() {
        return complex(cosine / sine, 1.0 / tangent);
    }
    let divisor = 1.0 + secant_square * sine * sine;
    complex(secant_square * cosine * sine / divisor, tangent / divisor)
}

pub(super) fn sin(z: Complex64) -> Complex64 {
    over_i(sinh(times_i(z)))
}

pub(super) fn cos(z: Complex64) -> Complex64 {
    cosh(times_i(z))
}

pub(super) fn tan(z: Complex64) -> Complex64 {
    over_i(tanh(times_i(z)))
}

pub(super) fn asinh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_infinite() {
        let angle = match y {
            _ if y.is_nan() => y,
            _ if y.is_infinite() => FRAC_PI_4.copysign(y),
            _ => 0.0_f64.copysign(y),
        };
        return complex(x, angle);
    }
    if y.is_infinite() {
        let angle = if x.is_nan() { x } else { FRAC_PI_2.copysign(y) };
        return complex(f64::INFINITY.copysign(x), angle);
    }
    if x.is_nan() && y == 0.0 {
        return z;
    }
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    times_i(finite_asin(over_i(z)))
}

/// Whether squares of this number are all that counts beside 1, so that `log(2z)` is the inverse of
/// the hyperbolic functions.
fn is_large(z: Complex64) -> bool {
    z.re.abs().max(z.im.abs()) > 1e100
}

/// The inverse sine of a number with finite parts.
fn finite_asin(z: Complex64) -> Complex64 {
    if z.re.abs().max(z.im.abs()) < 1e-100 {
        return z;
    }
    if is_large(z) {
        let imaginary = (LN_2 + log_magnitude(z)).copysign(z.im);
        return complex(libm::atan2(z.re, z.im.abs()), imaginary);
    }
    let below = sqrt(complex(1.0 - z.re, -z.im));
    let above = sqrt(complex(1.0 + z.re, z.im));
    let real = libm::atan2(z.re, below.re * above.re - below.im * above.im);
    let imaginary = libm::asinh(below.re * above.im - below.im * above.re);
    complex(real, imaginary.copysign(z.im))
}

pub(super) fn asin(z: Complex64) -> Complex64 {
    over_i(asinh(times_i(z)))
}

/// The inverse hyperbolic cosine of a number with an infinite or NaN part and a positive imaginary
/// part.
fn special_acosh(x: f64, y: f64) -> Complex64 {
    if x.is_infinite() || y.is_infinite() {
        let angle = match (x, y) {
            _ if x.is_nan() || y.is_nan() => f64::NAN,
            (f64::INFINITY, f64::INFINITY) => FRAC_PI_4,
            (f64::NEG_INFINITY, f64::INFINITY) => 3.0 * FRAC_PI_4,
            (f64::INFINITY, _) => 0.0,
            (f64::NEG_INFINITY, _) => PI,
            _ => FRAC_PI_2,
        };
        return complex(f64::INFINITY, angle);
    }
    if x == 0.0 {
        return complex(f64::NAN, FRAC_PI_2);
    }
    NAN
}

pub(super) fn acosh(z: Complex64) -> Complex64 {
    if !z.re.is_finite() || !z.im.is_finite() {
        let special = special_acosh(z.re, z.im.abs());
        return complex(special.re, special.im.copysign(z.im));
    }
    if is_large(z) {
        return complex(LN_2 + log_magnitude(z), libm::atan2(z.im, z.re));
    }
    let below = sqrt(complex(z.re - 1.0, z.im));
    let above = sqrt(complex(z.re + 1.0, z.im));
    let real = libm::asinh(below.re * above.re + below.im * above.im);
    complex(real, 2.0 * libm::atan2(below.im, above.re))
}

pub(super) fn acos(z: Complex64) -> Complex64 {
    if !z.re.is_finite() || !z.im.is_finite() {
        let special = special_acosh(z.re, z.im.abs());
        return complex(special.im, special.re.copysign(-z.im));
    }
    if is_large(z) {
        let imaginary = (LN_2 + log_magnitude(z)).copysign(-z.im);
        return complex(libm::atan2(z.im.abs(), z.re), imaginary);
    }
    let below = sqrt(complex(1.0 - z.re, -z.im));
    let above = sqrt(complex(1.0 + z.re, z.im));
    let real = 2.0 * libm::atan2(below.re, above.re);
    let imaginary = libm::asinh(above.re * below.im - above.im * below.re);
    complex(real, imaginary)
}

pub(super) fn atanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        let real = match x {
            _ if x.is_infinite() || x == 0.0 || y.is_infinite() => 0.0_f64.copysign(x),
            _ => f64::NAN,
        };
        let imaginary = if y.is_infinite() {
            FRAC_PI_2.copysign(y)
        } else {
            f64::NAN
        };
        return complex(real, imaginary);
    }
    if x.is_infinite() || y.is_infinite() {
        return complex(0.0_f64.copysign(x), FRAC_PI_2.copysign(y));
    }
    let (a, b) = (x.abs(), y.abs());
    if a > 1e150 || b > 1e150 {
        let magnitude = libm::hypot(a / 2.0, b / 2.0);
        let real = (x / magnitude) / magnitude / 4.0;
        return complex(real, FRAC_PI_2.copysign(y));
    }
    if a == 1.0 && b < 1e-150 && b > 0.0 {
        let real = (LN_2 - libm::log(b)) / 2.0;
        return complex(real.copysign(x), libm::atan2(2.0, -b).copysign(y) / 2.0);
    }
    let rest = 1.0 - a;
    let real = libm::log1p(4.0 * a / (rest * rest + b * b)) / 4.0;
    let imaginary = libm::atan2(2.0 * y, rest * (1.0 + a) - b * b) / 2.0;
    complex(real.copysign(x), imaginary)
}

pub(super) fn atan(z: Complex64) -> Complex64 {
    over_i(atanh(times_i(z)))
}

/// NumPy's power: `x ** 0` is 1; 0 to a power is 0 if the real part of the power is positive and NaN
/// otherwise; small integer powers are products.
pub(super) fn power(x: Complex64, y: Complex64) -> Complex64 {
    if y.re == 0.0 && y.im == 0.0 {
        return complex(1.0, 0.0);
    }
    if x.re == 0.0 && x.im == 0.0 {
        return if y.re > 0.0 { complex(0.0, 0.0) } else { NAN };
    }
    if y.im == 0.0 && y.re.trunc() == y.re && y.re.abs() < 100.0 {
        let power = integer_power(x, y.re.abs() as u32);
        return if y.re < 0.0 {
            super::complex::divide(complex(1.0, 0.0), power)
        } else {
            power
        };
    }
    let log = log(x);
    if y.im == 0.0 {
        // A full product would make NaN of a zero times an infinity.
        return exp(complex(y.re * log.re, y.re * log.im));
    }
    exp(super::complex::multiply(y, log))
}

fn integer_power(mut base: Complex64, mut exponent: u32) -> Complex64 {
    let mut power = complex(1.0, 0.0);
    let mut first = true;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = if first {
                base
            } else {
                super::complex::multiply(power, base)
            };
            first = false;
        }
        exponent >>= 1;
        if exponent > 0 {
            base = super::complex::multiply(base, base);
        }
    }
    power
}
