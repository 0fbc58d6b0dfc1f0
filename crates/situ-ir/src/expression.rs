//! Expressions: computations without effects.
//!
//! An expression is evaluated each time a statement uses it, in the state the statement finds. It
//! changes nothing, so evaluating it twice, or not at all when the result is unused, makes no
//! difference. To compute a thing once, bind it with [`StatementKind::Let`].
//!
//! The exact meaning of every operator, including the corner cases, is in the crate's
//! documentation; the types each accepts are in [`validate`](mod@crate::validate).
//!
//! [`StatementKind::Let`]: crate::statement::StatementKind::Let

use crate::arena::Handle;
use crate::dtype::DType;
use crate::literal::Literal;
use crate::module::{ArrayVariable, Value, Variable};

/// A computation without effects.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A constant.
    Literal(Literal),
    /// A parameter of the function, by position.
    Parameter(u32),
    /// What a statement bound to a value.
    Value(Handle<Value>),
    /// What a variable holds now.
    Variable(Handle<Variable>),
    /// A pointer to the first element of a local or private array.
    Array(Handle<ArrayVariable>),
    /// An id or size of the running work-item (`int64`).
    WorkItem(WorkItemQuery),
    /// An operator with one operand.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: Handle<Expression>,
    },
    /// An operator with two operands of the same type.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The first operand.
        left: Handle<Expression>,
        /// The second operand.
        right: Handle<Expression>,
    },
    /// One of two values. Both are evaluated.
    Select {
        /// Which one (`bool`).
        condition: Handle<Expression>,
        /// The result if the condition holds.
        accept: Handle<Expression>,
        /// The result otherwise.
        reject: Handle<Expression>,
    },
    /// A value converted to another dtype.
    Cast {
        /// What to convert.
        operand: Handle<Expression>,
        /// The dtype of the result.
        to: DType,
    },
    /// The same bits read as another dtype of the same size (neither `bool` nor complex).
    Bitcast {
        /// What to read.
        operand: Handle<Expression>,
        /// The dtype of the result.
        to: DType,
    },
    /// A mathematical function of floating-point or complex arguments, all of one dtype.
    Math {
        /// The function.
        function: MathFunction,
        /// As many arguments as [`MathFunction::arity`] says.
        arguments: Vec<Handle<Expression>>,
    },
    /// A complex number from its parts (both `float32` or both `float64`).
    Complex {
        /// The real part.
        real: Handle<Expression>,
        /// The imaginary part.
        imaginary: Handle<Expression>,
    },
    /// The element at a pointer.
    Load {
        /// Where the elements start.
        pointer: Handle<Expression>,
        /// Which element (`int64`, may be negative for a pointer into the middle).
        index: Handle<Expression>,
    },
    /// A pointer moved by a number of elements.
    Offset {
        /// Where to start.
        pointer: Handle<Expression>,
        /// How many elements to move (`int64`).
        index: Handle<Expression>,
    },
}

impl Expression {
    /// Calls `visit` with each expression this one is made of directly.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Handle<Expression>)) {
        match self {
            Self::Literal(_)
            | Self::Parameter(_)
            | Self::Value(_)
            | Self::Variable(_)
            | Self::Array(_)
            | Self::WorkItem(_) => {}
            Self::Unary { operand, .. }
            | Self::Cast { operand, .. }
            | Self::Bitcast { operand, .. } => visit(*operand),
            Self::Binary { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Self::Select {
                condition,
                accept,
                reject,
            } => {
                visit(*condition);
                visit(*accept);
                visit(*reject);
            }
            Self::Math { arguments, .. } => arguments.iter().copied().for_each(visit),
            Self::Complex { real, imaginary } => {
                visit(*real);
                visit(*imaginary);
            }
            Self::Load { pointer, index } | Self::Offset { pointer, index } => {
                visit(*pointer);
                visit(*index);
            }
        }
    }
}

/// What a work-item can ask about itself and its launch. Dimension 0 is the slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkItemQuery {
    /// Position in the range along a dimension.
    GlobalId(u8),
    /// Position in the work-group along a dimension.
    LocalId(u8),
    /// Position of the work-group along a dimension.
    GroupId(u8),
    /// Size of the range along a dimension.
    GlobalSize(u8),
    /// Size of the work-group along a dimension.
    LocalSize(u8),
    /// Number of work-groups along a dimension.
    GroupCount(u8),
    /// Row-major position in the range.
    GlobalLinearId,
    /// Row-major position in the work-group.
    LocalLinearId,
    /// Row-major position of the work-group.
    GroupLinearId,
    /// Which sub-group of the work-group this is.
    SubGroupId,
    /// Position in the sub-group.
    SubGroupLocalId,
    /// How many work-items this sub-group has; only the last one may be smaller than the others.
    SubGroupSize,
    /// How many sub-groups the work-group has.
    SubGroupCount,
    /// Bytes of stack that functions which call themselves may still use; negative when it is time to stop.
    /// Devices without a stack of fixed size answer with the largest number.
    StackLeft,
}

