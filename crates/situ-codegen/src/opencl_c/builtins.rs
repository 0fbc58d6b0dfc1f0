//! Operations that become calls: mathematical functions, guarded arithmetic and conversions.
//!
//! Where a built-in function of OpenCL C has exactly the IR's meaning it is called. Elsewhere the
//! library gets a function that has:
//!
//! * division and shifts, which C leaves undefined for some operands;
//! * float to integer: `convert_*_sat` should give 0 for NaN, but the standard does not insist and
//!   Intel's CPU driver gives the largest `uint`;
//! * `Minimum`, `Maximum`, `fmin`, `fmax`: C leaves the sign of zero open, NaN rules differ;
//! * `rint`, `floor`, `ceil`, `trunc`: PoCL 3.1 converts to an integer on the way. Where its optimiser
//!   learns that the number does not fit, NaN or infinity for example, it concludes that the code
//!   is never reached and removes it;
//! * `exp` and its relatives, `tgamma`, `pow`: PoCL 3.1 does the same where it learns that the argument
//!   is NaN, `x * NAN` for example. Its `tgamma` also has numbers at the poles from -2^52 on.

use situ_ir::{DType, MathFunction};

use super::library::Library;
use super::types::{bits, integer_limits, is_narrow, scalar};

/// The name of a mathematical function. All are the precise ones, never `native_` or `half_`.
pub(super) fn math(library: &mut Library, function: MathFunction, dtype: DType) -> String {
    match function {
        MathFunction::Fmin => number_choice(library, "minimum_number", "<=", dtype),
        MathFunction::Fmax => number_choice(library, "maximum_number", ">=", dtype),
        MathFunction::Rint => rint(library, dtype),
        MathFunction::Floor => rounded(library, dtype, Rounding::Floor),
        MathFunction::Ceil => rounded(library, dtype, Rounding::Ceil),
        MathFunction::Trunc => rounded(library, dtype, Rounding::Trunc),
        MathFunction::Exp
        | MathFunction::Exp2
        | MathFunction::Expm1
        | MathFunction::Sinh
        | MathFunction::Cosh
        | MathFunction::Tanh => of_numbers(library, function, dtype),
        MathFunction::Tgamma => tgamma(library, dtype),
        // The IR's words are C's, and so are OpenCL's.
        other => other.name().to_owned(),
    }
}

/// `fmin` and `fmax`: the first operand unless the second is better or the only number.
fn number_choice(library: &mut Library, stem: &str, comparison: &str, dtype: DType) -> String {
    let ty = scalar(dtype);
    library.require(format!("{stem}_{ty}"), |_, name| {
        format!(
            "// `x` if `x {comparison} y` or `y` is NaN, else `y`.\n\
             static {ty} {name}({ty} x, {ty} y) {{\n    \
                 return x {comparison} y || isnan(y) ? x : y;\n\
             }}"
        )
    })
}

/// A function that is asked about numbers only, and not about NaN.
fn of_numbers(library: &mut Library, function: MathFunction, dtype: DType) -> String {
    let (ty, function) = (scalar(dtype), function.name());
    library.require(format!("{function}_{ty}"), |_, name| {
        format!(
            "// NaN of NaN.\n\
             static {ty} {name}({ty} x) {{\n    \
                 return isnan(x) ? x : {function}(x);\n\
             }}"
        )
    })
}

/// The gamma function, which is asked about numbers that can have digits after the point.
fn tgamma(library: &mut Library, dtype: DType) -> String {
    let (ty, large) = (scalar(dtype), least_without_fraction(dtype));
    library.require(format!("tgamma_{ty}"), |_, name| {
        format!(
            "// NaN of NaN, and at the poles far out.\n\
             static {ty} {name}({ty} x) {{\n    \
                 return isnan(x) || x <= -{large} ? ({ty})NAN : tgamma(x);\n\
             }}"
        )
    })
}

/// Floats from here on are integers.
fn least_without_fraction(dtype: DType) -> &'static str {
    if dtype == DType::F64 {
        "0x1p+52"
    } else {
        "0x1p+23f"
    }
}

/// `Power`, which asks about numbers only.
pub(super) fn power(library: &mut Library, dtype: DType) -> String {
    let ty = scalar(dtype);
    library.require(format!("pow_{ty}"), |_, name| {
        format!(
            "// NaN to any power but 0 is NaN.\n\
             static {ty} {name}({ty} x, {ty} y) {{\n    \
                 return isnan(x) && y != 0 ? x : pow(x, y);\n\
             }}"
        )
    })
}

