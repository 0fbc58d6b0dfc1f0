//! What does an allocation from the pool cost, alone and with other threads; what does a large one cost
//! compared with memory fresh from the system; and what does a MiB cost on every device, from the pool and
//! from its driver?

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Device, Queue, UsmKind};

const ROUNDS: usize = 500;
const PER_ROUND: usize = 500;

/// Processor time of this thread: other programs on the machine do not count, waking up from a
/// contended lock and fetching cache lines from another core do.
fn thread_ns() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the system fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The median over rounds of what one allocation and its release cost the calling thread.
fn measure_ns(queue: &Queue, size_bytes: usize) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = thread_ns();
            for _ in 0..PER_ROUND {
                let allocation = Allocation::new(queue, size_bytes, UsmKind::Device);
                drop(allocation.expect("there is memory"));
            }
            (thread_ns() - start) / PER_ROUND as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// As [`measure_ns`] while other threads, with queues of their own, do the same.
fn pooled_ns(device: &Device, threads: usize, size_bytes: usize) -> f64 {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                let queue = Queue::new(device);
                while !is_over.load(Ordering::Relaxed) {
                    for _ in 0..PER_ROUND {
                        let allocation = Allocation::new(&queue, size_bytes, UsmKind::Device);
                        drop(allocation.expect("there is memory"));
                    }
                }
            });
        }
        let time = measure_ns(&Queue::new(device), size_bytes);
        is_over.store(true, Ordering::Relaxed);
        time
    })
}

/// Milliseconds to allocate, fill and drop 80 MB, in the quickest of some rounds.
fn large_ms(queue: &Queue, before: impl Fn()) -> f64 {
    let size_bytes = 80_000_000;
    (0..10)
        .map(|_| {
            before();
            let start = Instant::now();
            let allocation = Allocation::new(queue, size_bytes, UsmKind::Device);
            let allocation = allocation.expect("there is memory");
            let event = copy::fill(queue, &allocation, 0, size_bytes, 1);
            event.and_then(|event| event.wait()).expect("it is inside");
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let device = Device::default_device();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores; ns of one thread's time per allocation and release, by threads:");
    for size_bytes in [80, 80_000, 8_000_000] {
        let times = [1, 2, 4, 8]
            .map(|threads| format!("{threads}: {:.0}", pooled_ns(&device, threads, size_bytes)));
        println!("  {size_bytes} bytes  {}", times.join(", "));
    }
    let queue = Queue::new(&device);
    let fresh = large_ms(&queue, || {
        queue.context().trim_memory();
    });
    let pooled = large_ms(&queue, || ());
    println!("80 MB, allocated and filled: fresh {fresh:.2} ms, pooled {pooled:.2} ms");
    println!("1 MiB:");
    for device in Device::all().iter() {
        let queue = Queue::new(device);
        let pooled = measure_ns(&queue, 1 << 20);
        let fresh = fresh_us(&queue, 1 << 20);
        let name = device.filter_string();
        println!("  {name}: pooled, with release {pooled:.0} ns; fresh {fresh:.1} us");
    }
}

/// The median of what an allocation costs when the pool has none.
fn fresh_us(queue: &Queue, size_bytes: usize) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            queue.context().trim_memory();
            let start = Instant::now();
            let allocation = Allocation::new(queue, size_bytes, UsmKind::Device);
            let elapsed = start.elapsed();
            drop(allocation.expect("there is memory"));
            elapsed.as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}
