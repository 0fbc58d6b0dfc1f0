//! Statements: everything that has an effect or decides what runs.
//!
//! Control flow is structured. A statement that produces something binds it to a [`Value`], which
//! later statements of the same block, and of blocks nested in it, can use.

use crate::arena::Handle;
use crate::expression::Expression;
use crate::module::{Function, Value, Variable};
use crate::span::Span;

/// Statements that run one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements, in order.
    pub statements: Vec<Statement>,
}

/// One step of a program, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Its place in the source.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// Evaluates an expression once and binds the result.
    Let {
        /// What the result is called from here on.
        value: Handle<Value>,
        /// What to evaluate.
        expression: Handle<Expression>,
    },
    /// Gives a variable a new content.
    Assign {
        /// The variable.
        variable: Handle<Variable>,
        /// Its new content.
        expression: Handle<Expression>,
    },
    /// Writes one element of memory.
    Store {
        /// Where the elements start.
        pointer: Handle<Expression>,
        /// Which element (`int64`).
        index: Handle<Expression>,
        /// What to write.
        value: Handle<Expression>,
    },
    /// Says that an element may be read soon, and changes nothing. There need not be such an element.
    Prefetch {
        /// Where the elements start.
        pointer: Handle<Expression>,
        /// Which element (`int64`).
        index: Handle<Expression>,
    },
    /// Reads and changes one element of global or local memory in one indivisible step.
    Atomic(Atomic),
    /// Calls a device function.
    Call {
        /// The function.
        function: Handle<Function>,
        /// One argument for each parameter.
        arguments: Vec<Handle<Expression>>,
        /// What the result is called; must be there exactly if the function has a result.
        result: Option<Handle<Value>>,
    },
    /// Runs one of two blocks.
    If {
        /// Which one (`bool`).
        condition: Handle<Expression>,
        /// Runs if the condition holds.
        accept: Block,
        /// Runs otherwise.
        reject: Block,
    },
    /// Repeats: while the condition holds (always, if there is none) run `body`, then `step`.
    Loop {
        /// Checked before each round (`bool`).
        condition: Option<Handle<Expression>>,
        /// What is repeated; `Break` leaves the loop, `Continue` goes on with `step`.
        body: Block,
        /// What comes between rounds; contains no `Break`, `Continue` or `Return`.
        step: Block,
    },
    /// Runs a block once for each number below a count: in any order, and several at the same time where that
    /// pays. Variables that the block assigns belong to it; each round finds them zero.
    Parallel(Parallel),
    /// Leaves the innermost loop.
    Break,
    /// Ends this round of the innermost loop.
    Continue,
    /// Ends the function; with the result, if it has one. In a [`Parallel`] it ends the round, without a result.
    Return(Option<Handle<Expression>>),
    /// Waits until every work-item of the group is here; memory in the given spaces is then
    /// consistent within the group.
    Barrier(MemorySpaces),
    /// Orders memory accesses without waiting.
    Fence {
        /// Which accesses are ordered.
        order: MemoryOrder,
        /// For whom.
        scope: MemoryScope,
    },
    /// Computes something from one value of each work-item of a group or sub-group.
    Collective(Collective),
}

/// Rounds that do not depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    /// How many rounds there are (`int64`).
    pub count: Handle<Expression>,
    /// Holds the number of the round (`int64`).
    pub index: Handle<Variable>,
    /// Holds a small number that no other round has at the same time (`int64`), to choose scratch memory by.
    pub worker: Handle<Variable>,
    /// What each round does. It has neither barriers nor collectives and asks nothing about the work-item.
    pub body: Block,
}

/// An indivisible access to one element.
#[derive(Clone, Debug, PartialEq)]
pub struct Atomic {
    /// What is done.
    pub operation: AtomicOperation,
    /// Where the elements start (global or local memory).
    pub pointer: Handle<Expression>,
    /// Which element (`int64`).
    pub index: Handle<Expression>,
    /// The second operand; absent only for `Load`.
    pub operand: Option<Handle<Expression>>,
    /// The expected content; present only for `CompareExchange`.
    pub expected: Option<Handle<Expression>>,
    /// What the old content is called; absent for `Store`, may be absent otherwise.
    pub result: Option<Handle<Value>>,
    /// How it is ordered with other accesses.
    pub order: MemoryOrder,
    /// For whom it is indivisible.
    pub scope: MemoryScope,
}

