//! Numbers made of all elements, or of those along an axis: `np.sum(row)`, `a.max(axis=0)`.

use situ_ir::{BinaryOperator as Ir, DType, Literal, Span};

use super::loops::{Extents, SHARED_ELEMENTS, assign, variable};
use super::{At, Elements, Tree};
use crate::infer::calls::Written;
use crate::infer::expressions::{cast, truth};
use crate::infer::library::LibraryFunction;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::infer::{Inference, problems};
use crate::syntax::{BinaryOperator, Constant};
use crate::typed::{Expression, Statement, StatementKind, VariableId};

/// How many bytes of sums of floats are added up side by side: four vectors of AVX2, as many as wait for each other.
const LANES_BYTES: i64 = 128;

/// How many rows are added to a row at a time.
const ROWS: i64 = 4;

/// How many elements a thread folds at a time.
const BLOCK: i64 = 1 << 12;

/// How elements become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Product,
    Minimum,
    Maximum,
    Any,
    All,
    /// The index of the least element.
    ArgMinimum,
    ArgMaximum,
}

impl Fold {
    /// Whether it says where an element is.
    fn is_place(self) -> bool {
        matches!(self, Self::ArgMinimum | Self::ArgMaximum)
    }

    /// Whether it chooses one of the elements, so that there must be one.
    fn is_choice(self) -> bool {
        self.is_place() || matches!(self, Self::Minimum | Self::Maximum)
    }

    /// The dtype of the result for elements of a dtype; `None` if it is not written out.
    fn dtype(self, element: DType) -> Option<DType> {
        match self {
            Self::Any | Self::All => Some(DType::Bool),
            Self::ArgMinimum | Self::ArgMaximum => (!element.is_complex()).then_some(DType::I64),
            Self::Minimum | Self::Maximum => (!element.is_complex()).then_some(element),
            // The array library sums these in a wider dtype.
            Self::Sum | Self::Product if element == DType::F16 => None,
            Self::Sum | Self::Product if element.is_bool() || element.is_signed() => {
                Some(if element.is_float() {
                    element
                } else {
                    DType::I64
                })
            }
            Self::Sum | Self::Product if element.is_unsigned() => Some(DType::U64),
            Self::Sum | Self::Product => Some(element),
        }
    }

    /// What it makes of no elements, as far as it has an answer, or what changes nothing.
    fn start(self, dtype: DType) -> Constant {
        let greatest = |is_least: bool| {
            if dtype.is_bool() {
                return Constant::Bool(!is_least);
            }
            if dtype.is_float() {
                let infinity = f64::INFINITY;
                return Constant::Float(if is_least { -infinity } else { infinity });
            }
            let bits = 8 * dtype.size_bytes() as u32;
            Constant::Int(match (dtype.is_signed(), is_least) {
                (true, true) => -(1 << (bits - 1)),
                (true, false) => (1 << (bits - 1)) - 1,
                (false, true) => 0,
                (false, false) => (1 << bits) - 1,
            })
        };
        match self {
            Self::Sum | Self::ArgMinimum | Self::ArgMaximum => Constant::Int(0),
            Self::Product => Constant::Int(1),
            Self::Any => Constant::Bool(false),
            Self::All => Constant::Bool(true),
            Self::Minimum => greatest(false),
            Self::Maximum => greatest(true),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "prod",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMinimum => "argmin",
            Self::ArgMaximum => "argmax",
        }
    }
}

