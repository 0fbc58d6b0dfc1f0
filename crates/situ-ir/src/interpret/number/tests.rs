//! Numbers against NumPy: expected values were computed with NumPy 2 and written down.

use half::f16;
use num_complex::{Complex32, Complex64};

use super::{binary, cast, math, unary};
use crate::dtype::DType;
use crate::expression::{BinaryOperator as B, MathFunction as M, UnaryOperator as U};
use crate::literal::Literal;

fn f64_of(literal: Literal) -> f64 {
    match literal {
        Literal::F64(value) => value,
        other => panic!("{other:?} is not a float64"),
    }
}

/// Equal bits, or both NaN.
fn assert_same(found: f64, expected: f64, what: &str) {
    let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
    assert!(same, "{what}: {found:?} instead of {expected:?}");
}

#[test]
fn float_floor_divide_and_modulo_follow_numpy() {
    let inf = f64::INFINITY;
    let nan = f64::NAN;
    let cases = [
        (7.5, 2.0, 3.0, 1.5),
        (-7.5, 2.0, -4.0, 0.5),
        (7.5, -2.0, -4.0, -0.5),
        (-1.0, inf, -1.0, inf),
        (1.0, -inf, -1.0, -inf),
        (1.0, 0.0, inf, nan),
        (-1.0, 0.0, -inf, nan),
        (0.0, 0.0, nan, nan),
        (inf, 1.0, nan, nan),
        (-0.0, 3.0, -0.0, 0.0),
        (0.0, -3.0, -0.0, -0.0),
        (4.0, -2.0, -2.0, -0.0),
        (1e300, 1e-10, inf, 5.476_641_984_772_742e-11),
        (0.7, 0.1, 6.0, 0.099_999_999_999_999_92),
        (-1e-20, 3.0, -1.0, 3.0),
        (5.0, nan, nan, nan),
    ];
    for (x, y, quotient, remainder) in cases {
        let of = |operator| f64_of(binary(operator, Literal::F64(x), Literal::F64(y)).unwrap());
        assert_same(of(B::FloorDivide), quotient, &format!("{x} // {y}"));
        assert_same(of(B::Modulo), remainder, &format!("{x} % {y}"));
    }
}

#[test]
fn float16_rounds_once_per_operator() {
    let half = |bits| Literal::F16(f16::from_bits(bits));
    let cases = [
        (25_553, 13_517, [25_554, 23_729, 27_267]),
        (50_944, 16_896, [50_176, 52_544, 49_323]),
        (31_571, 11_878, [31_571, 28_124, 31_744]),
    ];
    for (x, y, expected) in cases {
        let operators = [B::Add, B::Multiply, B::Divide];
        for (operator, bits) in operators.into_iter().zip(expected) {
            assert_eq!(binary(operator, half(x), half(y)), Some(half(bits)));
        }
    }
    let quotient = binary(B::FloorDivide, half(25_553), half(13_517)).unwrap();
    assert_eq!(quotient, Literal::F16(f16::from_f32(3334.0)));
}

#[test]
fn float64_to_float16_rounds_once() {
    let cases = [
        (1.000_488_281_25, 0x3c00),
        (1.000_488_281_250_000_2, 0x3c01),
        (65_519.99, 0x7bff),
        (65_520.0, 0x7c00),
        (2.980_232_238_769_531_2e-8, 0),
        (2.980_232_238_769_534e-8, 1),
        (-1e-10, 0x8000),
        (f64::NEG_INFINITY, 0xfc00),
    ];
    for (value, bits) in cases {
        let expected = Literal::F16(f16::from_bits(bits));
        assert_eq!(cast(Literal::F64(value), DType::F16), expected, "{value:?}");
    }
    assert_eq!(
        cast(Literal::U64(u64::MAX), DType::F16),
        Literal::F16(f16::INFINITY)
    );
    assert_eq!(
        cast(Literal::I64(2049), DType::F16),
        Literal::F16(f16::from_f32(2048.0))
    );
}

