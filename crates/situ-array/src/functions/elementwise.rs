//! Elementwise functions, as data.
//!
//! A function is a name, a [`TypeRule`] and an expression. The table at the end is the whole chapter:
//! adding a line there adds the function for every dtype, layout and device.

use situ_ir::promotion::{float_for, promote};
use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, MathFunction,
    UnaryOperator,
};
use situ_runtime::Device;
use smallvec::SmallVec;

use crate::device_dtypes;
use crate::error::Error;

/// An elementwise function.
#[derive(Debug)]
pub struct Elementwise {
    /// The array API's name.
    pub name: &'static str,
    /// How many operands.
    pub arity: usize,
    /// Which dtypes it takes and makes.
    pub rule: TypeRule,
    /// What it computes.
    pub body: Body,
}

/// How the result's dtype follows from the operands'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRule {
    /// Works in the operands' common dtype. `bool` uses the second operator, if there is one.
    Arithmetic {
        /// What `bool` operands do instead, as NumPy has it.
        on_bool: OnBool,
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// True division: integers become `float64`.
    Divide,
    /// A mathematical function: integers become floats wide enough for them.
    Math,
    /// Rounding: integers and `bool` stay what they are.
    Rounding,
    /// Compares in the common dtype and gives `bool`.
    Comparison {
        /// Whether complex numbers are taken.
        complex: bool,
    },
    /// Integers and `bool`.
    Bitwise,
    /// Integers.
    Shift,
    /// Operands are taken as `bool`.
    Logical,
    /// Asks about one number of any dtype, as a float or complex question, and gives `bool`.
    FloatTest,
    /// The magnitude: complex numbers become real.
    Magnitude,
}

/// What arithmetic does with two `bool` operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBool {
    /// Computes with another operator, in `bool`.
    Use(BinaryOperator),
    /// Works in `int8`.
    AsInt8,
    /// Refuses, with this advice.
    Refuse(&'static str),
    /// Gives the operand back.
    Same,
}

/// What an elementwise function computes for one element.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// An operator with one operand.
    Unary(UnaryOperator),
    /// An operator with two operands.
    Binary(BinaryOperator),
    /// A mathematical function.
    Math(MathFunction),
    /// Anything else.
    Expression(fn(&mut FunctionBuilder, &[Handle<Expression>]) -> Handle<Expression>),
}

/// The dtypes of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What each operand is converted to.
    pub compute: SmallVec<[DType; 4]>,
    /// What the result is.
    pub result: DType,
}

impl Signature {
    /// The same on a device, which may not have all dtypes. Those of the operands it has.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        for dtype in &mut self.compute {
            *dtype = device_dtypes::nearest(*dtype, device);
        }
        self.result = device_dtypes::nearest(self.result, device);
        self
    }
}

