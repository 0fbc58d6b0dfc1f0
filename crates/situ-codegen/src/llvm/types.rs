//! How types and constants are spelt.
//!
//! `bool` has two forms: `i1` in registers and `i8` in memory, where any byte but 0 is true.
//! A number is one, or as many as a vector has lanes.

use std::fmt;

use situ_ir::{DType, Literal, Type};

use super::writer::Operand;

/// The type of one number in a register, or of a vector of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneType {
    /// The type of one number.
    pub(super) scalar: &'static str,
    /// How many there are; one is not a vector.
    pub(super) lanes: u32,
}

impl fmt::Display for LaneType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => f.write_str(self.scalar),
            lanes => write!(f, "<{lanes} x {}>", self.scalar),
        }
    }
}

impl LaneType {
    /// A constant of this type that is the same in every lane.
    pub(super) fn constant(self, value: &Operand) -> Operand {
        match self.lanes {
            1 => value.clone(),
            _ => Operand::new(format!("splat ({} {value})", self.scalar)),
        }
    }
}

/// The type of a value in a register. Complex numbers have been lowered away; they have none.
pub(super) fn register_type(ty: Type) -> &'static str {
    match ty {
        Type::Scalar(dtype) => scalar_type(dtype),
        Type::Pointer { .. } => "ptr",
    }
}

/// The type of a scalar in a register.
pub(super) fn scalar_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "i1",
        DType::I8 | DType::U8 => "i8",
        DType::I16 | DType::U16 => "i16",
        DType::I32 | DType::U32 => "i32",
        DType::I64 | DType::U64 => "i64",
        DType::F16 => "half",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 => "{ float, float }",
        DType::C128 => "{ double, double }",
    }
}

/// The type of a scalar in memory.
pub(super) fn memory_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "i8",
        other => scalar_type(other),
    }
}

/// The integer type with as many bits as a scalar has in memory.
pub(super) fn bits_type(dtype: DType) -> &'static str {
    match dtype.size_bytes() {
        1 => "i8",
        2 => "i16",
        4 => "i32",
        _ => "i64",
    }
}

/// The suffix of an intrinsic's name for a type, as in `llvm.sqrt.f64`.
pub(super) fn intrinsic_suffix(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        other => scalar_type(other),
    }
}

/// A constant. Floats are written by their bits, so that no digit is lost.
pub(super) fn literal(literal: Literal) -> Operand {
    match literal {
        Literal::Bool(value) => Operand::new(if value { "true" } else { "false" }),
        Literal::I8(value) => Operand::integer(value),
        Literal::I16(value) => Operand::integer(value),
        Literal::I32(value) => Operand::integer(value),
        Literal::I64(value) => Operand::integer(value),
        Literal::U8(value) => Operand::integer(value),
        Literal::U16(value) => Operand::integer(value),
        Literal::U32(value) => Operand::integer(value),
        Literal::U64(value) => Operand::integer(value),
        Literal::F16(value) => Operand::new(format!("0xH{:04X}", value.to_bits())),
        // LLVM writes a float as the double of the same value. A NaN may change its bits on the
        // way.
        Literal::F32(value) if value.is_nan() => {
            Operand::new(format!("bitcast (i32 {} to float)", value.to_bits()))
        }
        Literal::F32(value) => Operand::new(format!("0x{:016X}", f64::from(value).to_bits())),
        Literal::F64(value) => Operand::new(format!("0x{:016X}", value.to_bits())),
        Literal::C64(value) => Operand::new(format!(
            "{{ float {}, float {} }}",
            self::literal(Literal::F32(value.re)),
            self::literal(Literal::F32(value.im))
        )),
        Literal::C128(value) => Operand::new(format!(
            "{{ double {}, double {} }}",
            self::literal(Literal::F64(value.re)),
            self::literal(Literal::F64(value.im))
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_by_their_bits() {
        let text = |value: Literal| literal(value).to_string();
        assert_eq!(text(Literal::F64(1.5)), "0x3FF8000000000000");
        assert_eq!(text(Literal::F32(1.5)), "0x3FF8000000000000");
        assert_eq!(text(Literal::F32(0.1)), "0x3FB99999A0000000");
        assert_eq!(
            text(Literal::F32(f32::from_bits(0x7fc0_0001))),
            "bitcast (i32 2143289345 to float)"
        );
        assert_eq!(text(Literal::from_f64(DType::F16, -2.0)), "0xHC000");
        assert_eq!(text(Literal::U64(u64::MAX)), "18446744073709551615");
    }
}
