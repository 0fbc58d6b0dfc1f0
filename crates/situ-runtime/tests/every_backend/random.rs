//! Random programs do the same on every device as in the interpreter.
//!
//! Each seed is a program with one meaning (see `situ_ir::arbitrary`), and goes all the way through the runtime:
//! memory, arguments, programs, ranges. The emitters have sweeps of their own. Drivers need up to a second
//! for a program, so every device gets the same time, in a thread of its own, and runs what it can. A failure
//! prints the seed and the smallest program that still fails.
//!
//! Compiling many programs as one was tried: PoCL 3.1 then takes longer, Intel's runtime is no quicker.

use std::sync::Arc;
use std::time::{Duration, Instant};

use situ_ir::arbitrary::{Case, Flavour, generate};
use situ_ir::interpret::{self, Options};
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Argument, BackendKind, Device, Program, Queue, Result, UsmKind};

use super::{every_device, on_every_device};

/// How long each device is kept busy.
const TIME: Duration = Duration::from_secs(10);

/// As above, for the other programs of `make test-all`.
const LONGER_TIME: Duration = Duration::from_mins(1);

/// What every device runs however long it takes: programs of each flavour.
const AT_LEAST: u64 = 5;

/// What no device exceeds: programs of each flavour.
const AT_MOST: u64 = 400;

/// How often a device says how far it is.
const PROGRESS: u64 = 100;

/// Devices other than the interpreter, which would only be compared with itself.
pub(super) fn compared_devices() -> Vec<Device> {
    let devices = every_device();
    let compared = devices
        .iter()
        .filter(|device| device.backend() != BackendKind::Reference);
    compared.cloned().collect()
}

/// As a device with sub-groups of this size.
pub(super) fn options(sub_group_size: u32) -> Options {
    Options {
        sub_group_size: u64::from(sub_group_size),
        local_size: 64,
        step_limit: Some(1 << 30),
        checks: false,
        must_stop: None,
    }
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    sweep(0, TIME, AT_LEAST, AT_MOST);
}

/// Other programs than the test above.
#[test]
#[ignore = "`make test-all` runs it"]
fn the_other_programs_agree_with_the_interpreter() {
    sweep(10_000, LONGER_TIME, AT_LEAST, AT_MOST);
}

/// Yet others, for as long as one likes to wait; `SEED` says where to begin.
#[test]
#[ignore = "takes an hour; for changes of emitters and backends"]
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is for tests, not for situ"
)]
fn many_more_random_programs_agree_with_the_interpreter() {
    let first = std::env::var("SEED").map_or(1_000_000, |seed| seed.parse().unwrap());
    sweep(first, Duration::from_hours(1), AT_LEAST, u64::MAX);
}

/// Runs programs on all devices at the same time, from a seed on.
fn sweep(first_seed: u64, time: Duration, at_least: u64, at_most: u64) {
    std::thread::scope(|scope| {
        for device in compared_devices() {
            scope.spawn(move || {
                let (name, begin) = (device.filter_string(), Instant::now());
                let mut done = 0;
                while done < at_most && (done < at_least || begin.elapsed() < time) {
                    for flavour in Flavour::ALL {
                        check(&device, &generate(first_seed + done, flavour));
                    }
                    done += 1;
                    if done.is_multiple_of(PROGRESS) {
                        eprintln!("{name}: {done} seeds from {first_seed} on agree");
                    }
                }
                let seconds = begin.elapsed().as_secs();
                eprintln!("{name}: {done} seeds from {first_seed} on, in {seconds} s");
            });
        }
    });
}

/// Runs a case; fails if it does something else than the interpreter says, with the case made small.
fn check(device: &Device, case: &Case) {
    let queue = Queue::new(device);
    let options = options(device.info().sub_group_size());
    let Some(mismatch) = difference(&queue, case, &options) else {
        return;
    };
    let fails = |case: &Case| difference(&queue, case, &options).is_some();
    let small = case.clone().shrink(&options, fails);
    panic!(
        "on {}, seed {} of {:?}: {mismatch}\nmade small: {small}",
        device.filter_string(),
        case.seed,
        case.flavour
    );
}

/// Runs a case on both sides; what is wrong, if anything.
pub(super) fn difference(queue: &Queue, case: &Case, options: &Options) -> Option<String> {
    let program = Program::compile(queue.device(), &case.module);
    let found = program.and_then(|program| run(queue, case, &program));
    disagreement(case, found, options)
}

/// What is wrong with what a device found, if anything.
fn disagreement(case: &Case, found: Result<Vec<Vec<u8>>>, options: &Options) -> Option<String> {
    let expected = case
        .interpret(options)
        .unwrap_or_else(|error| panic!("{error}\n{case}"));
    match found {
        Ok(found) => case
            .compare(&expected, &found)
            .err()
            .map(|it| it.to_string()),
        Err(error) => Some(error.to_string()),
    }
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
            for case in &cases {
                let program = Program::compile_for_sub_groups(device, &case.module, size);
                let found = program.and_then(|program| run(queue, case, &program));
                if let Some(mismatch) = disagreement(case, found, &options(size)) {
                    panic!("with sub-groups of {size}: {mismatch}\n{case}");
                }
            }
        }
    });
}

/// What the buffers hold after the device ran the case.
fn run(queue: &Queue, case: &Case, program: &Arc<Program>) -> Result<Vec<Vec<u8>>> {
    let kernel = program.kernel(&case.kernel)?;
    let allocations: Vec<Arc<Allocation>> = case
        .contents()
        .iter()
        .map(|bytes| {
            let allocation = Allocation::new(queue, bytes.len(), UsmKind::Device)?;
            copy::copy_from_host(queue, bytes, &allocation, 0)?;
            Ok(allocation)
        })
        .collect::<Result<_>>()?;
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
    queue.launch(&kernel, &case.range, &arguments)?.wait()?;
    let read = |allocation: &Arc<Allocation>| {
        let mut bytes = vec![0; allocation.size_bytes()];
        copy::copy_to_host(queue, allocation, 0, &mut bytes)?;
        Ok(bytes)
    };
    allocations.iter().map(read).collect()
}