impl Elementwise {
    /// The dtypes for operands whose common dtype is `common`.
    ///
    /// # Errors
    /// If the function is not defined for it.
    pub fn signature(&self, dtypes: &[DType]) -> Result<Signature, Error> {
        let common = dtypes
            .iter()
            .copied()
            .reduce(promote)
            .expect("a function has operands");
        let refuse = |help| {
            Err(Error::DTypeNotSupported {
                operation: self.name,
                dtypes: dtypes.to_vec(),
                help,
            })
        };
        let signature = |compute, result| {
            let compute = SmallVec::from_elem(compute, dtypes.len());
            Ok(Signature { compute, result })
        };
        let same = |dtype| signature(dtype, dtype);
        let no_complex = "take `abs`, `real` or `imag` of the complex operand first";
        let only_integers = "convert to an integer dtype first, e.g. `x.astype(\"int64\")`";
        match self.rule {
            TypeRule::Arithmetic { complex: false, .. } if common.is_complex() => {
                refuse(no_complex)
            }
            TypeRule::Arithmetic { on_bool, .. } if common.is_bool() => match on_bool {
                OnBool::Use(_) | OnBool::Same => same(DType::Bool),
                OnBool::AsInt8 => same(DType::I8),
                OnBool::Refuse(help) => refuse(help),
            },
            TypeRule::Arithmetic { .. } => same(common),
            TypeRule::Divide if common.is_integer() || common.is_bool() => same(DType::F64),
            TypeRule::Divide => same(common),
            TypeRule::Math if common.is_complex() => match self.body {
                Body::Math(function) if function.result(common).is_some() => same(common),
                _ => refuse(no_complex),
            },
            // Each operand chooses its float; their common dtype could be wider than needed.
            TypeRule::Math => same(
                dtypes
                    .iter()
                    .copied()
                    .map(float_for)
                    .reduce(promote)
                    .unwrap_or(common),
            ),
            TypeRule::Rounding if common.is_complex() => refuse(no_complex),
            TypeRule::Rounding => same(common),
            TypeRule::Comparison { complex: false } if common.is_complex() => refuse(no_complex),
            TypeRule::Comparison { .. } => {
                // No dtype holds both, so they are compared as they are.
                if let [DType::U64, other] | [other, DType::U64] = dtypes
                    && other.is_signed()
                {
                    let widened = |dtype: &DType| match dtype {
                        DType::U64 => DType::U64,
                        _ => DType::I64,
                    };
                    let compute = dtypes.iter().map(widened).collect();
                    return Ok(Signature {
                        compute,
                        result: DType::Bool,
                    });
                }
                // The IR does not order bools; as bytes they order the same.
                let compute = if common.is_bool() { DType::U8 } else { common };
                signature(compute, DType::Bool)
            }
            TypeRule::Bitwise if common.is_bool() || common.is_integer() => same(common),
            TypeRule::Shift if common.is_bool() => same(DType::I8),
            TypeRule::Shift if common.is_integer() => same(common),
            TypeRule::Bitwise | TypeRule::Shift => refuse(only_integers),
            TypeRule::Logical => signature(DType::Bool, DType::Bool),
            TypeRule::FloatTest => signature(common, DType::Bool),
            TypeRule::Magnitude => signature(common, common.real()),
        }
    }

    /// Appends the expression for operands that were converted as the signature says.
    pub fn expression(
        &self,
        f: &mut FunctionBuilder,
        operands: &[Handle<Expression>],
    ) -> Handle<Expression> {
        let compute = f.dtype_of(operands[0]);
        match (self.rule, self.body) {
            (TypeRule::Arithmetic { on_bool, .. }, _) if compute.is_bool() => match on_bool {
                OnBool::Use(operator) => f.binary(operator, operands[0], operands[1]),
                _ => operands[0],
            },
            (TypeRule::Rounding, _) if !compute.is_float() => operands[0],
            (TypeRule::Magnitude, _) if compute.is_bool() || compute.is_unsigned() => operands[0],
            (TypeRule::Comparison { .. }, Body::Binary(operator))
                if f.dtype_of(operands[1]) != compute =>
            {
                compare_mixed_signs(f, operator, operands[0], operands[1])
            }
            (TypeRule::FloatTest, body) => float_test(f, compute, body, operands[0]),
            (_, Body::Unary(operator)) => f.unary(operator, operands[0]),
            (_, Body::Binary(operator)) => f.binary(operator, operands[0], operands[1]),
            (_, Body::Math(function)) => f.math(function, operands),
            (_, Body::Expression(body)) => body(f, operands),
        }
    }
}

/// Compares an `int64` with a `uint64`, in either order: a negative number is less than all others,
/// and what is not negative fits into `uint64`.
fn compare_mixed_signs(
    f: &mut FunctionBuilder,
    operator: BinaryOperator,
    left: Handle<Expression>,
    right: Handle<Expression>,
) -> Handle<Expression> {
    let signed_first = f.dtype_of(left).is_signed();
    let signed = if signed_first { left } else { right };
    let zero = f.index(0);
    let is_negative = f.binary(BinaryOperator::Less, signed, zero);
    let of_negative = match operator {
        BinaryOperator::NotEqual => true,
        BinaryOperator::Less | BinaryOperator::LessEqual => signed_first,
        BinaryOperator::Greater | BinaryOperator::GreaterEqual => !signed_first,
        _ => false,
    };
    let of_negative = f.literal(Literal::Bool(of_negative));
    let (left, right) = (f.cast(left, DType::U64), f.cast(right, DType::U64));
    let of_others = f.binary(operator, left, right);
    f.select(is_negative, of_negative, of_others)
}

