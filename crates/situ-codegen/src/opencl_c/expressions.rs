//! Expressions.
//!
//! An expression of the IR is written as one C expression of exactly the C type of its dtype, so
//! that built-in functions, which are overloaded, choose the right version. (`bool` is an exception:
//! a comparison is an `int` that is 0 or 1, which is as good wherever a `bool` can stand.)
//!
//! Signed overflow has no meaning in C. Signed sums and products are therefore computed in the
//! unsigned type of the same width: `(long)((ulong)i * n + j)`. One cast on the left makes the whole
//! chain unsigned, and one cast around it makes the result signed again; where the result is stored
//! into a variable of that type the outer cast is left out.
//!
//! Nothing here recurses: operands come before the expressions that use them. What would become too
//! long to read, or too deep for a compiler, is bound to a name first; since expressions have no
//! effects it makes no difference.

use std::collections::BTreeMap;

use situ_ir::{DType, Expression, Handle, Literal, MathFunction, Type};

use super::builtins;
use super::precedence::{Precedence, Term};
use super::statements::FunctionWriter;
use super::types::{self, is_narrow, scalar};
use super::written::Written;
use super::{operators, queries};

/// Expressions that would be longer than this are bound to a name.
const LONGEST_OPERAND: usize = 72;
/// Expressions nested deeper than this are bound to a name. Clang gives up at 256 parentheses.
const DEEPEST_OPERAND: u32 = 12;

/// Expressions of one statement, and the names that must be bound before it.
pub(super) struct Operands {
    pub(super) bindings: Vec<String>,
    written: BTreeMap<Handle<Expression>, Written>,
}

impl Operands {
    pub(super) fn get(&self, expression: Handle<Expression>) -> &Written {
        &self.written[&expression]
    }
}

