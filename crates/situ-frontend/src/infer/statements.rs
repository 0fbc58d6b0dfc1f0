//! What statements do, and what assignments teach about variables.

use situ_ir::promotion;
use situ_ir::{DType, Literal, Span};

use crate::infer::value::{LocalType, Number, Object, ObjectKind, Static, Value};
use crate::infer::views::Region;
use crate::infer::{Inference, Local, assigned, constants, problems};
use crate::syntax::{self, Constant};
use crate::typed::{Call, Expression, ExpressionKind, Statement, StatementKind};

/// A value on its way to a target.
pub(super) struct Assigned {
    pub(super) value: Value,
    pub(super) value_span: Span,
    /// The whole statement.
    pub(super) span: Span,
}

impl Inference<'_, '_, '_> {
    pub(super) fn block(&mut self, body: &[syntax::Statement]) -> Vec<Statement> {
        let mut statements = Vec::with_capacity(body.len());
        // What the statement around this block needs comes before that, not in here.
        let outer = std::mem::take(&mut self.before);
        for statement in body {
            let mut own = Vec::new();
            let outer = (
                std::mem::take(&mut self.temporaries),
                std::mem::take(&mut self.kept),
            );
            self.statement(statement, &mut own);
            statements.append(&mut self.before);
            let temporaries = std::mem::replace(&mut self.temporaries, outer.0);
            let kept = std::mem::replace(&mut self.kept, outer.1);
            // Where a statement leaves the function, the whole heap goes.
            if !own.last().is_some_and(leaves) {
                for block in kept {
                    own.extend(self.release_block(block, statement.span));
                }
                for block in temporaries {
                    own.extend(self.drop_block(block, statement.span));
                }
            }
            // The live branch of a condition that was decided now leaves: what comes after it is not part of this
            // specialisation either.
            let is_decided = matches!(statement.kind, syntax::StatementKind::If { .. });
            let ends_here = is_decided && own.last().is_some_and(leaves);
            statements.append(&mut own);
            if ends_here {
                break;
            }
        }
        self.before = outer;
        statements
    }

    fn statement(&mut self, statement: &syntax::Statement, out: &mut Vec<Statement>) {
        let span = statement.span;
        let mut push = |kind| out.push(Statement { kind, span });
        match &statement.kind {
            syntax::StatementKind::Assign { targets, value } => {
                self.assignment(targets, value, span, out);
            }
            syntax::StatementKind::AugmentedAssign {
                target,
                operator,
                value,
            } => self.augmented_assignment(target, *operator, value, span, out),
            syntax::StatementKind::If {
                test,
                accept,
                reject,
            } => match self.settled_condition(test, span) {
                // Decided now: the other branch is not part of this specialisation.
                Some(Number::Constant(constant)) => {
                    let live = if constants::truth(constant) {
                        accept
                    } else {
                        reject
                    };
                    out.extend(self.block(live));
                }
                condition => {
                    let accept = self.block(accept);
                    let reject = self.block(reject);
                    if let Some(Number::Typed(condition)) = condition {
                        push(StatementKind::If {
                            condition,
                            accept,
                            reject,
                        });
                    }
                }
            },
            syntax::StatementKind::While { test, body } => {
                let before = std::mem::take(&mut self.before);
                let condition = self.settled_condition(test, span);
                // What the condition needs is computed before each round.
                let needed = std::mem::replace(&mut self.before, before);
                if let Some(Number::Constant(constant)) = &condition
                    && !constants::truth(*constant)
                {
                    return;
                }
                let mut body = self.block(body);
                let condition = condition.and_then(|test| self.convert(test, DType::Bool, span));
                if let Some(mut condition) = condition {
                    if !needed.is_empty() {
                        let stop = Statement {
                            kind: StatementKind::Break,
                            span,
                        };
                        let goes_on = StatementKind::If {
                            condition,
                            accept: Vec::new(),
                            reject: vec![stop],
                        };
                        let goes_on = Statement {
                            kind: goes_on,
                            span,
                        };
                        body.splice(0..0, needed.into_iter().chain([goes_on]));
                        condition = Expression::literal(Literal::Bool(true), span);
                    }
                    push(StatementKind::While { condition, body });
                }
            }
            syntax::StatementKind::For {
                target,
                iterable,
                body,
            } => self.for_loop(target, iterable, body, span, out),
            syntax::StatementKind::Break => push(StatementKind::Break),
            syntax::StatementKind::Continue => push(StatementKind::Continue),
            syntax::StatementKind::Return(value) => {
                let kind = self.returned(value.as_ref(), span);
                push(kind);
            }
            syntax::StatementKind::Function(function) => {
                let id = self.inner_function(function);
                let name = &function.name;
                self.join(&name.name, LocalType::Static(Static::Device(id)), name.span);
            }
            syntax::StatementKind::Expression(value) => {
                if let Some(kind) = self.effect(value) {
                    push(kind);
                }
            }
            syntax::StatementKind::Assert { test, parts } => {
                self.assertion(test, parts, span, out);
            }
            syntax::StatementKind::Print(parts) => self.print(parts, span, out),
            syntax::StatementKind::Raise { class, parts } => self.raise(class, parts, span, out),
            syntax::StatementKind::Pass => {}
        }
    }

    /// A condition, after which what it was computed of is needed no longer.
    fn settled_condition(&mut self, test: &syntax::Expression, span: Span) -> Option<Number> {
        let outer = std::mem::take(&mut self.temporaries);
        let condition = self.condition(test);
        let used = std::mem::replace(&mut self.temporaries, outer);
        if used.is_empty() {
            return condition;
        }
        let mut before = std::mem::take(&mut self.before);
        let condition = condition.map(|condition| match condition {
            Number::Typed(typed) => Number::Typed(self.bind(typed, span, &mut before)),
            constant @ Number::Constant(_) => constant,
        });
        for block in used {
            before.extend(self.drop_block(block, span));
        }
        self.before = before;
        condition
    }

    /// An expression evaluated for its effect.
    fn effect(&mut self, expression: &syntax::Expression) -> Option<StatementKind> {
        if let syntax::ExpressionKind::Call {
            function,
            arguments,
            keywords,
        } = &expression.kind
        {
            return self.call_statement(function, arguments, keywords, expression.span);
        }
        match self.value(expression) {
            Value::Scalar(value) => Some(StatementKind::Evaluate(value)),
            _ => None,
        }
    }

    // ----- assignment -----

    fn assignment(
        &mut self,
        targets: &[syntax::Expression],
        value: &syntax::Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let value_span = value.span;
        let mut value = self.value(value);
        if let Value::Nothing = value {
            self.report(problems::nothing_assigned(value_span));
            value = Value::Unknown;
        }
        // With several targets, or when the value is a tuple whose items may be targets, everything
        // on the right is computed before anything on the left changes.
        let is_together =
            targets.len() > 1 || matches!(value, Value::Tuple(_) | Value::Call { .. });
        if is_together {
            value = self.evaluate_now(value, span, out);
        }
        for target in targets {
            let assigned = Assigned {
                value: value.clone(),
                value_span,
                span,
            };
            self.assign(target, assigned, out);
        }
    }

    /// Appends statements that compute a value, and gives what refers to the results.
    pub(super) fn evaluate_now(
        &mut self,
        value: Value,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Value {
        match value {
            Value::Scalar(value) => {
                if let ExpressionKind::Literal(_) | ExpressionKind::Parameter(_) = value.kind {
                    return Value::Scalar(value);
                }
                let slot = self.new_slot();
                let (dtype, place) = (value.dtype, value.span);
                let kind = StatementKind::Bind { slot, value };
                out.push(Statement { kind, span });
                Value::Scalar(Expression::new(ExpressionKind::Slot(slot), dtype, place))
            }
            Value::Tuple(items) => {
                let items = items
                    .into_iter()
                    .map(|item| self.evaluate_now(item, span, out));
                Value::Tuple(items.collect())
            }
            Value::Call { call, result } => self.call_now(call, &result, span, out),
            Value::Object(Object { kind, parts }) => {
                let parts = parts.into_iter().map(|part| self.bind_now(part, span, out));
                let parts: Vec<_> = parts.collect();
                if matches!(kind, ObjectKind::View { is_owned: true, .. })
                    && let Some(block) = parts.last()
                {
                    out.extend(self.keep_block(block.clone(), span));
                    self.kept.push(block.clone());
                }
                Value::Object(Object { kind, parts })
            }
            Value::Elements(elements) => {
                let kept = self.in_memory(*elements, span);
                out.append(&mut self.before);
                match kept {
                    Some(kept) => self.evaluate_now(kept, span, out),
                    None => Value::Unknown,
                }
            }
            other => other,
        }
    }

    /// Appends a call of a function that returns several numbers, and gives what refers to them.
    pub(super) fn call_now(
        &mut self,
        call: Call,
        result: &LocalType,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Value {
        let numbers = result.numbers();
        let slots: Vec<_> = numbers.iter().map(|_| self.new_slot()).collect();
        let mut values = slots
            .iter()
            .zip(numbers)
            .map(|(slot, dtype)| Expression::new(ExpressionKind::Slot(*slot), dtype, span));
        let value = arranged(result, &mut values, self.is_kernel());
        let kind = StatementKind::CallTuple { call, slots };
        out.push(Statement { kind, span });
        value
    }

    pub(super) fn assign(
        &mut self,
        target: &syntax::Expression,
        assigned: Assigned,
        out: &mut Vec<Statement>,
    ) {
        let Assigned {
            value_span, span, ..
        } = assigned;
        match &target.kind {
            syntax::ExpressionKind::Name(name) => {
                self.assign_name(name, target.span, assigned, out);
            }
            syntax::ExpressionKind::Tuple(targets) => {
                self.unpack(targets, target.span, assigned, out);
            }
            syntax::ExpressionKind::Subscript {
                value: array,
                indices,
            } => {
                if self.writes_out_arrays()
                    && let Some(part) = self.part_target(array, indices, target.span)
                {
                    out.append(&mut self.before);
                    self.told("this store", span, |this| {
                        this.store_elements(part, assigned.value, span, out)
                    });
                    return;
                }
                if self.writes_out_arrays()
                    && self.scatter_target(
                        (array, indices),
                        None,
                        assigned.value.clone(),
                        span,
                        out,
                    )
                {
                    return;
                }
                let place = self.element_target(array, indices, target.span);
                let number = self.as_number(assigned.value, value_span);
                let (Some((array, indices)), Some(number)) = (place, number) else {
                    return;
                };
                let dtype = self.array(array).dtype;
                if let Some(value) = self.stored(number, dtype, value_span) {
                    let kind = StatementKind::Store {
                        array,
                        indices,
                        value,
                    };
                    out.push(Statement { kind, span });
                }
            }
            syntax::ExpressionKind::Refused => {}
            _ => self.report(problems::assignment_target(target.span)),
        }
    }

    /// A number as an element of a dtype.
    pub(super) fn stored(
        &mut self,
        number: Number,
        dtype: DType,
        span: Span,
    ) -> Option<Expression> {
        let own = self.own_dtype(&number);
        if own.is_complex() && !dtype.is_complex() && !dtype.is_bool() {
            self.report(problems::complex_to_real(dtype, span));
            return None;
        }
        self.convert(number, dtype, span)
    }

    fn unpack(
        &mut self,
        targets: &[syntax::Expression],
        target_span: Span,
        assigned: Assigned,
        out: &mut Vec<Statement>,
    ) {
        let Assigned {
            value,
            value_span,
            span,
        } = assigned;
        let items = match value {
            Value::Tuple(items) if items.len() == targets.len() => items,
            Value::Unknown => vec![Value::Unknown; targets.len()],
            Value::Tuple(items) => {
                let problem = problems::unpack_count(targets.len(), items.len(), target_span);
                self.report(problem);
                return;
            }
            other => {
                self.report(problems::unpack_type(&other.describe(), value_span));
                return;
            }
        };
        for (target, value) in targets.iter().zip(items) {
            let assigned = Assigned {
                value,
                value_span,
                span,
            };
            self.assign(target, assigned, out);
        }
    }

    fn assign_name(
        &mut self,
        name: &str,
        name_span: Span,
        assigned: Assigned,
        out: &mut Vec<Statement>,
    ) {
        let Assigned {
            mut value,
            value_span,
            span,
        } = assigned;
        if let Value::Elements(elements) = value {
            let Some(kept) = self.in_memory(*elements, value_span) else {
                return;
            };
            out.append(&mut self.before);
            value = kept;
        }
        if self.writes_out_arrays() && self.holds_several(name) {
            value = self.arrays_as_parts(value, span);
        }
        let Some(ty) = self.local_type(&value, name, name_span) else {
            return;
        };
        let Some(ty) = self.join(name, ty, name_span) else {
            return;
        };
        let mut held = Held {
            name,
            position: 0,
            value_span,
            span,
        };
        self.hold(&mut held, &ty, value, out);
    }

    /// Assigns the numbers a value is made of to the variables of a name.
    fn hold(
        &mut self,
        held: &mut Held<'_>,
        ty: &LocalType,
        value: Value,
        out: &mut Vec<Statement>,
    ) {
        match (ty, value) {
            (LocalType::Scalar(dtype), value) => {
                let position = held.position;
                held.position += 1;
                let Some(number) = self.as_number(value, held.value_span) else {
                    return;
                };
                let variable = self.variable_id(held.name, position, *dtype);
                if let Some(value) = self.convert(number, *dtype, held.value_span) {
                    self.note_assigned(variable, &value);
                    let kind = StatementKind::Assign { variable, value };
                    out.push(Statement {
                        kind,
                        span: held.span,
                    });
                }
            }
            (LocalType::Tuple(types), Value::Tuple(items)) => {
                for (ty, item) in types.iter().zip(items) {
                    self.hold(held, ty, item, out);
                }
            }
            (LocalType::Object { kind, parts }, Value::Object(object)) => {
                // A part of an array may be made of the one that the name holds now.
                let numbers = object.parts.into_iter();
                let numbers: Vec<_> = numbers
                    .map(|part| self.bind_now(part, held.span, out))
                    .collect();
                let is_owned = matches!(kind, ObjectKind::View { is_owned: true, .. });
                let mut released = None;
                if is_owned && let Some(block) = numbers.last() {
                    out.extend(self.keep_block(block.clone(), held.span));
                    let position = held.position + parts - 1;
                    let old = self.variable_id(held.name, position, DType::I64);
                    let old = ExpressionKind::Variable(old);
                    let old = Expression::new(old, DType::I64, held.span);
                    released = Some(self.bind_now(old, held.span, out));
                }
                for part in numbers {
                    self.hold(
                        held,
                        &LocalType::Scalar(DType::I64),
                        Value::Scalar(part),
                        out,
                    );
                }
                if let Some(block) = released {
                    out.extend(self.release_block(block, held.span));
                }
            }
            // The name stands for the same thing everywhere; there is nothing to do at run time.
            (LocalType::Static(Static::Array(array)), _) => self.name_array(*array, held.name),
            _ => {}
        }
    }

    /// The type that assigning a value gives a name; `None` if it is unknown or has none.
    fn local_type(&mut self, value: &Value, name: &str, span: Span) -> Option<LocalType> {
        match value {
            Value::Constant(constant) => {
                let dtype = self.own_dtype(&Number::Constant(*constant));
                Some(LocalType::Scalar(dtype))
            }
            Value::Scalar(expression) => Some(LocalType::Scalar(expression.dtype)),
            Value::Tuple(items) => {
                let items: Option<Vec<_>> = items
                    .iter()
                    .map(|item| match item {
                        Value::Nothing | Value::Namespace(_) => {
                            self.report(problems::tuple_of(name, &item.describe(), span));
                            None
                        }
                        item => self.local_type(item, name, span),
                    })
                    .collect();
                items.map(LocalType::Tuple)
            }
            Value::Static(value) => Some(LocalType::Static(value.clone())),
            Value::Call { result, .. } => Some(result.clone()),
            Value::Object(object) => Some(LocalType::Object {
                kind: object.kind.clone(),
                parts: object.parts.len(),
            }),
            Value::Namespace(_) => {
                self.report(problems::object_assigned(name, span));
                None
            }
            // It has been computed by now.
            Value::Elements(_) | Value::Nothing | Value::Unknown => None,
        }
    }

    /// Joins a type into a name's; `None` if the name cannot hold both.
    pub(super) fn join(&mut self, name: &str, ty: LocalType, span: Span) -> Option<LocalType> {
        if self.is_given_anew(name, &ty) {
            return Some(self.give_anew(name, ty, span));
        }
        let Some(local) = self.locals.get(name) else {
            let local = Local {
                ty: ty.clone(),
                since: span,
                parameter: None,
            };
            self.locals.insert(name.to_owned(), local);
            self.has_changed = true;
            return Some(ty);
        };
        let is_array_parameter =
            local.parameter.is_some() && matches!(local.ty, LocalType::Static(Static::Array(_)));
        if is_array_parameter && local.ty != ty {
            self.report(problems::array_parameter_assigned(name, span));
            return None;
        }
        let default_float = self.default_float();
        let joined = joined_type(&local.ty, &ty, default_float);
        let Some(joined) = joined else {
            let problem = problems::kind_changed(name, &local.ty, local.since, &ty, span);
            self.report(problem);
            return None;
        };
        if joined != local.ty {
            let parameter = local.parameter;
            let local = Local {
                ty: joined.clone(),
                since: span,
                parameter,
            };
            self.locals.insert(name.to_owned(), local);
            self.has_changed = true;
        }
        Some(joined)
    }

    fn augmented_assignment(
        &mut self,
        target: &syntax::Expression,
        operator: syntax::BinaryOperator,
        value: &syntax::Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        match &target.kind {
            syntax::ExpressionKind::Name(name) => {
                let old = self.value(target);
                if self.writes_out_arrays() && self.is_array(&old) {
                    let value = self.value(value);
                    out.append(&mut self.before);
                    self.told("this update", span, |this| {
                        this.update_elements(old, operator, value, span, out)
                    });
                    return;
                }
                if let Value::Static(Static::Array(array)) = old {
                    let problem = problems::array_as_number(self.array(array), target.span);
                    self.report(problem);
                    return;
                }
                let old = self.as_number(old, target.span);
                let right = self.number(value);
                let (Some(old), Some(right)) = (old, right) else {
                    return;
                };
                if let Some(new) = self.binary(operator, old, right, span) {
                    let assigned = Assigned {
                        value: new.into(),
                        value_span: value.span,
                        span,
                    };
                    self.assign_name(name, target.span, assigned, out);
                }
            }
            syntax::ExpressionKind::Subscript {
                value: array,
                indices,
            } => {
                if self.writes_out_arrays()
                    && let Some(part) = self.part_target(array, indices, target.span)
                {
                    let value = self.value(value);
                    out.append(&mut self.before);
                    self.told("this update", span, |this| {
                        this.update_elements(part, operator, value, span, out)
                    });
                    return;
                }
                if self.writes_out_arrays() && self.has_array_index(indices) {
                    let value = self.value(value);
                    self.scatter_target((array, indices), Some(operator), value, span, out);
                    return;
                }
                let place = self.element_target(array, indices, target.span);
                let Some((array, indices)) = place else {
                    self.number(value);
                    return;
                };
                // The indices are evaluated once, then the element is read, then the right side is
                // evaluated.
                let indices: Vec<_> = indices
                    .into_iter()
                    .map(|index| self.bind(index, span, out))
                    .collect();
                let dtype = self.array(array).dtype;
                let kind = ExpressionKind::Element {
                    array,
                    indices: indices.clone(),
                };
                let element = Expression::new(kind, dtype, target.span);
                let Some(right) = self.number(value) else {
                    return;
                };
                let is_reordered = matches!(&right, Number::Typed(right) if right.has_effects());
                let element = if is_reordered {
                    self.bind(element, span, out)
                } else {
                    element
                };
                let new = self.binary(operator, Number::Typed(element), right, span);
                let stored = new.and_then(|new| self.stored(new, dtype, span));
                if let Some(value) = stored {
                    let kind = StatementKind::Store {
                        array,
                        indices,
                        value,
                    };
                    out.push(Statement { kind, span });
                }
            }
            syntax::ExpressionKind::Refused => {}
            _ => self.report(problems::assignment_target(target.span)),
        }
    }

    /// Evaluates an expression now unless writing it twice costs nothing.
    pub(super) fn bind(
        &mut self,
        value: Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Expression {
        let (reference, shared) = self.share(value);
        if let Some((slot, value)) = shared {
            if value.dtype == DType::I64 {
                self.note_slot(&value, &reference);
            }
            let kind = StatementKind::Bind { slot, value };
            out.push(Statement { kind, span });
        }
        reference
    }

    /// Evaluates an expression now: what variables hold may change.
    pub(super) fn bind_now(
        &mut self,
        value: Expression,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Expression {
        if matches!(
            value.kind,
            ExpressionKind::Literal(_) | ExpressionKind::Parameter(_) | ExpressionKind::Slot(_)
        ) {
            return value;
        }
        let slot = self.new_slot();
        let reference = Expression::new(ExpressionKind::Slot(slot), value.dtype, value.span);
        if value.dtype == DType::I64 {
            self.note_slot(&value, &reference);
        }
        let kind = StatementKind::Bind { slot, value };
        out.push(Statement { kind, span });
        reference
    }

    // ----- results -----

    fn returned(&mut self, value: Option<&syntax::Expression>, span: Span) -> StatementKind {
        let Some(expression) = value else {
            self.return_without.get_or_insert(span);
            return StatementKind::Return(None);
        };
        if self.is_kernel() {
            let text = problems::returned_value(expression.span, span);
            self.report(text);
            return StatementKind::Return(None);
        }
        self.return_with.get_or_insert(span);
        let value = self.value(expression);
        let mut before = std::mem::take(&mut self.before);
        let is_called = self.is_called_with_memory();
        let mut value = match value {
            Value::Tuple(_) | Value::Call { .. } | Value::Elements(_) => {
                self.evaluate_now(value, span, &mut before)
            }
            value => value,
        };
        value = self.arrays_as_parts(value, span);
        before.append(&mut self.before);
        if is_called {
            before.extend(self.left_behind(&mut value, span));
        }
        self.before = before;
        self.returned_parts(value, expression.span)
            .unwrap_or(StatementKind::Return(None))
    }

    /// Keeps the blocks of what a called function returns, and gives up all others.
    fn left_behind(&mut self, value: &mut Value, span: Span) -> Vec<Statement> {
        let mut code = Vec::new();
        let used = std::mem::take(&mut self.kept);
        let returned = std::mem::replace(value, Value::Unknown);
        *value = self.evaluate_now(returned, span, &mut code);
        // Those of the result are the caller's.
        self.kept.clear();
        for block in used {
            code.extend(self.release_block(block, span));
        }
        for block in std::mem::take(&mut self.temporaries) {
            code.extend(self.drop_block(block, span));
        }
        code.extend(self.release_names(span));
        code
    }

    /// A value whose arrays are parts of the memory that whoever called reaches.
    fn arrays_as_parts(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Static(Static::Array(array)) if self.writes_out_arrays() => self
                .as_heap_part(array, span)
                .unwrap_or(Value::Static(Static::Array(array))),
            Value::Object(object) if self.writes_out_arrays() => {
                let part = Self::region(&object).and_then(|part| self.on_heap(part, span));
                part.map_or(Value::Object(object), Region::into_view)
            }
            Value::Tuple(items) => {
                let items = items.into_iter();
                Value::Tuple(items.map(|item| self.arrays_as_parts(item, span)).collect())
            }
            other => other,
        }
    }

    /// Whether a name is given more than one value, or has one before the first.
    fn holds_several(&self, name: &str) -> bool {
        assigned::only_value(self.subject.syntax, name).is_none()
    }

    /// The statement that returns a number or a tuple of them.
    fn returned_parts(&mut self, value: Value, span: Span) -> Option<StatementKind> {
        if !is_returnable(&value) {
            // A number, or something that is none and reported as such.
            if let Value::Tuple(_) = value {
                self.report(problems::returned_tuple(span));
                return None;
            }
            self.as_number(value, span)?;
            return None;
        }
        let own = self.local_type(&value, "", span)?;
        let ty = match &self.result {
            None => own,
            Some(before) => {
                let joined = joined_type(before, &own, self.default_float());
                if joined.is_none() {
                    let before = before.describe();
                    self.report(problems::two_results(&before, &own.describe(), span));
                }
                joined?
            }
        };
        if self.result.as_ref() != Some(&ty) {
            self.result = Some(ty.clone());
            self.has_changed = true;
        }
        let mut numbers = Vec::new();
        self.numbers_of(value, &ty, span, &mut numbers)?;
        Some(match ty {
            LocalType::Scalar(_) => StatementKind::Return(numbers.pop()),
            _ => StatementKind::ReturnTuple(numbers),
        })
    }

    /// The numbers of a value in the dtypes of a type.
    fn numbers_of(
        &mut self,
        value: Value,
        ty: &LocalType,
        span: Span,
        numbers: &mut Vec<Expression>,
    ) -> Option<()> {
        match (value, ty) {
            (Value::Tuple(items), LocalType::Tuple(types)) => {
                for (item, ty) in items.into_iter().zip(types) {
                    self.numbers_of(item, ty, span, numbers)?;
                }
            }
            (value, LocalType::Scalar(dtype)) => {
                let number = self.as_number(value, span)?;
                numbers.push(self.convert(number, *dtype, span)?);
            }
            (Value::Object(object), LocalType::Object { .. }) => numbers.extend(object.parts),
            _ => return None,
        }
        Some(())
    }

    /// Reports a device function that returns something on some paths only.
    pub(super) fn check_result(&mut self) {
        let Some(with) = self.return_with else {
            return;
        };
        let name = &self.subject.syntax.name;
        let falls_off = !always_returns(&self.subject.syntax.body);
        if self.return_without.is_some() || falls_off {
            let problem = problems::result_on_some_paths(name, with, self.return_without);
            self.report(problem);
        }
    }
}

/// Whether a function can return it: a number, or a tuple of what it can return.
fn is_returnable(value: &Value) -> bool {
    match value {
        Value::Constant(_) | Value::Scalar(_) => true,
        // An array that the heap's offsets reach.
        Value::Object(object) => matches!(object.kind, ObjectKind::View { is_owned: true, .. }),
        Value::Tuple(items) => !items.is_empty() && items.iter().all(is_returnable),
        _ => false,
    }
}

/// The next values, arranged as a type says.
fn arranged(
    ty: &LocalType,
    values: &mut impl Iterator<Item = Expression>,
    is_kernel: bool,
) -> Value {
    match ty {
        LocalType::Tuple(items) => {
            let items = items.iter().map(|item| arranged(item, values, is_kernel));
            Value::Tuple(items.collect())
        }
        // Whoever calls a piece makes an array of them.
        LocalType::Object { parts, .. } if is_kernel => {
            Value::Tuple(values.take(*parts).map(Value::Scalar).collect())
        }
        LocalType::Object { kind, parts } => Value::Object(Object {
            kind: kind.clone(),
            parts: values.take(*parts).collect(),
        }),
        _ => values.next().map_or(Value::Unknown, Value::Scalar),
    }
}

/// The variables of a name while a value is assigned to them.
struct Held<'a> {
    name: &'a str,
    position: usize,
    value_span: Span,
    /// The whole statement.
    span: Span,
}

/// The type of a name that holds both; `None` if it cannot.
fn joined_type(old: &LocalType, new: &LocalType, default_float: DType) -> Option<LocalType> {
    match (old, new) {
        (LocalType::Scalar(old), LocalType::Scalar(new)) => Some(LocalType::Scalar(
            promotion::promote_for(*old, *new, default_float),
        )),
        (LocalType::Tuple(old), LocalType::Tuple(new)) if old.len() == new.len() => {
            let items = old
                .iter()
                .zip(new)
                .map(|(old, new)| joined_type(old, new, default_float));
            items.collect::<Option<_>>().map(LocalType::Tuple)
        }
        (
            LocalType::Object {
                kind:
                    ObjectKind::View {
                        array,
                        ndim,
                        is_contiguous,
                        is_owned,
                    },
                parts,
            },
            LocalType::Object {
                kind:
                    ObjectKind::View {
                        array: other,
                        ndim: other_ndim,
                        is_contiguous: is_other_contiguous,
                        is_owned: is_other_owned,
                    },
                ..
            },
        ) if (array, ndim, is_owned) == (other, other_ndim, is_other_owned) => {
            Some(LocalType::Object {
                kind: ObjectKind::View {
                    array: *array,
                    ndim: *ndim,
                    is_contiguous: *is_contiguous && *is_other_contiguous,
                    is_owned: *is_owned,
                },
                parts: *parts,
            })
        }
        (old, new) => (old == new).then(|| new.clone()),
    }
}

/// Whether no path reaches the end of the body.
fn always_returns(body: &[syntax::Statement]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        syntax::StatementKind::Return(_) => true,
        syntax::StatementKind::If { accept, reject, .. } => {
            always_returns(accept) && always_returns(reject)
        }
        syntax::StatementKind::While { test, body } => {
            let is_endless = matches!(
                test.kind,
                syntax::ExpressionKind::Constant(Constant::Bool(true) | Constant::Int(1))
            );
            is_endless && !contains_break(body)
        }
        _ => false,
    })
}

/// Whether nothing after a statement runs.
fn leaves(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Return(_)
            | StatementKind::ReturnTuple(_)
            | StatementKind::Break
            | StatementKind::Continue
    )
}

fn contains_break(body: &[syntax::Statement]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        syntax::StatementKind::Break => true,
        syntax::StatementKind::If { accept, reject, .. } => {
            contains_break(accept) || contains_break(reject)
        }
        _ => false,
    })
}
