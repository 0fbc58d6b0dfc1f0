//! Asynchronous queues: order, dependencies, host tasks, failures, lifetimes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use situ_ir::{DType, FunctionBuilder, Literal, NdRange};
use situ_runtime::memory::copy;
use situ_runtime::{
    Allocation, Argument, Context, Device, Error, Event, EventStatus, HostError, Kernel, Queue,
    QueueProperties, UsmKind,
};

use crate::{compile, download, on_every_device, pointer, pointer_to, upload};

const PATIENCE: Duration = Duration::from_secs(20);

/// `x[i] = x[i] * 3 + 1`: applying it in another order, or not at all, shows.
fn step(queue: &Queue) -> Kernel {
    let mut f = FunctionBuilder::kernel("step", 1);
    let x = pointer(&mut f, "x", DType::I64);
    let i = f.global_id(0);
    let (old, three) = (f.load(x, i), f.literal(Literal::I64(3)));
    let one = f.literal(Literal::I64(1));
    let product = f.multiply(old, three);
    let sum = f.add(product, one);
    f.store(x, i, sum);
    compile(queue, f)
}

/// `to[i] = from[i]`.
fn transfer(queue: &Queue) -> Kernel {
    let mut f = FunctionBuilder::kernel("transfer", 1);
    let to = pointer(&mut f, "to", DType::I64);
    let from = pointer(&mut f, "from", DType::I64);
    let i = f.global_id(0);
    let element = f.load(from, i);
    f.store(to, i, element);
    compile(queue, f)
}

fn out_of_order(device: &Device) -> Queue {
    with_properties(device, false, false)
}

fn with_properties(device: &Device, in_order: bool, enable_profiling: bool) -> Queue {
    let properties = QueueProperties {
        in_order,
        enable_profiling,
    };
    Queue::with_context(device.default_context(), device, properties).unwrap()
}

fn range(len: u64) -> NdRange {
    NdRange::new(&[len]).unwrap()
}

/// A host task that ends when the returned gate is opened.
struct Gate(std::sync::mpsc::Sender<()>);

impl Gate {
    fn on(queue: &Queue) -> (Self, Event) {
        let (open, opened): (_, Receiver<()>) = channel();
        let event = queue
            .host_task("gate", &[], move || {
                opened.recv_timeout(PATIENCE).expect("the gate is opened");
                Ok(())
            })
            .unwrap();
        (Self(open), event)
    }

    fn open(self) {
        self.0.send(()).unwrap();
    }
}

#[test]
fn submitting_does_not_wait_and_order_is_kept() {
    on_every_device(|queue| {
        let kernel = step(queue);
        let x = upload(queue, &[1i64, 2, 3]);
        let (gate, gate_event) = Gate::on(queue);
        let events: Vec<Event> = (0..50)
            .map(|_| queue.launch(&kernel, &range(3), &[pointer_to(&x)]).unwrap())
            .collect();
        assert!(!gate_event.is_complete());
        assert!(
            events
                .iter()
                .all(|event| event.status() == EventStatus::Submitted)
        );
        assert_eq!(queue.pending(), 51);
        gate.open();
        queue.wait().unwrap();
        assert_eq!(queue.pending(), 0);
        assert!(events.iter().all(Event::is_complete));
        let expected =
            [1i64, 2, 3].map(|x| (0..50).fold(x, |x, _| x.wrapping_mul(3).wrapping_add(1)));
        assert_eq!(download::<i64>(queue, &x), expected);
    });
}