#[test]
fn integer_division_is_total() {
    let i8 = |operator, x, y| match binary(operator, Literal::I8(x), Literal::I8(y)) {
        Some(Literal::I8(result)) => result,
        other => panic!("{other:?}"),
    };
    let cases = [
        (7, 2, 3, 1),
        (-7, 2, -4, 1),
        (7, -2, -4, -1),
        (-7, -2, 3, -1),
        (-8, 2, -4, 0),
    ];
    for (x, y, quotient, remainder) in cases {
        assert_eq!(i8(B::FloorDivide, x, y), quotient, "{x} // {y}");
        assert_eq!(i8(B::Modulo, x, y), remainder, "{x} % {y}");
    }
    assert_eq!(
        (
            i8(B::TruncatingDivide, -7, 2),
            i8(B::TruncatingRemainder, -7, 2)
        ),
        (-3, -1)
    );
    for operator in [
        B::FloorDivide,
        B::Modulo,
        B::TruncatingDivide,
        B::TruncatingRemainder,
    ] {
        assert_eq!(i8(operator, 5, 0), 0);
    }
    assert_eq!(
        (i8(B::FloorDivide, -128, -1), i8(B::Modulo, -128, -1)),
        (-128, 0)
    );
    let unsigned = binary(B::FloorDivide, Literal::U64(u64::MAX), Literal::U64(0));
    assert_eq!(unsigned, Some(Literal::U64(0)));
}

#[test]
fn integer_power_wraps_and_rounds_negative_exponents_towards_zero() {
    let i32 = |x, y| binary(B::Power, Literal::I32(x), Literal::I32(y)).unwrap();
    let cases = [
        (3, 4, 81),
        (0, 0, 1),
        (2, 31, i32::MIN),
        (7, 30, 1_878_557_649),
        (1, -5, 1),
        (-1, -4, 1),
        (-1, -5, -1),
        (2, -1, 0),
        (0, -1, 0),
        (-3, 3, -27),
    ];
    for (x, y, expected) in cases {
        assert_eq!(i32(x, y), Literal::I32(expected), "{x} ** {y}");
    }
    let wrapped = binary(B::Power, Literal::U8(3), Literal::U8(255));
    assert_eq!(wrapped, Some(Literal::U8(171)));
}

#[test]
fn shifts_out_of_range_shift_everything_out() {
    let shift = |operator, x, y| binary(operator, Literal::I16(x), Literal::I16(y)).unwrap();
    for count in [16, 100, -1, i16::MIN] {
        assert_eq!(shift(B::ShiftLeft, -3, count), Literal::I16(0));
        assert_eq!(shift(B::ShiftRight, -3, count), Literal::I16(-1));
        assert_eq!(shift(B::ShiftRight, 3, count), Literal::I16(0));
    }
    assert_eq!(shift(B::ShiftRight, -8, 2), Literal::I16(-2));
    assert_eq!(shift(B::ShiftLeft, 1, 15), Literal::I16(i16::MIN));
    let unsigned = binary(B::ShiftRight, Literal::U8(255), Literal::U8(8));
    assert_eq!(unsigned, Some(Literal::U8(0)));
}

#[test]
fn integers_wrap() {
    assert_eq!(unary(U::Negate, Literal::I8(-128)), Some(Literal::I8(-128)));
    assert_eq!(unary(U::Abs, Literal::I8(-128)), Some(Literal::I8(-128)));
    assert_eq!(unary(U::Negate, Literal::U8(1)), Some(Literal::U8(255)));
    assert_eq!(unary(U::Not, Literal::U16(1)), Some(Literal::U16(0xfffe)));
    assert_eq!(
        unary(U::Not, Literal::Bool(true)),
        Some(Literal::Bool(false))
    );
    assert_eq!(
        unary(U::LeadingZeros, Literal::I16(1)),
        Some(Literal::I16(15))
    );
    assert_eq!(
        unary(U::LeadingZeros, Literal::I64(0)),
        Some(Literal::I64(64))
    );
    assert_eq!(unary(U::PopCount, Literal::I32(-1)), Some(Literal::I32(32)));
}

