//! Transfers between devices whose memory nobody but their own drivers reaches. There are none on the
//! machines that run these tests, so drivers are made up that behave like it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use situ_ir::ValidModule;

use super::PIECE_BYTES;
use crate::backend::reference::ReferenceDriver;
use crate::backend::{DeviceMemory, DeviceProgram, Driver};
use crate::device::{BackendKind, Device, DeviceType};
use crate::device_info::DeviceInfo;
use crate::error::{Error, Result};
use crate::memory::copy;
use crate::memory::transfer::{End, transfer};
use crate::memory::usm::{Allocation, UsmKind};
use crate::partition::{Partition, PartitionProblem};
use crate::queue::Queue;

/// A device of its own, with a driver that counts copies.
struct RemoteDriver {
    inner: ReferenceDriver,
    domain: usize,
    copies: AtomicUsize,
    /// The number of the copy that fails.
    fails_at: AtomicUsize,
    /// Called before each copy with its number.
    before_copy: Box<dyn Fn(usize) + Send + Sync>,
}

impl RemoteDriver {
    fn new(domain: usize, before_copy: impl Fn(usize) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            inner: ReferenceDriver::new(),
            domain,
            copies: AtomicUsize::new(0),
            fails_at: AtomicUsize::new(usize::MAX),
            before_copy: Box::new(before_copy),
        })
    }

    /// How many copies there were since this was asked last.
    fn take_copies(&self) -> usize {
        self.copies.swap(0, Ordering::Relaxed)
    }
}

impl Driver for RemoteDriver {
    fn info(&self) -> DeviceInfo {
        self.inner.info()
    }

    fn compile(&self, module: &ValidModule) -> Result<Arc<dyn DeviceProgram>> {
        self.inner.compile(module)
    }

    fn allocate(&self, size_bytes: usize, kind: UsmKind) -> Option<DeviceMemory> {
        self.inner.allocate(size_bytes, kind)
    }

    unsafe fn free(&self, memory: DeviceMemory, size_bytes: usize, kind: UsmKind) {
        // SAFETY: the contract is the same.
        unsafe { self.inner.free(memory, size_bytes, kind) };
    }

    unsafe fn copy(&self, from: *const u8, to: *mut u8, size_bytes: usize) -> Result<()> {
        let number = self.copies.fetch_add(1, Ordering::Relaxed);
        (self.before_copy)(number);
        if number == self.fails_at.load(Ordering::Relaxed) {
            // Any failure of a driver will do.
            return Err(Error::DriverLostInFork {
                device: "a remote device".to_owned(),
            });
        }
        // SAFETY: the contract is the same.
        unsafe { self.inner.copy(from, to, size_bytes) }
    }

    fn is_host_accessible(&self, kind: UsmKind) -> bool {
        kind != UsmKind::Device
    }

    fn has_host_backing(&self, kind: UsmKind) -> bool {
        self.is_host_accessible(kind)
    }

    fn memory_domain(&self) -> usize {
        self.domain
    }

    fn free_memory_bytes(&self) -> Option<u64> {
        self.inner.free_memory_bytes()
    }

    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Driver>>, PartitionProblem> {
        self.inner.partition(partition)
    }
}

fn queue(driver: &Arc<RemoteDriver>) -> Queue {
    let driver = Arc::clone(driver) as Arc<dyn Driver>;
    Queue::new(&Device::root(
        BackendKind::Virtual,
        DeviceType::Gpu,
        90,
        driver,
    ))
}

