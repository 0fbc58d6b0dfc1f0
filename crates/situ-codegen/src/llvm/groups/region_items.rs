//! A region as one work-item runs it.
//!
//! What the work-item left in the frame is taken out first and put back at the end, so that the
//! statements in between work on registers.

use std::collections::HashSet;

use situ_ir::{Handle, Literal, Statement, StatementKind, Variable};

use super::Group;
use super::regions::Region;
use super::storage::VariableStorage;
use crate::error::Error;
use crate::llvm::body::{Body, Exits};
use crate::llvm::places::{ValuePlace, VariablePlace};
use crate::llvm::types::literal;
use crate::llvm::writer::Label;

impl Group<'_, '_> {
    /// Writes a region for the running work-item.
    pub(super) fn item(
        &self,
        body: &mut Body<'_, '_, '_>,
        region: &Region<'_>,
        next: &Label,
    ) -> Result<(), Error> {
        if let Some(status) = &self.memory.status {
            let status = body.load_slot(status);
            let runs = body.code.label("runs");
            let is_running = body
                .code
                .instruction(format_args!("icmp eq i8 {status}, 0"));
            body.code.branch_if(&is_running, &runs, next);
            body.code.begin(&runs);
        }
        let end = body.code.label("item.end");
        body.exits = Exits::Item {
            end: end.clone(),
            status: self.memory.status.clone().filter(|_| region.leaves_status),
        };
        self.take_out(body, region);
        self.zero_region(body, region);
        for statement in region.statements {
            body.statement(statement)?;
        }
        if let (Some(collective), Some(base)) = (region.contribution, &self.memory.contributions) {
            body.contribute(collective, base.clone())?;
        }
        body.code.begin(&end);
        self.save(body, region);
        Ok(())
    }

    /// Loads what the work-item left in the frame, so that the region works on registers.
    fn take_out(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) {
        let names = &self.plan.regions[region.number];
        for value in &names.values {
            if let ValuePlace::Slot(slot) = &self.home.values[value.index()] {
                let loaded = body.load_slot(slot);
                body.places.values[value.index()] = ValuePlace::Register(loaded);
            }
        }
        for variable in &names.variables {
            if let VariablePlace::Slot(slot) = &self.home.variables[variable.index()] {
                let dtype = body.function.variables[*variable].dtype;
                let loaded = body.load_slot(slot);
                let place = body.stack_variable(dtype);
                body.store_scalar(dtype, &loaded, &place, "");
                body.places.variables[variable.index()] = VariablePlace::Stack(place);
            }
        }
    }

    /// Stores what the next regions need of the work-item's variables.
    fn save(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) {
        let assigned = assigned_variables(region);
        for variable in &self.plan.regions[region.number].variables {
            let home = &self.home.variables[variable.index()];
            let now = body.places.variables[variable.index()].clone();
            if let (VariablePlace::Slot(slot), VariablePlace::Stack(place)) = (home, now)
                && assigned.contains(variable)
            {
                let dtype = body.function.variables[*variable].dtype;
                let content = body.load_scalar(dtype, &place, "");
                body.store_slot(slot, &content);
            }
        }
    }

    /// From here on the frame is asked again.
    pub(super) fn put_back(&self, body: &mut Body<'_, '_, '_>) {
        for (place, home) in body.places.values.iter_mut().zip(&self.home.values) {
            if let ValuePlace::Slot(_) = home {
                place.clone_from(home);
            }
        }
        for (place, home) in body.places.variables.iter_mut().zip(&self.home.variables) {
            if let VariablePlace::Slot(_) = home {
                place.clone_from(home);
            }
        }
    }

    /// Gives the variables of one region their first content.
    fn zero_region(&self, body: &mut Body<'_, '_, '_>, region: &Region<'_>) {
        for (handle, variable) in body.function.variables.iter() {
            let is_fresh = matches!(
                self.plan.variables[handle.index()],
                VariableStorage::Region { number, needs_zero: true } if number == region.number
            );
            if let VariablePlace::Stack(place) = body.places.variables[handle.index()].clone()
                && is_fresh
            {
                let zero = literal(Literal::zero(variable.dtype));
                body.store_scalar(variable.dtype, &zero, &place, "");
            }
        }
    }
}

/// Whether a region only names what is computed where it is used.
pub(super) fn does_nothing(body: &Body<'_, '_, '_>, region: &Region<'_>) -> bool {
    region.contribution.is_none()
        && region
            .statements
            .iter()
            .all(|statement| match &statement.kind {
                StatementKind::Let { value, .. } => {
                    matches!(body.places.values[value.index()], ValuePlace::Expression(_))
                }
                StatementKind::Assign { variable, .. } => matches!(
                    body.places.variables[variable.index()],
                    VariablePlace::Expression(_)
                ),
                _ => false,
            })
}

/// The variables that a region assigns.
fn assigned_variables(region: &Region<'_>) -> HashSet<Handle<Variable>> {
    let mut assigned = HashSet::new();
    let mut visit = |statement: &Statement| {
        if let StatementKind::Assign { variable, .. } = &statement.kind {
            assigned.insert(*variable);
        }
    };
    for statement in region.statements {
        visit(statement);
        for block in statement.kind.blocks() {
            block.for_each_statement(&mut visit);
        }
    }
    assigned
}
