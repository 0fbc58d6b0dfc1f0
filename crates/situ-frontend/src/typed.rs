//! A function whose every expression has a dtype.
//!
//! [`crate::infer`] makes it from the syntax tree: names are resolved, conversions are explicit,
//! library functions are replaced by what they compute, and nothing is left that could be wrong.
//! [`crate::lower`] writes it down as IR. Evaluation is Python's: from left to right, each operand
//! once, and only what `and`, `or` and conditional expressions need.

use situ_ir::{
    AddressSpace, AtomicOperation, BinaryOperator, CollectiveScope, CombineOperator, DType,
    Literal, MathFunction, MemoryOrder, MemoryScope, MemorySpaces, Source, Span, UnaryOperator,
    WorkItemQuery,
};

use crate::plan::Layout;

/// A kernel or device function for one list of argument types.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Dimensions of the ranges that the work-item functions used here need, at least 1.
    pub(crate) dims: u8,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variables: Vec<Variable>,
    /// Array parameters and declared arrays.
    pub(crate) arrays: Vec<Array>,
    pub(crate) body: Vec<Statement>,
    pub(crate) result: FunctionResult,
    /// Whether its spans point into the kernel's source.
    pub(crate) has_kernel_source: bool,
    /// The array that messages are written to: its last parameter, if there is one.
    pub(crate) report: Option<ArrayId>,
    /// Whether its body takes the place of each call, because work-items meet in it.
    pub(crate) is_inlined: bool,
    /// How many bodies take the places of calls in it, those in these bodies included.
    pub(crate) inlined_bodies: usize,
    /// Where it is written.
    pub(crate) source: Source,
    /// How many slots there are.
    pub(crate) slot_count: usize,
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FunctionResult {
    Nothing,
    Number(DType),
    /// The numbers of a tuple, those of tuples in it included, from left to right.
    Tuple(Vec<DType>),
}

/// A parameter as the user wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) kind: ParameterKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterKind {
    Scalar {
        dtype: DType,
        /// Where it is copied to at the start, if the function assigns it.
        variable: Option<VariableId>,
    },
    Array(ArrayId),
    /// Known when compiling, so nothing is passed: an index object, a constant, a dtype.
    Nothing,
}

/// Position in [`Function::parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ParameterId(pub(crate) usize);

/// Position in [`Function::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VariableId(pub(crate) usize);

/// Position in [`Function::arrays`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArrayId(pub(crate) usize);

/// Position in the list of specialised device functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FunctionId(pub(crate) usize);

impl FunctionId {
    /// The function that the call is in.
    pub(crate) const ITSELF: Self = Self(usize::MAX);
}

/// Something computed once inside of an expression; unique in the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlotId(pub(crate) usize);

/// A scalar variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) dtype: DType,
}

/// Elements that can be indexed.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    pub(crate) ndim: usize,
    pub(crate) space: AddressSpace,
    pub(crate) origin: ArrayOrigin,
}

#[derive(Clone, Debug)]
pub(crate) enum ArrayOrigin {
    /// Passed by the caller, with its shape and strides.
    Parameter { layout: Layout },
    /// Declared here, with a shape known at compile time.
    Declared { shape: Vec<u64>, span: Span },
    /// All elements of another array in one dimension, counted from its element `[0, ..., 0]` as they
    /// lie in memory. Views are made of it.
    Flat { of: ArrayId },
}

impl Array {
    /// Whether this was declared with the same shape and dtype as another one.
    pub(crate) fn is_declared_as(&self, other: &Self) -> bool {
        let is_same_shape = match (&self.origin, &other.origin) {
            (
                ArrayOrigin::Declared { shape: own, .. },
                ArrayOrigin::Declared { shape: other, .. },
            ) => own == other,
            _ => false,
        };
        is_same_shape && self.dtype == other.dtype && self.space == other.space
    }
}

