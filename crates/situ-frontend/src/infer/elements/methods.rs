//! Functions and methods of arrays: `np.sum(x)`, `x.copy()`, `np.zeros(n)`.

use situ_ir::{BinaryOperator as Ir, DType, MathFunction, Span};

use super::folds::{Fold, product};
use super::loops::branch;
use super::memory::contiguous_strides;
use super::scans::Joining;
use super::{Elements, Operation, Tree};
use crate::infer::calls::Written;
use crate::infer::library::LibraryFunction;
use crate::infer::operators::ir_binary;
use crate::infer::value::{Number, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::infer::{Inference, constants};
use crate::syntax;
use crate::typed::{Expression, Statement, StatementKind};

/// A function of whole arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayFunction {
    Fold(Fold),
    Mean,
    Variance,
    /// `std`, the root of the variance.
    Deviation,
    /// The totals up to each element.
    Scan(Fold),
    Join(Joining),
    /// One dimension: a view if possible.
    Ravel,
    Flatten,
    Product,
    Outer,
    Copy,
    /// `x.astype(dtype)`.
    Convert,
    /// A new array of a shape, filled with a number unless that is `None`.
    New(Option<i8>),
    /// The same with the shape and dtype of another array.
    NewLike(Option<i8>),
    /// `np.full(shape, value)`.
    Full,
    FullLike,
    /// `np.arange` of integers.
    Range,
    Reshape,
    Transpose,
}

/// The function of NumPy's with this name, if it is one of whole arrays.
pub(crate) fn array_function(name: &str) -> Option<ArrayFunction> {
    Some(match name {
        "sum" => ArrayFunction::Fold(Fold::Sum),
        "prod" => ArrayFunction::Fold(Fold::Product),
        "min" | "amin" => ArrayFunction::Fold(Fold::Minimum),
        "max" | "amax" => ArrayFunction::Fold(Fold::Maximum),
        "any" => ArrayFunction::Fold(Fold::Any),
        "all" => ArrayFunction::Fold(Fold::All),
        "argmin" => ArrayFunction::Fold(Fold::ArgMinimum),
        "argmax" => ArrayFunction::Fold(Fold::ArgMaximum),
        "mean" => ArrayFunction::Mean,
        "var" => ArrayFunction::Variance,
        "std" => ArrayFunction::Deviation,
        "cumsum" => ArrayFunction::Scan(Fold::Sum),
        "cumprod" => ArrayFunction::Scan(Fold::Product),
        "concatenate" | "concat" => ArrayFunction::Join(Joining::Concatenate),
        "hstack" => ArrayFunction::Join(Joining::Horizontal),
        "vstack" => ArrayFunction::Join(Joining::Vertical),
        "column_stack" => ArrayFunction::Join(Joining::Columns),
        "ravel" => ArrayFunction::Ravel,
        "dot" | "matmul" => ArrayFunction::Product,
        "outer" => ArrayFunction::Outer,
        "copy" => ArrayFunction::Copy,
        "empty" => ArrayFunction::New(None),
        "zeros" => ArrayFunction::New(Some(0)),
        "ones" => ArrayFunction::New(Some(1)),
        "empty_like" => ArrayFunction::NewLike(None),
        "zeros_like" => ArrayFunction::NewLike(Some(0)),
        "ones_like" => ArrayFunction::NewLike(Some(1)),
        "full" => ArrayFunction::Full,
        "full_like" => ArrayFunction::FullLike,
        "arange" => ArrayFunction::Range,
        "reshape" => ArrayFunction::Reshape,
        "transpose" => ArrayFunction::Transpose,
        _ => return None,
    })
}