impl WorkItemQuery {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::GlobalId(_) => "global_id",
            Self::LocalId(_) => "local_id",
            Self::GroupId(_) => "group_id",
            Self::GlobalSize(_) => "global_size",
            Self::LocalSize(_) => "local_size",
            Self::GroupCount(_) => "group_count",
            Self::GlobalLinearId => "global_linear_id",
            Self::LocalLinearId => "local_linear_id",
            Self::GroupLinearId => "group_linear_id",
            Self::SubGroupId => "sub_group_id",
            Self::SubGroupLocalId => "sub_group_local_id",
            Self::SubGroupSize => "sub_group_size",
            Self::SubGroupCount => "sub_group_count",
            Self::StackLeft => "stack_left",
        }
    }

    /// The dimension asked about, for queries that have one.
    pub fn dimension(self) -> Option<u8> {
        match self {
            Self::GlobalId(dimension)
            | Self::LocalId(dimension)
            | Self::GroupId(dimension)
            | Self::GlobalSize(dimension)
            | Self::LocalSize(dimension)
            | Self::GroupCount(dimension) => Some(dimension),
            Self::GlobalLinearId
            | Self::LocalLinearId
            | Self::GroupLinearId
            | Self::SubGroupId
            | Self::SubGroupLocalId
            | Self::SubGroupSize
            | Self::SubGroupCount
            | Self::StackLeft => None,
        }
    }

    /// Whether the answer depends on how the range is cut into work-groups.
    pub fn needs_groups(self) -> bool {
        !matches!(
            self,
            Self::GlobalId(_) | Self::GlobalSize(_) | Self::GlobalLinearId | Self::StackLeft
        )
    }

    /// Whether every work-item of a work-group gets the same answer.
    pub fn is_group_uniform(self) -> bool {
        matches!(
            self,
            Self::GroupId(_)
                | Self::GlobalSize(_)
                | Self::LocalSize(_)
                | Self::GroupCount(_)
                | Self::GroupLinearId
                | Self::SubGroupCount
                | Self::StackLeft
        )
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `-x`; integers wrap. Not for `bool`.
    Negate,
    /// Bitwise complement of integers, logical complement of `bool`.
    Not,
    /// `|x|`; the smallest signed integer stays itself; of a complex number its real magnitude.
    Abs,
    /// The complex conjugate.
    Conjugate,
    /// The real part of a complex number.
    Real,
    /// The imaginary part of a complex number.
    Imaginary,
    /// Whether a float is NaN.
    IsNan,
    /// Whether a float is infinite.
    IsInf,
    /// Whether a float is neither NaN nor infinite.
    IsFinite,
    /// Whether the sign bit of a float is set, also of zeros and NaNs.
    SignBit,
    /// The number of one bits of an integer, in the same type.
    PopCount,
    /// The number of zero bits above the highest one bit of an integer, in the same type.
    LeadingZeros,
}

impl UnaryOperator {
    /// Every operator.
    pub const ALL: [Self; 12] = [
        Self::Negate,
        Self::Not,
        Self::Abs,
        Self::Conjugate,
        Self::Real,
        Self::Imaginary,
        Self::IsNan,
        Self::IsInf,
        Self::IsFinite,
        Self::SignBit,
        Self::PopCount,
        Self::LeadingZeros,
    ];

    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Negate => "neg",
            Self::Not => "not",
            Self::Abs => "abs",
            Self::Conjugate => "conj",
            Self::Real => "real",
            Self::Imaginary => "imag",
            Self::IsNan => "isnan",
            Self::IsInf => "isinf",
            Self::IsFinite => "isfinite",
            Self::SignBit => "signbit",
            Self::PopCount => "popcount",
            Self::LeadingZeros => "leading_zeros",
        }
    }

    /// The type of the result, or `None` if the operator does not take this operand.
    pub fn result(self, operand: DType) -> Option<DType> {
        let bool_of_float = operand.is_float().then_some(DType::Bool);
        match self {
            Self::Negate => (!operand.is_bool()).then_some(operand),
            Self::Not => (operand.is_bool() || operand.is_integer()).then_some(operand),
            Self::Abs => (!operand.is_bool()).then_some(operand.real()),
            Self::Conjugate => operand.is_complex().then_some(operand),
            Self::Real | Self::Imaginary => operand.is_complex().then_some(operand.real()),
            Self::IsNan | Self::IsInf | Self::IsFinite | Self::SignBit => bool_of_float,
            Self::PopCount | Self::LeadingZeros => operand.is_integer().then_some(operand),
        }
    }
}

