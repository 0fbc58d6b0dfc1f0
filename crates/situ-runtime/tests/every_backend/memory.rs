//! Memory comes back: whoever used it last, and however that ended.

use std::sync::{Arc, mpsc};

use situ_ir::NdRange;
use situ_runtime::memory::statistics::PoolStatistics;
use situ_runtime::memory::{copy, transfer};
use situ_runtime::{Allocation, Context, Error, Queue, QueueProperties, UsmKind};

use crate::{compile, counting_kernel, download, on_every_device, pointer_to, upload};

/// A queue in a context of its own, so that its statistics are this test's alone.
fn apart(queue: &Queue, in_order: bool) -> Queue {
    let context = Context::new(std::slice::from_ref(queue.device())).unwrap();
    let properties = QueueProperties {
        in_order,
        ..QueueProperties::default()
    };
    Queue::with_context(&context, queue.device(), properties).unwrap()
}

fn total(queue: &Queue) -> PoolStatistics {
    let kinds = queue.context().memory_statistics();
    kinds.into_iter().map(|(_, pool)| pool).sum()
}

/// Blocks that somebody or something holds, and those kept for reuse.
fn blocks(queue: &Queue) -> (u64, u64, u64) {
    let found = total(queue);
    (found.used_blocks, found.pending_blocks, found.idle_blocks)
}

#[test]
fn memory_dropped_while_kernels_use_it_comes_back_when_they_end() {
    on_every_device(|queue| {
        for in_order in [true, false] {
            let queue = apart(queue, in_order);
            let kernel = compile(&queue, counting_kernel());
            let range = NdRange::new(&[1000]).unwrap();
            // Holds the work up until the memory has been dropped.
            let (go_on, held_up) = mpsc::channel::<()>();
            let gate = queue
                .host_task("gate", &[], move || {
                    held_up.recv().expect("the test lets it go on");
                    Ok(())
                })
                .unwrap();
            let memory = Allocation::new(&queue, 8000, UsmKind::Device).unwrap();
            let arguments = [pointer_to(&memory)];
            let launched = queue.launch_after(&kernel, &range, &arguments, &[gate]);
            let event = launched.unwrap();
            drop((memory, arguments));
            assert_eq!(blocks(&queue), (0, 1, 0));
            go_on.send(()).unwrap();
            event.wait().unwrap();
            queue.wait().unwrap();
            assert_eq!(blocks(&queue), (0, 0, 1));
            assert_eq!(queue.context().trim_memory(), 8 << 10);
            assert_eq!(blocks(&queue), (0, 0, 0));
        }
    });
}

#[test]
fn failed_calls_and_failed_work_keep_no_memory() {
    on_every_device(|queue| {
        let queue = apart(queue, true);
        let kernel = compile(&queue, counting_kernel());
        let memory = upload(&queue, &[0i64; 10]);
        let view = [pointer_to(&memory), pointer_to(&memory)];
        let range = NdRange::new(&[10]).unwrap();
        assert!(queue.launch(&kernel, &range, &view).is_err());
        assert!(copy::fill(&queue, &memory, 0, 81, 0).is_err());
        let refused = Allocation::new(&queue, 1 << 60, UsmKind::Shared);
        assert!(
            matches!(refused, Err(Error::OutOfMemory { .. })),
            "{refused:?}"
        );
        // What depends on failed work does not run; its memory comes back all the same.
        let failed = queue
            .host_task("broken", &[], || Err(Arc::new(std::fmt::Error)))
            .unwrap();
        let arguments = [pointer_to(&memory)];
        // Refused at once if the failure is known already.
        let skipped = queue.launch_after(&kernel, &range, &arguments, &[failed]);
        drop((memory, view, arguments));
        assert!(skipped.and_then(|event| event.wait()).is_err());
        assert!(queue.wait().is_err());
        assert_eq!(blocks(&queue), (0, 0, 1));
    });
}

#[test]
fn more_than_a_device_gives_at_once_is_refused_with_the_reason() {
    on_every_device(|queue| {
        let queue = apart(queue, true);
        let info = queue.device().info();
        let held = upload(&queue, &[0u8; 1000]);
        let most = info.max_allocation_bytes;
        for kind in [UsmKind::Device, UsmKind::Shared] {
            let refused = Allocation::new(&queue, most as usize + 1, kind).unwrap_err();
            let Error::OutOfMemory {
                size_bytes,
                device_bytes,
                max_allocation_bytes,
                used_bytes,
                ..
            } = refused
            else {
                panic!("{refused}")
            };
            assert_eq!((size_bytes as u64, max_allocation_bytes), (most + 1, most));
            assert_eq!((device_bytes, used_bytes > 0), (info.memory_bytes, true));
            let text = refused.to_string();
            assert!(text.contains("one allocation has at most"), "{text}");
            assert!(text.contains(&queue.device().filter_string()), "{text}");
        }
        drop(held);
        assert_eq!(total(&queue).used_blocks, 0);
        // The pool works as before.
        upload(&queue, &[0u8; 1000]);
    });
}

#[test]
fn dropping_everything_with_work_pending_loses_nothing() {
    on_every_device(|queue| {
        let queue = apart(queue, false);
        let kernel = compile(&queue, counting_kernel());
        let range = NdRange::new(&[300_000]).unwrap();
        for _ in 0..20 {
            let memory = Allocation::new(&queue, 8 * 300_000, UsmKind::Shared).unwrap();
            let arguments = [pointer_to(&memory)];
            queue.launch(&kernel, &range, &arguments).unwrap();
        }
        queue.wait().unwrap();
        let found = total(&queue);
        assert_eq!((found.used_blocks, found.pending_blocks), (0, 0));
        assert_eq!(found.requests, 20);
        assert_eq!(found.idle_blocks, found.system_requests);
    });
}

#[test]
fn bytes_go_from_any_context_to_any_other() {
    on_every_device(|queue| {
        let (first, second) = (apart(queue, true), apart(queue, false));
        let numbers: Vec<i64> = (0..1_000_000).collect();
        let source = upload(&first, &numbers);
        let target = Allocation::new(&second, source.size_bytes(), UsmKind::Host).unwrap();
        let end = |queue, allocation| transfer::End {
            queue,
            allocation,
            byte_offset: 0,
        };
        let (from, to) = (end(&first, &source), end(&second, &target));
        transfer::transfer(from, to, source.size_bytes()).unwrap();
        assert!(download::<i64>(&second, &target) == numbers);
        assert!(matches!(
            copy::copy(&first, (&source, 0), (&target, 0), 8),
            Err(Error::ForeignAllocation { .. })
        ));
    });
}
