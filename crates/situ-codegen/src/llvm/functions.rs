//! Device functions.
//!
//! A device function becomes an internal LLVM function with one argument for each parameter and,
//! after them, one for each thing it asks about the work-item. Small ones are always inlined: a
//! loop with a call in it does not vectorise.

use situ_ir::{DType, Function, Handle, Literal};

use super::body::{Body, ModuleFacts, WorkItem};
use super::library::Library;
use super::types::{literal, register_type, scalar_type};
use super::writer::Operand;
use crate::error::Error;

/// The number of statements and expressions up to which a function is always inlined.
const ALWAYS_INLINE: usize = 400;

/// What a device function is called in the text. A C identifier never has a dot, so this is neither
/// a kernel nor a function of the C library.
pub(super) fn symbol(function: &Function) -> String {
    format!("device.{}", function.name)
}

/// The text of a device function.
pub(super) fn emit(
    facts: &ModuleFacts<'_>,
    handle: Handle<Function>,
    library: &mut Library<'_>,
) -> Result<String, Error> {
    let mut body = Body::new(facts, handle, library);
    let function = body.function;
    let mut list = Vec::new();
    for (position, parameter) in function.parameters.iter().enumerate() {
        let operand = Operand::new(format!("%p{position}"));
        list.push(format!("{} {operand}", register_type(parameter.ty)));
        body.parameters.push(operand);
    }
    let mut answers = Vec::new();
    for (position, query) in facts.queries[handle.index()].iter().enumerate() {
        let operand = Operand::new(format!("%q{position}"));
        list.push(format!("i64 {operand}"));
        answers.push((query, operand));
    }
    body.item = WorkItem::Caller(answers);
    body.place_everything_on_the_stack();
    let start = body.code.label("start");
    body.code.begin(&start);
    body.zero_stack_variables();
    body.block(&function.body)?;
    if body.code.is_open() {
        body.code.terminate(fall_off(function.result));
    }
    let text = body.code.into_writer().finish(&start);
    let result = function.result.map_or("void", scalar_type);
    let inline = if size(function) <= ALWAYS_INLINE {
        "alwaysinline"
    } else {
        "inlinehint"
    };
    Ok(format!(
        "define internal {result} @{}({}) {inline} nounwind {{\n{text}}}\n",
        symbol(function),
        list.join(", ")
    ))
}

/// Validation proved that a function with a result returns on every path, so this is never reached.
fn fall_off(result: Option<DType>) -> String {
    match result {
        None => "ret void".to_owned(),
        Some(dtype) => format!(
            "ret {} {}",
            scalar_type(dtype),
            literal(Literal::zero(dtype))
        ),
    }
}

fn size(function: &Function) -> usize {
    let mut statements = 0;
    function.body.for_each_statement(&mut |_| statements += 1);
    statements + function.expressions.len()
}
