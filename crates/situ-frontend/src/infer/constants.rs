//! Arithmetic between Python numbers, done while compiling.
//!
//! The rules are Python's own, on integers without a width. What Python would refuse or what leaves
//! the numbers we carry gives `None`, and the caller reports it.

use crate::syntax::{BinaryOperator, ComparisonOperator, Constant, UnaryOperator};

/// Whether Python takes the number for true.
pub(crate) fn truth(constant: Constant) -> bool {
    match constant {
        Constant::Bool(value) => value,
        Constant::Int(value) => value != 0,
        Constant::Float(value) => value != 0.0,
        Constant::Complex(real, imaginary) => real != 0.0 || imaginary != 0.0,
    }
}

/// The integer, if it is one; `True` is 1.
pub(crate) fn as_int(constant: Constant) -> Option<i128> {
    match constant {
        Constant::Bool(value) => Some(i128::from(value)),
        Constant::Int(value) => Some(value),
        Constant::Float(_) | Constant::Complex(..) => None,
    }
}

/// The real number, if it is one.
pub(crate) fn as_float(constant: Constant) -> Option<f64> {
    match constant {
        Constant::Float(value) => Some(value),
        Constant::Complex(..) => None,
        int => as_int(int).map(|value| value as f64),
    }
}

fn as_complex(constant: Constant) -> (f64, f64) {
    match constant {
        Constant::Complex(real, imaginary) => (real, imaginary),
        real => (as_float(real).unwrap_or(0.0), 0.0),
    }
}

/// `operator constant`.
pub(crate) fn unary(operator: UnaryOperator, operand: Constant) -> Option<Constant> {
    Some(match (operator, operand) {
        (UnaryOperator::Not, operand) => Constant::Bool(!truth(operand)),
        (UnaryOperator::Plus, Constant::Bool(value)) => Constant::Int(i128::from(value)),
        (UnaryOperator::Plus, operand) => operand,
        (UnaryOperator::Negate, Constant::Float(value)) => Constant::Float(-value),
        (UnaryOperator::Negate, Constant::Complex(real, imaginary)) => {
            Constant::Complex(-real, -imaginary)
        }
        (UnaryOperator::Negate, int) => Constant::Int(-as_int(int)?),
        (UnaryOperator::Invert, int) => Constant::Int(!as_int(int)?),
    })
}

/// `left operator right`.
pub(crate) fn binary(
    operator: BinaryOperator,
    left: Constant,
    right: Constant,
) -> Option<Constant> {
    if let (Some(x), Some(y)) = (as_int(left), as_int(right)) {
        let is_bitwise = matches!(
            operator,
            BinaryOperator::BitAnd | BinaryOperator::BitOr | BinaryOperator::BitXor
        );
        let result = int_binary(operator, x, y)?;
        return Some(match (left, right, result) {
            (Constant::Bool(_), Constant::Bool(_), Constant::Int(bits)) if is_bitwise => {
                Constant::Bool(bits != 0)
            }
            _ => result,
        });
    }
    match (as_float(left), as_float(right)) {
        (Some(x), Some(y)) => float_binary(operator, x, y),
        _ => complex_binary(operator, as_complex(left), as_complex(right)),
    }
}

fn int_binary(operator: BinaryOperator, x: i128, y: i128) -> Option<Constant> {
    Some(Constant::Int(match operator {
        BinaryOperator::Add => x.checked_add(y)?,
        BinaryOperator::Subtract => x.checked_sub(y)?,
        BinaryOperator::Multiply => x.checked_mul(y)?,
        BinaryOperator::Divide => {
            return (y != 0).then(|| Constant::Float(x as f64 / y as f64));
        }
        BinaryOperator::FloorDivide => floor_divide(x, y)?,
        BinaryOperator::Modulo => x.checked_sub(floor_divide(x, y)?.checked_mul(y)?)?,
        BinaryOperator::Power if y < 0 => {
            return (x != 0).then(|| Constant::Float((x as f64).powf(y as f64)));
        }
        BinaryOperator::Power => x.checked_pow(u32::try_from(y).ok()?)?,
        BinaryOperator::ShiftLeft => {
            let factor = 2_i128.checked_pow(u32::try_from(y).ok()?)?;
            x.checked_mul(factor)?
        }
        BinaryOperator::ShiftRight => x >> u32::try_from(y).ok()?.min(127),
        BinaryOperator::BitAnd => x & y,
        BinaryOperator::BitOr => x | y,
        BinaryOperator::BitXor => x ^ y,
        BinaryOperator::MatrixMultiply => return None,
    }))
}

fn floor_divide(x: i128, y: i128) -> Option<i128> {
    let quotient = x.checked_div(y)?;
    let is_below = x % y != 0 && ((x < 0) != (y < 0));
    Some(quotient - i128::from(is_below))
}

