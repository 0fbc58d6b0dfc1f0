//! Pools through the door everybody uses.

use std::sync::mpsc;
use std::thread;

use super::*;

use crate::backend::virtual_::{self, VirtualRequest};

const KIND: UsmKind = UsmKind::Shared;

/// Memory that is in no list, so that tests which run out of memory do not trim it.
fn memory() -> Arc<ContextMemory> {
    let memory = ContextMemory::new(0, &[Device::default_device()]);
    memory
        .listed
        .store(fork::generation() + 1, Ordering::Relaxed);
    memory
}

fn statistics(memory: &ContextMemory) -> PoolStatistics {
    memory.statistics()[KIND as usize].1
}

fn address(block: &Block) -> usize {
    block.memory().backing.as_ptr() as usize
}

#[test]
fn blocks_are_aligned_writable_and_reused() {
    let memory = memory();
    for size in [0, 1, 64, 100, 4096, 100_000, 5 << 20] {
        let block = memory.take(size, KIND).unwrap();
        let start = block.memory().backing.as_ptr();
        assert_eq!(start as usize % 64, 0);
        if size >= 1 << 20 {
            assert_eq!(start as usize % 4096, 0);
        }
        // SAFETY: the block has at least `size` bytes and is ours.
        unsafe { start.write_bytes(7, size) };
        memory.give_back(&block, KIND, false);
        let again = memory.take(size, KIND).unwrap();
        assert_eq!(address(&again), start as usize);
        memory.give_back(&again, KIND, false);
    }
    let found = statistics(&memory);
    assert_eq!((found.used_blocks, found.used_bytes), (0, 0));
    assert_eq!((found.requests, found.system_requests), (14, 5));
    assert_eq!((found.reused(), found.idle_blocks), (9, 5));
    assert_eq!(found.peak_bytes, found.idle_bytes);
    assert_eq!(memory.trim(), found.idle_bytes);
    let after = statistics(&memory);
    assert_eq!((after.idle_blocks, after.idle_bytes), (0, 0));
    assert_eq!(after.peak_bytes, found.peak_bytes);
}

#[test]
fn impossible_requests_are_refused_with_the_facts() {
    let memory = memory();
    let held = memory.take(1000, KIND).unwrap();
    for size in [1 << 60, usize::MAX, 1 << 47] {
        match memory.take(size, KIND) {
            Err(Error::OutOfMemory {
                size_bytes,
                used_bytes,
                device,
                ..
            }) => {
                assert_eq!(size_bytes, size);
                assert!(used_bytes >= 1024, "{used_bytes}");
                assert_eq!(device, "native:cpu:0");
            }
            other => panic!("unexpected {other:?}"),
        }
    }
    let found = statistics(&memory);
    assert_eq!((found.used_blocks, found.requests), (1, 4));
    memory.give_back(&held, KIND, false);
}

#[test]
fn threads_never_share_a_block() {
    let memory = memory();
    thread::scope(|scope| {
        for mark in 0..8u8 {
            let memory = &memory;
            scope.spawn(move || {
                for round in 0..500 {
                    let size = 64 + (round * 37) % 3000;
                    let block = memory.take(size, KIND).unwrap();
                    let start = block.memory().backing.as_ptr();
                    // SAFETY: the block has at least `size` bytes and is ours.
                    unsafe {
                        start.write_bytes(mark, size);
                        thread::yield_now();
                        assert!((0..size).all(|offset| *start.add(offset) == mark));
                    }
                    memory.give_back(&block, KIND, false);
                }
            });
        }
    });
    assert_eq!(statistics(&memory).used_bytes, 0);
}

#[test]
fn what_a_finished_thread_left_is_used_by_others() {
    let memory = memory();
    let left = thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let block = memory.take(1000, KIND).unwrap();
            memory.give_back(&block, KIND, false);
            address(&block)
        });
        thread.join().unwrap()
    });
    let block = memory.take(1000, KIND).unwrap();
    assert_eq!(address(&block), left);
    memory.give_back(&block, KIND, false);
}

#[test]
fn a_block_goes_back_to_the_thread_that_took_it() {
    let memory = memory();
    let block = memory.take(1000, KIND).unwrap();
    let wanted = address(&block);
    thread::scope(|scope| {
        scope.spawn(|| memory.give_back(&block, KIND, false));
    });
    let again = memory.take(1000, KIND).unwrap();
    assert_eq!(address(&again), wanted);
    memory.give_back(&again, KIND, false);
}

#[test]
fn a_large_block_that_work_gives_back_in_time_is_waited_for() {
    let mut memory = memory();
    // The wait must end with the block, not with the time.
    Arc::get_mut(&mut memory).unwrap().patience = Duration::from_mins(10);
    let block = memory.take(1 << 20, KIND).unwrap();
    memory.mark_pending(&block, KIND);
    let (asking, asked) = mpsc::channel();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            asking.send(()).unwrap();
            memory.take(1 << 20, KIND).unwrap()
        });
        asked.recv().unwrap();
        // The waiter is asleep by then in nearly all runs; the outcome is the same in any.
        thread::sleep(Duration::from_millis(20));
        memory.give_back(&block, KIND, true);
        let found = waiter.join().unwrap();
        assert_eq!(address(&found), address(&block));
        memory.give_back(&found, KIND, false);
    });
    let found = statistics(&memory);
    assert_eq!((found.pending_blocks, found.system_requests), (0, 1));
}

