//! Types and constants of OpenCL C.
//!
//! A scalar of the IR is a C scalar of the same width. `bool` is C's `bool` in expressions and
//! variables, and `uchar` in memory and in the parameters of kernels, where OpenCL has no `bool`.
//! `float16` is `ushort` everywhere, its bits: lowered modules only store and convert it, and
//! conversion needs no extension.

use situ_ir::{AddressSpace, DType, Literal, Type};

/// The C type of a scalar in an expression or variable.
pub(super) fn scalar(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "char",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::I64 => "long",
        DType::U8 => "uchar",
        DType::U16 | DType::F16 => "ushort",
        DType::U32 => "uint",
        DType::U64 => "ulong",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 | DType::C128 => unreachable!("lowering replaced complex numbers by pairs"),
    }
}

/// What a type is called in the names of functions.
pub(super) fn word(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "half",
        other => scalar(other),
    }
}

/// The C type of an element in memory.
pub(super) fn element(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "uchar",
        other => scalar(other),
    }
}

/// The unsigned type with as many bits as a number has.
pub(super) fn bits(dtype: DType) -> &'static str {
    match dtype.size_bytes() {
        1 => "uchar",
        2 => "ushort",
        4 => "uint",
        _ => "ulong",
    }
}

/// The qualifier of an address space.
pub(super) fn qualifier(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Global => "__global",
        AddressSpace::Local => "__local",
        AddressSpace::Private => "__private",
    }
}

/// `name` declared with a type; memory that nobody writes through a pointer is `const`.
pub(super) fn declaration(ty: Type, is_written: bool, name: &str) -> String {
    match ty {
        Type::Scalar(dtype) => format!("{} {name}", scalar(dtype)),
        Type::Pointer {
            element: dtype,
            space,
        } => {
            let constant = if is_written { "" } else { "const " };
            format!("{} {constant}{} *{name}", qualifier(space), element(dtype))
        }
    }
}

/// Whether C computes with a type in `int`, so that results must be brought back to it.
pub(super) fn is_narrow(dtype: DType) -> bool {
    dtype == DType::F16 || dtype.is_integer() && dtype.size_bytes() < 4
}

/// A constant, of exactly the C type of its dtype. It binds like a unary operator.
pub(super) fn literal(literal: Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::I8(value) => format!("(char){value}"),
        Literal::I16(value) => format!("(short){value}"),
        Literal::I32(i32::MIN) => "INT_MIN".to_owned(),
        Literal::I32(value) => value.to_string(),
        Literal::I64(i64::MIN) => "LONG_MIN".to_owned(),
        Literal::I64(value) => format!("{value}L"),
        Literal::U8(value) => format!("(uchar){value}"),
        Literal::U16(value) => format!("(ushort){value}"),
        Literal::U32(value) => format!("{value}u"),
        Literal::U64(value) => format!("{value}UL"),
        Literal::F16(value) => format!("(ushort){:#06x} /* {value} */", value.to_bits()),
        Literal::F32(f32::INFINITY) => "INFINITY".to_owned(),
        Literal::F32(f32::NEG_INFINITY) => "-INFINITY".to_owned(),
        Literal::F32(value) if value.is_nan() => format!("as_float({:#010x}u)", value.to_bits()),
        Literal::F32(value) => float(f64::from(value), "f", &format!("{value:?}")),
        Literal::F64(f64::INFINITY) => "(double)INFINITY".to_owned(),
        Literal::F64(f64::NEG_INFINITY) => "(double)-INFINITY".to_owned(),
        Literal::F64(value) if value.is_nan() => format!("as_double({:#018x}UL)", value.to_bits()),
        Literal::F64(value) => float(value, "", &format!("{value:?}")),
        Literal::C64(_) | Literal::C128(_) => {
            unreachable!("lowering replaced complex numbers by pairs")
        }
    }
}

