//! The functions, constants and dtypes that kernels know by name, as tables.
//!
//! Only names live here; what each function does with its arguments is in `calls.rs`.

use std::f64::consts;

use situ_ir::{AtomicOperation, DType, MathFunction, UnaryOperator};

use crate::environment::KnownModule;
use crate::syntax::{BinaryOperator, ComparisonOperator, Constant};

/// What a name of a module stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Member {
    Constant(Constant),
    DType(DType),
    Function(LibraryFunction),
    Module(KnownModule),
}

/// A function that kernels can call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LibraryFunction {
    // Python's own.
    Range,
    Min,
    Max,
    Abs,
    Round,
    Int,
    Float,
    Bool,
    Complex,
    Pow,
    Divmod,
    Len,
    /// `math.fabs` and `math.pow`: of floats, whatever the arguments are.
    FloatAbs,
    FloatPow,
    /// A function of floats; integers are converted to the default float dtype first.
    Math(MathFunction),
    /// A function of floats whose result Python gives as an integer: `math.floor`.
    MathToInt(MathFunction),
    /// `math.log(x)` or `math.log(x, base)`.
    Logarithm,
    /// A question about a float; integers have a fixed answer.
    FloatTest(UnaryOperator),
    /// `x * factor`, for degrees and radians.
    Scale(f64),
    Square,
    Reciprocal,
    Sign,
    Clip,
    Where,
    Negative,
    Positive,
    Invert,
    LogicalNot,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    Minimum,
    Maximum,
    Real,
    Imaginary,
    Conjugate,
    Binary(BinaryOperator),
    Compare(ComparisonOperator),
    // Work-items.
    WorkItem(Query),
    Barrier,
    /// `situ.local.array` or `situ.private.array`.
    NewArray(KnownModule),
    Atomic(AtomicOperation),
}

/// A question about the running work-item that takes a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    GroupCount,
}

type Table = &'static [(&'static str, Member)];

const fn function(function: LibraryFunction) -> Member {
    Member::Function(function)
}

const fn math(function: MathFunction) -> Member {
    Member::Function(LibraryFunction::Math(function))
}

const fn float(value: f64) -> Member {
    Member::Constant(Constant::Float(value))
}

const fn binary(operator: BinaryOperator) -> Member {
    Member::Function(LibraryFunction::Binary(operator))
}

const fn compare(operator: ComparisonOperator) -> Member {
    Member::Function(LibraryFunction::Compare(operator))
}

const fn test(operator: UnaryOperator) -> Member {
    Member::Function(LibraryFunction::FloatTest(operator))
}

const fn query(query: Query) -> Member {
    Member::Function(LibraryFunction::WorkItem(query))
}

const fn atomic(operation: AtomicOperation) -> Member {
    Member::Function(LibraryFunction::Atomic(operation))
}

const BUILTINS: Table = &[
    ("range", function(LibraryFunction::Range)),
    ("min", function(LibraryFunction::Min)),
    ("max", function(LibraryFunction::Max)),
    ("abs", function(LibraryFunction::Abs)),
    ("round", function(LibraryFunction::Round)),
    ("int", function(LibraryFunction::Int)),
    ("float", function(LibraryFunction::Float)),
    ("bool", function(LibraryFunction::Bool)),
    ("complex", function(LibraryFunction::Complex)),
    ("pow", function(LibraryFunction::Pow)),
    ("divmod", function(LibraryFunction::Divmod)),
    ("len", function(LibraryFunction::Len)),
];

