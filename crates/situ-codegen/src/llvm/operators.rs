//! Operators with one and two operands.
//!
//! LLVM leaves division by zero, overflowing division and shifts by too much without meaning; every
//! such case is guarded here by a selection, never by a branch, so that loops stay vectorisable.

use situ_ir::{BinaryOperator, DType, Literal, UnaryOperator};

use super::casts::{float_to_half, half_to_float};
use super::code::Code;
use super::types::{LaneType, bits_type};
use super::writer::Operand;

/// The result of an operator with one operand; `None` for those that lowering removes.
pub(super) fn unary(
    code: &mut Code<'_, '_>,
    operator: UnaryOperator,
    dtype: DType,
    x: &Operand,
) -> Option<Operand> {
    let ty = code.ty(dtype);
    let suffix = code.suffix(dtype);
    let zero = code.integer(dtype, 0);
    let result = match operator {
        UnaryOperator::Negate if dtype.is_float() => {
            code.instruction(format_args!("fneg {ty} {x}"))
        }
        UnaryOperator::Negate => code.binary(&format!("sub {ty}"), &zero, x),
        UnaryOperator::Not if dtype == DType::Bool => {
            let truth = code.constant(Literal::Bool(true));
            code.binary(&format!("xor {ty}"), x, &truth)
        }
        UnaryOperator::Not => {
            let ones = code.integer(dtype, -1);
            code.binary(&format!("xor {ty}"), x, &ones)
        }
        UnaryOperator::Abs if dtype.is_float() => magnitude(code, dtype, x),
        UnaryOperator::Abs if dtype.is_signed() => {
            with_flag(code, &format!("llvm.abs.{suffix}"), ty, x)
        }
        UnaryOperator::Abs => x.clone(),
        UnaryOperator::IsNan => code.instruction(format_args!("fcmp uno {ty} {x}, {x}")),
        UnaryOperator::IsInf => compare_with_infinity(code, "fcmp oeq", dtype, x),
        UnaryOperator::IsFinite => compare_with_infinity(code, "fcmp olt", dtype, x),
        UnaryOperator::SignBit => {
            let bits = code.type_of(bits_type(dtype));
            let pattern = code.instruction(format_args!("bitcast {ty} {x} to {bits}"));
            let zero = bits.constant(&Operand::integer(0));
            code.binary(&format!("icmp slt {bits}"), &pattern, &zero)
        }
        UnaryOperator::PopCount => code.intrinsic(&format!("llvm.ctpop.{suffix}"), ty, &[x]),
        UnaryOperator::LeadingZeros => with_flag(code, &format!("llvm.ctlz.{suffix}"), ty, x),
        UnaryOperator::Conjugate | UnaryOperator::Real | UnaryOperator::Imaginary => return None,
    };
    Some(result)
}

fn magnitude(code: &mut Code<'_, '_>, dtype: DType, x: &Operand) -> Operand {
    let name = format!("llvm.fabs.{}", code.suffix(dtype));
    code.intrinsic(&name, code.ty(dtype), &[x])
}

fn compare_with_infinity(
    code: &mut Code<'_, '_>,
    comparison: &str,
    dtype: DType,
    x: &Operand,
) -> Operand {
    let x = magnitude(code, dtype, x);
    let infinity = code.constant(Literal::from_f64(dtype, f64::INFINITY));
    code.binary(&format!("{comparison} {}", code.ty(dtype)), &x, &infinity)
}

/// Calls an intrinsic with a flag that would make some argument poison; we give every argument a
/// meaning, so the flag is off.
fn with_flag(code: &mut Code<'_, '_>, name: &str, ty: LaneType, x: &Operand) -> Operand {
    code.library
        .intrinsic(name, &ty.to_string(), &format!("{ty}, i1"));
    code.instruction(format_args!("call {ty} @{name}({ty} {x}, i1 false)"))
}

