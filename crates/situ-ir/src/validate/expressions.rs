//! Types of expressions.
//!
//! Invariants:
//! * operands come before the expressions that use them, so expressions have no cycles;
//! * handles and parameter positions exist; dimensions are 0 to 2;
//! * operators, functions and casts accept the types of their operands; operands of binary operators,
//!   select and mathematical functions have one type; conditions are `bool`; indices are `int64`;
//! * loads and offsets are of pointers; literals and casts are scalars.

use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::expression::Expression;
use crate::module::Function;
use crate::types::Type;

/// The type used for expressions that have none, so that one mistake is reported once.
const UNKNOWN: Type = Type::INDEX;

/// Finds the type of every expression of a function.
pub(super) fn check(function: &Function, diagnostics: &mut Vec<Diagnostic>) -> Vec<Type> {
    let mut checker = Checker {
        function,
        types: Vec::with_capacity(function.expressions.len()),
    };
    for (handle, expression) in function.expressions.iter() {
        let ty = match checker.resolve(handle, expression) {
            Ok(ty) => ty,
            Err(problem) => {
                diagnostics.push(problem.diagnostic(function, handle));
                UNKNOWN
            }
        };
        checker.types.push(ty);
    }
    checker.types
}

/// What is wrong with one expression.
enum Problem {
    LaterOperand,
    MissingHandle,
    Dimension(u8),
    Operands {
        what: &'static str,
        found: Vec<Type>,
    },
    ArgumentCount {
        function: &'static str,
        expected: usize,
        found: usize,
    },
}

impl Problem {
    fn diagnostic(self, function: &Function, handle: Handle<Expression>) -> Diagnostic {
        let span = function.expressions.span(handle);
        let name = &function.name;
        let diagnostic = match self {
            Self::LaterOperand => Diagnostic::error(
                "V001",
                format!("an expression of `{name}` uses an expression that comes after it"),
            ),
            Self::MissingHandle => Diagnostic::error(
                "V002",
                format!("an expression of `{name}` refers to something that does not exist"),
            ),
            Self::Dimension(dimension) => Diagnostic::error(
                "V003",
                format!("`{name}` asks about dimension {dimension}; dimensions are 0 to 2"),
            ),
            Self::Operands { what, found } => {
                let found: Vec<_> = found.iter().map(|ty| format!("`{ty}`")).collect();
                Diagnostic::error(
                    "V004",
                    format!("`{what}` in `{name}` does not take {}", found.join(" and ")),
                )
            }
            Self::ArgumentCount {
                function,
                expected,
                found,
            } => Diagnostic::error(
                "V005",
                format!("`{function}` in `{name}` takes {expected} arguments, not {found}"),
            ),
        };
        diagnostic.label(span, "")
    }
}

struct Checker<'a> {
    function: &'a Function,
    types: Vec<Type>,
}