#[test]
fn work_goes_on_although_nobody_waits() {
    const LEN: u64 = 1 << 18;
    let queue = Queue::new(&Device::default_device());
    let kernel = step(&queue);
    let x = upload(&queue, &vec![1i64; LEN as usize]);
    let y = upload(&queue, &vec![0i64; LEN as usize]);
    for round in 0..100 {
        queue
            .launch(&kernel, &range(LEN), &[pointer_to(&x)])
            .unwrap()
            .wait()
            .unwrap();
        // The threads of kernels watch for more work, or have just stopped to. Copies of two megabytes are handed over.
        std::thread::sleep(Duration::from_micros(3 * round));
        let event = copy::copy(&queue, (&x, 0), (&y, 0), 8 * LEN as usize).unwrap();
        let deadline = Instant::now() + PATIENCE;
        while !event.is_complete() {
            assert!(Instant::now() < deadline, "round {round}");
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

#[test]
fn brief_work_on_an_idle_queue_is_done_when_the_call_returns() {
    let queue = Queue::new(&Device::default_device());
    let kernel = step(&queue);
    let x = upload(&queue, &[0i64]);
    for _ in 0..20 {
        queue
            .launch(&kernel, &range(1), &[pointer_to(&x)])
            .unwrap()
            .wait()
            .unwrap();
    }
    let event = queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
    assert!(event.is_complete());
}

#[test]
fn out_of_order_commands_follow_their_data() {
    on_every_device(|queue| {
        let queue = out_of_order(queue.device());
        let (step, transfer) = (step(&queue), transfer(&queue));
        for _ in 0..20 {
            let x = upload(&queue, &[5i64; 4]);
            let y = upload(&queue, &[0i64; 4]);
            let (gate, gate_event) = Gate::on(&queue);
            let first = queue
                .launch_after(&step, &range(4), &[pointer_to(&x)], &[gate_event])
                .unwrap();
            // Reads x: waits for the writer. Writes x: waits for the reader.
            let read = queue
                .launch(&transfer, &range(4), &[pointer_to(&y), pointer_to(&x)])
                .unwrap();
            let second = queue.launch(&step, &range(4), &[pointer_to(&x)]).unwrap();
            assert_eq!(read.dependencies(), [first]);
            assert!(second.dependencies().contains(&read));
            gate.open();
            queue.wait().unwrap();
            assert_eq!(download::<i64>(&queue, &y), [16; 4]);
            assert_eq!(download::<i64>(&queue, &x), [49; 4]);
        }
    });
}

#[test]
fn an_out_of_order_queue_does_not_hold_back_what_is_independent() {
    on_every_device(|queue| {
        let queue = out_of_order(queue.device());
        let kernel = step(&queue);
        let x = upload(&queue, &[1i64]);
        let (gate, gate_event) = Gate::on(&queue);
        queue
            .launch(&kernel, &range(1), &[pointer_to(&x)])
            .unwrap()
            .wait()
            .unwrap();
        assert!(!gate_event.is_complete());
        assert_eq!(download::<i64>(&queue, &x), [4]);
        // A barrier holds back everything after it, until everything before it is done.
        let barrier = queue.barrier(&[]).unwrap();
        let after = queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert!(!barrier.is_complete() && !after.is_complete());
        gate.open();
        after.wait().unwrap();
        assert!(gate_event.is_complete() && barrier.is_complete());
        assert_eq!(download::<i64>(&queue, &x), [13]);
    });
}

#[test]
fn a_barrier_after_events_waits_for_those_only() {
    let queue = out_of_order(&Device::default_device());
    let (slow, _) = Gate::on(&queue);
    let (quick, quick_event) = Gate::on(&queue);
    let barrier = queue.barrier(&[quick_event]).unwrap();
    quick.open();
    barrier.wait().unwrap();
    slow.open();
    queue.wait().unwrap();
}

#[test]
fn queues_wait_for_each_other_by_data() {
    on_every_device(|first| {
        let second = Queue::new(first.device());
        let (step, transfer) = (step(first), transfer(first));
        let x = upload(first, &[5i64]);
        let y = upload(&second, &[0i64]);
        let (gate, _) = Gate::on(first);
        first.launch(&step, &range(1), &[pointer_to(&x)]).unwrap();
        second
            .launch(&transfer, &range(1), &[pointer_to(&y), pointer_to(&x)])
            .unwrap();
        gate.open();
        second.wait().unwrap();
        assert_eq!(download::<i64>(&second, &y), [16]);
    });
}

#[test]
fn host_reads_and_writes_wait_for_the_data_they_touch() {
    on_every_device(|queue| {
        let kernel = step(queue);
        let (x, other) = (upload(queue, &[1i64]), upload(queue, &[7i64]));
        let (gate, _) = Gate::on(queue);
        queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
        // Untouched data can be read although the queue is busy.
        assert_eq!(download::<i64>(queue, &other), [7]);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            gate.open();
        });
        copy::copy_from_host(queue, &10i64.to_le_bytes(), &x, 0).unwrap();
        assert_eq!(download::<i64>(queue, &x), [10]);
    });
}

#[test]
fn memory_freed_while_its_kernel_is_pending_stays_until_it_is_done() {
    on_every_device(|queue| {
        let context = Context::new(std::slice::from_ref(queue.device())).unwrap();
        let properties = QueueProperties::default();
        let queue = Queue::with_context(&context, queue.device(), properties).unwrap();
        let transfer = transfer(&queue);
        let len = 50_000usize;
        let source = upload(&queue, &vec![42i64; len]);
        let target = upload(&queue, &vec![0i64; len]);
        let (gate, _) = Gate::on(&queue);
        let arguments = [pointer_to(&target), pointer_to(&source)];
        queue
            .launch(&transfer, &range(len as u64), &arguments)
            .unwrap();
        drop((arguments, source));
        // New memory of the same size must not be the old one.
        let newcomer = upload(&queue, &vec![-1i64; len]);
        gate.open();
        queue.wait().unwrap();
        assert_eq!(download::<i64>(&queue, &target), vec![42; len]);
        drop((newcomer, target));
        let statistics = context.memory_statistics();
        assert!(
            statistics.iter().all(|(_, each)| each.used_blocks == 0),
            "{statistics:?}"
        );
    });
}

#[test]
fn copies_and_fills_take_their_turn() {
    on_every_device(|queue| {
        let x = Allocation::new(queue, 300_000, UsmKind::Shared).unwrap();
        let y = Allocation::new(queue, 300_000, UsmKind::Device).unwrap();
        let (gate, _) = Gate::on(queue);
        let fill = copy::fill(queue, &x, 0, 300_000, 3).unwrap();
        copy::fill(queue, &x, 100, 10, 9).unwrap();
        let copied = copy::copy(queue, (&x, 0), (&y, 0), 300_000).unwrap();
        assert!(!fill.is_complete() && !copied.is_complete());
        gate.open();
        let mut bytes = vec![0; 300_000];
        copy::copy_to_host(queue, &y, 0, &mut bytes).unwrap();
        let mut expected = vec![3; 300_000];
        expected[100..110].fill(9);
        assert_eq!(bytes, expected);
    });
}

#[derive(Debug)]
struct Refusal;

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("no, thank you")
    }
}

