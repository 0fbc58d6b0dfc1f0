//! Types of expressions.
//!
//! Invariants:
//! * a kernel asks about dimensions it has, a device function about dimensions 0 to 2 (`V003`);
//! * operators, functions and casts accept the types of their operands; operands of binary operators,
//!   select and mathematical functions have one type; conditions are `bool`; indices are `int64`;
//!   loads and offsets are of pointers; everything else is of scalars (`V004`);
//! * mathematical functions have the right number of arguments (`V005`).

use super::{Checker, Types, count};
use crate::arena::Handle;
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::expression::{BinaryOperator, Expression, MathDomain, MathFunction, UnaryOperator};
use crate::module::FunctionKind;
use crate::types::Type;

impl Checker<'_> {
    /// Finds the type of every expression of the function.
    pub(super) fn check_expressions(&mut self) -> Types {
        let mut types = Types(Vec::with_capacity(self.function.expressions.len()));
        for (handle, expression) in self.function.expressions.iter() {
            let mut known = true;
            expression.for_each_operand(|operand| known &= types.of(operand).is_some());
            let ty = if known {
                match self.resolve(&types, expression) {
                    Ok(ty) => Some(ty),
                    Err(problem) => {
                        let diagnostic = problem.diagnostic(self.name());
                        let span = self.function.expressions.span(handle);
                        self.push(diagnostic.label(span, ""));
                        None
                    }
                }
            } else {
                None
            };
            types.0.push(ty);
        }
        types
    }

    /// The type of an expression whose operands have types.
    fn resolve(&self, types: &Types, expression: &Expression) -> Result<Type, Problem> {
        let of = |operand: &Handle<Expression>| {
            types
                .of(*operand)
                .expect("only expressions with typed operands are resolved")
        };
        let function = self.function;
        match expression {
            Expression::Literal(literal) => Ok(literal.dtype().into()),
            Expression::Parameter(position) => Ok(function.parameters[*position as usize].ty),
            Expression::Value(value) => Ok(function.values[*value].ty),
            Expression::Variable(variable) => Ok(function.variables[*variable].dtype.into()),
            Expression::Array(array) => {
                let array = &function.arrays[*array];
                Ok(Type::pointer(array.element, array.space))
            }
            Expression::WorkItem(query) => self.dimension(query.dimension()),
            Expression::Unary { operator, operand } => unary(*operator, of(operand)),
            Expression::Binary {
                operator,
                left,
                right,
            } => binary(*operator, of(left), of(right)),
            Expression::Select {
                condition,
                accept,
                reject,
            } => select(of(condition), of(accept), of(reject)),
            Expression::Cast { operand, to } => cast(of(operand), *to),
            Expression::Bitcast { operand, to } => bitcast(of(operand), *to),
            Expression::Math {
                function,
                arguments,
            } => math(*function, arguments.iter().map(of).collect()),
            Expression::Complex { real, imaginary } => complex(of(real), of(imaginary)),
            Expression::Load { pointer, index } => {
                access("load", of(pointer), of(index)).map(|(element, _)| element.into())
            }
            Expression::Offset { pointer, index } => {
                access("offset", of(pointer), of(index)).map(|(_, pointer)| pointer)
            }
        }
    }

    fn dimension(&self, dimension: Option<u8>) -> Result<Type, Problem> {
        let dims = match self.function.kind {
            FunctionKind::Kernel { dims } => dims.clamp(1, 3),
            FunctionKind::Device => 3,
        };
        match dimension {
            Some(dimension) if dimension >= dims => Err(Problem::Dimension { dimension, dims }),
            _ => Ok(Type::INDEX),
        }
    }
}

/// What is wrong with one expression.
enum Problem {
    Dimension {
        dimension: u8,
        dims: u8,
    },
    Operands {
        what: &'static str,
        found: Vec<Type>,
        /// What it takes instead, as the end of a sentence.
        takes: &'static str,
    },
    ArgumentCount {
        function: &'static str,
        expected: usize,
        found: usize,
    },
}

impl Problem {
    fn diagnostic(self, name: &str) -> Diagnostic {
        match self {
            Self::Dimension { dimension, dims } => {
                let has = match dims {
                    1 => "its only dimension is 0".to_owned(),
                    _ => format!("its dimensions are 0 to {}", dims - 1),
                };
                Diagnostic::error(
                    "V003",
                    format!("`{name}` asks about dimension {dimension}, which it does not have"),
                )
                .why(has)
                .help("launch over more dimensions, or ask about an earlier one")
            }
            Self::Operands { what, found, takes } => Diagnostic::error(
                "V004",
                format!("`{what}` in `{name}` does not take {}", list(what, &found)),
            )
            .why(format!("`{what}` takes {takes}"))
            .help(help(what, &found)),
            Self::ArgumentCount {
                function,
                expected,
                found,
            } => Diagnostic::error(
                "V005",
                format!(
                    "`{function}` in `{name}` takes {}, not {found}",
                    count(expected, "argument")
                ),
            )
            .help("pass as many arguments as the function has"),
        }
    }
}

