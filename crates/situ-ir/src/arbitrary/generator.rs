//! What the parts of the generator share: the function under construction and what is in reach.

use super::Flavour;
use super::functions::DeviceFunction;
use super::random::Random;
use crate::arena::Handle;
use crate::builder::FunctionBuilder;
use crate::dtype::DType;
use crate::expression::{Expression, WorkItemQuery};
use crate::module::{Module, Variable};
use crate::statement::AtomicOperation;

/// An expression.
pub(super) type Node = Handle<Expression>;

/// Elements that may be read at any index, now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readable {
    pub(super) pointer: Node,
    pub(super) dtype: DType,
    /// The lowest index; negative for a pointer into the middle of a buffer.
    pub(super) first: i64,
    pub(super) length: i64,
    /// Whether all work-items of a group see the same elements.
    pub(super) is_shared: bool,
    /// Whether nothing writes here while the function runs.
    pub(super) is_constant: bool,
}

/// A buffer in which each work-item has slots of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub(super) pointer: Node,
    pub(super) dtype: DType,
    pub(super) slots: i64,
}

/// Elements that everybody changes with atomics that commute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    pub(super) pointer: Node,
    pub(super) dtype: DType,
    pub(super) length: i64,
    /// Operations that can be done in any order.
    pub(super) operations: &'static [AtomicOperation],
}

/// Memory that a stage fills: each work-item its own slots, then everybody reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) pointer: Node,
    pub(super) dtype: DType,
    pub(super) slots: i64,
    pub(super) is_local: bool,
    /// Whether a stage is using it.
    pub(super) is_open: bool,
}

/// A variable in reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) variable: Handle<Variable>,
    pub(super) dtype: DType,
    /// Kept the same for all work-items of a group.
    pub(super) is_uniform: bool,
    /// Loop counters are not, or loops would not end.
    pub(super) is_assignable: bool,
}

/// A value or an expression that later statements of the block may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub(super) node: Node,
    pub(super) dtype: DType,
    pub(super) is_uniform: bool,
}

/// How control flow can be left or joined at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// All work-items of the group are here together, so that they can meet.
    pub(super) is_uniform: bool,
    /// How many more levels of nesting to allow.
    pub(super) depth: u32,
    /// In a loop, whether work-items may leave it each for itself.
    pub(super) in_loop: Option<LoopKind>,
    /// Whether a work-item may end the function here for itself.
    pub(super) may_return: bool,
}

/// How work-items run a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopKind {
    /// All together, so that they can meet in it.
    Together,
    /// Each for itself.
    Apart,
}

impl Context {
    /// The context of a nested block.
    pub(super) fn nested(self) -> Self {
        Self {
            depth: self.depth.saturating_sub(1),
            ..self
        }
    }

    /// The context where work-items may be without the others.
    pub(super) fn apart(self) -> Self {
        Self {
            is_uniform: false,
            // A loop that all must leave together cannot be left from here.
            in_loop: self.in_loop.filter(|kind| *kind == LoopKind::Apart),
            ..self
        }
    }
}

/// Sizes of the launch, and which features the program may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) flavour: Flavour,
    pub(super) dims: u8,
    pub(super) work_items: i64,
    pub(super) group_size: i64,
    pub(super) uses_groups: bool,
    pub(super) uses_sub_groups: bool,
}

/// A function under construction.
pub(super) struct Generator<'a> {
    pub(super) random: &'a mut Random,
    pub(super) f: FunctionBuilder,
    pub(super) module: &'a Module,
    pub(super) functions: &'a [DeviceFunction],
    pub(super) plan: Plan,
    pub(super) is_kernel: bool,
    pub(super) scalars: Vec<(Node, DType)>,
    pub(super) readable: Vec<Readable>,
    pub(super) private: Vec<Readable>,
    pub(super) outputs: Vec<Owned>,
    pub(super) approximations: Vec<Owned>,
    pub(super) counters: Vec<Counters>,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) variables: Vec<Slot>,
    /// Values in scope, a list for each open block.
    pub(super) scopes: Vec<Vec<Named>>,
    /// What a device function returns.
    pub(super) result: Option<DType>,
    /// How many more statements to make.
    pub(super) budget: u32,
    pub(super) names: u32,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        random: &'a mut Random,
        f: FunctionBuilder,
        module: &'a Module,
        functions: &'a [DeviceFunction],
        plan: Plan,
        budget: u32,
    ) -> Self {
        let is_kernel = f.function().is_kernel();
        Self {
            random,
            f,
            module,
            functions,
            plan,
            is_kernel,
            scalars: Vec::new(),
            readable: Vec::new(),
            private: Vec::new(),
            outputs: Vec::new(),
            approximations: Vec::new(),
            counters: Vec::new(),
            exchanges: Vec::new(),
            variables: Vec::new(),
            scopes: vec![Vec::new()],
            result: None,
            budget,
            names: 0,
        }
    }

    /// A new name.
    pub(super) fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    pub(super) fn dtype(&mut self) -> DType {
        self.random.pick(&DType::ALL)
    }

    /// Makes an expression available to the rest of the block.
    pub(super) fn remember(&mut self, node: Node, is_uniform: bool) {
        let dtype = self.f.dtype_of(node);
        let named = Named {
            node,
            dtype,
            is_uniform,
        };
        self.scopes.last_mut().expect("a scope is open").push(named);
    }

    /// `index + constant`; nothing is added for 0.
    pub(super) fn shifted(&mut self, index: Node, by: i64) -> Node {
        if by == 0 {
            return index;
        }
        let by = self.f.index(by);
        self.f.add(index, by)
    }

    /// The position of one of the work-item's own slots in a buffer.
    pub(super) fn own_slot(&mut self, linear: WorkItemQuery, slots: i64) -> Node {
        let linear = self.f.work_item(linear);
        let slot = self.random.below(slots as usize) as i64;
        self.slot_of(linear, slots, slot)
    }

    /// `linear * slots + slot`.
    pub(super) fn slot_of(&mut self, linear: Node, slots: i64, slot: i64) -> Node {
        let count = self.f.index(slots);
        let start = self.f.multiply(linear, count);
        self.shifted(start, slot)
    }
}