const MATH: Table = &[
    ("pi", float(consts::PI)),
    ("e", float(consts::E)),
    ("tau", float(consts::TAU)),
    ("inf", float(f64::INFINITY)),
    ("nan", float(f64::NAN)),
    ("sin", math(MathFunction::Sin)),
    ("cos", math(MathFunction::Cos)),
    ("tan", math(MathFunction::Tan)),
    ("asin", math(MathFunction::Asin)),
    ("acos", math(MathFunction::Acos)),
    ("atan", math(MathFunction::Atan)),
    ("atan2", math(MathFunction::Atan2)),
    ("sinh", math(MathFunction::Sinh)),
    ("cosh", math(MathFunction::Cosh)),
    ("tanh", math(MathFunction::Tanh)),
    ("asinh", math(MathFunction::Asinh)),
    ("acosh", math(MathFunction::Acosh)),
    ("atanh", math(MathFunction::Atanh)),
    ("exp", math(MathFunction::Exp)),
    ("exp2", math(MathFunction::Exp2)),
    ("expm1", math(MathFunction::Expm1)),
    ("log", function(LibraryFunction::Logarithm)),
    ("log2", math(MathFunction::Log2)),
    ("log10", math(MathFunction::Log10)),
    ("log1p", math(MathFunction::Log1p)),
    ("sqrt", math(MathFunction::Sqrt)),
    ("cbrt", math(MathFunction::Cbrt)),
    ("erf", math(MathFunction::Erf)),
    ("erfc", math(MathFunction::Erfc)),
    ("gamma", math(MathFunction::Tgamma)),
    ("lgamma", math(MathFunction::Lgamma)),
    ("hypot", math(MathFunction::Hypot)),
    ("copysign", math(MathFunction::Copysign)),
    ("fmod", math(MathFunction::Fmod)),
    ("nextafter", math(MathFunction::Nextafter)),
    ("fma", math(MathFunction::Fma)),
    (
        "floor",
        function(LibraryFunction::MathToInt(MathFunction::Floor)),
    ),
    (
        "ceil",
        function(LibraryFunction::MathToInt(MathFunction::Ceil)),
    ),
    (
        "trunc",
        function(LibraryFunction::MathToInt(MathFunction::Trunc)),
    ),
    ("fabs", function(LibraryFunction::FloatAbs)),
    ("pow", function(LibraryFunction::FloatPow)),
    ("isnan", test(UnaryOperator::IsNan)),
    ("isinf", test(UnaryOperator::IsInf)),
    ("isfinite", test(UnaryOperator::IsFinite)),
    (
        "degrees",
        function(LibraryFunction::Scale(180.0 / consts::PI)),
    ),
    (
        "radians",
        function(LibraryFunction::Scale(consts::PI / 180.0)),
    ),
];

