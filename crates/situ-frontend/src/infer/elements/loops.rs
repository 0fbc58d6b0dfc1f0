//! Loops over all elements, for parts of arrays whose sizes are known when they run.

use situ_ir::{BinaryOperator as Ir, DType, Literal, Span};

use super::folds::product;
use super::places::is_same;
use super::{At, Elements, Join, Tree};
use crate::infer::Inference;
use crate::infer::operators::ir_binary;
use crate::infer::value::Number;
use crate::infer::views::{Region, folded, index_literal};
use crate::typed::{
    ArrayId, Expression, ExpressionKind, ForRange, Parallel, Statement, StatementKind, Step,
    VariableId,
};

/// How many elements are worth a look whether threads should share them.
pub(super) const SHARED_ELEMENTS: i64 = 1 << 13;

/// What loops go over: how many elements there are along each axis, and how the parts fit.
pub(super) struct Extents {
    pub(super) sizes: Vec<Expression>,
    /// Whether every part has an element of its own everywhere; `None` if that is known to be so.
    are_equal: Option<Expression>,
}

impl Extents {
    /// Whether parts may have shapes that broadcast.
    pub(super) fn may_differ(&self) -> bool {
        self.are_equal.is_some()
    }
}

impl At<'_> {
    /// Where a part has its element, counted from the first element of its array.
    pub(super) fn place(&self, part: usize, span: Span) -> Expression {
        let region = &self.parts[part];
        let missing = self.indices.len() - region.shape.len();
        let mut place = region.offset.clone();
        for (index, stride) in self.indices[missing..].iter().zip(&self.strides[part]) {
            let distance = folded(Ir::Multiply, index.clone(), stride.clone(), span);
            place = folded(Ir::Add, place, distance, span);
        }
        place
    }
}