/// The method of arrays with this name.
pub(in crate::infer) fn array_method(name: &str) -> Option<ArrayFunction> {
    match name {
        "astype" => Some(ArrayFunction::Convert),
        "flatten" => Some(ArrayFunction::Flatten),
        "sum" | "prod" | "min" | "max" | "any" | "all" | "argmin" | "argmax" | "mean" | "var"
        | "std" | "cumsum" | "cumprod" | "ravel" | "dot" | "copy" | "reshape" | "transpose" => {
            array_function(name)
        }
        _ => None,
    }
}

impl Inference<'_, '_, '_> {
    /// A call of a function of arrays, or of a method: then `owner` comes before the arguments.
    pub(in crate::infer) fn array_call(
        &mut self,
        function: ArrayFunction,
        owner: Option<Value>,
        call: Written<'_>,
    ) -> Value {
        let what = format!("this call of `{}`", call.name);
        self.told(&what, call.span, |this| {
            this.array_result(function, owner, call)
        })
        .unwrap_or(Value::Unknown)
    }

    fn array_result(
        &mut self,
        function: ArrayFunction,
        owner: Option<Value>,
        call: Written<'_>,
    ) -> Option<Value> {
        let span = call.span;
        let mut given: Vec<Value> = owner.into_iter().collect();
        let first = given.len();
        match function {
            ArrayFunction::New(value) => {
                let value = value.map(|value| syntax::Constant::Int(value.into()));
                return self.new_array_call(value.map(Number::Constant), call, 1);
            }
            ArrayFunction::Full => {
                let value = self.number(call.arguments.get(1)?)?;
                return self.new_array_call(Some(value), call, 2);
            }
            ArrayFunction::Range => return self.range_array(call),
            ArrayFunction::Convert => {
                let [dtype] = call.arguments else {
                    self.not_written_out("`astype` with options", span);
                    return None;
                };
                let dtype = self.array_dtype(dtype)?;
                let elements = self.elements(given.pop()?, span).ok()?;
                if elements.dtype.is_complex() && !dtype.is_complex() {
                    self.not_written_out("complex numbers as real ones", span);
                    return None;
                }
                return Some(Value::Elements(Box::new(Elements {
                    ndim: elements.ndim,
                    dtype,
                    tree: Tree::Cast(dtype, Box::new(elements.tree)),
                    parts: elements.parts,
                    joins: elements.joins,
                })));
            }
            _ => {}
        }
        for argument in call.arguments {
            given.push(self.value(argument));
        }
        let is_fold = matches!(
            function,
            ArrayFunction::Fold(_)
                | ArrayFunction::Mean
                | ArrayFunction::Variance
                | ArrayFunction::Deviation
        );
        let has_axis = is_fold
            || matches!(
                function,
                ArrayFunction::Scan(_) | ArrayFunction::Join(Joining::Concatenate)
            );
        let keywords = call.keywords.iter();
        let mut axis = None;
        let mut keeps_axis = false;
        for (keyword, value) in keywords {
            if keyword.name == "keepdims" && is_fold && is_true(value) {
                keeps_axis = true;
                continue;
            }
            if keyword.name != "axis" || !has_axis {
                let what = format!("`{}` with `{}`", call.name, keyword.name);
                self.not_written_out(&what, span);
                return None;
            }
            axis = Some(value);
        }
        if has_axis && call.arguments.len() == 2 - first {
            axis = call.arguments.last();
            given.pop();
        }
        let axis = axis.filter(|axis| !matches!(axis.kind, syntax::ExpressionKind::None));
        if keeps_axis && axis.is_none() {
            self.not_written_out("`keepdims` without `axis`", span);
            return None;
        }
        let mut given = given.into_iter();
        let mut elements = |this: &mut Self| -> Option<Elements> {
            let elements = this.elements(given.next()?, span).ok();
            if elements.is_none() {
                this.not_written_out("a number instead of an array", span);
            }
            elements
        };
        match function {
            ArrayFunction::Fold(_)
            | ArrayFunction::Mean
            | ArrayFunction::Variance
            | ArrayFunction::Deviation => {
                let elements = elements(self)?;
                let elements = self.without_folds(elements, span)?;
                let axis = match axis {
                    Some(axis) => Some(self.constant_axis(axis, elements.ndim)?),
                    None => None,
                };
                let result = match (function, axis) {
                    (ArrayFunction::Fold(fold), None) => self.fold_all(fold, elements, span),
                    (ArrayFunction::Fold(fold), Some(axis)) => {
                        self.fold_axis(fold, elements, axis, span)
                    }
                    (ArrayFunction::Mean, None) => self.mean(elements, span),
                    (ArrayFunction::Mean, Some(axis)) => self.mean_axis(elements, axis, span),
                    (ArrayFunction::Variance, axis) => self.variance(elements, axis, span),
                    (_, axis) => {
                        let variance = self.variance(elements, axis, span)?;
                        self.root(variance, span)
                    }
                }?;
                match axis {
                    Some(axis) if keeps_axis => self.with_kept_axis(result, axis, span),
                    _ => Some(result),
                }
            }
            ArrayFunction::Scan(fold) => {
                let elements = elements(self)?;
                let axis = match axis {
                    Some(axis) => Some(self.constant_axis(axis, elements.ndim)?),
                    None => None,
                };
                self.scan(fold, elements, axis, span)
            }
            ArrayFunction::Join(joining) => {
                let axis = match axis {
                    Some(axis) => {
                        let axis = self.number(axis)?.constant();
                        Some(axis.and_then(constants::as_int)?)
                    }
                    None => None,
                };
                match given.next()? {
                    Value::Tuple(arrays) => self.joined(joining, arrays, axis, span),
                    _ => None,
                }
            }
            ArrayFunction::Ravel | ArrayFunction::Flatten => {
                let elements = elements(self)?;
                let flat = self.flattened(elements, function == ArrayFunction::Flatten, span)?;
                self.in_memory(flat, span)
            }
            ArrayFunction::Product | ArrayFunction::Outer => {
                let (left, right) = (given.next()?, given.next()?);
                let are_arrays = self.is_array(&left) && self.is_array(&right);
                if !are_arrays && call.name.ends_with("dot") {
                    let array = if self.is_array(&left) { &left } else { &right };
                    let array = self.elements(array.clone(), span).ok()?;
                    // Numbers are not weak in `np.dot`.
                    if array.dtype.size_bytes() < 8 {
                        self.not_written_out("a product with a number of another dtype", span);
                        return None;
                    }
                    let operation = Operation::Binary(syntax::BinaryOperator::Multiply);
                    return Some(self.elementwise(operation, vec![left, right], span));
                }
                if function == ArrayFunction::Outer {
                    self.outer_product(left, right, span)
                } else {
                    self.matrix_product(left, right, span)
                }
            }
            ArrayFunction::Copy => {
                let elements = elements(self)?;
                self.computed_part(elements, span)
            }
            ArrayFunction::NewLike(_) | ArrayFunction::FullLike => {
                let elements = elements(self)?;
                let mut code = std::mem::take(&mut self.before);
                let elements = self.with_bound_parts(elements, span, &mut code);
                let sizes = self.sizes(&elements, span, &mut code);
                self.before = code;
                let value = match function {
                    ArrayFunction::NewLike(value) => {
                        value.map(|value| Number::Constant(syntax::Constant::Int(value.into())))
                    }
                    _ => Some(self.number(call.arguments.get(1)?)?),
                };
                self.filled(elements.dtype, &sizes, value, span)
            }
            ArrayFunction::Transpose => {
                let elements = elements(self)?;
                let part = elements.as_part()?.clone();
                (call.arguments.len() + first == 1).then(|| part.transposed().into_view())
            }
            ArrayFunction::Reshape => {
                let elements = elements(self)?;
                let sizes: Vec<Value> = given.collect();
                self.reshaped(elements, sizes, span)
            }
            ArrayFunction::Convert
            | ArrayFunction::New(_)
            | ArrayFunction::Full
            | ArrayFunction::Range => None,
        }
    }

    /// `np.arange(stop)` and `np.arange(start, stop)` of integers.
    fn range_array(&mut self, call: Written<'_>) -> Option<Value> {
        let span = call.span;
        if !call.keywords.is_empty() || !(1..=2).contains(&call.arguments.len()) {
            self.not_written_out("`arange` with options", span);
            return None;
        }
        let mut bounds = Vec::with_capacity(2);
        for argument in call.arguments {
            let number = self.number(argument)?;
            if !self.own_dtype(&number).is_integer() {
                self.not_written_out("`arange` of floats", span);
                return None;
            }
            bounds.push(self.convert(number, DType::I64, span)?);
        }
        let stop = bounds.pop()?;
        let start = bounds.pop().unwrap_or_else(|| index_literal(0, span));
        let mut code = std::mem::take(&mut self.before);
        let start = self.bind(start, span, &mut code);
        let size = folded(Ir::Subtract, stop, start.clone(), span);
        let size = folded(Ir::Maximum, size, index_literal(0, span), span);
        let size = self.bind(size, span, &mut code);
        let part = self.new_part(DType::I64, std::slice::from_ref(&size), span, &mut code)?;
        self.note_sizes([&size]);
        let array = self.flat(part.array);
        let loops = self.loops_to(&[size], span, &mut |_, indices, code| {
            let place = folded(Ir::Add, part.offset.clone(), indices[0].clone(), span);
            let value = folded(Ir::Add, start.clone(), indices[0].clone(), span);
            let kind = StatementKind::Store {
                array,
                indices: vec![place],
                value,
            };
            code.push(Statement { kind, span });
            Some(())
        })?;
        code.extend(loops);
        self.before = code;
        self.temporaries.extend(part.owner.clone());
        Some(part.into_view())
    }

    /// The same elements in another shape, of which one size may be -1.
    pub(super) fn reshaped(
        &mut self,
        elements: Elements,
        sizes: Vec<Value>,
        span: Span,
    ) -> Option<Value> {
        let sizes = match <[Value; 1]>::try_from(sizes) {
            Ok([Value::Tuple(sizes)]) => sizes,
            Ok([size]) => vec![size],
            Err(sizes) => sizes,
        };
        let kept = self.in_memory(elements, span)?;
        let part = self.elements(kept, span).ok()?.as_part()?.clone();
        if !part.is_contiguous || sizes.is_empty() {
            self.not_written_out("`reshape` of elements with gaps between them", span);
            return None;
        }
        let mut code = std::mem::take(&mut self.before);
        let part = self.bound_part(part, span, &mut code);
        let mut shape = Vec::with_capacity(sizes.len());
        let mut left = None;
        for (axis, size) in sizes.into_iter().enumerate() {
            let number = self.as_number(size, span)?;
            if number.constant().and_then(constants::as_int) == Some(-1) && left.is_none() {
                left = Some(axis);
                shape.push(index_literal(1, span));
                continue;
            }
            if !self.own_dtype(&number).is_integer() {
                self.not_written_out("a size that is no integer", span);
                return None;
            }
            let size = self.convert(number, DType::I64, span)?;
            let bound = self.bind(size.clone(), span, &mut code);
            self.note_slot(&size, &bound);
            shape.push(bound);
        }
        let count = product(&part.shape, span);
        if let Some(axis) = left {
            let others = product(&shape, span);
            let one = index_literal(1, span);
            let others = folded(Ir::Maximum, others, one, span);
            let size = ir_binary(Ir::FloorDivide, count.clone(), others, span);
            shape[axis] = self.bind(size, span, &mut code);
        }
        let misfit = ir_binary(Ir::NotEqual, product(&shape, span), count, span);
        let text = "an array of shape {} cannot be reshaped to {}\n  why:  the numbers of elements differ\n  help: check \
                    the sizes, or let one of them be -1";
        let reject = self.shape_error(text, vec![part.shape.clone(), shape.clone()], span);
        code.push(branch(misfit, reject, Vec::new(), span));
        self.before = code;
        let strides = contiguous_strides(&shape, span);
        let part = Region {
            shape,
            strides,
            ..part
        };
        Some(part.into_view())
    }

    /// The square root of a number, or of each element.
    fn root(&mut self, of: Value, span: Span) -> Option<Value> {
        let root = LibraryFunction::NumPyMath(MathFunction::Sqrt);
        if self.is_array(&of) {
            return Some(self.elementwise(Operation::Call(root), vec![of], span));
        }
        let number = self.as_number(of, span)?;
        self.numpy_math(MathFunction::Sqrt, vec![number], span)
            .map(Value::from)
    }

    /// An axis that is known when compiling.
    fn constant_axis(&mut self, axis: &syntax::Expression, ndim: usize) -> Option<usize> {
        let constant = self.number(axis)?.constant();
        let axis_number = constant.and_then(constants::as_int);
        let ndim = ndim as i128;
        match axis_number {
            Some(number) if (-ndim..ndim).contains(&number) => {
                Some(number.rem_euclid(ndim) as usize)
            }
            _ => {
                self.not_written_out("this axis", axis.span);
                None
            }
        }
    }

    /// `np.zeros(shape, dtype)`; the dtype is the argument at a place, or has a name.
    fn new_array_call(
        &mut self,
        value: Option<Number>,
        call: Written<'_>,
        dtype_place: usize,
    ) -> Option<Value> {
        let span = call.span;
        let mut dtype = match &value {
            Some(number) if dtype_place == 2 => self.own_dtype(number),
            _ => DType::F64,
        };
        if let Some(given) = call.arguments.get(dtype_place) {
            dtype = self.array_dtype(given)?;
        }
        for (keyword, given) in call.keywords {
            if keyword.name != "dtype" {
                self.not_written_out(&format!("`{}`", keyword.name), span);
                return None;
            }
            dtype = self.array_dtype(given)?;
        }
        let sizes: Vec<Value> = match self.value(call.arguments.first()?) {
            Value::Tuple(items) => items,
            size => vec![size],
        };
        let mut code = std::mem::take(&mut self.before);
        let mut bound: Vec<Expression> = Vec::with_capacity(sizes.len());
        for size in sizes {
            let number = self.as_number(size, span)?;
            if !self.own_dtype(&number).is_integer() {
                self.not_written_out("a size that is no integer", span);
                return None;
            }
            let size = self.convert(number, DType::I64, span)?;
            bound.push(self.bind(size, span, &mut code));
        }
        self.before = code;
        self.filled(dtype, &bound, value, span)
    }

    /// A new array, filled with a number if there is one.
    fn filled(
        &mut self,
        dtype: DType,
        sizes: &[Expression],
        value: Option<Number>,
        span: Span,
    ) -> Option<Value> {
        if sizes.is_empty() {
            self.not_written_out("an array without dimensions", span);
            return None;
        }
        let mut code = std::mem::take(&mut self.before);
        let part = self.new_part(dtype, sizes, span, &mut code)?;
        if let Some(value) = value {
            let number = self.stored(value, dtype, span)?;
            let elements = Elements {
                ndim: 0,
                dtype,
                tree: Tree::Number(Number::Typed(self.bind(number, span, &mut code))),
                parts: Vec::new(),
                joins: Vec::new(),
            };
            code.extend(self.write_directly(&part, &elements, span)?);
        }
        self.before = code;
        self.temporaries.extend(part.owner.clone());
        Some(part.into_view())
    }
}

/// Whether an argument is `True` as it is written.
fn is_true(argument: &syntax::Expression) -> bool {
    matches!(
        argument.kind,
        syntax::ExpressionKind::Constant(syntax::Constant::Bool(true))
    )
}
