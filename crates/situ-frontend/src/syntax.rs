//! The Python that kernels are written in, as a tree.
//!
//! Smaller than Python's own tree: what a kernel cannot contain has no node here. [`crate::parse`]
//! makes it and is the only file that knows the parser behind it; everything later reads this.
//!
//! Constants are Python's: integers without a width, floats, complex numbers and booleans. They get
//! a dtype only when they meet something that has one.

use std::rc::Rc;

use situ_ir::Span;

/// A `def`.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Identifier,
    pub(crate) parameters: Vec<Identifier>,
    /// What parameters are if no argument is given, for the last ones.
    pub(crate) defaults: Vec<(Constant, Span)>,
    /// The last name of the first parameter's annotation: `NdItem` for `item: kernel_api.NdItem`.
    pub(crate) first_annotation: Option<String>,
    pub(crate) body: Vec<Statement>,
    pub(crate) span: Span,
}

/// A name and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// One statement.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
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
    Function(Rc<Function>),
    /// An expression evaluated for its effect.
    Expression(Expression),
    /// `assert test, message`.
    Assert {
        test: Expression,
        parts: Vec<MessagePart>,
    },
    /// `print(...)`, with separators and the end of the line.
    Print(Vec<MessagePart>),
    Pass,
}

/// A piece of what `assert` or `print` says.
#[derive(Clone, Debug)]
pub(crate) enum MessagePart {
    Text(String),
    Value {
        expression: Expression,
        /// What stands after the colon in an f-string.
        format: String,
    },
}

impl MessagePart {
    pub(crate) fn value(&self) -> Option<&Expression> {
        match self {
            Self::Text(_) => None,
            Self::Value { expression, .. } => Some(expression),
        }
    }
}

/// One expression.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
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
    Lambda(Rc<Function>),
    /// Something that was refused; the diagnostic is already written.
    Refused,
}

/// A number Python knows at compile time.
pub use situ_ir::promotion::PythonScalar as Constant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOperator {
    Negate,
    Plus,
    Invert,
    Not,
}

impl UnaryOperator {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Negate => "-",
            Self::Plus => "+",
            Self::Invert => "~",
            Self::Not => "not",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOperator {
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
}

impl BinaryOperator {
    pub(crate) fn symbol(self) -> &'static str {
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
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogicalOperator {
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl ComparisonOperator {
    pub(crate) fn symbol(self) -> &'static str {
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