/// What LLVM may do to arithmetic on floats where the user allows it: everything that changes rounding only.
const REORDERED: &str = "reassoc nsz arcp contract";

/// The result of an operator with two operands; `None` for those that lowering removes.
pub(super) fn binary(
    code: &mut Code<'_, '_>,
    operator: BinaryOperator,
    dtype: DType,
    x: &Operand,
    y: &Operand,
) -> Option<Operand> {
    use BinaryOperator as Operator;
    if dtype == DType::F16 {
        return binary_half(code, operator, x, y);
    }
    let ty = code.ty(dtype);
    let is_float = dtype.is_float();
    let mut plain = |float: &str, integer: &str| {
        let operation = match (is_float, code.library.options.reorders_floats) {
            (false, _) => integer,
            (true, false) => float,
            (true, true) => &format!("{float} {REORDERED}"),
        };
        Some(code.binary(&format!("{operation} {ty}"), x, y))
    };
    match operator {
        Operator::Add => plain("fadd", "add"),
        Operator::Subtract => plain("fsub", "sub"),
        Operator::Multiply => plain("fmul", "mul"),
        Operator::Divide => plain("fdiv", "udiv"),
        Operator::BitAnd => plain("", "and"),
        Operator::BitOr => plain("", "or"),
        Operator::BitXor => plain("", "xor"),
        Operator::TruncatingDivide => Some(divide(code, dtype, x, y)),
        Operator::TruncatingRemainder => Some(remainder(code, dtype, x, y)),
        Operator::Minimum | Operator::Maximum => Some(extremum(code, operator, dtype, x, y)),
        Operator::ShiftLeft | Operator::ShiftRight => Some(shift(code, operator, dtype, x, y)),
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual => Some(compare(code, operator, dtype, x, y)),
        Operator::FloorDivide | Operator::Modulo | Operator::Power => None,
    }
}

/// Collectives combine `float16` in `float32` and round after each step; nothing else does
/// arithmetic on it after lowering.
fn binary_half(
    code: &mut Code<'_, '_>,
    operator: BinaryOperator,
    x: &Operand,
    y: &Operand,
) -> Option<Operand> {
    let x = half_to_float(code, x);
    let y = half_to_float(code, y);
    let result = binary(code, operator, DType::F32, &x, &y)?;
    Some(if operator.is_comparison() {
        result
    } else {
        float_to_half(code, &result)
    })
}

fn compare(
    code: &mut Code<'_, '_>,
    operator: BinaryOperator,
    dtype: DType,
    x: &Operand,
    y: &Operand,
) -> Operand {
    use BinaryOperator as Operator;
    let [float, signed, unsigned] = match operator {
        Operator::NotEqual => ["fcmp une", "icmp ne", "icmp ne"],
        Operator::Less => ["fcmp olt", "icmp slt", "icmp ult"],
        Operator::LessEqual => ["fcmp ole", "icmp sle", "icmp ule"],
        Operator::Greater => ["fcmp ogt", "icmp sgt", "icmp ugt"],
        Operator::GreaterEqual => ["fcmp oge", "icmp sge", "icmp uge"],
        _ => ["fcmp oeq", "icmp eq", "icmp eq"],
    };
    let comparison = if dtype.is_float() {
        float
    } else if dtype.is_signed() {
        signed
    } else {
        unsigned
    };
    code.binary(&format!("{comparison} {}", code.ty(dtype)), x, y)
}

