//! Rounds that run at the same time, in vectors of neighbours.
//!
//! What rounds of `prange` do is a function that is called with the number of the round. If vectors pay, its form for
//! all lanes is called instead, with the number of the first lane.

use situ_ir::{Expression, Function, Handle, Parallel, Statement, StatementKind, Type};

use super::calls::Form;
use super::cost::{chosen, is_doubled};
use super::flow::Entry;
use super::lanes::vector_type;
use super::rows::in_vectors;
use super::shape::Shape;
use crate::error::Error;
use crate::llvm::body::Body;
use crate::llvm::types::register_type;
use crate::llvm::writer::Operand;

/// The call that each round is, if all lanes of a vector can make it together.
pub(in crate::llvm) struct VectorRounds<'a> {
    form: Form,
    arguments: &'a [Handle<Expression>],
    is_doubled: bool,
}

impl<'a> VectorRounds<'a> {
    /// The vector form of rounds, if they should have one.
    pub(in crate::llvm) fn plan(body: &Body<'_, '_, '_>, parallel: &'a Parallel) -> Option<Self> {
        let [
            Statement {
                kind:
                    StatementKind::Call {
                        function: callee,
                        arguments,
                        result: None,
                    },
                ..
            },
        ] = parallel.body.statements.as_slice()
        else {
            return None;
        };
        let facts = body.facts;
        let is_alone = facts.queries[callee.index()].iter().next().is_none()
            && !facts.stacks[callee.index()].has_arrays()
            && !body.hands_out_memory(*callee);
        let shapes = arguments
            .iter()
            .map(|argument| shape(body.function, parallel, *argument));
        let parameters: Vec<Shape> = shapes.collect::<Option<_>>()?;
        if !is_alone || !parameters.contains(&Shape::Linear(1)) {
            return None;
        }
        let entry = Entry {
            parameters,
            dims: 1,
        };
        let (_, lanes) = chosen(facts, *callee, &entry, body.code.library.options)?;
        let form = Form {
            callee: *callee,
            lanes,
            entry,
        };
        Some(Self {
            form,
            arguments,
            is_doubled: is_doubled(facts, *callee),
        })
    }

    /// Writes the rounds between two numbers.
    pub(in crate::llvm) fn emit(
        &self,
        body: &mut Body<'_, '_, '_>,
        range: (&Operand, &Operand),
    ) -> Result<(), Error> {
        let name = self.form.define(body.facts, body.code.library)?;
        let lanes = self.form.lanes;
        let bits = vector_type(situ_ir::DType::Bool, lanes);
        in_vectors(
            body,
            (lanes, self.is_doubled),
            range,
            |body, index, mask| {
                body.computed.clear();
                let mut list = Vec::new();
                let shapes = self.arguments.iter().zip(&self.form.entry.parameters);
                for (argument, shape) in shapes {
                    let ty = body.info.type_of(*argument);
                    let operand = match shape {
                        Shape::Uniform => body.evaluate(*argument)?,
                        _ => index.clone(),
                    };
                    list.push(format!("{} {operand}", register_type(ty)));
                    if let Type::Pointer { .. } = ty {
                        list.push("i64 0".to_owned());
                    }
                }
                let mask = mask.unwrap_or_else(|| bits.constant(&Operand::new("true")));
                list.push(format!("{bits} {mask}"));
                let list = list.join(", ");
                body.code.effect(format_args!("call void @{name}({list})"));
                Ok(())
            },
        )
    }
}

/// How an argument depends on the round; `None` if it does in another way than by being its number.
fn shape(function: &Function, parallel: &Parallel, argument: Handle<Expression>) -> Option<Shape> {
    let index = Expression::Variable(parallel.index);
    if function.expressions[argument] == index {
        return Some(Shape::Linear(1));
    }
    let mut pending = vec![argument];
    while let Some(expression) = pending.pop() {
        let node = &function.expressions[expression];
        // Memory may be what other rounds write.
        if *node == index || matches!(node, Expression::Load { .. }) {
            return None;
        }
        node.for_each_operand(|operand| pending.push(operand));
    }
    Some(Shape::Uniform)
}
