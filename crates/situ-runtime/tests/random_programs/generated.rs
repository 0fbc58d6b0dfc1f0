//! Random programs.
//!
//! Each seed is a program with one meaning (see `situ_ir::arbitrary`). A failure prints the seed,
//! the launch and the smallest program that still fails.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_codegen::MathMode;
use situ_codegen::llvm::Vectorise;
use situ_ir::arbitrary::{Case, Flavour, generate};
use situ_ir::interpret::Options;
use situ_runtime::backend::native::compiler::Passes;

use super::native::{NativeModule, NativeTarget};
use super::program::Buffer;

fn options(target: &NativeTarget) -> Options {
    Options {
        sub_group_size: u64::from(target.options.sub_group_size),
        ..Options::default()
    }
}

/// Runs a case on both sides, on the native one in each form that it has; what is wrong, if anything.
///
/// Every other case loads elements one by one where the rest gathers them: compilers take most of the time.
fn difference(case: &Case, target: &NativeTarget) -> Option<String> {
    let expected = case
        .interpret(&options(target))
        .unwrap_or_else(|error| panic!("{error}\n{case}"));
    let mut texts = HashSet::new();
    let gathers_slowly = case.seed % 2 == 1;
    let mut forms = target.forms().into_iter().filter(|form| {
        form.options.vectorise == Vectorise::Never || form.options.gathers_slowly == gathers_slowly
    });
    forms.find_map(|form| {
        let is_new = texts.insert(NativeModule::emit(&case.module, &form).text);
        let difference = is_new.then(|| difference_of_form(case, &expected, &form))??;
        let options = &form.options;
        Some(format!(
            "{difference}, with vectors: {:?}, which gather slowly: {}",
            options.vectorise, options.gathers_slowly
        ))
    })
}

fn difference_of_form(case: &Case, expected: &[Vec<u8>], target: &NativeTarget) -> Option<String> {
    let native = NativeModule::compile(&case.module, target);
    // Chunks of different sizes, so that loops start and end everywhere.
    let chunks = [1, 2, 5, 16, u64::MAX / 2];
    let chunk = chunks[(case.seed % chunks.len() as u64) as usize];
    let mut buffers: Vec<_> = case.contents().iter().map(|b| Buffer::new(b)).collect();
    let mut slices: Vec<_> = buffers.iter_mut().map(Buffer::bytes_mut).collect();
    native.run(
        &case.kernel,
        &case.range,
        &case.arguments,
        &mut slices,
        chunk,
    );
    let found: Vec<_> = slices.iter().map(|bytes| bytes.to_vec()).collect();
    case.compare(expected, &found)
        .err()
        .map(|mismatch| mismatch.to_string())
}

/// Runs programs on all processors; fails with the first that differs, made small.
fn check(flavour: Flavour, target: &NativeTarget, seeds: Range<u64>) {
    let next = AtomicU64::new(seeds.start);
    let failed: Mutex<Option<u64>> = Mutex::new(None);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || failed.lock().unwrap().is_some() {
                        return;
                    }
                    if difference(&generate(seed, flavour), target).is_some() {
                        failed.lock().unwrap().get_or_insert(seed);
                    }
                }
            });
        }
    });
    let Some(seed) = failed.into_inner().unwrap() else {
        return;
    };
    let case = generate(seed, flavour);
    let first_difference = difference(&case, target).unwrap_or_default();
    let case = case.shrink(&options(target), |case| difference(case, target).is_some());
    let difference = difference(&case, target).unwrap_or_default();
    panic!("{first_difference}\nmade small: {difference}\n{case}");
}

#[test]
fn exact_programs_agree_bit_for_bit() {
    let target = NativeTarget::host(Passes::Least, MathMode::Fast);
    check(Flavour::Exact, &target, 0..250);
}

#[test]
fn exact_programs_agree_after_full_optimisation() {
    let target = NativeTarget::host(Passes::Full, MathMode::Fast);
    check(Flavour::Exact, &target, 100_000..100_060);
}

#[test]
fn exact_programs_agree_after_short_optimisation() {
    let target = NativeTarget::host(Passes::Short, MathMode::Fast);
    check(Flavour::Exact, &target, 200_000..200_050);
}

#[test]
fn exact_programs_agree_on_any_processor() {
    let target = NativeTarget::baseline(Passes::Least, MathMode::Fast);
    check(Flavour::Exact, &target, 300_000..300_150);
}

#[test]
fn approximate_programs_agree_within_their_tolerance() {
    let target = NativeTarget::host(Passes::Least, MathMode::Fast);
    check(Flavour::Approximate, &target, 0..150);
}

#[test]
fn approximate_programs_agree_after_full_optimisation() {
    let target = NativeTarget::host(Passes::Full, MathMode::Fast);
    check(Flavour::Approximate, &target, 100_000..100_050);
}

#[test]
fn approximate_programs_agree_with_the_c_library() {
    let target = NativeTarget::host(Passes::Least, MathMode::Exact);
    check(Flavour::Approximate, &target, 400_000..400_100);
}

/// The seeds that the tests above leave out, because they would take two minutes in every `make test`.
#[test]
#[ignore = "`make test-all` runs it"]
fn the_other_programs_agree() {
    let least = NativeTarget::host(Passes::Least, MathMode::Fast);
    check(Flavour::Exact, &least, 250..1500);
    check(Flavour::Approximate, &least, 150..500);
    let full = NativeTarget::host(Passes::Full, MathMode::Fast);
    check(Flavour::Exact, &full, 100_060..100_200);
    let baseline = NativeTarget::baseline(Passes::Least, MathMode::Fast);
    check(Flavour::Exact, &baseline, 300_150..300_300);
    let c_library = NativeTarget::host(Passes::Least, MathMode::Exact);
    check(Flavour::Approximate, &c_library, 400_100..400_200);
}

/// Goes round all targets, so that also a part of it is worth something.
#[test]
#[ignore = "takes an hour; for changes of the emitter"]
fn many_more_programs_agree_after_full_optimisation() {
    let targets = [MathMode::Fast, MathMode::Exact].map(|math| {
        [
            NativeTarget::host(Passes::Full, math),
            NativeTarget::baseline(Passes::Full, math),
        ]
    });
    for round in 0..20 {
        for (position, target) in targets.iter().flatten().enumerate() {
            let first = 1_000_000 * (1 + position as u64) + 200 * round;
            check(Flavour::Exact, target, first..first + 200);
            check(Flavour::Approximate, target, first..first + 50);
        }
    }
}
