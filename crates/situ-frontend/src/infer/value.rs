//! What an expression stands for while types are inferred.

use situ_ir::{DType, MemoryOrder, MemoryScope};

use crate::environment::{Bindings, KnownModule};
use crate::infer::elements::Elements;
use crate::infer::library::LibraryFunction;
use crate::plan::ItemType;
use crate::syntax::Constant;
use crate::typed::{ArrayId, Call, Expression};

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A number known at compile time that has no dtype yet.
    Constant(Constant),
    /// A number with a dtype, computed when the kernel runs.
    Scalar(Expression),
    /// Several values, each known by position.
    Tuple(Vec<Value>),
    /// Something that has one meaning for the whole function.
    Static(Static),
    /// Something made of numbers that are computed when the kernel runs.
    Object(Object),
    /// An array expression that nothing has computed yet. Only in functions of the host.
    Elements(Box<Elements>),
    /// A call of a function that returns a tuple, not done yet.
    Call { call: Call, result: LocalType },
    /// Attributes of a user's module or object.
    Namespace(Bindings),
    /// What a call without a result gives.
    Nothing,
    /// Not known: a mistake that is already reported, or a type that inference has not found yet.
    Unknown,
}

/// A value that is a number.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Constant(Constant),
    Typed(Expression),
}

impl Number {
    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Constant(constant) => describe_constant(*constant).to_owned(),
            Self::Typed(expression) => with_article(expression.dtype.name()),
        }
    }

    pub(crate) fn constant(&self) -> Option<Constant> {
        match self {
            Self::Constant(constant) => Some(*constant),
            Self::Typed(_) => None,
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Constant(constant) => Self::Constant(constant),
            Number::Typed(expression) => Self::Scalar(expression),
        }
    }
}

/// What a name can stand for besides numbers. A variable can hold one if it holds nothing else.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Static {
    Array(ArrayId),
    /// Called, it converts.
    DType(DType),
    Module(KnownModule),
    Library(LibraryFunction),
    /// A device function of the environment.
    Device(usize),
    /// The index object of the running work-item.
    Item(ItemType),
    /// The work-group of the running work-item, in a range of so many dimensions.
    Group(u8),
    /// The sub-group of the running work-item.
    SubGroup,
}

/// An object that a variable can hold, with the numbers it is made of.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// `int64` each.
    pub(crate) parts: Vec<Expression>,
}

/// What an object is, as far as it is known when compiling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ObjectKind {
    /// `AtomicRef`: its parts are the indices of the element, or the way to it in a part of an array.
    AtomicRef {
        array: ArrayId,
        order: MemoryOrder,
        scope: MemoryScope,
    },
    /// Some of the elements of an array: its parts are the offset, the sizes and the strides.
    View {
        array: ArrayId,
        ndim: usize,
        /// Whether the elements lie without gaps, the last axis fastest.
        is_contiguous: bool,
        /// Whether the last of its parts is the block of the heap that it is in, or 0.
        is_owned: bool,
    },
}

impl ObjectKind {
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::AtomicRef { .. } => "an `AtomicRef`",
            Self::View { .. } => "a part of an array",
        }
    }
}

/// The type of a local name, joined over all its assignments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LocalType {
    Scalar(DType),
    /// Only of a parameter that is not assigned.
    Constant(Constant),
    Tuple(Vec<LocalType>),
    Static(Static),
    Object {
        kind: ObjectKind,
        parts: usize,
    },
}

impl LocalType {
    /// The dtypes of the numbers in it, from left to right.
    pub(crate) fn numbers(&self) -> Vec<DType> {
        match self {
            Self::Scalar(dtype) => vec![*dtype],
            Self::Tuple(items) => items.iter().flat_map(Self::numbers).collect(),
            Self::Constant(_) | Self::Static(_) => Vec::new(),
            Self::Object { parts, .. } => vec![DType::I64; *parts],
        }
    }

    /// How many variables hold it.
    pub(crate) fn variable_count(&self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Constant(_) | Self::Static(_) => 0,
            Self::Tuple(items) => items.iter().map(Self::variable_count).sum(),
            Self::Object { parts, .. } => *parts,
        }
    }

    /// What it is, for messages: "a float64", "an array".
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Scalar(dtype) => with_article(dtype.name()),
            Self::Constant(constant) => describe_constant(*constant).to_owned(),
            Self::Tuple(items) => format!("a tuple of {}", items.len()),
            Self::Static(value) => value.describe().to_owned(),
            Self::Object { kind, .. } => kind.describe().to_owned(),
        }
    }
}

impl Static {
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Array(_) => "an array",
            Self::DType(_) => "a dtype",
            Self::Module(_) => "a module",
            Self::Library(_) | Self::Device(_) => "a function",
            Self::Item(item) if item.has_groups => "an `NdItem`",
            Self::Item(_) => "an `Item`",
            Self::Group(_) => "a `Group`",
            Self::SubGroup => "a `SubGroup`",
        }
    }
}

impl Value {
    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Constant(constant) => describe_constant(*constant).to_owned(),
            Self::Scalar(expression) => with_article(expression.dtype.name()),
            Self::Tuple(values) => format!("a tuple of {}", values.len()),
            Self::Static(value) => value.describe().to_owned(),
            Self::Object(object) => object.kind.describe().to_owned(),
            Self::Elements(_) => "an array expression".to_owned(),
            Self::Call { result, .. } => result.describe(),
            Self::Namespace(_) => "an object".to_owned(),
            Self::Nothing => "nothing".to_owned(),
            Self::Unknown => "unknown".to_owned(),
        }
    }
}

/// What a Python number is, for messages.
pub(crate) fn describe_constant(constant: Constant) -> &'static str {
    match constant {
        Constant::Bool(_) => "a bool",
        Constant::Int(_) => "an int",
        Constant::Float(_) => "a float",
        Constant::Complex(..) => "a complex",
    }
}

/// A noun with its article.
pub(crate) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} `{noun}`")
}
