//! Operators and casts of scalars.
//!
//! Each gives an expression of exactly the C type of its result; see [`super::expressions`] for how
//! signed arithmetic wraps around.

use situ_ir::{BinaryOperator, DType, UnaryOperator};

use super::TargetOptions;
use super::builtins;
use super::library::Library;
use super::precedence::{Precedence, Term};
use super::types::{bits, is_narrow};
use super::written::Written;

/// An operator with one operand.
pub(super) fn unary(
    library: &mut Library,
    operator: UnaryOperator,
    dtype: DType,
    operand: &Written,
) -> Written {
    let call = |function: &str| Term::primary(format!("{function}({})", operand.exact()));
    match operator {
        UnaryOperator::Negate if dtype.is_signed() && !is_narrow(dtype) => {
            let unsigned = as_unsigned(dtype, operand);
            Written::wrapping(dtype, Term::prefix("-", &unsigned))
        }
        UnaryOperator::Negate => converted(dtype, Term::prefix("-", &operand.exact)),
        UnaryOperator::Not if dtype.is_bool() => Written::new(Term::prefix("!", &operand.exact)),
        UnaryOperator::Not => converted(dtype, Term::prefix("~", &operand.exact)),
        UnaryOperator::Abs if dtype.is_float() => Written::new(call("fabs")),
        UnaryOperator::Abs if dtype.is_signed() => {
            let function = builtins::integer_abs(library, dtype);
            Written::new(call(&function))
        }
        UnaryOperator::Abs => operand.clone(),
        UnaryOperator::IsNan => Written::new(call("isnan")),
        UnaryOperator::IsInf => Written::new(call("isinf")),
        UnaryOperator::IsFinite => Written::new(call("isfinite")),
        UnaryOperator::SignBit => Written::new(call("signbit")),
        UnaryOperator::PopCount => Written::new(call("popcount")),
        UnaryOperator::LeadingZeros => Written::new(call("clz")),
        UnaryOperator::Conjugate | UnaryOperator::Real | UnaryOperator::Imaginary => {
            unreachable!("lowering replaced complex numbers by pairs")
        }
    }
}

/// A conversion.
pub(super) fn cast(library: &mut Library, from: DType, to: DType, operand: &Written) -> Written {
    if from == to {
        return operand.clone();
    }
    if to == DType::F16 {
        let function = builtins::half_from_float(library);
        return Written::new(Term::primary(format!("{function}({})", operand.exact())));
    }
    if from == DType::F16 {
        let function = builtins::float_from_half(library);
        return Written::new(Term::primary(format!("{function}({})", operand.exact())));
    }
    if to.is_bool() {
        // NaN differs from zero, and so is true.
        return Written::new(not_zero(&operand.exact));
    }
    if from.is_float() && to.is_integer() {
        let function = builtins::integer_from_float(library, from, to);
        return Written::new(Term::primary(format!("{function}({})", operand.exact())));
    }
    Written::cast(to, operand.exact.clone())
}

/// `term != 0`.
pub(super) fn not_zero(term: &Term) -> Term {
    Term::binary(term, "!=", &Term::primary("0"), Precedence::Equality)
}

/// A result that C computed in `int` if the type is narrow.
fn converted(dtype: DType, term: Term) -> Written {
    if is_narrow(dtype) {
        Written::cast(dtype, term)
    } else {
        Written::new(term)
    }
}

/// An integer operand in the unsigned type of its width.
fn as_unsigned(dtype: DType, operand: &Written) -> Term {
    match &operand.unsigned {
        Some(unsigned) => unsigned.clone(),
        None if dtype.is_unsigned() => operand.exact.clone(),
        None => Term::prefix(&format!("({})", bits(dtype)), &operand.exact),
    }
}

/// Addition, subtraction or multiplication.
fn wrapping(
    dtype: DType,
    left: &Written,
    symbol: &str,
    right: &Written,
    precedence: Precedence,
) -> Written {
    // Products of `ushort` do not fit in the `int` that C would compute them in.
    let overflows_int = dtype == DType::U16 && symbol == "*";
    if overflows_int {
        let left = Term::prefix("(uint)", &left.exact);
        return Written::cast(dtype, Term::binary(&left, symbol, &right.exact, precedence));
    }
    if dtype.is_signed() && !is_narrow(dtype) {
        // The left operand makes C compute in the unsigned type; the right one is converted.
        let left = as_unsigned(dtype, left);
        let right = match (&right.plain, &right.unsigned) {
            (Some(right), _) | (None, Some(right)) => right,
            (None, None) => &right.exact,
        };
        return Written::wrapping(dtype, Term::binary(&left, symbol, right, precedence));
    }
    converted(
        dtype,
        Term::binary(&left.exact, symbol, &right.exact, precedence),
    )
}