impl Function {
    /// Where a body returns before its end.
    pub(crate) fn early_return(body: &[Statement]) -> Option<Span> {
        let (last, others) = body.split_last()?;
        let early = others.iter().find_map(Statement::return_inside);
        early.or_else(|| match &last.kind {
            StatementKind::Return(_) | StatementKind::ReturnTuple(_) => None,
            StatementKind::If { accept, reject, .. } => {
                Self::early_return(accept).or_else(|| Self::early_return(reject))
            }
            _ => last.return_inside(),
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Assign {
        variable: VariableId,
        value: Expression,
    },
    /// Evaluates now; later expressions refer to the result by the slot.
    Bind {
        slot: SlotId,
        value: Expression,
    },
    Store {
        array: ArrayId,
        indices: Vec<Expression>,
        value: Expression,
    },
    If {
        condition: Expression,
        accept: Vec<Statement>,
        reject: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
    For(ForRange),
    Parallel(Parallel),
    Break,
    Continue,
    Return(Option<Expression>),
    /// Returns the numbers of a tuple.
    ReturnTuple(Vec<Expression>),
    /// Calls a function that returns a tuple; later expressions refer to its numbers by the slots.
    CallTuple {
        call: Call,
        slots: Vec<SlotId>,
    },
    /// Ends the work-item after a failed assertion, where others do not wait for it.
    GiveUp,
    /// Evaluated for its effect.
    Evaluate(Expression),
    Call(Call),
    Atomic(Box<Atomic>),
    Barrier(MemorySpaces),
    Fence {
        order: MemoryOrder,
        scope: MemoryScope,
    },
    /// Writes 0 to each of the elements of a declared array.
    FillZeros {
        array: ArrayId,
        length: u64,
    },
}

/// `for variable in range(start, stop, step)`, all `int64`.
#[derive(Clone, Debug)]
pub(crate) struct ForRange {
    pub(crate) variable: VariableId,
    pub(crate) start: Expression,
    pub(crate) stop: Expression,
    pub(crate) step: Step,
    pub(crate) body: Vec<Statement>,
}

/// Rounds that may run at the same time.
#[derive(Clone, Debug)]
pub(crate) struct Parallel {
    pub(crate) count: Expression,
    /// The number of the round, and that of the worker that runs it.
    pub(crate) index: VariableId,
    pub(crate) worker: VariableId,
    pub(crate) body: Vec<Statement>,
}

/// How a `for` loop counts.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// By a constant that is not zero.
    Constant(i64),
    /// By a number known only when the loop starts; zero repeats nothing.
    Dynamic(Expression),
}

/// A scalar expression.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) dtype: DType,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Literal(Literal),
    Parameter(ParameterId),
    Variable(VariableId),
    Slot(SlotId),
    /// The size of an array along an axis.
    Shape {
        array: ArrayId,
        axis: usize,
    },
    /// The stride of an array parameter along an axis, in elements.
    Stride {
        array: ArrayId,
        axis: usize,
    },
    WorkItem(WorkItemQuery),
    Unary {
        operator: UnaryOperator,
        operand: Box<Expression>,
    },
    Binary {
        operator: BinaryOperator,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Math {
        function: MathFunction,
        arguments: Vec<Expression>,
    },
    Cast(Box<Expression>),
    /// The same bits in another dtype.
    Bitcast(Box<Expression>),
    /// Only the chosen side is evaluated.
    Conditional {
        condition: Box<Expression>,
        accept: Box<Expression>,
        reject: Box<Expression>,
    },
    /// `and` / `or`: the right side is evaluated only if the left one does not decide.
    Logical {
        is_and: bool,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Complex {
        real: Box<Expression>,
        imaginary: Box<Expression>,
    },
    Element {
        array: ArrayId,
        indices: Vec<Expression>,
    },
    /// An index along an axis of a view, which must be less than a size. Only where bounds are checked.
    Bounded {
        index: Box<Expression>,
        size: Box<Expression>,
    },
    /// Where a view starts. Only where bounds are checked: an index in `offset` that does not exist is
    /// reported when the view is made.
    ViewStart {
        array: ArrayId,
        offset: Box<Expression>,
    },
    /// `value` is evaluated once; `body` refers to it by the slot.
    Let {
        slot: SlotId,
        value: Box<Expression>,
        body: Box<Expression>,
    },
    Call(Call),
    /// One number of the tuple that a function returns.
    CallItem {
        call: Call,
        /// Counted as in [`FunctionResult::Tuple`].
        item: usize,
    },
    /// What all work-items of a group compute together.
    Collective(Box<Collective>),
    Atomic(Box<Atomic>),
    /// Whether a compare-exchange found what it expected; if not, what it found is stored.
    CompareExchange(Box<CompareExchange>),
}

/// A call of a device function.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: FunctionId,
    pub(crate) arguments: Vec<Argument>,
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Scalar(Expression),
    Array(ArrayId),
    View(View),
    /// Known when compiling.
    Nothing,
}

/// Some of the elements of an array.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The array as one dimension ([`ArrayOrigin::Flat`]).
    pub(crate) flat: ArrayId,
    /// Where the first element is.
    pub(crate) offset: Expression,
    /// How many elements there are along each axis.
    pub(crate) shape: Vec<Expression>,
    /// How far apart they are, in elements.
    pub(crate) strides: Vec<Expression>,
}

/// A computation in which all work-items of a group take part.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    pub(crate) kind: CollectiveKind,
    pub(crate) scope: CollectiveScope,
    /// What this work-item contributes.
    pub(crate) operand: Expression,
}

#[derive(Clone, Debug)]
pub(crate) enum CollectiveKind {
    Reduce(CombineOperator),
    InclusiveScan(CombineOperator),
    ExclusiveScan(CombineOperator),
    /// From the work-item at this position.
    Broadcast(Expression),
    Any,
    All,
}

/// An indivisible access to one element.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) operation: AtomicOperation,
    pub(crate) array: ArrayId,
    pub(crate) indices: Vec<Expression>,
    pub(crate) operand: Option<Expression>,
    pub(crate) expected: Option<Expression>,
    pub(crate) order: MemoryOrder,
    pub(crate) scope: MemoryScope,
}

