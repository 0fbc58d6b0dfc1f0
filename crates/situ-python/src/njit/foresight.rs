//! What can be known to go wrong before the first statement runs.
//!
//! A call walks its statements, so that an error in the last line would be found after the first one has changed an
//! array. Before that, the whole function is looked through for what does not depend on values: names that nothing
//! defines, functions that cannot be called, and expressions that mix arrays of NumPy's and of situ's. The last is found
//! by following where arrays come from; what is not known for sure is left to the run.
//!
//! Dtypes, shapes and queues are not followed: the array library knows their rules, and tells when it is called.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use pyo3::prelude::*;
use pyo3::types::PyModule;
use situ_frontend::host::{Looped, assigned_names, is_made_name};
use situ_frontend::syntax::{
    Expression, ExpressionKind, Identifier, MessagePart, Statement, StatementKind,
};
use situ_ir::Span;

use super::calls::Callee;
use super::function::HostFunction;
use super::machine::Machine;
use super::value::{Origin, Value};
use crate::error::check_stack;
use crate::error::exceptions::KernelTypeError;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An array, and whose it is.
    Array(Origin),
    Tuple(Vec<Place>),
    /// A number, or something of which nothing is known.
    Unknown,
}

impl Place {
    fn of(value: &Value) -> Self {
        match value {
            Value::Array(array) => Self::Array(array.origin),
            Value::Tuple(items) => Self::Tuple(items.iter().map(Self::of).collect()),
            Value::Number(_) | Value::Object(_) => Self::Unknown,
        }
    }

    /// What is known if it may be either.
    fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Unknown }
    }

    fn for_each_array(&self, visit: &mut impl FnMut(Origin)) {
        match self {
            Self::Array(origin) => visit(*origin),
            Self::Tuple(items) => items.iter().for_each(|item| item.for_each_array(visit)),
            Self::Unknown => {}
        }
    }
}

impl Machine<'_, '_> {
    /// Looks through the function, once for each kind of arguments.
    ///
    /// # Errors
    /// What would go wrong whenever a line is reached.
    pub(super) fn foresee(&self) -> PyResult<()> {
        let parameters = self.function.syntax.parameters.iter();
        let places: Vec<_> = parameters
            .map(|parameter| match self.names.get(&parameter.name) {
                Some(value) => Place::of(value),
                None => Place::Unknown,
            })
            .collect();
        let known = self.function.foreseen.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        if known.contains(&places) {
            return Ok(());
        }
        drop(known);
        let home = self.home.as_ref().map(|home| home.origin);
        let mut open = Vec::new();
        look_through(self, places.clone(), home, &mut open)?;
        let known = self.function.foreseen.lock();
        known.unwrap_or_else(PoisonError::into_inner).push(places);
        Ok(())
    }
}

/// Looks through a function that is called with arguments from some places.
fn look_through(
    machine: &Machine<'_, '_>,
    places: Vec<Place>,
    home: Option<Origin>,
    open: &mut Vec<*const HostFunction>,
) -> PyResult<()> {
    let function: *const HostFunction = machine.function;
    if open.contains(&function) {
        return Ok(());
    }
    open.push(function);
    let syntax = &machine.function.syntax;
    let parameters = syntax.parameters.iter().map(|each| each.name.as_str());
    let mut own: BTreeSet<&str> = assigned_names(&syntax.body);
    own.extend(parameters.clone());
    let mut foresight = Foresight {
        machine,
        names: parameters.map(str::to_owned).zip(places).collect(),
        own,
        home,
        open,
    };
    let found = foresight.block(&syntax.body);
    open.pop();
    found
}

struct Foresight<'m, 'a, 'py> {
    machine: &'m Machine<'a, 'py>,
    names: BTreeMap<String, Place>,
    /// Names that the function itself gives a value.
    own: BTreeSet<&'m str>,
    /// Whose arrays new ones are.
    home: Option<Origin>,
    /// Functions that are being looked through.
    open: &'m mut Vec<*const HostFunction>,
}

