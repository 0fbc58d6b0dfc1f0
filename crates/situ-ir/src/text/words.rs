//! The words of the text format: from text to operators, orders and scopes.
//!
//! The other way is the `name` method of each type.

use crate::dtype::DType;
use crate::expression::{BinaryOperator, MathFunction, UnaryOperator, WorkItemQuery};
use crate::nearest::distance;
use crate::statement::{
    AtomicOperation, CollectiveScope, CombineOperator, MemoryOrder, MemoryScope, MemorySpaces,
};
use crate::types::AddressSpace;

/// Words that cannot be names unless they are quoted.
pub(super) const RESERVED: [&str; 26] = [
    "array",
    "atomic",
    "barrier",
    "break",
    "call",
    "collective",
    "continue",
    "else",
    "expect",
    "false",
    "fence",
    "if",
    "inf_f16",
    "inf_f32",
    "inf_f64",
    "let",
    "loop",
    "parallel",
    "prefetch",
    "return",
    "step",
    "true",
    "var",
    "while",
    "kernel",
    "device",
];

/// Operators written between their operands.
pub(super) const INFIX: [(&str, BinaryOperator); 15] = [
    ("+", BinaryOperator::Add),
    ("-", BinaryOperator::Subtract),
    ("*", BinaryOperator::Multiply),
    ("/", BinaryOperator::Divide),
    ("&", BinaryOperator::BitAnd),
    ("|", BinaryOperator::BitOr),
    ("^", BinaryOperator::BitXor),
    ("<<", BinaryOperator::ShiftLeft),
    (">>", BinaryOperator::ShiftRight),
    ("==", BinaryOperator::Equal),
    ("!=", BinaryOperator::NotEqual),
    ("<", BinaryOperator::Less),
    ("<=", BinaryOperator::LessEqual),
    (">", BinaryOperator::Greater),
    (">=", BinaryOperator::GreaterEqual),
];

/// The mark of an operator that has one.
pub(super) fn infix_mark(operator: BinaryOperator) -> Option<&'static str> {
    INFIX
        .iter()
        .find(|(_, candidate)| *candidate == operator)
        .map(|(mark, _)| *mark)
}

/// What a word followed by `(` means in an expression.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    Math(MathFunction),
    Query(WorkItemQuery),
    Select,
    Cast,
    Bitcast,
    Complex,
    Offset,
    /// A complex constant.
    Constant(DType),
    /// A NaN of this dtype.
    Nan(DType),
}

/// Every query, for dimension 0 where there is a dimension.
const QUERIES: [WorkItemQuery; 14] = [
    WorkItemQuery::GlobalId(0),
    WorkItemQuery::LocalId(0),
    WorkItemQuery::GroupId(0),
    WorkItemQuery::GlobalSize(0),
    WorkItemQuery::LocalSize(0),
    WorkItemQuery::GroupCount(0),
    WorkItemQuery::GlobalLinearId,
    WorkItemQuery::LocalLinearId,
    WorkItemQuery::GroupLinearId,
    WorkItemQuery::SubGroupId,
    WorkItemQuery::SubGroupLocalId,
    WorkItemQuery::SubGroupSize,
    WorkItemQuery::SubGroupCount,
    WorkItemQuery::StackLeft,
];

/// The query about another dimension.
pub(super) fn about_dimension(query: WorkItemQuery, dimension: u8) -> WorkItemQuery {
    match query {
        WorkItemQuery::GlobalId(_) => WorkItemQuery::GlobalId(dimension),
        WorkItemQuery::LocalId(_) => WorkItemQuery::LocalId(dimension),
        WorkItemQuery::GroupId(_) => WorkItemQuery::GroupId(dimension),
        WorkItemQuery::GlobalSize(_) => WorkItemQuery::GlobalSize(dimension),
        WorkItemQuery::LocalSize(_) => WorkItemQuery::LocalSize(dimension),
        WorkItemQuery::GroupCount(_) => WorkItemQuery::GroupCount(dimension),
        other => other,
    }
}

