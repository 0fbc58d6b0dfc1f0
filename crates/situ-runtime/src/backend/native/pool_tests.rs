//! Tests of the thread pool: every item exactly once, under every kind of use.

use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::sync::mpsc;
use std::time::Duration;

use super::*;

/// Runs `len` items and checks that each ran exactly once, with a chunk aligned to the granule.
fn check_coverage(pool: &Pool, len: u64, granule: u64, item_work: u32) {
    let counts: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
    let work = Work {
        len,
        granule,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &CostEstimate::new(),
    };
    pool.run(&work, &|chunk, _| {
        assert_eq!(chunk.start % granule, 0);
        assert!(chunk.end % granule == 0 || chunk.end == len);
        for item in chunk {
            for _ in 0..item_work {
                std::hint::black_box(item);
            }
            counts[item as usize].fetch_add(1, Ordering::Relaxed);
        }
    })
    .unwrap();
    assert!(
        counts
            .iter()
            .all(|count| count.load(Ordering::Relaxed) == 1),
        "len {len}"
    );
}

#[test]
fn every_item_runs_exactly_once() {
    for threads in [1, 2, 5] {
        let pool = Pool::new(threads);
        for len in [0, 1, 2, 7, 63, 64, 65, 1000, 4097, 100_000] {
            for granule in [1, 7, 64] {
                check_coverage(&pool, len, granule, 3);
            }
        }
        check_coverage(&pool, 20_000, 1, 2_000);
    }
}

#[test]
fn parts_are_shared_without_a_trial() {
    for threads in [1, 2, 5] {
        let pool = Pool::new(threads);
        for parts in [0, 1, 2, 9] {
            let counts: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            pool.share(parts, &|part| {
                counts[part as usize].fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
            assert!(
                counts
                    .iter()
                    .all(|count| count.load(Ordering::Relaxed) == 1)
            );
        }
        let failed = pool.share(3, &|part| assert_ne!(part, 2, "the last one"));
        assert!(matches!(failed, Err(Error::WorkPanicked { .. })));
    }
    // Two parts that wait for each other need a thread each.
    let meeting = std::sync::Barrier::new(2);
    Pool::new(2)
        .share(2, &|_| {
            meeting.wait();
        })
        .unwrap();
}

#[test]
fn a_tiny_launch_stays_on_the_caller() {
    let pool = Pool::new(4);
    let cost = CostEstimate::new();
    for _ in 0..100 {
        let caller = thread::current().id();
        let work = Work {
            len: 10,
            granule: 1024,
            scratch_bytes: 0,
            stack_bytes: 0,
            cost: &cost,
        };
        pool.run(&work, &|_, _| assert_eq!(thread::current().id(), caller))
            .unwrap();
    }
}

#[test]
fn a_long_launch_is_shared() {
    let pool = Pool::new(3);
    let cost = CostEstimate::new();
    let names = Mutex::new(std::collections::BTreeSet::new());
    let work = Work {
        len: 60,
        granule: 1,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &cost,
    };
    pool.run(&work, &|_, _| {
        thread::sleep(Duration::from_millis(2));
        names
            .lock()
            .unwrap()
            .insert(format!("{:?}", thread::current().id()));
    })
    .unwrap();
    assert_eq!(names.lock().unwrap().len(), 3);
}

#[test]
fn an_unbalanced_launch_is_stolen_from() {
    // All the time goes into the last eighth, which starts out on one thread.
    let pool = Pool::new(4);
    let cost = CostEstimate::new();
    cost.update(Duration::from_millis(1), 1);
    let slow_threads = Mutex::new(std::collections::BTreeSet::new());
    let work = Work {
        len: 64,
        granule: 1,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &cost,
    };
    pool.run(&work, &|chunk, _| {
        if chunk.end > 56 {
            thread::sleep(Duration::from_millis(5));
            slow_threads
                .lock()
                .unwrap()
                .insert(format!("{:?}", thread::current().id()));
        }
    })
    .unwrap();
    assert!(slow_threads.lock().unwrap().len() > 1);
}

#[test]
fn huge_ranges_do_not_overflow() {
    for len in [u64::MAX, u64::MAX - 1, 1 << 63] {
        for granule in [1, 3, 1 << 20, u64::MAX] {
            let pool = Pool::new(3);
            let cost = CostEstimate::new();
            // Chunks are large because the estimate says that items are almost free.
            cost.update(Duration::from_nanos(1), 1 << 62);
            let covered = Mutex::new(0u128);
            let work = Work {
                len,
                granule,
                scratch_bytes: 0,
                stack_bytes: 0,
                cost: &cost,
            };
            pool.run(&work, &|chunk, _| {
                *covered.lock().unwrap() += u128::from(chunk.end - chunk.start);
            })
            .unwrap();
            assert_eq!(*covered.lock().unwrap(), u128::from(len));
        }
    }
}

#[test]
fn work_may_start_more_work() {
    let pool = Pool::new(3);
    let total = AtomicU64::new(0);
    let outer = Work {
        len: 24,
        granule: 1,
        scratch_bytes: 256,
        stack_bytes: 0,
        cost: &CostEstimate::new(),
    };
    pool.run(&outer, &|chunk, outer_scratch| {
        for _ in chunk {
            let outer_start = outer_scratch.as_mut_ptr() as usize;
            let inner = Work {
                len: 50,
                granule: 1,
                scratch_bytes: 256,
                stack_bytes: 0,
                cost: &CostEstimate::new(),
            };
            pool.run(&inner, &|inner_chunk, inner_scratch| {
                assert_ne!(inner_scratch.as_mut_ptr() as usize, outer_start);
                thread::sleep(Duration::from_micros(50));
                total.fetch_add(inner_chunk.end - inner_chunk.start, Ordering::Relaxed);
            })
            .unwrap();
        }
    })
    .unwrap();
    assert_eq!(total.into_inner(), 24 * 50);
}

#[test]
fn many_threads_may_launch_at_once() {
    let pool = Pool::new(3);
    thread::scope(|scope| {
        for seed in 0..8u64 {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..60 {
                    check_coverage(pool, (seed * 977 + round * 131) % 5000, 1 + round % 9, 200);
                }
            });
        }
    });
}