#[test]
fn small_blocks_wait_until_work_holds_few_of_them() {
    let mut memory = memory();
    Arc::get_mut(&mut memory).unwrap().patience = Duration::from_mins(10);
    let size = 512 << 10;
    // The last of these is asked for when 8 MiB are pending, which is just not too much.
    let blocks: Vec<Block> = (0..17)
        .map(|_| {
            let block = memory.take(size, KIND).unwrap();
            memory.mark_pending(&block, KIND);
            block
        })
        .collect();
    let (asking, asked) = mpsc::channel();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            asking.send(()).unwrap();
            memory.take(size, KIND).unwrap()
        });
        asked.recv().unwrap();
        thread::sleep(Duration::from_millis(20));
        assert!(!waiter.is_finished());
        for block in &blocks {
            memory.give_back(block, KIND, true);
        }
        let found = waiter.join().unwrap();
        memory.give_back(&found, KIND, false);
    });
    assert_eq!(statistics(&memory).pending_blocks, 0);
}

#[test]
fn nobody_waits_again_for_work_that_gives_nothing_back() {
    let mut memory = memory();
    Arc::get_mut(&mut memory).unwrap().patience = Duration::from_millis(5);
    let block = memory.take(1 << 20, KIND).unwrap();
    memory.mark_pending(&block, KIND);
    let fresh = memory.take(1 << 20, KIND).unwrap();
    assert_ne!(address(&fresh), address(&block));
    assert!(memory.returns().is_stalled());
    assert_eq!(statistics(&memory).system_requests, 2);
    let found = statistics(&memory);
    assert_eq!((found.used_blocks, found.pending_blocks), (1, 1));
    memory.give_back(&block, KIND, true);
    assert!(!memory.returns().is_stalled());
    memory.give_back(&fresh, KIND, false);
    assert_eq!(statistics(&memory).idle_blocks, 2);
}

#[test]
fn contexts_in_use_are_listed_until_they_are_gone() {
    let listed = |memory: &Arc<ContextMemory>| {
        let all = ContextMemory::all();
        all.iter().any(|other| Arc::ptr_eq(other, memory))
    };
    let memory = ContextMemory::new(0, &[Device::default_device()]);
    assert!(!listed(&memory));
    let block = memory.take(10, KIND).unwrap();
    memory.give_back(&block, KIND, false);
    assert!(listed(&memory));
    let weak = Arc::downgrade(&memory);
    drop(memory);
    // Whoever looks through the list holds what is in it for that moment.
    while weak.strong_count() > 0 {
        thread::yield_now();
    }
    assert!(
        ContextMemory::all()
            .iter()
            .all(|other| Arc::as_ptr(other) != weak.as_ptr())
    );
}

/// A device with memory of its own, little of it, for the time of a test.
struct SmallDevice(Vec<Device>);

impl SmallDevice {
    const BYTES: u64 = 16 << 20;

    fn new() -> Self {
        let requests = VirtualRequest::parse_list("accelerator").unwrap();
        Self(virtual_::add(&requests, Some(Self::BYTES)))
    }

    fn memory(&self) -> Arc<ContextMemory> {
        ContextMemory::new(0, &self.0)
    }
}

impl Drop for SmallDevice {
    fn drop(&mut self) {
        virtual_::remove(&self.0);
    }
}

#[test]
fn idle_memory_of_other_contexts_is_given_back_before_a_request_fails() {
    let device = SmallDevice::new();
    let (first, second) = (device.memory(), device.memory());
    let idle = first.take(10 << 20, UsmKind::Device).unwrap();
    first.give_back(&idle, UsmKind::Device, false);
    let block = second.take(12 << 20, KIND).unwrap();
    assert_eq!(first.statistics()[0].1.idle_bytes, 0);

    match second.take(10 << 20, UsmKind::Device) {
        Err(Error::OutOfMemory {
            size_bytes,
            device_bytes,
            free_bytes,
            used_bytes,
            pending_bytes,
            idle_bytes,
            ..
        }) => {
            assert_eq!((size_bytes, device_bytes), (10 << 20, SmallDevice::BYTES));
            assert_eq!(free_bytes, Some(SmallDevice::BYTES - used_bytes));
            assert_eq!((used_bytes, pending_bytes, idle_bytes), (12 << 20, 0, 0));
        }
        other => panic!("unexpected {other:?}"),
    }
    second.give_back(&block, KIND, false);
    let now_it_fits = second.take(10 << 20, UsmKind::Device).unwrap();
    second.give_back(&now_it_fits, UsmKind::Device, false);
}

#[test]
fn unfinished_work_is_waited_for_before_a_request_fails() {
    let device = SmallDevice::new();
    let memory = device.memory();
    let blocks = [6, 6].map(|mebibytes| memory.take(mebibytes << 20, KIND).unwrap());
    memory.mark_pending(&blocks[0], KIND);
    let (asking, asked) = mpsc::channel();
    thread::scope(|scope| {
        // Of another size and kind, so that the block itself is of no use.
        let waiter = scope.spawn(|| {
            asking.send(()).unwrap();
            memory.take(8 << 20, UsmKind::Device)
        });
        asked.recv().unwrap();
        thread::sleep(Duration::from_millis(20));
        memory.give_back(&blocks[0], KIND, true);
        let block = waiter.join().unwrap().unwrap();
        memory.give_back(&block, UsmKind::Device, false);
    });
    memory.give_back(&blocks[1], KIND, false);
}