/// What to do about operands of these types.
fn help(what: &str, found: &[Type]) -> &'static str {
    let has_pointer = found.iter().any(|ty| ty.element().is_some());
    match what {
        "load" | "offset" if has_pointer => "cast the index to `i64`",
        "load" | "offset" => "pointers come from parameters and arrays",
        _ if has_pointer => "load an element through the pointer first",
        _ => "cast the operands first",
    }
}

/// Types in backticks, joined for a sentence.
fn list(what: &str, types: &[Type]) -> String {
    let types: Vec<_> = types.iter().map(|ty| format!("`{ty}`")).collect();
    types.join(if what == "bitcast" { " to " } else { " and " })
}

fn unary(operator: UnaryOperator, operand: Type) -> Result<Type, Problem> {
    let result = operand.scalar().and_then(|dtype| operator.result(dtype));
    result.map(Type::Scalar).ok_or(Problem::Operands {
        what: operator.name(),
        found: vec![operand],
        takes: match operator {
            UnaryOperator::Negate | UnaryOperator::Abs => "any number, but not `bool`",
            UnaryOperator::Not => "an integer or `bool`",
            UnaryOperator::Conjugate | UnaryOperator::Real | UnaryOperator::Imaginary => {
                "a complex number"
            }
            UnaryOperator::IsNan
            | UnaryOperator::IsInf
            | UnaryOperator::IsFinite
            | UnaryOperator::SignBit => "a real floating-point number",
            UnaryOperator::PopCount | UnaryOperator::LeadingZeros => "an integer",
        },
    })
}

fn binary(operator: BinaryOperator, left: Type, right: Type) -> Result<Type, Problem> {
    use BinaryOperator as Op;
    let dtype = left.scalar().filter(|_| left == right);
    let result = dtype.and_then(|dtype| operator.result(dtype));
    result.map(Type::Scalar).ok_or(Problem::Operands {
        what: operator.name(),
        found: vec![left, right],
        takes: match operator {
            Op::Add | Op::Subtract | Op::Multiply | Op::Power => {
                "two numbers of one type, but not `bool`"
            }
            Op::Divide => "two floats or two complex numbers of one type",
            Op::FloorDivide | Op::Modulo | Op::Minimum | Op::Maximum => {
                "two integers or two floats of one type"
            }
            Op::TruncatingDivide | Op::TruncatingRemainder | Op::ShiftLeft | Op::ShiftRight => {
                "two integers of one type"
            }
            Op::BitAnd | Op::BitOr | Op::BitXor => "two integers of one type or two `bool`",
            Op::Equal | Op::NotEqual => "two scalars of one type",
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                "two integers or two floats of one type"
            }
        },
    })
}

fn select(condition: Type, accept: Type, reject: Type) -> Result<Type, Problem> {
    if condition == Type::BOOL && accept == reject && accept.scalar().is_some() {
        return Ok(accept);
    }
    Err(Problem::Operands {
        what: "select",
        found: vec![condition, accept, reject],
        takes: "a `bool` and two scalars of one type",
    })
}

fn cast(operand: Type, to: DType) -> Result<Type, Problem> {
    match operand {
        Type::Scalar(_) => Ok(to.into()),
        Type::Pointer { .. } => Err(Problem::Operands {
            what: "cast",
            found: vec![operand],
            takes: "a scalar",
        }),
    }
}

fn bitcast(operand: Type, to: DType) -> Result<Type, Problem> {
    let plain = |dtype: DType| !dtype.is_bool() && !dtype.is_complex();
    operand
        .scalar()
        .filter(|from| plain(*from) && plain(to) && from.size_bytes() == to.size_bytes())
        .map(|_| to.into())
        .ok_or(Problem::Operands {
            what: "bitcast",
            found: vec![operand, to.into()],
            takes: "an integer or float to another one of the same size",
        })
}

fn math(function: MathFunction, found: Vec<Type>) -> Result<Type, Problem> {
    if found.len() != function.arity() {
        return Err(Problem::ArgumentCount {
            function: function.name(),
            expected: function.arity(),
            found: found.len(),
        });
    }
    found[0]
        .scalar()
        .filter(|_| found.iter().all(|ty| *ty == found[0]))
        .and_then(|dtype| function.result(dtype))
        .map(Type::Scalar)
        .ok_or(Problem::Operands {
            what: function.name(),
            found,
            takes: match function.domain() {
                MathDomain::Real => "real floats, all of one type",
                MathDomain::RealOrComplex => "floats or complex numbers, all of one type",
            },
        })
}

fn complex(real: Type, imaginary: Type) -> Result<Type, Problem> {
    match (real, imaginary) {
        (Type::Scalar(DType::F32), Type::Scalar(DType::F32)) => Ok(DType::C64.into()),
        (Type::Scalar(DType::F64), Type::Scalar(DType::F64)) => Ok(DType::C128.into()),
        _ => Err(Problem::Operands {
            what: "complex",
            found: vec![real, imaginary],
            takes: "two `f32` or two `f64`",
        }),
    }
}

/// The element type and the pointer type of an access.
fn access(what: &'static str, pointer: Type, index: Type) -> Result<(DType, Type), Problem> {
    match (pointer, index) {
        (Type::Pointer { element, .. }, Type::INDEX) => Ok((element, pointer)),
        _ => Err(Problem::Operands {
            what,
            found: vec![pointer, index],
            takes: "a pointer and an `i64` index",
        }),
    }
}
