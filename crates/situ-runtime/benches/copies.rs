//! How fast do bytes get from one device to another? Every pair of devices, and the host, beside what
//! the processor's own `memcpy` does in the same run.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark's product is what it prints"
)]

use std::sync::Arc;
use std::time::Instant;

use situ_runtime::backend::virtual_::{self, VirtualRequest};
use situ_runtime::memory::copy;
use situ_runtime::memory::transfer::{End, transfer};
use situ_runtime::{Allocation, BackendKind, Device, Queue, UsmKind};

const SIZES: [usize; 4] = [64 << 10, 1 << 20, 16 << 20, 256 << 20];

/// Bytes that each measurement moves, so that small copies are made often.
const MOVED: usize = 512 << 20;

/// The quickest of some rounds of each action, in GB/s. They take turns, so that whatever else the machine
/// does falls on all of them.
fn rates(size_bytes: usize, actions: &mut [Box<dyn FnMut() + '_>]) -> Vec<f64> {
    let rounds = (MOVED / size_bytes).clamp(5, 200);
    let mut best = vec![f64::INFINITY; actions.len()];
    for _ in 0..rounds {
        for (best, action) in best.iter_mut().zip(actions.iter_mut()) {
            let start = Instant::now();
            action();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.iter()
        .map(|seconds| size_bytes as f64 / seconds * 1e-9)
        .collect()
}

fn touched(queue: &Queue, size_bytes: usize, kind: UsmKind) -> Arc<Allocation> {
    let allocation = Allocation::new(queue, size_bytes, kind).expect("there is memory");
    let event = copy::fill(queue, &allocation, 0, size_bytes, 1);
    event.and_then(|event| event.wait()).expect("it is inside");
    allocation
}

fn bench_size(devices: &[Device], size_bytes: usize) {
    let queues: Vec<Queue> = devices.iter().map(Queue::new).collect();
    let of_kind = |kind| {
        let all = queues.iter();
        all.map(|queue| touched(queue, size_bytes, kind))
            .collect::<Vec<_>>()
    };
    let (sources, targets) = (of_kind(UsmKind::Device), of_kind(UsmKind::Device));
    let (mut host, mut other) = (vec![1_u8; size_bytes], vec![2_u8; size_bytes]);
    let mut names = vec!["memcpy".to_owned()];
    let host_ptr = host.as_mut_ptr();
    let mut actions: Vec<Box<dyn FnMut() + '_>> = vec![Box::new(|| {
        // SAFETY: both have as many bytes, and nobody else uses them meanwhile.
        unsafe { std::ptr::copy_nonoverlapping(host_ptr, other.as_mut_ptr(), size_bytes) };
    })];
    for (to, target) in targets.iter().enumerate() {
        let to_queue = &queues[to];
        names.push(format!("host -> {}", devices[to].filter_string()));
        // SAFETY: the buffer outlives the actions, which run one after the other.
        let bytes = unsafe { std::slice::from_raw_parts(host_ptr, size_bytes) };
        actions.push(Box::new(move || {
            copy::copy_from_host(to_queue, bytes, target, 0).expect("it is inside");
        }));
        names.push(format!("{} -> host", devices[to].filter_string()));
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts_mut(host_ptr, size_bytes) };
        actions.push(Box::new(move || {
            copy::copy_to_host(to_queue, target, 0, bytes).expect("it is inside");
        }));
        for (from, source) in sources.iter().enumerate() {
            let from_queue = &queues[from];
            names.push(format!(
                "{} -> {}",
                devices[from].filter_string(),
                devices[to].filter_string()
            ));
            let end = |queue, allocation| End {
                queue,
                allocation,
                byte_offset: 0,
            };
            actions.push(Box::new(move || {
                transfer(end(from_queue, source), end(to_queue, target), size_bytes)
                    .expect("it is inside");
                target.wait_for_writes().expect("it was copied");
            }));
        }
    }
    println!("{} KiB", size_bytes >> 10);
    for (name, rate) in names.iter().zip(rates(size_bytes, &mut actions)) {
        println!("  {name:<32} {rate:>7.1} GB/s");
    }
}

fn main() {
    let request = VirtualRequest::parse_list("gpu:1").expect("this is how they are asked for");
    virtual_::add(&request, None);
    let all = Device::all();
    let devices: Vec<Device> = all
        .iter()
        .filter(|device| device.backend() != BackendKind::Reference)
        .cloned()
        .collect();
    for size_bytes in SIZES {
        bench_size(&devices, size_bytes);
    }
}
