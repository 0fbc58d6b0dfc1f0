//! Calls of device functions by all lanes.
//!
//! A call that is the same for all lanes is made once, of the function that scalar code calls. For all
//! others there is a second form of the function, which takes vectors where arguments vary and the mask of
//! the lanes that call; one for each combination of shapes that occurs. Small ones are inlined.

use situ_ir::{DType, Expression, Function, Handle, Type, Value, WorkItemQuery};

use super::body::VectorBody;
use super::flow::{Entry, analyse, is_uniform_call};
use super::lanes::{Address, Lanes, Term, vector_type};
use super::shape::{Shape, query_shape};
use crate::error::Error;
use crate::llvm::body::{Body, ModuleFacts};
use crate::llvm::functions::{inline_attribute, symbol};
use crate::llvm::library::Library;
use crate::llvm::types::{memory_type, scalar_type};
use crate::llvm::writer::Operand;

impl VectorBody<'_, '_, '_, '_> {
    pub(super) fn call(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Value>>,
    ) -> Result<(), Error> {
        let mut terms = Vec::with_capacity(arguments.len());
        for argument in arguments {
            terms.push(self.evaluate(*argument)?);
        }
        let is_uniform = is_uniform_call(self.body.facts, callee)
            && terms.iter().all(|term| term.shape() == Shape::Uniform);
        if is_uniform {
            self.call_once(callee, &terms, result)
        } else {
            self.call_in_lanes(callee, &terms, result)
        }
    }

    /// One call for all lanes.
    fn call_once(
        &mut self,
        callee: Handle<Function>,
        terms: &[Term],
        result: Option<Handle<Value>>,
    ) -> Result<(), Error> {
        let function = &self.body.facts.module.functions[callee];
        let mut list = Vec::new();
        for (term, parameter) in terms.iter().zip(&function.parameters) {
            list.push(match (term, parameter.ty) {
                (Term::Number(number), Type::Scalar(dtype)) => {
                    format!("{} {}", scalar_type(dtype), number.operand())
                }
                (Term::Pointer(address), Type::Pointer { element, .. }) => {
                    let (ty, base) = (memory_type(element), &address.base);
                    let index = address.index.operand();
                    let place = self
                        .body
                        .code
                        .instruction(format_args!("getelementptr {ty}, ptr {base}, i64 {index}"));
                    format!("ptr {place}")
                }
                _ => return Err(self.broken("arguments have the types of parameters")),
            });
        }
        for query in self.body.facts.queries[callee.index()].iter() {
            let answer = self.answer(query)?;
            list.push(format!("i64 {}", answer.operand()));
        }
        let (name, list) = (symbol(function), list.join(", "));
        match (result, function.result) {
            (Some(value), Some(dtype)) => {
                let ty = scalar_type(dtype);
                let call = format!("call {ty} @{name}({list})");
                let number = self.body.code.instruction(call);
                self.bind(value, Lanes::Uniform(number));
            }
            _ => self
                .body
                .code
                .effect(format_args!("call void @{name}({list})")),
        }
        Ok(())
    }

    fn call_in_lanes(
        &mut self,
        callee: Handle<Function>,
        terms: &[Term],
        result: Option<Handle<Value>>,
    ) -> Result<(), Error> {
        let facts = self.body.facts;
        let function = &facts.module.functions[callee];
        let form = Form {
            callee,
            lanes: self.lanes,
            entry: Entry {
                parameters: terms.iter().map(Term::shape).collect(),
                dims: self.dims,
            },
        };
        let name = form.define(facts, self.body.code.library)?;
        let mut list = Vec::new();
        for (term, parameter) in terms.iter().zip(&function.parameters) {
            match (term, parameter.ty) {
                (Term::Number(number), Type::Scalar(dtype)) => list.push(form.typed(dtype, number)),
                (Term::Pointer(Address { base, index }), _) => {
                    list.push(format!("ptr {base}"));
                    list.push(form.typed(DType::I64, index));
                }
                _ => return Err(self.broken("arguments have the types of parameters")),
            }
        }
        for query in facts.queries[callee.index()].iter() {
            let answer = self.answer(query)?;
            list.push(form.typed(DType::I64, &answer));
        }
        let mask = self.active();
        list.push(format!("{} {mask}", self.ty(DType::Bool)));
        let list = list.join(", ");
        match (result, function.result) {
            (Some(value), Some(dtype)) => {
                let ty = self.ty(dtype);
                let call = format!("call {ty} @{name}({list})");
                let vector = self.body.code.instruction(call);
                self.bind(value, Lanes::Varying(vector));
            }
            _ => self
                .body
                .code
                .effect(format_args!("call void @{name}({list})")),
        }
        Ok(())
    }
}