/// Element-wise functions of NumPy and of the array API; situ has them under the same names.
const ELEMENTWISE: Table = &[
    ("pi", float(consts::PI)),
    ("e", float(consts::E)),
    ("inf", float(f64::INFINITY)),
    ("nan", float(f64::NAN)),
    ("euler_gamma", float(0.577_215_664_901_532_9)),
    ("sin", math(MathFunction::Sin)),
    ("cos", math(MathFunction::Cos)),
    ("tan", math(MathFunction::Tan)),
    ("asin", math(MathFunction::Asin)),
    ("acos", math(MathFunction::Acos)),
    ("atan", math(MathFunction::Atan)),
    ("atan2", math(MathFunction::Atan2)),
    ("arcsin", math(MathFunction::Asin)),
    ("arccos", math(MathFunction::Acos)),
    ("arctan", math(MathFunction::Atan)),
    ("arctan2", math(MathFunction::Atan2)),
    ("sinh", math(MathFunction::Sinh)),
    ("cosh", math(MathFunction::Cosh)),
    ("tanh", math(MathFunction::Tanh)),
    ("asinh", math(MathFunction::Asinh)),
    ("acosh", math(MathFunction::Acosh)),
    ("atanh", math(MathFunction::Atanh)),
    ("arcsinh", math(MathFunction::Asinh)),
    ("arccosh", math(MathFunction::Acosh)),
    ("arctanh", math(MathFunction::Atanh)),
    ("exp", math(MathFunction::Exp)),
    ("exp2", math(MathFunction::Exp2)),
    ("expm1", math(MathFunction::Expm1)),
    ("log", math(MathFunction::Log)),
    ("log2", math(MathFunction::Log2)),
    ("log10", math(MathFunction::Log10)),
    ("log1p", math(MathFunction::Log1p)),
    ("sqrt", math(MathFunction::Sqrt)),
    ("cbrt", math(MathFunction::Cbrt)),
    ("hypot", math(MathFunction::Hypot)),
    ("copysign", math(MathFunction::Copysign)),
    ("fmod", math(MathFunction::Fmod)),
    ("nextafter", math(MathFunction::Nextafter)),
    ("fmin", math(MathFunction::Fmin)),
    ("fmax", math(MathFunction::Fmax)),
    ("floor", math(MathFunction::Floor)),
    ("ceil", math(MathFunction::Ceil)),
    ("trunc", math(MathFunction::Trunc)),
    ("rint", math(MathFunction::Rint)),
    ("round", math(MathFunction::Rint)),
    ("square", function(LibraryFunction::Square)),
    ("reciprocal", function(LibraryFunction::Reciprocal)),
    ("sign", function(LibraryFunction::Sign)),
    ("clip", function(LibraryFunction::Clip)),
    ("where", function(LibraryFunction::Where)),
    ("abs", function(LibraryFunction::Abs)),
    ("absolute", function(LibraryFunction::Abs)),
    ("fabs", function(LibraryFunction::FloatAbs)),
    ("negative", function(LibraryFunction::Negative)),
    ("positive", function(LibraryFunction::Positive)),
    ("invert", function(LibraryFunction::Invert)),
    ("bitwise_not", function(LibraryFunction::Invert)),
    ("bitwise_invert", function(LibraryFunction::Invert)),
    ("logical_not", function(LibraryFunction::LogicalNot)),
    ("logical_and", function(LibraryFunction::LogicalAnd)),
    ("logical_or", function(LibraryFunction::LogicalOr)),
    ("logical_xor", function(LibraryFunction::LogicalXor)),
    ("minimum", function(LibraryFunction::Minimum)),
    ("maximum", function(LibraryFunction::Maximum)),
    ("real", function(LibraryFunction::Real)),
    ("imag", function(LibraryFunction::Imaginary)),
    ("conj", function(LibraryFunction::Conjugate)),
    ("conjugate", function(LibraryFunction::Conjugate)),
    ("isnan", test(UnaryOperator::IsNan)),
    ("isinf", test(UnaryOperator::IsInf)),
    ("isfinite", test(UnaryOperator::IsFinite)),
    ("signbit", test(UnaryOperator::SignBit)),
    (
        "degrees",
        function(LibraryFunction::Scale(180.0 / consts::PI)),
    ),
    (
        "rad2deg",
        function(LibraryFunction::Scale(180.0 / consts::PI)),
    ),
    (
        "radians",
        function(LibraryFunction::Scale(consts::PI / 180.0)),
    ),
    (
        "deg2rad",
        function(LibraryFunction::Scale(consts::PI / 180.0)),
    ),
    ("add", binary(BinaryOperator::Add)),
    ("subtract", binary(BinaryOperator::Subtract)),
    ("multiply", binary(BinaryOperator::Multiply)),
    ("divide", binary(BinaryOperator::Divide)),
    ("true_divide", binary(BinaryOperator::Divide)),
    ("floor_divide", binary(BinaryOperator::FloorDivide)),
    ("mod", binary(BinaryOperator::Modulo)),
    ("remainder", binary(BinaryOperator::Modulo)),
    ("power", binary(BinaryOperator::Power)),
    ("pow", binary(BinaryOperator::Power)),
    ("bitwise_and", binary(BinaryOperator::BitAnd)),
    ("bitwise_or", binary(BinaryOperator::BitOr)),
    ("bitwise_xor", binary(BinaryOperator::BitXor)),
    ("left_shift", binary(BinaryOperator::ShiftLeft)),
    ("right_shift", binary(BinaryOperator::ShiftRight)),
    ("bitwise_left_shift", binary(BinaryOperator::ShiftLeft)),
    ("bitwise_right_shift", binary(BinaryOperator::ShiftRight)),
    ("equal", compare(ComparisonOperator::Equal)),
    ("not_equal", compare(ComparisonOperator::NotEqual)),
    ("less", compare(ComparisonOperator::Less)),
    ("less_equal", compare(ComparisonOperator::LessEqual)),
    ("greater", compare(ComparisonOperator::Greater)),
    ("greater_equal", compare(ComparisonOperator::GreaterEqual)),
    ("bool", Member::DType(DType::Bool)),
    ("bool_", Member::DType(DType::Bool)),
    ("int8", Member::DType(DType::I8)),
    ("int16", Member::DType(DType::I16)),
    ("int32", Member::DType(DType::I32)),
    ("int64", Member::DType(DType::I64)),
    ("int_", Member::DType(DType::I64)),
    ("intp", Member::DType(DType::I64)),
    ("intc", Member::DType(DType::I32)),
    ("uint8", Member::DType(DType::U8)),
    ("uint16", Member::DType(DType::U16)),
    ("uint32", Member::DType(DType::U32)),
    ("uint64", Member::DType(DType::U64)),
    ("uint", Member::DType(DType::U64)),
    ("uintp", Member::DType(DType::U64)),
    ("uintc", Member::DType(DType::U32)),
    ("float16", Member::DType(DType::F16)),
    ("float32", Member::DType(DType::F32)),
    ("float64", Member::DType(DType::F64)),
    ("half", Member::DType(DType::F16)),
    ("single", Member::DType(DType::F32)),
    ("double", Member::DType(DType::F64)),
    ("complex64", Member::DType(DType::C64)),
    ("complex128", Member::DType(DType::C128)),
];

