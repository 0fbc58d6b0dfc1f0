//! Emitted OpenCL C, compiled and run by PoCL, agrees with the interpreter.
//!
//! PoCL is a second oracle beside the interpreter: a compiler that others wrote reads our text. The
//! programs are the emitter's snapshot cases and random ones.
//!
//! PoCL's front end takes about 15 ms for a program after a start of 200 ms, so many modules go into
//! one text. Machine code is made when a kernel is first launched, separately for each size of
//! work-group, and takes about 300 ms; so more programs are compiled than run.

#![expect(
    clippy::unwrap_used,
    reason = "this is a test: a failure may stop it right there"
)]

mod api;
mod cases;
mod driver;

use std::collections::BTreeMap;

use cases::snapshot_cases;
use driver::{Argument, Device, Program, Sizes};
use situ_codegen::opencl_c::{KernelAbi, LanguageVersion, TargetOptions, emit_all};
use situ_ir::Literal;
use situ_ir::arbitrary::{Case, Flavour, Mismatch, generate};
use situ_ir::interpret::{self, Options};
use situ_ir::transform::{LoweredParameter, lower};

/// Random programs of each flavour that are compiled. Raise it to look for rare mistakes.
const COMPILED: u64 = 1000;
/// Random programs of each flavour that are run as well.
const RUN: u64 = 40;
/// Modules that are compiled as one program.
const BATCH: usize = 100;
/// The same for programs that run: to make one kernel, PoCL reads the whole program.
const RUN_BATCH: usize = 10;

/// Snapshot cases that PoCL 3.1 gets wrong, as module and kernel, with the reason. They must fail: when one
/// of them passes, it is removed from here.
const EXPECTED_FAILURES: [(&str, &str, &str); 2] = [
    (
        "barriers",
        "alone",
        "in a loop, some work-items `continue` out of a conditional that contains a barrier, after \
         the barrier; PoCL 3.1 then computes what follows the conditional for all of them",
    ),
    (
        "math",
        "of_nan",
        "PoCL 3.1's functions convert their argument to an integer on the way; where the optimiser \
         knows that the argument is NaN, it concludes that the code is never reached and removes it",
    ),
];

/// PoCL has no sub-groups, so they are made of local memory.
const SUB_GROUP_SIZE: u32 = 4;

const INTERPRETER: Options = Options {
    sub_group_size: SUB_GROUP_SIZE as u64,
    local_size: 64,
    step_limit: Some(1 << 30),
    checks: false,
};

/// What PoCL can do.
fn target() -> TargetOptions {
    TargetOptions {
        sub_group_size: SUB_GROUP_SIZE,
        ..TargetOptions::default()
    }
}

/// Compiles some cases as one program; gives the kernel of each.
fn build<'a>(
    device: &'a Device,
    cases: &[Case],
    options: &TargetOptions,
) -> (Program<'a>, Vec<KernelAbi>) {
    let modules: Vec<_> = cases.iter().map(|case| &case.module).collect();
    let emitted = emit_all(&modules, options).unwrap();
    let program = device
        .build(&emitted.text, &emitted.build_options)
        .unwrap_or_else(|error| panic!("{error}\n{}", emitted.text));
    let mut kernels = emitted.kernels.into_iter();
    let kernel_of = |case: &Case| {
        // A module may have other kernels than the one of the case.
        let count = case.module.kernels().count();
        let own: Vec<_> = kernels.by_ref().take(count).collect();
        own.into_iter()
            .find(|kernel| kernel.name == case.kernel)
            .expect("the kernel was emitted")
    };
    let kernels = cases.iter().map(kernel_of).collect();
    (program, kernels)
}

/// What the buffers hold after PoCL ran a case.
fn run(program: &Program, kernel: &KernelAbi, case: &Case) -> Vec<Vec<u8>> {
    let dims = case.range.dims();
    let backwards = |sizes: [u64; 3]| -> Vec<usize> {
        let sizes = sizes[..dims].iter().rev();
        sizes.map(|&size| size as usize).collect()
    };
    let sizes = Sizes {
        global: backwards(case.range.global()),
        local: case.range.local().map(backwards),
    };
    let mut arguments = lowered_arguments(case);
    if kernel.scratch_bytes_per_item > 0 {
        let local = sizes.local.as_ref().expect("a collective has work-groups");
        let items: usize = local.iter().product();
        let size = items * kernel.scratch_bytes_per_item as usize;
        arguments.push(Argument::Local(size));
    }
    let mut contents = case.contents();
    program
        .launch(&kernel.symbol, &arguments, &mut contents, &sizes)
        .unwrap_or_else(|error| panic!("{error}\n{case}"));
    contents
}

