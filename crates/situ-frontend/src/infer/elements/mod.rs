//! Array expressions in functions of the host: what their elements are, and loops that compute them.
//!
//! `a[i, :k] * b + 1.0` is a value like any other, [`Elements`]: the parts of arrays that it reads and a tree of
//! operations on one element of each. Nothing is computed until something needs it: a store to a part of an array, a
//! name, a sum. Then loops over all elements are written, and everything after this file sees numbers only.
//!
//! Dtypes are those of the array library: arrays promote each other, and numbers with the dtype of a Python number
//! take that of the arrays they meet. What would differ from the array library is refused, so that the function is
//! walked instead ([`Inference::not_written_out`]).

mod bounds;
mod called;
mod dtypes;
mod folds;
mod gathers;
mod loops;
mod matrices;
mod memory;
mod methods;
mod places;
mod scans;
mod sizes;
mod stores;

use std::ops::Range;

use situ_ir::{DType, Span};

use crate::infer::calls::Written;
use crate::infer::library::LibraryFunction;
use crate::infer::value::{Number, Object, ObjectKind, Static, Value};
use crate::infer::views::{Region, index_literal};
use crate::infer::{Inference, problems};
use crate::syntax::{self, BinaryOperator, ComparisonOperator, UnaryOperator};
use crate::typed::{Expression, Statement};

pub use bounds::SizeBound;
pub(in crate::infer) use called::{HEAD, has_arrays, memory_names};
pub(crate) use folds::Fold;
pub(in crate::infer) use memory::contiguous_strides;
pub use memory::{ARENA_WORDS, FIRST_ARENA};
pub(crate) use memory::{HEAP_FUNCTIONS, HEAP_SOURCE, heap_name, place_name};
pub(in crate::infer) use methods::array_method;
pub(crate) use methods::{ArrayFunction, array_function};
pub(in crate::infer) use sizes::Form;

/// An array expression.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(super) ndim: usize,
    pub(super) dtype: DType,
    tree: Tree,
    /// What the leaves of the tree read.
    parts: Vec<Region>,
    /// Which parts meet where, in the order of evaluation: to say which operation has operands that do not fit.
    joins: Vec<Join>,
}

/// An operation and the parts that each of its operands reads.
#[derive(Clone, Debug)]
struct Join {
    operands: Vec<Range<usize>>,
    span: Span,
}

impl Join {
    /// The same where parts come after so many others.
    fn moved(self, by: usize) -> Self {
        let operands = self.operands.into_iter();
        let operands = operands.map(|parts| parts.start + by..parts.end + by);
        Self {
            operands: operands.collect(),
            span: self.span,
        }
    }
}

/// How one element is computed.
#[derive(Clone, Debug)]
enum Tree {
    /// An element of one of the parts.
    Part(usize),
    Number(Number),
    Cast(DType, Box<Tree>),
    Unary(UnaryOperator, Box<Tree>),
    Binary(BinaryOperator, Box<Tree>, Box<Tree>),
    Compare(ComparisonOperator, Box<Tree>, Box<Tree>),
    Call(LibraryFunction, Vec<Tree>),
    /// The element of a vector at an index that is itself an element.
    Gather(Box<Region>, Box<Tree>),
    /// Elements along an axis made into one.
    Fold {
        fold: Fold,
        axis: usize,
        /// One of the parts and its axis, whose size says how many there are.
        size: (usize, usize),
        of: Box<Tree>,
    },
}

impl Tree {
    /// The same tree where parts come after so many others.
    fn moved(self, by: usize) -> Self {
        match self {
            Self::Part(part) => Self::Part(part + by),
            Self::Number(number) => Self::Number(number),
            Self::Cast(dtype, of) => Self::Cast(dtype, Box::new(of.moved(by))),
            Self::Unary(operator, of) => Self::Unary(operator, Box::new(of.moved(by))),
            Self::Binary(operator, left, right) => Self::Binary(
                operator,
                Box::new(left.moved(by)),
                Box::new(right.moved(by)),
            ),
            Self::Compare(operator, left, right) => Self::Compare(
                operator,
                Box::new(left.moved(by)),
                Box::new(right.moved(by)),
            ),
            Self::Call(function, operands) => {
                let operands = operands.into_iter().map(|each| each.moved(by));
                Self::Call(function, operands.collect())
            }
            Self::Gather(from, index) => Self::Gather(from, Box::new(index.moved(by))),
            Self::Fold {
                fold,
                axis,
                size: (part, of_axis),
                of,
            } => Self::Fold {
                fold,
                axis,
                size: (part + by, of_axis),
                of: Box::new(of.moved(by)),
            },
        }
    }

