//! Statements with their work on parts of arrays written out.

use situ_ir::Span;

use super::{Code, Elements, Local, Part, Writer, is_made_name};
use crate::host::made_trees::{assignment, is_same};
use crate::host::piece::named;
use crate::looped::Looped;
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, MessagePart, Statement, StatementKind,
};

impl Writer<'_> {
    pub(super) fn block(&mut self, body: &[Statement]) -> Option<Code> {
        let mut code = Vec::new();
        for statement in body {
            if self.statement(statement, &mut code).is_none() {
                if self.refused == Span::NONE {
                    self.refused = statement.span;
                }
                return None;
            }
        }
        Some(code)
    }

    pub(super) fn statement(&mut self, statement: &Statement, code: &mut Code) -> Option<()> {
        let span = statement.span;
        let kind = match &statement.kind {
            StatementKind::Assign { targets, value } => match targets.as_slice() {
                [target] => return self.assign(target, value, span, code),
                _ => return None,
            },
            StatementKind::AugmentedAssign {
                target,
                operator,
                value,
            } => return self.update(target, *operator, value, span, code),
            StatementKind::If {
                test,
                accept,
                reject,
            } => StatementKind::If {
                test: self.number(test, code)?,
                accept: self.block(accept)?,
                reject: self.block(reject)?,
            },
            StatementKind::While { test, body } => StatementKind::While {
                test: self.number_in_place(test)?,
                body: self.block(body)?,
            },
            StatementKind::For {
                target,
                iterable,
                body,
            } => return self.for_loop(target, iterable, body, span, code),
            StatementKind::Expression(value) => {
                StatementKind::Expression(self.number(value, code)?)
            }
            StatementKind::Assert { test, parts } => StatementKind::Assert {
                test: self.number(test, code)?,
                parts: self.message(parts)?,
            },
            StatementKind::Print(parts) => StatementKind::Print(self.message(parts)?),
            StatementKind::Raise { class, parts } => StatementKind::Raise {
                class: class.clone(),
                parts: self.message(parts)?,
            },
            other => other.clone(),
        };
        code.push(Statement { kind, span });
        Some(())
    }

    pub(super) fn message(&mut self, parts: &[MessagePart]) -> Option<Vec<MessagePart>> {
        for value in parts.iter().filter_map(MessagePart::value) {
            self.number_in_place(value)?;
        }
        Some(parts.to_vec())
    }

    pub(super) fn for_loop(
        &mut self,
        target: &Expression,
        iterable: &Expression,
        body: &[Statement],
        span: Span,
        code: &mut Code,
    ) -> Option<()> {
        if Looped::reversed_call(iterable).is_none()
            && let Some(looped) = Looped::of(iterable)
        {
            if looped
                .parts()
                .iter()
                .any(|items| self.part(items).is_none())
            {
                return None;
            }
            let mut written = Vec::new();
            let body = body.to_vec();
            let kind =
                self.index_loops
                    .index_loop(target.clone(), &looped, body, span, &mut written);
            written.push(Statement { kind, span });
            for statement in &written {
                self.statement(statement, code)?;
            }
            return Some(());
        }
        let iterable = self.number(iterable, code)?;
        self.number_target(target)?;
        let body = self.block(body)?;
        let kind = StatementKind::For {
            target: target.clone(),
            iterable,
            body,
        };
        code.push(Statement { kind, span });
        Some(())
    }

    /// Notes that a target gets numbers.
    pub(super) fn number_target(&mut self, target: &Expression) -> Option<()> {
        match &target.kind {
            ExpressionKind::Name(name) => {
                let known = self.locals.insert(name.clone(), Local::Number);
                matches!(known, None | Some(Local::Number)).then_some(())
            }
            ExpressionKind::Tuple(targets) => {
                targets.iter().try_for_each(|each| self.number_target(each))
            }
            _ => (self.ndim(target)? == 0).then_some(()),
        }
    }

    pub(super) fn assign(
        &mut self,
        target: &Expression,
        value: &Expression,
        span: Span,
        code: &mut Code,
    ) -> Option<()> {
        if let ExpressionKind::Name(name) = &target.kind {
            if self.meanings.array(name).is_some() {
                return self.combine(name, value, span, code);
            }
            if self.ndim(value)? > 0 {
                return self.name_elements(name, value, span, code);
            }
        } else if let (ExpressionKind::Tuple(targets), ExpressionKind::Tuple(values)) =
            (&target.kind, &value.kind)
            && is_made_pair(values)
            && targets.len() == values.len()
        {
            let pairs = targets.iter().zip(values);
            return pairs
                .into_iter()
                .try_for_each(|(target, value)| self.assign(target, value, span, code));
        } else if self.ndim(target)? > 0 {
            let (part, elements) = self.target_and_value(target, value, code)?;
            return self.store(&part, &elements, None, span, code);
        }
        let value = self.number(value, code)?;
        self.number_target(target)?;
        let target = match &target.kind {
            ExpressionKind::Subscript { .. } => self.number(target, code)?,
            _ => target.clone(),
        };
        code.push(assignment(target, value, span));
        Some(())
    }

    /// `row = a[i]` and `scaled = row * 2.0`.
    pub(super) fn name_elements(
        &mut self,
        name: &str,
        value: &Expression,
        span: Span,
        code: &mut Code,
    ) -> Option<()> {
        if let Some((root, ndim)) = self.part(value) {
            let value = self.number_indices(value, code)?;
            let local = Local::Part(root.clone(), ndim);
            let known = self.locals.insert(name.to_owned(), local);
            let is_same = match known {
                None => true,
                Some(Local::Part(known_root, known_ndim)) => {
                    known_root == root && known_ndim == ndim
                }
                Some(_) => false,
            };
            code.push(assignment(named(name, span), value, span));
            return is_same.then_some(());
        }
        // What it stands for must be the same wherever it is read.
        if self.assignments.get(name) != Some(&1) {
            return None;
        }
        let elements = self.elements(value, code)?;
        let is_stored = |part: &Part| self.stored.iter().any(|each| self.overlap(each, part));
        if elements.parts.iter().any(is_stored) {
            return None;
        }
        self.locals
            .insert(name.to_owned(), Local::Delayed(elements));
        Some(())
    }

    pub(super) fn overlap(&self, name: &str, part: &Part) -> bool {
        name == part.root || self.meanings.may_overlap(name, &part.root)
    }

    /// `acc = acc + row`, `acc = np.maximum(acc, row)`: as if elements of `acc` were updated one by one.
    pub(super) fn combine(
        &mut self,
        name: &str,
        value: &Expression,
        span: Span,
        code: &mut Code,
    ) -> Option<()> {
        let elements = self.elements(value, code)?;
        let (_, ndim) = self.meanings.array(name)?;
        let part = Part {
            name: name.to_owned(),
            root: name.to_owned(),
            ndim,
        };
        self.store(&part, &elements, None, span, code)
    }

    pub(super) fn update(
        &mut self,
        target: &Expression,
        operator: BinaryOperator,
        value: &Expression,
        span: Span,
        code: &mut Code,
    ) -> Option<()> {
        if self.ndim(target)? > 0 {
            let (part, elements) = self.target_and_value(target, value, code)?;
            return self.store(&part, &elements, Some(operator), span, code);
        }
        let value = self.number(value, code)?;
        let target = match &target.kind {
            ExpressionKind::Subscript { .. } => self.number(target, code)?,
            _ => target.clone(),
        };
        let kind = StatementKind::AugmentedAssign {
            target,
            operator,
            value,
        };
        code.push(Statement { kind, span });
        Some(())
    }

    /// A part of an array that is stored to, and what is stored.
    pub(super) fn target_and_value(
        &mut self,
        target: &Expression,
        value: &Expression,
        code: &mut Code,
    ) -> Option<(Part, Elements)> {
        let elements = if self.ndim(value)? == 0 {
            let value = self.number(value, code)?;
            Elements {
                of: self.kept(value, code),
                parts: Vec::new(),
            }
        } else {
            self.elements(value, code)?
        };
        let (root, ndim) = self.part(target)?;
        let written = self.number_indices(target, code)?;
        // An element may be read by the turn that writes it, and by no other.
        let is_read = elements
            .parts
            .iter()
            .any(|part| self.overlap(&root, part) && !is_named_so(code, &part.name, &written));
        if is_read {
            return None;
        }
        let name = self.named_part(written, &root, ndim, code);
        Some((Part { name, root, ndim }, elements))
    }
}

/// Whether values are what a loop over arrays gives to its targets: no target changes what the next one gets.
fn is_made_pair(values: &[Expression]) -> bool {
    let is_made = |each: &Expression| match &each.kind {
        ExpressionKind::Name(name) => is_made_name(name),
        ExpressionKind::Subscript { indices, .. } => match indices.as_slice() {
            [
                Expression {
                    kind: ExpressionKind::Name(name),
                    ..
                },
            ] => is_made_name(name),
            _ => false,
        },
        ExpressionKind::Binary { left, right, .. } => [left, right]
            .into_iter()
            .all(|side| matches!(&side.kind, ExpressionKind::Name(name) if is_made_name(name))),
        _ => false,
    };
    values.iter().all(is_made)
}

/// Whether a made name was given the very part of an array that is written as `part`.
fn is_named_so(code: &[Statement], name: &str, part: &Expression) -> bool {
    if matches!(&part.kind, ExpressionKind::Name(own) if own == name) {
        return true;
    }
    code.iter().any(|statement| match &statement.kind {
        StatementKind::Assign { targets, value } => {
            matches!(&targets[..], [Expression { kind: ExpressionKind::Name(own), .. }] if own == name)
                && is_same(value, part)
        }
        _ => false,
    })
}
