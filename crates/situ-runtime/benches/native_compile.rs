//! How long does a new kernel take, step by step, and how fast is the code? Prints a table for
//! each list of passes and each preferred vector width.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

#[path = "../tests/native/kernels.rs"]
mod kernels;

use std::time::{Duration, Instant};

use situ_codegen::llvm::{LaunchFrame, VectorIsa};
use situ_runtime::backend::native::compiler::{CompileOptions, Passes, compile};
use situ_runtime::backend::native::host_cpu::CpuTarget;
use situ_runtime::backend::native::jit::LoadedObject;
use situ_runtime::backend::native::pool::{CostEstimate, Pool, Work};
use situ_runtime::backend::native::vector_math::VectorMath;

type KernelFunction = unsafe extern "C" fn(*const u64, *const LaunchFrame);

fn median(mut samples: Vec<Duration>) -> f64 {
    samples.sort();
    samples[samples.len() / 2].as_secs_f64()
}

/// The quickest of many rounds: other work on the machine only ever adds time.
fn sample(rounds: usize, mut action: impl FnMut()) -> f64 {
    let time = |action: &mut dyn FnMut()| {
        let start = Instant::now();
        action();
        start.elapsed()
    };
    let quickest = (0..rounds).map(|_| time(&mut action)).min();
    quickest.expect("there is at least one round").as_secs_f64()
}

/// As [`sample`], in processor time of all threads: compilation runs on a thread of its own, and
/// a busy machine would otherwise decide the result.
fn sample_processor_time(rounds: usize, mut action: impl FnMut()) -> f64 {
    let now = || {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is valid for writing.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    let time = |action: &mut dyn FnMut()| {
        let start = now();
        action();
        now() - start
    };
    (0..rounds)
        .map(|_| time(&mut action))
        .fold(f64::INFINITY, f64::min)
}

fn run_time(object: &LoadedObject, len: usize) -> f64 {
    let address = object
        .function("k")
        .expect("every kernel here is called `k`");
    // SAFETY: the kernels have this type by construction.
    let kernel: KernelFunction = unsafe { std::mem::transmute(address) };
    let inputs: Vec<Vec<f64>> = (0..4)
        .map(|k| {
            (0..len)
                .map(|i| ((i * 7 + k) % 1000) as f64 * 1e-3)
                .collect()
        })
        .collect();
    let args: Vec<u64> = inputs.iter().map(|input| input.as_ptr() as u64).collect();
    let rounds = (20_000_000 / len).clamp(5, 2000);
    let per_launch = sample(rounds, || {
        let frame = LaunchFrame {
            global_size: [len as u64, 1, 1],
            local_size: [1; 3],
            begin: 0,
            end: len as u64,
            scratch: std::ptr::null_mut(),
            frame: std::ptr::null_mut(),
            stack_limit: 0,
        };
        // SAFETY: the arrays have `len` elements each.
        unsafe { kernel(args.as_ptr(), &raw const frame) };
    });
    per_launch * 1e9 / len as f64
}

fn main() {
    let cpu = CpuTarget::host();
    let math = VectorMath::process();
    println!("cpu {} vector isa {:?}", cpu.name, cpu.vector_isa());
    let sine = |isa: VectorIsa| {
        let functions = math.functions(isa);
        let sin = functions
            .iter()
            .find(|f| f.scalar == "sin")
            .expect("libmvec has sin");
        kernels::vector_sine("k", &sin.symbol, sin.lanes)
    };
    let cases = [
        ("multiply_add", kernels::multiply_add("k")),
        ("sine libm", kernels::scalar_sine("k")),
        ("sine N4", sine(VectorIsa::Avx2)),
        ("sine N8", sine(VectorIsa::Avx512)),
        ("escape_time", kernels::escape_time("k")),
    ];
    println!(
        "{:<14}{:<7}{:<7}{:>9}{:>9}{:>12}{:>12}",
        "kernel", "passes", "width", "compile", "load", "ns/el 4Ki", "ns/el 2Mi"
    );
    for (name, text) in &cases {
        for passes in [Passes::Full, Passes::Short] {
            for vector_bits in [256, 512] {
                let text = kernels::with_vector_bits(text, vector_bits);
                let options = CompileOptions {
                    cpu: cpu.clone(),
                    passes,
                };
                let compile_time = sample_processor_time(60, || {
                    compile(name, &text, &options).expect("it compiles");
                });
                let bytes = compile(name, &text, &options).expect("it compiles");
                let load_time = sample_processor_time(60, || {
                    LoadedObject::load(&bytes, math).expect("it loads");
                });
                let object = LoadedObject::load(&bytes, math).expect("it loads");
                println!(
                    "{name:<14}{passes:<7}{vector_bits:<7}{:>6.2} ms{:>6.2} ms{:>12.3}{:>12.3}",
                    compile_time * 1e3,
                    load_time * 1e3,
                    run_time(&object, 4096),
                    run_time(&object, 2 << 20),
                    passes = format!("{passes:?}"),
                );
            }
        }
    }
    launch_cost();
}

fn launch_cost() {
    let pool = Pool::new(2);
    let cost = CostEstimate::new();
    let tiny = Work {
        len: 10,
        granule: 1024,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &cost,
    };
    let per_launch = sample(101, || {
        for _ in 0..1000 {
            pool.run(&tiny, &|chunk, _| {
                std::hint::black_box(chunk);
            })
            .expect("it runs");
        }
    });
    println!("inline launch: {:.0} ns", per_launch * 1e9 / 1000.0);
    let cost = CostEstimate::new();
    let shared = Work {
        len: 64,
        granule: 1,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &cost,
    };
    for pause_us in [0, 200] {
        let per_launch = median(
            (0..500)
                .map(|_| {
                    std::thread::sleep(Duration::from_micros(pause_us));
                    let start = Instant::now();
                    pool.run(&shared, &|chunk, _| {
                        let until =
                            Instant::now() + Duration::from_nanos(1000 * (chunk.end - chunk.start));
                        while Instant::now() < until {
                            std::hint::spin_loop();
                        }
                    })
                    .expect("it runs");
                    start.elapsed()
                })
                .collect(),
        );
        println!(
            "64 us of work on 2 threads, {pause_us} us after the last: {:.1} us",
            per_launch * 1e6
        );
    }
}