/// `isnan` and its kin: integers answer at once, complex numbers by their parts.
fn float_test(
    f: &mut FunctionBuilder,
    compute: DType,
    body: Body,
    operand: Handle<Expression>,
) -> Handle<Expression> {
    let Body::Unary(test) = body else {
        unreachable!("float tests are unary operators")
    };
    if compute.is_float() {
        return f.unary(test, operand);
    }
    if !compute.is_complex() {
        return f.literal(Literal::Bool(test == UnaryOperator::IsFinite));
    }
    let real = f.unary(UnaryOperator::Real, operand);
    let imaginary = f.unary(UnaryOperator::Imaginary, operand);
    let (real, imaginary) = (f.unary(test, real), f.unary(test, imaginary));
    let both = test == UnaryOperator::IsFinite;
    let join = if both {
        BinaryOperator::BitAnd
    } else {
        BinaryOperator::BitOr
    };
    f.binary(join, real, imaginary)
}

/// Arithmetic that also takes complex numbers.
const fn arithmetic(
    name: &'static str,
    operator: BinaryOperator,
    on_bool: OnBool,
    complex: bool,
) -> Elementwise {
    let rule = TypeRule::Arithmetic { on_bool, complex };
    Elementwise {
        name,
        arity: 2,
        rule,
        body: Body::Binary(operator),
    }
}

const fn comparison(name: &'static str, operator: BinaryOperator, complex: bool) -> Elementwise {
    let rule = TypeRule::Comparison { complex };
    Elementwise {
        name,
        arity: 2,
        rule,
        body: Body::Binary(operator),
    }
}

const fn math(name: &'static str, arity: usize, function: MathFunction) -> Elementwise {
    Elementwise {
        name,
        arity,
        rule: TypeRule::Math,
        body: Body::Math(function),
    }
}

const fn rounding(name: &'static str, function: MathFunction) -> Elementwise {
    Elementwise {
        name,
        arity: 1,
        rule: TypeRule::Rounding,
        body: Body::Math(function),
    }
}

const fn binary(name: &'static str, rule: TypeRule, operator: BinaryOperator) -> Elementwise {
    Elementwise {
        name,
        arity: 2,
        rule,
        body: Body::Binary(operator),
    }
}

const fn unary(name: &'static str, rule: TypeRule, operator: UnaryOperator) -> Elementwise {
    Elementwise {
        name,
        arity: 1,
        rule,
        body: Body::Unary(operator),
    }
}

/// `square(x)`.
fn square(f: &mut FunctionBuilder, x: &[Handle<Expression>]) -> Handle<Expression> {
    f.multiply(x[0], x[0])
}

/// The operand itself.
fn positive(_: &mut FunctionBuilder, x: &[Handle<Expression>]) -> Handle<Expression> {
    x[0]
}

/// The function with a name.
pub fn find(name: &str) -> Option<&'static Elementwise> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

use BinaryOperator as B;
use MathFunction as M;
use UnaryOperator as U;

const NO_NEGATIVE: OnBool = OnBool::Refuse("use `~x` (logical_not) for the complement of a bool");
const NO_SUBTRACT: OnBool = OnBool::Refuse("use `x ^ y` (logical_xor) for the difference of bools");