#[test]
fn minimum_and_maximum_keep_nan_and_the_first_of_equals() {
    let of = |operator, x, y| f64_of(binary(operator, Literal::F64(x), Literal::F64(y)).unwrap());
    for operator in [B::Minimum, B::Maximum] {
        assert!(of(operator, f64::NAN, 1.0).is_nan());
        assert!(of(operator, 1.0, f64::NAN).is_nan());
        assert_same(of(operator, -0.0, 0.0), -0.0, "first of equals");
        assert_same(of(operator, 0.0, -0.0), 0.0, "first of equals");
    }
    let fmin = |x, y| f64_of(math(M::Fmin, &[Literal::F64(x), Literal::F64(y)]).unwrap());
    assert_same(fmin(f64::NAN, 1.0), 1.0, "fmin");
    assert_same(fmin(1.0, f64::NAN), 1.0, "fmin");
}

#[test]
fn casts_saturate_wrap_and_take_the_real_part() {
    let cases = [
        (Literal::F64(f64::NAN), DType::I32, Literal::I32(0)),
        (Literal::F64(f64::NAN), DType::Bool, Literal::Bool(true)),
        (Literal::F64(-0.0), DType::Bool, Literal::Bool(false)),
        (Literal::F32(3e10), DType::I32, Literal::I32(i32::MAX)),
        (Literal::F32(-3e10), DType::U8, Literal::U8(0)),
        (Literal::F64(-1.9), DType::I8, Literal::I8(-1)),
        (Literal::F64(1e300), DType::U64, Literal::U64(u64::MAX)),
        (Literal::I32(300), DType::U8, Literal::U8(44)),
        (Literal::I8(-1), DType::U64, Literal::U64(u64::MAX)),
        (Literal::U64(u64::MAX), DType::I8, Literal::I8(-1)),
        (
            Literal::I64(i64::MAX),
            DType::F32,
            Literal::F32(9.223_372e18),
        ),
        (
            Literal::I64((1 << 53) + 1),
            DType::F64,
            Literal::F64(9_007_199_254_740_992.0),
        ),
        (Literal::F64(1e40), DType::F32, Literal::F32(f32::INFINITY)),
        (
            Literal::Bool(true),
            DType::C64,
            Literal::C64(Complex32::new(1.0, 0.0)),
        ),
        (
            Literal::C128(Complex64::new(2.5, 9.0)),
            DType::I16,
            Literal::I16(2),
        ),
        (
            Literal::C64(Complex32::new(0.0, -1.0)),
            DType::Bool,
            Literal::Bool(true),
        ),
    ];
    for (from, dtype, to) in cases {
        assert_eq!(cast(from, dtype), to, "{from:?} as {dtype}");
    }
}

