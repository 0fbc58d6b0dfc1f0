//! The functions, constants and dtypes that kernels know by name, as tables.
//!
//! Only names live here; what each function does with its arguments is in `calls.rs`.

use std::f64::consts;

use situ_ir::{AtomicOperation, DType, MathFunction, UnaryOperator, WorkItemQuery};

use crate::environment::KnownModule;
use crate::host::{ALL_OF, NEW_PARTIALS, ONE_OF, PARALLEL, ZERO_OF};
use crate::infer::elements::ArrayFunction;
use crate::syntax::{BinaryOperator, ComparisonOperator, Constant};

/// What a name of a module stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Member {
    Constant(Constant),
    DType(DType),
    Function(LibraryFunction),
    Module(KnownModule),
}

/// A number that changes nothing, by what it is combined with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    Zero,
    One,
    /// All bits.
    All,
}

/// A function that kernels can call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LibraryFunction {
    // Python's own.
    Range,
    // Of code that is made for loops over `prange`.
    Parallel,
    NewPartials,
    Identity(Identity),
    Min,
    Max,
    Abs,
    Round,
    /// `np.round`: stays what it is, where Python's gives an integer.
    RoundToDigits,
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
    /// A function of floats that NumPy also has for other numbers: `np.floor` of integers, `np.rint` of complex ones.
    NumPyMath(MathFunction),
    /// A function of floats whose result Python gives as an integer: `math.floor`.
    MathToInt(MathFunction),
    /// A function of complex numbers; others are converted.
    ComplexMath(MathFunction),
    /// `math.log(x)` or `math.log(x, base)`.
    Logarithm,
    /// `cmath.log(x)` or `cmath.log(x, base)`.
    ComplexLogarithm,
    /// The length of a vector with any number of components.
    Hypot,
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
    /// An id or size along a dimension.
    WorkItem(Query),
    /// A row-major id.
    LinearId(WorkItemQuery),
    /// The product of sizes along all dimensions.
    LinearSize(Query),
    /// How many dimensions the range has.
    WorkDimensions,
    /// `NdItem.get_group`.
    GetGroup,
    /// `NdItem.get_sub_group`.
    GetSubGroup,
    Barrier,
    /// `group_barrier(group, scope)`.
    GroupBarrier,
    /// `atomic_fence(order, scope)`.
    AtomicFence,
    /// `mem_fence(spaces)`.
    MemoryFence,
    /// `AtomicRef(array, index, ...)`.
    AtomicRef,
    Collective(CollectiveFunction),
    /// `situ.local.array` or `situ.private.array`.
    NewArray(KnownModule),
    /// A function of whole arrays; where those are written out.
    Array(ArrayFunction),
    Atomic(AtomicOperation),
}

/// What the work-items of a group compute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveFunction {
    Reduce,
    InclusiveScan,
    ExclusiveScan,
    Broadcast,
    Any,
    All,
    NoneOf,
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

