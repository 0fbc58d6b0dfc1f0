//! The Python that kernels and njit functions are written in, as a tree.
//!
//! Smaller than Python's own tree: what neither can contain has no node here. `parse` makes it and is
//! the only file that knows the parser behind it; everything later reads this. Nodes that only njit
//! functions have ([`Dialect::Host`](crate::parse::Dialect)) say so.
//!
//! Constants are Python's: integers without a width, floats, complex numbers and booleans. They get
//! a dtype only when they meet something that has one.

use std::sync::Arc;

use situ_ir::Span;

/// A `def`.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Identifier,
    pub parameters: Vec<Identifier>,
    /// How many of them are given by position; after them comes the tuple of all other arguments, if there is one, and
    /// then those that are given by name only. Functions of the host only.
    pub positional: usize,
    /// Whether a parameter takes all arguments beyond those, as a tuple: `*args`.
    pub is_variadic: bool,
    /// What parameters are if no argument is given, for the last ones. Of functions inside of others only: Python has
    /// evaluated those of all others.
    pub defaults: Vec<Expression>,
    /// The last name of the first parameter's annotation: `NdItem` for `item: kernel_api.NdItem`.
    pub first_annotation: Option<String>,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// A list that is made item by item. The names of its target are its own: no other name of the function is equal.
#[derive(Clone, Debug)]
pub struct Comprehension {
    pub element: Expression,
    pub target: Expression,
    pub iterable: Expression,
    pub conditions: Vec<Expression>,
}

/// A name and where it is written.
#[derive(Clone, Debug)]
pub struct Identifier {
    pub name: String,
    pub span: Span,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `a = b = value`: the value is evaluated once and given to each target from left to right.
    Assign {
        targets: Vec<Expression>,
        value: Expression,
    },
    /// `target op= value`.
    AugmentedAssign {
        target: Expression,
        operator: BinaryOperator,
        value: Expression,
    },
    /// `if`; `elif` is an `if` in `reject`.
    If {
        test: Expression,
        accept: Vec<Statement>,
        reject: Vec<Statement>,
    },
    While {
        test: Expression,
        body: Vec<Statement>,
    },
    For {
        target: Expression,
        iterable: Expression,
        body: Vec<Statement>,
    },
    Break,
    Continue,
    Return(Option<Expression>),
    /// A `def` inside of the function.
    Function(Arc<Function>),
    /// An expression evaluated for its effect.
    Expression(Expression),
    /// `assert test, message`.
    Assert {
        test: Expression,
        parts: Vec<MessagePart>,
    },
    /// `print(...)`, with separators and the end of the line.
    Print(Vec<MessagePart>),
    /// `raise Class(message)`, in njit functions only.
    Raise {
        class: Identifier,
        parts: Vec<MessagePart>,
    },
    Pass,
}

/// A piece of what `assert` or `print` says.
#[derive(Clone, Debug)]
pub enum MessagePart {
    Text(String),
    Value {
        expression: Expression,
        /// What stands after the colon in an f-string.
        format: String,
    },
}

impl MessagePart {
    pub fn value(&self) -> Option<&Expression> {
        match self {
            Self::Text(_) => None,
            Self::Value { expression, .. } => Some(expression),
        }
    }
}

/// The function that `x is None` calls, in njit functions only. No user's name looks like this.
pub const IS_NONE: &str = "situ__is_none";

/// One expression.
#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Constant(Constant),
    Name(String),
    Attribute {
        value: Box<Expression>,
        attribute: Identifier,
    },
    /// `value[a, b]`: the indices are `a` and `b`.
    Subscript {
        value: Box<Expression>,
        indices: Vec<Expression>,
    },
    Call {
        function: Box<Expression>,
        arguments: Vec<Expression>,
        keywords: Vec<(Identifier, Expression)>,
    },
    Unary {
        operator: UnaryOperator,
        operand: Box<Expression>,
    },
    Binary {
        operator: BinaryOperator,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    /// `and` or `or`, with two operands or more.
    Logical {
        operator: LogicalOperator,
        operands: Vec<Expression>,
    },
    /// `first < second <= third`, each operand evaluated at most once.
    Compare {
        first: Box<Expression>,
        rest: Vec<(ComparisonOperator, Expression)>,
    },
    /// `item in container` or `item not in container`.
    Membership {
        item: Box<Expression>,
        container: Box<Expression>,
        is_negated: bool,
    },
    /// `accept if test else reject`.
    Conditional {
        test: Box<Expression>,
        accept: Box<Expression>,
        reject: Box<Expression>,
    },
    Tuple(Vec<Expression>),
    /// `lower:upper:step` between the brackets of a subscript.
    Slice {
        lower: Option<Box<Expression>>,
        upper: Option<Box<Expression>>,
        step: Option<Box<Expression>>,
    },
    /// A function that returns its only expression.
    Lambda(Arc<Function>),
    /// A string, in njit functions only.
    Text(String),
    /// `None`, in njit functions only.
    None,
    /// `...`, in njit functions only.
    Ellipsis,
    /// `[a, b]`, in njit functions only.
    List(Vec<Expression>),
    /// `[element for target in iterable if condition]`, in njit functions only.
    Comprehension(Box<Comprehension>),
    /// Something that was refused; the diagnostic is already written.
    Refused,
}

/// A number Python knows at compile time.
pub use situ_ir::promotion::PythonScalar as Constant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Negate,
    Plus,
    Invert,
    Not,
}

impl UnaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Negate => "-",
            Self::Plus => "+",
            Self::Invert => "~",
            Self::Not => "not",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// `@`, in njit functions only.
    MatrixMultiply,
}

impl BinaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Modulo => "%",
            Self::Power => "**",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::MatrixMultiply => "@",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicalOperator {
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl ComparisonOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}
