//! Where work-items of a group meet: barriers, collectives, and stages.
//!
//! In a *stage* every work-item writes its own slots of some memory, a barrier follows, then everybody
//! reads any of them, and another barrier ends the stage, so that the next one may write again.

use super::generator::{Context, Exchange, Generator, Readable};
use crate::dtype::DType;
use crate::expression::{BinaryOperator as Binary, WorkItemQuery as Query};
use crate::literal::Literal;
use crate::statement::{
    Atomic, AtomicOperation, CollectiveOperation, CollectiveScope, CombineOperator, MemoryOrder,
    MemoryScope, MemorySpaces,
};

impl Generator<'_> {
    pub(super) fn barrier(&mut self) {
        let spaces = self.random.pick(&[
            MemorySpaces::Local,
            MemorySpaces::Global,
            MemorySpaces::LocalAndGlobal,
        ]);
        self.f.barrier(spaces);
    }

    pub(super) fn collective(&mut self) {
        let scope = if self.plan.uses_sub_groups && self.random.chance(50) {
            CollectiveScope::SubGroup
        } else {
            CollectiveScope::WorkGroup
        };
        let (operation, dtype) = match self.random.below(6) {
            0 => (CollectiveOperation::Any, DType::Bool),
            1 => (CollectiveOperation::All, DType::Bool),
            2 => {
                let position = self.scalar(DType::I64, true, 1);
                (CollectiveOperation::Broadcast(position), self.dtype())
            }
            kind => {
                let operator = self.random.pick(&CombineOperator::ALL);
                let dtypes: Vec<_> = DType::ALL
                    .into_iter()
                    .filter(|dtype| combines(operator, *dtype))
                    .collect();
                let operation = match kind {
                    3 => CollectiveOperation::Reduce(operator),
                    4 => CollectiveOperation::InclusiveScan(operator),
                    _ => CollectiveOperation::ExclusiveScan(operator),
                };
                (operation, self.random.pick(&dtypes))
            }
        };
        let operand = self.scalar(dtype, false, 2);
        let result = self.f.collective(operation, scope, operand);
        let is_scan = matches!(
            operation,
            CollectiveOperation::InclusiveScan(_) | CollectiveOperation::ExclusiveScan(_)
        );
        self.remember(result, scope == CollectiveScope::WorkGroup && !is_scan);
    }

    /// Lets work-items see each other's numbers.
    pub(super) fn stage(&mut self, context: Context) {
        let free: Vec<_> = (0..self.exchanges.len())
            .filter(|position| !self.exchanges[*position].is_open)
            .collect();
        if free.is_empty() {
            return self.collective();
        }
        let position = self.random.pick(&free);
        let exchange = self.exchanges[position];
        self.exchanges[position].is_open = true;
        // The elements of the group: all of a local array, a part of a global buffer.
        let pointer = if exchange.is_local {
            exchange.pointer
        } else {
            let group = self.f.work_item(Query::GroupLinearId);
            let start = self.slot_of(group, self.plan.group_size * exchange.slots, 0);
            let offset = self.f.offset(exchange.pointer, start);
            let name = self.name("part");
            self.f.bind(name, offset)
        };
        let exchange = Exchange {
            pointer,
            ..exchange
        };
        let is_counted = exchange.is_local
            && matches!(
                exchange.dtype,
                DType::I32 | DType::I64 | DType::U32 | DType::U64
            )
            && self.random.chance(40);
        self.fill(exchange);
        if is_counted {
            self.meet(exchange);
            self.count_together(exchange);
        }
        self.meet(exchange);
        self.readable.push(Readable {
            pointer,
            dtype: exchange.dtype,
            first: 0,
            length: self.plan.group_size * exchange.slots,
            is_shared: true,
            is_constant: false,
        });
        let scopes = self.scopes.len();
        self.statements(Context {
            // A jump out of the stage would skip the barrier that ends it.
            in_loop: None,
            may_return: false,
            ..context.nested()
        });
        debug_assert_eq!(self.scopes.len(), scopes);
        self.readable.pop();
        self.meet(exchange);
        self.exchanges[position].is_open = false;
    }

    /// Writes the work-item's own slots.
    fn fill(&mut self, exchange: Exchange) {
        let linear = self.f.work_item(Query::LocalLinearId);
        for slot in 0..exchange.slots {
            let index = self.slot_of(linear, exchange.slots, slot);
            let value = self.scalar(exchange.dtype, false, 2);
            self.f.store(exchange.pointer, index, value);
        }
    }

    /// Changes elements of local memory with atomics that commute.
    fn count_together(&mut self, exchange: Exchange) {
        let operation = self.random.pick(&[
            AtomicOperation::Add,
            AtomicOperation::Minimum,
            AtomicOperation::Maximum,
            AtomicOperation::BitAnd,
            AtomicOperation::BitOr,
            AtomicOperation::BitXor,
        ]);
        let any = self.scalar(DType::I64, false, 1);
        let length = self.f.index(self.plan.group_size * exchange.slots);
        let index = self.f.binary(Binary::Modulo, any, length);
        let operand = self.scalar(exchange.dtype, false, 1);
        self.f.atomic(Atomic {
            operation,
            pointer: exchange.pointer,
            index,
            operand: Some(operand),
            expected: None,
            result: None,
            order: MemoryOrder::Relaxed,
            scope: MemoryScope::WorkGroup,
        });
    }

    /// A barrier for the memory of a stage.
    fn meet(&mut self, exchange: Exchange) {
        let own = if exchange.is_local {
            MemorySpaces::Local
        } else {
            MemorySpaces::Global
        };
        let spaces = self.random.pick(&[own, MemorySpaces::LocalAndGlobal]);
        self.f.barrier(spaces);
    }

    /// Counts the work-items of the group: every program with groups has at least one collective.
    pub(super) fn count_group(&mut self) {
        let one = self.f.literal(Literal::I32(1));
        let operation = CollectiveOperation::Reduce(CombineOperator::Add);
        let size = self
            .f
            .collective(operation, CollectiveScope::WorkGroup, one);
        self.remember(size, true);
    }
}

/// Whether a collective takes such contributions.
fn combines(operator: CombineOperator, dtype: DType) -> bool {
    let fits = operator.binary().result(dtype).is_some() && !dtype.is_bool();
    fits && !(operator == CombineOperator::Multiply && dtype.is_complex())
}