/// Operators with two operands of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `x + y`; integers wrap.
    Add,
    /// `x - y`; integers wrap.
    Subtract,
    /// `x * y`; integers wrap.
    Multiply,
    /// `x / y` of floats and complex numbers.
    Divide,
    /// Python's `x // y`: rounded down. Integers divided by zero give 0.
    FloorDivide,
    /// Python's `x % y`: takes the sign of `y`. Integers modulo zero give 0.
    Modulo,
    /// Integer quotient rounded towards zero; 0 if `y` is 0.
    TruncatingDivide,
    /// Integer remainder with the sign of `x`; 0 if `y` is 0.
    TruncatingRemainder,
    /// `x ** y`; integers wrap, and a negative exponent rounds the true power towards zero.
    Power,
    /// The smaller; NaN if either is NaN.
    Minimum,
    /// The larger; NaN if either is NaN.
    Maximum,
    /// Bitwise and; logical for `bool`.
    BitAnd,
    /// Bitwise or; logical for `bool`.
    BitOr,
    /// Bitwise exclusive or; logical for `bool`.
    BitXor,
    /// `x << y`; 0 if `y` is negative or not less than the number of bits.
    ShiftLeft,
    /// `x >> y`, arithmetic for signed types; all sign bits if `y` is out of range.
    ShiftRight,
    /// `x == y`.
    Equal,
    /// `x != y`.
    NotEqual,
    /// `x < y`.
    Less,
    /// `x <= y`.
    LessEqual,
    /// `x > y`.
    Greater,
    /// `x >= y`.
    GreaterEqual,
}

impl BinaryOperator {
    /// Every operator.
    pub const ALL: [Self; 22] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::FloorDivide,
        Self::Modulo,
        Self::TruncatingDivide,
        Self::TruncatingRemainder,
        Self::Power,
        Self::Minimum,
        Self::Maximum,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
    ];

    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "sub",
            Self::Multiply => "mul",
            Self::Divide => "div",
            Self::FloorDivide => "floor_div",
            Self::Modulo => "mod",
            Self::TruncatingDivide => "trunc_div",
            Self::TruncatingRemainder => "trunc_rem",
            Self::Power => "pow",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::BitAnd => "and",
            Self::BitOr => "or",
            Self::BitXor => "xor",
            Self::ShiftLeft => "shl",
            Self::ShiftRight => "shr",
            Self::Equal => "eq",
            Self::NotEqual => "ne",
            Self::Less => "lt",
            Self::LessEqual => "le",
            Self::Greater => "gt",
            Self::GreaterEqual => "ge",
        }
    }

    /// Whether this compares, and so gives a `bool`.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }

    /// The type of the result, or `None` if the operator does not take such operands.
    pub fn result(self, operand: DType) -> Option<DType> {
        let real = operand.is_integer() || operand.is_float();
        let accepts = match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Power => !operand.is_bool(),
            Self::Divide => operand.is_float() || operand.is_complex(),
            Self::FloorDivide | Self::Modulo | Self::Minimum | Self::Maximum => real,
            Self::TruncatingDivide | Self::TruncatingRemainder => operand.is_integer(),
            Self::BitAnd | Self::BitOr | Self::BitXor => operand.is_bool() || operand.is_integer(),
            Self::ShiftLeft | Self::ShiftRight => operand.is_integer(),
            Self::Equal | Self::NotEqual => true,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => real,
        };
        let result = if self.is_comparison() {
            DType::Bool
        } else {
            operand
        };
        accepts.then_some(result)
    }
}

/// Which dtypes a mathematical function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathDomain {
    /// Real floats only.
    Real,
    /// Real floats and complex numbers.
    RealOrComplex,
}

macro_rules! math_functions {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $arity:literal, $domain:ident;)*) => {
        /// Mathematical functions of floats (and some of complex numbers).
        ///
        /// On `float16` they are computed in `float32` and rounded once, except `Nextafter`, which
        /// steps through `float16` itself.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum MathFunction {
            $($(#[$doc])* $variant,)*
        }

        impl MathFunction {
            /// Every function.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word used in the text format; C's name where C has the function.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How many arguments it takes.
            pub fn arity(self) -> usize {
                match self { $(Self::$variant => $arity,)* }
            }

            /// Which dtypes it takes.
            pub fn domain(self) -> MathDomain {
                match self { $(Self::$variant => MathDomain::$domain,)* }
            }
        }
    };
}