impl Inference<'_, '_, '_> {
    /// The number that all elements make.
    pub(super) fn fold_all(&mut self, fold: Fold, elements: Elements, span: Span) -> Option<Value> {
        let dtype = self.fold_dtype(fold, elements.dtype, span)?;
        let elements = if fold.is_place() {
            self.flattened(elements, false, span)?
        } else {
            elements
        };
        let mut code = Vec::new();
        let elements = self.with_bound_parts(elements, span, &mut code);
        let extents = self.extents(
            (&elements.parts, &elements.joins),
            elements.ndim,
            None,
            span,
            &mut code,
        );
        if fold.is_choice() {
            self.refuse_empty(fold, &extents.sizes, span, &mut code);
        }
        let total = self.started(fold, dtype, span, &mut code)?;
        let shared = self.fold_blocks((fold, dtype), total, &elements, &extents, span);
        // The last axis is folded by itself, so that its elements can be added in any order.
        let (last, outer) = extents.sizes.split_last()?;
        let loops = self.with_strides(&elements, &extents, span, &mut |this, strides| {
            this.loops_to(outer, span, &mut |this, outer, code| {
                let element = |this: &mut Self, index: &Expression, code: &mut Vec<Statement>| {
                    let mut indices = outer.to_vec();
                    indices.push(index.clone());
                    let mut at = At {
                        parts: &elements.parts,
                        strides,
                        indices: &indices,
                    };
                    this.element(&elements.tree, &mut at, span, code)
                };
                let row = this.fold_along(fold, last, span, code, element)?;
                // There is one row only.
                let next = if fold.is_place() {
                    this.convert(row, dtype, span)?
                } else {
                    this.with_element(fold, total, dtype, row, span)?
                };
                code.push(assign(total, next, span));
                Some(())
            })
        })?;
        match shared {
            Some((is_large, shared)) => {
                code.push(super::loops::branch(is_large, shared, loops, span));
            }
            None => code.extend(loops),
        }
        self.before.extend(code);
        Some(Value::Scalar(variable(total, dtype, span)))
    }

    /// The same for many elements: blocks of them, shared among threads, then what the blocks came to. Gives when that is
    /// worthwhile as well. How elements are cut into blocks depends on their number only.
    fn fold_blocks(
        &mut self,
        (fold, dtype): (Fold, DType),
        total: VariableId,
        elements: &Elements,
        extents: &Extents,
        span: Span,
    ) -> Option<(Expression, Vec<Statement>)> {
        let [size] = extents.sizes.as_slice() else {
            return None;
        };
        if self.is_in_rounds()
            || fold.is_place()
            || self.heap(dtype).is_none()
            || extents.may_differ()
        {
            return None;
        }
        let mut code = Vec::new();
        let length = index_literal(BLOCK, span);
        let blocks = folded(Ir::Add, size.clone(), index_literal(BLOCK - 1, span), span);
        let blocks = folded(Ir::FloorDivide, blocks, length.clone(), span);
        let blocks = self.bind(blocks, span, &mut code);
        let partials = self.new_part(dtype, std::slice::from_ref(&blocks), span, &mut code)?;
        let strides: Vec<_> = elements
            .parts
            .iter()
            .map(|part| part.strides.clone())
            .collect();
        let flat = self.flat(partials.array);
        let rounds = self.rounds_to(&blocks, span, &mut |this, block, code| {
            let start = folded(Ir::Multiply, block.clone(), length.clone(), span);
            let start = this.bind(start, span, code);
            let left = folded(Ir::Subtract, size.clone(), start.clone(), span);
            let count = folded(Ir::Minimum, left, length.clone(), span);
            let count = this.bind(count, span, code);
            let element = |this: &mut Self, index: &Expression, code: &mut Vec<Statement>| {
                let indices = [folded(Ir::Add, start.clone(), index.clone(), span)];
                let mut at = At {
                    parts: &elements.parts,
                    strides: &strides,
                    indices: &indices,
                };
                this.element(&elements.tree, &mut at, span, code)
            };
            let number = this.fold_along(fold, &count, span, code, element)?;
            let value = this.convert(number, dtype, span)?;
            let place = folded(Ir::Add, partials.offset.clone(), block.clone(), span);
            let kind = StatementKind::Store {
                array: flat,
                indices: vec![place],
                value,
            };
            code.push(Statement { kind, span });
            Some(())
        })?;
        code.push(rounds);
        let combined = self.loops_to(
            std::slice::from_ref(&blocks),
            span,
            &mut |this, block, code| {
                let place = folded(Ir::Add, partials.offset.clone(), block[0].clone(), span);
                let partial = Number::Typed(this.element_at(partials.array, place, span));
                let next = this.with_element(fold, total, dtype, partial, span)?;
                code.push(assign(total, next, span));
                Some(())
            },
        )?;
        code.extend(combined);
        code.extend(self.drop_part(&partials, span));
        let least = index_literal(SHARED_ELEMENTS, span);
        let is_large = ir_binary(Ir::GreaterEqual, size.clone(), least, span);
        Some((is_large, code))
    }

    /// The elements that those along an axis make.
    pub(super) fn fold_axis(
        &mut self,
        fold: Fold,
        elements: Elements,
        axis: usize,
        span: Span,
    ) -> Option<Value> {
        self.fold_dtype(fold, elements.dtype, span)?;
        // The size of the axis is that of a part, so there must be one that has it.
        let elements = if elements.as_part().is_some() {
            elements
        } else {
            let kept = self.in_memory(elements, span)?;
            self.elements(kept, span).ok()?
        };
        if elements.ndim == 1 {
            return self.fold_all(fold, elements, span);
        }
        if fold.is_choice() {
            let sizes = [elements.parts[0].shape[axis].clone()];
            let mut code = Vec::new();
            self.refuse_empty(fold, &sizes, span, &mut code);
            self.before.extend(code);
        }
        let tree = Tree::Fold {
            fold,
            axis,
            size: (0, axis),
            of: Box::new(elements.tree),
        };
        Some(self.finished(tree, elements.parts, elements.ndim - 1, span))
    }

    pub(super) fn fold_dtype(&mut self, fold: Fold, element: DType, span: Span) -> Option<DType> {
        let dtype = fold.dtype(element);
        if dtype.is_none() {
            let what = format!("`{}` of elements of dtype {element}", fold.name());
            self.not_written_out(&what, span);
        }
        dtype
    }

    /// A variable for the total of elements, before the first one is counted.
    pub(super) fn started(
        &mut self,
        fold: Fold,
        dtype: DType,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<VariableId> {
        let total = self.hidden_variable(dtype);
        let start = self.convert(Number::Constant(fold.start(dtype)), dtype, span)?;
        code.push(assign(total, start, span));
        Some(total)
    }

    /// The total with one more element.
    pub(super) fn with_element(
        &mut self,
        fold: Fold,
        total: VariableId,
        dtype: DType,
        element: Number,
        span: Span,
    ) -> Option<Expression> {
        let old = variable(total, dtype, span);
        let next = match fold {
            Fold::Sum | Fold::Product => {
                let element = self.convert(element, dtype, span)?;
                let operator = if fold == Fold::Sum {
                    BinaryOperator::Add
                } else {
                    BinaryOperator::Multiply
                };
                self.binary(operator, Number::Typed(old), Number::Typed(element), span)?
            }
            Fold::Minimum | Fold::Maximum => {
                let function = if fold == Fold::Minimum {
                    LibraryFunction::Minimum
                } else {
                    LibraryFunction::Maximum
                };
                let call = Written {
                    name: fold.name(),
                    arguments: &[],
                    keywords: &[],
                    span,
                };
                self.numeric(function, vec![Number::Typed(old), element], call)?
            }
            Fold::Any | Fold::All => {
                let element = self.convert(truth(element), DType::Bool, span)?;
                let operator = if fold == Fold::Any {
                    Ir::BitOr
                } else {
                    Ir::BitAnd
                };
                Number::Typed(ir_binary(operator, old, element, span))
            }
            // Where an element is does not come from totals.
            Fold::ArgMinimum | Fold::ArgMaximum => return None,
        };
        self.convert(next, dtype, span)
    }

    /// The number that elements along one axis make, by a loop in `code`.
    pub(super) fn fold_along(
        &mut self,
        fold: Fold,
        size: &Expression,
        span: Span,
        code: &mut Vec<Statement>,
        mut element: impl FnMut(&mut Self, &Expression, &mut Vec<Statement>) -> Option<Number>,
    ) -> Option<Number> {
        if fold.is_place() {
            return self.place_along(fold, size, span, code, &mut element);
        }
        let probe = element(self, &index_literal(0, span), &mut Vec::new())?;
        let dtype = fold.dtype(self.own_dtype(&probe))?;
        let total = self.started(fold, dtype, span, code)?;
        // A sum of floats in the order of the elements could not be done by vectors.
        let start = if fold == Fold::Sum && dtype.is_float() {
            self.add_lanes(total, dtype, size, span, code, &mut element)?
        } else {
            index_literal(0, span)
        };
        let rest = folded(Ir::Subtract, size.clone(), start.clone(), span);
        let loops = self.loops_to(&[rest], span, &mut |this, indices, code| {
            let index = folded(Ir::Add, start.clone(), indices[0].clone(), span);
            let indices = [index];
            let number = element(this, &indices[0], code)?;
            let next = this.with_element(fold, total, dtype, number, span)?;
            code.push(assign(total, next, span));
            Some(())
        })?;
        code.extend(loops);
        Some(Number::Typed(variable(total, dtype, span)))
    }

    /// Adds as many elements as fill whole vectors to a total, each to the lane of its place; gives how many.
    fn add_lanes(
        &mut self,
        total: VariableId,
        dtype: DType,
        size: &Expression,
        span: Span,
        code: &mut Vec<Statement>,
        element: &mut impl FnMut(&mut Self, &Expression, &mut Vec<Statement>) -> Option<Number>,
    ) -> Option<Expression> {
        let count = LANES_BYTES / dtype.size_bytes() as i64;
        let lanes: Vec<_> = (0..count).map(|_| self.hidden_variable(dtype)).collect();
        let width = index_literal(count, span);
        let rounds = folded(Ir::FloorDivide, size.clone(), width.clone(), span);
        let rounds = self.bind(rounds, span, code);
        let mut long = Vec::new();
        let zero = Expression::literal(Literal::zero(dtype), span);
        for lane in &lanes {
            long.push(assign(*lane, zero.clone(), span));
        }
        let loops = self.loops_to(
            std::slice::from_ref(&rounds),
            span,
            &mut |this, indices, code| {
                let first = folded(Ir::Multiply, indices[0].clone(), width.clone(), span);
                let first = this.bind(first, span, code);
                for (lane, place) in lanes.iter().zip(0..) {
                    let index = folded(Ir::Add, first.clone(), index_literal(place, span), span);
                    let number = element(this, &index, code)?;
                    let next = this.with_element(Fold::Sum, *lane, dtype, number, span)?;
                    code.push(assign(*lane, next, span));
                }
                Some(())
            },
        )?;
        long.extend(loops);
        // In pairs, as vectors are added up.
        let mut sums: Vec<_> = lanes
            .iter()
            .map(|lane| variable(*lane, dtype, span))
            .collect();
        while sums.len() > 1 {
            let half = sums.len() / 2;
            let others = sums.split_off(half);
            let pairs = sums.into_iter().zip(others);
            sums = pairs
                .map(|(one, other)| ir_binary(Ir::Add, one, other, span))
                .collect();
        }
        let sum = ir_binary(Ir::Add, variable(total, dtype, span), sums.pop()?, span);
        long.push(assign(total, sum, span));
        let is_long = ir_binary(Ir::Greater, rounds.clone(), index_literal(0, span), span);
        code.push(super::loops::branch(is_long, long, Vec::new(), span));
        let start = folded(Ir::Multiply, rounds, width, span);
        Some(self.bind(start, span, code))
    }

    /// Writes sums along an axis that is not the last: rows are added to a row, so that elements that lie side by side
    /// are added at the same time. `None` if the elements are something else.
    pub(super) fn add_rows(
        &mut self,
        target: &Region,
        elements: &Elements,
        extents: &Extents,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let Tree::Fold {
            fold: Fold::Sum,
            axis,
            size: (part, of_axis),
            of,
        } = &elements.tree
        else {
            return None;
        };
        let dtype = self.array(target.array).dtype;
        let (axis, ndim) = (*axis, target.shape.len());
        if axis >= ndim || elements.ndim != ndim || elements.dtype != dtype || dtype.is_complex() {
            return None;
        }
        let size = elements.parts[*part].shape[*of_axis].clone();
        let strides: Vec<_> = elements
            .parts
            .iter()
            .map(|part| part.strides.clone())
            .collect();
        let (outer, inner) = extents.sizes.split_at(axis);
        let (targets, target_strides) = ([target.clone()], [target.strides.clone()]);
        let place = |outer: &[Expression], inner: &[Expression]| {
            let indices: Vec<_> = outer.iter().chain(inner).cloned().collect();
            let at = At {
                parts: &targets,
                strides: &target_strides,
                indices: &indices,
            };
            at.place(0, span)
        };
        let flat = self.flat(target.array);
        let store = |place: Expression, value: Expression| {
            let kind = StatementKind::Store {
                array: flat,
                indices: vec![place],
                value,
            };
            Statement { kind, span }
        };
        // Several rows at a time, so that each sum is read and written once for all of them.
        let width = index_literal(ROWS, span);
        let groups = folded(Ir::FloorDivide, size.clone(), width.clone(), span);
        let mut before = Vec::new();
        let groups = self.bind(groups, span, &mut before);
        let done = folded(Ir::Multiply, groups.clone(), width.clone(), span);
        let done = self.bind(done, span, &mut before);
        let rest = folded(Ir::Subtract, size, done.clone(), span);
        let rest = self.bind(rest, span, &mut before);
        let mut loops = self.loops_to(outer, span, &mut |this, outer, code| {
            let zero = Expression::literal(Literal::zero(dtype), span);
            code.extend(this.loops_to(inner, span, &mut |_, inner, code| {
                code.push(store(place(outer, inner), zero.clone()));
                Some(())
            })?);
            for (count, first, together) in [
                (&groups, index_literal(0, span), ROWS),
                (&rest, done.clone(), 1),
            ] {
                let rows = this.loops_to(
                    std::slice::from_ref(count),
                    span,
                    &mut |this, group, code| {
                        let start = folded(
                            Ir::Multiply,
                            group[0].clone(),
                            index_literal(together, span),
                            span,
                        );
                        let start = folded(Ir::Add, first.clone(), start, span);
                        let start = this.bind_now(start, span, code);
                        code.extend(this.loops_to(inner, span, &mut |this, inner, code| {
                            let place = place(outer, inner);
                            let mut sum = this.element_at(targets[0].array, place.clone(), span);
                            for row in 0..together {
                                let row =
                                    folded(Ir::Add, start.clone(), index_literal(row, span), span);
                                let mut indices = outer.to_vec();
                                indices.extend(std::iter::once(&row).chain(inner).cloned());
                                let mut at = At {
                                    parts: &elements.parts,
                                    strides: &strides,
                                    indices: &indices,
                                };
                                let element = this.element(of, &mut at, span, code)?;
                                let element = this.convert(element, dtype, span)?;
                                sum = ir_binary(Ir::Add, sum, element, span);
                            }
                            code.push(store(place, sum));
                            Some(())
                        })?);
                        Some(())
                    },
                )?;
                code.extend(rows);
            }
            Some(())
        })?;
        if !outer.is_empty() && !self.is_in_rounds() {
            let shared = loops.pop().and_then(|outer| self.shared_loop(outer))?;
            loops.push(shared);
        }
        before.extend(loops);
        Some(before)
    }

    /// `sum / count`.
    pub(super) fn mean(&mut self, elements: Elements, span: Span) -> Option<Value> {
        let elements = self.as_floats(elements, span)?;
        let mut code = Vec::new();
        let elements = self.with_bound_parts(elements, span, &mut code);
        let extents = self.extents(
            (&elements.parts, &elements.joins),
            elements.ndim,
            None,
            span,
            &mut code,
        );
        self.before.extend(code);
        let count = product(&extents.sizes, span);
        let dtype = elements.dtype;
        let Value::Scalar(total) = self.fold_all(Fold::Sum, elements, span)? else {
            return None;
        };
        let count = cast(cast(count, DType::F64), dtype);
        Some(Value::Scalar(ir_binary(Ir::Divide, total, count, span)))
    }

    /// Elements as they are averaged: integers as floats.
    pub(super) fn as_floats(&mut self, elements: Elements, span: Span) -> Option<Elements> {
        if !elements.dtype.is_float()
            && !elements.dtype.is_complex()
            && !elements.dtype.is_integer()
        {
            self.not_written_out("`mean` of bools", span);
            return None;
        }
        if !elements.dtype.is_integer() {
            return Some(elements);
        }
        let dtype = self.default_float();
        Some(Elements {
            dtype,
            tree: Tree::Cast(dtype, Box::new(elements.tree)),
            ..elements
        })
    }

    /// Raises an exception if there is nothing to choose from.
    fn refuse_empty(
        &mut self,
        fold: Fold,
        shape: &[Expression],
        span: Span,
        code: &mut Vec<Statement>,
    ) {
        let count = product(shape, span);
        let zero = Expression::literal(Literal::I64(0), span);
        let is_empty = ir_binary(Ir::Equal, count, zero, span);
        let text = problems::no_elements(fold.name());
        let reject = self.shape_error(&text, vec![shape.to_vec()], span);
        code.push(super::loops::branch(is_empty, reject, Vec::new(), span));
    }

    /// Elements whose parts are computed now.
    pub(super) fn with_bound_parts(
        &mut self,
        elements: Elements,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Elements {
        let parts = elements.parts.into_iter();
        let parts = parts
            .map(|part| self.bound_part(part, span, code))
            .collect();
        Elements { parts, ..elements }
    }
}

/// How many elements there are.
pub(super) fn product(sizes: &[Expression], span: Span) -> Expression {
    let one = index_literal(1, span);
    sizes.iter().cloned().fold(one, |product, size| {
        folded(Ir::Multiply, product, size, span)
    })
}