/// An operator with two operands. `constant` is the right operand's value if it is an integer constant.
pub(super) fn binary(
    library: &mut Library,
    options: &TargetOptions,
    operator: BinaryOperator,
    dtype: DType,
    [left, right]: [&Written; 2],
    constant: Option<i128>,
) -> Written {
    // C finds the type of a constant on the right from the left operand.
    let right_term = match constant {
        Some(_) => right.plain(),
        None => &right.exact,
    };
    let infix =
        |symbol: &str, precedence| Term::binary(&left.exact, symbol, right_term, precedence);
    let call = |function: &str| {
        Written::new(Term::primary(format!(
            "{function}({}, {})",
            left.exact(),
            right.exact()
        )))
    };
    match operator {
        BinaryOperator::Add => wrapping(dtype, left, "+", right, Precedence::Additive),
        BinaryOperator::Subtract => wrapping(dtype, left, "-", right, Precedence::Additive),
        BinaryOperator::Multiply => wrapping(dtype, left, "*", right, Precedence::Multiplicative),
        BinaryOperator::Divide => float_divide(options, dtype, left, right),
        BinaryOperator::TruncatingDivide => match constant {
            Some(divisor) if divisor != 0 && divisor != -1 => {
                converted(dtype, infix("/", Precedence::Multiplicative))
            }
            _ => call(&builtins::divide(library, dtype)),
        },
        BinaryOperator::TruncatingRemainder => match constant {
            Some(divisor) if divisor != 0 && divisor != -1 => {
                converted(dtype, infix("%", Precedence::Multiplicative))
            }
            _ => call(&builtins::remainder(library, dtype)),
        },
        BinaryOperator::ShiftLeft => match constant {
            Some(count) if (0..i128::from(dtype.bits())).contains(&count) => {
                let left = as_unsigned(dtype, left);
                let count = Term::primary(count.to_string());
                let shifted = Term::binary(&left, "<<", &count, Precedence::Shift);
                if is_narrow(dtype) {
                    Written::cast(dtype, shifted)
                } else if dtype.is_signed() {
                    Written::wrapping(dtype, shifted)
                } else {
                    Written::new(shifted)
                }
            }
            _ => call(&builtins::shift_left(library, dtype)),
        },
        BinaryOperator::ShiftRight => match constant {
            Some(count) if (0..i128::from(dtype.bits())).contains(&count) => {
                let count = Term::primary(count.to_string());
                let shifted = Term::binary(&left.exact, ">>", &count, Precedence::Shift);
                converted(dtype, shifted)
            }
            _ => call(&builtins::shift_right(library, dtype)),
        },
        BinaryOperator::Power => call(&builtins::power(library, dtype)),
        BinaryOperator::Minimum if dtype.is_float() => {
            call(&builtins::float_choice(library, "minimum", "<=", dtype))
        }
        BinaryOperator::Maximum if dtype.is_float() => {
            call(&builtins::float_choice(library, "maximum", ">=", dtype))
        }
        BinaryOperator::Minimum => call("min"),
        BinaryOperator::Maximum => call("max"),
        BinaryOperator::BitAnd if dtype.is_bool() => {
            Written::new(infix("&&", Precedence::LogicalAnd))
        }
        BinaryOperator::BitOr if dtype.is_bool() => {
            Written::new(infix("||", Precedence::LogicalOr))
        }
        BinaryOperator::BitXor if dtype.is_bool() => {
            Written::new(infix("!=", Precedence::Equality))
        }
        BinaryOperator::BitAnd => converted(dtype, infix("&", Precedence::BitAnd)),
        BinaryOperator::BitOr => converted(dtype, infix("|", Precedence::BitOr)),
        BinaryOperator::BitXor => converted(dtype, infix("^", Precedence::BitXor)),
        BinaryOperator::Equal => Written::new(infix("==", Precedence::Equality)),
        BinaryOperator::NotEqual => Written::new(infix("!=", Precedence::Equality)),
        BinaryOperator::Less => Written::new(infix("<", Precedence::Relational)),
        BinaryOperator::LessEqual => Written::new(infix("<=", Precedence::Relational)),
        BinaryOperator::Greater => Written::new(infix(">", Precedence::Relational)),
        BinaryOperator::GreaterEqual => Written::new(infix(">=", Precedence::Relational)),
        BinaryOperator::FloorDivide | BinaryOperator::Modulo => {
            unreachable!("lowering replaced Python's division")
        }
    }
}

/// A quotient rounded correctly.
fn float_divide(options: &TargetOptions, dtype: DType, left: &Written, right: &Written) -> Written {
    let (left, right) = (&left.exact, &right.exact);
    if dtype == DType::F32 && options.rounds_float_through_double() {
        let left = Term::prefix("(double)", left);
        let quotient = Term::binary(&left, "/", right, Precedence::Multiplicative);
        return Written::cast(dtype, quotient);
    }
    Written::new(Term::binary(left, "/", right, Precedence::Multiplicative))
}