#[test]
fn a_panic_becomes_an_error_and_the_pool_lives_on() {
    for threads in [1, 4] {
        let pool = Pool::new(threads);
        for panicking_item in [0, 777, 9_999] {
            let cost = CostEstimate::new();
            let work = Work {
                len: 10_000,
                granule: 1,
                scratch_bytes: 64,
                stack_bytes: 0,
                cost: &cost,
            };
            let result = pool.run(&work, &|chunk, _| {
                thread::sleep(Duration::from_micros(5));
                assert!(
                    !chunk.contains(&panicking_item),
                    "item {panicking_item} is bad"
                );
            });
            match result {
                Err(Error::WorkPanicked { message }) => {
                    assert_eq!(message, format!("item {panicking_item} is bad"));
                }
                other => panic!("expected a panic to be reported, got {other:?}"),
            }
        }
        check_coverage(&pool, 10_000, 1, 100);
    }
}

#[test]
fn scratch_blocks_are_private_to_a_thread() {
    let pool = Pool::new(4);
    let cost = CostEstimate::new();
    let work = Work {
        len: 2_000,
        granule: 1,
        scratch_bytes: 4096,
        stack_bytes: 0,
        cost: &cost,
    };
    pool.run(&work, &|chunk, scratch| {
        let block = scratch.as_mut_ptr();
        assert_eq!(block as usize % 64, 0);
        let mark = chunk.start as u8;
        // SAFETY: the block has 4096 bytes for this chunk alone.
        unsafe {
            block.write_bytes(mark, 4096);
            thread::sleep(Duration::from_micros(20));
            assert!((0..4096).all(|offset| *block.add(offset) == mark));
        }
    })
    .unwrap();
}