impl Checker<'_> {
    fn resolve(
        &self,
        handle: Handle<Expression>,
        expression: &Expression,
    ) -> Result<Type, Problem> {
        let mut in_order = true;
        expression.for_each_operand(|operand| in_order &= operand < handle);
        if !in_order {
            return Err(Problem::LaterOperand);
        }
        let function = self.function;
        match expression {
            Expression::Literal(literal) => Ok(literal.dtype().into()),
            Expression::Parameter(position) => function
                .parameters
                .get(*position as usize)
                .map(|parameter| parameter.ty)
                .ok_or(Problem::MissingHandle),
            Expression::Value(value) => function
                .values
                .get(*value)
                .map(|value| value.ty)
                .ok_or(Problem::MissingHandle),
            Expression::Variable(variable) => function
                .variables
                .get(*variable)
                .map(|variable| variable.dtype.into())
                .ok_or(Problem::MissingHandle),
            Expression::Array(array) => function
                .arrays
                .get(*array)
                .map(|array| Type::pointer(array.element, array.space))
                .ok_or(Problem::MissingHandle),
            Expression::WorkItem(query) => match query.dimension() {
                Some(dimension) if dimension > 2 => Err(Problem::Dimension(dimension)),
                _ => Ok(Type::INDEX),
            },
            Expression::Unary { operator, operand } => {
                let operand = self.ty(*operand);
                operand
                    .scalar()
                    .and_then(|dtype| operator.result(dtype))
                    .map(Type::Scalar)
                    .ok_or(Problem::Operands {
                        what: operator.name(),
                        found: vec![operand],
                    })
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.ty(*left), self.ty(*right));
                left.scalar()
                    .filter(|_| left == right)
                    .and_then(|dtype| operator.result(dtype))
                    .map(Type::Scalar)
                    .ok_or(Problem::Operands {
                        what: operator.name(),
                        found: vec![left, right],
                    })
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let found = [self.ty(*condition), self.ty(*accept), self.ty(*reject)];
                let fits = found[0] == Type::BOOL && found[1] == found[2];
                if fits && found[1].scalar().is_some() {
                    Ok(found[1])
                } else {
                    Err(Problem::Operands {
                        what: "select",
                        found: found.to_vec(),
                    })
                }
            }
            Expression::Cast { operand, to } => match self.ty(*operand) {
                Type::Scalar(_) => Ok((*to).into()),
                pointer @ Type::Pointer { .. } => Err(Problem::Operands {
                    what: "cast",
                    found: vec![pointer],
                }),
            },
            Expression::Bitcast { operand, to } => {
                let operand = self.ty(*operand);
                let plain = |dtype: DType| !dtype.is_bool() && !dtype.is_complex();
                operand
                    .scalar()
                    .filter(|from| plain(*from) && plain(*to))
                    .filter(|from| from.size_bytes() == to.size_bytes())
                    .map(|_| (*to).into())
                    .ok_or(Problem::Operands {
                        what: "bitcast",
                        found: vec![operand],
                    })
            }
            Expression::Math {
                function,
                arguments,
            } => {
                if arguments.len() != function.arity() {
                    return Err(Problem::ArgumentCount {
                        function: function.name(),
                        expected: function.arity(),
                        found: arguments.len(),
                    });
                }
                let found: Vec<_> = arguments
                    .iter()
                    .map(|&argument| self.ty(argument))
                    .collect();
                found[0]
                    .scalar()
                    .filter(|_| found.iter().all(|ty| *ty == found[0]))
                    .and_then(|dtype| function.result(dtype))
                    .map(Type::Scalar)
                    .ok_or(Problem::Operands {
                        what: function.name(),
                        found,
                    })
            }
            Expression::Complex { real, imaginary } => {
                let found = [self.ty(*real), self.ty(*imaginary)];
                match found {
                    [Type::Scalar(DType::F32), Type::Scalar(DType::F32)] => Ok(DType::C64.into()),
                    [Type::Scalar(DType::F64), Type::Scalar(DType::F64)] => Ok(DType::C128.into()),
                    _ => Err(Problem::Operands {
                        what: "complex",
                        found: found.to_vec(),
                    }),
                }
            }
            Expression::Load { pointer, index } => self
                .element(*pointer, *index, "load")
                .map(|(element, _)| element.into()),
            Expression::Offset { pointer, index } => self
                .element(*pointer, *index, "offset")
                .map(|(_, pointer)| pointer),
        }
    }

    fn ty(&self, expression: Handle<Expression>) -> Type {
        self.types[expression.index()]
    }

    /// The element type and pointer type of an access.
    fn element(
        &self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
        what: &'static str,
    ) -> Result<(DType, Type), Problem> {
        let found = [self.ty(pointer), self.ty(index)];
        match found {
            [Type::Pointer { element, .. }, Type::INDEX] => Ok((element, found[0])),
            _ => Err(Problem::Operands {
                what,
                found: found.to_vec(),
            }),
        }
    }
}