math_functions! {
    /// Sine.
    Sin, "sin", 1, RealOrComplex;
    /// Cosine.
    Cos, "cos", 1, RealOrComplex;
    /// Tangent.
    Tan, "tan", 1, RealOrComplex;
    /// Inverse sine.
    Asin, "asin", 1, RealOrComplex;
    /// Inverse cosine.
    Acos, "acos", 1, RealOrComplex;
    /// Inverse tangent.
    Atan, "atan", 1, RealOrComplex;
    /// Hyperbolic sine.
    Sinh, "sinh", 1, RealOrComplex;
    /// Hyperbolic cosine.
    Cosh, "cosh", 1, RealOrComplex;
    /// Hyperbolic tangent.
    Tanh, "tanh", 1, RealOrComplex;
    /// Inverse hyperbolic sine.
    Asinh, "asinh", 1, RealOrComplex;
    /// Inverse hyperbolic cosine.
    Acosh, "acosh", 1, RealOrComplex;
    /// Inverse hyperbolic tangent.
    Atanh, "atanh", 1, RealOrComplex;
    /// e to a power.
    Exp, "exp", 1, RealOrComplex;
    /// 2 to a power.
    Exp2, "exp2", 1, Real;
    /// `exp(x) - 1` without cancellation.
    Expm1, "expm1", 1, RealOrComplex;
    /// Natural logarithm.
    Log, "log", 1, RealOrComplex;
    /// Base-2 logarithm.
    Log2, "log2", 1, RealOrComplex;
    /// Base-10 logarithm.
    Log10, "log10", 1, RealOrComplex;
    /// `log(1 + x)` without cancellation.
    Log1p, "log1p", 1, RealOrComplex;
    /// Square root, correctly rounded for floats.
    Sqrt, "sqrt", 1, RealOrComplex;
    /// `1 / sqrt(x)`, as two rounded operations.
    Rsqrt, "rsqrt", 1, Real;
    /// Cube root.
    Cbrt, "cbrt", 1, Real;
    /// Error function.
    Erf, "erf", 1, Real;
    /// `1 - erf(x)` without cancellation.
    Erfc, "erfc", 1, Real;
    /// Gamma function.
    Tgamma, "tgamma", 1, Real;
    /// Logarithm of the absolute value of the gamma function.
    Lgamma, "lgamma", 1, Real;
    /// Rounded down.
    Floor, "floor", 1, Real;
    /// Rounded up.
    Ceil, "ceil", 1, Real;
    /// Rounded towards zero.
    Trunc, "trunc", 1, Real;
    /// Rounded to nearest, halves to even.
    Rint, "rint", 1, Real;
    /// Angle of the point `(second, first)`.
    Atan2, "atan2", 2, Real;
    /// `sqrt(x*x + y*y)` without overflow.
    Hypot, "hypot", 2, Real;
    /// The magnitude of the first with the sign of the second.
    Copysign, "copysign", 2, Real;
    /// C's remainder: sign of the first argument, exact.
    Fmod, "fmod", 2, Real;
    /// The next float from the first towards the second.
    Nextafter, "nextafter", 2, Real;
    /// The smaller; the other one if one is NaN.
    Fmin, "fmin", 2, Real;
    /// The larger; the other one if one is NaN.
    Fmax, "fmax", 2, Real;
    /// `x * y + z` rounded once.
    Fma, "fma", 3, Real;
}

impl MathFunction {
    /// The function with the text format's name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|function| function.name() == name)
    }

    /// Whether IEEE 754 fixes every bit of the result, so that all devices agree exactly.
    pub fn is_exact(self) -> bool {
        matches!(
            self,
            Self::Sqrt
                | Self::Rsqrt
                | Self::Floor
                | Self::Ceil
                | Self::Trunc
                | Self::Rint
                | Self::Copysign
                | Self::Fmod
                | Self::Nextafter
                | Self::Fmin
                | Self::Fmax
                | Self::Fma
        )
    }

    /// The type of the result, or `None` if the function does not take such arguments.
    pub fn result(self, argument: DType) -> Option<DType> {
        let accepts = argument.is_float()
            || (argument.is_complex() && self.domain() == MathDomain::RealOrComplex);
        accepts.then_some(argument)
    }
}
