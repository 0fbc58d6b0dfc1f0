//! Running totals and arrays joined to one: `np.cumsum(x)`, `np.concatenate((x, y))`.

use situ_ir::{BinaryOperator as Ir, DType, Span};

use super::folds::Fold;
use super::loops::{assign, branch, variable};
use super::matrices::with_axis;
use super::{At, Elements, Operand, Operation};
use crate::infer::Inference;
use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::syntax::{BinaryOperator, Constant};
use crate::typed::{Expression, Statement, StatementKind};

/// How arrays are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joining {
    /// `np.concatenate`: along an axis that they have.
    Concatenate,
    /// `np.hstack`: vectors one after the other, matrices side by side.
    Horizontal,
    /// `np.vstack`: vectors as rows.
    Vertical,
    /// `np.column_stack`: vectors as columns.
    Columns,
}

impl Inference<'_, '_, '_> {
    /// The totals up to each element along an axis; without one, of all elements in their order.
    pub(super) fn scan(
        &mut self,
        fold: Fold,
        elements: Elements,
        axis: Option<usize>,
        span: Span,
    ) -> Option<Value> {
        let dtype = self.fold_dtype(fold, elements.dtype, span)?;
        let elements = match axis {
            None => self.flattened(elements, false, span)?,
            Some(_) => self.without_folds(elements, span)?,
        };
        let axis = axis.unwrap_or(0);
        let mut code = std::mem::take(&mut self.before);
        let elements = self.with_bound_parts(elements, span, &mut code);
        let extents = self.extents(
            (&elements.parts, &elements.joins),
            elements.ndim,
            None,
            span,
            &mut code,
        );
        let part = self.new_part(dtype, &extents.sizes, span, &mut code)?;
        let (targets, own_strides) = ([part.clone()], [part.strides.clone()]);
        let array = self.flat(part.array);
        let mut others = extents.sizes.clone();
        let size = others.remove(axis);
        let loops = self.with_strides(&elements, &extents, span, &mut |this, strides| {
            this.loops_to(&others, span, &mut |this, outer, code| {
                let total = this.started(fold, dtype, span, code)?;
                let along = this.loops_to(
                    std::slice::from_ref(&size),
                    span,
                    &mut |this, index, code| {
                        let mut indices = outer.to_vec();
                        indices.insert(axis, index[0].clone());
                        let mut at = At {
                            parts: &elements.parts,
                            strides,
                            indices: &indices,
                        };
                        let element = this.element(&elements.tree, &mut at, span, code)?;
                        let next = this.with_element(fold, total, dtype, element, span)?;
                        code.push(assign(total, next, span));
                        let at = At {
                            parts: &targets,
                            strides: &own_strides,
                            indices: &indices,
                        };
                        let kind = StatementKind::Store {
                            array,
                            indices: vec![at.place(0, span)],
                            value: variable(total, dtype, span),
                        };
                        code.push(Statement { kind, span });
                        Some(())
                    },
                )?;
                code.extend(along);
                Some(())
            })
        })?;
        code.extend(loops);
        self.before = code;
        self.temporaries.extend(part.owner.clone());
        Some(part.into_view())
    }

    /// All elements in one dimension: where they are, if there are no gaps and no copy is asked for.
    pub(super) fn flattened(
        &mut self,
        elements: Elements,
        is_copied: bool,
        span: Span,
    ) -> Option<Elements> {
        if elements.ndim == 1 && !is_copied {
            return self.without_folds(elements, span);
        }
        let has_gaps = elements.as_part().is_none_or(|part| !part.is_contiguous);
        let kept = if has_gaps || is_copied {
            let part = self.computed_part(elements, span)?;
            self.elements(part, span).ok()?
        } else {
            elements
        };
        let all = Value::Constant(Constant::Int(-1));
        let flat = self.reshaped(kept, vec![all], span)?;
        self.elements(flat, span).ok()
    }

    /// Elements that take no loop each.
    pub(super) fn without_folds(&mut self, elements: Elements, span: Span) -> Option<Elements> {
        if !elements.tree.has_fold() {
            return Some(elements);
        }
        let kept = self.computed_part(elements, span)?;
        self.elements(kept, span).ok()
    }

    /// The result of a fold along an axis with that axis again, of size one.
    pub(super) fn with_kept_axis(
        &mut self,
        folded: Value,
        axis: usize,
        span: Span,
    ) -> Option<Value> {
        let Ok(elements) = self.elements(folded, span) else {
            self.not_written_out("`keepdims` of a vector", span);
            return None;
        };
        let kept = self.in_memory(elements, span)?;
        let part = self.elements(kept, span).ok()?.as_part()?.clone();
        Some(with_axis(part, axis, span).into_view())
    }

    /// `mean` along an axis.
    pub(super) fn mean_axis(
        &mut self,
        elements: Elements,
        axis: usize,
        span: Span,
    ) -> Option<Value> {
        if elements.ndim == 1 {
            return self.mean(elements, span);
        }
        let elements = self.as_floats(elements, span)?;
        let dtype = elements.dtype;
        let kept = self.in_memory(elements, span)?;
        let elements = self.elements(kept, span).ok()?;
        let count = elements.as_part()?.shape[axis].clone();
        let total = self.fold_axis(Fold::Sum, elements, axis, span)?;
        let count = cast(cast(count, DType::F64), dtype);
        let operation = Operation::Binary(BinaryOperator::Divide);
        Some(self.elementwise(operation, vec![total, Value::Scalar(count)], span))
    }

    /// `var` of all elements, or of those along an axis: the mean of the squared distances from the mean.
    pub(super) fn variance(
        &mut self,
        elements: Elements,
        axis: Option<usize>,
        span: Span,
    ) -> Option<Value> {
        if elements.dtype.is_complex() {
            self.not_written_out("`var` of complex numbers", span);
            return None;
        }
        let kept = self.in_memory(elements, span)?;
        let elements = self.elements(kept.clone(), span).ok()?;
        let axis = axis.filter(|_| elements.ndim > 1);
        let mean = match axis {
            None => self.mean(elements, span)?,
            Some(axis) => {
                let mean = self.mean_axis(elements, axis, span)?;
                self.with_kept_axis(mean, axis, span)?
            }
        };
        let subtract = Operation::Binary(BinaryOperator::Subtract);
        let distance = self.elementwise(subtract, vec![kept, mean], span);
        let distance = self.elements(distance, span).ok()?;
        let distance = self.in_memory(distance, span)?;
        let multiply = Operation::Binary(BinaryOperator::Multiply);
        let squares = self.elementwise(multiply, vec![distance.clone(), distance], span);
        let squares = self.elements(squares, span).ok()?;
        match axis {
            None => self.mean(squares, span),
            Some(axis) => self.mean_axis(squares, axis, span),
        }
    }

    /// Arrays put together in new memory.
    pub(super) fn joined(
        &mut self,
        joining: Joining,
        arrays: Vec<Value>,
        axis: Option<i128>,
        span: Span,
    ) -> Option<Value> {
        let mut operands = Vec::with_capacity(arrays.len());
        for array in arrays {
            let Ok(elements) = self.elements(array, span) else {
                self.not_written_out("numbers among arrays that are joined", span);
                return None;
            };
            let kept = self.in_memory(elements, span)?;
            let part = self.elements(kept, span).ok()?.as_part()?.clone();
            let dtype = self.array(part.array).dtype;
            let part = match (joining, part.shape.len()) {
                (Joining::Vertical, 1) => with_axis(part, 0, span),
                (Joining::Columns, 1) => with_axis(part, 1, span),
                _ => part,
            };
            operands.push(Operand::Elements(Elements::of(part, dtype)));
        }
        let dtype = self.common_operand_dtype(&operands, span)?;
        let mut code = std::mem::take(&mut self.before);
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            if let Operand::Elements(elements) = operand {
                parts.push(self.with_bound_parts(elements, span, &mut code));
            }
        }
        let ndim = parts.first()?.ndim;
        let axis = match joining {
            Joining::Concatenate => axis.unwrap_or(0),
            Joining::Horizontal => i128::from(ndim > 1),
            Joining::Vertical => 0,
            Joining::Columns => 1,
        };
        let dimensions = ndim as i128;
        if !(-dimensions..dimensions).contains(&axis) || parts.iter().any(|own| own.ndim != ndim) {
            self.not_written_out("arrays of different numbers of dimensions", span);
            return None;
        }
        let axis = axis.rem_euclid(dimensions) as usize;
        let mut sizes = parts[0].parts[0].shape.clone();
        for own in &parts[1..] {
            let shape = &own.parts[0].shape;
            let unlike = (0..ndim)
                .filter(|other| {
                    *other != axis && !self.is_same_size(&sizes[*other], &shape[*other])
                })
                .map(|other| {
                    ir_binary(
                        Ir::NotEqual,
                        sizes[other].clone(),
                        shape[other].clone(),
                        span,
                    )
                });
            if let Some(misfit) = unlike.reduce(|any, one| ir_binary(Ir::BitOr, any, one, span)) {
                let text = "cannot join arrays of shapes {} and {}\n  why:  sizes of all other axes must be equal\n  help: \
                            reshape one of the arrays, or join them along another axis";
                let shapes = vec![parts[0].parts[0].shape.clone(), shape.clone()];
                let reject = self.shape_error(text, shapes, span);
                code.push(branch(misfit, reject, Vec::new(), span));
            }
            sizes[axis] = folded(Ir::Add, sizes[axis].clone(), shape[axis].clone(), span);
        }
        sizes[axis] = self.bind(sizes[axis].clone(), span, &mut code);
        let whole = self.new_part(dtype, &sizes, span, &mut code)?;
        self.note_sizes(&sizes);
        let mut done = index_literal(0, span);
        for own in parts {
            let shape = own.parts[0].shape.clone();
            let distance = folded(
                Ir::Multiply,
                done.clone(),
                whole.strides[axis].clone(),
                span,
            );
            let offset = folded(Ir::Add, whole.offset.clone(), distance, span);
            done = folded(Ir::Add, done, shape[axis].clone(), span);
            let target = Region {
                offset: self.bind(offset, span, &mut code),
                shape,
                is_contiguous: false,
                ..whole.clone()
            };
            code.extend(self.write_directly(&target, &own, span)?);
        }
        self.before = code;
        self.temporaries.extend(whole.owner.clone());
        Some(whole.into_view())
    }

    /// The index of the least or greatest of elements along one axis, by a loop in `code`; the first one of several.
    pub(super) fn place_along(
        &mut self,
        fold: Fold,
        size: &Expression,
        span: Span,
        code: &mut Vec<Statement>,
        element: &mut impl FnMut(&mut Self, &Expression, &mut Vec<Statement>) -> Option<Number>,
    ) -> Option<Number> {
        let first = element(self, &index_literal(0, span), code)?;
        let dtype = self.own_dtype(&first);
        let first = self.convert(first, dtype, span)?;
        let (best, found) = (
            self.hidden_variable(dtype),
            self.hidden_variable(DType::I64),
        );
        code.push(assign(best, first, span));
        code.push(assign(found, index_literal(0, span), span));
        let loops = self.loops_to(
            std::slice::from_ref(size),
            span,
            &mut |this, index, code| {
                let number = element(this, &index[0], code)?;
                let number = this.convert(number, dtype, span)?;
                let number = this.bind_now(number, span, code);
                let old = variable(best, dtype, span);
                let operator = if fold == Fold::ArgMinimum {
                    Ir::Less
                } else {
                    Ir::Greater
                };
                let mut is_better = ir_binary(operator, number.clone(), old.clone(), span);
                if dtype.is_float() {
                    // The first NaN is the answer.
                    let is_nan = ir_binary(Ir::NotEqual, number.clone(), number.clone(), span);
                    let is_first = ir_binary(Ir::Equal, old.clone(), old, span);
                    let is_first_nan = ir_binary(Ir::BitAnd, is_nan, is_first, span);
                    is_better = ir_binary(Ir::BitOr, is_better, is_first_nan, span);
                }
                let accept = vec![
                    assign(best, number, span),
                    assign(found, index[0].clone(), span),
                ];
                code.push(branch(is_better, accept, Vec::new(), span));
                Some(())
            },
        )?;
        code.extend(loops);
        Some(Number::Typed(variable(found, DType::I64, span)))
    }
}
