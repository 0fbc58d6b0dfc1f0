//! Attributes: `a.shape`, `z.real`, `math.pi`.

use situ_ir::{BinaryOperator, DType, Literal, Span, UnaryOperator};

use crate::environment::{Bindings, KnownModule};
use crate::infer::elements::{Operation, array_function};
use crate::infer::expressions::member_value;
use crate::infer::library::LibraryFunction;
use crate::infer::operators::ir_unary;
use crate::infer::value::{Number, Static, Value};
use crate::infer::views::{Region, folded, index_literal};
use crate::infer::{Inference, library, problems};
use crate::syntax::{Constant, Identifier};
use crate::typed::Expression;

/// Attributes of arrays that have a meaning in a kernel.
const ARRAY_ATTRIBUTES: [&str; 8] = [
    "shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "T",
];
/// Attributes of numbers that have a meaning in a kernel.
const NUMBER_ATTRIBUTES: [&str; 4] = ["real", "imag", "conjugate", "dtype"];
/// Attributes of dtypes that have a meaning in a kernel.
const DTYPE_ATTRIBUTES: [&str; 2] = ["type", "itemsize"];

impl Inference<'_, '_, '_> {
    /// `value.attribute`.
    pub(super) fn attribute(&mut self, value: Value, attribute: &Identifier, span: Span) -> Value {
        match value {
            Value::Static(Static::Module(module)) => self.module_member(module, attribute),
            Value::Static(Static::Array(array)) => {
                let whole = self.whole(array, span);
                self.array_attribute(whole, attribute, span)
            }
            Value::Static(Static::DType(dtype)) => self.dtype_attribute(dtype, attribute),
            Value::Constant(constant) => {
                self.number_attribute(Number::Constant(constant), attribute, span)
            }
            Value::Scalar(expression) => {
                self.number_attribute(Number::Typed(expression), attribute, span)
            }
            Value::Static(Static::Item(_) | Static::Group(_) | Static::SubGroup) => {
                self.index_member(&value, attribute, span)
            }
            Value::Object(ref object) => match Self::region(object) {
                Some(region) => self.array_attribute(region, attribute, span),
                None => self.object_attribute(object, attribute),
            },
            Value::Elements(elements) => match self.in_memory(*elements, span) {
                Some(kept) => self.attribute(kept, attribute, span),
                None => Value::Unknown,
            },
            Value::Namespace(members) => self.namespace_member(&members, attribute),
            Value::Unknown => Value::Unknown,
            other => {
                let problem = problems::unknown_attribute(&other.describe(), attribute, &[]);
                self.report(problem);
                Value::Unknown
            }
        }
    }

    fn module_member(&mut self, module: KnownModule, attribute: &Identifier) -> Value {
        if self.writes_out_arrays()
            && matches!(module, KnownModule::NumPy | KnownModule::Situ)
            && let Some(function) = array_function(&attribute.name)
        {
            return Value::Static(Static::Library(LibraryFunction::Array(function)));
        }
        if let Some(member) = library::member(module, &attribute.name) {
            member_value(member)
        } else if let Some(binding) = self.program.member(module, &attribute.name) {
            self.binding(binding, &attribute.name, attribute.span)
        } else {
            let problem = problems::unknown_member(module, &attribute.name, attribute.span);
            self.report(problem);
            Value::Unknown
        }
    }

    fn namespace_member(&mut self, members: &Bindings, attribute: &Identifier) -> Value {
        if let Some(binding) = members.get(&attribute.name) {
            self.binding(binding, &attribute.name, attribute.span)
        } else {
            let names: Vec<_> = members.keys().map(String::as_str).collect();
            let problem = problems::unknown_attribute("an object", attribute, &names);
            self.report(problem);
            Value::Unknown
        }
    }

    /// An attribute of an array, or of a part of one.
    fn array_attribute(&mut self, region: Region, attribute: &Identifier, span: Span) -> Value {
        let dtype = self.array(region.array).dtype;
        let itemsize = dtype.size_bytes() as i64;
        let in_bytes = |count| {
            let itemsize = index_literal(itemsize, span);
            folded(BinaryOperator::Multiply, count, itemsize, span)
        };
        match attribute.name.as_str() {
            "shape" => Value::Tuple(region.shape.into_iter().map(Value::Scalar).collect()),
            "strides" => {
                let strides = region.strides.into_iter().map(in_bytes);
                Value::Tuple(strides.map(Value::Scalar).collect())
            }
            "T" => region.transposed().into_view(),
            "real" if self.writes_out_arrays() && !dtype.is_complex() => region.into_view(),
            "real" | "imag" if self.writes_out_arrays() => {
                let function = if attribute.name == "real" {
                    LibraryFunction::Real
                } else {
                    LibraryFunction::Imaginary
                };
                let operation = Operation::Call(function);
                self.elementwise(operation, vec![region.into_view()], span)
            }
            "ndim" => Value::Constant(Constant::Int(region.shape.len() as i128)),
            "size" => Value::Scalar(region.size(span)),
            "dtype" => Value::Static(Static::DType(dtype)),
            "itemsize" => Value::Constant(Constant::Int(i128::from(itemsize))),
            "nbytes" => Value::Scalar(in_bytes(region.size(span))),
            _ => {
                let problem = problems::unknown_attribute("an array", attribute, &ARRAY_ATTRIBUTES);
                self.report(problem);
                Value::Unknown
            }
        }
    }

    fn dtype_attribute(&mut self, dtype: DType, attribute: &Identifier) -> Value {
        match attribute.name.as_str() {
            "type" => Value::Static(Static::DType(dtype)),
            "itemsize" => Value::Constant(Constant::Int(dtype.size_bytes() as i128)),
            _ => {
                let problem = problems::unknown_attribute("a dtype", attribute, &DTYPE_ATTRIBUTES);
                self.report(problem);
                Value::Unknown
            }
        }
    }

    fn number_attribute(&mut self, number: Number, attribute: &Identifier, span: Span) -> Value {
        let part = match attribute.name.as_str() {
            "real" => real_part(number, span),
            "imag" => imaginary_part(number, span),
            "dtype" => {
                let dtype = self.own_dtype(&number);
                return Value::Static(Static::DType(dtype));
            }
            _ => {
                let what = number.describe();
                let problem = problems::unknown_attribute(&what, attribute, &NUMBER_ATTRIBUTES);
                self.report(problem);
                return Value::Unknown;
            }
        };
        part.into()
    }
}

