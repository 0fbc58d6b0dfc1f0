//! Emitted OpenCL C, compiled by PoCL: what the OpenCL backend does not show.
//!
//! `every_backend` runs the emitter's cases and random programs on every device. Here are more random
//! programs, which are only compiled, and a version of the language that the backend does not ask for.
//!
//! PoCL's front end takes about 15 ms for a program after a start of 200 ms, so many modules go into
//! one text. The backend would have all of it made into machine code, for the cache, which takes 300 ms a kernel.

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

/// Random programs of each flavour that are compiled.
const COMPILED: std::ops::Range<u64> = 0..300;
/// Programs that only `make test-all` compiles as well. More of them look for rare mistakes.
const OTHERS: std::ops::Range<u64> = 300..1000;
/// Modules that are compiled as one program.
const BATCH: usize = 100;

/// PoCL has no sub-groups, so they are made of local memory.
const SUB_GROUP_SIZE: u32 = 4;

const INTERPRETER: Options = Options {
    sub_group_size: SUB_GROUP_SIZE as u64,
    local_size: 64,
    step_limit: Some(1 << 30),
    checks: false,
    must_stop: None,
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
    compile(COMPILED);
}

#[test]
#[ignore = "`make test-all` runs it"]
fn the_other_programs_compile() {
    compile(OTHERS);
}

fn compile(seeds: std::ops::Range<u64>) {
    let Some(device) = Device::pocl() else {
        return;
    };
    for flavour in Flavour::ALL {
        let cases: Vec<_> = seeds.clone().map(|seed| generate(seed, flavour)).collect();
        for batch in cases.chunks(BATCH) {
            build(&device, batch, &target());
        }
    }
}
