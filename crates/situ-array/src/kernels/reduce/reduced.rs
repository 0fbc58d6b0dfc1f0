//! The elements that are combined, as they are read or made.

use smallvec::SmallVec;

use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, Literal, UnaryOperator, Variable,
};

use super::accumulate::{combine, identity};
use super::{Prepare, ReduceShape};
use crate::kernels::elements::{ElementsBody, Stride};

/// The elements of one reduced loop.
pub(super) struct Elements<'a> {
    pub(super) shape: &'a ReduceShape,
    pub(super) body: ElementsBody<'a>,
    pub(super) operands: &'a [Handle<Expression>],
    /// What elements are compared with, if they are.
    pub(super) center: Option<Handle<Expression>>,
    pub(super) bases: SmallVec<[Handle<Expression>; 2]>,
    pub(super) steps: &'a [Stride],
    pub(super) buffer: Option<Handle<Expression>>,
    /// The index of the first element in the buffer, when it is filled.
    pub(super) first: Option<Handle<Expression>>,
}

impl Elements<'_> {
    /// Combines an accumulator with the element at an index of the reduced loop.
    pub(super) fn combine(
        &self,
        f: &mut FunctionBuilder,
        accumulator: Handle<Variable>,
        index: Handle<Expression>,
    ) {
        let element = match (self.buffer, self.first) {
            (Some(buffer), Some(first)) => {
                let at = f.binary(BinaryOperator::Subtract, index, first);
                f.load(buffer, at)
            }
            _ => self.element(f, index),
        };
        combine(f, *self.shape, accumulator, element);
    }

    /// The element at an index of the reduced loop, ready to be combined.
    pub(super) fn element(
        &self,
        f: &mut FunctionBuilder,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        let places = self.bases.iter().zip(self.steps);
        let positions: SmallVec<[Handle<Expression>; 2]> = places
            .map(|(&base, step)| step.moved(f, base, index))
            .collect();
        let element = self.body.element(f, self.operands, &positions);
        self.prepared(f, element)
    }

    /// Makes all elements of a block, if there is a buffer for them.
    pub(super) fn fill_buffer(
        &mut self,
        f: &mut FunctionBuilder,
        start: Handle<Expression>,
        end: Handle<Expression>,
    ) {
        let Some(buffer) = self.buffer else {
            return;
        };
        f.for_range("made", start, end, |f, index| {
            let element = self.element(f, index);
            let at = f.binary(BinaryOperator::Subtract, index, start);
            f.store(buffer, at, element);
        });
        self.first = Some(start);
    }

    fn prepared(&self, f: &mut FunctionBuilder, element: Handle<Expression>) -> Handle<Expression> {
        let accumulate = self.shape.accumulate;
        let element = f.bind("element", element);
        match (self.shape.prepare, self.center) {
            (Prepare::IsNonZero, _) if self.shape.input.is_unsigned() => {
                // One instruction for many small elements, where comparing and widening are several.
                let one = f.literal(Literal::one(self.shape.input));
                let is_nonzero = f.binary(BinaryOperator::Minimum, element, one);
                f.cast(is_nonzero, accumulate)
            }
            (Prepare::IsNonZero, _) => {
                let is_nonzero = f.cast(element, DType::Bool);
                f.cast(is_nonzero, accumulate)
            }
            (Prepare::IsNumber, _) => {
                let is_nan = is_nan(f, element);
                let is_number = f.unary(UnaryOperator::Not, is_nan);
                f.cast(is_number, accumulate)
            }
            (Prepare::SkipNan, _) => {
                let is_nan = is_nan(f, element);
                let element = f.cast(element, accumulate);
                let nothing = self.nothing(f);
                f.select(is_nan, nothing, element)
            }
            (prepare, Some(center)) => {
                let square = self.squared_distance(f, element, center);
                if prepare == Prepare::SquaredDistance {
                    return square;
                }
                let is_nan = is_nan(f, element);
                let nothing = self.nothing(f);
                f.select(is_nan, nothing, square)
            }
            (_, None) => f.cast(element, accumulate),
        }
    }

    /// What stands in for a NaN. A sum of nothing but NaNs is plus zero.
    fn nothing(&self, f: &mut FunctionBuilder) -> Handle<Expression> {
        f.literal(match self.shape.combine {
            BinaryOperator::Add => Literal::zero(self.shape.accumulate),
            combine => identity(combine, self.shape.accumulate),
        })
    }

    fn squared_distance(
        &self,
        f: &mut FunctionBuilder,
        element: Handle<Expression>,
        center: Handle<Expression>,
    ) -> Handle<Expression> {
        let element = f.cast(element, self.shape.center());
        let distance = f.binary(BinaryOperator::Subtract, element, center);
        let distance = f.bind("distance", distance);
        if !self.shape.input.is_complex() {
            return f.multiply(distance, distance);
        }
        let real = f.unary(UnaryOperator::Real, distance);
        let imaginary = f.unary(UnaryOperator::Imaginary, distance);
        let (real, imaginary) = (f.multiply(real, real), f.multiply(imaginary, imaginary));
        f.add(real, imaginary)
    }
}

/// Whether an element or a part of it is NaN.
fn is_nan(f: &mut FunctionBuilder, element: Handle<Expression>) -> Handle<Expression> {
    let dtype = f.dtype_of(element);
    if dtype.is_float() {
        return f.unary(UnaryOperator::IsNan, element);
    }
    if !dtype.is_complex() {
        return f.literal(Literal::Bool(false));
    }
    let (real, imaginary) = (
        f.unary(UnaryOperator::Real, element),
        f.unary(UnaryOperator::Imaginary, element),
    );
    let (real, imaginary) = (
        f.unary(UnaryOperator::IsNan, real),
        f.unary(UnaryOperator::IsNan, imaginary),
    );
    f.binary(BinaryOperator::BitOr, real, imaginary)
}
