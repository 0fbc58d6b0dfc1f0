//! Expressions in all lanes.
//!
//! As in scalar code a statement computes each expression once, and the operations themselves are the
//! same: on numbers where all lanes agree, on vectors where they do not.

use situ_ir::{BinaryOperator, DType, Expression, Handle, WorkItemQuery};

use super::body::VectorBody;
use super::lanes::{Address, Lanes, Progression, Term};
use super::shape::{Shape, operation_shape};
use crate::error::Error;
use crate::llvm::types::literal;
use crate::llvm::writer::Operand;
use crate::llvm::{builtins, casts, operators};

impl VectorBody<'_, '_, '_, '_> {
    /// Computes an expression in the present state.
    pub(super) fn evaluate(&mut self, root: Handle<Expression>) -> Result<Term, Error> {
        let function = self.body.function;
        let mut pending = vec![root];
        while let Some(&expression) = pending.last() {
            if self.computed.contains_key(&expression) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            function.expressions[expression].for_each_operand(|operand| {
                if !self.computed.contains_key(&operand) {
                    pending.push(operand);
                }
            });
            if pending.len() == before {
                let term = self.compute(expression)?;
                self.computed.insert(expression, term);
                pending.pop();
            }
        }
        Ok(self.computed[&root].clone())
    }

    /// Computes a scalar expression.
    pub(super) fn evaluate_number(&mut self, root: Handle<Expression>) -> Result<Lanes, Error> {
        match self.evaluate(root)? {
            Term::Number(lanes) => Ok(lanes),
            Term::Pointer(_) => Err(self.broken("operands of operators are scalars")),
        }
    }

    /// Computes a pointer.
    pub(super) fn evaluate_pointer(&mut self, root: Handle<Expression>) -> Result<Address, Error> {
        match self.evaluate(root)? {
            Term::Pointer(address) => Ok(address),
            Term::Number(_) => Err(self.broken("memory is accessed through pointers")),
        }
    }

    /// Computes an expression whose operands are computed.
    fn compute(&mut self, expression: Handle<Expression>) -> Result<Term, Error> {
        let function = self.body.function;
        let number = match &function.expressions[expression] {
            Expression::Literal(value) => Lanes::Uniform(literal(*value)),
            Expression::Parameter(position) => {
                return Ok(self.parameters[*position as usize].clone());
            }
            Expression::Value(value) => {
                return self.values[value.index()]
                    .clone()
                    .ok_or_else(|| self.broken("a value is bound before it is used"));
            }
            Expression::Variable(variable) => {
                let dtype = function.variables[*variable].dtype;
                self.load_variable(variable.index(), dtype)
            }
            Expression::Array(array) => {
                return Ok(Term::Pointer(Address {
                    base: self.arrays[array.index()].clone(),
                    index: Lanes::Uniform(Operand::integer(0)),
                }));
            }
            Expression::WorkItem(WorkItemQuery::StackLeft) => {
                Lanes::Uniform(self.body.stack_left()?)
            }
            Expression::WorkItem(query) => self.answer(*query)?,
            Expression::Offset { pointer, index } => {
                let address = self.evaluate_pointer(*pointer)?;
                let index = self.evaluate_number(*index)?;
                return Ok(Term::Pointer(self.moved(&address, &index)));
            }
            Expression::Load { pointer, index } => {
                let address = self.evaluate_pointer(*pointer)?;
                let index = self.evaluate_number(*index)?;
                let address = self.moved(&address, &index);
                self.load(*pointer, &address)?
            }
            _ => self.operation(expression)?,
        };
        Ok(Term::Number(number))
    }