/// A finite number, given also as the nearest short decimal number.
///
/// C lets a compiler be off by one unit in the last place when it reads a decimal number, but not
/// when it reads a hexadecimal one. So decimal is used only for numbers that are short and exact,
/// which every compiler gets right; others show the decimal number in a comment.
fn float(value: f64, suffix: &str, decimal: &str) -> String {
    let is_short = decimal.len() <= 10 && !decimal.contains('e');
    let has_few_digits = (value * 64.0).fract() == 0.0;
    if is_short && has_few_digits {
        return format!("{decimal}{suffix}");
    }
    format!("{}{suffix} /* {decimal} */", hexadecimal(value))
}

/// C's exact notation, for example `0x1.8p+1` for 3.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let fraction = bits & ((1 << 52) - 1);
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let (lead, exponent) = match exponent {
        0 => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{lead}{point}{digits}p{exponent:+}")
}

/// The smallest and the largest value of an integer type.
pub(super) fn integer_limits(dtype: DType) -> (&'static str, &'static str) {
    match dtype {
        DType::I8 => ("CHAR_MIN", "CHAR_MAX"),
        DType::I16 => ("SHRT_MIN", "SHRT_MAX"),
        DType::I32 => ("INT_MIN", "INT_MAX"),
        DType::I64 => ("LONG_MIN", "LONG_MAX"),
        DType::U8 => ("0", "UCHAR_MAX"),
        DType::U16 => ("0", "USHRT_MAX"),
        DType::U32 => ("0", "UINT_MAX"),
        DType::U64 => ("0", "ULONG_MAX"),
        _ => unreachable!("only integers have limits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_floats_are_decimal_and_others_hexadecimal() {
        assert_eq!(literal(Literal::F64(1.0)), "1.0");
        assert_eq!(literal(Literal::F64(-0.0)), "-0.0");
        assert_eq!(literal(Literal::F32(0.5)), "0.5f");
        assert_eq!(literal(Literal::F64(0.1)), "0x1.999999999999ap-4 /* 0.1 */");
        assert_eq!(literal(Literal::F32(0.1)), "0x1.99999ap-4f /* 0.1 */");
        assert_eq!(
            literal(Literal::F64(5e-324)),
            "0x0.0000000000001p-1022 /* 5e-324 */"
        );
        assert_eq!(
            literal(Literal::F64(-1e300)),
            "-0x1.7e43c8800759cp+996 /* -1e300 */"
        );
    }

    #[test]
    fn numbers_that_are_not_finite_keep_their_bits() {
        assert_eq!(
            literal(Literal::F64(f64::NAN)),
            "as_double(0x7ff8000000000000UL)"
        );
        assert_eq!(literal(Literal::F32(f32::NAN)), "as_float(0x7fc00000u)");
        assert_eq!(literal(Literal::F32(f32::NEG_INFINITY)), "-INFINITY");
        assert_eq!(literal(Literal::F64(f64::INFINITY)), "(double)INFINITY");
    }

    #[test]
    fn half_floats_are_their_bits() {
        let one = Literal::one(DType::F16);
        assert_eq!(literal(one), "(ushort)0x3c00 /* 1 */");
    }

    #[test]
    fn the_smallest_integers_are_not_written_as_negations() {
        assert_eq!(literal(Literal::I64(i64::MIN)), "LONG_MIN");
        assert_eq!(literal(Literal::I32(i32::MIN)), "INT_MIN");
        assert_eq!(literal(Literal::I8(-128)), "(char)-128");
        assert_eq!(literal(Literal::U64(u64::MAX)), "18446744073709551615UL");
    }

    #[test]
    fn pointers_that_are_only_read_are_const() {
        let ty = Type::pointer(DType::Bool, AddressSpace::Global);
        assert_eq!(declaration(ty, false, "x"), "__global const uchar *x");
        let ty = Type::pointer(DType::F32, AddressSpace::Local);
        assert_eq!(declaration(ty, true, "x"), "__local float *x");
    }
}
