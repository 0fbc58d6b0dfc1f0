//! Constants as text, exactly.
//!
//! Finite floats are written in the fewest decimal digits that give the same bits again, NaNs by
//! their bits. `int64` and `float64` need no dtype.

use half::f16;
use num_complex::{Complex32, Complex64};

use crate::dtype::DType;
use crate::literal::Literal;

/// Writes a constant.
pub(super) fn print(literal: Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::I64(value) => value.to_string(),
        Literal::I8(_) | Literal::I16(_) | Literal::I32(_) => {
            integer(literal.to_bits(), literal.dtype())
        }
        Literal::U8(_) | Literal::U16(_) | Literal::U32(_) | Literal::U64(_) => {
            integer(literal.to_bits(), literal.dtype())
        }
        Literal::F16(_) | Literal::F32(_) => match special(literal) {
            Some(text) => text,
            None => format!("{}{}", digits(literal), literal.dtype().short_name()),
        },
        Literal::F64(_) => special(literal).unwrap_or_else(|| digits(literal)),
        Literal::C64(value) => parts("c64", Literal::F32(value.re), Literal::F32(value.im)),
        Literal::C128(value) => parts("c128", Literal::F64(value.re), Literal::F64(value.im)),
    }
}

fn integer(bits: u128, dtype: DType) -> String {
    let name = dtype.short_name();
    match Literal::from_bits(dtype, bits) {
        Literal::I8(value) => format!("{value}{name}"),
        Literal::I16(value) => format!("{value}{name}"),
        Literal::I32(value) => format!("{value}{name}"),
        _ => format!("{bits}{name}"),
    }
}

fn parts(name: &str, real: Literal, imaginary: Literal) -> String {
    let part = |literal| special(literal).unwrap_or_else(|| digits(literal));
    format!("{name}({}, {})", part(real), part(imaginary))
}

/// An infinite or NaN float.
fn special(literal: Literal) -> Option<String> {
    let (value, width) = match literal {
        Literal::F16(value) => (value.to_f64(), 4),
        Literal::F32(value) => (f64::from(value), 8),
        Literal::F64(value) => (value, 16),
        _ => return None,
    };
    let name = literal.dtype().short_name();
    if value.is_nan() {
        Some(format!("nan_{name}(0x{:0width$x})", literal.to_bits()))
    } else if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        Some(format!("{sign}inf_{name}"))
    } else {
        None
    }
}

/// The digits of a finite float, always with a point or an exponent.
fn digits(literal: Literal) -> String {
    match literal {
        Literal::F16(value) => half_digits(value),
        Literal::F32(value) => format!("{value:?}"),
        Literal::F64(value) => format!("{value:?}"),
        _ => String::new(),
    }
}

/// The shortest decimal that [`float`] reads as the same `float16`.
fn half_digits(value: f16) -> String {
    let exact = value.to_f64();
    (0..17)
        .map(|precision| format!("{exact:.precision$e}"))
        .filter_map(|text| text.parse::<f64>().ok())
        .find(|decimal| f16::from_f64(*decimal).to_bits() == value.to_bits())
        .map_or_else(|| format!("{exact:?}"), |decimal| format!("{decimal:?}"))
}

/// Reads a number: what stands before the dtype, negated or not.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub(super) fn number(text: &str, negative: bool) -> Result<Literal, String> {
    let (digits, dtype) = split_dtype(text)?;
    let is_decimal = digits.contains(['.', 'e', 'E']);
    let dtype = dtype.unwrap_or(if is_decimal { DType::F64 } else { DType::I64 });
    if dtype.is_float() {
        return float(digits, negative, dtype);
    }
    if !dtype.is_integer() {
        let name = dtype.short_name();
        return Err(format!("cannot be a `{name}`"));
    }
    if is_decimal {
        return Err(format!("is not an integer, as `{}` is", dtype.short_name()));
    }
    let range = || format!("does not fit in `{}`", dtype.short_name());
    let magnitude: i128 = digits.parse().map_err(|_| range())?;
    let value = if negative { -magnitude } else { magnitude };
    let (least, greatest) = bounds(dtype);
    if (least..=greatest).contains(&value) {
        Ok(Literal::from_bits(dtype, value as u128))
    } else {
        Err(range())
    }
}

