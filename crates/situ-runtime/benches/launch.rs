//! What does a launch cost, and what share of the memory's bandwidth does a large one reach? Also:
//! what a pooled allocation costs, and the first use of a device.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::sync::Arc;
use std::time::Instant;

use situ_ir::{AddressSpace, DType, FunctionBuilder, Module, NdRange, Type, validate};
use situ_runtime::backend::native::pool::{CostEstimate, Pool, Work};
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Argument, Device, Program, Queue, UsmKind};

/// The quickest of many rounds: other work on the machine only ever adds time.
fn quickest_ns(rounds: usize, mut action: impl FnMut()) -> f64 {
    let time = |action: &mut dyn FnMut()| {
        let start = Instant::now();
        action();
        start.elapsed().as_nanos() as f64
    };
    (0..rounds)
        .map(|_| time(&mut action))
        .fold(f64::INFINITY, f64::min)
}

/// `out[i] = a[i] * b[i] + c[i]`.
fn multiply_add() -> FunctionBuilder {
    let mut f = FunctionBuilder::kernel("multiply_add", 1);
    let [a, b, c, out] = ["a", "b", "c", "out"]
        .map(|name| f.parameter(name, Type::pointer(DType::F64, AddressSpace::Global)));
    let i = f.global_id(0);
    let (x, y, z) = (f.load(a, i), f.load(b, i), f.load(c, i));
    let product = f.multiply(x, y);
    let sum = f.add(product, z);
    f.store(out, i, sum);
    f
}

fn main() {
    let start = Instant::now();
    let device = Device::default_device();
    println!(
        "first use of a device: {:.2} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let queue = Queue::new(&device);

    let mut module = Module::new("bench");
    multiply_add().finish(&mut module);
    let module = validate(module).expect("the module is valid");
    let start = Instant::now();
    let program = Program::compile(&device, &module).expect("it compiles");
    println!(
        "first compilation (or disk): {:.2} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let again = quickest_ns(50, || {
        Program::compile(&device, &module).expect("it compiles");
    });
    println!("compilation found in memory: {:.1} us", again * 1e-3);
    let kernel = program.kernel("multiply_add").expect("it has this kernel");

    for len in [0u64, 10, 1000, 10_000, 100_000, 10_000_000] {
        let allocations: Vec<Arc<Allocation>> = (0..4)
            .map(|_| {
                let size_bytes = len as usize * 8;
                let allocation = Allocation::new(&queue, size_bytes, UsmKind::Device);
                let allocation = allocation.expect("there is memory");
                copy::fill(&queue, &allocation, 0, size_bytes, 1).expect("it is inside");
                allocation
            })
            .collect();
        let arguments: Vec<Argument> = allocations
            .iter()
            .map(|allocation| Argument::Pointer {
                allocation: Arc::clone(allocation),
                byte_offset: 0,
            })
            .collect();
        let range = NdRange::new(&[len]).expect("it can be counted");
        let rounds = if len > 1_000_000 { 30 } else { 3000 };
        let ns = quickest_ns(rounds, || {
            queue.launch(&kernel, &range, &arguments).expect("it runs");
        });
        println!(
            "multiply_add over {len}: {:.2} us, {:.1} GB/s",
            ns * 1e-3,
            len as f64 * 32.0 / ns
        );
    }
    copy_bandwidth(device.info().compute_units);
    let ns = quickest_ns(100, || {
        for _ in 0..100 {
            Allocation::new(&queue, 80_000, UsmKind::Device).expect("there is memory");
        }
    });
    println!("pooled allocation and release: {:.0} ns", ns / 100.0);
}

/// A plain parallel copy loop, to compare kernels with.
fn copy_bandwidth(threads: usize) {
    let len = 20_000_000usize;
    let source = vec![1u64; len];
    let mut destination = vec![0u64; len];
    let target = destination.as_mut_ptr() as usize;
    let pool = Pool::new(threads);
    let cost = CostEstimate::new();
    let work = Work {
        len: len as u64,
        granule: 4096,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &cost,
    };
    let ns = quickest_ns(30, || {
        pool.run(&work, &|chunk, _| {
            let (begin, end) = (chunk.start as usize, chunk.end as usize);
            // SAFETY: chunks are disjoint ranges of the destination.
            let part = unsafe {
                std::slice::from_raw_parts_mut((target as *mut u64).add(begin), end - begin)
            };
            for (to, from) in part.iter_mut().zip(&source[begin..end]) {
                *to = *from;
            }
        })
        .expect("it runs");
    });
    println!("parallel copy loop: {:.1} GB/s", len as f64 * 16.0 / ns);
}