/// The chapter.
pub static FUNCTIONS: &[Elementwise] = &[
    arithmetic("add", B::Add, OnBool::Use(B::BitOr), true),
    arithmetic("subtract", B::Subtract, NO_SUBTRACT, true),
    arithmetic("multiply", B::Multiply, OnBool::Use(B::BitAnd), true),
    arithmetic("floor_divide", B::FloorDivide, OnBool::AsInt8, false),
    arithmetic("remainder", B::Modulo, OnBool::AsInt8, false),
    arithmetic("pow", B::Power, OnBool::AsInt8, true),
    arithmetic("maximum", B::Maximum, OnBool::Use(B::BitOr), false),
    arithmetic("minimum", B::Minimum, OnBool::Use(B::BitAnd), false),
    binary("divide", TypeRule::Divide, B::Divide),
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
    binary("logical_and", TypeRule::Logical, B::BitAnd),
    binary("logical_or", TypeRule::Logical, B::BitOr),
    binary("logical_xor", TypeRule::Logical, B::BitXor),
    unary("logical_not", TypeRule::Logical, U::Not),
    unary("bitwise_invert", TypeRule::Bitwise, U::Not),
    unary("isnan", TypeRule::FloatTest, U::IsNan),
    unary("isinf", TypeRule::FloatTest, U::IsInf),
    unary("isfinite", TypeRule::FloatTest, U::IsFinite),
    unary("abs", TypeRule::Magnitude, U::Abs),
    Elementwise {
        name: "negative",
        arity: 1,
        rule: TypeRule::Arithmetic {
            on_bool: NO_NEGATIVE,
            complex: true,
        },
        body: Body::Unary(U::Negate),
    },
    Elementwise {
        name: "positive",
        arity: 1,
        rule: TypeRule::Arithmetic {
            on_bool: NO_NEGATIVE,
            complex: true,
        },
        body: Body::Expression(positive),
    },
    Elementwise {
        name: "square",
        arity: 1,
        rule: TypeRule::Arithmetic {
            on_bool: OnBool::AsInt8,
            complex: true,
        },
        body: Body::Expression(square),
    },
    rounding("floor", M::Floor),
    rounding("ceil", M::Ceil),
    rounding("trunc", M::Trunc),
    rounding("round", M::Rint),
    math("sin", 1, M::Sin),
    math("cos", 1, M::Cos),
    math("tan", 1, M::Tan),
    math("asin", 1, M::Asin),
    math("acos", 1, M::Acos),
    math("atan", 1, M::Atan),
    math("sinh", 1, M::Sinh),
    math("cosh", 1, M::Cosh),
    math("tanh", 1, M::Tanh),
    math("asinh", 1, M::Asinh),
    math("acosh", 1, M::Acosh),
    math("atanh", 1, M::Atanh),
    math("exp", 1, M::Exp),
    math("expm1", 1, M::Expm1),
    math("log", 1, M::Log),
    math("log2", 1, M::Log2),
    math("log10", 1, M::Log10),
    math("log1p", 1, M::Log1p),
    math("sqrt", 1, M::Sqrt),
    math("atan2", 2, M::Atan2),
    math("hypot", 2, M::Hypot),
    math("copysign", 2, M::Copysign),
    math("nextafter", 2, M::Nextafter),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::map::{self, MapOperand, MapShape};
    use situ_ir::validate;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = FUNCTIONS.iter().map(|function| function.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn every_function_validates_for_every_dtype_it_takes() {
        for function in FUNCTIONS {
            for dtype in DType::ALL {
                let dtypes = vec![dtype; function.arity];
                let Ok(signature) = function.signature(&dtypes) else {
                    continue;
                };
                let scalar = MapOperand::Scalar { dtype };
                let stride = crate::loop_nest::StrideClass::Contiguous;
                let output = MapOperand::Memory {
                    dtype: signature.result,
                    stride,
                };
                let operands = std::iter::once(output)
                    .chain(vec![scalar; function.arity])
                    .collect();
                let shape = MapShape {
                    operands,
                    compute: signature.compute,
                    rank: 1,
                };
                let module = map::module(function.name, &shape, &|f, x| function.expression(f, x));
                if let Err(problems) = validate(module) {
                    panic!("{} of {dtype}: {problems}", function.name);
                }
            }
        }
    }

    #[test]
    fn signatures_follow_numpy() {
        let signature = |name, dtypes: &[DType]| find(name).unwrap().signature(dtypes);
        let result = |name, dtypes: &[DType]| signature(name, dtypes).unwrap().result;
        assert_eq!(result("divide", &[DType::I8, DType::I8]), DType::F64);
        assert_eq!(result("divide", &[DType::F16, DType::F16]), DType::F16);
        assert_eq!(result("sin", &[DType::I16]), DType::F32);
        assert_eq!(result("floor", &[DType::I32]), DType::I32);
        assert_eq!(result("less", &[DType::I8, DType::F32]), DType::Bool);
        assert_eq!(result("abs", &[DType::C64]), DType::F32);
        assert!(signature("subtract", &[DType::Bool, DType::Bool]).is_err());
        assert!(signature("less", &[DType::C64, DType::F32]).is_err());
        assert!(signature("bitwise_and", &[DType::F32, DType::I8]).is_err());
    }
}