impl Inference<'_, '_, '_> {
    /// An element of an array that lies so many elements after its first one.
    pub(super) fn element_at(
        &mut self,
        array: ArrayId,
        place: Expression,
        span: Span,
    ) -> Expression {
        let dtype = self.array(array).dtype;
        let flat = self.flat(array);
        let kind = ExpressionKind::Element {
            array: flat,
            indices: vec![place],
        };
        Expression::new(kind, dtype, span)
    }

    /// A variable that no name of the user's stands for.
    pub(super) fn hidden_variable(&mut self, dtype: DType) -> VariableId {
        self.hidden += 1;
        self.variable_id(&format!("situ__{dtype}"), self.hidden, dtype)
    }

    /// A part of an array with its numbers computed now.
    pub(super) fn bound_part(
        &mut self,
        part: Region,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Region {
        let offset = self.bind(part.offset, span, code);
        let mut shape = Vec::with_capacity(part.shape.len());
        for size in part.shape {
            let bound = self.bind(size.clone(), span, code);
            self.note_slot(&size, &bound);
            shape.push(bound);
        }
        let strides = part.strides.into_iter();
        let strides = strides.map(|stride| self.bind(stride, span, code));
        let strides = strides.collect();
        Region {
            offset,
            shape,
            strides,
            ..part
        }
    }

    /// How far loops over parts go: to `sizes`, if they are given, or to what the parts broadcast to. Parts that do not
    /// fit raise an exception.
    pub(super) fn extents(
        &mut self,
        (parts, joins): (&[Region], &[Join]),
        ndim: usize,
        target: Option<&[Expression]>,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Extents {
        let mut sizes = Vec::with_capacity(ndim);
        let mut different = Vec::new();
        for axis in 0..ndim {
            // An axis that was made stands for any number of elements.
            let of_axis = parts.iter().filter_map(|part| {
                let own = (axis + part.shape.len()).checked_sub(ndim)?;
                let is_made = is_literal(&part.shape[own], 1) && is_literal(&part.strides[own], 0);
                (!is_made).then(|| &part.shape[own])
            });
            let of_axis: Vec<Expression> = of_axis.cloned().collect();
            let mut size = match target {
                Some(sizes) => sizes[axis].clone(),
                None => of_axis
                    .first()
                    .cloned()
                    .unwrap_or_else(|| index_literal(1, span)),
            };
            if target.is_none() {
                for other in of_axis.iter().skip(1) {
                    if !self.is_same_size(&size, other) {
                        let one = index_literal(1, span);
                        let is_one = ir_binary(Ir::Equal, size.clone(), one, span);
                        let either = choice(is_one, other.clone(), size, span);
                        size = self.bind(either.clone(), span, code);
                        self.note_slot(&either, &size);
                    }
                }
            }
            for other in of_axis {
                if !self.is_same_size(&size, &other) {
                    different.push((other, size.clone()));
                }
            }
            sizes.push(size);
        }
        let are_equal = different
            .iter()
            .map(|(own, size)| ir_binary(Ir::Equal, own.clone(), size.clone(), span))
            .reduce(|all, one| ir_binary(Ir::BitAnd, all, one, span));
        let are_equal = are_equal.map(|equal| self.bind(equal, span, code));
        if let Some(are_equal) = &are_equal {
            let misfits = different.into_iter().map(|(own, size)| {
                let one = index_literal(1, span);
                let is_other = ir_binary(Ir::NotEqual, own.clone(), size, span);
                let is_several = ir_binary(Ir::NotEqual, own, one, span);
                ir_binary(Ir::BitAnd, is_other, is_several, span)
            });
            let misfits = misfits.reduce(|any, one| ir_binary(Ir::BitOr, any, one, span));
            let mut reject = self.operand_mismatches(parts, joins);
            // Where nothing is stored, one of the operations is at fault.
            if target.is_some() || joins.is_empty() {
                reject.extend(self.shape_mismatch(parts, target, span));
            }
            let check = misfits.map(|misfits| branch(misfits, reject, Vec::new(), span));
            let kind = StatementKind::If {
                condition: are_equal.clone(),
                accept: Vec::new(),
                reject: check.into_iter().collect(),
            };
            code.push(Statement { kind, span });
        }
        self.note_sizes(&sizes);
        Extents { sizes, are_equal }
    }

    /// Raises an exception for the first operation whose operands do not fit.
    fn operand_mismatches(&mut self, parts: &[Region], joins: &[Join]) -> Vec<Statement> {
        let mut code = Vec::new();
        if parts.is_empty() {
            return code;
        }
        for join in joins {
            let span = join.span;
            let operands = join.operands.iter();
            let shapes: Vec<Vec<Expression>> = operands
                .map(|range| self.common_shape(&parts[range.clone()], span, &mut code))
                .collect();
            let mut misfits = Vec::new();
            for (position, shape) in shapes.iter().enumerate() {
                for other in &shapes[position + 1..] {
                    for (one, two) in shape.iter().rev().zip(other.iter().rev()) {
                        let unlike = |size: &Expression, to: Expression| {
                            ir_binary(Ir::NotEqual, size.clone(), to, span)
                        };
                        let differ = unlike(one, two.clone());
                        let several = ir_binary(
                            Ir::BitAnd,
                            unlike(one, index_literal(1, span)),
                            unlike(two, index_literal(1, span)),
                            span,
                        );
                        misfits.push(ir_binary(Ir::BitAnd, differ, several, span));
                    }
                }
            }
            let any = |any, one| ir_binary(Ir::BitOr, any, one, span);
            if let Some(misfit) = misfits.into_iter().reduce(any) {
                let reject = self.combination_error(shapes, span);
                code.push(branch(misfit, reject, Vec::new(), span));
            }
        }
        code
    }

    /// The shape that parts broadcast to.
    fn common_shape(
        &mut self,
        parts: &[Region],
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Vec<Expression> {
        let ndim = parts.iter().map(|part| part.shape.len()).max().unwrap_or(0);
        let mut shape = vec![index_literal(1, span); ndim];
        for part in parts {
            let missing = ndim - part.shape.len();
            for (size, own) in shape[missing..].iter_mut().zip(&part.shape) {
                if is_literal(size, 1) {
                    *size = own.clone();
                } else if !is_same(size, own) {
                    let one = index_literal(1, span);
                    let is_one = ir_binary(Ir::Equal, size.clone(), one, span);
                    let either = choice(is_one, own.clone(), size.clone(), span);
                    *size = self.bind(either, span, code);
                }
            }
        }
        shape
    }

    /// Loops over all elements; `body` gets the element at each place. Where shapes differ, parts of one element stand
    /// for many; the common case, in which they do not, has loops of its own, which LLVM vectorises.
    pub(super) fn for_each_element(
        &mut self,
        elements: &Elements,
        extents: &Extents,
        span: Span,
        body: &mut impl FnMut(&mut Self, Number, &[Expression], &mut Vec<Statement>) -> Option<()>,
    ) -> Option<Vec<Statement>> {
        self.with_strides(elements, extents, span, &mut |this, strides| {
            this.nest(elements, strides, &extents.sizes, span, body)
        })
    }

    /// The same where elements do not depend on each other: many are shared among threads.
    pub(super) fn for_each_element_at_once(
        &mut self,
        elements: &Elements,
        extents: &Extents,
        span: Span,
        body: &mut impl FnMut(&mut Self, Number, &[Expression], &mut Vec<Statement>) -> Option<()>,
    ) -> Option<Vec<Statement>> {
        let is_small = extents
            .sizes
            .iter()
            .all(|size| matches!(size.kind, ExpressionKind::Literal(_)));
        // Rounds of a worker stay on its thread.
        if is_small || self.is_in_rounds() {
            return self.for_each_element(elements, extents, span, body);
        }
        let strides: Vec<_> = elements
            .parts
            .iter()
            .map(|part| part.strides.clone())
            .collect();
        let loops = self.nest(elements, &strides, &extents.sizes, span, body)?;
        let [outer] = <[Statement; 1]>::try_from(loops).ok()?;
        let rounds = vec![self.shared_loop(outer)?];
        // Rows are so much work that the call of a function for a few does not matter.
        if extents.are_equal.is_none() && extents.sizes.len() > 1 {
            return Some(rounds);
        }
        let serial = self.for_each_element(elements, extents, span, body)?;
        // Elements that are sums of many others are as much work as those.
        let mut axes = Vec::new();
        elements.tree.fold_axes(&mut axes);
        let folded_sizes = axes
            .first()
            .map(|&(part, axis)| elements.parts[part].shape[axis].clone());
        let sizes: Vec<_> = extents.sizes.iter().cloned().chain(folded_sizes).collect();
        let count = product(&sizes, span);
        let least = index_literal(SHARED_ELEMENTS, span);
        let mut is_large = ir_binary(Ir::GreaterEqual, count, least, span);
        if let Some(are_equal) = &extents.are_equal {
            is_large = ir_binary(Ir::BitAnd, is_large, are_equal.clone(), span);
        }
        Some(vec![branch(is_large, rounds, serial, span)])
    }

    /// What `make` makes of the strides of the parts: once as they are, for parts of the same shape, and once for
    /// shapes that differ.
    pub(super) fn with_strides(
        &mut self,
        elements: &Elements,
        extents: &Extents,
        span: Span,
        make: &mut impl FnMut(&mut Self, &[Vec<Expression>]) -> Option<Vec<Statement>>,
    ) -> Option<Vec<Statement>> {
        let strides: Vec<_> = elements
            .parts
            .iter()
            .map(|part| part.strides.clone())
            .collect();
        let fast = make(self, &strides)?;
        let Some(are_equal) = &extents.are_equal else {
            return Some(fast);
        };
        let mut slow = Vec::new();
        let mut strides = Vec::with_capacity(elements.parts.len());
        for part in &elements.parts {
            let mut own = Vec::with_capacity(part.shape.len());
            for (size, stride) in part.shape.iter().zip(&part.strides) {
                let one = index_literal(1, span);
                let is_one = ir_binary(Ir::Equal, size.clone(), one, span);
                let zero = index_literal(0, span);
                let stride = choice(is_one, zero, stride.clone(), span);
                own.push(self.bind(stride, span, &mut slow));
            }
            strides.push(own);
        }
        slow.extend(make(self, &strides)?);
        Some(vec![branch(are_equal.clone(), fast, slow, span)])
    }

    fn nest(
        &mut self,
        elements: &Elements,
        strides: &[Vec<Expression>],
        sizes: &[Expression],
        span: Span,
        body: &mut impl FnMut(&mut Self, Number, &[Expression], &mut Vec<Statement>) -> Option<()>,
    ) -> Option<Vec<Statement>> {
        self.loops_to(sizes, span, &mut |this, indices, code| {
            let mut at = At {
                parts: &elements.parts,
                strides,
                indices,
            };
            let element = this.element(&elements.tree, &mut at, span, code)?;
            body(this, element, indices, code)
        })
    }

    /// Loops that count to sizes, the last one innermost.
    pub(super) fn loops_to(
        &mut self,
        sizes: &[Expression],
        span: Span,
        body: &mut impl FnMut(&mut Self, &[Expression], &mut Vec<Statement>) -> Option<()>,
    ) -> Option<Vec<Statement>> {
        let counters: Vec<_> = sizes
            .iter()
            .map(|_| self.hidden_variable(DType::I64))
            .collect();
        let indices: Vec<_> = counters
            .iter()
            .map(|counter| variable(*counter, DType::I64, span))
            .collect();
        let mut code = Vec::new();
        body(self, &indices, &mut code)?;
        for (counter, size) in counters.into_iter().zip(sizes).rev() {
            let loop_ = ForRange {
                variable: counter,
                start: index_literal(0, span),
                stop: size.clone(),
                step: Step::Constant(1),
                body: code,
            };
            let kind = StatementKind::For(loop_);
            code = vec![Statement { kind, span }];
        }
        Some(code)
    }

    /// Rounds that may run at the same time; `body` gets the number of the round.
    pub(super) fn rounds_to(
        &mut self,
        count: &Expression,
        span: Span,
        body: &mut impl FnMut(&mut Self, &Expression, &mut Vec<Statement>) -> Option<()>,
    ) -> Option<Statement> {
        let loops = self.loops_to(
            std::slice::from_ref(count),
            span,
            &mut |this, indices, code| body(this, &indices[0], code),
        )?;
        loops
            .into_iter()
            .next()
            .and_then(|outer| self.shared_loop(outer))
    }

    /// A loop whose rounds may run at the same time.
    pub(super) fn shared_loop(&mut self, loop_: Statement) -> Option<Statement> {
        let StatementKind::For(outer) = loop_.kind else {
            return None;
        };
        self.hidden += 1;
        let worker = self.variable_id(&format!("situ__worker{}", self.hidden), 0, DType::I64);
        let kind = StatementKind::Parallel(Parallel {
            count: outer.stop,
            index: outer.variable,
            worker,
            body: outer.body,
        });
        Some(Statement {
            kind,
            span: loop_.span,
        })
    }

    /// One number made of elements along an axis, by a loop inside of the loops over the others.
    pub(super) fn folded_element(
        &mut self,
        (fold, axis, size): (super::Fold, usize, Expression),
        of: &Tree,
        at: &mut At<'_>,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<Number> {
        let (parts, strides) = (at.parts, at.strides);
        let outer = at.indices.to_vec();
        let element = |this: &mut Self, index: &Expression, code: &mut Vec<Statement>| {
            let mut indices = outer.clone();
            indices.insert(axis, index.clone());
            let mut inner = At {
                parts,
                strides,
                indices: &indices,
            };
            this.element(of, &mut inner, span, code)
        };
        self.fold_along(fold, &size, span, code, element)
    }
}

/// `accept if condition else reject` of indices.
pub(super) fn choice(
    condition: Expression,
    accept: Expression,
    reject: Expression,
    span: Span,
) -> Expression {
    let dtype = accept.dtype;
    let kind = ExpressionKind::Conditional {
        condition: Box::new(condition),
        accept: Box::new(accept),
        reject: Box::new(reject),
    };
    Expression::new(kind, dtype, span)
}

pub(super) fn branch(
    condition: Expression,
    accept: Vec<Statement>,
    reject: Vec<Statement>,
    span: Span,
) -> Statement {
    let kind = StatementKind::If {
        condition,
        accept,
        reject,
    };
    Statement { kind, span }
}

pub(super) fn variable(id: VariableId, dtype: DType, span: Span) -> Expression {
    Expression::new(ExpressionKind::Variable(id), dtype, span)
}

pub(super) fn assign(variable: VariableId, value: Expression, span: Span) -> Statement {
    let kind = StatementKind::Assign { variable, value };
    Statement { kind, span }
}

/// Whether an index is known to be this number.
pub(super) fn is_literal(index: &Expression, value: i64) -> bool {
    matches!(index.kind, ExpressionKind::Literal(Literal::I64(own)) if own == value)
}