fn float_binary(operator: BinaryOperator, x: f64, y: f64) -> Option<Constant> {
    let modulo = || {
        let remainder = x % y;
        let has_wrong_sign = remainder != 0.0 && ((remainder < 0.0) != (y < 0.0));
        if has_wrong_sign {
            remainder + y
        } else {
            remainder.abs().copysign(y)
        }
    };
    let result = match operator {
        BinaryOperator::Add => x + y,
        BinaryOperator::Subtract => x - y,
        BinaryOperator::Multiply => x * y,
        BinaryOperator::Divide if y != 0.0 => x / y,
        BinaryOperator::FloorDivide if y != 0.0 => {
            let remainder = modulo();
            ((x - remainder) / y).round()
        }
        BinaryOperator::Modulo if y != 0.0 => modulo(),
        // A negative base with a fractional exponent is complex in Python.
        BinaryOperator::Power if x >= 0.0 || y.fract() == 0.0 => x.powf(y),
        _ => return None,
    };
    Some(Constant::Float(result))
}

fn complex_binary(
    operator: BinaryOperator,
    (a, b): (f64, f64),
    (c, d): (f64, f64),
) -> Option<Constant> {
    let (real, imaginary) = match operator {
        BinaryOperator::Add => (a + c, b + d),
        BinaryOperator::Subtract => (a - c, b - d),
        BinaryOperator::Multiply => (a * c - b * d, a * d + b * c),
        _ => return None,
    };
    Some(Constant::Complex(real, imaginary))
}

/// `left operator right`; `None` for an order of complex numbers.
pub(crate) fn compare(
    operator: ComparisonOperator,
    left: Constant,
    right: Constant,
) -> Option<bool> {
    let order = match (as_int(left), as_int(right)) {
        (Some(x), Some(y)) => Some(x.cmp(&y)),
        _ => {
            if let (Some(x), Some(y)) = (as_float(left), as_float(right)) {
                x.partial_cmp(&y)
            } else {
                let is_equal = as_complex(left) == as_complex(right);
                return match operator {
                    ComparisonOperator::Equal => Some(is_equal),
                    ComparisonOperator::NotEqual => Some(!is_equal),
                    _ => None,
                };
            }
        }
    };
    Some(match operator {
        ComparisonOperator::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
        ComparisonOperator::NotEqual => !order.is_some_and(std::cmp::Ordering::is_eq),
        ComparisonOperator::Less => order.is_some_and(std::cmp::Ordering::is_lt),
        ComparisonOperator::LessEqual => order.is_some_and(std::cmp::Ordering::is_le),
        ComparisonOperator::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
        ComparisonOperator::GreaterEqual => order.is_some_and(std::cmp::Ordering::is_ge),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOperator::*;

    fn int(operator: BinaryOperator, x: i128, y: i128) -> Option<Constant> {
        binary(operator, Constant::Int(x), Constant::Int(y))
    }

    #[test]
    fn integers_follow_python() {
        assert_eq!(int(FloorDivide, -7, 2), Some(Constant::Int(-4)));
        assert_eq!(int(Modulo, -7, 2), Some(Constant::Int(1)));
        assert_eq!(int(Modulo, 7, -2), Some(Constant::Int(-1)));
        assert_eq!(int(Divide, 1, 2), Some(Constant::Float(0.5)));
        assert_eq!(int(Power, 2, -1), Some(Constant::Float(0.5)));
        assert_eq!(int(Power, 2, 10), Some(Constant::Int(1024)));
        assert_eq!(int(ShiftRight, -5, 200), Some(Constant::Int(-1)));
        assert_eq!(int(Divide, 1, 0), None);
        assert_eq!(int(Modulo, 1, 0), None);
        assert_eq!(int(ShiftLeft, 1, 500), None);
    }

    #[test]
    fn floats_follow_python() {
        let float = |operator, x, y| binary(operator, Constant::Float(x), Constant::Float(y));
        assert_eq!(float(FloorDivide, -7.0, 2.0), Some(Constant::Float(-4.0)));
        assert_eq!(float(Modulo, -7.5, 2.0), Some(Constant::Float(0.5)));
        assert_eq!(float(Modulo, 7.5, -2.0), Some(Constant::Float(-0.5)));
        assert_eq!(float(Power, -8.0, 0.5), None);
        assert_eq!(float(BitAnd, 1.0, 1.0), None);
    }

    #[test]
    fn booleans_stay_booleans_under_bitwise_operators_only() {
        let (yes, no) = (Constant::Bool(true), Constant::Bool(false));
        assert_eq!(binary(BitOr, yes, no), Some(Constant::Bool(true)));
        assert_eq!(binary(Add, yes, yes), Some(Constant::Int(2)));
    }

    #[test]
    fn comparison_with_nan_is_false_except_not_equal() {
        let (one, nan) = (Constant::Int(1), Constant::Float(f64::NAN));
        assert_eq!(compare(ComparisonOperator::Less, one, nan), Some(false));
        assert_eq!(compare(ComparisonOperator::NotEqual, nan, nan), Some(true));
        let i = Constant::Complex(0.0, 1.0);
        assert_eq!(compare(ComparisonOperator::Less, i, one), None);
    }
}
