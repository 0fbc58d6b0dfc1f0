//! A web of commands: threads submit to shared queues, depend on each other's events, add
//! callbacks, wait, and drop whatever they hold.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use situ_ir::{Literal, NdRange};
use situ_runtime::memory::copy;
use situ_runtime::{
    Allocation, Argument, Context, Error, Event, Kernel, Queue, QueueProperties, UsmKind,
};

use super::places::{Kernels, Place, kernels, places};
use super::watchdog::Watchdog;
use super::{LONG, Random, SHORT, take_turn};

const THREADS: usize = 8;
const QUEUES: usize = 6;
const EVENTS: usize = 64;

/// What a failing task returns.
#[derive(Debug, thiserror::Error)]
#[error("this one fails")]
struct Failure;

#[test]
fn every_command_runs_once() {
    for place in places() {
        weave(&place, SHORT / 3);
    }
}

#[test]
#[ignore = "takes minutes; run by `make stress`"]
fn every_command_runs_once_for_minutes() {
    for place in places() {
        weave(&place, LONG);
    }
}

/// What the threads share.
struct Web {
    context: Context,
    queues: Vec<RwLock<(Queue, Kernels)>>,
    /// The latest events, for others to depend on, and how many there were.
    events: Mutex<Vec<Event>>,
    remembered: AtomicUsize,
    /// Commands that were accepted and must run, by number: how often each did.
    runs: Mutex<Vec<Arc<AtomicUsize>>>,
    /// Callbacks that were added, and that were called.
    added: AtomicU64,
    called: Arc<AtomicU64>,
    place: Place,
    watchdog: Watchdog,
}

fn weave(place: &Place, duration: Duration) {
    let _turn = take_turn();
    let watchdog = Watchdog::start();
    let place = Place {
        context: place.context.clone(),
        devices: place.devices.clone(),
        is_checked: place.is_checked,
    };
    let web = Web {
        context: place.context.clone(),
        queues: (0..QUEUES)
            .map(|number| RwLock::new(open_queue(&place, number)))
            .collect(),
        events: Mutex::default(),
        remembered: AtomicUsize::new(0),
        runs: Mutex::default(),
        added: AtomicU64::new(0),
        called: Arc::default(),
        place,
        watchdog: watchdog.clone(),
    };
    let deadline = Instant::now() + duration;
    let submitted: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let web = &web;
                scope.spawn(move || Worker::new(web, number).work(deadline))
            })
            .collect();
        threads.into_iter().map(|each| each.join().unwrap()).sum()
    });
    web.check();
    eprintln!(
        "{}: {submitted} commands",
        web.place.devices[0].filter_string()
    );
    watchdog.stop();
}

fn open_queue(place: &Place, number: usize) -> (Queue, Kernels) {
    let device = &place.devices[number % place.devices.len()];
    let properties = QueueProperties {
        in_order: number.is_multiple_of(2),
        enable_profiling: number.is_multiple_of(5),
    };
    let queue = Queue::with_context(&place.context, device, properties).unwrap();
    (queue, kernels(device))
}

/// One of the threads.
struct Worker<'a> {
    web: &'a Web,
    random: Random,
    /// An array that only this thread uses, and what is in it.
    array: Arc<Allocation>,
    expected: i64,
    submitted: usize,
}

impl<'a> Worker<'a> {
    fn new(web: &'a Web, number: usize) -> Self {
        let queue = web.queue(number % QUEUES).0;
        let array = Allocation::new(&queue, 8 * LEN, UsmKind::Shared).unwrap();
        copy::fill(&queue, &array, 0, 8 * LEN, 0).unwrap();
        Self {
            web,
            random: Random(0x5eed + 7919 * number as u64),
            array,
            expected: 0,
            submitted: 0,
        }
    }

    fn work(mut self, deadline: Instant) -> usize {
        while Instant::now() < deadline {
            let number = self.random.below(QUEUES);
            let (queue, kernels) = self.web.queue(number);
            match self.random.below(20) {
                0..6 => self.step(&queue, &kernels.step),
                6..12 => self.host_task(&queue),
                12 => self.barrier(&queue),
                13 => self.temporary(&queue, &kernels),
                14 => self.add_callback(),
                15 => self.wait_for_event(),
                16 if self.random.is_one_of(4) => wait(&queue),
                17 if self.random.is_one_of(4) => self.read(&queue),
                18 if self.random.is_one_of(20) => self.replace_queue(number),
                _ => {}
            }
            // Not so much that only memory is tested.
            while self.web.queue(number).0.pending() > 2000 {
                wait(&queue);
            }
        }
        let (queue, _) = self.web.queue(0);
        self.read(&queue);
        self.submitted
    }

    /// A kernel on this thread's own array: whichever queues run them, they are in order.
    fn step(&mut self, queue: &Queue, kernel: &Kernel) {
        let argument = Argument::Pointer {
            allocation: Arc::clone(&self.array),
            byte_offset: 0,
        };
        let range = NdRange::new(&[LEN as u64]).unwrap();
        let event = queue.launch(kernel, &range, &[argument]).unwrap();
        self.expected = self.expected.wrapping_mul(3).wrapping_add(1);
        self.submitted += 1;
        self.web.remember(event);
    }

