//! Device functions.
//!
//! A device function becomes an internal LLVM function with one argument for each parameter and,
//! after them, one for each thing it asks about the work-item. Small ones are always inlined: a
//! loop with a call in it does not vectorise.

use situ_ir::{DType, Function, Handle, Literal, ParameterAccess, StatementKind, ValidModule};

use super::body::{Body, ModuleFacts, WorkItem};
use super::library::Library;
use super::types::{literal, register_type, scalar_type};
use super::writer::Operand;
use crate::error::Error;

/// The number of statements and expressions, with those of the functions that are inlined into it,
/// up to which a function is always inlined.
pub(super) const ALWAYS_INLINE: usize = 400;

/// How often a function that writes memory is copied to its callers: code that hands out memory is called everywhere.
const MAX_COPIES: usize = 4;

/// How often each function is called.
pub(super) fn calls(module: &ValidModule) -> Vec<usize> {
    let mut calls = vec![0; module.functions.len()];
    for (_, function) in module.functions.iter() {
        function.body.for_each_statement(&mut |statement| {
            if let StatementKind::Call { function, .. } = &statement.kind {
                calls[function.index()] += 1;
            }
        });
    }
    calls
}

/// The size of each function after inlining. Functions call earlier ones and themselves.
pub(super) fn inlined_sizes(module: &ValidModule) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter() {
        let mut size = function.expressions.len();
        function.body.for_each_statement(&mut |statement| {
            size = size.saturating_add(1);
            if let StatementKind::Call { function, .. } = &statement.kind {
                match sizes.get(function.index()) {
                    Some(callee) if *callee <= ALWAYS_INLINE => size = size.saturating_add(*callee),
                    Some(_) => {}
                    // It calls itself.
                    None => size = size.saturating_add(ALWAYS_INLINE + 1),
                }
            }
        });
        sizes.push(size);
    }
    sizes
}

/// What a device function is called in the text. A C identifier never has a dot, so this is neither
/// a kernel nor a function of the C library.
pub(super) fn symbol(function: &Function) -> String {
    format!("device.{}", function.name)
}

/// Whether LLVM must inline a function, or may, or must not.
pub(super) fn inline_attribute(facts: &ModuleFacts<'_>, handle: Handle<Function>) -> &'static str {
    let size = facts.inlined_sizes[handle.index()];
    let writes = |access: &ParameterAccess| access.writes;
    let info = facts.module.info(handle);
    // Loops with such calls do not vectorise anyway.
    let is_common =
        facts.calls[handle.index()] > MAX_COPIES && info.parameter_access.iter().any(writes);
    if !facts.stacks[handle.index()].may_be_inlined() || is_common {
        "noinline"
    } else if size <= ALWAYS_INLINE {
        "alwaysinline"
    } else {
        "inlinehint"
    }
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
    let inline = inline_attribute(facts, handle);
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

#[cfg(test)]
mod tests {
    use situ_ir::{FunctionBuilder, Module, Type, validate};

    use super::*;

    /// Each function calls the one before it ten times; inlining all would make 10^8 copies.
    #[test]
    fn inlining_does_not_multiply() {
        let mut module = Module::new("tower");
        let mut f = FunctionBuilder::device("f0", Some(DType::F64));
        let x = f.parameter("x", DType::F64.into());
        f.return_(Some(x));
        let mut callee = f.finish(&mut module);
        for level in 1..=8 {
            let mut f = FunctionBuilder::device(format!("f{level}"), Some(DType::F64));
            let mut x = f.parameter("x", Type::Scalar(DType::F64));
            for _ in 0..10 {
                x = f
                    .call(&module, callee, &[x])
                    .expect("the callee has a result");
            }
            f.return_(Some(x));
            callee = f.finish(&mut module);
        }
        let module = validate(module).unwrap();
        let sizes = inlined_sizes(&module);
        assert!(sizes[1] <= ALWAYS_INLINE);
        assert!(
            sizes.iter().all(|size| *size < 12 * ALWAYS_INLINE),
            "{sizes:?}"
        );
    }
}