/// Rounding to the nearest integer, halves to even.
fn rint(library: &mut Library, dtype: DType) -> String {
    // Adding it moves all digits after the point out.
    let (ty, large) = (scalar(dtype), least_without_fraction(dtype));
    library.require(format!("rint_{ty}"), |_, name| {
        format!(
            "// To the nearest integer, halves to even.\n\
             static {ty} {name}({ty} x) {{\n    \
                 return fabs(x) < {large} ? copysign(fabs(x) + {large} - {large}, x) : x;\n\
             }}"
        )
    })
}

/// A way to round to an integer that is not the nearest.
#[derive(Clone, Copy)]
enum Rounding {
    Floor,
    Ceil,
    Trunc,
}

/// Rounding in some direction: to the nearest, and back by 1 if that went too far. Zeros keep the sign.
fn rounded(library: &mut Library, dtype: DType, rounding: Rounding) -> String {
    let ty = scalar(dtype);
    let (stem, note, start, step) = match rounding {
        Rounding::Floor => (
            "floor",
            "Down to an integer.",
            "x",
            "nearest > x ? nearest - 1 : nearest",
        ),
        Rounding::Ceil => (
            "ceil",
            "Up to an integer.",
            "x",
            "nearest < x ? nearest + 1 : nearest",
        ),
        Rounding::Trunc => (
            "trunc",
            "Towards zero to an integer.",
            "fabs(x)",
            "nearest > fabs(x) ? nearest - 1 : nearest",
        ),
    };
    library.require(format!("{stem}_{ty}"), |library, name| {
        let rint = rint(library, dtype);
        format!(
            "// {note}\n\
             static {ty} {name}({ty} x) {{\n    \
                 const {ty} nearest = {rint}({start});\n    \
                 return copysign({step}, x);\n\
             }}"
        )
    })
}

/// The IR's `Minimum` (`"minimum"`, `"<="`) or `Maximum` (`"maximum"`, `">="`) of floats.
pub(super) fn float_choice(
    library: &mut Library,
    stem: &str,
    comparison: &str,
    dtype: DType,
) -> String {
    let ty = scalar(dtype);
    library.require(format!("{stem}_{ty}"), |_, name| {
        format!(
            "// `x` if `x {comparison} y` or `x` is NaN, else `y`.\n\
             static {ty} {name}({ty} x, {ty} y) {{\n    \
                 return x {comparison} y || isnan(x) ? x : y;\n\
             }}"
        )
    })
}

/// `TruncatingDivide` for any divisor.
pub(super) fn divide(library: &mut Library, dtype: DType) -> String {
    let ty = scalar(dtype);
    library.require(format!("divide_{ty}"), |_, name| {
        let quotient = converted(dtype, "x / y");
        if dtype.is_signed() && !is_narrow(dtype) {
            let unsigned = bits(dtype);
            format!(
                "// Rounded towards zero; 0 if `y` is 0; by -1 it wraps around.\n\
                 static {ty} {name}({ty} x, {ty} y) {{\n    \
                     return y == 0 ? 0 : y == -1 ? ({ty})-({unsigned})x : {quotient};\n\
                 }}"
            )
        } else {
            format!(
                "// Rounded towards zero; 0 if `y` is 0.\n\
                 static {ty} {name}({ty} x, {ty} y) {{\n    \
                     return y == 0 ? 0 : {quotient};\n\
                 }}"
            )
        }
    })
}

/// `TruncatingRemainder` for any divisor.
pub(super) fn remainder(library: &mut Library, dtype: DType) -> String {
    let ty = scalar(dtype);
    library.require(format!("remainder_{ty}"), |_, name| {
        let remainder = converted(dtype, "x % y");
        let guard = if dtype.is_signed() && !is_narrow(dtype) {
            "y == 0 || y == -1"
        } else {
            "y == 0"
        };
        format!(
            "// With the sign of `x`; 0 if `y` is 0.\n\
             static {ty} {name}({ty} x, {ty} y) {{\n    \
                 return {guard} ? 0 : {remainder};\n\
             }}"
        )
    })
}

