//! A system that gives no threads at all: everything is slower, and still done.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use situ_ir::NdRange;
use situ_runtime::memory::copy;
use situ_runtime::{Allocation, Argument, Context, Queue, QueueProperties, UsmKind};

use super::places::{kernels, places};

/// A stack that no system has room for, so that no thread can be started.
const NO_STACK: &str = "100000000000000";

#[test]
fn work_is_done_where_no_thread_can_be_had() {
    let own = std::env::current_exe().unwrap();
    let done = Command::new(own)
        .args(["--exact", "refused::without_threads", "--ignored"])
        .args(["--test-threads=1", "--nocapture"])
        .env("RUST_MIN_STACK", NO_STACK)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stderr);
    let answer = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{answer}\n{text}");
    assert!(answer.contains("1 passed"), "{answer}\n{text}");
}

#[test]
#[ignore = "only in a process that cannot start threads; see the test above"]
fn without_threads() {
    if std::thread::Builder::new().spawn(|| ()).is_ok() {
        // `make stress` runs every ignored test.
        return;
    }
    for place in places() {
        for in_order in [true, false] {
            let properties = QueueProperties {
                in_order,
                enable_profiling: false,
            };
            for device in &place.devices {
                let queue = Queue::with_context(&place.context, device, properties).unwrap();
                use_everything(&queue);
            }
        }
        check_memory(&place.context);
    }
}

fn use_everything(queue: &Queue) {
    let len = 50_000;
    let kernel = kernels(queue.device()).step;
    let array = Allocation::new(queue, 8 * len, UsmKind::Device).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    copy::fill(queue, &array, 0, 8 * len, 0).unwrap();
    let used = if queue.device().filter_string().starts_with("reference") {
        10
    } else {
        len as u64
    };
    let argument = [Argument::Pointer {
        allocation: Arc::clone(&array),
        byte_offset: 0,
    }];
    for _ in 0..5 {
        let range = NdRange::new(&[used]).unwrap();
        let event = queue.launch(&kernel, &range, &argument).unwrap();
        let counted = Arc::clone(&count);
        let task = queue
            .host_task("count", &[event], move || {
                counted.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .unwrap();
        let counted = Arc::clone(&count);
        task.on_complete(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        queue.barrier(&[task]).unwrap();
    }
    queue.wait().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 10);
    let mut bytes = [0; 8];
    copy::copy_to_host(queue, &array, 0, &mut bytes).unwrap();
    assert_eq!(i64::from_le_bytes(bytes), 121);
}

fn check_memory(context: &Context) {
    for (_, each) in context.memory_statistics() {
        assert_eq!(each.used_blocks + each.pending_blocks, 0, "{each:?}");
    }
}