impl FunctionWriter<'_> {
    /// Writes the expressions that a statement uses.
    pub(super) fn operands(&mut self, roots: &[Handle<Expression>]) -> Operands {
        let mut reachable = BTreeMap::new();
        let mut pending = roots.to_vec();
        while let Some(handle) = pending.pop() {
            if reachable.insert(handle, roots.contains(&handle)).is_none() {
                self.function.expressions[handle].for_each_operand(|operand| pending.push(operand));
            }
        }
        let mut operands = Operands {
            bindings: Vec::new(),
            written: BTreeMap::new(),
        };
        for (handle, is_root) in reachable {
            let mut written = self.expression(handle, &operands);
            self.function.expressions[handle].for_each_operand(|operand| {
                written.depth = written.depth.max(operands.get(operand).depth + 1);
            });
            let too_long = written.exact.text.len() > LONGEST_OPERAND;
            if (too_long || written.depth > DEEPEST_OPERAND) && !is_root {
                written = self.bind(handle, &written, &mut operands.bindings);
            }
            operands.written.insert(handle, written);
        }
        operands
    }

    /// Gives an expression a name.
    fn bind(
        &mut self,
        handle: Handle<Expression>,
        written: &Written,
        bindings: &mut Vec<String>,
    ) -> Written {
        let name = self.names.unique("part");
        let declaration = self.declare_constant(self.info.type_of(handle), Some(handle), &name);
        bindings.push(format!("{declaration} = {};", written.converting()));
        Written::new(Term::primary(name))
    }

    fn expression(&mut self, handle: Handle<Expression>, operands: &Operands) -> Written {
        let function = self.function;
        let ty = self.info.type_of(handle);
        match &function.expressions[handle] {
            Expression::Literal(literal) => Self::literal(*literal),
            Expression::Parameter(position) => self.parameter(*position),
            Expression::Value(value) => Written::name(&self.value_names[value.index()]),
            Expression::Variable(variable) => Written::name(&self.variable_names[variable.index()]),
            Expression::Array(array) => Written::name(&self.array_names[array.index()]),
            Expression::WorkItem(query) => {
                let extents = &self.extent_names;
                let text =
                    queries::work_item(self.library, self.options, *query, self.dims, extents);
                let answer = Term::primary(text);
                Written {
                    unsigned: Some(Term::prefix("(ulong)", &answer)),
                    plain: Some(answer.clone()),
                    ..Written::cast(DType::I64, answer)
                }
            }
            Expression::Unary { operator, operand } => {
                let dtype = self.scalar_type(*operand);
                operators::unary(self.library, *operator, dtype, operands.get(*operand))
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                let dtype = self.scalar_type(*left);
                let count = self.constant(*right);
                let (left, right) = (operands.get(*left), operands.get(*right));
                operators::binary(
                    self.library,
                    self.options,
                    *operator,
                    dtype,
                    [left, right],
                    count,
                )
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let term = |operand| &operands.get(operand).exact;
                let choice = Term::conditional(term(*condition), term(*accept), term(*reject));
                // The branches of narrow types were promoted to `int`.
                match ty {
                    Type::Scalar(dtype) if is_narrow(dtype) => Written::cast(dtype, choice),
                    _ => Written::new(choice),
                }
            }
            Expression::Cast { operand, to } => {
                let from = self.scalar_type(*operand);
                operators::cast(self.library, from, *to, operands.get(*operand))
            }
            Expression::Bitcast { operand, to } => {
                let operand = operands.get(*operand).exact();
                Written::new(Term::primary(format!("as_{}({operand})", scalar(*to))))
            }
            Expression::Math {
                function,
                arguments,
            } => {
                let dtype = self.scalar_type(arguments[0]);
                let arguments: Vec<_> = arguments
                    .iter()
                    .map(|&argument| operands.get(argument).exact())
                    .collect();
                self.math(*function, dtype, &arguments.join(", "))
            }
            Expression::Load { pointer, index } => {
                let base = operands.get(*pointer).as_primary();
                let index = &operands.get(*index).plain().text;
                let element = Term::primary(format!("{base}[{index}]"));
                if ty == Type::BOOL {
                    Written::new(operators::not_zero(&element))
                } else {
                    Written::new(element)
                }
            }
            Expression::Offset { pointer, index } => {
                let (pointer, index) = (operands.get(*pointer), operands.get(*index));
                let sum = Term::binary(&pointer.exact, "+", index.plain(), Precedence::Additive);
                Written::new(sum)
            }
            Expression::Complex { .. } => {
                unreachable!("lowering replaced complex numbers by pairs")
            }
        }
    }

    fn literal(literal: Literal) -> Written {
        let exact = Written::new(Term::new(types::literal(literal), Precedence::Unary));
        match integer(literal).map(i32::try_from) {
            // The smallest `int` cannot be written as one token.
            Some(Ok(value)) if value != i32::MIN => {
                let plain = Term::new(value.to_string(), Precedence::Unary);
                Written {
                    converting: Some(plain.clone()),
                    plain: Some(plain),
                    ..exact
                }
            }
            _ => exact,
        }
    }

    fn parameter(&self, position: u32) -> Written {
        let position = position as usize;
        let parameter = Term::primary(&self.parameter_names[position]);
        let is_byte =
            self.function.is_kernel() && self.function.parameters[position].ty == Type::BOOL;
        if is_byte {
            Written::new(operators::not_zero(&parameter))
        } else {
            Written::new(parameter)
        }
    }

    /// The value of an integer constant.
    fn constant(&self, expression: Handle<Expression>) -> Option<i128> {
        match self.function.expressions[expression] {
            Expression::Literal(literal) => integer(literal),
            _ => None,
        }
    }

    fn math(&mut self, function: MathFunction, dtype: DType, arguments: &str) -> Written {
        if function == MathFunction::Sqrt
            && dtype == DType::F32
            && self.options.rounds_float_through_double()
        {
            return Written::cast(dtype, Term::primary(format!("sqrt((double)({arguments}))")));
        }
        let name = builtins::math(self.library, function, dtype);
        Written::new(Term::primary(format!("{name}({arguments})")))
    }

    fn scalar_type(&self, expression: Handle<Expression>) -> DType {
        self.info
            .type_of(expression)
            .scalar()
            .expect("validation checked that operands are scalars")
    }
}

/// The value of an integer constant.
fn integer(literal: Literal) -> Option<i128> {
    match literal {
        Literal::I8(value) => Some(value.into()),
        Literal::I16(value) => Some(value.into()),
        Literal::I32(value) => Some(value.into()),
        Literal::I64(value) => Some(value.into()),
        Literal::U8(value) => Some(value.into()),
        Literal::U16(value) => Some(value.into()),
        Literal::U32(value) => Some(value.into()),
        Literal::U64(value) => Some(value.into()),
        Literal::Bool(_)
        | Literal::F16(_)
        | Literal::F32(_)
        | Literal::F64(_)
        | Literal::C64(_)
        | Literal::C128(_) => None,
    }
}
