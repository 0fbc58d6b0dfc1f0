//! Mistakes inside of kernels: the reference device finds them, and goes on working.

use situ_ir::interpret::{Error as InterpretError, FaultKind};
use situ_ir::{DType, FunctionBuilder, Literal, NdRange};
use situ_runtime::{Error, Queue, select};

use crate::{compile, counting_kernel, download, pointer, pointer_to, upload};

fn fault_of(result: Result<situ_runtime::Event, Error>) -> FaultKind {
    match result {
        Err(Error::KernelFault { source }) => match *source {
            InterpretError::Fault(fault) => fault.kind,
            other => panic!("unexpected {other}"),
        },
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn an_access_outside_of_the_allocation_is_found() {
    let queue = Queue::new(&select("reference").unwrap());
    let kernel = compile(&queue, counting_kernel());
    let out = upload(&queue, &[0i64; 3]);
    let result = queue.launch(&kernel, &NdRange::new(&[4]).unwrap(), &[pointer_to(&out)]);
    let kind = fault_of(result);
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind:?}");
    queue
        .launch(&kernel, &NdRange::new(&[3]).unwrap(), &[pointer_to(&out)])
        .unwrap();
    assert_eq!(download::<i64>(&queue, &out), [0, 1, 2]);
}

#[test]
fn a_race_is_found() {
    let queue = Queue::new(&select("reference").unwrap());
    let mut f = FunctionBuilder::kernel("race", 1);
    let out = pointer(&mut f, "out", DType::I64);
    let i = f.global_id(0);
    let zero = f.literal(Literal::I64(0));
    f.store(out, zero, i);
    let kernel = compile(&queue, f);
    let out = upload(&queue, &[0i64; 3]);
    let result = queue.launch(&kernel, &NdRange::new(&[4]).unwrap(), &[pointer_to(&out)]);
    let kind = fault_of(result);
    assert!(matches!(kind, FaultKind::Race { .. }), "{kind:?}");
}