    fn host_task(&mut self, queue: &Queue) {
        let events = self.some_events();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let fails = self.random.is_one_of(30);
        let nested = self.random.is_one_of(10).then(|| self.web.queue(1).0);
        let event = queue.host_task("counted", &events, move || {
            counted.fetch_add(1, Ordering::Relaxed);
            // Tasks submit, too, and may wait for what does not wait for them.
            if let Some(queue) = nested {
                let event = queue.host_task("nested", &[], || Ok(())).unwrap();
                let result = event.wait();
                assert!(
                    matches!(result, Ok(()) | Err(Error::WaitInsideQueue { .. })),
                    "{result:?}"
                );
            }
            if fails {
                return Err(Arc::new(Failure) as _);
            }
            Ok(())
        });
        match event {
            Ok(event) => {
                self.submitted += 1;
                // What depends on a failure does not run, which is told by its event.
                if !fails && events.is_empty() {
                    self.web.runs.lock().unwrap().push(count);
                }
                self.web.remember(event);
            }
            Err(Error::DependencyFailed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    fn barrier(&mut self, queue: &Queue) {
        let events = self.some_events();
        match queue.barrier(&events) {
            Ok(event) => self.web.remember(event),
            Err(Error::DependencyFailed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        self.submitted += 1;
    }

    /// Arrays that are gone before their kernels have run.
    fn temporary(&mut self, queue: &Queue, kernels: &Kernels) {
        let len = [3, 1000, 30_000][self.random.below(3)];
        let len = if self.web.place.is_checked { 3 } else { len };
        let pointers = [0; 3].map(|_| {
            let allocation = Allocation::new(queue, 8 * len, UsmKind::Device).unwrap();
            copy::fill(queue, &allocation, 0, 8 * len, 1).unwrap();
            Argument::Pointer {
                allocation,
                byte_offset: 0,
            }
        });
        let [to, from, _] = pointers.clone();
        let last = Argument::Scalar(Literal::I64(len as i64 - 1));
        let range = NdRange::new(&[len as u64]).unwrap();
        let launch = |kernel: &Kernel, arguments: &[Argument]| {
            queue.launch(kernel, &range, arguments).unwrap();
        };
        launch(&kernels.step, &pointers[1..2]);
        launch(&kernels.combine, &pointers);
        launch(&kernels.reverse, &[from, to, last]);
        self.submitted += 3;
    }

    fn add_callback(&mut self) {
        if let Some(event) = self.some_events().first() {
            let called = Arc::clone(&self.web.called);
            self.web.added.fetch_add(1, Ordering::Relaxed);
            event.on_complete(move |_| {
                called.fetch_add(1, Ordering::Relaxed);
            });
        }
    }

    fn wait_for_event(&mut self) {
        if let Some(event) = self.some_events().first() {
            // How it ended is not the question here.
            let _ = event.wait();
            assert!(event.is_complete());
        }
    }

    fn read(&mut self, queue: &Queue) {
        let mut bytes = vec![0; 8 * LEN];
        // Failures on the queue are told first.
        while copy::copy_to_host(queue, &self.array, 0, &mut bytes).is_err() {}
        for chunk in bytes.chunks_exact(8) {
            assert_eq!(i64::from_le_bytes(chunk.try_into().unwrap()), self.expected);
        }
        self.web.watchdog.tell("an array was read");
    }

    /// A new queue takes the place of an old one, which may have work pending.
    fn replace_queue(&mut self, number: usize) {
        *self.web.queues[number].write().unwrap() = open_queue(&self.web.place, number);
    }

    fn some_events(&mut self) -> Vec<Event> {
        let events = self.web.events.lock().unwrap();
        if events.is_empty() {
            return Vec::new();
        }
        let count = [0, 0, 1, 1, 2, 5][self.random.below(6)];
        (0..count)
            .map(|_| events[self.random.below(events.len())].clone())
            .collect()
    }
}

/// Elements of a thread's own array.
const LEN: usize = 17;

/// Waits for a queue; failures of others' tasks are told to whoever comes first.
fn wait(queue: &Queue) {
    let _ = queue.wait();
}

impl Web {
    fn queue(&self, number: usize) -> (Queue, Kernels) {
        self.queues[number].read().unwrap().clone()
    }

    fn remember(&self, event: Event) {
        let number = self.remembered.fetch_add(1, Ordering::Relaxed);
        if number.is_multiple_of(1000) {
            self.watchdog.watch(&event);
        }
        let mut events = self.events.lock().unwrap();
        if events.len() < EVENTS {
            events.push(event);
        } else {
            events[number % EVENTS] = event;
        }
    }

    /// Everything ends; then everything was done once, and nothing is left.
    fn check(&self) {
        assert!(
            situ_runtime::queue::wait_for_all(Duration::from_mins(1)),
            "work is left"
        );
        for queue in &self.queues {
            let queue = queue.read().unwrap().0.clone();
            wait(&queue);
            assert_eq!(queue.pending(), 0);
        }
        for count in self.runs.lock().unwrap().drain(..) {
            assert_eq!(count.load(Ordering::Relaxed), 1);
        }
        assert_eq!(
            self.called.load(Ordering::Relaxed),
            self.added.load(Ordering::Relaxed)
        );
        self.events.lock().unwrap().clear();
        self.watchdog.reset();
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let statistics = self.context.memory_statistics();
            let held: u64 = statistics
                .iter()
                .map(|(_, each)| each.used_blocks + each.pending_blocks)
                .sum();
            if held == 0 {
                return;
            }
            assert!(Instant::now() < deadline, "{statistics:?}");
            thread::yield_now();
        }
    }
}
