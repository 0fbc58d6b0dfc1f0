//! The body of one function while it is written for all lanes of a vector.

use std::collections::HashMap;

use situ_ir::{DType, Expression, Handle, Literal, WorkItemQuery};

use super::flow::Flow;
use super::lanes::{Lanes, Term, vector_type};
use super::masks::Mask;
use super::shape::{Shape, query_shape};
use crate::error::Error;
use crate::llvm::body::{Body, WorkItem};
use crate::llvm::types::{LaneType, literal, memory_type};
use crate::llvm::writer::{Label, Operand};

/// Where lanes go that leave a loop or a round of it.
#[derive(Clone, Debug)]
pub(super) struct LoopTarget {
    pub(super) exit: Label,
    pub(super) step: Label,
    /// Where lanes are noted that left the loop, if lanes leave alone.
    pub(super) left: Option<Operand>,
    /// Where lanes are noted that left the round, if lanes leave alone.
    pub(super) rejoin: Option<Operand>,
}

/// A function body under construction, for vectors of work-items.
///
/// The [`Body`] it borrows holds the text, and the ids of the first lane.
pub(super) struct VectorBody<'b, 'a, 'm, 'o> {
    pub(super) body: &'b mut Body<'a, 'm, 'o>,
    pub(super) flow: &'b Flow,
    pub(super) lanes: u32,
    /// Dimensions of the kernel.
    pub(super) dims: u8,
    pub(super) parameters: Vec<Term>,
    /// What a caller tells about the work-items; the loops around them, if it is empty.
    pub(super) answers: Vec<(WorkItemQuery, Lanes)>,
    pub(super) values: Vec<Option<Term>>,
    /// The address of each variable: a number, or a vector if it varies.
    pub(super) variables: Vec<Operand>,
    /// The address of each array.
    pub(super) arrays: Vec<Operand>,
    pub(super) mask: Mask,
    pub(super) loops: Vec<LoopTarget>,
    /// Where lanes go that are done.
    pub(super) end: Label,
    /// Where the function's result waits for the last lane.
    pub(super) result: Option<Operand>,
    /// What the running statement has computed.
    pub(super) computed: HashMap<Handle<Expression>, Term>,
}

impl<'b, 'a, 'm, 'o> VectorBody<'b, 'a, 'm, 'o> {
    /// A body in which nothing is written yet. `entry` is the mask of the lanes that are there at all.
    pub(super) fn new(
        body: &'b mut Body<'a, 'm, 'o>,
        flow: &'b Flow,
        lanes: u32,
        dims: u8,
        entry: Option<Operand>,
        end: Label,
    ) -> Self {
        let mask = Mask::new(&mut body.code, lanes, entry);
        let values = vec![None; body.function.values.len()];
        let mut this = Self {
            body,
            flow,
            lanes,
            dims,
            parameters: Vec::new(),
            answers: Vec::new(),
            values,
            variables: Vec::new(),
            arrays: Vec::new(),
            mask,
            loops: Vec::new(),
            end,
            result: None,
            computed: HashMap::new(),
        };
        this.place();
        this
    }

    /// Gives every variable and private array its memory.
    ///
    /// The elements of private arrays with the same index are next to each other, lane by lane.
    fn place(&mut self) {
        let function = self.body.function;
        for ((_, variable), shape) in function.variables.iter().zip(&self.flow.variables) {
            let place = match shape {
                Shape::Varying => {
                    let ty = self.ty(variable.dtype);
                    self.body
                        .code
                        .entry_instruction(format_args!("alloca {ty}"))
                }
                _ => self.body.stack_variable(variable.dtype),
            };
            self.variables.push(place);
        }
        for (_, array) in function.arrays.iter() {
            let ty = LaneType {
                scalar: memory_type(array.element),
                lanes: self.lanes,
            };
            let length = array.length;
            let place = self
                .body
                .code
                .entry_instruction(format_args!("alloca [{length} x {ty}]"));
            self.arrays.push(place);
        }
    }

    /// Writes zero to every variable.
    pub(super) fn zero_variables(&mut self) {
        for (handle, variable) in self.body.function.variables.iter() {
            let zero = Literal::zero(variable.dtype);
            let place = self.variables[handle.index()].clone();
            self.store_variable(handle.index(), variable.dtype, &place, &literal(zero));
        }
    }

    fn store_variable(&mut self, position: usize, dtype: DType, place: &Operand, number: &Operand) {
        if self.flow.variables[position] == Shape::Varying {
            let ty = self.ty(dtype);
            let vector = ty.constant(number);
            self.body
                .code
                .effect(format_args!("store {ty} {vector}, ptr {place}"));
        } else {
            self.body.store_scalar(dtype, number, place, "");
        }
    }

    /// The type of a vector with an element for each lane.
    pub(super) fn ty(&self, dtype: DType) -> LaneType {
        vector_type(dtype, self.lanes)
    }

    /// The answers to a query in all lanes.
    pub(super) fn answer(&mut self, query: WorkItemQuery) -> Result<Lanes, Error> {
        if let WorkItem::Caller(_) = self.body.item {
            return self
                .answers
                .iter()
                .find(|(known, _)| *known == query)
                .map(|(_, answer)| answer.clone())
                .ok_or_else(|| self.body.broken("device functions are told what they ask"));
        }
        let first = self.body.answer(query)?;
        Ok(Lanes::new(query_shape(query, self.dims), first))
    }

    /// A rule of situ that turns out not to hold.
    pub(super) fn broken(&self, invariant: &'static str) -> Error {
        self.body.broken(invariant)
    }
}
