//! Bytes get from any device to any other, in any kind of memory, in the right order.

use std::sync::{Arc, mpsc};

use situ_runtime::memory::copy;
use situ_runtime::memory::transfer::{End, transfer};
use situ_runtime::{Allocation, Device, Error, Event, Queue, Result, UsmKind};

use crate::{download, every_device, upload};

/// Runs a test for every two devices, which may be the same.
fn on_every_pair(test: impl Fn(&Queue, &Queue)) {
    let devices = every_device();
    for from in devices.iter() {
        for to in devices.iter() {
            eprintln!("from {} to {}", from.filter_string(), to.filter_string());
            test(&Queue::new(from), &Queue::new(to));
        }
    }
}

/// The kinds of memory that a device has.
fn kinds(device: &Device) -> impl Iterator<Item = UsmKind> {
    let kinds = UsmKind::ALL.into_iter();
    kinds.filter(|kind| device.has_usm_kind(*kind))
}

/// Bytes that tell where they are from.
fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|at| ((at * 7 + seed) % 251) as u8).collect()
}

fn filled(queue: &Queue, bytes: &[u8], kind: UsmKind) -> Arc<Allocation> {
    let allocation = Allocation::new(queue, bytes.len(), kind).unwrap();
    copy::copy_from_host(queue, bytes, &allocation, 0).unwrap();
    allocation
}

fn end<'a>(queue: &'a Queue, allocation: &'a Allocation, byte_offset: usize) -> End<'a> {
    End {
        queue,
        allocation,
        byte_offset,
    }
}

/// All of one allocation to all of another.
fn transfer_all(from: (&Queue, &Allocation), to: (&Queue, &Allocation)) -> Result<Event> {
    let size_bytes = from.1.size_bytes().min(to.1.size_bytes());
    transfer(end(from.0, from.1, 0), end(to.0, to.1, 0), size_bytes)
}

#[test]
fn every_kind_of_memory_goes_to_every_other() {
    on_every_pair(|from, to| {
        for source_kind in kinds(from.device()) {
            for target_kind in kinds(to.device()) {
                for (source_offset, target_offset, len) in [
                    (0, 0, 64),
                    (3, 5, 0),
                    (1, 2, 1),
                    (7, 0, 777),
                    (0, 13, 70_001),
                ] {
                    let sent = bytes(source_offset + len + 2, len);
                    let source = filled(from, &sent, source_kind);
                    let mut expected = bytes(target_offset + len + 3, 100);
                    let target = filled(to, &expected, target_kind);
                    let (source, target) = (
                        end(from, &source, source_offset),
                        end(to, &target, target_offset),
                    );
                    transfer(source, target, len).unwrap().wait().unwrap();
                    expected[target_offset..target_offset + len]
                        .copy_from_slice(&sent[source_offset..source_offset + len]);
                    let found: Vec<u8> = download(to, target.allocation);
                    assert!(
                        found == expected,
                        "{len} bytes from {source_kind} to {target_kind} memory"
                    );
                }
            }
        }
    });
}

#[test]
fn large_transfers_arrive_whole() {
    let sent = bytes((9 << 20) + 77, 1);
    on_every_pair(|from, to| {
        let source = filled(from, &sent, UsmKind::Device);
        let target = Allocation::new(to, sent.len(), UsmKind::Device).unwrap();
        transfer_all((from, &source), (to, &target)).unwrap();
        assert!(download::<u8>(to, &target) == sent);
    });
}

#[test]
fn ranges_may_overlap_within_an_allocation() {
    for device in every_device().iter() {
        let queue = Queue::new(device);
        for len in [60, 3 << 20] {
            for (from, to) in [(0, 1), (1, 0), (0, 37), (37, 0), (5, 5)] {
                let mut expected = bytes(len + 40, 3);
                let memory = filled(&queue, &expected, UsmKind::Device);
                let (source, target) = (end(&queue, &memory, from), end(&queue, &memory, to));
                transfer(source, target, len).unwrap();
                expected.copy_within(from..from + len, to);
                assert!(download::<u8>(&queue, &memory) == expected);
            }
        }
    }
}

#[test]
fn ranges_outside_are_refused_before_a_byte_has_moved() {
    on_every_pair(|from, to| {
        let source = upload(from, &[1u8; 10]);
        let target = upload(to, &[2u8; 10]);
        for (source_offset, target_offset, len) in [
            (0, 0, 11),
            (1, 0, 10),
            (0, 1, 10),
            (11, 0, 0),
            (0, usize::MAX, 1),
        ] {
            let (source, target) = (
                end(from, &source, source_offset),
                end(to, &target, target_offset),
            );
            let refused = transfer(source, target, len);
            assert!(
                matches!(refused, Err(Error::CopyOutOfRange { .. })),
                "{refused:?}"
            );
        }
        assert_eq!(download::<u8>(to, &target), [2; 10]);
    });
}

/// Everything is submitted while the first writer is held up: each transfer then has to wait for what
/// writes its source, and what comes later for the transfer.
#[test]
fn transfers_wait_for_writers_and_writers_for_transfers() {
    const LEN: usize = 3 << 20;
    on_every_pair(|from, to| {
        let source = filled(from, &vec![0; LEN], UsmKind::Device);
        let [early, late] = [0, 1].map(|_| Allocation::new(to, LEN, UsmKind::Device).unwrap());
        let (go_on, held_up) = mpsc::channel::<()>();
        // The gate is on a queue of its own: two devices may be the same, and so may be their threads.
        let gate = Queue::new(from.device())
            .host_task("gate", &[], move || {
                held_up.recv().expect("the test lets it go on");
                Ok(())
            })
            .unwrap();
        copy::fill_after(from, (&source, 0), LEN, 1, &[gate]).unwrap();
        let first = transfer_all((from, &source), (to, &early)).unwrap();
        copy::fill(from, &source, 0, LEN, 2).unwrap();
        transfer_all((from, &source), (to, &late)).unwrap();
        copy::fill(to, &late, LEN - 1, 1, 3).unwrap();
        // And back, into what the transfers before still read.
        transfer_all((to, &late), (from, &source)).unwrap();
        assert!(!first.is_complete());
        go_on.send(()).unwrap();
        let mut expected = vec![2; LEN];
        expected[LEN - 1] = 3;
        assert!(download::<u8>(from, &source) == expected);
        assert!(download::<u8>(to, &late) == expected);
        assert!(download::<u8>(to, &early) == vec![1; LEN]);
        first.wait().unwrap();
    });
}

#[test]
fn what_a_failed_command_should_have_written_is_not_carried_on() {
    on_every_pair(|from, to| {
        let source = upload(from, &[1u8; 100]);
        let target = upload(to, &[2u8; 100]);
        let (go_on, held_up) = mpsc::channel::<()>();
        let broken = Queue::new(from.device())
            .host_task("broken", &[], move || {
                held_up.recv().expect("the test lets it go on");
                Err(Arc::new(std::fmt::Error))
            })
            .unwrap();
        let write = copy::fill_after(from, (&source, 0), 100, 9, &[broken]).unwrap();
        let event = transfer_all((from, &source), (to, &target)).unwrap();
        go_on.send(()).unwrap();
        let error = event.wait().unwrap_err();
        assert!(matches!(error, Error::DependencyFailed { .. }), "{error}");
        assert!(write.wait().is_err());
        assert_eq!(download::<u8>(to, &target), [2; 100]);
        // Whoever was told may go on.
        transfer_all((from, &source), (to, &target)).unwrap();
        assert_eq!(download::<u8>(to, &target), [1; 100]);
    });
}
