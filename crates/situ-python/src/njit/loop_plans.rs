//! How loops over `prange` are launched: found once for each kind of arrays.
//!
//! Which statements a kernel of the rounds consists of follows from the dtypes and ranks of what its names stand for, and
//! from which arrays share memory. A loop that is reached again with the same of these is launched at once.

use std::sync::{Arc, PoisonError};

use pyo3::prelude::*;
use situ_array::Array;
use situ_frontend::host::{
    Accumulator, Meanings as _, ValueType, accumulators, assigned_names, copies, read_names,
    with_element_loops,
};
use situ_frontend::syntax::{Expression, Statement};
use situ_ir::Span;

use super::machine::Machine;
use super::pieces::{has_type, is_loop};
use super::value::Value;

/// What becomes of a loop, for names of some types.
pub(super) struct LoopPlan {
    types: Vec<(String, Option<ValueType>)>,
    /// Which of these names stand for arrays that share memory.
    overlaps: Vec<(usize, usize)>,
    pub(super) rounds: Rounds,
}

/// How the rounds of a loop run.
pub(super) enum Rounds {
    /// As a kernel.
    Kernel(KernelRounds),
    /// One after the other, because of what stands here.
    InTurn(Span),
}

/// Rounds that are a kernel.
pub(super) struct KernelRounds {
    /// What a round does, with parts of arrays written out as loops.
    pub(super) body: Vec<Statement>,
    pub(super) accumulators: Vec<Accumulator>,
    /// The names that are passed.
    pub(super) names: Vec<String>,
    /// Whether a round may be a lot of work.
    pub(super) has_loops: bool,
}

impl<'a> Machine<'a, '_> {
    /// What becomes of a loop now.
    pub(super) fn loop_plan(
        &self,
        statement: &'a Statement,
        counter: &'a Expression,
        body: &'a [Statement],
    ) -> PyResult<Arc<LoopPlan>> {
        let known = self.function.loop_plans.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let plans = known.get(&statement.span).map(Vec::as_slice);
        let mut plans = plans.unwrap_or_default().iter();
        if let Some(found) = plans.find(|plan| self.fits(plan)) {
            return Ok(Arc::clone(found));
        }
        drop(known);
        let plan = Arc::new(self.plan_loop(statement, counter, body)?);
        let known = self.function.loop_plans.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let plans = known.entry(statement.span).or_default();
        plans.push(Arc::clone(&plan));
        Ok(plan)
    }

    fn fits(&self, plan: &LoopPlan) -> bool {
        let mut types = plan.types.iter();
        let have_types = types.all(|(name, ty)| match self.names.get(name) {
            Some(value) => has_type(value, ty.as_ref()),
            None => ty.is_none(),
        });
        have_types && self.overlaps(&plan.types) == plan.overlaps
    }

    /// Which names stand for arrays that share memory, by position.
    fn overlaps(&self, names: &[(String, Option<ValueType>)]) -> Vec<(usize, usize)> {
        let mut arrays: Vec<(usize, Array)> = Vec::with_capacity(names.len());
        for (position, (name, _)) in names.iter().enumerate() {
            // What waits is nobody's memory yet.
            if let Some(Value::Array(array)) = self.names.get(name)
                && let Some(memory) = array.node.as_ready()
            {
                arrays.push((position, memory));
            }
        }
        let mut found = Vec::new();
        for (index, (one, left)) in arrays.iter().enumerate() {
            for (other, right) in &arrays[index + 1..] {
                if left.may_overlap(right) {
                    found.push((*one, *other));
                }
            }
        }
        found
    }

    fn plan_loop(
        &self,
        statement: &'a Statement,
        counter: &'a Expression,
        body: &'a [Statement],
    ) -> PyResult<LoopPlan> {
        let code: Vec<_> = self
            .called_functions(body)
            .into_iter()
            .chain(copies(body))
            .collect();
        let names = read_names(&code).into_iter().chain(assigned_names(&code));
        let mut types: Vec<(String, Option<ValueType>)> = names
            .map(|name| (name.to_owned(), self.names.get(name).and_then(Value::ty)))
            .collect();
        types.sort_by(|(one, _), (other, _)| one.cmp(other));
        types.dedup_by(|(one, _), (other, _)| one == other);
        let overlaps = self.overlaps(&types);
        let rounds = self.rounds(statement, counter, code)?;
        Ok(LoopPlan {
            types,
            overlaps,
            rounds,
        })
    }

    fn rounds(
        &self,
        statement: &Statement,
        counter: &Expression,
        mut body: Vec<Statement>,
    ) -> PyResult<Rounds> {
        let is_array = |name: &str| self.array(name).is_some();
        let accumulators = accumulators(counter, &body, &is_array);
        if !self.is_kernel_body(counter, &body, true)? {
            let names: Vec<_> = accumulators.iter().map(|each| each.name.clone()).collect();
            match with_element_loops(&body, &names, self) {
                Ok(written_out) => body = written_out,
                Err(refused) => return Ok(Rounds::InTurn(refused)),
            }
        }
        if !self.is_kernel_body(counter, &body, true)? || self.is_shared(&accumulators, &body) {
            return Ok(Rounds::InTurn(statement.span));
        }
        let names = read_names(&body).into_iter();
        let names = names.filter(|name| self.names.contains_key(*name));
        let names = names.map(str::to_owned).collect();
        Ok(Rounds::Kernel(KernelRounds {
            has_loops: body.iter().any(is_loop),
            body,
            accumulators,
            names,
        }))
    }

    /// Whether the rounds reach an array, with which they combine something, by another name, too.
    fn is_shared(&self, accumulators: &[Accumulator], body: &[Statement]) -> bool {
        accumulators.iter().any(|accumulator| {
            read_names(body)
                .into_iter()
                .any(|name| name != accumulator.name && self.may_overlap(name, &accumulator.name))
        })
    }
}