impl std::error::Error for Refusal {}

fn refuse() -> Result<(), HostError> {
    Err(Arc::new(Refusal))
}

#[test]
fn a_failure_is_told_once_by_the_queue_and_always_by_the_event() {
    on_every_device(|queue| {
        let kernel = step(queue);
        let x = upload(queue, &[1i64]);
        let (gate, _) = Gate::on(queue);
        let line = line!() + 1;
        let failing = queue.host_task("grumble", &[], refuse).unwrap();
        // Order alone does not carry failure.
        queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
        gate.open();
        let error = queue.wait().unwrap_err();
        let text = error.to_string();
        for part in [
            "no, thank you",
            "host task `grumble`",
            &format!("queues.rs:{line}"),
        ] {
            assert!(text.contains(part), "{text}");
        }
        queue.wait().unwrap();
        assert!(failing.wait().is_err() && failing.wait().is_err());
        queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
        assert_eq!(download::<i64>(queue, &x), [13]);
    });
}

#[test]
fn what_depends_on_a_failure_does_not_run() {
    on_every_device(|queue| {
        let queue = out_of_order(queue.device());
        let kernel = step(&queue);
        let x = upload(&queue, &[1i64]);
        let (gate, gate_event) = Gate::on(&queue);
        let failing = queue.host_task("grumble", &[gate_event], refuse).unwrap();
        let second = queue
            .launch_after(
                &kernel,
                &range(1),
                &[pointer_to(&x)],
                std::slice::from_ref(&failing),
            )
            .unwrap();
        let third = queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
        gate.open();
        for event in [second, third] {
            let error = event.wait().unwrap_err();
            assert!(matches!(error, Error::DependencyFailed { .. }), "{error:?}");
            let text = error.to_string();
            assert!(
                text.contains("kernel `step`") && text.contains("no, thank you"),
                "{text}"
            );
        }
        // A dependency that has failed already is refused at once.
        let late = queue.launch_after(&kernel, &range(1), &[pointer_to(&x)], &[failing]);
        assert!(
            matches!(late, Err(Error::DependencyFailed { .. })),
            "{late:?}"
        );
        let error = queue.wait().unwrap_err();
        assert!(error.to_string().contains("no, thank you"), "{error}");
        assert_eq!(download::<i64>(&queue, &x), [1]);
    });
}

