//! Elementwise functions, as data.
//!
//! A function is a name, a [`TypeRule`] and an expression. [`FUNCTIONS`] is the whole chapter.

mod bodies;
mod rule;
mod table;

use situ_ir::{
    BinaryOperator, DType, Expression, FunctionBuilder, Handle, MathFunction, UnaryOperator,
};
use situ_runtime::Device;
use smallvec::SmallVec;

use crate::device_dtypes;
use crate::error::Error;

pub use rule::{OnBool, TypeRule};
pub use table::FUNCTIONS;

/// An elementwise function.
#[derive(Debug)]
pub struct Elementwise {
    /// The array API's name.
    pub name: &'static str,
    /// How many operands.
    pub arity: usize,
    /// Which dtypes it takes and makes.
    pub rule: TypeRule,
    /// What it computes.
    pub body: Body,
}

/// Appends the expressions of a function to a kernel and gives the result.
pub type ExpressionBody = fn(&mut FunctionBuilder, &[Handle<Expression>]) -> Handle<Expression>;

/// What an elementwise function computes for one element.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// An operator with one operand.
    Unary(UnaryOperator),
    /// An operator with two operands.
    Binary(BinaryOperator),
    /// A mathematical function.
    Math(MathFunction),
    /// Anything else.
    Expression(ExpressionBody),
}

/// The dtypes of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What each operand is converted to.
    pub compute: SmallVec<[DType; 4]>,
    /// What the result is.
    pub result: DType,
}

impl Signature {
    /// The same on a device, which may not have all dtypes. Those of the operands it has.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        for dtype in &mut self.compute {
            *dtype = device_dtypes::nearest(*dtype, device);
        }
        self.result = device_dtypes::nearest(self.result, device);
        self
    }
}

impl Elementwise {
    /// The dtypes of a call with operands of the given dtypes.
    ///
    /// # Errors
    /// If the function is not defined for them.
    pub fn signature(&self, dtypes: &[DType]) -> Result<Signature, Error> {
        let signature = self.rule.signature(dtypes);
        signature.map_err(|help| Error::DTypeNotSupported {
            operation: self.name,
            dtypes: dtypes.to_vec(),
            help,
        })
    }

    /// The dtypes of a call that makes a dtype which the user asked for.
    ///
    /// # Errors
    /// If the function is not defined for operands of the given dtypes, or cannot make the one asked for.
    pub fn signature_for(&self, dtypes: &[DType], result: DType) -> Result<Signature, Error> {
        let own = self.signature(dtypes);
        if let Ok(own) = &own
            && own.result == result
        {
            return Ok(own.clone());
        }
        let asked = self.signature(&SmallVec::<[DType; 4]>::from_elem(result, dtypes.len()));
        match asked {
            Ok(signature) if signature.result == result => Ok(signature),
            _ => Err(Error::ResultDType {
                operation: self.name,
                result,
            }),
        }
    }

    /// Which of the operands decide the dtype of the result.
    pub fn deciding<'a, T>(&self, operands: &'a [T]) -> &'a [T] {
        self.rule.deciding(operands)
    }

    /// Appends the expression for operands that were converted as the signature says.
    pub fn expression(
        &self,
        f: &mut FunctionBuilder,
        operands: &[Handle<Expression>],
    ) -> Handle<Expression> {
        let compute = f.dtype_of(operands[0]);
        match (self.rule, self.body) {
            (
                TypeRule::Arithmetic {
                    on_bool: OnBool::Use(operator),
                    ..
                },
                _,
            ) if compute.is_bool() => f.binary(operator, operands[0], operands[1]),
            (TypeRule::Rounding { .. }, _) if compute.is_integer() || compute.is_bool() => {
                operands[0]
            }
            (TypeRule::Comparison { .. }, Body::Binary(operator))
                if f.dtype_of(operands[1]) != compute =>
            {
                bodies::compare_mixed_signs(f, operator, operands[0], operands[1])
            }
            (_, Body::Unary(operator)) => f.unary(operator, operands[0]),
            (_, Body::Binary(operator)) => f.binary(operator, operands[0], operands[1]),
            (_, Body::Math(function)) => f.math(function, operands),
            (_, Body::Expression(body)) => body(f, operands),
        }
    }
}

/// The function with a name.
pub fn find(name: &str) -> Option<&'static Elementwise> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::map::{self, MapOperand, MapShape};
    use situ_ir::validate;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = FUNCTIONS.iter().map(|function| function.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn every_function_validates_for_every_dtype_it_takes() {
        for function in FUNCTIONS {
            for dtype in DType::ALL {
                let dtypes = vec![dtype; function.arity];
                let Ok(signature) = function.signature(&dtypes) else {
                    continue;
                };
                let scalar = MapOperand::Scalar { dtype };
                let stride = crate::loop_nest::StrideClass::Contiguous;
                let output = MapOperand::Memory {
                    dtype: signature.result,
                    stride,
                };
                let operands = std::iter::once(output)
                    .chain(vec![scalar; function.arity])
                    .collect();
                let shape = MapShape {
                    operands,
                    compute: signature.compute,
                    rank: 1,
                    is_masked: false,
                    streams: false,
                };
                let module = map::module(function.name, &shape, &|f, x| function.expression(f, x));
                if let Err(problems) = validate(module) {
                    panic!("{} of {dtype}: {problems}", function.name);
                }
            }
        }
    }

    #[test]
    fn signatures_follow_numpy() {
        let signature = |name, dtypes: &[DType]| find(name).unwrap().signature(dtypes);
        let result = |name, dtypes: &[DType]| signature(name, dtypes).unwrap().result;
        assert_eq!(result("divide", &[DType::I8, DType::I8]), DType::F64);
        assert_eq!(result("divide", &[DType::F16, DType::F16]), DType::F16);
        assert_eq!(result("sin", &[DType::I16]), DType::F32);
        assert_eq!(result("floor", &[DType::I32]), DType::I32);
        assert_eq!(result("less", &[DType::I8, DType::F32]), DType::Bool);
        assert_eq!(result("abs", &[DType::C64]), DType::F32);
        assert!(signature("subtract", &[DType::Bool, DType::Bool]).is_err());
        assert!(signature("less", &[DType::C64, DType::F32]).is_err());
        assert!(signature("bitwise_and", &[DType::F32, DType::I8]).is_err());
    }
}
