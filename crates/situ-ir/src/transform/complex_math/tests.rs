//! The error of the formulas, and their special values.
//!
//! `reference/` holds the expected results; `tools/make_complex_reference.py` made it with mpmath
//! (rounded correctly) and NumPy (special values). Here the formulas run on plain floats with the
//! functions of `libm`; that lowering writes the same formulas down is tested with the interpreter.

use super::{Pair, Real, apply, power};
use crate::expression::MathFunction;

/// Implements [`Real`] with the functions of `libm`, which are within 1 ulp.
macro_rules! real_number {
    ($type:ident, $choice:literal, $fma:path;
     $($function:ident $unary:path),*; $($with:ident $binary:path),*) => {
        impl Real for $type {
            type Condition = bool;

            fn choose(self, single: f64, double: f64) -> Self {
                [single as Self, double as Self][$choice]
            }

            fn apply(self, function: MathFunction) -> Self {
                match function {
                    $(MathFunction::$function => $unary(self),)*
                    other => panic!("no formula should need {other:?}"),
                }
            }

            fn apply_with(self, function: MathFunction, second: Self) -> Self {
                match function {
                    $(MathFunction::$with => $binary(self, second),)*
                    other => panic!("no formula should need {other:?}"),
                }
            }

            fn fma(self, factor: Self, summand: Self) -> Self {
                $fma(self, factor, summand)
            }

            fn abs(self) -> Self {
                self.abs()
            }

            fn select(condition: bool, accept: Self, reject: Self) -> Self {
                if condition { accept } else { reject }
            }

            fn equals(self, other: Self) -> bool {
                self == other
            }

            fn less(self, other: Self) -> bool {
                self < other
            }

            fn is_infinite(self) -> bool {
                self.is_infinite()
            }

            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    };
}

real_number! {
    f32, 0, libm::fmaf;
    Sin libm::sinf, Cos libm::cosf, Tan libm::tanf, Sinh libm::sinhf,
    Cosh libm::coshf, Exp libm::expf, Expm1 libm::expm1f, Log libm::logf, Log1p libm::log1pf,
    Sqrt libm::sqrtf, Floor libm::floorf;
    Atan2 libm::atan2f, Hypot libm::hypotf, Copysign libm::copysignf
}

real_number! {
    f64, 1, libm::fma;
    Sin libm::sin, Cos libm::cos, Tan libm::tan, Sinh libm::sinh,
    Cosh libm::cosh, Exp libm::exp, Expm1 libm::expm1, Log libm::log, Log1p libm::log1p,
    Sqrt libm::sqrt, Floor libm::floor;
    Atan2 libm::atan2, Hypot libm::hypot, Copysign libm::copysign
}

/// The largest error of a part, in units of its last place, over the points of the tables. A run
/// with twenty times as many points found no more than 4 for any function.
const LARGEST_ERRORS: [(&str, u64, u64); 18] = [
    // function, float32, float64
    ("sin", 2, 1),
    ("cos", 2, 1),
    ("tan", 2, 2),
    ("asin", 2, 2),
    ("acos", 2, 2),
    ("atan", 1, 1),
    ("sinh", 2, 2),
    ("cosh", 2, 1),
    ("tanh", 3, 3),
    ("asinh", 2, 2),
    ("acosh", 1, 2),
    ("atanh", 1, 1),
    ("exp", 1, 2),
    ("log", 1, 1),
    ("sqrt", 1, 1),
    ("log1p", 1, 1),
    ("log2", 1, 1),
    ("log10", 2, 2),
];

const SINGLE: &str = include_str!("reference/float32.txt");
const DOUBLE: &str = include_str!("reference/float64.txt");
const SPECIAL: &str = include_str!("reference/special.txt");

/// Functions whose error is measured in another way.
const OTHERWISE: [&str; 2] = ["pow", "expm1"];

/// A line of a table: the function, and the bits of the numbers.
fn rows(table: &str) -> impl Iterator<Item = (&str, Vec<u64>)> {
    table.lines().map(|line| {
        let mut words = line.split(' ');
        let function = words.next().unwrap();
        let bits = words.map(|word| u64::from_str_radix(word, 16).unwrap());
        (function, bits.collect())
    })
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn function(name: &str) -> MathFunction {
    MathFunction::from_name(name).unwrap()
}

/// How many floats lie between two floats with these bits; one if only one of them is NaN.
fn distance(left: u64, right: u64, width: u32) -> u64 {
    let ordered = |bits: u64| {
        let sign = 1 << (width - 1);
        if bits & sign == 0 {
            bits as i64
        } else {
            -((bits & !sign) as i64)
        }
    };
    ordered(left).abs_diff(ordered(right))
}

fn distances<const WIDTH: u32>(found: [u64; 2], expected: &[u64]) -> u64 {
    let parts = found.into_iter().zip(expected);
    parts
        .map(|(found, &expected)| distance(found, expected, WIDTH))
        .max()
        .unwrap()
}

/// The largest error of each function of a table, with the point where it occurs.
fn largest_errors(
    table: &str,
    error: impl Fn(MathFunction, &[u64]) -> u64,
) -> Vec<(String, u64, String)> {
    let mut largest: Vec<(String, u64, String)> = Vec::new();
    for (name, bits) in rows(table).filter(|(name, _)| !OTHERWISE.contains(name)) {
        let error = error(function(name), &bits);
        let row = format!("{bits:x?}");
        match largest.iter_mut().find(|(known, ..)| known == name) {
            Some(known) if known.1 < error => *known = (name.to_owned(), error, row),
            Some(_) => {}
            None => largest.push((name.to_owned(), error, row)),
        }
    }
    largest
}

#[test]
fn errors_are_as_recorded() {
    let singles = largest_errors(SINGLE, |function, bits| {
        let z = Pair::new(single(bits[0]), single(bits[1]));
        let found = apply(function, z).unwrap();
        let found = [found.re, found.im].map(|part| u64::from(part.to_bits()));
        distances::<32>(found, &bits[2..])
    });
    let doubles = largest_errors(DOUBLE, |function, bits| {
        let z = Pair::new(f64::from_bits(bits[0]), f64::from_bits(bits[1]));
        let found = apply(function, z).unwrap();
        distances::<64>([found.re.to_bits(), found.im.to_bits()], &bits[2..])
    });
    for ((recorded, single), double) in LARGEST_ERRORS.iter().zip(&singles).zip(&doubles) {
        let found = (single.0.as_str(), single.1, double.1);
        assert_eq!(found, *recorded, "at {} and {}", single.2, double.2);
    }
    assert_eq!(singles.len(), LARGEST_ERRORS.len());
}

/// Whether Annex G leaves the signs of zeros and infinities open: the angle they depend on, or the
/// magnitude, is unknown.
fn sign_is_open(name: &str, x: f64, y: f64) -> bool {
    match name {
        "exp" | "expm1" | "sinh" | "cosh" | "tanh" => !y.is_finite() || x.is_nan(),
        "sin" | "cos" | "tan" => !x.is_finite() || y.is_nan(),
        _ => false,
    }
}

/// Whether a part is as the table of special values says: NaN, infinities and zeros as they are,
/// other numbers within the recorded errors.
fn agrees(distance: u64, found: f64, expected: f64, open: bool) -> bool {
    if expected.is_nan() {
        found.is_nan()
    } else if open && (expected == 0.0 || expected.is_infinite()) {
        found.abs() == expected.abs()
    } else {
        distance <= 4 && found.is_sign_negative() == expected.is_sign_negative()
    }
}

#[test]
fn special_values_are_those_of_annex_g() {
    let mut wrong = Vec::new();
    for (name, bits) in rows(SPECIAL) {
        let [x, y, re, im] = [0, 1, 2, 3].map(|column| f64::from_bits(bits[column]));
        let open = sign_is_open(name, x, y);
        let double = apply(function(name), Pair::new(x, y)).unwrap();
        let single = apply(function(name), Pair::new(x as f32, y as f32)).unwrap();
        for (double, single, expected) in [(double.re, single.re, re), (double.im, single.im, im)] {
            let double_error = distance(double.to_bits(), expected.to_bits(), 64);
            let [single_bits, expected_bits] =
                [single, expected as f32].map(|number| u64::from(number.to_bits()));
            let single_error = distance(single_bits, expected_bits, 32);
            if !agrees(double_error, double, expected, open)
                || !agrees(single_error, f64::from(single), expected, open)
            {
                wrong.push(format!(
                    "a part of {name}({x:?}, {y:?}) is {double:?} and {single:?}, not {expected:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The error of a power in units of the last place of its magnitude, divided by what rounding
/// `w log(z)` costs in any case.
fn power_error(numbers: [f64; 6], found: Pair<f64>, unit: f64) -> f64 {
    let [x, y, c, d, re, im] = numbers;
    let exponent = libm::hypot(c, d) * libm::hypot(libm::log(libm::hypot(x, y)), libm::atan2(y, x));
    let error = libm::hypot(found.re - re, found.im - im);
    error / (unit * libm::hypot(re, im) * (1.0 + exponent))
}

#[test]
fn the_error_of_powers_is_that_of_the_exponent() {
    let (mut largest_single, mut largest_double) = (0.0_f64, 0.0_f64);
    for (_, bits) in rows(SINGLE).filter(|(name, _)| *name == "pow") {
        let n: Vec<f32> = bits.iter().map(|&bits| single(bits)).collect();
        let found = power(Pair::new(n[0], n[1]), Pair::new(n[2], n[3]));
        let found = Pair::new(f64::from(found.re), f64::from(found.im));
        let numbers = std::array::from_fn(|column| f64::from(n[column]));
        let error = power_error(numbers, found, f64::from(f32::EPSILON));
        largest_single = largest_single.max(error);
    }
    for (_, bits) in rows(DOUBLE).filter(|(name, _)| *name == "pow") {
        let n: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
        let found = power(Pair::new(n[0], n[1]), Pair::new(n[2], n[3]));
        let numbers = std::array::from_fn(|column| n[column]);
        let error = power_error(numbers, found, f64::EPSILON);
        largest_double = largest_double.max(error);
    }
    assert!(largest_single < 1.0, "{largest_single}");
    assert!(largest_double < 1.0, "{largest_double}");
}

#[test]
fn the_error_of_expm1_is_small_beside_the_number() {
    for (table, unit) in [(SINGLE, f64::from(f32::EPSILON)), (DOUBLE, f64::EPSILON)] {
        for (_, bits) in rows(table).filter(|(name, _)| *name == "expm1") {
            let (found, expected) = if unit == f64::EPSILON {
                let n: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
                let found = apply(MathFunction::Expm1, Pair::new(n[0], n[1])).unwrap();
                (found, [n[2], n[3]])
            } else {
                let n: Vec<f32> = bits.iter().map(|&bits| single(bits)).collect();
                let found = apply(MathFunction::Expm1, Pair::new(n[0], n[1])).unwrap();
                let widened = Pair::new(f64::from(found.re), f64::from(found.im));
                (widened, [f64::from(n[2]), f64::from(n[3])])
            };
            let [re, im] = expected;
            if expected.iter().any(|part| part.is_infinite()) {
                // Beside an infinite part the other may be anything finite.
                assert_eq!(found.re.is_infinite(), re.is_infinite(), "{bits:x?}");
                assert_eq!(found.im.is_infinite(), im.is_infinite(), "{bits:x?}");
                continue;
            }
            let error = libm::hypot(found.re - re, found.im - im);
            assert!(error <= 3.0 * unit * libm::hypot(re, im), "{bits:x?}");
        }
    }
}

#[test]
fn powers_of_and_to_zero() {
    let number = |re: f64, im: f64| Pair::new(re, im);
    let one = number(1.0, 0.0);
    for base in [
        number(0.0, -0.0),
        number(f64::NAN, 1.0),
        number(-2.0, f64::INFINITY),
    ] {
        assert_eq!(power(base, number(0.0, -0.0)), one);
    }
    let zero = number(0.0, 0.0);
    assert_eq!(power(zero, number(0.5, 3.0)), zero);
    assert_eq!(power(zero, number(7.0, 0.0)), zero);
    assert!(power(zero, number(-1.0, 0.0)).re.is_nan());
    assert!(power(zero, number(0.0, 1.0)).im.is_nan());
}

#[test]
fn small_whole_powers_are_products() {
    let z = Pair::new(1.25, -0.5);
    assert_eq!(power(z, Pair::new(1.0, 0.0)), z);
    assert_eq!(power(z, Pair::new(2.0, 0.0)), Pair::new(1.3125, -1.25));
    assert_eq!(
        power(z, Pair::new(3.0, 0.0)),
        Pair::new(1.015_625, -2.218_75)
    );
    assert_eq!(
        power(Pair::new(0.0, 2.0), Pair::new(-2.0, 0.0)),
        Pair::new(-0.25, 0.0)
    );
    // The product overflows on the way; the power does not exist, but its inverse vanishes.
    let vanished = power(Pair::new(1e200, 1e200), Pair::new(-3.0, 0.0));
    assert_eq!((vanished.re.abs(), vanished.im.abs()), (0.0, 0.0));
}
