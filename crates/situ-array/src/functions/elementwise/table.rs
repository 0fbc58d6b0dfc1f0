//! The chapter as a table: adding a line adds the function for every dtype, layout and device.

use situ_ir::{BinaryOperator as B, MathFunction as M, UnaryOperator as U};

use super::bodies;
use super::rule::{OnBool, TypeRule};
use super::{Body, Elementwise, ExpressionBody};

const fn line(name: &'static str, arity: usize, rule: TypeRule, body: Body) -> Elementwise {
    Elementwise {
        name,
        arity,
        rule,
        body,
    }
}

/// An operator with two operands, in their common dtype.
const fn arithmetic(
    name: &'static str,
    operator: B,
    on_bool: OnBool,
    complex: bool,
) -> Elementwise {
    let rule = TypeRule::Arithmetic { on_bool, complex };
    line(name, 2, rule, Body::Binary(operator))
}

/// Any expression of operands in their common dtype.
const fn formula(
    name: &'static str,
    arity: usize,
    on_bool: OnBool,
    complex: bool,
    body: ExpressionBody,
) -> Elementwise {
    let rule = TypeRule::Arithmetic { on_bool, complex };
    line(name, arity, rule, Body::Expression(body))
}

const fn comparison(name: &'static str, operator: B, complex: bool) -> Elementwise {
    let rule = TypeRule::Comparison { complex };
    line(name, 2, rule, Body::Binary(operator))
}

/// A function of real and complex numbers.
const fn analytic(name: &'static str, function: M) -> Elementwise {
    let rule = TypeRule::Math { complex: true };
    line(name, 1, rule, Body::Math(function))
}

/// A function of real numbers.
const fn real(name: &'static str, arity: usize, function: M) -> Elementwise {
    let rule = TypeRule::Math { complex: false };
    line(name, arity, rule, Body::Math(function))
}

/// Any expression of real numbers.
const fn real_formula(name: &'static str, arity: usize, body: ExpressionBody) -> Elementwise {
    let rule = TypeRule::Math { complex: false };
    line(name, arity, rule, Body::Expression(body))
}

const fn rounding(name: &'static str, function: M) -> Elementwise {
    let rule = TypeRule::Rounding { complex: false };
    line(name, 1, rule, Body::Math(function))
}

const fn test(name: &'static str, complex: bool, body: ExpressionBody) -> Elementwise {
    let rule = TypeRule::Test { complex };
    line(name, 1, rule, Body::Expression(body))
}

const fn nearness(name: &'static str, body: ExpressionBody) -> Elementwise {
    line(name, 4, TypeRule::Nearness, Body::Expression(body))
}

const fn part(name: &'static str, body: ExpressionBody) -> Elementwise {
    line(name, 1, TypeRule::Part, Body::Expression(body))
}

const fn binary(name: &'static str, rule: TypeRule, operator: B) -> Elementwise {
    line(name, 2, rule, Body::Binary(operator))
}

const fn unary(name: &'static str, rule: TypeRule, operator: U) -> Elementwise {
    line(name, 1, rule, Body::Unary(operator))
}

const NO_NEGATIVE: OnBool = OnBool::Refuse("use `~x` (logical_not) for the complement of a bool");
const NO_SUBTRACT: OnBool = OnBool::Refuse("use `x ^ y` (logical_xor) for the difference of bools");
const NO_SIGN: OnBool = OnBool::Refuse("a bool has no sign; convert it, e.g. `x.astype(\"int8\")`");

