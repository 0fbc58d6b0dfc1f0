//! Waits and callbacks at every moment of an event's life.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use situ_runtime::{Device, Event, Queue, QueueProperties};

use super::watchdog::Watchdog;
use super::{LONG, SHORT, take_turn};

const THREADS: usize = 16;

#[test]
fn waits_and_callbacks_meet_the_end_of_an_event() {
    meet(SHORT);
}

#[test]
#[ignore = "takes minutes; run by `make stress`"]
fn waits_and_callbacks_meet_the_end_of_an_event_for_minutes() {
    meet(LONG);
}

/// An event ends while many threads wait for it, ask for it, and add callbacks to it.
fn meet(duration: Duration) {
    let _turn = take_turn();
    let watchdog = Watchdog::start();
    let deadline = Instant::now() + duration;
    let mut rounds = 0_u32;
    while Instant::now() < deadline {
        let device = Device::default_device();
        let properties = QueueProperties {
            in_order: rounds.is_multiple_of(2),
            enable_profiling: rounds.is_multiple_of(3),
        };
        let queue = Queue::with_context(device.default_context(), &device, properties).unwrap();
        let (open, opened) = mpsc::channel::<()>();
        let task = queue
            .host_task("gate", &[], move || {
                // Whoever opens the gate may also be gone.
                let _ = opened.recv();
                Ok(())
            })
            .unwrap();
        let event = queue.barrier(&[]).unwrap();
        watchdog.tell("a round");
        watchdog.watch(&event);
        let called = Arc::new(AtomicUsize::new(0));
        let start = Barrier::new(THREADS + 1);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (queue, event, task, called, start) = (&queue, &event, &task, &called, &start);
                scope.spawn(move || {
                    start.wait();
                    for _ in 0..(rounds as usize + 7 * number) % 200 {
                        std::hint::spin_loop();
                    }
                    let add = |event: &Event| {
                        let called = Arc::clone(called);
                        event.on_complete(move |result| {
                            result.unwrap();
                            called.fetch_add(1, Ordering::SeqCst);
                        });
                    };
                    add(event);
                    match number % 4 {
                        0 => event.wait().unwrap(),
                        1 => queue.wait().unwrap(),
                        2 => Event::wait_for_all(&[event.clone(), task.clone()]).unwrap(),
                        _ => {
                            while !event.is_complete() {
                                thread::yield_now();
                            }
                        }
                    }
                    assert!(event.is_complete() && task.is_complete());
                    add(task);
                });
            }
            start.wait();
            for _ in 0..rounds % 500 {
                std::hint::spin_loop();
            }
            open.send(()).unwrap();
        });
        assert!(situ_runtime::queue::wait_for_all(Duration::from_mins(1)));
        assert_eq!(called.load(Ordering::SeqCst), 2 * THREADS);
        assert_eq!(queue.pending(), 0);
        watchdog.reset();
        rounds += 1;
    }
    watchdog.stop();
    eprintln!("{rounds} rounds");
}

#[test]
fn queues_are_waited_for_while_others_submit() {
    wait_while_submitting(SHORT);
}

#[test]
#[ignore = "takes minutes; run by `make stress`"]
fn queues_are_waited_for_while_others_submit_for_minutes() {
    wait_while_submitting(LONG);
}

/// What was submitted before a wait has ended after it, whatever others do meanwhile.
fn wait_while_submitting(duration: Duration) {
    let _turn = take_turn();
    let watchdog = Watchdog::start();
    let device = Device::default_device();
    for in_order in [true, false] {
        let properties = QueueProperties {
            in_order,
            enable_profiling: false,
        };
        let queue = Queue::with_context(device.default_context(), &device, properties).unwrap();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let done = Arc::new(AtomicBool::new(false));
                        let mark = Arc::clone(&done);
                        let mark_done = move || {
                            mark.store(true, Ordering::SeqCst);
                            Ok(())
                        };
                        let event = queue.host_task("mark", &[], mark_done).unwrap();
                        watchdog.tell("a wait");
                        queue.wait().unwrap();
                        assert!(event.is_complete() && done.load(Ordering::SeqCst));
                    }
                });
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        queue.host_task("noise", &[], || Ok(())).unwrap();
                        queue.barrier(&[]).unwrap();
                        if queue.pending() > 1000 {
                            queue.wait().unwrap();
                        }
                    }
                });
            }
            thread::sleep(duration / 2);
            is_over.store(true, Ordering::Relaxed);
        });
        queue.wait().unwrap();
        assert_eq!(queue.pending(), 0);
        watchdog.reset();
    }
    watchdog.stop();
}