    /// The parts and their axes along which loops compute an element.
    fn fold_axes(&self, axes: &mut Vec<(usize, usize)>) {
        match self {
            Self::Part(_) | Self::Number(_) => {}
            Self::Cast(_, of) | Self::Unary(_, of) | Self::Gather(_, of) => of.fold_axes(axes),
            Self::Binary(_, left, right) | Self::Compare(_, left, right) => {
                left.fold_axes(axes);
                right.fold_axes(axes);
            }
            Self::Call(_, operands) => operands.iter().for_each(|each| each.fold_axes(axes)),
            Self::Fold { size, of, .. } => {
                axes.push(*size);
                of.fold_axes(axes);
            }
        }
    }

    /// Whether an element takes a loop to compute.
    fn has_fold(&self) -> bool {
        match self {
            Self::Fold { .. } => true,
            Self::Part(_) | Self::Number(_) => false,
            Self::Cast(_, of) | Self::Unary(_, of) => of.has_fold(),
            Self::Binary(_, left, right) | Self::Compare(_, left, right) => {
                left.has_fold() || right.has_fold()
            }
            Self::Call(_, operands) => operands.iter().any(Self::has_fold),
            Self::Gather(_, index) => index.has_fold(),
        }
    }

    /// Calls `visit` with the vectors that elements are gathered from, and the indices.
    fn for_each_gathered(&self, visit: &mut impl FnMut(&Region, &Self)) {
        match self {
            Self::Part(_) | Self::Number(_) => {}
            Self::Cast(_, of) | Self::Unary(_, of) | Self::Fold { of, .. } => {
                of.for_each_gathered(visit);
            }
            Self::Binary(_, left, right) | Self::Compare(_, left, right) => {
                left.for_each_gathered(visit);
                right.for_each_gathered(visit);
            }
            Self::Call(_, operands) => {
                for operand in operands {
                    operand.for_each_gathered(visit);
                }
            }
            Self::Gather(from, index) => {
                visit(from, index);
                index.for_each_gathered(visit);
            }
        }
    }
}

/// An operand of an array operation.
pub(super) enum Operand {
    Elements(Elements),
    Number(Number),
}

/// What is computed of operands, element by element.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    Compare(ComparisonOperator),
    Call(LibraryFunction),
}

impl Elements {
    /// All elements of a part of an array.
    fn of(part: Region, dtype: DType) -> Self {
        Self {
            ndim: part.shape.len(),
            dtype,
            tree: Tree::Part(0),
            parts: vec![part],
            joins: Vec::new(),
        }
    }

    /// The part of an array that these elements are, if nothing is computed.
    fn as_part(&self) -> Option<&Region> {
        match self.tree {
            Tree::Part(part) => self.parts.get(part),
            _ => None,
        }
    }
}