    /// Computes an operation on numbers.
    fn operation(&mut self, expression: Handle<Expression>) -> Result<Lanes, Error> {
        let function = self.body.function;
        let shape = operation_shape(function, self.body.info, expression, |operand| {
            self.computed[&operand].shape()
        });
        let lanes = if shape == Shape::Varying {
            self.lanes
        } else {
            1
        };
        let mut operands = Vec::new();
        function.expressions[expression].for_each_operand(|operand| operands.push(operand));
        let mut numbers = Vec::with_capacity(operands.len());
        let mut dtypes = Vec::with_capacity(operands.len());
        for operand in operands {
            let dtype = self.dtype(operand)?;
            let number = self.evaluate_number(operand)?;
            numbers.push(match shape {
                Shape::Varying => number.vector(&mut self.body.code, dtype, self.lanes),
                _ => number.operand().clone(),
            });
            dtypes.push(dtype);
        }
        let result = self.dtype(expression)?;
        let node = &function.expressions[expression];
        let code = &mut self.body.code;
        let operand = code.in_lanes(lanes, |code| match node {
            Expression::Unary { operator, .. } => {
                operators::unary(code, *operator, dtypes[0], &numbers[0])
            }
            Expression::Binary { operator, .. } => {
                let (x, y) = (&numbers[0], &numbers[1]);
                if *operator == BinaryOperator::Power && dtypes[0].is_float() {
                    Some(builtins::power(code, dtypes[0], x, y))
                } else {
                    operators::binary(code, *operator, dtypes[0], x, y)
                }
            }
            Expression::Select { .. } => {
                let ty = code.ty(result);
                Some(code.select(ty, &numbers[0], &numbers[1], &numbers[2]))
            }
            Expression::Cast { to, .. } => Some(casts::cast(code, &numbers[0], dtypes[0], *to)),
            Expression::Bitcast { to, .. } => {
                let (from, to) = (code.ty(dtypes[0]), code.ty(*to));
                let x = &numbers[0];
                Some(if from == to {
                    x.clone()
                } else {
                    code.instruction(format_args!("bitcast {from} {x} to {to}"))
                })
            }
            Expression::Math { function, .. } => {
                let numbers: Vec<_> = numbers.iter().collect();
                builtins::math(code, *function, result, &numbers)
            }
            _ => None,
        });
        let operand =
            operand.ok_or_else(|| self.broken("what is not core IR is lowered before emission"))?;
        match self.progression_of(expression)? {
            Some(progression) if shape == Shape::Varying => {
                Ok(Lanes::Strided(operand, progression))
            }
            _ => Ok(Lanes::new(shape, operand)),
        }
    }

    /// How the numbers of the lanes follow each other, where an index is computed from such numbers and elements are
    /// better accessed one by one. Nobody uses it in most cases; then LLVM forgets it.
    fn progression_of(
        &mut self,
        expression: Handle<Expression>,
    ) -> Result<Option<Progression>, Error> {
        let is_index = matches!(self.dtype(expression)?, DType::I64 | DType::U64);
        if !is_index || !self.body.code.library.options.gathers_slowly {
            return Ok(None);
        }
        let Expression::Binary {
            operator,
            left,
            right,
        } = self.body.function.expressions[expression]
        else {
            return Ok(None);
        };
        let (left, right) = (self.evaluate_number(left)?, self.evaluate_number(right)?);
        let (Some(x), Some(y)) = (left.progression(), right.progression()) else {
            return Ok(None);
        };
        let code = &mut self.body.code;
        Ok(match (operator, left.shape(), right.shape()) {
            (BinaryOperator::Add, ..) => Some(x.combined(code, "add i64", &y)),
            (BinaryOperator::Subtract, ..) => Some(x.combined(code, "sub i64", &y)),
            (BinaryOperator::Multiply, _, Shape::Uniform) => Some(x.times(code, &y.first)),
            (BinaryOperator::Multiply, Shape::Uniform, _) => Some(y.times(code, &x.first)),
            _ => None,
        })
    }

    pub(super) fn dtype(&self, expression: Handle<Expression>) -> Result<DType, Error> {
        let ty = self.body.info.type_of(expression);
        ty.scalar()
            .ok_or_else(|| self.broken("operands of operators are scalars"))
    }

    /// A sum of indices.
    pub(super) fn add_indices(&mut self, x: &Lanes, y: &Lanes) -> Lanes {
        let is_zero = |lanes: &Lanes| matches!(lanes, Lanes::Uniform(operand) if *operand == Operand::integer(0));
        if is_zero(x) {
            return y.clone();
        }
        if is_zero(y) {
            return x.clone();
        }
        let shape = x.shape().plus(y.shape());
        let code = &mut self.body.code;
        let sum = if shape == Shape::Varying {
            let x = x.vector(code, DType::I64, self.lanes);
            let y = y.vector(code, DType::I64, self.lanes);
            code.binary(&format!("add <{} x i64>", self.lanes), &x, &y)
        } else {
            code.binary("add i64", x.operand(), y.operand())
        };
        match (x.progression(), y.progression()) {
            (Some(x), Some(y)) if shape == Shape::Varying => {
                Lanes::Strided(sum, x.combined(code, "add i64", &y))
            }
            _ => Lanes::new(shape, sum),
        }
    }

    fn load_variable(&mut self, position: usize, dtype: DType) -> Lanes {
        let shape = self.flow.variables[position];
        let place = self.variables[position].clone();
        let content = if shape == Shape::Varying {
            let ty = self.ty(dtype);
            self.body
                .code
                .instruction(format_args!("load {ty}, ptr {place}"))
        } else {
            self.body.load_scalar(dtype, &place, "")
        };
        Lanes::new(shape, content)
    }
}