/// The chapter.
pub static FUNCTIONS: &[Elementwise] = &[
    arithmetic("add", B::Add, OnBool::Use(B::BitOr), true),
    arithmetic("subtract", B::Subtract, NO_SUBTRACT, true),
    arithmetic("multiply", B::Multiply, OnBool::Use(B::BitAnd), true),
    binary("divide", TypeRule::Divide, B::Divide),
    formula(
        "floor_divide",
        2,
        OnBool::AsInt8,
        false,
        bodies::floor_divide,
    ),
    arithmetic("remainder", B::Modulo, OnBool::AsInt8, false),
    formula("fmod", 2, OnBool::AsInt8, false, bodies::fmod),
    arithmetic("pow", B::Power, OnBool::AsInt8, true),
    arithmetic("maximum", B::Maximum, OnBool::Use(B::BitOr), false),
    arithmetic("minimum", B::Minimum, OnBool::Use(B::BitAnd), false),
    formula("fmax", 2, OnBool::Use(B::BitOr), false, bodies::fmax),
    formula("fmin", 2, OnBool::Use(B::BitAnd), false, bodies::fmin),
    formula("clip", 3, OnBool::Same, false, bodies::clip),
    formula("nan_to_num", 4, OnBool::Same, true, bodies::nan_to_num),
    comparison("equal", B::Equal, true),
    comparison("not_equal", B::NotEqual, true),
    comparison("less", B::Less, false),
    comparison("less_equal", B::LessEqual, false),
    comparison("greater", B::Greater, false),
    comparison("greater_equal", B::GreaterEqual, false),
    binary("bitwise_and", TypeRule::Bitwise, B::BitAnd),
    binary("bitwise_or", TypeRule::Bitwise, B::BitOr),
    binary("bitwise_xor", TypeRule::Bitwise, B::BitXor),
    binary("bitwise_left_shift", TypeRule::Shift, B::ShiftLeft),
    binary("bitwise_right_shift", TypeRule::Shift, B::ShiftRight),
    unary("bitwise_invert", TypeRule::Bitwise, U::Not),
    binary("logical_and", TypeRule::Logical, B::BitAnd),
    binary("logical_or", TypeRule::Logical, B::BitOr),
    binary("logical_xor", TypeRule::Logical, B::BitXor),
    unary("logical_not", TypeRule::Logical, U::Not),
    line(
        "where",
        3,
        TypeRule::Choice,
        Body::Expression(bodies::choose),
    ),
    test("isnan", true, bodies::is_nan),
    test("isinf", true, bodies::is_inf),
    test("isfinite", true, bodies::is_finite),
    test("isposinf", false, bodies::is_plus_inf),
    test("isneginf", false, bodies::is_minus_inf),
    test("isreal", true, bodies::is_real),
    test("iscomplex", true, bodies::is_complex),
    nearness("isclose", bodies::is_close),
    nearness("isclose_or_nan", bodies::is_close_or_nan),
    test("signbit", false, bodies::sign_bit),
    part("abs", bodies::abs),
    real_formula("fabs", 1, bodies::abs),
    part("real", bodies::real),
    part("imag", bodies::imag),
    formula("conj", 1, OnBool::AsInt8, true, bodies::conj),
    formula("negative", 1, NO_NEGATIVE, true, bodies::negative),
    formula("positive", 1, NO_NEGATIVE, true, bodies::same),
    formula("sign", 1, NO_SIGN, true, bodies::sign),
    formula("square", 1, OnBool::AsInt8, true, bodies::square),
    formula("reciprocal", 1, OnBool::AsInt8, true, bodies::reciprocal),
    rounding("floor", M::Floor),
    rounding("ceil", M::Ceil),
    rounding("trunc", M::Trunc),
    line(
        "round",
        1,
        TypeRule::Rounding { complex: true },
        Body::Expression(bodies::rint),
    ),
    formula(
        "round_decimals",
        2,
        OnBool::AsInt8,
        true,
        bodies::round_decimals,
    ),
    formula("round_tens", 2, OnBool::AsInt8, true, bodies::round_tens),
    line(
        "rint",
        1,
        TypeRule::Math { complex: true },
        Body::Expression(bodies::rint),
    ),
    analytic("sin", M::Sin),
    analytic("cos", M::Cos),
    analytic("tan", M::Tan),
    analytic("asin", M::Asin),
    analytic("acos", M::Acos),
    analytic("atan", M::Atan),
    analytic("sinh", M::Sinh),
    analytic("cosh", M::Cosh),
    analytic("tanh", M::Tanh),
    analytic("asinh", M::Asinh),
    analytic("acosh", M::Acosh),
    analytic("atanh", M::Atanh),
    analytic("exp", M::Exp),
    analytic("expm1", M::Expm1),
    analytic("log", M::Log),
    analytic("log2", M::Log2),
    analytic("log10", M::Log10),
    analytic("log1p", M::Log1p),
    analytic("sqrt", M::Sqrt),
    real("exp2", 1, M::Exp2),
    real("cbrt", 1, M::Cbrt),
    real("atan2", 2, M::Atan2),
    real("hypot", 2, M::Hypot),
    real("copysign", 2, M::Copysign),
    real("nextafter", 2, M::Nextafter),
    real_formula("logaddexp", 2, bodies::logaddexp),
    real_formula("logaddexp2", 2, bodies::logaddexp2),
    line("sinc", 1, TypeRule::Divide, Body::Expression(bodies::sinc)),
    real_formula("heaviside", 2, bodies::heaviside),
    real_formula("deg2rad", 1, bodies::radians),
    real_formula("rad2deg", 1, bodies::degrees),
];
