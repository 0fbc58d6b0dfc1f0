//! Code under construction: a function's text together with the library it draws on.
//!
//! Operators, casts and mathematical functions are written once for numbers and for vectors of them: they
//! ask [`Code`] how types and constants are spelt at the present number of lanes.

use std::fmt::Display;
use std::ops::{Deref, DerefMut};

use situ_ir::{DType, Literal};

use super::library::Library;
use super::types::{LaneType, intrinsic_suffix, literal, scalar_type};
use super::writer::{Operand, Writer};

/// A function's text and the module's library. Dereferences to the [`Writer`].
#[derive(Debug)]
pub(super) struct Code<'m, 'o> {
    writer: Writer,
    /// How many numbers an operation works on.
    lanes: u32,
    /// Shared by all functions of the module.
    pub(super) library: &'m mut Library<'o>,
}

impl<'m, 'o> Code<'m, 'o> {
    pub(super) fn new(library: &'m mut Library<'o>) -> Self {
        Self {
            writer: Writer::new(),
            lanes: 1,
            library,
        }
    }

    /// The finished text of the function.
    pub(super) fn into_writer(self) -> Writer {
        self.writer
    }

    /// Writes operations that work on so many numbers at once.
    pub(super) fn in_lanes<R>(&mut self, lanes: u32, write: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.lanes, lanes);
        let result = write(self);
        self.lanes = before;
        result
    }

    /// How many numbers an operation works on.
    pub(super) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The type of an operand.
    pub(super) fn ty(&self, dtype: DType) -> LaneType {
        self.type_of(scalar_type(dtype))
    }

    /// The type of an operand whose numbers have an LLVM type.
    pub(super) fn type_of(&self, scalar: &'static str) -> LaneType {
        LaneType {
            scalar,
            lanes: self.lanes,
        }
    }

    /// The suffix of an intrinsic's name, as in `llvm.sqrt.f64` and `llvm.sqrt.v8f64`.
    pub(super) fn suffix(&self, dtype: DType) -> String {
        let scalar = intrinsic_suffix(dtype);
        match self.lanes {
            1 => scalar.to_owned(),
            lanes => format!("v{lanes}{scalar}"),
        }
    }

    /// A constant.
    pub(super) fn constant(&self, value: Literal) -> Operand {
        self.ty(value.dtype()).constant(&literal(value))
    }

    /// A whole number as a constant of a dtype, or `true` and `false` as 1 and 0.
    pub(super) fn integer(&self, dtype: DType, value: i64) -> Operand {
        self.ty(dtype).constant(&Operand::integer(value))
    }

    /// Calls an intrinsic whose arguments all have one type.
    pub(super) fn intrinsic(
        &mut self,
        name: &str,
        ty: impl Display,
        arguments: &[&Operand],
    ) -> Operand {
        let ty = ty.to_string();
        let types = vec![&*ty; arguments.len()].join(", ");
        self.library.intrinsic(name, &ty, &types);
        self.call(name, &ty, &ty, arguments)
    }

    /// Calls a function whose arguments all have one type.
    pub(super) fn call(
        &mut self,
        name: impl Display,
        result: impl Display,
        ty: impl Display,
        arguments: &[&Operand],
    ) -> Operand {
        let arguments: Vec<_> = arguments.iter().map(|x| format!("{ty} {x}")).collect();
        self.instruction(format_args!(
            "call {result} @{name}({})",
            arguments.join(", ")
        ))
    }

    /// Calls a function of numbers for each lane.
    pub(super) fn call_in_each_lane(
        &mut self,
        name: &str,
        result: DType,
        argument: DType,
        arguments: &[&Operand],
    ) -> Operand {
        let (result_ty, argument_ty) = (self.ty(result), self.ty(argument));
        if self.lanes == 1 {
            return self.call(name, result_ty, argument_ty, arguments);
        }
        let mut results = self.constant(Literal::zero(result));
        for lane in 0..self.lanes {
            let numbers: Vec<_> = arguments
                .iter()
                .map(|x| {
                    self.instruction(format_args!("extractelement {argument_ty} {x}, i64 {lane}"))
                })
                .collect();
            let numbers: Vec<_> = numbers.iter().collect();
            let number = self.call(name, result_ty.scalar, argument_ty.scalar, &numbers);
            results = self.instruction(format_args!(
                "insertelement {result_ty} {results}, {} {number}, i64 {lane}",
                result_ty.scalar
            ));
        }
        results
    }

    /// One of two values, in each lane by its own condition.
    pub(super) fn select(
        &mut self,
        ty: impl Display,
        condition: &Operand,
        accept: &Operand,
        reject: &Operand,
    ) -> Operand {
        let bits = self.ty(DType::Bool);
        self.instruction(format_args!(
            "select {bits} {condition}, {ty} {accept}, {ty} {reject}"
        ))
    }

    /// An instruction with two operands of one type, such as `add i64`.
    pub(super) fn binary(&mut self, operation: &str, left: &Operand, right: &Operand) -> Operand {
        self.instruction(format_args!("{operation} {left}, {right}"))
    }
}

impl Deref for Code<'_, '_> {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        &self.writer
    }
}

impl DerefMut for Code<'_, '_> {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.writer
    }
}