impl Foresight<'_, '_, '_> {
    fn block(&mut self, body: &[Statement]) -> PyResult<()> {
        check_stack()?;
        for statement in body {
            self.statement(statement)
                .map_err(|error| self.machine.located(statement.span, error))?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> PyResult<()> {
        match &statement.kind {
            StatementKind::Assign { targets, value } => {
                let place = self.place(value)?;
                for target in targets {
                    self.assign(target, place.clone(), statement.span)?;
                }
                Ok(())
            }
            StatementKind::AugmentedAssign { target, value, .. } => {
                let left = self.place(target)?;
                let right = self.place(value)?;
                let span = target.span.join(value.span);
                let place = self.together(&[left, right], span)?;
                if let ExpressionKind::Name(name) = &target.kind {
                    self.names.insert(name.clone(), place);
                }
                Ok(())
            }
            StatementKind::If {
                test,
                accept,
                reject,
            } => {
                self.place(test)?;
                let before = self.names.clone();
                self.block(accept)?;
                let after = std::mem::replace(&mut self.names, before);
                self.block(reject)?;
                self.join(after);
                Ok(())
            }
            StatementKind::While { test, body } => self.rounds(body, |foresight| {
                foresight.place(test)?;
                Ok(())
            }),
            StatementKind::For {
                target,
                iterable,
                body,
            } => {
                let item = self.item_place(iterable)?;
                self.rounds(body, |foresight| {
                    foresight.assign(target, item.clone(), target.span)
                })
            }
            StatementKind::Return(Some(value)) | StatementKind::Expression(value) => {
                self.place(value).map(drop)
            }
            StatementKind::Assert { test, parts } => {
                self.place(test)?;
                self.parts(parts)
            }
            StatementKind::Print(parts) => self.parts(parts),
            StatementKind::Raise { class, parts } => {
                self.machine.function.global(self.machine.py, &class.name)?;
                self.parts(parts)
            }
            // A function inside is looked at when it is compiled.
            StatementKind::Function(_)
            | StatementKind::Return(None)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Pass => Ok(()),
        }
    }

    fn parts(&mut self, parts: &[MessagePart]) -> PyResult<()> {
        for value in parts.iter().filter_map(MessagePart::value) {
            self.place(value)?;
        }
        Ok(())
    }

    /// A loop: names that a round changes are not known in the next one.
    fn rounds(
        &mut self,
        body: &[Statement],
        begin: impl Fn(&mut Self) -> PyResult<()>,
    ) -> PyResult<()> {
        loop {
            let before = self.names.clone();
            begin(self)?;
            self.block(body)?;
            self.join(before.clone());
            if self.names == before {
                return Ok(());
            }
        }
    }

    /// What is known after one of two ways.
    fn join(&mut self, other: BTreeMap<String, Place>) {
        for (name, place) in other {
            let own = self.names.remove(&name).unwrap_or(Place::Unknown);
            self.names.insert(name, own.or(place));
        }
    }

    fn assign(&mut self, target: &Expression, place: Place, span: Span) -> PyResult<()> {
        match &target.kind {
            ExpressionKind::Name(name) => {
                self.names.insert(name.clone(), place);
                Ok(())
            }
            ExpressionKind::Tuple(targets) => {
                for (position, target) in targets.iter().enumerate() {
                    let item = match &place {
                        Place::Tuple(items) => items.get(position).cloned(),
                        _ => None,
                    };
                    self.assign(target, item.unwrap_or(Place::Unknown), span)?;
                }
                Ok(())
            }
            ExpressionKind::Subscript { value, indices } => {
                let array = self.place(value)?;
                self.all(indices)?;
                self.together(&[array, place], span).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn all(&mut self, expressions: &[Expression]) -> PyResult<Vec<Place>> {
        expressions.iter().map(|each| self.place(each)).collect()
    }

    /// The place of what is computed of several values. They must be in one place.
    fn together(&self, places: &[Place], span: Span) -> PyResult<Place> {
        let mut found: Option<Origin> = None;
        let mut is_mixed = false;
        for place in places {
            place.for_each_array(&mut |origin| {
                is_mixed |= found.is_some_and(|found| found != origin);
                found = Some(origin);
            });
        }
        if is_mixed {
            return Err(self.machine.mixed_origins(span));
        }
        Ok(found.map_or(Place::Unknown, Place::Array))
    }

    fn item_place(&mut self, iterable: &Expression) -> PyResult<Place> {
        match Looped::of(iterable) {
            Some(Looped::Counted(items, start)) => {
                if let Some(start) = start {
                    self.place(start)?;
                }
                self.item_place(items)?;
            }
            Some(Looped::Backwards(items)) => {
                self.item_place(items)?;
            }
            Some(Looped::Together(lists)) => {
                for items in lists {
                    self.item_place(items)?;
                }
            }
            // The bounds of a range.
            None => {
                if let ExpressionKind::Call { arguments, .. } = &iterable.kind {
                    self.all(arguments)?;
                }
            }
            Some(Looped::Each(_)) => {
                self.place(iterable)?;
            }
        }
        // An item of an array is a number or a row of it.
        Ok(Place::Unknown)
    }

    fn place(&mut self, expression: &Expression) -> PyResult<Place> {
        check_stack()?;
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Name(name) => self.name(name),
            ExpressionKind::Tuple(items) | ExpressionKind::List(items) => {
                self.all(items).map(Place::Tuple)
            }
            ExpressionKind::Comprehension(made) => {
                let item = self.item_place(&made.iterable)?;
                self.assign(&made.target, item, span)?;
                self.all(&made.conditions)?;
                self.place(&made.element)?;
                Ok(Place::Unknown)
            }
            ExpressionKind::Attribute { value, attribute } => self.attribute(value, attribute),
            ExpressionKind::Subscript { value, indices } => {
                let array = self.place(value)?;
                self.all(indices)?;
                let is_slice =
                    |each: &Expression| matches!(each.kind, ExpressionKind::Slice { .. });
                Ok(match array {
                    Place::Array(_) if indices.iter().any(is_slice) => array,
                    _ => Place::Unknown,
                })
            }
            ExpressionKind::Call {
                function,
                arguments,
                keywords,
            } => self.call(function, arguments, keywords, span),
            ExpressionKind::Unary { operand, .. } => self.place(operand),
            ExpressionKind::Binary { left, right, .. } => {
                let places = [self.place(left)?, self.place(right)?];
                match &places {
                    // Tuples are put one after the other.
                    [Place::Tuple(_), _] | [_, Place::Tuple(_)] => Ok(Place::Unknown),
                    places => self.together(places, span),
                }
            }
            ExpressionKind::Compare { first, rest } => {
                let mut places = vec![self.place(first)?];
                for (_, operand) in rest {
                    places.push(self.place(operand)?);
                }
                self.together(&places, span)
            }
            ExpressionKind::Logical { operands, .. } => self.all(operands).map(|_| Place::Unknown),
            ExpressionKind::Membership {
                item, container, ..
            } => {
                self.place(item)?;
                self.place(container)?;
                Ok(Place::Unknown)
            }
            ExpressionKind::Conditional {
                test,
                accept,
                reject,
            } => {
                self.place(test)?;
                Ok(self.place(accept)?.or(self.place(reject)?))
            }
            ExpressionKind::Slice { lower, upper, step } => {
                for bound in [lower, upper, step].into_iter().flatten() {
                    self.place(bound)?;
                }
                Ok(Place::Unknown)
            }
            ExpressionKind::Constant(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::None
            | ExpressionKind::Ellipsis
            | ExpressionKind::Lambda(_)
            | ExpressionKind::Refused => Ok(Place::Unknown),
        }
    }

    fn name(&self, name: &str) -> PyResult<Place> {
        if let Some(place) = self.names.get(name) {
            return Ok(place.clone());
        }
        if !self.is_own(name) {
            self.machine.function.global(self.machine.py, name)?;
        }
        Ok(Place::Unknown)
    }

    /// Whether a name is given a value inside of the function.
    fn is_own(&self, name: &str) -> bool {
        self.own.contains(name) || is_made_name(name)
    }

    fn attribute(&mut self, value: &Expression, attribute: &Identifier) -> PyResult<Place> {
        if let ExpressionKind::Name(name) = &value.kind
            && self.is_own(name)
        {
            let place = self.place(value)?;
            let is_part = matches!(attribute.name.as_str(), "T" | "real" | "imag" | "mT");
            return Ok(if is_part { place } else { Place::Unknown });
        }
        self.place(value)?;
        if let Some(module) = self.machine.static_object(value)?
            && module.is_instance_of::<PyModule>()
            && !module.hasattr(attribute.name.as_str())?
        {
            let name: String = module.getattr("__name__")?.extract()?;
            return Err(KernelTypeError::new_err(format!(
                "njit function `{}` uses `{}`, which module `{name}` does not have\n  why:  every name of a function is \
                 looked up before its first statement runs\n  help: check the spelling, and the version of `{name}`",
                self.machine.function.name(),
                attribute.name
            )));
        }
        Ok(Place::Unknown)
    }

    fn call(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        keywords: &[(Identifier, Expression)],
        span: Span,
    ) -> PyResult<Place> {
        let mut places = self.all(arguments)?;
        let positional = places.len();
        for (_, value) in keywords {
            places.push(self.place(value)?);
        }
        let root = match &function.kind {
            ExpressionKind::Name(name) => Some(name),
            _ => None,
        };
        // Functions inside of this one, and functions that are values.
        if root.is_some_and(|name| self.is_own(name)) {
            return Ok(Place::Unknown);
        }
        if let ExpressionKind::Attribute { value, attribute } = &function.kind {
            self.attribute(value, attribute)?;
            if let Place::Array(origin) = self.place(value)? {
                let keeps = ["copy", "astype", "reshape", "ravel", "flatten", "transpose"];
                let is_kept = keeps.contains(&attribute.name.as_str());
                return Ok(if is_kept {
                    Place::Array(origin)
                } else {
                    Place::Unknown
                });
            }
        } else {
            self.place(function)?;
        }
        if !self.is_static(function) {
            return Ok(Place::Unknown);
        }
        let Some(callee) = self.machine.callee(function)? else {
            return Ok(Place::Unknown);
        };
        match &*callee {
            Callee::Unknown(what) => Err(self.machine.unknown_function(what, span)),
            Callee::Elementwise { .. } => self.together(&places, span),
            Callee::Reduce(..) | Callee::Library(_) => {
                self.together(&places, span)?;
                Ok(Place::Unknown)
            }
            Callee::Creation(..) => Ok(self.home.map_or(Place::Unknown, Place::Array)),
            Callee::Njit(njit) if keywords.is_empty() && positional == places.len() => {
                let called = njit.get().function(self.machine.py)?;
                if called.syntax.parameters.len() == places.len() {
                    let machine = Machine::new(self.machine.py, &called);
                    let mut home = None;
                    for place in &places {
                        place.for_each_array(&mut |origin| {
                            home.get_or_insert(origin);
                        });
                    }
                    look_through(&machine, places, home, self.open)?;
                }
                Ok(Place::Unknown)
            }
            _ => Ok(Place::Unknown),
        }
    }

    /// Whether an expression is made of names around the function only.
    fn is_static(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Name(name) => !self.is_own(name),
            ExpressionKind::Attribute { value, .. } => self.is_static(value),
            _ => false,
        }
    }
}