/// The arguments of the lowered kernel.
fn lowered_arguments(case: &Case) -> Vec<Argument> {
    let lowered = lower(&case.module).unwrap();
    let (kernel, _) = case.module.function(&case.kernel).unwrap();
    let places = &lowered.lowered(kernel).parameters;
    let mut arguments = BTreeMap::new();
    for (place, argument) in places.iter().zip(&case.arguments) {
        match (*place, *argument) {
            (LoweredParameter::One(position), argument) => {
                arguments.insert(position, driver_argument(argument));
            }
            (LoweredParameter::Pair { real, imaginary }, interpret::Argument::Scalar(number)) => {
                let bytes = bytes(number);
                let (low, high) = bytes.split_at(bytes.len() / 2);
                arguments.insert(real, Argument::Scalar(low.to_vec()));
                arguments.insert(imaginary, Argument::Scalar(high.to_vec()));
            }
            (place, argument) => panic!("{argument:?} became {place:?}"),
        }
    }
    arguments.into_values().collect()
}

fn driver_argument(argument: interpret::Argument) -> Argument {
    match argument {
        interpret::Argument::Scalar(number) => Argument::Scalar(bytes(number)),
        interpret::Argument::Local { size_bytes } => Argument::Local(size_bytes),
        interpret::Argument::Pointer {
            buffer,
            offset_bytes,
        } => Argument::Pointer {
            buffer,
            offset_bytes,
        },
    }
}

fn bytes(number: Literal) -> Vec<u8> {
    let mut bytes = vec![0; number.dtype().size_bytes()];
    number.write_bytes(&mut bytes);
    bytes
}

/// The first element that PoCL and the interpreter do not agree on, if there is one.
fn mismatch(program: &Program, kernel: &KernelAbi, case: &Case) -> Option<Mismatch> {
    let expected = case
        .interpret(&INTERPRETER)
        .unwrap_or_else(|error| panic!("{error}\n{case}"));
    let found = run(program, kernel, case);
    case.compare(&expected, &found).err()
}

/// Panics with the first case for which PoCL and the interpreter do not agree.
fn assert_agree(device: &Device, cases: &[Case], options: &TargetOptions) {
    let (program, kernels) = build(device, cases, options);
    for (kernel, case) in kernels.iter().zip(cases) {
        if let Some(mismatch) = mismatch(&program, kernel, case) {
            panic!("`{}`: {mismatch}\n{case}", case.kernel);
        }
    }
}

fn is_expected_to_fail(case: &Case) -> bool {
    EXPECTED_FAILURES
        .iter()
        .any(|(module, kernel, _)| case.module.name == *module && case.kernel == *kernel)
}

#[test]
fn snapshot_cases_agree_with_the_interpreter() {
    let Some(device) = Device::pocl() else {
        return;
    };
    let cases: Vec<_> = snapshot_cases()
        .into_iter()
        .filter(|case| !is_expected_to_fail(case))
        .collect();
    assert_agree(&device, &cases, &target());
}

#[test]
fn known_failures_of_the_driver_still_happen() {
    let Some(device) = Device::pocl() else {
        return;
    };
    let cases: Vec<_> = snapshot_cases()
        .into_iter()
        .filter(is_expected_to_fail)
        .collect();
    assert_eq!(cases.len(), EXPECTED_FAILURES.len());
    let (program, kernels) = build(&device, &cases, &target());
    for (kernel, case) in kernels.iter().zip(&cases) {
        let mismatch = mismatch(&program, kernel, case);
        assert!(mismatch.is_some(), "`{}` works now", case.kernel);
    }
}

/// The only text that differs between versions is that of fences.
#[test]
fn atomics_agree_with_the_interpreter_in_opencl_c_3() {
    let Some(device) = Device::pocl() else {
        return;
    };
    let options = TargetOptions {
        version: LanguageVersion::V3_0,
        ..target()
    };
    let cases: Vec<_> = snapshot_cases()
        .into_iter()
        .filter(|case| case.module.name == "atomics")
        .collect();
    assert!(!cases.is_empty());
    assert_agree(&device, &cases, &options);
}

#[test]
fn random_programs_compile() {
    let Some(device) = Device::pocl() else {
        return;
    };
    for flavour in Flavour::ALL {
        let cases: Vec<_> = (0..COMPILED).map(|seed| generate(seed, flavour)).collect();
        for batch in cases.chunks(BATCH) {
            build(&device, batch, &target());
        }
    }
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    let Some(device) = Device::pocl() else {
        return;
    };
    for flavour in Flavour::ALL {
        let cases: Vec<_> = (0..RUN).map(|seed| generate(seed, flavour)).collect();
        for batch in cases.chunks(RUN_BATCH) {
            assert_agree(&device, batch, &target());
        }
    }
}