#[test]
fn several_failures_are_counted() {
    let queue = Queue::new(&Device::default_device());
    for _ in 0..3 {
        queue.host_task("grumble", &[], refuse).unwrap();
    }
    let error = queue.wait().unwrap_err();
    assert!(
        matches!(error, Error::SeveralFailed { others: 2, .. }),
        "{error:?}"
    );
}

#[test]
fn a_panic_in_a_host_task_is_its_failure() {
    let queue = Queue::new(&Device::default_device());
    let event = queue
        .host_task("clumsy", &[], || panic!("dropped it"))
        .unwrap();
    let error = event.wait().unwrap_err();
    assert!(error.to_string().contains("dropped it"), "{error}");
    queue.wait().unwrap();
}

#[test]
fn a_kernel_fault_found_later_names_kernel_and_line() {
    let queue = Queue::new(&situ_runtime::select("reference").unwrap());
    let kernel = step(&queue);
    let x = upload(&queue, &[1i64, 2]);
    let (gate, _) = Gate::on(&queue);
    let event = queue.launch(&kernel, &range(3), &[pointer_to(&x)]).unwrap();
    let line = line!() - 1;
    gate.open();
    let text = event.wait().unwrap_err().to_string();
    for part in ["kernel `step`", &format!("queues.rs:{line}")] {
        assert!(text.contains(part), "{text}");
    }
    queue.wait().unwrap();
    queue
        .launch(&kernel, &range(2), &[pointer_to(&x)])
        .unwrap()
        .wait()
        .unwrap();
}

#[test]
fn a_host_task_cannot_wait_for_its_own_queue() {
    let queue = Queue::new(&Device::default_device());
    let own = queue.clone();
    let found = Arc::new(Mutex::new(None));
    let result = Arc::clone(&found);
    queue
        .host_task("ouroboros", &[], move || {
            *result.lock().unwrap() = Some(own.wait());
            Ok(())
        })
        .unwrap();
    queue.wait().unwrap();
    let found = found.lock().unwrap().take();
    assert!(
        matches!(found, Some(Err(Error::WaitInsideQueue { .. }))),
        "{found:?}"
    );
}

#[test]
fn host_tasks_may_wait_for_other_queues() {
    // More tasks than any machine has cores, each of which waits for the next.
    let device = Device::default_device();
    let (gate, mut previous) = Gate::on(&Queue::new(&device));
    let mut queues = Vec::new();
    for _ in 0..40 {
        let queue = Queue::new(&device);
        let event = previous.clone();
        previous = queue
            .host_task("relay", &[], move || {
                event.wait().map_err(|error| Arc::new(error) as _)
            })
            .unwrap();
        queues.push(queue);
    }
    gate.open();
    previous.wait().unwrap();
}

