//! Conversions between dtypes.
//!
//! LLVM's own `fptosi` has no meaning outside of the target's range. The saturating intrinsics have
//! exactly the one our IR asks for, but convert one element after the other also where processors convert vectors, which is to 32 bits: there
//! numbers are brought into the range first.
//!
//! `float16` is a storage format, which lowering converts from and to `float32` only. Processors
//! without conversion instructions get the conversion in integer arithmetic, so that no support
//! library is needed.

use situ_ir::{DType, Literal};

use super::code::Code;
use super::target::VectorIsa;
use super::types::scalar_type;
use super::writer::Operand;

/// `x` converted from one dtype to another.
pub(super) fn cast(code: &mut Code<'_, '_>, x: &Operand, from: DType, to: DType) -> Operand {
    if from == to {
        return x.clone();
    }
    if from == DType::F16 {
        let x = half_to_float(code, x);
        return cast(code, &x, DType::F32, to);
    }
    if to == DType::F16 {
        let x = cast(code, x, from, DType::F32);
        return float_to_half(code, &x);
    }
    let (source, target) = (code.ty(from), code.ty(to));
    if to == DType::Bool {
        return if from.is_float() {
            let zero = code.constant(Literal::zero(from));
            code.binary(&format!("fcmp une {source}"), x, &zero)
        } else {
            let zero = code.integer(from, 0);
            code.binary(&format!("icmp ne {source}"), x, &zero)
        };
    }
    let convert = |code: &mut Code<'_, '_>, operation: &str| {
        code.instruction(format_args!("{operation} {source} {x} to {target}"))
    };
    match (from.is_float(), to.is_float()) {
        (true, true) if from.bits() < to.bits() => convert(code, "fpext"),
        (true, true) => convert(code, "fptrunc"),
        (true, false) => float_to_integer(code, x, from, to),
        (false, true) if from.is_signed() => convert(code, "sitofp"),
        (false, true) => convert(code, "uitofp"),
        (false, false) => resize(code, x, from, to),
    }
}

fn resize(code: &mut Code<'_, '_>, x: &Operand, from: DType, to: DType) -> Operand {
    let (source, target) = (code.ty(from), code.ty(to));
    let operation = if from != DType::Bool && from.bits() == to.bits() {
        return x.clone();
    } else if from != DType::Bool && from.bits() > to.bits() {
        "trunc"
    } else if from.is_signed() {
        "sext"
    } else {
        "zext"
    };
    code.instruction(format_args!("{operation} {source} {x} to {target}"))
}

fn float_to_integer(code: &mut Code<'_, '_>, x: &Operand, from: DType, to: DType) -> Operand {
    if to.bits() <= 32 {
        return float_to_short_integer(code, x, from, to);
    }
    let (source, target) = (code.ty(from), code.ty(to));
    let operation = if to.is_signed() { "fptosi" } else { "fptoui" };
    let (result, argument) = (code.suffix(to), code.suffix(from));
    let name = format!("llvm.{operation}.sat.{result}.{argument}");
    code.library
        .intrinsic(&name, &target.to_string(), &source.to_string());
    code.call(name, target, source, &[x])
}

fn float_to_short_integer(code: &mut Code<'_, '_>, x: &Operand, from: DType, to: DType) -> Operand {
    let source = code.ty(from);
    let number = |code: &Code<'_, '_>, value: f64| {
        code.constant(match from {
            DType::F32 => Literal::F32(value as f32),
            _ => Literal::F64(value),
        })
    };
    let (lowest, highest) = if to.is_signed() {
        let end = 1_i64 << (to.bits() - 1);
        (-end, end - 1)
    } else {
        (0, (1_i64 << to.bits()) - 1)
    };
    // Of the integers of 32 bits, float32 has only some of the largest.
    let is_rounded = from == DType::F32 && to.bits() == 32;
    let largest = if is_rounded {
        f64::from((highest as f32).next_down())
    } else {
        highest as f64
    };

    let zero = number(code, 0.0);
    let is_number = code.binary(&format!("fcmp ord {source}"), x, &zero);
    let bounded = code.select(source, &is_number, x, &zero);
    let lower_bound = number(code, lowest as f64);
    let is_above = code.binary(&format!("fcmp ogt {source}"), &bounded, &lower_bound);
    let bounded = code.select(source, &is_above, &bounded, &lower_bound);
    let upper_bound = number(code, largest);
    let is_below = code.binary(&format!("fcmp olt {source}"), &bounded, &upper_bound);
    let bounded = code.select(source, &is_below, &bounded, &upper_bound);

    let (wide, operation) = match to {
        DType::U32 => (to, "fptoui"),
        _ => (DType::I32, "fptosi"),
    };
    let target = code.ty(wide);
    let converted = code.instruction(format_args!("{operation} {source} {bounded} to {target}"));
    if is_rounded {
        let is_beyond = code.binary(&format!("fcmp ogt {source}"), x, &upper_bound);
        let highest = code.integer(wide, highest);
        return code.select(target, &is_beyond, &highest, &converted);
    }
    resize(code, &converted, wide, to)
}