fn numbers(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// Memory with these bytes.
fn filled(queue: &Queue, bytes: &[u8], kind: UsmKind) -> Arc<Allocation> {
    let allocation = Allocation::new(queue, bytes.len(), kind).unwrap();
    copy::copy_from_host(queue, bytes, &allocation, 0).unwrap();
    allocation
}

fn read(queue: &Queue, allocation: &Allocation) -> Vec<u8> {
    let mut bytes = vec![0; allocation.size_bytes()];
    copy::copy_to_host(queue, allocation, 0, &mut bytes).unwrap();
    bytes
}

fn end<'a>(queue: &'a Queue, allocation: &'a Allocation, byte_offset: usize) -> End<'a> {
    End {
        queue,
        allocation,
        byte_offset,
    }
}

#[test]
fn bytes_of_any_number_arrive_where_they_should() {
    let (first, second) = (RemoteDriver::new(1, |_| ()), RemoteDriver::new(2, |_| ()));
    let (from, to) = (queue(&first), queue(&second));
    for len in [
        0,
        1,
        777,
        PIECE_BYTES - 1,
        PIECE_BYTES,
        PIECE_BYTES + 1,
        5 * PIECE_BYTES + 77,
    ] {
        let bytes = numbers(len + 3);
        let source = filled(&from, &bytes, UsmKind::Device);
        let target = filled(&to, &vec![9; len + 8], UsmKind::Device);
        let event = transfer(end(&from, &source, 3), end(&to, &target, 5), len);
        event.unwrap().wait().unwrap();
        let found = read(&to, &target);
        assert!(found[5..5 + len] == bytes[3..], "{len} bytes");
        assert_eq!((&found[..5], &found[5 + len..]), (&[9; 5][..], &[9; 3][..]));
    }
    let kept = to.context().memory_statistics();
    assert!(
        kept.iter().all(|(_, pool)| pool.used_blocks == 0),
        "{kept:?}"
    );
}

#[test]
fn what_one_driver_reaches_it_copies_at_once() {
    let len = 3 * PIECE_BYTES;
    let (first, same) = (RemoteDriver::new(1, |_| ()), RemoteDriver::new(1, |_| ()));
    let other = RemoteDriver::new(2, |_| ());
    let from = queue(&first);
    let source = filled(&from, &numbers(len), UsmKind::Device);
    let cases = [
        (&same, UsmKind::Device, (0, 1)),
        (&other, UsmKind::Shared, (1, 0)),
        (&other, UsmKind::Host, (1, 0)),
        (&other, UsmKind::Device, (3, 3)),
    ];
    for (driver, kind, expected) in cases {
        let to = queue(driver);
        let target = Allocation::new(&to, len, kind).unwrap();
        first.take_copies();
        driver.take_copies();
        let event = transfer(end(&from, &source, 0), end(&to, &target, 0), len);
        event.unwrap().wait().unwrap();
        let copies = (first.take_copies(), driver.take_copies());
        assert_eq!(copies, expected, "{kind} memory");
        assert!(read(&to, &target) == numbers(len));
    }
}

/// A piece is written while the next one is read: the first write waits for the second read to begin.
#[test]
fn both_drivers_work_at_the_same_time() {
    let reads = Arc::new((Mutex::new(0), Condvar::new()));
    let seen = Arc::clone(&reads);
    let first = RemoteDriver::new(1, move |_| {
        *seen.0.lock().unwrap() += 1;
        seen.1.notify_all();
    });
    let met = Arc::new(AtomicUsize::new(0));
    let noted = Arc::clone(&met);
    let second = RemoteDriver::new(2, move |number| {
        if number == 0 {
            let (count, changed) = &*reads;
            let limit = Duration::from_mins(1);
            let count = count.lock().unwrap();
            // The first of three was the upload.
            let waited = changed.wait_timeout_while(count, limit, |count| *count < 3);
            noted.store(
                usize::from(!waited.unwrap().1.timed_out()),
                Ordering::Relaxed,
            );
        }
    });
    let (from, to) = (queue(&first), queue(&second));
    let source = filled(&from, &numbers(3 * PIECE_BYTES), UsmKind::Device);
    let target = Allocation::new(&to, source.size_bytes(), UsmKind::Device).unwrap();
    let event = transfer(
        end(&from, &source, 0),
        end(&to, &target, 0),
        source.size_bytes(),
    );
    event.unwrap().wait().unwrap();
    assert_eq!(met.load(Ordering::Relaxed), 1);
}

#[test]
fn a_failure_on_either_side_is_told_by_the_event_and_the_queues_go_on() {
    let len = 6 * PIECE_BYTES;
    for (reader_fails, at) in [
        (true, 0),
        (true, 3),
        (true, 5),
        (false, 0),
        (false, 3),
        (false, 5),
    ] {
        let (first, second) = (RemoteDriver::new(1, |_| ()), RemoteDriver::new(2, |_| ()));
        let (from, to) = (queue(&first), queue(&second));
        let source = filled(&from, &numbers(len), UsmKind::Device);
        let target = Allocation::new(&to, len, UsmKind::Device).unwrap();
        let failing = if reader_fails { &first } else { &second };
        failing.take_copies();
        failing.fails_at.store(at, Ordering::Relaxed);
        let run = || transfer(end(&from, &source, 0), end(&to, &target, 0), len)?.wait();
        let error = run().unwrap_err();
        let Error::CommandFailed { source: cause, .. } = &error else {
            panic!("{error}")
        };
        assert!(matches!(**cause, Error::DriverLostInFork { .. }), "{error}");
        let blocks = from.context().memory_statistics()[UsmKind::Host as usize].1;
        assert_eq!(blocks.used_blocks, 0);
        failing.fails_at.store(usize::MAX, Ordering::Relaxed);
        run().unwrap();
        assert!(read(&to, &target) == numbers(len));
    }
}
