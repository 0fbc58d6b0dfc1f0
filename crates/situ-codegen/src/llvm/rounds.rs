//! Rounds that run at the same time: a [`Parallel`] becomes a function of its own, which the runtime calls.
//!
//! The function gets a range of rounds and a *context*: a block of slots with everything that the rounds use of the
//! function around them. The runtime calls it once for all rounds if they are few, and with several ranges on several
//! threads if that pays, so this file decides nothing. Variables that rounds assign are on the stack of the new function.

use std::collections::BTreeSet;

use situ_ir::{
    ArrayVariable, Expression, Function, Handle, Literal, Module, Parallel, Statement,
    StatementKind, Value, Variable,
};

use super::abi::{ARGUMENT_SLOT_BYTES, RUN_ROUNDS};
use super::body::{Body, Exits};
use super::places::{ArrayPlace, ValuePlace, VariablePlace};
use super::types::{literal, register_type};
use super::vector::rounds::VectorRounds;
use super::writer::{Label, Operand};
use crate::error::Error;

/// What rounds use of the function around them.
#[derive(Debug, Default)]
struct Captured {
    parameters: BTreeSet<u32>,
    values: BTreeSet<Handle<Value>>,
    variables: BTreeSet<Handle<Variable>>,
    arrays: BTreeSet<Handle<ArrayVariable>>,
}

/// What a block assigns and binds, and what it uses.
#[derive(Debug, Default)]
struct Names {
    used: Captured,
    assigned: BTreeSet<Handle<Variable>>,
    bound: BTreeSet<Handle<Value>>,
    /// Whether calls hand out scratch memory, which rounds of one thread use one after the other.
    shares_scratch: bool,
}

/// Whether a function of a module has rounds.
pub(super) fn are_in(module: &Module) -> bool {
    let mut found = false;
    for (_, function) in module.functions.iter() {
        function.body.for_each_statement(&mut |statement| {
            found |= matches!(statement.kind, StatementKind::Parallel(_));
        });
    }
    found
}

