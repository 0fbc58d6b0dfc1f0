//! Stores of array expressions to parts of arrays: `a[i, 1:] = b - c`, `x += y`.

use situ_ir::{BinaryOperator as Ir, DType, Span};

use super::loops::branch;
use super::places::{is_same_part, ranges_meet};
use super::{At, Elements, Operand, Operation, Tree};
use crate::infer::Inference;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Value};
use crate::infer::views::Region;
use crate::syntax::BinaryOperator;
use crate::typed::{Expression, Statement, StatementKind};

impl Inference<'_, '_, '_> {
    /// `target[...] = value`.
    pub(in crate::infer) fn store_elements(
        &mut self,
        target: Value,
        value: Value,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<()> {
        let target = self.elements(target, span).ok()?;
        let dtype = target.dtype;
        let target = target.as_part()?.clone();
        let elements = match self.elements(value, span) {
            Ok(elements) => elements,
            Err(other) => {
                let number = match self.operand(other, span)? {
                    Operand::Number(number) => number,
                    Operand::Elements(_) => return None,
                };
                let number = self.stored(number, dtype, span)?;
                let number = self.bind(number, span, out);
                Elements {
                    ndim: 0,
                    dtype,
                    tree: Tree::Number(Number::Typed(number)),
                    parts: Vec::new(),
                    joins: Vec::new(),
                }
            }
        };
        if elements.dtype.is_complex() && !dtype.is_complex() {
            self.not_written_out("complex numbers stored as real ones", span);
            return None;
        }
        if elements.ndim > target.shape.len() {
            self.not_written_out(
                "a value of more dimensions than the elements it is stored to",
                span,
            );
            return None;
        }
        self.write(&target, elements, span, out)
    }

    /// `target operator= value` of elements.
    pub(in crate::infer) fn update_elements(
        &mut self,
        target: Value,
        operator: BinaryOperator,
        value: Value,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<()> {
        let place = self.elements(target, span).ok()?;
        // Both sides read the same numbers, so that they are computed once.
        let place = self.with_bound_parts(place, span, out);
        let dtype = place.dtype;
        let old = Value::Elements(Box::new(place.clone()));
        let value = if operator == BinaryOperator::MatrixMultiply {
            self.matrix_product(old.clone(), value, span)?
        } else {
            self.elementwise(Operation::Binary(operator), vec![old.clone(), value], span)
        };
        let new = self.elements(value, span).ok()?;
        if kind_order(new.dtype) > kind_order(dtype) {
            self.not_written_out("an update that the array's dtype cannot hold", span);
            return None;
        }
        out.append(&mut self.before);
        let target = place.as_part()?.clone();
        self.write(&target, new, span, out)
    }

    /// Writes elements to a part of an array. What they read may be what they write; then they are computed before the
    /// first one is written.
    pub(super) fn write(
        &mut self,
        target: &Region,
        elements: Elements,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<()> {
        let mut overlapping = Vec::new();
        // A fold reads elements that other places write.
        let is_folded = elements.tree.has_fold();
        for part in &elements.parts {
            if let Some(pair) = self.as_neighbours(part, target, span)
                && (is_folded || !is_same_part(&pair.0, &pair.1))
            {
                overlapping.push(pair);
            }
        }
        for part in Self::gathered_parts(&elements) {
            overlapping.extend(self.as_neighbours(&part, target, span));
        }
        out.append(&mut self.before);
        let target = &self.bound_part(target.clone(), span, out);
        let elements = self.with_bound_parts(elements, span, out);
        if overlapping.is_empty() {
            out.extend(self.write_checked(target, &elements, span)?);
            return Some(());
        }
        // Parts of one array that no index moves are taken to meet: `x[1:-1] = x[:-2] + x[2:]`.
        let are_fixed = overlapping.iter().any(|(part, target)| {
            let is_fixed = |part: &Region| self.is_fixed(&part.offset);
            part.array == target.array && is_fixed(part) && is_fixed(target)
        });
        let meet = overlapping
            .iter()
            .map(|(part, target)| ranges_meet(part, target, span))
            .reduce(|any, one| ir_binary(Ir::BitOr, any, one, span))?;
        let mut indirect = Vec::new();
        let scratch = self.new_part(elements.dtype, &target.shape, span, &mut indirect)?;
        indirect.extend(self.write_directly(&scratch, &elements, span)?);
        let copy = Elements::of(scratch.clone(), elements.dtype);
        indirect.extend(self.write_directly(target, &copy, span)?);
        indirect.extend(self.drop_part(&scratch, span));
        if are_fixed {
            out.extend(indirect);
            return Some(());
        }
        let direct = self.write_checked(target, &elements, span)?;
        out.push(branch(meet, indirect, direct, span));
        Some(())
    }

    /// Writes elements where they are needed, after all indices were found to exist: an exception leaves the part as it
    /// was.
    fn write_checked(
        &mut self,
        target: &Region,
        elements: &Elements,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let mut code = self.check_gathers(target, elements, span)?;
        if code.is_empty() {
            return self.write_directly(target, elements, span);
        }
        code.extend(self.with_checked_places(|this| this.write_directly(target, elements, span))?);
        Some(code)
    }

    /// Writes elements to a part of an array, one after the other.
    pub(super) fn write_directly(
        &mut self,
        target: &Region,
        elements: &Elements,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let mut code = Vec::new();
        let read = match elements.tree {
            // The axes of what is folded are not those of the result.
            Tree::Fold { .. } => &[],
            _ => &elements.parts[..],
        };
        let ndim = target.shape.len();
        let extents = self.extents(
            (read, &elements.joins),
            ndim,
            Some(&target.shape),
            span,
            &mut code,
        );
        let (targets, strides) = ([target.clone()], [target.strides.clone()]);
        let dtype = self.array(target.array).dtype;
        if let Some(loops) = self.add_rows(target, elements, &extents, span) {
            code.extend(loops);
            return Some(code);
        }
        let loops = self.for_each_element_at_once(
            elements,
            &extents,
            span,
            &mut |this, element, indices, code| {
                let at = At {
                    parts: &targets,
                    strides: &strides,
                    indices,
                };
                let place = at.place(0, span);
                let value = this.convert(element, dtype, span)?;
                let array = this.flat(targets[0].array);
                let kind = StatementKind::Store {
                    array,
                    indices: vec![place],
                    value,
                };
                code.push(Statement { kind, span });
                Some(())
            },
        )?;
        code.extend(loops);
        Some(code)
    }

    /// Raises an exception: shapes do not fit.
    pub(super) fn shape_mismatch(
        &mut self,
        parts: &[Region],
        target: Option<&[Expression]>,
        span: Span,
    ) -> Vec<Statement> {
        /// How many sizes a message has room for.
        const MOST: usize = 14;
        let mut left = MOST - target.map_or(0, <[Expression]>::len).min(MOST);
        let mut shapes: Vec<Vec<Expression>> = Vec::new();
        for part in parts {
            if part.shape.len() <= left {
                left -= part.shape.len();
                shapes.push(part.shape.clone());
            }
        }
        let listed = vec!["{}"; shapes.len()].join(" and ");
        let arrays = if shapes.len() == 1 {
            format!("a value of shape {listed}")
        } else {
            format!("arrays of shapes {listed}")
        };
        let text = if let Some(target) = target {
            shapes.push(target.to_vec());
            format!(
                "cannot assign {arrays} to a view of shape {{}}\n  why:  the value must broadcast to the view's shape\n  \
                 help: reshape the value, or choose a view of its shape"
            )
        } else {
            return self.combination_error(shapes, span);
        };
        self.shape_error(&text, shapes, span)
    }

    /// Raises an exception: arrays of these shapes cannot be combined.
    pub(super) fn combination_error(
        &mut self,
        shapes: Vec<Vec<Expression>>,
        span: Span,
    ) -> Vec<Statement> {
        let listed = vec!["{}"; shapes.len()].join(" and ");
        let text = format!(
            "cannot combine arrays of shapes {listed}\n  why:  matching from the last dimension, sizes must be equal or 1\n  \
             help: insert dimensions of size 1 with `x[:, None]`, or reshape one of the arrays"
        );
        self.shape_error(&text, shapes, span)
    }
}

/// Dtypes by kind: an array can be updated with what is not of a later kind.
pub(super) fn kind_order(dtype: DType) -> u8 {
    match dtype {
        DType::Bool => 0,
        dtype if dtype.is_integer() => 1,
        dtype if dtype.is_complex() => 3,
        _ => 2,
    }
}
