//! The flat form of a kernel that the interpreter runs.
//!
//! Structured control flow becomes jumps, expressions become instructions on registers, and the
//! function of every operator is looked up once. A function invocation has a *frame* of registers:
//! parameters, values, variables, their marks, constants, temporaries, in this order.

use super::number::{BinaryFunction, Cell, TernaryFunction, UnaryFunction};
use crate::dtype::DType;
use crate::expression::WorkItemQuery;
use crate::span::Span;
use crate::statement::{
    AtomicOperation, CollectiveScope, CombineOperator, MemoryOrder, MemorySpaces,
};

/// A register of a frame.
pub(super) type Register = u32;
/// A position in a routine's code.
pub(super) type Position = u32;

/// A kernel and the device functions it may call.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Device functions in the order of the module, then the kernel.
    pub(super) routines: Vec<Routine>,
    /// The kernel's local arrays.
    pub(super) local_arrays: Vec<ArrayShape>,
    /// Whether work-items must meet: there is a barrier or collective.
    pub(super) synchronises: bool,
    /// Whether accesses can be ordered by atomics or fences.
    pub(super) orders: bool,
}

impl Program {
    /// The routine every work-item starts in.
    pub(super) fn kernel(&self) -> &Routine {
        self.routines.last().expect("the kernel is a routine")
    }

    /// The kernel's position among the routines.
    pub(super) fn kernel_position(&self) -> usize {
        self.routines.len() - 1
    }
}

/// One function.
#[derive(Clone, Debug)]
pub(super) struct Routine {
    pub(super) name: String,
    pub(super) code: Vec<Instruction>,
    /// The place in the source of each instruction.
    pub(super) spans: Vec<Span>,
    /// A frame at the start of the function, except for the parameters.
    pub(super) frame: Vec<Cell>,
    /// Which registers of the frame are variables and their marks: what must be cleared to run again.
    pub(super) cleared: std::ops::Range<usize>,
    pub(super) variables: Vec<String>,
    pub(super) private_arrays: Vec<ArrayShape>,
    pub(super) atomics: Vec<AtomicCall>,
    pub(super) calls: Vec<CallSite>,
    pub(super) collectives: Vec<CollectiveCall>,
}

/// A local or private array.
#[derive(Clone, Debug)]
pub(super) struct ArrayShape {
    pub(super) name: String,
    pub(super) element: DType,
    pub(super) length: u64,
}

impl ArrayShape {
    /// The bytes of the whole array; `None` if they cannot be counted.
    pub(super) fn size_bytes(&self) -> Option<usize> {
        usize::try_from(self.length)
            .ok()?
            .checked_mul(self.element.size_bytes())
    }
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Copy {
        out: Register,
        from: Register,
    },
    Unary {
        out: Register,
        operand: Register,
        function: UnaryFunction,
    },
    Binary {
        out: Register,
        left: Register,
        right: Register,
        function: BinaryFunction,
    },
    Ternary {
        out: Register,
        arguments: [Register; 3],
        function: TernaryFunction,
    },
    Select {
        out: Register,
        condition: Register,
        accept: Register,
        reject: Register,
    },
    Query {
        out: Register,
        query: WorkItemQuery,
    },
    PrivateArray {
        out: Register,
        array: u32,
    },
    Offset {
        out: Register,
        pointer: Register,
        index: Register,
    },
    Load {
        out: Register,
        pointer: Register,
        index: Register,
        element: DType,
    },
    Store {
        pointer: Register,
        index: Register,
        value: Register,
        element: DType,
    },
    /// Remembers that a variable was assigned.
    Mark {
        mark: Register,
    },
    /// Faults if a variable was not assigned.
    CheckMark {
        mark: Register,
        variable: u32,
    },
    Jump {
        target: Position,
    },
    JumpUnless {
        condition: Register,
        target: Position,
    },
    /// Starts the next round of a loop, and counts it.
    Repeat {
        target: Position,
    },
    Atomic(u32),
    Call(u32),
    Return,
    ReturnValue {
        result: Register,
    },
    Barrier(MemorySpaces),
    Fence(MemoryOrder),
    Collective(u32),
}

/// An atomic access.
#[derive(Clone, Debug)]
pub(super) struct AtomicCall {
    pub(super) operation: AtomicOperation,
    pub(super) element: DType,
    pub(super) pointer: Register,
    pub(super) index: Register,
    pub(super) operand: Option<Register>,
    pub(super) expected: Option<Register>,
    pub(super) result: Option<Register>,
    /// What combines old content and operand, for operations that compute.
    pub(super) function: Option<BinaryFunction>,
    pub(super) order: MemoryOrder,
}

/// A call of a device function.
#[derive(Clone, Debug)]
pub(super) struct CallSite {
    /// Position of the routine.
    pub(super) routine: usize,
    pub(super) arguments: Vec<Register>,
    pub(super) result: Option<Register>,
}

/// A collective.
#[derive(Clone, Debug)]
pub(super) struct CollectiveCall {
    pub(super) computation: Computation,
    pub(super) scope: CollectiveScope,
    pub(super) operand: Register,
    pub(super) result: Register,
}

/// What a collective computes, with its functions looked up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Computation {
    Reduce(Combine),
    InclusiveScan(Combine),
    ExclusiveScan(Combine),
    /// The register with the position of the work-item that gives its contribution.
    Broadcast(Register),
    Any,
    All,
}

/// How contributions are combined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combine {
    pub(super) function: BinaryFunction,
    pub(super) identity: Cell,
}

impl Combine {
    /// The function and identity of an operator; `None` if it does not take the dtype.
    pub(super) fn new(operator: CombineOperator, dtype: DType) -> Option<Self> {
        Some(Self {
            function: super::number::binary_function(operator.binary(), dtype)?,
            identity: super::number::identity(operator, dtype)?,
        })
    }
}