#[test]
fn callbacks_are_called_once_whenever_they_are_added() {
    on_every_device(|queue| {
        let (gate, event) = Gate::on(queue);
        let (tell, told) = channel();
        let early = tell.clone();
        event.on_complete(move |result| early.send(result.is_ok()).unwrap());
        gate.open();
        event.wait().unwrap();
        event.on_complete(move |result| tell.send(result.is_ok()).unwrap());
        assert!(told.recv_timeout(PATIENCE).unwrap());
        assert!(told.recv_timeout(PATIENCE).unwrap());
        assert!(
            told.recv_timeout(PATIENCE).is_err(),
            "nobody is left to call"
        );
    });
}

#[test]
fn times_are_recorded_in_order_where_asked_for() {
    on_every_device(|queue| {
        let profiled = with_properties(queue.device(), true, true);
        let kernel = step(&profiled);
        let x = upload(&profiled, &[1i64]);
        let events: Vec<Event> = (0..5)
            .map(|_| {
                profiled
                    .launch(&kernel, &range(1), &[pointer_to(&x)])
                    .unwrap()
            })
            .collect();
        profiled.wait().unwrap();
        let mut last_end = 0;
        for event in events {
            let profile = event.profile().unwrap();
            assert!(profile.submit_ns <= profile.start_ns && profile.start_ns <= profile.end_ns);
            assert!(last_end <= profile.start_ns);
            last_end = profile.end_ns;
        }
        let event = queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
        event.wait().unwrap();
        assert!(matches!(
            event.profile(),
            Err(Error::NoProfile { is_recorded: false })
        ));
        let marker = queue.marker().unwrap();
        marker.wait().unwrap();
        assert!(marker.profile().is_ok());
    });
}

#[test]
fn dropping_a_queue_does_not_lose_its_work() {
    on_every_device(|queue| {
        let doomed = Queue::new(queue.device());
        let kernel = step(&doomed);
        let x = upload(&doomed, &[1i64]);
        let (gate, _) = Gate::on(&doomed);
        for _ in 0..10 {
            doomed
                .launch(&kernel, &range(1), &[pointer_to(&x)])
                .unwrap();
        }
        drop(doomed);
        gate.open();
        let expected = (0..10).fold(1i64, |x, _| x * 3 + 1);
        assert_eq!(download::<i64>(queue, &x), [expected]);
    });
}

#[test]
fn many_threads_share_a_queue() {
    on_every_device(|queue| {
        let kernel = step(queue);
        let done = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..25 {
                        let x = upload(queue, &[round as i64; 3]);
                        for _ in 0..4 {
                            queue.launch(&kernel, &range(3), &[pointer_to(&x)]).unwrap();
                        }
                        let expected = (0..4).fold(round as i64, |x, _| x * 3 + 1);
                        if download::<i64>(queue, &x) != [expected; 3] {
                            failed.store(true, Ordering::Relaxed);
                        }
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 200);
        assert!(!failed.into_inner());
    });
}

#[test]
fn a_long_chain_of_pending_commands_ends() {
    let queue = Queue::new(&Device::default_device());
    let kernel = step(&queue);
    let x = upload(&queue, &[0i64]);
    let argument = [Argument::Pointer {
        allocation: Arc::clone(&x),
        byte_offset: 0,
    }];
    let (gate, _) = Gate::on(&queue);
    for _ in 0..100_000 {
        queue.launch(&kernel, &range(1), &argument).unwrap();
    }
    assert_eq!(queue.pending(), 100_001);
    gate.open();
    queue.wait().unwrap();
    let expected = (0..100_000).fold(0i64, |x, _| x.wrapping_mul(3).wrapping_add(1));
    assert_eq!(download::<i64>(&queue, &x), [expected]);
}

#[test]
fn a_later_barrier_does_not_undo_an_earlier_one() {
    let queue = out_of_order(&Device::default_device());
    let kernel = step(&queue);
    let x = upload(&queue, &[1i64]);
    let (gate, _) = Gate::on(&queue);
    let first = queue.barrier(&[]).unwrap();
    let second = queue.barrier(&[Event::complete()]).unwrap();
    let after = queue.launch(&kernel, &range(1), &[pointer_to(&x)]).unwrap();
    assert!(!first.is_complete() && !second.is_complete() && !after.is_complete());
    gate.open();
    queue.wait().unwrap();
    assert!(first.is_complete() && after.is_complete());
}

