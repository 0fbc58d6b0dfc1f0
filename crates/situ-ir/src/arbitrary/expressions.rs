//! Random expressions: total and exact on every device.
//!
//! Where the IR leaves the bits of a NaN open, they are not looked at: numbers go through
//! [`Generator::not_nan`] first.

use super::generator::{Generator, Node, Readable};
use super::nasty;
use crate::dtype::{DType, DTypeKind};
use crate::expression::{
    BinaryOperator as Binary, Expression, MathFunction as Math, UnaryOperator as Unary,
    WorkItemQuery as Query,
};
use crate::literal::Literal;

const INTEGERS: [DType; 8] = [
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];
const FLOATS: [DType; 3] = [DType::F16, DType::F32, DType::F64];

impl Generator<'_> {
    /// An expression of a dtype; `uniform` if all work-items of a group must get the same.
    pub(super) fn scalar(&mut self, dtype: DType, uniform: bool, depth: u32) -> Node {
        if depth == 0 || self.random.chance(15) {
            return self.leaf(dtype, uniform);
        }
        match self.random.below(8) {
            0 => {
                let condition = self.scalar(DType::Bool, uniform, depth - 1);
                let accept = self.scalar(dtype, uniform, depth - 1);
                let reject = self.scalar(dtype, uniform, depth - 1);
                self.f.select(condition, accept, reject)
            }
            1 => {
                let from = self.dtype();
                let operand = self.scalar(from, uniform, depth - 1);
                self.f.cast(operand, dtype)
            }
            2 => self.load(dtype, uniform, depth - 1),
            _ => match dtype.kind() {
                DTypeKind::Bool => self.bool_operation(uniform, depth - 1),
                DTypeKind::Signed | DTypeKind::Unsigned => {
                    self.integer_operation(dtype, uniform, depth - 1)
                }
                DTypeKind::Float => self.float_operation(dtype, uniform, depth - 1),
                DTypeKind::Complex => self.complex_operation(dtype, uniform, depth - 1),
            },
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, uniform: bool) -> Node {
        self.scalar(DType::Bool, uniform, 2)
    }

    /// A constant, often a nasty one.
    pub(super) fn literal(&mut self, dtype: DType) -> Node {
        let literal = nasty::literal(self.random, dtype);
        self.f.literal(literal)
    }

    /// A number that is there already, or a constant.
    fn leaf(&mut self, dtype: DType, uniform: bool) -> Node {
        let mut choices = Vec::new();
        for (node, found) in &self.scalars {
            if *found == dtype && (self.is_kernel || !uniform) {
                choices.push(*node);
            }
        }
        for named in self.scopes.iter().flatten() {
            if named.dtype == dtype && (named.is_uniform || !uniform) {
                choices.push(named.node);
            }
        }
        let variables: Vec<_> = self
            .variables
            .iter()
            .filter(|slot| slot.dtype == dtype && (slot.is_uniform || !uniform))
            .map(|slot| slot.variable)
            .collect();
        for variable in variables {
            choices.push(self.f.get(variable));
        }
        if !choices.is_empty() && self.random.chance(70) {
            return self.random.pick(&choices);
        }
        match self.random.below(3) {
            0 if !dtype.is_bool() => {
                let query = self.query(uniform);
                let id = self.f.work_item(query);
                self.f.cast(id, dtype)
            }
            1 => self.load(dtype, uniform, 0),
            _ => self.literal(dtype),
        }
    }

    /// A question whose answer does not depend on the device.
    fn query(&mut self, uniform: bool) -> Query {
        let dimension = self.random.below(usize::from(self.plan.dims)) as u8;
        let mut choices = vec![Query::GlobalSize(dimension)];
        if !uniform {
            choices.extend([Query::GlobalId(dimension), Query::GlobalLinearId]);
        }
        if self.plan.uses_groups {
            choices.extend([
                Query::GroupId(dimension),
                Query::LocalSize(dimension),
                Query::GroupCount(dimension),
                Query::GroupLinearId,
            ]);
            if !uniform {
                choices.extend([Query::LocalId(dimension), Query::LocalLinearId]);
            }
        }
        if self.plan.uses_sub_groups {
            choices.push(Query::SubGroupCount);
            if !uniform {
                choices.extend([
                    Query::SubGroupId,
                    Query::SubGroupLocalId,
                    Query::SubGroupSize,
                ]);
            }
        }
        self.random.pick(&choices)
    }

    /// An element of a dtype, cast to it if there is none; a constant if there is no memory.
    fn load(&mut self, dtype: DType, uniform: bool, depth: u32) -> Node {
        let fits = |memory: &&Readable| memory.is_shared || !uniform;
        let everything: Vec<_> = self
            .readable
            .iter()
            .chain(&self.private)
            .filter(fits)
            .copied()
            .collect();
        let same: Vec<_> = everything
            .iter()
            .filter(|memory| memory.dtype == dtype)
            .copied()
            .collect();
        let memory = match (same.is_empty(), everything.is_empty()) {
            (false, _) => self.random.pick(&same),
            (true, false) => self.random.pick(&everything),
            (true, true) => return self.literal(dtype),
        };
        let (pointer, index) = self.element(memory, uniform, depth);
        let element = self.f.load(pointer, index);
        self.f.cast(element, dtype)
    }

    /// A pointer and an index of an element that exists.
    pub(super) fn element(&mut self, memory: Readable, uniform: bool, depth: u32) -> (Node, Node) {
        let any = self.scalar(DType::I64, uniform, depth);
        let length = self.f.index(memory.length);
        let index = self.f.binary(Binary::Modulo, any, length);
        if self.random.chance(80) {
            return (memory.pointer, self.shifted(index, memory.first));
        }
        let moved = self.random.between(0, 10) as i64 - 5;
        let by = self.f.index(moved);
        let pointer = self.f.offset(memory.pointer, by);
        (pointer, self.shifted(index, memory.first - moved))
    }

    /// The number, or 1 in the place of NaN, whose bits are open.
    pub(super) fn not_nan(&mut self, number: Node) -> Node {
        let dtype = self.f.dtype_of(number);
        let is_nan = self.f.unary(Unary::IsNan, number);
        let one = self.f.literal(Literal::one(dtype));
        self.f.select(is_nan, one, number)
    }

    fn bool_operation(&mut self, uniform: bool, depth: u32) -> Node {
        match self.random.below(6) {
            0 => {
                let operand = self.scalar(DType::Bool, uniform, depth);
                self.f.unary(Unary::Not, operand)
            }
            1 => {
                let operator = self
                    .random
                    .pick(&[Binary::BitAnd, Binary::BitOr, Binary::BitXor]);
                self.same_operands(operator, DType::Bool, uniform, depth)
            }
            2 => {
                let dtype = self.random.pick(&FLOATS);
                let operator = self.random.pick(&[
                    Unary::IsNan,
                    Unary::IsInf,
                    Unary::IsFinite,
                    Unary::SignBit,
                ]);
                let mut operand = self.scalar(dtype, uniform, depth);
                if operator == Unary::SignBit {
                    operand = self.not_nan(operand);
                }
                self.f.unary(operator, operand)
            }
            _ => {
                let dtype = self.dtype();
                let comparisons: Vec<_> = Binary::ALL
                    .into_iter()
                    .filter(|operator| operator.is_comparison())
                    .filter(|operator| operator.result(dtype).is_some())
                    .collect();
                let operator = self.random.pick(&comparisons);
                self.same_operands(operator, dtype, uniform, depth)
            }
        }
    }

    fn same_operands(&mut self, operator: Binary, dtype: DType, uniform: bool, depth: u32) -> Node {
        let left = self.scalar(dtype, uniform, depth);
        let right = self.scalar(dtype, uniform, depth);
        self.f.binary(operator, left, right)
    }

    fn integer_operation(&mut self, dtype: DType, uniform: bool, depth: u32) -> Node {
        match self.random.below(6) {
            0 => {
                let operator = self.random.pick(&[
                    Unary::Negate,
                    Unary::Not,
                    Unary::Abs,
                    Unary::PopCount,
                    Unary::LeadingZeros,
                ]);
                let operand = self.scalar(dtype, uniform, depth);
                self.f.unary(operator, operand)
            }
            1 => self.bitcast(dtype, uniform, depth),
            2 => {
                let operator = self.random.pick(&[Binary::ShiftLeft, Binary::ShiftRight]);
                let left = self.scalar(dtype, uniform, depth);
                let count = Literal::from_f64(dtype, self.random.below(9) as f64);
                let count = if self.random.chance(60) {
                    self.f.literal(count)
                } else {
                    self.scalar(dtype, uniform, depth)
                };
                self.f.binary(operator, left, count)
            }
            _ => {
                let operator = self.arithmetic(dtype);
                self.same_operands(operator, dtype, uniform, depth)
            }
        }
    }

    /// An operator that gives its operands' dtype, exactly.
    fn arithmetic(&mut self, dtype: DType) -> Binary {
        let inexact = |operator| operator == Binary::Power && !dtype.is_integer();
        let operators: Vec<_> = Binary::ALL
            .into_iter()
            .filter(|operator| !operator.is_comparison() && !inexact(*operator))
            .filter(|operator| operator.result(dtype).is_some())
            .collect();
        self.random.pick(&operators)
    }

    /// The bits of another dtype of the same size.
    fn bitcast(&mut self, to: DType, uniform: bool, depth: u32) -> Node {
        let sources: Vec<_> = INTEGERS
            .into_iter()
            .chain(FLOATS)
            .filter(|dtype| dtype.size_bytes() == to.size_bytes())
            .collect();
        let from = self.random.pick(&sources);
        let mut operand = self.scalar(from, uniform, depth);
        if from.is_float() {
            operand = self.not_nan(operand);
        }
        self.f.expression(Expression::Bitcast { operand, to })
    }

    fn float_operation(&mut self, dtype: DType, uniform: bool, depth: u32) -> Node {
        match self.random.below(8) {
            0 => {
                let operator = self.random.pick(&[Unary::Negate, Unary::Abs]);
                let operand = self.scalar(dtype, uniform, depth);
                self.f.unary(operator, operand)
            }
            1 => self.bitcast(dtype, uniform, depth),
            2 if dtype != DType::F16 => {
                let complex = if dtype == DType::F32 {
                    DType::C64
                } else {
                    DType::C128
                };
                let operand = self.scalar(complex, uniform, depth);
                let operator = self.random.pick(&[Unary::Real, Unary::Imaginary]);
                self.f.unary(operator, operand)
            }
            3 | 4 => self.exact_function(dtype, uniform, depth),
            _ => {
                let operator = self.arithmetic(dtype);
                self.same_operands(operator, dtype, uniform, depth)
            }
        }
    }

    fn exact_function(&mut self, dtype: DType, uniform: bool, depth: u32) -> Node {
        let functions: Vec<_> = Math::ALL
            .iter()
            .copied()
            .filter(|function| function.is_exact())
            .collect();
        let function = self.random.pick(&functions);
        let mut arguments = Vec::new();
        for _ in 0..function.arity() {
            arguments.push(self.scalar(dtype, uniform, depth));
        }
        if function == Math::Copysign {
            arguments[1] = self.not_nan(arguments[1]);
        }
        self.f.math(function, &arguments)
    }

    fn complex_operation(&mut self, dtype: DType, uniform: bool, depth: u32) -> Node {
        match self.random.below(5) {
            0 => {
                let operator = self.random.pick(&[Unary::Negate, Unary::Conjugate]);
                let operand = self.scalar(dtype, uniform, depth);
                self.f.unary(operator, operand)
            }
            1 => {
                let real = self.scalar(dtype.real(), uniform, depth);
                let imaginary = self.scalar(dtype.real(), uniform, depth);
                self.f.expression(Expression::Complex { real, imaginary })
            }
            _ => {
                let operator = self.arithmetic(dtype);
                self.same_operands(operator, dtype, uniform, depth)
            }
        }
    }

    /// A function that devices compute only nearly: of a float or complex dtype, of exact arguments.
    ///
    /// Not the power of complex numbers: `exp(y * log(x))` has no useful bound in ulp.
    pub(super) fn inexact(&mut self, dtype: DType) -> Node {
        if dtype.is_float() && self.random.chance(10) {
            return self.same_operands(Binary::Power, dtype, false, 2);
        }
        if dtype.is_float() && dtype != DType::F16 && self.random.chance(10) {
            let complex = if dtype == DType::F32 {
                DType::C64
            } else {
                DType::C128
            };
            let operand = self.scalar(complex, false, 2);
            return self.f.unary(Unary::Abs, operand);
        }
        let functions: Vec<_> = Math::ALL
            .iter()
            .copied()
            .filter(|function| function.result(dtype).is_some())
            .filter(|function| dtype.is_complex() || !function.is_exact())
            .collect();
        let function = self.random.pick(&functions);
        let mut arguments = Vec::new();
        for _ in 0..function.arity() {
            arguments.push(self.scalar(dtype, false, 2));
        }
        self.f.math(function, &arguments)
    }
}