/// The smaller or larger of two; `x` of two that are equal, NaN if either is.
///
/// Of floats, `y` is what is asked whether it is NaN: in a reduction it is the new element and `x` what there is so
/// far, so that the question does not lengthen the chain from one round to the next. The answer is a NaN of our own: if it were `y`,
/// LLVM would make one selection of two and an `or` of their conditions, and no longer see that the first is what processors
/// have an instruction for.
fn extremum(
    code: &mut Code<'_, '_>,
    operator: BinaryOperator,
    dtype: DType,
    x: &Operand,
    y: &Operand,
) -> Operand {
    let comparison = match operator {
        BinaryOperator::Minimum => BinaryOperator::Less,
        _ => BinaryOperator::Greater,
    };
    let ty = code.ty(dtype);
    let takes_y = compare(code, comparison, dtype, y, x);
    let extreme = code.select(ty, &takes_y, y, x);
    if !dtype.is_float() {
        return extreme;
    }
    let is_nan = code.instruction(format_args!("fcmp uno {ty} {y}, {y}"));
    let nan = code.constant(Literal::from_f64(dtype, f64::NAN));
    code.select(ty, &is_nan, &nan, &extreme)
}

/// A divisor that cannot trap: 1 in place of 0 and of -1, which the smallest integer overflows
/// with. Also whether it was 0 and, for signed types, whether it was -1.
fn safe_divisor(
    code: &mut Code<'_, '_>,
    dtype: DType,
    y: &Operand,
) -> (Operand, Operand, Option<Operand>) {
    let ty = code.ty(dtype);
    let (zero, one) = (code.integer(dtype, 0), code.integer(dtype, 1));
    let is_zero = code.binary(&format!("icmp eq {ty}"), y, &zero);
    if !dtype.is_signed() {
        let safe = code.select(ty, &is_zero, &one, y);
        return (safe, is_zero, None);
    }
    let minus_one = code.integer(dtype, -1);
    let is_minus_one = code.binary(&format!("icmp eq {ty}"), y, &minus_one);
    let bits = code.ty(DType::Bool);
    let is_special = code.binary(&format!("or {bits}"), &is_zero, &is_minus_one);
    let safe = code.select(ty, &is_special, &one, y);
    (safe, is_zero, Some(is_minus_one))
}

fn divide(code: &mut Code<'_, '_>, dtype: DType, x: &Operand, y: &Operand) -> Operand {
    let ty = code.ty(dtype);
    let (safe, is_zero, is_minus_one) = safe_divisor(code, dtype, y);
    let zero = code.integer(dtype, 0);
    let operation = if dtype.is_signed() { "sdiv" } else { "udiv" };
    let mut quotient = code.binary(&format!("{operation} {ty}"), x, &safe);
    if let Some(is_minus_one) = is_minus_one {
        let negated = code.binary(&format!("sub {ty}"), &zero, x);
        quotient = code.select(ty, &is_minus_one, &negated, &quotient);
    }
    code.select(ty, &is_zero, &zero, &quotient)
}

/// The remainder by 1 is the 0 that both special divisors ask for.
fn remainder(code: &mut Code<'_, '_>, dtype: DType, x: &Operand, y: &Operand) -> Operand {
    let (safe, ..) = safe_divisor(code, dtype, y);
    let operation = if dtype.is_signed() { "srem" } else { "urem" };
    code.binary(&format!("{operation} {}", code.ty(dtype)), x, &safe)
}

/// A negative count is a large one when it is read as unsigned.
fn shift(
    code: &mut Code<'_, '_>,
    operator: BinaryOperator,
    dtype: DType,
    x: &Operand,
    count: &Operand,
) -> Operand {
    let ty = code.ty(dtype);
    let bits = dtype.bits();
    let limit = code.integer(dtype, i64::from(bits));
    let is_small = code.binary(&format!("icmp ult {ty}"), count, &limit);
    if operator == BinaryOperator::ShiftRight && dtype.is_signed() {
        let last = code.integer(dtype, i64::from(bits) - 1);
        let count = code.select(ty, &is_small, count, &last);
        return code.binary(&format!("ashr {ty}"), x, &count);
    }
    let zero = code.integer(dtype, 0);
    let count = code.select(ty, &is_small, count, &zero);
    let operation = match operator {
        BinaryOperator::ShiftLeft => "shl",
        _ => "lshr",
    };
    let shifted = code.binary(&format!("{operation} {ty}"), x, &count);
    code.select(ty, &is_small, &shifted, &zero)
}
