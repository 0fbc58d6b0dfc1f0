//! Elements at indices that are elements of another array: `x[columns]`, `x[columns] += 1.0`, and by masks: `x[x > 0]`.

use situ_ir::{BinaryOperator as Ir, DType, Span};

use super::loops::{assign, branch, variable};
use super::stores::kind_order;
use super::{At, Elements, Operand, Operation, Tree};
use crate::infer::Inference;
use crate::infer::expressions::cast;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::syntax::{self, BinaryOperator};
use crate::typed::{Expression, Statement, StatementKind};

/// Elements that an array of indices chooses.
enum Places {
    /// The vector, and its indices.
    At(Box<(Region, Elements)>),
    /// Reported: they are not written out.
    Refused,
}

impl Inference<'_, '_, '_> {
    /// `of[indices]` where the last index is an array of integers and the others are numbers; `None` for everything
    /// else.
    pub(in crate::infer) fn gather(
        &mut self,
        of: &Value,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Option<Value> {
        let places = self.places(of, indices, span)?;
        let Places::At(places) = places else {
            return Some(Value::Unknown);
        };
        let (row, index) = *places;
        let tree = Tree::Gather(Box::new(row), Box::new(index.tree));
        Some(self.finished(tree, index.parts, index.ndim, span))
    }

    /// `of[indices] = value` and, with an operator, `of[indices] += value`; `None` if the indices are no array. What is
    /// stored is computed before the first element is written.
    pub(in crate::infer) fn scatter(
        &mut self,
        (of, indices): (&Value, &[&syntax::Expression]),
        operator: Option<BinaryOperator>,
        value: Value,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<()> {
        let places = self.places(of, indices, span)?;
        let Places::At(places) = places else {
            return Some(());
        };
        let (row, index) = *places;
        let value = match operator {
            Some(operator) => {
                let tree = Tree::Gather(Box::new(row.clone()), Box::new(index.tree.clone()));
                let old = self.finished(tree, index.parts.clone(), index.ndim, span);
                self.elementwise(Operation::Binary(operator), vec![old, value], span)
            }
            None => value,
        };
        let dtype = self.array(row.array).dtype;
        let stored = self.scattered_values(value, dtype, operator.is_some(), span)?;
        // Indices may be elements of the very array that is written.
        let index = self.computed_part(index, span)?;
        let index = self.elements(index, span).ok()?;
        out.append(&mut self.before);
        let mut parts = index.parts;
        let mut tree = stored.tree.moved(parts.len());
        parts.extend(stored.parts);
        if stored.dtype != dtype {
            tree = Tree::Cast(dtype, Box::new(tree));
        }
        let both = Elements {
            ndim: index.ndim.max(stored.ndim),
            dtype,
            tree,
            parts,
            joins: Vec::new(),
        };
        let both = self.with_bound_parts(both, span, out);
        let sizes = both.parts[0].shape.clone();
        let extents = self.extents(
            (&both.parts, &both.joins),
            index.ndim,
            Some(&sizes),
            span,
            out,
        );
        // An update has read the elements already.
        if operator.is_none() {
            let first = Elements {
                tree: Tree::Part(0),
                ..both.clone()
            };
            let checks = self.for_each_element_at_once(
                &first,
                &extents,
                span,
                &mut |this, index, _, code| {
                    this.gathered_place(&row, index, span, code).map(|_| ())
                },
            )?;
            out.extend(checks);
        }
        let loops = self.with_checked_places(|this| {
            this.with_strides(&both, &extents, span, &mut |this, strides| {
                this.loops_to(&extents.sizes, span, &mut |this, indices, code| {
                    let mut at = At {
                        parts: &both.parts,
                        strides,
                        indices,
                    };
                    let value = this.element(&both.tree, &mut at, span, code)?;
                    let value = this.convert(value, dtype, span)?;
                    let index = this.element(&Tree::Part(0), &mut at, span, code)?;
                    let place = this.gathered_place(&row, index, span, code)?;
                    let array = this.flat(row.array);
                    let kind = StatementKind::Store {
                        array,
                        indices: vec![place],
                        value,
                    };
                    code.push(Statement { kind, span });
                    Some(())
                })
            })
        })?;
        out.extend(loops);
        Some(())
    }

    /// What is stored at places: a number, or elements in memory of their own.
    fn scattered_values(
        &mut self,
        value: Value,
        dtype: DType,
        is_update: bool,
        span: Span,
    ) -> Option<Elements> {
        let elements = match self.operand(value, span)? {
            Operand::Number(number) => {
                let number = self.stored(number, dtype, span)?;
                let mut code = std::mem::take(&mut self.before);
                let number = self.bind(number, span, &mut code);
                self.before = code;
                return Some(Elements {
                    ndim: 0,
                    dtype,
                    tree: Tree::Number(Number::Typed(number)),
                    parts: Vec::new(),
                    joins: Vec::new(),
                });
            }
            Operand::Elements(elements) => elements,
        };
        let is_narrowed = is_update && kind_order(elements.dtype) > kind_order(dtype);
        if is_narrowed || (elements.dtype.is_complex() && !dtype.is_complex()) {
            self.not_written_out("values that the array's dtype cannot hold", span);
            return None;
        }
        let kept = self.computed_part(elements, span)?;
        self.elements(kept, span).ok()
    }

    /// The vector and the indices of `of[indices]`, where the last index is an array and the others are numbers: `None`
    /// for everything else.
    fn places(
        &mut self,
        of: &Value,
        indices: &[&syntax::Expression],
        span: Span,
    ) -> Option<Places> {
        if !self.writes_out_arrays() {
            return None;
        }
        let (last, others) = indices.split_last()?;
        if matches!(
            last.kind,
            syntax::ExpressionKind::Slice { .. }
                | syntax::ExpressionKind::None
                | syntax::ExpressionKind::Ellipsis
        ) {
            return None;
        }
        let index = self.silently(last);
        if !self.is_array(&index) {
            return None;
        }
        let whole = self.elements(of.clone(), span).ok()?.as_part()?.clone();
        let row = if others.is_empty() {
            whole
        } else {
            let row = self.cut(whole, others, span)?;
            self.elements(row, span).ok()?.as_part()?.clone()
        };
        let index = self.value(last);
        let index = self.elements(index, span).ok()?;
        if row.shape.len() == 1 && index.ndim == 1 && index.dtype.is_bool() {
            let index = self.positions_of(&row, index, span)?;
            return Some(Places::At(Box::new((row, index))));
        }
        if row.shape.len() != 1 || !index.dtype.is_integer() {
            self.not_written_out("these indices", span);
            return Some(Places::Refused);
        }
        let mut code = std::mem::take(&mut self.before);
        let row = self.bound_part(row, span, &mut code);
        self.before = code;
        Some(Places::At(Box::new((row, index))))
    }

    /// The indices at which a mask of a vector is true, in new memory.
    fn positions_of(&mut self, row: &Region, mask: Elements, span: Span) -> Option<Elements> {
        let kept = self.in_memory(mask, span)?;
        let mask = self.elements(kept, span).ok()?;
        let mut code = std::mem::take(&mut self.before);
        let mask = self.with_bound_parts(mask, span, &mut code);
        let (size, own) = (mask.parts[0].shape[0].clone(), row.shape[0].clone());
        if !self.is_same_size(&size, &own) {
            let misfit = ir_binary(Ir::NotEqual, size.clone(), own.clone(), span);
            let text = "a mask of shape {} cannot choose from an array of shape {}\n  why:  a mask says yes or no for each \
                        element\n  help: make the mask of the array that it is used with";
            let shapes = vec![vec![size.clone()], vec![own]];
            let reject = self.index_error(text, shapes, span);
            code.push(branch(misfit, reject, Vec::new(), span));
        }
        let part = self.new_part(DType::I64, std::slice::from_ref(&size), span, &mut code)?;
        let count = self.hidden_variable(DType::I64);
        code.push(assign(count, index_literal(0, span), span));
        let flat = self.flat(part.array);
        let strides = [mask.parts[0].strides.clone()];
        let loops = self.loops_to(&[size], span, &mut |this, indices, code| {
            let mut at = At {
                parts: &mask.parts,
                strides: &strides,
                indices,
            };
            let chosen = this.element(&mask.tree, &mut at, span, code)?;
            let chosen = this.convert(chosen, DType::Bool, span)?;
            // Written in any case and counted if it is one, so that there is nothing to foresee.
            let next = variable(count, DType::I64, span);
            let place = folded(Ir::Add, part.offset.clone(), next.clone(), span);
            let kind = StatementKind::Store {
                array: flat,
                indices: vec![place],
                value: indices[0].clone(),
            };
            code.push(Statement { kind, span });
            let next = folded(Ir::Add, next, cast(chosen, DType::I64), span);
            code.push(assign(count, next, span));
            Some(())
        })?;
        code.extend(loops);
        let count = self.bind_now(variable(count, DType::I64, span), span, &mut code);
        self.before = code;
        self.temporaries.extend(part.owner.clone());
        let chosen = Region {
            shape: vec![count],
            ..part
        };
        Some(Elements::of(chosen, DType::I64))
    }

    /// One element of a vector.
    pub(super) fn gathered(
        &mut self,
        from: &Region,
        index: Number,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<Expression> {
        let place = self.gathered_place(from, index, span, code)?;
        Some(self.element_at(from.array, place, span))
    }

    /// Where an element of a vector is. An index that does not exist raises an exception.
    fn gathered_place(
        &mut self,
        from: &Region,
        index: Number,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<Expression> {
        let size = from.shape.first()?.clone();
        let index = self.convert(index, DType::I64, span)?;
        let index = self.bind(index, span, code);
        let index = self.wrapped(index, size.clone());
        let index = self.bind(index, span, code);
        let distance = folded(
            Ir::Multiply,
            index.clone(),
            from.strides.first()?.clone(),
            span,
        );
        let place = folded(Ir::Add, from.offset.clone(), distance, span);
        if self.places_exist {
            return Some(place);
        }
        let is_low = ir_binary(Ir::Less, index.clone(), index_literal(0, span), span);
        let is_high = ir_binary(Ir::GreaterEqual, index, size, span);
        let is_outside = ir_binary(Ir::BitOr, is_low, is_high, span);
        let text = "an index is outside of the array\n  why:  one of the indices is less than minus the size of the array, whose \
                    shape is {}, or not less than its size\n  help: check the indices before, e.g. with `np.max`";
        let reject = self.index_error(text, vec![from.shape.clone()], span);
        code.push(branch(is_outside, reject, Vec::new(), span));
        Some(place)
    }

    /// Raises an exception if an index of elements that are gathered does not exist, before the first one is stored.
    pub(super) fn check_gathers(
        &mut self,
        target: &Region,
        elements: &Elements,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let mut gathers = Vec::new();
        elements
            .tree
            .for_each_gathered(&mut |from, index| gathers.push((from.clone(), index.clone())));
        let mut code = Vec::new();
        for (from, index) in gathers {
            let index = Elements {
                tree: index,
                ..elements.clone()
            };
            let extents = self.extents(
                (&index.parts, &index.joins),
                target.shape.len(),
                Some(&target.shape),
                span,
                &mut code,
            );
            let loops = self.for_each_element_at_once(
                &index,
                &extents,
                span,
                &mut |this, number, _, code| {
                    this.gathered_place(&from, number, span, code).map(|_| ())
                },
            )?;
            code.extend(loops);
        }
        Some(code)
    }

    /// Runs something that uses indices that are known to exist.
    pub(super) fn with_checked_places<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.places_exist, true);
        let result = run(self);
        self.places_exist = around;
        result
    }

    /// The vectors that elements are gathered from.
    pub(super) fn gathered_parts(elements: &Elements) -> Vec<Region> {
        let mut found = Vec::new();
        elements
            .tree
            .for_each_gathered(&mut |part, _| found.push(part.clone()));
        found
    }
}