impl Inference<'_, '_, '_> {
    /// Whether array expressions are written out as loops here.
    pub(super) fn writes_out_arrays(&self) -> bool {
        self.program.options.writes_out_arrays()
    }

    /// Whether a value is an array of at least one dimension, or an array expression.
    pub(super) fn is_array(&self, value: &Value) -> bool {
        match value {
            Value::Static(Static::Array(array)) => self.array(*array).ndim > 0,
            Value::Object(Object {
                kind: ObjectKind::View { .. },
                ..
            })
            | Value::Elements(_) => true,
            _ => false,
        }
    }

    /// Refuses what compiled code does not write out, or not as the array library would compute it.
    pub(super) fn not_written_out(&mut self, what: &str, span: Span) {
        self.report(problems::not_written_out(what, span));
    }

    /// Runs something that may not be written out, and reports that if nothing else was reported.
    pub(super) fn told<T>(
        &mut self,
        what: &str,
        span: Span,
        run: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let reported = self.failure.own.len() + self.failure.callees.len();
        let result = run(self);
        if result.is_none() && self.failure.own.len() + self.failure.callees.len() == reported {
            self.not_written_out(what, span);
        }
        result
    }

    /// The elements of a value that is an array; the value again if it is something else.
    pub(super) fn elements(&mut self, value: Value, span: Span) -> Result<Elements, Value> {
        match value {
            Value::Elements(elements) => Ok(*elements),
            Value::Static(Static::Array(array)) if self.array(array).ndim > 0 => {
                let dtype = self.array(array).dtype;
                let whole = self.whole(array, span);
                Ok(Elements::of(whole, dtype))
            }
            Value::Object(ref object) => match Self::region(object) {
                Some(region) => {
                    let dtype = self.array(region.array).dtype;
                    Ok(Elements::of(region, dtype))
                }
                None => Err(value),
            },
            other => Err(other),
        }
    }

    /// An operand of an array operation; what is neither an array nor a number is reported.
    pub(super) fn operand(&mut self, value: Value, span: Span) -> Option<Operand> {
        match self.elements(value, span) {
            // What takes a loop for each element is computed once.
            Ok(elements) if elements.tree.has_fold() => {
                let kept = self.in_memory(elements, span)?;
                self.elements(kept, span).ok().map(Operand::Elements)
            }
            Ok(elements) => Some(Operand::Elements(elements)),
            Err(Value::Static(Static::Array(array))) => {
                // An array without dimensions is its only element.
                let dtype = self.array(array).dtype;
                let kind = crate::typed::ExpressionKind::Element {
                    array,
                    indices: Vec::new(),
                };
                let number = Number::Typed(Expression::new(kind, dtype, span));
                Some(Operand::Number(number))
            }
            Err(other) => self.as_number(other, span).map(Operand::Number),
        }
    }

    /// `operation` of operands of which at least one is an array.
    pub(super) fn elementwise(
        &mut self,
        operation: Operation,
        values: Vec<Value>,
        span: Span,
    ) -> Value {
        let mut operands = Vec::with_capacity(values.len());
        for value in values {
            let Some(operand) = self.operand(value, span) else {
                return Value::Unknown;
            };
            operands.push(operand);
        }
        let Some(dtypes) = self.operand_dtypes(operation, &operands, span) else {
            return Value::Unknown;
        };
        let mut parts = Vec::new();
        let mut joins = Vec::new();
        let mut joined = Vec::new();
        let mut trees = Vec::with_capacity(operands.len());
        let mut ndim = 0;
        for (operand, dtype) in operands.into_iter().zip(dtypes) {
            let tree = match operand {
                Operand::Elements(elements) => {
                    ndim = ndim.max(elements.ndim);
                    let before = parts.len();
                    let tree = elements.tree.moved(before);
                    joins.extend(elements.joins.into_iter().map(|join| join.moved(before)));
                    parts.extend(elements.parts);
                    joined.push(before..parts.len());
                    if elements.dtype == dtype {
                        tree
                    } else {
                        Tree::Cast(dtype, Box::new(tree))
                    }
                }
                // What is done with a constant may depend on its value.
                Operand::Number(Number::Constant(constant))
                    if constant.to_literal(dtype).is_some() =>
                {
                    Tree::Number(Number::Constant(constant))
                }
                Operand::Number(number) => {
                    let Some(number) = self.convert(number, dtype, span) else {
                        return Value::Unknown;
                    };
                    let mut before = std::mem::take(&mut self.before);
                    let number = self.bind(number, span, &mut before);
                    self.before = before;
                    Tree::Number(Number::Typed(number))
                }
            };
            trees.push(tree);
        }
        let mut trees = trees.into_iter();
        let mut next = || Box::new(trees.next().expect("an operand for each place"));
        let tree = match operation {
            Operation::Unary(operator) => Tree::Unary(operator, next()),
            Operation::Binary(operator) => Tree::Binary(operator, next(), next()),
            Operation::Compare(operator) => Tree::Compare(operator, next(), next()),
            Operation::Call(function) => Tree::Call(function, trees.collect()),
        };
        if joined.len() > 1 {
            joins.push(Join {
                operands: joined,
                span,
            });
        }
        match self.finished(tree, parts, ndim, span) {
            Value::Elements(mut elements) => {
                elements.joins = joins;
                Value::Elements(elements)
            }
            other => other,
        }
    }

    /// `first operator second` of arrays, tuples or numbers.
    pub(super) fn compared(
        &mut self,
        operator: ComparisonOperator,
        [first, second]: [&syntax::Expression; 2],
        span: Span,
    ) -> Option<Value> {
        let values = [self.value(first), self.value(second)];
        if values.iter().any(|value| self.is_array(value)) {
            return Some(self.elementwise(Operation::Compare(operator), values.into(), span));
        }
        let [left, right] = values;
        let number = if matches!(left, Value::Tuple(_)) {
            self.compared_tuples(operator, left, right, span)?
        } else {
            let left = self.as_number(left, first.span);
            let right = self.as_number(right, second.span);
            self.compare(operator, left?, right?, span)?
        };
        Some(number.into())
    }

    /// The value of a tree: what dtype it has is what one element of it has.
    fn finished(&mut self, tree: Tree, parts: Vec<Region>, ndim: usize, span: Span) -> Value {
        let zeros = vec![index_literal(0, span); ndim];
        let strides: Vec<_> = parts.iter().map(|part| part.strides.clone()).collect();
        let mut code = Vec::new();
        let mut at = At {
            parts: &parts,
            strides: &strides,
            indices: &zeros,
        };
        let Some(element) = self.element(&tree, &mut at, span, &mut code) else {
            return Value::Unknown;
        };
        Value::Elements(Box::new(Elements {
            ndim,
            dtype: self.own_dtype(&element),
            tree,
            parts,
            joins: Vec::new(),
        }))
    }

    /// One element of a tree; what takes statements is appended to `code`.
    fn element(
        &mut self,
        tree: &Tree,
        at: &mut At<'_>,
        span: Span,
        code: &mut Vec<Statement>,
    ) -> Option<Number> {
        Some(match tree {
            Tree::Part(part) => {
                let region = &at.parts[*part];
                let place = at.place(*part, span);
                Number::Typed(self.element_at(region.array, place, span))
            }
            Tree::Number(number) => number.clone(),
            Tree::Cast(dtype, of) => {
                let of = self.element(of, at, span, code)?;
                Number::Typed(self.convert(of, *dtype, span)?)
            }
            Tree::Unary(operator, of) => {
                let of = self.element(of, at, span, code)?;
                self.unary(*operator, of, span)?
            }
            Tree::Binary(operator, left, right) => {
                let left = self.element(left, at, span, code)?;
                let right = self.element(right, at, span, code)?;
                self.binary(*operator, left, right, span)?
            }
            Tree::Compare(operator, left, right) => {
                let left = self.element(left, at, span, code)?;
                let right = self.element(right, at, span, code)?;
                self.compare(*operator, left, right, span)?
            }
            Tree::Call(function, operands) => {
                let mut numbers = Vec::with_capacity(operands.len());
                for operand in operands {
                    numbers.push(self.element(operand, at, span, code)?);
                }
                let call = Written {
                    name: "this",
                    arguments: &[],
                    keywords: &[],
                    span,
                };
                self.numeric(*function, numbers, call)?
            }
            Tree::Gather(from, index) => {
                let index = self.element(index, at, span, code)?;
                Number::Typed(self.gathered(from, index, span, code)?)
            }
            Tree::Fold {
                fold,
                axis,
                size: (part, of_axis),
                of,
            } => {
                let size = at.parts[*part].shape[*of_axis].clone();
                self.folded_element((*fold, *axis, size), of, at, span, code)?
            }
        })
    }
}

/// The place of an element: indices, and what they mean for each part.
struct At<'a> {
    parts: &'a [Region],
    /// How far apart elements of each part are along its axes; zero where one element stands for all.
    strides: &'a [Vec<Expression>],
    indices: &'a [Expression],
}