/// Every operation with its word.
fn operations() -> impl Iterator<Item = (&'static str, Operation)> {
    let unary = UnaryOperator::ALL
        .into_iter()
        .map(|operator| (operator.name(), Operation::Unary(operator)));
    let binary = BinaryOperator::ALL
        .into_iter()
        .map(|operator| (operator.name(), Operation::Binary(operator)));
    let math = MathFunction::ALL
        .iter()
        .map(|function| (function.name(), Operation::Math(*function)));
    let queries = QUERIES
        .into_iter()
        .map(|query| (query.name(), Operation::Query(query)));
    let rest = [
        ("select", Operation::Select),
        ("cast", Operation::Cast),
        ("bitcast", Operation::Bitcast),
        ("complex", Operation::Complex),
        ("offset", Operation::Offset),
        ("c64", Operation::Constant(DType::C64)),
        ("c128", Operation::Constant(DType::C128)),
        ("nan_f16", Operation::Nan(DType::F16)),
        ("nan_f32", Operation::Nan(DType::F32)),
        ("nan_f64", Operation::Nan(DType::F64)),
    ];
    unary.chain(binary).chain(math).chain(queries).chain(rest)
}

/// The operation with a word.
pub(super) fn operation(word: &str) -> Option<Operation> {
    operations()
        .find(|(name, _)| *name == word)
        .map(|(_, operation)| operation)
}

/// Every word of an operation.
pub(super) fn operation_words() -> impl Iterator<Item = &'static str> {
    operations().map(|(word, _)| word)
}

/// A kind of thing that a word can stand for.
pub(super) trait Vocabulary: Copy + 'static {
    /// What one of them is called in messages.
    const WHAT: &'static str;
    /// All of them.
    const WORDS: &'static [Self];
    /// The word of one.
    fn word(self) -> &'static str;
}

macro_rules! vocabulary {
    ($ty:ty, $what:literal, $words:expr, $name:ident) => {
        impl Vocabulary for $ty {
            const WHAT: &'static str = $what;
            const WORDS: &'static [Self] = &$words;
            fn word(self) -> &'static str {
                self.$name()
            }
        }
    };
}

vocabulary!(DType, "dtype", DType::ALL, short_name);
vocabulary!(
    AddressSpace,
    "address space",
    [
        AddressSpace::Global,
        AddressSpace::Local,
        AddressSpace::Private
    ],
    name
);
vocabulary!(
    AtomicOperation,
    "atomic operation",
    AtomicOperation::ALL,
    name
);
vocabulary!(
    CombineOperator,
    "operator to combine with",
    CombineOperator::ALL,
    name
);
vocabulary!(
    CollectiveScope,
    "group",
    [CollectiveScope::WorkGroup, CollectiveScope::SubGroup],
    name
);
vocabulary!(
    MemorySpaces,
    "memory",
    [
        MemorySpaces::Local,
        MemorySpaces::Global,
        MemorySpaces::LocalAndGlobal
    ],
    name
);
vocabulary!(
    MemoryOrder,
    "memory order",
    [
        MemoryOrder::Relaxed,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::AcquireRelease,
        MemoryOrder::SequentiallyConsistent
    ],
    name
);
vocabulary!(
    MemoryScope,
    "memory scope",
    [
        MemoryScope::SubGroup,
        MemoryScope::WorkGroup,
        MemoryScope::Device,
        MemoryScope::System
    ],
    name
);

/// The candidates most like a word, nearest first; at most three, and none that is very different.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = word.chars().count() / 2 + 1;
    let mut near: Vec<_> = candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(3);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_operations_are_unique() {
        let mut words: Vec<_> = operation_words().collect();
        words.sort_unstable();
        let count = words.len();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    #[test]
    fn nearest_words_come_first() {
        assert_eq!(nearest("sinn", operation_words())[0], "sin");
        assert_eq!(nearest("globalid", operation_words())[0], "global_id");
        assert!(nearest("xyzzyxyzzy", ["sin", "cos"].into_iter()).is_empty());
    }
}