/// What an atomic access does. Elements are 32- or 64-bit integers or floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Writes and gives the old content.
    Exchange,
    /// Writes if the content's bits equal the expected ones; gives the old content.
    CompareExchange,
    /// Adds; integers wrap.
    Add,
    /// Subtracts; integers wrap.
    Subtract,
    /// Keeps the smaller (NaN if either is).
    Minimum,
    /// Keeps the larger (NaN if either is).
    Maximum,
    /// Bitwise and, integers only.
    BitAnd,
    /// Bitwise or, integers only.
    BitOr,
    /// Bitwise exclusive or, integers only.
    BitXor,
}

impl AtomicOperation {
    /// Every operation.
    pub const ALL: [Self; 11] = [
        Self::Load,
        Self::Store,
        Self::Exchange,
        Self::CompareExchange,
        Self::Add,
        Self::Subtract,
        Self::Minimum,
        Self::Maximum,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
    ];

    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Exchange => "exchange",
            Self::CompareExchange => "compare_exchange",
            Self::Add => "add",
            Self::Subtract => "sub",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::BitAnd => "and",
            Self::BitOr => "or",
            Self::BitXor => "xor",
        }
    }
}

/// Which spaces a barrier makes consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemorySpaces {
    /// Local memory.
    Local,
    /// Global memory.
    Global,
    /// Both.
    LocalAndGlobal,
}

impl MemorySpaces {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Global => "global",
            Self::LocalAndGlobal => "local_and_global",
        }
    }
}

/// How an access is ordered with the accesses around it, as in C++ and SYCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// Not at all.
    Relaxed,
    /// Later accesses stay later.
    Acquire,
    /// Earlier accesses stay earlier.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, and one order for all such accesses.
    SequentiallyConsistent,
}

impl MemoryOrder {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcquireRelease => "acq_rel",
            Self::SequentiallyConsistent => "seq_cst",
        }
    }
}

/// Who takes part in an ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryScope {
    /// The work-items of one sub-group.
    SubGroup,
    /// The work-items of one work-group.
    WorkGroup,
    /// Everything on the device.
    Device,
    /// Everything that sees the memory, the host included.
    System,
}

impl MemoryScope {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::SubGroup => "sub_group",
            Self::WorkGroup => "work_group",
            Self::Device => "device",
            Self::System => "system",
        }
    }
}

/// A computation in which all work-items of a group or sub-group take part.
///
/// Every work-item of the *work-group* must reach it, also when it works on sub-groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// What is computed.
    pub operation: CollectiveOperation,
    /// By whom.
    pub scope: CollectiveScope,
    /// This work-item's contribution; `bool` for `Any` and `All`.
    pub operand: Handle<Expression>,
    /// What this work-item's result is called.
    pub result: Handle<Value>,
}

/// Who takes part in a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectiveScope {
    /// The work-group.
    WorkGroup,
    /// Each sub-group for itself.
    SubGroup,
}

impl CollectiveScope {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::WorkGroup => "work_group",
            Self::SubGroup => "sub_group",
        }
    }
}

/// What a collective computes. The order of work-items is that of their linear local ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveOperation {
    /// All contributions combined, from first to last.
    Reduce(CombineOperator),
    /// The contributions up to and with this work-item's combined.
    InclusiveScan(CombineOperator),
    /// The contributions before this work-item's combined; the identity for the first.
    ExclusiveScan(CombineOperator),
    /// The contribution of the work-item with this position in the (sub-)group; the position must
    /// be the same for all. A position outside is taken modulo the number of work-items.
    Broadcast(Handle<Expression>),
    /// Whether any contribution is true.
    Any,
    /// Whether all contributions are true.
    All,
}

impl CollectiveOperation {
    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce(_) => "reduce",
            Self::InclusiveScan(_) => "inclusive_scan",
            Self::ExclusiveScan(_) => "exclusive_scan",
            Self::Broadcast(_) => "broadcast",
            Self::Any => "any",
            Self::All => "all",
        }
    }

    /// How contributions are combined, for reductions and scans.
    pub fn combine(self) -> Option<CombineOperator> {
        match self {
            Self::Reduce(operator)
            | Self::InclusiveScan(operator)
            | Self::ExclusiveScan(operator) => Some(operator),
            Self::Broadcast(_) | Self::Any | Self::All => None,
        }
    }
}