#[test]
fn all_of_several_overlapping_writes_are_waited_for() {
    on_every_device(|queue| {
        let queue = out_of_order(queue.device());
        let (step, transfer) = (step(&queue), transfer(&queue));
        let x = upload(&queue, &[1i64, 2]);
        let y = upload(&queue, &[0i64, 0]);
        let half = |byte_offset| {
            let allocation = Arc::clone(&x);
            Argument::Pointer {
                allocation,
                byte_offset,
            }
        };
        let (gate, gate_event) = Gate::on(&queue);
        let left = queue
            .launch_after(&step, &range(1), &[half(0)], &[gate_event])
            .unwrap();
        // Another part of the same data, so it need not wait, but whoever reads must wait for both.
        let right = queue
            .launch_after(&step, &range(1), &[half(8)], &[])
            .unwrap();
        right.wait().unwrap();
        assert!(!left.is_complete());
        let both = queue
            .launch(&transfer, &range(2), &[pointer_to(&y), pointer_to(&x)])
            .unwrap();
        assert!(both.dependencies().contains(&left));
        gate.open();
        assert_eq!(download::<i64>(&queue, &x), [4, 7]);
        assert_eq!(download::<i64>(&queue, &y), [4, 7]);
    });
}

#[test]
fn a_failed_reader_does_not_keep_others_from_writing() {
    // `transfer` reads x, and fails; x itself is as good as ever.
    let queue = out_of_order(&situ_runtime::select("reference").unwrap());
    let (step, transfer) = (step(&queue), transfer(&queue));
    let x = upload(&queue, &[1i64, 2]);
    let too_small = upload(&queue, &[0i64]);
    let (gate, gate_event) = Gate::on(&queue);
    let arguments = [pointer_to(&too_small), pointer_to(&x)];
    let failing = queue
        .launch_after(&transfer, &range(2), &arguments, &[gate_event])
        .unwrap();
    let writing = queue.launch(&step, &range(2), &[pointer_to(&x)]).unwrap();
    gate.open();
    writing.wait().unwrap();
    assert!(failing.wait().is_err());
    assert_eq!(download::<i64>(&queue, &x), [4, 7]);
}

#[test]
fn a_callback_does_not_hide_a_failure_from_the_queue() {
    let queue = Queue::new(&Device::default_device());
    for _ in 0..100 {
        let event = queue.host_task("grumble", &[], refuse).unwrap();
        let (tell, told) = channel();
        event.on_complete(move |result| tell.send(result.is_err()).unwrap());
        assert!(told.recv_timeout(PATIENCE).unwrap());
        assert!(queue.wait().is_err());
        queue.wait().unwrap();
    }
}

#[test]
fn nothing_is_pending_after_a_wait() {
    let queue = Queue::new(&Device::default_device());
    for _ in 0..2000 {
        queue.host_task("nothing", &[], || Ok(())).unwrap();
        queue.wait().unwrap();
        assert_eq!(queue.pending(), 0);
    }
}

#[test]
fn a_host_task_cannot_wait_in_a_circle_over_another_queue() {
    let device = Device::default_device();
    let (queue, other) = (out_of_order(&device), Queue::new(&device));
    let (send, receive) = channel::<Event>();
    let (tell, told) = channel();
    let first = queue
        .host_task("circle", &[], move || {
            let event = receive.recv_timeout(PATIENCE).unwrap();
            tell.send(event.wait()).unwrap();
            Ok(())
        })
        .unwrap();
    let between = other
        .host_task("between", std::slice::from_ref(&first), || Ok(()))
        .unwrap();
    let last = queue.barrier(std::slice::from_ref(&between)).unwrap();
    send.send(last).unwrap();
    let result = told.recv_timeout(PATIENCE).unwrap();
    assert!(
        matches!(result, Err(Error::WaitInsideQueue { .. })),
        "{result:?}"
    );
    queue.wait().unwrap();
}