/// `ShiftLeft` by any count.
pub(super) fn shift_left(library: &mut Library, dtype: DType) -> String {
    let (ty, unsigned, width) = (scalar(dtype), bits(dtype), dtype.bits());
    library.require(format!("shift_left_{ty}"), |_, name| {
        let (count, shifted) = if dtype.is_signed() {
            (
                format!("({unsigned})y"),
                format!("({ty})(({unsigned})x << y)"),
            )
        } else {
            ("y".to_owned(), converted(dtype, "x << y"))
        };
        format!(
            "// 0 if the count is out of range.\n\
             static {ty} {name}({ty} x, {ty} y) {{\n    \
                 return {count} < {width} ? {shifted} : 0;\n\
             }}"
        )
    })
}

/// `ShiftRight` by any count.
pub(super) fn shift_right(library: &mut Library, dtype: DType) -> String {
    let (ty, unsigned, width) = (scalar(dtype), bits(dtype), dtype.bits());
    library.require(format!("shift_right_{ty}"), |_, name| {
        if dtype.is_signed() {
            let last = width - 1;
            let shifted = converted(
                dtype,
                &format!("x >> (({unsigned})y < {width} ? y : {last})"),
            );
            format!(
                "// All sign bits if the count is out of range.\n\
                 static {ty} {name}({ty} x, {ty} y) {{\n    \
                     return {shifted};\n\
                 }}"
            )
        } else {
            let shifted = converted(dtype, "x >> y");
            format!(
                "// 0 if the count is out of range.\n\
                 static {ty} {name}({ty} x, {ty} y) {{\n    \
                     return y < {width} ? {shifted} : 0;\n\
                 }}"
            )
        }
    })
}

/// C computes with narrow types in `int`.
fn converted(dtype: DType, text: &str) -> String {
    if is_narrow(dtype) {
        format!("({})({text})", scalar(dtype))
    } else {
        text.to_owned()
    }
}

/// The conversion of a float to an integer.
pub(super) fn integer_from_float(library: &mut Library, from: DType, to: DType) -> String {
    let (from_ty, to_ty) = (scalar(from), scalar(to));
    let suffix = if from == DType::F64 { "" } else { "f" };
    let (smallest, largest) = integer_limits(to);
    library.require(format!("{to_ty}_from_{from_ty}"), |_, name| {
        let value_bits = to.bits() - u32::from(to.is_signed());
        let above = format!("x >= 0x1p+{value_bits}{suffix} ? {largest}");
        let rest = if to.is_signed() {
            format!("x >= -0x1p+{value_bits}{suffix} ? ({to_ty})x : isnan(x) ? 0 : {smallest}")
        } else {
            format!("x >= 0.0{suffix} ? ({to_ty})x : 0")
        };
        format!(
            "// Rounded towards zero, kept in range; 0 for NaN.\n\
             static {to_ty} {name}({from_ty} x) {{\n    \
                 return {above} : {rest};\n\
             }}"
        )
    })
}

/// The absolute value of a signed integer; the smallest one wraps around.
///
/// OpenCL's `abs` should do that, since it gives the unsigned type, but there is a driver that takes its result for
/// positive: it makes a shift of it to the right a shift that brings in zeros.
pub(super) fn integer_abs(library: &mut Library, dtype: DType) -> String {
    let ty = scalar(dtype);
    library.require(format!("absolute_{ty}"), |_, name| {
        let value = if is_narrow(dtype) {
            // C computes in `int`, which holds every result.
            format!("({ty})(x < 0 ? -x : x)")
        } else {
            let unsigned = bits(dtype);
            format!("({ty})(x < 0 ? -({unsigned})x : ({unsigned})x)")
        };
        format!("static {ty} {name}({ty} x) {{\n    return {value};\n}}")
    })
}

/// The conversion of a `float16` to `float32`.
pub(super) fn float_from_half(library: &mut Library) -> String {
    library.require("float_from_half".to_owned(), |_, name| {
        format!(
            "static float {name}(ushort bits) {{\n    \
                 return vload_half(0, (__private const half *)&bits);\n\
             }}"
        )
    })
}

/// The conversion of a `float32` to `float16`.
pub(super) fn half_from_float(library: &mut Library) -> String {
    library.require("half_from_float".to_owned(), |_, name| {
        format!(
            "static ushort {name}(float x) {{\n    \
                 ushort bits;\n    \
                 vstore_half_rte(x, 0, (__private half *)&bits);\n    \
                 return bits;\n\
             }}"
        )
    })
}
