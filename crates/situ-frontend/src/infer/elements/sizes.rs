//! Sizes that are known to be the same whenever they are asked for.
//!
//! Loops over arrays of equal shapes are simpler than those for shapes that may broadcast, so equality is worth proving.
//! A size is brought to a *form*: a sum of multiples of things that never change (sizes and numbers that were passed). What
//! a variable holds has a form if everything that is ever assigned to it has the same one. That is assumed when the first
//! assignment is met and checked by all others; an assumption that fails is dropped for good, and the function is walked
//! again.

use std::collections::BTreeMap;

use situ_ir::{BinaryOperator as Ir, DType, Literal};

use super::SizeBound;
use crate::infer::Inference;
use crate::typed::{ArrayId, ArrayOrigin, Expression, ExpressionKind, ParameterId, VariableId};

/// A sum of multiples of atoms, and of a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::infer) struct Form {
    terms: BTreeMap<Atom, i64>,
    constant: i64,
}

/// Something that stays what it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    Size(ArrayId, usize),
    Stride(ArrayId, usize),
    Parameter(ParameterId),
    Greater(Form, Form),
    Less(Form, Form),
    Product(Form, Form),
    Quotient(Form, Form),
}

impl Form {
    fn of(atom: Atom) -> Self {
        Self {
            terms: BTreeMap::from([(atom, 1)]),
            constant: 0,
        }
    }

    fn constant(constant: i64) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// This form and so many times another.
    fn plus(mut self, other: Self, times: i64) -> Option<Self> {
        let added = other.constant.checked_mul(times)?;
        self.constant = self.constant.checked_add(added)?;
        for (atom, count) in other.terms {
            let entry = self.terms.entry(atom).or_insert(0);
            *entry = entry.checked_add(count.checked_mul(times)?)?;
        }
        self.terms.retain(|_, count| *count != 0);
        Some(self)
    }

    fn times(self, factor: i64) -> Option<Self> {
        Self::default().plus(self, factor)
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Whether it cannot be negative: a sum of sizes.
    fn is_count(&self) -> bool {
        let is_size = |(atom, count): (&Atom, &i64)| match atom {
            Atom::Size(..) => *count > 0,
            Atom::Greater(one, other) => *count > 0 && (one.is_count() || other.is_count()),
            _ => false,
        };
        self.constant >= 0 && self.terms.iter().all(is_size)
    }
}

impl Inference<'_, '_, '_> {
    /// Whether two sizes are known to be the same.
    pub(super) fn is_same_size(&self, one: &Expression, other: &Expression) -> bool {
        super::places::is_same(one, other)
            || self
                .form(one)
                .is_some_and(|one| self.form(other).is_some_and(|other| one == other))
    }

    /// Whether a number depends on nothing but what was passed.
    pub(super) fn is_fixed(&self, number: &Expression) -> bool {
        self.form(number).is_some()
    }

    /// Notes what a slot holds.
    pub(in crate::infer) fn note_slot(&mut self, value: &Expression, reference: &Expression) {
        if let ExpressionKind::Slot(slot) = reference.kind {
            let bound = self.size_bound(value);
            self.slot_bounds.insert(slot, bound);
            if let Some(form) = self.form(value) {
                self.slot_forms.insert(slot, form);
            }
        }
    }

    /// Notes that a variable is assigned something.
    pub(in crate::infer) fn note_assigned(&mut self, variable: VariableId, value: &Expression) {
        if !self.writes_out_arrays() {
            return;
        }
        // What some path does not assign is zero there.
        let is_certain = !self
            .uncertain
            .contains(self.variables[variable.0].name.as_str());
        let is_size = value.dtype == DType::I64 && is_certain;
        let form = is_size.then(|| self.form(value)).flatten();
        let known = self.variable_forms.get(&variable);
        if known == Some(&form) || known == Some(&None) {
            return;
        }
        // Two values that differ have no form in common.
        let form = if known.is_none() { form } else { None };
        self.variable_forms.insert(variable, form);
        self.has_changed = true;
    }

    /// Notes that a variable is assigned in a way that nothing is known of.
    pub(in crate::infer) fn note_unknown(&mut self, variable: VariableId) {
        if self.writes_out_arrays() && self.variable_forms.get(&variable) != Some(&None) {
            self.variable_forms.insert(variable, None);
            self.has_changed = true;
        }
    }

    /// A size in terms of what was passed, for whoever calls.
    pub(super) fn form_bound(&self, size: &Expression) -> Option<SizeBound> {
        self.bound_of(&self.form(size)?)
    }

    fn bound_of(&self, form: &Form) -> Option<SizeBound> {
        let mut terms = Vec::new();
        for (atom, count) in &form.terms {
            let bound = match atom {
                Atom::Size(array, axis) => {
                    let array = self.array(*array);
                    match array.origin {
                        ArrayOrigin::Parameter { .. } => SizeBound::Axis(array.name.clone(), *axis),
                        _ => return None,
                    }
                }
                Atom::Parameter(id) => SizeBound::Number(self.parameters[id.0].name.clone()),
                // The greater of a size and zero is the size, and the lesser of two sizes either.
                Atom::Greater(one, _) | Atom::Less(one, _) => self.bound_of(one)?,
                Atom::Product(one, other) => {
                    let [one, other] = [self.bound_of(one)?, self.bound_of(other)?].map(Box::new);
                    SizeBound::Product(one, other)
                }
                Atom::Stride(..) | Atom::Quotient(..) => return None,
            };
            terms.push((*count, bound));
        }
        Some(match terms.as_slice() {
            [] => SizeBound::Constant(form.constant),
            [(1, only)] => only.clone(),
            _ => SizeBound::Sum(terms),
        })
    }

    fn form(&self, size: &Expression) -> Option<Form> {
        match &size.kind {
            ExpressionKind::Literal(Literal::I64(value)) => Some(Form::constant(*value)),
            ExpressionKind::Shape { array, axis } => Some(Form::of(Atom::Size(*array, *axis))),
            ExpressionKind::Stride { array, axis } => Some(Form::of(Atom::Stride(*array, *axis))),
            ExpressionKind::Parameter(id) if size.dtype == DType::I64 => {
                Some(Form::of(Atom::Parameter(*id)))
            }
            ExpressionKind::Slot(slot) => self.slot_forms.get(slot).cloned(),
            ExpressionKind::Variable(variable) => {
                self.variable_forms.get(variable).cloned().flatten()
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => binary(*operator, self.form(left)?, self.form(right)?),
            _ => None,
        }
    }
}

fn binary(operator: Ir, left: Form, right: Form) -> Option<Form> {
    match operator {
        Ir::Add => left.plus(right, 1),
        Ir::Subtract => left.plus(right, -1),
        Ir::Multiply => match (left.as_constant(), right.as_constant()) {
            (Some(factor), _) => right.times(factor),
            (_, Some(factor)) => left.times(factor),
            _ => Some(Form::of(Atom::Product(
                left.clone().min(right.clone()),
                left.max(right),
            ))),
        },
        Ir::Maximum if right == Form::default() && left.is_count() => Some(left),
        Ir::Maximum => Some(Form::of(Atom::Greater(left, right))),
        Ir::Minimum => Some(Form::of(Atom::Less(left, right))),
        Ir::FloorDivide => Some(Form::of(Atom::Quotient(left, right))),
        _ => None,
    }
}