/// An atomic whose expected content is an element of an array.
#[derive(Clone, Debug)]
pub(crate) struct CompareExchange {
    /// Without an expected content of its own.
    pub(crate) atomic: Atomic,
    /// Where the expected content is, and where the one that was found goes.
    pub(crate) expected: ArrayId,
    pub(crate) expected_index: Expression,
}

impl Statement {
    /// Where this, or a statement inside of it, returns.
    fn return_inside(&self) -> Option<Span> {
        let among = |body: &[Self]| body.iter().find_map(Self::return_inside);
        match &self.kind {
            StatementKind::Return(_) | StatementKind::ReturnTuple(_) => Some(self.span),
            StatementKind::If { accept, reject, .. } => among(accept).or_else(|| among(reject)),
            StatementKind::While { body, .. } => among(body),
            StatementKind::For(loop_) => among(&loop_.body),
            _ => None,
        }
    }
}

impl Expression {
    pub(crate) fn new(kind: ExpressionKind, dtype: DType, span: Span) -> Self {
        Self { kind, dtype, span }
    }

    pub(crate) fn literal(literal: Literal, span: Span) -> Self {
        Self::new(ExpressionKind::Literal(literal), literal.dtype(), span)
    }

    /// Whether evaluating this costs nothing, so that it may be written twice.
    pub(crate) fn is_trivial(&self) -> bool {
        match &self.kind {
            ExpressionKind::Literal(_)
            | ExpressionKind::Parameter(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Slot(_)
            | ExpressionKind::Shape { .. }
            | ExpressionKind::Stride { .. }
            | ExpressionKind::WorkItem(_) => true,
            ExpressionKind::Cast(operand) | ExpressionKind::Bitcast(operand) => {
                operand.is_trivial()
            }
            _ => false,
        }
    }

    /// Calls `visit` with this expression and all expressions inside of it.
    pub(crate) fn for_each<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match &self.kind {
            ExpressionKind::Literal(_)
            | ExpressionKind::Parameter(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Slot(_)
            | ExpressionKind::Shape { .. }
            | ExpressionKind::Stride { .. }
            | ExpressionKind::WorkItem(_) => {}
            ExpressionKind::Unary { operand, .. }
            | ExpressionKind::Cast(operand)
            | ExpressionKind::Bitcast(operand)
            | ExpressionKind::ViewStart {
                offset: operand, ..
            } => {
                operand.for_each(visit);
            }
            ExpressionKind::Bounded { index, size } => {
                index.for_each(visit);
                size.for_each(visit);
            }
            ExpressionKind::Binary { left, right, .. }
            | ExpressionKind::Logical { left, right, .. } => {
                left.for_each(visit);
                right.for_each(visit);
            }
            ExpressionKind::Complex { real, imaginary } => {
                real.for_each(visit);
                imaginary.for_each(visit);
            }
            ExpressionKind::Conditional {
                condition,
                accept,
                reject,
            } => {
                condition.for_each(visit);
                accept.for_each(visit);
                reject.for_each(visit);
            }
            ExpressionKind::Math { arguments, .. } => {
                for each in arguments {
                    each.for_each(visit);
                }
            }
            ExpressionKind::Element { indices, .. } => {
                for each in indices {
                    each.for_each(visit);
                }
            }
            ExpressionKind::Let { value, body, .. } => {
                value.for_each(visit);
                body.for_each(visit);
            }
            ExpressionKind::Call(call) | ExpressionKind::CallItem { call, .. } => {
                call.for_each_expression(visit);
            }
            ExpressionKind::Collective(collective) => {
                collective.operand.for_each(visit);
                if let CollectiveKind::Broadcast(position) = &collective.kind {
                    position.for_each(visit);
                }
            }
            ExpressionKind::Atomic(atomic) => atomic.for_each_expression(visit),
            ExpressionKind::CompareExchange(exchange) => {
                exchange.expected_index.for_each(visit);
                exchange.atomic.for_each_expression(visit);
            }
        }
    }

    fn any(&self, holds: impl Fn(&Self) -> bool) -> bool {
        let mut found = false;
        self.for_each(&mut |each| found |= holds(each));
        found
    }

    /// Whether evaluating this reads memory, or does something that must not happen needlessly.
    pub(crate) fn needs_guard(&self) -> bool {
        self.any(|each| {
            matches!(
                each.kind,
                ExpressionKind::Element { .. } | ExpressionKind::ViewStart { .. }
            ) || each.is_effect()
        })
    }

    /// Whether this itself changes memory or waits for others.
    pub(crate) fn is_effect(&self) -> bool {
        matches!(
            self.kind,
            ExpressionKind::Call(_)
                | ExpressionKind::CallItem { .. }
                | ExpressionKind::Collective(_)
                | ExpressionKind::Atomic(_)
                | ExpressionKind::CompareExchange(_)
        )
    }

    /// Whether evaluating this may change memory.
    pub(crate) fn has_effects(&self) -> bool {
        self.any(Self::is_effect)
    }

    /// Whether lowering this appends statements, so that it cannot be a loop's condition.
    pub(crate) fn appends_statements(&self) -> bool {
        self.any(|each| match &each.kind {
            _ if each.is_effect() => true,
            ExpressionKind::Let { .. }
            | ExpressionKind::Bounded { .. }
            | ExpressionKind::ViewStart { .. } => true,
            ExpressionKind::Logical { right, .. } => right.needs_guard(),
            ExpressionKind::Conditional { accept, reject, .. } => {
                accept.needs_guard() || reject.needs_guard()
            }
            _ => false,
        })
    }
}

impl Call {
    pub(crate) fn for_each_expression<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        for argument in &self.arguments {
            argument.for_each_expression(visit);
        }
    }
}

impl Argument {
    /// Calls `visit` with the numbers that are passed, and all expressions inside of them.
    pub(crate) fn for_each_expression<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Scalar(expression) => expression.for_each(visit),
            Self::View(view) => {
                for part in view.parts() {
                    part.for_each(visit);
                }
            }
            Self::Array(_) | Self::Nothing => {}
        }
    }
}

impl View {
    /// The offset, the sizes and the strides.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Expression> {
        let sizes = self.shape.iter().chain(&self.strides);
        std::iter::once(&self.offset).chain(sizes)
    }
}

impl Atomic {
    pub(crate) fn for_each_expression<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        let operands = self.operand.iter().chain(&self.expected);
        for each in self.indices.iter().chain(operands) {
            each.for_each(visit);
        }
    }
}
