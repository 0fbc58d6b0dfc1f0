//! Attributes: `a.shape`, `z.real`, `math.pi`.

use situ_ir::{BinaryOperator, DType, Literal, Span, UnaryOperator};

use crate::environment::{Bindings, KnownModule};
use crate::infer::expressions::member_value;
use crate::infer::operators::{ir_binary, ir_unary};
use crate::infer::value::{Number, Static, Value};
use crate::infer::{Inference, library, problems};
use crate::syntax::{Constant, Identifier};
use crate::typed::{ArrayId, Expression};

/// Attributes of arrays that have a meaning in a kernel.
const ARRAY_ATTRIBUTES: [&str; 6] = ["shape", "ndim", "size", "dtype", "itemsize", "nbytes"];
/// Attributes of numbers that have a meaning in a kernel.
const NUMBER_ATTRIBUTES: [&str; 4] = ["real", "imag", "conjugate", "dtype"];
/// Attributes of dtypes that have a meaning in a kernel.
const DTYPE_ATTRIBUTES: [&str; 2] = ["type", "itemsize"];

impl Inference<'_, '_, '_> {
    /// `value.attribute`.
    pub(super) fn attribute(&mut self, value: Value, attribute: &Identifier, span: Span) -> Value {
        match value {
            Value::Static(Static::Module(module)) => self.module_member(module, attribute),
            Value::Static(Static::Array(array)) => self.array_attribute(array, attribute, span),
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
            Value::Object(ref object) => self.object_attribute(object, attribute),
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
        if let Some(member) = library::member(module, &attribute.name) {
            member_value(member)
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

    fn array_attribute(&mut self, array: ArrayId, attribute: &Identifier, span: Span) -> Value {
        let (dtype, ndim) = (self.array(array).dtype, self.array(array).ndim);
        match attribute.name.as_str() {
            "shape" => {
                let sizes = (0..ndim).map(|axis| Value::Scalar(self.shape(array, axis, span)));
                Value::Tuple(sizes.collect())
            }
            "ndim" => Value::Constant(Constant::Int(ndim as i128)),
            "size" => Value::Scalar(self.size(array, span)),
            "dtype" => Value::Static(Static::DType(dtype)),
            "itemsize" => Value::Constant(Constant::Int(dtype.size_bytes() as i128)),
            "nbytes" => {
                let size = self.size(array, span);
                let itemsize = Literal::I64(dtype.size_bytes() as i64);
                let itemsize = Expression::literal(itemsize, span);
                Value::Scalar(ir_binary(BinaryOperator::Multiply, size, itemsize, span))
            }
            _ => {
                let problem = problems::unknown_attribute("an array", attribute, &ARRAY_ATTRIBUTES);
                self.report(problem);
                Value::Unknown
            }
        }
    }

    /// The number of elements of an array.
    fn size(&mut self, array: ArrayId, span: Span) -> Expression {
        let ndim = self.array(array).ndim;
        let sizes = (0..ndim).map(|axis| self.shape(array, axis, span));
        let product =
            sizes.reduce(|left, right| ir_binary(BinaryOperator::Multiply, left, right, span));
        product.unwrap_or_else(|| Expression::literal(Literal::I64(1), span))
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