const SITU: Table = &[
    ("get_global_id", query(Query::GlobalId)),
    ("get_local_id", query(Query::LocalId)),
    ("get_group_id", query(Query::GroupId)),
    ("get_global_size", query(Query::GlobalSize)),
    ("get_local_size", query(Query::LocalSize)),
    ("get_num_groups", query(Query::GroupCount)),
    ("barrier", function(LibraryFunction::Barrier)),
    ("local", Member::Module(KnownModule::SituLocal)),
    ("private", Member::Module(KnownModule::SituPrivate)),
    ("atomic", Member::Module(KnownModule::SituAtomic)),
];

const SITU_LOCAL: Table = &[(
    "array",
    function(LibraryFunction::NewArray(KnownModule::SituLocal)),
)];

const SITU_PRIVATE: Table = &[(
    "array",
    function(LibraryFunction::NewArray(KnownModule::SituPrivate)),
)];

const SITU_ATOMIC: Table = &[
    ("add", atomic(AtomicOperation::Add)),
    ("sub", atomic(AtomicOperation::Subtract)),
    ("min", atomic(AtomicOperation::Minimum)),
    ("max", atomic(AtomicOperation::Maximum)),
    ("and_", atomic(AtomicOperation::BitAnd)),
    ("or_", atomic(AtomicOperation::BitOr)),
    ("xor", atomic(AtomicOperation::BitXor)),
    ("load", atomic(AtomicOperation::Load)),
    ("store", atomic(AtomicOperation::Store)),
    ("exchange", atomic(AtomicOperation::Exchange)),
    ("compare_exchange", atomic(AtomicOperation::CompareExchange)),
];

fn tables(module: KnownModule) -> &'static [Table] {
    match module {
        KnownModule::Builtins => &[BUILTINS],
        KnownModule::Math => &[MATH],
        KnownModule::NumPy => &[ELEMENTWISE],
        KnownModule::Situ => &[SITU, ELEMENTWISE],
        KnownModule::SituLocal => &[SITU_LOCAL],
        KnownModule::SituPrivate => &[SITU_PRIVATE],
        KnownModule::SituAtomic => &[SITU_ATOMIC],
    }
}

/// What a name of a module stands for.
pub(crate) fn member(module: KnownModule, name: &str) -> Option<Member> {
    let mut entries = tables(module).iter().copied().flatten();
    entries
        .find(|(entry, _)| *entry == name)
        .map(|(_, member)| *member)
}

/// Every name of a module.
pub(crate) fn member_names(module: KnownModule) -> impl Iterator<Item = &'static str> {
    tables(module)
        .iter()
        .copied()
        .flatten()
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_in_each_table() {
        for table in [BUILTINS, MATH, ELEMENTWISE, SITU, SITU_LOCAL, SITU_ATOMIC] {
            let mut names: Vec<_> = table.iter().map(|(name, _)| name).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn situ_has_the_elementwise_functions_too() {
        assert_eq!(
            member(KnownModule::Situ, "arctan2"),
            member(KnownModule::NumPy, "arctan2")
        );
        assert_eq!(member(KnownModule::Math, "arctan2"), None);
    }
}