/// The smallest and the largest number of an integer dtype.
fn bounds(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits();
    if dtype.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// Cuts the dtype off the end of a number.
fn split_dtype(text: &str) -> Result<(&str, Option<DType>), String> {
    let start =
        text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-' | 'e' | 'E'));
    let Some(start) = start else {
        return Ok((text, None));
    };
    let (digits, name) = text.split_at(start);
    match DType::from_short_name(name) {
        Some(dtype) => Ok((digits, Some(dtype))),
        None => Err(format!("ends in `{name}`, which is no dtype")),
    }
}

/// Reads a finite float.
fn float(digits: &str, negative: bool, dtype: DType) -> Result<Literal, String> {
    let malformed = || "is not a number".to_owned();
    let sign = if negative { "-" } else { "" };
    let text = format!("{sign}{digits}");
    let literal = match dtype {
        DType::F16 => Literal::F16(f16::from_f64(text.parse().map_err(|_| malformed())?)),
        DType::F32 => Literal::F32(text.parse().map_err(|_| malformed())?),
        _ => Literal::F64(text.parse().map_err(|_| malformed())?),
    };
    if special(literal).is_some() {
        let name = dtype.short_name();
        return Err(format!(
            "is too large for `{name}`; infinity is `inf_{name}`"
        ));
    }
    Ok(literal)
}

/// The infinity with a name such as `inf_f32`.
pub(super) fn infinity(word: &str, negative: bool) -> Option<Literal> {
    let value = if negative {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    let dtype = DType::from_short_name(word.strip_prefix("inf_")?)?;
    dtype.is_float().then(|| Literal::from_f64(dtype, value))
}

/// The dtype of a NaN written as `nan_f32(0x...)`.
pub(super) fn nan_dtype(word: &str) -> Option<DType> {
    let dtype = DType::from_short_name(word.strip_prefix("nan_")?)?;
    dtype.is_float().then_some(dtype)
}

/// The NaN with these bits, written in hexadecimal.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub(super) fn nan(dtype: DType, text: &str) -> Result<Literal, String> {
    let bits = text
        .strip_prefix("0x")
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .filter(|bits| dtype == DType::F64 || bits >> dtype.bits() == 0);
    let literal = bits.map(|bits| Literal::from_bits(dtype, u128::from(bits)));
    let name = dtype.short_name();
    literal
        .filter(|literal| special(*literal).is_some_and(|text| text.starts_with("nan")))
        .ok_or_else(|| format!("does not hold the bits of a NaN of `{name}`"))
}

/// A complex constant from its parts; `None` if they are not of its real dtype.
pub(super) fn complex(dtype: DType, real: Literal, imaginary: Literal) -> Option<Literal> {
    match (dtype, real, imaginary) {
        (DType::C64, Literal::F32(re), Literal::F32(im)) => {
            Some(Literal::C64(Complex32::new(re, im)))
        }
        (DType::C128, Literal::F64(re), Literal::F64(im)) => {
            Some(Literal::C128(Complex64::new(re, im)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float16_reads_back() {
        for bits in 0..=u16::MAX {
            let literal = Literal::F16(f16::from_bits(bits));
            let text = print(literal);
            let (negative, rest) = match text.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, text.as_str()),
            };
            let read = if let Some(bits) = rest.strip_prefix("nan_f16(") {
                nan(DType::F16, bits.trim_end_matches(')')).unwrap()
            } else if let Some(literal) = infinity(rest, negative) {
                literal
            } else {
                number(rest, negative).unwrap()
            };
            assert_eq!(read, literal, "{text}");
        }
    }

    #[test]
    fn floats_are_written_shortly() {
        assert_eq!(print(Literal::F16(f16::from_f64(0.1))), "0.1f16");
        assert_eq!(print(Literal::F32(0.1)), "0.1f32");
        assert_eq!(print(Literal::F64(-0.0)), "-0.0");
        assert_eq!(print(Literal::F64(1e300)), "1e300");
        assert_eq!(print(Literal::F32(f32::NEG_INFINITY)), "-inf_f32");
        assert_eq!(
            print(Literal::F64(f64::from_bits(0xfff8_0000_0000_0001))),
            "nan_f64(0xfff8000000000001)"
        );
        assert_eq!(
            print(Literal::C64(Complex32::new(-0.0, f32::INFINITY))),
            "c64(-0.0, inf_f32)"
        );
    }

    #[test]
    fn integers_are_checked_against_their_range() {
        assert_eq!(number("128i8", true), Ok(Literal::I8(-128)));
        assert!(number("128i8", false).is_err());
        assert!(number("1u8", true).is_err());
        assert_eq!(
            number("18446744073709551615u64", false),
            Ok(Literal::U64(u64::MAX))
        );
        assert_eq!(
            number("9223372036854775808", true),
            Ok(Literal::I64(i64::MIN))
        );
        assert!(number("9223372036854775808", false).is_err());
        assert!(number(&"9".repeat(60), false).is_err());
        assert!(number("1.5i32", false).is_err());
        assert!(number("1bool", false).is_err());
        assert!(number("1q", false).is_err());
        assert!(number("1e999", false).is_err());
        assert!(number("65520f16", false).is_err(), "rounds to infinity");
    }

    #[test]
    fn bits_of_a_nan_must_be_of_a_nan() {
        assert!(nan(DType::F32, "0x7fc00001").is_ok());
        assert!(nan(DType::F32, "0x7f800000").is_err(), "infinity");
        assert!(nan(DType::F32, "0x17fc00001").is_err(), "too wide");
        assert!(nan(DType::F32, "7fc00001").is_err());
    }
}
