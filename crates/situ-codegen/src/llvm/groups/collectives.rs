//! Collectives: what the work-items of a group compute together.
//!
//! Each work-item stores its contribution to a slot at the end of a region; then one loop goes over
//! the slots in the order of linear local ids. Sub-groups are runs of consecutive work-items, and
//! the loop goes over one after the other.

use situ_ir::{
    BinaryOperator, Collective, CollectiveOperation, CollectiveScope, CombineOperator, DType,
    Literal,
};

use super::storage::is_result_of_group;
use crate::error::Error;
use crate::llvm::body::Body;
use crate::llvm::operators;
use crate::llvm::places::{Slot, ValuePlace};
use crate::llvm::types::{literal, scalar_type};
use crate::llvm::writer::Operand;

/// How contributions are combined to a result.
#[derive(Clone, Copy)]
enum Fold {
    /// Everyone gets the combination of all.
    All(BinaryOperator),
    /// Everyone gets the combination of those up to and with itself.
    Inclusive(BinaryOperator),
    /// Everyone gets the combination of those before, the first one the identity.
    Exclusive(CombineOperator),
}

impl Body<'_, '_, '_> {
    /// Stores the running work-item's contribution.
    pub(super) fn contribute(
        &mut self,
        collective: &Collective,
        base: Operand,
    ) -> Result<(), Error> {
        self.computed.clear();
        let contribution = self.evaluate(collective.operand)?;
        let ty = self.info.type_of(collective.operand);
        self.store_slot(&Slot { base, ty }, &contribution);
        Ok(())
    }

    /// Computes the results from the contributions.
    pub(super) fn combine(
        &mut self,
        collective: &Collective,
        contributions: Operand,
    ) -> Result<(), Error> {
        let ty = self.info.type_of(collective.operand);
        let dtype = ty
            .scalar()
            .ok_or_else(|| self.broken("contributions are scalars"))?;
        let contributions = Slot {
            base: contributions,
            ty,
        };
        let results = match self.places.values[collective.result.index()].clone() {
            ValuePlace::Slot(slot) => Some(slot),
            _ => None,
        };
        let fold = match collective.operation {
            CollectiveOperation::Broadcast(position) => {
                let position = self.evaluate(position)?;
                return self.broadcast(collective, &position, &contributions, results.as_ref());
            }
            CollectiveOperation::Reduce(operator) => Fold::All(operator.binary()),
            CollectiveOperation::InclusiveScan(operator) => Fold::Inclusive(operator.binary()),
            CollectiveOperation::ExclusiveScan(operator) => Fold::Exclusive(operator),
            CollectiveOperation::Any => Fold::All(BinaryOperator::BitOr),
            CollectiveOperation::All => Fold::All(BinaryOperator::BitAnd),
        };
        if is_result_of_group(collective) {
            let items = self.launch()?.group_items.clone();
            let range = (&Operand::integer(0), &items);
            let result = self.fold(fold, dtype, range, &contributions, None)?;
            self.bind(collective.result, result);
            return Ok(());
        }
        let Some(results) = results else {
            // Nobody uses the result.
            return Ok(());
        };
        self.for_each_group_of(collective.scope, |body, range| {
            let result = body.fold(fold, dtype, range, &contributions, Some(&results))?;
            if let Fold::All(_) = fold {
                body.give_to_all(range, &results, &result)?;
            }
            Ok(())
        })
    }

    /// Repeats what `fill` writes for the work-group, or for each of its sub-groups; it gets the
    /// linear local id of the first work-item and the one after the last.
    fn for_each_group_of(
        &mut self,
        scope: CollectiveScope,
        fill: impl FnOnce(&mut Self, (&Operand, &Operand)) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let items = self.launch()?.group_items.clone();
        let zero = Operand::integer(0);
        if scope == CollectiveScope::WorkGroup {
            return fill(self, (&zero, &items));
        }
        let size = self.code.library.options.sub_group_size;
        let rounded = self
            .code
            .instruction(format_args!("add i64 {items}, {}", size - 1));
        let count = self
            .code
            .instruction(format_args!("udiv i64 {rounded}, {size}"));
        self.counted_loop("sub_groups", (&zero, &count), false, |body, number, _| {
            let first = body
                .code
                .instruction(format_args!("mul nuw nsw i64 {number}, {size}"));
            let end = body
                .code
                .instruction(format_args!("add nuw nsw i64 {first}, {size}"));
            let end = body.code.intrinsic("llvm.umin.i64", "i64", &[&end, &items]);
            fill(body, (&first, &end))
        })
    }

    /// Goes over contributions in order; gives the combination of all, and stores those of a scan.
    fn fold(
        &mut self,
        fold: Fold,
        dtype: DType,
        (first, end): (&Operand, &Operand),
        contributions: &Slot,
        results: Option<&Slot>,
    ) -> Result<Operand, Error> {
        let ty = scalar_type(dtype);
        let operator = match fold {
            Fold::All(operator) | Fold::Inclusive(operator) => operator,
            Fold::Exclusive(operator) => operator.binary(),
        };
        let total = self.stack_variable(dtype);
        let zero = literal(Literal::zero(dtype));
        self.store_scalar(dtype, &zero, &total, "");
        self.counted_loop("combine", (first, end), false, |body, item, _| {
            let contribution = body.load_slot_of(contributions, item);
            let before = body.load_scalar(dtype, &total, "");
            let combined =
                operators::binary(&mut body.code, operator, dtype, &before, &contribution)
                    .ok_or_else(|| body.broken("collectives combine with core operators"))?;
            let is_first = body.code.binary("icmp eq i64", item, first);
            let combined = body.code.select(ty, &is_first, &contribution, &combined);
            match (fold, results) {
                (Fold::Inclusive(_), Some(results)) => {
                    body.store_slot_of(results, item, &combined);
                }
                (Fold::Exclusive(operator), Some(results)) => {
                    let identity = literal(identity(operator, dtype));
                    let before = body.code.select(ty, &is_first, &identity, &before);
                    body.store_slot_of(results, item, &before);
                }
                _ => {}
            }
            body.store_scalar(dtype, &combined, &total, "");
            Ok(())
        })?;
        Ok(self.load_scalar(dtype, &total, ""))
    }

    fn give_to_all(
        &mut self,
        range: (&Operand, &Operand),
        results: &Slot,
        result: &Operand,
    ) -> Result<(), Error> {
        self.counted_loop("give", range, true, |body, item, _| {
            body.store_slot_of(results, item, result);
            Ok(())
        })
    }

    fn broadcast(
        &mut self,
        collective: &Collective,
        position: &Operand,
        contributions: &Slot,
        results: Option<&Slot>,
    ) -> Result<(), Error> {
        if is_result_of_group(collective) {
            let items = self.launch()?.group_items.clone();
            let from = self.wrapped(position, &items);
            let result = self.load_slot_of(contributions, &from);
            self.bind(collective.result, result);
            return Ok(());
        }
        let Some(results) = results else {
            return Ok(());
        };
        self.for_each_group_of(collective.scope, |body, range| {
            let (first, end) = range;
            let count = body.code.binary("sub i64", end, first);
            let from = body.wrapped(position, &count);
            let from = body.code.binary("add i64", first, &from);
            let result = body.load_slot_of(contributions, &from);
            body.give_to_all(range, results, &result)
        })
    }

    /// A position modulo a count, never negative.
    fn wrapped(&mut self, position: &Operand, count: &Operand) -> Operand {
        let remainder = self.code.binary("srem i64", position, count);
        let raised = self.code.binary("add i64", &remainder, count);
        let is_negative = self
            .code
            .instruction(format_args!("icmp slt i64 {remainder}, 0"));
        self.code.select("i64", &is_negative, &raised, &remainder)
    }
}

/// What changes nothing when it is combined.
fn identity(operator: CombineOperator, dtype: DType) -> Literal {
    match operator {
        CombineOperator::Add | CombineOperator::BitOr | CombineOperator::BitXor => {
            Literal::zero(dtype)
        }
        CombineOperator::Multiply => Literal::one(dtype),
        CombineOperator::BitAnd => Literal::from_bits(dtype, u128::MAX),
        // Infinity saturates to the largest integer.
        CombineOperator::Minimum => Literal::from_f64(dtype, f64::INFINITY),
        CombineOperator::Maximum => Literal::from_f64(dtype, f64::NEG_INFINITY),
    }
}