#[test]
fn complex_division_is_smiths() {
    let divide = |a, b, c, d| {
        let (x, y) = (Complex64::new(a, b), Complex64::new(c, d));
        match binary(B::Divide, Literal::C128(x), Literal::C128(y)) {
            Some(Literal::C128(z)) => (z.re, z.im),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(divide(1.0, 2.0, 3.0, 4.0), (0.44, 0.08));
    assert_eq!(divide(1e300, 1e300, 1e300, 1e300), (1.0, 0.0));
    let (real, imaginary) = divide(1.0, 0.0, 0.0, 0.0);
    assert!(real == f64::INFINITY && imaginary.is_nan());
}

#[test]
fn exact_functions_of_floats() {
    let f32 = |function, arguments: &[f32]| {
        let arguments: Vec<_> = arguments.iter().map(|&x| Literal::F32(x)).collect();
        match math(function, &arguments) {
            Some(Literal::F32(result)) => result,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(f32(M::Rint, &[2.5]), 2.0);
    assert_eq!(f32(M::Rint, &[-0.4]).to_bits(), (-0.0_f32).to_bits());
    assert_eq!(f32(M::Fmod, &[-7.0, 3.0]), -1.0);
    assert!(f32(M::Fmod, &[1.0, 0.0]).is_nan());
    assert_eq!(f32(M::Nextafter, &[0.0, -1.0]).to_bits(), 0x8000_0001);
    assert_eq!(f32(M::Nextafter, &[1.0, 2.0]).to_bits(), 0x3f80_0001);
    assert_eq!(f32(M::Nextafter, &[f32::MAX, f32::INFINITY]), f32::INFINITY);
    assert_eq!(f32(M::Nextafter, &[-1.0, 0.0]).to_bits(), 0xbf7f_ffff);
    // One rounding: the product alone is 1 + 2^-22 + 2^-46.
    let x = 1.0 + f32::EPSILON;
    assert_eq!(
        f32(M::Fma, &[x, x, -1.0]),
        2.0 * f32::EPSILON + f32::EPSILON * f32::EPSILON
    );
    assert_eq!(f32(M::Rsqrt, &[0.0]), f32::INFINITY);
    assert_eq!(f32(M::Sqrt, &[2.0]).to_bits(), 0x3fb5_04f3);
    assert_eq!(f32(M::Copysign, &[3.0, -0.0]), -3.0);
}

#[test]
fn functions_refuse_dtypes_they_do_not_take() {
    assert_eq!(math(M::Sin, &[Literal::I32(1)]), None);
    assert_eq!(
        math(M::Floor, &[Literal::C64(Complex32::new(1.0, 0.0))]),
        None
    );
    assert_eq!(math(M::Fma, &[Literal::F32(1.0)]), None);
    assert_eq!(binary(B::Add, Literal::I8(1), Literal::U8(1)), None);
    assert_eq!(binary(B::Divide, Literal::I8(1), Literal::I8(1)), None);
    assert_eq!(unary(U::Negate, Literal::Bool(true)), None);
}

/// How far apart two floats are, in units of the last place of the expected one.
fn ulps(found: f64, expected: f64) -> f64 {
    if found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    if !found.is_finite() || !expected.is_finite() || expected == 0.0 {
        return f64::INFINITY;
    }
    let next = f64::from_bits(expected.abs().to_bits() + 1);
    (found - expected).abs() / (next - expected.abs())
}

/// Each line: function, argument and NumPy's result, parts separated by blanks. The table covers
/// ordinary numbers, branch cuts, overflow and every combination of 0, -0, ±1, ±inf and NaN, except
/// the seven whose sign C99 leaves open.
#[test]
fn complex_functions_agree_with_numpy() {
    let mut wrong = Vec::new();
    for line in include_str!("numpy_complex.txt").lines() {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let argument = Literal::C128(Complex64::new(numbers[0], numbers[1]));
        let function = M::from_name(name).unwrap();
        let Some(Literal::C128(found)) = math(function, &[argument]) else {
            panic!("{name} takes complex numbers");
        };
        let error = ulps(found.re, numbers[2]).max(ulps(found.im, numbers[3]));
        if error > 4.0 {
            wrong.push(format!(
                "{line}: found {} {} ({error} ulp)",
                found.re, found.im
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn real_functions_know_where_they_end() {
    for x in [f64::NEG_INFINITY, f64::MIN, -1.0, 0.999] {
        let found = math(M::Acosh, &[Literal::F64(x)]);
        assert!(
            matches!(found, Some(Literal::F64(y)) if y.is_nan()),
            "{x}: {found:?}"
        );
    }
}

#[test]
fn complex_functions_keep_the_ends_of_the_range() {
    let of = |function, re, im| match math(function, &[Literal::C128(Complex64::new(re, im))]) {
        Some(Literal::C128(z)) => (z.re, z.im),
        other => panic!("{other:?}"),
    };
    let (largest, smallest) = (f64::MAX, 5e-324);
    assert_eq!(of(M::Asin, 0.0, smallest), (0.0, smallest));
    assert_eq!(of(M::Asinh, smallest, -smallest), (smallest, -smallest));
    let (real, imaginary) = of(M::Asinh, largest, largest);
    assert!(ulps(real, 710.822_433_664_223_9) <= 1.0, "{real}");
    assert!(
        ulps(imaginary, std::f64::consts::FRAC_PI_4) <= 1.0,
        "{imaginary}"
    );
    let (real, imaginary) = of(M::Acosh, -largest, largest);
    assert!(ulps(real, 710.822_433_664_223_9) <= 1.0, "{real}");
    assert!(
        ulps(imaginary, 3.0 * std::f64::consts::FRAC_PI_4) <= 1.0,
        "{imaginary}"
    );
    assert!(of(M::Log, largest, f64::NAN).0.is_nan());
    assert_eq!(
        of(M::Sinh, largest, smallest),
        (f64::INFINITY, f64::INFINITY)
    );
    assert_eq!(of(M::Log, f64::INFINITY, f64::NAN).0, f64::INFINITY);
}