impl Body<'_, '_, '_> {
    /// Runs rounds by way of the runtime.
    pub(super) fn parallel(&mut self, parallel: &Parallel) -> Result<(), Error> {
        let count = self.evaluate(parallel.count)?;
        let names = self.names_of(parallel);
        let captured = self.captured(&names, parallel);
        let number = self.code.library.next_rounds();
        let symbol = format!("rounds.{number}");
        let context = self.write_context(&captured)?;
        let text = self.rounds_function(&symbol, parallel, &names, &captured)?;
        let cost = format!("{symbol}.cost");
        self.code.library.define(&symbol, text);
        let line = format!("@{cost} = internal global [2 x i32] zeroinitializer, align 8\n");
        self.code.library.define(&cost, line);
        self.code
            .library
            .runtime(RUN_ROUNDS, "void", "ptr, ptr, i64, ptr");
        self.code.effect(format_args!(
            "call void @{RUN_ROUNDS}(ptr @{symbol}, ptr {context}, i64 {count}, ptr @{cost})"
        ));
        Ok(())
    }

    fn names_of(&self, parallel: &Parallel) -> Names {
        let mut names = Names::default();
        let mut collect = |statement: &Statement| self.collect(statement, &mut names);
        parallel.body.for_each_statement(&mut collect);
        names.assigned.extend([parallel.index, parallel.worker]);
        names
    }

    /// Adds the names of a statement, without those of blocks in it.
    fn collect(&self, statement: &Statement, names: &mut Names) {
        match &statement.kind {
            StatementKind::Assign { variable, .. } => {
                names.assigned.insert(*variable);
            }
            StatementKind::Parallel(inner) => {
                names.assigned.extend([inner.index, inner.worker]);
                names.shares_scratch = true;
            }
            StatementKind::Call { function, .. } => {
                names.shares_scratch |= self.hands_out_memory(*function);
            }
            _ => {}
        }
        names.bound.extend(statement.kind.bound_value());
        let mut seen = BTreeSet::new();
        let mut pending: Vec<Handle<Expression>> = Vec::new();
        statement
            .kind
            .for_each_expression(|root| pending.push(root));
        while let Some(handle) = pending.pop() {
            if !seen.insert(handle) {
                continue;
            }
            match &self.function.expressions[handle] {
                Expression::Parameter(position) => {
                    names.used.parameters.insert(*position);
                }
                Expression::Value(value) => {
                    names.used.values.insert(*value);
                }
                Expression::Variable(variable) => {
                    names.used.variables.insert(*variable);
                }
                Expression::Array(array) => {
                    names.used.arrays.insert(*array);
                }
                other => other.for_each_operand(|operand| pending.push(operand)),
            }
        }
    }

    /// Whether a function may hand out scratch memory: it has rounds of its own, or calls something that writes.
    pub(super) fn hands_out_memory(&self, function: Handle<Function>) -> bool {
        let facts = self.facts;
        let mut found = false;
        let body = &facts.module.functions[function].body;
        body.for_each_statement(&mut |statement| match &statement.kind {
            StatementKind::Parallel(_) => found = true,
            StatementKind::Call { function, .. } => {
                let access = &facts.module.info(*function).parameter_access;
                found |= access.iter().any(|access| access.writes);
            }
            _ => {}
        });
        found
    }

    /// What of the names is not the rounds' own. An array that nothing else uses is.
    fn captured(&self, names: &Names, parallel: &Parallel) -> Captured {
        let outside = self.arrays_outside(parallel);
        let values = names.used.values.difference(&names.bound);
        let variables = names.used.variables.difference(&names.assigned);
        Captured {
            parameters: names.used.parameters.clone(),
            values: values.copied().collect(),
            variables: variables.copied().collect(),
            arrays: names.used.arrays.intersection(&outside).copied().collect(),
        }
    }

    /// The arrays that statements outside of the rounds use.
    fn arrays_outside(&self, parallel: &Parallel) -> BTreeSet<Handle<ArrayVariable>> {
        let mut names = Names::default();
        let mut pending = vec![&self.function.body];
        while let Some(block) = pending.pop() {
            for statement in &block.statements {
                self.collect(statement, &mut names);
                let is_it = matches!(&statement.kind, StatementKind::Parallel(other)
                    if std::ptr::eq(other, parallel));
                if !is_it {
                    pending.extend(statement.kind.blocks());
                }
            }
        }
        names.used.arrays
    }

    /// Writes what rounds use to a block on the stack.
    fn write_context(&mut self, captured: &Captured) -> Result<Operand, Error> {
        let mut slots: Vec<(&'static str, Operand)> = Vec::new();
        for position in &captured.parameters {
            let ty = register_type(self.function.parameters[*position as usize].ty);
            slots.push((ty, self.parameters[*position as usize].clone()));
        }
        for value in &captured.values {
            let ty = register_type(self.function.values[*value].ty);
            let operand = match self.places.values[value.index()].clone() {
                ValuePlace::Register(operand) => operand,
                ValuePlace::Slot(slot) => self.load_slot(&slot),
                ValuePlace::Expression(again) => self.evaluate(again)?,
                ValuePlace::Unbound => {
                    return Err(self.broken("a value is bound before it is used"));
                }
            };
            slots.push((ty, operand));
        }
        for variable in &captured.variables {
            let dtype = self.function.variables[*variable].dtype;
            let operand = match self.places.variables[variable.index()].clone() {
                VariablePlace::Stack(place) => self.load_scalar(dtype, &place, ""),
                VariablePlace::Slot(slot) => self.load_slot(&slot),
                VariablePlace::Expression(again) => self.evaluate(again)?,
            };
            slots.push((register_type(dtype.into()), operand));
        }
        for array in &captured.arrays {
            let ArrayPlace::Address(address) = self.places.arrays[array.index()].clone() else {
                return Err(self.broken("rounds are not part of a group"));
            };
            slots.push(("ptr", address));
        }
        let context = self.code.entry_instruction(format_args!(
            "alloca [{} x i64], align {ARGUMENT_SLOT_BYTES}",
            slots.len().max(1)
        ));
        for (position, (ty, operand)) in slots.into_iter().enumerate() {
            let address = self.code.instruction(format_args!(
                "getelementptr i8, ptr {context}, i64 {}",
                position * ARGUMENT_SLOT_BYTES
            ));
            self.code
                .effect(format_args!("store {ty} {operand}, ptr {address}"));
        }
        Ok(context)
    }

    /// The text of the function that runs a range of rounds.
    fn rounds_function(
        &mut self,
        symbol: &str,
        parallel: &Parallel,
        names: &Names,
        captured: &Captured,
    ) -> Result<String, Error> {
        let mut body = Body::new(self.facts, self.handle, self.code.library);
        let contents = body.read_context(captured);
        for (handle, variable) in body.function.variables.iter() {
            let is_used = names.assigned.contains(&handle) || captured.variables.contains(&handle);
            let place = if is_used {
                body.stack_variable(variable.dtype)
            } else {
                Operand::new("poison")
            };
            body.places.variables.push(VariablePlace::Stack(place));
        }
        let start = body.code.label("start");
        body.code.begin(&start);
        for (variable, content) in contents {
            body.fill(variable, &content);
        }
        let work = body.code.label("work");
        let done = body.code.label("done");
        let (first, last) = (Operand::new("%first"), Operand::new("%last"));
        let has_rounds = body
            .code
            .instruction(format_args!("icmp slt i64 {first}, {last}"));
        body.code.branch_if(&has_rounds, &work, &done);
        body.code.begin(&work);
        if let Some(vectors) = VectorRounds::plan(&body, parallel) {
            body.fill(parallel.worker, &Operand::new("%worker"));
            vectors.emit(&mut body, (&first, &last))?;
            return Ok(body.rounds_text(symbol, &start, &done));
        }
        let is_parallel = !names.shares_scratch && body.is_parallel();
        body.counted_loop(
            "rounds",
            (&first, &last),
            is_parallel,
            |body, index, next| {
                body.exits = Exits::Item {
                    end: next.clone(),
                    status: None,
                };
                for variable in &names.assigned {
                    let dtype = body.function.variables[*variable].dtype;
                    let content = if *variable == parallel.index {
                        index.clone()
                    } else if *variable == parallel.worker {
                        Operand::new("%worker")
                    } else {
                        literal(Literal::zero(dtype))
                    };
                    body.fill(*variable, &content);
                }
                body.block(&parallel.body)
            },
        )?;
        Ok(body.rounds_text(symbol, &start, &done))
    }

    /// Ends the function of rounds at `done`.
    fn rounds_text(mut self, symbol: &str, start: &Label, done: &Label) -> String {
        let vector_bits = 8 * self.code.library.options.vector_isa.vector_bytes();
        self.code.begin(done);
        self.code.terminate("ret void");
        let text = self.code.into_writer().finish(start);
        let most = i64::MAX;
        format!(
            "define internal void @{symbol}(ptr noalias nocapture readonly %context, \
             i64 range(i64 0, {most}) %first, i64 %last, i64 %worker) nounwind \"prefer-vector-width\"=\"{vector_bits}\" {{\n{text}}}\n"
        )
    }

    /// Writes a variable that is on the stack.
    fn fill(&mut self, variable: Handle<Variable>, content: &Operand) {
        if let VariablePlace::Stack(place) = self.places.variables[variable.index()].clone() {
            let dtype = self.function.variables[variable].dtype;
            self.store_scalar(dtype, content, &place, "");
        }
    }

    /// Reads what the function around has written, in the same order; gives what variables start with.
    fn read_context(&mut self, captured: &Captured) -> Vec<(Handle<Variable>, Operand)> {
        let function = self.function;
        let mut position = 0;
        let mut next = |body: &mut Self, ty: &str| {
            let address = body.code.entry_instruction(format_args!(
                "getelementptr i8, ptr %context, i64 {}",
                position * ARGUMENT_SLOT_BYTES
            ));
            position += 1;
            body.code
                .entry_instruction(format_args!("load {ty}, ptr {address}"))
        };
        self.parameters = vec![Operand::new("poison"); function.parameters.len()];
        for parameter in &captured.parameters {
            let ty = register_type(function.parameters[*parameter as usize].ty);
            self.parameters[*parameter as usize] = next(self, ty);
        }
        self.places.values = vec![ValuePlace::Unbound; function.values.len()];
        for value in &captured.values {
            let operand = next(self, register_type(function.values[*value].ty));
            self.places.values[value.index()] = ValuePlace::Register(operand);
        }
        let mut contents = Vec::new();
        for variable in &captured.variables {
            let dtype = function.variables[*variable].dtype;
            contents.push((*variable, next(self, register_type(dtype.into()))));
        }
        for (handle, array) in function.arrays.iter() {
            let place = if captured.arrays.contains(&handle) {
                next(self, "ptr")
            } else {
                self.stack_array(array.element, array.length)
            };
            self.places.arrays.push(ArrayPlace::Address(place));
        }
        contents
    }
}