/// A form of a device function: for so many lanes, and arguments of these shapes.
pub(super) struct Form {
    pub(super) callee: Handle<Function>,
    pub(super) lanes: u32,
    pub(super) entry: Entry,
}

impl Form {
    /// The form's name; its text is in the library afterwards.
    pub(super) fn define(
        &self,
        facts: &ModuleFacts<'_>,
        library: &mut Library<'_>,
    ) -> Result<String, Error> {
        let function = &facts.module.functions[self.callee];
        let tags: String = self.entry.parameters.iter().map(|s| s.tag()).collect();
        let name = format!(
            "{}.x{}.d{}{tags}",
            symbol(function),
            self.lanes,
            self.entry.dims
        );
        if !library.defines(&name) {
            let text = self.text(facts, library, &name)?;
            library.define(&name, text);
        }
        Ok(name)
    }

    fn text(
        &self,
        facts: &ModuleFacts<'_>,
        library: &mut Library<'_>,
        name: &str,
    ) -> Result<String, Error> {
        let flow = analyse(facts, self.callee, &self.entry);
        let mut body = Body::new(facts, self.callee, library);
        let function = body.function;
        let start = body.code.label("start");
        let end = body.code.label("end");
        let mask = Operand::new("%mask");
        let (lanes, dims) = (self.lanes, self.entry.dims);
        let mut vector = VectorBody::new(&mut body, &flow, lanes, dims, Some(mask), end.clone());
        let mut list = Vec::new();
        for (position, parameter) in function.parameters.iter().enumerate() {
            let shape = self.entry.parameters[position];
            let operand = Operand::new(format!("%p{position}"));
            vector.parameters.push(match parameter.ty {
                Type::Scalar(dtype) => {
                    let number = Lanes::new(shape, operand);
                    list.push(self.typed(dtype, &number));
                    Term::Number(number)
                }
                Type::Pointer { .. } => {
                    let index = Lanes::new(shape, Operand::new(format!("%i{position}")));
                    list.push(format!("ptr {operand}"));
                    list.push(self.typed(DType::I64, &index));
                    Term::Pointer(Address {
                        base: operand,
                        index,
                    })
                }
            });
        }
        for (position, query) in facts.queries[self.callee.index()].iter().enumerate() {
            let answer = self.answer(query, position);
            list.push(self.typed(DType::I64, &answer));
            vector.answers.push((query, answer));
        }
        let bits = vector.ty(DType::Bool);
        list.push(format!("{bits} %mask"));
        let result = function.result.map(|dtype| vector.ty(dtype));
        if let Some(ty) = result {
            let place = vector
                .body
                .code
                .entry_instruction(format_args!("alloca {ty}"));
            vector.result = Some(place);
        }
        vector.body.code.begin(&start);
        if let (Some(ty), Some(place)) = (result, &vector.result) {
            vector
                .body
                .code
                .effect(format_args!("store {ty} zeroinitializer, ptr {place}"));
        }
        vector.begin_lanes();
        vector.zero_variables();
        vector.block(&function.body)?;
        let place = vector.result.clone();
        body.code.begin(&end);
        let ty = if let (Some(ty), Some(place)) = (result, place) {
            let returned = body
                .code
                .instruction(format_args!("load {ty}, ptr {place}"));
            body.code.terminate(format_args!("ret {ty} {returned}"));
            ty.to_string()
        } else {
            body.code.terminate("ret void");
            "void".to_owned()
        };
        let text = body.code.into_writer().finish(&start);
        Ok(format!(
            "define internal {ty} @{name}({}) {} nounwind {{\n{text}}}\n",
            list.join(", "),
            inline_attribute(facts, self.callee)
        ))
    }

    /// What a function is told about the work-item of each lane.
    fn answer(&self, query: WorkItemQuery, position: usize) -> Lanes {
        let operand = Operand::new(format!("%q{position}"));
        Lanes::new(query_shape(query, self.entry.dims), operand)
    }

    /// Numbers with their type in front.
    fn typed(&self, dtype: DType, numbers: &Lanes) -> String {
        let operand = numbers.operand();
        match numbers.shape() {
            Shape::Varying => format!("{} {operand}", vector_type(dtype, self.lanes)),
            _ => format!("{} {operand}", scalar_type(dtype)),
        }
    }
}
