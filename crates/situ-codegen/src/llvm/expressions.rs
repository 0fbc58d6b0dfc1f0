//! Expressions.
//!
//! A statement computes each expression it uses once; nothing is kept for the next statement,
//! because variables and memory may have changed. LLVM finds what did not change. The walk keeps a
//! list of its own, so that deep expressions cost no stack.

use situ_ir::{AddressSpace, BinaryOperator, Expression, Handle, PointerRoot, Type, WorkItemQuery};

use super::body::{Body, LaunchPosition, WorkItem};
use super::library::INDEPENDENT;
use super::places::{ArrayPlace, ValuePlace, VariablePlace};
use super::types::{literal, memory_type, register_type, scalar_type};
use super::writer::Operand;
use super::{builtins, casts, operators};
use crate::error::Error;

impl Body<'_, '_, '_> {
    /// Computes an expression in the present state.
    pub(super) fn evaluate(&mut self, root: Handle<Expression>) -> Result<Operand, Error> {
        let mut pending = vec![root];
        while let Some(&expression) = pending.last() {
            if self.computed.contains_key(&expression) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            self.for_each_dependency(expression, |operand, computed| {
                if !computed {
                    pending.push(operand);
                }
            });
            if pending.len() == before {
                let result = self.compute(expression)?;
                self.computed.insert(expression, result);
                pending.pop();
            }
        }
        Ok(self.computed[&root].clone())
    }

    /// Calls `visit` with what must be computed before an expression, and whether it is.
    fn for_each_dependency(
        &self,
        expression: Handle<Expression>,
        mut visit: impl FnMut(Handle<Expression>, bool),
    ) {
        let mut visit = |operand| visit(operand, self.computed.contains_key(&operand));
        match &self.function.expressions[expression] {
            Expression::Value(value) => {
                if let ValuePlace::Expression(again) = &self.places.values[value.index()] {
                    visit(*again);
                }
            }
            Expression::Variable(variable) => {
                if let VariablePlace::Expression(again) = &self.places.variables[variable.index()] {
                    visit(*again);
                }
            }
            other => other.for_each_operand(visit),
        }
    }

    /// Computes an expression whose operands are computed.
    fn compute(&mut self, expression: Handle<Expression>) -> Result<Operand, Error> {
        let function = self.function;
        let result = match &function.expressions[expression] {
            Expression::Literal(value) => literal(*value),
            Expression::Parameter(position) => self.parameters[*position as usize].clone(),
            Expression::Value(value) => match self.places.values[value.index()].clone() {
                ValuePlace::Register(operand) => operand,
                ValuePlace::Expression(again) => self.computed(again),
                ValuePlace::Slot(slot) => self.load_slot(&slot),
                ValuePlace::Unbound => {
                    return Err(self.broken("a value is bound before it is used"));
                }
            },
            Expression::Variable(variable) => {
                match self.places.variables[variable.index()].clone() {
                    VariablePlace::Stack(place) => {
                        self.load_scalar(function.variables[*variable].dtype, &place, "")
                    }
                    VariablePlace::Expression(again) => self.computed(again),
                    VariablePlace::Slot(slot) => self.load_slot(&slot),
                }
            }
            Expression::Array(array) => match self.places.arrays[array.index()].clone() {
                ArrayPlace::Address(address) => address,
                ArrayPlace::Frame { base, stride_bytes } => {
                    let item = self.local_linear_id();
                    self.code.instruction(format_args!(
                        "getelementptr [{stride_bytes} x i8], ptr {base}, i64 {item}"
                    ))
                }
            },
            Expression::WorkItem(WorkItemQuery::StackLeft) => self.stack_left()?,
            Expression::WorkItem(query) => self.answer(*query)?,
            Expression::Unary { operator, operand } => {
                let x = self.computed(*operand);
                let dtype = self.dtype(*operand)?;
                operators::unary(&mut self.code, *operator, dtype, &x)
                    .ok_or_else(|| self.broken("complex numbers are lowered before emission"))?
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                let (x, y) = (self.computed(*left), self.computed(*right));
                let dtype = self.dtype(*left)?;
                if *operator == BinaryOperator::Power && dtype.is_float() {
                    builtins::power(&mut self.code, dtype, &x, &y)
                } else {
                    operators::binary(&mut self.code, *operator, dtype, &x, &y).ok_or_else(
                        || self.broken("Python's division is lowered before emission"),
                    )?
                }
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let ty = register_type(self.info.type_of(expression));
                let condition = self.computed(*condition);
                let (accept, reject) = (self.computed(*accept), self.computed(*reject));
                self.code.select(ty, &condition, &accept, &reject)
            }
            Expression::Cast { operand, to } => {
                let x = self.computed(*operand);
                let from = self.dtype(*operand)?;
                casts::cast(&mut self.code, &x, from, *to)
            }
            Expression::Bitcast { operand, to } => {
                let x = self.computed(*operand);
                let (from, to) = (scalar_type(self.dtype(*operand)?), scalar_type(*to));
                if from == to {
                    x
                } else {
                    self.code
                        .instruction(format_args!("bitcast {from} {x} to {to}"))
                }
            }
            Expression::Math {
                function: math,
                arguments,
            } => {
                let dtype = self.dtype(expression)?;
                let arguments: Vec<_> = arguments.iter().map(|&x| self.computed(x)).collect();
                let arguments: Vec<_> = arguments.iter().collect();
                builtins::math(&mut self.code, *math, dtype, &arguments)
                    .ok_or_else(|| self.broken("`rsqrt` is lowered before emission"))?
            }
            Expression::Complex { .. } => {
                return Err(self.broken("complex numbers are lowered before emission"));
            }
            Expression::Load { pointer, index } => {
                let address = self.element_address(*pointer, *index);
                let dtype = self.dtype(expression)?;
                let marks = self.access_marks(*pointer);
                self.load_scalar(dtype, &address, marks)
            }
            Expression::Offset { pointer, index } => self.element_address(*pointer, *index),
        };
        Ok(result)
    }

    fn computed(&self, expression: Handle<Expression>) -> Operand {
        self.computed[&expression].clone()
    }

    fn dtype(&self, expression: Handle<Expression>) -> Result<situ_ir::DType, Error> {
        let ty = self.info.type_of(expression);
        ty.scalar()
            .ok_or_else(|| self.broken("operands of operators are scalars"))
    }

    /// The address of an element; pointer and index are computed.
    pub(super) fn element_address(
        &mut self,
        pointer: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Operand {
        let ty = match self.info.type_of(pointer) {
            Type::Scalar(dtype) | Type::Pointer { element: dtype, .. } => memory_type(dtype),
        };
        let (pointer, index) = (self.computed(pointer), self.computed(index));
        self.code.instruction(format_args!(
            "getelementptr {ty}, ptr {pointer}, i64 {index}"
        ))
    }

    /// What an access through a pointer is marked with. Private memory on the stack is used by one
    /// work-item after the other, so accesses to it do depend on each other.
    pub(super) fn access_marks(&self, pointer: Handle<Expression>) -> &'static str {
        let is_shared_stack = match (self.info.type_of(pointer), self.info.pointer_root(pointer)) {
            (
                Type::Pointer {
                    space: AddressSpace::Private,
                    ..
                },
                Some(PointerRoot::Array(array)),
            ) => matches!(self.places.arrays[array.index()], ArrayPlace::Address(_)),
            (Type::Pointer { space, .. }, _) => space == AddressSpace::Private,
            _ => false,
        };
        if is_shared_stack { "" } else { INDEPENDENT }
    }

    /// The answer to a query of the running work-item.
    pub(super) fn answer(&mut self, query: WorkItemQuery) -> Result<Operand, Error> {
        match self.item.clone() {
            WorkItem::Caller(answers) => answers
                .into_iter()
                .find(|(known, _)| *known == query)
                .map(|(_, answer)| answer)
                .ok_or_else(|| self.broken("device functions are told what they ask")),
            WorkItem::Range {
                global_id,
                global_linear_id,
            } => match query {
                WorkItemQuery::GlobalId(dimension) => Ok(global_id[usize::from(dimension)].clone()),
                WorkItemQuery::GlobalLinearId => Ok(global_linear_id),
                WorkItemQuery::GlobalSize(dimension) => {
                    Ok(self.launch()?.global_size[usize::from(dimension)].clone())
                }
                WorkItemQuery::StackLeft => Ok(self.stack_limit()),
                _ => Err(self.broken("kernels that ask about groups are launched in groups")),
            },
            WorkItem::Group {
                local_id,
                local_linear_id,
            } => self.answer_in_group(query, &local_id, &local_linear_id),
        }
    }

    fn answer_in_group(
        &mut self,
        query: WorkItemQuery,
        local_id: &[Operand; 3],
        local_linear_id: &Operand,
    ) -> Result<Operand, Error> {
        let launch = self.launch()?.clone();
        let sub_group_size = Operand::integer(self.code.library.options.sub_group_size);
        Ok(match query {
            WorkItemQuery::GlobalId(dimension) => {
                let dimension = usize::from(dimension);
                self.global_id(&launch, dimension, &local_id[dimension])
            }
            WorkItemQuery::LocalId(dimension) => local_id[usize::from(dimension)].clone(),
            WorkItemQuery::GroupId(dimension) => launch.group_id[usize::from(dimension)].clone(),
            WorkItemQuery::GlobalSize(dimension) => {
                launch.global_size[usize::from(dimension)].clone()
            }
            WorkItemQuery::LocalSize(dimension) => {
                launch.local_size[usize::from(dimension)].clone()
            }
            WorkItemQuery::GroupCount(dimension) => {
                launch.group_count[usize::from(dimension)].clone()
            }
            WorkItemQuery::GlobalLinearId => {
                let mut linear = Operand::integer(0);
                for (dimension, local_id) in local_id.iter().enumerate() {
                    let size = &launch.global_size[dimension];
                    linear = self.code.binary("mul i64", &linear, size);
                    let id = self.global_id(&launch, dimension, local_id);
                    linear = self.code.binary("add i64", &linear, &id);
                }
                linear
            }
            WorkItemQuery::LocalLinearId => local_linear_id.clone(),
            WorkItemQuery::GroupLinearId => launch.group_linear_id,
            WorkItemQuery::SubGroupId => {
                self.code
                    .binary("udiv i64", local_linear_id, &sub_group_size)
            }
            WorkItemQuery::SubGroupLocalId => {
                self.code
                    .binary("urem i64", local_linear_id, &sub_group_size)
            }
            WorkItemQuery::SubGroupSize => {
                let position = self
                    .code
                    .binary("urem i64", local_linear_id, &sub_group_size);
                let first = self.code.binary("sub i64", local_linear_id, &position);
                let rest = self.code.binary("sub i64", &launch.group_items, &first);
                self.code
                    .intrinsic("llvm.umin.i64", "i64", &[&rest, &sub_group_size])
            }
            WorkItemQuery::SubGroupCount => {
                let last = Operand::integer(self.code.library.options.sub_group_size - 1);
                let rounded = self.code.binary("add i64", &launch.group_items, &last);
                self.code.binary("udiv i64", &rounded, &sub_group_size)
            }
            WorkItemQuery::StackLeft => self.stack_limit(),
        })
    }

    fn global_id(
        &mut self,
        launch: &LaunchPosition,
        dimension: usize,
        local_id: &Operand,
    ) -> Operand {
        let first = self.code.binary(
            "mul i64",
            &launch.group_id[dimension],
            &launch.local_size[dimension],
        );
        self.code.binary("add i64", &first, local_id)
    }

    /// The running work-item's position in its group.
    pub(super) fn local_linear_id(&self) -> Operand {
        match &self.item {
            WorkItem::Group {
                local_linear_id, ..
            } => local_linear_id.clone(),
            // Without groups there is one work-item at a time.
            WorkItem::Range { .. } | WorkItem::Caller(_) => Operand::integer(0),
        }
    }

    pub(super) fn launch(&self) -> Result<&LaunchPosition, Error> {
        self.launch
            .as_ref()
            .ok_or_else(|| self.broken("kernels know their launch"))
    }
}
