//! Random programs do the same on every device as in the interpreter.
//!
//! The emitters have longer sweeps of their own. This one goes all the way through the runtime: memory,
//! arguments, programs, ranges.

use std::sync::Arc;

use situ_ir::arbitrary::{Case, Flavour, generate};
use situ_ir::interpret::{self, Options};
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Argument, BackendKind, Program, Queue, UsmKind};

use super::on_every_device;

/// Programs of each flavour. A driver may take half a second for one.
const PROGRAMS: u64 = 20;

#[test]
fn random_programs_agree_with_the_interpreter() {
    on_every_device(|queue| {
        // The interpreter with itself proves nothing that its own tests do not.
        if queue.device().backend() == BackendKind::Reference {
            return;
        }
        let info = queue.device().info();
        let options = Options {
            sub_group_size: u64::from(info.sub_group_size()),
            local_size: 64,
            step_limit: Some(1 << 30),
            checks: false,
        };
        for flavour in Flavour::ALL {
            for seed in 0..PROGRAMS {
                let case = generate(seed, flavour);
                let expected = case.interpret(&options).unwrap();
                let program = Program::compile(queue.device(), &case.module)
                    .unwrap_or_else(|error| panic!("{error}\n{case}"));
                let found = run(queue, &case, &program);
                if let Err(mismatch) = case.compare(&expected, &found) {
                    panic!("`{}`: {mismatch}\n{case}", case.kernel);
                }
            }
        }
    });
}

/// Programs with sub-groups that run with each size.
const SUB_GROUP_PROGRAMS: usize = 4;

#[test]
fn random_programs_with_sub_groups_agree_for_every_size() {
    let cases: Vec<Case> = (0..)
        .map(|seed| generate(seed, Flavour::Exact))
        .filter(|case| case.uses_sub_groups)
        .take(SUB_GROUP_PROGRAMS)
        .collect();
    on_every_device(|queue| {
        let device = queue.device();
        if device.backend() == BackendKind::Reference {
            return;
        }
        for &size in &device.info().sub_group_sizes {
            let options = Options {
                sub_group_size: u64::from(size),
                local_size: 64,
                step_limit: Some(1 << 30),
                checks: false,
            };
            for case in &cases {
                let expected = case.interpret(&options).unwrap();
                let program = Program::compile_for_sub_groups(device, &case.module, size)
                    .unwrap_or_else(|error| panic!("{error}\n{case}"));
                let found = run(queue, case, &program);
                if let Err(mismatch) = case.compare(&expected, &found) {
                    panic!("with sub-groups of {size}: {mismatch}\n{case}");
                }
            }
        }
    });
}

/// What the buffers hold after the device ran the case.
fn run(queue: &Queue, case: &Case, program: &Arc<Program>) -> Vec<Vec<u8>> {
    let kernel = program.kernel(&case.kernel).unwrap();
    let allocations: Vec<Arc<Allocation>> = case
        .contents()
        .iter()
        .map(|bytes| {
            let allocation = Allocation::new(queue, bytes.len(), UsmKind::Device).unwrap();
            copy::copy_from_host(queue, bytes, &allocation, 0).unwrap();
            allocation
        })
        .collect();
    let arguments: Vec<Argument> = case
        .arguments
        .iter()
        .map(|argument| match *argument {
            interpret::Argument::Scalar(literal) => Argument::Scalar(literal),
            interpret::Argument::Local { size_bytes } => Argument::Local { size_bytes },
            interpret::Argument::Pointer {
                buffer,
                offset_bytes,
            } => Argument::Pointer {
                allocation: Arc::clone(&allocations[buffer]),
                byte_offset: offset_bytes,
            },
        })
        .collect();
    let event = queue.launch(&kernel, &case.range, &arguments);
    event
        .and_then(|event| event.wait())
        .unwrap_or_else(|error| panic!("{error}\n{case}"));
    let read = |allocation: &Arc<Allocation>| {
        let mut bytes = vec![0; allocation.size_bytes()];
        copy::copy_to_host(queue, allocation, 0, &mut bytes).unwrap();
        bytes
    };
    allocations.iter().map(read).collect()
}