#[test]
fn impossible_scratch_is_an_error() {
    let pool = Pool::new(2);
    let work = Work {
        len: 10,
        granule: 1,
        scratch_bytes: usize::MAX / 4,
        stack_bytes: 0,
        cost: &CostEstimate::new(),
    };
    let result = pool.run(&work, &|_, _| ());
    assert!(
        matches!(result, Err(Error::ScratchUnavailable { .. })),
        "{result:?}"
    );
}

#[test]
fn dropping_a_pool_ends_its_workers() {
    for _ in 0..20 {
        let pool = Pool::new(4);
        check_coverage(&pool, 3_000, 1, 500);
    }
}

#[test]
fn nobody_is_left_to_remind_a_pool_that_has_done_nothing() {
    assert!(!Pool::new(4).remind(|| unreachable!("nobody watches")));
    let alone = Pool::new(1);
    check_coverage(&alone, 1000, 1, 100);
    assert!(!alone.remind(|| unreachable!("nobody watches")));
}

#[test]
fn a_reminder_that_was_taken_is_called_once() {
    for threads in [2, 5] {
        let pool = Pool::new(threads);
        let (call, called) = mpsc::channel();
        let mut taken = Vec::new();
        for round in 0..500 {
            pool.share(threads as u64, &|_| ()).unwrap();
            // Sometimes while workers watch, and sometimes when their time is just over.
            for _ in 0..round * 20 {
                std::hint::spin_loop();
            }
            let call = call.clone();
            if pool.remind(move || call.send(round).unwrap()) {
                taken.push(round);
            }
            // The next launch comes while reminders are left, and after they were called.
            if round % 3 == 0 {
                thread::sleep(Duration::from_micros(round % 200));
            }
        }
        drop(call);
        // Ends when the last reminder was called and dropped.
        let mut seen: Vec<_> = called.iter().collect();
        seen.sort_unstable();
        assert_eq!(seen, taken);
        assert!(!taken.is_empty());
    }
}

#[test]
fn a_pool_that_ends_calls_its_reminders() {
    let (call, called) = mpsc::channel();
    let mut taken = 0;
    for _ in 0..50 {
        let pool = Pool::new(3);
        pool.share(3, &|_| ()).unwrap();
        let call = call.clone();
        taken += usize::from(pool.remind(move || call.send(()).unwrap()));
    }
    drop(call);
    assert_eq!(called.iter().count(), taken);
}

#[test]
fn workers_of_a_pinned_pool_keep_to_their_processors() {
    let cores = CoreSet::new(vec![CoreSet::of_this_thread().cores()[0]]);
    let pool = Pool::pinned(3, cores.clone());
    assert_eq!(pool.cores(), Some(&cores));
    let caller = thread::current().id();
    let seen = Mutex::new(Vec::new());
    let work = Work {
        len: 60,
        granule: 1,
        scratch_bytes: 0,
        stack_bytes: 0,
        cost: &CostEstimate::new(),
    };
    pool.run(&work, &|_, _| {
        // Long enough that the workers, which have to start first, get some of it.
        thread::sleep(Duration::from_millis(2));
        if thread::current().id() != caller {
            seen.lock().unwrap().push(CoreSet::of_this_thread());
        }
    })
    .unwrap();
    let seen = seen.into_inner().unwrap();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|set| *set == cores), "{seen:?}");
}

#[test]
fn a_cost_estimate_forgets_a_single_bad_measurement() {
    let cost = CostEstimate::new();
    let measure = |ns| cost.update(Duration::from_nanos(ns), 1);
    assert_eq!(cost.get(), None);
    measure(50_000);
    assert_eq!(cost.get(), Some(50_000.0));
    measure(1000);
    assert_eq!(cost.get(), Some(1000.0), "a lower cost is believed at once");
    measure(1200);
    assert_eq!(cost.get(), Some(1000.0), "little new");
    measure(4_000_000);
    assert_eq!(cost.get(), Some(2000.0), "a higher one with care");
    for _ in 0..20 {
        measure(4_000_000);
    }
    assert!(
        cost.get().is_some_and(|ns| ns > 2_000_000.0),
        "{:?}",
        cost.get()
    );
}
