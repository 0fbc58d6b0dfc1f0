//! How fast are commands submitted and run: one after the other, behind a closed gate, and from many
//! threads at once?

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

use situ_ir::{AddressSpace, DType, FunctionBuilder, Module, NdRange, Type, validate};
use situ_runtime::{
    Allocation, Argument, Device, Event, Kernel, Program, Queue, QueueProperties, UsmKind,
};

const LAUNCHES: usize = 100_000;

/// `out[i] = a[i] + b[i]`.
fn add_kernel(device: &Device) -> Kernel {
    let mut f = FunctionBuilder::kernel("add", 1);
    let [a, b, out] = ["a", "b", "out"]
        .map(|name| f.parameter(name, Type::pointer(DType::F64, AddressSpace::Global)));
    let i = f.global_id(0);
    let (x, y) = (f.load(a, i), f.load(b, i));
    let sum = f.add(x, y);
    f.store(out, i, sum);
    let mut module = Module::new("bench");
    f.finish(&mut module);
    let module = validate(module).expect("the module is valid");
    let program = Program::compile(device, &module).expect("it compiles");
    program.kernel("add").expect("it has this kernel")
}

/// Three arrays of `len` numbers.
fn arrays(queue: &Queue, len: usize) -> Vec<Argument> {
    (0..3)
        .map(|_| Argument::Pointer {
            allocation: Allocation::new(queue, 8 * len, UsmKind::Device).expect("there is memory"),
            byte_offset: 0,
        })
        .collect()
}

fn main() {
    let device = Device::default_device();
    let kernel = add_kernel(&device);
    let queue = Queue::new(&device);
    let arguments = arrays(&queue, 10);
    let range = NdRange::new(&[10]).expect("it can be counted");
    let launch = |queue: &Queue, arguments: &[Argument]| {
        queue.launch(&kernel, &range, arguments).expect("it runs")
    };
    for _ in 0..1000 {
        launch(&queue, &arguments);
        queue.wait().expect("it worked");
    }

    // `perf record ... queues threads` shows what many threads do, and nothing else.
    if !std::env::args().any(|argument| argument == "threads") {
        one_thread(&queue, &arguments, &launch);
    }
    many_threads(&device, &launch);
    allocation_rate(&queue);
}

type Launch<'a> = dyn Fn(&Queue, &[Argument]) -> Event + Sync + 'a;

fn one_thread(queue: &Queue, arguments: &[Argument], launch: &Launch<'_>) {
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        launch(queue, arguments).wait().expect("it worked");
    }
    let ns = start.elapsed().as_nanos() as f64 / LAUNCHES as f64;
    println!("launch and wait, 3 arrays of 10: {ns:.0} ns");

    let start = Instant::now();
    for _ in 0..LAUNCHES {
        launch(queue, arguments);
    }
    queue.wait().expect("it worked");
    rate("dependent launches on an idle queue", LAUNCHES, start);

    for in_order in [true, false] {
        let properties = QueueProperties {
            in_order,
            enable_profiling: false,
        };
        let queue = Queue::with_context(queue.context(), queue.device(), properties)
            .expect("it is its own context");
        let (open, opened) = channel::<()>();
        let gate = queue
            .host_task("gate", &[], move || {
                opened.recv().expect("the gate is opened");
                Ok(())
            })
            .expect("it is submitted");
        let order = if in_order { "in order" } else { "out of order" };
        if !in_order {
            queue.barrier(&[gate]).expect("it is submitted");
        }
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            launch(&queue, arguments);
        }
        rate(
            &format!("submissions behind a gate, {order}"),
            LAUNCHES,
            start,
        );
        let start = Instant::now();
        open.send(()).expect("the gate waits");
        queue.wait().expect("it worked");
        rate(&format!("  and their execution, {order}"), LAUNCHES, start);
    }
}

fn many_threads(device: &Device, launch: &Launch<'_>) {
    for threads in [1, 2, 4, 8] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let queue = Queue::new(device);
                    let arguments = arrays(&queue, 10);
                    for _ in 0..5 * LAUNCHES {
                        launch(&queue, &arguments);
                    }
                    queue.wait().expect("it worked");
                });
            }
        });
        rate(
            &format!("{threads} threads, a queue each"),
            threads * 5 * LAUNCHES,
            start,
        );
    }
}

fn allocation_rate(queue: &Queue) {
    for threads in [1, 2, 4, 8] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for _ in 0..LAUNCHES {
                        let allocation = Allocation::new(queue, 1000, UsmKind::Device);
                        drop(Arc::clone(&allocation.expect("there is memory")));
                    }
                });
            }
        });
        rate(
            &format!("{threads} threads, pooled allocations"),
            threads * LAUNCHES,
            start,
        );
    }
}

fn rate(what: &str, count: usize, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{what}: {:.0} k/s", count as f64 / seconds / 1e3);
}
