//! What does an allocation from the pool cost, alone and with other threads; and what does a large
//! one cost compared with memory fresh from the system?

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::sync::Barrier;
use std::time::Instant;

use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Device, Queue, UsmKind};

const ROUNDS: usize = 20;
const PER_ROUND: usize = 20_000;

fn allocate_and_drop(queue: &Queue, size_bytes: usize) {
    drop(Allocation::new(queue, size_bytes, UsmKind::Device).expect("there is memory"));
}

/// Nanoseconds of one allocation and its release on each of several threads, in the quickest round:
/// other work on the machine only ever adds time.
fn pooled_ns(device: &Device, threads: usize, size_bytes: usize) -> f64 {
    let barrier = Barrier::new(threads);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let queue = Queue::new(device);
                    let mut quickest = f64::INFINITY;
                    for _ in 0..ROUNDS {
                        barrier.wait();
                        let start = Instant::now();
                        for _ in 0..PER_ROUND {
                            allocate_and_drop(&queue, size_bytes);
                        }
                        barrier.wait();
                        let ns = start.elapsed().as_nanos() as f64;
                        quickest = quickest.min(ns / PER_ROUND as f64);
                    }
                    quickest
                })
            })
            .collect();
        let times = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        times
            .map(|time| time.expect("the thread measured"))
            .fold(f64::INFINITY, f64::min)
    })
}

/// Milliseconds to allocate, fill and drop 80 MB.
fn large_ms(queue: &Queue, before: impl Fn()) -> f64 {
    let size_bytes = 80_000_000;
    (0..10)
        .map(|_| {
            before();
            let start = Instant::now();
            let allocation = Allocation::new(queue, size_bytes, UsmKind::Device);
            let allocation = allocation.expect("there is memory");
            copy::fill(queue, &allocation, 0, size_bytes, 1).expect("it is inside");
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let device = Device::default_device();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores; nanoseconds per allocation and release, on each thread:");
    for size_bytes in [80, 80_000, 8_000_000] {
        let times = [1, 2, 4, 8].map(|threads| {
            // Threads beyond the cores take turns, so their share of the time is counted.
            let share = threads as f64 / threads.min(cores) as f64;
            format!(
                "{threads}: {:.0}",
                pooled_ns(&device, threads, size_bytes) / share
            )
        });
        println!("  {size_bytes} bytes, by threads: {}", times.join(", "));
    }
    let queue = Queue::new(&device);
    let fresh = large_ms(&queue, || {
        queue.context().trim_memory();
    });
    let pooled = large_ms(&queue, || ());
    println!("80 MB, allocated and filled: fresh {fresh:.2} ms, pooled {pooled:.2} ms");
}