/// The real part; a real number is its own.
pub(super) fn real_part(number: Number, span: Span) -> Number {
    match number {
        Number::Constant(Constant::Complex(real, _)) => Number::Constant(Constant::Float(real)),
        Number::Typed(operand) if operand.dtype.is_complex() => {
            Number::Typed(ir_unary(UnaryOperator::Real, operand, span))
        }
        real => real,
    }
}

/// The imaginary part; a real number's is zero.
pub(super) fn imaginary_part(number: Number, span: Span) -> Number {
    match number {
        Number::Constant(Constant::Complex(_, imaginary)) => {
            Number::Constant(Constant::Float(imaginary))
        }
        Number::Constant(Constant::Float(_)) => Number::Constant(Constant::Float(0.0)),
        Number::Constant(_) => Number::Constant(Constant::Int(0)),
        Number::Typed(operand) if operand.dtype.is_complex() => {
            Number::Typed(ir_unary(UnaryOperator::Imaginary, operand, span))
        }
        Number::Typed(operand) => {
            Number::Typed(Expression::literal(Literal::zero(operand.dtype), span))
        }
    }
}

/// The complex conjugate; a real number is its own.
pub(super) fn conjugate(number: Number, span: Span) -> Number {
    match number {
        Number::Constant(Constant::Complex(real, imaginary)) => {
            Number::Constant(Constant::Complex(real, -imaginary))
        }
        Number::Typed(operand) if operand.dtype.is_complex() => {
            Number::Typed(ir_unary(UnaryOperator::Conjugate, operand, span))
        }
        real => real,
    }
}
