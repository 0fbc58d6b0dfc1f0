//! Modules and functions: the containers of IR.

use crate::arena::{Arena, Handle};
use crate::dtype::DType;
use crate::expression::Expression;
use crate::span::{Source, Span};
use crate::statement::Block;
use crate::types::{AddressSpace, Type};

/// Kernels and the device functions they call.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// What the module is called in messages and emitted code.
    pub name: String,
    /// All functions. A function may call those that come before it and, if it is a device function, itself.
    pub functions: Arena<Function>,
    /// The text that spans point into, if the module was read from one.
    pub source: Option<Source>,
}

impl Module {
    /// A module without functions.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            functions: Arena::new(),
            source: None,
        }
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> impl Iterator<Item = (Handle<Function>, &Function)> {
        self.functions
            .iter()
            .filter(|(_, function)| function.is_kernel())
    }

    /// The function with a name.
    pub fn function(&self, name: &str) -> Option<(Handle<Function>, &Function)> {
        self.functions
            .iter()
            .find(|(_, function)| function.name == name)
    }
}

/// A kernel or a device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Unique in the module; a C identifier.
    pub name: String,
    /// Launched or called.
    pub kind: FunctionKind,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// What it returns; kernels return nothing.
    pub result: Option<DType>,
    /// What statements bind.
    pub values: Arena<Value>,
    /// What statements assign.
    pub variables: Arena<Variable>,
    /// Local and private arrays.
    pub arrays: Arena<ArrayVariable>,
    /// Every expression the statements use.
    pub expressions: Arena<Expression>,
    /// What it does.
    pub body: Block,
    /// Its place in the source.
    pub span: Span,
}

/// How a function is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Launched over a range: runs once for each work-item.
    Kernel {
        /// Dimensions of the ranges it can be launched over, 1 to 3.
        dims: u8,
    },
    /// Called by kernels and other device functions.
    Device,
}

impl Function {
    /// A function with nothing in it.
    pub fn new(name: impl Into<String>, kind: FunctionKind) -> Self {
        Self {
            name: name.into(),
            kind,
            parameters: Vec::new(),
            result: None,
            values: Arena::new(),
            variables: Arena::new(),
            arrays: Arena::new(),
            expressions: Arena::new(),
            body: Block::default(),
            span: Span::NONE,
        }
    }

    /// Whether this is launched rather than called.
    pub fn is_kernel(&self) -> bool {
        matches!(self.kind, FunctionKind::Kernel { .. })
    }
}

/// What a function takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The user's name for it; unique in the function.
    pub name: String,
    /// A scalar or a pointer. A kernel's pointers are into global memory, or into local memory
    /// whose size is given at launch.
    pub ty: Type,
    /// Its place in the source.
    pub span: Span,
}

/// Something bound once by a statement: a scalar or a pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// A name for people; need not be unique.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A scalar of one work-item that statements assign. Its content before the first assignment is
/// zero on every device; the reference device reports such a read.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// A name for people; need not be unique.
    pub name: String,
    /// Its dtype.
    pub dtype: DType,
}

/// Memory that belongs to a work-group or a work-item. Its content is undefined at first; the
/// reference device reports reads of elements nobody wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayVariable {
    /// A name for people; need not be unique.
    pub name: String,
    /// What the elements are.
    pub element: DType,
    /// How many there are; at least one.
    pub length: u64,
    /// `Local` (kernels only) or `Private`.
    pub space: AddressSpace,
}

impl ArrayVariable {
    /// Bytes of all elements; as many as a `u64` counts if they are more.
    pub fn size_bytes(&self) -> u64 {
        self.length.saturating_mul(self.element.size_bytes() as u64)
    }
}