/// How a collective combines two contributions. As the binary operators of the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineOperator {
    /// Sum; identity 0.
    Add,
    /// Product; identity 1.
    Multiply,
    /// Smaller; identity is the largest value (infinity for floats).
    Minimum,
    /// Larger; identity is the smallest value (minus infinity for floats).
    Maximum,
    /// Bitwise and of integers; identity all ones.
    BitAnd,
    /// Bitwise or of integers; identity 0.
    BitOr,
    /// Bitwise exclusive or of integers; identity 0.
    BitXor,
}

impl CombineOperator {
    /// Every operator.
    pub const ALL: [Self; 7] = [
        Self::Add,
        Self::Multiply,
        Self::Minimum,
        Self::Maximum,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
    ];

    /// The word used in the text format.
    pub fn name(self) -> &'static str {
        self.binary().name()
    }

    /// The binary operator it stands for.
    pub fn binary(self) -> crate::expression::BinaryOperator {
        use crate::expression::BinaryOperator as Binary;
        match self {
            Self::Add => Binary::Add,
            Self::Multiply => Binary::Multiply,
            Self::Minimum => Binary::Minimum,
            Self::Maximum => Binary::Maximum,
            Self::BitAnd => Binary::BitAnd,
            Self::BitOr => Binary::BitOr,
            Self::BitXor => Binary::BitXor,
        }
    }
}

impl StatementKind {
    /// Calls `visit` with each expression this statement itself uses, not those of nested blocks.
    pub fn for_each_expression(&self, mut visit: impl FnMut(Handle<Expression>)) {
        match self {
            Self::Let { expression, .. } | Self::Assign { expression, .. } => visit(*expression),
            Self::Store {
                pointer,
                index,
                value,
            } => {
                visit(*pointer);
                visit(*index);
                visit(*value);
            }
            Self::Prefetch { pointer, index } => {
                visit(*pointer);
                visit(*index);
            }
            Self::Atomic(atomic) => {
                visit(atomic.pointer);
                visit(atomic.index);
                atomic.operand.into_iter().for_each(&mut visit);
                atomic.expected.into_iter().for_each(&mut visit);
            }
            Self::Call { arguments, .. } => arguments.iter().copied().for_each(visit),
            Self::If { condition, .. } => visit(*condition),
            Self::Loop { condition, .. } => condition.iter().copied().for_each(visit),
            Self::Parallel(parallel) => visit(parallel.count),
            Self::Return(result) => result.iter().copied().for_each(visit),
            Self::Collective(collective) => {
                visit(collective.operand);
                if let CollectiveOperation::Broadcast(position) = collective.operation {
                    visit(position);
                }
            }
            Self::Break | Self::Continue | Self::Barrier(_) | Self::Fence { .. } => {}
        }
    }

    /// The value this statement binds, if it binds one.
    pub fn bound_value(&self) -> Option<Handle<Value>> {
        match self {
            Self::Let { value, .. } => Some(*value),
            Self::Atomic(atomic) => atomic.result,
            Self::Call { result, .. } => *result,
            Self::Collective(collective) => Some(collective.result),
            _ => None,
        }
    }

    /// Whether all work-items of the group meet here: a barrier or collective.
    pub fn is_meeting(&self) -> bool {
        matches!(self, Self::Barrier(_) | Self::Collective(_))
    }

    /// The blocks nested in this statement, in the order they are written.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let (first, second) = match self {
            Self::If { accept, reject, .. } => (Some(accept), Some(reject)),
            Self::Loop { body, step, .. } => (Some(body), Some(step)),
            Self::Parallel(parallel) => (Some(&parallel.body), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let (first, second) = match self {
            Self::If { accept, reject, .. } => (Some(accept), Some(reject)),
            Self::Loop { body, step, .. } => (Some(body), Some(step)),
            Self::Parallel(parallel) => (Some(&mut parallel.body), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Block {
    /// Calls `visit` with every statement of this block and of the blocks nested in it.
    pub fn for_each_statement<'a>(&'a self, visit: &mut impl FnMut(&'a Statement)) {
        for statement in &self.statements {
            visit(statement);
            for block in statement.kind.blocks() {
                block.for_each_statement(visit);
            }
        }
    }

    /// The same with leave to change them.
    pub fn for_each_statement_mut(&mut self, visit: &mut impl FnMut(&mut Statement)) {
        for statement in &mut self.statements {
            visit(statement);
            for block in statement.kind.blocks_mut() {
                block.for_each_statement_mut(visit);
            }
        }
    }
}
