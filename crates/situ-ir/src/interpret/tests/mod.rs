//! What kernels compute, the faults they commit, and the arguments they refuse.

mod arguments;
mod computation;
mod faults;

use super::{Argument, Error, FaultKind, Interpreter, Options, WorkItem, interpret};
use crate::expression::{BinaryOperator, WorkItemQuery};
use crate::{
    AddressSpace, Atomic, AtomicOperation, CollectiveOperation, CollectiveScope, CombineOperator,
    DType, FunctionBuilder, Handle, Literal, MemoryOrder, MemoryScope, MemorySpaces, Module,
    NdRange, Source, Span, StatementKind, Type, ValidModule, validate,
};

const GLOBAL_I64: Type = Type::Pointer {
    element: DType::I64,
    space: AddressSpace::Global,
};

fn module_of(build: impl FnOnce(&mut FunctionBuilder)) -> ValidModule {
    let mut f = FunctionBuilder::kernel("k", 1);
    build(&mut f);
    let mut module = Module::new("test");
    f.finish(&mut module);
    validate(module).unwrap_or_else(|problems| panic!("{problems}"))
}

fn bytes_of(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn numbers_of(bytes: &[u8]) -> Vec<i64> {
    bytes
        .chunks_exact(8)
        .map(|chunk| i64::from_le_bytes(chunk.try_into().unwrap()))
        .collect()
}

fn at(buffer: usize) -> Argument {
    Argument::Pointer {
        buffer,
        offset_bytes: 0,
    }
}

/// Runs kernel `k` on one buffer of numbers.
fn run_with(
    module: &ValidModule,
    range: &NdRange,
    numbers: &[i64],
    options: &Options,
) -> Result<Vec<i64>, Error> {
    let mut bytes = bytes_of(numbers);
    interpret(module, "k", range, &[at(0)], &mut [&mut bytes], options)?;
    Ok(numbers_of(&bytes))
}

fn run(module: &ValidModule, range: &NdRange, numbers: &[i64]) -> Result<Vec<i64>, Error> {
    run_with(module, range, numbers, &Options::default())
}

fn fault_of<T: std::fmt::Debug>(result: Result<T, Error>) -> Box<super::Fault> {
    match result {
        Err(Error::Fault(fault)) => fault,
        other => panic!("{other:?} is not a fault"),
    }
}

fn groups(global: u64, local: u64) -> NdRange {
    NdRange::with_local(&[global], &[local]).unwrap()
}

fn item(global: u64, local: u64, group: u64) -> WorkItem {
    WorkItem {
        dims: 1,
        global_id: [global, 0, 0],
        local_id: [local, 0, 0],
        group_id: [group, 0, 0],
    }
}

fn atomic(
    operation: AtomicOperation,
    pointer: Handle<crate::Expression>,
    index: Handle<crate::Expression>,
    operand: Option<Handle<crate::Expression>>,
    order: MemoryOrder,
) -> Atomic {
    Atomic {
        operation,
        pointer,
        index,
        operand,
        expected: None,
        result: None,
        order,
        scope: MemoryScope::Device,
    }
}