const fn numpy_math(function: MathFunction) -> Member {
    Member::Function(LibraryFunction::NumPyMath(function))
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

const fn linear(query: WorkItemQuery) -> Member {
    Member::Function(LibraryFunction::LinearId(query))
}

const fn linear_size(query: Query) -> Member {
    Member::Function(LibraryFunction::LinearSize(query))
}

const fn collective(function: CollectiveFunction) -> Member {
    Member::Function(LibraryFunction::Collective(function))
}

const fn int(value: i128) -> Member {
    Member::Constant(Constant::Int(value))
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
    ("hypot", function(LibraryFunction::Hypot)),
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

const fn complex_math(function: MathFunction) -> Member {
    Member::Function(LibraryFunction::ComplexMath(function))
}

const CMATH: Table = &[
    ("pi", float(consts::PI)),
    ("e", float(consts::E)),
    ("tau", float(consts::TAU)),
    ("inf", float(f64::INFINITY)),
    ("nan", float(f64::NAN)),
    (
        "infj",
        Member::Constant(Constant::Complex(0.0, f64::INFINITY)),
    ),
    ("nanj", Member::Constant(Constant::Complex(0.0, f64::NAN))),
    ("sin", complex_math(MathFunction::Sin)),
    ("cos", complex_math(MathFunction::Cos)),
    ("tan", complex_math(MathFunction::Tan)),
    ("asin", complex_math(MathFunction::Asin)),
    ("acos", complex_math(MathFunction::Acos)),
    ("atan", complex_math(MathFunction::Atan)),
    ("sinh", complex_math(MathFunction::Sinh)),
    ("cosh", complex_math(MathFunction::Cosh)),
    ("tanh", complex_math(MathFunction::Tanh)),
    ("asinh", complex_math(MathFunction::Asinh)),
    ("acosh", complex_math(MathFunction::Acosh)),
    ("atanh", complex_math(MathFunction::Atanh)),
    ("exp", complex_math(MathFunction::Exp)),
    ("log", function(LibraryFunction::ComplexLogarithm)),
    ("log10", complex_math(MathFunction::Log10)),
    ("sqrt", complex_math(MathFunction::Sqrt)),
    ("isnan", test(UnaryOperator::IsNan)),
    ("isinf", test(UnaryOperator::IsInf)),
    ("isfinite", test(UnaryOperator::IsFinite)),
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
    ("exp2", numpy_math(MathFunction::Exp2)),
    ("expm1", math(MathFunction::Expm1)),
    ("log", math(MathFunction::Log)),
    ("log2", math(MathFunction::Log2)),
    ("log10", math(MathFunction::Log10)),
    ("log1p", math(MathFunction::Log1p)),
    ("sqrt", math(MathFunction::Sqrt)),
    ("cbrt", math(MathFunction::Cbrt)),
    ("hypot", math(MathFunction::Hypot)),
    ("copysign", math(MathFunction::Copysign)),
    ("fmod", numpy_math(MathFunction::Fmod)),
    ("nextafter", math(MathFunction::Nextafter)),
    ("fmin", numpy_math(MathFunction::Fmin)),
    ("fmax", numpy_math(MathFunction::Fmax)),
    ("floor", numpy_math(MathFunction::Floor)),
    ("ceil", numpy_math(MathFunction::Ceil)),
    ("trunc", numpy_math(MathFunction::Trunc)),
    ("fix", numpy_math(MathFunction::Trunc)),
    ("rint", numpy_math(MathFunction::Rint)),
    ("round", function(LibraryFunction::RoundToDigits)),
    ("around", function(LibraryFunction::RoundToDigits)),
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
    // Inside of compiled code every loop is one thread's own.
    ("prange", function(LibraryFunction::Range)),
    (PARALLEL, function(LibraryFunction::Parallel)),
    (NEW_PARTIALS, function(LibraryFunction::NewPartials)),
    (ZERO_OF, function(LibraryFunction::Identity(Identity::Zero))),
    (ONE_OF, function(LibraryFunction::Identity(Identity::One))),
    (ALL_OF, function(LibraryFunction::Identity(Identity::All))),
    ("get_global_id", query(Query::GlobalId)),
    ("get_local_id", query(Query::LocalId)),
    ("get_group_id", query(Query::GroupId)),
    ("get_global_size", query(Query::GlobalSize)),
    ("get_local_size", query(Query::LocalSize)),
    ("get_num_groups", query(Query::GroupCount)),
    (
        "get_global_linear_id",
        linear(WorkItemQuery::GlobalLinearId),
    ),
    ("get_local_linear_id", linear(WorkItemQuery::LocalLinearId)),
    ("get_group_linear_id", linear(WorkItemQuery::GroupLinearId)),
    ("get_global_linear_size", linear_size(Query::GlobalSize)),
    ("get_local_linear_size", linear_size(Query::LocalSize)),
    ("get_work_dim", function(LibraryFunction::WorkDimensions)),
    ("barrier", function(LibraryFunction::Barrier)),
    ("mem_fence", function(LibraryFunction::MemoryFence)),
    ("LOCAL_MEM_FENCE", int(LOCAL_MEM_FENCE)),
    ("GLOBAL_MEM_FENCE", int(GLOBAL_MEM_FENCE)),
    ("kernel_api", Member::Module(KnownModule::SituKernelApi)),
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

const SITU_KERNEL_API: Table = &[
    ("AtomicRef", function(LibraryFunction::AtomicRef)),
    (
        "PrivateArray",
        function(LibraryFunction::NewArray(KnownModule::SituPrivate)),
    ),
    ("atomic_fence", function(LibraryFunction::AtomicFence)),
    ("group_barrier", function(LibraryFunction::GroupBarrier)),
    ("reduce_over_group", collective(CollectiveFunction::Reduce)),
    (
        "inclusive_scan_over_group",
        collective(CollectiveFunction::InclusiveScan),
    ),
    (
        "exclusive_scan_over_group",
        collective(CollectiveFunction::ExclusiveScan),
    ),
    ("group_broadcast", collective(CollectiveFunction::Broadcast)),
    ("any_of_group", collective(CollectiveFunction::Any)),
    ("all_of_group", collective(CollectiveFunction::All)),
    ("none_of_group", collective(CollectiveFunction::NoneOf)),
    ("this_work_group", function(LibraryFunction::GetGroup)),
    ("this_sub_group", function(LibraryFunction::GetSubGroup)),
    ("MemoryOrder", Member::Module(KnownModule::MemoryOrder)),
    ("MemoryScope", Member::Module(KnownModule::MemoryScope)),
    ("AddressSpace", Member::Module(KnownModule::AddressSpace)),
];

/// Bits that say which memory `barrier` and `mem_fence` order.
pub(crate) const LOCAL_MEM_FENCE: i128 = 1;
pub(crate) const GLOBAL_MEM_FENCE: i128 = 2;

const MEMORY_ORDER: Table = &[
    ("RELAXED", int(0)),
    ("ACQUIRE", int(1)),
    ("CONSUME_UNSUPPORTED", int(2)),
    ("RELEASE", int(3)),
    ("ACQ_REL", int(4)),
    ("SEQ_CST", int(5)),
];

const MEMORY_SCOPE: Table = &[
    ("WORK_ITEM", int(0)),
    ("SUB_GROUP", int(1)),
    ("WORK_GROUP", int(2)),
    ("DEVICE", int(3)),
    ("SYSTEM", int(4)),
];

const ADDRESS_SPACE: Table = &[
    ("PRIVATE", int(0)),
    ("GLOBAL", int(1)),
    ("CONSTANT", int(2)),
    ("LOCAL", int(3)),
    ("GENERIC", int(4)),
];

const ITEM: Table = &[
    ("get_id", query(Query::GlobalId)),
    ("get_linear_id", linear(WorkItemQuery::GlobalLinearId)),
    ("get_range", query(Query::GlobalSize)),
    ("get_linear_range", linear_size(Query::GlobalSize)),
];

const ND_ITEM: Table = &[
    ("get_global_id", query(Query::GlobalId)),
    (
        "get_global_linear_id",
        linear(WorkItemQuery::GlobalLinearId),
    ),
    ("get_global_range", query(Query::GlobalSize)),
    ("get_global_linear_range", linear_size(Query::GlobalSize)),
    ("get_local_id", query(Query::LocalId)),
    ("get_local_linear_id", linear(WorkItemQuery::LocalLinearId)),
    ("get_local_range", query(Query::LocalSize)),
    ("get_local_linear_range", linear_size(Query::LocalSize)),
    ("get_group", function(LibraryFunction::GetGroup)),
    ("get_sub_group", function(LibraryFunction::GetSubGroup)),
];

const GROUP: Table = &[
    ("get_group_id", query(Query::GroupId)),
    ("get_group_linear_id", linear(WorkItemQuery::GroupLinearId)),
    ("get_group_range", query(Query::GroupCount)),
    ("get_group_linear_range", linear_size(Query::GroupCount)),
    ("get_local_id", query(Query::LocalId)),
    ("get_local_linear_id", linear(WorkItemQuery::LocalLinearId)),
    ("get_local_range", query(Query::LocalSize)),
    ("get_local_linear_range", linear_size(Query::LocalSize)),
];

const SUB_GROUP: Table = &[
    ("get_group_id", linear(WorkItemQuery::SubGroupId)),
    ("get_group_range", linear(WorkItemQuery::SubGroupCount)),
    ("get_local_id", linear(WorkItemQuery::SubGroupLocalId)),
    ("get_local_range", linear(WorkItemQuery::SubGroupSize)),
];

/// The class of an object that tells the place of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexClass {
    Item,
    NdItem,
    Group,
    SubGroup,
}

impl IndexClass {
    fn table(self) -> Table {
        match self {
            Self::Item => ITEM,
            Self::NdItem => ND_ITEM,
            Self::Group => GROUP,
            Self::SubGroup => SUB_GROUP,
        }
    }

    /// A method of the class.
    pub(crate) fn method(self, name: &str) -> Option<Member> {
        find(self.table(), name)
    }

    /// The names of all methods.
    pub(crate) fn method_names(self) -> impl Iterator<Item = &'static str> {
        self.table().iter().map(|(name, _)| *name)
    }
}

/// Whether `Item` or `NdItem` has a member of this name.
pub(crate) fn is_item_member(name: &str) -> bool {
    let is_method = |class: IndexClass| class.method(name).is_some();
    name == "dimensions" || is_method(IndexClass::Item) || is_method(IndexClass::NdItem)
}

fn tables(module: KnownModule) -> &'static [Table] {
    match module {
        KnownModule::Builtins => &[BUILTINS],
        KnownModule::Math => &[MATH],
        KnownModule::Cmath => &[CMATH],
        KnownModule::NumPy => &[ELEMENTWISE],
        KnownModule::Situ => &[SITU, ELEMENTWISE],
        KnownModule::SituLocal => &[SITU_LOCAL],
        KnownModule::SituPrivate => &[SITU_PRIVATE],
        KnownModule::SituAtomic => &[SITU_ATOMIC],
        KnownModule::SituKernelApi => &[SITU_KERNEL_API],
        KnownModule::MemoryOrder => &[MEMORY_ORDER],
        KnownModule::MemoryScope => &[MEMORY_SCOPE],
        KnownModule::AddressSpace => &[ADDRESS_SPACE],
    }
}

/// What a name of a module stands for.
pub(crate) fn member(module: KnownModule, name: &str) -> Option<Member> {
    tables(module)
        .iter()
        .copied()
        .find_map(|table| find(table, name))
}

fn find(table: Table, name: &str) -> Option<Member> {
    let mut entries = table.iter();
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
        let modules = KnownModule::ALL.into_iter().flat_map(tables);
        let classes = [ITEM, ND_ITEM, GROUP, SUB_GROUP];
        for table in modules.copied().chain(classes) {
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