/// `x` as `float32`; exact.
pub(super) fn half_to_float(code: &mut Code<'_, '_>, x: &Operand) -> Operand {
    if code.library.options.vector_isa >= VectorIsa::Avx2 {
        let (half, float) = (code.ty(DType::F16), code.ty(DType::F32));
        return code.instruction(format_args!("fpext {half} {x} to {float}"));
    }
    let (float, half) = (DType::F32, DType::F16);
    call_helper(code, "situ.f32.from.f16", HALF_TO_FLOAT, x, float, half)
}

/// The `float16` nearest to a `float32`.
pub(super) fn float_to_half(code: &mut Code<'_, '_>, x: &Operand) -> Operand {
    if code.library.options.vector_isa >= VectorIsa::Avx2 {
        let (half, float) = (code.ty(DType::F16), code.ty(DType::F32));
        return code.instruction(format_args!("fptrunc {float} {x} to {half}"));
    }
    let (half, float) = (DType::F16, DType::F32);
    call_helper(code, "situ.f16.from.f32", FLOAT_TO_HALF, x, half, float)
}

fn call_helper(
    code: &mut Code<'_, '_>,
    name: &str,
    body: &str,
    x: &Operand,
    result: DType,
    argument: DType,
) -> Operand {
    if !code.library.defines(name) {
        let (result, argument) = (scalar_type(result), scalar_type(argument));
        let text = format!(
            "define internal {result} @{name}({argument} %x) alwaysinline nounwind {{\n{body}}}\n"
        );
        code.library.define(name, text);
    }
    code.call_in_each_lane(name, result, argument, &[x])
}

/// The exponent moves by multiplication, which also normalises subnormals; infinity and NaN apart.
const HALF_TO_FLOAT: &str = "\
  %bits = bitcast half %x to i16
  %wide = zext i16 %bits to i32
  %sign.bit = and i32 %wide, 32768
  %sign = shl i32 %sign.bit, 16
  %magnitude = and i32 %wide, 32767
  %shifted = shl i32 %magnitude, 13
  %small = bitcast i32 %shifted to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %special = or i32 %shifted, 2139095040
  %is.special = icmp uge i32 %magnitude, 31744
  %absolute = select i1 %is.special, i32 %special, i32 %finite
  %result = or i32 %absolute, %sign
  %float = bitcast i32 %result to float
  ret float %float
";

/// Normal results by adding half a last place to the bits (ties to even), subnormal ones by an
/// addition that puts their last place where `float32` rounds, infinity and NaN apart.
const FLOAT_TO_HALF: &str = "\
  %bits = bitcast float %x to i32
  %sign.bit = and i32 %bits, -2147483648
  %sign = lshr i32 %sign.bit, 16
  %magnitude = and i32 %bits, 2147483647
  %lowest = lshr i32 %magnitude, 13
  %parity = and i32 %lowest, 1
  %rebased = add i32 %magnitude, -939520001
  %rounded = add i32 %rebased, %parity
  %normal = lshr i32 %rounded, 13
  %absolute = bitcast i32 %magnitude to float
  %aligned = fadd float %absolute, 0x3FE0000000000000
  %aligned.bits = bitcast float %aligned to i32
  %subnormal = add i32 %aligned.bits, -1056964608
  %is.subnormal = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %is.nan = icmp ugt i32 %magnitude, 2139095040
  %special = select i1 %is.nan, i32 32256, i32 31744
  %is.special = icmp uge i32 %magnitude, 1199570944
  %unsigned = select i1 %is.special, i32 %special, i32 %finite
  %signed = or i32 %unsigned, %sign
  %narrow = trunc i32 %signed to i16
  %half = bitcast i16 %narrow to half
  ret half %half
";
